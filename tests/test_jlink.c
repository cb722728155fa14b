/* The J-Link's driver on the virtual one, over a scripted link: byte for byte what it sends, how long its shifts are,
 * what it makes of devices that differ or are flawed. */
#include <string.h>

#include "busy_ap.h"
#include "harness.h"
#include "probes/registry.h"
#include "probes/virtual/probe/jlink.h"
#include "scripted_link.h"

enum { DPIDR = 0x0bc11477, DRW = 0xc, SENT_MOST = 64, SENT_BYTES = 4200 };

static struct busy_ap behind;
static struct pt_vpace pace;
static struct pt_vfaults faults;
static struct pt_vjlink *device;
static struct pt_script script;
static struct pt_probe *probe;
static const struct pt_dap_ops *dap;
static void *wire;
static struct pt_err err;
static uint8_t *response;
static size_t response_bytes;
static bool answered, mute, in_reset;
static struct { uint8_t bytes[SENT_BYTES]; size_t n, n_answer; } sent[SENT_MOST];
static size_t n_sent;

static void advance(struct pt_vboard *board, uint64_t to_ns)
{
	(void)board, (void)to_ns;
}

static struct pt_vap *ap_of(struct pt_vboard *board, unsigned apsel)
{
	(void)board;
	return apsel == 0 ? &behind.ap : NULL;
}

static uint32_t dpidr(struct pt_vboard *board)
{
	(void)board;
	return DPIDR;
}

static void set_nreset(struct pt_vboard *board, bool asserted)
{
	(void)board;
	in_reset = asserted;
}

static const struct pt_vboard_ops board_ops = {
	.name = "port", .advance = advance, .ap = ap_of, .dpidr = dpidr, .set_nreset = set_nreset,
};

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t done_ns)
{
	(void)arg, (void)done_ns;
	ck_assert_uint_le(response_bytes + len_bytes, PT_SCRIPT_BYTES);
	memcpy(response + response_bytes, bytes, len_bytes);
	response_bytes += len_bytes;
	answered = true;
}

static size_t serve(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *out, uint64_t *took_ns)
{
	(void)arg, (void)took_ns;
	response = out;
	response_bytes = 0;
	answered = false;
	if (!mute)
		pt_vjlink_engine.process(device, request, len_bytes, 0, on_response, NULL);
	if (n_sent < SENT_MOST) {
		memcpy(sent[n_sent].bytes, request, len_bytes < SENT_BYTES ? len_bytes : SENT_BYTES);
		sent[n_sent].n = len_bytes;
		sent[n_sent++].n_answer = answered ? response_bytes : 0;
	}
	return answered ? response_bytes : PT_SCRIPT_NO_ANSWER;
}

static void make(const char *kind, unsigned flaws, uint32_t memory_bytes)
{
	const struct pt_vjlink_config config = {
		.kind = pt_vjlink_kind(kind), .flaws = flaws, .max_hz = 50000000, .memory_bytes = memory_bytes,
	};

	busy_ap_init(&behind);
	memset(&script, 0, sizeof(script));
	memset(&err, 0, sizeof(err));
	n_sent = 0;
	mute = in_reset = false;
	pt_vpace_init(&pace, &board_ops, NULL, false);
	device = pt_vjlink_new(&config, &pace, &faults);
	script.info = (struct pt_link_info){ .transport = "bulk", .packet_bytes = 32768, .depth = 8, .usb_pid = 0x0101 };
	script.packet_ns = 10000;
	script.turn_ns = 125000;
	script.late_ns = 3 * PT_NS_PER_S;
	script.answer = serve;
}

static struct pt_probe *open_with(const char *word)
{
	struct pt_params *settings = pt_params_new();
	struct pt_probe *opened;

	if (word != NULL && pt_params_add(settings, pt_jlink_ops.params, pt_jlink_ops.n_params, word, NULL) < 0)
		ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, word, &err), 0);
	opened = pt_probe_open_link(&pt_jlink_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
	return opened;
}

static int run(struct pt_dap_op *ops, size_t n, size_t *n_done)
{
	return dap->run(wire, ops, n, 50, n_done, &err);
}

