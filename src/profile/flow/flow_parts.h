/* What the code walkers share: places in the code map, and the run that is held back until its end is known. Only
 * flow.c and the files of flow_silent.c include this. Inline, as each is in a hurry. */
#ifndef PT_PROFILE_FLOW_PARTS_H
#define PT_PROFILE_FLOW_PARTS_H

#include <string.h>

#include "profile/flow/flow.h"
#include "base/util.h"

/* A place in the code map. unit NULL: not code, or inside an instruction. */
struct place {
	const struct pt_code_span *span;
	const struct pt_code_unit *unit;
	uint64_t addr;
};

/* From bytes to units: sizes of units are powers of two, and a division takes longer than the rest. */
static inline unsigned unit_shift(const struct pt_flow *f)
{
	return (unsigned)__builtin_ctz(f->map->isa->unit_bytes);
}

/* What a branch instruction leaves by; 0: it does not branch. */
static inline enum pt_left left_by(const struct pt_code_unit *unit)
{
	return (enum pt_left)(unit->flow & PT_FLOW_LEAVES);
}

/* Does it go where a register says? */
static inline bool indirect(const struct pt_code_unit *unit)
{
	return unit->target == PT_ANY_TARGET;
}

/* The entry of addr and its span, inside an instruction too. */
static inline struct place entry_of(const struct pt_flow *f, uint64_t addr)
{
	struct place p = { .addr = addr };

	for (size_t i = 0; i < f->map->n_spans && p.unit == NULL; i++) {
		const struct pt_code_span *span = &f->map->span[i];
		uint64_t offset = addr - span->base;

		if (offset < span->end - span->base && (offset & (f->map->isa->unit_bytes - 1u)) == 0) {
			p.span = span;
			p.unit = span->code + (offset >> unit_shift(f));
		}
	}
	return p;
}

/* The instruction that begins at addr. */
static inline struct place locate(const struct pt_flow *f, uint64_t addr)
{
	struct place p = entry_of(f, addr);

	if (p.unit != NULL && p.unit->len_units == 0)
		p.unit = NULL;
	return p;
}

/* The place behind the instruction at p; its unit may be data, or the end of the span. */
static inline struct place behind(const struct pt_flow *f, struct place p)
{
	p.addr += p.unit->len_units * f->map->isa->unit_bytes;
	p.unit += p.unit->len_units;
	return p;
}

static inline struct place beginning(const struct pt_flow *f)
{
	return (struct place){ f->span, f->at, f->begin };
}

static inline bool near(const struct pt_flow *f, struct place p)
{
	return p.unit != NULL && p.span == f->span && p.addr - f->begin < PT_FLOW_RUN_BYTES;
}

static inline size_t free_runs(const struct pt_run_batch *out)
{
	return PT_BATCH_RUNS - out->n_runs;
}

static inline void forget_interrupted(struct pt_flow *f)
{
	f->n_interrupted = f->n_parked = 0;
}

static inline void forget(struct pt_flow *f)
{
	f->begin = PT_UNKNOWN;
	f->at = NULL;
	f->reached_bytes = 0;
	f->stopped = false;
	f->bits_left = 0;
	f->owes = (struct pt_flow_owed){ 0, PT_UNKNOWN };
	f->waits = false;
}

/* Hold a run back that begins at p. */
static inline void hold(struct pt_flow *f, struct place p)
{
	f->begin = p.addr;
	f->at = p.unit;
	f->span = p.span;
	f->reached_bytes = 0;
	f->stopped = false;
}

/* borders.c: the held run goes on to end, by way of other functions' code perhaps: a run for each of them up to the last
 * one, which is held then. arrives: the core was at end, too, though nothing there ran. Takes no more of out than leaves
 * PT_FLOW_EVENT_ROOM. */
void pt_flow_pass_borders(struct pt_flow *f, struct place end, bool arrives, struct pt_run_batch *out);
enum { PT_FLOW_EVENT_ROOM = 68 };	/* what an event needs that passes no border */

/* Is end so near that no border can lie before it? */
static inline bool in_reach(const struct pt_flow *f, struct place end)
{
	return (size_t)(end.unit - f->at) <= pt_codemap_reach(f->at);
}

