/* What the parts of the emulated USB probe share; not for tests. */
#ifndef PT_TESTS_USB_PROBE_PARTS_H
#define PT_TESTS_USB_PROBE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <umockdev.h>

#include "probes/virtual/setup.h"
#include "usb_probe.h"

enum { INTERFACE_BULK, INTERFACE_HID, N_INTERFACES, MOST_INTERFACES = 4 };
enum { EP_BULK_OUT = 0x01, EP_BULK_IN = 0x81, EP_OTHER_IN = 0x82, EP_HID_OUT = 0x03, EP_HID_IN = 0x83 };
enum { HID_REPORT_BYTES = 64 };
enum pipe { PIPE_BULK, PIPE_HID, PIPE_HIDRAW, PIPE_TRACE, N_PIPES };	/* ways to the firmware, each with its responses */

/* Its numbers, unless the test says others, and its bulk endpoints. */
struct usb_kind {
	const char *driver;
	uint16_t vid, pid;
	uint8_t out, in, trace;		/* trace 0: it has none */
	/* Each end knows how long what comes is: a message that fills its last packet is not ended by an empty one. */
	bool sized;
	bool streams;			/* an answer longer than the host's buffer goes on in the next one */
	uint8_t subclass;		/* of its interface */
	/* Of an engine that says itself what it is on USB: */
	uint16_t release, packet_bytes;
	uint8_t n_interfaces;		/* 0: one, or those of a CMSIS-DAP */
	const uint8_t *status;		/* what each packet to the host begins with */
	size_t status_bytes;
};

struct usb_probe {
	struct usb_probe_config config;
	struct usb_kind own_kind;	/* of an engine that says it */
	UMockdevTestbed *bed;
	UMockdevIoctlBase *usbfs, *hidraw;
	char *node, *sys;		/* "/dev/bus/usb/001/00N", "/devices/.../1-N" */
	char *hid_node, *hid_sys;

	GMutex hand;			/* one plugs or unplugs; taken before lock */
	GMutex lock;			/* everything below; held only for moments */
	bool plugged;
	bool attached;			/* the handlers of ioctls to the nodes */
	unsigned plug_count;		/* what was in flight before an unplug is not delivered after a replug */
	int node_fd, hid_fd;		/* our ends of the FIFOs that say "ready" */
	bool node_ready;
	GQueue urbs;			/* struct urb, in order of submission */
	GQueue responses[N_PIPES];	/* GBytes, not fetched by a host yet */
	UMockdevIoctlClient *claimed[MOST_INTERFACES];
	unsigned halted;		/* an endpoint that answers STALL until its halt is cleared, or 0 */

	struct pt_vsetup rig;		/* the worker's alone */
	GThread *worker;
	GCond work;
	GQueue requests;		/* struct request */
	uint64_t packets, origin_ns, controls;
	struct usb_probe_traffic traffic;
	bool stopping;
};

/* usb_probe_firmware.c: the model of the probe's firmware, on a thread of its own. */
void usb_count_out(struct usb_probe *probe, size_t len_bytes);	/* lock held; data from the host */
void usb_count_in(struct usb_probe *probe, size_t len_bytes);	/* lock held; data to the host */
int usb_firmware_start(struct usb_probe *probe, struct pt_err *err);
void usb_firmware_stop(struct usb_probe *probe);
/* Lock held. A packet from the host; its responses come into responses[pipe] later. */
void usb_firmware_request(struct usb_probe *probe, enum pipe pipe, const uint8_t *bytes, size_t len_bytes);
/* Lock held. A control request of the vendor's kind; usb_usbfs_control_done() says later what came of it. */
void usb_firmware_control(struct usb_probe *probe, const uint8_t *setup, uint64_t number);

/* usb_probe_descriptors.c: bytes appended to out, or -1 when there is no such descriptor. */
void usb_device_descriptor(const struct usb_probe *probe, GByteArray *out);
void usb_config_descriptor(const struct usb_probe *probe, GByteArray *out);
void usb_report_descriptor(GByteArray *out);
bool usb_string_descriptor(const struct usb_probe *probe, unsigned index, GByteArray *out);
extern const char usb_manufacturer[];
/* Which device it is. */
bool usb_is_other(const struct usb_probe *probe);
const char *usb_product(const struct usb_probe *probe);
unsigned usb_vid(const struct usb_probe *probe), usb_pid(const struct usb_probe *probe);
unsigned usb_bulk_bytes(const struct usb_probe *probe);		/* of the endpoints */
unsigned usb_release(const struct usb_probe *probe), usb_n_interfaces(const struct usb_probe *probe);
const struct usb_kind *usb_kind(const struct usb_probe *probe);

/* usb_probe_usbfs.c. Lock held for all but new. */
UMockdevIoctlBase *usb_usbfs_new(struct usb_probe *probe);
bool usb_usbfs_wants_trace(struct usb_probe *probe);	/* a URB waits at that endpoint. Lock held */
void usb_usbfs_deliver(struct usb_probe *probe);	/* responses have come: finish URBs that wait for them */
bool usb_usbfs_wants_data(struct usb_probe *probe);	/* a host waits at the bulk endpoint */
/* n: bytes of data, -1: the device refuses. */
void usb_usbfs_control_done(struct usb_probe *probe, uint64_t number, const uint8_t *data, int n);
void usb_usbfs_drop_all(struct usb_probe *probe);	/* unplugged: finish every URB so */
void usb_usbfs_forget_all(struct usb_probe *probe);	/* nobody will reap them any more */

/* usb_probe_hidraw.c. Lock held for deliver. */
UMockdevIoctlBase *usb_hidraw_new(struct usb_probe *probe);
void usb_hidraw_deliver(struct usb_probe *probe);

/* usb_probe.c. Lock held. A file descriptor on the usbfs node polls as writable: a URB can be reaped. */
void usb_node_set_ready(struct usb_probe *probe, bool ready);

#endif
