/* Names of host I/O: what they stand for, and that none of them leads out of the board's directory. */
#include <string.h>

#include "gdbstub/files/hostio_names.h"
#include "harness.h"

static const struct {
	const char *path;
	enum pt_hostio_kind kind;
	const char *name, *format, *view;	/* view: "" is the first */
} good[] = {
	{ "firmware.elf", PT_HOSTIO_FIRMWARE, "firmware.elf", NULL, NULL },
	{ "/firmware.elf", PT_HOSTIO_FIRMWARE, "firmware.elf", NULL, NULL },
	{ "notes.txt", PT_HOSTIO_FILE, "notes.txt", NULL, NULL },
	{ "A-b_c.9+", PT_HOSTIO_FILE, "A-b_c.9+", NULL, NULL },
	{ "capture/last.ptcap", PT_HOSTIO_CAPTURE, "last.ptcap", NULL, NULL },
	{ "profile/json", PT_HOSTIO_PROFILE, "json", "json", "" },
	{ "profile/report.json", PT_HOSTIO_PROFILE, "report.json", "json", "" },
	{ "profile/functions.csv", PT_HOSTIO_PROFILE, "functions.csv", "csv", "functions" },
	{ "profile/calls.txt", PT_HOSTIO_PROFILE, "calls.txt", "text", "calls" },
	{ "profile/flame.svg", PT_HOSTIO_PROFILE, "flame.svg", "svg", "" },
	{ "profile/gmon.out", PT_HOSTIO_PROFILE, "gmon.out", "gmon", "" },
	{ "profile/callgrind.out.12", PT_HOSTIO_PROFILE, "callgrind.out.12", "callgrind", "" },
	{ "profile/cpu.pb.gz", PT_HOSTIO_PROFILE, "cpu.pb.gz", "pprof", "" },
	{ "profile/run.pftrace", PT_HOSTIO_PROFILE, "run.pftrace", "perfetto", "" },
	{ "profile/page.html", PT_HOSTIO_PROFILE, "page.html", "html", "" },
	{ "profile/coverage.info", PT_HOSTIO_PROFILE, "coverage.info", "lcov", "coverage" },
};

START_TEST(stands_for)
{
	struct pt_hostio_name name;
	struct pt_err err = { 0 };

	ck_assert_msg(pt_hostio_parse(good[_i].path, &name, &err) == 0, "%s: %s", good[_i].path, err.msg);
	ck_assert_uint_eq(name.kind, good[_i].kind);
	ck_assert_str_eq(name.name, good[_i].name);
	if (good[_i].format != NULL) {
		ck_assert_str_eq(name.query.format, good[_i].format);
		ck_assert_str_eq(name.query.view, good[_i].view);
	}
}
END_TEST

static const struct { const char *path; int rc; } bad[] = {
	{ "", PT_EPERM }, { "..", PT_EPERM }, { ".", PT_EPERM }, { "../x", PT_EPERM }, { "/etc/passwd", PT_EPERM },
	{ "/notes.txt", PT_EPERM }, { "//firmware.elf", PT_EPERM }, { "a/b", PT_EPERM }, { ".hidden", PT_EPERM },
	{ "profile/", PT_EPERM }, { "profile/../firmware.elf", PT_EPERM }, { "capture/../../x", PT_EPERM },
	{ "capture/", PT_EPERM }, { "profile/profile/json", PT_EPERM }, { "a b", PT_EPERM }, { "a\nb", PT_EPERM },
	{ "\xc3\xa4", PT_EPERM }, { "profile/nothing", PT_EARG }, { "profile/x.docx", PT_EARG },
	{ "a23456789012345678901234567890123456789012345678901234567890123456789", PT_EPERM },
};

START_TEST(leads_nowhere)
{
	struct pt_hostio_name name;
	struct pt_err err = { 0 };

	ck_assert_msg(pt_hostio_parse(bad[_i].path, &name, &err) == bad[_i].rc, "%s", bad[_i].path);
	ck_assert_str_ne(err.msg, "");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("hostio_names");
	TCase *tc = tcase_create("names");

	tcase_add_loop_test(tc, stands_for, 0, PT_LEN(good));
	tcase_add_loop_test(tc, leads_nowhere, 0, PT_LEN(bad));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
