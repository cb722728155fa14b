/* The MTB of the virtual KL27 while real Thumb code runs on its core: packets of branches, interrupts and steps, halts
 * at a watermark, and the ways in which tracing ends. */
#include "kl27_rig.h"

enum { POSITION = 0xf0000000, MASTER = 0xf0000004, FLOW = 0xf0000008 };
enum { CODE = 0x20001000, BUFFER = 0x1fffe000, BIG = 0x20000000 };
#define EN (1u << 31)
#define HALTREQ (1u << 9)

static struct rig rig;

static void setup(void)
{
	rig = rig_open(NULL, NULL, 0);
}

static void teardown(void)
{
	rig_close(&rig);
}

static void arm(uint32_t watermark_and_action, uint32_t mask)
{
	rig_write(&rig, MASTER, 0x80);
	rig_write(&rig, POSITION, BUFFER);
	rig_write(&rig, FLOW, watermark_and_action);
	rig_write(&rig, MASTER, EN | 0x80 | mask);
}

static void resume(void)
{
	rig_write(&rig, DHCSR, 0xa05f0001);
}

static void ck_halted(uint32_t why)
{
	ck_assert_uint_ne(rig_read(&rig, DHCSR) & S_HALT, 0);
	ck_assert_uint_eq(rig_read(&rig, DFSR), why);
}

/* The packets in the buffer are these, and no more. */
static void ck_packets(const uint32_t (*want)[2], size_t n)
{
	rig_write(&rig, MASTER, 0x80 | 4);
	ck_assert_uint_eq(rig_read(&rig, POSITION), (BUFFER & 0x7fff) + 8 * n);
	for (uint32_t i = 0; i < n; i++) {
		ck_assert_msg(rig_read(&rig, BUFFER + 8 * i) == want[i][0], "packet %u: from 0x%x", i,
			      rig_read(&rig, BUFFER + 8 * i));
		ck_assert_msg(rig_read(&rig, BUFFER + 8 * i + 4) == want[i][1], "packet %u: to 0x%x", i,
			      rig_read(&rig, BUFFER + 8 * i + 4));
	}
}

/* 0: movs r0, #2
 * 2: subs r0, #1
 * 4: bne 2		taken once
 * 6: bl e
 * a: beq 10		not taken: Z was cleared
 * c: bkpt
 * e: adds r0, #1
 * 10: bx lr */
static const uint16_t branches[] = { 0x2002, 0x3801, 0xd1fd, 0xf000, 0xf802, 0xd001, 0xbe00, 0x3001, 0x4770 };
START_TEST(records_what_is_taken_and_nothing_else)
{
	static const uint32_t want[][2] = {
		{ CODE + 0x4, CODE + 0x2 + 1 },	/* S: the first since EN rose */
		{ CODE + 0x6, CODE + 0xe },
		{ CODE + 0x10, CODE + 0xa },
	};

	rig_code(&rig, CODE, branches, PT_LEN(branches));
	rig_write(&rig, DFSR, 0x1f);
	arm(0, 8);
	resume();
	ck_halted(2);
	ck_assert_uint_eq(rig_reg(&rig, 15), CODE + 0xc);
	ck_packets(want, PT_LEN(want));
}
END_TEST

/* 0: svc 0
 * 2: bkpt
 * 4: bx lr		the handler of SVC */
static const uint16_t calling[] = { 0xdf00, 0xbe00, 0x4770 };
START_TEST(records_entry_and_return_of_an_exception)
{
	static const uint32_t want[][2] = {
		{ (CODE + 2) | 1, (CODE + 4) | 1 },	/* A: source is the return address. S */
		{ CODE + 4, 0xfffffff8 },
		{ 0xfffffff9, CODE + 2 },		/* A */
	};

	rig_code(&rig, CODE, calling, PT_LEN(calling));
	rig_set_reg(&rig, 20, 0);	/* PRIMASK = 0 */
	pt_put_le32(rig.chip->flash + 4 * PT_VEX_SVCALL, (CODE + 4) | 1);
	rig_write(&rig, 0xe000e010, 0);
	rig_write(&rig, 0xe000e180, 0xffffffff);
	rig_write(&rig, 0xe000ed04, 0x0a000000);
	rig_write(&rig, DFSR, 0x1f);
	arm(0, 8);
	resume();
	ck_halted(2);
	ck_packets(want, PT_LEN(want));
}
END_TEST

