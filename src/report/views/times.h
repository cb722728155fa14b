/* Columns of times in ns, computed from moments: total, min, avg and max of a statistic; undecided if the error of the
 * moments is too large. For views alone. */
#ifndef PT_REPORT_VIEWS_TIMES_H
#define PT_REPORT_VIEWS_TIMES_H

#include <math.h>

#include "profile/flow/timestamp.h"
#include "profile/stats/stat.h"
#include "report/table/view.h"
#include "report/views/duration_values.h"

/* The value of undecided_ns for moments with an error of +- error_ns. */
static inline uint64_t pt_time_undecided(uint64_t error_ns)
{
	return error_ns < PT_NO_BOUND_NS ? error_ns : PT_UNKNOWN;
}

/* Sets limits and basis from the error. */
static inline struct pt_value pt_time_within(struct pt_value v, double ns, uint64_t error_ns)
{
	v.basis = error_ns == 0 ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	if (error_ns == 0 || error_ns >= PT_NO_BOUND_NS)
		return v;
	v.lo = fmax(0, ns - (double)error_ns);
	v.hi = ns + (double)error_ns;
	v.bounds = true;
	return v;
}

/* ns +- error_ns; undecided if ns is not larger than its error. */
static inline struct pt_value pt_time_value(uint64_t ns, uint64_t error_ns)
{
	if (ns != PT_UNKNOWN && error_ns != 0 && ns <= error_ns)
		return (struct pt_value){ .u = PT_UNKNOWN, .undecided_ns = pt_time_undecided(error_ns) };
	return pt_time_within((struct pt_value){ .u = ns }, (double)ns, ns != PT_UNKNOWN ? error_ns : 0);
}

static inline struct pt_value pt_time_mean(double ns, uint64_t error_ns)
{
	if (!isnan(ns) && error_ns != 0 && ns <= (double)error_ns)
		return (struct pt_value){ .f = NAN, .undecided_ns = pt_time_undecided(error_ns) };
	return pt_time_within((struct pt_value){ .f = ns }, ns, isnan(ns) ? 0 : error_ns);
}

/* min, avg, max: three columns of NS, NS_MEAN, NS. Returns behind them. */
static inline struct pt_value *pt_time_columns(struct pt_value *out, const struct pt_stat *stat, uint64_t error_ns)
{
	bool known = stat != NULL && stat->n > 0;

	*out++ = pt_time_value(known ? stat->min : PT_UNKNOWN, error_ns);
	*out++ = pt_time_mean(known ? pt_stat_avg(stat) : NAN, error_ns);
	*out++ = pt_duration_longest(pt_time_value(known ? stat->max : PT_UNKNOWN, error_ns), stat, error_ns);
	return out;
}

/* p50, p90, p99: three columns of NS. */
static inline struct pt_value *pt_time_quantiles(struct pt_value *out, const struct pt_stat *stat, uint64_t error_ns)
{
	static const double quantiles[] = { 0.5, 0.9, 0.99 };

	for (size_t i = 0; i < PT_LEN(quantiles); i++) {
		struct pt_value known =
			stat != NULL ? pt_quantile_value(stat, quantiles[i], (double)error_ns, PT_BASIS_EXACT)
				     : pt_duration_unknown();
		struct pt_value decided = pt_time_value(known.u, error_ns);

		*out++ = decided.u == PT_UNKNOWN ? decided : known;
	}
	return out;
}

/* min, avg, max if some times may be missing: only the longest is shown, as a lower bound. */
static inline struct pt_value *pt_time_longest(struct pt_value *out, const struct pt_stat *stat, uint64_t error_ns)
{
	return pt_duration_values(out, pt_stat_longest(stat, error_ns), NULL, PT_DURATION_EXTREMES);
}

/* min, avg, max; missing: some times may be missing. */
static inline struct pt_value *pt_time_seen(struct pt_value *out, const struct pt_stat *stat, uint64_t error_ns,
					    bool missing)
{
	return missing ? pt_time_longest(out, stat, error_ns) : pt_time_columns(out, stat, error_ns);
}

/* missing: the count is a lower bound, and 0 is shown as unknown. */
static inline struct pt_value pt_count_seen(uint64_t n, bool missing)
{
	bool known = n != PT_UNKNOWN && (n > 0 || !missing);

	return (struct pt_value){ .u = known ? n : PT_UNKNOWN, .basis = known ? PT_BASIS_EXACT : PT_BASIS_NONE,
				  .at_least = known && missing };
}

/* The error of a sum of n times. */
static inline uint64_t pt_time_sum_error(uint64_t error_ns, uint64_t n)
{
	return n == 0 || error_ns < PT_NO_BOUND_NS / n ? error_ns * n : PT_NO_BOUND_NS;
}

/* The total of complete times and partial_ns; undecided if the average is. */
static inline struct pt_value pt_time_total(const struct pt_stat *stat, uint64_t partial_ns, uint64_t error_ns)
{
	if (stat->n == 0)
		return pt_time_value(partial_ns > 0 ? partial_ns : PT_UNKNOWN, error_ns);
	if (pt_time_mean(pt_stat_avg(stat), error_ns).undecided_ns != 0)
		return pt_time_value(0, error_ns);
	return pt_time_within((struct pt_value){ .u = stat->total + partial_ns }, (double)(stat->total + partial_ns),
			      pt_time_sum_error(error_ns, stat->n + 1));
}

/* The share of ns in all, each with its error; ns is a part of all, so its error changes both. */
static inline struct pt_value pt_time_share(double ns, double error_ns, double all, double all_error_ns)
{
	double others = all - ns, others_error_ns = all_error_ns - error_ns;
	double least = fmax(0, ns - error_ns), most = ns + error_ns;

	if (all_error_ns <= 0 || all_error_ns >= (double)PT_NO_BOUND_NS)
		return (struct pt_value){ .f = ns / all,
					  .basis = all_error_ns <= 0 ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED };
	return (struct pt_value){
		.f = ns / all, .basis = PT_BASIS_ESTIMATED, .bounds = true,
		.lo = least > 0 ? least / (least + others + others_error_ns) : 0,
		.hi = most / (most + fmax(0, others - others_error_ns)),
	};
}

static inline double pt_value_number(struct pt_value v, enum pt_unit unit)
{
	return pt_unit_is_real(unit) ? v.f : v.u == PT_UNKNOWN ? NAN : (double)v.u;
}

/* A duration, or a sum of durations, by a clock with a relative error of up to wrong. */
static inline struct pt_value pt_time_by_clock(struct pt_value v, enum pt_unit unit, double wrong)
{
	double number = pt_value_number(v, unit);

	if (wrong <= 0 || isnan(number) || v.basis == PT_BASIS_NONE)
		return v;
	if (v.at_least) {
		if (pt_unit_is_real(unit))
			v.f = number * (1 - wrong);
		else
			v.u = (uint64_t)(number * (1 - wrong));
		return v;
	}
	v.lo = (v.bounds ? v.lo : number) * (1 - wrong);
	v.hi = (v.bounds ? v.hi : number) * (1 + wrong);
	v.bounds = true;
	v.basis = PT_BASIS_ESTIMATED;
	return v;
}

/* All times of a row. */
static inline void pt_times_by_clock(struct pt_value *row, const struct pt_column *columns, size_t n, double wrong)
{
	for (size_t i = 0; i < n; i++)
		if (columns[i].unit == PT_UNIT_NS || columns[i].unit == PT_UNIT_NS_MEAN ||
		    columns[i].unit == PT_UNIT_PER_S)
			row[i] = pt_time_by_clock(row[i], columns[i].unit, wrong);
}

#endif
