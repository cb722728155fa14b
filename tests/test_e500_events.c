/* The e500's events: each row against the rules of OProfile's event files and AN3636 Rev. 2, and how events are
 * found. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "harness.h"
#include "targets/e500/core/events.h"

/* The numbers of each core, first and last of each stretch. Source: E4's list of that core (for e500v1 and v2 that of
 * facts 3), with 0, 6, 7, 76 to 81 and 90 as facts 3 expects them where no list has them; 129 of e6500 is a guess. */
static const struct { unsigned cores; uint16_t stretch[40][2]; } numbers[] = {
	{ 1 << PT_E500_V1, { { 0, 89 } } },
	{ 1 << PT_E500_V2, { { 0, 90 } } },
	{ 1 << PT_E500_MC | 1 << PT_E500_E5500, { { 0, 70 }, { 72, 74 }, { 76, 92 }, { 110, 127 }, { 130, 132 },
		{ 148, 156 }, { 176, 180 } } },
	{ 1 << PT_E500_E6500, { { 0, 3 }, { 5, 37 }, { 41, 41 }, { 44, 50 }, { 52, 58 }, { 60, 71 }, { 82, 92 },
		{ 97, 97 }, { 99, 105 }, { 110, 119 }, { 122, 129 }, { 136, 145 }, { 148, 156 }, { 161, 168 },
		{ 172, 172 }, { 176, 177 }, { 179, 188 }, { 190, 205 }, { 210, 219 }, { 221, 254 }, { 256, 269 },
		{ 272, 274 }, { 278, 278 }, { 443, 447 }, { 456, 480 }, { 482, 482 }, { 484, 484 }, { 486, 486 },
		{ 488, 488 }, { 490, 490 }, { 492, 492 }, { 494, 494 }, { 506, 511 } } },
};

static bool is_listed(enum pt_e500_core core, unsigned n)
{
	for (size_t i = 0; i < PT_LEN(numbers); i++)
		for (size_t k = 0; k < PT_LEN(numbers[i].stretch); k++)
			if ((numbers[i].cores >> core & 1) != 0 && n >= numbers[i].stretch[k][0] &&
			    n <= numbers[i].stretch[k][1] && (n > 0 || k == 0))
				return true;
	return false;
}

START_TEST(no_event_is_missing)
{
	enum pt_e500_core core = (enum pt_e500_core)_i;

	for (unsigned n = 0; n < 1024; n++)
		ck_assert_msg((pt_e500_event_numbered(core, n) != NULL) == is_listed(core, n), "%s: %u",
			      pt_e500_kinds[core].name, n);
}
END_TEST

/* How many a core has in all: a row that is lost or comes twice is seen here. E4 has 261 rows for e6500, 128 twice;
 * 0 comes to them. */
static const size_t n_events[PT_E500_CORES] = { 90, 91, 126, 126, 262 };

START_TEST(rows_are_unique_and_in_range)
{
	size_t n = 0;

	for (size_t i = 0; i < pt_e500_n_events; i++) {
		const struct pt_e500_event *event = &pt_e500_events[i];

		if (!pt_e500_has(event, (enum pt_e500_core)_i))
			continue;
		n++;
		ck_assert_uint_lt(event->number, pt_e500_kinds[_i].n_events);
		ck_assert_uint_lt(event->number >> pt_e500_kinds[_i].event_bits, 1);
		ck_assert(event->source[0] != '\0' && event->meaning[0] != '\0');
		for (size_t k = 0; k < i; k++) {
			if (!pt_e500_has(&pt_e500_events[k], (enum pt_e500_core)_i))
				continue;
			ck_assert_msg(pt_e500_events[k].number != event->number, "%u twice", event->number);
			ck_assert_msg(strcasecmp(pt_e500_events[k].name, event->name) != 0, "%s twice", event->name);
		}
	}
	ck_assert_uint_eq(n, n_events[_i]);
}
END_TEST

