/* The source mtb+pcsr: bursts of the MTB, and samples of the program counter while the link would idle between them.
 * A burst shows calls and order, and there are some ten in a second; samples show nothing but where the core is, a
 * thousand times in a second. The pipeline makes one estimate of both. */
#include "base/util.h"
#include "targets/contract/shared_link.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/trace/sources.h"
#include "trace/formats.h"

enum { SAMPLES_SHARE, N_PARAMS };
static const struct pt_param params[] = {
	[SAMPLES_SHARE] = { .key = "samples-share", .type = PT_PARAM_NUMBER, .standard = "25", .min = 1, .max = 99,
			    .help = "percent of the link that samples have at least, where bursts would take all of it; "
				    "the rest is the bursts', and what they leave the samples'" },
};

static const struct pt_source_ops *const members[] = { &pt_source_mtb, &pt_source_pcsr, NULL };

static int available(struct pt_target *target, struct pt_err *err)
{
	for (size_t i = 0; members[i] != NULL; i++)
		if (members[i]->available(target, err) < 0)
			return pt_wrap(err, "%s", members[i]->name);
	return 0;
}

static int start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	unsigned percent = (unsigned)pt_params_number(setup->settings, &params[SAMPLES_SHARE]);
	const unsigned weight[] = { 100 - percent, percent };
	struct pt_err ignored = { 0 };

	for (size_t i = 0; members[i] != NULL; i++)
		if (pt_shared_link_add(state, target, setup, members[i], weight[i], err) < 0) {
			pt_wrap(err, "%s", members[i]->name);
			pt_shared_link_stop(state, &ignored);
			return err->code;
		}
	return 0;
}

const struct pt_source_ops pt_source_mtb_pcsr = {
	.name = "mtb+pcsr",
	.format = PT_FORMAT_MTB,
	.flow = true,
	.modes = "together",
	.titles = "MTB bursts + PC samples",
	.help = "bursts of the MTB, and samples from DWT_PCSR between them: shares from samples, the rest from bursts",
	.state_bytes = sizeof(struct pt_shared_link),
	.params = params,
	.n_params = N_PARAMS,
	.members = members,
	.available = available,
	.start = start,
	.drain = pt_shared_link_drain,
	.on_state = pt_shared_link_on_state,
	.behind = pt_shared_link_behind,
	.stop = pt_shared_link_stop,
};
