/* Moments are stamps of the profile's clock, as those of the timeline's events are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/calls/timeline.h"
#include "report/shared/jumps.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/views/views.h"

enum { AROUND = 3 };		/* events before and behind one that is looked for */

size_t pt_jump_to(const struct pt_profile *p, uint64_t at_ns)
{
	const struct pt_timeline *t = p->timeline;
	size_t low = 0, high = t != NULL ? t->n : 0, all = high;

	if (at_ns == PT_UNKNOWN || all == 0 || pt_timeline_at(t, 0)->at.ns > at_ns)
		return PT_NO_EVENT;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (pt_timeline_at(t, middle)->at.ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all && pt_timeline_at(t, low)->at.ns != PT_UNKNOWN ? low : PT_NO_EVENT;
}

/* --- on a page */

static void show_around(struct pt_jumps *j, size_t event)
{
	size_t from = event > AROUND ? event - AROUND : 0, to = event + AROUND + 1;

	for (size_t i = from; i < to && i < j->n_events; i++) {
		if (!j->shown[i] && j->n_more == 0)
			return;
		j->n_more -= !j->shown[i];
		j->shown[i] = true;
	}
}

static int look_at(struct pt_jumps *j, const struct pt_profile *p, const struct pt_view *view,
		   const struct pt_query *query, size_t n_rows, struct pt_err *err)
{
	struct pt_value *values = pt_alloc_array(view->n_columns, sizeof(*values));
	size_t *rows = NULL, n = 0;
	int rc = pt_report_order(p, view, query, &rows, &n, err);

	for (size_t r = 0; rc == 0 && r < n && r < n_rows; r++) {
		pt_report_row(p, view, rows[r], values);
		for (size_t c = 0; c < view->n_columns; c++) {
			bool moment = view->columns[c].unit == PT_UNIT_STAMP;
			size_t event = moment ? pt_jump_to(p, values[c].u) : PT_NO_EVENT;

			if (event != PT_NO_EVENT)
				show_around(j, event);
		}
	}
	free(values);
	free(rows);
	return rc;
}

int pt_jumps_init(struct pt_jumps *j, const struct pt_profile *p, const struct pt_query *query, size_t n_last,
		  size_t n_rows, size_t n_more, struct pt_err *err)
{
	int rc = 0;

	*j = (struct pt_jumps){ .n_events = p->timeline != NULL ? p->timeline->n : 0, .n_more = n_more };
	if (j->n_events == 0)
		return 0;
	j->shown = pt_alloc_array(j->n_events, sizeof(*j->shown));
	for (size_t i = j->n_events > n_last ? j->n_events - n_last : 0; i < j->n_events; i++)
		j->shown[i] = true;
	for (size_t i = 0; pt_views[i] != NULL && rc == 0; i++)
		if (pt_views[i] != &pt_view_timeline && pt_views[i]->n_rows(p) != (size_t)PT_NOT_MADE)
			rc = look_at(j, p, pt_views[i], query, n_rows, err);
	return rc;
}

void pt_jumps_fini(struct pt_jumps *j)
{
	free(j->shown);
}

size_t pt_jumps_shown(const struct pt_jumps *j, const struct pt_profile *p, uint64_t at_ns)
{
	size_t event = j->shown != NULL ? pt_jump_to(p, at_ns) : PT_NO_EVENT;

	return event != PT_NO_EVENT && j->shown[event] ? event : PT_NO_EVENT;
}

/* --- at a terminal */

/* The column KIND.max_at_ns beside KIND.max; -1: there is none. */
static int moment_of(const struct pt_view *view, const char *most, size_t len)
{
	for (size_t c = 0; c < view->n_columns; c++) {
		const char *key = view->columns[c].key;

		if (strncmp(key, most, len) == 0 && strcmp(key + len, ".max_at_ns") == 0)
			return (int)c;
	}
	return -1;
}

/* The first kind of figure that a short table shows the most of, and of which the view knows when
 * that was. -1: none. */
static int find_most(const struct pt_view *view, int *at)
{
	for (size_t c = 0; c < view->n_columns; c++) {
		const char *key = view->columns[c].key, *dot = strrchr(key, '.');

		if (!view->columns[c].brief || dot == NULL || strcmp(dot, ".max") != 0)
			continue;
		*at = moment_of(view, key, (size_t)(dot - key));
		if (*at >= 0)
			return (int)c;
	}
	return -1;
}

void pt_jumps_words(const struct pt_profile *p, const struct pt_view *view, const size_t *rows, size_t n_rows,
		    size_t n_lines, struct pt_text *out)
{
	struct pt_value *values = pt_alloc_array(view->n_columns, sizeof(*values));
	int at = -1, most = find_most(view, &at);
	size_t n = 0;

	for (size_t r = 0; most >= 0 && p->core_hz != 0 && r < n_rows && r < n_lines; r++) {
		char cell[PT_CELL_BYTES], name[64] = "";
		uint64_t ns;

		pt_report_row(p, view, rows[r], values);
		if (values[most].u == PT_UNKNOWN || pt_jump_to(p, values[at].u) == PT_NO_EVENT)
			continue;
		pt_print_cell(cell, sizeof(cell), p, &view->columns[most], &values[most]);
		ns = (uint64_t)((double)values[most].u * 1e9 / (double)p->core_hz) + 1;
		if (n++ == 0)
			pt_text_add(out, "(the longest of each, in the timeline:)\n");
		if (values[0].text != NULL)
			snprintf(name, sizeof(name), "%s", values[0].text);
		pt_text_add(out, "  %s %s: report timeline from=%" PRIu64 "ns to=%" PRIu64 "ns\n", name, cell,
			    values[at].u, values[at].u + ns);
	}
	free(values);
}
