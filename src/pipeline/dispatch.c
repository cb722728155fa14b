/* The events of one source, to what uses them: flow makes runs of those about the flow, samples make the flat
 * profile, the rest goes to the analyses that want it. Events of several kinds in one stream act in their order: what
 * ran before a value is out before the value is. */
#include "pipeline/pipeline_parts.h"
#include "profile/stack/plain.h"

/* --- runs */

/* How long the core slept: by the core clock, else the part that it is of all that the stamps and the model have. */
static uint64_t slept_ns(const struct pt_lane *lane)
{
	const struct pt_pipeline *p = lane->pipeline;
	const struct pt_account *a = &lane->account;

	if (lane->slept == 0)
		return 0;
	if (p->profile.core_hz != 0)
		return (uint64_t)((double)lane->slept * 1e9 / (double)p->profile.core_hz);
	return (uint64_t)((double)(a->sum.observed_ns + a->slept_ns) * (double)lane->slept /
			  (double)(lane->slept + lane->cycles));
}

static void take_flow(struct pt_lane *lane, const struct pt_event *event, size_t n)
{
	struct pt_run_batch *batch = &lane->pipeline->run_batch;

	batch->source = lane->source;
	batch->core = lane->core;
	for (size_t taken = 0; taken < n;) {
		taken += pt_flow_feed(&lane->flow, event + taken, n - taken, batch);
		pt_gate_runs(lane, batch);
		pt_gate_pass_sleep(lane);
	}
}

/* Those who want runs and steps take them in brief; nobody wants the events. */
bool pt_sort_takes_pairs(const struct pt_lane *lane)
{
	const struct pt_pipeline *p = lane->pipeline;

	return p->merge == NULL && lane->flows_into != NULL && lane->decoder->pairs != NULL && p->executes &&
	       !lane->bursts_only && !pt_gate_wants(lane);
}

static void take_briefs(void *arg, const struct pt_brief_batch *batch)
{
	pt_chosen_briefs(((struct pt_lane *)arg)->pipeline, batch);
}

static void take_piece(void *arg, const struct pt_piece *piece)
{
	struct pt_lane *lane = arg;

	pt_chosen_piece(lane->pipeline, piece, lane->core, pt_gate_moment(lane));
	lane->cycles += pt_sum_cycles(piece->sums[piece->n_departures]);
}

size_t pt_sort_pairs(struct pt_lane *lane, const uint8_t *bytes, size_t len_bytes, size_t *packet_bytes)
{
	const struct pt_pipeline *p = lane->pipeline;
	const struct pt_plain_sink sink = { take_briefs, p->wants_runs ? take_piece : NULL, lane };
	size_t n = lane->decoder->pairs(lane->state, len_bytes, packet_bytes);

	n = pt_plain_feed(&lane->flow, lane->flows_into->execution, bytes, n, lane->decoder->pairs_below, &sink);
	lane->runs += n;
	return n * PT_PAIR_BYTES;
}

/* --- all events */

static void take_place(struct pt_lane *lane, uint64_t address)
{
	struct pt_flat *flat = lane->samples_into->flat;
	uint16_t handler;
	bool in_code;
	double entered;

	pt_flat_sample(flat, pt_codemap_function(lane->pipeline->map, address, &in_code));
	pt_traced_place(lane->pipeline, lane->samples_into, address, in_code);
	entered = lane->meets_interrupted ? pt_entered_at(lane->pipeline->entered, address, &handler) : 0;
	if (entered > 0)
		pt_flat_entered(flat, handler, entered);
}

static void take_sample(struct pt_lane *lane, const struct pt_event *e)
{
	struct pt_flat *flat;

	lane->samples += e->kind == PT_EV_SAMPLE;
	if (lane->samples_into == NULL)
		return;
	flat = lane->samples_into->flat;
	if (e->kind == PT_EV_COUNTER && e->counter.id == PT_COUNTER_REFUSED) {
		pt_flat_refused(flat, e->counter.count);
	} else if (e->kind == PT_EV_SAMPLE && e->branch.to == PT_UNKNOWN) {
		pt_flat_asleep(flat);
	} else if (e->kind == PT_EV_SAMPLE) {
		take_place(lane, e->branch.to);
	}
}

static bool is_flow(const struct pt_event *e)
{
	return (e->kind >= PT_EV_START && e->kind <= PT_EV_STOP) || e->kind == PT_EV_EXECUTED;
}

static struct pt_moment moment_of(struct pt_lane *lane, const struct pt_event *e)
{
	struct pt_moment at;

