/* qCRC and qSearch:memory: sums and searches where the memory is, so that only the answer goes to GDB. The memory is
 * read in pieces, some of them as one job of the board's: what others want of it comes in between, however much a client
 * asks for. Source: GDB manual, "General Query Packets". */
#include "config.h"	/* memmem */

#include <string.h>

#include "gdbstub/packets/packet.h"
#include "base/util.h"

enum { PIECE_BYTES = 8192, JOB_BYTES = 4 * PIECE_BYTES, TIMEOUT_MS = 2000, MOST_PATTERN = 1024 };
#define MOST_BYTES (UINT64_C(64) << 20)	/* of one question */

static int read_piece(struct pt_gdb_request *rq, struct pt_target *target, uint64_t addr, uint8_t *bytes, size_t n,
		      struct pt_err *err)
{
	struct pt_mem *mem = target->ops->mem(target->state, rq->core);
	struct pt_mem_op op = { .what = PT_MEM_READ, .addr = addr, .bytes = bytes, .len_bytes = n };
	uint64_t fault;
	size_t n_done;

	return mem->ops->run(mem->state, &op, 1, TIMEOUT_MS, &n_done, &fault, err);
}

/* The request: addr and len, what is left. After each job either the next one, or the answer, which is in frame. */
static void go_on(struct pt_gdb_request *rq, int rc, const struct pt_err *err)
{
	if (rc < 0)
		pt_gdb_reply_error(rq->client, err);
	else if (rq->client->rsp.closing)
		pt_rsp_finish(&rq->client->rsp);	/* nobody waits for it */
	else if (rq->len > 0 && !rq->found)
		pt_gdb_post(rq, rq->run, go_on);
	else
		pt_gdb_reply_checked(rq, rc, err);
}

static size_t at_most(uint64_t left, size_t most)
{
	return left < most ? (size_t)left : most;
}

/* --- qCRC:ADDR,LENGTH --------------------------------------------------------------------------------------------- */

/* CRC-32 of polynomial 0x04c11db7, highest bit first, from all ones, not inverted at the end. */
static uint32_t add_to_crc(uint32_t crc, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		crc ^= (uint32_t)bytes[i] << 24;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = (crc & 0x80000000u) != 0 ? crc << 1 ^ 0x04c11db7u : crc << 1;
	}
	return crc;
}

/* pc: the sum so far. */
static int sum(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint64_t end = rq->addr + at_most(rq->len, JOB_BYTES);
	uint8_t bytes[PIECE_BYTES];

	(void)board;
	while (rq->addr != end) {
		size_t n = at_most(end - rq->addr, sizeof(bytes));

		if (read_piece(rq, target, rq->addr, bytes, n, err) < 0)
			return err->code;
		rq->pc = add_to_crc((uint32_t)rq->pc, bytes, n);
		rq->addr += n;
		rq->len -= n;
	}
	if (rq->len == 0)
		pt_rsp_text(&rq->frame, "C%x", (uint32_t)rq->pc);
	return 0;
}

static void handle_crc(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_request *rq = &client->request;

	if (!pt_rsp_number(args, &rq->addr) || !pt_rsp_take(args, ",") || !pt_rsp_number(args, &rq->len) ||
	    pt_rsp_left(args) != 0 || rq->len > MOST_BYTES) {
		pt_gdb_reply_malformed(client);
		return;
	}
	rq->core = client->inferior.core;
	rq->pc = 0xffffffffu;
	rq->found = false;
	pt_gdb_post(rq, sum, go_on);
}

/* --- qSearch:memory:ADDR;LENGTH;PATTERN --------------------------------------------------------------------------- */

/* The next piece begins with what may be the beginning of a match. */
static int search(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[PIECE_BYTES + MOST_PATTERN];
	size_t n_pattern = pt_rsp_left(&rq->args);

	(void)board;
	for (size_t done = 0; done < JOB_BYTES && rq->len > 0; done += PIECE_BYTES) {
		size_t n = at_most(rq->len, PIECE_BYTES + n_pattern - 1), over;
		const uint8_t *found;

		if (read_piece(rq, target, rq->addr, bytes, n, err) < 0)
			return err->code;
		found = memmem(bytes, n, rq->args.at, n_pattern);
		rq->found = found != NULL;
		if (rq->found) {
			pt_rsp_text(&rq->frame, "1,%llx", (unsigned long long)(rq->addr + (uint64_t)(found - bytes)));
			return 0;
		}
		over = n == rq->len ? 0 : n_pattern - 1;
		rq->addr += n - over;
		rq->len -= n - over;
	}
	if (rq->len == 0)
		pt_rsp_text(&rq->frame, "0");
	return 0;
}

static void handle_search(struct pt_gdb_client *client, struct pt_rsp_args *args)
{
	struct pt_gdb_request *rq = &client->request;

	if (!pt_rsp_number(args, &rq->addr) || !pt_rsp_take(args, ";") || !pt_rsp_number(args, &rq->len) ||
	    !pt_rsp_take(args, ";") || pt_rsp_left(args) == 0 || pt_rsp_left(args) > MOST_PATTERN ||
	    rq->len > MOST_BYTES) {
		pt_gdb_reply_malformed(client);
		return;
	}
	rq->core = client->inferior.core;
	rq->args = *args;
	rq->found = false;
	pt_gdb_post(rq, search, go_on);
}

const struct pt_packet_row pt_packets_search[] = {
	{ "qCRC:", PT_PACKET_TARGET | PT_PACKET_WATCH | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_crc },
	{ "qSearch:memory:", PT_PACKET_TARGET | PT_PACKET_WATCH | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_search },
	{ 0 },
};
