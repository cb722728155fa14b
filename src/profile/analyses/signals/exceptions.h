/* Exceptions as the chip reported them: entered, left, gone back to. A row for each exception of each core, which nests
 * as interrupts do; times are between the moments of the reports, in ns.
 *
 * An exit may be missing: what is gone back to has been reached, and what lay above has ended. Where the chip says that
 * reports were dropped, what is open ends as unknown, counts are at least those, and a length says no more than that the
 * longest is at least that long. A report of which only the order is known counts, and times nothing. */
#ifndef PT_PROFILE_EXCEPTIONS_H
#define PT_PROFILE_EXCEPTIONS_H

#include "base/nearest.h"
#include "profile/analyses/calls/spans.h"
#include "program/code/codemap.h"

struct pt_profile;

struct pt_exceptions {
	struct pt_spans spans;		/* in the order in which they were seen; id: number of the exception; core: observed in
					 * ns, without the times between a gap and the next report. The time before the
					 * first one is in it where it was the program's */
	uint64_t lost;			/* times that reports were dropped, or not seen */
	uint64_t late;			/* reports without a moment */
	bool silent;			/* of a source, reports may be missing without a sign of it */
};

/* Why reports may be missing, or have no time, between the first and the last moment that was recorded, as half a sentence;
 * NULL: none is. Another source that saw all says nothing of these. */
const char *pt_exceptions_missing(const struct pt_profile *p);

enum { PT_EXCEPTION_NUMBERS = 512, PT_EXCEPTION_NAME = 24 };

/* As rows are called: "SysTick". map: for its instruction set. */
void pt_exception_name(const struct pt_codemap *map, unsigned number, char name[PT_EXCEPTION_NAME]);
/* The number of the exception that is called so, or whose handler is, or that has this number. PT_EXCEPTION_NUMBERS: none,
 * and near was offered all names. */
unsigned pt_exception_find(const struct pt_program *program, const struct pt_codemap *map, const char *name,
			   struct pt_nearest *near);

#endif
