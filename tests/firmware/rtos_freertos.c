/* The data of a FreeRTOS kernel (V10, one core, no MPU) in the middle of its work, as far as somebody who only reads
 * memory sees it. Nothing of it ever runs. */
#include "freertos.h"

#define ONE(list, item) { 1, END(list), { UINT32_MAX, &(item), &(item) } }

extern TCB_t blink, twin, idle_tcb, delayed, suspended, waiting, notified, dead, pending;
extern List_t pxReadyTasksLists[5];
static List_t xDelayedTaskList1, xDelayedTaskList2, xPendingReadyList, xTasksWaitingTermination, xSuspendedTaskList;
static List_t queue = ONE(queue, waiting.xEventListItem);

TCB_t *volatile pxCurrentTCB = &blink;
static TCB_t *volatile xIdleTaskHandle = &idle_tcb;
static volatile uint32_t uxCurrentNumberOfTasks = 9;
static volatile int32_t xSchedulerRunning = 1;

#define ITEM(next, previous, tcb, list) { 0, next, previous, &tcb, &list }
#define TCB(tcb, top, prio, task_name, state, event, ...)                                                              \
	TCB_t tcb = { (uint32_t *)(top),      state,	 event,	    prio,                                              \
		      (uint32_t *)0x20000800, task_name, prio + 10, { __VA_ARGS__ } }
#define NO_EVENT(tcb) { 0, 0, 0, &tcb, 0 }

TCB(blink, 0x20000f00, 2, "blink", ITEM(&twin.xStateListItem, END(pxReadyTasksLists[2]), blink, pxReadyTasksLists[2]),
    NO_EVENT(blink), 0);
TCB(twin, 0x20000f40, 2, "blink", ITEM(END(pxReadyTasksLists[2]), &blink.xStateListItem, twin, pxReadyTasksLists[2]),
    NO_EVENT(twin), 0);
TCB(idle_tcb, 0x20000f80, 0, "IDLE", ITEM(END(pxReadyTasksLists[0]), END(pxReadyTasksLists[0]), idle_tcb,
					  pxReadyTasksLists[0]), NO_EVENT(idle_tcb), 0);
TCB(delayed, 0x20000fc0, 3, "Tmr Svc", ITEM(END(xDelayedTaskList2), END(xDelayedTaskList2), delayed, xDelayedTaskList2),
    NO_EVENT(delayed), 0);
TCB(suspended, 0x20001000, 1, "susp", ITEM(&waiting.xStateListItem, END(xSuspendedTaskList), suspended,
					   xSuspendedTaskList), NO_EVENT(suspended), 0);
TCB(waiting, 0x20001040, 4, "wait_for_queue",
    ITEM(&notified.xStateListItem, &suspended.xStateListItem, waiting, xSuspendedTaskList),
    ITEM(END(queue), END(queue), waiting, queue), 0);
TCB(notified, 0x20001080, 1, "notified", ITEM(END(xSuspendedTaskList), &waiting.xStateListItem, notified,
					      xSuspendedTaskList), NO_EVENT(notified), 0, 1);
TCB(dead, 0x200010c0, 1, "dead", ITEM(END(xTasksWaitingTermination), END(xTasksWaitingTermination), dead,
				      xTasksWaitingTermination), NO_EVENT(dead), 0);
TCB(pending, 0x20001100, 3, "pending", ITEM(END(xDelayedTaskList1), END(xDelayedTaskList1), pending, xDelayedTaskList1),
    ITEM(END(xPendingReadyList), END(xPendingReadyList), pending, xPendingReadyList), 0);

List_t pxReadyTasksLists[5] = {
	ONE(pxReadyTasksLists[0], idle_tcb.xStateListItem), EMPTY(pxReadyTasksLists[1]),
	{ 2, END(pxReadyTasksLists[2]), { UINT32_MAX, &blink.xStateListItem, &twin.xStateListItem } },
	EMPTY(pxReadyTasksLists[3]), EMPTY(pxReadyTasksLists[4]),
};
static List_t xDelayedTaskList1 = ONE(xDelayedTaskList1, pending.xStateListItem);
static List_t xDelayedTaskList2 = ONE(xDelayedTaskList2, delayed.xStateListItem);
static List_t xPendingReadyList = ONE(xPendingReadyList, pending.xEventListItem);
static List_t xTasksWaitingTermination = ONE(xTasksWaitingTermination, dead.xStateListItem);
static List_t xSuspendedTaskList = {
	3, END(xSuspendedTaskList), { UINT32_MAX, &suspended.xStateListItem, &notified.xStateListItem },
};

int vTaskSwitchContext(void)
{
	/* whatever is static has to be used by somebody */
	return (int)(uxCurrentNumberOfTasks + (uint32_t)xSchedulerRunning + (xIdleTaskHandle == pxCurrentTCB) +
		     xDelayedTaskList1.uxNumberOfItems + xDelayedTaskList2.uxNumberOfItems +
		     xPendingReadyList.uxNumberOfItems + xTasksWaitingTermination.uxNumberOfItems +
		     xSuspendedTaskList.uxNumberOfItems + queue.uxNumberOfItems);
}
