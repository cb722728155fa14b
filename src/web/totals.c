#include "web/totals.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"

static struct pt_web_source_total *total_of(struct pt_web_totals *totals, const char *name)
{
	struct pt_web_source_total *total;

	for (size_t i = 0; i < totals->n_sources; i++)
		if (strcmp(totals->source[i].name, name) == 0)
			return &totals->source[i];
	if (totals->n_sources > PT_WEB_SOURCES)
		return &totals->source[PT_WEB_SOURCES];
	total = &totals->source[totals->n_sources++];
	snprintf(total->name, sizeof(total->name), "%s", totals->n_sources > PT_WEB_SOURCES ? "(other)" : name);
	return total;
}

/* What has come since; a figure that was corrected downwards gives nothing until it has grown beyond what was counted. */
static uint64_t since(uint64_t now, uint64_t *seen)
{
	uint64_t more = now > *seen ? now - *seen : 0;

	*seen += more;
	return more;
}

/* Source i of this profile as it was; of a new one: nothing of it. The names of a profile's sources stay. */
static void add_time(struct pt_web_source_total *total, struct pt_web_source *seen, const struct pt_web_source *now)
{
	uint64_t all = since(now->loss.total_ns, &seen->loss.total_ns),
		 lost = since(now->loss.lost_ns, &seen->loss.lost_ns);
	uint64_t part;

	lost = lost < all ? lost : all;
	total->ns[PT_WEB_LOST] += lost;
	all -= lost;
	if (now->is_bound || seen->is_bound) {	/* the account that was is of another kind: no difference is known */
		total->ns[PT_WEB_UNDIVIDED] += all;
		seen->loss.observed_ns = now->loss.observed_ns;
		return;
	}
	part = since(now->loss.observed_ns, &seen->loss.observed_ns);
	part = part < all ? part : all;
	total->ns[PT_WEB_OBSERVED] += part;
	total->ns[PT_WEB_UNOBSERVED] += all - part;
}

static void add_losses(struct pt_web_totals *totals, struct pt_loss_sum *seen, const struct pt_loss_sum *now)
{
	for (int cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++) {
		totals->lost_bytes[cause] += since(now->by[cause].bytes, &seen->by[cause].bytes);
		totals->faults[cause] += since(now->by[cause].events, &seen->by[cause].events);
		totals->unsized[cause] += since(now->unsized[cause], &seen->unsized[cause]);
	}
}

void pt_web_totals_add(struct pt_web_totals *totals, uint64_t number, const struct pt_web_snapshot *snapshot)
{
	struct pt_web_snapshot before = totals->number == number ? totals->seen : (struct pt_web_snapshot){ .n_sources = 0 };

	for (size_t i = 0; i < snapshot->n_sources; i++) {
		const struct pt_web_source *now = &snapshot->source[i];
		struct pt_web_source *seen = &before.source[i];
		struct pt_web_source_total *total = total_of(totals, now->name);

		if (!now->no_clock)
			add_time(total, seen, now);
		total->bytes += since(now->loss.observed_bytes, &seen->loss.observed_bytes);
		add_losses(totals, &seen->loss, &now->loss);
		seen->is_bound = now->is_bound;
	}
	totals->number = number;
	totals->seen = *snapshot;
	for (size_t i = 0; i < snapshot->n_sources; i++)
		totals->seen.source[i] = before.source[i];
}
