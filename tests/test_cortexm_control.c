/* Core control and breakpoints over an array with a register model of the debug unit: reasons of halts, slow registers,
 * a step that does not end, resets and lost power, comparators of both versions. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "targets/registry.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/vendor/flash.h"
#include "tests/fake_dap.h"

enum { SCS = 0xe000e000, RAM = 0x20000000 };

static struct fake_dap dap;
static struct pt_target target;
static struct pt_cortexm *cm;
static struct pt_err err;

/* --- the debug unit ----------------------------------------------------------------------------------------------- */

static struct {
	uint32_t dhcsr, dfsr, demcr, dcrdr, regs[32], matched, bpu_ctrl, dwt_ctrl, bpu[8];
	unsigned busy;		/* reads of DHCSR until S_REGRDY */
	unsigned sleeping;	/* a step does not end by itself */
	unsigned in_reset;	/* reads of DHCSR with S_RESET_ST */
	uint32_t written[64];	/* to DHCSR */
	size_t n_written;
} core;

static uint32_t read_dhcsr(void)
{
	uint32_t dhcsr = core.dhcsr;

	if (core.busy == 0)
		dhcsr |= DHCSR_S_REGRDY;
	else
		core.busy--;
	if (core.in_reset > 0) {
		dhcsr |= DHCSR_S_RESET_ST;
		core.in_reset--;
	}
	return dhcsr;
}

static uint32_t read_scs(void *arg, uint64_t addr)
{
	(void)arg;
	switch (addr - SCS) {
	case SCS_DHCSR: return read_dhcsr();
	case SCS_DFSR: return core.dfsr;
	case SCS_DEMCR: return core.demcr;
	case SCS_DCRDR: return core.dcrdr;
	default: return 0;
	}
}

static void write_dhcsr(uint32_t value)
{
	ck_assert_uint_eq(value >> 16, 0xa05f);
	if (core.n_written < PT_LEN(core.written))
		core.written[core.n_written++] = value & 0xffff;
	core.dhcsr = (core.dhcsr & ~UINT32_C(0xf)) | (value & 0xf);
	if ((value & DHCSR_C_HALT) != 0)
		core.dfsr |= (core.dhcsr & DHCSR_S_HALT) == 0 ? DFSR_HALTED : 0;
	if ((value & DHCSR_C_HALT) != 0 || ((value & DHCSR_C_STEP) != 0 && !core.sleeping))
		core.dhcsr |= DHCSR_S_HALT;
	else
		core.dhcsr &= ~(uint32_t)DHCSR_S_HALT;
	if ((value & DHCSR_C_STEP) != 0)
		core.regs[15] += 2;
}

static void write_scs(void *arg, uint64_t addr, uint32_t value)
{
	(void)arg;
	switch (addr - SCS) {
	case SCS_DHCSR:
		write_dhcsr(value);
		break;
	case SCS_DFSR:
		core.dfsr &= ~value;
		break;
	case SCS_DEMCR:
		core.demcr = value;
		break;
	case SCS_DCRDR:
		core.dcrdr = value;
		break;
	case SCS_DCRSR:
		if ((value & DCRSR_WRITE) != 0)
			core.regs[value & 0x1f] = core.dcrdr;
		else
			core.dcrdr = core.regs[value & 0x1f];
		break;
	case SCS_AIRCR:
		core.in_reset = 3;
		core.regs[15] = 0x400;
		if ((core.demcr & DEMCR_VC_CORERESET) != 0) {
			core.dhcsr |= DHCSR_S_HALT;
			core.dfsr |= DFSR_VCATCH;
		}
		break;
	default:
		break;
	}
}

static uint32_t read_units(void *arg, uint64_t addr)
{
	(void)arg;
	if (addr == 0xe0002000)
		return core.bpu_ctrl;
	if (addr >= 0xe0002008 && addr < 0xe0002028)
		return core.bpu[(addr - 0xe0002008) / 4];
	if (addr == 0xe0001000)
		return (core.demcr & DEMCR_TRCENA) != 0 ? core.dwt_ctrl : 0;
	return addr == 0xe0001028 ? core.matched : 0;
}

static void write_units(void *arg, uint64_t addr, uint32_t value)
{
	(void)arg;
	if (addr >= 0xe0002008 && addr < 0xe0002028)
		core.bpu[(addr - 0xe0002008) / 4] = value;
}

