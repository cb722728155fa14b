/* The virtual MicroBlaze by rows: a few words of code, registers before, registers after. The expectations are the
 * pairs and rules of UG984 2018.2 and binutils' microblaze-opc.h. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "probes/virtual/cpu/microblaze/microblaze.h"

enum { CODE = 0x100, RAM_BYTES = 0x1000, STAY = 0xb8000000u };	/* bri 0 */

#define A(op, d, a, b, fn) ((uint32_t)(op) << 26 | (d) << 21 | (a) << 16 | (b) << 11 | (fn))
#define B(op, d, a, imm) ((uint32_t)(op) << 26 | (d) << 21 | (a) << 16 | ((imm) & 0xffff))
#define IMM(high) (0xb0000000u | (high))
#define NOP 0x80000000u			/* or r0,r0,r0 */
#define SET(d, imm) B(0x0c, d, 0, imm)	/* addik rd,r0,imm */
#define MFS(d, sreg) (0x94008000u | (d) << 21 | (sreg))
#define MTS(sreg, a) (0x9400c000u | (a) << 16 | (sreg))
#define MSRSET(d, bits) (0x94100000u | (d) << 21 | (bits))
#define MSRCLR(d, bits) (0x94110000u | (d) << 21 | (bits))
#define CC (PT_VMB_CC | PT_VMB_C)

static uint8_t ram[RAM_BYTES];
static struct pt_vbus bus;
static struct pt_vmb *cpu;
static struct pt_vmb_options options;

static void put(uint32_t at, uint32_t word)
{
	const struct pt_vaccess access = { at, 4, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vbus_write(&bus, &access, word));
}

static uint32_t get(uint32_t at)
{
	const struct pt_vaccess access = { at, 4, PT_VMASTER_DEBUG, true };
	uint32_t word = 0;

	ck_assert(pt_vbus_read(&bus, &access, &word));
	return word;
}

static void make(bool big_endian)
{
	const struct pt_vregion region = { .base = 0, .size = RAM_BYTES, .bytes = ram };

	memset(ram, 0, sizeof(ram));
	bus = (struct pt_vbus){ .big_endian = big_endian };
	ck_assert(pt_vbus_add(&bus, &region));
	cpu = pt_vmb_new(&bus, &options);
	ck_assert_ptr_nonnull(cpu);
	pt_vmb_reset(cpu, true, false);
	for (uint32_t vector = 0; vector <= PT_VMB_EXCEPTION; vector += 8)
		put(vector, STAY);
	pt_vmb_set_reg(cpu, PT_VMB_PC, CODE);
}

static void code(const uint32_t *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++)
		put(CODE + 4 * (uint32_t)i, words[i]);
}

static void steps(uint64_t n)
{
	for (uint64_t end = pt_vmb_instructions(cpu) + n; pt_vmb_instructions(cpu) < end;)
		pt_vmb_run(cpu, pt_vmb_cycle(cpu) + 1);
}

/* --- one instruction with two operands: ra = a, rb = b, rd = d before; rd after, and MSR[C] before and after */

