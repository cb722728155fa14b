/* The tasks of an ORTI file as they are at the moment: TASK objects with their state and priority, RUNNINGTASK of
 * each core by the text of its ENUM, registers from the CONTEXT that a task leads to ("_CPU_R4", "_CPU_PC": one
 * formula each; they count only while VALID is not 0).
 *
 * Source: OSEK/VDX ORTI 2.2, objects OS, TASK and CONTEXT. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/orti/orti_parts.h"
#include "program/os/threads_parts.h"
#include "base/util.h"

#define CPU_PREFIX "_CPU_"

/* The nth TASK, or NULL. */
static const struct pt_orti_object *task_object(const struct pt_orti *orti, uint64_t n)
{
	for (size_t i = 0; i < orti->n_objects; i++)
		if (strcmp(orti->object[i].type, "TASK") == 0 && n-- == 0)
			return &orti->object[i];
	return NULL;
}

bool pt_orti_has_tasks(const struct pt_orti *orti)
{
	return task_object(orti, 0) != NULL;
}

/* Texts of an ENUM and names of objects mean the same task, but blanks in a text are underscores in a name. */
static bool same_name(const char *text, const char *name)
{
	for (; *text != '\0' && *name != '\0'; text++, name++)
		if (*text != *name && !(!isalnum((unsigned char)*text) && *name == '_'))
			return false;
	return *text == *name;
}

static uint64_t id_of(const struct pt_orti *orti, const struct pt_orti_result *result)
{
	const struct pt_orti_object *task;

	if (!result->available || result->item == NULL)
		return 0;
	for (uint64_t n = 0; n < PT_RTOS_MAX_THREADS && (task = task_object(orti, n)) != NULL; n++)
		if (result->link == task || same_name(result->item->text, task->name))
			return PT_THREADS_ORTI_ID + n;
	return 0;
}

/* What a reader says is no matter of the file: it is told, and nothing is made up in its place. */
struct witness {
	const struct pt_reader *reader;
	int rc;
	struct pt_err err;
};

static int read_and_tell(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err)
{
	struct witness *witness = arg;
	struct pt_err why = { 0 };
	int rc = witness->reader->read(witness->reader->arg, addr, bytes, n_bytes, &why);

	if (rc < 0 && rc != PT_EFAULT) {
		witness->rc = rc;
		witness->err = why;
	}
	return rc < 0 ? pt_fail(err, rc, "%s", why.msg) : rc;
}

int pt_orti_running(const struct pt_threads *threads, const struct pt_reader *reader,
		    struct pt_threads_running *running, struct pt_err *err)
{
	const struct pt_orti *orti = threads->orti;
	struct witness witness = { .reader = reader };
	struct pt_reader through = { read_and_tell, &witness };

	running->n_cores = 1;
	for (size_t i = 0; i < orti->n_objects; i++) {
		const struct pt_orti_object *os = &orti->object[i];

		for (size_t k = 0; strcmp(os->type, "OS") == 0 && k < os->n_values; k++) {
			unsigned core = os->value[k].index > 0 ? (unsigned)os->value[k].index : 0;
			struct pt_orti_result result;

			if (strcmp(os->value[k].attr, "RUNNINGTASK") != 0 || core >= PT_RTOS_MAX_CORES)
				continue;
			pt_orti_evaluate(orti, os, &os->value[k], threads->types, &through, &result);
			running->id[core] = id_of(orti, &result);
			if (core >= running->n_cores)
				running->n_cores = core + 1;
		}
	}
	return witness.rc < 0 ? pt_fail(err, witness.rc, "%s", witness.err.msg) : 0;
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

static bool value_of(const struct pt_threads *threads, const struct pt_reader *reader,
		     const struct pt_orti_object *object, const char *attr, struct pt_orti_result *result)
{
	const struct pt_orti_value *value = pt_orti_value_of(object, attr, -1);

	if (value == NULL)
		return false;
	pt_orti_evaluate(threads->orti, object, value, threads->types, reader, result);
	return true;
}

static void describe(const struct pt_threads *threads, const struct pt_reader *reader,
		     const struct pt_orti_object *task, struct pt_thread *thread)
{
	struct pt_orti_result result;

	snprintf(thread->name, sizeof(thread->name), "%s", task->name);
	snprintf(thread->state, sizeof(thread->state), "unknown");
	if (value_of(threads, reader, task, "STATE", &result)) {
		snprintf(thread->state, sizeof(thread->state), "%.79s", result.text);
		for (char *c = thread->state; *c != '\0'; c++)
			*c = (char)tolower((unsigned char)*c);
	}
	if (value_of(threads, reader, task, "PRIORITY", &result) && result.available) {
		thread->has_priority = true;
		thread->priority = (int64_t)result.value.bits;
	}
}

int pt_orti_threads(const struct pt_threads *threads, const struct pt_reader *reader, struct pt_thread_list *list,
		    struct pt_err *err)
{
	struct witness witness = { .reader = reader };
	struct pt_reader through = { read_and_tell, &witness };
	struct pt_threads_running running;
	const struct pt_orti_object *task;

