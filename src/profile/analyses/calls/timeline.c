/* Events are kept in blocks of memory, record by record: some events, or what came in brief, of which there is kept
 * what makes an event, with what all have in common at their head. The oldest block is used again as soon as enough
 * events are in the others, so that what is written to stays small. Events are made for a report, of the last records
 * that it wants. */
#include "profile/analyses/calls/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/result/analysis.h"

enum {
	CORES = 16,
	FEW = 4,		/* briefs that are smaller as events: with their head */
	BRIEF_BYTES = 10,	/* ticks, call, function: each by itself */
	EVENT_BYTES = 56,	/* of an event at most, heads included */
	BLOCK_BYTES = 16384,
	IDLE_BYTES = 2700,	/* of a block at most: one record more would not fit */
};

static const struct pt_param params[] = {
	{ "timeline", PT_PARAM_NUMBER, "65536", NULL, 256, 16 << 20,
	  "how many events the timeline keeps: the last ones" },
};

struct record {
	uint32_t bytes;			/* with all that follows it */
	uint16_t n_events;
	bool compact;
	/* of briefs, as in their batch */
	uint16_t stack, task, core, depth;	/* depth: before the first */
	uint64_t clock, anchor, anchor_ns, anchor_error_ns;
	double ns_per_tick;
};

struct block { uint32_t bytes, n_events, next; };	/* in use; the one that was begun after it */

struct timeline {
	struct pt_timeline result;
	struct pt_timeline_event *made;	/* result.ring */
	uint8_t (*memory)[BLOCK_BYTES];
	struct block *block;
	uint32_t oldest, newest, n_used, n_blocks;
	size_t n_events;
	struct record *last;		/* that events can be added to; or NULL */
	uint16_t depth[CORES][PT_CALL_STACKS];
};

/* --- blocks */

/* One more; or the oldest, if the others have enough, or there are no more. */
static void begin_block(struct timeline *t)
{
	uint32_t block = t->oldest;

	if (t->n_used < t->n_blocks && (t->n_used < 2 || t->n_events - t->block[block].n_events < t->result.room)) {
		block = t->n_used++;
	} else {
		t->n_events -= t->block[block].n_events;
		t->oldest = t->block[block].next;
	}
	t->block[t->newest].next = block;
	t->newest = block;
	t->block[block] = (struct block){ 0 };
	t->last = NULL;
}

static bool fits(const struct timeline *t, size_t bytes)
{
	return t->n_used > 0 && t->block[t->newest].bytes + bytes <= BLOCK_BYTES;
}

/* So many bytes behind all the others. */
static void *make_room(struct timeline *t, size_t bytes, size_t n_events)
{
	struct block *block;
	uint8_t *at;

	if (!fits(t, bytes))
		begin_block(t);
	block = &t->block[t->newest];
	at = t->memory[t->newest] + block->bytes;
	block->bytes += (uint32_t)bytes;
	block->n_events += (uint32_t)n_events;
	t->n_events += n_events;
	t->result.seen += n_events;
	return at;
}

/* --- events */

static void add(struct timeline *t, const struct pt_timeline_event *event)
{
	struct record *r = t->last;

	if (r == NULL || !fits(t, sizeof(*event))) {
		if (!fits(t, sizeof(*r) + sizeof(*event)))
			begin_block(t);
		t->last = r = make_room(t, sizeof(*r), 0);
		*r = (struct record){ .bytes = sizeof(*r) };
	}
	memcpy(make_room(t, sizeof(*event), 1), event, sizeof(*event));
	r->bytes += sizeof(*event);
	r->n_events++;
}

static uint16_t *depth_of(struct timeline *t, uint16_t core, uint16_t stack)
{
	return &t->depth[core < CORES ? core : CORES - 1][stack < PT_CALL_STACKS ? stack : 0];
}

static enum pt_timeline_kind entered_by(uint8_t entry)
{
	return entry == PT_ENTRY_TAIL	     ? PT_TIMELINE_TAIL_CALL
	       : entry == PT_ENTRY_EXCEPTION ? PT_TIMELINE_EXCEPTION
	       : entry == PT_ENTRY_CALL	     ? PT_TIMELINE_CALL
					     : PT_TIMELINE_UNSEEN;
}

