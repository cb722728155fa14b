/* The virtual boards' MicroBlaze: a classic 32-bit MicroBlaze (v9 to v11) as an integer core with its optional units as
 * options, in both orders of bytes (the bus says which). FPU, MMU and stream instructions are illegal op-codes. The
 * interrupt controller and the MDM are the board's; they drive the core through the calls below.
 * One thread at a time. Deterministic: the same bus, calls and options give the same instructions and cycles.
 * Source: UG984 2018.2; GDB, microblaze-core.xml; binutils' microblaze-opc.h. What they do not say is marked where it
 * is decided.
 *
 * Time is the core's clock. It passes while the core sleeps, is halted or held in reset; then the count jumps from one
 * unit's tick to the next, and nothing is executed. */
#ifndef PT_VIRTUAL_CPU_MICROBLAZE_H
#define PT_VIRTUAL_CPU_MICROBLAZE_H

#include <stddef.h>

#include "probes/virtual/frame/cpu.h"

/* Offsets from C_BASE_VECTORS. Source: UG984 2018.2, "Reset, Interrupts, Exceptions, and Break" */
enum { PT_VMB_RESET = 0x00, PT_VMB_USER = 0x08, PT_VMB_INTERRUPT = 0x10, PT_VMB_BREAK = 0x18, PT_VMB_EXCEPTION = 0x20 };

/* MSR. CC, a copy of C, is made when MSR is read. Source: UG984 2018.2, "Machine Status Register (MSR)" */
enum {
	PT_VMB_IE = 0x2, PT_VMB_C = 0x4, PT_VMB_BIP = 0x8, PT_VMB_FSL = 0x10, PT_VMB_ICE = 0x20, PT_VMB_DZO = 0x40,
	PT_VMB_DCE = 0x80, PT_VMB_EE = 0x100, PT_VMB_EIP = 0x200, PT_VMB_PVR = 0x400, PT_VMB_UM = 0x800,
	PT_VMB_UMS = 0x1000, PT_VMB_VM = 0x2000, PT_VMB_VMS = 0x4000,
};
#define PT_VMB_CC 0x80000000u

/* ESR: causes in bits 4:0, and what stands beside them; W, S and Rx of an unaligned access as UG984's table of ESR has
 * them. Of a division, the bit of W says overflow. */
enum {
	PT_VMB_EC_UNALIGNED = 1, PT_VMB_EC_ILLEGAL = 2, PT_VMB_EC_IBUS = 3, PT_VMB_EC_DBUS = 4, PT_VMB_EC_DIVIDE = 5,
	PT_VMB_EC_PRIVILEGED = 7,	/* a stack violation, too */
	PT_VMB_ESR_RX = 5, PT_VMB_ESR_S = 0x400, PT_VMB_ESR_W = 0x800, PT_VMB_ESR_DS = 0x1000,
};

/* Registers by GDB's numbers. Source: GDB, microblaze-core.xml */
enum pt_vmb_reg {
	PT_VMB_R0 = 0, PT_VMB_PC = 32, PT_VMB_MSR = 33, PT_VMB_EAR = 34, PT_VMB_ESR = 35, PT_VMB_FSR = 36,
	PT_VMB_BTR = 37, PT_VMB_PVR0 = 38, PT_VMB_EDR = 50, PT_VMB_PID = 51, PT_VMB_ZPR = 52, PT_VMB_TLBX = 53,
	PT_VMB_TLBSX = 54, PT_VMB_TLBLO = 55, PT_VMB_TLBHI = 56, PT_VMB_SLR = 57, PT_VMB_SHR = 58,
	PT_VMB_REGS = 59,
};

enum pt_vmb_state {
	PT_VMB_RUN,
	PT_VMB_SLEEP,		/* mbar with the sleep bit */
	PT_VMB_HALT,		/* MB_Halted */
	PT_VMB_HELD,		/* in reset: pt_vmb_hold() */
};

