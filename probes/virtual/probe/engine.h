/* The firmware of a virtual probe: packets in, packets out, and the time that each one takes at the target. Links
 * (model_link.c), the TCP server and the emulated USB devices of the tests put their own framing around it. One engine
 * per protocol: cmsis_dap.h, bdc_pipe.h, jlink.h, osbdm.h, stlink.h, usbdm.h, xvc.h, remote_bitbang.h, mpsse.h; and
 * rsp/rsp_stub.h. */
#ifndef PT_VIRTUAL_WIRE_ENGINE_H
#define PT_VIRTUAL_WIRE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/first_bytes.h"

enum {
	PT_VENGINE_MAX_PACKET_BYTES = 16640,	/* of a request, and of a response */
	PT_VENGINE_MAX_RESPONSES = 65,		/* to one request: packets that were queued before, and itself */
};

/* A response: valid during the call; done_ns: when the probe had it ready. */
typedef void pt_vrespond(void *arg, const uint8_t *response, size_t len_bytes, uint64_t done_ns);

#define PT_VENGINE_NONSENSE SIZE_MAX

/* A control request on USB. Source: USB 2.0, 9.3. */
struct pt_vcontrol {
	uint8_t type, request;		/* bmRequestType, bRequest */
	uint16_t value, index;
};

/* The device that a probe is on USB, where it is not one that the emulation knows by itself. Its interfaces are alike,
 * of the vendor's class; the probe is the first. */
struct pt_vusb {
	uint16_t vid, pid, release;
	uint8_t n_interfaces, subclass;
	uint8_t out, in;		/* endpoint addresses of the first; each further one has those two higher */
	uint16_t packet_bytes;		/* of a packet on the cable */
	const uint8_t *status;		/* what each packet to the host begins with */
	size_t status_bytes;
	unsigned idle_ms;		/* a packet of these bytes alone goes to a host that waits so long; 0: none */
};

struct pt_vengine_ops {
	const char *name;		/* the protocol, for product strings: "CMSIS-DAP" */
	const char *served;		/* what can use it over TCP, as a sentence for the user */
	/* Take one request that arrived at at_ns of the link's clock; a probe that is busy until later begins later.
	 * Calls respond for each response, PT_VENGINE_MAX_RESPONSES at most. Nothing that the request promises but does
	 * not hold is ever read. */
	void (*process)(void *state, const uint8_t *request, size_t len_bytes, uint64_t at_ns, pt_vrespond *respond,
			void *arg);
	/* In place of process, for one that works on a thread of its own: takes the request, and calls respond and then
	 * answered later, on the loop's thread, unless left was called before. NULL: process */
	void (*begin)(void *state, const uint8_t *request, size_t len_bytes, pt_vrespond *respond,
		      void (*answered)(void *asker), void *asker);
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
	/* A control request of the vendor's kind; data: room for what the device sends, 2 bytes or more. Returns how many
	 * bytes that are, -1: the device refuses it. forgets: out, answers that have not been fetched are dropped. NULL: no
	 * such requests */
	int (*control)(void *state, const struct pt_vcontrol *request, uint8_t *data, size_t room, bool *forgets);
	void (*usb)(void *state, struct pt_vusb *out);	/* NULL: see struct pt_vusb */
	/* What has come for the USB endpoint for trace, room at most, for a host that asks at at_ns; how many bytes. NULL: it
	 * has no such endpoint */
	size_t (*trace)(void *state, uint8_t *bytes, size_t room, uint64_t at_ns);
	void (*left)(void *state);	/* the host has gone; NULL: nothing is to be done */
	void (*free)(void *state);
};

#endif
