#include "profile/flow/own_clock.h"

static uint64_t ns_of(uint64_t ticks, uint64_t hz)
{
	unsigned __int128 ns = (unsigned __int128)ticks * PT_NS_PER_S / hz;

	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/* As much later than the last event as the probe's clock says. */
static uint64_t upto(const struct pt_own_clock *c, uint64_t at_ns)
{
	return c->last_ns + (at_ns > c->last_at.ns ? at_ns - c->last_at.ns : 0);
}

static struct pt_own_time pass(struct pt_own_clock *c, uint64_t ns, struct pt_timestamp at)
{
	c->last_ns = ns > c->last_ns ? ns : c->last_ns;
	if (at.ns > c->last_at.ns)
		c->last_at = at;
	return (struct pt_own_time){ .ns = c->last_ns };
}

/* How much later than the last ticks it may have been. */
static uint64_t most_behind(const struct pt_own_clock *c, struct pt_timestamp at)
{
	uint64_t error_ns = at.error_ns + c->last_at.error_ns;

	error_ns += at.ns > c->last_at.ns ? at.ns - c->last_at.ns : 0;
	return error_ns < PT_NO_BOUND_NS ? error_ns : PT_NO_BOUND_NS;
}

static struct pt_own_time take_loose(struct pt_own_clock *c, struct pt_timestamp at)
{
	struct pt_own_time own;

	if (c->begun)
		return (struct pt_own_time){ .ns = c->last_ns, .error_ns = most_behind(c, at) };
	own = pass(c, upto(c, at.ns), at);
	own.error_ns = at.error_ns;
	c->loose = true;
	return own;
}

struct pt_own_time pt_own_clock_take(struct pt_own_clock *c, uint64_t ticks, struct pt_timestamp at)
{
	struct pt_own_time own;
	bool anew = c->loose && c->hz != 0;

	if (ticks == PT_UNKNOWN)
		return take_loose(c, at);
	if (c->hz == 0)
		return pass(c, upto(c, at.ns), at);
	if (!c->begun || ticks < c->first_ticks) {
		c->begun = true;
		c->loose = false;
		c->first_ticks = ticks;
		c->first_ns = upto(c, at.ns);
	}
	own = pass(c, c->first_ns + ns_of(ticks - c->first_ticks, c->hz), at);
	own.anew = anew;
	c->last_ticks = ticks;
	return own;
}

uint64_t pt_own_clock_gap(struct pt_own_clock *c, struct pt_timestamp at, uint64_t *ticks)
{
	uint64_t silent_ns = at.ns != PT_UNKNOWN && at.ns > c->last_at.ns ? at.ns - c->last_at.ns : 0;
	uint64_t error_ns = at.error_ns + c->last_at.error_ns;

	*ticks = c->begun ? c->last_ticks : PT_UNKNOWN;
	c->begun = c->loose = false;
	return c->last_ns + (silent_ns > error_ns ? silent_ns - error_ns : 0);
}
