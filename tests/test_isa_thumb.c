/* Thumb for following code: hand-assembled rows, and every first halfword against capstone where it is there. */
#include "config.h"

#include "harness.h"
#include "isa/isa.h"

#ifdef HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#define AT 0x1000u
#define NONE PT_UNKNOWN

static const struct {
	const char *text;
	uint16_t op, op2;
	unsigned len, flow, cycles, taken;
	uint64_t target;
} cases[] = {
	{ "movs r0, #0",	0x2000, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "adds r0, r0, r1",	0x1840, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "muls r0, r1",	0x4348, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "mov r8, r0",		0x4680, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "cmp pc, r0",		0x4587, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "add pc, r0",		0x4487, 0, 2, PT_FLOW_INDIRECT, 2, 2, NONE },
	{ "mov pc, r0",		0x4687, 0, 2, PT_FLOW_INDIRECT, 2, 2, NONE },
	{ "mov pc, lr",		0x46f7, 0, 2, PT_FLOW_RETURN, 2, 2, NONE },
	{ "bx lr",		0x4770, 0, 2, PT_FLOW_RETURN, 2, 2, NONE },
	{ "bx r3",		0x4718, 0, 2, PT_FLOW_INDIRECT, 2, 2, NONE },
	{ "blx r3",		0x4798, 0, 2, PT_FLOW_INDIRECT_CALL, 2, 2, NONE },
	{ "ldr r0, [pc, #4]",	0x4801, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "str r0, [r1, r2]",	0x5088, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "ldrb r0, [r1]",	0x7808, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "ldrh r0, [r1]",	0x8808, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "ldr r0, [sp]",	0x9800, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "add r0, pc, #4",	0xa001, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "push {r4, r5, lr}",	0xb530, 0, 2, PT_FLOW_NEXT, 4, 4, NONE },
	{ "push {r4}",		0xb410, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "pop {r4, r5}",	0xbc30, 0, 2, PT_FLOW_NEXT, 3, 3, NONE },
	{ "pop {r4, r5, pc}",	0xbd30, 0, 2, PT_FLOW_RETURN, 5, 5, NONE },
	{ "pop {pc}",		0xbd00, 0, 2, PT_FLOW_RETURN, 3, 3, NONE },
	{ "sub sp, #8",		0xb082, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "cpsid i",		0xb672, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "rev r0, r1",		0xba08, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "bkpt 1",		0xbe01, 0, 2, PT_FLOW_TRAP, 1, 1, NONE },
	{ "nop",		0xbf00, 0, 2, PT_FLOW_NEXT, 1, 1, NONE },
	{ "wfi",		0xbf30, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "ldm r0!, {r1, r2}",	0xc806, 0, 2, PT_FLOW_NEXT, 3, 3, NONE },
	{ "stm r0!, {r1}",	0xc002, 0, 2, PT_FLOW_NEXT, 2, 2, NONE },
	{ "beq .+4",		0xd000, 0, 2, PT_FLOW_BRANCH_IF, 1, 2, AT + 4 },
	{ "bne .",		0xd1fe, 0, 2, PT_FLOW_BRANCH_IF, 1, 2, AT },
	{ "ble .-252",		0xdd80, 0, 2, PT_FLOW_BRANCH_IF, 1, 2, AT - 252 },
	{ "udf",		0xde00, 0, 2, PT_FLOW_TRAP, 1, 1, NONE },
	{ "svc 0",		0xdf00, 0, 2, PT_FLOW_TRAP, 0, 0, NONE },
	{ "b .",		0xe7fe, 0, 2, PT_FLOW_BRANCH, 2, 2, AT },
	{ "b .+2050",		0xe3ff, 0, 2, PT_FLOW_BRANCH, 2, 2, AT + 4 + 2046 },
	{ "b .-2044",		0xe400, 0, 2, PT_FLOW_BRANCH, 2, 2, AT + 4 - 2048 },
	{ "bl .+4",		0xf000, 0xf800, 4, PT_FLOW_CALL, 3, 3, AT + 4 },
	{ "bl .",		0xf7ff, 0xfffe, 4, PT_FLOW_CALL, 3, 3, AT },
	{ "bl .+16M",		0xf3ff, 0xd7ff, 4, PT_FLOW_CALL, 3, 3, AT + 4 + 0xfffffe },
	{ "bl below 0",		0xf7fd, 0xfffe, 4, PT_FLOW_CALL, 3, 3, 0xfffff000 },
	{ "mrs r0, primask",	0xf3ef, 0x8010, 4, PT_FLOW_NEXT, 3, 3, NONE },
	{ "msr control, r0",	0xf380, 0x8814, 4, PT_FLOW_NEXT, 3, 3, NONE },
	{ "dsb sy",		0xf3bf, 0x8f4f, 4, PT_FLOW_NEXT, 3, 3, NONE },
	{ "udf.w",		0xf7f0, 0xa000, 4, PT_FLOW_TRAP, 1, 1, NONE },
	{ "blx .+4",		0xf000, 0xe800, 4, PT_FLOW_INVALID, 0, 0, NONE },
	/* beyond Armv6-M: no model */
	{ "cbz r0, .+4",	0xb100, 0, 2, PT_FLOW_BRANCH_IF, 1, 2, AT + 4 },
	{ "b.w .",		0xf7ff, 0xbffe, 4, PT_FLOW_BRANCH, 1, 1, AT },
	{ "beq.w .+4",		0xf000, 0x8000, 4, PT_FLOW_BRANCH_IF, 1, 1, AT + 4 },
	{ "pop.w {r4, pc}",	0xe8bd, 0x8010, 4, PT_FLOW_RETURN, 1, 1, NONE },
	{ "ldm.w r4, {r0, pc}",	0xe894, 0x8001, 4, PT_FLOW_INDIRECT, 1, 1, NONE },
	{ "clrm {apsr}",	0xe89f, 0x8000, 4, PT_FLOW_NEXT, 1, 1, NONE },
	{ "ldr.w pc, [sp], #4",	0xf85d, 0xfb04, 4, PT_FLOW_RETURN, 1, 1, NONE },
	{ "ldr.w pc, [sp], #8",	0xf85d, 0xfb08, 4, PT_FLOW_INDIRECT, 1, 1, NONE },
	{ "ldr.w pc, [r0]",	0xf8d0, 0xf000, 4, PT_FLOW_INDIRECT, 1, 1, NONE },
	{ "tbb [pc, r0]",	0xe8df, 0xf000, 4, PT_FLOW_INDIRECT, 1, 1, NONE },
	{ "movw r0, #0",	0xf240, 0x0000, 4, PT_FLOW_NEXT, 1, 1, NONE },
	{ "bxns lr",		0x4774, 0, 2, PT_FLOW_RETURN, 2, 2, NONE },
	{ "bxaut r3, r4, r5",	0xfb54, 0x3f15, 4, PT_FLOW_RETURN, 1, 1, NONE },
	{ "le lr, .-4",		0xf00f, 0xc005, 4, PT_FLOW_BRANCH_IF, 1, 1, AT - 4 },
	{ "le .-2",		0xf02f, 0xc803, 4, PT_FLOW_BRANCH, 1, 1, AT - 2 },
	{ "wls lr, r0, .+8",	0xf040, 0xc003, 4, PT_FLOW_BRANCH_IF, 1, 1, AT + 8 },
	{ "smc #0",		0xf7f0, 0x8000, 4, PT_FLOW_INVALID, 0, 0, NONE },
};

