/* One row per function of two profiles: what changed, and how sure that is. */
#include <math.h>

#include "profile/diff.h"
#include "report/table/view.h"
#include "base/util.h"

extern const struct pt_view pt_view_diff;

static const struct pt_column columns[] = {
	{ "name", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "change", "change", PT_UNIT_NONE, PT_ALWAYS },
	{ "gross_change", "total +%", PT_UNIT_SHARE, PT_IF_ROOM },
	{ "gross.a", "total A", PT_UNIT_MEAN, PT_IF_MUCH_ROOM }, { "gross.b", "total B", PT_UNIT_MEAN, PT_IF_MUCH_ROOM },
	{ "gross_p", "total p", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	{ "net_change", "self +%", PT_UNIT_SHARE, PT_IF_ROOM },
	{ "net.a", "self A", PT_UNIT_MEAN, PT_IF_MUCH_ROOM }, { "net.b", "self B", PT_UNIT_MEAN, PT_IF_MUCH_ROOM },
	{ "net_p", "self p", PT_UNIT_REAL, PT_IF_MUCH_ROOM },
	{ "share.a", "share A", PT_UNIT_SHARE, PT_ALWAYS }, { "share.b", "share B", PT_UNIT_SHARE, PT_ALWAYS },
	{ "share_p", "share p", PT_UNIT_REAL, PT_IF_ROOM },
	{ "count.a", "count A", PT_UNIT_COUNT, PT_IF_MUCH_ROOM }, { "count.b", "count B", PT_UNIT_COUNT, PT_IF_MUCH_ROOM },
	{ "file", "file", PT_UNIT_NONE, PT_IF_WIDE }, { "line", "line", PT_UNIT_COUNT, PT_IF_WIDE },
};

static size_t n_rows(const void *subject)
{
	const struct pt_diff *diff = ((const struct pt_profile *)subject)->diff;

	return diff != NULL ? diff->n_functions : (size_t)PT_NOT_MADE;
}

static struct pt_value real(double f, enum pt_basis basis)
{
	return (struct pt_value){ .f = f, .basis = isnan(f) ? PT_BASIS_NONE : basis };
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_diff_function *f = &p->diff->function[i];

	*out++ = (struct pt_value){ .text = f->name };
	*out++ = (struct pt_value){ .text = pt_change_name(f->change) };
	*out++ = real(f->gross.change, PT_BASIS_MODELLED);
	*out++ = real(f->gross.a, p->times);
	*out++ = real(f->gross.b, p->times);
	*out++ = real(f->gross.p, PT_BASIS_MODELLED);
	*out++ = real(f->net.change, PT_BASIS_MODELLED);
	*out++ = real(f->net.a, p->times);
	*out++ = real(f->net.b, p->times);
	*out++ = real(f->net.p, PT_BASIS_MODELLED);
	*out++ = real(f->share.a, PT_BASIS_MODELLED);
	*out++ = real(f->share.b, PT_BASIS_MODELLED);
	*out++ = real(f->share.p, PT_BASIS_MODELLED);
	*out++ = (struct pt_value){ .u = f->count_a, .basis = p->counts };
	*out++ = (struct pt_value){ .u = f->count_b, .basis = p->counts };
	*out++ = (struct pt_value){ .text = f->file };
	*out++ = (struct pt_value){ .u = f->line != 0 ? f->line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
}

const struct pt_view pt_view_diff = {
	.name = "diff", .help = "two profiles side by side (proftap diff A B)", .needs = "blocks",
	.note = "p: the probability that chance alone makes the difference, corrected for the number of comparisons (Holm)",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
