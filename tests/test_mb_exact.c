/* What the sources bins and trace say of a virtual MicroBlaze against what the core itself counted: per function, in
 * cycles and in instructions, equal to the last one. With a bin for each word the functions' table is exact; with
 * larger bins each bin is, and what lies in several functions is marked. */
#include <stdlib.h>
#include <string.h>

#include "array_sink.h"
#include "harness.h"
#include "pipeline/pipeline.h"
#include "probes/virtual/chip/microblaze.h"
#include "profile/analyses/code/bins.h"
#include "profile/analyses/counters/counters.h"
#include "profile/result/profile.h"
#include "targets/contract/lease.h"
#include "targets/microblaze/microblaze.h"
#include "base/util.h"

enum { ACCESS_NS = 500, RUN_NS = 20000000 };

static struct pt_vboard *board;
static struct pt_microblaze *chip;
static struct pt_vtruth truth;
static uint64_t now_ns;
static bool frozen; /* time stands still for the board */

/* --- the MDM's slave, as a debugger's memory: each access takes time, in which the core runs */

static void pass(uint64_t ns)
{
	now_ns += ns;
	if (!frozen)
		pt_vboard_microblaze.advance(board, now_ns);
}

static bool one_word(struct pt_mem_op *op, uint64_t addr, uint8_t *bytes)
{
	struct pt_vaccess access = { (uint32_t)addr, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = pt_le32(bytes);
	bool done = op->what == PT_MEM_READ ? pt_vbus_read(&chip->node[0].bus, &access, &value)
					    : pt_vbus_write(&chip->node[0].bus, &access, value);

	pass(ACCESS_NS);
	if (op->what == PT_MEM_READ)
		pt_put_le32(bytes, value);
	return done;
}

static int run(void *state, struct pt_mem_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
	       uint64_t *fault_addr, struct pt_err *err)
{
	(void)state;
	(void)timeout_ms;
	for (size_t i = 0; i < n_ops; i++) {
		ops[i].sent_ns = now_ns;
		for (size_t at = 0; at < ops[i].len_bytes; at += 4)
			if (!one_word(&ops[i], ops[i].fixed ? ops[i].addr : ops[i].addr + at,
				      (uint8_t *)ops[i].bytes + at)) {
				*fault_addr = ops[i].addr + at;
				return pt_fail(err, PT_EFAULT, "bus fault");
			}
		ops[i].done_ns = now_ns;
		if (n_done != NULL)
			*n_done = i + 1;
	}
	return 0;
}

static uint64_t time_now(void *state)
{
	(void)state;
	return now_ns;
}

static int wait_until(void *state, uint64_t until_ns, struct pt_err *err)
{
	(void)state;
	(void)err;
	pass(until_ns > now_ns ? until_ns - now_ns : 0);
	return 0;
}

static const struct pt_mem_ops mem_ops = { .run = run, .now_ns = time_now, .wait = wait_until, .while_running = true };

static int fake_status(void *s, unsigned core, struct pt_core_status *out, struct pt_err *e)
{
	(void)s;
	(void)core;
	(void)e;
	*out = (struct pt_core_status){ .state = PT_RUNNING, .addr = PT_UNKNOWN };
	return 0;
}

static const struct pt_target_ops ops = { .name = "microblaze", .status = fake_status };

/* --- a profile */

static void make_board_of(const char *word, const char *other)
{
	struct pt_params *settings = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_msg(pt_vboard_add_word(&pt_vboard_microblaze, settings, word, &err) == 0, "%s", err.msg);
	ck_assert_msg(pt_vboard_add_word(&pt_vboard_microblaze, settings, other, &err) == 0, "%s", err.msg);
	board = pt_vboard_microblaze.make(settings, NULL, 0, &err);
	ck_assert_msg(board != NULL, "%s", err.msg);
	chip = pt_microblaze_of(board);
	pt_params_free(settings);
	pt_microblaze_reset(chip, false);
	now_ns = 0;
	frozen = true;
	ck_assert(pt_microblaze_watch(&chip->node[0], &truth, 0));
}

static void make_board(const char *word)
{
	make_board_of(word, "cores=1");
}

static struct pt_span code_of(const struct pt_program *program)
{
	size_t n = 0;
	const struct pt_function *f = pt_program_functions(program, &n);

	ck_assert_uint_gt(n, 5);
	return (struct pt_span){ f[0].address, f[n - 1].address + f[n - 1].size - f[0].address };
}

/* A debugger in non-stop: the first core stands for a quarter of the run, and the GDB server has a thread for each. */
static struct { bool wanted; uint64_t from_ns, to_ns; } halt;

static void tell(const struct pt_source_ops *source, void *state, enum pt_state what)
{
	struct pt_err err = { 0 };

	ck_assert_msg(source->on_state(state, what, 0, 0x100, &err) == 0, "%s", err.msg);
}

static void halt_one(const struct pt_source_ops *source, void *state, uint64_t run_ns, uint64_t left_ns)
{
	struct pt_vrsp_stop stop;

	if (halt.wanted && halt.from_ns == 0 && left_ns < run_ns * 3 / 4) {
		chip->rsp.halt(chip, 0);
		while (!chip->rsp.halted(chip, 0, &stop))
			pass(ACCESS_NS);
		tell(source, state, PT_STATE_HALT);
		halt.from_ns = now_ns;
	} else if (halt.from_ns != 0 && halt.to_ns == 0 && left_ns < run_ns / 2) {
		halt.to_ns = now_ns;
		tell(source, state, PT_STATE_RUN);
		chip->rsp.resume(chip, 0, false);
	}
}

/* From when counting begins to when it has ended, and nothing else, does the board's time pass. */
static void profile(const struct pt_source_ops *source, const struct pt_program *program, const char *const *words,
		    size_t n_words, const char *size, uint64_t run_ns, struct array_sink *sink)
{
	struct pt_mem mem = { &mem_ops, NULL };
	struct pt_mb *mb = calloc(1, sizeof(*mb));
	struct pt_target target = { .ops = &ops, .state = mb };
	struct pt_params *settings = pt_params_new(), *own = pt_params_new();
	struct pt_source_setup setup = { .settings = own, .sink = &sink->sink, .code = code_of(program) };
	void *state = calloc(1, source->state_bytes);
	struct pt_err err = { 0 };

	for (size_t i = 0; i < n_words; i++)
		ck_assert_int_eq(pt_params_add(own, source->params, source->n_params, words[i], &err), 0);
	ck_assert_int_eq(pt_params_add(settings, pt_mb_settings, PT_MB_N_SETTINGS, "mdm.axi.base=0x41400000", &err), 0);
	ck_assert_int_eq(pt_params_add(settings, pt_mb_settings, PT_MB_N_SETTINGS, size, &err), 0);
	ck_assert_int_eq(pt_mb_read_settings(mb, settings, &err), 0);
	mb->target = &target;
	mb->behind_server = halt.wanted;
	mb->remote.n_cores = chip->n_nodes;
	mb->mdm.mem = &mem;
	ck_assert_msg(pt_mdm_open(&mb->mdm, settings, &err) == 0, "%s", err.msg);
	ck_assert_msg(source->start(state, &target, &setup, &err) == 0, "%s", err.msg);
	frozen = false;
	for (uint64_t until_ns = now_ns + run_ns; now_ns < until_ns;) {
		int us = source->drain(state, &err);

		ck_assert_msg(us >= 0, "%s", err.msg);
		pass((uint64_t)us * 1000 < run_ns / 40 ? (uint64_t)us * 1000 : run_ns / 40);
		halt_one(source, state, run_ns, now_ns < until_ns ? until_ns - now_ns : 0);
	}
	frozen = true;
	ck_assert_msg(source->stop(state, &err) == 0, "%s", err.msg);
	frozen = false;
	array_sink_check(sink);
	pt_mdm_close(&mb->mdm);
	ck_assert_ptr_null(target.leases);
	pt_params_free(settings);
	pt_params_free(own);
	free(state);
	free(mb);
}

static struct pt_pipeline *feed(struct pt_program *program, const struct array_sink *sink)
{
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };
	struct pt_pipeline *pipeline = pt_pipeline_new(program, params, &err);

	ck_assert_msg(pipeline != NULL, "%s", err.msg);
	for (size_t i = 0; i < sink->n_chunks; i++)
		pt_pipeline_feed(pipeline, sink->chunk[i]);
	pt_params_free(params);
	return pipeline;
}

