/* Every format of the sample profile, byte by byte as it was when its consumer accepted it; each the same twice; and
 * none of them fails on a profile with little or nothing in it. */
#define _GNU_SOURCE	/* memmem */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "base/door.h"
#include "harness.h"
#include "profile/analyses/signals/external_lines.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/signals/data.h"
#include "profile/analyses/signals/exceptions.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/calls/timeline.h"
#include "report/report.h"
#include "report/views/views.h"
#include "tests/golden.h"
#include "tests/sample_profile.h"
#include "trace/formats.h"

static struct pt_text rendered(const struct pt_profile *profile, const char *format, const char *view)
{
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };
	struct pt_query query = { 0 };
	int rc;

	snprintf(query.format, sizeof(query.format), "%s", format);
	snprintf(query.view, sizeof(query.view), "%s", view);
	rc = pt_report_render(profile, &query, &out, &err);
	ck_assert_msg(rc == 0 || rc == PT_ESTATE, "%s: %s", format, err.msg);
	ck_assert_msg(rc == 0 || strstr(err.msg, "need") != NULL, "%s: %s", format, err.msg);
	return out;
}

static const struct { const char *format, *view, *file; } golden[] = {
	{ "text", "tree", "full_tree.txt" }, { "folded", "", "full.folded" }, { "svg", "", "full.svg" },
	{ "speedscope", "", "full.speedscope.json" },
};

START_TEST(golden_format)
{
	struct pt_profile profile = sample_profile();
	struct pt_text out = rendered(&profile, golden[_i].format, golden[_i].view);

	ck_assert_uint_ne(out.len_bytes, 0);
	expect_golden_bytes(golden[_i].file, (const uint8_t *)out.bytes, out.len_bytes);
	pt_text_free(&out);
}
END_TEST

START_TEST(same_input_same_bytes)
{
	struct pt_profile profile = sample_profile();

	for (size_t i = 0; pt_formats[i] != NULL; i++) {
		struct pt_text a = rendered(&profile, pt_formats[i]->name, ""),
			       b = rendered(&profile, pt_formats[i]->name, "");

		ck_assert_uint_eq(a.len_bytes, b.len_bytes);
		if (a.len_bytes > 0)	/* else it has no bytes at all */
			ck_assert_mem_eq(a.bytes, b.bytes, a.len_bytes);
		pt_text_free(&a);
		pt_text_free(&b);
	}
}
END_TEST

/* Nothing was seen; only samples; nothing selected. */
START_TEST(little_to_say)
{
	struct pt_profile full = sample_profile(), nothing = { .ended = true }, some = full, samples = full;
	const struct pt_profile *profiles[] = { &nothing, &some, &samples };

	some.tree = NULL;
	samples.tree = NULL;
	samples.samples = 100;
	for (size_t p = 0; p < PT_LEN(profiles); p++)
		for (size_t f = 0; pt_formats[f] != NULL; f++)
			for (size_t v = 0; pt_views[v] != NULL; v++) {
				struct pt_text out = rendered(profiles[p], pt_formats[f]->name, pt_views[v]->name);

				pt_text_free(&out);
			}
}
END_TEST

/* --- what no hardware made says so -------------------------------------------------------------------------------- */

static bool has_virtual(const void *bytes, size_t len)
{
	return memmem(bytes, len, "VIRTUAL", 7) != NULL || memmem(bytes, len, " virtual ", 9) != NULL;
}

static bool has_origin(const void *bytes, size_t len)
{
	static const char *const parts[] = { "9.8.7", "20406", "source=mtb for=3s" };
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(parts); i++)
		n += memmem(bytes, len, parts[i], strlen(parts[i])) != NULL;
	return n == PT_LEN(parts);
}

/* pprof is compressed. */
static bool says(bool (*has)(const void *bytes, size_t len), const char *format, const struct pt_text *out)
{
	static uint8_t plain[1 << 20];
	z_stream z = { .next_in = (uint8_t *)out->bytes, .avail_in = (unsigned)out->len_bytes, .next_out = plain,
		       .avail_out = sizeof(plain) };

	if (strcmp(format, "pprof") != 0)
		return has(out->bytes, out->len_bytes);
	ck_assert_int_eq(inflateInit2(&z, 16 + MAX_WBITS), Z_OK);
	ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	inflateEnd(&z);
	return has(plain, z.total_out);
}

