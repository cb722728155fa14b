/* The virtual J-Link, byte for byte: the exchange that OpenOCD 0.12 makes, shifts of both kinds, the table of
 * connections, and what flawed devices do. */
#include <string.h>

#include "busy_ap.h"
#include "harness.h"
#include "probes/virtual/probe/jlink.h"

enum { DPIDR = 0x0bc11477, IDCODE = 0x0ba00477, MOST = 20000, MOST_ANSWERS = 8 };

static struct busy_ap behind;
static struct pt_vpace pace;
static struct pt_vfaults faults;
static struct pt_vjlink *jlink;
static uint8_t in[MOST];
static size_t n_in, n_answers, answer_bytes[MOST_ANSWERS];
static uint64_t done_ns;
static bool in_reset;

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

static void on_response(void *arg, const uint8_t *bytes, size_t len_bytes, uint64_t ready_ns)
{
	(void)arg;
	ck_assert_uint_le(n_in + len_bytes, sizeof(in));
	ck_assert_uint_lt(n_answers, MOST_ANSWERS);
	memcpy(in + n_in, bytes, len_bytes);
	n_in += len_bytes;
	answer_bytes[n_answers++] = len_bytes;
	done_ns = ready_ns;
}

/* The answers are in in[]. */
static void send(const uint8_t *bytes, size_t n)
{
	n_in = n_answers = 0;
	pt_vjlink_engine.process(jlink, bytes, n, 0, on_response, NULL);
}
#define SEND(...) send((const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ }))

#define EXPECT(...) \
	do { \
		static const uint8_t want[] = { __VA_ARGS__ }; \
		ck_assert_uint_eq(n_in, sizeof(want)); \
		ck_assert_mem_eq(in, want, sizeof(want)); \
	} while (0)

static void make(const char *kind, unsigned flaws)
{
	const struct pt_vjlink_config config = { .kind = pt_vjlink_kind(kind), .flaws = flaws, .max_hz = 4000000 };

	busy_ap_init(&behind);
	in_reset = false;
	pt_vpace_init(&pace, &board_ops, NULL, false);
	jlink = pt_vjlink_new(&config, &pace, &faults);
}

static void end(void)
{
	pt_vjlink_engine.free(jlink);
}

/* What each says of itself. Those of the OB are a real one's. */
static const struct {
	const char *kind;
	uint8_t command[6];
	size_t n_command;
	uint8_t want[40];
	size_t n_want;
} questions[] = {
	{ "ob", { 0xe8 }, 1, { 0x33, 0x5a, 0xea, 0x98 }, 4 },
	{ "ob", { 0xed }, 1, { 0x33, 0x5a, 0xea, 0x98 }, 32 },
	{ "ob", { 0xc0 }, 1, { 0x00, 0xa2, 0x4a, 0x04, 0x12, 0x00 }, 6 },
	{ "ob", { 0xd4 }, 1, { 0x18, 0x2c, 0, 0 }, 4 },
	{ "v9", { 0xf0 }, 1, { 0xbc, 0x60, 0x01, 0 }, 4 },
	{ "v9", { 0x07 }, 1, { 0xe4, 0x0c, 0, 0, 1, 0, 1, 1 }, 8 },
	{ "v9", { 0xc7, 0xff }, 2, { 3 }, 4 },
	{ "v9", { 0xc7, 0xfe }, 2, { 0 }, 4 },
	{ "v9", { 0xc1, 5, 0, 0, 0 }, 5, { 255, 255, 255, 255, 255, 255, 255, 255 }, 8 },
	{ "v9", { 0xdd, 0xdf, 0x05, 0xa0, 0x0f, 0xc9 }, 6, { 0 }, 0 },	/* none of these is answered */
	{ "v9", { 0xef, 0xe8 }, 2, { 0xbf, 0x7b, 0xff, 0xb9 }, 4 },	/* nor one that it does not know */
	{ "v5", { 0xc7, 0xff }, 2, { 0 }, 0 },
};

START_TEST(says_what_it_is)
{
	make(questions[_i].kind, 0);
	send(questions[_i].command, questions[_i].n_command);
	ck_assert_uint_eq(n_in, questions[_i].n_want);
	ck_assert_mem_eq(in, questions[_i].want, n_in);
	end();
}
END_TEST

START_TEST(the_version_comes_in_two_parts)
{
	make("v9", 0);
	SEND(0x01);
	ck_assert_uint_eq(n_answers, 2);
	ck_assert_uint_eq(answer_bytes[0], 2);
	ck_assert_uint_eq(in[0], 112);
	ck_assert_uint_eq(answer_bytes[1], 112);
	ck_assert_ptr_nonnull(strstr((const char *)in + 2, "V9 compiled"));
	end();
}
END_TEST

