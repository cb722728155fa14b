/* The CMSIS-DAP driver over a fake device: what it sends to open and connect, how it fills the pipeline, what it does
 * about polls, delays, WAIT, FAULT and devices with habits of their own. */
#include <stdio.h>
#include <string.h>

#include "fake_cmsis_dap.h"
#include "harness.h"
#include "probes/registry.h"
#include "scripted_link.h"

enum { SECOND_MS = 1000, LOG_BYTES = 4096 };

static struct fake_cmsis_dap fake;
static struct pt_script script;
static char sent[LOG_BYTES];	/* the requests in hex, a line each */
static struct pt_probe *probe;
static const struct pt_dap_ops *dap;
static void *wire;
static struct pt_err err;

static size_t log_and_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	size_t at = strlen(sent);

	for (size_t i = 0; i < len_bytes && at + 4 < LOG_BYTES; i++)
		at += (size_t)sprintf(sent + at, "%02x", request[i]);
	if (at + 1 < LOG_BYTES)
		strcpy(sent + at, "\n");
	return fake_cmsis_dap_answer(arg, request, len_bytes, response, took_ns);
}

static void setup(void)
{
	fake_cmsis_dap_init(&fake, 64, 4);
	memset(&script, 0, sizeof(script));
	memset(&err, 0, sizeof(err));
	sent[0] = 0;
	script.answer = log_and_answer;
	script.arg = &fake;
	script.info = (struct pt_link_info){ .transport = "bulk", .product = "CMSIS-DAP", .packet_bytes = 4096, .depth = 64 };
	script.packet_ns = 10000;
	script.turn_ns = 125000;
	fake.clock_ns = 250;
	probe = NULL;
}

