/* The first bytes of a connection: which door opens to them, in one piece or byte by byte, and what a refused peer is
 * called. */
#include <stdio.h>
#include <string.h>

#include "base/first_bytes.h"
#include "harness.h"

enum { RSP, DAP, XVC };
static pt_first_fn *const doors[] = { [RSP] = pt_first_rsp, [DAP] = pt_first_cmsis_dap, [XVC] = pt_first_xvc };

#define B(text) text, sizeof(text) - 1
static const struct { int door; const char *bytes; size_t n; enum pt_first want; const char *says; } cases[] = {
	/* clients as they are */
	{ RSP, B("+$qSupported:multiprocess+;swbreak+;xmlRegisters=i386#a6"), PT_FIRST_YES, "" },
	{ RSP, B("+$QStartNoAckMode#b0"), PT_FIRST_YES, "" },	/* LLDB */
	{ RSP, B("$?#3f"), PT_FIRST_YES, "" },
	{ RSP, B("$?#3F"), PT_FIRST_YES, "" },
	{ RSP, B("+-+\x03$?#3f and whatever comes then"), PT_FIRST_YES, "" },
	{ RSP, B("$Hg0#df"), PT_FIRST_YES, "" },
	{ RSP, B("$!#21"), PT_FIRST_YES, "" },
	{ DAP, B("DAP\0\2\0\1\0"), PT_FIRST_YES, "" },
	{ XVC, B("getinfo:"), PT_FIRST_YES, "" },
	{ XVC, B("settck:\0\0\0\0"), PT_FIRST_YES, "" },
	{ XVC, B("shift:"), PT_FIRST_YES, "" },
	/* not yet */
	{ RSP, B(""), PT_FIRST_MORE, "" },
	{ RSP, B("+"), PT_FIRST_MORE, "" },
	{ RSP, B("\x03\x03"), PT_FIRST_MORE, "" },
	{ RSP, B("+$"), PT_FIRST_MORE, "" },
	{ RSP, B("+$qSupported#3"), PT_FIRST_MORE, "" },
	{ DAP, B("DAP\0\2\0"), PT_FIRST_MORE, "" },
	{ XVC, B("s"), PT_FIRST_MORE, "" },
	{ XVC, B("shift"), PT_FIRST_MORE, "" },
	/* browsers */
	{ RSP, B("GET / HTTP/1.1\r\nHost: x\r\n\r\n+$?#3f"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("POST / HTTP/1.1\r\n\r\n+$vKill;1#6e"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("OPTIONS /"), PT_FIRST_NO, "look like an HTTP request" },
	{ XVC, B("OPTIONS /"), PT_FIRST_NO, "look like an HTTP request" },
	{ DAP, B("DELETE /"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("PRI * HTTP/2.0\r\n"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("\x16\x03\x01\x02\0\1"), PT_FIRST_NO, "look like a TLS hello" },
	{ RSP, B("SSH-2.0-OpenSSH_9.2\r\n"), PT_FIRST_NO, "look like an SSH client" },
	{ RSP, B("\xff\xfd\x03"), PT_FIRST_NO, "look like a telnet client" },
	{ RSP, B("\x03\0\0\x13\x0e"), PT_FIRST_NO, "look like a remote desktop client" },
	/* a method of the page's own choice, after DNS rebinding: letters, digits and !#$%&'*+-.^_`|~ */
	{ RSP, B("$R00#b2 / HTTP/1.1\r\nHost: x\r\n"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("$k#6b / HTTP/1.1\r\nHost: x\r\n"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("$c#63"), PT_FIRST_NO, "begin with \"$c#63\"" },
	{ RSP, B("$D#44"), PT_FIRST_NO, "begin with \"$D#44\"" },
	{ RSP, B("$q / HTTP/1.1\r\nHost: x\r\nA: #e0"), PT_FIRST_NO, "look like an HTTP request" },
	{ RSP, B("$q\t#7a"), PT_FIRST_NO, "begin with \"$q\\x09#7a\"" },
	/* no whole packet */
	{ RSP, B("$?#3e"), PT_FIRST_NO, "begin with \"$?#3e\"" },
	{ RSP, B("$?#zz"), PT_FIRST_NO, "begin with \"$?#zz\"" },
	{ RSP, B("$q$?#3f"), PT_FIRST_NO, "begin with \"$q$?#3f\"" },
	{ RSP, B("$#00"), PT_FIRST_NO, "begin with \"$#00\"" },
	{ RSP, B("%Stop:T05#cc"), PT_FIRST_NO, "begin with \"%Stop:T05#cc\"" },
	{ RSP, B("\0"), PT_FIRST_NO, "begin with \"\\x00\"" },
	{ RSP, B("hello \"\\ \x1b[2J how are you"), PT_FIRST_NO, "begin with \"hello \\x22\\x5c \\x1b[2J ho\"..." },
	{ DAP, B("DAX"), PT_FIRST_NO, "begin with \"DAX\"" },
	{ DAP, B("DAP\0\2\0\2\0"), PT_FIRST_NO, "begin with \"DAP\\x00\\x02\\x00\\x02\\x00\"" },
	/* the right client at the wrong door */
	{ XVC, B("+$qSupported#37"), PT_FIRST_NO, "look like a GDB client" },
	{ RSP, B("getinfo:"), PT_FIRST_NO, "look like an XVC client" },
	{ RSP, B("DAP\0\2\0\1\0"), PT_FIRST_NO, "look like CMSIS-DAP over TCP" },
};

static enum pt_first check(size_t i, size_t n)
{
	return pt_first_check(doors[cases[i].door], (const uint8_t *)cases[i].bytes, n);
}

START_TEST(door_opens_to_its_own)
{
	char text[PT_FIRST_TEXT_BYTES];

	ck_assert_msg(check((size_t)_i, cases[_i].n) == cases[_i].want, "%s", cases[_i].bytes);
	if (cases[_i].want == PT_FIRST_NO)
		ck_assert_str_eq(pt_first_describe(doors[cases[_i].door], (const uint8_t *)cases[_i].bytes, cases[_i].n,
						   true, text),
				 cases[_i].says);
}
END_TEST

/* What may stand behind the first packet before it has been answered. */
static const struct { const char *bytes; size_t n; bool alone; } behind[] = {
	{ B("$?#3f"), true }, { B("+$?#3f+"), true }, { B("$?#3f\x03"), true }, { B("+$qC#b4$qC#b4"), true },
	{ B("+$qC#b4+$qC#b4-$qC"), true }, { B("$qC#b4$R00#b2 / HTTP/1.1\r\n"), false }, { B("$qC#b4$R00#b2"), false },
	{ B("$qC#b4$qC#b4$k#6b"), false }, { B("$qC#b4$qD"), false }, { B("$qC#b4 / HTTP/1.1\r\n"), false },
	{ B("$qC#b4+ +"), false }, { B("$qC#b4\0"), false },
};

START_TEST(nothing_stands_behind_the_first_packet)
{
	ck_assert_int_eq(pt_first_check(pt_first_rsp, (const uint8_t *)behind[_i].bytes, behind[_i].n), PT_FIRST_YES);
	ck_assert_msg(pt_first_rsp_alone((const uint8_t *)behind[_i].bytes, behind[_i].n) == behind[_i].alone, "%s",
		      behind[_i].bytes);
}
END_TEST

/* Byte by byte there is MORE until the verdict, and then that verdict with any bytes behind it. */
START_TEST(any_split_gives_the_same_verdict)
{
	enum pt_first last = PT_FIRST_MORE;

	for (size_t n = 0; n <= cases[_i].n; n++) {
		enum pt_first now = check((size_t)_i, n);

		ck_assert_msg(last == PT_FIRST_MORE || now == last, "%s: %zu bytes", cases[_i].bytes, n);
		last = now;
	}
	ck_assert_int_eq(last, cases[_i].want);
}
END_TEST

/* A packet that would be right is one byte too long. */
START_TEST(most_bytes_are_enough_or_it_is_refused)
{
	uint8_t bytes[PT_FIRST_MOST_BYTES + 1];
	uint8_t sum = (uint8_t)('q' * (sizeof(bytes) - 4));
	char end[4];

	memset(bytes, 'q', sizeof(bytes));
	bytes[0] = '$';
	snprintf(end, sizeof(end), "#%02x", sum);
	memcpy(bytes + sizeof(bytes) - 3, end, 3);
	ck_assert_int_eq(pt_first_rsp(bytes, sizeof(bytes)), PT_FIRST_YES);
	for (size_t n = 1; n <= sizeof(bytes); n++)
		ck_assert_int_eq(pt_first_check(pt_first_rsp, bytes, n),
				 n < PT_FIRST_MOST_BYTES ? PT_FIRST_MORE : PT_FIRST_NO);
	memset(bytes, '+', sizeof(bytes));
	ck_assert_int_eq(pt_first_check(pt_first_rsp, bytes, PT_FIRST_MOST_BYTES), PT_FIRST_NO);
}
END_TEST

START_TEST(a_door_with_a_token_quotes_nothing)
{
	char text[PT_FIRST_TEXT_BYTES];

	pt_first_describe(pt_first_rsp, (const uint8_t *)"auth secret", 11, false, text);
	ck_assert_str_eq(text, "look like no protocol known here");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("firstbytes");
	TCase *tc = tcase_create("firstbytes");

	tcase_add_loop_test(tc, door_opens_to_its_own, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, nothing_stands_behind_the_first_packet, 0, PT_LEN(behind));
	tcase_add_loop_test(tc, any_split_gives_the_same_verdict, 0, PT_LEN(cases));
	tcase_add_test(tc, most_bytes_are_enough_or_it_is_refused);
	tcase_add_test(tc, a_door_with_a_token_quotes_nothing);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
