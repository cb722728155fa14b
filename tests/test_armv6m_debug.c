/* The virtual core's sleep, time, system registers, debug access and taps. Source: DDI 0419, B1.5.17, B3, C1. */
#include <string.h>

#include "cpu_rig.h"
#include "harness.h"

START_TEST(sleeps_until_interrupt)
{
	struct rig rig;

	MAKE(&rig, CPSID, WFI, INC_R7, CPSIE, NOP);
	rig_write_reg(&rig, RVR, 999);
	rig_write_reg(&rig, CVR, 0);
	rig_write_reg(&rig, CSR, 7);
	pt_vcpu_run(rig.cpu, 900);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_SLEEP);
	ck_assert_uint_eq(pt_vcpu_last_pc(rig.cpu), CODE + 2);
	rig_instructions(&rig, 1);	/* masked, but awake */
	ck_assert_uint_eq(pt_vcpu_cycle(rig.cpu), 1001);
	ck_assert_uint_eq(pt_vcpu_sleep_cycles(rig.cpu), 1000 - 3);
	ck_assert_str_eq(rig.seen, "");
	rig_instructions(&rig, 2);
	ck_assert_str_eq(rig.seen, "EXC 208>1f00 ");
	rig_done(&rig);
}
END_TEST

START_TEST(waits_for_event)
{
	struct rig rig;

	MAKE(&rig, SEV, WFE, WFE, INC_R7);
	rig_instructions(&rig, 2);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_RUN);
	pt_vcpu_run(rig.cpu, 100);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_SLEEP);
	rig_write_reg(&rig, SCR, 0x14);		/* SEVONPEND: also interrupts that are not enabled; and deep */
	ck_assert(pt_vcpu_deep_sleep(rig.cpu));
	rig_write_reg(&rig, ISPR, 1);
	rig_instructions(&rig, 1);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 7), 1);
	ck_assert_str_eq(rig.seen, "");
	rig_done(&rig);
}
END_TEST

START_TEST(sleeps_on_exit)
{
	struct rig rig;

	MAKE(&rig, INC_R7, NOP);
	rig_write_reg(&rig, SCR, 2);
	rig_pend(&rig, 1);
	pt_vcpu_run(rig.cpu, 200);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_SLEEP);
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 7), 0);
	ck_assert_str_eq(rig.seen, "EXC 200>2000 RET 2002>f9>200 ");
	rig_done(&rig);
}
END_TEST

/* From a cleared counter the first expiry is RELOAD + 1 clocks away, like all that follow. */
START_TEST(counts_systick)
{
	struct rig rig;

	MAKE(&rig, LOOP);
	rig_write_reg(&rig, RVR, 99);
	rig_write_reg(&rig, CVR, 5);
	rig_write_reg(&rig, CSR, 5);
	pt_vcpu_run(rig.cpu, 10);
	ck_assert_uint_eq(rig_read_reg(&rig, CVR), 90);
	pt_vcpu_run(rig.cpu, 98);
	ck_assert_uint_eq(rig_read_reg(&rig, CSR), 5);
	pt_vcpu_run(rig.cpu, 100);
	ck_assert_uint_eq(rig_read_reg(&rig, CVR), 0);
	ck_assert_uint_eq(rig_read_reg(&rig, CSR), 0x10005);
	ck_assert_uint_eq(rig_read_reg(&rig, CSR), 5);
	pt_vcpu_run(rig.cpu, 198);
	ck_assert_uint_eq(rig_read_reg(&rig, CVR), 2);
	pt_vcpu_request_halt(rig.cpu, PT_VHALT_HALTED);
	pt_vcpu_run(rig.cpu, 1000);
	ck_assert_uint_eq(rig_read_reg(&rig, CVR), 2);	/* stands still in Debug state */
	rig_write_reg(&rig, CSR, 1);			/* the reference clock: a sixteenth */
	pt_vcpu_resume(rig.cpu, false, false);
	pt_vcpu_run(rig.cpu, 1000 + 32);
	ck_assert_uint_eq(rig_read_reg(&rig, CVR), 0);
	rig_done(&rig);
}
END_TEST

static const struct { const char *name; uint32_t addr, write, want; } system_registers[] = {
	{ "CPUID", CPUID, 0, 0x410cc601 },	{ "AIRCR", AIRCR, 0, 0xfa050000 },
	{ "VTOR", VTOR, 0x123456ff, 0x12345600 },	{ "SCR", SCR, 0xffffffff, 0x16 },
	{ "CCR", 0xe000ed14, 0xffffffff, 0x208 },	{ "SHPR2", SHPR2, 0xffffffff, 0xc0000000 },
	{ "SHPR3", SHPR3, 0xffffffff, 0xc0c00000 },	{ "IPR0", IPR0, 0xffffffff, 0xc0c0c0c0 },
	{ "ISER", ISER, 0x80000001, 0x80000001 },	{ "RVR", RVR, 0xffffffff, 0x00ffffff },
	{ "ICSR", ICSR, 1u << 26, 1u << 26 | 15 << 12 },	{ "ISPR", ISPR, 4, 4 },
};

