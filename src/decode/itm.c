/* The ITM's stream: what the DWT reports of exceptions, data, samples and counters, and what the program writes to the
 * stimulus ports. Packets are cut by itm_packets.c; here they become events.
 *
 * A local stamp dates what came before it, so events are held until one comes. And they are held until PT_ITM_TRUST
 * packets behind them could be: where one cannot, those in front of it may be the outcome of the same wrong bit, and
 * are dropped with it. Ticks count from the beginning, and from the last gap, as what passed in one is not known.
 * A stamp that was late, or of something late, says no more than that the event lies between it and the stamp before:
 * such an event has no ticks.
 * Source: Arm DDI 0403, C1.7 and appendix D4. */
#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "decode/decoder.h"
#include "decode/itm_parts.h"
#include "trace/formats.h"

/* A run that was short is not worth its beginning: so many bytes later is the next. */
enum { SHORT_RUN_BYTES = 64 };

/* --- what is held ------------------------------------------------------------------------------------------------- */

static struct pt_itm_held *held_at(struct pt_itm *s, unsigned i)
{
	return &s->held[(s->oldest + i) % PT_ITM_HELD];
}

static void release(struct pt_itm *s, struct pt_batch *out)
{
	out->event[out->n_events++] = s->held[s->oldest].event;
	s->oldest = (s->oldest + 1) % PT_ITM_HELD;
	s->n_held--;
}

static void release_all(struct pt_itm *s, struct pt_batch *out)
{
	while (s->n_held > 0)
		release(s, out);
}

/* Those that are believed, and have their stamp if one may come. */
static void release_some(struct pt_itm *s, struct pt_batch *out)
{
	for (unsigned i = 0; i < PT_ITM_MOST_OUT && s->n_held > 0; i++) {
		const struct pt_itm_held *first = held_at(s, 0);
		bool full = s->n_held > PT_ITM_MOST_HELD;

		if ((uint32_t)s->n_packets - first->packet < PT_ITM_TRUST || (s->stamped && !first->dated && !full))
			break;
		release(s, out);
	}
}

static struct pt_event *hold(struct pt_itm *s, enum pt_event_kind kind, unsigned cause)
{
	struct pt_itm_held *held = held_at(s, s->n_held++);

	*held = (struct pt_itm_held){ .event = s->blank, .packet = (uint32_t)s->n_packets,
					.begin_bytes = (uint32_t)s->n_bytes };
	held->event.kind = (uint8_t)kind;
	held->event.cause = (uint8_t)cause;
	return &held->event;
}

static void date(struct pt_itm *s, const struct pt_itm_packet *stamp)
{
	s->ticks += stamp->value;
	s->stamped = true;
	for (unsigned i = s->n_held; i > 0 && !held_at(s, i - 1)->dated; i--) {
		struct pt_itm_held *held = held_at(s, i - 1);

		held->event.ticks = stamp->late == PT_ITM_IN_TIME ? s->ticks : PT_UNKNOWN;
		held->dated = true;
	}
}

/* --- accesses ----------------------------------------------------------------------------------------------------- */

static uint64_t address_of(const struct pt_itm *s, unsigned comparator)
{
	const struct pt_itm_access *a = &s->access[comparator];
	uint64_t address = s->address[comparator];

	if (!a->has_offset || address == PT_UNKNOWN)
		return a->has_offset ? PT_UNKNOWN : address;
	return (address & ~UINT64_C(0xffff)) | a->offset;
}

/* One access, of which the value may not be known: then it has no bytes. how: 1: written; or PT_VALUE_MATCHED. */
static void access_ends(struct pt_itm *s, unsigned comparator, unsigned how, unsigned n_bytes, uint64_t value)
{
	struct pt_itm_access *a = &s->access[comparator];

	if (a->has_pc)
		hold(s, PT_EV_VALUE_PC, 0)->branch.to = a->pc;
	pt_itm_value_event(hold(s, PT_EV_VALUE, 0), PT_SPACE_MEMORY * 2 + pt_value_by(comparator) + how, n_bytes,
			   address_of(s, comparator), n_bytes > 0 ? value : PT_UNKNOWN);
	*a = (struct pt_itm_access){ 0 };
}