/* An old one: for ever. */
START_TEST(hangs_after_a_command_it_does_not_know)
{
	make("v5", 0);
	SEND(0xc7, 0xff);
	SEND(0xe8);
	ck_assert_uint_eq(n_in, 0);
	end();
}
END_TEST

/* Line reset, switch, line reset, idle, and a read of DPIDR: 136 + 46 bits. ACK is at the bit of the turnaround. */
static const uint8_t reads_dpidr[] = {
	0xcf, 0, 182, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	0xff, 0, 0, 0, 0, 0,
	0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9e, 0xe7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00,
	0xa5, 0, 0, 0, 0, 0,
};

static void check_dpidr(void)
{
	uint64_t bits = 0;

	ck_assert_uint_eq(n_in, 24);
	ck_assert_uint_eq(in[23], 0);
	ck_assert_mem_eq(in, reads_dpidr + 4 + 23, 18);		/* what it drives it takes */
	for (int i = 0; i < 5; i++)
		bits |= (uint64_t)in[18 + i] << 8 * i;
	ck_assert_uint_eq(bits & 7, 1);
	ck_assert_uint_eq(bits >> 3 & UINT32_MAX, DPIDR);
}

START_TEST(shifts_swd)
{
	make("v9", 0);
	SEND(0xc7, 1);
	EXPECT(0, 0, 0, 0);
	send(reads_dpidr, sizeof(reads_dpidr));
	check_dpidr();
	ck_assert_uint_eq(done_ns, 182 * 250);
	SEND(0x05, 0xe8, 0x03);
	send(reads_dpidr, sizeof(reads_dpidr));
	ck_assert_uint_eq(done_ns, 182 * 250 + 182 * 1000);
	end();
}
END_TEST

/* It is a stream: any cut. */
START_TEST(commands_may_come_in_parts)
{
	make("v9", 0);
	SEND(0xc7, 1, 0xcf);
	ck_assert_uint_eq(n_in, 4);
	send(reads_dpidr + 1, (size_t)_i);
	ck_assert_uint_eq(n_in, 0);
	send(reads_dpidr + 1 + _i, sizeof(reads_dpidr) - 1 - (size_t)_i);
	check_dpidr();
	end();
}
END_TEST

/* TMS: five highs, idle, Select-DR, Capture-DR, Shift-DR; the 32 clocks of IDCODE from the 10th on. CE has no status. */
START_TEST(shifts_jtag)
{
	uint8_t command[4 + 2 * 6] = { 0xcf, 0, 42, 0, 0x5f };
	uint64_t bits = 0;

	make(_i == 0 ? "v9" : "v5", 0);
	send(command, sizeof(command));
	ck_assert_uint_eq(n_in, 7);
	ck_assert_uint_eq(in[6], 0);
	for (int i = 0; i < 6; i++)
		bits |= (uint64_t)in[i] << 8 * i;
	ck_assert_uint_eq(bits >> 9 & UINT32_MAX, IDCODE);
	command[0] = 0xce;
	send(command, sizeof(command));
	ck_assert_uint_eq(n_in, 6);
	end();
}
END_TEST

START_TEST(moves_reset)
{
	make("v9", 0);
	SEND(0xdc);
	ck_assert(in_reset);
	SEND(0x07);
	ck_assert_uint_eq(in[6], 0);
	SEND(0xdd);
	ck_assert(!in_reset);
	SEND(0xde, 0x07);
	ck_assert_uint_eq(in[7], 0);
	end();
}
END_TEST

START_TEST(has_no_memory_for_longer_shifts)
{
	static uint8_t command[PT_VJLINK_MOST_BYTES] = { 0xcf };

	make("ob", 0);
	SEND(0xc7, 1);
	command[2] = 5642 * 8 & 0xff;
	command[3] = 5642 * 8 >> 8;
	send(command, 4 + 2 * 5642);
	ck_assert_uint_eq(n_in, 5643);
	ck_assert_uint_eq(in[5642], 0);
	command[2] += 8;
	send(command, 4 + 2 * 5643);
	ck_assert_uint_eq(n_in, 5644);
	ck_assert_uint_eq(in[5643], 6);
	end();
}
END_TEST

#define REGISTER(what, handle) SEND(0x09, what, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, handle, 0)

