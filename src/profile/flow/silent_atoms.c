/* Conditional branches, bit by bit: the walk goes on to the next one, through the jumps in between. */
#include "profile/flow/silent_parts.h"

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

/* The walk goes on through the branch at src, in other functions' code perhaps. */
static void pass_borders(struct pt_flow *f, struct walk *w, const struct pt_code_unit *src, struct pt_run_batch *out)
{
	struct place end = { f->span, src, w->base + ((uint64_t)(src - w->code) << w->shift) };

	if ((size_t)(src - w->at) <= pt_codemap_reach(w->at))
		return;
	end_walk(f, w);
	pt_flow_pass_borders(f, behind(f, end), false, out);
	w->at = f->at;
}

/* The branch at src was taken, to a place in the same span. False: it leads elsewhere, and nothing was done. */
static bool taken(struct pt_flow *f, struct walk *w, const struct pt_code_unit *src, struct pt_run_batch *out)
{
	const struct pt_code_unit *dst;
	struct pt_run *run;

	if (src->target == PT_FAR_TARGET || src->target == PT_ANY_TARGET)
		return false;
	dst = w->code + ((src->target - 1) >> w->shift);
	if (dst->len_units == 0)
		return false;
	pass_borders(f, w, src, out);
	run = &out->run[out->n_runs];
	*run = (struct pt_run){
		.begin = w->base + ((uint64_t)(w->at - w->code) << w->shift),
		.end = w->base + ((uint64_t)(src - w->code + src->len_units) << w->shift),
		.next = w->base + src->target - 1, .instructions = up_to(w->at, src),
		.cycles = pt_sum_cycles(src->sums - w->at->sums) + src->leave_cycles, .function = w->at->function,
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
	const uint64_t n_bytes = f->span->end - f->span->base;
	const struct pt_code_unit *const code = w->code, *at = w->at;
	struct pt_run *run = &out->run[out->n_runs];
	size_t here = w->here;

	while (n > 0 && run < &out->run[PT_BATCH_RUNS - 1]) {
		size_t branch = here + (w->way[here] & PT_WAY), to;
		const struct pt_code_unit *src = &code[branch], *dst;
		uint64_t sums = src->sums - at->sums;
		bool taken;

		if (src->flow != PT_FLOW_BRANCH_IF || src->target - UINT64_C(1) >= n_bytes ||
		    (size_t)(src - at) > pt_codemap_reach(at))
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
		if (n == 0 || (followed == 0 && free_runs(out) < PT_FLOW_ROOM))	/* what one atom may need */
			break;
		at = w.here + (w.way[w.here] & PT_WAY);
		src = &w.code[at];
		conditional = src->flow == PT_FLOW_BRANCH_IF;
		is_doubtful = w.way[at] == PT_WAY_DOUBTFUL;

		if (followed == 0 && !conditional) {
			end_walk(f, &w);
			last = mark(f, out);
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

bool pt_silent_atoms(struct pt_flow *f, const struct pt_event *e, struct pt_run_batch *out)
{
	unsigned n = e->n <= 64 ? e->n : 64;

	if (f->bits_left > 0 && f->bits_left < n)
		n = f->bits_left;
	f->bits_left = f->at != NULL && f->span->way != NULL ? follow_atoms(f, e->atoms.bits, n, out) : 0;
	return f->bits_left == 0;
}
