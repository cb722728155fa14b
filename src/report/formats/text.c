/* For people at a terminal: what was measured and how good it is, then the table. A column that knows nothing in any
 * row is left out; "file" and "line" are one column. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/table/facts.h"
#include "report/table/format.h"
#include "report/table/header.h"
#include "report/shared/jumps.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/views/views.h"

extern const struct pt_format pt_format_text, pt_format_summary;

enum { NAME_COLUMNS = 22, FILE_COLUMNS = 20, JUMPS = 3 };

struct table {
	const struct pt_profile *profile;
	const struct pt_view *view;
	size_t *rows, n_rows;
	size_t *column, n_columns, n_left_out;	/* those shown; others for which there was no room */
	size_t *width;
	bool *shown;			/* by the view's columns */
	bool several;			/* cores */
	struct pt_value *values;
};

static bool is_line_of_file(const struct table *t, size_t c)	/* view's column c is printed with the one before */
{
	return c > 0 && strcmp(t->view->columns[c].key, "line") == 0 &&
	       strcmp(t->view->columns[c - 1].key, "file") == 0;
}

/* Columns of a terminal, UTF-8 as far as we write it. */
static size_t columns_of(const char *text)
{
	size_t n = 0;

	for (; *text != '\0'; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void shorten(char *cell, size_t columns)
{
	if (strlen(cell) > columns)
		strcpy(cell + columns - 1, "~");
}

static void indent(char *cell, size_t levels)
{
	size_t len = strlen(cell), blanks = 2 * levels;

	if (blanks == 0 || len + blanks >= PT_CELL_BYTES)
		return;
	memmove(cell + blanks, cell, len + 1);
	memset(cell, ' ', blanks);
}

static void cell_of(const struct table *t, size_t c, char *cell)
{
	const struct pt_column *column = &t->view->columns[c];
	const char *slash;
	size_t len;

	pt_print_cell(cell, PT_CELL_BYTES, t->profile, column, &t->values[c]);
	if (strcmp(column->key, "file") == 0 && cell[0] != '\0') {
		slash = strrchr(cell, '/');
		if (slash != NULL)
			memmove(cell, slash + 1, strlen(slash));
		shorten(cell, FILE_COLUMNS);
		len = strlen(cell);
		if (c + 1 < t->view->n_columns && is_line_of_file(t, c + 1) && t->values[c + 1].u != PT_UNKNOWN)
			snprintf(cell + len, PT_CELL_BYTES - len, ":%" PRIu64, t->values[c + 1].u);
	} else if (column->unit == PT_UNIT_NONE) {
		if (!t->view->wide && column->brief != PT_IF_ROOM)	/* else it stands below, whole */
			shorten(cell, c == 0 && t->view->name_columns != 0 ? t->view->name_columns : NAME_COLUMNS);
		indent(cell, t->values[c].indent);
	}
}

static void measure(struct table *t)
{
	char cell[PT_CELL_BYTES];
	uint64_t core = PT_UNKNOWN;

	for (size_t r = 0; r < t->n_rows; r++) {
		pt_report_row(t->profile, t->view, t->rows[r], t->values);
		for (size_t c = 0; c < t->view->n_columns; c++) {
			if (!t->view->columns[c].brief || is_line_of_file(t, c))
				continue;
			if (t->view->columns[c].brief == PT_IF_CORES) {
				t->several |= r > 0 && core != t->values[c].u;
				core = t->values[c].u;
			}
			cell_of(t, c, cell);
			if (columns_of(cell) > t->width[c])
				t->width[c] = columns_of(cell);
		}
	}
	for (size_t c = 0; c < t->view->n_columns; c++)
		if (t->width[c] > 0 && strlen(t->view->columns[c].heading) > t->width[c])
			t->width[c] = strlen(t->view->columns[c].heading);
}

/* One blank between figures of a kind ("gross.min", "gross.avg"), else two. */
static const char *space_before(const struct table *t, size_t i)
{
	const char *key = t->view->columns[t->column[i]].key, *before;
	size_t len = strcspn(key, ".");

	if (i == 0)
		return "";
	before = t->view->columns[t->column[i - 1]].key;
	return key[len] == '.' && strncmp(key, before, len + 1) == 0 ? " " : "  ";
}

/* Columns of a line, of the n_columns that are shown. */
static size_t line_width(const struct table *t)
{
	size_t columns = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		columns += strlen(space_before(t, i)) + t->width[t->column[i]];
	return columns;
}

/* The last one that is there only if there is room goes. False: there is none. */
static bool leave_one_out(struct table *t)
{
	for (size_t i = t->n_columns; i-- > 0;) {
		if (t->view->columns[t->column[i]].brief != PT_IF_ROOM)
			continue;
		t->shown[t->column[i]] = false;
		t->n_left_out++;
		memmove(t->column + i, t->column + i + 1, (--t->n_columns - i) * sizeof(*t->column));
		return true;
	}
	return false;
}

static bool stands_below(const struct table *t, size_t c)
{
	return t->view->columns[c].unit == PT_UNIT_NONE && t->view->columns[c].brief == PT_IF_ROOM && t->width[c] > 0 &&
	       !t->shown[c];
}

/* Those that have something to show, as far as they fit. */
static void choose(struct table *t)
{
	for (size_t i = 0; i < t->view->n_columns; i++) {
		size_t c = pt_view_shown_as(t->view, i);

		t->shown[c] = t->width[c] > 0 && (t->view->columns[c].brief != PT_IF_CORES || t->several);
		if (t->shown[c])
			t->column[t->n_columns++] = c;
	}
	while (line_width(t) > PT_HEADER_COLUMNS && leave_one_out(t))
		;
	for (size_t c = 0; c < t->view->n_columns; c++)
		t->n_left_out -= stands_below(t, c);
}

static void put(const struct table *t, size_t i, const char *cell, struct pt_text *out)
{
	size_t c = t->column[i], pad = t->width[c] - columns_of(cell);
	bool left = t->view->columns[c].unit == PT_UNIT_NONE;

	pt_text_add(out, "%s", space_before(t, i));
	if (left && i + 1 == t->n_columns)
		pad = 0;		/* no blanks at the end of a line */
	pt_text_add(out, "%*s%s%*s", left ? 0 : (int)pad, "", cell, left ? (int)pad : 0, "");
}

static void print_rows(struct table *t, struct pt_text *out)
{
	char cell[PT_CELL_BYTES];

	for (size_t i = 0; i < t->n_columns; i++)
		put(t, i, t->view->columns[t->column[i]].heading, out);
	pt_text_add(out, "\n");
	for (size_t r = 0; r < t->n_rows; r++) {
		pt_report_row(t->profile, t->view, t->rows[r], t->values);
		for (size_t i = 0; i < t->n_columns; i++) {
			cell_of(t, t->column[i], cell);
			put(t, i, cell, out);
		}
		pt_text_add(out, "\n");
	}
}

/* A row before has the same name and text: another core's. */
static bool was_told(struct table *t, size_t row, size_t c, const char *name, const char *text)
{
	for (size_t r = 0; r < row; r++) {
		pt_report_row(t->profile, t->view, t->rows[r], t->values);
		if (t->values[c].text != NULL && strcmp(t->values[0].text, name) == 0 &&
		    strcmp(t->values[c].text, text) == 0)
			return true;
	}
	return false;
}

/* Texts for which the table had no room, whole, below it. */
static void print_left_out(struct table *t, size_t c, struct pt_text *out)
{
	pt_text_add(out, "\n%s\n", t->view->columns[c].heading);
	for (size_t r = 0; r < t->n_rows; r++) {
		const char *name, *text;

		pt_report_row(t->profile, t->view, t->rows[r], t->values);
		name = t->values[0].text;
		text = t->values[c].text;
		if (text != NULL && !was_told(t, r, c, name, text))
			pt_text_add(out, "%-*s  %s\n", (int)t->width[0], name, text);
	}
}

static void print_below(struct table *t, struct pt_text *out)
{
	for (size_t c = 0; c < t->view->n_columns; c++)
		if (stands_below(t, c))
			print_left_out(t, c, out);
}

/* What stands in the table, and in what times are, where the cells do not say it themselves. */
static void caption(const struct table *t, struct pt_text *out)
{
	bool ticks = false;
	char groups[64];

	for (size_t i = 0; i < t->n_columns; i++)
		ticks |= t->view->columns[t->column[i]].unit == PT_UNIT_TICKS;
	pt_text_add(out, "%s", t->view->name);
	if (ticks && t->profile->by_instructions)
		pt_text_add(out, ", times in instructions");
	else if (ticks && t->profile->core_hz == 0)
		pt_text_add(out, ", times in cycles");
	pt_text_add(out, "\n");
	if (t->view->note != NULL)
		pt_text_add(out, "(%s)\n", t->view->note);
	if (t->n_left_out > 0)
		pt_text_add(out, "(no room for %zu more column%s: csv, json and html have them)\n", t->n_left_out,
			    t->n_left_out == 1 ? "" : "s");
	if (pt_awake_only(t->profile, t->view, t->shown, groups, sizeof(groups)))
		pt_text_add(out, "(%s: time awake only, what the core slept in between is not in it)\n", groups);
}

static void remark(const struct table *t, struct pt_text *out)
{
	char text[160];

	if (t->view->remark != NULL && t->view->remark(t->profile, text, sizeof(text)))
		pt_text_add(out, "(%s)\n", text);
}

/* Why it has no rows, or what to do; "": nobody can say. */
static const char *why_empty(const struct pt_profile *p, const struct pt_view *view)
{
	for (size_t i = 0; i < p->n_sources; i++)
		if (strcmp(p->sources[i].format, view->name) == 0)	/* bins, counters */
			return p->ended || p->no_end ? "nothing was counted" : "nothing has been counted yet";
	return view->empty != NULL ? view->empty : "";
}

static int table(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		 struct pt_text *out, struct pt_err *err)
{
	struct table t = { .profile = p, .view = view };
	size_t all = view->n_rows(p);
	const char *why;

	if (pt_report_order(p, view, query, &t.rows, &t.n_rows, err) < 0)
		return err != NULL ? err->code : PT_EARG;
	t.column = pt_alloc_array(view->n_columns, sizeof(*t.column));
	t.width = pt_alloc_array(view->n_columns, sizeof(*t.width));
	t.shown = pt_alloc_array(view->n_columns, sizeof(*t.shown));
	t.values = pt_alloc_array(view->n_columns, sizeof(*t.values));
	if (t.n_rows == 0) {
		why = all == 0 ? why_empty(p, view) : "";
		pt_text_add(out, "%s: nothing to show%s%s\n", view->name, why[0] != '\0' ? "; " : "", why);
		remark(&t, out);
	} else {
		measure(&t);
		choose(&t);
		caption(&t, out);
		remark(&t, out);
		print_rows(&t, out);
		print_below(&t, out);
		pt_jumps_words(p, view, t.rows, t.n_rows, JUMPS, out);
	}
	if (t.n_rows < all && all != (size_t)PT_NOT_MADE && pt_query_zooms(query) && query->top == 0)
		pt_text_add(out, "(%zu of %zu)\n", t.n_rows, all);
	else if (t.n_rows < all && all != (size_t)PT_NOT_MADE)
		pt_text_add(out, "... and %zu more (top=0 shows all)\n", all - t.n_rows);
	free(t.rows);
	free(t.column);
	free(t.width);
	free(t.shown);
	free(t.values);
	return 0;
}

static int tables(const struct pt_profile *p, const struct pt_view *view, const struct pt_query *query,
		  struct pt_text *out, struct pt_err *err)
{
	const struct pt_view *also = view->also != NULL ? pt_view_find(view->also) : NULL;
	const struct pt_query brief = { .top = 20 };
	int rc = table(p, view, query, out, err);

	if (rc < 0 || also == NULL || also->n_rows(p) == 0 || also->n_rows(p) == (size_t)PT_NOT_MADE)
		return rc;
	pt_text_add(out, "\n");
	return table(p, also, &brief, out, err);
}

static int write_text(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
		      struct pt_text *out, struct pt_err *err)
{
	pt_header_write(profile, out);
	pt_text_add(out, "\n");
	return tables(profile, view, query, out, err);
}

const struct pt_format pt_format_text = { .name = "text", .help = "a table for a terminal", .write = write_text };

static int write_summary(const struct pt_profile *profile, const struct pt_view *view, const struct pt_query *query,
			 struct pt_text *out, struct pt_err *err)
{
	(void)view;
	(void)query;
	(void)err;
	pt_header_summary(profile, out);
	return 0;
}

const struct pt_format pt_format_summary = {
	.name = "summary", .help = "how much was seen and lost; no table", .write = write_summary
};
