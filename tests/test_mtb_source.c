/* The source mtb in its three modes, against an MTB over an array that follows the rules of the unit's manual: a
 * "program" branches at a fixed rate, and every packet carries a number, so that a burst can be checked for holes. */
#include <string.h>

#include "harness.h"
#include "targets/registry.h"
#include "targets/cortexm/trace/mtb.h"
#include "targets/cortexm/trace/sources.h"
#include "tests/array_mem.h"
#include "tests/array_sink.h"
#include "trace/formats.h"

enum { UNIT = 0xf0000000, RAM = 0x1fffe000, RAM_BYTES = 0x8000, AWIDTH = 15, BUFFER = 0x1fffe000, SKID = 3 };

/* --- the unit and a core around it -------------------------------------------------------------------------------- */

struct model {
	uint32_t position, master, flow, dhcsr, dfsr, dcrsr, demcr;
	bool latch, started, halting;
	unsigned skid;		/* branches the core still takes before it obeys */
	uint32_t number;	/* of the next packet */
	uint64_t done_ns, branch_ns, sleep_from_ns, sleep_to_ns;
	unsigned awidth, n_writes;	/* bits that POSITION has; writes to the unit */
	uint32_t base;
};

static struct model model;
static struct array_mem memory;
static struct array_sink sink;
static struct pt_target target;
static struct pt_cortexm *cm;
static struct pt_mtb *mtb;
static struct pt_params *settings;
static struct pt_err err;
static struct pt_span free_ram[] = { { BUFFER, 0x2000 } };

static uint32_t address_of(uint32_t pointer)
{
	const uint32_t span = UINT32_C(1) << AWIDTH;

	return RAM + ((pointer + (span - RAM % span)) % span);
}

static bool halted(void)
{
	return (model.dhcsr & DHCSR_S_HALT) != 0;
}

static void halt_core(uint32_t dfsr)
{
	model.dhcsr |= DHCSR_S_HALT;
	model.dfsr |= dfsr;
}

static void at_watermark(void)
{
	if ((model.position & ~7u) != (model.flow & ~7u))
		return;
	if ((model.flow & FLOW_AUTOSTOP) != 0) {
		model.master &= ~MASTER_EN;
		model.latch = true;
	}
	if ((model.flow & FLOW_AUTOHALT) != 0) {
		model.master |= MASTER_HALTREQ;
		model.halting = true;
		model.skid = SKID;
	}
}

static void record(void)
{
	uint32_t size = UINT32_C(1) << ((model.master & MASTER_MASK) + 4), p = model.position & ~7u, next = p + 8;
	uint32_t from = model.number << 1, to = (model.number << 1) + 2;

	array_mem_set_word(&memory, address_of(p), from);
	array_mem_set_word(&memory, address_of(p) + 4, to | (model.started ? 0 : 1));
	model.started = true;
	if ((next & (size - 1)) == 0)
		model.position = (p & ~(size - 1)) | POSITION_WRAP;
	else
		model.position = next | (model.position & POSITION_WRAP);
	at_watermark();
}

static void branch(void)
{
	if ((model.master & MASTER_EN) != 0)
		record();
	model.number++;
	if (model.halting && model.skid-- == 0) {
		model.halting = false;
		halt_core(DFSR_EXTERNAL);
	}
}

static void tick(void *arg, uint64_t now_ns)
{
	(void)arg;
	for (; model.done_ns + model.branch_ns <= now_ns; model.done_ns += model.branch_ns)
		if (!halted() && !(model.done_ns >= model.sleep_from_ns && model.done_ns < model.sleep_to_ns))
			branch();
}

static uint32_t read_unit(void *arg, uint64_t addr)
{
	(void)arg;
	switch (addr - UNIT) {
	case MTB_POSITION: return model.position;
	case MTB_MASTER: return model.master;
	case MTB_FLOW: return model.flow;
	case MTB_BASE: return model.base;
	default: return 0;
	}
}

static void write_master(uint32_t value)
{
	if ((value & MASTER_EN) != 0 && (model.master & MASTER_EN) == 0) {
		model.started = false;
		if (model.latch)
			value &= ~MASTER_EN;
	}
	model.master = value;
	if ((value & MASTER_HALTREQ) != 0)
		halt_core(DFSR_EXTERNAL);
	else
		model.halting = false;
}

static void write_unit(void *arg, uint64_t addr, uint32_t value)
{
	(void)arg;
	model.n_writes++;
	switch (addr - UNIT) {
	case MTB_POSITION:
		ck_assert_msg((model.master & MASTER_EN) == 0, "POSITION was written while EN is 1");
		model.position = value & ((UINT32_C(1) << model.awidth) - 1) & ~3u;
		model.latch = false;
		break;
	case MTB_MASTER:
		write_master(value);
		break;
	case MTB_FLOW:
		if ((value & ~7u) != (model.flow & ~7u) || (value & FLOW_AUTOSTOP) == 0)
			model.latch = false;
		model.flow = (value & (((UINT32_C(1) << AWIDTH) - 1) & ~7u)) | (value & 3);
		break;
	default:
		break;
	}
}