/* A handler that ends while another exception pends: svc's handler pends PendSV (str r1, [r2]) and returns into it. */
static const uint16_t chaining[] = { 0xdf00, 0xbe00, 0x6011, 0xbf00, 0x4770 };
static void chain(const char *variant, const uint32_t (*want)[2], size_t n)
{
	rig_close(&rig);
	rig = rig_open(variant, NULL, 0);
	rig_code(&rig, CODE, chaining, PT_LEN(chaining));
	rig_set_reg(&rig, 20, 0);
	rig_set_reg(&rig, 1, 1u << 28);
	rig_set_reg(&rig, 2, 0xe000ed04);
	pt_put_le32(rig.chip->flash + 4 * PT_VEX_SVCALL, (CODE + 4) | 1);
	pt_put_le32(rig.chip->flash + 4 * PT_VEX_PENDSV, (CODE + 8) | 1);
	rig_write(&rig, 0xe000e010, 0);
	rig_write(&rig, 0xe000e180, 0xffffffff);
	rig_write(&rig, 0xe000ed04, 0x0a000000);
	rig_write(&rig, 0xe000ed1c, 0);		/* SVC and PendSV at one priority: no preemption */
	rig_write(&rig, 0xe000ed20, 0);
	rig_write(&rig, DFSR, 0x1f);
	arm(0, 8);
	resume();
	ck_halted(2);
	ck_packets(want, n);
}

START_TEST(records_tail_chaining_as_a_pair)
{
	static const uint32_t want[][2] = {
		{ (CODE + 2) | 1, (CODE + 4) | 1 },
		{ CODE + 8, 0xfffffff8 },
		{ 0xfffffff9, CODE + 8 },
		{ CODE + 8, 0xfffffff8 },
		{ 0xfffffff9, CODE + 2 },
	};

	chain(NULL, want, PT_LEN(want));
}
END_TEST

START_TEST(records_tail_chaining_as_one_packet_if_set)
{
	static const uint32_t want[][2] = {
		{ (CODE + 2) | 1, (CODE + 4) | 1 },
		{ CODE + 8, CODE + 8 },
		{ CODE + 8, 0xfffffff8 },
		{ 0xfffffff9, CODE + 2 },
	};

	chain("mtb-tail-single", want, PT_LEN(want));
}
END_TEST

START_TEST(records_a_pc_that_the_debugger_writes)
{
	static const uint32_t want[][2] = { { CODE | 1, (CODE + 0xc) | 1 } };

	rig_code(&rig, CODE, branches, PT_LEN(branches));
	arm(0, 8);
	rig_set_reg(&rig, 15, CODE + 0xc);
	rig_write(&rig, DFSR, 0x1f);
	resume();
	ck_halted(2);
	ck_packets(want, PT_LEN(want));
}
END_TEST

/* Two taken branches in a circle: adds r0, #1; b +0; adds r0, #1; b - 8 */
static const uint16_t circle[] = { 0x3001, 0xe7ff, 0x3001, 0xe7fb };

