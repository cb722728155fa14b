/* What spans come to so far: what is open, and what has not come again, as lower bounds; and windows, in which lengths
 * are cut. */
#include "profile/analyses/calls/spans_parts.h"

#include <string.h>

#include "base/alloc.h"

/* The frame below, of the same span, on the same level; NULL: none. */
const struct pt_span_frame *pt_span_outer(const struct pt_span_frame *frame, const struct pt_span_frame *first)
{
	const uint32_t span = frame->span;

	while (frame-- > first && frame->span != PT_SPAN_MARKER)
		if (frame->span == span)
			return frame;
	return NULL;
}

/* What frame amounts to when it ends at clock; below (NULL: none) gets its part. */
struct pt_invocation pt_span_amount(const struct pt_span_frame *frame, struct pt_span_frame *below, uint64_t clock)
{
	struct pt_invocation v = { .call = clock - frame->from };

	v.gross = v.call - frame->preempted;
	v.net = v.gross - frame->others;
	if (below != NULL && frame->span == PT_SPAN_MARKER) {
		below->preempted += v.call;
	} else if (below != NULL) {
		below->others += v.gross;
		below->preempted += frame->preempted;
	}
	return v;
}

/* Of a frame that was entered in the window that is open; else nothing. */
void pt_span_note_length(struct pt_span_stack *s, const struct pt_span_frame *frame, const struct pt_invocation *v,
			 enum pt_survival_end gross, enum pt_survival_end call)
{
	struct pt_survivals *to = s->set->survivals;

	if (to == NULL || !frame->seen || frame->from < s->window)
		return;
	pt_survivals_note(to, frame->span, PT_TALLY_GROSS, v->gross, s->clock - s->window, gross);
	pt_survivals_note(to, frame->span, PT_TALLY_CALL, v->call, s->clock - s->window, call);
}

/* Its times are lower bounds: less what its moments are off. */
void pt_span_add_unended(struct pt_span_figures *row, const struct pt_invocation *v)
{
	uint64_t error_ns = row->error_ns + row->open_error_ns;

	pt_stat_add_unended(&row->run.stat[PT_TALLY_NET], v->net, error_ns);
	pt_stat_add_unended(&row->run.stat[PT_TALLY_GROSS], v->gross, error_ns);
	pt_stat_add_unended(&row->run.stat[PT_TALLY_CALL], v->gross,
			    error_ns); /* its stack may have been left for good */
}

static bool has_frame(const struct pt_span_frame *frames, size_t n_frames, uint32_t span)
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
void pt_span_add_waits(const struct pt_span_stack *s, struct pt_span_figures *rows)
{
	uint64_t now = s->clock + s->silence;

	for (uint32_t i = 0; i < s->set->n_spans; i++) {
		uint64_t error_ns = rows[i].error_ns + s->silence_error_ns;
		struct pt_stat *stat = rows[i].run.stat;

		if (s->last[i].entered != 0)
			pt_stat_add_unended(&stat[PT_TALLY_PERIOD], now + 1 - s->last[i].entered, error_ns);
		if (s->last[i].left != 0 && !is_open_anywhere(s, i))
			pt_stat_add_unended(&stat[PT_TALLY_INACTIVE], now + 1 - s->last[i].left, error_ns);
	}
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

static void note_open(struct pt_span_stack *s, const struct pt_span_frame *frames, size_t n_frames, uint64_t parked,
		      bool runs)
{
	struct pt_span_frame copy[PT_SPAN_DEPTH];

	memcpy(copy, frames, n_frames * sizeof(*copy));
	for (size_t i = n_frames; i > 0; i--) {
		struct pt_span_frame *frame = &copy[i - 1];
		struct pt_invocation v = pt_span_amount(frame, i > 1 ? frame - 1 : NULL, parked);

		v.call += s->clock - parked;
		if (frame->span == PT_SPAN_MARKER)
			runs = false;
		else
			pt_span_note_length(s, frame, &v, runs ? PT_SURVIVAL_GOES_ON : PT_SURVIVAL_RESTS,
					    PT_SURVIVAL_GOES_ON);
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

static void show_open(struct pt_span_set *set, const struct pt_span_frame *frames, size_t n_frames, uint64_t clock)
{
	struct pt_span_frame copy[PT_SPAN_DEPTH];

	memcpy(copy, frames, n_frames * sizeof(*copy));
	for (size_t i = n_frames; i > 0; i--) {
		struct pt_span_frame *frame = &copy[i - 1];
		struct pt_invocation v = pt_span_amount(frame, i > 1 ? frame - 1 : NULL, clock);

		if (frame->span == PT_SPAN_MARKER)
			continue;
		set->shown[frame->span].run.partial++;
		pt_span_add_unended(&set->shown[frame->span], &v);
		set->shown[frame->span].run.gross_total += pt_span_outer(frame, copy) == NULL ? v.gross : 0;
	}
}

/* What is open lasted through the silence, too. */
static void show_silence(struct pt_span_set *set, const struct pt_span_stack *s)
{
	const struct pt_span_frame *top = s->n_frames > 0 ? &s->frame[s->n_frames - 1] : NULL;

	if (top != NULL && top->span != PT_SPAN_MARKER)
		set->shown[top->span].run.cycles += s->silence;
	for (size_t i = 0; i < s->n_frames; i++) {
		struct pt_span_figures *row = s->frame[i].span != PT_SPAN_MARKER ? &set->shown[s->frame[i].span] : NULL;

		if (row != NULL && s->silence_error_ns > row->open_error_ns)
			row->open_error_ns = s->silence_error_ns;
	}
}

const struct pt_spans *pt_span_result(struct pt_span_set *set)
{
	pt_histogram_memory_touch(&set->room);
	memcpy(set->shown, set->span, set->n_spans * sizeof(*set->span));
	for (const struct pt_span_stack *s = set->stacks; s != NULL; s = s->next) {
		pt_span_add_waits(s, set->shown);
		show_silence(set, s);
		show_open(set, s->frame, s->n_frames, s->clock + s->silence);
		for (size_t i = 0; s->context != NULL && i < PT_SPAN_CONTEXTS; i++)
			if (s->context[i].used)
				show_open(set, s->context[i].frame, s->context[i].n_frames, s->context[i].parked);
	}
	set->result.span = set->shown;
	return &set->result;
}
