/* The list of virtual boards, and what their addresses say. To add one: one word in PT_VBOARDS. */
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

#include "probes/virtual/boards.h"
#include "base/util.h"

#define PT_VBOARDS(X) \
	X(kl27) \
	X(cm4) \
	X(cm7) \
	X(s12zvm) \
	X(microblaze) \
	X(e500)
#define X(board) extern const struct pt_vboard_ops pt_vboard_##board;
PT_VBOARDS(X)
#undef X

const struct pt_vboard_ops *const pt_vboards[] = {
#define X(board) &pt_vboard_##board,
	PT_VBOARDS(X)
#undef X
};
const size_t pt_n_vboards = PT_LEN(pt_vboards);

const struct pt_param *pt_vboard_common_param(size_t i)
{
	return i < pt_n_vboard_params ? &pt_vboard_params[i] : NULL;
}

static const struct pt_vboard_ops *lookup(const char *name)
{
	for (size_t i = 0; i < pt_n_vboards; i++)
		if (strcmp(pt_vboards[i]->name, name) == 0)
			return pt_vboards[i];
	return NULL;
}

const struct pt_vboard_ops *pt_vboard_find(const char *name, struct pt_err *err)
{
	const struct pt_vboard_ops *found = lookup(name);
	struct pt_question question;
	char names[200] = "";
	size_t n = 0;

	if (found != NULL)
		return found;
	for (size_t i = 0; i < pt_n_vboards && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", pt_vboards[i]->name);
	pt_fail(err, PT_EARG, "there is no virtual board \"%s\"%sthere are %s", name,
		pt_did_you_mean(name, names, &question), names);
	return NULL;
}

/* The value of one key of "NAME?key=value&key=value"; false: it is not there. */
static bool query_value(const char *query, const char *key, char *value, size_t room)
{
	size_t len = strlen(key);

	for (const char *at = strchr(query, '?'); at != NULL; at = strchr(at, '&')) {
		at++;
		if (strncmp(at, key, len) != 0 || at[len] != '=')
			continue;
		snprintf(value, room, "%.*s", (int)strcspn(at + len + 1, "&"), at + len + 1);
		return true;
	}
	return false;
}

const char *pt_vboard_probe(const char *name_and_query, struct pt_err *err)
{
	char name[32], wanted[32] = "", names[200] = "";
	const struct pt_vboard_ops *ops;
	size_t n = 0;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(name_and_query, "?"), name_and_query);
	ops = pt_vboard_find(name, err);
	if (ops == NULL)
		return NULL;
	if (!query_value(name_and_query, "probe", wanted, sizeof(wanted)))
		return ops->probes[0];
	if (strcmp(wanted, "pipe") == 0)
		strcpy(wanted, "bdc-pipe");
	for (size_t i = 0; ops->probes[i] != NULL; i++) {
		if (strcmp(ops->probes[i], wanted) == 0)
			return ops->probes[i];
		if (n < sizeof(names))
			n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", ops->probes[i]);
	}
	pt_fail(err, PT_EARG, "the virtual board %s has no probe \"%s\"; it may have %s", name, wanted, names);
	return NULL;
}

void pt_vboard_told(const char *name_and_query, void (*say)(void *arg, const char *word), void *arg)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err ignored = { 0 };
	const char *driver = pt_vboard_probe(name_and_query, &ignored);
	const struct pt_vboard_ops *ops;
	char word[200];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(name_and_query, "?"), name_and_query);
	ops = driver != NULL ? lookup(word) : NULL;
	for (const char *at = strchr(name_and_query, '?'); ops != NULL && at != NULL; at = strchr(at, '&')) {
		at++;
		snprintf(word, sizeof(word), "%.*s", (int)strcspn(at, "&"), at);
		pt_vboard_add_word(ops, settings, word, &ignored);
	}
	if (ops != NULL && ops->told != NULL)
		ops->told(settings, driver, say, arg);
	pt_params_free(settings);
}

bool pt_vboard_has_pins(const char *name_and_query)
{
	uint64_t on = 1;
	char value[8];

	if (query_value(name_and_query, "pins", value, sizeof(value)))
		/* what is no flag is refused when the board is made */
		pt_params_parse(PT_PARAM_FLAG, value, &on, NULL);
	return on != 0;
}

const uint8_t *pt_vboard_demo(const char *name, size_t *len_bytes)
{
	const struct pt_vboard_ops *board = lookup(name);

	return board != NULL ? board->demo(len_bytes) : NULL;
}

void pt_vboard_help(const struct pt_vboard_ops *board, void (*line)(void *arg, const char *line), void *arg)
{
	if (board != NULL)
		pt_params_help(board->params, board->n_params, line, arg);
	else
		pt_params_help(pt_vboard_params, pt_n_vboard_params, line, arg);
}
