/* One view as comma-separated values (RFC 4180): lines of comment, which begin with '#' and say what the profile is; a
 * heading of column keys, then a row per line. What is not known is empty; shares are 0..1, times on the profile's
 * clock. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/table/facts.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "base/util.h"

extern const struct pt_format pt_format_csv;

static void quoted(struct pt_text *out, const char *text)
{
	pt_text_add(out, "\"");
	for (; *text != '\0'; text++)
		pt_text_add(out, "%s%c", *text == '"' ? "\"" : "", *text);
	pt_text_add(out, "\"");
}

static void field(struct pt_text *out, const struct pt_column *column, const struct pt_value *value)
{
	if (column->unit == PT_UNIT_NONE) {
		if (value->text != NULL)
			quoted(out, value->text);
	} else if (value->undecided_ns == PT_UNKNOWN) {
		pt_text_add(out, "undecided (no common clock)");
	} else if (value->undecided_ns != 0) {
		pt_text_add(out, "undecided (clocks +- %" PRIu64 " ns)", value->undecided_ns);
	} else if (pt_unit_is_real(column->unit)) {
		if (isfinite(value->f))
			pt_text_add(out, column->unit == PT_UNIT_REAL ? "%.15g" : "%.9g", value->f);
	} else if (column->unit == PT_UNIT_ADDRESS && value->u != PT_UNKNOWN) {
		pt_text_add(out, "0x%" PRIx64, value->u);
	} else if (value->u != PT_UNKNOWN) {
		pt_text_add(out, "%" PRIu64, value->u);
	}
}

/* What whoever opens the table must know: first of all whether it is of hardware. */
static void comments(const struct pt_profile *profile, const struct pt_view *view, struct pt_text *out)
{
	struct pt_facts facts;
	char groups[64];

	pt_facts_make(&facts, profile);
	for (size_t i = 0; i < PT_FACTS_LINES; i++)
		pt_text_add(out, "# %s\r\n", facts.line[i]);
	if (pt_awake_only(profile, view, NULL, groups, sizeof(groups)))
		pt_text_add(out, "# %s: time awake only\r\n", groups);
}

static int write_csv(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	struct pt_value *values = pt_alloc_array(view->n_columns, sizeof(*values));
	size_t *rows = NULL, n = 0;
	int rc = pt_report_order(profile, view, query, &rows, &n, err);

	if (rc == 0)
		comments(profile, view, out);
	for (size_t c = 0; rc == 0 && c < view->n_columns; c++)
		pt_text_add(out, "%s%s", c > 0 ? "," : "", view->columns[c].key);
	for (size_t r = 0; rc == 0 && r < n; r++) {
		pt_report_row(profile, view, rows[r], values);
		for (size_t c = 0; c < view->n_columns; c++) {
			pt_text_add(out, c > 0 ? "," : "\r\n");
			field(out, &view->columns[c], &values[c]);
		}
	}
	pt_text_add(out, "\r\n");
	free(values);
	free(rows);
	return rc;
}

const struct pt_format pt_format_csv = { .name = "csv", .help = "one view as comma-separated values",
					 .write = write_csv };
