/* Packets by time: before one goes in, the pin has taken what it could until then. */
#include "probes/virtual/unit/arm/itm_parts.h"

static void note(struct pt_vitm *itm, const struct pt_vtrace_packet *packet)
{
	struct pt_vtrace_log *log = itm->log;

	if (log == NULL)
		return;
	if (log->n < log->room)
		log->packet[log->n++] = *packet;
	else
		log->n_more++;
}

static void note_for_stamp(struct pt_vitm *itm, const struct pt_vtrace_packet *packet)
{
	if (packet->source != PT_VTRACE_PORT && packet->source != PT_VTRACE_DWT)
		return;
	itm->stamps.wanted = true;
	itm->stamps.late |= packet->put_cycle > packet->at_cycle;
	itm->stamps.at_cycle = packet->put_cycle;
	if ((itm->tcr >> 10 & 3) == 3)
		itm->stamps.global_wanted = true;
}

void pt_vitm_put(struct pt_vitm *itm, struct pt_vtrace_packet *packet, uint64_t at_cycle)
{
	packet->put_cycle = at_cycle;
	itm->fifo[(itm->first + itm->n) % PT_VITM_MAX_FIFO] = *packet;
	itm->n++;
	note_for_stamp(itm, packet);
	note(itm, packet);
}

static void put_bytes(struct pt_vitm *itm, enum pt_vtrace_source source, const uint8_t *bytes, unsigned n_bytes,
		      uint64_t at_cycle)
{
	struct pt_vtrace_packet packet = { .at_cycle = at_cycle, .source = source, .n_bytes = (uint8_t)n_bytes };

	for (unsigned i = 0; i < n_bytes; i++)
		packet.bytes[i] = bytes[i];
	pt_vitm_put(itm, &packet, at_cycle);
}

static bool put_held(struct pt_vitm *itm, uint64_t at_cycle)
{
	for (unsigned i = 0; i < PT_VITM_BUFFERS; i++) {
		if (!itm->holds[i])
			continue;
		itm->holds[i] = false;
		pt_vitm_put(itm, &itm->held[i], at_cycle);
		return true;
	}
	return false;
}

static bool put_overflow(struct pt_vitm *itm, uint64_t at_cycle)
{
	static const uint8_t overflow[] = { 0x70 };

	if (!itm->overflow)
		return false;
	itm->overflow = itm->loses[PT_VITM_PORTS] = itm->loses[PT_VITM_DWT] = false;
	put_bytes(itm, PT_VTRACE_OVERFLOW, overflow, sizeof(overflow), at_cycle);
	return true;
}

static bool put_sync(struct pt_vitm *itm, uint64_t at_cycle)
{
	static const uint8_t sync[] = { 0, 0, 0, 0, 0, 0x80 };

	if (!itm->sync_wanted)
		return false;
	itm->sync_wanted = false;
	put_bytes(itm, PT_VTRACE_SYNC, sync, sizeof(sync), at_cycle);
	return true;
}

/* GTSFREQ 3: behind every packet, when nothing else is in the FIFO. */
static bool global_can_go(const struct pt_vitm *itm)
{
	return itm->stamps.high_wanted || (itm->stamps.global_wanted && ((itm->tcr >> 10 & 3) != 3 || itm->n == 0));
}

void pt_vitm_refill(struct pt_vitm *itm, uint64_t at_cycle)
{
	while (pt_vitm_has_room(itm)) {
		if (put_held(itm, at_cycle) || put_overflow(itm, at_cycle))
			continue;
		if (itm->stamps.wanted)
			pt_vitm_put_stamp(itm, at_cycle);
		else if (global_can_go(itm))
			pt_vitm_put_global(itm, at_cycle);
		else if (!put_sync(itm, at_cycle))
			return;
	}
}

/* A stamp goes in behind the packets that it dates, which all came in one cycle: not before that is over. */
static void settle_stamp(struct pt_vitm *itm, uint64_t to_cycle)
{
	if (itm->stamps.wanted && itm->stamps.at_cycle < to_cycle && pt_vitm_has_room(itm))
		pt_vitm_put_stamp(itm, itm->stamps.at_cycle);
}

