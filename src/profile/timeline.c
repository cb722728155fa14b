/* The ring holds records, one behind the other: some events, or what came in brief, as it came, with what that had in
 * common at its head. Events are made of those when somebody asks, of the last that are wanted. */
#include "profile/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "profile/analysis.h"

enum {
	CORES = 16,
	RECORD_EVENTS = 256,	/* at most in a record of events */
	FEW = 4,		/* briefs that are smaller as events: with their head */
	EVENT_BYTES = 56,	/* of an event at most, heads included */
	SLACK_BYTES = 65536,	/* what lies idle where the ring ends, and what has just been added */
};

static const struct pt_param params[] = {
	{ "timeline", PT_PARAM_NUMBER, "65536", NULL, 256, 16 << 20, "how many events the timeline keeps: the last ones" },
};

struct record {
	uint32_t bytes;			/* with all that follows it */
	uint16_t n_events;
	bool brief;
	/* of briefs, as in their batch */
	uint16_t stack, task, core, depth;	/* depth: before the first */
	uint64_t clock, anchor, anchor_ns, anchor_error_ns;
	double ns_per_tick;
};

struct timeline {
	struct pt_timeline result;
	struct pt_timeline_event *made;	/* result.ring */
	uint8_t *ring;
	size_t size;			/* of it */
	size_t oldest, end, wrap;	/* offsets: the first record, behind the last one, and where the next lies at 0 */
	size_t n_records, n_events;	/* if there are any, and oldest >= end, then they wrap */
	struct record *last;		/* that events can be added to; or NULL */
	uint16_t depth[CORES][PT_STEP_STACKS];
};

/* --- the ring */

static struct record *record_at(const struct timeline *t, size_t offset)
{
	return (struct record *)(void *)(t->ring + offset);
}

static bool wraps(const struct timeline *t)
{
	return t->n_records > 0 && t->oldest >= t->end;
}

static size_t behind(const struct timeline *t, size_t offset)
{
	size_t next = offset + record_at(t, offset)->bytes;

	return wraps(t) && next == t->wrap ? 0 : next;
}

static void drop_oldest(struct timeline *t)
{
	const struct record *r = record_at(t, t->oldest);
	size_t next = behind(t, t->oldest);

	t->n_events -= r->n_events;
	t->oldest = --t->n_records > 0 ? next : t->end;
}

/* So many bytes behind the last record; false: the ring ends before that. */
static bool make_room(struct timeline *t, size_t bytes)
{
	if (t->end + bytes > t->size)
		return false;
	while (wraps(t) && t->oldest < t->end + bytes)
		drop_oldest(t);
	return true;
}

static struct record *add_record(struct timeline *t, size_t bytes)
{
	struct record *r;

	if (t->end + bytes > t->size) {
		while (wraps(t))
			drop_oldest(t);
		t->wrap = t->end;
		t->end = 0;
		if (t->n_records == 0)
			t->oldest = 0;
	}
	make_room(t, bytes);
	r = record_at(t, t->end);
	t->end += bytes;
	t->n_records++;
	return r;
}

/* As many as are wanted, and perhaps some of the record before. */
static void added(struct timeline *t, size_t n)
{
	t->n_events += n;
	t->result.seen += n;
	while (t->n_records > 1 && t->n_events - record_at(t, t->oldest)->n_events >= t->result.room)
		drop_oldest(t);
}

/* --- events */

static void add(struct timeline *t, const struct pt_timeline_event *event)
{
	struct record *r = t->last;

	if (r != NULL && r->n_events < RECORD_EVENTS && make_room(t, sizeof(*event))) {
		memcpy(t->ring + t->end, event, sizeof(*event));
		t->end += sizeof(*event);
		r->bytes += sizeof(*event);
		r->n_events++;
	} else {
		t->last = r = add_record(t, sizeof(*r) + sizeof(*event));
		*r = (struct record){ .bytes = sizeof(*r) + sizeof(*event), .n_events = 1 };
		memcpy(r + 1, event, sizeof(*event));
	}
	added(t, 1);
}

static uint16_t *depth_of(struct timeline *t, uint16_t core, uint16_t stack)
{
	return &t->depth[core < CORES ? core : CORES - 1][stack < PT_STEP_STACKS ? stack : 0];
}

static enum pt_timeline_kind entered_by(uint8_t entry)
{
	return entry == PT_ENTRY_TAIL ? PT_TIMELINE_TAIL_CALL : entry == PT_ENTRY_EXCEPTION ? PT_TIMELINE_EXCEPTION
	     : entry == PT_ENTRY_CALL ? PT_TIMELINE_CALL : PT_TIMELINE_UNSEEN;
}

