/* The source counters of the target microblaze over an MDM in an array, with numbers by hand; nothing that was counted
 * is lost. */
#include "mb_source_rig.h"

START_TEST(counters_that_fit)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	say("events=cycles,instructions,41");
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 1000);
	fake_mdm_count(&mdm, 0, 41, 77);
	fake_mdm_count(&mdm, 0, 57, 4);
	drain_until(memory.now_ns + 350000000);
	fake_mdm_count(&mdm, 0, 30, 500);
	stop();
	ck_assert_uint_eq(last_of(0, &n, &turns), 1500);
	ck_assert_uint_eq(turns, 1);
	ck_assert_uint_ge(n, 4);
	ck_assert_uint_eq(last_of(2, &n, &turns), 77);
	ck_assert_uint_eq(last_of(3, &n, &turns), 4); /* latencies: n, sum, squares, min, max */
	ck_assert_uint_eq(last_of(4, &n, &turns), 40);
	ck_assert_uint_eq(last_of(5, &n, &turns), 400);
	ck_assert_uint_eq(last_of(6, &n, &turns), 10);
	ck_assert_uint_eq(last_of(7, &n, &turns), 10);
	ck_assert_str_eq(array_sink_config(&sink, "counter.2"), "loads");
	ck_assert_str_eq(array_sink_config(&sink, "counter.6"), "interrupt.latency.min");
	ck_assert_str_eq(array_sink_config(&sink, "counter.6.kind"), "least");
	ck_assert_msg(strstr(array_sink_config(&sink, "cost"), ": 30 0 41 57") != NULL, "%s",
		      array_sink_config(&sink, "cost"));
	ck_assert_str_eq(array_sink_config(&sink, "counter.2.note"), "event 41");
	ck_assert_str_eq(array_sink_config(&sink, "counter.7.note"), "event 57");
	ck_assert_uint_eq(mdm.n_bad, 0);
	ck_assert(!mdm.core[0].counting);
}
END_TEST

/* Each reading says how well its time is known: a host that is late sees the answer long after the counters were sampled. */
START_TEST(late_readings_say_so)
{
	uint64_t most_ns = 0;
	unsigned n, turns;

	use(&pt_source_mb_counters);
	say("events=cycles");
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 1000);
	drain_until(memory.now_ns + 350000000);
	ck_assert_uint_lt(last_of(PT_COUNTERS_ERROR, &n, &turns), 1000000);
	memory.late_ns = 40000000;
	drain_until(memory.now_ns + 350000000);
	memory.late_ns = 0;
	most_ns = last_of(PT_COUNTERS_ERROR, &n, &turns);
	stop();
	ck_assert_uint_ge(most_ns, 19000000);
}
END_TEST

/* Seven events in two counters: four groups, each with its turns, none with anybody else's counts. */
START_TEST(counters_take_turns)
{
	unsigned n, turns;

	set("mb.perf.events=2");
	set("mb.perf.latency=0");
	mdm.n_events = 2;
	mdm.n_latencies = 0;
	use(&pt_source_mb_counters);
	say("events=1,2,3,4,5,6,7");
	say("period=10ms");
	started(source, 0, 0);
	for (unsigned i = 0; i < 60; i++) {
		for (unsigned event = 1; event <= 7; event++)
			fake_mdm_count(&mdm, 0, event, event);
		drain_until(memory.now_ns + 10000000);
	}
	stop();
	ck_assert_str_eq(array_sink_config(&sink, "groups"), "4");
	for (unsigned i = 0; i < 7; i++) {
		uint64_t last = last_of(i, &n, &turns);

		ck_assert_uint_ge(turns, 5);
		ck_assert_msg(last % (i + 1) == 0, "%u: %u", i, (unsigned)last);
	}
	ck_assert_uint_eq(mdm.n_bad, 0);
}
END_TEST

/* A core that sleeps runs, as far as counters go: they are read, and what they count is in the trace. */
START_TEST(counters_of_a_core_asleep)
{
	unsigned n, turns;

	core_state = PT_SLEEPING;
	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 250000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_ge(n, 3);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, -1), 0);
}
END_TEST

/* A reset clears the counters: what they had counted since the last reading is a loss that is told, and then they begin
 * anew, from zero. */
