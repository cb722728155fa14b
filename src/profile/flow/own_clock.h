/* Lengths by a source's own clock. Moments on the probe's clock follow its anchors, which come again and again and move the
 * line a little: a length between two of them is stretched by what the rates of both clocks differ. Here ticks of one stretch
 * lie on one straight line, at the nominal rate, that begins at the moment of its first event.
 *
 * An event without ticks among those that have some happened between two of them: it is placed at the first of the two, with
 * an error, so that it moves no other. In front of the first ticks of a stretch nothing ties it to these. Pure. */
#ifndef PT_PROFILE_OWN_CLOCK_H
#define PT_PROFILE_OWN_CLOCK_H

#include "profile/flow/timestamp.h"

struct pt_own_clock {
	uint64_t hz;		/* of the ticks; 0: not known, then it is the probe's clock */
	bool begun;		/* a stretch has ticks */
	bool loose;		/* it has events without ticks in front of the first */
	uint64_t first_ticks, first_ns;	/* of it */
	uint64_t last_ticks;	/* PT_UNKNOWN: not in this stretch */
	uint64_t last_ns;	/* as it was given last: never goes back */
	struct pt_timestamp last_at;	/* that moment on the probe's clock */
};

struct pt_own_time {
	uint64_t ns;
	uint64_t error_ns;	/* against those of the same stretch; 0: none */
	bool anew;		/* what came before in the stretch cannot be compared with it */
};

/* Of an event with these ticks, which was then on the probe's clock; PT_UNKNOWN: it has none. */
struct pt_own_time pt_own_clock_take(struct pt_own_clock *clock, uint64_t ticks, struct pt_timestamp at);

/* The stretch ends about then, and ticks behind it may have begun anew: returns up to when it lasted at least. ticks: out, its
 * last ones, or PT_UNKNOWN. */
uint64_t pt_own_clock_gap(struct pt_own_clock *clock, struct pt_timestamp at, uint64_t *ticks);

#endif
