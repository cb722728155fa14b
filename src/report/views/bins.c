/* The histogram over code, by function. */
#include <math.h>
#include <stdio.h>

#include "profile/analyses/code/bins.h"
#include "profile/result/profile.h"
#include "report/table/names.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/rest_rows.h"
#include "base/util.h"

extern const struct pt_view pt_view_bins;

static const struct pt_column columns[] = {
	{ "name", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "hits", "hits", PT_UNIT_REAL, PT_ALWAYS },
	{ "share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "last", "last %", PT_UNIT_SHARE, PT_ALWAYS },	/* share of the hits of the last reading */
	{ "split", "split", PT_UNIT_REAL, PT_IF_MUCH_ROOM },	/* hits in bins that other code shares */
	{ "bins", "bins", PT_UNIT_COUNT, PT_IF_MUCH_ROOM },
	PT_CORE_COLUMN,
};

static const struct pt_bins *bins_of(const void *subject)
{
	return ((const struct pt_profile *)subject)->bins;
}

static size_t n_rows(const void *subject)
{
	const struct pt_bins *bins = bins_of(subject);

	return bins != NULL ? bins->n_functions + pt_rest_rows(subject) : (size_t)PT_NOT_MADE;
}

/* The core clock's cycles in the observed time, less the counted ones. */
static void rest_row(const struct pt_profile *p, const struct pt_profile_core *core, struct pt_value *out)
{
	*out++ = (struct pt_value){ .text = pt_rest_name(p) };
	*out++ = (struct pt_value){ .f = (double)core->rest_cycles, .basis = PT_BASIS_ESTIMATED };
	for (unsigned i = 0; i < 3; i++)
		*out++ = (struct pt_value){ .f = NAN };
	*out++ = (struct pt_value){ .u = PT_UNKNOWN };
	*out++ = pt_core_value(bins_of(p)->n_cores, core->core);
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_bins_function *f = &bins_of(subject)->function[i];
	const struct pt_share *share = &f->share;
	enum pt_basis basis;

	if (i >= bins_of(p)->n_functions) {
		rest_row(p, pt_rest_core(p, i - bins_of(p)->n_functions), out);
		return;
	}
	basis = share->hi > 0 ? PT_BASIS_ESTIMATED : PT_BASIS_EXACT;
	*out++ = (struct pt_value){ .text = pt_name_of_function(p, f->function) };
	*out++ = (struct pt_value){ .f = f->hits, .basis = f->split > 0 ? PT_BASIS_ESTIMATED : PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = share->share, .lo = share->lo, .hi = share->hi, .basis = basis };
	*out++ = (struct pt_value){ .f = f->last, .basis = f->split > 0 ? PT_BASIS_ESTIMATED : PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .f = f->split > 0 ? f->split : NAN, .basis = PT_BASIS_ESTIMATED };
	*out++ = (struct pt_value){ .u = f->bins, .basis = PT_BASIS_EXACT };
	*out++ = pt_core_value(bins_of(p)->n_cores, f->core);
}

/* Says what a hit is, which depends on the source. */
static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_bins *bins = bins_of(subject);

	if (shown == NULL || bins == NULL)
		return false;
	snprintf(out, room, "hits: %s",
		 bins->by_cycles	 ? "clock cycles, as the core counted them in the function's code"
		 : bins->by_instructions ? "instructions, as the core counted them in the function's code"
					 : "samples that found the core in the function's code");
	return true;
}

const struct pt_view pt_view_bins = {
	.empty = "no source of this profile counts hits by address (proftap monitor sources lists them)",
	.empty_in_gdb = "no source of this profile counts hits by address (monitor sources lists them)",
	.name = "bins", .help = "where the core was found, by function: in all, and in the last reading",
	.needs = "bins", .sort = "hits",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
	.remark = remark,
};
