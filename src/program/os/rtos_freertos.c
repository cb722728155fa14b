/* FreeRTOS V5 to V11, one core or several. Tasks are found in the lists of tasks.c, which are static: the ELF needs its
 * local symbols.
 *
 * Source: FreeRTOS-Kernel, tasks.c (vTaskSwitchContext, eTaskGetState), include/list.h. Fallback offsets: no MPU, one
 * core, 32-bit ticks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/os/rtos_parts.h"

enum {
	STACK,
	STATE_ITEM,
	EVENT_ITEM,
	PRIORITY,
	NAME,
	NOTIFY,
	ITEM_NEXT,
	ITEM_OWNER,
	ITEM_CONTAINER,
	LIST_COUNT,
	LIST_END,
	END_NEXT,
	N_ROWS,
};
#define TCB { "struct tskTaskControlBlock", "TCB_t", "tskTCB" }
static const struct pt_rtos_row rows[] = {
	[STACK] = { TCB, { "pxTopOfStack" }, 0, 4 },
	[STATE_ITEM] = { TCB, { "xStateListItem", "xGenericListItem" }, 4, 20 },
	[EVENT_ITEM] = { TCB, { "xEventListItem" }, 24, 20 },
	[PRIORITY] = { TCB, { "uxPriority" }, 44, 4 },
	[NAME] = { TCB, { "pcTaskName" }, 52, 16 },
	[NOTIFY] = { TCB, { "ucNotifyState", "eNotifyState" }, PT_UNKNOWN, 1 },
	[ITEM_NEXT] = { { "struct xLIST_ITEM" }, { "pxNext" }, 4, 4 },
	[ITEM_OWNER] = { { "struct xLIST_ITEM" }, { "pvOwner" }, 12, 4 },
	[ITEM_CONTAINER] = { { "struct xLIST_ITEM" }, { "pxContainer", "pvContainer" }, 16, 4 },
	[LIST_COUNT] = { { "struct xLIST" }, { "uxNumberOfItems" }, 0, 4 },
	[LIST_END] = { { "struct xLIST" }, { "xListEnd" }, 8, 12 },
	[END_NEXT] = { { "struct xMINI_LIST_ITEM", "struct xLIST_ITEM" }, { "pxNext" }, 4, 4 },
};
enum { LIST_BYTES = 20, MAX_NOTIFY = 16 };

static uint64_t list_bytes(const struct pt_rtos *rtos)
{
	const struct pt_type *type = pt_types_named(rtos->types, "struct xLIST");

	type = type != NULL ? pt_type_strip(rtos->types, type) : NULL;
	return type != NULL && type->size_bytes >= 8 ? type->size_bytes : LIST_BYTES;
}

static bool find(struct pt_rtos *rtos)
{
	uint64_t addr, size, ready;
	char written[32];

	if (!pt_rtos_symbol(rtos, "pxReadyTasksLists", &ready, &size))
		return false;
	if (pt_rtos_symbol(rtos, "pxCurrentTCB", &addr, &size)) {
		pt_rtos_add_running(rtos, "pxCurrentTCB", addr);
	} else if (pt_rtos_symbol(rtos, "pxCurrentTCBs", &addr, &size)) {	/* SMP, V11 */
		for (unsigned i = 0; i < size / 4 && i < PT_RTOS_MAX_CORES; i++) {
			snprintf(written, sizeof(written), "pxCurrentTCBs[%u]", i);
			pt_rtos_add_running(rtos, written, addr + 4 * i);
		}
	}
	pt_rtos_rows(rtos, rows, N_ROWS);
	return rtos->n_cores > 0;
}

/* In xSuspendedTaskList are also those that wait without a limit: for an event, or for a notification. */
static int suspended_or_blocked(struct pt_rtos_walk *w, uint64_t tcb, const char **state)
{
	const struct pt_rtos *r = w->rtos;
	uint64_t container, waiting;

	*state = "suspended";
	if (r->offset[EVENT_ITEM] != PT_UNKNOWN) {
		if (pt_rtos_pointer(w, tcb + r->offset[EVENT_ITEM] + r->offset[ITEM_CONTAINER], &container) < 0)
			return w->err->code;
		if (container != 0)
			*state = "blocked";
	}
	for (uint64_t i = 0; r->offset[NOTIFY] != PT_UNKNOWN && i < r->size[NOTIFY] && i < MAX_NOTIFY; i++) {
		if (pt_rtos_number(w, tcb + r->offset[NOTIFY] + i, 1, &waiting) < 0)
			return w->err->code;
		if (waiting == 1)
			*state = "blocked";
	}
	return 0;
}

