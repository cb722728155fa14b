/* CMSIS-DAP requests and responses, kept in step. Responses carry no number: only their order says what they answer.
 * So a call that ends early (interrupt, time-out, error) leaves responses outstanding, which the next call collects
 * first. Where a response may be lost or foreign, a question with an answer of its own shape (DAP_Info) finds the end
 * of what is stale. */
#include <string.h>

#include "host/log.h"
#include "probes/dap/cmsis_dap.h"
#include "base/util.h"

enum {
	DRAIN_MS = 10,
	RESYNC_MS = 100,	/* for what a probe still owes that was silent for PT_CMSIS_DAP_ANSWER_MS */
	ASKED_MS = 20,		/* and once it has been asked in vain: whoever waits above shall hear soon */
	LOST_MOST = 2,		/* one may be the cable's */
	MAX_STALE = 2 * PT_CMSIS_DAP_MAX_DEPTH,
};

static uint64_t in_ms(struct pt_cmsis_dap *dap, uint32_t ms)
{
	return pt_link_now_ns(dap->link) + ms * PT_NS_PER_MS;
}

int pt_cmsis_dap_send(struct pt_cmsis_dap *dap, size_t len_bytes, uint64_t deadline_ns, struct pt_err *err)
{
	int rc = pt_link_submit(dap->link, dap->out, len_bytes, deadline_ns, err);

	pt_debug(PT_LOG_USB, "cmsis-dap: command 0x%02x, %zu bytes: %d", dap->out[0], len_bytes, rc);
	if (rc == 0)
		dap->owed++;
	return rc;
}

int pt_cmsis_dap_receive(struct pt_cmsis_dap *dap, uint64_t deadline_ns, struct pt_err *err)
{
	int n = pt_link_receive(dap->link, dap->in, sizeof(dap->in), deadline_ns, err);

	pt_debug(PT_LOG_USB, "cmsis-dap: response 0x%02x, %d bytes", n > 0 ? dap->in[0] : 0, n);
	if ((n >= 0 || n == PT_EPROTO) && dap->owed > 0)
		dap->owed--;
	if (n == PT_EPROTO)
		dap->out_of_step = true;
	if (n >= 0 || n == PT_ETIMEOUT)
		dap->silent = n == PT_ETIMEOUT;
	dap->lost_ahead |= n == PT_ETIMEOUT && dap->owed > 1;
	if (n > 0)
		pt_cmsis_dap_swo_take(dap, (size_t)n);
	return n;
}

/* --- getting back into step -------------------------------------------------------------------------------------- */

static uint32_t patience_ms(const struct pt_cmsis_dap *dap)
{
	if (!dap->silent)
		return PT_CMSIS_DAP_ANSWER_MS;
	return dap->asked == 0 ? RESYNC_MS : ASKED_MS;
}

