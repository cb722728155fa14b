/* The machine of spans.h. Time is charged to the top as it passes; the rest follows when a frame ends. */
#include "profile/analyses/calls/spans.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/stats/survivals.h"

enum { MARKER = UINT32_MAX };	/* the span of a frame that an interrupt put there */

struct frame {
	uint64_t from, from_ns;
	uint64_t others;	/* gross of the spans entered meanwhile */
	uint64_t preempted;	/* time of interrupts and other contexts */
	uint64_t period, inactive;
	uint64_t resume;	/* MARKER: where what is below goes on */
	uint32_t span;
	bool seen;		/* its entry was */
};

struct last {			/* of a span on a stack: 0, or the clock + 1 */
	uint64_t entered, left;
};

struct context {
	bool used;
	uint64_t resume, parked;
	size_t n_frames;
	struct frame frame[PT_SPAN_CONTEXT_DEPTH];
};

struct pt_span_stack {
	struct pt_span_set *set;
	struct pt_span_stack *next;
	uint64_t clock, clock_error_ns;	/* the latter: of what silence added to it */
	size_t n_frames;
	struct last *last;	/* by span */
	uint64_t window;	/* clock at which one began */
	struct context *context;	/* PT_SPAN_CONTEXTS of them, once there is one; or NULL */
	struct frame frame[PT_SPAN_DEPTH];
};

struct pt_span_set {
	struct pt_span_figures *span, *shown;	/* n_spans of each; shown: with what is open */
	struct pt_hist (**hist)[PT_N_TALLY_KINDS];	/* by span; NULL: not needed yet */
	struct pt_histogram_memory room;	/* of their buckets */
	size_t n_spans;
	struct pt_span_stack *stacks;
	struct pt_spans result;
	struct pt_survivals *survivals;	/* NULL: there was no window */
	struct pt_lengths *lengths;
};

const char *pt_span_error_name(enum pt_span_error error)
{
	static const char *const names[PT_N_SPAN_ERRORS] = {
		[PT_SPAN_SKIPPED_EXIT] = "exit not seen", [PT_SPAN_UNMATCHED_EXIT] = "exit of what was not open",
		[PT_SPAN_ENTERED_AGAIN] = "entered again without exit", [PT_SPAN_TOO_DEEP] = "too many open",
	};

	return error < PT_N_SPAN_ERRORS ? names[error] : "unknown";
}

/* --- life */

struct pt_span_set *pt_span_set_new(size_t n_spans)
{
	struct pt_span_set *set = pt_alloc(sizeof(*set));

	set->n_spans = set->result.n_spans = n_spans;
	set->span = pt_alloc_array(n_spans + 1, sizeof(*set->span));
	set->shown = pt_alloc_array(n_spans + 1, sizeof(*set->shown));
	set->hist = pt_alloc_array(n_spans + 1, sizeof(*set->hist));
	pt_histogram_memory_init(&set->room,
				 pt_histogram_memory_bytes(n_spans + n_spans / 3)); /* more kinds than the tally */
	for (size_t i = 0; i < n_spans; i++) {
		set->span[i] = (struct pt_span_figures){ .begin = PT_UNKNOWN, .end = PT_UNKNOWN, .last_ns = PT_UNKNOWN,
						 .last_address = PT_UNKNOWN };
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
			set->span[i].run.stat[k] = pt_stat_empty();
	}
	return set;
}

void pt_span_set_free(struct pt_span_set *set)
{
	if (set == NULL)
		return;
	for (struct pt_span_stack *s = set->stacks, *next; s != NULL; s = next) {
		next = s->next;
		free(s->last);
		free(s->context);
		free(s);
	}
	for (size_t i = 0; i < set->n_spans; i++) {
		for (size_t k = 0; set->hist[i] != NULL && k < PT_N_TALLY_KINDS; k++)
			pt_hist_fini(&(*set->hist[i])[k]);
		free(set->hist[i]);
	}
	pt_histogram_memory_fini(&set->room);
	pt_survivals_free(set->survivals);
	free(set->lengths);
	free(set->hist);
	free(set->span);
	free(set->shown);
	free(set);
}

