/* One view as GDB's osdata (qXfer:osdata:read): `info os`, and tables of IDEs by -info-os. The document type is
 * osdata.dtd's: items of columns, all text. All items have the same columns: GDB asks for that. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/profile.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/shared/xml.h"

extern const struct pt_format pt_format_osdata;

/* --- what stands beside the view's rows --------------------------------------------------------------------------- */

/* The text of each row's first column. */
static const char **row_names(const struct pt_profile *profile, const struct pt_view *view, const size_t *rows,
			      size_t n, struct pt_value *values)
{
	const char **names = pt_alloc_array(n + 1, sizeof(*names));

	for (size_t r = 0; r < n; r++) {
		pt_report_row(profile, view, rows[r], values);
		names[r] = view->columns[0].unit == PT_UNIT_NONE ? values[0].text : NULL;
	}
	return names;
}

static size_t index_of(const char *const *names, size_t n, const char *name)
{
	size_t r = 0;

	while (r < n && (names[r] == NULL || strcmp(names[r], name) != 0))
		r++;
	return r;
}

static bool is_only_one(const struct pt_beside *beside, const char *also)
{
	size_t n = 0;

	for (size_t i = 0; i < beside->n_rows; i++)
		n += beside->row[i].also != NULL && strcmp(beside->row[i].also, also) == 0;
	return n == 1;
}

/* Finds for each row of `beside` the view's row to which it belongs; n: none. */
static void find_owners(const struct pt_beside *beside, const char *const *names, size_t n, size_t *owner)
{
	for (size_t i = 0; i < beside->n_rows; i++) {
		const char *also = beside->row[i].also;

		owner[i] = index_of(names, n, beside->row[i].name);
		if (owner[i] == n && also != NULL && is_only_one(beside, also))
			owner[i] = index_of(names, n, also);
	}
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

static void write_column(struct pt_text *out, const char *heading, const char *cell)
{
	pt_text_add(out, "<column name=\"");
	pt_xml_text(out, heading);
	pt_text_add(out, "\">");
	pt_xml_text(out, cell);
	pt_text_add(out, "</column>");
}

/* values NULL: the view has no such row. */
static void write_item(struct pt_text *out, const struct pt_profile *profile, const struct pt_view *view,
		       const struct pt_value *values, const struct pt_beside *beside, const struct pt_beside_row *row)
{
	char cell[PT_CELL_BYTES];

	pt_text_add(out, "<item>");
	for (size_t c = 0; c < view->n_columns; c++) {
		cell[0] = '\0';
		if (values != NULL)
			pt_print_cell(cell, sizeof(cell), profile, &view->columns[c], &values[c]);
		write_column(out, view->columns[c].heading, c == 0 && row != NULL ? row->name : cell);
		for (size_t b = 0; c == 0 && beside != NULL && b < PT_BESIDE_COLUMNS; b++)
			write_column(out, beside->heading[b], row != NULL ? row->cell[b] : "");
	}
	pt_text_add(out, "</item>\n");
}

static void write_items(struct pt_text *out, const struct pt_profile *profile, const struct pt_view *view,
			const size_t *rows, size_t n, struct pt_value *values, const struct pt_beside *beside,
			const size_t *owner)
{
	size_t n_beside = beside != NULL ? beside->n_rows : 0;

	for (size_t r = 0; r < n; r++) {
		size_t b = 0;

		while (b < n_beside && owner[b] != r)
			b++;
		pt_report_row(profile, view, rows[r], values);
		write_item(out, profile, view, values, beside, b < n_beside ? &beside->row[b] : NULL);
	}
	for (size_t b = 0; b < n_beside; b++)
		if (owner[b] == n)
			write_item(out, profile, view, NULL, beside, &beside->row[b]);
}

static int order(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		 size_t **rows, size_t *n, struct pt_err *err)
{
	if (query->beside != NULL && view->n_rows(profile) == (size_t)PT_NOT_MADE) {
		*n = 0;
		return 0;	/* the rows of the board are all that there is */
	}
	return pt_report_order(profile, view, query, rows, n, err);
}

static int write_osdata(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			struct pt_text *out, struct pt_err *err)
{
	size_t n_beside = query->beside != NULL ? query->beside->n_rows : 0, n = 0;
	struct pt_value *values;
	const char **names;
	size_t *owner, *rows = NULL;
	int rc = order(profile, view, query, &rows, &n, err);

	if (rc < 0)
		return rc;
	values = pt_alloc_array(view->n_columns, sizeof(*values));
	owner = pt_alloc_array(n_beside + 1, sizeof(*owner));
	names = row_names(profile, view, rows, n, values);
	if (query->beside != NULL)
		find_owners(query->beside, names, n, owner);
	pt_text_add(out, "<?xml version=\"1.0\"?>%s\n<!DOCTYPE osdata SYSTEM \"osdata.dtd\">\n<osdata type=\"%s\">\n",
		    profile->from_virtual ? " <!-- VIRTUAL board, no hardware -->" : "", view->name);
	write_items(out, profile, view, rows, n, values, query->beside, owner);
	pt_text_add(out, "</osdata>\n");
	free(names);
	free(values);
	free(owner);
	free(rows);
	return 0;
}

const struct pt_format pt_format_osdata = {
	.name = "osdata", .help = "one view as GDB's `info os` reads it", .write = write_osdata,
};