	int rc = pt_threads_running(threads, reader, &running, err);

	if (rc < 0)
		return rc;
	list->thread = pt_alloc_array(PT_RTOS_MAX_THREADS, sizeof(*list->thread));
	list->started = true;
	for (size_t n = 0; n < PT_RTOS_MAX_THREADS && (task = task_object(threads->orti, n)) != NULL; n++) {
		struct pt_thread *thread = &list->thread[list->n_threads++];

		*thread = (struct pt_thread){ .id = PT_THREADS_ORTI_ID + n, .core = -1, .sp = PT_UNKNOWN };
		for (unsigned core = 0; core < running.n_cores; core++)
			if (running.id[core] == thread->id)
				thread->core = (int)core;
		describe(threads, &through, task, thread);
	}
	if (witness.rc == 0)
		return 0;
	pt_thread_list_fini(list);
	return pt_fail(err, witness.rc, "%s", witness.err.msg);
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

/* The CONTEXT that belongs to a task: where the ENUM of its attribute leads, else the one of its name. */
static const struct pt_orti_object *context_of(const struct pt_threads *threads, const struct pt_reader *reader,
					       const struct pt_orti_object *task)
{
	struct pt_orti_result result = { 0 };

	if (!value_of(threads, reader, task, "CONTEXT", &result))
		return pt_orti_object_of(threads->orti, "CONTEXT", task->name);
	if (result.link != NULL && strcmp(result.link->type, "CONTEXT") == 0)
		return result.link;
	return result.item != NULL ? pt_orti_object_of(threads->orti, "CONTEXT", result.item->text) : NULL;
}

/* Where a formula is a place in memory, that is where the register waits. */
static uint64_t place_of(struct pt_types *types, const struct pt_reader *reader, const char *formula, unsigned *bytes)
{
	struct pt_expr *expr = pt_expr_parse(types, formula, NULL);
	struct pt_c_value value;
	uint64_t addr = PT_UNKNOWN;

	if (expr != NULL && pt_expr_evaluate(expr, reader, NULL, &value, NULL) == 0 && value.has_place &&
	    value.n_bits == 0) {
		uint64_t size = pt_type_strip(types, value.type)->size_bytes;

		if (size >= 1 && size <= sizeof(value.bits)) {
			addr = value.addr;
			*bytes = (unsigned)size;
		}
	}
	pt_expr_free(expr);
	return addr;
}

static void add_register(const struct pt_threads *threads, const struct pt_reader *reader,
			 const struct pt_orti_object *context, const struct pt_orti_value *value,
			 struct pt_saved *saved)
{
	struct pt_orti_result result;
	unsigned bytes = 4;
	uint64_t addr;
	char name[12];
	size_t n = 0;

	for (const char *from = value->attr + strlen(CPU_PREFIX); *from != '\0' && n + 1 < sizeof(name); from++)
		name[n++] = (char)tolower((unsigned char)*from);
	name[n] = '\0';
	pt_orti_evaluate(threads->orti, context, value, threads->types, reader, &result);
	if (!result.available || n == 0)
		return;
	addr = place_of(threads->types, reader, value->formula, &bytes);
	pt_saved_add(saved, name, addr, bytes, result.value.bits);
}

int pt_orti_saved(const struct pt_threads *threads, const struct pt_reader *reader, uint64_t id, struct pt_saved *saved,
		  struct pt_err *err)
{
	const struct pt_orti_object *task, *context;
	struct witness witness = { .reader = reader };
	struct pt_reader through = { read_and_tell, &witness };
	struct pt_orti_result valid;

	*saved = (struct pt_saved){ 0 };
	task = id >= PT_THREADS_ORTI_ID ? task_object(threads->orti, id - PT_THREADS_ORTI_ID) : NULL;
	if (task == NULL)
		return pt_fail(err, PT_EARG, "the ORTI file has no such task");
	context = context_of(threads, &through, task);
	if (context == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "the ORTI file has no CONTEXT of task %.60s", task->name);
	if (value_of(threads, &through, context, "VALID", &valid) && (!valid.available || valid.value.bits == 0))
		return pt_fail(err, PT_EARG, "the CONTEXT %.60s of task %.60s is not valid now", context->name,
			       task->name);
	for (size_t i = 0; i < context->n_values; i++)
		if (strncmp(context->value[i].attr, CPU_PREFIX, strlen(CPU_PREFIX)) == 0)
			add_register(threads, &through, context, &context->value[i], saved);
	if (witness.rc < 0)
		return pt_fail(err, witness.rc, "%s", witness.err.msg);
	return saved->n_regs > 0 ? 0
				 : pt_fail(err, PT_EUNSUPPORTED, "the CONTEXT %.60s names no register", context->name);
}
