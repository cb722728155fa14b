/* One view as GDB's osdata (qXfer:osdata:read): `info os`, and tables of IDEs by -info-os. The document type is
 * osdata.dtd's: items of columns, all text. */
#include <stdlib.h>

#include "profile/profile.h"
#include "report/report.h"
#include "report/units.h"
#include "report/xml.h"

extern const struct pt_format pt_format_osdata;

static int write_osdata(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			struct pt_text *out, struct pt_err *err)
{
	struct pt_value *values = calloc(view->n_columns, sizeof(*values));
	size_t *rows = NULL, n = 0;
	char cell[PT_CELL_BYTES];
	int rc = values != NULL ? pt_report_order(profile, view, query, &rows, &n, err)
				: pt_fail(err, PT_ENOMEM, "not enough memory for a row");

	if (rc == 0)
		pt_text_add(out, "<?xml version=\"1.0\"?>%s\n<!DOCTYPE osdata SYSTEM \"osdata.dtd\">\n<osdata type=\"%s\">\n",
			    profile->from_virtual ? " <!-- VIRTUAL board, no hardware -->" : "", view->name);
	for (size_t r = 0; rc == 0 && r < n; r++) {
		view->row(profile, rows[r], values);
		pt_text_add(out, "<item>");
		for (size_t c = 0; c < view->n_columns; c++) {
			pt_print_cell(cell, sizeof(cell), profile, &view->columns[c], &values[c]);
			pt_text_add(out, "<column name=\"");
			pt_xml_text(out, view->columns[c].heading);
			pt_text_add(out, "\">");
			pt_xml_text(out, cell);
			pt_text_add(out, "</column>");
		}
		pt_text_add(out, "</item>\n");
	}
	if (rc == 0)
		pt_text_add(out, "</osdata>\n");
	free(values);
	free(rows);
	return rc;
}

const struct pt_format pt_format_osdata = {
	.name = "osdata", .help = "one view as GDB's `info os` reads it", .write = write_osdata,
};
