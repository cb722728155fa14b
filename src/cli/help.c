#include "cli/help.h"

#include <string.h>

#include "cli/output.h"
#include "config.h"

static void add_subcommands(struct pt_text *out, const struct pt_subcommand *const *all)
{
	enum { ARGUMENTS = 28 };	/* longer ones have a line of their own */

	for (size_t i = 0; all[i] != NULL; i++) {
		bool fits = strlen(all[i]->arguments) <= ARGUMENTS;

		pt_text_add(out, "  %-8s  %-*s%s", all[i]->name, fits ? ARGUMENTS : 0, all[i]->arguments,
			    fits ? "  " : "\n");
		pt_text_add(out, "%*s%s\n", fits ? 0 : ARGUMENTS + 14, "", all[i]->help);
	}
}

void pt_help(const struct pt_subcommand *const *all)
{
	struct pt_text out = { 0 };

	pt_text_add(&out, "proftap " PACKAGE_VERSION ": debugs and profiles a microcontroller that keeps running\n\n"
			  "usage: proftap [SUBCOMMAND] [OPTIONS]\n\n");
	add_subcommands(&out, all);
	pt_text_add(&out, "  help      [SUBCOMMAND]                  this, or what a subcommand does, with examples\n"
			  "\nfirst steps:\n"
			  "  proftap profile --probe virtual:kl27 --for 2s\n"
			  "      profiles a board without hardware\n"
			  "  proftap profile --elf fw.elf --core-clock 48M --for 2s\n"
			  "      profiles the chip behind the probe that is plugged in\n"
			  "  proftap --elf fw.elf\n"
			  "      serves GDB; there: target extended-remote :3333, monitor profile run 2s\n\n");
	pt_options_help(&out, NULL);
	pt_text_add(&out, "\nExit status: 0 done; 1 a check failed; 2 wrong usage or input; 3 probe or target failed; "
			  "4 done, but with loss above --max-loss.\n");
	pt_output_lines(&out);
	pt_text_free(&out);
}

static void add_indented(struct pt_text *out, const char *lines)
{
	for (size_t n; *lines != '\0'; lines += n + (lines[n] == '\n')) {
		n = strcspn(lines, "\n");
		pt_text_add(out, "  %.*s\n", (int)n, lines);
	}
}

void pt_help_subcommand(const struct pt_subcommand *subcommand)
{
	struct pt_text out = { 0 };

	pt_text_add(&out, "proftap %s: %s\nusage: proftap %s%s%s [OPTIONS]\n\n", subcommand->name, subcommand->help,
		    subcommand->name, subcommand->arguments[0] != '\0' ? " " : "", subcommand->arguments);
	add_indented(&out, subcommand->examples);
	pt_text_add(&out, "\n");
	pt_options_help(&out, subcommand->name);
	pt_output_lines(&out);
	pt_text_free(&out);
}
