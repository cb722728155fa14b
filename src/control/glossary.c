/* Explains every word that a user may meet, in a line: for help WORD. The texts come from the tables that own the
 * words. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "capture/write.h"
#include "control/commands.h"
#include "pipeline/pipeline.h"
#include "profile/analyses/counters/metrics.h"
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

	const char *choices = row->choices == NULL ? "" : row->type == PT_PARAM_CHOICE ? "; one of " : "; or ";

	snprintf(line, sizeof(line), "%s%s%s%s%s", row->help, row->standard != NULL ? "; default " : "",
		 row->standard != NULL ? row->standard : "", choices, row->choices != NULL ? row->choices : "");
	give->each(give->arg, row->key, kind, line);
	if (row->type == PT_PARAM_CHOICE && strcmp(row->key, "mode") != 0)	/* modes have lines of their own */
		give_choices(give, row, kind);
}

static void give_params(const struct giver *give, const struct pt_param *rows, size_t n_rows, const char *kind)
{
	for (size_t i = 0; i < n_rows; i++)
		give_param(give, &rows[i], kind);
}

/* sort= also takes other words than keys of columns ("net" selects the first key that begins so): each word once, with
 * all views that have it. */
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
	bool fault = pt_loss_is_fault(cause);
	char line[400];

	snprintf(line, sizeof(line), "%s%s%s", pt_loss_meaning(cause), advice != NULL ? "; what helps: " : "",
		 advice != NULL ? advice : "");
	give->each(give->arg, pt_loss_name(cause), fault ? "cause of lost time" : "cause of unobserved time", line);
}

