/* Whether the core was halted, by whom and for how long: the one answer that titles, warnings and details give. Pure. */
#ifndef PT_REPORT_HALTS_H
#define PT_REPORT_HALTS_H

#include <stddef.h>

#include "profile/result/profile.h"

struct pt_halts {
	bool by_source;		/* a source halts the core to read, or for samples */
	/* Of the core that was halted longest, by whomever: each halt is noticed a round trip late, so that it is at
	 * most this; 0: it was not */
	uint64_t ns;
	bool unknown;		/* the record of what a source measured is damaged: there may have been more halts */
	double source_part;	/* of the time of a source, at most: that it halted the core for samples, or to read */
};

struct pt_halts pt_halts_of(const struct pt_profile *profile);

/* What people read for this cause: that the core was halted while the buffer was read, where it was. */
const char *pt_halts_cause(const struct pt_profile *profile, enum pt_loss cause);

/* Why the profile lasted longer than its user asked for, as a sentence; false: it did not, or nothing was asked for. */
bool pt_halts_longer(const struct pt_profile *profile, char *out, size_t room);

#endif
