/* Transfers of SWD as bits: those that OpenOCD sends to an FT2232H, and what comes back with either way to sample. */
#include <string.h>

#include "harness.h"
#include "probes/wires/swd_bits.h"

static const struct pt_dap_access read_dpidr = { .read = true, .a = 0 };
static const struct pt_dap_access write_select = { .a = 8, .value = 0xf0 };
static const struct pt_dap_access write_drw = { .ap = true, .a = 0xc, .value = 0x00000001 };

/* Requests: 0xa5 reads DPIDR. Source: OpenOCD's transfers in the facts of MPSSE; Arm IHI 0031. */
static const struct { struct pt_dap_access access; uint8_t request; } requests[] = {
	{ { .read = true, .a = 0 }, 0xa5 }, { { .a = 0 }, 0x81 }, { { .read = true, .a = 4 }, 0x8d },
	{ { .a = 4 }, 0xa9 }, { { .a = 8 }, 0xb1 }, { { .read = true, .a = 0xc }, 0xbd },
	{ { .ap = true, .a = 0 }, 0xa3 }, { { .ap = true, .a = 4 }, 0x8b }, { { .ap = true, .a = 0xc }, 0xbb },
	{ { .ap = true, .read = true, .a = 0xc }, 0x9f },
};

START_TEST(a_request_is_as_on_the_wire)
{
	struct pt_swd_span span[PT_SWD_MOST_SPANS];
	size_t n = pt_swd_spans(&requests[_i].access, span);

	ck_assert_uint_eq(n, requests[_i].access.read ? 2 : 3);
	ck_assert(span[0].drive && span[0].n_bits == 8);
	ck_assert_uint_eq(span[0].bits, requests[_i].request);
	ck_assert(!span[1].drive);
	ck_assert_uint_eq(span[1].n_bits, requests[_i].access.read ? 38 : 5);
}
END_TEST

START_TEST(a_write_drives_its_data_and_parity)
{
	struct pt_swd_span span[PT_SWD_MOST_SPANS];

	pt_swd_spans(&write_select, span);
	ck_assert(span[2].drive && span[2].n_bits == 33 && span[2].bits == 0xf0);
	pt_swd_spans(&write_drw, span);
	ck_assert(span[2].bits == 0x100000001);
}
END_TEST

/* The read by J-Link: request, 38 clocks that the target may drive. */
START_TEST(vectors_are_the_spans_one_after_the_other)
{
	static const uint8_t dir[12] = { 0xff, 0, 0, 0, 0, 0xc0, 0x3f, 0xf8, 0xff, 0xff, 0xff, 0xff };
	static const uint8_t out[12] = { 0xa5, 0, 0, 0, 0, 0x40, 0x2c, 0x80, 0x07, 0, 0, 0 };
	uint8_t direction[13], driven[13];
	uint32_t at;

	memset(direction, 0xee, sizeof(direction));
	memset(driven, 0xee, sizeof(driven));
	at = pt_swd_vectors(&read_dpidr, direction, driven, 0);
	ck_assert_uint_eq(at, 46);
	at += pt_swd_vectors(&write_select, direction, driven, at);
	ck_assert_uint_eq(at, 92);
	at += pt_swd_idle_vectors(4, direction, driven, at);
	ck_assert_uint_eq(at, 96);
	ck_assert_mem_eq(direction, dir, sizeof(dir));
	ck_assert_mem_eq(driven, out, sizeof(out));
	ck_assert_uint_eq(direction[12], 0xee);
}
END_TEST

/* At each bit a transfer may begin at, and idle clocks of any number before it. */
START_TEST(any_bit_may_be_the_first)
{
	uint8_t direction[64] = { 0 }, out[64] = { 0 };
	uint32_t at = pt_swd_idle_vectors((uint32_t)_i, direction, out, 0);

	at += pt_swd_vectors(&write_drw, direction, out, at);
	ck_assert_uint_eq(at, (uint32_t)_i + 46);
	for (uint32_t i = 0; i < at; i++) {
		bool taken = i >= (uint32_t)_i + 8 && i < (uint32_t)_i + 13;

		ck_assert_uint_eq(direction[i / 8] >> i % 8 & 1, !taken);
		out[i / 8] ^= (uint8_t)(taken << i % 8);
	}
	ck_assert_uint_eq(pt_swd_taken(&write_drw, out, (uint32_t)_i), 0x1f);
	ck_assert_uint_eq(out[((uint32_t)_i + 13) / 8] >> (_i + 13) % 8 & 1, 1);
}
END_TEST

static const struct {
	const char *name;
	bool read;
	unsigned ack_offset;
	uint64_t taken;
	struct pt_swd_answer want;
} answers[] = {
	{ "J-Link", true, 0, UINT64_C(0x0bc11477) << 3 | 1, { .ack = 1, .data = 0x0bc11477 } },
	{ "MPSSE", true, 1, UINT64_C(0x0bc11477) << 4 | 1 << 1, { .ack = 1, .data = 0x0bc11477 } },
	{ "odd parity", true, 0, UINT64_C(0x80000001) << 3 | UINT64_C(1) << 35 | 1,
	  { .ack = 1, .bad_parity = true, .data = 0x80000001 } },
	{ "the turnaround is no part of it", true, 0, UINT64_C(7) << 36 | UINT64_C(1) << 35 | 8 | 2,
	  { .ack = 2, .data = 1 } },
	{ "a write", false, 0, 4, { .ack = 4 } },
	{ "a write by MPSSE", false, 1, 0x1f & ~8u & ~4u, { .ack = 1 } },
	{ "nothing answers", true, 0, UINT64_C(0x3fffffffff), { .ack = 7, .data = UINT32_MAX, .bad_parity = true } },
};

START_TEST(an_answer_is_read_where_the_probe_samples)
{
	struct pt_dap_access access = { .read = answers[_i].read };
	struct pt_swd_answer got = pt_swd_answer(&access, answers[_i].ack_offset, answers[_i].taken);

	ck_assert_msg(got.ack == answers[_i].want.ack && got.data == answers[_i].want.data &&
			      got.bad_parity == answers[_i].want.bad_parity,
		      "%s: %u 0x%x %d", answers[_i].name, got.ack, got.data, got.bad_parity);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("swd_bits");
	TCase *tc = tcase_create("swd_bits");

	tcase_add_loop_test(tc, a_request_is_as_on_the_wire, 0, PT_LEN(requests));
	tcase_add_test(tc, a_write_drives_its_data_and_parity);
	tcase_add_test(tc, vectors_are_the_spans_one_after_the_other);
	tcase_add_loop_test(tc, any_bit_may_be_the_first, 0, 19);
	tcase_add_loop_test(tc, an_answer_is_read_where_the_probe_samples, 0, PT_LEN(answers));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