/* Words in the lines around a table. */
static const struct { const char *word, *help; } screen_words[] = {
	{ "observed", "the time that the trace shows; every figure comes from it" },
	{ "unobserved", "time without trace by design, with the largest cause: re-arm (between bursts or batches), "
			"halted to read (the core, by the source), halted (by a debugger, or while proftap attaches)" },
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
	{ "self %", "self, as a part of what the line accuracy names: of time awake, of all time, of the time in bins" },
	{ "total %", "total, as a part of what the line accuracy names; a function's and its callees' overlap" },
	{ "seen", "how often it was recorded, as it is: no estimate for the whole run" },
	{ "burst", "one filling of a trace buffer, from arming to the watermark" },
	{ "sample", "one reading of where the core is" },
	{ "look", "one reading of a variable while the program runs" },
	{ "re-arm", "making the trace ready for the next burst, or waiting for it" },
	{ "bound", "at least (≥, >=) or at most (≤) so much: the trace did not show all of it" },
	{ "lower bound", "at least so much: the trace did not show all of it; printed as ≥, or >= without UTF-8" },
	{ "≥", "a lower bound: the trace did not show all of it" },
	{ ">=", "a lower bound: the trace did not show all of it" },
	{ "±", "half of the 95 % interval, in per cent of the value before it" },
	{ "calls/s", "calls per second of the whole profile, the time asleep included" },
	{ "self/call", "time in the function itself per call" },
	{ "period", "mean time from one call to the next: 1 / calls/s, the time asleep included" },
	{ "per", "of per min, per avg, per max: time from one call to the next, as it was recorded" },
	{ "min", "the shortest call, with what it called; behind another word the shortest of that" },
	{ "avg", "the mean over all calls, with what they called; behind another word the mean of that" },
	{ "max", "the longest call, with what it called; behind another word the longest of that" },
	{ "p50", "the median: half of the calls took no longer (from a histogram; ~: within 2 %)" },
	{ "p90", "nine of ten calls took no longer (from a histogram; ~: within 2 %)" },
	{ "p99", "99 of 100 calls took no longer (from a histogram; ~: within 2 %)" },
	{ "inactive", "time from the end of a call to the next call" },
	{ "overhead", "what profiling does to the program: nothing, or halts for each reading (report details has it)" },
	{ "HALTED", "in the first line: the source halts the core for each reading, at most so long in all, so that the program runs slower" },
	{ "not halted", "in the first line: neither the source nor a debugger halted the core while the profile ran" },
	{ "INTRUSIVE", "the source alters the run of the program (sources, report details say how); chosen only by name" },
	{ "lease", "the right to use one unit of the chip (trace buffer, comparators): debugger or profile, not both" },
	{ "WARNING", "the gravest of what makes the figures worse than they look; report details has all of them" },
	{ "note", "in report details: what qualifies a figure, without being a fault" },
	{ "shares", "in report details: of which bursts or samples self % is made" },
	{ "link", "in report details: how much of the time the way to the probe was busy for each source" },
	{ "buffer", "in report details: the RAM of the target that the trace is recorded into" },
	{ "virtual", "a model of a board inside proftap, not hardware (proftap boards)" },
	{ "batch", "samples in a row, at a random time; what is asleep is found out between two of them" },
	{ "snapshot", "of an S12Z: one filling of the trace buffer; of MicroBlaze bins: one reading" },
	{ "branch", "a taken jump, call, return or exception, as the trace records it" },
	{ "window", "the part of fixed length at the start of each burst that shares are made of (report details: shares)" },
	{ "cut off", "(~ at the end of a name) a name or an answer was longer than its place; wide=on shows whole names" },
	{ "cut short", "in the first line: the profile or its file has no end, so that something is missing" },
	{ "samples awake", "samples that found the core executing; shares are of these, not of those taken asleep" },
	{ "95 %", "how sure an interval is: it has the true value in 95 of 100 profiles" },
	{ "95", "95 %: an interval has the true value in 95 of 100 profiles" },
	{ "remote put", "GDB's own command: remote put FILE firmware.elf sends proftap the ELF from GDB's host" },
	{ "remote get", "GDB's own command: remote get profile/html report.html fetches a report from proftap" },
	{ "report details", "profile report details: how the numbers were made, all warnings, overhead, memory used" },
	{ "VIRTUAL", "a model of a board inside proftap made the figures, not hardware (proftap boards)" },
	{ "gap", "a place in the trace where what ran is not known; calls that are open there end as unknown" },
	{ "chunk", "a piece of trace with the time that it accounts for; a capture is a file of them" },
	{ "recording", "one profile, from profile start to profile stop" },
	{ "taken on trust", "core-clock= as it was given, where no counter could check it" },
	{ "~", "at the end of a name: the name is longer; wide=on shows all of it" },
	{ "(asleep or outside)", "time that is in no bin: asleep, or in code outside the range of the bins" },
	{ "agent", "code in an e500's program that reads its performance monitor, so that nothing halts (scripts/agent)" },
	{ "scratch", "e500.scratch=ADDR:SIZE: RAM in which a halted e500 runs the code that reads its counters" },
	{ "MTB", "Micro Trace Buffer of a Cortex-M0+: it writes each taken branch to RAM" },
	{ "DWT_PCSR", "register of a Cortex-M that shows where the core is, without a halt" },
	{ "DBG", "debug module of an S12Z: trace buffer and comparators" },
	{ "BDC", "the S12Z's debug port, with one wire" },
	{ "MDM", "debug module of MicroBlaze cores: bins, counters and trace" },
	{ "upstream", "the GDB server that owns the cable, proftap is a client of it" },
	{ "built-in demo", "the program of a virtual board, where elf= in its address names no other" },
	{ "undecided", "(clocks ± TIME) not known: the times that it is made of are no surer than that" },
	{ "independent", "worth N independent ones: samples close together see the same code; N that are far apart would say as "
			 "much" },
	{ "wake-up", "a burst that begins as the core wakes sees always the same code: shares leave it out" },
	{ "watermark", "the fill of a trace buffer at which a burst ends" },
};

static void give_screen_words(const struct giver *give)
{
	for (size_t i = 0; i < PT_LEN(screen_words); i++)
		give->each(give->arg, screen_words[i].word, "in a report", screen_words[i].help);
	for (unsigned i = 1; i < PT_N_LOSSES; i++)
		give_loss(give, (enum pt_loss)i);
}

