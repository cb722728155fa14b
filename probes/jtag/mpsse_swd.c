/* Wire dap over MPSSE: SWD as shifts, for probes/wires/swd_port.h. What the host drives is shifted out at TDI, also
 * across transfers, as one run; then SWDIO is turned around, which takes an opcode in front of each direction, and none
 * where a resistor lets the target win.
 * Sources: FTDI AN_108; the wiring of TDI and TDO to SWDIO: the interface files of OpenOCD 0.12. */
#include <string.h>

#include "base/util.h"
#include "probes/jtag/mpsse.h"

enum {
	READ_BYTES = PT_SWD_READ_IN_BITS / 8, READ_REST = PT_SWD_READ_IN_BITS % 8,
	MOST_RUN_BITS = PT_SWD_DATA_BITS + 255 + PT_SWD_REQUEST_BITS,	/* with idle clocks between them */
	TRANSFER_BYTES = 6 + MOST_RUN_BITS / 8 + 6 + 5 + 6,		/* a run of any length, turns, shifts in */
	END_BYTES = 6 + PT_SWD_IDLE_CLOCKS / 8 + 1 + MOST_RUN_BITS / 8 + 2,
};

/* --- requests ----------------------------------------------------------------------------------------------------- */

/* What the host drives next and has not put into the request yet. */
struct run {
	uint8_t bits[MOST_RUN_BITS / 8 + 8];
	uint32_t n;
};

static void add_to_run(struct run *run, uint64_t bits, uint32_t n_bits)
{
	uint8_t bytes[8];

	pt_put_le64(bytes, bits);
	pt_jtag_copy_bits(run->bits, run->n, bytes, 0, n_bits);
	run->n += n_bits;
}

static void add_idle(struct run *run, uint32_t n_clocks)
{
	for (uint32_t n; n_clocks > 0; n_clocks -= n) {
		n = n_clocks < 32 ? n_clocks : 32;
		add_to_run(run, 0, n);
	}
}

static void put_run(struct pt_mpsse *m, struct run *run)
{
	mpsse_put_out(m, run->bits, run->n);
	run->n = 0;
}

static void put_in(struct pt_mpsse *m, bool read)
{
	mpsse_put_all(m, m->release, m->n_release);
	if (read) {
		mpsse_put(m, MPSSE_IN_BYTES);
		mpsse_put(m, READ_BYTES - 1);
		mpsse_put(m, 0);
	}
	mpsse_put(m, MPSSE_IN_BITS);
	mpsse_put(m, (read ? READ_REST : PT_SWD_WRITE_IN_BITS) - 1);
	mpsse_put_all(m, m->drive, m->n_drive);
}

static void put_transfer(struct pt_mpsse *m, const struct pt_dap_access *transfer, struct run *run)
{
	struct pt_swd_span span[PT_SWD_MOST_SPANS];
	size_t n = pt_swd_spans(transfer, span);

	for (size_t i = 0; i < n; i++) {
		if (span[i].drive) {
			add_to_run(run, span[i].bits, span[i].n_bits);
			continue;
		}
		put_run(m, run);
		put_in(m, transfer->read);
	}
	add_idle(run, m->swd.idle_clocks);
}

static size_t answer_bytes(const struct pt_dap_access *transfer)
{
	return transfer->read ? READ_BYTES + 1 : 1;
}

