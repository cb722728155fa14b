/* The virtual S12ZVM as a whole: the demo runs, the debugger gets at it, the trace pins say what the buffer holds. */
#include "probes/virtual/wire/pdo_capture.h"
#include "s12zvm_rig.h"

static struct rig *rig;

static void setup(void)
{
	rig = rig_open(NULL, NULL);
}

static void teardown(void)
{
	rig_close(rig);
}

/* --- running */

START_TEST(the_demo_runs_and_sleeps)
{
	rig_run(rig, 20000000);
	ck_assert_uint_gt(pt_vs12z_instructions(rig->chip->cpu), 10000);
	ck_assert_uint_gt(pt_vs12z_sleep_cycles(rig->chip->cpu), 0);
	ck_assert_uint_eq(rig->chip->n_resets, 0);
}
END_TEST

START_TEST(the_debugger_gets_at_it)
{
	uint32_t pc;

	rig_run(rig, 1000000);
	ck_assert_uint_eq(pt_vbkgd_sync(&rig->wire), 8000000);
	ck_assert_uint_eq(rig_csr(rig), PT_VBDC_UNSEC);
	rig_set_csr(rig, 0x80ff);
	ck_assert_uint_eq(rig_csr(rig) & 0xff00, PT_VBDC_ENBDC | PT_VBDC_UNSEC);
	ck_assert_uint_eq(rig_read(rig, 0xfffffc, 4), pt_s12zvm_peek(rig->chip, 0xfffffc));
	rig_write(rig, 0x2f00, 4, 0x12345678);
	ck_assert_uint_eq(pt_s12zvm_peek(rig->chip, 0x2f00), 0x12345678);
	rig_halt(rig);
	pc = rig_reg(rig, 11);
	ck_assert_uint_eq(pc, pt_vs12z_pc(rig->chip->cpu));
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_reg(rig, 11), pc);
	rig_command(rig, 0x08);
	rig_run(rig, 1000000);
	ck_assert_uint_eq(rig_csr(rig) & PT_VBDC_BDMACT, 0);
}
END_TEST

static TCase *cases_of(const char *name)
{
	TCase *tc = tcase_create(name);

	tcase_add_checked_fixture(tc, setup, teardown);
	return tc;
}

int main(void)
{
	Suite *suite = suite_create("s12zvm");
	TCase *running = cases_of("running");

	tcase_add_test(running, the_demo_runs_and_sleeps);
	tcase_add_test(running, the_debugger_gets_at_it);
	suite_add_tcase(suite, running);
	return pt_run_suite(suite);
}
