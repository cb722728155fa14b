/* Several cores in one profile: each has a stack, a clock and figures of its own; two traces of one core do not count
 * twice. Code and cycles: small_program.h; all figures by hand. */
#include "chunk_feed.h"
#include "profile/analyses/limits/limits.h"
#include "profile/analyses/code/lines.h"
#include "profile/analyses/calls/spans.h"
#include "profile/analyses/signals/tasks.h"
#include "profile/analyses/calls/tree.h"

enum { ID_MAIN = 1, ID_LEAF };	/* by address */

#define HALT "format=mtb\nsource=mtb\nmode=halt\ntarget=small\nprobe=test\ncore_hz=1000000\ncost=halts\n"
#define ETM "format=mtb\nsource=etm\nmode=halt\ntarget=small\nprobe=test\ncore_hz=1000000\ncost=none\n"
#define PCSR "format=pcsr\nsource=pcsr\nmode=sample\ntarget=small\nprobe=test\ncore_hz=0\ncost=bus reads\nbatch=4\n"
#define VALUES "format=values\nsource=itm\nmode=stream\ntick_hz=1000000000\ntick_ppm=0\ntarget=small\nprobe=test\n"

static struct chunk_feed feed_of(const char *const *words, size_t n_words)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, words, n_words);

	pt_program_unref(program);
	return f;
}

/* From main's entry n calls of leaf, up to before the beq behind the last: main takes 7 + 1 cycles for the first and
 * 2 + 1 + 3 + 1 more for each other (4 instructions; beq, movs, bl, cmp: 4 more), leaf 3 (2 instructions). */
static void run_main(struct chunk_feed *f, unsigned source, unsigned n)
{
	struct chunk_bytes packets = { .len = 0 };

	for (unsigned i = 0; i < n; i++) {
		if (i > 0)
			add_packet(&packets, 0x10a, 0x102);
		add_packet(&packets, 0x104, LEAF);
		add_packet(&packets, 0x122, 0x108);
	}
	packets.bytes[4] |= 1;		/* the trace was started before it */
	chunk_state(f, source, PT_STATE_RUN, 0, MAIN);
	chunk_put(f, source, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 100000, packets.bytes, packets.len);
	chunk_state(f, source, PT_STATE_HALT, 100000, 0x10a);
	chunk_end(f, source, 100000);
}

static const struct pt_profile_function *row_of(const struct pt_profile *p, unsigned core, uint16_t id)
{
	for (size_t i = 0; i < p->n_functions; i++)
		if (p->function[i].id == id && p->function[i].core == core)
			return &p->function[i];
	ck_abort_msg("core %u has no function %u", core, id);
}

static void expect_function(const struct pt_profile *p, unsigned core, uint16_t id, uint64_t count,
			    uint64_t instructions, uint64_t cycles)
{
	const struct pt_profile_function *f = row_of(p, core, id);

	ck_assert_uint_eq(f->run->count, count);
	ck_assert_uint_eq(f->run->instructions, instructions);
	ck_assert_uint_eq(f->run->cycles, cycles);
}

/* Core 0 calls leaf twice, core 1 once. */
static struct chunk_feed two_cores(const char *const *words, size_t n_words)
{
	struct chunk_feed f = feed_of(words, n_words);

	chunk_config_of(&f, 0, 0, HALT);
	chunk_config_of(&f, 1, 1, HALT);
	run_main(&f, 0, 2);
	run_main(&f, 1, 1);
	return f;
}

