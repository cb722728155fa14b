#include "profile/stack/compact_events.h"

struct pt_moment pt_brief_moment(const struct pt_brief_batch *batch, uint64_t clock)
{
	uint64_t ticks = clock - batch->anchor;

	return (struct pt_moment){
		.ns = batch->anchor_ns + (uint64_t)((double)ticks * batch->ns_per_tick),
		.error_ns = batch->ns_per_tick > 0 ? batch->anchor_error_ns : PT_NO_BOUND_NS,
	};
}

struct pt_step pt_brief_step(const struct pt_brief_batch *batch, size_t i)
{
	const struct pt_brief *b = &batch->brief[i];
	struct pt_step step = {
		.clock = batch->clock + b->ticks, .at = pt_brief_moment(batch, batch->clock + b->ticks),
		.period = PT_UNKNOWN, .site = PT_UNKNOWN, .function = b->function, .caller = b->caller,
		.stack = batch->stack, .task = batch->task, .core = batch->core, .told = batch->told,
		.kind = b->left ? PT_STEP_LEAVE : PT_STEP_ENTER, .entry = PT_ENTRY_CALL,
	};

	if (b->left) {
		step.net = b->net;
		step.gross = b->gross;
		step.call = b->call;
	} else {
		step.site = b->site;
	}
	return step;
}
