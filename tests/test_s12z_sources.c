/* The sources of the S12Z over a wire that ends in arrays: snapshots, the stream on the pins, samples, traces; what
 * they leave behind, and what becomes of them when something goes wrong. */
#include <stdio.h>
#include <string.h>

#include "config_text.h"
#include "decode/decoder.h"
#include "harness.h"
#include "targets/registry.h"
#include "targets/s12z/trace/profile.h"
#include "tests/array_sink.h"
#include "tests/fake_s12z.h"
#include "trace/loss.h"

static struct fake_s12z bdc;
static struct array_sink sink;
static struct pt_probe *probe;
static struct pt_target *target;
static struct pt_s12z *z;
static struct pt_params *settings;
static const struct pt_source_ops *ops;
static struct pt_err err;
static void *state;
static uint8_t before[0x48];

#define OK(call) ck_assert_msg((call) == 0, "%s: %s", #call, err.msg)

static void setup(void)
{
	fake_s12z_init(&bdc);
	array_sink_init(&sink);
	memset(&err, 0, sizeof(err));
	bdc.io[0x100 + 7] = 0x12;	/* DBGSCR1: something of somebody's */
	probe = pt_probe_open_link(&fake_s12z_probe_ops, bdc.link, NULL, &err);
	bdc.link = NULL;
	target = pt_target_attach(probe, "s12z", NULL, &err);
	ck_assert_msg(target != NULL, "%s", err.msg);
	z = target->state;
	settings = pt_params_new();
	memcpy(before, bdc.io + DBG_C1, sizeof(before));
	state = NULL;
}

static void teardown(void)
{
	free(state);
	pt_params_free(settings);
	pt_target_detach(target, true, &err);
	pt_probe_close(probe);
	array_sink_fini(&sink);
	fake_s12z_fini(&bdc);
}

static int start(const struct pt_source_ops *source, const char *const *words)
{
	struct pt_source_setup config = { .sink = &sink.sink, .seed = 7, .settings = settings };

	ops = source;
	for (; words != NULL && *words != NULL; words++)
		OK(pt_params_add(settings, ops->params, ops->n_params, *words, &err));
	state = calloc(1, ops->state_bytes);
	return ops->start(state, target, &config, &err);
}

static void begin(const struct pt_source_ops *source, const char *const *words)
{
	OK(start(source, words));
}

static int drain(unsigned n)
{
	int rc = 0;

	for (unsigned i = 0; i < n && rc >= 0; i++) {
		rc = ops->drain(state, &err);
		if (rc > 0)
			bdc.now_ns += (uint64_t)rc * 1000;
	}
	return rc;
}

/* Everything as it was found, DATA and LOSS tile, END is last. */
static void end(void)
{
	OK(ops->stop(state, &err));
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	ck_assert_mem_eq(bdc.io + DBG_C1, before, 4);
	ck_assert_mem_eq(bdc.io + DBG_SCR1, before + 7, 3);
	ck_assert(!pt_lease_held(target, "dbg"));
}

static const struct pt_chunk *data(size_t i)
{
	for (size_t k = 0; k < sink.n_chunks; k++)
		if (sink.chunk[k]->kind == PT_CHUNK_DATA && sink.chunk[k]->len_bytes > 0 && i-- == 0)
			return sink.chunk[k];
	ck_abort_msg("no such DATA chunk");
	return NULL;
}

/* So that every delay fits the probe: a snapshot a step. */
static const char *const short_delays[] = { "period=10ms", NULL };

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

START_TEST(snapshots_are_whole_sessions)
{
	size_t n;

	begin(&pt_source_s12z_profile, short_delays);
	ck_assert_str_eq(array_sink_config(&sink, "stream"), "buffer");
	ck_assert_str_eq(array_sink_config(&sink, "ivbr"), "0xfffe");
	ck_assert_int_eq(drain(200), 0);
	n = array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_CHOSEN_END);
	ck_assert_uint_gt(n, 150);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_FOLLOWS), 0);
	for (size_t i = 0; i < n; i++) {
		const struct pt_chunk *chunk = data(i);

		ck_assert_mem_eq(chunk->bytes, "\x00\x23\x81\xff", 4);
		ck_assert_uint_eq(chunk->bytes[chunk->len_bytes - 8], 0x17);
		ck_assert_uint_gt(chunk->to_ns, chunk->from_ns);
	}
	ck_assert_uint_eq(bdc.csr & PT_BDC_BDMACT, 0);
	end();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM),
			  array_sink_count(&sink, PT_CHUNK_LOSS, -1));
}
END_TEST

/* A buffer that goes on around has what was last, and its end is random; one that does not drain has what was first.
 * Where lines come faster than they leave neither end is: the program chose both. Whatever the trial found, or where the
 * user forbade it or said wrong, each session's own lines count. */
