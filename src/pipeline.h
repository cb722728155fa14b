/* From chunks to a profile: decoder, flow, merge, analyses in a row. Pure: no thread, clock or I/O, so live and
 * capture file give the same report byte for byte. The analyst owns one when live; a verb does for a file. */
#ifndef PT_PIPELINE_H
#define PT_PIPELINE_H

#include "error.h"
#include "params.h"
#include "program/program.h"
#include "trace/chunk.h"

struct pt_pipeline;
struct pt_profile;	/* profile/profile.h: the subject of the views */

extern const struct pt_param pt_pipeline_params[];	/* analysis, functions, clock, core-clock, timing keys, ... */
extern const size_t pt_n_pipeline_params;

/* program may be NULL: addresses instead of names. Holds a reference. */
struct pt_pipeline *pt_pipeline_new(struct pt_program *program, const struct pt_params *settings, struct pt_err *err);
void pt_pipeline_free(struct pt_pipeline *pipeline);

void pt_pipeline_feed(struct pt_pipeline *pipeline, const struct pt_chunk *chunk);	/* never fails: what cannot be is a gap */

/* The statistics up to the last chunk. Valid until the next feed. A profile that is still running has its open
 * intervals counted as partial, without changing the pipeline's state. */
const struct pt_profile *pt_pipeline_profile(struct pt_pipeline *pipeline);

#endif
