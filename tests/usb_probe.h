/* An emulated USB CMSIS-DAP probe for tests: a virtual board behind a device that unmodified libusb, hidapi and whole
 * programs open. umockdev describes the device and carries the ioctls; what answers them is the same firmware model
 * that stands behind every other virtual link.
 *
 * Interface 0 is CMSIS-DAP v2 (vendor bulk, OUT 0x01, IN 0x81), interface 1 is v1 (HID, OUT 0x03, IN 0x83, reports of
 * 64 bytes), the latter also as /dev/hidrawN when asked for. Errors are the kernel's: see usb_probe_usbfs.c.
 *
 * Programs that use it are linked with libumockdev-preload; children are started with it in LD_PRELOAD. */
#ifndef PT_TESTS_USB_PROBE_H
#define PT_TESTS_USB_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct usb_probe;

struct usb_probe_config {
	const char *board;	/* what stands behind "virtual:"; link=bulk-fs makes a full-speed device. One whose probe is an
				 * OSBDM or a USBDM makes a device of that kind */
	const char *serial;	/* NULL: "V0001" */
	const uint8_t *raw_serial;	/* PT_USB_RAW_SERIAL_BYTES, a UTF-16 unit each, as an old ST-Link has it; NULL: serial */
	unsigned port;		/* 1..9: "1-PORT" on the bus, another for each probe that is there at a time */
	bool hidraw;		/* as the kernel's HID driver would make one */
	bool instant;		/* responses as soon as they are known, not when the cable would bring them */

	/* A device of another kind, full speed, with one interface (bulk OUT 0x01, IN 0x82): what answers its packets,
	 * as for struct pt_script; PT_SCRIPT_NO_ANSWER: nothing. NULL: board. */
	size_t (*answer)(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns);
	void *arg;
	uint16_t vid, pid;	/* 0: those that pid.codes keeps for tests, or the board's */
	const char *product;
};

enum { PT_USB_RAW_SERIAL_BYTES = 12 };

/* Numbers that pid.codes keeps for tests. */
enum { USB_PROBE_VENDOR = 0x1209, USB_PROBE_PRODUCT = 0x0001, USB_PROBE_RELEASE = 0x0100 };

/* Makes it and plugs it in. Any thread; the caller frees it. NULL with the sentence. */
struct usb_probe *usb_probe_new(const struct usb_probe_config *config, struct pt_err *err);
void usb_probe_free(struct usb_probe *probe);

/* Pull the plug with whatever is in flight, and put it in again. The board's power is its own: it runs on. */
void usb_probe_unplug(struct usb_probe *probe);
void usb_probe_plug(struct usb_probe *probe);

/* The bulk endpoint 0x01 or 0x81 (0x82) answers STALL until the host clears its halt. */
void usb_probe_halt(struct usb_probe *probe, unsigned endpoint);

/* Permissions of the device nodes, 0600 at first; 0 with a user other than root is "permission denied". */
void usb_probe_set_mode(struct usb_probe *probe, unsigned mode);

/* Packets that the device has taken from all hosts so far. */
uint64_t usb_probe_packets(struct usb_probe *probe);

/* Bulk transfers and HID reports of all hosts so far. A turn: the host speaks on after an answer. */
struct usb_probe_traffic {
	uint64_t out, in, out_bytes, in_bytes, turns;
	bool answered;		/* the last one was to the host */
};
void usb_probe_traffic(struct usb_probe *probe, struct usb_probe_traffic *out);

#endif
