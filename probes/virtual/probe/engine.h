/* The firmware of a virtual probe: packets in, packets out, and the time that each one takes at the target. Links
 * (model_link.c), the TCP server and the emulated USB devices of the tests put their own framing around it. One engine
 * per protocol: cmsis_dap.h, bdc_pipe.h, osbdm.h, usbdm.h, xvc.h, remote_bitbang.h, rsp_stub.h. */
#ifndef PT_VIRTUAL_WIRE_ENGINE_H
#define PT_VIRTUAL_WIRE_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/first_bytes.h"

enum {
	PT_VENGINE_MAX_PACKET_BYTES = 2112,	/* of a request, and of a response */
	PT_VENGINE_MAX_RESPONSES = 65,		/* to one request: packets that were queued before, and itself */
};

/* A response: valid during the call; done_ns: when the probe had it ready. */
typedef void pt_vrespond(void *arg, const uint8_t *response, size_t len_bytes, uint64_t done_ns);

#define PT_VENGINE_NONSENSE SIZE_MAX

struct pt_vengine_ops {
	const char *name;		/* the protocol, for product strings: "CMSIS-DAP" */
	const char *served;		/* what can use it over TCP, as a sentence for the user */
	/* Take one request that arrived at at_ns of the link's clock; a probe that is busy until later begins later.
	 * Calls respond for each response, PT_VENGINE_MAX_RESPONSES at most. Nothing that the request promises but does
	 * not hold is ever read. */
	void (*process)(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
			void *arg);
	void (*set_packet_bytes)(void *state, size_t packet_bytes);	/* of requests that come next; NULL: fixed */
	/* Protocols that have a stream of their own: the length of the first request in what has come, 0 while it is
	 * not whole, PT_VENGINE_NONSENSE when it never will be one. NULL: packets, which travel in the frames of
	 * CMSIS-DAP over TCP. */
	size_t (*frame)(void *state, const uint8_t *bytes, size_t n_bytes);
	const char *protocol;		/* of those: "XVC" */
	pt_first_fn *first;		/* of those: how a host begins; NULL: with any byte */
	/* Send what no request asked for (stop replies). Called now and then while no request is under way. NULL:
	 * nothing */
	void (*unasked)(void *state, uint64_t at_ns, pt_vrespond *respond, void *arg);
	void (*left)(void *state);	/* the host has gone; NULL: nothing is to be done */
	void (*free)(void *state);
};

#endif
