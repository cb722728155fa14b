/* proftap: finds the subcommand, parses the options, says what went wrong. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "cli/configfile.h"
#include "cli/help.h"
#include "host/log.h"
#include "cli/app.h"
#include "cli/output.h"
#include "base/nearest.h"
#include "base/util.h"
#include "report/other_names.h"
#include "report/report.h"
#include "cli/subcommands.h"
#include "cli/verdict.h"
#include "gdbstub/gdbstub.h"

#define X(subcommand) &pt_subcommand_##subcommand,
static const struct pt_subcommand *const subcommands[] = { PT_SUBCOMMANDS(X) NULL };	/* the first is the standard one */
#undef X

static const struct pt_tables tables = { subcommands, pt_gdbstub_rows };

static const struct pt_subcommand *find_subcommand(const char *name)
{
	for (size_t i = 0; subcommands[i] != NULL; i++)
		if (strcmp(subcommands[i]->name, name) == 0)
			return subcommands[i];
	return NULL;
}

/* A word of monitor, the most likely mistake of all: `proftap halt`; `proftap status` is of a daemon. */
static bool is_monitor_word(const char *name)
{
	static const char *const words[] = {
		"status", "sources", "symbols", "halt", "go", "reset", "erase", "speed", "threads", "exits", "semihost", "log",
		"history",
	};

	for (size_t i = 0; i < PT_LEN(words); i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

/* "report details", "tree", "run 2s": of a profile, which another subcommand makes. NULL: it is none. */
static const char *profile_word(const char *name, const char *next)
{
	static const char *const words[] = { "report", "start", "stop", "run", "live", "save" };

	if (pt_query_knows(name))
		return name;
	if (strcmp(name, "report") == 0 && next != NULL && pt_query_knows(next))
		return next;
	for (size_t i = 0; i < PT_LEN(words); i++)
		if (strcmp(words[i], name) == 0)
			return "";
	return NULL;
}

static void refuse_verb(const char *name, const char *next)
{
	const char *word = profile_word(name, next);
	char question[PT_NEAREST_QUESTION];
	struct pt_nearest near;

	pt_nearest_init(&near, name, strlen(name));
	for (size_t i = 0; subcommands[i] != NULL; i++)
		pt_nearest_offer(&near, subcommands[i]->name);
	if (strpbrk(name, "/.") != NULL)
		pt_error("no subcommand %s; did you mean %s %s? `proftap --help` lists them", name,
			 pt_output_is_capture(name) ? "proftap decode" : "--elf", name);
	else if (word != NULL)
		pt_error(
			"no subcommand %s; type proftap profile --for 2s%s%s, or for a capture proftap decode FILE%s%s",
			name, word[0] != '\0' ? " " : "", word, word[0] != '\0' ? " " : "", word);
	else if (pt_view_meant_by(name) != NULL)
		pt_error("no subcommand %s; did you mean proftap profile --for 2s %s%s%s? `proftap --help` lists them",
			 name, pt_format_find(pt_view_meant_by(name)) != NULL ? "--format " : "",
			 pt_view_meant_by(name), pt_format_find(pt_view_meant_by(name)) != NULL ? " -o FILE" : "");
	else if (near.nearest[0] == '\0' && is_monitor_word(name))
		pt_error("no subcommand %s; did you mean proftap monitor %s? `proftap --help` lists them", name, name);
	else
		pt_error("no subcommand %s%s`proftap --help` lists them", name,
			 pt_nearest_question(&near, question, sizeof(question)));
}

/* "proftap help profile", too. */
static int help(const char *name, const char *next)
{
	const struct pt_subcommand *subcommand = name != NULL ? find_subcommand(name) : NULL;

	if (name != NULL && subcommand == NULL) {
		refuse_verb(name, next);
		return PT_EXIT_USAGE;
	}
	if (subcommand != NULL)
		pt_help_subcommand(subcommand);
	else
		pt_help(subcommands);
	return PT_EXIT_DONE;
}

static void refuse_options(const struct pt_subcommand *subcommand, const struct pt_err *err)
{
	if (is_monitor_word(subcommand->name))
		pt_error("%s; for a board without a daemon type proftap monitor %s", err->msg, subcommand->name);
	else
		pt_error("%s", err->msg);
}

static int run(const struct pt_subcommand *subcommand, struct pt_options *options)
{
	struct pt_err err = { 0 };

	if (subcommand->arguments[0] == '\0' && options->n_rest > 0)
		pt_error("%s takes options only, not \"%s\"; `proftap help %s` lists them", subcommand->name,
			 options->rest[0], subcommand->name);
	else if (pt_options_check_subcommand(options, subcommand->name, &err) < 0)
		refuse_options(subcommand, &err);
	else if ((options->check_config ? pt_configfile_check(options, &err)
					: pt_configfile_read(options, subcommand->name, &err)) < 0)
		pt_error("%s", err.msg);
	else if (options->check_config)
		return PT_EXIT_DONE;
	else
		return subcommand->run(options);
	return PT_EXIT_USAGE;
}

/* The subcommand is the first word that is no option, wherever it stands; without one it is serve. */
static int run_command_line(struct pt_options *options)
{
	const char *name = options->n_rest > 0 ? options->rest[0] : NULL;
	const char *next = options->n_rest > 1 ? options->rest[1] : NULL;
	const struct pt_subcommand *subcommand = name != NULL ? find_subcommand(name) : subcommands[0];

	if (options->version) {
		printf("proftap " PACKAGE_VERSION "\n");
		return PT_EXIT_DONE;
	}
	if (name != NULL && strcmp(name, "help") == 0)
		return help(next, options->n_rest > 2 ? options->rest[2] : NULL);
	if (options->help)
		return help(name, next);
	if (subcommand == NULL) {
		refuse_verb(name, next);
		return PT_EXIT_USAGE;
	}
	if (name != NULL)
		memmove(options->rest, options->rest + 1, --options->n_rest * sizeof(options->rest[0]));
	return run(subcommand, options);
}

/* libuv ends the process without a word where the system refuses what it cannot do without. */
static void on_abort(int signum)
{
	static const char text[] =
		"error: proftap has to end: the system refused what it cannot do without (file descriptors, memory, watches), or this is "
		"a fault of proftap, which is worth a report. What it changed in the chip is put back by the next start, or by proftap "
		"restore\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)ignored;
	signal(signum, SIG_DFL);	/* abort() raises it again */
}

int main(int argc, char **argv)
{
	struct pt_options options;
	struct pt_err err = { 0 };
	int status = PT_EXIT_USAGE;

	signal(SIGABRT, on_abort);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a file that may not grow is an error of write() */
	if (pt_options_parse(&options, argc, argv, &err) < 0) {
		pt_error("%s", err.msg);
	} else {
		options.tables = &tables;
		status = run_command_line(&options);
	}
	status = pt_verdict_end(&options, status);
	pt_options_free(&options);
	return status;
}
