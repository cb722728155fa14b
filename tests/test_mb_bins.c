/* The source bins of the target microblaze over an MDM in an array, with numbers by hand; nothing that was collected is
 * lost. */
#include "mb_source_rig.h"

/* UG984 2018.2, Non-Intrusive Profiling: the table of range, buffer and bin. */
static const struct {
	uint64_t low, high;
	const char *size;
	unsigned bytes;
} ranges[] = {
	{ 0x0, 0xfff, "mb.prof.size=4096", 4 },
	{ 0x0, 0x1003, "mb.prof.size=4096", 8 },
	{ 0x0, 0x3fff, "mb.prof.size=4096", 16 },
	{ 0x80000000, 0x8003ffff, "mb.prof.size=131072", 8 },
	{ 0x80000000, 0x80040000, "mb.prof.size=131072", 16 },
};

START_TEST(bin_sizes)
{
	struct pt_bins_unit u = { .n_bins = 1024, .addr_bits = 32 };

	u.n_bins = _i < 3 ? 1024 : 32768;
	ck_assert_int_eq(pt_bins_unit_range(&u, PT_MB_SUB_THEN_SHIFT, ranges[_i].low, ranges[_i].high, -1, &err), 0);
	ck_assert_uint_eq(4u << u.shift, ranges[_i].bytes);
	ck_assert_uint_eq(u.low, ranges[_i].low);
	ck_assert_int_lt(pt_bins_unit_range(&u, PT_MB_SUB_THEN_SHIFT, ranges[_i].low, ranges[_i].high,
					    -1 + (int)u.shift, &err),
			 1);
}
END_TEST

/* Each rule of the index, on a range that no alignment saves: the address that the source gives a bin is the first of
 * those that the rule puts into it. */
START_TEST(index_rules)
{
	struct pt_bins_unit u = { .n_bins = 1024, .addr_bits = 32 };
	uint64_t low = 0x1234, high = 0x1234 + 16 * 1000;

	ck_assert_int_eq(pt_bins_unit_range(&u, (enum pt_mb_index)_i, low, high, 2, &err), 0);
	for (uint64_t pc = low; pc <= high; pc += 4) {
		uint64_t word = pc >> 2, from = u.low >> 2;
		uint32_t bin = (uint32_t)(_i == PT_MB_SUB_THEN_SHIFT   ? (word - from) >> u.shift
					  : _i == PT_MB_SHIFT_THEN_SUB ? (word >> u.shift) - (from >> u.shift)
								       : (word >> u.shift) & (u.n_bins - 1));

		ck_assert_uint_lt(bin, u.n_bins);
		ck_assert_uint_le(pt_bins_unit_address(&u, bin), pc);
		ck_assert_uint_lt(pc, pt_bins_unit_address(&u, bin) + 16);
	}
}
END_TEST

/* Readings while it counts add up to what was counted; so with the counting stopped for each, and with one at the
 * end. */
static const char *const modes[] = { "mode=live", "mode=snapshot", "mode=end" };

START_TEST(readings_add_up)
{
	uint64_t sum = 0;

	use(&pt_source_mb_bins);
	say(modes[_i]);
	say("period=20ms");
	started(source, 0x100, 0x1000);
	for (unsigned i = 0; i < 30; i++) {
		if (mdm.core[0].on) {
			fake_mdm_hit(&mdm, 0, 0x500, i + 1);
			sum += i + 1;
		}
		fake_mdm_hit(&mdm, 0, 0x10fc, 1);
		fake_mdm_hit(&mdm, 0, 0x1100, 1); /* behind the range */
		drain_until(memory.now_ns + 7000000);
	}
	stop();
	ck_assert_uint_gt(sum, 0);
	ck_assert_uint_eq(bin_at(0x500), sum);
	ck_assert_uint_eq(mdm.core[0].on, false);
	ck_assert_str_eq(array_sink_config(&sink, "counting"), "cycles");
	ck_assert_str_eq(array_sink_config(&sink, "bin_bytes"), "4");
	ck_assert_uint_gt(strtoul(array_sink_config(&sink, "skew_us"), NULL, 10), 0);
	if (_i == 1) /* a stretch for each reading that the counting was stopped for */
		ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM), 5);
	else /* the way in, the last of them, and the way out */
		ck_assert_uint_le(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_REARM), 3);
}
END_TEST

