/* Quantities over time, for plots: a row for each stretch of time with a value. */
#include <math.h>

#include "profile/analyses/counters/counters.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/watched.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "base/util.h"

extern const struct pt_view pt_view_series;

static const struct pt_column columns[] = {
	{ "name", "name", PT_UNIT_NONE, PT_ALWAYS },
	{ "unit", "unit", PT_UNIT_NONE, PT_ALWAYS },		/* of a counter: its rate per second */
	{ "from_ns", "from", PT_UNIT_NS, PT_ALWAYS },
	{ "width_ns", "width", PT_UNIT_NS, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "min", "least", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	{ "avg", "average", PT_UNIT_REAL, PT_ALWAYS },
	{ "max", "most", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	{ "first", "first", PT_UNIT_REAL, PT_IF_WIDE },
	{ "last", "last", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	PT_CORE_COLUMN,
};

struct named {
	const char *name, *per;
	const struct pt_series *series;
	size_t n_cores;
	uint16_t core;
	bool derived;		/* a rate, or a formula's value */
};

/* The i-th series of the profile, and whether it is derived; false: there are not so many. */
static bool series_of(const struct pt_profile *p, size_t i, struct named *out)
{
	size_t n = p->data != NULL ? p->data->n_quantities : 0;

	if (i < n) {
		const struct pt_data_quantity *q = &p->data->quantity[i];

		*out = (struct named){ p->data->signals->definition[q->variable].name, NULL, q->series, 0, 0, false };
		return true;
	}
	i -= n;
	n = p->watched != NULL ? p->watched->n_variables : 0;
	if (i < n) {
		const struct pt_watched_variable *v = &p->watched->variable[i];

		*out = (struct named){ p->watched->signals->definition[v->variable].name, NULL, v->series, 0, 0, false };
		return true;
	}
	i -= n;
	n = p->counters != NULL ? p->counters->n_counters : 0;
	if (i < n) {
		const struct pt_counter_row *c = &p->counters->counter[i];

		*out = (struct named){ c->name, "per s", c->series, p->counters->n_cores, c->core, true };
		return true;
	}
	i -= n;
	if (p->counters == NULL || i >= p->counters->n_metrics)
		return false;
	*out = (struct named){ p->counters->metric[i].name, NULL, p->counters->metric[i].series,
			       p->counters->n_cores, p->counters->metric[i].core, true };
	return true;
}

/* Finds the row-th non-empty bucket, series after series; false: past the end. */
static bool place_of(const struct pt_profile *p, size_t row, struct named *at, size_t *bucket)
{
	for (size_t i = 0; series_of(p, i, at); i++) {
		if (row >= at->series->n_used) {
			row -= at->series->n_used;
			continue;
		}
		for (*bucket = 0; *bucket < at->series->n_buckets; ++*bucket)
			if (at->series->bucket[*bucket].n > 0 && row-- == 0)
				return true;
	}
	return false;
}

static size_t n_rows(const void *subject)
{
	const struct pt_profile *p = subject;
	struct named at;
	size_t n = 0;

	for (size_t i = 0; series_of(p, i, &at); i++)
		n += at.series->n_used;
	return p->data != NULL || p->watched != NULL || p->counters != NULL ? n : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_series_bucket *b;
	struct named at = { .series = NULL };
	double of_bucket[5];
	size_t bucket = 0;

	if (!place_of(subject, i, &at, &bucket))
		return;
	b = &at.series->bucket[bucket];
	of_bucket[0] = b->min;
	of_bucket[1] = b->sum / (double)b->n;
	of_bucket[2] = b->max;
	of_bucket[3] = b->first;
	of_bucket[4] = b->last;
	*out++ = (struct pt_value){ .text = at.name };
	*out++ = (struct pt_value){ .text = at.per };
	*out++ = (struct pt_value){ .u = at.series->from_ns + bucket * at.series->width_ns, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = at.series->width_ns, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = b->n, .basis = PT_BASIS_EXACT };
	for (size_t k = 0; k < PT_LEN(of_bucket); k++)	/* values of a variable are exact */
		*out++ = (struct pt_value){ .f = of_bucket[k], .basis = PT_BASIS_EXACT, .rough = at.derived };
	*out++ = pt_core_value(at.n_cores, at.core);
}

const struct pt_view pt_view_series = {
	.name = "series", .help = "quantities and counters over time", .needs = "data", .columns = columns,
	.n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
	.empty = "it is of counters, and of variables whose writes a source sees (--set variables=g_state; proftap monitor "
		 "sources lists the sources)",
	.empty_in_gdb = "it is of counters, and of variables whose writes a source sees (variables=g_state; monitor sources "
			"lists the sources)",
};
