/* One source: turns its chunks into events and marks, in their order.
 *
 * A burst lies between two DATA chunks with RESTART, or between such a chunk and the loss after it. It is whole if the
 * buffer was full (re-armed by design, or overrun), and interrupted if another fault, a halt or the end came first. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"
#include "trace/formats.h"

/* Values of unseen in struct pt_source_ctx */
static const char ran_before[] =
	"the core ran before the trace began (--reset, or a halted core, has the beginning, too)";
static const char ran_meanwhile[] = "the core ran while nothing was recorded";
static const char was_lost[] = "trace was lost";

/* --- CONFIG */

void pt_source_ctx_read_image(struct pt_pipeline *p, const struct pt_config *config)
{
	struct pt_profile *f = &p->profile;
	const struct pt_program *program = p->program;
	char differs[24];

	if (program != NULL && pt_program_is_doubted(program)) {
		f->elf_check = PT_ELF_OTHER;	/* the recorded code is that of the program that was recorded with it */
		return;
	}
	pt_config_text(config, "elf_mismatch", differs, sizeof(differs));
	f->elf_check = differs[0] == '\0'		 ? PT_ELF_UNSAID
		       : strcmp(differs, "no") == 0	 ? PT_ELF_SAME
		       : strcmp(differs, "unknown") == 0 ? PT_ELF_UNKNOWN
							 : PT_ELF_DIFFERS;
	f->elf_compared = pt_config_number(config, "elf_compared", 0);
	f->elf_bytes = pt_config_number(config, "elf_bytes", 0);
	f->elf_differs_at = f->elf_check == PT_ELF_DIFFERS ? pt_config_number(config, "elf_mismatch", 0) : 0;
}

/* "flash 0x0 0x40000,RAM 0x1fffe000 0x8000" */
static void read_regions(struct pt_profile *f, const struct pt_config *config)
{
	const char *text;
	int len = pt_config_find(config, "regions", &text);
	char one[64];

	f->n_regions = 0;
	for (int at = 0, n; at < len && f->n_regions < PT_PROFILE_REGIONS; at += n + 1) {
		struct pt_profile_region *region = &f->region[f->n_regions];
		const char *comma = memchr(text + at, ',', (size_t)(len - at));

		n = comma != NULL ? (int)(comma - text) - at : len - at;
		snprintf(one, sizeof(one), "%.*s", n, text + at);
		if (sscanf(one, "%11s %" SCNx64 " %" SCNx64, region->kind, &region->addr, &region->size) == 3)
			f->n_regions++;
	}
}

/* Facts for the head of the report: from the first source, except those that only other sources have. */
static void read_facts(struct pt_pipeline *p, const struct pt_config *config, bool first)
{
	struct pt_profile *f = &p->profile;
	uint64_t core_hz = p->given_hz != 0 ? p->given_hz : pt_config_core_hz(config);
	char sleep[16];

	if (first) {
		pt_config_text(config, "source", f->source, sizeof(f->source));
		pt_config_text(config, "mode", f->mode, sizeof(f->mode));
		pt_config_text(config, "target", f->target, sizeof(f->target));
		pt_config_text(config, "probe", f->probe, sizeof(f->probe));
		pt_config_text(config, "cost", f->cost, sizeof(f->cost));
		pt_config_text(config, "event", f->sampled_by, sizeof(f->sampled_by));
		f->sampled_every = pt_config_number(config, "every", 0);
		pt_config_text(config, "version", f->version, sizeof(f->version));
		pt_config_text(config, "words", f->words, sizeof(f->words));
		pt_config_text(config, "probe_address", f->address, sizeof(f->address));
		f->at_reset = pt_config_number(config, "at_reset", 0) != 0;
		f->seed = pt_config_number(config, "seed", 0);
	}
	if (first) {
		pt_config_text(config, "elf_unread", f->elf_unread, sizeof(f->elf_unread));
		pt_config_text(config, "fallback", f->fallback, sizeof(f->fallback));
		read_regions(f, config);
	}
	if (first || f->elf_check != PT_ELF_DIFFERS)
		pt_source_ctx_read_image(p, config);
	if (first || f->buffer_bytes == 0) {
		f->buffer_addr = pt_config_number(config, "buffer", 0);
		f->buffer_bytes = pt_config_number(config, "size", 0);
		f->buffer_in_use = pt_config_number(config, "buffer_in_use", 0) != 0;
	}
	if (first) {
		pt_config_text(config, "sleep", sleep, sizeof(sleep));
		f->sleep_counted = strcmp(sleep, "counted") == 0;
	}
	if (first || f->core_hz == 0)
		f->core_hz = core_hz;
	if (first) {
		f->clock_least_hz = pt_config_number(config, "clock_least_hz", 0);
		f->clock_most_hz = pt_config_number(config, "clock_most_hz", 0);
		f->clock_measured = p->given_hz == 0 && pt_config_number(config, "clock_measured", 0) != 0;
	}
	f->from_virtual = (!first && f->from_virtual) || pt_config_number(config, "virtual", 0) != 0;
}

