/* One row per function that exceptions entered. */
#include <math.h>

#include "profile/result/profile.h"
#include "report/table/view.h"
#include "report/views/core_column.h"
#include "report/views/duration_values.h"
#include "report/views/flow_share.h"
#include "base/util.h"

extern const struct pt_view pt_view_irqs;

static const struct pt_column columns[] = {
	{ "name", "handler", PT_UNIT_NONE, PT_ALWAYS },
	{ "exceptions", "exceptions", PT_UNIT_NONE, PT_ALWAYS },
	{ "count", "count", PT_UNIT_COUNT, PT_ALWAYS },
	{ "partial", "partial", PT_UNIT_COUNT, PT_IF_WIDE },
	{ "net.total", "self", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "net_share", "self %", PT_UNIT_SHARE, PT_ALWAYS },
	{ "gross.total", "total", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "gross.min", "min", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "gross.avg", "avg", PT_UNIT_MEAN, PT_IF_ROOM },
	{ "gross.max", "max", PT_UNIT_TICKS, PT_IF_ROOM },
	{ "call.min", "call min", PT_UNIT_TICKS, PT_IF_MUCH_ROOM },
	{ "call.avg", "call avg", PT_UNIT_MEAN, PT_IF_MUCH_ROOM },
	{ "call.max", "call max", PT_UNIT_TICKS, PT_IF_MUCH_ROOM },
	{ "period.min", "per min", PT_UNIT_TICKS, PT_IF_MUCH_ROOM },
	{ "period.avg", "per avg", PT_UNIT_MEAN, PT_IF_ROOM },
	{ "period.max", "per max", PT_UNIT_TICKS, PT_IF_MUCH_ROOM },
	{ "since.min", "since min", PT_UNIT_CYCLES, PT_IF_WIDE },	/* view cof explains it */
	{ "since.avg", "since avg", PT_UNIT_REAL, PT_IF_WIDE },
	{ "since.max", "since max", PT_UNIT_CYCLES, PT_IF_WIDE },
	PT_CORE_COLUMN,
};

static size_t n_rows(const void *subject)
{
	return ((const struct pt_profile *)subject)->n_irqs;
}

/* An estimate gets the relative interval of the entries of the handler. */
static struct pt_value exceptions_of(const struct pt_profile *p, const struct pt_profile_function *f)
{
	uint64_t n = f->run->exceptions;
	struct pt_value v = { .u = n, .basis = n != PT_UNKNOWN ? p->counts : PT_BASIS_NONE };
	double part;

	v.at_least = n != PT_UNKNOWN && pt_profile_tallied(p, f->core);
	if (n == PT_UNKNOWN || pt_profile_windowed(p, f->core) == NULL || f->run->count == 0 ||
	    f->run->count == PT_UNKNOWN)
		return v;
	part = (double)n / (double)f->run->count;
	v.lo = f->count.lo * part;
	v.hi = f->count.hi * part;
	return v;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	const struct pt_profile_irq *irq = &p->irq[i];
	const struct pt_profile_function *f = irq->function;
	const struct pt_execution_function *run = f->run;
	static const enum pt_tally_kind kinds[] = { PT_TALLY_GROSS, PT_TALLY_CALL, PT_TALLY_PERIOD };

	*out++ = (struct pt_value){ .text = f->function != NULL ? f->function->name : "(no symbol)" };
	*out++ = (struct pt_value){ .text = irq->vectors[0] != '\0' ? irq->vectors : NULL };
	*out++ = exceptions_of(p, f);
	*out++ = (struct pt_value){ .u = run->partial, .basis = run->partial != PT_UNKNOWN ? p->counts : PT_BASIS_NONE };
	*out++ = pt_flow_ticks(p, f->core, p->by_instructions ? run->instructions : run->cycles, &f->net);
	*out++ = pt_function_share(p, f);
	*out++ = (struct pt_value){ .u = run->gross_total, .basis = run->gross_total != PT_UNKNOWN ? p->times : PT_BASIS_NONE,
				    .at_least = pt_profile_windowed(p, f->core) != NULL || pt_profile_tallied(p, f->core) };
	for (size_t k = 0; k < PT_LEN(kinds); k++)
		out = pt_duration_is_cut(p, f->core)
			      ? pt_duration_of_function(out, p, f, kinds[k], PT_DURATION_EXTREMES)
			      : pt_duration_all_seen(out, &run->stat[kinds[k]], p->times, PT_DURATION_EXTREMES);
	out = pt_duration_of_stamps(out, p, &irq->since);
	*out++ = pt_core_value(p->n_cores, f->core);
}

const struct pt_view pt_view_irqs = {
	.name = "irqs", .help = "exception handlers: how often, how long, preemption, period", .sort = "net",
	.also = "cof", .columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
