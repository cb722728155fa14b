/* One row per function of two profiles: the change, and its confidence interval. */
#include <math.h>
#include <stdio.h>

#include "profile/diff.h"
#include "report/table/facts.h"
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

static struct pt_value real(double f)
{
	return (struct pt_value){ .f = f, .basis = isnan(f) ? PT_BASIS_NONE : PT_BASIS_MODELLED, .rough = true };
}

static struct pt_value figure(const struct pt_figure *f, enum pt_basis basis)
{
	if (isnan(f->value) || !(f->hi > f->lo))
		return (struct pt_value){ .f = f->value, .basis = isnan(f->value) ? PT_BASIS_NONE : basis };
	return (struct pt_value){ .f = f->value, .lo = f->lo, .hi = f->hi, .bounds = f->bounds,
				  .basis = PT_BASIS_ESTIMATED };
}

/* A change without an interval may be no change: it is left blank. */
static struct pt_value change(const struct pt_figure_pair *pair)
{
	if (isnan(pair->change) || isnan(pair->change_lo))
		return (struct pt_value){ .f = NAN };
	return (struct pt_value){ .f = pair->change, .lo = pair->change_lo, .hi = pair->change_hi,
				  .basis = PT_BASIS_ESTIMATED };
}

static struct pt_value count(const struct pt_profile *p, const struct pt_count *c)
{
	struct pt_value v = { .u = c->n, .basis = c->n == PT_UNKNOWN ? PT_BASIS_NONE : p->counts, .at_least = c->at_least };

	if (c->hi > c->lo && c->n != PT_UNKNOWN) {
		v.lo = c->lo;
		v.hi = c->hi;
		v.basis = PT_BASIS_ESTIMATED;
	}
	return v;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_diff_function *f = &p->diff->function[i];

	*out++ = (struct pt_value){ .text = f->name };
	*out++ = (struct pt_value){ .text = pt_change_name(f->change) };
	*out++ = change(&f->gross);
	*out++ = figure(&f->gross.a, p->times);
	*out++ = figure(&f->gross.b, p->times);
	*out++ = real(f->gross.p);
	*out++ = change(&f->net);
	*out++ = figure(&f->net.a, p->times);
	*out++ = figure(&f->net.b, p->times);
	*out++ = real(f->net.p);
	*out++ = figure(&f->share.a, PT_BASIS_MODELLED);
	*out++ = figure(&f->share.b, PT_BASIS_MODELLED);
	*out++ = real(f->share.p);
	*out++ = count(p->diff->a, &f->count_a);
	*out++ = count(p, &f->count_b);
	*out++ = (struct pt_value){ .text = f->file };
	*out++ = (struct pt_value){ .u = f->line != 0 ? f->line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
}

static const char *sides(bool a, bool b)
{
	return a && b ? "A and B" : a ? "A" : "B";
}

/* Says why columns are blank. */
static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_profile *b = subject, *a = b->diff != NULL ? b->diff->a : NULL;
	bool none_a = a != NULL && a->shares == PT_BASIS_NONE, none_b = b->shares == PT_BASIS_NONE;

	(void)shown;
	if (a == NULL || (!none_a && !none_b && pt_diff_whole_calls(a) && pt_diff_whole_calls(b)))
		return false;
	if (none_a || none_b)
		snprintf(out, room, "No shares of %s: %s", sides(none_a, none_b), pt_no_shares_reason(none_a ? a : b));
	else
		snprintf(out, room, "No times of whole calls in %s, as not all of a call was recorded",
			 sides(!pt_diff_whole_calls(a), !pt_diff_whole_calls(b)));
	return true;
}

const struct pt_view pt_view_diff = {
	.name = "diff", .help = "two profiles side by side (proftap diff A B)", .needs = "blocks",
	.note = "same: changed by less than threshold=. not shown: perhaps by more, within the interval. "
		"p: the probability that chance alone makes the difference, corrected for the number of comparisons (Holm)",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row, .remark = remark,
};
