/* Computes from the chunks alone, independently of the pipeline: the span of each source's account, and how long its
 * core may have run while nothing was recorded. The laws compare reports with this. Pure. */
#ifndef PT_REPORT_LAW_CLOCK_H
#define PT_REPORT_LAW_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/chunk.h"

enum { PT_LAW_SOURCES = 64 };

struct pt_law_source {
	bool open, begun, in_data, told, held, ended;	/* told: a STATE chunk has been seen */
	uint64_t from_ns, to_ns;	/* of its DATA and LOSS */
	uint64_t lead_ns;		/* time before the first STATE and the first trace */
	uint64_t unseen_ns;		/* the core may have run without being recorded */
	uint64_t faults;		/* LOSS chunks of a fault */
};

struct pt_law_clock { struct pt_law_source source[PT_LAW_SOURCES]; };	/* all zero: nothing seen yet */

void pt_law_clock_take(struct pt_law_clock *clock, const struct pt_chunk *chunk);

#endif
