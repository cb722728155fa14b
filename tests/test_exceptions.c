/* Exceptions as a chip reports them, as little stories: what the rows say of how often, how long and how far apart. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "harness.h"
#include "profile/analyses/signals/exceptions.h"
#include "profile/result/analysis.h"

enum { MOST_REPORTS = 16, TEXT_BYTES = 1024, GAP = 100, SEEN = 150, BEGINS = 151, LATE = 200 };

struct report { uint64_t ns; uint8_t step; uint16_t number; };	/* step: enum pt_exception_step, + LATE; or GAP + enum pt_gap; SEEN, BEGINS */

static const struct {
	const char *name;
	struct report report[MOST_REPORTS];
	const char *want;	/* number: count partial, gross and period as min-max; what is lost and late, what was observed */
} stories[] = {
	{ "one, and back to the program", { { 100, PT_EXC_ENTER, 15 }, { 130, PT_EXC_EXIT, 15 }, { 135, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 30 total 30-30 or 35; lost 0 late 0 of 35\n" },
	{ "an exit that is not reported", { { 100, PT_EXC_ENTER, 15 }, { 135, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 35 total 35-35 or 35; lost 0 late 0 of 35\n" },
	{ "nested", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_ENTER, 16 }, { 130, PT_EXC_EXIT, 16 }, { 131, PT_EXC_RETURN, 15 },
		      { 140, PT_EXC_EXIT, 15 }, { 142, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 20 total 40-40 or 42\n16: 1 0 self 20 total 20-20 or 32; lost 0 late 0 of 42\n" },
	{ "nested, without exits", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_ENTER, 16 }, { 130, PT_EXC_RETURN, 15 },
				     { 140, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 20 total 40-40 or 40\n16: 1 0 self 20 total 20-20 or 30; lost 0 late 0 of 40\n" },
	{ "from one to the next", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_EXIT, 15 }, { 112, PT_EXC_ENTER, 16 },
				    { 130, PT_EXC_EXIT, 16 }, { 131, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 10 total 10-10 or 31\n16: 1 0 self 18 total 18-18 or 19; lost 0 late 0 of 31\n" },
	{ "from one to the next, without exits", { { 100, PT_EXC_ENTER, 15 }, { 112, PT_EXC_ENTER, 16 }, { 131, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 12 total 12-12 or 31\n16: 1 0 self 19 total 19-19 or 19; lost 0 late 0 of 31\n" },
	{ "from one to the next inside a third, without exits",
	  { { 100, PT_EXC_ENTER, 14 }, { 110, PT_EXC_ENTER, 15 }, { 115, PT_EXC_ENTER, 16 }, { 131, PT_EXC_RETURN, 14 },
	    { 140, PT_EXC_RETURN, 0 } },
	  "14: 1 0 self 19 total 40-40 or 40\n15: 1 0 self 5 total 5-5 or 30\n16: 1 0 self 16 total 16-16 or 25; lost 0 late 0 of 40\n" },
	{ "entered again behind another one, without exits",
	  { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_ENTER, 16 }, { 115, PT_EXC_ENTER, 15 }, { 121, PT_EXC_RETURN, 16 },
	    { 140, PT_EXC_RETURN, 0 } },
	  "15: 2 0 self 16 total 6-10 period 15-15 or 25\n16: 1 0 self 24 total 30-30 or 30; lost 0 late 0 of 40\n" },
	{ "periods", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 }, { 200, PT_EXC_ENTER, 15 }, { 215, PT_EXC_RETURN, 0 },
		       { 350, PT_EXC_ENTER, 15 }, { 360, PT_EXC_RETURN, 0 } },
	  "15: 3 0 self 35 total 10-15 period 100-150; lost 0 late 0 of 260\n" },
	{ "begun before anything was seen", { { 100, PT_EXC_RETURN, 15 }, { 110, PT_EXC_EXIT, 15 }, { 111, PT_EXC_RETURN, 0 } },
	  "15: 0 1 self 10 lasts 10; lost 0 late 0 of 11\n" },
	{ "open at the end", { { 100, PT_EXC_ENTER, 15 } }, "15: 1 1 self 0; lost 0 late 0 of 0\n" },
	{ "reports dropped: no period, and no length over it", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 },
		{ 150, PT_EXC_ENTER, 16 }, { 160, GAP + PT_GAP_OVERFLOW, 0 }, { 200, PT_EXC_ENTER, 15 }, { 215, PT_EXC_RETURN, 0 } },
	  "15: 2 0 self 25 total 10-15 or 50\n16: 1 1 self 0; lost 1 late 0 of 65\n" },
	{ "the first start is no gap", { { 0, GAP + PT_GAP_RESTART, 0 }, { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 10 total 10-10 or 10; lost 0 late 0 of 10\n" },
	{ "a report without its time", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 }, { 0, LATE + PT_EXC_ENTER, 15 },
					{ 140, PT_EXC_RETURN, 0 }, { 200, PT_EXC_ENTER, 15 }, { 205, PT_EXC_RETURN, 0 } },
	  "15: 3 1 self 15 total 5-10 or 10; lost 0 late 1 of 75\n" },
	{ "no report has its time", { { 0, LATE + PT_EXC_ENTER, 15 }, { 0, LATE + PT_EXC_EXIT, 15 }, { 0, LATE + PT_EXC_RETURN, 0 } },
	  "15: 1 1 self 0; lost 0 late 3 of 0\n" },
	{ "nested, and no report has its time", { { 0, LATE + PT_EXC_ENTER, 15 }, { 0, LATE + PT_EXC_ENTER, 16 },
		{ 0, LATE + PT_EXC_EXIT, 16 }, { 0, LATE + PT_EXC_RETURN, 15 }, { 0, LATE + PT_EXC_EXIT, 15 },
		{ 0, LATE + PT_EXC_RETURN, 0 } },
	  "15: 1 1 self 0\n16: 1 1 self 0; lost 0 late 6 of 0\n" },
	{ "silent for longer than any period", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 }, { 200, PT_EXC_ENTER, 15 },
		{ 215, PT_EXC_RETURN, 0 }, { 500, SEEN, 0 } },
	  "15: 2 0 self 25 total 10-15 period 100-100 or 300; lost 0 late 0 of 400\n" },
	{ "silent, and then it comes", { { 100, PT_EXC_ENTER, 15 }, { 150, SEEN, 0 }, { 160, PT_EXC_RETURN, 0 }, { 900, SEEN, 0 },
		{ 700, PT_EXC_ENTER, 15 }, { 710, PT_EXC_RETURN, 0 } },	/* not yet seen after all */
	  "15: 2 0 self 70 total 10-60 period 600-600; lost 0 late 0 of 800\n" },
	{ "open, and silent", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 }, { 200, PT_EXC_ENTER, 15 }, { 500, SEEN, 0 } },
	  "15: 2 1 self 310 total 10-10 period 100-100 or 300 lasts 300; lost 0 late 0 of 400\n" },
	{ "silent before reports were dropped", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 }, { 500, SEEN, 0 },
		{ 600, GAP + PT_GAP_OVERFLOW, 0 }, { 700, PT_EXC_ENTER, 15 } },
	  "15: 2 1 self 10 total 10-10 or 400; lost 1 late 0 of 400\n" },
	{ "the program ran before the first one", { { 40, BEGINS, 0 }, { 100, PT_EXC_ENTER, 15 }, { 130, PT_EXC_EXIT, 15 },
		{ 135, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 30 total 30-30 or 35; lost 0 late 0 of 95\n" },
	{ "all was seen, wherever the first one is placed", { { 40, BEGINS, 0 }, { 30, PT_EXC_ENTER, 15 }, { 35, PT_EXC_RETURN, 0 },
		{ 100, SEEN, 0 } },
	  "15: 1 0 self 5 total 5-5 or 70; lost 0 late 0 of 60\n" },
	{ "an exception ran before the first one", { { 40, BEGINS, 0 }, { 100, PT_EXC_ENTER, 15 }, { 130, PT_EXC_EXIT, 15 },
		{ 135, PT_EXC_RETURN, 16 }, { 140, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 30 total 30-30 or 40\n16: 0 1 self 5 lasts 5; lost 0 late 0 of 40\n" },
	{ "what was interrupted first is not known", { { 40, BEGINS, 0 }, { 100, PT_EXC_ENTER, 15 }, { 130, PT_EXC_EXIT, 15 } },
	  "15: 1 0 self 30 total 30-30 or 30; lost 0 late 0 of 30\n" },
	{ "reports were dropped before the first one", { { 40, BEGINS, 0 }, { 0, GAP + PT_GAP_OVERFLOW, 0 },
		{ 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 } },
	  "15: 1 0 self 10 total 10-10 or 10; lost 1 late 0 of 10\n" },
	{ "sees again behind a loss", { { 100, PT_EXC_ENTER, 15 }, { 110, PT_EXC_RETURN, 0 }, { 150, BEGINS, 0 },
		{ 0, GAP + PT_GAP_RESTART, 0 }, { 180, PT_EXC_ENTER, 15 }, { 185, PT_EXC_RETURN, 0 } },
	  "15: 2 0 self 15 total 5-10 or 10; lost 1 late 0 of 45\n" },
	{ "the same twice without a word between", { { 100, PT_EXC_ENTER, 15 }, { 200, PT_EXC_ENTER, 15 }, { 210, PT_EXC_RETURN, 0 } },
	  "15: 2 1 self 110 total 10-10 period 100-100; lost 0 late 0 of 110\n" },
};

static void tell(void *analysis, const struct report *report)
{
	struct pt_event e = { .ticks = report->ns };
	struct pt_timestamp at = { report->ns, 0 };

	if (report->step == SEEN) {
		pt_analysis_exceptions.seen(analysis, 0, report->ns);
		return;
	}

	if (report->step == BEGINS) {
		pt_analysis_exceptions.begins(analysis, 0, report->ns);
		return;
	}
	if (report->step >= LATE)
		e.ticks = PT_UNKNOWN;
	if (report->step >= GAP && report->step < LATE) {
		e.kind = PT_EV_GAP;
		e.cause = report->step - GAP;
	} else {
		e.kind = PT_EV_EXCEPTION;
		e.cause = report->step % LATE;
		e.value.at = report->number;
	}
	pt_analysis_exceptions.events(analysis, &e, &at, 1);
}

static void print_row(const struct pt_span_figures *row, char *text)
{
	const struct pt_stat *gross = &row->run.stat[PT_TALLY_GROSS], *period = &row->run.stat[PT_TALLY_PERIOD];
	size_t len = strlen(text);

	len += (size_t)snprintf(text + len, TEXT_BYTES - len, "%s%u: %llu %llu self %llu", len > 0 ? "\n" : "", row->id,
				(unsigned long long)row->run.count, (unsigned long long)row->run.partial,
				(unsigned long long)row->run.cycles);
	if (gross->n > 0)
		len += (size_t)snprintf(text + len, TEXT_BYTES - len, " total %llu-%llu",
					(unsigned long long)gross->min, (unsigned long long)gross->max);
	if (period->n > 0)
		len += (size_t)snprintf(text + len, TEXT_BYTES - len, " period %llu-%llu",
					(unsigned long long)period->min, (unsigned long long)period->max);
	if (pt_stat_longest_is_bound(period, 0))
		len += (size_t)snprintf(text + len, TEXT_BYTES - len, " or %llu", (unsigned long long)period->unended);
	if (pt_stat_longest_is_bound(gross, 0))
		snprintf(text + len, TEXT_BYTES - len, " lasts %llu", (unsigned long long)gross->unended);
}

START_TEST(tells_story)
{
	const struct pt_codemap map = { .isa = &pt_isa_none };
	const struct pt_analysis_setup setup = { .map = &map };
	void *analysis = pt_analysis_exceptions.open(&setup, NULL);
	const struct pt_exceptions *x;
	struct pt_profile profile = { 0 };
	char got[TEXT_BYTES] = "";

	for (size_t i = 0; i < MOST_REPORTS && (stories[_i].report[i].step != 0); i++)
		tell(analysis, &stories[_i].report[i]);
	pt_analysis_exceptions.result(analysis, &profile);
	x = profile.exceptions;
	for (size_t i = 0; i < x->spans.n_spans; i++)
		print_row(&x->spans.span[i], got);
	snprintf(got + strlen(got), TEXT_BYTES - strlen(got), "; lost %llu late %llu of %llu\n",
		 (unsigned long long)x->lost, (unsigned long long)x->late,
		 (unsigned long long)x->spans.core[0].observed);
	ck_assert_msg(strcmp(got, stories[_i].want) == 0, "%s:\n%s", stories[_i].name, got);
	pt_analysis_exceptions.close(analysis);
}
END_TEST

/* Numbers and cores that cannot be are left out; more exceptions than there are rows for are counted. */
START_TEST(no_report_is_an_error)
{
	const struct pt_codemap map = { .isa = &pt_isa_none };
	const struct pt_analysis_setup setup = { .map = &map };
	void *analysis = pt_analysis_exceptions.open(&setup, NULL);
	struct pt_profile profile = { 0 };
	uint32_t seed = 1;

	for (uint64_t i = 0; i < 200000; i++) {
		struct pt_event e = { .kind = PT_EV_EXCEPTION, .ticks = i };
		struct pt_timestamp at = { i, 0 };

		seed = seed * 1664525 + 1013904223;
		e.cause = (uint8_t)(1 + (seed >> 8) % 3);
		e.core = (uint16_t)((seed >> 12) % 20);
		e.value.at = (seed >> 16) % 600;
		pt_analysis_exceptions.events(analysis, &e, &at, 1);
	}
	pt_analysis_exceptions.result(analysis, &profile);
	ck_assert_uint_eq(profile.exceptions->spans.n_spans, 1024);
	ck_assert_uint_gt(profile.exceptions->spans.dropped, 0);
	pt_analysis_exceptions.close(analysis);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("exceptions");
	TCase *tc = tcase_create("reports");

	tcase_add_loop_test(tc, tells_story, 0, PT_LEN(stories));
	tcase_add_test(tc, no_report_is_an_error);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
