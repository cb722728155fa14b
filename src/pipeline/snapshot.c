/* Takes a snapshot of the analyses' results: the profile that views show. The state of the analyses does not change. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline/pipeline_parts.h"
#include "profile/analyses/counters/counters.h"
#include "profile/analyses/calls/spans.h"

static bool counted(const struct pt_pipeline *p)	/* for all cores */
{
	bool any = false;

	for (size_t i = 0; i < p->n_core_profiles; i++)
		any |= pt_core_profile_counted(&p->core_profile[i]);
	return any && !pt_snapshot_has_flow(p);
}

static bool tells_of_code(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_ctx; i++)
		if ((pt_source_ctx_gives(p->ctx[i]) & (PT_GIVES_FLOW | PT_GIVES_SAMPLES)) != 0)
			return true;
	return false;
}

static bool tells_what_ran(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_ctx; i++)
		if (!p->ctx[i]->data_only && (pt_source_ctx_gives(p->ctx[i]) & (PT_GIVES_FLOW | PT_GIVES_SAMPLES)) != 0)
			return true;
	return false;
}

/* If the recorded time is not random (the end of a ring), it gives no shares of the profile. */
static enum pt_basis shares_of(const struct pt_pipeline *p, enum pt_basis measured)
{
	bool estimated = counted(p) || !pt_snapshot_has_flow(p);

	if (!counted(p) && pt_snapshot_complete(p))
		return measured;
	for (size_t i = 0; i < p->n_core_profiles; i++)
		estimated |= pt_snapshot_windowed(p, &p->core_profile[i]) ||
			     pt_core_profile_counted(&p->core_profile[i]) ||
			     pt_snapshot_sampled(p, &p->core_profile[i]) ||
			     pt_snapshot_seen_part(p, &p->core_profile[i]) > 0;
	return estimated ? PT_BASIS_ESTIMATED : PT_BASIS_NONE;
}

/* Whether all sources only give looks: the time between two looks is unknown. */
static bool gives_looks_alone(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_ctx; i++)
		if (p->ctx[i]->looks == 0)
			return false;
	return p->n_ctx > 0;
}

static void judge(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	bool by_stamps = p->n_ctx > 0 && !pt_snapshot_has_flow(p) && p->ctx[0]->decoder != NULL;
	bool complete;
	enum pt_basis measured = f->by_instructions || by_stamps ? PT_BASIS_EXACT : PT_BASIS_MODELLED;

	f->incomplete = pt_snapshot_why_incomplete(p);
	complete = f->incomplete == NULL;
	f->awake_only = pt_snapshot_has_flow(p);
	f->no_flow = p->n_ctx > 0 && !tells_what_ran(p);
	f->no_code = p->n_ctx > 0 && !tells_of_code(p);
	f->counts = counted(p) ? PT_BASIS_NONE : complete ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	f->times = counted(p)					  ? PT_BASIS_NONE
		   : complete || by_stamps || !f->by_instructions ? measured
								  : PT_BASIS_ESTIMATED;
	if (gives_looks_alone(p))
		f->times = PT_BASIS_NONE;
	f->shares = shares_of(p, measured);
	for (size_t i = 0; i < p->n_core_profiles; i++)
		if (pt_snapshot_windowed(p, &p->core_profile[i]))
			f->times = PT_BASIS_ESTIMATED;
	for (size_t i = 0; i < p->n_core_profiles; i++)
		if (pt_snapshot_leaves_out(&p->core_profile[i]))
			f->times = f->shares = PT_BASIS_NONE;
}

/* Compares samples with bursts of one core: both measure the same shares. */
static void compare_answers(struct pt_pipeline *p, const struct pt_profile_core *core)
{
	for (size_t id = 0; id < p->n_ids; id++) {
		const struct pt_calibration *c = &core->calibration[id];

		if (!pt_shares_differ(&c->by_samples, &c->by_bursts, p->n_ids))
			continue;
		snprintf(p->disagreement, sizeof(p->disagreement),
			 "samples and bursts differ by more than chance explains, and one of them is wrong: %.60s has "
			 "%.2f %% by samples, %.2f %% by bursts",
			 id > 0 ? p->functions[id - 1].name : "(no symbol)", c->by_samples.share * 100,
			 c->by_bursts.share * 100);
		p->profile.contradiction = p->disagreement;
		return;
	}
}

