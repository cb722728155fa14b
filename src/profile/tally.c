#include <stdlib.h>
#include <string.h>

#include "bigmem.h"
#include "profile/tally.h"

enum { FIRST_SLOTS = 1024 };	/* a power of two, as every later size */

bool pt_tally_init(struct pt_tally *tally, size_t n_functions, bool histograms)
{
	*tally = (struct pt_tally){ .n_functions = n_functions, .n_slots = FIRST_SLOTS };
	tally->n_edges = tally->n_anchors = 1;	/* edge 0; and the clock begins at 0 ns */
	tally->function = pt_big_calloc(n_functions, sizeof(*tally->function));
	tally->rest = pt_big_calloc(n_functions, sizeof(*tally->rest));
	tally->slot = pt_big_calloc(tally->n_slots, sizeof(*tally->slot));
	tally->edge = pt_big_calloc(PT_TALLY_EDGES + 1, sizeof(*tally->edge));
	if (histograms)
		tally->hist = pt_big_calloc(n_functions, sizeof(*tally->hist));
	return tally->function != NULL && tally->rest != NULL && tally->slot != NULL && tally->edge != NULL &&
	       (!histograms || tally->hist != NULL);
}

void pt_tally_fini(struct pt_tally *tally)
{
	for (size_t f = 0; tally->hist != NULL && f < tally->n_functions; f++)
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
			pt_hist_fini(&tally->hist[f][k]);
	pt_big_free(tally->hist, tally->n_functions * sizeof(*tally->hist));
	pt_big_free(tally->function, tally->n_functions * sizeof(*tally->function));
	pt_big_free(tally->rest, tally->n_functions * sizeof(*tally->rest));
	pt_big_free(tally->slot, tally->n_slots * sizeof(*tally->slot));
	pt_big_free(tally->edge, (PT_TALLY_EDGES + 1) * sizeof(*tally->edge));
}

/* --- stamps */

void pt_tally_anchor(struct pt_tally *tally, uint64_t clock, uint64_t ns, double ns_per_tick)
{
	enum { KEPT = PT_TALLY_ANCHORS / 2 };

	if (tally->n_anchors == PT_TALLY_ANCHORS) {
		memmove(tally->anchor, tally->anchor + PT_TALLY_ANCHORS - KEPT, KEPT * sizeof(tally->anchor[0]));
		tally->n_anchors = KEPT;
	}
	tally->anchor[tally->n_anchors++] = (struct pt_tally_anchor){ clock, ns, ns_per_tick };
}

uint64_t pt_tally_stamp(const struct pt_tally *tally, uint64_t clock)
{
	size_t from = 0, to = tally->n_anchors;
	const struct pt_tally_anchor *anchor;

	while (to - from > 1) {		/* the last that is not behind clock */
		size_t middle = (from + to) / 2;

		if (tally->anchor[middle].clock <= clock)
			from = middle;
		else
			to = middle;
	}
	anchor = &tally->anchor[from];
	if (clock < anchor->clock)
		return anchor->ns;
	return anchor->ns + (uint64_t)((double)(clock - anchor->clock) * anchor->ns_per_tick);
}

/* --- edges */

static struct pt_tally_slot *slot_of(struct pt_tally_slot *slots, size_t n_slots, uint32_t key)
{
	size_t i = pt_tally_home(key, n_slots);

