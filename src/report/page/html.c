/* One page that needs nothing but itself: what was measured, the flame graph, the timeline, and every table that there
 * is. No script: sections fold by themselves, tooltips are in the pictures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/page/chart.h"
#include "report/table/format.h"
#include "report/table/facts.h"
#include "report/page/flame.h"
#include "report/text/details.h"
#include "report/text/headline.h"
#include "report/text/small_print.h"
#include "report/table/order.h"
#include "report/views/views.h"
#include "report/shared/jumps.h"
#include "report/table/units.h"
#include "report/shared/xml.h"

extern const struct pt_format pt_format_html;

/* Of one table, unless the query says otherwise; of the timeline, so many more around what tables link to. */
enum { MOST_ROWS = 500, MOST_LINKED = 2000 };

static const char *const style =
	"body{font:14px/1.45 Verdana,'DejaVu Sans',sans-serif;margin:1.5em auto;max-width:1240px;padding:0 1em;"
	"color:#222}"
	"h1{font-size:1.35em}summary{font-size:1.1em;font-weight:bold;cursor:pointer;margin:.7em 0 .3em}"
	"table{border-collapse:collapse;font-size:12px}th,td{padding:.15em .6em;text-align:right;white-space:nowrap}"
	"th{background:#e8e8e0;position:sticky;top:0}tr{background:#fff}tr:nth-child(even){background:#f6f6f2}"
	"td:first-child{position:sticky;left:0;background:inherit}th:first-child{left:0;z-index:1}"
	"td.t,th.t{text-align:left}"
	"td.e{color:#777}pre{background:#f6f6f2;padding:.6em;overflow:auto}.scroll{overflow:auto;max-height:38em}"
	".headline{font-size:14px}.headline th{background:none;position:static;text-align:left}"
	".headline td{text-align:left;white-space:normal;position:static}"
	".warn{color:#a02020;font-weight:bold}tr:target{background:#ffe9a8!important}";

/* --- tables */

struct table {
	const struct pt_profile *profile;
	const struct pt_view *view;
	const struct pt_jumps *jumps;
	struct pt_value *values;
	bool *known;
	bool has_bounds;		/* as in struct pt_small_print */
};

/* A column that knows nothing in any row is left out. */
static void find_known(struct table *t, const size_t *rows, size_t n)
{
	char cell[PT_CELL_BYTES];

	for (size_t r = 0; r < n; r++) {
		pt_report_row(t->profile, t->view, rows[r], t->values);
		for (size_t c = 0; c < t->view->n_columns; c++) {
			pt_print_cell(cell, sizeof(cell), t->profile, &t->view->columns[c], &t->values[c]);
			t->known[c] |= cell[0] != '\0';
			t->has_bounds |= t->values[c].at_least;
		}
	}
}

static void put_sentence(void *arg, const char *line)
{
	struct pt_text *out = arg;

	pt_text_add(out, "%s", out->len_bytes > 0 ? " " : "");
	pt_xml_text(out, line);
}

/* The same sentences as below a terminal's table. */
static void small_print(const struct table *t, struct pt_text *out)
{
	const struct pt_small_print print = { .profile = t->profile, .view = t->view, .shown = t->known,
					      .has_bounds = t->has_bounds };

	struct pt_text sentences = { 0 };

	pt_small_print_each(&print, put_sentence, &sentences);
	if (sentences.len_bytes > 0)
		pt_text_add(out, "<p>%s</p>", sentences.bytes);
	pt_text_free(&sentences);
}

static void heading(const struct table *t, struct pt_text *out)
{
	pt_text_add(out, "<tr>");
	for (size_t i = 0; i < t->view->n_columns; i++) {
		size_t c = pt_view_shown_as(t->view, i);

		if (!t->known[c])
			continue;
		pt_text_add(out, t->view->columns[c].unit == PT_UNIT_NONE ? "<th class=\"t\">" : "<th>");
		pt_xml_text(out, t->view->columns[c].heading);
		pt_text_add(out, "</th>");
	}
	pt_text_add(out, "</tr>\n");
}

