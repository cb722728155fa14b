/* The links to real probes, as those who look for probes see them. Board thread, or whichever thread looks. */
#ifndef PT_PROBES_LINKS_LINKS_H
#define PT_PROBES_LINKS_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "probes/link.h"

enum { PT_LINK_LIST_MAX = 32 };		/* devices looked at in one search */

/* A device that looks like a probe. */
struct pt_link_found {
	char path[128];		/* what open needs: the kind's own affair */
	char usb_path[32];	/* "1-4.2", bus and ports; empty if unknown */
	char product[64], serial[64];
	const char *scheme;	/* of its URI: "cmsis-dap", "osbdm", "usbdm"; for ever */
	uint16_t usb_vid, usb_pid, usb_release;
	bool permitted;		/* false: seen, but the system refuses access */
};

struct pt_link_kind {
	const char *name;	/* "bulk" */
	/* Fills at most max rows; returns their number, or PT_ENOMEM. No device is disturbed. */
	int (*list)(struct pt_link_found *out, size_t max, struct pt_err *err);
	/* PT_EPERM, PT_EBUSY (another program has it), PT_EIO (gone), PT_EPROTO (not what it seemed) */
	struct pt_link *(*open)(const struct pt_link_found *found, struct pt_err *err);
};

extern const struct pt_link_kind pt_bulk_kind;	/* CMSIS-DAP v2, OSBDM, USBDM: vendor bulk endpoints, by libusb */
extern const struct pt_link_kind pt_hid_kind;	/* CMSIS-DAP v1: HID reports, by hidapi */

enum { PT_TCP_PORT = 4441 };	/* where host_port names none. Source: OpenOCD cmsis_dap_tcp.c */

/* "HOST:PORT", "[v6]:PORT" or "HOST". Connects within 2 s. PT_EARG, PT_EIO. */
struct pt_link *pt_tcp_link_open(const char *host_port, struct pt_err *err);

/* Does a product or interface string say so? usb_pid: some say so only by that. */
bool pt_is_cmsis_dap_name(const char *text, uint16_t usb_pid);

#endif
