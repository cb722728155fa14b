#include "profile/flow/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct item {
	struct pt_event event;
	struct pt_timestamp at;	/* settled items; others: error_ns unused, ns where it came in */
};

struct lane {
	bool open, ended;
	struct item *ring;
	size_t room, first, n;		/* room is a power of two, or 0 */
	size_t n_settled;		/* of them, from the first on, have their moment */
	size_t n_placed;		/* and so many lie in a span */
	uint64_t upto_ns;		/* of all spans */
	uint64_t last_ns;		/* of the last that settled: time does not go back */
	struct pt_clock clock;
};

struct pt_merge {
	struct lane lane[PT_MERGE_LANES];
	struct { struct pt_timestamp at; size_t lane; } newest;	/* that was given out */
	uint64_t late;
	uint64_t most_ns;		/* the latest that any lane has come to */
	bool flushes;			/* everything is to come out */
	bool crowded;			/* some lane is full of what waits for others: no more waiting */
};

static struct item *item_of(const struct lane *l, size_t i)
{
	return &l->ring[(l->first + i) & (l->room - 1)];
}

/* --- in */

struct pt_merge *pt_merge_new(void)
{
	return pt_alloc(sizeof(struct pt_merge));
}

void pt_merge_free(struct pt_merge *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < PT_MERGE_LANES; i++)
		free(m->lane[i].ring);
	free(m);
}

static void pass(struct pt_merge *m, struct lane *l, uint64_t ns)
{
	if (ns > l->upto_ns)
		l->upto_ns = ns;
	if (ns > m->most_ns)
		m->most_ns = ns;
}

void pt_merge_open(struct pt_merge *m, size_t lane, const struct pt_clock *clock, uint64_t from_ns)
{
	struct lane *l = &m->lane[lane];

	l->open = true;
	l->ended = false;
	l->clock = *clock;
	pass(m, l, from_ns);
}

static void make_room(struct lane *l, size_t n)
{
	size_t room = l->room > 0 ? l->room : 256;
	struct item *ring;

	while (room < l->n + n)
		room *= 2;
	if (room == l->room)
		return;
	ring = pt_realloc_array(NULL, room, sizeof(*ring));
	for (size_t i = 0; i < l->n; i++)
		ring[i] = *item_of(l, i);
	free(l->ring);
	l->ring = ring;
	l->room = room;
	l->first = 0;
}

void pt_merge_put(struct pt_merge *m, size_t lane, const struct pt_event *event, size_t n)
{
	struct lane *l = &m->lane[lane];

	make_room(l, n);
	for (size_t i = 0; i < n; i++)
		item_of(l, l->n++)->event = event[i];
}

/* --- moments */

static bool is_remark(const struct item *item)
{
	return item->event.kind >= PT_MERGE_REMARK;
}

static bool has_ticks(const struct item *item)
{
	return !is_remark(item) && item->event.ticks != PT_UNKNOWN;
}

/* Whether its moment can be told for good. As long as the clock has an anchor it is worth waiting for the next, but
 * not for ever. */
static bool can_settle(const struct pt_merge *m, const struct lane *l, const struct item *item)
{
	struct pt_timestamp at;

	if (!has_ticks(item) || l->ended || m->crowded || m->flushes || l->clock.guessed ||
	    pt_clock_settled(&l->clock, item->event.ticks))
		return true;
	at = pt_clock_at(&l->clock, item->event.ticks);
	return at.ns == PT_UNKNOWN || (at.ns < m->most_ns && m->most_ns - at.ns >= PT_MERGE_WAIT_NS);
}

/* Stamps that go back are put forward to the one before, and said to be as wrong as that makes them. */
static void settle_one(struct lane *l, struct item *item)
{
	struct pt_timestamp at = has_ticks(item) ? pt_clock_at(&l->clock, item->event.ticks) : item->at;

	if (at.ns == PT_UNKNOWN)
		at = item->at;		/* no clock: somewhere in its span */
	if (is_remark(item))
		at = (struct pt_timestamp){ 0, 0 };
	if (!is_remark(item) && at.ns < l->last_ns) {
		at.error_ns += l->last_ns - at.ns;
		at.ns = l->last_ns;
	}
	if (!is_remark(item))
		l->last_ns = at.ns;
	item->at = at;
}

/* A lane that is full need not be so with events that could have settled long ago. */
static void settle(struct pt_merge *m, struct lane *l)
{
	bool full = l->n >= PT_MERGE_EVENTS;

	while (l->n_settled < l->n_placed && (full || can_settle(m, l, item_of(l, l->n_settled))))
		settle_one(l, item_of(l, l->n_settled++));
}

static void settle_all(struct pt_merge *m)
{
	m->crowded = false;
	for (size_t i = 0; i < PT_MERGE_LANES; i++) {
		settle(m, &m->lane[i]);
		m->crowded |= m->lane[i].n_settled >= PT_MERGE_EVENTS;
	}
	for (size_t i = 0; i < PT_MERGE_LANES && m->crowded; i++)
		settle(m, &m->lane[i]);
}

