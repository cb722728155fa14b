/* Two profiles of one recording, each made of a random half of the looks. A look is what a source recorded in one go: a
 * burst, a snapshot or a batch of samples. Both halves cover the same stretch of time and answer the same questions
 * independently, so they may differ by no more than their errors allow (report/laws, 6). For the other half, the time
 * of a look counts as unobserved. Pure; one thread at a time. */
#ifndef PT_PIPELINE_HALVES_H
#define PT_PIPELINE_HALVES_H

#include "pipeline/pipeline.h"

enum { PT_HALVES = 2, PT_HALVES_SOURCES = 64 };

struct pt_halves {
	struct pt_pipeline *pipeline[PT_HALVES];
	struct pt_half_source { uint64_t n_looks; bool in_look; unsigned half; } source[PT_HALVES_SOURCES];
};

/* As pt_pipeline_new(); after an error there is nothing to free. */
int pt_halves_init(struct pt_halves *halves, struct pt_program *program, const struct pt_params *settings,
		   struct pt_err *err);
void pt_halves_fini(struct pt_halves *halves);	/* all zero is fine, too */
void pt_halves_feed(struct pt_halves *halves, const struct pt_chunk *chunk);

#endif
