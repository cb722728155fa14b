/* What is in a set is well-formed; a wrong word is answered with the right ones. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "base/nearest.h"
#include "base/params.h"

static const struct pt_param rows[] = {
	{ "mode", PT_PARAM_CHOICE, "burst", "burst|stream|halt", 0, 0, "how the buffer is read" },
	{ "packets", PT_PARAM_NUMBER, "16", NULL, 2, 4096, "packets per burst" },
	{ "delay", PT_PARAM_TIME, "20ms", NULL, 0, 10 * PT_NS_PER_S, "longest re-arm delay" },
	{ "core-clock", PT_PARAM_HZ, NULL, NULL, 0, 0, "clock of the core" },
	{ "jitter", PT_PARAM_FLAG, "on", NULL, 0, 0, "vary the delay" },
	{ "mtb-ram", PT_PARAM_SPAN, NULL, NULL, 0, 0, "RAM to use" },
	{ "functions", PT_PARAM_LIST, NULL, NULL, 0, 0, "only these" },
	{ "name", PT_PARAM_TEXT, NULL, NULL, 0, 0, "free text" },
};
enum { MODE, PACKETS, DELAY, CLOCK, JITTER, RAM, FUNCTIONS, NAME };

static const struct {
	const char *word;
	int row;
	uint64_t want;
} good[] = {
	{ "packets=100", PACKETS, 100 },
	{ "packets=0x40", PACKETS, 64 },
	{ "packets=4k", PACKETS, 4000 },
	{ "packets=1Ki", PACKETS, 1024 },
	{ "packets=1.5k", PACKETS, 1500 },
	{ "packets=2", PACKETS, 2 },
	{ "packets=4096", PACKETS, 4096 },
	{ "delay=0", DELAY, 0 },
	{ "delay=500ms", DELAY, 500 * PT_NS_PER_MS },
	{ "delay=2s", DELAY, 2 * PT_NS_PER_S },
	{ "delay=20us", DELAY, 20000 },
	{ "delay=100ns", DELAY, 100 },
	{ "delay=0.5us", DELAY, 500 },
	{ "core-clock=48000000", CLOCK, 48000000 },
	{ "core-clock=48M", CLOCK, 48000000 },
	{ "core-clock=48MHz", CLOCK, 48000000 },
	{ "core-clock=400k", CLOCK, 400000 },
	{ "core-clock=20.97152M", CLOCK, 20971520 },
	{ "jitter", JITTER, 1 },
	{ "jitter=off", JITTER, 0 },
	{ "jitter=no", JITTER, 0 },
	{ "jitter=1", JITTER, 1 },
};

/* Letters changed, left out, put in, swapped; a beginning; or nothing that is like it. */
static const struct { const char *word, *list, *want; } near[] = {
	{ "calz", "functions|calls|tree", "calls" }, { "treee", "functions calls tree", "tree" },
	{ "fucntions", "functions, calls, tree", "functions" }, { "FUNCTIONS", "functions|calls", "functions" },
	{ "symb", "status|symbols", "symbols" }, { "rset", "rest|reset|report", "rest" }, { "og", "go", "" },
	{ "rest", "reset|rests", "rests" }, { "f41", "f401re f411re", "f411re" }, { "x", "a|b", "" }, { "", "a|b", "" }, { "nothing", "note|things", "" },
	{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa", "" },
	{ "abcdefghijklmnopqrstuvwxyzabcdefghijklmn", "abcdefghijklmnopqrstuvwxyzabcdefghijklmo", "abcdefghijklmnopqrstuvwxyzabcdefghijklmo" },
};

START_TEST(finds_the_nearest)
{
	char question[PT_NEAREST_QUESTION], want[PT_NEAREST_QUESTION] = "; ";
	struct pt_nearest n;

	pt_nearest_init(&n, near[_i].word, strlen(near[_i].word));
	pt_nearest_offer_list(&n, near[_i].list);
	ck_assert_str_eq(n.nearest, near[_i].want);
	if (near[_i].want[0] != '\0')
		snprintf(want, sizeof(want), "; did you mean %s? ", near[_i].want);
	ck_assert_str_eq(pt_nearest_question(&n, question, sizeof(question)), want);
}
END_TEST

static const struct { const char *text; int rc; uint64_t ns; } seconds[] = {
	{ "2", 0, 2 * PT_NS_PER_S }, { "0.5", 0, 500 * PT_NS_PER_MS }, { "2s", 0, 2 * PT_NS_PER_S },
	{ "20ms", 0, 20 * PT_NS_PER_MS }, { "", PT_EARG, 0 }, { ".", PT_EARG, 0 }, { "2x", PT_EARG, 0 }, { "-2", PT_EARG, 0 },
	{ "99999999999999999999999999999999999999999999999", PT_EARG, 0 },
};

START_TEST(a_bare_number_is_seconds)
{
	uint64_t ns = 0;

	ck_assert_int_eq(pt_params_parse_seconds(seconds[_i].text, &ns, NULL), seconds[_i].rc);
	if (seconds[_i].rc == 0)
		ck_assert_uint_eq(ns, seconds[_i].ns);
}
END_TEST

START_TEST(takes)
{
	struct pt_params *set = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_msg(pt_params_add(set, rows, PT_LEN(rows), good[_i].word, &err) == 0, "%s: %s", good[_i].word,
		      err.msg);
	ck_assert_uint_eq(pt_params_number(set, &rows[good[_i].row]), good[_i].want);
	ck_assert(pt_params_given(set, &rows[good[_i].row]));
	pt_params_free(set);
}
END_TEST

static const struct {
	const char *word, *says;
} bad[] = {
	{ "speed=1", "there is no setting 'speed'; there are: mode packets delay core-clock" },
	{ "", "there is no setting ''" },
	{ "mod=burst", "there is no setting 'mod'" },
	{ "modes=burst", "there is no setting 'modes'" },
	{ "mode=fast", "mode: 'fast' is not one of burst|stream|halt" },
	{ "mode=burst|stream", "is not one of" },
	{ "mode=", "is not one of" },
	{ "mode", "mode needs a value: mode=burst|stream|halt" },
	{ "packets=1", "packets: 1 is out of range: 2 to 4096" },
	{ "packets=4097", "out of range" },
	{ "packets=-1", "is not a number" },
	{ "packets=12x", "is not a number" },
	{ "packets=", "is not a number" },
	{ "packets=99999999999999999999", "is not a number" },
	{ "packets=18446744073709551615k", "is not a number" },
	{ "packets=0.5", "is not a number" },
	{ "delay=5", "delay: 5 of what? a time has a unit: 5s, 5ms or 5us" },
	{ "mode=brust", "mode: 'brust' is not one of burst|stream|halt; did you mean burst?" },
	{ "dealy=5ms", "there is no setting 'dealy'; did you mean delay? there are: mode packets" },
	{ "delay=11s", "11s is out of range: 0s to 10s" },
	{ "delay=0.5ns", "is not a time" },
	{ "core-clock=48GHz", "is not a frequency" },
	{ "jitter=maybe", "jitter: 'maybe' is not on or off" },
	{ "mtb-ram=0x20000000", "is not ADDR:SIZE" },
	{ "mtb-ram=0x20000000:0", "is not ADDR:SIZE" },
	{ "mtb-ram=0xfffffffffffffff0:0x20", "is not ADDR:SIZE" },
	{ "mtb-ram=here:0x20", "is not ADDR:SIZE" },
	{ "functions=", "functions: the value is missing" },
};

START_TEST(refuses)
{
	struct pt_params *set = pt_params_new();
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_params_add(set, rows, PT_LEN(rows), bad[_i].word, &err), PT_EARG);
	ck_assert_msg(strstr(err.msg, bad[_i].says) != NULL, "'%s' said: %s", bad[_i].word, err.msg);
	ck_assert_int_eq(pt_params_add(set, rows, PT_LEN(rows), bad[_i].word, NULL), PT_EARG);
	for (size_t i = 0; i < PT_LEN(rows); i++)
		ck_assert(!pt_params_given(set, &rows[i]));
	pt_params_free(set);
}
END_TEST

