#include "fake_bdc_pipe.h"

#include <string.h>

#include "probes/bdc/bdc_pipe.h"
#include "base/util.h"

struct call {
	struct fake_bdc_pipe *fake;
	const uint8_t *in;
	size_t left;
	uint8_t *out;
	size_t n_out, room;
	uint64_t *took_ns;
	bool bad;		/* cut short, or too much to answer */
};

void fake_bdc_pipe_init(struct fake_bdc_pipe *fake, uint16_t packet_bytes, uint8_t packet_count)
{
	memset(fake, 0, sizeof(*fake));
	fake_bdc_init(&fake->bdc);
	fake->packet_bytes = packet_bytes;
	fake->packet_count = packet_count;
	fake->most_hz = 100000000;
	fake->pins = PT_PIPE_BKGD | PT_PIPE_RESET | PT_PIPE_POWER;
}

static const uint8_t *take(struct call *c, size_t n)
{
	static const uint8_t nothing[256];
	const uint8_t *at = c->in;

	if (n > c->left) {
		c->bad = true;
		return nothing;
	}
	c->in += n;
	c->left -= n;
	return at;
}

static void give(struct call *c, uint64_t value, unsigned n_bytes)
{
	if (c->n_out + n_bytes > c->room) {
		c->bad = true;
		return;
	}
	for (unsigned i = 0; i < n_bytes; i++)
		c->out[c->n_out++] = (uint8_t)(value >> (8 * i));
}

static void drive(struct fake_bdc_pipe *fake, uint8_t pins, uint8_t values)
{
	bool was_low = (fake->pins & PT_PIPE_RESET) == 0;

	fake->pins = (uint8_t)((fake->pins & ~pins) | (values & pins));
	if (was_low && (fake->pins & PT_PIPE_RESET) != 0)
		fake_bdc_reset(&fake->bdc, (fake->pins & PT_PIPE_BKGD) == 0);
}

static enum pt_pipe_status poll(struct call *c)
{
	const uint8_t *at = take(c, 10);
	uint32_t addr = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2], time_us = pt_le32(at + 6);
	uint8_t byte = 0;

	for (uint32_t us = 0; us == 0 || us < time_us; us += 100) {
		fake_bdc_read(&c->fake->bdc, addr, 1, &byte);
		*c->took_ns += 100000;
		if ((byte & at[3]) == at[4]) {
			give(c, 1, 1);
			give(c, byte, 1);
			return PT_PIPE_DONE;
		}
	}
	give(c, 0, 1);
	give(c, byte, 1);
	return PT_PIPE_EXPIRED;
}

static void captured(struct call *c)
{
	struct fake_bdc_pipe *fake = c->fake;
	size_t n = pt_le16(take(c, 2)), left = fake->n_runs - fake->at;

	n = n < left ? n : left;
	if (fake->at < fake->lost_at && fake->at + n > fake->lost_at)
		n = fake->lost_at - fake->at;
	give(c, fake->at + n == fake->n_runs && fake->stopped, 1);
	give(c, fake->clock_ns + fake->at * 1000, 8);
	give(c, fake->lost_at > 0 && fake->at == fake->lost_at ? fake->lost : 0, 4);
	give(c, n, 2);
	for (size_t i = 0; i < n; i++)
		give(c, fake->runs[fake->at + i], 1);
	fake->at += n;
}

static void capture(struct call *c)
{
	uint32_t hz = pt_le32(take(c, 4));
	bool can = hz <= c->fake->most_hz;

	c->fake->at = 0;
	c->fake->stopped = false;
	c->fake->capturing = can;
	give(c, can ? (hz < 1000000 ? 1000000 : hz) : 0, 4);
	give(c, c->fake->clock_ns, 8);
}

static enum pt_pipe_status operation(struct call *c, bool *long_ack)
{
	struct fake_bdc *bdc = &c->fake->bdc;
	uint8_t op = *take(c, 1);
	const uint8_t *at;
	unsigned n;
	int pulse;

