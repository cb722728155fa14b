#include "profile/analyses/counters/scheduled_together.h"

#include <string.h>

static struct pt_together_set *set_of(struct pt_together *t)
{
	for (size_t i = 0; i < t->n_sets; i++)
		if (t->set[i].members == t->now.members && t->set[i].source == t->now.source)
			return &t->set[i];
	t->full |= t->n_sets == PT_TOGETHER_SETS;
	if (t->full)
		return NULL;
	t->set[t->n_sets].members = t->now.members;
	t->set[t->n_sets].source = t->now.source;
	return &t->set[t->n_sets++];
}

static void settle(struct pt_together *t)
{
	struct pt_together_set *set = t->now.members != 0 ? set_of(t) : NULL;

	for (size_t i = 0; set != NULL && i < PT_TOGETHER_COUNTERS; i++)
		set->count[i] += t->now.count[i];
	if (set != NULL)
		set->ns += t->now.ns;
	memset(&t->now, 0, sizeof(t->now));
}

void pt_together_add(struct pt_together *t, uint16_t source, size_t counter, uint64_t from_ns, uint64_t to_ns,
		     uint64_t counted)
{
	if (counter >= PT_TOGETHER_COUNTERS)
		return;
	if (t->now.source != source || t->from_ns != from_ns || t->to_ns != to_ns ||
	    (t->now.members >> counter & 1) != 0)
		settle(t);
	t->now.source = source;
	t->now.members |= UINT64_C(1) << counter;
	t->now.count[counter] = (double)counted;
	t->now.ns = (double)(to_ns - from_ns);
	t->from_ns = from_ns;
	t->to_ns = to_ns;
}

static bool take(const struct pt_together_set *set, uint16_t source, uint64_t members, double *count, double *ns)
{
	if (set->source != source || (set->members & members) != members)
		return false;
	for (size_t i = 0; i < PT_TOGETHER_COUNTERS; i++)
		if ((members >> i & 1) != 0)
			count[i] += set->count[i];
	*ns += set->ns;
	return true;
}

bool pt_together_sum(const struct pt_together *t, uint16_t source, uint64_t members, double *count, double *ns)
{
	bool any = false;

	memset(count, 0, PT_TOGETHER_COUNTERS * sizeof(*count));
	*ns = 0;
	for (size_t i = 0; !t->full && i < t->n_sets; i++)
		any |= take(&t->set[i], source, members, count, ns);
	if (!t->full)
		any |= take(&t->now, source, members, count, ns);
	return any && members != 0;
}
