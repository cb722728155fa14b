/* Distributes the events of one source: events of the flow go to flow, which makes runs; samples go to the flat
 * profile; the rest goes to the analyses that want it. Events of one stream keep their order, whatever their kind: runs
 * that came before a value are passed on before the value. */
#include "pipeline/pipeline_parts.h"
#include "profile/stack/plain.h"

/* --- runs */

/* How long the core slept: by the core clock; if it is unknown, by the part of sleep in all cycles of timestamps and
 * model. */
static uint64_t slept_ns(const struct pt_source_ctx *ctx)
{
	const struct pt_pipeline *p = ctx->pipeline;
	const struct pt_account *a = &ctx->account;

	if (ctx->slept == 0)
		return 0;
	if (p->profile.core_hz != 0)
		return (uint64_t)((double)ctx->slept * 1e9 / (double)p->profile.core_hz);
	return (uint64_t)((double)(a->sum.observed_ns + a->slept_ns) * (double)ctx->slept /
			  (double)(ctx->slept + ctx->cycles));
}

static void take_flow(struct pt_source_ctx *ctx, const struct pt_event *event, size_t n)
{
	struct pt_run_batch *batch = &ctx->pipeline->run_batch;

	batch->source = ctx->source;
	batch->core = ctx->core;
	for (size_t taken = 0; taken < n;) {
		taken += pt_flow_feed(&ctx->flow, event + taken, n - taken, batch);
		pt_gate_runs(ctx, batch);
		pt_gate_pass_sleep(ctx);
	}
}

/* Whether the fast path is possible: each user of runs and call events takes them in compact form, and no analysis
 * wants events. */
bool pt_sort_takes_pairs(const struct pt_source_ctx *ctx)
{
	const struct pt_pipeline *p = ctx->pipeline;

	return p->merge == NULL && ctx->flows_into != NULL && ctx->decoder->pairs != NULL && p->executes &&
	       !ctx->bursts_only && !pt_gate_wants(ctx);
}

static void take_compact(void *arg, const struct pt_compact_batch *batch)
{
	pt_selection_compact(((struct pt_source_ctx *)arg)->pipeline, batch);
}

static void take_piece(void *arg, const struct pt_piece *piece)
{
	struct pt_source_ctx *ctx = arg;

	pt_selection_piece(ctx->pipeline, piece, ctx->core, pt_gate_moment(ctx));
	ctx->cycles += pt_sum_cycles(piece->sums[piece->n_departures]);
}

size_t pt_sort_pairs(struct pt_source_ctx *ctx, const uint8_t *bytes, size_t len_bytes, size_t *packet_bytes)
{
	const struct pt_pipeline *p = ctx->pipeline;
	const struct pt_plain_sink sink = { take_compact, p->wants_runs ? take_piece : NULL, ctx };
	size_t n = ctx->decoder->pairs(ctx->state, len_bytes, packet_bytes);

	n = pt_plain_feed(&ctx->flow, ctx->flows_into->execution, bytes, n, ctx->decoder->pairs_below, &sink);
	ctx->runs += n;
	return n * PT_PAIR_BYTES;
}

/* --- all events */

static void take_place(struct pt_source_ctx *ctx, uint64_t address)
{
	struct pt_flat *flat = ctx->samples_into->flat;
	uint16_t handler;
	bool in_code;
	double entered;

	pt_flat_sample(flat, pt_codemap_function(ctx->pipeline->map, address, &in_code));
	pt_core_profile_place(ctx->pipeline, ctx->samples_into, address, in_code);
	entered = ctx->meets_interrupted ? pt_entered_at(ctx->pipeline->entered, address, &handler) : 0;
	if (entered > 0)
		pt_flat_entered(flat, handler, entered * (double)ctx->issues);
}

static void take_sample(struct pt_source_ctx *ctx, const struct pt_event *e)
{
	struct pt_flat *flat;

	ctx->samples += e->kind == PT_EV_SAMPLE;
	if (ctx->samples_into == NULL)
		return;
	flat = ctx->samples_into->flat;
	if (e->kind == PT_EV_COUNTER && e->counter.id == PT_COUNTER_REFUSED) {
		pt_flat_refused(flat, e->counter.count);
	} else if (e->kind == PT_EV_SAMPLE && e->branch.to == PT_UNKNOWN) {
		pt_flat_asleep(flat);
	} else if (e->kind == PT_EV_SAMPLE) {
		take_place(ctx, e->branch.to);
	}
}

