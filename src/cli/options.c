/* Options that are config keys with a name of their own ("--core-clock HZ") become words; the rest are fields. */
#include "cli/options.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/settings.h"
#include "session/limits_file.h"
#include "session/orti_file.h"
#include "host/log.h"
#include "report/report.h"
#include "base/params.h"
#include "base/util.h"

enum option_kind { FIELD, PROBE, FLAG, WORD, SET, TIME, PERCENT, LOG, LIMITS, ORTI };

static const struct row {
	const char *name, *argument, *help;
	enum option_kind kind;
	size_t at;		/* FIELD, FLAG: offset in struct pt_options */
} rows[] = {
	{ "probe", "URI",
	  "which probe: virtual:kl27, usb:serial=S, an address that proftap probes lists, or an alias; more than one: each does what it can", PROBE,
	  0 },
	{ "board", "NAME", "a board by its name: its probe, chip and clock; `proftap boards` lists them", FIELD,
	  offsetof(struct pt_options, board) },
	{ "target", "NAME", "what kind of chip; found out if not given", FIELD, offsetof(struct pt_options, target) },
	{ "elf", "FILE", "symbols; for a virtual board also its firmware; '': none, rows are addresses", FIELD,
	  offsetof(struct pt_options, elf) },
	{ "gdb", "ADDR", "where GDB connects: HOST:PORT, unix:PATH or stdio (127.0.0.1:3333)", FIELD,
	  offsetof(struct pt_options, gdb) },
	{ "attach", "auto|run|halt", "whether a connecting GDB halts the core (auto)", FIELD,
	  offsetof(struct pt_options, attach) },
	{ "second", "watch|none", "what a second all-stop GDB gets: memory to read, or a refusal (watch)",
	  FIELD,
	  offsetof(struct pt_options, second) },
	{ "allow", "USER,@GROUP", "who may connect to a unix socket, besides the user who runs proftap and root", FIELD,
	  offsetof(struct pt_options, allow) },
	{ "swo", "ADDR", "serves what comes out of pin SWO while a profile has it (source=swo), as it comes: for orbuculum, cortex-debug",
	  FIELD, offsetof(struct pt_options, swo) },
	{ "swo-text", "ADDR", "serves the text that the program writes to stimulus port 0 of its ITM, likewise", FIELD,
	  offsetof(struct pt_options, swo_text) },
	{ "allow-remote", NULL, "listen on an address that other machines may reach; see doc/security", FLAG,
	  offsetof(struct pt_options, allow_remote) },
	{ "allow-unidentified", NULL,
	  "board: serve remote_bitbang on TCP, whose clients and web pages look alike", FLAG,
	  offsetof(struct pt_options, allow_unidentified) },
	{ "token-file", "FILE", "holds the token that a GDB client must give first: monitor auth TOKEN", FIELD,
	  offsetof(struct pt_options, token_file) },
	{ "files", "DIR", "where clients of other users may name files; without it they may name none", FIELD,
	  offsetof(struct pt_options, files) },
	{ "restrict", NULL, "clients may look, and change neither target nor host nor profile", FLAG,
	  offsetof(struct pt_options, restricted) },
	{ "semihost-dir", "DIR", "Cortex-M: where the program's files are (semihosting)", WORD, 0 },
	{ "config", "FILE", "options for every run, option = value a line ($PROFTAP_CONFIG, else /etc/proftap.conf)", FIELD,
	  offsetof(struct pt_options, config) },
	{ "check-config", NULL, "serve: look for mistakes in the configuration file, and do nothing else", FLAG,
	  offsetof(struct pt_options, check_config) },
	{ "listen", "ADDR", "board: where to serve the probe protocol (127.0.0.1:4441)", FIELD,
	  offsetof(struct pt_options, listen) },
	{ "for", "TIME", "profile: how long the core runs meanwhile: 500ms, 2s", TIME, 0 },
	{ "source", "NAME", "profile: where the trace comes from", FIELD, offsetof(struct pt_options, source) },
	{ "mode", "NAME", "profile: how the source works", FIELD, offsetof(struct pt_options, mode) },
	{ "reset", NULL, "profile: start from the reset vector", FLAG, offsetof(struct pt_options, reset) },
	{ "analysis", "NAME", "profile: what to find out", FIELD, offsetof(struct pt_options, analysis) },
	{ "format", "NAME", "of the report: text, json, csv, html, svg, pprof, ... (a wrong word lists all); else as the name of --output ends", FIELD,
	  offsetof(struct pt_options, format) },
	{ "output", "FILE", "where the report goes (-o); without it to standard output", FIELD, offsetof(struct pt_options, output) },
	{ "capture", "FILE", "profile, serve: write the raw trace to FILE, for proftap decode", WORD, 0 },
	{ "replace", NULL, "profile: overwrite the file of --capture if it is an older capture", FLAG,
	  offsetof(struct pt_options, replace) },
	{ "limits", "FILE", "timing rules to check: exit 1 when one is violated", LIMITS, 0 },
	{ "orti", "FILE", "tasks, ISRs and services of an OSEK or AUTOSAR system", ORTI, 0 },
	{ "junit", "FILE", "check: what became of the rules, as JUnit XML", FIELD, offsetof(struct pt_options, junit) },
	{ "live", NULL, "check: profile now, instead of reading a capture", FLAG, offsetof(struct pt_options, live) },
	{ "strict", NULL, "check: a rule that the data cannot decide fails (the default)", FLAG,
	  offsetof(struct pt_options, strict) },
	{ "lenient", NULL, "check: a rule that the data cannot decide is only reported", FLAG,
	  offsetof(struct pt_options, lenient) },
	{ "self-check", NULL, "decode: check the laws of a report in place of printing it; exit 1 on a violation", FLAG,
	  offsetof(struct pt_options, self_check) },
	{ "max-loss", "PERCENT", "exit 4 when more trace than this was lost to faults", PERCENT, 0 },
	{ "core-clock", "HZ", "the core's clock, to turn modelled cycles into seconds", WORD, 0 },
	{ "mtb-ram", "ADDR:SIZE", "where the MTB may write; found from the ELF if not given", WORD, 0 },
	{ "connect", "under-reset", "hold the chip in reset while attaching", WORD, 0 },
	{ "seed", "N", "seed of the random times between bursts, and of virtual boards", WORD, 0 },
	{ "set", "KEY=VALUE", "a setting without an option of its own: proftap monitor sources lists those of the chip", SET, 0 },
	{ "json", NULL, "probes, events: print JSON", FLAG, offsetof(struct pt_options, json) },
	{ "measure", NULL, "probes: time each that is free: round trip and words a second, beside what the cables allow", FLAG,
	  offsetof(struct pt_options, measure) },
	{ "udev", NULL, "drivers: print rules for udev, by which a user may open the probes", FLAG,
	  offsetof(struct pt_options, udev) },
	{ "log", "LEVEL", "error, warn, info, debug, with channels: debug,gdb,usb,dap,trace", LOG, 0 },
	{ "print-ports", NULL, "print the addresses in use to standard output", FLAG,
	  offsetof(struct pt_options, print_ports) },
	{ "version", NULL, "print the version (-V)", FLAG, offsetof(struct pt_options, version) },
	{ "help", NULL, "print this (-h)", FLAG, offsetof(struct pt_options, help) },
};

