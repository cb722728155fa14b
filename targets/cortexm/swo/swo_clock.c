#include "targets/cortexm/swo/swo_clock.h"

#include <string.h>

#define NS 1e9
#define MOST_DELAY_NS 50e6	/* in the chip */

/* --- stamps -------------------------------------------------------------------------------------------------------- */

void pt_swo_clock_begin(struct pt_swo_clock *c, uint64_t now_ns)
{
	c->base_ns = now_ns;
	c->placed = c->told = false;
	c->ticks = 0;
	c->at = c->least = c->most = 0;
}

static double from_base(const struct pt_swo_clock *c, uint64_t ns)
{
	return ns >= c->base_ns ? (double)(ns - c->base_ns) : -(double)(c->base_ns - ns);
}

/* Moves the line into its limits, but no faster than the error of the rate allows: a jump would falsify all durations
 * around it. */
static void slew(struct pt_swo_clock *c, double ns)
{
	double to = c->at < c->least ? c->least : c->at > c->most ? c->most : c->at, most = ns * c->wrong;

	c->at += to - c->at > most ? most : c->at - to > most ? -most : to - c->at;
}

/* Extends the line to these ticks; the error of the rate widens the limits. */
static void go_on(struct pt_swo_clock *c, uint64_t ticks)
{
	double ns = (double)(ticks - c->ticks) / c->hz * NS;

	c->at += ns;
	c->least += ns * (1 - c->wrong);
	c->most += ns * (1 + c->wrong);
	c->ticks = ticks;
	slew(c, ns);
}

static void place(struct pt_swo_clock *c, uint64_t ticks, double from, double to)
{
	c->placed = true;
	c->told = false;
	c->ticks = ticks;
	c->least = from;
	c->most = to;
	c->at = (from + to) / 2;
}

bool pt_swo_clock_stamp(struct pt_swo_clock *c, uint64_t ticks, uint64_t from_ns, uint64_t to_ns)
{
	double from = from_base(c, from_ns), to = from_base(c, to_ns);

	if (!c->placed) {
		place(c, ticks, from, to);
		return true;
	}
	go_on(c, ticks);
	if (from > c->most + MOST_DELAY_NS || to < c->least - MOST_DELAY_NS) {
		place(c, ticks, from, to);
		return false;
	}
	if (from > c->least && from <= c->most)	/* else the packet had waited in the chip */
		c->least = from;
	c->most = c->most < to ? c->most : to;
	c->least = c->least < c->most ? c->least : c->most;	/* no packet arrives before it was made */
	if (!c->told)
		c->at = (c->least + c->most) / 2;
	return true;
}

void pt_swo_clock_rate(struct pt_swo_clock *c, double hz, double wrong)
{
	c->hz = hz;
	c->wrong = wrong;
}

void pt_swo_clock_now(struct pt_swo_clock *c, uint64_t *ns, uint64_t *error_ns)
{
	double before = c->at - c->least, after = c->most - c->at;

	c->told = true;
	*ns = c->at >= 0		      ? c->base_ns + (uint64_t)c->at
	      : c->base_ns > (uint64_t)-c->at ? c->base_ns - (uint64_t)-c->at
					      : 0;
	*error_ns = (uint64_t)(before > after ? before : after) + 1;
}

/* --- the core's clock ---------------------------------------------------------------------------------------------- */

void pt_swo_cycles_begin(struct pt_swo_cycles *c)
{
	memset(c, 0, sizeof(*c));
	c->wrong = 1;
}

static void compare(double cycles, double ns, double error_ns, double missing_ns, double *least_hz, double *most_hz)
{
	double least_ns = ns - error_ns - missing_ns;

	*least_hz = (cycles - 1) / (ns + error_ns) * NS;
	*most_hz = least_ns > 0 ? (cycles + 1) / least_ns * NS : 1e12;
}

static void begin_readings(struct pt_swo_cycles *c, uint32_t cyccnt, double ns, double error_ns, uint64_t missed_ns)
{
	pt_swo_cycles_begin(c);
	c->begun = true;
	c->last = cyccnt;
	c->first_ns = c->last_ns = ns;
	c->first_error_ns = c->last_error_ns = error_ns;
	c->missed_ns[0] = c->missed_ns[1] = c->missed_ns[2] = missed_ns;
	c->most_hz = 1e12;
}

/* Time that was missed after a reading, but within its request, counts for the time after it: so everything is counted
 * from the reading before on, perhaps twice. */
static void note_missed(struct pt_swo_cycles *c, uint64_t missed_ns)
{
	c->missing_ns = (double)(missed_ns - c->missed_ns[1]);
	c->missed_ns[1] = c->missed_ns[2];
	c->missed_ns[2] = missed_ns;
}

void pt_swo_cycles_read(struct pt_swo_cycles *c, uint32_t cyccnt, uint64_t sent_ns, uint64_t done_ns,
			uint64_t missed_ns)
{
	double error_ns = (double)(done_ns - sent_ns) / 2, ns = (double)sent_ns + error_ns, least, most;

	if (!c->begun || ns <= c->last_ns) {
		begin_readings(c, cyccnt, ns, error_ns, missed_ns);
		return;
	}
	note_missed(c, missed_ns);
	c->cycles += (uint32_t)(cyccnt - c->last);
	compare((uint32_t)(cyccnt - c->last), ns - c->last_ns, error_ns + c->last_error_ns, c->missing_ns, &c->least_hz,
		&c->most_hz);
	c->last = cyccnt;
	c->last_ns = ns;
	c->last_error_ns = error_ns;
	compare((double)c->cycles, ns - c->first_ns, error_ns + c->first_error_ns,
		(double)(missed_ns - c->missed_ns[0]), &least, &most);
	if (least <= 0 || most >= 1e12)
		return;
	c->hz = (least + most) / 2;
	c->wrong = (most - least) / (most + least);
}

enum pt_swo_pace pt_swo_cycles_pace(const struct pt_swo_cycles *c, double hz, double wrong)
{
	if (c->most_hz < hz * (1 - wrong))
		return PT_SWO_SLOWER;
	return c->least_hz > hz * (1 + wrong) ? PT_SWO_FASTER : PT_SWO_SAME;
}
