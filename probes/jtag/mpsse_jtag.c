/* Wire jtag over MPSSE: the pieces of probes/wires/jtag_batch.h as opcodes. Clocks that walk from state to state go as
 * bits of TMS, up to seven in an opcode, which is where the last bit of a scan goes, too: TDI is the same in all of
 * them, but counts in that one alone. Bits that are shifted go as bytes, and what is left over as bits.
 *
 * Requests and answers are made by one walk over the pieces, so that they agree on where each bit is.
 * Source: FTDI AN_108. */
#include <string.h>

#include "base/util.h"
#include "probes/jtag/mpsse.h"

enum {
	MOST_TMS = 6,		/* of 7: old chips have a glitch at the seventh when TDI changes */
	WALK_CLOCKS = 2 * MOST_TMS,	/* more of them in a state go as clocks without data */
	PIECE_BYTES = 16,	/* of opcodes around the data of a piece */
};

/* One opcode of TMS that is not put yet. */
struct steps {
	uint8_t tms, n;
	bool tdi, tdi_counts;
	bool takes;			/* its bit takes_at is wanted */
	unsigned takes_at;
	struct pt_jtag_cursor from;	/* of that bit */
};

struct walk {
	struct pt_mpsse *m;
	bool packs;			/* else it unpacks */
	const struct pt_jtag_op *ops;
	size_t n_ops;
	struct steps steps;
	size_t in_at;			/* of the answer */
};

static void take_steps(struct walk *w, const struct steps *s)
{
	uint8_t bit = w->m->in[w->in_at++] >> (8 - s->n + s->takes_at) & 1;
	struct pt_jtag_cursor from = s->from;

	pt_jtag_take(w->ops, w->n_ops, &from, &bit, 1);
}

static void put_steps(struct walk *w)
{
	const struct steps s = w->steps;

	w->steps = (struct steps){ 0 };
	if (s.n == 0)
		return;
	if (!w->packs) {
		if (s.takes)
			take_steps(w, &s);
		return;
	}
	mpsse_put(w->m, s.takes ? MPSSE_TMS_IN : MPSSE_TMS);
	mpsse_put(w->m, s.n - 1);
	mpsse_put(w->m, (uint8_t)(s.tms | (s.tdi ? 0x80 : 0)));
	w->m->n_answer += s.takes;
}

static bool out_bit(const struct pt_jtag_piece *piece)
{
	return piece->out == NULL || (piece->out[piece->at_bit / 8] >> piece->at_bit % 8 & 1) != 0;
}

static void step(struct walk *w, const struct pt_jtag_piece *piece, struct pt_jtag_cursor from)
{
	struct steps *s = &w->steps;

	if (s->n == MOST_TMS || (s->tdi_counts && piece->shifts))
		put_steps(w);
	if (piece->shifts) {
		s->tdi = out_bit(piece);
		s->tdi_counts = true;
		s->takes = piece->in != NULL;
		s->takes_at = s->n;
		s->from = from;
	}
	s->tms |= (uint8_t)(piece->tms << s->n);
	s->n++;
}

/* --- shifts ------------------------------------------------------------------------------------------------------- */

static void put_shift(struct pt_mpsse *m, const struct pt_jtag_piece *piece)
{
	uint32_t n_bytes = piece->n_bits / 8, rest = piece->n_bits % 8;
	bool takes = piece->in != NULL;

	if (n_bytes > 0) {
		mpsse_put(m, takes ? MPSSE_BOTH_BYTES : MPSSE_OUT_BYTES);
		mpsse_put(m, (uint8_t)(n_bytes - 1));
		mpsse_put(m, (uint8_t)((n_bytes - 1) >> 8));
		pt_jtag_copy_bits(m->out + m->n_out, 0, piece->out, piece->at_bit, 8 * n_bytes);
		m->n_out += n_bytes;
	}
	if (rest > 0) {
		mpsse_put(m, takes ? MPSSE_BOTH_BITS : MPSSE_OUT_BITS);
		mpsse_put(m, (uint8_t)(rest - 1));
		m->out[m->n_out] = 0;
		pt_jtag_copy_bits(m->out + m->n_out++, 0, piece->out, piece->at_bit + 8 * n_bytes, rest);
	}
	m->n_answer += takes ? n_bytes + (rest > 0) : 0;
}

