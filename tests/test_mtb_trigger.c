/* Windows of the MTB by from= and to=, on the virtual KL27: what the profile has is what the board executed inside of
 * them, by its own log of every pc, and none of it is called a share of the whole. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "inline_profile.h"
#include "probes/virtual/demo/kl27_demo.h"
#include "session/acquire/place_word.h"
#include "targets/cortexm/trace/mtb_trigger.h"

enum { LOG_ROOM = 4 << 20, RUN_MS = 30 };

static struct pt_program *program;
static struct pt_err err;

static void setup(void)
{
	program = pt_program_from_bytes("demo", pt_kl27_demo_elf, pt_kl27_demo_elf_bytes, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
}

static void teardown(void)
{
	pt_program_unref(program);
}

static uint32_t point(const char *name)
{
	uint64_t addr;

	ck_assert_msg(pt_program_point(program, name, &addr, &err) == 0, "%s", err.msg);
	return (uint32_t)addr;
}

/* What ran inside, by the log: instructions in all, of each function, and those of the last window, whose end a halt
 * or a full buffer may have cut. */
struct inside { uint64_t all, last, of[256]; };

static struct inside count_inside(const struct inline_profile *p, uint32_t from, uint32_t to)
{
	struct inside in = { 0 };
	bool on = false;
	size_t n;
	const struct pt_function *functions = pt_program_functions(p->program, &n);

	ck_assert_uint_le(n, PT_LEN(in.of));
	ck_assert_uint_lt(p->truth.n_logged, LOG_ROOM);
	for (size_t i = 0; i < p->truth.n_logged; i++) {
		uint32_t pc = p->truth.log[i];
		const struct pt_function *f;

		if (pc == to)
			on = false;
		if (pc == from && !on) {
			on = true;
			in.last = 0;
		}
		if (!on)
			continue;
		f = pt_program_function_at(p->program, pc);
		in.all++;
		in.last++;
		in.of[f != NULL ? f - functions : 0]++;
	}
	return in;
}

static const struct { const char *name, *from, *to; bool fills; } rows[] = {
	{ "short windows", "filter_average", "filter_median", false },
	{ "more than the buffer holds", "state_sample", "sleep_until_beat", true },
};

START_TEST(has_what_ran_inside)
{
	static struct inline_profile p;
	uint32_t from = point(rows[_i].from), to = point(rows[_i].to);
	char from_word[40], to_word[40];
	struct inline_setup with = { .source = "mtb", .words = { "mode=burst", from_word, to_word }, .reset = true,
				     .truth = true, .log_room = LOG_ROOM };
	const struct pt_profile *profile;
	struct inside inside;

	snprintf(from_word, sizeof(from_word), "from=0x%x", from);
	snprintf(to_word, sizeof(to_word), "to=0x%x", to);
	inline_open(&p, &with);
	inline_start(&p, &with);
	inline_drain(&p, RUN_MS * PT_NS_PER_MS);
	inline_halt(&p);
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	inside = count_inside(&p, from, to);
	ck_assert_uint_gt(inside.all, 0);
	ck_assert_msg(profile->instructions <= inside.all, "%s: %llu instructions, %llu ran inside", rows[_i].name,
		      (unsigned long long)profile->instructions, (unsigned long long)inside.all);
	if (!rows[_i].fills)	/* the first window was open before the unit was armed, or nearly */
		ck_assert_msg(profile->instructions + 2 * inside.last >= inside.all,
			      "%s: %llu instructions, %llu ran inside", rows[_i].name,
			      (unsigned long long)profile->instructions, (unsigned long long)inside.all);
	ck_assert_uint_gt(profile->instructions, 100);
	for (uint16_t id = 1; id < profile->n_ids; id++)
		if (profile->by_id[id] != NULL && profile->by_id[id]->run != NULL)
			ck_assert_msg(profile->by_id[id]->run->instructions <= inside.of[id - 1],
				      "%s: %s: %llu instructions, %llu ran", rows[_i].name,
				      profile->by_id[id]->function->name,
				      (unsigned long long)profile->by_id[id]->run->instructions,
				      (unsigned long long)inside.of[id - 1]);
	ck_assert_int_eq(profile->shares, PT_BASIS_NONE);
	ck_assert_uint_gt(profile->loss.by[PT_LOSS_OUTSIDE].ns, 0);
	/* no more than what ran inside can have taken: three cycles an instruction */
	ck_assert_uint_le(profile->loss.observed_ns, inside.all * 3 * PT_NS_PER_S / PT_KL27_CORE_HZ);
	ck_assert_uint_eq(profile->loss.lost_ns, 0);
	inline_close(&p);
}
END_TEST

