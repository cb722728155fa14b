/* A driver's rows say which devices on USB it serves. Discovery reads them, and so do the sentence about a missing
 * permission and the rules for udev. Pure. */
#ifndef PT_PROBES_WIRES_USB_ID_H
#define PT_PROBES_WIRES_USB_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_USB_TTY = 0xff };	/* as iface: it is a serial port of the device, without endpoints of ours */

struct pt_usb_id {
	uint16_t vid, pid;		/* 0: any */
	uint16_t pid_mask;		/* the bits of pid that count; 0: all */
	const char *name;		/* part of the product's string or an interface's; NULL: the numbers say it */
	/* Where the numbers say it: its bulk interface and that one's endpoint addresses. All 0: the first interface of the
	 * vendor's class and subclass that has an endpoint in each direction. */
	uint8_t iface, out, in;
	/* Why a device of these numbers is not driven where no name says that it can be, and what to do; NULL: it is. */
	const char *refused;
};

/* Does the text of such a device say that it is one of them? */
bool pt_usb_id_says(const struct pt_usb_id *ids, size_t n, uint16_t vid, uint16_t pid, const char *text);
/* The row of these numbers that need no text; NULL: none. */
const struct pt_usb_id *pt_usb_id_numbered(const struct pt_usb_id *ids, size_t n, uint16_t vid, uint16_t pid);

/* The pids of a row in hexadecimal, as patterns of the shell have them: "1?[13579bdf]?". Returns text. */
enum { PT_USB_ID_PATTERN_BYTES = 80 };
const char *pt_usb_id_pattern(const struct pt_usb_id *id, char *text);

/* A line for udev that lets the person at the machine use them, and on a machine without a seat (ssh, a container) the
 * members of plugdev: by the product's string where that is enough, else by
 * numbers. The rows have one vid (and then several pids), or one name and no vid. Source: udev(7) */
void pt_usb_id_rule(const struct pt_usb_id *ids, size_t n, char *line, size_t room);
/* How many of the rows, from the first on, make one line, or are refused. */
size_t pt_usb_id_alike(const struct pt_usb_id *ids, size_t n);

#endif
