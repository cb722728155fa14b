/* Finds the program's operating system, for the threads that GDB shows and for monitor threads. A thread of libuv's
 * pool reads the symbols, and the ORTI file if there is one; GDB hears of its program afterwards. The board thread owns
 * the result, and a job there replaces it. There is one for all clients of a board.
 *
 * In all-stop the threads are tasks; in non-stop they are cores, because a single task can be neither halted nor
 * resumed. */
#ifndef PT_OS_TASKS_H
#define PT_OS_TASKS_H

#include <uv.h>

#include "board/board.h"
#include "program/os/threads.h"
#include "session/session.h"

struct pt_os_tasks;

/* Owned by the caller until then() is called; then NULL: not waiting. */
struct pt_os_tasks_waiter {
	void (*then)(void *arg);
	void *arg;
	struct pt_os_tasks_waiter *next;
};

/* For the session's program and board; both must be closed later. NULL: no memory. */
struct pt_os_tasks *pt_os_tasks_new(uv_loop_t *loop, struct pt_board *board, struct pt_session *session);
/* Loop thread. True: then() is called as soon as the tasks are known. False: they are known already. */
bool pt_os_tasks_wait(struct pt_os_tasks *tasks, struct pt_os_tasks_waiter *waiter);
/* Uses this ORTI file in place of the symbols; NULL: uses the symbols again. */
void pt_os_tasks_set_orti(struct pt_os_tasks *tasks, const struct pt_orti *orti);
bool pt_os_tasks_found(const struct pt_os_tasks *tasks);	/* an OS was found */
/* the program that was searched; not a new reference */
struct pt_program *pt_os_tasks_program(const struct pt_os_tasks *tasks);
/* Call it when no request waits, and no job that uses the threads is in progress. on_closed is called when all is
 * freed. */
void pt_os_tasks_close(struct pt_os_tasks *tasks, void (*on_closed)(void *arg), void *arg);

/* Board thread. NULL: no known OS. */
const struct pt_threads *pt_os_tasks_threads(const struct pt_os_tasks *tasks);

#endif
