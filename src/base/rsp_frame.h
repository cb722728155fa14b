/* GDB Remote Serial Protocol, the framing alone, for both ends: bytes to packets and back. No I/O.
 * Source: GDB manual, appendix "Remote Serial Protocol", section "Overview".
 *
 * Receiving: feed bytes in pieces of any size; each call returns at most one item. No input is an error of the caller.
 * The only memory is the caller's payload buffer. */
#ifndef PT_RSP_H
#define PT_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_rsp_item {
	PT_RSP_NONE,		/* all input is consumed, no item is complete yet */
	PT_RSP_PACKET,		/* its payload, with escapes and run lengths decoded */
	PT_RSP_NOTIFICATION,	/* the same for a "%" packet, which is never acknowledged */
	PT_RSP_INTERRUPT,	/* 0x03 between packets */
	PT_RSP_ACK,		/* "+" */
	PT_RSP_NAK,		/* "-" */
	PT_RSP_DAMAGED,		/* wrong checksum, or a run length without a character before it */
	PT_RSP_STRAY,		/* an undefined byte between packets; it is in stray */
	PT_RSP_OVERSIZE,	/* larger than the buffer: discarded, checksum not verified */
};

struct pt_rsp {
	uint8_t *payload;	/* the caller's; a NUL that is not counted follows the last byte */
	size_t len_bytes;	/* of a PACKET or NOTIFICATION; valid until the next feed */
	uint8_t stray;		/* of a STRAY */
	/* the rest is the parser's */
	size_t room_bytes;
	uint8_t state, mark, sum, stated_sum;
	bool escaped, run, damaged, oversize;
};

/* room_bytes: of payload, at least 2; the largest packet is one less. */
void pt_rsp_init(struct pt_rsp *rsp, uint8_t *payload, size_t room_bytes);

/* Returns the number of bytes consumed, at least 1 unless in_bytes is 0; call again with the rest. A "$" inside a packet
 * begins a new one, so that a lost end loses one packet only. */
size_t pt_rsp_feed(struct pt_rsp *rsp, const uint8_t *in, size_t in_bytes, enum pt_rsp_item *item);

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* Builds a packet. All zero is an empty builder. It grows up to PT_RSP_MAX_FRAME_BYTES and can be used again for the next
 * packet. If the packet does not fit, overflow is set, and it must not be sent. */
enum { PT_RSP_MAX_FRAME_BYTES = 256 * 1024 };
struct pt_rsp_frame {
	uint8_t *bytes;
	size_t len_bytes, room_bytes;
	bool overflow;
};

void pt_rsp_begin(struct pt_rsp_frame *frame, char mark);	/* '$', or '%' for a notification */
void pt_rsp_text(struct pt_rsp_frame *frame, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pt_rsp_binary(struct pt_rsp_frame *frame, const void *bytes, size_t len_bytes);	/* with escapes */
void pt_rsp_hex(struct pt_rsp_frame *frame, const void *bytes, size_t len_bytes);	/* two digits each */
void pt_rsp_raw(struct pt_rsp_frame *frame, const void *bytes, size_t len_bytes);	/* as they are on the wire */
bool pt_rsp_end(struct pt_rsp_frame *frame);	/* adds the checksum; false after an overflow */
bool pt_rsp_end_with(struct pt_rsp_frame *frame, uint8_t sum);	/* the same; the caller knows the checksum */
void pt_rsp_free(struct pt_rsp_frame *frame);

/* How many of the bytes fit into max_bytes once escaped. */
size_t pt_rsp_escaped_fit(const void *bytes, size_t len_bytes, size_t max_bytes);

/* --- reading a payload -------------------------------------------------------------------------------------------- */

struct pt_rsp_args { const uint8_t *at, *end; };	/* what is left of the payload */

bool pt_rsp_take(struct pt_rsp_args *args, const char *word);		/* exactly these characters */
bool pt_rsp_number(struct pt_rsp_args *args, uint64_t *value);		/* 1..16 hex digits */
bool pt_rsp_bytes(struct pt_rsp_args *args, uint8_t *out, size_t len_bytes);	/* 2 * len_bytes hex digits */
static inline size_t pt_rsp_left(const struct pt_rsp_args *args)
{
	return (size_t)(args->end - args->at);
}

#endif
