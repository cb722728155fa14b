/* Lines, instructions and inlined calls from hand-made runs over real code: what comes out is what the line table and
 * the inlined calls of that code say, added up here in the plainest way. The firmware's own counts are in
 * test_exactness, against the board's log of executed pcs. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "profile/result/analysis.h"
#include "profile/analyses/code/lines.h"

static struct pt_program *program;
static struct pt_codemap *map;
static struct pt_flow_settings flow;
static void *lines;
static struct pt_profile profile;

static void build(void)
{
	const char *srcdir = getenv("srcdir");
	struct pt_analysis_setup setup = { 0 };
	struct pt_err err = { 0 };
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/shapes.elf", srcdir != NULL ? srcdir : ".");
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	flow = pt_flow_standards(map->isa);
	setup.program = program;
	setup.map = map;
	setup.flow = &flow;
	pt_program_functions(program, &setup.n_functions);
	setup.n_functions++;
	lines = pt_analysis_lines.open(&setup, &err);
	ck_assert_msg(lines != NULL, "%s", err.msg);
	memset(&profile, 0, sizeof(profile));
}

static void drop(void)
{
	pt_analysis_lines.close(lines);
	pt_codemap_free(map);
	pt_program_unref(program);
}

static void feed(uint64_t begin, uint64_t end, enum pt_left left, uint64_t next, uint32_t more_cycles)
{
	const struct pt_code_unit *from = pt_codemap_at(map, begin), *to = from + (end - begin) / 2;
	struct pt_run run = {
		.begin = begin, .end = end, .left = (uint8_t)left, .next = next,
		.instructions = (uint16_t)pt_sum_instructions(to->sums - from->sums),
		.cycles = pt_sum_cycles(to->sums - from->sums) + more_cycles,
	};

	pt_analysis_lines.runs(lines, &run, 1, 0, (struct pt_timestamp){ 0, 0 });
}

static const struct pt_lines *result(void)
{
	pt_analysis_lines.result(lines, &profile);
	return profile.lines;
}

static uint64_t len_of(uint64_t address)
{
	return 2u * pt_codemap_at(map, address)->len_units;
}

/* The stretch of code that an inlined call has to itself: begins it, and nothing else in between. */
static struct pt_inline_range plain_inline(const struct pt_inlines *inlines)
{
	const struct pt_inline_range *range;
	const struct pt_inline *call;
	size_t n, n_calls;

	range = pt_inlines_ranges(inlines, &n);
	call = pt_inlines_calls(inlines, &n_calls);
	for (size_t i = 0; i < n; i++) {
		unsigned parts = 0, straight = 1;

		for (size_t k = 0; k < n; k++)
			parts += range[k].id == range[i].id || call[range[k].id].parent == range[i].id;
		for (uint64_t at = range[i].from; at < range[i].to; at += len_of(at))
			straight &= (pt_codemap_at(map, at)->flow & PT_FLOW_LEAVES) == 0;
		if (parts == 1 && straight && range[i].to - range[i].from >= 6)
			return range[i];
	}
	ck_abort_msg("shapes.elf has no plain inlined call");
	return range[0];
}

static const struct pt_lines_inline *find_inline(const struct pt_lines *l, uint32_t id)
{
	for (size_t i = 0; i < l->n_inlined; i++)
		if (l->inlined[i].id == id)
			return &l->inlined[i];
	return NULL;
}

/* Entered from in front of it 5 times, by a jump to its begin 3 times, interrupted in it twice and gone on with; once
 * interrupted when it was to begin. */
START_TEST(an_inlined_call_is_entered_from_outside)
{
	const struct pt_inline_range in = plain_inline(result()->inlines);
	uint64_t second = in.from + len_of(in.from), count = 9;
	const struct pt_lines_inline *row;
	uint64_t instructions = 0;

	for (int i = 0; i < 5; i++)
		feed(in.from - 2, in.to, PT_LEFT_BRANCH, in.from - 2, 1);
	feed(in.from, in.to, PT_LEFT_BRANCH, 0, 1);
	for (int i = 0; i < 2; i++) {
		feed(in.from, second, PT_LEFT_EXCEPTION, 0, flow.exception_entry_cycles);
		feed(second, in.to, PT_LEFT_BRANCH, 0, 1);
	}
	feed(in.from - 2, in.from, PT_LEFT_EXCEPTION, 0, flow.exception_entry_cycles);
	feed(in.from, in.to, PT_LEFT_BRANCH, 0, 1);
	for (uint64_t at = in.from; at < in.to; at += len_of(at))
		instructions += count;
	row = find_inline(result(), in.id);
	ck_assert_ptr_nonnull(row);
	ck_assert_uint_eq(row->count, count);
	ck_assert_uint_eq(row->instructions, instructions);
	ck_assert_uint_eq(row->cycles, row->cycles_inside);
}
END_TEST

