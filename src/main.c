/* proftap: finds the subcommand, parses the options, says what went wrong. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "cli/configfile.h"
#include "host/log.h"
#include "cli/app.h"
#include "cli/output.h"
#include "base/nearest.h"
#include "base/util.h"
#include "report/other_names.h"
#include "report/report.h"
#include "cli/subcommands.h"

#define X(subcommand) &pt_subcommand_##subcommand,
static const struct pt_subcommand *const subcommands[] = { PT_SUBCOMMANDS(X) };
#undef X

static void add_verbs(struct pt_text *out)
{
	enum { ARGUMENTS = 28 };	/* those that are longer have a line of their own */

	for (size_t i = 0; i < PT_LEN(subcommands); i++) {
		bool fits = strlen(subcommands[i]->arguments) <= ARGUMENTS;

		pt_text_add(out, "  %-8s  %-*s%s", subcommands[i]->name, fits ? ARGUMENTS : 0,
			    subcommands[i]->arguments, fits ? "  " : "\n");
		pt_text_add(out, "%*s%s\n", fits ? 0 : ARGUMENTS + 14, "", subcommands[i]->help);
	}
}

static void help(void)
{
	struct pt_text out = { 0 };

	pt_text_add(&out, "proftap " PACKAGE_VERSION ": debugs and profiles a microcontroller that keeps running\n\n"
			  "usage: proftap [SUBCOMMAND] [OPTIONS]\n\n");
	add_verbs(&out);
	pt_text_add(&out, "\nfirst steps:\n"
			  "  proftap profile --probe virtual:kl27 --for 2s\n"
			  "      profiles a board without hardware\n"
			  "  proftap profile --elf fw.elf --core-clock 48M --for 2s\n"
			  "      profiles the chip behind the probe that is plugged in\n"
			  "  proftap --elf fw.elf\n"
			  "      serves GDB; there: target extended-remote :3333, monitor profile run 2s\n\n");
	pt_options_help(&out);
	pt_text_add(&out, "\nExit status: 0 done; 1 a check failed; 2 wrong usage or input; 3 probe or target failed; "
			  "4 done, but with loss above --max-loss.\n");
	pt_output_lines(&out);
	pt_text_free(&out);
}

static const struct pt_subcommand *find_verb(const char *name)
{
	for (size_t i = 0; i < PT_LEN(subcommands); i++)
		if (strcmp(subcommands[i]->name, name) == 0)
			return subcommands[i];
	return NULL;
}

/* A word of monitor, the most likely mistake of all: `proftap status`. */
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
	for (size_t i = 0; i < PT_LEN(subcommands); i++)
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

static int run(const struct pt_subcommand *subcommand, int argc, char **argv)
{
	struct pt_options options;
	struct pt_err err = { 0 };
	int status = PT_EXIT_DONE;

	if (pt_options_parse(&options, argc, argv, &err) < 0) {
		pt_error("%s", err.msg);
		status = PT_EXIT_USAGE;
	} else if (options.help) {
		help();
	} else if (options.version) {
		printf("proftap " PACKAGE_VERSION "\n");
	} else if (subcommand->arguments[0] == '\0' && options.n_rest > 0) {
		pt_error("%s takes options only, not \"%s\"; `proftap --help` lists them", subcommand->name,
			 options.rest[0]);
		status = PT_EXIT_USAGE;
	} else if (pt_options_check_subcommand(&options, subcommand->name, &err) < 0 ||
		   pt_configfile_read(&options, subcommand->name, &err) < 0) {
		pt_error("%s", err.msg);
		status = PT_EXIT_USAGE;
	} else {
		status = subcommand->run(&options);
	}
	pt_options_free(&options);
	return status;
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
	const struct pt_subcommand *subcommand = subcommands[0];

	signal(SIGABRT, on_abort);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);	/* a file that may not grow is an error of write() */
	if (argc > 1 && argv[1][0] != '-') {
		subcommand = find_verb(argv[1]);
		if (subcommand == NULL) {
			refuse_verb(argv[1], argv[2]);
			return PT_EXIT_USAGE;
		}
		argc--;
		argv++;
	}
	return run(subcommand, argc, argv);
}
