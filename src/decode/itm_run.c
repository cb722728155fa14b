/* The fast path of the ITM's decoder. Events that would be held are written into the batch at once; those that are not
 * believed yet at the end go back to where they are held. */
#include "base/util.h"
#include "decode/itm_parts.h"

enum plain {
	PLAIN_NOT, PLAIN_SAMPLE, PLAIN_EXCEPTION, PLAIN_SHORT_STAMP, PLAIN_LONG_STAMP, PLAIN_PORT, PLAIN_VALUE, PLAIN_COUNTERS,
	PLAIN_OVERFLOW, PLAIN_ASLEEP,
};
enum { LONGEST = 5, SAMPLE_BYTES = 5, EXCEPTION_BYTES = 3, MOST_EVENTS = PT_ITM_COUNTERS_MOST };
enum {
	SAMPLE_HEADER = 0x17, EXCEPTION_HEADER = 0x0e, OVERFLOW_HEADER = 0x70, STAMP_HEADER = 0xc0,
	EXCEPTION_RESERVED = 0xce00,	/* bits of its value */
};

/* A run goes on while no event waits for its stamp so long that other rules hold: then an event leaves when PT_ITM_TRUST
 * packets have come behind it, one with each packet. */
enum { LONGEST_WAIT = PT_ITM_TRUST - 4 };

/* Where each event of the batch came from, as struct pt_itm_held has it. */
struct place { uint32_t packet, begin_bytes; };

struct cursor {
	unsigned n, undated;		/* events: all, and the first without a stamp */
	uint32_t packet;		/* the next one's number */
	uint32_t waits_since;		/* the packet of the oldest event without a stamp; or the next one */
	uint64_t ticks;
};

struct run {
	struct pt_event *event;		/* of the batch; the first are those that were held */
	struct cursor to;
	struct place place[PT_BATCH_EVENTS];
};

/* --- which packets ------------------------------------------------------------------------------------------------ */

static uint8_t class_of(const struct pt_itm_limits *limits, unsigned header)
{
	unsigned which = header >> 3, n_bytes = (header & 3) == 3 ? 4 : header & 3;

	if (header == OVERFLOW_HEADER)
		return PLAIN_OVERFLOW;
	if (n_bytes == 0)
		return header != 0 && (header & 0x8f) == 0 ? PLAIN_SHORT_STAMP
		       : (header & 0xcf) == STAMP_HEADER   ? PLAIN_LONG_STAMP
							   : PLAIN_NOT;
	if ((header & 4) == 0)
		return (limits->no_ports >> which & 1) == 0 ? PLAIN_PORT : PLAIN_NOT;
	if (which == PT_ITM_EXCEPTION)
		return pt_itm_hardware_can_be(limits, which, n_bytes, 0x3000) ? PLAIN_EXCEPTION : PLAIN_NOT;
	if (which == PT_ITM_COUNTERS)
		return pt_itm_hardware_can_be(limits, which, n_bytes, 1) ? PLAIN_COUNTERS : PLAIN_NOT;
	if (!pt_itm_hardware_can_be(limits, which, n_bytes, 0))
		return PLAIN_NOT;
	if (which == PT_ITM_PC_SAMPLE)
		return n_bytes == 4 ? PLAIN_SAMPLE : PLAIN_ASLEEP;
	return which >= PT_ITM_DATA_READ ? PLAIN_VALUE : PLAIN_NOT;
}

void pt_itm_run_init(struct pt_itm *s)
{
	const struct pt_itm_limits *limits = &s->packets.limits;

	for (unsigned header = 0; header < PT_LEN(s->plain); header++)
		s->plain[header] = class_of(limits, header);
	for (unsigned i = 0; i < PT_LEN(s->steps) * 4 && s->plain[EXCEPTION_HEADER] == PLAIN_EXCEPTION; i++)
		if (pt_itm_exception_can_be(limits->last_exception, i / 4 | i % 4 << 12))
			s->steps[i / 4] |= (uint8_t)(1 << i % 4);
}

