/* A kernel whose data, switch and frames are as those of FreeRTOS's port for a Cortex-M4F, so that debuggers find its tasks
 * by FreeRTOS's symbols. It has what cm4_tasks.c asks for: tasks of five priorities that take turns, delays, and a
 * semaphore. SVC starts the first task; a task that yields does so by SVC as well, whose handler pends PendSV. */
#include "cm4_tasks.h"
#include "freertos.h"

enum { N_PRIORITIES = 5, SYSCALL_PRIORITY = 0x40, LOWEST_PRIORITY = 0xff };

TCB_t *volatile pxCurrentTCB;
static List_t pxReadyTasksLists[N_PRIORITIES], xDelayedTaskList1, xDelayedTaskList2, xPendingReadyList, xSuspendedTaskList;
static List_t *volatile pxDelayedTaskList, *volatile pxOverflowDelayedTaskList;
static volatile uint32_t uxCurrentNumberOfTasks, xTickCount, uxTopReadyPriority, uxSchedulerSuspended;
static volatile int32_t xSchedulerRunning;
static TCB_t *xIdleTaskHandle;
const uint32_t uxTopUsedPriority __attribute__((used)) = N_PRIORITIES - 1;	/* OpenOCD asks for it */

static TCB_t tasks[N_TASKS];
static struct { uint32_t count; List_t xTasksWaitingToReceive; } semaphore;

/* --- lists: circles through their end, whose value is the highest ------------------------------------------------------ */

static void make_list(List_t *list)
{
	*list = (List_t)EMPTY(*list);
}

static NOINLINE void insert_before(List_t *list, struct xLIST_ITEM *next, struct xLIST_ITEM *item)
{
	item->pxNext = next;
	item->pxPrevious = next->pxPrevious;
	next->pxPrevious->pxNext = item;
	next->pxPrevious = item;
	item->pxContainer = list;
	list->uxNumberOfItems++;
}

static void insert_by_value(List_t *list, struct xLIST_ITEM *item)
{
	struct xLIST_ITEM *next = list->xListEnd.pxNext;

	while (next != END(*list) && next->xItemValue <= item->xItemValue)
		next = next->pxNext;
	insert_before(list, next, item);
}

static void take_out(struct xLIST_ITEM *item)
{
	List_t *list = item->pxContainer;

	item->pxNext->pxPrevious = item->pxPrevious;
	item->pxPrevious->pxNext = item->pxNext;
	if (list->pxIndex == item)
		list->pxIndex = item->pxPrevious;
	item->pxContainer = 0;
	list->uxNumberOfItems--;
}

static void make_ready(TCB_t *task)
{
	List_t *list = &pxReadyTasksLists[task->uxPriority];

	insert_before(list, list->pxIndex, &task->xStateListItem);
	if (task->uxPriority > uxTopReadyPriority)
		uxTopReadyPriority = task->uxPriority;
}

/* --- switches -------------------------------------------------------------------------------------------------------- */

void vTaskSwitchContext(void);
void vTaskSwitchContext(void)
{
	List_t *list;

	while (pxReadyTasksLists[uxTopReadyPriority].uxNumberOfItems == 0)
		uxTopReadyPriority--;
	list = &pxReadyTasksLists[uxTopReadyPriority];
	list->pxIndex = list->pxIndex->pxNext;
	if (list->pxIndex == END(*list))
		list->pxIndex = list->pxIndex->pxNext;
	pxCurrentTCB = list->pxIndex->pvOwner;
}

/* A task's frame: r4-r11, EXC_RETURN, s16-s31 if it has used the FPU, then what the hardware put there. */
NAKED void PendSV_Handler(void);
NAKED void PendSV_Handler(void)
{
	__asm__ volatile("mrs	r0, psp\n\t"
			 "isb\n\t"
			 "ldr	r3, =pxCurrentTCB\n\t"
			 "ldr	r2, [r3]\n\t"
			 "tst	lr, #0x10\n\t"
			 "it	eq\n\t"
			 "vstmdbeq r0!, {s16-s31}\n\t"
			 "stmdb	r0!, {r4-r11, lr}\n\t"
			 "str	r0, [r2]\n\t"
			 "push	{r0, r3}\n\t"
			 "mov	r0, %0\n\t"
			 "msr	basepri, r0\n\t"
			 "dsb\n\t"
			 "isb\n\t"
			 "bl	vTaskSwitchContext\n\t"
			 "mov	r0, #0\n\t"
			 "msr	basepri, r0\n\t"
			 "pop	{r0, r3}\n\t"
			 "ldr	r1, [r3]\n\t"
			 "ldr	r0, [r1]\n\t"
			 "ldmia	r0!, {r4-r11, lr}\n\t"
			 "tst	lr, #0x10\n\t"
			 "it	eq\n\t"
			 "vldmiaeq r0!, {s16-s31}\n\t"
			 "msr	psp, r0\n\t"
			 "isb\n\t"
			 "bx	lr\n\t"
			 ".ltorg" :: "i"(SYSCALL_PRIORITY));
}