static const struct { const char *name; uint32_t op, a, b, d, want; bool c, want_c; } operations[] = {
	{ "add", A(0x00, 3, 4, 5, 0), 0xffffffff, 1, 0, 0, false, true },
	{ "rsub", A(0x01, 3, 4, 5, 0), 3, 5, 0, 2, false, true },
	{ "rsub borrows", A(0x01, 3, 4, 5, 0), 5, 3, 0, 0xfffffffe, true, false },
	{ "addc", A(0x02, 3, 4, 5, 0), 1, 2, 0, 4, true, false },
	{ "addc carries", A(0x02, 3, 4, 5, 0), 0xffffffff, 0, 0, 0, true, true },
	{ "rsubc", A(0x03, 3, 4, 5, 0), 3, 5, 0, 1, false, true },
	{ "addk", A(0x04, 3, 4, 5, 0), 0xffffffff, 1, 0, 0, false, false },
	{ "rsubk", A(0x05, 3, 4, 5, 0), 3, 5, 0, 2, false, false },
	{ "addkc", A(0x06, 3, 4, 5, 0), 0xffffffff, 1, 0, 1, true, true },
	{ "rsubkc", A(0x07, 3, 4, 5, 0), 3, 5, 0, 1, false, false },
	{ "addi", B(0x08, 3, 4, -1), 1, 0, 0, 0, false, true },
	{ "rsubi", B(0x09, 3, 4, 5), 3, 0, 0, 2, false, true },
	{ "addic", B(0x0a, 3, 4, 5), 3, 0, 0, 9, true, false },
	{ "addik", B(0x0c, 3, 4, 0x8000), 0, 0, 0, 0xffff8000, true, true },
	{ "rsubik", B(0x0d, 3, 4, 1), 3, 0, 0, 0xfffffffe, true, true },
	{ "cmp", A(0x05, 3, 4, 5, 1), 0x7fffffff, 0x80000000, 0, 0x80000001, false, false },
	{ "cmp less", A(0x05, 3, 4, 5, 1), 0x80000000, 0x7fffffff, 0, 0x7fffffff, false, false },
	{ "cmpu", A(0x05, 3, 4, 5, 3), 0x80000000, 0x7fffffff, 0, 0xffffffff, false, false },
	{ "cmpu less", A(0x05, 3, 4, 5, 3), 1, 0x80000000, 0, 0x7fffffff, false, false },
	{ "mul", A(0x10, 3, 4, 5, 0), 0xffffffff, 3, 0, 0xfffffffd, false, false },
	{ "mulh", A(0x10, 3, 4, 5, 1), 0xffffffff, 2, 0, 0xffffffff, false, false },
	{ "mulhsu", A(0x10, 3, 4, 5, 2), 0xffffffff, 0xffffffff, 0, 0xffffffff, false, false },
	{ "mulhu", A(0x10, 3, 4, 5, 3), 0xffffffff, 0xffffffff, 0, 0xfffffffe, false, false },
	{ "muli", B(0x18, 3, 4, -2), 7, 0, 0, 0xfffffff2, false, false },
	{ "idiv", A(0x12, 3, 4, 5, 0), 0xfffffffe, 7, 0, 0xfffffffd, false, false },
	{ "idivu", A(0x12, 3, 4, 5, 2), 2, 0xfffffffe, 0, 0x7fffffff, false, false },
	{ "idiv by 0", A(0x12, 3, 4, 5, 0), 0, 7, 1, 0, false, false },
	{ "idiv overflow", A(0x12, 3, 4, 5, 0), 0xffffffff, 0x80000000, 0, 0x80000000, false, false },
	{ "or", A(0x20, 3, 4, 5, 0), 0xf0, 0x0f, 0, 0xff, false, false },
	{ "ori", B(0x28, 3, 4, 0x8000), 1, 0, 0, 0xffff8001, false, false },
	{ "and", A(0x21, 3, 4, 5, 0), 0xfc, 0x3f, 0, 0x3c, false, false },
	{ "andi extends", B(0x29, 3, 4, 0x8000), 0x12348765, 0, 0, 0x12348000, false, false },
	{ "xor", A(0x22, 3, 4, 5, 0), 0xff, 0x0f, 0, 0xf0, false, false },
	{ "andn", A(0x23, 3, 4, 5, 0), 0xff, 0x0f, 0, 0xf0, false, false },
	{ "pcmpbf", A(0x20, 3, 4, 5, 0x400), 0x11223344, 0x99223399, 0, 2, false, false },
	{ "pcmpbf none", A(0x20, 3, 4, 5, 0x400), 0x11223344, 0x55667788, 9, 0, false, false },
	{ "pcmpeq", A(0x22, 3, 4, 5, 0x400), 7, 7, 0, 1, false, false },
	{ "pcmpne", A(0x23, 3, 4, 5, 0x400), 7, 7, 5, 0, false, false },
	{ "sra", A(0x24, 3, 4, 0, 0x01), 0x80000001, 0, 0, 0xc0000000, false, true },
	{ "src", A(0x24, 3, 4, 0, 0x21), 0x80000002, 0, 0, 0xc0000001, true, false },
	{ "srl", A(0x24, 3, 4, 0, 0x41), 0x80000001, 0, 0, 0x40000000, false, true },
	{ "sext8", A(0x24, 3, 4, 0, 0x60), 0x180, 0, 0, 0xffffff80, false, false },
	{ "sext16", A(0x24, 3, 4, 0, 0x61), 0x18000, 0, 0, 0xffff8000, false, false },
	{ "clz", A(0x24, 3, 4, 0, 0xe0), 0x00010000, 0, 0, 15, false, false },
	{ "clz of 0", A(0x24, 3, 4, 0, 0xe0), 0, 0, 0, 32, false, false },
	{ "swapb", A(0x24, 3, 4, 0, 0x1e0), 0x11223344, 0, 0, 0x44332211, false, false },
	{ "swaph", A(0x24, 3, 4, 0, 0x1e2), 0x11223344, 0, 0, 0x33441122, false, false },
	{ "bsll", A(0x11, 3, 4, 5, 0x400), 1, 35, 0, 8, false, false },
	{ "bsra", A(0x11, 3, 4, 5, 0x200), 0x80000000, 4, 0, 0xf8000000, false, false },
	{ "bsrl", A(0x11, 3, 4, 5, 0), 0x80000000, 4, 0, 0x08000000, false, false },
	{ "bslli", B(0x19, 3, 4, 0x400 | 31), 1, 0, 0, 0x80000000, false, false },
	{ "bsrai", B(0x19, 3, 4, 0x200 | 31), 0x80000000, 0, 0, 0xffffffff, false, false },
	{ "bsrli", B(0x19, 3, 4, 31), 0x80000000, 0, 0, 1, false, false },
	{ "bsefi", B(0x19, 3, 4, 0x4000 | 8 << 6 | 4), 0x00000ab5, 0, 0, 0xab, false, false },
	{ "bsifi", B(0x19, 3, 4, 0x8000 | 11 << 6 | 4), 0xcd, 0, 0xffffffff, 0xfffffcdf, false, false },
	{ "mfs rmsr", MFS(3, 1), 0, 0, 0, CC, true, true },
	{ "mfs rpc", MFS(3, 0), 0, 0, 0, CODE, false, false },
	{ "msrset gives the old", MSRSET(3, PT_VMB_C), 0, 0, 1, 0, false, true },
	{ "msrclr gives the old", MSRCLR(3, PT_VMB_C), 0, 0, 1, CC, true, false },
	{ "mts rmsr", MTS(1, 4), PT_VMB_C, 0, 5, 5, false, true },
};

