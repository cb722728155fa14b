/* From chunks to a profile: decoder, flow, merge, analyses in a row. Pure: no thread, clock or I/O, so live and
 * capture file give the same report byte for byte. The analysis thread owns one when live; a subcommand does for a file.
 * Each source that a CONFIG chunk opens has its own source context; a profile may have several (PT_SOURCE_CTXS, pipeline_parts.h). */
#ifndef PT_PIPELINE_H
#define PT_PIPELINE_H

#include "base/error.h"
#include "base/params.h"
#include "program/model/program.h"
#include "trace/chunk.h"

struct pt_pipeline;
struct pt_profile;	/* profile/result/profile.h: the subject of the views */

/* Its settings: its own (analysis, functions, clock, core-clock, timing keys, ...) and those of all analyses. NULL
 * behind the last. */
const struct pt_param *pt_pipeline_param(size_t i);
bool pt_pipeline_knows(const char *word);	/* the key of "key=value" is one of them */
int pt_pipeline_add(struct pt_params *params, const char *word, struct pt_err *err);	/* as pt_params_add() */
uint64_t pt_pipeline_core_hz(const struct pt_params *params);	/* core-clock=; 0: not given, or to be measured */
bool pt_pipeline_measures(const struct pt_params *params);	/* core-clock=measure */

/* program may be NULL: addresses instead of names. Holds a reference. */
struct pt_pipeline *pt_pipeline_new(struct pt_program *program, const struct pt_params *settings, struct pt_err *err);
void pt_pipeline_free(struct pt_pipeline *pipeline);

/* The program is read as code of the instruction set of this name (isa.h), as its target said, unless the ELF itself
 * decides that or this version has none of the name. An ELF for a core with a cycle model that ran on another, without
 * one, decides nothing: times are in instructions then.
 * Before the first chunk; CONFIG may say it, too (isa=). */
void pt_pipeline_set_isa(struct pt_pipeline *pipeline, const char *name);

/* What its words name: variables, messages, lines. As long as the pipeline. */
const struct pt_signal_set *pt_pipeline_follows(const struct pt_pipeline *pipeline);

/* From now on keep the branch history (profile/analyses/calls/history.h), too. Again: nothing happens. */
int pt_pipeline_record(struct pt_pipeline *pipeline, struct pt_err *err);

/* From now on check these rules, "limits=RULES", in place of any others; rules about each invocation
 * look at those that end from here on, all others at the whole profile. PT_EARG: a rule makes no sense
 * for the program; nothing has changed. */
int pt_pipeline_set_limits(struct pt_pipeline *pipeline, const char *word, struct pt_err *err);

void pt_pipeline_feed(struct pt_pipeline *pipeline, const struct pt_chunk *chunk);	/* what cannot be is a gap */

/* There was more, which could not be read: nothing is complete any more. */
void pt_pipeline_cut(struct pt_pipeline *pipeline);

/* No more will come. If there was no END, it is not known what came after the last chunk: rules on all
 * that ran are undecided. */
void pt_pipeline_over(struct pt_pipeline *pipeline);

/* The statistics up to the last chunk. Valid until the next feed. A profile that is still running has its open
 * intervals counted as partial, without changing the pipeline's state. */
const struct pt_profile *pt_pipeline_profile(struct pt_pipeline *pipeline);

#endif
