/* The code walker, event by event: every kind, every doubt. Nearly all events of a branch format are plain branches
 * between two places of one span of code; those follow.c takes at the head of each batch. */
#include "profile/flow/flow_parts.h"
#include "profile/flow/follow.h"

struct pt_flow_settings pt_flow_standards(const struct pt_isa *isa)
{
	return (struct pt_flow_settings){
		.histograms = true,
		.exception_entry_cycles = isa->exception_entry_cycles,
		.sampled_entry_cycles = isa->timing != NULL ? isa->exception_entry_cycles : isa->unmodelled_entry_cycles,
		.exception_return_cycles = isa->exception_return_cycles,
		.tail_chain_cycles = isa->tail_chain_cycles,
	};
}

void pt_flow_init(struct pt_flow *flow, const struct pt_codemap *map, const struct pt_flow_settings *settings)
{
	memset(flow, 0, sizeof(*flow));
	flow->map = map;
	flow->settings = *settings;
	flow->begin = flow->vectors = PT_UNKNOWN;
	flow->counts.bad_from = flow->counts.bad_to = PT_UNKNOWN;
}

/* ---- places */

/* Can the instruction at p have been reached by running straight from where the run began? */
static bool straight(const struct pt_flow *f, struct place p)
{
	return near(f, p) && pt_sum_breaks(p.unit->sums - f->at->sums) == 0;
}

/* Does an instruction end at p that raises an exception, with the rest before it straight? */
static bool behind_trap(const struct pt_flow *f, struct place p)
{
	if (!near(f, p) || pt_sum_breaks(p.unit->sums - f->at->sums) != 1)
		return false;
	for (ptrdiff_t back = 1; back < 16 && back <= p.unit - f->at; back++)
		if (p.unit[-back].len_units == back)
			return p.unit[-back].flow == PT_FLOW_TRAP;
	return false;
}

/* Can the run have ended before the instruction at p? */
static bool ends_before(const struct pt_flow *f, struct place p)
{
	return (straight(f, p) && p.unit->len_units > 0) || behind_trap(f, p);
}

/* Can the instruction at p, when it branches, go to `to`? */
static bool leads_to(const struct pt_flow *f, struct place p, uint64_t to)
{
	return left_by(p.unit) != 0 && (indirect(p.unit) || pt_codemap_target(f->map, p.addr) == to);
}

/* ---- branches */

/* The run goes on through a packet that leads to the next instruction: the hardware may make one for any. */
static bool falls_through(const struct pt_flow *f, struct place src, uint64_t to)
{
	bool passes = src.unit->flow == PT_FLOW_NEXT || src.unit->flow == PT_FLOW_BRANCH_IF;

	return passes && behind(f, src).addr == to && !leads_to(f, src, to);
}

/* What ran before the branching instruction at src is known, or is made known: at least that instruction ran. False:
 * no instruction that can have been there. */
static bool reach(struct pt_flow *f, struct place src, uint64_t from, uint64_t to, struct pt_run_batch *out)
{
	if (f->at != NULL && straight(f, src))
		return true;
	if (f->at != NULL)
		bad(f, from, to, out);
	if (src.unit != NULL)
		hold(f, src);
	return src.unit != NULL;
}

static bool is_handler(const struct pt_flow *f, uint64_t addr)
{
	struct place p = locate(f, addr);

	return p.unit != NULL && !p.unit->plain;
}

/* Straight into the next handler? The stack of interrupted places says so where it is known, else the vector table. */
static bool tail_chained(const struct pt_flow *f, enum pt_by by, uint64_t to)
{
	if (by == PT_BY_TAIL_CHAIN)
		return true;
	if (f->n_interrupted > 0 && f->interrupted[f->n_interrupted - 1] == to)
		return false;
	return is_handler(f, to);
}

/* A single packet from the returning instruction to the next handler is a shape of tail-chaining too: nobody calls from
 * just before a handler, and who jumps to one does it outside any. */
