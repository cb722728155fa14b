/* Which event is counted where: any list of events on the counters of a core, in turns where they do not fit at once.
 * The number of turns is the least there can be, and the same list always gets the same places. Pure; any thread.
 *
 * A threshold event goes on PMC0 or PMC1 only; the others fill the counters from the last one down, to leave those two
 * free. The upper half of a chain is on any other counter of the same turn and counts the lower one's overflow event
 * (pt_e500_overflow_event). That a ratio's events share a turn is not looked for. Source: E500CORERM 7.6. */
#ifndef PT_E500_ASSIGN_H
#define PT_E500_ASSIGN_H

#include "targets/e500/events.h"

enum { PT_E500_WANTS_MAX = 256, PT_E500_NO_PMC = 0xff };

struct pt_e500_want {
	const struct pt_e500_event *event;
	bool chained;			/* 64 bits wide, on two counters */
};

struct pt_e500_place {
	uint16_t turn;			/* from 0 */
	uint8_t pmc;
	uint8_t high_pmc;		/* the upper half of a chain; PT_E500_NO_PMC: none */
};

/* places: n_wants of them, caller's; *n_turns: 0 for an empty list. 0, or nothing is written and
 *   PT_EUNSUPPORTED the core lacks an event
 *   PT_EARG         an event that counts a counter's overflows: it means nothing where counters are assigned
 *   PT_ENOMEM       more than PT_E500_WANTS_MAX */
int pt_e500_assign(enum pt_e500_core core, const struct pt_e500_want *wants, size_t n_wants,
	struct pt_e500_place *places, size_t *n_turns, struct pt_err *err);

#endif
