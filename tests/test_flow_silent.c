/* Flow where only conditional branches have atoms, over a hand-made S12Z program: rows of events and the runs they must
 * give, by hand from the manual's rules (S12ZVHY/S12ZVHL RM, 6.4.6.4, and the example of interrupts in 6.4.5). */
#include <inttypes.h>
#include <stdio.h>

#include "harness.h"
#include "s12z_flow_rows.h"

enum { MOST = 16 };

#define STOP EV(STOP, .branch = { 0, PT_UNKNOWN })
#define STOP_AT(t) EV(STOP, .branch = { 0, t })
#define TAKEN(f) { .kind = PT_EV_BRANCH, .cause = PT_BY_INSTRUCTION, .ticks = PT_UNKNOWN, .branch = { f, PT_UNKNOWN } }
#define HANDLER(t) { .kind = PT_EV_BRANCH, .cause = PT_BY_EXCEPTION, .ticks = PT_UNKNOWN, .branch = { PT_UNKNOWN, t } }
#define WENT_TO(t) { .kind = PT_EV_INDIRECT, .cause = PT_ATOMS_TAKEN, .ticks = PT_UNKNOWN, .branch = { 0, t } }
#define RAN(t) { .kind = PT_EV_EXECUTED, .ticks = PT_UNKNOWN, .branch = { 0, t } }
#define NONE PT_UNKNOWN

#define BRANCH PT_LEFT_BRANCH

enum { IRQ = 10, TIMER = 12, SWI = 3 };

struct want {
	uint64_t begin, end, next;
	unsigned instructions, left;
	bool assumed;
};