static void put(uint8_t bytes[4], uint16_t op, uint16_t op2)
{
	pt_put_le16(bytes, op);
	pt_put_le16(bytes + 2, op2);
}

START_TEST(decodes_case)
{
	struct pt_insn got;
	uint8_t bytes[4];

	put(bytes, cases[_i].op, cases[_i].op2);
	pt_isa_thumb_v6m.decode(AT, bytes, sizeof(bytes), &got);
	ck_assert_msg(got.len_bytes == cases[_i].len, "%s: length %u", cases[_i].text, got.len_bytes);
	ck_assert_msg(got.flow == cases[_i].flow, "%s: flow %u", cases[_i].text, got.flow);
	ck_assert_msg(got.target == cases[_i].target, "%s: target 0x%llx", cases[_i].text,
		      (unsigned long long)got.target);
	ck_assert_msg(got.cycles == cases[_i].cycles && got.taken_cycles == cases[_i].taken, "%s: %u/%u cycles",
		      cases[_i].text, got.cycles, got.taken_cycles);
	ck_assert(!got.conditional);
}
END_TEST

/* The model that a user asks for (cycles=model). Source: Cortex-M4 TRM (Arm 100166), table 3-1 */
static const struct {
	const char *text;
	uint16_t op, op2;
	unsigned cycles, taken;
} m4[] = {
	{ "add r0, r1", 0x4408, 0x0000, 1, 1 },
	{ "cpsid i", 0xb672, 0x0000, 1, 1 },
	{ "muls r0, r1", 0x4348, 0x0000, 1, 1 },
	{ "ldr r0, [r1]", 0x6808, 0x0000, 2, 2 },
	{ "push {r4, r5, lr}", 0xb530, 0x0000, 4, 4 },
	{ "pop {r4, r5, pc}", 0xbd30, 0x0000, 6, 6 },
	{ "stm r0!, {r1}", 0xc002, 0x0000, 2, 2 },
	{ "it eq", 0xbf08, 0x0000, 1, 1 },
	{ "wfi", 0xbf30, 0x0000, 2, 2 },
	{ "cbz r0, .+4", 0xb100, 0x0000, 1, 3 },
	{ "bne .", 0xd1fe, 0x0000, 1, 3 },
	{ "b .", 0xe7fe, 0x0000, 3, 3 },
	{ "bx lr", 0x4770, 0x0000, 3, 3 },
	{ "blx r3", 0x4798, 0x0000, 3, 3 },
	{ "add pc, r0", 0x4487, 0x0000, 3, 3 },
	{ "svc 0", 0xdf00, 0x0000, 1, 1 },
	{ "bl .", 0xf7ff, 0xfffe, 3, 3 },
	{ "b.w .", 0xf7ff, 0xbffe, 3, 3 },
	{ "beq.w .+4", 0xf000, 0x8000, 1, 3 },
	{ "mul.w r0, r1, r2", 0xfb01, 0xf002, 1, 1 },
	{ "mla r0, r1, r2, r3", 0xfb01, 0x3002, 1, 1 },
	{ "smull r0, r1, r2, r3", 0xfb82, 0x0103, 1, 1 },
	{ "sdiv r0, r1, r2", 0xfb91, 0xf0f2, 7, 7 },
	{ "udiv r0, r1, r2", 0xfbb1, 0xf0f2, 7, 7 },
	{ "smlad r0, r1, r2, r3", 0xfb21, 0x3002, 1, 1 },
	{ "ldr.w r0, [r1, #4]", 0xf8d1, 0x0004, 2, 2 },
	{ "str.w r0, [r1, r2, lsl #2]", 0xf841, 0x0022, 2, 2 },
	{ "ldrd r0, r1, [r2]", 0xe9d2, 0x0100, 3, 3 },
	{ "strd r0, r1, [r2, #8]!", 0xe9e2, 0x0102, 3, 3 },
	{ "ldrex r0, [r1]", 0xe851, 0x0f00, 2, 2 },
	{ "ldm.w r0, {r1, r2, r3, r8}", 0xe890, 0x010e, 5, 5 },
	{ "push.w {r4-r8, lr}", 0xe92d, 0x41f0, 7, 7 },
	{ "pop.w {r4-r8, pc}", 0xe8bd, 0x81f0, 9, 9 },
	{ "ldr.w pc, [sp], #4", 0xf85d, 0xfb04, 4, 4 },
	{ "ldr.w pc, [r0]", 0xf8d0, 0xf000, 4, 4 },
	{ "tbb [pc, r0]", 0xe8df, 0xf000, 4, 4 },
	{ "mrs r0, primask", 0xf3ef, 0x8010, 2, 2 },
	{ "movw r0, #1", 0xf240, 0x0001, 1, 1 },
	{ "ssat r0, #8, r1", 0xf301, 0x0007, 1, 1 },
	{ "vadd.f32 s0, s1, s2", 0xee30, 0x0a81, 1, 1 },
	{ "vmul.f32 s0, s1, s2", 0xee20, 0x0a81, 1, 1 },
	{ "vmla.f32 s0, s1, s2", 0xee00, 0x0a81, 3, 3 },
	{ "vfma.f32 s0, s1, s2", 0xeea0, 0x0a81, 3, 3 },
	{ "vnmls.f32 s0, s1, s2", 0xee10, 0x0a81, 3, 3 },
	{ "vdiv.f32 s0, s1, s2", 0xee80, 0x0a81, 14, 14 },
	{ "vsqrt.f32 s0, s1", 0xeeb1, 0x0ae0, 14, 14 },
	{ "vmov.f32 s0, s1", 0xeeb0, 0x0a60, 1, 1 },
	{ "vneg.f32 s0, s1", 0xeeb1, 0x0a60, 1, 1 },
	{ "vcvt.s32.f32 s0, s1", 0xeebd, 0x0ae0, 1, 1 },
	{ "vcmp.f32 s0, s1", 0xeeb4, 0x0a60, 1, 1 },
	{ "vmov s0, r1", 0xee00, 0x1a10, 1, 1 },
	{ "vmov r0, r1, s0, s1", 0xec51, 0x0a10, 2, 2 },
	{ "vmrs", 0xeef1, 0xfa10, 1, 1 },
	{ "vldr s0, [r0]", 0xed90, 0x0a00, 2, 2 },
	{ "vldr d0, [r0]", 0xed90, 0x0b00, 3, 3 },
	{ "vpush {s16-s19}", 0xed2d, 0x8a04, 5, 5 },
	{ "vpop {d8-d11}", 0xecbd, 0x8b08, 9, 9 },
	{ "smc #0", 0xf7f0, 0x8000, 0, 0 },
};

