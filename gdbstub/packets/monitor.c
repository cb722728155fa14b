/* From qRcmd to its reply: see monitor.h for the rule that a slow command follows. */
#include "gdbstub/packets/monitor.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "gdbstub/packets/packet.h"

enum {
	PATIENCE_MS = 1000,	/* until the first progress; GDB sends its first "-" after 2000 */
	ONE_PACKET_BYTES = PT_GDB_PACKET_BYTES / 2 - 8,	/* of text, in hex */
};

struct pt_monitor_call {
	struct pt_command_ctx ctx;
	struct pt_command *cmd;
	bool abandoned;			/* the client no longer waits */
	bool done, quiet;		/* quiet: nothing is sent until GDB's "-" */
	struct pt_err err;		/* once it is done */
};

/* --- the answer --------------------------------------------------------------------------------------------------- */

static void end(struct pt_gdb_client *client)
{
	struct pt_monitor_call *call = client->command.call;

	uv_timer_stop(&client->command.timer);
	pt_gdb_code_forget(&client->inferior.code);	/* a command may have changed anything */
	client->command.call = NULL;
	pt_rsp_release(&client->rsp);
	pt_command_free(call->cmd);
	free(call);
	pt_rsp_finish(&client->rsp);
}

static void send_text(struct pt_gdb_client *client, const struct pt_text *text)
{
	if (text->len_bytes == 0 || text->len_bytes > ONE_PACKET_BYTES) {
		pt_gdb_console(client, text->bytes, text->len_bytes);
		pt_rsp_begin(&client->rsp.frame, '$');
		pt_rsp_text(&client->rsp.frame, "OK");
	} else {
		pt_rsp_begin(&client->rsp.frame, '$');
		pt_rsp_hex(&client->rsp.frame, text->bytes, text->len_bytes);
	}
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

/* GDB 13 takes "E." for hex digits: there the sentence goes to the console first. */
static void send_failure(struct pt_gdb_client *client, struct pt_command *cmd, const struct pt_err *err)
{
	struct pt_text *out = &cmd->out;

	if (client->features.error_message && out->len_bytes == 0) {
		pt_gdb_send_sentence(client, err);
		return;
	}
	pt_command_say(cmd, "%s", err->msg);
	pt_gdb_console(client, out->bytes, out->len_bytes);
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame, "E01");
	pt_rsp_send(&client->rsp, &client->rsp.frame);
}

static void answer(struct pt_gdb_client *client)
{
	struct pt_monitor_call *call = client->command.call;

	if (!call->abandoned && call->err.code < 0)
		send_failure(client, call->cmd, &call->err);
	else if (!call->abandoned)
		send_text(client, &call->cmd->out);
	end(client);
}

static void on_done(struct pt_command *cmd, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = cmd->caller;
	struct pt_monitor_call *call = client->command.call;

	call->done = true;
	call->err = *err;
	call->err.code = rc;
	if (call->abandoned || !call->quiet)
		answer(client);
}

/* --- a slow command ----------------------------------------------------------------------------------------------- */

static void send_progress(struct pt_gdb_client *client)
{
	struct pt_text line = { 0 };

	pt_command_progress(client->command.call->cmd, &line);
	client->command.call->quiet = true;
	pt_gdb_console(client, line.bytes, line.len_bytes);
	pt_text_free(&line);
}

static void on_slow(uv_timer_t *timer)
{
	struct pt_gdb_client *client = timer->data;

	if (client->command.call != NULL && !client->command.call->done && !client->command.call->abandoned)
		send_progress(client);
}

void pt_monitor_alive(struct pt_gdb_client *client)
{
	struct pt_monitor_call *call = client->command.call;

	if (call == NULL || !call->quiet || call->abandoned)
		return;
	call->quiet = false;
	if (call->done)
		answer(client);
	else
		send_progress(client);
}

void pt_monitor_abandon(struct pt_gdb_client *client)
{
	struct pt_monitor_call *call = client->command.call;

	if (call == NULL || call->abandoned)
		return;
	call->abandoned = true;
	if (call->done)
		answer(client);
	else
		pt_command_cancel(call->cmd);
}

void pt_monitor_interrupt(struct pt_gdb_client *client)
{
	if (!client->command.call->done)
		pt_command_cancel(client->command.call->cmd);
}

/* --- the packet --------------------------------------------------------------------------------------------------- */

static void fill_ctx(struct pt_command_ctx *ctx, struct pt_gdb_client *client)
{
	const struct pt_gdbstub_config *config = &client->stub->config;

	*ctx = (struct pt_command_ctx){
		.loop = client->stub->loop, .board = config->board, .session = config->session,
		.recorder = config->recorder, .tasks = config->tasks, .changes = config->changes, .symbols = config->symbols,
		.options = config->options, .own = client->rsp.own,
		.user = client->rsp.peer, .ops = client->stub->door, .door = client,
	};
}

static struct pt_monitor_call *new_call(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_monitor_call *call = pt_alloc(sizeof(*call));
	size_t len = pt_rsp_left(args) / 2;
	char line[PT_COMMAND_LINE_BYTES];

	fill_ctx(&call->ctx, client);
	if (len < sizeof(line) && pt_rsp_bytes(args, (uint8_t *)line, len))
		call->cmd = pt_command_new(&call->ctx, line, len, on_done, client);
	if (call->cmd == NULL) {
		free(call);
		return NULL;
	}
	return call;
}

static void handle_monitor(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_monitor_call *call = pt_rsp_left(args) % 2 == 0 ? new_call(client, args) : NULL;

	if (call == NULL) {
		pt_gdb_reply_malformed(client);
		return;
	}
	client->command.call = call;
	pt_rsp_hold(&client->rsp);
	uv_timer_start(&client->command.timer, on_slow, PATIENCE_MS, 0);
	pt_command_run(call->cmd);
}

const struct pt_packet_row pt_packets_monitor[] = {
	{ "qRcmd,", PT_PACKET_OPEN | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_monitor },
	{ 0 },
};
