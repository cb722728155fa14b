#include "session/os_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "isa/isa.h"
#include "host/log.h"
#include "base/util.h"

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Lists are read word by word, and each word would be a round trip: RAM is read in lines, which are cached while a core
 * is halted. Other memory (peripherals, flash) is read as requested. */
enum { LINE_BYTES = 128, N_LINES = 64 };
struct lines {
	struct pt_target *target;
	struct {
		uint64_t addr;
		bool valid;
		uint8_t bytes[LINE_BYTES];
	} line[N_LINES];
	unsigned next;
};

static bool in_ram(struct pt_target *target, uint64_t addr)
{
	size_t n;
	const struct pt_region *regions = target->ops->regions(target->state, &n);

	for (size_t i = 0; i < n; i++)
		if (regions[i].kind == PT_REGION_RAM && addr >= regions[i].addr && regions[i].size >= LINE_BYTES &&
		    addr - regions[i].addr <= regions[i].size - LINE_BYTES)
			return true;
	return false;
}

static const uint8_t *line_at(struct lines *lines, uint64_t addr)
{
	struct pt_mem *mem = lines->target->ops->mem(lines->target->state, 0);
	struct pt_err ignored;
	unsigned i = lines->next;

	for (unsigned k = 0; k < N_LINES; k++)
		if (lines->line[k].valid && lines->line[k].addr == addr)
			return lines->line[k].bytes;
	if (!in_ram(lines->target, addr))
		return NULL;
	lines->line[i].valid = pt_mem_read(mem, addr, lines->line[i].bytes, LINE_BYTES, &ignored) == 0;
	lines->line[i].addr = addr;
	lines->next = (i + 1) % N_LINES;
	return lines->line[i].valid ? lines->line[i].bytes : NULL;
}

static int read_lines(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	struct lines *lines = arg;
	struct pt_err ignored = { 0 };
	const uint8_t *line =
		n_bytes <= LINE_BYTES - addr % LINE_BYTES ? line_at(lines, addr - addr % LINE_BYTES) : NULL;

	if (line == NULL)
		return pt_mem_read(lines->target->ops->mem(lines->target->state, 0), addr, bytes, n_bytes,
				   err != NULL ? err : &ignored);
	memcpy(bytes, line + addr % LINE_BYTES, n_bytes);
	return 0;
}

static struct pt_reader reader_of(struct lines *lines, struct pt_target *target)
{
	*lines = (struct lines){ .target = target };
	return (struct pt_reader){ read_lines, lines };
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool read_named(struct pt_target *target, unsigned core, const char *name, uint64_t *value)
{
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);
	struct pt_err ignored;

	for (uint16_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return target->ops->read_registers(target->state, core, &i, 1, value, &ignored) == 0;
	return false;
}

static const struct pt_isa *isa_of(struct pt_target *target)
{
	struct pt_arch arch = pt_target_arch(target);

	return pt_isa_find(&arch);
}

/* ", in SysTick": the exception that the core handles. */
static void add_exception(struct pt_target *target, unsigned core, char *text, size_t room)
{
	const struct pt_isa *isa = isa_of(target);
	size_t len = strlen(text);
	uint64_t xpsr;
	char name[40];

	if (isa == &pt_isa_none || !read_named(target, core, "xpsr", &xpsr) || (xpsr & 0x1ff) == 0)
		return;
	isa->vector_name((unsigned)(xpsr & 0x1ff), name, sizeof(name));
	snprintf(text + len, room - len, "%sin %s", len > 0 ? ", " : "", name);
}

static void add_core(struct pt_target *target, unsigned core, const char *os, bool started,
		     struct pt_gdb_thread *thread)
{
	struct pt_core_about about = pt_target_about_core(target, core);
	const char *chip = target->ops->chip(target->state);

