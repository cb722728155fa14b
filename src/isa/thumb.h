/* What the Thumb instruction sets share. */
#ifndef PT_ISA_THUMB_H
#define PT_ISA_THUMB_H

#include "isa/isa.h"

/* struct pt_isa.jump_targets: the tables of GCC, Clang and Arm's compilers (of addresses; TBB and TBH), and veneers
 * that load their target from a literal pool or by MOVW and MOVT. */
size_t pt_thumb_jump_targets(const struct pt_isa_jump *jump, uint64_t *targets, size_t room);

#endif
