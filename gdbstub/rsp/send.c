/* Sends to the peer. Everything is copied into its own write, so callers keep nothing alive; a peer that does not read
 * is disconnected before its unsent bytes use much memory. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/rsp/connection.h"
#include "host/log.h"

enum {
	MAX_UNSENT_BYTES = 4 << 20,
	MAX_UNSENT_CONSOLE_BYTES = 256 * 1024,	/* console text can be delayed; replies cannot */
};

/* Whether this is monitor auth with a token, in any spacing. */
static bool holds_token(const uint8_t *bytes, size_t len_bytes)
{
	struct pt_rsp_args args = { bytes, bytes + len_bytes };
	uint8_t c = ' ';

	if (!pt_rsp_take(&args, "qRcmd,"))
		return false;
	while (strchr(" \t\r\n", c) != NULL)
		if (!pt_rsp_bytes(&args, &c, 1))
			return false;
	args.at -= 2;
	for (const char *at = "auth"; *at != '\0'; at++)
		if (!pt_rsp_bytes(&args, &c, 1) || c != (uint8_t)*at)
			return false;
	return true;
}

/* One line, whatever the packet contains. */
void pt_rsp_log_packet(const char *way, const uint8_t *bytes, size_t len_bytes)
{
	char line[512];
	size_t n = 0;

	if (!pt_log_wants(PT_LOG_GDB))
		return;
	if (holds_token(bytes, len_bytes)) {
		pt_debug(PT_LOG_GDB, "gdb: %s qRcmd, with a token", way);
		return;
	}
	for (; n < len_bytes && n < sizeof(line) - 4; n++)
		line[n] = bytes[n] >= ' ' && bytes[n] < 0x7f ? (char)bytes[n] : '.';
	strcpy(line + n, n < len_bytes ? "..." : "");
	pt_debug(PT_LOG_GDB, "gdb: %s %s", way, line);
}

struct write { uv_write_t write; uint8_t bytes[]; };

static void on_written(uv_write_t *write, int status)
{
	struct pt_rsp_connection *c = write->data;

	free((struct write *)write);
	if (status < 0 && status != UV_ECANCELED)
		pt_rsp_hang_up(c, uv_strerror(status));
}

static void write_bytes(struct pt_rsp_connection *c, const uint8_t *bytes, size_t len_bytes)
{
	struct write *out = malloc(sizeof(*out) + len_bytes);
	uv_buf_t buf;
	int rc = UV_ENOMEM;

	if (out != NULL) {
		memcpy(out->bytes, bytes, len_bytes);
		out->write.data = c;
		buf = uv_buf_init((char *)out->bytes, (unsigned)len_bytes);
		rc = uv_write(&out->write, c->to, &buf, 1, on_written);
	}
	if (rc < 0) {
		free(out);
		pt_rsp_hang_up(c, uv_strerror(rc));
	} else if (uv_stream_get_write_queue_size(c->to) > MAX_UNSENT_BYTES) {
		pt_rsp_hang_up(c, "it does not read what it is sent");
	}
}

static void remember(struct pt_rsp_connection *c, const struct pt_rsp_frame *frame)
{
	c->unacked.len_bytes = 0;
	if (c->no_ack)
		return;
	if (c->unacked.room_bytes < frame->len_bytes) {
		uint8_t *bytes = realloc(c->unacked.bytes, frame->len_bytes);

		if (bytes == NULL)
			return;
		c->unacked.bytes = bytes;
		c->unacked.room_bytes = frame->len_bytes;
	}
	memcpy(c->unacked.bytes, frame->bytes, frame->len_bytes);
	c->unacked.len_bytes = frame->len_bytes;
}

void pt_rsp_send(struct pt_rsp_connection *c, struct pt_rsp_frame *frame)
{
	if (!pt_rsp_end(frame)) {
		pt_rsp_begin(frame, '$');
		pt_rsp_text(frame, "E01");
		pt_rsp_end(frame);
	}
	if (c->closing)
		return;
	pt_rsp_log_packet("<-", frame->bytes, frame->len_bytes);
	if (frame->bytes[0] != '%')	/* notifications are not acknowledged */
		remember(c, frame);
	write_bytes(c, frame->bytes, frame->len_bytes);
}

/* Most writes complete at once, without a copy. */
void pt_rsp_send_raw(struct pt_rsp_connection *c, const uint8_t *bytes, size_t len_bytes)
{
	uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len_bytes);
	int n;

	if (c->closing)
		return;
	if (!c->no_ack && bytes[0] != '%')
		remember(c, &(struct pt_rsp_frame){ .bytes = (uint8_t *)(uintptr_t)bytes, .len_bytes = len_bytes });
	n = uv_try_write(c->to, &buf, 1);
	n = n < 0 ? 0 : n;	/* an error appears again in the next write */
	if ((size_t)n < len_bytes)
		write_bytes(c, bytes + n, len_bytes - (size_t)n);
}

void pt_rsp_acknowledge(struct pt_rsp_connection *c, const char *mark)
{
	uv_buf_t buf = uv_buf_init((char *)(uintptr_t)mark, 1);

	if (!c->no_ack)
		uv_try_write(c->to, &buf, 1);	/* one byte: if it is not sent, the peer asks again */
}

bool pt_rsp_resend(struct pt_rsp_connection *c)
{
	struct pt_rsp_frame frame = c->unacked;

	if (c->no_ack || frame.len_bytes == 0)
		return false;
	c->unacked = (struct pt_rsp_frame){ 0 };
	frame.len_bytes -= 3;	/* without the checksum, which is added when sending */
	pt_rsp_send(c, &frame);
	pt_rsp_free(&frame);
	return true;
}

bool pt_rsp_may_send(const struct pt_rsp_connection *c)
{
	return uv_stream_get_write_queue_size(c->to) < MAX_UNSENT_CONSOLE_BYTES;
}
