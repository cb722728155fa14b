/* A source that is made of two: bursts of a trace buffer, and samples of the program counter while the link would idle
 * between them. A burst shows calls and order, and there are some ten in a second; samples show nothing but where the
 * core is, a thousand times in a second. The pipeline makes one estimate of both.
 * Its struct pt_source_ops has these functions, and those of shared_link.h. Board thread only. */
#ifndef PT_TARGETS_SAMPLES_BETWEEN_H
#define PT_TARGETS_SAMPLES_BETWEEN_H

#include "targets/contract/shared_link.h"

enum { PT_SAMPLES_SHARE, PT_SAMPLES_BETWEEN_N_PARAMS };
extern const struct pt_param pt_samples_between_params[];

/* members: bursts first, then samples, then NULL. */
int pt_samples_between_available(const struct pt_source_ops *const *members, struct pt_target *target,
				 struct pt_err *err);
int pt_samples_between_start(void *state, const struct pt_source_ops *const *members, struct pt_target *target,
			     const struct pt_source_setup *setup, struct pt_err *err);

#endif
