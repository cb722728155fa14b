/* The analysis thread: the thread that turns a profile's chunks into statistics while the board thread goes on collecting, and
 * renders reports between two chunks. Owns its pipeline; the queue is shared with the board thread. */
#ifndef PT_ANALYST_H
#define PT_ANALYST_H

#include <uv.h>

#include "capture/write.h"
#include "pipeline/pipeline.h"
#include "session/acquire/queue.h"
#include "report/shared/branches.h"
#include "base/text.h"
#include "report/table/query.h"

struct pt_analysis_thread;

/* Loop thread. A rendered report, or an error and its sentence as text. */
typedef void (*pt_analysis_thread_reply)(void *arg, int rc, const char *text, size_t len_bytes);

/* Who else gets each chunk, in order, on the analysis thread, before it is decoded. take NULL: nobody. */
struct pt_chunk_tap { void (*take)(void *arg, const struct pt_chunk *chunk); void *arg; };

/* Takes the pipeline over, also on failure. capture: each chunk is put there before it is decoded; the caller's, NULL:
 * none. tap: copied. on_end: the END chunk of the source has been passed, and the capture is safe on the disk; loop thread. NULL: no
 * thread can be started; the sentence says why. */
struct pt_analysis_thread *pt_analysis_thread_new(uv_loop_t *loop, struct pt_queue *queue, struct pt_pipeline *pipeline,
						  struct pt_capture *capture, const struct pt_chunk_tap *tap,
						  void (*on_end)(void *arg), void *arg, struct pt_err *err);
/* Answers what was asked, ends the thread, frees itself and the pipeline; then on_closed. The queue stays. */
void pt_analysis_thread_close(struct pt_analysis_thread *analysis, void (*on_closed)(void *arg), void *arg);

/* Loop thread, both. */
void pt_analysis_thread_report(struct pt_analysis_thread *analysis, const struct pt_query *query,
			       pt_analysis_thread_reply reply, void *arg);
/* The same for what visit() makes of the profile between two chunks, on the analysis thread: figures for another part of the
 * program, in place of a report. */
typedef int pt_visit_fn(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err);
void pt_analysis_thread_visit(struct pt_analysis_thread *analysis, pt_visit_fn *visit, pt_analysis_thread_reply reply,
			      void *arg);
/* Keep the branch history from now on (profile/analyses/calls/history.h), also when statistics start anew. */
void pt_analysis_thread_record(struct pt_analysis_thread *analysis);
/* Blocks of the runs from number `since` on, up to pc, once every chunk that is in the queue by now has been seen.
 * The reply's text is a struct pt_history_answer and its blocks, PT_HISTORY_RUNS at most. PT_ESTATE: nothing is
 * recorded. */
void pt_analysis_thread_history(struct pt_analysis_thread *analysis, uint16_t core, uint64_t since, uint64_t pc,
				pt_analysis_thread_reply reply, void *arg);
/* The same as text (report/shared/branches.h). */
void pt_analysis_thread_branches(struct pt_analysis_thread *analysis, enum pt_branches how, uint16_t core, size_t top,
				 pt_analysis_thread_reply reply, void *arg);
/* Statistics start anew with the next chunk: replaces the pipeline, takes the new one over. */
void pt_analysis_thread_restart(struct pt_analysis_thread *analysis, struct pt_pipeline *pipeline);
/* The same profile in another light: the pipeline has had every chunk up to END already, which has been passed. */
void pt_analysis_thread_replace(struct pt_analysis_thread *analysis, struct pt_pipeline *pipeline);
/* From the next chunk on, check these rules: pt_pipeline_set_limits(). Loop thread; the reply has no text but an
 * error's. */
void pt_analysis_thread_set_limits(struct pt_analysis_thread *analysis, const char *word,
				   pt_analysis_thread_reply reply, void *arg);
/* Share of trace bytes lost to faults so far, 0..1. Any thread. */
double pt_analysis_thread_loss(const struct pt_analysis_thread *analysis);
/* How many timing rules were violated, and how many the data could not decide, when END was passed. Any thread. */
void pt_analysis_thread_limits(const struct pt_analysis_thread *analysis, size_t *failed, size_t *undecided);

#endif
