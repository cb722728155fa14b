/* Which instructions may come right before one, and what that makes of the limits of samples that a halt took: the pc of a
 * halted core is that of the next instruction. Code: small_program.h. */
#include <inttypes.h>

#include "chunk_feed.h"
#include "program/code/codemap.h"
#include "program/code/preceding.h"

enum { MOST = 8 };

struct found { uint64_t at[MOST]; size_t n; };

static void note(void *arg, uint64_t address)
{
	struct found *found = arg;

	ck_assert_uint_lt(found->n, MOST);
	found->at[found->n++] = address;
}

static const struct { const char *name; uint64_t address; unsigned besides; size_t n; uint64_t before[3]; } rows[] = {
	{ "in a straight line", MAIN + 4, 0, 1, { MAIN + 2 } },
	{ "where branches lead, too", MAIN + 2, 0, 3, { MAIN, MAIN + 10, MAIN + 14 } },
	{ "behind a call", MAIN + 8, 0, 1, { LEAF + 2 } },
	{ "behind a call by a register", MAIN + 14, PT_PRECEDED_BY_RETURN, 0, { 0 } },
	{ "behind a branch that may not be taken", MAIN + 12, 0, 1, { MAIN + 10 } },
	{ "behind a jump", MAIN + 16, 0, 0, { 0 } },	/* nothing leads there */
	{ "a function that is called, and jumped to", LEAF, PT_PRECEDED_BY_POINTER, 2, { MAIN + 4, TAIL } },
	{ "a function that calls itself", RECURSIVE, PT_PRECEDED_BY_POINTER, 1, { RECURSIVE } },
	{ "behind a call of itself", RECURSIVE + 4, 0, 1, { RECURSIVE + 4 } },
	{ "a function that only pointers lead to", RAM_LEAF, PT_PRECEDED_BY_POINTER, 0, { 0 } },
};

