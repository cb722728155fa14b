/* Time by the target's own stamps: how long the core has been where the walk is, in cycles since the last reported
 * branch. The model gives each instruction its share; how much there is to share, the stamp says, so that a loop that
 * reports nothing (rule 7) takes its time, and a core that waits is asleep. From where the walk is to the next
 * reported branch there is one way on, over the jumps that are not reported. It
 *   waits      The walk is put behind the instruction that waits; what is left of the time the core slept.
 *   is a loop  It is entered if there was time for it, goes around once, and the rest of the time is shared out to its
 *              instructions. How often it went around is not known.
 *   ends       An exception came on the way, and where to it returns says where: until then the time is owed. Where
 *              nothing returns (the session ends), the time goes to the instructions on the way, one by one.
 * Source: S12ZVHY/S12ZVHL Reference Manual Rev. 1.05, 6.4.6.3: the stamps of PTVB and PTW, and TSOVF. */
#include "profile/flow/silent_parts.h"

struct leg {			/* straight, and on by a jump that tells of nothing */
	struct place from, src;	/* src: the jump; of the last leg of a way that ends the branch that is told of */
	uint32_t cycles;	/* modelled, the jump's included */
};
enum { NO_LOOP = JUMPS + 1, MOST_TIMES = PT_FLOW_EVENT_ROOM - 4 };

struct way_on {
	struct leg leg[JUMPS + 1];
	unsigned n, loop;	/* loop: the leg that the last one leads to */
};

static uint32_t cycles_between(const struct pt_code_unit *from, const struct pt_code_unit *to)
{
	return pt_sum_cycles(to->sums - from->sums);
}

/* A jump that had a place in the trace will have one again. */
static bool tells_nothing(const struct pt_flow *f, struct place src)
{
	return jumps(src) && !(doubtful(src) && f->counts.doubtful_recorded > 0);
}

static void look_ahead(const struct pt_flow *f, struct way_on *way)
{
	struct place p = reached(f);

	way->n = 0;
	way->loop = NO_LOOP;
	while (p.unit != NULL && way->n <= JUMPS) {
		struct leg *leg = &way->leg[way->n];

		*leg = (struct leg){ .from = p, .src = next_branch(f, p) };
		if (leg->src.addr - p.addr >= PT_FLOW_RUN_BYTES)
			return;
		way->n++;
		leg->cycles = cycles_between(p.unit, leg->src.unit);
		if (!tells_nothing(f, leg->src))
			return;
		leg->cycles += leg->src.unit->leave_cycles;
		p = target(f, leg->src);
		for (unsigned k = 0; k < way->n && way->loop == NO_LOOP; k++)
			if (way->leg[k].from.unit == p.unit)
				way->loop = k;
		if (way->loop != NO_LOOP)
			return;
	}
}

static uint64_t sum_of(const struct way_on *way, unsigned first, unsigned end)
{
	uint64_t cycles = 0;

	for (unsigned k = first; k < end; k++)
		cycles += way->leg[k].cycles;
	return cycles;
}

static void go_along(struct pt_flow *f, const struct way_on *way, unsigned first, unsigned end,
		     struct pt_run_batch *out)
{
	for (unsigned k = first; k < end && f->at != NULL; k++)
		silent_jump(f, way->leg[k].src, out);
}

static void put_time(struct pt_flow *f, struct place at, uint64_t cycles, struct pt_run_batch *out)
{
	if (cycles == 0)
		return;
	f->open = true;
	out->run[out->n_runs++] = (struct pt_run){
		.begin = at.addr, .end = at.addr, .next = at.addr, .assumed = 1, .left = PT_LEFT_BRANCH,
		.cycles = cycles < UINT32_MAX ? (uint32_t)cycles : UINT32_MAX,
		.function = at.unit->function, .next_function = at.unit->function,
	};
}

void pt_silent_put_time(struct pt_flow *f, uint64_t cycles, struct pt_run_batch *out)
{
	if (f->at != NULL)
		put_time(f, beginning(f), cycles, out);
}

/* The instructions of some legs, one after the other. */
struct insn_walk {
	const struct way_on *way;
	unsigned leg, end;
	struct place at;
};

static struct insn_walk walk_legs(const struct way_on *way, unsigned first, unsigned end)
{
	struct insn_walk w = { .way = way, .leg = first, .end = end };

	if (first < end)
		w.at = way->leg[first].from;
	return w;
}

/* The next one, and what it costs. False: there are no more. */
static bool next_insn(const struct pt_flow *f, struct insn_walk *w, struct place *insn, uint32_t *cycles)
{
	while (w->leg < w->end) {
		const struct leg *leg = &w->way->leg[w->leg];
		bool is_jump = w->at.unit == leg->src.unit;

		*insn = w->at;
		if (!is_jump && w->at.unit < leg->src.unit && w->at.unit->len_units > 0) {
			w->at = behind(f, w->at);
			*cycles = cycles_between(insn->unit, w->at.unit);
			return true;
		}
		if (++w->leg < w->end)
			w->at = w->way->leg[w->leg].from;
		*cycles = leg->src.unit->leave_cycles;
		if (is_jump && tells_nothing(f, leg->src))
			return true;
	}
	return false;
}

/* In proportion to what they cost, which is `all` together. */
static void share_out(struct pt_flow *f, const struct way_on *way, uint64_t time, struct pt_run_batch *out)
{
	struct insn_walk w = walk_legs(way, way->loop, way->n);
	uint64_t all = sum_of(way, way->loop, way->n), passed = 0, given = 0;
	size_t room = free_runs(out);
	struct place insn, last = way->leg[way->loop].from;
	uint32_t cycles;

	for (size_t n = 0; n + 2 < room && n < MOST_TIMES && next_insn(f, &w, &insn, &cycles); n++) {
		uint64_t part = (uint64_t)((unsigned __int128)time * (passed += cycles) / all) - given;

		put_time(f, last = insn, part, out);
		given += part;
	}
	put_time(f, last, time - given, out);	/* of a very long one */
}

