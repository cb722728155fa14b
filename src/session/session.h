/* A session: the profile of one board. The only place where the hardware wing (board, target, source) and the pure wing
 * (pipeline, report) meet. Loop thread; answers come by callbacks on the loop thread, in order. */
#ifndef PT_SESSION_H
#define PT_SESSION_H

#include "board/board.h"
#include "program/model/program.h"
#include "report/shared/branches.h"
#include "base/error.h"
#include "report/table/query.h"

struct pt_chunk;
struct pt_profile;
struct pt_text;
struct pt_session;

enum pt_session_state { PT_SESSION_IDLE, PT_SESSION_STARTING, PT_SESSION_RUNNING, PT_SESSION_STOPPING };

/* Called once per request. text: the answer, or further information for the user; may be "". */
typedef void (*pt_session_reply)(void *arg, int rc, const char *text, size_t len_bytes);

struct pt_session *pt_session_new(struct pt_board *board, uv_loop_t *loop);
struct pt_board *pt_session_board(const struct pt_session *session);
/* A second session on the same board, with the same default settings and symbols, for use while the first has no
 * profile. */
struct pt_session *pt_session_beside(const struct pt_session *session);
/* Also passes each chunk of profiles that start from now on to take(), in order: pt_chunk_tap (analysis_thread.h). take
 * is called on a thread of the profile's, until the session is closed. */
void pt_session_set_tap(struct pt_session *session, void (*take)(void *arg, const struct pt_chunk *chunk), void *arg);
/* Settings that each start gets before its own ("core-clock=48M", "mtb-ram=..."). Copied. */
void pt_session_set_standing(struct pt_session *session, const char *const *words, size_t n_words);
/* Timing rules, "limits=RULES" (limits_file.h), for each later profile, before its own settings; a running profile is
 * checked from now on. Copied. NULL: removes all rules. PT_EARG: a rule does not fit the running profile's program;
 * nothing has changed. */
void pt_session_set_limits(struct pt_session *session, const char *word, pt_session_reply reply, void *arg);
/* The same for the tasks of an OS, "orti=TEXT" (pt_orti_word()). */
void pt_session_set_orti(struct pt_session *session, const char *word);
/* The top=N of a profile's start is kept for reports, and put into each query that has none. */
void pt_session_set_top(struct pt_session *session, const struct pt_query *query);
void pt_session_default_top(const struct pt_session *session, struct pt_query *query);
/* Stops a running profile, before its board closes. All users must have gone; pending requests are answered. */
void pt_session_close(struct pt_session *session, void (*on_closed)(void *arg), void *arg);

/* Sets the symbols; takes a reference. NULL removes them. Refused while a profile with symbols runs. If the last
 * profile has none, its trace is decoded again as soon as it has stopped (late_symbols.c). */
int pt_session_set_program(struct pt_session *session, struct pt_program *program, struct pt_err *err);
struct pt_program *pt_session_program(struct pt_session *session);	/* or NULL; no reference */

/* The settings of every start, besides those of its source and its analyses; NULL: i is behind the last. */
const struct pt_param *pt_session_param(size_t i);

/* words: "source=mtb", "mode=burst", "analysis=..."; each is checked. Replies when the source is armed, or with the
 * reason why it is not. */
void pt_session_start(struct pt_session *session, const char *const *words, size_t n_words, pt_session_reply reply,
		      void *arg);
/* A start stops waiting for its file's disk: with capture= it fails with PT_EINTERRUPTED, otherwise it goes on without
 * the temporary file. */
void pt_session_cancel_start(struct pt_session *session);
/* Replies after the analysis thread has processed END. If the profile had ended by itself that is no error: the text
 * gives the reason. */
