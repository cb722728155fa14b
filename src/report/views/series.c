/* Quantities over time, as plots want them: a row for each stretch of time in which there was a value. */
#include <math.h>

#include "profile/data.h"
#include "profile/profile.h"
#include "report/report.h"
#include "util.h"

extern const struct pt_view pt_view_series;

static const struct pt_column columns[] = {
	{ "name", "name", PT_UNIT_NONE, true },
	{ "from_ns", "from", PT_UNIT_NS, true },
	{ "width_ns", "width", PT_UNIT_NS, true },
	{ "count", "count", PT_UNIT_COUNT, true },
	{ "min", "least", PT_UNIT_REAL, true },
	{ "avg", "average", PT_UNIT_REAL, true },
	{ "max", "most", PT_UNIT_REAL, true },
	{ "first", "first", PT_UNIT_REAL, false },
	{ "last", "last", PT_UNIT_REAL, true },
};

/* The i-th series of the profile; false: there are not so many. */
static bool series_of(const struct pt_profile *p, size_t i, const char **name, const struct pt_series **series)
{
	size_t n = p->data != NULL ? p->data->n_quantities : 0;

	if (i >= n)
		return false;
	*name = p->data->signals->definition[p->data->quantity[i].variable].name;
	*series = p->data->quantity[i].series;
	return true;
}

/* Bucket number row of all that are not empty, series after series; false: past the end. */
static bool place_of(const struct pt_profile *p, size_t row, const char **name, const struct pt_series **series, size_t *bucket)
{
	for (size_t i = 0; series_of(p, i, name, series); i++) {
		if (row >= (*series)->n_used) {
			row -= (*series)->n_used;
			continue;
		}
		for (*bucket = 0; *bucket < (*series)->n_buckets; ++*bucket)
			if ((*series)->bucket[*bucket].n > 0 && row-- == 0)
				return true;
	}
	return false;
}

static size_t n_rows(const void *subject)
{
	const struct pt_profile *p = subject;
	const struct pt_series *series;
	const char *name;
	size_t n = 0;

	for (size_t i = 0; series_of(p, i, &name, &series); i++)
		n += series->n_used;
	return p->data != NULL ? n : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_series *series = NULL;
	const struct pt_series_bucket *b;
	const char *name = NULL;
	size_t bucket = 0;

	place_of(subject, i, &name, &series, &bucket);
	b = &series->bucket[bucket];
	*out++ = (struct pt_value){ .text = name };
	*out++ = (struct pt_value){ .u = series->from_ns + bucket * series->width_ns, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = series->width_ns, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = b->n, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = b->min, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = b->sum / (double)b->n, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = b->max, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = b->first, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = b->last, .basis = PT_BASIS_EXACT };
}

const struct pt_view pt_view_series = {
	.name = "series", .help = "quantities and counters over time", .needs = "data", .columns = columns,
	.n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
