/* Tasks with and without floating point, for debuggers, profiles and QEMU to look at: on a Cortex-M4F, with either kernel of
 * cm4_tasks.h. They switch, yield, sleep, wait and are preempted.
 *
 *   sleeper  urgency 3: sleeps two ticks with a pattern of its own in r4-r11, s0-s31 and FPSCR; gives at every other turn
 *   waiter   urgency 2: waits for the semaphore with another pattern
 *   plain    urgency 2: sleeps a tick with a pattern in r4-r11, and never uses the FPU
 *   red      urgency 1: fills s0-s31 and FPSCR, holds them for a while, and looks whether all are as they were
 *   blue     urgency 1: the same with other values, and for twice as long; both yield now and then
 *   idle     urgency 0
 *
 * SysTick computes with floats, too, so that what lazy stacking has put off is done in its midst. g_turns has the turns of
 * each task, g_bad how often a register was not as it was. */
#include "cm4_tasks.h"

struct pattern { uint32_t s[32], fpscr, r[8]; };	/* r4 to r11 */
#define EIGHT(first, step) (first), (first) + (step), (first) + 2 * (step), (first) + 3 * (step), (first) + 4 * (step), \
		(first) + 5 * (step), (first) + 6 * (step), (first) + 7 * (step)
#define PATTERN(s0, fpscr, r4) { { EIGHT(s0, 0x10203), EIGHT((s0) + 0x81018, 0x10203), EIGHT((s0) + 0x102030, 0x10203), \
		EIGHT((s0) + 0x183048, 0x10203) }, (fpscr), { EIGHT(r4, 0x1010101) } }
const struct pattern g_patterns[] = {	/* FPSCR: each its own way of rounding */
	[SLEEPER] = PATTERN(0x3f800000, UINT32_C(1) << 22, 0xb4b4b4b4),
	[WAITER] = PATTERN(0xc1000000, UINT32_C(2) << 22, 0xc4c4c4c4),
	[PLAIN] = PATTERN(0, 0, 0xd4d4d4d4),
	[RED] = PATTERN(0x41800000, UINT32_C(3) << 22, 0xe4e4e4e4),
	[BLUE] = PATTERN(0xbf000000, UINT32_C(3) << 24, 0xf4f4f4f4),
};
struct pattern g_kept[N_TASKS];	/* what they have when they go on: for the debugger to see */

uint32_t g_stacks[N_TASKS][STACK_WORDS] __attribute__((aligned(8)));
volatile uint32_t g_turns[N_TASKS], g_ticks, g_bad;
volatile float g_time;

void tick_of_tasks(void)
{
	g_ticks++;
	g_time += 0.12f;
}

#define LOAD_R "ldmia	r0, {r4-r11}\n\t"
#define LOAD "vldmia r0!, {s0-s31}\n\tldmia	r0!, {r3}\n\tvmsr	fpscr, r3\n\t" LOAD_R
#define STORE_R "stmia	r0, {r4-r11}\n\t"
#define STORE "vstmia r0!, {s0-s31}\n\tvmrs	r3, fpscr\n\tstmia	r0!, {r3}\n\t" STORE_R
#define SWITCH "cpsie	i\n\tsvc	#1\n\t"	/* from here on a switch finds all registers filled */

/* What functions in assembler keep on the stack, for GDB's backtraces: r1, which is kept's address, r4-r11 and lr; s16-s31. */
#define CFI(reg, at) ".cfi_rel_offset " #reg ", " #at "\n\t"
#define PUSH "push	{r1, r4-r11, lr}\n\t.cfi_adjust_cfa_offset 40\n\t" CFI(r4, 4) CFI(r5, 8) CFI(r6, 12) CFI(r7, 16) \
	CFI(r8, 20) CFI(r9, 24) CFI(r10, 28) CFI(r11, 32) CFI(lr, 36)
#define POP "pop	{r1, r4-r11, pc}"
#define VPUSH "vpush	{s16-s31}\n\t.cfi_adjust_cfa_offset 64\n\t"
#define VPOP "vpop	{s16-s31}\n\t"

