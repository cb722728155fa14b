/* proftap complete: completions of a command line for shells. The shells' scripts (scripts/completion) call it, so
 * completions come from the same tables as parsing. It prints a candidate per line: the word and, after a tab, its
 * meaning. No candidates: a file name or free text is expected. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "cli/app.h"
#include "cli/ctl_client.h"
#include "cli/commands/manual.h"
#include "cli/option_table.h"
#include "cli/option_values.h"
#include "cli/settings.h"
#include "cli/subcommands.h"
#include "control/commands.h"
#include "probes/registry.h"
#include "report/table/order.h"
#include "report/views/views.h"

struct line {
	const char *const *words;		/* after the program's name */
	size_t n;				/* those before the last */
	const char *begun;			/* the last word, or the value in it */
	const char *before;			/* "--board=" of "--board=nuc"; else "" */
	size_t before_len;
	struct pt_text *out;
	const struct pt_tables *tables;
	const struct pt_subcommand *subcommand;	/* NULL: none yet */
	size_t at_subcommand;			/* its index, if there is one */
};

/* Prints it once, if it begins with the last word. */
static void put(const struct line *line, const char *word, const char *help)
{
	struct pt_text *out = line->out;
	size_t len = strlen(word);

	if (strncmp(word, line->begun, strlen(line->begun)) != 0)
		return;
	for (size_t at = 0; at < out->len_bytes; at += strcspn(out->bytes + at, "\n") + 1) {
		const char *own = out->bytes + at + line->before_len;

		if (strncmp(own, word, len) == 0 && (own[len] == '\t' || own[len] == '\n'))
			return;
	}
	pt_text_add(out, "%.*s%s%s%s\n", (int)line->before_len, line->before, word, help[0] != '\0' ? "\t" : "", help);
}

static void put_value(void *arg, const char *value)
{
	put(arg, value, "");
}

/* --- options and their values ------------------------------------------------------------------------------------- */

/* "--board" or "-o"; NULL: no option. */
static const struct pt_option *option_of(const char *word)
{
	char name[40];

	if (word[0] == '-' && word[1] != '-' && word[1] != '\0' && word[2] == '\0')
		return pt_option_of_letter(word[1]);
	if (strncmp(word, "--", 2) != 0)
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	return pt_option_named(name);
}

static void put_options(const struct line *line)
{
	char word[48];

	for (size_t i = 0; i < pt_n_options; i++) {
		const struct pt_option *option = &pt_option_table[i];

		if (line->subcommand != NULL && !pt_option_used_by(option, line->subcommand->name) &&
		    option->letter == '\0')
			continue;
		snprintf(word, sizeof(word), "--%s", option->name);
		put(line, word, option->help);
	}
}

/* "mode=burst", if "mode=" has been typed; else "mode=" */
static void put_setting(void *arg, const char *whose, const struct pt_param *row)
{
	const struct line *line = arg;
	const char *choices = row->type == PT_PARAM_CHOICE ? row->choices : row->type == PT_PARAM_FLAG ? "on|off" : "";
	char word[100];

	(void)whose;
	snprintf(word, sizeof(word), "%s=", row->key);
	if (strncmp(line->begun, word, strlen(word)) != 0 || choices[0] == '\0') {
		put(line, word, row->help);
		return;
	}
	for (size_t len; *choices != '\0'; choices += len + (choices[len] == '|')) {
		len = strcspn(choices, "|");
		snprintf(word, sizeof(word), "%s=%.*s", row->key, (int)len, choices);
		put(line, word, "");
	}
}

static void put_plugged_in(const struct line *line)
{
	struct pt_probe_found found[8];
	struct pt_err ignored;
	int n = pt_probe_list(found, PT_LEN(found), &ignored);

	for (int i = 0; i < n && i < (int)PT_LEN(found); i++)
		put(line, found[i].uri, found[i].product);
}

static void put_values(struct line *line, const struct pt_option *option)
{
	if (option->value == PT_VALUE_PROBE)
		put_plugged_in(line);
	if (option->value == PT_VALUE_SETTING)
		pt_settings_each(put_setting, line);
	else
		pt_option_each_value(option, put_value, line);
}

/* --- words of a subcommand ---------------------------------------------------------------------------------------- */

static void put_subcommands(const struct line *line)
{
	for (size_t i = 0; line->tables->subcommands[i] != NULL; i++)
		put(line, line->tables->subcommands[i]->name, line->tables->subcommands[i]->help);
	put(line, "help", "what a command does, with examples");
}

/* The view of the report so far; else the first view. */
static const struct pt_view *view_of(const struct line *line)
{
	for (size_t i = line->at_subcommand + 1; i < line->n; i++)
		if (pt_view_find(line->words[i]) != NULL)
			return pt_view_find(line->words[i]);
	return pt_views[0];
}

static void put_sort_words(const struct line *line)
{
	const struct pt_view *view = view_of(line);
	char sort_word[PT_SORT_WORD], word[PT_SORT_WORD + 8];

	if (strncmp(line->begun, "sort=", 5) != 0) {
		put(line, "sort=", "the order of the rows");
		return;
	}
	for (size_t i = 0; i < view->n_columns; i++) {
		pt_view_sort_word(view, i, sort_word);
		snprintf(word, sizeof(word), "sort=%s", sort_word);
		put(line, word, "");
	}
}

