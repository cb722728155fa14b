/* What tells the five virtual cores of the e500 family apart: PMRs and their bits, registers, instructions, events.
 * Expected is what E500CORERM Rev. 1 (chapter 7), NXP's qoriq-debug and OProfile's event files say. Code is given as
 * instruction words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/unit/e500/e500_pm.h"

enum { RAM_BYTES = 0x20000, CODE = 0x1000, VECTORS = 0x8000, LOOP = 0x48000000, PROGRAM_OFFSET = 6 * 16 };
enum { PMC0 = 16, PMLCA0 = 144, PMLCB0 = 272, PMGC0 = 400, ESR = 62, IVPR = 63, IVOR0 = 400, IVOR35 = 531 };
enum { ILLEGAL = 0x08000000, PRIVILEGED = 0x04000000 };

static const struct { unsigned n_pmcs; uint32_t pmgc0, pmlca, pmlcb, pvr; bool spe; } facts[PT_VE500_CORES] = {
	[PT_VE500_CORE_V1] = { 4, 0xe0000000, 0xfc7f0000, 0x0000073f, 0x80200000, true },
	[PT_VE500_CORE_V2] = { 4, 0xe0001900, 0xfc7f0000, 0x0000073f, 0x80210000, true },
	[PT_VE500_CORE_MC] = { 4, 0xe0001900, 0xfcff0003, 0xff80e73f, 0x80230000, false },
	[PT_VE500_CORE_E5500] = { 4, 0xe0001900, 0xfcff0003, 0xff80e73f, 0x80240000, false },
	[PT_VE500_CORE_E6500] = { 6, 0xe0001900, 0xfdff0003, 0xff80e73f, 0x80400000, false },
};

static struct {
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	struct pt_ve500_pm pm;
	uint8_t ram[RAM_BYTES];
} rig;

static void put(uint32_t addr, uint32_t word)
{
	pt_put_be32(rig.ram + addr, word);
}

static void set_reg(unsigned reg, uint64_t value)
{
	pt_ve500_set_reg(rig.cpu, reg, value);
}

static uint64_t reg(unsigned n)
{
	return pt_ve500_reg(rig.cpu, n);
}

static void execute(uint32_t word)
{
	put(CODE, word);
	set_reg(PT_VE500_PC, CODE);
	pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1);
}

/* IVORn leads to VECTORS + 16 n, where the core stays. */
static void make(unsigned core)
{
	const struct pt_vregion ram = { .base = 0, .size = RAM_BYTES, .bytes = rig.ram };

	memset(&rig, 0, sizeof(rig));
	rig.bus.big_endian = true;
	ck_assert(pt_vbus_add(&rig.bus, &ram));
	rig.cpu = pt_ve500_new(&rig.bus, core, NULL);
	ck_assert_ptr_nonnull(rig.cpu);
	pt_ve500_pm_init(&rig.pm, rig.cpu);
	pt_ve500_reset(rig.cpu, true, CODE);
	for (unsigned n = 0; n < 16; n++) {
		put(VECTORS + 16 * n, LOOP);
		set_reg(3, VECTORS + 16 * n);
		execute(0x7c6003a6 | ((IVOR0 + n) & 31) << 16 | ((IVOR0 + n) >> 5) << 11);	/* mtspr IVORn,r3 */
	}
}

static void done(void)
{
	pt_ve500_free(rig.cpu);
}

/* Why it is at the handler of program interrupts; 0: it is not. */
static uint32_t refused(void)
{
	if (pt_ve500_pc(rig.cpu) != VECTORS + PROGRAM_OFFSET)
		return 0;
	set_reg(PT_VE500_MSR, 0);
	execute(0x7c7e0aa6);		/* mfspr r3,ESR */
	return (uint32_t)reg(3);
}

/* --- PMRs: each number there is, and what the others do, in supervisor and user mode */

static bool is_supervisors(unsigned core, unsigned pmr)
{
	unsigned n_pmcs = facts[core].n_pmcs;

	return pmr - PMC0 < n_pmcs || pmr - PMLCA0 < n_pmcs || pmr - PMLCB0 < n_pmcs || pmr == PMGC0;
}

static uint32_t split(unsigned pmr)
{
	return (pmr & 31) << 16 | pmr >> 5 << 11;
}