	*thread = (struct pt_gdb_thread){ .id = core + 1, .core = (int)core };
	if (about.name[0] != '\0')
		snprintf(thread->name, sizeof(thread->name), "core %u (%s)", core, about.name);
	else
		snprintf(thread->name, sizeof(thread->name), "core %u", core);
	if (os == NULL) /* the name has the core's number; the chip's own name for the first core follows in
				 * brackets */
		snprintf(thread->text, sizeof(thread->text), "%.*s",
			 about.name[0] != '\0' ? (int)strcspn(chip, "(") - 1 : (int)strlen(chip), chip);
	else
		snprintf(thread->text, sizeof(thread->text), "%s: %s", os, started ? "no task runs" : "not started");
	if (os != NULL)
		add_exception(target, core, thread->text, sizeof(thread->text));
}

static void add_task(struct pt_target *target, const struct pt_thread *from, struct pt_gdb_thread *thread)
{
	*thread = (struct pt_gdb_thread){ .id = from->id, .core = from->core, .has_priority = from->has_priority,
					  .priority = from->priority };
	memcpy(thread->name, from->name, sizeof(thread->name));
	snprintf(thread->state, sizeof(thread->state), "%s", from->core >= 0 ? "running" : from->state);
	if (from->core >= 0)
		add_exception(target, (unsigned)from->core, thread->state, sizeof(thread->state));
	if (from->has_priority)
		snprintf(thread->text, sizeof(thread->text), "%s, priority %" PRId64, thread->state, from->priority);
	else
		snprintf(thread->text, sizeof(thread->text), "%s", thread->state);
}

static bool runs_on(const struct pt_gdb_thread_list *list, unsigned core)
{
	for (size_t i = 0; i < list->n_threads; i++)
		if (list->thread[i].core == (int)core)
			return true;
	return false;
}

int pt_gdb_threads_look(const struct pt_threads *threads, struct pt_target *target, struct pt_gdb_thread_list *list,
			struct pt_err *err)
{
	unsigned n_cores = target->ops->n_cores(target->state);
	struct pt_thread_list from = { 0 };
	struct lines *lines = pt_alloc(sizeof(*lines));
	struct pt_reader reader;

