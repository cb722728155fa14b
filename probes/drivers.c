/* The drivers there are, and what follows from their rows alone. */
#include <stdio.h>
#include <string.h>

#include "probes/registry.h"
#include "base/util.h"

#define X(drv) &pt_##drv##_ops,
const struct pt_probe_ops *const pt_probe_drivers[] = { PT_PROBE_DRIVERS(X) };
#undef X
const size_t pt_n_probe_drivers = PT_LEN(pt_probe_drivers);

static bool offers(const struct pt_probe_ops *driver, enum pt_wire wire)
{
	const bool has[PT_N_WIRES] = {
		[PT_WIRE_DAP] = driver->dap != NULL, [PT_WIRE_JTAG] = driver->jtag != NULL,
		[PT_WIRE_BDC] = driver->bdc != NULL, [PT_WIRE_PINS] = driver->pins != NULL,
		[PT_WIRE_RSP] = driver->rsp != NULL,
	};

	return has[wire];
}

bool pt_probe_names(const char *uri, enum pt_wire wire)
{
	size_t len = strcspn(uri, ":");

	for (size_t i = 0; uri[len] == ':' && i < pt_n_probe_drivers; i++)
		if (strlen(pt_probe_drivers[i]->name) == len && strncmp(pt_probe_drivers[i]->name, uri, len) == 0)
			return offers(pt_probe_drivers[i], wire);
	return false;
}

static void rules_of(const struct pt_probe_ops *driver, void (*say)(void *arg, const char *line), void *arg)
{
	char line[256];

	say(arg, "");
	snprintf(line, sizeof(line), "# %s", driver->help);
	say(arg, line);
	for (size_t i = 0, n; i < driver->n_usb; i += n) {
		n = pt_usb_id_alike(driver->usb + i, driver->n_usb - i);
		pt_usb_id_rule(driver->usb + i, n, line, sizeof(line));
		say(arg, line);
	}
}

void pt_probe_rules(void (*say)(void *arg, const char *line), void *arg)
{
	say(arg,
	    "# Lets the person at the machine use debug probes without being root. Made by: proftap drivers --udev");
	say(arg,
	    "# Install: cp 60-proftap.rules /etc/udev/rules.d/ && udevadm control --reload, then replug the probe.");
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		if (pt_probe_drivers[i]->n_usb > 0)
			rules_of(pt_probe_drivers[i], say, arg);
}
