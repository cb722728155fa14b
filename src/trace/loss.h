/* Why some time or trace is not in the statistics.
 * Faults (lost) are separate from time that is unobserved by design; total = observed + unobserved + lost is checked. */
#ifndef PT_TRACE_LOSS_H
#define PT_TRACE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

enum pt_loss {
	/* unobserved by design: the source does not record all the time */
	PT_LOSS_REARM = 1,	/* between the end of one burst and the start of the next */
	PT_LOSS_DRAIN,		/* the source read its buffer and recorded nothing meanwhile */
	PT_LOSS_SLEEP,		/* the core slept: nothing to record */
	PT_LOSS_HALTED,		/* a debugger had halted the core */
	PT_LOSS_NOT_ARMED,	/* the source was not started yet, or was stopped */
	/* faults */
	PT_LOSS_FIRST_FAULT,
	PT_LOSS_OVERRUN = PT_LOSS_FIRST_FAULT,	/* the hardware wrote faster than it was read */
	PT_LOSS_WRAP,		/* the buffer wrapped where it must not */
	PT_LOSS_HOST,		/* the host was too slow: the pool of chunks was full */
	PT_LOSS_PROBE,		/* the probe failed or was unplugged */
	PT_LOSS_RESET,		/* the target was reset, and the trace with it */
	PT_LOSS_TAKEN,		/* the firmware itself used or reprogrammed the trace unit */
	PT_LOSS_DAMAGED,	/* bytes that the trace format does not allow (the decoder says so) */
	PT_LOSS_NOT_CODE,	/* flow left the code that the ELF and the images describe */
	PT_LOSS_FIFO,		/* the chip's trace FIFO was full (the stream reports it): the port was too slow */
	PT_LOSS_SILENT,		/* the target did not answer its probe: no clock or no power, held in reset, or the
				 * cable is off */
	PT_LOSS_CUT,		/* the file ends before the session did: it is not known how much is missing */
	PT_LOSS_IN_RESET,	/* unobserved: the core was held in reset, or off: nothing ran */
	PT_LOSS_PIN,		/* bytes of a trace pin were lost in the probe, or may have been, with what follows them up
				 * to the next certain packet */
	PT_LOSS_CLOCK,		/* the clock of trace or timestamps changed: bytes or times are not usable */
	PT_LOSS_OUTSIDE,	/* unobserved: a trigger excludes it; of a source without a clock, what it observed is in it */
	PT_N_LOSSES,	/* captures contain the numbers: append new ones */
};

static inline bool pt_loss_is_fault(enum pt_loss cause)
{
	return cause >= PT_LOSS_FIRST_FAULT && cause != PT_LOSS_IN_RESET && cause != PT_LOSS_OUTSIDE;
}

/* The core executed nothing, so nothing is missing. */
static inline bool pt_loss_nothing_ran(enum pt_loss cause)
{
	return cause == PT_LOSS_SLEEP || cause == PT_LOSS_HALTED || cause == PT_LOSS_IN_RESET;
}

const char *pt_loss_name(enum pt_loss cause);	/* "re-arm", "host too slow", ...; "unknown" out of range */
const char *pt_loss_meaning(enum pt_loss cause);	/* as half a sentence; "" out of range */

/* What the user can do about it, as half a sentence; NULL: there is no advice that is always right. */
const char *pt_loss_advice(enum pt_loss cause);

/* The account of the session's time and bytes: a sum over its chunks. */
struct pt_loss_sum {
	uint64_t total_ns, observed_ns, unobserved_ns, lost_ns;
	uint64_t observed_bytes;
	uint64_t longest_rearm_ns;	/* the longest piece of by[PT_LOSS_REARM].ns; of several sources the longest of any */

	struct { uint64_t events, bytes, ns; } by[PT_N_LOSSES];	/* bytes: known ones only */
	uint64_t unsized[PT_N_LOSSES];	/* faults with an unknown number of bytes */
};

/* Faults of this cause lost time, and it is not known how much: by[cause].ns is 0, and lost_ns is without it. */
bool pt_loss_is_untimed(const struct pt_loss_sum *sum, unsigned cause);
bool pt_loss_any_untimed(const struct pt_loss_sum *sum);

#endif
