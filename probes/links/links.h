/* The links to real probes: finding devices and opening them. Board thread, or whichever thread looks. */
#ifndef PT_PROBES_LINKS_LINKS_H
#define PT_PROBES_LINKS_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "probes/wires/probe.h"

enum { PT_LINK_LIST_MAX = 32 };		/* devices looked at in one search */

/* A device that looks like a probe. */
struct pt_link_found {
	char path[128];		/* what open needs: the kind's own affair */
	char usb_path[32];	/* "1-4.2", bus and ports; empty if unknown */
	char product[64], serial[64];
	const struct pt_probe_ops *driver;	/* whose it is, for ever; its name is the scheme of the URI */
	uint16_t usb_vid, usb_pid, usb_release;
	unsigned usb_mbps;	/* as of struct pt_link_info */
	char node[64];		/* of the device, as an open file names it: who has it is found by it; empty if unknown */
	bool permitted;		/* false: seen, but the system refuses access */
	const char *refused;	/* as in its row of struct pt_usb_id: why it is not opened; NULL: it can be */
	bool common;		/* see is_probe of struct pt_probe_ops */
	unsigned channel;	/* which interface open() takes, counted from the driver's row; list() says 0 */
};

unsigned pt_link_usb_mbps(const char *usb_path);	/* as the kernel says it; 0: it does not */

/* PT_EBUSY with the sentence about a device that another process has: which one, and where it serves GDB if it is a
 * proftap. where: as struct pt_link_info has it; nodes: its nodes under /dev. */
int pt_link_busy(const char *where, const char *const *nodes, size_t n_nodes, struct pt_err *err);

struct pt_link_kind {
	const char *name;	/* "bulk" */
	/* Devices of these drivers. Fills at most max rows; returns their number, or PT_ENOMEM. No device is disturbed. */
	int (*list)(const struct pt_probe_ops *const *drivers, size_t n_drivers, struct pt_link_found *out, size_t max,
		    struct pt_err *err);
	/* PT_EPERM, PT_EBUSY (another program has it), PT_EIO (gone), PT_EPROTO (not what it seemed) */
	struct pt_link *(*open)(const struct pt_link_found *found, struct pt_err *err);
};

/* Best first, as a device may be reached in two ways. An address names them, too: link=bulk.
 *	bulk	vendor bulk endpoints, by libusb
 *	hid	HID reports, by hidapi
 *	serial	a serial port (probes/rsp/rsp_serial.c) */
#define PT_LINK_KINDS(X) \
	X(bulk) X(hid) X(serial)
#define X(kind) extern const struct pt_link_kind pt_##kind##_kind;
PT_LINK_KINDS(X)
#undef X

enum { PT_TCP_PORT = 4441 };	/* where host_port names none. Source: OpenOCD cmsis_dap_tcp.c */

/* CMSIS-DAP over TCP: "HOST:PORT", "[v6]:PORT" or "HOST". Connects within 2 s. PT_EARG, PT_EIO. */
struct pt_link *pt_tcp_link_open(const char *host_port, struct pt_err *err);

/* A protocol whose requests and answers follow each other on the stream without headers: each request makes one answer,
 * and says by itself how long that is. */
struct pt_framing {
	const char *protocol;		/* "XVC", for the sentence */
	unsigned port;			/* where an address names none; 0: it must */
	/* Bytes of the answer to a request, 1 or more and at most PT_LINK_MAX_PACKET_BYTES, or PT_FRAMING_LINE. */
	size_t (*answer_bytes)(const uint8_t *request, size_t len_bytes);
	uint8_t line_end;		/* what ends a line; 0: a line feed */
	size_t line_bytes;		/* of the longest line, with its end; 0: 256. At most PT_LINK_MAX_PACKET_BYTES */
	bool unframed;			/* an answer's length shows in itself: bytes are handed over as they come */
	const uint8_t *head;		/* what stands in front of each request; NULL: nothing */
	size_t head_bytes;		/* at most PT_FRAMING_HEAD */
};
enum { PT_FRAMING_HEAD = 8 };
#define PT_FRAMING_LINE SIZE_MAX		/* up to the end of the line, which belongs to it */
/* As pt_tcp_link_open, also "unix:PATH". framing outlives the link. An answer that comes too late is still taken for
 * the request it answers; bytes that no request asked for end the connection. */
struct pt_link *pt_stream_link_open(const char *address, const struct pt_framing *framing, struct pt_err *err);

#endif
