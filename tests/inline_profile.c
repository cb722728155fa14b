/* See inline_profile.h. What session and board do in a daemon is done here in their order, without threads. */
#include "targets/registry.h"
#include "probes/registry.h"
#include "probes/virtual/boards.h"
#include "tests/inline_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "report/laws/laws.h"

enum { MAX_COUNTERS = 64 };

static void die(const char *what, const struct pt_err *err)
{
	fprintf(stderr, "inline profile: %s: %s\n", what, err->msg);
	exit(EXIT_FAILURE);
}

/* --- the sink ----------------------------------------------------------------------------------------------------- */

static void pass(struct inline_profile *p, const struct pt_chunk *chunk)
{
	if (p->see != NULL)
		p->see(p->see_arg, chunk);
	pt_law_clock_take(&p->clock, chunk);
	pt_pipeline_feed(p->pipeline, chunk);
}

static struct pt_chunk *take(struct pt_sink *sink)
{
	struct inline_profile *p = (struct inline_profile *)sink;

	memset(p->chunk, 0, sizeof(*p->chunk));
	return p->chunk;
}

static void put(struct pt_sink *sink, struct pt_chunk *chunk)
{
	pass((struct inline_profile *)sink, chunk);
}

static void lose(struct pt_sink *sink, const struct pt_chunk *loss)
{
	pass((struct inline_profile *)sink, loss);
}

/* --- open --------------------------------------------------------------------------------------------------------- */

static const char *board_of(const struct inline_setup *setup)
{
	return setup->board != NULL ? setup->board : "kl27";
}

static void open_board(struct inline_profile *p, const struct inline_setup *setup)
{
	const struct pt_vboard_ops *ops;
	struct pt_vboard *board;
	struct pt_err err = { 0 };
	char uri[600];

	snprintf(uri, sizeof(uri), "virtual:%s?clock=virtual&link=%s&seed=%llu%s%s%s%s%s", board_of(setup),
		 setup->link != NULL ? setup->link : "bulk-hs", (unsigned long long)setup->seed,
		 setup->variant != NULL ? "&variant=" : "", setup->variant != NULL ? setup->variant : "",
		 setup->elf != NULL ? "&elf=" : "", setup->elf != NULL ? setup->elf : "",
		 setup->uri != NULL ? setup->uri : "");
	p->probe = pt_probe_open(uri, NULL, &err);
	if (p->probe == NULL)
		die(uri, &err);
	p->link = pt_probe_link(p->probe);
	p->target = pt_target_attach(p->probe, NULL, NULL, &err);
	if (p->target == NULL || err.code != 0)
		die("attach", &err);
	board = pt_model_link_board(p->link, &ops);
	if (strcmp(board_of(setup), "kl27") == 0)
		p->chip = pt_kl27_of(board);
	else
		p->s12zvm = pt_s12zvm_of(board);
}

static void open_program(struct inline_profile *p, const struct inline_setup *setup)
{
	struct pt_params *settings;
	struct pt_err err = { 0 };
	const uint8_t *demo;
	size_t len;

	demo = pt_vboard_demo(board_of(setup), &len);
	p->program = setup->elf != NULL ? pt_program_open(setup->elf, 0, &err)
					: pt_program_from_bytes("demo", demo, len, 0, &err);
	if (p->program == NULL)
		die("firmware", &err);
	settings = pt_params_new();
	if (setup->analysis != NULL && pt_pipeline_add(settings, setup->analysis, &err) < 0)
		die(setup->analysis, &err);
	p->pipeline = pt_pipeline_new(p->program, settings, &err);
	if (p->pipeline == NULL)
		die("pipeline", &err);
	pt_params_free(settings);
}

