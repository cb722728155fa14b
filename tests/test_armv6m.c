/* Instructions of the virtual core against vectors computed by hand from DDI 0419, A6.7: results, flags, cycles, lists
 * and faults. The system around them is in test_armv6m_exceptions.c. */
#include <string.h>

#include "bare_core.h"
#include "harness.h"

enum { CODE = 0x100, HARDFAULT = 0x200, STACK = 0x20001000, DATA = 0x20000000 };
enum { V = 1, C = 2, Z = 4, N = 8 };	/* as they stand in the top nibble of xPSR */

/* Reset into code, with HardFault's handler looping at HARDFAULT. */
static struct pt_bare_core *make(const uint16_t *code, size_t n_halfwords)
{
	struct pt_bare_core *core = pt_bare_core_new();

	ck_assert_ptr_nonnull(core);
	pt_put_le32(core->flash, STACK);
	pt_put_le32(core->flash + 4, CODE | 1);
	pt_put_le32(core->flash + 12, HARDFAULT | 1);
	pt_put_le16(core->flash + HARDFAULT, 0xe7fe);
	for (size_t i = 0; i < n_halfwords; i++)
		pt_put_le16(core->flash + CODE + 2 * i, code[i]);
	pt_vcpu_reset(core->cpu, true);
	return core;
}

static void step(struct pt_bare_core *core)
{
	pt_vcpu_run(core->cpu, pt_vcpu_cycle(core->cpu) + 1);
}

static void set_data(struct pt_bare_core *core, uint32_t addr, uint32_t value)
{
	pt_put_le32(core->ram + (addr - BARE_RAM_BASE), value);
}

