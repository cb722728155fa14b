/* Values to signals: what each write means, computed by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "profile/flow/own_clock.h"
#include "profile/flow/signals.h"

enum { AT = 0x20000100 };

static struct pt_task_entry tasks[] = {
	{ 0, "NO_TASK", true }, { 0x20000400, "blink", false }, { 0x20000480, "comm", false },
};
static const struct pt_value_name state_names[] = { { 0, "SUSPENDED" }, { 1, "READY" }, { 4, "READY" } };
static struct pt_task_map task_map = { .what = PT_TASK_RUNNING, .addr = AT, .size_bytes = 4, .task = tasks, .n_tasks = 3 };
static struct pt_task_entry services[] = { { 0, "none", true }, { 2, "ActivateTask", false }, { 4, "WaitEvent", false } };
static struct pt_task_map service_map = {
	.what = PT_TASK_SERVICE, .addr = AT, .size_bytes = 1, .enter_bit = true, .task = services, .n_tasks = 3,
};
static struct pt_task_map chatty_map = {
	.what = PT_TASK_RUNNING, .addr = AT, .size_bytes = 4, .rewritten = true, .task = tasks, .n_tasks = 3,
};

#define MEMORY(f, n) .name = "v", .form = f, .space = PT_SPACE_MEMORY, .at = AT, .size_bytes = n, .core = PT_ANY_CORE, \
		     .source = PT_ANY_SOURCE
#define PORT(f, n) .name = "p", .form = f, .space = PT_SPACE_PORT, .at = 5, .size_bytes = n, .core = PT_ANY_CORE, \
		   .source = PT_ANY_SOURCE

/* in: "w4@0=03" writes 4 bytes at AT + 0; "r": read; "k": a look; "p1=..": a message at port 5; "l=.." a line, "l?": unknown; "gap";
 * "pc=..". want: the signals, in words. */
