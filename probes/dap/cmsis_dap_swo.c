/* Wire stream of CMSIS-DAP: SWO by commands, polled, or by an endpoint of its own.
 *
 * A poll is a request for the status and one or more for data, sent together. Nothing of what the probe says may be
 * dropped, as reading clears it: so answers are taken wherever they are collected (pt_cmsis_dap_swo_take), also by an
 * operation that only clears the way for itself. A poll travels behind the last packet of a list of operations, so that
 * a caller who does both in turns waits once.
 *
 * The probe reports loss by bits, not by place: a hole is between two answers. Where the ring is full, and no more is said,
 * it holds the bytes before the hole, and the status says how many it holds. Where the probe counts what it received (index), answers that never came
 * are counted exactly.
 * By the endpoint bytes come by themselves, and the status is still a command. The index joins both: bytes are given when
 * a status that counts them has come. A probe without the index is polled, although it has the endpoint.
 * Source: CMSIS-DAP 2.x reference, SWO commands; facts on the reference firmware and its users. */
#include "base/util.h"
#include "host/log.h"
#include "probes/dap/cmsis_dap.h"

enum {
	SWO_TRANSPORT = 0x17, SWO_MODE = 0x18, SWO_BAUDRATE = 0x19, SWO_CONTROL = 0x1a, SWO_STATUS = 0x1b,
	SWO_DATA = 0x1c, SWO_EXTENDED_STATUS = 0x1e,
};
enum { ACTIVE = 1 << 0, PAUSED = 1 << 1, STREAM_ERROR = 1 << 6, OVERRUN = 1 << 7 };
enum { STATUS_BYTES = 6, EXTENDED_BYTES = 10, DATA_HEAD_BYTES = 4 };
enum { BY_DATA = 1, BY_ENDPOINT = 2, MODE_UART = 1, MODE_MANCHESTER = 2, ASK_ALL = 7 };
enum {
	RING_GUESS_BYTES = 4096,	/* of a probe that does not say */
	PACKETS_MOST = 1 << 16,		/* of buffer behind the ring: what one poll brings */
	AHEAD_NS = 1000000,		/* lists that follow each other faster need no poll each */
	REST_NS = 1000000,		/* between polls that bring nothing */
	TRANSFERS_AHEAD = 15,		/* of the endpoint */
	LAST_MS = 100,			/* for what the endpoint owes when it is stopped */
};

static uint32_t ring_bytes(const struct pt_cmsis_dap *dap)
{
	return dap->swo.ring_bytes > 0 ? dap->swo.ring_bytes : RING_GUESS_BYTES;
}

/* --- answers ----------------------------------------------------------------------------------------------------- */

static void lose(struct pt_cmsis_dap *dap, uint64_t first, uint64_t last, enum pt_stream_missing missing,
		 uint64_t bytes)
{
	pt_stream_buffer_lose(&dap->swo.buffer, (struct pt_stream_hole){ first, last, missing, bytes });
}

/* When the answer before this one was made the ring had received since bytes in all; with this one it has paused_at at least,
 * and received_most at most. A ring that is full holds what came before the hole. A UART that was overrun need not have a
 * full ring behind it: the hole is anywhere since the answer before. */
static void take_bits(struct pt_cmsis_dap *dap, uint8_t status, uint64_t since, uint64_t paused_at,
		      uint64_t received_most)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	/* a pause that lasts over several answers is said by each of them */
	bool certain = (status & OVERRUN) != 0 && !swo->lost_since_status;
	enum pt_stream_missing missing = certain ? PT_STREAM_SOME : PT_STREAM_PERHAPS;
	uint64_t first = (status & OVERRUN) != 0 ? since : paused_at;

	swo->buffer.bad_frames += (status & STREAM_ERROR) != 0;
	swo->crowded |= (status & PAUSED) != 0;
	if ((status & (PAUSED | OVERRUN)) != 0 && swo->lost_since_status)
		pt_stream_buffer_lose_more(&swo->buffer, (struct pt_stream_hole){ first, received_most, missing,
										  PT_UNKNOWN });
	else if ((status & (PAUSED | OVERRUN)) != 0)
		lose(dap, first, received_most, missing, PT_UNKNOWN);
	swo->lost_since_status |= certain;
}

