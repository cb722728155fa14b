/* The list of targets, and the life of one: attach by name or by trying, detach. No target includes it. */
#ifndef PT_TARGETS_REGISTRY_H
#define PT_TARGETS_REGISTRY_H

#include "targets/contract/target.h"

#define PT_TARGETS(X) \
	X(cortexm) \
	X(s12z) \
	X(microblaze) \
	X(e500) \
	X(cortexm_rsp) \
	X(remote)
#define X(target) extern const struct pt_target_ops pt_##target##_ops;
PT_TARGETS(X)
#undef X

extern const struct pt_target_ops *const pt_targets[];	/* tried in this order */
extern const size_t pt_n_targets;

/* The words that any target has, in order; NULL behind the last. Any thread. */
const struct pt_target_word *pt_target_word(size_t i);

/* name NULL: the first target whose attach succeeds. Takes no ownership of the probe, which must live longer.
 * NULL on failure. A locked chip is returned, with err->code PT_ESTATE and the advice in err->msg: see attach. On
 * success err->code is 0. err is not NULL here. */
struct pt_target *pt_target_attach(struct pt_probe *probe, const char *name, const struct pt_params *settings,
				   struct pt_err *err);
int pt_target_detach(struct pt_target *target, bool resume, struct pt_err *err);	/* frees it, always */

#endif
