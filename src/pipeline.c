/* One source per profile: the first CONFIG opens it, chunks of others are left alone. A chunk goes all the way before
 * the next one: decoder, flow, then execution and burst shares (branch formats) or the flat profile (samples).
 *
 * A burst is what lies between two DATA chunks that RESTART, or between one and the loss behind it. It is whole if the
 * buffer was full (the source looked away by design, or was overrun), and interrupted if another fault, a halt or the
 * end came. */
#include "pipeline.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decoder.h"
#include "profile/account.h"
#include "profile/bursts.h"
#include "profile/execution.h"
#include "profile/flat.h"
#include "profile/flow.h"
#include "profile/profile.h"
#include "trace/formats.h"

enum { ANALYSIS, FUNCTIONS, CLOCK, CORE_CLOCK, EXC_ENTRY, EXC_RETURN, TAIL_CHAIN };

const struct pt_param pt_pipeline_params[] = {
	[ANALYSIS] = { "analysis", PT_PARAM_CHOICE, "execution", "execution", 0, 0,
		       "what is made of the flow: calls by a shadow stack" },
	[FUNCTIONS] = { "functions", PT_PARAM_LIST, NULL, NULL, 0, 0, "show only these functions (names, a,b,c)" },
	[CLOCK] = { "clock", PT_PARAM_CHOICE, "cycles", "cycles|instructions", 0, 0, "what times are counted in" },
	[CORE_CLOCK] = { "core-clock", PT_PARAM_HZ, NULL, NULL, 1, 10000000000, "frequency of the core; gives seconds" },
	[EXC_ENTRY] = { "exception-entry", PT_PARAM_NUMBER, "15", NULL, 0, 200,
			"cycles to enter an exception (Cortex-M0+, zero wait states)" },
	[EXC_RETURN] = { "exception-return", PT_PARAM_NUMBER, "13", NULL, 0, 200,
			 "cycles to return from an exception (unverified)" },
	[TAIL_CHAIN] = { "tail-chain", PT_PARAM_NUMBER, "6", NULL, 0, 200,
			 "cycles from one handler straight into the next (unverified)" },
};
const size_t pt_n_pipeline_params = PT_LEN(pt_pipeline_params);

struct pt_pipeline {
	struct pt_program *program;	/* held; or NULL */
	const struct pt_function *functions;
	size_t n_functions, n_ids;	/* ids: 0 and one per function */
	struct pt_codemap *map;
	struct pt_flow_settings settings;
	uint64_t given_hz;		/* core-clock; 0: as CONFIG says */

	/* the source */
	bool opened;
	uint16_t source;
	const struct pt_decoder *decoder;	/* NULL: none opened, or a format that nobody knows */
	void *state;
	bool bursts_only;		/* mode=burst: a DATA chunk ends before anybody sees that it has */
	bool counted;			/* samples, not flow */
	bool in_data;			/* trace has begun */
	bool gap_open;			/* it was interrupted, which counts when it goes on */
	bool held;			/* a debugger, or the source, holds the core: nothing runs */
	bool resumed;			/* it was let go at a known pc, and nothing came since */
	bool halting;			/* mode=halt: the trace is re-armed while the core is held */
	uint64_t gaps;			/* between the first and the last of it, that chunks brought */

	/* the analyses */
	struct pt_flow flow;
	struct pt_execution *execution;
	struct pt_bursts *bursts;
	struct pt_flat *flat;
	struct pt_account account;
	uint64_t cycles, runs;
	struct pt_batch batch;
	struct pt_run_batch run_batch;

	/* the snapshot */
	struct pt_profile profile;
	bool *shown;			/* by id */
	struct pt_profile_function *rows;
	const struct pt_profile_function **by_id;
	struct pt_profile_irq *irqs;
	struct pt_edge *edges;
};

/* --- life */

