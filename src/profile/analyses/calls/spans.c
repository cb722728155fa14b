/* The machine of spans.h. Time is charged to the top as it passes; the rest follows when a frame ends. */
#include "profile/analyses/calls/spans_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/stats/survivals.h"

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

static struct pt_span_frame *top_of(struct pt_span_stack *s)
{
	return s->n_frames > 0 ? &s->frame[s->n_frames - 1] : NULL;
}

void pt_span_pass(struct pt_span_stack *s, uint64_t clock)
{
	const struct pt_span_frame *top = top_of(s);

	s->silence = s->silence_error_ns = 0;
	if (clock <= s->clock)
		return;
	if (top != NULL && top->span != PT_SPAN_MARKER)
		s->set->span[top->span].run.cycles += clock - s->clock;
	s->clock = clock;
}

/* The next event may be found to have come before that: only what is shown until then has it. */
void pt_span_pass_about(struct pt_span_stack *s, uint64_t clock, uint64_t error_ns)
{
	if (clock <= s->clock + s->silence)
		return;
	s->silence = clock - s->clock;
	s->silence_error_ns = error_ns;
}

/* vague: it may have ended before. */
static void settle(struct pt_span_stack *s, const struct pt_span_frame *frame, const struct pt_invocation *v,
		   bool whole, bool vague)
{
	struct pt_span_figures *row = &s->set->span[frame->span];
	struct pt_stat *stat = stats_of(s->set, frame->span);

	row->run.gross_total += pt_span_outer(frame, s->frame) == NULL ? v->gross : 0;
	row->run.partial += !whole;
	pt_span_note_length(s, frame, v, whole ? PT_SURVIVAL_ENDED : PT_SURVIVAL_RESTS,
			    whole ? PT_SURVIVAL_ENDED : PT_SURVIVAL_RESTS);
	if (!whole && !vague)
		pt_span_add_unended(row, v);
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
	struct pt_span_frame *frame = top_of(s);
	struct pt_invocation v = pt_span_amount(frame, s->n_frames > 1 ? frame - 1 : NULL, s->clock);

	if (frame->span != PT_SPAN_MARKER) {
		settle(s, frame, &v, how == SEEN && frame->seen, how == SKIPPED);
		s->last[frame->span].left = how == SEEN ? s->clock + 1 : 0;
		s->last[frame->span].cut += how == CUT;
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
	const struct pt_span_frame *top = top_of(s);

	if (s->set->survivals != NULL && top->span != PT_SPAN_MARKER)
		pt_survivals_spoil(s->set->survivals, top->span);
	pop(s, SKIPPED);
}

static void forget_contexts(struct pt_span_stack *s);

static void push(struct pt_span_stack *s, const struct pt_span_frame *frame, const struct pt_span_at *at)
{
	if (s->n_frames == PT_SPAN_DEPTH) {
		if (frame->span != PT_SPAN_MARKER)
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
	for (size_t i = s->n_frames; i > 0 && s->frame[i - 1].span != PT_SPAN_MARKER; i--)
		if (s->frame[i - 1].span == span)
			return true;
	return false;
}

static void imprecise_open(struct pt_span_stack *s, const struct pt_span_at *at)
{
	for (size_t i = 0; i < s->n_frames && at->error_ns > 0; i++) {
		struct pt_span_figures *row =
			s->frame[i].span != PT_SPAN_MARKER ? &s->set->span[s->frame[i].span] : NULL;

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
	struct pt_span_last *last = &s->last[span];

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
	push(s, &(struct pt_span_frame){ .from = s->clock, .from_ns = at->ns, .span = span, .seen = true }, at);
	last->entered = s->clock + 1;
	last->cut = 0;
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
		if (s->last[span].cut > 0)
			s->last[span].cut--;	/* it is counted */
		else
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
	const struct pt_span_frame *below = s->n_frames > 1 ? &s->frame[s->n_frames - 2] : NULL;
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
		if (s->last[span].cut > 0) {	/* it is counted again when it ends */
			s->last[span].cut--;
			s->set->span[span].run.partial--;
		}
		push(s, &(struct pt_span_frame){ .from = s->clock, .from_ns = at->ns, .span = span }, at);
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
	struct pt_span_frame *below = depth > 0 ? &s->frame[depth - 1] : NULL;
	uint64_t end;

	if (s->n_frames < depth + 2 || (depth == 0 && span != PT_NO_SPAN)) {
		pt_span_back_to(s, span, at);
		return;
	}
	pt_span_pass(s, at->clock);
	for (end = s->clock; s->n_frames > depth; s->n_frames--) {
		struct pt_span_frame *frame = top_of(s);
		struct pt_invocation v = pt_span_amount(frame, below, end);

		settle(s, frame, &v, frame->seen, false);
		s->last[frame->span].left = end + 1;
		end = frame->from;
	}
}

void pt_span_enter_over(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at)
{
	size_t depth = depth_of(s, span);

	if (depth > 0 && depth < s->n_frames) {
		struct pt_span_frame *frame = &s->frame[depth - 1];
		struct pt_invocation v = pt_span_amount(frame, depth > 1 ? frame - 1 : NULL, frame[1].from);

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
	push(s,
	     &(struct pt_span_frame){ .from = s->clock, .from_ns = at->ns, .span = PT_SPAN_MARKER, .resume = resume },
	     at);
}

void pt_span_chain(struct pt_span_stack *s, const struct pt_span_at *at)
{
	pt_span_pass(s, at->clock);
	while (s->n_frames > 0 && top_of(s)->span != PT_SPAN_MARKER) {
		error(s, top_of(s)->span, PT_SPAN_SKIPPED_EXIT, at);
		pop_skipped(s);
	}
}

static void take_up(struct pt_span_stack *s, struct pt_span_context *context)	/* while the stack is empty */
{
	memcpy(s->frame, context->frame, context->n_frames * sizeof(*s->frame));
	s->n_frames = context->n_frames;
	if (s->n_frames > 0)
		top_of(s)->preempted += s->clock - context->parked;
	context->used = false;
}

static void forget_context(struct pt_span_stack *s, struct pt_span_context *context)
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

static struct pt_span_context *find(struct pt_span_stack *s, uint64_t resume)
{
	for (size_t i = 0; s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
		if (s->context[i].used && s->context[i].resume == resume)
			return &s->context[i];
	return NULL;
}

static struct pt_span_context *room(struct pt_span_stack *s)	/* unused, or the one parked longest ago */
{
	struct pt_span_context *oldest;

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
	struct pt_span_context *context = find(s, resume);
	struct pt_span_context parked = { .used = true, .resume = resume, .parked = s->clock, .n_frames = s->n_frames };

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
		if (s->frame[i].span == PT_SPAN_MARKER)
			return true;
	return false;
}

/* Several interrupts were left at once, down to the one that came from next. If there is none, nothing is. */
static void leave_levels(struct pt_span_stack *s, uint64_t next, const struct pt_span_at *at)
{
	size_t level = s->n_frames;

	while (level > 0 && (s->frame[level - 1].span != PT_SPAN_MARKER || !near(next, s->frame[level - 1].resume)))
		level--;
	while (level > 0 && s->n_frames >= level) {
		if (top_of(s)->span != PT_SPAN_MARKER)
			error(s, top_of(s)->span, PT_SPAN_SKIPPED_EXIT, at);
		pop(s, top_of(s)->span == PT_SPAN_MARKER ? SEEN : SKIPPED);
	}
}

static void go_on_elsewhere(struct pt_span_stack *s, uint64_t next, uint64_t resume)
{
	struct pt_span_context *context;

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

void pt_span_gap(struct pt_span_stack *s, const struct pt_span_at *at)
{
	pt_span_pass(s, at->clock);
	pt_span_add_waits(s, s->set->span);
	forget(s);
	forget_contexts(s);
	for (size_t i = 0; i < s->set->n_spans; i++)
		s->last[i].entered = s->last[i].left = 0;
}
