/* Runs a source of one core on all cores of the part that can be debugged (targets/contract/cores.h): each is a source
 * of its own in the trace. Board thread. */
#ifndef PT_CORTEXM_CORE_SOURCES_H
#define PT_CORTEXM_CORE_SOURCES_H

#include "targets/contract/cores.h"
#include "targets/cortexm/core/cortexm.h"

/* The row of a source's settings: core=all or a number. */
#define PT_CORE_SOURCES_ROW                                                                                           \
	{ .key = "core", .type = PT_PARAM_TEXT,                                                                       \
	  .help = "a core's number, or all; without it all that can be debugged" }

struct pt_core_source_kind {
	struct pt_source_ops ops;	/* of the core that setup->core names */
	int (*fits)(struct pt_cortexm *cm, struct pt_err *err);	/* PT_EUNSUPPORTED: not this core, and why */
	bool waits;	/* it can begin with a core that is held in reset, and waits for it */
};

struct pt_core_sources {
	struct pt_cores cores;
	struct pt_cores_kind kind;
	const struct pt_core_source_kind *one;
	struct pt_cortexm *first;
};

/* Whether there is a core for it. The error is that of the first core. */
int pt_core_sources_available(struct pt_target *target, const struct pt_core_source_kind *kind, struct pt_err *err);
/* As of struct pt_source_ops, where the state is a struct pt_core_sources. word: of the settings, or NULL. Beside others it
 * is the last of them: its numbers in the trace go on from the first one's. PT_ESTATE: the core is away, and why. */
int pt_core_sources_start(void *state, const struct pt_core_source_kind *kind, const char *word,
			  struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err);
int pt_core_sources_drain(void *state, struct pt_err *err);
int pt_core_sources_on_state(void *state, enum pt_state what, unsigned core, uint64_t pc, struct pt_err *err);
int pt_core_sources_stop(void *state, struct pt_err *err);

/* For the start of a source of one core: finds which core it is. PT_ESTATE, or the error of fits. A source that waits
 * checks away itself. */
int pt_core_sources_take(struct pt_cortexm **cm, const struct pt_core_source_kind *kind, struct pt_target *target,
			 unsigned core, struct pt_err *err);

#endif
