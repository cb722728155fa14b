/* Requests and responses carry a sequence number, so a late or lost response is recognised: a call that gives up
 * leaves its response to the next call to collect, and what comes later still is discarded. */
#include <string.h>

#include "host/log.h"
#include "probes/bdc/bdc_pipe_parts.h"
#include "base/util.h"

enum { DRAIN_MS = 10, RESYNC_MS = 100, MOST_GIVEN_UP = 127, MOST_STALE = 2 * PT_PIPE_MOST_DEPTH };

static uint64_t in_ms(struct pt_pipe *pipe, uint32_t ms)
{
	return pt_link_now_ns(pipe->link) + ms * PT_NS_PER_MS;
}

void pt_pipe_begin(struct pt_pipe *pipe, uint8_t flags)
{
	pipe->out[0] = pipe->sequence;
	pipe->out[1] = flags;
	pipe->n_out = PT_PIPE_REQUEST_HEAD;
}

void pt_pipe_put(struct pt_pipe *pipe, const uint8_t *bytes, size_t n_bytes)
{
	memcpy(pipe->out + pipe->n_out, bytes, n_bytes);
	pipe->n_out += n_bytes;
}

int pt_pipe_send(struct pt_pipe *pipe, uint64_t deadline_ns, struct pt_err *err)
{
	int rc = pt_link_submit(pipe->link, pipe->out, pipe->n_out, deadline_ns, err);

	pt_debug(PT_LOG_USB, "bdc-pipe: request %u, %zu bytes: %d", pipe->sequence, pipe->n_out, rc);
	if (rc == 0) {
		pipe->owed++;
		pipe->sequence++;
	}
	return rc;
}

/* How many before the oldest that is owed; negative: that many behind it. */
static int age(const struct pt_pipe *pipe)
{
	return (int8_t)(uint8_t)(pipe->sequence - pipe->owed - pipe->in[0]);
}

static void give_up(struct pt_pipe *pipe, unsigned n)
{
	pipe->owed -= n;
	pipe->given_up = pipe->given_up + n < MOST_GIVEN_UP ? pipe->given_up + n : MOST_GIVEN_UP;
}

int pt_pipe_receive(struct pt_pipe *pipe, uint64_t deadline_ns, struct pt_err *err)
{
	int n, before;

	do {
		n = pt_link_receive(pipe->link, pipe->in, sizeof(pipe->in), deadline_ns, err);
		if (n >= 0 || n == PT_ETIMEOUT)
			pipe->silent = n == PT_ETIMEOUT;
		if (n < 0 && n != PT_EPROTO)
			return n;
		before = n > 0 ? age(pipe) : 0;
	} while (before > 0 && (unsigned)before <= pipe->given_up);
	pipe->n_in = n > 0 ? (size_t)n : 0;
	if (before < 0 && (unsigned)-before < pipe->owed) {
		give_up(pipe, (unsigned)-before);
		pipe->owed--;
		return pt_fail(err, PT_EPROTO, "%d responses of the probe are missing", -before);
	}
	if (pipe->owed > 0)
		pipe->owed--;
	if (n < 0)
		return n;
	if (before != 0)
		return pt_fail(err, PT_EPROTO, "the probe answers what it was not asked");
	if (n < PT_PIPE_RESPONSE_HEAD)
		return pt_fail(err, PT_EPROTO, "the probe's response is cut short");
	return 0;
}

int pt_pipe_settle(struct pt_pipe *pipe, struct pt_err *err)
{
	uint64_t deadline_ns = in_ms(pipe, pipe->silent ? RESYNC_MS : PT_PIPE_ANSWER_MS);

	while (pipe->owed > 0) {
		int rc = pt_pipe_receive(pipe, deadline_ns, err);

		if (rc == PT_ETIMEOUT)
			give_up(pipe, pipe->owed);
		else if (rc < 0 && rc != PT_EPROTO)
			return rc;
	}
	return 0;
}

int pt_pipe_drain(struct pt_pipe *pipe, struct pt_err *err)
{
	for (unsigned i = 0; i < MOST_STALE; i++) {
		int n = pt_link_receive(pipe->link, pipe->in, sizeof(pipe->in), in_ms(pipe, DRAIN_MS), err);

		if (n == PT_ETIMEOUT)
			return 0;
		if (n < 0 && n != PT_EPROTO)
			return n;
	}
	return pt_fail(err, PT_EPROTO, "the probe sends without being asked");
}

int pt_pipe_status(const struct pt_pipe *pipe, struct pt_err *err)
{
	if (pipe->in[1] == PT_PIPE_NO_TARGET)
		return pt_fail(err, PT_EPROTO, "the target has no power");
	if (pipe->in[1] == PT_PIPE_BAD_REQUEST)
		return pt_fail(err, PT_EPROTO, "the probe does not understand a request");
	if (pipe->in[1] > PT_PIPE_SKIPPED)
		return pt_fail(err, PT_EPROTO, "the probe answers with status 0x%02x", pipe->in[1]);
	return pipe->in[1];
}

int pt_pipe_ask(struct pt_pipe *pipe, uint64_t busy_ns, struct pt_err *err)
{
	int rc = pt_pipe_settle(pipe, err);

	if (rc == 0)
		rc = pt_pipe_send(pipe, in_ms(pipe, PT_PIPE_ANSWER_MS), err);
	if (rc == 0)
		rc = pt_pipe_receive(pipe, in_ms(pipe, PT_PIPE_ANSWER_MS) + busy_ns, err);
	if (rc == PT_ETIMEOUT)
		return pt_fail(err, rc, "the probe does not answer");
	return rc == 0 ? pt_pipe_status(pipe, err) : rc;
}