/* The run from where it began to `end`, left for `next`. What follows begins there, or is not known. */
static inline void leave(struct pt_flow *f, struct place end, struct place next, enum pt_left left,
			 unsigned extra_cycles, struct pt_run_batch *out)
{
	bool known = next.unit != NULL && left != PT_LEFT_GAP;
	struct pt_run *run;

	if (!in_reach(f, end))
		pt_flow_pass_borders(f, end, left == PT_LEFT_EXCEPTION || left == PT_LEFT_DEBUG, out);
	run = &out->run[out->n_runs++];
	*run = (struct pt_run){
		.begin = f->begin, .end = end.addr, .next = known ? next.addr : PT_UNKNOWN,
		.instructions = (uint16_t)pt_sum_instructions(end.unit->sums - f->at->sums),
		.cycles = pt_sum_cycles(end.unit->sums - f->at->sums) + extra_cycles,
		.function = f->at->function, .next_function = known ? next.unit->function : PT_NO_FUNCTION,
		.left = (uint8_t)(known ? left : PT_LEFT_GAP),
	};
	f->open = known;
	if (known) {
		hold(f, next);
	} else {
		forget(f);
		forget_interrupted(f);
	}
}

/* The run up to and with the branching instruction at src, which cost what it costs to branch, and extra_cycles. */
static inline void leave_by(struct pt_flow *f, struct place src, struct place next, enum pt_left left,
			    unsigned extra_cycles, struct pt_run_batch *out)
{
	struct place end = behind(f, src);
	uint32_t passing = pt_sum_cycles(end.unit->sums - src.unit->sums);

	leave(f, end, next, left, src.unit->leave_cycles - passing + extra_cycles, out);
}

/* As far as the held run is known to have gone. */
static inline struct place reached(const struct pt_flow *f)
{
	return (struct place){ f->span, f->at + (f->reached_bytes >> unit_shift(f)), f->begin + f->reached_bytes };
}

/* The end of the stretch: where the run that is held back ended is not known. */
static inline void end_stretch(struct pt_flow *f, struct pt_run_batch *out)
{
	if (f->at != NULL && (f->open || f->reached_bytes > 0))
		leave(f, reached(f), (struct place){ 0 }, PT_LEFT_GAP, 0, out);
	forget(f);
	forget_interrupted(f);
}

static inline void bad(struct pt_flow *f, uint64_t from, uint64_t to, struct pt_run_batch *out)
{
	f->counts.not_code++;
	f->counts.bad_from = from;
	f->counts.bad_to = to;
	end_stretch(f, out);
}

/* A run begins at addr, if that is code. */
static inline void begin_at(struct pt_flow *f, uint64_t addr)
{
	struct place p = locate(f, addr);

	if (p.unit != NULL)
		hold(f, p);
	else
		forget(f);
}

/* A place that cannot be left to is reported, and ends the stretch. */
static inline struct place destination(struct pt_flow *f, uint64_t from, uint64_t to)
{
	struct place dst = locate(f, to);

	if (dst.unit == NULL && to != PT_UNKNOWN) {
		f->counts.not_code++;
		f->counts.bad_from = from;
		f->counts.bad_to = to;
	}
	return dst;
}

/* Remember where an exception will return to; of too many the outermost is forgotten. */
static inline void interrupt(struct pt_flow *f, uint64_t addr)
{
	if (f->n_interrupted == PT_FLOW_NEST)
		memmove(f->interrupted, f->interrupted + 1, sizeof(f->interrupted[0]) * --f->n_interrupted);
	f->interrupted[f->n_interrupted++] = addr;
}

/* flow_silent.c: events of a format that has no atom for direct jumps (PT_ATOMS_CONDITIONAL, PT_ATOMS_TAKEN, EXECUTED).
 * Needs PT_FLOW_ROOM free. False: there was not enough room for all of the event; empty it and come again with the same
 * one. */
bool pt_flow_silent(struct pt_flow *f, const struct pt_event *event, struct pt_run_batch *out);
/* Only while f->at_end > 0: event, which is no stamp of the end, comes next; NULL: none. */
void pt_flow_silent_end(struct pt_flow *f, const struct pt_event *event, struct pt_run_batch *out);

#endif
