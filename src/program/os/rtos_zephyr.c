/* Zephyr, one core or several. Offsets from DWARF, else from the table that CONFIG_DEBUG_THREAD_INFO builds in for
 * debuggers, which is constant and so read from the ELF.
 *
 * Source: Zephyr, subsys/debug/thread_info.c, include/zephyr/kernel_structs.h, kernel/thread.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "program/model/program_parts.h"
#include "program/os/rtos_parts.h"
#include "program/dwarf/types_parts.h"

/* As the table has them, from its index 1 on. */
enum { CURRENT, THREADS, ENTRY, NEXT, STATE, USER_OPTIONS, PRIORITY, STACK, NAME, ARCH, T_FLOAT, T_COOP, T_EXC, N_TABLE,
       CPUS = N_TABLE, FLOAT, EXC_RETURN, SWITCH, STUB_PC, N_ROWS };
#define THREAD { "struct k_thread" }
static const struct pt_rtos_row rows[] = {
	[CURRENT] = { { "struct _cpu" }, { "current" }, PT_UNKNOWN, 4 },
	[THREADS] = { { "struct z_kernel", "struct _kernel" }, { "threads" }, PT_UNKNOWN, 4 },
	[ENTRY] = { THREAD, { "entry.pEntry" }, PT_UNKNOWN, 4 },
	[NEXT] = { THREAD, { "next_thread" }, PT_UNKNOWN, 4 },
	[STATE] = { THREAD, { "base.thread_state" }, PT_UNKNOWN, 1 },
	[USER_OPTIONS] = { THREAD, { "base.user_options" }, PT_UNKNOWN, 1 },
	[PRIORITY] = { THREAD, { "base.prio" }, PT_UNKNOWN, 1 },
	[STACK] = { THREAD, { "callee_saved.psp", "switch_handle" }, PT_UNKNOWN, 4 },
	[NAME] = { THREAD, { "name" }, PT_UNKNOWN, 32 },
	[ARCH] = { THREAD, { "arch" }, PT_UNKNOWN, 0 },
	/* of the table: from arch on, where DWARF has them from the thread on */
	[T_FLOAT] = { { NULL }, { NULL }, PT_UNKNOWN, 4 },
	[T_COOP] = { { NULL }, { NULL }, PT_UNKNOWN, 4 },
	[T_EXC] = { { NULL }, { NULL }, PT_UNKNOWN, 1 },
	[FLOAT] = { THREAD, { "arch.preempt_float" }, PT_UNKNOWN, 4 },
	[EXC_RETURN] = { THREAD, { "arch.mode_exc_return" }, PT_UNKNOWN, 1 },
	[SWITCH] = { THREAD, { "switch_handle" }, PT_UNKNOWN, 4 },
	[STUB_PC] = { THREAD, { "arch.iciit_pc" }, PT_UNKNOWN, 4 },
	[CPUS] = { { "struct z_kernel", "struct _kernel" }, { "cpus" }, 0, 0 },
};
enum { CURRENT_IN_CPU = 8 };	/* behind nested and irq_stack: what struct _cpu begins with */
enum { DUMMY = 0x01, PENDING = 0x02, SLEEPING = 0x04, DEAD = 0x08, SUSPENDED = 0x10, ABORTING = 0x20,
       QUEUED = 0x80 };

/* A word of the ELF's image. */
static bool image_word(const struct pt_rtos *rtos, uint64_t addr, uint64_t *value)
{
	const uint8_t *bytes = pt_program_bytes_at(rtos->types->program, addr, 4);

	if (bytes == NULL)
		return false;
	*value = pt_types_big_endian(rtos->types) ? (uint64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3]
						  : pt_le32(bytes);
	return true;
}

static void from_arch(struct pt_rtos *rtos, unsigned row, unsigned in_arch)
{
	if (rtos->offset[row] == PT_UNKNOWN && rtos->offset[ARCH] != PT_UNKNOWN && rtos->offset[in_arch] != PT_UNKNOWN)
		rtos->offset[row] = rtos->offset[ARCH] + rtos->offset[in_arch];
}

