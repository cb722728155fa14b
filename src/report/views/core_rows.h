/* Rows of lines, instructions and inlined calls: with several cores, the rows of one core after those of the other. For
 * views alone. */
#ifndef PT_REPORT_VIEWS_CORE_ROWS_H
#define PT_REPORT_VIEWS_CORE_ROWS_H

#include "profile/analyses/code/lines.h"

typedef size_t pt_core_rows_of(const struct pt_lines *lines);	/* number of rows of one core */

static inline size_t pt_core_rows(const struct pt_lines *lines, pt_core_rows_of *rows_of)
{
	size_t n = lines->n_cores < 2 ? rows_of(lines) : 0;

	for (size_t i = 0; lines->n_cores > 1 && i < lines->n_cores; i++)
		n += rows_of(lines->cores[i]);
	return n;
}

/* The core's lines to which row i of the table belongs; *i becomes its index there. */
static inline const struct pt_lines *pt_core_row(const struct pt_lines *lines, pt_core_rows_of *rows_of, size_t *i)
{
	size_t core = 0;

	if (lines->n_cores < 2)
		return lines;
	for (; core + 1 < lines->n_cores && *i >= rows_of(lines->cores[core]); core++)
		*i -= rows_of(lines->cores[core]);
	return lines->cores[core];
}

#endif
