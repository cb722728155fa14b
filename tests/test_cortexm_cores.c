/* The target cortexm on parts with two cores: the virtual cm4 and cm7 with a Cortex-M4 behind access port 3 of one debug
 * port, and the virtual kl27 with each behind a debug port of its own on one wire; all run tests/firmware/cores.elf. */
#include <stdio.h>
#include <string.h>

#include "bare_core.h"
#include "harness.h"
#include "probes/registry.h"
#include "probes/virtual/boards.h"
#include "probes/virtual/chip/cm4.h"
#include "probes/virtual/chip/kl27.h"
#include "targets/registry.h"
#include "tests/array_sink.h"
#include "trace/formats.h"
#include "trace/loss.h"

enum { NUMBER = 0xd0000000, LAUNCH = 0xd0000004, ROUNDS = 0x20000000, FREE_RAM = 0x20001000, DHCSR = 0xe000edf0 };
enum { ROW_R0 = 0, ROW_PC = 15, ROW_BASEPRI = 21 };

static struct pt_link *link;
static struct pt_probe *probe;
static struct pt_target *target;
static struct pt_params *settings;
static struct pt_err err;

#define OK(call)                                                                                                      \
	do {                                                                                                          \
		int ok_rc = (call);                                                                                   \
		ck_assert_msg(ok_rc == 0, "%s: %d: %s", #call, ok_rc, err.msg);                                       \
	} while (0)

static uint64_t round_trips(void)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(probe), &traffic);
	return traffic.round_trips;
}

static void attach(void)
{
	target = pt_target_attach(probe, "cortexm", settings, &err);
	ck_assert_msg(target != NULL && err.code == 0, "%s", err.msg);
}

static void open_board(const char *board)
{
	char name[300];

	snprintf(name, sizeof(name), "%s&clock=virtual&elf=%s", board, pt_firmware("cores.elf"));
	link = pt_model_link_open(name, &err);
	ck_assert_msg(link != NULL, "%s", err.msg);
	probe = pt_probe_open_link(&pt_cmsis_dap_ops, link, NULL, &err);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	OK(pt_link_wait(link, 5000000, &err));
	attach();
}

static void setup(void)
{
	settings = pt_params_new();
	err = (struct pt_err){ 0 };
}

static void teardown(void)
{
	OK(pt_target_detach(target, true, &err));
	pt_probe_close(probe);
	pt_params_free(settings);
}

static void pass_ms(unsigned ms)
{
	OK(pt_link_wait(link, pt_link_now_ns(link) + ms * PT_NS_PER_MS, &err));
}

static struct pt_core_status status(unsigned core)
{
	struct pt_core_status now;

	OK(target->ops->status(target->state, core, &now, &err));
	return now;
}

static uint32_t read32(unsigned core, uint32_t addr)
{
	uint32_t value = 0;

	OK(pt_mem_read32(target->ops->mem(target->state, core), addr, &value, &err));
	return value;
}

static void write32(unsigned core, uint32_t addr, uint32_t value)
{
	OK(pt_mem_write32(target->ops->mem(target->state, core), addr, value, &err));
}

static uint64_t pc(unsigned core)
{
	uint64_t at = 0;

	OK(target->ops->pc(target->state, core, &at, &err));
	return at;
}

static struct pt_core_about about(unsigned core)
{
	return pt_target_about_core(target, core);
}

static void halt(unsigned core)
{
	OK(target->ops->halt(target->state, core, &err));
	ck_assert_int_eq(status(core).state, PT_HALTED);
}

static void resume(unsigned core)
{
	OK(target->ops->resume(target->state, core, &err));
}

static bool said;
static const char *wanted;

static void on_line(void *arg, const char *line)
{
	(void)arg;
	said |= strstr(line, wanted) != NULL;
}

static bool describes(const char *what)
{
	said = false;
	wanted = what;
	target->ops->describe(target->state, on_line, NULL);
	return said;
}

static const struct part {
	const char *board, *name, *core[2], *reached;
	uint64_t most_round_trips;
} parts[] = {
	{ "cm4?variant=second-core", "Cortex-M4 (r0p1, unknown chip, 2 cores)", { "Cortex-M4", "Cortex-M4" },
	  "through access port 3", 40 },
	{ "kl27?variant=second-core", "MKL27Z256 (Cortex-M0+ r0p1, 2 cores)", { "Cortex-M0+", "Cortex-M0+" },
	  "debug port by TARGETSEL 0x11002927", 40 },
	{ "cm7?variant=second-core", "Cortex-M7 (r1p2, unknown chip, 2 cores)", { "Cortex-M7", "Cortex-M4" },
	  "through access port 3", 40 },
};

