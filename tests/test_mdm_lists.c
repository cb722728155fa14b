/* Debug registers by scans of the virtual MDM's USER chain: what is asked for together goes in as few lists as can be,
 * in order, and what had come when the cable broke is told and right. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/registry.h"
#include "targets/microblaze/mdm.h"
#include "targets/registry.h"

enum { BINS = 1024, PBAR_WIDTH = 10, STOP = 0x40 };

static struct pt_params *settings;
static struct pt_probe *probe;
static struct pt_mdm mdm;
static struct pt_err err;

static void open_mdm(const char *words)
{
	const struct pt_target_ops *ops = &pt_microblaze_ops;
	char uri[200];

	settings = pt_params_new();
	memset(&err, 0, sizeof(err));
	mdm = (struct pt_mdm){ 0 };
	ck_assert_int_eq(pt_params_add(settings, ops->params, ops->n_params, "mdm.jtag.experimental=on", &err), 0);
	snprintf(uri, sizeof(uri), "virtual:microblaze?clock=virtual&%s", words);
	probe = pt_probe_open(uri, NULL, &err);
	ck_assert_msg(probe != NULL, "%s: %s", uri, err.msg);
	mdm.link = pt_probe_link(probe);
	mdm.jtag_ops = pt_probe_jtag(probe, &mdm.jtag_wire);
}

static void close_mdm(void)
{
	pt_mdm_close(&mdm);
	pt_probe_close(probe);
	pt_params_free(settings);
}

/* Stop, write each bin, and read all of them. */
static struct pt_mdm_op ops[5];
static uint64_t written[BINS], values[BINS];

static void make_ops(void)
{
	for (uint64_t i = 0; i < BINS; i++)
		written[i] = i * UINT32_C(0x9e3779b1) & UINT32_MAX;
	memset(values, 0xff, sizeof(values));
	ops[0] = pt_mdm_write_op(PCTRLR, PCTRLR_BITS, STOP);
	ops[1] = pt_mdm_write_op(PBAR, PBAR_WIDTH, 0);
	ops[2] = pt_mdm_write_op(PDWR, PDWR_BITS, 0);
	ops[2].values = written;
	ops[3] = ops[1];
	ops[4] = pt_mdm_read_op(PDRR, PDRR_BITS);
	ops[4].values = values;
	ops[2].n = ops[4].n = BINS;
}

static uint64_t round_trips(void)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(mdm.link, &traffic);
	return traffic.round_trips;
}

static const char *const boards[] = {
	"probe=xvc", "probe=xvc&mdm-phases=one_scan", "probe=xvc&mdm-data-order=msb_first&mdm-cmd-order=msb_first",
	"probe=cmsis-dap", "probe=cmsis-dap&link=bulk-fs&mdm-phases=one_scan", "probe=bitbang",
};

START_TEST(asks_together_what_is_asked_for_together)
{
	uint64_t before;
	size_t n_done = 7;

	open_mdm(boards[_i]);
	ck_assert_msg(pt_mdm_open(&mdm, settings, &err) == 0 && mdm.access == &pt_mdm_jtag, "%s: %s", boards[_i],
		      err.msg);
	make_ops();
	before = round_trips();
	ck_assert_msg(pt_mdm_run(&mdm, ops, PT_LEN(ops), &n_done, &err) == 0, "%s: %s", boards[_i], err.msg);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	ck_assert_uint_eq(round_trips() - before, 2);	/* lists of a buffer and some more each */
	ck_assert_mem_eq(values, written, sizeof(values));
	for (size_t i = 0; i < PT_LEN(ops); i++) {
		ck_assert_uint_le(ops[i].sent_ns, ops[i].done_ns);
		ck_assert(i == 0 || ops[i].done_ns >= ops[i - 1].done_ns);
	}
	make_ops();
	before = round_trips();
	ck_assert_int_eq(pt_mdm_run(&mdm, ops + 3, 2, &n_done, &err), 0);
	ck_assert_uint_eq(round_trips() - before, 1);
	ck_assert_mem_eq(values, written, sizeof(values));
	close_mdm();
}
END_TEST

/* Wherever it breaks: what is told to be done is done. */
START_TEST(what_had_come_is_told)
{
	struct pt_link_traffic traffic;
	char words[64];
	size_t n_done = 7;
	int rc;

	snprintf(words, sizeof(words), "probe=xvc&fault=unplug@%d", _i);
	open_mdm(words);
	make_ops();
	rc = pt_mdm_open(&mdm, settings, &err);
	if (rc == 0)
		rc = pt_mdm_run(&mdm, ops, PT_LEN(ops), &n_done, &err);
	else
		n_done = 0;
	pt_link_traffic(mdm.link, &traffic);
	ck_assert_msg(rc == PT_EIO || (rc == 0 && traffic.packets < (uint64_t)_i), "packet %d: %d %s", _i, rc, err.msg);
	ck_assert_uint_le(n_done, rc == 0 ? PT_LEN(ops) : PT_LEN(ops) - 1);
	for (size_t i = 0; i < n_done; i++)
		ck_assert_uint_le(ops[i].sent_ns, ops[i].done_ns);
	for (size_t i = 0; i < BINS && values[i] != UINT64_MAX; i++)	/* of the last one what had come */
		ck_assert_uint_eq(values[i], written[i]);
	ck_assert(n_done < PT_LEN(ops) || values[BINS - 1] == written[BINS - 1]);
	close_mdm();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mdm_lists");
	TCase *tc = tcase_create("mdm_lists");

	tcase_add_loop_test(tc, asks_together_what_is_asked_for_together, 0, PT_LEN(boards));
	tcase_add_loop_test(tc, what_had_come_is_told, 3, 28);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
