/* m, x, M, X. A reply to a read may be shorter: GDB asks again from its end, so a read that reaches invalid memory
 * returns the valid beginning. A write is done completely or returns an error. */
#include <stdlib.h>
#include <string.h>

#include "gdbstub/packets/packet.h"
#include "base/util.h"

enum {
	MAX_READ_BYTES = PT_GDB_PACKET_BYTES / 2,	/* in hex, or all bytes escaped, it fits a packet */
	TIMEOUT_MS = 2000,
};

/* --- reading ------------------------------------------------------------------------------------------------------ */

static int read_at(struct pt_mem *mem, uint64_t addr, uint8_t *bytes, size_t n, uint64_t *fault_addr,
		   struct pt_err *err)
{
	struct pt_mem_op op = { .what = PT_MEM_READ, .addr = addr, .bytes = bytes, .len_bytes = n };
	size_t n_done;

	*fault_addr = PT_UNKNOWN;
	return mem->ops->run(mem->state, &op, 1, TIMEOUT_MS, &n_done, fault_addr, err);
}

/* After a fault: reads up to the fault, or half if its address is unknown, until something can be read. */
static int read_prefix(struct pt_mem *mem, uint64_t addr, uint8_t *bytes, size_t *n, struct pt_err *err)
{
	int rc = 0;

	while (*n > 0) {
		uint64_t fault;

		rc = read_at(mem, addr, bytes, *n, &fault, err);
		if (rc != PT_EFAULT && rc != PT_EARG)
			return rc;
		*n = fault > addr && fault < addr + *n ? (size_t)(fault - addr) : *n / 2;
	}
	return rc;
}

static int read_some(struct pt_gdb_request *rq, struct pt_target *target, uint8_t *bytes, size_t *n, struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, rq->core);

	*n = rq->len < MAX_READ_BYTES ? (size_t)rq->len : MAX_READ_BYTES;
	if (*n > UINT64_MAX - rq->addr)
		return pt_fail(err, PT_EFAULT, "no memory at the very end of the address space");
	return read_prefix(mem, rq->addr, bytes, n, err);
}

static int read_hex(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[MAX_READ_BYTES];
	size_t n;

	(void)board;
	if (read_some(rq, target, bytes, &n, err) < 0)
		return err->code;
	pt_rsp_hex(&rq->frame, bytes, n);
	return 0;
}

static int read_binary(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[MAX_READ_BYTES];
	size_t n;

	(void)board;
	if (read_some(rq, target, bytes, &n, err) < 0)
		return err->code;
	pt_rsp_text(&rq->frame, "b");
	pt_rsp_binary(&rq->frame, bytes, n);
	return 0;
}

static bool span(struct pt_rsp_args *args, struct pt_gdb_request *rq)
{
	return pt_rsp_number(args, &rq->addr) && pt_rsp_take(args, ",") && pt_rsp_number(args, &rq->len);
}

static void reply_bytes(struct pt_gdb_client *client, const uint8_t *bytes)
{
	struct pt_rsp_frame *frame = &client->rsp.frame;

	pt_rsp_begin(frame, '$');
	if (client->rsp.current->bytes[0] == 'm') {
		pt_rsp_hex(frame, bytes, client->request.at.len);
	} else {
		pt_rsp_text(frame, "b");
		pt_rsp_binary(frame, bytes, client->request.at.len);
	}
	pt_gdb_reply(client);
}

static int read_line(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint64_t fault;

	(void)board;
	return read_at(target->ops->mem(target->state, rq->core), rq->addr, rq->line, PT_GDB_LINE_BYTES, &fault, err);
}

/* at: what GDB asked for. If the line cannot be read, that may be. */
static void after_line(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	(void)err;
	if (rc == 0) {
		pt_gdb_code_filled(&rq->client->inferior.code);
		reply_bytes(rq->client, rq->line + (rq->at.addr - rq->addr));
		return;
	}
	rq->addr = rq->at.addr;
	rq->len = rq->at.len;
	pt_gdb_post(rq, rq->client->rsp.current->bytes[0] == 'm' ? read_hex : read_binary, NULL);
}

static void read_with(struct pt_gdb_client *client, struct pt_rsp_args *args, pt_gdb_run_fn *run)
{
	struct pt_gdb_request *rq = &client->request;
	const uint8_t *kept;

	if (!span(args, rq) || pt_rsp_left(args) != 0) {
		pt_gdb_reply_malformed(client);
		return;
	}
	rq->core = client->inferior.core;
	rq->at = (struct pt_break){ .addr = rq->addr, .len = (uint32_t)rq->len };
	kept = pt_gdb_is_halted(client) ? pt_gdb_code_find(&client->inferior.code, rq->addr, rq->len) : NULL;
	if (kept != NULL) {
		reply_bytes(client, kept);
		return;
	}
	rq->line = pt_gdb_is_halted(client) ? pt_gdb_code_room(&client->inferior.code, rq->addr, rq->len, &rq->addr)
					    : NULL;
	if (rq->line != NULL)
		pt_gdb_post(rq, read_line, after_line);
	else
		pt_gdb_post(rq, run, NULL);
}

static void handle_read_hex(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	read_with(client, args, read_hex);
}

static void handle_read_binary(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	read_with(client, args, read_binary);
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static int write_bytes(struct pt_gdb_request *rq, struct pt_target *target, const uint8_t *bytes, struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, rq->core);
	struct pt_mem_op op = { .what = PT_MEM_WRITE, .addr = rq->addr, .bytes = (void *)bytes,
				.len_bytes = (size_t)rq->len };
	uint64_t fault;
	size_t n_done;

	if (rq->len > 0 && mem->ops->run(mem->state, &op, 1, TIMEOUT_MS, &n_done, &fault, err) < 0)
		return err->code;
	pt_rsp_text(&rq->frame, "OK");
	return 0;
}

static int write_binary(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	(void)board;
	return write_bytes(rq, target, rq->args.at, err);
}

static int write_hex(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[PT_GDB_PACKET_BYTES / 2];

	(void)board;
	if (!pt_rsp_bytes(&rq->args, bytes, (size_t)rq->len))	/* len was checked: no longer than the packet */
		return pt_fail(err, PT_EARG, "M with something else than hex digits");
	return write_bytes(rq, target, bytes, err);
}

/* digits: wire characters per byte. The length in the packet must be that of its data. */
static void write_with(struct pt_gdb_client *client, struct pt_rsp_args *args, pt_gdb_run_fn *run, size_t digits)
{
	struct pt_gdb_request *rq = &client->request;

	if (!span(args, rq) || !pt_rsp_take(args, ":") || rq->len > PT_GDB_PACKET_BYTES ||
	    pt_rsp_left(args) != rq->len * digits) {
		pt_gdb_reply_malformed(client);
		return;
	}
	rq->args = *args;
	rq->core = client->inferior.core;
	pt_gdb_code_forget(&client->inferior.code);
	pt_gdb_post(rq, run, NULL);
}

static void handle_write_hex(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	write_with(client, args, write_hex, 2);
}

static void handle_write_binary(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	write_with(client, args, write_binary, 1);
}

const struct pt_packet_row pt_packets_memory[] = {
	{ "m", PT_PACKET_TARGET | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_read_hex },
	{ "x", PT_PACKET_TARGET | PT_PACKET_WATCH | PT_PACKET_LOOKS, handle_read_binary },
	{ "M", PT_PACKET_TARGET | PT_PACKET_CHANGES, handle_write_hex },
	{ "X", PT_PACKET_TARGET | PT_PACKET_CHANGES, handle_write_binary },
	{ 0 },
};
