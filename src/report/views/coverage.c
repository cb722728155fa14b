/* One row per function with code: the part of it that was seen executing. The rest is "not executed" only if nothing
 * was missed, else "not observed"; a column says which. */
#include <stdio.h>

#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "base/util.h"

extern const struct pt_view pt_view_coverage;

static const struct pt_column columns[] = {
	{ "function", "function", PT_UNIT_NONE, PT_ALWAYS },
	{ "instructions", "code", PT_UNIT_COUNT, PT_ALWAYS },
	{ "instructions_observed", "seen", PT_UNIT_COUNT, PT_ALWAYS },
	{ "instruction_share", "code %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "lines", "lines", PT_UNIT_COUNT, PT_ALWAYS },
	{ "lines_observed", "seen", PT_UNIT_COUNT, PT_ALWAYS },
	{ "branches", "branches", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "branch_ways_observed", "ways seen", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "rest", "the rest", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "file", "file", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
	{ "line", "line", PT_UNIT_COUNT, PT_ALWAYS },
};

static size_t n_rows(const void *subject)
{
	const struct pt_lines *lines = ((const struct pt_profile *)subject)->lines;

	if (lines == NULL)
		return (size_t)PT_NOT_MADE;
	/* without entry 0, for code that belongs to no function */
	return lines->n_functions > 0 ? lines->n_functions - 1 : 0;
}

static const char *rest(const struct pt_profile *p, const struct pt_lines_function *f)
{
	if (f->n_observed == f->n_insns)
		return NULL;
	return pt_lines_whole(p) ? "not executed" : "not observed";
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_lines_function *f = &p->lines->function[i + 1];
	size_t n;
	const struct pt_function *function = &pt_program_functions(p->program, &n)[i];

	*out++ = (struct pt_value){ .text = function->name };
	*out++ = (struct pt_value){ .u = f->n_insns, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = f->n_observed, .basis = p->counts };
	*out++ = (struct pt_value){ .f = f->n_insns != 0 ? (double)f->n_observed / f->n_insns : 0,
				    .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = f->n_lines, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = f->n_lines_observed, .basis = p->counts };
	*out++ = (struct pt_value){ .u = f->n_branches, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .u = f->n_ways_observed, .basis = p->counts };
	*out++ = (struct pt_value){ .text = rest(p, f) };
	*out++ = (struct pt_value){ .text = function->file };
	*out++ = (struct pt_value){ .u = function->line != 0 ? function->line : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_profile *p = subject;

	(void)shown;
	if (p->branches != 0 || p->samples == 0)
		return false;
	snprintf(out, room, "Samples do not count as seen: coverage takes a source of branches");
	return true;
}

const struct pt_view pt_view_coverage = {
	.name = "coverage", .help = "how much of each function was seen executing", .needs = "lines", .sort = NULL,
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
	.remark = remark,
};
