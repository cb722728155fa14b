/* uC/OS-III. The list of all tasks is there for debuggers only (OS_CFG_DBG_EN), and the layout of OS_TCB varies with
 * the configuration, so its DWARF is needed; the running task is known without.
 *
 * Source: uC/OS-III 3.08, os.h. */
#include <inttypes.h>

#include "program/os/rtos_parts.h"

enum { STACK, NAME, STATE, PRIORITY, DEBUG_NEXT, N_ROWS };
#define TCB { "struct os_tcb", "OS_TCB" }
static const struct pt_rtos_row rows[] = {
	[STACK] = { TCB, { "StkPtr" }, 0, 4 },
	[NAME] = { TCB, { "NamePtr" }, PT_UNKNOWN, 4 },
	[STATE] = { TCB, { "TaskState" }, PT_UNKNOWN, 1 },
	[PRIORITY] = { TCB, { "Prio" }, PT_UNKNOWN, 1 },
	[DEBUG_NEXT] = { TCB, { "DbgNextPtr" }, PT_UNKNOWN, 4 },
};
enum { MAX_NAME = 32 };

static bool find(struct pt_rtos *rtos)
{
	uint64_t addr, size, ready;

	if (!pt_rtos_symbol(rtos, "OSTCBCurPtr", &addr, &size) ||
	    !pt_rtos_symbol(rtos, "OSTCBHighRdyPtr", &ready, &size))
		return false;
	pt_rtos_add_running(rtos, "OSTCBCurPtr", addr);
	pt_rtos_rows(rtos, rows, N_ROWS);
	return true;
}

static const char *state_of(uint64_t state)
{
	static const char *const names[] = {
		"ready", "delayed", "pending", "pending with a limit", "suspended", "delayed, suspended",
		"pending, suspended", "pending with a limit, suspended",
	};

	return state < PT_LEN(names) ? names[state] : "unknown";
}

static int add_task(struct pt_rtos_walk *w, uint64_t tcb)
{
	const struct pt_rtos *r = w->rtos;
	struct pt_rtos_thread *thread = pt_rtos_add(w, tcb);
	uint64_t value, idle, size;

	if (thread == NULL)
		return 0;
	thread->idle = pt_rtos_symbol(r, "OSIdleTaskTCB", &idle, &size) && idle == tcb;
	thread->state = pt_rtos_is_current(w, tcb) ? "running" : "unknown";
	if (pt_rtos_pointer(w, tcb + r->offset[STACK], &thread->sp) < 0)
		return w->err->code;
	if (r->offset[STATE] != PT_UNKNOWN) {
		if (pt_rtos_number(w, tcb + r->offset[STATE], r->size[STATE], &value) < 0)
			return w->err->code;
		thread->state = pt_rtos_is_current(w, tcb) ? "running" : state_of(value);
	}
	if (r->offset[PRIORITY] != PT_UNKNOWN) {
		if (pt_rtos_number(w, tcb + r->offset[PRIORITY], r->size[PRIORITY], &value) < 0)
			return w->err->code;
		thread->priority = (int64_t)value;
		thread->priority_addr = tcb + r->offset[PRIORITY];
		thread->priority_bytes = (uint32_t)r->size[PRIORITY];
	}
	if (r->offset[NAME] != PT_UNKNOWN) {
		if (pt_rtos_pointer(w, tcb + r->offset[NAME], &value) < 0)
			return w->err->code;
		if (value != 0 && pt_rtos_text(w, value, MAX_NAME, thread->name) < 0)
			thread->name[0] = '\0';
	}
	return 0;
}

static int walk_list(struct pt_rtos_walk *w, uint64_t node)
{
	for (size_t i = 0; node != 0; i++) {
		size_t before = w->threads->n_threads;

		if (pt_rtos_can_be(w, node) && i < PT_RTOS_MAX_THREADS && add_task(w, node) < 0)
			return w->err->code;
		if (w->threads->n_threads == before && !pt_rtos_is_current(w, node)) {
			pt_rtos_note(w, "the list of tasks is damaged, or changed while it was read, at 0x%" PRIx64,
				     node);
			w->torn = true;
			return 0;
		}
		if (pt_rtos_pointer(w, node + w->rtos->offset[DEBUG_NEXT], &node) < 0)
			return w->err->code;
	}
	return 0;
}

static int started(struct pt_rtos_walk *w)
{
	uint64_t running;
	bool known;

	if (pt_rtos_variable(w, "OSRunning", &running, &known) < 0)
		return w->err->code;
	w->threads->started = known ? running == 1 : w->threads->current[0] != 0;
	return 0;
}

/* Older ports save no EXC_RETURN. */
static const struct pt_rtos_frame frames[] = {
	{ "r4-r11 exc", "r4-r11 exc s16-s31", 0 },
	{ "r4-r11", NULL, 0 },
	{ 0 },
};

static int place(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at)
{
	return pt_rtos_pointer(w, tcb + w->rtos->offset[STACK], &at->sp);
}

static int walk(struct pt_rtos_walk *w)
{
	uint64_t head;
	bool listed;

	if (pt_rtos_variable(w, "OSTaskDbgListPtr", &head, &listed) < 0)
		return w->err->code;
	if (pt_rtos_can_be(w, w->threads->current[0]) && add_task(w, w->threads->current[0]) < 0)
		return w->err->code;
	if (listed && w->rtos->offset[DEBUG_NEXT] != PT_UNKNOWN)
		return walk_list(w, head);
	pt_rtos_note(
		w, "the kernel was built without OS_CFG_DBG_EN, or the ELF without debug information: only the running "
		   "task is known");
	return 0;
}

static const struct pt_rtos_states states = {
	.row = STATE, .inner = STATE, .c_type = "unsigned char",
	.words = {
		{ "READY", 0 }, { "WAITING (delay)", 1 }, { "WAITING (pend)", 2 }, { "WAITING (pend with a limit)", 3 },
		{ "SUSPENDED", 4 }, { "SUSPENDED or WAITING (delay)", 5 }, { "SUSPENDED or WAITING (pend)", 6 },
		{ "SUSPENDED or WAITING (pend with a limit)", 7 },
	},
	.build = "uC/OS-III has to be compiled with -g: OS_TCB says where a task's state is",
};

const struct pt_rtos_ops pt_rtos_ucos3_ops = {
	.name = "uC/OS-III", .none = "no task yet", .rewritten = true, .find = find,
	.started = started, .walk = walk, .frames = frames, .place = place, .states = &states,
};
