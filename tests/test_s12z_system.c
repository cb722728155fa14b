/* The virtual S12Z around its instructions: conditions, exceptions, interrupts, sleep, background mode, taps and
 * memory. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "s12z_rig.h"

enum { NOP = 0x01, RTI_2 = 0x90, PAGE_2 = 0x1b, WAI_2 = 0x06, STOP_2 = 0x05, SWI = 0xff };
enum { C = 1, V = 2, Z = 4, N = 8 };
#define HANDLER(n) (S12Z_HANDLERS + 0x10u * (n))

static struct s12z_rig rig;

/* --- conditions: op-code 22..2f on all flags, by the words of any 68HC textbook */

static bool says(unsigned opcode, unsigned f)
{
	bool c = f & C, v = f & V, z = f & Z, n = f & N;

	switch (opcode) {
	case 0x22: return !c && !z;		/* HI */
	case 0x23: return c || z;		/* LS */
	case 0x24: return !c;			/* CC */
	case 0x25: return c;			/* CS */
	case 0x26: return !z;			/* NE */
	case 0x27: return z;			/* EQ */
	case 0x28: return !v;			/* VC */
	case 0x29: return v;			/* VS */
	case 0x2a: return !n;			/* PL */
	case 0x2b: return n;			/* MI */
	case 0x2c: return n == v;		/* GE */
	case 0x2d: return n != v;		/* LT */
	case 0x2e: return !z && n == v;		/* GT */
	default: return z || n != v;		/* LE */
	}
}

START_TEST(branches_on_conditions)
{
	unsigned opcode = 0x22 + (unsigned)_i / 16, flags = (unsigned)_i % 16;

	S12Z_MAKE(&rig, (uint8_t)opcode, 0x10);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, 0xd0 | flags);
	s12z_steps(&rig, 1);
	ck_assert_msg(pt_vs12z_pc(rig.cpu) == S12Z_CODE + (says(opcode, flags) ? 0x10 : 2), "%02x with flags %x",
		      opcode, flags);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW), 0xd0 | flags);
	ck_assert_str_eq(rig.seen, says(opcode, flags) ? "C 8000>8010+ B 8000>8010 " : "C 8000>8010- ");
	s12z_done(&rig);
}
END_TEST

/* --- exceptions */

/* Vector, its code, and how long the code is: the return address is behind it. */
static const struct { unsigned vector; uint8_t code[2]; unsigned n_bytes; } software[] = {
	{ PT_VS12Z_SWI,   { SWI },          1 },
	{ PT_VS12Z_SPARE, { 0xef },         1 },
	{ PT_VS12Z_SYS,   { PAGE_2, 0x07 }, 2 },
	{ PT_VS12Z_TRAP,  { PAGE_2, 0x92 }, 2 },
	{ PT_VS12Z_TRAP,  { PAGE_2, 0xa8 }, 2 },
	{ PT_VS12Z_TRAP,  { PAGE_2, 0xff }, 2 },
};
static const char registers[] =
	"ccw=85 d0=10 d1=11 d2=2021 d3=3031 d4=4041 d5=5051 d6=60616263 d7=70717273 x=808182 y=909192";

START_TEST(stacks_29_bytes)
{
	unsigned n = software[_i].vector;
	uint32_t back = S12Z_CODE + software[_i].n_bytes;
	char want[256];

	s12z_make(&rig, NULL, software[_i].code, software[_i].n_bytes);
	s12z_prepare(&rig, registers);
	s12z_steps(&rig, 1);
	snprintf(want, sizeof(want),
		 "p=%x s=1fe3 ccw=95 1fe3:0085"
		 "1011"
		 "2021"
		 "3031"
		 "4041"
		 "5051"
		 "60616263"
		 "70717273"
		 "808182"
		 "909192"
		 "%06x",
		 HANDLER(n), back);
	s12z_check(&rig, want, "entry");
	snprintf(want, sizeof(want), "E %x>%x@%02x ", back & 0xffff, HANDLER(n) & 0xffff, 0xfe - 2 * n);
	ck_assert_str_eq(rig.seen, want);
	rig.seen[0] = '\0';
	for (unsigned i = 0; i < PT_VS12Z_S; i++)	/* what the handler does to registers is undone */
		pt_vs12z_set_reg(rig.cpu, i, 0x55);
	s12z_steps(&rig, 3);
	for (unsigned i = 0; i <= PT_VS12Z_Y; i++)
		ck_assert_uint_ne(pt_vs12z_reg(rig.cpu, i), 0x55);
	snprintf(want, sizeof(want), "I %x>%x ", (HANDLER(n) + 2) & 0xffff, back & 0xffff);
	ck_assert_str_eq(rig.seen, want);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_S), S12Z_STACK);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D6), 0x60616263);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_Y), 0x909192);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW), 0x85);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), back);
	s12z_done(&rig);
}
END_TEST

