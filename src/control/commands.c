/* The list of all rows, and the search for one by its words. */
#include "control/commands_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/util.h"
#include "control/changes.h"
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
	LEAST_LETTERS = 2, LEAST_THAT_CONTROL = 3,	/* letters that an abbreviation needs; `r` must not reset a
							 * chip */
};

static void keep_row(void *arg, const struct pt_command_row *row)
{
	struct pt_names *names = arg;

	if (names->n < PT_NAMES_MOST)
		names->row[names->n++] = *row;
}

/* A word of a row's name, "" if it has fewer words. len: out, its length. */
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

static bool is_short_for(const struct pt_names *names, const struct pt_command_row *row, unsigned which,
			 const char *word)
{
	size_t own_len, len = strlen(word);
	const char *own = word_of(row, which, &own_len);
	bool controls = (row->flags & PT_COMMAND_CONTROLS) != 0 && which == 0;

	return len >= (controls ? LEAST_THAT_CONTROL : LEAST_LETTERS) && len < own_len &&
	       strncmp(own, word, len) == 0 && pt_names_serve(names, row);
}

/* Keeps the rows with this word; if there are none, those whose word begins with it. False: neither. */
static bool narrow(struct pt_names *names, unsigned which, const char *word)
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

/* Whether all remaining rows have the same word there. */
static bool is_one(const struct pt_names *names, unsigned which)
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

/* --- finding ------------------------------------------------------------------------------------------------------ */

static bool asks_for_help(const char *word)
{
	static const char *const words[] = { "?", "--help", "-help", "-h" };

	for (size_t i = 0; i < PT_LEN(words); i++)
		if (strcmp(words[i], word) == 0)
			return true;
	return false;
}

static void take_row(struct pt_command *cmd, const struct pt_command_row *row, size_t n_words)
{
	cmd->row = *row;
	cmd->n_words -= n_words;
	memmove(cmd->words, cmd->words + n_words, cmd->n_words * sizeof(cmd->words[0]));
}

/* Finds the row by its second word, after a first word that several rows share. */
static int find_second(struct pt_names *names, struct pt_command *cmd, struct pt_err *err)
{
	size_t len;
	const char *first = word_of(&names->row[0], 0, &len);
	char group[PT_NEAREST_BYTES];

	snprintf(group, sizeof(group), "%.*s", (int)len, first);
	if (!narrow(names, 1, cmd->words[1]))
		return pt_names_refuse(names, group, err);
	if (names->n > 1)
		return pt_names_refuse_several(names, cmd->words[1], err);
	take_row(cmd, &names->row[0], 2);
	return 0;
}

/* "report details", as printed at the end of a report, means profile report details. False: the word is not the
 * complete second word of exactly one row. */
static bool take_second_word_alone(const struct pt_names *names, struct pt_command *cmd)
{
	const struct pt_command_row *found = NULL;

	for (size_t i = 0; i < names->n; i++)
		if (is_word(&names->row[i], 1, cmd->words[0]) && pt_names_serve(names, &names->row[i])) {
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

/* "timeline from=2s", "details": complete names of views and formats that are not commands mean a report. */
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

/* Finds the row by the command's first words, and removes them. An empty line, or a first word that several rows share,
 * gets an explanation. */
static int find_row(struct pt_command *cmd, struct pt_err *err)
{
	struct pt_names *names = pt_alloc(sizeof(*names));
	int rc = 0;

	names->cmd = cmd;
	pt_commands_each(cmd->ctx, keep_row, names);
	if (cmd->n_words > 0 && asks_for_help(cmd->words[0]))
		cmd->words[0] = "help";
	if (cmd->n_words == 0)
		take_row(cmd, &pt_command_first_steps, 0);
	else if (pt_command_ends_session(cmd->words[0]))
		rc = pt_command_refuse_to_end(cmd, err);
	else if (!narrow(names, 0, cmd->words[0]))
		rc = take_second_word_alone(names, cmd) || take_view_alone(cmd) ? 0 : pt_names_refuse(names, NULL, err);
	else if (!is_one(names, 0))
		rc = pt_names_refuse_several(names, cmd->words[0], err);
	else if (strchr(names->row[0].name, ' ') == NULL)
		take_row(cmd, &names->row[0], 1);
	else if (cmd->n_words == 1)
		take_row(cmd, &pt_command_profile_steps, 1);
	else
		rc = find_second(names, cmd, err);
	free(names);
	return rc;
}

/* Commands that only show are not entered; others are entered as typed. */
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