START_TEST(stops_itself_and_lets_the_core_run)
{
	rig_code(&rig, CODE, circle, PT_LEN(circle));
	arm((BUFFER + 0xff8) | 1, 8);	/* 4 KiB, stop one packet before the end */
	resume();
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(rig_read(&rig, MASTER), 0x88);
	ck_assert_uint_eq(rig_read(&rig, POSITION), 0x6ff8);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_HALT, 0);
	for (uint32_t at = BUFFER; at < BUFFER + 0xff8; at += 16) {
		ck_assert_uint_eq(rig_read(&rig, at), CODE + 2);
		ck_assert_uint_eq(rig_read(&rig, at + 4), (CODE + 4) | (at == BUFFER));
		if (at + 8 == BUFFER + 0xff8)
			break;
		ck_assert_uint_eq(rig_read(&rig, at + 8), CODE + 6);
		ck_assert_uint_eq(rig_read(&rig, at + 12), CODE);
	}
	rig_write(&rig, POSITION, BUFFER);	/* and again, as bursts do */
	rig_write(&rig, MASTER, EN | 0x88);
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(rig_read(&rig, POSITION), 0x6ff8);
	ck_assert_uint_eq(rig_read(&rig, BUFFER + 4) & 1, 1);
}
END_TEST

START_TEST(wraps_until_it_is_told_to_stop)
{
	rig_code(&rig, CODE, circle, PT_LEN(circle));
	arm(0, 2);	/* 64 bytes */
	resume();
	rig_run(&rig, 100000);
	rig_write(&rig, MASTER, 0x82);
	ck_assert_uint_eq(rig_read(&rig, POSITION) & ~0x38u, 0x6000 | 4);
	for (uint32_t at = BUFFER; at < BUFFER + 64; at += 8)
		ck_assert(rig_read(&rig, at) == CODE + 2 || rig_read(&rig, at) == CODE + 6);
}
END_TEST

/* AUTOHALT: the core stops so many instructions behind the packet that met the watermark. */
static const struct { const char *variant; uint32_t pc, packets; } skids[] = {
	{ NULL, CODE + 2, 8 },		/* one: the instruction at the branch's target */
	{ "skid-2", CODE + 4, 9 },
	{ "skid-5", CODE + 2, 10 },
};
START_TEST(halts_the_core_at_the_watermark)
{
	rig_close(&rig);
	rig = rig_open(skids[_i].variant, NULL, 0);
	rig_code(&rig, CODE, circle, PT_LEN(circle));
	rig_write(&rig, DFSR, 0x1f);
	arm((BUFFER + 64) | 2, 8);
	resume();
	ck_halted(16);
	ck_assert_uint_eq(rig_reg(&rig, 15), skids[_i].pc);
	ck_assert_uint_eq(rig_read(&rig, MASTER), EN | HALTREQ | 0x88);
	ck_assert_uint_eq(rig_read(&rig, POSITION), 0x6000 + 8 * skids[_i].packets);
	resume();			/* HALTREQ stands: at once again */
	ck_halted(16);
	rig_write(&rig, MASTER, 0x88);
	rig_write(&rig, DFSR, 0x1f);
	resume();
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_HALT, 0);
}
END_TEST

/* adds r0, #1; b +0 (into wfi); wfi; b - 8 */
static const uint16_t drowsy[] = { 0x3001, 0xe7ff, 0xbf30, 0xe7fb };
START_TEST(halts_a_core_that_falls_asleep_in_the_skid)
{
	rig_close(&rig);
	rig = rig_open("skid-4", NULL, 0);
	rig_code(&rig, CODE, drowsy, PT_LEN(drowsy));
	rig_write(&rig, 0xe000e010, 0);
	rig_write(&rig, 0xe000e180, 0xffffffff);
	rig_write(&rig, 0xe000ed04, 0x0a000000);
	rig_write(&rig, DFSR, 0x1f);
	arm((BUFFER + 8) | 2, 8);
	resume();
	ck_halted(16);
}
END_TEST

START_TEST(needs_halting_debug_to_halt)
{
	rig_code(&rig, CODE, circle, PT_LEN(circle));
	rig_write(&rig, DFSR, 0x1f);
	arm((BUFFER + 64) | 2, 4);
	rig_write(&rig, DHCSR, 0xa05f0000);
	ck_assert_uint_eq(rig_read(&rig, DHCSR) & S_HALT, 0);
	ck_assert_uint_eq(rig_read(&rig, MASTER) & HALTREQ, HALTREQ);
	rig_write(&rig, DHCSR, 0xa05f0001);	/* the request still stands */
	ck_halted(16);
}
END_TEST