/* json has a field of its own. */
static bool says_virtual(const char *format, const struct pt_text *out)
{
	if (strcmp(format, "json") == 0)
		return memmem(out->bytes, out->len_bytes, "\"virtual\": true", 15) != NULL;
	return says(has_virtual, format, out);
}

static bool in_first_line(const struct pt_text *out)
{
	const char *end = memchr(out->bytes, '\n', out->len_bytes);

	return end != NULL && has_virtual(out->bytes, (size_t)(end - out->bytes));
}

START_TEST(virtual_boards_say_so)
{
	static const char *const first[] = { "text", "csv", "folded", "osdata", "summary" };
	struct pt_profile profile = sample_profile();
	size_t n = 0, n_first = 0;

	for (size_t i = 0; pt_formats[i] != NULL; i++)
		for (int is_virtual = 0; is_virtual < 2; is_virtual++) {
			struct pt_text out;

			profile.from_virtual = is_virtual;
			out = rendered(&profile, pt_formats[i]->name, "");
			if (out.len_bytes > 0) {
				ck_assert_msg(says_virtual(pt_formats[i]->name, &out) == is_virtual, "%s",
					      pt_formats[i]->name);
				n++;
			}
			for (size_t k = 0; is_virtual && k < PT_LEN(first); k++)
				if (strcmp(first[k], pt_formats[i]->name) == 0)
					n_first += in_first_line(&out);
			pt_text_free(&out);
		}
	ck_assert_uint_eq(n_first, PT_LEN(first));
	ck_assert_uint_ge(n, 2 * 10);	/* the sample has no rules, and no source that could be read */
}
END_TEST

/* text and why have it in report details; folded, gmon, osdata and summary have no place for words of the profile. */
START_TEST(says_what_made_it)
{
	static const char *const cannot[] = { "text", "why", "folded", "gmon", "osdata", "summary" };
	struct pt_profile profile = sample_profile();
	size_t n = 0;

	snprintf(profile.version, sizeof(profile.version), "9.8.7");
	snprintf(profile.words, sizeof(profile.words), "source=mtb for=3s");
	profile.seed = 20406;
	for (size_t i = 0; pt_formats[i] != NULL; i++) {
		struct pt_text out = rendered(&profile, pt_formats[i]->name, "");
		bool can = true;

		for (size_t k = 0; k < PT_LEN(cannot); k++)
			can &= strcmp(cannot[k], pt_formats[i]->name) != 0;
		if (out.len_bytes > 0 && can)
			ck_assert_msg(says(has_origin, pt_formats[i]->name, &out), "%s: %.*s", pt_formats[i]->name,
				      (int)out.len_bytes, out.bytes);
		n += out.len_bytes > 0 && can;
		pt_text_free(&out);
	}
	ck_assert_uint_ge(n, 8);
}
END_TEST

/* Nothing is missing up to where a file ends that was cut, and what came behind is in no bound. */
START_TEST(a_cut_file_bounds_nothing)
{
	struct pt_profile profile = sample_profile();
	struct pt_profile_core core = { .seen_part = 0.999999 };
	struct pt_text out;

	profile.core = &core;
	profile.n_cores = 1;
	profile.shares = PT_BASIS_ESTIMATED;
	profile.no_end = true;
	out = rendered(&profile, "text", "");
	ck_assert_msg(strstr(out.bytes, ", until it was cut short") != NULL, "%s", out.bytes);
	ck_assert_ptr_null(strstr(out.bytes, "not recorded"));
	pt_text_free(&out);
	core.seen_part = 0.75;
	out = rendered(&profile, "text", "");
	ck_assert_msg(strstr(out.bytes, "bounds for the 25 %") != NULL, "%s", out.bytes);
	pt_text_free(&out);
}
END_TEST

