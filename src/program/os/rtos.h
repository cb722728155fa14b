/* Which operating system a program has, which task runs, and which tasks there are: from symbols, DWARF and target
 * memory, where there is no ORTI file. One recipe per OS (rtos_NAME.c). Offsets come from DWARF, else from a table that
 * the OS has for debuggers, else from what its sources have by default.
 *
 * Target memory is never trusted: a list ends at its sentinel, at a node that was seen before, at a stated count, or
 * where a node cannot be one. What changes while it is read is read again, and marked stale if it never holds still:
 * then the tasks are those that any attempt saw.
 *
 * Sources: FreeRTOS-Kernel V5 to V11.3, Zephyr (thread_info.c, kernel_structs.h), ThreadX 6.4 (tx_api.h), CMSIS-RTX 5.9
 * (rtx_os.h), uC/OS-III 3.08. */
#ifndef PT_PROGRAM_RTOS_H
#define PT_PROGRAM_RTOS_H

#include "program/expr/expr.h"
#include "program/orti/orti.h"
#include "program/os/saved.h"
#include "program/orti/tasks.h"

enum { PT_RTOS_MAX_THREADS = 1024, PT_RTOS_MAX_CORES = 8, PT_RTOS_NAME_BYTES = 64 };

struct pt_rtos;		/* opaque; the caller's; uses types until it is freed, from types' thread */

/* The variable whose writes tell a task switch. */
struct pt_rtos_running { char name[96]; uint64_t addr; uint32_t size_bytes; };

struct pt_rtos_thread {
	uint64_t tcb;			/* where its control block is: what the running-task variable holds */
	char name[PT_RTOS_NAME_BYTES];	/* unique: two tasks of one name have their addresses behind it */
	const char *state;		/* "running", "ready", "blocked", ... in the words of the OS */
	int64_t priority;
	uint64_t sp;			/* as saved; PT_UNKNOWN: not known; of no meaning while it runs */
	uint64_t priority_addr;		/* PT_UNKNOWN: not known */
	uint32_t priority_bytes;
	bool idle;
};

struct pt_rtos_threads {
	bool started;			/* the scheduler runs; before that there may be tasks, but none is switched */
	bool stale;			/* lists changed while they were read, also when tried again */
	uint64_t current[PT_RTOS_MAX_CORES];	/* what the running-task variables hold */
	struct pt_rtos_thread *thread;	/* by address */
	size_t n_threads;
	char note[200];			/* "": nothing; a list that was damaged, an OS feature that is not built in */
};

/* The OS that the symbols tell of; NULL: PT_EARG, none of those that are known (the sentence names them). */
struct pt_rtos *pt_rtos_detect(struct pt_types *types, struct pt_err *err);
void pt_rtos_free(struct pt_rtos *rtos);		/* NULL is fine */
const char *pt_rtos_name(const struct pt_rtos *rtos);	/* "FreeRTOS" */
/* One per core; n_cores at least 1. */
const struct pt_rtos_running *pt_rtos_running(const struct pt_rtos *rtos, unsigned *n_cores);

/* Errors: what the reader returned. A list that makes no sense is no error: what was found before counts. */
int pt_rtos_read(const struct pt_rtos *rtos, const struct pt_reader *reader, struct pt_rtos_threads *threads,
		 struct pt_err *err);
/* The same without the list: what runs, and whether the scheduler does. Two or three reads; nothing to free. */
int pt_rtos_read_current(const struct pt_rtos *rtos, const struct pt_reader *reader, struct pt_rtos_threads *threads,
			 struct pt_err *err);
/* The registers of a task that does not run. PT_EARG: what lies there can be no frame; PT_EUNSUPPORTED; what the reader
 * returned. */
int pt_rtos_saved(const struct pt_rtos *rtos, const struct pt_reader *reader, uint64_t tcb, struct pt_saved *saved,
		  struct pt_err *err);
void pt_rtos_threads_fini(struct pt_rtos_threads *threads);

/* For the task analysis; threads may be NULL (nothing was read: values will have no names). */
struct pt_task_maps *pt_rtos_task_maps(const struct pt_rtos *rtos, const struct pt_rtos_threads *threads);
/* Why the states of tasks cannot be followed: what to build with. NULL: they can, their offsets are in the program. */
const char *pt_rtos_without_states(const struct pt_rtos *rtos);
/* An ORTI file for the user to keep: the running-task variable with TOTRACE, a TASK object each, with its STATE if that can be followed. */
struct pt_orti *pt_rtos_orti(const struct pt_rtos *rtos, const struct pt_rtos_threads *threads);

#endif