/* Each is executed with r0, r1 and flags; r0 and flags are compared. */
static const struct { const char *name; uint16_t code; uint32_t r0, r1; uint8_t flags; uint32_t want; uint8_t want_flags; } alu[] = {
	{ "lsls r0, r1, #0 keeps C",        0x0008, 0, 0x80000000, C,         0x80000000, N | C },
	{ "lsls r0, r1, #1",                0x0048, 0, 0x80000001, 0,         2,          C },
	{ "lsls r0, r1, #31",               0x07c8, 0, 3,          0,         0x80000000, N | C },
	{ "lsrs r0, r1, #32",               0x0808, 0, 0x80000000, 0,         0,          Z | C },
	{ "lsrs r0, r1, #32, top clear",    0x0808, 0, 0x7fffffff, C,         0,          Z },
	{ "lsrs r0, r1, #1",                0x0848, 0, 1,          V,         0,          Z | C | V },
	{ "asrs r0, r1, #32",               0x1008, 0, 0x80000000, 0,         0xffffffff, N | C },
	{ "asrs r0, r1, #1",                0x1048, 0, 0x80000001, 0,         0xc0000000, N | C },
	{ "adds: signed overflow",          0x1840, 0x7fffffff, 1, 0,         0x80000000, N | V },
	{ "adds: carry, zero",              0x1840, 0xffffffff, 1, 0,         0,          Z | C },
	{ "adds: both overflows",           0x1840, 0x80000000, 0x80000000, 0, 0,         Z | C | V },
	{ "subs: borrow",                   0x1a40, 0, 1,          C,         0xffffffff, N },
	{ "subs: equal",                    0x1a40, 5, 5,          0,         0,          Z | C },
	{ "subs: signed overflow",          0x1a40, 0x80000000, 1, 0,         0x7fffffff, C | V },
	{ "adds r0, r1, #7",                0x1dc8, 0, 0xfffffff9, 0,         0,          Z | C },
	{ "subs r0, r1, #5",                0x1f48, 0, 4,          C | V,     0xffffffff, N },
	{ "movs r0, #128 keeps C and V",    0x2080, 0, 0,          N | C | V, 128,        C | V },
	{ "cmp r0, #255",                   0x28ff, 255, 0,        0,         255,        Z | C },
	{ "adds r0, #255",                  0x30ff, 1, 0,          N | C,     256,        0 },
	{ "subs r0, #1",                    0x3801, 0, 0,          C,         0xffffffff, N },
	{ "ands keeps C and V",             0x4008, 0xf0f0f0f0, 0x0f0f0f0f, C | V, 0,     Z | C | V },
	{ "eors",                           0x4048, 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0, N },
	{ "lsls r0, r1 by 31",              0x4088, 3, 31,         0,         0x80000000, N | C },
	{ "lsls r0, r1 by 32",              0x4088, 1, 32,         0,         0,          Z | C },
	{ "lsls r0, r1 by 33",              0x4088, 0xffffffff, 33, C,        0,          Z },
	{ "lsls r0, r1 by low byte 0",      0x4088, 1, 0x100,      C,         1,          C },
	{ "lsrs r0, r1 by 32",              0x40c8, 0x80000000, 32, 0,        0,          Z | C },
	{ "lsrs r0, r1 by 33",              0x40c8, 0xffffffff, 33, C,        0,          Z },
	{ "asrs r0, r1 by 200",             0x4108, 0x80000000, 200, 0,       0xffffffff, N | C },
	{ "asrs r0, r1 by 200, positive",   0x4108, 0x7fffffff, 200, C,       0,          Z },
	{ "adcs: carry in wraps",           0x4148, 0xffffffff, 0, C,         0,          Z | C },
	{ "adcs: carry in overflows",       0x4148, 0x7fffffff, 0, C,         0x80000000, N | V },
	{ "sbcs: borrow in",                0x4188, 0, 0,          0,         0xffffffff, N },
	{ "sbcs: none",                     0x4188, 5, 5,          C,         0,          Z | C },
	{ "rors by 1",                      0x41c8, 1, 1,          0,         0x80000000, N | C },
	{ "rors by 32",                     0x41c8, 0x80000000, 32, 0,        0x80000000, N | C },
	{ "rors by 0 keeps C",              0x41c8, 1, 0,          C,         1,          C },
	{ "tst",                            0x4208, 0x80000000, 0xffffffff, C, 0x80000000, N | C },
	{ "rsbs of the most negative",      0x4248, 0, 0x80000000, 0,         0x80000000, N | V },
	{ "rsbs of 0",                      0x4248, 7, 0,          0,         0,          Z | C },
	{ "cmp",                            0x4288, 1, 2,          C,         1,          N },
	{ "cmn",                            0x42c8, 0xffffffff, 1, 0,         0xffffffff, Z | C },
	{ "orrs",                           0x4308, 0x0f, 0xf0,    N | Z,     0xff,       0 },
	{ "muls keeps C and V",             0x4348, 0x10000, 0x10000, C | V,  0,          Z | C | V },
	{ "muls of negatives",              0x4348, 0xffffffff, 3, 0,         0xfffffffd, N },
	{ "bics",                           0x4388, 0xff, 0x0f,    0,         0xf0,       0 },
	{ "mvns",                           0x43c8, 0, 0,          0,         0xffffffff, N },
	{ "add without flags",              0x4408, 0x7fffffff, 1, Z | V,     0x80000000, Z | V },
	{ "mov without flags",              0x4608, 0, 0,          N | C,     0,          N | C },
	{ "mov r0, pc",                     0x4678, 0, 0,          0,         CODE + 4,   0 },
	{ "add r0, pc",                     0x4478, 1, 0,          0,         CODE + 5,   0 },
	{ "adr r0",                         0xa003, 0, 0,          0,         CODE + 16,  0 },
	{ "add r0, sp, #16",                0xa804, 0, 0,          0,         STACK + 16, 0 },
	{ "sxth",                           0xb208, 0, 0x18000,    0,         0xffff8000, 0 },
	{ "sxtb",                           0xb248, 0, 0x180,      0,         0xffffff80, 0 },
	{ "uxth",                           0xb288, 0, 0xffff8000, 0,         0x8000,     0 },
	{ "uxtb",                           0xb2c8, 0, 0xffffff80, 0,         0x80,       0 },
	{ "rev",                            0xba08, 0, 0x12345678, 0,         0x78563412, 0 },
	{ "rev16",                          0xba48, 0, 0x12345678, 0,         0x34127856, 0 },
	{ "revsh",                          0xbac8, 0, 0x12340080, 0,         0xffff8000, 0 },
};

