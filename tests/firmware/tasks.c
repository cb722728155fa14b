/* Tasks for a debugger to look at: a kernel of a hundred lines whose data lie as those of FreeRTOS V10 do (one core, ARM_CM0
 * port: r4-r11 below what the hardware stacks), so that whoever knows FreeRTOS by its symbols finds its tasks here.
 *
 *   ping    priority 2: waits a tick, counts, and lets parked go on when g_wake says so
 *   parked  priority 1: suspends itself with a pattern in r4-r11, and notes in g_came_back what it had when it was resumed
 *   pong    priority 1: computes, and yields now and then
 *   IDLE    priority 0
 *
 * g_counts counts each task's turns; what the kernel saved of parked is known by the pattern. */
#include "firmware.h"

enum { PRIORITIES = 3, STACK_WORDS = 96, TICK_CYCLES = 4000 };
#define THUMB (UINT32_C(1) << 24)

struct xLIST;
struct xLIST_ITEM {
	uint32_t xItemValue;
	struct xLIST_ITEM *pxNext, *pxPrevious;
	void *pvOwner;
	struct xLIST *pxContainer;
};
struct xMINI_LIST_ITEM { uint32_t xItemValue; struct xLIST_ITEM *pxNext, *pxPrevious; };
typedef struct xLIST {
	volatile uint32_t uxNumberOfItems;
	struct xLIST_ITEM *pxIndex;
	struct xMINI_LIST_ITEM xListEnd;
} List_t;
typedef struct tskTaskControlBlock {
	uint32_t *volatile pxTopOfStack;
	struct xLIST_ITEM xStateListItem, xEventListItem;
	uint32_t uxPriority;
	uint32_t *pxStack;
	char pcTaskName[16];
} TCB_t;

static List_t pxReadyTasksLists[PRIORITIES], xDelayedTaskList1, xDelayedTaskList2, xPendingReadyList, xSuspendedTaskList;
TCB_t *volatile pxCurrentTCB;
static volatile uint32_t uxCurrentNumberOfTasks;
static volatile int32_t xSchedulerRunning;
static TCB_t *volatile xIdleTaskHandle;

static TCB_t tasks[4];
static uint32_t stacks[4][STACK_WORDS] __attribute__((aligned(8)));

volatile uint32_t g_counts[4], g_ticks, g_wake, g_came_back[8], g_work;

void SysTick_Handler(void);
void PendSV_Handler(void);
void vTaskSwitchContext(void);
void parked_came_back(void);

/* --- lists -------------------------------------------------------------------------------------------------------- */

static struct xLIST_ITEM *end_of(List_t *list)
{
	return (struct xLIST_ITEM *)&list->xListEnd;
}

static void empty(List_t *list)
{
	list->pxIndex = list->xListEnd.pxNext = list->xListEnd.pxPrevious = end_of(list);
	list->xListEnd.xItemValue = UINT32_MAX;
}

static void append(List_t *list, struct xLIST_ITEM *item)
{
	item->pxNext = end_of(list);
	item->pxPrevious = list->xListEnd.pxPrevious;
	item->pxPrevious->pxNext = item;
	list->xListEnd.pxPrevious = item;
	item->pxContainer = list;
	list->uxNumberOfItems++;
}

static void take_out(struct xLIST_ITEM *item)
{
	item->pxPrevious->pxNext = item->pxNext;
	item->pxNext->pxPrevious = item->pxPrevious;
	item->pxContainer->uxNumberOfItems--;
	item->pxContainer = 0;
}

/* --- the kernel --------------------------------------------------------------------------------------------------- */

static void move(TCB_t *task, List_t *to)
{
	take_out(&task->xStateListItem);
	append(to, &task->xStateListItem);
}

static void make_ready(TCB_t *task)
{
	move(task, &pxReadyTasksLists[task->uxPriority]);
}

