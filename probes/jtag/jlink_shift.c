/* Shifts: bits in two vectors, TMS and TDI, or direction and level of SWDIO; their answer is as long as one of them,
 * with a status behind it.
 *
 * A command or an answer that fills its last USB packet is ended by an empty one on some devices and not on others, so
 * none is of such a length: SWD gets idle clocks more, JTAG some bits fewer.
 *
 * What the target drives is sampled behind the rising edge: the acknowledge begins with the bit of the turnaround. */
#include <string.h>

#include "base/util.h"
#include "probes/jtag/jlink.h"

enum {
	STATUS_NO_MEMORY = 6,
	PAD_BYTES = 3,			/* at most, until a shift has a length that it may have */
	LEVEL_BYTES = 29,		/* of a shift that surely has */
	SAFE_JTAG_BITS = 504,		/* where firmware corrupts longer ones. Source: probe-rs, jlink */
	FIRST_PRODUCT = 0x0101,		/* which does not */
	BLOCK_WORDS = 64,		/* of a shorter block a RDBUFF may spill over */
	LEAST_BITS = 512,
};

/* SWD came when all had the newer command. */
static bool by_old_command(const struct jlink *j)
{
	return j->old_jtag && j->interface == JLINK_JTAG;
}

static size_t status_bytes(const struct jlink *j)
{
	return by_old_command(j) ? 0 : 1;
}

static bool may_be(const struct jlink *j, size_t n_bytes)
{
	return (JLINK_SHIFT_HEAD + 2 * n_bytes) % JLINK_USB_PACKET != 0 &&
	       (n_bytes + status_bytes(j)) % JLINK_USB_PACKET != 0;
}

/* The vectors are where a shift of most_bits has them; move the second behind the first. */
static void put_head(struct jlink *j, uint32_t n_bits, const uint8_t *second)
{
	size_t n_bytes = (n_bits + 7) / 8;

	j->out[0] = by_old_command(j) ? JLINK_SHIFT_2 : JLINK_SHIFT_3;
	j->out[1] = 0;
	pt_put_le16(j->out + 2, (uint16_t)n_bits);
	memmove(j->out + JLINK_SHIFT_HEAD + n_bytes, second, n_bytes);
	j->out_bytes = JLINK_SHIFT_HEAD + 2 * n_bytes;
}

static uint8_t *first_vector(struct jlink *j)
{
	return j->out + JLINK_SHIFT_HEAD;
}

static uint8_t *second_vector(struct jlink *j)
{
	return first_vector(j) + (j->most_bits + 7) / 8;
}

static int send_packed(struct jlink *j, struct pt_err *err)
{
	return pt_exchange_send(&j->exchange, j->out, j->out_bytes, err);
}

/* A device that says too late that it has no memory: shorter ones from now on. */
static int refused(struct jlink *j, size_t n_bytes, unsigned status, struct pt_err *err)
{
	if (status != STATUS_NO_MEMORY) {
		pt_exchange_mistrust(&j->exchange, NULL);
		return pt_fail(err, PT_EPROTO, "the J-Link's shift failed (status %u)", status);
	}
	j->most_bits = 8 * n_bytes / 2 > LEAST_BITS ? (uint32_t)(8 * n_bytes / 2) : LEAST_BITS;
	j->jtag_bits = j->jtag_bits < j->most_bits ? j->jtag_bits : j->most_bits;
	jlink_shift_set_clock(j);
	return pt_fail(err, PT_EPROTO, "the J-Link has no memory for a shift of %zu bytes; shorter ones follow",
		       n_bytes);
}

static int check_status(struct jlink *j, size_t n_bytes, struct pt_err *err)
{
	return by_old_command(j) || j->in[n_bytes] == 0 ? 0 : refused(j, n_bytes, j->in[n_bytes], err);
}

static int receive_shift(struct jlink *j, size_t n_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	int rc = jlink_receive(j, n_bytes + status_bytes(j), deadline_ns, err);

	return rc < 0 ? rc : check_status(j, n_bytes, err);
}

/* --- SWD ---------------------------------------------------------------------------------------------------------- */

static int settle(void *state, struct pt_err *err)
{
	((struct jlink *)state)->selected = false;
	return jlink_settle(state, err);
}

