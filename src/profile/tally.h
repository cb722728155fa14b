/* The tally: what execution profiling says of each invocation becomes statistics per function and per call edge.
 *
 * Speed: an invocation with nothing unusual about it is one 32-byte note in its function's own row. A full row is
 * settled at once, four figures in a vector, so that the statistics of a function are touched in bulk. Histograms take
 * every note of a function until they hold PT_TALLY_HIST_ALL, then one of each row: quantiles are estimates anyway.
 * What does not fit a note is settled directly.
 * Stamps: notes carry the clock; anchors, kept as long as notes need them, turn it into time when one is settled.
 * Bounded: rows and histograms per function, at most PT_TALLY_EDGES edges. Pure; one thread at a time. */
#ifndef PT_PROFILE_TALLY_H
#define PT_PROFILE_TALLY_H

#include "profile/stat.h"

enum {
	PT_TALLY_EDGES = 65536,		/* more different edges, or 2^32 calls of one, are counted in edges_lost only */
	PT_TALLY_HIST_ALL = 128,
};

enum pt_invocation_how {
	PT_INVOCATION_PARTIAL = 1,	/* entry or exit not seen: kept out of least, most and average */
	PT_INVOCATION_UNCALLED = 2,	/* its entry was not seen, so it is nobody's call */
};

struct pt_invocation {		/* times on the clock of the profile; call >= gross >= net */
	uint64_t net, gross, call;
	uint64_t period, inactive;	/* entry to entry, exit to entry; PT_UNKNOWN: the one before was not seen */
	uint64_t from;		/* clock at entry */
	uint16_t caller;	/* PT_NO_FUNCTION: an exception */
	uint16_t how;
};

enum pt_tally_kind { PT_TALLY_NET, PT_TALLY_GROSS, PT_TALLY_CALL, PT_TALLY_PERIOD, PT_TALLY_INACTIVE, PT_N_TALLY_KINDS };

struct pt_tally_function {
	struct pt_stat stat[PT_N_TALLY_KINDS];	/* of whole invocations; periods of all whose entries were seen */
	uint64_t partial;	/* invocations kept out of stat */
};

struct pt_edge { uint16_t from, to; uint64_t count, gross; };	/* from 0: an exception */

struct pt_tally;

struct pt_tally *pt_tally_new(size_t n_functions);	/* ids below n_functions; NULL: out of memory */
void pt_tally_free(struct pt_tally *tally);
/* From clock on, stamps are ns plus ns_per_tick for each tick. Clocks come in ascending order. */
void pt_tally_anchor(struct pt_tally *tally, uint64_t clock, uint64_t ns, double ns_per_tick);
uint64_t pt_tally_stamp(const struct pt_tally *tally, uint64_t clock);
void pt_tally_settle(struct pt_tally *tally);	/* after this the results below are up to date */
const struct pt_tally_function *pt_tally_function(const struct pt_tally *tally, uint16_t function);
/* Copy the edges, in no order. Returns how many; out has room for PT_TALLY_EDGES. */
size_t pt_tally_edges(const struct pt_tally *tally, struct pt_edge *out);
/* Sort by from and to, and add up equal ones. Returns how many are left. */
size_t pt_edges_merge(struct pt_edge *edges, size_t n_edges);
uint64_t pt_tally_edges_lost(const struct pt_tally *tally);

/* Any invocation. */
void pt_tally_add(struct pt_tally *tally, uint16_t function, const struct pt_invocation *invocation);
/* A period or inactive time alone, of an invocation that begins at clock. */
void pt_tally_interval(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t ticks,
		       uint64_t clock);

/* --- the fast path, in the header so that it is inlined: for whole invocations that somebody called, with all times
 * known (but inactive, perhaps) and below PT_NOTE_UNKNOWN */

enum { PT_TALLY_ROW = 16 };
#define PT_NOTE_UNKNOWN UINT32_C(0x7fffffff)	/* vectors compare with a sign */

struct pt_note {
	uint32_t net, gross, call, period;
	uint32_t inactive, caller;
	uint64_t from;
} __attribute__((aligned(32)));

struct pt_tally_fast {		/* the first field of struct pt_tally */
	struct pt_note (*row)[PT_TALLY_ROW];	/* per function */
	uint8_t *n_notes;
};

void pt_tally_settle_row(struct pt_tally *tally, uint16_t function);

static inline void pt_tally_note(struct pt_tally *tally, uint16_t function, const struct pt_note *note)
{
	struct pt_tally_fast *fast = (struct pt_tally_fast *)(void *)tally;

	fast->row[function][fast->n_notes[function]] = *note;
	if (__builtin_expect(++fast->n_notes[function] == PT_TALLY_ROW, 0))
		pt_tally_settle_row(tally, function);
}

#endif