static int collect(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	uint64_t deadline_ns = in_ms(dap, patience_ms(dap));

	while (dap->owed > 0 && !dap->out_of_step) {
		int n = pt_cmsis_dap_receive(dap, deadline_ns, err);

		if (n == PT_ETIMEOUT)	/* lost, or so late that the question below finds them */
			dap->out_of_step = true;
		else if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return 0;
}

/* One more response on the way to a new start. 1: that was the last stale one, 0: go on. */
static int next_stale(struct pt_cmsis_dap *dap, uint64_t *deadline_ns, struct pt_err *err)
{
	int n = pt_cmsis_dap_receive(dap, *deadline_ns, err);

	if (n >= 2 && dap->in[0] == DAP_INFO) {
		*deadline_ns = in_ms(dap, DRAIN_MS);	/* answers to earlier questions stand close behind each other */
		return --dap->asked == 0 ? 1 : 0;
	}
	return n >= 0 || n == PT_EPROTO ? 0 : n;
}

/* What comes before the answer to this question is stale, and so are answers to such questions asked before in vain. */
static int agree(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	uint64_t deadline_ns = in_ms(dap, patience_ms(dap));
	unsigned asked = dap->asked + 1, missing = dap->owed, n_stale = 0;
	int rc;

	memcpy(dap->out, (const uint8_t[]){ DAP_INFO, 0xfe }, 2);
	rc = pt_cmsis_dap_send(dap, 2, deadline_ns, err);
	if (rc < 0)
		return rc;
	dap->asked = asked;
	for (; rc == 0 && n_stale < MAX_STALE; n_stale++)
		rc = next_stale(dap, &deadline_ns, err);
	if (rc == 0)
		return pt_fail(err, PT_EPROTO, "the probe answers, but not what it is asked");
	if (rc == PT_ETIMEOUT && dap->asked == asked) {
		dap->owed = 0;	/* `asked` has it */
		return rc;
	}
	if (rc < 0 && rc != PT_ETIMEOUT)
		return rc;
	dap->owed = dap->asked = 0;
	dap->out_of_step = dap->silent = false;
	dap->n_lost_ahead += dap->lost_ahead && n_stale < missing + asked;	/* else they were only late */
	dap->lost_ahead = false;
	if (dap->n_lost_ahead >= LOST_MOST && dap->depth > 1)
		pt_cmsis_dap_one_at_a_time(dap);
	return 0;
}

int pt_cmsis_dap_settle(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	int rc = collect(dap, err);

	if (rc == 0 && dap->out_of_step)
		rc = agree(dap, err);
	return rc;
}

int pt_cmsis_dap_drain(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	for (unsigned i = 0; i < MAX_STALE; i++) {
		int n = pt_cmsis_dap_receive(dap, in_ms(dap, DRAIN_MS), err);

		if (n == PT_ETIMEOUT) {
			dap->out_of_step = dap->silent = false;
			return 0;
		}
		if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return pt_fail(err, PT_EPROTO, "the probe sends without being asked");
}

/* --- single commands --------------------------------------------------------------------------------------------- */

/* A debt that stays with the probe after an error is paid by the next call. */
int pt_cmsis_dap_take_answer(struct pt_cmsis_dap *dap, uint8_t command, size_t min_bytes, struct pt_err *err)
{
	uint32_t wait_ms = dap->answer_ms != 0 ? dap->answer_ms : PT_CMSIS_DAP_ANSWER_MS;
	int n = pt_cmsis_dap_receive(dap, in_ms(dap, wait_ms), err);

	if (n < 0)
		return n;
	if (n < 1 || dap->in[0] != command) {
		bool unknown = n >= 1 && dap->in[0] == 0xff;

		dap->out_of_step = !unknown;
		if (unknown)
			return pt_fail(err, PT_EUNSUPPORTED, "the probe does not know command 0x%02x", command);
		return pt_fail(err, PT_EPROTO, "the probe answered command 0x%02x to 0x%02x", n > 0 ? dap->in[0] : 0,
			       command);
	}
	if ((size_t)n < min_bytes) {
		dap->out_of_step = true;
		return pt_fail(err, PT_EPROTO, "the probe's answer to command 0x%02x has %d bytes, not %zu", command, n,
			       min_bytes);
	}
	return n;
}

int pt_cmsis_dap_command(struct pt_cmsis_dap *dap, const uint8_t *request, size_t len_bytes, size_t min_bytes,
			 struct pt_err *err)
{
	int rc = pt_cmsis_dap_settle(dap, err);

	if (rc < 0)
		return rc;
	memcpy(dap->out, request, len_bytes);
	rc = pt_cmsis_dap_send(dap, len_bytes, in_ms(dap, PT_CMSIS_DAP_ANSWER_MS), err);
	return rc < 0 ? rc : pt_cmsis_dap_take_answer(dap, request[0], min_bytes, err);
}

static int judge_order(struct pt_cmsis_dap *dap, const struct pt_cmsis_dap_order *order, struct pt_err *err)
{
	int n = pt_cmsis_dap_take_answer(dap, order->bytes[0], 2, err);

	if (n == PT_EUNSUPPORTED && order->any_status)
		return 0;
	if (n < 0)
		return n;
	if (dap->in[1] != order->want && !order->any_status)
		return pt_fail(err, PT_EPROTO, "the probe refused (answer 0x%02x)", dap->in[1]);
	return 0;
}

int pt_cmsis_dap_orders(struct pt_cmsis_dap *dap, const struct pt_cmsis_dap_order *orders, size_t n_orders,
			struct pt_err *err)
{
	int rc = pt_cmsis_dap_settle(dap, err);
	size_t sent = 0;

	for (size_t i = 0; rc == 0 && i < n_orders; i++) {
		for (; rc == 0 && sent < n_orders && sent - i < dap->depth; sent++) {
			memcpy(dap->out, orders[sent].bytes, orders[sent].len_bytes);
			rc = pt_cmsis_dap_send(dap, orders[sent].len_bytes, in_ms(dap, PT_CMSIS_DAP_ANSWER_MS), err);
		}
		if (rc == 0)
			rc = judge_order(dap, &orders[i], err);
		if (rc < 0)
			pt_wrap(err, "%s", orders[i].what);
	}
	return rc;
}