static size_t pack(void *state, const struct pt_dap_access *transfer, size_t n, uint32_t max_clocks)
{
	struct pt_mpsse *m = state;
	uint32_t each = PT_SWD_TRANSFER_CLOCKS + m->swd.idle_clocks;
	struct run run = { .n = 0 };
	size_t i = 0;

	mpsse_begin(m);
	do {
		m->n_answer += answer_bytes(&transfer[i]);
		put_transfer(m, &transfer[i++], &run);
	} while (i < n && (i + 1) * each <= max_clocks && m->n_out + TRANSFER_BYTES + END_BYTES <= m->request_bytes);
	if (i == n)
		add_idle(&run, PT_SWD_IDLE_CLOCKS);
	put_run(m, &run);
	return i;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static int settle(void *state, struct pt_err *err)
{
	return mpsse_settle(state, err);
}

static int send_request(void *state, struct pt_err *err)
{
	return mpsse_send(state, err);
}

static int receive(void *state, const struct pt_dap_access *transfer, size_t n, bool ends, uint64_t deadline_ns,
		   struct pt_err *err)
{
	struct pt_mpsse *m = state;
	int rc = mpsse_receive(m, deadline_ns, err);

	(void)transfer, (void)n, (void)ends;
	m->taken_at = 0;
	return rc < 0 ? rc : 0;
}

/* The bits of a shift that is no whole byte are at its top. */
static uint64_t taken(void *state, const struct pt_dap_access *transfer)
{
	struct pt_mpsse *m = state;
	const uint8_t *in = m->in + m->taken_at;

	m->taken_at += answer_bytes(transfer);
	if (!transfer->read)
		return in[0] >> (8 - PT_SWD_WRITE_IN_BITS);
	return pt_le32(in) | (uint64_t)(in[READ_BYTES] >> (8 - READ_REST)) << 8 * READ_BYTES;
}

static const struct pt_swd_port_ops port_ops = {
	.settle = settle, .pack = pack, .send = send_request, .receive = receive, .taken = taken,
};

/* --- pins --------------------------------------------------------------------------------------------------------- */

static size_t put_change(uint8_t *to, uint8_t op, uint16_t pins, uint16_t outputs, bool changes)
{
	if (!changes)
		return 0;
	to[0] = op;
	to[1] = (uint8_t)pins;
	to[2] = (uint8_t)outputs;
	return 3;
}

/* The opcodes to these pins, for the bytes in which the two directions differ. */
static size_t put_turn(uint8_t *to, const uint16_t pins[2], const uint16_t outputs[2], unsigned which)
{
	unsigned differ = (pins[0] ^ pins[1]) | (outputs[0] ^ outputs[1]);
	size_t n = put_change(to, MPSSE_SET_HIGH, pins[which] >> 8, outputs[which] >> 8, (differ >> 8) != 0);

	return n + put_change(to + n, MPSSE_SET_LOW, pins[which] & 0xff, outputs[which] & 0xff, (differ & 0xff) != 0);
}

void mpsse_swd_turns(struct pt_mpsse *m)
{
	uint16_t pins[2] = { m->pins, m->pins }, outputs[2] = { m->outputs, m->outputs };

	if (m->layout.swd == PT_MPSSE_SWD_BUFFERED) {
		pt_mpsse_signal_set(&m->layout.swdio_oe, PT_MPSSE_LOW, &pins[0], &outputs[0]);
		pt_mpsse_signal_set(&m->layout.swdio_oe, PT_MPSSE_HIGH, &pins[1], &outputs[1]);
	} else if (!m->resistor) {
		outputs[0] &= (uint16_t)~MPSSE_TDI;
	}
	m->n_release = put_turn(m->release, pins, outputs, 0);
	m->n_drive = put_turn(m->drive, pins, outputs, 1);
}

/* TMS is in the way of SWDIO on adapters that have both, unless it is what turns a buffer around. */
static void set_pins_for_swd(struct pt_mpsse *m)
{
	const struct pt_mpsse_layout *layout = &m->layout;

	m->pins = layout->value & (uint16_t)~(MPSSE_TCK | MPSSE_TDI);
	m->outputs = (uint16_t)((layout->direction & ~MPSSE_TMS_PIN) | MPSSE_TCK | MPSSE_TDI);
	if (layout->swd == PT_MPSSE_SWD_BUFFERED) {
		pt_mpsse_signal_set(&layout->swd_en, PT_MPSSE_HIGH, &m->pins, &m->outputs);
		pt_mpsse_signal_set(&layout->swdio_oe, PT_MPSSE_HIGH, &m->pins, &m->outputs);
	}
	mpsse_swd_turns(m);
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

static int swd_sequence(void *state, const uint8_t *bits, size_t n_bits, struct pt_err *err)
{
	enum { CHUNK_BITS = 8 * 1024 };
	struct pt_mpsse *m = state;
	int rc = pt_swd_port_flush(&m->swd, err);

	if (rc == 0)
		rc = mpsse_settle(m, err);
	for (size_t at = 0; rc == 0 && at < n_bits; at += CHUNK_BITS) {
		mpsse_begin(m);
		mpsse_put_out(m, bits + at / 8, (uint32_t)(n_bits - at < CHUNK_BITS ? n_bits - at : CHUNK_BITS));
		mpsse_put_read(m);
		rc = mpsse_ask(m, err);
		rc = rc < 0 ? rc : 0;
	}
	return rc;
}

static int judge_wiring(uint8_t low, uint8_t high, struct pt_err *err)
{
	if ((low & MPSSE_TDO) != 0)
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"ADBUS2 of the FTDI adapter does not follow ADBUS1: for SWD both are connected to SWDIO, "
			"ADBUS2 (TDO) directly and ADBUS1 (TDI) directly or by 220 to 470 ohm; where the adapter has "
			"buffers in between, layout=NAME says which it is; for a JTAG cable: transport=jtag");
	if ((high & MPSSE_TDO) == 0)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "SWDIO stays low at ADBUS2 of the FTDI adapter: the target has no power, or the line is "
			       "shorted to ground");
	return 0;
}