static const struct { bool overflows, chokes; const char *word, *chosen; unsigned cause; const char *assumed; } random_ends[] = {
	{ false, false, NULL, "end", PT_DATA_CHOSEN_END, "a trial at the start did not fill it" },
	{ true, false, NULL, "begin", PT_DATA_CHOSEN_BEGIN, "lines stay in the trace buffer" },
	{ false, true, NULL, "end", PT_DATA_CHOSEN_NEITHER, "lines leave the trace buffer" },
	{ true, false, "pdoe0-drains=yes", "end", PT_DATA_CHOSEN_BEGIN, "(pdoe0-drains=yes)" },
	{ false, false, "pdoe0-drains=no", "begin", PT_DATA_CHOSEN_END, "(pdoe0-drains=no)" },
};

START_TEST(finds_out_which_end_is_random)
{
	const char *const words[] = { random_ends[_i].word, NULL };

	bdc.ns_per_line = 1000;
	bdc.overflows = random_ends[_i].overflows;
	bdc.chokes = random_ends[_i].chokes;
	begin(&pt_source_s12z_profile, words);
	ck_assert_str_eq(array_sink_config(&sink, "chosen"), random_ends[_i].chosen);
	ck_assert_ptr_nonnull(strstr(array_sink_config(&sink, "assumed"), random_ends[_i].assumed));
	drain(10);
	ck_assert_uint_eq(data(0)->cause, random_ends[_i].cause);
	ck_assert_uint_eq(data(0)->len_bytes, 512);
	ck_assert_uint_eq(data(0)->bytes[0], bdc.overflows ? 0x00 : 0x01);
	ck_assert_uint_eq(data(0)->bytes[504] & 0x3f, bdc.overflows || bdc.chokes ? 0x37 : 0x17);
	ck_assert_uint_ge(data(0)->to_ns - data(0)->from_ns, 200000);	/* the window, and the command that ends it */
	ck_assert_uint_le(data(0)->to_ns - data(0)->from_ns, 400000);
	end();
}
END_TEST

START_TEST(snapshots_do_not_lock_onto_a_period)
{
	uint64_t gaps[100], distinct = 0, beyond = 0;

	begin(&pt_source_s12z_profile, NULL);
	drain(360);
	for (size_t i = 0; i < 100; i++)
		gaps[i] = (data(i + 60)->from_ns - data(i + 59)->to_ns) / 1000000;
	for (size_t i = 1; i < 100; i++)
		distinct += gaps[i] != gaps[i - 1];
	for (size_t i = 0; i < 100; i++)
		beyond += gaps[i] > 21 && gaps[i] < 50;	/* the sum of two delays of up to 20 ms, and the read */
	ck_assert_uint_gt(distinct, 70);
	ck_assert_uint_gt(beyond, 30);
	ck_assert_uint_lt(beyond, 80);
	end();
}
END_TEST

START_TEST(one_round_trip_for_a_snapshot)
{
	unsigned n;

	begin(&pt_source_s12z_profile, short_delays);
	drain(10);
	n = bdc.n_runs_called;
	drain(10);
	ck_assert_uint_eq(bdc.n_runs_called - n, 10);
	end();
}
END_TEST

START_TEST(an_interrupt_loses_no_more_than_a_snapshot)
{
	begin(&pt_source_s12z_profile, short_delays);
	drain(5);
	for (unsigned after = 0; after < 9; after++) {
		bdc.fail_code = PT_EINTERRUPTED;
		bdc.fail_after = after;
		ck_assert_int_eq(drain(1), PT_EINTERRUPTED);
		ck_assert_int_eq(drain(3), 0);
	}
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, -1), 5 + 9);
	end();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_TAKEN), 0);
}
END_TEST

START_TEST(a_halt_pauses_it)
{
	begin(&pt_source_s12z_profile, NULL);
	drain(3);
	OK(z->target->ops->halt(z, 0, &err));
	OK(ops->on_state(state, PT_STATE_HALT, 0, 0xff8000, &err));
	ck_assert_int_gt(drain(1), 0);
	bdc.now_ns += 1000000;
	OK(ops->on_state(state, PT_STATE_RUN, 0, 0xff8000, &err));
	OK(z->target->ops->resume(z, 0, &err));
	drain(3);
	end();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_HALT), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
}
END_TEST

START_TEST(a_reset_is_a_loss_and_not_the_end)
{
	begin(&pt_source_s12z_profile, short_delays);
	drain(3);
	OK(z->target->ops->reset(z, PT_RESET_RUN, &err));
	OK(ops->on_state(state, PT_STATE_RESET, 0, PT_UNKNOWN, &err));
	ck_assert_int_eq(drain(6), 0);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_DATA, -1), 7);
	memset(before, 0, sizeof(before));	/* what the reset left */
	end();
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
}
END_TEST