static struct pt_flow_settings settings_of(const struct pt_params *params)
{
	const struct pt_param *rows = pt_pipeline_params;

	return (struct pt_flow_settings){
		.clock = strcmp(pt_params_text(params, &rows[CLOCK]), "cycles") == 0 ? PT_FLOW_CYCLES : PT_FLOW_INSTRUCTIONS,
		.exception_entry_cycles = (uint32_t)pt_params_number(params, &rows[EXC_ENTRY]),
		.exception_return_cycles = (uint32_t)pt_params_number(params, &rows[EXC_RETURN]),
		.tail_chain_cycles = (uint32_t)pt_params_number(params, &rows[TAIL_CHAIN]),
	};
}

static int show(struct pt_pipeline *p, const char *name, size_t len, struct pt_err *err)
{
	bool found = false;

	for (size_t i = 0; i < p->n_functions; i++)
		if (pt_function_is(&p->functions[i], name, len) && i + 1 < p->n_ids)
			p->shown[i + 1] = found = true;
	if (!found)
		return pt_fail(err, PT_EARG, "functions: the program has no function '%.*s'", len > 60 ? 60 : (int)len, name);
	return 0;
}

static int choose_shown(struct pt_pipeline *p, const char *list, struct pt_err *err)
{
	for (size_t i = 0; i < p->n_ids; i++)
		p->shown[i] = list == NULL;
	while (list != NULL && *list != '\0') {
		size_t len = pt_function_list_first(list);

		if (len > 0 && show(p, list, len, err) < 0)
			return err != NULL ? err->code : PT_EARG;
		list += len + (list[len] == ',');
	}
	return 0;
}

/* NULL: not in this version. What has no ELF (tests make such programs) is Thumb. */
static const struct pt_isa *isa_of(const struct pt_program *program)
{
	unsigned machine = program != NULL ? pt_program_machine(program) : 0;

	return machine != 0 ? pt_isa_of_machine(machine) : &pt_isa_thumb_v6m;
}

static bool make_analyses(struct pt_pipeline *p)
{
	p->map = pt_codemap_new(p->program, isa_of(p->program));
	if (p->map == NULL)
		return false;
	p->execution = pt_execution_new(p->functions, p->n_functions, p->map, &p->settings);
	p->bursts = pt_bursts_new(p->n_ids, p->map, &p->settings);
	p->flat = pt_flat_new(p->n_ids);
	p->shown = calloc(p->n_ids, sizeof(*p->shown));
	p->rows = calloc(p->n_ids, sizeof(*p->rows));
	p->by_id = calloc(p->n_ids, sizeof(*p->by_id));
	p->irqs = calloc(p->n_ids, sizeof(*p->irqs));
	pt_flow_init(&p->flow, p->map, &p->settings);
	return p->execution != NULL && p->bursts != NULL && p->flat != NULL && p->shown != NULL && p->rows != NULL &&
	       p->by_id != NULL && p->irqs != NULL;
}

struct pt_pipeline *pt_pipeline_new(struct pt_program *program, const struct pt_params *params, struct pt_err *err)
{
	struct pt_pipeline *p;

