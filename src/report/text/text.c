/* The format for people at a terminal: a few lines about what was measured and how accurate it is, the table, and below
 * it the small print that the table needs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/door.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/signals/watched.h"
#include "profile/diff.h"
#include "report/shared/jumps.h"
#include "report/table/facts.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/text/details.h"
#include "report/text/grid.h"
#include "report/text/head.h"
#include "report/text/small_print.h"
#include "report/views/views.h"
#include "trace/formats.h"

extern const struct pt_format pt_format_text, pt_format_summary, pt_format_details;

enum { JUMPS = 3, ALSO_ROWS = 20, INDENT = 2 };

struct say { struct pt_text *out; size_t columns; };

static size_t columns_of(const struct pt_query *query)
{
	return query->columns != 0 ? query->columns : PT_GRID_COLUMNS;
}

/* --- below the table */

/* Why it has no rows, or what to do; "": not known. */
static bool is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static bool has_other_than_samples(const struct pt_profile *p)
{
	for (size_t i = 0; i < p->n_sources; i++)
		if (strcmp(p->sources[i].format, PT_FORMAT_PCSR) != 0)
			return true;
	return false;
}

/* Whether no source records branches or writes, so that the running task is unknown. */
static bool sees_no_switches(const struct pt_profile *p)
{
	static const char *const formats[] = { PT_FORMAT_PCSR, PT_FORMAT_COUNTERS, PT_FORMAT_BINS };
	bool none = p->branches == 0 && p->n_sources > 0;

	for (size_t i = 0; i < p->n_sources && none; i++)
		none = is_one_of(p->sources[i].format, formats, PT_LEN(formats));
	return none;
}

static const char *why_no_tasks(const struct pt_profile *p)
{
	if (!sees_no_switches(p))
		return "";
	return pt_by_door(
		"samples and counters do not show which task runs. proftap monitor threads lists the tasks and their states; "
		"--source watch --orti FILE estimates each task's part of the time (table watch). For their times, record the writes of the OS's variable for the running task (pin SWO, or a log of values: see "
		"doc/captures.md) and run proftap decode FILE tasks --orti FILE; or profile with a source of writes (--orti FILE) or "
		"of branches (--analysis tasks), if proftap monitor sources lists one",
		"samples and counters do not show which task runs. monitor threads lists the tasks and their states; monitor "
		"orti auto and then source=watch estimate each task's part of the time (report watch). For their times, record the writes of the OS's variable for the running task (pin SWO, or a log of values: see "
		"doc/captures.md) and run proftap decode FILE tasks --orti FILE in a shell; or profile with a source of writes "
		"(monitor orti auto) or of branches (analysis=tasks), if monitor sources lists one");
}

/* For samples in a stream that does not show which task runs. */
static const char *why_no_functions_of_tasks(void)
{
	return pt_by_door(
		"samples and readings of the running task are not simultaneous, so no sample is known to be of a task. Pin SWO has both "
		"in one stream (--source swo --orti FILE --set trace=task,pc-samples); a branch trace has it "
		"(--analysis tasks); proftap monitor sources lists what this chip has",
		"samples and readings of the running task are not simultaneous, so no sample is known to be of a task. Pin SWO has both "
		"in one stream (monitor orti auto, source=swo trace=task,pc-samples); a branch trace has it "
		"(analysis=tasks); monitor sources lists what this chip has");
}