/* --- bad input ---------------------------------------------------------------------------------------------------- */

static const struct { int code; enum pt_loss cause; const char *what; } faults[] = {
	{ PT_ETIMEOUT, PT_LOSS_PROBE, "no answer from the probe" }, { PT_EPROTO, PT_LOSS_SILENT, "no power or clock" },
	{ PT_EIO, PT_LOSS_PROBE, "the probe is gone" },
};

START_TEST(nothing_collected_is_lost_when_the_wire_dies)
{
	size_t n, before_it;
	int rc = 0;

	begin(&pt_source_s12z_profile, NULL);
	drain(10);
	before_it = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	bdc.fail_code = faults[_i].code;
	bdc.fail_always = true;
	for (n = 0; n < 100 && rc >= 0; n++)
		rc = drain(1);
	ck_assert_msg(rc == faults[_i].code, "%s: %d", faults[_i].what, rc);
	ck_assert_msg(strstr(err.msg, "dbg-profile") != NULL, "%s", err.msg);
	ops->stop(state, &err);
	array_sink_check(&sink);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, (int)faults[_i].cause), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), before_it);
	ck_assert(!pt_lease_held(target, "dbg"));
}
END_TEST

START_TEST(a_short_dropout_is_survived)
{
	begin(&pt_source_s12z_profile, NULL);
	drain(5);
	bdc.fail_code = PT_ETIMEOUT;
	ck_assert_int_gt(drain(1), 0);
	ck_assert_int_eq(drain(3), 0);
	end();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_PROBE), 1);
}
END_TEST

/* Without a clock, on a probe that uses no ACK, everything reads as ones. Nobody but the target is to blame, not the
 * probe, and not the application for what seems to stand in its registers. */
static const struct { const struct pt_source_ops *source; const char *words[3]; } silenced[] = {
	{ &pt_source_s12z_profile, { NULL } }, { &pt_source_s12z_profile, { "mode=pdo", NULL } },
	{ &pt_source_s12z_trace, { "align=begin", NULL } },
};

START_TEST(a_target_without_clock_is_silent)
{
	bool comes_back = _i % 2 != 0;
	size_t n;
	int rc;

	begin(silenced[_i / 2].source, silenced[_i / 2].words);
	drain(10);
	bdc.dark = true;
	rc = drain(comes_back ? 5 : 2000);
	if (comes_back) {
		ck_assert_int_ge(rc, 0);
		bdc.dark = false;
		n = array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM);
		ck_assert_int_ge(drain(20), 0);
		end();
		ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM) +
					  array_sink_count(&sink, PT_CHUNK_DATA, -1),
				  n);
	} else {
		ck_assert_int_eq(rc, PT_EPROTO);
		ck_assert_int_lt(ops->stop(state, &err), 0);
		array_sink_check(&sink);
		bdc.dark = false;
	}
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 1);
	for (enum pt_loss cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		ck_assert_msg(cause == PT_LOSS_SILENT || array_sink_count(&sink, PT_CHUNK_LOSS, (int)cause) == 0, "%s",
			      pt_loss_name(cause));
}
END_TEST

/* In STOP nothing can be reached, for as long as the program likes. That is no fault, also where
 * the probe cannot tell. */
START_TEST(stop_mode_is_slept_through)
{
	bool wakes = _i % 2 != 0;

	bdc.blind = _i / 2 % 2 != 0;
	begin(silenced[_i / 4].source, silenced[_i / 4].words);
	drain(6);
	bdc.stopped = true;
	for (uint64_t until_ns = bdc.now_ns + 3 * PT_NS_PER_S; bdc.now_ns < until_ns; bdc.now_ns += PT_NS_PER_MS)
		ck_assert_msg(drain(1) >= 0, "%s", err.msg);
	bdc.stopped = !wakes;
	if (wakes) {
		ck_assert_int_ge(drain(20), 0);
		end();
	} else {
		OK(ops->stop(state, &err));
		array_sink_check(&sink);
		ck_assert(!pt_lease_held(target, "dbg"));
		ck_assert(z->dbg.owed);
		bdc.stopped = false;
		ck_assert_int_eq(pt_s12z_status(z, 0, &(struct pt_core_status){ 0 }, &err), 0);
		ck_assert_mem_eq(bdc.io + DBG_C1, before, 4);
		ck_assert_mem_eq(bdc.io + DBG_SCR1, before + 7, 3);
	}
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SLEEP), 1);
	for (enum pt_loss cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		ck_assert_msg(array_sink_count(&sink, PT_CHUNK_LOSS, (int)cause) == 0, "%s", pt_loss_name(cause));
}
END_TEST

