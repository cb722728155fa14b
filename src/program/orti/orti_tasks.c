/* What an ORTI file says of tasks, for sources that see the OS's variables being written, and the correction of files
 * whose running task is known by something that no data trace shows. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/orti/orti_parts.h"
#include "base/util.h"

enum { MAX_OS_OBJECTS = 64, MAX_TCBS = 1024, MAX_ENTRIES = 4096, MAX_TCB_BYTES = 4096, MAX_STATES = 32 };

static const struct { const char *attr; enum pt_task_what what; } traced[] = {
	{ "RUNNINGTASK", PT_TASK_RUNNING }, { "RUNNINGISR2", PT_TASK_ISR }, { "SERVICETRACE", PT_TASK_SERVICE },
	{ "vs_SERVICETRACE", PT_TASK_SERVICE },
};

struct teller { pt_orti_say *say; void *arg; char first[400]; };

__attribute__((format(printf, 2, 3))) static void tell(struct teller *t, const char *fmt, ...)
{
	char text[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (t->first[0] == '\0')
		memcpy(t->first, text, sizeof(text));
	if (t->say != NULL)
		t->say(t->arg, text);
}

/* --- maps --------------------------------------------------------------------------------------------------------- */

struct maker {
	const struct pt_orti *orti;
	struct pt_types *types;
	const struct pt_reader *reader;
	struct pt_task_maps *maps;
	struct teller tell;
};

static uint64_t cut(uint64_t value, unsigned bytes)
{
	return bytes > 0 && bytes < 8 ? value & ((UINT64_C(1) << 8 * bytes) - 1) : value;
}

static void add_entries(struct maker *m, const struct pt_orti_attr *attr, struct pt_task_map *map)
{
	unsigned bytes = map->value_bytes != 0 ? map->value_bytes : map->size_bytes;
	bool odd = false;

	if (attr->n_items > MAX_ENTRIES)
		tell(&m->tell, "%s: only the first %d entries are followed", attr->name, MAX_ENTRIES);
	for (size_t i = 0; i < attr->n_items && i < MAX_ENTRIES; i++) {
		const struct pt_orti_item *item = &attr->item[i];
		struct pt_orti_number number;
		struct pt_task_entry entry;
		struct pt_err why;

		if (pt_orti_number_of(m->types, m->reader, item->value, attr->c_type, &number, &why) < 0) {
			tell(&m->tell, "%s: \"%.60s\" has no value: %.200s", attr->name, item->text, why.msg);
			continue;
		}
		entry = (struct pt_task_entry){ cut(number.value.bits, bytes), item->text, false };
		entry.none = map->what != PT_TASK_STATE && pt_orti_is_none(m->orti, item, entry.value, bytes);
		odd = odd || (entry.value & 1) != 0;
		map->code_addresses = map->code_addresses || number.function;
		pt_task_map_add(map, &entry);
	}
	map->enter_bit = map->what == PT_TASK_SERVICE && !odd;
}

/* The C type of an ENUM may be narrower than the variable. */
static unsigned value_bytes(struct maker *m, const struct pt_orti_attr *attr, const struct pt_plan *plan)
{
	const struct pt_type *type = pt_orti_c_type(m->types, attr->c_type);
	uint64_t bytes = plan->value_bytes;

	type = type != NULL ? pt_type_strip(m->types, type) : NULL;
	if (type != NULL && type->size_bytes > 0 && type->size_bytes < plan->leaf[0].size_bytes &&
	    (bytes == 0 || type->size_bytes < bytes))
		bytes = type->size_bytes;
	return (unsigned)bytes;
}

/* A word of a bit-field has its values as they are in the word's lowest bits. */
static void add_state(struct maker *m, const char *task, const struct pt_orti_attr *attr, const struct pt_plan *plan)
{
	const struct pt_task_map map = {
		.what = PT_TASK_STATE, .of = task, .variable = plan->leaf[0].name, .addr = plan->leaf[0].addr,
		.size_bytes = plan->leaf[0].size_bytes, .value_bytes = (uint8_t)value_bytes(m, attr, plan),
		.first_bit = plan->leaf[0].first_bit, .n_bits = plan->leaf[0].n_bits,
	};

	add_entries(m, attr, pt_task_maps_add(m->maps, &map));
}

