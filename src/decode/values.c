/* Values written and read, of any origin: records that we make ourselves (trace/formats.h). One with a pc is two events,
 * the pc first. A head that makes no sense is damage, and the next one is looked for behind it. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "util.h"

struct values {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[PT_VALUES_MOST_BYTES];
	uint8_t part_bytes;
};

static struct pt_event *add(struct values *s, struct pt_batch *out, enum pt_event_kind kind)
{
	struct pt_event *e = &out->event[out->n_events++];

	*e = s->blank;
	e->kind = (uint8_t)kind;
	return e;
}

static void record(struct values *s, struct pt_batch *out)
{
	uint8_t how = s->part[PT_VALUES_HOW];
	uint64_t ticks = pt_le64(s->part + PT_VALUES_TICKS);
	struct pt_event *e;

	if ((how & PT_VALUES_HAS_PC) != 0) {
		e = add(s, out, PT_EV_VALUE_PC);
		e->ticks = ticks;
		e->branch.to = pt_le64(s->part + PT_VALUES_PC);
	}
	e = add(s, out, PT_EV_VALUE);
	e->ticks = ticks;
	e->cause = how & (uint8_t)~PT_VALUES_HAS_PC;
	e->n = s->part[PT_VALUES_SIZE];
	e->value.at = pt_le64(s->part + PT_VALUES_AT);
	e->value.value = pt_le64(s->part + PT_VALUES_VALUE);
}

static void add_gap(struct values *s, struct pt_batch *out, enum pt_gap cause, uint64_t ns, uint64_t bytes)
{
	struct pt_event *e = add(s, out, PT_EV_GAP);

	e->cause = (uint8_t)cause;
	e->gap.ns = ns;
	e->gap.bytes = bytes;
}

static bool sensible(const struct values *s)
{
	uint8_t how = s->part[PT_VALUES_HOW] & (uint8_t)~PT_VALUES_HAS_PC, size = s->part[PT_VALUES_SIZE];

	return how <= PT_SPACE_LINE * 2 + 1 && size >= 1 && size <= 8;
}

/* One more byte. */
static void take(struct values *s, uint8_t byte, struct pt_batch *out)
{
	s->part[s->part_bytes++] = byte;
	if (s->part_bytes <= PT_VALUES_SIZE)
		return;
	if (!sensible(s)) {
		add_gap(s, out, PT_GAP_DAMAGED, PT_UNKNOWN, s->part_bytes);
		s->part_bytes = 0;
	} else if (s->part_bytes == ((s->part[PT_VALUES_HOW] & PT_VALUES_HAS_PC) != 0 ? PT_VALUES_MOST_BYTES
											: PT_VALUES_PC)) {
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
	struct values *s = state;

	s->part_bytes = 0;
	add_gap(s, out, cause, ns, bytes);
}

/* The stream says itself what was written when. */
static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	(void)state;
	(void)what;
	(void)pc;
	(void)out;
}

static void flush(void *state, struct pt_batch *out)
{
	struct values *s = state;

	if (s->part_bytes > 0)
		gap(s, PT_GAP_DAMAGED, PT_UNKNOWN, s->part_bytes, out);
}

static void init(void *state, uint16_t source, uint16_t core, const char *config, size_t len_bytes)
{
	struct values *s = state;

	(void)config;
	(void)len_bytes;
	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
}

const struct pt_decoder pt_decoder_values = {
	.name = PT_FORMAT_VALUES,
	.gives = PT_GIVES_OTHER,
	.state_bytes = sizeof(struct values),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