static void choose_source(struct inline_profile *p, const char *name)
{
	size_t n;
	const struct pt_source_ops *const *sources = p->target->ops->sources(p->target->state, &n);

	for (size_t i = 0; i < n; i++)
		if (p->source == NULL &&
		    (name == NULL ? sources[i]->members == NULL : strcmp(sources[i]->name, name) == 0))
			p->source = sources[i];
	if (p->source == NULL)
		die("source", &(struct pt_err){ .msg = "no such source" });
	p->state = calloc(1, p->source->state_bytes);
}

void inline_open(struct inline_profile *p, const struct inline_setup *setup)
{
	struct pt_err err = { 0 };

	memset(p, 0, sizeof(*p));
	p->sink = (struct pt_sink){ .take = take, .put = put, .lose = lose };
	p->chunk = calloc(1, sizeof(*p->chunk) + PT_CHUNK_BYTES);
	p->settings = pt_params_new();
	open_board(p, setup);
	open_program(p, setup);
	choose_source(p, setup->source);
	for (size_t i = 0; i < PT_LEN(setup->words) && setup->words[i] != NULL; i++)
		if (pt_params_add(p->settings, p->source->params, p->source->n_params, setup->words[i], &err) < 0)
			die(setup->words[i], &err);
	if (setup->reset && p->target->ops->reset(p->target->state, PT_RESET_HALT, &err) < 0)
		die("reset", &err);
}

static void on_law(void *arg, enum pt_law law, const char *sentence, const char *excepted)
{
	(void)arg;
	if (excepted == NULL)
		fprintf(stderr, "inline profile: law of %s: %s\n", pt_law_name(law), sentence);
}

/* Every profile keeps the laws of a report, at the latest when it is over. */
void inline_close(struct inline_profile *p)
{
	if (pt_laws_check(pt_pipeline_profile(p->pipeline), &p->clock, on_law, NULL) > 0)
		exit(EXIT_FAILURE);
	if (p->has_truth)
		pt_vtruth_fini(&p->truth);
	pt_target_detach(p->target, true, NULL);
	pt_probe_close(p->probe);
	pt_pipeline_free(p->pipeline);
	pt_program_unref(p->program);
	pt_params_free(p->settings);
	free(p->state);
	free(p->chunk);
}

/* --- at work ------------------------------------------------------------------------------------------------------ */

uint64_t inline_now_ns(const struct inline_profile *p)
{
	return pt_link_now_ns(p->link);
}

uint64_t inline_pc(struct inline_profile *p)
{
	struct pt_err err = { 0 };
	uint64_t pc = PT_UNKNOWN;

	if (p->target->ops->pc(p->target->state, 0, &pc, &err) < 0)
		die("read the pc", &err);
	return pc;
}

static void tell(struct inline_profile *p, enum pt_state what)
{
	struct pt_err err = { 0 };

	if (p->source->on_state(p->state, what, 0, inline_pc(p), &err) < 0)
		die("tell the source of the core's state", &err);
}

static void start_source(struct inline_profile *p, const struct inline_setup *setup)
{
	const struct pt_region *regions;
	struct pt_err err = { 0 };
	struct pt_source_setup with;
	size_t n;

	regions = p->target->ops->regions(p->target->state, &n);
	pt_free_ram(regions, n, p->program, &p->free_ram);
	snprintf(p->config, sizeof(p->config), "target=%s\nprobe=model\nvirtual=1\ncore_hz=%d\n",
		 p->target->ops->chip(p->target->state), p->chip != NULL ? PT_KL27_CORE_HZ : 0);
	with = (struct pt_source_setup){
		.settings = p->settings, .sink = &p->sink, .config = p->config, .seed = setup->seed,
		.free_ram = p->free_ram.span, .n_free_ram = p->free_ram.n_spans, .why_no_ram = p->free_ram.why,
	};
	if (p->source->start(p->state, p->target, &with, &err) < 0)
		die("start the source", &err);
}

static bool watch(struct inline_profile *p, size_t log_room)
{
	return p->chip != NULL ? pt_kl27_watch(p->chip, &p->truth, log_room)
			       : pt_s12zvm_watch(p->s12zvm, &p->truth, log_room);
}

