/* A model of the firmware of a CMSIS-DAP probe with SWD, JTAG (sequences; DAP_Transfer is for SWD alone) and SWO, and
 * without UART, in front of a virtual board:
 * packets in, packets out, and the time each one takes on the SWD cable. Links (model_link.c), the TCP server and the
 * emulated USB device of the tests put their own framing around it.
 *
 * Source: the CMSIS-DAP 2.1 reference, pages Commands and Firmware. */
#ifndef PT_VIRTUAL_WIRE_CMSIS_DAP_H
#define PT_VIRTUAL_WIRE_CMSIS_DAP_H

#include <stddef.h>
#include <stdint.h>

#include "probes/virtual/probe/engine.h"
#include "probes/virtual/frame/faults.h"
#include "probes/virtual/frame/pace.h"

struct pt_vdap;

enum {
	PT_VDAP_MIN_PACKET_BYTES = 64, PT_VDAP_MAX_PACKET_BYTES = 1024,
	PT_VDAP_MAX_PACKETS = 64,
	PT_VDAP_SWO_BYTES = 4096,
};

struct pt_vdap_config {
	size_t packet_bytes;		/* PT_VDAP_MIN_PACKET_BYTES..PT_VDAP_MAX_PACKET_BYTES */
	unsigned packet_count;		/* 1..PT_VDAP_MAX_PACKETS */
	uint32_t max_swclk_hz;		/* the clock until the host asks for a slower one; 1 or more */
	const char *product, *serial;	/* Info strings, under 60 characters; outlive the model */
	uint32_t swo_bytes;		/* its ring for SWO, a multiple of 64; 0: it has no SWO. A board without the pin
					 * makes it a probe without SWO, too */
	bool swo_endpoint;		/* SWO can go by an endpoint of its own */
	bool swo_index;			/* it tells how many bytes it has received, with a time */
};

/* pace and faults stay the caller's and outlive the model. NULL without memory. */
struct pt_vdap *pt_vdap_new(const struct pt_vdap_config *config, struct pt_vpace *pace, struct pt_vfaults *faults);
void pt_vdap_free(struct pt_vdap *dap);

extern const struct pt_vengine_ops pt_vdap_engine;	/* its state is a struct pt_vdap */

/* Take one request that arrived at at_ns of the link's clock (a probe busy until later begins later). Calls respond for
 * each response: usually once; not at all for TransferAbort and QueueCommands; for a request after queued ones, theirs
 * first. What a request promises but does not hold is never read: the command fails, or a batch ends before it.
 * Bytes after the end of a command, as HID has them, are ignored. */
void pt_vdap_process(struct pt_vdap *dap, const uint8_t *request, size_t len_bytes, uint64_t at_ns,
		     pt_vrespond *respond, void *arg);

/* A probe with several interfaces has a packet size for each: the one of the requests that come next. */
void pt_vdap_set_packet_bytes(struct pt_vdap *dap, size_t packet_bytes);

/* Bytes of the endpoint for SWO, for a host that asks at at_ns; how many. */
size_t pt_vdap_trace(struct pt_vdap *dap, uint8_t *bytes, size_t room, uint64_t at_ns);

uint64_t pt_vdap_swo_lost(const struct pt_vdap *dap);	/* bytes that it had no room for, so far */
uint64_t pt_vdap_transfers(const struct pt_vdap *dap);	/* SWD transfers so far */

#endif
