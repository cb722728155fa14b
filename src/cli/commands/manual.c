/* proftap manual: prints the parts of the manual that are generated from tables, as Markdown. scripts/manual puts them
 * into the pages of doc/ and makes man pages of those; tests/system/test_manual compares. */
#include "cli/commands/manual.h"

#include <string.h>

#include "base/nearest.h"
#include "base/util.h"
#include "cli/app.h"
#include "cli/option_table.h"
#include "cli/output.h"
#include "cli/settings.h"
#include "cli/subcommands.h"
#include "control/commands.h"
#include "host/log.h"
#include "import/importer.h"
#include "probes/registry.h"
#include "probes/virtual/boards.h"
#include "profile/result/analysis.h"
#include "report/report.h"
#include "report/views/views.h"
#include "targets/registry.h"

/* Help texts become sentences of a page: characters with a meaning in Markdown are escaped, except in code in
 * backquotes. */
static void add_text(struct pt_text *out, const char *text)
{
	bool code = false;

	for (; *text != '\0'; text++) {
		code ^= *text == '`';
		pt_text_add(out, "%s%c", !code && strchr("<*", *text) != NULL ? "\\" : "", *text);
	}
}

static void add_item(struct pt_text *out, const char *name, const char *arguments, const char *help)
{
	pt_text_add(out, "- `%s%s%s`: ", name, arguments[0] != '\0' ? " " : "", arguments);
	add_text(out, help);
	pt_text_add(out, "\n");
}

/* --- the command line --------------------------------------------------------------------------------------------- */

static void add_examples(struct pt_text *out, const char *lines)
{
	pt_text_add(out, "```text\n");
	for (size_t n; *lines != '\0'; lines += n + (lines[n] == '\n')) {
		n = strcspn(lines, "\n");
		pt_text_add(out, "  %.*s\n", (int)n, lines);
	}
	pt_text_add(out, "```\n\n");
}

static void add_option_names(struct pt_text *out, const char *subcommand)
{
	const char *between = "Options: ";

	for (size_t i = 0; i < pt_n_options; i++)
		if (pt_option_used_by(&pt_option_table[i], subcommand)) {
			pt_text_add(out, "%s`--%s`", between, pt_option_table[i].name);
			between = ", ";
		}
	pt_text_add(out, ".\n\n");
}

static void add_commands(struct pt_text *out, const struct pt_tables *tables)
{
	for (size_t i = 0; tables->subcommands[i] != NULL; i++) {
		const struct pt_subcommand *row = tables->subcommands[i];

		pt_text_add(out, "### proftap %s\n\n`proftap %s%s%s`: ", row->name, row->name,
			    row->arguments[0] != '\0' ? " " : "", row->arguments);
		add_text(out, row->help);
		pt_text_add(out, ".\n\n");
		add_examples(out, row->examples);
		add_option_names(out, row->name);
	}
}

static void add_options(struct pt_text *out, const struct pt_tables *tables)
{
	(void)tables;
	for (size_t i = 0; i < pt_n_options; i++) {
		const struct pt_option *row = &pt_option_table[i];
		const char *users = pt_option_users(row);

		pt_text_add(out, "- `");
		if (row->letter != '\0')
			pt_text_add(out, "-%c, ", row->letter);
		pt_text_add(out, "--%s%s%s`: ", row->name, row->argument != NULL ? " " : "",
			    row->argument != NULL ? row->argument : "");
		add_text(out, row->help);
		if (users != NULL && users[0] != '\0')
			pt_text_add(out, " (%s)", users);
		pt_text_add(out, "\n");
	}
}

/* --- monitor ------------------------------------------------------------------------------------------------------ */

static void add_row(void *out, const struct pt_command_row *row)
{
	add_item(out, row->name, row->usage, row->help);
}

static void add_monitor(struct pt_text *out, const struct pt_tables *tables)
{
	const struct pt_door_ops ops = { .name = "monitor", .rows = tables->gdb_rows };
	const struct pt_command_ctx ctx = { .ops = &ops };

	pt_commands_each(&ctx, add_row, out);
}

