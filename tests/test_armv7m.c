/* What the virtual Cortex-M4F and M7 have beyond ARMv6-M, by hand from DDI 0403: one row per idea of the encoding, faults
 * by their bits, frames with floats, priority groups, the MPU, an instruction cache. Every register of random programs is compared with QEMU in
 * system/test_qemu_m4; here any encoding at all must leave the rest of the process alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bare_core.h"
#include "harness.h"

enum { CODE = 0x200, HANDLERS = 0x1000, STACK = 0x20001000, DATA = 0x20002000 };
enum { CCR = 0xe000ed14, SHCSR = 0xe000ed24, CFSR = 0xe000ed28, HFSR = 0xe000ed2c, BFAR = 0xe000ed38, CPACR = 0xe000ed88,
       MPU_CTRL = 0xe000ed94, MPU_RBAR = 0xe000ed9c, MPU_RASR = 0xe000eda0, FPCCR = 0xe000ef34, FPCAR = 0xe000ef38,
       AIRCR = 0xe000ed0c, IPR0 = 0xe000e400, ISER = 0xe000e100, ISPR = 0xe000e200 };
enum { XPSR = 16, MASKS = 20, FPSCR = 33, S0 = 64 };

static void poke(struct pt_bare_core *core, uint32_t addr, uint32_t value)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };

	ck_assert(pt_vbus_write(&core->bus, &access, value));
}

static uint32_t peek(struct pt_bare_core *core, uint32_t addr)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_DEBUG, true };
	uint32_t value = 0;

	ck_assert(pt_vbus_read(&core->bus, &access, &value));
	return value;
}

/* Reset into code at CODE, FPU on; exception n's handler is a NOP and BX LR at HANDLERS + 0x100 n. */
static struct pt_bare_core *make_of(const struct pt_vcpu_model *model, const uint16_t *code, size_t n_halfwords)
{
	struct pt_bare_core *core = pt_bare_core_new_of(model);

	ck_assert_ptr_nonnull(core);
	pt_put_le32(core->flash, STACK);
	pt_put_le32(core->flash + 4, CODE | 1);
	for (unsigned n = 2; n < PT_VEX_IRQ0 + 8; n++) {
		pt_put_le32(core->flash + 4 * n, (HANDLERS + 0x100 * n) | 1);
		pt_put_le16(core->flash + HANDLERS + 0x100 * n, 0xbf00);
		pt_put_le16(core->flash + HANDLERS + 0x100 * n + 2, 0x4770);
	}
	for (size_t i = 0; i < n_halfwords; i++)
		pt_put_le16(core->flash + CODE + 2 * i, code[i]);
	pt_vcpu_reset(core->cpu, true);
	poke(core, CPACR, 0xf << 20);
	return core;
}
static struct pt_bare_core *make(const uint16_t *code, size_t n_halfwords)
{
	return make_of(&pt_vcpu_m4f, code, n_halfwords);
}
#define MAKE(...) make((const uint16_t[]){ __VA_ARGS__ }, PT_LEN(((const uint16_t[]){ __VA_ARGS__ })))

static void step(struct pt_bare_core *core)
{
	pt_vcpu_run(core->cpu, pt_vcpu_cycle(core->cpu) + 1);
}

/* --- one instruction: r0, r1 and r2 before; r0 and NZCVQ with GE after */

enum { N = 0x80, Z = 0x40, C = 0x20, V = 0x10, Q = 0x08 };

