/* A virtual S12Z with the demo firmware, its profile over PDO, and what the firmware itself counted: board, target, source
 * and pipeline in one thread, on the virtual clock. */
#ifndef PT_TESTS_S12Z_EXACT_RIG_H
#define PT_TESTS_S12Z_EXACT_RIG_H

#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "pipeline/pipeline.h"
#include "probes/virtual/boards.h"
#include "probes/registry.h"
#include "probes/virtual/chip/s12zvm.h"
#include "probes/virtual/demo/s12zvm_demo.h"
#include "profile/result/profile.h"
#include "targets/registry.h"

struct bench {
	struct pt_sink sink;		/* first: what the source puts into is this */
	struct pt_probe *probe;
	struct pt_link *link;
	struct pt_target *target;
	struct pt_program *program;
	struct pt_pipeline *pipeline;
	struct pt_params *settings;
	const struct pt_source_ops *source;
	void *state;
	struct pt_s12zvm *chip;
	struct pt_vtruth truth;
	struct pt_chunk *chunk;
};

static inline struct pt_chunk *take(struct pt_sink *sink)
{
	struct bench *b = (struct bench *)sink;

	memset(b->chunk, 0, sizeof(*b->chunk));
	return b->chunk;
}

static inline void put(struct pt_sink *sink, struct pt_chunk *chunk)
{
	pt_pipeline_feed(((struct bench *)sink)->pipeline, chunk);
}

static inline void lose(struct pt_sink *sink, const struct pt_chunk *loss)
{
	pt_pipeline_feed(((struct bench *)sink)->pipeline, loss);
}

#define CHECK(call) ck_assert_msg((call) >= 0, "%s: %s", #call, err.msg)

static inline void open_board(struct bench *b, const char *words)
{
	const struct pt_vboard_ops *ops;
	struct pt_err err = { 0 };
	char uri[300];

	snprintf(uri, sizeof(uri), "virtual:s12zvm?clock=virtual%s%s", words[0] != '\0' ? "&" : "", words);
	b->probe = pt_probe_open(uri, NULL, &err);
	ck_assert_msg(b->probe != NULL, "%s: %s", uri, err.msg);
	b->link = pt_probe_link(b->probe);
	b->target = pt_target_attach(b->probe, NULL, NULL, &err);
	ck_assert_msg(b->target != NULL && err.code == 0, "attach: %s", err.msg);
	b->chip = pt_s12zvm_of(pt_model_link_board(b->link, &ops));
}

static inline void choose_source(struct bench *b, const char *const *words)
{
	size_t n;
	const struct pt_source_ops *const *sources = b->target->ops->sources(b->target->state, &n);
	struct pt_err err = { 0 };

	b->source = NULL;
	for (size_t i = 0; i < n; i++)
		if (strcmp(sources[i]->name, "dbg-profile") == 0)
			b->source = sources[i];
	ck_assert_ptr_nonnull(b->source);
	b->state = calloc(1, b->source->state_bytes);
	for (; *words != NULL; words++)
		CHECK(pt_params_add(b->settings, b->source->params, b->source->n_params, *words, &err));
}

/* Held at the reset vector, and the source armed. */
static inline void begin(struct bench *b, const char *board, const char *const *words)
{
	struct pt_source_setup setup = { .sink = &b->sink, .config = "target=x\nprobe=model\nvirtual=1\ncore_hz=0\n" };
	struct pt_err err = { 0 };

	*b = (struct bench){ .sink = { .take = take, .put = put, .lose = lose } };
	b->chunk = calloc(1, sizeof(*b->chunk) + PT_CHUNK_BYTES);
	b->settings = pt_params_new();
	open_board(b, board);
	b->program = pt_program_from_bytes("demo", pt_s12zvm_demo_elf, pt_s12zvm_demo_elf_bytes, 0, &err);
	ck_assert_msg(b->program != NULL, "%s", err.msg);
	b->pipeline = pt_pipeline_new(b->program, NULL, &err);
	ck_assert_msg(b->pipeline != NULL, "%s", err.msg);
	choose_source(b, words);
	CHECK(b->target->ops->reset(b->target->state, PT_RESET_HALT, &err));
	ck_assert(pt_s12zvm_watch(b->chip, &b->truth, 0));
	setup.settings = b->settings;
	CHECK(b->source->start(b->state, b->target, &setup, &err));
}

static inline void finish(struct bench *b)
{
	pt_vtruth_fini(&b->truth);
	pt_target_detach(b->target, true, NULL);
	pt_probe_close(b->probe);
	pt_pipeline_free(b->pipeline);
	pt_program_unref(b->program);
	pt_params_free(b->settings);
	free(b->state);
	free(b->chunk);
}

static inline uint64_t pc_of(struct bench *b)
{
	struct pt_err err = { 0 };
	uint64_t pc = PT_UNKNOWN;

	CHECK(b->target->ops->pc(b->target->state, 0, &pc, &err));
	return pc;
}

static inline void drain(struct bench *b, uint64_t ns)
{
	uint64_t until_ns = pt_link_now_ns(b->link) + ns;
	struct pt_err err = { 0 };

	while (pt_link_now_ns(b->link) < until_ns) {
		int rc = b->source->drain(b->state, &err);

		CHECK(rc);
		if (rc > 0)
			CHECK(pt_link_wait(b->link, pt_link_now_ns(b->link) + (uint64_t)rc * 1000, &err));
	}
}

static inline void catch_up(struct bench *b)
{
	struct pt_err err = { 0 };

	while (b->source->behind != NULL && b->source->behind(b->state))
		CHECK(b->source->drain(b->state, &err));
}

static inline void resume(struct bench *b)
{
	struct pt_err err = { 0 };

	catch_up(b);
	CHECK(b->source->on_state(b->state, PT_STATE_RUN, 0, pc_of(b), &err));
	CHECK(b->target->ops->resume(b->target->state, 0, &err));
}

static inline void halt(struct bench *b)
{
	struct pt_err err = { 0 };

	CHECK(b->target->ops->halt(b->target->state, 0, &err));
	CHECK(b->source->on_state(b->state, PT_STATE_HALT, 0, pc_of(b), &err));
	catch_up(b);
}

static inline void stop(struct bench *b)
{
	struct pt_err err = { 0 };

	CHECK(b->source->stop(b->state, &err));
}

/* What the firmware counted of the function; false: it does not count. One that the core stands in front of has been
 * entered, but has not counted yet. */
static inline bool counter_of(struct bench *b, const struct pt_function *f, uint64_t pc, uint64_t *calls)
{
	uint64_t addr, size;
	char name[80];

	snprintf(name, sizeof(name), "n_%s", f->name);
	if (!pt_program_symbol(b->program, name, &addr, &size))
		return false;
	*calls = pt_s12zvm_peek(b->chip, (uint32_t)addr) + (pc == f->address);
	return true;
}

static inline void check_counts(struct bench *b, const struct pt_profile *p, const char *name, uint64_t pc)
{
	size_t n, n_counted = 0;
	const struct pt_function *functions = pt_program_functions(b->program, &n);

	for (size_t i = 0; i < n; i++) {
		const struct pt_profile_function *row = p->by_id[i + 1];
		uint64_t calls, count = row != NULL && row->run != NULL ? row->run->count : 0;

		if (!counter_of(b, &functions[i], pc, &calls))
			continue;
		n_counted += calls > 0;
		ck_assert_msg(count == calls, "%s: %s was called %llu times, the profile says %llu", name,
			      functions[i].name, (unsigned long long)calls, (unsigned long long)count);
	}
	ck_assert_uint_gt(n_counted, 15);
}

#endif