START_TEST(an_operation_gives)
{
	options = pt_vmb_full_options;
	options.pvr = 0;	/* MSR without PVR */
	make(true);
	pt_vmb_set_reg(cpu, 3, operations[_i].d);
	pt_vmb_set_reg(cpu, 4, operations[_i].a);
	pt_vmb_set_reg(cpu, 5, operations[_i].b);
	pt_vmb_set_reg(cpu, PT_VMB_MSR, operations[_i].c ? PT_VMB_C : 0);
	code(&operations[_i].op, 1);
	steps(1);
	ck_assert_msg(pt_vmb_reg(cpu, 3) == operations[_i].want, "%s: 0x%08x, not 0x%08x", operations[_i].name,
		      pt_vmb_reg(cpu, 3), operations[_i].want);
	ck_assert_msg(((pt_vmb_reg(cpu, PT_VMB_MSR) & PT_VMB_C) != 0) == operations[_i].want_c, "%s: carry",
		      operations[_i].name);
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_PC) == CODE + 4, "%s: pc 0x%x", operations[_i].name,
		      pt_vmb_reg(cpu, PT_VMB_PC));
	pt_vmb_free(cpu);
}
END_TEST

/* --- programs: run n instructions, then r3, r4, r15 and the pc */

static const struct program {
	const char *name;
	uint32_t words[10];
	unsigned n;
	uint32_t r3, r4, r15, pc;
} programs[] = {
	{ "imm prefixes one", { IMM(0x1234), SET(3, 0x8678), SET(4, 0x8678) }, 3, 0x12348678, 0xffff8678, 0,
	  CODE + 12 },
	{ "imm is for type B alone", { IMM(0x1234), A(0x04, 3, 0, 0, 0), SET(4, 1) }, 3, 0, 1, 0, CODE + 12 },
	{ "r0 stays 0", { SET(0, 5), A(0x04, 3, 0, 0, 0) }, 2, 0, 0, 0, CODE + 8 },
	{ "bri", { B(0x2e, 0, 0, 12), SET(3, 1), SET(4, 1), NOP }, 1, 0, 0, 0, CODE + 12 },
	{ "brid does its slot", { B(0x2e, 0, 0x10, 12), SET(3, 1), SET(4, 1), NOP }, 2, 1, 0, 0, CODE + 12 },
	{ "brlid links to itself", { B(0x2e, 15, 0x14, 12), SET(3, 1), SET(4, 1), NOP }, 2, 1, 0, CODE, CODE + 12 },
	{ "bralid", { B(0x2e, 15, 0x1c, 0x200), SET(3, 1) }, 2, 1, 0, CODE, 0x200 },
	{ "brald", { SET(4, 0x200), A(0x26, 15, 0x1c, 4, 0), SET(3, 1) }, 3, 1, 0x200, CODE + 4, 0x200 },
	{ "brad", { SET(4, 0x200), A(0x26, 0, 0x18, 4, 0), SET(3, 1) }, 3, 1, 0x200, 0, 0x200 },
	{ "brd", { SET(4, 0x80), A(0x26, 0, 0x10, 4, 0), SET(3, 1) }, 3, 1, 0x80, 0, CODE + 0x84 },
	{ "br", { SET(4, 0x80), A(0x26, 0, 0x00, 4, 0), SET(3, 1) }, 2, 0, 0x80, 0, CODE + 0x84 },
	{ "brld", { SET(4, 0x80), A(0x26, 15, 0x14, 4, 0), SET(3, 1) }, 3, 1, 0x80, CODE + 4, CODE + 0x84 },
	{ "a far call", { IMM(0), B(0x2e, 15, 0x14, 0x400), SET(3, 1) }, 3, 1, 0, CODE + 4, CODE + 0x404 },
	{ "rtsd", { SET(15, 0x200), B(0x2d, 0x10, 15, 8), SET(3, 1) }, 3, 1, 0, 0x200, 0x208 },
	{ "beqi taken", { B(0x2f, 0, 0, 12), SET(3, 1) }, 1, 0, 0, 0, CODE + 12 },
	{ "bneid not taken", { B(0x2f, 0x11, 0, 12), SET(3, 1), SET(4, 2) }, 3, 1, 2, 0, CODE + 12 },
	{ "bltid", { SET(4, -1), B(0x2f, 0x12, 4, 12), SET(3, 1) }, 3, 1, 0xffffffff, 0, CODE + 16 },
	{ "blei", { SET(4, 1), B(0x2f, 3, 4, 12), SET(3, 1) }, 3, 1, 1, 0, CODE + 12 },
	{ "bgti", { SET(4, 1), B(0x2f, 4, 4, 12), SET(3, 1) }, 2, 0, 1, 0, CODE + 16 },
	{ "bgeid", { SET(4, 0), B(0x2f, 0x15, 4, 12), SET(3, 1) }, 3, 1, 0, 0, CODE + 16 },
	{ "beqd of a register", { SET(4, 0x40), A(0x27, 0x10, 0, 4, 0), SET(3, 1) }, 3, 1, 0x40, 0, CODE + 0x44 },
	{ "stores and loads", { SET(4, 0x123), B(0x3e, 4, 0, 0x800), B(0x3a, 3, 0, 0x800) }, 3, 0x123, 0x123, 0,
	  CODE + 12 },
	{ "lwx, swx", { A(0x32, 4, 0, 0, 0x400), A(0x36, 0, 0, 0, 0x400), MFS(3, 1) }, 3, 0, STAY, 0, CODE + 12 },
	{ "swx without lwx", { A(0x36, 0, 0, 0, 0x400), MFS(3, 1) }, 2, CC, 0, 0, CODE + 8 },
	{ "mbar passes", { 0xb8020004, SET(3, 1) }, 2, 1, 0, 0, CODE + 8 },
	{ "wic, wdc", { A(0x24, 0, 0, 0, 0x68), A(0x24, 0, 0, 0, 0x64), SET(3, 1) }, 3, 1, 0, 0, CODE + 12 },
};