/* Facts 3: thresholds (76 to 81) on PMC0 and PMC1, all else on any; Ref are 0, 1, 2 and 90. */
START_TEST(counters_follow_the_prefix)
{
	for (size_t i = 0; i < pt_e500_n_events; i++) {
		const struct pt_e500_event *event = &pt_e500_events[i];
		bool threshold = event->number >= 76 && event->number <= 81;
		bool ref = event->number <= 2 || event->number == 90;

		ck_assert_int_eq(event->threshold, threshold);
		ck_assert_uint_eq(event->pmcs, threshold ? 0x03 : 0x3f);
		ck_assert_str_eq(event->prefix, threshold ? "C0 C1" : ref ? "Ref" : "Com");
		ck_assert_uint_eq(event->unsure_cores & ~event->cores, 0);
	}
}
END_TEST

START_TEST(names_and_numbers_go_round)
{
	enum pt_e500_core core = (enum pt_e500_core)_i;

	for (size_t i = 0; i < pt_e500_n_events; i++) {
		const struct pt_e500_event *event = &pt_e500_events[i], *found;
		char text[16];

		if (!pt_e500_has(event, core))
			continue;
		ck_assert_int_eq(pt_e500_event_find(core, event->name, &found, NULL), 0);
		ck_assert_ptr_eq(found, event);
		snprintf(text, sizeof(text), "%u", event->number);
		ck_assert_int_eq(pt_e500_event_find(core, text, &found, NULL), 0);
		ck_assert_ptr_eq(found, event);
		snprintf(text, sizeof(text), "0x%X", event->number);
		ck_assert_int_eq(pt_e500_event_find(core, text, &found, NULL), 0);
		ck_assert_ptr_eq(found, event);
	}
}
END_TEST

START_TEST(aliases_lead_to_events_of_the_core)
{
	enum pt_e500_core core = (enum pt_e500_core)_i;
	const struct pt_e500_event *found;
	const char *name;
	unsigned number;
	size_t i = 0;

	for (; (name = pt_e500_alias(core, i, &number)) != NULL; i++) {
		ck_assert_msg(pt_e500_event_find(core, name, &found, NULL) == 0, "%s", name);
		ck_assert_uint_eq(found->number, number);
	}
	ck_assert_uint_ge(i, 17);
}
END_TEST

