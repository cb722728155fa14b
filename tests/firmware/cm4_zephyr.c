/* Threads with floating point for a debugger to look at: a kernel whose data and switch are as those of Zephyr's PendSV port
 * (CONFIG_FPU_SHARING), so that whoever knows Zephyr by its symbols finds its threads here. For a Cortex-M4F: it runs on
 * the cm4, and on QEMU's mps2-an386.
 *
 *   main    priority 1: sleeps a tick, counts, and lets parked go on when g_wake says so
 *   parked  priority 2: pends with patterns in r4-r11 and in s0-s31
 *   red     priority 3: fills s0-s31 and FPSCR, computes, and looks whether all are as they were, again and again
 *   blue    priority 3: the same with other values; both yield now and then
 *   idle    priority 15
 *
 * SysTick computes with floats, too, so that what is put off by lazy stacking is done in its midst. g_counts has the turns of
 * each thread, g_bad how often a register was not as it was. */
#include <stddef.h>

#include "firmware.h"

enum { STACK_WORDS = 160, TICK_CYCLES = 4000, N_THREADS = 5 };
enum { DUMMY = 0x01, PENDING = 0x02, SLEEPING = 0x04, QUEUED = 0x80 };
#define CPACR REG(0xe000ed88)
#define THUMB (UINT32_C(1) << 24)
#define NOINLINE __attribute__((noinline, noclone))

struct k_thread;
struct _cpu {
	uint32_t nested;
	char *irq_stack;
	struct k_thread *current, *idle_thread;
	uint8_t id;
};
struct z_kernel {
	struct _cpu cpus[1];
	struct { struct k_thread *cache; } ready_q;
	struct k_thread *threads;
};
struct k_thread {
	struct { void *queue[2], *pended_on; uint8_t user_options, thread_state; int8_t prio; uint8_t sched_locked; } base;
	struct { uint32_t r4_r11[8], psp; } callee_saved;
	struct { void (*pEntry)(void); } entry;
	struct k_thread *next_thread;
	char name[16];
	struct { uint32_t basepri; uint8_t mode_exc_return; float preempt_float[16]; } arch;
	uint32_t turn;			/* of threads of one priority the one that ran least */
};

struct z_kernel _kernel;
static struct k_thread before_all, threads[N_THREADS - 1];
struct k_thread z_main_thread, z_idle_threads[1];
static uint32_t stacks[N_THREADS][STACK_WORDS] __attribute__((aligned(8)));

volatile uint32_t g_counts[N_THREADS], g_ticks, g_wake, g_bad;
volatile float g_time;

const size_t _kernel_thread_info_offsets[] = {
	1, offsetof(struct _cpu, current), offsetof(struct z_kernel, threads), offsetof(struct k_thread, entry.pEntry),
	offsetof(struct k_thread, next_thread), offsetof(struct k_thread, base.thread_state),
	offsetof(struct k_thread, base.user_options), offsetof(struct k_thread, base.prio),
	offsetof(struct k_thread, callee_saved.psp), offsetof(struct k_thread, name), offsetof(struct k_thread, arch),
	offsetof(struct k_thread, arch.preempt_float) - offsetof(struct k_thread, arch), UINT32_MAX,
	offsetof(struct k_thread, arch.mode_exc_return) - offsetof(struct k_thread, arch), UINT32_MAX,
};
const size_t _kernel_thread_info_num_offsets = sizeof(_kernel_thread_info_offsets) / sizeof(size_t);
const uint8_t _kernel_thread_info_size_t_size = sizeof(size_t);

/* --- the kernel --------------------------------------------------------------------------------------------------- */

static int is_ready(const struct k_thread *thread)
{
	return (thread->base.thread_state & ~QUEUED) == 0;
}

struct k_thread *z_get_next(void);
struct k_thread *z_get_next(void)
{
	struct k_thread *best = &z_idle_threads[0];

	for (struct k_thread *t = _kernel.threads; t != 0; t = t->next_thread)
		if (is_ready(t) && (t->base.prio < best->base.prio || (t->base.prio == best->base.prio && t->turn < best->turn)))
			best = t;
	best->turn++;
	_kernel.ready_q.cache = best;
	return best;
}

