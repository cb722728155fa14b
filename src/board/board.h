/* A board: one target behind one or more probes, and the thread that does all its I/O.
 *
 * A request is a job: the board thread calls run(), then the loop thread calls done(), in order. Two lanes: urgent
 * (halt, cancel, close) before normal. Between jobs the board thread drains the active source and looks after the core.
 * Run state and clients are independent: the board reports all events to its listeners, and knows nothing else of
 * them. */
#ifndef PT_BOARD_H
#define PT_BOARD_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/error.h"
#include "base/params.h"
#include "board/host.h"
#include "targets/contract/target.h"

struct pt_board;

enum pt_board_state {
	PT_BOARD_CLOSED = 1,	/* no probe or no target: not found, or lost (unplugged, or silent for most of a
				 * second) */
	PT_BOARD_OPENING,
	PT_BOARD_READY,		/* attached */
	PT_BOARD_LOCKED,	/* the chip is secured: only a mass erase is possible */
};

enum { PT_BOARD_PROBES = 4 };

struct pt_board_config {
	const char *name;		/* for messages; may be "" */
	/* The probes; each wire is taken from the first probe that offers it. Ends at the first NULL; none at all, or
	 * "": the first probe that is plugged in. If one is lost, all are closed and opened again. */
	const char *probe_uri[PT_BOARD_PROBES];
	const char *target;		/* NULL: the first that attaches */
	const struct pt_params *settings;	/* of probe and target; copied */
	bool reopen;			/* search again for a lost probe (serve), or stay closed (a single command) */
};

/* All are called on the loop thread; any may be NULL. */
struct pt_board_listener {
	void *arg;
	/* why: a sentence, for the user */
	void (*on_state)(void *arg, enum pt_board_state state, const char *why);
	/* the board noticed that the core halted */
	void (*on_stop)(void *arg, unsigned core, const struct pt_core_status *status);
	void (*on_run)(void *arg, unsigned core);	/* a client resumed the core */
	void (*on_reset)(void *arg);
	/* Text for the user: from the program (semihosting, ITM), or from pt_board_tell() */
	void (*on_console)(void *arg, const char *text, size_t len_bytes);
	/* proftap changes registers of a unit, or restores them: half a sentence */
	void (*on_change)(void *arg, const char *text);
	struct pt_board_listener *next;	/* the board's */
};

/* A job; embed it in the request's own struct. run's target is NULL when the board is not READY: then it must only
 * set its error. done is always called, also when the board closes first (rc PT_EIO). */
struct pt_job {
	int (*run)(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err);
	void (*done)(struct pt_job *job, int rc, const struct pt_err *err);
	bool urgent;
	bool even_locked;	/* run needs its target even if the board is LOCKED (mass erase) */
	int rc;			/* set by the board */
	struct pt_err err;
	struct pt_job *next;
};

/* --- loop thread --- */
/* NULL: the board thread cannot be started; the sentence says why. */
struct pt_board *pt_board_new(uv_loop_t *loop, const struct pt_board_config *config, struct pt_err *err);
/* Detaches (a core that ran at attach runs on), closes the probe, ends the board thread, then calls on_closed. */
void pt_board_close(struct pt_board *board, void (*on_closed)(void *arg), void *arg);
/* For the end of a process that hangs; any thread with a reference. Asks the board thread to restore the target, as
 * close does, and waits for that. False: not done within timeout_ms. The board cannot be used afterwards. */
bool pt_board_rescue(struct pt_board *board, uint32_t timeout_ms);
struct pt_board *pt_board_ref(struct pt_board *board);
void pt_board_unref(struct pt_board *board);
void pt_board_post(struct pt_board *board, struct pt_job *job);
void pt_board_listen(struct pt_board *board, struct pt_board_listener *listener);
void pt_board_unlisten(struct pt_board *board, struct pt_board_listener *listener);
/* shows text on the consoles of all listeners; text ends with a line feed */
void pt_board_tell(struct pt_board *board, const char *text);
enum pt_board_state pt_board_get_state(const struct pt_board *board, const char **why);
/* The commands that some kind of target adds, whatever target this board has; NULL: i is behind the last. Any
 * thread. */
const struct pt_target_word *pt_board_target_word(size_t i);
bool pt_board_is_upstream(const struct pt_board *board);	/* one of its probes is another GDB server (rsp:) */
/* The error code behind that sentence, 0 without error; PT_EARG means that trying again will not help. */
int pt_board_get_error(const struct pt_board *board);
struct pt_core_status pt_board_last_status(const struct pt_board *board, unsigned core);	/* as last reported */

