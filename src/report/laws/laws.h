/* What must be true of every report, whatever was profiled: six laws.
 *
 *   1 sums    total = observed + unobserved + lost, of each source and by the chunks' own clock; rows of a table that
 *             adds up, and a named remainder, are all that was observed
 *   2 shares  a function has one share, in whatever table it is
 *   3 exact   is said only where nothing can be missing from the time that the number is about
 *   4 clock   nothing happened more often than the core's clock allows
 *   5 rules   pass or fail only by a number that law 3 allows
 *   6 answers samples and bursts of one core do not differ by more than chance explains, or the report says so; what
 *             is shown of a function is what the samples said, but for the cycles of entering exceptions; nor do two
 *             halves of what was recorded
 *
 * They check what the views print, and the profile beside it; what comes from the chunks (law_clock.h) knows nothing of
 * the pipeline. Known violations are exceptions with their reasons, pt_law_exceptions: the list only shrinks. Pure. */
#ifndef PT_REPORT_LAWS_H
#define PT_REPORT_LAWS_H

#include <stddef.h>

#include "profile/result/profile.h"
#include "report/laws/law_clock.h"

enum pt_law { PT_LAW_SUMS = 1, PT_LAW_SHARES, PT_LAW_EXACT, PT_LAW_CLOCK, PT_LAW_RULES, PT_LAW_ANSWERS, PT_N_LAWS };

struct pt_law_exception {
	enum pt_law law;
	const char *table;
	const char *why;
	bool (*applies)(const struct pt_profile *profile);
};

extern const struct pt_law_exception pt_law_exceptions[];	/* ends with table NULL */

/* sentence: which table and row, and both numbers; excepted: the reason of the exception, or NULL. */
typedef void (*pt_law_report)(void *arg, enum pt_law law, const char *sentence, const char *excepted);

const char *pt_law_name(enum pt_law law);	/* "sums", ... */

/* clock: made from all chunks of the profile; NULL: not available. Returns the number of violations, without
 * exceptions. */
size_t pt_laws_check(const struct pt_profile *profile, const struct pt_law_clock *clock, pt_law_report report,
		     void *arg);

/* Law 6 for two profiles, made of the two halves of the looks of a third one (pipeline/halves.h). */
size_t pt_laws_check_halves(const struct pt_profile *a, const struct pt_profile *b, pt_law_report report, void *arg);

#endif
