/* The words of the e500's source counters, and turns as operations on registers, on a performance monitor of the
 * virtual core: what they set up counts, in the states that were asked for, and chains are read whole. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/e500/e500_pm.h"
#include "targets/e500/trace/counting.h"

static struct pt_e500_counting c;

static int count_on(enum pt_e500_core core, const char *const *words, size_t n, uint64_t longest_ns, struct pt_err *err)
{
	struct pt_params *params = pt_params_new();
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0 && words[i] != NULL; i++)
		rc = pt_params_add(params, pt_e500_counting_params, PT_E500_COUNTING_PARAMS, words[i], err);
	if (rc == 0)
		rc = pt_e500_counting_read(&c, core, pt_e500_kinds[core].n_pmcs, params, 1000000000, longest_ns, err);
	pt_params_free(params);
	return rc;
}

enum { FCS = 0x40000000, FCU = 0x20000000, FCM1 = 0x10000000, FCM0 = 0x08000000 };

/* The last counter of each list: its name, PMLCa, PMLCb. Source: E500CORERM Tables 7-4, 7-5, 7-8 */
static const struct { const char *word[3]; const char *name; uint32_t pmlca, pmlcb; } sound[] = {
	{ { "events=cycles" }, "CPU_CLK", FCM1 | 0x10000, 0 },
	{ { "events=Com:12" }, "BRANCHES_FINISHED", FCM1 | 0xc0000, 0 },
	{ { "events=instructions,branch-misses", "count=all" }, "BRANCHES_MISPREDICTED", 0xf0000, 0 },
	{ { "events=2", "count=user" }, "COMPLETED_INSNS", FCS | 0x20000, 0 },
	{ { "events=2", "count=supervisor" }, "COMPLETED_INSNS", FCU | 0x20000, 0 },
	{ { "events=2", "count=marked" }, "COMPLETED_INSNS", FCM0 | 0x20000, 0 },
	{ { "events=2", "count=marked-user" }, "COMPLETED_INSNS", FCS | FCM0 | 0x20000, 0 },
	{ { "events=2", "count=unmarked-supervisor" }, "COMPLETED_INSNS", FCU | FCM1 | 0x20000, 0 },
	{ { "events=cycles:u" }, "CPU_CLK:u", FCS | FCM1 | 0x10000, 0 },
	{ { "events=cycles:k", "count=all" }, "CPU_CLK:k", FCU | 0x10000, 0 },
	{ { "events=Ref:1:um" }, "CPU_CLK:um", FCS | FCM0 | 0x10000, 0 },
	{ { "events=cycles:mn" }, "CPU_CLK:mn", 0x10000, 0 },
	{ { "events=cycles:c" }, "CPU_CLK", FCM1 | 0x10000, 0 },
	{ { "events=rc" }, "BRANCHES_FINISHED", FCM1 | 0xc0000, 0 },
	{ { "events=r23f0000004c" }, "DLFB_LOAD_MISS>252", FCM1 | 0x4c0000, 0x23f },	/* 63 x 4 */
	{ { "events=78" }, "EXTERNAL_LATENCY>0", FCM1 | 0x4e0000, 0 },
	{ { "events=78@40" }, "EXTERNAL_LATENCY>40", FCM1 | 0x4e0000, 40 },
	{ { "events=78@100" }, "EXTERNAL_LATENCY>100", FCM1 | 0x4e0000, 0x132 },
	{ { "events=78@25x4" }, "EXTERNAL_LATENCY>100", FCM1 | 0x4e0000, 0x219 },
	{ { "events=78@8064" }, "EXTERNAL_LATENCY>8064", FCM1 | 0x4e0000, 0x73f },
	{ { "events=C1:76@sweep", "thresholds=0,64" }, "DLFB_LOAD_MISS>64", FCM1 | 0x4c0000, 0x120 },
};

