/* What the DWT of ARMv7-M reports to an ITM: samples of the pc, exceptions, event counters that wrap, and what its
 * comparators match. The time of a tap is kept as the count that CYCCNT would have had if nothing had ever written it.
 * Source: DDI 0403, C1.8 and D4.3. UNVERIFIED: that POSTCNT takes POSTINIT when sampling is switched on, in the same
 * write, too. */
#ifndef PT_VIRTUAL_UNIT_DWT_TRACE_H
#define PT_VIRTUAL_UNIT_DWT_TRACE_H

#include <stdbool.h>
#include <stdint.h>

struct pt_vdwt;

struct pt_vdwt_trace {
	uint64_t tap, sync;		/* the next of them; PT_VNEVER: none */
	unsigned post_count;
	uint64_t poll_cycle;		/* no event counter wraps before */
	uint64_t wraps[6];		/* how often each one had, since it was set */
	unsigned exception;		/* that executes */
};

/* CTRL, CYCCNT or TRCENA have changed; new: bits of CTRL that are set now and were not. */
void pt_vdwt_trace_changed(struct pt_vdwt *dwt, uint32_t new);
uint64_t pt_vdwt_trace_next(const struct pt_vdwt *dwt);	/* of struct pt_vunit_ops */
void pt_vdwt_trace_tick(struct pt_vdwt *dwt, uint64_t now_cycle);
bool pt_vdwt_traces_data(const struct pt_vdwt *dwt, unsigned comparator);
/* An access, told to each comparator in turn. True: it matched, and was reported. */
bool pt_vdwt_trace_access(struct pt_vdwt *dwt, unsigned comparator, uint32_t addr, unsigned size_bytes, bool write,
			  uint32_t value, uint32_t pc);
bool pt_vdwt_traces_exceptions(const struct pt_vdwt *dwt);
void pt_vdwt_observe_exceptions(struct pt_vdwt *dwt);	/* or not, as CTRL says now */

#endif
