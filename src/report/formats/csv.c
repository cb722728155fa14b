/* One view as comma-separated values (RFC 4180): comment lines, which begin with '#' and describe the profile and the
 * units of columns without one in their name; a heading of column keys, then a row per line. Unknown values are empty.
 * After the view's columns follow the limits of its 95 % intervals: KEY_ci95_lo and KEY_ci95_hi, in JSON KEY_ci95. A
 * lower bound has only KEY_ci95_lo, because the figure itself is unknown. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/table/facts.h"
#include "report/text/caption.h"
#include "report/table/format.h"
#include "report/table/order.h"
#include "base/util.h"

extern const struct pt_format pt_format_csv;

/* A spreadsheet takes a text with such a first character for a formula, quoted or not; an apostrophe before it prevents
 * this. */
static void quoted(struct pt_text *out, const char *text)
{
	pt_text_add(out, strchr("=+-@", text[0]) != NULL && text[0] != '\0' ? "\"'" : "\"");
	for (; *text != '\0'; text++)
		pt_text_add(out, "%s%c", *text == '"' ? "\"" : "", *text);
	pt_text_add(out, "\"");
}

static void field(struct pt_text *out, const struct pt_column *column, const struct pt_value *value)
{
	if (column->unit == PT_UNIT_NONE) {
		if (value->text != NULL)
			quoted(out, value->text);
	} else if (value->at_least) {
		;			/* the figure does not exist */
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

/* The unit of a column, for a comment; NULL: none, or the column's name contains it. */
static const char *unit_of(const struct pt_profile *p, enum pt_unit unit)
{
	if (unit == PT_UNIT_SHARE)
		return "share, 0 to 1";
	if (unit == PT_UNIT_HZ)
		return "Hz";
	if (unit == PT_UNIT_BYTES)
		return "bytes";
	if (unit == PT_UNIT_CYCLES)
		return "cycles";
	if (unit != PT_UNIT_TICKS && unit != PT_UNIT_MEAN)
		return NULL;
	return p->no_code ? "ns" : p->by_instructions ? "instructions" : "cycles";
}

static void unit_comment(const struct pt_profile *p, const struct pt_view *view, const char *unit, struct pt_text *out)
{
	bool any = false;

	for (size_t c = 0; c < view->n_columns; c++) {
		const char *is = unit_of(p, view->columns[c].unit);

		if (is == NULL || strcmp(is, unit) != 0)
			continue;
		pt_text_add(out, any ? " %s" : "# in %s: %s", any ? view->columns[c].key : unit, view->columns[c].key);
		any = true;
	}
	if (any)
		pt_text_add(out, "\r\n");
}

static void unit_comments(const struct pt_profile *p, const struct pt_view *view, struct pt_text *out)
{
	static const char *const units[] = { "cycles", "instructions", "ns", "share, 0 to 1", "Hz", "bytes" };

	for (size_t i = 0; i < PT_LEN(units); i++)
		unit_comment(p, view, units[i], out);
}

/* Facts that a reader of the table needs, first whether it is from hardware. */
static void comments(const struct pt_profile *profile, const struct pt_view *view, struct pt_text *out)
{
	struct pt_caption caption;
	char groups[64];

	pt_caption_make(&caption, profile);
	for (unsigned i = 0; i < PT_CAPTION_LINES; i++)
		if (caption.line[i][0] != '\0')
			pt_text_add(out, "# %s: %s\r\n", pt_caption_key(i), caption.line[i]);
	if (pt_shares_from(profile, view->name) != NULL)
		pt_text_add(out, "# shares from %s\r\n", pt_shares_from(profile, view->name));
	if (pt_totals_are_of_recorded(profile))
		pt_text_add(out, "# counts, net and gross: for as long as was recorded, not for the whole profile\r\n");
	if (pt_awake_only(profile, view, NULL, groups, sizeof(groups)))
		pt_text_add(out, "# %s: time awake only\r\n", groups);
	unit_comments(profile, view, out);
}

/* --- intervals */

static bool has_interval(const struct pt_value *value)
{
	return value->basis == PT_BASIS_ESTIMATED && value->hi > value->lo;
}

/* Whether the value is a lower bound. */
static bool has_bound(const struct pt_column *column, const struct pt_value *value)
{
	return value->at_least && (pt_unit_is_real(column->unit) ? isfinite(value->f) : value->u != PT_UNKNOWN);
}

/* Shares may always have one; other columns if any row has. */
static void find_intervals(const struct pt_profile *profile, const struct pt_view *view, const size_t *rows, size_t n,
			   struct pt_value *values, bool *shown)
{
	for (size_t c = 0; c < view->n_columns; c++)
		shown[c] = view->columns[c].unit == PT_UNIT_SHARE;
	for (size_t r = 0; r < n; r++) {
		pt_report_row(profile, view, rows[r], values);
		for (size_t c = 0; c < view->n_columns; c++)
			shown[c] |= view->columns[c].unit != PT_UNIT_NONE &&
				    (has_interval(&values[c]) || has_bound(&view->columns[c], &values[c]));
	}
}

static void headings(const struct pt_view *view, const bool *intervals, struct pt_text *out)
{
	for (size_t c = 0; c < view->n_columns; c++)
		pt_text_add(out, "%s%s", c > 0 ? "," : "", view->columns[c].key);
	for (size_t c = 0; c < view->n_columns; c++)
		if (intervals[c])
			pt_text_add(out, ",%s_ci95_lo,%s_ci95_hi", view->columns[c].key, view->columns[c].key);
}

static void limits(const struct pt_column *column, const struct pt_value *value, struct pt_text *out)
{
	if (has_interval(value) && value->bounds)
		pt_text_add(out, ",%.9g,%.9g", value->lo, value->hi);
	else if (has_bound(column, value) && pt_unit_is_real(column->unit))
		pt_text_add(out, ",%.9g,", value->f);
	else if (has_bound(column, value))
		pt_text_add(out, ",%" PRIu64 ",", value->u);
	else if (has_interval(value))
		pt_text_add(out, ",%.9g,%.9g", value->lo, value->hi);
	else
		pt_text_add(out, ",,");
}

static int write_csv(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		     struct pt_text *out, struct pt_err *err)
{
	struct pt_value *values = pt_alloc_array(view->n_columns, sizeof(*values));
	bool *intervals = pt_alloc_array(view->n_columns, sizeof(*intervals));
	size_t *rows = NULL, n = 0;
	int rc = pt_report_order(profile, view, query, &rows, &n, err);

	if (rc == 0) {
		find_intervals(profile, view, rows, n, values, intervals);
		comments(profile, view, out);
		if (query->sort[0] != '\0' && pt_view_column(view, query->sort) < 0)
			pt_text_add(out, "# not sorted by %s, which %s has not\r\n", query->sort, view->name);
		headings(view, intervals, out);
	}
	for (size_t r = 0; rc == 0 && r < n; r++) {
		pt_report_row(profile, view, rows[r], values);
		for (size_t c = 0; c < view->n_columns; c++) {
			pt_text_add(out, c > 0 ? "," : "\r\n");
			field(out, &view->columns[c], &values[c]);
		}
		for (size_t c = 0; c < view->n_columns; c++)
			if (intervals[c])
				limits(&view->columns[c], &values[c], out);
	}
	pt_text_add(out, "\r\n");
	free(values);
	free(intervals);
	free(rows);
	return rc;
}

const struct pt_format pt_format_csv = { .name = "csv", .suffix = ".csv", .help = "one view as comma-separated values",
					 .write = write_csv };