static void open_with(const char *word)
{
	struct pt_params *settings = pt_params_new();

	if (word != NULL)
		ck_assert_int_eq(pt_params_add(settings, pt_probe_params, pt_n_probe_params, word, &err), 0);
	probe = pt_probe_open_link(&pt_cmsis_dap_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
	if (probe != NULL)
		dap = pt_probe_dap(probe, &wire);
}

static void open_probe(void)
{
	open_with(NULL);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
}

static void teardown(void)
{
	pt_probe_close(probe);
}

static uint64_t round_trips(void)
{
	struct pt_link_traffic t;

	pt_link_traffic(pt_probe_link(probe), &t);
	return t.round_trips;
}

/* --- open and connect */

START_TEST(opens_and_connects_as_documented)
{
	open_probe();
	ck_assert_str_eq(sent, "00ff\n"
			       "00fe\n"
			       "00f0\n"
			       "0004\n"
			       "0009\n"
			       "0201\n"
			       "1100093d00\n"
			       "04003178c800\n"	/* no idle, 30769 WAIT retries = 100 ms, 200 match retries = 5 ms */
			       "1300\n"
			       "1288ffffffffffffff9ee7ffffffffffffff00\n"
			       "010001\n");
}
END_TEST

static const struct {
	const char *name;
	uint16_t vid, pid, release;
	const char *product, *word;
	unsigned count, depth;		/* said by the device; used */
	unsigned n_disconnects, n_clocks;
} habits[] = {
	{ "plain", 0x0d28, 0x0204, 0x0100, "CMSIS-DAP", NULL, 4, 4, 0, 1 },
	{ "says 0", 0, 0, 0, "", NULL, 0, 1, 0, 1 },
	{ "says 255", 0, 0, 0, "", NULL, 255, 64, 0, 1 },
	{ "limited by the user", 0, 0, 0, "", "limit-packets=2", 4, 2, 0, 1 },
	{ "EDBG", 0x03eb, 0x2111, 0x0101, "EDBG CMSIS-DAP", NULL, 4, 4, 1, 2 },
	{ "old debugprobe", 0x2e8a, 0x000c, 0x0200, "Debugprobe", NULL, 2, 1, 0, 1 },
	{ "debugprobe", 0x2e8a, 0x000c, 0x0220, "Debugprobe", NULL, 8, 8, 0, 1 },
	{ "ULINK-ME", 0xc251, 0x2723, 0x0100, "Keil ULINK-ME CMSIS-DAP", NULL, 1, 1, 1, 1 },
	{ "nanoDAP", 0xc251, 0xf001, 0x0100, "nanoDAP CMSIS-DAP", NULL, 4, 1, 0, 1 },
	{ "YAPicoprobe, bulk", 0x2e8a, 0x000c, 0x0300, "YAPicoprobe CMSIS-DAP", NULL, 16, 16, 0, 1 },
	{ "YAPicoprobe, HID", 0x2e8a, 0x000c, 0x0300, "YAPicoprobe CMSIS-DAP", NULL, 16, 1, 0, 1 },
};

START_TEST(knows_habits)
{
	struct pt_probe_info info;

	script.info.usb_vid = habits[_i].vid;
	script.info.usb_pid = habits[_i].pid;
	script.info.usb_release = habits[_i].release;
	strcpy(script.info.product, habits[_i].product);
	script.info.fixed_packets = fake.padded = strstr(habits[_i].name, "HID") != NULL;
	fake.packet_count = (uint8_t)habits[_i].count;
	open_with(habits[_i].word);
	ck_assert_msg(probe != NULL, "%s: %s", habits[_i].name, err.msg);
	ck_assert_int_eq(dap->connect(wire, PT_DAP_SWD, &err), 0);
	pt_probe_info(probe, &info);
	ck_assert_msg(info.packet_count == habits[_i].depth, "%s: %u", habits[_i].name, info.packet_count);
	ck_assert_msg(fake.n_commands[0x03] == habits[_i].n_disconnects, "%s", habits[_i].name);
	ck_assert_msg(fake.n_commands[0x11] == habits[_i].n_clocks, "%s", habits[_i].name);
}
END_TEST

/* What the link does not know of its device, the device is asked. Our own models are known by their name wherever they
 * are plugged in. */
static const struct { const char *name, *by_link, *by_probe, *product; bool is_virtual; } products[] = {
	{ "usb", "DAPLink CMSIS-DAP", "Other", "DAPLink CMSIS-DAP", false },
	{ "tcp", "", "DAPLink CMSIS-DAP", "DAPLink CMSIS-DAP", false },
	{ "tcp, silent", "", NULL, "", false },
	{ "usb, ours", "proftap virtual CMSIS-DAP", NULL, "proftap virtual CMSIS-DAP", true },
	{ "tcp, ours", "", "proftap virtual CMSIS-DAP", "proftap virtual CMSIS-DAP", true },
	{ "tcp, not ours", "", "virtual CMSIS-DAP", "virtual CMSIS-DAP", false },
};

START_TEST(knows_what_it_is)
{
	struct pt_probe_info info;

	strcpy(script.info.product, products[_i].by_link);
	fake.product = products[_i].by_probe;
	open_probe();
	pt_probe_info(probe, &info);
	ck_assert_msg(strcmp(info.link.product, products[_i].product) == 0, "%s: %s", products[_i].name,
		      info.link.product);
	ck_assert_msg(info.link.is_virtual == products[_i].is_virtual, "%s", products[_i].name);
}
END_TEST

static const struct {
	const char *name, *says, *protocol;
	bool hid;
} versions[] = {
	{ "2", "2.1.1", "2.1.1", false }, { "1", "1.2.0", "1.2.0", true }, { "DAPLink", "0254", "2.0", false },
	{ "DAPLink HID", "0254", "1.0", true }, { "none", "", "2.0", false }, { "far", "20.1", "2.0", false },
	{ "long", "1.2.3.4.5.6.7.8.9.10.11.12.13.14", "1.2.3.4.5.6.7.8", false },
};

START_TEST(understands_versions)
{
	struct pt_probe_info info;

	fake.protocol = versions[_i].says;
	script.info.fixed_packets = fake.padded = versions[_i].hid;
	open_probe();
	pt_probe_info(probe, &info);
	ck_assert_msg(strcmp(info.protocol, versions[_i].protocol) == 0, "%s: %s", versions[_i].name, info.protocol);
}
END_TEST

static const struct {
	size_t says, link, used;	/* used 0: refused */
} sizes[] = {
	{ 64, 4096, 64 }, { 512, 4096, 512 }, { 0, 4096, 64 }, { 1024, 64, 64 }, { 65535, 32768, 4096 }, { 8, 4096, 0 },
};

START_TEST(settles_on_a_packet_size)
{
	struct pt_probe_info info;

	fake.packet_bytes = (uint16_t)sizes[_i].says;
	script.info.packet_bytes = sizes[_i].link;
	open_with(NULL);
	if (sizes[_i].used == 0) {
		ck_assert_ptr_null(probe);
		ck_assert_int_eq(err.code, PT_EPROTO);
		return;
	}
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_info(probe, &info);
	ck_assert_uint_eq(info.packet_bytes, sizes[_i].used);
}
END_TEST

/* As the device says, not as the driver could; the protocol measures no voltage. */
static const struct { uint8_t says; bool swd, jtag, swo; } abilities[] = {
	{ 0x01, true, false, false }, { 0x02, false, true, false }, { 0x07, true, true, true },
};

START_TEST(says_what_it_can_reach)
{
	struct pt_probe_info info;

	fake.capabilities = abilities[_i].says;
	open_with(NULL);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_info(probe, &info);
	ck_assert(info.swd == abilities[_i].swd && info.jtag == abilities[_i].jtag && info.swo == abilities[_i].swo);
	ck_assert(!info.bdc && info.target_mv == 0);
}
END_TEST

/* --- devices that claim more than they can */

enum claim { TAKES_ONE, READS_PIECES, MUTE_AT_LONG, BOTH, LOSES_BLOCKS };

static enum claim claim;
static bool silent;

/* A request that comes while an answer waits to be fetched is lost; one of more than 64 bytes is taken for several, or
 * ends in nothing. */
static size_t claim_and_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response,
			       uint64_t *took_ns)
{
	bool waits = script.n_queued > 1;	/* beside this one */

	if (waits && (claim == TAKES_ONE || claim == BOTH || (claim == LOSES_BLOCKS && request[0] == 0x06)))
		return PT_SCRIPT_NO_ANSWER;
	if (len_bytes > 64 && (claim == MUTE_AT_LONG || claim == BOTH))
		return PT_SCRIPT_NO_ANSWER;
	for (size_t at = 64; claim == READS_PIECES && at < len_bytes; at += 64)
		pt_script_leave(&script, (const uint8_t[]){ 0xff }, 1);
	return fake_cmsis_dap_answer(arg, request, len_bytes < 64 ? len_bytes : 64, response, took_ns);
}

