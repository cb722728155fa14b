/* Variables and types of a program, from its DWARF as far as there is any, else plain symbols with their ELF size.
 * Read lazily: names are indexed when the first one is asked for, a type is read when it is first used, so a program
 * whose variables are not named takes no time.
 *
 * A struct pt_types belongs to its caller and is used from one thread at a time; several of one program do not touch
 * each other. It holds the program. What it hands out (types, names) lives as long as it does. Everything in the DWARF
 * is untrusted: depth, counts and memory are bounded, and what makes no sense is an error of that one name.
 *
 * Source: DWARF 4 and 5 (base types 7.8, members 5.7.6, enumerations 5.7, arrays 5.5); bit-fields of DWARF 2 to 5. */
#ifndef PT_PROGRAM_TYPES_H
#define PT_PROGRAM_TYPES_H

#include "program/model/program.h"

enum pt_type_kind {
	PT_TYPE_VOID, PT_TYPE_BOOL, PT_TYPE_CHAR, PT_TYPE_INT, PT_TYPE_FLOAT, PT_TYPE_ENUM, PT_TYPE_POINTER,
	PT_TYPE_ARRAY, PT_TYPE_STRUCT, PT_TYPE_UNION, PT_TYPE_FUNCTION,
	PT_TYPE_ALIAS,		/* typedef, const, volatile: pt_type_strip() leads to what it stands for */
	PT_TYPE_NONE,		/* a symbol without debug information: size_bytes of it, taken for an unsigned number
				 * where they are 1, 2, 4 or 8 */
};

struct pt_type {
	enum pt_type_kind kind;
	bool is_signed;		/* CHAR, INT, ENUM */
	const char *name;	/* "unsigned int", a tag or a typedef's name; NULL: it has none */
	uint64_t size_bytes;	/* 0: unknown, or incomplete */
	uint64_t n_elements;	/* ARRAY; 0: unknown (a flexible array, extern int tab[]) */
};

struct pt_enumerator { const char *name; int64_t value; };

struct pt_member {
	const char *name;	/* NULL: an anonymous struct or union, whose members count as the outer one's */
	const struct pt_type *type;
	uint64_t offset;	/* bytes; of a bit-field: of the storage unit that it is read with */
	uint8_t first_bit, n_bits;	/* bit-field: shift in that unit, read as a number; n_bits 0: no bit-field */
	uint8_t unit_bytes;	/* bit-field: 1, 2, 4 or 8 */
};

enum pt_entity_kind {
	PT_ENTITY_VARIABLE,
	PT_ENTITY_FUNCTION,
	PT_ENTITY_CONSTANT /* enumerators, const without a place */
};

struct pt_entity {
	enum pt_entity_kind kind;
	const char *name;
	const char *file;	/* of the unit that it is in, without its folder; NULL: unknown */
	const struct pt_type *type;
	uint64_t addr;		/* VARIABLE; FUNCTION: without Thumb bit */
	uint64_t value;		/* CONSTANT: bits, sign-extended */
};

struct pt_types;

/* program may be NULL: no names, only the types of C itself. */
struct pt_types *pt_types_new(struct pt_program *program);
void pt_types_free(struct pt_types *types);	/* NULL is fine */

bool pt_types_big_endian(const struct pt_types *types);
unsigned pt_types_address_bytes(const struct pt_types *types);
/* Is there any debug information on variables? False: only symbols are known. */
bool pt_types_has_dwarf(struct pt_types *types);

/* What a name means: "motor", "file.c:state" (also 'file.c'::state), "ns::value", "function::static_variable". A name
 * at file level hides those inside functions. Errors: PT_EARG, the sentence says "not found" (with a name that is
 * close), "several are meant" (with all that could be written instead), "optimised out", ... */
int pt_types_find(struct pt_types *types, const char *name, struct pt_entity *found, struct pt_err *err);

/* All variables that have an address and are of this type (the same entry, or one of the same name and size in another
 * unit) or arrays of it, by name. written: how an expression names it without doubt. each() returns false to end. */
void pt_types_each_of(struct pt_types *types, const struct pt_type *type,
		      bool (*each)(void *arg, const struct pt_entity *variable, const char *written), void *arg);

/* The type of a name in C: "unsigned char", "uint8_t", "struct motor", "enum state", a class; NULL: no such type. A
 * plain name is a typedef or a C++ class, or a tag when there is no such thing. */
const struct pt_type *pt_types_named(struct pt_types *types, const char *name);
/* The built-in integer of so many bytes (1, 2, 4, 8), or NULL. */
const struct pt_type *pt_types_integer(struct pt_types *types, unsigned size_bytes, bool is_signed);
const struct pt_type *pt_types_double(struct pt_types *types);
const struct pt_type *pt_types_pointer_to(struct pt_types *types, const struct pt_type *type);	/* NULL: no room */

/* The type behind typedefs, const and volatile; an incomplete struct of which there is a complete one somewhere leads
 * to that. Never NULL; PT_TYPE_VOID for what makes no sense. */
const struct pt_type *pt_type_strip(struct pt_types *types, const struct pt_type *type);
/* What a pointer points to, an array is made of, an enum is stored as, an alias stands for; VOID otherwise. */
const struct pt_type *pt_type_target(struct pt_types *types, const struct pt_type *type);
/* Members of a STRUCT or UNION, in order, bases of a C++ class first (without a name); NULL, 0: none. */
const struct pt_member *pt_type_members(struct pt_types *types, const struct pt_type *type, size_t *n);
/* One of them by name, also inside anonymous ones and bases: offset is from the outer beginning. */
bool pt_type_member(struct pt_types *types, const struct pt_type *type, const char *name, struct pt_member *member);
const struct pt_enumerator *pt_type_enumerators(struct pt_types *types, const struct pt_type *type, size_t *n);
/* "unsigned char *", "struct motor [4]": as C would have it, cut to room. */
void pt_type_print(struct pt_types *types, const struct pt_type *type, char *text, size_t room);

/* The variable or function that addr lies in, and how far inside; NULL: none. */
const char *pt_types_symbol_at(struct pt_types *types, uint64_t addr, uint64_t *offset);

#endif
