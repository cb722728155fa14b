/* CONFIG, an anchor between the file's clock and the session's, DATA that tiles the time from the first stamp to the
 * last, END. A long silence is a DATA chunk of its own without bytes. */
#include "import/stream.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/harmless.h"
#include "base/util.h"
#include "trace/loss.h"

/* --- notes -------------------------------------------------------------------------------------------------------- */

void pt_notes_init(struct pt_notes *notes, const struct pt_input_setup *setup)
{
	*notes = (struct pt_notes){ setup->note, setup->note_arg, 0 };
}

void pt_notes_add(struct pt_notes *notes, const char *fmt, ...)
{
	char text[300];
	va_list args;

	if (notes->note == NULL || notes->n++ >= PT_NOTES_MOST)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	notes->note(notes->arg, text);
}

void pt_notes_end(struct pt_notes *notes)
{
	char text[64];

	if (notes->note == NULL || notes->n <= PT_NOTES_MOST)
		return;
	snprintf(text, sizeof(text), "and %u more like these", notes->n - PT_NOTES_MOST);
	notes->n = 0;
	notes->note(notes->arg, text);
}

/* --- CONFIG ------------------------------------------------------------------------------------------------------- */

void pt_stream_config(struct pt_text *text, const char *format, const char *source, const char *mode,
		      const struct pt_input_setup *setup)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s", setup->path);
	pt_text_add(text, "format=%s\nsource=%s\nmode=%s\n", format, source, mode);
	pt_text_add(text, "target=\nvirtual=0\ncore_hz=0\ncost=nothing: it was read from a file\nprobe=file %s\n",
		    pt_harmless(path, ""));
}

void pt_stream_put_config(struct pt_chunk *chunk, const struct pt_text *text, uint64_t from_ns)
{
	size_t len = text->len_bytes;

	if (len > PT_CHUNK_BYTES)
		for (len = PT_CHUNK_BYTES; len > 0 && text->bytes[len - 1] != '\n'; len--)
			;
	*chunk = (struct pt_chunk){ .from_ns = from_ns, .to_ns = from_ns, .kind = PT_CHUNK_CONFIG,
				    .len_bytes = (uint32_t)len };
	if (len > 0)
		memcpy(chunk->bytes, text->bytes, len);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

void pt_stream_line(struct pt_stream_record *record, uint64_t ticks, unsigned line, uint64_t value, unsigned n_bytes)
{
	record->ticks = ticks;
	record->n_bytes = (uint8_t)(PT_LINES_VALUE + n_bytes);
	pt_put_le64(record->bytes + PT_LINES_TICKS, ticks);
	pt_put_le16(record->bytes + PT_LINES_LINE, (uint16_t)line);
	record->bytes[PT_LINES_SIZE] = (uint8_t)n_bytes;
	for (unsigned i = 0; i < n_bytes; i++)
		record->bytes[PT_LINES_VALUE + i] = (uint8_t)(value >> (8 * i));
}

static uint64_t to_ns(const struct pt_stream *s, uint64_t ticks)
{
	unsigned __int128 ns = (unsigned __int128)ticks * PT_NS_PER_S / s->tick_hz;

	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

static void pull(struct pt_stream *s)
{
	int rc = s->pull(s->state, &s->ready, &s->failed);

	s->over = rc <= 0;
	if (rc >= 0)
		s->failed.code = 0;
}

void pt_stream_lose(struct pt_stream *s, uint64_t n_bytes)
{
	uint64_t before = s->lost ? s->lost_bytes : 0;

	s->lost_bytes = n_bytes == PT_UNKNOWN || before == PT_UNKNOWN ? PT_UNKNOWN : before + n_bytes;
	s->lost = true;
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

static int put_clock(struct pt_stream *s, struct pt_chunk *chunk)
{
	*chunk = (struct pt_chunk){ .from_ns = s->told_ns, .to_ns = s->told_ns, .kind = PT_CHUNK_CLOCK,
				    .len_bytes = PT_CLOCK_BYTES };
	pt_put_le64(chunk->bytes + PT_CLOCK_TICKS, s->ready.ticks);
	pt_put_le64(chunk->bytes + PT_CLOCK_NS, s->told_ns);
	pt_put_le64(chunk->bytes + PT_CLOCK_ERROR_NS, 0);
	return PT_INPUT_CHUNK;
}

/* Of no time: what was recorded around it is there. */
static int put_loss(struct pt_stream *s, struct pt_chunk *chunk)
{
	*chunk = (struct pt_chunk){ .from_ns = s->told_ns, .to_ns = s->told_ns, .kind = PT_CHUNK_LOSS,
				    .cause = PT_LOSS_DAMAGED, .lost_bytes = s->lost_bytes };
	s->lost = false;
	return PT_INPUT_CHUNK;
}

/* Records of the next span; the first of them is ready. */
static int fill(struct pt_stream *s, struct pt_chunk *chunk)
{
	uint64_t from_ns = s->told_ns, last_ns = from_ns;

	do {
		memcpy(chunk->bytes + chunk->len_bytes, s->ready.bytes, s->ready.n_bytes);
		chunk->len_bytes += s->ready.n_bytes;
		last_ns = to_ns(s, s->ready.ticks);
		pull(s);
	} while (!s->over && !s->lost && chunk->len_bytes + sizeof(s->ready.bytes) <= PT_CHUNK_BYTES &&
		 to_ns(s, s->ready.ticks) - from_ns <= PT_STREAM_SPAN_NS);
	chunk->to_ns = s->told_ns = last_ns > from_ns ? last_ns : from_ns;
	return PT_INPUT_CHUNK;
}

static int put_data(struct pt_stream *s, struct pt_chunk *chunk, struct pt_err *err)
{
	uint64_t ready_ns = to_ns(s, s->ready.ticks);

	if (s->lost)
		return put_loss(s, chunk);
	*chunk = (struct pt_chunk){ .from_ns = s->told_ns, .to_ns = s->told_ns, .kind = PT_CHUNK_DATA };
	if (!s->over && (ready_ns <= s->told_ns || ready_ns - s->told_ns <= PT_STREAM_SPAN_NS))
		return fill(s, chunk);
	if (s->failed.code < 0) {
		*err = s->failed;
		return err->code;
	}
	if (ready_ns > s->told_ns) {		/* silence */
		chunk->to_ns = s->told_ns = ready_ns;
		return PT_INPUT_CHUNK;
	}
	chunk->kind = PT_CHUNK_END;
	s->phase++;
	return PT_INPUT_CHUNK;
}

int pt_stream_next(struct pt_stream *s, struct pt_chunk *chunk, struct pt_err *err)
{
	enum { CONFIG, CLOCK, DATA, OVER };

	if (s->phase == CONFIG) {
		pull(s);
		s->told_ns = to_ns(s, s->ready.ticks);
		pt_stream_put_config(chunk, &s->config, s->told_ns);
		s->phase = CLOCK;
		return PT_INPUT_CHUNK;
	}
	if (s->phase == CLOCK) {
		s->phase = DATA;
		return put_clock(s, chunk);
	}
	return s->phase == DATA ? put_data(s, chunk, err) : PT_INPUT_END;
}

void pt_stream_fini(struct pt_stream *s)
{
	pt_text_free(&s->config);
}
