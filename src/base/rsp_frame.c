/* The parser keeps its state after each byte, so the result does not depend on how the stream was split. The checksum
 * covers the bytes as they were sent, before escapes and runs are undone. Binary data is escaped on the wire, so "$"
 * and "#" always delimit a packet. */
#include "base/rsp_frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BETWEEN, PAYLOAD, SUM_HIGH, SUM_LOW };
enum { INTERRUPT = 0x03, ESCAPE = '}', ESCAPE_XOR = 0x20, RUN = '*', RUN_BIAS = 29 };

/* --- receiving ---------------------------------------------------------------------------------------------------- */

void pt_rsp_init(struct pt_rsp *rsp, uint8_t *payload, size_t room_bytes)
{
	*rsp = (struct pt_rsp){ .payload = payload, .room_bytes = room_bytes };
	payload[0] = '\0';
}

static void start(struct pt_rsp *rsp, uint8_t mark)
{
	rsp->state = PAYLOAD;
	rsp->mark = mark;
	rsp->len_bytes = 0;
	rsp->sum = 0;
	rsp->escaped = rsp->run = rsp->damaged = rsp->oversize = false;
}

static void store(struct pt_rsp *rsp, uint8_t byte)
{
	if (rsp->len_bytes + 1 < rsp->room_bytes)
		rsp->payload[rsp->len_bytes++] = byte;
	else
		rsp->oversize = true;
}

static void repeat(struct pt_rsp *rsp, uint8_t count)
{
	if (rsp->len_bytes == 0 || count <= RUN_BIAS) {
		rsp->damaged = true;
		return;
	}
	for (uint8_t n = (uint8_t)(count - RUN_BIAS); n > 0 && !rsp->oversize; n--)
		store(rsp, rsp->payload[rsp->len_bytes - 1]);
}

static void in_payload(struct pt_rsp *rsp, uint8_t byte)
{
	if (byte == '#') {
		rsp->damaged |= rsp->escaped || rsp->run;
		rsp->state = SUM_HIGH;
		return;
	}
	rsp->sum = (uint8_t)(rsp->sum + byte);
	if (rsp->escaped) {
		store(rsp, byte ^ ESCAPE_XOR);
		rsp->escaped = false;
	} else if (rsp->run) {
		repeat(rsp, byte);
		rsp->run = false;
	} else if (byte == ESCAPE) {
		rsp->escaped = true;
	} else if (byte == RUN) {
		rsp->run = true;
	} else {
		store(rsp, byte);
	}
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void in_sum(struct pt_rsp *rsp, uint8_t byte)
{
	int value = digit(byte);

	rsp->damaged |= value < 0;
	rsp->stated_sum = (uint8_t)(rsp->stated_sum << 4 | (value & 15));
}

static enum pt_rsp_item finish(struct pt_rsp *rsp)
{
	rsp->state = BETWEEN;
	rsp->payload[rsp->len_bytes] = '\0';
	if (rsp->oversize)
		return PT_RSP_OVERSIZE;
	if (rsp->damaged || rsp->stated_sum != rsp->sum)
		return PT_RSP_DAMAGED;
	return rsp->mark == '%' ? PT_RSP_NOTIFICATION : PT_RSP_PACKET;
}

static enum pt_rsp_item between(struct pt_rsp *rsp, uint8_t byte)
{
	switch (byte) {
	case '$':
	case '%':
		start(rsp, byte);
		return PT_RSP_NONE;
	case INTERRUPT:
		return PT_RSP_INTERRUPT;
	case '+':
		return PT_RSP_ACK;
	case '-':
		return PT_RSP_NAK;
	default:
		rsp->stray = byte;
		return PT_RSP_STRAY;
	}
}

static enum pt_rsp_item take(struct pt_rsp *rsp, uint8_t byte)
{
	if (rsp->state == BETWEEN)
		return between(rsp, byte);
	if (byte == '$') {
		start(rsp, byte);
		return PT_RSP_NONE;
	}
	if (rsp->state == PAYLOAD) {
		in_payload(rsp, byte);
		return PT_RSP_NONE;
	}
	in_sum(rsp, byte);
	if (rsp->state == SUM_LOW)
		return finish(rsp);
	rsp->state = SUM_LOW;
	return PT_RSP_NONE;
}

size_t pt_rsp_feed(struct pt_rsp *rsp, const uint8_t *in, size_t in_bytes, enum pt_rsp_item *item)
{
	size_t taken = 0;

	*item = PT_RSP_NONE;
	while (taken < in_bytes && *item == PT_RSP_NONE)
		*item = take(rsp, in[taken++]);
	return taken;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

/* Room for n more bytes, and the three of the checksum. */
static bool reserve(struct pt_rsp_frame *frame, size_t n)
{
	size_t need = frame->len_bytes + n + 3, room = frame->room_bytes > 0 ? frame->room_bytes : 256;
	uint8_t *bytes;

	while (room < need && room < PT_RSP_MAX_FRAME_BYTES)
		room *= 2;
	if (frame->overflow || need > room) {
		frame->overflow = true;
		return false;
	}
	if (room == frame->room_bytes)
		return true;
	bytes = realloc(frame->bytes, room);
	if (bytes == NULL) {
		frame->overflow = true;
		return false;
	}
	frame->bytes = bytes;
	frame->room_bytes = room;
	return true;
}

void pt_rsp_begin(struct pt_rsp_frame *frame, char mark)
{
	frame->len_bytes = 0;
	frame->overflow = false;
	if (reserve(frame, 1))
		frame->bytes[frame->len_bytes++] = (uint8_t)mark;
}

static bool special(uint8_t byte)
{
	return byte == '#' || byte == '$' || byte == ESCAPE || byte == RUN;
}

static void put(struct pt_rsp_frame *frame, uint8_t byte)
{
	frame->bytes[frame->len_bytes++] = byte;
}

void pt_rsp_binary(struct pt_rsp_frame *frame, const void *bytes, size_t len_bytes)
{
	const uint8_t *in = bytes;

	if (len_bytes > PT_RSP_MAX_FRAME_BYTES || !reserve(frame, 2 * len_bytes)) {
		frame->overflow = true;
		return;
	}
	for (size_t i = 0; i < len_bytes; i++) {
		if (special(in[i]))
			put(frame, ESCAPE);
		put(frame, special(in[i]) ? in[i] ^ ESCAPE_XOR : in[i]);
	}
}

void pt_rsp_text(struct pt_rsp_frame *frame, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(text))
		frame->overflow = true;
	else
		pt_rsp_binary(frame, text, (size_t)n);
}

void pt_rsp_hex(struct pt_rsp_frame *frame, const void *bytes, size_t len_bytes)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *in = bytes;

	if (len_bytes > PT_RSP_MAX_FRAME_BYTES || !reserve(frame, 2 * len_bytes)) {
		frame->overflow = true;
		return;
	}
	for (size_t i = 0; i < len_bytes; i++) {
		put(frame, (uint8_t)digits[in[i] >> 4]);
		put(frame, (uint8_t)digits[in[i] & 15]);
	}
}

