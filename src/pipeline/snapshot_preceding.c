/* Finds which samples by halts may belong to another row. The core halts between two instructions: the pc is that of
 * the next instruction, but the time was spent in the one before, which may be in another function or line. So for each
 * sampled address program/code/preceding.h gives the instructions that may come before it: the sampled row may have the
 * sample wrongly, a preceding row may have missed it, and the limits of both include this. Not considered: an
 * instruction that returns from an exception (it is one instruction, counted for what was interrupted), and samples
 * outside of code. */
#include <stdlib.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"

enum kind { FUNCTIONS, LINES, INSTRUCTIONS };

struct row {
	uint64_t of_others, elsewhere;	/* samples, as pt_flat_doubt() has them */
	uint64_t not_by[3];		/* of by[]: samples that it has already */
	uint8_t has;			/* PT_PRECEDED_BY_*: it contains such an instruction */
	size_t listed;			/* last address that it may precede */
};

struct doubts {			/* for one kind of rows */
	const struct pt_pipeline *p;
	struct pt_core_profile *core_profile;
	enum kind kind;
	struct row *row;
	size_t n_rows;
	uint64_t by[3];			/* samples that may belong to any row with such an instruction:
					 * [PT_PRECEDED_BY_*] */
	size_t n_with[3];		/* number of rows that have one */
	/* the sampled address */
	size_t address, own;
	size_t *list, n_listed;		/* the other rows that may come before it */
	uint64_t samples;
	uint8_t marks;			/* pt_preceding_all() */
};

/* 0: the address has no row. */
static size_t row_of(const struct doubts *d, uint64_t address)
{
	bool in_code;

	switch (d->kind) {
	case FUNCTIONS: return pt_codemap_function(d->p->map, address, &in_code);
	case LINES: return pt_places_find(d->core_profile->by_line, pt_snapshot_line_key(d->p, address));
	default: return pt_places_find(d->core_profile->by_insn, address);
	}
}

static void mark_row(void *arg, uint64_t address)
{
	struct doubts *d = arg;
	struct row *row = &d->row[row_of(d, address)];

	d->n_with[d->marks] += (row->has & d->marks) == 0;
	row->has |= d->marks;
}

static void precedes(void *arg, uint64_t address)
{
	struct doubts *d = arg;
	size_t at = row_of(d, address);

	if ((at == d->own && (at != 0 || d->kind == FUNCTIONS)) || d->row[at].listed == d->address)
		return;
	d->row[at].listed = d->address;
	d->list[d->n_listed++] = at;
}

static void take_sampled(struct doubts *d, unsigned besides)
{
	struct row *own = &d->row[d->own];
	bool others = d->n_listed > 0;

	for (size_t i = 0; i < d->n_listed; i++)
		d->row[d->list[i]].elsewhere += d->samples;
	for (unsigned kind = PT_PRECEDED_BY_POINTER; kind <= PT_PRECEDED_BY_RETURN; kind++) {
		size_t n_others = d->n_with[kind] - ((own->has & kind) != 0);

		if ((besides & kind) == 0 || n_others == 0)
			continue;
		d->by[kind] += d->samples;
		own->not_by[kind] += d->samples;
		for (size_t i = 0; i < d->n_listed; i++)
			d->row[d->list[i]].not_by[kind] += d->samples;
		others = true;
	}
	own->of_others += others ? d->samples : 0;
}

static void ask(struct doubts *d, size_t i)
{
	struct pt_place place = pt_places_at(d->core_profile->by_insn, i);
	const struct pt_code_unit *unit = pt_codemap_at(d->p->map, place.address);
	unsigned besides;

	d->address = i + 1;
	d->own = row_of(d, place.address);
	d->samples = place.samples;
	d->n_listed = 0;
	besides = pt_preceding_of(d->core_profile->preceding, place.address, precedes, d);
	if (unit != NULL && unit->len_units > 0 && !unit->plain)	/* exceptions enter it, and that is its own time */
		besides &= ~(unsigned)PT_PRECEDED_BY_POINTER;
	take_sampled(d, besides);
}

static uint64_t more_by(const struct doubts *d, const struct row *row, unsigned kind)
{
	return (row->has & kind) != 0 && d->by[kind] > row->not_by[kind] ? d->by[kind] - row->not_by[kind] : 0;
}

static void doubt(struct doubts *d, struct pt_flat *flat)
{
	size_t n = pt_places_n(d->core_profile->by_insn);
	/* more addresses were sampled than the table holds */
	uint64_t unasked = n < PT_PLACES_MAX ? 0 : pt_flat_samples(pt_places_flat(d->core_profile->by_insn), 0);

	d->row = pt_alloc_array(d->n_rows, sizeof(*d->row));
	d->list = pt_alloc_array(d->n_rows, sizeof(*d->list));
	for (d->marks = PT_PRECEDED_BY_POINTER; d->marks <= PT_PRECEDED_BY_RETURN; d->marks++)
		pt_preceding_all(d->core_profile->preceding, d->marks, mark_row, d);
	for (size_t i = 0; i < n; i++)
		ask(d, i);
	for (size_t i = 0; i < d->n_rows; i++) {
		const struct row *row = &d->row[i];
		uint64_t found = pt_flat_samples(flat, (uint16_t)i), of_others = row->of_others + unasked;
		uint64_t elsewhere = row->elsewhere + more_by(d, row, PT_PRECEDED_BY_POINTER) +
				     more_by(d, row, PT_PRECEDED_BY_RETURN) + unasked;

		pt_flat_doubt(flat, (uint16_t)i, of_others < found ? of_others : found, elsewhere);
	}
	free(d->row);
	free(d->list);
}

static void doubts_of(const struct pt_pipeline *p, struct pt_core_profile *core_profile)
{
	struct pt_places *lines = core_profile->by_line, *insns = core_profile->by_insn;

	doubt(&(struct doubts){ .p = p, .core_profile = core_profile, .kind = FUNCTIONS, .n_rows = p->n_ids },
	      core_profile->flat);
	doubt(&(struct doubts){ .p = p, .core_profile = core_profile, .kind = LINES, .n_rows = pt_places_n(lines) + 1 },
	      pt_places_flat(lines));
	doubt(&(struct doubts){ .p = p,
				.core_profile = core_profile,
				.kind = INSTRUCTIONS,
				.n_rows = pt_places_n(insns) + 1 },
	      pt_places_flat(insns));
}

void pt_snapshot_doubts(struct pt_pipeline *p)
{
	for (size_t i = 0; i < p->n_core_profiles; i++) {
		struct pt_core_profile *core_profile = &p->core_profile[i];

		if (core_profile->samples == NULL || !core_profile->samples->halts_for_samples ||
		    core_profile->by_insn == NULL)
			continue;
		if (core_profile->preceding == NULL)
			core_profile->preceding = pt_preceding_new(p->map);
		if (core_profile->preceding != NULL)
			doubts_of(p, core_profile);
	}
}

struct pt_share pt_snapshot_doubted(const struct pt_core_profile *core_profile, uint64_t address, struct pt_share found)
{
	struct pt_places *insns = core_profile->by_insn;
	uint16_t number = insns != NULL ? pt_places_find(insns, address) : 0;

	return number != 0 ? pt_flat_doubted(pt_places_flat(insns), found, number) : found;
}
