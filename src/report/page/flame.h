/* Flame graph as SVG without a script: the width is the time, callees are above their callers, the root is at the
 * bottom; a tooltip has the figures. Geometry and colours are those of flamegraph.pl, which readers know. */
#ifndef PT_REPORT_FLAME_H
#define PT_REPORT_FLAME_H

#include "base/text.h"
#include "report/shared/stacks.h"

enum { PT_FLAME_WIDTH_PX = 1200 };

/* Adds an <svg> element, without XML declaration. lines: printed above the graph, the first one large;
 * NULL-terminated. */
void pt_flame_svg(struct pt_text *out, const struct pt_profile *profile, const struct pt_stacks *stacks,
		  const char *const *lines);

#endif
