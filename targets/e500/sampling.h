/* Program counters by the overflow of one counter, as the program's agent stores them (mailbox.h): which registers that
 * takes, how many events there are to a sample, and the samples themselves. Of one core; board thread only.
 *
 * All samples have to weigh the same, so how many events there are to one is known before the first: it was said, or is
 * found by counting for a moment. Each distance is jittered by a quarter of that. */
#ifndef PT_E500_SAMPLING_H
#define PT_E500_SAMPLING_H

#include "targets/e500/e500.h"

enum { PT_E500_EVERY_LEAST = 100, PT_E500_EVERY_MOST = 1 << 29 };	/* as found; said, it may be 1 */

enum pt_e500_phase {
	PT_E500_IDLE,		/* nothing is set up, or a reset cleared it */
	PT_E500_COUNTING,
	PT_E500_SAMPLING,
};

struct pt_e500_sampling {
	struct pt_e500_target *e500;
	const char *owner;			/* of the performance monitor: who asks */
	const struct pt_e500_event *event;
	unsigned core, pmc;
	uint64_t period_ns;			/* wanted between two samples, where every is not said */
	uint32_t every;				/* events to a sample, in the mean; 0: not known yet */
	enum pt_e500_phase phase;
	bool cleared, taken;			/* nothing of another's is left; the performance monitor is ours */
	uint64_t count_from_ns;			/* COUNTING: since then */
	uint32_t next, lost;			/* of the ring; of what the agent says that it lost */
	uint32_t seen_head;			/* at the last fetch, at seen_ns */
	uint64_t seen_ns;
};

/* The event and the counter for it: of those that may count it the last, which leaves the first two to thresholds. As
 * of pt_e500_event_find, and PT_EARG, PT_EUNSUPPORTED for what cannot be sampled by. */
int pt_e500_sampling_choose(struct pt_e500_sampling *s, const char *event, struct pt_err *err);
/* From IDLE on: takes the performance monitor, if it is not ours, and sets up. It then counts or samples. The core
 * runs: else PT_EUNSUPPORTED, as without an agent. */
int pt_e500_sampling_arm(struct pt_e500_sampling *s, struct pt_err *err);
/* COUNTING: more than 0, microseconds until it is worth asking again; 0: now it samples. */
int pt_e500_sampling_look(struct pt_e500_sampling *s, struct pt_err *err);
/* SAMPLING: how many samples were stored since the last call, up to room; *lost: others that are gone; *rest_us: when
 * there will be more to fetch. The core may stand. */
int pt_e500_sampling_fetch(struct pt_e500_sampling *s, struct pt_e500_sample *samples, size_t room, uint64_t *lost,
			   int *rest_us, struct pt_err *err);
/* No more samples, if the core runs; nothing is put back yet. */
int pt_e500_sampling_end(struct pt_e500_sampling *s, struct pt_err *err);

#endif
