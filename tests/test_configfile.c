/* The configuration file: what it sets, what the command line keeps, what is refused with its line. */
#include <stdio.h>
#include <string.h>

#include "cli/configfile.h"
#include "harness.h"

enum { MAX_ARGS = 4 };

static struct pt_options options;
static struct pt_err err;

static int parse(const char *verb, const char *const *args, const char *text)
{
	static char copies[MAX_ARGS][64], file[1024];
	char *argv[MAX_ARGS + 2] = { (char *)verb };
	int argc = 1;

	for (; args[argc - 1] != NULL; argc++) {
		snprintf(copies[argc - 1], sizeof(copies[0]), "%s", args[argc - 1]);
		argv[argc] = copies[argc - 1];
	}
	err = (struct pt_err){ 0 };
	ck_assert_int_eq(pt_options_parse(&options, argc, argv, &err), 0);
	snprintf(file, sizeof(file), "%s", text);
	return pt_configfile_parse(&options, verb, "lab.conf", file, &err);
}

START_TEST(sets_what_the_command_line_leaves)
{
	static const char *const args[] = { "--gdb=127.0.0.1:0", "--core-clock=8M", NULL };

	ck_assert_int_eq(
		parse("serve", args,
		      "# the lab\n\nlog = warn\n[board bench]\r\n  probe = cmsis-dap:serial=1\n"
		      "board = nucleo-f411re\n"
		      "elf = /dev/null\noutput = \"my report.txt\"\ngdb = :3333\ncore-clock = 48M\nperiod=2ms\n; the end"),
		0);
	ck_assert_str_eq(options.probe[0], "cmsis-dap:serial=1");
	ck_assert_str_eq(options.board, "nucleo-f411re");
	ck_assert_str_eq(options.elf, "/dev/null");
	ck_assert_str_eq(options.output, "my report.txt");
	ck_assert_str_eq(options.gdb, "127.0.0.1:0");
	ck_assert_uint_eq(options.n_boards, 1);
	ck_assert_uint_eq(options.n_words, 2);
	ck_assert_str_eq(options.words[0], "period=2ms");
	ck_assert_str_eq(options.words[1], "core-clock=8M");
	pt_options_free(&options);
}
END_TEST

/* A probe for each line; those of the command line take the place of all of them. */
START_TEST(probes_are_several)
{
	static const char *const none[] = { NULL }, *const one[] = { "--probe=virtual:kl27", NULL };
	static const char text[] = "[board bench]\nprobe = osbdm:\nprobe = logic:a.sr\n";

	ck_assert_int_eq(parse("serve", none, text), 0);
	ck_assert_str_eq(options.probe[0], "osbdm:");
	ck_assert_str_eq(options.probe[1], "logic:a.sr");
	ck_assert_ptr_null(options.probe[2]);
	pt_options_free(&options);
	ck_assert_int_eq(parse("serve", one, text), 0);
	ck_assert_str_eq(options.probe[0], "virtual:kl27");
	ck_assert_ptr_null(options.probe[1]);
	pt_options_free(&options);
}
END_TEST

/* An alias may come behind the line that has it; an address is none. */
START_TEST(aliases_name_probes)
{
	static const char *const none[] = { NULL }, *const named[] = { "--probe=bench", "--probe=cmsis-dap:", NULL };
	static const char text[] = "probe = left\nalias.left = cmsis-dap:usb=1-4.1\nalias.bench = usb:serial=7\n";

	ck_assert_int_eq(parse("serve", none, text), 0);
	ck_assert_str_eq(options.probe[0], "cmsis-dap:usb=1-4.1");
	ck_assert_ptr_null(options.probe[1]);
	ck_assert_uint_eq(options.n_words, 0);
	pt_options_free(&options);
	ck_assert_int_eq(parse("profile", named, text), 0);
	ck_assert_str_eq(options.probe[0], "usb:serial=7");
	ck_assert_str_eq(options.probe[1], "cmsis-dap:");
	pt_options_free(&options);
}
END_TEST

