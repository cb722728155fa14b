/* Whether the core was halted, by a source or others, and for how long: titles, warnings and details all use this. Pure. */
#ifndef PT_REPORT_HALTS_H
#define PT_REPORT_HALTS_H

#include <stddef.h>

#include "profile/result/profile.h"

struct pt_halts {
	bool by_source;		/* a source halts the core to read, or for samples */
	/* Halted time of the core that was halted longest, by any client or source; an upper bound, because each halt
	 * is noticed a round trip late; 0: not halted */
	uint64_t ns;
	bool unknown;		/* the record of a source's measurement is damaged: there may have been more halts */
	double source_part;	/* the largest part of a source's time in which it halted the core for samples, or to
				 * read */
};

struct pt_halts pt_halts_of(const struct pt_profile *profile);

/* The name of this cause for people; it says if the core was halted while the buffer was read. */
const char *pt_halts_cause(const struct pt_profile *profile, enum pt_loss cause);

/* Bursts began, or may have, where the core went on behind a halt: at no random time. */
bool pt_halts_began_bursts(const struct pt_profile *profile);
/* Why the profile lasted longer than the user requested, as a sentence; false: it did not, or no time was requested. */
bool pt_halts_longer(const struct pt_profile *profile, char *out, size_t room);

#endif
