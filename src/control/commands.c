/* The list of all rows, and how one is found by its words. */
#include "control/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/util.h"
#include "control/changes.h"
#include "report/other_names.h"
#include "report/views/views.h"

#define X(list) pt_commands_##list,
static const struct pt_command_row *const lists[] = { PT_COMMAND_LISTS(X) };
#undef X

static void each_of(const struct pt_command_row *rows, void (*each)(void *arg, const struct pt_command_row *row),
		    void *arg)
{
	for (const struct pt_command_row *row = rows; row != NULL && row->name != NULL; row++)
		each(arg, row);
}

void pt_commands_each(const struct pt_command_ctx *ctx, void (*each)(void *arg, const struct pt_command_row *row),
		      void *arg)
{
	const struct pt_target_word *word;

	for (size_t i = 0; i < PT_LEN(lists); i++)
		each_of(lists[i], each, arg);
	for (size_t i = 0; (word = pt_board_target_word(i)) != NULL; i++) {
		struct pt_command_row row = pt_command_of_target(word);

		each(arg, &row);
	}
	each_of(ctx->ops->rows, each, arg);
}

/* --- the words of a line ------------------------------------------------------------------------------------------ */

enum {
	MOST_ROWS = 96,
	LEAST_LETTERS = 2, LEAST_THAT_CONTROL = 3,	/* of an abbreviation; `r` shall not reset a chip */
};

struct names {
	const struct pt_command *cmd;
	struct pt_command_row row[MOST_ROWS];
	size_t n;
};

static void keep_row(void *arg, const struct pt_command_row *row)
{
	struct names *names = arg;

	if (names->n < MOST_ROWS)
		names->row[names->n++] = *row;
}

static bool is_served(const struct names *names, const struct pt_command_row *row)
{
	const struct pt_command_ctx *ctx = names->cmd->ctx;

	return ctx->ops->serves == NULL || ctx->ops->serves(ctx->door, row);
}

/* The word of a row's name, "" where it has none. len: its length. */
static const char *word_of(const struct pt_command_row *row, unsigned which, size_t *len)
{
	const char *word = row->name;

	for (; which > 0; which--) {
		word += strcspn(word, " ");
		word += *word == ' ';
	}
	*len = strcspn(word, " ");
	return word;
}

static bool is_word(const struct pt_command_row *row, unsigned which, const char *word)
{
	size_t len;
	const char *own = word_of(row, which, &len);

	return strlen(word) == len && strncmp(own, word, len) == 0;
}

static bool is_short_for(const struct names *names, const struct pt_command_row *row, unsigned which, const char *word)
{
	size_t own_len, len = strlen(word);
	const char *own = word_of(row, which, &own_len);
	bool controls = (row->flags & PT_COMMAND_CONTROLS) != 0 && which == 0;

	return len >= (controls ? LEAST_THAT_CONTROL : LEAST_LETTERS) && len < own_len &&
	       strncmp(own, word, len) == 0 && is_served(names, row);
}

/* Leaves the rows whose word this is; if there are none, those that it is the beginning of. False: neither. */
static bool narrow(struct names *names, unsigned which, const char *word)
{
	bool exact = false;
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++)
		exact |= is_word(&names->row[i], which, word);
	for (size_t i = 0; i < names->n; i++)
		if (exact ? is_word(&names->row[i], which, word) : is_short_for(names, &names->row[i], which, word))
			names->row[kept++] = names->row[i];
	if (kept > 0)
		names->n = kept;
	return kept > 0;
}

/* Do all rows that are left have the same word there? */
static bool is_one(const struct names *names, unsigned which)
{
	size_t len;
	const char *first = word_of(&names->row[0], which, &len);

	for (size_t i = 1; i < names->n; i++) {
		size_t other_len;
		const char *other = word_of(&names->row[i], which, &other_len);

		if (other_len != len || strncmp(other, first, len) != 0)
			return false;
	}
	return true;
}

static void list_names(const struct names *names, struct pt_text *out)
{
	for (size_t i = 0; i < names->n; i++)
		if (is_served(names, &names->row[i]))
			pt_text_add(out, "%s%s", out->len_bytes > 0 ? ", " : "", names->row[i].name);
}

static int refuse_several(const struct names *names, const char *word, struct pt_err *err)
{
	struct pt_text list = { 0 };

	list_names(names, &list);
	pt_fail(err, PT_EARG,
		names->n > 1 ? "\"%.40s\" fits several commands: %s; write more of it"
			     : "\"%.40s\" is too short for %s; write more of it",
		word, list.bytes != NULL ? list.bytes : "");
	pt_text_free(&list);
	return err->code;
}