START_TEST(mtb_dwt_traces_one_function_only)
{
	static const uint32_t want[][2] = { { CODE + 0x6, (CODE + 0xe) | 1 } };

	rig_code(&rig, CODE, branches, PT_LEN(branches));
	rig_write(&rig, DFSR, 0x1f);
	rig_write(&rig, 0xf0001020, CODE + 0x6);	/* from the bl ... */
	rig_write(&rig, 0xf0001028, 4);
	rig_write(&rig, 0xf0001030, CODE + 0x10);	/* ... until the bx, which is not recorded */
	rig_write(&rig, 0xf0001038, 4);
	rig_write(&rig, 0xf0001200, 1);
	rig_write(&rig, MASTER, 0x80);
	rig_write(&rig, POSITION, BUFFER);
	rig_write(&rig, FLOW, 0);
	rig_write(&rig, MASTER, 0xe4);	/* TSTARTEN, TSTOPEN, EN = 0 */
	resume();
	ck_halted(2);
	ck_assert_uint_eq(rig_read(&rig, MASTER), 0xe4);
	ck_packets(want, PT_LEN(want));
}
END_TEST

START_TEST(reset_ends_a_trace)
{
	rig_code(&rig, CODE, circle, PT_LEN(circle));
	arm(0, 4);
	resume();
	rig_write(&rig, AIRCR, 0x05fa0004);
	rig_run(&rig, 1000000);
	ck_assert_uint_eq(rig_read(&rig, MASTER) & (EN | 0x80), 0x80);
	ck_assert_uint_eq(rig.chip->n_resets, 1);
}
END_TEST

/* str r1, [r2]: firmware switches the MTB on for itself, from the next branch on. */
static const uint16_t own_use[] = { 0x6011, 0xe7fe };
static const struct { const char *name; uint32_t control; bool taken; } firmware[] = {
	{ "privileged", 0, true },
	{ "user", 1u << 24, false },	/* CONTROL.nPRIV: SFRWPRIV refuses */
};
START_TEST(firmware_may_use_the_mtb_itself)
{
	rig_write(&rig, MASTER, 0x80);
	rig_write(&rig, POSITION, BUFFER);
	rig_write(&rig, FLOW, 0);
	rig_code(&rig, CODE, own_use, PT_LEN(own_use));
	rig_set_reg(&rig, 1, EN | 0x84);
	rig_set_reg(&rig, 2, MASTER);
	rig_set_reg(&rig, 20, firmware[_i].control | 1);
	resume();
	ck_assert_msg((rig_read(&rig, MASTER) == (EN | 0x84)) == firmware[_i].taken, "%s", firmware[_i].name);
	ck_assert_uint_eq(pt_kl27_peek(rig.chip, BUFFER) == CODE + 2, firmware[_i].taken);
}
END_TEST

/* ldr r3, [r2]; str r1, [r2]; b . */
static const uint16_t poking[] = { 0x6813, 0x6011, 0xe7fe };
static const struct { const char *name; uint32_t master, control; bool sees; } guards[] = {
	{ "open, user", 0x80, 1u << 24, true },
	{ "guarded, privileged", 0x180, 0, true },
	{ "guarded, user", 0x180, 1u << 24, false },
};
START_TEST(rampriv_hides_the_ram_from_user_code)
{
	/* The code stands in flash, as user code cannot run from a RAM that it cannot read. */
	rig_code(&rig, CODE, poking, PT_LEN(poking));
	memcpy(rig.chip->flash + 0x3000, poking, sizeof(poking));
	pt_vbus_changed(&rig.chip->bus, 0x3000, sizeof(poking));
	rig_set_reg(&rig, 15, 0x3000);
	rig_set_reg(&rig, 1, 0x11111111);
	rig_set_reg(&rig, 2, 0x20002000);
	rig_set_reg(&rig, 20, guards[_i].control | 1);
	rig_write(&rig, 0x20002000, 0xcafef00d);
	rig_write(&rig, MASTER, guards[_i].master);
	resume();
	rig_halt(&rig);
	ck_assert_msg((rig_reg(&rig, 3) == 0xcafef00d) == guards[_i].sees, "%s", guards[_i].name);
	/* The debugger sees it, guarded or not. */
	ck_assert_uint_eq(rig_read(&rig, 0x20002000), guards[_i].sees ? 0x11111111 : 0xcafef00d);
	rig_write(&rig, MASTER, 0x80);
	ck_assert_uint_eq(rig_read(&rig, 0x20002000), guards[_i].sees ? 0x11111111 : 0xcafef00d);
}
END_TEST