/* Fills what DWARF left open; 0xffffffff says "not built in". */
static bool read_table(struct pt_rtos *rtos)
{
	uint64_t table, size, n = 0, value, ignored;

	if (!pt_rtos_symbol(rtos, "_kernel_thread_info_offsets", &table, &size) &&
	    !pt_rtos_symbol(rtos, "_kernel_openocd_offsets", &table, &size))
		return false;
	n = size / 4;
	if (pt_rtos_symbol(rtos, "_kernel_thread_info_num_offsets", &value, &ignored) ||
	    pt_rtos_symbol(rtos, "_kernel_openocd_num_offsets", &value, &ignored))
		if (image_word(rtos, value, &ignored) && (n == 0 || ignored < n))
			n = ignored;
	for (unsigned i = 0; i < N_TABLE && i + 1 < n; i++)
		if (rtos->offset[i] == PT_UNKNOWN && image_word(rtos, table + 4 * (i + 1), &value) &&
		    value != UINT32_MAX) {
			rtos->offset[i] = value;
			rtos->sure[i] = true;
		}
	from_arch(rtos, FLOAT, T_FLOAT);
	from_arch(rtos, EXC_RETURN, T_EXC);
	return true;
}

static unsigned n_cpus(const struct pt_rtos *rtos, uint64_t cpu_bytes)
{
	uint64_t n = cpu_bytes > 0 ? rtos->size[CPUS] / cpu_bytes : 1;

	return n == 0 ? 1 : n > PT_RTOS_MAX_CORES ? PT_RTOS_MAX_CORES : (unsigned)n;
}

static bool find(struct pt_rtos *rtos)
{
	const struct pt_type *cpu = pt_types_named(rtos->types, "struct _cpu");
	uint64_t kernel, size, cpu_bytes;
	bool table;

	if (!pt_rtos_symbol(rtos, "_kernel", &kernel, &size))
		return false;
	pt_rtos_rows(rtos, rows, N_ROWS);
	table = read_table(rtos);
	if (!table && cpu == NULL && !pt_rtos_symbol(rtos, "z_main_thread", &cpu_bytes, &cpu_bytes))
		return false;	/* somebody else's _kernel */
	if (rtos->offset[CURRENT] == PT_UNKNOWN)
		rtos->offset[CURRENT] = CURRENT_IN_CPU;
	if (rtos->offset[CPUS] == PT_UNKNOWN)
		rtos->offset[CPUS] = 0;
	cpu_bytes = cpu != NULL ? pt_type_strip(rtos->types, cpu)->size_bytes : 0;
	for (unsigned i = 0; i < n_cpus(rtos, cpu_bytes); i++) {
		char written[40];

		snprintf(written, sizeof(written), "_kernel.cpus[%u].current", i);
		pt_rtos_add_running(rtos, written, kernel + rtos->offset[CPUS] + i * cpu_bytes + rtos->offset[CURRENT]);
	}
	return true;
}

static const char *state_of(const struct pt_rtos_walk *w, uint64_t tcb, uint64_t bits)
{
	if (pt_rtos_is_current(w, tcb))
		return "running";
	if ((bits & (DEAD | ABORTING)) != 0)
		return "dead";
	if ((bits & SUSPENDED) != 0)
		return "suspended";
	if ((bits & PENDING) != 0)
		return "pending";
	if ((bits & SLEEPING) != 0)
		return "sleeping";
	return (bits & DUMMY) != 0 ? "dummy" : "ready";
}

/* Without names built in: what the thread runs. */
static int name_by_entry(struct pt_rtos_walk *w, struct pt_rtos_thread *thread)
{
	uint64_t entry, offset;
	const char *name;

	if (w->rtos->offset[ENTRY] == PT_UNKNOWN)
		return 0;
	if (pt_rtos_pointer(w, thread->tcb + w->rtos->offset[ENTRY], &entry) < 0)
		return w->err->code;
	name = pt_types_symbol_at(w->rtos->types, entry & ~UINT64_C(1), &offset);
	if (name != NULL && offset == 0)
		snprintf(thread->name, sizeof(thread->name), "%s", name);
	return 0;
}

static bool is_idle(const struct pt_rtos_walk *w, uint64_t tcb)
{
	uint64_t addr, size;

	return (pt_rtos_symbol(w->rtos, "z_idle_threads", &addr, &size) ||
		pt_rtos_symbol(w->rtos, "z_idle_thread", &addr, &size) ||
		pt_rtos_symbol(w->rtos, "_idle_thread_s", &addr, &size)) &&
	       tcb - addr < size;
}

