/* Exceptions of the virtual core: entry, return, order, escalation. Source: DDI 0419, B1.5. */
#include <string.h>

#include "cpu_rig.h"
#include "harness.h"

/* The frame, with a stack that is and one that is not a multiple of eight. */
START_TEST(stacks_a_frame)
{
	uint32_t skipped = _i == 0 ? 0 : 4, frame = STACK - 4 * (uint32_t)_i - skipped - 32;
	struct rig rig;

	MAKE(&rig, SVC, NOP);
	for (unsigned i = 0; i < 13; i++)
		pt_vcpu_set_reg(rig.cpu, i, 100 + i);
	pt_vcpu_set_reg(rig.cpu, 14, 0x12345);
	pt_vcpu_set_reg(rig.cpu, 13, STACK - 4 * (uint32_t)_i);
	pt_vcpu_set_reg(rig.cpu, 16, 0xa1000000);
	rig_instructions(&rig, 1);
	ck_assert_str_eq(rig.seen, "EXC 202>1b00 ");
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 13), frame);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 14), 0xfffffff9);
	for (unsigned i = 0; i < 4; i++)
		ck_assert_uint_eq(pt_bare_core_word(rig.core, frame + 4 * i), 100 + i);
	ck_assert_uint_eq(pt_bare_core_word(rig.core, frame + 16), 112);
	ck_assert_uint_eq(pt_bare_core_word(rig.core, frame + 20), 0x12345);
	ck_assert_uint_eq(pt_bare_core_word(rig.core, frame + 24), CODE + 2);
	ck_assert_uint_eq(pt_bare_core_word(rig.core, frame + 28), 0xa1000000 | skipped << 7);
	ck_assert_uint_eq(pt_vcpu_cycle(rig.cpu), 15);
	rig_instructions(&rig, 2);
	ck_assert_str_eq(rig.seen, "EXC 202>1b00 RET 1b02>f9>202 ");
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 13), STACK - 4 * (uint32_t)_i);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 16), 0xa1000000);
	ck_assert_uint_eq(pt_vcpu_cycle(rig.cpu), 15 + 1 + 2 + 13);
	rig_done(&rig);
}
END_TEST

/* Thread mode on the process stack: its frame is there, the handler runs on the main one. */
START_TEST(uses_both_stacks)
{
	struct rig rig;

	MAKE(&rig, SVC, NOP);
	pt_vcpu_set_reg(rig.cpu, 18, STACK - 0x400);
	pt_vcpu_set_reg(rig.cpu, 20, 2u << 24);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 13), STACK - 0x400);
	rig_instructions(&rig, 1);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 13), STACK);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 18), STACK - 0x420);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 20), 0);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 14), 0xfffffffd);
	rig_instructions(&rig, 2);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 13), STACK - 0x400);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 20), 2u << 24);
	rig_done(&rig);
}
END_TEST

/* What is pended before the first of three NOPs (lines, or an exception by ICSR), with which priorities; what is seen
 * after so many instructions. Handlers are NOP and BX LR. */
static const struct {
	const char *name;
	uint32_t lines, icsr, ipr, shpr3;
	unsigned n;
	const char *seen;
} orders[] = {
	{ "one",               1, 0, 0, 0, 3, "EXC 200>2000 RET 2002>f9>200 " },
	{ "by number",         6, 0, 0, 0, 5, "EXC 200>2100 TAIL 2102>f9>2200 RET 2202>f9>200 " },
	{ "by priority",       6, 0, 0x0000c000, 0, 5, "EXC 200>2200 TAIL 2202>f9>2100 RET 2102>f9>200 " },
	{ "PendSV last",       1, 1 << 28, 0x40, 0x00c00000, 5, "EXC 200>2000 TAIL 2002>f9>1e00 RET 1e02>f9>200 " },
	{ "SysTick, PendSV",   0, 1 << 28 | 1 << 26, 0, 0, 5, "EXC 200>1e00 TAIL 1e02>f9>1f00 RET 1f02>f9>200 " },
	{ "NMI first",         1, 1u << 31, 0, 0, 5, "EXC 200>1200 TAIL 1202>f9>2000 RET 2002>f9>200 " },
};

