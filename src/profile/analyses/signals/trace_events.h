/* What the trace units of Arm's M profile reported (ITM, DWT), event by event, for a format that passes them on. A ring: the
 * last ones are there, how many there were is counted. */
#ifndef PT_PROFILE_TRACE_EVENTS_H
#define PT_PROFILE_TRACE_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

struct pt_trace_event {
	struct pt_event event;	/* SAMPLE, EXCEPTION, COUNTER, VALUE with its VALUE_PC in front of it, GAP */
	uint64_t at_ns;		/* of the probe's clock, or PT_UNKNOWN */
};

struct pt_trace_events {
	const struct pt_trace_event *ring;
	size_t room, first, n;	/* the oldest is ring[first % room]; n of them are there */
	uint64_t seen;		/* in all */
	uint16_t source;	/* of all of them: the first that has such a stream */
	uint64_t others;	/* events of other such sources, which are not there */
	uint64_t tick_hz;	/* of the events' ticks; 0: not known */
};

#endif