void pt_span_set_use(struct pt_span_set *set, size_t n_spans)
{
	set->result.n_spans = n_spans;
}

struct pt_span_figures *pt_span_row(struct pt_span_set *set, size_t i)
{
	return &set->span[i];
}

struct pt_span_stack *pt_span_stack_new(struct pt_span_set *set)
{
	struct pt_span_stack *s = pt_alloc(sizeof(*s));

	s->last = pt_alloc_array(set->n_spans + 1, sizeof(*s->last));
	s->set = set;
	s->next = set->stacks;
	set->stacks = s;
	return s;
}

/* --- frames */

static void error(struct pt_span_stack *s, uint32_t span, enum pt_span_error what, const struct pt_span_at *at)
{
	struct pt_span_figures *row = &s->set->span[span];

	row->errors[what]++;
	row->last = what;
	row->last_ns = at->ns;
	row->last_address = at->address;
	s->set->result.errors[what]++;
}

/* Memory for quantiles is taken by spans that occur. */
static struct pt_stat *stats_of(struct pt_span_set *set, uint32_t span)
{
	struct pt_stat *stat = set->span[span].run.stat;

	if (set->hist[span] == NULL) {
		set->hist[span] = pt_alloc(sizeof(*set->hist[span]));
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++) {
			stat[k].hist = &(*set->hist[span])[k];
			stat[k].hist->room = &set->room;
		}
	}
	return stat;
}

static struct frame *top_of(struct pt_span_stack *s)
{
	return s->n_frames > 0 ? &s->frame[s->n_frames - 1] : NULL;
}

void pt_span_pass(struct pt_span_stack *s, uint64_t clock)
{
	const struct frame *top = top_of(s);

	if (top != NULL && top->span != MARKER && clock > s->clock)
		s->set->span[top->span].run.cycles += clock - s->clock;
	if (clock <= s->clock)
		return;
	s->clock = clock;
	s->clock_error_ns = 0;
}

void pt_span_pass_about(struct pt_span_stack *s, uint64_t clock, uint64_t error_ns)
{
	for (size_t i = 0; i < s->n_frames; i++) {
		struct pt_span_figures *row = s->frame[i].span != MARKER ? &s->set->span[s->frame[i].span] : NULL;

		if (row != NULL && error_ns > row->open_error_ns)
			row->open_error_ns = error_ns;
	}
	if (clock <= s->clock)
		return;
	pt_span_pass(s, clock);
	s->clock_error_ns = error_ns;
}

/* The frame below, of the same span, on the same level; NULL: none. */
static const struct frame *outer(const struct frame *frame, const struct frame *first)
{
	const uint32_t span = frame->span;

	while (frame-- > first && frame->span != MARKER)
		if (frame->span == span)
			return frame;
	return NULL;
}

/* What frame amounts to when it ends at clock; below (NULL: none) gets its part. */
static struct pt_invocation amount(const struct frame *frame, struct frame *below, uint64_t clock)
{
	struct pt_invocation v = { .call = clock - frame->from };

	v.gross = v.call - frame->preempted;
	v.net = v.gross - frame->others;
	if (below != NULL && frame->span == MARKER) {
		below->preempted += v.call;
	} else if (below != NULL) {
		below->others += v.gross;
		below->preempted += frame->preempted;
	}
	return v;
}

/* Of a frame that was entered in the window that is open; else nothing. */
static void note_length(struct pt_span_stack *s, const struct frame *frame, const struct pt_invocation *v,
			enum pt_survival_end gross, enum pt_survival_end call)
{
	struct pt_survivals *to = s->set->survivals;

