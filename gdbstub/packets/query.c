/* The questions GDB asks before and between the work: who can do what, and which threads there are. A core is a
 * thread, ids from 1 on, or in all-stop the tasks are (session/os_threads.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/run.h"
#include "session/os_threads.h"

static void handle_ok(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "OK");
}

/* --- features ----------------------------------------------------------------------------------------------------- */

static void hear_feature(struct pt_gdb_client *client, const char *word, size_t len)
{
	if (len == 8 && memcmp(word, "swbreak+", len) == 0)
		client->features.swbreak = true;
	else if (len == 8 && memcmp(word, "hwbreak+", len) == 0)
		client->features.hwbreak = true;
	else if (len == 14 && memcmp(word, "error-message+", len) == 0)
		client->features.error_message = true;
}

/* Unknown words are passed over on both sides: GDB reads binary-upload from 16 on. */
static void handle_supported(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	const char *at = (const char *)args->at;

	client->features.swbreak = client->features.hwbreak = client->features.error_message = false;
	for (at += strspn(at, ":;"); *at != '\0'; at += strspn(at, ";")) {
		size_t len = strcspn(at, ";");

		hear_feature(client, at, len);
		at += len;
	}
	if (client->auth.locked && pt_board_is_upstream(client->stub->config.board)) {
		client->stub->filter->promise(client);
		return;
	}
	pt_rsp_begin(&client->rsp.frame, '$');
	pt_rsp_text(&client->rsp.frame,
		    "PacketSize=%x;QStartNoAckMode+;QNonStop+;vContSupported+;swbreak+;hwbreak+;"
		    "ConditionalBreakpoints+;qXfer:features:read+;qXfer:memory-map:read+;qXfer:threads:read+;"
		    "qXfer:btrace:read+;qXfer:btrace-conf:read+;Qbtrace:bts+;Qbtrace:off+;Qbtrace-conf:bts:size+;"
		    "qXfer:osdata:read+;qXfer:exec-file:read+;binary-upload+",
		    PT_GDB_PACKET_BYTES);
	if (client->features.error_message)
		pt_rsp_text(&client->rsp.frame, ";error-message+");
	pt_gdb_reply(client);
}

/* GDB acknowledges this OK once, and then no more. */
static void handle_no_ack(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	client->rsp.no_ack = true;
	pt_gdb_reply_text(client, "OK");
}

/* The program runs without us too, so quitting GDB detaches instead of killing. */
static void handle_attached(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "1");
}

static void handle_offsets(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "Text=0;Data=0;Bss=0");
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

bool pt_gdb_can_be_thread(const struct pt_gdb_client *client, uint64_t id)
{
	return id <= client->inferior.n_cores ||
	       (!client->nonstop.wanted && !client->inferior.watches && pt_os_tasks_found(client->stub->config.tasks));
}

static int list_threads(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	struct pt_gdb_thread_list list;

	(void)board;
	if (pt_gdb_threads_for(rq->client, target, &list, err) < 0)
		return err->code;
	for (size_t i = 0; i < list.n_threads; i++)
		pt_rsp_text(&rq->frame, "%c%" PRIx64, i == 0 ? 'm' : ',', list.thread[i].id);
	pt_gdb_thread_list_fini(&list);
	return 0;
}

static void handle_thread_list(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (!client->auth.locked && pt_gdb_shows_threads(client))
		pt_gdb_post(&client->request, list_threads, NULL);
	else
		pt_gdb_reply_text(client, "l");
}

static void handle_thread_list_end(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_gdb_reply_text(client, "l");
}

static bool thread(struct pt_gdb_client *client, struct pt_rsp_args *args, uint64_t *id)
{
	return pt_rsp_number(args, id) && pt_rsp_left(args) == 0 && *id != 0 && pt_gdb_can_be_thread(client, *id);
}

/* addr: the id. What GDB is told of it (len 1), or that it is there. */
static int look_for_thread(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target,
			   struct pt_err *err)
{
	struct pt_gdb_thread_list list;
	bool found = false;