static bool is_flow(const struct pt_event *e)
{
	return (e->kind >= PT_EV_START && e->kind <= PT_EV_STOP) || e->kind == PT_EV_EXECUTED;
}

static struct pt_timestamp moment_of(struct pt_source_ctx *ctx, const struct pt_event *e)
{
	struct pt_timestamp at;

	if (e->ticks == PT_UNKNOWN)
		return ctx->now;
	pt_clock_guess(&ctx->clock, e->ticks, ctx->now.ns, ctx->now.ns + ctx->now.error_ns);
	at = pt_clock_at(&ctx->clock, e->ticks);
	return at.ns != PT_UNKNOWN ? at : ctx->now;
}

/* Reports the running task to execution's stacks, as a signal on the core that gets the runs. */
static void tell_execution(struct pt_source_ctx *ctx, const struct pt_signal *signal)
{
	struct pt_pipeline *p = ctx->pipeline;
	uint16_t task = signal->value < PT_EXECUTION_TASKS ? (uint16_t)signal->value : PT_NO_TASK;
	struct pt_core_profile *core_profile;

	if (signal->kind != PT_SIGNAL_TASK || !p->executes)
		return;
	core_profile = pt_core_profile_find(p, signal->core);
	if (core_profile != NULL && core_profile->flow != NULL)
		pt_execution_task(core_profile->execution, task, signal->at, ctx == core_profile->flow);
}

static void send_signals(struct pt_source_ctx *ctx, struct pt_signal *signal, size_t n, struct pt_own_time own)
{
	for (size_t i = 0; i < n; i++) {
		signal[i].own_ns = own.ns;
		signal[i].own_error_ns = own.error_ns;
		tell_execution(ctx, &signal[i]);
	}
	if (n > 0 && ctx->pipeline->wants_signals)
		pt_selection_signals(ctx->pipeline, signal, n);
}

/* Times before this event cannot be compared with times after it. */
static void begin_anew(struct pt_source_ctx *ctx, const struct pt_event *e, struct pt_timestamp at,
		       struct pt_own_time own)
{
	struct pt_signal gap = { .kind = PT_SIGNAL_GAP, .at = at, .ticks = PT_UNKNOWN, .value = PT_GAP_RESTART,
				 .pc = PT_UNKNOWN, .source = e->source, .core = e->core, .id = UINT16_MAX };

	send_signals(ctx, &gap, 1, own);
}

static void take_signals(struct pt_source_ctx *ctx, const struct pt_event *e, struct pt_timestamp at)
{
	struct pt_signal signal[PT_SIGNALS_ROOM];
	size_t n = pt_signals_take(ctx->pipeline->signals, e, at, signal);
	struct pt_own_time own = { 0 };

	if (e->kind == PT_EV_GAP)
		own.ns = pt_own_clock_gap(&ctx->own, at, &signal[0].ticks);
	else if (n > 0 && at.ns != PT_UNKNOWN)
		own = pt_own_clock_take(&ctx->own, e->ticks, at);
	if (own.anew)
		begin_anew(ctx, e, at, own);
	send_signals(ctx, signal, n, own);
}

/* In a trace of all accesses each accessed place is followed, even if no setting named it. */
static void take_value(struct pt_source_ctx *ctx, const struct pt_event *e, struct pt_timestamp at)
{
	struct pt_pipeline *p = ctx->pipeline;

	if (ctx->data_only && e->kind == PT_EV_VALUE && !pt_definitions_access(p->definitions, e))
		p->unplaced++;
	/* A gap is noticed when the trace goes on, or at the end of its chunk; it began after the last time that was
	 * recorded. */
	take_signals(ctx, e, e->kind == PT_EV_GAP && ctx->seen.ns != PT_UNKNOWN ? ctx->seen : at);
}

static void note_seen(struct pt_source_ctx *ctx, struct pt_timestamp at)
{
	if (at.ns != PT_UNKNOWN && (ctx->seen.ns == PT_UNKNOWN || at.ns > ctx->seen.ns))
		ctx->seen = at;
}

