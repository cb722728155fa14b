/* Says why a line is not a command, and what to type instead. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/util.h"
#include "control/commands_parts.h"
#include "report/other_names.h"
#include "report/views/views.h"

static void list_names(const struct pt_names *names, struct pt_text *out)
{
	for (size_t i = 0; i < names->n; i++)
		if (pt_names_serve(names, &names->row[i]))
			pt_text_add(out, "%s%s", out->len_bytes > 0 ? ", " : "", names->row[i].name);
}

int pt_names_refuse_several(const struct pt_names *names, const char *word, struct pt_err *err)
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

/* Keeps the rows whose first word begins with word, of any length. False: none. */
static bool narrow_to_beginnings(struct pt_names *names, const char *word)
{
	size_t kept = 0;

	for (size_t i = 0; i < names->n; i++)
		if (strncmp(names->row[i].name, word, strlen(word)) == 0 && pt_names_serve(names, &names->row[i]))
			names->row[kept++] = names->row[i];
	if (kept > 0)
		names->n = kept;
	return kept > 0;
}

/* The nearest row by its complete name or by its second word ("report" for "profile report"). */
static void find_nearest(const struct pt_names *names, const char *word, bool whole_names, struct pt_nearest *near)
{
	const char *whole = NULL;

	pt_nearest_init(near, word, strlen(word));
	for (size_t i = 0; whole_names && i < names->n; i++)
		if (strchr(names->row[i].name, ' ') == NULL && pt_names_serve(names, &names->row[i]))
			pt_nearest_offer(near, names->row[i].name);
	for (size_t i = 0; i < names->n; i++) {
		const char *space = strchr(names->row[i].name, ' ');
		size_t before = near->n_typos;

		if (space != NULL && pt_names_serve(names, &names->row[i]))
			pt_nearest_offer(near, space + 1);
		if (near->n_typos < before)
			whole = names->row[i].name;
	}
	if (whole != NULL)
		snprintf(near->nearest, sizeof(near->nearest), "%s", whole);
}

/* "profil stop": a typing error in the first of two words. */
static void find_nearest_of_two(const struct pt_names *names, const char *first, const char *second,
				struct pt_nearest *near)
{
	char two[2 * PT_NEAREST_BYTES];
	struct pt_nearest part;

	snprintf(two, sizeof(two), "%.40s %.40s", first, second);
	pt_nearest_init(&part, two, strlen(two));
	for (size_t i = 0; second[0] != '\0' && i < names->n; i++)
		if (strchr(names->row[i].name, ' ') != NULL && pt_names_serve(names, &names->row[i]))
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

/* Commands of GDB that users try after monitor. */
static bool is_gdbs_own(const char *word)
{
	static const char *const words[] = {
		"load", "continue", "c", "step", "stepi", "next", "break", "b", "tbreak", "watch", "info", "print", "p", "x",
		"bt", "backtrace", "file", "attach", "detach", "list", "finish", "interrupt", "disassemble", "record",
		"remote", "target", "set", "until", "delete", "kill", "run", "symbol-file",
	};

	return is_one_of(word, words, PT_LEN(words));
}

bool pt_command_ends_session(const char *word)
{
	static const char *const words[] = { "exit", "quit", "q", "bye", "shutdown" };

	return is_one_of(word, words, PT_LEN(words));
}

int pt_command_refuse_to_end(const struct pt_command *cmd, struct pt_err *err)
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

struct meaning { const char *word, *kind; bool sets_profile; };

static void find_meaning(void *arg, const char *word, const char *kind, const char *line)
{
	struct meaning *meaning = arg;

	(void)line;
	if (strcmp(meaning->word, word) != 0)
		return;
	meaning->kind = kind;
	meaning->sets_profile = meaning->sets_profile || strcmp(kind, PT_PROFILE_SETTING) == 0;
}

/* The meaning of a word that is not a command: its kind is "option", PT_PROFILE_SETTING; NULL: nothing. */
static struct meaning meaning_of(const struct pt_command *cmd, const char *word)
{
	struct meaning meaning = { .word = word };

	pt_glossary_each(cmd->ctx, find_meaning, &meaning);
	return meaning;
}

/* Settings of sources and of the target are known only to the target. */
static void refuse_setting_of_source(const struct pt_command *cmd, const char *key, const char *value,
				     struct pt_err *err)
{
	const char *door = cmd->ctx->ops->name;

