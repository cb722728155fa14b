/* Counters over profiles: they never fall, and time is never counted twice. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "web/totals.h"

/* Snapshots of one source, one after the other. */
struct step { uint64_t number, total, observed, lost, lost_bytes; bool is_bound; };

static const struct {
	const char *name;
	struct step step[5];
	uint64_t ns[PT_WEB_N_STATES], lost_bytes;
} rows[] = {
	{ "one profile", { { 1, 100, 60, 10, 7, false } }, { 60, 30, 10, 0 }, 7 },
	{ "as it goes on", { { 1, 100, 60, 10, 7, false }, { 1, 300, 160, 20, 9, false } }, { 160, 120, 20, 0 }, 9 },
	{ "the same twice", { { 1, 100, 60, 10, 7, false }, { 1, 100, 60, 10, 7, false } }, { 60, 30, 10, 0 }, 7 },
	{ "another profile", { { 1, 100, 60, 10, 7, false }, { 2, 50, 20, 0, 1, false } }, { 80, 60, 10, 0 }, 8 },
	{ "longer than the one before", { { 1, 100, 60, 0, 0, false }, { 2, 200, 200, 0, 0, false } }, { 260, 40, 0, 0 }, 0 },
	{ "not divided", { { 1, 100, 60, 10, 0, true }, { 1, 200, 90, 10, 0, true } }, { 0, 0, 10, 190 }, 0 },
	{ "no longer divided", { { 1, 100, 60, 0, 0, false }, { 1, 200, 160, 0, 0, true } }, { 60, 40, 0, 100 }, 0 },
	{ "divided again", { { 1, 100, 60, 0, 0, true }, { 1, 200, 160, 0, 0, false }, { 1, 300, 260, 0, 0, false } },
	  { 100, 0, 0, 200 }, 0 },
	{ "corrected downwards", { { 1, 100, 60, 0, 5, false }, { 1, 90, 50, 0, 3, false }, { 1, 120, 70, 0, 6, false } },
	  { 70, 50, 0, 0 }, 6 },
};

START_TEST(counts)
{
	struct pt_web_totals totals;

	memset(&totals, 0, sizeof(totals));
	for (const struct step *step = rows[_i].step; step->number != 0; step++) {
		struct pt_web_snapshot snapshot = { .n_sources = 1 };

		snapshot.source[0] = (struct pt_web_source){ .name = "mtb", .is_bound = step->is_bound };
		snapshot.source[0].loss.total_ns = step->total;
		snapshot.source[0].loss.observed_ns = step->observed;
		snapshot.source[0].loss.lost_ns = step->lost;
		snapshot.source[0].loss.by[PT_LOSS_HOST].bytes = step->lost_bytes;
		pt_web_totals_add(&totals, step->number, &snapshot);
	}
	ck_assert_uint_eq(totals.n_sources, 1);
	for (size_t s = 0; s < PT_WEB_N_STATES; s++)
		ck_assert_msg(totals.source[0].ns[s] == rows[_i].ns[s], "%s: state %zu: %u", rows[_i].name, s,
			      (unsigned)totals.source[0].ns[s]);
	ck_assert_uint_eq(totals.lost_bytes[PT_LOSS_HOST], rows[_i].lost_bytes);
}
END_TEST

/* More sources than there is room for are one. */
START_TEST(sums_up_the_rest)
{
	static struct pt_web_totals totals;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 3 * PT_WEB_SOURCES; i++) {
		struct pt_web_snapshot snapshot = { .n_sources = 1 };

		snprintf(snapshot.source[0].name, sizeof(snapshot.source[0].name), "source %u", i);
		snapshot.source[0].loss.total_ns = snapshot.source[0].loss.observed_ns = 10;
		pt_web_totals_add(&totals, i + 1, &snapshot);
	}
	ck_assert_uint_eq(totals.n_sources, PT_WEB_SOURCES + 1);
	ck_assert_str_eq(totals.source[PT_WEB_SOURCES].name, "(other)");
	for (size_t i = 0; i < totals.n_sources; i++)
		sum += totals.source[i].ns[PT_WEB_OBSERVED];
	ck_assert_uint_eq(sum, 30 * PT_WEB_SOURCES);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("web_totals");
	TCase *tc = tcase_create("totals");

	tcase_add_loop_test(tc, counts, 0, PT_LEN(rows));
	tcase_add_test(tc, sums_up_the_rest);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
