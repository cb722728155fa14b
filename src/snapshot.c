/* What the analyses know, as the profile that views show. Nothing of it changes what comes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline_parts.h"
#include "profile/spans.h"

static struct pt_flow_counts flow_counts(const struct pt_pipeline *p)
{
	return p->flow_lane != NULL ? p->flow_lane->flow.counts
				    : (struct pt_flow_counts){ .bad_from = PT_UNKNOWN, .bad_to = PT_UNKNOWN };
}

/* The functions' figures come from samples alone. */
static bool counted(const struct pt_pipeline *p)
{
	return p->sample_lane != NULL && p->flow_lane == NULL;
}

/* What no lane's own account shows: code that is not the ELF's, the end of a file, events for which there was no room,
 * a source whose runs are not in the functions' figures. */
static bool missing(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_lanes; i++)
		if (p->lane[i]->runs > 0 && p->lane[i] != p->flow_lane)
			return true;
	return p->profile.elf_check == PT_ELF_DIFFERS || p->cut_short || p->events_dropped != 0 ||
	       p->lanes_refused != 0;
}

/* No gap but the first start: everything that ran (or was written, ...) was seen. A burst is never that, were it the
 * only one: its end is where the buffer was full. */
static bool complete(const struct pt_pipeline *p)
{
	const struct pt_lane *lane = p->flow_lane != NULL ? p->flow_lane : p->lane[0];

	return lane != NULL && lane->decoder != NULL && lane->in_data && !lane->bursts_only && !lane->extract &&
	       lane->gaps == 0 && (lane->runs > 0 || lane != p->flow_lane) && lane->flow.counts.damaged == 0 &&
	       lane->flow.counts.not_code == 0 && lane->flow.counts.overflows + lane->overflows == 0 && !missing(p);
}

static bool gives(const struct pt_pipeline *p, unsigned what)
{
	for (size_t i = 0; i < p->n_lanes; i++)
		if (p->lane[i]->decoder != NULL && (p->lane[i]->decoder->gives & what) != 0)
			return true;
	return false;
}

static bool tells_what_ran(const struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_lanes; i++)
		if (p->lane[i]->decoder != NULL && !p->lane[i]->data_only &&
		    (p->lane[i]->decoder->gives & (PT_GIVES_FLOW | PT_GIVES_SAMPLES)) != 0)
			return true;
	return false;
}

static void judge(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	bool by_stamps = p->n_lanes > 0 && p->flow_lane == NULL && p->lane[0]->decoder != NULL;
	enum pt_basis measured = f->by_instructions || by_stamps ? PT_BASIS_EXACT : PT_BASIS_MODELLED;

	f->awake_only = p->flow_lane != NULL;
	f->no_flow = p->n_lanes > 0 && !tells_what_ran(p);
	f->no_code = p->n_lanes > 0 && !gives(p, PT_GIVES_FLOW | PT_GIVES_SAMPLES);
	f->counts = counted(p) ? PT_BASIS_NONE : complete(p) ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	f->times = counted(p) ? PT_BASIS_NONE : measured;
	if (p->flow_lane != NULL && p->flow_lane->leaves_out && f->times != PT_BASIS_NONE)
		f->times = PT_BASIS_ESTIMATED;
	f->shares = !counted(p) && complete(p) ? measured : PT_BASIS_ESTIMATED;
}

static void sum_up_samples(struct pt_pipeline *p)
{
	struct pt_flat_summary s = pt_flat_summary(p->flat);

	p->profile.samples = s.samples;
	p->profile.samples_asleep = s.asleep;
	p->profile.samples_refused = s.refused;
	p->profile.samples_effective = s.effective;
	p->profile.batches = s.batches;
}

static void sum_up_flow(struct pt_pipeline *p, const struct pt_execution_result *result)
{
	struct pt_bursts_summary s = pt_bursts_summary(p->bursts);
	struct pt_flow_counts counts = flow_counts(p);
	struct pt_profile *f = &p->profile;

	f->branches = p->flow_lane != NULL ? p->flow_lane->runs : 0;
	f->bursts = s.all;
	f->bursts_used = s.used;
	f->bursts_asleep = s.asleep;
	f->bursts_cut_short = s.cut_short;
	f->burst_cycles = s.cycles;
	f->bursts_by_wakeups = s.by_wakeups;
	f->instructions = result->instructions;
	f->cycles = result->cycles;
	f->doubtful_silent = counts.doubtful_silent;
	f->doubtful_recorded = counts.doubtful_recorded;
	f->not_code = counts.not_code;
	f->not_code_from = counts.bad_from;
	f->not_code_to = counts.bad_to;
	f->errors = result->errors;
}

static struct pt_profile_source source_of(const struct pt_lane *lane)
{
	struct pt_profile_source s = lane->facts;

