/* One row per cause (and per source, if there are several): the time that is not in the statistics, and whether by
 * design or by a fault. */
#include <math.h>

#include "profile/result/profile.h"
#include "report/table/view.h"
#include "base/util.h"

extern const struct pt_view pt_view_gaps;

static const struct pt_column columns[] = {
	{ "cause", "cause", PT_UNIT_NONE, PT_ALWAYS },
	{ "kind", "kind", PT_UNIT_NONE, PT_ALWAYS },
	{ "events", "events", PT_UNIT_COUNT, PT_ALWAYS },
	{ "bytes", "bytes", PT_UNIT_BYTES, PT_IF_MUCH_ROOM },
	{ "ns", "time", PT_UNIT_NS, PT_ALWAYS },
	{ "share", "of total", PT_UNIT_SHARE, PT_ALWAYS },
	{ "source", "source", PT_UNIT_NONE, PT_IF_MUCH_ROOM },
};

struct place { const struct pt_loss_sum *loss; const char *source; unsigned cause; };

/* The source and cause of row i; loss NULL: past the end. */
static struct place place_of(const struct pt_profile *p, size_t i)
{
	const struct pt_loss_sum *loss;

	for (size_t s = 0; (loss = pt_profile_account(p, s)) != NULL; s++) {
		for (unsigned cause = 1; cause < PT_N_LOSSES; cause++)
			if ((loss->by[cause].events != 0 || loss->by[cause].ns != 0) && i-- == 0)
				return (struct place){ loss, p->n_sources > 1 ? p->sources[s].source : NULL, cause };
	}
	return (struct place){ 0 };
}

static size_t n_rows(const void *subject)
{
	size_t n = 0;

	while (place_of(subject, n).loss != NULL)
		n++;
	return n;
}

/* A lower bound if some losses do not say how many bytes. */
static struct pt_value bytes(const struct pt_loss_sum *loss, unsigned cause)
{
	uint64_t n = loss->by[cause].bytes;

	if (loss->unsized[cause] == 0)
		return (struct pt_value){ .u = n, .basis = PT_BASIS_EXACT };
	return (struct pt_value){ .u = n > 0 ? n : PT_UNKNOWN, .at_least = n > 0, .basis = PT_BASIS_EXACT };
}

static void row(const void *subject, size_t i, struct pt_value *out)
{
	struct place at = place_of(subject, i);
	uint64_t ns = at.loss->by[at.cause].ns, total_ns = at.loss->total_ns;
	bool untimed = pt_loss_is_untimed(at.loss, at.cause);

	out[0] = (struct pt_value){ .text = pt_loss_name((enum pt_loss)at.cause) };
	out[1] = (struct pt_value){ .text = pt_loss_is_fault((enum pt_loss)at.cause) ? "lost" : "unobserved" };
	out[2] = (struct pt_value){ .u = at.loss->by[at.cause].events, .basis = PT_BASIS_EXACT };
	out[3] = bytes(at.loss, at.cause);
	out[4] = (struct pt_value){ .u = untimed ? PT_UNKNOWN : ns, .basis = PT_BASIS_EXACT };
	out[5] = (struct pt_value){ .f = untimed        ? NAN
					 : total_ns > 0 ? (double)ns / (double)total_ns
							: 0,
				    .basis = PT_BASIS_EXACT };
	out[6] = (struct pt_value){ .text = at.source };
}

const struct pt_view pt_view_gaps = {
	.name = "gaps", .help = "what is not in the statistics, by cause", .sort = "ns",
	.columns = columns, .n_columns = PT_LEN(columns), .n_rows = n_rows, .row = row,
};