static const struct { enum claim claim; uint16_t bytes; unsigned depth, bytes_used, depth_used; } claims[] = {
	{ TAKES_ONE, 64, 4, 64, 1 },
	{ READS_PIECES, 512, 4, 64, 4 },
	{ MUTE_AT_LONG, 512, 4, 64, 4 },
	{ BOTH, 512, 8, 64, 1 },
	{ LOSES_BLOCKS, 64, 4, 64, 4 },	/* found out later */
};

static int read_block(uint32_t *words, size_t n)
{
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x12 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = (uint32_t)n },
	};
	size_t n_done;

	return dap->run(wire, ops, PT_LEN(ops), 1000, &n_done, &err);
}

START_TEST(finds_out_wrong_claims)
{
	struct pt_probe_info info;
	uint32_t words[200];

	claim = claims[_i].claim;
	script.answer = claim_and_answer;
	script.info.usb_mbps = 12;
	fake.packet_bytes = claims[_i].bytes;
	fake.packet_count = (uint8_t)claims[_i].depth;
	open_probe();
	pt_probe_info(probe, &info);
	ck_assert_uint_eq(info.packet_bytes, claims[_i].bytes_used);
	ck_assert_uint_eq(info.packet_count, claims[_i].depth_used);
	ck_assert_uint_le(script.now_ns, PT_NS_PER_S);
	for (int tries = 0; read_block(words, PT_LEN(words)) < 0; tries++) {
		ck_assert_int_lt(tries, 2);	/* each loses one; then one packet at a time */
		ck_assert_int_eq(claim, LOSES_BLOCKS);
	}
	for (size_t i = 0; i < PT_LEN(words); i++)
		ck_assert_uint_eq(words[i], 0x5a000000 + i);
	pt_probe_info(probe, &info);
	ck_assert_uint_eq(info.packet_count, claim == LOSES_BLOCKS ? 1 : claims[_i].depth_used);
}
END_TEST

static size_t claim_and_fall_silent(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response,
				    uint64_t *took_ns)
{
	static const uint8_t capabilities = 0xf0;	/* the first of what is asked as it claims to take it */

	silent |= request[0] == 0 && request[1] == capabilities;
	return silent ? PT_SCRIPT_NO_ANSWER : fake_cmsis_dap_answer(arg, request, len_bytes, response, took_ns);
}