START_TEST(takes_in_order)
{
	struct rig rig;

	MAKE(&rig, NOP, NOP, NOP);
	rig_write_reg(&rig, IPR0, orders[_i].ipr);
	rig_write_reg(&rig, SHPR3, orders[_i].shpr3);
	rig_write_reg(&rig, ICSR, orders[_i].icsr);
	rig_pend(&rig, orders[_i].lines);
	rig_instructions(&rig, orders[_i].n);
	ck_assert_msg(strcmp(rig.seen, orders[_i].seen) == 0, "%s: %s", orders[_i].name, rig.seen);
	rig_done(&rig);
}
END_TEST

/* Interrupt 1 at 0x40 is in its handler when 0 at 0 and 2 at 0x40 come: 0 preempts, 2 waits. */
START_TEST(nests)
{
	struct rig rig;

	MAKE(&rig, NOP, NOP);
	rig_write_reg(&rig, IPR0, 0x00404000);
	rig_pend(&rig, 2);
	rig_instructions(&rig, 1);
	rig_pend(&rig, 5);
	rig_instructions(&rig, 6);
	ck_assert_str_eq(rig.seen, "EXC 200>2100 EXC 2102>2000 RET 2002>f1>2102 TAIL 2102>f9>2200 RET 2202>f9>200 ");
	ck_assert_uint_eq(pt_vcpu_cycle(rig.cpu), 15 + 1 + 15 + 3 + 13 + 2 + 6 + 3 + 13 + 1);
	rig_done(&rig);
}
END_TEST

START_TEST(primask_holds_back)
{
	struct rig rig;

	MAKE(&rig, CPSID, NOP, CPSIE, NOP);
	rig_instructions(&rig, 1);
	rig_pend(&rig, 1);
	rig_instructions(&rig, 2);
	ck_assert_str_eq(rig.seen, "");
	rig_instructions(&rig, 1);
	ck_assert_str_eq(rig.seen, "EXC 206>2000 ");
	rig_done(&rig);
}
END_TEST

/* SVC that cannot be taken, and faults where no fault can be taken. */
START_TEST(escalates)
{
	struct rig rig;

	MAKE(&rig, CPSID, SVC);
	rig_instructions(&rig, 2);
	ck_assert_str_eq(rig.seen, "EXC 204>1300 ");
	rig_put_handler(&rig, PT_VEX_HARDFAULT, UDF);
	pt_vcpu_run(rig.cpu, pt_vcpu_cycle(rig.cpu) + 50);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_LOCKUP);
	ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), 0xfffffffe);
	rig_pend(&rig, 1);
	pt_vcpu_run(rig.cpu, pt_vcpu_cycle(rig.cpu) + 50);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_LOCKUP);
	pt_vcpu_pend_nmi(rig.cpu);
	rig_instructions(&rig, 1);
	ck_assert_str_eq(rig.seen, "EXC 204>1300 EXC fffffffe>1200 ");
	pt_vcpu_reset(rig.cpu, false);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_RUN);
	rig_done(&rig);
}
END_TEST

/* Vectors and stacks that are not there. */
START_TEST(faults_around_the_frame)
{
	struct rig rig;

	MAKE(&rig, SVC);
	pt_vcpu_set_reg(rig.cpu, 13, 0x30000000);	/* no room for the frame: HardFault goes in SVCall's place */
	rig_instructions(&rig, 2);
	ck_assert_str_eq(rig.seen, "EXC 202>1300 ");
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 16) & 0x3f, PT_VEX_HARDFAULT);
	rig_done(&rig);

	MAKE(&rig, SVC);
	pt_put_le32(rig.core->flash + 4 * PT_VEX_SVCALL, HANDLERS);	/* no T bit */
	pt_vcpu_run(rig.cpu, 20);
	ck_assert_str_eq(rig.seen, "EXC 202>1000 EXC 1000>1300 ");
	rig_done(&rig);

	MAKE(&rig, NOP);
	rig_write_reg(&rig, VTOR, 0x30000000);
	rig_pend(&rig, 1);
	pt_vcpu_run(rig.cpu, 60);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_LOCKUP);
	rig_done(&rig);
}
END_TEST

