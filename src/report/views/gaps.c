/* One row per cause: what is not in the statistics, and whether by design or by a fault. */
#include "profile/profile.h"
#include "report/report.h"
#include "util.h"

extern const struct pt_view pt_view_gaps;

static const struct pt_column columns[] = {
	{ "cause", "cause", PT_UNIT_NONE, true },
	{ "kind", "kind", PT_UNIT_NONE, true },
	{ "events", "events", PT_UNIT_COUNT, true },
	{ "bytes", "bytes", PT_UNIT_BYTES, true },
	{ "ns", "time", PT_UNIT_NS, true },
	{ "share", "of total", PT_UNIT_SHARE, true },
};

/* The cause in row i; PT_N_LOSSES: past the end. */
static unsigned cause_of(const struct pt_profile *p, size_t i)
{
	unsigned cause = 1;

	for (; cause < PT_N_LOSSES; cause++)
		if ((p->loss.by[cause].events != 0 || p->loss.by[cause].ns != 0) && i-- == 0)
			break;
	return cause;
}

static size_t n_rows(const void *subject)
{
	size_t n = 0;

	while (cause_of(subject, n) < PT_N_LOSSES)
		n++;
	return n;
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	const struct pt_profile *p = subject;
	unsigned cause = cause_of(p, i);
	uint64_t ns = p->loss.by[cause].ns;

	out[0] = (struct pt_value){ .text = pt_loss_name((enum pt_loss)cause) };
	out[1] = (struct pt_value){ .text = pt_loss_is_fault((enum pt_loss)cause) ? "lost" : "unobserved" };
	out[2] = (struct pt_value){ .u = p->loss.by[cause].events, .basis = PT_BASIS_EXACT };
	out[3] = (struct pt_value){ .u = p->loss.by[cause].bytes, .basis = PT_BASIS_EXACT };
	out[4] = (struct pt_value){ .u = ns, .basis = PT_BASIS_EXACT };
	out[5] = (struct pt_value){ .f = p->loss.total_ns > 0 ? (double)ns / (double)p->loss.total_ns : 0,
				    .basis = PT_BASIS_EXACT };
}

const struct pt_view pt_view_gaps = {
	.name = "gaps", .help = "what is not in the statistics, by cause", .sort = "ns",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
