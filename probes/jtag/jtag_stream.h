/* Probes that are servers on the network with a stream of their own (XVC, remote_bitbang): how their answers are
 * framed, for links that have no headers. */
#ifndef PT_PROBES_JTAG_STREAM_H
#define PT_PROBES_JTAG_STREAM_H

#include "probes/links/links.h"

enum { PT_XVC_PORT = 2542 };	/* by convention. Source: XilinxVirtualCable, README */
extern const struct pt_framing pt_xvc_framing, pt_bitbang_framing;

#endif