	pt_fail(err, PT_EARG,
		"\"%.40s\" is not a %s command; %s help %.40s says whose setting it is: one of a source goes with the profile, "
		"%s profile run 2s %.40s=%.40s, one of the target with proftap --set",
		cmd->words[0], door, door, key, door, key, value);
}

/* "set core-clock 48M", "core-clock 48M", "core-clock=48M": says where to write it. False: it is no setting that is
 * known here; those of sources and of the target are known only to the target. */
static bool refuse_setting(const struct pt_command *cmd, struct pt_err *err)
{
	size_t at = strcmp(cmd->words[0], "set") == 0 ? 1 : 0, len;
	const char *word = at < cmd->n_words ? cmd->words[at] : "", *value, *key, *door = cmd->ctx->ops->name;
	char typed[40];

	len = strcspn(word, "=");
	value = word[len] == '=' ? word + len + 1 : at + 1 < cmd->n_words ? cmd->words[at + 1] : "";
	if (len == 0 || len >= sizeof(typed) || value[0] == '\0')
		return false;
	snprintf(typed, sizeof(typed), "%.*s", (int)len, word);
	key = pt_setting_meant_by(typed, value);
	if (meaning_of(cmd, key).sets_profile)
		pt_fail(err, PT_EARG,
			"\"%.40s\" is not a %s command; a setting goes with the profile: %s profile run 2s %s=%.40s",
			cmd->words[0], door, door, key, value);
	else if (at == 1)
		refuse_setting_of_source(cmd, key, value, err);
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

/* Names that other tools use for a view or a format. */
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

/* Typical typing errors in a first word (group NULL) or after one. False: it is none. */
static bool refuse_slip(const struct pt_command *cmd, const char *group, struct pt_err *err)
{
	const char *first = cmd->words[0], *second = cmd->n_words > 1 ? cmd->words[1] : "", *door = cmd->ctx->ops->name;

	if (group == NULL && refuse_setting(cmd, err))
		return true;
	if (is_time(second) && (group != NULL ? strcmp(group, "profile") : strcmp(first, "run")) == 0)
		pt_fail(err, PT_EARG, "\"%.40s %.40s\" is not a %s command; did you mean %s profile run %.40s?",
			group != NULL ? group : first, second, door, door, second);
	else if (group == NULL && is_time(first))
		pt_fail(err, PT_EARG, "\"%.40s\" is not a %s command; did you mean %s profile run %.40s?", first, door,
			door, first);
	else if (group == NULL && pt_view_meant_by(first) != NULL)
		refuse_other_name(cmd, pt_view_meant_by(first), err);
	else if (group == NULL && is_gdbs_own(first))
		pt_fail(err, PT_EARG, "\"%.40s\" is not a %s command, but one of GDB itself: type it without %s", first,
			door, door);
	else
		return false;
	return true;
}

/* For a word of a report, a setting or an option. False: the word has no meaning. */
static bool refuse_by_meaning(const struct pt_command *cmd, struct pt_err *err)
{
	const char *first = cmd->words[0], *second = cmd->n_words > 1 ? cmd->words[1] : "", *door = cmd->ctx->ops->name;
	const char *kind = meaning_of(cmd, first).kind;

	if (kind == NULL)
		return false;
	if (second[0] >= '0' && second[0] <= '9')
		refuse_setting_of_source(cmd, first, second, err);
	else
		pt_fail(err, PT_EARG, "\"%.40s\" is not a %s command; %s help %.40s says what it is: %.80s", first,
			door, door, first, kind);
	return true;
}

int pt_names_refuse(struct pt_names *names, const char *group, struct pt_err *err)
{
	const struct pt_command *cmd = names->cmd;
	const char *first = cmd->words[0], *second = cmd->n_words > 1 ? cmd->words[1] : "";
	char question[PT_NEAREST_QUESTION];
	struct pt_text list = { 0 };
	struct pt_nearest near;

	if (refuse_slip(cmd, group, err))
		return err->code;
	find_nearest(names, group != NULL ? second : first, group == NULL, &near);
	if (group == NULL)
		find_nearest_of_two(names, first, second, &near);
	if (group == NULL && near.nearest[0] == '\0' && narrow_to_beginnings(names, first))
		return pt_names_refuse_several(names, first, err);
	if (group == NULL && near.nearest[0] == '\0' && refuse_by_meaning(cmd, err))
		return err->code;
	if (near.nearest[0] == '\0' || group != NULL)
		list_names(names, &list);
	pt_fail(err, PT_EARG, "\"%.40s%s%.40s\" is not a %s command%s%s%s", group != NULL ? group : first,
		group != NULL ? " " : "", group != NULL ? second : "", cmd->ctx->ops->name,
		pt_nearest_question(&near, question, sizeof(question)),
		list.len_bytes > 0 ? "there are: " : "help lists them all", list.len_bytes > 0 ? list.bytes : "");
	pt_text_free(&list);
	return err->code;
}
