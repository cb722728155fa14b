/* Model of an AXI UART Lite (PG142), and of the MDM's UART, which has the same registers: FIFOs of 16 bytes each way;
 * what the program sends is kept as text for tests, what tests send is received. Bytes take their time on the line. */
#ifndef PT_VIRTUAL_UNIT_UARTLITE_H
#define PT_VIRTUAL_UNIT_UARTLITE_H

#include "probes/virtual/frame/wires.h"

enum { PT_VUARTLITE_FIFO = 16, PT_VUARTLITE_LOG_BYTES = 4096 };

struct pt_vuartlite {
	const struct pt_vwires *wires;
	unsigned irq;
	uint32_t cycles_per_byte;	/* 0: nothing waits */
	bool interrupts;
	uint64_t sent_cycle;		/* when the last byte that was written has left */
	uint64_t n_sent, n_lost;	/* bytes since power-on; n_lost: written into a full FIFO */
	uint8_t rx[PT_VUARTLITE_FIFO];
	unsigned n_rx;
	char log[PT_VUARTLITE_LOG_BYTES];	/* what was sent, until full */
};

extern const struct pt_vunit_ops pt_vuartlite_ops;	/* the unit is a struct pt_vuartlite */

void pt_vuartlite_init(struct pt_vuartlite *uart, const struct pt_vwires *wires, unsigned irq, uint32_t bps);
bool pt_vuartlite_receive(struct pt_vuartlite *uart, uint8_t byte);	/* false: its FIFO is full */

/* Registers 0x0 to 0xc, for units that contain it. */
uint32_t pt_vuartlite_read(struct pt_vuartlite *uart, uint32_t offset);
void pt_vuartlite_write(struct pt_vuartlite *uart, uint32_t offset, uint32_t value);

#endif