/* Lines and latencies side by side: what there is no room for is in the formats for programs. */
START_TEST(a_table_fits_a_terminal)
{
	static const struct pt_signal_definition definition = { .name = "chip_select_of_the_radio" };
	static const struct pt_signal_set set = { &definition, 1 };
	static const struct pt_stat stat = { .n = 99999, .total = 99999000123456, .min = 123456, .max = 1234567890 };
	static const struct pt_aux_line line = { .rises = 99999, .falls = 99999, .level = 1, .high = stat, .low = stat,
						 .period = stat, .high_ns = 12345678900 };
	static const struct pt_aux_latency latency = { .name = "chip_select_of_the_radio:rise->PORTB_IRQHandler",
						       .found = true, .time = stat, .unanswered = 12345 };
	static const struct pt_aux aux = { .line = &line, .latency = &latency, .n_lines = 1, .n_latencies = 1, .signals = &set };
	struct pt_profile profile = sample_profile();
	struct pt_text out;

	profile.aux = &aux;
	out = rendered(&profile, "text", "aux");
	for (const char *at = strstr(out.bytes, "\nline"), *end; at != NULL && *at != '\0'; at = end) {
		end = strchr(at + 1, '\n');
		end = end != NULL ? end : at + strlen(at);
		ck_assert_msg(end - at - 1 <= 100, "%s", out.bytes);
	}
	ck_assert_msg(strstr(out.bytes, "more columns: wide=on") != NULL, "%s", out.bytes);
	ck_assert_ptr_nonnull(strstr(out.bytes, "per avg"));
	pt_text_free(&out);
	out = rendered(&profile, "csv", "aux");
	ck_assert_ptr_nonnull(strstr(out.bytes, "low_ns.max"));
	ck_assert_ptr_nonnull(strstr(out.bytes, "latency_ns.p99"));
	pt_text_free(&out);
}
END_TEST

START_TEST(says_what_of_the_os_cannot_be_followed)
{
	static const char notes[][PT_TASK_NOTE_BYTES] = { "RUNNINGTASK cannot be traced: it lies behind a pointer", "" };
	struct pt_profile profile = sample_profile();
	struct pt_text out = rendered(&profile, "json", "");

	ck_assert_ptr_null(strstr(out.bytes, "task_notes"));
	pt_text_free(&out);
	profile.task_note = notes;
	out = rendered(&profile, "json", "");
	ck_assert_ptr_nonnull(strstr(out.bytes, "\"task_notes\""));
	ck_assert_ptr_nonnull(strstr(out.bytes, notes[0]));
	pt_text_free(&out);
	out = rendered(&profile, "details", "");
	ck_assert_ptr_nonnull(strstr(out.bytes, "warning    Tasks: RUNNINGTASK cannot be traced"));
	pt_text_free(&out);
}
END_TEST

/* --- from a moment in a table to the timeline --------------------------------------------------------------------- */

/* The page's data. */
static json_t *data_of(const struct pt_text *page)
{
	static const char begin[] = "id=\"proftap-data\">";
	const char *at = memmem(page->bytes, page->len_bytes, begin, sizeof(begin) - 1);
	json_t *data;

	ck_assert_ptr_nonnull(at);
	data = json_loads(at + sizeof(begin) - 1, JSON_DISABLE_EOF_CHECK, NULL);
	ck_assert_ptr_nonnull(data);
	return data;
}

/* The cell of the first row under a column of the first table. */
static json_t *cell_of(json_t *data, const char *key)
{
	json_t *table = json_array_get(json_object_get(data, "tables"), 0), *column;
	size_t i;

	json_array_foreach (json_object_get(table, "columns"), i, column)
		if (strcmp(json_string_value(json_object_get(column, "key")), key) == 0)
			return json_array_get(json_array_get(json_object_get(table, "rows"), 0), i);
	return NULL;
}

static size_t count(const struct pt_text *page, const char *what)
{
	const char *at = page->bytes, *end = page->bytes + page->len_bytes;
	size_t n = 0;

	for (; (at = memmem(at, (size_t)(end - at), what, strlen(what))) != NULL; at++)
		n++;
	return n;
}

/* 1000 events, 1 us apart, the first at 500 ns. The least is before it, the most is in the middle: the page has it as a
 * moment, which lies in its timeline. */
