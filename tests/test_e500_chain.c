/* Chained counters read while the virtual core runs between the reads, as the source counters reads them. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/e500/e500_pm.h"
#include "targets/e500/trace/counting.h"

enum { RAM_BYTES = 0x2000, CODE = 0x1000, NOP = 0x60000000, BACK = 0x4bffffe4 };	/* seven NOPs, then b CODE */
enum { PMGC0 = 400, N_READS = 1000000 };

/* One event on a chain: where its halves are, the plan says. */
static struct pt_e500_counting plan;

static void make_plan(void)
{
	struct pt_params *words = pt_params_new();

	ck_assert_int_eq(pt_params_add(words, pt_e500_counting_params, PT_E500_COUNTING_PARAMS, "events=instructions:c",
				       NULL),
			 0);
	ck_assert_int_eq(pt_e500_counting_read(&plan, PT_E500_V2, 4, words, 0, 1, NULL), 0);
	pt_params_free(words);
}

/* --- a way that says what it is told to */

struct script { const uint32_t *says; size_t n_says, at; };

static int says_next(void *state, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	struct script *script = state;

	for (size_t i = 0; i < n_ops; i++) {
		if (script->at == script->n_says)
			return pt_fail(err, PT_EIO, "PMR %u: the line is cut", ops[i].pmr);
		ops[i].value = script->says[script->at++];
	}
	return 0;
}

/* Facts 10, vector (c), and what does not come to an end. Read: high low high, and again. */
static const struct {
	const char *name;
	uint32_t says[16];
	size_t n_says;
	int rc;
	uint64_t value;
	unsigned n_retries;
} scripts[] = {
	{ "quiet", { 5, 0x80000000, 5 }, 3, 0, 0x580000000, 0 },
	{ "the low one wraps once", { 5, 3, 6, 6, 4, 6 }, 6, 0, 0x600000004, 1 },
	{ "the high one wraps", { 0xffffffff, 0xfffffff0, 0, 0, 7, 0 }, 6, 0, 7, 1 },
	{ "three retries", { 1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 9, 4 }, 12, 0, 0x400000009, 3 },
	{ "no end", { 1, 0, 2, 2, 0, 3, 3, 0, 4, 4, 0, 5, 5, 0, 5 }, 15, PT_ESTATE, 0, 4 },
	{ "cut at once", { 0 }, 0, PT_EIO, 0, 0 },
	{ "cut at the low one", { 1 }, 1, PT_EIO, 0, 0 },
	{ "cut in a retry", { 1, 0, 2, 2, 0 }, 5, PT_EIO, 0, 1 },
};

START_TEST(reads_until_the_highs_agree)
{
	struct script script = { scripts[_i].says, scripts[_i].n_says, 0 };
	const struct pt_e500_passer by = { says_next, &script };
	struct pt_e500_op ops[PT_E500_TURN_OPS_MAX];
	uint64_t value = 77;
	unsigned n_retries = 99;
	int rc;

	make_plan();
	rc = pt_e500_turn_sample(&plan, 0, &by, ops, &value, &n_retries, NULL);
	ck_assert_msg(rc == scripts[_i].rc, "%s: %d", scripts[_i].name, rc);
	if (rc == 0)
		ck_assert_msg(value == scripts[_i].value, "%s: %#llx", scripts[_i].name, (unsigned long long)value);
	ck_assert_uint_eq(n_retries, scripts[_i].n_retries);
	ck_assert_uint_eq(script.at, rc == PT_ESTATE ? 12 : scripts[_i].n_says);
}
END_TEST

/* --- the virtual core runs a few instructions before each read --- */

struct rig {
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	struct pt_ve500_pm pm;
	uint8_t ram[RAM_BYTES];
	uint32_t random;
	uint64_t at_low;	/* instructions completed when PMC0 was last read */
	uint32_t first_high, first_low;
	unsigned n_reads;
};
static struct rig rig;

static void make(void)
{
	const struct pt_vregion ram = { .base = 0, .size = RAM_BYTES, .bytes = rig.ram };

	for (uint32_t at = 0; at < RAM_BYTES; at += 4)
		pt_put_be32(rig.ram + at, at == CODE + 28 ? BACK : NOP);
	rig.bus.big_endian = true;
	rig.random = 1;
	ck_assert(pt_vbus_add(&rig.bus, &ram));
	rig.cpu = pt_ve500_new(&rig.bus, PT_VE500_CORE_V2, NULL);
	ck_assert_ptr_nonnull(rig.cpu);
	pt_ve500_pm_init(&rig.pm, rig.cpu);
	pt_ve500_reset(rig.cpu, true, CODE);
}

