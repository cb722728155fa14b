/* A board: one target behind one or more probes, and the thread that does all its I/O.
 *
 * A request is a job: run() on the board thread, then done() on the loop thread, in order. Two lanes: urgent (halt,
 * cancel, close) before normal. Between jobs the board thread drains the active source and looks after the core. Run
 * state and clients are independent: the board reports what happens to all its listeners and knows nothing of them. */
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
	PT_BOARD_CLOSED = 1,	/* no probe or no target: never found, or lost (gone, or silent for most of a second) */
	PT_BOARD_OPENING,
	PT_BOARD_READY,		/* attached */
	PT_BOARD_LOCKED,	/* a secured chip answers: only a mass erase is left */
};

enum { PT_BOARD_PROBES = 4 };

struct pt_board_config {
	const char *name;		/* for messages; "" is fine */
	/* Its probes; each wire is from the first that offers it. Up to the first NULL; none at all, or "": the first
	 * probe that is plugged in. One that is lost takes the others with it, and all are opened again. */
	const char *probe_uri[PT_BOARD_PROBES];
	const char *target;		/* NULL: the first that attaches */
	const struct pt_params *settings;	/* of probe and target; copied */
	bool reopen;			/* look again for a lost probe (serve), or stay closed (one-shot) */
};

/* Loop thread, all of them; any may be NULL. */
struct pt_board_listener {
	void *arg;
	/* why: a sentence, for the user */
	void (*on_state)(void *arg, enum pt_board_state state, const char *why);
	/* the core was seen to have halted */
	void (*on_stop)(void *arg, unsigned core, const struct pt_core_status *status);
	void (*on_run)(void *arg, unsigned core);	/* resumed, by whichever client */
	void (*on_reset)(void *arg);
	/* Text for the user: of the program (semihosting, ITM), or from pt_board_tell() */
	void (*on_console)(void *arg, const char *text, size_t len_bytes);
	/* Registers of a unit are changed by proftap itself, or put back: as half a sentence */
	void (*on_change)(void *arg, const char *text);
	struct pt_board_listener *next;	/* the board's */
};

/* A job; embed it in the request's own struct. run's target is NULL when the board is not READY: then it must only
 * set its error. done is always called, also when the board closes first (rc PT_EIO). */
struct pt_job {
	int (*run)(struct pt_job *job, struct pt_board *board, struct pt_target *target, struct pt_err *err);
	void (*done)(struct pt_job *job, int rc, const struct pt_err *err);
	bool urgent;
	bool even_locked;	/* wants its target also when the board is LOCKED (mass erase) */
	int rc;			/* the board's from here on */
	struct pt_err err;
	struct pt_job *next;
};

/* --- loop thread --- */
/* NULL: its thread cannot be started; the sentence says why. */
struct pt_board *pt_board_new(uv_loop_t *loop, const struct pt_board_config *config, struct pt_err *err);
/* Detaches (the core runs on if it ran when we came), closes the probe, ends the thread, then calls on_closed. */
void pt_board_close(struct pt_board *board, void (*on_closed)(void *arg), void *arg);
/* For the end of a process that hangs: any thread that has a reference. Asks the board thread to put the target back as
 * on a close, and waits for that. False: it did not within timeout_ms. The board serves nothing afterwards. */
bool pt_board_rescue(struct pt_board *board, uint32_t timeout_ms);
struct pt_board *pt_board_ref(struct pt_board *board);
void pt_board_unref(struct pt_board *board);
void pt_board_post(struct pt_board *board, struct pt_job *job);
void pt_board_listen(struct pt_board *board, struct pt_board_listener *listener);
void pt_board_unlisten(struct pt_board *board, struct pt_board_listener *listener);
void pt_board_tell(struct pt_board *board, const char *text);	/* on the consoles of all listeners; with line feed */
enum pt_board_state pt_board_get_state(const struct pt_board *board, const char **why);
/* The words that any kind of target brings, on whatever board; NULL behind the last. Any thread. */
const struct pt_target_word *pt_board_target_word(size_t i);
bool pt_board_is_upstream(const struct pt_board *board);	/* one of its probes is another GDB server (rsp:) */
/* The code behind that sentence, 0 when there is none: PT_EARG means that no other try will help. */
int pt_board_get_error(const struct pt_board *board);
struct pt_core_status pt_board_last_status(const struct pt_board *board, unsigned core);	/* as last told */

