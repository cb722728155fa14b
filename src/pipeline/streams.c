/* A source whose bytes contain several streams (decode/demux.h). Each stream with a format in CONFIG has a source
 * context, which gets all chunks and takes its own bytes from them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "decode/demux.h"
#include "pipeline/pipeline_parts.h"

enum { STREAM_NUMBERS = 128 };

struct pt_stream_part {		/* as one source context sees it */
	const struct pt_demux *demux;
	void *state;
	uint16_t number;
	bool first;			/* of its source */
	bool known[STREAM_NUMBERS];	/* those with a format */
	uint64_t other_bytes;		/* of streams without a format */
};

/* --- CONFIG */

/* Adds the lines of one stream alone, without the prefix that names the stream. */
static void add_own_lines(struct pt_text *text, const struct pt_config *config, const char *prefix)
{
	size_t len = strlen(prefix);

	for (size_t i = 0; i < config->n_keys; i++) {
		const struct pt_config_key *key = &config->key[i];

		if (key->key_bytes > len && memcmp(key->key, prefix, len) == 0)
			pt_text_add(text, "%.*s\n", (int)(key->key_bytes - len + 1 + key->value_bytes), key->key + len);
	}
}

/* If a key occurs twice, the first one counts, so the stream's lines come before the source's. */
static void make_config(struct pt_text *text, const struct pt_config *config, unsigned number, const char *format)
{
	char prefix[24], title[48];

	snprintf(prefix, sizeof(prefix), "stream.%u.", number);
	pt_text_add(text, "format=%s\n", format);
	if (*pt_config_text(config, "title", title, sizeof(title)) != '\0')
		pt_text_add(text, "title=%.32s, stream %u\n", title, number);
	add_own_lines(text, config, prefix);
	pt_text_add(text, "aligned=0\n");	/* overrides the source's value, which is about its frames */
	pt_text_bytes(text, config->text, config->len_bytes);
}

/* Makes the context's own CONFIG chunk. */
static struct pt_chunk *make_chunk(const struct pt_chunk *chunk, const struct pt_config *config, unsigned number,
				   const char *format)
{
	struct pt_chunk *own = pt_alloc(sizeof(*own) + PT_CHUNK_BYTES);
	struct pt_text text = { 0 };
	char key[32];

	make_config(&text, config, number, format);
	*own = *chunk;
	snprintf(key, sizeof(key), "stream.%u.core", number);
	own->core = (uint16_t)pt_config_number(config, key, chunk->core);
	own->len_bytes = text.len_bytes < PT_CHUNK_BYTES ? (uint32_t)text.len_bytes : PT_CHUNK_BYTES;
	memcpy(own->bytes, text.bytes, own->len_bytes);
	pt_text_free(&text);
	return own;
}

bool pt_streams_are_in(const struct pt_config *config)
{
	char format[32];

	return pt_demux_find(pt_config_text(config, "format", format, sizeof(format))) != NULL;
}

struct pt_chunk *pt_stream_part_next(const struct pt_chunk *chunk, const struct pt_config *config, unsigned *number)
{
	char format[32], key[16];

	for (; *number < STREAM_NUMBERS; ++*number) {
		snprintf(key, sizeof(key), "stream.%u", *number);
		if (*pt_config_text(config, key, format, sizeof(format)) != '\0')
			return make_chunk(chunk, config, *number, format);
	}
	return NULL;
}

struct pt_stream_part *pt_stream_part_new(const struct pt_config *config, unsigned number)
{
	struct pt_stream_part *s = pt_alloc(sizeof(*s));
	char format[32], key[16];

	s->demux = pt_demux_find(pt_config_text(config, "format", format, sizeof(format)));
	s->state = pt_alloc(s->demux->state_bytes);
	s->demux->init(s->state, config);
	s->number = (uint16_t)number;
	s->first = true;
	for (unsigned i = 0; i < STREAM_NUMBERS; i++) {
		snprintf(key, sizeof(key), "stream.%u", i);
		s->known[i] = *pt_config_text(config, key, format, sizeof(format)) != '\0';
		s->first &= i >= number || !s->known[i];
	}
	return s;
}

void pt_stream_part_free(struct pt_stream_part *s)
{
	if (s == NULL)
		return;
	free(s->state);
	free(s);
}

/* --- bytes */

size_t pt_stream_part_feed(struct pt_stream_part *s, const uint8_t *bytes, size_t len_bytes,
			   struct pt_stream_piece *own)
{
	struct pt_demux_piece piece[PT_DEMUX_PIECES];
	size_t n, taken = s->demux->feed(s->state, bytes, len_bytes, piece, &n);

	own->len_bytes = 0;
	own->lost = n > 0 && piece[0].lost_bytes > 0;
	own->lost_bytes = own->lost && s->first ? piece[0].lost_bytes : PT_UNKNOWN;
	for (size_t i = 0; i < n; i++) {
		if (piece[i].stream == s->number) {
			memcpy(own->bytes + own->len_bytes, piece[i].bytes, piece[i].len_bytes);
			own->len_bytes += piece[i].len_bytes;
		} else if (s->first && piece[i].stream != 0 &&
			   (piece[i].stream >= STREAM_NUMBERS || !s->known[piece[i].stream])) {
			s->other_bytes += piece[i].len_bytes;
		}
	}
	return taken;
}

uint64_t pt_stream_part_gap(struct pt_stream_part *s)
{
	return s->demux->gap(s->state);
}

bool pt_stream_part_is_first(const struct pt_stream_part *s)
{
	return s->first;
}

uint64_t pt_stream_part_others(const struct pt_stream_part *s)
{
	return s != NULL ? s->other_bytes : 0;
}
