/* Lists options for readers: help of proftap and of each subcommand, and GDB's list. */
#include <stdio.h>

#include "cli/options_parts.h"

void pt_options_each(void (*each)(void *arg, const char *name, const char *help), void *arg)
{
	char line[300];

	for (size_t i = 0; i < pt_n_options; i++) {
		snprintf(line, sizeof(line), "--%s%s%s: %s", pt_option_table[i].name,
			 pt_option_table[i].argument != NULL ? " " : "",
			 pt_option_table[i].argument != NULL ? pt_option_table[i].argument : "",
			 pt_option_table[i].help);
		each(arg, pt_option_table[i].name, line);
	}
}

/* A reader of one subcommand's help needs no list of subcommands. */
static void add_users(struct pt_text *out, const struct pt_option *row)
{
	enum { FEW = 3 };
	const char *users = pt_option_users(row);
	size_t n = users != NULL && users[0] != '\0' ? 1 : 0;

	for (const char *at = users; at != NULL && *at != '\0'; at++)
		n += *at == ',';
	if (n > 0 && n <= FEW)
		pt_text_add(out, "%s: ", users);
}

/* Options without a line in a subcommand's help. */
static void add_seldom(struct pt_text *out, const char *subcommand)
{
	enum { COLUMNS = 80 };
	struct pt_text names = { 0 };

	for (size_t i = 0; i < pt_n_options; i++)
		if (pt_option_table[i].seldom && pt_option_used_by(&pt_option_table[i], subcommand))
			pt_text_add(&names, "%s --%s",
				    names.len_bytes == 0 ? "Also, in `proftap manual options`:" : ",",
				    pt_option_table[i].name);
	if (names.len_bytes != 0) {
		pt_text_wrapped(out, names.bytes, names.len_bytes, COLUMNS, 2);
		pt_text_add(out, "\n");
	}
	pt_text_free(&names);
}

void pt_options_help(struct pt_text *out, const char *subcommand)
{
	char left[48];

	for (size_t i = 0; i < pt_n_options; i++) {
		const struct pt_option *row = &pt_option_table[i];

		if (subcommand != NULL && (row->seldom || !pt_option_used_by(row, subcommand)))
			continue;
		snprintf(left, sizeof(left), "--%s%s%s", row->name, row->argument != NULL ? " " : "",
			 row->argument != NULL ? row->argument : "");
		pt_text_add(out, "  %-24s  ", left);
		if (subcommand == NULL)
			add_users(out, row);
		pt_text_add(out, "%s\n", row->help);
	}
	if (subcommand != NULL)
		add_seldom(out, subcommand);
}