/* Why the view has no rows: the core did not run, or the source does not record this; "": not known. */
static const char *why_no_rows(const struct pt_profile *p, const struct pt_view *view)
{
	static const char *const of_code[] = { "functions", "calls", "tree", "lines", "instructions", "coverage", "irqs" };
	static const char *const of_calls[] = { "calls", "tree", "irqs" };
	uint64_t awake = p->samples - p->samples_asleep;

	if (strcmp(view->name, "task_functions") == 0 && p->watched != NULL && p->watched->n_variables > 0)
		return why_no_functions_of_tasks();
	if (strcmp(view->name, "tasks") == 0 || strcmp(view->name, "task_functions") == 0)
		return why_no_tasks(p);
	if (!is_one_of(view->name, of_code, PT_LEN(of_code)))
		return "";
	if (p->no_code && p->counters != NULL)
		return pt_by_door("counters see no code; proftap monitor sources lists the sources that do",
				  "counters see no code; monitor sources lists the sources that do");
	if (p->no_code)
		return "";
	if (pt_waits_for_elf(p))
		return pt_by_door("it takes the ELF: --elf FILE; without it samples have addresses",
				  "it takes the ELF: monitor symbols FILE; without it samples have addresses");
	if (p->branches == 0 && awake == 0 && (p->samples_asleep > 0 || p->loss.by[PT_LOSS_SLEEP].ns > 0))
		return "the core slept: whenever it was looked at, its program waited for an interrupt";
	if (is_one_of(view->name, of_calls, PT_LEN(of_calls)) && p->by_bins)
		return pt_by_door(
			"bins show no calls: that takes a source of branches (proftap monitor sources lists them)",
			"bins show no calls: that takes a source of branches (monitor sources lists them)");
	if (is_one_of(view->name, of_calls, PT_LEN(of_calls)) && p->branches == 0 && awake > 0)
		return has_other_than_samples(p)
			       ? "samples show no calls, and no branch was recorded in so short a time: profile for longer"
			       : pt_by_door(
					 "samples show no calls: that takes a source of branches (proftap monitor sources "
					 "lists them)",
					 "samples show no calls: that takes a source of branches (monitor sources lists "
					 "them)");
	return p->program == NULL && (p->branches != 0 || awake > 0)
		       ? pt_by_door("it takes the ELF: --elf FILE", "it takes the ELF: monitor symbols FILE")
		       : "";
}

static const char *why_empty(const struct pt_profile *p, const struct pt_view *view)
{
	const char *why = why_no_rows(p, view);

	if (p->loss.observed_ns == 0 && p->loss.by[PT_LOSS_REARM].events > 1 && p->loss.by[PT_LOSS_HALTED].events > 1)
		return "the core was halted again, as by a breakpoint, before any look at it was done: with fewer "
		       "breakpoints it runs for longer";
	if (p->loss.observed_ns == 0 && 2 * p->loss.by[PT_LOSS_HALTED].ns > p->loss.total_ns)
		return "the core was halted: in GDB continue lets it run, and profile run 2s does for 2 s";
	if (why[0] != '\0')
		return why;
	for (size_t i = 0; i < p->n_sources; i++)
		if (strcmp(p->sources[i].format, view->name) == 0)	/* of bins, counters, watch */
			return p->ended || p->no_end ? "nothing was recorded" : "nothing has been recorded yet";
	if (view->empty == NULL)
		return "";
	return pt_by_door(view->empty, view->empty_in_gdb != NULL ? view->empty_in_gdb : view->empty);
}

static void rows_left_out(const struct pt_query *query, size_t n, size_t all, struct pt_text *out)
{
	if (n >= all || all == (size_t)PT_NOT_MADE)
		return;
	if (pt_query_zooms(query) && query->top == 0)
		pt_text_add(out, "(%zu of %zu)\n", n, all);
	else
		pt_text_add(out, "... %zu more: top=0 shows all\n", all - n);
}

static void say(void *arg, const char *line)
{
	struct say *to = arg;

	pt_text_wrapped(to->out, line, strlen(line), to->columns, INDENT);
}

/* The view does not have the user's column: lists the shown columns, by which it can be sorted. */
static void not_sorted(const struct pt_grid *g, struct say *to)
{
	struct pt_text line = { 0 };

	pt_text_add(&line, "Not sorted by %s, which %s has not. sort= takes here:", g->query->sort, g->view->name);
	for (size_t i = 0; i < g->view->n_columns; i++) {
		char word[PT_SORT_WORD];

		pt_view_sort_word(g->view, i, word);
		if (g->shown[i])
			pt_text_add(&line, " %s", word);
	}
	say(to, line.bytes);
	pt_text_free(&line);
}

