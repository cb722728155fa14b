/* Time by the target's own stamps in flow (silent_time.c), over the hand-made S12Z program. The model: a cycle for each
 * instruction and access, so 1 for NOP, BRA and DEC, 2 for JSR and RTS, 9 for RTI and for the entry of an exception. */
#include <inttypes.h>

#include "harness.h"
#include "s12z_flow_rows.h"

enum { MOST = 12, TIMER = 12, SWI = 3 };

#define SINCE(why, number, cycles) \
	{ .kind = PT_EV_SINCE, .cause = PT_SINCE_##why, .ticks = PT_UNKNOWN, .value = { number, cycles } }
#define IRQ(cycles) SINCE(EXACTLY, TIMER, cycles), VECTOR(TIMER)
#define AT_END(cycles) SINCE(EXACTLY, PT_UNKNOWN, cycles)
#define SO_FAR(cycles) SINCE(GOES_ON, PT_UNKNOWN, cycles)

#define JUMP PT_LEFT_BRANCH
#define TIME PT_LEFT_BRANCH

static const struct row {
	const char *name;
	struct pt_event event[MOST];
	struct { uint64_t begin, end; uint32_t cycles; unsigned left; } want[MOST];
	uint64_t slept;
	enum pt_flow_stamps stamps;	/* 0: from flow */
} rows[] = {
	/* a loop that tells of nothing */
	{ "an endless loop takes its time",
	  { START(Z_ENDLESS), IRQ(1009), TO(Z_ENDLESS) },
	  { { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 499, TIME }, { 0xff8145, 0xff8145, 499, TIME },
	    { Z_ENDLESS, Z_ENDLESS, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK } } },
	{ "it is entered if there was time for it",
	  { START(Z_ENTER), IRQ(112) },
	  { { Z_ENTER, 0xff8142, 1, JUMP }, { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 50, TIME },
	    { 0xff8145, 0xff8145, 50, TIME }, { Z_ENDLESS, Z_ENDLESS, 9, INTERRUPT } } },
	{ "there was no time for it: where it was, the return says",
	  { START(Z_ENTER), IRQ(11), TO(Z_ENDLESS) },
	  { { Z_ENTER, Z_ENTER, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK }, { Z_ENTER, 0xff8142, 1, JUMP },
	    { Z_ENDLESS, Z_ENDLESS, 1, TIME } } },
	{ "from its middle on",
	  { START(Z_ENDLESS), IRQ(13), TO(0xff8145), IRQ(14), TO(0xff8145) },
	  { { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 1, TIME }, { 0xff8145, 0xff8145, 1, TIME },
	    { Z_ENDLESS, Z_ENDLESS, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK },
	    { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 1, TIME },
	    { 0xff8145, 0xff8145, 1, TIME }, { Z_ENDLESS, Z_ENDLESS, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK } } },
	{ "a stamp that goes on counts once",
	  { START(Z_ENDLESS), SO_FAR(1002), SO_FAR(2004), AT_END(2106), GAP },
	  { { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 500, TIME }, { 0xff8145, 0xff8145, 500, TIME },
	    { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 551, TIME }, { 0xff8145, 0xff8145, 551, TIME },
	    { Z_ENDLESS, Z_ENDLESS, 0, LOST } } },
	/* a core that waits */
	{ "what is left behind WAI the core slept",
	  { START(Z_IDLE), IRQ(110), TO(0xff8082) },
	  { { Z_IDLE, 0xff8082, 10, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK } }, 100 },
	{ "asleep for longer than a stamp",
	  { START(Z_IDLE), SO_FAR(65536), IRQ(65646), TO(0xff8082) },
	  { { Z_IDLE, 0xff8082, 10, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK } }, 65636 },
	{ "and around to WAI again",
	  { START(Z_IDLE), IRQ(110), TO(0xff8082), IRQ(111) },
	  { { Z_IDLE, 0xff8082, 10, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK }, { 0xff8082, 0xff8084, 1, JUMP },
	    { Z_IDLE, 0xff8082, 10, INTERRUPT } }, 200 },
	{ "the session ends while it sleeps",
	  { START(Z_IDLE), AT_END(5000), GAP }, { { Z_IDLE, 0xff8082, 1, LOST } }, 4999 },
	{ "not asleep yet, though the stamp would allow it",
	  { START(0xff8082), IRQ(20), TO(0xff8082) },
	  { { 0xff8082, 0xff8084, 1, JUMP }, { Z_IDLE, 0xff8082, 10, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK } }, 9 },
	/* a way that ends */
	{ "an interrupt on the way: paid where it returns to",
	  { START(0xff800c), IRQ(40), TO(0xff800e), ATOMS(1, 1) },
	  { { 0xff800c, 0xff800c, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK }, { 0xff800c, 0xff800c, 29, TIME },
	    { 0xff800c, 0xff8010, 3, JUMP } } },
	{ "the stamp has no more than the model",
	  { START(0xff800c), IRQ(10), TO(0xff800e), ATOMS(1, 1) },
	  { { 0xff800c, 0xff800c, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK }, { 0xff800c, 0xff8010, 3, JUMP } } },
	{ "paid in the function that was called on the way",
	  { START(Z_LOOP), IRQ(109), TO(0xff8041), TO(0xff8009) },
	  { { Z_LOOP, Z_LOOP, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK }, { Z_LOOP, 0xff8009, 2, CALL },
	    { Z_LEAF, Z_LEAF, 97, TIME }, { Z_LEAF, 0xff8042, 3, RETURN } } },
	{ "the end on the way: instruction by instruction",
	  { START(0xff800c), AT_END(5), GAP },
	  { { 0xff800c, 0xff800c, 1, TIME }, { 0xff800d, 0xff800d, 1, TIME }, { 0xff800d, 0xff800d, 3, TIME },
	    { 0xff800c, 0xff800c, 0, LOST } } },
	{ "the end on the way behind a call that there was time for",
	  { START(Z_LOOP), AT_END(4), GAP },
	  { { Z_LOOP, 0xff8009, 2, CALL }, { Z_LEAF, Z_LEAF, 1, TIME }, { Z_LEAF, Z_LEAF, 1, TIME },
	    { Z_LEAF, Z_LEAF, 0, LOST } } },
	{ "the end while the core was halted: nobody knows when it came to where it is",
	  { START(0xff800c), AT_END(5), EV(STOP, .branch = { 0, 0xff800d }) }, { { 0xff800c, 0xff800d, 1, HELD } } },
	{ "nor how long it was in an endless loop; the counter may have rolled over meanwhile",
	  { START(Z_ENDLESS), SO_FAR(1002), AT_END(2004), EV(STOP, .branch = { 0, Z_ENDLESS }) },
	  { { 0 } } },
	{ "of what was stamped long before there is no doubt",
	  { START(Z_ENDLESS), SO_FAR(1002), SO_FAR(2004), AT_END(2014), EV(STOP, .branch = { 0, Z_ENDLESS }) },
	  { { Z_ENDLESS, 0xff8147, 2, JUMP }, { Z_ENDLESS, Z_ENDLESS, 500, TIME }, { 0xff8145, 0xff8145, 500, TIME } } },
	{ "swi's own time is in its run",
	  { START(Z_SWI), SINCE(EXACTLY, SWI, 11), VECTOR(SWI), TO(0xff8092) },
	  { { Z_SWI, 0xff8092, 11, INTERRUPT }, { Z_SWI_ISR, 0xff80a2, 9, BACK } } },
	{ "a branch ends a stamp", { START(Z_IF), SO_FAR(65536), ATOMS(1, 1), AT_END(1), GAP },
	  { { Z_IF, Z_IF, 65536, TIME }, { Z_IF, 0xff8052, 1, JUMP }, { 0xff8056, 0xff8056, 1, TIME },
	    { 0xff8056, 0xff8056, 0, LOST } } },
	/* stamps from lines: less what ran since the line */
	{ "from the line before",
	  { START(0xff8053), ATOMS(3, 7), IRQ(112), TO(0xff8056) },
	  { { 0xff8053, 0xff8056, 1, JUMP }, { 0xff8056, 0xff8059, 1, JUMP }, { 0xff8053, 0xff8056, 1, JUMP },
	    { 0xff8056, 0xff8056, 9, INTERRUPT }, { Z_ISR2, 0xff8072, 9, BACK }, { 0xff8056, 0xff8056, 100, TIME } },
	  0, PT_STAMPS_FROM_LINE },
};

static size_t n_events(const struct row *row)
{
	size_t n = 0;

	while (n < MOST && row->event[n].kind != 0)
		n++;
	return n;
}

START_TEST(time_of_row)
{
	static struct pt_run_batch got;
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	const struct row *row = &rows[_i];
	struct pt_flow flow;
	size_t n = 0;

	got.n_runs = 0;
	pt_flow_init(&flow, map, &settings);
	flow.stamps = row->stamps != PT_STAMPS_OTHER ? row->stamps : PT_STAMPS_FROM_FLOW;
	ck_assert_uint_eq(pt_flow_feed(&flow, row->event, n_events(row), &got), n_events(row));
	while (n < MOST && row->want[n].begin != 0)
		n++;
	for (size_t i = 0; i < got.n_runs; i++) {
		const struct pt_run *run = &got.run[i];

		ck_assert_msg(i < n && run->begin == row->want[i].begin && run->end == row->want[i].end &&
				      run->cycles == row->want[i].cycles && run->left == row->want[i].left,
			      "%s: run %zu is %" PRIx64 "-%" PRIx64 ", %u cycles, left %u", row->name, i, run->begin,
			      run->end, run->cycles, run->left);
	}
	ck_assert_msg(got.n_runs == n, "%s: %zu runs of %zu", row->name, got.n_runs, n);
	ck_assert_msg(flow.counts.slept_cycles == row->slept, "%s: slept %" PRIu64, row->name,
		      flow.counts.slept_cycles);
	ck_assert_uint_eq(flow.counts.not_code, 0);
}
END_TEST

START_TEST(turns_that_are_not_counted_are_told)
{
	static const struct { struct pt_event event[3]; uint64_t loops; } row[] = {
		{ { START(Z_ENDLESS), AT_END(5000), GAP }, 1 },
		{ { START(Z_ENDLESS), AT_END(3), GAP }, 0 },
		{ { START(Z_IDLE), AT_END(5000), GAP }, 0 },
	};
	static struct pt_run_batch got;
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	struct pt_flow flow;

	for (size_t i = 0; i < PT_LEN(row); i++) {
		got.n_runs = 0;
		pt_flow_init(&flow, map, &settings);
		flow.stamps = PT_STAMPS_FROM_FLOW;
		pt_flow_feed(&flow, row[i].event, PT_LEN(row[i].event), &got);
		ck_assert_uint_eq(flow.counts.loops, row[i].loops);
	}
}
END_TEST

/* Of a source whose stamps say something else nothing is taken. */
START_TEST(other_stamps_are_not_taken)
{
	static struct pt_run_batch got;
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	struct pt_event events[] = { START(Z_ENDLESS), AT_END(5000), GAP };
	struct pt_flow flow;

	got.n_runs = 0;
	pt_flow_init(&flow, map, &settings);
	pt_flow_feed(&flow, events, PT_LEN(events), &got);
	ck_assert_uint_eq(got.n_runs, 0);
	ck_assert_uint_eq(flow.counts.slept_cycles, 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flow_stamps");
	TCase *tc = tcase_create("rows");

	tcase_add_unchecked_fixture(tc, build, drop);
	tcase_add_loop_test(tc, time_of_row, 0, PT_LEN(rows));
	tcase_add_test(tc, turns_that_are_not_counted_are_told);
	tcase_add_test(tc, other_stamps_are_not_taken);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