/* The registers that C keeps go into the control block; those of the FPU only from a thread that has used it. */
void PendSV_Handler(void);
__attribute__((naked)) void PendSV_Handler(void)
{
	__asm__ volatile("ldr	r1, =_kernel\n\t"
			 "ldr	r2, [r1, %0]\n\t"
			 "add	r3, r2, %1\n\t"
			 "stmia	r3!, {r4-r11}\n\t"
			 "mrs	r0, psp\n\t"
			 "str	r0, [r3]\n\t"
			 "strb	lr, [r2, %2]\n\t"
			 "add	r3, r2, %3\n\t"
			 "tst	lr, #0x10\n\t"
			 "it	eq\n\t"
			 "vstmiaeq r3, {s16-s31}\n\t"
			 "push	{r1, lr}\n\t"
			 "cpsid	i\n\t"
			 "bl	z_get_next\n\t"
			 "cpsie	i\n\t"
			 "pop	{r1, lr}\n\t"
			 "str	r0, [r1, %0]\n\t"
			 "ldrb	r2, [r0, %2]\n\t"
			 "orr	lr, r2, #0xffffff00\n\t"
			 "add	r3, r0, %3\n\t"
			 "tst	lr, #0x10\n\t"
			 "it	eq\n\t"
			 "vldmiaeq r3, {s16-s31}\n\t"
			 "add	r3, r0, %1\n\t"
			 "ldmia	r3!, {r4-r11}\n\t"
			 "ldr	r0, [r3]\n\t"
			 "msr	psp, r0\n\t"
			 "bx	lr\n\t"
			 ".ltorg" :: "i"(offsetof(struct z_kernel, cpus[0].current)),
			 "i"(offsetof(struct k_thread, callee_saved)),
			 "i"(offsetof(struct k_thread, arch.mode_exc_return)),
			 "i"(offsetof(struct k_thread, arch.preempt_float)));
}

void SysTick_Handler(void);
void SysTick_Handler(void)
{
	g_ticks++;
	g_time += 0.004f;
	if ((z_main_thread.base.thread_state & SLEEPING) != 0)
		z_main_thread.base.thread_state = QUEUED;
	SCB_ICSR = ICSR_PENDSVSET;
}

static NOINLINE void k_yield(void)
{
	SCB_ICSR = ICSR_PENDSVSET;
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}

static NOINLINE void k_sleep_a_tick(void)
{
	_kernel.cpus[0].current->base.thread_state = SLEEPING;
	k_yield();
}

static void create(struct k_thread *thread, unsigned n, const char *name, int8_t priority, void (*entry)(void))
{
	uint32_t *top = stacks[n] + STACK_WORDS - 8;

	for (unsigned i = 0; name[i] != '\0'; i++)
		thread->name[i] = name[i];
	thread->base.prio = priority;
	thread->base.thread_state = QUEUED;
	thread->entry.pEntry = entry;
	thread->callee_saved.psp = (uint32_t)(uintptr_t)top;
	thread->arch.mode_exc_return = 0xfd;
	top[5] = (uint32_t)(uintptr_t)default_handler;	/* lr: no thread comes back */
	top[6] = (uint32_t)(uintptr_t)entry & ~1u;
	top[7] = THUMB;
	thread->next_thread = _kernel.threads;
	_kernel.threads = thread;
}

/* --- the threads -------------------------------------------------------------------------------------------------- */

static NOINLINE void main_turn(void)
{
	g_counts[0]++;
	if (g_wake != 0) {
		g_wake = 0;
		threads[0].base.thread_state = QUEUED;
	}
}

static void main_thread(void)
{
	for (;;) {
		k_sleep_a_tick();
		main_turn();
	}
}

void parked_came_back(void);
NOINLINE void parked_came_back(void)
{
	g_counts[1]++;
}

/* What they have when they come back is for the debugger to see: g_kept has s0-s31, then r4-r11. */
volatile uint32_t g_kept[40];
static const float patterns[32] = { 0.5f, 1.5f, 2.5f, 3.5f, 4.5f, 5.5f, 6.5f, 7.5f, 8.5f, 9.5f, 10.5f, 11.5f, 12.5f, 13.5f, 14.5f, 15.5f,
				    16.5f, 17.5f, 18.5f, 19.5f, 20.5f, 21.5f, 22.5f, 23.5f, 24.5f, 25.5f, 26.5f, 27.5f, 28.5f, 29.5f,
				    30.5f, 31.5f };
