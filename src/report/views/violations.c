/* One row per violation of a timing rule: when, how far, and the calls that led to it. */
#include <inttypes.h>
#include <stdio.h>

#include "profile/analyses/limits/limits.h"
#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "base/util.h"

extern const struct pt_view pt_view_violations;

static const struct pt_column columns[] = {
	{ "time_ns", "time", PT_UNIT_STAMP, PT_ALWAYS },
	{ "time_error_ns", "+-", PT_UNIT_NS, PT_IF_WIDE },
	{ "clock", "clock", PT_UNIT_TICKS, PT_IF_WIDE },
	{ "value", "value", PT_UNIT_TICKS, PT_ALWAYS },
	{ "value_ns", "value, time", PT_UNIT_NS, PT_IF_WIDE },	/* for values that are not on the profile's clock */
	{ "rule", "rule", PT_UNIT_NONE, PT_ALWAYS },
	{ "path", "calls that led to it", PT_UNIT_NONE, PT_ALWAYS },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	const struct pt_limits *limits = ((const struct pt_profile *)subject)->limits;

	return limits != NULL ? limits->n_violations : (size_t)PT_NOT_MADE;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_violation *v = &p->limits->violation[i];

	*out++ = (struct pt_value){ .u = v->at.ns, .basis = PT_BASIS_MODELLED };
	*out++ = (struct pt_value){ .u = pt_timestamp_error(v->at) };
	*out++ = (struct pt_value){ .u = v->clock, .basis = v->clock != PT_UNKNOWN ? p->times : PT_BASIS_NONE };
	*out++ = (struct pt_value){ .u = v->value, .basis = v->value != PT_UNKNOWN ? p->times : PT_BASIS_NONE };
	*out++ = (struct pt_value){ .u = v->value_ns, .basis = v->value_ns != PT_UNKNOWN ? PT_BASIS_EXACT : PT_BASIS_NONE };
	*out++ = (struct pt_value){ .text = p->limits->limit[v->rule].rule->text };
	*out++ = (struct pt_value){ .text = v->path };
	*out++ = pt_core_value(p->n_cores, v->core);
}

static bool remark(const void *subject, const bool *shown, char *out, size_t room)
{
	const struct pt_limits *limits = ((const struct pt_profile *)subject)->limits;

	(void)shown;
	if (limits == NULL || limits->n_unkept == 0)
		return false;
	snprintf(out, room, "%" PRIu64 " more violations are not listed: the first %d are kept", limits->n_unkept,
		 PT_VIOLATIONS);
	return true;
}

const struct pt_view pt_view_violations = {
	.name = "violations", .help = "violations of timing rules, with the calls that led to them", .needs = "limits",
	.wide = true, .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
	.remark = remark,
};