void pt_rsp_raw(struct pt_rsp_frame *frame, const void *bytes, size_t len_bytes)
{
	if (len_bytes > PT_RSP_MAX_FRAME_BYTES || !reserve(frame, len_bytes)) {
		frame->overflow = true;
		return;
	}
	memcpy(frame->bytes + frame->len_bytes, bytes, len_bytes);
	frame->len_bytes += len_bytes;
}

bool pt_rsp_end(struct pt_rsp_frame *frame)
{
	uint8_t sum = 0;

	for (size_t i = 1; i < frame->len_bytes; i++)
		sum = (uint8_t)(sum + frame->bytes[i]);
	return pt_rsp_end_with(frame, sum);
}

bool pt_rsp_end_with(struct pt_rsp_frame *frame, uint8_t sum)
{
	if (frame->overflow)
		return false;
	put(frame, '#');
	pt_rsp_hex(frame, &sum, 1);
	return !frame->overflow;
}

void pt_rsp_free(struct pt_rsp_frame *frame)
{
	free(frame->bytes);
	*frame = (struct pt_rsp_frame){ 0 };
}

size_t pt_rsp_escaped_fit(const void *bytes, size_t len_bytes, size_t max_bytes)
{
	const uint8_t *in = bytes;
	size_t n = 0;

	for (size_t used = 0; n < len_bytes; n++) {
		used += special(in[n]) ? 2 : 1;
		if (used > max_bytes)
			break;
	}
	return n;
}

/* --- reading a payload -------------------------------------------------------------------------------------------- */

bool pt_rsp_take(struct pt_rsp_args *args, const char *word)
{
	size_t len = strlen(word);

	if (pt_rsp_left(args) < len || memcmp(args->at, word, len) != 0)
		return false;
	args->at += len;
	return true;
}

bool pt_rsp_number(struct pt_rsp_args *args, uint64_t *value)
{
	const uint8_t *from = args->at;

	*value = 0;
	while (args->at < args->end && digit(*args->at) >= 0) {
		if (args->at - from == 16)
			return false;
		*value = *value << 4 | (uint64_t)digit(*args->at++);
	}
	return args->at > from;
}

bool pt_rsp_bytes(struct pt_rsp_args *args, uint8_t *out, size_t len_bytes)
{
	if (pt_rsp_left(args) / 2 < len_bytes)
		return false;
	for (size_t i = 0; i < len_bytes; i++, args->at += 2) {
		int high = digit(args->at[0]), low = digit(args->at[1]);

		if (high < 0 || low < 0)
			return false;
		out[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}
