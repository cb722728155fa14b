/* Levels of external lines: records that we make ourselves (trace/formats.h), one event each.
 * The head says how long a record is; one that says more than a number has bytes is damage, and the next head is
 * looked for behind it. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "util.h"

struct lines {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[PT_LINES_MOST_BYTES];
	uint8_t part_bytes;
};

static void record(struct lines *s, struct pt_batch *out)
{
	struct pt_event *e = &out->event[out->n_events++];
	unsigned n = s->part[PT_LINES_SIZE];

	*e = s->blank;
	e->kind = PT_EV_VALUE;
	e->cause = PT_SPACE_LINE * 2 + 1;
	e->ticks = pt_le64(s->part + PT_LINES_TICKS);
	e->n = (uint16_t)n;
	e->value.at = pt_le16(s->part + PT_LINES_LINE);
	e->value.value = n > 0 ? 0 : PT_UNKNOWN;
	for (unsigned i = 0; i < n; i++)
		e->value.value |= (uint64_t)s->part[PT_LINES_VALUE + i] << (8 * i);
}

static void add_gap(struct lines *s, struct pt_batch *out, enum pt_gap cause, uint64_t ns, uint64_t bytes)
{
	struct pt_event *e = &out->event[out->n_events++];

	*e = s->blank;
	e->kind = PT_EV_GAP;
	e->cause = (uint8_t)cause;
	e->gap.ns = ns;
	e->gap.bytes = bytes;
}

/* One more byte. */
static void take(struct lines *s, uint8_t byte, struct pt_batch *out)
{
	s->part[s->part_bytes++] = byte;
	if (s->part_bytes <= PT_LINES_SIZE)
		return;
	if (s->part[PT_LINES_SIZE] > 8) {
		add_gap(s, out, PT_GAP_DAMAGED, PT_UNKNOWN, s->part_bytes);
		s->part_bytes = 0;
	} else if (s->part_bytes == PT_LINES_VALUE + s->part[PT_LINES_SIZE]) {
		record(s, out);
		s->part_bytes = 0;
	}
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS)
		take(state, bytes[taken++], out);
	return taken;
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct lines *s = state;

	s->part_bytes = 0;
	add_gap(s, out, cause, ns, bytes);
}

/* What the core does is nothing to the lines. */
static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	(void)state;
	(void)what;
	(void)pc;
	(void)out;
}

static void flush(void *state, struct pt_batch *out)
{
	struct lines *s = state;

	if (s->part_bytes > 0)
		gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, s->part_bytes, out);
}

static void init(void *state, uint16_t source, uint16_t core, const char *config, size_t len_bytes)
{
	struct lines *s = state;

	(void)config;		/* names and clock are for those who know what a line means */
	(void)len_bytes;
	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
}

const struct pt_decoder pt_decoder_lines = {
	.name = PT_FORMAT_LINES,
	.gives = PT_GIVES_OTHER,
	.state_bytes = sizeof(struct lines),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