START_TEST(vectors_move_with_ivbr)
{
	S12Z_MAKE(&rig, SWI);
	pt_vs12z_set_ivbr(rig.cpu, 0xff01);	/* bit 0 does not count */
	ck_assert_uint_eq(pt_vs12z_ivbr(rig.cpu), 0xff00);
	s12z_put(&rig, 0xff01f0, 4, 0xffff9abc);	/* the highest byte neither */
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), 0xff9abc);
	pt_vs12z_reset(rig.cpu, false, false);
	ck_assert_uint_eq(pt_vs12z_ivbr(rig.cpu), 0xfffe);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW), 0xd0);
	s12z_done(&rig);
}
END_TEST

/* What is refused, and where the handler is told to go on. */
static const struct { const char *name; uint8_t code[5]; uint32_t n_bytes, addr, behind; } refused[] = {
	{ "read, unmapped",     { 0xa4, 0xfa, 0x50, 0x00, 0x00 }, 5, 0x500000, 5 },
	{ "read, over the end", { 0xa0, 0x2f, 0xff },             3, 0x2fff,   3 },
	{ "write, flash",       { 0xc4, 0xfa, 0xff, 0x90, 0x00 }, 5, 0xff9000, 5 },
	{ "pointer, unmapped",  { 0xa4, 0xfe, 0x50, 0x00, 0x00 }, 5, 0x500000, 5 },
	{ "push, unmapped",     { 0x04, 0x41 },                   2, 0x4ffffd, 2 },
};

START_TEST(refused_accesses_are_machine_exceptions)
{
	struct pt_vs12z_options options = { .machine_stacks = _i % 2 };
	size_t i = (size_t)_i / 2;

	s12z_make(&rig, &options, refused[i].code, refused[i].n_bytes);
	if (refused[i].code[0] == 0x04)
		pt_vs12z_set_reg(rig.cpu, PT_VS12Z_S, 0x500000);
	s12z_steps(&rig, 1);
	ck_assert_msg(pt_vs12z_pc(rig.cpu) == HANDLER(PT_VS12Z_MACHINE), "%s: at %x", refused[i].name,
		      pt_vs12z_pc(rig.cpu));
	ck_assert_uint_eq(rig.illegal_addr & 0xff0000, refused[i].addr & 0xff0000);
	if (refused[i].code[0] == 0x04) {	/* there is no stack for the frame */
		ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_S), 0x500000);
	} else if (options.machine_stacks) {
		ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_S), S12Z_STACK - 29);
		ck_assert_uint_eq(s12z_get(&rig, S12Z_STACK - 3, 3), S12Z_CODE + refused[i].behind);
	} else {
		ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_S), S12Z_STACK);
	}
	ck_assert_uint_ge(rig.n_illegal, 1);
	s12z_done(&rig);
}
END_TEST

/* Where there is no code: nothing there, registers, the last byte of an instruction missing. */
static const uint32_t no_code[] = { 0x500000, 0x400, 0x2fff };

START_TEST(fetches_without_code_are_machine_exceptions)
{
	uint32_t at = no_code[_i];

	S12Z_MAKE(&rig, NOP);
	s12z_put(&rig, 0x2fff, 1, 0x20);	/* BRA, and no displacement */
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, at);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 1);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), HANDLER(PT_VS12Z_MACHINE));
	ck_assert_uint_eq(rig.illegal_addr, at);
	ck_assert_uint_eq(pt_vs12z_instructions(rig.cpu), 0);
	s12z_done(&rig);
}
END_TEST

START_TEST(a_lost_core_goes_on_in_time)
{
	S12Z_MAKE(&rig, 0xaa, 0xfa, 0x50, 0x00, 0x00);
	s12z_put(&rig, 0xfffffc - 4 * PT_VS12Z_MACHINE, 4, 0x500000);
	pt_vs12z_run(rig.cpu, 1000);
	ck_assert_uint_ge(pt_vs12z_cycle(rig.cpu), 1000);
	s12z_done(&rig);
}
END_TEST

START_TEST(ecc_is_told_from_outside)
{
	S12Z_MAKE(&rig, NOP, NOP);
	pt_vs12z_machine_exception(rig.cpu);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 1);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), HANDLER(PT_VS12Z_MACHINE));
	ck_assert_str_eq(rig.seen, "E 8000>9050@f4 ");
	s12z_done(&rig);
}
END_TEST

/* --- interrupts */

