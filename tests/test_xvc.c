/* The XVC driver against a server that is a few rows: what it says of itself, what it answers short, and when it goes;
 * and how many shifts are sent ahead. The server is written from the protocol's text alone. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/registry.h"
#include "scripted_link.h"
#include "base/util.h"

enum { SHORT_BYTES = 3, LIST_BITS = 60000 };

static struct server {
	const char *info;
	size_t settck_bytes;
	uint32_t period_ns;		/* in force, whatever is asked for; 0: as asked */
	bool short_shift;		/* the shift that comes next is answered with SHORT_BYTES */
	size_t longest_bytes;		/* of a vector */
} server;
static struct pt_script script;
static struct pt_err err;

static size_t answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct server *s = arg;
	uint32_t n_bits, period_ns = s->period_ns != 0 ? s->period_ns : 34;
	size_t n_bytes;

	if (len_bytes == 8 && memcmp(request, "getinfo:", 8) == 0) {
		memcpy(response, s->info, strlen(s->info));
		return strlen(s->info);
	}
	if (len_bytes == 11 && memcmp(request, "settck:", 7) == 0) {
		pt_put_le32(response, s->period_ns != 0 ? s->period_ns : pt_le32(request + 7));
		return s->settck_bytes;
	}
	ck_assert(len_bytes > 10 && memcmp(request, "shift:", 6) == 0);
	n_bits = pt_le32(request + 6);
	n_bytes = (n_bits + 7) / 8;
	ck_assert_uint_eq(len_bytes, 10 + 2 * n_bytes);
	s->longest_bytes = n_bytes > s->longest_bytes ? n_bytes : s->longest_bytes;
	memcpy(response, request + 10 + n_bytes, n_bytes);
	*took_ns = (uint64_t)n_bits * period_ns;
	if (!s->short_shift || n_bytes <= SHORT_BYTES)
		return n_bytes;
	s->short_shift = false;
	return SHORT_BYTES;
}

static void fresh(void)
{
	server = (struct server){ .info = "xvcServer_v1.0:2048\n", .settck_bytes = 4 };
	memset(&script, 0, sizeof(script));
	script.answer = answer;
	script.arg = &server;
	script.info.packet_bytes = PT_LINK_MAX_PACKET_BYTES;
	script.info.depth = 64;
	strcpy(script.info.where, "board:2542");
	memset(&err, 0, sizeof(err));
}

static struct pt_probe *open_xvc(const char *words)
{
	struct pt_params *settings = pt_params_new();
	char text[128], *rest = NULL;
	struct pt_probe *probe;

	snprintf(text, sizeof(text), "%s", words);
	for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
		ck_assert_int_eq(strncmp(word, "xvc.", 4) == 0
					 ? pt_params_add(settings, pt_xvc_ops.params, pt_xvc_ops.n_params, word, &err)
					 : pt_params_add(settings, pt_probe_params, PT_N_PROBE_PARAMS, word, &err),
				 0);
	probe = pt_probe_open_link(&pt_xvc_ops, pt_script_link(&script), settings, &err);
	pt_params_free(settings);
	return probe;
}

static int run_list(struct pt_probe *probe, struct pt_jtag_op *ops, size_t n_ops, size_t *n_done)
{
	void *wire;
	const struct pt_jtag_ops *jtag = pt_probe_jtag(probe, &wire);

	return jtag->run(wire, ops, n_ops, 1000, n_done, &err);
}

/* --- what the server says of itself */

