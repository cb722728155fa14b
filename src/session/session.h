/* A session: the profile of one board. The only place where the hardware wing (board, target, source) and the pure
 * wing (pipeline, report) meet. Loop thread; answers come through callbacks on the loop thread, in order. */
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

/* Called once per request. text: the answer, or what there is to say besides rc; may be "". */
typedef void (*pt_session_reply)(void *arg, int rc, const char *text, size_t len_bytes);

struct pt_session *pt_session_new(struct pt_board *board, uv_loop_t *loop);
struct pt_board *pt_session_board(const struct pt_session *session);
/* Another one on the same board, with the same standing words and symbols, for the time in which the first profiles
 * nothing. */
struct pt_session *pt_session_beside(const struct pt_session *session);
/* Who else gets each chunk of the profiles that start from now on, in order: pt_chunk_tap (analysis_thread.h). take is called on
 * a thread of the profile's, until the session is closed. */
void pt_session_set_tap(struct pt_session *session, void (*take)(void *arg, const struct pt_chunk *chunk), void *arg);
/* Words that every start gets before its own ("core-clock=48M", "mtb-ram=..."). Copied. */
void pt_session_set_standing(struct pt_session *session, const char *const *words, size_t n_words);
/* Timing rules, "limits=RULES" (limits_file.h), for every profile from the next start on, before its own words; one
 * that runs is checked from here on. Copied. NULL: none any more. PT_EARG: they make no sense for the program of what
 * runs; nothing has changed. */
void pt_session_set_limits(struct pt_session *session, const char *word, pt_session_reply reply, void *arg);
/* The same for the tasks of an OS, "orti=TEXT" (pt_orti_word()). */
void pt_session_set_orti(struct pt_session *session, const char *word);
/* The top=N of a profile's start, for the reports that come and say none: kept, and put into a query that has none. */
void pt_session_set_top(struct pt_session *session, const struct pt_query *query);
void pt_session_default_top(const struct pt_session *session, struct pt_query *query);
/* Stops what runs, before its board closes. The users of the session have gone by now; open requests are answered. */
void pt_session_close(struct pt_session *session, void (*on_closed)(void *arg), void *arg);

/* Symbols: takes a reference. NULL takes them away. Not while a profile runs, unless it has none: then its trace is read
 * again once it has stopped, as it is when symbols come later than that (late_symbols.c). */
int pt_session_set_program(struct pt_session *session, struct pt_program *program, struct pt_err *err);
struct pt_program *pt_session_program(struct pt_session *session);	/* or NULL; no reference */

/* Settings of every start, beside those of its source and its analyses; NULL behind the last. */
const struct pt_param *pt_session_param(size_t i);

/* words: "source=mtb", "mode=burst", "analysis=..."; each is checked. The reply comes when the
 * source is armed, or with the reason why not. */
void pt_session_start(struct pt_session *session, const char *const *words, size_t n_words, pt_session_reply reply,
		      void *arg);
/* A start does not wait for its file's disk any more: one with capture= ends with PT_EINTERRUPTED, any other goes on
 * without the temporary file. */
void pt_session_cancel_start(struct pt_session *session);
/* Answered after the analysis thread has passed END. A profile that had ended by itself is no failure: the text says why it
 * did. */
void pt_session_stop(struct pt_session *session, pt_session_reply reply, void *arg);
/* Why the last profile ended by itself (probe gone, power lost, firmware uses the trace unit); "": it did not. */
const char *pt_session_why_ended(const struct pt_session *session);
void pt_session_reset(struct pt_session *session, pt_session_reply reply, void *arg);	/* statistics start anew */
void pt_session_status(struct pt_session *session, pt_session_reply reply, void *arg);
void pt_session_report(struct pt_session *session, const struct pt_query *query, pt_session_reply reply, void *arg);
/* What visit() makes of the profile, the one that runs or the last one, on its analysis thread (pt_analysis_thread_visit()).
 * PT_ESTATE: there is none. */
void pt_session_visit(struct pt_session *session,
		      int (*visit)(const struct pt_profile *profile, struct pt_text *out, struct pt_err *err),
		      pt_session_reply reply, void *arg);
/* Grows with each profile that starts and with each reset: figures of two numbers are not of one series. */
uint64_t pt_session_number(const struct pt_session *session);
/* what this chip offers, and why not */
void pt_session_sources(struct pt_session *session, pt_session_reply reply, void *arg);
/* The raw trace of the last profile so far, as a capture file that `proftap decode` reads, during a profile as after
 * it. It is copied from the file of capture=, else from a temporary one (spool=). path: on this host; see
 * pt_capture_save() for what is replaced, and for the errors. PT_ESTATE: there is none. */
void pt_session_save(struct pt_session *session, const char *path, bool replace, pt_session_reply reply, void *arg);
/* What became of the file of capture=, one line; "" without one. False: it is not whole. After a stop. */
bool pt_session_captured(const struct pt_session *session, char *line, size_t size);
/* The branch history, for a debugger that goes back in time: keep it from now on, in the profile that runs; the text of
 * a refusal says why. It ends with the profile. */
void pt_session_record(struct pt_session *session, pt_session_reply reply, void *arg);
bool pt_session_records(const struct pt_session *session);	/* a profile runs, and it is kept */
/* As pt_analysis_thread_history(), once the source has told all that it recorded up to the present halt. */
void pt_session_history(struct pt_session *session, uint16_t core, uint64_t since, uint64_t pc, pt_session_reply reply,
			void *arg);
void pt_session_branches(struct pt_session *session, enum pt_branches how, uint16_t core, size_t top,
			 pt_session_reply reply, void *arg);
/* Reply once for_ns of time in which the core was not held have been profiled (probe's clock), or the profile ended.
 * for_ns 0: the time that the word "for=TIME" named at the start, counted from there. The source rests then, so that
 * nothing more happens on a virtual clock; stop comes next. */
void pt_session_wait(struct pt_session *session, uint64_t for_ns, pt_session_reply reply, void *arg);
void pt_session_cancel_wait(struct pt_session *session);

/* Writes a variable that the profile follows, by its name, while the program runs; the timeline has the write. value: a
 * number or an enumerator. PT_EARG: it is not followed, or cannot have that value. */
void pt_session_write(struct pt_session *session, const char *name, const char *value, pt_session_reply reply,
		      void *arg);

enum pt_session_state pt_session_get_state(const struct pt_session *session);
/* Share of trace bytes lost to faults, 0..1, of the last profile; for --max-loss. */
double pt_session_loss(const struct pt_session *session);
/* How many timing rules the last profile violated, and how many it could not decide. */
void pt_session_limits(const struct pt_session *session, size_t *failed, size_t *undecided);

#endif