/* The last word of a key holds, so the file's come first. */
START_TEST(words_of_the_file_come_first)
{
	static const char *const args[] = { "--set=period=5ms", NULL };

	ck_assert_int_eq(parse("profile", args,
			       "period = 2ms\nmtb-ram = 0x20000000:0x400\nfor = 2s\nreset = on\ngdb = :1\n"),
			 0);
	ck_assert_uint_eq(options.n_words, 3);
	ck_assert_str_eq(options.words[0], "period=2ms");
	ck_assert_str_eq(options.words[1], "mtb-ram=0x20000000:0x400");
	ck_assert_str_eq(options.words[2], "period=5ms");
	ck_assert_uint_eq(options.for_ns, UINT64_C(2000000000));
	ck_assert(options.reset);
	ck_assert_ptr_null(options.gdb);	/* of serve */
	pt_options_free(&options);
}
END_TEST

static const struct { const char *text, *says; } refused[] = {
	{ "probe\n", "lab.conf:1: \"probe\" is not option = value, such as core-clock = 48M" },
	{ "\n\nprobe =\n", "lab.conf:3: probe has no value" },
	{ "= x\n", "lab.conf:1: a line has no key" },
	{ "[bored x]\n", "lab.conf:1: [bored x] is not a section" },
	{ "[board]\n", "is not a section" },
	{ "[board ]\n", "a board needs a name" },
	{ "[board a\n", "is not a section" },
	{ "[board B]\n", "lab.conf:1: board B: a name has 1 to 32 of the characters" },
	{ "[board a]\nlog = warn\n", "lab.conf:2: log is for all boards: put it before the first [board NAME]" },
	{ "for = soon\n", "lab.conf:1: --for: 'soon'" },
	{ "\ncore-clock = soon\n", "lab.conf:2: core-clock" }, { "speed = fast\n", "lab.conf:1: speed: 'fast'" },
	{ "max-loss = many\n", "lab.conf:1: --max-loss" },
	{ "reset = perhaps\n", "lab.conf:1: reset: 'perhaps'" },
	{ "set = a=b\n", "set is for the command line only" },
	{ "alias. = usb:\n", "lab.conf:1: alias.: a name for a probe, without" },
	{ "alias.a:b = usb:\n", "lab.conf:1: alias.a:b: a name for a probe, without" },
	{ "config = other\n", "config is for the command line only" },
	{ "log = loud\n", "--log takes" },
	{ "\nperod = 2ms\n", "lab.conf:2: there is no option or setting 'perod'; did you mean period?" },
	{ "source = mbt\n", "lab.conf:1: source: there is no source \"mbt\"; did you mean mtb?" },
	{ "analysis = lines,lnies\n", "lab.conf:1: analysis: there is no analysis \"lnies\"; did you mean lines?" },
	{ "target = cortex-m\n", "lab.conf:1: target: there is no target \"cortex-m\"; did you mean cortexm?" },
	{ "format = jsn\n", "lab.conf:1: format: there is no format \"jsn\"; did you mean json?" },
	{ "board = frdm-kl72z\n", "lab.conf:1: board: --board frdm-kl72z: there is no board of this name; did you mean" },
	{ "core-clock = 8M\nprobe = left\n", "lab.conf:2: probe: \"left\" names no probe" },
	{ "probe = left\nalias.left = virtual:kl72\n", "lab.conf:2: alias.left: there is no virtual board \"kl72\"; did you mean kl27?" },
	{ "probe = virtual:kl27?sed=3\n", "lab.conf:1: probe: there is no setting 'sed'; did you mean seed?" },
	{ "probe = cmsis-dap:serail=3\n", "lab.conf:1: probe: there is no setting 'serail'; did you mean serial?" },
};

START_TEST(refuses)
{
	static const char *const args[] = { NULL };

	ck_assert_int_eq(parse("profile", args, refused[_i].text), PT_EARG);
	ck_assert_msg(strstr(err.msg, refused[_i].says) != NULL, "%s", err.msg);
	pt_options_free(&options);
}
END_TEST