static const struct {
	const char *info;
	size_t vector_bytes;	/* 0: it is refused */
	const char *says;	/* the protocol's version, or a part of the sentence */
} infos[] = {
	{ "xvcServer_v1.0:2048\n", 1024, "1.0" },
	{ "xvcServer_v1.1: 2048\n", 1024, "1.1" },
	{ "xvcServer_v1.0:2048\r\n", 1024, "1.0" },
	{ "xvcServer_v1.0:2048", 1024, "1.0" },
	{ "xvcServer_v1.0:8\n", 4, "1.0" },
	{ "xvcServer_v1.0:9\n", 4, "1.0" },
	{ "xvcServer_v1.0:4294967296\n", 1024, "1.0" },
	{ "xvcServer_v1.0:99999999999999999999999999\n", 1024, "1.0" },
	{ "xvcServer_v1.0:0\n", 0, "the XVC server at board:2542 claims to take 0 bytes of TMS and TDI" },
	{ "xvcServer_v1.0:7\n", 0, "claims to take 7 bytes" },
	{ "xvcServer_v1.0:-2048\n", 0, "at board:2542 is no XVC server: it says \"xvcServer_v1.0:-2048\"" },
	{ "xvcServer_v1.0:\n", 0, "it says \"xvcServer_v1.0:\"" },
	{ "xvcServer_v1.0:many\n", 0, "it says \"xvcServer_v1.0:many\"" },
	{ "xvcServer_v1.0\n", 0, "it says \"xvcServer_v1.0\"" },
	{ "xvcServer_v", 0, "it says \"xvcServer_v\"" },
	{ "xvc", 0, "it says \"xvc\"" },
	{ "\n", 0, "it says \"\"" },
	{ "", 0, "it says \"\"" },
	{ "\033[2JHTTP/1.1 400\n", 0, "it says \"?[2JHTTP/1.1 400\"" },
};

START_TEST(reads_what_the_server_says)
{
	static uint8_t in[LIST_BITS / 8];
	struct pt_jtag_op op = { .what = PT_JTAG_DR, .n_bits = LIST_BITS, .in = in };
	struct pt_probe_info info;
	struct pt_probe *probe;
	size_t n_done;

	fresh();
	server.info = infos[_i].info;
	probe = open_xvc("");
	if (infos[_i].vector_bytes == 0) {
		ck_assert_ptr_null(probe);
		ck_assert_int_eq(err.code, PT_EPROTO);
		ck_assert_msg(strstr(err.msg, infos[_i].says) != NULL, "%s: %s", infos[_i].info, err.msg);
		return;
	}
	ck_assert_msg(probe != NULL, "%s: %s", infos[_i].info, err.msg);
	pt_probe_info(probe, &info);
	ck_assert_str_eq(info.protocol, infos[_i].says);
	ck_assert_int_eq(run_list(probe, &op, 1, &n_done), 0);
	ck_assert_uint_eq(server.longest_bytes, infos[_i].vector_bytes);
	pt_probe_close(probe);
}
END_TEST

/* --- answers that are too short */

START_TEST(says_how_short_the_answer_to_settck_is)
{
	char want[64];

	fresh();
	server.settck_bytes = (size_t)_i;
	ck_assert_ptr_null(open_xvc(""));
	snprintf(want, sizeof(want), "board:2542 answers settck with %d of 4 bytes", _i);
	ck_assert_int_eq(err.code, PT_EPROTO);
	ck_assert_msg(strstr(err.msg, want) != NULL, "%s", err.msg);
}
END_TEST

START_TEST(a_period_that_makes_no_sense_is_as_asked)
{
	static const uint32_t periods_ns[] = { UINT32_MAX, 1000000001 };
	struct pt_probe_info info;
	struct pt_probe *probe;

	fresh();
	server.period_ns = periods_ns[_i];
	probe = open_xvc("speed=2000000");
	ck_assert_msg(probe != NULL, "%s", err.msg);
	pt_probe_info(probe, &info);
	ck_assert_uint_eq(info.speed_hz, 2000000);
	pt_probe_close(probe);
}
END_TEST

/* The one that is too short is the fault of one list, and the next is whole. */
START_TEST(says_how_short_the_answer_to_a_shift_is)
{
	static uint8_t out[LIST_BITS / 8], in[LIST_BITS / 8];
	struct pt_jtag_op ops[] = {
		{ .what = PT_JTAG_IDLE, .n_bits = 8 },
		{ .what = PT_JTAG_DR, .n_bits = LIST_BITS, .out = out, .in = in },
	};
	struct pt_probe *probe;
	size_t n_done = 7;

	fresh();
	probe = open_xvc("");
	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 7);
	ck_assert_int_eq(run_list(probe, ops, 1, &n_done), 0);
	server.short_shift = true;
	ck_assert_int_eq(run_list(probe, ops, PT_LEN(ops), &n_done), PT_EPROTO);
	ck_assert_msg(strstr(err.msg, "board:2542 answers a shift with 3 of 1024 bytes") != NULL, "%s", err.msg);
	ck_assert_uint_eq(n_done, 0);
	memset(in, 0, sizeof(in));
	ck_assert_int_eq(run_list(probe, ops, PT_LEN(ops), &n_done), 0);
	ck_assert_uint_eq(n_done, 2);
	ck_assert_mem_eq(in, out, sizeof(in));
	pt_probe_close(probe);
}
END_TEST