static void setup(void)
{
	memset(&core, 0, sizeof(core));
	core.bpu_ctrl = 2 << 4;
	core.dwt_ctrl = UINT32_C(2) << 28;
	core.regs[15] = 0x1000;
	fake_dap_init(&dap);
	array_mem_add(&dap.memory, RAM, 0x1000);
	array_mem_hook(&dap.memory, &(struct array_hook){ SCS, 0x1000, read_scs, write_scs, NULL });
	array_mem_hook(&dap.memory, &(struct array_hook){ 0xe0001000, 0x2000, read_units, write_units, NULL });
	cm = calloc(1, sizeof(*cm));
	target = (struct pt_target){ .ops = &pt_cortexm_ops, .state = cm };
	cm->target = &target;
	pt_adi_init(&cm->adi, &fake_dap_ops, &dap, dap.link);
	ck_assert_int_eq(pt_adi_connect(&cm->adi, &err), 0);
	cm->power_losses = cm->adi.power_losses;
	pt_mem_ap_init(&cm->ap, &cm->adi, 0);
	cm->ap.hooks = (struct pt_mem_ap_hooks){ .arg = cm, .hide = pt_cortexm_breaks_hide, .keep = pt_cortexm_breaks_keep };
	cm->mem = &cm->ap.mem;
	cm->found.unit[PT_UNIT_SCS] = SCS;
	cm->found.unit[PT_UNIT_DWT] = 0xe0001000;
	cm->found.unit[PT_UNIT_BPU] = 0xe0002000;
	ck_assert_int_eq(pt_cortexm_save(cm, &err), 0);
	ck_assert_int_eq(pt_cortexm_breaks_init(cm, &err), 0);
}

static void teardown(void)
{
	pt_cortexm_breaks_remove_all(cm, &err);
	ck_assert_ptr_null(target.leases);
	free(cm);
	fake_dap_fini(&dap);
}

static struct pt_core_status status(void)
{
	struct pt_core_status now;

	ck_assert_msg(pt_cortexm_status(cm, 0, &now, &err) == 0, "%s", err.msg);
	return now;
}

static void insert(enum pt_break_kind kind, uint64_t addr, uint32_t len, int want)
{
	struct pt_break at = { kind, addr, len };

	ck_assert_msg(pt_cortexm_breaks_insert(cm, &at, &err) == want, "%s", err.msg);
}

/* --- states and reasons ------------------------------------------------------------------------------------------- */

static const struct { uint32_t dhcsr; enum pt_run_state state; } states[] = {
	{ 0, PT_RUNNING }, { DHCSR_S_SLEEP, PT_SLEEPING }, { DHCSR_S_LOCKUP, PT_LOCKED_UP },
	{ DHCSR_S_HALT, PT_HALTED },
};

START_TEST(names_the_state)
{
	core.dhcsr = states[_i].dhcsr;
	ck_assert_int_eq(status().state, states[_i].state);
}
END_TEST

static const struct {
	uint32_t dfsr, pc;
	enum pt_halt_reason reason;
	uint64_t addr;
	bool source_halts, stepped;
} reasons[] = {
	{ DFSR_HALTED, 0x1000, PT_HALT_REQUEST, PT_UNKNOWN, false, false },
	{ DFSR_HALTED, 0x1000, PT_HALT_STEP, PT_UNKNOWN, false, true },
	{ DFSR_BKPT, 0x1000, PT_HALT_BKPT, PT_UNKNOWN, false, false },
	{ DFSR_BKPT, 0x1200, PT_HALT_BREAK_HW, 0x1200, false, false },
	{ DFSR_BKPT | DFSR_HALTED, 0x1202, PT_HALT_BREAK_SW, 0x1202, false, false },
	{ DFSR_BKPT, RAM + 2, PT_HALT_BREAK_SW, RAM + 2, false, false },
	{ DFSR_DWTTRAP, 0x1000, PT_HALT_WATCH_READ, RAM + 16, false, false },
	{ DFSR_VCATCH | DFSR_HALTED, 0x1000, PT_HALT_VECTOR_CATCH, PT_UNKNOWN, false, false },
	{ DFSR_EXTERNAL, 0x1000, PT_HALT_EXTERNAL, PT_UNKNOWN, false, false },
	{ DFSR_EXTERNAL, 0x1000, PT_HALT_TRACE, PT_UNKNOWN, true, false },
	{ DFSR_EXTERNAL | DFSR_BKPT, 0x1200, PT_HALT_BREAK_HW, 0x1200, true, false },
};

