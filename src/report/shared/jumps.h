/* From a moment in a table to the event of the timeline that lies there: where the least and the most of a figure can
 * be looked at. Pure. */
#ifndef PT_REPORT_JUMPS_H
#define PT_REPORT_JUMPS_H

#include "profile/result/profile.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"
#include "report/table/view.h"

/* For people at a terminal: the words that show the longest invocation of each of the first n_lines rows of a view that
 * has such moments, as far as the timeline has them. A line each. */
void pt_jumps_words(const struct pt_profile *profile, const struct pt_view *view, const size_t *rows, size_t n_rows,
		    size_t n_lines, struct pt_text *out);

#endif