START_TEST(counters_over_a_reset)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 150000000);
	fake_mdm_count(&mdm, 0, 30, 40);
	array_mem_pass(&memory, 30000000);
	memset(mdm.core[0].count, 0, sizeof(mdm.core[0].count));
	mdm.core[0].counting = false;
	ck_assert_int_eq(source->on_state(state, PT_STATE_RESET, 0, 0, &err), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_RESET), 1);
	drain_until(memory.now_ns + 1000000);
	fake_mdm_count(&mdm, 0, 30, 7);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 7);
	ck_assert_uint_eq(turns, 2);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_RESET), 1);
	ck_assert(!mdm.core[0].counting);
}
END_TEST

/* Sums that have run over are left out, and the counters begin anew. */
START_TEST(sums_that_run_over)
{
	unsigned n, before, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 57, 4);
	drain_until(memory.now_ns + 150000000);
	last_of(5, &before, &turns);
	mdm.core[0].status = 2;
	drain_until(memory.now_ns + 100000000);
	mdm.core[0].status = 0;
	stop();
	ck_assert_uint_eq(last_of(5, &n, &turns), 0);
	ck_assert_uint_eq(n, before + 2); /* no reading, but a turn that begins at zero, and its end */
	ck_assert_uint_eq(turns, 2);
}
END_TEST

/* What they had counted since the last reading nobody knows; they begin anew when it is back. */
START_TEST(counters_while_in_reset)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 250000000);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 500000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_eq(turns, 1);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	drain_until(memory.now_ns + 60000000);
	fake_mdm_count(&mdm, 0, 30, 9);
	drain_until(memory.now_ns + 250000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 9);
	ck_assert_uint_eq(turns, 2);
	stop();
}
END_TEST

/* Where no mark stays, a setting leaves the look away: what reads 0 has counted nothing, unless it had counted
 * before. */
START_TEST(counters_that_cannot_be_written)
{
	unsigned n, turns;

	if (_i == 1)
		set("mb.perf.check=off");
	use(&pt_source_mb_counters);
	mdm.counters_fixed = true;
	if (_i == 0) {
		ck_assert_int_eq(start(source, 0, 0), PT_EUNSUPPORTED);
		ck_assert_msg(strstr(err.msg, "mb.perf.check=off") != NULL, "%s", err.msg);
		return;
	}
	started(source, 0, 0);
	drain_until(memory.now_ns + 250000000);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 0);
	fake_mdm_count(&mdm, 0, 30, 100);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_eq(turns, 1);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 500000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 100);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	drain_until(memory.now_ns + 250000000);
	fake_mdm_count(&mdm, 0, 30, 9);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 9);
	stop();
	ck_assert_msg(strstr(array_sink_config(&sink, "cost"), "not checked") != NULL, "%s",
		      array_sink_config(&sink, "cost"));
}
END_TEST

/* Nothing has happened, and the core is there: readings go on. */
START_TEST(counters_of_nothing)
{
	unsigned n, turns;

	use(&pt_source_mb_counters);
	started(source, 0, 0);
	drain_until(memory.now_ns + 450000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 0);
	ck_assert_uint_ge(n, 4);
	ck_assert_uint_eq(turns, 1);
	fake_mdm_count(&mdm, 0, 30, 5);
	drain_until(memory.now_ns + 150000000);
	ck_assert_uint_eq(last_of(0, &n, &turns), 5);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 0);
	stop();
}
END_TEST

static const struct {
	const char *word, *says;
} bad_lists[] = {
	{ "events=cycles,nonsense", "there is no 'nonsense'" },
	{ "events=57", "there is no '57'" },
	{ "latencies=cycles", "there is no 'cycles'" },
};

START_TEST(lists_that_make_no_sense)
{
	use(&pt_source_mb_counters);
	say(bad_lists[_i].word);
	ck_assert_int_eq(start(source, 0, 0), PT_EARG);
	ck_assert_msg(strstr(err.msg, bad_lists[_i].says) != NULL, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mb_counters");
	TCase *tc = tcase_create("mb_counters");

	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, counters_that_fit);
	tcase_add_test(tc, late_readings_say_so);
	tcase_add_test(tc, counters_take_turns);
	tcase_add_test(tc, counters_of_a_core_asleep);
	tcase_add_test(tc, counters_over_a_reset);
	tcase_add_test(tc, sums_that_run_over);
	tcase_add_test(tc, counters_while_in_reset);
	tcase_add_loop_test(tc, counters_that_cannot_be_written, 0, 2);
	tcase_add_test(tc, counters_of_nothing);
	tcase_add_loop_test(tc, lists_that_make_no_sense, 0, PT_LEN(bad_lists));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