/* --- what is held ------------------------------------------------------------------------------------------------- */

static void take_held(struct run *r, const struct pt_itm *s)
{
	r->to = (struct cursor){ .n = s->n_held, .ticks = s->ticks, .packet = (uint32_t)s->n_packets };
	r->to.waits_since = r->to.packet;
	for (unsigned i = s->n_held; i > 0; i--) {
		const struct pt_itm_held *held = &s->held[(s->oldest + i - 1) % PT_ITM_HELD];

		r->event[i - 1] = held->event;
		r->place[i - 1] = (struct place){ held->packet, held->begin_bytes };
		r->to.undated += held->dated;
		if (!held->dated)
			r->to.waits_since = held->packet;
	}
}

/* A run comes to an end with the packet before number: whether such an event has left by then. */
static bool has_left(const struct place *place, uint32_t number)
{
	return number - place->packet > PT_ITM_TRUST;
}

/* Those that have left stay in the batch: how many. */
static unsigned hold_rest(const struct run *r, struct pt_itm *s)
{
	unsigned n = r->to.n;

	while (n > 0 && !has_left(&r->place[n - 1], r->to.packet))
		n--;
	s->oldest = s->n_held = 0;
	for (unsigned i = n; i < r->to.n; i++)
		s->held[s->n_held++] = (struct pt_itm_held){ .event = r->event[i],
							     .packet = r->place[i].packet,
							     .begin_bytes = r->place[i].begin_bytes,
							     .dated = i < r->to.undated };
	return n;
}