static void attach(const char *word)
{
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = &(uint32_t){ 0 } },
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_POLL, .a = 4, .value = 0xa0000000, .mask = 0xa0000000, .time_us = 5000 },
	};
	size_t n_done;

	probe = open_with(word);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	dap = pt_probe_dap(probe, &wire);
	ck_assert_msg(dap->connect(wire, PT_DAP_SWD, &err) == 0, "%s", err.msg);
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	ck_assert_uint_eq(*ops[0].words, DPIDR);
}

static void end(void)
{
	pt_probe_close(probe);
	pt_vjlink_engine.free(device);
}

/* --- what it sends ------------------------------------------------------------------------------------------------ */

#define REGISTER 0x09, 0x64, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
static const struct { uint8_t bytes[52]; size_t n; } opens[] = {
	{ { 0x01 }, 1 }, { { 0xe8 }, 1 }, { { 0xed }, 1 }, { { 0xf0 }, 1 }, { { 0xd4 }, 1 }, { { 0x07 }, 1 },
	{ { REGISTER }, 14 }, { { 0xc7, 0xff }, 2 },
	/* by connect */
	{ { 0xc7, 1 }, 2 }, { { 0xdd }, 1 }, { { 0xc0 }, 1 }, { { 0x05, 0xa0, 0x0f }, 3 },
	/* and with the first read, of DPIDR: 190 bits */
	{ { 0xcf, 0, 0xbe, 0,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0, 0, 0, 0, 0xc0, 0x3f,
	    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9e, 0xe7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00,
	    0xa5, 0, 0, 0, 0, 0, 0 }, 52 },
};

START_TEST(sends_what_openocd_sends_but_less)
{
	uint32_t id;
	struct pt_dap_op op = { .what = PT_DAP_READ, .a = 0, .words = &id };
	size_t n_done;

	make("v9", 0, 0);
	probe = open_with(NULL);
	dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
	ck_assert_uint_eq(id, DPIDR);
	ck_assert_uint_eq(n_sent, PT_LEN(opens));
	for (size_t i = 0; i < PT_LEN(opens); i++) {
		ck_assert_uint_eq(sent[i].n, opens[i].n);
		ck_assert_msg(memcmp(sent[i].bytes, opens[i].bytes, opens[i].n) == 0, "command %zu: 0x%02x", i,
			      sent[i].bytes[0]);
	}
	end();
}
END_TEST

/* Two transfers, and the clocks behind them: TAR is written, a word read, and RDBUFF. */
START_TEST(a_word_is_one_shift)
{
	uint32_t word = 0;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = 0x20000000 },
		{ .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &word },
	};
	size_t n_done;

	make("v9", 0, 0);
	attach(NULL);
	n_sent = 0;
	ck_assert_int_eq(run(ops, PT_LEN(ops), &n_done), 0);
	ck_assert_uint_eq(n_sent, 1);
	ck_assert_uint_eq(pt_le16(sent[0].bytes + 2), 3 * 46 + 8);
	ck_assert_uint_eq(sent[0].n, 4 + 2 * 19);
	ck_assert_uint_eq(sent[0].n_answer, 19 + 1);
	ck_assert_uint_eq(sent[0].bytes[4 + 19], 0x8b);		/* the request to write TAR */
	ck_assert_uint_eq(word, 0x5a000000);
	end();
}
END_TEST

/* Each length, so that no command and no answer fills its last packet on USB. */
START_TEST(no_packet_is_full_at_the_end)
{
	uint32_t words[200];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = words };
	size_t n_done;

	make("v9", 0, 0);
	attach(NULL);
	for (op.n_words = 1; op.n_words <= 200; op.n_words++) {
		n_sent = 0;
		behind.next_word = 7;
		ck_assert_int_eq(run(&op, 1, &n_done), 0);
		ck_assert_uint_eq(words[op.n_words - 1], 7 + op.n_words - 1);
		ck_assert_uint_eq(n_sent, 1);
		ck_assert_uint_ne(sent[0].n % 64, 0);
		ck_assert_uint_ne(sent[0].n_answer % 64, 0);
	}
	end();
}
END_TEST