/* The commands of GDB's monitor, from its own completion; first: the place of the command's first word. */
static void put_monitor(const struct line *line, size_t first)
{
	const struct pt_door_ops ops = { .name = "proftap monitor" };
	const struct pt_command_ctx ctx = { .ops = &ops };
	char text[PT_COMMAND_LINE_BYTES] = "", word[100];
	struct pt_text out = { 0 };
	size_t at = 0;

	for (size_t i = first; i < line->n && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s ", line->words[i]);
	if (at < sizeof(text))
		snprintf(text + at, sizeof(text) - at, "%s", line->begun);
	pt_commands_complete(&ctx, text, &out);
	for (size_t i = 0, len; i < out.len_bytes; i += len + 1) {
		len = strcspn(out.bytes + i, "\n");
		snprintf(word, sizeof(word), "%.*s", (int)len, out.bytes + i);
		put(line, word, "");
	}
	pt_text_free(&out);
}

/* Keywords in usage: "e500v1|e500v2", "top=N". */
static void put_written(const struct line *line, const char *at, size_t len)
{
	size_t key = strcspn(at, "=[|");
	char word[60];

	if (*at < 'a' || *at > 'z')
		return;
	snprintf(word, sizeof(word), "%.*s", (int)(key < len && at[key] == '=' ? key + 1 : len), at);
	put(line, word, "");
}

/* Those of the daemon that runs. */
static void put_served_boards(const struct line *line)
{
	const struct pt_options none = { 0 };
	struct pt_err ignored = { 0 };
	json_t *answer = pt_ctl_ask(&none, json_pack("{s:b}", "status", 1), &ignored);
	const json_t *boards = json_object_get(answer, "boards");

	for (size_t i = 0; i < json_array_size(boards); i++) {
		const json_t *board = json_array_get(boards, i);

		put(line, json_string_value(json_object_get(board, "name")),
		    json_string_value(json_object_get(board, "state")));
	}
	json_decref(answer);
}

/* BOARD COMMAND */
static void put_ctl(const struct line *line)
{
	if (line->n == line->at_subcommand + 1)
		put_served_boards(line);
	else
		put_monitor(line, line->at_subcommand + 2);
}

static void put_virtual_board(void *arg, const char *uri)
{
	put(arg, uri + strlen("virtual:"), "");
}

static bool is_usage(const char *at, size_t len, const char *word)
{
	return len == strlen(word) && strncmp(at, word, len) == 0;
}

/* Replaces words in capitals of usage, such as VIEW and COMMAND, by the possible values. */
static void put_arguments(struct line *line, const char *usage)
{
	static const char between[] = " []|?.";

	if (strncmp(usage, "BOARD COMMAND", strlen("BOARD COMMAND")) == 0) {
		put_ctl(line);
		return;
	}
	for (const char *at = usage + strspn(usage, between); *at != '\0'; at += strspn(at, between)) {
		size_t len = strcspn(at, between);

		if (is_usage(at, len, "VIEW"))
			for (size_t i = 0; pt_views[i] != NULL; i++)
				put(line, pt_views[i]->name, pt_views[i]->help);
		else if (is_usage(at, len, "sort=KEY"))
			put_sort_words(line);
		else if (is_usage(at, len, "COMMAND"))
			put_monitor(line, line->at_subcommand + 1);
		else if (is_usage(at, len, "NAME"))
			pt_probe_each_virtual(put_virtual_board, line);
		else if (is_usage(at, len, "PART"))
			pt_manual_each_part(put_value, line);
		else
			put_written(line, at, len);
		at += len;
	}
}

/* --- the line ----------------------------------------------------------------------------------------------------- */

/* Whether its value is the next word. */
static bool takes_next(const char *word)
{
	const struct pt_option *option = option_of(word);

	return option != NULL && option->argument != NULL && strchr(word, '=') == NULL;
}

/* The first word that is neither an option nor its value. */
static void find_subcommand(struct line *line)
{
	size_t i = 0;

	while (i < line->n && line->words[i][0] == '-')
		i += takes_next(line->words[i]) ? 2 : 1;
	line->at_subcommand = i < line->n ? i : line->n;
	for (size_t k = 0; i < line->n && line->tables->subcommands[k] != NULL; k++)
		if (strcmp(line->tables->subcommands[k]->name, line->words[i]) == 0)
			line->subcommand = line->tables->subcommands[k];
}

static void complete(struct line *line)
{
	const struct pt_option *own = strchr(line->begun, '=') != NULL ? option_of(line->begun) : NULL;

	find_subcommand(line);
	if (line->n > 0 && takes_next(line->words[line->n - 1])) {
		put_values(line, option_of(line->words[line->n - 1]));
	} else if (own != NULL) {
		line->before = line->begun;
		line->before_len = strcspn(line->begun, "=") + 1;
		line->begun += line->before_len;
		put_values(line, own);
	} else if (line->begun[0] == '-') {
		put_options(line);
	} else if (line->at_subcommand == line->n) {
		put_subcommands(line);
	} else if (line->subcommand != NULL) {
		put_arguments(line, line->subcommand->arguments);
	} else if (strcmp(line->words[line->at_subcommand], "help") == 0) {
		put_subcommands(line);
	}
}

static int run_complete(const struct pt_options *options)
{
	struct pt_text out = { 0 };
	struct line line = { .words = options->rest, .begun = "", .before = "", .out = &out, .tables = options->tables };

	if (options->n_rest > 0) {
		line.n = options->n_rest - 1;
		line.begun = options->rest[line.n];
	}
	complete(&line);
	if (out.len_bytes > 0)
		fwrite(out.bytes, 1, out.len_bytes, stdout);
	pt_text_free(&out);
	return PT_EXIT_DONE;
}

const struct pt_subcommand pt_subcommand_complete = {
	"complete", "[-- WORD...]", "for shells: how a command line can go on, a word a line",
	"proftap complete -- profile --board nucleo\n"
	"    the boards whose names begin so\n"
	"proftap complete -- profile --source ''\n"
	"    all sources\n",
	run_complete,
};