static void add_map(struct maker *m, enum pt_task_what what, const struct pt_orti_attr *attr, unsigned core,
		    const struct pt_plan *plan)
{
	const struct pt_task_map map = {
		.what = what, .core = core, .variable = plan->leaf[0].name, .addr = plan->leaf[0].addr,
		.size_bytes = plan->leaf[0].size_bytes, .value_bytes = (uint8_t)value_bytes(m, attr, plan),
	};

	if (plan->leaf[0].n_bits > 0) {
		tell(&m->tell, "%s is a bit-field, which shares its memory with others: not followed",
		     plan->leaf[0].name);
		return;
	}
	add_entries(m, attr, pt_task_maps_add(m->maps, &map));
}

static void look_at_value(struct maker *m, const struct pt_orti_object *os, const struct pt_orti_value *value,
			  enum pt_task_what what)
{
	const struct pt_orti_attr *attr = pt_orti_attr_of(m->orti, os->type, value->attr);
	unsigned core = value->index >= 0 ? (unsigned)value->index : 0;
	struct pt_err why = { 0 };
	struct pt_c_value ignored;
	struct pt_expr *expr;
	struct pt_plan plan;

	if (attr == NULL || attr->kind != PT_ORTI_ENUM || pt_task_maps_of(m->maps, what, core) != NULL)
		return;
	expr = pt_expr_parse(m->types, value->formula, &why);
	if (expr == NULL) {
		tell(&m->tell, "%s: %.300s", value->attr, why.msg);
		return;
	}
	pt_expr_plan(expr, &plan);
	if (plan.kind == PT_PLAN_ONE)
		add_map(m, what, attr, core, &plan);
	else if (plan.n_leaves == 0 && pt_expr_evaluate(expr, NULL, NULL, &ignored, &why) < 0)
		tell(&m->tell, "%s: %.300s", value->attr, why.msg);	/* an unknown name */
	else
		tell(&m->tell, "%s = \"%.80s\" cannot be traced: %.270s", value->attr, value->formula, plan.reason);
	pt_expr_free(expr);
}

static void look_at_os(struct maker *m, const struct pt_orti_object *os)
{
	for (size_t i = 0; i < PT_LEN(traced); i++)
		for (size_t k = 0; k < os->n_values; k++)
			if (strcmp(os->value[k].attr, traced[i].attr) == 0)
				look_at_value(m, os, &os->value[k], traced[i].what);
}

/* Why the state of a task cannot be followed; false: it can, or never changes. */
static bool look_at_state(struct maker *m, const struct pt_orti_object *task, const struct pt_orti_attr *attr,
			  char *why, size_t room)
{
	const struct pt_orti_value *value = pt_orti_value_of(task, "STATE", -1);
	struct pt_err err = { 0 };
	struct pt_c_value ignored;
	struct pt_expr *expr;
	struct pt_plan plan;
	bool cannot = false;

	if (value == NULL)
		return false;
	expr = pt_expr_parse(m->types, value->formula, &err);
	if (expr != NULL) {
		pt_expr_plan(expr, &plan);
		if (plan.kind == PT_PLAN_ONE)
			add_state(m, task->name, attr, &plan);
		else if (plan.n_leaves > 0 || pt_expr_evaluate(expr, NULL, NULL, &ignored, &err) < 0)
			cannot = true;
		if (cannot && plan.n_leaves > 0)
			pt_fail(&err, PT_EARG, "%.150s", plan.reason);
		pt_expr_free(expr);
	}
	if (expr == NULL || cannot)
		snprintf(why, room, "STATE of %.40s = \"%.60s\": %.150s", task->name, value->formula, err.msg);
	return expr == NULL || cannot;
}