static void compare_all_answers(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->profile.n_cores; i++)
		if (p->profile.core[i].windowed && p->profile.core[i].calibration != NULL &&
		    p->profile.contradiction == NULL)
			compare_answers(p, &p->profile.core[i]);
}

/* Whether a counter of the core, read while it ran, contradicts the core clock. */
static bool contradicts_counter(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	char most[32] = "";

	if (f->core_hz == 0 || f->clock_least_hz == 0 ||
	    (f->core_hz >= f->clock_least_hz && (f->clock_most_hz == 0 || f->core_hz <= f->clock_most_hz)))
		return false;
	if (f->clock_most_hz != 0)
		snprintf(most, sizeof(most), " to %.4f MHz", (double)f->clock_most_hz / 1e6);
	snprintf(p->clock_contradiction, sizeof(p->clock_contradiction),
		 "core-clock is %.6g MHz, but the running core counts %.4f%s, so all times are wrong "
		 "(core-clock=measure takes its clock)",
		 (double)f->core_hz / 1e6, (double)f->clock_least_hz / 1e6, most[0] != '\0' ? most : " MHz or more");
	f->contradiction = p->clock_contradiction;
	f->times = f->times != PT_BASIS_NONE ? PT_BASIS_ESTIMATED : PT_BASIS_NONE;
	return true;
}

/* The source that counts cycles: samples beside a flow do not. NULL: none, or several. */
static const struct pt_profile_source *counts_cycles(const struct pt_profile *f)
{
	const struct pt_profile_source *found = NULL;
	size_t n = 0;

	for (size_t i = 0; i < f->n_sources; i++) {
		if (f->n_sources > 1 && f->sources[i].branches == 0)
			continue;
		found = &f->sources[i];
		n++;
	}
	return n == 1 ? found : NULL;
}

static bool beyond_clock(const struct pt_profile *f)
{
	enum { SLACK_CYCLES = 10000 };
	const struct pt_profile_source *of = counts_cycles(f);
	double seen = (double)f->cycles, most;

	if (f->core_hz == 0 || f->n_cores > 1 || of == NULL || f->by_instructions || f->opt_in_model ||
	    (f->by_bins && f->bins->older))
		return false;
	for (size_t i = 0; f->by_bins && f->bins->by_cycles && i < f->bins->n_cores; i++)
		seen = (double)f->bins->core[i].hits;
	most = (double)(f->by_bins ? of->loss.total_ns : of->loss.observed_ns) * 1e-9 * (double)f->core_hz;
	return seen > most * 1.02 + SLACK_CYCLES || of->beyond_ns > 0;
}

/* Whether a hardware counter counted faster than the core's clock allows. */
static bool contradicts_counts(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	pt_selection_result_of(p, &pt_analysis_counters);
	for (size_t i = 0; f->core_hz != 0 && f->counters != NULL && i < f->counters->n_counters; i++) {
		const struct pt_counter_row *c = &f->counters->counter[i];

		if (!pt_counter_is_too_fast(c))
			continue;
		snprintf(p->clock_contradiction, sizeof(p->clock_contradiction),
			 "core-clock says %.6g MHz, with which %.60s counts %" PRIu64
			 " in a second at most, but it counted "
			 "%.0f or more: the clock is faster, and times by it are wrong",
			 (double)f->core_hz / 1e6, c->name, c->max_hz,
			 (double)c->timed * 1e9 / (double)pt_counter_longest_ns(c));
		f->contradiction = p->clock_contradiction;
		f->times = f->times != PT_BASIS_NONE ? PT_BASIS_ESTIMATED : PT_BASIS_NONE;
		return true;
	}
	return false;
}

/* In a stream whose timestamps cover all cycles, awake or asleep, they must add up to its duration. Not covered: cycles
 * before the first timestamp and after the last. */
