/* The registries of views and formats, the order of rows, and the way from a query to a text. To add a view or a
 * format: a file, and one word in its list here. The first of each list is the standard. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"
#include "report/report.h"
#include "util.h"

#define PT_VIEWS(X) X(functions) X(calls) X(tree) X(lines) X(instructions) X(inlines) X(coverage) X(irqs) X(gaps)

#define PT_FORMATS(X) X(text) X(json) X(csv) X(folded) X(pprof) X(callgrind) X(gmon) X(lcov) X(speedscope) X(svg) X(summary)

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
	return pt_fail(err, PT_ESTATE, "%s needs the analysis '%s', which this profile was made without; analysis=%s selects it",
		       what, analysis, analysis);
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
	} else if (column->unit == PT_UNIT_SHARE || column->unit == PT_UNIT_MEAN) {
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

static void sort_rows(const void *subject, const struct pt_view *view, size_t column, struct sort_key *keys, size_t n,
		      struct pt_value *values)
{
	for (size_t i = 0; i < n; i++) {
		view->row(subject, i, values);
		keys[i] = key_of(i, &view->columns[column], &values[column]);
	}
	qsort(keys, n, sizeof(*keys), compare);
}

static int order(const void *subject, size_t all, const struct pt_view *view, const struct pt_query *query, size_t **rows,
		 size_t *n, struct pt_err *err)
{
	const char *word = query->sort[0] != '\0' ? query->sort : view->sort;
	int column = word != NULL ? pt_view_column(view, word) : -1;
	struct pt_value *values = calloc(view->n_columns, sizeof(*values));
	struct sort_key *keys = calloc(all + 1, sizeof(*keys));

	*n = query->top != 0 && query->top < all ? query->top : all;
	*rows = calloc(all + 1, sizeof(**rows));
	if (*rows == NULL || keys == NULL || values == NULL || (query->sort[0] != '\0' && column < 0)) {
		free(keys);
		free(values);
		free(*rows);
		*rows = NULL;
		return column < 0 ? pt_fail(err, PT_EARG, "%s has no column '%s' to sort by", view->name, query->sort)
				  : pt_fail(err, PT_ENOMEM, "not enough memory for %zu rows", all);
	}
	if (column >= 0)
		sort_rows(subject, view, (size_t)column, keys, all, values);
	for (size_t i = 0; i < *n; i++)
		(*rows)[i] = column >= 0 ? keys[i].row : i;
	free(keys);
	free(values);
	return 0;
}

int pt_report_order(const void *subject, const struct pt_view *view, const struct pt_query *query, size_t **rows,
		    size_t *n, struct pt_err *err)
{
	size_t all = view->n_rows(subject);

	return all != (size_t)PT_NOT_MADE ? order(subject, all, view, query, rows, n, err)
					  : pt_report_lacks(view->name, view->needs, err);
}

/* --- render */

int pt_report_render(const struct pt_profile *profile, const struct pt_query *query, struct pt_text *out,
		     struct pt_err *err)
{
	const struct pt_view *view = pt_views[0];
	const struct pt_format *format = pt_formats[0];
	int rc;

	for (size_t i = 0; pt_views[i] != NULL; i++)
		if (strcmp(pt_views[i]->name, query->view) == 0)
			view = pt_views[i];
	for (size_t i = 0; pt_formats[i] != NULL; i++)
		if (strcmp(pt_formats[i]->name, query->format) == 0)
			format = pt_formats[i];
	rc = format->write(profile, view, query, out, err);
	if (rc == 0 && out->overflow)
		return pt_fail(err, PT_ENOMEM, "the report is too long; ask for fewer rows (top=N)");
	return rc;
}
