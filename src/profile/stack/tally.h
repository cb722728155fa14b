/* The tally: what execution profiling says of each entry and of each invocation becomes statistics per function and per
 * call edge.
 *
 * Speed: a function has two cache lines of its own, one that each of its returns writes and one that each entry does. A
 * figure costs one addition and the question whether it lies between the least and the most so far; the extremes and
 * their stamps are kept elsewhere, since they change a few times only. An edge is looked up once, at the call.
 * Histograms are of every figure, some of them at a time; they can be turned off.
 * Bounded: two lines, extremes and histograms per function, PT_TALLY_EDGES edges and those of numbered call sites.
 * Pure; one thread at a time. */
#ifndef PT_PROFILE_TALLY_H
#define PT_PROFILE_TALLY_H

#include "profile/stats/stat.h"
#include "program/code/codemap.h"

/* Calls along more edges, but for those of call sites, or more than 2^32 along one, are counted in edges_lost only. */
enum { PT_TALLY_EDGES = 65536 };

enum pt_tally_kind { PT_TALLY_NET, PT_TALLY_GROSS, PT_TALLY_CALL, PT_TALLY_PERIOD, PT_TALLY_INACTIVE,
		     PT_N_TALLY_KINDS };

enum pt_invocation_how {
	PT_INVOCATION_PARTIAL = 1,	/* entry or exit not seen: kept out of least, most and average */
	PT_INVOCATION_UNCALLED = 2,	/* its entry was not seen, so it is no call */
	PT_INVOCATION_VAGUE = 4,	/* it may have ended before: its times are no lower bounds */
};

struct pt_invocation {		/* times on the clock of the profile; call >= gross >= net */
	uint64_t net, gross, call;
	uint64_t from;		/* clock at entry */
	uint32_t edge;		/* of pt_tally_edge(), or a call site's number */
	uint16_t caller;	/* PT_NO_FUNCTION: an exception */
	uint16_t how;
};

struct pt_edge {
	uint16_t from, to;	/* from 0: an exception */
	uint16_t core;		/* of the profile; a tally is of one, and leaves it 0 */
	uint64_t count, gross;
	float count_lo, count_hi;	/* 95 % interval of an estimate; equal: none */
};

/* What is known of one kind of figure in the hot path: those below 2^32 - 1 are in [least, least + size). size 0: there
 * was none. Any other is taken for a new extreme. */
struct pt_window {
	uint32_t least, size;
	uint64_t total;
};

/* What is kept up to date with every invocation. Nearly all calls take as long as their gross: one window is for both,
 * and holds what is an extreme of neither. */
enum { PT_WINDOW_NET, PT_WINDOW_GROSS, PT_WINDOW_PERIOD, PT_WINDOW_INACTIVE, PT_N_WINDOWS };

struct pt_tally_function {	/* read and written by the shadow stack as well */
	uint64_t entered, left;	/* clock at the last; before the stretch: not known */
	uint64_t whole;		/* invocations in net, gross and call */
	uint64_t second;	/* the function's time on the second clock */
	struct pt_window window[PT_N_WINDOWS];
	uint64_t unended;	/* entries seen that are not in whole; may be "negative" */
	uint32_t n_entries, n_exits;	/* waiting */
} __attribute__((aligned(64)));

struct pt_tally_extreme {
	uint64_t min, max, min_at, max_at;
	bool seen;		/* else none of the four means anything */
};

/* Figures that are not in the histograms yet, by their buckets (pt_hist_index()). Those of one function come together,
 * so that a histogram is in the cache for all of them: by itself, each would wait for memory four times. */
enum { PT_TALLY_WAITING = 64 };

struct pt_tally_waiting {
	struct pt_tally_entry { uint16_t period, inactive; } entry[PT_TALLY_WAITING];
	struct pt_tally_exit { uint16_t net, gross; } exit[PT_TALLY_WAITING];	/* call is gross */
};

/* A histogram for each kind, and one of figures that are both gross and call: nearly all of them. */
enum { PT_TALLY_GROSS_AND_CALL = PT_N_TALLY_KINDS, PT_N_TALLY_HISTS };

