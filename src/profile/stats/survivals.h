/* Survival (survival.h) of many rows, a few kinds of lengths each, fed by the window: what is noted of one counts only
 * when it has ended, since its end decides where lengths are cut, and since not every window is one.
 *
 * A window is cut at a time, not where something ends (flow/windows.h): what ended behind the cut had not yet ended
 * there, and what began behind it does not count.
 * Memory: of rows that occur; and PT_SURVIVALS_NOTES values of a window. Where one had more there are no
 * figures: to leave it out would leave out many short ones. Pure. */
#ifndef PT_PROFILE_SURVIVALS_H
#define PT_PROFILE_SURVIVALS_H

#include "profile/stats/survival.h"

enum { PT_SURVIVALS_NOTES = 1 << 17 };	/* more than a window of some 250000 cycles has calls and returns */

enum pt_survival_end {
	PT_SURVIVAL_ENDED,
	PT_SURVIVAL_GOES_ON,	/* it was seen up to the end of the window */
	PT_SURVIVAL_RESTS,	/* likewise, but its clock stood still there: it was preempted */
};

struct pt_survivals;

struct pt_survivals *pt_survivals_new(size_t n_rows, size_t n_kinds);
void pt_survivals_free(struct pt_survivals *s);

void pt_survivals_begin(struct pt_survivals *s);	/* of a window; one that was not ended was none */
bool pt_survivals_open(const struct pt_survivals *s);	/* in a window? */
/* Of something that began in the window. at: ticks from its beginning to where this was seen. */
void pt_survivals_note(struct pt_survivals *s, size_t row, size_t kind, uint64_t ticks, uint64_t at,
		       enum pt_survival_end end);
/* A place among the notes of the window; and what was noted behind it did not end, as far as is known. */
size_t pt_survivals_place(const struct pt_survivals *s);
void pt_survivals_did_not_end(struct pt_survivals *s, size_t place);
/* It is not known when something of the row ended: of its lengths nothing can be said any more. */
void pt_survivals_spoil(struct pt_survivals *s, size_t row);
/* The window ends; lengths are cut so many ticks from its beginning. weight: of each value. */
void pt_survivals_end(struct pt_survivals *s, uint64_t cut, double weight);

struct pt_lengths pt_survivals_lengths(const struct pt_survivals *s, size_t row, size_t kind);

#endif
