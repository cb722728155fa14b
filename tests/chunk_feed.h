/* Chunks of several sources into a pipeline, as a test writes them: each source on a clock of its own making. */
#ifndef PT_TESTS_CHUNK_FEED_H
#define PT_TESTS_CHUNK_FEED_H

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "pipeline/pipeline.h"
#include "profile/result/profile.h"
#include "report/laws/laws.h"
#include "report/report.h"
#include "small_program.h"
#include "trace/event.h"
#include "trace/formats.h"

struct chunk_feed {
	struct pt_pipeline *pipeline;
	struct pt_chunk *chunk;
	struct pt_law_clock clock;
	bool lawless;			/* what was fed cannot be: the laws do not hold */
};

static inline struct chunk_feed chunk_feed_of(struct pt_program *program, const char *const *words, size_t n_words)
{
	struct chunk_feed f = { .chunk = malloc(sizeof(*f.chunk) + PT_CHUNK_BYTES) };
	struct pt_params *params = pt_params_new();
	struct pt_err err = { 0 };

	for (size_t i = 0; i < n_words; i++)
		ck_assert_msg(pt_pipeline_add(params, words[i], &err) == 0, "%s", err.msg);
	f.pipeline = pt_pipeline_new(program, params, &err);
	ck_assert_msg(f.pipeline != NULL, "%s", err.msg);
	pt_params_free(params);
	return f;
}

static inline void chunk_law(void *arg, enum pt_law law, const char *sentence, const char *excepted)
{
	(void)arg;
	ck_assert_msg(excepted != NULL, "law of %s: %s", pt_law_name(law), sentence);
}

/* Every profile that a test makes keeps the laws of a report. */
static inline void chunk_feed_drop(struct chunk_feed *f)
{
	/* chunks that do not follow each other are a source's fault, and said to be */
	if (!f->lawless && pt_pipeline_profile(f->pipeline)->mismatch_ns == 0)
		pt_laws_check(pt_pipeline_profile(f->pipeline), &f->clock, chunk_law, NULL);
	pt_pipeline_free(f->pipeline);
	free(f->chunk);
}

static inline void chunk_put(struct chunk_feed *f, unsigned source, unsigned kind, unsigned cause, uint64_t from_ns,
			     uint64_t to_ns, const void *bytes, size_t len_bytes)
{
	*f->chunk = (struct pt_chunk){
		.from_ns = from_ns, .to_ns = to_ns, .lost_bytes = PT_UNKNOWN, .source = (uint16_t)source,
		.kind = (uint16_t)kind, .cause = (uint16_t)cause, .len_bytes = (uint32_t)len_bytes,
	};
	if (len_bytes != 0)
		memcpy(f->chunk->bytes, bytes, len_bytes);
	pt_law_clock_take(&f->clock, f->chunk);
	pt_pipeline_feed(f->pipeline, f->chunk);
}

static inline void chunk_config(struct chunk_feed *f, unsigned source, const char *text)
{
	chunk_put(f, source, PT_CHUNK_CONFIG, 0, 0, 0, text, strlen(text));
}

static inline void chunk_config_of(struct chunk_feed *f, unsigned source, unsigned core, const char *text)
{
	*f->chunk = (struct pt_chunk){
		.kind = PT_CHUNK_CONFIG, .source = (uint16_t)source, .core = (uint16_t)core,
		.len_bytes = (uint32_t)strlen(text),
	};
	memcpy(f->chunk->bytes, text, strlen(text));
	pt_law_clock_take(&f->clock, f->chunk);
	pt_pipeline_feed(f->pipeline, f->chunk);
}

static inline void chunk_state(struct chunk_feed *f, unsigned source, enum pt_state what, uint64_t ns, uint64_t pc)
{
	uint8_t bytes[PT_STATE_BYTES];

	pt_put_le64(bytes + PT_STATE_PC, pc);
	chunk_put(f, source, PT_CHUNK_STATE, what, ns, ns, bytes, sizeof(bytes));
}

static inline void chunk_clock(struct chunk_feed *f, unsigned source, uint64_t ticks, uint64_t ns, uint64_t error_ns)
{
	uint8_t bytes[PT_CLOCK_BYTES];

	pt_put_le64(bytes + PT_CLOCK_TICKS, ticks);
	pt_put_le64(bytes + PT_CLOCK_NS, ns);
	pt_put_le64(bytes + PT_CLOCK_ERROR_NS, error_ns);
	chunk_put(f, source, PT_CHUNK_CLOCK, 0, ns, ns, bytes, sizeof(bytes));
}

static inline void chunk_end(struct chunk_feed *f, unsigned source, uint64_t ns)
{
	chunk_put(f, source, PT_CHUNK_END, 0, ns, ns, NULL, 0);
}

/* Records for a DATA chunk, one after the other. */
struct chunk_bytes { uint8_t bytes[PT_CHUNK_BYTES]; size_t len; };

static inline void add_line(struct chunk_bytes *b, uint64_t ticks, unsigned line, unsigned level)
{
	uint8_t *at = b->bytes + b->len;

	pt_put_le64(at + PT_LINES_TICKS, ticks);
	pt_put_le16(at + PT_LINES_LINE, (uint16_t)line);
	at[PT_LINES_SIZE] = 1;
	at[PT_LINES_VALUE] = (uint8_t)level;
	b->len += PT_LINES_VALUE + 1;
}

/* A write to memory. */
static inline void add_value(struct chunk_bytes *b, uint64_t ticks, uint64_t address, unsigned size, uint64_t value)
{
	uint8_t *at = b->bytes + b->len;

	pt_put_le64(at + PT_VALUES_TICKS, ticks);
	at[PT_VALUES_HOW] = PT_SPACE_MEMORY * 2 + 1;
	at[PT_VALUES_SIZE] = (uint8_t)size;
	pt_put_le64(at + PT_VALUES_AT, address);
	pt_put_le64(at + PT_VALUES_VALUE, value);
	b->len += PT_VALUES_PC;
}

/* A message at an instrumentation port. */
static inline void add_message(struct chunk_bytes *b, uint64_t ticks, uint64_t port, unsigned size, uint64_t value)
{
	add_value(b, ticks, port, size, value);
	b->bytes[b->len - PT_VALUES_PC + PT_VALUES_HOW] = PT_SPACE_PORT * 2 + 1;
}

static inline void add_packet(struct chunk_bytes *b, uint32_t from, uint32_t to)
{
	pt_put_le32(b->bytes + b->len, from);
	pt_put_le32(b->bytes + b->len + 4, to);
	b->len += 8;
}

static inline const char *chunk_report(struct chunk_feed *f, struct pt_text *text, const char *view, const char *format)
{
	struct pt_query query = { .top = 0 };
	struct pt_err err = { 0 };

	strcpy(query.view, view);
	strcpy(query.format, format);
	ck_assert_msg(pt_report_render(pt_pipeline_profile(f->pipeline), &query, text, &err) == 0, "%s", err.msg);
	return text->bytes;
}

#endif
