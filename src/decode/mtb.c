/* Micro Trace Buffer: 8-byte packets, source and destination of one branch, both little-endian.
 * Source: Arm DDI 0486, 2.3.1. Bit 0 of the source (A): an exception, or a pc written by the debugger; the source is
 * then where execution would have gone on. Bit 0 of the destination (S): the first packet since tracing began.
 *
 * An exception return is two packets, branch -> EXC_RETURN and (A) EXC_RETURN -> where it goes on, joined to one event.
 * Where the second names another source the core went straight into the next handler (tail-chaining); that the DDI
 * leaves open, and flow understands the other plausible shapes by what the destination is. A pair cut in two is a gap,
 * not a guess.
 *
 * A pc that a debugger wrote makes a packet with A, too. STATE reports it, and that packet is no exception, wherever
 * it is: mostly right behind the resumption, in the middle of a burst that outlived the halt. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "base/util.h"

enum { PACKET_BYTES = 8, ATOMIC = 1, START = 1, WRITTEN = 8 };
#define EXC_RETURN 0xff000000u	/* and all above: no code lies there. Source: Arm DDI 0419, B1.5.8 */

struct mtb {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[PACKET_BYTES];
	uint8_t part_bytes;
	bool linked;		/* a packet came before, and nothing is missing since */
	bool returning;		/* the first half of an exception return was seen */
	bool halted;		/* a debugger holds the core */
	bool resumed;		/* the core was just resumed, at resumed_at */
	uint32_t returning_from;
	uint64_t resumed_at;
	uint64_t held_at;	/* where a debugger holds the core; PT_UNKNOWN: nobody knows */
	struct { uint64_t from, to; } written[WRITTEN];	/* pcs that it wrote, and that no packet was seen of */
	unsigned n_written;
	uint64_t start, stop;	/* where a trigger lets recording begin and end; PT_UNKNOWN: there is none, or a variable does */
};

static void add_branch(struct mtb *s, struct pt_batch *out, enum pt_by by, uint64_t from, uint64_t to)
{
	struct pt_event *e = pt_batch_add(out, &s->blank, PT_EV_BRANCH, by);

	e->branch.from = from;
	e->branch.to = to;
}

/* The returning instruction ran, but where to is not recorded. */
static void cut_return(struct mtb *s, struct pt_batch *out)
{
	if (s->returning)
		add_branch(s, out, PT_BY_EXCEPTION_RETURN, s->returning_from, PT_UNKNOWN);
	s->returning = false;
}

/* The packet behind branch -> EXC_RETURN. True: it was the second half, and is done. */
static bool join_return(struct mtb *s, uint32_t from, uint32_t to, bool atomic, struct pt_batch *out)
{
	enum pt_by by = from >= EXC_RETURN ? PT_BY_EXCEPTION_RETURN : PT_BY_TAIL_CHAIN;

	if (!atomic || to >= EXC_RETURN) {
		cut_return(s, out);
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, PT_UNKNOWN);
		return to >= EXC_RETURN && from >= EXC_RETURN;
	}
	s->returning = false;
	add_branch(s, out, by, s->returning_from, to);
	return true;
}

/* STATE told of this move of the pc. */
static bool was_written(struct mtb *s, uint32_t from, uint32_t to)
{
	for (unsigned i = 0; i < s->n_written; i++)
		if (s->written[i].from == from && s->written[i].to == to) {
			s->n_written--;
			memmove(&s->written[i], &s->written[i + 1], (s->n_written - i) * sizeof(s->written[0]));
			return true;
		}
	return false;
}

static void note_written(struct mtb *s, uint64_t pc)
{
	if (s->n_written == WRITTEN)
		memmove(s->written, s->written + 1, --s->n_written * sizeof(s->written[0]));
	s->written[s->n_written].from = s->held_at;
	s->written[s->n_written++].to = pc;
	s->held_at = pc;
}