/* False: a step that is no event. */
static bool event_of(const struct pt_step *step, uint16_t *depth, struct pt_timeline_event *event)
{
	*event = (struct pt_timeline_event){
		.at = step->at, .clock = step->clock, .id = step->function, .stack = step->stack, .task = step->task,
		.core = step->core,
		.value = PT_UNKNOWN,
	};

	switch (step->kind) {
	case PT_STEP_ENTER:
		event->kind = entered_by(step->entry);
		event->depth = ++*depth;
		return true;
	case PT_STEP_LEAVE:
		event->kind = step->partial ? PT_TIMELINE_CUT : PT_TIMELINE_LEAVE;
		event->value = step->call;
		event->depth = *depth;
		*depth -= *depth > 0;
		return true;
	case PT_STEP_SWITCH:
		event->kind = PT_TIMELINE_SWITCH;
		event->depth = *depth;
		return true;
	case PT_STEP_FORGET:
		event->kind = PT_TIMELINE_GAP;
		return true;
	default:
		return false;
	}
}

static void take_steps(void *analysis, const struct pt_step *step, size_t n)
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
			.at = signal->at, .clock = PT_UNKNOWN, .value = signal->value, .id = signal->id, .task = PT_NO_TASK,
			.core = signal->core, .kind = PT_TIMELINE_SIGNAL, .signal = signal->kind, .enters = signal->enters,
		};

		add(analysis, &event);
	}
}

/* --- briefs */

static void keep_briefs(struct timeline *t, const struct pt_brief_batch *batch, uint16_t *depth)
{
	size_t bytes = batch->n_briefs * sizeof(batch->brief[0]);
	struct record *r = add_record(t, sizeof(*r) + bytes);

	*r = (struct record){
		.bytes = (uint32_t)(sizeof(*r) + bytes), .n_events = (uint16_t)batch->n_briefs, .brief = true,
		.stack = batch->stack, .task = batch->task, .core = batch->core, .depth = *depth, .clock = batch->clock,
		.anchor = batch->anchor, .anchor_ns = batch->anchor_ns, .anchor_error_ns = batch->anchor_error_ns,
		.ns_per_tick = batch->ns_per_tick,
	};
	memcpy(r + 1, batch->brief, bytes);
	t->last = NULL;
	*depth = (uint16_t)(*depth + batch->n_briefs - 2 * batch->n_left);
	added(t, batch->n_briefs);
}

static void take_briefs(void *analysis, const struct pt_brief_batch *batch)
{
	struct timeline *t = analysis;
	uint16_t *depth = depth_of(t, batch->core, batch->stack);

	if (batch->n_briefs > FEW && *depth > batch->n_below) {
		keep_briefs(t, batch, depth);
		return;
	}
	for (size_t i = 0; i < batch->n_briefs; i++) {
		const struct pt_step step = pt_brief_step(batch, i);

		take_steps(t, &step, 1);
	}
}

/* --- result */

static void make_events_of(const struct record *r, struct pt_timeline_event *out)
{
	struct pt_brief_batch batch = {
		.clock = r->clock, .anchor = r->anchor, .anchor_ns = r->anchor_ns, .anchor_error_ns = r->anchor_error_ns,
		.ns_per_tick = r->ns_per_tick, .stack = r->stack, .task = r->task, .core = r->core,
	};
	uint16_t depth = r->depth;

	memcpy(batch.brief, r + 1, r->n_events * sizeof(batch.brief[0]));
	for (size_t i = 0; i < r->n_events; i++) {
		const struct pt_step step = pt_brief_step(&batch, i);

		event_of(&step, &depth, &out[i]);
	}
}

static void make_events(struct timeline *t)
{
	struct pt_timeline_event some[PT_BATCH_BRIEFS];
	size_t skip = t->n_events > t->result.room ? t->n_events - t->result.room : 0, at = t->oldest, n;

	t->result.n = 0;
	for (size_t i = 0; i < t->n_records; i++, at = behind(t, at)) {
		const struct record *r = record_at(t, at);

		n = r->n_events;
		if (r->brief)
			make_events_of(r, some);
		else
			memcpy(some, r + 1, n * sizeof(some[0]));
		memcpy(t->made + t->result.n, some + skip, (n - skip) * sizeof(some[0]));
		t->result.n += n - skip;
		skip = 0;		/* all of them are of the oldest record */
	}
}

static void give(void *analysis, struct pt_profile *profile)
{
	struct timeline *t = analysis;

	make_events(t);
	profile->timeline = &t->result;
}

static void timeline_free(void *analysis)
{
	struct timeline *t = analysis;

	free(t->ring);
	free(t->made);
	free(t);
}

static void *timeline_new(const struct pt_analysis_setup *setup, struct pt_err *err)
{
	size_t room = (size_t)pt_params_number(setup->words, &params[0]);
	struct timeline *t = calloc(1, sizeof(*t));

	if (t != NULL) {
		t->size = room * EVENT_BYTES + SLACK_BYTES;
		t->ring = malloc(t->size);
		t->made = malloc(room * sizeof(*t->made));
	}
	if (t == NULL || t->ring == NULL || t->made == NULL) {
		if (t != NULL)
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
	.briefs = take_briefs, .signals = take_signals, .result = give,
};
