/* What OSBDM and USBDM want, each in its own way: packets as their firmware takes them, as few as can be, and nothing
 * that the firmware would misread. What all drivers promise is in test_probe_contract. */
#include <string.h>

#include "fake_bdc_pipe.h"
#include "fake_osbdm.h"
#include "fake_usbdm.h"
#include "harness.h"
#include "probes/registry.h"
#include "scripted_link.h"

enum { SECOND_MS = 1000, CUSTOM = 18, ERASE_FLASH = 0x95 };

static struct pt_script script;
static struct fake_bdc_pipe pipe_probe;
static struct fake_osbdm osbdm;
static struct fake_usbdm usbdm;
static struct pt_probe *probe;
static const struct pt_bdc_ops *bdc;
static void *wire;
static struct pt_err err;

static void plug(size_t (*answer)(void *, const uint8_t *, size_t, uint8_t *, uint64_t *), void *arg,
		 size_t packet_bytes)
{
	memset(&script, 0, sizeof(script));
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = packet_bytes, .depth = 8 };
	script.packet_ns = 50000;
	script.turn_ns = 250000;
	script.answer = answer;
	script.arg = arg;
}

static int open_probe(const struct pt_probe_ops *ops)
{
	uint32_t hz;

	memset(&err, 0, sizeof(err));
	probe = pt_probe_open_link(ops, pt_script_link(&script), NULL, &err);
	if (probe == NULL)
		return err.code;
	bdc = pt_probe_bdc(probe, &wire);
	return bdc->connect(wire, &hz, &err);
}

static void open_osbdm(void)
{
	fake_osbdm_init(&osbdm);
	plug(fake_osbdm_answer, &osbdm, 64);
	ck_assert_msg(open_probe(&pt_osbdm_ops) == 0, "%s", err.msg);
	osbdm.bdc.bdccsr = 0x8000;
}

static void open_usbdm(uint8_t version)
{
	fake_usbdm_init(&usbdm, version);
	usbdm.script = &script;
	usbdm.last_sequence = 0xff;
	plug(fake_usbdm_answer, &usbdm, 4096);
	ck_assert_msg(open_probe(&pt_usbdm_ops) == 0, "%s", err.msg);
}

static void run(struct pt_bdc_op *ops, size_t n_ops)
{
	size_t n_done;

	ck_assert_msg(bdc->run(wire, ops, n_ops, SECOND_MS, &n_done, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, n_ops);
}

static uint8_t lines[64 * 8], block[1024];

static void expect_lines(void)
{
	for (unsigned i = 0; i < sizeof(lines); i++)
		ck_assert_uint_eq(lines[i], (uint8_t)(16 * (i / 8) + i % 8));
}

/* --- OSBDM -------------------------------------------------------------------------------------------------------- */

/* 3 lines a packet, and the look at BDCCSR in the last. Source: OSBDM-JM60 firmware, bdm_9s12z.c. */
START_TEST(osbdm_reads_the_buffer_in_22_packets)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_DBGTB, .n = 64, .bytes = lines };
	size_t before;

	open_osbdm();
	before = script.n_requests;
	run(&op, 1);
	ck_assert_uint_eq(script.n_requests - before, 22);
	expect_lines();
	ck_assert_uint_eq(osbdm.n_bad, 0);
	ck_assert_uint_le(script.largest_request, 64);
	pt_probe_close(probe);
}
END_TEST

/* 29 pairs: op-code, three bytes of address and one of data; then two pairs a byte. */
START_TEST(osbdm_reads_memory_in_few_packets)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x1000, .n = 64, .bytes = block };
	size_t before;

	open_osbdm();
	before = script.n_requests;
	run(&op, 1);
	ck_assert_uint_eq(script.n_requests - before, 13);	/* 5 elements in each: 8 + 4 * 5 pairs, then 5 * 5 */
	ck_assert_uint_eq(osbdm.bdc.n_commands[0x38], 1);
	ck_assert_uint_eq(osbdm.bdc.n_commands[0x3a], 63);
	pt_probe_close(probe);
}
END_TEST