START_TEST(functions)
{
	struct chunk_feed f = two_cores(NULL, 0);
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);

	ck_assert_int_eq(p->counts, PT_BASIS_EXACT);
	ck_assert_int_eq(p->shares, PT_BASIS_MODELLED);
	ck_assert_uint_eq(p->n_functions, 4);
	expect_function(p, 0, ID_MAIN, 1, 8, 15);
	expect_function(p, 0, ID_LEAF, 2, 4, 6);
	expect_function(p, 1, ID_MAIN, 1, 4, 8);
	expect_function(p, 1, ID_LEAF, 1, 2, 3);
	ck_assert_double_eq_tol(row_of(p, 0, ID_LEAF)->share.share, 6.0 / 21, 1e-9);
	ck_assert_double_eq_tol(row_of(p, 1, ID_LEAF)->share.share, 3.0 / 11, 1e-9);
	ck_assert_uint_eq(row_of(p, 0, ID_LEAF)->run->stat[PT_TALLY_PERIOD].total, 3 + 1 + 2 + 1 + 3);
	ck_assert_uint_eq(row_of(p, 1, ID_LEAF)->run->stat[PT_TALLY_PERIOD].n, 0);
	ck_assert_ptr_eq(p->by_id[ID_LEAF], row_of(p, 0, ID_LEAF));
	ck_assert_ptr_eq(p->by_id[ID_LEAF]->next, row_of(p, 1, ID_LEAF));
	ck_assert_uint_eq(p->n_cores, 2);
	ck_assert_uint_eq(p->core[1].branches, 2 + 2);	/* runs: the halt and the end made one each */
	ck_assert_uint_eq(p->core[1].cycles, 11);
	ck_assert_uint_eq(p->cycles, 21 + 11);
	ck_assert_uint_eq(p->n_edges, 2);
	ck_assert_uint_eq(p->edge[0].count, 2);
	ck_assert_uint_eq(p->edge[0].core, 0);
	ck_assert_uint_eq(p->edge[1].count, 1);
	ck_assert_uint_eq(p->edge[1].gross, 3);
	ck_assert_uint_eq(p->edge[1].core, 1);
	chunk_feed_drop(&f);
}
END_TEST

