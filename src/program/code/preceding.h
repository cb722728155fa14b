/* Which instructions may be executed right before the one at an address: the one in front of it, jumps and calls that
 * lead there, and behind a call the returns of what is called. A debugger's halt is taken between two instructions, so the
 * pc of a halted core is that of the instruction that comes next, and the time is that of one of these.
 * Not among them: what an exception interrupted, and its return to there. Of a program that cannot be walked (pt_isa_none)
 * nothing is known. Pure; one thread at a time. */
#ifndef PT_PROGRAM_PRECEDING_H
#define PT_PROGRAM_PRECEDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_codemap;
struct pt_preceding;

struct pt_preceding *pt_preceding_new(const struct pt_codemap *map);	/* NULL: the program cannot be walked */
void pt_preceding_free(struct pt_preceding *preceding);

/* besides those that are listed: */
enum { PT_PRECEDED_BY_POINTER = 1,	/* any that jumps or calls to where a register says */
       PT_PRECEDED_BY_RETURN = 2 };	/* any that returns */
typedef void (*pt_preceding_at)(void *arg, uint64_t address);
unsigned pt_preceding_of(struct pt_preceding *preceding, uint64_t address, pt_preceding_at at, void *arg);
/* Calls at() with all of a kind; kind: one of the above. */
void pt_preceding_all(const struct pt_preceding *preceding, unsigned kind, pt_preceding_at at, void *arg);

#endif
