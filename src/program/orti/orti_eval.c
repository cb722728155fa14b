/* Attributes as they are at the moment: formulas through expr.h, entries of an ENUM compared as its C type. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "program/orti/orti_parts.h"
#include "base/util.h"

enum { MAX_C_TYPE_BYTES = 128 };

const struct pt_type *pt_orti_c_type(struct pt_types *types, const char *c_type)
{
	char text[MAX_C_TYPE_BYTES + 8];
	struct pt_c_value value;
	struct pt_expr *expr;
	const struct pt_type *type = NULL;

	if (c_type == NULL || strlen(c_type) > MAX_C_TYPE_BYTES)
		return NULL;
	snprintf(text, sizeof(text), "(%s)0", c_type);
	expr = pt_expr_parse(types, text, NULL);
	if (expr != NULL && pt_expr_evaluate(expr, NULL, NULL, &value, NULL) == 0 && value.loaded)
		type = value.type;
	pt_expr_free(expr);
	return type;
}

static bool points_to_code(struct pt_types *types, const struct pt_type *type)
{
	type = pt_type_strip(types, type);
	return type->kind == PT_TYPE_POINTER &&
	       pt_type_strip(types, pt_type_target(types, type))->kind == PT_TYPE_FUNCTION;
}

/* An array stands for its address. */
static int need_number(struct pt_types *types, struct pt_c_value *v, struct pt_err *err)
{
	const struct pt_type *type = pt_type_strip(types, v->type);
	char name[80];

	if (v->loaded)
		return 0;
	if (type->kind == PT_TYPE_ARRAY && v->has_place)
		type = pt_types_pointer_to(types, pt_type_target(types, type));
	else
		type = NULL;
	if (type == NULL) {
		pt_type_print(types, v->type, name, sizeof(name));
		return pt_fail(err, PT_EARG, "%s is no single value", name);
	}
	*v = (struct pt_c_value){ .type = type, .loaded = true, .bits = v->addr };
	return 0;
}

int pt_orti_number_of(struct pt_types *types, const struct pt_reader *reader, const char *formula, const char *c_type,
		      struct pt_orti_number *number, struct pt_err *err)
{
	const struct pt_type *type = pt_orti_c_type(types, c_type);
	struct pt_expr *expr;
	struct pt_err why = { 0 };
	int rc;

	*number = (struct pt_orti_number){ 0 };
	expr = pt_expr_parse(types, formula, &why);
	rc = expr != NULL ? pt_expr_evaluate(expr, reader, type, &number->value, &why) : why.code;
	pt_expr_free(expr);
	if (rc == 0)
		rc = need_number(types, &number->value, &why);
	if (rc == 0) {
		number->function = points_to_code(types, number->value.type);
		if (type != NULL)
			rc = pt_c_value_convert(types, &number->value, type, &why);
	}
	return rc < 0 ? pt_fail(err, rc, "%s", why.msg) : 0;
}

static bool equal(const struct pt_orti_number *a, const struct pt_orti_number *b)
{
	uint64_t mask = a->function || b->function ? ~UINT64_C(1) : UINT64_MAX;

	return (a->value.bits & mask) == (b->value.bits & mask);
}

struct pt_orti_number *pt_orti_numbers(const struct pt_orti_attr *attr, struct pt_types *types,
				       const struct pt_reader *reader)
{
	struct pt_orti_number *entries = pt_alloc_array(attr->n_items + 1, sizeof(*entries));

	for (size_t i = 0; i < attr->n_items; i++)
		if (pt_orti_number_of(types, reader, attr->item[i].value, attr->c_type, &entries[i], NULL) < 0)
			entries[i].value.type = NULL;
	return entries;
}

const struct pt_orti_item *pt_orti_match(const struct pt_orti_attr *attr, const struct pt_orti_number *entries,
					 const struct pt_orti_number *number)
{
	for (size_t i = 0; i < attr->n_items; i++)
		if (entries[i].value.type != NULL && equal(number, &entries[i]))
			return &attr->item[i];
	return NULL;
}

/* "NO_TASK", "no task" and "NoTask" are one word. */
static void normalise(const char *text, char *word, size_t room)
{
	size_t n = 0;

	for (; *text != '\0' && n + 1 < room; text++)
		if (isalnum((unsigned char)*text))
			word[n++] = (char)tolower((unsigned char)*text);
	word[n] = '\0';
}

bool pt_orti_is_none(const struct pt_orti *orti, const struct pt_orti_item *item, uint64_t value, unsigned value_bytes)
{
	static const char *const words[] = {
		"notask", "none", "norunningtask", "notaskrunning", "noisr", "noisr2", "norunningisr2", "norunningisr",
		"invalidtask", "noservice", "idle", "no", "x",
	};
	uint64_t mask = value_bytes > 0 && value_bytes < 8 ? (UINT64_C(1) << 8 * value_bytes) - 1 : UINT64_MAX;
	bool none = (value & mask) == mask;	/* -1, 0xffff: what nearly all of them take */
	char word[32];

	normalise(item->text, word, sizeof(word));
	for (size_t i = 0; !none && i < PT_LEN(words); i++)
		none = strcmp(word, words[i]) == 0;
	return none && pt_orti_object_of(orti, "TASK", item->text) == NULL &&
	       pt_orti_object_of(orti, "vs_ISR", item->text) == NULL;
}

static void evaluate_enum(const struct pt_orti *orti, const struct pt_orti_attr *attr, struct pt_types *types,
			  const struct pt_reader *reader, const struct pt_orti_number *number, struct pt_orti_result *r)
{
	struct pt_orti_number *entries = pt_orti_numbers(attr, types, reader);

	r->item = pt_orti_match(attr, entries, number);
	free(entries);
	if (r->item == NULL)
		return;
	snprintf(r->text, sizeof(r->text), "%s", r->item->text);
	if (r->item->link != NULL)
		r->link = pt_orti_object_of(orti, attr->name, r->item->link);
	if (r->item->link != NULL && r->link == NULL)
		r->link = pt_orti_object_of(orti, NULL, r->item->link);
}

void pt_orti_evaluate(const struct pt_orti *orti, const struct pt_orti_object *object,
		      const struct pt_orti_value *value, struct pt_types *types, const struct pt_reader *reader,
		      struct pt_orti_result *r)
{
	const struct pt_orti_attr *attr = pt_orti_attr_of(orti, object->type, value->attr);
	struct pt_orti_number number;
	struct pt_err why = { 0 };

	*r = (struct pt_orti_result){ .available = true };
	if (attr != NULL && attr->kind == PT_ORTI_STRING) {
		snprintf(r->text, sizeof(r->text), "%s", value->formula);
		return;
	}
	if (pt_orti_number_of(types, reader, value->formula, attr != NULL ? attr->c_type : NULL, &number, &why) < 0) {
		r->available = false;
		snprintf(r->text, sizeof(r->text), "not available: %.180s", why.msg);
		return;
	}
	r->value = number.value;
	pt_c_value_print(types, &number.value, false, r->text, sizeof(r->text));
	if (attr != NULL && attr->kind == PT_ORTI_ENUM)
		evaluate_enum(orti, attr, types, reader, &number, r);
}