START_TEST(names_the_reason)
{
	insert(PT_BREAK_HW, 0x1200, 2, 0);
	insert(PT_BREAK_SW, 0x1202, 2, 0);	/* not RAM: takes a comparator, answers as it was asked for */
	insert(PT_BREAK_SW, RAM + 2, 2, 0);
	insert(PT_WATCH_READ, RAM + 16, 4, 0);
	core.matched = DWT_MATCHED;
	core.dhcsr |= DHCSR_S_HALT;
	core.dfsr = reasons[_i].dfsr;
	core.regs[15] = reasons[_i].pc;
	cm->source_halts = reasons[_i].source_halts;
	cm->stepped = reasons[_i].stepped;
	ck_assert_int_eq(status().state, PT_HALTED);
	ck_assert_int_eq(status().reason, reasons[_i].reason);	/* the second look is the same */
	ck_assert_uint_eq(status().addr, reasons[_i].addr);
}
END_TEST

START_TEST(reset_and_lost_power_are_told_once)
{
	core.in_reset = 1;
	ck_assert(status().was_reset);
	ck_assert(!status().was_reset);
	core.in_reset = 100;
	ck_assert_int_eq(status().state, PT_IN_RESET);
	core.in_reset = 0;
	ck_assert(status().was_reset);
	dap.absent = true;
	ck_assert_int_eq(status().state, PT_LOST);
	dap.absent = false;
	dap.ctrl_stat = 0;
	for (int i = 0; i < 3 && !status().was_reset; i++)
		ck_assert_int_lt(i, 2);
	ck_assert_int_eq(status().state, PT_RUNNING);
}
END_TEST

/* --- halt, step, resume ------------------------------------------------------------------------------------------- */

START_TEST(step_is_one_round_trip_without_breakpoints)
{
	unsigned n_runs;

	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	n_runs = dap.n_runs;
	ck_assert_int_eq(pt_cortexm_step(cm, 0, &err), 0);
	ck_assert_uint_eq(dap.n_runs - n_runs, 1);
	ck_assert_int_eq(status().reason, PT_HALT_STEP);
}
END_TEST

START_TEST(interrupts_are_masked_while_halted)
{
	static const uint32_t want[] = { 0xb, 0xd, 0x3, 0x1 };	/* mask, step, unmask, run */

	cm->mask_step = true;
	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	core.n_written = 0;
	ck_assert_int_eq(pt_cortexm_step(cm, 0, &err), 0);
	ck_assert_int_eq(pt_cortexm_resume(cm, 0, &err), 0);
	ck_assert_uint_eq(core.n_written, PT_LEN(want));
	for (size_t i = 0; i < PT_LEN(want); i++)
		ck_assert_uint_eq(core.written[i], want[i]);
}
END_TEST

START_TEST(a_step_into_sleep_is_ended)
{
	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	core.sleeping = 1;
	ck_assert_int_eq(pt_cortexm_step(cm, 0, &err), 0);
	ck_assert_int_eq(status().state, PT_HALTED);
}
END_TEST

START_TEST(resume_steps_off_a_breakpoint)
{
	insert(PT_BREAK_HW, 0x1000, 2, 0);
	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	ck_assert_int_eq(pt_cortexm_resume(cm, 0, &err), 0);
	ck_assert_uint_eq(core.regs[15], 0x1002);
	ck_assert_uint_eq(core.dhcsr & DHCSR_S_HALT, 0);
	ck_assert_uint_eq(core.dhcsr & DHCSR_C_MASKINTS, 0);
	ck_assert_uint_eq(core.bpu[0], 0x40001001);	/* back in place */
}
END_TEST

START_TEST(slow_registers_are_waited_for)
{
	uint16_t rows[] = { 0, 1, 2 };
	uint64_t values[3];

	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	for (uint32_t i = 0; i < 3; i++)
		core.regs[i] = 100 + i;
	core.busy = 6;
	ck_assert_msg(pt_cortexm_read_registers(cm, 0, rows, 3, values, &err) == 0, "%s", err.msg);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(values[i], 100 + i);
	core.busy = 100000;
	ck_assert_int_eq(pt_cortexm_read_registers(cm, 0, rows, 1, values, &err), PT_ETIMEOUT);
}
END_TEST

START_TEST(special_registers_share_a_word)
{
	uint16_t rows[] = { 19, 20 };
	uint64_t values[] = { 1, 2 };

	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	core.regs[20] = 0xaabbcc00;
	ck_assert_int_eq(pt_cortexm_write_registers(cm, 0, rows, 2, values, &err), 0);
	ck_assert_uint_eq(core.regs[20], 0x02bbcc01);
	ck_assert_int_eq(pt_cortexm_read_registers(cm, 0, rows, 2, values, &err), 0);
	ck_assert_uint_eq(values[0], 1);
	ck_assert_uint_eq(values[1], 2);
	core.dhcsr = 0;
	ck_assert_int_eq(pt_cortexm_write_registers(cm, 0, rows, 1, values, &err), PT_ESTATE);
}
END_TEST

