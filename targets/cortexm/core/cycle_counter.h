/* The DWT's cycle counter, CYCCNT, and its eight-bit counters: on while they are read, restored afterwards. Board
 * thread. Source: Arm DDI 0403 (ARMv7-M), C1.8.7 (DWT_CTRL). */
#ifndef PT_CORTEXM_CYCLE_COUNTER_H
#define PT_CORTEXM_CYCLE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct pt_cortexm;

struct pt_cycle_counter {
	uint32_t found;		/* DWT_CTRL */
	bool on;		/* set by us, to be restored */
	bool events;		/* the eight-bit counters exist */
};

/* Sets TRCENA and CYCCNTENA; events: also the enables of the other counters. PT_EUNSUPPORTED: the core has no cycle
 * counter. */
int pt_cycle_counter_on(struct pt_cortexm *cm, struct pt_cycle_counter *c, bool events, struct pt_err *err);
/* Restores what on() found; TRCENA is kept for other users. Does nothing if it is not on. */
int pt_cycle_counter_off(struct pt_cortexm *cm, struct pt_cycle_counter *c, struct pt_err *err);

#endif
