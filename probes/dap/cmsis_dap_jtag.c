/* Wire jtag of a CMSIS-DAP probe: clocks go as DAP_JTAG_Sequence, up to 64 with one TMS each; TDO is asked for only
 * where an operation reads it, or near to that. Neighbours with the same TMS share a sequence, whatever operations
 * they are of.
 * Source: CMSIS-DAP 2.x reference, Commands. */
#include <string.h>

#include "probes/dap/cmsis_dap.h"
#include "base/util.h"

enum { HEAD_BYTES = 2, MAX_SEQUENCES = 255, SEQUENCE_BITS = 64, SHORT_BITS = 7, TMS_HIGH = 1 << 6, CAPTURE = 1 << 7 };

/* A packet being made, or being read again to see what its answer means. */
struct plan {
	uint8_t *out;		/* the request, from its head on */
	size_t len_bytes, answer_bytes, room_bytes;
	uint8_t n_sequences;
	struct { uint8_t n_bits; bool tms, capture; } sequence[MAX_SEQUENCES];
	uint32_t n_bits;
};

static size_t bytes_of(uint32_t n_bits)
{
	return (n_bits + 7) / 8;
}

/* May these clocks go into the last sequence? Where only one of them is wanted, and the other is short, a byte more in
 * the answer is less than another sequence in the request. */
static bool joins(const struct plan *plan, const struct pt_jtag_piece *piece)
{
	unsigned last = plan->n_sequences - 1u;
	bool wanted = piece->in != NULL;

	if (plan->n_sequences == 0 || plan->sequence[last].tms != piece->tms ||
	    plan->sequence[last].n_bits == SEQUENCE_BITS)
		return false;
	return plan->sequence[last].capture == wanted ||
	       (wanted ? plan->sequence[last].n_bits : piece->n_bits) <= SHORT_BITS;
}

/* What the answer grows by: all of a sequence that was not captured so far. */
static size_t more_answer(uint32_t had_bits, uint32_t n_bits, bool captured, bool capture)
{
	return capture ? bytes_of(had_bits + n_bits) - (captured ? bytes_of(had_bits) : 0) : 0;
}

static bool fits(const struct plan *plan, uint32_t had_bits, uint32_t n_bits, bool fresh, size_t more_answer_bytes)
{
	size_t more = bytes_of(had_bits + n_bits) - bytes_of(had_bits);

	return plan->len_bytes + more + fresh <= plan->room_bytes &&
	       plan->answer_bytes + more_answer_bytes <= plan->room_bytes &&
	       (!fresh || plan->n_sequences < MAX_SEQUENCES);
}

/* As many of its clocks as the sequence holds; 0: the packet is full. */
static uint32_t add(struct plan *plan, const struct pt_jtag_piece *piece)
{
	bool fresh = !joins(plan, piece);
	unsigned at = fresh ? plan->n_sequences : plan->n_sequences - 1u;
	bool captured = !fresh && plan->sequence[at].capture, capture = captured || piece->in != NULL;
	uint32_t had_bits = fresh ? 0 : plan->sequence[at].n_bits, n = SEQUENCE_BITS - had_bits;
	size_t more_answer_bytes;
	uint8_t *bits;

	if (n > piece->n_bits)
		n = piece->n_bits;
	more_answer_bytes = more_answer(had_bits, n, captured, capture);
	if (!fits(plan, had_bits, n, fresh, more_answer_bytes))
		return 0;
	plan->n_sequences += fresh;
	plan->len_bytes += fresh;
	bits = plan->out + plan->len_bytes - bytes_of(had_bits);
	memset(bits + bytes_of(had_bits), 0, bytes_of(had_bits + n) - bytes_of(had_bits));
	pt_jtag_copy_bits(bits, had_bits, piece->out, piece->at_bit, n);
	bits[-1] = (uint8_t)(((had_bits + n) % SEQUENCE_BITS) | (piece->tms ? TMS_HIGH : 0) | (capture ? CAPTURE : 0));
	plan->sequence[at].n_bits = (uint8_t)(had_bits + n);
	plan->sequence[at].tms = piece->tms;
	plan->sequence[at].capture = capture;
	plan->len_bytes += bytes_of(had_bits + n) - bytes_of(had_bits);
	plan->answer_bytes += more_answer_bytes;
	plan->n_bits += n;
	return n;
}

/* The same list, place and bounds give the same packet. */
static void make(struct plan *plan, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		 uint32_t max_bits)
{
	struct pt_jtag_piece piece;

	plan->out[0] = DAP_JTAG_SEQUENCE;
	plan->len_bytes = plan->answer_bytes = HEAD_BYTES;
	while (plan->n_bits < max_bits) {
		struct pt_jtag_cursor from = *at, ahead = *at;
		uint32_t n;

		if (!pt_jtag_next(ops, n_ops, &ahead, max_bits - plan->n_bits, &piece))
			break;
		n = add(plan, &piece);
		if (n == 0)
			break;
		*at = from;
		pt_jtag_next(ops, n_ops, at, n, &piece);
	}
	plan->out[1] = plan->n_sequences;
}

/* --- as a port ---------------------------------------------------------------------------------------------------- */

static int settle(void *state, struct pt_err *err)
{
	return pt_cmsis_dap_settle(state, err);
}

static size_t pack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at,
		   uint32_t max_bits, uint32_t *n_bits)
{
	struct pt_cmsis_dap *dap = state;
	struct plan plan = { .out = dap->out, .room_bytes = dap->limits.packet_bytes };

	make(&plan, ops, n_ops, at, max_bits);
	*n_bits = plan.n_bits;
	return plan.len_bytes;
}

