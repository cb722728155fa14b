/* Runs on their way to execution and to the analyses, cut into windows where they come in bursts (flow/windows.h): what
 * is fed between the two edges of a window is what estimates are made of. */
#include "pipeline/pipeline_parts.h"

/* --- where runs stand in time */

/* So far, that of a last stamp which flow has not taken yet included. */
static uint64_t passed_cycles(const struct pt_lane *lane)
{
	return lane->cycles + lane->slept + lane->flow.at_end;
}

void pt_gate_chunk_begins(struct pt_lane *lane)
{
	lane->chunk_cycles = passed_cycles(lane);
}

/* How long the core ran to make a burst, or what a buffer holds that goes around, where it can be told: its modelled
 * cycles on the core clock. */
uint64_t pt_gate_ran_ns(const struct pt_lane *lane, const struct pt_chunk *chunk)
{
	uint64_t core_hz = lane->pipeline->profile.core_hz;
	bool end_of_more = lane->around && chunk->to_ns <= chunk->from_ns;

	if (end_of_more && core_hz == 0)
		return PT_GATE_ALL;
	if ((!lane->bursts_only && !end_of_more) || core_hz == 0)
		return PT_UNKNOWN;
	if (lane->pipeline->program == NULL)
		return 0;		/* nothing is known of what ran */
	if (lane->pipeline->timing == NULL)
		return PT_UNKNOWN;
	if (passed_cycles(lane) < lane->chunk_cycles)	/* it was of a core that was halted */
		return 0;
	return (uint64_t)((double)(passed_cycles(lane) - lane->chunk_cycles) * 1e9 / (double)core_hz);
}

struct pt_moment pt_gate_moment(const struct pt_lane *lane)
{
	struct pt_moment at = lane->now;
	uint64_t core_hz = lane->pipeline->profile.core_hz;

	if (core_hz != 0 && at.ns != PT_UNKNOWN && lane->pipeline->timing != NULL)
		at.ns += (uint64_t)((double)(lane->cycles - lane->run_cycles + lane->slept - lane->run_slept) * 1e9 /
				    (double)core_hz);
	return at;
}

static void anchor_execution(const struct pt_lane *lane, struct pt_moment at)
{
	const struct pt_pipeline *p = lane->pipeline;
	bool known = p->settings.clock == PT_FLOW_CYCLES;

	pt_execution_anchor(lane->flows_into->execution, at.ns, known ? (double)p->profile.core_hz : 0);
	pt_execution_anchor_error(lane->flows_into->execution, at.error_ns);
}

void pt_gate_anchor(struct pt_lane *lane, struct pt_moment at)
{
	lane->run_cycles = lane->cycles;
	lane->run_slept = lane->slept;
	lane->now = at;
	if (lane->flows_into != NULL)
		anchor_execution(lane, at);
}

/* What comes next is so much later. The clock of execution is awake only. */
void pt_gate_pass_sleep(struct pt_lane *lane)
{
	const struct pt_pipeline *p = lane->pipeline;

	if (lane->slept == lane->flow.counts.slept_cycles)
		return;
	lane->slept = lane->flow.counts.slept_cycles;
	if (lane->flows_into != NULL && p->profile.core_hz != 0 && p->settings.clock == PT_FLOW_CYCLES)
		pt_execution_anchor(lane->flows_into->execution, pt_gate_moment(lane).ns, (double)p->profile.core_hz);
}

/* --- runs */

static void give_runs(struct pt_lane *lane, const struct pt_run *run, size_t n, struct pt_moment from)
{
	struct pt_pipeline *p = lane->pipeline;

	if (n == 0)
		return;
	if (p->executes)
		pt_execution_feed(lane->flows_into->execution, run, n);
	if (p->wants_runs)
		pt_chosen_runs(p, run, n, lane->core, from);
}

static void count_cycles(struct pt_lane *lane, const struct pt_run *run, size_t n)
{
	for (size_t i = 0;
	     (lane->bursts_only || lane->pipeline->wants_runs || lane->flow.stamps != PT_STAMPS_OTHER) && i < n; i++)
		lane->cycles += run[i].cycles;
}

/* window NULL: one begins; else it has ended. */
static void tell_edge(struct pt_lane *lane, const struct pt_time_window *window)
{
	if (lane->pipeline->executes)
		pt_execution_clock(lane->flows_into->execution);
	pt_chosen_window(lane->pipeline, lane->core, window);
}

