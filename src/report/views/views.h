/* All views, NULL-terminated, for help and for completeness tests. The first is the default. */
#ifndef PT_REPORT_VIEWS_H
#define PT_REPORT_VIEWS_H

#include "report/table/view.h"

extern const struct pt_view *const pt_views[];
extern const struct pt_view pt_view_addresses, pt_view_coverage, pt_view_data, pt_view_gaps, pt_view_instructions,
	pt_view_timeline;
const struct pt_view *pt_view_find(const char *name);		/* NULL: there is none */

#endif