static int send_request(void *state, size_t len_bytes, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;

	return pt_cmsis_dap_send(dap, len_bytes, pt_link_now_ns(dap->link) + PT_CMSIS_DAP_ANSWER_MS * PT_NS_PER_MS,
				 err);
}

static int receive(void *state, uint64_t deadline_ns, struct pt_err *err)
{
	return pt_cmsis_dap_receive(state, deadline_ns, err);
}

static int check_answer(struct pt_cmsis_dap *dap, const struct plan *plan, size_t len_bytes, struct pt_err *err)
{
	if (len_bytes >= 2 && dap->in[0] == DAP_JTAG_SEQUENCE && dap->in[1] != DAP_OK)
		return pt_fail(err, PT_EPROTO, "the probe refused a JTAG sequence (answer 0x%02x)", dap->in[1]);
	if (len_bytes >= plan->answer_bytes && dap->in[0] == DAP_JTAG_SEQUENCE)
		return 0;
	dap->out_of_step = true;
	return pt_fail(err, PT_EPROTO, "the probe's response does not fit its request");
}

static int unpack(void *state, const struct pt_jtag_op *ops, size_t n_ops, struct pt_jtag_cursor *at, uint32_t n_bits,
		  size_t len_bytes, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	static const size_t most_bits = 8 * PT_CMSIS_DAP_MAX_BYTES;
	uint8_t again[PT_CMSIS_DAP_MAX_BYTES], tdo[MAX_SEQUENCES * SEQUENCE_BITS / 8] = { 0 };
	struct plan plan = { .out = again, .room_bytes = dap->limits.packet_bytes };
	const uint8_t *from = dap->in + HEAD_BYTES;
	struct pt_jtag_cursor ahead = *at;
	uint32_t n = 0;

	make(&plan, ops, n_ops, &ahead, n_bits);
	if (plan.n_bits != n_bits || n_bits > most_bits)
		return pt_fail(err, PT_EPROTO, "the probe's response does not fit its request");
	if (check_answer(dap, &plan, len_bytes, err) < 0)
		return PT_EPROTO;
	for (unsigned i = 0; i < plan.n_sequences; n += plan.sequence[i++].n_bits)
		if (plan.sequence[i].capture) {
			pt_jtag_copy_bits(tdo, n, from, 0, plan.sequence[i].n_bits);
			from += bytes_of(plan.sequence[i].n_bits);
		}
	pt_jtag_take(ops, n_ops, at, tdo, n_bits);
	return 0;
}

static const struct pt_jtag_port_ops port_ops = {
	.settle = settle, .pack = pack, .send = send_request, .receive = receive, .unpack = unpack,
};

void pt_cmsis_dap_jtag_init(struct pt_cmsis_dap *dap)
{
	dap->jtag = (struct pt_jtag_port){
		.ops = &port_ops, .state = dap, .link = dap->link, .tck_hz = dap->speed_hz, .lost = true,
		.depth = dap->depth < PT_JTAG_PORT_MAX_DEPTH ? dap->depth : PT_JTAG_PORT_MAX_DEPTH,
	};
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

/* A port for SWD and JTAG is taken to JTAG: 51 or more high, the switch, and into Test-Logic-Reset. Source: Arm IHI
 * 0031, SWJ-DP select sequences. */
static const struct pt_cmsis_dap_order swd_to_jtag = {
	"switch to JTAG", { DAP_SWJ_SEQUENCE, 80, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3c, 0xe7, 0xff }, 2 + 10,
	DAP_OK, false,
};

static int jtag_connect(void *state, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	struct pt_cmsis_dap_order orders[6];
	size_t n = 0;
	int rc;

	if (!dap->has_jtag)
		return pt_fail(err, PT_EUNSUPPORTED, "the probe has no JTAG");
	dap->connected = true;
	if ((dap->quirks & PT_DAP_QUIRK_DISCONNECT_FIRST) != 0)
		orders[n++] = (struct pt_cmsis_dap_order){ "disconnect", { DAP_DISCONNECT }, 1, DAP_OK, true };
	orders[n++] = (struct pt_cmsis_dap_order){ "connect by JTAG", { DAP_CONNECT, 2 }, 2, 2, false };
	orders[n++] = pt_cmsis_dap_clock_order(dap->speed_hz);
	orders[n++] = swd_to_jtag;
	if ((dap->quirks & PT_DAP_QUIRK_CLOCK_AFTER_SEQUENCE) != 0)
		orders[n++] = pt_cmsis_dap_clock_order(dap->speed_hz);
	orders[n++] = (struct pt_cmsis_dap_order){ "connect light", { DAP_HOST_STATUS, 0, 1 }, 3, DAP_OK, true };
	rc = pt_cmsis_dap_orders(dap, orders, n, err);
	dap->on_jtag |= rc == 0;
	return rc < 0 ? rc : pt_jtag_port_reset(&dap->jtag, err);
}

static int jtag_run(void *state, struct pt_jtag_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;

	return pt_jtag_port_run(&dap->jtag, ops, n_ops, timeout_ms, n_done, err);
}

static int jtag_set_reset(void *state, bool trst, bool srst, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	uint8_t low = (uint8_t)((trst ? PT_CMSIS_DAP_NTRST : 0) | (srst ? PT_CMSIS_DAP_NRESET : 0));
	int rc = pt_cmsis_dap_drive_resets(dap, PT_CMSIS_DAP_NTRST | PT_CMSIS_DAP_NRESET, low, err);

	dap->jtag.lost |= trst;
	return rc;
}

const struct pt_jtag_ops pt_cmsis_dap_jtag_ops = {
	.connect = jtag_connect, .run = jtag_run, .set_speed = pt_cmsis_dap_set_speed, .set_reset = jtag_set_reset,
};