/* svc #0 starts the task that is pxCurrentTCB, and what is on the main stack is gone; svc #1, of a task, yields. */
NAKED void SVC_Handler(void);
NAKED void SVC_Handler(void)
{
	__asm__ volatile("tst	lr, #4\n\t"
			 "bne	1f\n\t"
			 "ldr	r3, =pxCurrentTCB\n\t"
			 "ldr	r1, [r3]\n\t"
			 "ldr	r0, [r1]\n\t"
			 "ldmia	r0!, {r4-r11, lr}\n\t"
			 "msr	psp, r0\n\t"
			 "ldr	r0, =g_stack_top\n\t"
			 "msr	msp, r0\n\t"
			 "isb\n\t"
			 "bx	lr\n\t"
			 "1:	ldr	r0, =0xe000ed04\n\t"
			 "mov	r1, #0x10000000\n\t"
			 "str	r1, [r0]\n\t"
			 "bx	lr\n\t"
			 ".ltorg");
}

/* Those whose time has come, also out of what they waited for until then. True: one is more urgent than who runs. */
static bool xTaskIncrementTick(void)
{
	List_t *list = pxDelayedTaskList;

	xTickCount++;
	while (list->uxNumberOfItems > 0 && list->xListEnd.pxNext->xItemValue <= xTickCount) {
		TCB_t *task = list->xListEnd.pxNext->pvOwner;

		take_out(&task->xStateListItem);
		make_ready(task);
	}
	return uxTopReadyPriority > pxCurrentTCB->uxPriority || pxReadyTasksLists[pxCurrentTCB->uxPriority].uxNumberOfItems > 1;
}

void SysTick_Handler(void);
void SysTick_Handler(void)
{
	tick_of_tasks();
	if (xTaskIncrementTick())
		SCB_ICSR = ICSR_PENDSVSET;
}

/* --- what tasks ask for ---------------------------------------------------------------------------------------------- */

void os_will_sleep(uint32_t ticks)
{
	struct xLIST_ITEM *item = &pxCurrentTCB->xStateListItem;

	take_out(item);
	item->xItemValue = xTickCount + ticks;
	insert_by_value(pxDelayedTaskList, item);
}

/* Without a limit: in the semaphore's list with one item, in that of the suspended with the other. */
bool os_will_wait(void)
{
	TCB_t *task = pxCurrentTCB;

	if (semaphore.count > 0) {
		semaphore.count--;
		return false;
	}
	take_out(&task->xStateListItem);
	insert_before(&xSuspendedTaskList, END(xSuspendedTaskList), &task->xStateListItem);
	insert_by_value(&semaphore.xTasksWaitingToReceive, &task->xEventListItem);
	return true;
}

void os_give(void)
{
	List_t *waiting = &semaphore.xTasksWaitingToReceive;
	TCB_t *task = waiting->xListEnd.pxNext->pvOwner;

	__asm__ volatile("msr	basepri, %0\n\tdsb\n\tisb" :: "r"(SYSCALL_PRIORITY) : "memory");
	if (waiting->uxNumberOfItems > 0) {
		take_out(&task->xEventListItem);
		take_out(&task->xStateListItem);
		make_ready(task);
	} else {
		semaphore.count++;
	}
	__asm__ volatile("msr	basepri, %0" :: "r"(0) : "memory");
	pend_switch();
}

void os_create(unsigned n, const char *name, unsigned urgency, void (*entry)(void))
{
	TCB_t *task = &tasks[n];
	uint32_t *top = first_frame(n, entry);

	if (uxCurrentNumberOfTasks++ == 0) {
		for (unsigned i = 0; i < N_PRIORITIES; i++)
			make_list(&pxReadyTasksLists[i]);
		make_list(&xDelayedTaskList1);
		make_list(&xDelayedTaskList2);
		make_list(&xPendingReadyList);
		make_list(&xSuspendedTaskList);
		make_list(&semaphore.xTasksWaitingToReceive);
		pxDelayedTaskList = &xDelayedTaskList1;
		pxOverflowDelayedTaskList = &xDelayedTaskList2;
	}
	*--top = 0xfffffffd;	/* EXC_RETURN: thread mode, PSP, no FPU yet */
	top -= 8;
	task->pxTopOfStack = top;
	task->pxStack = g_stacks[n];
	for (unsigned i = 0; name[i] != '\0'; i++)
		task->pcTaskName[i] = name[i];
	task->uxPriority = urgency;
	task->uxTCBNumber = uxCurrentNumberOfTasks;
	task->xStateListItem.pvOwner = task->xEventListItem.pvOwner = task;
	task->xEventListItem.xItemValue = N_PRIORITIES - urgency;
	make_ready(task);
	if (urgency == 0)
		xIdleTaskHandle = task;
	if (pxCurrentTCB == 0 || pxCurrentTCB->uxPriority <= urgency)
		pxCurrentTCB = task;
}

void os_start(void)
{
	start_ticks((uint32_t)LOWEST_PRIORITY << 16 | (uint32_t)LOWEST_PRIORITY << 24);
	xSchedulerRunning = 1;
	if (xIdleTaskHandle != 0 && pxOverflowDelayedTaskList != 0 && uxSchedulerSuspended == 0)
		__asm__ volatile("svc	#0" ::: "memory");
}
