/* One source of several cores of a target: for each of them a source of its own in the trace, with the core's number,
 * so that nothing of two cores is ever summed. They share the wire: whichever is due first has its turn. Board thread
 * only. */
#ifndef PT_TARGETS_CORES_H
#define PT_TARGETS_CORES_H

#include "targets/contract/source.h"

enum { PT_CORES_MAX = 32 };

struct pt_cores_kind {
	const struct pt_source_ops *one;	/* of the core that setup->core names */
	unsigned each;				/* how many numbers in the trace one takes */
	uint64_t (*now_ns)(const void *arg);
	unsigned (*thread_of)(const void *arg, unsigned number);	/* as the board knows that core */
	bool (*left_out)(const void *arg, unsigned number);	/* of several it has none; NULL: each has one */
};

struct pt_cores {
	const struct pt_cores_kind *kind;
	const void *arg;			/* of kind's functions */
	struct pt_core_source {
		void *state;
		unsigned number;
		uint64_t due_ns;		/* when it has something to do */
	} core[PT_CORES_MAX];
	unsigned n;				/* that were started */
};

/* "all", or a core's number; NULL: standard. whose: "the MDM". PT_EARG: there is no such core, and which there are. */
int pt_cores_read(const char *word, const char *whose, unsigned n_cores, unsigned standard, unsigned *first,
		  unsigned *n, struct pt_err *err);
/* One of each core from first on, all of them or none; numbers in the trace from setup->source on. As of one's
 * start. */
int pt_cores_start(struct pt_cores *s, const struct pt_cores_kind *kind, const void *arg, unsigned first, unsigned n,
		   struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err);
/* As of struct pt_source_ops, where the state is a struct pt_cores. */
int pt_cores_drain(void *cores, struct pt_err *err);
int pt_cores_on_state(void *cores, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err);
/* What was started ends; the first error is the one to report. */
int pt_cores_stop(void *cores, struct pt_err *err);

#endif
