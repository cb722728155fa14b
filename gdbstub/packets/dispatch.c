/* Finds the row of a packet and calls its handler. Of all rows that fit, the longest name wins. A packet without a row
 * gets the empty reply, which is what vMustReplyEmpty asks for. */
#include "gdbstub/packets/dispatch.h"

#include <string.h>

#include "gdbstub/packets/changes.h"
#include "gdbstub/packets/nonstop.h"
#include "host/log.h"

static bool is_longer(const struct pt_packet_row *row, const struct pt_packet_row *than)
{
	return than == NULL || strlen(row->name) > strlen(than->name);
}

static bool fits(const struct pt_packet_row *row, const struct pt_rsp_packet *packet)
{
	size_t len = strlen(row->name);

	return packet->len_bytes >= len && memcmp(packet->bytes, row->name, len) == 0 &&
	       ((row->flags & PT_PACKET_EXACT) == 0 || packet->len_bytes == len);
}

static const struct pt_packet_row *find_row(const struct pt_packet_row *const *tables,
					    const struct pt_rsp_packet *packet)
{
	const struct pt_packet_row *found = NULL;

	for (; *tables != NULL; tables++)
		for (const struct pt_packet_row *row = *tables; row->name != NULL; row++)
			if (fits(row, packet) && is_longer(row, found))
				found = row;
	return found;
}

static void refuse(struct pt_gdb_client *client, enum pt_rsp_item item)
{
	struct pt_err err;

	if (item == PT_RSP_OVERSIZE)
		pt_fail(&err, PT_EARG, "a packet of more than %d bytes", PT_GDB_PACKET_BYTES);
	else
		pt_fail(&err, PT_EPROTO, "a packet was damaged on its way");
	pt_sparing_warn(client->stub->sparing, "a damaged or too long packet", "gdb: %s: %s", client->rsp.peer,
			err.msg);
	pt_gdb_reply_error(client, &err);
}

/* Runs the packet that waited for the tasks. */
static void again(struct pt_gdb_client *client)
{
	pt_rsp_redeliver(&client->rsp);
}

static bool lacks_program(const struct pt_gdb_client *client, const struct pt_packet_row *row)
{
	return (row->flags & PT_PACKET_TARGET) != 0 && client->inferior.run == PT_GDB_NONE &&
	       !pt_gdb_is_proxied(client) && !(client->inferior.watches && (row->flags & PT_PACKET_WATCH) != 0);
}

/* Answers a client that must give the token first: neither the board nor another GDB server is asked, and the packet is
 * not logged, because it may contain the token. */
static void answer_locked(struct pt_gdb_client *client, const struct pt_packet_row *row)
{
	const struct pt_rsp_packet *packet = client->rsp.current;
	struct pt_rsp_args args = { packet->bytes, packet->bytes + packet->len_bytes };
	struct pt_err err;

	if (packet->item != PT_RSP_PACKET) {
		refuse(client, packet->item);
		return;
	}
	pt_debug(PT_LOG_GDB, "gdb: -> %s, before the token", row != NULL ? row->name : "a packet");
	if (row == NULL) {
		pt_gdb_reply_text(client, "");
	} else if ((row->flags & PT_PACKET_OPEN) == 0) {
		pt_fail(&err, PT_EPERM, "this server wants its token first: monitor auth TOKEN");
		pt_gdb_reply_error(client, &err);
	} else {
		args.at += strlen(row->name);
		row->handle(client, &args);
	}
}

static void why_no_program(const struct pt_gdb_client *client, struct pt_err *err)
{
	static const char watches[] = "this GDB only watches: another one controls the program (monitor take)";
	static const char taken[] = "another GDB has taken the target: detach, and attach 1 asks for it again";

	pt_fail(err, PT_ESTATE, "%s",
		client->inferior.watches ? watches
		: client->inferior.taken ? taken
					 : "no program is attached: attach 1 comes first");
}

void pt_gdb_handle_packet(struct pt_gdb_client *client)
{
	const struct pt_rsp_packet *packet = client->rsp.current;
	const struct pt_packet_row *row = find_row(client->stub->packets, packet);
	struct pt_rsp_args args = { packet->bytes, packet->bytes + packet->len_bytes };
	struct pt_err err;

	enum pt_packet_offer offer;

	if (client->auth.locked) {
		answer_locked(client, row);
		return;
	}
	offer = client->stub->filter->offer(client);
	client->parked = offer == PT_PACKET_LATER;
	if (client->parked)
		return;
	if (packet->item != PT_RSP_PACKET) {
		refuse(client, packet->item);
		return;
	}
	client->resume.interrupts_next &= row == NULL || (row->flags & PT_PACKET_PROMPT) == 0;
	if (offer == PT_PACKET_MINE) {
		if (row != NULL)
			pt_gdb_note_change(client, row);
		if (client->stub->filter->take(client))
			return;
	}
	pt_rsp_log_packet("->", packet->bytes, packet->len_bytes);
	if (row == NULL) {
		pt_gdb_reply_text(client, "");
	} else if (client->stub->config.restricted && (row->flags & PT_PACKET_LOOKS) == 0) {
		pt_gdb_refuse_restricted(client);
	} else if (lacks_program(client, row)) {
		why_no_program(client, &err);
		pt_gdb_reply_failure(client, &err);
	} else if ((row->flags & PT_PACKET_CHANGES) != 0 && !pt_gdb_controls(client)) {
		pt_gdb_reply_not_yours(client);
	} else if ((row->flags & PT_PACKET_TASKS) != 0 && !client->nonstop.wanted && pt_gdb_tasks_wait(client, again)) {
		return;	/* the packet is handled when they are known */
	} else if ((row->flags & PT_PACKET_HALTED) == 0 || !pt_gdb_nonstop_halt_first(client)) {
		client->nonstop.fresh &= (row->flags & PT_PACKET_CONNECTING) != 0;
		if (offer != PT_PACKET_MINE)	/* else it was logged above */
			pt_gdb_note_change(client, row);
		args.at += strlen(row->name);
		row->handle(client, &args);
	}
}
