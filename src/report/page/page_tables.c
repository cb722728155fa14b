/* Writes each table that has rows; a figure is a number to sort by and the text that a terminal shows. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/profile.h"
#include "report/page/page_data.h"
#include "report/shared/json_values.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/text/small_print.h"
#include "report/views/views.h"

enum { MOST_ROWS = 2000 };	/* of one table, unless the query has another limit */

struct table {
	const struct pt_profile *profile;
	const struct pt_view *view;
	struct pt_value *values;
	bool *known;			/* by column: some row has a value */
	bool has_bounds;		/* as in struct pt_small_print */
};

static json_t *number_of(const struct pt_column *column, const struct pt_value *value)
{
	return pt_unit_is_real(column->unit) ? pt_json_real(value->f) : pt_json_number(value->u);
}

static json_t *cell_of(const struct table *t, size_t c)
{
	const struct pt_column *column = &t->view->columns[c];
	const struct pt_value *value = &t->values[c];
	char shown[PT_CELL_BYTES];
	json_t *cell;

	if (column->unit == PT_UNIT_SHARE)	/* its interval is drawn */
		pt_print_figure(shown, sizeof(shown), t->profile, column, value);
	else
		pt_print_cell(shown, sizeof(shown), t->profile, column, value);
	if (column->unit == PT_UNIT_NONE)
		return value->indent == 0 ? pt_json_text(value->text)
					  : json_pack("[o, i]", pt_json_text(value->text), (int)value->indent);
	if (shown[0] == '\0')
		return json_null();
	cell = json_pack("[o, o]", number_of(column, value), pt_json_text(shown));
	if (value->basis == PT_BASIS_ESTIMATED && value->hi > value->lo) {
		json_array_append_new(cell, pt_json_real(value->lo));
		json_array_append_new(cell, pt_json_real(value->hi));
	}
	return cell;
}

static json_t *row_of(struct table *t, size_t row)
{
	json_t *cells = json_array();

	pt_report_row(t->profile, t->view, row, t->values);
	for (size_t c = 0; c < t->view->n_columns; c++) {
		json_t *cell = cell_of(t, c);

		t->known[c] |= !json_is_null(cell);
		t->has_bounds |= t->values[c].at_least;
		json_array_append_new(cells, cell);
	}
	return cells;
}

/* 0: always shown; 1: if there is room; 2: only on request. */
static int rank_of(const struct pt_profile *p, const struct pt_column *column)
{
	switch ((enum pt_column_rank)column->brief) {
	case PT_ALWAYS:
		return 0;
	case PT_IF_CORES:
		return p->n_cores > 1 ? 0 : 2;
	case PT_IF_ROOM: case PT_IF_MUCH_ROOM:
		return 1;
	case PT_UNLESS_WINDOWED:
		return p->windowed ? 2 : 1;
	case PT_IF_WINDOWED:
		return p->windowed ? 1 : 2;
	default:
		return 2;
	}
}

static json_t *column_of(const struct pt_profile *p, const struct pt_column *column)
{
	static const char *const units[] = {
		[PT_UNIT_NONE] = "text", [PT_UNIT_SHARE] = "share", [PT_UNIT_STAMP] = "stamp", [PT_UNIT_ADDRESS] = "address",
	};
	bool named = column->unit < PT_LEN(units) && units[column->unit] != NULL;

	return json_pack("{s:s, s:s, s:s, s:i}", "key", column->key, "title", column->heading, "unit",
			 named ? units[column->unit] : "number", "rank", rank_of(p, column));
}

/* Removes the columns that have no value in any row, and their cells. */
static void drop_unknown(const struct table *t, json_t *columns, json_t *rows)
{
	for (size_t c = t->view->n_columns; c-- > 0;) {
		if (t->known[c])
			continue;
		json_array_remove(columns, c);
		for (size_t r = 0; r < json_array_size(rows); r++)
			json_array_remove(json_array_get(rows, r), c);
	}
}

static void put_sentence(void *arg, const char *line)
{
	json_array_append_new(arg, pt_json_text(line));
}

static json_t *object_of(struct table *t, const size_t *row, size_t n, size_t n_shown)
{
	struct pt_small_print print = { .profile = t->profile, .view = t->view, .shown = t->known };
	json_t *columns = json_array(), *rows = json_array(), *notes = json_array();

	for (size_t c = 0; c < t->view->n_columns; c++)
		json_array_append_new(columns, column_of(t->profile, &t->view->columns[c]));
	for (size_t r = 0; r < n_shown; r++)
		json_array_append_new(rows, row_of(t, row[r]));
	print.has_bounds = t->has_bounds;
	pt_small_print_each(&print, put_sentence, notes);
	drop_unknown(t, columns, rows);
	return json_pack("{s:s, s:s, s:o, s:o, s:I, s:o}", "name", t->view->name, "help", t->view->help, "columns",
			 columns, "rows", rows, "of", (json_int_t)n, "notes", notes);
}

/* Adds nothing for a view that was not made, or has no rows. */
static int put_table(json_t *tables, const struct pt_profile *p, const struct pt_view *view,
		     const struct pt_query *query, struct pt_err *err)
{
	struct table t = { .profile = p, .view = view };
	size_t *rows = NULL, n = 0, most = query->top_given ? SIZE_MAX : MOST_ROWS;
	int rc;

	if (view->n_rows(p) == (size_t)PT_NOT_MADE || view->n_rows(p) == 0)
		return 0;
	rc = pt_report_order(p, view, query, &rows, &n, err);
	if (rc == 0 && n > 0) {
		t.values = pt_alloc_array(view->n_columns, sizeof(*t.values));
		t.known = pt_alloc_array(view->n_columns, sizeof(*t.known));
		json_array_append_new(tables, object_of(&t, rows, n, n < most ? n : most));
		if (view == &pt_view_instructions)
			pt_page_add_code(json_array_get(tables, json_array_size(tables) - 1), p);
		free(t.values);
		free(t.known);
	}
	free(rows);
	return rc;
}

json_t *pt_page_tables(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		       struct pt_err *err)
{
	const struct pt_query plain = { .top = 0 };
	json_t *tables = json_array();
	int rc = 0;

	for (size_t i = 0; pt_views[i] != NULL && rc == 0; i++)
		rc = put_table(tables, p, pt_views[i], pt_views[i] == view ? query : &plain, err);
	if (rc == 0)
		return tables;
	json_decref(tables);
	return NULL;
}