/* --- settings ----------------------------------------------------------------------------------------------------- */

static const char *value_of(const struct pt_param *row)
{
	static const char *const names[] = {
		[PT_PARAM_TEXT] = "TEXT", [PT_PARAM_NUMBER] = "N", [PT_PARAM_TIME] = "TIME", [PT_PARAM_HZ] = "HZ",
		[PT_PARAM_FLAG] = "on|off", [PT_PARAM_SPAN] = "ADDR:SIZE", [PT_PARAM_LIST] = "A,B,...", [PT_PARAM_PLACE] = "PLACE",
	};

	return row->type == PT_PARAM_CHOICE ? row->choices : names[row->type];
}

static void add_setting(struct pt_text *out, const struct pt_param *row)
{
	pt_text_add(out, "- `%s=%s`", row->key, value_of(row));
	if (row->standard != NULL && row->standard[0] != '\0')
		pt_text_add(out, " (default `%s`)", row->standard);
	pt_text_add(out, ": ");
	add_text(out, row->help);
	pt_text_add(out, "\n");
}

static void add_probes(struct pt_text *out, const struct pt_tables *tables)
{
	const struct pt_param *common;

	(void)tables;
	pt_text_add(out, "- `%s`: any of those on USB, the first that fits\n", PT_PROBE_ANY_USB);
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		if (pt_probe_drivers[i]->address != NULL)
			add_item(out, pt_probe_drivers[i]->address, "", pt_probe_drivers[i]->help);
	for (size_t i = 0; i < pt_n_vboards; i++) {
		pt_text_add(out, "- `virtual:%s`: ", pt_vboards[i]->name);
		add_text(out, pt_vboards[i]->help);
		pt_text_add(out, "\n");
	}
	pt_text_add(out, "\n### Keys of virtual boards, as in virtual:kl27?seed=3\n\n");
	for (size_t i = 0; (common = pt_vboard_common_param(i)) != NULL; i++)
		add_setting(out, common);
	for (size_t i = 0; i < pt_n_vboards; i++) {
		if (pt_vboards[i]->n_params > 0)
			pt_text_add(out, "\n### Keys of virtual:%s alone\n\n", pt_vboards[i]->name);
		for (size_t k = 0; k < pt_vboards[i]->n_params; k++)
			add_setting(out, &pt_vboards[i]->params[k]);
	}
}

struct settings { struct pt_text *out; char whose[80]; };

static void add_setting_of(void *arg, const char *whose, const struct pt_param *row)
{
	struct settings *settings = arg;

	if (strcmp(settings->whose, whose) != 0) {
		pt_text_add(settings->out, "%s### Settings of %s\n\n", settings->whose[0] != '\0' ? "\n" : "", whose);
		snprintf(settings->whose, sizeof(settings->whose), "%s", whose);
	}
	add_setting(settings->out, row);
}

static void add_settings(struct pt_text *out, const struct pt_tables *tables)
{
	struct settings settings = { .out = out };

	(void)tables;
	pt_settings_each(add_setting_of, &settings);
}

/* --- what is profiled, and what becomes of it ---------------------------------------------------------------------- */

static void add_sources(struct pt_text *out, const struct pt_tables *tables)
{
	(void)tables;
	for (size_t t = 0; t < pt_n_targets; t++) {
		size_t n;
		const struct pt_source_ops *const *sources = pt_targets[t]->sources(NULL, &n);

		pt_text_add(out, "%s### Target %s\n\n", t > 0 ? "\n" : "", pt_targets[t]->name);
		add_text(out, pt_targets[t]->help);
		pt_text_add(out, "\n\n");
		for (size_t i = 0; i < n; i++) {
			pt_text_add(out, "- `source=%s`, mode `%s`: ", sources[i]->name, sources[i]->modes);
			add_text(out, sources[i]->help);
			pt_text_add(out, "\n");
		}
	}
}

static void add_views(struct pt_text *out, const struct pt_tables *tables)
{
	(void)tables;
	for (size_t i = 0; pt_views[i] != NULL; i++)
		add_item(out, pt_views[i]->name, "", pt_views[i]->help);
}

