#include "probes/wires/exchange.h"

#include "host/log.h"
#include "base/util.h"

enum {
	DRAIN_MS = 10,
	RESYNC_MS = 100,	/* for what a probe still owes that was silent for PT_TURN_ANSWER_MS */
	ASKED_MS = 20,		/* and once it has been asked in vain: whoever waits above shall hear soon */
	MOST_STALE = 16,
	QUESTION_BYTES = 64,
};

static uint64_t in_ms(struct pt_turn *turn, uint32_t ms)
{
	return pt_link_now_ns(turn->link) + ms * PT_NS_PER_MS;
}

int pt_turn_receive(struct pt_turn *turn, uint64_t deadline_ns, struct pt_err *err)
{
	int n = pt_link_receive(turn->link, turn->in, sizeof(turn->in), deadline_ns, err);

	pt_debug(PT_LOG_USB, "%s: reply 0x%02x, %d bytes", turn->name, n > 0 ? turn->in[0] : 0, n);
	if ((n >= 0 || n == PT_EPROTO) && turn->debt > 0)
		turn->debt--;
	if (n == PT_EPROTO)
		turn->out_of_step = true;
	if (n >= 0 || n == PT_ETIMEOUT)
		turn->silent = n == PT_ETIMEOUT;
	return n;
}

int pt_turn_send(struct pt_turn *turn, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	int rc = pt_link_submit(turn->link, bytes, n_bytes, in_ms(turn, PT_TURN_ANSWER_MS), err);

	pt_debug(PT_LOG_USB, "%s: request 0x%02x 0x%02x, %zu bytes: %d", turn->name, bytes[0],
		 n_bytes > 1 ? bytes[1] : 0, n_bytes, rc);
	turn->debt += rc == 0;
	return rc;
}

/* --- back into step ----------------------------------------------------------------------------------------------- */

static uint32_t patience_ms(const struct pt_turn *turn)
{
	if (!turn->silent)
		return PT_TURN_ANSWER_MS;
	return turn->asked == 0 ? RESYNC_MS : ASKED_MS;
}

static int collect(struct pt_turn *turn, struct pt_err *err)
{
	uint64_t deadline_ns = in_ms(turn, patience_ms(turn));

	while (turn->debt > 0 && !turn->out_of_step) {
		int n = pt_turn_receive(turn, deadline_ns, err);

		if (n == PT_ETIMEOUT)
			turn->out_of_step = true;
		else if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return 0;
}

int pt_turn_drain(struct pt_turn *turn, struct pt_err *err)
{
	for (unsigned i = 0; i < MOST_STALE; i++) {
		int n = pt_turn_receive(turn, in_ms(turn, DRAIN_MS), err);

		if (n == PT_ETIMEOUT) {
			turn->out_of_step = turn->silent = false;
			return 0;
		}
		if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return pt_fail(err, PT_EPROTO, "the probe sends without being asked");
}

/* One more reply on the way to a new start. 1: that was the last stale one, 0: go on. */
static int next_stale(struct pt_turn *turn, uint64_t *deadline_ns, struct pt_err *err)
{
	int n = pt_turn_receive(turn, *deadline_ns, err);

	if (n >= 0 && turn->answers(turn->in, (size_t)n)) {
		*deadline_ns = in_ms(turn, DRAIN_MS);	/* answers to earlier questions stand close behind each other */
		return --turn->asked == 0 ? 1 : 0;
	}
	return n >= 0 || n == PT_EPROTO ? 0 : n;
}

/* What comes before the answer to this question is stale, and so are answers to such questions asked before in vain. */
static int agree(struct pt_turn *turn, struct pt_err *err)
{
	uint8_t question[QUESTION_BYTES];
	uint64_t deadline_ns = in_ms(turn, patience_ms(turn));
	unsigned asked = turn->asked + 1;
	int rc = pt_turn_send(turn, question, turn->question(question), err);

	if (rc < 0)
		return rc;
	turn->asked = asked;
	for (unsigned i = 0; rc == 0 && i < MOST_STALE; i++)
		rc = next_stale(turn, &deadline_ns, err);
	if (rc == 0)
		return pt_fail(err, PT_EPROTO, "the probe answers, but not what it is asked");
	if (rc == PT_ETIMEOUT && turn->asked == asked) {
		turn->debt = 0;		/* `asked` has it */
		return rc;
	}
	if (rc < 0 && rc != PT_ETIMEOUT)
		return rc;
	turn->debt = turn->asked = 0;
	turn->out_of_step = turn->silent = false;
	return 0;
}

int pt_turn_settle(struct pt_turn *turn, struct pt_err *err)
{
	int rc = collect(turn, err);

	if (rc == 0 && turn->out_of_step)
		rc = agree(turn, err);
	return rc;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

int pt_turn_again(struct pt_turn *turn, uint64_t busy_ns, struct pt_err *err)
{
	return pt_turn_receive(turn, in_ms(turn, PT_TURN_ANSWER_MS) + busy_ns, err);
}

int pt_turn_ask(struct pt_turn *turn, const uint8_t *request, size_t n_bytes, uint64_t busy_ns, struct pt_err *err)
{
	int rc = pt_turn_settle(turn, err);

	if (rc == 0)
		rc = pt_turn_send(turn, request, n_bytes, err);
	return rc < 0 ? rc : pt_turn_again(turn, busy_ns, err);
}

/* Half a request would be taken for a part of the next one, so there is no way back but to send the rest. */
int pt_turn_ask_parts(struct pt_turn *turn, const uint8_t *first, size_t n_first, const uint8_t *rest, size_t n_rest,
		      uint64_t busy_ns, struct pt_err *err)
{
	int rc = pt_turn_settle(turn, err);

	if (rc == 0)
		rc = pt_link_submit_part(turn->link, first, n_first, in_ms(turn, PT_TURN_ANSWER_MS), err);
	if (rc == 0)
		rc = pt_turn_send(turn, rest, n_rest, err);
	return rc < 0 ? rc : pt_turn_again(turn, busy_ns, err);
}

int pt_turn_mistrust(struct pt_turn *turn, struct pt_err *err)
{
	turn->out_of_step = true;
	return pt_fail(err, PT_EPROTO, "the probe answers what it was not asked");
}
