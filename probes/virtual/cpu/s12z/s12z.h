/* The virtual boards' S12Z: executes both op-code pages over a bus of 24 bits, big-endian, byte-aligned. The interrupt
 * module's registers, the DBG module and the BDC are the chip's; they drive the core through the calls below.
 * One thread at a time. Deterministic: the same bus, calls and settings give the same instructions and cycles.
 * Sources: binutils, s12z-opc.c (encodings, registers); the vendor's device headers (vectors); S12ZVHY/S12ZVHL RM Rev.
 * 1.05, chapter 5 (what the BDC sees); the CPU manual (CPUS12ZRM) could not be read. What these do not say is marked
 * UNVERIFIED where it is decided: alu.h, operand.c, multiply.c, shift.c, bits.c, exception.c, core.h.
 *
 * Time is the bus clock. It passes while the core waits, is stopped, in active BDM or held in reset; then the count
 * jumps from one unit's tick to the next, and nothing is executed. Cycles of instructions are a model (core.h). */
#ifndef PT_VIRTUAL_CPU_S12Z_H
#define PT_VIRTUAL_CPU_S12Z_H

#include <stddef.h>

#include "probes/virtual/frame/cpu.h"

/* Vector numbers: entry at vector base + 0x1fc - 4n, a handler's address in its low three bytes. Source: the vendor's
 * device headers, mc9s12zvhy64.h */
enum pt_vs12z_vector {
	PT_VS12Z_RESET = 0,
	PT_VS12Z_SPARE = 1,	/* op-code of page 1 that does not exist */
	PT_VS12Z_TRAP = 2,	/* the same of page 2 */
	PT_VS12Z_SWI = 3,
	PT_VS12Z_SYS = 4,
	PT_VS12Z_MACHINE = 5,	/* illegal access, or told by pt_vs12z_machine_exception() */
	PT_VS12Z_SPURIOUS = 8,	/* never taken here: a request cannot go away between recognition and vector fetch */
	PT_VS12Z_XIRQ = 9,
	PT_VS12Z_IRQ = 10,	/* this and all above: masked by I, and by their priority level */
	PT_VS12Z_VECTORS = 128,
};

enum pt_vs12z_state {
	PT_VS12Z_RUN,
	PT_VS12Z_WAIT,		/* in WAI */
	PT_VS12Z_STOP,		/* in STOP; whether clocks stand still is the chip's business */
	PT_VS12Z_BDM,		/* active background mode */
	PT_VS12Z_HELD,		/* in reset: pt_vs12z_hold() */
};

/* Why the core enters active BDM. */
enum pt_vs12z_halt {
	PT_VS12Z_HALT_BACKGROUND = 1,	/* BACKGROUND command */
	PT_VS12Z_HALT_BGND = 2,		/* BGND instruction */
	PT_VS12Z_HALT_BREAKPOINT = 4,	/* DBG */
	PT_VS12Z_HALT_STEP = 8,		/* STEP1 is done */
	PT_VS12Z_HALT_RESET = 16,	/* special single chip mode */
};

/* Register numbers: CRN of the BDC, and GDB's. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, p. 168; GDB, s12z-tdep.c */
enum pt_vs12z_reg {
	PT_VS12Z_D0, PT_VS12Z_D1, PT_VS12Z_D2, PT_VS12Z_D3, PT_VS12Z_D4, PT_VS12Z_D5, PT_VS12Z_D6, PT_VS12Z_D7,
	PT_VS12Z_X, PT_VS12Z_Y, PT_VS12Z_S, PT_VS12Z_P, PT_VS12Z_CCW,
	PT_VS12Z_REGS,
};

/* CCW: bits. Source: binutils, s12z-opc.c */
enum {
	PT_VS12Z_C = 1, PT_VS12Z_V = 2, PT_VS12Z_Z = 4, PT_VS12Z_N = 8,
	PT_VS12Z_I_MASK = 0x10, PT_VS12Z_X_MASK = 0x40, PT_VS12Z_S_STOP = 0x80,	/* S: STOP does nothing */
	PT_VS12Z_IPL = 0x700, PT_VS12Z_U = 0x8000,
};