START_TEST(computes)
{
	struct pt_bare_core *core = make(&alu[_i].code, 1);

	pt_vcpu_set_reg(core->cpu, 0, alu[_i].r0);
	pt_vcpu_set_reg(core->cpu, 1, alu[_i].r1);
	pt_vcpu_set_reg(core->cpu, 16, (uint32_t)alu[_i].flags << 28 | 1u << 24);
	step(core);
	ck_assert_msg(pt_vcpu_reg(core->cpu, 0) == alu[_i].want, "%s: r0 = 0x%x", alu[_i].name,
		      pt_vcpu_reg(core->cpu, 0));
	ck_assert_msg(pt_vcpu_reg(core->cpu, 16) >> 28 == alu[_i].want_flags, "%s: flags %x", alu[_i].name,
		      pt_vcpu_reg(core->cpu, 16) >> 28);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu), CODE + 2);
	ck_assert_uint_eq(pt_vcpu_cycle(core->cpu), 1);
	pt_bare_core_free(core);
}
END_TEST

/* A condition for each branch: taken with taken_flags, not with other_flags. */
static const struct { const char *name; uint8_t taken_flags, other_flags; } conditions[] = {
	{ "eq", Z, N | C | V },	{ "ne", 0, Z },		{ "cs", C, N | Z | V },	{ "cc", N | Z | V, C },
	{ "mi", N, Z | C | V },	{ "pl", Z | C | V, N },	{ "vs", V, N | Z | C },	{ "vc", N | Z | C, V },
	{ "hi", C, C | Z },	{ "ls", Z | C, C },	{ "ge", N | V, N },	{ "lt", V, N | V },
	{ "gt", N | V, N | V | Z }, { "le", Z, N | V },
};

START_TEST(branches_on_condition)
{
	for (int taken = 0; taken < 2; taken++) {
		uint16_t code = (uint16_t)(0xd000 | _i << 8 | 0x10);
		uint8_t flags = taken ? conditions[_i].taken_flags : conditions[_i].other_flags;
		struct pt_bare_core *core = make(&code, 1);

		pt_vcpu_set_reg(core->cpu, 16, (uint32_t)flags << 28 | 1u << 24);
		step(core);
		ck_assert_msg(pt_vcpu_pc(core->cpu) == (taken ? CODE + 0x24 : CODE + 2), "b%s, flags %x",
			      conditions[_i].name, flags);
		ck_assert_uint_eq(pt_vcpu_cycle(core->cpu), taken ? 2 : 1);
		pt_bare_core_free(core);
	}
}
END_TEST

/* Cycles and where it goes; r0 is CODE + 0x41, r1 0, r2 a word in RAM. */
static const struct { const char *name; uint16_t code[2]; unsigned cycles; uint32_t pc; } flow[] = {
	{ "nop",             { 0xbf00 },         1, CODE + 2 },
	{ "ldr r3, [r2]",    { 0x6813 },         2, CODE + 2 },
	{ "ldr r3, [pc]",    { 0x4b00 },         2, CODE + 2 },
	{ "strb r3, [r2]",   { 0x7013 },         2, CODE + 2 },
	{ "push 3",          { 0xb503 },         4, CODE + 2 },
	{ "pop 2",           { 0xbc03 },         3, CODE + 2 },
	{ "ldm 3",           { 0xca38 },         4, CODE + 2 },
	{ "stm 2",           { 0xc218 },         3, CODE + 2 },
	{ "b back",          { 0xe7fd },         2, CODE - 2 },
	{ "b forward",       { 0xe3ff },         2, CODE + 0x802 },
	{ "bl forward",      { 0xf000, 0xf810 }, 3, CODE + 0x24 },
	{ "bl back",         { 0xf7ff, 0xfffe }, 3, CODE },
	{ "bl far",          { 0xf003, 0xf800 }, 3, CODE + 4 + 0x3000 },
	{ "bx r0",           { 0x4700 },         2, CODE + 0x40 },
	{ "blx r0",          { 0x4780 },         2, CODE + 0x40 },
	{ "mov pc, r0",      { 0x4687 },         2, CODE + 0x40 },
	{ "add pc, r1",      { 0x448f },         2, CODE + 4 },
	{ "mrs r0, msp",     { 0xf3ef, 0x8008 }, 3, CODE + 4 },
	{ "msr psp, r0",     { 0xf380, 0x8809 }, 3, CODE + 4 },
	{ "dsb",             { 0xf3bf, 0x8f4f }, 3, CODE + 4 },
	{ "dmb",             { 0xf3bf, 0x8f5f }, 3, CODE + 4 },
	{ "isb",             { 0xf3bf, 0x8f6f }, 3, CODE + 4 },
	{ "muls",            { 0x4348 },         1, CODE + 2 },
	{ "sev",             { 0xbf40 },         1, CODE + 2 },
	{ "cpsid i",         { 0xb672 },         1, CODE + 2 },
};

