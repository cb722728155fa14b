/* A link moves packets between the daemon and a probe: USB bulk, HID, TCP, or a virtual board in this process. It has
 * the clock, the deadlines, unplug and interrupt; it does not know the meaning of packets.
 *
 * One request makes one response, in order; up to `depth` may be outstanding. Board thread only, except
 * pt_link_interrupt(). Every call that can block has a deadline on the link's clock.
 *
 * An interrupted caller may start again from the beginning, so frequent interrupts could prevent it from ever
 * finishing. Work that must be finished is done inside a shield.
 *
 * The link's clock: monotonic nanoseconds. On a real link it is the host's monotonic clock. On a virtual board with
 * clock=virtual, time passes only inside submit, receive and wait; no code above may ask another clock for anything
 * that reaches a report. */
#ifndef PT_PROBES_LINK_H
#define PT_PROBES_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct pt_link;

enum { PT_LINK_MAX_PACKET_BYTES = 32768 };
#define PT_LINK_VIRTUAL_PRODUCT "proftap virtual"	/* beginning of the product text of virtual boards, on any
							 * link */

struct pt_link_info {
	char transport[16];	/* "bulk", "hid", "tcp", "model" */
	char product[64], serial[64];	/* empty if unknown */
	char where[64];		/* "usb 1-4.2", "127.0.0.1:4441", "kl27 (virtual)" */
	bool is_virtual;	/* a model in this process; pt_probe_info() knows those on other links, too */
	bool virtual_clock;	/* time passes only inside this link's calls: avoid unnecessary polling */
	bool fixed_packets;	/* responses are padded to the packet size (HID) */
	uint16_t usb_vid, usb_pid, usb_release;	/* 0 if it has none; release: bcdDevice, for quirks */
	uint8_t usb_interface;	/* number of the interface in use */
	uint16_t trace_bytes;	/* packet size of the endpoint for trace; 0: none */
	unsigned usb_mbps;	/* speed of the cable: 12, 480, ...; 0: unknown, or no USB */
	size_t packet_bytes;	/* the link's own limit; the protocol above may set a smaller one */
	unsigned depth;		/* limit of outstanding requests; the protocol above may use fewer */
};

/* A control request to a USB device. Source: USB 2.0, 9.3. */
struct pt_link_control {
	uint8_t type, request;		/* bmRequestType, with bit 7: the device sends; bRequest */
	uint16_t value, index;
};

/* The functions of a kind of link. Drivers of links fill one; probes/links has bulk, hid and tcp, probes/rsp that of a
 * GDB server, probes/virtual/model_link.c model. */
struct pt_link_ops {
	const char *name;
	/* Frees state too. Does not wait for responses. */
	void (*close)(void *state);
	void (*info)(void *state, struct pt_link_info *out);
	/* Sends one request. Blocks until there is room for it, at most until deadline_ns. Returns 0, PT_ETIMEOUT,
	 * PT_EIO (gone). */
	int (*submit)(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err);
	/* Receives the oldest outstanding response. Returns its length, PT_ETIMEOUT (still outstanding),
	 * PT_EINTERRUPTED (still outstanding), PT_EPROTO (larger than buf; consumed), PT_EIO. */
	int (*receive)(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err);
	uint64_t (*now_ns)(void *state);
	uint64_t (*missed_ns)(void *state);	/* See pt_link_missed_ns(); NULL: none */
	/* Waits until until_ns; if this is in the past it only takes a pending interrupt. 0, or PT_EINTERRUPTED,
	 * PT_EIO: the device is gone. */
	int (*wait)(void *state, uint64_t until_ns, struct pt_err *err);
	/* Any thread. Makes the current blocking call, or the next one, return PT_EINTERRUPTED, once. */
	void (*interrupt)(void *state);
	/* Longer packets are a programming error. Called when the protocol above knows the device's limits. */
	void (*set_packet_bytes)(void *state, size_t packet_bytes);
	/* See pt_link_control(); NULL: the link has no such requests. */
	int (*control)(void *state, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
		       uint64_t deadline_ns, struct pt_err *err);
	void (*forget)(void *state);	/* See pt_link_forget(); NULL without control */
	int (*reset)(void *state, struct pt_err *err);	/* See pt_link_reset(); NULL: impossible */
	/* See pt_link_trace(), pt_link_end_trace(); NULL: the device never has such an endpoint. */
	int (*trace)(void *state, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		     struct pt_err *err);
	void (*end_trace)(void *state);
};

