/* The virtual e500's performance monitor: vectors worked out from E500CORERM Rev. 1, chapter 7, counts against the
 * core's own, and its interrupt. Code is given as instruction words; registers are set as a debugger would. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/e500/e500_pm.h"

enum { RAM_BYTES = 0x20000, CODE = 0x1000, VECTORS = 0x8000, NOP = 0x60000000, LOOP = 0x48000000 };
enum { PMC0 = 16, PMC1 = 17, PMLCA0 = 144, PMLCA1 = 145, PMLCB0 = 272, PMGC0 = 400 };

struct rig {
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	struct pt_ve500_pm pm;
	uint8_t ram[RAM_BYTES];
};

static struct rig rig;

static void put(uint32_t addr, uint32_t word)
{
	pt_put_be32(rig.ram + addr, word);
}

/* NOPs everywhere, and the words at CODE. */
static void make(const uint32_t *words, size_t n_words)
{
	const struct pt_vregion ram = { .base = 0, .size = RAM_BYTES, .bytes = rig.ram };

	memset(&rig, 0, sizeof(rig));
	for (uint32_t at = 0; at < RAM_BYTES; at += 4)
		put(at, NOP);
	for (size_t i = 0; i < n_words; i++)
		put(CODE + 4 * (uint32_t)i, words[i]);
	rig.bus.big_endian = true;
	ck_assert(pt_vbus_add(&rig.bus, &ram));
	rig.cpu = pt_ve500_new(&rig.bus, PT_VE500_CORE_V2, NULL);
	ck_assert_ptr_nonnull(rig.cpu);
	pt_ve500_pm_init(&rig.pm, rig.cpu);
	pt_ve500_reset(rig.cpu, true, CODE);
}

static void done(void)
{
	pt_ve500_free(rig.cpu);
}

static void set(unsigned pmr, uint32_t value)
{
	ck_assert(pt_ve500_pm_write(&rig.pm, pmr, value));
}

static uint32_t get(unsigned pmr)
{
	uint32_t value = 0;

	ck_assert(pt_ve500_pm_read(&rig.pm, pmr, &value));
	return value;
}

static void instructions(uint64_t n)
{
	uint64_t end = pt_ve500_instructions(rig.cpu) + n;

	while (pt_ve500_instructions(rig.cpu) < end)
		pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1);
}

/* Vector (a) */
START_TEST(counts_instructions)
{
	make(NULL, 0);
	set(PMLCA0, 0x00020000);
	instructions(1000);
	ck_assert_uint_eq(get(PMC0), 1000);
	ck_assert_uint_eq(get(0), 1000);	/* UPMC0 */
	done();
}
END_TEST

/* Vector (b): 16 more wrap the low one, and 16 follow */
START_TEST(chains)
{
	make(NULL, 0);
	set(PMGC0, 0x80000000);
	set(PMC0, 0xfffffff0);
	set(PMC1, 0);
	set(PMLCA0, 0x00020000);
	set(PMLCA1, 0x00520000);
	set(PMGC0, 0);
	instructions(32);
	ck_assert_uint_eq(get(PMC1), 1);
	ck_assert_uint_eq(get(PMC0), 0x10);
	done();
}
END_TEST

/* Facts 4: clearing the top bit by software is a fall, too. */
START_TEST(a_write_that_clears_the_top_bit_is_a_fall)
{
	make(NULL, 0);
	set(PMLCA1, 0x00520000);
	set(PMC0, 0x80000000);
	set(PMC0, 0);
	instructions(1);
	ck_assert_uint_eq(get(PMC1), 1);
	done();
}
END_TEST

/* Facts 2.5: which state is counted; what freezes, by MSR[PR] and MSR[PMM]. Vector (d) is one of them. */
static const struct { const char *name; uint32_t freeze, msr; bool counts; } states[] = {
	{ "all, supervisor", 0, 0, true }, { "all, user", 0, PT_VE500_MSR_PR, true },
	{ "supervisor only", 0x20000000, 0, true },
	{ "supervisor only, in user state", 0x20000000, PT_VE500_MSR_PR, false },
	{ "user only", 0x40000000, PT_VE500_MSR_PR, true }, { "user only, in supervisor state", 0x40000000, 0, false },
	{ "unmarked", 0x10000000, 0, true }, { "unmarked, marked now", 0x10000000, PT_VE500_MSR_PMM, false },
	{ "marked", 0x08000000, PT_VE500_MSR_PMM, true }, { "marked, unmarked now", 0x08000000, 0, false },
	{ "none", 0x18000000, 0, false }, { "none, user", 0x60000000, PT_VE500_MSR_PR, false },
	{ "frozen", 0x80000000, 0, false },
};