START_TEST(gives_up_one_that_falls_silent_in_the_trial)
{
	silent = false;
	script.answer = claim_and_fall_silent;
	script.info.usb_mbps = 12;
	fake.packet_bytes = 512;
	fake.packet_count = 4;
	open_with(NULL);
	ck_assert_ptr_null(probe);
	ck_assert_int_eq(err.code, PT_ETIMEOUT);
	ck_assert_uint_le(script.now_ns, PT_NS_PER_S);
}
END_TEST

/* By USB 2.0: a frame of full speed has 1500 bytes, 8000 microframes a second have 7500 each; a transaction takes 13, or
 * 55, beside its data. */
static const struct {
	const char *name;
	unsigned mbps;
	bool hid;
	uint16_t packet_bytes;
	uint32_t words_per_s;
} limits[] = {
	{ "bulk, full speed", 12, false, 64, 15 * 15463 },	/* 1500 * 1000 / (7 + 13 + 64 + 13) requests */
	{ "bulk, high speed", 480, false, 512, 127 * 95389 },	/* 7500 * 8000 / (7 + 55 + 512 + 55) */
	{ "HID, full speed", 12, true, 64, 15 * 1000 },
	{ "HID, high speed", 480, true, 512, 127 * 8000 },
	{ "no USB", 0, false, 512, 0 },
};

START_TEST(computes_what_the_cables_allow)
{
	struct pt_probe_limit limit;

	script.info.usb_mbps = limits[_i].mbps;
	script.info.fixed_packets = limits[_i].hid;
	fake.packet_bytes = limits[_i].packet_bytes;
	open_with("speed=2M");
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_limit(probe, &limit);
	ck_assert_msg(limit.link_words_per_s == limits[_i].words_per_s, "%s: %u", limits[_i].name,
		      limit.link_words_per_s);
	ck_assert_uint_eq(limit.wire_words_per_s, 2000000 / 46);
}
END_TEST

START_TEST(refuses_a_probe_without_any_port)
{
	fake.capabilities = 0x10;
	open_with(NULL);
	ck_assert_ptr_null(probe);
	ck_assert_int_eq(err.code, PT_EUNSUPPORTED);
}
END_TEST

/* One that has JTAG alone opens, and says how its debug port is reached. */
START_TEST(a_probe_without_swd_points_to_its_jtag)
{
	fake.capabilities = 0x02;
	open_with(NULL);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	ck_assert_int_eq(pt_probe_dap(probe, &wire)->connect(wire, PT_DAP_SWD, &err), PT_EUNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(err.msg, "transport=jtag"));
}
END_TEST

/* What a killed host left with the probe is not taken for an answer, even where it looks like one. */
START_TEST(drains_stale_responses)
{
	static const uint8_t stale[][4] = { { 0x05, 1, 1, 0 }, { 0x00, 2, 0x00, 0x04 }, { 0x06, 0, 0, 1 } };

	for (size_t i = 0; i < PT_LEN(stale); i++)
		pt_script_leave(&script, stale[i], 4);
	open_probe();
	ck_assert_uint_eq(script.n_requests, 11);
}
END_TEST

/* --- the pipeline */

enum { DUMP_WORDS = FAKE_DAP_WORDS, DUMP_OPS = 1 + 2 * DUMP_WORDS / 256 };
static uint32_t dump[DUMP_WORDS];

static size_t dump_ops(struct pt_dap_op *ops)
{
	size_t n = 0;

	ops[n++] = (struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 };
	for (uint32_t at = 0; at < DUMP_WORDS; at += 256) {
		ops[n++] = (struct pt_dap_op){ .what = PT_DAP_WRITE, .ap = true, .a = 4,
					       .value = FAKE_DAP_BASE + 4 * at };
		ops[n++] = (struct pt_dap_op){ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = dump + at,
					       .n_words = 256 };
	}
	return n;
}

static const struct {
	const char *name;
	uint16_t packet_bytes;
	uint8_t count;
	uint64_t packet_ns, turn_ns;
	bool padded;
	unsigned packets, round_trips;
} dumps[] = {	/* by the kind of link */
	{ "hid-fs", 64, 8, 1000000, 1000000, true, 1093, 1 },
	{ "bulk-fs", 64, 8, 52000, 250000, false, 1093, 1 },
	{ "bulk-hs", 512, 4, 10000, 125000, false, 130, 1 },
	{ "tcp", 1024, 1, 10000, 200000, false, 65, 65 },
};