	*list = (struct pt_gdb_thread_list){ 0 };
	reader = reader_of(lines, target);
	if (threads != NULL && pt_threads_read(threads, &reader, &from, err) < 0) {
		from = (struct pt_thread_list){ 0 };
		snprintf(list->note, sizeof(list->note), "%.199s", err->msg);
	} else {
		memcpy(list->note, from.note, sizeof(list->note));
	}
	free(lines);
	list->thread = calloc(from.n_threads + n_cores, sizeof(*list->thread));
	for (size_t i = 0; list->thread != NULL && from.started && i < from.n_threads; i++)
		if (from.thread[i].id > n_cores && !pt_gdb_threads_have(list, from.thread[i].id))
			add_task(target, &from.thread[i], &list->thread[list->n_threads++]);
	for (unsigned core = 0; list->thread != NULL && core < n_cores; core++)
		if (!runs_on(list, core) && pt_target_about_core(target, core).away == NULL)
			add_core(target, core, threads != NULL ? pt_threads_os(threads) : NULL, from.started,
				 &list->thread[list->n_threads++]);
	pt_thread_list_fini(&from);
	return list->thread != NULL ? 0 : pt_fail(err, PT_ENOMEM, "no memory for a list of threads");
}

bool pt_gdb_threads_have(const struct pt_gdb_thread_list *list, uint64_t id)
{
	for (size_t i = 0; i < list->n_threads; i++)
		if (list->thread[i].id == id)
			return true;
	return false;
}

void pt_gdb_thread_list_fini(struct pt_gdb_thread_list *list)
{
	free(list->thread);
	*list = (struct pt_gdb_thread_list){ 0 };
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

static uint32_t word_at(struct lines *lines, uint64_t addr)
{
	struct pt_err ignored;
	uint8_t word[4];

	if (addr % 4 != 0 || !in_ram(lines->target, addr - addr % LINE_BYTES) ||
	    read_lines(lines, addr, word, sizeof(word), &ignored) < 0)
		return 0;
	return pt_le32(word);
}

/* In a handler, the task's registers are those that the hardware stacked. */
static bool of_core(struct lines *lines, unsigned core, uint64_t *pc, uint64_t *lr, uint64_t *sp)
{
	const struct pt_isa *isa = isa_of(lines->target);
	uint64_t xpsr;

	if (!read_named(lines->target, core, "xpsr", &xpsr))
		return false;
	if ((xpsr & 0x1ff) == 0 || isa->frame_bytes == 0)
		return read_named(lines->target, core, "pc", pc) && read_named(lines->target, core, "lr", lr) &&
		       read_named(lines->target, core, "sp", sp);
	if (!read_named(lines->target, core, "psp", sp))
		return false;
	*pc = word_at(lines, *sp + isa->frame_pc);
	*lr = word_at(lines, *sp + isa->frame_lr);
	*sp += isa->frame_bytes;
	return true;
}

static bool of_saved(const struct pt_threads *threads, struct lines *lines, uint64_t id, uint64_t *pc, uint64_t *lr,
		     uint64_t *sp)
{
	struct pt_reader reader = { read_lines, lines };
	struct pt_saved *saved = pt_alloc(sizeof(*saved));
	const struct pt_saved_register *reg[3] = { NULL };
	static const char *const names[] = { "pc", "lr", "sp" };
	uint64_t *const to[] = { pc, lr, sp };
	struct pt_err ignored;
	bool known = pt_threads_saved(threads, &reader, id, saved, &ignored) == 0;

	for (size_t i = 0; known && i < PT_LEN(reg); i++) {
		reg[i] = pt_saved_find(saved, names[i]);
		known = reg[i] != NULL;
		*to[i] = known ? reg[i]->value : 0;
	}
	free(saved);
	return known;
}

bool pt_gdb_thread_stack(const struct pt_threads *threads, struct pt_target *target, const struct pt_gdb_thread *thread,
			 struct pt_gdb_thread_stack *stack)
{
	struct lines *lines = pt_alloc(sizeof(*lines));
	uint64_t lr = 0, sp = 0;
	bool known = false;

	*lines = (struct lines){ .target = target };
	if (thread->core >= 0)
		known = of_core(lines, (unsigned)thread->core, &stack->pc, &lr, &sp);
	else
		known = of_saved(threads, lines, thread->id, &stack->pc, &lr, &sp);
	stack->word[0] = (uint32_t)lr;
	for (size_t i = 0; known && i < PT_GDB_STACK_WORDS; i++)
		stack->word[1 + i] = word_at(lines, sp + 4 * i);
	free(lines);
	return known;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static int running_tasks(const struct pt_threads *threads, struct pt_target *target, struct pt_threads_running *running,
			 struct pt_err *err)
{
	struct pt_reader reader;
	struct lines *lines;
	int rc;

	*running = (struct pt_threads_running){ 0 };
	if (threads == NULL)
		return 0;
	lines = pt_alloc(sizeof(*lines));
	reader = reader_of(lines, target);
	rc = pt_threads_running(threads, &reader, running, err);
	free(lines);
	return rc;
}

/* From the list, not from the OS's variable: before the kernel starts, or if its data are damaged, that may be a task
 * that is in no list. */
uint64_t pt_gdb_running_task(const struct pt_threads *threads, struct pt_target *target, unsigned core)
{
	struct pt_gdb_thread_list list;
	struct pt_err err = { 0 };
	uint64_t id = 0;

	if (threads == NULL)
		return 0;
	if (pt_gdb_threads_look(threads, target, &list, &err) < 0) {
		pt_debug(PT_LOG_GDB, "gdb: running task unknown: %s", err.msg);
		return 0;
	}
	for (size_t i = 0; i < list.n_threads && id == 0; i++)
		if (list.thread[i].core == (int)core && list.thread[i].id != core + 1)
			id = list.thread[i].id;
	pt_gdb_thread_list_fini(&list);
	return id;
}

static bool is_the_targets(int rc)
{
	return rc < 0 && rc != PT_EARG && rc != PT_EUNSUPPORTED && rc != PT_EFAULT;
}

int pt_gdb_task_registers(const struct pt_threads *threads, struct pt_target *target, uint64_t task, unsigned *core,
			  struct pt_saved *saved, struct pt_err *err)
{
	struct pt_threads_running running;
	struct pt_reader reader;
	struct lines *lines;
	int rc;

	if (task == 0 || threads == NULL)
		return 0;
	rc = running_tasks(threads, target, &running, err);
	if (is_the_targets(rc))
		return rc;
	for (unsigned i = 0; i < running.n_cores; i++) {
		if (running.id[i] != task)
			continue;
		*core = i;
		return 0;
	}
	lines = pt_alloc(sizeof(*lines));
	reader = reader_of(lines, target);
	rc = pt_threads_saved(threads, &reader, task, saved, err);
	free(lines);
	if (is_the_targets(rc))
		return rc;
	if (rc < 0) {
		pt_debug(PT_LOG_GDB, "gdb: registers of a task unknown: %s", err->msg);
		saved->n_regs = 0;
	}
	return 1;
}

int pt_gdb_task_write(struct pt_target *target, const struct pt_saved *saved, const char *name, uint64_t value,
		      struct pt_err *err)
{
	const struct pt_saved_register *reg = pt_saved_find(saved, name);
	struct pt_mem *mem = target->ops->mem(target->state, 0);
	uint8_t bytes[sizeof(value)];

	if (reg == NULL || reg->bytes == 0)
		return pt_fail(err, PT_EARG, "%s of a task that does not run is unknown, so it cannot be set", name);
	if (reg->addr == PT_UNKNOWN)
		return value == reg->value
			       ? 0
			       : pt_fail(err, PT_EARG,
					 "%s of a task that does not run is derived from where its registers are saved, so it cannot be set",
					 name);
	for (unsigned i = 0; i < reg->bytes && i < sizeof(bytes); i++)
		bytes[pt_target_is_big_endian(target) ? reg->bytes - 1u - i : i] = (uint8_t)(value >> 8 * i);
	return pt_mem_write(mem, reg->addr, bytes, reg->bytes, err);
}