	while (slots[i].key != key && slots[i].key != 0)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static int grow_slots(struct pt_tally *tally)
{
	size_t n_slots = tally->n_slots * 2;
	struct pt_tally_slot *grown = pt_big_calloc(n_slots, sizeof(*grown));

	if (grown == NULL)
		return -1;
	for (size_t i = 0; i < tally->n_slots; i++)
		if (tally->slot[i].key != 0)
			*slot_of(grown, n_slots, tally->slot[i].key) = tally->slot[i];
	pt_big_free(tally->slot, tally->n_slots * sizeof(*tally->slot));
	tally->slot = grown;
	tally->n_slots = n_slots;
	return 0;
}

/* Not at home: further on, or not seen before. Returns 0 for one too many. */
uint32_t pt_tally_new_edge(struct pt_tally *tally, uint32_t key)
{
	struct pt_tally_slot *slot = slot_of(tally->slot, tally->n_slots, key);

	if (slot->key == key)
		return slot->edge;
	if (tally->n_edges > PT_TALLY_EDGES || (tally->n_edges * 2 > tally->n_slots && grow_slots(tally) < 0))
		return 0;
	slot = slot_of(tally->slot, tally->n_slots, key);
	slot->key = key;
	slot->edge = (uint32_t)tally->n_edges++;
	return slot->edge;
}

static int by_from_and_to(const void *a, const void *b)
{
	const struct pt_edge *x = a, *y = b;
	uint32_t kx = (uint32_t)x->from << 16 | x->to, ky = (uint32_t)y->from << 16 | y->to;

	return (kx > ky) - (kx < ky);
}

size_t pt_tally_edges(const struct pt_tally *tally, struct pt_edge *out)
{
	size_t n = 0;

	for (size_t i = 0; i < tally->n_slots; i++) {
		uint32_t key = ~tally->slot[i].key;
		const struct pt_tally_edge *edge = &tally->edge[tally->slot[i].edge];

		if (tally->slot[i].key != 0 && edge->count != 0)
			out[n++] = (struct pt_edge){ (uint16_t)(key >> 16), (uint16_t)key, edge->count, edge->gross };
	}
	return n;
}

size_t pt_edges_merge(struct pt_edge *edges, size_t n_edges)
{
	size_t n = 0;

	if (n_edges != 0)
		qsort(edges, n_edges, sizeof(*edges), by_from_and_to);
	for (size_t i = 0; i < n_edges; i++) {
		if (n > 0 && by_from_and_to(&edges[n - 1], &edges[i]) == 0) {
			edges[n - 1].count += edges[i].count;
			edges[n - 1].gross += edges[i].gross;
		} else {
			edges[n++] = edges[i];
		}
	}
	return n;
}

uint64_t pt_tally_edges_lost(const struct pt_tally *tally)
{
	return tally->edge[0].count;
}

/* --- statistics */

/* A figure outside the window: a new extreme, or too large for the window to hold. The first of equal ones counts. */
void pt_tally_extreme(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t value,
		      uint64_t clock)
{
	struct pt_tally_extreme *extreme = &tally->rest[function].extreme[kind];
	struct pt_window *window = &tally->function[function].window[kind];
	uint64_t at = pt_tally_stamp(tally, clock), most;

	if (!extreme->seen || value < extreme->min) {
		extreme->min = value;
		extreme->min_at = at;
	}
	if (!extreme->seen || value > extreme->max) {
		extreme->max = value;
		extreme->max_at = at;
	}
	extreme->seen = true;
	if (extreme->min < UINT32_MAX) {
		most = extreme->max < UINT32_MAX ? extreme->max : UINT32_MAX - 1;
		window->least = (uint32_t)extreme->min;
		window->size = (uint32_t)(most - extreme->min + 1);
	}
}

void pt_tally_figure(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t value, uint64_t clock)
{
	struct pt_window *window = &tally->function[function].window[kind];

	if (value - window->least >= window->size)
		pt_tally_extreme(tally, function, kind, value, clock);
	window->total += value;
	if (tally->hist != NULL)
		pt_hist_add(&tally->hist[function][kind], value);
}

void pt_tally_add(struct pt_tally *tally, uint16_t function, const struct pt_invocation *v)
{
	if ((v->how & PT_INVOCATION_PARTIAL) != 0) {
		tally->rest[function].partial++;
		tally->rest[function].net += v->net;
	} else {
		tally->function[function].whole++;
		pt_tally_figure(tally, function, PT_TALLY_NET, v->net, v->from);
		pt_tally_figure(tally, function, PT_TALLY_GROSS, v->gross, v->from);
		pt_tally_figure(tally, function, PT_TALLY_CALL, v->call, v->from);
	}
	if ((v->how & PT_INVOCATION_UNCALLED) == 0)
		pt_tally_count_edge(&tally->edge[v->edge], v->gross);
}

static uint64_t number_of(const struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind)
{
	const struct pt_tally_function *f = &tally->function[function];

	return kind < PT_TALLY_PERIOD ? f->whole : f->count - tally->rest[function].n_unknown[kind - PT_TALLY_PERIOD];
}

struct pt_stat pt_tally_stat(const struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind)
{
	const struct pt_tally_extreme *extreme = &tally->rest[function].extreme[kind];
	struct pt_stat stat = pt_stat_empty();

	if (!extreme->seen)
		return stat;
	return (struct pt_stat){
		.n = number_of(tally, function, kind), .total = tally->function[function].window[kind].total,
		.min = extreme->min, .max = extreme->max, .min_at = extreme->min_at, .max_at = extreme->max_at,
		.hist = tally->hist != NULL ? &tally->hist[function][kind] : NULL,
	};
}
