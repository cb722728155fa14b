/* Which event is counted where: any list of events on the counters of a core, in turns where they do not fit at once.
 * The number of turns is the least there can be (where events are held together, or counters are fewer than 4: as
 * first fit finds it), and the same
 * list always gets the same places. Pure; any thread.
 *
 * A threshold event goes on PMC0 or PMC1 only; the others fill the counters from the last one down, to leave those two
 * free. The upper half of a chain is on any other counter of the same turn and counts the lower one's overflow event
 * (pt_e500_overflow_event). Which events share a turn is decided for ratios: those of Table 1 of AN3636, and those
 * that are made of them (profile/analyses/counters/metrics.c), have as many of theirs whole as a search finds. Counters that are left
 * over count some events a second time, in a further turn. Source: E500CORERM 7.6, AN3636 Table 1. */
#ifndef PT_E500_ASSIGN_H
#define PT_E500_ASSIGN_H

#include "targets/e500/core/events.h"

enum { PT_E500_WANTS_MAX = 256, PT_E500_PLACES_MAX = 1024, PT_E500_NO_PMC = 0xff };

struct pt_e500_want {
	const struct pt_e500_event *event;
	bool chained;			/* 64 bits wide, on two counters */
	bool apart;			/* it is in no ratio: it counts by rules of its own */
	uint8_t together;		/* not 0: all of this number are in one turn */
};

struct pt_e500_place {
	uint16_t want;
	uint16_t turn;			/* from 0 */
	uint8_t pmc;
	uint8_t high_pmc;		/* the upper half of a chain; PT_E500_NO_PMC: none */
};

/* n_pmcs: 1 or more, of PMC0 on, up to what the core has: another owner may keep the others.
 * places: n_wants of them, caller's, one for each want in their order; *n_turns: 0 for an empty list. 0, or nothing is
 * written and
 *   PT_EUNSUPPORTED the core lacks an event
 *   PT_EARG         an event that counts a counter's overflows: it means nothing where counters are assigned; or more
 *                   events are to be together than there are counters for
 *   PT_ENOMEM       more than PT_E500_WANTS_MAX */
int pt_e500_assign(enum pt_e500_core core, unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants,
		   struct pt_e500_place *places, size_t *n_turns, struct pt_err *err);

/* Gives the counters that are left over to events a second time: first so that a turn has all of a ratio's events, then
 * in the order of the list. whole: turns are added until each ratio has its events in one.
 *   places    in: n_places that pt_e500_assign() gave; out: more behind them, PT_E500_PLACES_MAX at the most
 * Returns how many there are. With one turn nothing is counted twice. */
size_t pt_e500_repeat(unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants, bool whole,
		      struct pt_e500_place *places, size_t n_places, size_t *n_turns);

/* How many of the list's ratios there are, and how many have all of their events in one turn. */
size_t pt_e500_ratios(const struct pt_e500_want *wants, size_t n_wants, const struct pt_e500_place *places,
		      size_t n_places, size_t n_turns, size_t *n_whole);

/* --- between the files of the module */
enum { PT_E500_RATIOS_MAX = 40, PT_E500_RATIO_EVENTS = 3 };

/* Wants of a ratio all of whose events are in the list. */
struct pt_e500_ratio { uint16_t want[PT_E500_RATIO_EVENTS]; uint8_t n; };
size_t pt_e500_find_ratios(const struct pt_e500_want *wants, size_t n_wants, struct pt_e500_ratio *ratios);
/* turn: of each want; moves wants between turns so that more ratios are whole, none of which holds more than before. */
void pt_e500_gather(unsigned n_pmcs, const struct pt_e500_want *wants, size_t n_wants, uint16_t *turn, size_t n_turns);

#endif
