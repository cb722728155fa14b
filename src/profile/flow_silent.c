/* The code walker for formats that tell of conditional branches, of where indirect ones went and of exceptions by
 * number, but not of jumps and calls to a fixed address, nor of where an exception was taken: the S12Z's code
 * profiling.
 * Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.6; the rules are numbered as in our notes on it.
 *
 * The walk stands behind the last branch that was told of. With each atom it goes on to the next conditional branch,
 * through the jumps and calls in between (3); without one it does not run ahead (4). So it never passes a place that
 * the core may not have passed. A jump to a fixed operand may have a place in the trace, or not: what comes decides
 * (9).
 *
 * An exception was taken somewhere from where the walk stands up to the next branch that is told of (5). It is put
 * where the walk stands, and the walk goes on there when it returns: then what ran adds up, and no instruction counts
 * twice. Where it really returned to must be in that stretch, which is what tells tasks apart, too: elsewhere it is
 * another task, one that was left, or one that is not known. Then it is known to have got there, so the walk follows.
 *
 * Every jump that is followed is a run of its own, and one event may have many: what does not fit is done when the same
 * event comes again. */
#include <assert.h>

#include "profile/flow_parts.h"

enum { JUMPS = 60 };		/* in a row, without a branch that is told of: more is a
				 * loop that tells of nothing (7) */

static_assert((int)JUMPS + 8 <= (int)PT_FLOW_ROOM, "a walk fits what flow was given");

/* The next branch that is told of or that is a silent jump, from p on; the conditional one at stop in any case. */
static struct place next_branch_or(const struct pt_flow *f, struct place p, uint64_t stop)
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

static struct place next_branch(const struct pt_flow *f, struct place p)
{
	return next_branch_or(f, p, PT_UNKNOWN);
}

static bool doubtful(struct place p)	/* nothing is, in code that no trace with silent jumps comes from */
{
	return p.span->way != NULL && p.span->way[p.unit - p.span->code] == PT_WAY_DOUBTFUL;
}

static bool jumps(struct place p)	/* always, to a fixed address */
{
	return p.unit->flow == PT_FLOW_BRANCH || p.unit->flow == PT_FLOW_CALL;
}

/* Where the direct branch at p leads, whatever is there. */
static struct place target(const struct pt_flow *f, struct place p)
{
	struct place to = { .span = p.span, .addr = p.span->base + p.unit->target - 1 };

	if (p.unit->target == PT_FAR_TARGET || p.unit->target == PT_ANY_TARGET)
		return locate(f, pt_codemap_target(f->map, p.addr));
	to.unit = p.span->code + ((p.unit->target - 1) >> unit_shift(f));
	if (to.unit->len_units == 0)
		to.unit = NULL;
	return to;
}

static void silent_jump(struct pt_flow *f, struct place src, struct pt_run_batch *out)
{
	struct place to = target(f, src);

	f->counts.doubtful_silent += doubtful(src);
	if (to.unit == NULL)
		destination(f, src.addr, to.addr);	/* which says so */
	leave_by(f, src, to, left_by(src.unit), 0, out);
}

/* Where the walk stood when the last branch was told of: jumps that lead to nothing that fits were not followed. */
struct mark {
	uint64_t begin, doubtful_silent;
	const struct pt_code_unit *at;
	const struct pt_code_span *span;
	uint32_t reached_bytes;
	bool open;
	size_t n_runs;
};

static struct mark mark(const struct pt_flow *f, const struct pt_run_batch *out)
{
	return (struct mark){
		f->begin, f->counts.doubtful_silent, f->at, f->span, f->reached_bytes, f->open, out->n_runs,
	};
}

/* What came cannot be where the walk stood, or is nowhere from there on. */
static void lost(struct pt_flow *f, const struct mark *from, uint64_t to, struct pt_run_batch *out)
{
	out->n_runs = from->n_runs;
	f->begin = from->begin;
	f->at = from->at;
	f->span = from->span;
	f->reached_bytes = from->reached_bytes;
	f->open = from->open;
	f->counts.doubtful_silent = from->doubtful_silent;
	bad(f, f->begin + f->reached_bytes, to, out);
}

/* ---- conditional branches */

/* The walk, with what each atom needs at hand. */
struct walk {
	const struct pt_code_unit *code, *at;	/* of the span; where the held run begins */
	const uint16_t *way;
	uint64_t base;
	size_t here;		/* in units from the base */
	unsigned shift;		/* of units to bytes */
};

