#include "profile/stats/places.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/stats/flat.h"

enum { SLOTS = 4 * PT_PLACES_MAX };

struct pt_places {
	struct pt_flat *flat;	/* by number of the place, from 1; 0: those without a row */
	struct { uint64_t key, address; } place[PT_PLACES_MAX];
	size_t n;
	uint16_t slot[SLOTS];	/* number of the place; 0: free */
};

struct pt_places *pt_places_new(void)
{
	struct pt_places *places = pt_alloc(sizeof(*places));

	places->flat = pt_flat_new(PT_PLACES_MAX + 1);
	return places;
}

void pt_places_free(struct pt_places *places)
{
	if (places == NULL)
		return;
	pt_flat_free(places->flat);
	free(places);
}

/* The slot that has the key, or the free one where it belongs. */
static size_t slot_of(const struct pt_places *p, uint64_t key)
{
	size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;

	while (p->slot[at] != 0 && p->place[p->slot[at] - 1].key != key)
		at = (at + 1) % SLOTS;
	return at;
}

uint16_t pt_places_find(const struct pt_places *p, uint64_t key)
{
	return key != 0 ? p->slot[slot_of(p, key)] : 0;
}

uint16_t pt_places_number(struct pt_places *p, uint64_t key, uint64_t address)
{
	size_t at = slot_of(p, key);

	if (key == 0)
		return 0;
	if (p->slot[at] != 0)
		return p->slot[at];
	if (p->n == PT_PLACES_MAX)
		return 0;
	p->place[p->n].key = key;
	p->place[p->n].address = address;
	p->slot[at] = (uint16_t)++p->n;
	return p->slot[at];
}

void pt_places_sample(struct pt_places *places, uint16_t number)
{
	pt_flat_sample(places->flat, number);
}

void pt_places_end_batch(struct pt_places *places)
{
	pt_flat_end_batch(places->flat);
}

struct pt_flat *pt_places_flat(struct pt_places *places)
{
	return places->flat;
}

size_t pt_places_n(const struct pt_places *places)
{
	return places->n;
}

struct pt_place pt_places_at(const struct pt_places *places, size_t i)
{
	uint16_t number = (uint16_t)(i + 1);

	return (struct pt_place){
		.key = places->place[i].key, .address = places->place[i].address,
		.samples = pt_flat_samples(places->flat, number), .share = pt_flat_share(places->flat, number),
	};
}