static const struct {
	const char *name;
	uint16_t code[2];
	uint32_t r0, r1, r2;
	uint32_t want;
	uint8_t want_flags, want_ge;
} rows[] = {
	{ "ands.w r0, r1, #0x80000000: rotated, C", { 0xf011, 0x4000 }, 0, 0xc0000000, 0, 0x80000000, N | C, 0 },
	{ "mvn.w r0, #0xff00ff00", { 0xf06f, 0x20ff }, 0, 0, 0, 0x00ff00ff, 0, 0 },
	{ "movw r0, #0xabcd", { 0xf64a, 0x30cd }, 5, 0, 0, 0xabcd, 0, 0 },
	{ "movt r0, #0x1234", { 0xf2c1, 0x2034 }, 0x55550001, 0, 0, 0x12340001, 0, 0 },
	{ "add.w r0, r1, r2, lsl #4", { 0xeb01, 0x1002 }, 0, 1, 3, 0x31, 0, 0 },
	{ "rsbs r0, r1, r2", { 0xebd1, 0x0002 }, 0, 3, 3, 0, Z | C, 0 },
	{ "ubfx r0, r1, #4, #8", { 0xf3c1, 0x1007 }, 0, 0xabcdef, 0, 0xde, 0, 0 },
	{ "sbfx r0, r1, #4, #8", { 0xf341, 0x1007 }, 0, 0xabcdef, 0, 0xffffffde, 0, 0 },
	{ "bfi r0, r1, #8, #4", { 0xf361, 0x200b }, 0xffffffff, 5, 0, 0xfffff5ff, 0, 0 },
	{ "ssat r0, #8, r1", { 0xf301, 0x0007 }, 0, 1000, 0, 127, Q, 0 },
	{ "usat r0, #8, r1", { 0xf381, 0x0008 }, 0, 0xffffff00, 0, 0, Q, 0 },
	{ "clz r0, r1", { 0xfab1, 0xf081 }, 0, 0x00010000, 0, 15, 0, 0 },
	{ "rbit r0, r1", { 0xfa91, 0xf0a1 }, 0, 0x12345678, 0, 0x1e6a2c48, 0, 0 },
	{ "sdiv r0, r1, r2", { 0xfb91, 0xf0f2 }, 0, 0xfffffff9, 2, 0xfffffffd, 0, 0 },
	{ "sdiv: the one that overflows", { 0xfb91, 0xf0f2 }, 0, 0x80000000, 0xffffffff, 0x80000000, 0, 0 },
	{ "udiv by 0 is 0", { 0xfbb1, 0xf0f2 }, 5, 7, 0, 0, 0, 0 },
	{ "mls r0, r1, r2, r0", { 0xfb01, 0x0012 }, 100, 7, 9, 37, 0, 0 },
	{ "smulbt r0, r1, r2", { 0xfb11, 0xf012 }, 0, 0x7777fffe, 0x00030000, 0xfffffffa, 0, 0 },
	{ "smlabb: Q, and wraps", { 0xfb11, 0x0002 }, 0x7fffffff, 1, 1, 0x80000000, Q, 0 },
	{ "qadd", { 0xfa82, 0xf081 }, 0, 0x7fffffff, 1, 0x7fffffff, Q, 0 },
	{ "uadd8: GE are carries", { 0xfa81, 0xf042 }, 0, 0xff01ff01, 0x01010101, 0x00020002, 0, 10 },
	{ "ssub16: GE are signs", { 0xfad1, 0xf002 }, 0, 0x00010005, 0x00020003, 0xffff0002, 0, 3 },
	{ "uhadd8", { 0xfa81, 0xf062 }, 0, 0xff00ff00, 0xff00ff00, 0xff00ff00, 0, 0 },
	{ "pkhtb r0, r1, r2, asr #16", { 0xeac1, 0x4022 }, 0, 0xaaaabbbb, 0xccccdddd, 0xaaaacccc, 0, 0 },
	{ "sxtab r0, r1, r2, ror #8", { 0xfa41, 0xf092 }, 0, 1, 0x0000ff00, 0, 0, 0 },
	{ "rrx r0, r1", { 0xea4f, 0x0031 }, 0, 3, 0, 1, 0, 0 },
};

START_TEST(executes_one)
{
	struct pt_bare_core *core = MAKE(rows[_i].code[0], rows[_i].code[1]);
	uint32_t xpsr;

	pt_vcpu_set_reg(core->cpu, 0, rows[_i].r0);
	pt_vcpu_set_reg(core->cpu, 1, rows[_i].r1);
	pt_vcpu_set_reg(core->cpu, 2, rows[_i].r2);
	step(core);
	xpsr = pt_vcpu_reg(core->cpu, XPSR);
	ck_assert_msg(pt_vcpu_reg(core->cpu, 0) == rows[_i].want, "%s: %x", rows[_i].name, pt_vcpu_reg(core->cpu, 0));
	ck_assert_msg((xpsr >> 24 & 0xf8) == rows[_i].want_flags, "%s: xPSR %x", rows[_i].name, xpsr);
	ck_assert_msg((xpsr >> 16 & 15) == rows[_i].want_ge, "%s: xPSR %x", rows[_i].name, xpsr);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu), CODE + 4);
	pt_bare_core_free(core);
}
END_TEST