START_TEST(a_program_leads)
{
	const struct program *p = &programs[_i % PT_LEN(programs)];

	options = pt_vmb_full_options;
	options.pvr = 0;
	make((size_t)_i >= PT_LEN(programs));
	code(p->words, PT_LEN(p->words));
	steps(p->n);
	ck_assert_msg(pt_vmb_reg(cpu, 3) == p->r3, "%s: r3 0x%x", p->name, pt_vmb_reg(cpu, 3));
	ck_assert_msg(pt_vmb_reg(cpu, 4) == p->r4, "%s: r4 0x%x", p->name, pt_vmb_reg(cpu, 4));
	ck_assert_msg(pt_vmb_reg(cpu, 15) == p->r15, "%s: r15 0x%x", p->name, pt_vmb_reg(cpu, 15));
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_PC) == p->pc, "%s: pc 0x%x", p->name, pt_vmb_reg(cpu, PT_VMB_PC));
	pt_vmb_free(cpu);
}
END_TEST

/* --- bytes */

/* The word 11223344 at 0x800, read by every load from every place in it. */
/* little, big */
static const struct { const char *name; uint32_t op; uint32_t at[2][4]; unsigned size; } loads[] = {
	{ "lbu", A(0x30, 3, 4, 0, 0), { { 0x44, 0x33, 0x22, 0x11 }, { 0x11, 0x22, 0x33, 0x44 } }, 1 },
	{ "lhu", A(0x31, 3, 4, 0, 0), { { 0x3344, 0, 0x1122, 0 }, { 0x1122, 0, 0x3344, 0 } }, 2 },
	{ "lw", A(0x32, 3, 4, 0, 0), { { 0x11223344 }, { 0x11223344 } }, 4 },
	{ "lbur", A(0x30, 3, 4, 0, 0x200), { { 0x11, 0x22, 0x33, 0x44 }, { 0x44, 0x33, 0x22, 0x11 } }, 1 },
	{ "lhur", A(0x31, 3, 4, 0, 0x200), { { 0x2211, 0, 0x4433, 0 }, { 0x4433, 0, 0x2211, 0 } }, 2 },
	{ "lwr", A(0x32, 3, 4, 0, 0x200), { { 0x44332211 }, { 0x44332211 } }, 4 },
};

START_TEST(a_load_sees)
{
	bool big = (_i & 1) != 0;
	size_t row = (size_t)_i / 2;

	options = pt_vmb_full_options;
	make(big);
	put(0x800, 0x11223344);
	code(&loads[row].op, 1);
	for (uint32_t at = 0; at < 4; at += loads[row].size) {
		pt_vmb_set_reg(cpu, PT_VMB_PC, CODE);
		pt_vmb_set_reg(cpu, 4, 0x800 + at);
		steps(1);
		ck_assert_msg(pt_vmb_reg(cpu, 3) == loads[row].at[big][at], "%s +%u %s: 0x%x", loads[row].name, at,
			      big ? "big" : "little", pt_vmb_reg(cpu, 3));
	}
	pt_vmb_free(cpu);
}
END_TEST

