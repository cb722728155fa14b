/* The same profile twice, of one half of the looks each: what a source recorded in one go, as a burst, a snapshot or a batch
 * of samples. Which half a look goes to is by chance, so both are of the same stretch of time and answer the same
 * questions, independently: they differ by no more than their errors explain (report/laws, 6). In the other half a look is
 * time that was not observed. Pure; one thread at a time. */
#ifndef PT_PIPELINE_HALVES_H
#define PT_PIPELINE_HALVES_H

#include "pipeline/pipeline.h"

enum { PT_HALVES = 2, PT_HALVES_SOURCES = 64 };

struct pt_halves {
	struct pt_pipeline *pipeline[PT_HALVES];
	struct pt_half_source { uint64_t n_looks; bool in_look; unsigned half; } source[PT_HALVES_SOURCES];
};

/* As pt_pipeline_new(); after an error nothing is left. */
int pt_halves_init(struct pt_halves *halves, struct pt_program *program, const struct pt_params *settings,
		   struct pt_err *err);
void pt_halves_fini(struct pt_halves *halves);	/* also of all zero */
void pt_halves_feed(struct pt_halves *halves, const struct pt_chunk *chunk);

#endif
