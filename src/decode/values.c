/* Values written and read, of any origin: records that we make ourselves (trace/formats.h). One with a pc is two
 * events, the pc first. */
#include "decode/records.h"
#include "base/util.h"

static int length(const uint8_t *part, size_t n)
{
	uint8_t how, size;

	if (n <= PT_VALUES_SIZE)
		return PT_OWN_UNKNOWN;
	how = part[PT_VALUES_HOW];
	size = part[PT_VALUES_SIZE];
	if ((how & ~PT_VALUES_HAS_PC) > PT_SPACE_LINE * 2 + 1 || size < 1 || size > 8)
		return PT_OWN_DAMAGED;
	return (how & PT_VALUES_HAS_PC) != 0 ? PT_VALUES_MOST_BYTES : PT_VALUES_PC;
}

static void record(struct pt_own *own, struct pt_batch *out)
{
	uint8_t how = own->part[PT_VALUES_HOW];
	uint64_t ticks = pt_le64(own->part + PT_VALUES_TICKS);
	struct pt_event *e;

	if ((how & PT_VALUES_HAS_PC) != 0) {
		e = pt_own_add(own, out, PT_EV_VALUE_PC);
		e->ticks = ticks;
		e->branch.to = pt_le64(own->part + PT_VALUES_PC);
	}
	e = pt_own_add(own, out, PT_EV_VALUE);
	e->ticks = ticks;
	e->cause = how & (uint8_t)~PT_VALUES_HAS_PC;
	e->n = own->part[PT_VALUES_SIZE];
	e->value.at = pt_le64(own->part + PT_VALUES_AT);
	e->value.value = pt_le64(own->part + PT_VALUES_VALUE);
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	static const struct pt_own_format format = { length, record };

	return pt_own_feed(state, &format, bytes, len_bytes, out);
}

const struct pt_decoder pt_decoder_values = {
	.name = PT_FORMAT_VALUES, .gives = PT_GIVES_OTHER, .state_bytes = sizeof(struct pt_own), .init = pt_own_init,
	.feed = feed, .gap = pt_own_gap, .state = pt_own_state, .flush = pt_own_flush,
};