/* A packet on its own. */
static void single(struct mtb *s, uint32_t from, uint32_t to, bool atomic, bool linked, struct pt_batch *out)
{
	bool second_half = from >= EXC_RETURN, first_half = to >= EXC_RETURN;

	if ((second_half && (linked || !atomic)) || (first_half && atomic))
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, PT_UNKNOWN);
	if (first_half && !atomic && !second_half) {
		s->returning = true;
		s->returning_from = from;
	} else if (!first_half && second_half) {
		add_branch(s, out, PT_BY_EXCEPTION_RETURN, PT_UNKNOWN, to);
	} else if (!first_half) {
		bool moved = atomic && was_written(s, from, to);

		add_branch(s, out,
			   !atomic		? PT_BY_INSTRUCTION
			   : s->halted || moved ? PT_BY_DEBUG
						: PT_BY_EXCEPTION,
			   from, to);
	}
}

/* The first packet since tracing began, or was let begin by a trigger. */
static void begin(struct mtb *s, bool resumed, struct pt_batch *out)
{
	if (s->linked && s->stop != PT_UNKNOWN)
		pt_batch_add(out, &s->blank, PT_EV_STOP, 0)->branch.to = s->stop;
	if (s->linked && !resumed)
		pt_batch_add_gap(out, &s->blank, PT_GAP_RESTART, PT_UNKNOWN, PT_UNKNOWN);
	if (s->start != PT_UNKNOWN)
		pt_batch_add(out, &s->blank, PT_EV_START, 0)->branch.to = s->start;
}

static void packet(struct mtb *s, uint32_t from, uint32_t to, struct pt_batch *out)
{
	bool atomic = (from & ATOMIC) != 0, first = (to & START) != 0;
	bool resumed = s->resumed, linked = s->linked && !first;

	from &= ~(uint32_t)ATOMIC;
	to &= ~(uint32_t)START;
	if (first) {
		cut_return(s, out);
		begin(s, resumed, out);
	}
	s->linked = true;
	s->resumed = false;
	if (resumed && atomic && to == s->resumed_at) {
		was_written(s, from, to);
		return;		/* the debugger's own doing: STATE has told it */
	}
	if (resumed && atomic && was_written(s, from, to)) {
		s->resumed = true;	/* on the way there */
		return;
	}
	if (!s->returning || !join_return(s, from, to, atomic, out))
		single(s, from, to, atomic, linked, out);
}

/* As many plain packets, from instruction to instruction, as there are at the head of bytes. Returns how many. */
static size_t plain_packets(const struct mtb *s, const uint8_t *bytes, size_t n, struct pt_event *out)
{
	struct pt_event head = s->blank;

	head.kind = PT_EV_BRANCH;
	head.cause = PT_BY_INSTRUCTION;
	for (size_t i = 0; i < n; i++) {
		uint32_t from = pt_le32(bytes + i * PACKET_BYTES), to = pt_le32(bytes + i * PACKET_BYTES + 4);

		if (((from | to) & 1) != 0 || from >= EXC_RETURN || to >= EXC_RETURN)
			return i;
		/* in parts: a copy of the whole would wait for its own stores */
		memcpy(&out[i], &head, offsetof(struct pt_event, branch));
		out[i].branch.from = from;
		out[i].branch.to = to;
	}
	return n;
}

static size_t room(const struct pt_batch *out)
{
	return PT_BATCH_EVENTS - out->n_events;
}

