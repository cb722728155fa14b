/* How the figures of a profile were made, in full: source, clock, account of time with all causes, what was recorded,
 * accuracy, all warnings, memory used, overhead. Pure. */
#ifndef PT_REPORT_TEXT_DETAILS_H
#define PT_REPORT_TEXT_DETAILS_H

#include "base/text.h"
#include "profile/result/profile.h"

/* columns: width of a line; longer ones are broken between words. */
void pt_details_write(const struct pt_profile *profile, size_t columns, struct pt_text *out);
/* All warnings and notes, one line each. */
void pt_details_warnings(const struct pt_profile *profile, size_t columns, struct pt_text *out);
/* What profiling did to the program, in one line without its end: as the source measured it, else as expected; "" if
 * neither is known. */
void pt_overhead_line(const struct pt_profile *profile, struct pt_text *out);

/* width of a line by default; of the label at its begin */
enum { PT_DETAILS_COLUMNS = 120, PT_LABEL_COLUMNS = 11 };

/* --- for the files of the details alone */

static inline void pt_details_label(struct pt_text *out, const char *what)	/* begins a line with its label */
{
	pt_text_add(out, "%-*s", PT_LABEL_COLUMNS, what);
}

void pt_details_overhead(const struct pt_profile *profile, struct pt_text *out);	/* overhead.c */
/* In details_data.c: what was recorded. */
void pt_details_data(const struct pt_profile *profile, struct pt_text *out);
uint64_t pt_details_values(const struct pt_profile *profile);	/* number of values that the program wrote */
/* as the chip reported them, with or without their end */
uint64_t pt_details_exceptions(const struct pt_profile *profile);
uint64_t pt_details_looks(const struct pt_profile *profile);	/* at variables */
uint64_t pt_details_readings(const struct pt_profile *profile);	/* of counters */

#endif
