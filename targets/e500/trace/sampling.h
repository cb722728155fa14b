/* Samples the program counter on overflow of counters, one counter for each event. The program's agent stores the
 * samples (mailbox.h). This module sets the registers, chooses the number of events per sample, and fetches the
 * samples. One core; board thread only.
 *
 * All samples of an event must weigh the same, so the number of events per sample is fixed before the first one: the
 * user gives it, or a short count finds it. Each distance is jittered by a quarter of that number. */
#ifndef PT_E500_SAMPLING_H
#define PT_E500_SAMPLING_H

#include "targets/e500/perfmon/perfmon.h"

enum { PT_E500_EVERY_LEAST = 100, PT_E500_EVERY_MOST = 1 << 29 };	/* LEAST: if measured; the user may give 1 */

enum pt_e500_phase {
	PT_E500_IDLE,		/* not set up, or cleared by a reset */
	PT_E500_COUNTING,
	PT_E500_SAMPLING,
};

struct pt_e500_sampled {
	const struct pt_e500_event *event;
	unsigned pmc;
	uint32_t every;				/* mean number of events per sample; 0: not known yet */
};

struct pt_e500_sampling {
	struct pt_e500_target *e500;
	const char *owner;			/* owner of the performance monitor */
	unsigned core;
	struct pt_e500_sampled by[PT_E500_PMCS_MAX];
	size_t n;				/* events */
	uint64_t period_ns;			/* wanted between two samples, if every is not given */
	enum pt_e500_phase phase;
	bool cleared, taken;			/* leftovers of an earlier run are cleared; we own the performance
						 * monitor */
	uint64_t count_from_ns;			/* COUNTING: start of the count */
	uint32_t next, lost;			/* next sample to read from the ring; the agent's count of lost
						 * samples */
	uint32_t seen_head;			/* at the last fetch, at seen_ns */
	uint64_t seen_ns;
};

/* events: a list; every: a number for all of them, or a list of as many; NULL: not given. Each event gets the last free
 * counter that can count it, which leaves the first two to threshold events. Errors as of pt_e500_event_find, and
 * PT_EARG, PT_EUNSUPPORTED: an event cannot trigger samples, or there are more events than counters. */
int pt_e500_sampling_choose(struct pt_e500_sampling *s, const char *events, const char *every, struct pt_err *err);
/* In IDLE: takes the performance monitor, if we do not own it, and sets up. The phase is then COUNTING or SAMPLING. The
 * core must run: else PT_EUNSUPPORTED, as without an agent. */
int pt_e500_sampling_arm(struct pt_e500_sampling *s, struct pt_err *err);
/* In COUNTING. > 0: microseconds until the next call is useful; 0: the phase is SAMPLING. */
int pt_e500_sampling_look(struct pt_e500_sampling *s, struct pt_err *err);
/* In SAMPLING: returns the number of samples of all events since the last call, up to room; *lost: samples lost, of any
 * event; *rest_us: time until there is more to fetch. The core may be halted. */
int pt_e500_sampling_fetch(struct pt_e500_sampling *s, struct pt_e500_sample *samples, size_t room, uint64_t *lost,
			   int *rest_us, struct pt_err *err);
/* The sample's event as an index of by; n: none of them. */
size_t pt_e500_sampling_event(const struct pt_e500_sampling *s, const struct pt_e500_sample *sample);
/* Stops sampling, if the core runs; registers are not restored yet. */
int pt_e500_sampling_end(struct pt_e500_sampling *s, struct pt_err *err);

#endif
