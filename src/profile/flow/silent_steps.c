/* Every instruction that was executed, one after the other, or the steps of a debugger. */
#include "profile/flow/silent_parts.h"

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
		pt_silent_enter(f, PT_UNKNOWN, to.addr, out);
}

/* A step into a handler: an exception was entered instead of the instruction at p, if that is not what raised it. */
static void stepped_into(struct pt_flow *f, struct place p, struct place to, struct pt_run_batch *out)
{
	if (p.unit->flow == PT_FLOW_TRAP)
		interrupted(f, p, to, out);
	else
		pt_silent_enter(f, PT_UNKNOWN, to.addr, out);
	if (out->n_runs > 0)
		out->run[out->n_runs - 1].assumed = 0;
}

/* The walk stands at the instruction that was told of last: it ran, and the one at addr ran next. stepped: that one has
 * not run yet, and what ran before may not have been told one by one. */
void pt_silent_executed(struct pt_flow *f, uint64_t addr, bool stepped, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);
	struct place p = f->at != NULL ? reached(f) : (struct place){ 0 }, to = locate(f, addr);
	bool passes_on, leads, entered;

	if (p.unit != NULL && addr > p.addr && addr < behind(f, p).addr)
		return; /* the rest of it, where one instruction of the map is
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
		pt_silent_return_to(f, p, addr, out);
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