	if (to == NULL || !frame->seen || frame->from < s->window)
		return;
	pt_survivals_note(to, frame->span, PT_TALLY_GROSS, v->gross, s->clock - s->window, gross);
	pt_survivals_note(to, frame->span, PT_TALLY_CALL, v->call, s->clock - s->window, call);
}

/* Its times are lower bounds: less what its moments are off. */
static void add_unended(struct pt_span_figures *row, const struct pt_invocation *v)
{
	uint64_t error_ns = row->error_ns + row->open_error_ns;

	pt_stat_add_unended(&row->run.stat[PT_TALLY_NET], v->net, error_ns);
	pt_stat_add_unended(&row->run.stat[PT_TALLY_GROSS], v->gross, error_ns);
	pt_stat_add_unended(&row->run.stat[PT_TALLY_CALL], v->gross,
			    error_ns); /* its stack may have been left for good */
}

/* vague: it may have ended before. */
static void settle(struct pt_span_stack *s, const struct frame *frame, const struct pt_invocation *v, bool whole,
		   bool vague)
{
	struct pt_span_figures *row = &s->set->span[frame->span];
	struct pt_stat *stat = stats_of(s->set, frame->span);

	row->run.gross_total += outer(frame, s->frame) == NULL ? v->gross : 0;
	row->run.partial += !whole;
	note_length(s, frame, v, whole ? PT_SURVIVAL_ENDED : PT_SURVIVAL_RESTS,
		    whole ? PT_SURVIVAL_ENDED : PT_SURVIVAL_RESTS);
	if (!whole && !vague)
		add_unended(row, v);
	if (!whole)
		return;
	pt_stat_add(&stat[PT_TALLY_NET], v->net, frame->from_ns);
	pt_stat_add(&stat[PT_TALLY_GROSS], v->gross, frame->from_ns);
	pt_stat_add(&stat[PT_TALLY_CALL], v->call, frame->from_ns);
}

enum ending { SEEN, CUT, SKIPPED };	/* its exit was; it was open up to now; it was left at some time before */

/* Take the top off, whatever it is. */
static void pop(struct pt_span_stack *s, enum ending how)
{
	struct frame *frame = top_of(s);
	struct pt_invocation v = amount(frame, s->n_frames > 1 ? frame - 1 : NULL, s->clock);

	if (frame->span != MARKER) {
		settle(s, frame, &v, how == SEEN && frame->seen, how == SKIPPED);
		s->last[frame->span].left = how == SEEN ? s->clock + 1 : 0;
	}
	s->n_frames--;
}

static void forget(struct pt_span_stack *s)
{
	while (s->n_frames > 0)
		pop(s, CUT);
}

/* The span was left at a time that the trace does not show. */
static void pop_skipped(struct pt_span_stack *s)
{
	const struct frame *top = top_of(s);

	if (s->set->survivals != NULL && top->span != MARKER)
		pt_survivals_spoil(s->set->survivals, top->span);
	pop(s, SKIPPED);
}

static void forget_contexts(struct pt_span_stack *s);

static void push(struct pt_span_stack *s, const struct frame *frame, const struct pt_span_at *at)
{
	if (s->n_frames == PT_SPAN_DEPTH) {
		if (frame->span != MARKER)
			error(s, frame->span, PT_SPAN_TOO_DEEP, at);
		forget(s);
		forget_contexts(s);
	}
	s->frame[s->n_frames++] = *frame;
}

/* --- entries and exits */

static void add_interval(struct pt_span_stack *s, uint32_t span, enum pt_tally_kind kind, uint64_t since,
			 const struct pt_span_at *at)
{
	if (since > s->window && kind == PT_TALLY_PERIOD && s->set->survivals != NULL)
		pt_survivals_note(s->set->survivals, span, (size_t)kind, s->clock + 1 - since, s->clock - s->window,
				  PT_SURVIVAL_ENDED);
	if (since != 0)
		pt_stat_add(&stats_of(s->set, span)[kind], s->clock + 1 - since, at->ns);
}

