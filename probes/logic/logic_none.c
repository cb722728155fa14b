/* Built without libsigrok. */
#include "probes/logic/logic.h"

struct pt_link *pt_logic_link_open(const char *rest, const struct pt_probe_ops **driver, struct pt_err *err)
{
	(void)rest;
	*driver = NULL;
	pt_fail(err, PT_EUNSUPPORTED,
		"logic: needs libsigrok, and this proftap was built without (apt-get install libsigrok-dev, "
		"then configure and build again)");
	return NULL;
}

const char *const pt_logic_usb_drivers[] = { NULL };

size_t pt_logic_list(const char *const *drivers, struct pt_logic_found *out, size_t room)
{
	(void)drivers;
	(void)out;
	(void)room;
	return 0;
}
