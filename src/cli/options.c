/* Options that are settings with an option name ("--core-clock HZ") become words; all others are members. */
#include "cli/options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/options_parts.h"
#include "cli/settings.h"
#include "session/limits_file.h"
#include "session/orti_file.h"
#include "host/log.h"
#include "report/report.h"
#include "base/params.h"
#include "base/util.h"

int pt_options_add_word(struct pt_options *options, const char *key, const char *value, struct pt_err *err)
{
	size_t room = strlen(key) + strlen(value) + 2;
	char *word;

	if (options->n_words == PT_MAX_WORDS || options->n_made == PT_MAX_MADE)
		return pt_fail(err, PT_EARG, "more than %d settings", PT_MAX_WORDS);
	word = pt_alloc(room);
	snprintf(word, room, "%s%s%s", key, *key != '\0' ? "=" : "", value);
	options->made[options->n_made] = word;
	options->words[options->n_words++] = options->made[options->n_made++];
	return 0;
}

static int take_percent(struct pt_options *options, const char *value, struct pt_err *err)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || (*end != '\0' && strcmp(end, "%") != 0) || !(percent >= 0.0 && percent <= 100.0))
		return pt_fail(err, PT_EARG, "--max-loss takes a percentage, 0 to 100, not %s", value);
	options->max_loss = percent / 100.0;
	return 0;
}

/* Internally 0 means "until Ctrl-C"; typed, it is an error. */
static int take_time(struct pt_options *options, const char *value, struct pt_err *err)
{
	if (pt_params_parse_seconds(value, &options->for_ns, err) < 0)
		return pt_wrap(err, "--for");
	return options->for_ns != 0 ? 0 : pt_fail(err, PT_EARG, "--for takes a time such as 500ms, not %s", value);
}

/* for= also sets the duration of proftap profile, however it is given: else it would wait for Ctrl-C. */
static int take_setting(struct pt_options *options, const char *setting, struct pt_err *err)
{
	int rc = pt_options_add_word(options, "", setting, err);

	return rc == 0 && strncmp(setting, "for=", 4) == 0 ? take_time(options, setting + 4, err) : rc;
}

static int take_limits(struct pt_options *options, const char *path, struct pt_err *err)
{
	char *word = pt_limits_word(path, true, err);
	int rc = word != NULL ? pt_options_add_word(options, "", word, err) : pt_wrap(err, "--limits");

	free(word);
	options->limits = path;
	return rc;
}

static int take_orti(struct pt_options *options, const char *path, struct pt_err *err)
{
	struct pt_orti *orti = pt_orti_file(path, err);
	bool without_states = false;
	char *word = orti != NULL ? pt_orti_word(orti, &without_states, err) : NULL;
	int rc = word != NULL ? pt_options_add_word(options, "", word, err) : pt_wrap(err, "--orti");

	if (without_states)
		pt_warn("%s: the states of tasks are not followed: the file has more than a profile takes", path);
	for (size_t i = 0; orti != NULL && i < orti->n_warnings; i++)
		pt_warn("%s:%u: %s", path, orti->warning[i].line, orti->warning[i].text);
	if (orti != NULL && orti->n_more_warnings != 0)
		pt_warn("%s: and %zu more warnings", path, orti->n_more_warnings);
	free(word);
	pt_orti_free(orti);
	return rc;
}

static int take_probe(struct pt_options *options, const char *uri, struct pt_err *err)
{
	size_t n = pt_options_count_probes(options);

	if (n == PT_MAX_PROBES)
		return pt_fail(err, PT_EARG, "--probe %s: a board has at most %d probes", uri, PT_MAX_PROBES);
	options->probe[n] = uri;
	return 0;
}

