/* Which instructions may be executed right before the one at an address: the one before it, jumps and calls to it, and
 * after a call the returns of the called functions. A debugger halts between two instructions, so the pc of a halted
 * core is the next instruction's, and the time was spent in one of the preceding ones. Exceptions and their returns are
 * not included. Nothing is known for a program that cannot be decoded (pt_isa_none). Pure; one thread at a time. */
#ifndef PT_PROGRAM_PRECEDING_H
#define PT_PROGRAM_PRECEDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_codemap;
struct pt_preceding;

struct pt_preceding *pt_preceding_new(const struct pt_codemap *map);	/* NULL: the program cannot be decoded */
void pt_preceding_free(struct pt_preceding *preceding);

/* in addition to the listed ones: */
enum { PT_PRECEDED_BY_POINTER = 1,	/* any computed jump or call */
       PT_PRECEDED_BY_RETURN = 2 };	/* any return */
typedef void (*pt_preceding_at)(void *arg, uint64_t address);
unsigned pt_preceding_of(struct pt_preceding *preceding, uint64_t address, pt_preceding_at at, void *arg);
/* Calls at() with all of a kind; kind: one of the above. */
void pt_preceding_all(const struct pt_preceding *preceding, unsigned kind, pt_preceding_at at, void *arg);

#endif