START_TEST(osbdm_does_a_short_list_in_one_packet)
{
	uint8_t byte;
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x10b, .n = 1, .bytes = &byte };
	size_t before;

	open_osbdm();
	before = script.n_requests;
	run(&op, 1);
	ck_assert_uint_eq(script.n_requests - before, 1);
	ck_assert_uint_eq(byte, (uint8_t)(0x10b * 7));
	pt_probe_close(probe);
}
END_TEST

START_TEST(osbdm_resets_either_way)
{
	open_osbdm();
	ck_assert_msg(bdc->reset(wire, PT_BDC_NORMAL, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(osbdm.bdc.n_resets, 1);
	ck_assert_uint_eq(osbdm.bdc.n_special, 0);
	ck_assert_msg(bdc->reset(wire, PT_BDC_SPECIAL, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(osbdm.bdc.n_special, 1);
	ck_assert_uint_eq(osbdm.n_bad, 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(osbdm_for_other_chips_is_refused)
{
	fake_osbdm_init(&osbdm);
	osbdm.target_type = 4;
	plug(fake_osbdm_answer, &osbdm, 64);
	ck_assert_int_eq(open_probe(&pt_osbdm_ops), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "type 4"));
}
END_TEST

/* --- USBDM -------------------------------------------------------------------------------------------------------- */

START_TEST(usbdm_reads_the_buffer_word_by_word)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_DBGTB, .n = 64, .bytes = lines };
	size_t before;

	open_usbdm((uint8_t)_i);
	before = script.n_requests;
	run(&op, 1);
	ck_assert_uint_eq(script.n_requests - before, 256);
	expect_lines();
	ck_assert_uint_eq(usbdm.n_bad, 0);
	pt_probe_close(probe);
	ck_assert_uint_eq(usbdm.target, 255);
}
END_TEST

START_TEST(usbdm_moves_rows_of_any_length)
{
	open_usbdm((uint8_t)_i);
	for (uint32_t n = 1; n < 400; n++) {
		struct pt_bdc_op ops[] = {
			{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x3000, .n = n, .bytes = block },
			{ .what = PT_BDC_WRITE_MEM, .size_bytes = 1, .addr = 0x5000, .n = n, .bytes = block },
		};

		memset(usbdm.bdc.memory + 0x5000, 0, sizeof(block));
		run(ops, 2);
		ck_assert_mem_eq(usbdm.bdc.memory + 0x5000, usbdm.bdc.memory + 0x3000, n);
	}
	ck_assert_uint_eq(usbdm.n_bad, 0);
	ck_assert_int_eq(usbdm.n_parts > 0, _i == 4);
	pt_probe_close(probe);
}
END_TEST

START_TEST(usbdm_waits_while_it_is_busy)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x1000, .n = 4, .bytes = block };

	open_usbdm((uint8_t)_i);
	for (unsigned busy = 1; busy < 5; busy++) {
		usbdm.busy = busy;
		run(&op, 1);
		ck_assert_mem_eq(block, usbdm.bdc.memory + 0x1000, 16);
	}
	ck_assert_uint_eq(usbdm.n_bad, 0);
	pt_probe_close(probe);
}
END_TEST

START_TEST(usbdm_that_knows_no_s12z_is_refused)
{
	fake_usbdm_init(&usbdm, (uint8_t)_i);
	usbdm.caps = 0x0001;
	plug(fake_usbdm_answer, &usbdm, 4096);
	ck_assert_int_eq(open_probe(&pt_usbdm_ops), PT_EUNSUPPORTED);
}
END_TEST

START_TEST(usbdm_connects_anew_when_its_firmware_lost_the_target)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x1000, .n = 1, .bytes = block };
	size_t n_done;

	open_usbdm((uint8_t)_i);
	usbdm.connected = false;
	ck_assert_int_eq(bdc->run(wire, &op, 1, SECOND_MS, &n_done, &err), PT_EPROTO);
	run(&op, 1);
	pt_probe_close(probe);
}
END_TEST

