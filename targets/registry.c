/* The life of a target: attach by name or by trying, detach. */
#include "base/nearest.h"
#include "targets/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/contract/lease.h"
#include "base/util.h"

#define X(target) &pt_##target##_ops,
const struct pt_target_ops *const pt_targets[] = { PT_TARGETS(X) };
#undef X
const size_t pt_n_targets = PT_LEN(pt_targets);

const struct pt_target_word *pt_target_word(size_t i)
{
	for (size_t k = 0; k < pt_n_targets; k++)
		for (const struct pt_target_word *word = pt_targets[k]->words; word != NULL && word->name != NULL;
		     word++)
			if (i-- == 0)
				return word;
	return NULL;
}

static void free_target(struct pt_target *target)
{
	pt_lease_drop_all(target);
	free(target->state);
	free(target);
}

/* Returns the target when it attached or is locked (err->code says which), else NULL. */
static struct pt_target *try_one(const struct pt_target_ops *ops, struct pt_probe *probe, bool by_name,
				 const struct pt_params *settings, struct pt_err *err)
{
	struct pt_target *target = pt_alloc(sizeof(*target));

	target->state = pt_alloc(ops->state_bytes);
	target->ops = ops;
	target->probe = probe;
	target->by_name = by_name;
	err->code = ops->attach(target, settings, err);
	if (err->code == 0 || err->code == PT_ESTATE)
		return target;
	pt_wrap(err, "attach to %s", ops->name);
	free_target(target);
	return NULL;
}

static void no_such_target(const char *name, struct pt_err *err)
{
	struct pt_question question;
	char names[160] = "";
	size_t n = 0;

	for (size_t i = 0; i < pt_n_targets && n < sizeof(names); i++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i > 0 ? ", " : "", pt_targets[i]->name);
	pt_fail(err, PT_EARG, "there is no target \"%s\"%sthere are: %s", name, pt_did_you_mean(name, names, &question),
		names);
}

struct pt_target *pt_target_attach(struct pt_probe *probe, const char *name, const struct pt_params *settings,
				   struct pt_err *err)
{
	struct pt_target *target = NULL;
	struct pt_err best = { 0 };
	bool known = false;

	for (size_t i = 0; i < pt_n_targets && target == NULL; i++) {
		if (name != NULL && strcmp(name, pt_targets[i]->name) != 0)
			continue;
		known = true;
		target = try_one(pt_targets[i], probe, name != NULL, settings, err);
		/* who could not even try knows least; among those it is the first */
		if (best.code == 0 || (best.code == PT_EUNSUPPORTED && err->code != PT_EUNSUPPORTED))
			best = *err;
		if (target == NULL && err->code == PT_EARG)
			best = *err;	/* a setting is wrong: another target would only hide that */
		if (target == NULL && (err->code == PT_EIO || err->code == PT_EARG))
			break;	/* EIO: the probe is gone, no other target will find it */
	}
	if (!known)
		no_such_target(name, err);
	else if (target == NULL)
		*err = best;
	return target;
}

int pt_target_detach(struct pt_target *target, bool resume, struct pt_err *err)
{
	int rc = target->ops->detach(target->state, resume, err);

	free_target(target);
	return rc;
}
