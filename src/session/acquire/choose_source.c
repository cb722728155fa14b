/* Selects the source and its mode: by the settings of the start, else the first that the chip offers. */
#include "base/door.h"
#include "session/acquire/acquisition_parts.h"
#include "session/acquire/place_word.h"
#include "targets/contract/source_watch.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/alloc.h"
#include "host/log.h"
#include "base/util.h"

const struct pt_param pt_live_rows[] = {
	[SOURCE] = { "source", PT_PARAM_TEXT, NULL, NULL, 0, 0,
		     "where the trace comes from; the first the chip offers that works here" },
	[MODE] = { "mode", PT_PARAM_TEXT, NULL, NULL, 0, 0, "how the source works; its first mode" },
	[SEED] = { "seed", PT_PARAM_NUMBER, "1", NULL, 0, 0, "of the jitter between bursts and batches" },
	[FOR] = { "for", PT_PARAM_TIME, NULL, NULL, 0, 0, "rest after the core has run for so long" },
	[RECORDER] = { "recorder", PT_PARAM_FLAG, "off", NULL, 0, 0,
		       "whatever source and mode keep the last branches before a halt" },
};

const struct pt_param *pt_live_param(size_t i)
{
	return i <= FOR ? &pt_live_rows[i] : NULL;
}

static bool own_word(const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < PT_LEN(pt_live_rows); i++)
		if (strlen(pt_live_rows[i].key) == len && strncmp(pt_live_rows[i].key, word, len) == 0)
			return true;
	return false;
}

static int read_own_words(struct pt_live *live, struct pt_err *err)
{
	live->own = pt_params_new();
	for (size_t i = 0; i < live->n_words; i++)
		if (own_word(live->words[i]) &&
		    pt_params_add(live->own, pt_live_rows, PT_LEN(pt_live_rows), live->words[i], err) < 0)
			return err->code;
	return 0;
}

/* Whether this chip has the source. If it lacks something at the moment, a buffer or symbols, start() says so. */
static bool is_here(struct pt_target *target, const struct pt_source_ops *source)
{
	struct pt_err why = { 0 };

	return source->available(target, &why) != PT_EUNSUPPORTED;
}

static void list_sources(struct pt_target *target, const struct pt_source_ops *const *sources, size_t n, char *names,
			 size_t room)
{
	size_t at = 0;

	names[0] = '\0';
	for (size_t i = 0; i < n && at < room; i++)
		if (is_here(target, sources[i]))
			at += (size_t)snprintf(names + at, room - at, "%s%s (%s)", at > 0 ? ", " : "", sources[i]->name,
					       sources[i]->modes);
}

/* The name as the source spells it, a constant; NULL: it has no such mode. */
static const char *find_mode(const char *modes, const char *name, char *found, size_t room)
{
	while (*modes != '\0') {
		size_t len = strcspn(modes, "|");

		if (name == NULL || (strlen(name) == len && strncmp(name, modes, len) == 0)) {
			snprintf(found, room, "%.*s", (int)len, modes);
			return found;
		}
		modes += len + (modes[len] == '|');
	}
	return NULL;
}

/* "pcsr", or "pcsr+watch". Sources that variables select implicitly (watch) work beside others, but not beside
 * themselves. */
static bool is_named(const struct pt_source_ops *ops, const char *name)
{
	size_t len = pt_with_watch_named(name);

	if (strcmp(name, ops->name) == 0)
		return true;
	return len > 0 && !ops->of_places && strlen(ops->name) == len && strncmp(ops->name, name, len) == 0;
}

static bool fits(const struct pt_live *live, const struct pt_source_ops *ops)
{
	const char *name = pt_params_text(live->own, &pt_live_rows[SOURCE]);
	const char *mode = pt_params_text(live->own, &pt_live_rows[MODE]);
	char found[32];

	if (pt_params_flag(live->own, &pt_live_rows[RECORDER]))
		return ops->recorder != NULL;
	if (name == NULL && (ops->only_by_name || ops->of_places))
		return false;
	return name != NULL ? is_named(ops, name) : find_mode(ops->modes, mode, found, sizeof(found)) != NULL;
}

/* "; did you mean NAME?" among the sources, or their modes if no source was named; or "". */
static const char *ask_nearest(struct pt_target *target, const struct pt_source_ops *const *sources, size_t n,
			       const char *name, const char *mode, char *question)
{
	struct pt_nearest near;

	pt_nearest_init(&near, name != NULL ? name : mode, strlen(name != NULL ? name : mode));
	for (size_t i = 0; i < n; i++)
		if (is_here(target, sources[i]))
			pt_nearest_offer_list(&near, name != NULL ? sources[i]->name : sources[i]->modes);
	return pt_nearest_question(&near, question, PT_NEAREST_QUESTION);
}

