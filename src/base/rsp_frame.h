/* GDB Remote Serial Protocol, the framing alone, for both ends: bytes to packets and back. No I/O.
 * Source: GDB manual, appendix "Remote Serial Protocol", section "Overview".
 *
 * Receiving: feed bytes as they come, in pieces of any size; each call gives at most one item. Nothing that comes in
 * is an error of the caller, and memory is the payload buffer the caller gave. */
#ifndef PT_RSP_H
#define PT_RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pt_rsp_item {
	PT_RSP_NONE,		/* all input is taken, nothing is complete yet */
	PT_RSP_PACKET,		/* payload holds it, escapes undone and runs expanded */
	PT_RSP_NOTIFICATION,	/* the same, of a "%" packet: never acknowledged */
	PT_RSP_INTERRUPT,	/* 0x03 between packets */
	PT_RSP_ACK,		/* "+" */
	PT_RSP_NAK,		/* "-" */
	PT_RSP_DAMAGED,		/* wrong checksum, or a run of nothing */
	PT_RSP_STRAY,		/* a byte between packets that means nothing, in stray */
	PT_RSP_OVERSIZE,	/* larger than the buffer, thrown away; the checksum was not looked at */
};

struct pt_rsp {
	uint8_t *payload;	/* the caller's; a NUL that does not count follows the last byte */
	size_t len_bytes;	/* of a PACKET or NOTIFICATION; valid until the next feed */
	uint8_t stray;		/* of a STRAY */
	/* the rest is the parser's */
	size_t room_bytes;
	uint8_t state, mark, sum, stated_sum;
	bool escaped, run, damaged, oversize;
};

/* room_bytes: of payload, at least 2; the largest packet is one less. */
void pt_rsp_init(struct pt_rsp *rsp, uint8_t *payload, size_t room_bytes);

/* Returns the bytes taken, at least 1 unless in_bytes is 0; call again with the rest while there is some. A "$"
 * inside a packet starts it anew: a lost end loses one packet. */
size_t pt_rsp_feed(struct pt_rsp *rsp, const uint8_t *in, size_t in_bytes, enum pt_rsp_item *item);

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* A packet being built: all zero is an empty builder, which grows up to PT_RSP_MAX_FRAME_BYTES and is used again for
 * the next packet. What does not fit sets overflow, and the packet must not be sent. */
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

bool pt_rsp_take(struct pt_rsp_args *args, const char *word);		/* these very characters come next */
bool pt_rsp_number(struct pt_rsp_args *args, uint64_t *value);		/* 1..16 hex digits */
bool pt_rsp_bytes(struct pt_rsp_args *args, uint8_t *out, size_t len_bytes);	/* 2 * len_bytes hex digits */
static inline size_t pt_rsp_left(const struct pt_rsp_args *args)
{
	return (size_t)(args->end - args->at);
}

#endif