/* A task that the kernel will not let run leaves with the pattern in all registers, and stores them when it is back. */
NAKED static void leave_with(__attribute__((unused)) const struct pattern *pattern, __attribute__((unused)) struct pattern *kept)
{
	__asm__ volatile(PUSH VPUSH LOAD SWITCH "ldr	r0, [sp, #64]\n\t" STORE VPOP POP);
}

NAKED static void leave_with_r(__attribute__((unused)) const uint32_t *r, __attribute__((unused)) uint32_t *kept)
{
	__asm__ volatile(PUSH LOAD_R SWITCH "ldr	r0, [sp]\n\t" STORE_R POP);
}

/* Where it holds its registers is a part of its own, so that a debugger can tell. */
#define HOLD(name)                                                                                                              \
	NAKED static void name##_holds(__attribute__((unused)) const struct pattern *pattern,                                   \
				       __attribute__((unused)) struct pattern *kept, __attribute__((unused)) uint32_t rounds)   \
	{                                                                                                                       \
		__asm__ volatile(PUSH VPUSH LOAD "\n" #name "_begin:\n\tsubs	r2, #1\n\tbne	" #name "_begin\n" #name "_end:\n\t" \
				 "mov	r0, r1\n\t" STORE VPOP POP);                                                         \
	}
HOLD(red)
HOLD(blue)

static NOINLINE void expect_kept(unsigned n, unsigned first_word)
{
	const uint32_t *was = (const uint32_t *)&g_patterns[n], *is = (const uint32_t *)&g_kept[n];

	for (unsigned i = first_word; i < sizeof(struct pattern) / sizeof(uint32_t); i++)
		if (is[i] != was[i])
			g_bad++;
}

void sleeper_turn(void);
NOINLINE void sleeper_turn(void)
{
	if (++g_turns[SLEEPER] % 2 == 0)
		os_give();
}

static void sleeper(void)
{
	for (;;) {
		interrupts_off();
		os_will_sleep(2);
		leave_with(&g_patterns[SLEEPER], &g_kept[SLEEPER]);
		expect_kept(SLEEPER, 0);
		sleeper_turn();
	}
}

void waiter_turn(void);
NOINLINE void waiter_turn(void)
{
	g_turns[WAITER]++;
}

static void waiter(void)
{
	for (;;) {
		interrupts_off();
		if (os_will_wait()) {
			leave_with(&g_patterns[WAITER], &g_kept[WAITER]);
			expect_kept(WAITER, 0);
		}
		interrupts_on();
		waiter_turn();
	}
}

void plain_turn(void);
NOINLINE void plain_turn(void)
{
	g_turns[PLAIN]++;
}

static void plain(void)
{
	for (;;) {
		interrupts_off();
		os_will_sleep(1);
		leave_with_r(g_patterns[PLAIN].r, g_kept[PLAIN].r);
		expect_kept(PLAIN, 33);
		plain_turn();
	}
}

static NOINLINE void yield(void)
{
	__asm__ volatile("svc	#1" ::: "memory");
}

static void red(void)
{
	for (;;) {
		red_holds(&g_patterns[RED], &g_kept[RED], 200);
		expect_kept(RED, 0);
		if (++g_turns[RED] % 4 == 0)
			yield();
	}
}

static void blue(void)
{
	for (;;) {
		blue_holds(&g_patterns[BLUE], &g_kept[BLUE], 400);
		expect_kept(BLUE, 0);
		if (++g_turns[BLUE] % 3 == 0)
			yield();
	}
}

static void idle(void)
{
	for (;;)
		g_turns[IDLE]++;
}

int main(void)
{
	os_create(IDLE, "IDLE", 0, idle);
	os_create(BLUE, "blue", 1, blue);
	os_create(RED, "red", 1, red);
	os_create(PLAIN, "plain", 2, plain);
	os_create(WAITER, "waiter", 2, waiter);
	os_create(SLEEPER, "sleeper", 3, sleeper);
	os_start();
	return 0;
}
