/* Assigns a list of events to the counters of a core, in turns if they do not fit at once. It uses the least possible
 * number of turns (if events are grouped, or there are fewer than 4 counters: as many as first fit finds), and the same
 * list always gets the same places. Pure; any thread.
 *
 * A threshold event can use PMC0 or PMC1 only; the others fill the counters from the last one down, to leave those two
 * free. The upper half of a chain is on any other counter of the same turn and counts the lower one's overflow event
 * (pt_e500_overflow_event). A search moves events between turns so that as many ratios as possible (AN3636 Table 1, and
 * those derived from them in profile/analyses/counters/metrics.c) have all their events in one turn. Unused counters
 * count some events a second time, in another turn. Source: E500CORERM 7.6, AN3636 Table 1. */
#ifndef PT_E500_ASSIGN_H
#define PT_E500_ASSIGN_H

#include "targets/e500/core/events.h"

enum { PT_E500_WANTS_MAX = 256, PT_E500_PLACES_MAX = 1024, PT_E500_NO_PMC = 0xff };

struct pt_e500_want {
	const struct pt_e500_event *event;
	bool chained;			/* 64 bits wide, on two counters */
	bool apart;			/* not used in ratios: it counts in other core states than count= says */
	uint8_t together;		/* not 0: all wants with this number are in one turn */
};

struct pt_e500_place {
	uint16_t want;
	uint16_t turn;			/* from 0 */
	uint8_t pmc;
	uint8_t high_pmc;		/* the upper half of a chain; PT_E500_NO_PMC: none */
};

/* n_pmcs: usable counters, from PMC0 on; 1 up to what the core has (another owner may keep the rest).
 * places: n_wants of them, caller's, one for each want in order; *n_turns: 0 for an empty list. 0, or nothing is
 * written and
 *   PT_EUNSUPPORTED the core lacks an event
 *   PT_EARG         an event that counts a counter's overflows, which only chains use; or a group of events needs more
 *                   counters than there are
 *   PT_ENOMEM       more than PT_E500_WANTS_MAX */
int pt_e500_assign(enum pt_e500_core core, unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants,
		   struct pt_e500_place *places, size_t *n_turns, struct pt_err *err);

/* Uses the unused counters to count events a second time: first to complete ratios in a turn, then in the order of the
 * list. whole: adds turns until each ratio has its events in one.
 *   places    in: n_places that pt_e500_assign() gave; out: more appended, PT_E500_PLACES_MAX at most
 * Returns the number of places. With one turn no event is counted twice. */
size_t pt_e500_repeat(unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants, bool whole,
		      struct pt_e500_place *places, size_t n_places, size_t *n_turns);

/* The number of ratios whose events are all in the list; *n_whole: how many of them have all events in one turn. */
size_t pt_e500_ratios(const struct pt_e500_want *wants, size_t n_wants, const struct pt_e500_place *places,
		      size_t n_places, size_t n_turns, size_t *n_whole);

/* --- between the files of the module */
enum { PT_E500_RATIOS_MAX = 40, PT_E500_RATIO_EVENTS = 3 };

/* Wants of a ratio all of whose events are in the list. */
struct pt_e500_ratio { uint16_t want[PT_E500_RATIO_EVENTS]; uint8_t n; };
size_t pt_e500_find_ratios(const struct pt_e500_want *wants, size_t n_wants, struct pt_e500_ratio *ratios);
/* turn: of each want, in and out. Moves wants between turns so that more ratios are whole; each turn stays within its
 * limits. */
void pt_e500_gather(unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants, uint16_t *turn, size_t n_turns);

#endif