static void forget_access(struct pt_itm *s, unsigned comparator)
{
	if (s->access[comparator].has_pc || s->access[comparator].has_offset)
		access_ends(s, comparator, 1, 0, PT_UNKNOWN);
}

/* Parts of one access follow each other at once. */
static void forget_accesses(struct pt_itm *s, int but)
{
	for (int i = 0; i < PT_ITM_COMPARATORS; i++)
		if (i != but)
			forget_access(s, (unsigned)i);
}

static void data(struct pt_itm *s, const struct pt_itm_packet *p)
{
	unsigned comparator = p->which >> 1 & 3;
	struct pt_itm_access *a = &s->access[comparator];

	forget_accesses(s, (int)comparator);
	if (p->which >= PT_ITM_DATA_READ) {
		access_ends(s, comparator, p->which & 1u, p->n_bytes, p->value);
	} else if ((p->which & 1) != 0) {
		if (a->has_offset)
			forget_access(s, comparator);
		a->has_offset = true;
		a->offset = (uint16_t)p->value;
	} else if (p->n_bytes == 4) {
		forget_access(s, comparator);
		a->has_pc = true;
		a->pc = (uint32_t)p->value & ~1u;
	} else {
		forget_access(s, comparator);
		access_ends(s, comparator, PT_VALUE_MATCHED, 0, PT_UNKNOWN);
	}
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

static void exception(struct pt_itm *s, uint64_t value)
{
	hold(s, PT_EV_EXCEPTION, value >> 12 & 3)->value.at = value & 0x1ff;
}

static void sample(struct pt_itm *s, const struct pt_itm_packet *p)
{
	struct pt_event *e;

	if (p->n_bytes == 1 && p->value != 0) {
		e = hold(s, PT_EV_COUNTER, PT_COUNTING_GOES_ON);
		e->counter.id = PT_COUNTER_REFUSED;
		e->counter.count = 1;
	} else {
		hold(s, PT_EV_SAMPLE, 0)->branch.to = p->n_bytes == 1 ? PT_UNKNOWN : p->value & ~UINT64_C(1);
	}
}

static void counters(struct pt_itm *s, uint64_t wrapped)
{
	for (unsigned i = 0; i < PT_ITM_COUNTERS_MOST; i++)
		if ((wrapped >> i & 1) != 0)
			pt_itm_counter_event(hold(s, PT_EV_COUNTER, 0), i);
}

static void port(struct pt_itm *s, const struct pt_itm_packet *p)
{
	pt_itm_value_event(hold(s, PT_EV_VALUE, 0), PT_SPACE_PORT * 2 + 1, p->n_bytes, p->which, p->value);
}

static void hardware(struct pt_itm *s, const struct pt_itm_packet *p)
{
	if (p->which >= PT_ITM_DATA_PC) {
		data(s, p);
		return;
	}
	forget_accesses(s, -1);
	if (p->which == PT_ITM_EXCEPTION)
		exception(s, p->value);
	else if (p->which == PT_ITM_PC_SAMPLE)
		sample(s, p);
	else
		counters(s, p->value);
}

static void overflow(struct pt_itm *s)
{
	pt_itm_overflow_event(hold(s, PT_EV_GAP, 0));
}

static void begin_stretch(struct pt_itm *s)
{
	memset(s->access, 0, sizeof(s->access));
	s->n_held = 0;
	s->n_packets = s->n_bytes = s->ticks = 0;
	s->stamped = false;
}

/* The outcome of the wrong bit may be among all that is held: it is dropped, with the bytes that it came in. */
static void drop_held(struct pt_itm *s)
{
	if (s->n_held > 0)
		s->dropped_bytes += (uint32_t)s->n_bytes - held_at(s, 0)->begin_bytes;
	begin_stretch(s);
}

static void found(struct pt_itm *s, uint64_t skipped, struct pt_batch *out)
{
	uint64_t bytes = skipped + s->dropped_bytes;

	s->dropped_bytes = 0;
	if (bytes > 0)
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, bytes);
}

