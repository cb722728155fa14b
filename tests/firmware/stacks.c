/* Stacks that no call and return tell of: see stacks_by_hand.S. Three tasks switch by PendSV, round and round, and all
 * of them wait in yield(). Counts are in tests/test_stacks.c. */
#include "firmware.h"

enum { WORDS = 64 };

uint32_t falls(uint32_t x);
uint32_t into(uint32_t x);
void catcher(uint32_t n);
void outer(void);
void yield(void);
void start_tasks(uint32_t *stack);
void later(uint32_t n);
void work(uint32_t n);
void nap(void);
void task_b(void);
void task_c(void);
void ready(void);
void stacks_passed(void);

uint32_t *g_stack[3], g_current;
static uint32_t stack[3][WORDS];
volatile uint32_t g_work;

#define NOINLINE __attribute__((noinline))

NOINLINE void work(uint32_t n)
{
	while (n-- > 0)
		g_work++;
}

NOINLINE void later(uint32_t n)
{
	while (n-- > 0)
		g_work += n;
}

NOINLINE void outer(void)
{
	catcher(2);
	later(10);
}

NOINLINE void nap(void)
{
	work(1);
	yield();
	work(1);
}

NOINLINE void task_b(void)
{
	for (;;) {
		work(5);
		yield();
		work(6);
		yield();
	}
}

NOINLINE void task_c(void)
{
	for (;;)
		nap();
}

/* A stack as PendSV leaves it: r4 to r7, then what the exception's entry pushed. */
static void prepare(uint32_t task, void (*entry)(void))
{
	uint32_t *top = &stack[task][WORDS - 12];

	top[4 + 6] = (uint32_t)entry & ~1u;
	top[4 + 7] = 1u << 24;
	g_stack[task] = top;
}

NOINLINE void ready(void)
{
	prepare(1, task_b);
	prepare(2, task_c);
}

NOINLINE void stacks_passed(void)
{
	for (;;)
		__asm volatile("wfi");
}

int main(void)
{
	uint32_t x = 0;

	for (uint32_t i = 0; i < 18; i++)
		x += falls(i) + into(i);
	g_work += x;
	outer();
	ready();
	start_tasks(&stack[0][WORDS]);
	for (uint32_t i = 0; i < 6; i++) {
		work(3);
		yield();
	}
	stacks_passed();
	return 0;
}