static uint32_t read_core(void *arg, uint64_t addr)
{
	uint32_t dhcsr = model.dhcsr | DHCSR_S_REGRDY;

	(void)arg;
	switch (addr & 0xfff) {
	case SCS_DFSR: return model.dfsr;
	case SCS_DHCSR:
		model.dhcsr &= ~(uint32_t)DHCSR_S_RESET_ST;
		return dhcsr;
	case SCS_DCRDR: return model.number << 1;
	case SCS_DEMCR: return model.demcr;
	default: return 0;
	}
}

static void write_core(void *arg, uint64_t addr, uint32_t value)
{
	(void)arg;
	switch (addr & 0xfff) {
	case SCS_DFSR: model.dfsr &= ~value; break;
	case SCS_DEMCR: model.demcr = value; break;
	case SCS_DHCSR:
		model.dhcsr = (model.dhcsr & ~0xfu) | (value & 0xf);
		if ((value & DHCSR_C_HALT) == 0)
			model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
		else
			halt_core(DFSR_HALTED);
		if ((model.master & MASTER_HALTREQ) != 0)
			halt_core(DFSR_EXTERNAL);
		break;
	default: break;
	}
}

/* --- fixture ------------------------------------------------------------------------------------------------------ */

static void setup(void)
{
	memset(&model, 0, sizeof(model));
	model.position = 0x1238;
	model.master = MASTER_SFRWPRIV | 7;
	model.flow = 0x4560;
	model.branch_ns = 260;
	model.awidth = AWIDTH;
	model.base = RAM;
	array_mem_init(&memory);
	array_mem_add(&memory, RAM, RAM_BYTES);
	array_mem_hook(&memory, &(struct array_hook){ UNIT, 16, read_unit, write_unit, NULL });
	array_mem_hook(&memory, &(struct array_hook){ 0xe000e000, 0x1000, read_core, write_core, NULL });
	memory.tick = tick;
	array_sink_init(&sink);
	cm = calloc(1, sizeof(*cm));
	mtb = calloc(1, sizeof(*mtb));
	cm->target = &target;
	cm->mem = &memory.mem;
	cm->found.unit[PT_UNIT_SCS] = 0xe000e000;
	cm->found.unit[PT_UNIT_MTB] = UNIT;
	target = (struct pt_target){ .ops = &pt_cortexm_ops, .state = cm };
	settings = pt_params_new();
	err = (struct pt_err){ 0 };
}

static void teardown(void)
{
	array_mem_fini(&memory);
	array_sink_fini(&sink);
	pt_params_free(settings);
	ck_assert_ptr_null(target.leases);
	free(cm);
	free(mtb);
}

static void set(const char *word)
{
	ck_assert_msg(pt_params_add(settings, pt_source_mtb.params, pt_source_mtb.n_params, word, &err) == 0, "%s",
		      err.msg);
}

static int start(void)
{
	struct pt_source_setup with = {
		.settings = settings, .sink = &sink.sink, .free_ram = free_ram, .n_free_ram = 1, .seed = 1,
		.config = "target=test\n",
	};

	return pt_source_mtb.start(mtb, &target, &with, &err);
}

static void start_ok(void)
{
	ck_assert_msg(start() == 0, "%s", err.msg);
}

/* One step, with the rest it asks for. */
static int step(void)
{
	int rc = pt_source_mtb.drain(mtb, &err);

	if (rc > 0)
		array_mem_pass(&memory, (uint64_t)rc * 1000);
	return rc;
}

static void run_until_data(size_t n)
{
	for (int i = 0; i < 20000 && array_sink_count(&sink, PT_CHUNK_DATA, -1) < n; i++) {
		int rc = step();

		ck_assert_msg(rc >= 0 || rc == PT_EINTERRUPTED, "%d %s", rc, err.msg);
	}
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, -1), n);
}