void inline_start(struct inline_profile *p, const struct inline_setup *setup)
{
	struct pt_err err = { 0 };

	if (setup->truth && !watch(p, setup->log_room))
		die("watch the board", &(struct pt_err){ .msg = "no memory" });
	p->has_truth = setup->truth;
	start_source(p, setup);
	if (!setup->reset)
		return;
	tell(p, PT_STATE_RUN);
	if (p->target->ops->resume(p->target->state, 0, &err) < 0)
		die("resume", &err);
}

void inline_drain(struct inline_profile *p, uint64_t ns)
{
	uint64_t until_ns = inline_now_ns(p) + ns;
	struct pt_err err = { 0 };

	while (inline_now_ns(p) < until_ns) {
		int rc = p->source->drain(p->state, &err);

		if (rc < 0)
			die("drain", &err);
		if (rc > 0 && pt_link_wait(p->link, inline_now_ns(p) + (uint64_t)rc * 1000, &err) < 0)
			die("wait", &err);
	}
}

void inline_halt(struct inline_profile *p)
{
	struct pt_err err = { 0 };

	if (p->target->ops->halt(p->target->state, 0, &err) < 0)
		die("halt", &err);
	tell(p, PT_STATE_HALT);
}

static void catch_up(struct inline_profile *p)
{
	struct pt_err err = { 0 };

	while (p->source->behind != NULL && p->source->behind(p->state))
		if (p->source->drain(p->state, &err) < 0)
			die("drain", &err);
}

void inline_resume(struct inline_profile *p)
{
	struct pt_err err = { 0 };

	catch_up(p);
	tell(p, PT_STATE_RUN);
	if (p->target->ops->resume(p->target->state, 0, &err) < 0)
		die("resume", &err);
}

void inline_step(struct inline_profile *p)
{
	struct pt_err err = { 0 };

	catch_up(p);
	tell(p, PT_STATE_RUN);
	if (p->target->ops->step(p->target->state, 0, &err) < 0)
		die("step", &err);
	tell(p, PT_STATE_HALT);
	catch_up(p);
}

void inline_stop(struct inline_profile *p)
{
	struct pt_err err = { 0 };

	if (p->source->stop(p->state, &err) < 0)
		die("stop the source", &err);
}

void inline_shares(struct inline_profile *p,
		   void (*see)(void *arg, size_t id, const char *name, struct pt_share share, double truth), void *arg)
{
	const struct pt_profile *profile = pt_pipeline_profile(p->pipeline);
	double all = (double)pt_vtruth_total(&p->truth).cycles;
	size_t n;
	const struct pt_function *f = pt_program_functions(p->program, &n);

	for (size_t i = 0; i < n; i++) {
		const struct pt_profile_function *row = profile->by_id[i + 1];
		uint64_t end = f[i].address + f[i].size;
		struct pt_vtruth_at truth = pt_vtruth_sum(&p->truth, (uint32_t)f[i].address, (uint32_t)end);

		see(arg, i + 1, f[i].name, row != NULL ? row->share : profile->unseen, (double)truth.cycles / all);
	}
}

/* --- the firmware's own counters ---------------------------------------------------------------------------------- */

bool inline_counter(const struct inline_profile *p, uint64_t entry, uint32_t *calls)
{
	uint64_t functions, counters, size;
	uint32_t at;

	if (p->chip == NULL || !pt_program_symbol(p->program, "g_call_function", &functions, &size) ||
	    !pt_program_symbol(p->program, "g_calls", &counters, &size))
		return false;
	for (uint32_t i = 0; i < MAX_COUNTERS; i++) {
		at = pt_kl27_peek(p->chip, (uint32_t)functions + 4 * i) & ~1u;
		if (at == 0)
			return false;
		if (at == entry) {
			*calls = pt_kl27_peek(p->chip, (uint32_t)counters + 4 * i);
			return true;
		}
	}
	return false;
}