/* What is rarely touched. */
struct pt_tally_rest {
	struct pt_tally_extreme extreme[PT_N_TALLY_KINDS];
	uint64_t n_unknown[2];	/* entries without a period, and without an inactive time */
	uint64_t partial;	/* invocations that are not in whole */
	uint64_t unended_net, unended_gross;	/* the longest of these, at least */
	uint64_t waited[2];	/* the longest time behind an entry, and behind an exit, in which no entry came; up to where
				 * something moved the program */
	uint64_t preempted;	/* of all in whole: call without gross */
	uint64_t exceptions;	/* entries by exception */
	uint64_t net, gross;	/* the function's, beyond the totals of the windows; may be "negative" */
};

struct pt_tally_edge {		/* four in a cache line */
	uint32_t key;		/* of pt_tally_key(); 0: of nothing so far */
	uint32_t count;
	uint64_t gross;
};

/* Edges: those of the code map's call sites by their number, then a hash (open addressing) of those that have none, and
 * one for all that found no place. */
enum {
	PT_TALLY_SLOTS = 2 * PT_TALLY_EDGES,
	PT_TALLY_FIRST_SLOT = PT_CALL_SITES,
	PT_TALLY_LOST = PT_TALLY_FIRST_SLOT + PT_TALLY_SLOTS,
	PT_TALLY_ALL_EDGES,
};

struct pt_tally_anchor {
	uint64_t clock, ns;
	double ns_per_tick;
};

enum { PT_TALLY_ANCHORS = 4096 };

struct pt_tally {		/* open for the hot path; read results through the functions below */
	uint8_t *memory;		/* where all of the following lies, but for the room */
	size_t memory_bytes;
	struct pt_tally_function *function;
	struct pt_tally_rest *rest;
	struct pt_hist (*hist)[PT_N_TALLY_HISTS];	/* NULL: off; all is in those of kinds
							 * behind pt_tally_settle() */
	struct pt_histogram_memory room;		/* of their buckets */
	struct pt_tally_waiting *waiting;	/* by function; NULL: no histograms */
	size_t n_functions;
	struct pt_tally_edge *edge;
	size_t n_edges;		/* in the hash */
	struct pt_tally_anchor anchor[PT_TALLY_ANCHORS];	/* ascending; the first is good for all before it */
	size_t n_anchors;
};

/* ids below n_functions. */
void pt_tally_init(struct pt_tally *tally, size_t n_functions, bool histograms);
void pt_tally_fini(struct pt_tally *tally);
/* From clock on, stamps are ns plus ns_per_tick for each tick. Clocks come in ascending order. Of very many anchors the
 * older ones are forgotten: nothing open goes back so far. */
void pt_tally_anchor(struct pt_tally *tally, uint64_t clock, uint64_t ns, double ns_per_tick);
uint64_t pt_tally_stamp(const struct pt_tally *tally, uint64_t clock);

/* An invocation has ended. */
void pt_tally_add(struct pt_tally *tally, uint16_t function, const struct pt_invocation *invocation);

/* Before histograms are looked at. */
void pt_tally_settle(struct pt_tally *tally);
uint64_t pt_tally_count(const struct pt_tally *tally, uint16_t function);	/* entries seen */
/* What is known of a function's figures of a kind; its histogram stays the tally's. */
struct pt_stat pt_tally_stat(const struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind);
/* Copy the edges along which invocations have ended, in no order, the same one perhaps several times. Returns how many;
 * out has room for PT_TALLY_EDGES and one for each number of a site that was used. */
size_t pt_tally_edges(const struct pt_tally *tally, struct pt_edge *out);
/* Sort by from and to, in place, and add up equal ones. Returns how many are left. (edges.c) */
size_t pt_edges_merge(struct pt_edge *edges, size_t n_edges);
uint64_t pt_tally_edges_lost(const struct pt_tally *tally);

/* --- the fast path, in the header so that it is inlined */

__attribute__((noinline)) void pt_tally_extreme(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind,
						uint64_t value, uint64_t clock);
void pt_tally_bin(struct pt_tally *tally, uint16_t function);	/* what waits there */
__attribute__((cold)) void pt_tally_overflow(struct pt_tally *tally, struct pt_tally_edge *edge);
__attribute__((noinline)) uint32_t pt_tally_find_edge(struct pt_tally *tally, uint32_t number, uint32_t key);

#define PT_TALLY_INLINE static inline __attribute__((always_inline))

/* Is a figure below 2^32 none that was not there before? */
PT_TALLY_INLINE bool pt_window_has(const struct pt_window *window, uint64_t value)
{
	return __builtin_expect((uint32_t)value - window->least < window->size, 1);
}