START_TEST(extremes_lead_into_the_timeline)
{
	enum { EVENTS = 1000 };
	static struct pt_timeline_event events[EVENTS];
	struct pt_timeline timeline = { .ring = events, .room = EVENTS, .n = EVENTS, .seen = EVENTS };
	struct pt_execution_function run = { .count = 2 };
	struct pt_profile profile = sample_profile();
	struct pt_profile_function row = profile.function[0];
	struct pt_text page;
	json_t *data, *cell;

	for (size_t i = 0; i < EVENTS; i++)
		events[i] = (struct pt_timeline_event){
			.at = { .ns = 1000 * i + 500 }, .kind = PT_TIMELINE_CALL, .id = 2, .depth = 1,
			.value = PT_UNKNOWN,
			.task = PT_NO_TASK,
		};
	run.stat[PT_TALLY_GROSS] = (struct pt_stat){ .n = 2, .total = 14400, .min = 4800, .max = 9600, .min_at = 300,
						     .max_at = 700400 };
	row.run = &run;
	profile.function = &row;
	profile.n_functions = 1;
	profile.timeline = &timeline;
	page = rendered(&profile, "html", "");
	data = data_of(&page);
	cell = cell_of(data, "gross.max_at_ns");
	ck_assert_int_eq(json_integer_value(json_array_get(cell, 0)), 700400);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(data, "timeline"), "from")), 500);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(data, "timeline"), "to")), 999500);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(data, "timeline"), "count")), EVENTS);
	json_decref(data);
	pt_text_free(&page);
	page = rendered(&profile, "text", "");
	ck_assert_msg(count(&page, "200.0us: report timeline from=700400ns to=900401ns\n") == 1, "%s", page.bytes);
	pt_text_free(&page);
	timeline.n = 700;	/* it was not so far yet */
	page = rendered(&profile, "text", "");
	ck_assert_uint_eq(count(&page, "timeline from="), 0);
	pt_text_free(&page);
}
END_TEST

/* --- where there is little ---------------------------------------------------------------------------------------- */

static void expect(const struct pt_profile *profile, const char *view, const char *sort, const char *has,
		   const char *has_not)
{
	struct pt_query query = { 0 };
	struct pt_text out = { 0 };

	snprintf(query.view, sizeof(query.view), "%s", view);
	snprintf(query.sort, sizeof(query.sort), "%s", sort);
	ck_assert_int_eq(pt_report_render(profile, &query, &out, NULL), 0);
	ck_assert_msg(strstr(out.bytes, has) != NULL, "'%s' is not in: %s", has, out.bytes);
	ck_assert_msg(has_not == NULL || strstr(out.bytes, has_not) == NULL, "'%s' is in: %s", has_not, out.bytes);
	pt_text_free(&out);
}

START_TEST(opens_on_what_has_rows)
{
	const struct pt_edge edge = { 1, 2, 0, 3, 4, 0, 0 };
	struct pt_profile profile = { .ended = true }, full = sample_profile();

	expect(&full, "", "", "\nfunction  ", "\ncaller");
	expect(&profile, "", "", "\nfunctions: nothing to show", NULL);
	profile.loss.by[PT_LOSS_REARM].events = 1;	/* gaps would have a row, and answer nothing */
	expect(&profile, "", "", "\nfunctions: nothing to show", NULL);
	profile.edge = &edge;
	profile.n_edges = 1;
	expect(&profile, "", "", "\nfunctions: nothing to show", NULL);	/* there may be some yet */
	profile.no_code = true;				/* never any */
	expect(&profile, "", "", "\ncaller", "\nfunction");
	expect(&profile, "functions", "", "\nfunctions: nothing to show", NULL);
	expect(&profile, "", "count", "\ncaller", "Not sorted");
	expect(&profile, "", "net",
	       "\nNot sorted by net, which calls has not. sort= takes here: caller callee count total", "\nfunction");
}
END_TEST

