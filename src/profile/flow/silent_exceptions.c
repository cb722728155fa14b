/* Exceptions, which are reported by number, and not where they were taken: put where the walk is. Where one returned
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

static void park(struct pt_flow *f, uint64_t addr, struct pt_flow_owed owed)
{
	if (addr == PT_UNKNOWN)
		return;
	if (f->n_parked == PT_FLOW_PARKED) {	/* the one that was left longest ago */
		memmove(f->parked, f->parked + 1, sizeof(f->parked[0]) * --f->n_parked);
		memmove(f->parked_owed, f->parked_owed + 1, sizeof(f->parked_owed[0]) * f->n_parked);
	}
	f->parked_owed[f->n_parked] = owed;
	f->parked[f->n_parked++] = addr;
}

static void unpark(struct pt_flow *f, unsigned i)
{
	unsigned n_behind = --f->n_parked - i;

	memmove(f->parked + i, f->parked + i + 1, sizeof(f->parked[0]) * n_behind);
	memmove(f->parked_owed + i, f->parked_owed + i + 1, sizeof(f->parked_owed[0]) * n_behind);
}

/* Does what was interrupted at place, or where a stamp has put it, on the way from owed.from, go on at addr? Then that is
 * where the walk goes on: at the place, to pass addr, or, where the stamp has put it too far, at addr. PT_UNKNOWN: no. */
static uint64_t goes_on(const struct pt_flow *f, uint64_t place, const struct pt_flow_owed *owed, uint64_t addr)
{
	unsigned n_jumps;

	if (place == PT_UNKNOWN)
		return PT_UNKNOWN;
	if (passes(f, locate(f, place), addr, &n_jumps))
		return place;
	return owed->from != PT_UNKNOWN && passes(f, locate(f, owed->from), addr, &n_jumps) ? addr : PT_UNKNOWN;
}

/* Where what goes on at addr was interrupted; those that were in between are left for good. PT_UNKNOWN: nowhere. owed:
 * out. */
static uint64_t interrupted_at(struct pt_flow *f, uint64_t addr, uint64_t *owed)
{
	uint64_t at;

	*owed = 0;
	for (unsigned i = f->n_interrupted; i-- > 0;) {
		at = goes_on(f, f->interrupted[i], &f->owed[i], addr);
		if (at != PT_UNKNOWN) {
			f->n_interrupted = i;
			*owed = f->owed[i].cycles;
			return at;
		}
	}
	if (f->n_interrupted-- > 0)
		park(f, f->interrupted[f->n_interrupted], f->owed[f->n_interrupted]);
	else
		f->n_interrupted = 0;
	for (unsigned i = f->n_parked; i-- > 0;) {
		at = goes_on(f, f->parked[i], &f->parked_owed[i], addr);
		if (at != PT_UNKNOWN) {
			*owed = f->parked_owed[i].cycles;
			unpark(f, i);
			return at;
		}
	}
	return PT_UNKNOWN;
}

/* What the stamp said beyond the model's time from where it was interrupted to where it goes on: runs from first_run on,
 * and what is held back. */
static void pay(struct pt_flow *f, uint64_t owed, size_t first_run, struct pt_run_batch *out)
{
	uint64_t modelled;

	if (f->at == NULL)
		return;
	modelled = pt_sum_cycles(reached(f).unit->sums - f->at->sums);
	for (size_t i = first_run; i < out->n_runs; i++)
		modelled += out->run[i].cycles;
	if (owed > modelled)
		pt_silent_put_time(f, owed - modelled, out);
}

/* The exception return at src went to addr. */
void pt_silent_return_to(struct pt_flow *f, struct place src, uint64_t addr, struct pt_run_batch *out)
{
	bool nested = f->n_interrupted > 0;
	uint64_t owed, resume = interrupted_at(f, addr, &owed);
	struct place next = resume != PT_UNKNOWN ? locate(f, resume) : destination(f, src.addr, addr);
	size_t first_run;

	leave_by(f, src, next, PT_LEFT_EXCEPTION_RETURN, f->settings.exception_return_cycles, out);
	out->run[out->n_runs - 1].assumed = nested && resume != addr;
	if (f->at == NULL || resume == PT_UNKNOWN)
		return;
	first_run = out->n_runs;
	pt_silent_advance(f, addr, out);
	pay(f, owed, first_run, out);
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
	if (f->n_interrupted == PT_FLOW_NEST) {	/* the outermost is forgotten */
		memmove(f->interrupted, f->interrupted + 1, sizeof(f->interrupted[0]) * --f->n_interrupted);
		memmove(f->owed, f->owed + 1, sizeof(f->owed[0]) * f->n_interrupted);
	}
	if (by_code)
		f->owes.cycles = 0;	/* all of it is in the run */
	f->owed[f->n_interrupted] = f->owes;
	f->interrupted[f->n_interrupted++] = end.addr;
	f->owes = (struct pt_flow_owed){ 0, PT_UNKNOWN };
}