static const struct { const char *name; uint32_t op, want[2]; } stores[] = {	/* 11223344 to place 0: little, big */
	{ "sb", A(0x34, 3, 4, 0, 0), { 0x44, 0x44000000 } },
	{ "sh", A(0x35, 3, 4, 0, 0), { 0x3344, 0x33440000 } },
	{ "sw", A(0x36, 3, 4, 0, 0), { 0x11223344, 0x11223344 } },
	{ "sbr", A(0x34, 3, 4, 0, 0x200), { 0x44000000, 0x44 } },
	{ "shr", A(0x35, 3, 4, 0, 0x200), { 0x44330000, 0x4433 } },
	{ "swr", A(0x36, 3, 4, 0, 0x200), { 0x44332211, 0x44332211 } },
};

START_TEST(a_store_leaves)
{
	bool big = (_i & 1) != 0;
	size_t row = (size_t)_i / 2;

	options = pt_vmb_full_options;
	make(big);
	code(&stores[row].op, 1);
	pt_vmb_set_reg(cpu, 3, 0x11223344);
	pt_vmb_set_reg(cpu, 4, 0x800);
	steps(1);
	ck_assert_msg(get(0x800) == stores[row].want[big], "%s: 0x%x", stores[row].name, get(0x800));
	pt_vmb_free(cpu);
}
END_TEST

/* --- exceptions, with MSR[EE] */

static const struct { const char *name; uint32_t words[3]; unsigned n; uint32_t esr, r17, ear, btr; } exceptions[] = {
	{ "unaligned lwi", { B(0x3a, 3, 0, 0x801) }, 1, 0x861, CODE + 4, 0x801, 0 },
	{ "unaligned sh", { SET(3, 0x803), A(0x35, 7, 3, 0, 0) }, 2, 0x4e1, CODE + 8, 0x803, 0 },
	{ "illegal", { 0xffffffff }, 1, 2, CODE + 4, 0, 0 },
	{ "zero", { 0 }, 1, 2, CODE + 4, 0, 0 },
	{ "get", { A(0x1b, 3, 0, 0, 0) }, 1, 2, CODE + 4, 0, 0 },
	{ "fadd", { A(0x16, 3, 0, 0, 0) }, 1, 2, CODE + 4, 0, 0 },
	{ "load from nowhere", { B(0x3a, 3, 0, 0x2000) }, 1, 4, CODE + 4, 0x2000, 0 },
	{ "divide by 0", { A(0x12, 3, 0, 4, 0) }, 1, 5, CODE + 4, 0, 0 },
	{ "illegal in a slot", { B(0x2e, 0, 0x10, 12), 0xffffffff }, 2, 0x1002, CODE + 8, 0, CODE + 12 },
	{ "branch in a slot", { B(0x2e, 0, 0x10, 12), STAY }, 2, 0x1002, CODE + 8, 0, CODE + 12 },
	{ "imm in a slot", { B(0x2e, 0, 0x10, 12), IMM(1) }, 2, 0x1002, CODE + 8, 0, CODE + 12 },
	{ "slot of one not taken", { B(0x2f, 0x11, 0, 12), 0xffffffff }, 2, 0x1002, CODE + 8, 0, CODE + 8 },
};

START_TEST(an_exception_says)
{
	options = pt_vmb_full_options;
	make(true);
	pt_vmb_set_reg(cpu, PT_VMB_MSR, PT_VMB_EE);
	code(exceptions[_i].words, PT_LEN(exceptions[_i].words));
	steps(exceptions[_i].n);
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_PC) == PT_VMB_EXCEPTION, "%s: pc", exceptions[_i].name);
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_ESR) == exceptions[_i].esr, "%s: ESR 0x%x", exceptions[_i].name,
		      pt_vmb_reg(cpu, PT_VMB_ESR));
	ck_assert_msg(pt_vmb_reg(cpu, 17) == exceptions[_i].r17, "%s: r17", exceptions[_i].name);
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_EAR) == exceptions[_i].ear, "%s: EAR", exceptions[_i].name);
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_BTR) == exceptions[_i].btr, "%s: BTR", exceptions[_i].name);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & (PT_VMB_EE | PT_VMB_EIP), PT_VMB_EIP);
	pt_vmb_free(cpu);
}
END_TEST

/* rted puts EE back and ends the exception. */
START_TEST(exceptions_return)
{
	const uint32_t words[] = { 0xffffffff, SET(3, 1) };

	options = pt_vmb_full_options;
	make(true);
	put(PT_VMB_EXCEPTION, B(0x2d, 0x14, 17, 0));
	put(PT_VMB_EXCEPTION + 4, NOP);
	pt_vmb_set_reg(cpu, PT_VMB_MSR, PT_VMB_EE);
	code(words, PT_LEN(words));
	steps(4);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 3), 1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & (PT_VMB_EE | PT_VMB_EIP), PT_VMB_EE);
	pt_vmb_free(cpu);
}
END_TEST

