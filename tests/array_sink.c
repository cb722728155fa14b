/* See array_sink.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/array_sink.h"
#include "harness.h"
#include "base/util.h"

static struct pt_chunk *take(struct pt_sink *sink)
{
	struct array_sink *to = (struct array_sink *)sink;

	return to->full ? NULL : calloc(1, sizeof(struct pt_chunk) + PT_CHUNK_BYTES);
}

static void put(struct pt_sink *sink, struct pt_chunk *chunk)
{
	struct array_sink *to = (struct array_sink *)sink;

	ck_assert_uint_lt(to->n_chunks, ARRAY_SINK_CHUNKS);
	to->chunk[to->n_chunks++] = chunk;
}

static void lose(struct pt_sink *sink, const struct pt_chunk *loss)
{
	struct pt_chunk *copy = calloc(1, sizeof(*copy));

	*copy = *loss;
	put(sink, copy);
}

void array_sink_init(struct array_sink *sink)
{
	memset(sink, 0, sizeof(*sink));
	sink->sink = (struct pt_sink){ .take = take, .put = put, .lose = lose };
}

void array_sink_fini(struct array_sink *sink)
{
	for (size_t i = 0; i < sink->n_chunks; i++)
		free(sink->chunk[i]);
	sink->n_chunks = 0;
}

size_t array_sink_count(const struct array_sink *sink, enum pt_chunk_kind kind, int cause)
{
	size_t n = 0;

	for (size_t i = 0; i < sink->n_chunks; i++)
		n += sink->chunk[i]->kind == kind && (cause < 0 || sink->chunk[i]->cause == cause);
	return n;
}

static void check_source(const struct array_sink *sink, uint16_t source)
{
	uint64_t told_ns = PT_UNKNOWN;
	bool ended = false;

	for (size_t i = 0; i < sink->n_chunks; i++) {
		const struct pt_chunk *chunk = sink->chunk[i];

		if (chunk->source != source)
			continue;
		ck_assert(!ended);
		ck_assert(chunk->kind == PT_CHUNK_CONFIG || told_ns != PT_UNKNOWN);
		ck_assert_uint_le(chunk->from_ns, chunk->to_ns);
		if (told_ns == PT_UNKNOWN)
			told_ns = chunk->from_ns;
		if (chunk->kind == PT_CHUNK_DATA || chunk->kind == PT_CHUNK_LOSS) {
			ck_assert_msg(chunk->from_ns == told_ns,
				      "chunk %zu starts at %llu, the one before ended at %llu", i,
				      (unsigned long long)chunk->from_ns, (unsigned long long)told_ns);
			told_ns = chunk->to_ns;
		}
		ended = chunk->kind == PT_CHUNK_END;
	}
}

/* Whichever sources there are: each chunk is of one that is looked at. */
void array_sink_check(const struct array_sink *sink)
{
	for (size_t i = 0; i < sink->n_chunks; i++)
		if (sink->chunk[i]->kind == PT_CHUNK_CONFIG || i == 0)
			check_source(sink, sink->chunk[i]->source);
}

const char *array_sink_config(const struct array_sink *sink, const char *key)
{
	static char value[400];
	char text[PT_CHUNK_BYTES + 1], start[64];
	char *at;

	memcpy(text, sink->chunk[0]->bytes, sink->chunk[0]->len_bytes);
	text[sink->chunk[0]->len_bytes] = '\0';
	snprintf(start, sizeof(start), "\n%s=", key);
	at = strstr(text, start);
	value[0] = '\0';
	if (at != NULL)
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(at + strlen(start), "\n"), at + strlen(start));
	return value;
}
