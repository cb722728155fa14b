/* Rows of registers: see registers.c. */
#ifndef PT_MICROBLAZE_REGISTERS_H
#define PT_MICROBLAZE_REGISTERS_H

#include "targets/microblaze/microblaze.h"

/* 57 registers, and two more if the core has stack protection. */
enum { PT_MB_LAYOUT = 59, PT_MB_CORE_LAYOUT = 57, PT_MB_RPC = 32, PT_MB_FIRST_OWN = 64 };
/* Write-only registers show the last value written. */
enum {
	PT_MB_OWN_CONFIG, PT_MB_OWN_XTRIG, PT_MB_OWN_PCTRL, PT_MB_OWN_PLOW, PT_MB_OWN_PHIGH, PT_MB_OWN_TSTATUS,
	PT_MB_OWN_TCTRL, PT_MB_N_OWN
};

extern const struct pt_register pt_mb_layout[PT_MB_LAYOUT], pt_mb_own[PT_MB_N_OWN];
int pt_mb_read_own(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values, struct pt_err *err);

#endif
