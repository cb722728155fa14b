/* Shows the progress of a slow subcommand on a terminal: a line on standard error, each second. */
#ifndef PT_CLI_WAITING_H
#define PT_CLI_WAITING_H

#include <stdbool.h>
#include <uv.h>

struct pt_waiting {
	uv_timer_t timer;
	void (*say)(void *arg);		/* calls pt_progress() */
	void *arg;
};

/* Calls say each second from the third second on. waiting is the caller's memory, until pt_waiting_end() and the loop
 * has closed its handles. */
void pt_waiting_begin(struct pt_waiting *waiting, uv_loop_t *loop, void (*say)(void *arg), void *arg);
void pt_waiting_end(struct pt_waiting *waiting);

/* The same for work that does not return to the loop: say is called on a separate thread. If the thread cannot be
 * started nothing is shown. */
struct pt_at_work {
	uv_thread_t thread;
	uv_mutex_t lock;
	uv_cond_t changed;
	bool runs, over;		/* over: guarded by the lock */
	void (*say)(void *arg);
	void *arg;
};

void pt_at_work_begin(struct pt_at_work *work, void (*say)(void *arg), void *arg);
void pt_at_work_end(struct pt_at_work *work);

#endif