/* Whole packets from bytes. Returns bytes taken. */
static size_t whole(struct mtb *s, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	size_t taken = 0;

	while (len_bytes - taken >= PACKET_BYTES && room(out) >= PT_DECODER_ROOM) {
		if (s->linked && !s->returning && !s->resumed) {
			size_t n = (len_bytes - taken) / PACKET_BYTES;

			n = plain_packets(s, bytes + taken, n < room(out) ? n : room(out), out->event + out->n_events);
			out->n_events += n;
			taken += n * PACKET_BYTES;
		}
		if (len_bytes - taken >= PACKET_BYTES && room(out) >= PT_DECODER_ROOM) {
			packet(s, pt_le32(bytes + taken), pt_le32(bytes + taken + 4), out);
			taken += PACKET_BYTES;
		}
	}
	return taken;
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct mtb *s = state;
	size_t taken = 0;

	while (taken < len_bytes && room(out) >= PT_DECODER_ROOM) {
		if (s->part_bytes == 0 && len_bytes - taken >= PACKET_BYTES) {
			taken += whole(s, bytes + taken, len_bytes - taken, out);
			continue;
		}
		s->part[s->part_bytes++] = bytes[taken++];
		if (s->part_bytes == PACKET_BYTES) {
			packet(s, pt_le32(s->part), pt_le32(s->part + 4), out);
			s->part_bytes = 0;
		}
	}
	return taken;
}

/* plain_packets(), for others. */
static size_t pairs(const void *state, size_t len_bytes, size_t *packet_bytes)
{
	const struct mtb *s = state;
	bool plain = s->part_bytes == 0 && s->linked && !s->returning && !s->resumed;

	*packet_bytes = PACKET_BYTES - s->part_bytes;
	return plain ? len_bytes / PACKET_BYTES : 0;
}

/* Nothing of what was begun will be continued. */
static void drop(struct mtb *s, struct pt_batch *out)
{
	cut_return(s, out);
	s->part_bytes = 0;
	s->resumed = false;
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct mtb *s = state;

	drop(s, out);
	s->linked = false;
	pt_batch_add_gap(out, &s->blank, cause, ns, bytes);
}

static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	struct mtb *s = state;

	struct pt_event *e;

	if (what == PT_STATE_SLEEP && (s->part_bytes > 0 || !s->linked))
		return;
	if (what == PT_STATE_SLEEP) {
		e = pt_batch_add(out, &s->blank, PT_EV_STOP, PT_ATOMS_ALL);
		e->branch.to = PT_UNKNOWN;
		e->n = PT_STOP_ASLEEP;
		return;
	}
	if (s->part_bytes > 0)
		pt_batch_add_gap(out, &s->blank, PT_GAP_DAMAGED, PT_UNKNOWN, PT_UNKNOWN);
	drop(s, out);
	if (what == PT_STATE_RESET)
		pt_batch_add_gap(out, &s->blank, PT_GAP_RESTART, PT_UNKNOWN, PT_UNKNOWN);
	pt_batch_add(out, &s->blank, what == PT_STATE_HALT ? PT_EV_STOP : PT_EV_START, 0)->branch.to = pc;
	if (what == PT_STATE_HALT || what == PT_STATE_RESET)
		s->held_at = pc;
	else if (what == PT_STATE_PC_WRITTEN)
		note_written(s, pc);
	s->halted = what == PT_STATE_HALT || what == PT_STATE_PC_WRITTEN;
	s->resumed = what != PT_STATE_HALT && pc != PT_UNKNOWN;
	s->resumed_at = pc;
	s->linked = true;	/* by its pc */
}

static void flush(void *state, struct pt_batch *out)
{
	drop(state, out);
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct mtb *s = state;

	memset(s, 0, sizeof(*s));
	s->start = pt_config_number(config, "start", PT_UNKNOWN);
	s->stop = pt_config_number(config, "stop", PT_UNKNOWN);
	s->held_at = PT_UNKNOWN;
	s->blank.ticks = PT_UNKNOWN;	/* packets carry no time */
	s->blank.source = source;
	s->blank.core = core;
}

const struct pt_decoder pt_decoder_mtb = {
	.name = PT_FORMAT_MTB,
	.gives = PT_GIVES_FLOW,
	.state_bytes = sizeof(struct mtb),
	.init = init,
	.feed = feed,
	.pairs = pairs,
	.pairs_below = EXC_RETURN,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
