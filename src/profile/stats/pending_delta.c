#include "profile/stats/pending_delta.h"

void pt_since_take(struct pt_since *s, const struct pt_event *e)
{
	size_t row = e->value.at < PT_SINCE_EXCEPTIONS ? (size_t)e->value.at : PT_SINCE_EXCEPTIONS;
	struct pt_stat *stat = &s->exception[row];

	if (e->cause == PT_SINCE_GOES_ON)
		return;		/* the one that ends it says all */
	s->total += e->value.value;
	if (e->cause == PT_SINCE_AT_LEAST) {
		s->n_at_least++;
		s->at_least += e->value.value;
		return;
	}
	if (stat->n == 0)
		*stat = pt_stat_empty();
	pt_stat_add(stat, e->value.value, PT_UNKNOWN);
}

void pt_since_join(struct pt_stat *to, const struct pt_stat *stat)
{
	if (stat->n == 0)
		return;
	if (to->n == 0)
		*to = pt_stat_empty();
	to->n += stat->n;
	to->total += stat->total;
	to->min = stat->min < to->min ? stat->min : to->min;
	to->max = stat->max > to->max ? stat->max : to->max;
}