enum pt_vmb_halt {		/* why the core halted: bits */
	PT_VMB_HALT_STOP = 1,		/* debugger or Dbg_Stop */
	PT_VMB_HALT_BRKI = 2,		/* brki rD,0x18, not executed */
	PT_VMB_HALT_BREAKPOINT = 4,
	PT_VMB_HALT_STEP = 8,
	PT_VMB_HALT_RESET = 16,		/* before the first instruction */
	PT_VMB_HALT_WATCH = 32,		/* behind the access */
	PT_VMB_HALT_TRACE = 64,		/* the trace buffer is full */
};

/* Cycles of an instruction. UNVERIFIED: typical latencies of UG984. A branch that is not taken takes one; what is in
 * its delay slot is counted by itself. */
struct pt_vmb_timing {
	uint8_t taken, taken_with_slot;
	uint8_t load, store;
	uint8_t multiply, divide, barrel;
	uint8_t vector;		/* interrupt, break or exception: from the last instruction to the vector's first */
};

/* C_ parameters of the core, by their names. */
struct pt_vmb_options {
	bool use_barrel, use_div, use_pcmp, use_msr_instr, use_reorder;
	uint8_t use_hw_mul;		/* 0 none, 1 32-bit, 2 64-bit */
	bool unaligned_exceptions, ill_opcode_exception, div_zero_exception, opcode_0x0_illegal;
	bool i_bus_exception, d_bus_exception;
	bool use_stack_protection;
	bool use_mmu_privileges;	/* C_USE_MMU = 1: user mode; no translation here */
	uint8_t debug_enabled;		/* 0: brki rD,0x18 is a break like any other */
	uint8_t pvr;			/* 0 none, 1 basic (PVR0), 2 full */
	uint8_t pvr_user1;
	uint32_t pvr_user2;
	uint32_t base_vectors;		/* multiple of 0x80 */
	/* Step stops between a branch and its slot, as in QEMU; default: both are one step. UNVERIFIED, mb.step.slot */
	bool step_into_slot;
	struct pt_vmb_timing timing;
};
extern const struct pt_vmb_options pt_vmb_full_options;	/* everything but user mode and stack protection */

/* One executed instruction, as the core's trace port tells of it (UG984, "Trace Interface Description"). exception:
 * then nothing was executed; the entry to a vector is told, with pc the instruction executed last. */
struct pt_vmb_retired {
	uint32_t pc, instruction, next;	/* next: where execution goes on */
	uint32_t msr;
	uint32_t cycles;		/* it took */
	uint32_t address, data;		/* of an access; data of a load: as it went into the register */
	uint32_t result;		/* what rd holds now */
	uint8_t rd, size_bytes;		/* size_bytes: of the access; 0 none */
	bool writes_rd, load, store;
	bool jump_taken, delayed, in_slot;	/* delayed: a branch whose slot comes next; in_slot: it is in one */
	bool exception;
	uint8_t kind;	/* enum pt_vmb_kind: of the exception */
};
/* Source: UG984 2018.2, Program and Event Trace, exception causes of the trace; below 9: ESR's */
enum pt_vmb_kind {
	PT_VMB_KIND_DEBUG = 9, PT_VMB_KIND_INTERRUPT = 10, PT_VMB_KIND_NM_BREAK = 11, PT_VMB_KIND_BREAK = 12,
};

struct pt_vmb_hooks {		/* what the core asks of the board, or tells it; NULL members: no */
	void *arg;
	/* brki rD,0x18 at pc, with debug_enabled. True: a debugger is attached; halt before it. */
	bool (*brki)(void *arg, uint32_t pc);
	void (*halted)(void *arg, uint32_t why);
	/* After each instruction, and each entry to a vector; while pt_vmb_observe() is on. */
	void (*retired)(void *arg, const struct pt_vmb_retired *what);
};

/* What observers (cpu.h) get beyond pt_vobserver's own words. They get a jump with a delay slot when its slot has been
 * executed, from the branch's address:
 *   cond  beq ... bge and their i- and d-forms, each time
 *   jump  BRANCH         one of them, taken
 *         GOTO, CALL     bri brai brid braid; brlid bralid
 *         GOTO_OPERAND, CALL_OPERAND   br bra brd brad; brld brald
 *         RETURN         rtsd
 *         EXC_RETURN     rtid rtbd rted
 *         EXCEPTION      interrupt, break, exception, brk, brki; detail: the vector's offset, or the target of brk and
 *                        brki; from: what the link register holds
 *         DEBUG          the debugger wrote the pc
 * TAIL_CHAIN is never told. */