START_TEST(goes_on)
{
	struct pt_bare_core *core = make(flow[_i].code, 2);

	pt_vcpu_set_reg(core->cpu, 0, CODE + 0x41);
	pt_vcpu_set_reg(core->cpu, 2, DATA);
	step(core);
	ck_assert_msg(pt_vcpu_pc(core->cpu) == flow[_i].pc, "%s: pc 0x%x", flow[_i].name, pt_vcpu_pc(core->cpu));
	ck_assert_msg(pt_vcpu_cycle(core->cpu) == flow[_i].cycles, "%s: cycles", flow[_i].name);
	pt_bare_core_free(core);
}
END_TEST

START_TEST(links)
{
	static const uint16_t code[] = { 0x4780, 0xf000, 0xf810 };	/* blx r0; bl */
	struct pt_bare_core *core = make(code, 3);

	pt_vcpu_set_reg(core->cpu, 0, (CODE + 2) | 1);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 14), CODE + 3);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 14), CODE + 7);
	pt_bare_core_free(core);
}
END_TEST

/* Loads of the word 0x8899aabb at DATA + 4: r2 = DATA, r1 = 4 + lane. */
static const struct { const char *name; uint16_t code; unsigned lane; uint32_t want; } loads[] = {
	{ "ldr reg",    0x5850, 0, 0x8899aabb }, { "ldrh reg",  0x5a50, 2, 0x8899 },     { "ldrb reg", 0x5c50, 3, 0x88 },
	{ "ldrsh reg",  0x5e50, 0, 0xffffaabb }, { "ldrsb reg", 0x5650, 1, 0xffffffaa }, { "ldr imm",  0x6850, 0, 0x8899aabb },
	{ "ldrh imm",   0x88d0, 0, 0x8899 },     { "ldrb imm",  0x7950, 0, 0xaa },
};

START_TEST(loads_lanes)
{
	struct pt_bare_core *core = make(&loads[_i].code, 1);

	set_data(core, DATA + 4, 0x8899aabb);
	pt_vcpu_set_reg(core->cpu, 2, DATA);
	pt_vcpu_set_reg(core->cpu, 1, 4 + loads[_i].lane);
	step(core);
	ck_assert_msg(pt_vcpu_reg(core->cpu, 0) == loads[_i].want, "%s: 0x%x", loads[_i].name,
		      pt_vcpu_reg(core->cpu, 0));
	pt_bare_core_free(core);
}
END_TEST

static const struct { const char *name; uint16_t code; uint32_t want; } stores[] = {
	{ "str reg",  0x5050, 0x11223344 }, { "strh reg", 0x5250, 0xffff3344 }, { "strb reg", 0x5450, 0xffffff44 },
	{ "str imm",  0x6050, 0x11223344 }, { "strh imm", 0x80d0, 0x3344ffff }, { "strb imm", 0x71d0, 0x44ffffff },
};