/* Formats of our own have timestamps of 1 ns unless they say otherwise (formats.h). */
static struct pt_clock clock_of(const struct pt_source_ctx *ctx, const struct pt_config *config)
{
	const char *format = ctx->facts.format;
	bool own = strcmp(format, PT_FORMAT_LINES) == 0 || strcmp(format, PT_FORMAT_VALUES) == 0 ||
		   strcmp(format, PT_FORMAT_COUNTERS) == 0;
	uint64_t hz = pt_config_number(config, "tick_hz", 0), ppm = pt_config_number(config, "tick_ppm", 0);

	if (pt_config_number(config, "tick_exact", 0) != 0)
		ppm = 0;
	else if (ppm == 0)
		ppm = PT_CLOCK_PPM;
	return pt_clock_of(hz != 0 || !own ? hz : PT_NS_PER_S, ppm);
}

/* Keeps the largest error: a table may have rows of several sources. */
static void read_measured_ticks(struct pt_profile *f, const struct pt_config *config)
{
	double hz = (double)pt_config_number(config, "tick_hz", 0),
	       least = (double)pt_config_number(config, "tick_least_hz", 0),
	       most = (double)pt_config_number(config, "tick_most_hz", 0);

	if (hz > 0 && least > 0 && least <= hz && most >= hz)
		f->stamps_wrong = fmax(f->stamps_wrong, fmax(hz / least - 1, 1 - hz / most));
}

/* IVBR of the S12Z: bits 15:1 are bits 23:9 of the address. Without the key the address comes from the program. */
static uint64_t vectors_of(const struct pt_config *config)
{
	uint64_t ivbr = pt_config_number(config, "ivbr", PT_UNKNOWN);

	return ivbr <= UINT16_MAX ? (ivbr & 0xfffe) << 8 : PT_UNKNOWN;
}

static enum pt_flow_stamps stamps_of(const struct pt_source_ctx *ctx, const struct pt_config *config)
{
	char from[8];

	if (ctx->decoder == NULL || (ctx->decoder->gives & PT_GIVES_FLOW_TIME) == 0)
		return PT_STAMPS_OTHER;
	pt_config_text(config, "stamp_from", from, sizeof(from));
	return strcmp(from, "line") == 0 ? PT_STAMPS_FROM_LINE : PT_STAMPS_FROM_FLOW;
}

/* Branches cannot be followed without the code between them. Without a program they are only counted. */
static bool cannot_walk(const struct pt_pipeline *p)
{
	return p->program != NULL && p->map->isa == &pt_isa_none;
}

enum { MOST_ISSUED = 4 };	/* the value in a file is not trusted */

/* These samples show the interrupted pc: DWT_PCSR and the DWT's samples by ITM, unless this core is known to show the
 * handler; and the S12Z's SYNC_PC, for which no manual says otherwise. */