/* The probe has counted more than came: an answer of its was lost, or it cut its ring. */
static void compare_index(struct pt_cmsis_dap *dap, uint32_t index, uint64_t received)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	uint32_t missing = index - (uint32_t)(received + swo->cut_bytes);

	if (missing != 0)
		lose(dap, swo->agreed, swo->buffer.came, PT_STREAM_SOME, missing <= INT32_MAX ? missing : PT_UNKNOWN);
	swo->cut_bytes += missing;
	swo->agreed = swo->buffer.came;
	swo->unsure = false;
}

/* What the probe has received is what the index says, whatever of it is on its way. It resumes when the endpoint was read,
 * so one that is paused may have been so before. */
static bool take_endpoint_status(struct pt_cmsis_dap *dap, size_t n)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	uint64_t received;

	if (n < EXTENDED_BYTES || dap->in[0] != SWO_EXTENDED_STATUS)
		return false;
	received = swo->received_least + (pt_le32(dap->in + 6) - (uint32_t)swo->received_least);
	swo->buffer.bad_frames += (dap->in[1] & STREAM_ERROR) != 0;
	if ((dap->in[1] & OVERRUN) != 0)
		lose(dap, swo->received_least, received, PT_STREAM_SOME, PT_UNKNOWN);
	else if ((dap->in[1] & PAUSED) != 0)
		lose(dap, received, received, PT_STREAM_PERHAPS, PT_UNKNOWN);
	if (swo->unsure)		/* a status was lost, and what it said with it */
		lose(dap, swo->received_least, received, PT_STREAM_PERHAPS, PT_UNKNOWN);
	swo->unsure = false;
	swo->received_least = swo->buffer.checked = received;
	swo->drained = swo->buffer.came >= received;	/* what it counts may be on its way */
	return true;
}

static bool take_status(struct pt_cmsis_dap *dap, size_t n)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	bool extended = dap->in[0] == SWO_EXTENDED_STATUS;
	uint32_t waiting = n >= STATUS_BYTES ? pt_le32(dap->in + 2) : UINT32_MAX;
	uint64_t received = swo->buffer.came + waiting;

	if (n < (extended ? (size_t)EXTENDED_BYTES : (size_t)STATUS_BYTES) || waiting > ring_bytes(dap))
		return false;
	if (extended)
		compare_index(dap, pt_le32(dap->in + 6), received);
	pt_stream_buffer_received(&swo->buffer, received);
	swo->crowded = waiting > ring_bytes(dap) / 2;
	swo->lost_since_status = false;
	take_bits(dap, dap->in[1], swo->received_least, received, received);
	swo->received_least = received;
	swo->paused_at = (dap->in[1] & PAUSED) != 0 ? received : PT_UNKNOWN;
	return true;
}

/* While it stays paused, which only a read of data ends, the place is that of the status before. */
static bool take_data(struct pt_cmsis_dap *dap, size_t n)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	uint64_t before = swo->buffer.came, since = swo->received_least, most;
	size_t len = n >= DATA_HEAD_BYTES ? pt_le16(dap->in + 2) : SIZE_MAX;

	if (len > n - DATA_HEAD_BYTES || len > swo->ask_bytes)
		return false;
	pt_stream_buffer_add(&swo->buffer, dap->in + DATA_HEAD_BYTES, len);
	swo->drained = len < swo->ask_bytes;
	most = swo->drained ? swo->buffer.came : before + ring_bytes(dap);
	if (swo->buffer.came > swo->received_least)
		swo->received_least = swo->buffer.came;
	if (swo->paused_at != PT_UNKNOWN)
		take_bits(dap, dap->in[1], swo->paused_at, swo->paused_at, swo->paused_at);
	else
		take_bits(dap, dap->in[1], since, swo->received_least, most);
	swo->paused_at = PT_UNKNOWN;
	return true;
}