static const struct { enum pt_e500_core core; const char *text; int number; const char *message; } finds[] = {
	{ PT_E500_V2, "branch-misses", 15, NULL },
	{ PT_E500_V2, "completed_insns", 2, NULL },
	{ PT_E500_V2, "Com:12", 12, NULL },
	{ PT_E500_V1, "Ref:1", 1, NULL },
	{ PT_E500_V2, "cache-misses", 41, NULL },
	{ PT_E500_E6500, "cache-misses", 221, NULL },
	{ PT_E500_MC, "111", 111, NULL },
	{ PT_E500_E6500, "DTLB_MISS_REPLAYS", 48, NULL },
	{ PT_E500_V2, "L2_ACCESS", PT_EUNSUPPORTED, "e500v2 has no event L2_ACCESS: it is one of e500mc, e5500" },
	{ PT_E500_V2, "111", PT_EUNSUPPORTED, "e500v2 has no event 111: it is one of e500mc, e5500, e6500" },
	{ PT_E500_V1, "TBL_BIT_TRANS", PT_EUNSUPPORTED,
		"e500v1 has no event TBL_BIT_TRANS: it is one of e500v2, e500mc, e5500" },
	{ PT_E500_E6500, "76", PT_EUNSUPPORTED, "e6500 has no event 76: it is one of e500v1, e500v2, e500mc, e5500" },
	{ PT_E500_E6500, "stalled-cycles-backend", PT_EUNSUPPORTED,
		"e6500 has no event stalled-cycles-backend: it is one of e500v1, e500v2, e500mc, e5500" },
	{ PT_E500_V2, "128", PT_EARG, "event 128: e500v2 has events 0 to 127" },
	{ PT_E500_MC, "0x100", PT_EARG, "event 256: e500mc has events 0 to 255" },
	{ PT_E500_MC, "99999999999999999999", PT_EARG, "event 18446744073709551615: e500mc has events 0 to 255" },
	{ PT_E500_V2, "127", PT_EUNSUPPORTED, "e500v2 has no event 127: it is one of e500mc, e5500, e6500" },
	{ PT_E500_MC, "255", PT_EARG, "event 255: it is not known what e500mc counts by this number" },
	{ PT_E500_V2, "Ref:12", PT_EARG, "event \"Ref:12\": 12 is Com:12, BRANCHES_FINISHED" },
	{ PT_E500_V2, "Com:76", PT_EARG,
		"event \"Com:76\": 76 is C0 C1:76, DLFB_LOAD_MISS_OVER_THRESHOLD" },
	{ PT_E500_V2, "c1:76", 76, NULL },
	{ PT_E500_V2, "C0:76", 76, NULL },
	{ PT_E500_V2, "C2:76", PT_EARG, "event \"C2:76\": 76 is C0 C1:76, DLFB_LOAD_MISS_OVER_THRESHOLD" },
	{ PT_E500_V2, "branch-mises", PT_EARG, "there is no event \"branch-mises\"; like it are branch-misses, "
		"branches, branch-loads" },
	{ PT_E500_V2, "BTB", PT_EARG, "there is no event \"BTB\"; like it are BTB_HITS" },
	{ PT_E500_V2, "mispredicted", PT_EARG, "there is no event \"mispredicted\"; like it are "
		"BRANCHES_MISPREDICTED, BRANCHES_MISPREDICTED_DIRECTION" },
	{ PT_E500_E6500, "L2_MISSED", PT_EARG,
		"there is no event \"L2_MISSED\"; like it are L2_MISSES" },
	{ PT_E500_E6500, "L2_MISSES", 457, NULL },
	{ PT_E500_V2, "Com:x", PT_EARG, "event \"Com:x\": no number behind the colon" },
	{ PT_E500_V2, "1x", PT_EARG,
		"there is no event \"1x\"; give a name of the core's manual or of perf, or a number; proftap events e500v2 lists them" },
	{ PT_E500_V2, "", PT_EARG, "there is no event \"\"; give a name of the core's manual or of perf, or a number; proftap events e500v2 lists them" },
	{ PT_E500_V2, "0x", PT_EARG,
		"there is no event \"0x\"; give a name of the core's manual or of perf, or a number; proftap events e500v2 lists them" },
};

START_TEST(finds_or_says_why_not)
{
	const struct pt_e500_event *found;
	struct pt_err err = { 0 };
	int rc = pt_e500_event_find(finds[_i].core, finds[_i].text, &found, &err);

	if (finds[_i].message == NULL) {
		ck_assert_int_eq(rc, 0);
		ck_assert_int_eq(found->number, finds[_i].number);
		return;
	}
	ck_assert_str_eq(err.msg, finds[_i].message);
	ck_assert_int_eq(rc, finds[_i].number);
	ck_assert_ptr_null(found);
}
END_TEST

START_TEST(each_counter_has_an_overflow_event)
{
	enum pt_e500_core core = (enum pt_e500_core)_i;
	char name[24];

	for (unsigned pmc = 0; pmc < pt_e500_kinds[core].n_pmcs; pmc++) {
		int number = pt_e500_overflow_event(core, pmc);

		snprintf(name, sizeof(name), "PMC%u_OVERFLOW", pmc);
		ck_assert_int_ge(number, 0);
		ck_assert_str_eq(pt_e500_event_numbered(core, (unsigned)number)->name, name);
	}
	ck_assert_int_eq(pt_e500_overflow_event(core, pt_e500_kinds[core].n_pmcs), -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_events");
	TCase *tc = tcase_create("events");

	tcase_add_loop_test(tc, no_event_is_missing, 0, PT_E500_CORES);
	tcase_add_loop_test(tc, rows_are_unique_and_in_range, 0, PT_E500_CORES);
	tcase_add_test(tc, counters_follow_the_prefix);
	tcase_add_loop_test(tc, names_and_numbers_go_round, 0, PT_E500_CORES);
	tcase_add_loop_test(tc, aliases_lead_to_events_of_the_core, 0, PT_E500_CORES);
	tcase_add_loop_test(tc, finds_or_says_why_not, 0, PT_LEN(finds));
	tcase_add_loop_test(tc, each_counter_has_an_overflow_event, 0, PT_E500_CORES);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