/* What is not named here is for all subcommands. */
static const struct { const char *option, *subcommands; } of_subcommands[] = {
	{ "probe", "serve, monitor, profile, check, restore, board" },
	{ "board", "serve, monitor, profile, check, restore" },
	{ "target", "serve, monitor, profile, check, restore" },
	{ "gdb", "serve" }, { "check-config", "serve" }, { "attach", "serve" }, { "second", "serve" },
	{ "allow", "serve" }, { "swo", "serve" }, { "swo-text", "serve" }, { "allow-remote", "serve, board" }, { "allow-unidentified", "board" },
	{ "token-file", "serve" }, { "files", "serve" }, { "restrict", "serve" },
	{ "semihost-dir", "serve, monitor, profile, check" }, { "listen", "board" },
	{ "print-ports", "serve, board" }, { "for", "profile, check" }, { "source", "profile, check" },
	{ "mode", "profile, check" }, { "reset", "profile, check" }, { "json", "probes, events" }, { "measure", "probes" }, { "udev", "drivers" },
	{ "config", "serve, monitor, profile, check, restore, probes, board" },
	{ "junit", "check" }, { "live", "check" }, { "strict", "check" }, { "lenient", "check" },
	{ "self-check", "decode" },
	{ "replace", "profile, check" },
};

