/* Wire stream of an ST-Link: SWO through an endpoint of its own. A command asks how many bytes wait; so many are read
 * from the endpoint, before any other command.
 *
 * The probe has no word for a ring that was full: some firmware overwrites the oldest bytes, some starts to count anew.
 * What is left is arithmetic: since the last time that the ring was read, the pin cannot have carried more than its rate
 * allows; where that fits into the ring, nothing is missing. Where it does not, some may be, and no more than that.
 * Source: the host code of OpenOCD, pyOCD, probe-rs and stlink-tools; facts on lengths of F8xx: stlink-org. */
#include <string.h>

#include "host/log.h"
#include "probes/dap/stlink.h"
#include "probes/wires/probe.h"
#include "base/util.h"

enum { DEBUG = 0xf2, SWO_START = 0x40, SWO_STOP = 0x41, SWO_COUNT = 0x42 };
enum {
	RING_BYTES = 4096,		/* what each version takes; whether a V3 has more is not known */
	NEAR_FULL_BYTES = RING_BYTES - 16,
	BUFFER_BYTES = 1 << 16,
	REST_NS = 1000000,		/* between polls that bring nothing */
	RATE_PERCENT = 3,		/* how much faster than asked for the pin may be, and still be received */
};
enum { V2_MOST_BPS = 2000000, V3_MOST_BPS = 24000000, V3_SURE_BPS = 16000000 };

static uint32_t most_bps(const struct pt_stlink *st)
{
	return st->v >= 3 ? V3_MOST_BPS : V2_MOST_BPS;
}

static int check_want(const struct pt_stlink *st, const struct pt_stream_want *want, struct pt_err *err)
{
	if (!pt_stlink_has(st, 13, 0))
		return pt_stlink_too_old(st, "SWO", 13, 0, err);
	if (want->coding != PT_STREAM_UART)
		return pt_fail(err, PT_EARG, "an ST-Link receives SWO in UART coding alone");
	if (st->link_info.trace_bytes == 0)
		return pt_fail(err, PT_EARG, "the ST-Link has no endpoint for SWO");
	if (st->jtag)
		return pt_fail(err, PT_EARG, "the pin of SWO is TDO while the port is on JTAG; use transport=swd");
	if (want->bits_per_s == 0 || want->bits_per_s > most_bps(st))
		return pt_fail(err, PT_EARG, "this ST-Link receives SWO at up to %u baud", most_bps(st));
	if (want->bits_per_s > V3_SURE_BPS)
		pt_warn("stlink: SWO at %u baud: ST's manual says that a V3 receives up to %u", want->bits_per_s,
			V3_SURE_BPS);
	return st->swo.active ? pt_fail(err, PT_EBUSY, "the probe receives SWO already") : 0;
}

static int send_start(struct pt_stlink *st, uint32_t bits_per_s, struct pt_err *err)
{
	struct pt_stlink_command command = { .bytes = { DEBUG, SWO_START }, .n_reply = 2 };

	pt_put_le16(command.bytes + 2, RING_BYTES);
	pt_put_le32(command.bytes + 4, bits_per_s);
	return pt_stlink_do(st, &command, 0, err);
}

static int send_stop(struct pt_stlink *st, struct pt_err *err)
{
	const struct pt_stlink_command command = { .bytes = { DEBUG, SWO_STOP }, .n_reply = 2 };

	return pt_stlink_ask(st, &command, err);
}

static void begin(struct pt_stlink *st, const struct pt_stream_want *want)
{
	struct pt_stlink_swo *swo = &st->swo;

	pt_stream_buffer_fini(&swo->buffer);
	swo->clock = want->clock != NULL ? want->clock : st->link;
	swo->bits_per_s = want->bits_per_s;
	swo->empty_ns = pt_link_now_ns(swo->clock);
	pt_stream_buffer_init(&swo->buffer, BUFFER_BYTES, PT_STREAM_UNSAID, swo->empty_ns);
	swo->active = true;
}