START_TEST(says_what_to_do_for_rows)
{
	static const struct pt_data data;
	static const struct pt_aux aux;
	static const struct pt_tasks tasks;
	static const struct pt_counters counters;
	static const struct pt_bins bins;
	static const struct pt_exceptions exceptions;
	static const struct pt_profile_source sources[] = { { .format = PT_FORMAT_PCSR } };
	const struct pt_profile profile = {
		.ended = true, .data = &data, .aux = &aux, .tasks = &tasks, .counters = &counters, .bins = &bins,
	};
	const struct pt_profile sampled = {
		.tasks = &tasks, .exceptions = &exceptions, .samples = 10, .incomplete = "the core ran before the trace began",
		.sources = sources, .n_sources = PT_LEN(sources),
	};
	struct pt_query query = { .format = "junit" };
	struct pt_text out = { 0 };
	struct pt_err err;

	expect(&profile, "data", "", "\ndata: nothing to show; --set variables=g_state,motor.mode names some", NULL);
	expect(&profile, "aux", "", "\naux: nothing to show; give a file with external lines", NULL);
	expect(&profile, "tasks", "", "\ntasks: nothing to show; --analysis tasks ", NULL);
	expect(&sampled, "tasks", "", "\ntasks: nothing to show; samples and counters do not show which task runs",
	       "stacks");
	expect(&sampled, "exceptions", "", "\nexceptions: nothing to show; the chip itself reports them", "began");
	expect(&profile, "counters", "", "\ncounters: nothing to show; no source", NULL);
	expect(&profile, "bins", "", "\nbins: nothing to show; no source", NULL);
	pt_door_set(PT_DOOR_GDB);
	expect(&profile, "data", "", "\ndata: nothing to show; variables=g_state,motor.mode names some", NULL);
	expect(&profile, "tasks", "", "\ntasks: nothing to show; analysis=tasks ", NULL);
	expect(&profile, "bins", "", "(monitor sources lists them)", "proftap");
	pt_door_set(PT_DOOR_OPTIONS);
	ck_assert_int_eq(pt_report_render(&profile, &query, &out, &err), PT_ESTATE);
	ck_assert_ptr_nonnull(strstr(err.msg, "--limits FILE"));
}
END_TEST

/* What a person reads of it is in JSON, too. */
START_TEST(json_says_why_it_is_another_source)
{
	struct pt_profile profile = { .ended = true, .source = "pcsr", .fallback = "source mtb: no RAM",
				      .elf_unread = "the bus refused it" };

	struct pt_text out = rendered(&profile, "json", "");

	ck_assert_uint_eq(count(&out, "\"fallback\": \"source mtb: no RAM\""), 1);
	ck_assert_uint_eq(count(&out, "\"elf_unread\": \"the bus refused it\""), 1);
	pt_text_free(&out);
}
END_TEST

/* Bins know functions and no calls: chains of one level, below the core where there are several. */
START_TEST(bins_make_chains)
{
	static const struct pt_execution_function runs[] = { { .cycles = 10, .instructions = 4 }, { .cycles = 30 } };
	static const struct pt_profile_function rows[] = {
		{ .id = PT_NO_FUNCTION, .run = &runs[0] }, { .id = PT_NO_FUNCTION, .run = &runs[1], .core = 3 },
	};
	struct pt_profile profile = {
		.ended = true, .by_bins = true, .times = PT_BASIS_EXACT, .function = rows, .n_functions = 1,
		.n_cores = 1,
	};
	static const char *const folded[] = {
		"(no symbol) 10\n", "(no symbol) 4\n", "core 0;(no symbol) 10\ncore 3;(no symbol) 30\n",
	};

	for (size_t i = 0; i < PT_LEN(folded); i++) {
		struct pt_text out;

		profile.by_instructions = i == 1;
		profile.n_functions = profile.n_cores = i < 2 ? 1 : 2;
		out = rendered(&profile, "folded", "");
		ck_assert_str_eq(out.bytes, folded[i]);
		pt_text_free(&out);
	}
}
END_TEST

START_TEST(no_clock_of_a_core_where_none_is_traced)
{
	struct pt_profile profile = { .ended = true, .timing = "Cortex-M0+", .no_code = true };
	struct pt_text json, details;

	details = rendered(&profile, "details", "");
	ck_assert_ptr_nonnull(strstr(details.bytes, "\nclock      the timestamps of the sources"));
	ck_assert_ptr_null(strstr(details.bytes, "Cortex"));
	pt_text_free(&details);
	json = rendered(&profile, "json", "");
	ck_assert_ptr_nonnull(strstr(json.bytes, "\"name\": \"stamps\""));
	ck_assert_ptr_null(strstr(json.bytes, "Cortex"));
	pt_text_free(&json);
}
END_TEST

/* What the OS knows stands beside the row of its name, or of the one function that it is at; else in a row of its
 * own. */
