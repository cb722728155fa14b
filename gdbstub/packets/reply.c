/* Answers to a client, in words that it understands. */
#include <stdio.h>
#include <string.h>

#include "gdbstub/packets/client.h"
#include "base/util.h"

enum { CONSOLE_BYTES = PT_GDB_PACKET_BYTES / 2 - 16 };	/* of text in one O packet */

void pt_gdb_reply(struct pt_gdb_client *client)
{
	pt_rsp_send(&client->rsp, &client->rsp.frame);
	pt_rsp_finish(&client->rsp);
}

void pt_gdb_reply_text(struct pt_gdb_client *client, const char *text)
{
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "%s", text);
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
	pt_rsp_begin(&client->rsp.frame, '$');
	put_sentence(&client->rsp.frame, err->msg);
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

void pt_gdb_reply_sentence(struct pt_gdb_client *client, const struct pt_err *err)
{
	pt_gdb_send_sentence(client, err);
	pt_rsp_finish(&client->rsp);
}

/* GDB 13 shows of an error to Z1 what stands behind a second dot, and of one without it nothing but its guess that there
 * are too many; a later one shows all. Source: GDB 13, remote.c, remote_target::insert_hw_breakpoint. */
void pt_gdb_reply_to_breakpoint(struct pt_gdb_client *client, const struct pt_err *err)
{
	struct pt_err dotted = *err;

	if (!client->features.error_message)
		snprintf(dotted.msg, sizeof(dotted.msg), ".%.*s", (int)sizeof(dotted.msg) - 2, err->msg);
	pt_gdb_reply_sentence(client, &dotted);
}

void pt_gdb_reply_error(struct pt_gdb_client *client, const struct pt_err *err)
{
	if (client->features.error_message)
		pt_gdb_reply_sentence(client, err);
	else
		pt_gdb_reply_text(client, "E01");
}

/* Where even GDB 13 shows an error's text: elsewhere it takes that for hex digits. After a resume it shows it, too, and
 * takes the target for stopped. Source: GDB 13, remote.c, whoever calls packet_check_result() or packet_ok(), and
 * remote_target::wait_as. */
static bool shows_sentence(const struct pt_rsp_packet *packet)
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
	if (shows_sentence(client->rsp.current))
		pt_gdb_reply_sentence(client, err);
	else
		pt_gdb_reply_error(client, err);
}

/* What fits a packet: whole lines, where there is the end of one, so that no sign of several bytes is torn. */
static size_t part_of_text(const char *text, size_t len_bytes)
{
	size_t n = CONSOLE_BYTES;

	if (len_bytes <= CONSOLE_BYTES)
		return len_bytes;
	while (n > 0 && text[n - 1] != '\n')
		n--;
	return n > 0 ? n : CONSOLE_BYTES;
}

void pt_gdb_console(struct pt_gdb_client *client, const char *text, size_t len_bytes)
{
	while (len_bytes > 0 && !client->rsp.closing) {
		size_t n = part_of_text(text, len_bytes);

		pt_rsp_begin(&client->rsp.frame, '$');
		pt_rsp_text(&client->rsp.frame, "O");
		pt_rsp_hex(&client->rsp.frame, text, n);
		pt_rsp_send(&client->rsp, &client->rsp.frame);
		text += n;
		len_bytes -= n;
	}
}
