/* What a report for people says before its table: what was measured, on which clock, what of the time was seen and what
 * was lost, how good the figures are, and what it cost the target. */
#ifndef PT_REPORT_HEADER_H
#define PT_REPORT_HEADER_H

#include "profile/result/profile.h"
#include "base/text.h"

void pt_header_write(const struct pt_profile *profile, struct pt_text *out);
/* What it cost the target, in one line without its end: as measured where the source says that, else as expected; ""
 * where nobody says. For formats of one line; the header has the same. */
void pt_cost_line(const struct pt_profile *profile, struct pt_text *out);
/* How much was seen and lost, and what went wrong; no more. */
void pt_header_summary(const struct pt_profile *profile, struct pt_text *out);

enum { PT_HEADER_COLUMNS = 120, PT_HEADER_LABEL_COLUMNS = 11 };	/* of a line, of the label that begins it */

/* --- for the files of the header alone */

static inline void pt_header_label(struct pt_text *out, const char *what)	/* a line begins */
{
	pt_text_add(out, "%-*s", PT_HEADER_LABEL_COLUMNS, what);
}

void pt_header_cost(const struct pt_profile *profile, struct pt_text *out);	/* header_overhead.c */
/* header_data.c: what was seen. */
void pt_header_data(const struct pt_profile *profile, struct pt_text *out);
uint64_t pt_header_values(const struct pt_profile *profile);	/* that were written */
uint64_t pt_header_readings(const struct pt_profile *profile);	/* of counters */
/* header_warnings.c: what is wrong with it, or not in it. */
void pt_header_trouble(const struct pt_profile *profile, struct pt_text *out);

#endif
