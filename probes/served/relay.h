/* CMSIS-DAP in front of whatever driver has a real probe, so that a host on another machine needs to know no other protocol:
 * SWD by transfers, blocks and sequences, the clock, and nRESET. The thread that has the probe (served.c). */
#ifndef PT_PROBES_SERVED_RELAY_H
#define PT_PROBES_SERVED_RELAY_H

#include <stddef.h>
#include <stdint.h>

#include "probes/wires/probe.h"

struct pt_relay;

enum { PT_RELAY_PACKET_BYTES = 1024, PT_RELAY_PACKETS = 4 };

/* The probe stays the caller's, and open as long as the relay. NULL: PT_EUNSUPPORTED, it reaches no debug port. */
struct pt_relay *pt_relay_new(struct pt_probe *probe, struct pt_err *err);
void pt_relay_free(struct pt_relay *relay);

/* Carries a request out: blocks for as long as the driver does, a second at most. response: room for PT_RELAY_PACKET_BYTES.
 * Returns its length, 1 or more. */
size_t pt_relay_answer(struct pt_relay *relay, const uint8_t *request, size_t len_bytes, uint8_t *response);
/* The next host is not to find the chip in reset. Blocks as an answer does. */
void pt_relay_left(struct pt_relay *relay);

#endif
