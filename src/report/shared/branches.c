#include "report/shared/branches.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "profile/analyses/calls/history.h"
#include "profile/result/profile.h"
#include "profile/flow/run.h"
#include "report/table/names.h"

/* Time in one function without a call, a return or an exception: one or more runs. */
struct visit {
	uint64_t last;		/* the last instruction before the visit ended */
	uint64_t instructions;
	int depth;		/* depth of calls: 0 at the begin of the history, and may become negative */
	uint16_t function;
	bool exception;		/* an exception entered it */
	bool gap;		/* it is unknown what ran before */
};

struct visits { struct visit *at; size_t n; };

/* --- runs to visits ----------------------------------------------------------------------------------------------- */

static uint16_t function_at(const struct pt_codemap *map, uint64_t addr)
{
	const struct pt_code_unit *unit = pt_codemap_at(map, addr);

	return unit != NULL ? unit->function : PT_NO_FUNCTION;
}

static uint64_t instructions_of(const struct pt_codemap *map, uint64_t begin, uint64_t last)
{
	const struct pt_code_unit *from = pt_codemap_at(map, begin), *to = pt_codemap_at(map, last);

	return from != NULL && to != NULL ? pt_sum_instructions(to->sums - from->sums) + 1 : 0;
}

static int deeper_by(uint8_t left)
{
	switch ((enum pt_left)left) {
	case PT_LEFT_CALL:
	case PT_LEFT_EXCEPTION:
		return 1;
	case PT_LEFT_RETURN:
	case PT_LEFT_EXCEPTION_RETURN:
		return -1;
	default:
		return 0;
	}
}

/* Makes visits of runs. Jumps inside a function, and stops of a debugger, do not end a visit; an empty run does not
 * begin one. */
static struct visits visits_of(const struct pt_history *h)
{
	struct visits v = { pt_alloc_array(h->n + 1, sizeof(*v.at)), 0 };
	struct visit next = { .depth = 0, .gap = true };
	bool fresh = true;

	for (size_t i = 0; i < h->n; i++) {
		const struct pt_history_run *run = pt_history_at(h, i);
		uint16_t function = function_at(h->map, run->begin);

		if (run->end > run->begin) {
			if (fresh || v.at[v.n - 1].function != function) {
				next.function = function;
				v.at[v.n++] = next;
			}
			v.at[v.n - 1].last = pt_history_last(h->map, run->begin, run->end);
			v.at[v.n - 1].instructions += instructions_of(h->map, run->begin, v.at[v.n - 1].last);
			next.gap = next.exception = fresh = false;
		}
		next.depth += deeper_by(run->left);
		next.exception |= run->left == PT_LEFT_EXCEPTION || run->left == PT_LEFT_TAIL_CHAIN;
		next.gap |= run->left == PT_LEFT_GAP;
		fresh |= deeper_by(run->left) != 0 || next.exception || next.gap;
	}
	if (h->n > 0 && fresh && !next.gap) {	/* the last function, in which nothing has run yet */
		next.last = pt_history_at(h, h->n - 1)->next;
		next.function = function_at(h->map, next.last);
		v.at[v.n++] = next;
	}
	return v;
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static void write_calls(const struct pt_profile *profile, const struct visits *v, size_t top, struct pt_text *out)
{
	size_t first = top > 0 && v->n > top ? v->n - top : 0;
	int outermost = 0;

	for (size_t i = first; i < v->n; i++)
		if (i == first || v->at[i].depth < outermost)
			outermost = v->at[i].depth;
	pt_text_add(out,
		    "the last %zu of %zu visits to functions, with their instructions (! entered by an exception)\n",
		    v->n - first, v->n);
	for (size_t i = first; i < v->n; i++) {
		const struct visit *visit = &v->at[i];

		if (visit->gap && i > 0)
			pt_text_add(out, "... not known\n");
		pt_text_add(out, "%*s%s%s  %" PRIu64 "\n", 2 * (visit->depth - outermost), "",
			    visit->exception ? "! " : "", pt_name_of_function(profile, visit->function),
			    visit->instructions);
	}
}

/* --- back --------------------------------------------------------------------------------------------------------- */

static void write_frame(const struct pt_profile *profile, const struct visit *visit, size_t number, const char *how,
			struct pt_text *out)
{
	pt_text_add(out, "#%-3zu %s  %s 0x%08" PRIx64 "\n", number, pt_name_of_function(profile, visit->function), how,
		    visit->last);
}

/* Goes back in time: a function is still active if its depth is less than that of all later visits. */
static void write_back(const struct pt_profile *profile, const struct visits *v, size_t top, struct pt_text *out)
{
	size_t n = 0, i = v->n;
	bool exception = false;
	int depth = 0;

	for (; i-- > 0 && (top == 0 || n < top);) {
		if (n == 0 || v->at[i].depth < depth) {
			write_frame(profile, &v->at[i], n,
				    n == 0	? "last at"
				    : exception ? "interrupted behind"
						: "called at",
				    out);
			depth = v->at[i].depth;
			exception = v->at[i].exception;
			n++;
		} else if (v->at[i].depth == depth) {
			exception = v->at[i].exception; /* the earliest visit at this depth: how the function was
							 * entered */
		}
		if (v->at[i].gap)
			break;
	}
	pt_text_add(out, "(the history begins here)\n");
}

int pt_branches_write(const struct pt_profile *profile, enum pt_branches how, uint16_t core, size_t top,
		      struct pt_text *out, struct pt_err *err)
{
	const struct pt_history *history = pt_history_of(profile->history, profile->n_histories, core);
	struct visits v;

	if (profile->history == NULL)
		return pt_fail(err, PT_ESTATE, "%s", PT_BRANCHES_NONE);
	if (history == NULL)
		return pt_fail(err, PT_ESTATE, "what core %u executed is not traced: there is no branch history of it",
			       core);
	v = visits_of(history);
	if (v.n == 0)
		pt_text_add(out, "nothing ran since the branch history was begun\n");
	else if (how == PT_BRANCHES_CALLS)
		write_calls(profile, &v, top, out);
	else
		write_back(profile, &v, top, out);
	free(v.at);
	return 0;
}
