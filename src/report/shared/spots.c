#include "report/shared/spots.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/analyses/code/lines.h"
#include "profile/result/profile.h"

static uint64_t ticks_of(const struct pt_profile *p, const struct pt_lines_insn *insn)
{
	return p->by_instructions ? insn->count : insn->cycles;
}

static int by_function(const void *a, const void *b)
{
	const struct pt_lines_insn *x = *(const struct pt_lines_insn *const *)a,
				   *y = *(const struct pt_lines_insn *const *)b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Whether the code at address belongs to another line than the spot before. */
static bool begins_spot(const struct pt_profile *p, const struct pt_spot *before, uint64_t address)
{
	const struct pt_line_range *range = p->program != NULL ? pt_program_line_at(p->program, address) : NULL;

	return range == NULL || before->address < range->from;
}

static void fill(struct pt_spots *spots, const struct pt_profile *p, const struct pt_lines_insn **insn)
{
	size_t n = 0, id = 0;

	for (size_t i = 0; i < p->lines->n_insns; i++) {
		bool other = i == 0 || insn[i]->function != insn[i - 1]->function;

		for (; id <= insn[i]->function; id++)
			spots->first[id] = n;
		if (other || begins_spot(p, &spots->spot[n - 1], insn[i]->address))
			spots->spot[n++] = (struct pt_spot){ .address = insn[i]->address };
		spots->spot[n - 1].ticks += ticks_of(p, insn[i]);
	}
	for (; id <= spots->n_ids; id++)
		spots->first[id] = n;
}

void pt_spots_make(struct pt_spots *spots, const struct pt_profile *p)
{
	size_t n = p->lines != NULL ? p->lines->n_insns : 0;
	const struct pt_lines_insn **insn = pt_alloc_array(n + 1, sizeof(*insn));

	*spots = (struct pt_spots){ .n_ids = UINT16_MAX + 1 };
	spots->spot = pt_alloc_array(n + 1, sizeof(*spots->spot));
	spots->first = pt_alloc_array(spots->n_ids + 1, sizeof(*spots->first));
	for (size_t i = 0; i < n; i++)
		insn[i] = &p->lines->insn[i];
	qsort(insn, n, sizeof(*insn), by_function);
	if (n > 0)
		fill(spots, p, insn);
	free(insn);
}

void pt_spots_free(struct pt_spots *spots)
{
	free(spots->spot);
	free(spots->first);
	*spots = (struct pt_spots){ 0 };
}

const struct pt_spot *pt_spots_of(const struct pt_spots *spots, uint16_t id, size_t *n)
{
	*n = spots->first[id + 1u] - spots->first[id];
	return spots->spot + spots->first[id];
}

bool pt_spots_spread(const struct pt_spots *spots, uint16_t id, uint64_t ticks,
		     void (*part)(void *arg, uint64_t address, uint64_t ticks), void *arg)
{
	uint64_t all = 0, done = 0, given = 0;
	const struct pt_spot *spot;
	size_t n;

	spot = pt_spots_of(spots, id, &n);
	for (size_t i = 0; i < n; i++)
		all += spot[i].ticks;
	for (size_t i = 0; i < n && all > 0; i++) {
		uint64_t upto;

		done += spot[i].ticks;
		upto = (uint64_t)((unsigned __int128)ticks * done / all);
		part(arg, spot[i].address, upto - given);
		given = upto;
	}
	return all > 0;
}