	s.loss = lane->account.sum;
	s.loss.by[PT_LOSS_DAMAGED].events += lane->flow.counts.damaged;
	s.loss.by[PT_LOSS_DAMAGED].bytes += lane->damaged_bytes;
	s.loss.by[PT_LOSS_FIFO].events += lane->flow.counts.overflows + lane->overflows;
	s.loss.by[PT_LOSS_NOT_CODE].events += lane->flow.counts.not_code;
	s.mismatch_ns = lane->account.mismatch_ns;
	/* A core that its full buffer halted is found halted a round trip later or more. */
	s.observed_is_bound = lane->halting || (lane->bursts_only && lane->pipeline->profile.core_hz == 0);
	s.branches = lane->runs;
	s.other_core = lane->runs > 0 && lane != lane->pipeline->flow_lane;
	s.samples = lane->samples;
	s.values = lane->values;
	return s;
}

static void add_loss(struct pt_loss_sum *to, const struct pt_loss_sum *sum)
{
	to->total_ns += sum->total_ns;
	to->observed_ns += sum->observed_ns;
	to->unobserved_ns += sum->unobserved_ns;
	to->lost_ns += sum->lost_ns;
	to->observed_bytes += sum->observed_bytes;
	for (unsigned cause = 0; cause < PT_N_LOSSES; cause++) {
		to->by[cause].events += sum->by[cause].events;
		to->by[cause].bytes += sum->by[cause].bytes;
		to->by[cause].ns += sum->by[cause].ns;
	}
}

static void sum_up_time(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->loss = (struct pt_loss_sum){ 0 };
	f->mismatch_ns = 0;
	f->observed_is_bound = false;
	f->ended = p->n_lanes > 0;
	for (size_t i = 0; i < p->n_lanes; i++) {
		p->sources[i] = source_of(p->lane[i]);
		add_loss(&f->loss, &p->sources[i].loss);
		f->mismatch_ns += p->sources[i].mismatch_ns;
		f->observed_is_bound |= p->sources[i].observed_is_bound;
		f->ended &= p->sources[i].ended;
	}
	f->no_end = p->over && p->n_lanes > 0 && !f->ended;
	f->sources_refused = p->lanes_refused;
	f->values_incomplete = pt_signals_incomplete(p->signals);
	f->values_unplaced = p->unplaced;
	f->events_dropped = p->events_dropped;
	f->out_of_order = p->merge != NULL ? pt_merge_late(p->merge) : 0;
	f->sources = p->sources;
	f->n_sources = p->n_lanes;
}

/* An id that is wider than a message of the trace comes in parts, if all of them come. */
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

static struct pt_share share_of(const struct pt_pipeline *p, uint16_t id, const struct pt_execution_result *result)
{
	uint64_t part = p->profile.by_instructions ? result->function[id].instructions : result->function[id].cycles;
	uint64_t all = p->profile.by_instructions ? result->instructions : result->cycles;

	if (counted(p))
		return pt_flat_share(p->flat, id);
	if (!complete(p) && pt_bursts_summary(p->bursts).estimated)
		return pt_bursts_share(p->bursts, id);
	return (struct pt_share){ .share = all != 0 ? (double)part / (double)all : 0 };
}

static bool is_active(const struct pt_pipeline *p, uint16_t id, const struct pt_execution_function *run)
{
	if (counted(p) || pt_flat_samples(p->flat, id) != 0)
		return pt_flat_samples(p->flat, id) != 0;
	return run->count != 0 || run->partial != 0 || run->instructions != 0;
}

/* Any function that is nowhere in the data has the same interval. */
static struct pt_share share_of_unseen(const struct pt_pipeline *p, const struct pt_execution_result *result)
{
	for (size_t id = 0; id < p->n_ids && p->profile.shares == PT_BASIS_ESTIMATED; id++)
		if (!is_active(p, (uint16_t)id, &result->function[id]))
			return share_of(p, (uint16_t)id, result);
	return (struct pt_share){ 0 };
}

static void make_rows(struct pt_pipeline *p, const struct pt_execution_result *result)
{
	struct pt_profile *f = &p->profile;

	f->n_functions = 0;
	f->n_cores = 1;
	for (size_t id = 0; id < p->n_ids; id++) {
		struct pt_profile_function *row = &p->rows[f->n_functions];

		p->by_id[id] = NULL;
		if (!p->shown[id] || !is_active(p, (uint16_t)id, &result->function[id]))
			continue;
		*row = (struct pt_profile_function){
			.id = (uint16_t)id, .function = id != PT_NO_FUNCTION ? &p->functions[id - 1] : NULL,
			.run = counted(p) ? NULL : &result->function[id],
			.samples = pt_flat_samples(p->flat, (uint16_t)id), .share = share_of(p, (uint16_t)id, result),
		};
		p->by_id[id] = row;
		f->n_functions++;
	}
	f->unseen = share_of_unseen(p, result);
	f->function = p->rows;
	f->by_id = p->by_id;
	f->n_ids = p->n_ids;
}

static uint64_t handler_of(const struct pt_pipeline *p, unsigned exception)
{
	uint64_t vectors = p->flow_lane != NULL ? p->flow_lane->flow.vectors : PT_UNKNOWN;

	if (p->program == NULL || exception >= p->map->isa->n_vectors)
		return PT_UNKNOWN;
	return vectors != PT_UNKNOWN ? pt_program_vector_in(p->program, vectors, exception)
				     : pt_program_vector(p->program, exception);
}

