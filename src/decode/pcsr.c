/* pc samples: the values of DWT_PCSR as they were read, 32 bits each, little-endian.
 * Source: Arm DDI 0419, C1.8.5: bit 0 means nothing; 0xffffffff is no sample: the core is halted, or sampling is not
 * permitted. A sleeping core goes on answering with the address where it fell asleep, so only STATE can tell. */
#include <string.h>

#include "decode/decoder.h"
#include "trace/formats.h"
#include "util.h"

enum { SAMPLE_BYTES = 4 };
#define NO_SAMPLE 0xffffffffu

struct pcsr {
	struct pt_event blank;	/* what all our events have in common */
	uint8_t part[SAMPLE_BYTES];
	uint8_t part_bytes;
	bool asleep;
};

static struct pt_event *add(struct pcsr *s, struct pt_batch *out, enum pt_event_kind kind)
{
	struct pt_event *e = &out->event[out->n_events++];

	*e = s->blank;
	e->kind = (uint8_t)kind;
	return e;
}

static void sample(struct pcsr *s, uint32_t value, struct pt_batch *out)
{
	if (value == NO_SAMPLE) {
		struct pt_event *e = add(s, out, PT_EV_COUNTER);

		e->counter.id = PT_COUNTER_REFUSED;
		e->counter.count = 1;
	} else {
		add(s, out, PT_EV_SAMPLE)->branch.to = s->asleep ? PT_UNKNOWN : value & ~1u;
	}
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	struct pcsr *s = state;
	size_t taken = 0;

	while (taken < len_bytes && out->n_events + PT_DECODER_ROOM <= PT_BATCH_EVENTS) {
		s->part[s->part_bytes++] = bytes[taken++];
		if (s->part_bytes == SAMPLE_BYTES) {
			sample(s, pt_le32(s->part), out);
			s->part_bytes = 0;
		}
	}
	return taken;
}

static void gap(void *state, enum pt_gap cause, uint64_t ns, uint64_t bytes, struct pt_batch *out)
{
	struct pcsr *s = state;
	struct pt_event *e = add(s, out, PT_EV_GAP);

	s->part_bytes = 0;
	e->cause = (uint8_t)cause;
	e->gap.ns = ns;
	e->gap.bytes = bytes;
}

static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	struct pcsr *s = state;

	(void)pc;
	(void)out;
	s->part_bytes = 0;
	s->asleep = what == PT_STATE_SLEEP;
}

static void flush(void *state, struct pt_batch *out)
{
	(void)out;
	((struct pcsr *)state)->part_bytes = 0;
}

static void init(void *state, uint16_t source, uint16_t core, const char *config, size_t len_bytes)
{
	struct pcsr *s = state;

	(void)config;
	(void)len_bytes;
	memset(s, 0, sizeof(*s));
	s->blank.ticks = PT_UNKNOWN;
	s->blank.source = source;
	s->blank.core = core;
}

const struct pt_decoder pt_decoder_pcsr = {
	.name = PT_FORMAT_PCSR,
	.gives = PT_GIVES_SAMPLES,
	.state_bytes = sizeof(struct pcsr),
	.init = init,
	.feed = feed,
	.gap = gap,
	.state = state_changed,
	.flush = flush,
};