/* One sentence for all tasks: their formulas are alike. */
static void look_at_states(struct maker *m)
{
	const struct pt_orti_attr *attr = pt_orti_attr_of(m->orti, "TASK", "STATE");
	size_t n_cannot = 0, n_more = 0, before = m->maps->n_maps;
	char why[300], first[300] = "";

	if (attr == NULL || attr->kind != PT_ORTI_ENUM)
		return;
	for (size_t i = 0; i < m->orti->n_objects; i++) {
		const struct pt_orti_object *task = &m->orti->object[i];

		if (strcmp(task->type, "TASK") != 0 || pt_orti_value_of(task, "STATE", -1) == NULL)
			continue;
		if (m->maps->n_maps - before == MAX_STATES)
			n_more++;
		else if (look_at_state(m, task, attr, why, sizeof(why)) && n_cannot++ == 0)
			memcpy(first, why, sizeof(first));
	}
	if (n_cannot > 0)
		tell(&m->tell, "the state%s of %zu task%s not followed: %s", n_cannot > 1 ? "s" : "", n_cannot,
		     n_cannot > 1 ? "s are" : " is", first);
	if (n_more > 0)
		tell(&m->tell, "the state%s of %zu task%s not followed: %d at most are", n_more > 1 ? "s" : "", n_more,
		     n_more > 1 ? "s are" : " is", MAX_STATES);
}

/* The nth object of type OS, or NULL. */
static const struct pt_orti_object *os_object(const struct pt_orti *orti, size_t n)
{
	for (size_t i = 0; i < orti->n_objects; i++)
		if (strcmp(orti->object[i].type, "OS") == 0 && n-- == 0)
			return &orti->object[i];
	return NULL;
}

struct pt_task_maps *pt_orti_task_maps(const struct pt_orti *orti, struct pt_types *types,
				       const struct pt_reader *reader, pt_orti_say *say, void *arg, struct pt_err *err)
{
	struct maker m = { .orti = orti, .types = types, .reader = reader, .tell = { .say = say, .arg = arg } };
	const struct pt_orti_object *os;

	m.maps = pt_task_maps_new(orti->name != NULL ? orti->name : "OS", "ORTI file");
	for (size_t n = 0; n < MAX_OS_OBJECTS && (os = os_object(orti, n)) != NULL; n++)
		look_at_os(&m, os);
	look_at_states(&m);
	if (m.maps->n_maps > 0)
		return m.maps;
	if (m.tell.first[0] != '\0')
		pt_fail(err, PT_EARG, "%s", m.tell.first);
	else
		pt_fail(err, PT_EARG, "the ORTI file has no RUNNINGTASK, RUNNINGISR2 or SERVICETRACE of an OS object");
	pt_task_maps_free(m.maps);
	return NULL;
}

/* --- the fix ------------------------------------------------------------------------------------------------------ */

/* The plan of a RUNNINGTASK that lies behind a pointer in a way that can be mended. */
static bool fixable(const struct pt_orti *orti, struct pt_types *types, const struct pt_orti_object *os,
		    const struct pt_orti_value *value, struct pt_plan *plan)
{
	const struct pt_orti_attr *attr = pt_orti_attr_of(orti, os->type, value->attr);
	struct pt_expr *expr;

	if (strcmp(value->attr, "RUNNINGTASK") != 0 || attr == NULL || attr->kind != PT_ORTI_ENUM)
		return false;
	expr = pt_expr_parse(types, value->formula, NULL);
	if (expr == NULL)
		return false;
	pt_expr_plan(expr, plan);
	pt_expr_free(expr);
	return plan->kind == PT_PLAN_POINTER && plan->simple;
}

static const struct pt_orti_value *find_fixable(const struct pt_orti *orti, struct pt_types *types,
						const struct pt_orti_object **os, struct pt_plan *plan)
{
	for (size_t n = 0; n < MAX_OS_OBJECTS && (*os = os_object(orti, n)) != NULL; n++)
		for (size_t i = 0; i < (*os)->n_values; i++)
			if (fixable(orti, types, *os, &(*os)->value[i], plan))
				return &(*os)->value[i];
	return NULL;
}