static void meet_interrupted(struct pt_source_ctx *ctx, const struct pt_config *config)
{
	struct pt_pipeline *p = ctx->pipeline;
	char entry[16];

	ctx->meets_handler = strcmp(pt_config_text(config, "entry", entry, sizeof(entry)), "handler") == 0;
	ctx->meets_interrupted =
		!ctx->meets_handler &&
		(strcmp(ctx->facts.format, PT_FORMAT_ITM) == 0 ||
		 (strcmp(ctx->facts.format, PT_FORMAT_PCSR) == 0 &&
		  (strcmp(ctx->facts.source, "pcsr") == 0 || strcmp(ctx->facts.source, "sync-pc") == 0)));
	ctx->facts.meets_interrupted = ctx->meets_interrupted;
	ctx->issues = pt_config_number(config, "issues", 1);
	ctx->issues = ctx->issues < 1 || ctx->issues > MOST_ISSUED ? 1 : ctx->issues;
	if (ctx->meets_interrupted && p->entered == NULL)
		p->entered = pt_entered_new(p->map, &p->settings);
}

/* First of the sources whose CONFIG could be read. */
static bool is_first(const struct pt_source_ctx *ctx)
{
	for (size_t i = 0; i < ctx->index; i++)
		if (ctx->pipeline->ctx[i]->facts.ignored != PT_SOURCE_NO_CONFIG)
			return false;
	return true;
}

void pt_source_ctx_open(struct pt_source_ctx *ctx, const struct pt_chunk *chunk, const struct pt_config *config)
{
	struct pt_profile_source *f = &ctx->facts;
	char chosen[8], mode[12], clock[8];

	read_facts(ctx->pipeline, config, is_first(ctx));
	pt_config_text(config, "format", f->format, sizeof(f->format));
	pt_config_text(config, "source", f->source, sizeof(f->source));
	pt_config_text(config, "mode", f->mode, sizeof(f->mode));
	pt_config_text(config, "title", f->title, sizeof(f->title));
	pt_config_texts(config, "assumed", f->assumed, sizeof(f->assumed));
	pt_config_text(config, "cost_besides", f->cost_besides, sizeof(f->cost_besides));
	f->cost = (struct pt_cost){ .n_parts = 0 };
	pt_config_text(config, "event", f->event, sizeof(f->event));
	f->number = chunk->source;
	f->core = chunk->core;
	f->ended = false;
	ctx->source = chunk->source;
	ctx->core = chunk->core;
	ctx->decoder = pt_decoder_find(f->format);
	f->ignored = PT_SOURCE_USED;
	if (ctx->decoder != NULL && (ctx->decoder->gives & PT_GIVES_FLOW) != 0 && cannot_walk(ctx->pipeline)) {
		ctx->decoder = NULL;
		f->ignored = PT_SOURCE_NO_ISA;
	}
	ctx->clock = clock_of(ctx, config);
	read_measured_ticks(&ctx->pipeline->profile, config);
	ctx->own.hz = ctx->clock.tick_hz;
	ctx->own.begun = false;
	ctx->arrivals = (struct pt_arrivals){ 0 };
	ctx->wait_ns = pt_config_number(config, "wait_ns", 0);
	f->no_clock = strcmp(pt_config_text(config, "clock", clock, sizeof(clock)), "none") == 0;
	pt_config_text(config, "trace", mode, sizeof(mode));
	ctx->extract = mode[0] != '\0' || strcmp(f->mode, "dump") == 0;
	ctx->data_only = strcmp(mode, "detail") == 0;
	ctx->leaves_out = strcmp(mode, "loop1") == 0;
	ctx->flow.vectors = vectors_of(config);
	ctx->flow.stamps = stamps_of(ctx, config);
	pt_config_text(config, "chosen", chosen, sizeof(chosen));
	ctx->chosen_end = strcmp(chosen, "end") == 0;
	ctx->bursts_only = strcmp(f->mode, "burst") == 0 || chosen[0] != '\0';
	ctx->around = strcmp(f->mode, "ring") == 0;
	ctx->halting = strcmp(f->mode, "halt") == 0 && strcmp(f->format, PT_FORMAT_PCSR) != 0;
	meet_interrupted(ctx, config);
	ctx->halts_for_samples = strcmp(f->format, PT_FORMAT_PCSR) == 0 && strcmp(f->source, "pc-sampling") == 0 &&
				 strcmp(f->mode, "halt") == 0;
	ctx->triggered = pt_config_number(config, "triggered", 0) != 0;
	if (pt_config_number(config, "silent_loss", 0) != 0)
		ctx->unseen = "what was lost on the way into the file left no trace there";
	free(ctx->state);
	ctx->state = ctx->decoder != NULL ? pt_alloc(ctx->decoder->state_bytes) : NULL;
	if (ctx->decoder != NULL)
		ctx->decoder->init(ctx->state, chunk->source, chunk->core, config);
}