int pt_options_take(struct pt_options *options, const struct pt_option *row, const char *value, struct pt_err *err)
{
	struct pt_question question;

	switch (row->kind) {
	case PT_OPTION_FIELD:
		*(const char **)((char *)options + row->at) = value;
		return 0;
	case PT_OPTION_PROBE:
		return take_probe(options, value, err);
	case PT_OPTION_FLAG:
		*(bool *)((char *)options + row->at) = true;
		return 0;
	case PT_OPTION_WORD:
		return pt_options_add_word(options, row->name, value, err);
	case PT_OPTION_SET:
		return take_setting(options, value, err);
	case PT_OPTION_LIMITS:
		return take_limits(options, value, err);
	case PT_OPTION_ORTI:
		return take_orti(options, value, err);
	case PT_OPTION_TIME:
		return take_time(options, value, err);
	case PT_OPTION_PERCENT:
		return take_percent(options, value, err);
	case PT_OPTION_LOG:
		return pt_log_set(value) ? 0
					 : pt_fail(err, PT_EARG,
						   "--log takes error, warn, info or debug, not %s%swith channels: "
						   "debug,gdb",
						   value, pt_did_you_mean(value, "error warn info debug", &question));
	}
	return 0;
}

static void long_options(struct option *out)
{
	for (size_t i = 0; i < pt_n_options; i++)
		out[i] = (struct option){ pt_option_table[i].name, pt_option_table[i].argument != NULL, NULL, 256 + (int)i };
	out[pt_n_options] = (struct option){ NULL, 0, NULL, 0 };
}

/* For getopt(): ":o:Vh" */
static void short_options(char *out)
{
	*out++ = ':';
	for (size_t i = 0; i < pt_n_options; i++) {
		if (pt_option_table[i].letter == '\0')
			continue;
		*out++ = pt_option_table[i].letter;
		if (pt_option_table[i].argument != NULL)
			*out++ = ':';
	}
	*out = '\0';
}

static const struct pt_option *row_of(int option)
{
	return option >= 256 ? &pt_option_table[option - 256] : pt_option_of_letter(option);
}

/* The value is missing, and the next option follows. */
static bool is_option(const char *value)
{
	for (size_t i = 0; value != NULL && strncmp(value, "--", 2) == 0 && i < pt_n_options; i++)
		if (strncmp(value + 2, pt_option_table[i].name, strcspn(value + 2, "=")) == 0 &&
		    pt_option_table[i].name[strcspn(value + 2, "=")] == '\0')
			return true;
	return false;
}

static const char *needed_value(int option)
{
	const struct pt_option *row = row_of(option);

	return row != NULL && row->argument != NULL ? row->argument : "VALUE";
}

/* "--top 3": a word of a report that is no option. */
static int refuse_report_word(const char *name, size_t len, const char *next, struct pt_err *err)
{
	const char *value = name[len] == '=' ? name + len + 1 : next != NULL && next[0] != '-' ? next : "...";

	return pt_fail(err, PT_EARG, "no option --%.*s; it is a word of the report, without dashes: %.*s=%.100s",
		       (int)len, name, (int)len, name, value);
}

/* The error for an option that is unknown, ambiguous, or has an unexpected value. next: the following argument, or
 * NULL. */