/* Leaves the rows whose first word begins so, however few letters that are. False: none. */
static bool narrow_to_beginnings(struct names *names, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++)
		if (strncmp(names->row[i].name, word, strlen(word)) == 0 && is_served(names, &names->row[i]))
			names->row[kept++] = names->row[i];
	if (kept > 0)
		names->n = kept;
	return kept > 0;
}

/* The nearest row by its whole name or, as "report" is meant for "profile report", by its second word. */
static void find_nearest(const struct names *names, const char *word, bool whole_names, struct pt_nearest *near)
{
	const char *whole = NULL;

	pt_nearest_init(near, word, strlen(word));
	for (size_t i = 0; whole_names && i < names->n; i++)
		if (strchr(names->row[i].name, ' ') == NULL && is_served(names, &names->row[i]))
			pt_nearest_offer(near, names->row[i].name);
	for (size_t i = 0; i < names->n; i++) {
		const char *space = strchr(names->row[i].name, ' ');
		size_t before = near->n_typos;

		if (space != NULL && is_served(names, &names->row[i]))
			pt_nearest_offer(near, space + 1);
		if (near->n_typos < before)
			whole = names->row[i].name;
	}
	if (whole != NULL)
		snprintf(near->nearest, sizeof(near->nearest), "%s", whole);
}

/* "profil stop" with a slip in the first word. */
static void find_nearest_of_two(const struct names *names, const char *first, const char *second,
				struct pt_nearest *near)
{
	char two[2 * PT_NEAREST_BYTES];
	struct pt_nearest part;

	snprintf(two, sizeof(two), "%.40s %.40s", first, second);
	pt_nearest_init(&part, two, strlen(two));
	for (size_t i = 0; second[0] != '\0' && i < names->n; i++)
		if (strchr(names->row[i].name, ' ') != NULL && is_served(names, &names->row[i]))
			pt_nearest_offer(&part, names->row[i].name);
	if (part.nearest[0] != '\0' && part.n_typos < near->n_typos)
		*near = part;
}

static bool is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

/* Commands of GDB that users look for behind monitor. */
static bool is_gdbs_own(const char *word)
{
	static const char *const words[] = {
		"load", "continue", "c", "step", "stepi", "next", "break", "b", "tbreak", "watch", "info", "print", "p", "x",
		"bt", "backtrace", "file", "attach", "detach", "list", "finish", "interrupt", "disassemble", "record",
		"remote", "target", "set", "until", "delete", "kill", "run", "symbol-file",
	};

	return is_one_of(word, words, PT_LEN(words));
}

/* "exit" shall not be short for exits. */
static bool ends_a_session(const char *word)
{
	static const char *const words[] = { "exit", "quit", "q", "bye", "shutdown" };

	return is_one_of(word, words, PT_LEN(words));
}

static int refuse_to_end(const struct pt_command *cmd, struct pt_err *err)
{
	const char *word = cmd->words[0];

	if (cmd->ctx->ops->is_single)
		return pt_fail(
			err, PT_EARG,
			"\"%.40s\" is not a %s command: each one attaches and detaches by itself; exits FUNCTION "
			"lists where a function returns",
			word, cmd->ctx->ops->name);
	return pt_fail(
		err, PT_EARG,
		"\"%.40s\" is not a %s command: profile stop ends a profile; quit, typed without %s, ends the GDB "
		"session; exits FUNCTION lists where a function returns",
		word, cmd->ctx->ops->name, cmd->ctx->ops->name);
}

static bool asks_for_help(const char *word)
{
	static const char *const words[] = { "?", "--help", "-help", "-h" };

	return is_one_of(word, words, PT_LEN(words));
}

struct meaning { const char *word; size_t len; const char *kind; bool sets_profile; };

static void find_meaning(void *arg, const char *word, const char *kind, const char *line)
{
	struct meaning *meaning = arg;

	(void)line;
	if (strncmp(meaning->word, word, meaning->len) != 0 || word[meaning->len] != '\0')
		return;
	meaning->kind = kind;
	meaning->sets_profile = meaning->sets_profile || strcmp(kind, PT_PROFILE_SETTING) == 0;
}

/* What a word that is no command means elsewhere: its kind is "option", PT_PROFILE_SETTING; NULL: nothing. */
static struct meaning meaning_of(const struct pt_command *cmd, const char *word, size_t len)
{
	struct meaning meaning = { .word = word, .len = len };

	pt_glossary_each(cmd->ctx, find_meaning, &meaning);
	return meaning;
}

/* "set core-clock 48M", "core-clock 48M", "core-clock=48M": where it goes. False: it is none, as far as is known here:
 * those of sources and of the target are known where the target is. */
