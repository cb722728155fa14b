/* Where an exception of the language lands: the landing pads of C++, by the call that it came out of. An unwinder leaves
 * any number of functions at once and goes on at the landing pad of a call that is still open; which invocation that is
 * says the call site, even where the function is on the stack several times. From the tables that the program has for
 * its own unwinder: .ARM.exidx and .ARM.extab (Arm IHI 0038, "Exception Handling ABI", 5 to 7), and the call-site tables
 * of __gxx_personality_v0 in them. */
#ifndef PT_PROGRAM_LANDINGS_H
#define PT_PROGRAM_LANDINGS_H

#include "program/code/codemap.h"

struct pt_landing {		/* what is thrown out of a call in [from, to) goes on at pad */
	uint64_t pad, from, to;
};

/* For codemap.c: by pad. None, if there are no tables, or none that can be read. */
void pt_codemap_find_landings(struct pt_codemap *map);
/* Is there a call, in front of resume, whose landing pad is at pad? */
bool pt_codemap_lands(const struct pt_codemap *map, uint64_t pad, uint64_t resume);
bool pt_codemap_is_landing(const struct pt_codemap *map, uint64_t pad);	/* of any call */

#endif