static void drain(struct pt_vitm *itm, uint64_t to_cycle)
{
	settle_stamp(itm, to_cycle);
	pt_vtpiu_run(itm->tpiu, to_cycle);
	if (to_cycle > itm->now)
		itm->now = to_cycle;
}

void pt_vitm_advance(struct pt_vitm *itm, uint64_t to_cycle)
{
	uint64_t next;

	while ((next = pt_vitm_next_stamp_event(itm)) <= to_cycle) {
		drain(itm, next);
		pt_vitm_stamp_event(itm, next);
	}
	if (to_cycle > itm->now)
		drain(itm, to_cycle);
}

void pt_vitm_run(struct pt_vitm *itm, uint64_t to_cycle)
{
	if (itm->catch_up != NULL)
		itm->catch_up(itm->source, to_cycle);
	pt_vitm_advance(itm, to_cycle);
}

void pt_vitm_send(struct pt_vitm *itm, enum pt_vitm_buffer buffer, struct pt_vtrace_packet *packet)
{
	pt_vitm_advance(itm, packet->at_cycle);
	packet->at_cycle = itm->now;
	if (pt_vitm_has_room(itm)) {
		pt_vitm_put(itm, packet, itm->now);
	} else if (!itm->loses[buffer] && !itm->holds[buffer]) {
		itm->held[buffer] = *packet;
		itm->holds[buffer] = true;
	} else {
		itm->loses[buffer] = itm->overflow = packet->lost = true;
		note(itm, packet);
	}
}

void pt_vitm_clear(struct pt_vitm *itm)
{
	itm->n = itm->taken = itm->first = 0;
	itm->holds[PT_VITM_PORTS] = itm->holds[PT_VITM_DWT] = itm->loses[PT_VITM_PORTS] = itm->loses[PT_VITM_DWT] =
		false;
	itm->overflow = itm->sync_wanted = false;
	itm->stamps = (struct pt_vitm_stamps){ 0 };
}

/* --- as the TPIU sees it */

static void advance(void *arg, uint64_t to_cycle)
{
	pt_vitm_run(arg, to_cycle);
}

static const struct pt_vtrace_packet *waiting_packet(const struct pt_vitm *itm, unsigned i)
{
	return &itm->fifo[(itm->first + i) % PT_VITM_MAX_FIFO];
}

static uint64_t since(void *arg, size_t n_bytes)
{
	const struct pt_vitm *itm = arg;

	n_bytes += itm->taken;
	for (unsigned i = 0; i < itm->n; i++) {
		const struct pt_vtrace_packet *packet = waiting_packet(itm, i);

		if (n_bytes <= packet->n_bytes)
			return packet->put_cycle;
		n_bytes -= packet->n_bytes;
	}
	return PT_VNEVER;
}

static size_t waiting(void *arg, uint64_t at_cycle)
{
	const struct pt_vitm *itm = arg;
	size_t n_bytes = 0;

	for (unsigned i = 0; i < itm->n; i++) {
		const struct pt_vtrace_packet *packet = waiting_packet(itm, i);

		if (packet->put_cycle > at_cycle)
			break;
		n_bytes += packet->n_bytes;
	}
	return n_bytes - (n_bytes > 0 ? itm->taken : 0);
}

static uint8_t take(void *arg, uint64_t at_cycle)
{
	struct pt_vitm *itm = arg;
	const struct pt_vtrace_packet *packet = &itm->fifo[itm->first];
	uint8_t byte = packet->bytes[itm->taken++];

	if (itm->taken < packet->n_bytes)
		return byte;
	itm->taken = 0;
	itm->first = (itm->first + 1) % PT_VITM_MAX_FIFO;
	itm->n--;
	pt_vitm_refill(itm, at_cycle);
	return byte;
}

static uint8_t stream(const void *arg)
{
	return ((const struct pt_vitm *)arg)->tcr >> 16 & 0x7f;
}

struct pt_vtpiu_input pt_vitm_input(struct pt_vitm *itm)
{
	return (struct pt_vtpiu_input){
		.arg = itm, .advance = advance, .since = since, .waiting = waiting, .take = take, .stream = stream,
	};
}
