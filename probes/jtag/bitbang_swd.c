/* Wire dap over remote_bitbang: SWD clock by clock, for probes/wires/swd_port.h. Of what the target drives, turnarounds
 * are not read.
 * Source: OpenOCD, remote_bitbang. */
#include <string.h>

#include "probes/jtag/bitbang.h"
#include "base/util.h"

enum {
	TRANSFER_BYTES = 1 + 2 * PT_SWD_REQUEST_BITS + 1 + 2 + 3 * (PT_SWD_ACK_BITS + PT_SWD_DATA_BITS) + 2,
	END_BYTES = 1 + 2 * PT_SWD_IDLE_CLOCKS,
	MOST_REQUESTS = 4,	/* at the server */
};

/* --- transfers as letters ----------------------------------------------------------------------------------------- */

static size_t put_bits(uint8_t *out, uint64_t bits, unsigned n_bits)
{
	for (unsigned i = 0; i < n_bits; i++) {
		uint8_t level = bits >> i & 1;

		*out++ = (uint8_t)('d' + level);
		*out++ = (uint8_t)('f' + level);
	}
	return 2 * (size_t)n_bits;
}

static size_t put_reads(uint8_t *out, unsigned n_bits)
{
	for (unsigned i = 0; i < n_bits; i++, out += 3)
		memcpy(out, "dcf", 3);
	return 3 * (size_t)n_bits;
}

/* The levels of a transfer that are read. */
static unsigned n_levels(const struct pt_dap_access *transfer)
{
	return transfer->read ? PT_SWD_ACK_BITS + PT_SWD_DATA_BITS : PT_SWD_ACK_BITS;
}

static size_t put_transfer(uint8_t *out, const struct pt_dap_access *transfer)
{
	struct pt_swd_span span[PT_SWD_MOST_SPANS];
	size_t n_spans = pt_swd_spans(transfer, span), n = 0;

	for (size_t i = 0; i < n_spans; i++) {
		out[n++] = span[i].drive ? 'O' : 'o';
		if (span[i].drive) {
			n += put_bits(out + n, span[i].bits, span[i].n_bits);
			continue;
		}
		n += put_bits(out + n, 0, 1);
		n += put_reads(out + n, n_levels(transfer));
		n += put_bits(out + n, 0, 1);
	}
	return n;
}

static size_t put_idle(uint8_t *out)
{
	out[0] = 'O';
	return 1 + put_bits(out + 1, 0, PT_SWD_IDLE_CLOCKS);
}

/* --- requests and answers ----------------------------------------------------------------------------------------- */

static int settle(void *state, struct pt_err *err)
{
	return pt_exchange_settle(&((struct pt_bitbang *)state)->exchange, err);
}

static size_t pack(void *state, const struct pt_dap_access *transfer, size_t n, uint32_t max_clocks)
{
	struct pt_bitbang *b = state;
	size_t len = 0, i = 0;

	(void)max_clocks;
	while (i < n && len + TRANSFER_BYTES + END_BYTES + 1 <= b->request_bytes)
		len += put_transfer(b->out + len, &transfer[i++]);
	if (i == n)
		len += put_idle(b->out + len);
	b->swd_bytes = pt_bitbang_end_packet(b->out, len);
	return i;
}

static int send_request(void *state, struct pt_err *err)
{
	struct pt_bitbang *b = state;

	return pt_exchange_send(&b->exchange, b->out, b->swd_bytes, err);
}

static int receive(void *state, const struct pt_dap_access *transfer, size_t n, bool ends, uint64_t deadline_ns,
		   struct pt_err *err)
{
	struct pt_bitbang *b = state;
	int len = pt_exchange_receive(&b->exchange, deadline_ns, err);
	size_t n_reads = 0;

	(void)ends;
	for (size_t i = 0; i < n; i++)
		n_reads += n_levels(&transfer[i]);
	b->levels = b->exchange.in;
	return len < 0 ? len : pt_bitbang_check(b, n_reads, (size_t)len, err);
}

static uint64_t taken(void *state, const struct pt_dap_access *transfer)
{
	struct pt_bitbang *b = state;
	uint64_t bits = 0;

	for (unsigned i = 0; i < n_levels(transfer); i++)
		bits |= (uint64_t)(*b->levels++ & 1u) << i;
	return bits;
}

static const struct pt_swd_port_ops port_ops = {
	.settle = settle, .pack = pack, .send = send_request, .receive = receive, .taken = taken,
};

/* --- the wire ----------------------------------------------------------------------------------------------------- */

static int swd_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err)
{
	return pt_swd_port_run(&((struct pt_bitbang *)state)->swd, ops, n_ops, timeout_ms, n_done, err);
}

static int write_abort(void *state, uint32_t value, struct pt_err *err)
{
	return pt_swd_port_abort(&((struct pt_bitbang *)state)->swd, value, err);
}

static int swd_sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	enum { CHUNK_BITS = 128 };
	struct pt_bitbang *b = state;
	char letters[2 * CHUNK_BITS + 2];
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n_bits; at += CHUNK_BITS) {
		size_t n = n_bits - at < CHUNK_BITS ? n_bits - at : CHUNK_BITS, len = 0;

		letters[len++] = 'O';
		for (size_t i = at; i < at + n; i++)
			len += put_bits((uint8_t *)letters + len, bits[i / 8] >> i % 8 & 1u, 1);
		letters[len] = 0;
		rc = pt_bitbang_ask(b, letters, err);
	}
	return rc;
}

static int swd_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct pt_bitbang *b = state;

	(void)line;
	b->swd.abort = 0;	/* behind a line reset DPIDR is read first */
	return swd_sequence(b, pt_swd_select, PT_SWD_SELECT_BITS, err);
}

static int swd_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	(void)state;
	*hz_used = hz;
	return hz == 0 ? pt_fail(err, PT_EARG, "a clock of 0 Hz") : 0;
}

static int swd_set_reset(void *state, bool asserted, struct pt_err *err)
{
	return pt_bitbang_ask(state, asserted ? "s" : "r", err);
}

void pt_bitbang_swd_init(struct pt_bitbang *b)
{
	b->swd = (struct pt_swd_port){
		.ops = &port_ops, .state = b, .link = b->exchange.link,
		.depth = b->port.depth < MOST_REQUESTS ? b->port.depth : MOST_REQUESTS,
	};
	pt_swd_port_init(&b->swd);
}

const struct pt_dap_ops pt_bitbang_dap_ops = {
	.connect = swd_connect, .run = swd_run, .write_abort = write_abort, .sequence = swd_sequence,
	.set_speed = swd_set_speed, .set_reset = swd_set_reset,
};
