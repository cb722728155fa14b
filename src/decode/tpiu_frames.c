#include "decode/tpiu_frames.h"

#define FULL_SYNC 0xffffff7fu
enum { SYNC_BYTES = 4, PAIRS = PT_TPIU_FRAME_BYTES / 2, FLAGS = PT_TPIU_FRAME_BYTES - 1 };

void pt_tpiu_init(struct pt_tpiu *s, bool aligned)
{
	*s = (struct pt_tpiu){ .aligned = aligned, .stream = PT_TPIU_UNNAMED };
}

static bool can_be(uint8_t stream)
{
	return stream <= PT_TPIU_LAST || stream == PT_TPIU_TRIGGER;
}

/* It is known neither where a frame begins nor whose bytes come first. The last of these bytes may begin a sync. */
static void lose_frame(struct pt_tpiu *s)
{
	s->ones = 0;
	while (s->ones < SYNC_BYTES - 1 && s->frame[s->n_bytes - 1 - s->ones] == 0xff)
		s->ones++;
	s->skipped += s->n_bytes - s->ones;
	s->aligned = false;
	s->n_bytes = 0;
	s->stream = PT_TPIU_UNNAMED;
}

static bool makes_sense(const struct pt_tpiu *s)
{
	for (unsigned i = 0; i < PAIRS; i++)
		if ((s->frame[2 * i] & 1) != 0 && !can_be(s->frame[2 * i] >> 1))
			return false;
	return true;
}

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
	return s->n_bytes >= 2 && s->n_bytes % 2 == 0 && s->frame[s->n_bytes - 2] == 0xff &&
	       s->frame[s->n_bytes - 1] == 0x7f;
}

/* In the midst of a frame it says that something is missing in front of it; the frame before may have ended with its
 * first byte. */
static void sync(struct pt_tpiu *s)
{
	if (s->n_bytes != SYNC_BYTES) {
		s->skipped += s->n_bytes > SYNC_BYTES ? (unsigned)s->n_bytes - SYNC_BYTES : 1u;
		s->stream = PT_TPIU_UNNAMED;
	}
	s->n_bytes = 0;
	s->last = 0;
}

/* Those that may begin one are not skipped yet. */
static void look_for_sync(struct pt_tpiu *s, uint8_t byte)
{
	if (byte == 0xff && s->ones < SYNC_BYTES - 1) {
		s->ones++;
	} else if (byte == 0xff) {
		s->skipped++;
	} else if (byte == 0x7f && s->ones == SYNC_BYTES - 1) {
		s->aligned = true;
		s->ones = 0;
		s->last = 0;
	} else {
		s->skipped += s->ones + 1u;
		s->ones = 0;
	}
}

unsigned pt_tpiu_take(struct pt_tpiu *s, uint8_t byte, struct pt_tpiu_byte out[PT_TPIU_MOST])
{
	if (!s->aligned) {
		look_for_sync(s, byte);
		return 0;
	}
	s->frame[s->n_bytes++] = byte;
	s->last = s->last << 8 | byte;
	if (s->last == FULL_SYNC)
		sync(s);
	else if (ends_half_sync(s))
		s->n_bytes -= 2;
	if (s->n_bytes < PT_TPIU_FRAME_BYTES)
		return 0;
	if (!makes_sense(s)) {
		lose_frame(s);
		return 0;
	}
	s->n_bytes = 0;
	return read_frame(s, out);
}

uint64_t pt_tpiu_rest(const struct pt_tpiu *s)
{
	return s->skipped + s->n_bytes + s->ones;
}