/* Exceptions whose vector leads to address. */
static void name_vectors(const struct pt_pipeline *p, uint64_t address, char *out, size_t size)
{
	const struct pt_isa *isa = p->map->isa;
	char name[24];
	size_t len = 0;

	out[0] = '\0';
	for (unsigned n = isa->reset; n < isa->n_vectors && p->program != NULL; n++) {
		if (handler_of(p, n) != address)
			continue;
		isa->vector_name(n, name, sizeof(name));
		if (len + strlen(name) + 6 > size) {
			snprintf(out + len, size - len, " ...");
			break;
		}
		len += (size_t)snprintf(out + len, size - len, "%s%s", len > 0 ? " " : "", name);
	}
}

static struct pt_stat since_of(const struct pt_pipeline *p, uint64_t handler)
{
	struct pt_stat all = pt_stat_empty();

	for (unsigned n = 0; n < PT_SINCE_EXCEPTIONS; n++)
		if (p->since.exception[n].n > 0 && handler_of(p, n) == handler)
			pt_since_join(&all, &p->since.exception[n]);
	return all;
}

static const struct pt_function *function_at(const struct pt_pipeline *p, uint64_t address)
{
	for (size_t i = 0; i < p->n_functions && address != PT_UNKNOWN; i++)
		if (p->functions[i].address == address)
			return &p->functions[i];
	return NULL;
}

static void make_since(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->n_since = 0;
	for (unsigned n = 0; n <= PT_SINCE_EXCEPTIONS; n++) {
		struct pt_profile_since *row = &p->since_rows[f->n_since];

		if (p->since.exception[n].n == 0)
			continue;
		*row = (struct pt_profile_since){ .exception = "(none)", .cycles = p->since.exception[n] };
		if (n < PT_SINCE_EXCEPTIONS) {
			p->map->isa->vector_name(n, row->exception, sizeof(row->exception));
			row->handler = function_at(p, handler_of(p, n));
		}
		f->n_since++;
	}
	f->since = p->since_rows;
}

static void make_irqs(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->n_irqs = 0;
	for (size_t i = 0; i < f->n_functions; i++) {
		const struct pt_profile_function *row = &f->function[i];
		struct pt_profile_irq *irq = &p->irqs[f->n_irqs];

		if (row->run == NULL || row->run->exceptions == 0)
			continue;
		irq->function = row;
		irq->vectors[0] = '\0';
		irq->since = since_of(p, row->function != NULL ? row->function->address : PT_UNKNOWN);
		if (row->function != NULL)
			name_vectors(p, row->function->address, irq->vectors, sizeof(irq->vectors));
		f->n_irqs++;
	}
	f->irq = p->irqs;
}

/* Edges with an end that is shown. */
static void make_edges(struct pt_pipeline *p, const struct pt_execution_result *result)
{
	struct pt_profile *f = &p->profile;
	struct pt_edge *edges;

	f->edge = result->edge;
	f->n_edges = result->n_edges;
	if (p->all_shown)
		return;
	f->n_edges = 0;
	edges = realloc(p->edges, (result->n_edges + 1) * sizeof(*edges));
	if (edges == NULL)
		return;
	p->edges = edges;
	for (size_t i = 0; i < result->n_edges; i++)
		if (p->shown[result->edge[i].to] || p->shown[result->edge[i].from])
			edges[f->n_edges++] = result->edge[i];
	f->edge = edges;
}

/* Whose figures of functions the profile has. */
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

/* Figures of functions where execution was not selected: those of entries and exits, or of ranges. */
static struct pt_execution_result stand_in(const struct pt_pipeline *p, const struct pt_execution_result *result)
{
	const struct pt_spans *spans = p->profile.spans != NULL ? p->profile.spans : p->profile.ranges;
	struct pt_execution_result figures = *result;

	if (spans == NULL || spans->n_functions != result->n_functions)
		return figures;
	figures.function = spans->function;
	figures.n_edges = 0;
	figures.instructions = spans->instructions;
	figures.cycles = spans->cycles;
	return figures;
}

const struct pt_profile *pt_pipeline_profile(struct pt_pipeline *p)
{
	const struct pt_execution_result *result = pt_execution_result(p->execution);
	struct pt_execution_result figures;
	struct pt_profile *f = &p->profile;

	if (!p->executes) {
		pt_chosen_result(p);
		figures = stand_in(p, result);
		result = &figures;
	}
	f->program = p->program;
	f->timing = p->map->isa->timing;
	f->by_instructions = p->settings.clock == PT_FLOW_INSTRUCTIONS;
	judge(p);
	sum_up_samples(p);
	sum_up_flow(p, result);
	sum_up_time(p);
	tell_of_tasks(p);
	if (pt_snapshot_by_bins(p))
		pt_snapshot_bin_rows(p);
	else
		make_rows(p, result);
	snprintf(f->analysis, sizeof(f->analysis), "%s", analysis_of(p));
	make_since(p);
	make_irqs(p);
	make_edges(p, result);
	if (p->executes)
		pt_chosen_result(p);	/* they may look at the rows */
	return f;
}
