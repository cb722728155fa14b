/* Windows on the program's time, cut out of bursts: the one gate that estimates pass.
 *
 * A burst ends when the trace buffer is full, that is after so many branches: code with few branches gives long
 * bursts, and to pool whole bursts would count it too high. A clock that knows nothing of the program chose where a
 * burst begins, so each is cut to the same time T, its window. Any row of any table is estimated from what it got
 * inside windows (estimate.h): functions here, lines, call chains and the rest by the analyses, which are called
 * where a window begins and ends (analysis.h). As the cut is one of time and not of a row, rows that share the time
 * add up to it.
 *
 * T is the shortest of the first PT_WINDOWS_PILOT whole bursts, or PT_WINDOWS_MOST; each of these is cut to the shortest before it. A later
 * burst that ends before T is a window as long as it is: its own mix stands for the rest. If many do, the program has
 * changed, and T shrinks. A burst that something else ended (a halt, a reset, the end) is a window if it reached T, and
 * else left out: that end did not depend on the program.
 * A run that lies across the end of a window is in it or not, by chance with the right probability: so the window is
 * unbiased, and no run need be split.
 *
 * Sleep: the buffer does not record while the core sleeps. A burst that was armed while it ran is a window on the
 * running time that begins anywhere with the same probability, however often the core sleeps inside it. One that was
 * armed asleep always begins at the wake-up: it says that the core slept, and nothing else. It is known by its first
 * packet, whose source lies straight behind a wait-for-interrupt: nothing but that wait, or the few instructions around
 * it, can have run before. A flag read from the core beside the arming would be worse: between the two lie tens of
 * microseconds, longer than many wake-ups. The price: bursts armed awake between the last jump before the wait and the
 * first after it count as asleep, a handful of cycles per wake-up.
 * What ran between the arming and the first branch after it is not seen: a window begins at that branch. That shifts it
 * by half a straight run in the mean, some cycles in thousands.
 *
 * Weights: where a burst was armed late the ones around it stand for more time. Each counts for the time since the
 * arming before.
 *
 * Where a clock chose the end of a burst (a buffer that goes round until it is stopped) all of this is mirrored: the
 * burst is held back until its end is known, and its window is the last T of it; one whose end lies straight before a
 * wait ended asleep.
 * Where it chose neither (the buffer lost its beginning and was full before its end) there is no window. What ran where
 * one would have been may be anything, so each such burst widens all intervals by what it stands for (estimate.h).
 * Pure; one thread at a time. Memory: some sums per function, and PT_WINDOWS_HELD runs of a burst that is held back. */
#ifndef PT_PROFILE_WINDOWS_H
#define PT_PROFILE_WINDOWS_H

#include "profile/flow/flow.h"
#include "profile/stats/calibration.h"
#include "profile/stats/estimate.h"

enum {
	PT_WINDOWS_PILOT = 32,
	PT_WINDOWS_FEW = 5,	/* with fewer, no shares are shown */
	PT_WINDOWS_MOST = 262144,	/* cycles: T is no more, and so what an analysis may keep of a window is bounded */
	PT_WINDOWS_HELD = 8192,	/* more than the largest buffer whose end is chosen holds */
};

enum pt_window_chosen { PT_WINDOW_BEGINNING, PT_WINDOW_END, PT_WINDOW_NEITHER };	/* of the burst, by a clock */

struct pt_time_window {		/* a whole one */
	double weight;
	uint64_t ticks;		/* of it, on the profile's clock: what rows are shares of */
	uint64_t cut;		/* ticks from its beginning to where it is cut: what the last run ended behind that had not
				 * ended there, though the run is in it */
	double seconds;		/* how long it was; NAN: not known */
	double scale;		/* weight / ticks: what each of its ticks counts for */
};

struct pt_windows_summary {
	uint64_t all, asleep, cut_short;	/* bursts that were not empty; armed (or ended) asleep; interrupted */
	uint64_t unchosen;	/* out of all: neither end was chosen by a clock */
	uint64_t cycles;	/* T; 0: not known yet */
	struct pt_cluster_total awake, armed;	/* windows; and with those that found the core asleep */
	uint64_t waits;		/* runs in windows that passed a wait-for-interrupt: the core may have slept there */
	bool estimated;		/* there are enough of them */
};

struct pt_windows;

/* map is the caller's and outlives it; settings as flow has them. core_hz 0: not known. */
struct pt_windows *pt_windows_new(size_t n_functions, const struct pt_codemap *map,
				  const struct pt_flow_settings *settings);
void pt_windows_free(struct pt_windows *w);
void pt_windows_core_hz(struct pt_windows *w, uint64_t core_hz);

/* A burst begins, and with it a window. */
void pt_windows_begin(struct pt_windows *w, enum pt_window_chosen chosen, double weight);
/* How many of these runs, which come next, lie before the end of the window; n if it does not end here. */
size_t pt_windows_take(struct pt_windows *w, const struct pt_run *run, size_t n, bool *ends);
/* False: runs that come next change nothing. */
bool pt_windows_wants(const struct pt_windows *w);
/* The burst ends. whole: the buffer was full. True: so does the window. Without a begin: nothing happens. */
bool pt_windows_end(struct pt_windows *w, bool whole);
/* The window that has just ended. */
const struct pt_time_window *pt_windows_last(const struct pt_windows *w);

/* PT_WINDOW_END: runs are held back until the burst has ended. Returns how many it took; fewer than n: there is no room
 * until the oldest are taken out, which are in no window any more. */
bool pt_windows_holds(const struct pt_windows *w);
size_t pt_windows_hold(struct pt_windows *w, const struct pt_run *run, size_t n);
const struct pt_run *pt_windows_oldest(struct pt_windows *w, size_t *n);	/* valid until more are held */
/* At the end of the burst: all that are left. The window is those from *first on; *first == *n: there is none. */
const struct pt_run *pt_windows_held(struct pt_windows *w, bool whole, size_t *n, size_t *first);

struct pt_windows_summary pt_windows_summary(const struct pt_windows *w);
/* Of the time awake, or of all time. */
struct pt_share pt_windows_share(const struct pt_windows *w, uint16_t function);
const struct pt_window_function *pt_windows_function(const struct pt_windows *w, uint16_t function);
/* What it took on the other clock (instructions where the profile's counts cycles) per tick awake. */
double pt_windows_second(const struct pt_windows *w, uint16_t function);
struct pt_share pt_windows_asleep(const struct pt_windows *w);	/* of all time */

#endif
