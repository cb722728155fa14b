/* The branch history as text for people: who called whom, indented, or how the core got to where it is. A debugger that
 * cannot tell calls from jumps on this instruction set shows neither. */
#ifndef PT_REPORT_BRANCHES_H
#define PT_REPORT_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"

struct pt_profile;

/* What a user reads who asks for a history that nothing keeps. */
#define PT_BRANCHES_NONE \
	"no branch history is kept: record btrace bts, or monitor profile start mode=ring, then continue up to a halt"

enum pt_branches { PT_BRANCHES_CALLS, PT_BRANCHES_BACK };

/* core: whose, as in pt_history_of(); top: lines at most, the last ones; 0: all. PT_ESTATE: no branch history is kept,
 * or none of that core. */
int pt_branches_write(const struct pt_profile *profile, enum pt_branches how, uint16_t core, size_t top,
		      struct pt_text *out, struct pt_err *err);

#endif
