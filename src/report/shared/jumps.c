/* A moment is the time of an event of the timeline, on the same clock. */
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

/* Whether the timeline contains this time: it may have begun later, or have dropped its oldest events. */
static bool has_moment(const struct pt_profile *p, uint64_t at_ns)
{
	const struct pt_timeline *t = p->timeline;
	size_t low = 0, high = t != NULL ? t->n : 0, all = high;

	if (at_ns == PT_UNKNOWN || all == 0 || pt_timeline_at(t, 0)->at.ns > at_ns)
		return false;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (pt_timeline_at(t, middle)->at.ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low < all && pt_timeline_at(t, low)->at.ns != PT_UNKNOWN;
}

/* The column KIND.max_at_ns for KIND.max; -1: none. */
static int moment_of(const struct pt_view *view, const char *most, size_t len)
{
	for (size_t c = 0; c < view->n_columns; c++) {
		const char *key = view->columns[c].key;

		if (strncmp(key, most, len) == 0 && strcmp(key + len, ".max_at_ns") == 0)
			return (int)c;
	}
	return -1;
}

/* The first column KIND.max that a short table shows, if the view also has its time; at: the column of the time. -1:
 * none. */
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
		if (values[most].u == PT_UNKNOWN || !has_moment(p, values[at].u))
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