/* A machine that lags behind, or a slow bus clock: no fault. One that never ends is. */
START_TEST(a_slow_transmitter_is_waited_for)
{
	size_t n;

	begin(&pt_source_s12z_profile, short_delays);
	drain(3);
	n = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	bdc.busy_polls = _i == 0 ? 5 : UINT32_MAX;
	if (_i == 0) {
		ck_assert_int_eq(drain(6), 0);
		ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n + 1);
		end();
		ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_PROBE), 0);
	} else {
		ck_assert_int_eq(drain(300), PT_ETIMEOUT);
		ck_assert_msg(strstr(err.msg, "PTACT") != NULL, "%s", err.msg);
		ops->stop(state, &err);
		array_sink_check(&sink);
	}
}
END_TEST

START_TEST(armed_by_the_application_is_left_alone)
{
	bdc.io[DBG_C1] = C1_ARM;
	ck_assert_int_eq(start(&pt_source_s12z_profile, NULL), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "application itself") != NULL, "%s", err.msg);
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM);
	ck_assert_uint_eq(sink.n_chunks, 0);
	ck_assert(!pt_lease_held(target, "dbg"));
	bdc.io[DBG_C1] = 0;
}
END_TEST

START_TEST(an_application_that_takes_the_dbg_is_told)
{
	int rc = 0;

	begin(&pt_source_s12z_profile, NULL);
	drain(5);
	for (unsigned i = 0; i < 40 && rc >= 0; i++) {
		bdc.io[DBG_C1] = C1_BDMBP;	/* again and again */
		bdc.io[DBG_TCRH] = 0x05;
		rc = drain(1);
	}
	ck_assert_int_eq(rc, PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "application uses the DBG") != NULL, "%s", err.msg);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_TAKEN), 1);
	ops->stop(state, &err);
	array_sink_check(&sink);
}
END_TEST

START_TEST(breakpoints_and_profile_refuse_each_other_by_name)
{
	struct pt_break at = { PT_BREAK_HW, 0xff8000, 1 };

	OK(target->ops->break_insert(z, &at, &err));
	ck_assert_int_eq(start(&pt_source_s12z_profile, NULL), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "breakpoints") != NULL, "%s", err.msg);
	OK(target->ops->break_remove(z, &at, &err));
	free(state);
	begin(&pt_source_s12z_profile, NULL);
	ck_assert_int_eq(target->ops->break_insert(z, &at, &err), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "profile") != NULL, "%s", err.msg);
	drain(3);
	end();
}
END_TEST

/* --- a crash ------------------------------------------------------------------------------------------------------ */

static char note[4000];

static void keep(void *arg, const char *text, size_t len_bytes)
{
	(void)arg;
	ck_assert_uint_lt(len_bytes, sizeof(note));
	snprintf(note, sizeof(note), "%.*s", (int)len_bytes, text != NULL ? text : "");
}

static void ignore(void *arg, bool done, const char *sentence)
{
	(void)arg, (void)done, (void)sentence;
}

/* What the module holds in the middle of a profile, put back by a process that has nothing but the note; or left alone,
 * because a reset has come between. */
START_TEST(what_a_crash_leaves_is_put_back)
{
	struct pt_pending *next = pt_pending_new(NULL, NULL);
	uint8_t reset[sizeof(before)] = { 0 };

	target->pending = pt_pending_new(keep, NULL);
	begin(&pt_source_s12z_profile, NULL);
	drain(3);
	ck_assert_mem_ne(bdc.io + DBG_C1, before, 4);
	ck_assert_msg(pt_pending_parse(next, note, strlen(note), &err) == 0, "%s: %s", err.msg, note);
	if (_i == 1)
		memset(bdc.io + DBG_C1, 0, sizeof(reset));
	OK(pt_pending_put_back(next, target, ignore, NULL, &err));
	ck_assert_mem_eq(bdc.io + DBG_C1, _i == 1 ? reset : before, 4);
	ck_assert_mem_eq(bdc.io + DBG_SCR1, _i == 1 ? reset : before + 7, 3);
	ck_assert_uint_eq(pt_pending_rows(next), 0);
	pt_pending_free(next);
	ops->stop(state, &err);
	ck_assert_str_eq(note, "");
	pt_pending_free(target->pending);
	target->pending = NULL;
}
END_TEST

/* --- the pins ----------------------------------------------------------------------------------------------------- */

enum { MOST_RUNS = 20000, SAMPLES = 5 };
static pt_pins_run runs[MOST_RUNS];
static size_t n_runs;
static bool clk;