/* Lists the intrusive sources that work here: a command to type for each, and its overhead. */
static int offer_intrusive(struct pt_target *target, const struct pt_source_ops *const *sources, size_t n,
			   struct pt_err *err)
{
	char list[700] = "", cost[320];
	const char *first = NULL;
	struct pt_err why = { .code = PT_EUNSUPPORTED };
	size_t at = 0;

	for (size_t i = 0; i < n && at < sizeof(list); i++) {
		if (sources[i]->of_places || sources[i]->available(target, &why) < 0)
			continue;
		snprintf(cost, sizeof(cost), "%.300s", sources[i]->help);
		if (sources[i]->cost != NULL)
			sources[i]->cost(target, cost, sizeof(cost));
		first = first == NULL ? sources[i]->name : first;
		at += (size_t)snprintf(list + at, sizeof(list) - at, "\n  %s%s: %s",
				       pt_setting_by_door("--source ", "source="), sources[i]->name, cost);
	}
	if (at == 0)
		return pt_fail(err, why.code, "no source works here: %.300s; %s says what each lacks", why.msg,
			       pt_by_door("proftap monitor sources", "monitor sources"));
	return pt_fail(err, PT_EARG, "each source of this target disturbs the program; name one, such as %s%s%s",
		       pt_setting_by_door("--source ", pt_by_door("proftap monitor profile run 2s source=",
								  "monitor profile run 2s source=")),
		       first, list);
}

static int no_source(const struct pt_live *live, struct pt_target *target, const struct pt_source_ops *const *sources,
		     size_t n, struct pt_err *err)
{
	const char *name = pt_params_text(live->own, &pt_live_rows[SOURCE]);
	const char *mode = pt_params_text(live->own, &pt_live_rows[MODE]);
	char names[600], question[PT_NEAREST_QUESTION];

	if (n == 0)
		return pt_fail(err, PT_EUNSUPPORTED, "this target has no source of trace");
	if (pt_params_flag(live->own, &pt_live_rows[RECORDER]))
		return pt_fail(err, PT_EUNSUPPORTED, "this target has no source that keeps the last branches");
	list_sources(target, sources, n, names, sizeof(names));
	if (name == NULL && mode == NULL)
		return offer_intrusive(target, sources, n, err);
	return pt_fail(err, PT_EARG, "no source %s%s%sthis target has: %s", name != NULL ? "" : "with mode ",
		       name != NULL ? name : mode, ask_nearest(target, sources, n, name, mode, question), names);
}

/* If the user named a source or mode that the chip lacks, the error lists the sources that it has; without a named source
 * it suggests one that works, but must be named because it is intrusive. */
static int none_works(const struct pt_live *live, struct pt_target *target, const struct pt_source_ops *const *sources,
		      size_t n, struct pt_err *err)
{
	struct pt_err why = *err;
	char names[600];

	list_sources(target, sources, n, names, sizeof(names));
	if (why.code == PT_EUNSUPPORTED && names[0] != '\0' &&
	    (pt_params_text(live->own, &pt_live_rows[SOURCE]) != NULL ||
	     pt_params_text(live->own, &pt_live_rows[MODE]) != NULL))
		return pt_fail(err, why.code, "%.400s; this target has: %s", why.msg, names);

	for (size_t i = 0; i < n; i++)
		if (sources[i]->only_by_name && pt_params_text(live->own, &pt_live_rows[SOURCE]) == NULL &&
		    !pt_params_flag(live->own, &pt_live_rows[RECORDER]))
			return pt_fail(err, why.code, "%.400s; source=%.30s works, but disturbs the program", why.msg,
				       sources[i]->name);
	return err->code;
}

/* A branch trace is useless if the code cannot be walked. */
static int check_code(const struct pt_live *live, struct pt_err *err)
{
	if (!live->ops->flow || live->program == NULL || pt_program_isa(live->program) != &pt_isa_none)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED,
		       "it traces branches, and this version cannot walk the code of %.100s; "
		       "samples of the program counter need no walk",
		       pt_program_shown_path(live->program));
}

static bool holds_core(const struct pt_live *live)
{
	const char *mode = pt_params_text(live->own, &pt_live_rows[MODE]);

	return mode != NULL && live->ops->holds != NULL && strcmp(mode, live->ops->holds) == 0;
}

