/* A view as a table for people: the columns that have values, as many as fit; the least important are left out first.
 * "file" and "line" are one column; the interval of a share is a separate column. Pure. */
#ifndef PT_REPORT_TEXT_GRID_H
#define PT_REPORT_TEXT_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "profile/result/profile.h"
#include "report/table/query.h"
#include "report/table/view.h"

enum { PT_GRID_COLUMNS = 100 };		/* width of a line, unless the query has another */

struct pt_grid {
	const struct pt_profile *profile;
	const struct pt_view *view;
	const struct pt_query *query;
	const size_t *row;		/* indices of the view's rows, owned by the caller */
	size_t n_rows;
	const char *heading;		/* of the first column; NULL: the view's */
	/* what pt_grid_fit() found */
	size_t n_left_out;		/* columns with values for which there was no room */
	bool has_bounds;		/* a cell shown is a lower bound */
	bool *shown;			/* by the view's columns */
	struct pt_grid_field *field;
	size_t n_fields;
	struct pt_value *values;
};

/* Measures the rows and chooses the columns. pt_grid_fini() after it. */
void pt_grid_fit(struct pt_grid *grid);
void pt_grid_print(struct pt_grid *grid, struct pt_text *out);
void pt_grid_fini(struct pt_grid *grid);

#endif