static void level(bool pdo, bool pdoclk, uint32_t n)
{
	runs[n_runs++] = (uint32_t)pdo << PT_PINS_LEVELS | (uint32_t)pdoclk << (PT_PINS_LEVELS + 1) | n;
}

static void send(const uint8_t *bytes, size_t n, unsigned bits)
{
	for (size_t i = 0; i < n * 8 && i < bits; i++) {
		clk = !clk;
		level(bytes[i / 8] >> (i % 8) & 1, clk, SAMPLES);
	}
}

static const uint8_t lines[] = { 0x00, 0x23, 0x81, 0xff, 0x01, 0x0d, 0, 0, 0,	 0x23,
				 0x81, 0xff, 0x17, 0x01, 0,    0,    0, 0, 0x10, 0 };

static void stream(void)
{
	n_runs = 0;
	clk = false;
	level(false, false, 1000);
	send(lines, 4, 32);
	level(lines[3] >> 7, clk, 5000);	/* the clock rests */
	send(lines + 4, 16, 128);
	bdc.runs = runs;
	bdc.n_runs = n_runs;
}

static const char *const pdo_words[] = { "mode=pdo", NULL };

static size_t collected(uint8_t *out)
{
	size_t n = 0;

	for (size_t k = 0; k < sink.n_chunks; k++)
		if (sink.chunk[k]->kind == PT_CHUNK_DATA) {
			memcpy(out + n, sink.chunk[k]->bytes, sink.chunk[k]->len_bytes);
			n += sink.chunk[k]->len_bytes;
		}
	return n;
}

START_TEST(pins_give_the_bytes)
{
	uint8_t got[256];

	stream();
	begin(&pt_source_s12z_profile, pdo_words);
	drain(1);
	ck_assert_uint_eq(bdc.io[DBG_TCRL], TCRL_PROFILE | TCRL_PDOE);
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM);
	ck_assert(bdc.capturing);
	drain(20);
	end();
	ck_assert(!bdc.capturing);
	ck_assert_uint_eq(collected(got), sizeof(lines));
	ck_assert_mem_eq(got, lines, sizeof(lines));
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 1);
	ck_assert_str_eq(array_sink_config(&sink, "stream"), "pdo");
}
END_TEST

START_TEST(overflow_ends_a_session_and_begins_another)
{
	stream();
	begin(&pt_source_s12z_profile, pdo_words);
	drain(5);
	bdc.io[DBG_C1] = 0;		/* TBOVF: the hardware has disarmed it */
	bdc.io[DBG_EFR] = EFR_PTBOVF;
	drain(20);
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM);
	ck_assert_uint_eq(bdc.n_sessions, 2);
	stream();
	bdc.next_run = 0;
	drain(20);
	end();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_FIFO), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, PT_DATA_RESTARTS), 2);
}
END_TEST

START_TEST(lost_samples_begin_a_new_session)
{
	uint8_t got[256];
	size_t n;

	stream();
	bdc.lost_at = 100;
	begin(&pt_source_s12z_profile, pdo_words);
	drain(20);
	ck_assert_uint_eq(bdc.n_sessions, 2);
	end();
	n = collected(got);
	ck_assert_uint_lt(n, sizeof(lines));
	ck_assert_mem_eq(got, lines, n);	/* what came before is sound */
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_OVERRUN), 1);
}
END_TEST

/* Bits are missing: the clock rests in the middle of a byte. */
START_TEST(a_stream_cut_inside_a_line_is_noticed)
{
	uint8_t got[256];
	size_t n;

	stream();
	n_runs = 0;
	level(false, false, 1000);
	send(lines, 4, 29);
	level(false, clk, 5000);
	send(lines + 4, 16, 128);
	bdc.n_runs = n_runs;
	begin(&pt_source_s12z_profile, pdo_words);
	drain(20);
	ck_assert_uint_eq(bdc.n_sessions, 2);
	end();
	n = collected(got);
	ck_assert_uint_ge(n, 3);
	ck_assert_mem_eq(got, lines,
			 3); /* what came before is sound; behind it the second session finds half a stream */
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_DAMAGED), 1);
}
END_TEST