void pt_source_ctx_unreadable(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	if (ctx->facts.source[0] == '\0')
		snprintf(ctx->facts.source, sizeof(ctx->facts.source), "unreadable");
	ctx->facts.number = chunk->source;
	ctx->facts.core = ctx->core = chunk->core;
	ctx->facts.ended = false;
	ctx->facts.ignored = PT_SOURCE_NO_CONFIG;
	ctx->unseen = was_lost;
	ctx->decoder = NULL;
	free(ctx->state);
	ctx->state = NULL;
}

/* --- to the others */

static void send_events(struct pt_source_ctx *ctx)
{
	struct pt_pipeline *p = ctx->pipeline;

	if (p->merge != NULL)
		pt_merge_put(p->merge, ctx->index, p->batch.event, p->batch.n_events);
	else if (p->batch.n_events > 0)
		pt_sort_events(ctx, p->batch.event, NULL, p->batch.n_events);
	p->batch.n_events = 0;
}

/* A mark between events refers to a chunk: its fields, without its bytes. */
static void send_mark(struct pt_source_ctx *ctx, enum pt_mark mark, const struct pt_chunk *chunk)
{
	struct pt_pipeline *p = ctx->pipeline;
	uint64_t bytes = chunk->kind == PT_CHUNK_LOSS ? chunk->lost_bytes : chunk->len_bytes;
	struct pt_event remark = {
		.kind = (uint8_t)mark, .ticks = chunk->from_ns,
		.cause = chunk->cause < UINT8_MAX ? (uint8_t)chunk->cause : UINT8_MAX,
		.value = { chunk->to_ns, bytes },
	};

	if (p->merge == NULL)
		pt_sort_mark(ctx, mark, chunk);
	else
		pt_merge_put(p->merge, ctx->index, &remark, 1);
}

static void take_mark(struct pt_source_ctx *ctx, const struct pt_event *remark)
{
	struct pt_chunk chunk = {
		.from_ns = remark->ticks, .to_ns = remark->value.at, .lost_bytes = remark->value.value,
		.len_bytes = (uint32_t)remark->value.value, .cause = remark->cause, .source = ctx->source,
	};

	pt_sort_mark(ctx, (enum pt_mark)remark->kind, &chunk);
}

void pt_source_ctxs_drain(struct pt_pipeline *p)
{
	struct pt_timestamp at[PT_BATCH_EVENTS];
	struct pt_event *event = p->batch.event;
	size_t ctx, n;

	while ((n = pt_merge_take(p->merge, &ctx, event, at, PT_BATCH_EVENTS)) > 0)
		for (size_t i = 0, first; i < n;) {
			for (first = i; i < n && event[i].kind < PT_MERGE_REMARK; i++)
				;
			if (i > first)
				pt_sort_events(p->ctx[ctx], event + first, at + first, i - first);
			if (i < n)
				take_mark(p->ctx[ctx], &event[i++]);
		}
}

void pt_source_ctx_join(struct pt_source_ctx *ctx, uint64_t from_ns)
{
	if (ctx->decoder != NULL)
		pt_merge_open(ctx->pipeline->merge, ctx->index, &ctx->clock, from_ns);
}

/* --- the other chunks */

