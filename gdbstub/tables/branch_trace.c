/* record btrace bts: GDB's branch trace, made of the branch history. GDB asks for all blocks, or for those that are new
 * since its last question, and keeps its own copy; from that it computes reverse steps by itself.
 *
 * Blocks are stretches of straight code from first to last instruction, newest first; the newest one ends at the pc. An
 * unknown stretch is a block that ends before it begins: GDB counts it as a gap, and warns. Source: GDB manual, "Branch
 * Trace Format" and "Branch Trace Configuration Format". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "gdbstub/tables/branch_trace.h"
#include "gdbstub/tables/document.h"
#include "gdbstub/packets/packet.h"
#include "session/recorder.h"
#include "host/log.h"
#include "profile/analyses/calls/history.h"
#include "base/util.h"

enum { HISTORIES = 16 };	/* cores with a branch trace */

/* The document that GDB is reading, and what it already has of each core. */
struct pt_gdb_history {
	enum pt_gdb_history_part what;
	uint64_t pc_now;	/* then */
	unsigned core;		/* whose */
	/* it has the runs up to this number, and the core was halted at pc; seen PT_UNKNOWN: it has nothing yet */
	struct has { uint64_t seen, pc; } has[HISTORIES];
};

struct pt_gdb_history *pt_gdb_history_new(void)
{
	return pt_alloc(sizeof(struct pt_gdb_history));
}

/* --- on and off --------------------------------------------------------------------------------------------------- */

static void on_reply(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;
	struct pt_err err;

	pt_rsp_release(&client->rsp);
	if (rc < 0) {
		pt_fail(&err, rc, "%.*s", (int)len_bytes, text);
		pt_gdb_reply_sentence(client, &err);
	} else {
		pt_gdb_reply_text(client, "OK");
	}
}

static void handle_branch_trace_on(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	for (size_t i = 0; i < HISTORIES; i++)
		client->history->has[i].seen = PT_UNKNOWN;
	pt_rsp_hold(&client->rsp);
	pt_recorder_on(client->stub->config.recorder, client, on_reply, client);
}

static void handle_branch_trace_off(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	(void)args;
	if (!pt_gdb_controls(client) && !pt_recorder_is_for(client->stub->config.recorder, client)) {
		pt_gdb_reply_not_yours(client);
		return;
	}
	pt_rsp_hold(&client->rsp);
	pt_recorder_off(client->stub->config.recorder, client, on_reply, client);
}

char *pt_gdb_branch_trace_conf(struct pt_gdb_client *client)
{
	char *text = NULL;
	size_t len_bytes;
	FILE *out = open_memstream(&text, &len_bytes);

	if (out == NULL)
		return NULL;
	fputs("<!DOCTYPE btrace-conf SYSTEM \"btrace-conf.dtd\"><btrace-conf version=\"1.0\">", out);
	if (pt_recorder_is_on(client->stub->config.recorder))
		fprintf(out, "<bts size=\"0x%x\"/>", (unsigned)(PT_HISTORY_RUNS * sizeof(struct pt_history_run)));
	fputs("</btrace-conf>", out);
	fclose(out);
	return text;
}

/* --- the trace ---------------------------------------------------------------------------------------------------- */

static void write_block(FILE *out, const struct pt_history_block *block, bool first)
{
	uint64_t last = block->gap ? block->begin - 2 : block->last;

	fprintf(out, "<block begin=\"0x%" PRIx64 "\" end=\"0x%" PRIx64 "\"/>", first ? 0 : block->begin, last);
}

/* continued: the oldest block begins where GDB has stopped: it knows where that was. */
static char *write_blocks(const struct pt_history_block *blocks, size_t n, bool continued)
{
	char *text = NULL;
	size_t len_bytes;
	FILE *out = open_memstream(&text, &len_bytes);

	if (out == NULL)
		return NULL;
	fputs("<!DOCTYPE btrace SYSTEM \"btrace.dtd\"><btrace version=\"1.0\">", out);
	while (n-- > 0)
		write_block(out, &blocks[n], continued && n == 0);
	fputs("</btrace>", out);
	fclose(out);
	return text;
}