/* callgrind_annotate knows functions by file and name alone: names have the core in them. */
START_TEST(callgrind)
{
	static const char *const wanted[] = {
		"fl=main.c\nfn=main [core 0]\n", "cfn=leaf [core 0]\ncalls=2 0x120 7\n0x104 0 6\n",
		"fn=leaf [core 1]\n", "cfn=leaf [core 1]\ncalls=1 0x120 7\n0x104 0 3\n", "summary: 32\n",
	};
	struct chunk_feed f = two_cores(NULL, 0);
	struct pt_text text = { 0 };

	chunk_report(&f, &text, "functions", "callgrind");
	for (size_t i = 0; i < PT_LEN(wanted); i++)
		ck_assert_msg(strstr(text.bytes, wanted[i]) != NULL, "no '%s' in %s", wanted[i], text.bytes);
	ck_assert(strstr(text.bytes, "fn=leaf\n") == NULL);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* gprof knows no cores: a sum of two would look like one that took twice as long. */
START_TEST(gmon)
{
	struct chunk_feed f = two_cores(NULL, 0);
	struct pt_query query = { .view = "functions", .format = "gmon" };
	struct pt_text text = { 0 };
	struct pt_err err = { 0 };

	ck_assert_int_lt(pt_report_render(pt_pipeline_profile(f.pipeline), &query, &text, &err), 0);
	ck_assert_msg(strstr(err.msg, "gmon is of one core; this profile is of 2") != NULL, "%s", err.msg);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* The instruction at address as the core has it; all of them together: cores. */
static uint64_t count_of(const struct pt_lines *lines, uint64_t address)
{
	const struct pt_lines_insn *insn = pt_lines_insn_at(lines, address);

	return insn != NULL ? insn->count : 0;
}

START_TEST(instructions)
{
	struct chunk_feed f = two_cores(NULL, 0);
	const struct pt_lines *lines = pt_pipeline_profile(f.pipeline)->lines;

	ck_assert_uint_eq(lines->n_cores, 2);
	ck_assert_uint_eq(count_of(lines, LEAF), 3);
	ck_assert_uint_eq(count_of(lines, 0x10a), 1);
	ck_assert_uint_eq(lines->cores[0]->core, 0);
	ck_assert_uint_eq(count_of(lines->cores[0], LEAF), 2);
	ck_assert_uint_eq(count_of(lines->cores[0], 0x10a), 1);
	ck_assert_uint_eq(lines->cores[1]->core, 1);
	ck_assert_uint_eq(count_of(lines->cores[1], LEAF), 1);
	ck_assert_uint_eq(count_of(lines->cores[1], 0x10a), 0);
	chunk_feed_drop(&f);
}
END_TEST

/* A core's figures of entries and exits, and of ranges, are its own; they stand in for execution where that is not
 * made. */
START_TEST(spans_and_ranges)
{
	static const char *const words[] = { "analysis=entry-exit,range", "functions=leaf" };
	struct chunk_feed f = two_cores(words, 2);
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);

	ck_assert_uint_eq(p->spans->n_spans, 2);
	ck_assert_uint_eq(p->spans->span[0].run.count, 2);
	ck_assert_uint_eq(p->spans->span[1].run.count, 1);
	ck_assert_uint_eq(p->spans->span[1].core, 1);
	ck_assert_uint_eq(pt_spans_core(p->spans, 0)->observed, 21);
	ck_assert_uint_eq(pt_spans_core(p->spans, 1)->observed, 11);
	ck_assert_uint_eq(pt_spans_core(p->ranges, 1)->cycles, 11);
	ck_assert_str_eq(p->analysis, "entry-exit");
	ck_assert_uint_eq(p->n_functions, 2);
	ck_assert_uint_eq(row_of(p, 0, ID_LEAF)->run->count, 2);
	ck_assert_uint_eq(row_of(p, 1, ID_LEAF)->run->count, 1);
	chunk_feed_drop(&f);
}
END_TEST

static const struct { const char *view, *format, *want; } tables[] = {
	{ "functions", "csv", "\"leaf\",0x120,4,,2,0,4,6,0.285714286," },
	{ "functions", "csv", "\"leaf\",0x120,4,,1,0,2,3,0.272727273," },
	{ "functions", "csv", "\"leaf.c\",7,0,,,,,,,,,,,,,,\r\n" },
	{ "functions", "csv", "\"leaf.c\",7,1,,,,,,,4,,,,,,1,\r\n" },
	{ "functions", "details", "source     mtb of core 0, mode halt; target small; probe test\n"
			       "           mtb of core 1, mode halt\n" },
	{ "functions", "details", "data       core 0: 7 branches, 12 instructions\n"
			       "           core 1: 4 branches, 6 instructions\n" },
	{ "calls", "csv", "\n\"main\",\"leaf\",2,6,0\r\n\"main\",\"leaf\",1,3,1\r\n" },
	{ "instructions", "csv", "\n0x120,\"leaf\",2,,0,2,0.0952380952,,,0,,\r\n" },
	{ "instructions", "csv", "\n0x120,\"leaf\",1,,0,1,0.0909090909,,,1,,\r\n" },
	{ "coverage", "csv", "\n\"leaf\",2,2,1," },
	{ "functions", "text", "\nfunction  core  count " },
	{ "calls", "text", "\ncaller  callee  core  count " },
	{ "functions", "html", "{\"kind\":\"stack\",\"name\":\"functions\",\"core\":0}" },
	{ "functions", "html", "{\"kind\":\"stack\",\"name\":\"functions\",\"core\":1}" },
	{ "tree", "text", "\nfunction  core  count" },
	{ "timeline", "text", "call  core\n"
			      "0.000000 ms  running  main                0\n"
			      "0.000000 ms  running  main                1\n"
			      "0.007000 ms  call       leaf              0\n"
			      "0.007000 ms  call       leaf              1\n"
			      "0.010000 ms  leave      leaf  3.000us     0\n" },
	{ "tree", "folded", "core 1;main;leaf 3\n" },
};

START_TEST(table)
{
	struct chunk_feed f = two_cores(NULL, 0);
	struct pt_text text = { 0 };

	chunk_report(&f, &text, tables[_i].view, tables[_i].format);
	ck_assert_msg(strstr(text.bytes, tables[_i].want) != NULL, "%s", text.bytes);
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* Two traces of core 0: the first is believed, and nothing is incomplete for it. */
START_TEST(two_traces_of_one_core)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct pt_text text = { 0 };
	const struct pt_profile *p;

	chunk_config_of(&f, 0, 0, HALT);
	chunk_config_of(&f, 1, 0, ETM);
	run_main(&f, 0, 2);
	run_main(&f, 1, 2);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_int_eq(p->counts, PT_BASIS_EXACT);
	ck_assert_uint_eq(p->n_functions, 2);
	expect_function(p, 0, ID_LEAF, 2, 4, 6);
	ck_assert_uint_eq(count_of(p->lines, LEAF), 2);
	ck_assert_uint_eq(p->lines->n_cores, 0);
	ck_assert_uint_eq(p->cycles, 21);
	ck_assert_int_eq(p->sources[0].ignored, PT_SOURCE_USED);
	ck_assert_int_eq(p->sources[1].ignored, PT_SOURCE_SECOND);
	ck_assert_uint_eq(p->sources[1].branches, 5 + 2);
	chunk_report(&f, &text, "functions", "text");
	ck_assert_ptr_nonnull(
		strstr(text.bytes, "WARNING    Ignored: etm is a second trace of core 0, beside that of mtb:"));
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* A core whose number is beyond what anybody keeps: told, and the figures are not all there is. */
START_TEST(a_core_too_many)
{
	struct chunk_feed f = feed_of(NULL, 0);
	struct pt_text text = { 0 };
	const struct pt_profile *p;

	chunk_config_of(&f, 0, 0, HALT);
	chunk_config_of(&f, 1, PT_PROFILE_CORES, HALT);
	run_main(&f, 0, 2);
	run_main(&f, 1, 1);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert_uint_eq(p->n_cores, 1);
	expect_function(p, 0, ID_LEAF, 2, 4, 6);
	chunk_report(&f, &text, "functions", "summary");
	ck_assert_ptr_nonnull(strstr(text.bytes, "the 4 branches that mtb tells of core 16 are in no figure"));
	pt_text_free(&text);
	chunk_feed_drop(&f);
}
END_TEST

/* One core is traced, the other one sampled: shares are each core's own, and nothing counted is exact for all. */
START_TEST(a_sampled_core_beside)
{
	static const uint32_t pcs[4] = { 0x102, LEAF, 0x104, 0x108 };
	struct chunk_feed f = feed_of(NULL, 0);
	const struct pt_profile *p;
	uint8_t bytes[16];

	for (unsigned i = 0; i < 4; i++)
		pt_put_le32(bytes + 4 * i, pcs[i]);
	chunk_config_of(&f, 0, 0, HALT);
	chunk_config_of(&f, 1, 1, PCSR);
	run_main(&f, 0, 2);
	for (unsigned i = 0; i < 3; i++)
		chunk_put(&f, 1, PT_CHUNK_DATA, PT_DATA_RESTARTS, 1000 * i, 1000 * i + 1000, bytes, sizeof(bytes));
	chunk_end(&f, 1, 3000);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_int_eq(p->counts, PT_BASIS_ESTIMATED);
	ck_assert_int_eq(p->shares, PT_BASIS_ESTIMATED);
	expect_function(p, 0, ID_LEAF, 2, 4, 6);
	ck_assert_ptr_null(row_of(p, 1, ID_LEAF)->run);
	ck_assert_uint_eq(row_of(p, 1, ID_LEAF)->samples, 3);
	ck_assert_double_eq_tol(row_of(p, 1, ID_LEAF)->share.share, 0.25, 1e-9);
	ck_assert_uint_eq(p->samples, 12);
	chunk_feed_drop(&f);
}
END_TEST

static void expect_task(const struct pt_profile *p, unsigned core, const char *name, uint64_t run_ns)
{
	for (size_t i = 0; i < p->tasks->n_tasks; i++)
		if (p->tasks->task[i].core == core && strcmp(p->tasks->task[i].name, name) == 0) {
			ck_assert_uint_eq(p->tasks->task[i].run, run_ns);
			return;
		}
	ck_abort_msg("core %u has no task %s", core, name);
}

/* Who runs on which core: port 1 of each core's own instrumentation. Core 0: 1 for 3 us, 2 for 1 us; core 1: 2 for
 * 2 us, 1 for 6 us. */
START_TEST(tasks_and_chains)
{
	static const char *const words[] = { "signal=port.1:task", "analysis=all" };
	static const struct { unsigned core, task; uint64_t ns; } writes[] = {
		{ 0, 1, 1000 }, { 1, 2, 1500 }, { 1, 1, 3500 }, { 0, 2, 4000 }, { 0, 1, 5000 }, { 1, 2, 9500 },
	};
	struct chunk_feed f = feed_of(words, 2);
	struct chunk_bytes core[2] = { { .len = 0 }, { .len = 0 } };
	const struct pt_profile *p;
	bool chains[2] = { false };

	for (size_t i = 0; i < PT_LEN(writes); i++)
		add_message(&core[writes[i].core], writes[i].ns, 1, 4, writes[i].task);
	for (unsigned i = 0; i < 2; i++) {
		chunk_config_of(&f, i, i, VALUES);
		chunk_config_of(&f, 2 + i, i, HALT);
	}
	for (unsigned i = 0; i < 2; i++)
		chunk_put(&f, i, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 10000, core[i].bytes, core[i].len);
	for (unsigned i = 0; i < 2; i++)
		chunk_end(&f, i, 10000);
	run_main(&f, 2, 2);
	run_main(&f, 3, 1);
	p = pt_pipeline_profile(f.pipeline);
	expect_task(p, 0, "0x1", 3000);
	expect_task(p, 0, "0x2", 1000);
	expect_task(p, 1, "0x1", 6000);
	expect_task(p, 1, "0x2", 2000);
	for (size_t i = 1; i < p->tree->n_nodes; i++)
		chains[p->tree->node[i].core != 0] |= p->tree->node[i].function == ID_LEAF;
	ck_assert(chains[0] && chains[1]);
	expect_function(p, 0, ID_LEAF, 2, 4, 6);
	expect_function(p, 1, ID_LEAF, 1, 2, 3);
	chunk_feed_drop(&f);
}
END_TEST

/* Each core has to keep to a rule; the worst of them is told. */
static const struct { const char *rule, *why; enum pt_verdict want; } rules[] = {
	{ "limits=share(leaf) < 28%", "core 0: 28.57 %", PT_VERDICT_FAILED },
	{ "limits=share(leaf) > 28%", "core 1: 27.27 %", PT_VERDICT_FAILED },
	{ "limits=share(leaf) in 27%..29%", "core 0: 28.57 %", PT_VERDICT_PASSED },
	{ "limits=count(leaf) = 3", "3 in all", PT_VERDICT_PASSED },
	{ "limits=gross(leaf) = 3us", "all 3 seen: 3 us to 3 us", PT_VERDICT_PASSED },
	{ "limits=period(leaf) in 9us..10us", "all 1 seen: 10 us to 10 us", PT_VERDICT_PASSED },
	{ "limits=gross.max(leaf) < 3us", "core 0: 3 us, of 2", PT_VERDICT_FAILED },
	{ "limits=period.max(leaf) < 3us", "core 0: 10 us, of 1", PT_VERDICT_FAILED },
};

START_TEST(rule)
{
	struct chunk_feed f = two_cores(&rules[_i].rule, 1);
	const struct pt_limits *limits = pt_pipeline_profile(f.pipeline)->limits;

	ck_assert_msg(strncmp(limits->limit[0].why, rules[_i].why, strlen(rules[_i].why)) == 0, "%s",
		      limits->limit[0].why);	/* and what it rests on */
	ck_assert_int_eq(limits->limit[0].verdict, rules[_i].want);
	chunk_feed_drop(&f);
}
END_TEST

START_TEST(violations)
{
	static const char *const word = "limits=gross(leaf) < 2us";
	struct chunk_feed f = two_cores(&word, 1);
	const struct pt_limits *limits = pt_pipeline_profile(f.pipeline)->limits;
	unsigned n[2] = { 0 };

	ck_assert_uint_eq(limits->n_violations, 3);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_lt(limits->violation[i].core, 2);
		ck_assert_str_eq(limits->violation[i].path, "main > leaf");
		ck_assert_uint_eq(limits->violation[i].value, 3);
		n[limits->violation[i].core]++;
	}
	ck_assert_uint_eq(n[0], 2);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cores");
	TCase *tc = tcase_create("cores");

	tcase_add_test(tc, functions);
	tcase_add_test(tc, callgrind);
	tcase_add_test(tc, gmon);
	tcase_add_test(tc, instructions);
	tcase_add_test(tc, spans_and_ranges);
	tcase_add_loop_test(tc, table, 0, PT_LEN(tables));
	tcase_add_test(tc, two_traces_of_one_core);
	tcase_add_test(tc, a_core_too_many);
	tcase_add_test(tc, a_sampled_core_beside);
	tcase_add_test(tc, tasks_and_chains);
	tcase_add_loop_test(tc, rule, 0, PT_LEN(rules));
	tcase_add_test(tc, violations);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