START_TEST(shifts_are_as_long_as_there_is_memory)
{
	static const struct { uint32_t memory_bytes; size_t n_words, n_shifts, most_bytes; } rows[] = {
		{ 8000, 2000, 3, 8000 }, { 2048, 400, 3, 2048 }, { 512, 100, 3, 512 },
	};
	static uint32_t words[2000];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = words,
				.n_words = (uint32_t)rows[_i].n_words };
	size_t n_done;

	make("ob", 0, rows[_i].memory_bytes);
	attach("speed=20M");
	n_sent = 0;
	ck_assert_msg(run(&op, 1, &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(words[rows[_i].n_words - 1], 0x5a000000 + rows[_i].n_words - 1);
	ck_assert_uint_eq(n_sent, rows[_i].n_shifts);
	ck_assert_uint_le(sent[0].n, rows[_i].most_bytes);
	ck_assert_uint_gt(sent[0].n, rows[_i].most_bytes * 9 / 10);
	end();
}
END_TEST

/* A list with a poll behind its row, and an ABORT in it: one turn. One outside of a list goes in front of the next. */
START_TEST(spares_turns)
{
	uint32_t word;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_POLL, .a = 4, .value = 0xa0000000, .mask = 0xa0000000, .time_us = 5000, .words = &word },
	};
	size_t n_done;

	make("v9", 0, 0);
	attach(NULL);
	n_sent = 0;
	ck_assert_int_eq(run(ops, PT_LEN(ops), &n_done), 0);
	ck_assert_uint_eq(n_done, 3);
	ck_assert_uint_eq(word & 0xa0000000, 0xa0000000);
	ck_assert_uint_eq(n_sent, 1);
	ck_assert_int_eq(dap->write_abort(wire, 4, &err), 0);
	ck_assert_int_eq(dap->write_abort(wire, 0x1a, &err), 0);
	ck_assert_uint_eq(n_sent, 1);
	ck_assert_int_eq(run(ops + 1, 1, &n_done), 0);
	ck_assert_uint_eq(n_sent, 2);
	ck_assert_uint_eq(sent[1].bytes[4 + 13], 0x81);		/* the request to write ABORT */
	ck_assert_uint_eq(sent[1].bytes[4 + 13 + 1] >> 5 | sent[1].bytes[4 + 13 + 2] << 3, 0x1e);
	dap->write_abort(wire, 0x1e, &err);
	pt_probe_close(probe);
	ck_assert_uint_eq(n_sent, 4);		/* and before it closes, in front of the last word to the table */
	ck_assert_uint_eq(sent[3].bytes[1], 0x65);
	pt_vjlink_engine.free(device);
}
END_TEST

/* --- the target --------------------------------------------------------------------------------------------------- */

static const struct { const char *kind; unsigned flaws; const char *word; } devices[] = {
	{ "v9", 0, NULL }, { "ob", 0, NULL }, { "v10", PT_VJLINK_PADS, NULL }, { "ob", PT_VJLINK_JOINS, NULL },
	{ "ob", PT_VJLINK_DEAF, NULL }, { "v9", 0, "idle-cycles=3" }, { "v9", 0, "limit-packets=4" },
	{ "ob", 0, "jlink.register=off" },
};

START_TEST(does_each_access_once)
{
	static const unsigned each[] = { 0, 1, 3, 40 };
	uint32_t in[300], one = 0, id = 0, out[5] = { 1, 2, 3, 4, 5 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 300 },
		{ .what = PT_DAP_READ, .a = 0, .words = &id },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = DRW, .words = out, .n_words = 5 },
		{ .what = PT_DAP_DELAY, .time_us = 50 },
		{ .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &one },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
	};
	size_t n_done;

	make(devices[_i / 4].kind, devices[_i / 4].flaws, 2048);
	attach(devices[_i / 4].word);
	behind.busy_each = each[_i % 4];
	behind.busy_for = 2;
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	ck_assert_uint_eq(n_done, PT_LEN(ops));
	for (uint32_t i = 0; i < 300; i++)
		ck_assert_msg(in[i] == 0x5a000000 + i, "word %u: 0x%x", i, in[i]);
	ck_assert_uint_eq(one, 0x5a000000 + 300);
	ck_assert_uint_eq(id, DPIDR);
	ck_assert_uint_eq(behind.n_written, 5);
	ck_assert_mem_eq(behind.written, out, sizeof(out));
	ck_assert_uint_eq(behind.n_accesses, 306);
	end();
}
END_TEST