/* --- board thread, from inside run() --- */
/* The core control that clients use: like the target's, and tells the listeners and the active source. */
int pt_board_halt(struct pt_board *board, unsigned core, struct pt_err *err);
/* With a drain that is behind, the core runs when that has caught up: later than its listeners hear of it. A halt that
 * comes first finds it where it was; so a client that wants it to halt does not wait for the drain. */
int pt_board_resume(struct pt_board *board, unsigned core, struct pt_err *err);
/* No client debugs any more: the target's leave(), behind a resume that waits for the drain. */
int pt_board_leave(struct pt_board *board, struct pt_err *err);
int pt_board_step(struct pt_board *board, unsigned core, struct pt_err *err);
int pt_board_reset(struct pt_board *board, enum pt_reset_kind kind, struct pt_err *err);
int pt_board_wrote_pc(struct pt_board *board, unsigned core, uint64_t pc, struct pt_err *err);
/* Behind another GDB server: what its clients let the cores do since the last look, told to the source and the
 * listeners. Elsewhere they are told as it happens. PT_EIO: the target is lost. */
int pt_board_hear(struct pt_board *board, struct pt_err *err);

/* What the session hangs in: called between jobs. drain returns microseconds until the next call, 0 = at once, or
 * PT_DRAIN_OVER: never again, or PT_DRAIN_REST: the same, and a virtual clock stands still until somebody lets the core
 * run or the drain is taken out. NULL takes it out. */
enum { PT_DRAIN_OVER = -1, PT_DRAIN_REST = -2 };
struct pt_board_drain {
	int64_t (*drain)(void *arg, struct pt_target *target);
	void (*on_state)(void *arg, struct pt_target *target, enum pt_state what, unsigned core, uint64_t pc);
	/* The core is halted, and drain has yet to fetch what was recorded before. NULL: never. */
	bool (*behind)(void *arg);
	/* Probe or target gone, or board closing: the target pointer is dead after this. */
	void (*on_lost)(void *arg, const struct pt_err *why);
	void (*on_program)(void *arg);	/* another program is about to be written into the chip. NULL: nothing is to be done */
	void *arg;
};
void pt_board_set_drain(struct pt_board *board, const struct pt_board_drain *drain);
/* To be called before flash is written. Board thread. */
void pt_board_tell_program(struct pt_board *board);
/* What an earlier process had left in the target and what became of it, a line each; "": nothing. Board thread. */
const char *pt_board_put_back(const struct pt_board *board);
bool pt_board_stays_noted(const struct pt_board *board);	/* something of it could not be put back yet */
uint64_t pt_board_now_ns(struct pt_board *board);	/* probe's clock */
/* What --probe named, or what was found instead of it, one by one; NULL behind the last. Any thread. */
const char *pt_board_probe_uri(const struct pt_board *board, size_t i);
/* The first core was reset and held, and has executed nothing since. Board thread. */
bool pt_board_is_at_reset(const struct pt_board *board);

/* Semihosting (host.h): what the program asks is served while no client hears of the halt, or, in mode
 * GDB while one waits (gdb_waits), by that one's client. A first use turns halting debug on, with a short halt; it
 * stays on until the mode is off again. */
struct pt_host *pt_board_host(struct pt_board *board);
int pt_board_host_set(struct pt_board *board, enum pt_host_mode mode, struct pt_err *err);
/* For the client of a GDB that waits. Has the core that halted asked something? 1: call has it. Then one of the others:
 * serve it here, or answer it; both return 1 when that is done, 0 when the program has ended. how: the core runs again
 * then, or it is a step, which ends behind the BKPT. */
enum pt_host_how { PT_HOST_RUN, PT_HOST_STEP };
int pt_board_host_ask(struct pt_board *board, unsigned core, enum pt_host_how how, struct pt_host_call *call,
		      struct pt_err *err);
int pt_board_host_serve(struct pt_board *board, unsigned core, enum pt_host_how how, const struct pt_host_call *call,
			struct pt_err *err);
int pt_board_host_answer(struct pt_board *board, unsigned core, enum pt_host_how how, int32_t result,
			 struct pt_err *err);

#endif