/* The first of the highest priority; it goes to the end of its list, so that its peers have their turn. */
void vTaskSwitchContext(void)
{
	for (int i = PRIORITIES - 1; i >= 0; i--) {
		if (pxReadyTasksLists[i].uxNumberOfItems == 0)
			continue;
		pxCurrentTCB = pxReadyTasksLists[i].xListEnd.pxNext->pvOwner;
		make_ready(pxCurrentTCB);
		return;
	}
}

__attribute__((noinline)) static void yield(void)
{
	SCB_ICSR = ICSR_PENDSVSET;
	__asm__ volatile("dsb\n\tisb" ::: "memory");
}

__attribute__((noinline)) static void wait_a_tick(void)
{
	interrupts_off();
	move(pxCurrentTCB, &xDelayedTaskList1);
	interrupts_on();
	yield();
}

void SysTick_Handler(void)
{
	g_ticks++;
	while (xDelayedTaskList1.uxNumberOfItems > 0)
		make_ready(xDelayedTaskList1.xListEnd.pxNext->pvOwner);
	SCB_ICSR = ICSR_PENDSVSET;
}

/* Below the hardware's frame: r4-r7, then r8-r11 above them, all by way of low registers. */
__attribute__((naked)) void PendSV_Handler(void)
{
	__asm__("mrs	r0, psp\n\t"
		"subs	r0, #32\n\t"
		"ldr	r1, =pxCurrentTCB\n\t"
		"ldr	r2, [r1]\n\t"
		"str	r0, [r2]\n\t"
		"stmia	r0!, {r4-r7}\n\t"
		"mov	r4, r8\n\t"
		"mov	r5, r9\n\t"
		"mov	r6, r10\n\t"
		"mov	r7, r11\n\t"
		"stmia	r0!, {r4-r7}\n\t"
		"push	{r1, lr}\n\t"
		"cpsid	i\n\t"
		"bl	vTaskSwitchContext\n\t"
		"cpsie	i\n\t"
		"pop	{r1, r3}\n\t"
		"ldr	r2, [r1]\n\t"
		"ldr	r0, [r2]\n\t"
		"adds	r0, #16\n\t"
		"ldmia	r0!, {r4-r7}\n\t"
		"mov	r8, r4\n\t"
		"mov	r9, r5\n\t"
		"mov	r10, r6\n\t"
		"mov	r11, r7\n\t"
		"msr	psp, r0\n\t"
		"subs	r0, #32\n\t"
		"ldmia	r0!, {r4-r7}\n\t"
		"bx	r3\n\t"
		".ltorg");
}

static void make(unsigned n, const char *name, uint32_t priority, void (*entry)(void))
{
	TCB_t *task = &tasks[n];
	uint32_t *top = stacks[n] + STACK_WORDS - 16;

	for (unsigned i = 0; name[i] != '\0'; i++)
		task->pcTaskName[i] = name[i];
	task->uxPriority = priority;
	task->pxStack = stacks[n];
	task->pxTopOfStack = top;
	task->xStateListItem.pvOwner = task->xEventListItem.pvOwner = task;
	top[13] = (uint32_t)(uintptr_t)default_handler;	/* lr: no task comes back */
	top[14] = (uint32_t)(uintptr_t)entry & ~1u;
	top[15] = THUMB;
	append(&pxReadyTasksLists[priority], &task->xStateListItem);
	uxCurrentNumberOfTasks++;
}

