/* What people and programs read: golden files of hand-made profiles, and the words of a query. */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "profile/diff.h"
#include "profile/result/profile.h"
#include "profile/analyses/calls/tree.h"
#include "program/model/program_parts.h"
#include "report/report.h"
#include "report/table/units.h"
#include "tests/golden.h"

/* --- profiles by hand */

static const struct pt_function functions[] = {
	{ "main", 0x410, 140, "/src/demo.c", 396, NULL }, { "fibonacci", 0x4a0, 48, "/src/demo.c", 223, NULL },
	{ "a_function_with_quite_a_long_name", 0x500, 20, "/src/a_file_with_a_long_name.c", 1042, NULL },
	{ "SysTick_Handler", 0x540, 24, "/src/demo.c", 371, NULL },
};

static struct pt_stat stat_of(uint64_t n, uint64_t min, uint64_t max, uint64_t total)
{
	return (struct pt_stat){ .n = n, .min = min, .max = max, .total = total, .min_at = 5000000, .max_at = 7500000 };
}

static struct pt_execution_function runs[4];
static struct pt_profile_function rows[4];
static const struct pt_profile_function *by_id[5];
static const struct pt_edge edges[] = { { 0, 4, 0, 40, 960, 0, 0 }, { 1, 2, 0, 12, 21000, 10.2f, 14.1f }, { 2, 2, 0, 720, 14000, 180, 1130 } };
static struct pt_profile_irq irqs[1];
static struct pt_program *program;

static size_t read_firmware(const char *name, uint8_t *bytes, size_t room)
{
	const char *srcdir = getenv("srcdir");
	char path[512];
	FILE *file;
	size_t n;

	snprintf(path, sizeof(path), "%s/tests/firmware/%s", srcdir != NULL ? srcdir : ".", name);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	n = fread(bytes, 1, room, file);
	fclose(file);
	return n;
}

static void fill_rows(void)
{
	runs[0] = (struct pt_execution_function){ .count = 0, .partial = 1, .instructions = 800, .cycles = 1234,
						  .gross_total = 1240000 };
	runs[1] = (struct pt_execution_function){ .count = 732, .partial = 3, .instructions = 9000, .cycles = 14321,
						  .gross_total = 21000 };
	runs[1].stat[PT_TALLY_GROSS] = stat_of(729, 17, 1702, 20400);
	runs[1].stat[PT_TALLY_NET] = stat_of(729, 17, 33, 14200);
	runs[1].stat[PT_TALLY_CALL] = stat_of(729, 17, 1990, 21400);
	runs[1].stat[PT_TALLY_PERIOD] = stat_of(730, 12, 48000123, 480001230);
	runs[2] = (struct pt_execution_function){ .count = 5, .instructions = 12345678, .cycles = 23456789,
						  .gross_total = 23456789 };
	runs[2].stat[PT_TALLY_GROSS] = stat_of(5, 123456, 12345678, 23456789);
	runs[2].stat[PT_TALLY_NET] = runs[2].stat[PT_TALLY_CALL] = runs[2].stat[PT_TALLY_GROSS];
	runs[3] = (struct pt_execution_function){ .count = 40, .instructions = 400, .cycles = 960, .gross_total = 960,
						  .exceptions = 40 };
	runs[3].stat[PT_TALLY_GROSS] = stat_of(40, 24, 24, 960);
	runs[3].stat[PT_TALLY_CALL] = stat_of(40, 24, 99, 1035);
	runs[3].stat[PT_TALLY_NET] = runs[3].stat[PT_TALLY_GROSS];
	runs[3].stat[PT_TALLY_PERIOD] = stat_of(39, 48000, 48000, 39 * 48000);
}

static struct pt_profile facts(void)
{
	return (struct pt_profile){
		.source = "mtb", .mode = "burst", .analysis = "execution", .target = "MKL27Z256 (Cortex-M0+)",
		.probe = "virtual:kl27", .cost = "4 KiB of RAM at 0x20000000; the core is never halted",
		.from_virtual = true,
		.program = program, .timing = "Cortex-M0+, zero wait states", .ended = true,
		.loss = { .total_ns = 1004000000, .observed_ns = 51230000, .unobserved_ns = 952770000,
			  .observed_bytes = 184320,
			  .by = { [PT_LOSS_REARM] = { 45, 0, 431770000 }, [PT_LOSS_DRAIN] = { 45, 0, 521000000 } } },
		.counts = PT_BASIS_ESTIMATED, .times = PT_BASIS_MODELLED, .shares = PT_BASIS_ESTIMATED,
		.branches = 23040, .instructions = 12355878, .cycles = 23473304, .not_code_from = PT_UNKNOWN,
		.bursts = 45, .bursts_used = 27, .bursts_asleep = 18, .burst_cycles = 2896,
		.errors = { .address = PT_UNKNOWN, .at = PT_UNKNOWN },
	};
}