static bool contradicts_stamps(struct pt_pipeline *p)
{
	enum { LEAST_NS = 5000000 };
	struct pt_profile *f = &p->profile;

	for (size_t i = 0; f->core_hz != 0 && i < p->n_ctx; i++) {
		const struct pt_source_ctx *ctx = p->ctx[i];
		const struct pt_loss_sum *sum = &ctx->account.sum;
		double took_ns = (double)(sum->observed_ns + sum->by[PT_LOSS_SLEEP].ns);
		double told = (double)(ctx->cycles + ctx->slept), told_ns = told * 1e9 / (double)f->core_hz;

		if (ctx->flow.stamps == PT_STAMPS_OTHER || ctx->bursts_only || ctx->around || told <= 0 ||
		    told_ns > 0.95 * took_ns - LEAST_NS)
			continue;
		snprintf(
			p->clock_contradiction, sizeof(p->clock_contradiction),
			"core-clock is %.6g MHz, but the trace has cycles of some %.2g MHz: %.3g million in %.1f ms, so that all "
			"times are wrong, unless the core was in STOP",
			(double)f->core_hz / 1e6, told * 1e3 / took_ns, told / 1e6, took_ns / 1e6);
		f->contradiction = p->clock_contradiction;
		f->times = f->times != PT_BASIS_NONE ? PT_BASIS_ESTIMATED : PT_BASIS_NONE;
		return true;
	}
	return false;
}

/* Cycles, modelled or counted by bins, cannot exceed those of the core clock, in total and in each burst: else the
 * clock is faster than given, or the counts are wrong; all times are wrong then. */
static void contradict(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->contradiction = NULL;
	if (contradicts_counter(p) || contradicts_counts(p) || contradicts_stamps(p) || !beyond_clock(f))
		return;
	f->contradiction =
		"more cycles were seen than the core clock has in that time: the clock is faster than core-clock "
		"says, or the counts are wrong, and times with them";
	f->times = f->times != PT_BASIS_NONE ? PT_BASIS_ESTIMATED : PT_BASIS_NONE;
}

/* --- what was seen, of each core and of all */

static void forget_sums(struct pt_profile *f)
{
	f->samples = f->samples_asleep = f->samples_refused = f->batches = 0;
	f->samples_effective = 0;
	f->samples_missed = 0;
	f->branches = f->instructions = f->cycles = 0;
	f->bursts = f->bursts_used = f->bursts_asleep = f->bursts_cut_short = f->bursts_unchosen = f->burst_cycles = 0;
	f->ticks = 0;
	f->windowed = false;
	f->doubtful_silent = f->doubtful_recorded = f->not_code = 0;
	f->turns_uncounted = false;
	f->not_code_from = f->not_code_to = PT_UNKNOWN;
	f->errors = (struct pt_execution_errors){ .address = PT_UNKNOWN, .at = PT_UNKNOWN };
}

static void sum_up_samples(struct pt_profile *f, const struct pt_core_profile *core_profile)
{
	struct pt_flat_summary s = pt_flat_summary(core_profile->flat);

	f->samples += s.samples;
	f->samples_asleep += s.asleep;
	f->samples_refused += s.refused;
	f->samples_missed =
		f->samples_missed == PT_UNKNOWN || s.missed == PT_UNKNOWN ? PT_UNKNOWN : f->samples_missed + s.missed;
	f->samples_effective += s.effective;
	f->batches += s.batches;
}

static uint64_t branches_of(const struct pt_source_ctx *ctx)
{
	return ctx->runs - ctx->flow.counts.borders;
}

static struct pt_profile_core sum_up_core(const struct pt_pipeline *p, const struct pt_core_profile *core_profile)
{
	struct pt_profile_core core = {
		.core = core_profile->core, .branches = core_profile->flow != NULL ? branches_of(core_profile->flow) : 0,
		.instructions = core_profile->result->instructions, .cycles = core_profile->result->cycles,
		.samples = pt_flat_summary(core_profile->flat).samples,
	};

	pt_snapshot_window_core(p, core_profile, &core);
	return core;
}

