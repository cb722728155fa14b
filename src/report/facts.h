/* What every report says before its figures, in a few short lines: what was profiled, on which clock, what was seen and
 * what was lost, and how good it is. The text report says more. Pure. */
#ifndef PT_REPORT_FACTS_H
#define PT_REPORT_FACTS_H

#include "profile/profile.h"

enum { PT_FACTS_LINES = 4, PT_FACTS_BYTES = 640 };

struct pt_facts { char line[PT_FACTS_LINES][PT_FACTS_BYTES]; };	/* the first: a title */

void pt_facts_make(struct pt_facts *facts, const struct pt_profile *profile);
const char *pt_basis_name(enum pt_basis basis);	/* "exact", ...; "not measured" */

#endif
