/* What all recipes share: offsets, reading, the set of threads; and what is made of it: task maps and ORTI files. */
#include "program/os/rtos.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/os/rtos_parts.h"
#include "program/dwarf/types_parts.h"

enum { MAX_PATH = 4 };

/* --- finding ------------------------------------------------------------------------------------------------------ */

bool pt_rtos_symbol(const struct pt_rtos *rtos, const char *name, uint64_t *addr, uint64_t *size)
{
	const struct pt_program *program = rtos->types->program;

	return program != NULL && pt_program_symbol(program, name, addr, size);
}

/* Offset and size of "base.prio" in a type. */
static bool member_at(struct pt_types *types, const struct pt_type *type, const char *path, uint64_t *offset,
		      uint64_t *size)
{
	char part[64];

	*offset = 0;
	for (int i = 0; i < MAX_PATH; i++) {
		size_t len = strcspn(path, ".");
		struct pt_member m;

		if (len >= sizeof(part))
			return false;
		memcpy(part, path, len);
		part[len] = '\0';
		if (!pt_type_member(types, type, part, &m) || m.n_bits > 0)
			return false;
		*offset += m.offset;
		type = pt_type_strip(types, m.type);
		*size = type->size_bytes;
		if (path[len] == '\0')
			return true;
		path += len + 1;
	}
	return false;
}

void pt_rtos_rows(struct pt_rtos *rtos, const struct pt_rtos_row *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows && i < PT_RTOS_MAX_OFFSETS; i++) {
		bool found = false, known = false;

		for (size_t t = 0; !found && t < PT_LEN(rows[i].type) && rows[i].type[t] != NULL; t++) {
			const struct pt_type *type = pt_types_named(rtos->types, rows[i].type[t]);

			type = type != NULL ? pt_type_strip(rtos->types, type) : NULL;
			if (type == NULL || type->kind != PT_TYPE_STRUCT || type->size_bytes == 0)
				continue;
			known = true;
			for (size_t k = 0; !found && k < PT_LEN(rows[i].path) && rows[i].path[k] != NULL; k++)
				found = member_at(rtos->types, type, rows[i].path[k], &rtos->offset[i], &rtos->size[i]);
		}
		rtos->sure[i] = found;
		if (!found) {	/* the type is known, and has no such member: not built in */
			rtos->offset[i] = known ? PT_UNKNOWN : rows[i].fallback;
			rtos->size[i] = rows[i].size_bytes;
		}
	}
}

void pt_rtos_add_running(struct pt_rtos *rtos, const char *written, uint64_t addr)
{
	struct pt_rtos_running *r = &rtos->running[rtos->n_cores];
	struct pt_expr *expr;
	struct pt_plan plan = { .kind = PT_PLAN_CONSTANT };

	if (rtos->n_cores == PT_RTOS_MAX_CORES)
		return;
	rtos->n_cores++;
	r->addr = addr;
	r->size_bytes = pt_types_address_bytes(rtos->types);
	expr = written != NULL ? pt_expr_parse(rtos->types, written, NULL) : NULL;
	if (expr != NULL)
		pt_expr_plan(expr, &plan);
	pt_expr_free(expr);
	if (plan.kind == PT_PLAN_ONE && plan.leaf[0].addr == addr && plan.leaf[0].size_bytes == r->size_bytes)
		snprintf(r->name, sizeof(r->name), "%s", written);
	else
		snprintf(r->name, sizeof(r->name), "*(unsigned int *)0x%" PRIx64, addr);
}

void pt_rtos_free(struct pt_rtos *rtos)
{
	free(rtos);
}

const char *pt_rtos_name(const struct pt_rtos *rtos)
{
	return rtos->ops->name;
}