bool pt_cmsis_dap_swo_answers(const struct pt_cmsis_dap *dap)
{
	uint8_t command = dap->in[0];

	return dap->swo.n_asked > 0 && (command == SWO_STATUS || command == SWO_EXTENDED_STATUS || command == SWO_DATA);
}

void pt_cmsis_dap_swo_take(struct pt_cmsis_dap *dap, size_t n)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	bool status = dap->in[0] != SWO_DATA;

	if (!pt_cmsis_dap_swo_answers(dap))
		return;
	if (!(swo->by_endpoint ? take_endpoint_status(dap, n) : status ? take_status(dap, n) : take_data(dap, n)))
		return;
	swo->n_answered++;
	swo->answered_ns = pt_link_now_ns(swo->clock);
}

/* --- polls ------------------------------------------------------------------------------------------------------- */

static int send_request(struct pt_cmsis_dap *dap, bool status, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	size_t len = status && !swo->index ? 1 : status ? 2 : 3;
	int rc;

	dap->out[0] = !status ? SWO_DATA : swo->index ? SWO_EXTENDED_STATUS : SWO_STATUS;
	if (!status)
		pt_put_le16(dap->out + 1, (uint16_t)swo->ask_bytes);
	else if (swo->index)
		dap->out[1] = ASK_ALL;
	rc = pt_cmsis_dap_send(dap, len, pt_link_now_ns(dap->link) + PT_CMSIS_DAP_ANSWER_MS * PT_NS_PER_MS, err);
	swo->n_asked += rc == 0;
	return rc;
}

/* How many requests for data one poll has: as many as brought the last poll's bytes, and one. */
static unsigned n_data(const struct pt_cmsis_dap *dap, size_t room)
{
	const struct pt_cmsis_dap_swo *swo = &dap->swo;
	size_t n = swo->last_bytes / swo->ask_bytes + 1, most = dap->depth > 2 ? dap->depth - 1 : 1;

	if (swo->crowded)	/* status and data in turns, so that the place of a hole is known */
		most = dap->depth / 2 > 1 ? dap->depth / 2 : 1;
	n = n < most ? n : most;
	return (unsigned)(n < room / swo->ask_bytes ? n : room / swo->ask_bytes);
}

/* No poll is outstanding. At most so many requests; no room in the buffer: nothing is sent. */
static int ask(struct pt_cmsis_dap *dap, unsigned most, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	unsigned n;
	int rc = 0;

	swo->asked_ns = pt_link_now_ns(swo->clock);
	swo->n_answered = 0;
	if (swo->by_endpoint)
		return send_request(dap, true, err);
	swo->ask_bytes = dap->limits.packet_bytes - DATA_HEAD_BYTES;
	n = n_data(dap, pt_stream_buffer_room(&swo->buffer));
	if (most > 1 && n > (swo->crowded ? most / 2 : most - 1))
		n = swo->crowded ? most / 2 : most - 1;
	swo->came_before = swo->buffer.came;
	for (unsigned i = 0; rc == 0 && i < n; i++) {
		if (swo->crowded || (i == 0 && dap->depth > 1))
			rc = send_request(dap, true, err);
		if (rc == 0 && dap->owed >= dap->depth)
			rc = pt_cmsis_dap_settle(dap, err);
		if (rc == 0)
			rc = send_request(dap, false, err);
	}
	return rc;
}

static void note_time(struct pt_cmsis_dap *dap)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	uint64_t half_ns = (swo->answered_ns - swo->asked_ns) / 2;

	pt_stream_buffer_timed(&swo->buffer, swo->asked_ns + half_ns, half_ns + 1, swo->drained);
}

/* Of a poll that is over: when its bytes came, and whether each answer did. */
static int finish_poll(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	unsigned n_lost = swo->n_asked - swo->n_answered;

	if (swo->n_asked == 0)
		return 0;
	swo->n_asked = 0;
	swo->last_bytes = (size_t)(swo->buffer.came - swo->came_before);
	if (n_lost == 0) {
		note_time(dap);
		return 0;
	}
	swo->unsure = swo->index;	/* the next status counts what is missing */
	if (!swo->index)
		lose(dap, swo->came_before, swo->buffer.came, PT_STREAM_PERHAPS, n_lost * swo->ask_bytes);
	return pt_fail(err, PT_EPROTO, "%u answers of the probe with SWO were lost or cut", n_lost);
}

