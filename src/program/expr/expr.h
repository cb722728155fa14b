/* C expressions without side effects over the variables of a program: what ORTI files are made of, and how users name
 * what they want to see. Parsed once, evaluated as often as one likes; memory is read through a callback, so the same
 * expression works on a halted board, on a dump and in a test.
 *
 * Taken: ?: || && | ^ & == != < > <= >= << >> + - * / % unary - + ! ~ * & casts, [ ] . -> ( ) sizeof, integers,
 * characters, floats, variables, functions, enumerators; "file.c:name", "ns::name". ?:, && and || evaluate only what C
 * would, so a guard protects what is behind it. The type of ?: is that of the branch that was taken. An index outside
 * an array of known length, a null pointer that was read from memory and a division by 0 are "not available".
 *
 * Source: OSEK/VDX ORTI 2.2 (formulas); ISO C11, 6.3, 6.5. */
#ifndef PT_PROGRAM_EXPR_H
#define PT_PROGRAM_EXPR_H

#include "program/dwarf/types.h"

enum { PT_EXPR_MAX_BYTES = 4096, PT_EXPR_MAX_NODES = 512, PT_EXPR_MAX_DEPTH = 48 };

/* Target memory, as it is at the moment. n_bytes is 1 to 8 for values, more only where a caller
 * says so; err may be NULL. */
struct pt_reader {
	int (*read)(void *arg, uint64_t addr, void *bytes, size_t n_bytes, struct pt_err *err);
	void *arg;
};

struct pt_c_value {
	const struct pt_type *type;	/* as written: typedefs are kept for the user's eyes */
	bool has_place;			/* it lies in memory, at addr */
	bool loaded;			/* bits or real are its value; structs and arrays never are */
	uint64_t addr;
	uint8_t first_bit, n_bits, unit_bytes;	/* a bit-field in memory; n_bits 0: none */
	uint64_t bits;			/* extended to 64 bits by the sign of its type */
	double real;			/* FLOAT */
};

struct pt_expr;		/* opaque; the caller's; uses types until it is freed, from types' thread */

/* PT_EARG: not an expression; the sentence says where. Unknown names are no error here: evaluation says so, and only
 * if it gets there. */
struct pt_expr *pt_expr_parse(struct pt_types *types, const char *text, struct pt_err *err);
void pt_expr_free(struct pt_expr *expr);	/* NULL is fine */
const char *pt_expr_text(const struct pt_expr *expr);

/* The value; scalars are loaded, of arrays and structs the place is told, a function is a pointer to it. hint: what a
 * symbol without debug information is taken for when it is all of the expression; NULL: an unsigned number of its
 * size. Errors: PT_EARG ("not available" in the words of the reason), or what the reader returned, with the address. */
int pt_expr_evaluate(const struct pt_expr *expr, const struct pt_reader *reader, const struct pt_type *hint,
		     struct pt_c_value *value, struct pt_err *err);

/* What is in the value's place, or its conversion to another scalar type as C does it. PT_EARG: impossible. */
int pt_c_value_load(struct pt_types *types, const struct pt_reader *reader, struct pt_c_value *value,
		    struct pt_err *err);
int pt_c_value_convert(struct pt_types *types, struct pt_c_value *value, const struct pt_type *to, struct pt_err *err);
/* An integer value of the target's int, or as large as it needs. */
struct pt_c_value pt_c_value_of(struct pt_types *types, int64_t number);
/* For the user: "RUNNING", "-3", "true", "'a' (97)", "1.5", "&tcb_idle", "0x20000010 <tab+4>", "UART0_Isr"; with hex
 * "0x1f". Cut to room. */
void pt_c_value_print(struct pt_types *types, const struct pt_c_value *value, bool hex, char *text, size_t room);

/* How to see an expression change while the program runs. */
enum pt_plan_kind {
	PT_PLAN_ONE, /* one variable at a constant address: leaf[0] is what to set a comparator on */
	PT_PLAN_LEAVES, /* several variables, or one that decides where to look: watch leaf[watch], evaluate again */
	PT_PLAN_POINTER, /* what is behind a pointer: the pointer's writes are seen (leaf[watch]), the value is not */
	PT_PLAN_CONSTANT, /* never changes, or nothing of it is in memory */
};

enum { PT_PLAN_MAX_LEAVES = 8, PT_PLAN_NAME_BYTES = 128 };

struct pt_plan_leaf {
	char name[PT_PLAN_NAME_BYTES];	/* an expression again */
	uint64_t addr;
	const struct pt_type *type;
	uint32_t size_bytes;
	unsigned index_depth;		/* it stands in so many nested [ ] */
	uint8_t first_bit, n_bits;
};

struct pt_plan {
	enum pt_plan_kind kind;
	struct pt_plan_leaf leaf[PT_PLAN_MAX_LEAVES];
	size_t n_leaves;
	size_t watch;			/* the innermost index variable, or the pointer */
	bool pure;			/* the leaves' values decide it: no other memory is looked at */
	uint32_t value_bytes;		/* ONE: so many low bytes count, because of a cast; 0: all */
	/* POINTER, if it is as simple as pActiveTCB->id: what is read behind the pointer */
	bool simple;
	uint64_t offset;		/* from what the pointer holds */
	const struct pt_type *behind;	/* type of what is read there */
	const struct pt_type *pointee;	/* what the pointer points to, casts included: struct task */
	char member[PT_PLAN_NAME_BYTES];	/* "id", "link.id"; "" for *p */
	char reason[480];		/* a sentence for all but ONE: why, and what to do */
};

void pt_expr_plan(const struct pt_expr *expr, struct pt_plan *plan);

#endif
