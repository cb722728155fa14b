/* Checks the first bytes of a connection before any of them is executed: does the peer speak this server's protocol? A
 * web page can make a browser send nearly any text to a port of this machine, after the head of an HTTP request. A server
 * that skips what it does not understand would execute that text. Each server (door) has a predicate. Pure.
 *
 * The server keeps the received bytes until the verdict, which depends on the bytes only, not on how they were split. */
#ifndef PT_FIRSTBYTES_H
#define PT_FIRSTBYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_first { PT_FIRST_NO, PT_FIRST_MORE, PT_FIRST_YES };
/* The verdict on the first n_bytes of a connection. MORE: call it again with all bytes when more have arrived. */
typedef enum pt_first pt_first_fn(const uint8_t *bytes, size_t n_bytes);

/* Limits for connections that have no verdict yet. */
enum {
	PT_FIRST_MOST_BYTES = 2048,	/* NO if there is no verdict after these */
	PT_FIRST_MOST_PEERS = 16,	/* at one server: the next one closes the oldest */
	PT_FIRST_PATIENCE_MS = 60000,	/* a peer that sends nothing is closed then */
	PT_FIRST_TEXT_BYTES = 128,
};

/* GDB's remote protocol: acknowledgements and interrupts, and then a whole packet with the right checksum. A client
 * begins with a question or with what it can do (q, Q, v, ?, !, H, g, p, m, x, j), in visible characters: a request
 * line of HTTP, whose method may hold "$", "#" and "+", is no such packet, or shows with its first space what it is.
 * Source: RFC 9110, 5.6.2, token. */
pt_first_fn pt_first_rsp;
/* After pt_first_rsp has returned YES: is the first packet followed only by acknowledgements and repetitions of itself? A
 * client sends no second packet before the reply to the first, but an HTTP method may look like several packets, of which
 * only the first is known to be harmless. A GDB repeats a packet that is not acknowledged. */
bool pt_first_rsp_alone(const uint8_t *bytes, size_t n_bytes);
/* CMSIS-DAP over TCP: the signature, and a request. Source: OpenOCD, cmsis_dap_tcp.c */
pt_first_fn pt_first_cmsis_dap;
/* XVC 1.0: getinfo:, settck: or shift:. Source: Xilinx XAPP1251 */
pt_first_fn pt_first_xvc;

/* is_ours, with the limit PT_FIRST_MOST_BYTES. */
enum pt_first pt_first_check(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes);

/* A text character that none of our protocols has between packets: it comes from a web page or a person. */
bool pt_first_is_text(uint8_t byte);

/* What the bytes look like: "an HTTP request", ...; NULL: not known. is_ours: the server's predicate; NULL: any. */
const char *pt_first_name(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes);

/* For messages: "look like an HTTP request", or `begin with "..."` and the first bytes, with \x1f for invisible ones.
 * is_ours: the server's predicate; NULL: any. quote false: never shows the bytes. Returns text. */
const char *pt_first_describe(pt_first_fn *is_ours, const uint8_t *bytes, size_t n_bytes, bool quote,
			      char text[PT_FIRST_TEXT_BYTES]);

#endif