START_TEST(stores_lanes)
{
	struct pt_bare_core *core = make(&stores[_i].code, 1);

	set_data(core, DATA + 4, 0xffffffff);
	pt_vcpu_set_reg(core->cpu, 0, 0x11223344);
	pt_vcpu_set_reg(core->cpu, 1, 4);
	pt_vcpu_set_reg(core->cpu, 2, DATA);
	step(core);
	ck_assert_msg(pt_bare_core_word(core, DATA + 4) == stores[_i].want, "%s", stores[_i].name);
	pt_bare_core_free(core);
}
END_TEST

START_TEST(writes_lists_back)
{
	static const uint16_t code[] = { 0xc103, 0xc906, 0xca0f };	/* stm r1!, {r0, r1}; ldm r1, {r1, r2}; ldm r2!, .. */
	struct pt_bare_core *core = make(code, 3);

	pt_vcpu_set_reg(core->cpu, 0, 77);
	pt_vcpu_set_reg(core->cpu, 1, DATA);
	set_data(core, DATA + 8, 1);
	set_data(core, DATA + 12, DATA);
	step(core);
	ck_assert_uint_eq(pt_bare_core_word(core, DATA), 77);
	ck_assert_uint_eq(pt_bare_core_word(core, DATA + 4), DATA);	/* the base as it was */
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), DATA + 8);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 1);		/* loaded, not written back */
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 2), DATA);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 0), 77);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 2), 1);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 3), DATA);
	pt_bare_core_free(core);
}
END_TEST

/* push {r0, lr}; pop {r1, pc} */
START_TEST(pops_pc)
{
	static const uint16_t code[] = { 0xb501, 0xbd02 };
	struct pt_bare_core *core = make(code, 2);

	pt_vcpu_set_reg(core->cpu, 0, 5);
	pt_vcpu_set_reg(core->cpu, 14, CODE + 0x81);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 13), STACK - 8);
	ck_assert_uint_eq(pt_vcpu_cycle(core->cpu), 3);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 5);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 13), STACK);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu), CODE + 0x80);
	ck_assert_uint_eq(pt_vcpu_cycle(core->cpu), 3 + 4);
	pt_bare_core_free(core);
}
END_TEST

/* Everything that a HardFault comes of; the frame has the address of the instruction. r2 is DATA + 1, r3 nowhere. */
static const struct { const char *name; uint16_t code[2]; uint32_t return_addr; } faults[] = {
	{ "udf",                        { 0xde00 },         CODE },
	{ "udf.w",                      { 0xf7f0, 0xa000 }, CODE },
	{ "bkpt without a debugger",    { 0xbe00 },         CODE },
	{ "it is not of ARMv6-M",       { 0xbf08 },         CODE },
	{ "cbz is not of ARMv6-M",      { 0xb100 },         CODE },
	{ "32-bit load",                { 0xf8d0, 0x0000 }, CODE },
	{ "misaligned word load",       { 0x6810 },         CODE },
	{ "misaligned word store",      { 0x6010 },         CODE },
	{ "misaligned halfword",        { 0x8810 },         CODE },
	{ "misaligned list",            { 0xca01 },         CODE },
	{ "load from nowhere",          { 0x6818 },         CODE },
	{ "store to flash",             { 0x6020 },         CODE },
	{ "bx to Arm code",             { 0x4720 },         0 },
	{ "bx into a peripheral",       { 0x4728 },         0x40000000 },
	{ "mov pc to EXC_RETURN",       { 0x46b7 },         0xfffffff8 },
};

