/* Counters of a board since the daemon began: sums over its profiles, which never fall, whatever profiles start, are reset
 * or end. Pure. */
#ifndef PT_WEB_TOTALS_H
#define PT_WEB_TOTALS_H

#include "web/snapshot.h"

enum pt_web_state { PT_WEB_OBSERVED, PT_WEB_UNOBSERVED, PT_WEB_LOST, PT_WEB_UNDIVIDED, PT_WEB_N_STATES };

struct pt_web_source_total {
	char name[24];			/* the last slot sums up those beyond the others: "(other)" */
	uint64_t ns[PT_WEB_N_STATES];	/* UNDIVIDED: observed or unobserved, it is not known how much of each */
	uint64_t bytes;			/* of trace */
};

struct pt_web_totals {
	struct pt_web_source_total source[PT_WEB_SOURCES + 1];
	size_t n_sources;
	uint64_t lost_bytes[PT_N_LOSSES], faults[PT_N_LOSSES], unsized[PT_N_LOSSES];
	uint64_t number;		/* of the profile that seen is of */
	struct pt_web_snapshot seen;	/* what of it is in the sums */
};

/* The next snapshot of a profile: number as pt_session_number() had it. */
void pt_web_totals_add(struct pt_web_totals *totals, uint64_t number, const struct pt_web_snapshot *snapshot);

#endif
