/* Which operating system the program has, for the threads that GDB is shown. Symbols, and the ORTI file if there is
 * one, are looked at on a thread of libuv's pool before GDB hears of its program; what is found belongs to the board
 * thread from then on, and is changed by a job there. One for all clients of a board.
 *
 * In all-stop, tasks are threads; in non-stop the cores are, for a task can be neither halted nor resumed by itself. */
#ifndef PT_GDBSTUB_TASKS_H
#define PT_GDBSTUB_TASKS_H

#include <uv.h>

#include "board/board.h"
#include "program/os/threads.h"

struct pt_gdb_client;
struct pt_gdbstub;

struct pt_gdb_tasks {
	/* loop thread */
	struct pt_program *program; /* of which it is known; a reference */
	char *orti, *next_orti; /* an ORTI file's text, NULL: the symbols are asked; the one that comes next, ... */
	bool has_next; /* ... if one does */
	bool known, again, busy; /* program was looked at; anew, please; somebody is at it */
	bool found; /* there is an OS */
	uv_work_t work;
	struct pt_job job;
	struct pt_gdbstub *stub;
	struct pt_threads *fresh; /* on its way to the board thread, then on its way back: to be freed */
	/* board thread */
	struct pt_threads *threads; /* NULL: no OS that is known */
};

/* Loop thread. True: then() is called once they are known, also for a client that is leaving; it is all that the
 * client waits for. False: they are known. */
bool pt_gdb_tasks_wait(struct pt_gdb_client *client, void (*then)(struct pt_gdb_client *client));
/* An ORTI file is to be asked, in place of the symbols; NULL: the symbols are again. */
void pt_gdb_tasks_set_orti(struct pt_gdbstub *stub, const struct pt_orti *orti);
void pt_gdb_tasks_fini(struct pt_gdb_tasks *tasks); /* not busy, and no request is under way */

#endif