/* --- faults: by bits; which exception is taken when its own is enabled; without, it is a HardFault */

static const struct {
	const char *name;
	uint16_t code[2];
	uint32_t r1, ccr;
	uint32_t cfsr;
	unsigned exception;
} faults[] = {
	{ "udf.w", { 0xf7f0, 0xa000 }, 0, 0x200, 1 << 16, PT_VEX_USAGEFAULT },
	{ "bx to Arm state", { 0x4708, 0xbf00 }, 0x300, 0x200, 1 << 17, PT_VEX_USAGEFAULT },
	{ "a coprocessor that is not there", { 0xee01, 0x0510 }, 0, 0x200, 1 << 19, PT_VEX_USAGEFAULT },
	{ "ldrd, not aligned", { 0xe9d1, 0x2300 }, DATA + 2, 0x200, 1 << 24, PT_VEX_USAGEFAULT },
	{ "ldr, not aligned, trapped", { 0x680a, 0xbf00 }, DATA + 1, 0x208, 1 << 24, PT_VEX_USAGEFAULT },
	{ "sdiv by 0, trapped", { 0xfb92, 0xf2f1 }, 0, 0x210, 1 << 25, PT_VEX_USAGEFAULT },
	{ "ldr from nowhere", { 0x680a, 0xbf00 }, 0x30000000, 0x200, 1 << 9 | 1 << 15, PT_VEX_BUSFAULT },
	{ "execution of a device", { 0x4708, 0xbf00 }, 0x40000001, 0x200, 1 << 0, PT_VEX_MEMMANAGE },
	{ "execution of nowhere", { 0x4708, 0xbf00 }, 0x30000001, 0x200, 1 << 8, PT_VEX_BUSFAULT },
};

START_TEST(takes_a_fault)
{
	bool enabled = _i % 2 == 0;
	unsigned i = (unsigned)_i / 2, want = enabled ? faults[i].exception : PT_VEX_HARDFAULT;
	struct pt_bare_core *core = MAKE(faults[i].code[0], faults[i].code[1], 0xe7fe);

	pt_vcpu_set_reg(core->cpu, 1, faults[i].r1);
	poke(core, CCR, faults[i].ccr);
	poke(core, SHCSR, enabled ? 0x70000 : 0);
	step(core);
	if ((pt_vcpu_reg(core->cpu, XPSR) & 0x1ff) == 0)	/* what a branch leads to */
		step(core);
	ck_assert_msg((pt_vcpu_reg(core->cpu, XPSR) & 0x1ff) == want, "%s: xPSR %x", faults[i].name,
		      pt_vcpu_reg(core->cpu, XPSR));
	ck_assert_msg(peek(core, CFSR) == faults[i].cfsr, "%s: CFSR %x", faults[i].name, peek(core, CFSR));
	ck_assert_uint_eq(peek(core, HFSR), enabled ? 0 : 1u << 30);
	if ((faults[i].cfsr & 1 << 15) != 0)
		ck_assert_uint_eq(peek(core, BFAR), faults[i].r1);
	pt_bare_core_free(core);
}
END_TEST

/* Nobody debugs: a HardFault that says so. */
START_TEST(bkpt_is_a_debug_event)
{
	struct pt_bare_core *core = MAKE(0xbe00);

	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, XPSR) & 0x1ff, PT_VEX_HARDFAULT);
	ck_assert_uint_eq(peek(core, HFSR), 1u << 31);
	ck_assert_uint_eq(pt_bare_core_word(core, STACK - 8), CODE);
	pt_bare_core_free(core);
}
END_TEST

/* --- frames with floats: at once, or when the handler first uses the FPU */

