/* The cores of a profile, and which source makes the figures of which. Each core has a shadow stack, a clock and
 * shares of its own. Of several sources that show what one core ran, the first to be opened is used; the runs of the
 * others are counted, and go nowhere: each of them would count again what the first has shown. */
#include <stdlib.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"

static void take_steps(void *arg, const struct pt_step *step, size_t n)
{
	pt_chosen_steps(arg, step, n);
}

static void tell_steps(struct pt_pipeline *p, struct pt_traced *traced)
{
	struct pt_step_sink sink = { p->wants_steps ? take_steps : NULL, p };

	pt_execution_steps(traced->execution, &sink, traced->core);
}

void pt_traced_steps(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_traced; i++)
		if (p->traced[i].flow != NULL)
			tell_steps(p, &p->traced[i]);
}

/* --- life */

static void fini(struct pt_traced *traced)
{
	pt_execution_free(traced->execution);
	pt_windows_free(traced->windows);
	pt_flat_free(traced->flat);
	free(traced->calibration);
	pt_places_free(traced->by_line);
	pt_places_free(traced->by_insn);
	free(traced->line_of);
	*traced = (struct pt_traced){ 0 };
}

static struct pt_traced *add(struct pt_pipeline *p, uint16_t core)
{
	struct pt_traced *traced = &p->traced[p->n_traced];

	if (p->n_traced == PT_RUN_CORES)
		return NULL;
	*traced = (struct pt_traced){
		.core = core,
		.execution = pt_execution_new(p->functions, p->n_functions, p->map, &p->settings),
		.windows = pt_windows_new(p->n_ids, p->map, &p->settings),
		.flat = pt_flat_new(p->n_ids),
		.calibration = pt_alloc_array(p->n_ids, sizeof(struct pt_calibration)),
	};
	p->n_traced++;
	return traced;
}

void pt_traced_init(struct pt_pipeline *p)
{
	add(p, 0);
}

void pt_traced_fini(struct pt_pipeline *p)
{
	while (p->n_traced > 0)
		fini(&p->traced[--p->n_traced]);
}

/* --- which source */

struct pt_traced *pt_traced_core(struct pt_pipeline *p, uint16_t core)
{
	for (size_t i = 0; i < p->n_traced; i++)
		if (p->traced[i].used && p->traced[i].core == core)
			return &p->traced[i];
	return NULL;
}

/* NULL: its number is too high for those who have state per core. */
static struct pt_traced *place_of(struct pt_pipeline *p, uint16_t core)
{
	struct pt_traced *traced = pt_traced_core(p, core);

	if (traced == NULL && core < PT_RUN_CORES)
		traced = p->traced[0].used ? add(p, core) : &p->traced[0];
	if (traced == NULL)
		return NULL;
	traced->used = true;
	traced->core = core;
	return traced;
}

static bool gives(const struct pt_lane *lane, unsigned what)
{
	return lane->decoder != NULL && (lane->decoder->gives & what) != 0;
}

/* A source that was opened anew may be of another kind, or of another core. */
static void let_go(struct pt_traced *traced)
{
	struct pt_lane *flow = traced->flow, *samples = traced->samples;

	if (flow != NULL && (!gives(flow, PT_GIVES_FLOW) || flow->core != traced->core)) {
		flow->flows_into = NULL;
		traced->flow = NULL;
	}
	if (samples != NULL && (!gives(samples, PT_GIVES_SAMPLES) || samples->core != traced->core)) {
		samples->samples_into = NULL;
		traced->samples = NULL;
	}
}

static void take_flow(struct pt_pipeline *p, struct pt_lane *lane, struct pt_traced *traced)
{
	lane->facts.ignored = PT_SOURCE_USED;
	if (traced == NULL) {
		lane->facts.ignored = PT_SOURCE_NO_ROOM;
	} else if (traced->flow == NULL) {
		traced->flow = lane;
		lane->flows_into = traced;
		tell_steps(p, traced);
	} else if (traced->flow != lane && !lane->data_only) {
		lane->facts.ignored = PT_SOURCE_SECOND;
		lane->facts.instead = traced->flow->index;
	}
}

void pt_traced_choose(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_traced; i++)
		let_go(&p->traced[i]);
	for (size_t i = 0; i < p->n_lanes; i++) {
		struct pt_lane *lane = p->lane[i];
		struct pt_traced *traced;

		if (!gives(lane, PT_GIVES_FLOW | PT_GIVES_SAMPLES))
			continue;
		traced = place_of(p, lane->core);
		if (gives(lane, PT_GIVES_FLOW))
			take_flow(p, lane, traced);
		if (gives(lane, PT_GIVES_SAMPLES) && traced != NULL && traced->samples == NULL) {
			traced->samples = lane;
			lane->samples_into = traced;
		}
	}
}