START_TEST(freezes)
{
	make(NULL, 0);
	set(PMLCA0, 0x00020000 | states[_i].freeze);
	pt_ve500_set_reg(rig.cpu, PT_VE500_MSR, states[_i].msr);
	instructions(10);
	ck_assert_msg(get(PMC0) == (states[_i].counts ? 10u : 0u), "%s: %u", states[_i].name, get(PMC0));
	done();
}
END_TEST

/* Vector (e) */
START_TEST(freezes_on_an_enabled_condition)
{
	make(NULL, 0);
	set(PMGC0, 0x20000000);
	set(PMC0, 0x7fffffff);
	set(PMLCA0, 0x04020000);
	instructions(5);
	ck_assert_uint_eq(get(PMC0), 0x80000000);
	ck_assert_uint_eq(get(PMGC0), 0xa0000000);
	done();
}
END_TEST

/* Vector (f): mfpmr r3,400 and mtpmr in user state are privileged; UPMGC0 can be read. */
static const struct { const char *name; uint32_t insn; bool allowed; } user[] = {
	{ "mfpmr PMGC0", 0x7c70629c, false }, { "mfpmr UPMGC0", 0x7c60629c, true }, { "mfpmr UPMC0", 0x7c60029c, true },
	{ "mtpmr PMC0", 0x7c70039c, false },
};

START_TEST(user_code_may_read_its_own)
{
	make(&user[_i].insn, 1);
	pt_ve500_set_reg(rig.cpu, PT_VE500_MSR, PT_VE500_MSR_PR);
	pt_ve500_run(rig.cpu, 30);
	ck_assert_msg((pt_ve500_events(rig.cpu)[86] == 0) == user[_i].allowed, "%s", user[_i].name);
	done();
}
END_TEST

/* Vector (g): how many of the three take longer than the threshold. A load that misses lasts as
 * long as the timing says. */
static const struct { uint32_t pmlcb, want; } thresholds[] = {
	{ 5, 2 }, { 10, 2 }, { 12, 1 }, { 40, 0 }, { 10 | 1 << 8, 1 }, { 10 | 2 << 8, 0 }, { 0, 3 },
};

START_TEST(counts_what_lasts_longer)
{
	static const uint8_t durations[] = { 5, 12, 40 };
	uint32_t count = 0;

	for (size_t i = 0; i < PT_LEN(durations); i++) {
		const uint32_t words[] = { 0x80600100, LOOP };	/* lwz r3,0x100(0) */
		struct pt_ve500_timing timing = pt_ve500_default_timing;

		make(words, PT_LEN(words));
		pt_ve500_free(rig.cpu);
		timing.l1_miss = durations[i];
		rig.cpu = pt_ve500_new(&rig.bus, PT_VE500_CORE_V2, &timing);
		pt_ve500_pm_init(&rig.pm, rig.cpu);
		pt_ve500_reset(rig.cpu, true, CODE);
		set(PMLCA0, 76 << 16);
		set(PMLCB0, thresholds[_i].pmlcb);
		instructions(3);
		count += get(PMC0);
		done();
	}
	ck_assert_uint_eq(count, thresholds[_i].want);
}
END_TEST

/* The example of facts 2.6, by the program itself: what is written counts from behind the
 * instruction that starts it. */
START_TEST(counts_what_the_program_asks_for)
{
	static const uint32_t words[] = {
		0x3c608000, 0x7c70639c,			/* lis r3,0x8000; mtpmr PMGC0,r3 */
		0x3c600002, 0x7c70239c,			/* lis r3,2; mtpmr PMLCa0,r3: instructions */
		0x3c600008, 0x7c71239c,			/* lis r3,8; mtpmr PMLCa1,r3: branches */
		0x38600000, 0x7c70639c,			/* li r3,0; mtpmr PMGC0,r3 */
		0x38800007, 0x7c8903a6, 0x4200fffc + 4,	/* li r4,7; mtctr r4; bdnz . */
		0x3c608000, 0x7c70639c, LOOP,		/* lis r3,0x8000; mtpmr PMGC0,r3 */
	};

	make(words, PT_LEN(words));
	instructions(40);
	ck_assert_uint_eq(get(PMC0), 2 + 7 + 1);
	ck_assert_uint_eq(get(PMC1), 7);
	done();
}
END_TEST

