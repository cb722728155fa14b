/* The source trace of the target microblaze over an MDM in an array: when its windows open. */
#include "mb_source_rig.h"

static const struct pt_chunk *last_data(void)
{
	for (size_t i = sink.n_chunks; i-- > 0;)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			return sink.chunk[i];
	ck_abort_msg("no DATA");
}

/* Armed while the core is held, it has what ran from there on: a step into an interrupt is one item, and continues what
 * is known of the core. What began in the midst of something does not. */
START_TEST(trace_of_a_step)
{
	set("mb.trace.size=8192");
	core_state = PT_HALTED;
	use(&pt_source_mb_trace);
	say("mode=ring");
	started(source, 0, 0);
	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
		mdm.core[0].trace[mdm.core[0].n_trace++] = 0x3c00a;
		ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x10, &err), 0);
		drain_until(memory.now_ns + 1000000);
		ck_assert_uint_eq(last_data()->len_bytes, 3);
		ck_assert_uint_eq(last_data()->cause, 0);
	}
	stop();
	array_sink_fini(&sink);
	array_sink_init(&sink);
	core_state = PT_RUNNING;
	started(source, 0, 0);
	mdm.core[0].trace[mdm.core[0].n_trace++] = 0x3c00a;
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x10, &err), 0);
	drain_until(memory.now_ns + 1000000);
	ck_assert_uint_eq(last_data()->cause, 1);
	stop();
}
END_TEST

/* A core that sleeps runs, as far as windows go. */
START_TEST(trace_of_a_core_asleep)
{
	set("mb.trace.size=8192");
	core_state = PT_SLEEPING;
	use(&pt_source_mb_trace);
	say("period=1ms");
	started(source, 0, 0);
	for (unsigned i = 0; i < 20; i++) {
		mdm.core[0].trace[mdm.core[0].n_trace++] = 0x3c00a;
		drain_until(memory.now_ns + 1000000);
	}
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_DATA, -1), 1);
	stop();
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 0);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_STATE, PT_STATE_HALT), 0);
	ck_assert(!mdm.core[0].tracing);
}
END_TEST

/* A window that does not start is none. */
START_TEST(trace_while_in_reset)
{
	size_t n_data;

	set("mb.trace.size=8192");
	use(&pt_source_mb_trace);
	say("period=1ms");
	started(source, 0, 0);
	drain_until(memory.now_ns + 20000000);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 5000000);
	n_data = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n_data);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_gt(array_sink_count(&sink, PT_CHUNK_DATA, -1), n_data);
	stop();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mb_windows");
	TCase *tc = tcase_create("mb_windows");

	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, trace_of_a_step);
	tcase_add_test(tc, trace_of_a_core_asleep);
	tcase_add_test(tc, trace_while_in_reset);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
