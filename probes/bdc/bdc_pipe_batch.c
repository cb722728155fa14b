/* A list of operations, run as a pipeline: as many requests with the probe as it queues, responses taken in order.
 * Requests are chained, so that behind one that fails nothing is done; what ends a request early is looked into, and
 * where it is no error (a poll that is to go on, a core that sleeps) the list goes on from there. */
#include "host/log.h"
#include "probes/bdc/bdc_pipe_parts.h"
#include "base/util.h"

struct batch {
	struct pt_pipe *pipe;
	struct pt_bdc_op *ops;
	size_t n_ops;
	struct pt_pipe_cursor next, done;	/* first command that was not sent; that is not known to be done */
	bool follows, chained;			/* of the next request */
	unsigned oldest, in_flight;
	bool barrier, expired;
	size_t suspect;				/* the first operation that looks refused; SIZE_MAX: none */
	uint64_t timeout_ns, until_ns;		/* until: of the poll or GO_UNTIL under way; 0: not begun */
};

static uint64_t now_ns(const struct batch *b)
{
	return pt_link_now_ns(b->pipe->link);
}

static uint64_t answer_ns(const struct batch *b)
{
	uint64_t silence_ns = PT_PIPE_ANSWER_MS * PT_NS_PER_MS;

	return b->timeout_ns < silence_ns ? b->timeout_ns : silence_ns;
}

/* --- sending ------------------------------------------------------------------------------------------------------ */

static bool may_send(const struct batch *b)
{
	return b->next.op < b->n_ops && b->in_flight < b->pipe->depth && !b->barrier &&
	       !pt_pipe_is_host_delay(&b->ops[b->next.op]);
}

static void stamp_sent(struct batch *b, const struct pt_pipe_packet *packet)
{
	size_t first = packet->from.i == 0 ? packet->from.op : packet->from.op + 1;
	size_t end = packet->to.i == 0 ? packet->to.op : packet->to.op + 1;

	for (size_t i = first; i < end; i++)
		b->ops[i].sent_ns = now_ns(b);
}

static int send_next(struct batch *b, struct pt_err *err)
{
	struct pt_pipe_packet *packet = &b->pipe->flight[(b->oldest + b->in_flight) % PT_PIPE_MOST_DEPTH];
	int rc;

	pt_pipe_begin(b->pipe, b->chained ? PT_PIPE_CHAINED : 0);
	pt_pipe_pack(b->pipe, b->ops, b->n_ops, b->next, b->follows, packet);
	stamp_sent(b, packet);
	rc = pt_pipe_send(b->pipe, now_ns(b) + b->timeout_ns, err);
	if (rc < 0)
		return rc;
	b->in_flight++;
	b->next = packet->to;
	b->follows = b->next.i > 0;
	b->barrier = packet->barrier;
	b->chained = true;
	return 0;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static int receive_oldest(struct batch *b, const struct pt_pipe_packet **packet, struct pt_err *err)
{
	int rc;

	*packet = &b->pipe->flight[b->oldest];
	rc = pt_pipe_receive(b->pipe, now_ns(b) + answer_ns(b) + (*packet)->busy_ns, err);
	if (rc == PT_ETIMEOUT)
		return pt_fail(err, rc, "the probe does not answer");
	if (rc < 0)
		return rc;
	b->oldest = (b->oldest + 1) % PT_PIPE_MOST_DEPTH;
	b->in_flight--;
	return 0;
}

/* What was chained behind a request that did not end well. Leaves early, in debt, when the link cannot go on. */
static int forget_rest(struct batch *b, struct pt_err *err)
{
	const struct pt_pipe_packet *packet;
	int rc = 0;

	while (rc == 0 && b->in_flight > 0)
		rc = receive_oldest(b, &packet, err);
	b->next = b->done;
	b->follows = b->chained = b->barrier = false;
	return rc;
}

static void advance_done(struct batch *b, struct pt_pipe_cursor to)
{
	for (size_t i = b->done.op; i < to.op; i++) {
		b->ops[i].done_ns = now_ns(b);
		if (b->ops[i].what == PT_BDC_ACK_ENABLE || b->ops[i].what == PT_BDC_ACK_DISABLE)
			b->pipe->ack = b->ops[i].what == PT_BDC_ACK_ENABLE;
		b->until_ns = 0;
	}
	b->done = to;
}

static int read_bdccsr(struct pt_pipe *pipe, uint16_t *bdccsr, struct pt_err *err)
{
	int rc;

	pt_pipe_begin(pipe, 0);
	pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_SEND, 1, 0x2d, PT_PIPE_RECEIVE, 2 }, 5);
	rc = pt_pipe_ask(pipe, PT_NS_PER_MS, err);
	if (rc < 0)
		return rc;
	if (rc != PT_PIPE_DONE || pipe->n_in < PT_PIPE_RESPONSE_HEAD + 2)
		return pt_fail(err, PT_EPROTO, "the probe does not read BDCCSR");
	*bdccsr = pt_be16(pipe->in + PT_PIPE_RESPONSE_HEAD);
	return 0;
}

