#include "probes/wires/exchange.h"

#include "host/log.h"
#include "base/util.h"

enum {
	DRAIN_MS = 10,
	RESYNC_MS = 100,	/* for replies of a probe that was silent for PT_EXCHANGE_ANSWER_MS */
	ASKED_MS = 20,		/* after it did not answer the question: the caller must be told soon */
	MOST_STALE = 16,
	QUESTION_BYTES = 64,
};

static uint64_t in_ms(struct pt_exchange *exchange, uint32_t ms)
{
	return pt_link_now_ns(exchange->link) + ms * PT_NS_PER_MS;
}

/* Links to devices that do not mark the end of a full reply need its length. */
static int receive_of(struct pt_exchange *exchange, size_t room, uint64_t deadline_ns, struct pt_err *err)
{
	int n = pt_link_receive(exchange->link, exchange->in, room != 0 ? room : sizeof(exchange->in), deadline_ns,
				err);

	pt_debug(PT_LOG_USB, "%s: reply 0x%02x, %d bytes", exchange->name, n > 0 ? exchange->in[0] : 0, n);
	if ((n >= 0 || n == PT_EPROTO) && exchange->debt > 0)
		exchange->debt--;
	if (n == PT_EPROTO)
		exchange->out_of_step = true;
	if (n >= 0 || n == PT_ETIMEOUT)
		exchange->silent = n == PT_ETIMEOUT;
	return n;
}

int pt_exchange_receive(struct pt_exchange *exchange, uint64_t deadline_ns, struct pt_err *err)
{
	return receive_of(exchange, 0, deadline_ns, err);
}

int pt_exchange_send(struct pt_exchange *exchange, const uint8_t *bytes, size_t n_bytes, struct pt_err *err)
{
	int rc = pt_link_submit(exchange->link, bytes, n_bytes, in_ms(exchange, PT_EXCHANGE_ANSWER_MS), err);

	pt_debug(PT_LOG_USB, "%s: request 0x%02x 0x%02x, %zu bytes: %d", exchange->name, bytes[0],
		 n_bytes > 1 ? bytes[1] : 0, n_bytes, rc);
	exchange->debt += rc == 0;
	return rc;
}

/* --- back into step ----------------------------------------------------------------------------------------------- */

static uint32_t patience_ms(const struct pt_exchange *exchange)
{
	if (!exchange->silent)
		return PT_EXCHANGE_ANSWER_MS;
	return exchange->asked == 0 ? RESYNC_MS : ASKED_MS;
}

static int collect(struct pt_exchange *exchange, struct pt_err *err)
{
	uint64_t deadline_ns = in_ms(exchange, patience_ms(exchange));

	while (exchange->debt > 0 && !exchange->out_of_step) {
		int n = receive_of(exchange, exchange->room, deadline_ns, err);

		if (n == PT_ETIMEOUT)
			exchange->out_of_step = true;
		else if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return 0;
}

int pt_exchange_drain(struct pt_exchange *exchange, struct pt_err *err)
{
	for (unsigned i = 0; i < MOST_STALE; i++) {
		int n = pt_exchange_receive(exchange, in_ms(exchange, DRAIN_MS), err);

		if (n == PT_ETIMEOUT) {
			exchange->out_of_step = exchange->silent = false;
			return 0;
		}
		if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return pt_fail(err, PT_EPROTO, "the probe sends without being asked");
}

/* Takes one more reply while resynchronising. 1: it was the last stale one, 0: continue. */
static int next_stale(struct pt_exchange *exchange, uint64_t *deadline_ns, struct pt_err *err)
{
	int n = pt_exchange_receive(exchange, *deadline_ns, err);

	if (n >= 0 && exchange->answers(exchange->in, (size_t)n)) {
		*deadline_ns = in_ms(exchange, DRAIN_MS); /* answers to earlier questions arrive close together */
		return --exchange->asked == 0 ? 1 : 0;
	}
	return n >= 0 || n == PT_EPROTO ? 0 : n;
}

/* Replies before the answer to this question are stale, and so are answers to earlier questions of this kind. */
static int agree(struct pt_exchange *exchange, struct pt_err *err)
{
	uint8_t question[QUESTION_BYTES];
	uint64_t deadline_ns = in_ms(exchange, patience_ms(exchange));
	unsigned asked = exchange->asked + 1;
	int rc = pt_exchange_send(exchange, question, exchange->question(question), err);

	if (rc < 0)
		return rc;
	exchange->asked = asked;
	for (unsigned i = 0; rc == 0 && i < MOST_STALE; i++)
		rc = next_stale(exchange, &deadline_ns, err);
	if (rc == 0)
		return pt_fail(err, PT_EPROTO, "the probe answers, but not what it is asked");
	if (rc == PT_ETIMEOUT && exchange->asked == asked) {
		exchange->debt = 0;		/* counted in `asked` */
		return rc;
	}
	if (rc < 0 && rc != PT_ETIMEOUT)
		return rc;
	exchange->debt = exchange->asked = 0;
	exchange->out_of_step = exchange->silent = false;
	return 0;
}

int pt_exchange_settle(struct pt_exchange *exchange, struct pt_err *err)
{
	int rc = collect(exchange, err);

	if (rc == 0 && exchange->out_of_step)
		rc = agree(exchange, err);
	return rc;
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

int pt_exchange_again(struct pt_exchange *exchange, uint64_t busy_ns, struct pt_err *err)
{
	uint32_t answer_ms = exchange->answer_ms != 0 ? exchange->answer_ms : PT_EXCHANGE_ANSWER_MS;

	return receive_of(exchange, exchange->room, in_ms(exchange, answer_ms) + busy_ns, err);
}

int pt_exchange_ask(struct pt_exchange *exchange, const uint8_t *request, size_t n_bytes, uint64_t busy_ns,
		    struct pt_err *err)
{
	int rc = pt_exchange_settle(exchange, err);

	if (rc == 0)
		rc = pt_exchange_send(exchange, request, n_bytes, err);
	return rc < 0 ? rc : pt_exchange_again(exchange, busy_ns, err);
}

/* The device would take half a request for a part of the next one, so the rest must be sent. */
int pt_exchange_ask_parts(struct pt_exchange *exchange, const uint8_t *first, size_t n_first, const uint8_t *rest,
			  size_t n_rest, uint64_t busy_ns, struct pt_err *err)
{
	int rc = pt_exchange_settle(exchange, err);

	if (rc == 0)
		rc = pt_link_submit_part(exchange->link, first, n_first, in_ms(exchange, PT_EXCHANGE_ANSWER_MS), err);
	if (rc == 0)
		rc = pt_exchange_send(exchange, rest, n_rest, err);
	return rc < 0 ? rc : pt_exchange_again(exchange, busy_ns, err);
}

int pt_exchange_mistrust(struct pt_exchange *exchange, struct pt_err *err)
{
	exchange->out_of_step = true;
	return pt_fail(err, PT_EPROTO, "the probe answers what it was not asked");
}
