/* Model of a Kinetis LPUART (KL27 RM, chapter LPUART): what firmware sends is kept as text for tests; what tests send
 * is received. Bytes take their time on the line; one written while the transmitter is full is lost, as on the chip. */
#ifndef PT_VIRTUAL_UNIT_LPUART_H
#define PT_VIRTUAL_UNIT_LPUART_H

#include "probes/virtual/frame/registers.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VLPUART_LOG_BYTES = 65536, PT_VLPUART_REGISTERS = 5 };

struct pt_vlpuart {
	const struct pt_vwires *wires;
	unsigned irq;
	struct pt_vregs regs;
	uint32_t value[PT_VLPUART_REGISTERS];
	uint64_t idle_cycle;		/* when the last byte has left the shifter */
	uint64_t n_sent, n_overrun;	/* bytes since power-on: sent; written into a full transmitter */
	uint8_t received;
	char log[PT_VLPUART_LOG_BYTES];	/* what was sent, until full */
};

extern const struct pt_vunit_ops pt_vlpuart_ops;	/* a 4 KiB page; the unit is a struct pt_vlpuart */

void pt_vlpuart_init(struct pt_vlpuart *uart, const struct pt_vwires *wires, unsigned irq);
size_t pt_vlpuart_log_bytes(const struct pt_vlpuart *uart);	/* in log: n_sent, at most PT_VLPUART_LOG_BYTES */
void pt_vlpuart_receive(struct pt_vlpuart *uart, uint8_t byte);	/* a byte arrives; overruns as the chip does */

#endif
