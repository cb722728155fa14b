/* From a source's ticks to moments on the probe's clock, through the anchors that the source gave (CLOCK chunks):
 * straight lines between two of them, the line of the last two behind the last, the nominal frequency where there is
 * one anchor only, or none. Every moment says how good it is. Pure; integers, so the same everywhere. */
#ifndef PT_PROFILE_CLOCK_H
#define PT_PROFILE_CLOCK_H

#include "profile/flow/timestamp.h"

enum { PT_CLOCK_ANCHORS = 8, PT_CLOCK_PPM = 100 };	/* ppm: of a nominal frequency that says nothing itself */

struct pt_clock {
	uint64_t tick_hz;	/* nominal; 0: not known */
	uint64_t tick_ppm;	/* how far off that may be */
	struct pt_anchor { uint64_t ticks, ns, error_ns; } anchor[PT_CLOCK_ANCHORS];	/* by ticks: the last ones */
	unsigned n_anchors;
	bool guessed;		/* the only anchor is a guess from a chunk's span */
};

struct pt_clock pt_clock_of(uint64_t tick_hz, uint64_t tick_ppm);

/* Ticks were at ns +- error_ns. One that does not rise in both: the source's clock started anew, what was known of it
 * is forgotten. */
void pt_clock_anchor(struct pt_clock *clock, uint64_t ticks, uint64_t ns, uint64_t error_ns);
/* Nothing is known yet, but that these ticks fell into [from_ns, to_ns]. Does nothing where an anchor is known. */
void pt_clock_guess(struct pt_clock *clock, uint64_t ticks, uint64_t from_ns, uint64_t to_ns);

/* Whether no later anchor can change what pt_clock_at() says. */
bool pt_clock_settled(const struct pt_clock *clock, uint64_t ticks);
/* ns PT_UNKNOWN: no anchor, no rate, or later than a number of ns can say. Never before 0; error_ns is at most
 * PT_NO_BOUND_NS. */
struct pt_timestamp pt_clock_at(const struct pt_clock *clock, uint64_t ticks);

#endif