/* In instructions, over a range of one's own, adding to what there is. */
START_TEST(options_of_mbprofile)
{
	use(&pt_source_mb_bins);
	mdm.core[0].bin[4] = 1000;
	say("count=instructions");
	say("low=0x2000");
	say("high=0x2fff");
	say("cumulate=on");
	started(source, 0, 0);
	ck_assert_uint_eq(mdm.core[0].pctrlr, 0x80); /* B = 0, instructions, on */
	fake_mdm_hit(&mdm, 0, 0x2010, 3);
	stop();
	ck_assert_uint_eq(bin_at(0x2010), 1003);
	ck_assert_str_eq(array_sink_config(&sink, "counting"), "instructions");
}
END_TEST

/* The unit counts from an address that is aligned; what was not asked for is not told. */
START_TEST(a_range_that_is_not_aligned)
{
	use(&pt_source_mb_bins);
	say("low=0x2018");
	say("high=0x2fff");
	say("bin-bytes=16");
	started(source, 0, 0);
	ck_assert_uint_eq(mdm.core[0].plar, 0);
	fake_mdm_hit(&mdm, 0, 0x200c, 5);
	fake_mdm_hit(&mdm, 0, 0x2010, 6); /* the bin that 0x2018 lies in */
	fake_mdm_hit(&mdm, 0, 0x2024, 7);
	stop();
	ck_assert_uint_eq(bin_at(0x2000), 0);
	ck_assert_uint_eq(bin_at(0x2010), 6);
	ck_assert_uint_eq(bin_at(0x2020), 7);
	ck_assert_str_eq(array_sink_config(&sink, "low"), "0x2010");
}
END_TEST

START_TEST(no_range)
{
	use(&pt_source_mb_bins);
	ck_assert_int_eq(start(source, 0, 0), PT_EARG);
	ck_assert_msg(strstr(err.msg, "--set low=ADDR --set high=ADDR") != NULL &&
			      strstr(err.msg, "--source pc-sampling") != NULL,
		      "%s", err.msg);
}
END_TEST

/* 2^36 - 1 is the end: what it has is a bound. */
START_TEST(a_full_bin)
{
	unsigned full;

	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, PT_BIN_FULL);
	drain_until(memory.now_ns + 100000000);
	stop();
	ck_assert_uint_eq(hits_at(0x100, &full), PT_BIN_FULL);
	ck_assert_uint_eq(full, 1);
}
END_TEST

/* 2^36 cycles at 100 MHz are 687 s: a bin that reads less than before has wrapped if so much time is over. */
START_TEST(a_bin_that_wraps)
{
	unsigned full;

	set("core-clock=100M");
	use(&pt_source_mb_bins);
	say("period=600s");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, PT_BIN_FULL - 99);
	drain_until(memory.now_ns + UINT64_C(601000000000));
	fake_mdm_hit(&mdm, 0, 0x100, 150);
	drain_until(memory.now_ns + UINT64_C(601000000000));
	stop();
	ck_assert_uint_eq(hits_at(0x100, &full), PT_BIN_FULL + 51);
}
END_TEST

/* Cross triggers start and stop it: their register is programmed, and cleared at the end. */
START_TEST(cross_triggers)
{
	use(&pt_source_mb_bins);
	say("trigger=cross");
	say("start-input=2");
	say("stop-input=3");
	started(source, 0x100, 0x100);
	ck_assert_uint_eq(mdm.xtrig[7], 1u << (11 - 2) | 7);
	ck_assert_uint_eq(mdm.xtrig[6], 1u << (11 - 3) | 6);
	ck_assert(!mdm.core[0].on);
	stop();
	ck_assert_uint_eq(mdm.xtrig[7], 7);
	ck_assert_uint_eq(mdm.xtrig[6], 6);
}
END_TEST

/* A halt of the core, then a way that fails for good: what was counted before is there, and the end is told. */
START_TEST(the_way_is_lost)
{
	int rc = 0;

	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 11);
	drain_until(memory.now_ns + 100000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	array_mem_pass(&memory, 50000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
	for (int i = 0; i < 1000 && rc >= 0; i++) {
		memory.fail_code = PT_EIO;
		memory.fail_after = 0;
		rc = source->drain(state, &err);
		array_mem_pass(&memory, rc > 0 ? (uint64_t)rc * 1000 : 0);
	}
	ck_assert_int_eq(rc, PT_EIO);
	memory.fail_code = PT_EIO;
	source->stop(state, &err);
	array_sink_check(&sink);
	ck_assert_uint_eq(bin_at(0x100), 11);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_END, -1), 1);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 1);
}
END_TEST

