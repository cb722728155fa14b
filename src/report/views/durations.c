/* How long something lasted, by thresholds of counters: a row for each interval between two thresholds. */
#include <math.h>

#include "profile/analyses/counters/counters.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "base/util.h"

extern const struct pt_view pt_view_durations;

static const struct pt_column columns[] = {
	{ "of", "of", PT_UNIT_NONE, PT_ALWAYS },
	{ "over", "longer than", PT_UNIT_COUNT, PT_ALWAYS },
	{ "up_to", "up to", PT_UNIT_COUNT, PT_ALWAYS },
	{ "count", "count", PT_UNIT_REAL, PT_ALWAYS },
	{ "error95", "+-95 %", PT_UNIT_REAL, PT_ALWAYS },
	{ "share", "share %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "shorter", "or shorter %", PT_UNIT_SHARE, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	const struct pt_counters *c = ((const struct pt_profile *)subject)->counters;

	return c != NULL ? c->n_durations : (size_t)PT_NOT_MADE;
}

/* The error is in a separate column. */
static struct pt_value count_of(const struct pt_duration_row *d, enum pt_basis basis)
{
	struct pt_value value = { .f = d->count, .basis = isnan(d->count) ? PT_BASIS_NONE : basis };

	if (isnan(d->count) || basis != PT_BASIS_ESTIMATED || isnan(d->error))
		return value;
	value.lo = fmax(0, d->count - d->error);
	value.hi = d->count + d->error;
	value.interval_beside = true;
	return value;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_counters *c = ((const struct pt_profile *)subject)->counters;
	const struct pt_duration_row *d = &c->duration[i];
	enum pt_basis basis = d->error == 0 ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;

	*out++ = (struct pt_value){ .text = d->of };
	*out++ = (struct pt_value){ .u = d->over, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = d->up_to, .basis = PT_BASIS_EXACT };
	*out++ = count_of(d, basis);
	*out++ = (struct pt_value){ .f = basis == PT_BASIS_EXACT ? NAN : d->error, .basis = PT_BASIS_NONE,
				    .rough = true };
	*out++ = (struct pt_value){ .f = d->share, .basis = isnan(d->share) ? PT_BASIS_NONE : basis };
	*out++ = (struct pt_value){ .f = d->shorter, .basis = isnan(d->shorter) ? PT_BASIS_NONE : basis };
	*out++ = pt_core_value(c->n_cores, d->core);
}

const struct pt_view pt_view_durations = {
	.empty = "no counter of this profile has a threshold (e500: events=EVENT@sweep)",
	.name = "durations", .help = "how long something lasted, by the thresholds of counters", .needs = "counters",
	.note = "in the source's unit: an e500's is the cycle (not verified)",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
