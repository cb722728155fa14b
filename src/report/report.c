/* The registries of views and formats, the order of rows, and the way from a query to a text. To add a view or a
 * format: a file, and one word in its list here. The first of each list is the standard. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/result/profile.h"
#include "report/report.h"
#include "base/util.h"

#define PT_VIEWS(X) \
	X(functions) \
	X(calls) \
	X(tree) \
	X(lines) \
	X(instructions) \
	X(inlines) \
	X(coverage) \
	X(tasks) \
	X(task_functions) \
	X(spans) \
	X(ranges) \
	X(signalled) \
	X(irqs) \
	X(cof) \
	X(data) \
	X(aux) \
	X(counters) \
	X(durations) \
	X(events) \
	X(bins) \
	X(addresses) \
	X(series) \
	X(timeline) \
	X(diff) \
	X(limits) \
	X(violations) \
	X(gaps)

#define PT_FORMATS(X) \
	X(text) \
	X(json) \
	X(csv) \
	X(annotate) \
	X(folded) \
	X(pprof) \
	X(callgrind) \
	X(gmon) \
	X(lcov) \
	X(speedscope) \
	X(perfetto) \
	X(ctf) \
	X(svg) \
	X(html) \
	X(osdata) \
	X(junit) \
	X(summary)

#define X(view) extern const struct pt_view pt_view_##view;
PT_VIEWS(X)
#undef X
#define X(format) extern const struct pt_format pt_format_##format;
PT_FORMATS(X)
#undef X

const struct pt_view *const pt_views[] = {
#define X(view) &pt_view_##view,
	PT_VIEWS(X)
#undef X
	NULL,
};

const struct pt_format *const pt_formats[] = {
#define X(format) &pt_format_##format,
	PT_FORMATS(X)
#undef X
	NULL,
};

/* --- order */

int pt_report_lacks(const char *what, const char *analysis, struct pt_err *err)
{
	if (strcmp(analysis, "limits") == 0)
		return pt_fail(err, PT_ESTATE, "%s needs timing rules, which this profile was made without: --limits "
			       "FILE, or monitor profile limits FILE", what);
	return pt_fail(err, PT_ESTATE,
		       "%s needs the analysis '%s', which this profile was made without; analysis=%s selects it", what,
		       analysis, analysis);
}

struct sort_key {
	size_t row;
	bool known;
	double number;
	const char *text;
};

static struct sort_key key_of(size_t row, const struct pt_column *column, const struct pt_value *value)
{
	struct sort_key key = { .row = row };

	if (column->unit == PT_UNIT_NONE) {
		key.text = value->text;
		key.known = value->text != NULL;
	} else if (pt_unit_is_real(column->unit)) {
		key.number = value->f;
		key.known = !isnan(value->f);
	} else {
		key.number = (double)value->u;
		key.known = value->u != PT_UNKNOWN;
	}
	return key;
}

static int compare(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && x->text != NULL && strcmp(x->text, y->text) != 0)
		return strcmp(x->text, y->text);
	if (x->known && x->number != y->number)
		return x->number > y->number ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

static void sort_rows(const void *subject, const struct pt_view *view, size_t column, struct sort_key *keys,
		      size_t *rows, size_t n, struct pt_value *values)
{
	for (size_t i = 0; i < n; i++) {
		view->row(subject, rows[i], values);
		keys[i] = key_of(rows[i], &view->columns[column], &values[column]);
	}
	qsort(keys, n, sizeof(*keys), compare);
	for (size_t i = 0; i < n; i++)
		rows[i] = keys[i].row;
}

/* The rows that the query asks for, in the view's own order; how many. */
static size_t choose(const void *subject, const struct pt_view *view, const struct pt_query *query, size_t all,
		     size_t *rows)
{
	bool zooms = view->match != NULL && pt_query_zooms(query);
	size_t first = view->tail != 0 && view->tail < all && !zooms && !query->top_given ? all - view->tail : 0, n = 0;

	for (size_t i = first; i < all; i++)
		if (!zooms || view->match(subject, i, query))
			rows[n++] = i;
	return n;
}

static int sort(const void *subject, const struct pt_view *view, size_t column, size_t *rows, size_t n,
		struct pt_err *err)
{
	struct pt_value *values = calloc(view->n_columns, sizeof(*values));
	struct sort_key *keys = calloc(n + 1, sizeof(*keys));
	int rc = 0;

	if (values != NULL && keys != NULL)
		sort_rows(subject, view, column, keys, rows, n, values);
	else
		rc = pt_fail(err, PT_ENOMEM, "not enough memory for %zu rows", n);
	free(values);
	free(keys);
	return rc;
}

int pt_report_order(const void *subject, const struct pt_view *view, const struct pt_query *query, size_t **rows,
		    size_t *n, struct pt_err *err)
{
	const char *word = query->sort[0] != '\0' ? query->sort : view->sort;
	int column = word != NULL ? pt_view_column(view, word) : -1, rc = 0;
	size_t all = view->n_rows(subject);

	*rows = NULL;
	if (all == (size_t)PT_NOT_MADE)
		return pt_report_lacks(view->name, view->needs, err);
	if (query->sort[0] != '\0' && column < 0)
		return pt_fail(err, PT_EARG, "%s has no column '%s' to sort by", view->name, query->sort);
	*rows = calloc(all + 1, sizeof(**rows));
	if (*rows == NULL)
		return pt_fail(err, PT_ENOMEM, "not enough memory for %zu rows", all);
	*n = choose(subject, view, query, all, *rows);
	if (column >= 0)
		rc = sort(subject, view, (size_t)column, *rows, *n, err);
	if (query->top != 0 && query->top < *n)
		*n = query->top;
	return rc;
}

/* --- render */

/* The table that is named after what a source gives: bins, counters. NULL: there is none. */
static const struct pt_view *view_of_source(const struct pt_profile *profile)
{
	for (size_t i = 0; i < profile->n_sources; i++)
		for (size_t v = 0; pt_views[v] != NULL; v++)
			if (strcmp(profile->sources[i].format, pt_views[v]->name) == 0)
				return pt_views[v];
	return NULL;
}

/* Where nobody names one: the standard one; of sources that tell nothing of code, as files of other instruments, or
 * nothing of what ran, the first that has anything to say. Its word for the order is the standard one's. */
static const struct pt_view *usual_view(const struct pt_profile *profile, const struct pt_query *query)
{
	bool functions = (!profile->no_code && !profile->no_flow) || query->sort[0] != '\0';

	for (size_t i = 0; !functions && pt_views[i] != NULL; i++) {
		size_t n = pt_views[i]->n_rows(profile);
		bool of_code = pt_views[i] == &pt_view_coverage || pt_views[i] == &pt_view_timeline;

		if (n != 0 && n != (size_t)PT_NOT_MADE && pt_views[i] != &pt_view_gaps &&
		    !(profile->no_flow && of_code))
			return pt_views[i];
	}
	if (!functions && view_of_source(profile) != NULL)
		return view_of_source(profile);
	return !functions && profile->no_flow ? &pt_view_data : pt_views[0];	/* which says what it takes */
}

int pt_report_render(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out,
		     struct pt_err *err)
{
	const struct pt_view *view = pt_view_find(query->view);
	const struct pt_format *format = pt_format_find(query->format);
	int rc;

	if (format == NULL)
		format = pt_formats[0];
	rc = format->write(profile, view != NULL ? view : usual_view(profile, query), query, out, err);
	if (rc == 0 && out->overflow)
		return pt_fail(err, PT_ENOMEM, "the report is too long; ask for fewer rows (top=N)");
	return rc;
}