START_TEST(reads_words)
{
	struct pt_err err = { 0 };
	const struct pt_e500_counted *last;

	ck_assert_msg(count_on(PT_E500_V2, sound[_i].word, 3, 1000000, &err) == 0, "%s", err.msg);
	last = &c.counted[c.n - 1];
	ck_assert_str_eq(last->name, sound[_i].name);
	ck_assert_msg(last->pmlca == sound[_i].pmlca && last->pmlcb == sound[_i].pmlcb, "%s: %08x %08x", last->name,
		      last->pmlca, last->pmlcb);
}
END_TEST

static const struct { enum pt_e500_core core; const char *word[2]; const char *message; } wrong[] = {
	{ PT_E500_V2, { "events=branch-mises" },
	  "events: there is no event \"branch-mises\"; like it are branch-misses, branches, branch-loads" },
	{ PT_E500_V2, { "events=L2_ACCESS" }, "events: e500v2 has no event L2_ACCESS: it is one of e500mc, e5500" },
	{ PT_E500_V2, { "events=cycles,Ref:1" }, "events: CPU_CLK is in the list twice" },
	{ PT_E500_V2, { "events=cycles@5" }, "CPU_CLK has no threshold; events 76 to 81 have one" },
	{ PT_E500_E6500, { "events=cycles@5" }, "CPU_CLK has no threshold; no event of e6500 is known to have one" },
	{ PT_E500_V2, { "events=78@101" }, "events: EXTERNAL_LATENCY_OVER_THRESHOLD: threshold 101: it is a number up to 63, "
	  "times 1, 2, 4 ... 128; 100 and 102 can be had" },
	{ PT_E500_V2, { "events=78@127" }, "events: EXTERNAL_LATENCY_OVER_THRESHOLD: threshold 127: it is a number up to "
	  "63, times 1, 2, 4 ... 128; 126 and 128 can be had" },
	{ PT_E500_V2, { "events=2:z" }, "events: event \"2:z\": behind a colon stand letters of u, k, m, n and c, or, behind "
	  "Ref, Com and C0 to C3, a number" },
	{ PT_E500_V2, { "events=78@9000" }, "events: EXTERNAL_LATENCY_OVER_THRESHOLD: threshold 9000: it is a number up to "
	  "63, times 1, 2, 4 ... 128; 8064 is the most" },
	{ PT_E500_V2, { "events=78@3x5" }, "events: EXTERNAL_LATENCY_OVER_THRESHOLD: threshold \"3x5\": 0 to 63, x 1, 2, 4, 8, "
	  "16, 32, 64 or 128" },
	{ PT_E500_V2, { "events=78@soon" },
	  "events: EXTERNAL_LATENCY_OVER_THRESHOLD: threshold \"soon\" is no number of cycles" },
	{ PT_E500_V2, { "events=78@sweep", "thresholds=0,x" }, "thresholds: threshold \"x\" is no number of cycles" },
	{ PT_E500_V2, { "events=PMC0_OVERFLOW" },
	  "events: event 82 counts overflows of PMC0: ask for a chain of the event that PMC0 would count" },
	{ PT_E500_V2, { "events=1+2+3+5+8" }, "events: CPU_CLK and what is to be counted with it take 5 counters, 0 of them "
	  "with a threshold; there are 4, and 2 with one" },
	{ PT_E500_V2, { "events=," }, "events: \"\" is no event" },
	{ PT_E500_V2, { "until=branches" }, "until=branches is not EVENT:N, such as until=branch-misses:10000, nor timebase" },
	{ PT_E500_V2, { "until=branches:often" },
	  "until=branches:often is not EVENT:N, such as until=branch-misses:10000, nor timebase" },
	{ PT_E500_V2, { "until=branches:0" }, "until=branches:0: from 1 to 2147483648 events" },
	{ PT_E500_V2, { "until=branches:3000M" }, "until=branches:3000M: from 1 to 2147483648 events" },
	{ PT_E500_V2, { "until=timebase:512" },
	  "until=timebase:512: until=timebase takes no number; tbsel= says which of its bits" },
	{ PT_E500_V2, { "until=Com:12" }, "until: events: there is no event \"Com\"; like it are COMPLETED_INSNS, COMPLETED_OPS, "
	  "COMPLETED_BRANCHES" },
	{ PT_E500_V2, { "until=78@40:1" }, "until: EXTERNAL_LATENCY_OVER_THRESHOLD has a threshold, and these do not end windows" },
	{ PT_E500_V2, { "until=nothing:5" }, "until: event NOTHING never comes" },
	{ PT_E500_V2, { "until=PMC0_OVERFLOW:5" },
	  "until: PMC0_OVERFLOW: say the event that PMC0 would count" },
	{ PT_E500_V1, { "until=timebase" },
	  "until=timebase: the time base of an e500v1 ends nothing (PMGC0 has no TBEE); until=EVENT:N does" },
	{ PT_E500_V2, { "until=branches:5", "events=1+2+3+5" }, "events: beside the counter of until=: CPU_CLK and what is to be "
	  "counted with it take 4 counters, 0 of them with a threshold; there are 3, and 2 with one" },
};

