/* The probe's clock beside a stream of runs: when a run was, by the moments that batches begin with and the cycles in
 * between. However the stream is cut into batches, the same run has the same moment. */
#ifndef PT_PROFILE_RUNCLOCK_H
#define PT_PROFILE_RUNCLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/params.h"
#include "profile/flow/timestamp.h"
#include "trace/config.h"

struct pt_runclock {
	uint64_t core_hz;		/* 0: not known */
	uint64_t cycles, ns;		/* so many cycles of all runs before, at ns */
};

/* words: may say core-clock=. */
struct pt_runclock pt_runclock_of(const struct pt_params *words);
/* The text of a CONFIG chunk, untrusted: core_hz=, unless it is known. */
void pt_runclock_config(struct pt_runclock *c, const struct pt_config *config);
/* ns, of a run so many cycles behind the first; PT_UNKNOWN: not known. */
uint64_t pt_runclock_at(const struct pt_runclock *c, uint64_t cycles);
/* A batch of runs, as analysis.h describes it, begins here. */
void pt_runclock_begin(struct pt_runclock *c, uint64_t cycles, struct pt_timestamp from);

#endif
