/* The code walker for formats that report conditional branches, the targets of indirect ones and exceptions by
 * number, but neither jumps and calls to a fixed address nor where an exception was taken: the S12Z's code profiling.
 * Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.6; the rules are numbered as in our notes on it.
 *
 * The walk is behind the last reported branch. With each atom it goes on to the next conditional branch, through the
 * jumps and calls in between (3); without one it does not run ahead (4). So it never passes a place that the core may
 * not have passed. A jump to a fixed operand may have a place in the trace, or not: what comes decides (9).
 *
 * An exception was taken somewhere from where the walk is up to the next reported branch (5). It is put where the
 * walk is, and the walk goes on there when it returns: then what ran adds up, and no instruction counts twice. Where
 * it really returned to must be in that stretch, which is what distinguishes tasks, too: elsewhere it is another
 * task, one that was left, or one that is not known. Then it is known to have got there, so the walk follows.
 *
 * Every jump that is followed is a run of its own, and one event may have many: what does not fit is done when the same
 * event comes again.
 *
 * The parts: silent_atoms.c, silent_branches.c, silent_exceptions.c, silent_steps.c, silent_time.c; here is which of them an event is
 * for, and where a debugger stops and starts the core. */
#include "profile/flow/silent_parts.h"

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
		pt_silent_executed(f, to, true, out);
	else if (f->at != NULL)
		pt_silent_advance(f, to, out);
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
		pt_silent_enter(f, PT_UNKNOWN, e->branch.to, out);
	else if (e->branch.from == PT_UNKNOWN)
		pt_silent_told_to(f, e->branch.to, out);
	else
		pt_silent_taken_at(f, e->branch.from, out);
}

/* What a stamp said holds until the next change of flow, and what it owes an exception for that one. */
static void forget_stamp(struct pt_flow *f, const struct pt_event *e)
{
	f->so_far = 0;
	f->waits = false;
	if (e->kind != PT_EV_VECTOR)
		f->owes.cycles = 0;
}

static bool walk_on(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	bool stopped = f->stopped;

	if (f->at != NULL && f->span->way == NULL)	/* the code map was not made for this */
		end_stretch(f, out);
	forget_stamp(f, e);
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
		pt_silent_executed(f, e->branch.to, false, out);
		return true;
	case PT_EV_ATOMS:
		return pt_silent_atoms(f, e, out);
	case PT_EV_INDIRECT:
		return pt_silent_indirect_to(f, e->branch.to, out);
	case PT_EV_VECTOR:
		pt_silent_enter(f, e->value.at, pt_silent_handler_of(f, e->value.at), out);
		return true;
	default:		/* STOP */
		stop(f, e->branch.to, e->n == 1, out);
		return true;
	}
}

/* Whether the event ends a line of the trace that stamps may count from. */
static bool ends_line(const struct pt_event *e)
{
	enum { MOST_ATOMS = 31 };	/* in a line */

	return e->kind != PT_EV_ATOMS || e->n == MOST_ATOMS;
}

bool pt_flow_silent(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	size_t n_runs = out->n_runs;
	bool done;

	if (e->kind == PT_EV_SINCE) {
		if (f->stamps != PT_STAMPS_OTHER)
			pt_silent_since(f, e, out);
		return true;
	}
	done = walk_on(f, e, out);
	if (f->stamps == PT_STAMPS_FROM_LINE) {
		pt_silent_line_goes_on(f, out, n_runs);
		if (done && ends_line(e))
			pt_silent_line_ends(f);
	}
	return done;
}

void pt_flow_silent_end(struct pt_flow *f, const struct pt_event *event, struct pt_run_batch *out)
{
	bool halted = event != NULL && event->kind == PT_EV_STOP && event->branch.to != PT_UNKNOWN;

	pt_silent_end_is(f, halted, out);
}
