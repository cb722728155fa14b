/* Which operating system the program has, for the threads that GDB is shown and for monitor threads. Symbols, and the
 * ORTI file if there is one, are looked at on a thread of libuv's pool before GDB hears of its program; what is found
 * belongs to the board thread from then on, and is changed by a job there. One for all clients of a board.
 *
 * In all-stop, tasks are threads; in non-stop the cores are, for a task can be neither halted nor resumed by itself. */
#ifndef PT_OS_TASKS_H
#define PT_OS_TASKS_H

#include <uv.h>

#include "board/board.h"
#include "program/os/threads.h"
#include "session/session.h"

struct pt_os_tasks;

/* The caller's, until then() is called; then: NULL: it does not wait. */
struct pt_os_tasks_waiter {
	void (*then)(void *arg);
	void *arg;
	struct pt_os_tasks_waiter *next;
};

/* Of the session's program, on the session's board; both close later. NULL: no memory. */
struct pt_os_tasks *pt_os_tasks_new(uv_loop_t *loop, struct pt_board *board, struct pt_session *session);
/* Loop thread. True: the waiter is called once they are known. False: they are known. */
bool pt_os_tasks_wait(struct pt_os_tasks *tasks, struct pt_os_tasks_waiter *waiter);
/* An ORTI file is to be asked, in place of the symbols; NULL: the symbols are again. */
void pt_os_tasks_set_orti(struct pt_os_tasks *tasks, const struct pt_orti *orti);
bool pt_os_tasks_found(const struct pt_os_tasks *tasks);	/* there is an OS */
struct pt_program *pt_os_tasks_program(const struct pt_os_tasks *tasks);	/* of which it is known; no reference */
/* No request waits any more, and no job that asks for the threads is under way. Then on_closed, when it is freed. */
void pt_os_tasks_close(struct pt_os_tasks *tasks, void (*on_closed)(void *arg), void *arg);

/* Board thread. NULL: no OS that is known. */
const struct pt_threads *pt_os_tasks_threads(const struct pt_os_tasks *tasks);

#endif