/* 64 KiB in the fewest packets there can be, the pipeline full, and every word where it belongs. */
START_TEST(dumps_at_the_links_speed)
{
	static struct pt_dap_op ops[DUMP_OPS];
	uint64_t before, requests;
	size_t n_done;

	fake.packet_bytes = dumps[_i].packet_bytes;
	fake.packet_count = dumps[_i].count;
	fake.padded = script.info.fixed_packets = dumps[_i].padded;
	script.packet_ns = dumps[_i].packet_ns;
	script.turn_ns = dumps[_i].turn_ns;
	open_probe();
	before = round_trips();
	requests = script.n_requests;
	ck_assert_int_eq(dap->run(wire, ops, dump_ops(ops), SECOND_MS, &n_done, &err), 0);
	ck_assert_msg(script.n_requests - requests == dumps[_i].packets, "%s: %zu", dumps[_i].name,
		      script.n_requests - (size_t)requests);
	ck_assert_uint_eq(round_trips() - before, dumps[_i].round_trips);
	ck_assert_uint_eq(script.most_outstanding, dumps[_i].count);
	ck_assert_uint_le(script.largest_request, dumps[_i].packet_bytes);
	for (uint32_t i = 0; i < DUMP_WORDS; i++)
		ck_assert_uint_eq(dump[i], 0x5a000000 + i);
	for (size_t i = 1; i < DUMP_OPS; i++)
		ck_assert(ops[i].sent_ns < ops[i].done_ns && ops[i].done_ns >= ops[i - 1].done_ns);
}
END_TEST

/* --- polls and delays */

static struct pt_dap_op poll_ops[3];
static uint32_t seen, after;

static int poll_for(uint32_t time_us, size_t *n_done)
{
	seen = after = 0xdeadbeef;
	poll_ops[0] = (struct pt_dap_op){ .what = PT_DAP_WRITE, .a = 8, .value = 0x10 };
	poll_ops[1] = (struct pt_dap_op){ .what = PT_DAP_POLL, .ap = true, .a = 4, .mask = 0x80000000, .value = 0,
					  .time_us = time_us, .words = &seen };
	poll_ops[2] = (struct pt_dap_op){ .what = PT_DAP_READ, .a = 0, .words = &after };
	return dap->run(wire, poll_ops, 3, SECOND_MS, n_done, &err);
}

START_TEST(polls_in_the_probe)
{
	size_t n_done;
	uint64_t before;

	open_probe();
	fake.poll_reads = 100;
	fake.bd1_after = 0x123;
	before = round_trips();
	ck_assert_int_eq(poll_for(20000, &n_done), 0);
	ck_assert_uint_eq(n_done, 3);
	ck_assert_uint_eq(round_trips() - before, 1);
	ck_assert_uint_eq(seen, 0x123);
	ck_assert_uint_eq(after, 0x0bc11477);
}
END_TEST

static const uint32_t poll_times_us[] = { 0, 100, 5000, 20000, 100000 };

START_TEST(gives_a_poll_up_in_time)
{
	uint32_t time_us = poll_times_us[_i];
	uint64_t began_ns, took_us;
	size_t n_done;

	open_probe();
	fake.poll_reads = UINT32_MAX;
	began_ns = script.now_ns;
	ck_assert_int_eq(poll_for(time_us, &n_done), 0);
	took_us = (script.now_ns - began_ns) / 1000;
	ck_assert_uint_eq(n_done, 1);
	ck_assert_uint_eq(seen, 0x80000000);
	ck_assert_uint_eq(after, 0xdeadbeef);	/* sent along, thrown away */
	ck_assert_uint_ge(took_us, time_us);
	ck_assert_uint_le(took_us, time_us + 5000 + 2000);
	fake.poll_reads = 0;
	ck_assert_int_eq(poll_for(time_us, &n_done), 0);
	ck_assert_uint_eq(n_done, 3);
}
END_TEST

/* One try of the probe is short enough that an interrupt need not wait for it long. */
START_TEST(polls_in_short_tries)
{
	size_t n_done;

	open_probe();
	fake.poll_reads = UINT32_MAX;
	script.fault = PT_SCRIPT_INTERRUPT;
	script.fault_at = script.n_requests + 2;
	ck_assert_int_eq(poll_for(1000000, &n_done), PT_EINTERRUPTED);
	uint64_t began_ns = script.now_ns;
	fake.poll_reads = 0;
	ck_assert_int_eq(poll_for(1000, &n_done), 0);
	ck_assert_uint_le(script.now_ns - began_ns, 10 * PT_NS_PER_MS);
}
END_TEST