/* A part whose WAIT is elsewhere: bit 7 is an error there, and only there. */
START_TEST(osbdm_takes_for_errors_what_it_is_told)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x1000, .n = 1, .bytes = block };
	size_t n_done;

	open_osbdm();
	osbdm.bdc.bdccsr = 0x8080;
	run(&op, 1);
	bdc->set_errors(wire, 0xbe);
	ck_assert_int_eq(bdc->run(wire, &op, 1, SECOND_MS, &n_done, &err), PT_EFAULT);
	osbdm.bdc.bdccsr = 0x8041;
	run(&op, 1);
	pt_probe_close(probe);
}
END_TEST

/* --- all: erasing is for who asks for it -------------------------------------------------------------------------- */

static void everything_but_erase(void)
{
	uint32_t hz, can = bdc->can(wire);
	size_t n_done;

	for (unsigned what = 0; what < PT_N_BDC_DOS; what++) {
		struct pt_bdc_op op = {
			.what = (uint8_t)what, .size_bytes = 1, .n = 1, .addr = 0x1000, .bytes = block, .time_us = 100
		};

		if ((can >> what & 1) != 0)
			bdc->run(wire, &op, 1, SECOND_MS, &n_done, &err);
	}
	bdc->connect(wire, &hz, &err);
	bdc->reset(wire, PT_BDC_NORMAL, &err);
	bdc->reset(wire, PT_BDC_SPECIAL, &err);
}

START_TEST(nothing_erases_unasked)
{
	open_osbdm();
	everything_but_erase();
	pt_probe_close(probe);
	ck_assert_uint_eq(osbdm.bdc.n_commands[ERASE_FLASH], 0);
	for (uint8_t version = 4; version <= 5; version++) {
		open_usbdm(version);
		everything_but_erase();
		ck_assert_uint_eq(usbdm.n_commands[CUSTOM], 0);
		ck_assert_msg(bdc->mass_erase(wire, &err) == 0, "%s", err.msg);
		ck_assert_uint_eq(usbdm.n_commands[CUSTOM], 1);
		pt_probe_close(probe);
	}
	fake_bdc_pipe_init(&pipe_probe, 512, 4);
	plug(fake_bdc_pipe_answer, &pipe_probe, 512);
	ck_assert_int_eq(open_probe(&pt_bdc_pipe_ops), 0);
	everything_but_erase();
	pt_probe_close(probe);
	ck_assert_uint_eq(pipe_probe.bdc.n_commands[ERASE_FLASH], 0);
}
END_TEST

/* --- the pipe ----------------------------------------------------------------------------------------------------- */

static void open_pipe(void)
{
	fake_bdc_pipe_init(&pipe_probe, 512, 4);
	plug(fake_bdc_pipe_answer, &pipe_probe, 4096);
	ck_assert_msg(open_probe(&pt_bdc_pipe_ops) == 0, "%s", err.msg);
	pipe_probe.bdc.bdccsr = 0x8000;
}

/* Several requests are out at a time: the whole buffer costs one round trip. */
START_TEST(pipe_keeps_requests_in_flight)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_DBGTB, .n = 64, .bytes = lines };
	struct pt_bdc_op many = { .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0x1000, .n = 250, .bytes = block };
	struct pt_link_traffic before, after;

	open_pipe();
	pt_link_traffic(pt_probe_link(probe), &before);
	run(&op, 1);
	pt_link_traffic(pt_probe_link(probe), &after);
	expect_lines();
	ck_assert_uint_eq(after.round_trips - before.round_trips, 1);
	ck_assert_uint_eq(after.packets - before.packets, 2);
	run(&many, 1);
	ck_assert_uint_eq(script.most_outstanding, 4);
	pt_probe_close(probe);
}
END_TEST

