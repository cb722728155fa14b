/* Keil RTX5. Everything hangs at osRtxInfo; the current thread is written once per switch, and only then.
 *
 * Source: CMSIS-RTX 5.9.1, rtx_os.h, rtx_thread.c. */
#include <inttypes.h>

#include "program/os/rtos_parts.h"

enum {
	KERNEL_STATE,
	CURRENT,
	READY,
	IDLE,
	DELAYED,
	WAITING,
	ID,
	STATE,
	NAME,
	NEXT,
	DELAY_NEXT,
	PRIORITY,
	STACK,
	FRAME,
	N_ROWS
};
#define INFO { "osRtxInfo_t" }
#define THREAD { "osRtxThread_t", "struct osRtxThread_s" }
static const struct pt_rtos_row rows[] = {
	[KERNEL_STATE] = { INFO, { "kernel.state" }, 8, 1 },
	[CURRENT] = { INFO, { "thread.run.curr" }, 20, 4 },
	[READY] = { INFO, { "thread.ready.thread_list" }, 36, 4 },
	[IDLE] = { INFO, { "thread.idle" }, 40, 4 },
	[DELAYED] = { INFO, { "thread.delay_list" }, 44, 4 },
	[WAITING] = { INFO, { "thread.wait_list" }, 48, 4 },
	[ID] = { THREAD, { "id" }, 0, 1 },
	[STATE] = { THREAD, { "state" }, 1, 1 },
	[NAME] = { THREAD, { "name" }, 4, 4 },
	[NEXT] = { THREAD, { "thread_next" }, 8, 4 },
	[DELAY_NEXT] = { THREAD, { "delay_next" }, 16, 4 },
	[PRIORITY] = { THREAD, { "priority" }, 32, 1 },
	[STACK] = { THREAD, { "sp" }, 56, 4 },
	[FRAME] = { THREAD, { "stack_frame" }, 34, 1 },
};
enum { THREAD_ID = 0xf1, RUNNING = 2, MAX_NAME = 32 };

static bool find(struct pt_rtos *rtos)
{
	uint64_t info, size;

	if (!pt_rtos_symbol(rtos, "osRtxInfo", &info, &size))
		return false;
	pt_rtos_rows(rtos, rows, N_ROWS);
	pt_rtos_add_running(rtos, "osRtxInfo.thread.run.curr", info + rtos->offset[CURRENT]);
	return rtos->offset[CURRENT] != PT_UNKNOWN;
}

static const char *state_of(uint64_t state)
{
	static const struct { uint8_t state; const char *name;
	} names[] = {
		{ 0, "inactive" },
		{ 1, "ready" },
		{ 2, "running" },
		{ 3, "blocked" },
		{ 4, "terminated" },
		{ 0x13, "delayed" },
		{ 0x23, "waits to join" },
		{ 0x33, "waits for thread flags" },
		{ 0x43, "waits for event flags" },
		{ 0x53, "waits for a mutex" },
		{ 0x63, "waits for a semaphore" },
		{ 0x73, "waits for a memory pool" },
		{ 0x83, "waits for a message" },
		{ 0x93, "waits to send a message" },
	};

	for (size_t i = 0; i < PT_LEN(names); i++)
		if (names[i].state == state)
			return names[i].name;
	return "unknown";
}

/* State "running" is set when the switch is decided, a moment before the pointer is written. */
static int add_thread(struct pt_rtos_walk *w, uint64_t tcb)
{
	const struct pt_rtos *r = w->rtos;
	struct pt_rtos_thread *thread = pt_rtos_add(w, tcb);
	uint64_t info, size, idle = 0, state, name, priority;

	if (thread == NULL)
		return 0;
	if (pt_rtos_number(w, tcb + r->offset[STATE], 1, &state) < 0 ||
	    pt_rtos_pointer(w, tcb + r->offset[NAME], &name) < 0 ||
	    pt_rtos_number(w, tcb + r->offset[PRIORITY], 1, &priority) < 0 ||
	    pt_rtos_pointer(w, tcb + r->offset[STACK], &thread->sp) < 0)
		return w->err->code;
	if (pt_rtos_symbol(r, "osRtxInfo", &info, &size) && pt_rtos_pointer(w, info + r->offset[IDLE], &idle) < 0)
		return w->err->code;
	thread->idle = idle == tcb;
	thread->priority = pt_rtos_signed(priority, 1);
	thread->priority_addr = tcb + r->offset[PRIORITY];
	thread->priority_bytes = 1;
	thread->state = pt_rtos_is_current(w, tcb) ? "running" : state_of(state);
	if (name != 0 && pt_rtos_text(w, name, MAX_NAME, thread->name) < 0)
		thread->name[0] = '\0';
	return 0;
}

