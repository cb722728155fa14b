/* The DWT's cycle counter, CYCCNT, and the eight-bit counters beside it: on while they are read, and afterwards as they
 * were found. Board thread. Source: Arm DDI 0403 (ARMv7-M), C1.8.7 (DWT_CTRL). */
#ifndef PT_CORTEXM_CYCLE_COUNTER_H
#define PT_CORTEXM_CYCLE_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct pt_cortexm;

struct pt_cycle_counter {
	uint32_t found;		/* DWT_CTRL */
	bool on;		/* ours to put back */
	bool events;		/* the eight-bit counters are there */
};

/* TRCENA and CYCCNTENA, and events: those of the other counters. PT_EUNSUPPORTED: the core has no cycle counter. */
int pt_cycle_counter_on(struct pt_cortexm *cm, struct pt_cycle_counter *c, bool events, struct pt_err *err);
/* As on() found it; TRCENA stays for other users. Nothing where it is not on. */
int pt_cycle_counter_off(struct pt_cortexm *cm, struct pt_cycle_counter *c, struct pt_err *err);

#endif
