/* OpenOCD's remote_bitbang: wire jtag over a server that sets pins by letters and answers the letters that read one. A
 * clock is two letters, and a third where TDO is wanted; what is written while nothing is read costs no round trip.
 *
 * Each packet makes one answer, so one without a read gets one at its end. An answer of QUESTION letters is only ever
 * to the question that finds back into step.
 *
 * Source: OpenOCD, remote_bitbang. */
#include <stdio.h>
#include <string.h>

#include "probes/jtag/bitbang.h"
#include "probes/jtag/jtag_stream.h"
#include "base/util.h"

enum {
	MAX_BITS = (PT_BITBANG_MOST_BYTES - 2) / 3,	/* of a packet, should each be read */
	LEAST_BYTES = 320,		/* two transfers of SWD, or a line reset */
	QUESTION = 3,
};

/* --- framing ------------------------------------------------------------------------------------------------------ */

static bool reads(uint8_t letter)
{
	return letter == 'R' || letter == 'c';
}

size_t pt_bitbang_reads(const uint8_t *request, size_t len_bytes)
{
	size_t n = 0;

	for (size_t i = 0; i < len_bytes; i++)
		n += reads(request[i]);
	return n;
}

const struct pt_framing pt_bitbang_framing = { .protocol = "remote_bitbang", .port = 0,
					       .answer_bytes = pt_bitbang_reads };

static size_t question(uint8_t *out)
{
	memset(out, 'R', QUESTION);
	return QUESTION;
}

static bool are_levels(const uint8_t *in, size_t n_in)
{
	for (size_t i = 0; i < n_in; i++)
		if (in[i] != '0' && in[i] != '1')
			return false;
	return true;
}

static bool answers(const uint8_t *in, size_t n_in)
{
	return n_in == QUESTION && are_levels(in, n_in);
}

size_t pt_bitbang_end_packet(uint8_t *out, size_t len_bytes)
{
	size_t n = pt_bitbang_reads(out, len_bytes);

	if (n == 0 || n == QUESTION)
		out[len_bytes++] = 'R';
	return len_bytes;
}

int pt_bitbang_check(struct pt_bitbang *b, size_t n_reads, size_t len_bytes, struct pt_err *err)
{
	if (len_bytes == n_reads + (n_reads == 0 || n_reads == QUESTION) && are_levels(b->exchange.in, len_bytes))
		return 0;
	pt_exchange_mistrust(&b->exchange, NULL);
	return pt_fail(err, PT_EPROTO, "the remote_bitbang server answered with %zu letters that do not fit",
		       len_bytes);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

static int settle(void *state, struct pt_err *err)
{
	return pt_exchange_settle(&((struct pt_bitbang *)state)->exchange, err);
}

/* TDO is read while the clock is low. */
static size_t put_clock(uint8_t *out, bool tms, unsigned tdi, bool read)
{
	size_t n = 0;

	out[n++] = (uint8_t)('0' + (tms ? 2 : 0) + tdi);
	if (read)
		out[n++] = 'R';
	out[n++] = (uint8_t)('4' + (tms ? 2 : 0) + tdi);
	return n;
}

static unsigned tdi_of(const struct pt_jtag_piece *piece, uint32_t i)
{
	uint32_t at = piece->at_bit + i;

	return piece->out == NULL ? 1 : piece->out[at / 8] >> at % 8 & 1;
}

static size_t pack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		   uint32_t max_bits, uint32_t *n_bits)
{
	struct pt_bitbang *b = state;
	uint32_t most = max_bits < b->most_bits ? max_bits : b->most_bits;
	struct pt_jtag_piece piece;
	size_t len = 0;

	*n_bits = 0;
	while (*n_bits < most && pt_jtag_next(ops, n_ops, at, most - *n_bits, &piece)) {
		for (uint32_t i = 0; i < piece.n_bits; i++)
			len += put_clock(b->out + len, piece.tms, tdi_of(&piece, i), piece.in != NULL);
		*n_bits += piece.n_bits;
	}
	return pt_bitbang_end_packet(b->out, len);
}

static int send_request(void *state, size_t len_bytes, struct pt_err *err)
{
	struct pt_bitbang *b = state;

	return pt_exchange_send(&b->exchange, b->out, len_bytes, err);
}

static int receive(void *state, uint64_t deadline_ns, struct pt_err *err)
{
	return pt_exchange_receive(&((struct pt_bitbang *)state)->exchange, deadline_ns, err);
}

/* What the bits of a packet want of its answer: first counted, so that nothing is written from one
 * that does not fit. */
static size_t wanted_reads(const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor at, uint32_t n_bits)
{
	struct pt_jtag_piece piece;
	size_t n = 0;

	for (uint32_t i = 0; i < n_bits && pt_jtag_next(ops, n_ops, &at, n_bits - i, &piece); i += piece.n_bits)
		n += piece.in != NULL ? piece.n_bits : 0;
	return n;
}

