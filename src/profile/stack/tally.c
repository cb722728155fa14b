#include <stdlib.h>
#include <string.h>

#include "base/bigmem.h"
#include "profile/stack/tally.h"

/* All tables lie in one piece of memory, and so in as few and as large pages as can be. Of each: whole cache lines. */
struct layout { size_t edge, function, waiting, rest, hist, bytes; };

static size_t place(size_t *bytes, size_t n, size_t size)
{
	size_t at = *bytes;

	*bytes += (n * size + 63) / 64 * 64;
	return at;
}

static struct layout layout_of(const struct pt_tally *tally, bool histograms)
{
	size_t n = tally->n_functions, n_with = histograms ? n : 0;
	struct layout l = { .bytes = 0 };

	l.edge = place(&l.bytes, PT_TALLY_ALL_EDGES, sizeof(*tally->edge));
	l.function = place(&l.bytes, n, sizeof(*tally->function));
	l.waiting = place(&l.bytes, n_with, sizeof(*tally->waiting));
	l.rest = place(&l.bytes, n, sizeof(*tally->rest));
	l.hist = place(&l.bytes, n_with, sizeof(*tally->hist));
	return l;
}

static void make_hists(struct pt_tally *tally, const struct layout *l)
{
	tally->hist = (void *)(tally->memory + l->hist);
	tally->waiting = (void *)(tally->memory + l->waiting);
	pt_histogram_memory_init(&tally->room, pt_histogram_memory_bytes(tally->n_functions));
	for (size_t f = 0; f < tally->n_functions; f++)
		for (size_t k = 0; k < PT_N_TALLY_HISTS; k++)
			tally->hist[f][k].room = &tally->room;
}

void pt_tally_init(struct pt_tally *tally, size_t n_functions, bool histograms)
{
	struct layout l;

	*tally = (struct pt_tally){ .n_functions = n_functions, .n_anchors = 1 };	/* the clock begins at 0 ns */
	l = layout_of(tally, histograms);
	tally->memory = pt_big_alloc(1, l.bytes);
	pt_big_touch(tally->memory, l.bytes);
	tally->memory_bytes = l.bytes;
	tally->edge = (void *)(tally->memory + l.edge);
	tally->function = (void *)(tally->memory + l.function);
	tally->rest = (void *)(tally->memory + l.rest);
	if (histograms)
		make_hists(tally, &l);
}