static const struct row {
	const char *name;
	struct pt_event event[MOST];
	struct want want[MOST];
	unsigned bad, silent, recorded;
} rows[] = {
	{ "nothing is run ahead of", { START(Z_MAIN), STOP }, { { 0 } } },
	/* rule 3: atoms, and what is silent in between */
	{ "silent jump, silent call, and back",
	  { START(Z_MAIN), TO(0xff8009) },
	  { { Z_MAIN, 0xff8004, Z_LOOP, 2, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	{ "a call with branches inside",
	  { START(0xff8009), ATOMS(2, 2), TO(0xff800c), ATOMS(1, 1) },
	  { { 0xff8009, 0xff800c, Z_IF, 1, CALL }, { Z_IF, 0xff8052, 0xff8056, 1, BRANCH },
	    { 0xff8056, 0xff805a, 0xff800c, 2, RETURN }, { 0xff800c, 0xff8010, Z_LOOP, 3, BRANCH } } },
	{ "taken and not taken",
	  { START(Z_IF), ATOMS(5, 0xd), STOP },
	  { { Z_IF, 0xff8056, 0xff8056, 3, BRANCH }, { 0xff8056, 0xff8059, 0xff8053, 1, BRANCH },
	    { 0xff8053, 0xff8059, 0xff8053, 2, BRANCH }, { 0xff8053, 0xff8053, NONE, 0, LOST } } },
	{ "more atoms than branches",
	  { START(Z_IF), ATOMS(4, 0x5), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_IF, 0xff8056, 0xff8056, 3, BRANCH }, { 0xff8056, 0xff8059, NONE, 1, LOST },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } }, 1 },
	{ "an indirect call",
	  { START(0xff800e), ATOMS(1, 0), TO(Z_LEAF), TO(0xff8012), TO(0xff8009) },
	  { { 0xff800e, 0xff8012, Z_LEAF, 2, CALL }, { Z_LEAF, 0xff8042, 0xff8012, 2, RETURN },
	    { 0xff8012, 0xff8016, Z_LOOP, 1, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	/* rule 4: what was reached is known, no more */
	{ "the end behind a branch that was not taken",
	  { START(Z_IF), ATOMS(1, 0), STOP }, { { Z_IF, 0xff8052, NONE, 1, LOST } } },
	{ "the end where the core was halted",
	  { START(Z_MAIN), STOP_AT(0xff8041) },
	  { { Z_MAIN, 0xff8004, Z_LOOP, 2, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL },
	    { Z_LEAF, 0xff8041, 0xff8041, 1, HELD } } },
	{ "held at the target of the last branch, and on from there",
	  { START(Z_IF), ATOMS(1, 1), STOP_AT(0xff8056), START(0xff8056), ATOMS(1, 1) },
	  { { Z_IF, 0xff8052, 0xff8056, 1, BRANCH }, { 0xff8056, 0xff8059, 0xff8053, 1, BRANCH } } },
	{ "held at the target of a silent call", { START(Z_LOOP), STOP_AT(Z_LEAF) },
	  { { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL } } },
	{ "held, and on from elsewhere", { START(Z_IF), ATOMS(1, 1), STOP_AT(0xff8056), START(Z_LEAF), TO(0xff8009) },
	  { { Z_IF, 0xff8052, 0xff8056, 1, BRANCH }, { 0xff8056, 0xff8056, NONE, 0, LOST },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	{ "held in a handler, and out of it",
	  { START(Z_IF), VECTOR(TIMER), STOP_AT(Z_ISR2), START(Z_ISR2), TO(Z_IF), ATOMS(1, 1) },
	  { { Z_IF, Z_IF, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_IF, 1, BACK },
	    { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } } },
	{ "halted elsewhere", { START(Z_IF), ATOMS(1, 0), STOP_AT(Z_LEAF) }, { { Z_IF, 0xff8052, NONE, 1, LOST } } },
	{ "lines that end without a branch",
	  { START(Z_IF), ATOMS(1, 0), ATOMS(1, 0), ATOMS(1, 0), TO(0xff800c) },
	  { { Z_IF, 0xff805a, 0xff800c, 5, RETURN } } },
	{ "a gap in between", { START(Z_IF), ATOMS(1, 1), GAP, ATOMS(1, 1), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_IF, 0xff8052, 0xff8056, 1, BRANCH }, { 0xff8056, 0xff8056, NONE, 0, LOST },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	/* rule 2: the buffer rolled over */
	{ "from the first indirect branch on", { ATOMS(3, 5), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	{ "from the first interrupt on", { ATOMS(3, 5), VECTOR(TIMER), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_ISR2, 0xff8072, Z_LEAF, 1, BACK }, { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	/* rule 5: interrupts */
	{ "an interrupt at the walk's own place",
	  { START(Z_IF), VECTOR(TIMER), TO(Z_IF), ATOMS(1, 1) },
	  { { Z_IF, Z_IF, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_IF, 1, BACK },
	    { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } } },
	{ "an interrupt further on adds up",
	  { START(0xff800c), VECTOR(TIMER), TO(0xff800e), ATOMS(1, 1) },
	  { { 0xff800c, 0xff800c, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, 0xff800c, 1, BACK, true },
	    { 0xff800c, 0xff8010, Z_LOOP, 3, BRANCH } } },
	{ "an interrupt behind silent jumps",
	  { START(Z_MAIN), VECTOR(TIMER), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_MAIN, Z_MAIN, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_MAIN, 1, BACK, true },
	    { Z_MAIN, 0xff8004, Z_LOOP, 2, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	{ "branches before the interrupt, and in it",
	  { START(Z_IF), ATOMS(2, 1), VECTOR(IRQ), ATOMS(1, 0), TO(0xff8056), ATOMS(1, 0), TO(0xff800c) },
	  { { Z_IF, 0xff8056, 0xff8056, 3, BRANCH }, { 0xff8056, 0xff8056, Z_ISR, 0, INTERRUPT, true },
	    { Z_ISR, 0xff8066, 0xff8056, 4, BACK }, { 0xff8056, 0xff805a, 0xff800c, 2, RETURN } } },
	{ "nested",
	  { START(Z_IF), VECTOR(IRQ), VECTOR(TIMER), TO(0xff8061), ATOMS(1, 1), TO(0xff8050), ATOMS(1, 1) },
	  { { Z_IF, Z_IF, Z_ISR, 0, INTERRUPT, true }, { Z_ISR, Z_ISR, Z_ISR2, 0, INTERRUPT, true },
	    { Z_ISR2, 0xff8072, Z_ISR, 1, BACK, true }, { Z_ISR, 0xff8063, 0xff8064, 2, BRANCH },
	    { 0xff8064, 0xff8066, Z_IF, 1, BACK }, { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } } },
	{ "tail-chained: one handler right behind the other",
	  { START(0xff800c), VECTOR(TIMER), TO(0xff800d), VECTOR(IRQ), ATOMS(1, 1), TO(0xff800d), ATOMS(1, 1) },
	  { { 0xff800c, 0xff800c, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, 0xff800c, 1, BACK, true },
	    { 0xff800c, 0xff800d, Z_ISR, 1, INTERRUPT, true }, { Z_ISR, 0xff8063, 0xff8064, 2, BRANCH },
	    { 0xff8064, 0xff8066, 0xff800d, 1, BACK }, { 0xff800d, 0xff8010, Z_LOOP, 2, BRANCH } } },
	/* rule 6 */
	{ "an indirect jump and an interrupt at once",
	  { START(Z_CASE), TO(Z_IF), VECTOR(TIMER), TO(Z_IF), ATOMS(1, 1) },
	  { { Z_CASE, 0xff8102, Z_IF, 1, BRANCH }, { Z_IF, Z_IF, Z_ISR2, 0, INTERRUPT, true },
	    { Z_ISR2, 0xff8072, Z_IF, 1, BACK }, { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } } },
	/* rule 7: loops that tell of nothing, 8: what waits is passed */
	{ "asleep, woken, and asleep again",
	  { START(Z_IDLE), VECTOR(TIMER), TO(0xff8082), VECTOR(TIMER), TO(0xff8082), STOP },
	  { { Z_IDLE, Z_IDLE, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_IDLE, 1, BACK, true },
	    { Z_IDLE, 0xff8082, Z_ISR2, 1, INTERRUPT, true }, { Z_ISR2, 0xff8072, 0xff8082, 1, BACK },
	    { 0xff8082, 0xff8082, NONE, 0, LOST } } },
	{ "an atom out of a loop that tells of nothing", { START(Z_IDLE), ATOMS(1, 1), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } }, 1 },
	/* exceptions that code raises */
	{ "swi, and behind it", { START(Z_SWI), VECTOR(SWI), TO(0xff8092), TO(0xff8009) },
	  { { Z_SWI, 0xff8092, Z_SWI_ISR, 2, INTERRUPT }, { Z_SWI_ISR, 0xff80a2, 0xff8092, 1, BACK },
	    { 0xff8092, 0xff8094, 0xff8009, 2, RETURN } } },
	{ "an interrupt before swi", { START(Z_SWI), VECTOR(TIMER), TO(0xff8091), VECTOR(SWI), TO(0xff8092) },
	  { { Z_SWI, Z_SWI, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_SWI, 1, BACK, true },
	    { Z_SWI, 0xff8092, Z_SWI_ISR, 2, INTERRUPT }, { Z_SWI_ISR, 0xff80a2, 0xff8092, 1, BACK } } },
	{ "swi without its exception", { START(Z_SWI), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } }, 1 },
	/* tasks */
	{ "another task, and back to the first",
	  { START(Z_IF), VECTOR(TIMER), TO(Z_TASK), ATOMS(1, 1), VECTOR(TIMER), TO(0xff8050), ATOMS(1, 1), VECTOR(TIMER),
	    TO(0xff80e1), ATOMS(1, 1) },
	  { { Z_IF, Z_IF, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_TASK, 1, BACK, true },
	    { Z_TASK, 0xff80e3, Z_TASK, 2, BRANCH }, { Z_TASK, Z_TASK, Z_ISR2, 0, INTERRUPT, true },
	    { Z_ISR2, 0xff8072, Z_IF, 1, BACK }, { Z_IF, 0xff8052, 0xff8056, 1, BRANCH },
	    { 0xff8056, 0xff8056, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_TASK, 1, BACK, true },
	    { Z_TASK, 0xff80e3, Z_TASK, 2, BRANCH } } },
	{ "a handler that never returned",
	  { START(Z_IF), VECTOR(IRQ), VECTOR(TIMER), TO(0xff8050), ATOMS(1, 1) },
	  { { Z_IF, Z_IF, Z_ISR, 0, INTERRUPT, true }, { Z_ISR, Z_ISR, Z_ISR2, 0, INTERRUPT, true },
	    { Z_ISR2, 0xff8072, Z_IF, 1, BACK }, { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } } },
	/* rule 9: jumps to a fixed operand */
	{ "doubtful ones that are silent", { START(Z_JUMPS), TO(0xff80b5), ATOMS(1, 1) },
	  { { Z_JUMPS, 0xff80b5, Z_LEAF, 1, CALL }, { Z_LEAF, 0xff8042, 0xff80b5, 2, RETURN },
	    { 0xff80b5, 0xff80b8, 0xff80c0, 1, BRANCH }, { 0xff80c0, 0xff80c2, 0xff80c4, 1, BRANCH } }, 0, 2, 0 },
	{ "doubtful ones that are recorded", { START(Z_JUMPS), TO(Z_LEAF), TO(0xff80b5), TO(0xff80c0), ATOMS(1, 1) },
	  { { Z_JUMPS, 0xff80b5, Z_LEAF, 1, CALL }, { Z_LEAF, 0xff8042, 0xff80b5, 2, RETURN },
	    { 0xff80b5, 0xff80b8, 0xff80c0, 1, BRANCH }, { 0xff80c0, 0xff80c2, 0xff80c4, 1, BRANCH } }, 0, 0, 2 },
	/* taken branches by where they are */
	{ "taken ones, and those that were passed",
	  { WENT_TO(Z_IF), TAKEN(0xff8053), TAKEN(0xff8056), WENT_TO(0xff800c), TAKEN(0xff800e) },
	  { { Z_IF, 0xff8056, 0xff8056, 3, BRANCH }, { 0xff8056, 0xff8059, 0xff8053, 1, BRANCH },
	    { 0xff8053, 0xff805a, 0xff800c, 3, RETURN }, { 0xff800c, 0xff8010, Z_LOOP, 3, BRANCH } } },
	{ "taken behind silent jumps", { TAKEN(0xff800e), WENT_TO(0xff8009), TAKEN(0xff8050) },
	  { { 0xff800e, 0xff8010, Z_LOOP, 1, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN }, { 0xff8009, 0xff800c, Z_IF, 1, CALL },
	    { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } } },
	{ "an interrupt by its handler, behind branches that were passed",
	  { WENT_TO(Z_IF), HANDLER(Z_ISR2), WENT_TO(0xff8056), TAKEN(0xff8056) },
	  { { Z_IF, Z_IF, Z_ISR2, 0, INTERRUPT, true }, { Z_ISR2, 0xff8072, Z_IF, 1, BACK, true },
	    { Z_IF, 0xff8059, 0xff8053, 4, BRANCH } } },
	{ "taken where no branch is", { WENT_TO(Z_LEAF), TAKEN(0xff8040), WENT_TO(Z_LEAF), WENT_TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } }, 1 },
	{ "taken elsewhere", { WENT_TO(Z_LEAF), TAKEN(0xff8050) }, { { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } }, 1 },
	/* every instruction */
	{ "one by one", { RAN(Z_MAIN), RAN(0xff8002), RAN(Z_LOOP), RAN(Z_LEAF), RAN(0xff8041), RAN(0xff8009), RAN(Z_IF), RAN(0xff8052),
	    RAN(0xff8053), RAN(0xff8056), RAN(0xff8053) },
	  { { Z_MAIN, 0xff8004, Z_LOOP, 2, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL }, { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN },
	    { 0xff8009, 0xff800c, Z_IF, 1, CALL }, { Z_IF, 0xff8059, 0xff8053, 4, BRANCH } } },
	{ "an interrupt, one by one", { RAN(0xff800c), RAN(Z_ISR2), RAN(0xff800d), RAN(0xff800e), RAN(Z_LOOP) },
	  { { 0xff800c, 0xff800d, Z_ISR2, 1, INTERRUPT, true }, { Z_ISR2, 0xff8072, 0xff800d, 1, BACK },
	    { 0xff800d, 0xff8010, Z_LOOP, 2, BRANCH } } },
	{ "swi, one by one", { RAN(Z_SWI), RAN(0xff8091), RAN(Z_SWI_ISR), RAN(0xff8092), RAN(0xff8093), RAN(0xff8009) },
	  { { Z_SWI, 0xff8092, Z_SWI_ISR, 2, INTERRUPT, true }, { Z_SWI_ISR, 0xff80a2, 0xff8092, 1, BACK },
	    { 0xff8092, 0xff8094, 0xff8009, 2, RETURN } } },
	{ "out of nowhere", { RAN(Z_LEAF), RAN(Z_IF), RAN(0xff8052), RAN(0xff8053) }, { { 0 } }, 1 },
	/* what cannot be */
	{ "a return where a conditional branch comes first", { START(Z_IF), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } }, 1 },
	{ "an atom where a return comes first", { START(Z_LEAF), ATOMS(1, 0), TO(Z_IF), ATOMS(1, 1) },
	  { { Z_IF, 0xff8052, 0xff8056, 1, BRANCH } }, 1 },
	{ "an indirect branch out of the code", { START(Z_LEAF), TO(0x1000), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, NONE, 2, LOST }, { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } }, 1 },
	{ "an exception without a handler", { START(Z_LEAF), TO(Z_LEAF), VECTOR(20), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, Z_LEAF, 2, RETURN }, { Z_LEAF, Z_LEAF, NONE, 0, LOST },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	{ "no such exception", { START(Z_LEAF), VECTOR(1000), TO(Z_LEAF), TO(0xff8009) },
	  { { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
	{ "reset", { START(Z_LEAF), VECTOR(0), TO(0xff8009) },
	  { { Z_MAIN, 0xff8004, Z_LOOP, 2, BRANCH }, { Z_LOOP, 0xff8009, Z_LEAF, 1, CALL },
	    { Z_LEAF, 0xff8042, 0xff8009, 2, RETURN } } },
};

static bool is(const struct pt_run *run, const struct want *want)
{
	return run->begin == want->begin && run->end == want->end && run->next == want->next &&
	       run->instructions == want->instructions && run->left == want->left && run->assumed == want->assumed;
}

static void check_runs(const char *name, const struct pt_run_batch *got, const struct want *want)
{
	size_t n = 0;

	while (n < MOST && want[n].begin != 0)
		n++;
	for (size_t i = 0; i < got->n_runs; i++)
		ck_assert_msg(i < n && is(&got->run[i], &want[i]),
			      "%s: run %zu is %" PRIx64 "-%" PRIx64 " to %" PRIx64
			      ", %u instructions, left %u, assumed %u",
			      name, i, got->run[i].begin, got->run[i].end, got->run[i].next, got->run[i].instructions,
			      got->run[i].left, got->run[i].assumed);
	ck_assert_msg(got->n_runs == n, "%s: %zu runs of %zu", name, got->n_runs, n);
}

static size_t n_events(const struct row *row)
{
	size_t n = 0;

	while (n < MOST && row->event[n].kind != 0)
		n++;
	return n;
}

START_TEST(walks_row)
{
	static struct pt_run_batch got;
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	const struct row *row = &rows[_i];
	struct pt_flow flow;

	got.n_runs = 0;
	pt_flow_init(&flow, map, &settings);
	ck_assert_uint_eq(pt_flow_feed(&flow, row->event, n_events(row), &got), n_events(row));
	if (row->name[0] != '-')
		check_runs(row->name, &got, row->want);
	ck_assert_msg(flow.counts.not_code == row->bad, "%s: bad %u", row->name, (unsigned)flow.counts.not_code);
	ck_assert_msg(flow.counts.doubtful_silent == row->silent && flow.counts.doubtful_recorded == row->recorded,
		      "%s: %u silent and %u recorded", row->name, (unsigned)flow.counts.doubtful_silent,
		      (unsigned)flow.counts.doubtful_recorded);
}
END_TEST

/* An event may make more runs than there is room for: it comes again, and the runs are the same for any room. */
START_TEST(any_room_gives_the_same_runs)
{
	static struct pt_run_batch part;
	static struct pt_run all[2][2048];
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	struct pt_event events[] = {
		START(Z_CHAIN), ATOMS(64, UINT64_MAX), ATOMS(64, UINT64_MAX), ATOMS(5, 31), VECTOR(TIMER), TO(Z_CHAIN), ATOMS(1, 0),
		TO(0xff8012), TO(0xff8009),
	};
	size_t n[2] = { 0, 0 };

	for (size_t room = PT_FLOW_ROOM; room <= PT_BATCH_RUNS; room += 4) {
		size_t which = room > PT_FLOW_ROOM;
		struct pt_flow flow;

		n[which] = 0;
		pt_flow_init(&flow, map, &settings);
		for (size_t at = 0; at < PT_LEN(events);) {
			part.n_runs = PT_BATCH_RUNS - room;
			at += pt_flow_feed(&flow, events + at, PT_LEN(events) - at, &part);
			for (size_t i = PT_BATCH_RUNS - room; i < part.n_runs; i++)
				all[which][n[which]++] = part.run[i];
		}
		ck_assert_uint_eq(flow.counts.not_code, 0);
		ck_assert_uint_eq(n[which], n[0]);
		ck_assert_int_eq(memcmp(all[which], all[0], n[0] * sizeof(all[0][0])), 0);
	}
	ck_assert_uint_gt(n[0], 133 * 4);
}
END_TEST

/* IVBR may point elsewhere than the program's own table. */
START_TEST(vectors_are_where_the_core_has_them)
{
	static struct pt_run_batch got;
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	struct pt_event events[] = { VECTOR(TIMER), TO(Z_LEAF) };
	struct pt_flow flow;

	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		got.n_runs = 0;
		pt_flow_init(&flow, map, &settings);
		flow.vectors = elsewhere ? S12Z_BASE : S12Z_VECTORS;
		pt_flow_feed(&flow, events, PT_LEN(events), &got);
		ck_assert_uint_eq(got.n_runs, elsewhere ? 0 : 1);
	}
}
END_TEST

/* A program for another instruction set has no ways, and nothing is followed. */
START_TEST(other_code_maps_are_refused)
{
	static struct pt_run_batch got;
	struct pt_program *program = s12z_program();
	struct pt_codemap *other = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_flow_settings settings = pt_flow_standards(&pt_isa_s12z);
	struct pt_flow flow;

	pt_program_unref(program);
	got.n_runs = 0;
	pt_flow_init(&flow, other, &settings);
	for (size_t i = 0; i < PT_LEN(rows); i++)
		pt_flow_feed(&flow, rows[i].event, n_events(&rows[i]), &got);
	ck_assert_uint_eq(got.n_runs, 0);
	pt_codemap_free(other);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("flow_silent");
	TCase *tc = tcase_create("rows");

	tcase_add_unchecked_fixture(tc, build, drop);
	tcase_add_loop_test(tc, walks_row, 0, PT_LEN(rows));
	tcase_add_test(tc, any_room_gives_the_same_runs);
	tcase_add_test(tc, vectors_are_where_the_core_has_them);
	tcase_add_test(tc, other_code_maps_are_refused);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