/* A core that sleeps answers with long ACKs, and they are no errors. */
START_TEST(pipe_takes_sleep_for_no_error)
{
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_SYNC_PC, .n = 2, .bytes = block },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x1000, .n = 3, .bytes = block + 16 },
	};

	open_pipe();
	pipe_probe.bdc.bdccsr = 0x8080;		/* WAIT: the fake gives no pc, but NORESP */
	run(ops, 2);
	ck_assert_uint_eq(pt_le32(block), 0xeeeeee);
	ck_assert_mem_eq(block + 16, pipe_probe.bdc.memory + 0x1000, 3);
	pt_probe_close(probe);
}
END_TEST

/* What stands behind a refused write was not done, though it was in flight. */
START_TEST(pipe_does_nothing_behind_a_refusal)
{
	struct pt_bdc_op ops[100];
	size_t n_done;

	open_pipe();
	pipe_probe.packet_bytes = 512;
	pipe_probe.bdc.fault_addr = 0x2005;
	for (size_t i = 0; i < PT_LEN(ops); i++)
		ops[i] = (struct pt_bdc_op){ .what = PT_BDC_WRITE_MEM,
					     .size_bytes = 1,
					     .addr = (uint32_t)(0x2000 + i),
					     .n = 1,
					     .bytes = lines };
	memset(lines, 0x5a, sizeof(lines));
	memset(pipe_probe.bdc.memory + 0x2000, 0, PT_LEN(ops));
	ck_assert_int_eq(bdc->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 5);
	ck_assert_ptr_nonnull(strstr(err.msg, "ILLACC"));
	ck_assert_uint_eq(pipe_probe.bdc.memory[0x2004], 0x5a);
	ck_assert_uint_eq(pipe_probe.bdc.memory[0x2006], 0);
	ck_assert_uint_gt(pipe_probe.n_skipped, 0);
	pt_probe_close(probe);
}
END_TEST