static void add_formats(struct pt_text *out, const struct pt_tables *tables)
{
	(void)tables;
	for (size_t i = 0; pt_formats[i] != NULL; i++) {
		pt_text_add(out, "- `%s`", pt_formats[i]->name);
		if (pt_formats[i]->suffix != NULL)
			pt_text_add(out, " (files `%s`)", pt_formats[i]->suffix);
		pt_text_add(out, ": ");
		add_text(out, pt_formats[i]->help);
		pt_text_add(out, "\n");
	}
}

static void add_analyses(struct pt_text *out, const struct pt_tables *tables)
{
	(void)tables;
	for (size_t i = 0; pt_analyses[i] != NULL; i++) {
		pt_text_add(out, "- `%s`%s: ", pt_analyses[i]->name, pt_analyses[i]->standard ? " (by default)" : "");
		add_text(out, pt_analyses[i]->help);
		pt_text_add(out, "\n");
	}
}

static void add_inputs(struct pt_text *out, const struct pt_tables *tables)
{
	(void)tables;
	for (size_t i = 0; pt_inputs[i] != NULL; i++) {
		pt_text_add(out, "%s### input=%s\n\n", i > 0 ? "\n" : "", pt_inputs[i]->name);
		add_text(out, pt_inputs[i]->help);
		pt_text_add(out, "\n%s", pt_inputs[i]->n_params > 0 ? "\n" : "");
		for (size_t k = 0; k < pt_inputs[i]->n_params; k++)
			add_setting(out, &pt_inputs[i]->params[k]);
	}
}

/* --- the subcommand ----------------------------------------------------------------------------------------------- */

static const struct { const char *name; void (*add)(struct pt_text *out, const struct pt_tables *tables); } parts[] = {
	{ "commands", add_commands }, { "options", add_options }, { "monitor", add_monitor }, { "settings", add_settings },
	{ "probes", add_probes }, { "sources", add_sources }, { "views", add_views }, { "formats", add_formats },
	{ "analyses", add_analyses }, { "inputs", add_inputs },
};

void pt_manual_each_part(void (*each)(void *arg, const char *name), void *arg)
{
	for (size_t i = 0; i < PT_LEN(parts); i++)
		each(arg, parts[i].name);
}

static int refuse_part(const char *word)
{
	char question[PT_NEAREST_QUESTION], names[200] = "";
	struct pt_nearest near;
	size_t n = 0;

	pt_nearest_init(&near, word, strlen(word));
	for (size_t i = 0; i < PT_LEN(parts) && n < sizeof(names); i++) {
		pt_nearest_offer(&near, parts[i].name);
		n += (size_t)snprintf(names + n, sizeof(names) - n, " %s", parts[i].name);
	}
	pt_error("the manual has no part %s%sthere are:%s", word,
		 pt_nearest_question(&near, question, sizeof(question)), names);
	return PT_EXIT_USAGE;
}

static int run_manual(const struct pt_options *options)
{
	const char *wanted = options->n_rest > 0 ? options->rest[0] : NULL;
	struct pt_text out = { 0 };
	bool found = false;

	for (size_t i = 0; i < PT_LEN(parts); i++) {
		if (wanted != NULL && strcmp(wanted, parts[i].name) != 0)
			continue;
		if (wanted == NULL)
			pt_text_add(&out, "%s## %s\n\n", i > 0 ? "\n" : "", parts[i].name);
		parts[i].add(&out, options->tables);
		found = true;
	}
	if (found)
		pt_output_lines(&out);
	pt_text_free(&out);
	return found ? PT_EXIT_DONE : refuse_part(wanted);
}

const struct pt_subcommand pt_subcommand_manual = {
	"manual", "[PART]", "print the reference, or a part: options, settings, views, ...",
	"proftap manual settings\n"
	"    every KEY=VALUE of --set, of the configuration file and of profile start\n"
	"proftap manual monitor\n"
	"    every command that GDB has behind monitor\n",
	run_manual,
};