/* One after the other, as far as the time goes: the jumps that there was time for were passed. */
static void spend(struct pt_flow *f, const struct way_on *way, uint64_t time, struct pt_run_batch *out)
{
	struct place insn, last;
	struct insn_walk w;
	uint32_t cycles;
	unsigned k = 0;

	for (; k + 1 < way->n && time >= way->leg[k].cycles && f->at != NULL; k++) {
		silent_jump(f, way->leg[k].src, out);
		time -= way->leg[k].cycles;
	}
	if (f->at == NULL)
		return;
	w = walk_legs(way, k, k + 1);
	last = reached(f);
	for (size_t n = 0, room = free_runs(out); time > 0 && n + 2 < room && next_insn(f, &w, &insn, &cycles); n++) {
		uint64_t part = cycles < time ? cycles : time;

		put_time(f, last = insn, part, out);
		time -= part;
	}
	if (last.unit->len_units > 0)
		put_time(f, last, time, out);
}

/* --- the three kinds of way */

/* The first instruction on the leg that waits; unit NULL: none does. */
static struct place wait_on(const struct pt_flow *f, const struct leg *leg)
{
	for (size_t i = 0; i < f->map->n_waits; i++)
		if (f->map->wait[i] >= leg->from.addr && f->map->wait[i] < leg->src.addr)
			return locate(f, f->map->wait[i]);
	return (struct place){ 0 };
}

static bool sleeps(struct pt_flow *f, const struct way_on *way, uint64_t time, struct pt_run_batch *out)
{
	uint64_t awake = 0;

	for (unsigned k = 0; k < way->n; awake += way->leg[k++].cycles) {
		struct place wait = wait_on(f, &way->leg[k]);

		if (wait.unit == NULL)
			continue;
		wait = behind(f, wait);
		awake += cycles_between(way->leg[k].from.unit, wait.unit);
		if (time < awake)
			return false;
		go_along(f, way, 0, k, out);
		if (f->at == NULL || !near(f, wait))
			return true;
		f->reached_bytes = (uint32_t)(wait.addr - f->begin);
		f->counts.slept_cycles += time - awake;
		f->waits = true;
		return true;
	}
	return false;
}

static bool goes_around(struct pt_flow *f, const struct way_on *way, uint64_t time, struct pt_run_batch *out)
{
	uint64_t before, around;

	if (way->loop == NO_LOOP)
		return false;
	before = sum_of(way, 0, way->loop);
	around = sum_of(way, way->loop, way->n);
	if (around == 0 || time < before + around)
		return false;
	f->counts.loops += time - before - around >= around;
	go_along(f, way, 0, way->n, out);
	share_out(f, way, time - before - around, out);
	return true;
}

/* So long since the walk stands where it does, or since the stamp before. */
static void pass_time(struct pt_flow *f, uint64_t cycles, bool exception, struct pt_run_batch *out)
{
	uint64_t entry = exception ? f->settings.exception_entry_cycles : 0;	/* the handler's */
	uint64_t time = cycles > entry ? cycles - entry : 0;
	struct way_on way;

	if (f->waits) {
		f->counts.slept_cycles += time;
		return;
	}
	f->owes.from = reached(f).addr;
	look_ahead(f, &way);
	if (sleeps(f, &way, time, out) || goes_around(f, &way, time, out))
		return;
	if (exception)
		f->owes.cycles = time;
	else
		spend(f, &way, time, out);
}

/* --- stamps */

/* Modelled cycles of what is held back. */
static uint64_t held_cycles(const struct pt_flow *f)
{
	return f->at != NULL ? cycles_between(f->at, reached(f).unit) : 0;
}

void pt_silent_line_goes_on(struct pt_flow *f, const struct pt_run_batch *out, size_t first_run)
{
	for (size_t i = first_run; i < out->n_runs; i++)
		f->run_cycles += out->run[i].cycles;
}

void pt_silent_line_ends(struct pt_flow *f)
{
	f->line_began = f->run_cycles + held_cycles(f);
}

/* Less what ran since, where stamps count from the line before. */
static uint64_t since_flow(const struct pt_flow *f, const struct pt_event *e)
{
	uint64_t ran = f->run_cycles + held_cycles(f) - f->line_began;

	if (f->stamps != PT_STAMPS_FROM_LINE)
		return e->value.value;
	return ran < e->value.value ? e->value.value - ran : 0;
}

/* A core that a debugger holds does not run, but stamps may count on until the session has ended. What it was at then is
 * in the trace, for how long nobody knows. */
void pt_silent_end_is(struct pt_flow *f, bool halted, struct pt_run_batch *out)
{
	uint64_t passed = f->at_end;

	f->at_end = 0;
	if (!halted && f->at != NULL && f->span->way != NULL && reached(f).unit->len_units > 0)
		pass_time(f, passed, false, out);
}

void pt_silent_since(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	uint64_t since = since_flow(f, e), passed = since > f->so_far ? since - f->so_far : 0;
	bool exception = e->value.at != PT_UNKNOWN;

	f->so_far = e->cause == PT_SINCE_GOES_ON ? since : 0;
	if (!exception)
		f->at_end += passed;
	else if (f->at != NULL && f->span->way != NULL && reached(f).unit->len_units > 0)
		pass_time(f, passed, true, out);
	if (e->cause != PT_SINCE_GOES_ON)
		pt_silent_line_ends(f);
}
