/* What comes in. One pass over each byte finds the frame and its checksum. A frame is never moved unless the end of the
 * buffer is near. A server that never ends a packet fills the buffer, and is let go. */
#define _GNU_SOURCE	/* memrchr */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "probes/rsp/rsp_parts.h"

enum { READ_BYTES = 64 * 1024 };

/* False: nothing new. */
static bool fill(struct pt_rsp_stream *s)
{
	int fd = atomic_load(&s->fd);
	ssize_t n;

	if (fd < 0)
		return false;
	if (s->begin == s->end) {
		s->begin = s->scanned = s->end = 0;
	} else if (sizeof(s->in) - s->end < READ_BYTES) {
		memmove(s->in, s->in + s->begin, s->end - s->begin);
		s->scanned -= s->begin;
		s->end -= s->begin;
		s->begin = 0;
	}
	if (s->end == sizeof(s->in)) {
		pt_rsp_stream_end(s,
				  "it sends a packet without an end; this is no GDB server, or it is out of its mind");
		return false;
	}
	n = recv(fd, s->in + s->end, sizeof(s->in) - s->end, MSG_DONTWAIT);
	if (n == 0)
		pt_rsp_stream_hung_up(s);
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		pt_rsp_stream_end(s, strerror(errno));
	s->end += n > 0 ? (size_t)n : 0;
	return n > 0;
}

static int digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Between packets only marks count. */
static void skip_noise(struct pt_rsp_stream *s)
{
	while (s->begin < s->end && s->in[s->begin] != '$' && s->in[s->begin] != '%') {
		if (s->in[s->begin] == '-' && !s->no_ack && s->frame.len_bytes > 0 && s->n_naks++ < PT_RSP_MAX_DAMAGED)
			pt_rsp_stream_put(s, s->frame.bytes, s->frame.len_bytes);
		s->begin++;
	}
	s->scanned = s->begin;
	s->sum = 0;
}

/* Modulo 256. Eight bytes at a time, in four lanes that are emptied before they can overflow. */
static uint8_t sum_of(const uint8_t *bytes, size_t n)
{
	enum { LANES_HOLD = 128 };
	const uint64_t low = UINT64_C(0x00ff00ff00ff00ff);
	uint64_t total = 0, lanes, word;

	while (n >= sizeof(word)) {
		lanes = 0;
		for (unsigned k = 0; k < LANES_HOLD && n >= sizeof(word);
		     k++, bytes += sizeof(word), n -= sizeof(word)) {
			memcpy(&word, bytes, sizeof(word));
			lanes += (word & low) + (word >> 8 & low);
		}
		total += (lanes & 0xffff) + (lanes >> 16 & 0xffff) + (lanes >> 32 & 0xffff) + (lanes >> 48);
	}
	for (; n > 0; n--)
		total += *bytes++;
	return (uint8_t)total;
}

/* True: a frame is whole, [begin, scanned). */
static bool scan(struct pt_rsp_stream *s)
{
	size_t at = s->scanned + (s->scanned == s->begin && s->begin < s->end);	/* its mark does not count */
	const uint8_t *hash = memchr(s->in + at, '#', s->end - at);
	size_t stop = hash != NULL ? (size_t)(hash - s->in) : s->end;
	const uint8_t *again = memrchr(s->in + at, '$', stop - at);

	if (again != NULL) {		/* the end of the one before was lost */
		s->begin = (size_t)(again - s->in);
		s->sum = 0;
		at = s->begin + 1;
	}
	s->sum = (uint8_t)(s->sum + sum_of(s->in + at, stop - at));
	s->scanned = stop;
	if (hash == NULL || stop + 3 > s->end)
		return false;
	s->scanned = stop + 3;
	return true;
}

static bool sum_fits(const struct pt_rsp_stream *s)
{
	int high = digit(s->in[s->scanned - 2]), low = digit(s->in[s->scanned - 1]);

	return high >= 0 && low >= 0 && (high << 4 | low) == s->sum;
}

enum pt_rsp_frame_kind pt_rsp_stream_next(struct pt_rsp_stream *s, struct pt_rsp_raw *out)
{
	for (;;) {
		bool note, fits;

		skip_noise(s);
		if (s->begin == s->end || !scan(s)) {
			if (fill(s))
				continue;
			return atomic_load(&s->fd) < 0 ? PT_RSP_FRAME_LOST : PT_RSP_FRAME_NONE;
		}
		if (!s->ahead)
			pt_rsp_stream_ack(s);	/* of the one before, if nothing was sent since */
		note = s->in[s->begin] == '%';
		fits = sum_fits(s);
		*out = (struct pt_rsp_raw){ s->in + s->begin, s->scanned - s->begin };
		s->begin = s->scanned;
		s->sum = 0;
		s->ack_owed = !note && !s->no_ack && fits;
		if (!note && !s->no_ack && !fits && !s->ahead)
			pt_rsp_stream_put(s, (const uint8_t *)"-", 1);
		if (fits) {
			s->n_damaged = s->n_naks = 0;
			return note ? PT_RSP_FRAME_NOTE : PT_RSP_FRAME_PACKET;
		}
		if (note)
			continue;
		if (s->no_ack || s->ahead || ++s->n_damaged > PT_RSP_MAX_DAMAGED)
			return PT_RSP_FRAME_DAMAGED;
	}
}

int pt_rsp_raw_payload(const struct pt_rsp_raw *raw, uint8_t *out, size_t room_bytes)
{
	enum pt_rsp_item item;
	struct pt_rsp rsp;

	pt_rsp_init(&rsp, out, room_bytes);
	pt_rsp_feed(&rsp, raw->bytes, raw->len_bytes, &item);
	return item == PT_RSP_PACKET || item == PT_RSP_NOTIFICATION ? (int)rsp.len_bytes : PT_EPROTO;
}