/* The bits of the last byte are at its top. */
static void take_shift(struct walk *w, const struct pt_jtag_piece *piece, struct pt_jtag_cursor from)
{
	uint32_t n_bytes = piece->n_bits / 8, rest = piece->n_bits % 8;
	uint8_t *in = w->m->in + w->in_at;

	if (piece->in == NULL)
		return;
	if (rest > 0)
		in[n_bytes] >>= 8 - rest;
	pt_jtag_take(w->ops, w->n_ops, &from, in, piece->n_bits);
	w->in_at += n_bytes + (rest > 0);
}

/* TMS is low already, as it is in each state that one may stay in. */
static void put_clocks(struct pt_mpsse *m, uint32_t n)
{
	for (uint32_t n_bytes; n >= 8; n -= 8 * n_bytes) {
		n_bytes = n / 8 < 65536 ? n / 8 : 65536;
		mpsse_put(m, MPSSE_CLOCK_BYTES);
		mpsse_put(m, (uint8_t)(n_bytes - 1));
		mpsse_put(m, (uint8_t)((n_bytes - 1) >> 8));
	}
	if (n > 0) {
		mpsse_put(m, MPSSE_CLOCK_BITS);
		mpsse_put(m, (uint8_t)(n - 1));
	}
}

static void walk_piece(struct walk *w, const struct pt_jtag_piece *piece, struct pt_jtag_cursor from)
{
	bool shifts = piece->shifts && !piece->tms;

	if (!shifts && (piece->tms || piece->n_bits <= WALK_CLOCKS)) {
		for (uint32_t i = 0; i < piece->n_bits; i++)
			step(w, piece, from);
		return;
	}
	put_steps(w);
	if (!w->packs && shifts)
		take_shift(w, piece, from);
	else if (w->packs && (shifts || !w->m->chip->fast))
		put_shift(w->m, piece);
	else if (w->packs)
		put_clocks(w->m, piece->n_bits);
}

/* --- requests and answers ----------------------------------------------------------------------------------------- */

/* Bits of one more piece that are sure to fit. */
static uint32_t room_bits(const struct pt_mpsse *m)
{
	size_t used = m->n_out + 2 * PIECE_BYTES;

	return used < m->request_bytes ? (uint32_t)(8 * (m->request_bytes - used)) : 0;
}

/* A piece is cut only where the request ends, so that the answer is cut in the same places. */
static size_t pack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		   uint32_t max_bits, uint32_t *n_bits)
{
	struct pt_mpsse *m = state;
	struct walk w = { .m = m, .packs = true, .ops = ops, .n_ops = n_ops };
	struct pt_jtag_piece piece = { 0 };
	uint32_t most = 0;

	mpsse_begin(m);
	*n_bits = 0;
	do {
		struct pt_jtag_cursor from = *at;

		most = room_bits(m) < max_bits - *n_bits ? room_bits(m) : max_bits - *n_bits;
		if (most == 0 || !pt_jtag_next(ops, n_ops, at, most, &piece))
			break;
		walk_piece(&w, &piece, from);
		*n_bits += piece.n_bits;
	} while (piece.n_bits < most);
	put_steps(&w);
	if (m->n_answer == 0)
		mpsse_put_read(m);
	return m->n_out;
}

static int send_request(void *state, size_t len_bytes, struct pt_err *err)
{
	(void)len_bytes;
	return mpsse_send(state, err);
}

static int receive(void *state, uint64_t deadline_ns, struct pt_err *err)
{
	return mpsse_receive(state, deadline_ns, err);
}