static int swo_start(void *state, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *err)
{
	struct pt_stlink *st = state;
	int rc = check_want(st, want, err);

	if (rc == 0 && !st->entered)
		rc = pt_stlink_enter(st, err);
	if (rc == 0)
		rc = send_stop(st, err);	/* one that another host left */
	if (rc == 0)
		rc = send_start(st, want->bits_per_s, err);
	if (rc < 0)
		return rc;
	*bits_per_s = want->bits_per_s;	/* the protocol has no way to tell what was really set */
	begin(st, want);
	return 0;
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* What the pin can have carried at most since the ring was read last. */
static uint64_t possible_bytes(const struct pt_stlink_swo *swo, uint64_t now_ns)
{
	uint64_t gap_us = (now_ns - swo->empty_ns) / 1000 + 1;

	return gap_us * swo->bits_per_s / 10 * (100 + RATE_PERCENT) / 100 / 1000000 + 1;
}

/* n bytes waited, and were read by now_ns. Where the missing ones were, in front of these, among them or behind, depends
 * on the firmware. */
static void judge_gap(struct pt_stlink *st, uint64_t before, size_t n, uint64_t now_ns)
{
	uint64_t possible = possible_bytes(&st->swo, now_ns);

	if (possible <= RING_BYTES && n < NEAR_FULL_BYTES)
		return;
	pt_stream_buffer_lose(&st->swo.buffer, (struct pt_stream_hole){ before, before + n, PT_STREAM_PERHAPS,
									possible > n ? possible - n : PT_UNKNOWN });
}

static int read_endpoint(struct pt_stlink *st, size_t n, struct pt_err *err)
{
	struct pt_stream_buffer *buffer = &st->swo.buffer;
	uint8_t bytes[RING_BYTES + 512];
	size_t got = 0;

	while (got < n) {
		uint64_t deadline_ns = pt_link_now_ns(st->link) + PT_EXCHANGE_ANSWER_MS * PT_NS_PER_MS;
		int rc = pt_link_trace(st->link, bytes, n - got, 0, deadline_ns, err);

		if (rc < 0) {
			pt_link_end_trace(st->link);
			pt_stream_buffer_lose(buffer, (struct pt_stream_hole){ buffer->came, buffer->came,
									       PT_STREAM_PERHAPS, n - got });
			return rc;
		}
		pt_stream_buffer_add(buffer, bytes, (size_t)rc);
		got += (size_t)rc;
	}
	return 0;
}

static int start_again(struct pt_stlink *st, struct pt_err *err)
{
	struct pt_stream_buffer *buffer = &st->swo.buffer;
	int rc = send_stop(st, err);

	pt_stream_buffer_lose(buffer,
			      (struct pt_stream_hole){ buffer->came, buffer->came, PT_STREAM_SOME, PT_UNKNOWN });
	return rc == 0 ? send_start(st, st->swo.bits_per_s, err) : rc;
}

static int poll_once(struct pt_stlink *st, struct pt_err *err)
{
	static const struct pt_stlink_command count = { .bytes = { DEBUG, SWO_COUNT }, .n_reply = 2 };
	struct pt_stlink_swo *swo = &st->swo;
	uint64_t asked_ns = pt_link_now_ns(swo->clock), before = swo->buffer.came, half_ns;
	int rc = pt_stlink_ask(st, &count, err);
	size_t n;

	if (rc < 0)
		return rc;
	n = pt_le16(st->exchange.in);
	half_ns = (pt_link_now_ns(swo->clock) - asked_ns) / 2;
	if (n > RING_BYTES) {		/* F8xx was seen where bytes were lost: it is no count */
		rc = start_again(st, err);
	} else {
		rc = read_endpoint(st, n, err);
		judge_gap(st, before, n, pt_link_now_ns(swo->clock));
	}
	swo->empty_ns = asked_ns;
	pt_stream_buffer_timed(&swo->buffer, asked_ns + half_ns, half_ns + 1, true);
	return rc;
}

/* Between the count and the bytes no other command may come, also after an interrupt: what came stays in the buffer. */
static int poll_whole(struct pt_stlink *st, struct pt_err *err)
{
	int rc;

	pt_link_shield(st->link);
	rc = poll_once(st, err);
	pt_link_unshield(st->link);
	return rc == 0 ? pt_link_wait(st->link, 0, err) : rc;
}

static int swo_read(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		    struct pt_err *err)
{
	struct pt_stlink *st = state;
	struct pt_stream_buffer *buffer = &st->swo.buffer;
	uint64_t deadline_ns = pt_link_now_ns(st->link) + timeout_ms * PT_NS_PER_MS;
	uint64_t now_ns;
	int rc = 0;

	while (rc == 0 && st->swo.active && pt_stream_buffer_room(buffer) >= RING_BYTES) {
		rc = poll_whole(st, err);
		now_ns = pt_link_now_ns(st->link);
		if (rc < 0 || buffer->came > buffer->given || buffer->n_holes > 0 || now_ns >= deadline_ns)
			break;
		rc = pt_link_wait(st->link, deadline_ns - now_ns < REST_NS ? deadline_ns : now_ns + REST_NS, err);
	}
	return rc < 0 ? rc : (int)pt_stream_buffer_give(buffer, bytes, room, what);
}

static int swo_stop(void *state, struct pt_err *err)
{
	struct pt_stlink *st = state;
	struct pt_stlink_swo *swo = &st->swo;
	struct pt_err later = { 0 };
	int first, rc;

	if (!swo->active)
		return 0;
	pt_link_shield(st->link);
	first = pt_stream_buffer_room(&swo->buffer) >= RING_BYTES ? poll_once(st, err) : 0;
	rc = first == PT_EIO || first == PT_ETIMEOUT ? first : send_stop(st, &later);
	pt_link_unshield(st->link);
	swo->active = rc < 0 && rc != PT_EIO;
	swo->buffer.ended = !swo->active;
	return first < 0 || rc == 0 ? first : pt_fail(err, rc, "%s", later.msg);
}

void pt_stlink_swo_info(const struct pt_stlink *st, struct pt_probe_info *out)
{
	out->swo = pt_stlink_has(st, 13, 0) && st->link_info.trace_bytes > 0;
	if (!out->swo)
		return;
	strcpy(out->swo_codings, "uart");
	out->swo_most_bps = most_bps(st);
	out->swo_ring_bytes = RING_BYTES;
}

static uint32_t swo_patience(void *state, uint32_t bits_per_s)
{
	(void)state;
	return bits_per_s > 0 ? (uint32_t)(UINT64_C(10) * RING_BYTES * 1000000 / bits_per_s) : 0;
}

void pt_stlink_swo_close(struct pt_stlink *st)
{
	if (st->swo.active && !st->exchange.silent)
		send_stop(st, NULL);
	st->swo.active = false;
	pt_stream_buffer_fini(&st->swo.buffer);
}

const struct pt_stream_ops pt_stlink_stream_ops = {
	.start = swo_start,
	.read = swo_read,
	.stop = swo_stop,
	.patience_us = swo_patience,
};