static struct pt_profile burst_profile(void)
{
	static const struct pt_share shares[] = {
		{ .share = 0.0001, .lo = 0, .hi = 0.021 }, { .share = 0.1234, .lo = 0.0912, .hi = 0.1602 },
		{ .share = 0.8752, .lo = 0.8411, .hi = 0.903 }, { .share = 0.0013, .lo = 0.0005, .hi = 0.0031 },
	};
	/* what a window said of the second one */
	static const struct pt_estimate none = { NAN, NAN, NAN }, per_second = { 3998, 3700, 4210 },
					count = { 732, 684, 790 },
					per_call = { 43.5, 42.1, 45.2 };
	static const struct pt_profile_core core = {
		.branches = 23040, .instructions = 12355878, .cycles = 23473304, .bursts = 45, .bursts_used = 27,
		.bursts_asleep = 18, .burst_cycles = 2896, .windowed = true, .ticks = 23473304,
		.asleep = { .share = 0.4, .lo = 0.27, .hi = 0.55 },
	};
	/* of its calls: half of them, nine in ten, and nothing of the longest in a hundred */
	static const struct pt_lengths lengths[PT_N_TALLY_KINDS] = {
		[PT_TALLY_NET] = { { { NAN, NAN, NAN }, { NAN, NAN, NAN }, { NAN, NAN, NAN } }, NAN, 0 },
		[PT_TALLY_INACTIVE] = { { { NAN, NAN, NAN }, { NAN, NAN, NAN }, { NAN, NAN, NAN } }, NAN, 0 },
		[PT_TALLY_GROSS] = { { { 21, 17, 25 }, { 420, 190, 1300 }, { NAN, 1400, NAN } }, 33.4, 1702 },
		[PT_TALLY_CALL] = { { { 21, 17, 25 }, { NAN, 190, NAN }, { NAN, 1400, NAN } }, 35.1, 1990 },
		[PT_TALLY_PERIOD] = { { { NAN, 2800, NAN }, { NAN, 2800, NAN }, { NAN, 2800, NAN } }, 2750, 2896 },
	};
	struct pt_profile p = facts();

	fill_rows();
	p.core = &core;
	p.n_cores = 1;
	p.ticks = core.ticks;
	p.windowed = true;
	for (size_t i = 0; i < 4; i++) {
		runs[i].cycles = pt_profile_scaled(&core, shares[i].share);
		rows[i] = (struct pt_profile_function){
			.id = (uint16_t)(i + 1), .function = &functions[i], .run = &runs[i], .seen = &runs[i],
			.share = shares[i], .durations = i == 1 ? lengths : NULL, .count = i == 1 ? count : none,
			.net = { (double)runs[i].cycles, shares[i].lo * (double)core.ticks, shares[i].hi * (double)core.ticks },
			.gross_share = shares[i].lo,
			.per_second = i == 1 ? per_second : none, .per_call = i == 1 ? per_call : none,
		};
		by_id[i + 1] = &rows[i];
	}
	irqs[0] = (struct pt_profile_irq){ .function = &rows[3], .vectors = "SysTick" };
	p.awake_only = true;
	p.unseen.hi = 0.1021;
	p.function = rows;
	p.n_functions = 4;
	p.by_id = by_id;
	p.n_ids = 5;
	p.edge = edges;
	p.n_edges = PT_LEN(edges);
	p.irq = irqs;
	p.n_irqs = 1;
	return p;
}

/* The same on a known core clock, exact but for the model, with all kinds of trouble. */
static struct pt_profile halt_profile(void)
{
	struct pt_profile p = burst_profile();

	fill_rows();		/* what was seen is all there is */
	snprintf(p.mode, sizeof(p.mode), "halt");
	p.from_virtual = p.ended = false;
	p.observed_is_bound = true;
	p.core_hz = 48000000;
	p.counts = PT_BASIS_EXACT;
	p.shares = PT_BASIS_MODELLED;
	p.unseen.hi = 0;
	p.n_cores = 0;
	p.windowed = false;
	for (size_t i = 0; i < 4; i++)
		rows[i].share.lo = rows[i].share.hi = 0;
	p.bursts = p.bursts_used = p.bursts_asleep = p.burst_cycles = 0;
	p.loss.lost_ns = 2000000;
	p.loss.total_ns += 2000000;
	p.loss.by[PT_LOSS_HOST] = (__typeof__(p.loss.by[0])){ 3, 12288, 2000000 };
	p.mismatch_ns = 1500;
	p.not_code = 7;
	p.not_code_from = 0x1fff0123;
	p.not_code_to = 0x410;
	p.elf_check = PT_ELF_DIFFERS;
	p.elf_differs_at = 0x4c0;
	p.errors.n[PT_EXECUTION_SKIPPED_EXIT] = 2;
	p.errors.n[PT_EXECUTION_LONG_JUMP] = 1;
	p.errors.address = 0x4b2;
	return p;
}

static struct pt_profile sample_profile(void)
{
	struct pt_profile p = burst_profile();

