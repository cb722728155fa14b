/* Shared by the files of the instruction set S12Z. */
#ifndef PT_ISA_S12Z_H
#define PT_ISA_S12Z_H

#include "isa/isa.h"

/* struct pt_isa.jump_targets: tables of JMP instructions, and tables of addresses. */
size_t pt_s12z_jump_targets(const struct pt_isa_jump *jump, uint64_t *targets, size_t room);

#endif
