/* Makes chunks of the bytes of a read: whole packets only, so that a LOSS is between two packets and the bytes after it
 * begin with one. After a gap nothing is believed until a synchronisation packet, or a sufficient number of valid
 * packets: the bytes dropped until then are counted in the LOSS. If the decoder restarts its ticks (damage, a LOSS) a
 * chunk ends, and an anchor has the time.
 *
 * A silence is held until it is known what it was (swo_silence.h).
 *
 * If a probe delivers more bytes than the pin can have carried, they are not believed either. */
#include <inttypes.h>
#include <string.h>

#include "base/util.h"
#include "host/log.h"
#include "targets/cortexm/swo/swo.h"
#include "trace/loss.h"

enum { FIFO_BYTES = 256, SILENCE_MS = 50, SLACK_PERCENT = 3, SLACK_BYTES = 256, DROP_MS = 2, MOST_DROPS = 16 };

/* --- time --------------------------------------------------------------------------------------------------------- */

static uint64_t wire_ns(const struct pt_swo_stream *s, uint64_t n_bytes)
{
	return s->bits_per_s > 0 ? n_bytes * PT_SWO_BITS * PT_NS_PER_S / s->bits_per_s : 0;
}

uint64_t pt_swo_wait_ns(const struct pt_swo_stream *s)
{
	return wire_ns(s, FIFO_BYTES);
}

void pt_swo_anew(struct pt_swo_stream *s, uint64_t now_ns)
{
	s->packets = (struct pt_itm_packets){ .believed = true, .limits = s->limits };
	s->lost = false;
	s->ticks = 0;
	s->len_bytes = s->whole_bytes = 0;
	pt_swo_clock_begin(&s->clock, now_ns);
}

/* A packet waits in the chip for those before it. */
static void take_stamp(struct pt_swo_stream *s, uint64_t ticks, const struct pt_stream_read *what)
{
	uint64_t early_ns = what->error_ns + pt_swo_wait_ns(s), from_ns = what->from_ns;

	s->ticks += ticks;
	if (!pt_swo_clock_stamp(&s->clock, s->ticks, from_ns > early_ns ? from_ns - early_ns : 0,
				what->to_ns + what->error_ns))
		s->n_disagree++;
}