	p.awake_only = false;
	snprintf(p.source, sizeof(p.source), "pcsr");
	snprintf(p.mode, sizeof(p.mode), "sample");
	snprintf(p.analysis, sizeof(p.analysis), "samples");
	p.counts = p.times = PT_BASIS_NONE;
	p.samples = 12000;
	p.samples_asleep = 4000;
	p.samples_effective = 812.4;
	p.batches = 120;
	p.bursts = p.branches = 0;
	for (size_t i = 0; i < 4; i++) {
		rows[i].run = NULL;
		rows[i].samples = (uint64_t)(rows[i].share.share * 8000);
	}
	p.n_edges = p.n_irqs = 0;
	return p;
}

static struct pt_profile empty_profile(void)
{
	struct pt_profile p = facts();

	p.program = NULL;
	p.loss = (struct pt_loss_sum){ 0 };
	p.branches = p.instructions = p.cycles = p.bursts = p.bursts_used = p.bursts_asleep = p.burst_cycles = 0;
	return p;
}

static struct pt_profile nothing_but(enum pt_loss cause)
{
	struct pt_profile p = empty_profile();

	p.loss = (struct pt_loss_sum){ .total_ns = 1004000000, .unobserved_ns = 1004000000 };
	p.loss.by[cause].ns = 1004000000;
	return p;
}

static struct pt_profile asleep_profile(void)
{
	return nothing_but(PT_LOSS_SLEEP);
}

static struct pt_profile halted_profile(void)
{
	return nothing_but(PT_LOSS_HALTED);
}

static struct pt_profile one_burst_profile(void)
{
	struct pt_profile p = burst_profile();

	p.bursts = 1;
	p.bursts_used = p.bursts_asleep = p.burst_cycles = 0;
	p.unseen.hi = 0;
	for (size_t i = 0; i < 4; i++)
		rows[i].share.lo = rows[i].share.hi = 0;
	return p;
}

/* Most of the run in one stretch: counts, sums and the longest are at least what it shows. */
static struct pt_profile stretch_profile(void)
{
	static const struct pt_profile_core core = { .seen_part = 0.98, .tallied = true, .ticks = 26850000 };
	struct pt_profile p = halt_profile();

	snprintf(p.mode, sizeof(p.mode), "stream");
	p.counts = p.shares = PT_BASIS_ESTIMATED;
	p.core = &core;
	p.n_cores = 1;
	for (size_t i = 0; i < p.n_functions; i++)
		rows[i].share = pt_profile_bounded(core.seen_part, rows[i].share.share);
	return p;
}

/* --- golden files */

static const struct {
	const char *golden;
	struct pt_profile (*profile)(void);
	const char *words[4];
} cases[] = {
	{ "burst_functions.txt", burst_profile, { NULL } },
	{ "burst_calls.txt", burst_profile, { "calls" } },
	{ "burst_irqs.txt", burst_profile, { "irqs" } },
	{ "burst_gaps.txt", burst_profile, { "gaps" } },
	{ "burst_by_count_top_2.txt", burst_profile, { "sort=count", "top=2" } },
	{ "burst_by_another_views_column.txt", burst_profile, { "sort=counter", "top=2" } },
	{ "halt_functions.txt", halt_profile, { "functions", "sort=max" } },
	{ "stretch_functions.txt", stretch_profile, { NULL } },
	{ "stretch.json", stretch_profile, { "format=json", "top=1" } },
	{ "sample_functions.txt", sample_profile, { NULL } },
	{ "sample_by_max.txt", sample_profile, { "sort=max", "top=2" } },
	{ "empty.txt", empty_profile, { NULL } },
	{ "asleep.txt", asleep_profile, { NULL } },
	{ "halted.txt", halted_profile, { NULL } },
	{ "halt_summary.txt", halt_profile, { "format=summary" } },
	{ "halt_details.txt", halt_profile, { "details" } },
	{ "burst_wide.txt", burst_profile, { "wide=on" } },
	{ "burst_why.txt", burst_profile, { "why", "fibonacci" } },
	{ "halt_why.txt", halt_profile, { "why", "Sys*" } },
	{ "sample_why.txt", sample_profile, { "why", "main" } },
	{ "one_burst.txt", one_burst_profile, { "top=1" } },
	{ "halt.json", halt_profile, { "format=json", "top=1" } },
	{ "burst.json", burst_profile, { "format=json" } },
	{ "sample.json", sample_profile, { "format=json" } },
	{ "burst_functions.csv", burst_profile, { "format=csv" } },
	{ "burst_calls.csv", burst_profile, { "calls", "format=csv" } },
};

START_TEST(golden_report)
{
	const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "demo.elf", .vectors = PT_UNKNOWN };
	struct pt_text text = { 0 };
	struct pt_query query;
	struct pt_profile profile;
	struct pt_err err = { 0 };
	size_t n = 0;

	program = pt_program_from_desc(&desc);
	profile = cases[_i].profile();
	while (cases[_i].words[n] != NULL)
		n++;
	ck_assert_int_eq(pt_query_parse(&query, cases[_i].words, n, &err), 0);
	ck_assert_int_eq(pt_report_render(&profile, &query, &text, &err), 0);
	expect_golden_bytes(cases[_i].golden, text.bytes, text.len_bytes);
	pt_text_free(&text);
	pt_program_unref(program);
}
END_TEST