static const struct { const char *text, *says; } boards[] = {
	{ "[board a]\nprobe = usb:serial=1\n[board b]\nprobe = usb:serial=2\n", "" },
	{ "[board a]\nprobe = usb:serial=1\n[board b]\nprobe = cmsis-dap:serial=1\n",
	  "lab.conf:4: probe: cmsis-dap:serial=1 is the probe of board a (line 2)" },
	{ "[board a]\nprobe = left\n[board b]\nprobe = usb:usb=1-4\nalias.left = usb:usb=1-4\n",
	  "lab.conf:4: probe: usb:usb=1-4 is the probe of board a (line 2)" },
	{ "probe = virtual:kl27\n[board a]\n[board b]\n", "" },
	{ "[board a]\nprobe = osbdm:\n[board b]\nprobe = cmsis-dap:\n",
	  "lab.conf:4: probe: cmsis-dap: may be another board's probe" },
	{ "[board a]\nprobe = virtual:kl27\n[board b]\n", "lab.conf:3: board b: which probe?" },
	{ "[board b]\nprobe = virtual:kl27\n[board b]\nprobe = virtual:kl27\n",
	  "lab.conf:3: a second board b: the first is at line 1" },
	{ "[board a]\nprobe = virtual:kl27\ngdb = :1\n[board b]\nprobe = virtual:kl27\nswo = :1\n",
	  "lab.conf:4: swo: board a listens at :1, too" },
	{ "[board a]\nprobe = virtual:kl27\n[bored b]\nprobe = virtual:kl27\n", "lab.conf:3: [bored b] is not a section" },
};

/* A mistake in the second board is its own. */
START_TEST(boards_are_several)
{
	static const char *const args[] = { "--core-clock=8M", NULL };

	ck_assert_int_eq(parse("serve", args, boards[_i].text), 0);
	ck_assert_uint_eq(options.n_boards, 2);
	ck_assert_str_eq(options.boards[1]->words[0], "core-clock=8M");
	if (boards[_i].says[0] == '\0')
		ck_assert_int_eq(options.boards[1]->fault.code, 0);
	else
		ck_assert_msg(strstr(options.boards[1]->fault.msg, boards[_i].says) != NULL, "%s",
			      options.boards[1]->fault.msg);
	pt_options_free(&options);
}
END_TEST

/* Options of the daemon, so read for it. */
static const struct { const char *text, *says; } refused_by_serve[] = {
	{ "\ngdb = 3333\n", "lab.conf:2: gdb: \"3333\" is not an address: HOST:PORT or unix:PATH; did you mean 127.0.0.1:3333?" },
	{ "gdb = 127.0.0.1:99999\n", "lab.conf:1: gdb: \"127.0.0.1:99999\" is not an address" },
	{ "swo = unix:\n", "lab.conf:1: swo: \"unix:\" is not an address" },
	{ "swo = stdio\n", "lab.conf:1: swo: \"stdio\" is not an address" },
	{ "attach = hlt\n", "lab.conf:1: attach: it takes auto|run|halt, not hlt; did you mean halt?" },
	{ "elf = /no/such\n", "lab.conf:1: elf: /no/such: No such file or directory" },
	{ "elf = /dev\n", "lab.conf:1: elf: /dev is a folder, not a file" },
	{ "files = /dev/null\n", "lab.conf:1: files: /dev/null is not a folder" },
	{ "\ntoken-file = /no/such\n", "lab.conf:2: token-file: /no/such: No such file or directory" },
	{ "second = look\n", "lab.conf:1: second: it takes watch|none, not look" },
};

