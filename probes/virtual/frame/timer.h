/* What the chip's timers share: a counter that runs at a fixed number of core clocks per count and reaches its end
 * every so many counts. It is a point in time and two numbers; nothing is done per clock. */
#ifndef PT_VIRTUAL_UNIT_TIMER_H
#define PT_VIRTUAL_UNIT_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "probes/virtual/frame/bus.h"

struct pt_vtimer {
	uint64_t start_cycle;		/* when the count was 0 */
	uint64_t cycles_per_count;	/* 0: stopped */
	uint64_t counts;		/* per round: the end is reached at start + counts * cycles_per_count */
};

static inline uint64_t pt_vtimer_end(const struct pt_vtimer *t)
{
	return t->cycles_per_count != 0 ? t->start_cycle + t->counts * t->cycles_per_count : PT_VNEVER;
}

/* Counts since start, without going round: the owner advances start in its tick(). */
static inline uint64_t pt_vtimer_count(const struct pt_vtimer *t, uint64_t now_cycle)
{
	return t->cycles_per_count != 0 && now_cycle > t->start_cycle
		       ? (now_cycle - t->start_cycle) / t->cycles_per_count
		       : 0;
}

/* True once for each call while an end lies behind; begins the next round where it ended. */
static inline bool pt_vtimer_round(struct pt_vtimer *t, uint64_t now_cycle)
{
	uint64_t end = pt_vtimer_end(t);

	if (now_cycle < end || end == PT_VNEVER)
		return false;
	t->start_cycle = end;
	return true;
}

#endif
