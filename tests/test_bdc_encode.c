/* Each BDC command's bytes, written out by hand from the command table of the S12ZBDC (S12ZVHY/S12ZVHL RM Rev. 1.05,
 * chapter 5), and what becomes of the target's answers. */
#include <string.h>

#include "harness.h"
#include "probes/bdc/bdc_encode.h"

enum { NO = PT_BDC_NO_GAP, ACK = PT_BDC_ACK_GAP, DLY = PT_BDC_DELAY_GAP };

static uint8_t data[8] = { 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88 };

#define MEM(kind, size, at) { .what = PT_BDC_##kind, .size_bytes = size, .addr = at, .n = 2, .bytes = data }
#define MEM_WS(kind, size, at)                                                                                         \
	{                                                                                                              \
		.what = PT_BDC_##kind, .size_bytes = size, .addr = at, .n = 2, .bytes = data, .ws = true               \
	}

static const struct {
	const char *name;
	struct pt_bdc_op op;
	uint32_t i;
	bool follows;
	struct pt_bdc_command want;
} commands[] = {
	{ "ACK_ENABLE", { .what = PT_BDC_ACK_ENABLE }, 0, false, { { 0x02 }, 1, { ACK }, { 0 } } },
	{ "ACK_DISABLE", { .what = PT_BDC_ACK_DISABLE }, 0, false, { { 0x03 }, 1, { DLY }, { 0 } } },
	{ "READ_BDCCSR", { .what = PT_BDC_READ_BDCCSR }, 0, false, { { 0x2d }, 1, { NO }, { 2 } } },
	{ "WRITE_BDCCSR", { .what = PT_BDC_WRITE_BDCCSR, .value = 0x80ff }, 0, false,
	  { { 0x0d, 0x80, 0xff }, 3, { NO }, { 0 } } },
	{ "BACKGROUND", { .what = PT_BDC_BACKGROUND }, 0, false, { { 0x04 }, 1, { ACK }, { 0 } } },
	{ "NOP", { .what = PT_BDC_NOP }, 0, false, { { 0x00 }, 1, { ACK }, { 0 } } },
	{ "SYNC_PC", { .what = PT_BDC_SYNC_PC, .n = 9, .bytes = data }, 3, true, { { 0x01 }, 1, { ACK }, { 3 } } },
	{ "READ_DBGTB", { .what = PT_BDC_READ_DBGTB, .n = 2, .bytes = data }, 1, true,
	  { { 0x07 }, 1, { ACK, ACK }, { 4, 4 } } },
	{ "GO", { .what = PT_BDC_GO }, 0, false, { { 0x08 }, 1, { ACK }, { 0 } } },
	{ "STEP1", { .what = PT_BDC_STEP1 }, 0, false, { { 0x09 }, 1, { ACK }, { 0 } } },
	{ "GO_UNTIL", { .what = PT_BDC_GO_UNTIL }, 0, false, { { 0x0c }, 1, { ACK }, { 0 } } },
	{ "READ_D0", { .what = PT_BDC_READ_RN, .crn = 0 }, 0, false, { { 0x60 }, 1, { ACK }, { 4 } } },
	{ "READ_CCR", { .what = PT_BDC_READ_RN, .crn = 12 }, 0, false, { { 0x6c }, 1, { ACK }, { 4 } } },
	{ "WRITE_PC", { .what = PT_BDC_WRITE_RN, .crn = 11, .value = 0xff8000 }, 0, false,
	  { { 0x4b, 0x00, 0xff, 0x80, 0x00 }, 5, { ACK }, { 0 } } },
	{ "READ_MEM.B", MEM(READ_MEM, 1, 0x123456), 0, false, { { 0x30, 0x12, 0x34, 0x56 }, 4, { ACK }, { 1 } } },
	{ "READ_MEM.W", MEM(READ_MEM, 2, 0x123456), 0, false, { { 0x34, 0x12, 0x34, 0x56 }, 4, { ACK }, { 2 } } },
	{ "READ_MEM.L", MEM(READ_MEM, 4, 0xfffe10), 0, false, { { 0x38, 0xff, 0xfe, 0x10 }, 4, { ACK }, { 4 } } },
	{ "DUMP_MEM.B", MEM(READ_MEM, 1, 0x123456), 1, true, { { 0x32 }, 1, { ACK }, { 1 } } },
	{ "DUMP_MEM.W", MEM(READ_MEM, 2, 0x123456), 1, true, { { 0x36 }, 1, { ACK }, { 2 } } },
	{ "DUMP_MEM.L", MEM(READ_MEM, 4, 0xfffe10), 1, true, { { 0x3a }, 1, { ACK }, { 4 } } },
	{ "READ_MEM.L, taken up again", MEM(READ_MEM, 4, 0xfffe10), 1, false,
	  { { 0x38, 0xff, 0xfe, 0x14 }, 4, { ACK }, { 4 } } },
	{ "READ_MEM.W, not the first that follows", MEM(READ_MEM, 2, 0x1000), 0, true,
	  { { 0x34, 0x00, 0x10, 0x00 }, 4, { ACK }, { 2 } } },
	{ "READ_SAME.B", MEM(READ_SAME, 1, 0x104), 1, true, { { 0x50 }, 1, { ACK }, { 1 } } },
	{ "READ_SAME.W", MEM(READ_SAME, 2, 0x104), 1, true, { { 0x54 }, 1, { ACK }, { 2 } } },
	{ "READ_SAME.L", MEM(READ_SAME, 4, 0x104), 1, true, { { 0x58 }, 1, { ACK }, { 4 } } },
	{ "READ_SAME.W, taken up again", MEM(READ_SAME, 2, 0x104), 1, false,
	  { { 0x34, 0x00, 0x01, 0x04 }, 4, { ACK }, { 2 } } },
	{ "WRITE_MEM.B", MEM(WRITE_MEM, 1, 0x100), 0, false, { { 0x10, 0, 1, 0, 0x11 }, 5, { ACK }, { 0 } } },
	{ "WRITE_MEM.W", MEM(WRITE_MEM, 2, 0x100), 0, false, { { 0x14, 0, 1, 0, 0x11, 0x22 }, 6, { ACK }, { 0 } } },
	{ "WRITE_MEM.L", MEM(WRITE_MEM, 4, 0x100), 0, false,
	  { { 0x18, 0, 1, 0, 0x11, 0x22, 0x33, 0x44 }, 8, { ACK }, { 0 } } },
	{ "FILL_MEM.B", MEM(WRITE_MEM, 1, 0x100), 1, true, { { 0x12, 0x22 }, 2, { ACK }, { 0 } } },
	{ "FILL_MEM.W", MEM(WRITE_MEM, 2, 0x100), 1, true, { { 0x16, 0x33, 0x44 }, 3, { ACK }, { 0 } } },
	{ "FILL_MEM.L", MEM(WRITE_MEM, 4, 0x100), 1, true, { { 0x1a, 0x55, 0x66, 0x77, 0x88 }, 5, { ACK }, { 0 } } },
	{ "READ_MEM.B_WS", MEM_WS(READ_MEM, 1, 0x100), 0, false, { { 0x31, 0, 1, 0 }, 4, { DLY }, { 2 } } },
	{ "READ_MEM.W_WS", MEM_WS(READ_MEM, 2, 0x100), 0, false, { { 0x35, 0, 1, 0 }, 4, { DLY }, { 3 } } },
	{ "READ_MEM.L_WS", MEM_WS(READ_MEM, 4, 0x100), 0, false, { { 0x39, 0, 1, 0 }, 4, { DLY }, { 5 } } },
	{ "DUMP_MEM.B_WS", MEM_WS(READ_MEM, 1, 0x100), 1, true, { { 0x33 }, 1, { DLY }, { 2 } } },
	{ "DUMP_MEM.W_WS", MEM_WS(READ_MEM, 2, 0x100), 1, true, { { 0x37 }, 1, { DLY }, { 3 } } },
	{ "DUMP_MEM.L_WS", MEM_WS(READ_MEM, 4, 0x100), 1, true, { { 0x3b }, 1, { DLY }, { 5 } } },
	{ "READ_SAME.B_WS", MEM_WS(READ_SAME, 1, 0x100), 1, true, { { 0x51 }, 1, { DLY }, { 2 } } },
	{ "READ_SAME.W_WS", MEM_WS(READ_SAME, 2, 0x100), 1, true, { { 0x55 }, 1, { DLY }, { 3 } } },
	{ "READ_SAME.L_WS", MEM_WS(READ_SAME, 4, 0x100), 1, true, { { 0x59 }, 1, { DLY }, { 5 } } },
	{ "WRITE_MEM.B_WS", MEM_WS(WRITE_MEM, 1, 0x100), 0, false, { { 0x11, 0, 1, 0, 0x11 }, 5, { DLY }, { 1 } } },
	{ "WRITE_MEM.W_WS", MEM_WS(WRITE_MEM, 2, 0x100), 0, false,
	  { { 0x15, 0, 1, 0, 0x11, 0x22 }, 6, { DLY }, { 1 } } },
	{ "WRITE_MEM.L_WS", MEM_WS(WRITE_MEM, 4, 0x100), 0, false,
	  { { 0x19, 0, 1, 0, 0x11, 0x22, 0x33, 0x44 }, 8, { DLY }, { 1 } } },
	{ "FILL_MEM.B_WS", MEM_WS(WRITE_MEM, 1, 0x100), 1, true, { { 0x13, 0x22 }, 2, { DLY }, { 1 } } },
	{ "FILL_MEM.W_WS", MEM_WS(WRITE_MEM, 2, 0x100), 1, true, { { 0x17, 0x33, 0x44 }, 3, { DLY }, { 1 } } },
	{ "FILL_MEM.L_WS", MEM_WS(WRITE_MEM, 4, 0x100), 1, true,
	  { { 0x1b, 0x55, 0x66, 0x77, 0x88 }, 5, { DLY }, { 1 } } },
};

