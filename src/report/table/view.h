/* A view is one table: what the rows are, nothing of how they look. Formats loop over columns.
 * A subject is a profile (views of results), a board (sources, registers) or anything else a view was written for. */
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
	PT_UNIT_REAL,		/* a number that may be broken or negative: f */
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
	uint64_t undecided_ns;	/* not 0: the figure would need a finer order than the clocks of the sources allow,
				 * which know moments to this much only, PT_UNKNOWN: it is not known how much;
				 * u or f says that it is not known */
	double lo, hi;		/* 95 % interval when ESTIMATED, else both 0 */
	bool bounds;		/* lo and hi are the least and most that it can be, and no interval of 95 % */
	enum pt_basis basis;
	bool interval_beside;	/* lo and hi are those of a column beside it: people read them there, rounded here */
	bool rough;		/* more digits than three say nothing, though it has no interval: people read so many */
	bool at_least;		/* a lower bound: the figure itself is not known, and formats that cannot say so leave it out */
	bool not_there;		/* a figure that does not exist, nothing divided by nothing: f is NAN, and people
				 * read n/a */
	uint8_t indent;		/* NONE: how many levels to the right a table for people puts it */
};

/* Whether the table for people has a column: never unless all are asked for, always, if the rows are of several cores,
 * or while there is room: the last one that is least wanted leaves first. PT_UNLESS_WINDOWED,
 * PT_IF_WINDOWED: as PT_IF_MUCH_ROOM; but estimates from bursts have rates, or quantiles, in the place of the former. */
enum pt_column_rank { PT_IF_WIDE, PT_ALWAYS, PT_IF_CORES, PT_IF_ROOM, PT_IF_MUCH_ROOM, PT_UNLESS_WINDOWED, PT_IF_WINDOWED };

struct pt_column {
	const char *key;	/* "net.avg": names the JSON path, the csv column, a sort word */
	const char *heading;	/* on a terminal, where it is a sort word, too; pt_view_column() */
	enum pt_unit unit;
	uint8_t brief;		/* enum pt_column_rank */
};

enum { PT_NOT_MADE = -1 };

struct pt_query;	/* report/table/query.h */

struct pt_view {
	const char *name;	/* "functions" */
	const char *help;
	const char *needs;	/* the analysis that makes its rows; NULL: every profile has them */
	bool bulky;		/* rows by the thousand: in JSON only when it is the view that was asked for */
	const char *also;	/* another view that belongs with it: a table for people
				 * shows it below, if it has rows */
	/* Whether row i is of another kind than most, with values in other columns: a table for people has those rows in a
	 * second part, whose first column is called second_heading. NULL: all are of one kind */
	bool (*in_second)(const void *subject, size_t i);
	const char *second_heading;
	bool whole;		/* it is short, and its last rows matter as its first do */
	bool wide;		/* its texts are sentences: a table for people does not cut them */
	uint8_t name_columns;	/* its names of rows (the first column) are cut to so many for people; 0: as all texts */
	size_t tail;		/* rows, the last ones, that a query shows that says nothing about which; 0: all */
	/* Whether row i is one of those that the query asks for (from, to, name); NULL: it cannot
	 * be asked like that. */
	bool (*match)(const void *subject, size_t i, const struct pt_query *query);
	const char *empty;	/* what to do so that it has rows; NULL: nothing can be done */
	const char *empty_in_gdb;	/* the same in GDB's words; NULL: in the same words */
	const char *note;	/* what one must know to read it right, below its name in
				 * the text report; NULL: nothing */
	/* What one must know of this table as it is, of the columns shown (NULL: of none): a sentence without its full stop
	 * in out, of room bytes; false: nothing. NULL: never anything */
	bool (*remark)(const void *subject, const bool *shown, char *out, size_t room);
	const char *sort;	/* sort word of its own order; NULL: as the rows come */
	const struct pt_column *columns;
	size_t n_columns;
	size_t (*n_rows)(const void *subject);	/* or PT_NOT_MADE: without the analysis that it needs */
	/* n_columns values; text lives as long as the subject */
	void (*row)(const void *subject, size_t i, struct pt_value *out);
};

#endif
