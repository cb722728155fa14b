/* From a moment in a table to the event of the timeline that lies there: where the least and the most of a figure can
 * be looked at. Pure. */
#ifndef PT_REPORT_JUMPS_H
#define PT_REPORT_JUMPS_H

#include "profile/result/profile.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"
#include "report/table/view.h"

#define PT_NO_EVENT SIZE_MAX

/* The number (pt_timeline_at()) of the first event not before at_ns. PT_NO_EVENT: the timeline was not made, or no
 * longer, or not yet, has what happened then. */
size_t pt_jump_to(const struct pt_profile *profile, uint64_t at_ns);

/* Which events of the timeline a page shows. */
struct pt_jumps {
	bool *shown;		/* by event; NULL: there is none */
	size_t n_events, n_more;	/* n_more: still to be shown beside the last ones */
};

/* The last n_last events and, as far as n_more goes, those around the moments in the first n_rows rows of each other
 * view, in the order of query. PT_ENOMEM; pt_jumps_fini() is due all the same. */
int pt_jumps_init(struct pt_jumps *jumps, const struct pt_profile *profile, const struct pt_query *query, size_t n_last,
		  size_t n_rows, size_t n_more, struct pt_err *err);
void pt_jumps_fini(struct pt_jumps *jumps);
/* Where a link to at_ns leads; PT_NO_EVENT: nowhere on this page. */
size_t pt_jumps_shown(const struct pt_jumps *jumps, const struct pt_profile *profile, uint64_t at_ns);

/* For people at a terminal: the words that show the longest invocation of each of the first n_lines rows of a view that
 * has such moments, as far as the timeline has them. A line each. */
void pt_jumps_words(const struct pt_profile *profile, const struct pt_view *view, const size_t *rows, size_t n_rows,
		    size_t n_lines, struct pt_text *out);

#endif
