/* A moment on the probe's clock, which is the only clock that all sources of a session share. What a source stamps on
 * a clock of its own, or not at all, is known to some precision only, and says so. */
#ifndef PT_PROFILE_TIMESTAMP_H
#define PT_PROFILE_TIMESTAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"

struct pt_timestamp {
	uint64_t ns;		/* PT_UNKNOWN: not known */
	uint64_t error_ns;	/* the true one lies within ns +- error_ns, as far as sources promise */
};
#define PT_NO_BOUND_NS (UINT64_MAX / 4)	/* an error that is not known; two of them do not overflow */

/* The error to show people and programs: PT_UNKNOWN where the error or the moment is not known. */
static inline uint64_t pt_timestamp_error(struct pt_timestamp at)
{
	return at.ns != PT_UNKNOWN && at.error_ns < PT_NO_BOUND_NS ? at.error_ns : PT_UNKNOWN;
}

/* Whether a was before b, whatever the errors of both. Of two moments neither may be before the other. */
static inline bool pt_timestamp_before(struct pt_timestamp a, struct pt_timestamp b)
{
	return a.ns != PT_UNKNOWN && b.ns != PT_UNKNOWN && a.ns < b.ns && b.ns - a.ns > a.error_ns + b.error_ns;
}

#endif