static const uint16_t svc_with_floats[] = { 0xeeb7, 0x0a00, 0xdf00, 0xbf00 };	/* vmov.f32 s0, #1.0; svc 0 */

START_TEST(stacks_floats_at_once)
{
	struct pt_bare_core *core = make(svc_with_floats, PT_LEN(svc_with_floats));

	poke(core, FPCCR, 1u << 31);
	step(core);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 13), STACK - 104);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 14), 0xffffffe9);
	ck_assert_uint_eq(pt_bare_core_word(core, STACK - 104 + 32), 0x3f800000);
	step(core);
	step(core);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu), CODE + 6);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 13), STACK);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, S0), 0x3f800000);
	pt_bare_core_free(core);
}
END_TEST

START_TEST(stacks_floats_when_used)
{
	struct pt_bare_core *core = make(svc_with_floats, PT_LEN(svc_with_floats));
	uint32_t handler = HANDLERS + 0x100 * PT_VEX_SVCALL;
	bool uses = _i != 0;

	if (uses)
		memcpy(core->flash + handler, (const uint16_t[]){ 0xeeb0, 0x0a00, 0x4770 }, 6);	/* vmov.f32 s0, #2.0 */
	step(core);
	step(core);
	ck_assert_uint_eq(peek(core, FPCCR) & 1, 1);
	ck_assert_uint_eq(peek(core, FPCAR), STACK - 104 + 32);
	ck_assert_uint_eq(pt_bare_core_word(core, STACK - 104 + 32), 0);
	step(core);
	ck_assert_uint_eq(peek(core, FPCCR) & 1, !uses);
	ck_assert_uint_eq(pt_bare_core_word(core, STACK - 104 + 32), uses ? 0x3f800000 : 0);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, S0), 0x3f800000);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, MASKS) >> 24, 4);	/* FPCA */
	ck_assert_uint_eq(peek(core, FPCCR) & 1, 0);
	pt_bare_core_free(core);
}
END_TEST

/* --- priorities: with groups, the same group does not preempt; which of two goes first is another matter */
START_TEST(groups_decide_preemption)
{
	struct pt_bare_core *core = MAKE(0xbf00, 0xbf00, 0xbf00, 0xbf00);
	bool grouped = _i != 0;

	poke(core, AIRCR, 0x05fa0000 | (grouped ? 7 << 8 : 0));
	poke(core, IPR0, 0x00002030);	/* line 0: 0x30, line 1: 0x20 */
	poke(core, ISER, 3);
	poke(core, ISPR, 1);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, XPSR) & 0x1ff, PT_VEX_IRQ0);
	poke(core, ISPR, 2);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, XPSR) & 0x1ff, grouped ? PT_VEX_IRQ0 : PT_VEX_IRQ0 + 1);
	pt_bare_core_free(core);
}
END_TEST

/* An IT block that an exception interrupts goes on where it was. */
START_TEST(it_block_outlives_an_exception)
{
	struct pt_bare_core *core = MAKE(0xbf14, 0x2001, 0x2102, 0x2203);	/* ite ne; movne r0; moveq r1; movs r2 */

	pt_vcpu_set_reg(core->cpu, XPSR, 0x41000000);
	step(core);
	step(core);
	poke(core, ISER, 1);
	poke(core, ISPR, 1);
	step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, XPSR) & 0x1ff, PT_VEX_IRQ0);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, XPSR) & 0x0600fc00, 0);
	while (pt_vcpu_pc(core->cpu) != CODE + 8)
		step(core);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 0), 0);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 1), 2);
	ck_assert_uint_eq(pt_vcpu_reg(core->cpu, 2), 3);
	pt_bare_core_free(core);
}
END_TEST

/* A word of which the second half lies in a region without rights is not loaded: each byte is asked for. */
START_TEST(mpu_asks_for_each_byte)
{
	struct pt_bare_core *core = MAKE(0x680a);
	uint32_t addr = DATA + 0x20 - 2 * (uint32_t)_i;

	poke(core, MPU_RBAR, (DATA + 0x20) | 0x10 | 0);
	poke(core, MPU_RASR, 4 << 1 | 1);
	poke(core, MPU_CTRL, 5);
	pt_vcpu_set_reg(core->cpu, 1, addr);
	step(core);
	ck_assert_uint_eq(peek(core, CFSR), 1 << 1 | 1 << 7);
	ck_assert_uint_eq(peek(core, BFAR - 4), DATA + 0x20);
	pt_bare_core_free(core);
}
END_TEST