START_TEST(models_a_cortex_m4)
{
	struct pt_insn got, plain;
	uint8_t bytes[4];

	put(bytes, m4[_i].op, m4[_i].op2);
	pt_isa_thumb_m4.decode(AT, bytes, sizeof(bytes), &got);
	ck_assert_msg(got.cycles == m4[_i].cycles && got.taken_cycles == m4[_i].taken, "%s: %u/%u cycles", m4[_i].text,
		      got.cycles, got.taken_cycles);
	ck_assert_uint_le(got.taken_cycles, PT_ISA_MOST_TAKEN_CYCLES);
	pt_isa_thumb.decode(AT, bytes, sizeof(bytes), &plain);
	ck_assert(plain.flow == got.flow && plain.target == got.target && plain.len_bytes == got.len_bytes);
}
END_TEST

/* Of an M4, or of a core that the ELF does not name; what has a model anyway needs none. */
START_TEST(only_a_cortex_m4_has_that_model)
{
	const struct pt_arch v7em = { .elf_machine = PT_MACHINE_ARM, .cpu_arch = PT_ARM_V7E_M, .profile = 'M' },
			     silent = { .elf_machine = PT_MACHINE_ARM, .cpu_arch = PT_ARM_UNKNOWN },
			     v8m = { .elf_machine = PT_MACHINE_ARM, .cpu_arch = PT_ARM_V8_M_MAIN },
			     v6m = { .elf_machine = PT_MACHINE_ARM, .cpu_arch = PT_ARM_V6_M };

	ck_assert_ptr_eq(pt_isa_with_model(&pt_isa_thumb, &v7em), &pt_isa_thumb_m4);
	ck_assert_ptr_eq(pt_isa_with_model(&pt_isa_thumb, &silent), &pt_isa_thumb_m4);
	ck_assert_ptr_null(pt_isa_with_model(&pt_isa_thumb, &v8m));
	ck_assert_ptr_null(pt_isa_with_model(&pt_isa_thumb_v6m, &v6m));
	ck_assert_ptr_null(pt_isa_with_model(&pt_isa_powerpc, &(struct pt_arch){ 0 }));
}
END_TEST