static void stop_ok(void)
{
	ck_assert_msg(pt_source_mtb.stop(mtb, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	ck_assert_uint_eq(model.position, 0x1238);
	ck_assert_uint_eq(model.master, MASTER_SFRWPRIV | 7);
	ck_assert_uint_eq(model.flow, 0x4560);
}

/* Every packet is the successor of the one before, unless its chunk restarts or the unit was started anew at the same
 * number. Returns the number of packets. */
static uint32_t check_numbers(void)
{
	uint32_t expected = 0, n = 0;

	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *chunk = sink.chunk[i];

		if (chunk->kind != PT_CHUNK_DATA)
			continue;
		ck_assert_uint_eq(chunk->len_bytes % 8, 0);
		for (uint32_t at = 0; at < chunk->len_bytes; at += 8, n++, expected++) {
			uint32_t from = pt_le32(chunk->bytes + at), to = pt_le32(chunk->bytes + at + 4);

			if (at == 0 && chunk->cause != PT_DATA_FOLLOWS)
				expected = from >> 1;
			ck_assert_msg(from >> 1 == expected, "packet %u of chunk %zu is number %u, not %u", at / 8, i,
				      from >> 1, expected);
			ck_assert_uint_eq(to & ~1u, from + 2);
			if (at == 0 && chunk->cause != PT_DATA_FOLLOWS)
				ck_assert_uint_eq(to & 1, 1);
		}
	}
	return n;
}

/* --- burst -------------------------------------------------------------------------------------------------------- */

START_TEST(bursts_are_whole)
{
	size_t n_runs;

	set("period=10ms");	/* a delay of up to 20 ms rides along */
	start_ok();
	run_until_data(2);
	n_runs = memory.n_runs;
	run_until_data(12);
	/* two reads of 2 KiB; the second arms the next burst and waits for its end */
	ck_assert_uint_le(memory.n_runs - n_runs, 10 * 2 + 2);
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA) {
			ck_assert_uint_eq(sink.chunk[i]->len_bytes, 4096 - 8);
			ck_assert_int_eq(sink.chunk[i]->cause, PT_DATA_RESTARTS);
			ck_assert_uint_ge(sink.chunk[i]->to_ns - sink.chunk[i]->from_ns, 500 * model.branch_ns);
			ck_assert_uint_le(sink.chunk[i]->to_ns - sink.chunk[i]->from_ns,
					  512 * model.branch_ns + 200000);
		}
	ck_assert_uint_eq(check_numbers(), 12 * 511);
	stop_ok();
	ck_assert_str_eq(array_sink_config(&sink, "mode"), "burst");
	ck_assert_str_eq(array_sink_config(&sink, "buffer"), "0x1fffe000");
	ck_assert_str_eq(array_sink_config(&sink, "target"), "test");
	ck_assert_uint_gt(strlen(array_sink_config(&sink, "cost")), 20);
}
END_TEST

START_TEST(a_late_answer_does_not_make_a_burst_short)
{
	set("period=200us");
	start_ok();
	run_until_data(6);
	memory.late_ns = 20000000;	/* longer than a round */
	run_until_data(12);
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			ck_assert_uint_ge(sink.chunk[i]->to_ns - sink.chunk[i]->from_ns, 511 * model.branch_ns);
	memory.late_ns = 0;
	stop_ok();
}
END_TEST

/* Nor one that is late from the first burst on: then nothing has shown yet how long an arming waits behind a read. */
START_TEST(stamps_that_are_no_bounds_say_so)
{
	memory.late_ns = 20000000;
	set("period=200us");
	start_ok();
	run_until_data(12);
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			ck_assert_uint_ge(sink.chunk[i]->to_ns - sink.chunk[i]->from_ns +
						  pt_chunk_slack_ns(sink.chunk[i]),
					  511 * model.branch_ns);
	memory.late_ns = 0;
	stop_ok();
}
END_TEST

START_TEST(delays_are_spread)
{
	uint64_t shortest_ns = UINT64_MAX, longest_ns = 0;

	set("period=8ms");
	start_ok();
	run_until_data(60);
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_LOSS) {
			uint64_t ns = sink.chunk[i]->to_ns - sink.chunk[i]->from_ns;

			ck_assert_int_eq(sink.chunk[i]->cause, PT_LOSS_REARM);
			shortest_ns = ns < shortest_ns ? ns : shortest_ns;
			longest_ns = ns > longest_ns ? ns : longest_ns;
		}
	ck_assert_uint_ge(longest_ns - shortest_ns, 6000000);
	stop_ok();
}
END_TEST

START_TEST(long_delays_do_not_block)
{
	set("period=200ms");
	start_ok();
	for (int i = 0; i < 400; i++) {
		uint64_t ns = memory.now_ns;

		ck_assert_int_ge(pt_source_mtb.drain(mtb, &err), 0);
		ck_assert_uint_le(memory.now_ns - ns, 60 * PT_NS_PER_MS);
		array_mem_pass(&memory, PT_NS_PER_MS);
	}
	stop_ok();
}
END_TEST

START_TEST(a_sleeping_core_leaves_the_burst_armed)
{
	model.sleep_from_ns = 0;
	model.sleep_to_ns = 300 * PT_NS_PER_MS;
	start_ok();
	run_until_data(2);
	ck_assert_uint_ge(memory.now_ns, 300 * PT_NS_PER_MS);
	check_numbers();
	stop_ok();
}
END_TEST

