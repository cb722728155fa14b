/* Hits by address: records that we make ourselves (trace/formats.h), one event each. */
#include "decode/records.h"
#include "base/util.h"

static int length(const uint8_t *part, size_t n)
{
	(void)part;
	(void)n;
	return PT_BINS_BYTES;
}

static void record(struct pt_own *own, struct pt_batch *out)
{
	struct pt_event *e = pt_own_add(own, out, PT_EV_BIN);

	e->bin.begin = pt_le64(own->part + PT_BINS_ADDRESS);
	e->bin.count = pt_le64(own->part + PT_BINS_HITS);
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_batch *out)
{
	static const struct pt_own_format format = { length, record };

	return pt_own_feed(state, &format, bytes, len_bytes, out);
}

const struct pt_decoder pt_decoder_bins = {
	.name = PT_FORMAT_BINS, .gives = PT_GIVES_OTHER, .state_bytes = sizeof(struct pt_own), .init = pt_own_init,
	.feed = feed, .gap = pt_own_gap, .state = pt_own_state, .flush = pt_own_flush,
};
