/* Time that no branch tells, S12Z: programs that loop for ever, sleep, nest their interrupts or run straight on for long
 * (tests/firmware/s12z_time.s), from reset until they are halted, by the code profiling's stamps and by the board's own
 * count of cycles. Everything that ran is in the trace, so each function's time is compared, not a share with an
 * interval. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "tests/inline_profile.h"
#include "base/util.h"

/* The board counts the entry of an exception for what was interrupted, we for the handler. ROUND: what waking up costs
 * beside that. STAMP: of an endless loop, what it ran since the last stamp that says so before the halt. */
enum { BUS_HZ = 50000000, ENTRY = 9, ROUND = 1, STAMP = 2 * 65536, MS = 50 };

static const struct {
	const char *name;
	unsigned n;		/* the firmware's number */
	const char *endless;	/* the function that loops without a branch; NULL: none */
	double sleeps;		/* at least so much of the time */
} scenarios[] = {
	{ "an endless loop, a light interrupt", 0, "endless", 0 },
	{ "an endless loop, a heavy interrupt", 1, "endless", 0 },
	{ "an endless loop, no interrupt", 2, "endless", 0 },
	{ "nested interrupts", 3, NULL, 0 },
	{ "asleep nearly always", 4, NULL, 0.9 },
	{ "long straight code, jumps by a table", 5, NULL, 0 },
};
static const char *const stamps[][2] = { { "", "stamp-from=cof" }, { "&stamp=line", "stamp-from=line" } };

static const char *firmware(void)
{
	static char path[300];
	const char *srcdir = getenv("srcdir");

	snprintf(path, sizeof(path), "%s/tests/firmware/s12z_time.elf", srcdir != NULL ? srcdir : ".");
	return path;
}

static void open_scenario(struct inline_profile *p, struct inline_setup *setup, unsigned n)
{
	uint64_t at, size;

	inline_open(p, setup);
	ck_assert(pt_program_symbol(p->program, "scenario", &at, &size));
	memcpy(pt_s12zvm_bytes(p->s12zvm, (uint32_t)at, 2), (uint8_t[]){ 0, (uint8_t)n }, 2);
}

/* Exceptions of all handlers. */
static uint64_t entries(const struct pt_profile *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_functions; i++)
		n += p->function[i].run != NULL ? p->function[i].run->exceptions : 0;
	return n;
}

static void check_function(const struct inline_profile *p, const struct pt_profile *profile, size_t i, int scenario)
{
	size_t n;
	const struct pt_function *f = &pt_program_functions(p->program, &n)[i];
	const struct pt_profile_function *row = profile->by_id[i + 1];
	const struct pt_execution_function *run = row != NULL ? row->run : NULL;
	bool loops = scenarios[scenario].endless != NULL && strcmp(f->name, scenarios[scenario].endless) == 0;
	uint64_t truth =
		pt_vtruth_sum((struct pt_vtruth *)&p->truth, (uint32_t)f->address, (uint32_t)(f->address + f->size))
			.cycles;
	uint64_t cycles = run != NULL ? run->cycles : 0, own = run != NULL ? run->exceptions * ENTRY : 0;
	uint64_t others = entries(profile) * (ENTRY + ROUND) + (loops ? STAMP : 0);

	ck_assert_msg(cycles <= truth + own && truth <= cycles + others, "%s: %s took %llu cycles, not %llu",
		      scenarios[scenario].name, f->name, (unsigned long long)cycles, (unsigned long long)truth);
}

static void check_sums(struct inline_profile *p, const struct pt_profile *profile, int scenario, uint64_t ran_ns)
{
	uint64_t truth = pt_vtruth_total(&p->truth).cycles;
	uint64_t ran = (uint64_t)((double)ran_ns * BUS_HZ / 1e9), slept = ran > truth ? ran - truth : 0;
	uint64_t told = (uint64_t)((double)profile->loss.by[PT_LOSS_SLEEP].ns * BUS_HZ / 1e9);
	uint64_t missing = (scenarios[scenario].endless != NULL ? STAMP : 0) + entries(profile) * ROUND;

	ck_assert_msg(profile->cycles <= truth && profile->cycles + missing >= truth, "%s: %llu cycles of %llu",
		      scenarios[scenario].name, (unsigned long long)profile->cycles, (unsigned long long)truth);
	ck_assert_msg((double)slept >= scenarios[scenario].sleeps * (double)ran, "%s: slept %llu of %llu",
		      scenarios[scenario].name, (unsigned long long)slept, (unsigned long long)ran);
	ck_assert_msg(told <= slept + BUS_HZ / 1000 && slept <= told + STAMP, "%s: asleep for %llu cycles, not %llu",
		      scenarios[scenario].name, (unsigned long long)told, (unsigned long long)slept);
}

static void check_scenario(int scenario, const char *const *stamp)
{
	static struct inline_profile p;
	struct inline_setup setup = {
		.board = "s12zvm", .uri = stamp[0], .elf = firmware(), .source = "dbg-profile",
		.words = { "mode=pdo", "bus-clock=50M", stamp[1] }, .seed = 1, .truth = true, .reset = true,
	};
	const struct pt_profile *profile;
	uint64_t from_ns;
	size_t n;

	open_scenario(&p, &setup, scenarios[scenario].n);
	inline_start(&p, &setup);
	from_ns = inline_now_ns(&p);
	inline_drain(&p, MS * PT_NS_PER_MS);
	inline_halt(&p);
	from_ns = inline_now_ns(&p) - from_ns;
	inline_drain(&p, 1);		/* what was behind */
	inline_stop(&p);
	profile = pt_pipeline_profile(p.pipeline);
	ck_assert(!profile->by_instructions);
	ck_assert_uint_eq(profile->core_hz, BUS_HZ);
	ck_assert_uint_eq(profile->not_code, 0);
	pt_program_functions(p.program, &n);
	for (size_t i = 0; i < n; i++)
		check_function(&p, profile, i, scenario);
	check_sums(&p, profile, scenario, from_ns);
	inline_close(&p);
}

START_TEST(functions_take_what_they_took)
{
	for (size_t i = 0; i < PT_LEN(stamps); i++)
		check_scenario(_i, stamps[i]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_time");
	TCase *tc = tcase_create("scenarios");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, functions_take_what_they_took, 0, PT_LEN(scenarios));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
