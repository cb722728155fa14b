/* "Exact" is said only where nothing can be missing from the time that a report is about, beginning and end included.
 * Each row is a session in a few letters; what its trace holds is always the same. */
#include <string.h>

#include "chunk_feed.h"
#include "report/table/facts.h"
#include "report/table/order.h"
#include "report/views/views.h"

#define CONFIG(mode) \
	"format=mtb\nsource=mtb\nmode=" mode "\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=1000000\ncost=halts\n"
enum { STEP_NS = 100000 };

/* One letter is 100 us, but for the states and the end, which take no time:
 *   D data    d data that restarts    R let go at a known pc    H halted    X reset
 *   r re-arm  s asleep  h halted      o overrun  b damaged      n not armed E end */
static const struct { const char *name, *config, *session; bool over; enum pt_basis counts, times, shares; } rows[] = {
	{ "held, let go, halted", CONFIG("halt"), "HhRDHrE", true, PT_BASIS_EXACT, PT_BASIS_MODELLED, PT_BASIS_MODELLED },
	{ "up to now", CONFIG("halt"), "HhRD", false, PT_BASIS_EXACT, PT_BASIS_MODELLED, PT_BASIS_MODELLED },
	{ "held before, though nobody says so until it is let go", CONFIG("halt"), "rRDHrE", true, PT_BASIS_EXACT,
	  PT_BASIS_MODELLED, PT_BASIS_MODELLED },
	{ "out of reset", CONFIG("halt"), "rXDHrE", true, PT_BASIS_EXACT, PT_BASIS_MODELLED, PT_BASIS_MODELLED },
	{ "asleep between", CONFIG("halt"), "HhRDsDHrE", true, PT_BASIS_EXACT, PT_BASIS_MODELLED, PT_BASIS_MODELLED },
	{ "it ran before the trace began", CONFIG("halt"), "rDHrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "it ran until it was halted", CONFIG("halt"), "rHhRDHrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "it ran on after the trace ended", CONFIG("stream"), "HhRDrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "a stream in one piece", CONFIG("stream"), "HhRDoE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "a ring", CONFIG("ring"), "HhRrDHrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED, PT_BASIS_ESTIMATED },
	{ "the first record is damaged", CONFIG("halt"), "HhRbHrRDHrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "the last record is damaged", CONFIG("halt"), "HhRDbHrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "not armed at the end", CONFIG("halt"), "HhRDnE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED,
	  PT_BASIS_ESTIMATED },
	{ "no end", CONFIG("halt"), "HhRDHr", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED, PT_BASIS_ESTIMATED },
	{ "a burst", CONFIG("burst"), "HhRdHrE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED, PT_BASIS_ESTIMATED },
	{ "a dump", CONFIG("dump"), "dE", true, PT_BASIS_ESTIMATED, PT_BASIS_MODELLED, PT_BASIS_ESTIMATED },
};

static void put_letter(struct chunk_feed *f, char letter, uint64_t *ns)
{
	static const struct { char letter; enum pt_loss cause; } losses[] = {
		{ 'r', PT_LOSS_REARM }, { 's', PT_LOSS_SLEEP }, { 'h', PT_LOSS_HALTED }, { 'o', PT_LOSS_OVERRUN },
		{ 'b', PT_LOSS_DAMAGED }, { 'n', PT_LOSS_NOT_ARMED },
	};
	struct chunk_bytes b = { .len = 0 };

	for (size_t i = 0; i < PT_LEN(losses); i++)
		if (losses[i].letter == letter) {
			chunk_put(f, 0, PT_CHUNK_LOSS, losses[i].cause, *ns, *ns + STEP_NS, NULL, 0);
			*ns += STEP_NS;
		}
	if (letter == 'R' || letter == 'X')
		chunk_state(f, 0, letter == 'R' ? PT_STATE_RUN : PT_STATE_RESET, *ns, 0x102);
	if (letter == 'H')
		chunk_state(f, 0, PT_STATE_HALT, *ns, 0x102);
	if (letter == 'E')
		chunk_end(f, 0, *ns);
	if (letter != 'D' && letter != 'd')
		return;
	add_packet(&b, 0x104, LEAF);
	add_packet(&b, 0x122, 0x108);
	add_packet(&b, 0x10a, 0x102);
	chunk_put(f, 0, PT_CHUNK_DATA, letter == 'd' ? PT_DATA_RESTARTS : PT_DATA_FOLLOWS, *ns, *ns + STEP_NS, b.bytes,
		  b.len);
	*ns += STEP_NS;
}

START_TEST(says_exact_where_nothing_is_missing)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, NULL, 0);
	const struct pt_profile *p;
	uint64_t ns = 0;

	chunk_config(&f, 0, rows[_i].config);
	for (const char *letter = rows[_i].session; *letter != '\0'; letter++)
		put_letter(&f, *letter, &ns);
	if (rows[_i].over)
		pt_pipeline_over(f.pipeline);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_msg(p->counts == rows[_i].counts, "%s: counts", rows[_i].name);
	ck_assert_msg(p->times == rows[_i].times, "%s: times", rows[_i].name);
	/* of so few pieces there is no share at all */
	ck_assert_msg(p->shares == rows[_i].shares ||
			      (rows[_i].shares == PT_BASIS_ESTIMATED && p->shares == PT_BASIS_NONE),
		      "%s: shares", rows[_i].name);
	ck_assert_msg((p->incomplete == NULL) == (p->counts == PT_BASIS_EXACT), "%s: %s", rows[_i].name, p->incomplete);
	ck_assert_uint_eq(p->loss.total_ns, ns);
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

#define UNCLOCKED(mode) \
	"format=mtb\nsource=mtb\nmode=" mode "\ntarget=small\nprobe=test\nvirtual=1\ncore_hz=0\ncost=halts\n"

/* What one stretch of a longer run has is at least so much: its counts are lower bounds, the shortest is not known. */
static const struct { const char *name, *config, *session; bool tally; double part; } stretches[] = {
	{ "all of it", UNCLOCKED("stream"), "HhRDHrE", false, 0 },
	{ "it ran on behind three parts of four", UNCLOCKED("stream"), "HhRDDDrE", true, 0.75 },
	{ "it ran before three parts of four", UNCLOCKED("stream"), "rDDDHhE", true, 0.75 },
	{ "a small part", UNCLOCKED("stream"), "HhRDrrrE", true, 0 },
	{ "a dump is all that there is", UNCLOCKED("dump"), "dE", false, 1 },
};

START_TEST(one_stretch_is_a_tally)
{
	static const char *const at_least[] = { "count", "net.total", "gross.total" };
	int longest, partial;
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, NULL, 0);
	const struct pt_view *view = pt_view_find("functions");
	struct pt_value value[96];
	const struct pt_profile *p;
	uint64_t ns = 0;

	chunk_config(&f, 0, stretches[_i].config);
	for (const char *letter = stretches[_i].session; *letter != '\0'; letter++)
		put_letter(&f, *letter, &ns);
	pt_pipeline_over(f.pipeline);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_gt(view->n_rows(p), 0);
	longest = pt_view_column(view, "gross.max");
	partial = pt_view_column(view, "partial");
	ck_assert_msg(p->core[0].seen_part == stretches[_i].part, "%s: %g", stretches[_i].name, p->core[0].seen_part);
	for (size_t i = 0; i < view->n_rows(p); i++) {
		view->row(p, i, value);
		for (size_t k = 0; k < PT_LEN(at_least); k++) {
			struct pt_value v = value[pt_view_column(view, at_least[k])];

			ck_assert_msg(v.u == PT_UNKNOWN || v.at_least == stretches[_i].tally, "%s: %s of %s",
				      stretches[_i].name, at_least[k], value[0].text);
		}
		ck_assert_msg(value[longest].u == PT_UNKNOWN ||
				      value[longest].at_least == (stretches[_i].tally || value[partial].u > 0),
			      "%s: gross.max of %s", stretches[_i].name, value[0].text);
		ck_assert_msg(!stretches[_i].tally || value[pt_view_column(view, "gross.min")].u == PT_UNKNOWN,
			      "%s: gross.min", stretches[_i].name);
	}
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

/* Of two sources one has a CONFIG that is damaged, or none at all. */
START_TEST(a_source_without_its_config_is_lost)
{
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, NULL, 0);
	const struct pt_profile *p;
	uint64_t ns = 0;
	char reason[200];

	if (_i == 0)
		chunk_put(&f, 1, PT_CHUNK_CONFIG, 0, 0, 0, NULL, 0);
	chunk_put(&f, 1, PT_CHUNK_DATA, PT_DATA_FOLLOWS, 0, STEP_NS, "damaged", 7);
	chunk_end(&f, 1, STEP_NS);
	chunk_config(&f, 0, CONFIG("halt"));
	for (const char *letter = "HhRDHrE"; *letter != '\0'; letter++)
		put_letter(&f, *letter, &ns);
	pt_pipeline_over(f.pipeline);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_uint_eq(p->n_sources, 2);
	ck_assert_uint_eq(p->sources[0].loss.lost_ns, STEP_NS);
	ck_assert_uint_eq(p->sources[0].loss.by[PT_LOSS_DAMAGED].bytes, 7);
	ck_assert(p->ended);
	ck_assert_str_eq(p->target, "small");	/* what the report is of is the other's to say */
	ck_assert_uint_gt(p->branches, 0);
	ck_assert(p->counts != PT_BASIS_EXACT);
	ck_assert_str_eq(p->incomplete, "a source is not read");
	ck_assert(pt_ignored_reason(p, &p->sources[0], reason, sizeof(reason)));
	ck_assert_msg(strstr(reason, "trace of source 1 means is damaged") != NULL, "%s", reason);
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

/* A fault of which nothing more is known is a loss, and an end that never came may be any. */
START_TEST(a_fault_is_a_loss)
{
	struct pt_profile p = { .loss = { .total_ns = 1000, .observed_ns = 1000, .observed_bytes = 10 } };

	ck_assert(pt_profile_lost_share(&p) == 0);
	p.loss.by[PT_LOSS_NOT_CODE].events = 1;
	ck_assert(pt_profile_lost_share(&p) > 0);
	ck_assert(pt_profile_lost_share(&p) < 0.001);
	p.loss.by[PT_LOSS_CUT].events = 1;
	ck_assert(pt_profile_lost_share(&p) == 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("completeness");
	TCase *tc = tcase_create("exact");

	tcase_add_loop_test(tc, says_exact_where_nothing_is_missing, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, one_stretch_is_a_tally, 0, PT_LEN(stretches));
	tcase_add_loop_test(tc, a_source_without_its_config_is_lost, 0, 2);
	tcase_add_test(tc, a_fault_is_a_loss);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
