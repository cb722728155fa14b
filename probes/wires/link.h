/* A link moves packets between the daemon and a probe: USB bulk, HID, TCP, or a virtual board in this process.
 * It owns the clock, the deadlines, unplug and interrupt; it knows nothing of what the packets mean.
 *
 * One request makes one response, in order; up to `depth` may be outstanding. Board thread only, except
 * pt_link_interrupt(). Every call that can block has a deadline on the link's clock.
 *
 * A caller that is interrupted may begin again from the start, and interrupts that come faster than it gets done
 * would keep it from ever ending. So work that must come to its end is done inside a shield.
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
#define PT_LINK_VIRTUAL_PRODUCT "proftap virtual"	/* as the product of our own models begins, on any link */

struct pt_link_info {
	char transport[16];	/* "bulk", "hid", "tcp", "model" */
	char product[64], serial[64];	/* empty where unknown */
	char where[64];		/* "usb 1-4.2", "127.0.0.1:4441", "kl27 (virtual)" */
	bool is_virtual;	/* a model in this process; pt_probe_info() knows those on other links, too */
	bool virtual_clock;	/* time passes only inside this link's calls: never poll out of curiosity */
	bool fixed_packets;	/* responses are padded to the packet size (HID) */
	uint16_t usb_vid, usb_pid, usb_release;	/* 0 where there are none; release: bcdDevice, for quirks */
	uint8_t usb_interface;	/* the one in use */
	uint16_t trace_bytes;	/* of a packet of the endpoint for trace; 0: there is none */
	unsigned usb_mbps;	/* what the cable runs at: 12, 480, ...; 0: unknown, or no USB */
	size_t packet_bytes;	/* the link's own limit; the protocol above may set a smaller one */
	unsigned depth;		/* requests the link can hold outstanding; the protocol above may use fewer */
};

/* A control request to a USB device. Source: USB 2.0, 9.3. */
struct pt_link_control {
	uint8_t type, request;		/* bmRequestType, whose bit 7 says that the device sends; bRequest */
	uint16_t value, index;
};

/* What one kind of link can do. Drivers of links fill one; probes/links has bulk, hid and tcp, probes/rsp that
 * of a GDB server, probes/virtual/model_link.c model. */
struct pt_link_ops {
	const char *name;
	/* Frees state too. No response is waited for. */
	void (*close)(void *state);
	void (*info)(void *state, struct pt_link_info *out);
	/* Hand one request over. Blocks at most until deadline_ns for room. Returns 0, PT_ETIMEOUT, PT_EIO (gone). */
	int (*submit)(void *state, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err);
	/* The oldest outstanding response. Returns its length, PT_ETIMEOUT (still outstanding), PT_EINTERRUPTED (still
	 * outstanding), PT_EPROTO (larger than buf; consumed), PT_EIO. */
	int (*receive)(void *state, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err);
	uint64_t (*now_ns)(void *state);
	uint64_t (*missed_ns)(void *state);	/* See pt_link_missed_ns(); NULL: none */
	/* Let time pass until until_ns; with one that is past it only collects a pending interrupt. 0, or
	 * PT_EINTERRUPTED, PT_EIO when the device has gone meanwhile. */
	int (*wait)(void *state, uint64_t until_ns, struct pt_err *err);
	/* Any thread. Makes a blocking call that is under way, or the next one, return PT_EINTERRUPTED, once. */
	void (*interrupt)(void *state);
	/* Packets beyond this are an error of ours. Called once the protocol above knows the device's limits. */
	void (*set_packet_bytes)(void *state, size_t packet_bytes);
	/* See pt_link_control(); NULL: the link has no such requests. */
	int (*control)(void *state, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
		       uint64_t deadline_ns, struct pt_err *err);
	void (*forget)(void *state);	/* See pt_link_forget(); NULL where there is no control */
	int (*reset)(void *state, struct pt_err *err);	/* See pt_link_reset(); NULL: it has no such thing */
	/* See pt_link_trace(), pt_link_end_trace(); NULL: the device never has such an endpoint. */
	int (*trace)(void *state, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		     struct pt_err *err);
	void (*end_trace)(void *state);
};