START_TEST(standards_without_a_set)
{
	uint64_t addr, size;

	ck_assert_str_eq(pt_params_text(NULL, &rows[MODE]), "burst");
	ck_assert_uint_eq(pt_params_number(NULL, &rows[DELAY]), 20 * PT_NS_PER_MS);
	ck_assert(pt_params_flag(NULL, &rows[JITTER]));
	ck_assert_uint_eq(pt_params_number(NULL, &rows[CLOCK]), 0);
	ck_assert_ptr_null(pt_params_text(NULL, &rows[NAME]));
	ck_assert(!pt_params_span(NULL, &rows[RAM], &addr, &size));
}
END_TEST

START_TEST(copy_stands_alone)
{
	struct pt_params *set = pt_params_new(), *copy;
	uint64_t addr, size;

	ck_assert_int_eq(pt_params_add(set, rows, PT_LEN(rows), "mtb-ram=0x20001000:1Ki", NULL), 0);
	ck_assert_int_eq(pt_params_add(set, rows, PT_LEN(rows), "mode=halt", NULL), 0);
	copy = pt_params_copy(set);
	ck_assert_int_eq(pt_params_add(set, rows, PT_LEN(rows), "mode=stream", NULL), 0);
	ck_assert_str_eq(pt_params_text(set, &rows[MODE]), "stream");
	pt_params_free(set);
	ck_assert_str_eq(pt_params_text(copy, &rows[MODE]), "halt");
	ck_assert(pt_params_span(copy, &rows[RAM], &addr, &size));
	ck_assert_uint_eq(addr, 0x20001000);
	ck_assert_uint_eq(size, 1024);
	pt_params_free(copy);
	copy = pt_params_copy(NULL);
	ck_assert_ptr_nonnull(copy);
	pt_params_free(copy);
}
END_TEST

struct lines {
	char text[2000];
};

static void keep(void *arg, const char *line)
{
	struct lines *lines = arg;

	strcat(lines->text, line);
	strcat(lines->text, "\n");
}

START_TEST(help_has_a_line_per_row)
{
	struct lines lines = { "" };

	pt_params_help(rows, 2, keep, &lines);
	ck_assert_str_eq(lines.text, "  mode               burst        how the buffer is read (burst|stream|halt)\n"
				     "  packets            16           packets per burst\n");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("params");
	TCase *tc = tcase_create("params");

	tcase_add_loop_test(tc, finds_the_nearest, 0, PT_LEN(near));
	tcase_add_loop_test(tc, a_bare_number_is_seconds, 0, PT_LEN(seconds));
	tcase_add_loop_test(tc, takes, 0, PT_LEN(good));
	tcase_add_loop_test(tc, refuses, 0, PT_LEN(bad));
	tcase_add_test(tc, standards_without_a_set);
	tcase_add_test(tc, copy_stands_alone);
	tcase_add_test(tc, help_has_a_line_per_row);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