static int walk_list(struct pt_rtos_walk *w, uint64_t node, uint64_t next)
{
	for (size_t i = 0; node != 0; i++) {
		uint64_t id = 0;

		if (pt_rtos_can_be(w, node) && i < PT_RTOS_MAX_THREADS &&
		    pt_rtos_number(w, node + w->rtos->offset[ID], 1, &id) < 0)
			return w->err->code;
		if (id != THREAD_ID) {
			pt_rtos_note(w, "a list of threads is damaged, or changed while it was read, at 0x%" PRIx64,
				     node);
			w->torn = true;
			return 0;
		}
		if (add_thread(w, node) < 0 || pt_rtos_pointer(w, node + next, &node) < 0)
			return w->err->code;
	}
	return 0;
}

static int started(struct pt_rtos_walk *w)
{
	uint64_t info, size, state = 0;

	if (pt_rtos_symbol(w->rtos, "osRtxInfo", &info, &size) &&
	    pt_rtos_number(w, info + w->rtos->offset[KERNEL_STATE], 1, &state) < 0)
		return w->err->code;
	w->threads->started = state >= RUNNING && state <= 4 && w->threads->current[0] != 0;
	return 0;
}

static const struct pt_rtos_frame frames[] = { { "r4-r11", "s16-s31 r4-r11", 0 }, { 0 } };

/* The low byte of EXC_RETURN is in the control block. */
static int place(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at)
{
	uint64_t low;

	if (pt_rtos_pointer(w, tcb + w->rtos->offset[STACK], &at->sp) < 0)
		return w->err->code;
	if (w->rtos->offset[FRAME] == PT_UNKNOWN)
		return 0;
	if (pt_rtos_number(w, tcb + w->rtos->offset[FRAME], 1, &low) < 0)
		return w->err->code;
	at->exc_return = 0xffffff00 | low;
	return 0;
}

static int walk(struct pt_rtos_walk *w)
{
	const struct pt_rtos *r = w->rtos;
	const struct { uint64_t list, next; } lists[] = {
		{ r->offset[READY], r->offset[NEXT] }, { r->offset[DELAYED], r->offset[DELAY_NEXT] },
		{ r->offset[WAITING], r->offset[DELAY_NEXT] },
	};
	uint64_t info, size, head, current = w->threads->current[0];

	if (!pt_rtos_symbol(r, "osRtxInfo", &info, &size))
		return 0;	/* it was there when the OS was found */
	if (pt_rtos_can_be(w, current) && add_thread(w, current) < 0)
		return w->err->code;
	for (size_t i = 0; i < PT_LEN(lists); i++) {
		if (lists[i].list == PT_UNKNOWN || lists[i].next == PT_UNKNOWN)
			continue;
		if (pt_rtos_pointer(w, info + lists[i].list, &head) < 0 || walk_list(w, head, lists[i].next) < 0)
			return w->err->code;
	}
	return 0;
}

/* A thread that waits says for what in the upper half; osThreadSuspend() leaves that 0. */
static const struct pt_rtos_states states = {
	.row = STATE, .inner = STATE, .c_type = "unsigned char",
	.words = {
		{ "SUSPENDED (inactive)", 0 }, { "READY", 1 }, { "RUNNING", 2 }, { "SUSPENDED or WAITING", 3 },
		{ "SUSPENDED (terminated)", 4 }, { "WAITING (delay)", 0x13 }, { "WAITING (join)", 0x23 },
		{ "WAITING (thread flags)", 0x33 }, { "WAITING (event flags)", 0x43 }, { "WAITING (mutex)", 0x53 },
		{ "WAITING (semaphore)", 0x63 }, { "WAITING (memory pool)", 0x73 }, { "WAITING (message to get)", 0x83 },
		{ "WAITING (message to put)", 0x93 },
	},
	.build = "RTX has to be compiled with -g: osRtxThread_t says where a thread's state is",
};

const struct pt_rtos_ops pt_rtos_rtx5_ops = {
	.name = "RTX5", .none = "a thread that was deleted", .find = find, .started = started,
	.walk = walk, .frames = frames, .place = place, .states = &states,
};