START_TEST(stop_fetches_an_unfinished_burst)
{
	model.branch_ns = 100000;
	set("period=1ms");
	start_ok();
	for (int i = 0; i < 5; i++)
		step();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 0);
	stop_ok();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	ck_assert_uint_gt(check_numbers(), 10);
}
END_TEST

START_TEST(a_burst_outlives_a_debuggers_halt)
{
	model.branch_ns = 20000;
	start_ok();
	step();
	step();
	halt_core(DFSR_HALTED);
	cm->halted = true;
	cm->stop = (struct pt_core_status){ .state = PT_HALTED, .reason = PT_HALT_REQUEST };
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	step();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 0);
	ck_assert_uint_eq(sink.chunk[sink.n_chunks - 1]->cause, PT_STATE_HALT);
	ck_assert_uint_eq(pt_le64(sink.chunk[sink.n_chunks - 1]->bytes), 0x1234);
	for (int i = 0; i < 5; i++)
		step();
	model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	model.branch_ns = 260;
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x1234, &err), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
	run_until_data(4);
	check_numbers();
	stop_ok();
}
END_TEST

/* When the core was resumed nobody knew where it would stop, and when that was found it may have stood for long: the burst that
 * was armed in between may begin at the next resume. One that was armed before the core was seen to run began while it ran. */
START_TEST(a_burst_armed_at_a_breakpoint_is_not_random)
{
	bool seen = _i == 1;
	const struct pt_chunk *halt;
	uint64_t since_ns;

	model.branch_ns = 20000;
	start_ok();
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x1234, &err), 0);
	while (mtb->state != MTB_ARMED)
		step();
	if (seen)	/* by the board */
		cm->ran_ns = memory.now_ns;
	since_ns = cm->ran_ns;
	array_mem_pass(&memory, PT_NS_PER_MS);
	halt_core(DFSR_BKPT);
	cm->halted = true;
	cm->stop = (struct pt_core_status){ .state = PT_HALTED, .reason = PT_HALT_BREAK_HW };
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	halt = sink.chunk[sink.n_chunks - 1];
	ck_assert_uint_eq(halt->cause, PT_STATE_HALT);
	ck_assert_uint_eq(halt->len_bytes, PT_STATE_SINCE_BYTES);
	ck_assert_uint_eq(pt_le64(halt->bytes + PT_STATE_SINCE), since_ns);
	model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	model.branch_ns = 260;
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x1234, &err), 0);
	run_until_data(3);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_CHOSEN_NEITHER), seen ? 0 : 1);
	check_numbers();
	stop_ok();
}
END_TEST

/* A halt that was asked for is known to the moment. */
START_TEST(a_halt_by_request_leaves_no_doubt)
{
	start_ok();
	step();
	halt_core(DFSR_HALTED);
	cm->halted = true;
	cm->stop = (struct pt_core_status){ .state = PT_HALTED, .reason = PT_HALT_REQUEST };
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	ck_assert_uint_eq(sink.chunk[sink.n_chunks - 1]->len_bytes, PT_STATE_BYTES);
	stop_ok();
}
END_TEST

/* A burst that was full when the core was halted. */
/* From beginning to end: nothing was armed, nor would have been. */
START_TEST(a_profile_of_a_halted_core_is_halted)
{
	halt_core(DFSR_HALTED);
	start_ok();
	step();
	stop_ok();
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM), 0);
}
END_TEST

START_TEST(a_full_burst_is_read_while_the_core_is_held)
{
	start_ok();
	while (mtb->state != MTB_FULL)
		step();
	halt_core(DFSR_HALTED);
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	for (int i = 0; i < 5; i++)
		step();
	ck_assert_int_eq(mtb->state, MTB_IDLE);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	ck_assert_uint_gt(check_numbers(), 500);
	stop_ok();
}
END_TEST

/* Whoever halts the core waits for the answer: the source asks nothing of the wire then. What it has goes out when it
 * is drained, however often that is cut short, or before the core is let go, or at the end. */
START_TEST(a_halt_is_told_later)
{
	static const char *const modes[] = { "mode=stream", "mode=halt" };
	int then = _i / 2;
	size_t n_runs;

	set(modes[_i % 2]);
	model.branch_ns = 20000;
	start_ok();
	step();
	halt_core(DFSR_HALTED);
	n_runs = memory.n_runs;
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	ck_assert_uint_eq(memory.n_runs, n_runs);
	for (size_t cut = 0; then == 1 && cut < 4; cut++) {
		memory.fail_code = PT_EINTERRUPTED;
		memory.fail_after = cut;
		pt_source_mtb.drain(mtb, &err);
	}
	if (then <= 1)
		step();
	if (then == 2)
		ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x1234, &err), 0);
	if (then == 3)
		stop_ok();
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_HALT), 1);
	ck_assert_uint_gt(check_numbers(), 0);
	if (then != 3)
		stop_ok();
}
END_TEST

