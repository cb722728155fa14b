/* Warnings: what makes the figures of a profile wrong, doubtful or incomplete; the gravest first. Pure. */
#ifndef PT_REPORT_TEXT_WARNINGS_H
#define PT_REPORT_TEXT_WARNINGS_H

#include "base/text.h"
#include "profile/result/profile.h"

enum { PT_WARNINGS = 48, PT_WARNING_BYTES = 480 };

struct pt_warnings {
	char text[PT_WARNINGS][PT_WARNING_BYTES];	/* without line ends */
	size_t n;
	size_t n_grave;		/* the first ones, for the first screen; the others are details */
};

void pt_warnings_find(struct pt_warnings *warnings, const struct pt_profile *profile);

#endif