struct request { uint8_t vector, level; };
/* What is asserted and how, with which CCW; where the core is after one cycle: 0 stays, n vector; CCW then. */
static const struct {
	const char *name;
	struct request request[3];
	uint32_t ccw;
	unsigned taken;
	uint32_t ccw_then;
} wins[] = {
	{ "nothing",                    { { 0, 0 } },                        0x80,  0,  0x80 },
	{ "one",                        { { 12, 1 } },                       0x80,  12, 0x190 },
	{ "I masks",                    { { 12, 7 } },                       0x90,  0,  0x90 },
	{ "level 0 is off",             { { 12, 0 } },                       0x80,  0,  0x80 },
	{ "IPL masks its own level",    { { 12, 3 } },                       0x380, 0,  0x380 },
	{ "above IPL",                  { { 12, 4 } },                       0x380, 12, 0x490 },
	{ "the higher level",           { { 12, 2 }, { 30, 5 } },            0x80,  30, 0x590 },
	{ "one level: lower number",    { { 30, 5 }, { 12, 5 } },            0x80,  12, 0x590 },
	{ "IRQ is one of them",         { { 10, 6 }, { 12, 5 } },            0x80,  10, 0x690 },
	{ "in the upper half",          { { 123, 7 }, { 64, 6 } },           0x80,  123, 0x790 },
	{ "XIRQ first, keeps IPL",      { { 9, 0 }, { 12, 7 } },             0x280, 9,  0x2d0 },
	{ "X masks XIRQ alone",         { { 9, 0 }, { 12, 1 } },             0xc0,  12, 0x1d0 },
	{ "XIRQ past I",                { { 9, 0 } },                        0x90,  9,  0xd0 },
	{ "U is left",                  { { 12, 1 } },                       0x8000, 12, 0x110 },
};

START_TEST(the_right_interrupt_wins)
{
	S12Z_MAKE(&rig, NOP, NOP, NOP);
	for (unsigned i = 0; i < 3; i++) {
		pt_vs12z_set_priority(rig.cpu, wins[_i].request[i].vector, wins[_i].request[i].level);
		pt_vs12z_interrupt(rig.cpu, wins[_i].request[i].vector, true);
	}
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, wins[_i].ccw);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 1);
	ck_assert_msg(pt_vs12z_pc(rig.cpu) == (wins[_i].taken != 0 ? HANDLER(wins[_i].taken) : S12Z_CODE + 1),
		      "%s: at %x", wins[_i].name, pt_vs12z_pc(rig.cpu));
	ck_assert_msg(pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW) == wins[_i].ccw_then, "%s: ccw %x", wins[_i].name,
		      pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW));
	s12z_done(&rig);
}
END_TEST

/* A handler that clears I is interrupted by a higher level alone; both return. */
START_TEST(interrupts_nest)
{
	S12Z_MAKE(&rig, NOP, NOP, NOP);
	s12z_put(&rig, HANDLER(20), 2, 0xceef);	/* ANDCC #~I, NOP (from s12z_make), RTI */
	s12z_put(&rig, HANDLER(20) + 2, 3, 0x01011b);
	s12z_put(&rig, HANDLER(20) + 5, 1, 0x90);
	pt_vs12z_set_priority(rig.cpu, 20, 2);
	pt_vs12z_set_priority(rig.cpu, 21, 2);
	pt_vs12z_set_priority(rig.cpu, 22, 3);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, 0x80);
	pt_vs12z_interrupt(rig.cpu, 20, true);
	s12z_steps(&rig, 1);
	pt_vs12z_interrupt(rig.cpu, 20, false);
	pt_vs12z_interrupt(rig.cpu, 21, true);
	pt_vs12z_interrupt(rig.cpu, 22, true);
	s12z_steps(&rig, 2);	/* the instruction behind ANDCC; the first of handler 22 */
	ck_assert_str_eq(rig.seen, "E 8000>9140@d6 E 9143>9160@d2 ");
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW), 0x390);
	pt_vs12z_interrupt(rig.cpu, 22, false);
	s12z_steps(&rig, 5);	/* NOP, RTI; NOP, RTI; handler 21 begins: its level was not above */
	ck_assert_str_eq(rig.seen, "E 8000>9140@d6 E 9143>9160@d2 I 9162>9143 I 9144>8000 E 8000>9150@d4 ");
	s12z_done(&rig);
}
END_TEST

/* CLI lets one more instruction pass, so that nothing comes between it and WAI. RTI does not. */
START_TEST(an_interrupt_waits_behind_cli)
{
	S12Z_MAKE(&rig, 0xce, 0xef, NOP, NOP);
	pt_vs12z_interrupt(rig.cpu, 12, true);
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_CCW) & PT_VS12Z_I_MASK, 0);
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE + 3);
	s12z_steps(&rig, 1);
	ck_assert_str_eq(rig.seen, "E 8003>90c0@e6 ");
	pt_vs12z_interrupt(rig.cpu, 13, true);
	pt_vs12z_interrupt(rig.cpu, 12, false);
	s12z_steps(&rig, 3);	/* the second NOP, RTI, then the next handler at once */
	ck_assert_str_eq(rig.seen, "E 8003>90c0@e6 I 90c2>8003 E 8003>90d0@e4 ");
	s12z_done(&rig);
}
END_TEST

/* The same where nobody stops the core in between. */
START_TEST(an_interrupt_waits_no_longer)
{
	S12Z_MAKE(&rig, 0xce, 0xef, NOP, NOP, NOP, NOP);
	pt_vs12z_interrupt(rig.cpu, 12, true);
	pt_vs12z_run(rig.cpu, 1000);
	ck_assert_uint_eq(s12z_get(&rig, S12Z_STACK - 3, 3), S12Z_CODE + 3);
	s12z_done(&rig);
}
END_TEST

/* --- sleep */

