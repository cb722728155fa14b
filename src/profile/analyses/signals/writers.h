/* Which instructions wrote a variable, and how often: by the pc that a source reports beside the value. Bounded: PT_WRITERS
 * instructions for each variable; what others wrote is counted together. Pure. */
#ifndef PT_PROFILE_WRITERS_H
#define PT_PROFILE_WRITERS_H

#include <stddef.h>
#include <stdint.h>

enum { PT_WRITERS = 16 };

struct pt_writer {
	uint16_t variable;	/* index of its definition */
	uint64_t pc;		/* PT_UNKNOWN: of those that found no place, or whose pc did not come */
	uint64_t count;
};

struct pt_writers {		/* of one variable; all zero: none yet */
	struct pt_writer writer[PT_WRITERS + 1];	/* the last: all others */
	size_t n;		/* without the last */
};

void pt_writers_take(struct pt_writers *writers, uint16_t variable, uint64_t pc);
/* Into out, which has room for PT_WRITERS + 1; how many: none while no pc came. */
size_t pt_writers_give(const struct pt_writers *writers, struct pt_writer *out);

#endif
