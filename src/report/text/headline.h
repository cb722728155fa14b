/* The first screen of a report for people, before its table: what ran on what, how much of it was observed, how
 * accurate the figures are, and the gravest warning. At most PT_HEADLINE_LINES sentences; the rest is in the details
 * (details.h). Pure. */
#ifndef PT_REPORT_TEXT_HEADLINE_H
#define PT_REPORT_TEXT_HEADLINE_H

#include "base/text.h"
#include "profile/result/profile.h"

enum pt_headline_line { PT_HEADLINE_TITLE, PT_HEADLINE_OBSERVED, PT_HEADLINE_ACCURACY, PT_HEADLINE_WARNING };
enum { PT_HEADLINE_LINES = 4, PT_HEADLINE_BYTES = 640 };

/* Without line ends. The last is "" without a warning. */
struct pt_headline { char line[PT_HEADLINE_LINES][PT_HEADLINE_BYTES]; };

void pt_headline_make(struct pt_headline *headline, const struct pt_profile *profile);
/* For a narrow terminal: leaves out the core's name, "not halted", the time asleep and unobserved, and the advice of
 * the warning. The accuracy is not shortened. */
void pt_headline_make_brief(struct pt_headline *headline, const struct pt_profile *profile);
/* "observed", "accuracy", ...: the label of a line; "" for the title. */
const char *pt_headline_label(enum pt_headline_line line);

#endif
