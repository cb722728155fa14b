/* Rows of lines, instructions and inlined calls: those of each core behind those of the one before, where there are
 * several. For views alone. */
#ifndef PT_REPORT_VIEWS_CORE_ROWS_H
#define PT_REPORT_VIEWS_CORE_ROWS_H

#include "profile/analyses/code/lines.h"

typedef size_t pt_core_rows_of(const struct pt_lines *lines);	/* rows of one core */

static inline size_t pt_core_rows(const struct pt_lines *lines, pt_core_rows_of *rows_of)
{
	size_t n = lines->n_cores < 2 ? rows_of(lines) : 0;

	for (size_t i = 0; lines->n_cores > 1 && i < lines->n_cores; i++)
		n += rows_of(lines->cores[i]);
	return n;
}

/* Whose row is row i of the table; *i becomes the row's number there. */
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