	if (isa_of(program) == NULL) {
		pt_fail(err, PT_EUNSUPPORTED, "the instruction set of %s is not built in this version",
			pt_program_path(program));
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (p == NULL) {
		pt_fail(err, PT_ENOMEM, "not enough memory for a profile");
		return NULL;
	}
	p->program = program != NULL ? pt_program_ref(program) : NULL;
	p->functions = program != NULL ? pt_program_functions(program, &p->n_functions) : NULL;
	p->n_ids = p->n_functions < UINT16_MAX ? p->n_functions + 1 : UINT16_MAX;
	p->settings = settings_of(params);
	p->given_hz = pt_params_number(params, &pt_pipeline_params[CORE_CLOCK]);
	if (!make_analyses(p))
		pt_fail(err, PT_ENOMEM, "not enough memory for a profile of %zu functions", p->n_functions);
	else if (choose_shown(p, pt_params_text(params, &pt_pipeline_params[FUNCTIONS]), err) == 0)
		return p;
	pt_pipeline_free(p);
	return NULL;
}

void pt_pipeline_free(struct pt_pipeline *p)
{
	if (p == NULL)
		return;
	free(p->state);
	pt_execution_free(p->execution);
	pt_bursts_free(p->bursts);
	pt_flat_free(p->flat);
	pt_codemap_free(p->map);
	free(p->shown);
	free(p->rows);
	free(p->by_id);
	free(p->irqs);
	free(p->edges);
	pt_program_unref(p->program);
	free(p);
}

/* --- CONFIG */

static void text_of(const struct pt_chunk *chunk, const char *key, char *out, size_t size)
{
	const char *value;
	int len = pt_config_find((const char *)chunk->bytes, chunk->len_bytes, key, &value);

	snprintf(out, size, "%.*s", len > 0 ? len : 0, len > 0 ? value : "");
	for (char *c = out; *c != '\0'; c++)
		if ((unsigned char)*c < ' ')
			*c = ' ';
}

static uint64_t number_of(const struct pt_chunk *chunk, const char *key)
{
	char text[32];
	uint64_t v = 0;

	text_of(chunk, key, text, sizeof(text));
	return pt_params_parse(PT_PARAM_NUMBER, text, &v, NULL) == 0 ? v : 0;
}

static void read_facts(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	struct pt_profile *f = &p->profile;
	char differs[8];

	text_of(chunk, "elf_mismatch", differs, sizeof(differs));
	f->elf_differs = differs[0] != '\0' && strcmp(differs, "no") != 0;
	f->elf_differs_at = f->elf_differs ? number_of(chunk, "elf_mismatch") : 0;
	text_of(chunk, "source", f->source, sizeof(f->source));
	text_of(chunk, "mode", f->mode, sizeof(f->mode));
	text_of(chunk, "target", f->target, sizeof(f->target));
	text_of(chunk, "probe", f->probe, sizeof(f->probe));
	text_of(chunk, "cost", f->cost, sizeof(f->cost));
	f->buffer_addr = number_of(chunk, "buffer");
	f->buffer_bytes = number_of(chunk, "size");
	f->buffer_in_use = number_of(chunk, "buffer_in_use") != 0;
	f->from_virtual = number_of(chunk, "virtual") != 0;
	f->core_hz = p->given_hz != 0 ? p->given_hz : number_of(chunk, "core_hz");
	f->ended = false;
}

static void open_source(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	char format[32];

	text_of(chunk, "format", format, sizeof(format));
	read_facts(p, chunk);
	p->opened = true;
	p->source = chunk->source;
	p->decoder = pt_decoder_find(format);
	p->counted = strcmp(format, PT_FORMAT_PCSR) == 0;
	p->bursts_only = strcmp(p->profile.mode, "burst") == 0;
	p->halting = strcmp(p->profile.mode, "halt") == 0;
	free(p->state);
	p->state = p->decoder != NULL ? calloc(1, p->decoder->state_bytes) : NULL;
	if (p->state == NULL)
		p->decoder = NULL;
	else
		p->decoder->init(p->state, chunk->source, chunk->core, (const char *)chunk->bytes, chunk->len_bytes);
}

/* --- decoder to analyses */

static void take_runs(struct pt_pipeline *p)
{
	struct pt_run_batch *batch = &p->run_batch;

	pt_execution_feed(p->execution, batch->run, batch->n_runs);
	pt_bursts_feed(p->bursts, batch->run, batch->n_runs);
	for (size_t i = 0; p->bursts_only && i < batch->n_runs; i++)
		p->cycles += batch->run[i].cycles;
	p->runs += batch->n_runs;
	batch->n_runs = 0;
}

static void take_flow(struct pt_pipeline *p)
{
	size_t n = 0;

	while (n < p->batch.n_events) {
		n += pt_flow_feed(&p->flow, p->batch.event + n, p->batch.n_events - n, &p->run_batch);
		take_runs(p);
	}
}

static void take_samples(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->batch.n_events; i++) {
		const struct pt_event *e = &p->batch.event[i];
		const struct pt_code_unit *unit;

		if (e->kind == PT_EV_COUNTER && e->counter.id == PT_COUNTER_REFUSED) {
			pt_flat_refused(p->flat, e->counter.count);
		} else if (e->kind == PT_EV_SAMPLE && e->branch.to == PT_UNKNOWN) {
			pt_flat_asleep(p->flat);
		} else if (e->kind == PT_EV_SAMPLE) {
			unit = pt_codemap_at(p->map, e->branch.to);
			pt_flat_sample(p->flat, unit != NULL ? unit->function : PT_NO_FUNCTION);
		}
	}
}