START_TEST(pmrs_are_the_cores)
{
	make((unsigned)_i);
	for (unsigned pmr = 0; pmr < 512; pmr++) {
		bool supervisors = is_supervisors((unsigned)_i, pmr), users = is_supervisors((unsigned)_i, pmr + 16);

		users &= (pmr & 16) == 0;
		for (unsigned user = 0; user < 2; user++) {
			uint32_t reads = user && (pmr & 16) != 0 ? PRIVILEGED : supervisors || users ? 0 : ILLEGAL;
			uint32_t writes = user ? PRIVILEGED : supervisors ? 0 : ILLEGAL;

			set_reg(PT_VE500_MSR, user ? PT_VE500_MSR_PR : 0);
			execute(0x7c60029c | split(pmr));		/* mfpmr r3,pmr */
			ck_assert_msg(refused() == reads, "mfpmr %u, user %u", pmr, user);
			set_reg(3, 0);
			set_reg(PT_VE500_MSR, user ? PT_VE500_MSR_PR : 0);
			execute(0x7c60039c | split(pmr));		/* mtpmr pmr,r3 */
			ck_assert_msg(refused() == writes, "mtpmr %u, user %u", pmr, user);
		}
	}
	done();
}
END_TEST

START_TEST(control_registers_have_their_bits)
{
	uint32_t value;

	make((unsigned)_i);
	for (unsigned n = 0; n < facts[_i].n_pmcs; n++) {
		ck_assert(pt_ve500_pm_write(&rig.pm, PMLCA0 + n, UINT32_MAX));
		ck_assert(pt_ve500_pm_write(&rig.pm, PMLCB0 + n, UINT32_MAX));
		ck_assert(pt_ve500_pm_read(&rig.pm, PMLCA0 + n, &value));
		ck_assert_uint_eq(value, facts[_i].pmlca);
		ck_assert(pt_ve500_pm_read(&rig.pm, PMLCB0 + n, &value));
		ck_assert_uint_eq(value, facts[_i].pmlcb);
	}
	ck_assert(pt_ve500_pm_write(&rig.pm, PMGC0, UINT32_MAX));
	ck_assert(pt_ve500_pm_read(&rig.pm, PMGC0, &value));
	ck_assert_uint_eq(value, facts[_i].pmgc0);
	done();
}
END_TEST

/* --- registers and instructions */

static const struct { uint32_t word, msr; bool spe, qoriq; } forms[] = {
	{ 0x10c30301, PT_VE500_MSR_SPE, true, false },		/* evldd r6,0(r3) */
	{ 0xc8c30000, PT_VE500_MSR_FP, false, true },		/* lfd f6,0(r3) */
	{ 0x7c00007c, 0, false, true },				/* wait */
	{ 0x7ce31c86, 0, false, true },				/* lwdx r7,r3,r3 */
	{ 0x7c6ff3a6, 0, false, true },				/* mtspr DEVENT,r3 */
	{ 0x7c7302a6, 0, false, false },		/* an SPR that none has: 19 */
	{ 0x7c734aa6, 0, false, true },				/* mfspr r3,EPCR */
	{ 0x7c6082a6, 0, true, false },				/* mfspr r3,SPEFSCR: 512 */
	{ 0x60000000, 0, true, true },				/* nop */
};

START_TEST(instructions_are_the_cores)
{
	make((unsigned)_i);
	for (size_t i = 0; i < PT_LEN(forms); i++) {
		set_reg(PT_VE500_MSR, forms[i].msr);
		set_reg(3, 0x800);
		execute(forms[i].word);
		ck_assert_msg(refused() == ((facts[_i].spe ? forms[i].spe : forms[i].qoriq) ? 0 : ILLEGAL), "%08x",
			      forms[i].word);
		done();
		make((unsigned)_i);		/* awake */
	}
	execute(0x7c7f42a6);			/* mfspr r3,PVR */
	ck_assert_uint_eq(reg(3) & 0xffff0000, facts[_i].pvr);
	ck_assert_uint_eq(reg(PT_VE500_PVR) & 0xffff0000, facts[_i].pvr);
	done();
}
END_TEST

/* --- what only the later cores do */

static bool is_qoriq(int core)
{
	return !facts[core].spe;
}

static uint64_t event(unsigned n)
{
	return pt_ve500_events(rig.cpu)[n];
}

/* wait sleeps to an interrupt, in which its clock stands, and goes on behind itself. */
START_TEST(wait_is_left_by_an_interrupt)
{
	uint64_t cycles;

	if (!is_qoriq(_i))
		return;
	make((unsigned)_i);
	put(CODE + 4, LOOP);
	put(VECTORS + 4 * 16, 0x4c000064);			/* IVOR4, the external input: rfi */
	set_reg(PT_VE500_MSR, PT_VE500_MSR_EE);
	execute(0x7c00007c);
	ck_assert_int_eq(pt_ve500_state(rig.cpu), PT_VE500_DOZE);
	cycles = event(1);
	pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1000);
	ck_assert_uint_eq(event(1), cycles);
	ck_assert_uint_ge(pt_ve500_idle_cycles(rig.cpu), 1000);
	pt_ve500_set_external(rig.cpu, true);
	pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 1);
	pt_ve500_set_external(rig.cpu, false);
	pt_ve500_run(rig.cpu, pt_ve500_cycle(rig.cpu) + 20);
	ck_assert_int_eq(pt_ve500_state(rig.cpu), PT_VE500_RUN);
	ck_assert_uint_eq(pt_ve500_pc(rig.cpu), CODE + 4);
	ck_assert_uint_eq(event(87), 1);
	done();
}
END_TEST

