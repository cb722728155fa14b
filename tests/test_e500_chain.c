/* Chained counters read while the virtual core runs between the reads, and counters continued beyond their 32 bits. */
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/e500_pm.h"
#include "targets/e500/chain.h"

enum { RAM_BYTES = 0x2000, CODE = 0x1000, NOP = 0x60000000, BACK = 0x4bffffe4 };	/* seven NOPs, then b CODE */
enum { PMC0 = 16, PMC1 = 17, PMLCA0 = 144, PMLCA1 = 145, PMGC0 = 400, N_READS = 1000000 };

/* --- a reader that says what it is told to --- */

struct script { const uint32_t *says; size_t n_says, at; };

static int says_next(void *state, unsigned pmc, uint32_t *value, struct pt_err *err)
{
	struct script *script = state;

	if (script->at == script->n_says)
		return pt_fail(err, PT_EIO, "PMC%u: the line is cut", pmc);
	*value = script->says[script->at++];
	return 0;
}

/* Facts 10, vector (c), and what does not come to an end. Read: high low high [low high]... */
static const struct {
	const char *name;
	uint32_t says[16];
	size_t n_says;
	int rc;
	uint64_t value;
	unsigned n_retries;
} scripts[] = {
	{ "quiet", { 5, 0x80000000, 5 }, 3, 0, 0x580000000, 0 },
	{ "the low one wraps once", { 5, 3, 6, 4, 6 }, 5, 0, 0x600000004, 1 },
	{ "the high one wraps", { 0xffffffff, 0xfffffff0, 0, 7, 0 }, 5, 0, 7, 1 },
	{ "three retries", { 1, 0, 2, 0, 3, 0, 4, 9, 4 }, 9, 0, 0x400000009, 3 },
	{ "no end", { 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 5 }, 11, PT_ESTATE, 77, 3 },
	{ "cut at once", { 0 }, 0, PT_EIO, 77, 0 },
	{ "cut at the low one", { 1 }, 1, PT_EIO, 77, 0 },
	{ "cut in a retry", { 1, 0, 2, 0 }, 4, PT_EIO, 77, 1 },
};

START_TEST(reads_until_the_highs_agree)
{
	struct script script = { scripts[_i].says, scripts[_i].n_says, 0 };
	const struct pt_e500_reader reader = { says_next, &script };
	uint64_t value = 77;
	unsigned n_retries = 99;
	int rc = pt_e500_chain_read(&reader, 0, 1, &value, &n_retries, NULL);

	ck_assert_msg(rc == scripts[_i].rc, "%s: %d", scripts[_i].name, rc);
	ck_assert_msg(value == scripts[_i].value, "%s: %#llx", scripts[_i].name, (unsigned long long)value);
	ck_assert_uint_eq(n_retries, scripts[_i].n_retries);
	ck_assert_uint_eq(script.at, rc == PT_ESTATE ? 9 : scripts[_i].n_says);
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
	rig.cpu = pt_ve500_new(&rig.bus, 0x80210030, NULL);
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

static void run_some(void)
{
	uint64_t end = pt_ve500_instructions(rig.cpu) + draw() % 4;

	while (pt_ve500_instructions(rig.cpu) < end)
		pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1);
}

static int read_running(void *state, unsigned pmc, uint32_t *value, struct pt_err *err)
{
	run_some();
	if (!pt_ve500_pm_read(&rig.pm, PMC0 + pmc, value))
		return pt_fail(err, PT_EFAULT, "no PMC%u", pmc);
	if (pmc == 0)
		rig.at_low = pt_ve500_instructions(rig.cpu);
	if (rig.n_reads == 0)
		rig.first_high = *value;
	if (rig.n_reads++ == 1)
		rig.first_low = *value;
	(void)state;
	return 0;
}

/* Frozen, to a few instructions short of a carry; the upper half last, as clearing a top bit is a fall, too. */
static uint64_t set_before_carry(void)
{
	uint64_t start = (uint64_t)draw() << 32 | (UINT32_MAX - draw() % 8);

	pt_ve500_pm_write(&rig.pm, PMGC0, 0x80000000);
	pt_ve500_pm_write(&rig.pm, PMC0, (uint32_t)start);
	pt_ve500_pm_write(&rig.pm, PMC1, (uint32_t)(start >> 32));
	pt_ve500_pm_write(&rig.pm, PMGC0, 0);
	return start;
}

/* Each value is what the core had completed when the low half was read. What a plain read of the two halves would have
 * told in the same places is torn in a good part of them, so that the test sees what it is to see. */
START_TEST(no_value_is_torn)
{
	const struct pt_e500_reader reader = { read_running, NULL };
	unsigned n_torn_plainly = 0, n_retried = 0;

	make();
	pt_ve500_pm_write(&rig.pm, PMLCA0, 0x00020000);
	pt_ve500_pm_write(&rig.pm, PMLCA1, 0x00520000);
	for (unsigned i = 0; i < N_READS; i++) {
		uint64_t start = set_before_carry(), from = pt_ve500_instructions(rig.cpu), value = 0, want, plain;
		unsigned n_retries = 0;

		rig.n_reads = 0;
		if (pt_e500_chain_read(&reader, 0, 1, &value, &n_retries, NULL) < 0)
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

/* Facts 4: delta = (new - old) mod 2^32; longer than the wrap is ambiguous, and never silently so. */
static const struct {
	const char *name;
	uint32_t was, is;
	uint64_t step_ns, wrap_ns, total;
	bool certain;
} steps[] = {
	{ "forward", 10, 25, 99, 100, 15, true },
	{ "over the wrap", 0xfffffff0, 0x10, 99, 100, 0x20, true },
	{ "none", 7, 7, 99, 100, 0, true },
	{ "as long as a wrap", 7, 7, 100, 100, 0, false },
	{ "longer", 10, 25, 1000, 100, 15, false },
	{ "clock not known", 10, 25, 1, 0, 15, false },
	{ "time went back", 10, 25, UINT64_MAX, 100, 15, false },
};

START_TEST(continues_beyond_32_bits)
{
	struct pt_e500_wide wide = { 0 };
	bool certain;

	ck_assert(pt_e500_wide_add(&wide, steps[_i].was, 1000, steps[_i].wrap_ns));
	ck_assert_uint_eq(wide.total, 0);
	certain = pt_e500_wide_add(&wide, steps[_i].is, 1000 + steps[_i].step_ns, steps[_i].wrap_ns);
	ck_assert_msg(certain == steps[_i].certain, "%s", steps[_i].name);
	ck_assert_uint_eq(wide.total, steps[_i].total);
	ck_assert_uint_eq(wide.n_ambiguous, steps[_i].certain ? 0 : 1);
}
END_TEST

START_TEST(adds_up_over_many_wraps)
{
	struct pt_e500_wide wide = { 0 };
	uint64_t truth = 0xdeadbeef;

	for (uint64_t i = 0; i < 1000; i++, truth += 0xf0000001)
		ck_assert(pt_e500_wide_add(&wide, (uint32_t)truth, i, 2));
	ck_assert_uint_eq(wide.total, 999 * UINT64_C(0xf0000001));
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
	tcase_add_loop_test(tc, continues_beyond_32_bits, 0, PT_LEN(steps));
	tcase_add_test(tc, adds_up_over_many_wraps);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