/* The user named SOURCE+watch: SOURCE, which also reads variables. */
static int look_beside(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	const char *name = pt_params_text(live->own, &pt_live_rows[SOURCE]);

	live->beside = NULL;
	if (name == NULL || strcmp(name, live->ops->name) == 0)
		return 0;
	if (pt_source_watch.available(target, err) < 0)
		return pt_wrap(err, "source %s", name);
	if (holds_core(live))
		return pt_fail(
			err, PT_EARG,
			"source %s: mode %s holds the core for most of the time, and variables are looked at while "
			"it runs: leave out %s",
			name, live->ops->holds, name + strlen(live->ops->name));
	live->beside = live->ops;
	pt_with_watch_make(&live->with, live->beside);
	live->ops = &live->with.ops;
	return 0;
}

static bool is_any_named(const struct pt_live *live)
{
	for (size_t i = 0; i < live->n_places; i++)
		if (live->places[i].named)
			return true;
	return false;
}

/* Variables are named, and the source does not record the program's writes: read them periodically beside it. */
static void look_by_itself(struct pt_live *live, struct pt_target *target)
{
	struct pt_err why = { 0 };

	live->unwatched[0] = '\0';
	if (!is_any_named(live) || live->beside != NULL || live->ops->of_places || live->ops->of_writes ||
	    pt_params_flag(live->own, &pt_live_rows[RECORDER]))
		return;
	if (holds_core(live)) {
		snprintf(live->unwatched, sizeof(live->unwatched), "mode %s holds the core for most of the time",
			 live->ops->holds);
	} else if (pt_source_watch.available(target, &why) < 0) {
		snprintf(live->unwatched, sizeof(live->unwatched), "%.200s", why.msg);
	} else {
		live->beside = live->ops;
		pt_with_watch_make(&live->with, live->beside);
		live->ops = &live->with.ops;
		return;
	}
	pt_warn("profile: variables are not followed: %s", live->unwatched);
}

/* The source that was named, or else the first that has the wanted mode and works here, starting at number `first`. */
static int choose_source(struct pt_live *live, struct pt_target *target, size_t first, struct pt_err *err)
{
	size_t n, n_tried = 0;
	const struct pt_source_ops *const *sources = target->ops->sources(target->state, &n);
	bool walks;

	for (size_t i = first; i < n; i++) {
		if (!fits(live, sources[i]))
			continue;
		live->ops = sources[i];
		walks = check_code(live, err) == 0;
		if (walks && live->ops->available(target, err) == 0) {
			if (look_beside(live, target, err) < 0)
				return err->code;
			look_by_itself(live, target);
			return 0;
		}
		live->lacks = walks && err->code == PT_EUNSUPPORTED;
		pt_wrap(err, "source %s", sources[i]->name);
		memcpy(live->instead, err->msg, sizeof(live->instead));
		n_tried++;
	}
	live->ops = NULL;
	return n_tried > 0 ? none_works(live, target, sources, n, err) : no_source(live, target, sources, n, err);
}

/* As the user gave it; NULL: the first mode of the source. */
static const char *wanted_mode(const struct pt_live *live)
{
	if (pt_params_flag(live->own, &pt_live_rows[RECORDER]))
		return live->ops->recorder;
	return pt_params_text(live->own, &pt_live_rows[MODE]);
}

static bool has_row(const struct pt_param *rows, size_t n_rows, const char *word)
{
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < n_rows; i++)
		if (strlen(rows[i].key) == len && strncmp(rows[i].key, word, len) == 0)
			return true;
	return false;
}

/* Its settings and those of its members, except the members' modes, which it sets itself. */
static void collect_rows(struct pt_live *live)
{
	const struct pt_source_ops *const *member = live->ops->members;

	live->n_rows = live->ops->n_params;
	for (size_t i = 0; member != NULL && member[i] != NULL; i++)
		live->n_rows += member[i]->n_params;
	live->rows = pt_realloc_array(live->rows, live->n_rows + 1, sizeof(*live->rows));
	live->n_rows = 0;
	for (size_t k = 0; k < live->ops->n_params; k++)
		live->rows[live->n_rows++] = live->ops->params[k];
	for (size_t i = 0; member != NULL && member[i] != NULL; i++)
		for (size_t k = 0; k < member[i]->n_params; k++)
			if (!has_row(live->rows, live->n_rows, member[i]->params[k].key) &&
			    strcmp(member[i]->params[k].key, "mode") != 0)
				live->rows[live->n_rows++] = member[i]->params[k];
}

/* A setting on the command line may be for another source of this chip: that is no error. */
static bool for_another_source(const struct pt_live *live, const char *word)
{
	size_t n;
	const struct pt_source_ops *const *source = live->target->ops->sources(live->target->state, &n);

	for (size_t i = 0; i < n; i++)
		if (source[i] != live->ops && has_row(source[i]->params, source[i]->n_params, word))
			return !has_row(live->rows, live->n_rows, word);
	return false;
}

void pt_live_name_others(struct pt_live *live, const char *settings)
{
	snprintf(live->others, sizeof(live->others), "%s", settings);
}

