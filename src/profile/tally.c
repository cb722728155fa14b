#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "bigmem.h"
#include "profile/tally.h"

enum {
	FIRST_EDGES = 1024,	/* a power of two, as every later size */
	ANCHORS = 4096,
};

struct anchor {
	uint64_t clock, ns;
	double ns_per_tick;
};

/* Four in a cache line. */
struct slot {
	uint32_t key;		/* from << 16 | to */
	uint32_t count;		/* 0: free */
	uint64_t gross;
};

struct pt_tally {
	struct pt_tally_fast fast;	/* first: pt_tally_note() looks no further */
	struct pt_tally_function *function;
	struct pt_hist (*hist)[PT_N_TALLY_KINDS];	/* per function, used from its first invocation on */
	size_t n_functions;
	struct slot *edge;		/* open addressing */
	size_t n_edges, n_slots;
	uint64_t edges_lost;
	struct anchor anchor[ANCHORS];	/* ascending; the first is good for all before it */
	size_t n_anchors;
	uint32_t random;		/* which note of a row goes into the histograms */
};

struct pt_tally *pt_tally_new(size_t n_functions)
{
	struct pt_tally *tally = calloc(1, sizeof(*tally));

	if (tally == NULL)
		return NULL;
	tally->n_functions = n_functions;
	tally->n_slots = FIRST_EDGES;
	tally->n_anchors = 1;		/* the clock begins at 0 ns */
	tally->fast.row = pt_big_calloc(n_functions, sizeof(*tally->fast.row));
	tally->fast.n_notes = calloc(n_functions, sizeof(*tally->fast.n_notes));
	tally->function = pt_big_calloc(n_functions, sizeof(*tally->function));
	tally->hist = pt_big_calloc(n_functions, sizeof(*tally->hist));
	tally->edge = pt_big_calloc(tally->n_slots, sizeof(*tally->edge));
	if (tally->fast.row == NULL || tally->fast.n_notes == NULL || tally->function == NULL || tally->hist == NULL ||
	    tally->edge == NULL) {
		pt_tally_free(tally);
		return NULL;
	}
	for (size_t f = 0; f < n_functions; f++)
		for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
			tally->function[f].stat[k] = pt_stat_empty();
	return tally;
}

void pt_tally_free(struct pt_tally *tally)
{
	if (tally == NULL)
		return;
	pt_big_free(tally->fast.row, tally->n_functions * sizeof(*tally->fast.row));
	free(tally->fast.n_notes);
	pt_big_free(tally->function, tally->n_functions * sizeof(*tally->function));
	pt_big_free(tally->hist, tally->n_functions * sizeof(*tally->hist));
	pt_big_free(tally->edge, tally->n_slots * sizeof(*tally->edge));
	free(tally);
}

/* --- stamps */

void pt_tally_anchor(struct pt_tally *tally, uint64_t clock, uint64_t ns, double ns_per_tick)
{
	if (tally->n_anchors == ANCHORS) {	/* no note may need the old ones any more */
		pt_tally_settle(tally);
		tally->anchor[0] = tally->anchor[ANCHORS - 1];
		tally->n_anchors = 1;
	}
	tally->anchor[tally->n_anchors++] = (struct anchor){ clock, ns, ns_per_tick };
}

