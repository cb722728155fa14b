/* A sigrok session file, format 2: a ZIP with "version", "metadata" and the samples in numbered pieces. Sources: sigrok
 * wiki, File format:Sigrok/v2; files of sigrok-cli. A sample has unitsize bytes, probe N is its bit N - 1, and its time
 * is its number over the sample rate; what is kept is where a line changed.
 *
 * libsigrok would read these, too; it brings a main loop and a dozen of libraries for hardware along, so the ZIP is
 * read as such. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zip.h>

#include "base/alloc.h"
#include "import/lines.h"
#include "import/sr_metadata.h"
#include "base/util.h"

enum { MOST_PIECES = 65536, METADATA_BYTES = 65536, READ_BYTES = 65536, MOST_UNIT = PT_SR_PROBES / 8 };

enum { LINES, SAMPLERATE };
static const struct pt_param rows[] = {
	[LINES] = { "lines", PT_PARAM_LIST, NULL, NULL, 0, 0, "vcd, sr, csv: take only these lines (names, a,b,c)" },
	[SAMPLERATE] = { "samplerate", PT_PARAM_HZ, NULL, NULL, 1, 1000000000000000,
			 "sr, csv: samples per second, where the file does not say" },
};

struct piece { uint64_t number; zip_uint64_t index; };

struct sr {
	zip_t *zip;
	struct pt_stream stream;
	struct pt_notes notes;
	struct pt_lines lines;
	struct pt_sr_metadata metadata;
	int16_t line[PT_SR_PROBES];	/* of each bit of a sample; -1: not taken */

	struct piece *piece;		/* in order */
	size_t n_pieces, at_piece;
	zip_file_t *open;
	uint8_t bytes[READ_BYTES + MOST_UNIT];
	size_t at, n_bytes;		/* of bytes; a sample may be cut at the end */

	uint64_t samples;		/* that were begun */
	uint8_t level[MOST_UNIT];	/* of the last one */
	uint8_t changed[MOST_UNIT];	/* bits of it that are still to be told */
	unsigned bit;			/* from which on */
};

/* --- the ZIP ------------------------------------------------------------------------------------------------------ */

static const char *zip_says(zip_t *zip)
{
	return zip_error_strerror(zip_get_error(zip));
}

static int open_zip(struct sr *s, struct pt_infile *file, struct pt_err *err)
{
	int fd = pt_infile_descriptor(file), code = 0;
	size_t len_bytes;
	const uint8_t *bytes = pt_infile_memory(file, &len_bytes);
	zip_error_t error;
	zip_source_t *source;

	zip_error_init(&error);
	if (bytes != NULL) {
		source = zip_source_buffer_create(bytes, len_bytes, 0, &error);
		s->zip = source != NULL ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
		if (s->zip == NULL && source != NULL)
			zip_source_free(source);
	} else if (fd >= 0) {
		s->zip = zip_fdopen(fd, 0, &code);	/* takes it over if it can */
		if (s->zip == NULL) {
			close(fd);
			zip_error_init_with_code(&error, code);
		}
	} else {
		return pt_fail(err, PT_EARG, "a session file is read to and fro: it cannot come through a pipe");
	}
	if (s->zip == NULL)
		pt_fail(err, PT_EARG, "it is a damaged ZIP: %s", zip_error_strerror(&error));
	zip_error_fini(&error);
	return s->zip != NULL ? 0 : err->code;
}

/* A whole small entry, as text; returns its length. */
static zip_int64_t read_entry(struct sr *s, const char *name, char *text, size_t room)
{
	zip_file_t *file = zip_fopen(s->zip, name, 0);
	zip_int64_t n = 0, more = 1;

	if (file == NULL)
		return -1;
	while (more > 0 && (size_t)n < room) {
		more = zip_fread(file, text + n, room - (size_t)n);
		n += more > 0 ? more : 0;
	}
	zip_fclose(file);
	return more < 0 ? -1 : n;
}

