/* Z and z. What GDB has inserted is remembered, so that inserting and removing twice is fine, a stop can be told to be
 * GDB's own, and everything is taken out when GDB is gone. */
#include <string.h>

#include "gdbstub/commands.h"
#include "gdbstub/run.h"
#include "log.h"
#include "util.h"

static bool same(const struct pt_break *a, const struct pt_break *b)
{
	return a->kind == b->kind && a->addr == b->addr && a->len == b->len;
}

static struct pt_gdb_break *find(struct pt_gdb_client *client, const struct pt_break *asked)
{
	for (size_t i = 0; i < client->n_breaks; i++)
		if (same(&client->breaks[i].asked, asked))
			return &client->breaks[i];
	return NULL;
}

static bool is_watch(const struct pt_gdb_break *at)
{
	return at->asked.kind >= PT_WATCH_WRITE;
}

const struct pt_gdb_break *pt_gdb_break_at(const struct pt_gdb_client *client, uint64_t pc)
{
	for (size_t i = 0; i < client->n_breaks; i++)
		if (!is_watch(&client->breaks[i]) && client->breaks[i].asked.addr == pc)
			return &client->breaks[i];
	return NULL;
}

/* An unknown address is the only watchpoint's, if there is but one. */
const struct pt_gdb_break *pt_gdb_watch_at(const struct pt_gdb_client *client, uint64_t addr)
{
	const struct pt_gdb_break *seen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < client->n_breaks; i++) {
		const struct pt_gdb_break *at = &client->breaks[i];

		if (!is_watch(at))
			continue;
		if (addr >= at->asked.addr && addr - at->asked.addr < at->asked.len)
			return at;
		seen = at;
		n++;
	}
	return addr == PT_UNKNOWN && n == 1 ? seen : NULL;
}

/* --- Z ------------------------------------------------------------------------------------------------------------ */

/* A software breakpoint where none can be written (flash) becomes a hardware one. */
static int insert(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	int rc = target->ops->break_insert(target->state, &rq->at, err);

	(void)board;
	if (rc == PT_EUNSUPPORTED && rq->at.kind == PT_BREAK_SW) {
		rq->at.kind = PT_BREAK_HW;
		rc = target->ops->break_insert(target->state, &rq->at, err);
	}
	return rc;
}

static bool parse(struct pt_rsp_args *args, struct pt_break *at)
{
	uint64_t kind, addr, len;

	if (!pt_rsp_number(args, &kind) || kind > PT_WATCH_ACCESS || !pt_rsp_take(args, ",") ||
	    !pt_rsp_number(args, &addr) || !pt_rsp_take(args, ",") || !pt_rsp_number(args, &len) || len > UINT32_MAX ||
	    pt_rsp_left(args) != 0)
		return false;
	*at = (struct pt_break){ .kind = (enum pt_break_kind)kind, .addr = addr, .len = (uint32_t)len };
	return true;
}

static void after_insert(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_rsp_args args = { client->current->bytes + 1, client->current->bytes + client->current->len_bytes };
	struct pt_gdb_break *at = &client->breaks[client->n_breaks];

	if (rc == 0 && parse(&args, &at->asked)) {
		at->inserted = rq->at;
		client->n_breaks++;
		pt_gdb_reply_text(client, "OK");
	} else if (rc == PT_EUNSUPPORTED) {
		pt_gdb_reply_text(client, "");
	} else {
		pt_warn("gdb: breakpoint: %s", err->msg);
		pt_gdb_reply_sentence(client, err);
	}
}

void pt_gdb_insert(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_err err;

	if (!parse(args, &client->request.at)) {
		pt_gdb_reply_malformed(client);
	} else if (find(client, &client->request.at) != NULL) {
		pt_gdb_reply_text(client, "OK");
	} else if (client->n_breaks == PT_GDB_MAX_BREAKS) {
		pt_fail(&err, PT_ENOMEM, "more than %d breakpoints", PT_GDB_MAX_BREAKS);
		pt_gdb_reply_sentence(client, &err);
	} else {
		pt_gdb_post(&client->request, insert, after_insert);
	}
}

/* --- z ------------------------------------------------------------------------------------------------------------ */

static int take_out(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	return target->ops->break_remove(target->state, &rq->at, err);
}

static void after_remove(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_gdb_break *at = client->breaks;

	if (rc < 0) {
		pt_warn("gdb: remove a breakpoint: %s", err->msg);
		pt_gdb_reply_sentence(client, err);
		return;
	}
	while (at < client->breaks + client->n_breaks && !same(&at->inserted, &rq->at))
		at++;
	if (at < client->breaks + client->n_breaks)
		*at = client->breaks[--client->n_breaks];
	pt_gdb_reply_text(client, "OK");
}

/* Z0 and Z1 at one address in flash are one comparator: it goes with the last of them. */
static bool shared(const struct pt_gdb_client *client, const struct pt_gdb_break *with)
{
	for (size_t i = 0; i < client->n_breaks; i++)
		if (&client->breaks[i] != with && same(&client->breaks[i].inserted, &with->inserted))
			return true;
	return false;
}

void pt_gdb_remove(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_break *at;
	struct pt_break asked;

	if (!parse(args, &asked)) {
		pt_gdb_reply_malformed(client);
		return;
	}
	at = find(client, &asked);
	if (at != NULL && !shared(client, at)) {
		client->request.at = at->inserted;
		pt_gdb_post(&client->request, take_out, after_remove);
		return;
	}
	if (at != NULL)
		*at = client->breaks[--client->n_breaks];
	pt_gdb_reply_text(client, "OK");
}