const struct pt_rtos_running *pt_rtos_running(const struct pt_rtos *rtos, unsigned *n_cores)
{
	*n_cores = rtos->n_cores;
	return rtos->running;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

/* What the program cannot change is in the ELF: no round trip for it. */
static int read_bytes(struct pt_rtos_walk *w, uint64_t addr, void *bytes, size_t n)
{
	const struct pt_segment *segments;
	size_t n_segments;

	segments = pt_program_segments(w->rtos->types->program, &n_segments);
	for (size_t i = 0; i < n_segments; i++) {
		uint64_t at = addr - segments[i].run;

		if (!segments[i].writable && segments[i].bytes != NULL && at < segments[i].size &&
		    n <= segments[i].size - at) {
			memcpy(bytes, segments[i].bytes + at, n);
			return 0;
		}
	}
	return w->reader->read(w->reader->arg, addr, bytes, n, w->err);
}

int pt_rtos_number(struct pt_rtos_walk *w, uint64_t addr, uint64_t size_bytes, uint64_t *value)
{
	bool big_endian = pt_types_big_endian(w->rtos->types);
	uint8_t bytes[8];

	*value = 0;
	if (size_bytes == 0 || size_bytes > sizeof(bytes))
		return 0;
	if (read_bytes(w, addr, bytes, size_bytes) < 0)
		return pt_wrap(w->err, "read 0x%" PRIx64, addr);
	for (size_t i = 0; i < size_bytes; i++)
		*value |= (uint64_t)bytes[big_endian ? size_bytes - 1 - i : i] << 8 * i;
	return 0;
}

int pt_rtos_pointer(struct pt_rtos_walk *w, uint64_t addr, uint64_t *value)
{
	return pt_rtos_number(w, addr, pt_types_address_bytes(w->rtos->types), value);
}

int pt_rtos_variable(struct pt_rtos_walk *w, const char *symbol, uint64_t *value, bool *known)
{
	uint64_t addr, size;

	*value = 0;
	*known = pt_rtos_symbol(w->rtos, symbol, &addr, &size);
	if (!*known)
		return 0;
	return pt_rtos_number(w, addr, size == 1 || size == 2 || size == 8 ? size : 4, value);
}

/* A word at a time, as it lies; where that cannot be read as a whole, byte by byte. */
static int read_piece(struct pt_rtos_walk *w, uint64_t addr, size_t n, char *text)
{
	if (read_bytes(w, addr, text, n) == 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (read_bytes(w, addr + i, text + i, 1) < 0)
			return pt_wrap(w->err, "read 0x%" PRIx64, addr + i);
		if (text[i] == '\0')
			break;
	}
	return 0;
}

int pt_rtos_text(struct pt_rtos_walk *w, uint64_t addr, size_t n_bytes, char text[PT_RTOS_NAME_BYTES])
{
	size_t n;

	memset(text, 0, PT_RTOS_NAME_BYTES);
	n_bytes = n_bytes < PT_RTOS_NAME_BYTES - 1 ? n_bytes : PT_RTOS_NAME_BYTES - 1;
	for (size_t at = 0; at < n_bytes; at += n) {
		n = 4 - (addr + at) % 4;
		n = n < n_bytes - at ? n : n_bytes - at;
		if (read_piece(w, addr + at, n, text + at) < 0)
			return w->err->code;
		if (memchr(text + at, 0, n) != NULL)
			break;
	}
	for (size_t i = strlen(text) + 1; i < PT_RTOS_NAME_BYTES; i++)
		text[i] = '\0';
	for (size_t i = 0; text[i] != '\0'; i++)
		if (!isprint((unsigned char)text[i]) || text[i] == '"')
			text[i] = '?';
	return 0;
}

/* Data lies where the ELF has data: in the same quarter of the address space, since heaps may be anywhere in RAM. */
bool pt_rtos_can_be(const struct pt_rtos_walk *w, uint64_t addr)
{
	const struct pt_program *program = w->rtos->types->program;
	const struct pt_segment *segments;
	size_t n;

	if (addr == 0 || addr % 4 != 0)
		return false;
	segments = pt_program_segments(program, &n);
	for (size_t i = 0; i < n; i++)
		if (segments[i].writable && segments[i].run >> 28 == addr >> 28)
			return true;
	return false;
}

bool pt_rtos_is_current(const struct pt_rtos_walk *w, uint64_t tcb)
{
	for (unsigned i = 0; i < w->rtos->n_cores; i++)
		if (w->threads->current[i] == tcb)
			return true;
	return false;
}

struct pt_rtos_thread *pt_rtos_add(struct pt_rtos_walk *w, uint64_t tcb)
{
	struct pt_rtos_threads *t = w->threads;

	for (size_t i = 0; i < t->n_threads; i++)
		if (t->thread[i].tcb == tcb)
			return NULL;
	if (t->n_threads == PT_RTOS_MAX_THREADS) {
		pt_rtos_note(w, "more than %d tasks: the rest is left out", PT_RTOS_MAX_THREADS);
		return NULL;
	}
	t->thread[t->n_threads] = (struct pt_rtos_thread){ .tcb = tcb, .state = "?", .sp = PT_UNKNOWN,
							   .priority_addr = PT_UNKNOWN };
	return &t->thread[t->n_threads++];
}

void pt_rtos_note(struct pt_rtos_walk *w, const char *fmt, ...)
{
	va_list args;

	if (w->threads->note[0] != '\0')
		return;
	va_start(args, fmt);
	vsnprintf(w->threads->note, sizeof(w->threads->note), fmt, args);
	va_end(args);
}

int64_t pt_rtos_signed(uint64_t value, uint64_t size_bytes)
{
	if (size_bytes > 0 && size_bytes < 8 && (value >> (8 * size_bytes - 1) & 1) != 0)
		value |= UINT64_MAX << 8 * size_bytes;
	return (int64_t)value;
}

void pt_rtos_threads_fini(struct pt_rtos_threads *threads)
{
	free(threads->thread);
	*threads = (struct pt_rtos_threads){ 0 };
}

/* --- what is made of it ------------------------------------------------------------------------------------------- */

static void fill_map(const struct pt_rtos *rtos, const struct pt_rtos_threads *threads, struct pt_task_map *map)
{
	pt_task_map_add(map, &(struct pt_task_entry){ 0, rtos->ops->none, true });
	for (size_t i = 0; threads != NULL && i < threads->n_threads; i++)
		pt_task_map_add(map, &(struct pt_task_entry){ threads->thread[i].tcb, threads->thread[i].name, false });
}

struct pt_task_maps *pt_rtos_task_maps(const struct pt_rtos *rtos, const struct pt_rtos_threads *threads)
{
	char origin[64];
	struct pt_task_maps *maps;

	snprintf(origin, sizeof(origin), "symbols of %s", rtos->ops->name);
	maps = pt_task_maps_new(rtos->ops->name, origin);
	for (unsigned core = 0; core < rtos->n_cores; core++) {
		const struct pt_task_map map = {
			.what = PT_TASK_RUNNING, .core = core, .variable = rtos->running[core].name,
			.addr = rtos->running[core].addr, .size_bytes = rtos->running[core].size_bytes,
			.rewritten = rtos->ops->rewritten,
		};

		fill_map(rtos, threads, pt_task_maps_add(maps, &map));
	}
	return maps;
}

/* A name of the format: letters, digits and underscores. */
static void object_name(const char *name, char text[PT_RTOS_NAME_BYTES + 2])
{
	size_t n = 0;

	if (!isalpha((unsigned char)name[0]) && name[0] != '_')
		text[n++] = '_';
	for (; *name != '\0' && n <= PT_RTOS_NAME_BYTES; name++)
		text[n++] = isalnum((unsigned char)*name) ? *name : '_';
	text[n] = '\0';
}

/* "&tcb_blink" says more than a number, and stays right when the program is linked anew. */
static void address_text(const struct pt_rtos *rtos, uint64_t addr, char *text, size_t room)
{
	struct pt_entity found;
	uint64_t offset = 1;
	const char *name = pt_types_symbol_at(rtos->types, addr, &offset);

	if (name != NULL && offset == 0 && pt_types_find(rtos->types, name, &found, NULL) == 0 && found.addr == addr)
		snprintf(text, room, "&%s", name);
	else
		snprintf(text, room, "0x%" PRIx64, addr);
}

const char *pt_rtos_without_states(const struct pt_rtos *rtos)
{
	const struct pt_rtos_states *s = rtos->ops->states;

	return rtos->sure[s->row] && rtos->sure[s->inner] ? NULL : s->build;
}

static void declare_states(struct pt_orti_type *type, const struct pt_rtos *rtos)
{
	const struct pt_rtos_states *s = rtos->ops->states;
	struct pt_orti_attr *attr = pt_orti_add_attr(type, PT_ORTI_ENUM, s->c_type, "STATE", "State");
	char value[32];

	for (size_t i = 0; i < PT_LEN(s->words) && s->words[i].word != NULL; i++) {
		snprintf(value, sizeof(value), "%" PRIu64, s->words[i].value);
		pt_orti_add_item(attr, s->words[i].word, NULL, value);
	}
	if (s->more != NULL)
		s->more(rtos, attr);
}

static void add_state(struct pt_orti_object *task, const struct pt_rtos *rtos, const struct pt_rtos_thread *thread)
{
	static const char *const c_types[] = { [1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int" };
	const struct pt_rtos_states *s = rtos->ops->states;
	uint64_t bytes = rtos->size[s->inner], addr = thread->tcb + rtos->offset[s->row];
	char text[80];

	if (pt_rtos_without_states(rtos) != NULL || bytes >= PT_LEN(c_types) || c_types[bytes] == NULL)
		return;
	addr += s->inner != s->row ? rtos->offset[s->inner] : 0;
	snprintf(text, sizeof(text), "*(%s *)0x%" PRIx64, c_types[bytes], addr);
	pt_orti_add_value(task, "STATE", -1, text, true);
}

static void declare(struct pt_orti *orti, const struct pt_rtos *rtos, const struct pt_rtos_threads *threads)
{
	struct pt_orti_type *type = pt_orti_add_type(orti, "OS", rtos->ops->name);
	struct pt_orti_attr *attr = pt_orti_add_attr(type, PT_ORTI_ENUM, "void *", "RUNNINGTASK", "Running task");

	attr->to_trace = true;
	attr->array = rtos->n_cores > 1;
	pt_orti_add_item(attr, "NO_TASK", NULL, "0");
	for (size_t i = 0; i < threads->n_threads; i++) {
		char value[160];

		address_text(rtos, threads->thread[i].tcb, value, sizeof(value));
		pt_orti_add_item(attr, threads->thread[i].name, NULL, value);
	}
	type = pt_orti_add_type(orti, "TASK", "Tasks");
	pt_orti_add_attr(type, PT_ORTI_CTYPE, "int", "PRIORITY", "Priority");
	pt_orti_add_attr(type, PT_ORTI_CTYPE, "void *", "vs_TCB", "Control block");
	if (pt_rtos_without_states(rtos) == NULL)
		declare_states(type, rtos);
}

static void add_task(struct pt_orti *orti, const struct pt_rtos *rtos, const struct pt_rtos_thread *thread)
{
	static const char *const c_types[] = { [1] = "signed char", [2] = "short", [4] = "int", [8] = "long long" };
	char name[PT_RTOS_NAME_BYTES + 2], text[160];
	struct pt_orti_object *task;

	object_name(thread->name, name);
	task = pt_orti_add_object(orti, "TASK", name);
	address_text(rtos, thread->tcb, text, sizeof(text));
	pt_orti_add_value(task, "vs_TCB", -1, text, true);
	add_state(task, rtos, thread);
	if (thread->priority_addr == PT_UNKNOWN || thread->priority_bytes >= PT_LEN(c_types) ||
	    c_types[thread->priority_bytes] == NULL)
		return;
	snprintf(text, sizeof(text), "*(%s *)0x%" PRIx64, c_types[thread->priority_bytes], thread->priority_addr);
	pt_orti_add_value(task, "PRIORITY", -1, text, true);
}

static void add_objects(struct pt_orti *orti, const struct pt_rtos *rtos, const struct pt_rtos_threads *threads)
{
	struct pt_orti_object *os = pt_orti_add_object(orti, "OS", rtos->ops->name);

	for (unsigned core = 0; core < rtos->n_cores; core++)
		pt_orti_add_value(os, "RUNNINGTASK", rtos->n_cores > 1 ? (int)core : -1, rtos->running[core].name,
				  true);
	for (size_t i = 0; i < threads->n_threads; i++)
		add_task(orti, rtos, &threads->thread[i]);
}

struct pt_orti *pt_rtos_orti(const struct pt_rtos *rtos, const struct pt_rtos_threads *threads)
{
	struct pt_orti *orti = pt_orti_new(rtos->ops->name, "2.2");

	declare(orti, rtos, threads);
	add_objects(orti, rtos, threads);
	return orti;
}
