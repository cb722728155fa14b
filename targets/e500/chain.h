/* Values wider than a counter: two chained counters read while they run, and one counter that wraps between reads.
 * Pure but for the caller's reader; any thread that may call it. Source: E500CORERM Rev. 1, 7.6.1 (order of reads) and
 * Table 7-6 (a counter may step by up to 4 a cycle, and wraps at 2^32). */
#ifndef PT_E500_CHAIN_H
#define PT_E500_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

enum { PT_E500_CHAIN_RETRIES = 3, PT_E500_STEPS_PER_CYCLE = 4 };

/* Reads PMCn; 0 or an error with its sentence. */
struct pt_e500_reader {
	int (*read)(void *state, unsigned pmc, uint32_t *value, struct pt_err *err);
	void *state;
};

/* The value of a chain: high counts the overflows of low. Reads high, low, high, and again from low on while the highs
 * differ, so *value is what the chain held when low was last read. *n_retries: how often it went again. 0, or what the
 * reader says, or PT_ESTATE: still differing after PT_E500_CHAIN_RETRIES, and *value is as it was. */
int pt_e500_chain_read(const struct pt_e500_reader *reader, unsigned low, unsigned high, uint64_t *value,
	unsigned *n_retries, struct pt_err *err);

/* How long one counter takes to wrap at the least: poll it at half of that, or chain. steps_per_cycle: 1 for cycles,
 * PT_E500_STEPS_PER_CYCLE for an event of which nothing is known. 0: core_hz is 0, the clock is not known. */
uint64_t pt_e500_wrap_ns(uint64_t core_hz, unsigned steps_per_cycle);

/* A counter continued beyond 32 bits. All zero: nothing read yet. */
struct pt_e500_wide {
	uint64_t total;			/* since the first read; at the least, where n_ambiguous is not 0 */
	uint64_t n_ambiguous;		/* steps in which the counter may have wrapped more than once */
	uint64_t last_ns;
	uint32_t last;
	bool started;
};
/* Takes what was read at now_ns. False: wrap_ns or more since the read before, so the step is ambiguous; it is added
 * all the same, and counted in n_ambiguous. */
bool pt_e500_wide_add(struct pt_e500_wide *wide, uint32_t value, uint64_t now_ns, uint64_t wrap_ns);

#endif
