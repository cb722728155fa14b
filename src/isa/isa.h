/* Instruction sets, for following code: how long an instruction is, what it does to the flow, where it goes and what
 * it costs. Pure; any thread. One file each; one word in PT_ISAS. */
#ifndef PT_ISA_H
#define PT_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"

/* The low two bits say how an instruction leaves: 0 not by itself, 1 jumps, 2 calls, 3 returns. */
enum pt_flow_class {
	PT_FLOW_NEXT = 0,		/* goes on behind itself */
	PT_FLOW_TRAP = 4,		/* raises an exception by design: SVC, BKPT */
	PT_FLOW_INVALID = 8,		/* not an instruction */
	PT_FLOW_BRANCH = 1,		/* always to target */
	PT_FLOW_BRANCH_IF = 5,		/* to target or on */
	PT_FLOW_INDIRECT = 9,		/* jump to a computed address */
	PT_FLOW_CALL = 2,		/* to target, comes back */
	PT_FLOW_INDIRECT_CALL = 6,
	PT_FLOW_RETURN = 3,		/* of a function, or of an exception where the architecture has one for both */
	PT_FLOW_EXCEPTION_RETURN = 7,	/* of an exception and nothing else */
};
enum { PT_FLOW_LEAVES = 3 };		/* mask */
enum { PT_ISA_MOST_UNITS = 15, PT_ISA_MOST_TAKEN_CYCLES = 63 };	/* what the code map has room for */

struct pt_insn {
	uint64_t target;	/* BRANCH, BRANCH_IF, CALL; INDIRECT and INDIRECT_CALL if doubtful; else PT_UNKNOWN */
	uint8_t len_bytes;	/* at most PT_ISA_MOST_UNITS units */
	uint8_t flow;		/* enum pt_flow_class */
	uint8_t cycles;		/* when it falls through, or for an unconditional branch when it is taken */
	uint8_t taken_cycles;	/* BRANCH_IF: when taken; else = cycles. What can leave:
				 * at most PT_ISA_MOST_TAKEN_CYCLES */
	bool conditional;	/* executes under a condition that flow does not say */
	uint8_t conditions;	/* so many instructions behind it execute under one that it sets: IT of Thumb */
	uint8_t instructions;	/* that it is made of: a branch with its delay slot and prefix; 0: one */
	bool doubtful;		/* goes to target always, but a trace may have it as direct or
				 * as indirect, whatever flow says */
};

/* A computed jump in its surroundings, to find where it can go. */
struct pt_isa_jump {
	uint64_t addr;
	const uint64_t *before;	/* instructions in front of it in the same function, the nearest first */
	size_t n_before;
	uint64_t from, to;	/* the function's addresses: jump tables lead into [from, to) */
	/* len_bytes of the image that the program does not write; NULL: there are none */
	const uint8_t *(*bytes)(const void *arg, uint64_t addr, size_t len_bytes);
	const void *arg;
};
enum { PT_ISA_MOST_BEFORE = 16 };

struct pt_isa {
	const char *name;	/* "thumb", unique: CONFIG has it (isa=) */
	uint16_t elf_machine;	/* e_machine of programs in it */
	bool big_endian;	/* of an instruction set that comes in both orders of bytes: this one */
	/* How well it fits a processor of this machine: 0 not at all, the highest wins. NULL: all of them, best in its
	 * order of bytes. */
	unsigned (*fits)(const struct pt_arch *arch);
	uint8_t unit_bytes;	/* smallest instruction: addresses are multiples of it */
	uint8_t most_bytes;	/* the longest one */
	bool printed_as_bytes;	/* no library that we use can print its instructions */
	/* Name of the cycle model: "Cortex-M0+, zero wait states". NULL: there is none, cycles are 1 for each
	 * instruction, and nobody may call them time. */
	const char *timing;
	/* standards; settings may differ */
	uint8_t exception_entry_cycles, exception_return_cycles, tail_chain_cycles;
	/* Without a cycle model: what entering an exception takes, about, on the cores that have this instruction set. For
	 * how far samples leave shares open; in no time that is counted. */
	uint8_t unmodelled_entry_cycles;
	/* Decode at addr from at most len_bytes bytes. Never fails: INVALID with len_bytes = unit_bytes, or its own length where
	 * the encoding has one. */
	void (*decode)(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out);
	/* Does the instruction make the core sleep until something happens (WFI, WFE)? */
	bool (*waits)(const uint8_t *bytes, size_t len_bytes);
	/* Does the code at bytes look as a function's first instructions do, by itself or by what stands before_bytes
	 * in front? For places that only pointers lead to; most constants are none. NULL: it never can tell. */
	bool (*begins)(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes);
	/* Where an INDIRECT jump can go: all entries of its jump table, or the one address that is in its literal pool.
	 * Returns how many went to targets, at most room; 0: only the running program knows. NULL:
	 * it never can tell. */
	size_t (*jump_targets)(const struct pt_isa_jump *jump, uint64_t *targets, size_t room);

