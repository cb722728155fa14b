/* A query for a report: the view, the format, the order, the selected rows. */
#ifndef PT_REPORT_QUERY_H
#define PT_REPORT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Data of the board that is shown beside a view's rows, in additional columns: GDB's table of tasks shows the present
 * state of each task. A row belongs to the view's row with its name; otherwise to the one with its other name (also),
 * if no other row has that. Rows that belong to none come last. Owned by the caller, and valid until the report is
 * made. */
enum { PT_BESIDE_COLUMNS = 3 };
struct pt_beside_row { const char *name, *also, *cell[PT_BESIDE_COLUMNS]; };	/* also NULL: no other name */
struct pt_beside {
	const char *heading[PT_BESIDE_COLUMNS];
	struct pt_beside_row *row;
	size_t n_rows;
};

struct pt_query {
	char view[24];		/* "functions" */
	char format[16];	/* "text" */
	char sort[24];		/* "net" */
	uint32_t top;		/* rows at most; 0 = all */
	bool top_given;		/* the user gave top=, even top=0 */
	uint32_t first;		/* if top is not given: rows at most, unless the view is always shown whole; 0 = all */
	bool partial;		/* coverage by what was seen, although more may have run */
	uint64_t from_ns, to_ns;	/* of the timeline, on the probe's clock; to_ns 0: no end */
	char name[64];		/* rows with this name; a pattern with * and ?; "": all */
	char task[64];		/* functions of this task; a pattern; "": of all */
	bool wide;		/* text: all columns that have values, whatever their width */
	uint16_t columns;	/* text: width of a line; 0: 100 */
	bool colour, ascii;	/* text: for a terminal with colours; for one without UTF-8 */
	uint64_t began_ns;	/* pprof: when the profile began, since 1970; 0: left out */
	bool lenient;		/* junit: an undecided rule is skipped instead of an error */
	const struct pt_beside *beside;	/* only for the format osdata; NULL: nothing */
};

/* Whether it selects a part of a view (struct pt_view, match). */
static inline bool pt_query_zooms(const struct pt_query *query)
{
	return query->from_ns != 0 || query->to_ns != 0 || query->name[0] != '\0' || query->task[0] != '\0';
}

#endif
