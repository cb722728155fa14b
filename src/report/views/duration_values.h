/* Columns for a duration: min, avg, max, p50, p90, p99, and the times of min and max. If all was seen, they come from
 * complete durations; only the longest may be one without its end, and is a lower bound then. Windows in bursts give
 * estimates, or lower bounds for durations longer than a window (stats/survival.h); pieces that do not represent the
 * whole run give only a lower bound of the longest. For views alone. */
#ifndef PT_REPORT_VIEWS_DURATION_VALUES_H
#define PT_REPORT_VIEWS_DURATION_VALUES_H

#include <math.h>

#include "profile/result/profile.h"
#include "profile/stats/stat.h"
#include "report/table/view.h"

enum { PT_DURATION_VALUES = 8, PT_DURATION_EXTREMES = 3 };	/* all columns; only min, avg, max */

static inline struct pt_value pt_duration_unknown(void)
{
	return (struct pt_value){ .u = PT_UNKNOWN };
}

static inline struct pt_value pt_duration_at_least(double ticks)
{
	if (!(ticks > 0))
		return pt_duration_unknown();
	return (struct pt_value){ .u = (uint64_t)ticks, .basis = PT_BASIS_ESTIMATED, .at_least = true };
}

static inline struct pt_value pt_whole_value(uint64_t ticks, enum pt_basis basis)
{
	return (struct pt_value){ .u = ticks, .basis = ticks == PT_UNKNOWN ? PT_BASIS_NONE : basis };
}

/* The longest duration. whole: the longest complete one; error: of each duration. */
static inline struct pt_value pt_duration_longest(struct pt_value whole, const struct pt_stat *stat, uint64_t error)
{
	if (stat == NULL || !pt_stat_longest_is_bound(stat, error))
		return whole;
	return pt_duration_at_least((double)pt_stat_longest(stat, error));
}

/* When the longest was; unknown for one without its end. */
static inline struct pt_value pt_duration_longest_at(const struct pt_stat *stat, uint64_t error, enum pt_basis basis)
{
	bool known = stat != NULL && stat->n > 0 && !pt_stat_longest_is_bound(stat, error);

	return pt_whole_value(known ? stat->max_at : PT_UNKNOWN, basis);
}

/* p50, p90 or p99 from a histogram; each value in it may be off by error. */
static inline struct pt_value pt_quantile_value(const struct pt_stat *stat, double q, double error, enum pt_basis basis)
{
	struct pt_estimate e = pt_stat_quantile_within(stat, q);

	if (isnan(e.value))
		return pt_duration_unknown();
	if (e.lo >= e.hi && error <= 0)
		return pt_whole_value((uint64_t)e.value, basis);
	return (struct pt_value){
		.u = (uint64_t)e.value, .lo = fmax(0, e.lo - error), .hi = e.hi + error, .bounds = true,
		.about = error <= 0, .basis = PT_BASIS_ESTIMATED,
	};
}

/* The columns if all was seen. stat NULL: nothing is known. n: PT_DURATION_VALUES or fewer. Returns behind them. */
static inline struct pt_value *pt_duration_all_seen(struct pt_value *out, const struct pt_stat *stat,
						    enum pt_basis basis, size_t n)
{
	bool known = stat != NULL && stat->n > 0;
	struct pt_value all[PT_DURATION_VALUES] = {
		pt_whole_value(known ? stat->min : PT_UNKNOWN, basis),
		{ .f = known ? pt_stat_avg(stat) : NAN, .basis = known ? basis : PT_BASIS_NONE },
		pt_duration_longest(pt_whole_value(known ? stat->max : PT_UNKNOWN, basis), stat, 0),
		known ? pt_quantile_value(stat, 0.5, 0, basis) : pt_duration_unknown(),
		known ? pt_quantile_value(stat, 0.9, 0, basis) : pt_duration_unknown(),
		known ? pt_quantile_value(stat, 0.99, 0, basis) : pt_duration_unknown(),
		pt_whole_value(known ? stat->min_at : PT_UNKNOWN, basis),
		pt_duration_longest_at(stat, 0, basis),
	};

	for (size_t i = 0; i < n; i++)
		*out++ = all[i];
	return out;
}

static inline struct pt_value pt_duration_quantile(const struct pt_estimate *e)
{
	if (isnan(e->value))
		return pt_duration_at_least(e->lo);
	return (struct pt_value){ .u = (uint64_t)(e->value + 0.5), .lo = fmax(0, e->lo - 0.5), .hi = e->hi + 0.5,
				  .basis = PT_BASIS_ESTIMATED };	/* rounded to whole ticks */
}

/* The columns if not all was seen. longest: the longest seen; 0: none. d NULL: no estimates. n: PT_DURATION_VALUES or
 * fewer. Returns behind them. */
static inline struct pt_value *pt_duration_values(struct pt_value *out, uint64_t longest, const struct pt_lengths *d,
						  size_t n)
{
	struct pt_value all[PT_DURATION_VALUES] = {
		pt_duration_unknown(), { .f = NAN }, pt_duration_at_least((double)longest), pt_duration_unknown(),
		pt_duration_unknown(), pt_duration_unknown(), pt_duration_unknown(), pt_duration_unknown(),
	};

	if (d != NULL && d->mean > 0)
		all[1] = (struct pt_value){ .f = d->mean, .basis = PT_BASIS_ESTIMATED, .at_least = true };
	for (size_t i = 0; d != NULL && i < PT_N_DURATION_QUANTILES; i++) {
		const struct pt_estimate *q = &d->quantile[i];
		bool says_nothing = i > 0 && isnan(q->value) && q->lo <= d->quantile[i - 1].value;

		all[PT_DURATION_EXTREMES + i] = says_nothing ? pt_duration_unknown() : pt_duration_quantile(q);
	}
	for (size_t i = 0; i < n; i++)
		*out++ = all[i];
	return out;
}

/* min, avg, max for entries with a timestamp: if some may be missing, only the longest is shown, as a lower bound. */
static inline struct pt_value *pt_duration_of_stamps(struct pt_value *out, const struct pt_profile *p,
						     const struct pt_stat *stat)
{
	if (p->counts == PT_BASIS_EXACT)
		return pt_duration_all_seen(out, stat, PT_BASIS_EXACT, PT_DURATION_EXTREMES);
	return pt_duration_values(out, pt_stat_longest(stat, 0), NULL, PT_DURATION_EXTREMES);
}

/* Whether durations on this core need estimates or bounds, because bursts or pieces cut them. */
static inline bool pt_duration_is_cut(const struct pt_profile *p, uint16_t core)
{
	return pt_profile_windowed(p, core) != NULL || pt_profile_in_pieces(p, core) || pt_profile_tallied(p, core);
}

/* The columns of a function if pt_duration_is_cut(). */
static inline struct pt_value *pt_duration_of_function(struct pt_value *out, const struct pt_profile *p,
						       const struct pt_profile_function *f, enum pt_tally_kind kind,
						       size_t n)
{
	const struct pt_profile_core *core = pt_profile_windowed(p, f->core);
	const struct pt_lengths *d = core != NULL && f->durations != NULL ? &f->durations[kind] : NULL;
	const struct pt_stat *seen = f->seen != NULL ? &f->seen->stat[kind] : NULL;
	uint64_t longest = seen != NULL ? pt_stat_longest(seen, 0) : 0;

	if (d != NULL && d->longest > longest)
		longest = d->longest;
	if (core != NULL && core->sleeps && (kind == PT_TALLY_PERIOD || kind == PT_TALLY_INACTIVE))
		d = NULL;
	return pt_duration_values(out, longest, d, n);
}

#endif