static uint64_t pick(struct pt_vtruth_at at, bool instructions)
{
	return instructions ? at.instructions : at.cycles;
}

static struct pt_program *demo(void)
{
	size_t len_bytes = 0;
	const uint8_t *elf = pt_vboard_microblaze.demo(&len_bytes);
	struct pt_err err = { 0 };
	struct pt_program *program = pt_program_from_bytes("demo", elf, len_bytes, 189, &err);

	ck_assert_msg(program != NULL, "%s", err.msg);
	return program;
}

/* What the core did in a function. NULL: where no symbol is, the vectors behind that of reset. */
static struct pt_vtruth_at what_ran(struct pt_vtruth *of, const struct pt_function *f)
{
	static const struct pt_function vectors = { .address = 0x08, .size = 0x100 - 0x08 };

	f = f != NULL ? f : &vectors;
	return pt_vtruth_sum(of, (uint32_t)f->address, (uint32_t)(f->address + f->size));
}

static const struct {
	const char *count;
	bool instructions;
} kinds[] = {
	{ "count=cycles", false },
	{ "count=instructions", true },
};

/* 128 KiB: a bin for each word of the program. Live readings in between change nothing. */
START_TEST(a_bin_for_each_word)
{
	const char *words[] = { kinds[_i].count, "mode=live", "period=10ms" };
	struct pt_program *program = demo();
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct array_sink sink;
	uint64_t sum = 0;

	array_sink_init(&sink);
	make_board("profile=131072");
	profile(&pt_source_mb_bins, program, words, PT_LEN(words), "mb.prof.size=131072", RUN_NS, &sink);
	pipeline = feed(program, &sink);
	p = pt_pipeline_profile(pipeline);
	ck_assert(p->by_bins && p->bins->whole);
	ck_assert_int_eq(p->times, PT_BASIS_EXACT);
	ck_assert_uint_gt(p->n_functions, 10);
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct pt_function *f = p->function[i].function;
		const struct pt_execution_function *run = p->function[i].run;
		struct pt_vtruth_at at = what_ran(&truth, f);

		ck_assert_msg((kinds[_i].instructions ? run->instructions : run->cycles) ==
				      pick(at, kinds[_i].instructions),
			      "%s: %lu in bins, %lu in the core", f != NULL ? f->name : "(no symbol)",
			      (unsigned long)(kinds[_i].instructions ? run->instructions : run->cycles),
			      (unsigned long)pick(at, kinds[_i].instructions));
		sum += pick(at, kinds[_i].instructions);
	}
	ck_assert_uint_eq(sum, p->bins->hits);
	ck_assert_uint_gt(sum, 100000);
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