static int add_thread(struct pt_rtos_walk *w, uint64_t tcb)
{
	const struct pt_rtos *r = w->rtos;
	struct pt_rtos_thread *thread = pt_rtos_add(w, tcb);
	uint64_t value;

	if (thread == NULL)
		return 0;
	thread->idle = is_idle(w, tcb);
	thread->state = pt_rtos_is_current(w, tcb) ? "running" : "unknown";
	if (r->offset[STATE] != PT_UNKNOWN) {
		if (pt_rtos_number(w, tcb + r->offset[STATE], 1, &value) < 0)
			return w->err->code;
		thread->state = state_of(w, tcb, value);
	}
	if (r->offset[PRIORITY] != PT_UNKNOWN) {
		if (pt_rtos_number(w, tcb + r->offset[PRIORITY], 1, &value) < 0)
			return w->err->code;
		thread->priority = pt_rtos_signed(value, 1);
		thread->priority_addr = tcb + r->offset[PRIORITY];
		thread->priority_bytes = 1;
	}
	if (r->offset[STACK] != PT_UNKNOWN && pt_rtos_pointer(w, tcb + r->offset[STACK], &thread->sp) < 0)
		return w->err->code;
	if (r->offset[NAME] != PT_UNKNOWN && pt_rtos_text(w, tcb + r->offset[NAME], r->size[NAME], thread->name) < 0)
		return w->err->code;
	return thread->name[0] == '\0' ? name_by_entry(w, thread) : 0;
}

/* Without CONFIG_THREAD_MONITOR there is no list: those that every program has. */
static int add_known(struct pt_rtos_walk *w)
{
	static const char *const names[] = { "z_main_thread", "z_idle_threads" };
	uint64_t addr, size;

	pt_rtos_note(w, "the kernel was built without CONFIG_THREAD_MONITOR: only threads with a symbol are known");
	for (size_t i = 0; i < PT_LEN(names); i++)
		if (pt_rtos_symbol(w->rtos, names[i], &addr, &size) && add_thread(w, addr) < 0)
			return w->err->code;
	return 0;
}

static int walk_list(struct pt_rtos_walk *w, uint64_t head)
{
	uint64_t thread = head;

	for (size_t i = 0; thread != 0; i++) {
		size_t before = w->threads->n_threads;

		if (!pt_rtos_can_be(w, thread) || i >= PT_RTOS_MAX_THREADS) {
			pt_rtos_note(w, "the list of threads is damaged, or changed while it was read");
			w->torn = true;
			return 0;
		}
		if (add_thread(w, thread) < 0)
			return w->err->code;
		if (w->threads->n_threads == before && !pt_rtos_is_current(w, thread)) {
			pt_rtos_note(w, "the list of threads goes in a circle at 0x%" PRIx64, thread);
			w->torn = true;
			return 0;
		}
		if (pt_rtos_pointer(w, thread + w->rtos->offset[NEXT], &thread) < 0)
			return w->err->code;
	}
	return 0;
}

static int started(struct pt_rtos_walk *w)
{
	uint64_t state = 0, current = w->threads->current[0];

	if (pt_rtos_can_be(w, current) && w->rtos->offset[STATE] != PT_UNKNOWN &&
	    pt_rtos_number(w, current + w->rtos->offset[STATE], 1, &state) < 0)
		return w->err->code;
	w->threads->started = pt_rtos_can_be(w, current) && (state & DUMMY) == 0;
	return 0;
}

/* With PendSV callee-saved registers go to the control block, where psp stands behind r11; the hardware's alone are on
 * the stack. With CONFIG_USE_SWITCH all are on the stack, and none by the hardware; how, the configuration decides
 * (CONFIG_FPU, CONFIG_BUILTIN_STACK_GUARD). The frames do not tell themselves apart: a frame read a word off has lr in
 * the place of pc. But the kernel has a variable with what its largest frame takes beyond the hardware's 8 words.
 * Source: arch/arm/core/cortex_m/arm-m-switch.c, struct switch_frame, z_frame, z_frame_fpu,
 * arm_m_switch_stack_buffer. */
