/* Ends a daemon within a limited time in every state: a separate thread takes SIGINT, SIGTERM and SIGHUP, so a loop
 * that hangs (a file on a dead server, a probe that stalls) cannot keep the process alive.
 *
 * A signal stops the loop, whose owner then ends normally: clients are closed, the profile stops, the target is
 * restored. If that takes longer than PT_ENDING_POLITE_MS, the board threads are asked directly to restore their
 * targets, and the process ends PT_ENDING_MS after the signal. A second signal skips the first part. */
#ifndef PT_ENDING_H
#define PT_ENDING_H

#include "board/board.h"

enum { PT_ENDING_POLITE_MS = 1000, PT_ENDING_MS = 1800, PT_ENDING_BOARDS = 64 };

struct pt_ending;

/* Loop thread. on_signal runs on the loop, once for each signal it is notified of. NULL: err says why. */
struct pt_ending *pt_ending_new(uv_loop_t *loop, void (*on_signal)(void *arg), void *arg, struct pt_err *err);
/* Adds a board to be restored at the end, at most PT_ENDING_BOARDS; it is kept until pt_ending_free(). */
void pt_ending_add(struct pt_ending *ending, struct pt_board *board);
void pt_ending_close(struct pt_ending *ending);	/* closes its handle, before the loop runs for the last time */
void pt_ending_free(struct pt_ending *ending);	/* when all is done; later signals are ignored. NULL: fine */

#endif