static int no_setting(const struct pt_live *live, const char *word, struct pt_err *err)
{
	size_t len = strcspn(word, "="), at = 0;
	char keys[400] = "", question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, word, len);
	pt_nearest_offer_list(&near, live->others);
	for (size_t i = 0; i < live->n_rows; i++) {
		pt_nearest_offer(&near, live->rows[i].key);
		if (at < sizeof(keys))
			at += (size_t)snprintf(keys + at, sizeof(keys) - at, " %s", live->rows[i].key);
	}
	return pt_fail(err, PT_EARG, "there is no setting '%.*s'%sthere are: source mode%s; of every profile:%s",
		       len < 40 ? (int)len : 40, word, pt_nearest_question(&near, question, sizeof(question)), keys,
		       live->others);
}

static int read_source_words(struct pt_live *live, struct pt_err *err)
{
	char mode[32], word[48], place[1000];

	if (find_mode(live->ops->modes, wanted_mode(live), mode, sizeof(mode)) == NULL)
		return pt_fail(err, PT_EARG, "source %s has no mode %s; it has: %s", live->ops->name, wanted_mode(live),
			       live->ops->modes);
	collect_rows(live);
	pt_params_free(live->settings);
	live->settings = pt_params_new();
	snprintf(word, sizeof(word), "mode=%s", mode);
	if (has_row(live->rows, live->n_rows, word) &&
	    pt_params_add(live->settings, live->rows, live->n_rows, word, err) < 0)
		return err->code;
	for (size_t i = 0; i < live->n_words; i++) {
		if (own_word(live->words[i]))
			continue;
		if (for_another_source(live, live->words[i]))
			pt_info("profile: %s is not for source %s", live->words[i], live->ops->name);
		else if (strchr(live->words[i], '=') != NULL && !has_row(live->rows, live->n_rows, live->words[i]))
			return no_setting(live, live->words[i], err);
		else if (pt_place_word(live->program, live->rows, live->n_rows, live->words[i], place, sizeof(place),
				       err) < 0 ||
			 pt_params_add(live->settings, live->rows, live->n_rows, place, err) < 0)
			return err->code;
	}
	return 0;
}

static bool is_recorder(const struct pt_live *live)
{
	const char *mode = wanted_mode(live);

	return mode != NULL && live->ops->recorder != NULL && strcmp(mode, live->ops->recorder) == 0;
}

int pt_live_choose(struct pt_live *live, struct pt_target *target, struct pt_err *err)
{
	if (read_own_words(live, err) < 0 || choose_source(live, target, 0, err) < 0 ||
	    read_source_words(live, err) < 0)
		return err->code;
	live->is_recorder = is_recorder(live);
	return 0;
}

bool pt_live_choose_next(struct pt_live *live, struct pt_target *target, const struct pt_err *why)
{
	struct pt_err ignored = { 0 };
	char said[sizeof(live->instead)];
	size_t n, at = 0;
	const struct pt_source_ops *const *sources = target->ops->sources(target->state, &n);
	bool named = pt_params_given(live->own, &pt_live_rows[SOURCE]) ||
		     pt_params_given(live->own, &pt_live_rows[MODE]) ||
		     pt_params_flag(live->own, &pt_live_rows[RECORDER]);

	if (named || (why->code != PT_ESTATE && why->code != PT_EUNSUPPORTED && why->code != PT_EBUSY))
		return false;
	while (at < n && sources[at] != (live->beside != NULL ? live->beside : live->ops))
		at++;
	memcpy(said, why->msg, sizeof(said));
	if (choose_source(live, target, at + 1, &ignored) < 0 || read_source_words(live, &ignored) < 0)
		return false;
	memcpy(live->instead, said, sizeof(said));
	live->lacks = false;
	return true;
}

const char *pt_live_mode(const struct pt_live *live, char *mode, size_t room)
{
	return find_mode(live->ops->modes, wanted_mode(live), mode, room);
}

/* The titles are in the order of the modes. */
void pt_live_title(const struct pt_live *live, char *title, size_t room)
{
	const char *mode = live->ops->modes, *at = live->ops->titles;
	char wanted[32];
	size_t len;

	pt_live_mode(live, wanted, sizeof(wanted));
	len = strlen(wanted);
	while (strncmp(mode, wanted, len) != 0 || (mode[len] != '|' && mode[len] != '\0')) {
		mode = strchr(mode, '|');
		at = strchr(at, '|');
		if (mode == NULL || at == NULL) {
			snprintf(title, room, "%s", live->ops->name);
			return;
		}
		mode++;
		at++;
	}
	snprintf(title, room, "%.*s", (int)strcspn(at, "|"), at);
}