static const struct pt_rtos_frame frames_pendsv[] = { { "r4-r11", "r4-r11", 0 }, { 0 } };
static const struct { unsigned words; struct pt_rtos_frame frames[2]; } frames_switch[] = {
	{ 16, { { "apsr r0-r12 lr pc", NULL, PT_RTOS_WHOLE }, { 0 } } },
	{ 17, { { "psplim apsr r0-r12 lr pc", NULL, PT_RTOS_WHOLE }, { 0 } } },
	{ 50, { { "have_fpu apsr r0-r12 lr pc", "have_fpu s0-s31 fpscr apsr r0-r12 lr pc", PT_RTOS_WHOLE }, { 0 } } },
	{ 51, { { "have_fpu psplim apsr r0-r12 lr pc", "have_fpu s0-s31 fpscr psplim apsr r0-r12 lr pc",
		  PT_RTOS_WHOLE }, { 0 } } },
};
enum { CALLEE_SAVED_BYTES = 8 * 4, HARDWARE_WORDS = 8 };

static int place_switch(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at)
{
	uint64_t bytes, size, stub;
	bool known;

	if (pt_rtos_variable(w, "arm_m_switch_stack_buffer", &bytes, &known) < 0)
		return w->err->code;
	at->frames = NULL;
	for (size_t i = 0; known && i < PT_LEN(frames_switch); i++)
		if (bytes == 4 * (frames_switch[i].words - HARDWARE_WORDS))
			at->frames = frames_switch[i].frames;
	if (at->frames == NULL)
		return pt_fail(w->err, PT_EUNSUPPORTED,
			       "how this Zephyr (CONFIG_USE_SWITCH) lays out registers is not known");
	/* an instruction that was interrupted in its middle goes on by way of a trap */
	if (w->rtos->offset[STUB_PC] != PT_UNKNOWN && pt_rtos_symbol(w->rtos, "arm_m_iciit_stub", &stub, &size)) {
		at->stub = stub & ~UINT64_C(1);
		at->stub_pc = tcb + w->rtos->offset[STUB_PC];
	}
	return 0;
}

static int place(struct pt_rtos_walk *w, uint64_t tcb, struct pt_rtos_place *at)
{
	const struct pt_rtos *r = w->rtos;
	uint64_t low;

	if (r->offset[STACK] == PT_UNKNOWN)
		return 0;
	if (pt_rtos_pointer(w, tcb + r->offset[STACK], &at->sp) < 0)
		return w->err->code;
	if (r->offset[SWITCH] != PT_UNKNOWN)
		return place_switch(w, tcb, at);
	at->callee = tcb + r->offset[STACK] - CALLEE_SAVED_BYTES;
	if (r->offset[FLOAT] != PT_UNKNOWN)
		at->callee_fp = tcb + r->offset[FLOAT];
	if (r->offset[EXC_RETURN] == PT_UNKNOWN)
		return 0;
	if (pt_rtos_number(w, tcb + r->offset[EXC_RETURN], 1, &low) < 0)
		return w->err->code;
	at->exc_return = 0xffffff00 | low;
	return 0;
}

static int walk(struct pt_rtos_walk *w)
{
	const struct pt_rtos *r = w->rtos;
	uint64_t kernel, size, head;

	for (unsigned i = 0; i < r->n_cores; i++)
		if (pt_rtos_can_be(w, w->threads->current[i]) && add_thread(w, w->threads->current[i]) < 0)
			return w->err->code;
	if (r->offset[THREADS] == PT_UNKNOWN || r->offset[NEXT] == PT_UNKNOWN ||
	    !pt_rtos_symbol(r, "_kernel", &kernel, &size))
		return add_known(w);
	return pt_rtos_pointer(w, kernel + r->offset[THREADS], &head) < 0 ? w->err->code : walk_list(w, head);
}

/* Which bits are set together; in a kernel that sleeps by SUSPENDED, that alone may be either. */
static const struct pt_rtos_states states = {
	.row = STATE, .inner = STATE, .c_type = "unsigned char",
	.words = {
		{ "READY", 0 }, { "READY", QUEUED }, { "WAITING", PENDING }, { "WAITING", SLEEPING },
		{ "WAITING", PENDING | SLEEPING }, { "SUSPENDED or WAITING", SUSPENDED },
		{ "SUSPENDED or WAITING", SUSPENDED | PENDING }, { "SUSPENDED or WAITING", SUSPENDED | SLEEPING },
		{ "SUSPENDED (dead)", DEAD },
	},
	.build = "the kernel has to be built with CONFIG_DEBUG_THREAD_INFO or with -g: then it says where a thread's state is",
};

const struct pt_rtos_ops pt_rtos_zephyr_ops = {
	.name = "Zephyr", .none = "no thread yet", .rewritten = true, .find = find,
	.started = started, .walk = walk, .frames = frames_pendsv, .place = place,
	.states = &states,
};