START_TEST(command_is_these_bytes)
{
	struct pt_bdc_command got;
	const struct pt_bdc_command *want = &commands[_i].want;

	ck_assert_int_eq(pt_bdc_check(&commands[_i].op, 1, UINT32_MAX, NULL), 0);
	ck_assert_uint_gt(pt_bdc_n_commands(&commands[_i].op), commands[_i].i);
	pt_bdc_encode(&commands[_i].op, commands[_i].i, commands[_i].follows, &got);
	ck_assert_msg(got.n_out == want->n_out && memcmp(got.out, want->out, got.n_out) == 0, "%s: %u bytes out, %02x",
		      commands[_i].name, got.n_out, got.out[0]);
	ck_assert_msg(memcmp(got.gap, want->gap, 2) == 0, "%s: gaps %u, %u", commands[_i].name, got.gap[0], got.gap[1]);
	ck_assert_msg(memcmp(got.n_in, want->n_in, 2) == 0, "%s: %u, %u bytes in", commands[_i].name, got.n_in[0],
		      got.n_in[1]);
}
END_TEST

/* Cycles with ACK off. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, chapter 5: 16 cycles a bit, and DLY. */
static const struct { struct pt_bdc_op op; uint32_t i; uint64_t cycles; } costs[] = {
	{ { .what = PT_BDC_READ_DBGTB, .n = 1, .bytes = data }, 0, 1184 },
	{ MEM(READ_SAME, 2, 0x104), 1, 400 },
	{ MEM(READ_MEM, 2, 0x104), 0, 784 },
	{ { .what = PT_BDC_SYNC_PC, .n = 1, .bytes = data }, 0, 528 },
};

