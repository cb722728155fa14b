/* The inside of types.h, for types*.c: a type as it was read, the index of names, and where both keep their memory. */
#ifndef PT_PROGRAM_TYPES_PARTS_H
#define PT_PROGRAM_TYPES_PARTS_H

#include "program/dwarf/dies.h"
#include "program/dwarf/types.h"

enum {
	PT_TYPES_MAX_MEMORY_BYTES = 64 << 20,	/* of types, members, names made up */
	PT_TYPES_MAX_NAMES = 1 << 20,
	PT_TYPES_MAX_DEPTH = 32,		/* of aliases, of arrays, of scopes */
	PT_TYPES_MAX_ALIKE = 4096,		/* entries of one name that are looked at */
	PT_TYPES_MAX_STEPS = 32 << 20,		/* over entries of types and members: all that a file may cost */
	PT_TYPES_N_SIZES = 64,
	PT_TYPES_MAX_MEMBERS = 4096,		/* of one struct, or enumerators of one enum */
};

struct pt_type_full {
	struct pt_type type;			/* first: what is handed out is this */
	uint64_t key, target_key;		/* entries; 0: none */
	uint16_t tag;
	bool declaration, completing;
	bool has_members, has_enumerators;
	struct pt_type_full *target;		/* once known */
	struct pt_type_full *complete;		/* of a declaration */
	struct pt_type_full *unit_type;		/* of a declaration: the whole of it, in a type unit */
	struct pt_type_full *pointer;		/* to it */
	const struct pt_member *members;
	const struct pt_enumerator *enumerators;
	size_t n_members, n_enumerators;
};

enum pt_name_kind { PT_NAME_VARIABLE, PT_NAME_FUNCTION, PT_NAME_ENUMERATOR, PT_NAME_TYPE, PT_NAME_TAG };

struct pt_name {
	const char *name, *scope;	/* scope: "ns::Class", a function; NULL: none */
	uint32_t key, parent; /* parent: the enum of an enumerator, the declaration that a variable completes */
	uint32_t unit;
	uint8_t kind;
	bool in_function, declaration;
};

struct pt_symbol_place { uint64_t addr, size; const char *name; };

enum pt_builtin {
	PT_C_VOID, PT_C_BOOL, PT_C_CHAR, PT_C_SCHAR, PT_C_UCHAR, PT_C_SHORT, PT_C_USHORT, PT_C_INT, PT_C_UINT,
	PT_C_LONG, PT_C_ULONG, PT_C_LLONG, PT_C_ULLONG, PT_C_FLOAT, PT_C_DOUBLE, PT_C_FUNCTION, PT_C_N,
};

struct pt_types {
	struct pt_program *program;
	struct pt_dies *dies;
	struct pt_types_block *blocks;
	size_t used_bytes;
	bool big_endian, indexed, cut;	/* cut: there were more names than fit */
	unsigned address_bytes, depth, n_steps;
	unsigned n_likes;		/* how often a name like another was asked for */
	struct pt_name *names;		/* by name, then by key */
	size_t n_names, room_names;
	struct pt_type_full **by_key;	/* open addressing */
	size_t n_types, n_slots;
	struct pt_type_full builtin[PT_C_N];
	struct pt_type_full *by_size[PT_TYPES_N_SIZES];	/* of symbols without debug information */
	bool have_builtins;
	struct pt_symbol_place *places;	/* by address */
	size_t n_places;
	bool have_places;
};

/* types_memory.c: zeroed memory that lives as long as types; NULL: the bound is reached. */
void *pt_types_take(struct pt_types *types, size_t bytes);
void pt_types_free_taken(struct pt_types *types);

/* types_names.c: the index. */
void pt_types_index(struct pt_types *types);		/* does nothing the second time */
/* All entries of a name: the first, and how many. */
const struct pt_name *pt_types_names(struct pt_types *types, const char *name, size_t len, size_t *n);
/* Is it in that scope? "ns::name" may be meant by less of its scope; len 0: any. */
bool pt_name_in_scope(const struct pt_name *name, const char *scope, size_t len);
/* A name like this one, for a sentence; NULL: none. */
const char *pt_types_like(struct pt_types *types, const char *name, size_t len);

/* pt_die_next() with a bound on all of them together. */
bool pt_types_next(struct pt_types *types, struct pt_die *die, int *depth);

/* types_read.c: entries to types. */
struct pt_type_full *pt_types_of_key(struct pt_types *types, uint64_t key);	/* NULL: makes no sense */
struct pt_type_full *pt_types_of_symbol(struct pt_types *types, uint64_t size_bytes);	/* NULL: no room */
void pt_types_read_members(struct pt_types *types, struct pt_type_full *type);
void pt_types_read_enumerators(struct pt_types *types, struct pt_type_full *type);
struct pt_type_full *pt_types_target(struct pt_types *types, struct pt_type_full *type);

/* types.c */
struct pt_type_full *pt_types_builtin(struct pt_types *types, enum pt_builtin which);
struct pt_type_full *pt_types_full(struct pt_types *types, const struct pt_type *type);	/* NULL in: void */
/* Is there a symbol that begins at addr? */
const struct pt_symbol_place *pt_types_place(struct pt_types *types, uint64_t addr);

#endif
