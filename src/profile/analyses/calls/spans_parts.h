/* The inside of the machine of spans, for its two files alone: spans.c (entries, exits, contexts) and spans_shown.c (what is
 * open, windows, the result). */
#ifndef PT_SPANS_PARTS_H
#define PT_SPANS_PARTS_H

#include "profile/analyses/calls/spans.h"
#include "profile/stats/survivals.h"

enum { PT_SPAN_MARKER = UINT32_MAX };	/* the span of a frame that an interrupt put there */

struct pt_span_frame {
	uint64_t from, from_ns;
	uint64_t others;	/* gross of the spans entered meanwhile */
	uint64_t preempted;	/* time of interrupts and other contexts */
	uint64_t period, inactive;
	uint64_t resume;	/* PT_SPAN_MARKER: where what is below goes on */
	uint32_t span;
	bool seen;		/* its entry was */
};

struct pt_span_last {			/* of a span on a stack: 0, or the clock + 1 */
	uint64_t entered, left;
	uint32_t cut;		/* were open when the stretch before ended: an exit that comes may be theirs */
};

struct pt_span_context {
	bool used;
	uint64_t resume, parked;
	size_t n_frames;
	struct pt_span_frame frame[PT_SPAN_CONTEXT_DEPTH];
};

struct pt_span_stack {
	struct pt_span_set *set;
	struct pt_span_stack *next;
	uint64_t clock;		/* of the last event */
	uint64_t silence, silence_error_ns;	/* nothing has come since then, for so long */
	size_t n_frames;
	struct pt_span_last *last;	/* by span */
	uint64_t window;	/* clock at which one began */
	struct pt_span_context *context;	/* PT_SPAN_CONTEXTS of them, once there is one; or NULL */
	struct pt_span_frame frame[PT_SPAN_DEPTH];
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

/* --- spans_shown.c */
/* The frame below, of the same span, on the same level; NULL: none. */
const struct pt_span_frame *pt_span_outer(const struct pt_span_frame *frame, const struct pt_span_frame *first);
/* What frame amounts to when it ends at clock; below (NULL: none) gets its part. */
struct pt_invocation pt_span_amount(const struct pt_span_frame *frame, struct pt_span_frame *below, uint64_t clock);
/* Of a frame that was entered in the window that is open; else nothing. */
void pt_span_note_length(struct pt_span_stack *s, const struct pt_span_frame *frame, const struct pt_invocation *v,
			 enum pt_survival_end gross, enum pt_survival_end call);
/* Its times are lower bounds: less what its moments are off. */
void pt_span_add_unended(struct pt_span_figures *row, const struct pt_invocation *v);
/* So long no entry came behind the last one, and behind the last exit. */
void pt_span_add_waits(const struct pt_span_stack *s, struct pt_span_figures *rows);

#endif