/* Evenly spread: one of n lies where that many of the n have passed. It may have been anywhere in the span. */
static void place(struct lane *l, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t n = 0, i = 0, span = to_ns - from_ns;

	for (size_t k = l->n_placed; k < l->n; k++)
		n += !is_remark(item_of(l, k));
	for (; l->n_placed < l->n; l->n_placed++) {
		struct item *item = item_of(l, l->n_placed);
		uint64_t behind = n > 0 ? (uint64_t)((unsigned __int128)span * i / n) : 0;

		item->at = (struct pt_timestamp){ from_ns + behind, behind > span - behind ? behind : span - behind };
		if (has_ticks(item))
			pt_clock_guess(&l->clock, item->event.ticks, from_ns, to_ns);
		i += !is_remark(item);
	}
}

void pt_merge_span(struct pt_merge *m, size_t lane, uint64_t from_ns, uint64_t to_ns)
{
	struct lane *l = &m->lane[lane];

	place(l, from_ns, to_ns > from_ns ? to_ns : from_ns);
	pass(m, l, to_ns);
	settle_all(m);
}

void pt_merge_anchor(struct pt_merge *m, size_t lane, uint64_t ticks, uint64_t ns, uint64_t error_ns)
{
	pt_clock_anchor(&m->lane[lane].clock, ticks, ns, error_ns);
	settle(m, &m->lane[lane]);
}

void pt_merge_end(struct pt_merge *m, size_t lane)
{
	struct lane *l = &m->lane[lane];

	place(l, l->upto_ns, l->upto_ns);
	l->ended = true;
	settle(m, l);
}

void pt_merge_flush(struct pt_merge *m, bool on)
{
	m->flushes = on;
	for (size_t i = 0; i < PT_MERGE_LANES && on; i++) {
		place(&m->lane[i], m->lane[i].upto_ns, m->lane[i].upto_ns);
		settle(m, &m->lane[i]);
	}
}

/* --- out */

/* Nothing of this lane that has not settled can be before this; PT_UNKNOWN: nothing can come at all, or it has been
 * silent for too long to be waited for. */
static uint64_t horizon(const struct pt_merge *m, const struct lane *l)
{
	struct pt_timestamp at = { l->upto_ns, 0 };

	if (!l->open || m->crowded || m->flushes || (l->ended && l->n == 0))
		return PT_UNKNOWN;
	if (l->n > 0)		/* waits for an anchor */
		at = pt_clock_at(&l->clock, item_of(l, 0)->event.ticks);
	else if (m->most_ns - l->upto_ns >= PT_MERGE_WAIT_NS)
		return PT_UNKNOWN;
	if (at.ns == PT_UNKNOWN)
		return l->upto_ns;
	at.ns = at.ns > l->last_ns ? at.ns : l->last_ns;
	return at.ns > at.error_ns ? at.ns - at.error_ns : 0;
}

/* The lane whose first event comes next, and in *until the moment up to which it may go on. */
static struct lane *next(struct pt_merge *m, uint64_t *until)
{
	struct lane *best = NULL;
	uint64_t least = PT_UNKNOWN, second = PT_UNKNOWN, wait = PT_UNKNOWN;

	for (size_t i = 0; i < PT_MERGE_LANES; i++) {
		struct lane *l = &m->lane[i];
		uint64_t ns = l->n_settled > 0 ? item_of(l, 0)->at.ns : horizon(m, l);

		if (l->n_settled == 0) {
			wait = ns < wait ? ns : wait;
		} else if (best == NULL || ns < least) {
			second = least;
			least = ns;
			best = l;
		} else {
			second = ns < second ? ns : second;
		}
	}
	if (best == NULL || (least >= wait && least > 0))
		return NULL;
	*until = second < wait ? second : wait;
	return best;
}

static void note(struct pt_merge *m, size_t lane, struct pt_timestamp at)
{
	if (lane != m->newest.lane && pt_timestamp_before(at, m->newest.at))
		m->late++;
	if (at.ns >= m->newest.at.ns) {
		m->newest.at = at;
		m->newest.lane = lane;
	}
}

size_t pt_merge_take(struct pt_merge *m, size_t *lane, struct pt_event *event, struct pt_timestamp *at, size_t max)
{
	uint64_t until;
	struct lane *l = next(m, &until);
	size_t n = 0;

	if (l == NULL)
		return 0;
	*lane = (size_t)(l - m->lane);
	while (n < max && l->n_settled > 0) {
		const struct item *item = item_of(l, 0);

		if (n > 0 && item->at.ns >= until && !is_remark(item))
			break;
		event[n] = item->event;
		at[n++] = item->at;
		if (!is_remark(item))
			note(m, *lane, item->at);
		l->first = (l->first + 1) & (l->room - 1);
		l->n--;
		l->n_settled--;
		l->n_placed--;
	}
	m->crowded = m->crowded && l->n_settled >= PT_MERGE_EVENTS;
	return n;
}

uint64_t pt_merge_late(const struct pt_merge *m)
{
	return m->late;
}
