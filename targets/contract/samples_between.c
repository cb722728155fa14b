#include "targets/contract/samples_between.h"

const struct pt_param pt_samples_between_params[] = {
	[PT_SAMPLES_SHARE] = { .key = "samples-share", .type = PT_PARAM_NUMBER, .standard = "25", .min = 1, .max = 99,
			       .help = "percent of the link that samples have at least, where bursts would take all of "
				       "it; the rest is the bursts', and what they leave the samples'" },
};

int pt_samples_between_available(const struct pt_source_ops *const *members, struct pt_target *target,
				 struct pt_err *err)
{
	for (size_t i = 0; members[i] != NULL; i++)
		if (members[i]->available(target, err) < 0)
			return pt_wrap(err, "%s", members[i]->name);
	return 0;
}

int pt_samples_between_start(void *state, const struct pt_source_ops *const *members, struct pt_target *target,
			     const struct pt_source_setup *setup, struct pt_err *err)
{
	unsigned percent = (unsigned)pt_params_number(setup->settings, &pt_samples_between_params[PT_SAMPLES_SHARE]);
	const unsigned weight[] = { 100 - percent, percent };
	struct pt_source_setup own = *setup;
	struct pt_err ignored = { 0 };

	for (size_t i = 0; members[i] != NULL; i++, own.source++)
		if (pt_shared_link_add(state, target, &own, members[i], weight[i], err) < 0) {
			pt_wrap(err, "%s", members[i]->name);
			pt_shared_link_stop(state, &ignored);
			return err->code;
		}
	return 0;
}