/* False: a step that is no event. */
static bool event_of(const struct pt_call_event *step, uint16_t *depth, struct pt_timeline_event *event)
{
	*event = (struct pt_timeline_event){
		.at = step->at, .clock = step->clock, .id = step->function, .stack = step->stack, .task = step->task,
		.core = step->core,
		.value = PT_UNKNOWN,
	};

	switch (step->kind) {
	case PT_CALL_ENTER:
		event->kind = entered_by(step->entry);
		event->depth = ++*depth;
		return true;
	case PT_CALL_LEAVE:
		event->kind = step->partial ? PT_TIMELINE_CUT : PT_TIMELINE_LEAVE;
		event->value = step->call;
		event->depth = *depth;
		*depth -= *depth > 0;
		return true;
	case PT_CALL_SWITCH:
		event->kind = PT_TIMELINE_SWITCH;
		event->depth = *depth;
		return true;
	case PT_CALL_FORGET:
		event->kind = PT_TIMELINE_GAP;
		return true;
	default:
		return false;
	}
}

static void take_steps(void *analysis, const struct pt_call_event *step, size_t n)
{
	struct timeline *t = analysis;
	struct pt_timeline_event event;

	for (size_t i = 0; i < n; i++, step++)
		if (event_of(step, depth_of(t, step->core, step->stack), &event))
			add(t, &event);
}

static void take_signals(void *analysis, const struct pt_signal *signal, size_t n)
{
	for (size_t i = 0; i < n; i++, signal++) {
		const struct pt_timeline_event event = {
			.at = signal->at, .clock = PT_UNKNOWN, .value = signal->value, .id = signal->id,
			.task = PT_NO_TASK, .core = signal->core, .kind = PT_TIMELINE_SIGNAL, .signal = signal->kind,
			.enters = signal->enters, .astray = signal->astray, .stack = signal->source,
		};

		add(analysis, &event);
	}
}

static void take_blind(void *analysis, uint16_t core, unsigned cause, uint64_t from_ns, uint64_t to_ns)
{
	const struct pt_timeline_event event = {
		.at = { .ns = from_ns }, .clock = PT_UNKNOWN, .value = to_ns - from_ns, .id = (uint16_t)cause,
		.task = PT_NO_TASK, .core = core, .kind = PT_TIMELINE_BLIND,
	};

	if (cause != 0 && to_ns > from_ns)
		add(analysis, &event);
}

/* --- briefs */

#define LEFT UINT32_C(0x80000000)	/* in ticks, which are fewer */

/* Where the parts of n briefs lie behind their record. */
struct parts { uint32_t *ticks, *call; uint16_t *function; };

static struct parts parts_of(struct record *r, size_t n)
{
	uint32_t *ticks = (uint32_t *)(void *)(r + 1);

	return (struct parts){ ticks, ticks + n, (uint16_t *)(void *)(ticks + 2 * n) };
}

static void keep_compact(struct timeline *t, const struct pt_compact_batch *batch, uint16_t *depth)
{
	size_t n = batch->n_compact, bytes = (sizeof(struct record) + n * BRIEF_BYTES + 7) / 8 * 8;
	struct record *r = make_room(t, bytes, n);
	struct parts to = parts_of(r, n);

	*r = (struct record){
		.bytes = (uint32_t)bytes, .n_events = (uint16_t)n, .compact = true,
		.stack = batch->stack, .task = batch->task, .core = batch->core, .depth = *depth, .clock = batch->clock,
		.anchor = batch->anchor, .anchor_ns = batch->anchor_ns, .anchor_error_ns = batch->anchor_error_ns,
		.ns_per_tick = batch->ns_per_tick,
	};
	for (size_t i = 0; i < n; i++) {
		const struct pt_compact_event *compact = &batch->compact[i];

		to.ticks[i] = compact->ticks | compact->left * LEFT;
		to.call[i] = compact->call;
		to.function[i] = compact->function;
	}
	t->last = NULL;
	*depth = (uint16_t)(*depth + n - 2 * batch->n_left);
}

