#include "profile/stack/compact_events.h"

struct pt_timestamp pt_compact_timestamp(const struct pt_compact_batch *batch, uint64_t clock)
{
	uint64_t ticks = clock - batch->anchor;

	return (struct pt_timestamp){
		.ns = batch->anchor_ns + (uint64_t)((double)ticks * batch->ns_per_tick),
		.error_ns = batch->ns_per_tick > 0 ? batch->anchor_error_ns : PT_NO_BOUND_NS,
	};
}

struct pt_call_event pt_compact_call_event(const struct pt_compact_batch *batch, size_t i)
{
	const struct pt_compact_event *b = &batch->compact[i];
	struct pt_call_event step = {
		.clock = batch->clock + b->ticks, .at = pt_compact_timestamp(batch, batch->clock + b->ticks),
		.period = PT_UNKNOWN, .site = PT_UNKNOWN, .function = b->function, .caller = b->caller,
		.stack = batch->stack, .task = batch->task, .core = batch->core, .told = batch->told,
		.kind = b->left ? PT_CALL_LEAVE : PT_CALL_ENTER, .entry = PT_ENTRY_CALL,
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