uint64_t pt_tally_stamp(const struct pt_tally *tally, uint64_t clock)
{
	size_t from = 0, to = tally->n_anchors;
	const struct anchor *anchor;

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

static uint32_t key_of(uint32_t from, uint16_t to)
{
	return from << 16 | to;
}

static size_t home_of(uint32_t key, size_t n_slots)
{
	return key * UINT32_C(2654435761) >> 7 & (n_slots - 1);	/* Knuth's multiplicative hash */
}

static struct slot *slot_of(struct slot *slots, size_t n_slots, uint32_t key)
{
	size_t i = home_of(key, n_slots);

	while (slots[i].key != key && slots[i].count != 0)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static int grow_edges(struct pt_tally *tally)
{
	size_t n_slots = tally->n_slots * 2;
	struct slot *grown = pt_big_calloc(n_slots, sizeof(*grown));

	if (grown == NULL)
		return -1;
	for (size_t i = 0; i < tally->n_slots; i++)
		if (tally->edge[i].count != 0)
			*slot_of(grown, n_slots, tally->edge[i].key) = tally->edge[i];
	pt_big_free(tally->edge, tally->n_slots * sizeof(*tally->edge));
	tally->edge = grown;
	tally->n_slots = n_slots;
	return 0;
}

/* A slot for a new edge; NULL: there are too many. */
static struct slot *new_edge(struct pt_tally *tally, uint32_t key)
{
	struct slot *slot;

	if (tally->n_edges >= PT_TALLY_EDGES || (tally->n_edges * 2 >= tally->n_slots && grow_edges(tally) < 0))
		return NULL;
	slot = slot_of(tally->edge, tally->n_slots, key);
	slot->key = key;
	tally->n_edges++;
	return slot;
}

static void count_edge(struct pt_tally *tally, uint32_t key, uint64_t gross)
{
	struct slot *slot = slot_of(tally->edge, tally->n_slots, key);

	if (slot->count == 0)
		slot = new_edge(tally, key);
	if (slot == NULL || slot->count == UINT32_MAX) {
		tally->edges_lost++;
		return;
	}
	slot->count++;
	slot->gross += gross;
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
		const struct slot *slot = &tally->edge[i];

		if (slot->count != 0)
			out[n++] = (struct pt_edge){ (uint16_t)(slot->key >> 16), (uint16_t)slot->key, slot->count, slot->gross };
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
	return tally->edges_lost;
}

/* --- statistics */

/* Memory is taken when it is touched, so a function that never runs has none. */
static void give_histograms(struct pt_tally *tally, uint16_t function)
{
	struct pt_stat *stat = tally->function[function].stat;

	if (stat->hist != NULL)
		return;
	for (size_t k = 0; k < PT_N_TALLY_KINDS; k++)
		stat[k].hist = &tally->hist[function][k];
}

void pt_tally_add(struct pt_tally *tally, uint16_t function, const struct pt_invocation *v)
{
	struct pt_stat *stat = tally->function[function].stat;
	uint64_t at = pt_tally_stamp(tally, v->from);

	pt_tally_settle_row(tally, function);	/* in order: equal extremes keep the first stamp */
	give_histograms(tally, function);
	if (v->period != PT_UNKNOWN)
		pt_stat_add(&stat[PT_TALLY_PERIOD], v->period, at);
	if (v->inactive != PT_UNKNOWN)
		pt_stat_add(&stat[PT_TALLY_INACTIVE], v->inactive, at);
	if ((v->how & PT_INVOCATION_PARTIAL) != 0) {
		tally->function[function].partial++;
	} else {
		pt_stat_add(&stat[PT_TALLY_NET], v->net, at);
		pt_stat_add(&stat[PT_TALLY_GROSS], v->gross, at);
		pt_stat_add(&stat[PT_TALLY_CALL], v->call, at);
	}
	if ((v->how & PT_INVOCATION_UNCALLED) == 0)
		count_edge(tally, key_of(v->caller, function), v->gross);
}

void pt_tally_interval(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t ticks, uint64_t clock)
{
	give_histograms(tally, function);
	pt_stat_add(&tally->function[function].stat[kind], ticks, pt_tally_stamp(tally, clock));
}

/* A note as two vectors; the figures are net, gross, call, period and inactive. */
typedef uint32_t four __attribute__((vector_size(16)));
typedef int32_t four_signs __attribute__((vector_size(16)));
typedef uint64_t two __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));

struct sums {
	four least, most;	/* net, gross, call, period */
	two even, odd;		/* totals of net and call, of gross and period */
};

static four choose(four_signs which, four a, four b)
{
	return (four)(((four_signs)a & which) | ((four_signs)b & ~which));
}

static struct sums sum_up(const struct pt_note *note, size_t n)
{
	struct sums s = { .least = ~(four){ 0 } };
	const two low = { UINT32_MAX, UINT32_MAX };

	for (size_t i = 0; i < n; i++) {
		four v;

		memcpy(&v, &note[i], sizeof(v));
		s.least = choose(v < s.least, v, s.least);
		s.most = choose(v > s.most, v, s.most);
		s.even += (two)v & low;
		s.odd += (two)v >> 32;
	}
	return s;
}

static uint32_t figure(const struct pt_note *note, size_t kind)	/* they stand in the order of their kinds */
{
	static_assert(offsetof(struct pt_note, inactive) == PT_TALLY_INACTIVE * sizeof(uint32_t), "figures in order");
	uint32_t value;

	memcpy(&value, (const char *)note + kind * sizeof(value), sizeof(value));
	return value;
}

/* The stamp of the first note that has this figure. */
static uint64_t stamp_of(const struct pt_tally *tally, const struct pt_note *note, size_t kind, uint64_t value)
{
	while (figure(note, kind) != value)
		note++;
	return pt_tally_stamp(tally, note->from);
}