static int read_metadata(struct sr *s, struct pt_err *err)
{
	char version[8] = "", *text;
	zip_int64_t n = read_entry(s, "version", version, sizeof(version) - 1);

	if (n < 0)
		return pt_fail(err, PT_EARG, "it is a ZIP, but no sigrok session: it has no version");
	if (strtoul(version, NULL, 10) != 2)
		return pt_fail(err, PT_EUNSUPPORTED, "it is a sigrok session of version %.6s; version 2 is read here",
			       version);
	text = pt_alloc(METADATA_BYTES);
	n = read_entry(s, "metadata", text, METADATA_BYTES);
	if (n < 0 || n == METADATA_BYTES)
		pt_fail(err, PT_EARG, "its metadata cannot be read: %s", n < 0 ? zip_says(s->zip) : "too long");
	else if (pt_sr_metadata_parse(&s->metadata, text, (size_t)n, err) == 0)
		n = 0;
	free(text);
	return n == 0 ? 0 : err->code;
}

/* --- the pieces --------------------------------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* "logic-1-12" is piece 12; "logic-1", of older files, the only one. */
static bool is_piece(const struct sr *s, const char *name, uint64_t *number)
{
	size_t len = strlen(s->metadata.capturefile);
	char *end;

	if (name == NULL || strncmp(name, s->metadata.capturefile, len) != 0)
		return false;
	*number = 0;
	if (name[len] == '\0')
		return true;
	if (name[len] != '-' || name[len + 1] < '0' || name[len + 1] > '9')
		return false;
	*number = strtoull(name + len + 1, &end, 10);
	return *end == '\0';
}

static int list_pieces(struct sr *s, struct pt_err *err)
{
	zip_int64_t n = zip_get_num_entries(s->zip, 0);
	uint64_t number;

	if (n > MOST_PIECES)
		return pt_fail(err, PT_EARG, "it has %" PRId64 " entries; at most %d are read", (int64_t)n,
			       MOST_PIECES);
	s->piece = pt_alloc_array((size_t)n + 1, sizeof(*s->piece));
	for (zip_int64_t i = 0; i < n; i++)
		if (is_piece(s, zip_get_name(s->zip, (zip_uint64_t)i, 0), &number))
			s->piece[s->n_pieces++] = (struct piece){ number, (zip_uint64_t)i };
	qsort(s->piece, s->n_pieces, sizeof(*s->piece), by_number);
	return s->n_pieces > 0 ? 0 : pt_fail(err, PT_EARG, "it has no samples (%s-1)", s->metadata.capturefile);
}

/* The next piece; false: there is none, or one is missing, and nobody knows how long it was. */
static bool open_piece(struct sr *s)
{
	const struct piece *piece = &s->piece[s->at_piece];

	if (s->at_piece == s->n_pieces)
		return false;
	if (s->at_piece > 0 && piece->number != piece[-1].number + 1) {
		pt_notes_add(&s->notes, "%s-%" PRIu64 " is missing: read up to there", s->metadata.capturefile,
			     piece[-1].number + 1);
		pt_stream_lose(&s->stream, PT_UNKNOWN);
		s->at_piece = s->n_pieces;
		return false;
	}
	s->open = zip_fopen_index(s->zip, piece->index, 0);
	if (s->open == NULL) {
		pt_notes_add(&s->notes, "%s-%" PRIu64 " cannot be read (%s): read up to there", s->metadata.capturefile,
			     piece->number, zip_says(s->zip));
		pt_stream_lose(&s->stream, PT_UNKNOWN);
	}
	s->at_piece++;
	return s->open != NULL;
}

static void close_piece(struct sr *s)
{
	if (s->open != NULL)
		zip_fclose(s->open);
	s->open = NULL;
}

/* A whole sample at s->at; false: no more. */
static bool next_sample(struct sr *s)
{
	size_t unit = s->metadata.unit_bytes;
	zip_int64_t n;

	while (s->n_bytes - s->at < unit) {
		memmove(s->bytes, s->bytes + s->at, s->n_bytes - s->at);
		s->n_bytes -= s->at;
		s->at = 0;
		if (s->open == NULL && !open_piece(s))
			return false;
		n = zip_fread(s->open, s->bytes + s->n_bytes, READ_BYTES);
		if (n > 0) {
			s->n_bytes += (size_t)n;
			continue;
		}
		close_piece(s);
		if (n < 0) {
			pt_notes_add(&s->notes, "%s-%" PRIu64 " is damaged: read up to there", s->metadata.capturefile,
				     s->piece[s->at_piece - 1].number);
			pt_stream_lose(&s->stream, PT_UNKNOWN);
			s->at_piece = s->n_pieces;
		}
	}
	return true;
}

/* --- changes ------------------------------------------------------------------------------------------------------ */

