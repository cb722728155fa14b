/* One row per timing rule: its verdict, and the reason. */
#include "profile/analyses/limits/limits.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "base/util.h"

extern const struct pt_view pt_view_limits;

static const struct pt_column columns[] = {
	{ "line", "line", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "rule", "rule", PT_UNIT_NONE, PT_ALWAYS },
	{ "verdict", "verdict", PT_UNIT_NONE, PT_ALWAYS },
	{ "looked_at", "looked at", PT_UNIT_COUNT, PT_ALWAYS },
	{ "violations", "violations", PT_UNIT_COUNT, PT_ALWAYS },
	{ "why", "why", PT_UNIT_NONE, PT_ALWAYS },
};

static size_t n_rows(const void *subject)
{
	const struct pt_limits *limits = ((const struct pt_profile *)subject)->limits;

	return limits != NULL ? limits->n_limits : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_limit *limit = &((const struct pt_profile *)subject)->limits->limit[i];
	bool each = limit->rule->of == PT_RULE_EACH && limit->rule->figure <= PT_RULE_INACTIVE;

	*out++ = (struct pt_value){ .u = limit->rule->line, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){ .text = limit->rule->text };
	*out++ = (struct pt_value){ .text = pt_verdict_name(limit->verdict) };
	*out++ = (struct pt_value){ .u = each ? limit->looked_at : PT_UNKNOWN, .basis = PT_BASIS_EXACT };
	*out++ = (struct pt_value){
		.u = !each				   ? PT_UNKNOWN
		     : limit->verdict == PT_VERDICT_FAILED ? limit->violations - (limit->slept ? limit->doubtful : 0)
							   : 0,
		.basis = PT_BASIS_EXACT,
	};
	*out++ = (struct pt_value){ .text = limit->why };
}

const struct pt_view pt_view_limits = {
	.name = "limits", .help = "timing rules: passed, failed or undecided", .needs = "limits", .also = "violations",
	.wide = true, .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
