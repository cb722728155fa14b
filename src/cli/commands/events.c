/* proftap events: what the performance monitor of a core can count, by all of its names, with where that is known
 * from. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/log.h"
#include "cli/app.h"
#include "targets/e500/core/events.h"
#include "base/util.h"
#include "cli/subcommands.h"

static const char *const work[] = {
	[PT_E500_UNKNOWN] = "", [PT_E500_SPEC] = "Spec", [PT_E500_NONSPEC] = "Nonspec", [PT_E500_OUTSIDE] = "others",
};

/* It need not stand at the beginning, nor in the same case. */
static bool has_inside(const char *text, const char *what)
{
	for (size_t len = strlen(what); *text != '\0'; text++)
		if (strncasecmp(text, what, len) == 0)
			return true;
	return false;
}

/* perf's names of the event, with commas between them. */
static const char *aliases_of(enum pt_e500_core core, const struct pt_e500_event *event, char *text, size_t room)
{
	const char *name;
	size_t len = 0;
	unsigned number;

	text[0] = '\0';
	for (size_t i = 0; (name = pt_e500_alias(core, i, &number)) != NULL && len < room; i++)
		if (number == event->number)
			len += (size_t)snprintf(text + len, room - len, "%s%s", len > 0 ? ", " : "", name);
	return text;
}

static void print_text(enum pt_e500_core core, const struct pt_e500_event *event)
{
	char place[24], aliases[160];

	snprintf(place, sizeof(place), "%s:%u", event->prefix, event->number);
	printf("%-9s %-8s %s%s\n", place, work[event->work], event->name,
	       (event->unsure_cores >> core & 1) != 0 ? " (expected, in no list of this core)" : "");
	if (*aliases_of(core, event, aliases, sizeof(aliases)) != '\0')
		printf("%19sperf: %s\n", "", aliases);
	printf("%19s%s\n", "", event->meaning);
}

static json_t *to_json(enum pt_e500_core core, const struct pt_e500_event *event)
{
	char aliases[160];

	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:s}", "number", event->number, "prefix",
			 event->prefix, "work", work[event->work], "name", event->name, "perf",
			 aliases_of(core, event, aliases, sizeof(aliases)), "meaning", event->meaning, "threshold",
			 event->threshold, "expected_only", (event->unsure_cores >> core & 1) != 0, "source",
			 event->source);
}

static int find_core(const char *name)
{
	for (int core = 0; core < PT_E500_CORES; core++)
		if (strcasecmp(pt_e500_kinds[core].name, name) == 0)
			return core;
	return -1;
}

static int wrong_core(const char *name)
{
	char names[80] = "";
	size_t len = 0;

	for (int core = 0; core < PT_E500_CORES; core++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", core > 0 ? ", " : "",
					pt_e500_kinds[core].name);
	if (name == NULL)
		pt_error("events: of which core? There are %s", names);
	else
		pt_error("events: there is no list of '%.40s', but of %s", name, names);
	return PT_EXIT_USAGE;
}

static int run_events(const struct pt_options *options)
{
	int core = options->n_rest > 0 ? find_core(options->rest[0]) : -1;
	const char *what = options->n_rest > 1 ? options->rest[1] : "";
	json_t *list = json_array();

	if (core < 0) {
		json_decref(list);
		return wrong_core(options->n_rest > 0 ? options->rest[0] : NULL);
	}
	for (size_t i = 0; i < pt_e500_n_events; i++) {
		const struct pt_e500_event *event = &pt_e500_events[i];

		if (!pt_e500_has(event, (enum pt_e500_core)core) ||
		    (!has_inside(event->name, what) && !has_inside(event->meaning, what)))
			continue;
		if (options->json)
			json_array_append_new(list, to_json((enum pt_e500_core)core, event));
		else
			print_text((enum pt_e500_core)core, event);
	}
	if (options->json) {
		json_dumpf(list, stdout, JSON_INDENT(2));
		printf("\n");
	} else {
		printf("\nSpec: work that is thrown away counts, too; Nonspec: it does not. Recalled, not verified. "
		       "Ref, Com: on any counter; C0 C1: on these.\n");
	}
	json_decref(list);
	return PT_EXIT_DONE;
}

const struct pt_verb pt_verb_events = {
	"events", "e500v1|e500v2|e500mc|e5500|e6500 [TEXT] [--json]",
	"what a core's performance monitor can count", run_events,
};