START_TEST(errors_stick_until_they_are_cleared)
{
	uint32_t in[8];
	struct pt_dap_op read = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = in, .n_words = 8 };
	size_t n_done = 9;

	make("v9", 0, 0);
	attach(NULL);
	behind.fault_at = 3;
	ck_assert_int_eq(run(&read, 1, &n_done), PT_EFAULT);
	ck_assert_uint_eq(n_done, 0);
	ck_assert_uint_eq(behind.n_accesses, 3);
	ck_assert_int_eq(run(&read, 1, &n_done), PT_EFAULT);
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(run(&read, 1, &n_done), 0);
	ck_assert_uint_eq(in[7], 0x5a000002 + 7);
	end();
}
END_TEST

START_TEST(gives_up_on_a_port_that_hangs)
{
	uint32_t value;
	struct pt_dap_op op = { .what = PT_DAP_READ, .ap = true, .a = DRW, .words = &value };
	size_t n_done;

	make("v9", 0, 0);
	attach(NULL);
	behind.busy_each = 1;
	behind.busy_for = UINT32_MAX;
	ck_assert_int_eq(run(&op, 1, &n_done), PT_ETIMEOUT);
	ck_assert_ptr_nonnull(strstr(err.msg, "WAIT"));
	behind.busy_each = behind.busy_left = 0;
	ck_assert_int_eq(dap->write_abort(wire, 1, &err), 0);
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(run(&op, 1, &n_done), 0);
	end();
}
END_TEST

START_TEST(drives_reset)
{
	make("v9", 0, 0);
	attach(NULL);
	ck_assert_int_eq(dap->set_reset(wire, true, &err), 0);
	ck_assert(in_reset);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);	/* under reset */
	ck_assert(in_reset);
	ck_assert_int_eq(dap->set_reset(wire, false, &err), 0);
	ck_assert(!in_reset);
	end();
}
END_TEST

static const struct { const char *kind; uint32_t asked_hz, used_hz; uint16_t sent_khz; } speeds[] = {
	{ "v9", 4000000, 4000000, 4000 }, { "v9", 7000000, 6666666, 7000 }, { "v9", 100000000, 15000000, 15000 },
	{ "ob", 4000000, 4000000, 4000 }, { "ob", 10000000, 4000000, 4000 }, { "ob", 3800000, 3789473, 3800 },
	{ "v10", 50000000, 50000000, 50000 }, { "v9", 1500, 1000, 1 },
};

START_TEST(the_clock_is_one_that_the_probe_has)
{
	struct pt_probe_info info;
	uint32_t used;

	make(speeds[_i].kind, 0, 0);
	attach(NULL);
	n_sent = 0;
	ck_assert_int_eq(dap->set_speed(wire, speeds[_i].asked_hz, &used, &err), 0);
	ck_assert_uint_eq(used, speeds[_i].used_hz);
	ck_assert_uint_eq(n_sent, 1);
	ck_assert_uint_eq(sent[0].bytes[0], 5);
	ck_assert_uint_eq(pt_le16(sent[0].bytes + 1), speeds[_i].sent_khz);
	pt_probe_info(probe, &info);
	ck_assert_uint_eq(info.speed_hz, used);
	end();
}
END_TEST

/* --- devices that differ ------------------------------------------------------------------------------------------ */

START_TEST(says_what_it_is)
{
	struct pt_probe_info info;

	make("v9", _i == 0 ? 0 : PT_VJLINK_UNPOWERED, 0);
	attach(NULL);
	pt_probe_info(probe, &info);
	ck_assert_str_eq(info.firmware, "V9 compiled Jan  1 2026 00:00:00");
	ck_assert_str_eq(info.protocol, "hardware 9.03");
	ck_assert_uint_eq(info.target_mv, _i == 0 ? 3300 : 0);
	ck_assert(info.swd && info.jtag);
	end();
}
END_TEST