bool pt_orti_needs_fix(const struct pt_orti *orti, struct pt_types *types)
{
	const struct pt_orti_object *os;
	struct pt_plan plan;

	return find_fixable(orti, types, &os, &plan) != NULL;
}

struct fixer {
	const struct pt_orti *orti;
	struct pt_types *types;
	const struct pt_reader *reader;
	const struct pt_orti_attr *was;	/* RUNNINGTASK as declared */
	struct pt_orti_attr *is;	/* in the corrected file */
	const struct pt_plan *plan;
	struct pt_orti_number *ids;	/* of the entries of was; value.type NULL: it has none */
	bool *told;			/* for each entry of was: a TCB has its id */
	size_t n_tcbs, n_matched;
	struct teller tell;
	struct pt_err *err;
};

/* A TCB that nobody ever wrote to is not in use: its id 0 means nothing. */
static bool never_used(struct fixer *f, uint64_t addr)
{
	uint64_t size = pt_type_strip(f->types, f->plan->pointee)->size_bytes;
	uint8_t bytes[64];

	for (uint64_t at = 0; at < size && at < MAX_TCB_BYTES; at += sizeof(bytes)) {
		size_t n = size - at < sizeof(bytes) ? (size_t)(size - at) : sizeof(bytes);

		if (f->reader->read(f->reader->arg, addr + at, bytes, n, NULL) < 0)
			return false;	/* reading the id says so */
		for (size_t i = 0; i < n; i++)
			if (bytes[i] != 0)
				return false;
	}
	return true;
}

/* Which task a TCB is of, by the id that it holds. */
static bool look_at_tcb(struct fixer *f, uint64_t addr, const char *written)
{
	struct pt_orti_number id = {
		.value = { .type = f->plan->behind, .has_place = true, .addr = addr + f->plan->offset },
	};
	const struct pt_type *type = pt_orti_c_type(f->types, f->was->c_type);
	const struct pt_orti_item *item;
	char shown[64], value[400];

	if (f->n_tcbs++ >= MAX_TCBS)
		return false;
	if (never_used(f, addr))
		return true;
	if (pt_c_value_load(f->types, f->reader, &id.value, f->err) < 0) {
		pt_wrap(f->err, "read the id in %.100s", written);
		return false;
	}
	if (type != NULL && pt_c_value_convert(f->types, &id.value, type, f->err) < 0)
		return false;
	pt_c_value_print(f->types, &id.value, false, shown, sizeof(shown));
	item = pt_orti_match(f->was, f->ids, &id);
	if (item == NULL) {
		tell(&f->tell, "%.100s has the id %s, which the file gives to no task", written, shown);
		return true;
	}
	if (f->told[item - f->was->item]) {
		tell(&f->tell, "%.100s has the id %s of \"%.60s\" as well: has the OS been started?", written, shown,
		     item->text);
		return true;
	}
	f->told[item - f->was->item] = true;
	f->n_matched++;
	snprintf(value, sizeof(value), "&%s", written);
	pt_orti_add_item(f->is, item->text, item->link, value);
	return true;
}

static bool look_at_variable(void *arg, const struct pt_entity *variable, const char *written)
{
	struct fixer *f = arg;
	const struct pt_type *type = pt_type_strip(f->types, variable->type);
	uint64_t size = pt_type_strip(f->types, f->plan->pointee)->size_bytes;
	char element[360];

	if (type->kind != PT_TYPE_ARRAY)
		return look_at_tcb(f, variable->addr, written);
	for (uint64_t i = 0; i < type->n_elements; i++) {
		snprintf(element, sizeof(element), "%s[%llu]", written, (unsigned long long)i);
		if (!look_at_tcb(f, variable->addr + i * size, element))
			return false;
	}
	return true;
}