static int poll_once(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	int rc = dap->swo.n_asked == 0 ? pt_cmsis_dap_settle(dap, err) : 0;

	if (rc == 0 && dap->swo.n_asked == 0)
		rc = ask(dap, dap->depth, err);
	if (rc == 0)
		rc = pt_cmsis_dap_settle(dap, err);
	return rc == 0 ? finish_poll(dap, err) : rc;
}

/* What the endpoint has of those that the last status counts. */
static int read_endpoint(struct pt_cmsis_dap *dap, uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	struct pt_stream_buffer *buffer = &swo->buffer;
	size_t packet = dap->link_info.trace_bytes;
	int n = 0;

	while (n >= 0 && buffer->came < swo->received_least && pt_stream_buffer_room(buffer) >= 2 * packet) {
		n = pt_link_trace(dap->link, pt_stream_buffer_tail(buffer, 2 * packet), packet, TRANSFERS_AHEAD,
				  deadline_ns, err);
		pt_stream_buffer_added(buffer, n > 0 ? (size_t)n : 0);
	}
	swo->drained = buffer->came >= swo->received_least;
	note_time(dap);
	return n < 0 && n != PT_ETIMEOUT ? n : 0;
}

void pt_cmsis_dap_swo_ask_ahead(struct pt_cmsis_dap *dap)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	unsigned free_slots = dap->depth > dap->owed ? dap->depth - dap->owed : 0;

	if (dap->depth == 1 && swo->crowded)	/* status and data are two round trips */
		return;
	if (swo->active && swo->n_asked == 0 && !dap->out_of_step && free_slots >= (dap->depth > 1 ? 2 : 1) &&
	    pt_link_now_ns(swo->clock) - swo->asked_ns >= AHEAD_NS)
		ask(dap, free_slots, NULL);
}

/* --- the wire ---------------------------------------------------------------------------------------------------- */

static int set_rate(struct pt_cmsis_dap *dap, uint32_t wanted, uint32_t *used, struct pt_err *err)
{
	uint8_t request[5] = { SWO_BAUDRATE };
	int n;

	pt_put_le32(request + 1, wanted);
	n = pt_cmsis_dap_command(dap, request, sizeof(request), 5, err);
	if (n < 0)
		return pt_wrap(err, "set the rate of SWO");
	*used = pt_le32(dap->in + 1);
	return *used != 0 ? 0
			  : pt_fail(err, PT_EARG, "the probe cannot receive SWO at %u baud; try a lower rate", wanted);
}

static int check_want(const struct pt_cmsis_dap *dap, const struct pt_stream_want *want, struct pt_err *err)
{
	const struct pt_cmsis_dap_swo *swo = &dap->swo;
	bool manchester = want->coding == PT_STREAM_MANCHESTER;

	if (!swo->uart && !swo->manchester)
		return pt_fail(err, PT_EARG, "the probe has no SWO");
	if (manchester ? !swo->manchester : !swo->uart)
		return pt_fail(err, PT_EARG, "the probe receives SWO in %s coding alone",
			       manchester ? "UART" : "Manchester");
	if (dap->on_jtag)
		return pt_fail(err, PT_EARG, "the pin of SWO is TDO while the port is on JTAG; use transport=swd");
	if (want->bits_per_s == 0)
		return pt_fail(err, PT_EARG, "SWO at 0 baud");
	return swo->active ? pt_fail(err, PT_EBUSY, "the probe receives SWO already") : 0;
}

/* One that a killed host left active refuses everything but this. */
static int stop_first(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	return pt_cmsis_dap_orders(dap, &(struct pt_cmsis_dap_order){ "stop SWO", { SWO_CONTROL, 0 }, 2, DAP_OK, true }, 1,
				   err);
}

