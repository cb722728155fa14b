/* Spans: what begins and ends by an event of its own. A chosen function (its first instruction, its exits), the way
 * between two code points, a span that the program signals. All use one machine: a stack, on which an entry pushes and
 * an exit pops.
 *
 * Nothing that comes in a wrong order stops it: an exit of something further down unwinds to it, and what lay above has
 * been left without being seen to; an exit of what is not open does nothing. Each is an error of the span that it
 * happened to, counted, with its last moment and place. An exit of what may have been open before the stretch is none.
 * Net is without the spans entered meanwhile, gross with them; both without interrupts and other contexts, which only
 * call has. A span with an end unseen is partial: counted and in totals, not in least, most and average.
 * Clock: any; a stack stands still while suspended, and nothing is measured over a gap. Bounded: PT_SPAN_DEPTH. */
#ifndef PT_PROFILE_SPANS_H
#define PT_PROFILE_SPANS_H

#include "profile/stack/execution.h"

enum {
	PT_SPAN_DEPTH = 256,		/* open at a time on one stack; beyond that, as after a gap */
	PT_SPAN_CONTEXTS = 32,		/* stacks that were interrupted and not gone on with; the oldest is forgotten */
	PT_SPAN_CONTEXT_DEPTH = 32,
	PT_SPANS_MAX = 65535,
};

/* From BY_SIGNAL on values tell of it: BY_ISR, BY_SERVICE are those of the OS. */
enum pt_span_by { PT_SPAN_BY_FUNCTION, PT_SPAN_BY_POINTS, PT_SPAN_BY_RANGE, PT_SPAN_BY_SIGNAL, PT_SPAN_BY_ISR,
		  PT_SPAN_BY_SERVICE };

enum pt_span_error {
	PT_SPAN_SKIPPED_EXIT,	/* something below was left, and its own exit was not seen */
	PT_SPAN_UNMATCHED_EXIT,	/* it was left, or gone back to, while it was not open */
	PT_SPAN_ENTERED_AGAIN,	/* it was entered while open, and is of a kind that is not entered twice */
	PT_SPAN_TOO_DEEP,	/* PT_SPAN_DEPTH was reached */
	PT_N_SPAN_ERRORS,
};

const char *pt_span_error_name(enum pt_span_error error);

struct pt_span_figures {		/* a row */
	const char *name;
	const struct pt_function *function;	/* whose code it begins in; NULL: none's */
	uint64_t begin, end;	/* addresses; PT_UNKNOWN: it has none */
	enum pt_span_by by;
	uint16_t id;		/* of the function (codemap.h) */
	uint16_t core;
	struct pt_execution_function run;	/* its figures; instructions: 0 where they are not counted */
	uint64_t errors[PT_N_SPAN_ERRORS];
	enum pt_span_error last;		/* of them, where there were any */
	uint64_t last_ns, last_address;		/* its moment and instruction; PT_UNKNOWN */
	uint64_t refetched;	/* entries that were none: fetched, cancelled by an interrupt, and executed after it */
	uint64_t error_ns;	/* the moments that it was measured between are that uncertain at worst */
	uint64_t open_error_ns;	/* of its totals, beside that: it is open, and silence is as long as another clock says */
	const struct pt_lengths *lengths;	/* by enum pt_tally_kind, of what is seen in windows; NULL: there were none */
};

struct pt_span_core {		/* what was seen of a core */
	uint16_t core;
	uint64_t observed;	/* on the clock of its spans: what their net is a share of */
	uint64_t observed_error_ns;	/* of that: silence is as long as another clock says */
	uint64_t instructions, cycles;	/* all that ran; 0: not made of runs */
	/* by id, as execution has them, for functions that are spans */
	const struct pt_execution_function *function;
	size_t n_functions;
};

struct pt_spans {
	const struct pt_span_figures *span;	/* by core */
	size_t n_spans;
	uint64_t errors[PT_N_SPAN_ERRORS];	/* of all of them */
	uint64_t forgotten;	/* contexts that found no room, or were left at one address */
	uint64_t dropped;	/* entries of spans that found no room */
	uint64_t lost;		/* signalled: times that signals may be missing */
	const struct pt_span_core *core;	/* of spans in code, by number; signalled ones have none */
	size_t n_cores;
};

