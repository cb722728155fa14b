/* A view is one table: it defines the rows, not how they are printed. Formats loop over columns. A subject is a profile
 * (views of results), a board (sources, registers) or anything else a view was written for. */
#ifndef PT_REPORT_VIEW_H
#define PT_REPORT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/result/basis.h"

enum pt_unit {
	PT_UNIT_NONE,		/* text, a name */
	PT_UNIT_COUNT,
	PT_UNIT_CYCLES, PT_UNIT_INSTRUCTIONS, PT_UNIT_NS,
	PT_UNIT_STAMP,		/* a moment, in ns on the probe's clock */
	PT_UNIT_SHARE,		/* 0..1, shown as % */
	PT_UNIT_BYTES, PT_UNIT_HZ,
	PT_UNIT_ADDRESS,	/* hex */
	PT_UNIT_TICKS,		/* on the profile's clock: modelled cycles or instructions */
	PT_UNIT_MEAN,		/* an average on the profile's clock: f; NAN: not known */
	PT_UNIT_NS_MEAN,	/* an average of times: f, in ns */
	PT_UNIT_REAL,		/* a number that may be fractional or negative: f */
	PT_UNIT_PER_S,		/* a rate: f */
};

static inline bool pt_unit_is_real(enum pt_unit unit)	/* the value is f */
{
	return unit == PT_UNIT_SHARE || unit == PT_UNIT_MEAN || unit == PT_UNIT_NS_MEAN || unit == PT_UNIT_REAL ||
	       unit == PT_UNIT_PER_S;
}

struct pt_value {
	union { uint64_t u; double f; const char *text; };	/* NONE: text, or NULL; pt_unit_is_real(): f, NAN: not
							 * known; else u, PT_UNKNOWN: not known */
	uint64_t undecided_ns;	/* not 0: the clocks of the sources are too inexact for this figure; they know moments
				 * to +- this, PT_UNKNOWN: unknown error. u or f is unknown then */
	double lo, hi;		/* 95 % interval when ESTIMATED, else both 0 */
	bool bounds;		/* lo and hi are hard limits, not a 95 % interval */
	enum pt_basis basis;
	bool interval_beside;	/* the interval is printed in a column beside it, so here only a rounded figure is */
	bool about;		/* lo and hi are close: printed as ~ and the figure, without them */
	bool rough;		/* printed with three digits, although it has no interval */
	bool at_least;		/* a lower bound: the figure itself is unknown, and formats that cannot express this
				 * leave it out */
	bool not_there;		/* the figure does not exist (0 / 0): f is NAN, printed as n/a */
	uint8_t indent;		/* NONE: levels of indentation in a table for people */
};

/* When a table for people shows a column: only with wide=on, always, if the rows are of several cores, or if there is
 * room; of several, the last one of the lowest rank is left out first. PT_UNLESS_WINDOWED, PT_IF_WINDOWED: as
 * PT_IF_MUCH_ROOM; with estimates from bursts, the latter (rates, quantiles) replace the former. */
enum pt_column_rank { PT_IF_WIDE, PT_ALWAYS, PT_IF_CORES, PT_IF_ROOM, PT_IF_MUCH_ROOM, PT_UNLESS_WINDOWED, PT_IF_WINDOWED };

struct pt_column {
	const char *key;	/* "net.avg": JSON path, csv column, sort word */
	const char *heading;	/* on a terminal; also a sort word, see pt_view_column() */
	enum pt_unit unit;
	uint8_t brief;		/* enum pt_column_rank */
};

enum { PT_NOT_MADE = -1 };

struct pt_query;	/* report/table/query.h */

struct pt_view {
	const char *name;	/* "functions" */
	const char *help;
	const char *needs;	/* the analysis that makes its rows; NULL: every profile has them */
	bool bulky;		/* thousands of rows: in JSON only if this view was requested */
	const char *also;	/* a related view: a table for people shows it below, if it has rows */
	/* Whether row i is of another kind than most, with values in other columns: a table for people has those rows in a
	 * second part, whose first column is called second_heading. NULL: all are of one kind */
	bool (*in_second)(const void *subject, size_t i);
	const char *second_heading;
	bool whole;		/* short: always shown whole, because its last rows are as important as the first */
	bool wide;		/* its texts are sentences: a table for people does not cut them */
	uint8_t name_columns;	/* for people, names of rows (the first column) are cut to this width; 0: as other
				 * texts */
	size_t tail;		/* number of last rows that a query without a selection shows; 0: all */
	/* Whether the query selects row i (from, to, name); NULL: the view does not support this. */
	bool (*match)(const void *subject, size_t i, const struct pt_query *query);
	const char *empty;	/* what the user can do to get rows; NULL: nothing can be done */
	const char *empty_in_gdb;	/* the same for GDB's monitor; NULL: the same text */
	const char *note;	/* a note that a reader needs, in the text report; NULL: nothing */
	/* Writes a note about the present table and its shown columns (NULL: none) to out, of room bytes: a sentence
	 * without its full stop; false: no note. NULL: never anything */
	bool (*remark)(const void *subject, const bool *shown, char *out, size_t room);
	const char *sort;	/* sort word of its own order; NULL: as the rows come */
	const struct pt_column *columns;
	size_t n_columns;
	size_t (*n_rows)(const void *subject);	/* or PT_NOT_MADE: without the analysis that it needs */
	/* n_columns values; text lives as long as the subject */
	void (*row)(const void *subject, size_t i, struct pt_value *out);
};

#endif