static int is_idle(struct pt_rtos_walk *w, struct pt_rtos_thread *thread)
{
	uint64_t addr, size, handle;

	thread->idle = thread->priority == 0 && strncmp(thread->name, "IDLE", 4) == 0;
	if (!pt_rtos_symbol(w->rtos, "xIdleTaskHandles", &addr, &size) &&
	    !pt_rtos_symbol(w->rtos, "xIdleTaskHandle", &addr, &size))
		return 0;
	thread->idle = false;
	for (uint64_t i = 0; i < (size >= 4 ? size / 4 : 1) && i < PT_RTOS_MAX_CORES; i++) {
		if (pt_rtos_pointer(w, addr + 4 * i, &handle) < 0)
			return w->err->code;
		thread->idle = thread->idle || handle == thread->tcb;
	}
	return 0;
}

static int add_task(struct pt_rtos_walk *w, uint64_t tcb, const char *state)
{
	const struct pt_rtos *r = w->rtos;
	struct pt_rtos_thread *thread = pt_rtos_add(w, tcb);
	uint64_t priority;

	if (thread == NULL)
		return 0;
	thread->state = pt_rtos_is_current(w, tcb) ? "running" : state;
	if (pt_rtos_pointer(w, tcb + r->offset[STACK], &thread->sp) < 0 ||
	    pt_rtos_number(w, tcb + r->offset[PRIORITY], r->size[PRIORITY], &priority) < 0 ||
	    pt_rtos_text(w, tcb + r->offset[NAME], r->size[NAME], thread->name) < 0)
		return w->err->code;
	thread->priority = (int64_t)priority;
	thread->priority_addr = tcb + r->offset[PRIORITY];
	thread->priority_bytes = (uint32_t)r->size[PRIORITY];
	return is_idle(w, thread);
}

/* A circle through xListEnd. Its count is the bound: a list that does not close within it is damaged or in motion. */
static int walk_list(struct pt_rtos_walk *w, uint64_t list, const char *state, bool suspended)
{
	const struct pt_rtos *r = w->rtos;
	uint64_t end = list + r->offset[LIST_END], node, count, owner;

	if (pt_rtos_number(w, list + r->offset[LIST_COUNT], r->size[LIST_COUNT], &count) < 0 ||
	    pt_rtos_pointer(w, end + r->offset[END_NEXT], &node) < 0)
		return w->err->code;
	if (node == 0)		/* not initialised yet */
		return 0;
	for (uint64_t i = 0; node != end; i++) {
		if (i >= count || i >= PT_RTOS_MAX_THREADS || !pt_rtos_can_be(w, node)) {
			pt_rtos_note(w, "the list at 0x%" PRIx64 " is damaged, or changed while it was read", list);
			w->torn = true;
			return 0;
		}
		if (pt_rtos_pointer(w, node + r->offset[ITEM_OWNER], &owner) < 0)
			return w->err->code;
		if (!pt_rtos_can_be(w, owner)) {
			pt_rtos_note(w, "an item of the list at 0x%" PRIx64 " has no task", list);
			w->torn = true;
			return 0;
		}
		if (suspended && suspended_or_blocked(w, owner, &state) < 0)
			return w->err->code;
		if (add_task(w, owner, state) < 0 || pt_rtos_pointer(w, node + r->offset[ITEM_NEXT], &node) < 0)
			return w->err->code;
	}
	return 0;
}