static const struct {
	const char *name;
	struct pt_signal_definition d;
	const char *in, *want;
} cases[] = {
	{ "nested signalling", { MEMORY(PT_FORM_NESTED, 1) }, "w1@0=3 w1@0=5 w1@0=7 w1@0=4 w1@0=2 w1@0=0",
	  ">1 >2 >3 <2 <1 <0 " },
	{ "a state, rewritten", { MEMORY(PT_FORM_STATE, 4) }, "w4@0=1 w4@0=1 w4@0=2 w4@0=1", "s1 s2 s1 " },
	{ "a state after a gap", { MEMORY(PT_FORM_STATE, 4) }, "w4@0=1 gap w4@0=1", "s1 gap s1 " },
	{ "a quantity, rewritten", { MEMORY(PT_FORM_REGULAR, 2) }, "w2@0=9 w2@0=9 r2@0=9", "v9 v9 v9r " },
	{ "elsewhere", { MEMORY(PT_FORM_REGULAR, 2) }, "w2@2=9 w2@-2=9 w1@100=9", "" },
	{ "part of a wider write", { MEMORY(PT_FORM_REGULAR, 2) }, "w8@-2=0x8877665544332211", "v17459 " },	/* 0x4433 */
	{ "the same, big endian", { MEMORY(PT_FORM_REGULAR, 2), .big_endian = true }, "w8@-2=0x1122334455667788",
	  "v13124 " },					/* 0x3344 */
	{ "two bytes, low first", { MEMORY(PT_FORM_REGULAR, 2) }, "w1@0=0x34 w1@1=0x12 w1@0=0x35 w1@1=0x12",
	  "v4660 v4661 " },
	{ "two bytes, high first", { MEMORY(PT_FORM_REGULAR, 2), .big_endian = true }, "w1@0=0x12 w1@1=0x34", "v4660 " },
	{ "four in three", { MEMORY(PT_FORM_REGULAR, 4) }, "w1@0=1 w2@1=0x0302 w1@3=4", "v67305985 " },
	{ "a part of what is known", { MEMORY(PT_FORM_REGULAR, 2) }, "w2@0=0x1234 w1@1=0x56", "v4660 v22068 " },
	{ "a part of what is not", { MEMORY(PT_FORM_REGULAR, 2) }, "w1@1=0x56 w2@0=7", "v7 " },
	{ "broken by a gap", { MEMORY(PT_FORM_REGULAR, 2) }, "w1@0=0x34 gap w1@1=0x12 w2@0=1", "gap v1 " },
	{ "begun twice", { MEMORY(PT_FORM_REGULAR, 2) }, "w1@0=1 w1@0=2 w1@1=0", "v2 " },
	{ "signed", { MEMORY(PT_FORM_REGULAR, 2), .is_signed = true }, "w2@0=0xfffe", "v-2 " },
	{ "a bit-field", { MEMORY(PT_FORM_STATE, 4), .first_bit = 4, .n_bits = 3 }, "w4@0=0x25 w4@0=0x2f w4@0=0x7f", "s2 s7 " },
	{ "a signed bit-field", { MEMORY(PT_FORM_STATE, 4), .first_bit = 4, .n_bits = 3, .is_signed = true }, "w4@0=0x7f",
	  "s-1 " },
	{ "two points", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 }, "w1@0=5 w1@0=3 w1@0=5 w1@0=5", ">1 <0 " },
	{ "two points, entered again", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 }, "w1@0=3 w1@0=3 w1@0=5",
	  ">1 >1 <0 " },
	{ "two points and a third value", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 },
	  "w1@0=3 w1@0=4 w1@0=6 w1@0=5 w1@0=5 w1@0=3 w1@0=5", ">1 !0 >1 <0 " },
	{ "two points, left twice", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 },
	  "w1@0=3 w1@0=5 w1@0=4 w1@0=5 w1@0=5", ">1 <0 <0 " },
	{ "two points, left after who knows what", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 },
	  "w1@0=4 w1@0=3 gap w1@0=5 w1@0=3", ">1 gap >1 " },
	{ "two points and a gap", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 }, "w1@0=3 gap w1@0=5 w1@0=3",
	  ">1 gap >1 " },
	{ "tasks", { MEMORY(PT_FORM_TASK, 4), .tasks = &task_map }, "w4@0=0x20000400 w4@0=0 w4@0=0x20000480 w4@0=0x20000480 w4@0=99 w4@0=98 w4@0=99",
	  "t1 t-none t2 t2 t3 t4 t3 " },
	{ "tasks of a chatty OS", { MEMORY(PT_FORM_TASK, 4), .tasks = &chatty_map }, "w4@0=0x20000400 w4@0=0x20000400 w4@0=0",
	  "t1 t-none " },
	{ "tasks without a map", { MEMORY(PT_FORM_TASK, 1) }, "w1@0=0 w1@0=2 w1@0=2", "t-none t0 " },
	{ "states of one name are one", { MEMORY(PT_FORM_STATE, 1), .values = state_names, .n_values = 3, .synonyms = true },
	  "w1@0=1 w1@0=4 w1@0=0 w1@0=4 w1@0=9 k1@0=4", "s1 s0 s1 s9 k1 " },
	{ "services", { MEMORY(PT_FORM_SERVICE, 1), .tasks = &service_map }, "w1@0=3 w1@0=2 w1@0=5 w1@0=5 w1@0=4",
	  "S1> S1< S2> S2> S2< " },
	{ "messages of their own size", { PORT(PT_FORM_NESTED, 8), .own_size = true },
	  "p1=3 p1=5 p2=7 p1=4 p4=2 p1=0", ">1 >2 >3 <2 <1 <0 " },
	{ "a message", { PORT(PT_FORM_NESTED, 4) }, "p4=3 p4=0", ">1 <0 " },
	{ "an id in two messages", { PORT(PT_FORM_REGULAR, 2) }, "p1=0x34 p1=0x12 p1=0x35 p1=0x12", "v4660 v4661 " },
	{ "the high one first", { PORT(PT_FORM_REGULAR, 2), .big_endian = true }, "p1=0x12 p1=0x34", "v4660 " },
	{ "a message that is too long", { PORT(PT_FORM_REGULAR, 1) }, "p4=0x1234", "v52 " },
	{ "a line", { .name = "l", .form = PT_FORM_LINE, .space = PT_SPACE_LINE, .at = 0, .size_bytes = 1, .source = 0,
		      .core = PT_ANY_CORE }, "l=0 l=1 l=1 l? l=1 w1@0=1", "l0 l1 l? l1 " },
	{ "another source's line", { .name = "l", .form = PT_FORM_LINE, .space = PT_SPACE_LINE, .at = 0, .size_bytes = 1,
				     .source = 3, .core = PT_ANY_CORE }, "l=0 l=1", "" },
	{ "looks", { MEMORY(PT_FORM_STATE, 2) }, "k2@0=0x0102 k2@0=0x0102 w2@0=7 k4@-2=0x12345678", "k258 k258 s7 k4660 " },
	{ "looks, big endian", { MEMORY(PT_FORM_REGULAR, 2), .big_endian = true }, "k2@0=0x0102", "k513 " },
	{ "looks at a part of it, and beside it", { MEMORY(PT_FORM_REGULAR, 4) }, "k2@0=1 k2@2=1 k4@4=1", "" },
	{ "looks at the running task", { MEMORY(PT_FORM_TASK, 4), .tasks = &task_map }, "k4@0=0x20000400 k4@0=0 k4@0=0x20000480",
	  "k1 k18446744073709551614 k2 " },
	{ "looks at services", { MEMORY(PT_FORM_SERVICE, 1), .tasks = &service_map }, "k1@0=3 k1@0=2", "k1 k1 " },
	{ "a look between writes", { MEMORY(PT_FORM_TWO_POINT, 1), .enter = 3, .leave = 5 }, "w1@0=3 k1@0=4 w1@0=5", ">1 k4 <0 " },
	{ "who wrote it", { MEMORY(PT_FORM_REGULAR, 1) }, "pc=0x104 w1@0=1 w1@0=2 pc=8 w1@50=1 w1@0=3", "v1from0x104 v2 v3 " },
};

