/* Z and z. The stub remembers what GDB inserted, so that inserting and removing twice works, a stop can be recognised
 * as GDB's own, and everything is removed when GDB is gone. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/conditions.h"
#include "gdbstub/packets/packet.h"
#include "gdbstub/packets/run.h"
#include "host/log.h"
#include "base/util.h"

static bool same(const struct pt_break *a, const struct pt_break *b)
{
	return a->kind == b->kind && a->addr == b->addr && a->len == b->len;
}

static struct pt_gdb_break *find(struct pt_gdb_client *client, const struct pt_break *asked)
{
	for (size_t i = 0; i < client->inferior.n_breaks; i++)
		if (same(&client->inferior.breaks[i].asked, asked))
			return &client->inferior.breaks[i];
	return NULL;
}

static void drop(struct pt_gdb_client *client, struct pt_gdb_break *at)
{
	free(at->conditions);
	*at = client->inferior.breaks[--client->inferior.n_breaks];
}

static bool is_watch(const struct pt_gdb_break *at)
{
	return at->asked.kind >= PT_WATCH_WRITE;
}

const struct pt_gdb_break *pt_gdb_break_at(const struct pt_gdb_client *client, uint64_t pc)
{
	for (size_t i = 0; i < client->inferior.n_breaks; i++)
		if (!is_watch(&client->inferior.breaks[i]) && client->inferior.breaks[i].asked.addr == pc)
			return &client->inferior.breaks[i];
	return NULL;
}

/* If the address is unknown and there is one watchpoint, it is that one. */
const struct pt_gdb_break *pt_gdb_watch_at(const struct pt_gdb_client *client, uint64_t addr)
{
	const struct pt_gdb_break *seen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < client->inferior.n_breaks; i++) {
		const struct pt_gdb_break *at = &client->inferior.breaks[i];

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

/* A software breakpoint in memory that cannot be written (flash) becomes a hardware breakpoint. */
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

/* ";X" LENGTH "," CODE, any number of them; commands of a breakpoint were not offered. out: as struct pt_gdb_break has
 * them, with room for as many bytes as the packet has. */
static bool parse_conditions(struct pt_rsp_args *args, uint8_t *out, size_t *out_bytes)
{
	*out_bytes = 0;
	while (pt_rsp_left(args) > 0) {
		uint64_t len;

		pt_rsp_take(args, ";");
		if (!pt_rsp_take(args, "X") || !pt_rsp_number(args, &len) || !pt_rsp_take(args, ",") || len == 0 ||
		    len > UINT16_MAX || pt_rsp_left(args) < 2 * len ||
		    !pt_rsp_bytes(args, out + *out_bytes + 2, (size_t)len))
			return false;
		out[*out_bytes] = (uint8_t)len;
		out[*out_bytes + 1] = (uint8_t)(len >> 8);
		*out_bytes += 2 + (size_t)len;
	}
	return true;
}

static bool parse(struct pt_rsp_args *args, struct pt_break *at)
{
	uint64_t kind, addr, len;

	if (!pt_rsp_number(args, &kind) || kind > PT_WATCH_ACCESS || !pt_rsp_take(args, ",") ||
	    !pt_rsp_number(args, &addr) || !pt_rsp_take(args, ",") || !pt_rsp_number(args, &len) || len > UINT32_MAX ||
	    (pt_rsp_left(args) != 0 && args->at[0] != ';'))
		return false;
	*at = (struct pt_break){ .kind = (enum pt_break_kind)kind, .addr = addr, .len = (uint32_t)len };
	return true;
}

/* The conditions of the packet replace earlier ones. */
static void set_conditions(struct pt_gdb_break *at, struct pt_rsp_args *args)
{
	uint8_t *conditions = pt_rsp_left(args) > 0 ? malloc(pt_rsp_left(args)) : NULL;
	size_t n_bytes = 0;

	free(at->conditions);
	at->conditions = NULL;
	if (conditions != NULL && parse_conditions(args, conditions, &n_bytes) && n_bytes > 0) {
		at->conditions = conditions;
		at->conditions_bytes = n_bytes;
	} else {
		free(conditions);	/* without a condition the core stops, and GDB evaluates it */
	}
}

static void after_insert(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	struct pt_gdb_client *client = rq->client;
	struct pt_rsp_args args = { client->rsp.current->bytes + 1, client->rsp.current->bytes + client->rsp.current->len_bytes };
	struct pt_gdb_break *at = &client->inferior.breaks[client->inferior.n_breaks];
	struct pt_break asked;

	if (!parse(&args, &asked)) {
		pt_gdb_reply_malformed(client);
	} else if (rc == 0) {
		at->asked = asked;
		at->inserted = rq->at;
		at->conditions = NULL;
		set_conditions(at, &args);
		client->inferior.n_breaks++;
		client->inferior.kinds_done |= (uint8_t)(1u << asked.kind);
		pt_gdb_reply_text(client, "OK");
	} else if (rc == PT_EUNSUPPORTED && (client->inferior.kinds_done >> asked.kind & 1) == 0) {
		/* GDB takes an empty reply after an earlier success for a protocol error */
		pt_gdb_reply_text(client, "");
	} else {
		pt_warn("gdb: breakpoint: %s", err->msg);
		pt_gdb_reply_to_breakpoint(client, err);
	}
}

static void handle_insert(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_err err;

	if (!parse(args, &client->request.at)) {
		pt_gdb_reply_malformed(client);
	} else if (find(client, &client->request.at) != NULL) {
		set_conditions(find(client, &client->request.at), args);
		pt_gdb_reply_text(client, "OK");
	} else if (client->inferior.n_breaks == PT_GDB_MAX_BREAKS) {
		pt_fail(&err, PT_ENOMEM, "more than %d breakpoints", PT_GDB_MAX_BREAKS);
		pt_gdb_reply_sentence(client, &err);
	} else {
		pt_gdb_post(&client->request, insert, after_insert);
	}
}

void pt_gdb_breaks_forget(struct pt_gdb_client *client)
{
	while (client->inferior.n_breaks > 0)
		drop(client, &client->inferior.breaks[client->inferior.n_breaks - 1]);
}

/* --- conditions --------------------------------------------------------------------------------------------------- */

struct where { struct pt_target *target; unsigned core; };

static int read_register(void *arg, unsigned number, uint64_t *value, struct pt_err *err)
{
	const struct where *where = arg;
	struct pt_target *target = where->target;
	size_t n;
	const struct pt_register *rows = target->ops->registers(target->state, &n);

	for (size_t i = 0; i < n; i++) {
		uint16_t row = (uint16_t)i;

		if (rows[i].gdb_number == number)
			return target->ops->read_registers(target->state, where->core, &row, 1, value, err);
	}
	return pt_fail(err, PT_EARG, "there is no register %u", number);
}

static int read_memory(void *arg, uint64_t addr, unsigned n_bytes, uint64_t *value, struct pt_err *err)
{
	const struct where *where = arg;
	struct pt_target *target = where->target;
	uint8_t bytes[8];

	if (pt_mem_read(target->ops->mem(target->state, where->core), addr, bytes, n_bytes, err) < 0)
		return err->code;
	*value = 0;
	for (unsigned i = 0; i < n_bytes; i++)
		*value |= (uint64_t)bytes[i] << 8 * (pt_target_is_big_endian(target) ? n_bytes - 1 - i : i);
	return 0;
}

/* Whether any condition is true. A condition that cannot be evaluated counts as true: GDB evaluates it itself. */
static bool any_true(const struct pt_gdb_break *at, const struct pt_agent_env *env)
{
	for (size_t i = 0; i + 2 <= at->conditions_bytes;) {
		size_t len = at->conditions[i] | (size_t)at->conditions[i + 1] << 8;
		struct pt_err err;
		uint64_t value;

		if (pt_agent_run(at->conditions + i + 2, len, env, &value, &err) < 0 || value != 0)
			return true;
		i += 2 + len;
	}
	return false;
}

/* There may be several breakpoints at one address; one without a condition always stops. */
static bool wanted(const struct pt_gdb_client *client, uint64_t pc, const struct pt_agent_env *env)
{
	bool there = false;

	for (size_t i = 0; i < client->inferior.n_breaks; i++) {
		const struct pt_gdb_break *at = &client->inferior.breaks[i];

		if (is_watch(at) || at->asked.addr != pc)
			continue;
		if (at->conditions == NULL || any_true(at, env))
			return true;
		there = true;
	}
	return !there;
}

/* Removes the breakpoint, steps, inserts it again, and resumes. */
static int go_on(struct pt_gdb_client *client, struct pt_board *board, struct pt_target *target, unsigned core,
		 uint64_t pc, struct pt_err *err)
{
	const struct pt_gdb_break *at = pt_gdb_break_at(client, pc);
	int rc;

	if (target->ops->break_remove(target->state, &at->inserted, err) < 0)
		return err->code;
	rc = pt_board_step(board, core, err);
	if (target->ops->break_insert(target->state, &at->inserted, rc < 0 ? NULL : err) < 0 || rc < 0)
		return rc < 0 ? rc : err->code;
	return pt_board_resume(board, core, err);
}

bool pt_gdb_pass(struct pt_gdb_client *client, struct pt_board *board, struct pt_target *target, unsigned core)
{
	struct where where = { target, core };
	struct pt_agent_env env = { &where, read_register, read_memory };
	struct pt_err err = { 0 };
	uint64_t pc;

	if (client->inferior.n_breaks == 0 || target->ops->pc(target->state, core, &pc, &err) < 0 ||
	    pt_gdb_break_at(client, pc) == NULL || wanted(client, pc, &env))
		return false;
	if (go_on(client, board, target, core, pc, &err) == 0)
		return true;
	pt_warn("gdb: a breakpoint whose condition is false: %s", err.msg);
	return false;
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
	struct pt_gdb_break *at = client->inferior.breaks;

	if (rc < 0) {
		pt_warn("gdb: remove a breakpoint: %s", err->msg);
		pt_gdb_reply_sentence(client, err);
		return;
	}
	while (at < client->inferior.breaks + client->inferior.n_breaks && !same(&at->inserted, &rq->at))
		at++;
	if (at < client->inferior.breaks + client->inferior.n_breaks)
		drop(client, at);
	pt_gdb_reply_text(client, "OK");
}

/* Z0 and Z1 at one address in flash share a comparator, which is freed with the last of them. */
static bool shared(const struct pt_gdb_client *client, const struct pt_gdb_break *with)
{
	for (size_t i = 0; i < client->inferior.n_breaks; i++)
		if (&client->inferior.breaks[i] != with && same(&client->inferior.breaks[i].inserted, &with->inserted))
			return true;
	return false;
}

static void handle_remove(struct pt_gdb_client *client, struct pt_rsp_args *args)
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
		drop(client, at);
	pt_gdb_reply_text(client, "OK");
}

const struct pt_packet_row pt_packets_breakpoints[] = {
	{ "Z", PT_PACKET_TARGET | PT_PACKET_CHANGES, handle_insert },
	{ "z", PT_PACKET_TARGET | PT_PACKET_CHANGES, handle_remove },
	{ 0 },
};