/* Two cores at one MDM, which take turns at its registers: rows of each, each equal to what that core counted. */
START_TEST(each_core_has_rows_of_its_own)
{
	const char *words[] = { kinds[_i].count, "mode=live", "period=10ms", "core=all" };
	struct pt_program *program = demo();
	struct pt_vtruth other = { 0 }, *of[] = { &truth, &other };
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct array_sink sink;
	uint64_t sum[2] = { 0 };
	size_t n = 0;
	const struct pt_function *functions = pt_program_functions(program, &n);

	array_sink_init(&sink);
	make_board_of("profile=131072", "cores=2");
	ck_assert(pt_microblaze_watch(&chip->node[1], &other, 0));
	profile(&pt_source_mb_bins, program, words, PT_LEN(words), "mb.prof.size=131072", RUN_NS, &sink);
	pipeline = feed(program, &sink);
	p = pt_pipeline_profile(pipeline);
	ck_assert_uint_eq(p->n_sources, 2);
	ck_assert_uint_eq(p->bins->n_cores, 2);
	for (size_t i = 0; i < p->bins->n_functions; i++) {
		const struct pt_bins_function *row = &p->bins->function[i];
		const struct pt_function *f = row->function > 0 ? &functions[row->function - 1] : NULL;

		ck_assert_uint_lt(row->core, 2);
		ck_assert_uint_eq((uint64_t)row->hits, pick(what_ran(of[row->core], f), kinds[_i].instructions));
		sum[row->core] += (uint64_t)row->hits;
	}
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_uint_gt(sum[core], 100000);
		ck_assert_uint_eq(sum[core], p->bins->core[core].hits);
	}
	ck_assert_uint_eq(p->bins->hits, sum[0]);
	ck_assert_uint_eq(p->n_cores, 2);
	ck_assert_uint_eq(p->n_functions, p->bins->n_functions);
	for (size_t i = 0; i < p->n_functions; i++) {	/* the functions' table has them, too */
		const struct pt_execution_function *run = p->function[i].run;

		ck_assert_uint_eq(p->function[i].core, p->bins->function[i].core);
		ck_assert_uint_eq(kinds[_i].instructions ? run->instructions : run->cycles,
				  (uint64_t)p->bins->function[i].hits);
	}
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vtruth_fini(&other);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