static void take_other(struct pt_source_ctx *ctx, const struct pt_event *e, struct pt_timestamp at)
{
	struct pt_pipeline *p = ctx->pipeline;

	if (e->kind == PT_EV_VALUE || (e->kind != PT_EV_GAP && e->ticks != PT_UNKNOWN))
		note_seen(ctx, at);
	if (e->kind == PT_EV_GAP && e->cause == PT_GAP_DAMAGED && e->gap.bytes != PT_UNKNOWN)
		ctx->damaged_bytes += e->gap.bytes;
	if (e->kind == PT_EV_GAP && (ctx->decoder->gives & PT_GIVES_FLOW) != 0)
		take_flow(ctx, e, 1);
	else if (e->kind == PT_EV_GAP) {
		ctx->overflows += e->cause == PT_GAP_OVERFLOW;
		ctx->damages += e->cause == PT_GAP_DAMAGED;
	}
	if (e->kind == PT_EV_LOOK)
		take_signals(ctx, e, at);
	else if (e->kind == PT_EV_VALUE || e->kind == PT_EV_VALUE_PC || (e->kind == PT_EV_GAP && ctx->looks == 0))
		take_value(ctx, e, at);	/* not for sources of looks: they have no open interval that a gap could end */
	if (e->kind == PT_EV_SINCE) {
		if (ctx->flow.stamps != PT_STAMPS_OTHER)
			take_flow(ctx, e, 1);
		pt_since_take(&p->since, e);
	}
	if (e->kind == PT_EV_VALUE)
		ctx->values++;
	else if (e->kind == PT_EV_LOOK)
		ctx->looks++;
	else if (e->kind == PT_EV_SAMPLE || e->kind == PT_EV_COUNTER)
		take_sample(ctx, e);
	if (e->kind != PT_EV_LOOK)
		pt_selection_event(p, e, &at);
}

/* If the flow's events have timestamps, these are the times of runs. */
static void stamp(struct pt_source_ctx *ctx, const struct pt_event *e, const struct pt_timestamp *at)
{
	if (e->ticks == PT_UNKNOWN)
		return;
	pt_gate_anchor(ctx, at != NULL ? *at : moment_of(ctx, e));
}

void pt_sort_events(struct pt_source_ctx *ctx, const struct pt_event *event, const struct pt_timestamp *at, size_t n)
{
	bool flow = (ctx->decoder->gives & PT_GIVES_FLOW) != 0;

	if (ctx->decoder->gives == PT_GIVES_FLOW) {
		stamp(ctx, event, at);
		take_flow(ctx, event, n);
		return;
	}
	for (size_t i = 0, first; i < n;) {
		for (first = i; i < n && is_flow(&event[i]); i++)
			;
		if (flow && i > first) {
			stamp(ctx, &event[first], at != NULL ? &at[first] : NULL);
			take_flow(ctx, event + first, i - first);
		}
		if (i < n) {
			take_other(ctx, &event[i], at != NULL ? at[i] : moment_of(ctx, &event[i]));
			i++;
		}
	}
}

/* --- marks */

/* How far an event of the chunk may be from the chunk's beginning. */
static uint64_t span_of(const struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	if (ctx->facts.no_clock)
		return PT_NO_BOUND_NS;
	return chunk->to_ns > chunk->from_ns ? chunk->to_ns - chunk->from_ns : 0;
}

/* Without a clock a chunk is assumed to begin where the previous one ended. */
static struct pt_timestamp begin_of(const struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	uint64_t ns = chunk->from_ns;

	if (ctx->facts.no_clock && ctx->now.ns != PT_UNKNOWN)
		ns = ctx->now.ns + pt_gate_run_ns(ctx);
	return (struct pt_timestamp){ ns, span_of(ctx, chunk) };
}

static void data_begins(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	pt_gate_chunk_begins(ctx);
	pt_gate_anchor(ctx, begin_of(ctx, chunk));
	if (ctx->data_ns == PT_UNKNOWN && !ctx->facts.no_clock)
		pt_selection_begins(ctx->pipeline, ctx->source, chunk->from_ns);
}

/* Events of this chunk lie in its time, except those with a timestamp. */
static void chunk_begins(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	if (ctx->now.ns == PT_UNKNOWN && ctx->flows_into != NULL)	/* the first */
		pt_selection_blind(ctx->pipeline, ctx->core, 0, 0, chunk->from_ns);
	ctx->now = begin_of(ctx, chunk);
	if (ctx->held_ns < ctx->now.ns)		/* the held events came earlier */
		ctx->now = (struct pt_timestamp){ ctx->held_ns, ctx->now.error_ns + (ctx->now.ns - ctx->held_ns) };
	if (ctx->armed_ns == PT_UNKNOWN)
		ctx->armed_ns = chunk->from_ns;
	ctx->run_cycles = ctx->cycles;
	ctx->run_slept = ctx->slept;
}

