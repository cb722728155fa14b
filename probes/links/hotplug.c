/* Source: libusb-1.0 API, "Device hotplug event notification": the callback only notes the event, because it may not call
 * back into libusb. */
#include "probes/links/hotplug.h"

#include <libusb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "host/log.h"

struct pt_hotplug {
	libusb_context *usb;
	pthread_t thread;
	int ended;			/* libusb's "completed" */
	atomic_bool certain;
	void (*changed)(void *arg);
	void *arg;
};

static int LIBUSB_CALL on_event(libusb_context *usb, libusb_device *device, libusb_hotplug_event event, void *arg)
{
	struct pt_hotplug *h = arg;

	(void)usb;
	(void)device;
	pt_debug(PT_LOG_USB, "usb: a device %s",
		 event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED ? "was plugged in" : "is gone");
	atomic_store(&h->certain, true);
	h->changed(h->arg);
	return 0;
}

static void *listen_for_events(void *arg)
{
	struct pt_hotplug *h = arg;

	while (!__atomic_load_n(&h->ended, __ATOMIC_ACQUIRE))
		libusb_handle_events_completed(h->usb, &h->ended);
	return NULL;
}

/* udevd sends the events that libusb hears. */
static bool has_udevd(void)
{
	return access("/run/udev/control", F_OK) == 0;
}

struct pt_hotplug *pt_hotplug_new(void (*changed)(void *arg), void *arg)
{
	struct pt_hotplug *h = pt_alloc(sizeof(*h));

	h->changed = changed;
	h->arg = arg;
	atomic_init(&h->certain, has_udevd());
	if (!libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG) || libusb_init(&h->usb) < 0)
		goto free_h;
	if (libusb_hotplug_register_callback(h->usb,
					     LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT, 0,
					     LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
					     LIBUSB_HOTPLUG_MATCH_ANY, on_event, h, NULL) < 0 ||
	    pthread_create(&h->thread, NULL, listen_for_events, h) != 0)
		goto exit_usb;
	return h;
exit_usb:
	libusb_exit(h->usb);
free_h:
	free(h);
	return NULL;
}

void pt_hotplug_free(struct pt_hotplug *h)
{
	if (h == NULL)
		return;
	__atomic_store_n(&h->ended, 1, __ATOMIC_RELEASE);
	libusb_interrupt_event_handler(h->usb);
	pthread_join(h->thread, NULL);
	libusb_exit(h->usb);
	free(h);
}

bool pt_hotplug_is_certain(struct pt_hotplug *h)
{
	return atomic_load(&h->certain);
}