static bool tail_chained_at_once(const struct pt_flow *f, struct place src, uint64_t to)
{
	return is_handler(f, to) &&
	       (src.unit->flow == PT_FLOW_RETURN || (src.unit->flow == PT_FLOW_INDIRECT && f->n_interrupted > 0));
}

static void by_instruction(struct pt_flow *f, uint64_t from, uint64_t to, struct pt_run_batch *out)
{
	struct place src = locate(f, from);

	if (!reach(f, src, from, to, out)) {
		begin_at(f, to);	/* out of code that nobody described, say a boot ROM */
	} else if (tail_chained_at_once(f, src, to)) {
		leave_by(f, src, locate(f, to), PT_LEFT_TAIL_CHAIN, f->settings.tail_chain_cycles, out);
	} else if (leads_to(f, src, to)) {
		leave_by(f, src, destination(f, from, to), left_by(src.unit), 0, out);
	} else if (!falls_through(f, src, to)) {
		bad(f, from, to, out);
	}
}

/* An exception was taken before the instruction at from. */
static void by_exception(struct pt_flow *f, uint64_t from, uint64_t to, struct pt_run_batch *out)
{
	struct place end = entry_of(f, from);
	struct place dst;

	if (from == to)
		return;		/* no exception: stopped and resumed where it stood */
	if (f->at != NULL && !ends_before(f, end))
		bad(f, from, to, out);
	if (f->at == NULL && end.unit != NULL && end.unit->len_units > 0)
		hold(f, end);
	if (f->at == NULL) {
		begin_at(f, to);
		return;
	}
	dst = destination(f, from, to);
	leave(f, end, dst, PT_LEFT_EXCEPTION, f->settings.exception_entry_cycles, out);
	if (dst.unit != NULL)
		interrupt(f, from);
}

static bool can_return(struct place p)
{
	return p.unit != NULL && (p.unit->flow == PT_FLOW_RETURN || p.unit->flow == PT_FLOW_INDIRECT);
}

static void by_exception_return(struct pt_flow *f, enum pt_by by, uint64_t from, uint64_t to, struct pt_run_batch *out)
{
	struct place src = locate(f, from);
	bool chained = tail_chained(f, by, to);
	unsigned n = f->n_interrupted;

	if (!can_return(src) || !reach(f, src, from, to, out)) {
		if (f->at != NULL)
			bad(f, from, to, out);
		begin_at(f, to);
		return;
	}
	leave_by(f, src, destination(f, from, to), chained ? PT_LEFT_TAIL_CHAIN : PT_LEFT_EXCEPTION_RETURN,
		 chained ? f->settings.tail_chain_cycles : f->settings.exception_return_cycles, out);
	if (!chained && n > 0 && f->n_interrupted == n)
		f->n_interrupted--;
}

/* The debugger moved the pc of the halted core. */
static void by_debug(struct pt_flow *f, uint64_t from, uint64_t to, struct pt_run_batch *out)
{
	struct place end = entry_of(f, from);

	if (f->at != NULL && ends_before(f, end))
		leave(f, end, destination(f, from, to), PT_LEFT_DEBUG, 0, out);
	else if (f->at != NULL)
		bad(f, from, to, out);
	if (f->at == NULL)
		begin_at(f, to);
	f->stopped = f->at != NULL;
}

static void branch(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	uint64_t from = e->branch.from, to = e->branch.to;

	f->stopped = false;
	switch ((enum pt_by)e->cause) {
	case PT_BY_INSTRUCTION:
		by_instruction(f, from, to, out);
		break;
	case PT_BY_EXCEPTION:
		by_exception(f, from, to, out);
		break;
	case PT_BY_EXCEPTION_RETURN:
	case PT_BY_TAIL_CHAIN:
		by_exception_return(f, (enum pt_by)e->cause, from, to, out);
		break;
	case PT_BY_DEBUG:
		by_debug(f, from, to, out);
		break;
	case PT_BY_HALT:
		break;
	}
}

/* ---- where the core was stopped and started */

