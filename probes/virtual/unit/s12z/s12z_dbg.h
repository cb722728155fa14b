/* Model of the S12Z's debug module with trace buffer and code profiling (S12ZDBGV2): registers, comparators and the
 * state sequencer, 64 lines of trace RAM, the trace modes Normal, Loop1, Detail and Pure PC, profiling lines, and the
 * transmitter on PDO and PDOCLK. It listens to the core as an observer and says "halt" through the chip.
 *
 * Source: S12ZVHY/S12ZVHL RM Rev. 1.05, chapter 6. Values that are UNVERIFIED are in one place each: the codes in
 * s12z_dbg_parts.h, the behaviours in struct pt_vs12z_dbg_quirks.
 *
 *   s12z_dbg.c           registers, arming, state sequencer
 *   s12z_dbg_match.c     comparators
 *   s12z_dbg_buffer.c    trace RAM, DBGCNT, DBGTB, READ_DBGTB
 *   s12z_dbg_trace.c     the trace modes
 *   s12z_dbg_profile.c   profiling lines and their transmission */
#ifndef PT_VIRTUAL_UNIT_S12Z_DBG_H
#define PT_VIRTUAL_UNIT_S12Z_DBG_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/cpu.h"
#include "probes/virtual/unit/s12z/s12z_pdo.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VS12Z_DBG_BASE = 0x100, PT_VS12Z_DBG_BYTES = 0x50, PT_VS12Z_DBG_LINES = 64 };

/* What the manual leaves open; zero is their default. */
struct pt_vs12z_dbg_quirks {
	bool no_trace;			/* DebugLite: comparators only; channels A, B and D */
	bool pthf_5;			/* PTHF is sent as 5 bytes, without the padding */
	bool pdoe_holds;		/* with PDOE = 0 nothing drains the buffer: it overflows after 64 lines */
	bool cnt_pending;		/* DBGCNT in profiling is what waits to be sent; default: what was written */
	bool extended_indirect;		/* JMP, JSR with EXT14/18/24 operands count as indirect */
	bool pc_relative_direct;	/* JMP, JSR with PC-relative operands count as direct */
	bool swap24;			/* PTS, PTIB: high byte of the address first (lowest byte number) */
	bool software_silent;		/* SWI, SYS, TRAP, SPARE and machine exceptions make no PTVB */
	bool stamp_by_line;		/* PTVB and PTW count from the line before, not from the COF before */
	bool tbovf_alone;		/* TBOVF comes without TERM */
	bool tbovf_ptw;			/* it comes in a PTW line of its own; default: in the line that makes 64 wait */
	bool base_bits_off;		/* Pure PC: NB3..NB0 stay 0 */
};

struct pt_vs12z_dbg_chip {		/* what the module reaches */
	void *arg;
	uint32_t (*pc)(void *arg);			/* next to execute, or being executed */
	void (*breakpoint)(void *arg, bool into_bdm);	/* after the present instruction; not into_bdm: SWI */
	bool (*bdm_allowed)(void *arg);			/* ENBDC */
	bool (*secured)(void *arg);
	void (*watch)(void *arg, bool on);		/* ask pt_vs12z_dbg_fetch() before each instruction */
};

struct pt_vs12z_dbg {
	const struct pt_vwires *wires;
	struct pt_vs12z_dbg_chip chip;
	struct pt_vs12z_dbg_quirks quirks;
	struct pt_vobserver observer;		/* the chip hangs it on its core; empty while nothing is to be seen */
	struct pt_vpdo pdo;
	uint8_t reg[PT_VS12Z_DBG_BYTES];	/* DBGCNT, DBGSR, DBGTB are made when they are read */
	/* sequencer */
	unsigned state;			/* 0 disarmed, 1..3, 4 Final State */
	bool tracing;			/* CPU activity goes into the buffer */
	bool full;			/* no more goes in: the session is to end */
	bool in_fetch, break_due;	/* a breakpoint of an op-code comparator comes before its instruction */
	bool stepping;			/* STEP1: no comparator looks */
	bool event_level;		/* DBGEEV */
	/* buffer */
	uint8_t line[PT_VS12Z_DBG_LINES][8];
	unsigned half_lines;		/* CNT[6:0], free-running modulo 128 */
	bool tbf, unlocked;
	unsigned read_line, read_word;
	unsigned after_trigger;		/* lines until a Mid-aligned trace ends; 0: not triggered */
	/* trace modes */
	uint64_t entry_cycle;		/* of the last entry, for time stamps */
	uint32_t last_source;		/* Loop1: of the last entry; none: UINT32_MAX */
	uint64_t data_cycle;		/* Detail: of the last access, and its pc */
	uint32_t data_pc;
	struct { uint8_t bytes[8]; unsigned used; uint8_t bases; uint32_t pending; bool has_pending; } pure;
	/* profiling */
	bool profiling;
	uint32_t branches;		/* V, with the stop bit */
	uint64_t cof_cycle;		/* of the last change of flow or line */
	unsigned pending;		/* lines not transmitted yet, the one under way included */
	unsigned tx_line, tx_byte;
	uint64_t tx_cycle;		/* when the byte under way began */
	bool sending;
	uint64_t n_lines;		/* since power-on, of any kind; for tests */
};

extern const struct pt_vunit_ops pt_vs12z_dbg_ops;	/* PT_VS12Z_DBG_BYTES at PT_VS12Z_DBG_BASE */

void pt_vs12z_dbg_init(struct pt_vs12z_dbg *dbg, const struct pt_vwires *wires, const struct pt_vs12z_dbg_chip *chip,
		       const struct pt_vs12z_dbg_quirks *quirks);

/* hooks.fetch of the core: the instruction at pc is about to be executed. True: a breakpoint is due before it. */
bool pt_vs12z_dbg_fetch(struct pt_vs12z_dbg *dbg, uint32_t pc);
bool pt_vs12z_dbg_breaks_into_bdm(const struct pt_vs12z_dbg *dbg);	/* BDMBP, and the BDC is enabled */

/* READ_DBGTB: the next line, byte 0 first; error bytes when the buffer cannot be read, 0 where there is none. */
void pt_vs12z_dbg_read_line(struct pt_vs12z_dbg *dbg, uint8_t line[8]);

void pt_vs12z_dbg_event(struct pt_vs12z_dbg *dbg, bool level);	/* the pin DBGEEV; a rising edge is an event */

/* Leave active BDM on STEP1: comparators and breakpoints are off until the core is back. Source: 4.5 */
void pt_vs12z_dbg_stepping(struct pt_vs12z_dbg *dbg, bool stepping);

#endif