/* IT makes the next 1 to 4 conditional; a jump among them may not be taken. Source: Arm DDI 0403, A7.7.38 */
static const struct {
	const char *text;
	uint16_t it;
	unsigned n;
} blocks[] = {
	{ "it eq", 0xbf08, 1 }, { "itt eq", 0xbf04, 2 }, { "ite eq", 0xbf0c, 2 }, { "ittt ne", 0xbf1e, 3 },
	{ "itttt ne", 0xbf1f, 4 }, { "iteee gt", 0xbfc7, 4 }, { "it al", 0xbfe8, 0 }, { "nop", 0xbf00, 0 },
	{ "wfi", 0xbf30, 0 },
};

START_TEST(it_makes_what_follows_conditional)
{
	static const struct { uint16_t op; enum pt_flow_class flow, under; } next[] = {
		{ 0x2000, PT_FLOW_NEXT, PT_FLOW_NEXT }, { 0xe7fe, PT_FLOW_BRANCH, PT_FLOW_BRANCH_IF },
		{ 0xbd00, PT_FLOW_RETURN, PT_FLOW_RETURN },
	};
	struct pt_insn got;
	uint8_t bytes[4];

	for (size_t k = 0; k < PT_LEN(next); k++) {
		unsigned under = 0;

		put(bytes, blocks[_i].it, 0);
		pt_isa_decode_next(&pt_isa_thumb, AT, bytes, 2, &under, &got);
		ck_assert(!got.conditional && under == blocks[_i].n);
		put(bytes, next[k].op, 0);
		for (unsigned i = 0; i < 5; i++) {
			bool want = i < blocks[_i].n;

			pt_isa_decode_next(&pt_isa_thumb, AT, bytes, 2, &under, &got);
			ck_assert_msg(got.conditional == want, "%s: instruction %u", blocks[_i].text, i);
			ck_assert_int_eq(got.flow, want ? next[k].under : next[k].flow);
		}
	}
}
END_TEST