/* --- a server that goes in the middle */

/* Operations whose answers had come are done, and nothing of the others is claimed. */
START_TEST(a_server_that_goes_leaves_what_has_come)
{
	static uint8_t out[4][1024], in[4][1024];
	struct pt_jtag_op ops[4];
	struct pt_probe *probe;
	size_t n_done = 7;

	fresh();
	memset(in, 0, sizeof(in));
	for (size_t i = 0; i < PT_LEN(ops); i++) {
		memset(out[i], 0x11 * (int)(i + 1), sizeof(out[i]));
		ops[i] = (struct pt_jtag_op){ .what = PT_JTAG_DR, .n_bits = 7000, .out = out[i], .in = in[i] };
	}
	probe = open_xvc("speed=30000000 limit-packets=2");
	ck_assert_int_eq(run_list(probe, ops, 1, &n_done), 0);
	memset(in, 0, sizeof(in));
	script.fault = PT_SCRIPT_UNPLUG;
	script.fault_at = script.n_requests + (size_t)_i;
	ck_assert_int_eq(run_list(probe, ops, PT_LEN(ops), &n_done), PT_EIO);
	ck_assert_uint_lt(n_done, PT_LEN(ops));
	for (size_t i = 0; i < n_done; i++)
		ck_assert_mem_eq(in[i], out[i], 7000 / 8);
	/* a vector holds more than one of them; all but the last that was sent is answered */
	ck_assert_uint_eq(n_done, _i < 2 ? 0 : _i - 1);
	pt_probe_close(probe);
}
END_TEST

/* --- how many are sent ahead */

/* A vector has 8192 bits. */
static const struct {
	const char *words;
	uint32_t period_ns;
	size_t most;
} depths[] = {
	{ "speed=1000000", 0, 2 },		/* 8 ms each: one waits behind the one at work */
	{ "speed=8000000", 0, 2 },
	{ "speed=10000000", 0, 3 },		/* 10000 bits a millisecond: two wait */
	{ "speed=30000000", 0, 5 },
	{ "speed=30000000", 1000, 2 },		/* what the server says is what counts */
	{ "speed=100000000", 0, 14 },
	{ "speed=30000000 limit-packets=1", 0, 1 },
	{ "speed=30000000 limit-packets=2", 0, 2 },
	{ "speed=1000000 limit-packets=6", 0, 6 },
	{ "speed=1000000 limit-packets=64", 0, 16 },
};

START_TEST(sends_ahead_what_the_clock_needs)
{
	static uint8_t out[400000 / 8], in[400000 / 8];
	struct pt_jtag_op op = { .what = PT_JTAG_DR, .n_bits = 8 * sizeof(in), .out = out, .in = in };
	struct pt_probe *probe;
	size_t n_done;

	fresh();
	server.period_ns = depths[_i].period_ns;
	script.turn_ns = 100000;
	for (size_t i = 0; i < sizeof(out); i++)
		out[i] = (uint8_t)(i * 13 ^ i >> 8);
	probe = open_xvc(depths[_i].words);
	ck_assert_msg(probe != NULL, "%s", err.msg);
	ck_assert_int_eq(run_list(probe, &op, 1, &n_done), 0);
	ck_assert_mem_eq(in, out, sizeof(in));
	ck_assert_uint_eq(script.most_outstanding, depths[_i].most);
	pt_probe_close(probe);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("xvc");
	TCase *tc = tcase_create("xvc");

	tcase_add_loop_test(tc, reads_what_the_server_says, 0, PT_LEN(infos));
	tcase_add_loop_test(tc, says_how_short_the_answer_to_settck_is, 0, 4);
	tcase_add_loop_test(tc, a_period_that_makes_no_sense_is_as_asked, 0, 2);
	tcase_add_test(tc, says_how_short_the_answer_to_a_shift_is);
	tcase_add_loop_test(tc, a_server_that_goes_leaves_what_has_come, 0, 4);
	tcase_add_loop_test(tc, sends_ahead_what_the_clock_needs, 0, PT_LEN(depths));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
