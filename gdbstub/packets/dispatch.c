/* One row per packet. The first row that fits is taken, so longer names stand before their beginnings. A packet
 * without a row gets the empty reply, which is what vMustReplyEmpty asks for. */
#include "gdbstub/packets/dispatch.h"

#include <string.h>

#include "gdbstub/packets/nonstop.h"
#include "gdbstub/proxy/proxy.h"
#include "gdbstub/packets/rights.h"
#include "session/os_tasks.h"
#include "host/log.h"

/* The packet is the name alone; it needs the inferior; it needs a core that is halted; GDB sends it while it connects;
 * it changes the target; what it answers depends on the program's tasks; who only watches may have it; it is open to a
 * client without the token: it shows and changes nothing of the target as long as the client has no program; it only
 * looks (--restrict; those with words or flags of their own refuse what does more by themselves); GDB sends it only for
 * a command at its prompt. */
enum { ANY = 0, EXACT = 1, TARGET = 2, HALTED = 4, CONNECTING = 8, CHANGES = 16, TASKS = 32, WATCH = 64, OPEN = 128,
       LOOKS = 256, PROMPT = 512 };

static const struct command { const char *name; unsigned flags; pt_gdb_handler *handle; } commands[] = {
	/* memory, registers and run control: what comes most often */
	{ "m",			TARGET | WATCH | LOOKS,		pt_gdb_read_hex },
	{ "x",			TARGET | WATCH | LOOKS,		pt_gdb_read_binary },
	{ "M",			TARGET | CHANGES,		pt_gdb_write_hex },
	{ "X",			TARGET | CHANGES,		pt_gdb_write_binary },
	{ "F",			TARGET,		pt_gdb_fileio_reply },
	{ "g",			TARGET | EXACT | HALTED | WATCH | LOOKS,	pt_gdb_read_registers },
	{ "G",			TARGET | HALTED | CHANGES,		pt_gdb_write_registers },
	{ "p",			TARGET | HALTED | WATCH | LOOKS,		pt_gdb_read_register },
	{ "P",			TARGET | HALTED | CHANGES,		pt_gdb_write_register },
	{ "vCont?",		EXACT | CONNECTING | LOOKS,		pt_gdb_vcont_what },
	{ "vCont;",		TARGET | CONNECTING,		pt_gdb_vcont },
	{ "vCtrlC",		EXACT | CHANGES,		pt_gdb_ctrl_c },
	{ "vStopped",		EXACT | CONNECTING | LOOKS,		pt_gdb_stopped },
	{ "c",			TARGET,		pt_gdb_continue },
	{ "C",			TARGET,		pt_gdb_continue },
	{ "s",			TARGET,		pt_gdb_step },
	{ "S",			TARGET,		pt_gdb_step },
	{ "Z",			TARGET | CHANGES,		pt_gdb_insert },
	{ "z",			TARGET | CHANGES,		pt_gdb_remove },
	{ "vFlashErase:",	TARGET | HALTED | CHANGES | PROMPT,		pt_gdb_flash_erase },
	{ "vFlashWrite:",	TARGET | HALTED | CHANGES | PROMPT,		pt_gdb_flash_write },
	{ "vFlashDone",		TARGET | EXACT | HALTED | CHANGES | PROMPT,	pt_gdb_flash_done },
	/* the inferior comes and goes */
	{ "?", EXACT | CONNECTING | TASKS | OPEN | LOOKS, pt_gdb_why },
	{ "vAttach;", TASKS | LOOKS | PROMPT, pt_gdb_attach },
	{ "vRun;", CHANGES | TASKS | PROMPT, pt_gdb_run_again },
	{ "R", CHANGES | TASKS | PROMPT, pt_gdb_restart },
	{ "D", OPEN | LOOKS | PROMPT, pt_gdb_detach },
	{ "vKill;", OPEN | PROMPT, pt_gdb_vkill },
	{ "k", EXACT | OPEN | LOOKS | PROMPT, pt_gdb_kill },
	{ "!", EXACT | OPEN | LOOKS, pt_gdb_ok },
	/* files */
	{ "vFile:",		CONNECTING | LOOKS,		pt_gdb_hostio },
	/* questions */
	{ "qRcmd,", OPEN | LOOKS | PROMPT, pt_gdb_monitor },
	{ "qSupported", OPEN | LOOKS, pt_gdb_supported },
	{ "QNonStop:", OPEN | LOOKS, pt_gdb_set_nonstop },
	{ "QStartNoAckMode", EXACT | OPEN | LOOKS, pt_gdb_no_ack },
	{ "qXfer:threads:read::", CONNECTING | TASKS | LOOKS, pt_gdb_xfer_threads },
	{ "qXfer:", CONNECTING | LOOKS, pt_gdb_xfer },
	{ "Qbtrace-conf:bts:size=",	TARGET,		pt_gdb_ok },	/* qXfer:btrace-conf says what it is */
	{ "Qbtrace:bts", TARGET | EXACT | HALTED | CHANGES | PROMPT, pt_gdb_branch_trace_on },
	{ "Qbtrace:off", TARGET | EXACT | PROMPT, pt_gdb_branch_trace_off },
	{ "qCRC:", TARGET | WATCH | LOOKS | PROMPT, pt_gdb_crc },
	{ "qSearch:memory:", TARGET | WATCH | LOOKS | PROMPT, pt_gdb_search },
	{ "qAttached", CONNECTING | LOOKS, pt_gdb_attached },
	{ "qfThreadInfo", EXACT | CONNECTING | TASKS | OPEN | LOOKS, pt_gdb_thread_list },
	{ "qsThreadInfo", EXACT | CONNECTING | OPEN | LOOKS, pt_gdb_thread_list_end },
	{ "qThreadExtraInfo,", TARGET | CONNECTING | WATCH | LOOKS, pt_gdb_thread_extra },
	{ "qC", EXACT | CONNECTING | OPEN | LOOKS, pt_gdb_current_thread },
	{ "qSymbol:", CONNECTING | LOOKS, pt_gdb_ok },
	{ "qOffsets", TARGET | EXACT | CONNECTING | WATCH | LOOKS, pt_gdb_offsets },
	{ "H", CONNECTING | LOOKS, pt_gdb_select_thread },
	{ "T", TARGET | CONNECTING | WATCH | LOOKS, pt_gdb_thread_alive },
};

