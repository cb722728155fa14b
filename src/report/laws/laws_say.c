/* Reports violations; and helpers of the laws to read a table. */
#include "report/laws/laws_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

const char *pt_law_name(enum pt_law law)
{
	static const char *const names[PT_N_LAWS] = { NULL, "sums", "shares", "exact", "clock", "rules", "answers" };

	return law > 0 && law < PT_N_LAWS ? names[law] : "?";
}

/* --- exceptions --------------------------------------------------------------------------------------------------- */

static bool of_cores(const struct pt_profile *p)
{
	return p->n_cores > 1;
}

const struct pt_law_exception pt_law_exceptions[] = {
	{ PT_LAW_SHARES, "tree", "of several cores its shares are of all of them together", of_cores },
	{ 0 },
};

void pt_law_violated(struct pt_law_check *check, enum pt_law law, const char *table, const char *fmt, ...)
{
	const char *excepted = NULL;
	char text[400];
	va_list args;
	int n;

	for (const struct pt_law_exception *e = pt_law_exceptions; e->table != NULL; e++)
		if (e->law == law && strcmp(e->table, table) == 0 && e->applies(check->profile))
			excepted = e->why;
	n = snprintf(text, sizeof(text), "%s: ", table);
	va_start(args, fmt);
	vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, args);
	va_end(args);
	check->n += excepted == NULL;
	if (check->report != NULL)
		check->report(check->arg, law, text, excepted);
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

int pt_law_column(const struct pt_view *view, const char *key)
{
	for (size_t c = 0; c < view->n_columns; c++)
		if (strcmp(view->columns[c].key, key) == 0)
			return (int)c;
	return -1;
}

size_t pt_law_rows(const struct pt_view *view, const struct pt_profile *profile)
{
	size_t n = view->n_columns <= PT_LAW_COLUMNS ? view->n_rows(profile) : 0;

	return n == (size_t)PT_NOT_MADE ? 0 : n;
}

bool pt_law_of_runs(const struct pt_profile *p)
{
	return !p->by_bins && !p->part_shown && p->branches != 0 && strcmp(p->analysis, "execution") == 0;
}
