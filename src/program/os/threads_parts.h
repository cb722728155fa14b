/* What threads.c and orti_threads.c share. */
#ifndef PT_PROGRAM_THREADS_PARTS_H
#define PT_PROGRAM_THREADS_PARTS_H

#include "program/os/threads.h"

struct pt_threads {
	struct pt_program *program;
	struct pt_types *types;
	struct pt_rtos *rtos; /* one of the two */
	struct pt_orti *orti;
};

/* orti_threads.c */
bool pt_orti_has_tasks(const struct pt_orti *orti);
int pt_orti_running(const struct pt_threads *threads, const struct pt_reader *reader,
		    struct pt_threads_running *running, struct pt_err *err);
int pt_orti_threads(const struct pt_threads *threads, const struct pt_reader *reader, struct pt_thread_list *list,
		    struct pt_err *err);
int pt_orti_saved(const struct pt_threads *threads, const struct pt_reader *reader, uint64_t id, struct pt_saved *saved,
		  struct pt_err *err);

#endif
