/* Where functions end: for entry/exit analysis, which must know every instruction that leaves a function.
 *
 * Found by analysis of the code map: returns, jumps to another function (tail calls), jumps into the middle of one
 * (tails that the linker or compiler merged), computed jumps as far as they can be resolved (a jump through a table
 * that stays inside is no exit), code that runs on into the next function. A compiler's cold part (NAME.cold) belongs
 * to its function: jumps between the two are no exits, and its exits are the function's. They are named NAME_EXIT_,
 * NAME_EXIT_2, NAME_EXIT_3, ... by address. Symbols of the ELF with such names are exits, with their names; a list by
 * hand replaces all that was found for its function.
 *
 * Constant once made; any thread. */
#ifndef PT_PROGRAM_EXITS_H
#define PT_PROGRAM_EXITS_H

#include "program/code/codemap.h"

enum pt_exit_by {
	PT_EXIT_BY_RETURN,	/* bx lr, pop {pc}, ... */
	PT_EXIT_BY_TAIL_CALL,	/* a jump to the first instruction of another function */
	PT_EXIT_BY_JUMP_INTO,	/* a jump into the middle of one, whose rest is shared, or to code of no function */
	PT_EXIT_BY_COMPUTED,	/* a jump to an address that only the running program knows */
	PT_EXIT_BY_FALLING,	/* the instruction before another function's first: execution continues there */
	PT_EXIT_BY_SYMBOL,	/* by a symbol of the ELF */
	PT_EXIT_BY_HAND,
	PT_EXIT_NEVER,		/* not an exit: the code ends here, in a call that does not return, or in a trap */
};

struct pt_function_exit {
	uint64_t addr;		/* of the instruction */
	uint64_t target;	/* TAIL_CALL, JUMP_INTO, FALLING: where it goes; else PT_UNKNOWN */
	const char *name;	/* "main_EXIT_"; of NEVER: NULL */
	uint16_t function;	/* id of the function that ends there */
	uint8_t by;		/* enum pt_exit_by */
	bool conditional;	/* it may also continue with the next instruction */
};

enum { PT_EXIT_NAME_BYTES = 256 };	/* longer function names are cut off in the names of their exits */

/* NAME_EXIT_ and NAME_EXIT_2, _3, ...: where a function ends, by hand. They are places in it. */
bool pt_is_exit_name(const char *name);

struct pt_exits;

/* by_hand: comma-separated "FUNCTION:PLACE+PLACE...", or NULL. FUNCTION as for pt_function_is(), which must match
 * exactly one; PLACE is the address of an instruction in it, or its offset from the function's start. NULL: by_hand is
 * invalid (PT_EARG, with a message), or no memory. map must outlive it. */
struct pt_exits *pt_exits_new(const struct pt_codemap *map, const char *by_hand, struct pt_err *err);
void pt_exits_free(struct pt_exits *exits);	/* NULL is fine */

/* The exits of the function with this id (for a cold part: its function's), by address, the NEVER ones last. *n = 0:
 * none, or no such id. */
const struct pt_function_exit *pt_exits_of(const struct pt_exits *exits, size_t id, size_t *n);

const struct pt_codemap *pt_exits_map(const struct pt_exits *exits);
/* The listing for the user, line by line: each exit with its address, name, disassembly (where built in) and how it was
 * found, or that the function never ends. */
void pt_exits_list(const struct pt_exits *exits, size_t id, void (*say)(void *arg, const char *line), void *arg);

#endif