/* Taken by all, so that a configuration file, or a command line, can be the same for several; of use to these. */
static const struct { const char *option, *subcommands; } of_use_to[] = {
	{ "elf", "serve, monitor, profile, check, decode, diff" }, { "analysis", "profile, check, decode" },
	{ "format", "profile, decode, diff" }, { "output", "profile, check, decode, diff" },
	{ "capture", "serve, profile, check" }, { "limits", "serve, profile, check, decode" },
	{ "orti", "serve, monitor, profile, check, decode" }, { "max-loss", "profile, check, decode" },
	{ "core-clock", "serve, monitor, profile, check, decode" }, { "mtb-ram", "serve, monitor, profile, check" },
	{ "connect", "serve, monitor, profile, check" }, { "seed", "serve, monitor, profile, check" },
	{ "set", "serve, monitor, profile, check, decode, diff" }, { "version", "" }, { "help", "" },
};

static int add_word(struct pt_options *options, const char *key, const char *value, struct pt_err *err)
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

/* 0 means "until Ctrl-C" inside; nobody who types it means that. */
static int take_time(struct pt_options *options, const char *value, struct pt_err *err)
{
	if (pt_params_parse_seconds(value, &options->for_ns, err) < 0)
		return pt_wrap(err, "--for");
	return options->for_ns != 0 ? 0 : pt_fail(err, PT_EARG, "--for takes a time such as 500ms, not %s", value);
}

static int take_limits(struct pt_options *options, const char *path, struct pt_err *err)
{
	char *word = pt_limits_word(path, true, err);
	int rc = word != NULL ? add_word(options, "", word, err) : pt_wrap(err, "--limits");

	free(word);
	options->limits = path;
	return rc;
}

static int take_orti(struct pt_options *options, const char *path, struct pt_err *err)
{
	struct pt_orti *orti = pt_orti_file(path, err);
	char *word = orti != NULL ? pt_orti_word(orti, err) : NULL;
	int rc = word != NULL ? add_word(options, "", word, err) : pt_wrap(err, "--orti");

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
	size_t n = 0;

	while (n < PT_MAX_PROBES && options->probe[n] != NULL)
		n++;
	if (n == PT_MAX_PROBES)
		return pt_fail(err, PT_EARG, "--probe %s: a board has at most %d probes", uri, PT_MAX_PROBES);
	options->probe[n] = uri;
	return 0;
}