/* WAI or STOP; what comes, with which CCW; whether it wakes, and where the core is then: 0 goes on behind. */
static const struct {
	const char *name;
	uint8_t code;
	uint32_t ccw;
	unsigned vector;
	bool wakes;
	unsigned taken;
} sleeps[] = {
	{ "WAI, interrupt",        WAI_2,  0x80, 12, true,  12 },
	{ "WAI, masked",           WAI_2,  0x90, 12, false, 0 },
	{ "WAI, XIRQ",             WAI_2,  0x80, 9,  true,  9 },
	{ "WAI, masked XIRQ",      WAI_2,  0xd0, 9,  true,  0 },
	{ "STOP, interrupt",       STOP_2, 0x00, 12, true,  12 },
	{ "STOP, masked",          STOP_2, 0x10, 12, false, 0 },
	{ "STOP, masked XIRQ",     STOP_2, 0x50, 9,  true,  0 },
};

START_TEST(sleeps_and_wakes)
{
	enum pt_vs12z_state state = sleeps[_i].code == WAI_2 ? PT_VS12Z_WAIT : PT_VS12Z_STOP;

	S12Z_MAKE(&rig, PAGE_2, sleeps[_i].code, NOP, NOP);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, sleeps[_i].ccw);
	pt_vs12z_run(rig.cpu, 1000);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), state);
	ck_assert_uint_eq(pt_vs12z_instructions(rig.cpu), 1);
	ck_assert_uint_eq(pt_vs12z_sleep_cycles(rig.cpu), pt_vs12z_cycle(rig.cpu) - 1);
	ck_assert_uint_eq(pt_vs12z_sync_pc(rig.cpu), S12Z_CODE + 2);
	ck_assert_uint_eq(rig.n_asleep, 1);
	pt_vs12z_interrupt(rig.cpu, sleeps[_i].vector, true);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 1);
	ck_assert_msg((pt_vs12z_state(rig.cpu) == PT_VS12Z_RUN) == sleeps[_i].wakes, "%s", sleeps[_i].name);
	ck_assert_uint_eq(rig.n_asleep, sleeps[_i].wakes ? 2 : 1);
	ck_assert_msg(pt_vs12z_pc(rig.cpu) == (sleeps[_i].taken != 0 ? HANDLER(sleeps[_i].taken)
					       : sleeps[_i].wakes    ? S12Z_CODE + 3
								     : S12Z_CODE + 2),
		      "%s", sleeps[_i].name);
	s12z_done(&rig);
}
END_TEST

/* In user state WAI and STOP do nothing. */
START_TEST(users_do_not_sleep)
{
	S12Z_MAKE(&rig, PAGE_2, WAI_2, PAGE_2, STOP_2, NOP);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, 0x8000);
	s12z_steps(&rig, 3);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_RUN);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE + 5);
	s12z_done(&rig);
}
END_TEST

/* --- background mode */

START_TEST(halts_steps_and_goes)
{
	S12Z_MAKE(&rig, NOP, 0x20, 0x02, 0x30, 0x20, 0x7f);	/* NOP, BRA, INC D2, BRA back to INC */
	pt_vs12z_request_halt(rig.cpu, PT_VS12Z_HALT_BACKGROUND);
	pt_vs12z_run(rig.cpu, 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
	ck_assert_uint_eq(rig.halts, PT_VS12Z_HALT_BACKGROUND);
	ck_assert_uint_eq(pt_vs12z_halt_cycles(rig.cpu), 100);
	for (unsigned i = 0; i < 4; i++) {
		static const uint32_t pc[] = { 1, 3, 4, 3 };

		rig.halts = 0;
		pt_vs12z_resume(rig.cpu, true);
		pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 10);
		ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
		ck_assert_uint_eq(rig.halts, PT_VS12Z_HALT_STEP);
		ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE + pc[i]);
		ck_assert_uint_eq(pt_vs12z_instructions(rig.cpu), i + 1);
	}
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, S12Z_CODE);
	ck_assert_str_eq(rig.seen, "G 8001>8003 G 8004>8003 D 8003>8000 ");
	pt_vs12z_resume(rig.cpu, false);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_RUN);
	ck_assert_uint_gt(pt_vs12z_reg(rig.cpu, PT_VS12Z_D2), 40);
	s12z_done(&rig);
}
END_TEST

/* A step takes a pending exception instead of an instruction. */
START_TEST(steps_into_an_interrupt)
{
	S12Z_MAKE(&rig, NOP, NOP);
	pt_vs12z_request_halt(rig.cpu, PT_VS12Z_HALT_BACKGROUND);
	pt_vs12z_run(rig.cpu, 10);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, 0x80);
	pt_vs12z_interrupt(rig.cpu, 12, true);
	pt_vs12z_run(rig.cpu, 20);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE);	/* none in BDM */
	pt_vs12z_resume(rig.cpu, true);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 20);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), HANDLER(12));
	ck_assert_uint_eq(pt_vs12z_instructions(rig.cpu), 0);
	s12z_done(&rig);
}
END_TEST

