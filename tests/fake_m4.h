/* A Cortex-M4 with FPU behind a fake_dap, from the facts of its manuals: ROM table, SCS with its ID and fault registers,
 * DCRSR with those of the FPU, FPB version 1, DWT with its counters. What the core "executes" a test writes. */
#ifndef PT_TESTS_FAKE_M4_H
#define PT_TESTS_FAKE_M4_H

#include "tests/fake_dap.h"

struct fake_m4 {
	struct fake_dap dap;
	uint32_t cpuid, mvfr0, pfr1;
	unsigned maker, chip;		/* designer and part of the ROM table */
	unsigned absent;		/* entries of the ROM table that are not present: a bit each, in its order */
	uint32_t dhcsr, dfsr, demcr, dcrdr, reg[0x80], fault[6];	/* fault: CFSR HFSR DFSR MMFAR BFAR AFSR */
	uint32_t fp_ctrl, fp_comp[8], dwt_ctrl, dwt[16];	/* dwt: COMP MASK FUNCTION - of each comparator */
	uint32_t ccr, iciallu;		/* iciallu: how often it was written */
	/* the counters: how much each adds a microsecond of the wire's clock */
	uint64_t cyccnt_stood;		/* cycles that are missing in CYCCNT */
	uint32_t cyccnt_per_us, count_per_us[5];	/* CPI EXC SLEEP LSU FOLD */
	uint32_t pcsr;
	uint32_t itm[0x400], tpiu[0x400];	/* as written; nothing comes of it */
	uint8_t *ram;
};
enum { FAKE_M4_RAM = 0x20000000, FAKE_M4_RAM_BYTES = 0x10000 };

void fake_m4_init(struct fake_m4 *m4);	/* a halted-by-nobody core that runs */
void fake_m4_fini(struct fake_m4 *m4);

#endif
