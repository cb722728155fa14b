/* The command line: fields, words, and what is refused with a sentence. */
#include <string.h>

#include "harness.h"
#include "cli/options.h"

enum { MAX_ARGS = 8 };

static int parse(struct pt_options *options, const char *const *args, struct pt_err *err)
{
	static char copies[MAX_ARGS][64];
	char *argv[MAX_ARGS + 1] = { (char *)"profile" };
	int argc = 1;

	for (; args[argc - 1] != NULL; argc++) {
		strncpy(copies[argc - 1], args[argc - 1], sizeof(copies[0]) - 1);
		argv[argc] = copies[argc - 1];
	}
	return pt_options_parse(options, argc, argv, err);
}

START_TEST(takes_fields_and_words)
{
	const char *const args[] = { "--probe=virtual:kl27", "--for", "500ms", "--core-clock", "48M", "--set", "period=2ms", NULL };
	struct pt_options options;
	struct pt_err err = { 0 };

	ck_assert_int_eq(parse(&options, args, &err), 0);
	ck_assert_str_eq(options.probe[0], "virtual:kl27");
	ck_assert_uint_eq(options.for_ns, 500000000);
	ck_assert_uint_eq(options.n_words, 2);
	ck_assert_str_eq(options.words[0], "core-clock=48M");
	ck_assert_str_eq(options.words[1], "period=2ms");
	pt_options_free(&options);
}
END_TEST

START_TEST(a_setting_says_how_long)
{
	const char *const args[] = { "--set", "for=300ms", NULL };
	struct pt_options options;
	struct pt_err err = { 0 };

	ck_assert_int_eq(parse(&options, args, &err), 0);
	ck_assert_uint_eq(options.for_ns, 300000000);
	pt_options_free(&options);
}
END_TEST

static const struct { const char *args[6]; const char *says; } refused[] = {
	{ { "--nonsense", NULL }, "no option --nonsense" },
	{ { "-elf", "fw.elf", NULL }, "no option -elf; did you mean --elf?" },
	{ { "-fro", "2s", NULL }, "no option -fro; did you mean --for?" },
	{ { "--probe", NULL }, "--probe needs a value" },
	{ { "--max-loss", "120", NULL }, "0 to 100" },
	{ { "--max-loss", "few", NULL }, "few" },
	{ { "--for", "soon", NULL }, "--for: 'soon'" },
	{ { "--for", "0s", NULL }, "such as 500ms, not 0s" },
	{ { "--probe=a", "--probe=b", "--probe=c", "--probe=d", "--probe=e", NULL }, "--probe e: a board has at most 4" },
	{ { "--log", "loud", NULL }, "loud" },
};

START_TEST(takes_several_probes)
{
	const char *const args[] = { "--probe=virtual:kl27", "--probe", "logic:a.sr", NULL };
	struct pt_options options;
	struct pt_err err = { 0 };

	ck_assert_int_eq(parse(&options, args, &err), 0);
	ck_assert_str_eq(options.probe[0], "virtual:kl27");
	ck_assert_str_eq(options.probe[1], "logic:a.sr");
	ck_assert_ptr_null(options.probe[2]);
	pt_options_free(&options);
}
END_TEST

START_TEST(refuses)
{
	struct pt_options options;
	struct pt_err err = { 0 };

	ck_assert_int_eq(parse(&options, refused[_i].args, &err), PT_EARG);
	ck_assert_msg(strstr(err.msg, refused[_i].says) != NULL, "%s", err.msg);
	pt_options_free(&options);
}
END_TEST

static const struct { const char *option, *verb, *says; } of_verbs[] = {
	{ "--json", "profile", "--json is an option of probes, events, status, not of profile" },
	{ "--json", "probes", NULL },
	{ "--for=2s", "serve", "--for is an option of profile, check, not of serve" },
	{ "--print-ports", "board", NULL },
	{ "--output=file", "profile", NULL },
	{ "--core-clock=48M", "serve", NULL },
};

START_TEST(belongs_to_its_verbs)
{
	const char *const args[] = { of_verbs[_i].option, NULL };
	struct pt_options options;
	struct pt_err err = { 0 };

	ck_assert_int_eq(parse(&options, args, &err), 0);
	ck_assert_int_eq(pt_options_check_subcommand(&options, of_verbs[_i].verb, &err),
			 of_verbs[_i].says != NULL ? PT_EARG : 0);
	ck_assert_msg(of_verbs[_i].says == NULL || strstr(err.msg, of_verbs[_i].says) != NULL, "%s", err.msg);
	pt_options_free(&options);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("options");
	TCase *tc = tcase_create("options");

	tcase_add_test(tc, takes_fields_and_words);
	tcase_add_test(tc, a_setting_says_how_long);
	tcase_add_test(tc, takes_several_probes);
	tcase_add_loop_test(tc, refuses, 0, PT_LEN(refused));
	tcase_add_loop_test(tc, belongs_to_its_verbs, 0, PT_LEN(of_verbs));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
