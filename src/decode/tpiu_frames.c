#include "decode/tpiu_frames.h"

#include <stdbool.h>

#define FULL_SYNC 0xffffff7fu
enum { PAIRS = PT_TPIU_FRAME_BYTES / 2, FLAGS = PT_TPIU_FRAME_BYTES - 1 };

/* The first byte of a pair names a stream, or has its own lowest bit among the flags. A flag beside a name says that the
 * byte behind it is still of the stream before. */
static unsigned read_frame(struct pt_tpiu *s, struct pt_tpiu_byte out[PT_TPIU_MOST])
{
	unsigned n = 0;

	for (unsigned i = 0; i < PAIRS; i++) {
		uint8_t first = s->frame[2 * i], flag = s->frame[FLAGS] >> i & 1, before = s->stream;

		if ((first & 1) != 0)
			s->stream = first >> 1;
		else
			out[n++] = (struct pt_tpiu_byte){ s->stream, first | flag };
		if (2 * i + 1 < FLAGS)
			out[n++] = (struct pt_tpiu_byte){ (first & 1) != 0 && flag != 0 ? before : s->stream,
							  s->frame[2 * i + 1] };
	}
	return n;
}

/* The stream of number 0x7f is reserved, so that no pair of a frame looks like the half of a synchronisation. */
static bool ends_half_sync(const struct pt_tpiu *s)
{
	return s->n_bytes % 2 == 0 && s->frame[s->n_bytes - 2] == 0xff && s->frame[s->n_bytes - 1] == 0x7f;
}

unsigned pt_tpiu_take(struct pt_tpiu *s, uint8_t byte, struct pt_tpiu_byte out[PT_TPIU_MOST])
{
	s->frame[s->n_bytes++] = byte;
	s->last = s->last << 8 | byte;
	if (s->last == FULL_SYNC)
		s->n_bytes = 0;
	else if (ends_half_sync(s))
		s->n_bytes -= 2;
	if (s->n_bytes < PT_TPIU_FRAME_BYTES)
		return 0;
	s->n_bytes = 0;
	return read_frame(s, out);
}