START_TEST(keeps_a_table_of_hosts)
{
	make("v9", 0);
	REGISTER(0x64, 0);
	ck_assert_uint_eq(n_in, 76);
	ck_assert_mem_eq(in, ((uint8_t[]){ 7, 0, 1, 0, 16, 0, 0, 0 }), 8);
	ck_assert_uint_eq(in[8 + 10], 7);
	REGISTER(0x64, 0);	/* the same one again */
	ck_assert_uint_eq(in[2], 1);
	REGISTER(0x65, 7);
	ck_assert_uint_eq(in[2], 0);
	end();
}
END_TEST

START_TEST(has_no_place_for_another)
{
	make("v9", PT_VJLINK_FULL);
	REGISTER(0x64, 0);
	ck_assert_uint_eq(n_answers, 2);
	ck_assert_uint_eq(n_in, 8 + 6 * 16);
	ck_assert_uint_eq(in[0], 0);
	end();
}
END_TEST

START_TEST(does_not_clock_for_a_stranger)
{
	make("ob", PT_VJLINK_DEAF);
	SEND(0xc7, 1);
	send(reads_dpidr, sizeof(reads_dpidr));
	ck_assert_uint_eq(in[18], 0);
	REGISTER(0x64, 0);
	send(reads_dpidr, sizeof(reads_dpidr));
	check_dpidr();
	end();
}
END_TEST

START_TEST(shrinks_once_asked)
{
	make("ob", PT_VJLINK_SHRINKS);
	SEND(0xd4);
	EXPECT(0x18, 0x2c, 0, 0);
	SEND(0xd4);
	EXPECT(0x06, 0x0b, 0, 0);
	end();
}
END_TEST

/* 64 bytes, the status among them: they come with the next answer. */
START_TEST(joins_an_answer_of_full_packets_to_the_next)
{
	static const uint8_t shift[4 + 2 * 63] = { 0xcf, 0, 63 * 8 & 0xff, 63 * 8 >> 8 };

	make("v9", PT_VJLINK_JOINS);
	send(shift, sizeof(shift));
	ck_assert_uint_eq(n_in, 0);
	SEND(0xe8);
	ck_assert_uint_eq(n_in, 68);
	ck_assert_uint_eq(n_answers, 1);
	end();
}
END_TEST

START_TEST(pads)
{
	make("v9", PT_VJLINK_PADS);
	SEND(0xe8);
	ck_assert_uint_eq(n_in, 20);
	end();
}
END_TEST

START_TEST(flaws_have_names)
{
	struct pt_err err;
	unsigned flaws;

	ck_assert_int_eq(pt_vjlink_flaws("pads,deaf", &flaws, &err), 0);
	ck_assert_uint_eq(flaws, PT_VJLINK_PADS | PT_VJLINK_DEAF);
	ck_assert_int_eq(pt_vjlink_flaws("pad", &flaws, &err), PT_EARG);
	ck_assert_ptr_nonnull(strstr(err.msg, "\"pad\""));
}
END_TEST

/* A command without an end, longer than any: the next one is answered. */
START_TEST(survives_a_command_without_an_end)
{
	static uint8_t endless[PT_VJLINK_MOST_BYTES + 10];

	make("v9", 0);
	memset(endless, 0xeb, sizeof(endless));
	memset(endless + 2, 0xff, sizeof(endless) - 2);
	send(endless, sizeof(endless));
	n_in = 0;
	for (int i = 0; i < 40 && n_in != 4; i++)
		SEND(0xe8);
	ck_assert_uint_eq(n_in, 4);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("virtual_jlink");
	TCase *tc = tcase_create("virtual_jlink");

	tcase_add_loop_test(tc, says_what_it_is, 0, PT_LEN(questions));
	tcase_add_test(tc, the_version_comes_in_two_parts);
	tcase_add_test(tc, hangs_after_a_command_it_does_not_know);
	tcase_add_test(tc, shifts_swd);
	tcase_add_loop_test(tc, commands_may_come_in_parts, 0, 40);
	tcase_add_loop_test(tc, shifts_jtag, 0, 2);
	tcase_add_test(tc, moves_reset);
	tcase_add_test(tc, has_no_memory_for_longer_shifts);
	tcase_add_test(tc, keeps_a_table_of_hosts);
	tcase_add_test(tc, has_no_place_for_another);
	tcase_add_test(tc, does_not_clock_for_a_stranger);
	tcase_add_test(tc, shrinks_once_asked);
	tcase_add_test(tc, joins_an_answer_of_full_packets_to_the_next);
	tcase_add_test(tc, pads);
	tcase_add_test(tc, flaws_have_names);
	tcase_add_test(tc, survives_a_command_without_an_end);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
