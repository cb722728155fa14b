/* ThreadX (Azure RTOS, Eclipse). Threads are in a circle of created ones, each with its signature. There is no idle
 * thread: while nothing is ready the current pointer is 0, and it is 0 for a moment at every switch.
 *
 * Source: eclipse-threadx, tx_api.h, tx_thread.h, tx_initialize.h; Cortex-M ports (no thread extensions). */
#include <inttypes.h>

#include "program/os/rtos_parts.h"

enum { ID, STACK, NAME, PRIORITY, STATE, CREATED_NEXT, N_ROWS };
#define THREAD { "struct TX_THREAD_STRUCT", "TX_THREAD" }
static const struct pt_rtos_row rows[] = {
	[ID] = { THREAD, { "tx_thread_id" }, 0, 4 },
	[STACK] = { THREAD, { "tx_thread_stack_ptr" }, 8, 4 },
	[NAME] = { THREAD, { "tx_thread_name" }, 40, 4 },
	[PRIORITY] = { THREAD, { "tx_thread_priority" }, 44, 4 },
	[STATE] = { THREAD, { "tx_thread_state" }, 48, 4 },
	[CREATED_NEXT] = { THREAD, { "tx_thread_created_next" }, 136, 4 },
};
#define SIGNATURE UINT32_C(0x54485244)
#define INITIALISING UINT32_C(0xf0f0f0f0)
enum { MAX_NAME = 32 };

static bool find(struct pt_rtos *rtos)
{
	uint64_t addr, size, created;

	if (!pt_rtos_symbol(rtos, "_tx_thread_current_ptr", &addr, &size) ||
	    !pt_rtos_symbol(rtos, "_tx_thread_created_ptr", &created, &size))
		return false;
	pt_rtos_add_running(rtos, "_tx_thread_current_ptr", addr);
	pt_rtos_rows(rtos, rows, N_ROWS);
	return true;
}

static const char *state_of(uint64_t state)
{
	static const char *const names[] = {
		"ready",
		"completed",
		"terminated",
		"suspended",
		"sleeping",
		"waits for a queue",
		"waits for a semaphore",
		"waits for event flags",
		"waits for a block of memory",
		"waits for bytes of memory",
		"waits for a driver",
		"waits for a file",
		"waits for TCP/IP",
		"waits for a mutex",
		"changes its priority",
	};

	return state < PT_LEN(names) ? names[state] : "unknown";
}

static int add_thread(struct pt_rtos_walk *w, uint64_t tcb)
{
	const struct pt_rtos *r = w->rtos;
	struct pt_rtos_thread *thread = pt_rtos_add(w, tcb);
	uint64_t name, priority, state;

	if (thread == NULL)
		return 0;
	if (pt_rtos_pointer(w, tcb + r->offset[STACK], &thread->sp) < 0 ||
	    pt_rtos_pointer(w, tcb + r->offset[NAME], &name) < 0 ||
	    pt_rtos_number(w, tcb + r->offset[PRIORITY], r->size[PRIORITY], &priority) < 0 ||
	    pt_rtos_number(w, tcb + r->offset[STATE], r->size[STATE], &state) < 0)
		return w->err->code;
	thread->priority = (int64_t)priority;
	thread->priority_addr = tcb + r->offset[PRIORITY];
	thread->priority_bytes = (uint32_t)r->size[PRIORITY];
	thread->state = pt_rtos_is_current(w, tcb) ? "running" : state_of(state);
	if (name != 0 && pt_rtos_text(w, name, MAX_NAME, thread->name) < 0)
		thread->name[0] = '\0';		/* a wild pointer costs the name alone */
	return 0;
}

static int walk_circle(struct pt_rtos_walk *w, uint64_t head, uint64_t count)
{
	uint64_t node = head, id;
	size_t n = 0;

	do {
		if (!pt_rtos_can_be(w, node) || n >= count || n >= PT_RTOS_MAX_THREADS)
			break;
		if (pt_rtos_number(w, node + w->rtos->offset[ID], 4, &id) < 0)
			return w->err->code;
		if (id != SIGNATURE)
			break;
		if (add_thread(w, node) < 0 || pt_rtos_pointer(w, node + w->rtos->offset[CREATED_NEXT], &node) < 0)
			return w->err->code;
		n++;
	} while (node != head);
	if (node != head || n != count || w->threads->n_threads != n) {
		pt_rtos_note(w,
			     "the list of threads is damaged, or changed while it was read: %" PRIu64
			     " are counted, %zu "
			     "were found",
			     count, w->threads->n_threads);
		w->torn = true;
	}
	return 0;
}

/* Memory that start-up code has not been through is no small number, either. */
static int started(struct pt_rtos_walk *w)
{
	uint64_t state;
	bool known;

	if (pt_rtos_variable(w, "_tx_thread_system_state", &state, &known) < 0)
		return w->err->code;
	w->threads->started = known ? state < INITIALISING : w->threads->current[0] != 0;
	return 0;
}

static const struct pt_rtos_frame frames[] = {
	{ "exc r8-r11 r4-r7", NULL, PT_RTOS_BASELINE },
	{ "exc r4-r11", "exc s16-s31 r4-r11", PT_RTOS_MAINLINE },
	{ 0 },
};

static int place(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at)
{
	return pt_rtos_pointer(w, tcb + w->rtos->offset[STACK], &at->sp);
}

static int walk(struct pt_rtos_walk *w)
{
	uint64_t head, count;
	bool known, counted;

	if (pt_rtos_variable(w, "_tx_thread_created_ptr", &head, &known) < 0 ||
	    pt_rtos_variable(w, "_tx_thread_created_count", &count, &counted) < 0)
		return w->err->code;
	if (head == 0 || (counted && count == 0))
		return 0;
	return walk_circle(w, head, counted ? count : PT_RTOS_MAX_THREADS);
}

static const struct pt_rtos_states states = {
	.row = STATE, .inner = STATE, .c_type = "unsigned int",
	.words = {
		{ "READY", 0 }, { "SUSPENDED (completed)", 1 }, { "SUSPENDED (terminated)", 2 }, { "SUSPENDED", 3 },
		{ "WAITING (sleep)", 4 }, { "WAITING (queue)", 5 }, { "WAITING (semaphore)", 6 },
		{ "WAITING (event flags)", 7 }, { "WAITING (block of memory)", 8 }, { "WAITING (bytes of memory)", 9 },
		{ "WAITING (driver)", 10 }, { "WAITING (file)", 11 }, { "WAITING (TCP/IP)", 12 }, { "WAITING (mutex)", 13 },
		{ "(moves)", 14 },
	},
	.build = "ThreadX has to be compiled with -g: TX_THREAD says where a thread's state is",
};

const struct pt_rtos_ops pt_rtos_threadx_ops = {
	.name = "ThreadX", .none = "idle", .rewritten = true, .find = find, .started = started, .walk = walk,
	.frames = frames, .place = place, .states = &states,
};