static int set_up(struct pt_cmsis_dap *dap, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *err)
{
	uint8_t mode = want->coding == PT_STREAM_MANCHESTER ? MODE_MANCHESTER : MODE_UART;
	const struct pt_cmsis_dap_order orders[] = {
		{ "choose how SWO comes", { SWO_TRANSPORT, dap->swo.by_endpoint ? BY_ENDPOINT : BY_DATA }, 2, DAP_OK,
		  false },
		{ "choose SWO's coding", { SWO_MODE, mode }, 2, DAP_OK, false },
	};

	if (stop_first(dap, err) < 0 || pt_cmsis_dap_orders(dap, orders, PT_LEN(orders), err) < 0)
		return err->code;
	return set_rate(dap, want->bits_per_s, bits_per_s, err);
}

static int put_back(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	return pt_cmsis_dap_orders(dap, (const struct pt_cmsis_dap_order[]){
		{ "SWO off", { SWO_MODE, 0 }, 2, DAP_OK, true },
		{ "SWO off", { SWO_TRANSPORT, 0 }, 2, DAP_OK, true },
	}, 2, err);
}

static void begin(struct pt_cmsis_dap *dap, const struct pt_stream_want *want, uint32_t bits_per_s)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;

	pt_stream_buffer_fini(&swo->buffer);
	swo->clock = want->clock != NULL ? want->clock : dap->link;
	swo->bits_per_s = bits_per_s;
	pt_stream_buffer_init(&swo->buffer, ring_bytes(dap) + PACKETS_MOST, PT_STREAM_NOTHING,
			      pt_link_now_ns(swo->clock));
	swo->received_least = swo->cut_bytes = swo->agreed = 0;
	swo->paused_at = PT_UNKNOWN;
	swo->n_asked = swo->n_answered = 0;
	swo->last_bytes = 0;
	swo->asked_ns = 0;
	swo->unsure = swo->crowded = swo->drained = swo->lost_since_status = false;
	if (swo->by_endpoint)
		swo->buffer.checked = 0;
	swo->active = true;
}

static int swo_start(void *state, const struct pt_stream_want *want, uint32_t *bits_per_s, struct pt_err *err)
{
	static const struct pt_cmsis_dap_order order = { "start SWO", { SWO_CONTROL, 1 }, 2, DAP_OK, false };
	struct pt_cmsis_dap *dap = state;
	int rc = check_want(dap, want, err);

	if (rc < 0)
		return rc;
	dap->swo.by_endpoint = dap->swo.endpoint && dap->swo.index;
	rc = set_up(dap, want, bits_per_s, err);
	if (rc == 0)
		rc = pt_cmsis_dap_orders(dap, &order, 1, err);
	if (rc == 0)
		begin(dap, want, *bits_per_s);
	pt_debug(PT_LOG_DAP, "cmsis-dap: SWO at %u baud: %d", rc == 0 ? *bits_per_s : want->bits_per_s, rc);
	return rc;
}

/* Is there something to give, or nothing more to be had? */
static bool enough(const struct pt_cmsis_dap *dap, size_t room)
{
	const struct pt_cmsis_dap_swo *swo = &dap->swo;
	size_t held = (size_t)(swo->buffer.came - swo->buffer.given);

	if (swo->by_endpoint && held > swo->received_least - swo->buffer.given)
		held = (size_t)(swo->received_least - swo->buffer.given);
	return !swo->unsure && (held >= room || swo->drained || pt_stream_buffer_room(&swo->buffer) < swo->ask_bytes);
}

static int poll_until(struct pt_cmsis_dap *dap, size_t room, uint64_t deadline_ns, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;

	for (;;) {
		int rc = poll_once(dap, err);
		uint64_t now_ns;

		if (rc == 0 && swo->by_endpoint)
			rc = read_endpoint(dap, deadline_ns, err);
		if (rc < 0)
			return rc;
		now_ns = pt_link_now_ns(dap->link);
		if (!enough(dap, room) && (!swo->by_endpoint || now_ns < deadline_ns))
			continue;
		if (swo->buffer.came > swo->buffer.given || swo->buffer.n_holes > 0 || now_ns >= deadline_ns)
			return 0;
		rc = pt_link_wait(dap->link, deadline_ns - now_ns < REST_NS ? deadline_ns : now_ns + REST_NS, err);
		if (rc < 0)
			return rc;
	}
}