static const struct {
	const char *word;
	uint8_t capabilities;
	unsigned packets;
} delays[] = {
	{ NULL, 0x01, 3 }, { NULL, 0x11, 1 }, { "atomic=off", 0x11, 3 },
};

START_TEST(delays_in_the_probe)
{
	uint32_t id = 0;
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0 },
		{ .what = PT_DAP_DELAY, .time_us = 20000 },
		{ .what = PT_DAP_READ, .a = 0, .words = &id },
	};
	uint64_t began_ns, before;
	size_t n_done, requests;

	fake.capabilities = delays[_i].capabilities;
	open_with(delays[_i].word);
	requests = script.n_requests;
	before = round_trips();
	began_ns = script.now_ns;
	/* Longer than the time-out of 10 ms: a delay is progress. */
	ck_assert_int_eq(dap->run(wire, ops, 3, 10, &n_done, &err), 0);
	ck_assert_uint_eq(script.n_requests - requests, delays[_i].packets);
	ck_assert_uint_eq(round_trips() - before, 1);
	ck_assert_uint_ge(script.now_ns - began_ns, 20 * PT_NS_PER_MS);
	ck_assert_uint_eq(fake.n_delay_us, 20000);
	ck_assert_uint_eq(id, 0x0bc11477);
}
END_TEST

/* --- WAIT and FAULT */

static uint32_t wait_words[40];

static int write_and_read(size_t *n_done, uint32_t timeout_ms)
{
	static uint32_t values[4] = { 1, 2, 3, 4 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_WRITE_BLOCK, .ap = true, .a = 0xc, .words = values, .n_words = 4 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = wait_words, .n_words = 40 },
	};

	return dap->run(wire, ops, PT_LEN(ops), timeout_ms, n_done, &err);
}

static const struct {
	const char *name;
	unsigned from, acks;	/* which access of the AP, how many WAITs */
	int rc;
	unsigned n_done_least;
} waits[] = {
	{ "none", 0, 0, 0, 5 },
	{ "a few at a write", 3, 1000, 0, 5 },
	{ "a few at a read", 20, 1000, 0, 5 },
	{ "more than the probe tries, with packets behind it", 3, 40000, PT_ETIMEOUT, 2 },
	{ "more than the probe tries, at a posted read", 48, 40000, PT_ETIMEOUT, 4 },
	{ "for ever", 3, 4000000, PT_ETIMEOUT, 2 },
};

START_TEST(waits_with_the_target)
{
	uint64_t began_ns;
	size_t n_done;

	open_probe();
	fake.wait_from = fake.n_accesses + waits[_i].from;
	fake.wait_acks = waits[_i].acks;
	began_ns = script.now_ns;
	ck_assert_msg(write_and_read(&n_done, SECOND_MS) == waits[_i].rc, "%s: %s", waits[_i].name, err.msg);
	ck_assert_msg(n_done >= waits[_i].n_done_least, "%s: %zu", waits[_i].name, n_done);
	ck_assert_uint_le(script.now_ns - began_ns, 5 * PT_NS_PER_S);
	if (waits[_i].rc == 0)
		for (uint32_t i = 0; i < 40; i++)
			ck_assert_uint_eq(wait_words[i], i < 4 ? i + 1 : 0x5a000000 + i);
}
END_TEST

/* With nothing behind it, and no read in doubt, a list outlasts the probe's patience, up to the time-out. */
static const struct {
	unsigned from, acks;
	int rc;
} long_waits[] = {
	{ 0, 100000, 0 }, { 1, 100000, 0 }, { 3, 100000, 0 }, { 0, 10000000, PT_ETIMEOUT },
};

