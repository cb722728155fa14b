/* The order of rows and columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/door.h"
#include "base/util.h"
#include "report/table/order.h"

enum { LEAST_LETTERS = 3 };	/* letters of an abbreviated heading */

/* "self" also means the heading "self %", which is preferred; a blank in a heading is "-" or "_" in a word. */
static bool is_heading(const char *heading, const char *word)
{
	for (; *word != '\0' && *heading != '\0'; heading++, word++)
		if (*heading != *word && (*heading != ' ' || (*word != '-' && *word != '_')))
			return false;
	return *word == '\0' && (*heading == '\0' || strcmp(heading, " %") == 0);
}

static int by_heading(const struct pt_view *view, const char *word)
{
	int found = -1;

	for (size_t i = 0; i < view->n_columns; i++)
		if (is_heading(view->columns[i].heading, word) &&
		    (found < 0 ||
		     (view->columns[i].unit == PT_UNIT_SHARE && view->columns[found].unit != PT_UNIT_SHARE)))
			found = (int)i;
	return found;
}

static int by_unit(const struct pt_view *view, enum pt_unit unit)
{
	for (size_t i = 0; i < view->n_columns; i++)
		if (view->columns[i].unit == unit)
			return (int)i;
	return -1;
}

/* The only column whose sort word begins with word: "calls" is calls/s. -1: none, or several. */
static int by_beginning(const struct pt_view *view, const char *word)
{
	char found[PT_SORT_WORD] = "", own[PT_SORT_WORD];
	int column = -1;

	for (size_t i = 0; strlen(word) >= LEAST_LETTERS && i < view->n_columns; i++) {
		pt_view_sort_word(view, i, own);
		if (strncmp(own, word, strlen(word)) != 0 || strcmp(own, found) == 0)
			continue;
		if (column >= 0)
			return -1;
		column = (int)i;
		strcpy(found, own);
	}
	return column >= 0 ? by_heading(view, found) : -1;
}

/* "gross.max" is a key; "self" a heading; "gross" means gross.total; "max" the first column that ends in it; "calls"
 * the beginning of a heading. -1: none. */
int pt_view_column(const struct pt_view *view, const char *word)
{
	size_t len = strlen(word);
	int headed;

	for (size_t i = 0; i < view->n_columns; i++)
		if (strcmp(view->columns[i].key, word) == 0)
			return (int)i;
	headed = by_heading(view, word);
	if (headed >= 0)
		return headed;
	for (size_t i = 0; i < view->n_columns; i++)
		if (strncmp(view->columns[i].key, word, len) == 0 && strcmp(view->columns[i].key + len, ".total") == 0)
			return (int)i;
	for (size_t i = 0; i < view->n_columns; i++) {
		const char *dot = strrchr(view->columns[i].key, '.');

		if (dot != NULL && strcmp(dot + 1, word) == 0)
			return (int)i;
	}
	if (strcmp(word, "interval") == 0)	/* the interval belongs to the column of its share */
		return by_unit(view, PT_UNIT_SHARE);
	return by_beginning(view, word);
}

void pt_view_sort_word(const struct pt_view *view, size_t i, char word[PT_SORT_WORD])
{
	const char *heading = view->columns[i].heading;
	size_t len = strlen(heading);

	if (len > 2 && strcmp(heading + len - 2, " %") == 0)
		len -= 2;
	snprintf(word, PT_SORT_WORD, "%.*s", (int)len, heading);
	for (char *at = word; *at != '\0'; at++)
		*at = *at == ' ' ? '-' : *at;
}

/* The column core comes after the names at the begin of a row; it keeps its place if there are none, or if it would
 * separate "file:line". */
static size_t place_of_core(const struct pt_view *view, size_t core)
{
	size_t names = 0;

	while (names < core && view->columns[names].unit == PT_UNIT_NONE)
		names++;
	return names > 0 && strcmp(view->columns[names].key, "line") != 0 ? names : core;
}

