/* Model of the performance monitor of the e500 family: counters, their controls, freezing, chaining, thresholds,
 * time-base events and the interrupt. It counts what the core says has happened (cpu/e500/e500.h), at the end of each
 * instruction. How many counters there are, and which bits of their controls, is a matter of the core.
 * Source: E500CORERM Rev. 1, chapter 7; NXP's qoriq-debug, pmr_cpu_v1.h. What hardware does with PMIE while EE is off
 * is UNVERIFIED, and so are PMLCb[TRIGONCTL, TRIGOFFCTL, PMCC, PMP], which only hold bits, and the thresholds of e500mc
 * and e5500. */
#ifndef PT_VIRTUAL_UNIT_E500_PM_H
#define PT_VIRTUAL_UNIT_E500_PM_H

#include "probes/virtual/cpu/e500/e500.h"

enum { PT_VE500_MOST_PMCS = 6 };

struct pt_ve500_pm {
	struct pt_ve500 *cpu;
	enum pt_ve500_core core;
	unsigned n_pmcs;
	uint32_t pmgc0, pmc[PT_VE500_MOST_PMCS], pmlca[PT_VE500_MOST_PMCS], pmlcb[PT_VE500_MOST_PMCS];
	uint64_t seen[PT_VE500_MOST_PMCS];	/* of the counter's event, when last looked at */
	uint64_t falls[PT_VE500_MOST_PMCS];	/* of each counter's top bit: events 82 to 85, 91, 92 */
	uint64_t edges, next_edge;	/* of the time base's chosen bit: event 90; the cycle of the next */
	bool fresh[PT_VE500_MOST_PMCS];	/* what the present instruction does is not the counter's: it sets it up */
	bool counts[PT_VE500_EVENTS];	/* the core counts it */
	bool pending, active;		/* an enabled condition came; some counter may move */
	bool counting, overflowed;	/* within step: an enabled condition comes at its end */
};

/* Takes the place of the core's watcher. All registers 0. */
void pt_ve500_pm_init(struct pt_ve500_pm *pm, struct pt_ve500 *cpu);
void pt_ve500_pm_reset(struct pt_ve500_pm *pm);
/* By PMR number, the user's read-only ones included. False: there is none of that number, or it cannot be written. */
bool pt_ve500_pm_read(struct pt_ve500_pm *pm, unsigned pmr, uint32_t *value);
bool pt_ve500_pm_write(struct pt_ve500_pm *pm, unsigned pmr, uint32_t value);
/* Whether a counter of that core can count it: what the core counts, thresholds, chains, edges of the time base. */
bool pt_ve500_pm_counts(enum pt_ve500_core core, unsigned event);

#endif