static struct walk begin_walk(const struct pt_flow *f)
{
	unsigned shift = unit_shift(f);

	return (struct walk){
		.code = f->span->code, .at = f->at, .way = f->span->way, .base = f->span->base,
		.here = (f->begin + f->reached_bytes - f->span->base) >> shift, .shift = shift,
	};
}

static void end_walk(struct pt_flow *f, const struct walk *w)
{
	f->at = w->at;
	f->begin = w->base + ((uint64_t)(w->at - w->code) << w->shift);
	f->reached_bytes = (uint32_t)((w->here - (size_t)(w->at - w->code)) << w->shift);
}

/* From `from` to the branch at src, with what goes with it: a prefix, a delay slot. */
static uint16_t up_to(const struct pt_code_unit *from, const struct pt_code_unit *src)
{
	return (uint16_t)pt_sum_instructions(src[src->len_units].sums - from->sums);
}

/* The branch at src was taken, to a place in the same span. False: it leads elsewhere, and nothing was done. */
static bool taken(struct pt_flow *f, struct walk *w, const struct pt_code_unit *src, struct pt_run_batch *out)
{
	uint64_t sums = src->sums - w->at->sums;
	const struct pt_code_unit *dst;
	struct pt_run *run = &out->run[out->n_runs];

	if (src->target == PT_FAR_TARGET || src->target == PT_ANY_TARGET)
		return false;
	dst = w->code + ((src->target - 1) >> w->shift);
	if (dst->len_units == 0)
		return false;
	*run = (struct pt_run){
		.begin = w->base + ((uint64_t)(w->at - w->code) << w->shift),
		.end = w->base + ((uint64_t)(src - w->code + src->len_units) << w->shift),
		.next = w->base + src->target - 1, .instructions = up_to(w->at, src),
		.cycles = pt_sum_cycles(sums) + src->leave_cycles, .function = w->at->function,
		.left = src->flow & PT_FLOW_LEAVES, .next_function = dst->function,
	};
	out->n_runs++;
	f->open = true;
	w->at = dst;
	w->here = (size_t)(dst - w->code);
	return true;
}

/* The same for any branch. False: the walk is lost, or went to another span. */
static bool leave_span(struct pt_flow *f, struct walk *w, struct place src, struct pt_run_batch *out)
{
	end_walk(f, w);
	leave_by(f, src, destination(f, src.addr, pt_codemap_target(f->map, src.addr)), left_by(src.unit), 0, out);
	if (f->at == NULL)
		return false;
	*w = begin_walk(f);
	return true;
}

/* Is what is done for an atom nothing that the code has at src? More was told then than the code has, or of another
 * code; or the run is longer than any. */
static bool impossible(const struct walk *w, size_t at, bool is_doubtful)
{
	const struct pt_code_unit *src = &w->code[at];
	bool follows = src->flow == PT_FLOW_BRANCH_IF || src->flow == PT_FLOW_BRANCH || src->flow == PT_FLOW_CALL ||
		       (src->flow == PT_FLOW_NEXT && at != w->here) || is_doubtful;	/* NEXT: on a long way */

	return !follows || (size_t)(src - w->at) >= (size_t)PT_FLOW_RUN_BYTES >> w->shift;
}

/* As many atoms as stand at branches to the same span, without jumps in between: nearly all. Whether a branch was taken
 * is what the program decides, so that is kept out of the processor's branch prediction: each is written as a run,
 * which counts if it was. Returns how many of the n are left. */
static unsigned follow_plain(struct pt_flow *f, struct walk *w, uint64_t bits, unsigned n, struct pt_run_batch *out)
{
	const uint64_t most = (uint64_t)PT_FLOW_RUN_BYTES >> w->shift, n_bytes = f->span->end - f->span->base;
	const struct pt_code_unit *const code = w->code, *at = w->at;
	struct pt_run *run = &out->run[out->n_runs];
	size_t here = w->here;

	while (n > 0 && run < &out->run[PT_BATCH_RUNS - 1]) {
		size_t branch = here + (w->way[here] & PT_WAY), to;
		const struct pt_code_unit *src = &code[branch], *dst;
		uint64_t sums = src->sums - at->sums;
		bool taken;

		if (src->flow != PT_FLOW_BRANCH_IF || src->target - UINT64_C(1) >= n_bytes ||
		    (size_t)(src - at) >= most)
			break;
		to = (src->target - 1) >> w->shift;
		dst = &code[to];
		if (dst->len_units == 0)
			break;
		taken = bits >> --n & 1;
		run->begin = w->base + ((uint64_t)(at - code) << w->shift);
		run->end = w->base + ((uint64_t)(branch + src->len_units) << w->shift);
		run->next = w->base + ((uint64_t)to << w->shift);
		run->assumed = 0;
		run->instructions = up_to(at, src);
		run->cycles = pt_sum_cycles(sums) + src->leave_cycles;
		run->function = at->function;
		run->left = PT_LEFT_BRANCH;
		run->next_function = dst->function;
		run += taken;
		here = taken ? to : branch + src->len_units;
		at = taken ? dst : at;
	}
	f->open |= run > &out->run[out->n_runs];
	out->n_runs = (size_t)(run - out->run);
	w->here = here;
	w->at = at;
	return n;
}

