/* Local and global stamps. Source: DDI 0403, D4.2.4 and D4.2.5. */
#include "probes/virtual/unit/arm/itm_parts.h"

enum { GLOBAL_LOW_BITS = 26, GLOBAL_BITS = 48 };
enum { STAMP_DELAYED = 1, PACKET_DELAYED = 2 };		/* TC */
enum { WRAP = 0x40, MORE = 0x80 };

static bool stamps_on(const struct pt_vitm *itm)
{
	return pt_vitm_works(itm) && (itm->tcr & PT_VITM_TSENA) != 0;
}

/* value * by / of, where the product may not fit. */
static uint64_t scaled(uint64_t value, uint32_t by, uint32_t of)
{
	return value / of * by + value % of * by / of;
}

static unsigned prescale_shift(const struct pt_vitm *itm)
{
	return 2 * (itm->tcr >> 8 & 3);		/* 1, 4, 16, 64 */
}

static uint64_t ticks(const struct pt_vitm *itm, uint64_t cycle)
{
	if ((itm->tcr & PT_VITM_SWOENA) != 0)
		cycle = scaled(cycle, itm->tpiu->trace_hz, itm->wires->core_hz);
	return cycle >> prescale_shift(itm);
}

/* The first cycle at which the counter is there, or one behind it. */
static uint64_t cycle_of(const struct pt_vitm *itm, uint64_t at_ticks)
{
	uint64_t clocks = at_ticks << prescale_shift(itm);

	return (itm->tcr & PT_VITM_SWOENA) != 0 ? scaled(clocks, itm->wires->core_hz, itm->tpiu->trace_hz) + 1 : clocks;
}

void pt_vitm_stamps_restart(struct pt_vitm *itm)
{
	itm->stamps.last = ticks(itm, itm->now);
	if (!stamps_on(itm))
		itm->stamps.wanted = itm->stamps.late = false;
	if ((itm->tcr >> 10 & 3) == 0 || !pt_vitm_works(itm))
		itm->stamps.global_wanted = itm->stamps.high_wanted = false;
}

/* What has been counted since the last stamp stays counted. */
void pt_vitm_set_trace_clock(struct pt_vitm *itm, uint32_t hz)
{
	uint64_t counted;

	pt_vitm_run(itm, pt_vwires_now(itm->wires));
	counted = ticks(itm, itm->now) - itm->stamps.last;
	itm->tpiu->trace_hz = hz > 0 ? hz : 1;
	itm->stamps.last = ticks(itm, itm->now) - counted;
}

static void add_groups(struct pt_vtrace_packet *packet, uint64_t value)
{
	do {
		packet->bytes[packet->n_bytes++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? MORE : 0));
		value >>= 7;
	} while (value != 0);
}

/* A delayed stamp says when it was made, any other when its packets were. One of no ticks is not sent. */
void pt_vitm_put_stamp(struct pt_vitm *itm, uint64_t at_cycle)
{
	struct pt_vitm_stamps *s = &itm->stamps;
	unsigned tc = (at_cycle > s->at_cycle ? STAMP_DELAYED : 0) | (s->late ? PACKET_DELAYED : 0);
	uint64_t at = at_cycle > s->at_cycle ? at_cycle : s->at_cycle, now = ticks(itm, at);
	struct pt_vtrace_packet packet = { .at_cycle = at, .source = PT_VTRACE_STAMP };
	uint64_t delta = now - s->last;

	s->wanted = s->late = false;
	if (!stamps_on(itm) || now <= s->last)
		return;
	s->last = now;
	if (tc == 0 && delta <= 6) {
		packet.bytes[packet.n_bytes++] = (uint8_t)(delta << 4);
	} else {
		packet.bytes[packet.n_bytes++] = (uint8_t)(0xc0 | tc << 4);
		add_groups(&packet, delta);
	}
	pt_vitm_put(itm, &packet, at_cycle);
}

/* --- global */

static unsigned frequency(const struct pt_vitm *itm)
{
	return pt_vitm_works(itm) ? itm->tcr >> 10 & 3 : 0;
}

/* The high bits, behind a stamp that said they have changed. */
static void put_high(struct pt_vitm *itm, uint64_t at_cycle)
{
	struct pt_vtrace_packet packet = { .at_cycle = itm->stamps.global_last, .source = PT_VTRACE_GLOBAL, .n_bytes = 5 };
	uint64_t high = itm->stamps.global_last >> GLOBAL_LOW_BITS & ((1u << (GLOBAL_BITS - GLOBAL_LOW_BITS)) - 1);

	packet.bytes[0] = 0xb4;
	for (unsigned i = 0; i < 4; i++)
		packet.bytes[1 + i] = (uint8_t)((high >> 7 * i & 0x7f) | (i < 3 ? MORE : 0));
	itm->stamps.high_wanted = false;
	pt_vitm_put(itm, &packet, at_cycle);
}

/* Low bits down from the highest that has changed; all of them where those above have. */
void pt_vitm_put_global(struct pt_vitm *itm, uint64_t at_cycle)
{
	struct pt_vitm_stamps *s = &itm->stamps;
	struct pt_vtrace_packet packet = { .at_cycle = at_cycle, .source = PT_VTRACE_GLOBAL, .n_bytes = 1, .bytes = { 0x94 } };
	uint64_t changed = at_cycle ^ s->global_last;
	bool all = !s->global_begun || changed >> GLOBAL_LOW_BITS != 0;
	unsigned groups = 1;

	if (s->high_wanted) {
		put_high(itm, at_cycle);
		return;
	}
	while (groups < 4 && (all || changed >> 7 * groups != 0))
		groups++;
	for (unsigned i = 0; i < groups; i++)
		packet.bytes[packet.n_bytes++] = (uint8_t)((at_cycle >> 7 * i & (i < 3 ? 0x7f : 0x1f)) |
							   (i + 1 < groups ? MORE : 0) | (i == 3 && all ? WRAP : 0));
	s->global_wanted = false;
	s->high_wanted = all;
	s->global_begun = true;
	s->global_last = at_cycle;
	pt_vitm_put(itm, &packet, at_cycle);
}

/* --- what the counters do by themselves */

static uint64_t next_overflow(const struct pt_vitm *itm)
{
	return stamps_on(itm) ? cycle_of(itm, itm->stamps.last + (UINT64_C(1) << itm->stamp_bits)) : PT_VNEVER;
}

static uint64_t next_request(const struct pt_vitm *itm)
{
	static const uint8_t shifts[] = { 0, 7, 13, 0 };	/* every 128 and 8192 clocks */
	unsigned shift = shifts[frequency(itm)];

	return shift != 0 ? ((itm->now >> shift) + 1) << shift : PT_VNEVER;
}

uint64_t pt_vitm_next_stamp_event(const struct pt_vitm *itm)
{
	uint64_t overflow = next_overflow(itm), request = next_request(itm);

	return overflow < request ? overflow : request;
}

void pt_vitm_stamp_event(struct pt_vitm *itm, uint64_t at_cycle)
{
	if (next_overflow(itm) <= at_cycle) {
		itm->overflow = true;
		itm->stamps.last += UINT64_C(1) << itm->stamp_bits;
	}
	if (frequency(itm) == 1 || frequency(itm) == 2)
		itm->stamps.global_wanted = true;
	pt_vitm_refill(itm, at_cycle);
}
