/* What goes back to a client. Everything is copied into its own write, so callers keep nothing alive; a client that
 * does not read what it is sent is let go before it costs memory. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/rsp/connection.h"
#include "host/log.h"
#include "base/util.h"

enum {
	MAX_UNSENT_BYTES = 4 << 20,
	MAX_UNSENT_CONSOLE_BYTES = 256 * 1024,	/* text on the console can wait; replies cannot */
	CONSOLE_BYTES = PT_GDB_PACKET_BYTES / 2 - 16,	/* of text in one O packet */
};

/* monitor auth and what is behind it, however it is spaced. */
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

/* One line, whatever is in the packet. */
void pt_gdb_log_packet(const char *way, const uint8_t *bytes, size_t len_bytes)
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
	struct pt_gdb_client *client = write->data;

	free((struct write *)write);
	if (status < 0 && status != UV_ECANCELED)
		pt_gdb_client_leave(client, uv_strerror(status));
}

static void write_bytes(struct pt_gdb_client *client, const uint8_t *bytes, size_t len_bytes)
{
	struct write *out = malloc(sizeof(*out) + len_bytes);
	uv_buf_t buf;
	int rc = UV_ENOMEM;

	if (out != NULL) {
		memcpy(out->bytes, bytes, len_bytes);
		out->write.data = client;
		buf = uv_buf_init((char *)out->bytes, (unsigned)len_bytes);
		rc = uv_write(&out->write, client->to, &buf, 1, on_written);
	}
	if (rc < 0) {
		free(out);
		pt_gdb_client_leave(client, uv_strerror(rc));
	} else if (uv_stream_get_write_queue_size(client->to) > MAX_UNSENT_BYTES) {
		pt_gdb_client_leave(client, "it does not read what it is sent");
	}
}

static void remember(struct pt_gdb_client *client, const struct pt_rsp_frame *frame)
{
	client->unacked.len_bytes = 0;
	if (client->no_ack)
		return;
	if (client->unacked.room_bytes < frame->len_bytes) {
		uint8_t *bytes = realloc(client->unacked.bytes, frame->len_bytes);

		if (bytes == NULL)
			return;
		client->unacked.bytes = bytes;
		client->unacked.room_bytes = frame->len_bytes;
	}
	memcpy(client->unacked.bytes, frame->bytes, frame->len_bytes);
	client->unacked.len_bytes = frame->len_bytes;
}

void pt_gdb_send(struct pt_gdb_client *client, struct pt_rsp_frame *frame)
{
	if (!pt_rsp_end(frame)) {
		pt_rsp_begin(frame, '$');
		pt_rsp_text(frame, "E01");
		pt_rsp_end(frame);
	}
	if (client->closing)
		return;
	pt_gdb_log_packet("<-", frame->bytes, frame->len_bytes);
	if (frame->bytes[0] != '%')	/* nobody acknowledges a notification */
		remember(client, frame);
	write_bytes(client, frame->bytes, frame->len_bytes);
}

/* Most go at once, from where they are. */
void pt_gdb_send_raw(struct pt_gdb_client *client, const uint8_t *bytes, size_t len_bytes)
{
	uv_buf_t buf = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)len_bytes);
	int n;

	if (client->closing)
		return;
	if (!client->no_ack && bytes[0] != '%')
		remember(client,
			 &(struct pt_rsp_frame){ .bytes = (uint8_t *)(uintptr_t)bytes, .len_bytes = len_bytes });
	n = uv_try_write(client->to, &buf, 1);
	n = n < 0 ? 0 : n;	/* what is wrong comes up again */
	if ((size_t)n < len_bytes)
		write_bytes(client, bytes + n, len_bytes - (size_t)n);
}

void pt_gdb_reply(struct pt_gdb_client *client)
{
	pt_gdb_send(client, &client->frame);
	pt_gdb_finish(client);
}

void pt_gdb_reply_text(struct pt_gdb_client *client, const char *text)
{
	pt_rsp_begin(&client->frame, '$');
	pt_rsp_text(&client->frame, "%s", text);
	pt_gdb_reply(client);
}

/* GDB undoes no escapes in an error's text: what would be one is left out. */
static void put_sentence(struct pt_rsp_frame *frame, const char *text)
{
	pt_rsp_text(frame, "E.");
	for (; *text != '\0'; text++)
		pt_rsp_text(frame, "%c", strchr("#$}*\n", *text) != NULL ? '_' : *text);
}

void pt_gdb_send_sentence(struct pt_gdb_client *client, const struct pt_err *err)
{
	pt_rsp_begin(&client->frame, '$');
	put_sentence(&client->frame, err->msg);
	pt_gdb_send(client, &client->frame);
}

void pt_gdb_reply_sentence(struct pt_gdb_client *client, const struct pt_err *err)
{
	pt_gdb_send_sentence(client, err);
	pt_gdb_finish(client);
}

void pt_gdb_reply_error(struct pt_gdb_client *client, const struct pt_err *err)
{
	if (client->error_message)
		pt_gdb_reply_sentence(client, err);
	else
		pt_gdb_reply_text(client, "E01");
}

/* Where even GDB 13 shows an error's text: elsewhere it takes that for hex digits. After a resume it shows it, too, and
 * takes the target for stopped. Source: GDB 13, remote.c, whoever calls packet_check_result() or packet_ok(), and
 * remote_target::wait_as. */
static bool shows_sentence(const struct pt_gdb_packet *packet)
{
	static const char *const names[] = {
		"g", "G", "p", "P", "Z", "z", "vFlash", "vRun;", "vAttach;", "vCont;", "c", "C", "s", "S", "bc", "bs",
	};

	for (size_t i = 0; i < PT_LEN(names); i++)
		if (strncmp((const char *)packet->bytes, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void pt_gdb_reply_failure(struct pt_gdb_client *client, const struct pt_err *err)
{
	if (shows_sentence(client->current))
		pt_gdb_reply_sentence(client, err);
	else
		pt_gdb_reply_error(client, err);
}

bool pt_gdb_may_send(const struct pt_gdb_client *client)
{
	return uv_stream_get_write_queue_size(client->to) < MAX_UNSENT_CONSOLE_BYTES;
}

void pt_gdb_console(struct pt_gdb_client *client, const char *text, size_t len_bytes)
{
	while (len_bytes > 0 && !client->closing) {
		size_t n = len_bytes < CONSOLE_BYTES ? len_bytes : CONSOLE_BYTES;

		pt_rsp_begin(&client->frame, '$');
		pt_rsp_text(&client->frame, "O");
		pt_rsp_hex(&client->frame, text, n);
		pt_gdb_send(client, &client->frame);
		text += n;
		len_bytes -= n;
	}
}
