/* An ORTI file as one setting: what the trace needs of it, on one line, so that a profile and its capture carry it. */
#define _GNU_SOURCE	/* asprintf */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program/orti/orti.h"
#include "base/util.h"

/* A capture has 16 KiB for all settings. */
enum { MOST_WORD_BYTES = 10 << 10, MOST_TASKS = 1024 };

static const char *const kept[] = { "RUNNINGTASK", "RUNNINGISR2", "SERVICETRACE", "vs_SERVICETRACE" };

static bool is_kept(const char *attr)
{
	for (size_t i = 0; i < PT_LEN(kept); i++)
		if (strcmp(attr, kept[i]) == 0)
			return true;
	return false;
}

static void copy_attr(struct pt_orti_type *type, const struct pt_orti_attr *from)
{
	struct pt_orti_attr *attr = pt_orti_add_attr(type, from->kind, from->c_type, from->name, NULL);

	attr->to_trace = from->to_trace;
	attr->array = from->array;
	for (size_t i = 0; i < from->n_items; i++)
		pt_orti_add_item(attr, from->item[i].text, NULL, from->item[i].value);
}

static void copy_types(struct pt_orti *to, const struct pt_orti *from, bool states)
{
	const struct pt_orti_attr *state = pt_orti_attr_of(from, "TASK", "STATE");
	struct pt_orti_type *type = pt_orti_add_type(to, "OS", NULL);

	for (size_t i = 0; i < PT_LEN(kept); i++) {
		const struct pt_orti_attr *attr = pt_orti_attr_of(from, "OS", kept[i]);

		if (attr != NULL)
			copy_attr(type, attr);
	}
	if (states && state != NULL)
		copy_attr(pt_orti_add_type(to, "TASK", NULL), state);
}

static void copy_task(struct pt_orti *to, const struct pt_orti_object *from, bool states)
{
	struct pt_orti_object *object = pt_orti_add_object(to, from->type, from->name);
	const struct pt_orti_value *state = pt_orti_value_of(from, "STATE", -1);

	if (states && state != NULL)
		pt_orti_add_value(object, state->attr, state->index, state->formula, state->quoted);
}

static void copy_os(struct pt_orti *to, const struct pt_orti_object *from)
{
	struct pt_orti_object *object = pt_orti_add_object(to, from->type, from->name);

	for (size_t i = 0; i < from->n_values; i++) {
		const struct pt_orti_value *value = &from->value[i];

		if (is_kept(value->attr))
			pt_orti_add_value(object, value->attr, value->index, value->formula, value->quoted);
	}
}

/* Names of tasks and ISRs count: an entry of that name is no "no task". */
static void copy_objects(struct pt_orti *to, const struct pt_orti *from, bool states)
{
	for (size_t i = 0; i < from->n_objects && to->n_objects < MOST_TASKS; i++) {
		const struct pt_orti_object *object = &from->object[i];

		if (strcmp(object->type, "OS") == 0)
			copy_os(to, object);
		else if (strcmp(object->type, "TASK") == 0)
			copy_task(to, object, states);
		else if (strcmp(object->type, "vs_ISR") == 0)
			pt_orti_add_object(to, object->type, object->name);
	}
}

/* The writer has no line ends in strings: what stands around them is layout. */
static void to_one_line(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++) {
		bool ends = *from == '\n';

		*to++ = ends ? ' ' : *from;
		if (ends)
			from += strspn(from + 1, " \n");
	}
	*to = '\0';
}

static char *one_line(const struct pt_orti *orti, bool states)
{
	struct pt_orti *less = pt_orti_new(orti->name != NULL ? orti->name : "OS", NULL);
	char *text;

	copy_types(less, orti, states);
	copy_objects(less, orti, states);
	text = pt_orti_write(less);
	pt_orti_free(less);
	if (text != NULL)
		to_one_line(text);
	return text;
}

char *pt_orti_word(const struct pt_orti *orti, bool *without_states, struct pt_err *err)
{
	char *text = one_line(orti, true), *word = NULL;

	*without_states = text != NULL && strlen(text) > MOST_WORD_BYTES;
	if (*without_states) {
		free(text);
		text = one_line(orti, false);
	}
	if (text == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory");
		return NULL;
	}
	if (strlen(text) > MOST_WORD_BYTES)
		pt_fail(err, PT_EARG, "the ORTI file has more tasks and services than a profile takes");
	else if (asprintf(&word, "orti=%s", text) < 0)
		word = NULL;
	free(text);
	return word;
}
