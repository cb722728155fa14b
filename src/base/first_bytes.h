/* The first bytes of a connection, looked at before anything of it is carried out: does the peer speak the door's own
 * protocol? A web page can make a browser send nearly any text to a port of this machine, behind an HTTP request; a
 * server that skips what it does not know carries that text out. Every door states its predicate; pure.
 *
 * The door keeps what has come until the verdict. It depends on the bytes alone, not on how they were split. */
#ifndef PT_FIRSTBYTES_H
#define PT_FIRSTBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_first { PT_FIRST_NO, PT_FIRST_MORE, PT_FIRST_YES };
/* The verdict on the first n_bytes of a connection; MORE: too few. Asked again with all of them when more have come. */
typedef enum pt_first pt_first_fn(const uint8_t *bytes, size_t n_bytes);

/* What doors allow connections that have no verdict yet. */
enum {
	PT_FIRST_MOST_BYTES = 2048,	/* the verdict is NO where these do not suffice */
	PT_FIRST_MOST_PEERS = 16,	/* at one door: the oldest of them makes place for the next */
	PT_FIRST_PATIENCE_MS = 60000,	/* a peer that says nothing is closed then */
	PT_FIRST_TEXT_BYTES = 128,
};

/* GDB's remote protocol: acknowledgements and interrupts, and then a whole packet with the right checksum. A client
 * begins with a question or with what it can do (q, Q, v, ?, !, H, g, p, m, x, j), in visible characters: a request
 * line of HTTP, whose method may hold "$", "#" and "+", is no such packet, or shows with its first space what it is.
 * Source: RFC 9110, 5.6.2, token. */
pt_first_fn pt_first_rsp;
/* Once pt_first_rsp has said yes: is there nothing behind the first packet but acknowledgements, and the same packet once
 * more? No client sends a second one before it has the reply to the first, but the method of an HTTP request may be
 * several packets, of which only the first has to be harmless. A GDB whose packet is not acknowledged repeats it. */
bool pt_first_rsp_alone(const uint8_t *bytes, size_t n_bytes);
/* CMSIS-DAP over TCP: the signature, and a request. Source: OpenOCD, cmsis_dap_tcp.c */
pt_first_fn pt_first_cmsis_dap;
/* XVC 1.0: getinfo:, settck: or shift:. Source: Xilinx XAPP1251 */
pt_first_fn pt_first_xvc;

/* is_ours with the bound. */
enum pt_first pt_first_check(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes);

/* A text character that no protocol of ours has between its packets: what a web page or a person sends. */
bool pt_first_is_text(uint8_t byte);

/* What they look like: "an HTTP request", ...; NULL: no protocol that is known here. is_ours: of the door; NULL: any. */
const char *pt_first_name(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes);

/* For messages: "look like an HTTP request", or `begin with "..."`: the first few, with \x1f for what is not visible.
 * is_ours: of the door; NULL: any. quote false: never the bytes themselves. Returns text. */
const char *pt_first_describe(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes, bool quote,
			      char text[PT_FIRST_TEXT_BYTES]);

#endif