static size_t rows_before_table(const char *text)
{
	const char *table = strstr(text, "\n\n");
	size_t n = 1;

	ck_assert_ptr_nonnull(table);
	for (const char *at = text; at < table; at++)
		n += *at == '\n';
	return n;
}

static size_t longest_row_before_table(const char *text)
{
	size_t most = 0, len = 0;

	for (; strncmp(text, "\n\n", 2) != 0; text++) {
		len = *text == '\n' ? 0 : len + (((unsigned char)*text & 0xc0) != 0x80);
		most = len > most ? len : most;
	}
	return most;
}

/* However narrow the terminal is, and of two profiles as of one. Which profiles: those of the golden files. */
START_TEST(few_rows_before_the_table)
{
	static const size_t widths[] = { 30, 40, 50, 60, 70, 80, 100, 200 };
	const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "demo.elf", .vectors = PT_UNKNOWN };
	struct pt_profile one, other;
	struct pt_diff diff = { .a = &other };

	program = pt_program_from_desc(&desc);
	other = halt_profile();
	one = cases[_i].profile();
	for (size_t i = 0; i < 2 * PT_LEN(widths); i++) {
		struct pt_query query = { .columns = widths[i / 2] };
		struct pt_text text = { 0 };

		one.diff = i % 2 == 0 ? NULL : &diff;
		ck_assert_int_eq(pt_report_render(&one, &query, &text, NULL), 0);
		ck_assert_msg(rows_before_table(text.bytes) <= 5, "%zu columns: %s", (size_t)query.columns, text.bytes);
		ck_assert_msg(longest_row_before_table(text.bytes) <= query.columns, "%zu columns: %s",
			      (size_t)query.columns, text.bytes);
		ck_assert_msg(strstr(text.bytes, "\naccuracy ") != NULL, "%s", text.bytes);
		pt_text_free(&text);
	}
	pt_program_unref(program);
}
END_TEST

/* The title, the causes, the warning and the end of the table answer alike whether the core was halted, and for how long. */
static const struct {
	const char *name, *mode;
	uint64_t halted_ns, drained_ns;
	const char *title, *details, *never, *small_print;
} halts[] = {
	{ "by nobody", "burst", 0, 0, ", not halted\n", NULL, "alted for", "500.0 ms that were asked for, as starting and" },
	{ "by a debugger", "burst", 30960000, 0, ", halted at most 30.96 ms\n", "halted 30.96 ms in 1 (not by the source)", "not halted",
	  "as the core was halted for at most 30.96 ms, and starting" },
	{ "by the source", "halt", 0, 490000000, ", HALTED at most 490.0 ms\n", "halted to read 490.0 ms in 2", "drain",
	  "as the core was halted for at most 490.0 ms, and starting" },
	{ "by both", "halt", 10000000, 490000000, ", HALTED at most 500.0 ms\n", "halted to read 490.0 ms in 2; halted 10.00 ms in 1",
	  "drain", "as the core was halted for at most 500.0 ms, and starting" },
};

START_TEST(halts_have_one_answer)
{
	const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "demo.elf", .vectors = PT_UNKNOWN };
	struct pt_query query = { .top = 1, .columns = 300 };
	struct pt_text text = { 0 };
	struct pt_profile p;

	program = pt_program_from_desc(&desc);
	p = burst_profile();
	snprintf(p.mode, sizeof(p.mode), "%s", halts[_i].mode);
	snprintf(p.words, sizeof(p.words), "source=mtb for=500ms");
	memset(p.loss.by, 0, sizeof(p.loss.by));
	p.loss.by[PT_LOSS_HALTED] = (__typeof__(p.loss.by[0])){ halts[_i].halted_ns > 0, 0, halts[_i].halted_ns };
	p.loss.by[PT_LOSS_DRAIN] =
		(__typeof__(p.loss.by[0])){ 2 * (halts[_i].drained_ns > 0), 0, halts[_i].drained_ns };
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pt_report_render(&p, &query, &text, NULL), 0);
		strcpy(query.format, "details");
	}
	ck_assert_msg(strstr(text.bytes, halts[_i].title) != NULL, "%s: %s", halts[_i].name, text.bytes);
	ck_assert_msg(strstr(text.bytes, halts[_i].small_print) != NULL, "%s: %s", halts[_i].name, text.bytes);
	ck_assert_msg(halts[_i].details == NULL || strstr(text.bytes, halts[_i].details) != NULL, "%s: %s",
		      halts[_i].name, text.bytes);
	ck_assert_msg(strstr(text.bytes, halts[_i].never) == NULL, "%s: %s", halts[_i].name, text.bytes);
	pt_text_free(&text);
	pt_program_unref(program);
}
END_TEST

