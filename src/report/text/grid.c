#include "report/text/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/table/order.h"
#include "report/table/units.h"
#include "report/text/details.h"

enum { NAME_COLUMNS = 22, FILE_COLUMNS = 20 };

struct pt_grid_field {		/* one column of the printed table */
	size_t c;		/* index of the view's column */
	bool interval;		/* it shows the interval of that column */
	size_t width;
};

struct widths {			/* widths of the cells of one column of the view, with its heading; 0: nothing to
				 * show */
	size_t figure, interval;
	bool bounds;		/* at least one figure is a lower bound */
	bool known;		/* at least one is not */
};

/* --- cells */

static bool is_line_of_file(const struct pt_view *view, size_t c)	/* column c is printed with the one before */
{
	return c > 0 && strcmp(view->columns[c].key, "line") == 0 && strcmp(view->columns[c - 1].key, "file") == 0;
}

/* The width of a text on a terminal, for the UTF-8 characters that proftap writes. */
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

/* Makes "demo.c:42" of the path and the line. */
static void file_cell(const struct pt_grid *g, size_t c, char *cell)
{
	const char *slash = strrchr(cell, '/');
	size_t len;

	if (slash != NULL)
		memmove(cell, slash + 1, strlen(slash));
	if (!g->query->wide)
		shorten(cell, FILE_COLUMNS);
	len = strlen(cell);
	if (c + 1 < g->view->n_columns && is_line_of_file(g->view, c + 1) && g->values[c + 1].u != PT_UNKNOWN)
		snprintf(cell + len, PT_CELL_BYTES - len, ":%" PRIu64, g->values[c + 1].u);
}

static void text_cell(const struct pt_grid *g, size_t c, char *cell)
{
	const struct pt_view *view = g->view;

	if (!g->query->wide && !view->wide && view->columns[c].brief != PT_IF_ROOM)	/* else it is printed below */
		shorten(cell, c == 0 && view->name_columns != 0 ? view->name_columns : NAME_COLUMNS);
	indent(cell, g->values[c].indent);
}

/* Replaces "≥" and "±" for terminals that cannot show them. */
static void to_ascii(char *cell)
{
	static const struct { const char *utf8, *ascii; } signs[] = { { "≥", ">=" }, { "≤", "<=" }, { "±", "+-" } };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		for (char *at = strstr(cell, signs[i].utf8); at != NULL; at = strstr(at, signs[i].utf8)) {
			size_t utf8 = strlen(signs[i].utf8), ascii = strlen(signs[i].ascii);

			memmove(at + ascii, at + utf8, strlen(at + utf8) + 1);
			memcpy(at, signs[i].ascii, ascii);
		}
}

static void cell_of(const struct pt_grid *g, size_t c, bool interval, char *cell)
{
	const struct pt_column *column = &g->view->columns[c];

	if (interval)
		pt_print_interval(cell, PT_CELL_BYTES, column, &g->values[c]);
	else
		pt_print_figure(cell, PT_CELL_BYTES, g->profile, column, &g->values[c]);
	if (interval)
		return;
	if (strcmp(column->key, "file") == 0 && cell[0] != '\0')
		file_cell(g, c, cell);
	else if (column->unit == PT_UNIT_NONE)
		text_cell(g, c, cell);
	if (g->query->ascii && column->unit != PT_UNIT_NONE)
		to_ascii(cell);
}

/* --- widths */

static void widen(size_t *width, const char *text)
{
	size_t columns = columns_of(text);

	if (columns > *width)
		*width = columns;
}

static const char *heading_of(const struct pt_grid *g, size_t c)
{
	return c == 0 && g->heading != NULL ? g->heading : g->view->columns[c].heading;
}

/* Returns whether the rows are of several cores. */
static bool measure(const struct pt_grid *g, struct widths *w)
{
	char cell[PT_CELL_BYTES];
	uint64_t core = PT_UNKNOWN;
	bool several = false, cell_has_figure;

	for (size_t r = 0; r < g->n_rows; r++) {
		pt_report_row(g->profile, g->view, g->row[r], g->values);
		for (size_t c = 0; c < g->view->n_columns; c++) {
			if (is_line_of_file(g->view, c))
				continue;
			if (g->view->columns[c].brief == PT_IF_CORES) {
				several |= r > 0 && core != g->values[c].u;
				core = g->values[c].u;
			}
			cell_of(g, c, false, cell);
			cell_has_figure = cell[0] != '\0';
			widen(&w[c].figure, cell);
			cell_of(g, c, true, cell);
			widen(&w[c].interval, cell);
			w[c].bounds |= g->values[c].at_least;
			w[c].known |= cell_has_figure && !g->values[c].at_least;
		}
	}
	for (size_t c = 0; c < g->view->n_columns; c++) {
		if (w[c].figure > 0)
			widen(&w[c].figure, heading_of(g, c));
		if (w[c].interval > 0)
			widen(&w[c].interval, "interval");
	}
	return several;
}

