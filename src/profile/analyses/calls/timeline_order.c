/* Events of several cores in order of time. They come batch by batch, each of one core, and a batch may last from
 * before to after what another core did meanwhile. What one core did stays in its order, whatever its moments say. The
 * same of several sources where there are but signals: the first may have been read before another one is opened.
 * Stretches that were not observed are told before the end of what was seen before them. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/analyses/calls/timeline.h"
#include "base/util.h"

enum { CORES = 16, BLIND = CORES, STREAMS };	/* more cores share the last one's order */

struct place { uint64_t ns; size_t at; bool blind; };

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	if (x->blind != y->blind)	/* it begins where what was seen has ended */
		return x->blind ? 1 : -1;
	return (x->at > y->at) - (x->at < y->at);
}

static bool only_signals(const struct pt_timeline_event *event, size_t n)
{
	bool only = true;

	for (size_t i = 0; i < n && only; i++)
		only = event[i].kind == PT_TIMELINE_SIGNAL || event[i].kind == PT_TIMELINE_BLIND;
	return only;
}

/* The core, or the source: what of it there is stays in its order. */
static unsigned stream_of(const struct pt_timeline_event *event, bool signals)
{
	unsigned stream = signals ? event->stack : event->core;

	if (event->kind == PT_TIMELINE_BLIND)
		return BLIND;
	return stream < CORES ? stream : CORES - 1;
}

static bool several_streams(const struct pt_timeline_event *event, size_t n, bool signals)
{
	bool several = false;

	for (size_t i = 1; i < n && !several; i++)
		several = stream_of(&event[i], signals) != stream_of(&event[0], signals);
	return several;
}

/* Time does not go back in a stream; where it is not known, it stands still. */
static void find_places(const struct pt_timeline_event *event, size_t n, bool signals, struct place *place)
{
	uint64_t now[STREAMS] = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint64_t *stream = &now[stream_of(&event[i], signals)];

		if (event[i].at.ns != PT_UNKNOWN && event[i].at.ns > *stream)
			*stream = event[i].at.ns;
		place[i] = (struct place){ *stream, i, event[i].kind == PT_TIMELINE_BLIND };
	}
}

void pt_timeline_order(struct pt_timeline_event *event, size_t n)
{
	struct pt_timeline_event *copy;
	bool signals = only_signals(event, n);
	struct place *place;

	if (!several_streams(event, n, signals))
		return;
	copy = pt_realloc_array(NULL, n, sizeof(*copy));
	place = pt_realloc_array(NULL, n, sizeof(*place));
	memcpy(copy, event, n * sizeof(*copy));
	find_places(event, n, signals, place);
	qsort(place, n, sizeof(*place), by_time);
	for (size_t i = 0; i < n; i++)
		event[i] = copy[place[i].at];
	free(copy);
	free(place);
}