static void take_compact(void *analysis, const struct pt_compact_batch *batch)
{
	struct timeline *t = analysis;
	uint16_t *depth = depth_of(t, batch->core, batch->stack);

	if (batch->n_compact > FEW && *depth > batch->n_below) {
		keep_compact(t, batch, depth);
		return;
	}
	for (size_t i = 0; i < batch->n_compact; i++) {
		const struct pt_call_event step = pt_compact_call_event(batch, i);

		take_steps(t, &step, 1);
	}
}

/* --- result */

static void make_events_of(struct record *r, struct pt_timeline_event *out)
{
	const struct parts from = parts_of(r, r->n_events);
	struct pt_compact_batch batch = {
		.clock = r->clock, .anchor = r->anchor, .anchor_ns = r->anchor_ns,
		.anchor_error_ns = r->anchor_error_ns, .ns_per_tick = r->ns_per_tick, .stack = r->stack,
		.task = r->task, .core = r->core,
	};
	uint16_t depth = r->depth;

	for (size_t i = 0; i < r->n_events; i++) {
		struct pt_call_event step;

		batch.compact[0] = (struct pt_compact_event){
			.ticks = from.ticks[i] & ~LEFT, .left = (from.ticks[i] & LEFT) != 0, .call = from.call[i],
			.function = from.function[i],
		};
		step = pt_compact_call_event(&batch, 0);
		event_of(&step, &depth, &out[i]);
	}
}

/* Those of a block, but for the first few. */
static void make_events_in(struct timeline *t, uint32_t number, size_t skip)
{
	struct pt_timeline_event some[BLOCK_BYTES / sizeof(struct pt_timeline_event)];	/* a record has no more */
	struct record *r;

	for (size_t at = 0; at < t->block[number].bytes; at += r->bytes) {
		size_t n, less;

		r = (struct record *)(void *)(t->memory[number] + at);
		n = r->n_events;
		less = skip < n ? skip : n;
		if (r->compact)
			make_events_of(r, some);
		else
			memcpy(some, r + 1, n * sizeof(some[0]));
		memcpy(t->made + t->result.n, some + less, (n - less) * sizeof(some[0]));
		t->result.n += n - less;
		skip -= less;
	}
}

static void make_events(struct timeline *t)
{
	size_t skip = t->n_events > t->result.room ? t->n_events - t->result.room : 0;

	t->result.n = 0;
	for (uint32_t i = 0, block = t->oldest; i < t->n_used; i++, block = t->block[block].next) {
		size_t n = t->block[block].n_events;

		if (skip < n)
			make_events_in(t, block, skip);
		skip -= skip < n ? skip : n;
	}
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct timeline *t = analysis;

	make_events(t);
	pt_timeline_order(t->made, t->result.n);
	profile->timeline = &t->result;
}

static void timeline_free(void *analysis)
{
	struct timeline *t = analysis;

	free(t->memory);
	free(t->block);
	free(t->made);
	free(t);
}

static void *timeline_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	size_t room = (size_t)pt_params_number(setup->words, &params[0]);
	struct timeline *t = pt_alloc(sizeof(*t));

	t->n_blocks = (uint32_t)(room * EVENT_BYTES / (BLOCK_BYTES - IDLE_BYTES) + 3);
	t->block = pt_alloc_array(t->n_blocks, sizeof(*t->block));
	t->memory = malloc(t->n_blocks * sizeof(*t->memory));
	t->made = malloc(room * sizeof(*t->made));
	if (t->memory == NULL || t->made == NULL) {
		timeline_free(t);
		pt_fail(err, PT_ENOMEM, "not enough memory for a timeline of %zu events", room);
		return NULL;
	}
	t->result = (struct pt_timeline){ .ring = t->made, .room = room, .signals = setup->signals };
	return t;
}

const struct pt_analysis pt_analysis_timeline = {
	.name = "timeline", .help = "what happened, in order: the last events", .standard = true, .params = params,
	.n_params = PT_LEN(params), .open = timeline_new, .close = timeline_free, .steps = take_steps,
	.compact = take_compact, .signals = take_signals, .blind = take_blind, .result = give,
};