START_TEST(stays_inside_the_bytes)
{
	uint8_t bytes[4];
	struct pt_insn got;

	put(bytes, 0xf000, 0xf800);	/* BL, cut after 0..3 bytes */
	for (size_t len = 0; len < 4; len++) {
		pt_isa_thumb_v6m.decode(AT, bytes, len, &got);
		ck_assert_uint_eq(got.flow, PT_FLOW_INVALID);
		ck_assert_uint_eq(got.len_bytes, 2);
	}
}
END_TEST

static const struct { uint16_t op, op2; size_t len_bytes; bool want; } waits[] = {
	{ 0xbf30, 0, 2, true }, { 0xbf20, 0, 2, true }, { 0xbf00, 0, 2, false }, { 0xbf10, 0, 2, false },
	{ 0xbf40, 0, 2, false }, { 0xbf30, 0, 1, false }, { 0xbf30, 0, 0, false }, { 0xf3af, 0x8003, 4, true },
	{ 0xf3af, 0x8002, 4, true }, { 0xf3af, 0x8001, 4, false }, { 0xf3af, 0x8003, 2, false },
};

START_TEST(waits_case)
{
	uint8_t bytes[4];

	put(bytes, waits[_i].op, waits[_i].op2);
	ck_assert_int_eq(pt_isa_thumb_v6m.waits(bytes, waits[_i].len_bytes), waits[_i].want);
}
END_TEST

/* Source of the encodings: Arm DDI 0419, A6.7 */
static const struct { uint16_t before[2], op[2]; bool want; } begins[] = {
	{ { 0, 0 }, { 0xb510, 0 }, true },		/* push {r4, lr} */
	{ { 0, 0 }, { 0xb410, 0 }, false },		/* push {r4} */
	{ { 0, 0 }, { 0xe92d, 0x47f0 }, true },		/* push.w {r4-r10, lr} */
	{ { 0, 0 }, { 0xe92d, 0x07f0 }, false },
	{ { 0, 0x4770 }, { 0x2000, 0 }, true },		/* behind bx lr */
	{ { 0, 0xbd10 }, { 0x2000, 0 }, true },		/* pop {r4, pc} */
	{ { 0, 0xe7fe }, { 0x2000, 0 }, true },		/* b . */
	{ { 0x4770, 0x46c0 }, { 0x2000, 0 }, true },	/* and a nop */
	{ { 0x4770, 0xbf00 }, { 0x2000, 0 }, true },
	{ { 0x4770, 0x3001 }, { 0x2000, 0 }, false },
	{ { 0xe8bd, 0x8010 }, { 0x2000, 0 }, true },	/* pop.w {r4, pc} */
	{ { 0xe8bd, 0x0010 }, { 0x2000, 0 }, false },
	{ { 0xf7ff, 0xbffe }, { 0x2000, 0 }, true },	/* b.w . */
	{ { 0xf85d, 0xfb04 }, { 0x2000, 0 }, true },	/* ldr.w pc, [sp], #4 */
	{ { 0, 0 }, { 0xf84d, 0xed04 }, true },		/* str.w lr, [sp, #-4]! */
	{ { 0, 0 }, { 0xe97f, 0xe97f }, true },		/* sg */
	{ { 0, 0xd0fe }, { 0x2000, 0 }, false },	/* beq */
	{ { 0, 0 }, { 0x2000, 0 }, false },
};

