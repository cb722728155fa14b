/* The source mtb+pcsr: bursts of the MTB, with samples of DWT_PCSR between them (samples_between.h). */
#include "targets/contract/samples_between.h"
#include "targets/cortexm/core/cortexm.h"
#include "targets/cortexm/trace/sources.h"
#include "trace/formats.h"

static const struct pt_source_ops *const members[] = { &pt_source_mtb, &pt_source_pcsr, NULL };

static int available(struct pt_target *target, struct pt_err *err)
{
	return pt_samples_between_available(members, target, err);
}

static int start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	return pt_samples_between_start(state, members, target, setup, err);
}

const struct pt_source_ops pt_source_mtb_pcsr = {
	.name = "mtb+pcsr",
	.format = PT_FORMAT_MTB,
	.flow = true,
	.modes = "together",
	.titles = "MTB bursts + PC samples",
	.help = "bursts of the MTB, and samples from DWT_PCSR between them: shares from samples, the rest from bursts",
	.state_bytes = sizeof(struct pt_shared_link),
	.params = pt_samples_between_params,
	.n_params = PT_SAMPLES_BETWEEN_N_PARAMS,
	.members = members,
	.available = available,
	.start = start,
	.drain = pt_shared_link_drain,
	.on_state = pt_shared_link_on_state,
	.behind = pt_shared_link_behind,
	.stop = pt_shared_link_stop,
};
