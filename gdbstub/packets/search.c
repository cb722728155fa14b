/* qCRC and qSearch:memory: sums and searches where the memory is, so that only the answer goes to GDB. The memory is
 * read in pieces; GDB waits for some seconds. Source: GDB manual, "General Query Packets". */
#include "config.h"	/* memmem */

#include <string.h>

#include "gdbstub/packets/packet.h"
#include "base/util.h"

enum { PIECE_BYTES = 8192, TIMEOUT_MS = 2000, MOST_PATTERN = 1024 };
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

static int sum(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[PIECE_BYTES];
	uint32_t crc = 0xffffffffu;

	(void)board;
	for (uint64_t done = 0; done < rq->len;) {
		size_t n = rq->len - done < sizeof(bytes) ? (size_t)(rq->len - done) : sizeof(bytes);

		if (read_piece(rq, target, rq->addr + done, bytes, n, err) < 0)
			return err->code;
		crc = add_to_crc(crc, bytes, n);
		done += n;
	}
	pt_rsp_text(&rq->frame, "C%x", crc);
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
	pt_gdb_post(rq, sum, NULL);
}

/* --- qSearch:memory:ADDR;LENGTH;PATTERN --------------------------------------------------------------------------- */

/* The pieces overlap by what may be the beginning of a match. */
static int search(struct pt_gdb_request *rq, struct pt_board *board, struct pt_target *target, struct pt_err *err)
{
	uint8_t bytes[PIECE_BYTES + MOST_PATTERN];
	size_t n_pattern = pt_rsp_left(&rq->args), kept = 0;

	(void)board;
	for (uint64_t done = 0; done < rq->len;) {
		size_t n = rq->len - done < PIECE_BYTES ? (size_t)(rq->len - done) : PIECE_BYTES;
		const uint8_t *found;

		if (read_piece(rq, target, rq->addr + done, bytes + kept, n, err) < 0)
			return err->code;
		found = memmem(bytes, kept + n, rq->args.at, n_pattern);
		if (found != NULL) {
			pt_rsp_text(&rq->frame, "1,%llx",
				    (unsigned long long)(rq->addr + done - kept + (uint64_t)(found - bytes)));
			return 0;
		}
		done += n;
		n += kept;
		kept = n < n_pattern - 1 ? n : n_pattern - 1;
		memmove(bytes, bytes + n - kept, kept);
	}
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
	pt_gdb_post(rq, search, NULL);
}

const struct pt_packet_row pt_packets_search[] = {
	{ "qCRC:", PT_PACKET_TARGET | PT_PACKET_WATCH | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_crc },
	{ "qSearch:memory:", PT_PACKET_TARGET | PT_PACKET_WATCH | PT_PACKET_LOOKS | PT_PACKET_PROMPT, handle_search },
	{ 0 },
};