START_TEST(both_are_found_and_none_is_halted)
{
	const struct part *part = &parts[_i];

	open_board(part->board);
	ck_assert_uint_le(round_trips(), part->most_round_trips);
	ck_assert_str_eq(target->ops->chip(target->state), part->name);
	ck_assert_uint_eq(target->ops->n_cores(target->state), 2);
	ck_assert(describes(part->reached));
	for (unsigned core = 0; core < 2; core++) {
		uint32_t before = read32(core, ROUNDS + 4 * core);

		ck_assert_int_eq(status(core).state, PT_RUNNING);
		ck_assert_str_eq(about(core).name, part->core[core]);
		ck_assert_ptr_null(about(core).away);
		ck_assert_uint_eq(read32(core, NUMBER), core);
		ck_assert_uint_eq(read32(core, DHCSR) & 1, 0);
		pass_ms(5);
		ck_assert_uint_gt(read32(core, ROUNDS + 4 * core), before);
	}
}
END_TEST

START_TEST(one_halts_and_steps_while_the_other_runs)
{
	unsigned core = (unsigned)_i % 2, other = 1 - core;
	uint32_t before;
	uint64_t value = 0x1234, got = 0, at;

	open_board(parts[_i / 2].board);
	halt(core);
	ck_assert_int_eq(status(other).state, PT_RUNNING);
	before = read32(other, ROUNDS + 4 * other);
	pass_ms(5);
	ck_assert_uint_gt(read32(core, ROUNDS + 4 * other), before);
	at = pc(core);
	OK(target->ops->step(target->state, core, &err));
	ck_assert_int_eq(status(core).reason, PT_HALT_STEP);
	ck_assert_uint_ne(pc(core), at);
	OK(target->ops->write_registers(target->state, core, &(uint16_t){ ROW_R0 }, 1, &value, &err));
	OK(target->ops->read_registers(target->state, core, &(uint16_t){ ROW_R0 }, 1, &got, &err));
	ck_assert_uint_eq(got, value);
	ck_assert_int_eq(target->ops->pc(target->state, other, &got, &err), PT_ESTATE);	/* it runs */
	resume(core);
	ck_assert_int_eq(status(core).state, PT_RUNNING);
}
END_TEST

/* Where the functions of cores.elf are: entries, as objdump has them. */
enum { OF_BOTH = 0x464, SECOND_ALONE = 0x444 };

START_TEST(monitor_fault_has_each_core)
{
	open_board(parts[_i].board);
	halt(0);
	said = false;
	wanted = "core 1:";
	OK(target->ops->words[0].print(target->state, NULL, 0, on_line, NULL, &err));
	ck_assert(said);
	said = false;
	wanted = "the core runs: where the fault came from shows when it is halted";
	OK(target->ops->words[0].print(target->state, NULL, 0, on_line, NULL, &err));
	ck_assert(said);
}
END_TEST

START_TEST(breakpoints_are_in_each_core)
{
	const struct pt_break shared = { .kind = PT_BREAK_HW, .addr = OF_BOTH, .len = 2 };
	const struct pt_break second = { .kind = PT_BREAK_HW, .addr = SECOND_ALONE, .len = 2 };

	open_board(parts[_i].board);
	halt(0);
	halt(1);
	OK(target->ops->break_insert(target->state, &shared, &err));
	resume(0);
	resume(1);
	pass_ms(5);
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_int_eq(status(core).state, PT_HALTED);
		ck_assert_int_eq(status(core).reason, PT_HALT_BREAK_HW);
		ck_assert_uint_eq(pc(core), OF_BOTH);
	}
	OK(target->ops->break_remove(target->state, &shared, &err));
	OK(target->ops->break_insert(target->state, &second, &err));
	resume(0);
	resume(1);
	pass_ms(5);
	ck_assert_int_eq(status(0).state, PT_RUNNING);
	ck_assert_uint_eq(pc(1), SECOND_ALONE);
	OK(target->ops->break_remove(target->state, &second, &err));
}
END_TEST

START_TEST(the_core_with_the_fewest_comparators_limits)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .addr = 0x7000, .len = 2 };

	open_board(parts[2].board);	/* eight of the M7, six of the M4 */
	for (unsigned i = 0; i < 6; i++, at.addr += 2)
		OK(target->ops->break_insert(target->state, &at, &err));
	ck_assert_int_eq(target->ops->break_insert(target->state, &at, &err), PT_EBUSY);
	ck_assert_ptr_nonnull(strstr(err.msg, "core 1: all 6 hardware breakpoints of the core are in use"));
	for (at.addr = 0x7000; at.addr < 0x700c; at.addr += 2)
		OK(target->ops->break_remove(target->state, &at, &err));
	ck_assert(!describes("break- and watchpoints are set"));
}
END_TEST

