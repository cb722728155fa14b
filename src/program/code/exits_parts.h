/* Shared by the files of exits.h: exits_walk.c finds exits by analysis; exits.c has those of the user and the ELF, the
 * order and the names; exits_list.c needs none of this. */
#ifndef PT_PROGRAM_EXITS_PARTS_H
#define PT_PROGRAM_EXITS_PARTS_H

#include "program/code/exits.h"
#include "program/model/program_parts.h"
#include "base/util.h"

struct pt_exits {
	const struct pt_codemap *map;
	const struct pt_function *functions;
	size_t n_functions;		/* functions with an id */
	uint16_t *owner;		/* by id: for a cold part its function's id, else its own */
	struct pt_function_exit *list;	/* by function and address */
	size_t n, room;
	size_t *first;			/* by id: index in list; one more entry ends the last */
	struct pt_arena names;
};

/* id of the function at addr, for a cold part its function's; PT_NO_FUNCTION */
uint16_t pt_exits_owner_at(const struct pt_exits *exits, uint64_t addr);
bool pt_exits_is_instruction(const struct pt_exits *exits, uint64_t addr);
/* Appends one, unsorted; NULL: no memory. Valid until the next one. */
struct pt_function_exit *pt_exits_add(struct pt_exits *exits, uint16_t function, uint64_t addr, enum pt_exit_by by);
bool pt_exits_find(struct pt_exits *exits);	/* exits_walk.c: finds exits by analysis; false: no memory */

#endif
