/* Lengths by a source's own clock. Moments on the probe's clock follow its anchors, which come again and again and move the
 * line a little: a length between two of them is stretched by what the rates of both clocks differ. Here ticks of one stretch
 * lie on one straight line, at the nominal rate, that begins at the moment of its first event. Pure. */
#ifndef PT_PROFILE_OWN_CLOCK_H
#define PT_PROFILE_OWN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct pt_own_clock {
	uint64_t hz;		/* of the ticks; 0: not known, then it is the probe's clock */
	bool begun;		/* a stretch */
	uint64_t first_ticks, first_ns;	/* of it */
	uint64_t last_ns;	/* as it was given last: never goes back */
	uint64_t last_at_ns;	/* that moment on the probe's clock */
};

/* Of an event with these ticks, at at_ns on the probe's clock. PT_UNKNOWN: as pt_own_clock_upto(). */
uint64_t pt_own_clock_take(struct pt_own_clock *clock, uint64_t ticks, uint64_t at_ns);
/* Of a moment that has no ticks: as much later than the last event as the probe's clock says. */
uint64_t pt_own_clock_upto(const struct pt_own_clock *clock, uint64_t at_ns);

/* The stretch ends: ticks behind it may have begun anew. */
void pt_own_clock_gap(struct pt_own_clock *clock);

#endif