	(void)board;
	if (pt_gdb_threads_for(rq->client, target, &list, err) < 0)
		return err->code;
	for (size_t i = 0; i < list.n_threads && !found; i++) {
		const struct pt_gdb_thread *at = &list.thread[i];
		char text[sizeof(at->name) + sizeof(at->text) + 4];

		found = at->id == rq->addr;
		snprintf(text, sizeof(text), "%s: %s", at->name, at->text);
		if (found && rq->len == 1)
			pt_rsp_hex(&rq->frame, text, strlen(text));
		else if (found)
			pt_rsp_text(&rq->frame, "OK");
	}
	pt_gdb_thread_list_fini(&list);
	return found ? 0 : pt_fail(err, PT_EARG, "there is no such thread now");
}

static void ask_of_thread(struct pt_gdb_client *client, struct pt_rsp_args *args, bool text)
{
	client->request.len = text;
	if (thread(client, args, &client->request.addr))
		pt_gdb_post(&client->request, look_for_thread, NULL);
	else
		pt_gdb_reply_malformed(client);
}

static void handle_thread_extra(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	ask_of_thread(client, args, true);
}

static void handle_thread_alive(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	ask_of_thread(client, args, false);
}

static void handle_current_thread(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	pt_rsp_begin(&client->rsp.frame, '$');
	if (client->inferior.run != PT_GDB_NONE || client->inferior.watches)
		pt_rsp_text(&client->rsp.frame, "QC%" PRIx64,
			    client->inferior.task != 0 ? client->inferior.task : client->inferior.core + 1);
	pt_gdb_reply(client);
}

static void choose_thread(struct pt_gdb_client *client, uint64_t id)
{
	if (id <= client->inferior.n_cores)
		client->inferior.core = (unsigned)id - 1;
	client->inferior.task = id > client->inferior.n_cores ? id : 0;
}

static void after_look_to_choose(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc == 0)
		choose_thread(rq->client, rq->addr);
	if (rc == 0)
		pt_gdb_reply_text(rq->client, "OK");
	else
		pt_gdb_reply_error(rq->client, err);
}

/* H op id: g is for registers and memory; c is obsolete since vCont. 0 = any, -1 = all: the choice stays. */
static void handle_select_thread(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	bool general = pt_rsp_take(args, "g");
	size_t left;
	uint64_t id;

	if (!general && !pt_rsp_take(args, "c")) {
		pt_gdb_reply_text(client, "");
		return;
	}
	left = pt_rsp_left(args);
	if ((left == 1 && args->at[0] == '0') || (left == 2 && pt_rsp_take(args, "-1"))) {
		pt_gdb_reply_text(client, "OK");
	} else if (!thread(client, args, &id)) {
		pt_gdb_reply_malformed(client);
	} else if (id <= client->inferior.n_cores || id == client->inferior.named || id == client->inferior.task) {
		if (general)
			choose_thread(client, id);
		pt_gdb_reply_text(client, "OK");
	} else {
		client->request.addr = id;
		client->request.len = 0;
		pt_gdb_post(&client->request, look_for_thread, general ? after_look_to_choose : NULL);
	}
}

const struct pt_packet_row pt_packets_query[] = {
	{ "!", PT_PACKET_EXACT | PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_ok },	/* files */
	{ "qSupported", PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_supported },
	{ "QStartNoAckMode", PT_PACKET_EXACT | PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_no_ack },
	{ "Qbtrace-conf:bts:size=", PT_PACKET_TARGET, handle_ok },	/* qXfer:btrace-conf says what it is */
	{ "qAttached", PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_attached },
	{ "qfThreadInfo", PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_TASKS | PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_thread_list },
	{ "qsThreadInfo", PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_thread_list_end },
	{ "qThreadExtraInfo,", PT_PACKET_TARGET | PT_PACKET_CONNECTING | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_thread_extra },
	{ "qC", PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_OPEN | PT_PACKET_LOOKS, handle_current_thread },
	{ "qSymbol:", PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_ok },
	{ "qOffsets", PT_PACKET_TARGET | PT_PACKET_EXACT | PT_PACKET_CONNECTING | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_offsets },
	{ "H", PT_PACKET_CONNECTING | PT_PACKET_LOOKS, handle_select_thread },
	{ "T", PT_PACKET_TARGET | PT_PACKET_CONNECTING | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_thread_alive },
	{ 0 },
};