static struct pt_event event_of(const char *word)
{
	struct pt_event e = { .kind = PT_EV_VALUE, .ticks = 7 };
	char how = word[0], *end;

	if (strncmp(word, "gap", 3) == 0) {
		e.kind = PT_EV_GAP;
	} else if (strncmp(word, "pc=", 3) == 0) {
		e.kind = PT_EV_VALUE_PC;
		e.branch.to = strtoull(word + 3, NULL, 0);
	} else if (how == 'l') {
		e.cause = PT_SPACE_LINE * 2 + 1;
		e.n = word[1] != '?';
		e.value.value = word[1] == '?' ? PT_UNKNOWN : strtoull(word + 2, NULL, 0);
	} else {
		e.kind = how == 'k' ? PT_EV_LOOK : PT_EV_VALUE;
		e.cause = how == 'k' ? 0 : (uint8_t)((how == 'p' ? PT_SPACE_PORT : PT_SPACE_MEMORY) * 2 + (how != 'r'));
		e.n = (uint16_t)strtoul(word + 1, &end, 10);
		e.value.at = how == 'p' ? 5 : (uint64_t)AT + (uint64_t)strtoll(end + 1, &end, 0);
		e.value.value = strtoull(end + 1, NULL, 0);
	}
	return e;
}

static int print(const struct pt_signal *s, char *out, size_t size)
{
	char pc[24] = "";

	if (s->pc != PT_UNKNOWN)
		snprintf(pc, sizeof(pc), "from0x%llx", (unsigned long long)s->pc);
	switch ((enum pt_signal_kind)s->kind) {
	case PT_SIGNAL_TASK:
	case PT_SIGNAL_ISR:
		if (s->value == PT_SIGNAL_NONE)
			return snprintf(out, size, "t-none ");
		if (s->value == PT_SIGNAL_UNLISTED)
			return snprintf(out, size, "t-unlisted(%llu) ", (unsigned long long)s->raw);
		return snprintf(out, size, "t%llu ", (unsigned long long)s->value);
	case PT_SIGNAL_SERVICE:
		return snprintf(out, size, "S%llu%c ", (unsigned long long)s->value, s->enters ? '>' : '<');
	case PT_SIGNAL_SPAN:
		return snprintf(out, size, "%c%llu ",
				s->enters   ? '>'
				: s->astray ? '!'
					    : '<',
				(unsigned long long)s->value);
	case PT_SIGNAL_STATE:
		return snprintf(out, size, "s%lld ", (long long)s->value);
	case PT_SIGNAL_VALUE:
		return snprintf(out, size, "v%lld%s%s ", (long long)s->value, s->read ? "r" : "", pc);
	case PT_SIGNAL_LEVEL:
		return s->value == PT_UNKNOWN ? snprintf(out, size, "l? ")
					      : snprintf(out, size, "l%llu ", (unsigned long long)s->value);
	case PT_SIGNAL_LOOK:
		return snprintf(out, size, "k%llu ", (unsigned long long)s->value);
	case PT_SIGNAL_WRITTEN:
		return snprintf(out, size, "K%llu ", (unsigned long long)s->value);
	case PT_SIGNAL_GAP:
		return snprintf(out, size, "gap ");
	}
	return snprintf(out, size, "? ");
}