bool pt_span_is_open(const struct pt_span_stack *s, uint32_t span)
{
	for (size_t i = s->n_frames; i > 0 && s->frame[i - 1].span != MARKER; i--)
		if (s->frame[i - 1].span == span)
			return true;
	return false;
}

static void imprecise_open(struct pt_span_stack *s, const struct pt_span_at *at)
{
	for (size_t i = 0; i < s->n_frames && at->error_ns > 0; i++) {
		struct pt_span_figures *row = s->frame[i].span != MARKER ? &s->set->span[s->frame[i].span] : NULL;

		if (row != NULL && at->error_ns > row->error_ns)
			row->error_ns = at->error_ns;
	}
}

/* What is open is without it, and so as uncertain. */
static void imprecise(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	struct pt_span_figures *row = &s->set->span[span];

	row->error_ns = at->error_ns > row->error_ns ? at->error_ns : row->error_ns;
	imprecise_open(s, at);
}

/* Ends what lies above the span on this level; its own frame is the top then. */
static void unwind(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	while (top_of(s)->span != span) {
		error(s, top_of(s)->span, PT_SPAN_SKIPPED_EXIT, at);
		pop_skipped(s);
	}
}

void pt_span_enter(struct pt_span_stack *s, uint32_t span, bool nests, const struct pt_span_at *at)
{
	struct last *last = &s->last[span];

	pt_span_pass(s, at->clock);
	imprecise(s, span, at);
	if (!nests && pt_span_is_open(s, span)) {
		unwind(s, span, at);
		error(s, span, PT_SPAN_ENTERED_AGAIN, at);
		pop_skipped(s);
	}
	add_interval(s, span, PT_TALLY_PERIOD, last->entered, at);
	if (!pt_span_is_open(s, span))
		add_interval(s, span, PT_TALLY_INACTIVE, last->left, at);
	push(s, &(struct frame){ .from = s->clock, .from_ns = at->ns, .span = span, .seen = true }, at);
	last->entered = s->clock + 1;
	s->set->span[span].run.count++;
}

/* Nothing is open, and the span was not seen since the stretch began: it may well have been open before. */
static bool was_before(const struct pt_span_stack *s, uint32_t span)
{
	return s->n_frames == 0 && s->last[span].entered == 0 && s->last[span].left == 0;
}

void pt_span_leave(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	pt_span_pass(s, at->clock);
	imprecise(s, span, at);
	if (was_before(s, span)) {
		s->set->span[span].run.partial++;
		s->last[span].left = s->clock + 1;
		return;
	}
	if (!pt_span_is_open(s, span)) {
		error(s, span, PT_SPAN_UNMATCHED_EXIT, at);
		return;
	}
	unwind(s, span, at);
	pop(s, SEEN);
}

void pt_span_back_to(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	const struct frame *below = s->n_frames > 1 ? &s->frame[s->n_frames - 2] : NULL;
	bool known;

	pt_span_pass(s, at->clock);
	imprecise_open(s, at);
	if (s->n_frames > 0 && (below != NULL ? below->span : PT_NO_SPAN) == span) {
		pop(s, SEEN);
		return;
	}
	known = span == PT_NO_SPAN || was_before(s, span);
	while (s->n_frames > 0 && top_of(s)->span != span) {	/* several were left at once */
		error(s, top_of(s)->span, PT_SPAN_SKIPPED_EXIT, at);
		pop_skipped(s);
	}
	if (s->n_frames == 0 && span != PT_NO_SPAN) {	/* entered before anybody looked, or never */
		if (!known)
			error(s, span, PT_SPAN_UNMATCHED_EXIT, at);
		push(s, &(struct frame){ .from = s->clock, .from_ns = at->ns, .span = span }, at);
		imprecise_open(s, at);
	}
}

static size_t depth_of(const struct pt_span_stack *s, uint32_t span)	/* of frames with it; 0: it is not open */
{
	size_t depth = s->n_frames;

	while (depth > 0 && s->frame[depth - 1].span != span)
		depth--;
	return depth;
}