START_TEST(the_os_stands_beside_its_tasks)
{
	static const struct pt_task task[] = { { .name = "ping" }, { .name = "work" }, { .name = "pong" } };
	static const struct pt_tasks tasks = { .task = task, .n_tasks = PT_LEN(task) };
	struct pt_beside_row row[] = { { "T_Pong", "pong", { "ready" } }, { "A", "work", { "blocked" } },
				       { "B", "work", { "running" } }, { "ping", NULL, { "gone" } },
				       { "C", "nothing of the kind", { "asleep" } } };
	const struct pt_beside beside = { .heading = { "state", "priority", "id" }, .row = row, .n_rows = PT_LEN(row) };
	struct pt_profile profile = { .tasks = &tasks }, nothing = { .ended = true };
	struct pt_query query = { .view = "tasks", .format = "osdata", .beside = &beside };
	static const char *const items[] = {
		"<item><column name=\"task\">ping</column><column name=\"state\">gone</column>",
		"<item><column name=\"task\">work</column><column name=\"state\"></column>",
		"<item><column name=\"task\">T_Pong</column><column name=\"state\">ready</column>",
		"<item><column name=\"task\">A</column><column name=\"state\">blocked</column>",
		"<item><column name=\"task\">B</column><column name=\"state\">running</column>",
		"<item><column name=\"task\">C</column><column name=\"state\">asleep</column>",
	};
	struct pt_text out = { 0 };
	struct pt_err err;
	const char *at;

	for (size_t i = 0; i < PT_BESIDE_COLUMNS * PT_LEN(row); i++)
		if (row[i / PT_BESIDE_COLUMNS].cell[i % PT_BESIDE_COLUMNS] == NULL)
			row[i / PT_BESIDE_COLUMNS].cell[i % PT_BESIDE_COLUMNS] = "-";
	ck_assert_int_eq(pt_report_render(&profile, &query, &out, &err), 0);
	at = out.bytes;
	for (size_t i = 0; i < PT_LEN(items); i++, at++)
		ck_assert_msg((at = strstr(at, items[i])) != NULL, "%s in %s", items[i], out.bytes);
	pt_text_free(&out);
	ck_assert_int_eq(pt_report_render(&nothing, &query, &out, &err), 0);	/* without a profile */
	ck_assert_ptr_nonnull(
		strstr(out.bytes, "<column name=\"task\">C</column><column name=\"state\">asleep</column>"));
	pt_text_free(&out);
}
END_TEST

/* Of exceptions or values alone: no source tells of code, and an empty picture would say that none ran. */
static const char *const of_code[] = { "callgrind", "gmon", "pprof", "folded", "speedscope", "svg", "annotate", "lcov", "perfetto",
				       "ctf" };

START_TEST(code_that_nobody_saw_is_not_0)
{
	struct pt_profile profile = sample_profile();
	struct pt_query query = { .partial = true };
	struct pt_timeline empty = { 0 };
	struct pt_text out = { 0 };
	struct pt_err err = { 0 };

	profile.no_code = true;
	profile.timeline = &empty;
	strcpy(query.format, of_code[_i]);
	ck_assert_int_eq(pt_report_render(&profile, &query, &out, &err), PT_ESTATE);
	ck_assert_msg(strstr(err.msg, "needs a source that tells") != NULL, "%s", err.msg);
	ck_assert_uint_eq(out.len_bytes, 0);
	pt_text_free(&out);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("formats");
	TCase *tc = tcase_create("formats");

	tcase_add_loop_test(tc, golden_format, 0, PT_LEN(golden));
	tcase_add_test(tc, same_input_same_bytes);
	tcase_add_test(tc, little_to_say);
	tcase_add_test(tc, virtual_boards_say_so);
	tcase_add_loop_test(tc, code_that_nobody_saw_is_not_0, 0, PT_LEN(of_code));
	tcase_add_test(tc, says_what_made_it);
	tcase_add_test(tc, a_cut_file_bounds_nothing);
	tcase_add_test(tc, a_table_fits_a_terminal);
	tcase_add_test(tc, says_what_of_the_os_cannot_be_followed);
	tcase_add_test(tc, extremes_lead_into_the_timeline);
	tcase_add_test(tc, opens_on_what_has_rows);
	tcase_add_test(tc, says_what_to_do_for_rows);
	tcase_add_test(tc, json_says_why_it_is_another_source);
	tcase_add_test(tc, bins_make_chains);
	tcase_add_test(tc, no_clock_of_a_core_where_none_is_traced);
	tcase_add_test(tc, the_os_stands_beside_its_tasks);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