/* Both run a loop in RAM that has a BKPT in place of one of its instructions. */
START_TEST(a_software_breakpoint_is_put_and_taken_once)
{
	const struct pt_break soft = { .kind = PT_BREAK_SW, .addr = FREE_RAM + 2, .len = 2 };
	static const uint32_t loop = 0xe7fd46c0;	/* mov r8, r8; b back */
	uint64_t at = FREE_RAM;

	open_board(parts[_i].board);
	halt(0);
	halt(1);
	write32(0, FREE_RAM, loop);
	OK(target->ops->break_insert(target->state, &soft, &err));
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_uint_eq(read32(core, FREE_RAM), loop);	/* none sees it */
		OK(target->ops->write_registers(target->state, core, &(uint16_t){ ROW_PC }, 1, &at, &err));
		resume(core);
	}
	pass_ms(1);
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_int_eq(status(core).reason, PT_HALT_BREAK_SW);
		ck_assert_uint_eq(pc(core), FREE_RAM + 2);
	}
	write32(1, FREE_RAM, loop + 0x10000);	/* a debugger that writes sees what it wrote, too */
	ck_assert_uint_eq(read32(0, FREE_RAM), loop + 0x10000);
	OK(target->ops->break_remove(target->state, &soft, &err));
	ck_assert_uint_eq(read32(0, FREE_RAM), loop + 0x10000);
	ck_assert_uint_eq(read32(1, FREE_RAM), loop + 0x10000);
}
END_TEST

START_TEST(a_reset_stops_the_first_and_the_second_waits)
{
	open_board(parts[_i].board);
	OK(target->ops->reset(target->state, PT_RESET_HALT, &err));
	ck_assert_int_eq(status(0).state, PT_HALTED);
	ck_assert_int_eq(status(1).state, PT_IN_RESET);
	ck_assert_str_eq(about(1).away, "held in reset");
	ck_assert(describes("not available: held in reset"));
	ck_assert_int_eq(target->ops->halt(target->state, 1, &err), PT_ESTATE);
	ck_assert_str_eq(err.msg, "core 1 is not available: held in reset");
	resume(0);
	pass_ms(600);
	ck_assert_int_eq(status(1).state, PT_RUNNING);
	ck_assert(!status(1).was_reset);
	ck_assert_ptr_null(about(1).away);
}
END_TEST

/* Set while it was away. */
START_TEST(a_core_that_comes_gets_the_breakpoints)
{
	const struct pt_break at = { .kind = PT_BREAK_HW, .addr = SECOND_ALONE, .len = 2 };

	open_board(parts[_i].board);
	OK(target->ops->reset(target->state, PT_RESET_HALT, &err));
	ck_assert_int_eq(status(1).state, PT_IN_RESET);
	OK(target->ops->break_insert(target->state, &at, &err));
	resume(0);
	pass_ms(600);
	ck_assert_int_eq(status(1).state, PT_RUNNING);
	pass_ms(5);
	ck_assert_int_eq(status(1).reason, PT_HALT_BREAK_HW);
	ck_assert_uint_eq(pc(1), SECOND_ALONE);
	OK(target->ops->break_remove(target->state, &at, &err));
}
END_TEST

/* Both debug ports are off and dormant afterwards, whichever of them the loss is met at; when one is woken, the other is
 * awake too, but still off. */
START_TEST(power_is_lost_and_comes_back)
{
	char board[60];
	bool lost = false;

	snprintf(board, sizeof(board), "kl27?variant=second-core&fault=power@%d+6", 900 + 4 * _i);
	open_board(board);
	for (int i = 0; i < 400 && !lost; i++) {
		lost = status(0).was_reset;
		lost |= status(1).was_reset;
	}
	ck_assert(lost);
	for (int i = 0; i < 4; i++) {
		status(0);
		status(1);
		pass_ms(600);
	}
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_int_eq(status(core).state, PT_RUNNING);
		halt(core);
		OK(target->ops->step(target->state, core, &err));
		resume(core);
	}
}
END_TEST

START_TEST(all_is_put_back)
{
	open_board(parts[_i].board);
	halt(0);
	halt(1);
	OK(pt_target_detach(target, true, &err));
	attach();
	for (unsigned core = 0; core < 2; core++) {
		ck_assert_uint_eq(read32(core, DHCSR) & 1, 0);
		ck_assert_int_eq(status(core).state, PT_RUNNING);
	}
}
END_TEST