/* If the user's column has no value in any row, says that the rows have their default order. */
static void order_of_rows(const struct pt_grid *g, struct say *to)
{
	int column = g->query->sort[0] != '\0' ? pt_view_column(g->view, g->query->sort) : -1;
	int net = pt_view_column(g->view, "net");
	char line[160], cell[PT_CELL_BYTES];

	if (column < 0 && g->query->sort[0] != '\0')
		not_sorted(g, to);
	if (column < 0)
		return;
	pt_report_row(g->profile, g->view, g->row[0], g->values);	/* rows with a value come first */
	pt_print_cell(cell, sizeof(cell), g->profile, &g->view->columns[column], &g->values[column]);
	if (cell[0] != '\0')
		return;
	snprintf(line, sizeof(line), "No row has a value of %s in this profile%s%s.", g->query->sort,
		 net >= 0 ? "; rows are sorted by " : "", net >= 0 ? g->view->columns[net].heading : "");
	say(to, line);
}

static void small_print(const struct pt_grid *g, struct pt_text *out)
{
	const struct pt_small_print print = { .profile = g->profile, .view = g->view, .shown = g->shown,
					      .has_bounds = g->has_bounds, .ascii = g->query->ascii };
	struct say to = { .out = out, .columns = columns_of(g->query) };
	char line[80];

	order_of_rows(g, &to);
	pt_small_print_each(&print, say, &to);
	snprintf(line, sizeof(line), "No room for %zu more column%s: wide=on shows all.", g->n_left_out,
		 g->n_left_out == 1 ? "" : "s");
	if (g->n_left_out > 0)
		say(&to, line);
}

/* No task with rows fits the pattern: lists the tasks. */
static void put_tasks(const struct pt_grid *g, struct pt_text *line)
{
	const struct pt_tasks *tasks = g->profile->tasks;

	pt_text_add(line, "; no task is called %s; there are:", g->query->task);
	for (size_t i = 0; i < tasks->n_functions; i++)
		if (i == 0 || tasks->function[i].task != tasks->function[i - 1].task)
			pt_text_add(line, " %s", tasks->task[tasks->function[i].task].name);
}

static void empty_table(const struct pt_grid *g, size_t all, struct pt_text *out)
{
	const char *why = all == 0 ? why_empty(g->profile, g->view) : "";
	struct say to = { .out = out, .columns = columns_of(g->query) };
	char text[320];
	struct pt_text line = { 0 };

	pt_text_add(&line, "%s: nothing to show%s%s", g->view->name, why[0] != '\0' ? "; " : "", why);
	if (all > 0 && g->query->task[0] != '\0' && g->profile->tasks != NULL)
		put_tasks(g, &line);
	say(&to, line.bytes);
	pt_text_free(&line);
	if (g->view->remark == NULL || !g->view->remark(g->profile, NULL, text, sizeof(text)))
		return;
	pt_text_add(&line, "%s.", text);
	say(&to, line.bytes);
	pt_text_free(&line);
}

/* --- */

/* Moves the rows of the second part behind the others; returns the number of rows of the first. */
static size_t part_rows(const struct pt_profile *p, const struct pt_view *view, size_t *rows, size_t n)
{
	size_t *second, n_first = 0, n_second = 0;

	if (view->in_second == NULL)
		return n;
	second = pt_alloc_array(n + 1, sizeof(*second));
	for (size_t i = 0; i < n; i++)
		if (view->in_second(p, rows[i]))
			second[n_second++] = rows[i];
		else
			rows[n_first++] = rows[i];
	memcpy(rows + n_first, second, n_second * sizeof(*second));
	free(second);
	return n_first;
}

