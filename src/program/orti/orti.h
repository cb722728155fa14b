/* ORTI: the file in which an OSEK/AUTOSAR system says to debuggers what its variables mean. Parsed with everything
 * that generators are known to get wrong; what cannot be read is skipped with a warning and a line number, the rest
 * counts. Written, too: for corrected files and for systems that have none (rtos.h). Bounded: a file of
 * PT_ORTI_MAX_BYTES.
 *
 * Source: OSEK/VDX ORTI 2.1 and 2.2, as generators write it. */
#ifndef PT_PROGRAM_ORTI_H
#define PT_PROGRAM_ORTI_H

#include "program/expr/expr.h"
#include "program/orti/tasks.h"

enum { PT_ORTI_MAX_BYTES = 4 << 20, PT_ORTI_MAX_WARNINGS = 50 };

enum pt_orti_kind { PT_ORTI_CTYPE, PT_ORTI_ENUM, PT_ORTI_STRING };

struct pt_orti_item { char *text, *link, *value; };	/* link: an object, or NULL; value: a formula or a number */

struct pt_orti_attr {		/* what a type of object has */
	enum pt_orti_kind kind;
	char *name, *c_type, *display;	/* c_type, display: NULL without one */
	bool to_trace, array;
	struct pt_orti_item *item;	/* ENUM */
	size_t n_items;
};

struct pt_orti_type { char *name, *display; struct pt_orti_attr *attr; size_t n_attrs; };

struct pt_orti_value {		/* what an object says of an attribute */
	char *attr, *formula;
	int index;			/* of an array; -1: without one */
	bool quoted;
	unsigned line;
};

struct pt_orti_object { char *type, *name; struct pt_orti_value *value; size_t n_values; unsigned line; };

struct pt_orti_warning { unsigned line; char *text; };

struct pt_orti {
	char *name;			/* of the implementation */
	char *koil, *semantics, *version;	/* "2.1"; "ORTI", "2.2"; NULL: not told */
	struct pt_orti_type *type;
	struct pt_orti_object *object;
	struct pt_orti_warning *warning;	/* in order of lines; the first PT_ORTI_MAX_WARNINGS */
	size_t n_types, n_objects, n_warnings, n_more_warnings;
};

/* NULL: PT_EARG, nothing in it is ORTI, or it is too large; PT_ENOMEM. */
struct pt_orti *pt_orti_parse(const char *text, size_t len_bytes, struct pt_err *err);
void pt_orti_free(struct pt_orti *orti);	/* NULL is fine */
/* As a file, for free(); parses back to the same. NULL: no memory. */
char *pt_orti_write(const struct pt_orti *orti);

const struct pt_orti_type *pt_orti_type_of(const struct pt_orti *orti, const char *type);
const struct pt_orti_attr *pt_orti_attr_of(const struct pt_orti *orti, const char *type, const char *attr);
/* type NULL: any. */
const struct pt_orti_object *pt_orti_object_of(const struct pt_orti *orti, const char *type, const char *name);
const struct pt_orti_value *pt_orti_value_of(const struct pt_orti_object *object, const char *attr, int index);

/* Building one. Strings are copied. Pointers are good until the next call of the same kind. */
struct pt_orti *pt_orti_new(const char *name, const char *version);
struct pt_orti_type *pt_orti_add_type(struct pt_orti *orti, const char *name, const char *display);
struct pt_orti_attr *pt_orti_add_attr(struct pt_orti_type *type, enum pt_orti_kind kind, const char *c_type,
				      const char *name, const char *display);
struct pt_orti_item *pt_orti_add_item(struct pt_orti_attr *attr, const char *text, const char *link, const char *value);
struct pt_orti_object *pt_orti_add_object(struct pt_orti *orti, const char *type, const char *name);
struct pt_orti_value *pt_orti_add_value(struct pt_orti_object *object, const char *attr, int index, const char *formula,
					bool quoted);

/* An attribute of an object as it is at the moment. */
struct pt_orti_result {
	bool available;			/* else text says why not */
	char text[200];			/* an ENUM's text, a STRING, a number */
	struct pt_c_value value;		/* not for STRING */
	const struct pt_orti_item *item;	/* ENUM: the first that matches, or NULL */
	const struct pt_orti_object *link;	/* where the item leads, or NULL */
};

void pt_orti_evaluate(const struct pt_orti *orti, const struct pt_orti_object *object,
		      const struct pt_orti_value *value, struct pt_types *types, const struct pt_reader *reader,
		      struct pt_orti_result *result);

/* What can be seen of the OS while the program runs: RUNNINGTASK, RUNNINGISR2 and SERVICETRACE of each core,
 * then STATE of tasks. reader
 * may be NULL: addresses and constants need none. say() gets a sentence for each attribute that cannot be traced, and
 * for what looks odd; NULL: nobody asks. Returns NULL with PT_EARG if there is no OS object or nothing to trace in it:
 * the sentence of the first reason. */
typedef void pt_orti_say(void *arg, const char *sentence);
struct pt_task_maps *pt_orti_task_maps(const struct pt_orti *orti, struct pt_types *types,
				       const struct pt_reader *reader, pt_orti_say *say, void *arg, struct pt_err *err);

/* What the trace needs of it as one setting, "orti=..." on one line, for free(): a pipeline takes it, and a capture
 * keeps it. *without_states: there was no room for the states of tasks. NULL: PT_EARG, it is too long for that; PT_ENOMEM. */
char *pt_orti_word(const struct pt_orti *orti, bool *without_states, struct pt_err *err);

/* Is the running task's id behind a pointer, so that no data trace shows it ("pActiveTCB->ID")? */
bool pt_orti_needs_fix(const struct pt_orti *orti, struct pt_types *types);
/* The file with RUNNINGTASK on the pointer itself, marked TOTRACE, its values the addresses of the TCBs: each variable
 * that can be one is asked for its id, so the core must be halted and the OS initialised. say() gets what could not be
 * told; reads are of up to 64 bytes. NULL: PT_EARG, it cannot be done; the sentence says why. */
struct pt_orti *pt_orti_fix(const struct pt_orti *orti, struct pt_types *types, const struct pt_reader *reader,
			    pt_orti_say *say, void *arg, struct pt_err *err);

#endif
