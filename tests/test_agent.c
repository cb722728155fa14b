/* Agent expressions: each operation with a result computed by hand, and code that is none. */
#include <string.h>

#include "gdbstub/packets/conditions.h"
#include "harness.h"

static int reg(void *arg, unsigned number, uint64_t *value, struct pt_err *err)
{
	(void)arg;
	if (number == 99)
		return pt_fail(err, PT_EARG, "no such register");
	*value = 0x1000 + number;
	return 0;
}

static int mem(void *arg, uint64_t addr, unsigned n_bytes, uint64_t *value, struct pt_err *err)
{
	(void)arg;
	if (addr == 0xbad)
		return pt_fail(err, PT_EFAULT, "bus fault");
	*value = addr + n_bytes;
	return 0;
}

static const struct pt_agent_env env = { .reg = reg, .mem = mem };

#define C8(v) 0x22, v
#define MINUS(v) 0x22, v, 0x16, 8	/* const8, ext 8 */
#define END 0x27

static const struct {
	const char *name;
	uint8_t code[24];
	uint64_t want;
} good[] = {
	{ "const8", { C8(7), END }, 7 },
	{ "const16", { 0x23, 1, 2, END }, 0x102 },
	{ "const32", { 0x24, 1, 2, 3, 4, END }, 0x1020304 },
	{ "const64", { 0x25, 1, 2, 3, 4, 5, 6, 7, 8, END }, 0x102030405060708 },
	{ "ext", { C8(0xff), 0x16, 8, END }, UINT64_MAX },
	{ "ext of something positive", { C8(0x7f), 0x16, 8, END }, 0x7f },
	{ "zero_ext", { MINUS(0xff), 0x2a, 16, END }, 0xffff },
	{ "ext by all bits", { MINUS(0xff), 0x16, 64, END }, UINT64_MAX },
	{ "add", { C8(2), C8(3), 0x02, END }, 5 },
	{ "sub", { C8(2), C8(3), 0x03, END }, UINT64_MAX },
	{ "mul", { C8(6), C8(7), 0x04, END }, 42 },
	{ "div_signed", { MINUS(0xf9), C8(2), 0x05, END }, (uint64_t)-3 },
	{ "div_signed by -1", { MINUS(0xf9), MINUS(0xff), 0x05, END }, 7 },
	{ "div_unsigned", { C8(9), C8(2), 0x06, END }, 4 },
	{ "rem_signed", { MINUS(0xf9), C8(4), 0x07, END }, (uint64_t)-3 },
	{ "rem_signed by -1", { MINUS(0xf9), MINUS(0xff), 0x07, END }, 0 },
	{ "rem_unsigned", { C8(9), C8(4), 0x08, END }, 1 },
	{ "lsh", { C8(3), C8(4), 0x09, END }, 48 },
	{ "lsh out", { C8(3), C8(64), 0x09, END }, 0 },
	{ "rsh_signed", { MINUS(0x80), C8(4), 0x0a, END }, (uint64_t)-8 },
	{ "rsh_signed out", { MINUS(0x80), C8(200), 0x0a, END }, UINT64_MAX },
	{ "rsh_signed by 0", { MINUS(0x80), C8(0), 0x0a, END }, (uint64_t)-128 },
	{ "rsh_unsigned", { MINUS(0xff), C8(60), 0x0b, END }, 15 },
	{ "log_not", { C8(0), 0x0e, END }, 1 },
	{ "log_not of a number", { C8(9), 0x0e, END }, 0 },
	{ "bit_and", { C8(12), C8(10), 0x0f, END }, 8 },
	{ "bit_or", { C8(12), C8(10), 0x10, END }, 14 },
	{ "bit_xor", { C8(12), C8(10), 0x11, END }, 6 },
	{ "bit_not", { C8(0), 0x12, END }, UINT64_MAX },
	{ "equal", { C8(4), C8(4), 0x13, END }, 1 },
	{ "less_signed", { MINUS(0xff), C8(1), 0x14, END }, 1 },
	{ "less_unsigned", { MINUS(0xff), C8(1), 0x15, END }, 0 },
	{ "ref8", { C8(0x40), 0x17, END }, 0x41 },
	{ "ref16", { C8(0x40), 0x18, END }, 0x42 },
	{ "ref32", { C8(0x40), 0x19, END }, 0x44 },
	{ "ref64", { C8(0x40), 0x1a, END }, 0x48 },
	{ "reg", { 0x26, 1, 2, END }, 0x1102 },
	{ "goto", { 0x21, 0, 5, C8(1), C8(2), END }, 2 },
	{ "if_goto, taken", { C8(5), C8(1), 0x20, 0, 9, C8(9), END }, 5 },
	{ "if_goto, not taken", { C8(0), 0x20, 0, 8, C8(9), END, END }, 9 },
	{ "dup", { C8(3), 0x28, 0x04, END }, 9 },
	{ "pop", { C8(3), C8(4), 0x29, END }, 3 },
	{ "swap", { C8(3), C8(5), 0x2b, 0x03, END }, 2 },
	{ "pick", { C8(3), C8(5), 0x32, 1, END }, 3 },
	{ "rot", { C8(1), C8(2), C8(3), 0x33, 0x29, 0x29, END }, 3 },
};

START_TEST(computes)
{
	uint64_t got = 0;
	struct pt_err err = { 0 };

	ck_assert_msg(pt_agent_run(good[_i].code, sizeof(good[_i].code), &env, &got, &err) == 0, "%s: %s",
		      good[_i].name, err.msg);
	ck_assert_msg(got == good[_i].want, "%s: %llx", good[_i].name, (unsigned long long)got);
}
END_TEST

static const struct {
	const char *name;
	uint8_t code[8];
	size_t n;
	int rc;
} bad[] = {
	{ "nothing", { 0 }, 0, PT_EARG },
	{ "no end", { C8(1) }, 2, PT_EARG },
	{ "an operand cut short", { 0x25, 1, 2 }, 3, PT_EARG },
	{ "nothing on the stack", { END }, 1, PT_EARG },
	{ "one operand of two", { C8(1), 0x02, END }, 4, PT_EARG },
	{ "for ever", { 0x21, 0, 0, END }, 4, PT_EARG },
	{ "fills the stack for ever", { C8(1), 0x21, 0, 0, END }, 6, PT_EARG },
	{ "out of itself", { 0x21, 0xff, 0xff, END }, 4, PT_EARG },
	{ "division by zero", { C8(1), C8(0), 0x05, END }, 6, PT_EARG },
	{ "remainder of nothing", { C8(1), C8(0), 0x08, END }, 6, PT_EARG },
	{ "picks too deep", { C8(1), 0x32, 1, END }, 5, PT_EARG },
	{ "a float", { 0x01, END }, 2, PT_EARG },
	{ "tracing", { C8(1), 0x0c, END }, 4, PT_EARG },
	{ "no such register", { 0x26, 0, 99, END }, 4, PT_EARG },
	{ "no memory there", { 0x23, 0x0b, 0xad, 0x17, END }, 5, PT_EFAULT },
};

START_TEST(is_refused)
{
	uint64_t got;
	struct pt_err err = { 0 };

	ck_assert_msg(pt_agent_run(bad[_i].code, bad[_i].n, &env, &got, &err) == bad[_i].rc, "%s", bad[_i].name);
	ck_assert_str_ne(err.msg, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("agent");
	TCase *tc = tcase_create("agent");

	tcase_add_loop_test(tc, computes, 0, PT_LEN(good));
	tcase_add_loop_test(tc, is_refused, 0, PT_LEN(bad));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
