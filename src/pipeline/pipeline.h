/* Makes a profile from chunks, through decoder, flow, merge and analyses. Pure: no thread, clock or I/O, so live and
 * capture file give the same report byte for byte. When live the analysis thread owns it; for a file, the subcommand
 * does. Each source that a CONFIG chunk opens has its own source context; a profile may have several (PT_SOURCE_CTXS,
 * pipeline_parts.h). */
#ifndef PT_PIPELINE_H
#define PT_PIPELINE_H

#include "base/error.h"
#include "base/params.h"
#include "program/model/program.h"
#include "trace/chunk.h"

struct pt_pipeline;
struct pt_profile;	/* profile/result/profile.h: the subject of the views */

/* Its settings: those of the pipeline (analysis, functions, clock, core-clock, timing keys, ...), then those of all
 * analyses. NULL: i is behind the last. */
const struct pt_param *pt_pipeline_param(size_t i);
bool pt_pipeline_knows(const char *word);	/* the key of "key=value" is one of them */
int pt_pipeline_add(struct pt_params *params, const char *word, struct pt_err *err);	/* as pt_params_add() */
uint64_t pt_pipeline_core_hz(const struct pt_params *params);	/* core-clock=; 0: not given, or to be measured */
bool pt_pipeline_measures(const struct pt_params *params);	/* core-clock=measure */

/* program may be NULL: addresses instead of names. Holds a reference. */
struct pt_pipeline *pt_pipeline_new(struct pt_program *program, const struct pt_params *settings, struct pt_err *err);
void pt_pipeline_free(struct pt_pipeline *pipeline);

/* Reads the program as code of the instruction set with this name (isa.h), which the target has reported, unless the
 * ELF itself decides that or this version has no such instruction set. If the ELF is for a core with a cycle model, but
 * ran on one without, the ELF does not decide: times are in instructions then. Call it before the first chunk; CONFIG
 * may say it, too (isa=). */
void pt_pipeline_set_isa(struct pt_pipeline *pipeline, const char *name);

/* The signals that its settings define: variables, messages, lines. Valid as long as the pipeline. */
const struct pt_signal_set *pt_pipeline_follows(const struct pt_pipeline *pipeline);

/* From now on keep the branch history (profile/analyses/calls/history.h), too. A second call does nothing. */
int pt_pipeline_record(struct pt_pipeline *pipeline, struct pt_err *err);

/* Before the first chunk: collect what compares the clock of a line with that of the trace, "LINE:FUNCTION", or
 * "LINE:rise->FUNCTION" (profile/analyses/signals/synchronise.h). text outlives
 * the pipeline. PT_EARG: no such function, or it cannot be read. */
int pt_pipeline_synchronise(struct pt_pipeline *pipeline, const char *text, struct pt_err *err);

/* From now on check these rules, "limits=RULES", in place of any others: rules about each invocation look at
 * invocations that end from here on, all others at the whole profile. PT_EARG: a rule does not fit the program; nothing
 * has changed. */
int pt_pipeline_set_limits(struct pt_pipeline *pipeline, const char *word, struct pt_err *err);

/* bytes that cannot be decoded become a gap */
void pt_pipeline_feed(struct pt_pipeline *pipeline, const struct pt_chunk *chunk);

/* The rest of the input could not be read: from now on nothing counts as complete. */
void pt_pipeline_cut(struct pt_pipeline *pipeline);

/* No more chunks will come. If there was no END chunk, what ran after the last chunk is unknown: rules on all
 * executions are undecided. */
void pt_pipeline_over(struct pt_pipeline *pipeline);

/* The statistics up to the last chunk. Valid until the next feed. In a profile that is still running, intervals that
 * are open count as partial; the pipeline's state does not change. */
const struct pt_profile *pt_pipeline_profile(struct pt_pipeline *pipeline);

#endif