static const struct pt_counter_row *counter_of(const struct pt_counters *c, uint16_t core, const char *name)
{
	for (size_t i = 0; i < c->n_counters; i++)
		if (c->counter[i].core == core && strcmp(c->counter[i].name, name) == 0)
			return &c->counter[i];
	ck_abort_msg("core %u has no %s", core, name);
}

/* Counters of two cores: each core's own, and what is derived from them, too. */
START_TEST(each_core_has_counters_of_its_own)
{
	const char *words[] = { "events=instructions,cycles", "latencies=none", "period=10ms", "core=all" };
	struct pt_program *program = demo();
	struct pt_vtruth other = { 0 }, *of[] = { &truth, &other };
	struct pt_pipeline *pipeline;
	const struct pt_counters *c;
	struct array_sink sink;
	uint64_t ratio[2] = { 0 };

	array_sink_init(&sink);
	make_board_of("seed=3", "cores=2");
	ck_assert(pt_microblaze_watch(&chip->node[1], &other, 0));
	profile(&pt_source_mb_counters, program, words, PT_LEN(words), "mb.prof.size=0", RUN_NS, &sink);
	pipeline = feed(program, &sink);
	c = pt_pipeline_profile(pipeline)->counters;
	ck_assert_uint_eq(c->n_cores, 2);
	ck_assert_uint_eq(c->n_counters, 4);
	for (uint16_t core = 0; core < 2; core++) {
		uint64_t n = pt_vtruth_sum(of[core], 0, PT_MICROBLAZE_LMB_BYTES).instructions;

		ck_assert_uint_gt(n, 100000);
		ck_assert_uint_eq(counter_of(c, core, "instructions")->total, n);
	}
	for (size_t i = 0; i < c->n_metrics; i++)
		if (strcmp(c->metric[i].name, "CPI") == 0) {
			ratio[c->metric[i].core]++;
			ck_assert_double_gt(c->metric[i].value, 1);
		}
	ck_assert(ratio[0] == 1 && ratio[1] == 1);
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vtruth_fini(&other);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

static uint64_t held_ns(const struct array_sink *sink, unsigned core, unsigned *n_states)
{
	uint64_t ns = 0;

	*n_states = 0;
	for (size_t i = 0; i < sink->n_chunks; i++) {
		const struct pt_chunk *c = sink->chunk[i];

		*n_states += c->core == core && c->kind == PT_CHUNK_STATE;
		if (c->core == core && c->kind == PT_CHUNK_LOSS && c->cause == PT_LOSS_HALTED)
			ns += c->to_ns - c->from_ns;
	}
	return ns;
}

/* One of two cores stands for a while: its account has that time, and the other's nothing of it; what both counted is
 * what they ran. */
START_TEST(one_of_two_cores_halts)
{
	static const struct pt_source_ops *const sources[] = { &pt_source_mb_bins, &pt_source_mb_counters };
	const char *words[] = { "period=10ms", "core=all", "count=instructions" };
	struct pt_program *program = demo();
	struct pt_vtruth other = { 0 }, *of[] = { &truth, &other };
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct array_sink sink;
	unsigned n_states;

	halt.wanted = true;
	halt.from_ns = halt.to_ns = 0;
	array_sink_init(&sink);
	make_board_of("profile=131072", "cores=2");
	ck_assert(pt_microblaze_watch(&chip->node[1], &other, 0));
	words[2] = _i == 0 ? words[2] : "events=instructions";
	profile(sources[_i], program, words, PT_LEN(words), "mb.prof.size=131072", RUN_NS, &sink);
	halt.wanted = false;
	ck_assert_uint_gt(halt.to_ns - halt.from_ns, RUN_NS / 8);
	pipeline = feed(program, &sink);
	p = pt_pipeline_profile(pipeline);
	for (uint16_t core = 0; core < 2; core++) {
		uint64_t ran = pt_vtruth_sum(of[core], 0, PT_MICROBLAZE_LMB_BYTES).instructions;

		ck_assert_uint_gt(ran, 100000);
		ck_assert_uint_eq(_i == 0 ? p->bins->core[core].hits
					  : counter_of(p->counters, core, "instructions")->total,
				  ran);
		ck_assert_uint_eq(held_ns(&sink, core, &n_states), core == 0 ? halt.to_ns - halt.from_ns : 0);
		ck_assert_uint_eq(n_states, core == 0 ? 2 : 0);
	}
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vtruth_fini(&other);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

/* 4 KiB and bins of 32 bytes: each bin is what the core spent between its addresses; the last one, which the end of the
 * code cuts, or high= within a function, between those that were counted. */
START_TEST(larger_bins)
{
	const char *words[] = { kinds[_i / 2].count, "mode=end", "bin-bytes=32", "high=0x30b" };
	struct pt_program *program = demo();
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct array_sink sink;
	bool split = false;

	array_sink_init(&sink);
	make_board("profile=4096");
	profile(&pt_source_mb_bins, program, words, PT_LEN(words) - 1 + (unsigned)_i % 2, "mb.prof.size=4096", RUN_NS,
		&sink);
	pipeline = feed(program, &sink);
	p = pt_pipeline_profile(pipeline);
	ck_assert_uint_gt(p->bins->n_addresses, 10);
	if (_i % 2 == 1)
		ck_assert_uint_eq(p->bins->address[p->bins->n_addresses - 1].bytes, 0x30c - 0x300);
	for (size_t i = 0; i < p->bins->n_addresses; i++) {
		const struct pt_bins_address *bin = &p->bins->address[i];
		struct pt_vtruth_at at =
			pt_vtruth_sum(&truth, (uint32_t)bin->address, (uint32_t)(bin->address + bin->bytes));

		ck_assert(bin->bytes == 32 || i + 1 == p->bins->n_addresses);
		ck_assert_uint_eq(bin->hits, pick(at, kinds[_i / 2].instructions));
	}
	for (size_t i = 0; i < p->bins->n_functions; i++)
		split |= p->bins->function[i].split > 0;
	ck_assert(split && !p->bins->whole && p->bins->exact);
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

static uint64_t instructions_of(const struct pt_function *f)
{
	return what_ran(&truth, f).instructions;
}

/* --- trace: what flow makes of it is what the core executed, from the first address that is told to the last */

static const struct {
	const char *level, *pcs;
	unsigned slack;
} traces[] = {
	{ "level=flow", "save-pc=all", 60 },
	{ "level=flow-cycles", "save-pc=all", 60 },
	{ "level=complete", "save-pc=all", 4 },
};

START_TEST(trace_is_what_ran)
{
	const char *words[] = { traces[_i].level, traces[_i].pcs, "mode=ring" };
	struct pt_program *program = demo();
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct array_sink sink;

	array_sink_init(&sink);
	make_board("trace=131072");
	profile(&pt_source_mb_trace, program, words, PT_LEN(words), "mb.trace.size=131072", _i == 2 ? 50000 : 150000,
		&sink);
	pipeline = feed(program, &sink);
	p = pt_pipeline_profile(pipeline);
	ck_assert_uint_gt(p->n_functions, 5);
	ck_assert_uint_eq(p->not_code, 0);
	ck_assert_uint_eq(p->loss.by[PT_LOSS_DAMAGED].events, 0);
	ck_assert_uint_gt(p->instructions, 1000);
	for (size_t i = 0; i < p->n_functions; i++) {
		uint64_t seen = p->function[i].run->instructions, at = instructions_of(p->function[i].function);

		ck_assert_msg(seen <= at && seen + traces[_i].slack >= at, "%s: %lu of %lu",
			      p->function[i].function->name, (unsigned long)seen, (unsigned long)at);
	}
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

/* Entering and leaving an exception costs what the instruction set says, and nothing that another one has: the handler's
 * cycles are those that the core spent in it. */
START_TEST(a_handler_costs_what_the_core_counted)
{
	const char *words[] = { "level=flow", "save-pc=all", "mode=ring" };
	struct pt_program *program = demo();
	struct pt_pipeline *pipeline;
	const struct pt_profile *p;
	struct array_sink sink;
	bool found = false;

	array_sink_init(&sink);
	make_board("trace=131072");
	profile(&pt_source_mb_trace, program, words, PT_LEN(words), "mb.trace.size=131072", 900000, &sink);
	pipeline = feed(program, &sink);
	p = pt_pipeline_profile(pipeline);
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct pt_function *f = p->function[i].function;
		struct pt_vtruth_at at = what_ran(&truth, f);

		if (f == NULL || strcmp(f->name, "on_interrupt") != 0)
			continue;
		found = true;
		ck_assert_uint_ge(p->function[i].run->count, 4);
		ck_assert_uint_eq(p->function[i].run->instructions, at.instructions);
		/* entering it is its own; the board gives that to what was interrupted */
		ck_assert_uint_eq(p->function[i].run->cycles,
				  at.cycles +
					  p->function[i].run->exceptions * pt_isa_microblaze.exception_entry_cycles);
	}
	ck_assert(found);
	pt_pipeline_free(pipeline);
	pt_vtruth_fini(&truth);
	pt_vboard_microblaze.free(board);
	pt_program_unref(program);
	array_sink_fini(&sink);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mb_exact");
	TCase *tc = tcase_create("mb_exact");

	tcase_set_timeout(tc, 0);
	tcase_add_loop_test(tc, a_bin_for_each_word, 0, PT_LEN(kinds));
	tcase_add_loop_test(tc, each_core_has_rows_of_its_own, 0, PT_LEN(kinds));
	tcase_add_test(tc, each_core_has_counters_of_its_own);
	tcase_add_loop_test(tc, one_of_two_cores_halts, 0, 2);
	tcase_add_loop_test(tc, larger_bins, 0, 2 * PT_LEN(kinds));
	tcase_add_loop_test(tc, trace_is_what_ran, 0, PT_LEN(traces));
	tcase_add_test(tc, a_handler_costs_what_the_core_counted);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