/* As many atoms as there is room for, each with the jumps that lead to its branch. Returns how many
 * of the n are left. */
static unsigned follow_atoms(struct pt_flow *f, uint64_t bits, unsigned n, struct pt_run_batch *out)
{
	struct walk w = begin_walk(f);
	struct mark last = { 0 };
	unsigned followed = 0;	/* jumps since the last atom */

	while (n > 0 && free_runs(out) > 1) {
		size_t at;
		const struct pt_code_unit *src;
		bool conditional, is_doubtful;

		if (followed == 0)
			n = follow_plain(f, &w, bits, n, out);
		if (n == 0 || free_runs(out) <= 1)
			break;
		at = w.here + (w.way[w.here] & PT_WAY);
		src = &w.code[at];
		conditional = src->flow == PT_FLOW_BRANCH_IF;
		is_doubtful = w.way[at] == PT_WAY_DOUBTFUL;

		if (followed == 0 && !conditional) {
			end_walk(f, &w);
			last = mark(f, out);
			if (free_runs(out) < JUMPS + 2)
				return n;
		}
		if (impossible(&w, at, is_doubtful) || (!conditional && ++followed > JUMPS)) {
			if (followed == 0) {
				end_walk(f, &w);
				last = mark(f, out);
			}
			lost(f, &last, PT_UNKNOWN, out);
			return 0;
		}
		if (src->flow == PT_FLOW_NEXT) {
			w.here = at;
			continue;
		}
		if (conditional && (bits >> (n - 1) & 1) == 0) {
			w.here = at + src->len_units;
			n--;
			followed = 0;
			continue;
		}
		f->counts.doubtful_silent += is_doubtful;
		if (!taken(f, &w, src, out) &&
		    !leave_span(f, &w, (struct place){ f->span, src, w.base + (at << w.shift) }, out))
			return 0;
		n -= conditional;
		followed = conditional ? 0 : followed;
	}
	end_walk(f, &w);
	return n;
}

static bool atoms(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	unsigned n = e->n <= 64 ? e->n : 64;

	if (f->bits_left > 0 && f->bits_left < n)
		n = f->bits_left;
	f->bits_left = f->at != NULL && f->span->way != NULL ? follow_atoms(f, e->atoms.bits, n, out) : 0;
	return f->bits_left == 0;
}

/* ---- exceptions */

/* From p on, can the core have been at addr before the next branch that is told of? By how many jumps. */
static bool passes(const struct pt_flow *f, struct place p, uint64_t addr, unsigned *n_jumps)
{
	struct place there = locate(f, addr);

	for (*n_jumps = 0; p.unit != NULL && there.unit != NULL && *n_jumps <= JUMPS; ++*n_jumps) {
		struct place src = next_branch(f, p);

		if (there.span == p.span && there.addr >= p.addr && there.addr <= src.addr)
			return true;
		if (!jumps(src) && !doubtful(src))
			return false;
		p = target(f, src);
	}
	return false;
}

/* The walk is known to have got to addr, where it passes. */
static void advance(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);
	unsigned n_jumps;

	if (!passes(f, reached(f), addr, &n_jumps))
		return;
	while (n_jumps-- > 0 && f->at != NULL && near(f, next_branch(f, reached(f))))
		silent_jump(f, next_branch(f, reached(f)), out);
	if (f->at != NULL && near(f, locate(f, addr)))
		f->reached_bytes = (uint32_t)(addr - f->begin);
	else
		lost(f, &from, addr, out);
}