static void hold_runs(struct pt_lane *lane, const struct pt_run *run, size_t n)
{
	struct pt_windows *windows = lane->flows_into->windows;

	if (!lane->holding)
		lane->held_from = pt_gate_moment(lane);
	lane->holding = true;
	count_cycles(lane, run, n);
	for (size_t taken; n > 0; run += taken, n -= taken) {
		taken = pt_windows_hold(windows, run, n);
		if (taken < n) {
			size_t n_old;
			const struct pt_run *old = pt_windows_oldest(windows, &n_old);

			anchor_execution(lane, lane->held_from);
			give_runs(lane, old, n_old, lane->held_from);
		}
	}
}

static void cut_runs(struct pt_lane *lane, const struct pt_run *run, size_t n)
{
	struct pt_windows *windows = lane->flows_into->windows;

	for (size_t done = 0, before; done < n; done += before) {
		bool ends;

		before = pt_windows_take(windows, run + done, n - done, &ends);
		give_runs(lane, run + done, before, pt_gate_moment(lane));
		count_cycles(lane, run + done, before);
		if (ends)
			tell_edge(lane, pt_windows_last(windows));
	}
}

void pt_gate_runs(struct pt_lane *lane, struct pt_run_batch *batch)
{
	if (lane->flows_into == NULL)
		count_cycles(lane, batch->run, batch->n_runs);
	else if (pt_windows_holds(lane->flows_into->windows))
		hold_runs(lane, batch->run, batch->n_runs);
	else
		cut_runs(lane, batch->run, batch->n_runs);
	for (size_t i = 0; i < batch->n_runs; i++)
		lane->runs += !pt_run_is_time(&batch->run[i]);
	batch->n_runs = 0;
}

/* --- bursts */

bool pt_gate_wants(const struct pt_lane *lane)
{
	const struct pt_windows *windows = lane->flows_into->windows;

	return pt_windows_wants(windows) || pt_windows_holds(windows);
}

/* The core did not run, or nobody knows whether it did: no burst stands for that time. */
void pt_gate_away(struct pt_lane *lane, enum pt_loss cause, uint64_t ns)
{
	if (cause == PT_LOSS_HALTED || (pt_loss_is_fault(cause) && cause != PT_LOSS_OVERRUN))
		lane->away_ns += ns;
}

/* The first stretch of a stream began with the profile, and what a ring holds ends where the user chose: no clock did. */
static bool is_random(const struct pt_lane *lane)
{
	return lane->bursts_only || (lane->n_bursts > 1 && !lane->around);
}

static enum pt_window_chosen chosen_of(const struct pt_lane *lane, unsigned cause)
{
	return cause == PT_DATA_CHOSEN_NEITHER			    ? PT_WINDOW_NEITHER
	       : cause == PT_DATA_CHOSEN_END			    ? PT_WINDOW_END
	       : cause == PT_DATA_CHOSEN_BEGIN || !lane->chosen_end ? PT_WINDOW_BEGINNING
								    : PT_WINDOW_END;
}

void pt_gate_burst(struct pt_lane *lane, uint64_t armed_ns, unsigned cause)
{
	uint64_t since = armed_ns - lane->armed_ns;
	enum pt_window_chosen chosen = chosen_of(lane, cause);

	lane->n_bursts++;
	if (lane->flows_into != NULL && is_random(lane)) {
		pt_windows_core_hz(lane->flows_into->windows,
				   lane->pipeline->timing != NULL ? lane->pipeline->profile.core_hz : 0);
		pt_windows_begin(lane->flows_into->windows, chosen,
				 since > lane->away_ns ? (double)(since - lane->away_ns) : 1);
		if (chosen == PT_WINDOW_BEGINNING)
			tell_edge(lane, NULL);
	}
	lane->armed_ns = armed_ns;
	lane->away_ns = 0;
}

static void give_held(struct pt_lane *lane, bool whole)
{
	size_t n, first;
	const struct pt_run *run = pt_windows_held(lane->flows_into->windows, whole, &n, &first);

	lane->holding = false;
	if (n == 0)
		return;
	anchor_execution(lane, lane->held_from);
	give_runs(lane, run, first, lane->held_from);
	if (first == n)
		return;
	tell_edge(lane, NULL);
	give_runs(lane, run + first, n - first, lane->held_from);
	tell_edge(lane, pt_windows_last(lane->flows_into->windows));
}

void pt_gate_burst_ends(struct pt_lane *lane, bool whole)
{
	if (lane->flows_into == NULL)
		return;
	if (pt_windows_holds(lane->flows_into->windows))
		give_held(lane, whole);
	else if (pt_windows_end(lane->flows_into->windows, whole))
		tell_edge(lane, pt_windows_last(lane->flows_into->windows));
}