static void add_core(struct pt_profile *f, const struct pt_profile_core *c)
{
	f->branches += c->branches;
	f->instructions += c->instructions;
	f->cycles += c->cycles;
	f->bursts += c->bursts;
	f->bursts_used += c->bursts_used;
	f->bursts_asleep += c->bursts_asleep;
	f->bursts_cut_short += c->bursts_cut_short;
	f->bursts_unchosen += c->bursts_unchosen;
	f->ticks += c->ticks;
	f->windowed |= c->windowed;
	if (f->burst_cycles == 0)
		f->burst_cycles = c->burst_cycles;
}

static void add_trouble(struct pt_profile *f, const struct pt_core_profile *core_profile)
{
	const struct pt_execution_errors *errors = &core_profile->result->errors;
	const struct pt_flow_counts *counts = &core_profile->flow->flow.counts;

	f->doubtful_silent += counts->doubtful_silent;
	f->doubtful_recorded += counts->doubtful_recorded;
	f->turns_uncounted |= counts->loops > 0;
	f->not_code += counts->not_code;
	if (counts->not_code > 0) {
		f->not_code_from = counts->bad_from;
		f->not_code_to = counts->bad_to;
	}
	for (unsigned i = 0; i < PT_N_EXECUTION_ERRORS; i++)
		f->errors.n[i] += errors->n[i];
	if (errors->address != PT_UNKNOWN) {
		f->errors.address = errors->address;
		f->errors.at = errors->at;
		f->errors.function = errors->function;
	}
}

/* Upper bound of the samples that the hardware took and that did not arrive. A source that reads the core itself misses
 * none. If the source counts the samples taken, the number is known; else the missing bytes limit it. PT_UNKNOWN: the
 * chip dropped an unknown number of packets. */
