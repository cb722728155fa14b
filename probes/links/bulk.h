/* What finding and driving a probe with vendor bulk endpoints share. Source: CMSIS-DAP 2.x, "USB bulk endpoints". */
#ifndef PT_PROBES_LINKS_BULK_H
#define PT_PROBES_LINKS_BULK_H

#include <libusb.h>

#include "probes/links/links.h"

struct pt_bulk_place {
	uint8_t iface, out, in;		/* endpoint addresses */
	uint16_t in_bytes, out_bytes;	/* wMaxPacketSize */
};

/* Is dev a probe, and where? found may be NULL. */
bool pt_bulk_look_at(libusb_device *dev, struct pt_bulk_place *place, struct pt_link_found *found);

int pt_bulk_list(struct pt_link_found *out, size_t max, struct pt_err *err);

#endif
