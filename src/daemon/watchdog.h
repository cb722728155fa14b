/* The beat by which the service manager knows that the daemon lives (service.h): it is given when the loop and the thread of each
 * board have answered since the last one. A thread that hangs in a probe or a file keeps it back, so that the manager restarts the
 * daemon. Loop thread. */
#ifndef PT_WATCHDOG_H
#define PT_WATCHDOG_H

#include "board/board.h"

struct pt_watchdog;

/* NULL: the manager wants no beat. */
struct pt_watchdog *pt_watchdog_new(uv_loop_t *loop);
void pt_watchdog_add(struct pt_watchdog *watchdog,
		     struct pt_board *board); /* keeps a reference. NULL: nothing is done */
void pt_watchdog_close(struct pt_watchdog *watchdog);	/* before the boards. NULL: fine */
void pt_watchdog_free(
	struct pt_watchdog *watchdog); /* when the loop has nothing left of it, and the boards are closed. NULL: fine */

#endif
