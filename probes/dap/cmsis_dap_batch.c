/* A list of operations, run as a pipeline: as many packets with the probe as it holds, responses taken in order.
 *
 * What may go wrong decides what may be in flight:
 * - Behind a poll nothing is sent but the reads in its own packet: only its outcome says whether they count.
 * - After FAULT the packets that follow do no harm: the DAP refuses them until its sticky flags are cleared (Arm IHI
 *   0031, sticky flags). They are collected and forgotten.
 * - After WAIT they may have succeeded, out of order. If any did, or if the probe cannot tell whether a read was made,
 *   the list ends with PT_ETIMEOUT. Else it goes on where it stopped, one packet at a time.
 * timeout_ms counts from the last progress: a long list on a slow link is no time-out. */
#include "host/log.h"
#include "probes/dap/cmsis_dap_operations.h"
#include "probes/wires/dap_list.h"
#include "base/util.h"

struct batch {
	struct pt_cmsis_dap *dap;
	struct pt_dap_op *ops;
	size_t n_ops, poll;		/* poll: its index, or n_ops */
	struct pt_dap_cursor next;	/* first step not sent */
	struct pt_dap_cursor done;	/* first step not known to be done */
	unsigned oldest, in_flight, depth;
	bool poll_in_flight, expired, shielded;
	uint64_t timeout_ns, poll_until_ns, wait_since_ns;	/* the latter two: 0 = not begun */
};

/* --- how long the probe tries by itself --------------------------------------------------------------------------- */

/* Real firmware needs about twice the 46 clocks of the wire for one read; slower firmware polls longer, not wrongly. */
enum { POLL_CLOCKS = 100, WAIT_CLOCKS = 13, WAIT_MS = 100 };

static uint16_t retries(uint64_t hz, uint64_t us, uint64_t clocks)
{
	uint64_t n = hz * us / (clocks * 1000000);

	return (uint16_t)(n < 1 ? 1 : n > UINT16_MAX ? UINT16_MAX : n);
}

uint16_t pt_cmsis_dap_match_retry(const struct pt_cmsis_dap *dap, uint32_t poll_us)
{
	if (dap->match_retry_asked > 0)
		return (uint16_t)dap->match_retry_asked;
	return retries(dap->speed_hz, poll_us < PT_CMSIS_DAP_POLL_US ? poll_us : PT_CMSIS_DAP_POLL_US, POLL_CLOCKS);
}

/* Long enough for a bus that stands still while flash is erased, short enough for a whole pipeline of packets that all
 * wait in vain. A WAIT is 13 clocks: request 8, turn-arounds 2, acknowledge 3. Source: Arm IHI 0031, SWD protocol. */
static uint16_t wait_retry(const struct pt_cmsis_dap *dap)
{
	if (dap->wait_retry_asked > 0)
		return (uint16_t)dap->wait_retry_asked;
	return retries(dap->speed_hz, WAIT_MS * 1000, WAIT_CLOCKS);
}

size_t pt_cmsis_dap_configure(const struct pt_cmsis_dap *dap, uint16_t match_retry, uint8_t *bytes)
{
	bytes[0] = DAP_TRANSFER_CONFIGURE;
	bytes[1] = dap->idle_cycles;
	pt_put_le16(bytes + 2, wait_retry(dap));
	pt_put_le16(bytes + 4, match_retry);
	return 6;
}

/* --- sending ----------------------------------------------------------------------------------------------------- */

static bool may_send(const struct batch *b)
{
	return b->next.op < b->n_ops && b->in_flight < b->depth && b->dap->owed < b->dap->depth && !b->poll_in_flight;
}

/* A poll of another length than the last needs another match retry; the command travels ahead of it in the pipe. */
static bool must_configure(const struct batch *b)
{
	return b->poll < b->n_ops && b->dap->match_retry != pt_cmsis_dap_match_retry(b->dap, b->ops[b->poll].time_us);
}

static size_t next_packet(struct batch *b, struct pt_cmsis_dap_flight *flight)
{
	struct pt_cmsis_dap *dap = b->dap;
	size_t len;

	flight->configures = must_configure(b);
	if (flight->configures) {
		flight->packet = (struct pt_dap_packet){ .from = b->next, .to = b->next };
		dap->match_retry = pt_cmsis_dap_match_retry(dap, b->ops[b->poll].time_us);
		return pt_cmsis_dap_configure(dap, dap->match_retry, dap->out);
	}
	len = pt_dap_pack(&dap->limits, b->ops, b->n_ops, b->next, &flight->packet, dap->out);
	b->next = flight->packet.to;
	b->poll_in_flight = flight->packet.polls;
	return len;
}