void pt_tally_fini(struct pt_tally *tally)
{
	for (size_t f = 0; tally->hist != NULL && f < tally->n_functions; f++)
		for (size_t k = 0; k < PT_N_TALLY_HISTS; k++)
			pt_hist_fini(&tally->hist[f][k]);
	pt_histogram_memory_fini(&tally->room);
	pt_big_free(tally->memory, tally->memory_bytes);
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

	if (clock >= tally->anchor[to - 1].clock)	/* nearly always */
		from = to - 1;
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

/* Not seen at a site before; or not at home: further on, or not seen before. */
uint32_t pt_tally_find_edge(struct pt_tally *tally, uint32_t number, uint32_t key)
{
	uint32_t i = number;

	if (number < PT_TALLY_FIRST_SLOT) {
		tally->edge[i].key = key;
		return i;
	}
	while (tally->edge[i].key != key && tally->edge[i].key != 0)
		i = PT_TALLY_FIRST_SLOT + (i + 1) % PT_TALLY_SLOTS;
	if (tally->edge[i].key == key)
		return i;
	if (tally->n_edges == PT_TALLY_EDGES)
		return PT_TALLY_LOST;
	tally->n_edges++;
	tally->edge[i].key = key;
	return i;
}

/* An edge is counted once more than it can count. */
void pt_tally_overflow(struct pt_tally *tally, struct pt_tally_edge *edge)
{
	edge->count = UINT32_MAX;
	tally->edge[PT_TALLY_LOST].count++;
}

size_t pt_tally_edges(const struct pt_tally *tally, struct pt_edge *out)
{
	size_t n = 0;

	for (const struct pt_tally_edge *edge = tally->edge; edge < tally->edge + PT_TALLY_LOST; edge++)
		if (edge->count != 0)
			out[n++] = (struct pt_edge){
				.from = (uint16_t)(~edge->key >> 16), .to = (uint16_t)~edge->key, .count = edge->count,
				.gross = edge->gross,
			};
	return n;
}

uint64_t pt_tally_edges_lost(const struct pt_tally *tally)
{
	return tally->edge[PT_TALLY_LOST].count;
}

/* --- statistics */

/* Figures from least to most are in the window, as far as it can hold them. */
static struct pt_window framed(struct pt_window window, uint64_t least, uint64_t most)
{
	most = most < UINT32_MAX ? most : UINT32_MAX - 1;
	window.least = (uint32_t)least;
	window.size = least <= most ? (uint32_t)(most - least + 1) : 0;
	return window;
}

static void frame(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind)
{
	static const uint8_t window_of[PT_N_TALLY_KINDS] = {
		[PT_TALLY_NET] = PT_WINDOW_NET, [PT_TALLY_GROSS] = PT_WINDOW_GROSS, [PT_TALLY_CALL] = PT_WINDOW_GROSS,
		[PT_TALLY_PERIOD] = PT_WINDOW_PERIOD, [PT_TALLY_INACTIVE] = PT_WINDOW_INACTIVE,
	};
	const struct pt_tally_extreme *extreme = tally->rest[function].extreme, *low = &extreme[kind], *high = low;
	struct pt_window *window = &tally->function[function].window[window_of[kind]];

	if (window_of[kind] == PT_WINDOW_GROSS) {
		low = &extreme[PT_TALLY_CALL];
		high = &extreme[PT_TALLY_GROSS];
	}
	if (low->seen && high->seen)
		*window = framed(*window, low->min, high->max);
}

/* A figure that may be a new extreme. The first of equal ones counts. */
void pt_tally_extreme(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t value,
		      uint64_t clock)
{
	struct pt_tally_extreme *extreme = &tally->rest[function].extreme[kind];
	bool least = !extreme->seen || value < extreme->min, most = !extreme->seen || value > extreme->max;
	uint64_t at;

	if (!least && !most)
		return;
	at = pt_tally_stamp(tally, clock);
	if (least) {
		extreme->min = value;
		extreme->min_at = at;
	}
	if (most) {
		extreme->max = value;
		extreme->max_at = at;
	}
	extreme->seen = true;
	frame(tally, function, kind);
}

void pt_tally_bin(struct pt_tally *tally, uint16_t function)
{
	enum { STEP = 2 };	/* values in an entry, or exit */
	const struct pt_tally_waiting *waiting = &tally->waiting[function];
	struct pt_tally_function *f = &tally->function[function];
	struct pt_hist *hist = tally->hist[function];

	for (size_t k = 0; k < PT_N_TALLY_HISTS; k++)
		pt_hist_fetch(&hist[k]);
	pt_hist_add_all(&hist[PT_TALLY_PERIOD], &waiting->entry[0].period, f->n_entries, STEP);
	pt_hist_add_all(&hist[PT_TALLY_INACTIVE], &waiting->entry[0].inactive, f->n_entries, STEP);
	pt_hist_add_all(&hist[PT_TALLY_NET], &waiting->exit[0].net, f->n_exits, STEP);
	pt_hist_add_all(&hist[PT_TALLY_GROSS_AND_CALL], &waiting->exit[0].gross, f->n_exits, STEP);
	f->n_entries = f->n_exits = 0;
}

void pt_tally_settle(struct pt_tally *tally)
{
	pt_histogram_memory_touch(&tally->room);
	for (size_t f = 0; tally->hist != NULL && f < tally->n_functions; f++) {
		struct pt_hist *hist = tally->hist[f], *both = &hist[PT_TALLY_GROSS_AND_CALL];

		pt_tally_bin(tally, (uint16_t)f);
		pt_hist_add_hist(&hist[PT_TALLY_GROSS], both);
		pt_hist_add_hist(&hist[PT_TALLY_CALL], both);
		pt_hist_fini(both);
	}
}

static void figure(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t value, uint64_t clock)
{
	pt_tally_extreme(tally, function, kind, value, clock);
	if (tally->hist != NULL)
		pt_hist_add(&tally->hist[function][kind], value);
}

void pt_tally_interval(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t value,
		       uint64_t clock)
{
	size_t window = kind == PT_TALLY_PERIOD ? PT_WINDOW_PERIOD : PT_WINDOW_INACTIVE;

	figure(tally, function, kind, value, clock);
	tally->function[function].window[window].total += value;
}

static void add_whole(struct pt_tally *tally, uint16_t function, const struct pt_invocation *v)
{
	struct pt_tally_function *f = &tally->function[function];

	figure(tally, function, PT_TALLY_NET, v->net, v->from);
	figure(tally, function, PT_TALLY_GROSS, v->gross, v->from);
	figure(tally, function, PT_TALLY_CALL, v->call, v->from);
	f->window[PT_WINDOW_NET].total += v->net;
	f->window[PT_WINDOW_GROSS].total += v->gross;
	f->whole++;
	f->unended--;
	tally->rest[function].preempted += v->call - v->gross;
}

static void add_partial(struct pt_tally_rest *rest, const struct pt_invocation *v)
{
	rest->partial++;
	rest->net += v->net;
	if ((v->how & PT_INVOCATION_VAGUE) != 0)
		return;
	rest->unended_net = v->net > rest->unended_net ? v->net : rest->unended_net;
	rest->unended_gross = v->gross > rest->unended_gross ? v->gross : rest->unended_gross;
}

void pt_tally_add(struct pt_tally *tally, uint16_t function, const struct pt_invocation *v)
{
	if ((v->how & PT_INVOCATION_PARTIAL) != 0) {
		add_partial(&tally->rest[function], v);
	} else {
		add_whole(tally, function, v);
	}
	if ((v->how & PT_INVOCATION_UNCALLED) == 0)
		pt_tally_count_edge(tally, v->edge, v->gross);
}

uint64_t pt_tally_count(const struct pt_tally *tally, uint16_t function)
{
	return tally->function[function].whole + tally->function[function].unended;
}

static uint64_t number_of(const struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind)
{
	if (kind < PT_TALLY_PERIOD)
		return tally->function[function].whole;
	return pt_tally_count(tally, function) - tally->rest[function].n_unknown[kind - PT_TALLY_PERIOD];
}

static uint64_t total_of(const struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind)
{
	const struct pt_window *window = tally->function[function].window;

	switch (kind) {
	case PT_TALLY_NET:
		return window[PT_WINDOW_NET].total;
	case PT_TALLY_GROSS:
		return window[PT_WINDOW_GROSS].total;
	case PT_TALLY_CALL:
		return window[PT_WINDOW_GROSS].total + tally->rest[function].preempted;
	case PT_TALLY_PERIOD:
		return window[PT_WINDOW_PERIOD].total;
	default:
		return window[PT_WINDOW_INACTIVE].total;
	}
}

/* A call lasts as long as its gross, at least: the stack that it was on may have been left for good. */
static uint64_t unended_of(const struct pt_tally_rest *rest, enum pt_tally_kind kind)
{
	if (kind >= PT_TALLY_PERIOD)
		return rest->waited[kind - PT_TALLY_PERIOD];
	return kind == PT_TALLY_NET ? rest->unended_net : rest->unended_gross;
}

struct pt_stat pt_tally_stat(const struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind)
{
	const struct pt_tally_extreme *extreme = &tally->rest[function].extreme[kind];
	struct pt_stat stat = pt_stat_empty();

	stat.unended = unended_of(&tally->rest[function], kind);
	if (!extreme->seen)
		return stat;
	stat.n = number_of(tally, function, kind);
	stat.total = total_of(tally, function, kind);
	stat.min = extreme->min;
	stat.max = extreme->max;
	stat.min_at = extreme->min_at;
	stat.max_at = extreme->max_at;
	stat.hist = tally->hist != NULL ? &tally->hist[function][kind] : NULL;
	return stat;
}
