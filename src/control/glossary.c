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
#include "trace/loss.h"

struct giver { pt_glossary_fn *each; void *arg; };

static void give_choices(const struct giver *give, const struct pt_param *row, const char *kind)
{
	char word[40], line[600];

	for (const char *at = row->choices; *at != '\0'; at += strspn(at, "|")) {
		size_t len = strcspn(at, "|");

		snprintf(word, sizeof(word), "%.*s", (int)len, at);
		snprintf(line, sizeof(line), "%s=%s (%s): %s", row->key, word, kind, row->help);
		give->each(give->arg, word, "value", line);
		at += len;
	}
}

static void give_param(const struct giver *give, const struct pt_param *row, const char *kind)
{
	char line[600];

	snprintf(line, sizeof(line), "%s%s%s%s%s", row->help, row->standard != NULL ? "; default " : "",
		 row->standard != NULL ? row->standard : "", row->choices != NULL ? "; one of " : "",
		 row->choices != NULL ? row->choices : "");
	give->each(give->arg, row->key, kind, line);
	if (row->type == PT_PARAM_CHOICE && strcmp(row->key, "mode") != 0)	/* modes have lines of their own */
		give_choices(give, row, kind);
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

static void give_loss(const struct giver *give, enum pt_loss cause)
{
	const char *advice = pt_loss_advice(cause);

	if (cause < PT_LOSS_FIRST_FAULT)
		give->each(give->arg, pt_loss_name(cause), "cause of unobserved time",
			   "there is no trace of that time by design; it is no fault");
	else
		give->each(give->arg, pt_loss_name(cause), "cause of lost time",
			   advice != NULL ? advice : "a fault: the trace of that time is gone");
}

/* What stands in the lines around a table. */
static void give_screen_words(const struct giver *give)
{
	static const struct { const char *word, *help; } words[] = {
		{ "observed", "the time that the trace shows; every figure comes from it" },
		{ "unobserved", "time without trace by design, with the largest cause: re-arm (between bursts or batches), "
				"drain (the core is halted to read), halted" },
		{ "lost", "time whose trace a fault took away; it is in no figure, and counts for --max-loss" },
		{ "awake", "the time in which the core executed; shares of bursts and samples are of it" },
		{ "asleep", "the time in which the core waited for an interrupt or event" },
		{ "accuracy", "how the figures were made: exact, modelled or estimated; format=details says more" },
		{ "exact", "counted by the hardware or from a trace without a gap" },
		{ "modelled", "cycles are counted from the instructions that ran, not measured" },
		{ "estimated", "from a part of the run; the interval has the true value in 95 of 100 profiles" },
		{ "interval", "95 % confidence interval of the value to its left" },
		{ "not listed", "the most that a function which is not in the table can have had" },
		{ "self", "time in the function itself, without what it calls (net in JSON and csv)" },
		{ "total", "time in the function with what it calls (gross in JSON and csv)" },
		{ "seen", "how often it was recorded, as it is: no estimate for the whole run" },
		{ "burst", "one filling of a trace buffer, from arming to the watermark" },
		{ ">=", "a lower bound: the trace did not show all of it" },
	};

	for (size_t i = 0; i < PT_LEN(words); i++)
		give->each(give->arg, words[i].word, "in a report", words[i].help);
	for (unsigned i = 0; i < PT_N_LOSSES; i++)
		give_loss(give, (enum pt_loss)i);
}

static bool is_new_heading(size_t view, size_t column)
{
	const char *heading = pt_views[view]->columns[column].heading;

	for (size_t i = 0; i <= view; i++)
		for (size_t k = 0; k < (i < view ? pt_views[i]->n_columns : column); k++)
			if (strcmp(pt_views[i]->columns[k].heading, heading) == 0)
				return false;
	return strchr(heading, ' ') != NULL || (heading[0] != '\0' && pt_view_column(pt_views[view], heading) < 0);
}

/* As a table shows it: "self %". */
static void give_heading(const struct giver *give, size_t view, size_t column)
{
	const struct pt_column *own = &pt_views[view]->columns[column];
	char line[200];

	snprintf(line, sizeof(line), "heading of the column %s, in %s and others; sort=%s orders by it", own->key,
		 pt_views[view]->name, own->key);
	give->each(give->arg, own->heading, "heading", line);
}

static void give_report_words(const struct giver *give)
{
	static const struct { const char *key, *help; } words[] = {
		{ "sort", "profile report sort=COLUMN: the order of the rows; help report lists views and formats" },
		{ "top", "profile report top=N: so many rows at most; top=0: all" },
		{ "format", "profile report format=NAME: text, json, csv, ...; help report lists them" },
		{ "wide", "profile report wide=on: every column, however wide the table becomes" },
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
	for (size_t i = 0; pt_views[i] != NULL; i++)
		for (size_t k = 0; k < pt_views[i]->n_columns; k++)
			if (is_new_heading(i, k))
				give_heading(give, i, k);
	give_screen_words(give);
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
