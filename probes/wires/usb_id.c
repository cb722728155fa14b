#include "probes/wires/usb_id.h"

#include <stdio.h>
#include <string.h>

static bool is_of(uint16_t own, uint16_t asked)
{
	return own == 0 || own == asked;
}

static uint16_t mask_of(const struct pt_usb_id *id)
{
	return id->pid_mask != 0 ? id->pid_mask : UINT16_MAX;
}

bool pt_usb_id_says(const struct pt_usb_id *ids, size_t n, uint16_t vid, uint16_t pid, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i].name != NULL && is_of(ids[i].vid, vid) && is_of(ids[i].pid, pid) &&
		    strstr(text, ids[i].name) != NULL)
			return true;
	return false;
}

const struct pt_usb_id *pt_usb_id_numbered(const struct pt_usb_id *ids, size_t n, uint16_t vid, uint16_t pid)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i].name == NULL && ids[i].vid == vid && (pid & mask_of(&ids[i])) == ids[i].pid)
			return &ids[i];
	return NULL;
}

size_t pt_usb_id_alike(const struct pt_usb_id *ids, size_t n)
{
	size_t same = 1;

	while (same < n && ids[0].vid != 0 && ids[same].vid == ids[0].vid &&
	       (ids[same].refused != NULL) == (ids[0].refused != NULL))
		same++;
	return same;
}

/* The digits that fit: "1?[13579bdf]?". */
const char *pt_usb_id_pattern(const struct pt_usb_id *id, char *text)
{
	size_t n = 0;

	for (int shift = 12; shift >= 0; shift -= 4) {
		unsigned mask = mask_of(id) >> shift & 0xf, digit = id->pid >> shift & 0xf;
		char set[20] = "";
		size_t n_set = 0;

		for (unsigned k = 0; k < 16; k++)
			if ((k & mask) == digit)
				set[n_set++] = "0123456789abcdef"[k];
		n += (size_t)snprintf(text + n, PT_USB_ID_PATTERN_BYTES - n, "%s%s%s",
				      n_set == 1 || n_set == 16 ? "" : "[", n_set == 16 ? "?" : set,
				      n_set == 1 || n_set == 16 ? "" : "]");
	}
	return text;
}

static const char usb_rights[] = ", GROUP=\"plugdev\", MODE=\"0660\", TAG+=\"uaccess\"";
/* A serial port has a group already, whose members are not to lose it; ModemManager would send words of its own. */
static const char tty_rights[] = ", MODE=\"0660\", TAG+=\"uaccess\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"";

/* A device that has a name may be a HID, too. */
void pt_usb_id_rule(const struct pt_usb_id *ids, size_t n, char *line, size_t room)
{
	size_t at = (size_t)snprintf(line, room, "SUBSYSTEM==\"%s\", ",
				     ids[0].iface == PT_USB_TTY ? "tty"
				     : ids[0].name != NULL	? "usb|hidraw"
								: "usb");

	if (ids[0].vid == 0)
		at += (size_t)snprintf(line + at, room - at, "ATTRS{product}==\"*%s*\"", ids[0].name);
	else
		at += (size_t)snprintf(line + at, room - at, "ATTRS{idVendor}==\"%04x\", ATTRS{idProduct}==\"",
				       ids[0].vid);
	for (size_t i = 0; ids[0].vid != 0 && i < n && at < room; i++) {
		char pids[PT_USB_ID_PATTERN_BYTES];

		at += (size_t)snprintf(line + at, room - at, "%s%s%s", i > 0 ? "|" : "",
				       pt_usb_id_pattern(&ids[i], pids), i + 1 < n ? "" : "\"");
	}
	if (at < room)
		snprintf(line + at, room - at, "%s", ids[0].iface == PT_USB_TTY ? tty_rights : usb_rights);
}
