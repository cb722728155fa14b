#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/tally.h"

enum { FIRST_EDGES = 1024 };	/* a power of two, as every later size */

struct pt_tally {
	struct pt_tally_fast fast;	/* first: pt_tally_add() looks no further */
	struct pt_tally_function *function;
	struct pt_hist **hist;		/* PT_N_TALLY_KINDS each, from the first invocation on; NULL: no memory for it */
	size_t n_functions;
	struct pt_edge *edge;		/* open addressing; count == 0: free */
	size_t n_edges, n_slots;
	uint64_t edges_lost;
};

struct pt_tally *pt_tally_new(size_t n_functions)
{
	struct pt_tally *tally = calloc(1, sizeof(*tally));

	if (tally == NULL)
		return NULL;
	tally->n_functions = n_functions;
	tally->n_slots = FIRST_EDGES;
	tally->fast.row = calloc(n_functions, sizeof(*tally->fast.row));
	tally->fast.n_notes = calloc(n_functions, sizeof(*tally->fast.n_notes));
	tally->function = calloc(n_functions, sizeof(*tally->function));
	tally->hist = calloc(n_functions, sizeof(*tally->hist));
	tally->edge = calloc(tally->n_slots, sizeof(*tally->edge));
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
	for (size_t f = 0; tally->hist != NULL && f < tally->n_functions; f++)
		free(tally->hist[f]);
	free(tally->fast.row);
	free(tally->fast.n_notes);
	free(tally->function);
	free(tally->hist);
	free(tally->edge);
	free(tally);
}

/* --- edges */

static struct pt_edge *slot_of(struct pt_edge *edges, size_t n_slots, uint16_t from, uint16_t to)
{
	size_t i = ((uint32_t)from << 16 | to) * UINT32_C(2654435761) >> 7;	/* Knuth's multiplicative hash */

	while (edges[i & (n_slots - 1)].count != 0 &&
	       (edges[i & (n_slots - 1)].from != from || edges[i & (n_slots - 1)].to != to))
		i++;
	return &edges[i & (n_slots - 1)];
}

static int grow_edges(struct pt_tally *tally)
{
	size_t n_slots = tally->n_slots * 2;
	struct pt_edge *grown = calloc(n_slots, sizeof(*grown));

	if (grown == NULL)
		return -1;
	for (size_t i = 0; i < tally->n_slots; i++)
		if (tally->edge[i].count != 0)
			*slot_of(grown, n_slots, tally->edge[i].from, tally->edge[i].to) = tally->edge[i];
	free(tally->edge);
	tally->edge = grown;
	tally->n_slots = n_slots;
	return 0;
}

static void count_edge(struct pt_tally *tally, uint16_t from, uint16_t to, uint64_t gross)
{
	struct pt_edge *edge = slot_of(tally->edge, tally->n_slots, from, to);

	if (edge->count == 0) {
		bool full = tally->n_edges >= PT_TALLY_EDGES;

		if (!full && tally->n_edges * 2 >= tally->n_slots) {
			full = grow_edges(tally) < 0;
			edge = slot_of(tally->edge, tally->n_slots, from, to);
		}
		if (full) {
			tally->edges_lost++;
			return;
		}
		*edge = (struct pt_edge){ .from = from, .to = to };
		tally->n_edges++;
	}
	edge->count++;
	edge->gross += gross;
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

	for (size_t i = 0; i < tally->n_slots; i++)
		if (tally->edge[i].count != 0)
			out[n++] = tally->edge[i];
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

static void give_histograms(struct pt_tally *tally, uint16_t function)
{
	struct pt_hist *hist = calloc(PT_N_TALLY_KINDS, sizeof(*hist));

	tally->hist[function] = hist;
	for (size_t k = 0; hist != NULL && k < PT_N_TALLY_KINDS; k++)
		tally->function[function].stat[k].hist = &hist[k];
}

static void settle(struct pt_tally *tally, uint16_t function, const struct pt_invocation *v)
{
	struct pt_tally_function *f = &tally->function[function];

	if (v->period != PT_UNKNOWN)
		pt_stat_add(&f->stat[PT_TALLY_PERIOD], v->period, v->at);
	if (v->inactive != PT_UNKNOWN)
		pt_stat_add(&f->stat[PT_TALLY_INACTIVE], v->inactive, v->at);
	if ((v->how & PT_INVOCATION_PARTIAL) != 0) {
		f->partial++;
	} else {
		pt_stat_add(&f->stat[PT_TALLY_NET], v->net, v->at);
		pt_stat_add(&f->stat[PT_TALLY_GROSS], v->gross, v->at);
		pt_stat_add(&f->stat[PT_TALLY_CALL], v->call, v->at);
	}
	if ((v->how & PT_INVOCATION_OUTER) != 0)
		f->gross_total += v->gross;
	if ((v->how & PT_INVOCATION_EXCEPTION) != 0)
		f->exceptions++;
	if ((v->how & PT_INVOCATION_UNCALLED) == 0)
		count_edge(tally, v->caller, function, v->gross);
}

void pt_tally_add_wide(struct pt_tally *tally, uint16_t function, const struct pt_invocation *invocation)
{
	pt_tally_settle_row(tally, function);	/* in order: equal extremes keep the first stamp */
	if (tally->hist[function] == NULL)
		give_histograms(tally, function);
	settle(tally, function, invocation);
}

void pt_tally_settle_row(struct pt_tally *tally, uint16_t function)
{
	const struct pt_note *note = tally->fast.row[function].note;
	size_t n = tally->fast.n_notes[function];

	tally->fast.n_notes[function] = 0;
	if (n != 0 && tally->hist[function] == NULL)
		give_histograms(tally, function);
	for (size_t i = 0; i < n; i++)
		settle(tally, function, &(struct pt_invocation){
			note[i].net, note[i].gross, note[i].call, note[i].period, note[i].inactive, note[i].at,
			note[i].caller, note[i].how,
		});
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