static void one_row(const struct table *t, size_t row, struct pt_text *out)
{
	bool timeline = t->view == &pt_view_timeline;
	char cell[PT_CELL_BYTES];

	pt_report_row(t->profile, t->view, row, t->values);
	if (timeline)
		pt_text_add(out, "<tr id=\"event%zu\">", row);
	else
		pt_text_add(out, "<tr>");
	for (size_t k = 0; k < t->view->n_columns; k++) {
		size_t c = pt_view_shown_as(t->view, k);
		bool text = t->view->columns[c].unit == PT_UNIT_NONE,
		     estimated = t->values[c].basis == PT_BASIS_ESTIMATED;
		bool moment = t->view->columns[c].unit == PT_UNIT_STAMP && !timeline;
		size_t event = moment ? pt_jumps_shown(t->jumps, t->profile, t->values[c].u) : PT_NO_EVENT;

		if (!t->known[c])
			continue;
		pt_print_cell(cell, sizeof(cell), t->profile, &t->view->columns[c], &t->values[c]);
		pt_text_add(out, text ? "<td class=\"t\">" : estimated ? "<td class=\"e\">" : "<td>");
		for (unsigned i = 0; text && i < t->values[c].indent; i++)
			pt_text_add(out, "&#160;&#160;");
		if (event != PT_NO_EVENT)
			pt_text_add(out, "<a href=\"#event%zu\">", event);
		pt_xml_text(out, cell);
		pt_text_add(out, event != PT_NO_EVENT ? "</a></td>" : "</td>");
	}
	pt_text_add(out, "</tr>\n");
}

/* Events that are not next to each other do not look as if they were. */
static void rows_of(const struct table *t, const size_t *rows, size_t n, struct pt_text *out)
{
	for (size_t r = 0; r < n; r++) {
		if (t->view == &pt_view_timeline && r > 0 && rows[r] != rows[r - 1] + 1)
			pt_text_add(out, "<tr><td>&#8230;</td></tr>\n");
		one_row(t, rows[r], out);
	}
}

/* The rows to be shown, all and so many of them. */
static int choose(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		  const struct pt_jumps *jumps, size_t **rows, size_t *n, size_t *shown, struct pt_err *err)
{
	const struct pt_query every = { .top_given = true };
	bool linked = view == &pt_view_timeline && jumps->shown != NULL;
	int rc = 0;

	if (view->n_rows(p) != (size_t)PT_NOT_MADE)
		rc = pt_report_order(p, view, linked ? &every : query, rows, n, err);
	*shown = *n > MOST_ROWS && !query->top_given ? MOST_ROWS : *n;
	if (rc < 0 || !linked)
		return rc;
	*shown = 0;
	for (size_t i = 0; i < *n; i++)
		if (jumps->shown[i])
			(*rows)[(*shown)++] = i;
	return 0;
}

/* Nothing of a view that was not made, or has no rows. */
static int table(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		 const struct pt_jumps *jumps, bool open, struct pt_text *out, struct pt_err *err)
{
	struct table t = { .profile = p, .view = view, .jumps = jumps,
			   .values = pt_alloc_array(view->n_columns, sizeof(*t.values)),
			   .known = pt_alloc_array(view->n_columns, sizeof(*t.known)) };
	size_t *rows = NULL, n = 0, shown = 0;
	int rc = choose(p, view, query, jumps, &rows, &n, &shown, err);

	if (rc == 0 && n > 0) {
		pt_text_add(out, "<details%s><summary>%s</summary><p>", open ? " open=\"open\"" : "", view->name);
		pt_xml_text(out, view->help);
		pt_text_add(out, "</p><div class=\"scroll\"><table>\n");
		find_known(&t, rows, shown);
		heading(&t, out);
		rows_of(&t, rows, shown, out);
		pt_text_add(out, "</table></div>");
		small_print(&t, out);
		if (shown < n)
			pt_text_add(out, "<p>%zu more rows are not shown here.</p>", n - shown);
		pt_text_add(out, "</details>\n");
	}
	free(rows);
	free(t.values);
	free(t.known);
	return rc;
}