static bool has_flow(const struct pt_source_ctx *ctx)
{
	return (ctx->decoder->gives & PT_GIVES_FLOW) != 0;
}

/* Bytes of the frames around the stream are missing. */
static void damage(struct pt_source_ctx *ctx, uint64_t bytes)
{
	ctx->decoder->gap(ctx->state, PT_GAP_DAMAGED, PT_UNKNOWN, bytes, &ctx->pipeline->batch);
	send_events(ctx);
}

/* An incomplete frame counts as missing. */
static void end_frame(struct pt_source_ctx *ctx)
{
	uint64_t rest = ctx->stream != NULL ? pt_stream_part_gap(ctx->stream) : 0;

	if (rest > 0)
		damage(ctx, pt_stream_part_is_first(ctx->stream) ? rest : PT_UNKNOWN);
}

static void gap(struct pt_source_ctx *ctx, enum pt_gap cause, uint64_t ns, uint64_t bytes)
{
	end_frame(ctx);
	ctx->decoder->gap(ctx->state, cause, ns, bytes, &ctx->pipeline->batch);
	send_events(ctx);
	ctx->gap_open = ctx->in_data;
}

/* The trace was re-armed. If the core was held meanwhile, nothing ran in between. */
static void restart(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	if (ctx->halting && ctx->resumed)
		return;
	gap(ctx, PT_GAP_RESTART, 0, 0);
	send_mark(ctx, PT_MARK_BURST_WHOLE, chunk);
	if (!ctx->halting)
		send_mark(ctx, PT_MARK_BURST, chunk);
}

/* Takes some of the bytes, of which a part belongs to the stream. */
static size_t feed_stream(struct pt_source_ctx *ctx, const uint8_t *bytes, size_t len_bytes)
{
	struct pt_stream_piece own;
	size_t taken = pt_stream_part_feed(ctx->stream, bytes, len_bytes, &own);

	if (own.lost)
		damage(ctx, own.lost_bytes);
	for (size_t n = 0; n < own.len_bytes;) {
		n += ctx->decoder->feed(ctx->state, own.bytes + n, own.len_bytes - n, &ctx->pipeline->batch);
		send_events(ctx);
	}
	return taken;
}

/* Takes some of the bytes: on the fast path as far as possible, then in the normal way. Returns bytes taken. */
static size_t feed(struct pt_source_ctx *ctx, const uint8_t *bytes, size_t len_bytes)
{
	enum { MORE_BYTES = 4 * PT_PAIR_BYTES };	/* irregular packets come in groups */
	size_t taken = 0, packet_bytes;

	if (ctx->stream != NULL)
		return feed_stream(ctx, bytes, len_bytes);
	if (pt_sort_takes_pairs(ctx)) {
		taken = pt_sort_pairs(ctx, bytes, len_bytes, &packet_bytes);
		if (len_bytes - taken > packet_bytes + MORE_BYTES)
			len_bytes = taken + packet_bytes + MORE_BYTES;
	}
	taken += ctx->decoder->feed(ctx->state, bytes + taken, len_bytes - taken, &ctx->pipeline->batch);
	send_events(ctx);
	return taken;
}

/* Batches of samples are unrelated, so a restart means nothing for them. */
static void data(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	if (chunk->cause != PT_DATA_FOLLOWS && ctx->decoder->gives != PT_GIVES_SAMPLES)
		restart(ctx, chunk);
	ctx->resumed = false;
	ctx->gaps += ctx->gap_open;
	ctx->gap_open = false;
	if (ctx->lead_open)		/* no chunk says that the core was held meanwhile */
		ctx->unseen = ran_before;
	ctx->lead_open = false;
	ctx->in_data = true;
	send_mark(ctx, PT_MARK_DATA, chunk);
	for (size_t taken = 0; taken < chunk->len_bytes;)
		taken += feed(ctx, chunk->bytes + taken, chunk->len_bytes - taken);
	send_mark(ctx, PT_MARK_DATA_END, chunk);
}