START_TEST(what_is_switched_off_goes_on)
{
	const uint32_t words[] = { 0xffffffff, B(0x3a, 3, 0, 0x801), A(0x12, 4, 0, 3, 0) };

	options = pt_vmb_full_options;
	make(true);
	put(0x800, 0x11223344);
	code(words, PT_LEN(words));
	steps(3);	/* MSR[EE] is 0 */
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), CODE + 12);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 3), 0x11223344);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & PT_VMB_DZO, PT_VMB_DZO);
	pt_vmb_free(cpu);
}
END_TEST

/* A stack pointer outside of SLR to SHR. */
START_TEST(the_stack_is_guarded)
{
	const uint32_t words[] = { SET(1, 0x700), B(0x3e, 3, 1, 0), B(0x3e, 3, 1, -4) };

	options = pt_vmb_full_options;
	options.use_stack_protection = true;
	make(true);
	pt_vmb_set_reg(cpu, PT_VMB_SLR, 0x700);
	pt_vmb_set_reg(cpu, PT_VMB_SHR, 0x7ff);
	pt_vmb_set_reg(cpu, PT_VMB_MSR, PT_VMB_EE);
	code(words, PT_LEN(words));
	steps(2);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), CODE + 8);
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), PT_VMB_EXCEPTION);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_ESR), PT_VMB_EC_PRIVILEGED);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_EAR), 0x6fc);
	pt_vmb_free(cpu);
}
END_TEST

/* --- interrupts and breaks */

START_TEST(an_interrupt_waits_for_imm_and_slot)
{
	const uint32_t words[] = { MSRSET(0, PT_VMB_IE), IMM(1), SET(3, 2), B(0x2e, 0, 0x10, 8), SET(4, 5), NOP };

	options = pt_vmb_full_options;
	make(true);
	code(words, PT_LEN(words));
	steps(2);
	pt_vmb_interrupt(cpu, true);	/* between imm and what it prefixes */
	steps(2);			/* it, and the branch to itself at the vector */
	ck_assert_uint_eq(pt_vmb_reg(cpu, 3), 0x10002);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), PT_VMB_INTERRUPT);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 14), CODE + 12);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & PT_VMB_IE, 0);
	pt_vmb_interrupt(cpu, false);
	put(PT_VMB_INTERRUPT, B(0x2d, 0x11, 14, 0));	/* rtid */
	put(PT_VMB_INTERRUPT + 4, NOP);
	steps(3);			/* and the branch */
	pt_vmb_interrupt(cpu, true);
	steps(2);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 4), 5);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 14), CODE + 20);
	pt_vmb_free(cpu);
}
END_TEST

START_TEST(breaks_are_taken)
{
	const uint32_t words[] = { NOP, B(0x2e, 16, 0x0c, 0x8) };

	options = pt_vmb_full_options;
	make(true);
	put(PT_VMB_BREAK, B(0x2d, 0x12, 16, 0));	/* rtbd */
	put(PT_VMB_BREAK + 4, NOP);
	code(words, PT_LEN(words));
	pt_vmb_break(cpu, true);
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 16), CODE);
	pt_vmb_break(cpu, false);
	steps(2);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & PT_VMB_BIP, 0);
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), 8);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 16), CODE + 4);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & PT_VMB_BIP, PT_VMB_BIP);
	pt_vmb_nm_break(cpu);				/* in a break, too */
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), PT_VMB_BREAK + 4);
	pt_vmb_free(cpu);
}
END_TEST

/* brki rD,0x18 leaves BIP as it was, and is a break like any other without debug. */
START_TEST(the_debuggers_break_leaves_bip)
{
	const uint32_t word = 0xba0c0018;

	options = pt_vmb_full_options;
	options.debug_enabled = _i == 0 ? 2 : 0;
	make(true);
	code(&word, 1);
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), PT_VMB_BREAK);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 16), CODE);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & PT_VMB_BIP, _i == 0 ? 0 : PT_VMB_BIP);
	pt_vmb_free(cpu);
}
END_TEST

START_TEST(user_mode_is_kept_out)
{
	const uint32_t words[] = { MTS(1, 3) };

	options = pt_vmb_full_options;
	options.use_mmu_privileges = true;
	make(true);
	pt_vmb_set_reg(cpu, PT_VMB_MSR, PT_VMB_EE | PT_VMB_UM);
	code(words, PT_LEN(words));
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_ESR), PT_VMB_EC_PRIVILEGED);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_MSR) & (PT_VMB_UM | PT_VMB_UMS), PT_VMB_UMS);
	pt_vmb_free(cpu);
}
END_TEST

/* --- units that are not there */