	if (e->ticks == PT_UNKNOWN)
		return lane->now;
	pt_clock_guess(&lane->clock, e->ticks, lane->now.ns, lane->now.ns + lane->now.error_ns);
	at = pt_clock_at(&lane->clock, e->ticks);
	return at.ns != PT_UNKNOWN ? at : lane->now;
}

/* The task that runs, for the stacks of execution: as a signal of the core whose runs it gets. */
static void tell_execution(struct pt_lane *lane, const struct pt_signal *signal)
{
	struct pt_pipeline *p = lane->pipeline;
	uint16_t task = signal->value < PT_EXECUTION_TASKS ? (uint16_t)signal->value : PT_NO_TASK;
	struct pt_traced *traced;

	if (signal->kind != PT_SIGNAL_TASK || !p->executes)
		return;
	traced = pt_traced_core(p, signal->core);
	if (traced != NULL && traced->flow != NULL)
		pt_execution_task(traced->execution, task, signal->at, lane == traced->flow);
}

static void take_signals(struct pt_lane *lane, const struct pt_event *e, struct pt_moment at)
{
	struct pt_signal signal[PT_SIGNALS_ROOM];
	size_t n = pt_signals_take(lane->pipeline->signals, e, at, signal);

	for (size_t i = 0; i < n; i++)
		tell_execution(lane, &signal[i]);
	if (n > 0 && lane->pipeline->wants_signals)
		pt_chosen_signals(lane->pipeline, signal, n);
}

/* A trace of all accesses shows what there is, though nobody has named any of it. */
static void take_value(struct pt_lane *lane, const struct pt_event *e, struct pt_moment at)
{
	struct pt_pipeline *p = lane->pipeline;

	if (lane->data_only && e->kind == PT_EV_VALUE && !pt_definitions_access(p->definitions, e))
		p->unplaced++;
	if (e->kind == PT_EV_VALUE && at.ns != PT_UNKNOWN && (lane->seen.ns == PT_UNKNOWN || at.ns > lane->seen.ns))
		lane->seen = at;
	/* A gap shows when the trace goes on, or at the end of its chunk: it began behind the last that was seen. */
	take_signals(lane, e, e->kind == PT_EV_GAP && lane->seen.ns != PT_UNKNOWN ? lane->seen : at);
}

static void take_other(struct pt_lane *lane, const struct pt_event *e, struct pt_moment at)
{
	struct pt_pipeline *p = lane->pipeline;

	if (e->kind == PT_EV_GAP && e->cause == PT_GAP_DAMAGED && e->gap.bytes != PT_UNKNOWN)
		lane->damaged_bytes += e->gap.bytes;
	if (e->kind == PT_EV_GAP && (lane->decoder->gives & PT_GIVES_FLOW) != 0)
		take_flow(lane, e, 1);
	else if (e->kind == PT_EV_GAP)
		lane->overflows += e->cause == PT_GAP_OVERFLOW;
	if (e->kind == PT_EV_VALUE || e->kind == PT_EV_VALUE_PC || e->kind == PT_EV_GAP)
		take_value(lane, e, at);
	if (e->kind == PT_EV_SINCE) {
		if (lane->flow.stamps != PT_STAMPS_OTHER)
			take_flow(lane, e, 1);
		pt_since_take(&p->since, e);
	}
	if (e->kind == PT_EV_VALUE)
		lane->values++;
	else if (e->kind == PT_EV_SAMPLE || e->kind == PT_EV_COUNTER)
		take_sample(lane, e);
	if (p->wants_events && e->kind != PT_EV_VALUE && e->kind != PT_EV_VALUE_PC)
		pt_chosen_events(p, e, &at, 1);
}

/* Where flow has stamps of its own, runs are placed by them. */
static void stamp(struct pt_lane *lane, const struct pt_event *e, const struct pt_moment *at)
{
	if (e->ticks == PT_UNKNOWN)
		return;
	pt_gate_anchor(lane, at != NULL ? *at : moment_of(lane, e));
}

void pt_sort_events(struct pt_lane *lane, const struct pt_event *event, const struct pt_moment *at, size_t n)
{
	bool flow = (lane->decoder->gives & PT_GIVES_FLOW) != 0;

	if (lane->decoder->gives == PT_GIVES_FLOW) {
		stamp(lane, event, at);
		take_flow(lane, event, n);
		return;
	}
	for (size_t i = 0, first; i < n;) {
		for (first = i; i < n && is_flow(&event[i]); i++)
			;
		if (flow && i > first) {
			stamp(lane, &event[first], at != NULL ? &at[first] : NULL);
			take_flow(lane, event + first, i - first);
		}
		if (i < n) {
			take_other(lane, &event[i], at != NULL ? at[i] : moment_of(lane, &event[i]));
			i++;
		}
	}
}