START_TEST(command_takes_these_cycles)
{
	struct pt_bdc_command command;

	pt_bdc_encode(&costs[_i].op, costs[_i].i, true, &command);
	ck_assert_uint_eq(pt_bdc_cycles(&command), costs[_i].cycles);
}
END_TEST

static const struct {
	const char *name;
	struct pt_bdc_op op;
	uint32_t i;
	uint8_t in[8];
	bool good;
	uint32_t value;
	uint8_t status, bytes[8];
} answers[] = {
	{ "BDCCSR", { .what = PT_BDC_READ_BDCCSR }, 0, { 0xc0, 0x08 }, true, 0xc008, 0, { 0 } },
	{ "BDCCSR of a part that is not there",
	  { .what = PT_BDC_READ_BDCCSR },
	  0,
	  { 0xee, 0xee },
	  true,
	  0xeeee,
	  0,
	  { 0 } },
	{ "register", { .what = PT_BDC_READ_RN, .crn = 11 }, 0, { 0, 0xff, 0x80, 0x01 }, true, 0xff8001, 0, { 0 } },
	{ "register of a running core",
	  { .what = PT_BDC_READ_RN },
	  0,
	  { 0xee, 0xee, 0xee, 0xee },
	  false,
	  0xeeeeeeee,
	  0,
	  { 0 } },
	{ "second pc",
	  { .what = PT_BDC_SYNC_PC, .n = 2 },
	  1,
	  { 0xff, 0x80, 0x02 },
	  true,
	  0,
	  0,
	  { 0, 0, 0, 0, 2, 0x80, 0xff, 0 } },
	{ "no pc", { .what = PT_BDC_SYNC_PC, .n = 1 }, 0, { 0xee, 0xee, 0xee }, true, 0, 0, { 0xee, 0xee, 0xee, 0 } },
	/* PTIB, branches T,N,T, dst 0xFF8123. Source: S12ZVHY/S12ZVHL RM Rev. 1.05, pp. 222-225 */
	{ "line",
	  { .what = PT_BDC_READ_DBGTB, .n = 1 },
	  0,
	  { 0x00, 0x00, 0x0d, 0x01, 0xff, 0x81, 0x23, 0x00 },
	  true,
	  0,
	  0,
	  { 0x01, 0x0d, 0x00, 0x00, 0x00, 0x23, 0x81, 0xff } },
	{ "locked buffer",
	  { .what = PT_BDC_READ_DBGTB, .n = 1 },
	  0,
	  { 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee },
	  false,
	  0,
	  0,
	  { 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee } },
	{ "second word",
	  { .what = PT_BDC_READ_MEM, .size_bytes = 2, .n = 2 },
	  1,
	  { 0x12, 0x34 },
	  true,
	  0,
	  0,
	  { 0, 0, 0x12, 0x34 } },
	{ "unmapped word",
	  { .what = PT_BDC_READ_MEM, .size_bytes = 2, .n = 2 },
	  0,
	  { 0xee, 0xee },
	  false,
	  0,
	  0,
	  { 0xee, 0xee } },
	{ "word with status",
	  { .what = PT_BDC_READ_SAME, .size_bytes = 2, .n = 2, .ws = true, .status = 0x08 },
	  1,
	  { 0x02, 0xee, 0xee },
	  true,
	  0,
	  0x0a,
	  { 0, 0, 0xee, 0xee } },
	{ "status of a write",
	  { .what = PT_BDC_WRITE_MEM, .size_bytes = 4, .n = 2, .ws = true },
	  1,
	  { 0x02 },
	  true,
	  0,
	  0x02,
	  { 0 } },
	{ "write", { .what = PT_BDC_WRITE_MEM, .size_bytes = 4, .n = 2 }, 1, { 0 }, true, 0, 0, { 0 } },
};