/* The pins carry the trace while the BDC does not answer: what they have of that time was observed, and is not lost. */
START_TEST(pins_go_on_without_the_bdc)
{
	uint64_t observed_ns = 0, captured_ns;
	uint8_t got[256];

	stream();
	bdc.n_runs = 0;
	begin(&pt_source_s12z_profile, pdo_words);
	drain(1);
	captured_ns = bdc.pins_ns = bdc.now_ns;	/* it is captured now, and read when the BDC answers again */
	bdc.fail_code = PT_ETIMEOUT;
	for (int i = 0; i < 20 && bdc.fail_code != 0; i++)
		drain(1);
	ck_assert_int_eq(bdc.fail_code, 0);
	bdc.n_runs = n_runs;
	drain(20);
	end();
	ck_assert_uint_eq(collected(got), sizeof(lines));
	for (size_t k = 0; k < sink.n_chunks; k++)
		if (sink.chunk[k]->kind == PT_CHUNK_DATA && sink.chunk[k]->len_bytes > 0)
			observed_ns += sink.chunk[k]->to_ns - sink.chunk[k]->from_ns;
	ck_assert_uint_ge(observed_ns, bdc.pins_ns - captured_ns);
}
END_TEST

/* A session that could not be ended was not observed to its end. */
START_TEST(a_bdc_that_is_gone_observes_nothing)
{
	stream();
	bdc.n_runs = 0;
	begin(&pt_source_s12z_profile, pdo_words);
	drain(3);
	bdc.now_ns += 500 * PT_NS_PER_MS;
	bdc.fail_code = PT_ETIMEOUT;
	bdc.fail_always = true;
	bdc.fail_after = 2;		/* it is disarmed yet */
	ck_assert_int_lt(ops->stop(state, &err), 0);
	array_sink_check(&sink);
	for (size_t k = 0; k < sink.n_chunks; k++)
		ck_assert(sink.chunk[k]->kind != PT_CHUNK_DATA ||
			  sink.chunk[k]->to_ns - sink.chunk[k]->from_ns < 100 * PT_NS_PER_MS);
}
END_TEST

/* 64 lines wait when the buffer is full: none of the time that it takes to send them was recorded, and nothing behind. */
START_TEST(a_full_buffer_ended_before_its_lines_were_sent)
{
	enum { LINES = 70, LINE_NS = 8 * 8 * SAMPLES * 10 };
	const uint8_t begin_line[] = { 0x00, 0x23, 0x81, 0xff };
	uint8_t line[PT_S12Z_LINE_BYTES] = { PT_S12Z_PTIB, 0x0d, 0, 0, 0, 0x23, 0x81, 0xff };
	uint64_t begin_ns, to_ns = 0;

	stream();
	n_runs = 0;
	level(false, false, 10);
	send(begin_line, 4, 32);
	for (int i = 1; i < LINES; i++) {
		line[0] |= i == LINES - 1 ? PT_S12Z_TBOVF : 0;
		send(line, sizeof(line), 64);
	}
	level(false, clk, 5000000);	/* and it rests */
	bdc.n_runs = n_runs;
	begin(&pt_source_s12z_profile, pdo_words);
	drain(1);
	bdc.pins_ns = begin_ns = bdc.now_ns;
	bdc.io[DBG_C1] = 0;
	bdc.io[DBG_EFR] = EFR_PTBOVF;
	drain(80);
	end();
	for (size_t k = 0; k < sink.n_chunks && sink.chunk[k]->cause != PT_LOSS_FIFO; k++)
		if (sink.chunk[k]->kind == PT_CHUNK_DATA)
			to_ns = sink.chunk[k]->to_ns;
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_FIFO), 1);
	ck_assert_uint_gt(to_ns, begin_ns + (LINES - 66) * LINE_NS);
	ck_assert_uint_lt(to_ns, begin_ns + (LINES - 63) * LINE_NS);
}
END_TEST

START_TEST(edges_as_set)
{
	struct pt_pdo_bits bits;
	uint8_t got[16] = { 0 };
	size_t n = 0;

	pt_pdo_init(&bits, _i == 0 ? PT_PDO_RISING : PT_PDO_FALLING);
	pt_pdo_begin(&bits);
	pt_pdo_run(&bits, _i == 0 ? 0 : PT_PDO_CLOCK, 100, &got[n]);
	for (unsigned i = 0; i < 8 * 4; i++) {
		unsigned bit = lines[i / 8] >> (i % 8) & 1;

		n += pt_pdo_run(&bits, (uint8_t)((_i == 0 ? PT_PDO_CLOCK : 0) | bit), SAMPLES, &got[n]);
		n += pt_pdo_run(&bits, (uint8_t)((_i == 0 ? 0 : PT_PDO_CLOCK) | !bit), SAMPLES, &got[n]);
	}
	ck_assert_uint_eq(n, 4);
	ck_assert_mem_eq(got, lines, 4);
}
END_TEST

START_TEST(no_pins_no_stream)
{
	z->target->probe = NULL;
	ck_assert_int_eq(start(&pt_source_s12z_profile, pdo_words), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "--probe") != NULL, "%s", err.msg);
	ck_assert(!pt_lease_held(target, "dbg"));
	ck_assert_uint_eq(bdc.io[DBG_C1], 0);
	z->target->probe = probe;
}
END_TEST