void pt_span_back_over(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	size_t depth = span != PT_NO_SPAN ? depth_of(s, span) : 0;
	struct frame *below = depth > 0 ? &s->frame[depth - 1] : NULL;
	uint64_t end;

	if (s->n_frames < depth + 2 || (depth == 0 && span != PT_NO_SPAN)) {
		pt_span_back_to(s, span, at);
		return;
	}
	pt_span_pass(s, at->clock);
	for (end = s->clock; s->n_frames > depth; s->n_frames--) {
		struct frame *frame = top_of(s);
		struct pt_invocation v = amount(frame, below, end);

		settle(s, frame, &v, frame->seen, false);
		s->last[frame->span].left = end + 1;
		end = frame->from;
	}
}

void pt_span_enter_over(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	size_t depth = depth_of(s, span);

	if (depth > 0 && depth < s->n_frames) {
		struct frame *frame = &s->frame[depth - 1];
		struct pt_invocation v = amount(frame, depth > 1 ? frame - 1 : NULL, frame[1].from);

		settle(s, frame, &v, frame->seen, false);
		s->last[span].left = frame[1].from + 1;
		memmove(frame, frame + 1, (s->n_frames - depth) * sizeof(*frame));
		s->n_frames--;
	}
	pt_span_enter(s, span, false, at);
}

/* --- interrupts and contexts */

void pt_span_interrupt(struct pt_span_stack *s, uint64_t resume, const struct pt_span_at *at)
{
	pt_span_pass(s, at->clock);
	push(s, &(struct frame){ .from = s->clock, .from_ns = at->ns, .span = MARKER, .resume = resume }, at);
}

void pt_span_chain(struct pt_span_stack *s, const struct pt_span_at *at)
{
	pt_span_pass(s, at->clock);
	while (s->n_frames > 0 && top_of(s)->span != MARKER) {
		error(s, top_of(s)->span, PT_SPAN_SKIPPED_EXIT, at);
		pop_skipped(s);
	}
}

static void take_up(struct pt_span_stack *s, struct context *context)	/* while the stack is empty */
{
	memcpy(s->frame, context->frame, context->n_frames * sizeof(*s->frame));
	s->n_frames = context->n_frames;
	if (s->n_frames > 0)
		top_of(s)->preempted += s->clock - context->parked;
	context->used = false;
}

static void forget_context(struct pt_span_stack *s, struct context *context)
{
	take_up(s, context);
	forget(s);
}