static uint32_t draw(void)
{
	rig.random ^= rig.random << 13;
	rig.random ^= rig.random >> 17;
	rig.random ^= rig.random << 5;
	return rig.random;
}

static unsigned low_pmr(void)
{
	return PT_E500_PMC0 + plan.place[0].pmc;
}

static unsigned high_pmr(void)
{
	return PT_E500_PMC0 + plan.place[0].high_pmc;
}

static void run_some(void)
{
	uint64_t end = pt_ve500_instructions(rig.cpu) + draw() % 4;

	while (pt_ve500_instructions(rig.cpu) < end)
		pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1);
}

static int read_running(void *state, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err)
{
	for (size_t i = 0; i < n_ops; i++) {
		run_some();
		if (!pt_ve500_pm_read(&rig.pm, ops[i].pmr, &ops[i].value))
			return pt_fail(err, PT_EFAULT, "no PMR %u", ops[i].pmr);
		if (ops[i].pmr == low_pmr())
			rig.at_low = pt_ve500_instructions(rig.cpu);
		if (rig.n_reads == 0)
			rig.first_high = ops[i].value;
		if (rig.n_reads++ == 1)
			rig.first_low = ops[i].value;
	}
	(void)state;
	return 0;
}

/* Frozen, to a few instructions short of a carry; the upper half last, as clearing a top bit is a fall, too. */
static uint64_t set_before_carry(void)
{
	uint64_t start = (uint64_t)draw() << 32 | (UINT32_MAX - draw() % 8);

	pt_ve500_pm_write(&rig.pm, PMGC0, 0x80000000);
	pt_ve500_pm_write(&rig.pm, low_pmr(), (uint32_t)start);
	pt_ve500_pm_write(&rig.pm, high_pmr(), (uint32_t)(start >> 32));
	pt_ve500_pm_write(&rig.pm, PMGC0, 0);
	return start;
}

/* Each value is what the core had completed when the low half was read. What a plain read of the two halves would have
 * told in the same places is torn in a good part of them, so that the test sees what it is to see. */
START_TEST(no_value_is_torn)
{
	const struct pt_e500_passer by = { read_running, NULL };
	struct pt_e500_op ops[PT_E500_TURN_OPS_MAX];
	unsigned n_torn_plainly = 0, n_retried = 0;
	size_t n_ops;

	make();
	make_plan();
	n_ops = pt_e500_turn_begin(&plan, 0, ops);
	for (size_t i = 0; i < n_ops; i++)
		ck_assert(pt_ve500_pm_write(&rig.pm, ops[i].pmr, ops[i].value));
	for (unsigned i = 0; i < N_READS; i++) {
		uint64_t start = set_before_carry(), from = pt_ve500_instructions(rig.cpu), value = 0, want, plain;
		unsigned n_retries = 0;

		rig.n_reads = 0;
		if (pt_e500_turn_sample(&plan, 0, &by, ops, &value, &n_retries, NULL) < 0)
			ck_abort_msg("read %u failed", i);
		want = start + (rig.at_low - from);
		if (value != want)	/* an assertion for each would take longer than the reads */
			ck_abort_msg("read %u: %#llx, not %#llx", i, (unsigned long long)value,
				     (unsigned long long)want);
		plain = (uint64_t)rig.first_high << 32 | rig.first_low;
		n_torn_plainly += plain + 1000 < start;
		n_retried += n_retries == 1;
	}
	ck_assert_uint_gt(n_torn_plainly, N_READS / 20);
	ck_assert_uint_ge(n_retried, n_torn_plainly);
	pt_ve500_free(rig.cpu);
}
END_TEST

/* Facts 4: 2^30 / f at four a cycle, 2^32 / f for cycles. */
START_TEST(wraps_after)
{
	ck_assert_uint_eq(pt_e500_wrap_ns(1500000000, PT_E500_STEPS_PER_CYCLE), 715827882);
	ck_assert_uint_eq(pt_e500_wrap_ns(1500000000, 1), 2863311530);
	ck_assert_uint_eq(pt_e500_wrap_ns(0, 1), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_chain");
	TCase *tc = tcase_create("chain");

	tcase_set_timeout(tc, 120);
	tcase_add_loop_test(tc, reads_until_the_highs_agree, 0, PT_LEN(scripts));
	tcase_add_test(tc, no_value_is_torn);
	tcase_add_test(tc, wraps_after);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
