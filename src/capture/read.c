/* The reader accepts a record if its head is sound (CRC, file id, number). Otherwise it searches byte by byte for the
 * next sound head. Only places that look like a head cost a CRC of 60 bytes. It trusts the length in a sound head even
 * if the payload is damaged, so no file makes it search the same 16 KiB twice.
 *
 * Missing records become LOSS: if the head is sound, of its source, for a known time; otherwise of all open sources,
 * from the end of their last chunk to the next one. */
#include "capture/read.h"
#include "trace/config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/alloc.h"
#include "trace/loss.h"
#include "base/util.h"

enum { MOST_SOURCES = 64, AHEAD_BYTES = PT_RECORD_MOST_BYTES };

enum next { RECORD, DAMAGED, NONE };

struct source {
	bool open, owed;		/* owed: records are missing, and no LOSS has been given for them */
	bool time_owed;			/* a LOSS has been given, but its duration is not known yet */
	uint64_t told_ns;		/* up to here DATA and LOSS cover the source's time; PT_UNKNOWN: CONFIG is missing */
	uint16_t core;
};

struct pt_capture_reader {
	struct pt_infile *file;
	pt_capture_note note;
	void *note_arg;
	unsigned n_notes;
	bool id_known;
	uint32_t id, number;		/* expected of the next record */
	ZSTD_DCtx *zstd;
	struct source source[MOST_SOURCES];
	bool any;		/* a source has begun */
	bool searching;			/* there is no head where one should be */
	uint64_t bad_from;		/* searching since this offset */
	bool held;			/* `record` waits: until owed LOSSes have been given, or for its turn */
	enum next held_as;
	bool ended, cut;		/* the end has been noted; a CUT gave the reason */
	uint64_t record_at;
	struct pt_record record;
	uint8_t payload[PT_CHUNK_BYTES];
	char *head;
	size_t head_bytes;
	bool head_damaged;	/* settings of the report may be missing: each source gets a LOSS */
};

/* --- telling ------------------------------------------------------------------------------------------------------ */

static void __attribute__((format(printf, 2, 3))) tell(struct pt_capture_reader *r, const char *fmt, ...)
{
	char text[300];
	va_list args;

	if (r->note == NULL || r->n_notes++ >= PT_CAPTURE_MOST_NOTES)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	r->note(r->note_arg, text);
}