/* If nothing ran, nothing is missing in the flow, nor in a stream that continues. */
static bool nothing_ran(const struct pt_source_ctx *ctx, enum pt_loss cause)
{
	if (ctx->decoder->goes_on && cause == PT_LOSS_HALTED)
		return true;
	return has_flow(ctx) && (pt_loss_nothing_ran(cause) || (ctx->held && !pt_loss_is_fault(cause)));
}

/* Time without trace. Before the first trace a debugger may have held the core: the next STATE shows this. */
static void note_unseen(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	enum pt_loss cause = (enum pt_loss)chunk->cause;

	if (pt_loss_is_fault(cause))
		ctx->unseen = was_lost;
	else if (pt_loss_nothing_ran(cause) || ctx->held || chunk->to_ns <= chunk->from_ns)
		;
	else if (ctx->in_data || ctx->state_known)
		ctx->unseen = ctx->unseen != NULL ? ctx->unseen : ran_meanwhile;
	else
		ctx->lead_open = true;
}

static void loss(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	enum pt_loss cause = (enum pt_loss)chunk->cause;
	/* the trace stopped because the buffer was full */
	bool full = !pt_loss_is_fault(cause) || cause == PT_LOSS_OVERRUN;

	note_unseen(ctx, chunk);
	send_mark(ctx, PT_MARK_LOSS, chunk);
	if (nothing_ran(ctx, cause))
		return;
	ctx->resumed = false;
	gap(ctx, PT_GAP_LOSS, chunk->to_ns - chunk->from_ns, chunk->lost_bytes);
	send_mark(ctx, full ? PT_MARK_BURST_WHOLE : PT_MARK_BURST_CUT, chunk);
}

/* The halt was found later than it may have been. */
static void note_late_halt(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	struct pt_chunk late = { .source = chunk->source, .core = chunk->core, .to_ns = chunk->to_ns };

	if (chunk->cause != PT_STATE_HALT || chunk->len_bytes < PT_STATE_SINCE_BYTES)
		return;
	late.from_ns = pt_le64(chunk->bytes + PT_STATE_SINCE);
	if (late.from_ns < late.to_ns)
		send_mark(ctx, PT_MARK_MAYBE_HALTED, &late);
}

static void state(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	uint64_t pc = chunk->len_bytes >= PT_STATE_BYTES ? pt_le64(chunk->bytes + PT_STATE_PC) : PT_UNKNOWN;

	note_late_halt(ctx, chunk);

	ctx->decoder->state(ctx->state, (enum pt_state)chunk->cause, pc, &ctx->pipeline->batch);
	send_events(ctx);
	ctx->resumed = chunk->cause != PT_STATE_HALT && pc != PT_UNKNOWN;
	if (chunk->cause == PT_STATE_HALT || chunk->cause == PT_STATE_RUN)
		ctx->held = chunk->cause == PT_STATE_HALT;
	/* The core is resumed, or reset, at a known pc: until now it was held. */
	if (ctx->lead_open && (!ctx->resumed || chunk->cause == PT_STATE_SLEEP))
		ctx->unseen = ran_before;
	ctx->lead_open = false;
	ctx->state_known = true;
	if (chunk->cause == PT_STATE_HALT || chunk->cause == PT_STATE_RESET)
		send_mark(ctx, PT_MARK_BURST_CUT, chunk);
}

static void end(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	end_frame(ctx);
	ctx->decoder->flush(ctx->state, &ctx->pipeline->batch);
	send_events(ctx);
	send_mark(ctx, PT_MARK_END, chunk);
}

static void clock_chunk(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	uint64_t ticks, ns, error_ns;

	if (chunk->len_bytes < PT_CLOCK_BYTES)
		return;
	ticks = pt_le64(chunk->bytes + PT_CLOCK_TICKS);
	ns = pt_le64(chunk->bytes + PT_CLOCK_NS);
	error_ns = pt_le64(chunk->bytes + PT_CLOCK_ERROR_NS);
	if (ticks == PT_UNKNOWN || ns == PT_UNKNOWN || error_ns == PT_UNKNOWN)
		return;
	pt_clock_anchor(&ctx->clock, ticks, ns, error_ns);
	if (ctx->pipeline->merge != NULL)
		pt_merge_anchor(ctx->pipeline->merge, ctx->index, ticks, ns, error_ns);
}

