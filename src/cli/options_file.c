/* Options of a configuration file: values are checked when read, so that errors have a line number. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/params.h"
#include "cli/option_values.h"
#include "cli/options_parts.h"
#include "cli/settings.h"
#include "probes/registry.h"

/* Moves the word that was added last behind the file's other words. */
static void move_to_front(struct pt_options *options)
{
	const char *word = options->words[options->n_words - 1];

	memmove(options->words + options->n_file_words + 1, options->words + options->n_file_words,
		(options->n_words - 1 - options->n_file_words) * sizeof(options->words[0]));
	options->words[options->n_file_words++] = word;
}

static int add_setting(struct pt_options *options, const char *key, const char *value, struct pt_err *err)
{
	if (pt_setting_check(key, value, err) < 0 || pt_options_add_word(options, key, value, err) < 0)
		return err->code;
	move_to_front(options);
	return 0;
}

/* A probe may be an alias that is defined later: pt_options_check_probe(). Whether a file exists is checked for a
 * subcommand that uses it, and when all lines are checked (subcommand NULL). */
static int check_field(const char *subcommand, const struct pt_option *row, const char *value, struct pt_err *err)
{
	bool is_used = subcommand == NULL || pt_option_used_by(row, subcommand);

	if (row->value == PT_VALUE_PROBE)
		return 0;
	if ((is_used ? pt_option_check_there : pt_option_check_value)(row, value, err) < 0)
		return pt_wrap(err, "%s", row->name);
	return 0;
}

static int add_field(struct pt_options *options, const char *subcommand, const struct pt_option *row, const char *value,
		     struct pt_err *err)
{
	char *copy;

	if (check_field(subcommand, row, value, err) < 0)
		return err->code;
	if (options->n_made == PT_MAX_MADE)
		return pt_fail(err, PT_EARG, "too many settings");
	copy = pt_strdup(value);
	options->made[options->n_made++] = copy;
	return pt_options_take(options, row, copy, err);
}

static const char alias_key[] = "alias.";

/* "alias.NAME = URI" */
static int add_alias(struct pt_options *options, const char *name, const char *uri, struct pt_err *err)
{
	size_t room = strlen(name) + strlen(uri) + 2;
	char *alias;

	if (name[0] == '\0' || name[strcspn(name, ":=/")] != '\0')
		return pt_fail(err, PT_EARG, "alias.%.60s: a name for a probe, without \":\", \"=\" and \"/\"", name);
	if (pt_probe_check_uri(uri, err) < 0)
		return pt_wrap(err, "alias.%s", name);
	if (options->n_aliases == PT_MAX_ALIASES || options->n_made == PT_MAX_MADE)
		return pt_fail(err, PT_EARG, "more than %d aliases", PT_MAX_ALIASES);
	alias = pt_alloc(room);
	snprintf(alias, room, "%s=%s", name, uri);
	options->made[options->n_made++] = alias;
	options->aliases[options->n_aliases++] = alias;
	return 0;
}

void pt_options_replace_aliases(struct pt_options *options)
{
	for (size_t p = 0; p < PT_MAX_PROBES && options->probe[p] != NULL; p++)
		for (size_t i = 0; i < options->n_aliases; i++) {
			size_t len = strcspn(options->aliases[i], "=");

			if (strlen(options->probe[p]) == len &&
			    strncmp(options->probe[p], options->aliases[i], len) == 0) {
				options->probe[p] = options->aliases[i] + len + 1;
				break;
			}
		}
}

size_t pt_options_count_probes(const struct pt_options *options)
{
	size_t n = 0;

	while (n < PT_MAX_PROBES && options->probe[n] != NULL)
		n++;
	return n;
}

int pt_options_check_probe(const struct pt_options *options, size_t i, struct pt_err *err)
{
	return pt_probe_check_uri(options->probe[i], err) < 0 ? pt_wrap(err, "probe") : 0;
}

int pt_options_add(struct pt_options *options, const char *subcommand, const char *key, const char *value,
		   struct pt_err *err)
{
	const struct pt_option *row = pt_option_named(key);
	uint64_t on = 0;

	if (strncmp(key, alias_key, strlen(alias_key)) == 0)
		return add_alias(options, key + strlen(alias_key), value, err);
	if (row == NULL)
		return add_setting(options, key, value, err);
	if (row->not_in_file)
		return pt_fail(err, PT_EARG, "%s is for the command line only", key);
	if (pt_options_given(options, key) || (subcommand != NULL && !pt_options_has(key, subcommand)))
		return 0;
	if (row->kind == PT_OPTION_WORD)
		return add_setting(options, key, value, err);
	if (row->kind == PT_OPTION_FIELD || row->kind == PT_OPTION_PROBE)
		return add_field(options, subcommand, row, value, err);
	if (row->kind != PT_OPTION_FLAG)
		return pt_options_take(options, row, value, err);
	if (pt_params_parse(PT_PARAM_FLAG, value, &on, err) < 0)
		return pt_wrap(err, "%s", key);
	*(bool *)((char *)options + row->at) = on != 0;
	return 0;
}