START_TEST(reset_catches_the_vector_and_restores_demcr)
{
	core.demcr = cm->demcr = cm->found_demcr = DEMCR_TRCENA;
	ck_assert_msg(pt_cortexm_reset(cm, PT_RESET_HALT, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(status().reason, PT_HALT_VECTOR_CATCH);
	ck_assert_uint_eq(core.demcr, DEMCR_TRCENA);
	ck_assert(!status().was_reset);
}
END_TEST

START_TEST(a_reset_that_does_nothing_is_an_error)
{
	cm->reset_pin = true;	/* a pin that is not connected */
	ck_assert_int_eq(pt_cortexm_reset(cm, PT_RESET_RUN, &err), PT_ETIMEOUT);
	ck_assert_uint_eq(dap.n_reset_pin, 1);
}
END_TEST

static const struct { uint32_t dhcsr; bool resume, halted; uint32_t debugen; } detaches[] = {
	{ 0, true, false, 0 }, { DHCSR_C_DEBUGEN, true, false, 1 }, { 0, false, true, 1 },
};

START_TEST(restore_leaves_it_as_found)
{
	cm->found_dhcsr = detaches[_i].dhcsr;
	cm->catch_faults = true;
	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	ck_assert_uint_eq(core.demcr & DEMCR_VC_HARDERR, DEMCR_VC_HARDERR);
	ck_assert_int_eq(pt_cortexm_restore(cm, detaches[_i].resume, &err), 0);
	ck_assert_uint_eq(core.demcr, 0);
	ck_assert_int_eq((core.dhcsr & DHCSR_S_HALT) != 0, detaches[_i].halted);
	ck_assert_uint_eq(core.dhcsr & DHCSR_C_DEBUGEN, detaches[_i].debugen);
}
END_TEST

static const struct { uint32_t dhcsr; bool pcsr, source_halts, halted; uint32_t debugen, demcr; } leaves[] = {
	{ 0, false, false, false, 0, 0 },
	{ DHCSR_C_DEBUGEN, false, false, false, 1, 0 },
	{ 0, true, false, false, 0, DEMCR_TRCENA },
	{ 0, false, true, false, 1, DEMCR_VC_HARDERR | DEMCR_TRCENA },
	{ 0, false, false, true, 1, 0 },	/* stays halted, and else as it was found */
};

START_TEST(who_leaves_turns_off_what_debugging_needs)
{
	ck_assert_int_eq(pt_cortexm_save(cm, &err), 0);
	cm->found_dhcsr = leaves[_i].dhcsr;
	cm->catch_faults = true;
	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);
	ck_assert_int_eq(pt_cortexm_set_demcr(cm, DEMCR_TRCENA, 0, &err), 0);
	if (leaves[_i].pcsr)
		ck_assert_int_eq(pt_lease_take(cm->target, "dwt.pcsr", "profile", &err), 0);
	cm->source_halts = leaves[_i].source_halts;
	if (!leaves[_i].halted)
		ck_assert_int_eq(pt_cortexm_resume(cm, 0, &err), 0);
	ck_assert_int_eq(pt_cortexm_leave(cm, &err), 0);
	ck_assert(!cm->attended);
	ck_assert_int_eq((core.dhcsr & DHCSR_S_HALT) != 0, leaves[_i].halted);
	ck_assert_uint_eq(core.dhcsr & DHCSR_C_DEBUGEN, leaves[_i].debugen);
	ck_assert_uint_eq(core.demcr, leaves[_i].demcr);
	ck_assert_int_eq(pt_cortexm_halt(cm, 0, &err), 0);		/* the next debugger finds everything at work */
	ck_assert_uint_eq(core.demcr & DEMCR_VC_HARDERR, DEMCR_VC_HARDERR);
	pt_lease_drop(cm->target, "dwt.pcsr", "profile");
}
END_TEST

START_TEST(load_is_refused_on_a_chip_without_a_flash_row)
{
	static const uint8_t bytes[4];

	snprintf(cm->chip.name, sizeof(cm->chip.name), "SAMD21");
	ck_assert_int_eq(pt_cortexm_flash_erase(cm, 0, 0x400, &err), PT_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "SAMD21: how to program the flash") != NULL, "%s", err.msg);
	ck_assert_msg(strstr(err.msg, "debugging and profiling go on") != NULL, "%s", err.msg);
	ck_assert_int_eq(pt_cortexm_flash_write(cm, 0, bytes, sizeof(bytes), &err), PT_EUNSUPPORTED);
}
END_TEST

/* --- breakpoints -------------------------------------------------------------------------------------------------- */

