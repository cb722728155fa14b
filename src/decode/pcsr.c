/* pc samples: the values of DWT_PCSR as they were read, 32 bits each (64 where CONFIG says so), little-endian.
 * Source: Arm DDI 0419, C1.8.5: bit 0 means nothing; 0xffffffff is no sample: the core is halted, or sampling is not
 * permitted. A sleeping core goes on answering with the address where it fell asleep, so only STATE can say that it
 * sleeps. Others give theirs in the same way, some with a bit 0 that counts. */
#include <string.h>

#include "decode/records.h"
#include "base/util.h"

enum { SAMPLE_BYTES = 4, WIDE_SAMPLE_BYTES = 8 };
#define NO_SAMPLE 0xffffffffu

struct pcsr {
	struct pt_own own;	/* first: it is what records.c gets */
	bool asleep;
	uint64_t means_nothing;	/* bits of an address */
	bool wide;
};

static int length(const uint8_t *part, size_t n)
{
	(void)part;
	(void)n;
	return SAMPLE_BYTES;
}

static int wide_length(const uint8_t *part, size_t n)
{
	(void)part;
	(void)n;
	return WIDE_SAMPLE_BYTES;
}

static void put_value(struct pt_own *own, uint64_t value, bool refused, struct pt_batch *out)
{
	if (refused) {
		struct pt_event *e = pt_own_add(own, out, PT_EV_COUNTER);

		e->counter.id = PT_COUNTER_REFUSED;
		e->counter.count = 1;
	} else {
		const struct pcsr *s = (const struct pcsr *)own;

		pt_own_add(own, out, PT_EV_SAMPLE)->branch.to = s->asleep ? PT_UNKNOWN : value & ~s->means_nothing;
	}
}

static void sample(struct pt_own *own, struct pt_batch *out)
{
	uint32_t value = pt_le32(own->part);

	put_value(own, value, value == NO_SAMPLE, out);
}

static void wide_sample(struct pt_own *own, struct pt_batch *out)
{
	uint64_t value = pt_le64(own->part);

	put_value(own, value, value == UINT64_MAX, out);
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	static const struct pt_own_format format = { length, sample }, wide = { wide_length, wide_sample };
	const struct pcsr *s = state;

	return pt_own_feed(state, s->wide ? &wide : &format, bytes, len_bytes, out);
}

static void state_changed(void *state, enum pt_state what, uint64_t pc, struct pt_batch *out)
{
	struct pcsr *s = state;

	(void)pc;
	(void)out;
	s->own.part_bytes = 0;
	s->asleep = what == PT_STATE_SLEEP;
}

static void flush(void *state, struct pt_batch *out)
{
	(void)out;
	((struct pcsr *)state)->own.part_bytes = 0;
}

static void init(void *state, uint16_t source, uint16_t core, const struct pt_config *config)
{
	struct pcsr *s = state;

	memset(s, 0, sizeof(*s));
	s->means_nothing = pt_config_number(config, "bit0", 0) != 0 ? 0 : 1;
	s->wide = pt_config_number(config, "pc_bytes", SAMPLE_BYTES) == WIDE_SAMPLE_BYTES;
	pt_own_init(&s->own, source, core, config);
}

const struct pt_decoder pt_decoder_pcsr = {
	.name = PT_FORMAT_PCSR,
	.gives = PT_GIVES_SAMPLES,
	.state_bytes = sizeof(struct pcsr),
	.init = init,
	.feed = feed,
	.gap = pt_own_gap,
	.state = state_changed,
	.flush = flush,
};