/* Without ENBDC nothing is read; lines are judged at the end of the list. */
START_TEST(pipe_hears_of_refused_lines)
{
	struct pt_bdc_op op = { .what = PT_BDC_READ_DBGTB, .n = 3, .bytes = lines };
	size_t n_done;

	open_pipe();
	pipe_probe.bdc.bdccsr = 0;
	ck_assert_int_eq(bdc->run(wire, &op, 1, SECOND_MS, &n_done, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_ptr_nonnull(strstr(err.msg, "ILLCMD"));
	pt_probe_close(probe);
}
END_TEST

START_TEST(pipe_does_without_ack)
{
	uint32_t hz;
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x1000, .n = 3, .bytes = block };

	open_pipe();
	pipe_probe.bdc.mute = true;
	ck_assert_msg(bdc->connect(wire, &hz, &err) == 0, "%s", err.msg);
	run(&op, 1);
	ck_assert_mem_eq(block, pipe_probe.bdc.memory + 0x1000, 3);
	pt_probe_close(probe);
}
END_TEST

/* A target that was reset has forgotten about ACK: one list fails, the next one works. */
START_TEST(pipe_finds_back_after_a_reset_of_the_target)
{
	struct pt_bdc_op ops[] = {
		{ .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff },
		{ .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0x1000, .n = 3, .bytes = block },
	};
	size_t n_done;

	open_pipe();
	fake_bdc_reset(&pipe_probe.bdc, false);
	ck_assert_int_eq(bdc->run(wire, ops, 2, SECOND_MS, &n_done, &err), PT_ETIMEOUT);
	ck_assert_str_eq(err.msg, "no ACK from the target");
	run(ops, 2);
	ck_assert_mem_eq(block, pipe_probe.bdc.memory + 0x1000, 3);
	pt_probe_close(probe);
}
END_TEST

START_TEST(pipe_waits_for_go_until)
{
	struct pt_bdc_op ops[] = { { .what = PT_BDC_BACKGROUND }, { .what = PT_BDC_GO_UNTIL, .time_us = 200000 },
				   { .what = PT_BDC_READ_RN, .crn = 11 } };
	size_t n_done;

	open_pipe();
	pipe_probe.bdc.until_waits = 8;
	run(ops, 3);
	ck_assert_uint_eq(ops[2].value, 0xff8000);
	pipe_probe.bdc.until_waits = 1000;
	ck_assert_int_eq(bdc->run(wire, ops, 3, SECOND_MS, &n_done, &err), PT_ETIMEOUT);
	ck_assert_uint_eq(n_done, 1);
	run(ops, 1);
	pt_probe_close(probe);
}
END_TEST

static const struct {
	const char *name;
	bool no_power, absent;
} silences[] = { { "power", true, false }, { "SYNC", false, true } };

START_TEST(pipe_says_why_nobody_answers)
{
	uint32_t hz;

	open_pipe();
	pipe_probe.no_power = silences[_i].no_power;
	pipe_probe.bdc.absent = silences[_i].absent;
	ck_assert_int_eq(bdc->connect(wire, &hz, &err), PT_EPROTO);
	ck_assert_msg(strstr(err.msg, silences[_i].name) != NULL, "%s", err.msg);
	pt_probe_close(probe);
}
END_TEST

/* --- its pins ----------------------------------------------------------------------------------------------------- */

static struct pt_pins_read what;

static int start_pins(const char *line, uint32_t least_hz)
{
	struct pt_pins_want want = { .line = { line }, .n_lines = 1, .least_hz = least_hz };
	const struct pt_pins_ops *pins = pt_probe_pins(probe, &wire);
	uint32_t hz;

	return pins->start(wire, &want, &hz, &err);
}

START_TEST(pipe_refuses_captures_it_cannot_make)
{
	open_pipe();
	ck_assert_int_eq(start_pins("d7", 1), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "pdoclk"));
	ck_assert_int_eq(start_pins("pdo", 200000000), PT_EARG);
	ck_assert_int_eq(start_pins("0", 1000), 0);
	ck_assert_int_eq(start_pins("1", 1000), PT_EBUSY);
	pt_probe_close(probe);
	ck_assert(pipe_probe.stopped);
}
END_TEST

/* 5000 bytes of one-sample runs, of which 7 are lost in the middle. */
START_TEST(pipe_tells_what_of_a_capture_is_lost)
{
	static uint8_t runs[5000];
	static pt_pins_run got[6000];
	const struct pt_pins_ops *pins;
	uint64_t lost = 0, before_loss = 0;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(runs); i++)
		runs[i] = (uint8_t)(i % 2 << 7 | 1);
	open_pipe();
	pins = pt_probe_pins(probe, &wire);
	pipe_probe.runs = runs;
	pipe_probe.n_runs = sizeof(runs);
	pipe_probe.lost_at = 3000;
	pipe_probe.lost = 7;
	pipe_probe.clock_ns = 1000000000;
	ck_assert_int_eq(start_pins("pdoclk", 1000000), 0);
	ck_assert_int_eq(pins->stop(wire, &err), 0);
	do {
		int rc = pins->read(wire, got + n, 97, 10, &what, &err);

		ck_assert_msg(rc >= 0, "%s", err.msg);
		if (what.lost_samples > 0)
			before_loss = n;
		if (rc > 0 && what.lost_samples == 0 &&
		    lost == 0) /* 1 us a sample, from about the start of the capture on */
			ck_assert_uint_le(what.from_ns, script.now_ns + 5000000);
		lost += what.lost_samples;
		n += (size_t)rc;
	} while (!what.ended);
	ck_assert_uint_eq(n, sizeof(runs));
	ck_assert_uint_eq(lost, 7);
	ck_assert_uint_eq(before_loss, 3000);
	for (size_t i = 0; i < n; i++)
		ck_assert_uint_eq(got[i], (i % 2) << PT_PINS_LEVELS | 1);
	ck_assert_int_eq(pins->read(wire, got, 10, 10, &what, &err), 0);
	ck_assert(what.ended);
	ck_assert_int_eq(start_pins("pdo", 1000000), 0);	/* anew */
	pt_probe_close(probe);
}
END_TEST