START_TEST(what_may_come_before)
{
	struct pt_program *program = small_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_preceding *preceding = pt_preceding_new(map);
	struct found found = { .n = 0 };

	ck_assert_ptr_nonnull(preceding);
	ck_assert_msg(pt_preceding_of(preceding, rows[_i].address, note, &found) == rows[_i].besides, "%s",
		      rows[_i].name);
	ck_assert_msg(found.n == rows[_i].n, "%s: %zu", rows[_i].name, found.n);
	for (size_t i = 0; i < found.n; i++)
		ck_assert_msg(found.at[i] == rows[_i].before[i], "%s: %#" PRIx64, rows[_i].name, found.at[i]);
	pt_preceding_free(preceding);
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

START_TEST(all_of_a_kind)
{
	struct pt_program *program = small_program();
	struct pt_codemap *map = pt_codemap_new(program, &pt_isa_thumb_v6m);
	struct pt_preceding *preceding = pt_preceding_new(map);
	struct found found = { .n = 0 };

	pt_preceding_all(preceding, PT_PRECEDED_BY_POINTER, note, &found);
	ck_assert_uint_eq(found.n, 2);
	ck_assert_uint_eq(found.at[0], MAIN + 12);
	ck_assert_uint_eq(found.at[1], JUMP);
	pt_preceding_free(preceding);
	pt_codemap_free(map);
	map = pt_codemap_new(program, &pt_isa_none);
	ck_assert_ptr_null(pt_preceding_new(map));	/* it cannot be walked */
	pt_codemap_free(map);
	pt_program_unref(program);
}
END_TEST

/* --- limits of shares */

#define SAMPLES "format=pcsr\nsource=pc-sampling\ntarget=small\nprobe=test\ncore_hz=0\ncost=none\nbatch=1\nmode="

/* Of a hundred samples: 40 in the midst of main, 30 behind its call of leaf, 20 at leaf's beginning, 10 behind that. */
static struct chunk_feed feed_of(const char *config)
{
	static const struct { unsigned n; uint32_t pc; } found[] = {
		{ 40, MAIN + 4 }, { 30, MAIN + 8 }, { 20, LEAF }, { 10, LEAF + 2 },
	};
	struct pt_program *program = small_program();
	struct chunk_feed f = chunk_feed_of(program, NULL, 0);
	uint64_t ns = 0;

	pt_program_unref(program);
	chunk_config_of(&f, 0, 0, config);
	for (size_t i = 0; i < PT_LEN(found); i++)
		for (unsigned k = 0; k < found[i].n; k++, ns += 1000) {
			uint8_t bytes[4];

			pt_put_le32(bytes, found[i].pc);
			chunk_put(&f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, ns, ns + 1000, bytes, sizeof(bytes));
		}
	chunk_end(&f, 0, ns);
	return f;
}

static struct pt_share share_of(const struct pt_profile *p, const char *name)
{
	for (size_t i = 0; i < p->n_functions; i++)
		if (strcmp(p->function[i].function->name, name) == 0)
			return p->function[i].share;
	ck_abort_msg("no %s", name);
	return (struct pt_share){ 0 };
}

/* As if so many of the hundred had found it. */
static struct pt_share of_hundred(unsigned n)
{
	const struct pt_cluster_total total = { .n = 100, .y = 100, .yy = 100 };

	return pt_cluster_share(&total, &(struct pt_cluster_sum){ n, n, n });
}

/* In the time of the 30 leaf returned, in that of the 20 it was called, or jumped to by tail. */
START_TEST(limits_of_functions)
{
	struct chunk_feed f = feed_of(SAMPLES "halt\n");
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);
	struct pt_share in_main = share_of(p, "main"), in_leaf = share_of(p, "leaf");

	ck_assert_double_eq_tol(in_main.share, 0.7, 1e-12);	/* where the samples were */
	ck_assert_double_eq_tol(in_main.lo, of_hundred(40).lo, 1e-12);
	ck_assert_double_eq_tol(in_main.hi, of_hundred(90).hi, 1e-12);
	ck_assert_double_eq_tol(in_leaf.share, 0.3, 1e-12);
	ck_assert_double_eq_tol(in_leaf.lo, of_hundred(10).lo, 1e-12);
	ck_assert_double_eq_tol(in_leaf.hi, of_hundred(60).hi, 1e-12);
	ck_assert_double_eq_tol(p->unseen.hi, of_hundred(20).hi, 1e-12);	/* tail, or jump by its pointer, led to leaf */
	chunk_feed_drop(&f);
}
END_TEST

/* Of an instruction each sample is of what came before it. */
START_TEST(limits_of_instructions)
{
	struct chunk_feed f = feed_of(SAMPLES "halt\n");
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);

	ck_assert_uint_eq(p->n_sampled_insns, 4);
	ck_assert_uint_eq(p->sampled_insn[0].place.address, MAIN + 4);
	ck_assert_double_eq(p->sampled_insn[0].place.share.lo, 0);
	ck_assert_double_eq_tol(p->sampled_insn[0].place.share.hi, of_hundred(40 + 20).hi, 1e-12);	/* it calls leaf */
	ck_assert_uint_eq(p->sampled_insn[3].place.address, LEAF + 2);
	ck_assert_double_eq_tol(p->sampled_insn[3].place.share.hi, of_hundred(10 + 30).hi, 1e-12);	/* it returns */
	chunk_feed_drop(&f);
}
END_TEST

/* The program's own agent stores the pc of what was interrupted when the counter overflowed. */
START_TEST(samples_that_no_halt_took)
{
	struct chunk_feed f = feed_of(SAMPLES "agent\n");
	const struct pt_profile *p = pt_pipeline_profile(f.pipeline);

	ck_assert_double_eq_tol(share_of(p, "main").lo, of_hundred(70).lo, 1e-12);
	ck_assert_double_eq_tol(share_of(p, "main").hi, of_hundred(70).hi, 1e-12);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("preceding");
	TCase *tc = tcase_create("preceding");

	tcase_add_loop_test(tc, what_may_come_before, 0, PT_LEN(rows));
	tcase_add_test(tc, all_of_a_kind);
	tcase_add_test(tc, limits_of_functions);
	tcase_add_test(tc, limits_of_instructions);
	tcase_add_test(tc, samples_that_no_halt_took);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
