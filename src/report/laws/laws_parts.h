/* Internals of the laws, for their own files alone: laws.c (calls all, laws 4 and 5), laws_sums.c (1), laws_shares.c
 * (2), laws_exact.c (3), laws_sources.c and laws_halves.c (6), laws_say.c (reports and exceptions). */
#ifndef PT_REPORT_LAWS_PARTS_H
#define PT_REPORT_LAWS_PARTS_H

#include "report/laws/laws.h"
#include "report/table/view.h"

struct pt_law_check {
	const struct pt_profile *profile;
	const struct pt_law_clock *clock;	/* or NULL */
	pt_law_report report;
	void *arg;
	size_t n;
};

void __attribute__((format(printf, 4, 5)))
pt_law_violated(struct pt_law_check *check, enum pt_law law, const char *table, const char *fmt, ...);

/* The column of this key; -1: the view has none. */
int pt_law_column(const struct pt_view *view, const char *key);
/* Rows of the view; 0: it was not made. */
size_t pt_law_rows(const struct pt_view *view, const struct pt_profile *profile);
/* The figures come from runs, and all functions have rows: the rows add up. */
bool pt_law_of_runs(const struct pt_profile *profile);

void pt_law_sums(struct pt_law_check *check);
void pt_law_shares(struct pt_law_check *check);
void pt_law_exact(struct pt_law_check *check);
void pt_law_sources(struct pt_law_check *check);

enum { PT_LAW_COLUMNS = 96 };	/* no view has more */

#endif