/* --- samples ------------------------------------------------------------------------------------------------------ */

START_TEST(samples_come_in_batches)
{
	begin(&pt_source_s12z_pc, NULL);
	drain(10);
	ck_assert_uint_eq(data(0)->len_bytes, 16 * 4);
	ck_assert_uint_eq(pt_le32(data(0)->bytes + 4), 0xff8001);
	ck_assert_uint_eq(fake_s12z_count(&bdc, PT_BDC_WRITE_MEM, DBG_C1), 0);
	end();
	ck_assert(!pt_lease_held(target, "sync-pc"));
}
END_TEST

/* What CONFIG says of bit 0 is what the decoder asks for: an instruction may begin at any byte. */
START_TEST(samples_are_read_to_the_byte)
{
	static struct pt_batch batch;
	uint64_t decoder[64];

	begin(&pt_source_s12z_pc, NULL);
	drain(10);
	end();
	ck_assert_uint_eq(sink.chunk[0]->kind, PT_CHUNK_CONFIG);
	ck_assert_uint_le(pt_decoder_pcsr.state_bytes, sizeof(decoder));
	decoder_init(&pt_decoder_pcsr, decoder, 0, 0, (const char *)sink.chunk[0]->bytes, sink.chunk[0]->len_bytes);
	batch.n_events = 0;
	ck_assert_uint_eq(pt_decoder_pcsr.feed(decoder, data(0)->bytes, data(0)->len_bytes, &batch), 16 * 4);
	ck_assert_uint_eq(batch.n_events, 16);
	for (size_t i = 0; i < batch.n_events; i++)
		ck_assert_uint_eq(batch.event[i].branch.to, 0xff8000 + i);
}
END_TEST

START_TEST(samples_know_sleep)
{
	begin(&pt_source_s12z_pc, NULL);
	drain(2);
	bdc.waits = true;
	drain(2);
	ck_assert_uint_eq(bdc.csr & PT_BDC_NORESP, 0);
	bdc.waits = false;
	drain(2);
	end();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_SLEEP), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_RUN), 1);
}
END_TEST

START_TEST(samples_go_beside_breakpoints)
{
	struct pt_break at = { PT_BREAK_HW, 0xff8000, 1 };

	OK(target->ops->break_insert(z, &at, &err));
	begin(&pt_source_s12z_pc, NULL);
	drain(2);
	OK(ops->stop(state, &err));
	array_sink_check(&sink);
	ck_assert_uint_ne(bdc.io[DBG_C1] & C1_ARM, 0);
}
END_TEST

/* --- both --------------------------------------------------------------------------------------------------------- */

START_TEST(samples_are_taken_between_snapshots)
{
	unsigned of[2] = { 0, 0 };

	begin(&pt_source_s12z_both, NULL);
	drain(200);
	for (size_t i = 0; i < sink.n_chunks; i++)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA && sink.chunk[i]->len_bytes > 0)
			of[sink.chunk[i]->source]++;
	ck_assert_uint_gt(of[0], 10);
	ck_assert_uint_gt(of[1], 4 * of[0]);	/* a snapshot is due every 20 ms, a batch every 2 */
	OK(ops->stop(state, &err));
	ck_assert_mem_eq(bdc.io + DBG_C1, before, 4);
	ck_assert(!pt_lease_held(target, "dbg"));
	ck_assert(!pt_lease_held(target, "sync-pc"));
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 2);
}
END_TEST

/* --- traces ------------------------------------------------------------------------------------------------------- */

static void fill_trace(unsigned halves, bool wrapped)
{
	for (unsigned i = 0; i < 64; i++)
		for (unsigned b = 0; b < 8; b++)
			bdc.line[i][b] = (uint8_t)(2 * i + b / 4);
	bdc.next = halves / 2 % 64;
	bdc.wrapped = wrapped;
}

/* As the hardware would have counted. */
static void count(unsigned halves, bool wrapped)
{
	bdc.io[DBG_CNT] = (uint8_t)(halves % 128);
	bdc.io[DBG_SR] = wrapped ? SR_TBF : 0;
}

