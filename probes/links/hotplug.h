/* Devices that come to USB and go: the system wakes a thread of its own, so that the board thread need not look
 * again and again. */
#ifndef PT_PROBES_LINKS_HOTPLUG_H
#define PT_PROBES_LINKS_HOTPLUG_H

#include <stdbool.h>

struct pt_hotplug;

/* changed() is called on that thread for each device that comes or goes, until free() returns. NULL: the system cannot
 * tell. */
struct pt_hotplug *pt_hotplug_new(void (*changed)(void *arg), void *arg);
void pt_hotplug_free(struct pt_hotplug *hotplug);	/* NULL is fine */
/* Is it certain that changes are reported? In a container without udevd none is, and the system does not say so; the
 * first that is reported is the proof. */
bool pt_hotplug_is_certain(struct pt_hotplug *hotplug);

#endif