START_TEST(bgnd_halts_where_it_says)
{
	struct pt_vs12z_options options = { .bgnd_keeps_pc = _i };

	s12z_make(&rig, &options, (const uint8_t[]){ NOP, 0x00, NOP }, 3);
	rig.bgnd_enabled = true;
	pt_vs12z_run(rig.cpu, 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
	ck_assert_uint_eq(rig.halts, PT_VS12Z_HALT_BGND);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE + (_i ? 1 : 2));
	s12z_done(&rig);
}
END_TEST

/* BACKGROUND in WAI waits for the end of WAI, and goes before the interrupt. */
START_TEST(background_waits_for_the_end_of_sleep)
{
	S12Z_MAKE(&rig, PAGE_2, WAI_2, NOP);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_CCW, 0x80);
	pt_vs12z_run(rig.cpu, 10);
	pt_vs12z_request_halt(rig.cpu, PT_VS12Z_HALT_BACKGROUND);
	pt_vs12z_run(rig.cpu, 20);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_WAIT);
	pt_vs12z_interrupt(rig.cpu, 12, true);
	pt_vs12z_run(rig.cpu, 30);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE + 2);
	s12z_done(&rig);
}
END_TEST

START_TEST(a_request_can_be_taken_back)
{
	S12Z_MAKE(&rig, NOP, NOP);
	pt_vs12z_request_halt(rig.cpu, PT_VS12Z_HALT_BACKGROUND);
	pt_vs12z_cancel_halt(rig.cpu, PT_VS12Z_HALT_BACKGROUND);
	pt_vs12z_run(rig.cpu, 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_RUN);
	s12z_done(&rig);
}
END_TEST

/* A tag stops in front of its instruction, once for each time that the core comes there; leaving it is no stop. */
START_TEST(tags_stop_in_front)
{
	S12Z_MAKE(&rig, NOP, 0x30, 0x20, 0x7e);	/* NOP, INC D2, BRA to NOP */
	rig.tag = PT_VS12Z_TAG_BDM;
	rig.tagged_pc = S12Z_CODE + 1;
	pt_vs12z_watch(rig.cpu, true);
	for (unsigned i = 0; i < 3; i++) {
		pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 100);
		ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
		ck_assert_uint_eq(rig.halts, PT_VS12Z_HALT_BREAKPOINT);
		ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), rig.tagged_pc);
		ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D2), i);
		pt_vs12z_resume(rig.cpu, false);
	}
	pt_vs12z_watch(rig.cpu, false);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_RUN);
	s12z_done(&rig);
}
END_TEST

/* As SWI the tagged instruction is not executed; a forced one comes behind the present instruction. */
START_TEST(breakpoints_can_be_swi)
{
	S12Z_MAKE(&rig, NOP, 0x30, NOP);
	if (_i == 0) {
		rig.tag = PT_VS12Z_TAG_SWI;
		rig.tagged_pc = S12Z_CODE + 1;
		pt_vs12z_watch(rig.cpu, true);
	} else {
		pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, S12Z_CODE + 1);
		rig.seen[0] = '\0';
		pt_vs12z_request_swi(rig.cpu);
	}
	s12z_steps(&rig, 2);
	ck_assert_str_eq(rig.seen, "E 8001>9030@f8 ");
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D2), 0);
	s12z_done(&rig);
}
END_TEST

START_TEST(resets_into_bdm)
{
	S12Z_MAKE(&rig, NOP, NOP);
	pt_vs12z_hold(rig.cpu);
	pt_vs12z_run(rig.cpu, 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_HELD);
	ck_assert_uint_eq(pt_vs12z_instructions(rig.cpu), 0);
	pt_vs12z_reset(rig.cpu, false, true);
	pt_vs12z_run(rig.cpu, 200);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
	ck_assert_uint_eq(rig.halts, PT_VS12Z_HALT_RESET);
	ck_assert_uint_eq(pt_vs12z_pc(rig.cpu), S12Z_CODE);
	ck_assert_uint_eq(pt_vs12z_instructions(rig.cpu), 0);
	s12z_done(&rig);
}
END_TEST

START_TEST(registers_have_their_width)
{
	static const uint32_t mask[PT_VS12Z_REGS] = {
		0xff, 0xff, 0xffff, 0xffff, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0xffffff, 0xffffff, 0xffffff,
		0xffffff, 0x87df,
	};

	S12Z_MAKE(&rig, NOP);
	for (unsigned i = 0; i < PT_VS12Z_REGS; i++)
		pt_vs12z_set_reg(rig.cpu, i, 0xffffffff);
	for (unsigned i = 0; i < PT_VS12Z_REGS; i++)
		ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, i), mask[i]);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_REGS), 0);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_REGS, 1);
	s12z_done(&rig);
}
END_TEST

/* --- taps and memory */