static void anchor(struct pt_swo_stream *s)
{
	uint64_t ns, error_ns;

	if (!s->stamped || !s->clock.placed)
		return;
	pt_swo_clock_now(&s->clock, &ns, &error_ns);
	pt_emit_clock(s->out, s->clock.ticks, ns, error_ns);
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

static uint64_t observed_to(const struct pt_swo_stream *s, uint64_t ns)
{
	return s->until_ns == 0 || ns < s->until_ns ? ns : s->until_ns;
}

static void put_data(struct pt_swo_stream *s, uint64_t to_ns)
{
	size_t rest = s->len_bytes - s->whole_bytes;

	if (s->whole_bytes == 0)
		return;
	anchor(s);
	pt_emit_data(s->out, s->out->told_ns, observed_to(s, to_ns), s->bytes, s->whole_bytes);
	memmove(s->bytes, s->bytes + s->whole_bytes, rest);
	s->len_bytes = rest;
	s->whole_bytes = 0;
}

static void drop(struct pt_swo_stream *s, uint64_t n_bytes)
{
	if (n_bytes == PT_UNKNOWN || s->dropped == PT_UNKNOWN)
		s->dropped = PT_UNKNOWN;
	else
		s->dropped += n_bytes;
	s->n_dropped += n_bytes != PT_UNKNOWN ? n_bytes : 1;
}

/* From here on bytes are dropped until valid packets are found. */
static void lose(struct pt_swo_stream *s)
{
	drop(s, s->len_bytes - s->whole_bytes);
	s->len_bytes = s->whole_bytes;
	s->lost = true;
	pt_swo_silence_lost(&s->silence);
	s->packets = (struct pt_itm_packets){ .limits = s->limits };
}

static void put_loss(struct pt_swo_stream *s, enum pt_loss cause, uint64_t to_ns)
{
	to_ns = observed_to(s, to_ns);
	if (to_ns <= s->out->told_ns)
		to_ns = s->out->told_ns + 1;
	pt_emit_loss_of(s->out, cause, s->dropped, to_ns);
	s->dropped = 0;
	s->out->restarts = true;	/* the next bytes begin with a packet */
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

static void count_packet(struct pt_swo_stream *s, const struct pt_itm_packet *packet, const struct pt_stream_read *what)
{
	s->n_reports += packet->kind == PT_ITM_HARDWARE || packet->kind == PT_ITM_PORT;
	if (packet->kind == PT_ITM_LOCAL_STAMP)
		take_stamp(s, packet->value, what);
	else if (packet->kind == PT_ITM_SYNC)
		pt_swo_silence_synced(&s->silence);
	else if (packet->kind == PT_ITM_OVERFLOW)
		s->n_overflows++;
	else if (packet->kind == PT_ITM_HARDWARE && packet->which == PT_ITM_PC_SAMPLE) {
		s->n_samples++;
		s->n_asleep += packet->n_bytes == 1;
	}
}

/* The decoder restarts its ticks after bytes that it could not believe. */
static void found_again(struct pt_swo_stream *s, const struct pt_stream_read *what)
{
	s->whole_bytes = s->len_bytes;
	put_data(s, what->from_ns);
	s->ticks = 0;
	pt_swo_clock_begin(&s->clock, what->from_ns);
}

static void take_believed(struct pt_swo_stream *s, const uint8_t *bytes, size_t n, const struct pt_itm_packet *packet,
			  unsigned n_packets, const struct pt_stream_read *what)
{
	memcpy(s->bytes + s->len_bytes, bytes, n);
	s->len_bytes += n;
	for (unsigned i = 0; i < n_packets; i++) {
		if (packet[i].kind == PT_ITM_FOUND)
			found_again(s, what);
		else
			count_packet(s, &packet[i], what);
	}
	if (n_packets > 0 || s->len_bytes - s->whole_bytes >= PT_SWO_PART_BYTES - PT_ITM_MOST_BYTES)
		s->whole_bytes = s->len_bytes;
}

/* After a gap: bytes are dropped until a valid packet. */
static void take_lost(struct pt_swo_stream *s, size_t n, const struct pt_itm_packet *packet, unsigned n_packets,
		      const struct pt_stream_read *what, enum pt_loss cause)
{
	drop(s, n);
	for (unsigned i = 0; i < n_packets; i++)
		if (packet[i].kind == PT_ITM_FOUND) {
			put_loss(s, cause, what->from_ns);
			pt_swo_anew(s, what->from_ns);
			return;
		}
}

static void take_bytes(struct pt_swo_stream *s, const uint8_t *bytes, size_t len_bytes,
		       const struct pt_stream_read *what, enum pt_loss cause)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];

	while (len_bytes > 0) {
		unsigned n_packets;
		size_t n =
			pt_itm_take(&s->packets, bytes, len_bytes < PT_ITM_MOST_BYTES ? len_bytes : PT_ITM_MOST_BYTES,
				    packet, &n_packets);

		if (s->lost)
			take_lost(s, n, packet, n_packets, what, cause);
		else
			take_believed(s, bytes, n, packet, n_packets, what);
		bytes += n;
		len_bytes -= n;
	}
}

/* --- silence ------------------------------------------------------------------------------------------------------ */

void pt_swo_observe_silence(struct pt_swo_stream *s, uint64_t to_ns)
{
	to_ns = observed_to(s, to_ns);
	if (!s->lost && to_ns > s->out->told_ns)
		pt_emit_data(s->out, s->out->told_ns, to_ns, "", 0);
	s->silent_to_ns = 0;
}

/* Nothing came. What has not come for too long is lost from the last bytes on, and until something comes that can be
 * believed. */
static void take_silence(struct pt_swo_stream *s, uint64_t to_ns)
{
	s->silent_to_ns = to_ns;
	to_ns = observed_to(s, to_ns);
	if (to_ns <= s->out->told_ns + SILENCE_MS * PT_NS_PER_MS)
		return;
	if (!s->lost && pt_swo_silence_is_loss(&s->silence, s->expects)) {
		pt_warn("swo: nothing came over the pin for %.3f s, and something must have been sent: it is counted as lost from "
			"the last bytes on",
			(double)(to_ns - s->out->told_ns) / PT_NS_PER_S);
		lose(s);
	}
	if (s->lost)
		put_loss(s, PT_LOSS_PIN, to_ns);
}

/* Bytes came behind a silence: it was observed. */
static void end_silence(struct pt_swo_stream *s, uint64_t from_ns)
{
	if (s->silent_to_ns != 0 && from_ns > s->out->told_ns + SILENCE_MS * PT_NS_PER_MS)
		pt_swo_observe_silence(s, from_ns);
	s->silent_to_ns = 0;
}

