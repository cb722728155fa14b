/* proftap events: what the performance monitor of a core can count, by all of its names, with where that is known
 * from. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "host/log.h"
#include "cli/app.h"
#include "targets/registry.h"
#include "base/util.h"
#include "cli/subcommands.h"

/* It need not stand at the beginning, nor in the same case. */
static bool has_inside(const char *text, const char *what)
{
	for (size_t len = strlen(what); *text != '\0'; text++)
		if (strncasecmp(text, what, len) == 0)
			return true;
	return false;
}

static void print_text(const struct pt_countable *event)
{
	char place[24];

	snprintf(place, sizeof(place), "%s:%u", event->prefix, event->number);
	printf("%-9s %-8s %s%s\n", place, event->work, event->name,
	       event->expected_only ? " (expected, in no list of this core)" : "");
	if (event->perf[0] != '\0')
		printf("%19sperf: %s\n", "", event->perf);
	printf("%19s%s\n", "", event->meaning);
}

static json_t *to_json(const struct pt_countable *event)
{
	return json_pack("{s:i, s:s, s:s, s:s, s:s, s:s, s:b, s:b, s:s}", "number", (int)event->number, "prefix",
			 event->prefix, "work", event->work, "name", event->name, "perf", event->perf, "meaning",
			 event->meaning, "threshold", event->threshold, "expected_only", event->expected_only, "source",
			 event->source);
}

/* The i-th list of all targets together; NULL: there are no more. */
static const struct pt_countable_list *nth_list(size_t i)
{
	for (size_t t = 0; t < pt_n_targets; t++)
		for (const struct pt_countable_list *l = pt_targets[t]->countable; l != NULL && l->core != NULL; l++)
			if (i-- == 0)
				return l;
	return NULL;
}

static const struct pt_countable_list *find_list(const char *core)
{
	const struct pt_countable_list *list;

	for (size_t i = 0; (list = nth_list(i)) != NULL; i++)
		if (strcasecmp(list->core, core) == 0)
			break;
	return list;
}

static int wrong_core(const char *name)
{
	const struct pt_countable_list *list;
	char names[80] = "";
	size_t len = 0;

	for (size_t i = 0; (list = nth_list(i)) != NULL && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i > 0 ? ", " : "", list->core);
	if (name == NULL)
		pt_error("events: of which core? There are %s", names);
	else
		pt_error("events: there is no list of '%.40s', but of %s", name, names);
	return PT_EXIT_USAGE;
}

static int run_events(const struct pt_options *options)
{
	const struct pt_countable_list *list = options->n_rest > 0 ? find_list(options->rest[0]) : NULL;
	const char *what = options->n_rest > 1 ? options->rest[1] : "";
	json_t *rows = json_array();
	struct pt_countable event;

	if (list == NULL) {
		json_decref(rows);
		return wrong_core(options->n_rest > 0 ? options->rest[0] : NULL);
	}
	for (size_t at = 0; list->next(list, &at, &event);) {
		if (!has_inside(event.name, what) && !has_inside(event.meaning, what))
			continue;
		if (options->json)
			json_array_append_new(rows, to_json(&event));
		else
			print_text(&event);
	}
	if (options->json) {
		json_dumpf(rows, stdout, JSON_INDENT(2));
		printf("\n");
	} else {
		printf("\n%s\n", list->note);
	}
	json_decref(rows);
	return PT_EXIT_DONE;
}

const struct pt_verb pt_verb_events = {
	"events", "e500v1|e500v2|e500mc|e5500|e6500 [TEXT] [--json]",
	"what a core's performance monitor can count", run_events,
};