/* Every stretch of code without a branch, a different number of times each. */
static uint64_t feed_all(void)
{
	uint64_t n = 0, instructions = 0;

	for (size_t s = 0; s < map->n_spans; s++)
		for (uint64_t at = map->span[s].base, begin = at; at < map->span[s].end;) {
			const struct pt_code_unit *unit = pt_codemap_at(map, at);
			uint64_t end = at + 2u * (unit->len_units != 0 ? unit->len_units : 1);
			bool ends = (unit->flow & PT_FLOW_LEAVES) != 0;

			for (uint64_t i = 0; ends && i < 1 + n % 7; i++) {
				const struct pt_code_unit *from = pt_codemap_at(map, begin);

				feed(begin, end, PT_LEFT_BRANCH, 0, (uint32_t)(n % 3));
				instructions += pt_sum_instructions(unit->sums - from->sums) + 1;
			}
			n += ends;
			at = end;
			if (ends || unit->len_units == 0)
				begin = at;
		}
	return instructions;
}

START_TEST(lines_are_sums_of_their_instructions)
{
	uint64_t instructions = feed_all(), with_line = 0;
	const struct pt_lines *l = result();
	struct { uint64_t instructions, cycles; } *want = calloc(l->n_lines, sizeof(*want));

	for (size_t i = 0; i < l->n_insns; i++) {
		const struct pt_line_range *range = pt_program_line_at(program, l->insn[i].address);
		const struct pt_lines_line *line;

		instructions -= l->insn[i].count;
		if (range == NULL || range->line == 0)
			continue;
		line = pt_lines_line_at(l, range->file, range->line);
		ck_assert_ptr_nonnull(line);
		want[line - l->line].instructions += l->insn[i].count;
		want[line - l->line].cycles += l->insn[i].cycles;
		with_line++;
	}
	ck_assert_uint_eq(instructions, 0);
	ck_assert_uint_gt(with_line, 100);
	for (size_t i = 0; i < l->n_lines; i++) {
		ck_assert_uint_eq(l->line[i].instructions, want[i].instructions);
		ck_assert_uint_eq(l->line[i].cycles, want[i].cycles);
		ck_assert_uint_le(l->line[i].count, l->line[i].instructions);
		ck_assert((l->line[i].count > 0) == (l->line[i].instructions > 0) ||
			  l->line[i].n_insns > l->line[i].n_observed);
	}
	free(want);
}
END_TEST

START_TEST(functions_are_covered_as_far_as_seen)
{
	size_t n;
	const struct pt_function *functions = pt_program_functions(program, &n);
	const struct pt_lines *l = result();

	for (size_t id = 1; id <= n; id++) {
		ck_assert_uint_eq(l->function[id].n_observed, 0);
		ck_assert_uint_eq(l->function[id].n_lines_observed, 0);
	}
	feed_all();
	l = result();
	for (size_t id = 1; id <= n; id++) {
		const struct pt_lines_function *f = &l->function[id];

		ck_assert_msg(f->n_observed <= f->n_insns && f->n_lines_observed <= f->n_lines, "%s",
			      functions[id - 1].name);
		ck_assert_msg(f->n_lines == 0 || f->n_lines_observed > 0 || f->n_observed == 0, "%s",
			      functions[id - 1].name);
		ck_assert_uint_le(f->n_ways_observed, 2 * f->n_branches);
		ck_assert_uint_ge(f->n_ways_observed, f->n_branches * (f->n_observed == f->n_insns));
	}
}
END_TEST

START_TEST(what_is_no_code_is_counted_apart)
{
	struct pt_run run = { .begin = 0x90000000, .end = 0x90000010, .left = PT_LEFT_BRANCH };

	pt_analysis_lines.runs(lines, &run, 1, 0, (struct pt_timestamp){ 0, 0 });
	run.begin = map->span[0].base;
	pt_analysis_lines.runs(lines, &run, 1, 0, (struct pt_timestamp){ 0, 0 });
	ck_assert_uint_eq(result()->elsewhere, 2);
	ck_assert_uint_eq(result()->n_insns, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("lines");
	TCase *tc = tcase_create("lines");

	tcase_add_checked_fixture(tc, build, drop);
	tcase_add_test(tc, an_inlined_call_is_entered_from_outside);
	tcase_add_test(tc, lines_are_sums_of_their_instructions);
	tcase_add_test(tc, functions_are_covered_as_far_as_seen);
	tcase_add_test(tc, what_is_no_code_is_counted_apart);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
