/* Shared by the files of the board alone: board.c is the loop's side, thread.c the scheduler, core.c what it does to
 * the cores, notes.c the way back. */
#ifndef PT_BOARD_PARTS_H
#define PT_BOARD_PARTS_H

#include "board/board.h"
#include "base/text.h"
#include "board/host.h"

enum {
	PT_BOARD_CORES = 8,
	PT_BOARD_LOOK_US = 2000,	/* the first look at a core that runs; then less and less often */
	PT_BOARD_ALIVE_MS = 250,	/* is the probe still there, while nothing else talks to it */
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
	int code;			/* of the error that led to the state; or 0 */
	char text[PT_BOARD_TEXT_BYTES];	/* why it is in that state; or for the console */
};

struct pt_board_lane { struct pt_job *head, **tail; };

struct pt_board {
	/* the loop's */
	uv_loop_t *loop;
	uv_async_t async;
	uv_thread_t thread;
	struct pt_board_listener *listeners;
	enum pt_board_state state;
	int code;			/* of the error that led to it; or 0 */
	char why[PT_BOARD_TEXT_BYTES];
	struct pt_core_status told[PT_BOARD_CORES];
	void (*on_closed)(void *arg);
	void *on_closed_arg;

	/* shared, under lock */
	uv_mutex_t lock;
	uv_cond_t job_or_quit, at_end;
	bool ended;		/* the thread: the target is put back */
	unsigned refs;
	struct pt_board_lane urgent, normal;
	struct pt_board_note *notes, **notes_tail;
	struct pt_probe *probe;		/* for interrupt; NULL while closed */
	bool changed;			/* on USB, since the thread looked */
	uint64_t changed_ns;		/* when the last change was, on the host's clock; 0: there was none */
	bool busy, quit;		/* busy: what goes on must not be cut short by another job */

	/* the thread's */
	char *name, *target_name, *uri[PT_BOARD_PROBES];
	size_t n_uris;
	struct pt_params *settings;
	bool reopen;
	uint64_t reopen_at_ns;		/* of the host's clock */
	uint32_t mute_ms;		/* waited after the last try, which met silence; 0: it did not */
	struct pt_probe_watch *watch;	/* NULL: not needed yet, or there are no events */
	bool watched;			/* it was tried */
	char last_why[PT_BOARD_TEXT_BYTES];	/* why it did not open; told once */
	struct pt_target *target;
	struct pt_link *link;
	struct pt_kept *kept;		/* what is to be put back, in a file; NULL: of this probe nothing is kept */
	bool keep_failed;		/* and that was said */
	struct pt_text put_back;	/* what was, line by line, since the board is there */
	bool stays_noted;		/* and not all could be */
	struct pt_board_drain drain;
	struct pt_core_status core[PT_BOARD_CORES];
	uint64_t stood_at[PT_BOARD_CORES];	/* pc of a halted core, if the source was told; else PT_UNKNOWN */
	/* awaited: a client resumed the core and wants to hear of its halt */
	bool virtual_clock, locked, ran_when_found, resting, awaited;
	bool at_reset;			/* the first core was reset and held, and has executed nothing since */
	bool halt_owed;			/* the source gets a halt when the client that asked for it has the answer */
	unsigned halt_owed_core;
	unsigned resume_owed;		/* bit per core: told to run, and will when the drain has caught up */
	bool leave_owed;		/* and then no client debugs any more */
	struct pt_host host;
	char console[200];		/* a line of the program's, as far as it has come */
	size_t console_bytes;
	uint64_t drain_at_ns, look_at_ns, heard_ns;	/* heard: the target's last sign of life */
	bool look_gave_way;		/* to a job, the last time it was due */
	unsigned n_cuts;		/* so often in a row jobs have kept a drain step from its end, since: */
	uint64_t cut_since_ns;
	uint32_t look_us;
};

/* core.c: where halted cores stand, for a source that begins to be told. */
void pt_board_find_stood(struct pt_board *board);
/* notes.c: tell the loop. Board thread. */
void pt_board_send(struct pt_board *board, const struct pt_board_note *note);	/* copied */
void pt_board_tell_state(struct pt_board *board, enum pt_board_state state, int code, const char *why);
/* All that were sent since the last time, in order, to be freed. Loop. */
struct pt_board_note *pt_board_take_notes(struct pt_board *board);

/* thread.c: runs until quit, then sends NOTE_ENDED. */
void pt_board_thread(void *board);

/* reopen.c. Board thread. After each try to open: one that is lost later is looked for at once, but not before. opened: 0
 * or the error; PT_EIO: no probe that fits is plugged in; PT_ETIMEOUT: it does not answer. */
void pt_board_reopen_later(struct pt_board *board, int opened);
bool pt_board_reopen_is_due(struct pt_board *board, uint32_t *wait_ms);	/* false: it is in wait_ms, or after a change */
void pt_board_reopen_end(struct pt_board *board);

/* core.c. Board thread, with a target. */
int pt_board_see_cores(struct pt_board *board, struct pt_err *err);	/* the first look: as they were found */
int pt_board_look(struct pt_board *board, struct pt_err *err);	/* at all cores; PT_EIO: the target is lost */
bool pt_board_all_halted(const struct pt_board *board);
void pt_board_heard(struct pt_board *board);			/* the target gave a sign of life */
/* A core that is to run does so, unless the drain is behind: then nothing happens. PT_EIO: the target is lost. */
int pt_board_pay_resume(struct pt_board *board, struct pt_err *err);
bool pt_board_behind(const struct pt_board *board);
void pt_board_tell_source(struct pt_board *board, unsigned core, enum pt_state what);
/* A core that halted for what no client hears of runs on. */
int pt_board_go_on(struct pt_board *board, unsigned core, struct pt_err *err);
void pt_board_tell_owed(struct pt_board *board);		/* the source hears of a halt that was answered first */

/* pending.c: what an earlier process left behind, and what this one would. Board thread, with a target that is not
 * locked; before anything looks at it. PT_EIO: the target is lost. */
int pt_board_keep_pending(struct pt_board *board, struct pt_err *err);
/* Before and behind the target's detach. */
struct pt_pending *pt_board_take_pending(struct pt_board *board);
void pt_board_end_pending(struct pt_board *board, struct pt_pending *pending);

/* host_calls.c: a core that has just halted. 1: it had asked something, and runs again; 0: the
 * halt is for clients. */
void pt_board_host_begin(struct pt_board *board);	/* attached: on, if the settings say so */
int pt_board_host_halted(struct pt_board *board, unsigned core, const struct pt_core_status *now, struct pt_err *err);

#endif