/* Any event that the core counts, counted from the start, is what the core counted. */
START_TEST(equals_the_core)
{
	static const uint32_t words[] = {
		0x38600800, 0x38800000,			/* li r3,0x800; li r4,0 */
		0x94830020, 0x80a3ff00, 0x7ca52a14,	/* 1: stwu r4,32(r3); lwz r5,-256(r3); add r5,r5,r5 */
		0x7cc3282e, 0x38840001, 0x2c0403e8,	/* lwzx r6,r3,r5; addi r4,r4,1; cmpwi r4,1000 */
		0x4082ffe8, 0x44000002, LOOP,		/* bne 1b; sc; b . */
	};
	uint64_t was, is;

	if (!pt_ve500_counts(PT_VE500_CORE_V2, (unsigned)_i))
		return;
	make(words, PT_LEN(words));
	set(PMLCA0, (uint32_t)_i << 16);
	was = pt_ve500_events(rig.cpu)[_i];
	instructions(3000);
	is = pt_ve500_events(rig.cpu)[_i];
	ck_assert_msg(get(PMC0) == (uint32_t)(is - was), "event %d: %u, not %u", _i, get(PMC0), (unsigned)(is - was));
	done();
}
END_TEST

/* Facts 2.4, 2.5: on overflow PMIE goes, and with EE on the interrupt of IVOR35 is taken behind the instruction. */
START_TEST(interrupts_on_overflow)
{
	make(NULL, 0);
	put(VECTORS, LOOP);
	put(CODE, 0x3c600000);			/* lis r3,0 */
	put(CODE + 4, 0x60638000);		/* ori r3,r3,VECTORS */
	put(CODE + 8, 0x7c7383a6);		/* mtspr IVOR35,r3 */
	instructions(3);
	pt_ve500_set_reg(rig.cpu, PT_VE500_MSR, PT_VE500_MSR_EE);
	set(PMC0, 0x80000000 - 5);
	set(PMLCA0, 0x04020000);
	set(PMGC0, 0x40000000);
	instructions(10);
	ck_assert_uint_eq(pt_ve500_pc(rig.cpu), VECTORS);
	ck_assert_uint_eq(get(PMGC0), 0);
	ck_assert_uint_eq(pt_ve500_events(rig.cpu)[86], 1);
	done();
}
END_TEST

/* Facts 2.1: TBSEL 01 has a period of 512 ticks, so an edge each 512 * tb_cycles. */
START_TEST(counts_edges_of_the_time_base)
{
	make(NULL, 0);
	put(CODE, LOOP);
	set(PMGC0, 0x00000800);
	set(PMLCA0, 90 << 16);
	pt_ve500_run(rig.cpu, 10 * 512 * 8);
	ck_assert_uint_eq(get(PMC0), 10);
	done();
}
END_TEST

/* By hand: QEMU has no such event, and no evldh. Memory 8899 aabb ccdd eeff into both halves of r6. */
START_TEST(loads_four_halfwords)
{
	static const uint32_t words[] = { 0x10c30305, LOOP };	/* evldh r6,0(r3) */

	make(words, PT_LEN(words));
	put(0x800, 0x8899aabb);
	put(0x804, 0xccddeeff);
	pt_ve500_set_reg(rig.cpu, PT_VE500_MSR, PT_VE500_MSR_SPE);
	pt_ve500_set_reg(rig.cpu, PT_VE500_R0 + 3, 0x800);
	instructions(1);
	ck_assert_uint_eq(pt_ve500_reg(rig.cpu, PT_VE500_R0 + 6), 0xccddeeff);
	ck_assert_uint_eq(pt_ve500_reg(rig.cpu, PT_VE500_EV0H + 6), 0x8899aabb);
	done();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_pm");
	TCase *tc = tcase_create("vectors");

	tcase_add_test(tc, counts_instructions);
	tcase_add_test(tc, chains);
	tcase_add_test(tc, a_write_that_clears_the_top_bit_is_a_fall);
	tcase_add_loop_test(tc, freezes, 0, PT_LEN(states));
	tcase_add_test(tc, freezes_on_an_enabled_condition);
	tcase_add_loop_test(tc, user_code_may_read_its_own, 0, PT_LEN(user));
	tcase_add_loop_test(tc, counts_what_lasts_longer, 0, PT_LEN(thresholds));
	tcase_add_test(tc, counts_what_the_program_asks_for);
	tcase_add_loop_test(tc, equals_the_core, 0, PT_VE500_EVENTS);
	tcase_add_test(tc, interrupts_on_overflow);
	tcase_add_test(tc, counts_edges_of_the_time_base);
	tcase_add_test(tc, loads_four_halfwords);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