void pt_gdb_reply_malformed(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_EARG, "malformed packet");
	pt_gdb_reply_error(client, &err);
}

void pt_gdb_reply_not_yours(struct pt_gdb_client *client)
{
	struct pt_err err;

	pt_fail(&err, PT_EBUSY, "another GDB controls the target: monitor take");
	pt_gdb_reply_sentence(client, &err);
}

static const struct command *find(const struct pt_gdb_packet *packet)
{
	for (const struct command *row = commands; row < commands + sizeof(commands) / sizeof(commands[0]); row++) {
		size_t len = strlen(row->name);

		if (packet->len_bytes >= len && memcmp(packet->bytes, row->name, len) == 0 &&
		    ((row->flags & EXACT) == 0 || packet->len_bytes == len))
			return row;
	}
	return NULL;
}

static void refuse(struct pt_gdb_client *client, enum pt_rsp_item item)
{
	struct pt_err err;

	if (item == PT_RSP_OVERSIZE)
		pt_fail(&err, PT_EARG, "a packet of more than %d bytes", PT_GDB_PACKET_BYTES);
	else
		pt_fail(&err, PT_EPROTO, "a packet was damaged on its way");
	pt_warn("gdb: %s: %s", client->peer, err.msg);
	pt_gdb_reply_error(client, &err);
}

/* What waited for the tasks. */
static void again(struct pt_gdb_client *client)
{
	if (client->closing)
		pt_gdb_client_check(client);
	else
		pt_gdb_command(client);
}

