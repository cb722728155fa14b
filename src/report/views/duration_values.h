/* Columns of how long something lasts: min, avg, max, p50, p90, p99, and when min and max were. What was seen whole says
 * it where all was seen; only the longest may be one without an end, and then it is a lower bound. Windows in bursts give
 * estimates, and lower bounds where they do not reach (stats/survival.h); pieces that are no fair part of the program
 * say only that the longest is at least as long as that seen. For views alone. */
#ifndef PT_REPORT_VIEWS_DURATION_VALUES_H
#define PT_REPORT_VIEWS_DURATION_VALUES_H

#include <math.h>

#include "profile/result/profile.h"
#include "profile/stats/stat.h"
#include "report/table/view.h"

enum { PT_DURATION_VALUES = 8, PT_DURATION_EXTREMES = 3 };	/* all of them; min, avg, max alone */

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

/* The longest of all. whole: that of the whole ones, each of which may be off by that error. */
static inline struct pt_value pt_duration_longest(struct pt_value whole, const struct pt_stat *stat, uint64_t error)
{
	if (stat == NULL || !pt_stat_longest_is_bound(stat, error))
		return whole;
	return pt_duration_at_least((double)pt_stat_longest(stat, error));
}

/* When that was: of one without an end it is not kept. */
static inline struct pt_value pt_duration_longest_at(const struct pt_stat *stat, uint64_t error, enum pt_basis basis)
{
	bool known = stat != NULL && stat->n > 0 && !pt_stat_longest_is_bound(stat, error);

	return pt_whole_value(known ? stat->max_at : PT_UNKNOWN, basis);
}

/* Where all was seen. stat NULL: nothing is known. n: PT_DURATION_VALUES or fewer. Returns behind them. */
static inline struct pt_value *pt_duration_all_seen(struct pt_value *out, const struct pt_stat *stat,
						    enum pt_basis basis, size_t n)
{
	bool known = stat != NULL && stat->n > 0;
	struct pt_value all[PT_DURATION_VALUES] = {
		pt_whole_value(known ? stat->min : PT_UNKNOWN, basis),
		{ .f = known ? pt_stat_avg(stat) : NAN, .basis = known ? basis : PT_BASIS_NONE },
		pt_duration_longest(pt_whole_value(known ? stat->max : PT_UNKNOWN, basis), stat, 0),
		pt_whole_value(known ? pt_stat_quantile(stat, 0.5) : PT_UNKNOWN, PT_BASIS_ESTIMATED),
		pt_whole_value(known ? pt_stat_quantile(stat, 0.9) : PT_UNKNOWN, PT_BASIS_ESTIMATED),
		pt_whole_value(known ? pt_stat_quantile(stat, 0.99) : PT_UNKNOWN, PT_BASIS_ESTIMATED),
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
				  .basis = PT_BASIS_ESTIMATED };	/* of whole ticks */
}

/* longest: that was seen; 0: none. d NULL: nothing else is known. n: PT_DURATION_VALUES or fewer. Returns behind them. */
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

/* Of entries that had a time stamp: where some may be missing, the longest is a lower bound, and nothing else is known of all. */
static inline struct pt_value *pt_duration_of_stamps(struct pt_value *out, const struct pt_profile *p,
						     const struct pt_stat *stat)
{
	if (p->counts == PT_BASIS_EXACT)
		return pt_duration_all_seen(out, stat, PT_BASIS_EXACT, PT_DURATION_EXTREMES);
	return pt_duration_values(out, pt_stat_longest(stat, 0), NULL, PT_DURATION_EXTREMES);
}

/* Of a function that is not known by what was seen alone. False: it is. seen: of a kind. */
static inline bool pt_duration_is_cut(const struct pt_profile *p, uint16_t core)
{
	return pt_profile_windowed(p, core) != NULL || pt_profile_in_pieces(p, core) || pt_profile_tallied(p, core);
}

/* Of a function, where pt_duration_is_cut(). */
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
