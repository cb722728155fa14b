/* What finding and driving a probe with vendor bulk endpoints share. */
#ifndef PT_PROBES_LINKS_BULK_H
#define PT_PROBES_LINKS_BULK_H

#include <libusb.h>

#include "probes/links/links.h"

struct pt_bulk_place {
	uint8_t iface, out, in;		/* endpoint addresses */
	uint16_t in_bytes, out_bytes;	/* wMaxPacketSize */
	uint8_t trace;			/* a second IN endpoint, for trace; 0: there is none */
	uint16_t trace_bytes;
};

/* Is dev a probe of one of these drivers, and where? */
bool pt_bulk_look_at(libusb_device *dev, const struct pt_probe_ops *const *drivers, size_t n_drivers,
		     struct pt_bulk_place *place, struct pt_link_found *found);

/* Of a device that was found so: the interface so many behind that of the driver's row. False: there is none. */
bool pt_bulk_channel(libusb_device *dev, const struct pt_link_found *found, struct pt_bulk_place *place);

int pt_bulk_list(const struct pt_probe_ops *const *drivers, size_t n_drivers, struct pt_link_found *out, size_t max,
		 struct pt_err *err);

#endif