/* With the idle clocks that make it of a length that it may have. */
static uint32_t swd_bits(const struct jlink *j, uint32_t head_bits, size_t n_transfers, bool ends)
{
	uint32_t n_bits = head_bits + (uint32_t)n_transfers * (PT_SWD_TRANSFER_CLOCKS + j->swd.idle_clocks) +
			  (ends ? PT_SWD_IDLE_CLOCKS : 0);

	while (!may_be(j, (n_bits + 7) / 8))
		n_bits += 8;
	return n_bits;
}

/* Transfers that fit a shift. */
static size_t swd_fits(const struct jlink *j, uint32_t max_clocks)
{
	uint32_t most = max_clocks < j->most_bits ? max_clocks : j->most_bits;
	uint32_t ends = PT_SWD_IDLE_CLOCKS + 8 * PAD_BYTES + (j->selects ? PT_SWD_SELECT_BITS : 0);
	uint32_t n = most > ends ? (most - ends) / (PT_SWD_TRANSFER_CLOCKS + j->swd.idle_clocks) : 0;

	return n > 1 ? n : 1;
}

static size_t swd_pack(void *state, const struct pt_dap_access *transfer, size_t n, uint32_t max_clocks)
{
	struct jlink *j = state;
	size_t fits = swd_fits(j, max_clocks), n_packed = n < fits ? n : fits;
	uint32_t head = j->selects ? PT_SWD_SELECT_BITS : 0, at = head;
	uint32_t n_bits = swd_bits(j, head, n_packed, n_packed == n);

	memset(first_vector(j), 0xff, head / 8);
	memcpy(second_vector(j), pt_swd_select, head / 8);
	j->selected |= j->selects;
	j->selects = false;
	for (size_t i = 0; i < n_packed; i++) {
		at += pt_swd_vectors(&transfer[i], first_vector(j), second_vector(j), at);
		at += pt_swd_idle_vectors(j->swd.idle_clocks, first_vector(j), second_vector(j), at);
	}
	pt_swd_idle_vectors(n_bits - at, first_vector(j), second_vector(j), at);
	put_head(j, n_bits, second_vector(j));
	return n_packed;
}

static int swd_send(void *state, struct pt_err *err)
{
	return send_packed(state, err);
}

static int swd_receive(void *state, const struct pt_dap_access *transfer, size_t n, bool ends, uint64_t deadline_ns,
		       struct pt_err *err)
{
	struct jlink *j = state;

	(void)transfer;
	j->at_bit = j->selected ? PT_SWD_SELECT_BITS : 0;
	j->selected = false;
	return receive_shift(j, (swd_bits(j, j->at_bit, n, ends) + 7) / 8, deadline_ns, err);
}

static uint64_t swd_taken(void *state, const struct pt_dap_access *transfer)
{
	struct jlink *j = state;
	uint64_t bits = pt_swd_taken(transfer, j->in, j->at_bit);

	j->at_bit += PT_SWD_TRANSFER_CLOCKS + j->swd.idle_clocks;
	return bits;
}

const struct pt_swd_port_ops jlink_swd_port_ops = {
	.settle = settle, .pack = swd_pack, .send = swd_send, .receive = swd_receive, .taken = swd_taken,
};

/* --- JTAG --------------------------------------------------------------------------------------------------------- */

static size_t jtag_pack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
			uint32_t max_bits, uint32_t *n_bits)
{
	struct jlink *j = state;
	struct pt_jtag_cursor from = *at;
	uint32_t most = max_bits < j->jtag_bits ? max_bits : j->jtag_bits;

	*n_bits = pt_jtag_vectors(ops, n_ops, at, most, first_vector(j), second_vector(j));
	while (!may_be(j, (*n_bits + 7) / 8)) {
		*at = from;
		*n_bits = pt_jtag_vectors(ops, n_ops, at, (*n_bits + 7) / 8 * 8 - 8, first_vector(j), second_vector(j));
	}
	put_head(j, *n_bits, second_vector(j));
	return j->out_bytes;
}

static int jtag_send(void *state, size_t len_bytes, struct pt_err *err)
{
	(void)len_bytes;
	return send_packed(state, err);
}