/* In this order, since the first list that has a task tells its state (eTaskGetState). */
static int walk_lists(struct pt_rtos_walk *w)
{
	static const struct { const char *name, *state; bool array, suspended; } lists[] = {
		{ "xPendingReadyList", "ready", false, false }, { "pxReadyTasksLists", "ready", true, false },
		{ "xDelayedTaskList1", "blocked", false, false }, { "xDelayedTaskList2", "blocked", false, false },
		{ "xSuspendedTaskList", "suspended", false, true },
		{ "xTasksWaitingTermination", "deleted", false, false },
	};
	uint64_t addr, size, each = list_bytes(w->rtos);

	for (size_t i = 0; i < PT_LEN(lists); i++) {
		uint64_t n;

		if (!pt_rtos_symbol(w->rtos, lists[i].name, &addr, &size))
			continue;	/* not built in */
		n = lists[i].array ? size / each : 1;
		for (uint64_t k = 0; k < n && k < 256; k++)
			if (walk_list(w, addr + k * each, lists[i].state, lists[i].suspended) < 0)
				return w->err->code;
	}
	return 0;
}

static int started(struct pt_rtos_walk *w)
{
	uint64_t running;
	bool known;

	if (pt_rtos_variable(w, "xSchedulerRunning", &running, &known) < 0)
		return w->err->code;
	w->threads->started = known ? running == 1 : w->threads->current[0] != 0;
	return 0;
}

/* The ports for Cortex-M: the v8-M ones have their stack limit, and with TrustZone the secure context, in front. Where
 * EXC_RETURN stands tells which it was. */
static const struct pt_rtos_frame frames[] = {
	{ "r4-r11 exc", "r4-r11 exc s16-s31", 0 },
	{ "exc r4-r11", NULL, 0 },
	{ "psplim exc r4-r11", "psplim exc r4-r11 s16-s31", 0 },
	{ "secure psplim exc r4-r11", "secure psplim exc r4-r11 s16-s31", 0 },
	{ "r4-r11", NULL, 0 },
	{ 0 },
};

static int place(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at)
{
	return pt_rtos_pointer(w, tcb + w->rtos->offset[STACK], &at->sp);
}

static int walk(struct pt_rtos_walk *w)
{
	uint64_t count;
	bool known;

	for (unsigned i = 0; i < w->rtos->n_cores; i++)
		if (pt_rtos_can_be(w, w->threads->current[i]) && add_task(w, w->threads->current[i], "running") < 0)
			return w->err->code;
	if (walk_lists(w) < 0 || pt_rtos_variable(w, "uxCurrentNumberOfTasks", &count, &known) < 0)
		return w->err->code;
	if (known && count != w->threads->n_threads) {
		pt_rtos_note(w, "the kernel counts %" PRIu64 " tasks, its lists have %zu", count,
			     w->threads->n_threads);
		w->torn = true;
	}
	return 0;
}

/* A task is in the list of its state. It is moved by way of none, and of those in xSuspendedTaskList some wait without a limit. */
static bool add_lists(const struct pt_rtos *rtos, struct pt_orti_attr *attr)
{
	static const struct { const char *name, *word; } lists[] = {
		{ "xDelayedTaskList1", "WAITING" }, { "xDelayedTaskList2", "WAITING" },
		{ "xSuspendedTaskList", "SUSPENDED or WAITING" }, { "xTasksWaitingTermination", "SUSPENDED (deleted)" },
	};
	uint64_t addr, size, each = list_bytes(rtos);
	char value[64];

	if (!pt_rtos_symbol(rtos, "pxReadyTasksLists", &addr, &size))
		return false;
	for (uint64_t i = 0; i < size / each && i < 256; i++) {
		snprintf(value, sizeof(value), "0x%" PRIx64, addr + i * each);
		pt_orti_add_item(attr, "READY", NULL, value);
	}
	for (size_t i = 0; i < PT_LEN(lists); i++) {
		if (!pt_rtos_symbol(rtos, lists[i].name, &addr, &size))
			continue;	/* not built in */
		snprintf(value, sizeof(value), "0x%" PRIx64, addr);
		pt_orti_add_item(attr, lists[i].word, NULL, value);
	}
	return true;
}

static const struct pt_rtos_states states = {
	.row = STATE_ITEM, .inner = ITEM_CONTAINER, .c_type = "unsigned int", .words = { { "(moves)", 0 } }, .more = add_lists,
	.build = "tasks.c has to be compiled with -g: TCB_t says where a task's list is",
};

const struct pt_rtos_ops pt_rtos_freertos_ops = {
	.name = "FreeRTOS", .none = "no task yet", .rewritten = true, .find = find, .started = started, .walk = walk,
	.frames = frames, .place = place, .states = &states,
};