static void start(struct pt_flow *f, uint64_t to, struct pt_run_batch *out)
{
	if (f->at != NULL && f->begin == to && (f->stopped || !f->open))
		f->stopped = false;	/* it goes on where it stopped */
	else if (f->at != NULL && f->stopped && f->open && locate(f, to).unit != NULL)
		leave(f, beginning(f), locate(f, to), PT_LEFT_DEBUG, 0, out);
	else {
		end_stretch(f, out);
		begin_at(f, to);
	}
}

static void stop(struct pt_flow *f, uint64_t to, struct pt_run_batch *out)
{
	struct place end = entry_of(f, to);

	if (to == PT_UNKNOWN) {
		end_stretch(f, out);
		return;
	}
	if (f->at != NULL && !ends_before(f, end))
		bad(f, f->begin, to, out);
	if (f->at == NULL)
		begin_at(f, to);
	else if (to != f->begin)
		leave(f, end, locate(f, to), PT_LEFT_DEBUG, 0, out);
	f->stopped = f->at != NULL;
}

static bool is_wait(const struct pt_flow *f, uint64_t addr)
{
	size_t i = 0;

	while (i < f->map->n_waits && f->map->wait[i] != addr)
		i++;
	return i < f->map->n_waits;
}

/* It was found asleep, and no branch was missed: it went straight on to the wait. Of two waits it may be at either, as
 * what ends a wait with interrupts masked leaves no branch: then it is not known. */
static void stop_asleep(struct pt_flow *f, struct pt_run_batch *out)
{
	uint64_t behind_wait = PT_UNKNOWN;
	struct place p;

	if (f->at == NULL)
		return;
	p = entry_of(f, f->begin + f->reached_bytes);
	while (near(f, p) && p.unit->flow == PT_FLOW_NEXT) {
		bool waits = is_wait(f, p.addr);

		p = behind(f, p);
		if (waits && behind_wait != PT_UNKNOWN)
			return;
		behind_wait = waits ? p.addr : behind_wait;
	}
	if (behind_wait != PT_UNKNOWN)
		stop(f, behind_wait, out);
}

/* ---- atoms */

/* The next instruction that can branch, from where the run has been followed to. unit NULL: no such. */
static struct place waypoint(const struct pt_flow *f)
{
	struct place p = entry_of(f, f->begin + f->reached_bytes);

	while (near(f, p) && p.unit->flow == PT_FLOW_NEXT)
		p = behind(f, p);
	if (!near(f, p) || left_by(p.unit) == 0)
		p.unit = NULL;
	return p;
}

/* One direct branch, taken or not. False: the code has none there. */
static bool atom(struct pt_flow *f, bool taken, struct pt_run_batch *out)
{
	struct place p = waypoint(f);

	if (p.unit == NULL || indirect(p.unit) || (!taken && p.unit->flow != PT_FLOW_BRANCH_IF))
		return false;
	if (taken) {
		uint64_t to = pt_codemap_target(f->map, p.addr);

		leave_by(f, p, destination(f, p.addr, to), left_by(p.unit), 0, out);
		return f->at != NULL;
	}
	f->reached_bytes = (uint32_t)(behind(f, p).addr - f->begin);
	return true;
}

static void atoms(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	unsigned n = e->n <= 64 ? e->n : 64;

	while (f->at != NULL && n-- > 0)
		if (!atom(f, (e->atoms.bits >> n & 1) != 0, out) && f->at != NULL)
			bad(f, f->begin, PT_UNKNOWN, out);
}

static void indirect_to(struct pt_flow *f, uint64_t to, struct pt_run_batch *out)
{
	struct place p = { 0 };

	if (f->at != NULL)
		p = waypoint(f);
	if (p.unit != NULL && indirect(p.unit)) {
		leave_by(f, p, destination(f, p.addr, to), left_by(p.unit), 0, out);
	} else {
		if (f->at != NULL)
			bad(f, f->begin, to, out);
		begin_at(f, to);
	}
}