/* For drivers of links: takes state, which ops->close frees. NULL: no memory. */
struct pt_link *pt_link_new(const struct pt_link_ops *ops, void *state);
void pt_link_close(struct pt_link *link);	/* NULL is fine */
/* For drivers of links: the state given to pt_link_new, or NULL if the link is of another kind. */
void *pt_link_state(struct pt_link *link, const struct pt_link_ops *ops);

void pt_link_info(struct pt_link *link, struct pt_link_info *out);
int pt_link_submit(struct pt_link *link, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
		   struct pt_err *err);
/* Sends the beginning of a request of several packets: the only response is that to the last packet, which is submitted
 * as usual. Errors as of submit; the device then has half a request. */
int pt_link_submit_part(struct pt_link *link, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
			struct pt_err *err);
/* A control request to the device, independent of the packets. data: the data that the device sends, len_bytes at most;
 * requests that send data to the device are not supported. Returns the number of bytes received, or PT_EPROTO (the
 * device refuses it), PT_ETIMEOUT, PT_EIO, PT_EUNSUPPORTED (no link to a USB device). It cannot be interrupted, and
 * does not count as a response. */
int pt_link_control(struct pt_link *link, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
		    uint64_t deadline_ns, struct pt_err *err);
/* Drops outstanding responses, after a control request that makes the device drop them. Only for links with control
 * requests. */
void pt_link_forget(struct pt_link *link);
/* Resets a USB device, for firmware that hangs: outstanding responses are lost, and the device is as after plugging in.
 * It cannot be interrupted; the kernel takes 0.1 to 0.3 s. 0, or PT_EIO (the device did not come back), PT_EUNSUPPORTED
 * (no link to a USB device). */
int pt_link_reset(struct pt_link *link, struct pt_err *err);
/* Reads a USB device's second IN endpoint, on which a probe sends trace: takes a transfer of len_bytes (in whole
 * packets of the endpoint; a short packet ends it), and keeps n_ahead more outstanding. buf has room for the whole
 * packets. Returns the number of bytes, or PT_ETIMEOUT (nothing is lost: the transfer continues), PT_EINTERRUPTED (the
 * same), PT_EPROTO (the device refuses), PT_EIO, PT_EUNSUPPORTED (no such endpoint). */
int pt_link_trace(struct pt_link *link, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		  struct pt_err *err);
void pt_link_end_trace(struct pt_link *link);	/* cancels its outstanding transfers */
int pt_link_receive(struct pt_link *link, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err);
uint64_t pt_link_now_ns(struct pt_link *link);
/* The part of this clock's time so far that the other end has not executed: for a virtual board by wall clock, on a
 * machine that is too slow for its model. */
uint64_t pt_link_missed_ns(struct pt_link *link);
int pt_link_wait(struct pt_link *link, uint64_t until_ns, struct pt_err *err);
void pt_link_interrupt(struct pt_link *link);
/* Between pt_link_shield() and its pt_link_unshield() no call returns PT_EINTERRUPTED: interrupts are kept, and the
 * first blocking call after the last unshield returns it, once for all of them. May be nested. */
void pt_link_shield(struct pt_link *link);
void pt_link_unshield(struct pt_link *link);
void pt_link_set_packet_bytes(struct pt_link *link, size_t packet_bytes);

/* Traffic so far, for `monitor status`, the self-benchmark and the bench. A round trip is counted when the host waits
 * in receive without anything to send, which is the wait for the last outstanding response. */
struct pt_link_traffic {
	uint64_t packets, bytes_out, bytes_in, round_trips;
	uint64_t busy_ns;	/* time with at least one request outstanding */
};
void pt_link_traffic(struct pt_link *link, struct pt_link_traffic *out);

#endif
