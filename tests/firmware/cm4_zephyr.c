/* A kernel whose data, switch and frames are as those of Zephyr's PendSV port with CONFIG_FPU_SHARING, so that debuggers find
 * its threads by Zephyr's symbols. It has what cm4_tasks.c asks for: of threads of one priority the one runs that ran least,
 * time slices, delays, and a semaphore. SVC yields: its handler pends PendSV. */
#include "cm4_tasks.h"

enum { DUMMY = 0x01, PENDING = 0x02, SLEEPING = 0x04, QUEUED = 0x80, IDLE_PRIORITY = 15 };

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
	uint32_t turn, wakes_at;
};

struct z_kernel _kernel;
static struct k_thread before_all, threads[N_TASKS - 1];
struct k_thread z_idle_threads[1];
static struct { uint32_t count; struct k_thread *waiting; } semaphore;
static uint32_t ticks;

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

/* --- switches ------------------------------------------------------------------------------------------------------ */

static bool is_ready(const struct k_thread *thread)
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

/* svc #1, of a thread */
void SVC_Handler(void);
void SVC_Handler(void)
{
	SCB_ICSR = ICSR_PENDSVSET;
}

void SysTick_Handler(void);
void SysTick_Handler(void)
{
	tick_of_tasks();
	ticks++;
	for (struct k_thread *t = _kernel.threads; t != 0; t = t->next_thread)
		if ((t->base.thread_state & SLEEPING) != 0 && t->wakes_at == ticks)
			t->base.thread_state = QUEUED;
	SCB_ICSR = ICSR_PENDSVSET;
}

/* --- what threads ask for ------------------------------------------------------------------------------------------ */

void os_will_sleep(uint32_t for_ticks)
{
	struct k_thread *thread = _kernel.cpus[0].current;

	thread->wakes_at = ticks + for_ticks;
	thread->base.thread_state = SLEEPING;
}

bool os_will_wait(void)
{
	struct k_thread *thread = _kernel.cpus[0].current;

	if (semaphore.count > 0) {
		semaphore.count--;
		return false;
	}
	thread->base.thread_state = PENDING;
	thread->base.pended_on = &semaphore;
	semaphore.waiting = thread;
	return true;
}

void os_give(void)
{
	struct k_thread *thread;

	interrupts_off();
	thread = semaphore.waiting;
	if (thread != 0) {
		semaphore.waiting = 0;
		thread->base.pended_on = 0;
		thread->base.thread_state = QUEUED;
	} else {
		semaphore.count++;
	}
	interrupts_on();
	pend_switch();
}

void os_create(unsigned n, const char *name, unsigned urgency, void (*entry)(void))
{
	struct k_thread *thread = n == IDLE ? &z_idle_threads[0] : &threads[n];

	for (unsigned i = 0; name[i] != '\0'; i++)
		thread->name[i] = name[i];
	thread->base.prio = (int8_t)(n == IDLE ? IDLE_PRIORITY : 4 - (int)urgency);
	thread->base.thread_state = QUEUED;
	thread->entry.pEntry = entry;
	thread->callee_saved.psp = (uint32_t)(uintptr_t)first_frame(n, entry);
	thread->arch.mode_exc_return = 0xfd;
	thread->next_thread = _kernel.threads;
	_kernel.threads = thread;
}

void os_start(void)
{
	before_all.base.thread_state = DUMMY;
	_kernel.cpus[0].current = &before_all;
	_kernel.cpus[0].idle_thread = &z_idle_threads[0];
	start_ticks(0xffu << 16 | 0xc0u << 24);	/* PendSV below everything */
	pend_switch();	/* before_all is in no list: this does not come back */
}
