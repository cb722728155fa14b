/* Built without libsigrok. */
#include "probes/logic.h"

struct pt_link *pt_logic_link_open(const char *rest, const struct pt_probe_ops **driver, struct pt_err *err)
{
	(void)rest;
	*driver = NULL;
	pt_fail(err, PT_EUNSUPPORTED,
		"logic: needs libsigrok, and this proftap was built without (apt-get install libsigrok-dev, "
		"then configure and build again)");
	return NULL;
}