	if (c->fake->no_power && (op == PT_PIPE_SEND || op == PT_PIPE_RECEIVE || op == PT_PIPE_SYNC))
		return PT_PIPE_NO_TARGET;
	switch (op) {
	case PT_PIPE_INFO:
		give(c, c->fake->packet_bytes, 2);
		give(c, c->fake->packet_count, 1);
		give(c, 4, 1);
		give(c, 0x656b6166, 4);		/* "fake" */
		return PT_PIPE_DONE;
	case PT_PIPE_SEND:
		n = *take(c, 1);
		for (at = take(c, n); n > 0 && !c->bad; n--)
			fake_bdc_send(bdc, *at++);
		return PT_PIPE_DONE;
	case PT_PIPE_RECEIVE:
		for (n = *take(c, 1); n > 0; n--)
			give(c, fake_bdc_receive(bdc), 1);
		return PT_PIPE_DONE;
	case PT_PIPE_ACK:
		n = pt_le16(take(c, 2));
		pulse = fake_bdc_pulse(bdc);
		if (pulse == 0) {
			*c->took_ns += n * PT_NS_PER_MS;
			return PT_PIPE_NO_ACK;
		}
		*long_ack |= pulse == 2;
		give(c, (uint64_t)pulse, 1);
		return PT_PIPE_DONE;
	case PT_PIPE_CYCLES:
		take(c, 2);
		return PT_PIPE_DONE;
	case PT_PIPE_SYNC:
		give(c, fake_bdc_sync(bdc), 4);
		return PT_PIPE_DONE;
	case PT_PIPE_DRIVE:
		at = take(c, 2);
		drive(c->fake, at[0], at[1]);
		return PT_PIPE_DONE;
	case PT_PIPE_DELAY:
		*c->took_ns += pt_le32(take(c, 4)) * UINT64_C(1000);
		return PT_PIPE_DONE;
	case PT_PIPE_POLL:
		return poll(c);
	case PT_PIPE_CHECK:
		if (*long_ack)
			return PT_PIPE_LONG_ACK;
		return PT_PIPE_DONE;
	case PT_PIPE_CAPTURE:
		capture(c);
		return PT_PIPE_DONE;
	case PT_PIPE_CAPTURED:
		captured(c);
		return PT_PIPE_DONE;
	case PT_PIPE_CAPTURE_STOP:
		c->fake->stopped = true;
		return PT_PIPE_DONE;
	default:
		return PT_PIPE_BAD_REQUEST;
	}
}

size_t fake_bdc_pipe_answer(void *arg, const uint8_t *request, size_t len_bytes, uint8_t *response, uint64_t *took_ns)
{
	struct fake_bdc_pipe *fake = arg;
	struct call c = { .fake = fake,
			  .out = response,
			  .n_out = PT_PIPE_RESPONSE_HEAD,
			  .room = fake->packet_bytes,
			  .in = request + PT_PIPE_REQUEST_HEAD,
			  .left = len_bytes - PT_PIPE_REQUEST_HEAD,
			  .took_ns = took_ns };
	enum pt_pipe_status status = PT_PIPE_DONE;
	bool long_ack = false, skip = (request[1] & PT_PIPE_CHAINED) != 0 && fake->failed;
	unsigned n = 0;

	fake->n_skipped += skip;
	while (!skip && status == PT_PIPE_DONE && c.left > 0) {
		status = operation(&c, &long_ack);
		if (c.bad)
			status = PT_PIPE_BAD_REQUEST;
		n += status == PT_PIPE_DONE || status == PT_PIPE_LONG_ACK || status == PT_PIPE_EXPIRED;
		if (status == PT_PIPE_LONG_ACK)
			long_ack = false;
	}
	response[0] = request[0];
	response[1] = (uint8_t)(skip ? PT_PIPE_SKIPPED : status);
	response[2] = (uint8_t)n;
	fake->failed = skip || status != PT_PIPE_DONE;
	return c.n_out;
}
