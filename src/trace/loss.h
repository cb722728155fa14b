/* Why a stretch of time or of trace is not in the statistics.
 * Faults are kept apart from what was unobserved by design; total = observed + unobserved + lost is checked. */
#ifndef PT_TRACE_LOSS_H
#define PT_TRACE_LOSS_H

#include <stdbool.h>
#include <stdint.h>

enum pt_loss {
	/* unobserved by design: the method looks away for a while */
	PT_LOSS_REARM = 1,	/* between the end of one burst and the start of the next */
	PT_LOSS_DRAIN,		/* the source reads its buffer and records nothing meanwhile */
	PT_LOSS_SLEEP,		/* the core slept: nothing to record */
	PT_LOSS_HALTED,		/* the core was held by a debugger */
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
	PT_LOSS_FIFO,		/* the chip's trace FIFO was full (the stream says so):
				 * more came than the port carries */
	PT_LOSS_SILENT,		/* the target did not answer its probe: no clock or no power, held in reset, or the
				 * cable is off */
	PT_LOSS_CUT,		/* the file ends before the session did: it is not known how much is missing */
	PT_LOSS_IN_RESET,	/* unobserved: the core was held in reset, or off: nothing ran */
	PT_LOSS_PIN,		/* bytes of a trace pin were lost in the probe, or may have been, and what came behind
				 * them up to the next packet that can be believed */
	PT_LOSS_CLOCK,		/* the clock of trace or stamps changed: bytes or times are not to be believed */
	PT_LOSS_OUTSIDE,	/* unobserved: a trigger leaves it out; where the source has no clock, what it has is in it, too */
	PT_N_LOSSES,	/* captures hold the numbers: new ones stand at the end */
};

static inline bool pt_loss_is_fault(enum pt_loss cause)
{
	return cause >= PT_LOSS_FIRST_FAULT && cause != PT_LOSS_IN_RESET && cause != PT_LOSS_OUTSIDE;
}

/* The core executed nothing, for a reason of which nothing is missing. */
static inline bool pt_loss_nothing_ran(enum pt_loss cause)
{
	return cause == PT_LOSS_SLEEP || cause == PT_LOSS_HALTED || cause == PT_LOSS_IN_RESET;
}

const char *pt_loss_name(enum pt_loss cause);	/* "re-arm", "host too slow", ...; "unknown" out of range */
const char *pt_loss_meaning(enum pt_loss cause);	/* as half a sentence; "" out of range */

/* What a user can do about it, as half a sentence; NULL: nothing that is always right. */
const char *pt_loss_advice(enum pt_loss cause);

/* What became of the session's time and bytes. A plain sum: add up chunk by chunk. */
struct pt_loss_sum {
	uint64_t total_ns, observed_ns, unobserved_ns, lost_ns;
	uint64_t observed_bytes;
	uint64_t longest_rearm_ns;	/* the longest piece of by[PT_LOSS_REARM].ns; of several sources the longest of any */

	struct { uint64_t events, bytes, ns; } by[PT_N_LOSSES];	/* bytes: known ones only */
	uint64_t unsized[PT_N_LOSSES];	/* faults of which it is not known how many bytes they were */
};

#endif
