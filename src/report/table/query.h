/* What a report is asked for: a view, a format, an order, a part of the rows. */
#ifndef PT_REPORT_QUERY_H
#define PT_REPORT_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the board knows of a view's rows, to stand beside them as columns of their own: GDB's table of tasks has the
 * tasks as their OS has them now. A row belongs to the view's row that has its name, else to the one that has what
 * it is also called, if it is the only one that is called so. Those that belong to none come last. The caller's,
 * until the report is there. */
enum { PT_BESIDE_COLUMNS = 3 };
struct pt_beside_row { const char *name, *also, *cell[PT_BESIDE_COLUMNS]; };	/* also: NULL: nothing */
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
	bool top_given;		/* somebody said so, be it 0 */
	uint32_t first;		/* where top is not given: rows at most, if the view is a long one; 0 = all */
	bool partial;		/* coverage of what was seen alone, though more may have run */
	uint64_t from_ns, to_ns;	/* of the timeline, on the probe's clock; to_ns 0: no end */
	char name[64];		/* rows with this name; a pattern with * and ?; "": all */
	char task[64];		/* functions of this task; a pattern; "": of all */
	bool wide;		/* text: all columns that have something to say, whatever their width */
	uint16_t columns;	/* text: of a line; 0: 100 */
	bool colour, ascii;	/* text: on a terminal that has it; where UTF-8 cannot be shown */
	uint64_t began_ns;	/* pprof: when the profile began, since 1970; 0: it is not said */
	bool lenient;		/* junit: an undecided rule is skipped, no error */
	const struct pt_beside *beside;	/* format osdata alone; NULL: nothing */
};

/* Does it ask for a part of a view (struct pt_view, match)? */
static inline bool pt_query_zooms(const struct pt_query *query)
{
	return query->from_ns != 0 || query->to_ns != 0 || query->name[0] != '\0' || query->task[0] != '\0';
}

#endif
