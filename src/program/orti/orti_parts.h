/* What the files of orti.h share among themselves. */
#ifndef PT_PROGRAM_ORTI_PARTS_H
#define PT_PROGRAM_ORTI_PARTS_H

#include "program/orti/orti.h"

/* orti.c: the strings and entries of an attribute; those of its ENUM alone. */
void pt_orti_attr_fini(struct pt_orti_attr *attr);
void pt_orti_drop_items(struct pt_orti_attr *attr);

/* A formula's number, converted to a C type. */
struct pt_orti_number {
	struct pt_c_value value;		/* loaded */
	bool function;			/* the address of code: bit 0 does not count */
};

/* c_type NULL, or unknown: the formula's own type. Errors as pt_expr_parse() and pt_expr_evaluate(). */
int pt_orti_number_of(struct pt_types *types, const struct pt_reader *reader, const char *formula, const char *c_type,
		      struct pt_orti_number *number, struct pt_err *err);
/* The type that a C type's text names; NULL: none. */
const struct pt_type *pt_orti_c_type(struct pt_types *types, const char *c_type);
/* The numbers of all entries of an ENUM, for free(); value.type is NULL where there is none. */
struct pt_orti_number *pt_orti_numbers(const struct pt_orti_attr *attr, struct pt_types *types,
				       const struct pt_reader *reader);
/* The first entry of an ENUM that number is; NULL: none. */
const struct pt_orti_item *pt_orti_match(const struct pt_orti_attr *attr, const struct pt_orti_number *entries,
					 const struct pt_orti_number *number);
/* Does the entry stand for "no task", "no ISR"? */
bool pt_orti_is_none(const struct pt_orti *orti, const struct pt_orti_item *item, uint64_t value, unsigned value_bytes);

#endif