static void park(struct pt_flow *f, uint64_t addr)
{
	if (addr == PT_UNKNOWN)
		return;
	if (f->n_parked == PT_FLOW_PARKED)	/* the one that was left longest ago */
		memmove(f->parked, f->parked + 1, sizeof(f->parked[0]) * --f->n_parked);
	f->parked[f->n_parked++] = addr;
}

static uint64_t unpark(struct pt_flow *f, unsigned i)
{
	uint64_t addr = f->parked[i];

	memmove(f->parked + i, f->parked + i + 1, sizeof(f->parked[0]) * (--f->n_parked - i));
	return addr;
}

/* Where what goes on at addr was interrupted; those that were in between are left for good. PT_UNKNOWN: nowhere. */
static uint64_t interrupted_at(struct pt_flow *f, uint64_t addr)
{
	unsigned n_jumps;

	for (unsigned i = f->n_interrupted; i-- > 0; )
		if (f->interrupted[i] != PT_UNKNOWN && passes(f, locate(f, f->interrupted[i]), addr, &n_jumps)) {
			f->n_interrupted = i;
			return f->interrupted[i];
		}
	if (f->n_interrupted > 0)
		park(f, f->interrupted[--f->n_interrupted]);
	for (unsigned i = f->n_parked; i-- > 0; )
		if (passes(f, locate(f, f->parked[i]), addr, &n_jumps))
			return unpark(f, i);
	return PT_UNKNOWN;
}

/* The exception return at src went to addr. */
static void return_to(struct pt_flow *f, struct place src, uint64_t addr, struct pt_run_batch *out)
{
	bool nested = f->n_interrupted > 0;
	uint64_t resume = interrupted_at(f, addr);
	struct pt_run *run = &out->run[out->n_runs];
	struct place next = resume != PT_UNKNOWN ? locate(f, resume) : destination(f, src.addr, addr);

	leave_by(f, src, next, PT_LEFT_EXCEPTION_RETURN, f->settings.exception_return_cycles, out);
	run->assumed = nested && resume != addr;
	if (f->at != NULL && resume != PT_UNKNOWN)
		advance(f, addr, out);
}

/* An instruction that raises this exception, where the walk stands or before the next branch: it ran. */
static bool raised(const struct pt_flow *f, uint64_t exception, struct place *behind_it)
{
	struct place src = next_branch(f, reached(f));

	if (src.unit->flow != PT_FLOW_TRAP || exception >= 64 || (f->map->isa->trap_vectors >> exception & 1) == 0)
		return false;
	*behind_it = behind(f, src);
	return near(f, *behind_it);
}

static uint64_t handler_of(const struct pt_flow *f, uint64_t exception)
{
	if (f->map->program == NULL || exception >= f->map->isa->n_vectors)
		return PT_UNKNOWN;
	if (f->vectors != PT_UNKNOWN)
		return pt_program_vector_in(f->map->program, f->vectors, (unsigned)exception);
	return pt_program_vector(f->map->program, (unsigned)exception);
}

/* exception: PT_UNKNOWN where the handler is all that was told. */
static void enter(struct pt_flow *f, uint64_t exception, uint64_t to, struct pt_run_batch *out)
{
	struct place end;
	bool by_code;

	if (exception == f->map->isa->reset || to == PT_UNKNOWN)
		end_stretch(f, out);
	if (f->at == NULL) {
		begin_at(f, to);
		return;
	}
	end = reached(f);
	by_code = raised(f, exception, &end);
	leave(f, end, destination(f, end.addr, to), PT_LEFT_EXCEPTION, f->settings.exception_entry_cycles, out);
	out->run[out->n_runs - 1].assumed = !by_code;
	if (f->at == NULL)
		return;
	if (f->n_interrupted == PT_FLOW_NEST)	/* the outermost is forgotten */
		memmove(f->interrupted, f->interrupted + 1, sizeof(f->interrupted[0]) * --f->n_interrupted);
	f->interrupted[f->n_interrupted++] = end.addr;
}

/* ---- indirect branches */

/* The branch at src is the one that went to addr. */
static void indirect_at(struct pt_flow *f, struct place src, uint64_t addr, struct pt_run_batch *out)
{
	f->counts.doubtful_recorded += doubtful(src);
	leave_by(f, src, destination(f, src.addr, addr), left_by(src.unit), 0, out);
}

/* Can the branch at src be the one? If it is doubtful, what it says decides: an address that it cannot go to is of a
 * branch further on. */
