/* registers.c: registers in GDB's order, and PMRs as registers of GDB. */
#ifndef PT_E500_REGISTERS_H
#define PT_E500_REGISTERS_H

#include "targets/e500/core/e500.h"

/* Chooses the g packet's layout for a server without a description: by the packet's length, else by core. */
void pt_e500_choose_layout(struct pt_e500_target *e500);
void pt_e500_make_own(struct pt_e500_target *e500);	/* rows of core's PMRs, and kind.own */
int pt_e500_read_own(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values, struct pt_err *err);
int pt_e500_write_own(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
		      struct pt_err *err);

#endif