/* The small print below both parts is about the columns of both. */
static void join_parts(struct pt_grid *g, const struct pt_grid *other)
{
	for (size_t c = 0; c < g->view->n_columns; c++)
		g->shown[c] |= other->shown[c];
	g->has_bounds |= other->has_bounds;
	g->n_left_out = other->n_left_out > g->n_left_out ? other->n_left_out : g->n_left_out;
}

static void rows_of_table(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
			  size_t *rows, size_t n, struct pt_text *out)
{
	size_t n_first = part_rows(p, view, rows, n), n_parts = 0;
	struct pt_grid part[2];

	if (n_first > 0)
		part[n_parts++] = (struct pt_grid){ .profile = p, .view = view, .query = query, .row = rows,
						    .n_rows = n_first };
	if (n > n_first)
		part[n_parts++] = (struct pt_grid){ .profile = p, .view = view, .query = query,
						    .row = rows + n_first, .n_rows = n - n_first,
						    .heading = view->second_heading };
	for (size_t i = 0; i < n_parts; i++) {
		pt_text_add(out, "%s", i > 0 ? "\n" : "");
		pt_grid_fit(&part[i]);
		pt_grid_print(&part[i], out);
	}
	pt_jumps_words(p, view, rows, n, JUMPS, out);
	rows_left_out(query, n, view->n_rows(p), out);
	if (n_parts > 1)
		join_parts(&part[0], &part[1]);
	small_print(&part[0], out);
	while (n_parts-- > 0)
		pt_grid_fini(&part[n_parts]);
}

static int table(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		 struct pt_text *out, struct pt_err *err)
{
	size_t n, *rows;

	if (pt_report_order(p, view, query, &rows, &n, err) < 0)
		return err != NULL ? err->code : PT_EARG;
	if (n == 0)
		empty_table(&(struct pt_grid){ .profile = p, .view = view, .query = query }, view->n_rows(p), out);
	else
		rows_of_table(p, view, query, rows, n, out);
	free(rows);
	return 0;
}

static int tables(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		  struct pt_text *out, struct pt_err *err)
{
	const struct pt_view *also = view->also != NULL ? pt_view_find(view->also) : NULL;
	struct pt_query brief = *query;
	int rc = table(p, view, query, out, err);

	if (rc < 0 || also == NULL || also->n_rows(p) == 0 || also->n_rows(p) == (size_t)PT_NOT_MADE)
		return rc;
	brief.top = ALSO_ROWS;
	brief.sort[0] = '\0';
	pt_text_add(out, "\n%s\n", also->name);
	return table(p, also, &brief, out, err);
}

static int write_text(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	int rc;

	if (profile->diff != NULL)
		pt_head_write_pair(profile->diff->a, profile, query, out);
	else
		pt_head_write(profile, query, out);
	pt_text_add(out, "\n");
	rc = tables(profile, view, query, out, err);
	if (rc == 0 && profile->diff == NULL)
		pt_text_add(out, "report details: how the numbers were made, overhead, memory used\n");
	return rc;
}

const struct pt_format pt_format_text = { .name = "text", .help = "a table for a terminal", .write = write_text };

static int write_details(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			 struct pt_text *out, struct pt_err *err)
{
	(void)view;
	(void)err;
	pt_details_write(profile, columns_of(query), out);
	return 0;
}

const struct pt_format pt_format_details = {
	.name = "details", .help = "how the numbers were made, overhead, memory used; no table", .write = write_details
};

static int write_summary(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			 struct pt_text *out, struct pt_err *err)
{
	(void)view;
	(void)err;
	pt_head_write_facts(profile, query, out);
	pt_details_warnings(profile, columns_of(query), out);
	return 0;
}

const struct pt_format pt_format_summary = {
	.name = "summary", .help = "how much was observed and lost, and all warnings; no table", .write = write_summary
};
