/* Branches that are reported by where they went, or by where they are. */
#include "profile/flow/silent_parts.h"

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

	if (doubtful(src)) /* relative to the pc, which is not verified to be that of
				 * the instruction, not of the next */
		return to == addr || (indirect(src.unit) && to + (behind(f, src).addr - src.addr) == addr);
	return left_by(src.unit) != 0 && indirect(src.unit);
}

bool pt_silent_indirect_to(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);

	for (unsigned followed = 0; f->at != NULL && followed <= JUMPS; followed++) {
		struct place src = next_branch(f, reached(f));

		if (!near(f, src) || (!is_indirect(f, src, addr) && !jumps(src) && !doubtful(src)))
			break;
		if (src.unit->flow == PT_FLOW_EXCEPTION_RETURN) {
			if (free_runs(out) < JUMPS + 4)
				return false;
			pt_silent_return_to(f, src, addr, out);
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
void pt_silent_told_to(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
{
	struct mark from = mark(f, out);
	struct place src = f->at != NULL ? next_branch(f, reached(f)) : (struct place){ 0 };

	if (f->at != NULL && near(f, src) && src.unit->flow == PT_FLOW_EXCEPTION_RETURN) {
		pt_silent_return_to(f, src, addr, out);
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
void pt_silent_taken_at(struct pt_flow *f, uint64_t addr, struct pt_run_batch *out)
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
