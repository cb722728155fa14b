/* Leads from the longest invocation in a table to its place in the timeline. Pure. */
#ifndef PT_REPORT_JUMPS_H
#define PT_REPORT_JUMPS_H

#include "profile/result/profile.h"
#include "base/error.h"
#include "base/text.h"
#include "report/table/query.h"
#include "report/table/view.h"

/* For people at a terminal: prints the commands that show, in the timeline, the longest invocation of each of the first
 * n_lines rows, if the view has its time and the timeline contains it. One line each. */
void pt_jumps_words(const struct pt_profile *profile, const struct pt_view *view, const size_t *rows, size_t n_rows,
		    size_t n_lines, struct pt_text *out);

#endif