/* All kinds of jumps with a target, and their classes. */
static const struct { uint8_t code[6]; size_t n_bytes; const char *seen; } told[] = {
	{ { 0x20, 0x10 },                         2, "G 8000>8010 " },
	{ { 0xba, 0xff, 0x81, 0x00 },             4, "G 8000>8100 " },
	{ { 0x21, 0x10 },                         2, "L 8000>8010 " },
	{ { 0xbb, 0xff, 0x81, 0x00 },             4, "L 8000>8100 " },
	{ { 0xaa, 0xfa, 0xff, 0x81, 0x00 },       5, "g 8000>8100/0 " },
	{ { 0xaa, 0x00, 0x0c },                   3, "g 8000>c/0 " },
	{ { 0xab, 0xf0, 0x10 },                   3, "l 8000>8010/1 " },
	{ { 0xab, 0xf2, 0x00, 0x01, 0x00 },       5, "l 8000>8100/1 " },
	{ { 0xaa, 0x40 },                         2, "g 8000>8200/2 " },
	{ { 0xab, 0x88 },                         2, "l 8000>8200/2 " },
	{ { 0xaa, 0xe8, 0xff, 0x83, 0x00 },       5, "g 8000>8300/2 " },
	{ { 0xaa, 0xfe, 0x00, 0x11, 0x00 },       5, "g 8000>8400/3 " },
	{ { 0xab, 0xf4, 0x03 },                   3, "l 8000>101/3 " },
	{ { 0xaa, 0xb8 },                         2, "g 8000>0/4 " },
	{ { 0xaa, 0x71 },                         2, "g 8000>1/4 " },
	{ { 0x05 },                               1, "R 8000>8500 " },
	{ { 0x0b, 0x10, 0x10 },                   3, "C 8000>8010+ B 8000>8010 " },
	{ { 0x02, 0x04, 0x10 },                   3, "C 8000>8010+ B 8000>8010 " },
	{ { 0x03, 0x04, 0x10 },                   3, "C 8000>8010- " },
};

START_TEST(taps_tell_jumps_apart)
{
	s12z_make(&rig, NULL, told[_i].code, told[_i].n_bytes);
	s12z_prepare(&rig, "x=ff8200 s=1ffd 1ffd:ff8500 1100:ff8400");
	s12z_put(&rig, 0xff8006, 3, 0x010101);
	rig.seen[0] = '\0';
	s12z_steps(&rig, 1);
	ck_assert_str_eq(rig.seen, told[_i].seen);
	s12z_done(&rig);
}
END_TEST

static char data_seen[256];
static unsigned n_insns;

static void on_data(void *arg, uint32_t addr, unsigned size_bytes, bool write, uint32_t value, uint32_t pc)
{
	size_t used = strlen(data_seen);

	(void)arg;
	snprintf(data_seen + used, sizeof(data_seen) - used, "%c%u %x=%x@%x ", write ? 'w' : 'r', size_bytes, addr,
		 value, pc & 0xffff);
}

static void on_insn(void *arg, uint32_t pc)
{
	(void)pc;
	n_insns++;
	if (arg != NULL)
		pt_vs12z_request_halt(arg, PT_VS12Z_HALT_BREAKPOINT);
}

START_TEST(taps_see_data)
{
	struct pt_vobserver observer = { .data = on_data, .insn = on_insn };

	S12Z_MAKE(&rig, 0xa9, 0xe7, 0x9d, 0x11, 0x80, 0x21, 0x02, SWI);	/* LD Y,(X+); INC.W; BSR; SWI */
	data_seen[0] = '\0';
	n_insns = 0;
	pt_vs12z_add_observer(rig.cpu, &observer);
	s12z_prepare(&rig, "x=1100 1100:123456 1180:00ff");
	s12z_steps(&rig, 4);
	ck_assert_str_eq(data_seen, "r3 1100=123456@8000 r2 1180=ff@8002 w2 1180=100@8002 w3 1ffd=ff8007@8005 ");
	ck_assert_uint_eq(n_insns, 4);	/* the frame of SWI is not told */
	pt_vs12z_remove_observer(rig.cpu, &observer);
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(n_insns, 4);
	s12z_done(&rig);
}
END_TEST

/* A tap may halt the core: behind the instruction that it was told of. */
START_TEST(taps_may_halt)
{
	struct pt_vobserver observer = { .insn = on_insn };

	S12Z_MAKE(&rig, 0x30, 0x30, 0x30);
	observer.arg = rig.cpu;
	pt_vs12z_add_observer(rig.cpu, &observer);
	pt_vs12z_run(rig.cpu, 100);
	ck_assert_int_eq(pt_vs12z_state(rig.cpu), PT_VS12Z_BDM);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D2), 1);
	s12z_done(&rig);
}
END_TEST

/* Code in RAM that changes itself, one byte behind the op-code and the op-code itself; and a write from outside. */
START_TEST(forgets_code_that_changes)
{
	struct pt_vaccess access = { .addr = 0x1100, .size_bytes = 1, .master = PT_VMASTER_DEBUG, .privileged = true };

	S12Z_MAKE(&rig, NOP);
	/* 1100: LD D0,#1; 1102: MOV.B #7,0x1101; 1106: BRA 1100 */
	s12z_prepare(&rig, "p=1100 1100:94010c0711012"
			   "07a");
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D0), 1);
	s12z_steps(&rig, 3);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D0), 7);
	ck_assert(pt_vbus_write(&rig.bus, &access, 0x95));	/* LD D1,# */
	s12z_steps(&rig, 3);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D1), 7);
	s12z_done(&rig);
}
END_TEST

