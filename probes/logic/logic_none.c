/* Built without libsigrok. */
#include "probes/logic/logic.h"

static struct pt_link *logic_connect(const char *rest, struct pt_err *err)
{
	(void)rest;
	pt_fail(err, PT_EUNSUPPORTED,
		"logic: needs libsigrok, and this proftap was built without (apt-get install libsigrok-dev, "
		"then configure and build again)");
	return NULL;
}

const struct pt_probe_ops pt_logic_ops = {
	.name = "logic",
	.help = "a logic analyser, by libsigrok: not built in this version",
	.address = "logic:[FILE.sr|driver=NAME&conn=CONN]",
	.connect = logic_connect,
};

const char *const pt_logic_usb_drivers[] = { NULL };

size_t pt_logic_list(const char *const *drivers, struct pt_logic_found *out, size_t room)
{
	(void)drivers;
	(void)out;
	(void)room;
	return 0;
}