START_TEST(holds_registers)
{
	struct rig rig;

	MAKE(&rig, NOP);
	rig_write_reg(&rig, system_registers[_i].addr, system_registers[_i].write);
	ck_assert_msg(rig_read_reg(&rig, system_registers[_i].addr) == system_registers[_i].want, "%s: 0x%x",
		      system_registers[_i].name, rig_read_reg(&rig, system_registers[_i].addr));
	rig_done(&rig);
}
END_TEST

/* str r0, [r1]: AIRCR with its key, and without. */
START_TEST(asks_for_reset)
{
	struct rig rig;

	MAKE(&rig, NOP, 0x6008, NOP);
	for (int i = 0; i < 2; i++) {
		pt_vcpu_set_reg(rig.cpu, 0, i == 0 ? 4 : 0x05fa0004);
		pt_vcpu_set_reg(rig.cpu, 1, AIRCR);
		pt_vcpu_set_reg(rig.cpu, 15, CODE + 2);
		rig.seen[0] = 0;
		rig_instructions(&rig, 1);
		pt_vcpu_run(rig.cpu, pt_vcpu_cycle(rig.cpu) + 1);
		ck_assert_str_eq(rig.seen, i == 0 ? "" : "RESET ");
	}
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 13), STACK);
	rig_done(&rig);
}
END_TEST

/* Unprivileged code may not reach the system space: ldr r0, [r1]. */
START_TEST(keeps_unprivileged_out)
{
	struct rig rig;

	MAKE(&rig, 0x6808, NOP);
	pt_vcpu_set_reg(rig.cpu, 1, CPUID);
	pt_vcpu_set_reg(rig.cpu, 20, 1u << 24);
	rig_instructions(&rig, 1);
	ck_assert_str_eq(rig.seen, "EXC 200>1300 ");
	rig_done(&rig);
}
END_TEST

START_TEST(halts_and_steps)
{
	struct rig rig;

	MAKE(&rig, INC_R7, INC_R7, WFI, INC_R7);
	pt_vcpu_request_halt(rig.cpu, PT_VHALT_EXTERNAL);
	pt_vcpu_run(rig.cpu, 10);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
	ck_assert_uint_eq(rig.halts, PT_VHALT_EXTERNAL);
	ck_assert_uint_eq(pt_vcpu_halt_cycles(rig.cpu), 10);
	for (unsigned i = 1; i <= 4; i++) {
		rig.halts = 0;
		pt_vcpu_resume(rig.cpu, true, false);
		pt_vcpu_run(rig.cpu, 100 * i);
		ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
		ck_assert_uint_eq(rig.halts, PT_VHALT_HALTED);
		ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), CODE + 2 * i);
		ck_assert_uint_eq(pt_vcpu_instructions(rig.cpu), i);
	}
	rig_done(&rig);
}
END_TEST

/* A pending interrupt is the step, unless interrupts are masked. */
START_TEST(steps_into_interrupt)
{
	struct rig rig;

	MAKE(&rig, INC_R7, NOP);
	pt_vcpu_request_halt(rig.cpu, PT_VHALT_HALTED);
	rig_pend(&rig, 1);
	pt_vcpu_run(rig.cpu, 1);
	pt_vcpu_resume(rig.cpu, true, true);
	pt_vcpu_run(rig.cpu, 50);
	ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), CODE + 2);
	pt_vcpu_resume(rig.cpu, true, false);
	pt_vcpu_run(rig.cpu, 100);
	ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), HANDLERS + 0x100 * PT_VEX_IRQ0);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
	rig_done(&rig);
}
END_TEST

START_TEST(wakes_sleep_and_lockup_to_halt)
{
	struct rig rig;

	MAKE(&rig, WFI, UDF);
	rig_put_handler(&rig, PT_VEX_HARDFAULT, UDF);
	pt_vcpu_run(rig.cpu, 50);
	pt_vcpu_request_halt(rig.cpu, PT_VHALT_HALTED);
	pt_vcpu_run(rig.cpu, 60);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
	ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), CODE + 2);
	pt_vcpu_resume(rig.cpu, false, false);
	pt_vcpu_run(rig.cpu, 200);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_LOCKUP);
	pt_vcpu_request_halt(rig.cpu, PT_VHALT_HALTED);
	pt_vcpu_run(rig.cpu, 300);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
	rig_done(&rig);
}
END_TEST

/* BKPT and comparators halt in front of the instruction, again and again; without a debugger BKPT faults and a
 * comparator is nothing. */