START_TEST(begins_case)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 2; i++) {
		bytes[2 * i] = (uint8_t)begins[_i].before[i];
		bytes[2 * i + 1] = (uint8_t)(begins[_i].before[i] >> 8);
		bytes[4 + 2 * i] = (uint8_t)begins[_i].op[i];
		bytes[5 + 2 * i] = (uint8_t)(begins[_i].op[i] >> 8);
	}
	ck_assert_int_eq(pt_isa_thumb_v6m.begins(bytes, 4, bytes + 4, 4), begins[_i].want);
	ck_assert(!pt_isa_thumb_v6m.begins(bytes + 4, 0, bytes + 4, 1));
}
END_TEST

static const struct {
	struct pt_arch arch;
	const struct pt_isa *want;
} found[] = {
	{ { .elf_machine = 40 }, &pt_isa_thumb_v6m },	/* as if for the core with a model */
	{ { .elf_machine = 40, .big_endian = true }, &pt_isa_thumb_v6m },	/* it has one order only */
	{ { .elf_machine = 40, .profile = 'M' }, &pt_isa_thumb_v6m },
	{ { .elf_machine = 40, .cpu_arch = PT_ARM_V6_M }, &pt_isa_thumb_v6m },
	{ { .elf_machine = 40, .cpu_arch = PT_ARM_V6S_M, .profile = 'M' }, &pt_isa_thumb_v6m },
	{ { .elf_machine = 40, .cpu_arch = PT_ARM_V7E_M, .profile = 'M' }, &pt_isa_thumb },
	{ { .elf_machine = 40, .cpu_arch = PT_ARM_V7, .profile = 'M' }, &pt_isa_thumb },
	{ { .elf_machine = 40, .cpu_arch = PT_ARM_V8_M_MAIN, .profile = 'M' }, &pt_isa_thumb },
	{ { .elf_machine = 40, .cpu_arch = 40, .profile = 'M' }, &pt_isa_thumb },	/* a later one */
	{ { .elf_machine = 40, .cpu_arch = PT_ARM_V7, .profile = 'A' }, &pt_isa_none },
	{ { .elf_machine = 40, .cpu_arch = 2 }, &pt_isa_none },	/* Armv4T */
	{ { .elf_machine = 40, .profile = 'R' }, &pt_isa_none },
	{ { .elf_machine = 62 }, &pt_isa_none },		/* x86-64 */
	{ { .elf_machine = 243 }, &pt_isa_none },		/* RISC-V */
	{ { .elf_machine = 0 }, &pt_isa_none },
};

START_TEST(is_found_by_its_architecture)
{
	ck_assert_str_eq(pt_isa_find(&found[_i].arch)->name, found[_i].want->name);
}
END_TEST

START_TEST(only_the_known_core_has_a_timing)
{
	struct pt_insn insn;
	uint8_t pop[] = { 0xf0, 0xbd };

	pt_isa_thumb.decode(AT, pop, sizeof(pop), &insn);
	ck_assert(insn.flow == PT_FLOW_RETURN && insn.cycles == 1 && insn.taken_cycles == 1);
	ck_assert_ptr_null(pt_isa_thumb.timing);
	ck_assert_uint_eq(pt_isa_thumb.exception_entry_cycles + pt_isa_thumb.exception_return_cycles, 0);
	ck_assert_ptr_nonnull(pt_isa_thumb_v6m.timing);
}
END_TEST

START_TEST(has_a_name_of_its_own)
{
	ck_assert_ptr_eq(pt_isa_named("thumb-v6m"), &pt_isa_thumb_v6m);
	ck_assert_ptr_eq(pt_isa_named("microblazeel"), &pt_isa_microblazeel);
	ck_assert_ptr_null(pt_isa_named("none"));
	ck_assert_ptr_null(pt_isa_named(""));
}
END_TEST

#ifdef HAVE_CAPSTONE
static csh capstone;

