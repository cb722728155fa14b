/* Where a C++ exception lands: the landing pads, by the call that threw. An unwinder leaves any number of functions at
 * once and continues at the landing pad of a call that is still open. The call site identifies the invocation, even if
 * the function is on the stack several times. Read from the tables of the program's own unwinder: .ARM.exidx and
 * .ARM.extab (Arm IHI 0038, "Exception Handling ABI", 5 to 7), and the call-site tables of __gxx_personality_v0 in
 * them. */
#ifndef PT_PROGRAM_LANDINGS_H
#define PT_PROGRAM_LANDINGS_H

#include "program/code/codemap.h"

struct pt_landing {		/* an exception thrown by a call in [from, to) continues at pad */
	uint64_t pad, from, to;
};

/* For codemap.c: fills the landings, sorted by pad. None if there are no readable tables. */
void pt_codemap_find_landings(struct pt_codemap *map);
/* True: the call before address resume has its landing pad at pad. */
bool pt_codemap_lands(const struct pt_codemap *map, uint64_t pad, uint64_t resume);
bool pt_codemap_is_landing(const struct pt_codemap *map, uint64_t pad);	/* pad of any call */

#endif
