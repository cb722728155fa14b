/* Events of several cores in order of time. They come batch by batch, each of one core, and a batch may last from
 * before to after what another core did meanwhile. What one core did stays in its order, whatever its moments say. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/calls/timeline.h"
#include "base/util.h"

enum { CORES = 16 };		/* more share the last one's order */

struct place { uint64_t ns; size_t at; };

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static bool several_cores(const struct pt_timeline_event *event, size_t n)
{
	bool several = false;

	for (size_t i = 1; i < n && !several; i++)
		several = event[i].core != event[0].core;
	return several;
}

/* Time does not go back on a core; where it is not known, it stands still. */
static void find_places(const struct pt_timeline_event *event, size_t n, struct place *place)
{
	uint64_t now[CORES] = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t *core = &now[event[i].core < CORES ? event[i].core : CORES - 1];

		if (event[i].at.ns != PT_UNKNOWN && event[i].at.ns > *core)
			*core = event[i].at.ns;
		place[i] = (struct place){ *core, i };
	}
}

void pt_timeline_order(struct pt_timeline_event *event, size_t n)
{
	struct pt_timeline_event *copy;
	struct place *place;

	if (!several_cores(event, n))
		return;
	copy = pt_realloc_array(NULL, n, sizeof(*copy));
	place = pt_realloc_array(NULL, n, sizeof(*place));
	memcpy(copy, event, n * sizeof(*copy));
	find_places(event, n, place);
	qsort(place, n, sizeof(*place), by_time);
	for (size_t i = 0; i < n; i++)
		event[i] = copy[place[i].at];
	free(copy);
	free(place);
}
