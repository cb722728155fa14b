/* The threads that GDB is shown in all-stop: the tasks of the program's OS, and each core on which none of them runs.
 * The registers of a task that runs are the core's, also while the core is in an exception handler; those of the
 * others are where the OS saved them. Board thread, all of it; the target is halted. */
#ifndef PT_OS_THREADS_H
#define PT_OS_THREADS_H

#include "program/os/saved.h"
#include "program/os/threads.h"
#include "targets/contract/target.h"

struct pt_gdb_thread {
	uint64_t id;
	int core;		/* that it runs on; -1: on none */
	char name[PT_RTOS_NAME_BYTES], state[120];
	char text[200];		/* all that is to be said of it: state, and priority */
	bool has_priority;
	int64_t priority;
};

struct pt_gdb_thread_list {
	struct pt_gdb_thread *thread;
	size_t n_threads;
	char note[200];
};

/* For pt_gdb_thread_list_fini(). What is wrong with the OS's data is in note, and what could be read of it in the list;
 * errors are the target's alone. threads NULL: cores alone. */
int pt_gdb_threads_look(const struct pt_threads *threads, struct pt_target *target, struct pt_gdb_thread_list *list,
			struct pt_err *err);
bool pt_gdb_threads_have(const struct pt_gdb_thread_list *list, uint64_t id);
void pt_gdb_thread_list_fini(struct pt_gdb_thread_list *list);

/* Where a task is, its lr, and what is on its stack from the stack pointer on: 0 where there is no more RAM. Of one
 * that runs while the core is in a handler: where it was interrupted. False: the registers are not to be had. */
enum { PT_GDB_STACK_WORDS = 512 };
struct pt_gdb_thread_stack { uint64_t pc; uint32_t word[1 + PT_GDB_STACK_WORDS]; };	/* word[0]: lr */
bool pt_gdb_thread_stack(const struct pt_threads *threads, struct pt_target *target, const struct pt_gdb_thread *thread,
			 struct pt_gdb_thread_stack *stack);

/* The task on a core, as the list has it; 0: the core itself is the thread. */
uint64_t pt_gdb_running_task(const struct pt_threads *threads, struct pt_target *target, unsigned core);
/* Of a task, or, task 0, of *core. Returns 0: its registers are those of a core, which is *core now. 1: they are saved;
 * n_regs 0: it is not known where. Errors: the target's. */
int pt_gdb_task_registers(const struct pt_threads *threads, struct pt_target *target, uint64_t task, unsigned *core,
			  struct pt_saved *saved, struct pt_err *err);
/* One register of a task that does not run: it will have the value when it runs. PT_EARG: it has no place of its
 * own. */
int pt_gdb_task_write(struct pt_target *target, const struct pt_saved *saved, const char *name, uint64_t value,
		      struct pt_err *err);

#endif
