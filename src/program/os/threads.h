/* The tasks of a program as a debugger's threads: who they are, which of them runs, and the registers of those that do
 * not. From a known OS (rtos.h) or from an ORTI file (orti.h); who asks does not see the difference.
 *
 * Pure: memory comes through a reader, of a target that is halted, and is not trusted. One thread at a time. */
#ifndef PT_PROGRAM_THREADS_H
#define PT_PROGRAM_THREADS_H

#include "program/os/rtos.h"
#include "program/os/saved.h"

/* Ids of an ORTI file's tasks count from here in the file's order; an RTOS's are addresses of control blocks. Cores,
 * which are threads too where no task runs, have ids of 1 on. */
enum { PT_THREADS_ORTI_ID = 0x1001 };

struct pt_thread {
	uint64_t id; /* the running-task variable's value, or by PT_THREADS_ORTI_ID; never 0 */
	char name[PT_RTOS_NAME_BYTES]; /* unique */
	char state[80]; /* "blocked", "waits for a queue", in the words of the OS */
	bool has_priority;
	int64_t priority;
	int core; /* where it runs; -1: it does not */
	uint64_t sp; /* of one that does not run; PT_UNKNOWN: not told */
	bool idle;
};

struct pt_thread_list {
	bool started; /* else the tasks are not switched yet: only cores run */
	bool stale; /* it changed while it was read */
	struct pt_thread *thread; /* by id */
	size_t n_threads;
	char note[200]; /* "": nothing; else what is wrong with the OS's data */
};

/* What runs, core by core: 0 where no task does. */
struct pt_threads_running {
	uint64_t id[PT_RTOS_MAX_CORES];
	unsigned n_cores;
};

struct pt_threads; /* opaque; the caller's */

/* Keeps a reference of the program. NULL: PT_EARG, no OS that is known; PT_ENOMEM. Reads debug information of the
 * OS's types: may take seconds where there is much of it. */
struct pt_threads *pt_threads_of_rtos(struct pt_program *program, struct pt_err *err);
/* Takes orti, also when it fails. PT_EARG: it has no TASK. */
struct pt_threads *pt_threads_of_orti(struct pt_program *program, struct pt_orti *orti, struct pt_err *err);
void pt_threads_free(struct pt_threads *threads); /* NULL is fine */
const char *pt_threads_os(const struct pt_threads *threads); /* "FreeRTOS" */

/* Errors of all three: what the reader returned. */
int pt_threads_running(const struct pt_threads *threads, const struct pt_reader *reader,
		       struct pt_threads_running *running, struct pt_err *err);
int pt_threads_read(const struct pt_threads *threads, const struct pt_reader *reader, struct pt_thread_list *list,
		    struct pt_err *err);
void pt_thread_list_fini(struct pt_thread_list *list);
/* Of a task that does not run. PT_EARG: there is no such task, or what lies there can be no frame; PT_EUNSUPPORTED:
 * it is not told where they are. */
int pt_threads_saved(const struct pt_threads *threads, const struct pt_reader *reader, uint64_t id,
		     struct pt_saved *saved, struct pt_err *err);

#endif