/* A reset takes what the buffer held before anybody has read it. */
START_TEST(a_reset_behind_a_halt_is_a_loss)
{
	set("mode=stream");
	model.branch_ns = 20000;
	start_ok();
	step();
	step();
	halt_core(DFSR_HALTED);
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	array_mem_pass(&memory, PT_NS_PER_MS);
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RESET, 0, 0x100, &err), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 0);
	stop_ok();
}
END_TEST

START_TEST(a_reset_is_a_loss)
{
	start_ok();
	run_until_data(3);
	while (mtb->state != MTB_ARMED) {	/* asleep, so that the burst is under way */
		model.sleep_from_ns = memory.now_ns;
		model.sleep_to_ns = memory.now_ns + 60 * PT_NS_PER_MS;
		step();
	}
	model.master = MASTER_SFRWPRIV;
	model.dhcsr |= DHCSR_S_RESET_ST;
	run_until_data(5);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	ck_assert(cm->was_reset);	/* and nobody else misses it */
	check_numbers();
	stop_ok();
}
END_TEST

/* The board may see the mark of a reset when the unit has long been armed again. */
START_TEST(late_news_of_a_reset_does_no_harm)
{
	static const char *const names[] = { "mode=burst", "mode=stream", "mode=halt" };

	set(names[_i]);
	set("mtb-size=1024");
	start_ok();
	for (size_t n = 1; n < 30; n++) {
		run_until_data(n);
		ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RESET, 0, 0, &err), 0);
	}
	stop_ok();
	check_numbers();
}
END_TEST

static bool meddling;

static void meddle(void *arg, uint64_t now_ns)
{
	tick(arg, now_ns);
	if (meddling && (model.master & MASTER_EN) != 0)
		model.flow = 0;
}

START_TEST(a_firmware_that_takes_the_unit_is_named)
{
	int rc = 0;

	memory.tick = meddle;
	start_ok();
	run_until_data(2);
	meddling = true;
	for (int i = 0; i < 1000 && (rc >= 0 || rc == PT_EINTERRUPTED); i++) {
		rc = step();
		if ((model.master & MASTER_EN) != 0)
			model.master &= ~MASTER_EN;	/* it stops it, too */
	}
	meddling = false;
	ck_assert_int_eq(rc, PT_EBUSY);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_TAKEN), 3);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	stop_ok();
}
END_TEST

/* An interrupt at any operation harms nothing. */
START_TEST(interrupts_do_no_harm)
{
	static const char *const modes[] = { "mode=burst", "mode=stream", "mode=halt" };

	set(modes[_i % 3]);
	set("mtb-size=1024");
	model.branch_ns = _i % 3 == 1 ? 40000 : 260;
	start_ok();
	for (size_t at = 0; at < 60; at++) {
		memory.fail_code = PT_EINTERRUPTED;
		memory.fail_after = at * (size_t)(1 + _i / 3);
		run_until_data(at + 1);
	}
	memory.fail_code = 0;
	check_numbers();
	stop_ok();
}
END_TEST

/* What was sent before an interrupt is done all the same: a core that was resumed may be halted again, its buffer full. */
START_TEST(what_is_cut_short_may_have_been_done)
{
	set("mode=halt");
	set("mtb-size=1024");
	model.branch_ns = 260;
	start_ok();
	for (size_t at = 0; at < 20; at++) {
		memory.untold = 1 + at % 3;
		run_until_data(at + 1);
	}
	memory.untold = 0;
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_WRAP), 0);
	check_numbers();
	stop_ok();
}
END_TEST

START_TEST(a_short_fault_is_survived_and_a_long_one_ends_it)
{
	int rc = 0;

	start_ok();
	run_until_data(2);
	memory.fail_code = PT_EFAULT;
	memory.fail_after = 1;
	run_until_data(4);
	check_numbers();
	for (int i = 0; i < 200 && rc >= 0; i++) {
		memory.fail_code = PT_EPROTO;
		memory.fail_after = 0;
		rc = step();
	}
	ck_assert_int_eq(rc, PT_EPROTO);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	memory.fail_code = 0;
	stop_ok();
}
END_TEST

START_TEST(a_full_pool_is_a_loss)
{
	start_ok();
	run_until_data(1);
	sink.full = true;
	for (int i = 0; i < 20; i++)
		step();
	sink.full = false;
	run_until_data(3);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HOST), 1);
	check_numbers();
	stop_ok();
}
END_TEST

/* --- start -------------------------------------------------------------------------------------------------------- */

