/* Shared by the board's own files: board.c is the loop thread's side, thread.c the scheduler, core.c the run control,
 * notes.c carries reports to the loop. */
#ifndef PT_BOARD_PARTS_H
#define PT_BOARD_PARTS_H

#include "board/board.h"
#include "base/text.h"
#include "board/host.h"

enum {
	PT_BOARD_CORES = 8,
	PT_BOARD_LOOK_US = 2000,	/* first poll of a running core; then less and less often */
	PT_BOARD_ALIVE_MS = 250,	/* interval of checks that the probe is present, when nothing else uses it */
	PT_BOARD_TEXT_BYTES = sizeof(((struct pt_err *)NULL)->msg),
};

enum pt_board_note_kind { NOTE_JOB, NOTE_STATE, NOTE_STOP, NOTE_RUN, NOTE_RESET, NOTE_CONSOLE, NOTE_CHANGE, NOTE_ENDED };

struct pt_board_note {
	struct pt_board_note *next;
	enum pt_board_note_kind kind;
	unsigned core;
	struct pt_job *job;
	struct pt_core_status status;
	enum pt_board_state state;
	int code;			/* error that led to the state; or 0 */
	char text[PT_BOARD_TEXT_BYTES];	/* reason for the state; or text for the console */
};

struct pt_board_lane { struct pt_job *head, **tail; };

struct pt_board {
	/* the loop's */
	uv_loop_t *loop;
	uv_async_t async;
	uv_thread_t thread;
	struct pt_board_listener *listeners;
	enum pt_board_state state;
	int code;			/* error that led to it; or 0 */
	char why[PT_BOARD_TEXT_BYTES];
	struct pt_core_status told[PT_BOARD_CORES];
	void (*on_closed)(void *arg);
	void *on_closed_arg;

	/* shared, under lock */
	uv_mutex_t lock;
	uv_cond_t job_or_quit, at_end;
	bool ended;		/* the board thread has restored the target and ended */
	unsigned refs;
	struct pt_board_lane urgent, normal;
	struct pt_board_note *notes, **notes_tail;
	struct pt_probe *probe;		/* so that it can be interrupted; NULL while closed */
	bool changed;			/* USB devices came or went since the thread checked */
	uint64_t changed_ns;		/* time of the last such change, on the host's clock; 0: none */
	bool busy, quit;		/* busy: no job may interrupt the present work */

	/* the thread's */
	char *name, *target_name, *uri[PT_BOARD_PROBES];
	size_t n_uris;
	struct pt_params *settings;
	bool reopen;
	uint64_t reopen_at_ns;		/* on the host's clock */
	uint32_t mute_ms;		/* wait after the last attempt, if the device did not answer; else 0 */
	struct pt_probe_watch *watch;	/* NULL: not needed yet, or the system has no such events */
	bool watched;			/* an attempt was made to create it */
	char last_why[PT_BOARD_TEXT_BYTES];	/* why the last open failed; reported once */
	struct pt_target *target;
	struct pt_link *link;
	struct pt_kept *kept;		/* the file of pending restores; NULL: none for this probe */
	bool keep_failed;		/* and this was reported */
	struct pt_text put_back;	/* what was restored since the board opened, one line each */
	bool stays_noted;		/* not all of it could be restored */
	struct pt_board_drain drain;
	struct pt_core_status core[PT_BOARD_CORES];
	uint64_t stood_at[PT_BOARD_CORES];	/* pc of a halted core, as reported to the source; else PT_UNKNOWN */
	/* awaited: a client resumed the core and waits for its halt */
	bool virtual_clock, locked, ran_when_found, resting, awaited;
	bool at_reset;			/* the first core was held at reset, and has executed nothing since */
	bool halt_owed;			/* report the halt to the source after the client has its answer */
	unsigned halt_owed_core;
	unsigned resume_owed;		/* bit per core: to be resumed when the drain has caught up */
	bool leave_owed;		/* then call the target's leave() */
	struct pt_host host;
	char console[200];		/* a line of the program's output, so far incomplete */
	size_t console_bytes;
	uint64_t drain_at_ns, look_at_ns, heard_ns;	/* heard: when the target last answered */
	bool look_gave_way;		/* the last poll that was due was postponed for a job */
	unsigned n_cuts;		/* how many drain steps in a row jobs have cut short, since: */
	uint64_t cut_since_ns;
	uint32_t look_us;
};

/* In core.c: reads the pc of halted cores, for a source that starts. */
void pt_board_find_stood(struct pt_board *board);
/* In notes.c: sends a note to the loop. Board thread. */
void pt_board_send(struct pt_board *board, const struct pt_board_note *note);	/* copied */
void pt_board_tell_state(struct pt_board *board, enum pt_board_state state, int code, const char *why);
/* Returns all notes since the last call, in order, to be freed. Loop. */
struct pt_board_note *pt_board_take_notes(struct pt_board *board);

/* thread.c: runs until quit, then sends NOTE_ENDED. */
void pt_board_thread(void *board);

/* In reopen.c. Board thread. Call it after each attempt to open. A probe that is lost later is searched for at once.
 * opened: 0 or the error; PT_EIO: no matching probe is plugged in; PT_ETIMEOUT: it does not answer. */
void pt_board_reopen_later(struct pt_board *board, int opened);
/* false: in wait_ms, or after a change of USB devices */
bool pt_board_reopen_is_due(struct pt_board *board, uint32_t *wait_ms);
void pt_board_reopen_end(struct pt_board *board);

/* In core.c. Board thread, with a target. */
int pt_board_see_cores(struct pt_board *board, struct pt_err *err);	/* at attach: reads whether they run */
int pt_board_look(struct pt_board *board, struct pt_err *err);	/* polls all cores; PT_EIO: the target is lost */
bool pt_board_all_halted(const struct pt_board *board);
void pt_board_heard(struct pt_board *board);			/* the target answered */
/* Resumes cores that are due, unless the drain is behind. PT_EIO: the target is lost. */
int pt_board_pay_resume(struct pt_board *board, struct pt_err *err);
bool pt_board_behind(const struct pt_board *board);
void pt_board_tell_source(struct pt_board *board, unsigned core, enum pt_state what);
/* Resumes a core that halted for a reason that clients do not see. */
int pt_board_go_on(struct pt_board *board, unsigned core, struct pt_err *err);
/* A client heard of a halt before the source did: reports it to the source. */
void pt_board_tell_owed(struct pt_board *board);

/* In pending.c: restores what an earlier process left, and keeps what this one will have to restore. Board thread, with
 * a target that is not locked; call it before anything else uses the target. PT_EIO: the target is lost. */
int pt_board_keep_pending(struct pt_board *board, struct pt_err *err);
/* Call it before and after the target's detach. */
struct pt_pending *pt_board_take_pending(struct pt_board *board);
void pt_board_end_pending(struct pt_board *board, struct pt_pending *pending);

/* In host_calls.c: a core has just halted. 1: for a request, which was served, and it runs again; 0: the halt is for
 * clients. */
void pt_board_host_begin(struct pt_board *board);	/* at attach: enables it if the settings say so */
int pt_board_host_halted(struct pt_board *board, unsigned core, const struct pt_core_status *now, struct pt_err *err);

#endif
