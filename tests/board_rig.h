/* What tests of the board and of what stands on it share: a loop, a virtual board on its thread, and waiting for
 * something to come true, with a deadline. */
#ifndef PT_TESTS_BOARD_RIG_H
#define PT_TESTS_BOARD_RIG_H

#include "board/board.h"
#include "harness.h"

enum { RIG_MAX_EVENTS = 256 };

enum rig_event_kind { RIG_STATE = 1, RIG_STOP, RIG_RUN, RIG_RESET };

struct rig_event {
	enum rig_event_kind kind;
	enum pt_board_state state;
	struct pt_core_status status;
	char why[400];
};

struct board_rig {
	uv_loop_t loop;
	uv_timer_t deadline;
	bool too_late;
	struct pt_board *board;		/* NULL once it is closed */
	struct pt_board_listener listener;
	struct rig_event event[RIG_MAX_EVENTS];	/* what the listener heard, in order; the rest is dropped */
	size_t n_events;
};

void board_rig_open(struct board_rig *rig, const char *uri, bool reopen);
void board_rig_open_all(struct board_rig *rig, const char *const *uris,
			bool reopen); /* with several probes; NULL ends them */
void board_rig_close(struct board_rig *rig);	/* waits for it */

/* Run the loop until *what, or fail after two minutes. */
void board_rig_await(struct board_rig *rig, const bool *what, const char *name);
/* Until the listener has heard of this state, counted from event `from` on. Returns the event's index. */
size_t board_rig_await_state(struct board_rig *rig, enum pt_board_state state, size_t from);
/* The same for any event of a kind. */
size_t board_rig_await_event(struct board_rig *rig, enum rig_event_kind kind, size_t from);
/* Run the loop for a while: nothing is expected. */
void board_rig_pause(struct board_rig *rig, uint64_t ms);

/* A job that does `run` and is waited for. Returns its rc. */
typedef int board_rig_run(struct pt_board *board, struct pt_target *target, void *arg, struct pt_err *err);
int board_rig_do(struct board_rig *rig, board_rig_run *run, void *arg, bool even_locked, struct pt_err *err);

#endif