/* A long ACK tells of an error, or only that the core has gone to sleep. It is the command before `done` that got it;
 * one of an earlier SYNC_PC, which no CHECK stands behind, is not this command's. */
static int on_long_ack(struct batch *b, const struct pt_pipe_result *result, struct pt_err *err)
{
	uint16_t bdccsr = 0;
	int rc = forget_rest(b, err);

	if (rc < 0 || !result->long_ack)
		return rc;
	rc = read_bdccsr(b->pipe, &bdccsr, err);
	if (rc == 0)
		rc = pt_bdc_judge(bdccsr, b->pipe->errors, err);
	if (rc == PT_EFAULT && b->done.i == 0 && b->done.op > 0)
		b->done.op--;	/* the operation whose last command was refused is not done */
	return rc;
}

/* The target may have been reset: then it sends no ACK until it is told to again. */
static int on_no_ack(struct batch *b, struct pt_err *err)
{
	int rc = forget_rest(b, err);

	if (rc == 0)
		rc = pt_pipe_bring_up(b->pipe, b->pipe->ack, err);
	return rc < 0 ? rc : pt_fail(err, PT_ETIMEOUT, "no ACK from the target");
}

/* Another try of a poll in the probe, or its end. */
static int on_expired(struct batch *b, const struct pt_pipe_result *result, struct pt_err *err)
{
	struct pt_bdc_op *op = &b->ops[b->done.op];
	int rc = forget_rest(b, err);

	if (b->until_ns == 0)
		b->until_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	b->expired = now_ns(b) >= b->until_ns;
	if (b->expired)
		op->value = result->polled;
	return rc;
}

/* The target must not take the next command for a part of this one. */
static void break_off(struct pt_pipe *pipe)
{
	pt_link_shield(pipe->link);
	pt_pipe_bring_up(pipe, pipe->ack, NULL);
	pt_link_unshield(pipe->link);
}

/* GO_UNTIL was sent; its ACK comes when the core halts. */
static int wait_for_halt(struct batch *b, struct pt_err *err)
{
	struct pt_bdc_op *op = &b->ops[b->done.op];
	uint64_t until_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	int rc = PT_PIPE_NO_ACK;

	while (rc == PT_PIPE_NO_ACK && now_ns(b) < until_ns) {
		pt_pipe_begin(b->pipe, 0);
		pt_pipe_put(b->pipe, (const uint8_t[]){ PT_PIPE_ACK, PT_PIPE_TRY_US / 1000, 0 }, 3);
		rc = pt_pipe_ask(b->pipe, PT_PIPE_TRY_US * UINT64_C(1000), err);
	}
	if (rc == PT_PIPE_DONE)
		advance_done(b, (struct pt_pipe_cursor){ b->done.op + 1, 0 });
	if (rc == PT_PIPE_NO_ACK)
		rc = pt_fail(err, PT_ETIMEOUT, "the core has not come to a halt");
	if (rc == PT_ETIMEOUT || rc == PT_EINTERRUPTED)
		break_off(b->pipe);
	b->next = b->done;
	b->follows = b->chained = b->barrier = false;
	return rc < 0 ? rc : 0;
}

/* Without ACK nobody says when: BDMACT does. */
static int look_for_halt(struct batch *b, const struct pt_bdc_op *op, struct pt_err *err)
{
	uint64_t until_ns = op->sent_ns + op->time_us * UINT64_C(1000);
	uint16_t bdccsr = 0;
	int rc;

	do {
		rc = read_bdccsr(b->pipe, &bdccsr, err);
		if (rc < 0 || (bdccsr & PT_BDC_BDMACT) != 0)
			return rc;
		rc = pt_link_wait(b->pipe->link, now_ns(b) + PT_NS_PER_MS, err);
	} while (rc == 0 && now_ns(b) < until_ns);
	return rc < 0 ? rc : pt_fail(err, PT_ETIMEOUT, "the core has not come to a halt");
}

static int on_all_done(struct batch *b, const struct pt_pipe_packet *packet, struct pt_err *err)
{
	const struct pt_bdc_op *last = &b->ops[packet->to.op > 0 ? packet->to.op - 1 : 0];

	b->barrier = b->barrier && !packet->barrier;
	if (!packet->barrier || last->what != PT_BDC_GO_UNTIL || b->pipe->ack)
		return 0;
	return look_for_halt(b, last, err);
}

