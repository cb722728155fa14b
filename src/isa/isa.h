/* Instruction sets, for following code: the length of an instruction, its effect on the flow, its target and its cycles.
 * Pure; any thread. Each instruction set has a file, and a word in PT_ISAS. */
#ifndef PT_ISA_H
#define PT_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arch.h"

/* The low two bits: 0 goes to the next instruction, 1 jumps, 2 calls, 3 returns. */
enum pt_flow_class {
	PT_FLOW_NEXT = 0,		/* goes to the next instruction */
	PT_FLOW_TRAP = 4,		/* raises an exception: SVC, BKPT */
	PT_FLOW_INVALID = 8,		/* not an instruction */
	PT_FLOW_BRANCH = 1,		/* always to target */
	PT_FLOW_BRANCH_IF = 5,		/* to target or to the next instruction */
	PT_FLOW_INDIRECT = 9,		/* jump to a computed address */
	PT_FLOW_CALL = 2,		/* to target */
	PT_FLOW_INDIRECT_CALL = 6,
	PT_FLOW_RETURN = 3,		/* from a function; also from an exception if both use the same instruction */
	PT_FLOW_EXCEPTION_RETURN = 7,	/* only from an exception */
};
enum { PT_FLOW_LEAVES = 3 };		/* mask */
enum { PT_ISA_MOST_UNITS = 15, PT_ISA_MOST_TAKEN_CYCLES = 63 };	/* limits of the code map's fields */

struct pt_insn {
	uint64_t target;	/* BRANCH, BRANCH_IF, CALL; INDIRECT and INDIRECT_CALL if doubtful; else PT_UNKNOWN */
	uint8_t len_bytes;	/* at most PT_ISA_MOST_UNITS units */
	uint8_t flow;		/* enum pt_flow_class */
	uint8_t cycles;		/* of a BRANCH_IF that is not taken; of any other instruction */
	uint8_t taken_cycles;	/* of a BRANCH_IF that is taken; else = cycles. At most PT_ISA_MOST_TAKEN_CYCLES,
				 * unless it is a NEXT */
	bool conditional;	/* executed under a condition that flow does not show */
	uint8_t conditions;	/* this many following instructions are conditional by it: IT of Thumb */
	uint8_t instructions;	/* number of instructions in it: a branch with delay slot and prefix; 0: one */
	bool doubtful;		/* always goes to target, but a trace may record it as direct or indirect, whatever flow
				 * is */
};

/* A computed jump and its surroundings, to find its possible targets. */
struct pt_isa_jump {
	uint64_t addr;
	const uint64_t *before;	/* addresses of the instructions before it in the same function, nearest first */
	size_t n_before;
	uint64_t from, to;	/* the function: jump tables lead into [from, to) */
	/* len_bytes of read-only memory of the image; NULL: not in the image, or writable */
	const uint8_t *(*bytes)(const void *arg, uint64_t addr, size_t len_bytes);
	const void *arg;
};
enum { PT_ISA_MOST_BEFORE = 16 };

struct pt_isa {
	const char *name;	/* "thumb", unique: the value of isa= in CONFIG */
	uint16_t elf_machine;	/* e_machine of its programs */
	bool big_endian;	/* if the instruction set exists in both byte orders: the one of this row */
	/* How well it fits a processor with this elf_machine: 0 not at all; the highest wins. NULL: it fits all of them,
	 * best those with its byte order. */
	unsigned (*fits)(const struct pt_arch *arch);
	uint8_t unit_bytes;	/* length of the shortest instruction; addresses are multiples of it */
	uint8_t most_bytes;	/* length of the longest instruction */
	bool printed_as_bytes;	/* no library that we use can disassemble it */
	/* Name of the cycle model: "Cortex-M0+, zero wait states". NULL: there is none; cycles are 1 for each instruction,
	 * and must not be reported as time. */
	const char *timing;
	/* defaults of settings */
	uint8_t exception_entry_cycles, exception_return_cycles, tail_chain_cycles;
	/* Without a cycle model: approximate cycles of entering an exception. Only widens the intervals of samples; is
	 * never part of a reported time. */
	uint8_t unmodelled_entry_cycles;
	/* Decodes the instruction at addr from at most len_bytes bytes. Never fails: it is INVALID, with len_bytes =
	 * unit_bytes or the length that the encoding gives. */
	void (*decode)(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out);
	/* Does the instruction put the core to sleep (WFI, WFE)? */
	bool (*waits)(const uint8_t *bytes, size_t len_bytes);
	/* Does the code at bytes look like the beginning of a function, by itself or by the before_bytes in front of it?
	 * For places that only a constant points to: most constants are not pointers to code. NULL: not known. */
	bool (*begins)(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes);
	/* The possible targets of an INDIRECT jump: all entries of its jump table, or the address in its literal pool.
	 * Returns their number, at most room; 0: only known while the program runs. NULL: never known. */
	size_t (*jump_targets)(const struct pt_isa_jump *jump, uint64_t *targets, size_t room);

