#include "profile/stats/batches.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "profile/stats/flat.h"

struct core {
	struct pt_flat *flat;
	uint64_t samples;
	uint16_t core, source;	/* source: of the batch so far */
};

struct pt_batches {
	size_t n_functions, room, n;
	struct core core[];
};

struct pt_batches *pt_batches_new(size_t n_functions, size_t n_cores)
{
	struct pt_batches *b = pt_alloc(sizeof(*b) + n_cores * sizeof(b->core[0]));

	b->n_functions = n_functions;
	b->room = n_cores;
	return b;
}

void pt_batches_free(struct pt_batches *b)
{
	for (size_t i = 0; b != NULL && i < b->n; i++)
		pt_flat_free(b->core[i].flat);
	free(b);
}

static size_t find(const struct pt_batches *b, uint16_t core)
{
	size_t i = 0;

	while (i < b->n && b->core[i].core != core)
		i++;
	return i;
}

void pt_batches_sample(struct pt_batches *b, uint16_t source, uint16_t core, uint16_t function)
{
	size_t i = find(b, core);

	if (i == b->room)
		return;
	if (i == b->n) {
		b->core[i] = (struct core){ .flat = pt_flat_new(b->n_functions), .core = core };
		b->n++;
	}
	b->core[i].source = source;
	b->core[i].samples++;
	pt_flat_sample(b->core[i].flat, function);
}

void pt_batches_end(struct pt_batches *b, uint16_t source)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->core[i].source == source)
			pt_flat_end_batch(b->core[i].flat);
}

bool pt_batches_share(const struct pt_batches *b, uint16_t core, uint64_t hits, uint16_t function,
		      struct pt_share *share)
{
	size_t i = find(b, core);

	if (i == b->n || b->core[i].samples < hits)
		return false;
	*share = pt_flat_share(b->core[i].flat, function);
	return true;
}