static int unpack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t n_bits,
		  size_t len_bytes, struct pt_err *err)
{
	struct pt_bitbang *b = state;
	size_t wanted = wanted_reads(ops, n_ops, *at, n_bits), taken = 0;
	struct pt_jtag_piece piece;
	uint8_t tdo[MAX_BITS / 8 + 1];

	if (pt_bitbang_check(b, wanted, len_bytes, err) < 0)
		return PT_EPROTO;
	for (uint32_t n = 0; n < n_bits; n += piece.n_bits) {
		struct pt_jtag_cursor from = *at;

		pt_jtag_next(ops, n_ops, at, n_bits - n, &piece);
		if (piece.in == NULL)
			continue;
		memset(tdo, 0, sizeof(tdo));
		for (uint32_t i = 0; i < piece.n_bits; i++)
			tdo[i / 8] |= (uint8_t)((b->exchange.in[taken++] & 1u) << i % 8);
		pt_jtag_take(ops, n_ops, &from, tdo, piece.n_bits);
	}
	return 0;
}

static const struct pt_jtag_port_ops port_ops = {
	.settle = settle, .pack = pack, .send = send_request, .receive = receive, .unpack = unpack,
};

/* --- the probe ---------------------------------------------------------------------------------------------------- */

int pt_bitbang_ask(struct pt_bitbang *b, const char *letters, struct pt_err *err)
{
	size_t len = strlen(letters), n_reads;
	int n;

	memcpy(b->out, letters, len);
	n_reads = pt_bitbang_reads(b->out, len);
	n = pt_exchange_ask(&b->exchange, b->out, pt_bitbang_end_packet(b->out, len), 0, err);
	return n < 0 ? n : pt_bitbang_check(b, n_reads, (size_t)n, err);
}

/* The protocol has no clock: how fast a server is shows only in its answers. */
static int bitbang_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_bitbang *b = state;
	struct pt_link_info info;

	pt_link_info(link, &info);
	b->request_bytes = info.packet_bytes < PT_BITBANG_MOST_BYTES ? info.packet_bytes : PT_BITBANG_MOST_BYTES;
	if (b->request_bytes < LEAST_BYTES)
		return pt_fail(err, PT_EARG, "packets of %zu bytes are too short for remote_bitbang",
			       info.packet_bytes);
	b->most_bits = (uint32_t)(b->request_bytes - 2) / 3;
	b->exchange = (struct pt_exchange){ .link = link, .name = "bitbang", .question = question, .answers = answers };
	b->port = (struct pt_jtag_port){
		.ops = &port_ops, .state = b, .link = link, .lost = true,
	};
	pt_jtag_port_set_depth(&b->port, &info, settings);
	pt_bitbang_swd_init(b);
	return pt_bitbang_ask(b, "rRR", err);	/* no reset asserted; and does it answer at all? */
}

static void bitbang_close(void *state)
{
	(void)state;	/* the server frees the pins when the connection ends */
}

static void bitbang_info(void *state, struct pt_probe_info *out)
{
	const struct pt_bitbang *b = state;

	out->packet_bytes = b->request_bytes;
	out->packet_count = b->port.depth;
}

/* The port may have been left in SWD. The letters are those of JTAG: servers without SWD know no others. */
static int jtag_connect(void *state, struct pt_err *err)
{
	struct pt_bitbang *b = state;
	char letters[2 * PT_SWD_LEAVE_BITS + 1];
	size_t len = 0;

	for (size_t i = 0; i < PT_SWD_LEAVE_BITS; i++)
		len += put_clock((uint8_t *)letters + len, (pt_swd_leave[i / 8] >> i % 8 & 1) != 0, 1, false);
	letters[len] = 0;
	return pt_bitbang_ask(b, letters, err) < 0 ? err->code : pt_jtag_port_reset(&b->port, err);
}

static int jtag_run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	return pt_jtag_port_run(&((struct pt_bitbang *)state)->port, ops, n_ops, timeout_ms, n_done, err);
}

static int jtag_set_speed(void *state, uint32_t hz, uint32_t *hz_used, struct pt_err *err)
{
	(void)state;
	*hz_used = hz;
	return hz == 0 ? pt_fail(err, PT_EARG, "a clock of 0 Hz") : 0;
}

static int jtag_set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	struct pt_bitbang *b = state;
	const char letters[2] = { (char)('r' + (trst ? 2 : 0) + (srst ? 1 : 0)), 0 };
	int rc = pt_bitbang_ask(b, letters, err);

	b->port.lost |= trst;
	return rc;
}

static const struct pt_jtag_ops jtag_ops = {
	.connect = jtag_connect, .run = jtag_run, .set_speed = jtag_set_speed, .set_reset = jtag_set_reset,
};

const struct pt_probe_ops pt_bitbang_ops = {
	.name = "bitbang",
	.help = "a server of OpenOCD's remote_bitbang: simulators, pins of a small computer",
	.address = "bitbang:HOST:PORT",
	.framing = &pt_bitbang_framing,
	.state_bytes = sizeof(struct pt_bitbang),
	.open = bitbang_open,
	.close = bitbang_close,
	.info = bitbang_info,
	.dap = &pt_bitbang_dap_ops,
	.jtag = &jtag_ops,
	.jtag_first = true,
};