/* --- board thread, from inside run() --- */
/* Run control for clients: as the target's, but it also notifies the listeners and the active source. */
int pt_board_halt(struct pt_board *board, unsigned core, struct pt_err *err);
/* If the drain is behind, the core resumes when the drain has caught up: later than the listeners are notified. A halt
 * that comes before that finds the core where it was, so a client that halts it need not wait for the drain. */
int pt_board_resume(struct pt_board *board, unsigned core, struct pt_err *err);
/* The last client has left: calls the target's leave(), after any resume that waits for the drain. */
int pt_board_leave(struct pt_board *board, struct pt_err *err);
int pt_board_step(struct pt_board *board, unsigned core, struct pt_err *err);
int pt_board_reset(struct pt_board *board, enum pt_reset_kind kind, struct pt_err *err);
int pt_board_wrote_pc(struct pt_board *board, unsigned core, uint64_t pc, struct pt_err *err);
/* Behind another GDB server: reports to the source and the listeners which cores the server's other clients resumed
 * since the last poll. Other boards report this when it happens. PT_EIO: the target is lost. */
int pt_board_hear(struct pt_board *board, struct pt_err *err);

/* The session's drain, which the board calls between jobs. drain returns microseconds until the next call, 0 = at once,
 * or PT_DRAIN_OVER: never again, or PT_DRAIN_REST: the same, and a virtual clock stands still until a client lets the
 * core run or the drain is removed. NULL removes it. */
enum { PT_DRAIN_OVER = -1, PT_DRAIN_REST = -2 };
struct pt_board_drain {
	int64_t (*drain)(void *arg, struct pt_target *target);
	void (*on_state)(void *arg, struct pt_target *target, enum pt_state what, unsigned core, uint64_t pc);
	/* The core is halted, and drain must still fetch what was recorded before the halt. NULL: never. */
	bool (*behind)(void *arg);
	/* Probe or target lost, or board closing: the target pointer is invalid after this call. */
	void (*on_lost)(void *arg, const struct pt_err *why);
	void (*on_program)(void *arg);	/* another program is about to be written to flash. NULL: nothing to do */
	void *arg;
};
void pt_board_set_drain(struct pt_board *board, const struct pt_board_drain *drain);
/* Call it before flash is written. Board thread. */
void pt_board_tell_program(struct pt_board *board);
/* What an earlier process had left in the target and whether it was restored, one line each; "": nothing. Board
 * thread. */
const char *pt_board_put_back(const struct pt_board *board);
bool pt_board_stays_noted(const struct pt_board *board);	/* some of it could not be restored yet */
uint64_t pt_board_now_ns(struct pt_board *board);	/* probe's clock */
/* The i-th probe: as given by --probe, or as found instead; NULL: i is behind the last. Any thread. */
const char *pt_board_probe_uri(const struct pt_board *board, size_t i);
/* The first core was held at reset, and has executed nothing since. Board thread. */
bool pt_board_is_at_reset(const struct pt_board *board);

/* Semihosting (host.h): the board serves the program's requests, and no client sees these halts. In mode GDB, if a
 * client waits (gdb_waits), that client serves them. The first use enables halting debug with a short halt; it stays
 * enabled until the mode is off. */
struct pt_host *pt_board_host(struct pt_board *board);
int pt_board_host_set(struct pt_board *board, enum pt_host_mode mode, struct pt_err *err);
/* For a client whose GDB is waiting. Has the halted core made a request? 1: it is in call. Then serve it here, or
 * answer it: both return 1 when done, 0 when the program has ended. how: PT_HOST_RUN resumes the core; PT_HOST_STEP
 * ends a single-step after the BKPT. */
enum pt_host_how { PT_HOST_RUN, PT_HOST_STEP };
int pt_board_host_ask(struct pt_board *board, unsigned core, enum pt_host_how how, struct pt_host_call *call,
		      struct pt_err *err);
int pt_board_host_serve(struct pt_board *board, unsigned core, enum pt_host_how how, const struct pt_host_call *call,
			struct pt_err *err);
int pt_board_host_answer(struct pt_board *board, unsigned core, enum pt_host_how how, int32_t result,
			 struct pt_err *err);

#endif