static int unpack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t n_bits,
		  size_t len_bytes, struct pt_err *err)
{
	struct walk w = { .m = state, .ops = ops, .n_ops = n_ops };
	struct pt_jtag_piece piece;

	(void)len_bytes, (void)err;	/* the answer has the length that it should have */
	for (uint32_t n = 0; n < n_bits; n += piece.n_bits) {
		struct pt_jtag_cursor from = *at;

		pt_jtag_next(ops, n_ops, at, n_bits - n, &piece);
		walk_piece(&w, &piece, from);
	}
	put_steps(&w);
	return 0;
}

static int settle(void *state, struct pt_err *err)
{
	return mpsse_settle(state, err);
}

static const struct pt_jtag_port_ops port_ops = {
	.settle = settle, .pack = pack, .send = send_request, .receive = receive, .unpack = unpack,
};

/* --- the wire ----------------------------------------------------------------------------------------------------- */

/* RTCK that never comes looks like a chip that does not answer. */
static int said_of_rtck(const struct pt_mpsse *m, int rc, struct pt_err *err)
{
	if (rc != PT_ETIMEOUT || !m->adaptive)
		return rc;
	return pt_fail(
		err, PT_EUNSUPPORTED,
		"TCK stands still: adaptive clocking waits for RTCK at ADBUS7, which does not follow; without that "
		"line: adaptive=off");
}

/* The port may have been left in SWD. */
static int leave_swd(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = mpsse_settle(m, err);

	mpsse_begin(m);
	mpsse_put_pins(m);
	for (uint32_t at = 0; at < PT_SWD_LEAVE_BITS; at += MOST_TMS) {
		uint32_t n = PT_SWD_LEAVE_BITS - at < MOST_TMS ? PT_SWD_LEAVE_BITS - at : MOST_TMS;
		uint8_t levels = 0x80;	/* TDI */

		for (uint32_t i = 0; i < n; i++)
			levels |= (uint8_t)((pt_swd_leave[(at + i) / 8] >> (at + i) % 8 & 1) << i);
		mpsse_put(m, MPSSE_TMS);
		mpsse_put(m, (uint8_t)(n - 1));
		mpsse_put(m, levels);
	}
	mpsse_put_read(m);
	return rc < 0 ? rc : mpsse_ask(m, err);
}

static int jtag_connect(void *state, struct pt_err *err)
{
	struct pt_mpsse *m = state;
	int rc;

	m->pins = (uint16_t)((m->layout.value & ~(MPSSE_TCK | MPSSE_TDI)) | MPSSE_TMS_PIN);
	m->outputs = m->layout.direction | MPSSE_TCK | MPSSE_TDI | MPSSE_TMS_PIN;
	rc = leave_swd(m, err);
	return said_of_rtck(m, rc < 0 ? rc : pt_jtag_port_reset(&m->jtag, err), err);
}

static int jtag_run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	struct pt_mpsse *m = state;

	return said_of_rtck(m, pt_jtag_port_run(&m->jtag, ops, n_ops, timeout_ms, n_done, err), err);
}

static int jtag_set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	struct pt_mpsse *m = state;
	const struct pt_mpsse_layout *layout = &m->layout;

	if (!pt_mpsse_signal_exists(&layout->nsrst) && !pt_mpsse_signal_exists(&layout->ntrst))
		return mpsse_no_reset(m, "nsrst or ntrst", err);
	pt_mpsse_signal_set(&layout->ntrst, trst ? PT_MPSSE_LOW : PT_MPSSE_RELEASED, &m->pins, &m->outputs);
	pt_mpsse_signal_set(&layout->nsrst, srst ? PT_MPSSE_LOW : PT_MPSSE_RELEASED, &m->pins, &m->outputs);
	m->jtag.lost |= trst;
	return mpsse_set_pins(m, err);
}

void mpsse_jtag_init(struct pt_mpsse *m)
{
	m->jtag.ops = &port_ops;
	m->jtag.state = m;
	m->jtag.link = m->link;
	m->jtag.tck_hz = m->hz;
	m->jtag.lost = true;
}

const struct pt_jtag_ops mpsse_jtag_ops = {
	.connect = jtag_connect, .run = jtag_run, .set_speed = mpsse_set_speed, .set_reset = jtag_set_reset,
};