/* Hardware 5 hangs for ever at a question that its capabilities do not promise. */
START_TEST(asks_an_old_one_nothing_that_it_does_not_know)
{
	const struct pt_jtag_ops *jtag;

	make("v5", 0, 0);
	probe = open_with("transport=jtag");
	ck_assert_msg(probe != NULL, "%s", err.msg);
	jtag = pt_probe_jtag(probe, &wire);
	ck_assert_msg(jtag->connect(wire, &err) == 0, "%s", err.msg);
	for (size_t i = 0; i < n_sent; i++)
		ck_assert_uint_ne(sent[i].bytes[0], 0xc7);
	pt_probe_close(probe);
	n_sent = 0;
	probe = open_with("transport=swd");
	dap = pt_probe_dap(probe, &wire);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "transport=jtag"));
	end();
}
END_TEST

START_TEST(says_that_no_connection_is_free)
{
	make("v9", PT_VJLINK_FULL, 0);
	ck_assert_ptr_null(open_with(NULL));
	ck_assert_int_eq(err.code, PT_EBUSY);
	ck_assert_ptr_nonnull(strstr(err.msg, "6 are registered"));
	probe = open_with("jlink.register=off");
	ck_assert_ptr_nonnull(probe);
	end();
}
END_TEST

/* The first long shift is refused, with what to expect; shorter ones follow by themselves. */
START_TEST(memory_that_shrinks_is_found_out)
{
	uint32_t words[600];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = words, .n_words = 600 };
	size_t n_done;
	int rc = -1;

	make("ob", PT_VJLINK_SHRINKS, 8000);
	attach("speed=20M");
	ck_assert_int_eq(run(&op, 1, &n_done), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "no memory"));
	for (int i = 0; i < 4 && rc < 0; i++)
		rc = run(&op, 1, &n_done);
	ck_assert_int_eq(rc, 0);
	ck_assert_uint_eq(words[599], 0x5a000000 + 599);
	end();
}
END_TEST

START_TEST(a_mute_one_is_given_up_within_a_second)
{
	make("v9", 0, 0);
	mute = true;
	ck_assert_ptr_null(open_with(NULL));
	ck_assert_int_eq(err.code, PT_ETIMEOUT);
	ck_assert_uint_le(script.now_ns, PT_NS_PER_S);
	pt_vjlink_engine.free(device);
}
END_TEST

/* The answer comes when nobody waits for it any more: not to the next question. */
START_TEST(a_late_answer_shifts_no_other)
{
	uint32_t words[8];
	struct pt_dap_op op = { .what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = words, .n_words = 8 };
	size_t n_done;

	make("v9", 0, 0);
	attach(NULL);
	script.fault = PT_SCRIPT_LATE;
	script.fault_at = script.n_requests;
	ck_assert_int_eq(run(&op, 1, &n_done), PT_ETIMEOUT);
	script.now_ns += script.late_ns;
	behind.next_word = 0x100;
	ck_assert_msg(run(&op, 1, &n_done) == 0, "%s", err.msg);
	for (uint32_t i = 0; i < 8; i++)
		ck_assert_uint_eq(words[i], 0x100 + i);
	end();
}
END_TEST

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* What a shift of 65528 bits allows at most: packets and a turn of the link, then the clocks, 46 a word. The times are
 * those of virtual links (setup.c). */
static const struct { const char *uri, *speed; double packet_bytes, packet_us, turn_us, mhz; } links[] = {
	{ "virtual:kl27?clock=virtual&probe=jlink", "speed=4M", 64, 52, 250, 4 },
	{ "virtual:kl27?clock=virtual&probe=jlink&swclk=12M", "speed=12M", 64, 52, 250, 12 },
	{ "virtual:kl27?clock=virtual&probe=jlink&jlink=v10", "speed=4M", 512, 10, 125, 4 },
	{ "virtual:kl27?clock=virtual&probe=jlink&jlink=v10&swclk=15M", "speed=15M", 512, 10, 125, 15 },
};

enum { BLOCKS = 64, BLOCK_WORDS = 256, SHIFT_WORDS = 1422, SHIFT_BYTES = 8191 };

