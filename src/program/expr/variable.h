/* A variable that an analysis follows, named by a C expression: "g_state", "motor.mode", "tab[3]", "main.c:state".
 * Resolved once, then plain data that needs neither program nor DWARF. */
#ifndef PT_PROGRAM_VARIABLE_H
#define PT_PROGRAM_VARIABLE_H

#include "program/dwarf/types.h"

enum pt_variable_kind {
	PT_VARIABLE_UNSIGNED, PT_VARIABLE_SIGNED, PT_VARIABLE_BOOL, PT_VARIABLE_CHAR, PT_VARIABLE_FLOAT,
	PT_VARIABLE_ENUM, PT_VARIABLE_POINTER,
};

struct pt_variable {
	char *name;			/* as it was asked for */
	uint64_t addr;			/* of the memory that holds it: what a data trace or a watch is set on */
	uint32_t size_bytes;		/* of that memory: 1, 2, 4 or 8 */
	enum pt_variable_kind kind;
	bool is_signed;			/* ENUM and CHAR, too */
	bool big_endian;		/* how memory holds it; a traced value is a number already */
	uint8_t first_bit, n_bits;	/* a bit-field inside that memory; n_bits 0: all of it */
	struct pt_enumerator *names;	/* ENUM: in the order of the source */
	size_t n_names;
};

/* Errors: PT_EARG no such variable, several are meant (the sentence has them), no scalar (a struct, an array: name a
 * member), not one place (a pointer or an index has to be followed: the sentence tells what to watch instead). */
int pt_variable_resolve(struct pt_program *program, const char *expression, struct pt_variable *var,
			struct pt_err *err);
/* The same for several variables of one program: its names are indexed once. */
int pt_variable_of(struct pt_types *types, const char *expression, struct pt_variable *var, struct pt_err *err);
/* Calls each with an expression for every scalar in a struct, a union or an array, also inside those that it has: "motor.mode",
 * "tab[2]"; bases of C++ classes by their members' names. Ends where each returns false. PT_EARG: it is none of these; an array
 * of unknown length has no elements. */
int pt_variable_each_part(struct pt_types *types, const char *expression, bool (*each)(void *arg, const char *part),
			  void *arg, struct pt_err *err);
void pt_variable_fini(struct pt_variable *var);

/* From a written value of size_bytes bytes, as a number, to the variable's: the bit-field cut out, sign-extended. */
int64_t pt_variable_number(const struct pt_variable *var, uint64_t raw);
double pt_variable_real(const struct pt_variable *var, uint64_t raw);	/* FLOAT: its value; others: the number */
/* From size_bytes bytes of memory to what the functions above take. */
uint64_t pt_variable_raw(const struct pt_variable *var, const uint8_t *bytes);
/* The enumerator's name, or NULL: no ENUM, or a value without a name. */
const char *pt_variable_name_of(const struct pt_variable *var, uint64_t raw);
/* For the user: "RUNNING", "-3", "true", "'a' (97)", "1.5", "0x20000010". */
void pt_variable_print(const struct pt_variable *var, uint64_t raw, char *text, size_t room);

#endif