START_TEST(says_what_is_wrong)
{
	struct pt_err err = { 0 };

	ck_assert_int_lt(count_on(wrong[_i].core, wrong[_i].word, 2, 1000000, &err), 0);
	ck_assert_str_eq(err.msg, wrong[_i].message);
}
END_TEST

/* Chains by themselves: where counters are left over, or where a turn is longer than half of what it takes to wrap
 * (1 GHz: 2.1 s for cycles, 0.54 s for what may step by four). */
static const struct { const char *word[2]; uint64_t longest_ns; unsigned chained, n_turns; } chains[] = {
	{ { "events=1,2" }, 1000000, 3, 1 },
	{ { "events=1,2,12" }, 1000000, 1, 1 },
	{ { "events=1,2,12,15" }, 1000000, 0, 1 },
	{ { "events=1,2", "chain=off" }, 1000000, 0, 1 },
	{ { "events=1,2,12,15", "chain=on" }, 1000000, 15, 2 },
	{ { "events=1,2,12:c,15,17" }, 1000000, 4, 2 },
	{ { "events=1,2,12,15" }, 1000000000, 12, 2 },
	{ { "events=1,2,12,15" }, 5000000000, 15, 2 },
};

START_TEST(chains_where_it_should)
{
	struct pt_err err = { 0 };

	ck_assert_msg(count_on(PT_E500_V2, chains[_i].word, 2, chains[_i].longest_ns, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(c.n_turns, chains[_i].n_turns);
	for (size_t i = 0; i < c.n; i++)
		ck_assert_msg(c.want[i].chained == (chains[_i].chained >> i & 1), "%s: %zu", chains[_i].word[0], i);
}
END_TEST

/* What ends windows stands first, has the last counter in each turn, and is counted once. */
static const struct { const char *word[2]; size_t n, n_turns; uint32_t pmgc0; } until[] = {
	{ { "until=branches:1k", "events=cycles,Com:12,instructions" }, 3, 1, 0x20000000 },
	{ { "until=Com:12:5", "events=cycles,2,3" }, 4, 1, 0x20000000 },
	{ { "until=12:5", "events=cycles,2,3,5,8,9,10" }, 8, 3, 0x20000000 },
	{ { "until=12:5", "events=12" }, 1, 1, 0x20000000 },
	{ { "until=timebase", "events=1,2,3,5" }, 4, 1, 0x20001900 },
	{ { "until=timebase", "tbsel=512" }, 4, 1, 0x20000900 },
};

START_TEST(ends_windows)
{
	struct pt_err err = { 0 };
	size_t n_until = 0;

	ck_assert_msg(count_on(PT_E500_V2, until[_i].word, 2, 1000000, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(c.n, until[_i].n);
	ck_assert_uint_eq(c.n_turns, until[_i].n_turns);
	ck_assert_uint_eq(c.pmgc0, until[_i].pmgc0);
	for (size_t i = 0; i < c.n_places && c.until == PT_E500_UNTIL_EVENT; i++) {
		n_until += c.place[i].want == 0;
		ck_assert_uint_eq(c.place[i].pmc == 3, c.place[i].want == 0);
		ck_assert_uint_eq(c.counted[0].pmlca, FCM1 | 0xc0000);
	}
	ck_assert_uint_eq(n_until, c.until == PT_E500_UNTIL_EVENT ? c.n_turns : 0);
}
END_TEST

START_TEST(notes_and_speeds)
{
	const struct pt_e500_event *event;
	char note[200];

	ck_assert_int_eq(pt_e500_event_find(PT_E500_V2, "DL1_RELOADS", &event, NULL), 0);
	pt_e500_note(event, note, sizeof(note));
	ck_assert_str_eq(note, "Com:41, Spec?: L1 D reloads, any reason (classic D-miss count)");
	ck_assert_uint_eq(pt_e500_fastest(event, 1000), 4000);
	ck_assert_int_eq(pt_e500_event_find(PT_E500_V2, "cycles", &event, NULL), 0);
	pt_e500_note(event, note, sizeof(note));
	ck_assert_str_eq(note, "Ref:1, Nonspec: processor cycles");
	ck_assert_uint_eq(pt_e500_fastest(event, 0), 2500000000);
}
END_TEST

/* --- on a core of NOPs and a branch: set up, run, frozen, read */

enum { RAM_BYTES = 0x2000, CODE = 0x1000, NOP = 0x60000000, BACK = 0x4bffffe4 };

static struct pt_vbus bus;
static struct pt_ve500 *cpu;
static struct pt_ve500_pm pm;
static uint8_t ram[RAM_BYTES];

static void make(void)
{
	const struct pt_vregion region = { .base = 0, .size = RAM_BYTES, .bytes = ram };

	for (uint32_t at = 0; at < RAM_BYTES; at += 4)
		pt_put_be32(ram + at, at == CODE + 28 ? BACK : NOP);
	bus = (struct pt_vbus){ .big_endian = true };
	ck_assert(pt_vbus_add(&bus, &region));
	cpu = pt_ve500_new(&bus, PT_VE500_CORE_V2, NULL);
	pt_ve500_pm_init(&pm, cpu);
	pt_ve500_reset(cpu, true, CODE);
}

static void execute(struct pt_e500_op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].write)
			ck_assert(pt_ve500_pm_write(&pm, ops[i].pmr, ops[i].value));
		else
			ck_assert(pt_ve500_pm_read(&pm, ops[i].pmr, &ops[i].value));
}

static void run(uint64_t instructions)
{
	uint64_t end = pt_ve500_instructions(cpu) + instructions;

	while (pt_ve500_instructions(cpu) < end)
		pt_ve500_run(cpu, pt_ve500_cycle(cpu) + 1);
}

/* Everything was in use before, by counters with their top bit set, which falls as they are set to zero. */
START_TEST(a_turn_begins_at_zero_and_counts)
{
	static const char *const words[] = { "events=instructions:c,branches:c" };
	struct pt_e500_op ops[2 * PT_E500_TURN_OPS_MAX];
	struct pt_err err = { 0 };
	uint64_t value[PT_E500_PMCS_MAX];
	size_t n;

	make();
	for (unsigned i = 0; i < 4; i++) {
		pt_ve500_pm_write(&pm, PT_E500_PMC0 + i, 0xffffff00);
		pt_ve500_pm_write(&pm, PT_E500_PMLCA0 + i, (82 + (i + 1) % 4) << 16);
	}
	ck_assert_int_eq(count_on(PT_E500_V2, words, 1, 1000000, &err), 0);
	n = pt_e500_turn_freeze(&c, ops);
	n += pt_e500_turn_begin(&c, 0, ops + n);
	ck_assert_uint_le(n, PT_E500_TURN_OPS_MAX);
	execute(ops, n);
	run(800);
	n = pt_e500_turn_read(&c, 0, ops);
	ck_assert_uint_eq(n, 6);
	execute(ops, n);
	ck_assert(pt_e500_turn_values(&c, 0, ops, value));
	ck_assert_uint_eq(value[0], 800);
	ck_assert_uint_eq(value[1], 100);
	pt_ve500_free(cpu);
}
END_TEST

/* The lower half wraps: the upper one has it, and a reading that straddles the carry is not taken for one. */
START_TEST(a_chain_carries)
{
	static const char *const words[] = { "events=instructions:c" };
	struct pt_e500_op ops[2 * PT_E500_TURN_OPS_MAX];
	struct pt_err err = { 0 };
	uint64_t value[PT_E500_PMCS_MAX];
	unsigned low;
	size_t n;

	make();
	ck_assert_int_eq(count_on(PT_E500_V2, words, 1, 1000000, &err), 0);
	execute(ops, pt_e500_turn_begin(&c, 0, ops));
	low = c.place[0].pmc;
	pt_ve500_pm_write(&pm, PT_E500_PMC0 + low, 0xfffffff0);
	n = pt_e500_turn_read(&c, 0, ops);
	ck_assert_uint_eq(n, 3);
	execute(ops, 1);
	run(32);
	execute(ops + 1, 2);
	ck_assert(!pt_e500_turn_values(&c, 0, ops, value));
	execute(ops, n);
	ck_assert(pt_e500_turn_values(&c, 0, ops, value));
	ck_assert_uint_eq(value[0], UINT64_C(0x100000010));
	pt_ve500_free(cpu);
}
END_TEST

/* The program's cycles are no clock of the core: those of the agent, of which the time base has the time, are missing. */
static const struct { const char *word, *has, *has_not; } clock_words[] = {
	{ "count=all", "=core.hz:CPU_CLK*625000/TIMEBASE", "counted.hz" },
	{ "count=unmarked", "=counted.hz:CPU_CLK*625000/TIMEBASE", "core.hz" },
	{ "count=user", "=counted.hz:CPU_CLK*625000/TIMEBASE", "core.hz" },
};

START_TEST(a_part_of_the_cycles_is_no_clock)
{
	const char *const words[] = { "events=cycles,instructions", clock_words[_i].word };
	const struct pt_e500_clocks clocks = { 5000000, 625000 };
	struct pt_err err = { 0 };
	char text[4000];

	ck_assert_int_eq(count_on(PT_E500_V2, words, 2, 1000000, &err), 0);
	pt_e500_counting_tell(&c, &clocks, text, sizeof(text));
	ck_assert_msg(strstr(text, clock_words[_i].has) != NULL, "%s", text);
	ck_assert_msg(strstr(text, clock_words[_i].has_not) == NULL, "%s", text);
}
END_TEST

START_TEST(every_turn_fits_a_pass)
{
	static const char *const words[] = { "events=1:c,2:c,12:c", "turns=fewest" };
	struct pt_e500_op ops[2 * PT_E500_TURN_OPS_MAX];
	struct pt_err err = { 0 };
	size_t n = pt_e500_turn_freeze(&c, ops);

	ck_assert_int_eq(count_on(PT_E500_E6500, words, 2, 1000000, &err), 0);
	ck_assert_uint_eq(c.n_turns, 1);
	n += pt_e500_turn_read(&c, 0, ops + n);
	n += pt_e500_turn_begin(&c, 0, ops + n);
	ck_assert_uint_le(n, PT_E500_TURN_OPS_MAX);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_counting");
	TCase *tc = tcase_create("counting");

	tcase_add_loop_test(tc, reads_words, 0, PT_LEN(sound));
	tcase_add_loop_test(tc, says_what_is_wrong, 0, PT_LEN(wrong));
	tcase_add_loop_test(tc, chains_where_it_should, 0, PT_LEN(chains));
	tcase_add_loop_test(tc, ends_windows, 0, PT_LEN(until));
	tcase_add_test(tc, notes_and_speeds);
	tcase_add_test(tc, a_turn_begins_at_zero_and_counts);
	tcase_add_test(tc, a_chain_carries);
	tcase_add_loop_test(tc, a_part_of_the_cycles_is_no_clock, 0, PT_LEN(clock_words));
	tcase_add_test(tc, every_turn_fits_a_pass);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