START_TEST(signal_case)
{
	struct pt_signal_set set = { &cases[_i].d, 1 };
	struct pt_signals *signals = pt_signals_new(&set);
	struct pt_signal out[PT_SIGNALS_ROOM];
	char got[400] = "", words[400], *word, *rest = words;
	size_t len = 0;

	strcpy(words, cases[_i].in);
	while ((word = strtok_r(rest, " ", &rest)) != NULL) {
		struct pt_event e = event_of(word);
		size_t n = pt_signals_take(signals, &e, (struct pt_timestamp){ 100, 1 }, out);

		for (size_t i = 0; i < n; i++) {
			ck_assert_uint_eq(out[i].ticks, 7);
			ck_assert_uint_eq(out[i].at.ns, 100);
			len += (size_t)print(&out[i], got + len, sizeof(got) - len);
		}
	}
	ck_assert_msg(strcmp(got, cases[_i].want) == 0, "%s: %s", cases[_i].name, got);
	pt_signals_free(signals);
}
END_TEST

START_TEST(floats)
{
	struct pt_signal_definition single = { MEMORY(PT_FORM_REGULAR, 4), .is_float = true };
	struct pt_signal_definition real = { MEMORY(PT_FORM_REGULAR, 8), .is_float = true };
	struct pt_signal_definition whole = { MEMORY(PT_FORM_REGULAR, 2), .is_signed = true };

	ck_assert_double_eq(pt_signal_real(&single, 0xc0200000), -2.5);
	ck_assert_double_eq(pt_signal_real(&real, 0x3ff8000000000000), 1.5);
	ck_assert_double_eq(pt_signal_real(&whole, (uint64_t)-3), -3);
}
END_TEST

/* An OS that makes tasks all the time. */
START_TEST(more_tasks_than_anybody_lists)
{
	struct pt_signal_definition d = { MEMORY(PT_FORM_TASK, 4), .tasks = &task_map };
	struct pt_signal_set set = { &d, 1 };
	struct pt_signals *signals = pt_signals_new(&set);
	struct pt_signal out[PT_SIGNALS_ROOM];

	for (uint64_t i = 0; i < 100; i++) {
		struct pt_event e = { .kind = PT_EV_VALUE, .cause = 1, .n = 4, .value = { AT, 1000 + i } };

		ck_assert_uint_eq(pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out), 1);
		ck_assert_uint_eq(out[0].value, i < PT_SIGNALS_UNLISTED ? 3 + i : PT_SIGNAL_UNLISTED);
		ck_assert_uint_eq(out[0].raw, 1000 + i);
	}
	pt_signals_free(signals);
}
END_TEST

/* Several definitions look at one write, up to the bound; the rest is counted. */
START_TEST(many_at_one_place)
{
	struct pt_signal_definition d[12];
	struct pt_signal_set set = { d, 12 };
	struct pt_signal out[PT_SIGNALS_ROOM];
	struct pt_event e = { .kind = PT_EV_VALUE, .cause = 1, .n = 1, .value = { AT, 1 } };
	struct pt_signals *signals;

	for (size_t i = 0; i < 12; i++)
		d[i] = (struct pt_signal_definition){ MEMORY(PT_FORM_REGULAR, 1) };
	signals = pt_signals_new(&set);
	ck_assert_uint_eq(pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out), PT_SIGNALS_ROOM);
	ck_assert_uint_eq(pt_signals_incomplete(signals), 4);
	pt_signals_free(signals);
}
END_TEST

/* How much of a value a message can carry shows in the widest one. */
START_TEST(widest_message)
{
	struct pt_signal_definition d = { MEMORY(PT_FORM_REGULAR, 4) };
	struct pt_signal_set set = { &d, 1 };
	struct pt_signal out[PT_SIGNALS_ROOM];
	struct pt_event e = { .kind = PT_EV_VALUE, .cause = 1, .n = 2, .value = { AT, 1 } };
	struct pt_signals *signals = pt_signals_new(&set);

	ck_assert_uint_eq(pt_signals_widest(signals, 0), 0);
	ck_assert_uint_eq(pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out), 0);
	e.value.at += 2;
	ck_assert_uint_eq(pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out), 1);
	ck_assert_uint_eq(pt_signals_widest(signals, 0), 2);
	e.value.at += 2;	/* of something else */
	e.n = 4;
	pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out);
	ck_assert_uint_eq(pt_signals_widest(signals, 0), 2);
	e.value.at = AT;
	ck_assert_uint_eq(pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out), 1);
	ck_assert_uint_eq(pt_signals_widest(signals, 0), 4);
	pt_signals_free(signals);
}
END_TEST