/* What observers (cpu.h) get beyond pt_vobserver's own words:
 *   cond  Bcc, BRSET, BRCLR, TBcc, DBcc, each time
 *   jump  BRANCH         one of them, taken
 *         GOTO, CALL     BRA; JMP EXT24; BSR; JSR EXT24
 *         GOTO_OPERAND, CALL_OPERAND   JMP and JSR with a general operand; detail: enum pt_vs12z_operand
 *         RETURN         RTS
 *         EXCEPTION      interrupts, SWI, SYS, TRAP, SPARE, machine exception; detail: the address of the vector's
 *                        entry (bits 8:1 are what profiling stores); from: the stacked pc
 *         EXC_RETURN     RTI
 *         DEBUG          the BDC wrote P
 *   data  reads and writes of operands and of PSH, PUL, JSR, BSR, RTS; not op-codes, vectors or exception frames
 * TAIL_CHAIN is never told: every interrupt stacks. */
enum pt_vs12z_operand {
	PT_VS12Z_AT_EXTENDED,	/* EXT14, EXT18, EXT24: the address is in the instruction */
	PT_VS12Z_AT_PC,		/* (s9,P), (o24,P): fixed, but worked out */
	PT_VS12Z_AT_INDEX,	/* X, Y, S or a data register is in it */
	PT_VS12Z_AT_INDIRECT,	/* [..]: fetched from memory */
	PT_VS12Z_AT_VALUE,	/* Di, or the short immediate */
};

enum pt_vs12z_tag {
	PT_VS12Z_GO_ON,
	PT_VS12Z_TAG_BDM,	/* active BDM before the instruction */
	PT_VS12Z_TAG_SWI,	/* SWI in its place */
};

/* What the core asks of the chip, or tells it. NULL members: no. */
struct pt_vs12z_hooks {
	void *arg;
	/* BGND at pc. True: enter active BDM (ENBDC is set); false: it does nothing. */
	bool (*bgnd)(void *arg, uint32_t pc);
	/* While pt_vs12z_watch() is on: the instruction at pc is about to be executed; for tagged breakpoints. Not
	 * asked for the first instruction after a resume, so that GO and STEP1 leave a breakpoint that they stand on
	 * (S12ZVHY/S12ZVHL RM Rev. 1.05, p. 227: off during STEP1). */
	enum pt_vs12z_tag (*fetch)(void *arg, uint32_t pc);
	/* Active BDM was entered; why: enum pt_vs12z_halt bits. */
	void (*halted)(void *arg, uint32_t why);
	/* The CPU made an access that the bus refused, to addr, with the instruction at pc; the machine exception
	 * follows. For the MMC's capture registers. */
	void (*illegal)(void *arg, uint32_t addr, bool write, uint32_t pc);
	/* WAI or STOP was entered or left. */
	void (*asleep)(void *arg, enum pt_vs12z_state state);
};

/* Two things that no source says; zero is the default. */
struct pt_vs12z_options {
	bool bgnd_keeps_pc;	/* in BDM after BGND, P is its own address; default: the one behind, as in S12 */
	bool machine_stacks;	/* a machine exception pushes a frame; default: not (the MMC captures pc and CCW) */
};

/* Make a core on a bus that already has its RAM and flash (at most 8 regions of at least 4 bytes, one of them RAM) and
 * is big-endian (bus.h); units may be added later. Listens to it and lends it its cycle counter. The bus outlives the
 * core. In state HELD until reset. NULL: no memory, or not such regions. options may be NULL. */
struct pt_vs12z *pt_vs12z_new(struct pt_vbus *bus, const struct pt_vs12z_options *options);
void pt_vs12z_free(struct pt_vs12z *cpu);		/* NULL is fine */
void pt_vs12z_set_hooks(struct pt_vs12z *cpu, const struct pt_vs12z_hooks *hooks);	/* copied */

/* Reset: CCW is S, X and I, vector base 0xfffe00, priority levels 1, pc from the reset vector, other registers 0 at
 * power_on and kept otherwise. Interrupt lines stay as their units hold them. The cycle and instruction counts go on,
 * except at power_on. into_bdm: special single chip mode, in active BDM before the first instruction. */
void pt_vs12z_reset(struct pt_vs12z *cpu, bool power_on, bool into_bdm);
/* Reset line. Held: HELD. Let go: the chip calls pt_vs12z_reset(). */
void pt_vs12z_hold(struct pt_vs12z *cpu);

/* Pass time until the cycle count is at least until_cycle (an instruction is finished, so a little more), or until
 * pt_vs12z_stop() was called during it. Ticks units on their cycles. */
void pt_vs12z_run(struct pt_vs12z *cpu, uint64_t until_cycle);

