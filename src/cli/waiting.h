/* Progress of a subcommand that takes more than a moment, on a terminal: a line on standard error, each second. */
#ifndef PT_CLI_WAITING_H
#define PT_CLI_WAITING_H

#include <uv.h>

struct pt_waiting {
	uv_timer_t timer;
	void (*say)(void *arg);		/* calls pt_progress() */
	void *arg;
};

/* Calls say each second from the third on. Caller's memory, until pt_waiting_end() and the loop has closed its handles. */
void pt_waiting_begin(struct pt_waiting *waiting, uv_loop_t *loop, void (*say)(void *arg), void *arg);
void pt_waiting_end(struct pt_waiting *waiting);

#endif