START_TEST(serve_refuses)
{
	static const char *const args[] = { NULL };

	ck_assert_int_eq(parse("serve", args, refused_by_serve[_i].text), PT_EARG);
	ck_assert_msg(strstr(err.msg, refused_by_serve[_i].says) != NULL, "%s", err.msg);
	pt_options_free(&options);
	ck_assert_int_eq(parse("serve", args, "gdb = stdio\nswo = [::1]:0\nswo-text = unix:/run/x\nattach = run"), 0);
	pt_options_free(&options);
}
END_TEST

/* What another subcommand would read need not be there. */
START_TEST(files_of_other_subcommands_are_not_looked_for)
{
	static const char *const args[] = { NULL };

	ck_assert_int_eq(parse("restore", args, "elf = /no/such\nfiles = /no/such\n"), 0);
	pt_options_free(&options);
}
END_TEST

START_TEST(has_bounds)
{
	static const char *const args[] = { NULL };
	char text[1024] = "";

	for (int i = 0; i < 100; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "seed=%d\n", i);
	ck_assert_int_eq(parse("profile", args, text), PT_EARG);
	ck_assert_msg(strstr(err.msg, "more than 64 settings") != NULL, "%s", err.msg);
	pt_options_free(&options);
	text[0] = '\0';
	for (int i = 0; i < 110; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "elf=/dev/null\n");
	ck_assert_int_eq(parse("profile", args, text), PT_EARG);
	pt_options_free(&options);
}
END_TEST

START_TEST(only_a_named_file_must_be_there)
{
	options = (struct pt_options){ .config = "/nonexistent/lab.conf" };
	ck_assert_int_eq(pt_configfile_read(&options, "serve", &err), PT_EIO);
	ck_assert_msg(strstr(err.msg, "--config: open /nonexistent/lab.conf: No such file") != NULL, "%s", err.msg);
	options.config = "/dev/zero";
	ck_assert_int_eq(pt_configfile_read(&options, "serve", &err), PT_EARG);
	ck_assert_int_eq(pt_configfile_read(&options, "boards", &err), 0);	/* has no such file */
}
END_TEST

/* Tests, and whoever wants nothing of what stands on a machine, name another file, or none. */
START_TEST(the_environment_may_name_another)
{
	static const char *const args[] = { NULL };

	ck_assert_int_eq(parse("serve", args, ""), 0);
	ck_assert_int_eq(setenv(PT_CONFIG_ENV, "/nonexistent/lab.conf", 1), 0);
	ck_assert_int_eq(pt_configfile_read(&options, "serve", &err), PT_EIO);
	ck_assert_msg(strstr(err.msg, PT_CONFIG_ENV ": open /nonexistent/lab.conf: No such file") != NULL, "%s",
		      err.msg);
	ck_assert_int_eq(setenv(PT_CONFIG_ENV, "/dev/zero", 1), 0);
	options.config = "/dev/null";	/* the command line wins */
	ck_assert_int_eq(pt_configfile_read(&options, "serve", &err), 0);
	options.config = NULL;
	ck_assert_int_eq(setenv(PT_CONFIG_ENV, "/dev/null", 1), 0);
	ck_assert_int_eq(pt_configfile_read(&options, "serve", &err), 0);
	ck_assert_uint_eq(options.n_words, 0);
	pt_options_free(&options);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("configfile");
	TCase *tc = tcase_create("configfile");

	tcase_add_test(tc, sets_what_the_command_line_leaves);
	tcase_add_test(tc, probes_are_several);
	tcase_add_test(tc, aliases_name_probes);
	tcase_add_test(tc, words_of_the_file_come_first);
	tcase_add_loop_test(tc, refuses, 0, PT_LEN(refused));
	tcase_add_loop_test(tc, boards_are_several, 0, PT_LEN(boards));
	tcase_add_loop_test(tc, serve_refuses, 0, PT_LEN(refused_by_serve));
	tcase_add_test(tc, files_of_other_subcommands_are_not_looked_for);
	tcase_add_test(tc, has_bounds);
	tcase_add_test(tc, only_a_named_file_must_be_there);
	tcase_add_test(tc, the_environment_may_name_another);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