/* --- words -------------------------------------------------------------------------------------------------------- */

static const struct pt_param places[] = { { "from", PT_PARAM_PLACE, NULL, NULL, 0, 0, "" }, { "mode", PT_PARAM_TEXT, NULL, NULL, 0, 0, "" } };
static const struct { const char *word, *want; } words[] = {	/* want: begins so; NULL: refused */
	{ "mode=main", "mode=main" },	{ "from=main", "from=0x" },
	{ "from=main+2", "from=0x" },	{ "from=0x1234", "from=0x1234" },
	{ "from=write:g_calls", "from=write:0x" }, { "from=write:0x20000000/1=3", "from=write:0x20000000/1=3" },
	{ "from=nobody_here", NULL },	{ "from=read:nobody_here", NULL },
};

START_TEST(names_become_addresses)
{
	char out[200];
	int rc = pt_place_word(program, places, PT_LEN(places), words[_i].word, out, sizeof(out), &err);

	ck_assert_msg((rc == 0) == (words[_i].want != NULL), "%s: %s", words[_i].word, rc < 0 ? err.msg : out);
	if (rc == 0)
		ck_assert_msg(strncmp(out, words[_i].want, strlen(words[_i].want)) == 0, "%s", out);
	else
		ck_assert_msg(strstr(err.msg, "nobody_here") != NULL, "%s", err.msg);
	ck_assert_int_eq(pt_place_word(NULL, places, PT_LEN(places), "from=main", out, sizeof(out), &err), PT_EARG);
	ck_assert_msg(strstr(err.msg, "--elf") != NULL, "%s", err.msg);
}
END_TEST

static const struct { const char *from, *to, *said; } triggers[] = {	/* said: NULL: taken */
	{ "0x1000", "0x1010", NULL },	      { "0x1000", NULL, NULL },
	{ "write:0x20000000/4", "read:0x20000004", NULL }, { "write:0x20000000/2=7", NULL, NULL },
	{ NULL, "0x1010", "from=" },	      { "write:0x20000000/4=7", "0x1010", "a value takes both" },
	{ "0x1000", "write:0x20000000=1", "a value takes both" }, { "here", NULL, "it is a place in code" },
	{ "write:0x20000000/3=1", NULL, "1, 2 or 4 bytes" }, { "0x1000=4", NULL, "it is a place in code" },
};

START_TEST(says_what_two_comparators_do)
{
	struct pt_mtb_trigger t;
	int rc = pt_mtb_trigger_parse(&t, triggers[_i].from, triggers[_i].to, &err);

	ck_assert_msg((rc == 0) == (triggers[_i].said == NULL), "%s %s: %s", triggers[_i].from, triggers[_i].to,
		      err.msg);
	if (rc < 0)
		ck_assert_msg(strstr(err.msg, triggers[_i].said) != NULL, "%s", err.msg);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mtb_trigger");
	TCase *tc = tcase_create("mtb_trigger");

	tcase_set_timeout(tc, 120);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, has_what_ran_inside, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, names_become_addresses, 0, PT_LEN(words));
	tcase_add_loop_test(tc, says_what_two_comparators_do, 0, PT_LEN(triggers));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
