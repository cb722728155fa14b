/* Internals of a session, for its own files alone. Loop thread, unless a comment says otherwise. */
#ifndef PT_SESSION_PARTS_H
#define PT_SESSION_PARTS_H

#include "session/analysis_thread.h"
#include "session/acquire/acquisition.h"
#include "session/acquire/queue.h"
#include "profile/flow/signals.h"
#include "report/report.h"
#include "session/session.h"
#include "base/util.h"

enum { POOL_CHUNKS = 512, SAY_BYTES = 2048 };	/* 8 MiB at most between board and analysis thread */

struct recording {
	struct pt_session *session;
	struct pt_queue *queue;
	struct pt_pipeline *pipeline;	/* until the analysis thread owns it */
	struct pt_analysis_thread *analysis;	/* NULL: not open yet, or opening failed */
	struct pt_live *live;
	struct pt_params *settings;	/* those of the pipeline, for a restart */
	struct pt_params *capturing;	/* settings of the capture */
	struct pt_capture *capture;	/* the user's file, or the temporary one; NULL: neither */
	struct pt_program *program;
	struct pt_signal_definition *followed;	/* n_followed variables in memory; owns their names; no tasks */
	size_t n_followed;
	char **rest;			/* the settings for the source */
	size_t n_rest;
	bool named_later;		/* its trace was decoded again for symbols that came later; happens once */
	struct pt_errand *opening;	/* opens the capture's file; NULL: not in progress */
	bool cancelled;
	void (*opened)(void *arg, const struct pt_err *err);
	void *opened_arg;
	bool records;			/* a branch history is kept */
	uint64_t first_window;		/* of its own windows; 0: it has had none */
	bool end_passed;		/* the analysis thread has processed END */
	bool source_ended;		/* the board thread has finished */
	bool rests;			/* the time is over, and no request waited for that */
	struct pt_err stop_err;		/* error of the stop; code 0: none, or the source had ended by itself */
	const char *ended;		/* when it is over: why it ended by itself, "": it did not. The acquisition owns
					 * the text */
	bool time_up, dead;		/* set by the board thread, under the session's lock */
};

struct waiter { pt_session_reply reply; void *arg; };

struct pt_session {
	struct pt_board *board;
	uv_loop_t *loop;
	uv_async_t news;
	struct pt_board_listener listener;
	struct pt_program *program;
	struct pt_chunk_tap tap;
	char **standing;		/* settings of the command line, for every start */
	size_t n_standing;
	uint32_t top;			/* rows of a report, from the start of the profile; ... */
	bool top_given;			/* ... if it was given there */
	char *limits, *orti;		/* timing rules and tasks that a user has set; or NULL */

	struct naming *naming;		/* questions.c: a trace is being decoded again; NULL: not in progress */

	enum pt_session_state state;
	uint64_t number;		/* pt_session_number() */
	uint64_t window;		/* the last that has begun */
	struct recording *recording;		/* NULL: nothing has been profiled */
	struct recording *opening;		/* the next one, while its file is opened */
	struct waiter stopper, timer;	/* reply NULL: no request waits */

	uv_mutex_t lock;

	void (*on_closed)(void *arg);
	void *closed_arg;
	bool close_wanted;
	unsigned closing;		/* handles and recordings that must be closed first */
};

struct request {
	struct pt_job job;
	struct pt_session *session;
	struct recording *recording;
	struct waiter waiter;
	bool proves;			/* a stop: rules depend on the chip's holding the program */
	uint64_t for_ns;
	uint64_t addr;			/* for a write */
	uint8_t bytes[8];
	uint32_t len_bytes;
	uint64_t since, pc;		/* for the branch history */
	uint16_t core;			/* whose */
	enum pt_branches branches;	/* for the history as text */
	size_t top;
	char say[SAY_BYTES];
	struct pt_text text;		/* used for sources, instead of say */
};

/* --- session.c */

void pt_session_answer(struct waiter *waiter, int rc, const char *text);	/* if a request waits; once */
/* freed by its done() */
struct request *pt_session_request(struct pt_session *session, pt_session_reply reply, void *arg);
int pt_session_need_target(const struct pt_target *target, struct pt_err *err);
void pt_session_go_on_closing(struct pt_session *session);	/* when nothing runs any more */
void pt_session_end(struct pt_session *session);		/* when nothing is left that must be closed first */

/* --- recording.c */

/* words as in pt_session_start(). Call pt_recording_open() next. NULL with err. */
struct recording *pt_recording_make(struct pt_session *session, const char *const *words, size_t n_words,
				    struct pt_err *err);
/* Opens the capture file, not on the loop thread, and then starts the analysis thread; calls opened() once, before it
 * returns if there is no file. err->code < 0: close the recording. */
void pt_recording_open(struct recording *recording, void (*opened)(void *arg, const struct pt_err *err), void *arg);
/* while it is being opened: opened() is called */
void pt_recording_cancel(struct recording *recording);
void pt_recording_close(struct recording *recording);				/* in the background; NULL is fine */
/* text: one line about the user's file, or "" */
void pt_recording_tell_capture(const struct recording *recording, char *line, size_t size);

/* --- followed.c */

void pt_recording_follow(struct recording *recording, const struct pt_signal_set *set);
void pt_recording_unfollow(struct recording *recording);
/* NULL with err: no such variable is followed. */
const struct pt_signal_definition *pt_recording_followed(const struct recording *recording, const char *name,
							 struct pt_err *err);

/* --- run.c */

extern const char pt_session_closed[];				/* text of the refusal when closed */
void pt_session_on_news(uv_async_t *async);
/* if END has been processed and the board thread is done */
void pt_session_finish_stop(struct pt_session *session);
void pt_session_post_stop(struct pt_session *session);
/* done() of jobs whose answer is in say */
void pt_session_say_done(struct pt_job *job, int rc, const struct pt_err *err);
void pt_session_record_on(struct pt_session *session);
bool pt_session_refused(struct pt_session *session, enum pt_session_state want, pt_session_reply reply, void *arg);

#endif
