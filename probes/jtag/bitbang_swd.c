/* Wire dap over remote_bitbang: SWD clock by clock. Under overrun detection each transfer has its data phase whatever
 * the acknowledge says, so packets of many transfers go out without waiting for it, and behind one that was not OK
 * the port does nothing more until the flag is cleared.
 *
 * An AP read brings the value of the one before it; what is not fetched so comes by RDBUFF, whose read is put in
 * between.
 * Source: Arm IHI 0031, Serial Wire Debug protocol; letters: OpenOCD, remote_bitbang. */
#include <string.h>

#include "probes/jtag/bitbang.h"
#include "base/util.h"

enum { ACK_OK = 1, ACK_WAIT = 2, ACK_FAULT = 4, ACK_BITS = 3, DATA_BITS = 33, IDLE_CLOCKS = 8 };
enum { RDBUFF = 0xc, ABORT = 0, ORUNERRCLR = 1 << 4 };
enum {
	READ_BYTES = 1 + 16 + 1 + 2 + 9 + 3 * DATA_BITS + 2, WRITE_BYTES = 1 + 16 + 1 + 2 + 9 + 2 + 1 + 2 * DATA_BITS,
	READ_LEVELS = ACK_BITS + DATA_BITS, WRITE_LEVELS = ACK_BITS,
	MOST_TRANSFERS = 2 * PT_DAP_LIST_MOST + 1,
	END_BYTES = 2 * IDLE_CLOCKS + 1,
	MAX_FLIGHTS = 4,
};
_Static_assert((int)READ_BYTES > (int)WRITE_BYTES, "room is counted in reads");

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

static uint8_t request_of(const struct pt_dap_access *access)
{
	unsigned bits = (access->ap ? 1u : 0) | (access->read ? 2u : 0) | (access->a & 0xcu);

	return (uint8_t)(0x81 | bits << 1 | (unsigned)__builtin_parity(bits) << 5);
}

static size_t put_transfer(uint8_t *out, const struct pt_dap_access *access)
{
	size_t n = 0;

	out[n++] = 'O';
	n += put_bits(out + n, request_of(access), 8);
	out[n++] = 'o';
	n += put_bits(out + n, 0, 1);
	n += put_reads(out + n, ACK_BITS);
	if (access->read)
		n += put_reads(out + n, DATA_BITS);
	n += put_bits(out + n, 0, 1);
	if (access->read)
		return n;
	out[n++] = 'O';
	return n + put_bits(out + n, access->value | (uint64_t)__builtin_parity(access->value) << 32, DATA_BITS);
}

static size_t put_idle(uint8_t *out)
{
	out[0] = 'O';
	return 1 + put_bits(out + 1, 0, IDLE_CLOCKS);
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static uint64_t levels(const uint8_t *in, unsigned n)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits |= (uint64_t)(in[i] & 1u) << i;
	return bits;
}

/* The row under way, and how far it is. */
struct row {
	struct pt_bitbang *b;
	const struct pt_dap_access *transfer;
	size_t n, sent, done;
	struct { size_t n, n_reads; } flight[MAX_FLIGHTS];
	unsigned oldest, in_flight;
	unsigned ack;			/* of the first that was not OK; 0: all were */
};

/* Where what this transfer brings goes: an AP read's goes with the next one. */
static uint32_t *place_of(const struct row *row, size_t i)
{
	const struct pt_dap_access *transfer = &row->transfer[i];

	if (!transfer->read)
		return NULL;
	if (!transfer->ap && (transfer->a != RDBUFF || transfer->word != NULL))
		return transfer->word;
	return i > 0 && row->transfer[i - 1].ap && row->transfer[i - 1].read ? row->transfer[i - 1].word : NULL;
}

static int take_transfer(struct row *row, const uint8_t **in, struct pt_err *err)
{
	size_t i = row->done;
	unsigned ack = (unsigned)levels(*in, ACK_BITS);
	uint64_t data = row->transfer[i].read ? levels(*in + ACK_BITS, DATA_BITS) : 0;
	uint32_t *word = place_of(row, i);

	*in += row->transfer[i].read ? READ_LEVELS : WRITE_LEVELS;
	if (row->ack != 0)
		return 0;	/* behind one that was not OK */
	if (ack != ACK_OK) {
		row->ack = ack;
		return 0;
	}
	if ((unsigned)__builtin_parity((uint32_t)data) != data >> 32)
		return pt_fail(err, PT_EPROTO, "bad parity on SWD");
	if (word != NULL)
		*word = (uint32_t)data;
	row->done++;
	return 0;
}

/* --- rows --------------------------------------------------------------------------------------------------------- */

static int send_some(struct row *row, struct pt_err *err)
{
	struct pt_bitbang *b = row->b;
	unsigned at = (row->oldest + row->in_flight) % MAX_FLIGHTS;
	size_t len = 0, n_reads, from = row->sent;
	int rc;

	while (row->sent < row->n && len + READ_BYTES + END_BYTES + 1 <= b->request_bytes)
		len += put_transfer(b->out + len, &row->transfer[row->sent++]);
	if (row->sent == row->n)
		len += put_idle(b->out + len);
	n_reads = pt_bitbang_reads(b->out, len);
	rc = pt_exchange_send(&b->exchange, b->out, pt_bitbang_end_packet(b->out, len), err);
	if (rc < 0)
		return rc;
	row->flight[at].n = row->sent - from;
	row->flight[at].n_reads = n_reads;
	row->in_flight++;
	return 0;
}

