#include "profile/flow/own_clock.h"

#include "base/util.h"

static uint64_t ns_of(uint64_t ticks, uint64_t hz)
{
	unsigned __int128 ns = (unsigned __int128)ticks * PT_NS_PER_S / hz;

	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

uint64_t pt_own_clock_take(struct pt_own_clock *c, uint64_t ticks, uint64_t at_ns)
{
	uint64_t ns;

	if (ticks == PT_UNKNOWN)
		return pt_own_clock_upto(c, at_ns);
	if (!c->begun || c->hz == 0 || ticks < c->first_ticks) {
		c->begun = true;
		c->first_ticks = ticks;
		c->first_ns = pt_own_clock_upto(c, at_ns);
	}
	ns = c->first_ns + (c->hz != 0 ? ns_of(ticks - c->first_ticks, c->hz) : 0);
	c->last_ns = ns > c->last_ns ? ns : c->last_ns;
	c->last_at_ns = at_ns > c->last_at_ns ? at_ns : c->last_at_ns;
	return c->last_ns;
}

void pt_own_clock_gap(struct pt_own_clock *c)
{
	c->begun = false;
}

uint64_t pt_own_clock_upto(const struct pt_own_clock *c, uint64_t at_ns)
{
	return c->last_ns + (at_ns > c->last_at_ns ? at_ns - c->last_at_ns : 0);
}