	/* Exceptions have numbers below n_vectors. Number `reset` starts the core; higher ones are entered while it runs. */
	unsigned n_vectors, reset;
	/* The address of the vector table. found: the address of the program's symbol for it (named), else the program's
	 * lowest address. */
	uint64_t (*vector_table)(uint64_t found, bool named);
	uint64_t (*vector_entry)(uint64_t table, unsigned n);	/* the address of the 4 bytes of exception n */
	/* The handler in a table entry; PT_UNKNOWN: none. offset: the byte of the entry where the address begins. */
	uint64_t (*vector_target)(const uint8_t entry[4], unsigned offset);
	unsigned vector_offset;		/* default of the setting vector-offset (program/model/settings.h) */
	void (*vector_name)(unsigned n, char *name, size_t room);	/* in the field's terms: "SysTick" */
	uint64_t trap_vectors;	/* bit n: an instruction raises exception n (PT_FLOW_TRAP), and it returns after it */
	bool silent_jumps;	/* some of its traces do not record unconditional direct jumps */
	/* The cycle model only divides time that the target's timestamps give. A trace without timestamps does not record
	 * a loop without recorded branches, so its sum of cycles must not be reported as time. */
	bool time_by_stamps;
	/* What the hardware pushes for a handler: at least frame_bytes, with the return address at frame_pc and the link
	 * register at frame_lr. frame_bytes 0: not known. */
	uint8_t frame_bytes, frame_pc, frame_lr;
	bool stack_in_vectors;		/* entry 0 of the vector table is the initial stack pointer, little-endian */
};

#define PT_ISAS(X) X(thumb_v6m) X(thumb) X(s12z) X(microblaze) X(microblazeel) X(powerpc)
#define X(isa) extern const struct pt_isa pt_isa_##isa;
PT_ISAS(X)
#undef X
extern const struct pt_isa pt_isa_none;	/* decodes nothing; not in the list */
extern const struct pt_isa pt_isa_thumb_m4;	/* not in the list: pt_isa_with_model() */

/* Decodes instructions in the order of their addresses, and applies conditions (IT) to the following instructions.
 * under: how many instructions from here on are conditional; the caller keeps it between calls, and clears it where a
 * new piece of code begins. A jump under a condition is a BRANCH_IF. */
void pt_isa_decode_next(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes,
			unsigned *under, struct pt_insn *out);

/* Never NULL: pt_isa_none if nothing in the list fits. */
const struct pt_isa *pt_isa_find(const struct pt_arch *arch);
const struct pt_isa *pt_isa_named(const char *name);	/* NULL: none in the list */
/* A program of instruction set `program` ran on a core whose own instruction set is core. True: core executes that code,
 * but not in the cycles of program's model. Then decode the program as core. */
bool pt_isa_has_no_model(const struct pt_isa *core, const struct pt_isa *program);

/* The same instruction set with an unverified cycle model, which the user must request (cycles=model). NULL: there is none
 * for this processor, or the instruction set has a verified one. */
const struct pt_isa *pt_isa_with_model(const struct pt_isa *isa, const struct pt_arch *arch);

/* Disassembles the instruction at addr from its first len_bytes bytes: text (at most room bytes) is "ldr r0, [r1]", or its
 * bytes, "94 05". False, with text unchanged: not an instruction, or built without capstone. */
bool pt_isa_print(const struct pt_isa *isa, uint64_t addr, const uint8_t *bytes, size_t len_bytes, char *text,
		  size_t room);

#endif