/* The record of what profiling did to the program is damaged: with and without an older one. */
START_TEST(a_damaged_overhead_is_not_known)
{
	static const char *const said[] = { "what was measured is lost, as its record is damaged",
					    "; at least, as the last record of it is damaged" };
	const struct pt_program_desc desc = { .elf_machine = PT_MACHINE_ARM, .name = "demo.elf", .vectors = PT_UNKNOWN };
	struct pt_profile_source source = { .source = "mtb", .mode = "burst", .cost = { .damaged = true, .n_parts = (size_t)_i } };
	struct pt_query query = { .top = 1, .columns = 300 };
	struct pt_text text = { 0 };
	struct pt_profile p;

	program = pt_program_from_desc(&desc);
	p = burst_profile();
	p.sources = &source;
	p.n_sources = 1;
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(pt_report_render(&p, &query, &text, NULL), 0);
		strcpy(query.format, "details");
	}
	ck_assert_msg(strstr(text.bytes, ", halts not known\n") != NULL, "%s", text.bytes);
	ck_assert_msg(strstr(text.bytes, said[_i]) != NULL, "%s", text.bytes);
	pt_text_free(&text);
	pt_program_unref(program);
}
END_TEST

START_TEST(nothing_but_a_cut_is_lost)
{
	struct pt_profile p = empty_profile();
	struct pt_query query = { .columns = 100 };
	struct pt_text text = { 0 };

	p.no_end = true;
	ck_assert_int_eq(pt_report_render(&p, &query, &text, NULL), 0);
	ck_assert_msg(strstr(text.bytes, "lost more than is known (file cut short)") != NULL, "%s", text.bytes);
	pt_text_free(&text);
}
END_TEST

/* A name from an ELF may be anything. */
START_TEST(json_survives_a_name_that_is_no_text)
{
	static const struct pt_function odd = { "caf\xe9\n\"", 0x100, 4, NULL, 0, NULL };
	struct pt_profile profile = burst_profile();
	struct pt_query query = { .format = "json" };
	struct pt_text text = { 0 };
	json_t *object, *name;

	rows[0].function = &odd;
	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	object = json_loads(text.bytes, 0, NULL);
	ck_assert_ptr_nonnull(object);
	name = json_object_get(json_array_get(json_object_get(object, "functions"), 3), "name");
	ck_assert_str_eq(json_string_value(name), "caf?\n\"");
	json_decref(object);
	pt_text_free(&text);
}
END_TEST

/* Nor may it move a terminal's cursor, or begin a line of its own. */
START_TEST(text_survives_a_name_that_is_no_text)
{
	static const struct pt_function odd = { "a\033[2J\nb\xc2\x9b" "c\xc3\xa9", 0x100, 4, NULL, 0, NULL };
	struct pt_profile profile = burst_profile();
	const char *const formats[] = { "text", "why", "html" };

	for (size_t i = 0; i < PT_LEN(formats); i++) {
		struct pt_query query = { .wide = true };
		struct pt_text text = { 0 };

		strcpy(query.format, formats[i]);
		rows[0].function = &odd;
		ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
		for (const char *at = text.bytes; *at != '\0'; at++)
			ck_assert_msg(*at == '\n' || (unsigned char)*at >= ' ', "%s: %s", formats[i], at);
		ck_assert_ptr_null(strstr(text.bytes, "\xc2\x9b"));
		if (i == 0)
			ck_assert_ptr_nonnull(strstr(text.bytes, "\na?[2J?b??c\xc3\xa9"));
		pt_text_free(&text);
	}
}
END_TEST

/* --- chains of calls */

static void expect_folded(uint16_t second_core, const char *want)
{
	const struct pt_tree_node nodes[] = {
		{ .task = PT_NO_TASK, .net = 5 },
		{ .function = 2, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL, .net = 7 },
		{ .task = 3 },
		{ .parent = 2, .depth = 1, .function = 1, .task = 3, .entry = PT_ENTRY_UNSEEN, .net = 11 },
		{ .parent = 3, .depth = 2, .function = 2, .task = 3, .entry = PT_ENTRY_CALL, .net = 13 },
		{ .function = 2, .task = PT_NO_TASK, .core = second_core, .entry = PT_ENTRY_CALL, .net = 17 },
		{ .function = 2, .task = PT_NO_TASK, .entry = PT_ENTRY_EXCEPTION, .net = 19 },
		{ .parent = 1, .depth = 1, .function = 1, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL, .net = 23 },
		{ .parent = 6, .depth = 1, .function = 1, .task = PT_NO_TASK, .entry = PT_ENTRY_CALL, .net = 29 },
	};
	const struct pt_tree tree = { .node = nodes, .n_nodes = PT_LEN(nodes) };
	const struct pt_program_desc desc = {
		.elf_machine = PT_MACHINE_ARM,
		.name = "cores", .functions = functions, .n_functions = PT_LEN(functions), .vectors = PT_UNKNOWN,
	};
	struct pt_query query = { .format = "folded" };
	struct pt_program *named = pt_program_from_desc(&desc);
	struct pt_profile profile = burst_profile();
	struct pt_text text = { 0 };

	profile.from_virtual = false;
	profile.samples = 0;
	profile.tree = &tree;
	profile.program = named;
	ck_assert_int_eq(pt_report_render(&profile, &query, &text, NULL), 0);
	pt_text_bytes(&text, "", 1);
	ck_assert_str_eq(text.bytes, want);
	pt_text_free(&text);
	pt_program_unref(named);
}

