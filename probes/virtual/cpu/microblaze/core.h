/* Shared by the files of the core, and included besides by the check of the decoder alone. microblaze.c runs it,
 * decode.c knows the encodings, memory.* the way to the bus, execute.c what instructions do, special.c the special
 * registers, exception.c how vectors are entered and left. */
#ifndef PT_VIRTUAL_CPU_MICROBLAZE_CORE_H
#define PT_VIRTUAL_CPU_MICROBLAZE_CORE_H

#include <stddef.h>

#include "probes/virtual/cpu/microblaze/microblaze.h"
#include "probes/virtual/frame/core.h"

enum { PAGE_SHIFT = 12, PAGE_BYTES = 1 << PAGE_SHIFT, IMMEDIATE = 32 };

/* A decoded instruction. b: IMMEDIATE, or the register rb. */
struct op {
	uint8_t kind, d, a, b;
	uint32_t word;
};

/* RAM, reached without the bus. */
struct window {
	uint32_t base, size;
	uint8_t *bytes;
	bool read_only;
	struct op **page;	/* decoded instructions by pages of PAGE_BYTES; NULL: nothing was executed there */
};

struct pt_vmb {
	struct pt_vcore core;		/* first: the frame casts */
	uint32_t r[32];
	uint32_t pc;			/* next to execute; during an instruction, its own address */
	uint32_t next;			/* during an instruction: the one behind it, or where it jumps */
	bool carry;			/* MSR[C] */
	uint32_t msr;			/* the other bits */
	uint32_t ear, esr, btr, edr, pid, zpr, slr, shr;
	uint32_t prefix;
	bool prefixed;			/* imm was executed: prefix is for the next instruction */
	/* A branch was executed and its slot was not. slot_to: where execution goes behind it, taken or not. */
	bool in_slot, slot_taken;
	uint8_t slot_how;		/* enum pt_vjump */
	uint8_t slot_returns;		/* it is that of rtid, rtbd or rted: the op; 0 of others */
	uint32_t slot_from, slot_to;
	bool reserved;			/* lwx */
	uint32_t reserved_addr;
	bool raised;			/* the present instruction ended in an exception: pc is the vector */

	uint32_t last_pc;
	bool deferred;			/* attention has to wait for the end of a slot or prefix */
	enum pt_vmb_state state;

	bool interrupt, brk, nm_brk;
	const uint64_t *imposed;
	size_t n_imposed;
	bool imposing;

	uint32_t halt_wanted;
	bool stepping;
	bool passes_breakpoint;		/* resumed: the first instruction is executed whatever stands there */
	uint32_t breakpoint[PT_VMB_BREAKPOINTS];
	uint16_t breakpoints;		/* bits: enabled */

	struct window window[PT_VMB_WINDOWS];
	size_t n_windows;
	const struct op *code;		/* page that execution is in */
	uint32_t code_base;		/* its address; odd: none */
	struct op stray;		/* an instruction outside all windows */

	struct pt_vmb_hooks hooks;
	bool observing;
	struct pt_vmb_retired retired;
	struct pt_vmb_options options;
};
_Static_assert(offsetof(struct pt_vmb, core) == 0, "the frame takes the one for the other");

static inline uint32_t pt_mb_msr(const struct pt_vmb *cpu)
{
	return cpu->msr | (cpu->carry ? PT_VMB_C | PT_VMB_CC : 0);
}

void pt_mb_execute(struct pt_vmb *cpu);			/* until cycle >= deadline */
/* Tell that a vector was entered, for cycles more. */
void pt_mb_entered(struct pt_vmb *cpu, unsigned kind, uint32_t cycles);

/* special.c */
void pt_mb_write_msr(struct pt_vmb *cpu, uint32_t value);
/* Number as in mfs. What does not exist reads as 0. */
uint32_t pt_mb_special(const struct pt_vmb *cpu, unsigned sreg);
void pt_mb_set_special(struct pt_vmb *cpu, unsigned sreg, uint32_t value);
uint32_t pt_mb_pvr(const struct pt_vmb *cpu, unsigned n);

/* exception.c. Exceptions return false, so that an instruction can end with one. esr: cause and what stands beside it,
 * without DS. One that is switched off by an option or MSR[EE] goes on behind the instruction and returns true. */
bool pt_mb_raise(struct pt_vmb *cpu, bool has_it, uint32_t esr);
bool pt_mb_illegal(struct pt_vmb *cpu);
bool pt_mb_privileged(struct pt_vmb *cpu);
bool pt_mb_take_interrupt(struct pt_vmb *cpu);		/* or a break; true: one was taken */
void pt_mb_brk(struct pt_vmb *cpu, unsigned rd, uint32_t to);	/* brk, brki */
void pt_mb_restore(struct pt_vmb *cpu, uint32_t set, uint32_t clear);	/* MSR of rtid, rtbd, rted */

#endif