/* --- reads -------------------------------------------------------------------------------------------------------- */

/* More bytes than the pin can have carried since the previous read, or since the beginning: they are not from this pin
 * at this rate. */
static bool is_impossible(const struct pt_swo_stream *s, size_t n, const struct pt_stream_read *what)
{
	uint64_t room_us = s->ops->patience_us != NULL ? s->ops->patience_us(s->wire, s->bits_per_s) : 0;
	uint64_t since_ns = what->to_ns > s->began_ns ? what->to_ns - s->began_ns : 0,
		 span_ns = room_us * 1000 + 2 * what->error_ns;

	(void)n;
	return wire_ns(s, s->n_bytes) > (since_ns + span_ns) / 100 * (100 + SLACK_PERCENT) + wire_ns(s, SLACK_BYTES);
}

static enum pt_loss cause_of(struct pt_swo_stream *s, size_t n, const struct pt_stream_read *what, enum pt_loss cause)
{
	s->n_bytes += n;
	s->n_bad_frames += what->bad_frames;
	s->unsaid |= what->missing == PT_STREAM_UNSAID || what->missing == PT_STREAM_PERHAPS;
	if (s->bits_per_s > 0 && is_impossible(s, n, what)) {
		if (s->n_impossible++ == 0)
			pt_warn("swo: the probe gave more bytes than the pin carries at %" PRIu32
				" baud: they are not believed; check the rate",
				s->bits_per_s);
		return PT_LOSS_PIN;
	}
	if (cause != 0)
		return cause;
	return what->missing == PT_STREAM_SOME || what->missing == PT_STREAM_PERHAPS ? PT_LOSS_PIN : (enum pt_loss)0;
}

static void take_read(struct pt_swo_stream *s, const uint8_t *bytes, size_t n, const struct pt_stream_read *what,
		      enum pt_loss asked)
{
	enum pt_loss cause = cause_of(s, n, what, asked);
	bool by_probe = asked == 0 && s->n_impossible == 0;
	size_t sure = cause == 0 ? n : by_probe ? what->sure_bytes : 0;

	end_silence(s, what->from_ns);
	take_bytes(s, bytes, sure, what, cause != 0 ? cause : PT_LOSS_PIN);
	if (cause == 0 && !s->lost && !s->packets.believed)
		cause = PT_LOSS_PIN;	/* damaged up to the last byte: the length of the loss is unknown */
	if (cause != 0) {
		put_data(s, what->from_ns);
		lose(s);
		drop(s, n - sure);
		drop(s, what->missing == PT_STREAM_NOTHING || what->missing == PT_STREAM_UNSAID ? 0 : what->lost_bytes);
		put_loss(s, cause, what->to_ns);
	} else {
		put_data(s, what->to_ns);
	}
}

int pt_swo_take(struct pt_swo_stream *s, enum pt_loss cause, uint32_t timeout_ms, struct pt_err *err)
{
	struct pt_stream_read what = { 0 };
	uint8_t bytes[PT_SWO_READ_BYTES];
	int n = s->ops->read(s->wire, bytes, sizeof(bytes), timeout_ms, &what, err);

	if (n < 0)
		return n;
	if (what.to_ns < s->out->told_ns)
		what.to_ns = s->out->told_ns;
	if (what.from_ns > what.to_ns)
		what.from_ns = what.to_ns;
	if (n > 0 || cause != 0 || what.missing == PT_STREAM_SOME || what.missing == PT_STREAM_PERHAPS)
		take_read(s, bytes, (size_t)n, &what, cause);
	if (n > 0)
		pt_swo_silence_ends(&s->silence);
	else
		take_silence(s, what.to_ns);
	return n;
}

/* Reads until the pin is silent: bytes sent before its rate or its formatter changed arrive for some milliseconds. */
int pt_swo_drop(struct pt_swo_stream *s, struct pt_err *err)
{
	struct pt_stream_read what;
	uint8_t bytes[PT_SWO_READ_BYTES];
	int n, sum = 0, reads = 0;

	do {
		what = (struct pt_stream_read){ 0 };
		n = s->ops->read(s->wire, bytes, sizeof(bytes), DROP_MS, &what, err);
		sum += n > 0 ? n : 0;
		s->unsaid |= what.missing == PT_STREAM_UNSAID || what.missing == PT_STREAM_PERHAPS;
	} while (n > 0 && ++reads < MOST_DROPS);
	return n < 0 ? n : sum;
}