/* A word over the end of one page of decoded instructions into the next. */
START_TEST(forgets_the_next_page)
{
	S12Z_MAKE(&rig, 0x0d, 0x00, 0x95, 0x10, 0xff, NOP);	/* MOV.W #0x0095,0x10ff */
	s12z_prepare(&rig, "p=1100 1100:9407");
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D0), 7);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, S12Z_CODE);
	s12z_steps(&rig, 1);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, 0x1100);
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D1), 7);
	s12z_done(&rig);
}
END_TEST

/* What a unit sees of accesses to it: words where they are aligned, else bytes, ascending. */
static const struct { unsigned size; uint32_t addr; uint32_t value; const char *seen; } wide[] = {
	{ 1, 0x420, 0x11,       "w1r1" },
	{ 2, 0x420, 0x1122,     "w2r2" },
	{ 2, 0x421, 0x1122,     "w1w1r1r1" },
	{ 3, 0x420, 0x112233,   "w2w1r2r1" },
	{ 3, 0x421, 0x112233,   "w1w2r1r2" },
	{ 4, 0x420, 0x11223344, "w2w2r2r2" },
	{ 4, 0x421, 0x11223344, "w1w2w1r1r2r1" },
};

START_TEST(units_see_words_and_bytes)
{
	uint32_t value = 0;

	S12Z_MAKE(&rig, NOP);
	ck_assert(pt_vs12z_bus_write(&rig.bus, PT_VMASTER_DEBUG, wide[_i].addr, wide[_i].size, wide[_i].value));
	for (unsigned i = 0; i < wide[_i].size; i++)
		ck_assert_uint_eq(rig.timer[wide[_i].addr - S12Z_TIMER + i], 0x11 * (i + 1));
	ck_assert(pt_vs12z_bus_read(&rig.bus, PT_VMASTER_DEBUG, wide[_i].addr, wide[_i].size, &value));
	ck_assert_uint_eq(value, wide[_i].value);
	ck_assert_str_eq(rig.timer_seen, wide[_i].seen);
	ck_assert(!pt_vs12z_bus_read(&rig.bus, PT_VMASTER_DEBUG, 0x2fff, wide[_i].size + 1, &value));
	s12z_done(&rig);
}
END_TEST

/* A flash that is busy: neither data nor code, until it is again. */
START_TEST(detours_and_comes_back)
{
	S12Z_MAKE(&rig, NOP, 0xa4, 0xfa, 0xff, 0x80, 0x00, NOP);
	s12z_steps(&rig, 2);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_D0, 0);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, S12Z_CODE + 1);	/* which is decoded already */
	pt_vs12z_detour(rig.cpu, S12Z_CODE, false, true);
	pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 1);
	ck_assert_uint_eq(rig.n_illegal, 1);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D0), 0);
	pt_vs12z_detour(rig.cpu, S12Z_CODE, false, false);
	pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, S12Z_CODE + 1);
	s12z_steps(&rig, 1);
	ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D0), NOP);
	s12z_done(&rig);
}
END_TEST

/* LD D2,# whose last byte is in the next block: without that one there is no instruction, and it changes with it. */
START_TEST(code_crosses_a_border)
{
	enum { BORDER = 0xff8000 };

	S12Z_MAKE(&rig, NOP);
	s12z_put(&rig, BORDER - 2, 4, 0x90123401);
	pt_vs12z_detour(rig.cpu, BORDER, false, true);
	for (unsigned i = 0; i < 3; i++) {
		static const uint32_t d2[] = { 0, 0x1234, 0x1256 };

		pt_vs12z_set_reg(rig.cpu, PT_VS12Z_P, BORDER - 2);
		pt_vs12z_run(rig.cpu, pt_vs12z_cycle(rig.cpu) + 1);
		ck_assert_uint_eq(pt_vs12z_reg(rig.cpu, PT_VS12Z_D2), d2[i]);
		ck_assert_uint_eq(rig.n_illegal, 1);
		pt_vs12z_detour(rig.cpu, BORDER, false, false);
		if (i == 1)
			s12z_put(&rig, BORDER, 1, 0x56);
	}
	s12z_done(&rig);
}
END_TEST