START_TEST(an_mtb_in_use_is_left_alone)
{
	model.master |= MASTER_EN;
	ck_assert_int_eq(start(), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "mtb-take") != NULL, "%s", err.msg);
	ck_assert_uint_ne(model.master & MASTER_EN, 0);
	set("mtb-take=on");
	start_ok();
	run_until_data(1);
	ck_assert_msg(pt_source_mtb.stop(mtb, &err) == 0, "%s", err.msg);
	ck_assert_uint_ne(model.master & MASTER_EN, 0);
}
END_TEST

static const struct { const char *words[2]; int rc; const char *says; } refused[] = {
	{ { "mtb-ram=0x20008000:4096" }, PT_EARG, "reaches 0x1fffe000 to 0x20005fff" },
	{ { "mtb-ram=0x1fffe004:64" }, PT_EARG, "multiples of 8" },
	{ { "mtb-ram=0x1ffffff0:64" }, PT_EARG, "across" },
	{ { "mode=stream", "mtb-ram=0x1fffe100:4096" }, PT_EARG, "multiple of its size" },
};

START_TEST(refuses_a_bad_place)
{
	for (int i = 0; i < 2 && refused[_i].words[i] != NULL; i++)
		set(refused[_i].words[i]);
	ck_assert_int_eq(start(), refused[_i].rc);
	ck_assert_msg(strstr(err.msg, refused[_i].says) != NULL, "%s", err.msg);
	ck_assert_uint_eq(model.position, 0x1238);
	ck_assert_uint_eq(model.master, MASTER_SFRWPRIV | 7);
}
END_TEST

START_TEST(without_free_ram_it_says_why)
{
	struct pt_source_setup with = { .settings = settings, .sink = &sink.sink, .why_no_ram = "the chip is not known" };

	ck_assert_int_eq(pt_source_mtb.start(mtb, &target, &with, &err), PT_ESTATE);
	ck_assert_msg(strstr(err.msg, "the chip is not known") != NULL, "%s", err.msg);
	cm->found.unit[PT_UNIT_MTB] = 0;
	ck_assert_int_eq(pt_source_mtb.available(&target, &err), PT_EUNSUPPORTED);
}
END_TEST

/* What start would refuse is not offered. Looking leaves the unit as it was, and one that records alone. */
static const struct { unsigned awidth; uint32_t base, ram_addr, master; const char *says; bool touched; } offers[] = {
	{ 15, RAM, RAM, 0, NULL, true },
	{ 15, 0, RAM, 0, NULL, true },
	{ 6, RAM, RAM, 0, NULL, true },
	{ 5, RAM, RAM, 0, "too small: POSITION counts 32 bytes, and 64 are the least", true },
	{ 0, RAM, RAM, 0, "too small: POSITION counts 0 bytes", true },
	{ 12, 0x1fff0000, RAM, 0, "its MTB reaches 0x1fff0000 to 0x1fff0fff only, which is no RAM", true },
	{ 12, 0x20006000, RAM, 0, "reaches 0x20006000 to 0x20006fff only", true },
	{ 12, 0x1fff0000, 0, 0, NULL, true },		/* whose RAM is not known */
	{ 5, RAM, RAM, MASTER_EN, NULL, false },
	{ 5, RAM, RAM, MASTER_TSTARTEN, NULL, false },
};

START_TEST(a_unit_that_is_no_use_is_not_offered)
{
	uint32_t master = MASTER_SFRWPRIV | 7 | offers[_i].master;

	model.position = 0x10;
	model.awidth = offers[_i].awidth;
	model.base = offers[_i].base;
	model.master = master;
	cm->chip.ram_addr = offers[_i].ram_addr;
	cm->chip.ram_bytes = offers[_i].ram_addr != 0 ? RAM_BYTES : 0;
	ck_assert_int_eq(pt_source_mtb.available(&target, &err), offers[_i].says != NULL ? PT_EUNSUPPORTED : 0);
	ck_assert_msg(offers[_i].says == NULL || strstr(err.msg, offers[_i].says) != NULL, "%s", err.msg);
	ck_assert_uint_eq(model.n_writes > 0, offers[_i].touched);
	if ((master & MASTER_EN) == 0)
		ck_assert_uint_eq(model.position, 0x10 & ((1u << offers[_i].awidth) - 1));
	ck_assert_uint_eq(model.master, master);
	ck_assert_uint_eq(model.flow, 0x4560);
	if (offers[_i].says != NULL)
		ck_assert_int_eq(start(), PT_EUNSUPPORTED);
}
END_TEST

/* While the source is at work, somebody may ask what there is. */
START_TEST(a_unit_at_work_is_not_tried_out)
{
	start_ok();
	run_until_data(1);
	for (int i = 0; i < 50; i++) {
		unsigned n_writes = model.n_writes;

		ck_assert_int_eq(pt_source_mtb.available(&target, &err), 0);
		ck_assert_uint_eq(model.n_writes, n_writes);
		step();
	}
	check_numbers();
	stop_ok();
}
END_TEST