static const struct { const char *name; uint32_t op; size_t option; } optional[] = {
	{ "bsll", A(0x11, 3, 4, 5, 0x400), offsetof(struct pt_vmb_options, use_barrel) },
	{ "bsrli", B(0x19, 3, 4, 1), offsetof(struct pt_vmb_options, use_barrel) },
	{ "bsefi", B(0x19, 3, 4, 0x4041), offsetof(struct pt_vmb_options, use_barrel) },
	{ "mul", A(0x10, 3, 4, 5, 0), offsetof(struct pt_vmb_options, use_hw_mul) },
	{ "idiv", A(0x12, 3, 4, 5, 0), offsetof(struct pt_vmb_options, use_div) },
	{ "pcmpeq", A(0x22, 3, 4, 5, 0x400), offsetof(struct pt_vmb_options, use_pcmp) },
	{ "clz", A(0x24, 3, 4, 0, 0xe0), offsetof(struct pt_vmb_options, use_pcmp) },
	{ "swapb", A(0x24, 3, 4, 0, 0x1e0), offsetof(struct pt_vmb_options, use_reorder) },
	{ "lwr", A(0x32, 3, 4, 0, 0x200), offsetof(struct pt_vmb_options, use_reorder) },
	{ "msrset", MSRSET(3, 4), offsetof(struct pt_vmb_options, use_msr_instr) },
};

START_TEST(a_unit_that_is_missing_is_illegal)
{
	options = pt_vmb_full_options;
	memset((char *)&options + optional[_i].option, 0, 1);
	make(true);
	pt_vmb_set_reg(cpu, PT_VMB_MSR, PT_VMB_EE);
	code(&optional[_i].op, 1);
	steps(1);
	ck_assert_msg(pt_vmb_reg(cpu, PT_VMB_ESR) == PT_VMB_EC_ILLEGAL, "%s", optional[_i].name);
	pt_vmb_free(cpu);
}
END_TEST

/* --- time, debug and what is told */

START_TEST(cycles_are_those_of_the_table)
{
	const uint32_t words[] = { NOP, B(0x2e, 0, 0, 8), NOP, B(0x2e, 0, 0x10, 8), NOP, A(0x12, 3, 3, 4, 0), NOP };

	options = pt_vmb_full_options;
	options.timing.taken = 5;
	options.timing.taken_with_slot = 4;
	options.timing.divide = 20;
	make(true);
	code(words, PT_LEN(words));
	pt_vmb_set_reg(cpu, 3, 1);
	steps(5);
	ck_assert_uint_eq(pt_vmb_cycle(cpu), 1 + 5 + 4 + 1 + 20);
	pt_vmb_free(cpu);
}
END_TEST

static char told[256];

static void on_insn(void *arg, uint32_t pc)
{
	(void)arg;
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%x ", pc);
}

static void on_jump(void *arg, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	(void)arg, (void)detail;
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%d:%x>%x ", how, from, to);
}

static void on_cond(void *arg, uint32_t from, bool taken, uint32_t to)
{
	(void)arg, (void)to;
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%x%c ", from, taken ? '+' : '-');
}

START_TEST(taps_are_told_in_order)
{
	const uint32_t words[] = { B(0x2f, 0x10, 0, 12), NOP, NOP, B(0x2f, 1, 0, 8), B(0x2e, 15, 0x14, 8), NOP,
				   B(0x2d, 0x10, 15, 0), NOP };
	struct pt_vobserver observer = { .insn = on_insn, .jump = on_jump, .cond = on_cond };
	char want[256];

	options = pt_vmb_full_options;
	make(true);
	code(words, PT_LEN(words));
	told[0] = '\0';
	pt_vmb_add_observer(cpu, &observer);
	steps(7);
	snprintf(want, sizeof(want), "100 100+ 104 %d:100>10c 10c 10c- 110 114 %d:110>118 118 11c %d:118>110 ",
		 PT_VJUMP_BRANCH, PT_VJUMP_CALL, PT_VJUMP_RETURN);
	ck_assert_str_eq(told, want);
	pt_vmb_remove_observer(cpu, &observer);
	pt_vmb_free(cpu);
}
END_TEST

/* One step: imm with what it prefixes; a branch with its slot, unless it is QEMU's habit. */
START_TEST(a_step_is)
{
	const uint32_t words[] = { IMM(1), SET(3, 2), B(0x2e, 0, 0x10, 8), SET(4, 5), NOP };

	options = pt_vmb_full_options;
	options.step_into_slot = _i == 1;
	make(true);
	code(words, PT_LEN(words));
	pt_vmb_request_halt(cpu, PT_VMB_HALT_STOP);
	pt_vmb_run(cpu, 10);
	ck_assert_int_eq(pt_vmb_state(cpu), PT_VMB_HALT);
	ck_assert_uint_eq(pt_vmb_instructions(cpu), 0);
	pt_vmb_resume(cpu, true);
	pt_vmb_run(cpu, 100);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), CODE + 8);
	pt_vmb_resume(cpu, true);
	pt_vmb_run(cpu, 200);
	ck_assert_int_eq(pt_vmb_state(cpu), PT_VMB_HALT);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), _i == 1 ? CODE + 12 : CODE + 16);
	pt_vmb_resume(cpu, true);
	pt_vmb_run(cpu, 300);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), _i == 1 ? CODE + 16 : CODE + 20);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 4), 5);
	pt_vmb_free(cpu);
}
END_TEST

