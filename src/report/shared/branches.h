/* The branch history as text for people: the calls, indented, or the chain of calls that led to the present pc. A
 * debugger that cannot distinguish calls from jumps on this instruction set shows neither. */
#ifndef PT_REPORT_BRANCHES_H
#define PT_REPORT_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct pt_profile;

/* The error for a user who asks for a history if none is kept. */
#define PT_BRANCHES_NONE \
	"no branch history is kept: record btrace bts, or monitor profile start mode=ring, then continue up to a halt"

enum pt_branches { PT_BRANCHES_CALLS, PT_BRANCHES_BACK };

/* core: as in pt_history_of(); top: at most the last top lines; 0: all. PT_ESTATE: no branch history is kept for that
 * core. */
int pt_branches_write(const struct pt_profile *profile, enum pt_branches how, uint16_t core, size_t top,
		      struct pt_text *out, struct pt_err *err);

#endif
