/* A sink that keeps every chunk, and checks what holds for all sources: DATA and LOSS tile the session. */
#ifndef PT_TESTS_ARRAY_SINK_H
#define PT_TESTS_ARRAY_SINK_H

#include <stdbool.h>

#include "trace/chunk.h"

enum { ARRAY_SINK_CHUNKS = 4096 };

struct array_sink {
	struct pt_sink sink;
	struct pt_chunk *chunk[ARRAY_SINK_CHUNKS];
	size_t n_chunks;
	bool full;		/* take() gives nothing */
};

void array_sink_init(struct array_sink *sink);
void array_sink_fini(struct array_sink *sink);
size_t array_sink_count(const struct array_sink *sink, enum pt_chunk_kind kind, int cause);	/* cause -1: any */
/* Fails the test unless the first chunk is CONFIG, each DATA or LOSS starts where the one before ended, and nothing
 * follows END. */
void array_sink_check(const struct array_sink *sink);
/* The value behind "key=" in the CONFIG chunk; empty if it is not there. Valid until the next call. */
const char *array_sink_config(const struct array_sink *sink, const char *key);

#endif
