/* Passes runs to execution and analyses. Cuts bursts of runs into windows (flow/windows.h): estimates use what lies
 * between the two edges of a window. */
#include "pipeline/pipeline_parts.h"

/* --- where runs stand in time */

/* The cycles so far, including the last timestamp that flow has not taken yet. */
static uint64_t passed_cycles(const struct pt_source_ctx *ctx)
{
	return ctx->cycles + ctx->slept + ctx->flow.at_end;
}

void pt_gate_chunk_begins(struct pt_source_ctx *ctx)
{
	ctx->chunk_cycles = passed_cycles(ctx);
}

/* How long the core ran to fill a burst or a ring buffer, if known: its modelled cycles at the core clock. */
uint64_t pt_gate_ran_ns(const struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	uint64_t core_hz = ctx->pipeline->profile.core_hz;
	bool end_of_more = ctx->around && chunk->to_ns <= chunk->from_ns;

	if (end_of_more && core_hz == 0)
		return PT_GATE_ALL;
	if ((!ctx->bursts_only && !end_of_more) || core_hz == 0)
		return PT_UNKNOWN;
	if (ctx->pipeline->program == NULL)
		return 0;		/* nothing is known of what ran */
	if (ctx->pipeline->timing == NULL || ctx->pipeline->opt_in_model)
		return PT_UNKNOWN;
	if (passed_cycles(ctx) < ctx->chunk_cycles)	/* the core was halted then */
		return 0;
	return (uint64_t)((double)(passed_cycles(ctx) - ctx->chunk_cycles) * 1e9 / (double)core_hz);
}

uint64_t pt_gate_run_ns(const struct pt_source_ctx *ctx)
{
	uint64_t core_hz = ctx->pipeline->profile.core_hz;

	if (core_hz == 0 || ctx->pipeline->timing == NULL)
		return 0;
	return (uint64_t)((double)(ctx->cycles - ctx->run_cycles + ctx->slept - ctx->run_slept) * 1e9 /
			  (double)core_hz);
}

struct pt_timestamp pt_gate_moment(const struct pt_source_ctx *ctx)
{
	struct pt_timestamp at = ctx->now;

	if (at.ns != PT_UNKNOWN && !ctx->pipeline->opt_in_model)
		at.ns += pt_gate_run_ns(ctx);
	return at;
}

static void anchor_execution(const struct pt_source_ctx *ctx, struct pt_timestamp at)
{
	const struct pt_pipeline *p = ctx->pipeline;
	bool known = p->settings.clock == PT_FLOW_CYCLES;

	pt_execution_anchor(ctx->flows_into->execution, at.ns, known ? (double)p->profile.core_hz : 0);
	pt_execution_anchor_error(ctx->flows_into->execution, at.error_ns);
}

void pt_gate_anchor(struct pt_source_ctx *ctx, struct pt_timestamp at)
{
	ctx->run_cycles = ctx->cycles;
	ctx->run_slept = ctx->slept;
	ctx->now = at;
	if (ctx->flows_into != NULL)
		anchor_execution(ctx, at);
}

/* Moves the time of the next run behind the sleep. The clock of execution does not count sleep. */
void pt_gate_pass_sleep(struct pt_source_ctx *ctx)
{
	const struct pt_pipeline *p = ctx->pipeline;

	if (ctx->slept == ctx->flow.counts.slept_cycles)
		return;
	ctx->slept = ctx->flow.counts.slept_cycles;
	if (ctx->flows_into != NULL && p->profile.core_hz != 0 && p->settings.clock == PT_FLOW_CYCLES)
		pt_execution_anchor(ctx->flows_into->execution, pt_gate_moment(ctx).ns, (double)p->profile.core_hz);
}

/* --- runs */

static void give_runs(struct pt_source_ctx *ctx, const struct pt_run *run, size_t n, struct pt_timestamp from)
{
	struct pt_pipeline *p = ctx->pipeline;

	if (n == 0)
		return;
	if (p->executes)
		pt_execution_feed(ctx->flows_into->execution, run, n);
	if (p->wants_runs)
		pt_selection_runs(p, run, n, ctx->core, from);
}

static void count_cycles(struct pt_source_ctx *ctx, const struct pt_run *run, size_t n)
{
	for (size_t i = 0;
	     (ctx->bursts_only || ctx->pipeline->wants_runs || ctx->flow.stamps != PT_STAMPS_OTHER) && i < n; i++)
		ctx->cycles += run[i].cycles;
}

/* window NULL: a window begins; else this window has ended. */
static void tell_edge(struct pt_source_ctx *ctx, const struct pt_time_window *window)
{
	if (ctx->pipeline->executes)
		pt_execution_clock(ctx->flows_into->execution);
	pt_selection_window(ctx->pipeline, ctx->core, window);
}

