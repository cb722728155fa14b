/* Hits by address: records that we make ourselves (trace/formats.h), one event each. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "util.h"

struct bins {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[PT_BINS_BYTES];
	uint8_t part_bytes;
};

static struct pt_event *add(struct bins *s, struct pt_batch *out, enum pt_event_kind kind)
{
	struct pt_event *e = &out->event[out->n_events++];

	*e = s->blank;
	e->kind = (uint8_t)kind;
	return e;
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct bins *s = state;
	struct pt_event *e;
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS) {
		s->part[s->part_bytes++] = bytes[taken++];
		if (s->part_bytes < PT_BINS_BYTES)
			continue;
		s->part_bytes = 0;
		e = add(s, out, PT_EV_BIN);
		e->bin.begin = pt_le64(s->part + PT_BINS_ADDRESS);
		e->bin.count = pt_le64(s->part + PT_BINS_HITS);
	}
	return taken;
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct bins *s = state;
	struct pt_event *e = add(s, out, PT_EV_GAP);

	s->part_bytes = 0;
	e->cause = (uint8_t)cause;
	e->gap.ns = ns;
	e->gap.bytes = bytes;
}

/* Nothing is counted while the core stands. */
static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	(void)state;
	(void)what;
	(void)pc;
	(void)out;
}

static void flush(void *state, struct pt_batch *out)
{
	struct bins *s = state;

	if (s->part_bytes > 0)
		gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, s->part_bytes, out);
}

static void init(void *state, uint16_t source, uint16_t core, const char *config, size_t len_bytes)
{
	struct bins *s = state;

	(void)config;
	(void)len_bytes;
	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
}

const struct pt_decoder pt_decoder_bins = {
	.name = PT_FORMAT_BINS,
	.gives = PT_GIVES_OTHER,
	.state_bytes = sizeof(struct bins),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
