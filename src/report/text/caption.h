/* The text that an export, a drawing or a comparison has before its figures: the sentences of the first screen, and
 * facts for which such a file has no other place. Pure. */
#ifndef PT_REPORT_TEXT_CAPTION_H
#define PT_REPORT_TEXT_CAPTION_H

#include "report/text/headline.h"

/* The first are those of the headline. */
enum pt_caption_line {
	PT_CAPTION_PROFILE = PT_HEADLINE_TITLE,
	PT_CAPTION_OBSERVED = PT_HEADLINE_OBSERVED,
	PT_CAPTION_ACCURACY = PT_HEADLINE_ACCURACY,
	PT_CAPTION_WARNING = PT_HEADLINE_WARNING,
	PT_CAPTION_LARGEST = PT_HEADLINE_LINES,	/* the largest figure with its interval, for formats without
						 * intervals */
	PT_CAPTION_METHOD,	/* source, mode, probe, clock; the proftap that made it */
	PT_CAPTION_AGAIN,	/* the command that repeats the profile */
};
enum { PT_CAPTION_LINES = PT_CAPTION_AGAIN + 1, PT_CAPTION_BYTES = 2 * PT_HEADLINE_BYTES };

/* Without line ends; "" if there is nothing to say: no warning, no estimate. */
struct pt_caption { char line[PT_CAPTION_LINES][PT_CAPTION_BYTES]; };

void pt_caption_make(struct pt_caption *caption, const struct pt_profile *profile);
/* "profile", "observed", ...: a key for the line, letters only. */
const char *pt_caption_key(enum pt_caption_line line);

#endif