static const struct { const char *board, *away; } closed[] = {
	{ "cm4?variant=second-locked", "its access port 3 is closed: the core is locked, or off" },
	{ "cm7?variant=second-off", "its bus does not answer: the core is off, or held in reset" },
	{ "kl27?variant=second-locked", "its access port 0 is closed: the core is locked, or off" },
	{ "kl27?variant=second-off", "no debug port answers to TARGETSEL 0x11002927" },
};

START_TEST(one_that_is_closed_leaves_the_other)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .addr = OF_BOTH, .len = 2 };

	open_board(closed[_i].board);
	ck_assert_uint_eq(target->ops->n_cores(target->state), 2);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(status(1).state, PT_IN_RESET);
		ck_assert_str_eq(about(1).away, closed[_i].away);
		pass_ms(600);
	}
	ck_assert_int_eq(status(0).state, PT_RUNNING);
	halt(0);
	OK(target->ops->break_insert(target->state, &at, &err));
	resume(0);
	pass_ms(5);
	ck_assert_uint_eq(pc(0), OF_BOTH);
	OK(target->ops->step(target->state, 0, &err));
	OK(target->ops->break_remove(target->state, &at, &err));
	OK(target->ops->reset(target->state, PT_RESET_RUN, &err));
	ck_assert_int_eq(status(1).state, PT_IN_RESET);
	OK(target->ops->leave(target->state, &err));
}
END_TEST

/* Of a part whose only core is locked the access port says so. */
START_TEST(a_closed_port_is_named)
{
	open_board("cm7?core-drift=0");		/* for what teardown ends */
	OK(pt_target_detach(target, true, &err));
	pt_probe_close(probe);
	link = pt_model_link_open("cm7?variant=locked&clock=virtual", &err);
	probe = pt_probe_open_link(&pt_cmsis_dap_ops, link, NULL, &err);
	ck_assert_ptr_null(pt_target_attach(probe, "cortexm", settings, &err));
	ck_assert_ptr_nonnull(strstr(err.msg, "access port 0 is closed (CSW.DeviceEn is 0)"));
	pt_probe_close(probe);
	err = (struct pt_err){ 0 };
	open_board("cm7?core-drift=0");
}
END_TEST

/* It is core 1 then. */
START_TEST(the_first_that_is_closed_leaves_the_second)
{
	open_board("cm4?variant=locked,second-core");
	ck_assert_uint_eq(target->ops->n_cores(target->state), 2);
	ck_assert_uint_eq(read32(0, NUMBER), 1);
	ck_assert(describes("memory through access port 3"));
	ck_assert_int_eq(status(1).state, PT_IN_RESET);
	ck_assert_str_eq(about(1).away, "its access port 0 is closed: the core is locked, or off");
	halt(0);
	ck_assert_uint_ge(pc(0), SECOND_ALONE);
	OK(target->ops->step(target->state, 0, &err));
	resume(0);
}
END_TEST

/* A port that the user names is the only one. */
START_TEST(the_second_alone)
{
	OK(pt_params_add(settings, pt_cortexm_ops.params, pt_cortexm_ops.n_params, "swd-target=0x11002927", &err));
	open_board(parts[1].board);
	ck_assert_uint_eq(target->ops->n_cores(target->state), 1);
	ck_assert_uint_eq(read32(0, NUMBER), 1);
	ck_assert_str_eq(about(0).name, "");
}
END_TEST

/* --- sources ------------------------------------------------------------------------------------------------------ */

static const struct pt_source_ops *source;
static void *source_state;
static struct array_sink sink;
static struct pt_vtruth truth[2];

static void watch(unsigned core)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board = pt_model_link_board(link, &ops);

	ck_assert(ops == &pt_vboard_kl27 ? pt_kl27_watch_core(pt_kl27_of(board), core, &truth[core], 0)
					 : pt_cm4_watch_core(pt_cm4_of(board), core, &truth[core], 0));
}

static int start(const char *name, const char *word)
{
	struct pt_params *words = pt_params_new();
	static const struct pt_span free_ram = { 0x1fffe000, 0x2000 };
	struct pt_source_setup with = { .settings = words, .sink = &sink.sink, .seed = 5, .config = "",
					.free_ram = &free_ram, .n_free_ram = 1 };
	const struct pt_source_ops *const *all;
	size_t n;
	int rc;

	all = target->ops->sources(target->state, &n);
	while (strcmp((*all)->name, name) != 0)
		all++;
	source = *all;
	if (word != NULL)
		OK(pt_params_add(words, source->params, source->n_params, word, &err));
	array_sink_init(&sink);
	source_state = calloc(1, source->state_bytes);
	rc = source->start(source_state, target, &with, &err);
	pt_params_free(words);
	return rc;
}