START_TEST(breakpoints_halt_before)
{
	const uint32_t words[] = { NOP, NOP, NOP, B(0x2e, 0, 0, -8) };

	options = pt_vmb_full_options;
	make(true);
	code(words, PT_LEN(words));
	pt_vmb_set_breakpoint(cpu, 3, true, CODE + 8);
	pt_vmb_run(cpu, 100);
	ck_assert_int_eq(pt_vmb_state(cpu), PT_VMB_HALT);
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PC), CODE + 8);
	ck_assert_uint_eq(pt_vmb_instructions(cpu), 2);
	pt_vmb_resume(cpu, false);
	pt_vmb_run(cpu, 200);
	ck_assert_uint_eq(pt_vmb_instructions(cpu), 5);	/* round the loop and there again */
	pt_vmb_set_breakpoint(cpu, 3, false, CODE + 8);
	pt_vmb_resume(cpu, false);
	pt_vmb_run(cpu, 300);
	ck_assert_int_eq(pt_vmb_state(cpu), PT_VMB_RUN);
	pt_vmb_free(cpu);
}
END_TEST

START_TEST(a_sleeping_core_wakes)
{
	const uint32_t words[] = { 0xba020004, SET(3, 1), NOP };	/* mbar 16 */

	options = pt_vmb_full_options;
	make(true);
	code(words, PT_LEN(words));
	pt_vmb_run(cpu, 1000);
	ck_assert_int_eq(pt_vmb_state(cpu), PT_VMB_SLEEP);
	ck_assert_uint_eq(pt_vmb_sleep_cycles(cpu), 999);
	ck_assert_uint_eq(pt_vmb_instructions(cpu), 1);
	pt_vmb_interrupt(cpu, true);
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 3), 1);
	pt_vmb_free(cpu);
}
END_TEST

START_TEST(code_that_changes_is_decoded_again)
{
	const uint32_t words[] = { SET(3, 1), B(0x3e, 5, 0, CODE), B(0x2e, 0, 0, -8) };

	options = pt_vmb_full_options;
	make(true);
	code(words, PT_LEN(words));
	pt_vmb_set_reg(cpu, 5, SET(3, 7));
	steps(4);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 3), 7);
	put(CODE + 4, SET(4, 9));	/* the debugger's */
	steps(1);
	ck_assert_uint_eq(pt_vmb_reg(cpu, 4), 9);
	pt_vmb_free(cpu);
}
END_TEST

static const struct { const char *name; unsigned level, n; uint32_t want; } pvrs[] = {
	{ "none", 0, 0, 0 }, { "basic", 1, 0, 0x742428a5 }, { "basic has no other", 1, 1, 0 },
	{ "full", 2, 0, 0xf42428a5 },
	{ "user 2", 2, 1, 0xcafe }, { "vectors", 2, 12, 0 },
};

START_TEST(pvrs_say)
{
	const uint32_t word = MFS(3, 0x2000 + pvrs[_i].n);

	options = pt_vmb_full_options;
	options.pvr = (uint8_t)pvrs[_i].level;
	options.pvr_user1 = 0xa5;
	options.pvr_user2 = 0xcafe;
	make(false);
	code(&word, 1);
	steps(1);
	ck_assert_msg(pt_vmb_reg(cpu, 3) == pvrs[_i].want, "%s: 0x%x", pvrs[_i].name, pt_vmb_reg(cpu, 3));
	ck_assert_uint_eq(pt_vmb_reg(cpu, PT_VMB_PVR0 + pvrs[_i].n), pvrs[_i].want);
	pt_vmb_free(cpu);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("microblaze_cpu");
	TCase *tc = tcase_create("core");

	tcase_add_loop_test(tc, an_operation_gives, 0, PT_LEN(operations));
	tcase_add_loop_test(tc, a_program_leads, 0, 2 * PT_LEN(programs));
	tcase_add_loop_test(tc, a_load_sees, 0, 2 * PT_LEN(loads));
	tcase_add_loop_test(tc, a_store_leaves, 0, 2 * PT_LEN(stores));
	tcase_add_loop_test(tc, an_exception_says, 0, PT_LEN(exceptions));
	tcase_add_test(tc, exceptions_return);
	tcase_add_test(tc, what_is_switched_off_goes_on);
	tcase_add_test(tc, the_stack_is_guarded);
	tcase_add_test(tc, an_interrupt_waits_for_imm_and_slot);
	tcase_add_test(tc, breaks_are_taken);
	tcase_add_loop_test(tc, the_debuggers_break_leaves_bip, 0, 2);
	tcase_add_test(tc, user_mode_is_kept_out);
	tcase_add_loop_test(tc, a_unit_that_is_missing_is_illegal, 0, PT_LEN(optional));
	tcase_add_test(tc, cycles_are_those_of_the_table);
	tcase_add_test(tc, taps_are_told_in_order);
	tcase_add_loop_test(tc, a_step_is, 0, 2);
	tcase_add_test(tc, breakpoints_halt_before);
	tcase_add_test(tc, a_sleeping_core_wakes);
	tcase_add_test(tc, code_that_changes_is_decoded_again);
	tcase_add_loop_test(tc, pvrs_say, 0, PT_LEN(pvrs));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
