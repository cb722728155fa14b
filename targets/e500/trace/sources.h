/* The sources of the target, and functions for sources of several cores. */
#ifndef PT_E500_SOURCES_H
#define PT_E500_SOURCES_H

#include "targets/contract/cores.h"
#include "targets/contract/source.h"

extern const struct pt_source_ops pt_source_e500_counters, pt_source_e500_samples;

/* cores.c: starts a source with PT_E500_CORE_PARAM; its state is a struct pt_cores. The other functions are for its
 * struct pt_cores_kind. */
int pt_e500_cores_start(struct pt_cores *s, const struct pt_cores_kind *kind, const char *word,
			struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err);
uint64_t pt_e500_cores_now_ns(const void *e500);
unsigned pt_e500_cores_thread_of(const void *e500, unsigned number);

#endif
