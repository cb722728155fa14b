/* The threads that GDB shows in all-stop: the tasks of the program's OS, and each core that runs no task. A running
 * task's registers are those of its core, even while the core is in an exception handler; those of other tasks are
 * where the OS saved them. Board thread only; the target is halted. */
#ifndef PT_OS_THREADS_H
#define PT_OS_THREADS_H

#include "program/os/saved.h"
#include "program/os/threads.h"
#include "targets/contract/target.h"

struct pt_gdb_thread {
	uint64_t id;
	int core;		/* where it runs; -1: it does not run */
	char name[PT_RTOS_NAME_BYTES], state[120];
	char text[200];		/* its description: state, and priority */
	bool has_priority;
	int64_t priority;
};

struct pt_gdb_thread_list {
	struct pt_gdb_thread *thread;
	size_t n_threads;
	char note[200];
};

/* Free the list with pt_gdb_thread_list_fini(). If the OS's data are damaged, note says how, and the list has what
 * could be read; only errors of the target are returned. threads NULL: the list has cores alone. */
int pt_gdb_threads_look(const struct pt_threads *threads, struct pt_target *target, struct pt_gdb_thread_list *list,
			struct pt_err *err);
bool pt_gdb_threads_have(const struct pt_gdb_thread_list *list, uint64_t id);
void pt_gdb_thread_list_fini(struct pt_gdb_thread_list *list);

/* The pc and lr of a task, and its stack from the stack pointer on: 0 beyond the end of RAM. If its core is in a
 * handler: where the task was interrupted. False: the registers are not available. */
enum { PT_GDB_STACK_WORDS = 512 };
struct pt_gdb_thread_stack { uint64_t pc; uint32_t word[1 + PT_GDB_STACK_WORDS]; };	/* word[0]: lr */
bool pt_gdb_thread_stack(const struct pt_threads *threads, struct pt_target *target, const struct pt_gdb_thread *thread,
			 struct pt_gdb_thread_stack *stack);

/* The task on a core, as in the list; 0: the core runs no task, and is itself the thread. */
uint64_t pt_gdb_running_task(const struct pt_threads *threads, struct pt_target *target, unsigned core);
/* Registers of a task, or with task 0, of *core. Returns 0: the task runs, and *core is the core whose registers to
 * use. 1: registers are saved; n_regs 0: it is unknown where. Errors: the target's. */
int pt_gdb_task_registers(const struct pt_threads *threads, struct pt_target *target, uint64_t task, unsigned *core,
			  struct pt_saved *saved, struct pt_err *err);
/* Changes one saved register of a task that does not run; the task has the new value when it runs. PT_EARG: the
 * register is not saved. */
int pt_gdb_task_write(struct pt_target *target, const struct pt_saved *saved, const char *name, uint64_t value,
		      struct pt_err *err);

#endif