/* What several cores did in a function of the same name is not one thing; one core alone needs no name. How a function
 * was entered makes no second line of its chain, nor of one below it. */
START_TEST(chains_begin_with_their_core)
{
	expect_folded(0, "(unknown) 5\nfibonacci 43\nfibonacci;main 52\ntask 3;main 11\ntask 3;main;fibonacci 13\n");
	expect_folded(2, "(unknown) 5\ncore 0;fibonacci 26\ncore 0;fibonacci;main 52\ncore 0;task 3;main 11\n"
			 "core 0;task 3;main;fibonacci 13\n"
			 "core 2;fibonacci 17\n");
}
END_TEST

/* --- queries */

static const struct {
	const char *words[5];
	const char *says;	/* NULL: fine */
	struct pt_query want;
} queries[] = {
	{ { NULL }, NULL, { .top = 0 } },
	{ { "calls", "top=10" }, NULL, { .view = "calls", .top = 10 } },
	{ { "format=json", "gaps" }, NULL, { .view = "gaps", .format = "json" } },
	{ { "sort=net" }, NULL, { .sort = "net" } },
	{ { "sort=counter" }, NULL, { .sort = "counter" } },
	{ { "sort=self" }, NULL, { .sort = "self" } },
	{ { "sort=calls/s" }, NULL, { .sort = "calls/s" } },
	{ { "sort=calls" }, NULL, { .sort = "calls" } },
	{ { "sort=interval" }, NULL, { .sort = "interval" } },
	{ { "irqs", "sort=call" }, "cannot sort by 'call'; did you mean call-min? irqs has: ", { .top = 0 } },
	{ { "sort=ca" }, "cannot sort by 'ca'", { .top = 0 } },
	{ { "sort=per-max" }, NULL, { .sort = "per-max" } },
	{ { "tree", "sort=total" }, NULL, { .view = "tree", .sort = "total" } },
	{ { "details" }, NULL, { .format = "details" } },
	{ { "why", "details" }, NULL, { .format = "why", .name = "details" } },
	{ { "wide=maybe" }, "wide: 'maybe' is neither on nor off", { .top = 0 } },
	{ { "sort=gross.max" }, NULL, { .sort = "gross.max" } },
	{ { "calls", "sort=gross" }, NULL, { .view = "calls", .sort = "gross" } },
	{ { "sort=gross", "calls" }, NULL, { .view = "calls", .sort = "gross" } },
	{ { "colours" }, "there is no view 'colours'; of one function: report why colours; views: functions calls ", { .top = 0 } },
	{ { "colour=red" }, "there is no setting 'colour=red'; there are: format=NAME sort=COLUMN top=N ", { .top = 0 } },
	{ { "format=xml" }, "there is no format 'xml'; formats: text json csv ", { .top = 0 } },
	{ { "interrupts" }, "there is no view 'interrupts'; did you mean irqs? views: ", { .top = 0 } },
	{ { "kHz" }, "a frequency is one word, number and unit: 48kHz", { .top = 0 } },
	{ { "functions", "tree" }, "functions and tree are two views", { .top = 0 } },
	{ { "tree", "tree" }, NULL, { .view = "tree" } },
	{ { "sort=Average" }, "cannot sort by 'Average'; did you mean avg? ", { .top = 0 } },
	{ { "calls", "sort=calls" }, "cannot sort by 'calls'; did you mean count? ", { .top = 0 } },
	{ { "top=many" }, "top: 'many' is not a number of rows", { .top = 0 } },
	{ { "top=" }, "not a number", { .top = 0 } },
	{ { "sort=colour" }, "cannot sort by 'colour'; functions has: function samples count self total min avg max p50", { .top = 0 } },
	{ { "calls", "sort=period" }, "cannot sort by 'period'; calls has: caller callee count total core", { .top = 0 } },
	{ { "sort=" }, "sort: '' is no name", { .top = 0 } },
	{ { "sort=a_word_that_is_much_too_long_for_a_column" }, "is no name", { .top = 0 } },
};

START_TEST(query_case)
{
	struct pt_err err = { 0 };
	struct pt_query query;
	size_t n = 0;
	int rc;

	while (queries[_i].words[n] != NULL)
		n++;
	rc = pt_query_parse(&query, queries[_i].words, n, &err);
	ck_assert_int_eq(rc, queries[_i].says != NULL ? PT_EARG : 0);
	if (rc < 0) {
		ck_assert_msg(strstr(err.msg, queries[_i].says) != NULL, "%s", err.msg);
		return;
	}
	ck_assert_str_eq(query.view, queries[_i].want.view);
	ck_assert_str_eq(query.format, queries[_i].want.format);
	ck_assert_str_eq(query.sort, queries[_i].want.sort);
	ck_assert_uint_eq(query.top, queries[_i].want.top);
}
END_TEST