static int judge(struct batch *b, const struct pt_pipe_packet *packet, struct pt_err *err)
{
	int status = pt_pipe_status(b->pipe, err);
	struct pt_pipe_result result;
	bool whole;

	if (status < 0) {
		forget_rest(b, NULL);
		return status;
	}
	pt_pipe_unpack(b->pipe, packet, b->ops, &result);
	whole = result.done.op == packet->to.op && result.done.i == packet->to.i;
	if (result.nonsense || status == PT_PIPE_SKIPPED || (status == PT_PIPE_DONE && !whole && !result.no_sync)) {
		forget_rest(b, NULL);
		return pt_fail(err, PT_EPROTO, "the probe's response does not fit its request");
	}
	if (result.suspect && b->suspect == SIZE_MAX)
		b->suspect = packet->from.op;
	advance_done(b, result.done);
	if (result.no_sync)
		return forget_rest(b, err) < 0 ? err->code : pt_fail(err, PT_EPROTO, "the target does not answer SYNC");
	if (status == PT_PIPE_DONE)
		return on_all_done(b, packet, err);
	if (status == PT_PIPE_LONG_ACK)
		return on_long_ack(b, &result, err);
	if (b->done.op == b->n_ops)
		return pt_fail(err, PT_EPROTO, "the probe's response does not fit its request");
	if (status == PT_PIPE_EXPIRED)
		return on_expired(b, &result, err);
	return b->ops[b->done.op].what == PT_BDC_GO_UNTIL ? wait_for_halt(b, err) : on_no_ack(b, err);
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

/* Longer than the probe shall be deaf. */
static int delay_here(struct batch *b, struct pt_err *err)
{
	struct pt_bdc_op *op = &b->ops[b->next.op];
	int rc;

	op->sent_ns = now_ns(b);
	rc = pt_link_wait(b->pipe->link, op->sent_ns + op->time_us * UINT64_C(1000), err);
	if (rc < 0)
		return rc;
	b->next = (struct pt_pipe_cursor){ b->next.op + 1, 0 };
	advance_done(b, b->next);
	b->chained = false;
	return 0;
}

static int pump(struct batch *b, struct pt_err *err)
{
	const struct pt_pipe_packet *packet;
	int rc = 0;

	while (rc == 0 && !b->expired && b->done.op < b->n_ops) {
		while (rc == 0 && may_send(b))
			rc = send_next(b, err);
		if (rc == 0 && b->in_flight == 0)
			rc = delay_here(b, err);
		else if (rc == 0 && (rc = receive_oldest(b, &packet, err)) == 0)
			rc = judge(b, packet, err);
	}
	return rc;
}

/* A core that goes to sleep and wakes up answers with a long ACK again and again, so lines of the trace buffer, which
 * are read in long rows, have no CHECK behind each; what they say of themselves is enough to look once. */
static int look_at_suspect(struct batch *b, struct pt_err *err)
{
	uint16_t bdccsr = 0;
	int rc = read_bdccsr(b->pipe, &bdccsr, err);

	if (rc == 0)
		rc = pt_bdc_judge(bdccsr, b->pipe->errors, err);
	if (rc == PT_EFAULT)
		b->done.op = b->suspect;
	return rc;
}

uint32_t pt_pipe_can(void *state)
{
	(void)state;
	return (1u << PT_N_BDC_DOS) - 1;
}

int pt_pipe_run(void *state, struct pt_bdc_op *ops, size_t n_ops, uint32_t timeout_ms, size_t *n_done,
		struct pt_err *err)
{
	struct batch b = { .pipe = state, .ops = ops, .n_ops = n_ops, .timeout_ns = timeout_ms * PT_NS_PER_MS,
			   .suspect = SIZE_MAX };
	int rc;

	*n_done = 0;
	rc = pt_bdc_check(ops, n_ops, pt_pipe_can(state), err);
	for (size_t i = 0; rc == 0 && i < n_ops; i++)
		ops[i].status = 0;
	if (rc == 0 && n_ops > 0)
		rc = pt_pipe_settle(b.pipe, err);
	if (rc == 0)
		rc = pump(&b, err);
	if (rc == 0 && b.suspect != SIZE_MAX)
		rc = look_at_suspect(&b, err);
	*n_done = b.done.op;
	pt_debug(PT_LOG_DAP, "bdc-pipe: %zu of %zu operations, %d", *n_done, n_ops, rc);
	return rc;
}