/* --- columns */

/* Whether the user sorts by this column: it is always shown then, so that the order of the rows is clear. */
static bool is_sorted_by(const struct pt_grid *g, size_t c)
{
	return g->query->sort[0] != '\0' && pt_view_column(g->view, g->query->sort) == (int)c;
}

static bool is_wanted(const struct pt_grid *g, size_t c, const struct widths *w, bool several)
{
	const struct pt_column *column = &g->view->columns[c];

	if (w[c].figure == 0 || is_line_of_file(g->view, c))
		return false;
	if (column->brief == PT_IF_CORES)
		return several;
	if (is_sorted_by(g, c))
		return true;
	if (column->brief == PT_UNLESS_WINDOWED || column->brief == PT_IF_WINDOWED)
		return g->query->wide || g->profile->windowed == (column->brief == PT_IF_WINDOWED);
	return g->query->wide || column->brief != PT_IF_WIDE;
}

/* One blank between figures of a group ("gross.min", "gross.avg"), else two. */
static const char *space_before(const struct pt_grid *g, size_t i)
{
	const char *key = g->view->columns[g->field[i].c].key;
	size_t len = strcspn(key, ".");

	if (i == 0)
		return "";
	return key[len] == '.' && strncmp(key, g->view->columns[g->field[i - 1].c].key, len + 1) == 0 ? " " : "  ";
}

static size_t line_width(const struct pt_grid *g)
{
	size_t columns = 0;

	for (size_t i = 0; i < g->n_fields; i++)
		columns += strlen(space_before(g, i)) + g->field[i].width;
	return columns;
}

/* Whether a text without room in the table is printed whole below it. */
static bool stands_below(const struct pt_grid *g, size_t c, bool has_text)
{
	return g->view->columns[c].unit == PT_UNIT_NONE && g->view->columns[c].brief == PT_IF_ROOM && has_text &&
	       !g->shown[c];
}

/* The fields of the columns that are shown, in their order on a terminal. */
static void set_fields(struct pt_grid *g, const struct widths *w)
{
	g->n_fields = 0;
	for (size_t i = 0; i < g->view->n_columns; i++) {
		size_t c = pt_view_shown_as(g->view, i);

		if (!g->shown[c])
			continue;
		g->field[g->n_fields++] = (struct pt_grid_field){ .c = c, .width = w[c].figure };
		if (w[c].interval > 0)
			g->field[g->n_fields++] =
				(struct pt_grid_field){ .c = c, .interval = true, .width = w[c].interval };
	}
}

/* "gross.min" and "gross.max": figures of a group are shown or hidden together. */
static bool are_of_a_kind(const struct pt_column *a, const struct pt_column *b)
{
	size_t len = strcspn(a->key, ".");

	return a == b || (a->key[len] == '.' && strncmp(a->key, b->key, len + 1) == 0 && a->brief == b->brief);
}

/* Shows or hides the wanted columns of column c's group. */
static void show_kind(struct pt_grid *g, size_t c, const bool *wanted, bool show)
{
	for (size_t i = 0; i < g->view->n_columns; i++)
		if (wanted[i] && are_of_a_kind(&g->view->columns[c], &g->view->columns[i]))
			g->shown[i] = show;
}

static bool always(uint8_t rank, const struct widths *w)
{
	(void)w;
	return rank == PT_ALWAYS || rank == PT_IF_CORES || rank == PT_IF_WIDE;
}

static bool if_room(uint8_t rank, const struct widths *w)
{
	(void)w;
	return rank == PT_IF_ROOM;
}

static bool if_much_room(uint8_t rank, const struct widths *w)
{
	return rank > PT_IF_ROOM && w->known;
}

static bool only_bounds(uint8_t rank, const struct widths *w)	/* they are the least useful columns */
{
	return rank > PT_IF_ROOM && !w->known;
}

/* Adds the columns of one rank, from left to right, as far as there is room. */
static void add_rank(struct pt_grid *g, const struct widths *w, const bool *wanted,
		     bool (*of_rank)(uint8_t rank, const struct widths *w))
{
	size_t columns = g->query->columns != 0 ? g->query->columns : PT_GRID_COLUMNS;

	for (size_t i = 0; i < g->view->n_columns; i++) {
		size_t c = pt_view_shown_as(g->view, i);

		uint8_t rank = is_sorted_by(g, c) ? PT_ALWAYS : g->view->columns[c].brief;

		if (!wanted[c] || g->shown[c] || !of_rank(rank, &w[c]))
			continue;
		show_kind(g, c, wanted, true);
		set_fields(g, w);
		if (!g->query->wide && of_rank != always && line_width(g) > columns)
			show_kind(g, c, wanted, false);
	}
	set_fields(g, w);
}

