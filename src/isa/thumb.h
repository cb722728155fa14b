/* Common to the Thumb instruction sets: length and flow of all instructions of the M profile, Armv6-M to Armv8.1-M, and
 * the vector table. They differ only in cycles. */
#ifndef PT_ISA_THUMB_H
#define PT_ISA_THUMB_H

#include "isa/isa.h"

enum { PT_THUMB_PC = 15, PT_THUMB_LR = 14, PT_THUMB_FIRST_IRQ = 16 };

static inline bool pt_thumb_is_wide(uint16_t first)	/* first halfword of an instruction of two */
{
	return first >> 11 >= 0x1d;
}

/* struct pt_isa.decode, with 1 cycle for each instruction. */
void pt_thumb_decode(uint64_t addr, const uint8_t *bytes, size_t len_bytes, struct pt_insn *out);

/* The other members of struct pt_isa. jump_targets: the tables of GCC, Clang and Arm's compilers (of addresses; TBB and
 * TBH), and veneers that load their target from a literal pool or by MOVW and MOVT. */
bool pt_thumb_waits(const uint8_t *bytes, size_t len_bytes);
bool pt_thumb_begins(const uint8_t *before, size_t before_bytes, const uint8_t *bytes, size_t len_bytes);
size_t pt_thumb_jump_targets(const struct pt_isa_jump *jump, uint64_t *targets, size_t room);
uint64_t pt_thumb_vector_table(uint64_t found, bool named);
uint64_t pt_thumb_vector_entry(uint64_t table, unsigned n);
uint64_t pt_thumb_vector_target(const uint8_t entry[4], unsigned offset);
void pt_thumb_vector_name(unsigned n, char *name, size_t room);

#define PT_THUMB_COMMON						\
	.elf_machine = PT_MACHINE_ARM,				\
	.unit_bytes = 2,					\
	.most_bytes = 4,					\
	.waits = pt_thumb_waits,				\
	.begins = pt_thumb_begins,				\
	.jump_targets = pt_thumb_jump_targets,			\
	.reset = 1,						\
	.frame_bytes = 32, /* r0-r3, r12, lr, pc, xpsr; then those of an FPU */ \
	.frame_lr = 20,						\
	.frame_pc = 24,						\
	.vector_table = pt_thumb_vector_table,			\
	.vector_entry = pt_thumb_vector_entry,			\
	.vector_target = pt_thumb_vector_target,		\
	.vector_name = pt_thumb_vector_name,			\
	.stack_in_vectors = true

#endif
