/* Model of the e500's performance monitor: four counters, their controls, freezing, chaining, thresholds, time-base
 * events and the interrupt. It counts what the core says has happened (cpu/e500/e500.h), at the end of each
 * instruction.
 * Source: E500CORERM chapter 7, facts/e500.md 2, 4, 10. What hardware does with PMIE while EE is off is UNVERIFIED. */
#ifndef PT_VIRTUAL_UNIT_E500_PM_H
#define PT_VIRTUAL_UNIT_E500_PM_H

#include "probes/virtual/cpu/e500/e500.h"

enum { PT_VE500_PMCS = 4, PT_VE6500_PMCS = 6 };

struct pt_ve500_pm {
	struct pt_ve500 *cpu;
	unsigned n_pmcs;
	uint32_t pmgc0, pmc[PT_VE6500_PMCS], pmlca[PT_VE6500_PMCS], pmlcb[PT_VE6500_PMCS];
	uint64_t seen[PT_VE6500_PMCS];	/* of the counter's event, when last looked at */
	uint64_t falls[PT_VE6500_PMCS];	/* of each counter's top bit: events 82 to 85, 91, 92 */
	uint64_t edges, next_edge;	/* of the time base's chosen bit: event 90; the cycle of the next */
	bool fresh[PT_VE6500_PMCS];	/* what the present instruction does is not the counter's: it sets it up */
	bool pending, active;		/* an enabled condition came; some counter may move */
};

/* Takes the place of the core's watcher. All registers 0. */
void pt_ve500_pm_init(struct pt_ve500_pm *pm, struct pt_ve500 *cpu);
/* As that of an e6500 is: two more counters, and event numbers of 9 bits. What is counted stays the e500v2's. */
void pt_ve500_pm_widen(struct pt_ve500_pm *pm);
void pt_ve500_pm_reset(struct pt_ve500_pm *pm);
/* By PMR number, the user's read-only ones included. False: there is none of that number, or it cannot be written. */
bool pt_ve500_pm_read(struct pt_ve500_pm *pm, unsigned pmr, uint32_t *value);
bool pt_ve500_pm_write(struct pt_ve500_pm *pm, unsigned pmr, uint32_t value);

#endif