/* "No task" is a pointer to nothing. */
static void keep_none(struct fixer *f)
{
	for (size_t i = 0; i < f->was->n_items; i++) {
		const struct pt_orti_item *item = &f->was->item[i];
		unsigned bytes;

		if (f->ids[i].value.type == NULL)
			continue;
		bytes = (unsigned)pt_type_strip(f->types, f->ids[i].value.type)->size_bytes;
		if (!pt_orti_is_none(f->orti, item, f->ids[i].value.bits, bytes))
			continue;
		f->told[i] = true;
		pt_orti_add_item(f->is, item->text, NULL, "0");
		return;
	}
}

static int fill_items(struct fixer *f)
{
	f->err->code = 0;
	keep_none(f);
	pt_types_each_of(f->types, f->plan->pointee, look_at_variable, f);
	if (f->err->code < 0)
		return f->err->code;
	for (size_t i = 0; i < f->was->n_items; i++)
		if (!f->told[i])
			tell(&f->tell, "no variable has the id of \"%.60s\": where is its TCB?", f->was->item[i].text);
	if (f->n_tcbs == 0)
		return pt_fail(f->err, PT_EARG,
			       "the ELF has no variable of the type that %.80s points to: the TCBs are "
			       "made at run time",
			       f->plan->leaf[0].name);
	if (f->n_matched == 0)
		return pt_fail(f->err, PT_EARG, "none of the %zu TCBs holds the id of a task: has the OS been started?",
			       f->n_tcbs);
	return 0;
}

/* The RUNNINGTASK of the copy tells the pointer itself. */
static void point_to_tcb(struct fixer *f, struct pt_orti *copy, const struct pt_orti_object *os)
{
	struct pt_orti_object *to = &copy->object[os - f->orti->object];

	free(f->is->c_type);
	f->is->c_type = pt_strdup("void *");
	f->is->to_trace = true;
	pt_orti_drop_items(f->is);
	for (size_t i = 0; i < to->n_values && i < os->n_values; i++) {
		struct pt_plan plan;

		if (!fixable(f->orti, f->types, os, &os->value[i], &plan))
			continue;
		free(to->value[i].formula);
		to->value[i].formula = pt_strdup(plan.leaf[0].name);
		to->value[i].quoted = true;
	}
}

static struct pt_orti *copy_of(const struct pt_orti *orti, struct pt_err *err)
{
	char *text = pt_orti_write(orti);
	struct pt_orti *copy = text != NULL ? pt_orti_parse(text, strlen(text), err) : NULL;

	if (text == NULL)
		pt_fail(err, PT_ENOMEM, "no memory");
	free(text);
	return copy;
}

struct pt_orti *pt_orti_fix(const struct pt_orti *orti, struct pt_types *types, const struct pt_reader *reader,
			    pt_orti_say *say, void *arg, struct pt_err *err)
{
	struct pt_err ignored = { 0 };
	struct pt_plan plan;
	const struct pt_orti_object *os;
	const struct pt_orti_value *value = find_fixable(orti, types, &os, &plan);
	struct pt_orti *copy;
	struct fixer f = {
		.orti = orti, .types = types, .reader = reader, .plan = &plan, .tell = { .say = say, .arg = arg },
		.err = err != NULL ? err : &ignored,
	};

	if (value == NULL) {
		pt_fail(err, PT_EARG, "RUNNINGTASK needs no correction of the kind that can be made");
		return NULL;
	}
	f.err->code = 0;
	copy = copy_of(orti, f.err);
	if (copy == NULL)
		return NULL;
	f.was = pt_orti_attr_of(orti, os->type, value->attr);
	f.is = (struct pt_orti_attr *)(uintptr_t)pt_orti_attr_of(copy, os->type, value->attr);	/* ours: the copy's */
	f.ids = pt_orti_numbers(f.was, types, reader);
	f.told = pt_alloc_array(f.was->n_items + 1, sizeof(*f.told));
	if (f.is == NULL || copy->n_objects != orti->n_objects) {
		pt_fail(f.err, PT_ENOMEM, "the file cannot be copied");
	} else {
		point_to_tcb(&f, copy, os);
		fill_items(&f);
	}
	free(f.ids);
	free(f.told);
	if (f.err->code < 0) {
		pt_orti_free(copy);
		copy = NULL;
	}
	return copy;
}