/* --- the tasks ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) static void ping_turn(void)
{
	g_counts[0]++;
	if (g_wake != 0 && tasks[1].xStateListItem.pxContainer == &xSuspendedTaskList) {
		g_wake = 0;
		interrupts_off();
		make_ready(&tasks[1]);
		interrupts_on();
	}
}

static void ping(void)
{
	for (;;) {
		wait_a_tick();
		ping_turn();
	}
}

/* Out of the ready list already; the pattern, the switch, and what is in the registers when it comes back. */
__attribute__((naked, noinline)) static void suspend_with_pattern(void)
{
	__asm__("push	{r4-r7, lr}\n\t"
		"ldr	r0, =0xb8b8b8b8\n\tmov	r8, r0\n\t"
		"ldr	r0, =0xb9b9b9b9\n\tmov	r9, r0\n\t"
		"ldr	r0, =0xbabababa\n\tmov	r10, r0\n\t"
		"ldr	r0, =0xbbbbbbbb\n\tmov	r11, r0\n\t"
		"ldr	r4, =0xb4b4b4b4\n\t"
		"ldr	r5, =0xb5b5b5b5\n\t"
		"ldr	r6, =0xb6b6b6b6\n\t"
		"ldr	r7, =0xb7b7b7b7\n\t"
		"ldr	r0, =0xe000ed04\n\t"
		"movs	r1, #1\n\t"
		"lsls	r1, r1, #28\n\t"
		"str	r1, [r0]\n\t"
		"dsb\n\t"
		"isb\n\t"
		".global parked_is_here\n\t"
		"parked_is_here:\n\t"
		"ldr	r0, =g_came_back\n\t"
		"stmia	r0!, {r4-r7}\n\t"
		"mov	r4, r8\n\tmov	r5, r9\n\tmov	r6, r10\n\tmov	r7, r11\n\t"
		"stmia	r0!, {r4-r7}\n\t"
		"pop	{r4-r7, pc}\n\t"
		".ltorg");
}

__attribute__((noinline)) void parked_came_back(void)
{
	g_counts[1]++;
}

static void parked(void)
{
	for (;;) {
		interrupts_off();
		move(pxCurrentTCB, &xSuspendedTaskList);
		interrupts_on();
		suspend_with_pattern();
		parked_came_back();
	}
}

__attribute__((noinline)) static uint32_t pong_turn(uint32_t x)
{
	for (unsigned i = 0; i < 50; i++)
		x = x * 5 + i;
	g_counts[2]++;
	return x;
}

static void pong(void)
{
	for (;;) {
		g_work = pong_turn(g_work);
		if (g_counts[2] % 16 == 0)
			yield();
	}
}

static void idle(void)
{
	for (;;)
		g_counts[3]++;
}

/* As if PendSV returned to the first task. */
__attribute__((naked, noinline)) static void start_first_task(void)
{
	__asm__("ldr	r0, =pxCurrentTCB\n\t"
		"ldr	r0, [r0]\n\t"
		"ldr	r0, [r0]\n\t"
		"adds	r0, #32\n\t"
		"msr	psp, r0\n\t"
		"movs	r1, #2\n\t"
		"msr	control, r1\n\t"
		"isb\n\t"
		"ldr	r1, [sp, #24]\n\t"
		"add	sp, #32\n\t"
		"adds	r1, #1\n\t"
		"cpsie	i\n\t"
		"bx	r1\n\t"
		".ltorg");
}

int main(void)
{
	interrupts_off();
	for (unsigned i = 0; i < PRIORITIES; i++)
		empty(&pxReadyTasksLists[i]);
	empty(&xDelayedTaskList1);
	empty(&xDelayedTaskList2);
	empty(&xPendingReadyList);
	empty(&xSuspendedTaskList);
	make(0, "ping", 2, ping);
	make(1, "parked", 1, parked);
	make(2, "pong", 1, pong);
	make(3, "IDLE", 0, idle);
	xIdleTaskHandle = &tasks[3];
	SCB_SHPR3 = 0xffu << 16 | 0xc0u << 24;	/* PendSV below everything */
	vTaskSwitchContext();
	xSchedulerRunning = 1;
	SYST_RVR = TICK_CYCLES - 1;
	SYST_CVR = 0;
	SYST_CSR = 7;
	start_first_task();
	return (int)(xSchedulerRunning + (int32_t)uxCurrentNumberOfTasks + (xIdleTaskHandle != 0)) + (int)xPendingReadyList.uxNumberOfItems +
	       (int)xDelayedTaskList2.uxNumberOfItems;
}