__attribute__((naked, noinline)) static void pend_with_patterns(__attribute__((unused)) const float *floats)
{
	__asm__ volatile("push	{r4-r11, lr}\n\t"
			 "vpush	{s16-s31}\n\t"
			 "vldmia r0, {s0-s31}\n\t"
			 "ldr	r4, =0xb4b4b4b4\n\t"
			 "ldr	r5, =0xb5b5b5b5\n\t"
			 "ldr	r6, =0xb6b6b6b6\n\t"
			 "ldr	r7, =0xb7b7b7b7\n\t"
			 "ldr	r8, =0xb8b8b8b8\n\t"
			 "ldr	r9, =0xb9b9b9b9\n\t"
			 "ldr	r10, =0xbabababa\n\t"
			 "ldr	r11, =0xbbbbbbbb\n\t"
			 "ldr	r0, =0xe000ed04\n\t"
			 "mov	r1, #0x10000000\n\t"
			 "str	r1, [r0]\n\t"
			 "dsb\n\t"
			 "isb\n\t"
			 "ldr	r0, =g_kept\n\t"
			 "vstmia r0!, {s0-s31}\n\t"
			 "stmia	r0!, {r4-r11}\n\t"
			 "vpop	{s16-s31}\n\t"
			 "pop	{r4-r11, pc}\n\t"
			 ".ltorg");
}

static void parked(void)
{
	for (;;) {
		threads[0].base.thread_state = PENDING;
		pend_with_patterns(patterns);
		parked_came_back();
	}
}

/* s0-s31 and FPSCR from floats[0..32], n rounds of nothing, and out again to kept. */
__attribute__((naked, noinline)) static void keep_floats(__attribute__((unused)) const uint32_t *floats,
							  __attribute__((unused)) uint32_t *kept,
							  __attribute__((unused)) uint32_t n)
{
	__asm__ volatile("vpush	{s16-s31}\n\t"
			 "vldmia r0!, {s0-s31}\n\t"
			 "ldr	r3, [r0]\n\t"
			 "vmsr	fpscr, r3\n\t"
			 "1:	subs	r2, #1\n\t"
			 "bne	1b\n\t"
			 "vmrs	r3, fpscr\n\t"
			 "vstmia r1!, {s0-s31}\n\t"
			 "str	r3, [r1]\n\t"
			 "vpop	{s16-s31}\n\t"
			 "bx	lr");
}

static NOINLINE void colour_turn(unsigned n, uint32_t first)
{
	uint32_t floats[33], kept[33];

	for (unsigned i = 0; i < 32; i++)
		floats[i] = first + i * 0x00010203;
	floats[32] = n << 22;		/* its own way of rounding */
	keep_floats(floats, kept, 300);
	for (unsigned i = 0; i < 33; i++)
		if (kept[i] != floats[i])
			g_bad++;
	g_counts[n]++;
}

static void red(void)
{
	for (uint32_t first = 0x3f800000;; first += 0x1000) {
		colour_turn(2, first);
		if (g_counts[2] % 4 == 0)
			k_yield();
	}
}

static void blue(void)
{
	for (uint32_t first = 0xc0000000;; first += 0x1000) {
		colour_turn(3, first);
		if (g_counts[3] % 7 == 0)
			k_yield();
	}
}

static void idle(void)
{
	for (;;)
		g_counts[4]++;
}

int main(void)
{
	CPACR |= 0xf << 20;
	__asm__ volatile("dsb\n\tisb" ::: "memory");
	before_all.base.thread_state = DUMMY;
	_kernel.cpus[0].current = &before_all;
	_kernel.cpus[0].idle_thread = &z_idle_threads[0];
	create(&z_idle_threads[0], 4, "idle", 15, idle);
	create(&threads[2], 3, "blue", 3, blue);
	create(&threads[1], 2, "red", 3, red);
	create(&threads[0], 1, "parked", 2, parked);
	create(&z_main_thread, 0, "main", 1, main_thread);
	SCB_SHPR3 = 0xffu << 16 | 0xc0u << 24;	/* PendSV below everything */
	SYST_RVR = TICK_CYCLES - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
	k_yield();
	return 0;	/* nobody comes back here: before_all is in no list */
}