/* Where the next figures of function will wait: they will be there soon. */
PT_TALLY_INLINE void pt_tally_fetch(const struct pt_tally *tally, uint16_t function)
{
	const struct pt_tally_function *f = &tally->function[function];

	__builtin_prefetch(&tally->waiting[function].entry[f->n_entries], 1);
	__builtin_prefetch(&tally->waiting[function].exit[f->n_exits], 1);
}

/* Figures below 2^32: since the last entry and since the last exit, at an entry. histograms: whether the tally has
 * any. */
PT_TALLY_INLINE void pt_tally_entered(struct pt_tally *tally, struct pt_tally_function *f, uint16_t function,
				      uint64_t clock, bool histograms)
{
	uint64_t period = clock - f->entered, inactive = clock - f->left;

	if (!pt_window_has(&f->window[PT_WINDOW_PERIOD], period))
		pt_tally_extreme(tally, function, PT_TALLY_PERIOD, period, clock);
	if (!pt_window_has(&f->window[PT_WINDOW_INACTIVE], inactive))
		pt_tally_extreme(tally, function, PT_TALLY_INACTIVE, inactive, clock);
	f->window[PT_WINDOW_PERIOD].total += period;
	f->window[PT_WINDOW_INACTIVE].total += inactive;
	if (histograms) {
		tally->waiting[function].entry[f->n_entries++] =
			(struct pt_tally_entry){ (uint16_t)pt_hist_index(period), (uint16_t)pt_hist_index(inactive) };
		if (__builtin_expect(f->n_entries == PT_TALLY_WAITING, 0))
			pt_tally_bin(tally, function);
	}
}

/* Likewise, of an invocation that was entered at clock and ended as a whole, without preemption. */
PT_TALLY_INLINE void pt_tally_ended(struct pt_tally *tally, struct pt_tally_function *f, uint16_t function,
				    uint64_t net, uint64_t gross, uint64_t clock, bool histograms)
{
	if (!pt_window_has(&f->window[PT_WINDOW_NET], net))
		pt_tally_extreme(tally, function, PT_TALLY_NET, net, clock);
	if (!pt_window_has(&f->window[PT_WINDOW_GROSS], gross)) {
		pt_tally_extreme(tally, function, PT_TALLY_GROSS, gross, clock);
		pt_tally_extreme(tally, function, PT_TALLY_CALL, gross, clock);
	}
	f->window[PT_WINDOW_NET].total += net;
	f->window[PT_WINDOW_GROSS].total += gross;
	f->whole++;
	if (histograms) {
		tally->waiting[function].exit[f->n_exits++] =
			(struct pt_tally_exit){ (uint16_t)pt_hist_index(net), (uint16_t)pt_hist_index(gross) };
		if (__builtin_expect(f->n_exits == PT_TALLY_WAITING, 0))
			pt_tally_bin(tally, function);
	}
}

/* Any figure of an entry. */
void pt_tally_interval(struct pt_tally *tally, uint16_t function, enum pt_tally_kind kind, uint64_t value,
		       uint64_t clock);

static inline uint32_t pt_tally_key(uint16_t from, uint16_t to)
{
	return ~((uint32_t)from << 16 | to);
}

static inline uint32_t pt_tally_home(uint32_t key)	/* Knuth's multiplicative hash: its high bits are good */
{
	return PT_TALLY_FIRST_SLOT + (key * UINT32_C(2654435761) >> 15) % PT_TALLY_SLOTS;
}

/* The edge of a call, to be counted when it ends. number: of its site, or the home of its key. */
static inline uint32_t pt_tally_edge_at(struct pt_tally *tally, uint32_t number, uint16_t from, uint16_t to)
{
	uint32_t key = pt_tally_key(from, to);

	return __builtin_expect(tally->edge[number].key == key, 1) ? number : pt_tally_find_edge(tally, number, key);
}

static inline uint32_t pt_tally_edge(struct pt_tally *tally, uint16_t from, uint16_t to)
{
	return pt_tally_edge_at(tally, pt_tally_home(pt_tally_key(from, to)), from, to);
}

static inline void pt_tally_count_edge(struct pt_tally *tally, uint32_t number, uint64_t gross)
{
	struct pt_tally_edge *edge = &tally->edge[number];

	edge->gross += gross;
	if (__builtin_expect(++edge->count == 0, 0))
		pt_tally_overflow(tally, edge);
}

#endif
