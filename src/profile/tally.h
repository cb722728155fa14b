/* The tally: what execution profiling says of each invocation becomes statistics per function and per call edge.
 *
 * Speed: an invocation is one 32-byte note in its function's own row; a full row is settled at once, so that the
 * histograms of a function are touched in bulk. Values that do not fit a note are settled directly. Bounded: rows and
 * histograms per function, edges at most PT_TALLY_EDGES. Pure; one thread at a time. */
#ifndef PT_PROFILE_TALLY_H
#define PT_PROFILE_TALLY_H

#include "profile/stat.h"

enum { PT_TALLY_EDGES = 65536 };	/* more different edges are counted in edges_lost only */

enum pt_invocation_how {
	PT_INVOCATION_PARTIAL = 1,	/* entry or exit not seen: kept out of least, most and average */
	PT_INVOCATION_OUTER = 2,	/* not inside another invocation of the same function */
	PT_INVOCATION_EXCEPTION = 4,	/* entered by an exception; caller is no function */
	PT_INVOCATION_UNCALLED = 8,	/* its entry was not seen, so it is nobody's call */
};

struct pt_invocation {		/* times on the clock of the profile; call >= gross >= net */
	uint64_t net, gross, call;
	uint64_t period, inactive;	/* entry to entry, exit to entry; PT_UNKNOWN: the one before was not seen */
	uint64_t at;		/* stamp of the entry */
	uint16_t caller, how;
};

enum pt_tally_kind { PT_TALLY_NET, PT_TALLY_GROSS, PT_TALLY_CALL, PT_TALLY_PERIOD, PT_TALLY_INACTIVE, PT_N_TALLY_KINDS };

struct pt_tally_function {
	struct pt_stat stat[PT_N_TALLY_KINDS];	/* of whole invocations; periods of all whose entries were seen */
	uint64_t partial;	/* invocations kept out of stat */
	uint64_t gross_total;	/* time with the function on the stack, recursion once, partial ones included */
	uint64_t exceptions;	/* invocations by exception, out of all */
};

struct pt_edge { uint16_t from, to; uint64_t count, gross; };	/* from 0: an exception */

struct pt_tally;

struct pt_tally *pt_tally_new(size_t n_functions);	/* ids below n_functions; NULL: out of memory */
void pt_tally_free(struct pt_tally *tally);
void pt_tally_settle(struct pt_tally *tally);	/* after this the results below are up to date */
const struct pt_tally_function *pt_tally_function(const struct pt_tally *tally, uint16_t function);
/* Copy the edges, in no order. Returns how many; out has room for PT_TALLY_EDGES. */
size_t pt_tally_edges(const struct pt_tally *tally, struct pt_edge *out);
/* Sort by from and to, and add up equal ones. Returns how many are left. */
size_t pt_edges_merge(struct pt_edge *edges, size_t n_edges);
uint64_t pt_tally_edges_lost(const struct pt_tally *tally);

/* --- the fast path, in the header so that it is inlined */

enum { PT_TALLY_ROW = 16 };

struct pt_note {
	uint64_t at;
	uint32_t net, gross, call, period, inactive;
	uint16_t caller, how;
};

struct pt_tally_row { struct pt_note note[PT_TALLY_ROW]; };

struct pt_tally_fast { struct pt_tally_row *row; uint8_t *n_notes; };	/* the first field of struct pt_tally */

void pt_tally_settle_row(struct pt_tally *tally, uint16_t function);
void pt_tally_add_wide(struct pt_tally *tally, uint16_t function, const struct pt_invocation *invocation);

static inline void pt_tally_add(struct pt_tally *tally, uint16_t function, const struct pt_invocation *v)
{
	struct pt_tally_fast *fast = (struct pt_tally_fast *)(void *)tally;

	if (__builtin_expect((v->call | v->period | v->inactive) >> 32 != 0, 0)) {
		pt_tally_add_wide(tally, function, v);
		return;
	}
	fast->row[function].note[fast->n_notes[function]] = (struct pt_note){
		v->at, (uint32_t)v->net, (uint32_t)v->gross, (uint32_t)v->call, (uint32_t)v->period,
		(uint32_t)v->inactive, v->caller, v->how,
	};
	if (++fast->n_notes[function] == PT_TALLY_ROW)
		pt_tally_settle_row(tally, function);
}

#endif
