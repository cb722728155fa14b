/* Shares of lines and instructions by pc samples, for cores whose figures come from samples alone. */
#include <stdlib.h>

#include "base/alloc.h"
#include "pipeline/pipeline_parts.h"
#include "program/model/linetable.h"

static void make_room(struct pt_core_profile *core_profile)
{
	if (core_profile->by_line == NULL)
		core_profile->by_line = pt_places_new();
	if (core_profile->by_insn == NULL)
		core_profile->by_insn = pt_places_new();
	if (core_profile->line_of == NULL)
		core_profile->line_of = pt_alloc_array(PT_PLACES_MAX + 1, sizeof(*core_profile->line_of));
}

uint64_t pt_snapshot_line_key(const struct pt_pipeline *p, uint64_t address)
{
	const struct pt_line_range *range = p->program != NULL ? pt_program_line_at(p->program, address) : NULL;

	return range != NULL && range->line != 0 ? ((uint64_t)range->file << 32) + range->line : 0;
}

static uint16_t line_at(struct pt_pipeline *p, struct pt_core_profile *core_profile, uint64_t address)
{
	return pt_places_number(core_profile->by_line, pt_snapshot_line_key(p, address), address);
}

/* The line of an instruction is looked up once: a lookup per sample would take longer than everything else. */
void pt_core_profile_place(struct pt_pipeline *p, struct pt_core_profile *core_profile, uint64_t address, bool in_code)
{
	uint16_t insn, line;

	make_room(core_profile);
	insn = pt_places_number(core_profile->by_insn, in_code ? address : 0, address);
	if (insn == 0)
		line = line_at(p, core_profile, address);
	else if (core_profile->line_of[insn] != 0)
		line = core_profile->line_of[insn] - 1;
	else
		core_profile->line_of[insn] = (line = line_at(p, core_profile, address)) + 1;
	pt_places_sample(core_profile->by_insn, insn);
	pt_places_sample(core_profile->by_line, line);
}

void pt_core_profile_end_batch(struct pt_core_profile *core_profile)
{
	pt_flat_end_batch(core_profile->flat);
	if (core_profile->by_line != NULL)
		pt_places_end_batch(core_profile->by_line);
	if (core_profile->by_insn != NULL)
		pt_places_end_batch(core_profile->by_insn);
}

static int by_key(const void *a, const void *b)
{
	const struct pt_profile_place *x = a, *y = b;

	if (x->core != y->core)
		return x->core < y->core ? -1 : 1;
	return (x->place.key > y->place.key) - (x->place.key < y->place.key);
}

/* If there are also bursts, but too few, lines have what was recorded, and no share. */
static bool are_shown(const struct pt_pipeline *p, const struct pt_core_profile *core_profile)
{
	return pt_core_profile_counted(core_profile) ||
	       (pt_snapshot_sampled(p, core_profile) &&
		(pt_snapshot_windowed(p, core_profile) || core_profile->flow->runs == 0));
}

const uint16_t *pt_snapshot_handler(const struct pt_pipeline *p, uint64_t key, bool lines, uint16_t *handler)
{
	uint64_t address;

	for (size_t i = 0; (address = pt_entered_handler(p->entered, i, handler)) != PT_UNKNOWN; i++)
		if (key == (lines ? pt_snapshot_line_key(p, address) : address))
			return handler;
	return NULL;
}

/* From samples alone it is unknown which code exceptions interrupted. */
static void bound(const struct pt_pipeline *p, const struct pt_core_profile *core_profile, struct pt_place *place,
		  bool lines)
{
	uint16_t handler;

	if (pt_core_profile_counted(core_profile))
		place->share = pt_flat_bounded(core_profile->flat, place->share,
					       pt_snapshot_handler(p, place->key, lines, &handler));
}

/* Stores the places of all cores, sorted by core and key. */
static void tell(struct pt_pipeline *p, size_t offset, struct pt_profile_place **room,
		 const struct pt_profile_place **out, size_t *n)
{
	const struct pt_places *of[PT_RUN_CORES];
	struct pt_profile_place *rows;
	size_t all = 0;

	*n = 0;
	for (size_t i = 0; i < p->n_core_profiles; i++) {
		of[i] = *(struct pt_places **)((char *)&p->core_profile[i] + offset);
		if (!are_shown(p, &p->core_profile[i]))
			of[i] = NULL;
		all += of[i] != NULL ? pt_places_n(of[i]) : 0;
	}
	if (all == 0)
		return;
	rows = *room = pt_realloc_array(*room, all, sizeof(*rows));
	for (size_t i = 0; i < p->n_core_profiles; i++)
		for (size_t k = 0; of[i] != NULL && k < pt_places_n(of[i]); k++) {
			struct pt_place place = pt_places_at(of[i], k);
			bool in_code;

			bound(p, &p->core_profile[i], &place, room == &p->line_places);
			rows[(*n)++] = (struct pt_profile_place){
				.place = place, .core = p->core_profile[i].core,
				.function = pt_codemap_function(p->map, place.address, &in_code),
			};
		}
	qsort(rows, *n, sizeof(*rows), by_key);
	*out = rows;
}

void pt_snapshot_places(struct pt_pipeline *p)
{
	struct pt_profile *f = &p->profile;

	tell(p, offsetof(struct pt_core_profile, by_line), &p->line_places, &f->sampled_line, &f->n_sampled_lines);
	tell(p, offsetof(struct pt_core_profile, by_insn), &p->insn_places, &f->sampled_insn, &f->n_sampled_insns);
}
