/* A source of the target microblaze over an MDM in an array (fake_mdm.h), for tests. */
#ifndef PT_TESTS_MB_SOURCE_RIG_H
#define PT_TESTS_MB_SOURCE_RIG_H

#include <stdlib.h>
#include <string.h>

#include "array_sink.h"
#include "fake_mdm.h"
#include "harness.h"
#include "targets/contract/lease.h"
#include "targets/microblaze/microblaze.h"
#include "trace/formats.h"
#include "trace/loss.h"
#include "base/util.h"

static struct fake_mdm mdm;
static struct array_mem memory;
static struct array_sink sink;
static struct pt_mb *mb;
static struct pt_target target;
static struct pt_params *settings, *words;
static struct pt_err err;
static void *state;
static const struct pt_source_ops *source;
static enum pt_run_state core_state;

static inline int fake_status(void *s, unsigned core, struct pt_core_status *out, struct pt_err *e)
{
	(void)s;
	(void)core;
	(void)e;
	*out = (struct pt_core_status){ .state = core_state, .addr = PT_UNKNOWN };
	return 0;
}

static inline int fake_pc(void *s, unsigned core, uint64_t *pc, struct pt_err *e)
{
	(void)s;
	(void)core;
	(void)e;
	*pc = 0x100;
	return 0;
}

static inline const char *fake_chip(void *s)
{
	(void)s;
	return "MicroBlaze";
}

static inline struct pt_mem *fake_mem(void *s, unsigned core)
{
	(void)s;
	(void)core;
	return &memory.mem;
}

static const struct pt_target_ops fake_ops = { .name = "microblaze", .status = fake_status, .pc = fake_pc };

static inline void setup(void)
{
	fake_mdm_init(&mdm);
	array_mem_init(&memory);
	memory.access_ns = 1000;
	fake_mdm_hook(&mdm, &memory);
	array_sink_init(&sink);
	settings = pt_params_new();
	words = pt_params_new();
	mb = calloc(1, sizeof(*mb));
	target = (struct pt_target){ .ops = &fake_ops, .state = mb };
	mb->target = &target;
	core_state = PT_RUNNING;
	err = (struct pt_err){ 0 };
}

static inline void teardown(void)
{
	pt_mdm_close(&mb->mdm);
	ck_assert_ptr_null(target.leases);
	array_mem_fini(&memory);
	array_sink_fini(&sink);
	pt_params_free(settings);
	pt_params_free(words);
	free(mb);
	free(state);
	state = NULL;
}

static inline void set(const char *word)
{
	ck_assert_msg(pt_params_add(settings, pt_mb_settings, PT_MB_N_SETTINGS, word, &err) == 0, "%s", err.msg);
}

static inline void say(const char *word)
{
	ck_assert_msg(pt_params_add(words, source->params, source->n_params, word, &err) == 0, "%s", err.msg);
}

static inline int open_mdm(void)
{
	if (!pt_params_given(settings, &pt_mb_settings[PT_MDM_AXI_BASE]))
		set("mdm.axi.base=0x41400000");
	ck_assert_msg(pt_mb_read_settings(mb, settings, &err) == 0, "%s", err.msg);
	mb->mdm.mem = &memory.mem;
	return pt_mdm_open(&mb->mdm, settings, &err);
}

static inline int start(const struct pt_source_ops *ops, uint64_t low, uint64_t size)
{
	struct pt_source_setup s = {
		.settings = words,
		.source = 3,
		.sink = &sink.sink,
		.config = "core_hz=100000000\n",
		.code = { low, size },
	};

	source = ops;
	if (state == NULL)
		state = calloc(1, ops->state_bytes);
	return ops->start(state, &target, &s, &err);
}

static inline void use(const struct pt_source_ops *ops)
{
	source = ops;
	ck_assert_msg(open_mdm() == 0, "%s", err.msg);
}

static inline void started(const struct pt_source_ops *ops, uint64_t low, uint64_t size)
{
	ck_assert_msg(start(ops, low, size) == 0, "%s", err.msg);
}

static inline void drain_until(uint64_t ns)
{
	while (memory.now_ns < ns) {
		int us = source->drain(state, &err);

		ck_assert_msg(us >= 0, "%s", err.msg);
		array_mem_pass(&memory, (uint64_t)us * 1000);
	}
}

static inline void stop(void)
{
	ck_assert_msg(source->stop(state, &err) == 0, "%s", err.msg);
	array_sink_check(&sink);
}

/* Hits of the bin at address in all DATA chunks; *full: records that say that it was full. */
static inline uint64_t hits_at(uint64_t address, unsigned *full)
{
	uint64_t sum = 0;

	*full = 0;
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *c = sink.chunk[i];

		for (uint32_t at = 0; c->kind == PT_CHUNK_DATA && at + PT_BINS_BYTES <= c->len_bytes;
		     at += PT_BINS_BYTES) {
			uint64_t hits = pt_le64(c->bytes + at + PT_BINS_HITS);

			if (pt_le64(c->bytes + at + PT_BINS_ADDRESS) != address)
				continue;
			*full += hits == PT_UNKNOWN;
			sum += hits == PT_UNKNOWN ? 0 : hits;
		}
	}
	return sum;
}

static inline uint64_t bin_at(uint64_t address)
{
	unsigned full;

	return hits_at(address, &full);
}

/* The last reading of a counter, how many there were, and how many turns began. */
static inline uint64_t last_of(unsigned counter, unsigned *n, unsigned *turns)
{
	uint64_t last = PT_UNKNOWN;

	*n = *turns = 0;
	for (size_t i = 0; i < sink.n_chunks; i++) {
		const struct pt_chunk *c = sink.chunk[i];

		for (uint32_t at = 0; c->kind == PT_CHUNK_DATA && at + PT_COUNTERS_BYTES <= c->len_bytes;
		     at += PT_COUNTERS_BYTES) {
			unsigned word = pt_le16(c->bytes + at + PT_COUNTERS_COUNTER);

			if ((word & ~(unsigned)PT_COUNTERS_RESUMES) != counter)
				continue;
			last = pt_le64(c->bytes + at + PT_COUNTERS_READING);
			*n += 1;
			*turns += (word & PT_COUNTERS_RESUMES) != 0;
		}
	}
	return last;
}

#endif
