/* The driver of the probe that our virtual boards have for BDC and trace pins: the device and the wire's set-up. */
#include <ctype.h>
#include <string.h>

#include "host/log.h"
#include "probes/bdc/bdc_pipe_parts.h"
#include "base/util.h"

enum { RESET_US = 2000, STRAP_US = 1000, RISE_TRIES = 20 };
#define RISE_NS (5 * PT_NS_PER_MS)

/* --- the device --------------------------------------------------------------------------------------------------- */

static int take_info(struct pt_pipe *pipe, unsigned limit, struct pt_err *err)
{
	const uint8_t *info = pipe->in + PT_PIPE_RESPONSE_HEAD;
	size_t n = pipe->n_in - PT_PIPE_RESPONSE_HEAD, bytes;

	if (n < 4 || (size_t)info[3] + 4 > n)
		return pt_fail(err, PT_EPROTO, "the probe's information is cut short");
	bytes = pt_le16(info);
	if (bytes > pipe->link_info.packet_bytes)
		bytes = pipe->link_info.packet_bytes;
	if (bytes < PT_PIPE_LEAST_BYTES)
		return pt_fail(err, PT_EPROTO, "the probe claims packets of %zu bytes", bytes);
	pipe->packet_bytes = bytes < PT_PIPE_MOST_BYTES ? bytes : PT_PIPE_MOST_BYTES;
	pipe->depth = info[2] < 1 ? 1 : info[2];
	if (pipe->depth > pipe->link_info.depth)
		pipe->depth = pipe->link_info.depth;
	if (limit > 0 && pipe->depth > limit)
		pipe->depth = limit;
	if (pipe->depth > PT_PIPE_MOST_DEPTH)
		pipe->depth = PT_PIPE_MOST_DEPTH;
	for (size_t i = 0; i < info[3] && i + 1 < sizeof(pipe->firmware); i++)
		pipe->firmware[i] = isprint(info[4 + i]) ? (char)info[4 + i] : '?';
	pt_link_set_packet_bytes(pipe->link, pipe->packet_bytes);
	return 0;
}

static int pipe_open(void *state, struct pt_link *link, const struct pt_params *settings, struct pt_err *err)
{
	struct pt_pipe *pipe = state;
	unsigned limit = (unsigned)pt_params_number(settings, &pt_probe_params[PT_PROBE_LIMIT_PACKETS]);
	int rc;

	pipe->link = link;
	pipe->errors = PT_BDC_ERRORS;
	pipe->use_ack = pt_params_flag(settings, &pt_probe_params[PT_PROBE_BDC_ACK]);
	pt_link_info(link, &pipe->link_info);
	rc = pt_pipe_drain(pipe, err);
	if (rc == 0) {
		pt_pipe_begin(pipe, 0);
		pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_INFO }, 1);
		rc = pt_pipe_ask(pipe, 0, err);
	}
	if (rc > 0)
		rc = pt_fail(err, PT_EPROTO, "the probe does not tell what it is");
	return rc < 0 ? rc : take_info(pipe, limit, err);
}

/* The core is left as it is; a target that goes on sending ACK pulses harms nobody. */
static void pipe_close(void *state)
{
	struct pt_pipe *pipe = state;

	if (!pipe->capture.on)
		return;
	pt_pipe_begin(pipe, 0);
	pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_CAPTURE_STOP }, 1);
	pt_pipe_ask(pipe, 0, NULL);
}

static void pipe_info(void *state, struct pt_probe_info *out)
{
	const struct pt_pipe *pipe = state;

	memcpy(out->firmware, pipe->firmware, sizeof(out->firmware));
	strcpy(out->protocol, "bdc-pipe");
	out->packet_bytes = pipe->packet_bytes;
	out->packet_count = pipe->depth;
	out->speed_hz = pipe->bdcsi_hz;
}

/* --- the wire ----------------------------------------------------------------------------------------------------- */

/* bdcsi_hz is 0 then when the target does not answer. */
static int ask_rate(struct pt_pipe *pipe, struct pt_err *err)
{
	int rc;

	pt_pipe_begin(pipe, 0);
	pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_SYNC }, 1);
	rc = pt_pipe_ask(pipe, PT_PIPE_ACK_MS * PT_NS_PER_MS, err);
	if (rc < 0)
		return rc;
	if (rc != PT_PIPE_DONE || pipe->n_in < PT_PIPE_RESPONSE_HEAD + 4)
		return pt_fail(err, PT_EPROTO, "the probe does not do SYNC");
	pipe->bdcsi_hz = pt_le32(pipe->in + PT_PIPE_RESPONSE_HEAD);
	return 0;
}