static bool refuse_setting(const struct pt_command *cmd, struct pt_err *err)
{
	size_t at = strcmp(cmd->words[0], "set") == 0 ? 1 : 0, len;
	const char *key = at < cmd->n_words ? cmd->words[at] : "", *value, *door = cmd->ctx->ops->name;

	len = strcspn(key, "=");
	value = key[len] == '=' ? key + len + 1 : at + 1 < cmd->n_words ? cmd->words[at + 1] : "";
	if (len == 0 || len > 40 || value[0] == '\0')
		return false;
	if (len == strlen("clock") && strncmp(key, "clock", len) == 0 && value[0] >= '0' && value[0] <= '9') {
		key = "core-clock";	/* clock= is instructions or cycles */
		len = strlen(key);
	}
	if (meaning_of(cmd, key, len).sets_profile)
		pt_fail(err, PT_EARG,
			"\"%.40s\" is not a %s command; a setting goes with the profile: %s profile run 2s %.*s=%.40s",
			cmd->words[0], door, door, (int)len, key, value);
	else if (at == 1)
		pt_fail(err, PT_EARG,
			"\"set\" is not a %s command; %s help %.*s says whose setting it is: those of a profile go with %s "
			"profile start, those of the target with proftap --set",
			door, door, (int)len, key, door);
	else
		return false;
	return true;
}

/* "profile 2s", "run 2s": the time of profile run. */
static bool is_time(const char *word)
{
	uint64_t ns;

	return word[0] >= '0' && word[0] <= '9' && pt_params_parse_seconds(word, &ns, NULL) == 0;
}

/* A view or a format by a name that other tools have for it. */
static int refuse_other_name(const struct pt_command *cmd, const char *means, struct pt_err *err)
{
	const char *word = cmd->words[0], *door = cmd->ctx->ops->name;

	if (pt_view_find(means) != NULL)
		return pt_fail(err, PT_EARG, "\"%.40s\" is not a %s command; did you mean profile report %s?", word,
			       door, means);
	return pt_fail(
		err, PT_EARG,
		"\"%.40s\" is not a %s command; format %s is for a file: %s profile save FILE, and then: proftap decode "
		"FILE --format %s -o OUT",
		word, door, means, door, means);
}

static int refuse_word(struct names *names, const char *group, struct pt_err *err)
{
	const struct pt_command *cmd = names->cmd;
	const char *first = cmd->words[0], *second = cmd->n_words > 1 ? cmd->words[1] : "";
	char question[PT_NEAREST_QUESTION];
	struct pt_text list = { 0 };
	struct pt_nearest near;
	const char *kind;

	if (group == NULL && refuse_setting(cmd, err))
		return err->code;
	if (is_time(second) && (group != NULL ? strcmp(group, "profile") : strcmp(first, "run")) == 0)
		return pt_fail(err, PT_EARG, "\"%.40s %.40s\" is not a %s command; did you mean %s profile run %.40s?",
			       group != NULL ? group : first, second, cmd->ctx->ops->name, cmd->ctx->ops->name, second);
	if (group == NULL && pt_view_meant_by(first) != NULL)
		return refuse_other_name(cmd, pt_view_meant_by(first), err);
	if (group == NULL && is_gdbs_own(first))
		return pt_fail(err, PT_EARG, "\"%.40s\" is not a %s command, but one of GDB itself: type it without %s",
			       first, cmd->ctx->ops->name, cmd->ctx->ops->name);
	find_nearest(names, group != NULL ? second : first, group == NULL, &near);
	if (group == NULL)
		find_nearest_of_two(names, first, second, &near);
	if (group == NULL && near.nearest[0] == '\0' && narrow_to_beginnings(names, first))
		return refuse_several(names, first, err);
	kind = meaning_of(cmd, first, strlen(first)).kind;
	if (group == NULL && near.nearest[0] == '\0' && kind != NULL)
		return pt_fail(err, PT_EARG, "\"%.40s\" is not a %s command; %s help %.40s says what it is: %.80s",
			       first, cmd->ctx->ops->name, cmd->ctx->ops->name, first, kind);
	if (near.nearest[0] == '\0' || group != NULL)
		list_names(names, &list);
	pt_fail(err, PT_EARG, "\"%.40s%s%.40s\" is not a %s command%s%s%s", group != NULL ? group : first,
		group != NULL ? " " : "", group != NULL ? second : "", cmd->ctx->ops->name,
		pt_nearest_question(&near, question, sizeof(question)),
		list.len_bytes > 0 ? "there are: " : "help lists them all", list.len_bytes > 0 ? list.bytes : "");
	pt_text_free(&list);
	return err->code;
}

/* --- finding ------------------------------------------------------------------------------------------------------ */