static void take(struct pt_itm *s, const struct pt_itm_packet *p, struct pt_batch *out)
{
	if (p->kind == PT_ITM_BROKEN) {
		drop_held(s);
		return;
	}
	if (p->kind == PT_ITM_FOUND) {
		found(s, p->value, out);
		return;
	}
	release_some(s, out);
	if (p->kind == PT_ITM_HARDWARE) {
		hardware(s, p);
	} else {
		forget_accesses(s, -1);
		if (p->kind == PT_ITM_PORT)
			port(s, p);
		else if (p->kind == PT_ITM_LOCAL_STAMP)
			date(s, p);
		else if (p->kind == PT_ITM_OVERFLOW)
			overflow(s);
	}
	s->n_packets++;
	s->n_bytes += p->total_bytes;
}

/* --- the decoder -------------------------------------------------------------------------------------------------- */

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct pt_itm_packet packet[PT_ITM_ROOM];
	struct pt_itm *s = state;
	size_t taken = 0, run_at = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS) {
		unsigned n;

		if (taken >= run_at) {
			n = (unsigned)pt_itm_run(s, bytes + taken, len_bytes - taken, out);
			taken += n;
			run_at = taken + (n < SHORT_RUN_BYTES ? SHORT_RUN_BYTES : 1);
			continue;
		}
		taken += pt_itm_take(&s->packets, bytes + taken, len_bytes - taken, packet, &n);
		for (unsigned i = 0; i < n; i++)
			take(s, &packet[i], out);
	}
	return taken;
}

static void begin_stream(struct pt_itm *s)
{
	struct pt_itm_limits limits = s->packets.limits;

	s->packets = (struct pt_itm_packets){ .believed = s->aligned, .limits = limits };
	begin_stretch(s);
}

/* The bytes of what was not whole belong to what is missing here. */
static void end_stream(struct pt_itm *s, struct pt_batch *out)
{
	forget_accesses(s, -1);
	release_all(s, out);
	found(s, pt_itm_rest(&s->packets), out);
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct pt_itm *s = state;

	end_stream(s, out);
	pt_batch_add_gap(out, &s->blank, cause, ns, bytes);
	begin_stream(s);
}

/* What the core does is nothing to the stream. */
static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	(void)state;
	(void)what;
	(void)pc;
	(void)out;
}

static void flush(void *state, struct pt_batch *out)
{
	end_stream(state, out);
}

static uint64_t held_bytes(const void *state)
{
	const struct pt_itm *s = state;
	uint64_t packets = s->n_held > 0 ? (uint32_t)(s->n_bytes - s->held[s->oldest].begin_bytes) : 0;

	return packets + pt_itm_rest(&s->packets);
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct pt_itm *s = state;
	char key[16];

	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
	s->aligned = pt_config_number(config, "aligned", 0) != 0;
	s->packets.limits = (struct pt_itm_limits){
		.last_exception = (uint16_t)pt_config_number(config, "last_exception", 0),
		.no_hardware = (uint8_t)pt_config_number(config, "no_hardware", 0),
		.no_ports = (uint32_t)pt_config_number(config, "no_ports", 0),
	};
	for (unsigned i = 0; i < PT_ITM_COMPARATORS; i++) {
		snprintf(key, sizeof(key), "address.%u", i);
		s->address[i] = pt_config_number(config, key, PT_UNKNOWN);
	}
	pt_itm_run_init(s);
	begin_stream(s);
}

const struct pt_decoder pt_decoder_itm = {
	.name = PT_FORMAT_ITM,
	.gives = PT_GIVES_SAMPLES | PT_GIVES_OTHER,
	.goes_on = true,
	.held_bytes = held_bytes,
	.state_bytes = sizeof(struct pt_itm),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