static int sync_rate(struct pt_pipe *pipe, struct pt_err *err)
{
	int rc = ask_rate(pipe, err);

	if (rc < 0 || pipe->bdcsi_hz != 0)
		return rc;
	return pt_fail(err, PT_EPROTO, "the target does not answer SYNC: no power, no clock, or not wired");
}

/* ACK_ENABLE is answered by an ACK already. Returns the status, or an error. */
static int tell_ack(struct pt_pipe *pipe, bool ack, struct pt_err *err)
{
	pt_pipe_begin(pipe, 0);
	if (ack)
		pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_SEND, 1, 0x02, PT_PIPE_ACK, PT_PIPE_ACK_MS, 0 }, 6);
	else
		pt_pipe_put(pipe, (const uint8_t[]){ PT_PIPE_SEND, 1, 0x03, PT_PIPE_CYCLES, PT_BDC_DELAY_CYCLES, 0 },
			    6);
	return pt_pipe_ask(pipe, PT_PIPE_ACK_MS * PT_NS_PER_MS, err);
}

int pt_pipe_bring_up(struct pt_pipe *pipe, bool ack, struct pt_err *err)
{
	int rc = sync_rate(pipe, err);

	pipe->ack = false;
	if (rc == 0)
		rc = tell_ack(pipe, ack, err);
	if (rc == PT_PIPE_NO_ACK && ack) {
		pt_warn("bdc-pipe: the target sends no ACK; delays are used instead");
		return pt_pipe_bring_up(pipe, false, err);	/* its SYNC ends what the target may still wait for */
	}
	if (rc > 0)
		rc = pt_fail(err, PT_EPROTO, "the probe cannot tell the target about ACK (status %d)", rc);
	pipe->ack = rc == 0 && ack;
	return rc;
}

static int pipe_connect(void *state, uint32_t *bdcsi_hz, struct pt_err *err)
{
	struct pt_pipe *pipe = state;
	int rc = pt_pipe_bring_up(pipe, pipe->use_ack, err);

	*bdcsi_hz = pipe->bdcsi_hz;
	return rc;
}

static void put_drive(struct pt_pipe *pipe, uint8_t pins, uint8_t values, uint32_t then_us)
{
	uint8_t bytes[8] = { PT_PIPE_DRIVE, pins, values, PT_PIPE_DELAY };

	pt_put_le32(bytes + 4, then_us);
	pt_pipe_put(pipe, bytes, sizeof(bytes));
}

/* BKGD is sampled when reset is released. The clock may take its time to come up. Source: VHL 5.3.2.1, 6.4.7. */
static int pulse_reset(struct pt_pipe *pipe, uint8_t strap, struct pt_err *err)
{
	int rc;

	pt_pipe_begin(pipe, 0);
	put_drive(pipe, PT_PIPE_RESET | PT_PIPE_BKGD, strap, RESET_US);
	put_drive(pipe, PT_PIPE_RESET, PT_PIPE_RESET, STRAP_US);
	put_drive(pipe, PT_PIPE_BKGD, PT_PIPE_BKGD, 0);
	rc = pt_pipe_ask(pipe, (RESET_US + STRAP_US) * UINT64_C(1000), err);
	return rc <= 0 ? rc : pt_fail(err, PT_EPROTO, "the probe does not drive the reset pin");
}

static int pipe_reset(void *state, enum pt_bdc_mode mode, struct pt_err *err)
{
	struct pt_pipe *pipe = state;
	int rc = pulse_reset(pipe, mode == PT_BDC_NORMAL ? PT_PIPE_BKGD : 0, err);

	for (unsigned i = 0; rc == 0 && i < RISE_TRIES; i++) {
		rc = ask_rate(pipe, err);
		if (rc < 0 || pipe->bdcsi_hz != 0)
			break;
		rc = pt_link_wait(pipe->link, pt_link_now_ns(pipe->link) + RISE_NS, err);
	}
	return rc == 0 ? pt_pipe_bring_up(pipe, pipe->use_ack, err) : rc;
}

static void pipe_set_errors(void *state, uint16_t errors)
{
	((struct pt_pipe *)state)->errors = errors;
}

static const struct pt_bdc_ops bdc_ops = {
	.connect = pipe_connect,
	.run = pt_pipe_run,
	.can = pt_pipe_can,
	.set_errors = pipe_set_errors,
	.reset = pipe_reset,
};

const struct pt_probe_ops pt_bdc_pipe_ops = {
	.name = "bdc-pipe",
	.help = "pipelined BDC, for virtual boards",
	.state_bytes = sizeof(struct pt_pipe),
	.open = pipe_open,
	.close = pipe_close,
	.info = pipe_info,
	.bdc = &bdc_ops,
	.pins = &pt_pipe_pins,
};
