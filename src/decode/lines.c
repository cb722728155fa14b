/* Levels of external lines: records that we make ourselves (trace/formats.h), one event each. */
#include "decode/records.h"
#include "base/util.h"

static int length(const uint8_t *part, size_t n)
{
	if (n <= PT_LINES_SIZE)
		return PT_OWN_UNKNOWN;
	return part[PT_LINES_SIZE] <= 8 ? PT_LINES_VALUE + part[PT_LINES_SIZE] : PT_OWN_DAMAGED;
}

static void record(struct pt_own *own, struct pt_batch *out)
{
	struct pt_event *e = pt_own_add(own, out, PT_EV_VALUE);
	unsigned n = own->part[PT_LINES_SIZE];

	e->cause = PT_SPACE_LINE * 2 + 1;
	e->ticks = pt_le64(own->part + PT_LINES_TICKS);
	e->n = (uint16_t)n;
	e->value.at = pt_le16(own->part + PT_LINES_LINE);
	e->value.value = n > 0 ? 0 : PT_UNKNOWN;
	for (unsigned i = 0; i < n; i++)
		e->value.value |= (uint64_t)own->part[PT_LINES_VALUE + i] << (8 * i);
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	static const struct pt_own_format format = { length, record };

	return pt_own_feed(state, &format, bytes, len_bytes, out);
}

const struct pt_decoder pt_decoder_lines = {
	.name = PT_FORMAT_LINES, .gives = PT_GIVES_OTHER, .state_bytes = sizeof(struct pt_own), .init = pt_own_init,
	.feed = feed, .gap = pt_own_gap, .state = pt_own_state, .flush = pt_own_flush,
};