static int take_option(struct pt_options *options, const struct row *row, const char *value, struct pt_err *err)
{
	struct pt_question question;

	switch (row->kind) {
	case FIELD:
		*(const char **)((char *)options + row->at) = value;
		return 0;
	case PROBE:
		return take_probe(options, value, err);
	case FLAG:
		*(bool *)((char *)options + row->at) = true;
		return 0;
	case WORD:
		return add_word(options, row->name, value, err);
	case SET:
		return add_word(options, "", value, err);
	case LIMITS:
		return take_limits(options, value, err);
	case ORTI:
		return take_orti(options, value, err);
	case TIME:
		return take_time(options, value, err);
	case PERCENT:
		return take_percent(options, value, err);
	case LOG:
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
	for (size_t i = 0; i < PT_LEN(rows); i++)
		out[i] = (struct option){ rows[i].name, rows[i].argument != NULL, NULL, 256 + (int)i };
	out[PT_LEN(rows)] = (struct option){ NULL, 0, NULL, 0 };
}

static const struct row *row_named(const char *name)
{
	for (size_t i = 0; i < PT_LEN(rows); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

static const struct row *row_of(int option)
{
	if (option >= 256)
		return &rows[option - 256];
	return row_named(option == 'h' ? "help" : option == 'o' ? "output" : option == 'V' ? "version" : "");
}

/* A value that was forgotten: the next option stands in its place. */
static bool is_option(const char *value)
{
	for (size_t i = 0; value != NULL && strncmp(value, "--", 2) == 0 && i < PT_LEN(rows); i++)
		if (strncmp(value + 2, rows[i].name, strcspn(value + 2, "=")) == 0 &&
		    rows[i].name[strcspn(value + 2, "=")] == '\0')
			return true;
	return false;
}

static const char *needed_value(int option)
{
	const struct row *row = row_of(option);

	return row != NULL && row->argument != NULL ? row->argument : "VALUE";
}

/* "--top 3": a word of a report. */
static int refuse_report_word(const char *name, size_t len, const char *next, struct pt_err *err)
{
	const char *value = name[len] == '=' ? name + len + 1 : next != NULL && next[0] != '-' ? next : "...";

	return pt_fail(err, PT_EARG, "no option --%.*s; it is a word of the report, without dashes: %.*s=%.100s",
		       (int)len, name, (int)len, name, value);
}

/* Unknown, short for several, or with a value that it does not take. next: the word behind it, or NULL. */
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
	for (size_t i = 0; i < PT_LEN(rows); i++) {
		pt_nearest_offer(&near, rows[i].name);
		if (strlen(rows[i].name) == len && strncmp(rows[i].name, name, len) == 0)
			return word + 1 == name ? pt_fail(err, PT_EARG, "no option -%s; did you mean --%s?", name, name)
						: pt_fail(err, PT_EARG, "--%s takes no value: leave out %s",
							  rows[i].name, name + len);
		if (strncmp(rows[i].name, name, len) == 0 && len > 0 && at < sizeof(several))
			at += (size_t)snprintf(several + at, sizeof(several) - at, " --%s", rows[i].name);
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

/* The word that getopt_long() refused: letters behind one dash are options of their own, and it is at one of them. */
static const char *refused_word(char **argv)
{
	const char *at = argv[optind];
	bool within = optopt != 0 && at != NULL && at[0] == '-' && at[1] != '-' && strchr(at, optopt) != NULL;

	return within ? at : argv[optind - 1];
}

int pt_options_parse(struct pt_options *options, int argc, char **argv, struct pt_err *err)
{
	struct option names[PT_LEN(rows) + 1];
	const struct row *row;
	int option;

	memset(options, 0, sizeof(*options));
	options->max_loss = -1.0;
	long_options(names);
	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":hVo:", names, NULL)) != -1) {
		row = row_of(option);
		if (option == ':')
			return pt_fail(err, PT_EARG, "%s needs a value: %s %s", argv[optind - 1], argv[optind - 1],
				       needed_value(optopt));
		if (row == NULL)
			return refuse_option(refused_word(argv), optind < argc ? argv[optind] : NULL, err);
		options->given |= UINT64_C(1) << (row - rows);
		if (is_option(optarg))
			return pt_fail(err, PT_EARG, "--%s needs a value, and %s is an option: --%s %s", row->name,
				       optarg, row->name, row->argument);
		if (take_option(options, row, optarg, err) < 0)
			return err->code;
	}
	for (; optind < argc; optind++) {
		if (options->n_rest == PT_MAX_REST)
			return pt_fail(err, PT_EARG, "too many words: %s", argv[optind]);
		options->rest[options->n_rest++] = argv[optind];
	}
	return 0;
}

static bool is_in(const char *subcommand, const char *subcommands)
{
	size_t len = strlen(subcommand);

	for (const char *at = subcommands; at != NULL; at = strchr(at, ' ')) {
		at += *at == ' ';
		if (strncmp(at, subcommand, len) == 0 && (at[len] == ',' || at[len] == '\0'))
			return true;
	}
	return false;
}

static bool given(const struct pt_options *options, const char *name)
{
	const struct row *row = row_named(name);

	_Static_assert(PT_LEN(rows) <= 64, "a bit of given for each option");
	return row != NULL && (options->given >> (row - rows) & 1) != 0;
}

bool pt_options_has(const char *name, const char *subcommand)
{
	for (size_t i = 0; i < PT_LEN(of_subcommands); i++)
		if (strcmp(of_subcommands[i].option, name) == 0)
			return is_in(subcommand, of_subcommands[i].subcommands);
	return row_named(name) != NULL;
}

int pt_options_check_subcommand(const struct pt_options *options, const char *subcommand, struct pt_err *err)
{
	for (size_t i = 0; i < PT_LEN(of_subcommands); i++)
		if (given(options, of_subcommands[i].option) && !is_in(subcommand, of_subcommands[i].subcommands))
			return pt_fail(
				err, PT_EARG,
				"--%s is an option of %s, not of %s: proftap %.*s --%s ...; `proftap --help` lists "
				"them",
				of_subcommands[i].option, of_subcommands[i].subcommands, subcommand,
				(int)strcspn(of_subcommands[i].subcommands, ","), of_subcommands[i].subcommands,
				of_subcommands[i].option);
	return 0;
}

/* The word that was added last becomes the last of the file's. */
static void move_to_front(struct pt_options *options)
{
	const char *word = options->words[options->n_words - 1];

	memmove(options->words + options->n_file_words + 1, options->words + options->n_file_words,
		(options->n_words - 1 - options->n_file_words) * sizeof(options->words[0]));
	options->words[options->n_file_words++] = word;
}

static int add_setting(struct pt_options *options, const char *key, const char *value, struct pt_err *err)
{
	if (pt_setting_check(key, value, NULL, err) < 0 || add_word(options, key, value, err) < 0)
		return err->code;
	move_to_front(options);
	return 0;
}

static int add_field(struct pt_options *options, const struct row *row, const char *value, struct pt_err *err)
{
	char *copy;

	if (options->n_made == PT_MAX_MADE)
		return pt_fail(err, PT_EARG, "too many settings");
	copy = pt_strdup(value);
	options->made[options->n_made++] = copy;
	return take_option(options, row, copy, err);
}

static const char alias_key[] = "alias.";

/* "alias.NAME = URI" */
static int add_alias(struct pt_options *options, const char *name, const char *uri, struct pt_err *err)
{
	size_t room = strlen(name) + strlen(uri) + 2;
	char *alias;

	if (name[0] == '\0' || name[strcspn(name, ":=/")] != '\0')
		return pt_fail(err, PT_EARG, "alias.%.60s: a name for a probe, without \":\", \"=\" and \"/\"", name);
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

int pt_options_add(struct pt_options *options, const char *subcommand, const char *key, const char *value,
		   struct pt_err *err)
{
	const struct row *row = row_named(key);
	uint64_t on = 0;

	if (strncmp(key, alias_key, strlen(alias_key)) == 0)
		return add_alias(options, key + strlen(alias_key), value, err);
	if (row == NULL)
		return add_setting(options, key, value, err);
	if (row->kind == SET || strcmp(key, "config") == 0 || strcmp(key, "check-config") == 0 ||
	    strcmp(key, "help") == 0 || strcmp(key, "version") == 0)
		return pt_fail(err, PT_EARG, "%s is for the command line only", key);
	if (given(options, key) || (subcommand != NULL && !pt_options_has(key, subcommand)))
		return 0;
	if (row->kind == WORD)
		return add_setting(options, key, value, err);
	if (row->kind == FIELD || row->kind == PROBE)
		return add_field(options, row, value, err);
	if (row->kind != FLAG)
		return take_option(options, row, value, err);
	if (pt_params_parse(PT_PARAM_FLAG, value, &on, err) < 0)
		return pt_wrap(err, "%s", key);
	*(bool *)((char *)options + row->at) = on != 0;
	return 0;
}

void pt_options_free(struct pt_options *options)
{
	while (options->n_made > 0)
		free(options->made[--options->n_made]);
}

void pt_options_each(void (*each)(void *arg, const char *name, const char *help), void *arg)
{
	char line[300];

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		snprintf(line, sizeof(line), "--%s%s%s: %s", rows[i].name, rows[i].argument != NULL ? " " : "",
			 rows[i].argument != NULL ? rows[i].argument : "", rows[i].help);
		each(arg, rows[i].name, line);
	}
}

static bool is_of_use(const char *name, const char *subcommand)
{
	for (size_t i = 0; i < PT_LEN(of_use_to); i++)
		if (strcmp(of_use_to[i].option, name) == 0)
			return is_in(subcommand, of_use_to[i].subcommands);
	return pt_options_has(name, subcommand);
}

/* Without "profile, serve: ", which a reader of one subcommand's help knows. */
static const char *help_of(const struct row *row, const char *subcommand)
{
	const char *colon = strstr(row->help, ": ");
	size_t len = colon != NULL ? (size_t)(colon - row->help) : 0;
	char before[40];

	if (subcommand == NULL || len == 0 || len >= sizeof(before))
		return row->help;
	snprintf(before, sizeof(before), "%.*s", (int)len, row->help);
	return is_in(subcommand, before) || (strcmp(subcommand, "check") == 0 && is_in("profile", before)) ? colon + 2
													   : row->help;
}

void pt_options_help(struct pt_text *out, const char *subcommand)
{
	char left[48];

	for (size_t i = 0; i < PT_LEN(rows); i++) {
		if (subcommand != NULL && !is_of_use(rows[i].name, subcommand))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", rows[i].name, rows[i].argument != NULL ? " " : "",
			 rows[i].argument != NULL ? rows[i].argument : "");
		pt_text_add(out, "  %-24s  %s\n", left, help_of(&rows[i], subcommand));
	}
}