/* Any two halfwords with any registers, FPU on or off: the core goes on, and the sanitizers have nothing to say. */
START_TEST(any_encoding)
{
	struct pt_bare_core *core = make_of(_i == 0 ? &pt_vcpu_m4f : &pt_vcpu_m7f, NULL, 0);
	unsigned seed = 1;

	for (unsigned i = 0; i < pt_random_runs(100000); i++) {
		uint32_t first = (uint32_t)rand_r(&seed), second = (uint32_t)rand_r(&seed);

		pt_put_le16(core->flash + CODE, (uint16_t)(i % 4 == 0 ? first : 0xe800 | first));
		pt_put_le16(core->flash + CODE + 2, (uint16_t)(second ^ second >> 15));
		pt_vbus_changed(&core->bus, CODE, 4);
		pt_vcpu_reset(core->cpu, false);
		poke(core, CPACR, i % 8 != 0 ? 0xf << 20 : 0);
		for (unsigned r = 0; r < 15; r++)
			pt_vcpu_set_reg(core->cpu, r, i % 3 == 0 ? (uint32_t)rand_r(&seed) * 2 : DATA + 4 * r);
		step(core);
		step(core);
	}
	ck_assert_uint_gt(pt_vcpu_instructions(core->cpu), pt_random_runs(50000));
	pt_bare_core_free(core);
}
END_TEST

/* --- the Cortex-M7 */

/* d1 and d2 before, d0 after. On the M4 each is undefined. */
static const struct {
	const char *name;
	uint16_t code[2];
	uint64_t d1, d2, want;
} doubles[] = {
	{ "vadd.f64 d0, d1, d2", { 0xee31, 0x0b02 }, 0x3ff0000000000000, 0x4000000000000000, 0x4008000000000000 },
	{ "vfma.f64 d0, d1, d2", { 0xeea1, 0x0b02 }, 0x4000000000000000, 0x4008000000000000, 0x4018000000000000 },
	{ "vmov.f64 d0, #-2.5", { 0xeeb8, 0x0b04 }, 0, 0, 0xc004000000000000 },
	{ "vmaxnm.f64 d0, d1, d2: a number before a NaN", { 0xfe81, 0x0b02 }, 0x7ff8000000000000, 0xbff0000000000000,
	  0xbff0000000000000 },
	{ "vrinta.f64 d0, d1: halves away from zero", { 0xfeb8, 0x0b41 }, 0xc004000000000000, 0, 0xc008000000000000 },
	{ "vselge.f64 d0, d1, d2", { 0xfe21, 0x0b02 }, 0x1111111122222222, 0, 0x1111111122222222 },
};
enum { S2 = S0 + 2, S4 = S0 + 4 };

static void set_double(struct pt_vcpu *cpu, unsigned first, uint64_t value)
{
	pt_vcpu_set_reg(cpu, first, (uint32_t)value);
	pt_vcpu_set_reg(cpu, first + 1, (uint32_t)(value >> 32));
}

START_TEST(computes_in_double_precision)
{
	const struct pt_vcpu_model *model = _i % 2 == 0 ? &pt_vcpu_m7f : &pt_vcpu_m4f;
	struct pt_bare_core *core = make_of(model, doubles[_i / 2].code, 2);
	uint64_t d0;

	set_double(core->cpu, S2, doubles[_i / 2].d1);
	set_double(core->cpu, S4, doubles[_i / 2].d2);
	step(core);
	d0 = pt_vcpu_reg(core->cpu, S0) | (uint64_t)pt_vcpu_reg(core->cpu, S0 + 1) << 32;
	if (model == &pt_vcpu_m4f)
		ck_assert_uint_eq(peek(core, CFSR), 1 << 16);	/* UNDEFINSTR */
	else
		ck_assert_msg(d0 == doubles[_i / 2].want && peek(core, CFSR) == 0, "%s: %" PRIx64, doubles[_i / 2].name,
			      d0);
	pt_bare_core_free(core);
}
END_TEST