enum pt_vs12z_state pt_vs12z_state(const struct pt_vs12z *cpu);
uint64_t pt_vs12z_cycle(const struct pt_vs12z *cpu);
uint64_t pt_vs12z_sleep_cycles(const struct pt_vs12z *cpu);	/* of them, in WAI or STOP */
uint64_t pt_vs12z_halt_cycles(const struct pt_vs12z *cpu);	/* of them, in active BDM */
uint64_t pt_vs12z_instructions(const struct pt_vs12z *cpu);	/* executed since power-on */
/* For SYNC_PC: the instruction being executed or, between two, the one executed last; in WAI, STOP and BDM the next. */
uint32_t pt_vs12z_sync_pc(const struct pt_vs12z *cpu);
uint32_t pt_vs12z_pc(const struct pt_vs12z *cpu);	/* next to execute */

/* --- interrupts: levels, held until the unit lets go */
/* XIRQ, IRQ and above; others are ignored. */
void pt_vs12z_interrupt(struct pt_vs12z *cpu, unsigned vector, bool asserted);
/* Of IRQ and above: 0 off, 1..7; reset gives 1. On one level the lower vector number (higher address) goes first. */
void pt_vs12z_set_priority(struct pt_vs12z *cpu, unsigned vector, unsigned level);
unsigned pt_vs12z_priority(const struct pt_vs12z *cpu, unsigned vector);
/* IVBR: bits 15:1 are address bits 23:9. The reset vector is always fetched from 0xfffffc. */
void pt_vs12z_set_ivbr(struct pt_vs12z *cpu, uint16_t ivbr);
uint16_t pt_vs12z_ivbr(const struct pt_vs12z *cpu);
/* Something else than an access of the core (ECC): taken after the present instruction. */
void pt_vs12z_machine_exception(struct pt_vs12z *cpu);

/* --- debug */
/* Enter active BDM before the next instruction. In WAI and STOP it stays pending until the core leaves them, as
 * S12ZVHY/S12ZVHL RM Rev. 1.05, p. 157, says. From anywhere: observers and units, too. */
void pt_vs12z_request_halt(struct pt_vs12z *cpu, uint32_t why);
void pt_vs12z_cancel_halt(struct pt_vs12z *cpu, uint32_t why);	/* a request not yet served */
/* A breakpoint that is to be an SWI (DBG, BDMBP = 0), after the present instruction; ignored in BDM. */
void pt_vs12z_request_swi(struct pt_vs12z *cpu);
/* Leave active BDM. step: execute one instruction (or take one pending exception) and enter it again, for STEP. The
 * next pt_vs12z_run() acts. */
void pt_vs12z_resume(struct pt_vs12z *cpu, bool step);
/* By enum pt_vs12z_reg; values are as wide as the register. Reading is harmless at any time; writing is for BDM. Writing
 * another P calls the jump observers. */
uint32_t pt_vs12z_reg(const struct pt_vs12z *cpu, unsigned reg);
void pt_vs12z_set_reg(struct pt_vs12z *cpu, unsigned reg, uint32_t value);
void pt_vs12z_watch(struct pt_vs12z *cpu, bool on);	/* ask hooks.fetch before each instruction; costs a call each */

/* The core calls observers in the order in which they were added; they are the caller's until removed. After changing the
 * functions of one call pt_vs12z_taps_changed(). Observers and hooks may call all of this, except _free and _run. */
void pt_vs12z_add_observer(struct pt_vs12z *cpu, struct pt_vobserver *observer);
void pt_vs12z_remove_observer(struct pt_vs12z *cpu, struct pt_vobserver *observer);
void pt_vs12z_taps_changed(struct pt_vs12z *cpu);

/* The region at addr, RAM or flash when the core was made, is not plain memory for now, or is again: a flash that runs
 * a command. data: loads and stores there go over the bus, whose row the chip has changed. code: fetches from there are
 * illegal. */
void pt_vs12z_detour(struct pt_vs12z *cpu, uint32_t addr, bool data, bool code);

/* --- the bus as the S12Z splits it: 1 to 4 bytes at any address, in aligned words and bytes, ascending; so units see
 * accesses of 1 and 2 bytes only. The value is right-aligned, its first byte the most significant. False: the bus
 * refused a part; earlier parts of a write have been made. Also for the BDC. */
bool pt_vs12z_bus_read(struct pt_vbus *bus, enum pt_vmaster master, uint32_t addr, unsigned size_bytes,
		       uint32_t *value);
bool pt_vs12z_bus_write(struct pt_vbus *bus, enum pt_vmaster master, uint32_t addr, unsigned size_bytes,
			uint32_t value);

#endif