static bool has_heading(const struct pt_view *view, const char *heading)
{
	for (size_t i = 0; i < view->n_columns; i++)
		if (strcmp(view->columns[i].heading, heading) == 0)
			return true;
	return false;
}

static bool is_new_heading(size_t view, size_t column)
{
	const char *heading = pt_views[view]->columns[column].heading;

	for (size_t i = 0; i < view; i++)
		if (has_heading(pt_views[i], heading))
			return false;
	for (size_t k = 0; k < column; k++)
		if (strcmp(pt_views[view]->columns[k].heading, heading) == 0)
			return false;
	return heading[0] != '\0' && strcmp(heading, pt_views[view]->columns[column].key) != 0;
}

/* As in the table: "self %". */
static void give_heading(const struct giver *give, size_t view, size_t column)
{
	const struct pt_column *own = &pt_views[view]->columns[column];
	char line[500], views[300] = "", word[PT_SORT_WORD];
	size_t at = 0;

	for (size_t i = view; pt_views[i] != NULL && at < sizeof(views); i++)
		if (has_heading(pt_views[i], own->heading))
			at += (size_t)snprintf(views + at, sizeof(views) - at, "%s%s", at > 0 ? ", " : "",
					       pt_views[i]->name);
	pt_view_sort_word(pt_views[view], column, word);
	snprintf(line, sizeof(line), "heading of the column in %s; sort=%s orders by it; %s in JSON and csv", views,
		 word, own->key);
	give->each(give->arg, own->heading, "heading", line);
}

static bool any_counter(void *arg, const char *counter)
{
	(void)arg;
	(void)counter;
	return true;
}

static void give_metric(void *arg, const char *name, const char *formula)
{
	const struct giver *give = arg;

	give->each(give->arg, name, "metric", formula);
}

static void give_report_words(const struct giver *give)
{
	static const struct { const char *key, *help; } words[] = {
		{ "sort", "profile report sort=COLUMN: the order of the rows; help report lists views and formats" },
		{ "top", "profile report top=N: so many rows at most; top=0: all" },
		{ "format", "profile report format=NAME: text, json, csv, ...; help report lists them" },
		{ "wide", "profile report wide=on: every column, however wide the table becomes" },
		{ "name", "profile report timeline name=PATTERN: only these rows; * and ? stand for any letters" },
		{ "task", "profile report functions task=PATTERN: what functions did for these tasks" },
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
	give_screen_words(give);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		for (size_t k = 0; k < pt_views[i]->n_columns; k++)
			if (is_new_column(i, k))
				give_column(give, pt_views[i]->columns[k].key);
	for (size_t i = 0; pt_views[i] != NULL; i++)
		for (size_t k = 0; k < pt_views[i]->n_columns; k++)
			if (is_new_heading(i, k))
				give_heading(give, i, k);
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
		give_param(&give, pt_command_start_param(i), PT_PROFILE_SETTING);
	give_params(&give, pt_program_params, PT_N_PROGRAM_PARAMS, "setting of symbols");
	give_report_words(&give);
	pt_metrics_standard(any_counter, give_metric, &give);
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
		snprintf(line, sizeof(line), "profile start source=%s mode=%s; sources has its overhead", source->name,
			 mode);
		give->each(give->arg, mode, "mode", line);
		at += len;
	}
}

static void give_name(void *arg, const char *name, const char *meaning)
{
	const struct giver *give = arg;

	give->each(give->arg, name, "event", meaning);
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
		if (sources[i]->explain != NULL)
			sources[i]->explain(give_name, &give);
		snprintf(kind, sizeof(kind), "setting of source %s", sources[i]->name);
		give_params(&give, sources[i]->params, sources[i]->n_params, kind);
	}
	give_params(&give, target->ops->params, target->ops->n_params, "setting of the target, --set");
}
