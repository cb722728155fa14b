/* The object model of an ORTI file: arrays of plain structs that own their strings. */
#include "program/orti/orti_parts.h"

#include <stdlib.h>
#include <string.h>

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

/* Room for one more item behind n of them, in powers of two; NULL: no memory. */
static void *grown(void *array, size_t n, size_t size)
{
	if (n > 0 && (n & (n - 1)) != 0)
		return array;
	return realloc(array, (n > 0 ? 2 * n : 1) * size);
}

static bool copy(char **to, const char *text)
{
	*to = text != NULL ? strdup(text) : NULL;
	return text == NULL || *to != NULL;
}

struct pt_orti *pt_orti_new(const char *name, const char *version)
{
	struct pt_orti *orti = calloc(1, sizeof(*orti));

	if (orti == NULL)
		return NULL;
	if (!copy(&orti->name, name) || (version != NULL && (!copy(&orti->koil, version) ||
	    !copy(&orti->semantics, "ORTI") || !copy(&orti->version, version)))) {
		pt_orti_free(orti);
		return NULL;
	}
	return orti;
}

struct pt_orti_type *pt_orti_add_type(struct pt_orti *orti, const char *name, const char *display)
{
	struct pt_orti_type *all = grown(orti->type, orti->n_types, sizeof(*all)), *type;

	if (all == NULL)
		return NULL;
	orti->type = all;
	type = &all[orti->n_types++];
	*type = (struct pt_orti_type){ 0 };
	return copy(&type->name, name) && copy(&type->display, display) ? type : NULL;
}

struct pt_orti_attr *pt_orti_add_attr(struct pt_orti_type *type, enum pt_orti_kind kind, const char *c_type,
				      const char *name, const char *display)
{
	struct pt_orti_attr *all = grown(type->attr, type->n_attrs, sizeof(*all)), *attr;

	if (all == NULL)
		return NULL;
	type->attr = all;
	attr = &all[type->n_attrs++];
	*attr = (struct pt_orti_attr){ .kind = kind };
	return copy(&attr->name, name) && copy(&attr->c_type, c_type) && copy(&attr->display, display) ? attr : NULL;
}

struct pt_orti_item *pt_orti_add_item(struct pt_orti_attr *attr, const char *text, const char *link, const char *value)
{
	struct pt_orti_item *all = grown(attr->item, attr->n_items, sizeof(*all)), *item;

	if (all == NULL)
		return NULL;
	attr->item = all;
	item = &all[attr->n_items++];
	*item = (struct pt_orti_item){ 0 };
	return copy(&item->text, text) && copy(&item->link, link) && copy(&item->value, value) ? item : NULL;
}

struct pt_orti_object *pt_orti_add_object(struct pt_orti *orti, const char *type, const char *name)
{
	struct pt_orti_object *all = grown(orti->object, orti->n_objects, sizeof(*all)), *object;

	if (all == NULL)
		return NULL;
	orti->object = all;
	object = &all[orti->n_objects++];
	*object = (struct pt_orti_object){ 0 };
	return copy(&object->type, type) && copy(&object->name, name) ? object : NULL;
}

struct pt_orti_value *pt_orti_add_value(struct pt_orti_object *object, const char *attr, int index, const char *formula,
					bool quoted)
{
	struct pt_orti_value *all = grown(object->value, object->n_values, sizeof(*all)), *value;

	if (all == NULL)
		return NULL;
	object->value = all;
	value = &all[object->n_values++];
	*value = (struct pt_orti_value){ .index = index, .quoted = quoted };
	return copy(&value->attr, attr) && copy(&value->formula, formula) ? value : NULL;
}

/* A string is missing where memory ran out: free(NULL) is fine. */
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