static const struct { uint32_t ctrl; uint64_t addr; int rc; uint32_t comp; } comparators[] = {
	{ 2 << 4, 0x1000, 0, 0x40001001 },
	{ 2 << 4, 0x1002, 0, 0x80001001 },
	{ 2 << 4, RAM + 4, PT_EUNSUPPORTED, 0 },
	{ 0x10000080, 0x1002, 0, 0x1003 },
	{ 0x10000080, 0x08000100, 0, 0x08000101 },
	{ 0x10000080, RAM + 4, 0, RAM + 5 },
	{ 0, 0x1000, PT_EUNSUPPORTED, 0 },
	{ 2 << 4, 0x1001, PT_EARG, 0 },
	{ 2 << 4, UINT64_C(0x100000000), PT_EARG, 0 },
};

START_TEST(comparators_of_both_versions)
{
	core.bpu_ctrl = comparators[_i].ctrl;
	ck_assert_int_eq(pt_cortexm_breaks_init(cm, &err), 0);
	insert(PT_BREAK_HW, comparators[_i].addr, 2, comparators[_i].rc);
	ck_assert_uint_eq(core.bpu[0], comparators[_i].comp);
}
END_TEST

START_TEST(a_leased_comparator_is_not_taken)
{
	ck_assert_int_eq(pt_lease_take(&target, "bpu.0", "branch trace", &err), 0);
	insert(PT_BREAK_HW, 0x1000, 2, 0);
	ck_assert_uint_eq(core.bpu[0], 0);
	ck_assert_uint_eq(core.bpu[1], 0x40001001);
	insert(PT_BREAK_HW, 0x1004, 2, PT_EBUSY);
	pt_lease_drop(&target, "bpu.0", "branch trace");
	insert(PT_BREAK_HW, 0x1004, 2, 0);
}
END_TEST

START_TEST(breakpoints_survive_lost_power)
{
	insert(PT_BREAK_HW, 0x1000, 2, 0);
	insert(PT_BREAK_SW, RAM + 8, 2, 0);
	core.bpu[0] = 0;
	array_mem_set_word(&dap.memory, RAM + 8, 0);
	core.in_reset = 1;
	ck_assert(status().was_reset);
	ck_assert_uint_eq(core.bpu[0], 0x40001001);
	ck_assert_uint_eq(array_mem_word(&dap.memory, RAM + 8), 0xbe00);
}
END_TEST

START_TEST(software_breakpoints_are_bounded)
{
	for (uint32_t i = 0; i < PT_MAX_SOFT; i++)
		insert(PT_BREAK_SW, RAM + 2 * i, 2, 0);
	insert(PT_BREAK_SW, RAM + 2 * PT_MAX_SOFT, 2, PT_EBUSY);
	insert(PT_BREAK_SW, RAM, 2, 0);		/* is there */
	ck_assert_uint_eq(array_mem_word(&dap.memory, RAM), 0xbe00be00);
	ck_assert_int_eq(pt_cortexm_breaks_remove_all(cm, &err), 0);
	ck_assert_uint_eq(array_mem_word(&dap.memory, RAM), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cortexm control");
	TCase *tc = tcase_create("control");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, names_the_state, 0, PT_LEN(states));
	tcase_add_loop_test(tc, names_the_reason, 0, PT_LEN(reasons));
	tcase_add_test(tc, reset_and_lost_power_are_told_once);
	tcase_add_test(tc, step_is_one_round_trip_without_breakpoints);
	tcase_add_test(tc, interrupts_are_masked_while_halted);
	tcase_add_test(tc, a_step_into_sleep_is_ended);
	tcase_add_test(tc, resume_steps_off_a_breakpoint);
	tcase_add_test(tc, slow_registers_are_waited_for);
	tcase_add_test(tc, special_registers_share_a_word);
	tcase_add_test(tc, reset_catches_the_vector_and_restores_demcr);
	tcase_add_test(tc, a_reset_that_does_nothing_is_an_error);
	tcase_add_loop_test(tc, restore_leaves_it_as_found, 0, PT_LEN(detaches));
	tcase_add_test(tc, load_is_refused_on_a_chip_without_a_flash_row);
	tcase_add_loop_test(tc, who_leaves_turns_off_what_debugging_needs, 0, PT_LEN(leaves));
	tcase_add_loop_test(tc, comparators_of_both_versions, 0, PT_LEN(comparators));
	tcase_add_test(tc, a_leased_comparator_is_not_taken);
	tcase_add_test(tc, breakpoints_survive_lost_power);
	tcase_add_test(tc, software_breakpoints_are_bounded);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