/* Whatever comes, addresses at both ends of the world included: never more than there is room for. */
START_TEST(anything)
{
	struct pt_signal_definition d[9];
	struct pt_signal_set set = { d, 9 };
	struct pt_signal out[PT_SIGNALS_ROOM];
	struct pt_signals *signals;
	uint64_t seed = (uint64_t)_i + 1;

	for (size_t i = 0; i < 9; i++)
		d[i] = (struct pt_signal_definition){ MEMORY((enum pt_signal_form)i, (uint32_t)i + (i < 9)),
						      .big_endian = i & 1, .tasks = i % 3 == 0 ? &task_map : NULL };
	for (size_t i = 0; i < 9; i++)
		d[i].at = i % 3 == 0 ? 0 : i % 3 == 1 ? UINT64_MAX - 2 : 100;
	signals = pt_signals_new(&set);
	for (int i = 0; i < 20000; i++) {
		struct pt_event e = { .kind = PT_EV_VALUE };

		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		e.kind = seed >> 60 == 0 ? PT_EV_GAP : seed >> 60 == 1 ? PT_EV_VALUE_PC : PT_EV_VALUE;
		e.cause = (uint8_t)(seed >> 54 & 7);
		e.n = (uint16_t)(seed >> 50 & 15);
		e.value.at = (seed >> 40 & 15) + (seed >> 44 & 1 ? UINT64_MAX - 8 : seed >> 45 & 1 ? 95 : 0);
		e.value.value = seed;
		e.source = seed >> 46 & 1;
		ck_assert_uint_le(pt_signals_take(signals, &e, (struct pt_timestamp){ 0 }, out), PT_SIGNALS_ROOM);
	}
	pt_signals_free(signals);
}
END_TEST

/* One without ticks lies somewhere between those that have some, and moves none of them; the silence in front of a gap counts
 * as far as it is certain. */
START_TEST(an_event_without_ticks_moves_no_other)
{
	struct pt_own_clock c = { .hz = 1000000 };
	struct pt_own_time first, late, last;
	uint64_t ticks;

	first = pt_own_clock_take(&c, 100, (struct pt_timestamp){ 5000000, 1000 });
	late = pt_own_clock_take(&c, PT_UNKNOWN, (struct pt_timestamp){ 5700000, 2000 });
	last = pt_own_clock_take(&c, 200, (struct pt_timestamp){ 5100000, 1000 });
	ck_assert_uint_eq(last.ns - first.ns, 100000);
	ck_assert_uint_eq(first.error_ns + last.error_ns, 0);
	ck_assert_uint_eq(late.ns, first.ns);
	ck_assert_uint_eq(late.error_ns, 703000);
	ck_assert_uint_eq(pt_own_clock_gap(&c, (struct pt_timestamp){ 5150000, 3000 }, &ticks) - last.ns, 46000);
	ck_assert_uint_eq(ticks, 200);
}
END_TEST

/* What came in front of the first ticks is not compared with them. */
START_TEST(ticks_begin_anew_behind_events_without)
{
	struct pt_own_clock c = { .hz = 1000000 };

	ck_assert(!pt_own_clock_take(&c, PT_UNKNOWN, (struct pt_timestamp){ 1000, 10 }).anew);
	ck_assert(pt_own_clock_take(&c, 7, (struct pt_timestamp){ 2000, 10 }).anew);
	ck_assert(!pt_own_clock_take(&c, 9, (struct pt_timestamp){ 4000, 10 }).anew);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("signals");
	TCase *tc = tcase_create("signals");

	tcase_add_loop_test(tc, signal_case, 0, PT_LEN(cases));
	tcase_add_test(tc, floats);
	tcase_add_test(tc, more_tasks_than_anybody_lists);
	tcase_add_test(tc, many_at_one_place);
	tcase_add_test(tc, widest_message);
	tcase_add_loop_test(tc, anything, 0, 8);
	tcase_add_test(tc, an_event_without_ticks_moves_no_other);
	tcase_add_test(tc, ticks_begin_anew_behind_events_without);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