static void hold_runs(struct pt_source_ctx *ctx, const struct pt_run *run, size_t n)
{
	struct pt_windows *windows = ctx->flows_into->windows;

	if (!ctx->holding)
		ctx->held_from = pt_gate_moment(ctx);
	ctx->holding = true;
	count_cycles(ctx, run, n);
	for (size_t taken; n > 0; run += taken, n -= taken) {
		taken = pt_windows_hold(windows, run, n);
		if (taken < n) {
			size_t n_old;
			const struct pt_run *old = pt_windows_oldest(windows, &n_old);

			anchor_execution(ctx, ctx->held_from);
			give_runs(ctx, old, n_old, ctx->held_from);
		}
	}
}

static void cut_runs(struct pt_source_ctx *ctx, const struct pt_run *run, size_t n)
{
	struct pt_windows *windows = ctx->flows_into->windows;

	for (size_t done = 0, before; done < n; done += before) {
		bool ends;

		before = pt_windows_take(windows, run + done, n - done, &ends);
		give_runs(ctx, run + done, before, pt_gate_moment(ctx));
		count_cycles(ctx, run + done, before);
		if (ends)
			tell_edge(ctx, pt_windows_last(windows));
	}
}

void pt_gate_runs(struct pt_source_ctx *ctx, struct pt_run_batch *batch)
{
	if (ctx->flows_into == NULL)
		count_cycles(ctx, batch->run, batch->n_runs);
	else if (pt_windows_holds(ctx->flows_into->windows))
		hold_runs(ctx, batch->run, batch->n_runs);
	else
		cut_runs(ctx, batch->run, batch->n_runs);
	for (size_t i = 0; i < batch->n_runs; i++)
		ctx->runs += !pt_run_is_time(&batch->run[i]);
	batch->n_runs = 0;
}

/* --- bursts */

bool pt_gate_wants(const struct pt_source_ctx *ctx)
{
	const struct pt_windows *windows = ctx->flows_into->windows;

	return pt_windows_wants(windows) || pt_windows_holds(windows);
}

/* The core did not run, or it is unknown whether it did: no burst represents that time. */
void pt_gate_away(struct pt_source_ctx *ctx, enum pt_loss cause, uint64_t ns)
{
	if (cause == PT_LOSS_HALTED || cause == PT_LOSS_IN_RESET ||
	    (pt_loss_is_fault(cause) && cause != PT_LOSS_OVERRUN))
		ctx->away_ns += ns;
}

/* The first stretch of a stream begins with the profile, and a ring ends when the user chooses: neither is random. */
static bool is_random(const struct pt_source_ctx *ctx)
{
	return ctx->bursts_only || (ctx->n_bursts > 1 && !ctx->around);
}

static enum pt_window_chosen chosen_of(const struct pt_source_ctx *ctx, unsigned cause)
{
	return cause == PT_DATA_CHOSEN_NEITHER			   ? PT_WINDOW_NEITHER
	       : cause == PT_DATA_CHOSEN_END			   ? PT_WINDOW_END
	       : cause == PT_DATA_CHOSEN_BEGIN || !ctx->chosen_end ? PT_WINDOW_BEGINNING
								   : PT_WINDOW_END;
}

void pt_gate_burst(struct pt_source_ctx *ctx, uint64_t armed_ns, unsigned cause)
{
	uint64_t since = armed_ns - ctx->armed_ns;
	enum pt_window_chosen chosen = chosen_of(ctx, cause);

	ctx->n_bursts++;
	if (ctx->flows_into != NULL && is_random(ctx)) {
		pt_windows_core_hz(ctx->flows_into->windows,
				   ctx->pipeline->timing != NULL ? ctx->pipeline->profile.core_hz : 0);
		pt_windows_begin(ctx->flows_into->windows, chosen,
				 since > ctx->away_ns ? (double)(since - ctx->away_ns) : 1);
		if (chosen == PT_WINDOW_BEGINNING)
			tell_edge(ctx, NULL);
	}
	ctx->armed_ns = armed_ns;
	ctx->away_ns = 0;
}

static void give_held(struct pt_source_ctx *ctx, bool whole)
{
	size_t n, first;
	const struct pt_run *run = pt_windows_held(ctx->flows_into->windows, whole, &n, &first);

	ctx->holding = false;
	if (n == 0)
		return;
	anchor_execution(ctx, ctx->held_from);
	give_runs(ctx, run, first, ctx->held_from);
	if (first == n)
		return;
	tell_edge(ctx, NULL);
	give_runs(ctx, run + first, n - first, ctx->held_from);
	tell_edge(ctx, pt_windows_last(ctx->flows_into->windows));
}

void pt_gate_burst_ends(struct pt_source_ctx *ctx, bool whole)
{
	if (ctx->flows_into == NULL)
		return;
	if (pt_windows_holds(ctx->flows_into->windows))
		give_held(ctx, whole);
	else if (pt_windows_end(ctx->flows_into->windows, whole))
		tell_edge(ctx, pt_windows_last(ctx->flows_into->windows));
}