/* An exception by number. Without a return address it is taken to have come at the last place known to be reached. */
static void vector(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	uint64_t to = PT_UNKNOWN, from = e->value.value;
	bool certain = from != PT_UNKNOWN;
	size_t n = out->n_runs;

	if (f->map->program != NULL && e->value.at <= UINT16_MAX)
		to = pt_program_vector(f->map->program, (unsigned)e->value.at);
	if (!certain && f->at != NULL)
		from = f->begin + f->reached_bytes;
	if (to == PT_UNKNOWN || from == to)
		end_stretch(f, out);
	else
		by_exception(f, from, to, out);
	if (out->n_runs > n && !certain)
		out->run[out->n_runs - 1].assumed = 1;
}

/* ---- all events */

static void gap(struct pt_flow *f, enum pt_gap cause, struct pt_run_batch *out)
{
	f->counts.restarts += cause == PT_GAP_RESTART;
	f->counts.damaged += cause == PT_GAP_DAMAGED;
	f->counts.lost += cause == PT_GAP_LOSS;
	f->counts.overflows += cause == PT_GAP_OVERFLOW;
	end_stretch(f, out);
}

static void one(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	switch ((enum pt_event_kind)e->kind) {
	case PT_EV_START:
		start(f, e->branch.to, out);
		break;
	case PT_EV_BRANCH:
		branch(f, e, out);
		break;
	case PT_EV_ATOMS:
		atoms(f, e, out);
		break;
	case PT_EV_INDIRECT:
		indirect_to(f, e->branch.to, out);
		break;
	case PT_EV_VECTOR:
		vector(f, e, out);
		break;
	case PT_EV_STOP:
		if (e->cause == PT_ATOMS_ALL && e->n == PT_STOP_ASLEEP) {
			stop_asleep(f, out);
			break;
		}
		stop(f, e->branch.to, out);
		break;
	case PT_EV_GAP:
		gap(f, (enum pt_gap)e->cause, out);
		break;
	default:
		break;
	}
}

/* Does it say what the stamp before was of? Not the one of a session's end: whether the core was halted comes behind
 * it. */
static bool ends_stamp(const struct pt_event *e)
{
	return !(e->kind == PT_EV_SINCE && e->cause == PT_SINCE_EXACTLY && e->value.at == PT_UNKNOWN);
}

/* Is it for flow_silent.c? */
static bool is_silent(const struct pt_event *e)
{
	if (e->kind == PT_EV_BRANCH)
		return (e->cause == PT_BY_INSTRUCTION &&
			(e->branch.to == PT_UNKNOWN) != (e->branch.from == PT_UNKNOWN)) ||
		       (e->cause == PT_BY_EXCEPTION && e->branch.from == PT_UNKNOWN);
	if (e->kind == PT_EV_EXECUTED || e->kind == PT_EV_SINCE)
		return true;
	return e->cause != PT_ATOMS_ALL &&
	       (e->kind == PT_EV_START || (e->kind >= PT_EV_ATOMS && e->kind <= PT_EV_STOP));
}

size_t pt_flow_feed(struct pt_flow *f, const struct pt_event *event, size_t n, struct pt_run_batch *out)
{
	size_t taken = 0;

	while (taken < n && free_runs(out) >= PT_FLOW_ROOM) {
		if (f->at_end > 0 && ends_stamp(&event[taken])) {
			pt_flow_silent_end(f, &event[taken], out);
			continue;
		}
		if (f->at != NULL && !f->stopped) {
			size_t most = n - taken < free_runs(out) ? n - taken : free_runs(out), done;

			done = pt_flow_follow(f, event + taken, most, out->run + out->n_runs);
			out->n_runs += done;
			taken += done;
		}
		if (taken == n || free_runs(out) < PT_FLOW_ROOM)
			break;
		if (!is_silent(&event[taken]))
			one(f, &event[taken++], out);
		else if (pt_flow_silent(f, &event[taken], out))
			taken++;
	}
	return taken;
}

void pt_flow_flush(struct pt_flow *f, struct pt_run_batch *out)
{
	if (f->at_end > 0)
		pt_flow_silent_end(f, NULL, out);
	end_stretch(f, out);
}