/* --- marks */

/* How far what comes of the chunk may be from its beginning. */
static uint64_t span_of(const struct pt_lane *lane, const struct pt_chunk *chunk)
{
	if (lane->facts.no_clock)
		return PT_NO_BOUND_NS;
	return chunk->to_ns > chunk->from_ns ? chunk->to_ns - chunk->from_ns : 0;
}

static void data_begins(struct pt_lane *lane, const struct pt_chunk *chunk)
{
	uint64_t span = span_of(lane, chunk);

	pt_gate_chunk_begins(lane);
	pt_gate_anchor(lane, (struct pt_moment){ chunk->from_ns, span });
}

/* What comes of this chunk lies in it, but for what has a stamp. */
static void chunk_begins(struct pt_lane *lane, const struct pt_chunk *chunk)
{
	if (lane->now.ns == PT_UNKNOWN && lane->flows_into != NULL)	/* the first */
		pt_chosen_blind(lane->pipeline, lane->core, 0, chunk->from_ns);
	lane->now = (struct pt_moment){ chunk->from_ns, span_of(lane, chunk) };
	if (lane->armed_ns == PT_UNKNOWN)
		lane->armed_ns = chunk->from_ns;
	lane->run_cycles = lane->cycles;
	lane->run_slept = lane->slept;
}

/* Silence is the rest of the chunk: no value changed any more. Where nothing but a guess ties the stamps to the probe's
 * clock, and that is less certain than the silence is long, nobody knows whether there was any. */
static void seen(struct pt_lane *lane, uint64_t upto_ns)
{
	bool anchored = lane->clock.n_anchors > 0 && !lane->clock.guessed;
	uint64_t error_ns = anchored ? 0 : lane->seen.error_ns;

	if (lane->seen.ns == PT_UNKNOWN || upto_ns > lane->seen.ns + error_ns)
		lane->seen = (struct pt_moment){ upto_ns, 0 };
	if (lane->pipeline->wants_signals)
		pt_chosen_seen(lane->pipeline, lane->source, lane->seen.ns);
}

static void lose(struct pt_lane *lane, const struct pt_chunk *chunk)
{
	pt_account_loss(&lane->account, chunk);
	pt_gate_away(lane, (enum pt_loss)chunk->cause, chunk->to_ns - chunk->from_ns);
	if (lane->flows_into != NULL && chunk->cause != PT_LOSS_SLEEP)
		pt_chosen_blind(lane->pipeline, lane->core, chunk->from_ns, chunk->to_ns);
}

static void stream_ends(struct pt_lane *lane)
{
	struct pt_pipeline *p = lane->pipeline;

	if ((lane->decoder->gives & PT_GIVES_FLOW) != 0) {
		pt_flow_flush(&lane->flow, &p->run_batch);
		pt_gate_runs(lane, &p->run_batch);
	}
	pt_gate_burst_ends(lane, false);
}

void pt_sort_mark(struct pt_lane *lane, enum pt_mark mark, const struct pt_chunk *chunk)
{
	if (mark == PT_MARK_CHUNK)
		chunk_begins(lane, chunk);
	else if (mark == PT_MARK_BURST)
		pt_gate_burst(lane, chunk->from_ns, chunk->cause);
	else if (mark == PT_MARK_BURST_WHOLE || mark == PT_MARK_BURST_CUT)
		pt_gate_burst_ends(lane, mark == PT_MARK_BURST_WHOLE);
	else if (mark == PT_MARK_DATA)
		data_begins(lane, chunk);
	else if (mark == PT_MARK_DATA_END && lane->samples_into != NULL)
		pt_traced_end_batch(lane->samples_into);
	else if (mark == PT_MARK_LOSS)
		lose(lane, chunk);
	else if (mark == PT_MARK_END)
		stream_ends(lane);
	if (mark == PT_MARK_DATA_END) {
		if (!lane->bursts_only)		/* the end of a burst is somewhere in its chunk */
			seen(lane, chunk->to_ns);
		pt_chosen_batch_end(lane->pipeline, chunk->source);
		pt_account_data(&lane->account, chunk, pt_gate_ran_ns(lane, chunk));
		pt_account_slept(&lane->account, slept_ns(lane));
	}
}