/* Whether the new runs continue what GDB has. If not, GDB gets an error, and asks for everything. */
static bool continues(const struct has *has, const struct pt_history_answer *answer,
		      const struct pt_history_block *blocks)
{
	if (answer->n_blocks == 0 || blocks[0].gap)
		return false;
	if (has->seen == PT_UNKNOWN)
		return answer->seen == 0;	/* else there are older runs, and GDB must ask for everything */
	if (answer->seen != has->seen && answer->from == PT_UNKNOWN)
		return false;			/* forgotten */
	return blocks[0].begin == has->pc;
}

static void on_history(void *arg, int rc, const char *text, size_t len_bytes)
{
	struct pt_gdb_client *client = arg;
	struct has *has = &client->history->has[client->history->core];
	const struct pt_history_block *blocks = (const void *)(text + sizeof(struct pt_history_answer));
	struct pt_history_answer answer;
	struct pt_err err = { 0 };
	bool delta = client->history->what == PT_GDB_HISTORY_DELTA, old;

	pt_rsp_release(&client->rsp);
	if (rc < 0) {
		pt_fail(&err, rc, "%.*s", (int)len_bytes, text);
		pt_gdb_reply_document(client, NULL, &err);
		return;
	}
	memcpy(&answer, text, sizeof(answer));
	if (delta && !continues(has, &answer, blocks)) {
		pt_fail(&err, PT_ESTATE, "what is new does not continue what is known");
		pt_gdb_reply_document(client, NULL, &err);
		return;
	}
	old = client->history->what == PT_GDB_HISTORY_NEW && answer.seen == has->seen &&
	      has->pc == client->history->pc_now;
	has->seen = answer.seen;
	has->pc = client->history->pc_now;
	pt_fail(&err, PT_ENOMEM, "no memory for the branch trace");
	pt_gdb_reply_document(client, write_blocks(blocks, old ? 0 : answer.n_blocks, delta), &err);
}

static int find_pc(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	return target->ops->pc(target->state, rq->client->inferior.core, &rq->pc, err);
}

static void ask(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	uint64_t seen = client->history->has[client->history->core].seen;
	bool delta = client->history->what == PT_GDB_HISTORY_DELTA && seen != PT_UNKNOWN;

	if (rc < 0) {
		pt_gdb_reply_document(client, NULL, err);
		return;
	}
	client->history->pc_now = rq->pc;
	pt_rsp_hold(&client->rsp);
	pt_recorder_history(client->stub->config.recorder, pt_gdb_traced_core(client), delta ? seen : 0, rq->pc,
			    on_history, client);
}

void pt_gdb_branch_trace_read(struct pt_gdb_client *client, enum pt_gdb_history_part what)
{
	struct pt_err err;

	if (pt_gdb_is_proxied(client) ? !client->stub->filter->is_halted(client) : !pt_gdb_is_halted(client)) {
		pt_fail(&err, PT_ESTATE, "the core runs");
		pt_gdb_reply_document(client, NULL, &err);
		return;
	}
	client->history->what = what;
	client->history->core = client->inferior.core % HISTORIES;
	pt_gdb_post(&client->request, find_pc, ask);
}

const struct pt_packet_row pt_packets_branch_trace[] = {
	{ "Qbtrace:bts", PT_PACKET_TARGET | PT_PACKET_EXACT | PT_PACKET_HALTED | PT_PACKET_CHANGES | PT_PACKET_PROMPT, handle_branch_trace_on },
	{ "Qbtrace:off", PT_PACKET_TARGET | PT_PACKET_EXACT | PT_PACKET_PROMPT, handle_branch_trace_off },
	{ 0 },
};
