/* The MDM through a child process that answers XSDB's commands: tests/fake_xsdb, which may talk, die, be mute or answer
 * nonsense. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array_mem.h"
#include "harness.h"
#include "targets/microblaze/mdm.h"
#include "targets/microblaze/microblaze.h"
#include "targets/microblaze/settings.h"

static struct array_mem memory; /* for its clock */
static struct pt_params *settings;
static struct pt_mdm mdm;
static struct pt_err err;

static void setup(void)
{
	array_mem_init(&memory);
	settings = pt_params_new();
	mdm = (struct pt_mdm){ .mem = &memory.mem };
	err = (struct pt_err){ 0 };
}

static void teardown(void)
{
	pt_mdm_close(&mdm);
	ck_assert_int_eq(mdm.xsdb.pid, 0); /* reaped */
	pt_params_free(settings);
	array_mem_fini(&memory);
}

static void set(const char *word)
{
	ck_assert_msg(pt_params_add(settings, pt_mb_settings, PT_MB_N_SETTINGS, word, &err) == 0, "%s", err.msg);
}

static int open_with(const char *words)
{
	char word[300];

	snprintf(word, sizeof(word), "mdm.xsdb=%s/tests/fake_xsdb %s",
		 getenv("builddir") != NULL ? getenv("builddir") : ".", words);
	set(word);
	if (!pt_params_given(settings, &pt_mb_settings[PT_MDM_XSDB_TIMEOUT]))
		set("mdm.xsdb.timeout=60s");
	return pt_mdm_open(&mdm, settings, &err);
}

static const char *const manners[] = { "", "prompt", "talk prompt", "talk cores=3" };

START_TEST(bins_through_xsdb)
{
	struct pt_mb_written written;
	struct pt_bins_unit u = { .mdm = &mdm, .written = &written };
	struct pt_mb_design design = { .addr_bits = 32, .prof_bytes = 4096 };
	static uint64_t values[1024];
	char line[600];

	ck_assert_msg(open_with(manners[_i]) == 0, "%s", err.msg);
	ck_assert_uint_eq(mdm.n_cores, _i == 3 ? 3 : 1);
	ck_assert_int_eq(pt_mdm_select(&mdm, mdm.n_cores - 1, &err), 0);
	ck_assert_msg(pt_bins_unit_check(&u, &design, false, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pt_bins_unit_range(&u, PT_MB_SUB_THEN_SHIFT, 0, 0xfff, -1, &err), 0);
	ck_assert_int_eq(pt_bins_unit_clear(&u, &err), 0);
	ck_assert_int_eq(pt_bins_unit_program(&u, &err), 0);
	ck_assert_int_eq(pt_mdm_put(&mdm, false, PBAR, 10, 7, &err), 0);
	ck_assert_int_eq(pt_mdm_put(&mdm, false, PDWR, 32, 0xfedcba98, &err), 0);
	ck_assert_msg(pt_bins_unit_read(&u, 0, 1024, values, &err) == 0, "%s", err.msg);
	for (unsigned i = 0; i < 1024; i++)
		ck_assert_uint_eq(values[i], i == 7 ? 0xfedcba98 : 0);
	pt_mdm_describe(&mdm, line, sizeof(line));
	ck_assert_msg(strstr(line, "fake_xsdb") != NULL, "%s", line);
}
END_TEST

/* What goes wrong, and what is said. The second and third command are those of the start. */
static const struct {
	const char *words, *says;
	int code;
} failures[] = {
	{ "dies=0", "its last words: segmentation violation in the debugger", PT_EIO },
	{ "dies=2", "xsdb has ended (status 11)", PT_EIO },
	{ "refuses", "Cannot connect to hw_server", PT_EFAULT },
	{ "mute=2", "xsdb has not answered for", PT_ETIMEOUT },
	{ "nonsense=2", "\"no value here\" is no value of 32 bits", PT_EPROTO },
};

START_TEST(what_goes_wrong)
{
	if (failures[_i].code == PT_ETIMEOUT)	/* the others come at once, but on a busy machine */
		set("mdm.xsdb.timeout=300ms");
	ck_assert_int_eq(open_with(failures[_i].words), failures[_i].code);
	ck_assert_msg(strstr(err.msg, failures[_i].says) != NULL, "%s", err.msg);
	ck_assert_ptr_null(mdm.access);
	ck_assert_int_eq(pt_mdm_needs_way(&mdm, &err), PT_EUNSUPPORTED);
}
END_TEST

/* One that dies at work: an error that lasts; the next access says so at once. */
START_TEST(it_dies_at_work)
{
	uint64_t value;

	ck_assert_msg(open_with("dies=5") == 0, "%s", err.msg);
	ck_assert_int_eq(pt_mdm_get(&mdm, true, MDM_CONFIG, 32, &value, &err), 0);
	ck_assert_int_eq(pt_mdm_get(&mdm, true, MDM_CONFIG, 32, &value, &err), 0);
	ck_assert_int_eq(pt_mdm_get(&mdm, true, MDM_CONFIG, 32, &value, &err), PT_EIO);
	ck_assert_int_eq(pt_mdm_get(&mdm, true, MDM_CONFIG, 32, &value, &err), PT_EIO);
}
END_TEST

/* An answer that was given up does not become the answer to what is asked next. */
START_TEST(answers_are_numbered)
{
	uint64_t value = 0;
	uint32_t seq;

	ck_assert_msg(open_with("nonsense=3") == 0, "%s", err.msg);
	ck_assert_int_eq(pt_mdm_get(&mdm, true, MDM_CONFIG, 32, &value, &err), PT_EPROTO);
	seq = mdm.xsdb.seq;
	ck_assert_int_eq(pt_mdm_get(&mdm, true, MDM_CONFIG, 32, &value, &err), 0);
	ck_assert_uint_eq(value, 0x42a00167);
	ck_assert_uint_eq(mdm.xsdb.seq, seq + 1);
}
END_TEST

START_TEST(no_such_program)
{
	set("mdm.xsdb=/nowhere/xsdb");
	ck_assert_int_eq(pt_mdm_open(&mdm, settings, &err), PT_EIO);
	ck_assert_msg(strstr(err.msg, "cannot start /nowhere/xsdb: No such file") != NULL, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mdm_xsdb");
	TCase *tc = tcase_create("mdm_xsdb");

	tcase_set_timeout(tc, 0);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, bins_through_xsdb, 0, PT_LEN(manners));
	tcase_add_loop_test(tc, what_goes_wrong, 0, PT_LEN(failures));
	tcase_add_test(tc, it_dies_at_work);
	tcase_add_test(tc, answers_are_numbered);
	tcase_add_test(tc, no_such_program);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
