/* Which addresses lead to a probe whose coming and going the system tells. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "probes/links/hotplug.h"
#include "probes/registry.h"

struct pt_probe_watch { struct pt_hotplug *hotplug; };

static bool is_on_usb(const char *uri)
{
	size_t len = strcspn(uri, ":");
	const struct pt_probe_ops *driver = uri[len] == ':' ? pt_probe_driver(uri, len) : NULL;

	if (uri[0] == '\0' || strncmp(uri, "usb:", 4) == 0)
		return true;
	return driver != NULL && driver->n_usb > 0 && strstr(uri, "tcp=") == NULL;
}

struct pt_probe_watch *pt_probe_watch_new(const char *uri, void (*changed)(void *arg), void *arg)
{
	struct pt_hotplug *hotplug = is_on_usb(uri) ? pt_hotplug_new(changed, arg) : NULL;
	struct pt_probe_watch *watch;

	if (hotplug == NULL)
		return NULL;
	watch = pt_alloc(sizeof(*watch));
	watch->hotplug = hotplug;
	return watch;
}

void pt_probe_watch_free(struct pt_probe_watch *watch)
{
	if (watch == NULL)
		return;
	pt_hotplug_free(watch->hotplug);
	free(watch);
}

bool pt_probe_watch_is_certain(struct pt_probe_watch *watch)
{
	return watch != NULL && pt_hotplug_is_certain(watch->hotplug);
}