static void tell_rest(struct pt_capture_reader *r)
{
	char text[64];

	if (r->note == NULL || r->n_notes <= PT_CAPTURE_MOST_NOTES)
		return;
	snprintf(text, sizeof(text), "and %u more like these", r->n_notes - PT_CAPTURE_MOST_NOTES);
	r->note(r->note_arg, text);
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void owe_all(struct pt_capture_reader *r)
{
	for (size_t i = 0; i < MOST_SOURCES; i++)
		r->source[i].owed |= r->source[i].open;
}

/* Takes the head of a record of this file that has not been read before. */
static bool take_head(struct pt_capture_reader *r, const uint8_t *bytes, size_t n)
{
	if (n < PT_CAPTURE_HEAD_BYTES || !pt_record_unpack(&r->record, bytes))
		return false;
	if (r->id_known && (r->record.id != r->id || (int32_t)(r->record.number - r->number) < 0))
		return false;
	r->id_known = true;
	r->id = r->record.id;
	return true;
}

static void search_from(struct pt_capture_reader *r)
{
	if (!r->searching)
		r->bad_from = pt_infile_offset(r->file);
	r->searching = true;
}

/* Skips at least one byte, up to the next byte that may begin a head. */
static void skip_on(struct pt_infile *file, const uint8_t *bytes, size_t n)
{
	const uint8_t *next = memchr(bytes + 1, PT_CAPTURE_MARK[0] & 0xff, n - 1);

	pt_infile_take(file, next != NULL ? (size_t)(next - bytes) : n);
}

/* Moves to the next sound head and reads it into r->record; false: no more in the file. */
static bool find_head(struct pt_capture_reader *r)
{
	const uint8_t *bytes;
	size_t n;

	while ((n = pt_infile_look(r->file, AHEAD_BYTES, &bytes)) > 0) {
		if (take_head(r, bytes, n))
			return true;
		search_from(r);
		skip_on(r->file, bytes, n);
	}
	return false;
}

static void tell_damage(struct pt_capture_reader *r)
{
	uint64_t at = pt_infile_offset(r->file);
	uint32_t missing = r->record.number - r->number;

	if (r->searching)
		tell(r, "damaged from byte %" PRIu64 " on: %" PRIu64 " bytes skipped, %" PRIu32 " records are missing",
		     r->bad_from, at - r->bad_from, missing);
	else if (missing > 0)
		tell(r, "%" PRIu32 " records are missing before byte %" PRIu64, missing, at);
	if (r->searching || missing > 0)
		owe_all(r);
	r->searching = false;
}

static bool inflate(struct pt_capture_reader *r, const uint8_t *stored)
{
	const struct pt_record *record = &r->record;
	size_t n;

	if (pt_capture_crc(stored, record->stored_bytes) != record->payload_crc)
		return false;
	if ((record->flags & PT_RECORD_ZSTD) == 0) {
		memcpy(r->payload, stored, record->stored_bytes);
		return true;
	}
	n = ZSTD_decompressDCtx(r->zstd, r->payload, sizeof(r->payload), stored, record->stored_bytes);
	return !ZSTD_isError(n) && n == record->chunk.len_bytes;
}

/* Reads the next record: complete into r->record and r->payload, or only its head. */
static enum next next_record(struct pt_capture_reader *r)
{
	const uint8_t *bytes;
	size_t n, len;
	bool sound;

	if (!find_head(r))
		return NONE;
	len = PT_CAPTURE_HEAD_BYTES + r->record.stored_bytes;
	n = pt_infile_look(r->file, len, &bytes);
	if (n < len) {		/* torn */
		search_from(r);
		pt_infile_take(r->file, n);
		return NONE;
	}
	tell_damage(r);
	sound = inflate(r, bytes + PT_CAPTURE_HEAD_BYTES);
	r->record_at = pt_infile_offset(r->file);
	if (!sound)
		tell(r, "damaged record at byte %" PRIu64 ": %" PRIu32 " bytes of it are lost", r->record_at,
		     r->record.chunk.len_bytes);
	r->number = r->record.number + 1;
	pt_infile_take(r->file, len);
	return sound ? RECORD : DAMAGED;
}

/* --- losses ------------------------------------------------------------------------------------------------------- */

static struct source *source_of(struct pt_capture_reader *r, const struct pt_chunk *chunk)
{
	return chunk->source < MOST_SOURCES ? &r->source[chunk->source] : NULL;
}

static bool tiles(const struct pt_chunk *chunk)
{
	return chunk->kind == PT_CHUNK_DATA || chunk->kind == PT_CHUNK_LOSS;
}

static void make_loss(struct pt_chunk *out, uint16_t source, uint16_t core, uint64_t from_ns, uint64_t to_ns)
{
	*out = (struct pt_chunk){
		.from_ns = from_ns, .to_ns = to_ns > from_ns ? to_ns : from_ns, .lost_bytes = PT_UNKNOWN,
		.source = source, .core = core, .kind = PT_CHUNK_LOSS, .cause = PT_LOSS_DAMAGED,
	};
}

/* A source without END: the session continued, or ended, unrecorded. */
static bool give_cut(struct pt_capture_reader *r, struct pt_chunk *out)
{
	for (size_t i = 0; i < MOST_SOURCES; i++) {
		struct source *s = &r->source[i];
		uint64_t at_ns = s->told_ns != PT_UNKNOWN ? s->told_ns : r->record.chunk.to_ns;

		if (!s->open)
			continue;
		make_loss(out, (uint16_t)i, s->core, at_ns, at_ns);
		out->cause = PT_LOSS_CUT;
		s->open = false;
		return true;
	}
	return false;
}

/* The missing records of a chunk's source are reported before the chunk. How much time is missing is known when the
 * next DATA or LOSS comes; where CONFIG is missing, too, the begin of the missing time is not known before that. */
static bool give_owed(struct pt_capture_reader *r, const struct pt_chunk *chunk, struct pt_chunk *out)
{
	struct source *s = source_of(r, chunk);
	bool upto = tiles(chunk) || chunk->kind == PT_CHUNK_END;
	uint64_t from_ns;

	if (s == NULL || chunk->kind == PT_CHUNK_CONFIG ||
	    (!s->owed && !(s->time_owed && upto && chunk->from_ns > s->told_ns)) || (s->told_ns == PT_UNKNOWN && !upto))
		return false;
	from_ns = s->told_ns != PT_UNKNOWN ? s->told_ns : chunk->from_ns;
	make_loss(out, chunk->source, s->core, from_ns, upto ? chunk->from_ns : 0);
	s->owed = false;
	s->time_owed = !upto;
	s->told_ns = out->to_ns;
	return true;
}

/* If the source was open already and records are missing, its time continues from where they begin. */
static void open_source(const struct pt_capture_reader *r, struct source *s, const struct pt_chunk *chunk)
{
	bool goes_on = s->open && (s->owed || s->time_owed) && s->told_ns != PT_UNKNOWN;

	*s = (struct source){ .open = true, .owed = s->owed || r->head_damaged, .time_owed = goes_on && s->time_owed,
			      .told_ns = goes_on ? s->told_ns : chunk->to_ns, .core = chunk->core };
}

static void open_without_config(struct source *s, const struct pt_chunk *chunk)
{
	if (!s->open)
		*s = (struct source){ .open = true, .owed = s->owed, .told_ns = PT_UNKNOWN, .core = chunk->core };
}

static void note_chunk(struct pt_capture_reader *r, const struct pt_chunk *chunk)
{
	struct source *s = source_of(r, chunk);

	if (s == NULL)
		return;
	r->any |= chunk->kind == PT_CHUNK_CONFIG || chunk->kind == PT_CHUNK_END;
	if (chunk->kind == PT_CHUNK_CONFIG)
		open_source(r, s, chunk);
	else if (chunk->kind == PT_CHUNK_END)
		s->open = false;
	else
		open_without_config(s, chunk);
	if (tiles(chunk))
		*s = (struct source){ .open = true, .told_ns = chunk->to_ns, .core = s->core };
}

/* A chunk without time of its own is lost at the current end of the source's account, not later. False: where that is is
 * not known yet. */
static bool lose_chunk(struct source *s, const struct pt_chunk *chunk, struct pt_chunk *out)
{
	bool data = chunk->kind == PT_CHUNK_DATA, owes = s->owed || s->time_owed, more;

	open_without_config(s, chunk);
	more = (owes || !data) && s->told_ns != PT_UNKNOWN;
	if (!data && !more) {
		s->owed = true;
		return false;
	}
	make_loss(out, chunk->source, chunk->core, more ? s->told_ns : chunk->from_ns, data ? chunk->to_ns : 0);
	s->told_ns = out->to_ns;
	if (data && !owes)
		out->lost_bytes = chunk->len_bytes;
	if (data)
		s->owed = s->time_owed = false;
	return true;
}

/* END and LOSS are useful without their payload. An empty CONFIG or COST shows that there was one. */
static bool passes_empty(const struct pt_chunk *chunk)
{
	return chunk->kind == PT_CHUNK_END || chunk->kind == PT_CHUNK_LOSS || chunk->kind == PT_CHUNK_CONFIG ||
	       chunk->kind == PT_CHUNK_COST;
}

/* Only the head of the chunk is left: its time counts as lost, as does everything else in it. */
static bool damaged_chunk(struct pt_capture_reader *r, struct pt_chunk *out)
{
	const struct pt_chunk *chunk = &r->record.chunk;
	struct source *s = source_of(r, chunk);

	if (s == NULL)
		return false;
	if (chunk->kind == PT_CHUNK_CONFIG)
		tell(r, "the configuration of source %u is damaged: its data cannot be decoded", chunk->source);
	if (!passes_empty(chunk))
		return lose_chunk(s, chunk, out);
	*out = *chunk;
	out->len_bytes = 0;
	note_chunk(r, out);
	return true;
}

/* --- the front ---------------------------------------------------------------------------------------------------- */

bool pt_capture_recognise(const uint8_t *bytes, size_t len_bytes)
{
	return len_bytes >= strlen(PT_CAPTURE_MAGIC) && memcmp(bytes, PT_CAPTURE_MAGIC, strlen(PT_CAPTURE_MAGIC)) == 0;
}

static int read_preamble(struct pt_capture_reader *r, struct pt_err *err)
{
	const uint8_t *bytes;
	size_t n = pt_infile_look(r->file, PT_CAPTURE_PREAMBLE_BYTES, &bytes);
	uint32_t version;

	if (pt_infile_failed(r->file, err) < 0)
		return err->code;
	if (!pt_capture_recognise(bytes, n))
		return pt_fail(err, PT_EARG, "this is no capture file");
	if (n < PT_CAPTURE_PREAMBLE_BYTES)
		return pt_fail(err, PT_EARG, "this capture file ends after %zu bytes: nothing is in it", n);
	if (pt_le32(bytes + PT_CAPTURE_AT_CRC) != pt_capture_crc(bytes, PT_CAPTURE_AT_CRC)) {
		tell(r, "damaged within the first %d bytes; read as version %d", PT_CAPTURE_PREAMBLE_BYTES,
		     PT_CAPTURE_VERSION);
	} else {
		version = pt_le32(bytes + PT_CAPTURE_AT_VERSION);
		if (version > PT_CAPTURE_VERSION)
			return pt_fail(err, PT_EUNSUPPORTED,
				       "this capture file is of version %" PRIu32 ", written by a "
				       "newer proftap; this one reads up to version %d",
				       version, PT_CAPTURE_VERSION);
		r->id = pt_le32(bytes + PT_CAPTURE_AT_ID);
		r->id_known = true;
	}
	pt_infile_take(r->file, PT_CAPTURE_PREAMBLE_BYTES);
	return 0;
}

static bool add_head(struct pt_capture_reader *r)
{
	size_t n = r->record.chunk.len_bytes;
	char *grown = r->head_bytes + n <= PT_CAPTURE_MOST_LINES ? realloc(r->head, r->head_bytes + n + 1) : NULL;

	if (grown == NULL)
		return false;
	memcpy(grown + r->head_bytes, r->payload, n);
	r->head = grown;
	r->head_bytes += n;
	return true;
}

/* Reads the HEAD records at the start; the record after them waits for its turn. */
static void read_head(struct pt_capture_reader *r)
{
	bool whole = true;

	for (;;) {
		uint32_t number = r->number;

		r->held_as = next_record(r);
		if (r->held_as == NONE)
			return;
		whole &= r->record.number == number;
		if (r->record.kind != PT_RECORD_HEAD)
			break;
		whole &= r->held_as == RECORD && add_head(r);
	}
	r->held = true;
	r->head_damaged = !whole || r->head_bytes == 0;
	if (r->head_damaged)
		tell(r, "the head of the file is damaged: settings or the name of the ELF may not be known");
}

struct pt_capture_reader *pt_capture_read(struct pt_infile *file, pt_capture_note note, void *arg, struct pt_err *err)
{
	struct pt_capture_reader *r = pt_alloc(sizeof(*r));

	r->zstd = ZSTD_createDCtx();
	if (r->zstd == NULL) {
		pt_fail(err, PT_ENOMEM, "no memory to read a capture");
		free(r);
		pt_infile_close(file);
		return NULL;
	}
	r->file = file;
	r->note = note;
	r->note_arg = arg;
	if (read_preamble(r, err) < 0) {
		pt_capture_read_close(r);
		return NULL;
	}
	read_head(r);
	return r;
}

void pt_capture_read_close(struct pt_capture_reader *r)
{
	if (r == NULL)
		return;
	pt_infile_close(r->file);
	ZSTD_freeDCtx(r->zstd);
	free(r->head);
	free(r);
}

const char *pt_capture_read_lines(const struct pt_capture_reader *r, size_t *len_bytes)
{
	*len_bytes = r->head_bytes;
	return r->head != NULL ? r->head : "";
}

char *pt_capture_read_head(const struct pt_capture_reader *r, const char *key, char *text, size_t size)
{
	const char *value = "";
	int len = r->head != NULL ? pt_config_look_up(r->head, r->head_bytes, key, &value) : 0;

	snprintf(text, size, "%.*s", len > 0 ? len : 0, value);
	return text;
}

/* --- the way through ---------------------------------------------------------------------------------------------- */

static bool any_open(const struct pt_capture_reader *r)
{
	for (size_t i = 0; i < MOST_SOURCES; i++)
		if (r->source[i].open)
			return true;
	return false;
}

static int finish(struct pt_capture_reader *r, struct pt_err *err)
{
	uint64_t at = pt_infile_offset(r->file);

	if (pt_infile_failed(r->file, err) < 0)
		return err->code;
	if (r->ended)
		return PT_CAPTURE_END;
	r->ended = true;
	if (r->searching)
		tell(r, "torn at byte %" PRIu64 ": the last %" PRIu64 " bytes are no whole record and were skipped",
		     r->bad_from, at - r->bad_from);
	if ((any_open(r) || !r->any) && !r->cut)
		tell(r,
		     "it has no end: the session was cut short (proftap was killed, or the disk was full or lost power)");
	tell_rest(r);
	return PT_CAPTURE_END;
}

/* Turns a sound record into an item. False: it makes none. */
static bool use_record(struct pt_capture_reader *r, struct pt_chunk *chunk, int *item)
{
	*item = PT_CAPTURE_CHUNK;
	if (r->record.kind == PT_RECORD_CUT) {
		r->cut = true;
		tell(r, "it was cut here: %.*s", (int)r->record.chunk.len_bytes, (const char *)r->payload);
	} else if (r->record.kind == PT_RECORD_RESET) {
		*item = PT_CAPTURE_RESET;
		return true;
	} else if (r->record.kind == PT_RECORD_CHUNK) {
		r->held = give_owed(r, &r->record.chunk, chunk);
		r->held_as = RECORD;
		if (r->held)
			return true;
		*chunk = r->record.chunk;
		memcpy(chunk->bytes, r->payload, chunk->len_bytes);
		note_chunk(r, chunk);
		return true;
	}
	return false;
}

int pt_capture_read_next(struct pt_capture_reader *r, struct pt_chunk *chunk, struct pt_err *err)
{
	int item;

	for (;;) {
		enum next next = r->held ? r->held_as : next_record(r);

		if (next == NONE) {
			item = finish(r, err);
			return item == PT_CAPTURE_END && give_cut(r, chunk) ? PT_CAPTURE_CHUNK : item;
		}
		r->held = false;
		if (next == RECORD && use_record(r, chunk, &item))
			return item;
		if (next == DAMAGED && r->record.kind == PT_RECORD_CHUNK && damaged_chunk(r, chunk))
			return PT_CAPTURE_CHUNK;
	}
}