START_TEST(goes_on_where_it_waited)
{
	uint32_t back[3] = { 0 };
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0xc, .value = 7 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0xc, .value = 8 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = back, .n_words = 3 },
	};
	uint64_t began_ns;
	size_t n_done;

	open_probe();
	fake.wait_from = fake.n_accesses + long_waits[_i].from;
	fake.wait_acks = long_waits[_i].acks;
	began_ns = script.now_ns;
	ck_assert_int_eq(dap->run(wire, ops, PT_LEN(ops), SECOND_MS, &n_done, &err), long_waits[_i].rc);
	if (long_waits[_i].rc == 0)
		ck_assert(back[0] == 7 && back[1] == 8 && back[2] == 0x5a000002);
	else
		ck_assert_uint_ge(script.now_ns - began_ns, SECOND_MS * PT_NS_PER_MS);
	ck_assert_uint_le(script.now_ns - began_ns, 2 * PT_NS_PER_S);
}
END_TEST

START_TEST(says_how_far_it_came_before_a_fault)
{
	static uint32_t words[100];
	struct pt_dap_op ops[] = {
		{ .what = PT_DAP_WRITE, .ap = true, .a = 0, .value = 0x22000012 },
		{ .what = PT_DAP_WRITE, .ap = true, .a = 4, .value = FAKE_DAP_BASE },
		{ .what = PT_DAP_READ_BLOCK, .ap = true, .a = 0xc, .words = words, .n_words = 100 },
		{ .what = PT_DAP_WRITE, .a = 8, .value = 0xf0 },
	};
	size_t n_done;

	open_probe();
	fake.fault_addr = FAKE_DAP_BASE + 4 * (uint32_t)_i;
	ck_assert_int_eq(dap->run(wire, ops, 4, SECOND_MS, &n_done, &err), PT_EFAULT);
	ck_assert_uint_eq(n_done, 2);
	for (uint32_t i = 0; i + 1 < (uint32_t)_i; i++)
		ck_assert_uint_eq(words[i], 0x5a000000 + i);
	ck_assert_uint_eq(fake.select, 0);		/* what was in flight behind it did nothing */
	fake.fault_addr = 0;
	ck_assert_int_eq(dap->write_abort(wire, 0x1e, &err), 0);
	ck_assert_int_eq(write_and_read(&n_done, SECOND_MS), 0);
}
END_TEST

START_TEST(says_that_nobody_answers)
{
	uint32_t id;
	struct pt_dap_op op = { .what = PT_DAP_READ, .a = 0, .words = &id };
	size_t n_done;

	open_probe();
	fake.absent = true;
	ck_assert_int_eq(dap->run(wire, &op, 1, SECOND_MS, &n_done, &err), PT_EPROTO);
	ck_assert_ptr_nonnull(strstr(err.msg, "does not answer on SWD"));
	fake.absent = false;
	ck_assert_int_eq(dap->run(wire, &op, 1, SECOND_MS, &n_done, &err), 0);
}
END_TEST

/* --- the rest of the wire */

START_TEST(follows_the_clock)
{
	uint32_t used = 0;

	open_probe();
	ck_assert_int_eq(dap->set_speed(wire, 1000000, &used, &err), 0);
	ck_assert_uint_eq(used, 1000000);
	ck_assert_uint_eq(fake.last_clock, 1000000);
	ck_assert_uint_eq(fake.match_retry, 50);
	ck_assert_uint_eq(fake.wait_retry, 7692);
	ck_assert_int_eq(dap->set_speed(wire, 0, &used, &err), PT_EARG);
}
END_TEST

START_TEST(drives_reset)
{
	open_probe();
	ck_assert_int_eq(dap->set_reset(wire, true, &err), 0);
	ck_assert_uint_eq(fake.last_pins, 0x8000);	/* output, select */
	ck_assert_int_eq(dap->set_reset(wire, false, &err), 0);
	ck_assert_uint_eq(fake.last_pins, 0x8080);
}
END_TEST

START_TEST(sends_long_sequences)
{
	uint8_t bits[25];

	for (size_t i = 0; i < sizeof(bits); i++)
		bits[i] = (uint8_t)(i + 1);
	open_probe();
	sent[0] = 0;
	ck_assert_int_eq(dap->sequence(wire, bits, 163, &err), 0);
	ck_assert_str_eq(sent, "12a00102030405060708090a0b0c0d0e0f1011121314\n"
			       "120305\n");
}
END_TEST

START_TEST(disconnects_in_spite_of_a_late_interrupt)
{
	open_probe();
	pt_probe_interrupt(probe);
	pt_probe_close(probe);
	probe = NULL;
	ck_assert_uint_eq(fake.n_commands[0x03], 1);
}
END_TEST