/* Whatever the bytes are: time passes, registers keep their width, and nothing else is touched (sanitizers look on). */
START_TEST(executes_anything)
{
	uint32_t seed = (uint32_t)_i * 2654435761u + 1;

	S12Z_MAKE(&rig, NOP);
	pt_vs12z_remove_observer(rig.cpu, &rig.observer);
	for (size_t i = 0; i < S12Z_FLASH_BYTES; i++) {
		seed = seed * 1664525 + 1013904223;
		rig.flash[i] = (uint8_t)(seed >> 24);
		rig.ram[i % S12Z_RAM_BYTES] ^= (uint8_t)(seed >> 16);
	}
	pt_vbus_changed(&rig.bus, S12Z_FLASH, S12Z_FLASH_BYTES);
	for (unsigned n = 0; n < 124; n++)	/* handlers are somewhere in the noise */
		s12z_put(&rig, 0xfffffc - 4 * n, 4, S12Z_CODE + 0x40 * n);
	rig.timer_at = rig.timer_period = 100;
	for (unsigned i = 0; i < 200; i++) {
		uint64_t until = pt_vs12z_cycle(rig.cpu) + 50;

		pt_vs12z_interrupt(rig.cpu, 9 + i % 100, i % 3 != 0);
		pt_vs12z_run(rig.cpu, until);
		ck_assert_uint_ge(pt_vs12z_cycle(rig.cpu), until);
		ck_assert_uint_lt(pt_vs12z_cycle(rig.cpu), until + 100);
		for (unsigned reg = PT_VS12Z_X; reg <= PT_VS12Z_P; reg++)
			ck_assert_uint_le(pt_vs12z_reg(rig.cpu, reg), 0xffffff);
		ck_assert_uint_le(pt_vs12z_reg(rig.cpu, PT_VS12Z_D0), 0xff);
		ck_assert_uint_le(pt_vs12z_reg(rig.cpu, PT_VS12Z_D5), 0xffff);
		if (i % 50 == 49)
			pt_vs12z_reset(rig.cpu, false, false);
	}
	ck_assert_uint_gt(pt_vs12z_instructions(rig.cpu), 0);
	s12z_done(&rig);
}
END_TEST

/* The model: one cycle for each instruction, and one for each access. */
static const struct { uint8_t code[8]; size_t n_bytes; unsigned cycles; } costs[] = {
	{ { NOP },                       1, 1 },
	{ { 0x48, 0x25 },                2, 1 },
	{ { 0xa6, 0x11, 0x01 },          3, 2 },
	{ { 0x9d, 0x11, 0x00 },          3, 3 },
	{ { 0x1c, 0x11, 0, 0x11, 0x80 }, 5, 3 },
	{ { 0xa4, 0xfe, 0, 0x11, 0 },    5, 3 },
	{ { 0x21, 0x10 },                2, 2 },
	{ { SWI },                       1, 1 + 8 + 1 },
};

START_TEST(costs_by_the_model)
{
	s12z_make(&rig, NULL, costs[_i].code, costs[_i].n_bytes);
	s12z_prepare(&rig, "1100:001180");
	pt_vs12z_run(rig.cpu, 1);
	ck_assert_uint_eq(pt_vs12z_cycle(rig.cpu), costs[_i].cycles);
	s12z_done(&rig);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("s12z_system");
	TCase *tc = tcase_create("s12z_system");

	tcase_add_loop_test(tc, branches_on_conditions, 0, 14 * 16);
	tcase_add_loop_test(tc, stacks_29_bytes, 0, PT_LEN(software));
	tcase_add_test(tc, vectors_move_with_ivbr);
	tcase_add_loop_test(tc, refused_accesses_are_machine_exceptions, 0, 2 * PT_LEN(refused));
	tcase_add_loop_test(tc, fetches_without_code_are_machine_exceptions, 0, PT_LEN(no_code));
	tcase_add_test(tc, a_lost_core_goes_on_in_time);
	tcase_add_test(tc, ecc_is_told_from_outside);
	tcase_add_loop_test(tc, the_right_interrupt_wins, 0, PT_LEN(wins));
	tcase_add_test(tc, interrupts_nest);
	tcase_add_test(tc, an_interrupt_waits_behind_cli);
	tcase_add_test(tc, an_interrupt_waits_no_longer);
	tcase_add_loop_test(tc, sleeps_and_wakes, 0, PT_LEN(sleeps));
	tcase_add_test(tc, users_do_not_sleep);
	tcase_add_test(tc, halts_steps_and_goes);
	tcase_add_test(tc, steps_into_an_interrupt);
	tcase_add_loop_test(tc, bgnd_halts_where_it_says, 0, 2);
	tcase_add_test(tc, background_waits_for_the_end_of_sleep);
	tcase_add_test(tc, a_request_can_be_taken_back);
	tcase_add_test(tc, tags_stop_in_front);
	tcase_add_loop_test(tc, breakpoints_can_be_swi, 0, 2);
	tcase_add_test(tc, resets_into_bdm);
	tcase_add_test(tc, registers_have_their_width);
	tcase_add_loop_test(tc, taps_tell_jumps_apart, 0, PT_LEN(told));
	tcase_add_test(tc, taps_see_data);
	tcase_add_test(tc, taps_may_halt);
	tcase_add_test(tc, forgets_code_that_changes);
	tcase_add_test(tc, forgets_the_next_page);
	tcase_add_loop_test(tc, units_see_words_and_bytes, 0, PT_LEN(wide));
	tcase_add_test(tc, detours_and_comes_back);
	tcase_add_test(tc, code_crosses_a_border);
	tcase_add_loop_test(tc, executes_anything, 0, 100);
	tcase_add_loop_test(tc, costs_by_the_model, 0, PT_LEN(costs));
	suite_add_tcase(suite, tc);
	return pt_run_suite(suite);
}
