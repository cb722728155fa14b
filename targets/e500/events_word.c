/* events CORE [TEXT] [format=json]: lists the events that a core's performance monitor can count, with all their names
 * and the source of each. The list is the same for every board: the target is not accessed. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "targets/e500/core/events.h"
#include "targets/e500/events_word.h"
#include "base/util.h"

static const char *const work[] = {
	[PT_E500_UNKNOWN] = "", [PT_E500_SPEC] = "Spec", [PT_E500_NONSPEC] = "Nonspec", [PT_E500_OUTSIDE] = "others",
};

/* Finds it anywhere in the text, ignoring case. */
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

struct printer { void (*say)(void *arg, const char *line); void *arg; };

static void say_event(const struct printer *to, enum pt_e500_core core, const struct pt_e500_event *event)
{
	char place[24], aliases[160], line[500];

	snprintf(place, sizeof(place), "%s:%u", event->prefix, event->number);
	snprintf(line, sizeof(line), "%-9s %-8s %s%s", place, work[event->work], event->name,
		 (event->unsure_cores >> core & 1) != 0 ? " (expected, in no list of this core)" : "");
	to->say(to->arg, line);
	if (*aliases_of(core, event, aliases, sizeof(aliases)) != '\0') {
		snprintf(line, sizeof(line), "%19sperf: %s", "", aliases);
		to->say(to->arg, line);
	}
	snprintf(line, sizeof(line), "%19s%s", "", event->meaning);
	to->say(to->arg, line);
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

static int refuse_core(const char *name, struct pt_err *err)
{
	struct pt_question question;
	char names[80] = "";
	size_t len = 0;

	for (int core = 0; core < PT_E500_CORES; core++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", core > 0 ? ", " : "",
					pt_e500_kinds[core].name);
	if (name == NULL)
		return pt_fail(err, PT_EARG, "events: of which core? There are %s", names);
	return pt_fail(err, PT_EARG, "events: there is no list of '%.40s'%sthere are: %s", name,
		       pt_did_you_mean(name, names, &question), names);
}

static bool is_asked(const struct pt_e500_event *event, enum pt_e500_core core, const char *what)
{
	return pt_e500_has(event, core) && (has_inside(event->name, what) || has_inside(event->meaning, what));
}

static bool any_is_asked(enum pt_e500_core core, const char *what)
{
	for (size_t i = 0; i < pt_e500_n_events; i++)
		if (is_asked(&pt_e500_events[i], core, what))
			return true;
	return false;
}

static void say_text(const struct printer *to, enum pt_e500_core core, const char *what)
{
	for (size_t i = 0; i < pt_e500_n_events; i++)
		if (is_asked(&pt_e500_events[i], core, what))
			say_event(to, core, &pt_e500_events[i]);
	to->say(to->arg, "");
	to->say(to->arg, "Spec: work that is thrown away counts, too; Nonspec: it does not. Recalled, not verified. "
			 "Ref, Com: on any counter; C0 C1: on these.");
}

static int say_json(const struct printer *to, enum pt_e500_core core, const char *what, struct pt_err *err)
{
	json_t *list = json_array();
	char *text, *save;

	for (size_t i = 0; i < pt_e500_n_events; i++)
		if (is_asked(&pt_e500_events[i], core, what))
			json_array_append_new(list, to_json(core, &pt_e500_events[i]));
	text = json_dumps(list, JSON_INDENT(2));
	json_decref(list);
	if (text == NULL)
		return pt_fail(err, PT_ENOMEM, "events: no memory");
	for (char *line = strtok_r(text, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save))
		to->say(to->arg, line);
	free(text);
	return 0;
}

int pt_e500_print_events(void *state, const char *const *words, size_t n_words,
			 void (*say)(void *arg, const char *line), void *arg, struct pt_err *err)
{
	bool json = n_words > 0 && strcmp(words[n_words - 1], "format=json") == 0;
	struct printer to = { say, arg };
	const char *what;
	int core;

	(void)state;
	n_words -= json;
	core = n_words > 0 ? find_core(words[0]) : -1;
	what = n_words > 1 ? words[1] : "";
	if (core < 0)
		return refuse_core(n_words > 0 ? words[0] : NULL, err);
	if (n_words > 2)
		return pt_fail(err, PT_EARG, "events takes a core and one word to look for, not \"%.40s\"", words[2]);
	if (!json && !any_is_asked((enum pt_e500_core)core, what))
		return pt_fail(err, PT_EARG,
			       "events: %s has none with '%.40s' in its name or meaning; events %s lists all",
			       pt_e500_kinds[core].name, what, pt_e500_kinds[core].name);
	if (json)
		return say_json(&to, (enum pt_e500_core)core, what, err);
	say_text(&to, (enum pt_e500_core)core, what);
	return 0;
}