size_t pt_view_shown_as(const struct pt_view *view, size_t i)
{
	size_t core = 0, place;

	while (core < view->n_columns && strcmp(view->columns[core].key, "core") != 0)
		core++;
	place = core < view->n_columns ? place_of_core(view, core) : core;
	if (i < place || i > core)
		return i;
	return i == place ? core : i - 1;
}

/* Without a clock, timestamps are blank; with a known core clock they count from the beginning of the profile. */
void pt_report_row(const struct pt_profile *p, const struct pt_view *view, size_t i, struct pt_value *out)
{
	view->row(p, i, out);
	if (!p->no_clock || (p->core_hz != 0 && !p->by_instructions))
		return;
	for (size_t c = 0; c < view->n_columns; c++)
		if (view->columns[c].unit == PT_UNIT_STAMP)
			out[c] = (struct pt_value){ .u = PT_UNKNOWN };
}

int pt_report_lacks(const char *what, const char *analysis, struct pt_err *err)
{
	if (strcmp(analysis, "limits") == 0)
		return pt_fail(err, PT_ESTATE, "%s needs timing rules, which this profile was made without: %s", what,
			       pt_by_door("--limits FILE", "monitor profile limits FILE"));
	return pt_fail(err, PT_ESTATE,
		       "%s needs the analysis '%s', which this profile was made without; %s%s selects it", what,
		       analysis, pt_by_door("--analysis ", "analysis="), analysis);
}

int pt_report_needs_code(const struct pt_profile *p, struct pt_err *err)
{
	if ((!p->no_code && !p->no_flow) || p->by_bins)
		return 0;
	return pt_fail(
		err, PT_ESTATE,
		"this format needs a source that tells what code ran, and this profile has none; the formats text, "
		"json and csv show what there is");
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

/* False: the column is blank in all rows. */
static bool sort_rows(const void *subject, const struct pt_view *view, size_t column, struct sort_key *keys,
		      size_t *rows, size_t n, struct pt_value *values)
{
	bool known = false;

	for (size_t i = 0; i < n; i++) {
		view->row(subject, rows[i], values);
		keys[i] = key_of(rows[i], &view->columns[column], &values[column]);
		known |= keys[i].known;
	}
	qsort(keys, n, sizeof(*keys), compare);
	for (size_t i = 0; i < n; i++)
		rows[i] = keys[i].row;
	return known;
}

/* Selects the rows of the query, in the view's order; returns their number. */
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

/* If the column is blank in all rows, sorts by self: shares may be unknown while the recorded times are known. */
static void sort(const void *subject, const struct pt_view *view, size_t column, size_t *rows, size_t n)
{
	int net = pt_view_column(view, "net");

	struct pt_value *values = pt_alloc_array(view->n_columns, sizeof(*values));
	struct sort_key *keys = pt_alloc_array(n + 1, sizeof(*keys));

	if (!sort_rows(subject, view, column, keys, rows, n, values) && net >= 0)
		sort_rows(subject, view, (size_t)net, keys, rows, n, values);
	free(values);
	free(keys);
}

int pt_report_order(const void *subject, const struct pt_view *view, const struct pt_query *query, size_t **rows,
		    size_t *n, struct pt_err *err)
{
	bool asked = query->sort[0] != '\0' && pt_view_column(view, query->sort) >= 0;
	const char *word = asked ? query->sort : view->sort;
	int column = word != NULL ? pt_view_column(view, word) : -1;
	size_t all = view->n_rows(subject),
	       top = query->top_given || query->top != 0 || view->whole ? query->top : query->first;

	*rows = NULL;
	if (all == (size_t)PT_NOT_MADE)
		return pt_report_lacks(view->name, view->needs, err);
	*rows = pt_alloc_array(all + 1, sizeof(**rows));
	*n = choose(subject, view, query, all, *rows);
	if (column >= 0)
		sort(subject, view, (size_t)column, *rows, *n);
	if (top != 0 && top < *n)
		*n = top;
	return 0;
}
