/* A real probe behind the same server as the virtual ones: CMSIS-DAP in front of whatever driver has it, so that a host
 * on another machine needs to know no other protocol. SWD by transfers, blocks and sequences, the clock, and nRESET. */
#ifndef PT_VIRTUAL_RELAY_H
#define PT_VIRTUAL_RELAY_H

#include "probes/virtual/probe/engine.h"
#include "probes/wires/probe.h"

struct pt_vrelay;

enum { PT_VRELAY_PACKET_BYTES = 1024, PT_VRELAY_PACKETS = 4 };

/* The probe stays the caller's, and open as long as the relay. NULL: PT_EUNSUPPORTED, it reaches no debug port. */
struct pt_vrelay *pt_vrelay_new(struct pt_probe *probe, struct pt_err *err);
/* Carrying out a request blocks, as the driver does: for as long as the probe takes, a second at most. */
extern const struct pt_vengine_ops pt_vrelay_engine;	/* its state is a struct pt_vrelay, which free() takes */

#endif