static uint32_t length_at(uint32_t pc)
{
	return (pt_kl27_peek(rig.chip, pc) & 0xffff) >= 0xe800 ? 4 : 2;
}

/* The log from at on is the straight line [*pc, end). Returns where the log goes on. */
static size_t follow(const struct pt_vtruth *truth, size_t at, uint32_t pc, uint32_t end)
{
	for (; pc != end; pc += length_at(pc)) {
		ck_assert_uint_lt(at, truth->n_logged);
		ck_assert_uint_eq(truth->log[at++], pc);
	}
	return at;
}

/* Joined as a host reads them, the packets of the demo give the pcs that the core executed, every one. */
START_TEST(packets_of_the_demo_give_every_pc_it_executed)
{
	struct pt_vtruth truth;
	uint32_t pc, exceptions = 0;
	size_t at = 0;

	rig_run(&rig, 4000000);
	rig_halt(&rig);
	ck_assert(pt_kl27_watch(rig.chip, &truth, 1000000));
	rig_write(&rig, MASTER, 0x80);
	rig_write(&rig, POSITION, BIG);
	rig_write(&rig, FLOW, (BIG + 0x3ff8) | 1);
	rig_write(&rig, MASTER, EN | 0x80 | 10);	/* 16 KiB */
	pc = rig_reg(&rig, 15);
	resume();
	rig_run(&rig, 200000000);
	rig_halt(&rig);
	ck_assert_uint_eq(rig_read(&rig, POSITION), 0x3ff8);
	for (uint32_t p = BIG; p < BIG + 0x3ff8; p += 8) {
		uint32_t from = pt_kl27_peek(rig.chip, p), to = pt_kl27_peek(rig.chip, p + 4);

		if (from < 0xff000000)
			at = follow(&truth, at, pc, (from & ~1u) + ((from & 1) == 0 ? length_at(from) : 0));
		exceptions += from & 1;
		pc = to & ~1u;
	}
	ck_assert_uint_gt(at, 4000);
	ck_assert_uint_gt(exceptions, 4);
	pt_vtruth_fini(&truth);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kl27 trace");
	TCase *tc = tcase_create("mtb");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, records_what_is_taken_and_nothing_else);
	tcase_add_test(tc, records_entry_and_return_of_an_exception);
	tcase_add_test(tc, records_tail_chaining_as_a_pair);
	tcase_add_test(tc, records_tail_chaining_as_one_packet_if_set);
	tcase_add_test(tc, records_a_pc_that_the_debugger_writes);
	tcase_add_test(tc, stops_itself_and_lets_the_core_run);
	tcase_add_test(tc, wraps_until_it_is_told_to_stop);
	tcase_add_loop_test(tc, halts_the_core_at_the_watermark, 0, PT_LEN(skids));
	tcase_add_test(tc, halts_a_core_that_falls_asleep_in_the_skid);
	tcase_add_test(tc, needs_halting_debug_to_halt);
	tcase_add_test(tc, mtb_dwt_traces_one_function_only);
	tcase_add_test(tc, reset_ends_a_trace);
	tcase_add_loop_test(tc, firmware_may_use_the_mtb_itself, 0, PT_LEN(firmware));
	tcase_add_loop_test(tc, rampriv_hides_the_ram_from_user_code, 0, PT_LEN(guards));
	tcase_add_test(tc, packets_of_the_demo_give_every_pc_it_executed);
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