static void drain_ms(unsigned ms)
{
	uint64_t end_ns = pt_link_now_ns(link) + ms * PT_NS_PER_MS;

	while (pt_link_now_ns(link) < end_ns) {
		int rc = source->drain(source_state, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		OK(pt_link_wait(link, pt_link_now_ns(link) + (uint64_t)rc * 1000, &err));
	}
}

static void stop(void)
{
	OK(source->stop(source_state, &err));
	array_sink_check(&sink);
	free(source_state);
}

static size_t samples_between(unsigned core, uint32_t begin, uint32_t end)
{
	size_t n = 0;

	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		for (size_t k = 0; chunk->kind == PT_CHUNK_DATA && chunk->core == core && k < chunk->len_bytes;
		     k += 4) {
			uint32_t at = pt_le32(chunk->bytes + k);

			n += at >= begin && at < end;
		}
	}
	return n;
}

/* Samples of each, against what the model has executed: in each core's own rows, and of no other's code. */
START_TEST(samples_are_of_each_core)
{
	static const struct { uint32_t begin, end; } alone[2] = { { 0x430, 0x444 }, { SECOND_ALONE, OF_BOTH } };

	open_board(parts[_i].board);
	watch(0);
	watch(1);
	ck_assert_msg(start("pcsr", NULL) == 0, "%s", err.msg);
	drain_ms(400);
	stop();
	for (unsigned core = 0; core < 2; core++) {
		size_t all = samples_between(core, 0, UINT32_MAX);
		double seen = (double)samples_between(core, alone[core].begin, alone[core].end) / (double)all;
		double was = (double)pt_vtruth_sum(&truth[core], alone[core].begin, alone[core].end).cycles /
			     (double)pt_vtruth_total(&truth[core]).cycles;

		ck_assert_uint_gt(all, 1000);
		ck_assert_double_gt(was, 0.7);
		ck_assert_double_eq_tol(seen, was, 0.05);
		ck_assert_uint_eq(samples_between(core, alone[1 - core].begin, alone[1 - core].end), 0);
		pt_vtruth_fini(&truth[core]);
	}
	array_sink_fini(&sink);
}
END_TEST

/* In reset when the profile begins, and let run by the program meanwhile. */
START_TEST(one_that_comes_later_is_sampled)
{
	open_board(parts[_i].board);
	OK(target->ops->reset(target->state, PT_RESET_HALT, &err));
	ck_assert_str_eq(about(1).away, "held in reset");
	ck_assert_msg(start("pcsr", NULL) == 0, "%s", err.msg);
	resume(0);
	OK(source->on_state(source_state, PT_STATE_RUN, 0, PT_UNKNOWN, &err));
	for (int i = 0; i < 16; i++) {
		drain_ms(50);
		status(1);	/* as the board does */
	}
	stop();
	ck_assert_uint_gt(samples_between(0, 0, UINT32_MAX), 1000);
	ck_assert_uint_gt(samples_between(1, SECOND_ALONE, OF_BOTH), 100);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 0);
	array_sink_fini(&sink);
}
END_TEST

static uint64_t lost_ns(unsigned core, enum pt_loss cause)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		if (chunk->kind == PT_CHUNK_LOSS && chunk->cause == cause && chunk->core == core)
			ns += chunk->to_ns - chunk->from_ns;
	}
	return ns;
}

/* Of a core in reset nothing is missing: its time is no loss. The program lets it run, and holds it again. */
START_TEST(time_in_reset_is_no_loss)
{
	open_board(parts[_i].board);
	halt(0);
	write32(0, LAUNCH, 0);
	pass_ms(1);
	status(1);
	ck_assert_str_eq(about(1).away, "held in reset");
	ck_assert_msg(start("pcsr", NULL) == 0, "%s", err.msg);
	drain_ms(100);
	write32(0, LAUNCH, 1);
	for (int i = 0; i < 4; i++) {
		drain_ms(25);
		status(1);
	}
	ck_assert_ptr_null(about(1).away);
	write32(0, LAUNCH, 0);
	for (int i = 0; i < 4; i++) {
		drain_ms(25);
		if (status(1).state == PT_IN_RESET)	/* as the board does, at each look */
			OK(source->on_state(source_state, PT_STATE_RESET, 1, PT_UNKNOWN, &err));
	}
	stop();
	ck_assert_uint_ge(lost_ns(1, PT_LOSS_IN_RESET), 150 * PT_NS_PER_MS);
	ck_assert_uint_lt(lost_ns(1, PT_LOSS_RESET), 30 * PT_NS_PER_MS);
	ck_assert_uint_eq(lost_ns(0, PT_LOSS_IN_RESET), 0);
	ck_assert_uint_gt(samples_between(1, 0, UINT32_MAX), 100);
	array_sink_fini(&sink);
}
END_TEST

