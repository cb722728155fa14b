/* The object model of an ORTI file: arrays of plain structs that own their strings. */
#include "base/alloc.h"
#include "program/orti/orti_parts.h"

#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Room for one more item behind n of them, in powers of two. */
static void *grown(void *array, size_t n, size_t size)
{
	if (n > 0 && (n & (n - 1)) != 0)
		return array;
	return pt_realloc_array(array, n > 0 ? 2 * n : 1, size);
}

static char *copy(const char *text)
{
	return text != NULL ? pt_strdup(text) : NULL;
}

struct pt_orti *pt_orti_new(const char *name, const char *version)
{
	struct pt_orti *orti = pt_alloc(sizeof(*orti));

	orti->name = copy(name);
	orti->koil = copy(version);
	orti->version = copy(version);
	orti->semantics = version != NULL ? copy("ORTI") : NULL;
	return orti;
}

struct pt_orti_type *pt_orti_add_type(struct pt_orti *orti, const char *name, const char *display)
{
	struct pt_orti_type *type;

	orti->type = grown(orti->type, orti->n_types, sizeof(*type));
	type = &orti->type[orti->n_types++];
	*type = (struct pt_orti_type){ .name = copy(name), .display = copy(display) };
	return type;
}

struct pt_orti_attr *pt_orti_add_attr(struct pt_orti_type *type, enum pt_orti_kind kind, const char *c_type,
				      const char *name, const char *display)
{
	struct pt_orti_attr *attr;

	type->attr = grown(type->attr, type->n_attrs, sizeof(*attr));
	attr = &type->attr[type->n_attrs++];
	*attr = (struct pt_orti_attr){
		.kind = kind, .name = copy(name), .c_type = copy(c_type), .display = copy(display),
	};
	return attr;
}

struct pt_orti_item *pt_orti_add_item(struct pt_orti_attr *attr, const char *text, const char *link, const char *value)
{
	struct pt_orti_item *item;

	attr->item = grown(attr->item, attr->n_items, sizeof(*item));
	item = &attr->item[attr->n_items++];
	*item = (struct pt_orti_item){ .text = copy(text), .link = copy(link), .value = copy(value) };
	return item;
}

struct pt_orti_object *pt_orti_add_object(struct pt_orti *orti, const char *type, const char *name)
{
	struct pt_orti_object *object;

	orti->object = grown(orti->object, orti->n_objects, sizeof(*object));
	object = &orti->object[orti->n_objects++];
	*object = (struct pt_orti_object){ .type = copy(type), .name = copy(name) };
	return object;
}

struct pt_orti_value *pt_orti_add_value(struct pt_orti_object *object, const char *attr, int index, const char *formula,
					bool quoted)
{
	struct pt_orti_value *value;

	object->value = grown(object->value, object->n_values, sizeof(*value));
	value = &object->value[object->n_values++];
	*value = (struct pt_orti_value){
		.attr = copy(attr), .formula = copy(formula), .index = index, .quoted = quoted,
	};
	return value;
}

void pt_orti_drop_items(struct pt_orti_attr *attr)
{
	for (size_t i = 0; i < attr->n_items; i++) {
		free(attr->item[i].text);
		free(attr->item[i].link);
		free(attr->item[i].value);
	}
	free(attr->item);
	attr->item = NULL;
	attr->n_items = 0;
}

void pt_orti_attr_fini(struct pt_orti_attr *attr)
{
	pt_orti_drop_items(attr);
	free(attr->name);
	free(attr->c_type);
	free(attr->display);
}

static void free_type(struct pt_orti_type *type)
{
	for (size_t i = 0; i < type->n_attrs; i++)
		pt_orti_attr_fini(&type->attr[i]);
	free(type->attr);
	free(type->name);
	free(type->display);
}

static void free_object(struct pt_orti_object *object)
{
	for (size_t i = 0; i < object->n_values; i++) {
		free(object->value[i].attr);
		free(object->value[i].formula);
	}
	free(object->value);
	free(object->type);
	free(object->name);
}

void pt_orti_free(struct pt_orti *orti)
{
	if (orti == NULL)
		return;
	for (size_t i = 0; i < orti->n_types; i++)
		free_type(&orti->type[i]);
	for (size_t i = 0; i < orti->n_objects; i++)
		free_object(&orti->object[i]);
	for (size_t i = 0; i < orti->n_warnings; i++)
		free(orti->warning[i].text);
	free(orti->type);
	free(orti->object);
	free(orti->warning);
	free(orti->name);
	free(orti->koil);
	free(orti->semantics);
	free(orti->version);
	free(orti);
}

const struct pt_orti_type *pt_orti_type_of(const struct pt_orti *orti, const char *type)
{
	for (size_t i = 0; i < orti->n_types; i++)
		if (same(orti->type[i].name, type))
			return &orti->type[i];
	return NULL;
}

/* A type may be declared in several pieces. */
const struct pt_orti_attr *pt_orti_attr_of(const struct pt_orti *orti, const char *type, const char *attr)
{
	for (size_t i = 0; i < orti->n_types; i++)
		for (size_t k = 0; same(orti->type[i].name, type) && k < orti->type[i].n_attrs; k++)
			if (same(orti->type[i].attr[k].name, attr))
				return &orti->type[i].attr[k];
	return NULL;
}

const struct pt_orti_object *pt_orti_object_of(const struct pt_orti *orti, const char *type, const char *name)
{
	for (size_t i = 0; i < orti->n_objects; i++)
		if ((type == NULL || same(orti->object[i].type, type)) && same(orti->object[i].name, name))
			return &orti->object[i];
	return NULL;
}

const struct pt_orti_value *pt_orti_value_of(const struct pt_orti_object *object, const char *attr, int index)
{
	for (size_t i = 0; i < object->n_values; i++)
		if (same(object->value[i].attr, attr) && object->value[i].index == index)
			return &object->value[i];
	return NULL;
}