/* Make a core on a bus that already has its RAM (at most PT_VMB_WINDOWS regions of plain bytes); units may be added
 * later. Listens to the bus and lends it its cycle counter. The bus outlives the core. In state HELD until reset. NULL:
 * no memory, or too many regions. */
enum { PT_VMB_WINDOWS = 4, PT_VMB_BREAKPOINTS = 16 };
struct pt_vmb;
struct pt_vmb *pt_vmb_new(struct pt_vbus *bus, const struct pt_vmb_options *options);
void pt_vmb_free(struct pt_vmb *cpu);		/* NULL is fine */
void pt_vmb_set_hooks(struct pt_vmb *cpu, const struct pt_vmb_hooks *hooks);	/* copied */
void pt_vmb_observe(struct pt_vmb *cpu, bool on);	/* ask hooks.retired; costs a call per instruction */

/* Reset: pc to the reset vector, special registers 0; r1 to r31 are 0 after power_on and kept otherwise. The counts go
 * on, except at power_on. into_halt: halted before the first instruction. */
void pt_vmb_reset(struct pt_vmb *cpu, bool power_on, bool into_halt);
void pt_vmb_hold(struct pt_vmb *cpu);		/* in reset until pt_vmb_reset() */

/* Pass time until the cycle count is at least until_cycle (an instruction is finished, so a little more), or until
 * pt_vmb_stop() was called during it. Ticks units on their cycles. */
void pt_vmb_run(struct pt_vmb *cpu, uint64_t until_cycle);
void pt_vmb_stop(struct pt_vmb *cpu);		/* leave pt_vmb_run() after the present instruction */

enum pt_vmb_state pt_vmb_state(const struct pt_vmb *cpu);
uint64_t pt_vmb_cycle(const struct pt_vmb *cpu);
uint64_t pt_vmb_sleep_cycles(const struct pt_vmb *cpu);
uint64_t pt_vmb_halt_cycles(const struct pt_vmb *cpu);
uint64_t pt_vmb_instructions(const struct pt_vmb *cpu);
const struct pt_vmb_options *pt_vmb_options(const struct pt_vmb *cpu);

void pt_vmb_interrupt(struct pt_vmb *cpu, bool level);		/* Interrupt: high, until its unit lets go */
void pt_vmb_break(struct pt_vmb *cpu, bool level);		/* Ext_BRK */
void pt_vmb_nm_break(struct pt_vmb *cpu);			/* Ext_NM_BRK: an edge */

/* Test hook: interrupts come from a list. Before instruction number list[i] (pt_vmb_instructions() counts them) an
 * interrupt is taken, whatever the line and MSR say. The list is the caller's and stays; NULL: back to the line. */
void pt_vmb_impose(struct pt_vmb *cpu, const uint64_t *list, size_t n_entries);

/* --- debug. A core halts between instructions, never between imm and what it prefixes, and between a branch and its
 * slot only with step_into_slot. */
void pt_vmb_request_halt(struct pt_vmb *cpu, uint32_t why);	/* wakes a sleeping core */
void pt_vmb_resume(struct pt_vmb *cpu, bool step);		/* the next pt_vmb_run() acts */
/* Reading is harmless at any time; writing is for a halted core, and of PVRs ignored. What the core has not is 0. */
uint32_t pt_vmb_reg(const struct pt_vmb *cpu, unsigned reg);
void pt_vmb_set_reg(struct pt_vmb *cpu, unsigned reg, uint32_t value);
/* Halt before the instruction at addr, unless execution was resumed there. slot < PT_VMB_BREAKPOINTS */
void pt_vmb_set_breakpoint(struct pt_vmb *cpu, unsigned slot, bool enabled, uint32_t addr);

void pt_vmb_add_observer(struct pt_vmb *cpu, struct pt_vobserver *observer);
void pt_vmb_remove_observer(struct pt_vmb *cpu, struct pt_vobserver *observer);

#endif
