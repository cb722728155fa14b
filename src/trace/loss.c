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
};

/* Source for the FIFO: iSYSTEM, Profiler Concepts, 3.6.1 (dense indirect branches). */
static const char *const advice[PT_N_LOSSES] = {
	[PT_LOSS_OVERRUN] = "a larger trace buffer, or a faster link to the probe; of a virtual board, clock=virtual",
	[PT_LOSS_HOST] = "fewer analyses at a time, or --capture now and decode later",
	[PT_LOSS_FIFO] = "a wider trace port or a faster trace clock; the stall option, if the core has one (it slows "
			 "the program down); or instrumentation of what matters in place of all branches",
	[PT_LOSS_SILENT] = "the target lost its clock or its power, was held in reset, or its cable was off",
	[PT_LOSS_CUT] = "what came behind the last whole record is not known, nor how much it was",
};

const char *pt_loss_name(enum pt_loss cause)
{
	return (size_t)cause < PT_LEN(names) && names[cause] != NULL ? names[cause] : "unknown";
}

const char *pt_loss_advice(enum pt_loss cause)
{
	return (size_t)cause < PT_LEN(advice) ? advice[cause] : NULL;
}