/* --- pictures and facts */

static void flame(const struct pt_profile *p, struct pt_text *out)
{
	static const char *const no_lines[] = { NULL };
	struct pt_stacks stacks;

	if (pt_stacks_make(&stacks, p, PT_STACKS_BY_NAME, NULL) < 0)
		return;
	if (stacks.node[0].total > 0) {
		pt_text_add(out, "<details open=\"open\"><summary>flame graph</summary><div class=\"scroll\">\n");
		pt_flame_svg(out, p, &stacks, no_lines);
		pt_text_add(out, "</div></details>\n");
	}
	pt_stacks_free(&stacks);
}

static void timeline(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_text chart = { 0 };

	pt_chart_svg(&chart, p);
	if (chart.len_bytes > 0) {
		pt_text_add(out, "<details open=\"open\"><summary>timeline</summary><div class=\"scroll\">\n");
		pt_text_bytes(out, chart.bytes, chart.len_bytes);
		pt_text_add(out, "</div></details>\n");
	}
	pt_text_free(&chart);
}

/* The same lines as on a terminal, in the same order. */
static void headline(const struct pt_headline *h, struct pt_text *out)
{
	pt_text_add(out, "<table class=\"headline\">\n");
	for (int i = PT_HEADLINE_OBSERVED; i < PT_HEADLINE_LINES; i++) {
		if (h->line[i][0] == '\0')
			continue;
		pt_text_add(out, "<tr><th>%s</th><td>", pt_headline_label((enum pt_headline_line)i));
		pt_xml_text(out, h->line[i]);
		pt_text_add(out, "</td></tr>\n");
	}
	pt_text_add(out, "</table>\n");
}

/* A page must not say less about method, loss and accuracy than a terminal. */
static void details(const struct pt_profile *p, struct pt_text *out)
{
	struct pt_text text = { 0 };

	pt_details_write(p, PT_DETAILS_COLUMNS, &text);
	pt_text_add(out, "<details><summary>details: how the numbers were made, overhead, memory used</summary><pre>");
	pt_xml_text(out, text.bytes);
	pt_text_add(out, "</pre></details>\n");
	pt_text_free(&text);
}

/* Which events of the timeline it wants. */
static bool chooses(const struct pt_query *query)
{
	return query->top_given || pt_query_zooms(query);
}

static int write_html(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	const struct pt_query plain = { .top = 0 };
	struct pt_jumps jumps = { .shown = NULL };	/* into a part of the timeline that was asked for: no links */
	struct pt_headline h;
	int rc = 0;

	pt_headline_make(&h, profile);
	pt_text_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><title>");
	pt_xml_text(out, h.line[PT_HEADLINE_TITLE]);
	pt_text_add(out, "</title><style>%s</style></head><body>\n<h1>", style);
	pt_xml_text(out, h.line[PT_HEADLINE_TITLE]);
	pt_text_add(out, "</h1>\n");
	headline(&h, out);
	if (view != &pt_view_timeline || !chooses(query))
		rc = pt_jumps_init(&jumps, profile, &plain, pt_view_timeline.tail, MOST_ROWS, MOST_LINKED, err);
	if (rc == 0)
		rc = table(profile, view, query, &jumps, true, out, err);
	flame(profile, out);
	timeline(profile, out);
	for (size_t i = 0; pt_views[i] != NULL && rc == 0; i++)
		if (pt_views[i] != view)
			rc = table(profile, pt_views[i], &plain, &jumps, false, out, err);
	pt_jumps_fini(&jumps);
	details(profile, out);
	pt_text_add(out, "</body></html>\n");
	return rc;
}

const struct pt_format pt_format_html = {
	.name = "html", .suffix = ".html", .help = "one page: tables, flame graph, timeline", .needs = "tree,lines,timeline",
	.write = write_html,
};
