/* The instruction set that CONFIG names: it counts where the ELF leaves it open, before anything was read, and what was made
 * of the words and asked for until then is there again. A capture that says nothing is read as ever. */
#include <stdio.h>

#include "chunk_feed.h"
#include "profile/analyses/calls/history.h"
#include "profile/analyses/limits/limits.h"

#define M0 "Cortex-M0+, zero wait states"
#define MB "MicroBlaze, local memory, typical latencies (unverified)"
#define ISA(name) "format=mtb\nsource=mtb\nmode=halt\nisa=" name "\n"

enum { NO_PROGRAM = 0, ARM = PT_MACHINE_ARM, S12Z = 249 };

static const struct {
	unsigned program;
	const char *config, *timing;	/* NULL: instructions are counted, if there is a program */
} rows[] = {
	{ ARM, "format=mtb\nsource=mtb\nmode=halt\n", M0 },
	{ ARM, ISA("thumb-v6m"), M0 },
	{ ARM, ISA("thumb"), NULL },
	{ ARM, ISA("microblaze"), M0 },	/* no Arm ELF has that */
	{ ARM, ISA("none"), M0 },
	{ ARM, ISA(""), M0 },
	{ ARM, ISA("thumb-v6m-and-more-than-fits-into-a-name"), M0 },
	{ S12Z, ISA("thumb-v6m"), NULL },	/* the ELF decides it */
	{ NO_PROGRAM, "format=mtb\nsource=mtb\nmode=halt\n", NULL },
	{ NO_PROGRAM, ISA("thumb-v6m"), M0 },
	{ NO_PROGRAM, ISA("microblazeel"), MB },
};

static struct chunk_feed feed_of(unsigned machine)
{
	struct pt_program *program = machine != NO_PROGRAM ? small_program_for(machine) : NULL;
	struct chunk_feed f = chunk_feed_of(program, (const char *const[]){ "analysis=all" }, 1);

	pt_program_unref(program);
	return f;
}

static void expect_timing(struct chunk_feed *f, const char *timing)
{
	const struct pt_profile *p = pt_pipeline_profile(f->pipeline);

	ck_assert_int_eq(p->by_instructions, timing == NULL && p->program != NULL);
	if (timing == NULL)
		ck_assert_ptr_null(p->timing);
	else
		ck_assert_str_eq(p->timing, timing);
}

START_TEST(names_what_the_elf_leaves_open)
{
	struct chunk_feed f = feed_of(rows[_i].program);

	chunk_config(&f, 0, rows[_i].config);
	expect_timing(&f, rows[_i].timing);
	chunk_config(&f, 0, ISA("thumb"));	/* too late */
	chunk_config(&f, 1, ISA("powerpc"));
	expect_timing(&f, rows[_i].timing);
	chunk_feed_drop(&f);
}
END_TEST

/* An ELF that says it is for Armv6-M, where the model is of its core; on another core it is not. */
START_TEST(a_model_is_of_its_core_alone)
{
	static const struct { const char *config, *timing; } cores[] = {
		{ "format=mtb\nsource=mtb\nmode=halt\n", M0 }, { ISA("thumb-v6m"), M0 }, { ISA("thumb"), NULL },
		{ ISA("powerpc"), M0 }, { ISA("none"), M0 },
	};
	const char *srcdir = getenv("srcdir");
	struct pt_program *program;
	struct pt_err err = { 0 };
	struct chunk_feed f;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/firmware/stacks.elf", srcdir != NULL ? srcdir : ".");
	program = pt_program_open(path, 0, &err);
	ck_assert_msg(program != NULL, "%s", err.msg);
	ck_assert_uint_eq(pt_program_arch(program)->cpu_arch, PT_ARM_V6S_M);
	f = chunk_feed_of(program, (const char *const[]){ "analysis=all" }, 1);
	chunk_config(&f, 0, cores[_i].config);
	expect_timing(&f, cores[_i].timing);
	chunk_feed_drop(&f);
	pt_program_unref(program);
}
END_TEST

static void run(struct chunk_feed *f)
{
	struct chunk_bytes b = { .len = 0 };

	chunk_state(f, 0, PT_STATE_RUN, 0, MAIN);
	add_packet(&b, 0x104, LEAF);
	add_packet(&b, LEAF + 2, 0x108);
	chunk_put(f, 0, PT_CHUNK_DATA, PT_DATA_RESTARTS, 0, 1000, b.bytes, b.len);
	chunk_end(f, 0, 1000);
}

/* The same from either name of what it is read as anyway, and from none. */
START_TEST(changes_nothing_where_it_says_the_same)
{
	static const char *const configs[] = { "format=mtb\nsource=mtb\nmode=halt\n", ISA("thumb-v6m") };
	struct pt_text text[2] = { { 0 } };

	for (size_t i = 0; i < 2; i++) {
		struct chunk_feed f = feed_of(ARM);

		chunk_config(&f, 0, configs[i]);
		run(&f);
		chunk_report(&f, &text[i], "functions", "json");
		chunk_feed_drop(&f);
	}
	ck_assert_str_eq(text[0].bytes, text[1].bytes);
	pt_text_free(&text[0]);
	pt_text_free(&text[1]);
}
END_TEST

START_TEST(keeps_what_was_asked_for)
{
	struct chunk_feed f = feed_of(ARM);
	const struct pt_profile *p;
	struct pt_err err = { 0 };

	ck_assert_int_eq(pt_pipeline_record(f.pipeline, &err), 0);
	ck_assert_int_eq(pt_pipeline_set_limits(f.pipeline, "limits=count(leaf) < 1", &err), 0);
	pt_pipeline_set_isa(f.pipeline, "thumb");
	chunk_config(&f, 0, "format=mtb\nsource=mtb\nmode=halt\n");
	run(&f);
	p = pt_pipeline_profile(f.pipeline);
	ck_assert_ptr_null(p->timing);
	ck_assert_uint_gt(p->instructions, 0);
	ck_assert_uint_eq(p->n_histories, 1);
	ck_assert_uint_eq(p->limits->n_limits, 1);
	ck_assert_msg(p->limits->limit[0].verdict == PT_VERDICT_FAILED, "%s", p->limits->limit[0].why);
	chunk_feed_drop(&f);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("isa_of_config");
	TCase *tc = tcase_create("isa_of_config");

	tcase_add_loop_test(tc, names_what_the_elf_leaves_open, 0, PT_LEN(rows));
	tcase_add_loop_test(tc, a_model_is_of_its_core_alone, 0, 5);
	tcase_add_test(tc, changes_nothing_where_it_says_the_same);
	tcase_add_test(tc, keeps_what_was_asked_for);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