static int take_some(struct row *row, struct pt_err *err)
{
	struct pt_bitbang *b = row->b;
	size_t n = row->flight[row->oldest].n, n_reads = row->flight[row->oldest].n_reads;
	const uint8_t *in = b->exchange.in;
	int len = pt_exchange_receive(&b->exchange,
				      pt_link_now_ns(b->exchange.link) + PT_EXCHANGE_ANSWER_MS * PT_NS_PER_MS, err),
	    rc = 0;

	if (len < 0)
		return len;
	row->oldest = (row->oldest + 1) % MAX_FLIGHTS;
	row->in_flight--;
	if (pt_bitbang_check(b, n_reads, (size_t)len, err) < 0)
		return PT_EPROTO;
	for (size_t i = 0; rc == 0 && row->ack == 0 && i < n; i++)
		rc = take_transfer(row, &in, err);
	return rc;
}

/* All from row->done on, or up to one that was not OK; nothing is in flight then. */
static int run_once(struct row *row, struct pt_err *err)
{
	unsigned depth = row->b->port.depth < MAX_FLIGHTS ? row->b->port.depth : MAX_FLIGHTS;
	int rc = 0;

	row->sent = row->done;
	row->ack = 0;
	while (rc == 0 && (row->in_flight > 0 || (row->sent < row->n && row->ack == 0))) {
		while (rc == 0 && row->ack == 0 && row->sent < row->n && row->in_flight < depth)
			rc = send_some(row, err);
		if (rc == 0)
			rc = take_some(row, err);
	}
	return rc;
}

static int judge(unsigned ack, struct pt_err *err)
{
	if (ack == ACK_FAULT)
		return pt_fail(err, PT_EFAULT, "the target answers FAULT");
	if (ack == 7)
		return pt_fail(err, PT_EPROTO, "the target does not answer on SWD");
	return pt_fail(err, PT_EPROTO, "bad acknowledge on SWD (%u)", ack);
}

static int run_transfers(struct pt_bitbang *b, const struct pt_dap_access *transfer, size_t n, uint32_t timeout_ms,
			 struct pt_err *err)
{
	static const struct pt_dap_access clear = { .a = ABORT, .value = ORUNERRCLR };
	uint64_t since_ns = pt_link_now_ns(b->exchange.link);
	struct row row = { .b = b, .transfer = transfer, .n = n };
	int rc = 0;

	while (rc == 0 && row.done < n) {
		size_t was_done = row.done;

		rc = run_once(&row, err);
		if (rc < 0 || row.ack == 0)
			continue;
		if (row.done > was_done)
			since_ns = pt_link_now_ns(b->exchange.link);
		if (row.ack != ACK_WAIT)
			return judge(row.ack, err);
		if (pt_link_now_ns(b->exchange.link) - since_ns >= timeout_ms * PT_NS_PER_MS)
			return pt_fail(err, PT_ETIMEOUT, "the target answers WAIT");
		rc = run_once(&(struct row){ .b = b, .transfer = &clear, .n = 1 }, err);
	}
	return rc;
}

/* With the reads of RDBUFF in between, and one at the end, which also shows what became of a last write. */
static int run_row(void *state, const struct pt_dap_access *access, size_t n, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_dap_access transfer[MOST_TRANSFERS];
	size_t n_transfers = 0;

	for (size_t i = 0; i < n; i++) {
		bool posted = access[i].ap && access[i].read;
		bool fetched = i + 1 < n && access[i + 1].ap && access[i + 1].read;

		transfer[n_transfers++] = access[i];
		if ((posted && !fetched) || (access[i].ap && i + 1 == n))
			transfer[n_transfers++] = (struct pt_dap_access){ .read = true, .a = RDBUFF };
	}
	return run_transfers(state, transfer, n_transfers, timeout_ms, err);
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

static int swd_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err)
{
	struct pt_bitbang *b = state;
	int rc = pt_exchange_settle(&b->exchange, err);

	*n_done = 0;
	return rc < 0 ? rc : pt_dap_list_run(&b->list, ops, n_ops, timeout_ms, n_done, err);
}

static int write_abort(void *state, uint32_t value, struct pt_err *err)
{
	struct pt_bitbang *b = state;
	const struct pt_dap_access access = { .a = ABORT, .value = value };
	int rc = pt_exchange_settle(&b->exchange, err);

	return rc < 0 ? rc : run_transfers(b, &access, 1, 1000, err);
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

/* Line reset, the JTAG-to-SWD switch, line reset, idle: 136 bits. Source: Arm IHI 0031, SWJ-DP select sequences. */
static int swd_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	static const uint8_t jtag_to_swd[17] = {
		0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x9e, 0xe7, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00,
	};

	(void)line;
	return swd_sequence(state, jtag_to_swd, 8 * sizeof(jtag_to_swd), err);
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

static const struct pt_dap_list_ops list_ops = { .run = run_row, .write_abort = write_abort };

void pt_bitbang_swd_init(struct pt_bitbang *b)
{
	b->list = (struct pt_dap_list){ .ops = &list_ops, .state = b, .link = b->exchange.link };
}

const struct pt_dap_ops pt_bitbang_dap_ops = {
	.connect = swd_connect, .run = swd_run, .write_abort = write_abort, .sequence = swd_sequence,
	.set_speed = swd_set_speed, .set_reset = swd_set_reset,
};