static int swo_read(void *state, uint8_t *bytes, size_t room, uint32_t timeout_ms, struct pt_stream_read *what,
		    struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	uint64_t deadline_ns = pt_link_now_ns(dap->link) + timeout_ms * PT_NS_PER_MS;
	int rc = 0;

	if (dap->swo.active)
		rc = poll_until(dap, room, deadline_ns, err);
	return rc < 0 ? rc : (int)pt_stream_buffer_give(&dap->swo.buffer, bytes, room, what);
}

/* All that the probe has, as far as it comes to an end. */
static int drain(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	uint64_t until = swo->buffer.came + ring_bytes(dap);
	int rc;

	if (swo->by_endpoint) {
		rc = poll_once(dap, err);
		return rc < 0 ? rc : read_endpoint(dap, pt_link_now_ns(dap->link) + LAST_MS * PT_NS_PER_MS, err);
	}
	do
		rc = poll_once(dap, err);
	while (rc == 0 && !enough(dap, SIZE_MAX) && swo->buffer.came < until);
	return rc;
}

/* Read before, as there is firmware that drops its ring when it stops; and behind, for what came meanwhile. What was lost
 * on the way keeps nothing from being stopped; a probe that does not answer does. */
static int stop_and_drain(struct pt_cmsis_dap *dap, struct pt_err *err)
{
	struct pt_err later = { 0 };
	int first = drain(dap, err), rc = first;

	if (rc == 0 || rc == PT_EPROTO)
		rc = stop_first(dap, &later);
	if (rc == 0)
		rc = drain(dap, &later);
	if (rc == 0 || rc == PT_EPROTO) {
		int back = put_back(dap, rc == 0 ? &later : NULL);

		dap->swo.active = back < 0 && back != PT_EPROTO;
		rc = rc == 0 ? back : rc;
	}
	return first < 0 || rc == 0 ? first : pt_fail(err, rc, "%s", later.msg);
}

static int swo_stop(void *state, struct pt_err *err)
{
	struct pt_cmsis_dap *dap = state;
	struct pt_cmsis_dap_swo *swo = &dap->swo;
	int rc;

	if (!swo->active)
		return 0;
	pt_link_shield(dap->link);
	rc = stop_and_drain(dap, err);
	pt_link_unshield(dap->link);
	if (!swo->active && !swo->drained)
		lose(dap, swo->buffer.came, swo->buffer.came, PT_STREAM_SOME,
		     swo->by_endpoint ? swo->received_least - swo->buffer.came : PT_UNKNOWN);
	if (!swo->active && swo->by_endpoint)
		pt_link_end_trace(dap->link);
	if (!swo->active)
		swo->buffer.checked = PT_UNKNOWN;
	swo->active &= rc != PT_EIO;
	swo->buffer.ended = !swo->active;
	return rc;
}

static uint32_t swo_patience(void *state, uint32_t bits_per_s)
{
	const struct pt_cmsis_dap *dap = state;
	uint64_t bits = dap->swo.ring_bytes * UINT64_C(10);

	return bits_per_s > 0 ? (uint32_t)(bits * 1000000 / bits_per_s) : 0;
}

void pt_cmsis_dap_swo_close(struct pt_cmsis_dap *dap)
{
	if (dap->swo.active && !dap->silent && stop_first(dap, NULL) == 0)
		put_back(dap, NULL);
	dap->swo.active = false;
	pt_stream_buffer_fini(&dap->swo.buffer);
}

const struct pt_stream_ops pt_cmsis_dap_stream_ops = {
	.start = swo_start,
	.read = swo_read,
	.stop = swo_stop,
	.patience_us = swo_patience,
};
