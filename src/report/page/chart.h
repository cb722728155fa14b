/* The last part of the timeline as a picture: an SVG without a script, time to the right, one row per level of the
 * stack, a tooltip with the figures. Gaps are hatched: nobody knows what ran there. */
#ifndef PT_REPORT_CHART_H
#define PT_REPORT_CHART_H

#include "base/text.h"

struct pt_profile;

/* An <svg> element, or one for each core; nothing at all if there is no timeline, or nothing in it with a duration. */
void pt_chart_svg(struct pt_text *out, const struct pt_profile *profile);

#endif
