/* Every word that a user may meet, with a line that explains it: for help WORD. The texts are those of the tables that
 * own the words. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "capture/write.h"
#include "control/commands.h"
#include "pipeline/pipeline.h"
#include "profile/result/analysis.h"
#include "report/report.h"
#include "report/table/order.h"
#include "program/model/settings.h"
#include "report/views/views.h"

struct giver { pt_glossary_fn *each; void *arg; };

static void give_param(const struct giver *give, const struct pt_param *row, const char *kind)
{
	char line[600];

	snprintf(line, sizeof(line), "%s%s%s%s%s", row->help, row->standard != NULL ? "; default " : "",
		 row->standard != NULL ? row->standard : "", row->choices != NULL ? "; one of " : "",
		 row->choices != NULL ? row->choices : "");
	give->each(give->arg, row->key, kind, line);
}

static void give_params(const struct giver *give, const struct pt_param *rows, size_t n_rows, const char *kind)
{
	for (size_t i = 0; i < n_rows; i++)
		give_param(give, &rows[i], kind);
}

/* What sort= takes is more than the keys of columns ("net" is the first that begins so): each word once, with all views
 * that have it. */
static void give_column(const struct giver *give, const char *word)
{
	char line[500], views[300] = "";
	const char *heading = NULL;
	size_t at = 0;

	for (size_t i = 0; pt_views[i] != NULL && at < sizeof(views); i++) {
		int column = pt_view_column(pt_views[i], word);

		if (column < 0)
			continue;
		heading = heading != NULL ? heading : pt_views[i]->columns[column].heading;
		at += (size_t)snprintf(views + at, sizeof(views) - at, "%s%s", at > 0 ? ", " : "", pt_views[i]->name);
	}
	if (heading == NULL)
		return;
	snprintf(line, sizeof(line), "\"%s\" in %s; sort=%s puts the largest first", heading, views, word);
	give->each(give->arg, word, "column", line);
}

static bool is_new_column(size_t view, size_t column)
{
	for (size_t i = 0; i < view; i++)
		if (pt_view_column(pt_views[i], pt_views[view]->columns[column].key) >= 0)
			return false;
	return true;
}

static void give_report_words(const struct giver *give)
{
	static const struct { const char *key, *help; } words[] = {
		{ "sort", "profile report sort=COLUMN: the order of the rows; help report lists views and formats" },
		{ "top", "profile report top=N: so many rows at most; top=0: all" },
		{ "format", "profile report format=NAME: text, json, csv, ...; help report lists them" },
		{ "name", "profile report timeline name=PATTERN: only these rows; * and ? stand for any letters" },
		{ "from", "profile report timeline from=TIME: only what was later" },
		{ "to", "profile report timeline to=TIME: only what was earlier" },
		{ "partial", "profile report format=lcov partial=yes: coverage of what was seen, though more may have run" },
	};

	static const char *const sort_words[] = { "net", "gross", "max", "min", "avg", "self", "total", "period" };

	for (size_t i = 0; i < PT_LEN(words); i++)
		give->each(give->arg, words[i].key, "of a report", words[i].help);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		give->each(give->arg, pt_views[i]->name, "view", pt_views[i]->help);
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		give->each(give->arg, pt_formats[i]->name, "format", pt_formats[i]->help);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		for (size_t k = 0; k < pt_views[i]->n_columns; k++)
			if (is_new_column(i, k))
				give_column(give, pt_views[i]->columns[k].key);
	for (size_t i = 0; i < PT_LEN(sort_words); i++)
		give_column(give, sort_words[i]);
}

static void give_option(void *arg, const char *name, const char *help)
{
	const struct giver *give = arg;

	give->each(give->arg, name, "option", help);
}

void pt_glossary_each(const struct pt_command_ctx *ctx, pt_glossary_fn *each, void *arg)
{
	struct giver give = { each, arg };

	for (size_t i = 0; pt_command_start_param(i) != NULL; i++)
		give_param(&give, pt_command_start_param(i), "setting of a profile");
	give_params(&give, pt_program_params, PT_N_PROGRAM_PARAMS, "setting of symbols");
	give_report_words(&give);
	for (size_t i = 0; pt_analyses[i] != NULL; i++)
		each(arg, pt_analyses[i]->name, "analysis", pt_analyses[i]->help);
	if (ctx->options != NULL)
		ctx->options(give_option, &give);
}

static void give_modes(const struct giver *give, const struct pt_source_ops *source)
{
	char mode[40], line[160];

	for (const char *at = source->modes; *at != '\0'; at += strspn(at, "|")) {
		size_t len = strcspn(at, "|");

		snprintf(mode, sizeof(mode), "%.*s", (int)len, at);
		snprintf(line, sizeof(line), "profile start source=%s mode=%s; sources says what it costs",
			 source->name, mode);
		give->each(give->arg, mode, "mode", line);
		at += len;
	}
}

void pt_glossary_each_of_target(struct pt_target *target, pt_glossary_fn *each, void *arg)
{
	struct giver give = { each, arg };
	size_t n;
	const struct pt_source_ops *const *sources = target->ops->sources(target->state, &n);

	for (size_t i = 0; i < n; i++) {
		char kind[80];

		each(arg, sources[i]->name, "source", sources[i]->help);
		give_modes(&give, sources[i]);
		snprintf(kind, sizeof(kind), "setting of source %s", sources[i]->name);
		give_params(&give, sources[i]->params, sources[i]->n_params, kind);
	}
	give_params(&give, target->ops->params, target->ops->n_params, "setting of the target, --set");
}
