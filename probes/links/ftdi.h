/* A chip of FTDI's behind a bulk link: a stream of bytes, whose packets to the host each begin with two bytes of the
 * serial port's status, and come with these alone when the latency timer expires. */
#ifndef PT_PROBES_LINKS_FTDI_H
#define PT_PROBES_LINKS_FTDI_H

#include "probes/links/links.h"

/* Takes over the link, whose responses are whole packets of packet_bytes, the last of which may be shorter. An answer is
 * as long as framing says of its request, and may come in any number of responses. framing outlives it. */
struct pt_link *pt_ftdi_link_new(struct pt_link *usb, const struct pt_framing *framing, size_t packet_bytes);

#endif
