/* The debug registers of an MDM with some cores, as far as a test of what uses them needs: at an AXI slave that is a
 * hook of an array_mem, by the lines of XSDB's commands, and as bare registers. What the program does,
 * the test says. */
#ifndef PT_TESTS_FAKE_MDM_H
#define PT_TESTS_FAKE_MDM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "array_mem.h"

enum {
	FAKE_MDM_BASE = 0x41400000,
	FAKE_MDM_CORES = 4,
	FAKE_MDM_BINS = 32768,
	FAKE_MDM_COUNTERS = 8,
	FAKE_MDM_ITEMS = 4096
};

struct fake_core {
	uint64_t bin[FAKE_MDM_BINS];
	uint32_t plar, phar, pbar;
	uint8_t pctrlr;
	bool on, held; /* held: in reset, all its registers read 0 */
	size_t turned; /* the write that last began or ended its counting */
	/* counters: events first */
	uint8_t event[FAKE_MDM_COUNTERS];
	uint64_t count[FAKE_MDM_COUNTERS], sample[FAKE_MDM_COUNTERS]; /* of a latency: each of 10 cycles */
	uint8_t status; /* of all: PCSR */
	unsigned counter, item;
	bool counting;
	/* trace */
	uint32_t tctrlr, trace[FAKE_MDM_ITEMS], n_trace, first, sampled;
	bool tracing;
};

struct fake_mdm {
	struct fake_core core[FAKE_MDM_CORES];
	unsigned n_cores, n_events, n_latencies, pbar_bits;
	uint32_t n_bins; /* 0: no profiling */
	uint32_t which, xtrig[8], ctrl;
	bool window, high_first, second; /* second: half of a wide register comes next */
	uint64_t wide;
	uint32_t locked; /* readings of DBG_STATUS that say that JTAG has the lock */
	size_t n_writes;
	bool counters_fixed; /* nothing can be written to one */
	bool dead; /* everything reads ones */
	size_t n_bad; /* accesses that no MDM of this kind allows */
};

void fake_mdm_init(struct fake_mdm *m);
void fake_mdm_hook(struct fake_mdm *m, struct array_mem *memory);
uint64_t fake_mdm_read(struct fake_mdm *m, bool own, unsigned command, unsigned bits);
void fake_mdm_write(struct fake_mdm *m, bool own, unsigned command, unsigned bits, uint64_t value);
/* The program has spent so much at pc. */
void fake_mdm_hit(struct fake_mdm *m, unsigned core, uint64_t pc, uint64_t n);
void fake_mdm_count(struct fake_mdm *m, unsigned core, unsigned event, uint64_t n);

#endif