START_TEST(faults_hard)
{
	struct pt_bare_core *core = make(faults[_i].code, 2);

	pt_vcpu_set_reg(core->cpu, 2, DATA + 1);
	pt_vcpu_set_reg(core->cpu, 3, 0x30000000);
	pt_vcpu_set_reg(core->cpu, 4, 0);
	pt_vcpu_set_reg(core->cpu, 5, 0x40000001);
	pt_vcpu_set_reg(core->cpu, 6, 0xfffffff9);
	pt_vcpu_run(core->cpu, 60);
	ck_assert_msg(pt_vcpu_pc(core->cpu) == HARDFAULT, "%s: pc 0x%x", faults[_i].name, pt_vcpu_pc(core->cpu));
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 16) & 0x3f, PT_VEX_HARDFAULT);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 14), 0xfffffff9);
	ck_assert_msg(pt_bare_core_word(core, STACK - 8) == faults[_i].return_addr, "%s: 0x%x", faults[_i].name,
		      pt_bare_core_word(core, STACK - 8));
	pt_bare_core_free(core);
}
END_TEST

/* ldm r0!, {r1, r2} whose second word is behind the RAM: nothing is loaded. */
START_TEST(fault_in_a_list_changes_nothing)
{
	static const uint16_t code[] = { 0xc806 };
	struct pt_bare_core *core = make(code, 1);

	pt_vcpu_set_reg(core->cpu, 0, BARE_RAM_BASE + BARE_RAM_BYTES - 4);
	pt_vcpu_set_reg(core->cpu, 1, 11);
	pt_vcpu_run(core->cpu, 40);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu), HARDFAULT);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 0), BARE_RAM_BASE + BARE_RAM_BYTES - 4);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 11);
	pt_bare_core_free(core);
}
END_TEST

/* Code in RAM is decoded again after a store over it: strh r0, [r2]; bx r3 to movs r1, #1, which becomes movs r1, #2.
 * The same after a change by the debugger. */
START_TEST(sees_changed_code)
{
	static const uint16_t code[] = { 0x4798, 0x8010, 0x4798 };	/* blx r3; strh r0, [r2]; blx r3 */
	struct pt_vaccess debug = { DATA, 2, PT_VMASTER_DEBUG, true };
	struct pt_bare_core *core = make(code, 3);

	set_data(core, DATA, 0x47702101);	/* movs r1, #1; bx lr */
	pt_vcpu_set_reg(core->cpu, 0, 0x2102);
	pt_vcpu_set_reg(core->cpu, 2, DATA);
	pt_vcpu_set_reg(core->cpu, 3, DATA | 1);
	pt_vcpu_run(core->cpu, 4);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 1);
	pt_vcpu_run(core->cpu, 10);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 2);
	ck_assert(pt_vbus_write(&core->bus, &debug, 0x2103));
	pt_vcpu_set_reg(core->cpu, 15, DATA);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 3);
	pt_bare_core_free(core);
}
END_TEST

/* The committed firmware: each instruction with edge operands, its hash compared with the one that QEMU agrees on. */
START_TEST(runs_isa_firmware)
{
	const char *elf = pt_firmware("isa.elf");
	struct pt_bare_core *core = pt_bare_core_new();
	struct pt_err err = { 0 };

	ck_assert_msg(pt_bare_core_load(core, elf, &err) == 0, "%s", err.msg);
	pt_vcpu_reset(core->cpu, true);
	pt_vcpu_run(core->cpu, 4000000);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu) & ~7u, pt_elf_symbol(elf, "isa_passed") & ~7u);
	pt_bare_core_free(core);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("armv6m");
	TCase *tc = tcase_create("instructions");

	tcase_add_loop_test(tc, computes, 0, PT_LEN(alu));
	tcase_add_loop_test(tc, branches_on_condition, 0, PT_LEN(conditions));
	tcase_add_loop_test(tc, goes_on, 0, PT_LEN(flow));
	tcase_add_test(tc, links);
	tcase_add_loop_test(tc, loads_lanes, 0, PT_LEN(loads));
	tcase_add_loop_test(tc, stores_lanes, 0, PT_LEN(stores));
	tcase_add_test(tc, writes_lists_back);
	tcase_add_test(tc, pops_pc);
	tcase_add_loop_test(tc, faults_hard, 0, PT_LEN(faults));
	tcase_add_test(tc, fault_in_a_list_changes_nothing);
	tcase_add_test(tc, sees_changed_code);
	tcase_add_test(tc, runs_isa_firmware);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