static bool has_text(const struct pt_grid *g, size_t c)
{
	for (size_t r = 0; r < g->n_rows; r++) {
		pt_report_row(g->profile, g->view, g->row[r], g->values);
		if (g->values[c].text != NULL)
			return true;
	}
	return false;
}

void pt_grid_fit(struct pt_grid *g)
{
	struct widths *w = pt_alloc_array(g->view->n_columns, sizeof(*w));
	bool *wanted = pt_alloc_array(g->view->n_columns, sizeof(*wanted)), several;

	g->values = pt_alloc_array(g->view->n_columns, sizeof(*g->values));
	g->shown = pt_alloc_array(g->view->n_columns, sizeof(*g->shown));
	g->field = pt_alloc_array(2 * g->view->n_columns, sizeof(*g->field));
	several = measure(g, w);
	for (size_t c = 0; c < g->view->n_columns; c++)
		wanted[c] = is_wanted(g, c, w, several);
	add_rank(g, w, wanted, always);
	add_rank(g, w, wanted, if_room);
	add_rank(g, w, wanted, if_much_room);
	add_rank(g, w, wanted, only_bounds);
	for (size_t c = 0; c < g->view->n_columns; c++) {
		g->n_left_out += wanted[c] && !g->shown[c] && !stands_below(g, c, true);
		g->has_bounds |= g->shown[c] && w[c].bounds;
	}
	free(wanted);
	free(w);
}

/* --- lines */

static void put(const struct pt_grid *g, size_t i, const char *cell, struct pt_text *out)
{
	const struct pt_grid_field *field = &g->field[i];
	size_t columns = columns_of(cell), pad = field->width > columns ? field->width - columns : 0;
	bool left = g->view->columns[field->c].unit == PT_UNIT_NONE;

	pt_text_add(out, "%s", space_before(g, i));
	if (left && i + 1 == g->n_fields)
		pad = 0;		/* no blanks at the end of a line */
	pt_text_add(out, "%*s%s%*s", left ? 0 : (int)pad, "", cell, left ? (int)pad : 0, "");
}

static void end_line(struct pt_text *out)
{
	while (out->len_bytes > 0 && out->bytes[out->len_bytes - 1] == ' ')
		out->bytes[--out->len_bytes] = '\0';
	pt_text_add(out, "\n");
}

static void print_headings(const struct pt_grid *g, struct pt_text *out)
{
	pt_text_add(out, "%s", g->query->colour ? "\033[1m" : "");
	for (size_t i = 0; i < g->n_fields; i++)
		put(g, i, g->field[i].interval ? "interval" : heading_of(g, g->field[i].c), out);
	pt_text_add(out, "%s\n", g->query->colour ? "\033[0m" : "");
}

/* Whether an earlier row, of another core, has the same name and text. */
static bool is_said_before(struct pt_grid *g, size_t row, size_t c, const char *name, const char *text)
{
	for (size_t r = 0; r < row; r++) {
		pt_report_row(g->profile, g->view, g->row[r], g->values);
		if (g->values[c].text != NULL && strcmp(g->values[0].text, name) == 0 &&
		    strcmp(g->values[c].text, text) == 0)
			return true;
	}
	return false;
}

static void print_below(struct pt_grid *g, size_t c, struct pt_text *out)
{
	pt_text_add(out, "\n%s\n", g->view->columns[c].heading);
	for (size_t r = 0; r < g->n_rows; r++) {
		const char *name, *text;

		pt_report_row(g->profile, g->view, g->row[r], g->values);
		name = g->values[0].text;
		text = g->values[c].text;
		if (text != NULL && !is_said_before(g, r, c, name, text))
			pt_text_add(out, "%-*s  %s\n", (int)g->field[0].width, name, text);
	}
}

void pt_grid_print(struct pt_grid *g, struct pt_text *out)
{
	char cell[PT_CELL_BYTES];

	print_headings(g, out);
	for (size_t r = 0; r < g->n_rows; r++) {
		pt_report_row(g->profile, g->view, g->row[r], g->values);
		for (size_t i = 0; i < g->n_fields; i++) {
			cell_of(g, g->field[i].c, g->field[i].interval, cell);
			put(g, i, cell, out);
		}
		end_line(out);
	}
	for (size_t c = 0; c < g->view->n_columns; c++)
		if (stands_below(g, c, true) && has_text(g, c))
			print_below(g, c, out);
}

void pt_grid_fini(struct pt_grid *g)
{
	free(g->values);
	free(g->shown);
	free(g->field);
}