/* A byte for two runs, whatever room there is for them. */
START_TEST(pipe_takes_pairs_apart)
{
	static uint8_t runs[16 * 4];
	static pt_pins_run got[2 * sizeof(runs)];
	const struct pt_pins_ops *pins;
	size_t n = 0;

	for (unsigned i = 0; i < sizeof(runs); i++)
		runs[i] = (uint8_t)(48 + i % 16 + (i / 16 % 2) * 0x40 + (i / 32) * 0x80);
	open_pipe();
	pins = pt_probe_pins(probe, &wire);
	pipe_probe.runs = runs;
	pipe_probe.n_runs = sizeof(runs);
	ck_assert_int_eq(start_pins("pdoclk", 1000000), 0);
	ck_assert_int_eq(pins->stop(wire, &err), 0);
	do {
		int rc = pins->read(wire, got + n, 1 + n % 5, 10, &what, &err);

		ck_assert_msg(rc >= 0 && n + (size_t)rc <= PT_LEN(got), "%s", err.msg);
		n += (size_t)rc;
	} while (!what.ended);
	for (size_t i = 0, at = 0, left = 0; i < sizeof(runs); i++) {	/* equal levels may have become one run */
		for (unsigned half = 0; half < 2; half++) {
			uint32_t samples = half == 0 ? 1 + i % 16 / 4 : 1 + i % 4, level = (uint32_t)(i / 32) ^ half;

			for (uint32_t k = 0; k < samples; k++, left--) {
				if (left == 0) {
					ck_assert_uint_lt(at, n);
					left = got[at++] & PT_PINS_SAMPLES;
				}
				ck_assert_uint_eq(got[at - 1] >> PT_PINS_LEVELS & 1, level);
			}
		}
	}
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bdc_probes");
	TCase *tc = tcase_create("probes");

	tcase_set_timeout(tc, 30);
	tcase_add_test(tc, osbdm_reads_the_buffer_in_22_packets);
	tcase_add_test(tc, osbdm_reads_memory_in_few_packets);
	tcase_add_test(tc, osbdm_does_a_short_list_in_one_packet);
	tcase_add_test(tc, osbdm_resets_either_way);
	tcase_add_test(tc, osbdm_takes_for_errors_what_it_is_told);
	tcase_add_test(tc, osbdm_for_other_chips_is_refused);
	tcase_add_loop_test(tc, usbdm_reads_the_buffer_word_by_word, 4, 6);
	tcase_add_loop_test(tc, usbdm_moves_rows_of_any_length, 4, 6);
	tcase_add_loop_test(tc, usbdm_waits_while_it_is_busy, 4, 6);
	tcase_add_loop_test(tc, usbdm_that_knows_no_s12z_is_refused, 4, 6);
	tcase_add_loop_test(tc, usbdm_connects_anew_when_its_firmware_lost_the_target, 4, 6);
	tcase_add_test(tc, nothing_erases_unasked);
	tcase_add_test(tc, pipe_keeps_requests_in_flight);
	tcase_add_test(tc, pipe_takes_pairs_apart);
	tcase_add_test(tc, pipe_takes_sleep_for_no_error);
	tcase_add_test(tc, pipe_does_nothing_behind_a_refusal);
	tcase_add_test(tc, pipe_hears_of_refused_lines);
	tcase_add_test(tc, pipe_does_without_ack);
	tcase_add_test(tc, pipe_finds_back_after_a_reset_of_the_target);
	tcase_add_test(tc, pipe_waits_for_go_until);
	tcase_add_loop_test(tc, pipe_says_why_nobody_answers, 0, (int)PT_LEN(silences));
	tcase_add_test(tc, pipe_refuses_captures_it_cannot_make);
	tcase_add_test(tc, pipe_tells_what_of_a_capture_is_lost);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