static bool is_indirect(const struct pt_flow *f, struct place src, uint64_t addr)
{
	uint64_t to = doubtful(src) ? pt_codemap_target(f->map, src.addr) : PT_UNKNOWN;

	if (doubtful(src))	/* relative to the pc, which is not verified to be that of
				 * the instruction, not of the next */
		return to == addr || (indirect(src.unit) && to + (behind(f, src).addr - src.addr) == addr);
	return left_by(src.unit) != 0 && indirect(src.unit);
}

static bool indirect_to(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);

	for (unsigned followed = 0; f->at != NULL && followed <= JUMPS; followed++) {
		struct place src = next_branch(f, reached(f));

		if (!near(f, src) || (!is_indirect(f, src, addr) && !jumps(src) && !doubtful(src)))
			break;
		if (src.unit->flow == PT_FLOW_EXCEPTION_RETURN) {
			if (free_runs(out) < JUMPS + 4)
				return false;
			return_to(f, src, addr, out);
			return true;
		}
		if (is_indirect(f, src, addr)) {
			indirect_at(f, src, addr, out);
			return true;
		}
		silent_jump(f, src, out);
	}
	if (f->at != NULL)
		lost(f, &from, addr, out);
	begin_at(f, addr);
	return true;
}

/* The next branch always jumps, and went to addr: a direct one has to lead there. */
static void told_to(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);
	struct place src = f->at != NULL ? next_branch(f, reached(f)) : (struct place){ 0 };

	if (f->at != NULL && near(f, src) && src.unit->flow == PT_FLOW_EXCEPTION_RETURN) {
		return_to(f, src, addr, out);
	} else if (f->at != NULL && near(f, src) && is_indirect(f, src, addr)) {
		indirect_at(f, src, addr, out);
	} else if (f->at != NULL && near(f, src) && jumps(src) && pt_codemap_target(f->map, src.addr) == addr) {
		silent_jump(f, src, out);
	} else {
		if (f->at != NULL)
			lost(f, &from, addr, out);
		begin_at(f, addr);
	}
}

/* ---- taken branches by where they are */

/* The conditional branch at addr was taken; those on the way to it were not. */
static void taken_at(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);
	struct place p = locate(f, addr);

	for (unsigned followed = 0; f->at != NULL && followed <= JUMPS; followed++) {
		struct place src = next_branch_or(f, reached(f), addr);

		if (src.addr == addr && near(f, src)) {
			silent_jump(f, src, out);
			return;
		}
		if (!near(f, src) || (!jumps(src) && !doubtful(src)))
			break;
		silent_jump(f, src, out);
	}
	if (f->at != NULL)
		lost(f, &from, addr, out);
	if (p.unit != NULL && p.unit->flow == PT_FLOW_BRANCH_IF) {	/* that instruction ran, at least */
		hold(f, p);
		silent_jump(f, p, out);
	}
}

/* ---- every instruction */

static bool is_entry(struct place p)	/* of an exception's handler */
{
	return p.unit != NULL && p.unit->len_units > 0 && !p.unit->plain;
}

/* What an exception interrupted behind p goes on at the target of p, if p always jumps, else behind p: of a branch that
 * may or may not have been taken nobody knows. */
static void interrupted(struct pt_flow *f, struct place p, struct place to, struct pt_run_batch *out)
{
	if (jumps(p))
		silent_jump(f, p, out);
	else if (f->at != NULL)
		f->reached_bytes = (uint32_t)(behind(f, p).addr - f->begin);
	if (f->at == NULL)
		hold(f, to);
	else
		enter(f, PT_UNKNOWN, to.addr, out);
}

/* A step into a handler: an exception was entered instead of the instruction at p, if that is not what raised it. */
static void stepped_into(struct pt_flow *f, struct place p, struct place to, struct pt_run_batch *out)
{
	if (p.unit->flow == PT_FLOW_TRAP)
		interrupted(f, p, to, out);
	else
		enter(f, PT_UNKNOWN, to.addr, out);
	if (out->n_runs > 0)
		out->run[out->n_runs - 1].assumed = 0;
}

/* The walk stands at the instruction that was told of last: it ran, and the one at addr ran next. stepped: that one has
 * not run yet, and what ran before may not have been told one by one. */