	/* Exceptions have numbers below n_vectors; number `reset` is the core's start, those above are entered while it
	 * runs. */
	unsigned n_vectors, reset;
	/* The beginning of the vector table. found: of what the program calls so (named), else its lowest address. */
	uint64_t (*vector_table)(uint64_t found, bool named);
	uint64_t (*vector_entry)(uint64_t table, unsigned n);	/* the address of the 4 bytes of exception n */
	/* The handler that they lead to; PT_UNKNOWN: none. offset: the byte of the entry at which
	 * its address begins. */
	uint64_t (*vector_target)(const uint8_t entry[4], unsigned offset);
	unsigned vector_offset;		/* the standard of setting vector-offset (program/model/settings.h) */
	void (*vector_name)(unsigned n, char *name, size_t room);	/* as its users know it: "SysTick" */
	uint64_t trap_vectors;	/* bit n: exception n comes of an instruction (PT_FLOW_TRAP), and returns behind it */
	bool silent_jumps;	/* it has traces that say nothing of unconditional direct jumps */
	/* The cycle model is good enough to spread time that stamps of the target tell: of a trace without them, in which a
	 * loop without a branch that is told of leaves nothing, nobody may call the sum of cycles time. */
	bool time_by_stamps;
	/* What the hardware stacks for a handler: how many bytes at least, and where in them the return address and the
	 * link register are. frame_bytes 0: nothing that is known. */
	uint8_t frame_bytes, frame_pc, frame_lr;
	bool stack_in_vectors;		/* the entry of exception 0 is the initial stack pointer, little-endian */
};

#define PT_ISAS(X) X(thumb_v6m) X(thumb) X(s12z) X(microblaze) X(microblazeel) X(powerpc)
#define X(isa) extern const struct pt_isa pt_isa_##isa;
PT_ISAS(X)
#undef X
extern const struct pt_isa pt_isa_none;	/* decodes nothing; not in the list */
extern const struct pt_isa pt_isa_thumb_m4;	/* not in the list: pt_isa_with_model() */

/* Decodes instructions in the order of their addresses, so that conditions reach those that they are for. under: how
 * many instructions from here on are under one; the caller keeps it, and clears it wherever code begins anew. A jump under
 * a condition is a BRANCH_IF. */
void pt_isa_decode_next(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes,
			unsigned *under, struct pt_insn *out);

/* Never NULL: pt_isa_none where nothing in the list fits. */
const struct pt_isa *pt_isa_find(const struct pt_arch *arch);
const struct pt_isa *pt_isa_named(const char *name);	/* NULL: none in the list */
/* A program in `program` ran on a core whose own instruction set is core: does core run that code, and not at the pace
 * that the cycle model of program's says? Then core is what it is to be read as. */
bool pt_isa_has_no_model(const struct pt_isa *core, const struct pt_isa *program);

/* The same instruction set with a cycle model that a user has to ask for (cycles=model), as it has not been verified. NULL:
 * there is none for this processor; an instruction set that has a model anyway needs none. */
const struct pt_isa *pt_isa_with_model(const struct pt_isa *isa, const struct pt_arch *arch);

/* The instruction at addr as text of at most room bytes, "ldr r0, [r1]", or its bytes, "94 05", from its first
 * len_bytes bytes. False: not an instruction, or built without capstone; text is untouched then. */
bool pt_isa_print(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes, char *text,
		  size_t room);

#endif
