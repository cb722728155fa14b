/* The source dbg-profile+sync-pc: snapshots of the trace buffer, and SYNC_PC samples between them (samples_between.h).
 * Reading a snapshot takes some 10 ms of the wire, and the delay before the next is some 20 ms, which samples can
 * use. */
#include "targets/contract/samples_between.h"
#include "targets/s12z/core/s12z.h"
#include "trace/formats.h"

static const struct pt_source_ops *const members[] = { &pt_source_s12z_profile, &pt_source_s12z_pc, NULL };

static int available(struct pt_target *target, struct pt_err *err)
{
	return pt_samples_between_available(members, target, err);
}

static int start(void *state, struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err)
{
	return pt_samples_between_start(state, members, target, setup, err);
}

const struct pt_source_ops pt_source_s12z_both = {
	.name = "dbg-profile+sync-pc",
	.format = PT_FORMAT_S12Z_PROFILE,
	.flow = true,
	.modes = "together",
	.titles = "DBG bursts + PC samples",
	.help = "snapshots of code profiling, and samples from SYNC_PC between them: shares from samples, the rest from "
		"snapshots",
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