/* --- numbers */

static const struct { double value; const char *unit, *want; } scales[] = {
	{ 0, "", "0" }, { 7, "", "7" }, { 99999, "", "99999" }, { 123456, "", "123.5k" }, { 1234567, "", "1.235M" },
	{ 12345678, "", "12.35M" }, { 48e6, "Hz", "48.00MHz" }, { 1.5, "", "1.500" }, { 12.345, "", "12.35" },
	{ 999949, "", "999.9k" }, { 999999, "", "1.000M" }, { 1e12, "", "1.000T" },
};

START_TEST(scale_case)
{
	char got[32];

	pt_print_scaled(got, sizeof(got), scales[_i].value, "", scales[_i].unit);
	ck_assert_str_eq(got, scales[_i].want);
}
END_TEST

static const struct { uint64_t ns; const char *want; } times[] = {
	{ 0, "0 s" }, { 1, "1 ns" }, { 999, "999 ns" }, { 1000, "1.000 us" }, { 12345, "12.35 us" },
	{ 1004000000, "1.004 s" },
	{ 3600000000000, "3600 s" },
};

START_TEST(time_case)
{
	char got[32];

	pt_print_ns(got, sizeof(got), times[_i].ns, " ");
	ck_assert_str_eq(got, times[_i].want);
}
END_TEST

/* --- text */

START_TEST(text_grows_to_its_bound)
{
	static char block[1 << 20];
	struct pt_text text = { 0 };

	pt_text_add(&text, "%s-%d", "a", 7);
	ck_assert_str_eq(text.bytes, "a-7");
	memset(block, 'x', sizeof(block));
	for (int i = 0; i < 70; i++)
		pt_text_bytes(&text, block, sizeof(block));
	ck_assert(text.overflow);
	ck_assert_uint_le(text.len_bytes, 64 << 20);
	ck_assert_uint_eq(text.bytes[text.len_bytes], '\0');
	pt_text_free(&text);
	ck_assert_ptr_null(text.bytes);
}
END_TEST

/* A report tells where its names are from, when that is not the ELF alone. */
static void expect_symbols_line(bool debug, const char *text_says, const char *json_says)
{
	static uint8_t elf[65536], more[65536];
	size_t elf_bytes = read_firmware("shapes_stripped.elf", elf, sizeof(elf)), more_bytes = 0;
	const char *const json_word = "format=json", *const details = "details";
	struct pt_profile p;
	struct pt_text text = { 0 };
	struct pt_query query;
	struct pt_err err;

	if (debug)
		more_bytes = read_firmware("shapes.debug", more, sizeof(more));
	program = debug ? pt_program_from_two("fw.elf", elf, elf_bytes, "/dbg/fw.debug", more, more_bytes, &err)
			: pt_program_from_bytes("fw.elf", elf, elf_bytes, 0, &err);
	p = halt_profile();
	p.program = program;
	ck_assert_int_eq(pt_query_parse(&query, &details, 1, &err), 0);
	ck_assert_int_eq(pt_report_render(&p, &query, &text, &err), 0);
	ck_assert_msg(memmem(text.bytes, text.len_bytes, text_says, strlen(text_says)) != NULL, "%.*s",
		      (int)text.len_bytes, text.bytes);
	pt_text_free(&text);
	text = (struct pt_text){ 0 };
	ck_assert_int_eq(pt_query_parse(&query, &json_word, 1, &err), 0);
	ck_assert_int_eq(pt_report_render(&p, &query, &text, &err), 0);
	ck_assert_ptr_nonnull(memmem(text.bytes, text.len_bytes, json_says, strlen(json_says)));
	pt_text_free(&text);
	pt_program_unref(program);
}

START_TEST(says_where_symbols_are_from)
{
	expect_symbols_line(true, "\nsymbols    what the ELF lacks is from /dbg/fw.debug\n",
			    "\"debug_path\": \"/dbg/fw.debug\"");
	expect_symbols_line(false, "\nsymbols    stripped: 12 functions have no symbol", "\"warning\": \"stripped: ");
}
END_TEST