static uint64_t last_reading(unsigned core)
{
	uint64_t reading = 0;

	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		for (size_t k = 0; chunk->kind == PT_CHUNK_DATA && chunk->core == core && k < chunk->len_bytes;
		     k += PT_COUNTERS_BYTES)
			if (pt_le16(chunk->bytes + k + PT_COUNTERS_COUNTER) == 0)
				reading = pt_le64(chunk->bytes + k + PT_COUNTERS_READING);
	}
	return reading;
}

/* A core that is halted counts no cycles; the other one's go on. */
START_TEST(cycles_are_of_each_core)
{
	uint64_t stood;

	open_board(parts[0].board);
	ck_assert_msg(start("cyccnt", "events=none") == 0, "%s", err.msg);
	drain_ms(100);
	halt(1);
	OK(source->on_state(source_state, PT_STATE_HALT, 1, pc(1), &err));
	stood = last_reading(0);
	drain_ms(100);
	ck_assert_uint_gt(last_reading(0), stood + 2000000);
	ck_assert_uint_lt(last_reading(1), last_reading(0) - 2000000);
	stop();
	array_sink_fini(&sink);
}
END_TEST

/* One that the program holds in reset counts nothing, and nothing of it is missing. */
START_TEST(cycles_stand_in_reset)
{
	open_board(parts[2].board);
	ck_assert_msg(start("cyccnt", "events=none") == 0, "%s", err.msg);
	drain_ms(50);
	halt(0);
	OK(source->on_state(source_state, PT_STATE_HALT, 0, pc(0), &err));
	write32(0, LAUNCH, 0);
	for (int i = 0; i < 40; i++) {
		drain_ms(50);
		if (status(1).state == PT_IN_RESET)
			OK(source->on_state(source_state, PT_STATE_RESET, 1, PT_UNKNOWN, &err));
	}
	stop();
	ck_assert_uint_ge(lost_ns(1, PT_LOSS_IN_RESET), 1000 * PT_NS_PER_MS);
	ck_assert_uint_lt(lost_ns(1, PT_LOSS_RESET), 100 * PT_NS_PER_MS);
	ck_assert_uint_lt(last_reading(1), 25000 * 150);
	array_sink_fini(&sink);
}
END_TEST

/* The MTB is the first one's: beside its bursts both are sampled. */
START_TEST(bursts_of_one_and_samples_of_both)
{
	open_board(parts[1].board);
	ck_assert_msg(start("mtb+pcsr", NULL) == 0, "%s", err.msg);
	drain_ms(100);
	stop();
	for (unsigned core = 0; core < 2; core++)
		ck_assert_uint_gt(samples_between(core, 0x400, 0x800), 100);
	array_sink_fini(&sink);
}
END_TEST

START_TEST(a_core_can_be_chosen)
{
	open_board(parts[_i].board);
	ck_assert_msg(start("pcsr", "core=1") == 0, "%s", err.msg);
	drain_ms(50);
	stop();
	ck_assert_uint_eq(samples_between(0, 0, UINT32_MAX), 0);
	ck_assert_uint_gt(samples_between(1, 0, UINT32_MAX), 100);
	array_sink_fini(&sink);
	ck_assert_int_eq(start("pcsr", "core=2"), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "has cores 0 to 1, or all"));
	free(source_state);
	array_sink_fini(&sink);
}
END_TEST

START_TEST(one_that_is_closed_is_left_out)
{
	open_board(closed[_i].board);
	ck_assert_msg(start("pcsr", NULL) == 0, "%s", err.msg);
	drain_ms(50);
	stop();
	ck_assert_uint_gt(samples_between(0, 0, UINT32_MAX), 100);
	ck_assert_uint_eq(samples_between(1, 0, UINT32_MAX), 0);
	ck_assert_ptr_nonnull(strstr(array_sink_config(&sink, "assumed"), "core 1 is left out: "));
	ck_assert_int_eq(array_sink_config(&sink, "issues") != NULL &&
				 strstr(array_sink_config(&sink, "issues"), "2") != NULL,
			 strncmp(closed[_i].board, "cm7", 3) == 0);
	array_sink_fini(&sink);
	ck_assert_int_eq(start("pcsr", "core=1"), PT_ESTATE);
	ck_assert_ptr_nonnull(strstr(err.msg, closed[_i].away));
	free(source_state);
	array_sink_fini(&sink);
}
END_TEST

