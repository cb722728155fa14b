/* Looks at variables: records that we make ourselves (trace/formats.h), one event each. */
#include "decode/records.h"
#include "base/util.h"

static int length(const uint8_t *part, size_t n)
{
	unsigned size;

	if (n <= PT_LOOKS_SIZE)
		return PT_OWN_UNKNOWN;
	size = part[PT_LOOKS_SIZE] & ~(unsigned)(PT_LOOKS_TORN | PT_LOOKS_WRITTEN);
	return size >= 1 && size <= 8 ? PT_LOOKS_BYTES : PT_OWN_DAMAGED;
}

static void record(struct pt_own *own, struct pt_batch *out)
{
	struct pt_event *e = pt_own_add(own, out, PT_EV_LOOK);

	e->ticks = pt_le64(own->part + PT_LOOKS_TICKS);
	e->cause = (own->part[PT_LOOKS_SIZE] & PT_LOOKS_TORN) != 0	? PT_LOOK_TORN
		   : (own->part[PT_LOOKS_SIZE] & PT_LOOKS_WRITTEN) != 0 ? PT_LOOK_WRITTEN
									: PT_LOOK_FOUND;
	e->n = own->part[PT_LOOKS_SIZE] & PT_LOOKS_SIZE_BITS;
	e->value.at = pt_le64(own->part + PT_LOOKS_AT);
	e->value.value = pt_le64(own->part + PT_LOOKS_VALUE);
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	static const struct pt_own_format format = { length, record };

	return pt_own_feed(state, &format, bytes, len_bytes, out);
}

const struct pt_decoder pt_decoder_watch = {
	.name = PT_FORMAT_WATCH, .gives = PT_GIVES_OTHER, .state_bytes = sizeof(struct pt_own), .init = pt_own_init,
	.feed = feed, .gap = pt_own_gap, .state = pt_own_state, .flush = pt_own_flush,
};