static void executed(struct pt_flow *f, uint64_t addr, bool stepped, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);
	struct place p = f->at != NULL ? reached(f) : (struct place){ 0 }, to = locate(f, addr);
	bool passes_on, leads, entered;

	if (p.unit != NULL && addr > p.addr && addr < behind(f, p).addr)
		return;		/* the rest of it, where one instruction of the map is
				 * several (a prefix, a delay slot) */
	if (p.unit == NULL || to.unit == NULL) {
		if (p.unit != NULL)
			lost(f, &from, addr, out);
		begin_at(f, addr);
		return;
	}
	passes_on = p.unit->flow == PT_FLOW_NEXT || p.unit->flow == PT_FLOW_BRANCH_IF;
	leads = left_by(p.unit) != 0 && (indirect(p.unit) || pt_codemap_target(f->map, p.addr) == addr);
	/* Nobody jumps to a handler by address, or returns to its first instruction but from an exception there. */
	entered = stepped && is_entry(to) && !(leads && !indirect(p.unit)) &&
		  (f->n_interrupted == 0 || f->interrupted[f->n_interrupted - 1] != addr);
	if (passes_on && behind(f, p).addr == addr && near(f, to)) {
		f->reached_bytes = (uint32_t)(addr - f->begin);
	} else if (entered) {
		stepped_into(f, p, to, out);
	} else if (p.unit->flow == PT_FLOW_EXCEPTION_RETURN && stepped) {
		return_to(f, p, addr, out);
	} else if (p.unit->flow == PT_FLOW_EXCEPTION_RETURN) {
		f->n_interrupted -= f->n_interrupted > 0;
		leave_by(f, p, to, PT_LEFT_EXCEPTION_RETURN, f->settings.exception_return_cycles, out);
	} else if (leads) {
		leave_by(f, p, to, left_by(p.unit), 0, out);
	} else if (is_entry(to)) {
		interrupted(f, p, to, out);
	} else {
		lost(f, &from, addr, out);
		begin_at(f, addr);
	}
}

/* ---- where the core was stopped and started, if all that was taken in between was told of */

/* Held there, after one step, or after all that was told of: what ran since is straight, but for silent jumps. A
 * format of atoms may have some that it never wrote, so that a core that is held elsewhere contradicts nothing. */
static void stop(struct pt_flow *f, uint64_t to, bool stepped, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);

	if (to == PT_UNKNOWN) {
		end_stretch(f, out);
		return;
	}
	if (f->at != NULL && stepped)
		executed(f, to, true, out);
	else if (f->at != NULL)
		advance(f, to, out);
	if (f->at != NULL && reached(f).addr != to && f->taken_only)
		lost(f, &from, to, out);
	else if (f->at != NULL && reached(f).addr != to)
		end_stretch(f, out);
	if (f->at == NULL)
		begin_at(f, to);
	else if (f->begin != to)
		leave(f, reached(f), reached(f), PT_LEFT_DEBUG, 0, out);
	f->stopped = f->at != NULL;
}

static void start(struct pt_flow *f, uint64_t to, bool stopped, struct pt_run_batch *out)
{
	if (f->at != NULL && stopped && f->begin == to)
		return;		/* it goes on where it stopped */
	end_stretch(f, out);
	begin_at(f, to);
}

/* ---- all of them */

static void branch(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	f->taken_only = e->branch.from != PT_UNKNOWN || e->cause == PT_BY_EXCEPTION;
	if (e->cause == PT_BY_EXCEPTION)
		enter(f, PT_UNKNOWN, e->branch.to, out);
	else if (e->branch.from == PT_UNKNOWN)
		told_to(f, e->branch.to, out);
	else
		taken_at(f, e->branch.from, out);
}

bool pt_flow_silent(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	bool stopped = f->stopped;

	if (f->at != NULL && f->span->way == NULL)	/* the code map was not made for this */
		end_stretch(f, out);
	f->taken_only = e->cause == PT_ATOMS_TAKEN;
	f->stopped = false;
	switch ((enum pt_event_kind)e->kind) {
	case PT_EV_START:
		start(f, e->branch.to, stopped, out);
		return true;
	case PT_EV_BRANCH:
		branch(f, e, out);
		return true;
	case PT_EV_EXECUTED:
		executed(f, e->branch.to, false, out);
		return true;
	case PT_EV_ATOMS:
		return atoms(f, e, out);
	case PT_EV_INDIRECT:
		return indirect_to(f, e->branch.to, out);
	case PT_EV_VECTOR:
		enter(f, e->value.at, handler_of(f, e->value.at), out);
		return true;
	default:		/* STOP */
		stop(f, e->branch.to, e->n == 1, out);
		return true;
	}
}