/* --- an instruction cache ----------------------------------------------------------------------------------------- */

enum { CCR = 0xe000ed14, CCR_IC = 1 << 17 };

/* Core 0 runs a loop in RAM that its cache then has. */
static void run_a_cached_loop(void)
{
	static const uint32_t loop = 0xe7fd3101;	/* adds r1, #1; b back */
	uint64_t at = FREE_RAM;

	open_board("cm7?variant=second-core");
	halt(0);
	write32(0, CCR, read32(0, CCR) | CCR_IC);
	write32(0, FREE_RAM, loop);
	OK(target->ops->write_registers(target->state, 0, &(uint16_t){ ROW_PC }, 1, &at, &err));
	resume(0);
	pass_ms(1);
	halt(0);
	ck_assert_uint_eq(pc(0) & ~2u, FREE_RAM);
}

START_TEST(a_breakpoint_is_met_in_cached_code)
{
	const struct pt_break soft = { .kind = PT_BREAK_SW, .addr = FREE_RAM + 2, .len = 2 };

	run_a_cached_loop();
	OK(target->ops->break_insert(target->state, &soft, &err));
	resume(0);
	pass_ms(1);
	ck_assert_int_eq(status(0).reason, PT_HALT_BREAK_SW);
	ck_assert_uint_eq(pc(0), FREE_RAM + 2);
	OK(target->ops->break_remove(target->state, &soft, &err));
	resume(0);
	pass_ms(1);
	ck_assert_int_eq(status(0).state, PT_RUNNING);
}
END_TEST

START_TEST(a_breakpoint_is_met_in_cached_code_that_runs)
{
	const struct pt_break soft = { .kind = PT_BREAK_SW, .addr = FREE_RAM + 2, .len = 2 };

	run_a_cached_loop();
	resume(0);
	OK(target->ops->break_insert(target->state, &soft, &err));
	pass_ms(1);
	ck_assert_int_eq(status(0).reason, PT_HALT_BREAK_SW);
	OK(target->ops->break_remove(target->state, &soft, &err));
	resume(0);
	pass_ms(1);
	OK(target->ops->break_insert(target->state, &soft, &err));
	OK(target->ops->break_remove(target->state, &soft, &err));	/* before it is met, or not */
	if (status(0).state == PT_HALTED)
		resume(0);
	pass_ms(1);
	ck_assert_int_eq(status(0).state, PT_RUNNING);
}
END_TEST

/* By the debugger, through either core's port: what was written is executed. */
START_TEST(code_that_is_written_is_executed)
{
	static const uint32_t other_loop = 0xe7fd3201;	/* adds r2, #1; b back */
	uint64_t r2 = 0, before = 0;

	run_a_cached_loop();
	pass_ms(600);
	status(1);					/* it has come */
	OK(target->ops->read_registers(target->state, 0, &(uint16_t){ ROW_R0 + 2 }, 1, &before, &err));
	write32((unsigned)_i, FREE_RAM, other_loop);
	resume(0);
	pass_ms(1);
	halt(0);
	OK(target->ops->read_registers(target->state, 0, &(uint16_t){ ROW_R0 + 2 }, 1, &r2, &err));
	ck_assert_uint_ne(r2, before);
}
END_TEST

/* --- cores of two kinds ------------------------------------------------------------------------------------------- */

START_TEST(registers_are_those_that_both_have)
{
	const struct pt_register *rows;
	uint64_t value = 0;
	size_t n;

	open_board("cm4?variant=second-m0plus");
	rows = target->ops->registers(target->state, &n);
	ck_assert_uint_eq(n, ROW_BASEPRI);
	ck_assert_str_eq(rows[n - 1].name, "control");
	ck_assert_str_eq(about(0).name, "Cortex-M4");
	ck_assert_str_eq(about(1).name, "Cortex-M0+");
	ck_assert(describes("core 1: Cortex-M0+ r0p1, through access port 3, 2 hardware breakpoints, 2 watchpoints"));
	for (unsigned core = 0; core < 2; core++) {
		halt(core);
		OK(target->ops->read_registers(target->state, core, &(uint16_t){ ROW_R0 + 13 }, 1, &value, &err));
		ck_assert_uint_eq(value >> 16, 0x2000);
	}
}
END_TEST

