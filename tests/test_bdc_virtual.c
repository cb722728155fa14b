/* The drivers of BDC probes on the ends that the virtual board s12zvm has for them: both were written from the manuals,
 * and not from each other. What one probe reads of the board the others read, too. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/bdc/bdc_encode.h"
#include "probes/registry.h"

enum { SECOND_MS = 1000, LINES = 64, DBGC1 = 0x100, DBGTCRH = 0x102, DBGTCRL = 0x103, DBGTB = 0x104, DBGSR = 0x10b };

static const char *const boards[] = {
	"pipe", "pipe&link=bulk-fs", "osbdm&link=bulk-fs", "usbdm&link=bulk-fs&usbdm=v4", "usbdm&link=bulk-fs&usbdm=v5",
	"usbdm&link=bulk-fs&usbdm=v5-busy", "pipe&clock=wall",
};

static struct pt_probe *probe;
static const struct pt_bdc_ops *bdc;
static void *wire;
static struct pt_err err;

static void open_board(const char *how, const char *settings_word)
{
	struct pt_params *settings = pt_params_new();
	char uri[128];
	uint32_t hz = 0;

	if (settings_word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, settings_word, &err), 0);
	snprintf(uri, sizeof(uri), "virtual:s12zvm?probe=%s%s", how,
		 strstr(how, "clock=") == NULL ? "&clock=virtual" : "");
	probe = pt_probe_open(uri, settings, &err);
	ck_assert_msg(probe != NULL, "%s: %s", uri, err.msg);
	bdc = pt_probe_bdc(probe, &wire);
	ck_assert_ptr_nonnull(bdc);
	ck_assert_msg(bdc->connect(wire, &hz, &err) == 0, "%s: %s", uri, err.msg);
	ck_assert_msg(hz > 7900000 && hz < 8100000, "%u Hz", hz);
	pt_params_free(settings);
}

static void run(struct pt_bdc_op *ops, size_t n_ops)
{
	size_t n_done = 0;
	int rc = bdc->run(wire, ops, n_ops, SECOND_MS, &n_done, &err);

	ck_assert_msg(rc == 0 && n_done == n_ops, "%d at %zu: %s", rc, n_done, err.msg);
}

static void enable(void)
{
	struct pt_bdc_op ops[] = { { .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff }, { .what = PT_BDC_READ_BDCCSR } };

	run(ops, 2);
	ck_assert_uint_eq(ops[1].value & (PT_BDC_ENBDC | PT_BDC_ERRORS), PT_BDC_ENBDC);
}

#define MEM(kind, size, at, to, count)                                                                                 \
	{                                                                                                              \
		.what = PT_BDC_##kind, .size_bytes = size, .addr = at, .bytes = to, .n = count                         \
	}

/* The core runs meanwhile; what is written to RAM that the firmware does not use is there. */
START_TEST(moves_memory_while_the_core_runs)
{
	uint8_t id[4], out[24], in[24], again[24];
	struct pt_bdc_op ops[] = {
		MEM(READ_MEM, 4, 0, id, 1), MEM(WRITE_MEM, 2, 0x2c00, out, 12), MEM(READ_MEM, 1, 0x2c00, in, 24),
		MEM(READ_MEM, 4, 0x2c00, again, 6), { .what = PT_BDC_READ_BDCCSR },
	};

	for (unsigned i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(0x30 + i);
	open_board(boards[_i], NULL);
	enable();
	run(ops, PT_LEN(ops));
	ck_assert_mem_eq(in, out, sizeof(out));
	ck_assert_mem_eq(again, out, sizeof(out));
	ck_assert_uint_eq(ops[4].value & PT_BDC_BDMACT, 0);
	ck_assert(id[0] != 0xee && (id[0] | id[1]) != 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(halts_steps_and_goes)
{
	struct pt_bdc_op halt[] = { { .what = PT_BDC_BACKGROUND }, { .what = PT_BDC_DELAY, .time_us = 100 },
				    { .what = PT_BDC_READ_BDCCSR }, { .what = PT_BDC_READ_RN, .crn = 11 } };
	struct pt_bdc_op step[] = { { .what = PT_BDC_STEP1 },
				    { .what = PT_BDC_DELAY, .time_us = 100 },
				    { .what = PT_BDC_READ_RN, .crn = 11 },
				    { .what = PT_BDC_WRITE_RN, .crn = 7, .value = 0xcafe1234 },
				    { .what = PT_BDC_READ_RN, .crn = 7 } };
	struct pt_bdc_op go[] = { { .what = PT_BDC_GO }, { .what = PT_BDC_READ_BDCCSR } };

	open_board(boards[_i], NULL);
	enable();
	run(halt, PT_LEN(halt));
	ck_assert_uint_ne(halt[2].value & PT_BDC_BDMACT, 0);
	run(step, PT_LEN(step));
	ck_assert_uint_ne(step[2].value, halt[3].value);
	ck_assert_uint_eq(step[4].value, 0xcafe1234);
	run(go, PT_LEN(go));
	ck_assert_uint_eq(go[1].value & PT_BDC_BDMACT, 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(resets_either_way)
{
	struct pt_bdc_op ops[] = { { .what = PT_BDC_READ_BDCCSR }, { .what = PT_BDC_READ_RN, .crn = 11 } };

	open_board(boards[_i], NULL);
	ck_assert_msg(bdc->reset(wire, PT_BDC_SPECIAL, &err) == 0, "%s", err.msg);
	run(ops, 2);
	ck_assert_uint_ne(ops[0].value & PT_BDC_BDMACT, 0);
	ck_assert_uint_ge(ops[1].value, 0xfe0000);	/* the reset vector is in flash */
	ck_assert_msg(bdc->reset(wire, PT_BDC_NORMAL, &err) == 0, "%s", err.msg);
	run(ops, 1);
	ck_assert_uint_eq(ops[0].value & PT_BDC_BDMACT, 0);
	pt_probe_close(probe);
}
END_TEST

static uint8_t lines[8 * LINES];

/* One snapshot as S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 222-224 has it. */
static void take_snapshot(void)
{
	static uint8_t zero[2], source = 0x40, profile = 0x02, arm = 0x80;
	struct pt_bdc_op begin[] = {
		MEM(WRITE_MEM, 1, DBGC1, zero, 1),
		{ .what = PT_BDC_POLL, .addr = DBGSR, .mask = 0x10, .value = 0, .time_us = 20000 },
		MEM(WRITE_MEM, 1, DBGTCRH, &source, 1),
		MEM(WRITE_MEM, 1, DBGTCRL, &profile, 1),
		MEM(WRITE_MEM, 1, DBGC1, &arm, 1),
		{ .what = PT_BDC_DELAY, .time_us = 3000 },
		MEM(WRITE_MEM, 1, DBGC1, zero, 1),
		{ .what = PT_BDC_POLL, .addr = DBGSR, .mask = 0x10, .value = 0, .time_us = 20000 },
		MEM(WRITE_MEM, 1, DBGTCRL, zero, 1),
		MEM(WRITE_MEM, 2, DBGTB, zero, 1),
		{ .what = PT_BDC_READ_DBGTB, .n = LINES, .bytes = lines },
	};

	run(begin, PT_LEN(begin));
}

/* A line that says TERM, and before it lines of the known formats. What lies behind it in a buffer that was not filled
 * is older than the session, and may be anything. */
START_TEST(reads_a_snapshot_of_the_running_core)
{
	unsigned last = LINES, n_known = 0;

	open_board(boards[_i], NULL);
	enable();
	take_snapshot();
	for (unsigned i = 0; i < LINES && last == LINES; i++) {
		uint8_t info = lines[8 * i], format = info & 0x0f;

		if ((info & 0x10) != 0)
			last = i;
		n_known += (info & 0x80) == 0 && (format <= 3 || format == 7);
	}
	ck_assert_uint_lt(last, LINES);
	ck_assert_uint_eq(n_known, last + 1);
	pt_probe_close(probe);
}
END_TEST

START_TEST(samples_the_pc)
{
	uint8_t pcs[4 * 50];
	struct pt_bdc_op op = { .what = PT_BDC_SYNC_PC, .n = 50, .bytes = pcs };
	unsigned n_flash = 0;

	open_board(boards[_i], NULL);
	enable();
	if ((bdc->can(wire) >> PT_BDC_SYNC_PC & 1) != 0) {
		run(&op, 1);
		for (unsigned i = 0; i < 50; i++)
			n_flash += pt_le32(pcs + 4 * i) >= 0xfe0000 || pt_le32(pcs + 4 * i) == 0xeeeeee;
		ck_assert_uint_eq(n_flash, 50);
	}
	pt_probe_close(probe);
}
END_TEST

START_TEST(works_without_ack)
{
	open_board("pipe", "bdc-ack=off");
	enable();
	take_snapshot();
	pt_probe_close(probe);
}
END_TEST

START_TEST(a_refusal_is_one)
{
	uint8_t bytes[4];
	struct pt_bdc_op op = MEM(READ_MEM, 4, 0x700000, bytes, 1);
	size_t n_done;

	open_board(boards[_i], NULL);
	enable();
	ck_assert_msg(bdc->run(wire, &op, 1, SECOND_MS, &n_done, &err) == PT_EFAULT ||
			      (strstr(boards[_i], "usbdm") != NULL && bytes[0] == 0xee),
		      "%s", err.msg);
	enable();
	pt_probe_close(probe);
}
END_TEST

/* The pins of the pipe, and their absence. */
START_TEST(pins_come_and_go)
{
	struct pt_pins_want want = { .line = { "pdo", "pdoclk" }, .n_lines = 2, .least_hz = 100000000 };
	static pt_pins_run runs[20000];
	const struct pt_pins_ops *pins;
	struct pt_pins_read what;
	uint64_t samples = 0, edges = 0;
	uint32_t hz = 0;
	void *pins_wire;
	int n;

	open_board("pipe", NULL);
	pins = pt_probe_pins(probe, &pins_wire);
	ck_assert_ptr_nonnull(pins);
	ck_assert_msg(pins->start(pins_wire, &want, &hz, &err) == 0, "%s", err.msg);
	ck_assert_uint_ge(hz, 100000000);
	for (int i = 0; i < 20; i++) {
		n = pins->read(pins_wire, runs, PT_LEN(runs), 2, &what, &err);
		ck_assert_msg(n >= 0, "%s", err.msg);
		for (int k = 0; k < n; k++)
			samples += runs[k] & PT_PINS_SAMPLES;
		samples += what.lost_samples;
		edges += (uint64_t)n;
	}
	ck_assert_uint_gt(samples, hz / 1000);
	ck_assert_int_eq(pins->stop(pins_wire, &err), 0);
	pt_probe_close(probe);
	open_board("pipe&pins=off", NULL);
	ck_assert_ptr_null(pt_probe_pins(probe, &pins_wire));
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bdc_virtual");
	TCase *tc = tcase_create("probes");
	int n = (int)PT_LEN(boards);

	tcase_set_timeout(tc, 60);
	tcase_add_loop_test(tc, moves_memory_while_the_core_runs, 0, n);
	tcase_add_loop_test(tc, halts_steps_and_goes, 0, n);
	tcase_add_loop_test(tc, resets_either_way, 0, n);
	tcase_add_loop_test(tc, reads_a_snapshot_of_the_running_core, 0, n);
	tcase_add_loop_test(tc, samples_the_pc, 0, n);
	tcase_add_test(tc, works_without_ack);
	tcase_add_loop_test(tc, a_refusal_is_one, 0, n);
	tcase_add_test(tc, pins_come_and_go);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
