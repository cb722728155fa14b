/* The names of the losses, as reports print them. */
#include <stddef.h>

#include "trace/loss.h"
#include "base/util.h"

static const char *const names[PT_N_LOSSES] = {
	[PT_LOSS_REARM] = "re-arm",
	[PT_LOSS_DRAIN] = "drain",
	[PT_LOSS_SLEEP] = "sleep",
	[PT_LOSS_HALTED] = "halted",
	[PT_LOSS_NOT_ARMED] = "not armed",
	[PT_LOSS_OVERRUN] = "overrun",
	[PT_LOSS_WRAP] = "wrap",
	[PT_LOSS_HOST] = "host too slow",
	[PT_LOSS_PROBE] = "probe lost",
	[PT_LOSS_RESET] = "target reset",
	[PT_LOSS_TAKEN] = "trace unit taken",
	[PT_LOSS_DAMAGED] = "damaged",
	[PT_LOSS_NOT_CODE] = "not code",
	[PT_LOSS_FIFO] = "trace FIFO overflow",
	[PT_LOSS_SILENT] = "target silent",
	[PT_LOSS_CUT] = "file cut short",
	[PT_LOSS_IN_RESET] = "held in reset",
	[PT_LOSS_PIN] = "trace pin",
	[PT_LOSS_CLOCK] = "clock changed",
	[PT_LOSS_OUTSIDE] = "outside trigger",
};

static const char *const meanings[PT_N_LOSSES] = {
	[PT_LOSS_REARM] = "between two bursts or batches nothing is recorded, by design",
	[PT_LOSS_DRAIN] = "the buffer was being read, and nothing recorded meanwhile, by design",
	[PT_LOSS_SLEEP] = "the core slept: there was nothing to record",
	[PT_LOSS_HALTED] = "a debugger held the core: there was nothing to record",
	[PT_LOSS_NOT_ARMED] = "the source had not been started yet, or was stopped",
	[PT_LOSS_OVERRUN] = "the hardware wrote faster than it was read",
	[PT_LOSS_WRAP] = "the buffer began anew before it had been read",
	[PT_LOSS_HOST] = "the host could not keep up, and what came meanwhile was dropped",
	[PT_LOSS_PROBE] = "the probe failed, or was unplugged",
	[PT_LOSS_RESET] = "the target was reset, and its trace with it",
	[PT_LOSS_TAKEN] = "the program itself used the trace unit, or set it differently",
	[PT_LOSS_DAMAGED] = "bytes came that the trace format does not allow",
	[PT_LOSS_NOT_CODE] = "the trace led out of the code that the ELF describes",
	[PT_LOSS_FIFO] = "more came than the chip's trace port carries, and its FIFO was full",
	[PT_LOSS_SILENT] = "the target did not answer its probe",
	[PT_LOSS_CUT] = "the file ends before the profile did",
	[PT_LOSS_IN_RESET] = "the core was held in reset, or off: it executed nothing",
	[PT_LOSS_PIN] = "bytes of the trace pin did not come: the probe dropped them, or may have, or the pin is silent",
	[PT_LOSS_CLOCK] = "the clock of the core or of its trace port changed, and what came meanwhile cannot be read or timed",
	[PT_LOSS_OUTSIDE] = "the trigger (from=, to=) leaves it out, by design; what ran within is in it, too, where the source "
			    "has no clock",
};

/* Source for the FIFO: iSYSTEM, Profiler Concepts, 3.6.1 (dense indirect branches). */
static const char *const advice[PT_N_LOSSES] = {
	[PT_LOSS_OVERRUN] = "mode=burst, where the source has it, or a faster link to the probe (a larger buffer only lets short rushes pass)",
	[PT_LOSS_HOST] = "fewer analyses at a time, or --capture now and decode later",
	[PT_LOSS_FIFO] = "a wider trace port or a faster trace clock; the stall option, if the core has one (it slows "
			 "the program down); or instrumentation of what matters in place of all branches",
	[PT_LOSS_SILENT] = "the target lost its clock or its power, was held in reset, or its cable was off",
	[PT_LOSS_PIN] = "monitor swo doctor examines the pin; a lower rate (swo-baud=), fewer kinds of trace (trace=), or a probe with a larger buffer",
	[PT_LOSS_CLOCK] = "profile while the clock is steady: behind its set-up, and without sleep that stops it",
	[PT_LOSS_CUT] = "what came behind the last whole record is not known, nor how much it was",
};

const char *pt_loss_name(enum pt_loss cause)
{
	return (size_t)cause < PT_LEN(names) && names[cause] != NULL ? names[cause] : "unknown";
}

const char *pt_loss_meaning(enum pt_loss cause)
{
	return (size_t)cause < PT_LEN(meanings) && meanings[cause] != NULL ? meanings[cause] : "";
}

const char *pt_loss_advice(enum pt_loss cause)
{
	return (size_t)cause < PT_LEN(advice) ? advice[cause] : NULL;
}

bool pt_loss_is_untimed(const struct pt_loss_sum *sum, unsigned cause)
{
	return pt_loss_is_fault((enum pt_loss)cause) && sum->by[cause].events > 0 && sum->by[cause].ns == 0;
}

bool pt_loss_any_untimed(const struct pt_loss_sum *sum)
{
	for (unsigned cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		if (pt_loss_is_untimed(sum, cause))
			return true;
	return false;
}