static const struct {
	enum pt_unit unit;
	struct pt_value value;
	const char *cell;	/* the core clock is 48 MHz */
} estimates[] = {
	{ PT_UNIT_PER_S, { .f = 3998, .lo = 3700, .hi = 4210, .basis = PT_BASIS_ESTIMATED }, "4000 ±8%" },
	{ PT_UNIT_PER_S, { .f = 3998, .lo = 3990, .hi = 4004, .basis = PT_BASIS_ESTIMATED }, "3998 ±1%" },
	{ PT_UNIT_PER_S, { .f = 12.34, .lo = 1.23, .hi = 65.4, .basis = PT_BASIS_ESTIMATED }, "10 (1-66)" },
	{ PT_UNIT_PER_S, { .f = 123456, .lo = 40000, .hi = 456789, .basis = PT_BASIS_ESTIMATED }, "120k (40-457k)" },
	{ PT_UNIT_PER_S, { .f = 23.4, .lo = 22, .hi = 136, .basis = PT_BASIS_ESTIMATED }, "23 (22-136)" },
	{ PT_UNIT_NS_MEAN, { .f = 250125, .lo = 237529, .hi = 270270, .basis = PT_BASIS_ESTIMATED }, "250 us ±9%" },
	{ PT_UNIT_NS_MEAN, { .f = 12751, .lo = 4000, .hi = 40123, .basis = PT_BASIS_ESTIMATED }, "13 us (4-41)" },
	{ PT_UNIT_MEAN, { .f = 43.5, .lo = 42.1, .hi = 45.2, .basis = PT_BASIS_ESTIMATED }, "906ns ±4%" },
	{ PT_UNIT_TICKS, { .u = 4800, .lo = 4600, .hi = 5100, .basis = PT_BASIS_ESTIMATED }, "100us ±7%" },
	{ PT_UNIT_COUNT, { .u = 1069374, .lo = 750000, .hi = 1480000, .basis = PT_BASIS_ESTIMATED,
			   .interval_beside = true }, "1100000" },
	{ PT_UNIT_COUNT, { .u = 720, .lo = 180, .hi = 1130, .basis = PT_BASIS_ESTIMATED }, "700 (180-1130)" },
	{ PT_UNIT_COUNT, { .u = 3, .lo = 0.1, .hi = 40, .basis = PT_BASIS_ESTIMATED, .interval_beside = true }, "3" },
	{ PT_UNIT_COUNT, { .u = 1069374, .basis = PT_BASIS_ESTIMATED, .rough = true }, "1070000" },
	{ PT_UNIT_COUNT, { .u = 1069374, .basis = PT_BASIS_ESTIMATED }, "1069374" },	/* a tally */
	{ PT_UNIT_TICKS, { .u = 1439999, .basis = PT_BASIS_ESTIMATED, .at_least = true }, "≥29.99ms" },
	{ PT_UNIT_MEAN, { .f = 959.99, .basis = PT_BASIS_ESTIMATED, .at_least = true }, "≥19.99us" },
	{ PT_UNIT_REAL, { .f = 71234.5, .lo = 0, .hi = 900000, .basis = PT_BASIS_ESTIMATED, .interval_beside = true }, "70000" },
	{ PT_UNIT_REAL, { .f = 0.277946, .basis = PT_BASIS_EXACT, .rough = true }, "0.278" },
	{ PT_UNIT_REAL, { .f = 0.1999999, .basis = PT_BASIS_EXACT, .rough = true }, "0.2" },
	{ PT_UNIT_REAL, { .f = 0.0000277946, .basis = PT_BASIS_EXACT, .rough = true }, "0.0000278" },
	{ PT_UNIT_REAL, { .f = 4083.56, .basis = PT_BASIS_EXACT, .rough = true }, "4080" },
	{ PT_UNIT_REAL, { .f = 4780536.2, .basis = PT_BASIS_EXACT, .rough = true }, "4.78M" },
	{ PT_UNIT_REAL, { .f = 2954204, .basis = PT_BASIS_EXACT }, "2954204" },	/* it was counted */
	{ PT_UNIT_REAL, { .f = -3.14159265, .basis = PT_BASIS_EXACT }, "-3.14159" },
};

START_TEST(estimates_have_the_digits_of_their_interval)
{
	const struct pt_profile p = { .core_hz = 48000000 };
	const struct pt_column column = { "x", "x", estimates[_i].unit, true };
	char cell[PT_CELL_BYTES];

	pt_print_cell(cell, sizeof(cell), &p, &column, &estimates[_i].value);
	ck_assert_str_eq(cell, estimates[_i].cell);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("report");
	TCase *tc = tcase_create("report");

	tcase_add_loop_test(tc, golden_report, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, few_rows_before_the_table, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, halts_have_one_answer, 0, PT_LEN(halts));
	tcase_add_loop_test(tc, a_damaged_overhead_is_not_known, 0, 2);
	tcase_add_test(tc, nothing_but_a_cut_is_lost);
	tcase_add_loop_test(tc, estimates_have_the_digits_of_their_interval, 0, PT_LEN(estimates));
	tcase_add_test(tc, says_where_symbols_are_from);
	tcase_add_test(tc, json_survives_a_name_that_is_no_text);
	tcase_add_test(tc, text_survives_a_name_that_is_no_text);
	tcase_add_test(tc, chains_begin_with_their_core);
	tcase_add_loop_test(tc, query_case, 0, PT_LEN(queries));
	tcase_add_loop_test(tc, scale_case, 0, PT_LEN(scales));
	tcase_add_loop_test(tc, time_case, 0, PT_LEN(times));
	tcase_add_test(tc, text_grows_to_its_bound);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