static const struct {
	uint64_t addr, size;
	uint32_t want, want_addr, len_bytes;
	bool ring_only, ring;
} windows[] = {
	{ 0x1fffe000, 0x2000, 4096, 0x1fffe000, 4096, false, true },
	{ 0x1fffe100, 0x1f00, 4096, 0x1ffff000, 4096, false, true },
	{ 0x1fffe100, 0x1e00, 4096, 0x1fffe100, 4096, false, false },	/* no aligned 4 KiB: one shot */
	{ 0x1fffe100, 0x1e00, 4096, 0x1fffe800, 2048, true, true },
	{ 0x1ffffe00, 0x1000, 4096, 0x20000000, 0xe00, false, false },	/* cut where POINTER begins anew */
	{ 0x20000000, 0x40, 4096, 0x20000000, 64, false, true },
	{ 0x20000004, 0x40, 4096, 0, 0, false, false },
	{ 0x20000000, 0x2000, 256, 0x20000000, 256, false, true },
};

START_TEST(finds_the_best_window)
{
	struct pt_mtb_need need = { .awidth = AWIDTH, .sram_base = RAM, .want_bytes = windows[_i].want,
				    .ring = windows[_i].ring_only };
	struct pt_span span = { windows[_i].addr, windows[_i].size };
	struct pt_mtb_window win;

	ck_assert_int_eq(pt_mtb_window_find(&win, &need, &span, 1), windows[_i].len_bytes != 0);
	if (windows[_i].len_bytes == 0)
		return;
	ck_assert_uint_eq(win.addr, windows[_i].want_addr);
	ck_assert_uint_eq(win.len_bytes, windows[_i].len_bytes);
	ck_assert_uint_eq(win.pointer, windows[_i].want_addr % (1u << AWIDTH));
	ck_assert_int_eq(win.ring, windows[_i].ring);
}
END_TEST

START_TEST(the_buffer_is_put_back_on_a_halted_core)
{
	array_mem_set_word(&memory, BUFFER + 0x40, 0x12345678);
	halt_core(DFSR_HALTED);
	start_ok();
	model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x100, &err);
	run_until_data(2);
	ck_assert_uint_ne(array_mem_word(&memory, BUFFER + 0x40), 0x12345678);
	halt_core(DFSR_HALTED);
	pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x100, &err);
	stop_ok();
	ck_assert_uint_eq(array_mem_word(&memory, BUFFER + 0x40), 0x12345678);
}
END_TEST

/* --- stream ------------------------------------------------------------------------------------------------------- */

START_TEST(a_slow_program_streams_without_a_gap)
{
	uint32_t n;

	model.branch_ns = 50000;	/* 160 bytes a millisecond */
	set("mode=stream");
	set("mtb-size=1024");
	start_ok();
	while (memory.now_ns < 800 * PT_NS_PER_MS)
		ck_assert_int_ge(step(), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 1);
	stop_ok();
	n = check_numbers();
	ck_assert_uint_ge(n, 15900);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_OVERRUN), 0);
}
END_TEST

START_TEST(a_fast_program_overruns_and_says_so)
{
	set("mode=stream");
	set("mtb-size=1024");
	start_ok();
	for (int i = 0; i < 300; i++)
		ck_assert_int_ge(step(), 0);
	stop_ok();
	check_numbers();
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_OVERRUN), 10);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 10);
}
END_TEST

/* Its guard had stopped it before somebody halted the core: what was recorded does not lead to where that stands. */
START_TEST(an_overrun_ahead_of_a_halt_is_told)
{
	size_t i = 0;

	set("mode=stream");
	set("mtb-size=1024");
	start_ok();
	step();
	array_mem_pass(&memory, 50 * PT_NS_PER_MS);
	halt_core(DFSR_HALTED);
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	step();
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	while (i < sink.n_chunks && (sink.chunk[i]->kind != PT_CHUNK_STATE || sink.chunk[i]->cause != PT_STATE_HALT))
		i++;
	ck_assert(i > 0 && i < sink.n_chunks);
	ck_assert_uint_eq(sink.chunk[i - 1]->kind, PT_CHUNK_LOSS);
	ck_assert_uint_eq(sink.chunk[i - 1]->cause, PT_LOSS_OVERRUN);
	stop_ok();
}
END_TEST

/* --- halt --------------------------------------------------------------------------------------------------------- */

START_TEST(halt_mode_misses_nothing)
{
	uint32_t n;

	set("mode=halt");
	start_ok();
	run_until_data(20);
	n = check_numbers();
	ck_assert_uint_ge(n, 19 * 500);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 1);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_HALT), 19);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_RUN), 19);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_DRAIN), 19);
	stop_ok();
	ck_assert(!halted());
	check_numbers();
}
END_TEST