/* SWDIO low and high, as ADBUS2 sees it, and the way to SWD. */
static int select_swd(struct pt_mpsse *m, struct pt_err *err)
{
	int rc = mpsse_settle(m, err);

	mpsse_begin(m);
	mpsse_put_pins(m);
	mpsse_put_read(m);
	mpsse_put(m, MPSSE_SET_LOW);
	mpsse_put(m, (uint8_t)(m->pins | MPSSE_TDI));
	mpsse_put(m, (uint8_t)m->outputs);
	mpsse_put_read(m);
	mpsse_put_out(m, pt_swd_select, PT_SWD_SELECT_BITS);
	if (rc == 0)
		rc = mpsse_ask(m, err);
	return rc < 0 ? rc : judge_wiring(m->in[0], m->in[1], err);
}

/* A target that was in the middle of an answer drives SWDIO; the line reset has ended that. */
static int swd_connect(void *state, enum pt_dap_line line, struct pt_err *err)
{
	struct pt_mpsse *m = state;
	int rc;

	(void)line;
	if (m->layout.swd == PT_MPSSE_NO_SWD)
		return pt_fail(err, PT_EUNSUPPORTED, "an FTDI adapter of layout %s has no SWD: transport=jtag",
			       m->layout.name);
	set_pins_for_swd(m);
	m->swd.abort = 0;		/* behind a line reset DPIDR is read first */
	rc = select_swd(m, err);
	return rc == PT_EUNSUPPORTED ? select_swd(m, err) : rc;
}

static int swd_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		   struct pt_err *err)
{
	return pt_swd_port_run(&((struct pt_mpsse *)state)->swd, ops, n_ops, timeout_ms, n_done, err);
}

static int write_abort(void *state, uint32_t value, struct pt_err *err)
{
	return pt_swd_port_abort(&((struct pt_mpsse *)state)->swd, value, err);
}

static int swd_set_reset(void *state, bool asserted, struct pt_err *err)
{
	struct pt_mpsse *m = state;

	if (!pt_mpsse_signal_exists(&m->layout.nsrst))
		return mpsse_no_reset(m, "nsrst", err);
	pt_mpsse_signal_set(&m->layout.nsrst, asserted ? PT_MPSSE_LOW : PT_MPSSE_RELEASED, &m->pins, &m->outputs);
	mpsse_swd_turns(m);
	return mpsse_set_pins(m, err);
}

void mpsse_swd_init(struct pt_mpsse *m)
{
	m->swd.ops = &port_ops;
	m->swd.state = m;
	m->swd.link = m->link;
	m->swd.ack_offset = 1;
	m->swd.swclk_hz = m->hz;
	m->swd.defers_abort = true;
	pt_swd_port_init(&m->swd);
	m->swd.list.most = PT_DAP_LIST_MOST;
}

const struct pt_dap_ops mpsse_dap_ops = {
	.connect = swd_connect, .run = swd_run, .write_abort = write_abort, .sequence = swd_sequence,
	.set_speed = mpsse_set_speed, .set_reset = swd_set_reset,
};