static void take_events(struct pt_pipeline *p)
{
	if (p->counted)
		take_samples(p);
	else
		take_flow(p);
	p->batch.n_events = 0;
}

/* --- chunks */

static void anchor(struct pt_pipeline *p, uint64_t ns)
{
	bool known = p->settings.clock == PT_FLOW_CYCLES;

	pt_execution_anchor(p->execution, ns, known ? (double)p->profile.core_hz : 0);
}

static void gap(struct pt_pipeline *p, enum pt_gap cause, uint64_t ns, uint64_t bytes)
{
	p->decoder->gap(p->state, cause, ns, bytes, &p->batch);
	take_events(p);
	p->gap_open = p->in_data;
}

static void feed_bytes(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	size_t taken = 0;

	while (taken < chunk->len_bytes) {
		taken += p->decoder->feed(p->state, chunk->bytes + taken, chunk->len_bytes - taken, &p->batch);
		take_events(p);
	}
}

/* How long the core ran to make a burst, where it can be told: its modelled cycles on the core clock. */
static uint64_t ran_ns(const struct pt_pipeline *p, uint64_t cycles)
{
	if (!p->bursts_only || p->profile.core_hz == 0)
		return PT_UNKNOWN;
	return (uint64_t)((double)cycles * 1e9 / (double)p->profile.core_hz);
}

/* The trace was armed anew. Where that was done while the core was held, nothing ran in between. */
static void restart(struct pt_pipeline *p)
{
	if (p->halting && p->resumed)
		return;
	gap(p, PT_GAP_RESTART, 0, 0);
	pt_bursts_end(p->bursts, true);
	if (!p->halting)
		pt_bursts_begin(p->bursts);
}

static void data(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	uint64_t cycles = p->cycles;

	if (chunk->cause == PT_DATA_RESTARTS && !p->counted)
		restart(p);
	p->resumed = false;
	p->gaps += p->gap_open;
	p->gap_open = false;
	anchor(p, chunk->from_ns);
	p->in_data = true;
	feed_bytes(p, chunk);
	if (p->counted)
		pt_flat_end_batch(p->flat);
	pt_account_data(&p->account, chunk, ran_ns(p, p->cycles - cycles));
}

/* Where nothing ran, nothing is missing in the flow. */
static bool nothing_ran(const struct pt_pipeline *p, enum pt_loss cause)
{
	return !p->counted && (cause == PT_LOSS_SLEEP || cause == PT_LOSS_HALTED ||
			       (p->held && !pt_loss_is_fault(cause)));
}

static void loss(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	enum pt_loss cause = (enum pt_loss)chunk->cause;

	pt_account_loss(&p->account, chunk);
	if (nothing_ran(p, cause))
		return;
	p->resumed = false;
	gap(p, PT_GAP_LOSS, chunk->to_ns - chunk->from_ns, chunk->lost_bytes);
	pt_bursts_end(p->bursts, !pt_loss_is_fault(cause) || cause == PT_LOSS_OVERRUN);	/* it stopped full */
}

