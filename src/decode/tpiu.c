/* Demultiplexer of a trace port's frames. A stream that CONFIG gives no format is padding, a trigger, or of a unit that
 * others have switched on. */
#include "base/util.h"
#include "decode/demux.h"
#include "decode/tpiu_frames.h"
#include "trace/formats.h"

_Static_assert((int)PT_DEMUX_PIECES >= (int)PT_TPIU_MOST && (int)PT_DEMUX_BYTES >= (int)PT_TPIU_MOST,
	       "a frame may have a piece for each of its bytes");

struct tpiu {
	struct pt_tpiu frames;
	struct pt_tpiu_byte byte[PT_TPIU_MOST];
	uint8_t bytes[PT_TPIU_MOST];
};

static void init(void *state, const struct pt_config *config)
{
	struct tpiu *s = state;

	pt_tpiu_init(&s->frames, pt_config_number(config, "aligned", 0) != 0);
}

/* Bytes of a frame, those of one stream behind each other as one piece. */
static size_t make_pieces(struct tpiu *s, unsigned n_bytes, struct pt_demux_piece *out)
{
	size_t n = 0;

	for (unsigned i = 0; i < n_bytes; i++) {
		s->bytes[i] = s->byte[i].byte;
		if (n > 0 && out[n - 1].stream == s->byte[i].stream)
			out[n - 1].len_bytes++;
		else
			out[n++] = (struct pt_demux_piece){ .stream = s->byte[i].stream, .len_bytes = 1,
							    .bytes = s->bytes + i };
	}
	return n;
}

static size_t feed(void *state, const uint8_t *bytes, size_t len_bytes, struct pt_demux_piece out[PT_DEMUX_PIECES],
		   size_t *n_out)
{
	struct tpiu *s = state;
	size_t taken = 0;
	unsigned n = 0;

	while (taken < len_bytes && n == 0)
		n = pt_tpiu_take(&s->frames, bytes[taken++], s->byte);
	*n_out = make_pieces(s, n, out);
	if (n > 0) {
		out[0].lost_bytes = s->frames.skipped;
		s->frames.skipped = 0;
	}
	return taken;
}

static uint64_t gap(void *state)
{
	struct tpiu *s = state;
	uint64_t rest = pt_tpiu_rest(&s->frames);

	pt_tpiu_init(&s->frames, false);
	return rest;
}

const struct pt_demux pt_demux_tpiu = {
	.name = PT_FORMAT_TPIU,
	.state_bytes = sizeof(struct tpiu),
	.init = init,
	.feed = feed,
	.gap = gap,
};