/* As `proftap probes` does. Old Debug Probes hang at a Disconnect that no Connect came before. */
START_TEST(disconnects_only_what_it_has_connected)
{
	open_with(NULL);
	pt_probe_close(probe);
	probe = NULL;
	ck_assert_uint_eq(fake.n_commands[0x02], 0);
	ck_assert_uint_eq(fake.n_commands[0x03], 0);
}
END_TEST

/* --- what it says about its speed */

static const struct {
	const char *name;
	uint16_t packet_bytes;
	uint64_t packet_ns, turn_ns;
	uint32_t clock_ns, hz;		/* hz 0: only a lower bound can be had */
} speeds[] = {
	{ "bulk-hs at 4 MHz", 512, 10000, 125000, 250, 4000000 },
	{ "bulk-hs at 1 MHz", 512, 10000, 125000, 1000, 1000000 },
	{ "hid-fs", 64, 1000000, 1000000, 250, 0 },
};

START_TEST(measures_itself)
{
	struct pt_probe_speed speed;

	fake.packet_bytes = speeds[_i].packet_bytes;
	script.packet_ns = speeds[_i].packet_ns;
	script.turn_ns = speeds[_i].turn_ns;
	script.info.fixed_packets = fake.padded = speeds[_i].hz == 0;
	fake.clock_ns = speeds[_i].clock_ns;
	open_probe();
	ck_assert_int_eq(pt_probe_measure(probe, &speed, &err), 0);
	ck_assert_uint_eq(speed.round_trip_ns, 2 * script.packet_ns + script.turn_ns + 46 * fake.clock_ns);
	ck_assert(speed.at_least == (speeds[_i].hz == 0));
	if (speeds[_i].hz > 0) {
		ck_assert_uint_ge(speed.swclk_hz, speeds[_i].hz / 100 * 99);
		ck_assert_uint_le(speed.swclk_hz, speeds[_i].hz / 100 * 101);
	}
	ck_assert_uint_gt(speed.words_per_s, 0);
	ck_assert_uint_le(speed.words_per_s, PT_NS_PER_S / (46 * fake.clock_ns));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cmsis_dap");
	TCase *tc = tcase_create("driver");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, opens_and_connects_as_documented);
	tcase_add_loop_test(tc, knows_habits, 0, (int)PT_LEN(habits));
	tcase_add_loop_test(tc, knows_what_it_is, 0, PT_LEN(products));
	tcase_add_loop_test(tc, understands_versions, 0, (int)PT_LEN(versions));
	tcase_add_loop_test(tc, settles_on_a_packet_size, 0, (int)PT_LEN(sizes));
	tcase_add_loop_test(tc, says_what_it_can_reach, 0, PT_LEN(abilities));
	tcase_add_loop_test(tc, finds_out_wrong_claims, 0, PT_LEN(claims));
	tcase_add_test(tc, gives_up_one_that_falls_silent_in_the_trial);
	tcase_add_loop_test(tc, computes_what_the_cables_allow, 0, PT_LEN(limits));
	tcase_add_test(tc, refuses_a_probe_without_any_port);
	tcase_add_test(tc, a_probe_without_swd_points_to_its_jtag);
	tcase_add_test(tc, drains_stale_responses);
	tcase_add_loop_test(tc, dumps_at_the_links_speed, 0, (int)PT_LEN(dumps));
	tcase_add_test(tc, polls_in_the_probe);
	tcase_add_loop_test(tc, gives_a_poll_up_in_time, 0, (int)PT_LEN(poll_times_us));
	tcase_add_test(tc, polls_in_short_tries);
	tcase_add_loop_test(tc, delays_in_the_probe, 0, (int)PT_LEN(delays));
	tcase_add_loop_test(tc, waits_with_the_target, 0, (int)PT_LEN(waits));
	tcase_add_loop_test(tc, goes_on_where_it_waited, 0, (int)PT_LEN(long_waits));
	tcase_add_loop_test(tc, says_how_far_it_came_before_a_fault, 0, 100);
	tcase_add_test(tc, says_that_nobody_answers);
	tcase_add_test(tc, follows_the_clock);
	tcase_add_test(tc, drives_reset);
	tcase_add_test(tc, sends_long_sequences);
	tcase_add_test(tc, disconnects_only_what_it_has_connected);
	tcase_add_test(tc, disconnects_in_spite_of_a_late_interrupt);
	tcase_add_loop_test(tc, measures_itself, 0, (int)PT_LEN(speeds));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