/* If the chunk has no more values, none changed until its end. A value with a later time does not show that everything
 * was seen until then: the trace of the rest may have been turned off before. If the timestamps are tied to the probe's
 * clock by a guess whose error is larger than this silent time, the time counts as unknown. */
static void seen(struct pt_source_ctx *ctx, uint64_t upto_ns)
{
	bool anchored = ctx->clock.n_anchors > 0 && !ctx->clock.guessed;
	uint64_t error_ns = anchored ? 0 : ctx->seen.error_ns;

	if (ctx->seen.ns == PT_UNKNOWN || upto_ns > ctx->seen.ns + error_ns)
		ctx->seen = (struct pt_timestamp){ upto_ns, 0 };
	if (ctx->pipeline->wants_signals || ctx->pipeline->wants_events)
		pt_selection_seen(ctx->pipeline, ctx->source, ctx->seen.ns < upto_ns ? ctx->seen.ns : upto_ns);
}

static void lose(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	ctx->data_ns = PT_UNKNOWN;
	pt_account_loss(&ctx->account, chunk);
	pt_gate_away(ctx, (enum pt_loss)chunk->cause, chunk->to_ns - chunk->from_ns);
	if (ctx->flows_into != NULL)
		pt_selection_blind(ctx->pipeline, ctx->core, chunk->cause, chunk->from_ns, chunk->to_ns);
}

/* A burst ends within its chunk: the rest of the chunk was not observed. */
static void take_data(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	uint64_t ran_ns = pt_gate_ran_ns(ctx, chunk);

	pt_account_data(&ctx->account, chunk, ran_ns);
	if (ctx->flows_into != NULL && chunk->to_ns > chunk->from_ns && ran_ns < chunk->to_ns - chunk->from_ns)
		pt_selection_blind(ctx->pipeline, ctx->core, PT_LOSS_REARM, chunk->from_ns + ran_ns, chunk->to_ns);
}

static void stream_ends(struct pt_source_ctx *ctx)
{
	struct pt_pipeline *p = ctx->pipeline;

	if ((ctx->decoder->gives & PT_GIVES_FLOW) != 0) {
		pt_flow_flush(&ctx->flow, &p->run_batch);
		pt_gate_runs(ctx, &p->run_batch);
	}
	pt_gate_burst_ends(ctx, false);
}

void pt_sort_mark(struct pt_source_ctx *ctx, enum pt_mark mark, const struct pt_chunk *chunk)
{
	if (mark == PT_MARK_CHUNK)
		chunk_begins(ctx, chunk);
	else if (mark == PT_MARK_BURST)
		pt_gate_burst(ctx, chunk->from_ns, chunk->cause);
	else if (mark == PT_MARK_BURST_WHOLE || mark == PT_MARK_BURST_CUT)
		pt_gate_burst_ends(ctx, mark == PT_MARK_BURST_WHOLE);
	else if (mark == PT_MARK_DATA)
		data_begins(ctx, chunk);
	else if (mark == PT_MARK_DATA_END && ctx->samples_into != NULL)
		pt_core_profile_end_batch(ctx->samples_into);
	else if (mark == PT_MARK_LOSS)
		lose(ctx, chunk);
	else if (mark == PT_MARK_MAYBE_HALTED)
		pt_account_maybe_halted(&ctx->account, chunk->to_ns - chunk->from_ns);
	else if (mark == PT_MARK_END)
		stream_ends(ctx);
	if (mark == PT_MARK_END && ctx->data_ns != PT_UNKNOWN)
		seen(ctx, ctx->data_ns);
	if (mark == PT_MARK_DATA_END) {
		if (ctx->decoder->held_bytes != NULL)
			ctx->data_ns = chunk->to_ns;
		else if (!ctx->bursts_only)	/* the end of a burst is somewhere in its chunk */
			seen(ctx, chunk->to_ns);
		pt_selection_batch_end(ctx->pipeline, chunk->source);
		take_data(ctx, chunk);
		pt_account_slept(&ctx->account, slept_ns(ctx));
	}
}