void pt_session_stop(struct pt_session *session, pt_session_reply reply, void *arg);
/* Why the last profile ended by itself (probe gone, power lost, firmware uses the trace unit); "": it did not. */
const char *pt_session_why_ended(const struct pt_session *session);
void pt_session_reset(struct pt_session *session, pt_session_reply reply, void *arg);	/* statistics start anew */
void pt_session_status(struct pt_session *session, pt_session_reply reply, void *arg);
void pt_session_report(struct pt_session *session, const struct pt_query *query, pt_session_reply reply, void *arg);
/* Replies with what visit() makes of the running or the last profile, on its analysis thread
 * (pt_analysis_thread_visit()). PT_ESTATE: there is no profile. */
void pt_session_visit(struct pt_session *session,
		      int (*visit)(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err),
		      pt_session_reply reply, void *arg);
/* Begins a window: separate statistics from now on, beside those of the running profile, which do not change. analyses:
 * the window's analyses besides execution ("tree,lines"). Returns its number, for one call of pt_session_end_window();
 * 0: no window. PT_ESTATE: no profile is running. */
uint64_t pt_session_begin_window(struct pt_session *session, const char *analyses, struct pt_err *err);
/* Ends a window, and replies with a report of it alone, up to now or to the end of its profile. PT_ESTATE: another
 * profile has begun since. query and reply NULL: drops the window. */
void pt_session_end_window(struct pt_session *session, uint64_t window, const struct pt_query *query,
			   pt_session_reply reply, void *arg);
/* Increases with each start and each reset: figures with different numbers must not be compared or continued. */
uint64_t pt_session_number(const struct pt_session *session);
/* the sources of this chip, and why some do not work */
void pt_session_sources(struct pt_session *session, pt_session_reply reply, void *arg);
/* Saves the raw trace of the running or last profile so far as a capture file for `proftap decode`. Copies the file of
 * capture=, else the temporary one (spool=). path: on this host; pt_capture_save() says what is replaced, and the
 * errors. PT_ESTATE: there is no trace. */
void pt_session_save(struct pt_session *session, const char *path, bool replace, pt_session_reply reply, void *arg);
/* One line about the file of capture=; "" without one. False: the file is incomplete. Call it after a stop. */
bool pt_session_captured(const struct pt_session *session, char *line, size_t size);
/* Keeps the branch history from now on, in the running profile, for a debugger that steps back in time; a refusal gives
 * the reason. It ends with the profile. */
void pt_session_record(struct pt_session *session, pt_session_reply reply, void *arg);
bool pt_session_records(const struct pt_session *session);	/* a profile runs and keeps the history */
/* As pt_analysis_thread_history(), after the source has passed on all that it recorded up to the present halt. */
void pt_session_history(struct pt_session *session, uint16_t core, uint64_t since, uint64_t pc, pt_session_reply reply,
			void *arg);
void pt_session_branches(struct pt_session *session, enum pt_branches how, uint16_t core, size_t top,
			 pt_session_reply reply, void *arg);
/* Replies when for_ns of time in which the core was not held have been profiled (probe's clock), or the profile has
 * ended. for_ns 0: the time given by "for=TIME" at the start, counted from there. After that the source rests, so that
 * time on a virtual clock stops; call stop next. */
void pt_session_wait(struct pt_session *session, uint64_t for_ns, pt_session_reply reply, void *arg);
void pt_session_cancel_wait(struct pt_session *session);

/* Writes a variable that the profile follows, by its name, while the program runs; the timeline shows the write. value:
 * a number or an enumerator. PT_EARG: it is not followed, or the value does not fit. */
void pt_session_write(struct pt_session *session, const char *name, const char *value, pt_session_reply reply,
		      void *arg);

enum pt_session_state pt_session_get_state(const struct pt_session *session);
/* Share of trace bytes lost to faults, 0..1, of the last profile; for --max-loss. */
double pt_session_loss(const struct pt_session *session);
/* The number of timing rules that the last profile violated, and of those that it could not decide. */
void pt_session_limits(const struct pt_session *session, size_t *failed, size_t *undecided);

#endif