START_TEST(answer_means_this)
{
	struct pt_bdc_op op = answers[_i].op;
	uint8_t bytes[8] = { 0 };

	op.bytes = bytes;
	ck_assert_msg(pt_bdc_take(&op, answers[_i].i, answers[_i].in) == answers[_i].good, "%s", answers[_i].name);
	ck_assert_msg(op.value == answers[_i].value, "%s: 0x%x", answers[_i].name, op.value);
	ck_assert_msg(op.status == answers[_i].status, "%s: 0x%x", answers[_i].name, op.status);
	ck_assert_msg(memcmp(bytes, answers[_i].bytes, 8) == 0, "%s: %02x %02x %02x %02x", answers[_i].name, bytes[0],
		      bytes[1], bytes[2], bytes[3]);
}
END_TEST

static const struct { const char *name; struct pt_bdc_op op; int rc;
} checks[] = {
	{ "nothing", { .what = PT_N_BDC_DOS }, PT_EARG },
	{ "3 bytes", { .what = PT_BDC_READ_MEM, .size_bytes = 3, .n = 1, .bytes = data }, PT_EARG },
	{ "no element", { .what = PT_BDC_READ_MEM, .size_bytes = 1, .bytes = data }, PT_EARG },
	{ "nowhere", { .what = PT_BDC_READ_DBGTB, .n = 1 }, PT_EARG },
	{ "no sample", { .what = PT_BDC_SYNC_PC, .bytes = data }, PT_EARG },
	{ "long at 2", MEM(READ_MEM, 4, 0x102), PT_EARG },
	{ "word at 3", { .what = PT_BDC_WRITE_MEM, .size_bytes = 2, .addr = 0x103, .n = 1, .bytes = data }, PT_EARG },
	{ "word at 1", { .what = PT_BDC_WRITE_MEM, .size_bytes = 2, .addr = 0x101, .n = 1, .bytes = data }, 0 },
	{ "words at 1 and 3", MEM(WRITE_MEM, 2, 0x101), PT_EARG },
	{ "twice the word at 1", MEM(READ_SAME, 2, 0x101), 0 },
	{ "to the last byte", MEM(READ_MEM, 2, 0xfffffc), 0 },
	{ "past the last byte", MEM(READ_MEM, 2, 0xfffffe), PT_EARG },
	{ "addresses of 32 bits",
	  { .what = PT_BDC_READ_MEM, .size_bytes = 1, .addr = 0xffffffff, .n = 1, .bytes = data },
	  PT_EARG },
	{ "very many",
	  { .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = 0, .n = 0xffffffff, .bytes = data },
	  PT_EARG },
	{ "register 13", { .what = PT_BDC_READ_RN, .crn = 13 }, PT_EARG },
	{ "poll past the end", { .what = PT_BDC_POLL, .addr = 1 << 24 }, PT_EARG },
	{ "what this probe cannot", { .what = PT_BDC_GO_UNTIL }, PT_EUNSUPPORTED },
};

