/* What cm4_tasks.c asks of a kernel. Two answer: cm4_freertos.c and cm4_zephyr.c, whose data and switch are as those of the
 * kernels that debuggers know. */
#ifndef CM4_TASKS_H
#define CM4_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firmware.h"

enum { SLEEPER, WAITER, PLAIN, RED, BLUE, IDLE, N_TASKS };
enum { STACK_WORDS = 160, HARDWARE_WORDS = 8, TICK_CYCLES = 3000 };
enum { SVC_START, SVC_YIELD };
#define THUMB (UINT32_C(1) << 24)
#define NOINLINE __attribute__((noinline, noclone))
#define NAKED __attribute__((naked, noinline))

extern uint32_t g_stacks[N_TASKS][STACK_WORDS];
void tick_of_tasks(void);	/* SysTick, before the kernel's own work */

/* urgency: a higher one runs first. Before os_start(), which does not come back. */
void os_create(unsigned n, const char *name, unsigned urgency, void (*entry)(void));
void os_start(void);
/* Interrupts are off: from the next switch on the task does not run before so many ticks, or until the semaphore is given.
 * False: it is there, and has been taken. */
void os_will_sleep(uint32_t ticks);
bool os_will_wait(void);
void os_give(void);		/* by a task */

/* The frame that the hardware finds when a task runs for the first time. */
static inline uint32_t *first_frame(unsigned n, void (*entry)(void))
{
	uint32_t *top = g_stacks[n] + STACK_WORDS - HARDWARE_WORDS;

	top[5] = (uint32_t)(uintptr_t)default_handler + 2;	/* lr: behind its only instruction; no task comes back */
	top[6] = (uint32_t)(uintptr_t)entry & ~1u;
	top[7] = THUMB;
	return top;
}

static inline void pend_switch(void)
{
	SCB_ICSR = ICSR_PENDSVSET;
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}

static inline void start_ticks(uint32_t priorities)
{
	REG(0xe000ed88) |= 0xf << 20;	/* CPACR: the FPU */
	__asm__ volatile("dsb\n\tisb" ::: "memory");
	SCB_SHPR3 = priorities;
	SYST_RVR = TICK_CYCLES - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
}

#endif