static double least_us(int i)
{
	int out = (4 + 2 * SHIFT_BYTES + (int)links[i].packet_bytes - 1) / (int)links[i].packet_bytes;
	int in = (SHIFT_BYTES + 1 + (int)links[i].packet_bytes - 1) / (int)links[i].packet_bytes;

	return ((out + in) * links[i].packet_us + links[i].turn_us + 8 * SHIFT_BYTES / links[i].mhz) / SHIFT_WORDS;
}

static void bring_up(void)
{
	uint32_t id;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_READ, .a = 0, .words = &id },
		{ .what = PT_DAP_WRITE, .a = 0, .value = 0x1e },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_WRITE, .a = 4, .value = 0x50000000 },
		{ .what = PT_DAP_POLL, .a = 4, .value = 0xa0000000, .mask = 0xa0000000, .time_us = 5000 },
	};
	struct pt_dap_op csw = { .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x23000012 };
	size_t n_done;

	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0 && run(&csw, 1, &n_done) == 0, "%s", err.msg);
}

/* 64 KiB of flash in blocks of the autoincrement's 1 KiB: 95 % of that at least. */
START_TEST(blocks_come_as_fast_as_the_protocol_allows)
{
	static uint32_t words[BLOCKS * BLOCK_WORDS];
	struct pt_dap_op ops[2 * BLOCKS];
	struct pt_params *settings = pt_params_new();
	uint64_t began_ns;
	double us;
	size_t n_done;

	for (uint32_t i = 0; i < BLOCKS; i++) {
		ops[2 * i] = (struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = 1024 * i };
		ops[2 * i + 1] = (struct pt_dap_op){
			.what = PT_DAP_READ_BLOCK, .ap = true, .a = DRW, .words = words + BLOCK_WORDS * i, .n_words = BLOCK_WORDS,
		};
	}
	pt_params_add(settings, pt_probe_params, pt_n_probe_params, links[_i].speed, &err);
	probe = pt_probe_open(links[_i].uri, settings, &err);
	pt_params_free(settings);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	dap = pt_probe_dap(probe, &wire);
	bring_up();
	began_ns = pt_link_now_ns(pt_probe_link(probe));
	ck_assert_msg(run(ops, PT_LEN(ops), &n_done) == 0, "%s", err.msg);
	us = (double)(pt_link_now_ns(pt_probe_link(probe)) - began_ns) / 1000 / PT_LEN(words);
	ck_assert_msg(us * 0.95 <= least_us(_i), "%s: %.2f us a word, %.1f %% of the limit", links[_i].uri, us,
		      100 * least_us(_i) / us);
	ck_assert_uint_eq(words[0] & 0xffff8003, 0x20000000);	/* the demo's stack, and then its code */
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("jlink");
	TCase *tc = tcase_create("jlink");

	tcase_add_test(tc, sends_what_openocd_sends_but_less);
	tcase_add_test(tc, a_word_is_one_shift);
	tcase_add_test(tc, no_packet_is_full_at_the_end);
	tcase_add_loop_test(tc, shifts_are_as_long_as_there_is_memory, 0, 3);
	tcase_add_test(tc, spares_turns);
	tcase_add_loop_test(tc, does_each_access_once, 0, 4 * PT_LEN(devices));
	tcase_add_test(tc, errors_stick_until_they_are_cleared);
	tcase_add_test(tc, gives_up_on_a_port_that_hangs);
	tcase_add_test(tc, drives_reset);
	tcase_add_loop_test(tc, the_clock_is_one_that_the_probe_has, 0, PT_LEN(speeds));
	tcase_add_loop_test(tc, says_what_it_is, 0, 2);
	tcase_add_test(tc, asks_an_old_one_nothing_that_it_does_not_know);
	tcase_add_test(tc, says_that_no_connection_is_free);
	tcase_add_test(tc, memory_that_shrinks_is_found_out);
	tcase_add_test(tc, a_mute_one_is_given_up_within_a_second);
	tcase_add_test(tc, a_late_answer_shifts_no_other);
	tcase_add_loop_test(tc, blocks_come_as_fast_as_the_protocol_allows, 0, PT_LEN(links));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
