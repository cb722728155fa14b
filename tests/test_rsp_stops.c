/* What stop replies and resumes say of the cores behind a GDB server, in all-stop and in non-stop. */
#include <string.h>

#include "harness.h"
#include "probes/rsp/rsp_stops.h"
#include "base/util.h"

static const struct { const char *a, *b; bool same; } names[] = {
	{ "1", "1", true },	    { "1", "2", false },     { "01", "1", true },	{ "p1.2", "2", true },
	{ "2", "pa410.2", true },   { "p1.2", "p1.2", true },{ "p1.2", "p2.2", false }, { "p1.1", "2", false },
	{ "p1.-1", "1", false },    { "p1", "1", false },    { "-1", "1", false },	{ "", "0", true },
};

START_TEST(knows_threads)
{
	ck_assert_msg(pt_rsp_same_thread(names[_i].a, names[_i].b) == names[_i].same, "%s and %s", names[_i].a,
		      names[_i].b);
}
END_TEST

/* Packets one behind the other: "<" from the server, ">" from a debugger; "?" it asks, "." all is told. Behind them a
 * bit for each of three cores that stands, how often each was let run, and whether any runs. */
static const struct {
	const char *name, *packets[6];
	bool non_stop;
	unsigned halted, resumes[3];
	bool running;
} rows[] = {
	{ "all-stop: all of them", { ">vCont;c", "<T05thread:2;" }, false, 7, { 1, 1, 1 }, false },
	{ "all-stop: c", { ">c" }, false, 0, { 1, 1, 1 }, true },
	{ "all-stop: one steps, others stand", { ">vCont;s:p1.2" }, false, 5, { 0, 1, 0 }, true },
	{ "all-stop: one steps, others run", { ">vCont;s:2;c" }, false, 0, { 1, 1, 1 }, true },
	{ "all-stop: no thread is named", { ">c", "<S05" }, false, 7, { 1, 1, 1 }, false },
	{ "one halts", { ">vCont;c", "<T05thread:2;" }, true, 2, { 1, 1, 1 }, true },
	{ "with a process", { ">vCont;c:p1.-1", "<T05thread:p1.3;core:2;" }, true, 4, { 1, 1, 1 }, true },
	{ "one goes on", { ">vCont;c", "<T05thread:2;", "<T05thread:3;", ">vCont;c:2" }, true, 4, { 1, 2, 1 }, true },
	{ "all have halted", { ">vCont;c", "<T05thread:2;", "<T00thread:1;", "<T00thread:3;" }, true, 7, { 1, 1, 1 },
	  false },
	{ "the first action counts", { ">vCont;t:1;c" }, true, 1, { 0, 1, 1 }, true },
	{ "a thread that came later", { ">vCont;c", "<T05thread:9;" }, true, 0, { 1, 1, 1 }, true },
	{ "the end of all", { ">vCont;c", "<W00" }, true, 7, { 1, 1, 1 }, false },
	{ "asked for: none stands", { "?", "." }, true, 0, { 0, 0, 0 }, true },
	{ "asked for: one stands", { ">vCont;c", "<T05thread:3;", "?", "<T05thread:1;", "." }, true, 1, { 1, 1, 1 },
	  true },
};

START_TEST(follows_the_cores)
{
	static const char *const threads[] = { "1", "2", "3" };
	struct pt_rsp_run run = { .non_stop = rows[_i].non_stop };

	pt_rsp_set_cores(&run, threads, PT_LEN(threads));
	ck_assert_uint_eq(run.halted, 7);
	for (const char *const *p = rows[_i].packets; *p != NULL; p++) {
		if (**p == '<')
			ck_assert(pt_rsp_stop_read(&run, (const uint8_t *)*p + 1, strlen(*p) - 1));
		else if (**p == '>')
			pt_rsp_resume_read(&run, *p + 1, true);
		else if (**p == '?')
			run.told = 0;
		else
			pt_rsp_all_told(&run);
	}
	ck_assert_msg(run.halted == rows[_i].halted, "%s: %x", rows[_i].name, run.halted);
	ck_assert_msg(run.running == rows[_i].running, "%s: running %d", rows[_i].name, run.running);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_msg(run.core_resumes[i] == rows[_i].resumes[i], "%s: core %u was resumed %u times",
			      rows[_i].name, i, run.core_resumes[i]);
}
END_TEST

/* One core, or none that the server names: whatever stops, it stands. */
START_TEST(a_single_core)
{
	static const char *const threads[] = { "1" };
	struct pt_rsp_run run = { .non_stop = true };

	for (unsigned n = 0; n < 2; n++) {
		pt_rsp_set_cores(&run, threads, n);
		pt_rsp_resume_read(&run, "vCont;c", true);
		ck_assert(run.running);
		ck_assert(pt_rsp_stop_read(&run, (const uint8_t *)"T05thread:7;", 12));
		ck_assert(!run.running);
		pt_rsp_all_told(&run);
		ck_assert(!run.running);
	}
}
END_TEST

START_TEST(what_is_no_stop)
{
	static const char *const texts[] = { "", "OK", "E01", "Nothing", "QC1", "O4142", "F1,2" };
	struct pt_rsp_run run = { .running = true };

	for (size_t i = 0; i < PT_LEN(texts); i++)
		ck_assert(!pt_rsp_stop_read(&run, (const uint8_t *)texts[i], strlen(texts[i])));
	ck_assert(run.running && run.stop[0] == '\0');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("rsp_stops");
	TCase *tc = tcase_create("cores");

	tcase_add_loop_test(tc, knows_threads, 0, PT_LEN(names));
	tcase_add_loop_test(tc, follows_the_cores, 0, PT_LEN(rows));
	tcase_add_test(tc, a_single_core);
	tcase_add_test(tc, what_is_no_stop);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