/* Finds when a chunk begins: the earliest possible time of its oldest event. */
static void find_held(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	const struct pt_arrivals *a = &ctx->arrivals;
	uint64_t from_ns = chunk->from_ns, held = ctx->decoder->held_bytes(ctx->state);
	size_t i = 0;

	while (i < a->n && a->chunk[i].end_bytes + held <= a->bytes)
		i++;
	if (held > 0 && i < a->n)
		from_ns = a->chunk[i].from_ns;
	ctx->held_ns = from_ns > ctx->wait_ns ? from_ns - ctx->wait_ns : 0;
}

/* Merges the two oldest entries, as if all their bytes had come with the first. */
static void note_arrival(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	struct pt_arrivals *a = &ctx->arrivals;

	if (chunk->kind != PT_CHUNK_DATA || chunk->len_bytes == 0)
		return;
	if (a->n == PT_ARRIVALS) {
		a->chunk[0].end_bytes = a->chunk[1].end_bytes;
		memmove(&a->chunk[1], &a->chunk[2], (--a->n - 1) * sizeof(a->chunk[1]));
	}
	a->bytes += chunk->len_bytes;
	a->chunk[a->n].end_bytes = a->bytes;
	a->chunk[a->n++].from_ns = chunk->from_ns;
}

/* A format that this version does not know: its time counts as unobserved; if CONFIG was damaged, as lost. */
static void unread(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	struct pt_chunk lost = *chunk;

	lost.cause = PT_LOSS_DAMAGED;
	lost.lost_bytes = chunk->len_bytes;
	if (chunk->kind == PT_CHUNK_LOSS)
		pt_account_loss(&ctx->account, chunk);
	else if (chunk->kind == PT_CHUNK_DATA && ctx->facts.ignored == PT_SOURCE_NO_CONFIG)
		pt_account_loss(&ctx->account, &lost);
	else if (chunk->kind == PT_CHUNK_DATA)
		pt_account_data(&ctx->account, chunk, 0);
}

static void merge_on(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	struct pt_merge *merge = ctx->pipeline->merge;
	uint64_t from_ns = ctx->held_ns < chunk->from_ns ? ctx->held_ns : chunk->from_ns;

	pt_merge_span(merge, ctx->index, from_ns, chunk->to_ns);
	if (chunk->kind == PT_CHUNK_END)
		pt_merge_end(merge, ctx->index);
	pt_source_ctxs_drain(ctx->pipeline);
}

void pt_source_ctx_feed(struct pt_source_ctx *ctx, const struct pt_chunk *chunk)
{
	if (chunk->kind == PT_CHUNK_COST) {	/* it has no time and makes no event */
		pt_source_ctx_cost(ctx, chunk);
		return;
	}
	ctx->facts.ended = ctx->facts.ended || chunk->kind == PT_CHUNK_END;
	if (ctx->decoder != NULL && ctx->decoder->held_bytes != NULL) {
		find_held(ctx, chunk);
		note_arrival(ctx, chunk);
	}
	if (ctx->decoder != NULL)
		send_mark(ctx, PT_MARK_CHUNK, chunk);
	if (ctx->decoder == NULL)
		unread(ctx, chunk);
	else if (chunk->kind == PT_CHUNK_DATA)
		data(ctx, chunk);
	else if (chunk->kind == PT_CHUNK_LOSS)
		loss(ctx, chunk);
	else if (chunk->kind == PT_CHUNK_STATE)
		state(ctx, chunk);
	else if (chunk->kind == PT_CHUNK_CLOCK)
		clock_chunk(ctx, chunk);
	else if (chunk->kind == PT_CHUNK_END)
		end(ctx, chunk);
	if (ctx->pipeline->merge != NULL && ctx->decoder != NULL)
		merge_on(ctx, chunk);
}