static void state(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	uint64_t pc = chunk->len_bytes >= PT_STATE_BYTES ? pt_le64(chunk->bytes + PT_STATE_PC) : PT_UNKNOWN;

	p->decoder->state(p->state, (enum pt_state)chunk->cause, pc, &p->batch);
	take_events(p);
	p->resumed = chunk->cause != PT_STATE_HALT && pc != PT_UNKNOWN;
	if (chunk->cause == PT_STATE_HALT || chunk->cause == PT_STATE_RUN)
		p->held = chunk->cause == PT_STATE_HALT;
	if (chunk->cause == PT_STATE_HALT || chunk->cause == PT_STATE_RESET)
		pt_bursts_end(p->bursts, false);
}

static void end(struct pt_pipeline *p)
{
	p->decoder->flush(p->state, &p->batch);
	take_events(p);
	pt_flow_flush(&p->flow, &p->run_batch);
	take_runs(p);
	pt_bursts_end(p->bursts, false);
}

void pt_pipeline_feed(struct pt_pipeline *p, const struct pt_chunk *chunk)
{
	if (chunk->kind == PT_CHUNK_CONFIG && (!p->opened || chunk->source == p->source))
		open_source(p, chunk);
	if (!p->opened || chunk->source != p->source)
		return;
	p->profile.ended = p->profile.ended || chunk->kind == PT_CHUNK_END;
	if (p->decoder == NULL) {	/* a format that this version does not know: its time still counts, as unobserved */
		if (chunk->kind == PT_CHUNK_LOSS)
			pt_account_loss(&p->account, chunk);
		else if (chunk->kind == PT_CHUNK_DATA)
			pt_account_data(&p->account, chunk, 0);
		return;
	}
	if (chunk->kind == PT_CHUNK_DATA)
		data(p, chunk);
	else if (chunk->kind == PT_CHUNK_LOSS)
		loss(p, chunk);
	else if (chunk->kind == PT_CHUNK_STATE)
		state(p, chunk);
	else if (chunk->kind == PT_CHUNK_END)
		end(p);
}

/* --- the snapshot */

/* No gap but the first start: everything that ran was seen. A burst is never that, were it the only one: its end is
 * where the buffer was full. */
static bool complete(const struct pt_pipeline *p)
{
	return p->runs > 0 && !p->bursts_only && p->gaps == 0 && p->flow.counts.damaged == 0 && p->flow.counts.not_code == 0;
}

static void judge(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;
	enum pt_basis measured = f->by_instructions ? PT_BASIS_EXACT : PT_BASIS_MODELLED;

	f->counts = p->counted ? PT_BASIS_NONE : complete(p) ? PT_BASIS_EXACT : PT_BASIS_ESTIMATED;
	f->times = p->counted ? PT_BASIS_NONE : measured;
	f->shares = !p->counted && complete(p) ? measured : PT_BASIS_ESTIMATED;
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
	struct pt_profile *f = &p->profile;

	f->branches = p->runs;
	f->bursts = s.all;
	f->bursts_used = s.used;
	f->bursts_asleep = s.asleep;
	f->bursts_cut_short = s.cut_short;
	f->burst_cycles = s.cycles;
	f->bursts_by_wakeups = s.by_wakeups;
	f->instructions = result->instructions;
	f->cycles = result->cycles;
	f->not_code = p->flow.counts.not_code;
	f->not_code_from = p->flow.counts.bad_from;
	f->not_code_to = p->flow.counts.bad_to;
	f->errors = result->errors;
}

static void sum_up_time(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	f->loss = p->account.sum;
	f->loss.by[PT_LOSS_DAMAGED].events += p->flow.counts.damaged;
	f->loss.by[PT_LOSS_NOT_CODE].events += p->flow.counts.not_code;
	f->mismatch_ns = p->account.mismatch_ns;
	/* A core that its full buffer halted is found halted a round trip later or more. */
	f->observed_is_bound = p->halting || (p->bursts_only && f->core_hz == 0);
}

