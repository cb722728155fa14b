#include "probes/wires/usb_id.h"

#include <stdio.h>
#include <string.h>

static bool is_of(uint16_t own, uint16_t asked)
{
	return own == 0 || own == asked;
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
		if (ids[i].name == NULL && ids[i].vid == vid && ids[i].pid == pid)
			return &ids[i];
	return NULL;
}

size_t pt_usb_id_alike(const struct pt_usb_id *ids, size_t n)
{
	size_t same = 1;

	while (same < n && ids[0].vid != 0 && ids[same].vid == ids[0].vid)
		same++;
	return same;
}

/* A device that has a name may be a HID, too. */
void pt_usb_id_rule(const struct pt_usb_id *ids, size_t n, char *line, size_t room)
{
	size_t at = (size_t)snprintf(line, room, "SUBSYSTEM==\"%s\", ", ids[0].name != NULL ? "usb|hidraw" : "usb");

	if (ids[0].vid == 0)
		at += (size_t)snprintf(line + at, room - at, "ATTRS{product}==\"*%s*\"", ids[0].name);
	else
		at += (size_t)snprintf(line + at, room - at, "ATTRS{idVendor}==\"%04x\", ATTRS{idProduct}==\"",
				       ids[0].vid);
	for (size_t i = 0; ids[0].vid != 0 && i < n && at < room; i++)
		at += (size_t)snprintf(line + at, room - at, "%s%04x%s", i > 0 ? "|" : "", ids[i].pid,
				       i + 1 < n ? "" : "\"");
	if (at < room)
		snprintf(line + at, room - at, ", GROUP=\"plugdev\", MODE=\"0660\", TAG+=\"uaccess\"");
}