/* A loop in RAM that adds 1 is changed behind the back of the cache, to add 16. What the row writes then decides which of
 * the two is executed. */
static const struct {
	const char *name;
	uint32_t ccr, addr, value, adds;
} caches[] = {
	{ "off", 0, 0, 0, 16 },
	{ "on: what was there is executed", 1 << 17, 0, 0, 1 },
	{ "emptied", 1 << 17, 0xe000ef50, 0, 16 },
	{ "this line emptied", 1 << 17, 0xe000ef58, DATA + 4, 16 },
	{ "another line emptied", 1 << 17, 0xe000ef58, DATA + 0x40, 1 },
	{ "data alone", 1 << 17, 0xe000ef5c, DATA, 1 },
	{ "switched off", 1 << 17, CCR, 0x200, 16 },
};

START_TEST(executes_what_the_cache_has)
{
	static const uint16_t jump[] = { 0x4700 };	/* bx r0 */
	struct pt_bare_core *core = make_of(&pt_vcpu_m7f, jump, PT_LEN(jump));
	uint32_t before;

	poke(core, CCR, 0x200 | caches[_i].ccr);
	ck_assert_uint_eq(peek(core, CCR), 0x40200 | caches[_i].ccr);
	poke(core, DATA, 0xe7fd3101);			/* adds r1, #1; b .-2 */
	pt_vcpu_set_reg(core->cpu, 0, DATA | 1);
	for (unsigned i = 0; i < 7; i++)
		step(core);
	poke(core, DATA, 0xe7fd3110);			/* adds r1, #16 */
	if (caches[_i].addr != 0)
		poke(core, caches[_i].addr, caches[_i].value);
	before = pt_vcpu_reg(core->cpu, 1);
	step(core);
	step(core);
	ck_assert_msg(pt_vcpu_reg(core->cpu, 1) - before == caches[_i].adds, "%s: %u", caches[_i].name,
		      pt_vcpu_reg(core->cpu, 1) - before);
	pt_bare_core_free(core);
}
END_TEST

START_TEST(says_what_its_caches_are)
{
	enum { CCSIDR = 0xe000ed80, CSSELR = 0xe000ed84 };
	struct pt_bare_core *core = make_of(&pt_vcpu_m7f, NULL, 0);

	ck_assert_uint_eq(peek(core, CCSIDR), 0xf00fe019);
	poke(core, CSSELR, 1);
	ck_assert_uint_eq(peek(core, CCSIDR), 0xf01fe009);
	ck_assert_uint_eq(peek(core, 0xe000ef40), 0x10110221);
	pt_bare_core_free(core);
	core = make_of(&pt_vcpu_m4f, NULL, 0);
	poke(core, CCR, 0x30200);
	ck_assert_uint_eq(peek(core, CCR), 0x200);
	ck_assert_uint_eq(peek(core, CCSIDR), 0);
	pt_bare_core_free(core);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("armv7m");
	TCase *all = tcase_create("all");

	tcase_add_loop_test(all, executes_one, 0, PT_LEN(rows));
	tcase_add_loop_test(all, takes_a_fault, 0, 2 * PT_LEN(faults));
	tcase_add_test(all, bkpt_is_a_debug_event);
	tcase_add_test(all, stacks_floats_at_once);
	tcase_add_loop_test(all, stacks_floats_when_used, 0, 2);
	tcase_add_loop_test(all, groups_decide_preemption, 0, 2);
	tcase_add_test(all, it_block_outlives_an_exception);
	tcase_add_loop_test(all, mpu_asks_for_each_byte, 0, 2);
	tcase_add_loop_test(all, computes_in_double_precision, 0, 2 * PT_LEN(doubles));
	tcase_add_loop_test(all, executes_what_the_cache_has, 0, PT_LEN(caches));
	tcase_add_test(all, says_what_its_caches_are);
	tcase_add_loop_test(all, any_encoding, 0, 2);
	suite_add_tcase(suite, all);
	return pt_run_suite(suite);
}