static struct pt_share share_of(const struct pt_pipeline *p, uint16_t id, const struct pt_execution_result *result)
{
	uint64_t part = p->profile.by_instructions ? result->function[id].instructions : result->function[id].cycles;
	uint64_t all = p->profile.by_instructions ? result->instructions : result->cycles;

	if (p->counted)
		return pt_flat_share(p->flat, id);
	if (!complete(p) && pt_bursts_summary(p->bursts).estimated)
		return pt_bursts_share(p->bursts, id);
	return (struct pt_share){ .share = all != 0 ? (double)part / (double)all : 0 };
}

static bool is_active(const struct pt_pipeline *p, uint16_t id, const struct pt_execution_function *run)
{
	if (p->counted)
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
	for (size_t id = 0; id < p->n_ids; id++) {
		struct pt_profile_function *row = &p->rows[f->n_functions];

		p->by_id[id] = NULL;
		if (!p->shown[id] || !is_active(p, (uint16_t)id, &result->function[id]))
			continue;
		*row = (struct pt_profile_function){
			.id = (uint16_t)id, .function = id != PT_NO_FUNCTION ? &p->functions[id - 1] : NULL,
			.run = p->counted ? NULL : &result->function[id],
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

/* Exceptions whose vector leads to address. Names: Armv6-M ARM, B1.5.2. */
static void name_vectors(const struct pt_program *program, uint64_t address, char *out, size_t size)
{
	static const char *const names[16] = {
		[1] = "Reset", [2] = "NMI", [3] = "HardFault", [11] = "SVCall", [14] = "PendSV", [15] = "SysTick",
	};
	size_t len = 0;

	out[0] = '\0';
	for (unsigned n = 1; n < 16 + 240 && program != NULL && len + 12 < size; n++) {
		if (pt_program_vector(program, n) != address)
			continue;
		len += (size_t)(n < 16 && names[n] != NULL
				? snprintf(out + len, size - len, "%s%s", len > 0 ? " " : "", names[n])
				: snprintf(out + len, size - len, "%s%s%u", len > 0 ? " " : "", n < 16 ? "#" : "IRQ",
					   n < 16 ? n : n - 16));
	}
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
		if (row->function != NULL)
			name_vectors(p->program, row->function->address, irq->vectors, sizeof(irq->vectors));
		f->n_irqs++;
	}
	f->irq = p->irqs;
}

/* Edges with an end that is shown. */
static void make_edges(struct pt_pipeline *p, const struct pt_execution_result *result)
{
	struct pt_edge *edges = realloc(p->edges, (result->n_edges + 1) * sizeof(*edges));
	struct pt_profile *f = &p->profile;

	f->n_edges = 0;
	if (edges == NULL)
		return;
	p->edges = edges;
	for (size_t i = 0; i < result->n_edges; i++)
		if (p->shown[result->edge[i].to] || p->shown[result->edge[i].from])
			edges[f->n_edges++] = result->edge[i];
	f->edge = edges;
}

const struct pt_profile *pt_pipeline_profile(struct pt_pipeline *p)
{
	const struct pt_execution_result *result = pt_execution_result(p->execution);
	struct pt_profile *f = &p->profile;

	snprintf(f->analysis, sizeof(f->analysis), "%s", p->counted ? "samples" : "execution");
	f->program = p->program;
	f->timing = p->map->isa->timing;
	f->by_instructions = p->settings.clock == PT_FLOW_INSTRUCTIONS;
	judge(p);
	sum_up_samples(p);
	sum_up_flow(p, result);
	sum_up_time(p);
	make_rows(p, result);
	make_irqs(p);
	make_edges(p, result);
	return f;
}
