/* Exceptions as the chip reported them: entered, left, gone back to. A row for each exception of each core, which nests
 * as interrupts do; times are between the moments of the reports, in ns.
 *
 * An exit may be missing: what is gone back to has been reached, and what lay above has ended. Where the chip says that
 * reports were dropped, what is open ends as unknown, counts are at least those, and a length says no more than that the
 * longest is at least that long. A report of which only the order is known counts, and times nothing. */
#ifndef PT_PROFILE_EXCEPTIONS_H
#define PT_PROFILE_EXCEPTIONS_H

#include "profile/analyses/calls/spans.h"

struct pt_exceptions {
	struct pt_spans spans;		/* in the order in which they were seen; id: number of the exception; core: observed in
					 * ns, without the times between a gap and the next report */
	uint64_t lost;			/* times that reports were dropped, or not seen */
	uint64_t late;			/* reports without a moment */
};

#endif