static uint64_t missed_by(const struct pt_source_ctx *ctx)
{
	enum { LEAST_BYTES = 2 };	/* of a sample */
	uint64_t bytes = ctx->damaged_bytes;

	if (ctx->decoder == NULL || (ctx->decoder->gives & PT_GIVES_OTHER) == 0)
		return 0;
	if (ctx->facts.cost.counts_missed)
		return ctx->facts.cost.missed;
	for (unsigned cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		bytes += ctx->account.sum.by[cause].bytes;
	return ctx->overflows > 0 || (ctx->gaps > 0 && bytes == 0) ? PT_UNKNOWN
								   : (bytes + LEAST_BYTES - 1) / LEAST_BYTES;
}

/* How many samples the hardware would have taken in the time in which the core may have run or been halted at a breakpoint. */
static uint64_t missed_at_halts(const struct pt_core_profile *core_profile)
{
	const struct pt_account *account = &core_profile->samples->account;
	uint64_t samples = pt_flat_summary(core_profile->flat).samples;

	if (account->maybe_halted_ns == 0 || account->sum.observed_ns == 0)
		return 0;
	return 1 + (uint64_t)((double)samples * (double)account->maybe_halted_ns / (double)account->sum.observed_ns);
}

static void tell_missed(const struct pt_core_profile *core_profile)
{
	uint64_t missed = missed_by(core_profile->samples);

	pt_flat_missed(core_profile->flat, missed == PT_UNKNOWN ? missed : missed + missed_at_halts(core_profile));
}

static void sum_up(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	forget_sums(f);
	f->n_cores = 0;
	for (size_t i = 0; i < p->n_core_profiles; i++) {
		const struct pt_core_profile *core_profile = &p->core_profile[i];

		if (core_profile->flow == NULL && core_profile->samples == NULL)
			continue;
		if (core_profile->samples != NULL)
			tell_missed(core_profile);
		p->cores[f->n_cores] = sum_up_core(p, core_profile);
		add_core(f, &p->cores[f->n_cores++]);
		sum_up_samples(f, core_profile);
		if (core_profile->flow != NULL)
			add_trouble(f, core_profile);
	}
	f->core = p->cores;
}

/* Whether the source has bursts, or a ring buffer, of unknown duration. */
static bool is_a_part_of_its_span(const struct pt_source_ctx *ctx)
{
	const struct pt_pipeline *p = ctx->pipeline;

	if (ctx->around && p->profile.core_hz == 0)
		return true;
	return ctx->bursts_only &&
	       (p->profile.core_hz == 0 || (p->program != NULL && (p->timing == NULL || p->opt_in_model)));
}

static struct pt_profile_source source_of(const struct pt_source_ctx *ctx)
{
	struct pt_profile_source s = ctx->facts;

	s.loss = ctx->account.sum;
	s.loss.by[PT_LOSS_DAMAGED].events += ctx->flow.counts.damaged + ctx->damages;
	s.loss.by[PT_LOSS_DAMAGED].bytes += ctx->damaged_bytes;
	s.loss.by[PT_LOSS_FIFO].events += ctx->flow.counts.overflows + ctx->overflows;
	s.loss.unsized[PT_LOSS_FIFO] += ctx->flow.counts.overflows + ctx->overflows;
	s.loss.by[PT_LOSS_NOT_CODE].events += ctx->flow.counts.not_code;
	s.mismatch_ns = ctx->account.mismatch_ns;
	s.beyond_ns = pt_account_beyond(&ctx->account);
	s.triggered = ctx->triggered;
	/* halting: the probe finds a core that the full buffer halted one round trip late, or more */
	s.observed_is_bound =
		ctx->triggered || ctx->halting || is_a_part_of_its_span(ctx) || pt_loss_any_untimed(&s.loss);
	s.branches = branches_of(ctx);
	s.samples = ctx->samples;
	s.values = ctx->values;
	s.looks = ctx->looks;
	return s;
}

static void add_loss(struct pt_loss_sum *to, const struct pt_loss_sum *sum)
{
	to->total_ns += sum->total_ns;
	to->observed_ns += sum->observed_ns;
	to->unobserved_ns += sum->unobserved_ns;
	to->lost_ns += sum->lost_ns;
	to->observed_bytes += sum->observed_bytes;
	to->longest_rearm_ns =
		sum->longest_rearm_ns > to->longest_rearm_ns ? sum->longest_rearm_ns : to->longest_rearm_ns;
	for (unsigned cause = 0; cause < PT_N_LOSSES; cause++) {
		to->by[cause].events += sum->by[cause].events;
		to->by[cause].bytes += sum->by[cause].bytes;
		to->unsized[cause] += sum->unsized[cause];
		to->by[cause].ns += sum->by[cause].ns;
	}
}

/* From the first to the last time of all accounts; sources without a clock have none. */
static uint64_t run_of(const struct pt_pipeline *p)
{
	uint64_t from_ns = UINT64_MAX, to_ns = 0;

	for (size_t i = 0; i < p->n_ctx; i++) {
		const struct pt_account *account = &p->ctx[i]->account;

		if (!account->begun || p->ctx[i]->facts.no_clock)
			continue;
		from_ns = account->from_ns < from_ns ? account->from_ns : from_ns;
		to_ns = account->to_ns > to_ns ? account->to_ns : to_ns;
	}
	return to_ns > from_ns ? to_ns - from_ns : 0;
}

static void sum_up_time(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->loss = (struct pt_loss_sum){ 0 };
	f->run_ns = run_of(p);
	f->mismatch_ns = 0;
	f->observed_is_bound = f->triggered = false;
	f->no_clock = p->n_ctx > 0;
	f->ended = p->n_ctx > 0;
	for (size_t i = 0; i < p->n_ctx; i++) {
		p->sources[i] = source_of(p->ctx[i]);
		add_loss(&f->loss, &p->sources[i].loss);
		f->mismatch_ns += p->sources[i].mismatch_ns;
		f->observed_is_bound |= p->sources[i].observed_is_bound;
		f->triggered |= p->sources[i].triggered;
		f->no_clock &= p->sources[i].no_clock;
		f->ended &= p->sources[i].ended;
	}
	f->no_end = p->over && (p->n_ctx == 0 || !f->ended);	/* even if nothing was recorded */
	f->sources_refused = p->lanes_refused;
	f->other_stream_bytes = 0;
	for (size_t i = 0; i < p->n_ctx; i++)
		f->other_stream_bytes += pt_stream_part_others(p->ctx[i]->stream);
	f->values_incomplete = pt_signals_incomplete(p->signals);
	f->values_unplaced = p->unplaced;
	f->out_of_order = p->merge != NULL ? pt_merge_late(p->merge) : 0;
	f->sources = p->sources;
	f->n_sources = p->n_ctx;
}

/* An id wider than a message of the trace arrives in several messages, if none is lost. */
static void tell_width(const struct pt_pipeline *p, size_t definition, char *note)
{
	const struct pt_signal_definition *d = &pt_definitions_set(p->definitions)->definition[definition];
	unsigned widest = d->tasks != NULL ? pt_signals_widest(p->signals, definition) : 0;

	if (widest == 0 || widest >= d->size_bytes)
		return;
	snprintf(note, PT_TASK_NOTE_BYTES,
		 "%.80s has %" PRIu32 " bytes, and no message of the trace carried more than %u: each value "
		 "is put together of several",
		 d->name, d->size_bytes, widest);
}

static void tell_of_tasks(struct pt_pipeline *p)
{
	const char *sentence;
	size_t n = 0;

	for (size_t i = 0; n < PT_TASK_NOTES && (sentence = pt_definitions_note(p->definitions, i)) != NULL; i++)
		snprintf(p->task_note[n++], PT_TASK_NOTE_BYTES, "%s", sentence);
	for (size_t i = 0; i < pt_definitions_set(p->definitions)->n_definitions && n < PT_TASK_NOTES; i++) {
		p->task_note[n][0] = '\0';
		tell_width(p, i, p->task_note[n]);
		n += p->task_note[n][0] != '\0';
	}
	p->task_note[n][0] = '\0';
	p->profile.task_note = p->task_note;
}

/* The analysis from which the profile's figures of functions come. */
static const char *analysis_of(const struct pt_pipeline *p)
{
	if (p->profile.by_bins)
		return "bins";
	if (counted(p))
		return "samples";
	if (!p->executes && p->profile.spans != NULL)
		return "entry-exit";
	return !p->executes && p->profile.ranges != NULL ? "range" : "execution";
}

/* Figures of functions without execution: from entries and exits, or from ranges. */
static const struct pt_execution_result *stand_in(const struct pt_pipeline *p, struct pt_core_profile *core_profile)
{
	const struct pt_spans *spans = p->profile.spans != NULL ? p->profile.spans : p->profile.ranges;
	const struct pt_span_core *core = spans != NULL ? pt_spans_core(spans, core_profile->core) : NULL;
	struct pt_execution_result *figures = &core_profile->stand_in;

	*figures = *core_profile->result;
	if (core == NULL || core->n_functions != figures->n_functions)
		return figures;
	figures->function = core->function;
	figures->n_edges = 0;
	figures->instructions = core->instructions;
	figures->cycles = core->cycles;
	return figures;
}

static void take_results(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_core_profiles; i++)
		p->core_profile[i].result = pt_execution_result(p->core_profile[i].execution);
	if (p->executes)
		return;
	pt_selection_result(p);
	for (size_t i = 0; i < p->n_core_profiles; i++)
		p->core_profile[i].result = stand_in(p, &p->core_profile[i]);
}

const struct pt_profile *pt_pipeline_profile(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	take_results(p);
	f->program = p->program;
	f->timing = p->timing;
	f->opt_in_model = p->opt_in_model;
	f->by_instructions = p->settings.clock == PT_FLOW_INSTRUCTIONS;
	f->part_shown = !p->all_shown;
	judge(p);
	sum_up(p);
	sum_up_time(p);
	pt_snapshot_doubts(p);
	tell_of_tasks(p);
	if (pt_snapshot_by_bins(p))
		pt_snapshot_bin_rows(p);
	else
		pt_snapshot_rows(p);
	contradict(p);
	compare_all_answers(p);
	snprintf(f->analysis, sizeof(f->analysis), "%s", analysis_of(p));
	pt_snapshot_places(p);
	pt_snapshot_irqs(p);
	pt_snapshot_edges(p);
	pt_selection_result(p);		/* analyses may use cores and rows */
	pt_snapshot_bound_bins(p);
	return f;
}