/* The next taken line that changed in the last sample; false: no more. */
static bool next_change(struct sr *s, struct pt_stream_record *record)
{
	for (; s->bit < s->metadata.unit_bytes * 8; s->bit++) {
		unsigned byte = s->bit / 8, mask = 1u << s->bit % 8;

		if (s->changed[byte] == 0) {
			s->bit |= 7;
		} else if ((s->changed[byte] & mask) != 0 && s->line[s->bit] >= 0) {
			pt_stream_line(record, s->samples - 1, (unsigned)s->line[s->bit], (s->level[byte] & mask) != 0,
				       1);
			s->bit++;
			return true;
		}
	}
	return false;
}

/* Goes to the next sample that is another than the one before. */
static bool take_samples(struct sr *s)
{
	size_t unit = s->metadata.unit_bytes;

	do {
		if (!next_sample(s))
			return false;
		s->at += unit;
		s->samples++;
	} while (s->samples > 1 && memcmp(s->bytes + s->at - unit, s->level, unit) == 0);
	for (size_t i = 0; i < unit; i++) {
		uint8_t now = s->bytes[s->at - unit + i];

		s->changed[i] = s->samples == 1 ? 0xff : (uint8_t)(now ^ s->level[i]);
		s->level[i] = now;
	}
	s->bit = 0;
	return true;
}

static int pull(void *state, struct pt_stream_record *record, struct pt_err *err)
{
	struct sr *s = state;

	(void)err;
	while (!next_change(s, record)) {
		if (take_samples(s))
			continue;
		record->ticks = s->samples;
		pt_notes_end(&s->notes);
		return 0;
	}
	return 1;
}

/* --- the driver --------------------------------------------------------------------------------------------------- */

static int take_lines(struct sr *s, struct pt_err *err)
{
	const struct pt_sr_metadata *m = &s->metadata;

	memset(s->line, -1, sizeof(s->line));
	for (unsigned i = 0; i < m->n_probes; i++)
		if (m->name[i][0] != '\0')
			s->line[i] = (int16_t)pt_lines_add(&s->lines, &s->stream.config, m->name[i], "", 1);
	if (m->n_analog > 0)
		pt_notes_add(&s->notes, "%u analog channels are no lines and were left out", m->n_analog);
	return pt_lines_finish(&s->lines, &s->stream.config, &s->notes, err);
}

static int take_rate(struct sr *s, const struct pt_params *settings, struct pt_err *err)
{
	uint64_t hz = pt_params_number(settings, &rows[SAMPLERATE]);

	s->stream.tick_hz = hz != 0 ? hz : s->metadata.samplerate_hz;
	if (s->stream.tick_hz == 0)
		return pt_fail(err, PT_EARG, "it does not say how fast it was sampled; give samplerate=");
	pt_text_add(&s->stream.config, "tick_hz=%" PRIu64 "\n", s->stream.tick_hz);
	return 0;
}

static bool recognise(const uint8_t *bytes, size_t len_bytes)
{
	return len_bytes >= 4 && memcmp(bytes, "PK\3\4", 4) == 0;
}

static void close_sr(void *state)
{
	struct sr *s = state;

	close_piece(s);
	if (s->zip != NULL)
		zip_discard(s->zip);
	free(s->piece);
	pt_stream_fini(&s->stream);
}

static int open_sr(void *state, struct pt_infile *file, const struct pt_input_setup *setup, struct pt_err *err)
{
	struct sr *s = state;
	int rc = open_zip(s, file, err);

	pt_infile_close(file);
	s->lines.list = pt_params_text(setup->settings, &rows[LINES]);
	pt_notes_init(&s->notes, setup);
	s->stream = (struct pt_stream){ .pull = pull, .state = s };
	pt_stream_config(&s->stream.config, PT_FORMAT_LINES, "sigrok", "file", setup);
	if (rc == 0 && read_metadata(s, err) == 0 && list_pieces(s, err) == 0 && take_lines(s, err) == 0 &&
	    take_rate(s, setup->settings, err) == 0)
		return 0;
	close_sr(s);
	return err->code;
}

static int next(void *state, struct pt_chunk *chunk, struct pt_err *err)
{
	return pt_stream_next(&((struct sr *)state)->stream, chunk, err);
}

const struct pt_input_ops pt_input_sr = {
	.name = "sr",
	.help = "sigrok session",
	.params = rows,
	.n_params = PT_LEN(rows),
	.state_bytes = sizeof(struct sr),
	.recognise = recognise,
	.open = open_sr,
	.next = next,
	.close = close_sr,
};