static void take_row(struct pt_command *cmd, const struct pt_command_row *row, size_t n_words)
{
	cmd->row = *row;
	cmd->n_words -= n_words;
	memmove(cmd->words, cmd->words + n_words, cmd->n_words * sizeof(cmd->words[0]));
}

/* Behind a first word that several rows share. */
static int find_second(struct names *names, struct pt_command *cmd, struct pt_err *err)
{
	size_t len;
	const char *first = word_of(&names->row[0], 0, &len);
	char group[PT_NEAREST_BYTES];

	snprintf(group, sizeof(group), "%.*s", (int)len, first);
	if (!narrow(names, 1, cmd->words[1]))
		return refuse_word(names, group, err);
	if (names->n > 1)
		return refuse_several(names, cmd->words[1], err);
	take_row(cmd, &names->row[0], 2);
	return 0;
}

/* "report details", as the last line of a report has it, is profile report details. False: not the whole second word of
 * one row. */
static bool take_second_word_alone(const struct names *names, struct pt_command *cmd)
{
	const struct pt_command_row *found = NULL;

	for (size_t i = 0; i < names->n; i++)
		if (is_word(&names->row[i], 1, cmd->words[0]) && is_served(names, &names->row[i])) {
			if (found != NULL || (names->row[i].flags & PT_COMMAND_LOOKS_ONLY) == 0)
				return false;
			found = &names->row[i];
		}
	if (found != NULL)
		take_row(cmd, found, 1);
	return found != NULL;
}

static void find_report(void *found, const struct pt_command_row *row)
{
	if (strcmp(row->name, "profile report") == 0)
		*(struct pt_command_row *)found = *row;
}

/* "timeline from=2s", "details": whole names of views and formats that are not commands are reports. */
static bool take_view_alone(struct pt_command *cmd)
{
	struct pt_command_row row = { 0 };

	if (pt_view_find(cmd->words[0]) == NULL && pt_format_find(cmd->words[0]) == NULL)
		return false;
	pt_commands_each(cmd->ctx, find_report, &row);
	if (row.run != NULL)
		take_row(cmd, &row, 0);
	return row.run != NULL;
}

/* The row of the command's first words, which go. Nothing at all, or the first word of several rows, is explained. */
static int find_row(struct pt_command *cmd, struct pt_err *err)
{
	struct names *names = pt_alloc(sizeof(*names));
	int rc = 0;

	names->cmd = cmd;
	pt_commands_each(cmd->ctx, keep_row, names);
	if (cmd->n_words > 0 && asks_for_help(cmd->words[0]))
		cmd->words[0] = "help";
	if (cmd->n_words == 0)
		take_row(cmd, &pt_command_first_steps, 0);
	else if (ends_a_session(cmd->words[0]))
		rc = refuse_to_end(cmd, err);
	else if (!narrow(names, 0, cmd->words[0]))
		rc = take_second_word_alone(names, cmd) || take_view_alone(cmd) ? 0 : refuse_word(names, NULL, err);
	else if (!is_one(names, 0))
		rc = refuse_several(names, cmd->words[0], err);
	else if (strchr(names->row[0].name, ' ') == NULL)
		take_row(cmd, &names->row[0], 1);
	else if (cmd->n_words == 1)
		take_row(cmd, &pt_command_profile_steps, 1);
	else
		rc = find_second(names, cmd, err);
	free(names);
	return rc;
}

/* Words that ask change nothing; others are noted as they were typed. */
static void note(const struct pt_command *cmd)
{
	char text[PT_COMMAND_LINE_BYTES] = "";
	size_t at = 0;

	if ((cmd->row.flags & (PT_COMMAND_CONTROLS | PT_COMMAND_CHANGES)) == 0 ||
	    ((cmd->row.flags & PT_COMMAND_ASKS) != 0 && cmd->n_words == 0))
		return;
	for (size_t i = 0; i < cmd->n_words && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, " %s", cmd->words[i]);
	pt_changes_note(cmd->ctx->changes, cmd->ctx->user, "%s %s%s", cmd->ctx->ops->name, cmd->row.name, text);
}

static void run_row(struct pt_command *cmd)
{
	note(cmd);
	cmd->row.run(cmd);
}

void pt_command_run(struct pt_command *cmd)
{
	const struct pt_command_ctx *ctx = cmd->ctx;
	struct pt_query shown = { 0 };
	struct pt_err no_row, err;
	bool found = find_row(cmd, &no_row) == 0;

	pt_command_fit(cmd, &shown);
	cmd->columns = shown.columns;
	if (ctx->ops->allows != NULL && ctx->ops->allows(ctx->door, cmd, &err) < 0)
		pt_command_done(cmd, err.code, &err);
	else if (!found)
		pt_command_done(cmd, no_row.code, &no_row);
	else
		run_row(cmd);
}
