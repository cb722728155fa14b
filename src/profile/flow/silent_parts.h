/* What the parts of the walker for silent jumps share (flow_silent.c says what it is): the next branch, the jumps on
 * the way to it, and the way back where they led to nothing that fits. No other file includes this. */
#ifndef PT_PROFILE_SILENT_PARTS_H
#define PT_PROFILE_SILENT_PARTS_H

#include <assert.h>

#include "profile/flow/flow_parts.h"

enum { JUMPS = 60 };		/* in a row, without a branch that is told of: more is a
				 * loop that tells of nothing (7) */

static_assert((int)JUMPS + 8 <= (int)PT_FLOW_EVENT_ROOM, "a walk fits what flow was given");

/* The next branch that is told of or that is a silent jump, from p on; the conditional one at stop in any case. */
static inline struct place next_branch_or(const struct pt_flow *f, struct place p, uint64_t stop)
{
	const uint16_t *way = p.span->way;
	unsigned unit_bytes = f->map->isa->unit_bytes;
	size_t from = (size_t)(p.unit - p.span->code), at = from;

	for (;;) {
		while ((way[at] & PT_WAY) != 0)
			at += way[at] & PT_WAY;
		if (!f->taken_only || p.span->code[at].flow != PT_FLOW_BRANCH_IF ||
		    p.span->base + (uint64_t)at * unit_bytes == stop)
			break;
		at += p.span->code[at].len_units;
	}
	p.unit = p.span->code + at;
	p.addr += (at - from) * unit_bytes;
	return p;
}

static inline struct place next_branch(const struct pt_flow *f, struct place p)
{
	return next_branch_or(f, p, PT_UNKNOWN);
}

static inline bool doubtful(struct place p)	/* nothing is, in code that no trace with silent jumps comes from */
{
	return p.span->way != NULL && p.span->way[p.unit - p.span->code] == PT_WAY_DOUBTFUL;
}

static inline bool jumps(struct place p)	/* always, to a fixed address */
{
	return p.unit->flow == PT_FLOW_BRANCH || p.unit->flow == PT_FLOW_CALL;
}

/* Where the direct branch at p leads, whatever is there. */
static inline struct place target(const struct pt_flow *f, struct place p)
{
	struct place to = { .span = p.span, .addr = p.span->base + p.unit->target - 1 };

	if (p.unit->target == PT_FAR_TARGET || p.unit->target == PT_ANY_TARGET)
		return locate(f, pt_codemap_target(f->map, p.addr));
	to.unit = p.span->code + ((p.unit->target - 1) >> unit_shift(f));
	if (to.unit->len_units == 0)
		to.unit = NULL;
	return to;
}

static inline void silent_jump(struct pt_flow *f, struct place src, struct pt_run_batch *out)
{
	struct place to = target(f, src);

	f->counts.doubtful_silent += doubtful(src);
	if (to.unit == NULL)
		destination(f, src.addr, to.addr);	/* which says so */
	leave_by(f, src, to, left_by(src.unit), 0, out);
}

/* Where the walk stood when the last branch was told of: jumps that lead to nothing that fits were not followed. */
struct mark {
	uint64_t begin, doubtful_silent, borders;
	const struct pt_code_unit *at;
	const struct pt_code_span *span;
	uint32_t reached_bytes;
	bool open;
	size_t n_runs;
};

static inline struct mark mark(const struct pt_flow *f, const struct pt_run_batch *out)
{
	return (struct mark){
		f->begin, f->counts.doubtful_silent, f->counts.borders, f->at, f->span, f->reached_bytes, f->open, out->n_runs,
	};
}

/* What came cannot be where the walk stood, or is nowhere from there on. */
static inline void lost(struct pt_flow *f, const struct mark *from, uint64_t to, struct pt_run_batch *out)
{
	out->n_runs = from->n_runs;
	f->begin = from->begin;
	f->at = from->at;
	f->span = from->span;
	f->reached_bytes = from->reached_bytes;
	f->open = from->open;
	f->counts.doubtful_silent = from->doubtful_silent;
	f->counts.borders = from->borders;
	bad(f, f->begin + f->reached_bytes, to, out);
}

/* silent_atoms.c: as many atoms as there is room for. False: come again with the same event. */
bool pt_silent_atoms(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out);

/* silent_exceptions.c */

/* The walk is known to have got to addr, where it passes. */
void pt_silent_advance(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out);
/* The exception return at src went to addr. */
void pt_silent_return_to(struct pt_flow *f, struct place src, uint64_t addr, struct pt_run_batch *out);
/* Of an exception by its number; PT_UNKNOWN: there is none. */
uint64_t pt_silent_handler_of(const struct pt_flow *f, uint64_t exception);
/* exception: PT_UNKNOWN where the handler is all that was told. */
void pt_silent_enter(struct pt_flow *f, uint64_t exception, uint64_t to, struct pt_run_batch *out);

/* silent_branches.c */

/* The next indirect branch went to addr. False: come again with the same event. */
bool pt_silent_indirect_to(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out);
/* The next branch always jumps, and went to addr: a direct one has to lead there. */
void pt_silent_told_to(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out);
/* The conditional branch at addr was taken; those on the way to it were not. */
void pt_silent_taken_at(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out);

/* silent_time.c */

/* PT_EV_SINCE. Behind it f->owes is what the exception that comes next is owed. */
void pt_silent_since(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out);
/* Only while f->at_end > 0: whether the core was halted when that stamp was made. */
void pt_silent_end_is(struct pt_flow *f, bool halted, struct pt_run_batch *out);
/* So much time passed where the walk stands. */
void pt_silent_put_time(struct pt_flow *f, uint64_t cycles, struct pt_run_batch *out);
/* Where stamps count from lines: runs from first_run on are new; and the line of the trace that they are of has ended. */
void pt_silent_line_goes_on(struct pt_flow *f, const struct pt_run_batch *out, size_t first_run);
void pt_silent_line_ends(struct pt_flow *f);

/* silent_steps.c */

/* The walk stands at the instruction that was told of last: it ran, and the one at addr ran next. stepped: that one has
 * not run yet, and what ran before may not have been told one by one. */
void pt_silent_executed(struct pt_flow *f, uint64_t addr, bool stepped, struct pt_run_batch *out);

#endif
