/* Model of the TPIU of ARMv7-M at 0xe0040000: takes the bytes of a trace source, in frames of the formatter or as they
 * are, and sends them by the pin SWO as UART or Manchester. A parallel port there is not: with SPPR 0 bytes go nowhere,
 * without delay.
 *
 * It runs behind the core: what happened up to a cycle is worked out when it is asked for. The line is silent until one
 * of its registers has been written since power-on; with the formatter on it is never silent from then. Source: DDI 0403,
 * C1.10; facts on SWO, 5 and 6.5. UNVERIFIED: that a byte waits nowhere between the ITM's FIFO and the line; that a
 * frame without data is a full synchronisation packet, and one that runs out of data goes on with stream 0. */
#ifndef PT_VIRTUAL_UNIT_TPIU_H
#define PT_VIRTUAL_UNIT_TPIU_H

#include "probes/virtual/frame/registers.h"
#include "probes/virtual/frame/swo.h"
#include "probes/virtual/frame/wires.h"
#include "probes/virtual/unit/arm/coresight.h"

enum { PT_VTPIU_REGISTERS = 8 };
enum { PT_VTPIU_ACPR = 0x010, PT_VTPIU_SPPR = 0x0f0, PT_VTPIU_FFCR = 0x304 };

/* The trace source in front of it. Cycles are the core's. */
struct pt_vtpiu_input {
	void *arg;
	void (*advance)(void *arg, uint64_t to_cycle);		/* source and TPIU come to this cycle */
	uint64_t (*since)(void *arg);				/* when the first byte came that waits; PT_VNEVER: none waits */
	size_t (*waiting)(void *arg, uint64_t at_cycle);	/* bytes that can be taken then */
	uint8_t (*take)(void *arg, uint64_t at_cycle);
	uint8_t (*stream)(const void *arg);			/* its id in frames */
};

struct pt_vtpiu_byte {		/* on the line; times in 1/65536 cycles */
	bool on;
	uint8_t byte;
	enum pt_vswo_coding coding;
	uint64_t begin, end;
	uint64_t bit_ps;
};

struct pt_vtpiu {
	const struct pt_vwires *wires;
	struct pt_vtpiu_input input;
	struct pt_vswo pin;
	struct pt_vcoresight ids;
	struct pt_vregs regs;
	uint32_t value[PT_VTPIU_REGISTERS];
	uint32_t trace_hz;		/* TRACECLKIN */
	uint64_t origin_ns;		/* board time at cycle 0 */
	bool begun;			/* a register was written */
	bool unrouted;			/* the pin is something else for now */
	uint64_t free_at;		/* when the line can take another byte; 1/65536 cycles */
	unsigned group;			/* Manchester: bytes behind the last start bit */
	struct pt_vtpiu_byte out;
	uint64_t n_bytes, n_unrouted;	/* that were through: on the pin, and while it was something else */
};

extern const struct pt_vunit_ops pt_vtpiu_ops;	/* a 4 KiB page; the unit is a struct pt_vtpiu */

/* trace_hz 0: the core's clock. */
void pt_vtpiu_init(struct pt_vtpiu *tpiu, const struct pt_vwires *wires, uint32_t trace_hz);
/* The bytes that are through by to_cycle go to the listener. From the source's advance(), never backwards. */
void pt_vtpiu_run(struct pt_vtpiu *tpiu, uint64_t to_cycle);

#endif