/* Takes over state, to be freed by ops->close; for the makers of links. NULL only without memory. */
struct pt_link *pt_link_new(const struct pt_link_ops *ops, void *state);
void pt_link_close(struct pt_link *link);	/* NULL is fine */
/* For the maker of a link: what it gave to pt_link_new, or NULL when the link is of another kind. */
void *pt_link_state(struct pt_link *link, const struct pt_link_ops *ops);

void pt_link_info(struct pt_link *link, struct pt_link_info *out);
int pt_link_submit(struct pt_link *link, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
		   struct pt_err *err);
/* The beginning of a request that goes in several packets: there is no response but that to the last, which is
 * submitted as usual. Errors as of submit; the device then has half a request. */
int pt_link_submit_part(struct pt_link *link, const uint8_t *packet, size_t len_bytes, uint64_t deadline_ns,
			struct pt_err *err);
/* A control request to the device, beside the packets. data: what the device sends, len_bytes at most; requests that
 * send data to the device are not needed yet. Returns how many bytes came, or PT_EPROTO (the device refuses it),
 * PT_ETIMEOUT, PT_EIO, PT_EUNSUPPORTED (no link to a USB device). It is not interrupted, and no response. */
int pt_link_control(struct pt_link *link, const struct pt_link_control *request, uint8_t *data, size_t len_bytes,
		    uint64_t deadline_ns, struct pt_err *err);
/* Throw away what is outstanding: a control request has made the device forget it. Only where there are such requests. */
void pt_link_forget(struct pt_link *link);
/* Resets a USB device, for firmware that hangs: what was outstanding is gone, and it answers as one that was plugged in just
 * now. It is not interrupted; the kernel takes 0.1 to 0.3 s. 0, or PT_EIO (it did not come back), PT_EUNSUPPORTED (no link
 * to a USB device). */
int pt_link_reset(struct pt_link *link, struct pt_err *err);
/* Bytes of a USB device's second IN endpoint, on which a probe sends trace: of a transfer of len_bytes (in whole packets
 * of the endpoint; a packet that is not full ends it), n_ahead more of which stay under way behind it. buf has room for
 * the whole packets. Returns how many, or PT_ETIMEOUT (nothing is lost: the transfer goes on), PT_EINTERRUPTED (the
 * same), PT_EPROTO (the device refuses), PT_EIO, PT_EUNSUPPORTED (no such endpoint). */
int pt_link_trace(struct pt_link *link, uint8_t *buf, size_t len_bytes, unsigned n_ahead, uint64_t deadline_ns,
		  struct pt_err *err);
void pt_link_end_trace(struct pt_link *link);	/* take back what is under way there */
int pt_link_receive(struct pt_link *link, uint8_t *buf, size_t buf_bytes, uint64_t deadline_ns, struct pt_err *err);
uint64_t pt_link_now_ns(struct pt_link *link);
/* So much of this clock's time the other end has not seen so far: a virtual board by wall clock, on a machine that is too slow for
 * its model. */
uint64_t pt_link_missed_ns(struct pt_link *link);
int pt_link_wait(struct pt_link *link, uint64_t until_ns, struct pt_err *err);
void pt_link_interrupt(struct pt_link *link);
/* From pt_link_shield() to the pt_link_unshield() that belongs to it no call returns PT_EINTERRUPTED: interrupts are
 * kept, and the first call that blocks after the last unshield returns it, once for all of them. May be nested. */
void pt_link_shield(struct pt_link *link);
void pt_link_unshield(struct pt_link *link);
void pt_link_set_packet_bytes(struct pt_link *link, size_t packet_bytes);

/* Traffic so far, for `monitor status`, the self-benchmark and the bench. A round trip is counted when the host waits
 * in receive with nothing else to send: the caller says so by waiting for the last outstanding response. */
struct pt_link_traffic {
	uint64_t packets, bytes_out, bytes_in, round_trips;
	uint64_t busy_ns;	/* time with at least one request outstanding */
};
void pt_link_traffic(struct pt_link *link, struct pt_link_traffic *out);

#endif
