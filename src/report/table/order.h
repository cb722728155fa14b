/* The rows and columns of a view that a query selects. */
#ifndef PT_REPORT_ORDER_H
#define PT_REPORT_ORDER_H

#include <stddef.h>

#include "base/error.h"
#include "profile/result/profile.h"
#include "report/table/query.h"
#include "report/table/view.h"

/* The column that a sort word means: its key, its heading, "gross" for "gross.total", "max" for the first that ends in
 * it. -1: none. */
int pt_view_column(const struct pt_view *view, const char *word);

/* Column i's heading as a sort word: "per-max" for "per max", "self" for "self %". */
enum { PT_SORT_WORD = 40 };
void pt_view_sort_word(const struct pt_view *view, size_t i, char word[PT_SORT_WORD]);

/* The column at place i of a table for people: in the view's order, but the column core comes after the name. */
size_t pt_view_shown_as(const struct pt_view *view, size_t i);

/* PT_ESTATE: the profile was made without an analysis that this needs; the sentence says how to select it. */
int pt_report_lacks(const char *what, const char *analysis, struct pt_err *err);
/* PT_ESTATE: no source shows what code ran, so a format of functions or lines would have 0 for each. Otherwise 0. */
int pt_report_needs_code(const struct pt_profile *profile, struct pt_err *err);

/* A row of a profile; moments are blank if the profile has no clock for them. */
void pt_report_row(const struct pt_profile *profile, const struct pt_view *view, size_t i, struct pt_value *out);

/* The rows to show, in the query's order: indices, n of them. Sorted by the query's column, largest first (texts: in
 * order), unknown ones last; by the view's own order without one, or where the view has no
 * such column. free() them. */
int pt_report_order(const void *subject, const struct pt_view *view, const struct pt_query *query, size_t **rows,
		    size_t *n, struct pt_err *err);

#endif
