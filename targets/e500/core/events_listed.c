/* The events of each core as rows for a list of them. */
#include <stdio.h>

#include "targets/e500/core/events.h"

static const char *const work[] = {
	[PT_E500_UNKNOWN] = "", [PT_E500_SPEC] = "Spec", [PT_E500_NONSPEC] = "Nonspec", [PT_E500_OUTSIDE] = "others",
};

static void put_perf_names(enum pt_e500_core core, unsigned wanted, char *text, size_t room)
{
	const char *name;
	size_t len = 0;
	unsigned number;

	text[0] = '\0';
	for (size_t i = 0; (name = pt_e500_alias(core, i, &number)) != NULL && len < room; i++)
		if (number == wanted)
			len += (size_t)snprintf(text + len, room - len, "%s%s", len > 0 ? ", " : "", name);
}

static bool next_event(const struct pt_countable_list *list, size_t *at, struct pt_countable *out)
{
	enum pt_e500_core core = (enum pt_e500_core)(list - pt_e500_countable);
	const struct pt_e500_event *event;

	while (*at < pt_e500_n_events && !pt_e500_has(&pt_e500_events[*at], core))
		++*at;
	if (*at >= pt_e500_n_events)
		return false;
	event = &pt_e500_events[(*at)++];
	*out = (struct pt_countable){
		.number = event->number, .prefix = event->prefix, .work = work[event->work], .name = event->name,
		.meaning = event->meaning, .source = event->source, .threshold = event->threshold,
		.expected_only = (event->unsure_cores >> core & 1) != 0,
	};
	put_perf_names(core, event->number, out->perf, sizeof(out->perf));
	return true;
}

static const char note[] = "Spec: work that is thrown away counts, too; Nonspec: it does not. Recalled, not verified. "
			   "Ref, Com: on any counter; C0 C1: on these.";

const struct pt_countable_list pt_e500_countable[] = {
	[PT_E500_V1] = { "e500v1", note, next_event },
	[PT_E500_V2] = { "e500v2", note, next_event },
	[PT_E500_MC] = { "e500mc", note, next_event },
	[PT_E500_E5500] = { "e5500", note, next_event },
	[PT_E500_E6500] = { "e6500", note, next_event },
	[PT_E500_CORES] = { NULL, NULL, NULL },
};