START_TEST(breaks)
{
	struct rig rig;

	MAKE(&rig, INC_R7, INC_R7, BKPT);
	rig.is_debugged = true;
	pt_vcpu_set_breakpoint(rig.cpu, 1, true, CODE + 2);
	for (unsigned i = 1; i < 3; i++) {
		pt_vcpu_run(rig.cpu, 10 * i);
		ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
		ck_assert_uint_eq(rig.halts, PT_VHALT_BKPT);
		ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), CODE + 2);
		pt_vcpu_resume(rig.cpu, false, false);
	}
	pt_vcpu_set_breakpoint(rig.cpu, 1, false, 0);
	pt_vcpu_run(rig.cpu, 30);
	ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), CODE + 4);
	ck_assert_uint_eq(pt_vcpu_instructions(rig.cpu), 2);
	rig.is_debugged = false;
	pt_vcpu_set_breakpoint(rig.cpu, 1, true, CODE + 4);
	pt_vcpu_resume(rig.cpu, false, false);
	rig_instructions(&rig, 1);
	ck_assert_str_eq(rig.seen, "EXC 204>1300 ");
	rig_done(&rig);
}
END_TEST

START_TEST(catches_vectors)
{
	struct rig rig;

	MAKE(&rig, UDF);
	rig.catches = true;
	pt_vcpu_run(rig.cpu, 50);
	ck_assert_int_eq(pt_vcpu_state(rig.cpu), PT_VCPU_HALT);
	ck_assert_uint_eq(rig.halts, PT_VHALT_VCATCH);
	ck_assert_uint_eq(pt_vcpu_pc(rig.cpu), HANDLERS + 0x100 * PT_VEX_HARDFAULT);
	rig_done(&rig);
}
END_TEST

START_TEST(writes_pc)
{
	struct rig rig;

	MAKE(&rig, NOP);
	pt_vcpu_request_halt(rig.cpu, PT_VHALT_HALTED);
	pt_vcpu_run(rig.cpu, 5);
	pt_vcpu_set_reg(rig.cpu, 15, CODE);	/* where it is: no jump */
	pt_vcpu_set_reg(rig.cpu, 15, HANDLERS + 0x201);
	ck_assert_str_eq(rig.seen, "DBG 200>1200 ");
	pt_vcpu_set_reg(rig.cpu, 16, 0xf000003f);	/* no T bit, and the exception number stays */
	ck_assert_uint_eq(pt_vcpu_reg(rig.cpu, 16), 0xf0000000);
	rig_done(&rig);
}
END_TEST

static void count_insn(void *arg, uint32_t pc)
{
	rig_note(arg, "%x ", pc);
}

static void note_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	rig_note(arg, "%c%u %x=%x@%x ", write ? 'W' : 'R', size_bytes, addr, value, pc);
}

/* strb r0, [r1]; ldrh r2, [r1]: taps can come and go while it runs. */
START_TEST(tells_taps)
{
	struct pt_vobserver observer = { .insn = count_insn, .data = note_data };
	struct rig rig;

	MAKE(&rig, NOP, 0x7008, 0x880a, NOP);
	pt_vcpu_set_reg(rig.cpu, 0, 0xab);
	pt_vcpu_set_reg(rig.cpu, 1, DATA);
	observer.arg = &rig;
	rig_instructions(&rig, 1);
	pt_vcpu_add_observer(rig.cpu, &observer);
	rig_instructions(&rig, 2);
	pt_vcpu_remove_observer(rig.cpu, &observer);
	rig_instructions(&rig, 1);
	ck_assert_str_eq(rig.seen, "202 W1 20000000=ab@202 204 R2 20000000=ab@204 ");
	rig_done(&rig);
}
END_TEST

START_TEST(imposes_a_schedule)
{
	static const struct pt_vimposed schedule[] = { { 1, 15 }, { 4, 16 }, { 4, 17 }, { 9, 14 } };
	struct rig rig;

	MAKE(&rig, NOP, NOP, WFI, NOP, NOP);
	rig_pend(&rig, 8);			/* ignored: the schedule decides */
	pt_vcpu_impose(rig.cpu, schedule, PT_LEN(schedule));
	rig_instructions(&rig, 10);
	ck_assert_str_eq(rig.seen, "EXC 202>1f00 RET 1f02>f9>202 EXC 204>2000 EXC 2000>2100 RET 2102>f1>2000 "
				   "RET 2002>f9>204 EXC 206>1e00 ");
	rig_done(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("armv6m debug");
	TCase *tc = tcase_create("time");

	tcase_add_test(tc, sleeps_until_interrupt);
	tcase_add_test(tc, waits_for_event);
	tcase_add_test(tc, sleeps_on_exit);
	tcase_add_test(tc, counts_systick);
	tcase_add_loop_test(tc, holds_registers, 0, PT_LEN(system_registers));
	tcase_add_test(tc, asks_for_reset);
	tcase_add_test(tc, keeps_unprivileged_out);
	suite_add_tcase(suite, tc);
	tc = tcase_create("debug");
	tcase_add_test(tc, halts_and_steps);
	tcase_add_test(tc, steps_into_interrupt);
	tcase_add_test(tc, wakes_sleep_and_lockup_to_halt);
	tcase_add_test(tc, breaks);
	tcase_add_test(tc, catches_vectors);
	tcase_add_test(tc, writes_pc);
	tcase_add_test(tc, tells_taps);
	tcase_add_test(tc, imposes_a_schedule);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
