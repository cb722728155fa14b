/* The drivers there are, and what follows from their rows alone. */
#include <stdio.h>
#include <string.h>

#include "probes/registry.h"
#include "base/util.h"

#define X(drv) &pt_##drv##_ops,
const struct pt_probe_ops *const pt_probe_drivers[] = { PT_PROBE_DRIVERS(X) };
#undef X
const size_t pt_n_probe_drivers = PT_LEN(pt_probe_drivers);

const struct pt_probe_ops *pt_probe_driver(const char *name, size_t len)
{
	for (size_t i = 0; i < pt_n_probe_drivers; i++)
		if (strlen(pt_probe_drivers[i]->name) == len && strncmp(pt_probe_drivers[i]->name, name, len) == 0)
			return pt_probe_drivers[i];
	return NULL;
}

bool pt_probe_is_gdb_server(const char *uri)
{
	size_t len = strcspn(uri, ":");
	const struct pt_probe_ops *driver = uri[len] == ':' ? pt_probe_driver(uri, len) : NULL;

	return driver != NULL && driver->rsp != NULL;
}

static void rules_of(const struct pt_probe_ops *driver, void (*say)(void *arg, const char *line), void *arg)
{
	char line[256];

	say(arg, "");
	snprintf(line, sizeof(line), "# %s", driver->help);
	say(arg, line);
	for (size_t i = 0, n; i < driver->n_usb; i += n) {
		n = pt_usb_id_alike(driver->usb + i, driver->n_usb - i);
		if (driver->usb[i].refused != NULL)
			continue;
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
