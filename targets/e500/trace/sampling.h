/* Program counters by the overflow of counters, one for each event, as the program's agent stores them (mailbox.h):
 * which registers that takes, how many events there are to a sample, and the samples themselves. Of one core; board
 * thread only.
 *
 * All samples of an event have to weigh the same, so how many events there are to one is known before the first: it was
 * said, or is found by counting for a moment. Each distance is jittered by a quarter of that. */
#ifndef PT_E500_SAMPLING_H
#define PT_E500_SAMPLING_H

#include "targets/e500/perfmon/perfmon.h"

enum { PT_E500_EVERY_LEAST = 100, PT_E500_EVERY_MOST = 1 << 29 };	/* as found; said, it may be 1 */

enum pt_e500_phase {
	PT_E500_IDLE,		/* nothing is set up, or a reset cleared it */
	PT_E500_COUNTING,
	PT_E500_SAMPLING,
};

struct pt_e500_sampled {
	const struct pt_e500_event *event;
	unsigned pmc;
	uint32_t every;				/* events to a sample, in the mean; 0: not known yet */
};

struct pt_e500_sampling {
	struct pt_e500_target *e500;
	const char *owner;			/* of the performance monitor: who asks */
	unsigned core;
	struct pt_e500_sampled by[PT_E500_PMCS_MAX];
	size_t n;				/* events */
	uint64_t period_ns;			/* wanted between two samples, where every is not said */
	enum pt_e500_phase phase;
	bool cleared, taken;			/* nothing of another's is left; the performance monitor is ours */
	uint64_t count_from_ns;			/* COUNTING: since then */
	uint32_t next, lost;			/* of the ring; of what the agent says that it lost */
	uint32_t seen_head;			/* at the last fetch, at seen_ns */
	uint64_t seen_ns;
};

/* events: a list; every: a number for all of them, or a list of as many; NULL: not said. A counter for each: of those
 * that are left and may count it the last, which leaves the first two to thresholds. As of pt_e500_event_find, and
 * PT_EARG, PT_EUNSUPPORTED for what cannot be sampled by, or more events than counters. */
int pt_e500_sampling_choose(struct pt_e500_sampling *s, const char *events, const char *every, struct pt_err *err);
/* From IDLE on: takes the performance monitor, if it is not ours, and sets up. It then counts or samples. The core
 * runs: else PT_EUNSUPPORTED, as without an agent. */
int pt_e500_sampling_arm(struct pt_e500_sampling *s, struct pt_err *err);
/* COUNTING: more than 0, microseconds until it is worth asking again; 0: now it samples. */
int pt_e500_sampling_look(struct pt_e500_sampling *s, struct pt_err *err);
/* SAMPLING: how many samples were stored since the last call, up to room, of all events; *lost: others that are gone,
 * of whichever; *rest_us: when there will be more to fetch. The core may stand. */
int pt_e500_sampling_fetch(struct pt_e500_sampling *s, struct pt_e500_sample *samples, size_t room, uint64_t *lost,
			   int *rest_us, struct pt_err *err);
/* Which of the events a sample is of: an index of by; n: of none. */
size_t pt_e500_sampling_event(const struct pt_e500_sampling *s, const struct pt_e500_sample *sample);
/* No more samples, if the core runs; nothing is put back yet. */
int pt_e500_sampling_end(struct pt_e500_sampling *s, struct pt_err *err);

#endif