static bool lacks_program(const struct pt_gdb_client *client, const struct command *row)
{
	return (row->flags & TARGET) != 0 && client->run == PT_GDB_NONE && !pt_gdb_passes(client) &&
	       !(client->watches && (row->flags & WATCH) != 0);
}

/* A client that has to give the token first: nothing is asked of the board or of another GDB server, and no packet's
 * text goes to the log, for the token may be in it however it was typed. */
static void answer_locked(struct pt_gdb_client *client, const struct command *row)
{
	const struct pt_gdb_packet *packet = client->current;
	struct pt_rsp_args args = { packet->bytes, packet->bytes + packet->len_bytes };
	struct pt_err err;

	if (packet->item != PT_RSP_PACKET) {
		refuse(client, packet->item);
		return;
	}
	pt_debug(PT_LOG_GDB, "gdb: -> %s, before the token", row != NULL ? row->name : "a packet");
	if (row == NULL) {
		pt_gdb_reply_text(client, "");
	} else if ((row->flags & OPEN) == 0) {
		pt_fail(&err, PT_EPERM, "this server wants its token first: monitor auth TOKEN");
		pt_gdb_reply_error(client, &err);
	} else if (row->handle == pt_gdb_why) {
		pt_gdb_reply_text(client, client->nonstop.wanted ? "OK" : "W00");	/* OK: no thread has stopped */
	} else if (row->handle == pt_gdb_thread_list) {
		pt_gdb_reply_text(client, "l");
	} else {
		args.at += strlen(row->name);
		row->handle(client, &args);
	}
}

static void why_no_program(const struct pt_gdb_client *client, struct pt_err *err)
{
	static const char watches[] = "this GDB only watches: another one controls the program (monitor take)";
	static const char taken[] = "another GDB has taken the target: detach, and attach 1 asks for it again";

	pt_fail(err, PT_ESTATE, "%s", client->watches ? watches : client->taken ? taken :
				"no program is attached: attach 1 comes first");
}

void pt_gdb_command(struct pt_gdb_client *client)
{
	const struct pt_gdb_packet *packet = client->current;
	const struct command *row = find(packet);
	struct pt_rsp_args args = { packet->bytes, packet->bytes + packet->len_bytes };
	struct pt_err err;

	enum pt_gdb_pass_offer offer;

	if (client->locked) {
		answer_locked(client, row);
		return;
	}
	offer = pt_gdb_pass_offer(client);
	client->parked = offer == PT_GDB_PASS_LATER;
	if (client->parked)
		return;
	if (packet->item != PT_RSP_PACKET) {
		refuse(client, packet->item);
		return;
	}
	client->interrupts_next &= row == NULL || (row->flags & PROMPT) == 0;
	if (offer == PT_GDB_PASS_IT && pt_gdb_pass_packet(client))
		return;
	pt_gdb_log_packet("->", packet->bytes, packet->len_bytes);
	if (row == NULL) {
		pt_gdb_reply_text(client, "");
	} else if (client->stub->config.restricted && (row->flags & LOOKS) == 0) {
		pt_gdb_refuse_restricted(client);
	} else if (lacks_program(client, row)) {
		why_no_program(client, &err);
		pt_gdb_reply_failure(client, &err);
	} else if ((row->flags & CHANGES) != 0 && !pt_gdb_controls(client)) {
		pt_gdb_reply_not_yours(client);
	} else if ((row->flags & TASKS) != 0 && !client->nonstop.wanted && pt_gdb_tasks_wait(client, again)) {
		return;	/* it is handled when they are known */
	} else if ((row->flags & HALTED) == 0 || !pt_gdb_nonstop_halt_first(client)) {
		client->nonstop.fresh &= (row->flags & CONNECTING) != 0;
		args.at += strlen(row->name);
		row->handle(client, &args);
	}
}