/* EXC_RETURN values that do not fit the nesting, and a frame of the wrong mode. */
static const struct { const char *name; uint32_t exc_return, stacked_ipsr; } returns[] = {
	{ "to a handler that is not there", 0xfffffff1, 0 },
	{ "reserved", 0xfffffff5, 0 },
	{ "floating point frame", 0xffffffe9, 0 },
	{ "frame of a handler", 0xfffffff9, 3 },
};

START_TEST(checks_returns)
{
	struct rig rig;

	MAKE(&rig, SVC);
	rig_instructions(&rig, 2);
	pt_vcpu_set_reg(rig.cpu, 14, returns[_i].exc_return);
	rig.core->ram[STACK - 4 - BARE_RAM_BASE] |= (uint8_t)returns[_i].stacked_ipsr;
	rig_instructions(&rig, 1);
	ck_assert_msg((pt_vcpu_reg(rig.cpu, 16) & 0x3f) == PT_VEX_HARDFAULT, "%s: %s", returns[_i].name, rig.seen);
	rig_done(&rig);
}
END_TEST

/* A line that stays high comes again when its handler is left; one that fell does not. */
START_TEST(levels_pend_again)
{
	struct rig rig;

	MAKE(&rig, NOP, NOP, NOP);
	rig_write_reg(&rig, ISER, 1);
	pt_vcpu_set_irq(rig.cpu, 0, true);
	rig_instructions(&rig, 2);
	ck_assert_str_eq(rig.seen, "EXC 200>2000 TAIL 2002>f9>2000 ");
	rig_write_reg(&rig, ICPR, 1);
	pt_vcpu_set_irq(rig.cpu, 0, false);
	rig_instructions(&rig, 3);
	ck_assert_str_eq(rig.seen, "EXC 200>2000 TAIL 2002>f9>2000 RET 2002>f9>200 ");
	rig_done(&rig);
}
END_TEST

/* The committed firmware checks its own order of nesting and tail-chaining, with the NVIC's own timing. */
START_TEST(runs_irq_firmware)
{
	const char *elf = pt_firmware("irq.elf");
	struct pt_bare_core *core = pt_bare_core_new();
	struct pt_err err = { 0 };

	ck_assert_msg(pt_bare_core_load(core, elf, &err) == 0, "%s", err.msg);
	pt_vcpu_reset(core->cpu, true);
	pt_vcpu_run(core->cpu, 200000);
	ck_assert_uint_eq(pt_vcpu_pc(core->cpu) & ~3u, pt_elf_symbol(elf, "irq_passed") & ~3u);
	ck_assert_uint_ge(pt_bare_core_word(core, pt_elf_symbol(elf, "g_beats")), 40);
	pt_bare_core_free(core);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("armv6m exceptions");
	TCase *tc = tcase_create("exceptions");

	tcase_add_loop_test(tc, stacks_a_frame, 0, 2);
	tcase_add_test(tc, uses_both_stacks);
	tcase_add_loop_test(tc, takes_in_order, 0, PT_LEN(orders));
	tcase_add_test(tc, nests);
	tcase_add_test(tc, primask_holds_back);
	tcase_add_test(tc, escalates);
	tcase_add_test(tc, faults_around_the_frame);
	tcase_add_loop_test(tc, checks_returns, 0, PT_LEN(returns));
	tcase_add_test(tc, levels_pend_again);
	tcase_add_test(tc, runs_irq_firmware);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