START_TEST(halt_mode_starts_on_a_halted_core)
{
	set("mode=halt");
	halt_core(DFSR_HALTED);
	start_ok();
	ck_assert_int_gt(step(), 0);	/* held: rests */
	model.dfsr = 0;
	model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0, &err);
	run_until_data(3);
	ck_assert_uint_eq(pt_le32(sink.chunk[4]->bytes) >> 1, 0);	/* the very first branch */
	check_numbers();
	stop_ok();
}
END_TEST

START_TEST(a_breakpoint_at_the_watermark_stays)
{
	set("mode=halt");
	start_ok();
	run_until_data(2);
	while (!halted())
		array_mem_pass(&memory, 1000);
	model.dfsr |= DFSR_BKPT;
	for (int i = 0; i < 5; i++)
		step();
	ck_assert(halted());
	ck_assert_uint_eq(sink.chunk[sink.n_chunks - 1]->kind, PT_CHUNK_STATE);
	ck_assert_int_eq(sink.chunk[sink.n_chunks - 1]->cause, PT_STATE_HALT);
	pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x100, &err);	/* the board has seen it, too */
	model.dfsr = 0;
	model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x100, &err);
	run_until_data(6);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 1);
	check_numbers();
	stop_ok();
}
END_TEST

START_TEST(a_users_halt_leaves_no_hole)
{
	set("mode=halt");
	model.branch_ns = 20000;
	start_ok();
	step();
	halt_core(DFSR_HALTED);
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_HALT, 0, 0x1234, &err), 0);
	model.dfsr = 0;
	model.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	ck_assert_int_eq(pt_source_mtb.on_state(mtb, PT_STATE_RUN, 0, 0x1234, &err), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	model.branch_ns = 260;
	run_until_data(4);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 1);
	check_numbers();
	stop_ok();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mtb source");
	TCase *tc = tcase_create("mtb");

	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, bursts_are_whole);
	tcase_add_test(tc, a_late_answer_does_not_make_a_burst_short);
	tcase_add_test(tc, stamps_that_are_no_bounds_say_so);
	tcase_add_test(tc, delays_are_spread);
	tcase_add_test(tc, long_delays_do_not_block);
	tcase_add_test(tc, a_sleeping_core_leaves_the_burst_armed);
	tcase_add_test(tc, stop_fetches_an_unfinished_burst);
	tcase_add_test(tc, a_burst_outlives_a_debuggers_halt);
	tcase_add_loop_test(tc, a_burst_armed_at_a_breakpoint_is_not_random, 0, 2);
	tcase_add_test(tc, a_halt_by_request_leaves_no_doubt);
	tcase_add_test(tc, a_profile_of_a_halted_core_is_halted);
	tcase_add_test(tc, a_full_burst_is_read_while_the_core_is_held);
	tcase_add_loop_test(tc, a_halt_is_told_later, 0, 8);
	tcase_add_test(tc, a_reset_behind_a_halt_is_a_loss);
	tcase_add_test(tc, a_reset_is_a_loss);
	tcase_add_loop_test(tc, late_news_of_a_reset_does_no_harm, 0, 3);
	tcase_add_test(tc, a_firmware_that_takes_the_unit_is_named);
	tcase_add_loop_test(tc, interrupts_do_no_harm, 0, 9);
	tcase_add_test(tc, what_is_cut_short_may_have_been_done);
	tcase_add_test(tc, a_short_fault_is_survived_and_a_long_one_ends_it);
	tcase_add_test(tc, a_full_pool_is_a_loss);
	tcase_add_test(tc, an_mtb_in_use_is_left_alone);
	tcase_add_loop_test(tc, refuses_a_bad_place, 0, PT_LEN(refused));
	tcase_add_test(tc, without_free_ram_it_says_why);
	tcase_add_loop_test(tc, a_unit_that_is_no_use_is_not_offered, 0, PT_LEN(offers));
	tcase_add_test(tc, a_unit_at_work_is_not_tried_out);
	tcase_add_loop_test(tc, finds_the_best_window, 0, PT_LEN(windows));
	tcase_add_test(tc, the_buffer_is_put_back_on_a_halted_core);
	tcase_add_test(tc, a_slow_program_streams_without_a_gap);
	tcase_add_test(tc, a_fast_program_overruns_and_says_so);
	tcase_add_test(tc, an_overrun_ahead_of_a_halt_is_told);
	tcase_add_test(tc, halt_mode_misses_nothing);
	tcase_add_test(tc, halt_mode_starts_on_a_halted_core);
	tcase_add_test(tc, a_breakpoint_at_the_watermark_stays);
	tcase_add_test(tc, a_users_halt_leaves_no_hole);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