START_TEST(checks_operations)
{
	struct pt_err err = { 0 };
	uint32_t can = UINT32_MAX & ~(1u << PT_BDC_GO_UNTIL);

	ck_assert_msg(pt_bdc_check(&checks[_i].op, 1, can, &err) == checks[_i].rc, "%s: %s", checks[_i].name, err.msg);
}
END_TEST

START_TEST(judges_flags)
{
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_bdc_judge(PT_BDC_ENBDC | PT_BDC_WAIT | PT_BDC_STOP, PT_BDC_ERRORS, &err), 0);
	for (unsigned bit = 0; bit < 6; bit++) {
		ck_assert_int_eq(pt_bdc_judge((uint16_t)(PT_BDC_ENBDC | 1u << bit), PT_BDC_ERRORS, &err), PT_EFAULT);
		ck_assert_ptr_nonnull(strstr(err.msg, ": "));
	}
	pt_bdc_judge(0xff, PT_BDC_ERRORS, &err);
	ck_assert_str_eq(err.msg, "the target refused (BDCCSR 0x00ff: ILLCMD ILLACC RDINV NORESP OVRUN RAMWF)");
	ck_assert_int_eq(pt_bdc_judge(0x20, 0xc1, &err), 0);	/* RAMWF is elsewhere, they say */
	ck_assert_int_eq(pt_bdc_judge(0x40, 0xc1, &err), PT_EFAULT);
	ck_assert_str_eq(err.msg, "the target refused (BDCCSR 0x0040)");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("bdc_encode");
	TCase *tc = tcase_create("commands");

	tcase_add_loop_test(tc, command_is_these_bytes, 0, (int)PT_LEN(commands));
	tcase_add_loop_test(tc, command_takes_these_cycles, 0, (int)PT_LEN(costs));
	tcase_add_loop_test(tc, answer_means_this, 0, (int)PT_LEN(answers));
	tcase_add_loop_test(tc, checks_operations, 0, (int)PT_LEN(checks));
	tcase_add_test(tc, judges_flags);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
