/* Model of the TPIU of ARMv7-M at 0xe0040000: takes the bytes of a trace source, in frames of the formatter or as they
 * are, and sends them by the pin SWO as UART or Manchester. A parallel port there is not: with SPPR 0 bytes go nowhere,
 * without delay.
 *
 * It runs behind the core: what happened up to a cycle is worked out when it is asked for. With the formatter on the line
 * is never silent, but for the time from power-on until a register is written or a byte comes. Source: DDI 0403,
 * C1.10; facts on SWO, 5 and 6.5. UNVERIFIED: that a byte waits nowhere between the ITM's FIFO and the line; that a
 * frame without data is a full synchronisation packet, and one that runs out of data goes on with stream 0. */
#ifndef PT_VIRTUAL_UNIT_TPIU_H
#define PT_VIRTUAL_UNIT_TPIU_H

#include "probes/virtual/frame/registers.h"
#include "probes/virtual/frame/swo.h"
#include "probes/virtual/frame/wires.h"
#include "probes/virtual/unit/arm/coresight.h"
#include "probes/virtual/unit/arm/tpiu_frame.h"

enum { PT_VTPIU_REGISTERS = 8 };
enum { PT_VTPIU_ACPR = 0x010, PT_VTPIU_SPPR = 0x0f0, PT_VTPIU_FFCR = 0x304 };

struct pt_vtpiu_byte {		/* on the line; times in 1/65536 cycles in which there was a clock */
	bool on;
	uint8_t byte;
	enum pt_vswo_coding coding;
	uint64_t begin, end;
	uint64_t stopped;	/* cycles without one before it began */
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
	bool has_enftc;			/* as CoreSight's own; those of a Cortex-M4 have EnFCont alone */
	uint64_t origin_ns;		/* board time at cycle 0 */
	bool begun;			/* a register was written, or a byte has come */
	bool unrouted;			/* the chip has not given the pin to the TPIU: nothing comes out */
	uint64_t stopped;		/* cycles without TRACECLKIN, of all until now */
	uint64_t free_at;		/* when the line can take another byte; in time as that of struct pt_vtpiu_byte */
	unsigned group;			/* Manchester: bytes behind the last start bit */
	struct pt_vtpiu_byte out;
	struct pt_vtpiu_frame frame;
	uint64_t n_bytes, n_unrouted;	/* that were through: on the pin, and while it was something else */
};

extern const struct pt_vunit_ops pt_vtpiu_ops;	/* a 4 KiB page; the unit is a struct pt_vtpiu */

/* trace_hz 0: the core's clock. */
void pt_vtpiu_init(struct pt_vtpiu *tpiu, const struct pt_vwires *wires, uint32_t trace_hz);
/* The bytes that are through by to_cycle go to the listener. From the source's advance(), never backwards. */
void pt_vtpiu_run(struct pt_vtpiu *tpiu, uint64_t to_cycle);
/* Where it has been run to, TRACECLKIN stops for so many cycles: what is on the line stays there. */
void pt_vtpiu_stop_clock(struct pt_vtpiu *tpiu, uint64_t n_cycles);
void pt_vtpiu_synchronise(struct pt_vtpiu *tpiu);	/* the next frame has a synchronisation packet before it */

#endif
