/* The e500's source counters at work in e500_rig.h, its chunks in an array. */
#ifndef PT_TESTS_E500_COUNTERS_RIG_H
#define PT_TESTS_E500_COUNTERS_RIG_H

#include "array_sink.h"
#include "e500_rig.h"
#include "targets/e500/trace/counting.h"
#include "trace/formats.h"
#include "targets/e500/trace/sources.h"

static struct array_sink sink;
static struct pt_params *words;
static void *state;

static inline void start(const char *const *source_words, size_t n)
{
	const struct pt_source_ops *source = &pt_source_e500_counters;
	struct pt_source_setup setup = { .source = 0, .sink = &sink.sink, .config = "virtual=1\n", .seed = 5 };
	struct pt_err err = { .msg = "" };

	array_sink_init(&sink);
	words = pt_params_new();
	for (size_t i = 0; i < n && source_words[i] != NULL; i++)
		ck_assert_msg(pt_params_add(words, source->params, source->n_params, source_words[i], &err) == 0, "%s",
			      err.msg);
	setup.settings = words;
	state = calloc(1, source->state_bytes);
	ck_assert_msg(source->start(state, target, &setup, &err) == 0, "%s", err.msg);
}

static inline void stop(void)
{
	struct pt_err err = { .msg = "" };

	ck_assert_msg(pt_source_e500_counters.stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
	array_sink_fini(&sink);
	pt_params_free(words);
	free(state);
}

/* Until it has read again. */
static inline void drain(void)
{
	struct pt_err err = { .msg = "" };
	size_t n_data = array_sink_count(&sink, PT_CHUNK_DATA, -1);
	int rc = 0;

	while (array_sink_count(&sink, PT_CHUNK_DATA, -1) == n_data) {
		rc = pt_source_e500_counters.drain(state, &err);
		ck_assert_msg(rc >= 0, "%s", err.msg);
		if (rc > 0)
			usleep((useconds_t)rc);
	}
}

struct record { unsigned counter; bool resumes; uint64_t value, at_ns; };

static inline size_t records_of(const struct pt_chunk *chunk, struct record *record, size_t room)
{
	size_t n = 0;

	for (uint32_t at = 0; at + PT_COUNTERS_BYTES <= chunk->len_bytes && n < room; at += PT_COUNTERS_BYTES) {
		unsigned word = pt_le16(chunk->bytes + at + PT_COUNTERS_COUNTER);

		if (word == PT_COUNTERS_ERROR)
			continue;
		record[n++] = (struct record){ word & ~(unsigned)PT_COUNTERS_RESUMES, (word & PT_COUNTERS_RESUMES) != 0,
			pt_le64(chunk->bytes + at + PT_COUNTERS_READING), pt_le64(chunk->bytes + at + PT_COUNTERS_TICKS) };
	}
	return n;
}

/* The last chunk of data: the new one. */
static inline const struct pt_chunk *last_data(void)
{
	for (size_t i = sink.n_chunks; i-- > 0;)
		if (sink.chunk[i]->kind == PT_CHUNK_DATA)
			return sink.chunk[i];
	ck_abort_msg("there is no data");
}

static inline unsigned event_number(const struct pt_e500_counting *c, unsigned counter)
{
	return c->want[counter].event->number;
}

/* The counters by themselves, by the same words: what stands where. */
static inline struct pt_e500_counting plan_of(void)
{
	static struct pt_e500_counting c;
	struct pt_err err = { .msg = "" };

	ck_assert_int_eq(pt_e500_counting_read(&c, e500->core, pt_e500_kinds[e500->core].n_pmcs, words, 0, 1500000,
					       &err),
			 0);
	return c;
}

#endif
