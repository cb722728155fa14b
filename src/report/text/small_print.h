/* Notes that a reader needs below a table: units, the base of shares, bounds, and remarks of the view. Pure. */
#ifndef PT_REPORT_TEXT_SMALL_PRINT_H
#define PT_REPORT_TEXT_SMALL_PRINT_H

#include <stdbool.h>

#include "profile/result/profile.h"
#include "report/table/view.h"

struct pt_small_print {
	const struct pt_profile *profile;
	const struct pt_view *view;
	const bool *shown;		/* by the view's columns */
	bool has_bounds;		/* a cell shown is a lower bound */
	bool ascii;			/* the table marks a bound with ">=" */
};

/* Calls each with every sentence, which ends with a full stop. */
void pt_small_print_each(const struct pt_small_print *print, void (*each)(void *arg, const char *line), void *arg);

#endif
