/* The names of the losses, as reports print them. */
#include <stddef.h>

#include "trace/loss.h"
#include "util.h"

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
};

const char *pt_loss_name(enum pt_loss cause)
{
	return (size_t)cause < PT_LEN(names) && names[cause] != NULL ? names[cause] : "unknown";
}
