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

/* Also gets each chunk, in order, on the analysis thread, before it is decoded. take NULL: no such user. */
struct pt_chunk_tap { void (*take)(void *arg, const struct pt_chunk *chunk); void *arg; };

/* Takes the pipeline over, also on failure. capture: each chunk is put there before it is decoded; the caller's, NULL:
 * none. tap: copied. on_end: the END chunk of the source has been passed, and the capture is safe on the disk; loop thread. NULL: no
 * thread can be started; the sentence says why. */
struct pt_analysis_thread *pt_analysis_thread_new(uv_loop_t *loop, struct pt_queue *queue, struct pt_pipeline *pipeline,
						  struct pt_capture *capture, const struct pt_chunk_tap *tap,
						  void (*on_end)(void *arg), void *arg, struct pt_err *err);
/* Answers pending requests, ends the thread, frees itself and the pipeline; then calls on_closed. Does not free the
 * queue. */
void pt_analysis_thread_close(struct pt_analysis_thread *analysis, void (*on_closed)(void *arg), void *arg);

/* Loop thread, both functions. */
void pt_analysis_thread_report(struct pt_analysis_thread *analysis, const struct pt_query *query,
			       pt_analysis_thread_reply reply, void *arg);
/* As pt_analysis_thread_report(), but visit() makes the answer, from the profile between two chunks, on the analysis
 * thread: for parts of the program that need figures, not a report. */
typedef int pt_visit_fn(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err);
void pt_analysis_thread_visit(struct pt_analysis_thread *analysis, pt_visit_fn *visit, pt_analysis_thread_reply reply,
			      void *arg);
/* Windows: separate statistics for a stretch of the profile (session_windows.h). The caller chooses their numbers, and
 * closes only windows that are open. Takes the pipeline over. The report covers the window alone, up to the last chunk;
 * query NULL: no report. Loop thread. */
void pt_analysis_thread_open_window(struct pt_analysis_thread *analysis, uint64_t window, struct pt_pipeline *pipeline);
void pt_analysis_thread_close_window(struct pt_analysis_thread *analysis, uint64_t window, const struct pt_query *query,
				     pt_analysis_thread_reply reply, void *arg);
/* Keeps the branch history from now on (profile/analyses/calls/history.h), also after a restart of the statistics. */
void pt_analysis_thread_record(struct pt_analysis_thread *analysis);
/* Replies with the blocks of the branch history from number `since` on, up to pc, after all chunks that are in the
 * queue now. The reply's text is a struct pt_history_answer and its blocks, at most PT_HISTORY_RUNS. PT_ESTATE: no
 * history is kept. */
void pt_analysis_thread_history(struct pt_analysis_thread *analysis, uint16_t core, uint64_t since, uint64_t pc,
				pt_analysis_thread_reply reply, void *arg);
/* The same as text (report/shared/branches.h). */
void pt_analysis_thread_branches(struct pt_analysis_thread *analysis, enum pt_branches how, uint16_t core, size_t top,
				 pt_analysis_thread_reply reply, void *arg);
/* Restarts the statistics with the next chunk: replaces the pipeline, and owns the new one. */
void pt_analysis_thread_restart(struct pt_analysis_thread *analysis, struct pt_pipeline *pipeline);
/* Replaces the pipeline after END by one that has been fed the same chunks with other settings or symbols. */
void pt_analysis_thread_replace(struct pt_analysis_thread *analysis, struct pt_pipeline *pipeline);
/* Checks these rules from the next chunk on: pt_pipeline_set_limits(). Loop thread; the reply's text is empty, except
 * for an error. */
void pt_analysis_thread_set_limits(struct pt_analysis_thread *analysis, const char *word,
				   pt_analysis_thread_reply reply, void *arg);
/* Share of trace bytes lost to faults so far, 0..1. Any thread. */
double pt_analysis_thread_loss(const struct pt_analysis_thread *analysis);
/* The number of timing rules that were violated, and of those that the data could not decide, at END. Any thread. */
void pt_analysis_thread_limits(const struct pt_analysis_thread *analysis, size_t *failed, size_t *undecided);

#endif