START_TEST(trace_is_read_at_a_halt)
{
	static const char *const words[] = { "mode=loop1", NULL };

	begin(&pt_source_s12z_trace, words);
	ck_assert_uint_eq(bdc.io[DBG_TCRH], TCRH_TSOURCE | 1 << 2);
	ck_assert_str_eq(array_sink_config(&sink, "chosen"), "end");	/* the last lines: never all that ran */
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM);
	drain(3);
	fill_trace(10, false);
	OK(z->target->ops->halt(z, 0, &err));
	OK(ops->on_state(state, PT_STATE_HALT, 0, 0xff8000, &err));
	ck_assert(ops->behind(state));
	drain(1);
	ck_assert(!ops->behind(state));
	ck_assert_uint_eq(data(0)->len_bytes, 40);
	ck_assert_uint_eq(sink.chunk[sink.n_chunks - 1]->kind, PT_CHUNK_STATE);
	OK(ops->on_state(state, PT_STATE_RUN, 0, 0xff8000, &err));
	OK(z->target->ops->resume(z, 0, &err));
	ck_assert_uint_eq(bdc.io[DBG_C1], C1_ARM);
	end();
}
END_TEST

static const struct { unsigned halves; bool wrapped; unsigned bytes, first, last; } buffers[] = {
	{ 0, false, 0, 0, 0 }, { 1, false, 8, 0, 0 }, { 6, false, 24, 0, 5 }, { 7, false, 32, 0, 0 },
	{ 0, true, 512, 0, 127 }, { 20, true, 512, 20, 19 }, { 21, true, 512, 21, 20 },
};

START_TEST(halves_are_put_in_order)
{
	struct pt_chunk *chunk = NULL;

	begin(&pt_source_s12z_trace, NULL);
	fill_trace(buffers[_i].halves, buffers[_i].wrapped);
	bdc.io[DBG_C1] = 0;	/* it has ended by itself, with these counts */
	count(buffers[_i].halves, buffers[_i].wrapped);
	drain(2);
	for (size_t i = 0; i < sink.n_chunks; i++)
		chunk = sink.chunk[i]->kind == PT_CHUNK_DATA ? sink.chunk[i] : chunk;
	ck_assert_ptr_nonnull(chunk);
	ck_assert_uint_eq(chunk->len_bytes, buffers[_i].bytes);
	if (chunk->len_bytes > 0) {
		ck_assert_uint_eq(chunk->bytes[0], buffers[_i].first);
		ck_assert_uint_eq(chunk->bytes[chunk->len_bytes - 1], buffers[_i].last);
	}
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z sources");
	TCase *tc = tcase_create("sources");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, snapshots_are_whole_sessions);
	tcase_add_loop_test(tc, finds_out_which_end_is_random, 0, PT_LEN(random_ends));
	tcase_add_test(tc, snapshots_do_not_lock_onto_a_period);
	tcase_add_test(tc, one_round_trip_for_a_snapshot);
	tcase_add_test(tc, an_interrupt_loses_no_more_than_a_snapshot);
	tcase_add_test(tc, a_halt_pauses_it);
	tcase_add_test(tc, a_reset_is_a_loss_and_not_the_end);
	tcase_add_loop_test(tc, nothing_collected_is_lost_when_the_wire_dies, 0, PT_LEN(faults));
	tcase_add_test(tc, a_short_dropout_is_survived);
	tcase_add_loop_test(tc, a_target_without_clock_is_silent, 0, 2 * (int)PT_LEN(silenced));
	tcase_add_loop_test(tc, stop_mode_is_slept_through, 0, 4 * (int)PT_LEN(silenced));
	tcase_add_loop_test(tc, a_slow_transmitter_is_waited_for, 0, 2);
	tcase_add_test(tc, armed_by_the_application_is_left_alone);
	tcase_add_loop_test(tc, what_a_crash_leaves_is_put_back, 0, 2);
	tcase_add_test(tc, an_application_that_takes_the_dbg_is_told);
	tcase_add_test(tc, breakpoints_and_profile_refuse_each_other_by_name);
	tcase_add_test(tc, pins_give_the_bytes);
	tcase_add_test(tc, overflow_ends_a_session_and_begins_another);
	tcase_add_test(tc, lost_samples_begin_a_new_session);
	tcase_add_test(tc, a_stream_cut_inside_a_line_is_noticed);
	tcase_add_test(tc, pins_go_on_without_the_bdc);
	tcase_add_test(tc, a_bdc_that_is_gone_observes_nothing);
	tcase_add_test(tc, a_full_buffer_ended_before_its_lines_were_sent);
	tcase_add_loop_test(tc, edges_as_set, 0, 2);
	tcase_add_test(tc, no_pins_no_stream);
	tcase_add_test(tc, samples_come_in_batches);
	tcase_add_test(tc, samples_are_read_to_the_byte);
	tcase_add_test(tc, samples_know_sleep);
	tcase_add_test(tc, samples_are_taken_between_snapshots);
	tcase_add_test(tc, samples_go_beside_breakpoints);
	tcase_add_test(tc, trace_is_read_at_a_halt);
	tcase_add_loop_test(tc, halves_are_put_in_order, 0, PT_LEN(buffers));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