static void forget_contexts(struct pt_span_stack *s)
{
	for (size_t i = 0; s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
		if (s->context[i].used)
			forget_context(s, &s->context[i]);
}

static struct context *find(struct pt_span_stack *s, uint64_t resume)
{
	for (size_t i = 0; s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
		if (s->context[i].used && s->context[i].resume == resume)
			return &s->context[i];
	return NULL;
}

static struct context *room(struct pt_span_stack *s)	/* unused, or the one parked longest ago */
{
	struct context *oldest;

	if (s->context == NULL)
		s->context = pt_alloc_array(PT_SPAN_CONTEXTS, sizeof(*s->context));
	oldest = s->context;
	for (size_t i = 0; i < PT_SPAN_CONTEXTS; i++) {
		if (!s->context[i].used)
			return &s->context[i];
		if (s->context[i].parked < oldest->parked)
			oldest = &s->context[i];
	}
	return oldest;
}

/* Keep the stack for who returns to resume. An empty one needs no keeping; of two at one address nobody can tell which
 * comes back. */
static void park(struct pt_span_stack *s, uint64_t resume)
{
	struct context *context = find(s, resume);
	struct context parked = { .used = true, .resume = resume, .parked = s->clock, .n_frames = s->n_frames };

	if (s->n_frames == 0)
		return;
	if (context == NULL && s->n_frames <= PT_SPAN_CONTEXT_DEPTH)
		memcpy(parked.frame, s->frame, s->n_frames * sizeof(*s->frame));
	else
		forget(s);
	s->set->result.forgotten += s->n_frames == 0;
	if (context != NULL) {
		forget_context(s, context);
		return;
	}
	context = s->n_frames > 0 ? room(s) : NULL;
	s->n_frames = 0;
	if (context == NULL)
		return;
	if (context->used) {
		s->set->result.forgotten++;
		forget_context(s, context);
	}
	*context = parked;
}

/* Within an instruction of where it came from, it goes on: one may be skipped, or executed again. */
static bool near(uint64_t next, uint64_t resume)
{
	return next - resume + 4 <= 8;
}

static bool in_interrupt(const struct pt_span_stack *s)
{
	for (size_t i = 0; i < s->n_frames; i++)
		if (s->frame[i].span == MARKER)
			return true;
	return false;
}

/* Several interrupts were left at once, down to the one that came from next. If there is none, nothing is. */
static void leave_levels(struct pt_span_stack *s, uint64_t next, const struct pt_span_at *at)
{
	size_t level = s->n_frames;

	while (level > 0 && (s->frame[level - 1].span != MARKER || !near(next, s->frame[level - 1].resume)))
		level--;
	while (level > 0 && s->n_frames >= level) {
		if (top_of(s)->span != MARKER)
			error(s, top_of(s)->span, PT_SPAN_SKIPPED_EXIT, at);
		pop(s, top_of(s)->span == MARKER ? SEEN : SKIPPED);
	}
}

static void go_on_elsewhere(struct pt_span_stack *s, uint64_t next, uint64_t resume)
{
	struct context *context;

	park(s, resume);
	context = find(s, next);
	if (context != NULL)
		take_up(s, context);
}

uint64_t pt_span_return(struct pt_span_stack *s, uint64_t next, const struct pt_span_at *at)
{
	uint64_t resume;

	pt_span_chain(s, at);
	if (s->n_frames == 0)		/* the interrupt began before anybody looked */
		return PT_UNKNOWN;
	resume = top_of(s)->resume;
	pop(s, SEEN);
	if (resume == next || (find(s, next) == NULL && near(next, resume)))
		return resume;
	if (in_interrupt(s))
		leave_levels(s, next, at);
	else
		go_on_elsewhere(s, next, resume);
	return resume;
}

static bool has_frame(const struct frame *frames, size_t n_frames, uint32_t span)
{
	for (size_t i = 0; i < n_frames; i++)
		if (frames[i].span == span)
			return true;
	return false;
}

static bool is_open_anywhere(const struct pt_span_stack *s, uint32_t span)
{
	bool open = has_frame(s->frame, s->n_frames, span);

	for (size_t i = 0; !open && s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
		open = s->context[i].used && has_frame(s->context[i].frame, s->context[i].n_frames, span);
	return open;
}

/* So long no entry came behind the last one, and behind the last exit. */
static void add_waits(const struct pt_span_stack *s, struct pt_span_figures *rows)
{
	for (uint32_t i = 0; i < s->set->n_spans; i++) {
		uint64_t error_ns = rows[i].error_ns + s->clock_error_ns;
		struct pt_stat *stat = rows[i].run.stat;

		if (s->last[i].entered != 0)
			pt_stat_add_unended(&stat[PT_TALLY_PERIOD], s->clock + 1 - s->last[i].entered, error_ns);
		if (s->last[i].left != 0 && !is_open_anywhere(s, i))
			pt_stat_add_unended(&stat[PT_TALLY_INACTIVE], s->clock + 1 - s->last[i].left, error_ns);
	}
}

void pt_span_gap(struct pt_span_stack *s, const struct pt_span_at *at)
{
	pt_span_pass(s, at->clock);
	add_waits(s, s->set->span);
	forget(s);
	forget_contexts(s);
	memset(s->last, 0, s->set->n_spans * sizeof(*s->last));
}

/* --- windows */

void pt_span_window_begins(struct pt_span_stack *s, uint64_t clock)
{
	pt_span_pass(s, clock);
	if (s->set->survivals == NULL)
		s->set->survivals = pt_survivals_new(s->set->n_spans, PT_N_TALLY_KINDS);
	pt_survivals_begin(s->set->survivals);
	s->window = s->clock;
}

static void note_open(struct pt_span_stack *s, const struct frame *frames, size_t n_frames, uint64_t parked, bool runs)
{
	struct frame copy[PT_SPAN_DEPTH];

	memcpy(copy, frames, n_frames * sizeof(*copy));
	for (size_t i = n_frames; i > 0; i--) {
		struct frame *frame = &copy[i - 1];
		struct pt_invocation v = amount(frame, i > 1 ? frame - 1 : NULL, parked);

		v.call += s->clock - parked;
		if (frame->span == MARKER)
			runs = false;
		else
			note_length(s, frame, &v, runs ? PT_SURVIVAL_GOES_ON : PT_SURVIVAL_RESTS, PT_SURVIVAL_GOES_ON);
	}
}

void pt_span_window_ended(struct pt_span_stack *s, uint64_t clock, uint64_t cut, double weight)
{
	struct pt_survivals *to = s->set->survivals;

	pt_span_pass(s, clock);
	if (to == NULL || !pt_survivals_open(to))
		return;
	note_open(s, s->frame, s->n_frames, s->clock, true);
	for (size_t i = 0; s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
		if (s->context[i].used)
			note_open(s, s->context[i].frame, s->context[i].n_frames, s->context[i].parked, false);
	for (size_t i = 0; i < s->set->n_spans; i++)
		if (s->last[i].entered > s->window)
			pt_survivals_note(to, i, PT_TALLY_PERIOD, s->clock + 1 - s->last[i].entered,
					  s->clock - s->window, PT_SURVIVAL_GOES_ON);
	pt_survivals_end(to, cut, weight);
}

/* --- result */

void pt_span_give_lengths(struct pt_span_set *set)
{
	if (set->survivals == NULL)
		return;
	if (set->lengths == NULL)
		set->lengths = pt_alloc_array(set->n_spans * PT_N_TALLY_KINDS + 1, sizeof(*set->lengths));
	for (size_t i = 0; i < set->n_spans; i++) {
		set->shown[i].lengths = &set->lengths[i * PT_N_TALLY_KINDS];
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
			set->lengths[i * PT_N_TALLY_KINDS + k] = pt_survivals_lengths(set->survivals, i, k);
	}
}

static void show_open(struct pt_span_set *set, const struct frame *frames, size_t n_frames, uint64_t clock)
{
	struct frame copy[PT_SPAN_DEPTH];

	memcpy(copy, frames, n_frames * sizeof(*copy));
	for (size_t i = n_frames; i > 0; i--) {
		struct frame *frame = &copy[i - 1];
		struct pt_invocation v = amount(frame, i > 1 ? frame - 1 : NULL, clock);

		if (frame->span == MARKER)
			continue;
		set->shown[frame->span].run.partial++;
		add_unended(&set->shown[frame->span], &v);
		set->shown[frame->span].run.gross_total += outer(frame, copy) == NULL ? v.gross : 0;
	}
}

const struct pt_spans *pt_span_result(struct pt_span_set *set)
{
	pt_histogram_memory_touch(&set->room);
	memcpy(set->shown, set->span, set->n_spans * sizeof(*set->span));
	for (const struct pt_span_stack *s = set->stacks; s != NULL; s = s->next) {
		add_waits(s, set->shown);
		show_open(set, s->frame, s->n_frames, s->clock);
		for (size_t i = 0; s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
			if (s->context[i].used)
				show_open(set, s->context[i].frame, s->context[i].n_frames, s->context[i].parked);
	}
	set->result.span = set->shown;
	return &set->result;
}