static void add_sums(const struct pt_tally *tally, struct pt_stat *stat, size_t kind, const struct pt_note *note, size_t n,
		     uint64_t least, uint64_t most, uint64_t total)
{
	if (least < stat->min) {
		stat->min = least;
		stat->min_at = stamp_of(tally, note, kind, least);
	}
	if (most > stat->max || stat->n == 0) {
		stat->max = most;
		stat->max_at = stamp_of(tally, note, kind, most);
	}
	stat->n += n;
	stat->total += total;
}

/* Not known while the function is open further down, as in recursion. */
static void add_inactive(const struct pt_tally *tally, struct pt_stat *stat, const struct pt_note *note, size_t n)
{
	uint32_t least = UINT32_MAX, most = 0;
	uint64_t total = 0;
	size_t n_known = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t v = note[i].inactive;
		bool known = v != PT_NOTE_UNKNOWN;

		least = v < least ? v : least;
		most = known && v > most ? v : most;
		total += known ? v : 0;
		n_known += known;
	}
	if (n_known > 0)
		add_sums(tally, stat, PT_TALLY_INACTIVE, note, n_known, least, most, total);
}

/* pt_hist_index() of four figures at once. */
static four buckets_of(const struct pt_note *note)
{
	four_signs v, index;
	floats f;

	memcpy(&v, note, sizeof(v));
	f = __builtin_convertvector(v, floats);
	memcpy(&index, &f, sizeof(index));
	index = (index >> 20) - PT_HIST_BIAS;
	return (four)(index & (index > 0));
}

static void add_to_histograms(struct pt_stat *stat, const struct pt_note *note)
{
	four bucket = buckets_of(note);

	for (size_t k = 0; k < PT_TALLY_INACTIVE; k++) {
		stat[k].hist->bucket[bucket[k]]++;
		stat[k].hist->n++;
	}
	if (note->inactive != PT_NOTE_UNKNOWN)
		pt_hist_add(stat[PT_TALLY_INACTIVE].hist, note->inactive);
}

static void histograms(struct pt_tally *tally, struct pt_stat *stat, const struct pt_note *note, size_t n)
{
	if (stat->hist->n >= PT_TALLY_HIST_ALL) {	/* one of a row cannot overflow a bucket: see pt_hist_add() */
		tally->random = tally->random * 1664525 + 1013904223;
		note += (tally->random >> 16) % n;
		n = 1;
	}
	for (size_t i = 0; i < n; i++)
		add_to_histograms(stat, &note[i]);
}

static void count_edges(struct pt_tally *tally, uint16_t function, const struct pt_note *note, size_t n)
{
	for (size_t i = 0; i < n; i++)
		count_edge(tally, key_of(note[i].caller, function), note[i].gross);
}

/* What settling touches is likely to be far away, and some of it anywhere: ask for all of it at once. */
static void fetch(const struct pt_tally *tally, uint16_t function, const struct pt_note *note, size_t n)
{
	enum { LINE_BYTES = 64 };
	const char *stat = (const char *)&tally->function[function];

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(&tally->edge[home_of(key_of(note[i].caller, function), tally->n_slots)], 1);
	for (size_t i = 0; i < sizeof(*tally->function); i += LINE_BYTES)
		__builtin_prefetch(stat + i, 1);
}

void pt_tally_settle_row(struct pt_tally *tally, uint16_t function)
{
	const struct pt_note *note = tally->fast.row[function];
	struct pt_stat *stat = tally->function[function].stat;
	size_t n = tally->fast.n_notes[function];
	struct sums s;

	if (n == 0)
		return;
	tally->fast.n_notes[function] = 0;
	fetch(tally, function, note, n);
	give_histograms(tally, function);
	s = sum_up(note, n);
	add_sums(tally, &stat[PT_TALLY_NET], PT_TALLY_NET, note, n, s.least[0], s.most[0], s.even[0]);
	add_sums(tally, &stat[PT_TALLY_GROSS], PT_TALLY_GROSS, note, n, s.least[1], s.most[1], s.odd[0]);
	add_sums(tally, &stat[PT_TALLY_CALL], PT_TALLY_CALL, note, n, s.least[2], s.most[2], s.even[1]);
	add_sums(tally, &stat[PT_TALLY_PERIOD], PT_TALLY_PERIOD, note, n, s.least[3], s.most[3], s.odd[1]);
	add_inactive(tally, &stat[PT_TALLY_INACTIVE], note, n);
	histograms(tally, stat, note, n);
	count_edges(tally, function, note, n);
}

void pt_tally_settle(struct pt_tally *tally)
{
	for (size_t f = 0; f < tally->n_functions; f++)
		pt_tally_settle_row(tally, (uint16_t)f);
}

const struct pt_tally_function *pt_tally_function(const struct pt_tally *tally, uint16_t function)
{
	return &tally->function[function];
}