static int refuse_option(const char *word, const char *next, struct pt_err *err)
{
	const char *name = word + strspn(word, "-");
	size_t len = strcspn(name, "=");
	char question[PT_NEAREST_QUESTION], several[300] = "";
	struct pt_nearest near;
	char key[40];
	size_t at = 0;

	snprintf(key, sizeof(key), "%.*s=", len < sizeof(key) - 2 ? (int)len : 0, name);
	if (len > 0 && pt_query_knows(key))
		return refuse_report_word(name, len, next, err);
	pt_nearest_init(&near, name, len);
	for (size_t i = 0; i < pt_n_options; i++) {
		pt_nearest_offer(&near, pt_option_table[i].name);
		if (strlen(pt_option_table[i].name) == len && strncmp(pt_option_table[i].name, name, len) == 0)
			return word + 1 == name ? pt_fail(err, PT_EARG, "no option -%s; did you mean --%s?", name, name)
						: pt_fail(err, PT_EARG, "--%s takes no value: leave out %s",
							  pt_option_table[i].name, name + len);
		if (strncmp(pt_option_table[i].name, name, len) == 0 && len > 0 && at < sizeof(several))
			at += (size_t)snprintf(several + at, sizeof(several) - at, " --%s", pt_option_table[i].name);
	}
	if (at > 0)
		return pt_fail(err, PT_EARG, "%s fits several options:%s", word, several);
	if (near.nearest[0] == '\0')
		return pt_fail(err, PT_EARG,
			       "no option %s; `proftap --help` lists them; a setting without one is --set KEY=VALUE",
			       word);
	memmove(near.nearest + 2, near.nearest, sizeof(near.nearest) - 2);
	memcpy(near.nearest, "--", 2);
	near.nearest[sizeof(near.nearest) - 1] = '\0';
	return pt_fail(err, PT_EARG, "no option %s%s`proftap --help` lists them", word,
		       pt_nearest_question(&near, question, sizeof(question)));
}

/* The argument that getopt_long() refused: letters after one dash are separate options, and it may be within them. */
static const char *refused_word(char **argv)
{
	const char *at = argv[optind];
	bool within = optopt != 0 && at != NULL && at[0] == '-' && at[1] != '-' && strchr(at, optopt) != NULL;

	return within ? at : argv[optind - 1];
}

int pt_options_parse(struct pt_options *options, int argc, char **argv, struct pt_err *err)
{
	struct option names[PT_MAX_OPTIONS + 1];
	char letters[PT_MAX_OPTIONS];
	const struct pt_option *row;
	int option;

	memset(options, 0, sizeof(*options));
	options->max_loss = -1.0;
	long_options(names);
	short_options(letters);
	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		row = row_of(option);
		if (option == ':')
			return pt_fail(err, PT_EARG, "%s needs a value: %s %s", argv[optind - 1], argv[optind - 1],
				       needed_value(optopt));
		if (row == NULL)
			return refuse_option(refused_word(argv), optind < argc ? argv[optind] : NULL, err);
		options->given |= UINT64_C(1) << (row - pt_option_table);
		if (is_option(optarg))
			return pt_fail(err, PT_EARG, "--%s needs a value, and %s is an option: --%s %s", row->name,
				       optarg, row->name, row->argument);
		if (pt_options_take(options, row, optarg, err) < 0)
			return err->code;
	}
	for (; optind < argc; optind++) {
		if (options->n_rest == PT_MAX_REST)
			return pt_fail(err, PT_EARG, "too many words: %s", argv[optind]);
		options->rest[options->n_rest++] = argv[optind];
	}
	return 0;
}

bool pt_options_given(const struct pt_options *options, const char *name)
{
	const struct pt_option *row = pt_option_named(name);

	return row != NULL && (options->given >> (row - pt_option_table) & 1) != 0;
}

bool pt_options_has(const char *name, const char *subcommand)
{
	const struct pt_option *row = pt_option_named(name);

	return row != NULL && pt_option_taken_by(row, subcommand);
}

int pt_options_check_subcommand(const struct pt_options *options, const char *subcommand, struct pt_err *err)
{
	for (size_t i = 0; i < pt_n_options; i++) {
		const struct pt_option *row = &pt_option_table[i];

		if (pt_options_given(options, row->name) && !pt_option_taken_by(row, subcommand))
			return pt_fail(
				err, PT_EARG,
				"--%s is an option of %s, not of %s: proftap %.*s --%s ...; `proftap --help` lists "
				"them",
				row->name, row->taken_by, subcommand, (int)strcspn(row->taken_by, ","), row->taken_by,
				row->name);
	}
	return 0;
}

void pt_options_free(struct pt_options *options)
{
	while (options->n_boards > 0) {
		struct pt_options *section = options->boards[--options->n_boards];

		pt_options_free(section);
		free(section);
	}
	while (options->n_made > 0)
		free(options->made[--options->n_made]);
}
