/* Where a trace buffer may be placed: the chip's RAM without everything that the program uses. Pure. */
#ifndef PT_FREERAM_H
#define PT_FREERAM_H

#include <stddef.h>
#include <stdint.h>

#include "program/model/program.h"
#include "targets/contract/target.h"

enum { PT_FREE_RAM_SPANS = 16 };

struct pt_free_ram {
	struct pt_span span[PT_FREE_RAM_SPANS];	/* largest first */
	size_t n_spans;
	const char *why;	/* a sentence when n_spans is 0, else NULL */
};

/* RAM regions without the segments of program and without the span that its stack may use. Without a program, or if its
 * stack is unknown, nothing is free: proftap does not guess. */
void pt_free_ram(const struct pt_region *regions, size_t n_regions, const struct pt_program *program,
		 struct pt_free_ram *out);

#endif