/* At a halt, what ran up to it is read at once, not when the next reading would be due; once is enough. */
START_TEST(a_halt_is_followed_by_a_reading)
{
	static const char *const how[] = { "mode=live", "mode=snapshot" };
	size_t n_data;

	use(&pt_source_mb_bins);
	say(how[_i]);
	say("period=10s");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 5);
	array_mem_pass(&memory, 3000000);
	ck_assert_uint_eq(bin_at(0x100), 0);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	drain_until(memory.now_ns + 1000000000);
	ck_assert_uint_eq(bin_at(0x100), 5);
	n_data = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	drain_until(memory.now_ns + 1000000000);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_DATA, -1), n_data);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RUN, 0, 0x100, &err), 0);
	fake_mdm_hit(&mdm, 0, 0x100, 7);
	drain_until(memory.now_ns + 1000000);
	ck_assert_int_eq(source->on_state(state, PT_STATE_HALT, 0, 0x100, &err), 0);
	drain_until(memory.now_ns + 1000000000);
	ck_assert_uint_eq(bin_at(0x100), 12);
	stop();
	ck_assert_uint_eq(bin_at(0x100), 12);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 2);
}
END_TEST

/* A core that sleeps is no core that is held, and a reset takes nothing away that was counted. */
START_TEST(asleep_and_reset)
{
	core_state = PT_SLEEPING;
	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x100, 5);
	drain_until(memory.now_ns + 50000000);
	ck_assert_uint_eq(bin_at(0x100), 5);
	fake_mdm_hit(&mdm, 0, 0x100, 4);
	ck_assert_int_eq(source->on_state(state, PT_STATE_RESET, 0, PT_UNKNOWN, &err), 0);
	fake_mdm_hit(&mdm, 0, 0x100, 3);
	drain_until(memory.now_ns + 50000000);
	stop();
	ck_assert_uint_eq(bin_at(0x100), 12);
	ck_assert_uint_eq(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_HALTED), 0);
}
END_TEST

START_TEST(one_owner)
{
	use(&pt_source_mb_bins);
	ck_assert_int_eq(pt_lease_take(&target, "mb.profiling.0", "branch trace", &err), 0);
	ck_assert_int_eq(start(source, 0x100, 0x100), PT_EBUSY);
	ck_assert_msg(strstr(err.msg, "branch trace") != NULL, "%s", err.msg);
	pt_lease_drop(&target, "mb.profiling.0", "branch trace");
}
END_TEST

/* The time in which it does not answer is a loss, and nothing is counted twice when it does again: its bins have what
 * they had. */
START_TEST(bins_while_in_reset)
{
	use(&pt_source_mb_bins);
	say("period=10ms");
	started(source, 0x100, 0x100);
	fake_mdm_hit(&mdm, 0, 0x108, 500);
	drain_until(memory.now_ns + 50000000);
	mdm.core[0].held = true;
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(bin_at(0x108), 500);
	ck_assert_uint_ge(array_sink_count(&sink, PT_CHUNK_LOSS, PT_LOSS_SILENT), 2);
	mdm.core[0].held = false;
	fake_mdm_hit(&mdm, 0, 0x108, 7);
	drain_until(memory.now_ns + 200000000);
	ck_assert_uint_eq(bin_at(0x108), 507);
	mdm.core[0].held = true;
	stop();
	ck_assert_uint_eq(bin_at(0x108), 507);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mb_bins");
	TCase *tc = tcase_create("mb_bins");

	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, bin_sizes, 0, PT_LEN(ranges));
	tcase_add_loop_test(tc, index_rules, 0, 3);
	tcase_add_loop_test(tc, readings_add_up, 0, PT_LEN(modes));
	tcase_add_test(tc, options_of_mbprofile);
	tcase_add_test(tc, a_range_that_is_not_aligned);
	tcase_add_test(tc, no_range);
	tcase_add_test(tc, a_full_bin);
	tcase_add_test(tc, a_bin_that_wraps);
	tcase_add_test(tc, cross_triggers);
	tcase_add_test(tc, the_way_is_lost);
	tcase_add_loop_test(tc, a_halt_is_followed_by_a_reading, 0, 2);
	tcase_add_test(tc, asleep_and_reset);
	tcase_add_test(tc, one_owner);
	tcase_add_test(tc, bins_while_in_reset);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