START_TEST(what_one_of_them_lacks_leaves_it_out)
{
	open_board("cm4?variant=second-m0plus");
	ck_assert_msg(start("cyccnt", "events=none") == 0, "%s", err.msg);
	drain_ms(100);
	stop();
	ck_assert_uint_gt(last_reading(0), 2000000);
	ck_assert_uint_eq(last_reading(1), 0);
	ck_assert_str_eq(array_sink_config(&sink, "assumed"),
			 "core 1 is left out: Cortex-M0+ r0p1 has no cycle counter");
	array_sink_fini(&sink);
	ck_assert_int_eq(start("cyccnt", "core=1"), PT_EUNSUPPORTED);
	free(source_state);
	array_sink_fini(&sink);
}
END_TEST

/* The second has two comparators, the first six: the third breakpoint is in neither. */
START_TEST(a_breakpoint_is_in_all_or_in_none)
{
	struct pt_break at = { .kind = PT_BREAK_HW, .addr = OF_BOTH, .len = 2 };

	open_board("cm4?variant=second-m0plus");
	halt(0);
	halt(1);
	for (int i = 0; i < 2; i++, at.addr += 2)
		OK(target->ops->break_insert(target->state, &at, &err));
	ck_assert_int_eq(target->ops->break_insert(target->state, &at, &err), PT_EBUSY);
	ck_assert_msg(strncmp(err.msg, "core 1: all 2 hardware breakpoints", 34) == 0, "%s", err.msg);
	ck_assert(describes("changed: 2 break- and watchpoints are set"));
	ck_assert(describes("changed in core 1: 2 break- and watchpoints are set"));
	for (int i = 0; i < 2; i++)
		OK(target->ops->break_remove(target->state, &(struct pt_break){ PT_BREAK_HW, OF_BOTH + 2 * i, 2 },
					     &err));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cortexm cores");
	TCase *all = tcase_create("all");

	tcase_add_checked_fixture(all, setup, teardown);
	tcase_set_timeout(all, 60);
	tcase_add_loop_test(all, both_are_found_and_none_is_halted, 0, PT_LEN(parts));
	tcase_add_loop_test(all, one_halts_and_steps_while_the_other_runs, 0, 2 * PT_LEN(parts));
	tcase_add_loop_test(all, monitor_fault_has_each_core, 0, PT_LEN(parts));
	tcase_add_loop_test(all, breakpoints_are_in_each_core, 0, PT_LEN(parts));
	tcase_add_loop_test(all, a_software_breakpoint_is_put_and_taken_once, 0, PT_LEN(parts));
	tcase_add_loop_test(all, a_reset_stops_the_first_and_the_second_waits, 0, PT_LEN(parts));
	tcase_add_loop_test(all, a_core_that_comes_gets_the_breakpoints, 0, PT_LEN(parts));
	tcase_add_loop_test(all, power_is_lost_and_comes_back, 0, 8);
	tcase_add_loop_test(all, all_is_put_back, 0, PT_LEN(parts));
	tcase_add_loop_test(all, one_that_is_closed_leaves_the_other, 0, 4);
	tcase_add_test(all, the_first_that_is_closed_leaves_the_second);
	tcase_add_test(all, the_second_alone);
	tcase_add_loop_test(all, samples_are_of_each_core, 0, PT_LEN(parts));
	tcase_add_loop_test(all, one_that_comes_later_is_sampled, 0, PT_LEN(parts));
	tcase_add_loop_test(all, time_in_reset_is_no_loss, 0, PT_LEN(parts));
	tcase_add_test(all, cycles_are_of_each_core);
	tcase_add_test(all, cycles_stand_in_reset);
	tcase_add_test(all, bursts_of_one_and_samples_of_both);
	tcase_add_test(all, the_core_with_the_fewest_comparators_limits);
	tcase_add_test(all, a_closed_port_is_named);
	tcase_add_test(all, a_breakpoint_is_met_in_cached_code);
	tcase_add_test(all, a_breakpoint_is_met_in_cached_code_that_runs);
	tcase_add_loop_test(all, code_that_is_written_is_executed, 0, 2);
	tcase_add_loop_test(all, a_core_can_be_chosen, 0, PT_LEN(parts));
	tcase_add_loop_test(all, one_that_is_closed_is_left_out, 0, 4);
	tcase_add_test(all, registers_are_those_that_both_have);
	tcase_add_test(all, what_one_of_them_lacks_leaves_it_out);
	tcase_add_test(all, a_breakpoint_is_in_all_or_in_none);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
