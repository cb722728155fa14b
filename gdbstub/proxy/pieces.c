/* A memory packet of the client's as several of the server's. What GDB reads and writes at once follows PacketSize;
 * where the server's is small, each of many round trips costs the client, the server and us a change of processes. So
 * a server that is known to hear packets while it still answers others is offered to GDB with a larger one, and what
 * is longer than it takes is cut: reads go out one behind the other, and their answers come back as one; writes wait
 * for each other, so that nothing is written behind one that failed.
 *
 * Nothing is read that was not asked for, nothing twice, and each piece but the last is a multiple of eight bytes, as
 * GDB would cut it. A server that takes its time is asked for one piece at a time, and the client has what there is: a
 * short answer is a good one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdbstub/proxy/proxy_parts.h"
#include "base/util.h"

enum {
	WIDE_BYTES = 0x10000,	/* PacketSize for the client */
	MAX_AHEAD = 32,
	BUDGET_MS = 50,		/* from then on a read is answered with what there is */
	HEAD_BYTES = 40,	/* "X", an address, a length, and a mark */
};

unsigned long pt_proxy_packet_bytes(struct pt_gdb_proxy *p, unsigned long server_bytes)
{
	struct pt_proxy_pieces *pieces = &p->pieces;

	pieces->server_bytes = 0;
	pieces->ahead = 1;
	if (!p->takes_ahead || server_bytes >= WIDE_BYTES || server_bytes < 8 * HEAD_BYTES)
		return server_bytes;
	pieces->server_bytes = server_bytes;
	return WIDE_BYTES;
}

