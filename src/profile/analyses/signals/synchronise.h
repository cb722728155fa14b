/* What is needed to fit two clocks (stats/clock_fit.h): the edges of a line, and the entries of a function, or
 * of an exception as the chip reports it. Selected by
 * pt_pipeline_synchronise() alone. */
#ifndef PT_PROFILE_SYNCHRONISE_H
#define PT_PROFILE_SYNCHRONISE_H

#include "profile/stats/clock_fit.h"

enum { PT_SYNC_MARKS = 1 << 20 };	/* edges, and entries; later ones are left out */

struct pt_sync {
	const char *line, *function;
	bool falls;
	bool has_line, several;		/* a source has a line of this name; several have */
	uint16_t source;		/* the first that has it */
	const struct pt_fit_mark *edge, *entry;
	size_t n_edges, n_entries;
};

#endif
