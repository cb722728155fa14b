/* Inline functions: whose source the code at an address was made from. A compiler puts the body of a function into
 * its caller, and DWARF says where; so one address can be in several functions at once, each called from a line of
 * the next, and the last of them is the one that has a symbol.
 *
 * Made at the first question, from the program's DWARF (4 and 5: DW_TAG_inlined_subroutine, its ranges, call site and
 * origin); constant afterwards, any thread. Untrusted as all of the ELF: calls, ranges and depth are bounded, what is
 * over a bound or makes no sense is left out, and pt_inlines_warning() says so. */
#ifndef PT_PROGRAM_INLINES_H
#define PT_PROGRAM_INLINES_H

#include "program/model/linetable.h"

enum { PT_NO_INLINE = 0, PT_INLINE_MAX_DEPTH = 64 };

struct pt_inline {		/* one inlined call: one body in one place */
	const char *name, *linkage;	/* of the function whose body it is; name is for display, "?" if it is not known */
	uint32_t parent;	/* the inlined call that it stands in, smaller than its own id; PT_NO_INLINE: the
				 * function's own code */
	uint32_t depth;		/* 1: stands in the function's own code */
	uint32_t call_file, call_line, call_column;	/* where it was called: in the parent. 0, PT_NO_FILE: unknown */
	uint32_t decl_file, decl_line;			/* where its function is declared */
};

/* From from on, up to to, code of the inlined call id: the innermost one there. */
struct pt_inline_range { uint64_t from, to; uint32_t id; };

struct pt_inlines;

/* program may be NULL, or without DWARF: no inlined calls. NULL: no memory. Holds the program. */
struct pt_inlines *pt_inlines_new(const struct pt_program *program);
void pt_inlines_free(struct pt_inlines *inlines);	/* NULL is fine */
const char *pt_inlines_warning(const struct pt_inlines *inlines);	/* NULL: all of it was read */

/* Calls by id: [0] is no call and all zero. */
const struct pt_inline *pt_inlines_calls(const struct pt_inlines *inlines, size_t *n);
/* By address, no two overlap, neighbours differ. Where none is, code is the function's own. */
const struct pt_inline_range *pt_inlines_ranges(const struct pt_inlines *inlines, size_t *n);
/* The innermost inlined call at addr, or PT_NO_INLINE. A binary search. */
uint32_t pt_inlines_at(const struct pt_inlines *inlines, uint64_t addr);
/* A file that a call names: those of the program by their index there, further ones behind them. NULL: PT_NO_FILE. */
const struct pt_source_file *pt_inlines_file(const struct pt_inlines *inlines, uint32_t file);

/* One level of what was going on at an address, as debuggers show it. */
struct pt_frame {
	const char *name, *linkage;
	const char *file;	/* path of the position; NULL: unknown */
	uint32_t line;		/* innermost: of the address; else: of the call into the frame before. 0: unknown */
	uint32_t start_line;	/* where the function begins; 0: unknown */
	/* of the inlined call; PT_NO_INLINE: the function that has the symbol, always the last */
	uint32_t id;
};

/* Innermost first, at most room of them; returns how many there are in all (0: addr is in no function). Never more than
 * PT_INLINE_MAX_DEPTH + 1. */
size_t pt_inlines_frames(const struct pt_inlines *inlines, uint64_t addr, struct pt_frame *frames, size_t room);

#endif