static bool is_read(const struct pt_proxy_pieces *pieces)
{
	return pieces->kind == 'm' || pieces->kind == 'x';
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

static uint64_t read_bytes(const struct pt_proxy_pieces *pieces, uint64_t from)
{
	uint64_t most = pieces->server_bytes / 2 & ~UINT64_C(7), left = pieces->end - from;

	return left < most ? left : most;
}

static uint64_t write_bytes(const struct pt_proxy_pieces *pieces)
{
	size_t room = pieces->server_bytes - HEAD_BYTES, left = (size_t)(pieces->end - pieces->next), n;

	if (pieces->kind == 'M')
		n = room / 2 < left ? room / 2 : left;
	else
		n = pt_rsp_escaped_fit(pieces->data, left, room);
	return n < left ? n & ~(size_t)7 : n;
}

/* One more. It waits in the stream for pt_upstream_flush(). */
static void ask(struct pt_gdb_proxy *p)
{
	struct pt_proxy_pieces *pieces = &p->pieces;
	uint64_t n = is_read(pieces) ? read_bytes(pieces, pieces->next) : write_bytes(pieces);
	size_t data_bytes = is_read(pieces) ? 0 : pieces->kind == 'M' ? 2 * (size_t)n : (size_t)n;
	uint8_t *packet = pieces->packet;
	int len = snprintf((char *)packet, HEAD_BYTES, "%c%" PRIx64 ",%" PRIx64 "%s", pieces->kind, pieces->next, n,
			   is_read(pieces) ? "" : ":");

	memcpy(packet + len, pieces->data, data_bytes);
	pieces->data += data_bytes;
	pieces->next += n;
	pieces->n_out++;
	pt_upstream_queue(p->upstream, packet, (size_t)len + data_bytes);
}

static void ask_on(struct pt_gdb_proxy *p)
{
	struct pt_proxy_pieces *pieces = &p->pieces;
	unsigned ahead = is_read(pieces) && p->takes_ahead ? pieces->ahead : 1;

	while (!pieces->ended && pieces->next < pieces->end && pieces->n_out < ahead)
		ask(p);
	pt_upstream_set_ahead(p->upstream, ahead > 1 && pieces->n_out > 0);
	pt_upstream_flush(p->upstream);
}

static bool take_apart(struct pt_proxy_pieces *pieces, const struct pt_rsp_packet *packet)
{
	struct pt_rsp_args args = { packet->bytes + 1, packet->bytes + packet->len_bytes };
	uint64_t n;

	pieces->kind = (char)packet->bytes[0];
	if (strchr("mxMX", pieces->kind) == NULL || !pt_rsp_number(&args, &pieces->next) || !pt_rsp_take(&args, ",") ||
	    !pt_rsp_number(&args, &n) || n > PT_PROXY_PACKET_BYTES)
		return false;
	pieces->end = pieces->next + n;
	pieces->data = args.at + 1;
	if (is_read(pieces))
		return args.at == args.end && pieces->end > pieces->next && n > read_bytes(pieces, pieces->next);
	return packet->len_bytes > pieces->server_bytes && pt_rsp_take(&args, ":") &&
	       pt_rsp_left(&args) == (pieces->kind == 'M' ? 2 * n : n);
}

size_t pt_proxy_fits(const struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	size_t most = p->pieces.server_bytes, fits;

	if (most == 0 || packet->len_bytes <= most / 2)
		return packet->len_bytes;
	fits = pt_rsp_escaped_fit(packet->bytes, packet->len_bytes, most);
	if (fits == packet->len_bytes || strncmp((const char *)packet->bytes, "vFile:pwrite:", 13) == 0)
		return fits;
	return 0;
}

bool pt_proxy_cut(struct pt_gdb_proxy *p, const struct pt_rsp_packet *packet)
{
	struct pt_proxy_pieces *pieces = &p->pieces;

	if (pieces->server_bytes == 0)
		return false;
	if (pieces->packet == NULL)
		pieces->packet = malloc(WIDE_BYTES);
	if (pieces->packet == NULL || !take_apart(pieces, packet)) {
		pieces->kind = '\0';
		return false;
	}
	pieces->got = pieces->next;
	pieces->n_out = 0;
	pieces->ended = false;
	pieces->since_ms = uv_now(p->stub->loop);
	pt_rsp_begin(&pieces->answer, '$');
	pieces->sum = 0;
	ask_on(p);
	return true;
}

/* --- in ----------------------------------------------------------------------------------------------------------- */

static bool is_error(const uint8_t *payload, size_t n)
{
	return n == 0 || (payload[0] == 'E' && n > 1 && (payload[1] == '.' || (n == 3 && payload[1] != '*')));
}

/* How many it is when runs are expanded and escapes undone. */
static size_t expanded(const uint8_t *payload, size_t n)
{
	size_t total = n;

	for (const uint8_t *at = payload, *end = payload + n; at < end; at++) {
		if (*at == '*' && at + 1 < end) {
			at++;
			total += (size_t)at[0] - 29 - 2;
		} else if (*at == '}' && at++ < end)
			total--;
	}
	return total;
}

static uint8_t sum_of(const struct pt_rsp_raw *raw)
{
	char digits[3] = { (char)raw->bytes[raw->len_bytes - 2], (char)raw->bytes[raw->len_bytes - 1], '\0' };

	return (uint8_t)strtoul(digits, NULL, 16);
}

/* The data of an answer to x behind the first. A server's run may begin with the mark ("b*" and a count): without the mark it would
 * repeat what is before it, so it is written out. */
static void add_without_mark(struct pt_proxy_pieces *pieces, const uint8_t *payload, size_t n)
{
	enum { RUN_BIAS = 29 };
	unsigned n_run = n >= 3 && payload[1] == '*' && payload[2] > RUN_BIAS ? payload[2] - RUN_BIAS : 0;
	size_t skip = n_run > 0 ? 3 : 1;

	for (size_t i = 0; i < skip; i++)
		pieces->sum = (uint8_t)(pieces->sum - payload[i]);
	for (unsigned i = 0; i < n_run; i++)
		pt_rsp_raw(&pieces->answer, payload, 1);
	pieces->sum = (uint8_t)(pieces->sum + n_run * payload[0]);
	pt_rsp_raw(&pieces->answer, payload + skip, n - skip);
}

/* The sum of the whole is the sum of the sums. Bytes of pieces behind one that failed or was short are nobody's. */
static void take_read(struct pt_proxy_pieces *pieces, const struct pt_rsp_raw *raw)
{
	const uint8_t *payload = raw->bytes + 1;
	size_t n = raw->len_bytes - 4;
	uint64_t n_bytes = read_bytes(pieces, pieces->got), wanted = pieces->kind == 'x' ? n_bytes + 1 : 2 * n_bytes;
	bool first = pieces->answer.len_bytes == 1, bad = is_error(payload, n) || expanded(payload, n) > wanted;

	if (pieces->ended)
		return;
	pieces->ended = bad || expanded(payload, n) < wanted;
	if (bad && !first)
		return;		/* what has come is a good beginning */
	pieces->got += n_bytes;
	pieces->sum = (uint8_t)(pieces->sum + sum_of(raw));
	if (pieces->kind == 'x' && !first)	/* the client has the mark of the first */
		add_without_mark(pieces, payload, n);
	else
		pt_rsp_raw(&pieces->answer, payload, n);
}

static void take_written(struct pt_proxy_pieces *pieces, const struct pt_rsp_raw *raw)
{
	bool ok = raw->len_bytes == 6 && memcmp(raw->bytes, "$OK#", 4) == 0;

	pieces->ended |= !ok;
	if (!pieces->ended && pieces->next < pieces->end)
		return;
	pt_rsp_raw(&pieces->answer, raw->bytes + 1, raw->len_bytes - 4);
	pieces->sum = sum_of(raw);
}

/* Quick servers are asked for more at once the next time, slow ones for one after the other. */
static void learn(struct pt_gdb_proxy *p)
{
	struct pt_proxy_pieces *pieces = &p->pieces;

	if (uv_now(p->stub->loop) - pieces->since_ms > BUDGET_MS)
		pieces->ahead = 1;
	else if (pieces->ahead < MAX_AHEAD)
		pieces->ahead *= 2;
}

bool pt_proxy_piece(struct pt_gdb_proxy *p, const struct pt_rsp_raw *raw, struct pt_rsp_raw *whole)
{
	struct pt_proxy_pieces *pieces = &p->pieces;

	pieces->n_out--;
	if (is_read(pieces))
		take_read(pieces, raw);
	else
		take_written(pieces, raw);
	if (is_read(pieces) && uv_now(p->stub->loop) - pieces->since_ms > BUDGET_MS)
		pieces->ended = true;
	ask_on(p);
	if (pieces->n_out > 0 || (!pieces->ended && pieces->next < pieces->end))
		return false;
	learn(p);
	pieces->kind = '\0';
	*whole = (struct pt_rsp_raw){ pieces->answer.bytes, 0 };
	if (pt_rsp_end_with(&pieces->answer, pieces->sum))
		whole->len_bytes = pieces->answer.len_bytes;
	return true;
}

void pt_proxy_pieces_drop(struct pt_proxy_pieces *pieces)
{
	pieces->kind = '\0';
	pieces->n_out = 0;
	pieces->ahead = 1;
}

void pt_proxy_pieces_fini(struct pt_proxy_pieces *pieces)
{
	free(pieces->packet);
	pt_rsp_free(&pieces->answer);
}