static inline const struct pt_span_core *pt_spans_core(const struct pt_spans *spans, uint16_t core)	/* or NULL */
{
	for (size_t i = 0; i < spans->n_cores; i++)
		if (spans->core[i].core == core)
			return &spans->core[i];
	return NULL;
}

/* --- the machine */

struct pt_span_at {		/* where an event stands */
	uint64_t clock;		/* of the stack; never goes back */
	uint64_t ns, error_ns;	/* on the probe's clock */
	uint64_t address;	/* of the instruction; PT_UNKNOWN */
};

enum { PT_NO_SPAN = UINT32_MAX };

struct pt_span_set;		/* rows and their statistics, for any number of stacks */
struct pt_span_stack;

struct pt_span_set *pt_span_set_new(size_t n_spans);
void pt_span_set_use(struct pt_span_set *set, size_t n_spans);	/* the result has the first so many; at first all */
void pt_span_set_free(struct pt_span_set *set);		/* its stacks, too */
struct pt_span_figures *pt_span_row(struct pt_span_set *set, size_t i);	/* to be filled in: name, begin, ... */
/* One more stack, with a clock of its own. */
struct pt_span_stack *pt_span_stack_new(struct pt_span_set *set);

/* nests: the span may be open several times. */
void pt_span_enter(struct pt_span_stack *s, uint32_t span, bool nests, const struct pt_span_at *at);
void pt_span_leave(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at);
/* The top ends, and span runs again; PT_NO_SPAN: none does. */
void pt_span_back_to(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at);
/* The same where one span may follow another without an exit between them: had the upper one been inside the lower one,
 * that would have been gone back to. So the lower one ended when the upper one was entered. */
void pt_span_back_over(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at);
/* Likewise: it is entered again, so the one that is open, below others, had ended when the next one was entered. */
void pt_span_enter_over(struct pt_span_stack *s, uint32_t span, const struct pt_span_at *at);
/* What runs is interrupted, to go on at resume; what is entered from here on is on a level of its own. */
void pt_span_interrupt(struct pt_span_stack *s, uint64_t resume, const struct pt_span_at *at);
/* The interrupt of the current level returns to next: what is open on the level was skipped. Elsewhere than where it
 * came from: the stack is kept until one returns there, and one that was kept for next is gone on with. Returns where
 * the interrupt came from; PT_UNKNOWN: it was not seen to begin. */
uint64_t pt_span_return(struct pt_span_stack *s, uint64_t next, const struct pt_span_at *at);
/* What is open on the current level was skipped: another interrupt takes the place of the one that it was for. */
void pt_span_chain(struct pt_span_stack *s, const struct pt_span_at *at);
/* Nothing is known of what follows, and of when it does. */
void pt_span_gap(struct pt_span_stack *s, const struct pt_span_at *at);
bool pt_span_is_open(const struct pt_span_stack *s, uint32_t span);	/* on the current level */

/* Figures so far; what is open is partial, up to its stack's clock (pt_span_pass). Valid until the set is fed or asked
 * again. */
const struct pt_spans *pt_span_result(struct pt_span_set *set);
/* A window (flow/windows.h) on the stack's time begins; or it has ended: what is open is longer than it was so far. cut,
 * weight: as pt_survivals_end() has them. There is one stack in the set. */
void pt_span_window_begins(struct pt_span_stack *s, uint64_t clock);
void pt_span_window_ended(struct pt_span_stack *s, uint64_t clock, uint64_t cut, double weight);
/* Of each span those of each kind, into the figures of the result. */
void pt_span_give_lengths(struct pt_span_set *set);
/* Time goes on, and nothing happens. */
void pt_span_pass(struct pt_span_stack *s, uint64_t clock);
/* The same up to a time that is known to +- error_ns, unless an event is known to have come earlier. */
void pt_span_pass_about(struct pt_span_stack *s, uint64_t clock, uint64_t error_ns);

#endif