/* Facts 2.2: FGCS1 freezes in guest state, FGCS0 out of it; an interrupt leaves guest state. */
START_TEST(guests_are_told_apart)
{
	static const uint8_t counts_in[] = { 3, 2, 1, 0 };	/* by FGCS1 FGCS0: bit 0 hypervisor, bit 1 guest */

	if (!is_qoriq(_i))
		return;
	for (unsigned fgcs = 0; fgcs < 4; fgcs++)
		for (unsigned guest = 0; guest < 2; guest++) {
			uint32_t value = 0;

			make((unsigned)_i);
			set_reg(PT_VE500_MSR, guest ? PT_VE500_MSR_GS : 0);
			ck_assert(pt_ve500_pm_write(&rig.pm, PMLCA0, 2 << 16 | fgcs));
			execute(0x60000000);
			ck_assert(pt_ve500_pm_read(&rig.pm, PMC0, &value));
			ck_assert_uint_eq(value, counts_in[fgcs] >> guest & 1);
			execute(0);				/* illegal */
			ck_assert_uint_eq(reg(PT_VE500_MSR) & PT_VE500_MSR_GS, 0);
			done();
		}
}
END_TEST

/* Bits 56 to 63 of what is written to DEVENT are the events 148 to 155. */
START_TEST(devent_counts_its_bits)
{
	if (!is_qoriq(_i))
		return;
	make((unsigned)_i);
	for (unsigned bit = 0; bit < 8; bit++) {
		set_reg(3, 0xff00 | 0x80u >> bit);
		execute(0x7c6ff3a6);				/* mtspr DEVENT,r3 */
		for (unsigned other = 0; other < 8; other++)
			ck_assert_uint_eq(event(148 + other), other <= bit);
	}
	done();
}
END_TEST

/* In each cycle an e6500 completes no, one or two micro-ops; together they are all cycles, and all micro-ops. */
START_TEST(cycles_are_of_three_kinds)
{
	static const uint32_t words[] = {	/* lwzu r4,4(r3); lwz r5,0(r3); lmw r28,0(r3); mulli r6,r5,3; nop */
		0x84830004, 0x80a30000, 0xbb830000, 0x1cc50003, 0x60000000,
	};

	make(PT_VE500_CORE_E6500);
	for (unsigned i = 0; i < 100; i++) {
		set_reg(3, 0x800 + 512 * (i % 9));
		execute(words[i % PT_LEN(words)]);
	}
	ck_assert_uint_eq(event(127) + event(128) + event(129), event(1));
	ck_assert_uint_eq(event(128) + 2 * event(129), event(3));
	ck_assert_uint_eq(event(129), 20);
	done();
}
END_TEST

/* --- the list in the manual */

/* "1-5, 8-13": as the manual says it. */
static void list_counted(unsigned core, char *text, size_t room)
{
	size_t len = 0;

	for (unsigned first = 1, last; first < PT_VE500_EVENTS; first = last + 1) {
		for (last = first; pt_ve500_pm_counts(core, first) && pt_ve500_pm_counts(core, last + 1);)
			last++;
		if (pt_ve500_pm_counts(core, first))
			len += (size_t)snprintf(text + len, room - len, first < last ? "%s%u-%u" : "%s%u",
						len > 0 ? ", " : "", first, last);
	}
}

/* Spaces and the ends of lines are one space. */
static void join_lines(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++)
		if (*from != ' ' && *from != '\n')
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	*to = '\0';
}

START_TEST(the_manual_says_what_it_counts)
{
	const char *srcdir = getenv("srcdir");
	static char page[100000];
	char path[512], list[400] = "", want[450];
	FILE *f;

	snprintf(path, sizeof(path), "%s/doc/e500.md", srcdir != NULL ? srcdir : ".");
	f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	page[fread(page, 1, sizeof(page) - 1, f)] = '\0';
	fclose(f);
	join_lines(page);
	list_counted((unsigned)_i, list, sizeof(list));
	snprintf(want, sizeof(want), " %s %s", pt_ve500_kinds[_i].name, list);
	ck_assert_msg(strstr(page, want) != NULL, "doc/e500.md lacks:%s", want);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("e500_kinds");
	TCase *tc = tcase_create("cores");

	tcase_add_loop_test(tc, pmrs_are_the_cores, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, control_registers_have_their_bits, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, instructions_are_the_cores, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, wait_is_left_by_an_interrupt, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, guests_are_told_apart, 0, PT_VE500_CORES);
	tcase_add_loop_test(tc, devent_counts_its_bits, 0, PT_VE500_CORES);
	tcase_add_test(tc, cycles_are_of_three_kinds);
	tcase_add_loop_test(tc, the_manual_says_what_it_counts, 0, PT_VE500_CORES);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