/* Nothing waits for another packet than those of a run, and what should have left has done so. */
static bool may_run(const struct pt_itm *s, const struct run *r)
{
	for (unsigned i = 0; i < PT_ITM_COMPARATORS; i++)
		if (s->access[i].has_pc || s->access[i].has_offset)
			return false;
	return s->packets.believed && s->packets.part.n_bytes == 0 && s->packets.part.page == 0 &&
	       (!s->stamped || r->to.packet - r->to.waits_since < LONGEST_WAIT) &&
	       (r->to.n == 0 || !has_left(&r->place[0], r->to.packet));
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

/* more: the four bytes behind its header; ends: the highest bits of those that have none, at least one. */
static inline uint32_t stamp_value(uint32_t more, uint32_t ends)
{
	uint32_t own = more & (ends ^ (ends - 1));

	return (own & 0x7f) | (own >> 1 & 0x3f80) | (own >> 2 & 0x1fc000) | (own >> 3 & 0xfe00000);
}

/* It dates what came before it. Its bytes, or 0: more than a stamp has. Seven bits are in each byte behind the header, up to one
 * without the highest; how many there are cannot be guessed, so that no branch depends on it. */
static inline size_t take_stamp(struct cursor *c, struct pt_event *event, const uint8_t *bytes, bool is_long)
{
	uint32_t more = pt_le32(bytes + 1), ends = ~more & 0x80808080u;
	bool in_time = !is_long || bytes[0] == STAMP_HEADER;

	if (is_long && ends == 0)
		return 0;
	c->ticks += is_long ? stamp_value(more, ends) : bytes[0] >> 4;
	for (; c->undated < c->n; c->undated++)
		event[c->undated].ticks = in_time ? c->ticks : PT_UNKNOWN;
	c->waits_since = c->packet + 1;
	return is_long ? 2 + (size_t)__builtin_ctz(ends) / 8 : 1;
}

static inline bool exception_can_be(const struct pt_itm *s, uint32_t value)
{
	return ((value & EXCEPTION_RESERVED) == 0) & (s->steps[value & 0x1ff] >> (value >> 12 & 3));
}

/* One of two that are both there: without a branch, which a compiler may make of ?: */
static inline uint32_t chosen(bool first, uint32_t one, uint32_t other)
{
	return other ^ ((one ^ other) & (0 - (uint32_t)first));
}

/* Of one of the two everything else is 0. */
static inline void put_report(const struct pt_event *blank, bool is_sample, uint32_t value, struct pt_event *e)
{
	uint32_t sample = 0 - (uint32_t)is_sample, exception = ~sample;

	*e = *blank;
	e->kind = is_sample ? PT_EV_SAMPLE : PT_EV_EXCEPTION;
	e->cause = (uint8_t)(value >> 12 & 3 & exception);
	e->value.at = value & 0x1ff & exception;
	e->branch.to = value & ~UINT32_C(1) & sample;
}

/* A sample, or an exception's step: which of the two comes cannot be guessed either. Their bytes, or 0: no such exception. */
static inline size_t take_report(const struct pt_itm *s, bool is_sample, const uint8_t *bytes, struct pt_event *e)
{
	uint32_t value = pt_le32(bytes + 1);

	put_report(&s->blank, is_sample, value, e);
	return is_sample ? SAMPLE_BYTES : exception_can_be(s, value) ? EXCEPTION_BYTES : 0;
}

static inline size_t take_value(const struct pt_itm *s, bool is_port, const uint8_t *bytes, struct pt_event *e)
{
	unsigned which = bytes[0] >> 3, n_bytes = (bytes[0] & 3) == 3 ? 4 : bytes[0] & 3;

	*e = s->blank;
	pt_itm_value_event(e,
			   is_port ? PT_SPACE_PORT * 2 + 1
				   : PT_SPACE_MEMORY * 2 + (which & 1) + pt_value_by(which >> 1 & 3),
			   n_bytes, is_port ? which : s->address[which >> 1 & 3],
			   pt_le32(bytes + 1) & UINT32_MAX >> (32 - 8 * n_bytes));
	return n_bytes + 1;
}

static inline size_t take_counters(const struct pt_itm *s, uint8_t wrapped, struct pt_event *e, unsigned *n_events)
{
	for (*n_events = 0; wrapped != 0; wrapped &= wrapped - 1) {
		e[*n_events] = s->blank;
		pt_itm_counter_event(&e[(*n_events)++], (unsigned)__builtin_ctz(wrapped));
	}
	return 2;
}

/* The events of one packet that is no stamp: its bytes, or 0. n_events: 1; out, how many they are. */
static inline size_t take_events(const struct pt_itm *s, unsigned class, const uint8_t *bytes, struct pt_event *e,
				 unsigned *n_events)
{
	if (class == PLAIN_SAMPLE || class == PLAIN_EXCEPTION)
		return take_report(s, class == PLAIN_SAMPLE, bytes, e);
	if (class == PLAIN_PORT || class == PLAIN_VALUE)
		return take_value(s, class == PLAIN_PORT, bytes, e);
	if (class == PLAIN_COUNTERS)
		return bytes[1] - 1u < 0x3f ? take_counters(s, bytes[1], e, n_events) : 0;
	*e = s->blank;
	if (class == PLAIN_OVERFLOW) {
		pt_itm_overflow_event(e);
		return 1;
	}
	e->kind = PT_EV_SAMPLE;
	e->branch.to = PT_UNKNOWN;
	return class == PLAIN_ASLEEP && bytes[1] == 0 ? 2 : 0;
}

/* Samples and steps of exceptions, each with a stamp behind it that was in time: a loop of its own, since most streams are made
 * of these. No branch depends on which of the two comes, nor on how long its stamp is. Bytes taken, up to the first other. */
static __attribute__((noinline)) size_t take_dated_reports(const struct pt_itm *s, struct run *r, struct cursor *c,
							   unsigned room, const uint8_t *bytes, size_t len_bytes,
							   uint32_t before)
{
	enum { MOST_BYTES = LONGEST + 1 + 4 };
	const uint8_t *report = bytes, *end = bytes + len_bytes;
	struct pt_event *e = r->event + c->n, *full = r->event + room;
	struct place *place = r->place + c->n, here = { c->packet, before };
	bool samples = s->plain[SAMPLE_HEADER] == PLAIN_SAMPLE;	/* of exceptions that are off there are no steps */
	uint64_t ticks = c->ticks;

	while (end - report >= MOST_BYTES && e < full) {
		bool is_sample = report[0] == SAMPLE_HEADER;
		uint32_t value = pt_le32(report + 1),
			 len = EXCEPTION_BYTES + (SAMPLE_BYTES - EXCEPTION_BYTES) * is_sample;
		uint32_t more =
			chosen(is_sample, pt_le32(report + SAMPLE_BYTES + 1), pt_le32(report + EXCEPTION_BYTES + 1));
		uint32_t ends = ~more & 0x80808080u;
		bool can_be = (is_sample & samples) | ((report[0] == EXCEPTION_HEADER) & exception_can_be(s, value));

		if (!can_be | (report[len] != STAMP_HEADER) | (ends == 0))
			break;
		ticks += stamp_value(more, ends);
		put_report(&s->blank, is_sample, value, e);
		e++->ticks = ticks;
		*place++ = here;
		here.packet += 2;
		len += 2 + (uint32_t)__builtin_ctz(ends) / 8;
		here.begin_bytes += len;
		report += len;
	}
	c->n = c->undated = (unsigned)(e - r->event);
	c->packet = here.packet;
	c->waits_since = report > bytes ? here.packet : c->waits_since;
	c->ticks = ticks;
	return (size_t)(report - bytes);
}

static size_t take_packets(const struct pt_itm *s, struct run *r, unsigned room, const uint8_t *bytes, size_t len_bytes)
{
	uint32_t before = (uint32_t)s->n_bytes;
	struct cursor c = r->to;	/* what is written to events cannot be this */
	bool stamped = s->stamped;
	size_t at = 0, n_bytes;

	for (; len_bytes - at >= LONGEST && c.n + MOST_EVENTS <= room; at += n_bytes, c.packet++) {
		const struct place place = { c.packet, before + (uint32_t)at };
		unsigned class = s->plain[bytes[at]], n_events = 1;

		if (stamped && c.undated == c.n && (class == PLAIN_SAMPLE || class == PLAIN_EXCEPTION)) {
			n_bytes = take_dated_reports(s, r, &c, room, bytes + at, len_bytes - at, place.begin_bytes);
			if (n_bytes > 0) {
				c.packet--;	/* counted by the loop */
				continue;
			}
		}
		if (class == PLAIN_SHORT_STAMP || class == PLAIN_LONG_STAMP) {
			n_bytes = stamped ? take_stamp(&c, r->event, bytes + at, class == PLAIN_LONG_STAMP) : 0;
			if (n_bytes == 0)
				break;
			continue;
		}
		if (stamped && c.packet - c.waits_since >= LONGEST_WAIT)
			break;
		n_bytes = take_events(s, class, bytes + at, &r->event[c.n], &n_events);
		if (n_bytes == 0)
			break;
		for (unsigned i = 0; i < n_events; i++)
			r->place[c.n++] = place;
	}
	r->to = c;
	return at;
}

size_t pt_itm_run(struct pt_itm *s, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	unsigned room = PT_BATCH_EVENTS - (unsigned)out->n_events;
	struct run r;
	size_t taken;

	if (len_bytes < LONGEST || s->n_held + MOST_EVENTS > room || s->plain[bytes[0]] == PLAIN_NOT)
		return 0;
	r.event = out->event + out->n_events;
	take_held(&r, s);
	taken = may_run(s, &r) ? take_packets(s, &r, room, bytes, len_bytes) : 0;
	if (taken == 0)
		return 0;
	out->n_events += hold_rest(&r, s);
	s->ticks = r.to.ticks;
	s->n_packets += r.to.packet - (uint32_t)s->n_packets;
	s->n_bytes += taken;
	s->packets.since_sync += taken;
	for (s->packets.zeros = 0; bytes[taken - 1 - s->packets.zeros] == 0; s->packets.zeros++)	/* no header is 0 */
		;
	return taken;
}
