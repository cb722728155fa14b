/* The cores of a profile, and the sources from which their figures come. Each core has a shadow stack, a clock and
 * shares of its own. If several sources show what one core ran, the first to be opened is used. Runs of the others are
 * only counted: they would count the same execution again. */
#include <stdlib.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"

static void take_steps(void *arg, const struct pt_call_event *step, size_t n)
{
	pt_selection_steps(arg, step, n);
}

static void tell_steps(struct pt_pipeline *p, struct pt_core_profile *core_profile)
{
	struct pt_call_sink sink = { p->wants_steps ? take_steps : NULL, p };

	pt_execution_steps(core_profile->execution, &sink, core_profile->core);
}

void pt_core_profile_steps(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_core_profiles; i++)
		if (p->core_profile[i].flow != NULL)
			tell_steps(p, &p->core_profile[i]);
}

/* --- life */

static void fini(struct pt_core_profile *core_profile)
{
	pt_execution_free(core_profile->execution);
	pt_windows_free(core_profile->windows);
	pt_flat_free(core_profile->flat);
	free(core_profile->calibration);
	pt_places_free(core_profile->by_line);
	pt_places_free(core_profile->by_insn);
	pt_preceding_free(core_profile->preceding);
	free(core_profile->line_of);
	*core_profile = (struct pt_core_profile){ 0 };
}

static struct pt_core_profile *add(struct pt_pipeline *p, uint16_t core)
{
	struct pt_core_profile *core_profile = &p->core_profile[p->n_core_profiles];

	if (p->n_core_profiles == PT_RUN_CORES)
		return NULL;
	*core_profile = (struct pt_core_profile){
		.core = core,
		.execution = pt_execution_new(p->functions, p->n_functions, p->map, &p->settings),
		.windows = pt_windows_new(p->n_ids, p->map, &p->settings),
		.flat = pt_flat_new(p->n_ids),
		.calibration = pt_alloc_array(p->n_ids, sizeof(struct pt_calibration)),
	};
	p->n_core_profiles++;
	return core_profile;
}

void pt_core_profile_init(struct pt_pipeline *p)
{
	add(p, 0);
}

void pt_core_profile_fini(struct pt_pipeline *p)
{
	while (p->n_core_profiles > 0)
		fini(&p->core_profile[--p->n_core_profiles]);
}

/* --- which source */

struct pt_core_profile *pt_core_profile_find(struct pt_pipeline *p, uint16_t core)
{
	for (size_t i = 0; i < p->n_core_profiles; i++)
		if (p->core_profile[i].used && p->core_profile[i].core == core)
			return &p->core_profile[i];
	return NULL;
}

/* NULL: the number is too high for state per core. */
static struct pt_core_profile *place_of(struct pt_pipeline *p, uint16_t core)
{
	struct pt_core_profile *core_profile = pt_core_profile_find(p, core);

	if (core_profile == NULL && core < PT_RUN_CORES)
		core_profile = p->core_profile[0].used ? add(p, core) : &p->core_profile[0];
	if (core_profile == NULL)
		return NULL;
	core_profile->used = true;
	core_profile->core = core;
	return core_profile;
}

static bool gives(const struct pt_source_ctx *ctx, unsigned what)
{
	return ctx->decoder != NULL && (ctx->decoder->gives & what) != 0;
}

/* Removes sources that no longer fit: a source that is opened again may be of another kind, or on another core. */
static void let_go(struct pt_core_profile *core_profile)
{
	struct pt_source_ctx *flow = core_profile->flow, *samples = core_profile->samples;

	if (flow != NULL && (!gives(flow, PT_GIVES_FLOW) || flow->core != core_profile->core)) {
		flow->flows_into = NULL;
		core_profile->flow = NULL;
	}
	if (samples != NULL && (!gives(samples, PT_GIVES_SAMPLES) || samples->core != core_profile->core)) {
		samples->samples_into = NULL;
		core_profile->samples = NULL;
	}
}

static void take_flow(struct pt_pipeline *p, struct pt_source_ctx *ctx, struct pt_core_profile *core_profile)
{
	ctx->facts.ignored = PT_SOURCE_USED;
	if (core_profile == NULL) {
		ctx->facts.ignored = PT_SOURCE_NO_ROOM;
	} else if (core_profile->flow == NULL) {
		core_profile->flow = ctx;
		ctx->flows_into = core_profile;
		tell_steps(p, core_profile);
	} else if (core_profile->flow != ctx && !ctx->data_only) {
		ctx->facts.ignored = PT_SOURCE_SECOND;
		ctx->facts.instead = core_profile->flow->index;
	}
}

void pt_core_profile_choose(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_core_profiles; i++)
		let_go(&p->core_profile[i]);
	for (size_t i = 0; i < p->n_ctx; i++) {
		struct pt_source_ctx *ctx = p->ctx[i];
		struct pt_core_profile *core_profile;

		if (!gives(ctx, PT_GIVES_FLOW | PT_GIVES_SAMPLES))
			continue;
		core_profile = place_of(p, ctx->core);
		if (gives(ctx, PT_GIVES_FLOW))
			take_flow(p, ctx, core_profile);
		if (gives(ctx, PT_GIVES_SAMPLES) && core_profile != NULL && core_profile->samples == NULL) {
			core_profile->samples = ctx;
			ctx->samples_into = core_profile;
		}
	}
}