static void open_capstone(void)
{
	ck_assert_int_eq(cs_open(CS_ARCH_ARM, CS_MODE_THUMB | CS_MODE_MCLASS, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
}

static void close_capstone(void)
{
	cs_close(&capstone);
}

static const cs_arm_op *last_operand(const cs_insn *insn)
{
	const cs_arm *arm = &insn->detail->arm;

	return arm->op_count > 0 ? &arm->operands[arm->op_count - 1] : NULL;
}

/* Does the instruction write pc, by one of its operands? */
static bool writes_pc(const cs_insn *insn)
{
	const cs_arm *arm = &insn->detail->arm;

	switch (insn->id) {
	case ARM_INS_TBB: case ARM_INS_TBH:
		return true;
	case ARM_INS_POP:
	case ARM_INS_LDM: case ARM_INS_LDMDB:
		for (int i = insn->id != ARM_INS_POP; i < arm->op_count; i++)	/* not the base */
			if (arm->operands[i].type == ARM_OP_REG && arm->operands[i].reg == ARM_REG_PC)
				return true;
		return false;
	case ARM_INS_ADD: case ARM_INS_MOV: case ARM_INS_LDR:	/* ADD.W and MOV.W to pc are unpredictable */
		return (insn->id == ARM_INS_LDR || insn->size == 2) && arm->operands[0].type == ARM_OP_REG &&
		       arm->operands[0].reg == ARM_REG_PC;
	default:
		return false;	/* the rest that may name pc is unpredictable with it */
	}
}

/* Does it load the word on top of the stack, and drop it? */
static bool pops(const cs_insn *insn, uint16_t op, uint16_t op2)
{
	const cs_arm_op *first = insn->detail->arm.operands;

	return (first->type == ARM_OP_REG && first->reg == ARM_REG_SP) || (op == 0xf85d && op2 == 0xfb04);
}

/* capstone's view of the flow, in our classes; INVALID: no opinion. */
static unsigned expected_flow(const cs_insn *insn, uint16_t first, uint16_t second)
{
	const cs_arm_op *op = last_operand(insn);
	bool through_lr = op != NULL && op->type == ARM_OP_REG && op->reg == ARM_REG_LR;
	bool conditional = insn->detail->arm.cc != ARM_CC_AL && insn->detail->arm.cc != ARM_CC_INVALID;

	switch (insn->id) {
	case ARM_INS_B:
		return conditional ? PT_FLOW_BRANCH_IF : PT_FLOW_BRANCH;
	case ARM_INS_CBZ: case ARM_INS_CBNZ:
		return PT_FLOW_BRANCH_IF;
	case ARM_INS_BL:
		return PT_FLOW_CALL;
	case ARM_INS_BLX:
		return op->type == ARM_OP_IMM ? PT_FLOW_INVALID : PT_FLOW_INDIRECT_CALL;
	case ARM_INS_BX:
		return through_lr ? PT_FLOW_RETURN : PT_FLOW_INDIRECT;
	case ARM_INS_SVC: case ARM_INS_BKPT: case ARM_INS_UDF: case ARM_INS_TRAP: case ARM_INS_HLT:
		return PT_FLOW_TRAP;
	case ARM_INS_SMC: case ARM_INS_HVC:
		return PT_FLOW_INVALID;
	case ARM_INS_MOV:
		return !writes_pc(insn) ? PT_FLOW_NEXT : through_lr ? PT_FLOW_RETURN : PT_FLOW_INDIRECT;
	case ARM_INS_POP:
		return writes_pc(insn) ? PT_FLOW_RETURN : PT_FLOW_NEXT;
	case ARM_INS_ADD:
		return writes_pc(insn) ? PT_FLOW_INDIRECT : PT_FLOW_NEXT;
	default:
		return !writes_pc(insn) ? PT_FLOW_NEXT : pops(insn, first, second) ? PT_FLOW_RETURN : PT_FLOW_INDIRECT;
	}
}

/* Returns whether capstone knew the instruction, and by its name in the M profile (LDM of pc is CLRM there). */
static bool agrees(uint16_t op, uint16_t op2)
{
	const cs_arm_op *last;
	struct pt_insn got;
	uint8_t bytes[4];
	cs_insn *insn;

	put(bytes, op, op2);
	pt_isa_thumb_v6m.decode(AT, bytes, sizeof(bytes), &got);
	ck_assert_msg(got.len_bytes == (op >> 11 >= 0x1d ? 4 : 2), "%04x %04x", op, op2);
	if ((op & 0xfe5f) == 0xe81f || cs_disasm(capstone, bytes, sizeof(bytes), AT, 1, &insn) == 0)
		return false;
	last = last_operand(insn);
	ck_assert_msg(got.len_bytes == insn->size, "%04x %04x %s %s: length %u", op, op2, insn->mnemonic, insn->op_str,
		      got.len_bytes);
	ck_assert_msg(got.flow == expected_flow(insn, op, op2), "%04x %04x %s %s: flow %u", op, op2, insn->mnemonic,
		      insn->op_str, got.flow);
	if (got.target != PT_UNKNOWN)
		ck_assert_msg(got.target == (uint32_t)last->imm, "%04x %04x %s %s: target 0x%llx", op, op2,
			      insn->mnemonic, insn->op_str, (unsigned long long)got.target);
	cs_free(insn, 1);
	return true;
}

START_TEST(prints)
{
	static const uint8_t ldr[] = { 0x08, 0x68, 0, 0 }, bl[] = { 0xff, 0xf7, 0xfe, 0xff }, nop[] = { 0x00, 0xbf };
	char text[40] = "";

	ck_assert(pt_isa_print(&pt_isa_thumb_v6m, AT, ldr, sizeof(ldr), text, sizeof(text)));
	ck_assert_str_eq(text, "ldr r0, [r1]");
	ck_assert(pt_isa_print(&pt_isa_thumb_v6m, AT, bl, sizeof(bl), text, sizeof(text)));
	ck_assert_str_eq(text, "bl #0x1000");
	ck_assert(pt_isa_print(&pt_isa_thumb_v6m, AT, nop, sizeof(nop), text, sizeof(text)));
	ck_assert_str_eq(text, "nop");
	ck_assert(pt_isa_print(&pt_isa_thumb_v6m, AT, ldr, sizeof(ldr), text, 4));	/* cut to the room there is */
	ck_assert_str_eq(text, "ldr");
	ck_assert(!pt_isa_print(&pt_isa_thumb_v6m, AT, bl, 2, text, sizeof(text)));
	ck_assert_str_eq(text, "ldr");
}
END_TEST

START_TEST(every_16_bit_instruction_agrees_with_capstone)
{
	unsigned known = 0;

	for (unsigned op = 0; op < 0xe800; op++)
		known += agrees((uint16_t)op, 0xbf00);
	ck_assert_uint_gt(known, 0xe000);
}
END_TEST

START_TEST(sampled_32_bit_instructions_agree_with_capstone)
{
	unsigned known = 0;
	uint32_t seed = 1;

	for (unsigned op = 0xe800; op < 0x10000; op++)
		for (int i = 0; i < 16; i++) {
			seed = seed * 1664525 + 1013904223;
			known += agrees((uint16_t)op, (uint16_t)(seed >> 16));
		}
	ck_assert_uint_gt(known, 10000);
}
END_TEST
#endif

int main(void)
{
	Suite *suite = suite_create("isa_thumb");
	TCase *tc = tcase_create("decode");

	tcase_add_loop_test(tc, models_a_cortex_m4, 0, PT_LEN(m4));
	tcase_add_test(tc, only_a_cortex_m4_has_that_model);
	tcase_add_loop_test(tc, decodes_case, 0, PT_LEN(cases));
	tcase_add_loop_test(tc, it_makes_what_follows_conditional, 0, PT_LEN(blocks));
	tcase_add_test(tc, stays_inside_the_bytes);
	tcase_add_loop_test(tc, waits_case, 0, PT_LEN(waits));
	tcase_add_loop_test(tc, begins_case, 0, PT_LEN(begins));
	tcase_add_loop_test(tc, is_found_by_its_architecture, 0, PT_LEN(found));
	tcase_add_test(tc, only_the_known_core_has_a_timing);
	tcase_add_test(tc, has_a_name_of_its_own);
	suite_add_tcase(suite, tc);
#ifdef HAVE_CAPSTONE
	tc = tcase_create("capstone");
	tcase_add_checked_fixture(tc, open_capstone, close_capstone);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, prints);
	tcase_add_test(tc, every_16_bit_instruction_agrees_with_capstone);
	tcase_add_test(tc, sampled_32_bit_instructions_agree_with_capstone);
	suite_add_tcase(suite, tc);
#endif
	return pt_run_suite(suite);
}