static void stamp_sent(struct batch *b, const struct pt_dap_packet *packet, uint64_t now_ns)
{
	size_t first = packet->from.word == 0 ? packet->from.op : packet->from.op + 1;
	size_t end = packet->to.word == 0 ? packet->to.op : packet->to.op + 1;

	for (size_t i = first; i < end; i++)
		b->ops[i].sent_ns = now_ns;
}

static int send_next(struct batch *b, struct pt_err *err)
{
	struct pt_cmsis_dap_flight *flight = &b->dap->flight[(b->oldest + b->in_flight) % PT_CMSIS_DAP_MAX_DEPTH];
	size_t len = next_packet(b, flight);
	uint64_t now_ns = pt_link_now_ns(b->dap->link);
	int rc;

	stamp_sent(b, &flight->packet, now_ns);
	if (flight->packet.polls && b->poll_until_ns == 0)
		b->poll_until_ns = now_ns + b->ops[b->poll].time_us * UINT64_C(1000);
	rc = pt_cmsis_dap_send(b->dap, len, now_ns + b->timeout_ns, err);
	if (rc == 0)
		b->in_flight++;
	else if (flight->configures)
		b->dap->match_retry = 0;	/* nobody knows whether it got there */
	return rc;
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

/* WAIT may last for the whole time-out, silence not. */
static uint64_t answer_ns(const struct batch *b)
{
	uint64_t silence_ns = PT_CMSIS_DAP_ANSWER_MS * PT_NS_PER_MS;

	return b->timeout_ns < silence_ns ? b->timeout_ns : silence_ns;
}

static int receive_oldest(struct batch *b, struct pt_dap_result *result, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = b->dap;
	const struct pt_cmsis_dap_flight *flight = &dap->flight[b->oldest];
	const struct pt_dap_packet *packet = &flight->packet;
	uint64_t in_probe_us = packet->time_us + (packet->polls ? PT_CMSIS_DAP_POLL_US : 0);
	uint64_t deadline_ns = pt_link_now_ns(dap->link) + answer_ns(b) + in_probe_us * 1000;
	int n;

	do	/* answers to a poll of SWO are between these where a packet was repeated */
		n = pt_cmsis_dap_receive(dap, deadline_ns, err);
	while (n > 0 && pt_cmsis_dap_swo_answers(dap));
	if (n < 0 && n != PT_EPROTO)
		return n;
	b->oldest = (b->oldest + 1) % PT_CMSIS_DAP_MAX_DEPTH;
	b->in_flight--;
	if (!flight->configures) {
		pt_dap_unpack(packet, b->ops, b->n_ops, dap->in, n > 0 ? (size_t)n : 0, result);
	} else {
		bool ok = n >= 2 && dap->in[0] == DAP_TRANSFER_CONFIGURE && dap->in[1] == DAP_OK;

		*result = (struct pt_dap_result){ .ack = ok ? PT_DAP_ACK_OK : PT_DAP_ACK_NONSENSE, .done = packet->to };
	}
	if (packet->polls)
		b->poll_in_flight = false;
	return 0;
}

static void advance_done(struct batch *b, struct pt_dap_cursor to)
{
	uint64_t now_ns = pt_link_now_ns(b->dap->link);

	for (size_t i = b->done.op; i < to.op; i++)
		b->ops[i].done_ns = now_ns;
	if (before(b->done, to))
		b->wait_since_ns = 0;
	b->done = to;
}

/* Collect what was in flight behind a packet that failed; true if any of it did something. Stops early, in debt, when
 * the link cannot go on. */
static bool forget_rest(struct batch *b)
{
	struct pt_dap_result result;
	bool progress = false;

	while (b->in_flight > 0 && receive_oldest(b, &result, NULL) == 0)
		progress |= result.progress;
	return progress || b->in_flight > 0;
}

static int go_on_after_wait(struct batch *b, const struct pt_dap_result *result, struct pt_err *err)
{
	uint64_t now_ns = pt_link_now_ns(b->dap->link);
	bool overtaken = forget_rest(b);

	if (b->wait_since_ns == 0)
		b->wait_since_ns = now_ns;
	if (overtaken || !result->repeatable || now_ns - b->wait_since_ns >= b->timeout_ns)
		return pt_fail(err, PT_ETIMEOUT, "the target answers WAIT");
	b->next = b->done;
	b->depth = 1;
	return 0;
}

static int poll_again(struct batch *b)
{
	b->next = b->done;
	b->expired = pt_link_now_ns(b->dap->link) >= b->poll_until_ns;
	return 0;
}

static int judge(struct batch *b, const struct pt_dap_result *result, struct pt_err *err)
{
	advance_done(b, result->done);
	switch (result->ack) {
	case PT_DAP_ACK_OK:
		return 0;
	case PT_DAP_ACK_WAIT:
		return go_on_after_wait(b, result, err);
	case PT_DAP_ACK_EXPIRED:
		return poll_again(b);
	case PT_DAP_ACK_FAULT:
		forget_rest(b);
		return pt_fail(err, PT_EFAULT, "the target answers FAULT");
	case PT_DAP_ACK_NONE:
		forget_rest(b);
		if ((result->raw & 7) == 7)
			return pt_fail(err, PT_EPROTO, "the target does not answer on SWD");
		return pt_fail(err, PT_EPROTO, "bad parity or acknowledge on SWD (0x%02x)", result->raw);
	case PT_DAP_ACK_NONSENSE:
		forget_rest(b);
		b->dap->out_of_step = true;
		return pt_fail(err, PT_EPROTO, "the probe's response does not fit its request");
	}
	return 0;
}

enum { LONG_DELAY_US = 1000 };

static bool delays(const struct batch *b, size_t from_op, size_t to_op)
{
	for (size_t i = from_op; i < to_op; i++)
		if (b->ops[i].what == PT_DAP_DELAY && b->ops[i].time_us >= LONG_DELAY_US)
			return true;
	return false;
}

/* The probe is busy for the whole of a delay, and whoever interrupts us would wait for it all the same; but
 * what follows the delay would be done without anybody seeing its result, and then be begun anew: often
 * enough, it never gets done. */
static int send_and_shield(struct batch *b, struct pt_err *err)
{
	size_t from_op = b->next.op;
	int rc = send_next(b, err);

	if (rc == 0 && !b->shielded && delays(b, from_op, b->next.op)) {
		pt_link_shield(b->dap->link);
		b->shielded = true;
	}
	return rc;
}

static int pump(struct batch *b, struct pt_err *err)
{
	struct pt_dap_result result;
	int rc = 0;

	while (rc == 0 && !b->expired && b->done.op < b->n_ops) {
		if (b->in_flight == 0 && b->dap->owed > 0)	/* those of a poll of SWO */
			rc = pt_cmsis_dap_settle(b->dap, err);
		while (rc == 0 && may_send(b))
			rc = send_and_shield(b, err);
		if (rc == 0 && b->next.op >= b->n_ops)
			pt_cmsis_dap_swo_ask_ahead(b->dap);
		if (rc == 0)
			rc = receive_oldest(b, &result, err);
		if (rc == 0)
			rc = judge(b, &result, err);
	}
	return rc;
}

/* The list up to its end, an error, or an expired poll. */
static int run_list(struct pt_cmsis_dap *dap, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		    struct pt_err *err)
{
	struct pt_dap_cursor start = pt_dap_skip_empty(ops, n_ops, (struct pt_dap_cursor){ 0, 0 });
	struct batch b = {
		.dap = dap, .ops = ops, .n_ops = n_ops, .poll = find_poll(ops, 0, n_ops), .next = start, .done = start,
		.depth = dap->depth, .timeout_ns = timeout_ms * PT_NS_PER_MS,
	};
	int rc = pump(&b, err);

	if (b.shielded)
		pt_link_unshield(dap->link);
	*n_done = b.done.op;
	return rc;
}

int pt_cmsis_dap_run(void *state, struct pt_dap_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		     struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	size_t ignored;
	int rc;

	*n_done = 0;
	if (dap->on_jtag)	/* the probe would shift through whatever instructions are there */
		return pt_fail(err, PT_ESTATE, "the probe's port is on JTAG");
	rc = pt_dap_check(ops, n_ops, err);
	if (rc == 0)
		rc = pt_cmsis_dap_settle(dap, err);
	if (rc == 0)
		rc = run_list(dap, ops, n_ops, timeout_ms, n_done, err);
	if (rc == 0 && *n_done < n_ops && ops[*n_done].words != NULL) {	/* what did it read when it expired? */
		struct pt_dap_op last = ops[*n_done];

		last.what = PT_DAP_READ;
		rc = run_list(dap, &last, 1, timeout_ms, &ignored, err);
	}
	if (rc == 0)
		pt_cmsis_dap_swo_ask_ahead(dap);
	pt_debug(PT_LOG_DAP, "cmsis-dap: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc;
}