/* Its length is known where it is unpacked. */
static int jtag_receive(void *state, uint64_t deadline_ns, struct pt_err *err)
{
	struct jlink *j = state;
	int rc = jlink_receive(j, 1, deadline_ns, err);

	return rc < 0 ? rc : (int)j->in_bytes;
}

static int jtag_unpack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		       uint32_t n_bits, size_t len_bytes, struct pt_err *err)
{
	struct jlink *j = state;
	size_t n_bytes = (n_bits + 7) / 8;

	(void)len_bytes;
	if (jlink_ask_more(j, 0, n_bytes + status_bytes(j), err) < 0 || check_status(j, n_bytes, err) < 0)
		return err->code;
	pt_jtag_take(ops, n_ops, at, j->in, n_bits);
	return 0;
}

const struct pt_jtag_port_ops jlink_jtag_port_ops = {
	.settle = settle, .pack = jtag_pack, .send = jtag_send, .receive = jtag_receive, .unpack = jtag_unpack,
};

/* --- the rest ----------------------------------------------------------------------------------------------------- */

int jlink_shift_levels(struct jlink *j, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	int rc = 0;

	for (size_t at = 0; rc == 0 && at < n_bits; at += 8 * LEVEL_BYTES) {
		size_t left = n_bits - at, n = left < 8 * LEVEL_BYTES ? left : 8 * LEVEL_BYTES, n_bytes = (n + 7) / 8;
		uint8_t ones[LEVEL_BYTES];

		memset(ones, 0xff, sizeof(ones));
		if (j->interface == JLINK_SWD) {
			memcpy(first_vector(j), ones, n_bytes);
			put_head(j, (uint32_t)n, bits + at / 8);
		} else {
			memcpy(first_vector(j), bits + at / 8, n_bytes);
			put_head(j, (uint32_t)n, ones);
		}
		rc = jlink_ask(j, j->out, j->out_bytes, n_bytes + status_bytes(j), err);
		if (rc == 0)
			rc = check_status(j, n_bytes, err);
	}
	return rc;
}

/* Two vectors in what is free, but for four bytes; what the link takes; what fits our own buffers. */
static uint32_t longest_shift(const struct jlink *j, uint32_t memory_bytes)
{
	struct pt_link_info info;
	uint64_t bytes = memory_bytes > JLINK_SHIFT_HEAD ? (memory_bytes - JLINK_SHIFT_HEAD) / 2 : 0;

	pt_link_info(j->exchange.link, &info);
	if (bytes > (info.packet_bytes - JLINK_SHIFT_HEAD) / 2)
		bytes = (info.packet_bytes - JLINK_SHIFT_HEAD) / 2;
	return 8 * bytes < JLINK_MOST_BITS ? (uint32_t)(8 * bytes) : JLINK_MOST_BITS;
}

int jlink_shift_init(struct jlink *j, uint32_t memory_bytes, uint32_t jtag_bits, struct pt_err *err)
{
	j->most_bits = longest_shift(j, memory_bytes);
	if (j->most_bits < LEAST_BITS)
		return pt_fail(err, PT_EPROTO, "the J-Link says that it has %u bytes of memory free: too few",
			       memory_bytes);
	if (jtag_bits == 0)
		jtag_bits = j->usb_pid == FIRST_PRODUCT ? JLINK_MOST_BITS : SAFE_JTAG_BITS;
	j->jtag_bits = jtag_bits < j->most_bits ? jtag_bits : j->most_bits;
	return 0;
}

/* A row of transfers is what one shift holds, with a read of RDBUFF now and then. */
void jlink_shift_set_clock(struct jlink *j)
{
	size_t fits;

	j->swd.swclk_hz = j->port.tck_hz = j->hz;
	fits = swd_fits(j, pt_swd_port_max_clocks(&j->swd));
	j->swd.list.most = fits > 2 * BLOCK_WORDS ? fits - fits / BLOCK_WORDS - 1 : fits > 2 ? fits - 1 : 1;
	if (j->swd.list.most > PT_DAP_LIST_MOST)
		j->swd.list.most = PT_DAP_LIST_MOST;
}
