/* The questions GDB asks before and between the work: who can do what, and which threads there are. A core is a
 * thread; thread ids count from 1. */
#include <stdio.h>
#include <string.h>

#include "gdbstub/commands.h"

void pt_gdb_ok(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "OK");
}

/* --- features ----------------------------------------------------------------------------------------------------- */

static void hear_feature(struct pt_gdb_client *client, const char *word, size_t len)
{
	if (len == 8 && memcmp(word, "swbreak+", len) == 0)
		client->swbreak = true;
	else if (len == 8 && memcmp(word, "hwbreak+", len) == 0)
		client->hwbreak = true;
	else if (len == 14 && memcmp(word, "error-message+", len) == 0)
		client->error_message = true;
}

/* Unknown words are passed over on both sides: GDB reads binary-upload from 16 on. */
void pt_gdb_supported(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	const char *at = (const char *)args->at;

	client->swbreak = client->hwbreak = client->error_message = false;
	for (at += strspn(at, ":;"); *at != '\0'; at += strspn(at, ";")) {
		size_t len = strcspn(at, ";");

		hear_feature(client, at, len);
		at += len;
	}
	pt_rsp_begin(&client->frame, '$');
	pt_rsp_text(&client->frame, "PacketSize=%x;QStartNoAckMode+;QNonStop+;vContSupported+;swbreak+;hwbreak+;ConditionalBreakpoints+;"
		    "qXfer:features:read+;qXfer:memory-map:read+;qXfer:threads:read+;"
		    "qXfer:btrace:read+;qXfer:btrace-conf:read+;Qbtrace:bts+;Qbtrace:off+;Qbtrace-conf:bts:size+;"
		    "qXfer:osdata:read+;qXfer:exec-file:read+;binary-upload+",
		    PT_GDB_PACKET_BYTES);
	if (client->error_message)
		pt_rsp_text(&client->frame, ";error-message+");
	pt_gdb_reply(client);
}

/* GDB acknowledges this OK once, and then no more. */
void pt_gdb_no_ack(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	client->no_ack = true;
	pt_gdb_reply_text(client, "OK");
}

/* The program runs without us too, so quitting GDB detaches instead of killing. */
void pt_gdb_attached(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "1");
}

void pt_gdb_offsets(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "Text=0;Data=0;Bss=0");
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

void pt_gdb_thread_list(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (!pt_gdb_shows_threads(client)) {
		pt_gdb_reply_text(client, "l");
		return;
	}
	pt_rsp_begin(&client->frame, '$');
	for (unsigned i = 0; i < client->n_cores; i++)
		pt_rsp_text(&client->frame, "%c%x", i == 0 ? 'm' : ',', i + 1);
	pt_gdb_reply(client);
}

void pt_gdb_thread_list_end(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "l");
}

static bool thread(struct pt_gdb_client *client, struct pt_rsp_args *args, unsigned *core)
{
	uint64_t id;

	if (!pt_rsp_number(args, &id) || pt_rsp_left(args) != 0 || id == 0 || id > client->n_cores)
		return false;
	*core = (unsigned)id - 1;
	return true;
}

void pt_gdb_thread_extra(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	char text[16];
	unsigned core;

	if (!thread(client, args, &core)) {
		pt_gdb_reply_malformed(client);
		return;
	}
	snprintf(text, sizeof(text), "core %u", core);
	pt_rsp_begin(&client->frame, '$');
	pt_rsp_hex(&client->frame, text, strlen(text));
	pt_gdb_reply(client);
}

void pt_gdb_current_thread(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_rsp_begin(&client->frame, '$');
	if (client->run != PT_GDB_NONE)
		pt_rsp_text(&client->frame, "QC%x", client->core + 1);
	pt_gdb_reply(client);
}

/* H op id: g is for registers and memory; c is obsolete since vCont. 0 = any, -1 = all: the choice stays. */
void pt_gdb_select_thread(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	bool general = pt_rsp_take(args, "g");
	size_t left;
	unsigned core;

	if (!general && !pt_rsp_take(args, "c")) {
		pt_gdb_reply_text(client, "");
		return;
	}
	left = pt_rsp_left(args);
	if ((left == 1 && args->at[0] == '0') || (left == 2 && pt_rsp_take(args, "-1"))) {
		pt_gdb_reply_text(client, "OK");
	} else if (thread(client, args, &core)) {
		if (general)
			client->core = core;
		pt_gdb_reply_text(client, "OK");
	} else {
		pt_gdb_reply_malformed(client);
	}
}

void pt_gdb_thread_alive(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	unsigned core;

	pt_gdb_reply_text(client, thread(client, args, &core) ? "OK" : "E01");
}
