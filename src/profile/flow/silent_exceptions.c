/* Exceptions, which are told of by number, and not where they were taken: put where the walk stands. Where one returned
 * to says whose stack goes on. */
#include "profile/flow/silent_parts.h"

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
void pt_silent_advance(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
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

	for (unsigned i = f->n_interrupted; i-- > 0;)
		if (f->interrupted[i] != PT_UNKNOWN && passes(f, locate(f, f->interrupted[i]), addr, &n_jumps)) {
			f->n_interrupted = i;
			return f->interrupted[i];
		}
	if (f->n_interrupted > 0)
		park(f, f->interrupted[--f->n_interrupted]);
	for (unsigned i = f->n_parked; i-- > 0;)
		if (passes(f, locate(f, f->parked[i]), addr, &n_jumps))
			return unpark(f, i);
	return PT_UNKNOWN;
}

/* The exception return at src went to addr. */
void pt_silent_return_to(struct pt_flow *f, struct place src, uint64_t addr, struct pt_run_batch *out)
{
	bool nested = f->n_interrupted > 0;
	uint64_t resume = interrupted_at(f, addr);
	struct place next = resume != PT_UNKNOWN ? locate(f, resume) : destination(f, src.addr, addr);

	leave_by(f, src, next, PT_LEFT_EXCEPTION_RETURN, f->settings.exception_return_cycles, out);
	out->run[out->n_runs - 1].assumed = nested && resume != addr;
	if (f->at != NULL && resume != PT_UNKNOWN)
		pt_silent_advance(f, addr, out);
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

uint64_t pt_silent_handler_of(const struct pt_flow *f, uint64_t exception)
{
	if (f->map->program == NULL || exception >= f->map->isa->n_vectors)
		return PT_UNKNOWN;
	if (f->vectors != PT_UNKNOWN)
		return pt_program_vector_in(f->map->program, f->vectors, (unsigned)exception);
	return pt_program_vector(f->map->program, (unsigned)exception);
}

/* exception: PT_UNKNOWN where the handler is all that was told. */
void pt_silent_enter(struct pt_flow *f, uint64_t exception, uint64_t to, struct pt_run_batch *out)
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
