/* What an operating system shows by writing its variables: which task runs, which ISR, which service is at work, what
 * state each task is in. Made
 * from an ORTI file (orti.h) or by a recipe (rtos.h), used by what sees the writes: a data trace, a watch, a polled
 * variable. Plain data: a test can build one by hand.
 *
 * Source: OSEK/VDX ORTI 2.1, 2.2 (RUNNINGTASK, RUNNINGISR2, SERVICETRACE; STATE of a TASK). */
#ifndef PT_PROGRAM_TASKS_H
#define PT_PROGRAM_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_task_entry {
	uint64_t value;		/* as it is written, cut to the variable's size; code addresses without Thumb bit */
	const char *name;
	bool none;		/* no task (ISR, service) is meant: NO_TASK, idle without a task of its own, 0 */
};

enum pt_task_what { PT_TASK_RUNNING, PT_TASK_ISR, PT_TASK_SERVICE, PT_TASK_STATE };

/* One variable of the OS and what its values mean. Several may lie at one address (Trampoline tells tasks and ISRs by
 * the same variable): each map looks at the write. */
struct pt_task_map {
	enum pt_task_what what;
	unsigned core;			/* whose; of no meaning for STATE, which any core writes */
	const char *of;			/* STATE: the task; else NULL */
	const char *variable;		/* as the user knows it: "pxCurrentTCB", "kern[0].running_id" */
	uint64_t addr;			/* of the variable: what a data trace or a watch is set on */
	uint32_t size_bytes;		/* 1, 2, 4 or 8 */
	uint8_t first_bit, n_bits;	/* STATE: a bit-field inside; n_bits 0: all of it */
	uint8_t value_bytes;		/* so many low bytes of it count; 0: all (an id behind a narrowing cast) */
	bool code_addresses;		/* values are functions: bit 0 is no part of them */
	bool enter_bit;			/* services: value is id | 1 on entry, id on exit; ids are even */
	bool rewritten;			/* the OS writes it again although nothing changed, or a 0 between two tasks */
	struct pt_task_entry *task;	/* of two with one value the first is meant */
	size_t n_tasks;
};

/* All that is known of one OS. Everything in it is freed with it. */
struct pt_task_maps {
	const char *os;			/* "FreeRTOS", or the name of the ORTI file's implementation */
	const char *origin;		/* "ORTI file", "symbols of FreeRTOS" */
	struct pt_task_map *map;
	size_t n_maps;
};

/* States of a task by the words that files and kernels have for them. */
enum pt_task_state {
	PT_TASK_STATE_OTHER,		/* a word that says none of these */
	PT_TASK_STATE_SUSPENDED,	/* it has to be activated */
	PT_TASK_STATE_WAITING,		/* for an event, or for a time to come */
	PT_TASK_STATE_AWAY,		/* suspended or waiting: the word does not say which */
	PT_TASK_STATE_READY, PT_TASK_STATE_RUNNING,
	PT_TASK_STATE_MOVES,		/* between two states: an analysis waits for the next word */
};
enum pt_task_state pt_task_state_of(const char *word);

/* What was written, in the terms of the map; NULL: a value that the OS did not tell (a task made later: show the
 * number, it is no error). */
const struct pt_task_entry *pt_task_map_find(const struct pt_task_map *map, uint64_t value);

/* The same for a service. *enters: the service begins, else it ends (a service that switches the task, such as
 * TerminateTask, never ends in that task). Without the bit rule every value but "none" enters. */
const struct pt_task_entry *pt_task_map_service(const struct pt_task_map *map, uint64_t value, bool *enters);

/* The map of that kind for a core, or NULL. */
const struct pt_task_map *pt_task_maps_of(const struct pt_task_maps *maps, enum pt_task_what what, unsigned core);

/* Making them. All functions copy what they get. A map's pointer is good until the next
 * pt_task_maps_add(). */
struct pt_task_maps *pt_task_maps_new(const char *os, const char *origin);
struct pt_task_map *pt_task_maps_add(struct pt_task_maps *maps, const struct pt_task_map *map);
void pt_task_map_add(struct pt_task_map *map, const struct pt_task_entry *entry);
struct pt_task_maps *pt_task_maps_copy(const struct pt_task_maps *maps);
void pt_task_maps_free(struct pt_task_maps *maps);	/* NULL is fine */

#endif
