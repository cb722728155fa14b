/* The end of a daemon, within a time, in every state: a thread of its own takes SIGINT, SIGTERM and SIGHUP, so that a
 * loop that hangs (a file on a dead server, a probe that stalls) cannot keep the process.
 *
 * A signal stops the loop, whose owner ends as usual: clients go, the profile stops, the board is put back. What is not
 * done within PT_ENDING_POLITE_MS is left: the board threads are asked directly to put their targets back, and the process
 * ends PT_ENDING_MS after the signal. A second signal does not wait for the first part. */
#ifndef PT_ENDING_H
#define PT_ENDING_H

#include "board/board.h"

enum { PT_ENDING_POLITE_MS = 1000, PT_ENDING_MS = 1800, PT_ENDING_BOARDS = 64 };

struct pt_ending;

/* Loop thread. on_signal runs on the loop, once for each signal that it comes to hear of. NULL: err says why. */
struct pt_ending *pt_ending_new(uv_loop_t *loop, void (*on_signal)(void *arg), void *arg, struct pt_err *err);
/* Boards that are put back at the end, at most PT_ENDING_BOARDS; each is kept until pt_ending_free(). */
void pt_ending_add(struct pt_ending *ending, struct pt_board *board);
void pt_ending_close(struct pt_ending *ending);	/* its handle, before the loop runs for the last time */
void pt_ending_free(struct pt_ending *ending);	/* all is done; further signals are ignored. NULL: fine */

#endif
