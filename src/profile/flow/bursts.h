/* Shares from bursts: what part of the time in which the core did not sleep each function took.
 *
 * A burst ends when the trace buffer is full, that is after so many branches: code with few branches gives long
 * bursts, and pooling whole bursts would count it too high. So each burst is cut to the same number of modelled
 * cycles, which is right because its start was chosen by a clock that knows nothing of the program. Each is then one
 * observation of a fixed size; bursts are independent, what is inside one is not, and the 95 % interval comes from the
 * variance between them (stat.h). Cutting happens while bursts come in, at PT_BURST_LEVELS lengths a fourth root of
 * two apart, since the length that nearly all bursts reach is known at the end only. Bursts that the profile's end or
 * a halt interrupted count for the lengths they reached and have no say in the choice.
 *
 * Sleep: the buffer does not record while the core sleeps. A burst that was armed while it ran is a window on the
 * running time that starts anywhere with the same probability, however often the core sleeps inside it. A burst that
 * was armed while it slept always starts at the wake-up, so what follows wake-ups would count too high, the more so the
 * longer the core sleeps. These are left out: given that the core ran when it was armed, the start is still uniform
 * over running time, and nothing is biased. They are known by their first packet, whose source lies straight behind a
 * wait-for-interrupt: nothing but that wait, or the few instructions around it, can have run before. A flag read from
 * the core beside the arming would be worse: between the two lie tens of microseconds, longer than many wake-ups. The
 * price: bursts armed awake between the last jump before the wait and the first after it are left out too, a handful
 * of cycles per wake-up.
 *
 * The piece between the arming and the first branch after it is not seen, so a window starts at the next branch. What
 * that shifts is the mean of half a straight run in thousands of cycles, well inside the interval.
 *
 * Where fewer than PT_BURST_FEW bursts are armed awake (a core that sleeps nearly always), the ones armed asleep are
 * used in their own right, if all but 1 in 20 of them see the core go to sleep again: then each holds one whole waking
 * period, and the share is the ratio of sums over waking periods (also with the variance between bursts). That takes
 * waking periods to be equally likely whatever the sleep before them; by_wakeups says that it was done.
 * Where a clock chose the end of a burst (a buffer that goes on around until it is stopped), all of this is mirrored:
 * the burst is cut from its end backwards, and one whose end lies straight before a wait is one that ended asleep.
 * Waking periods are not pooled then: none of these sees one from its beginning on.
 * Pure; one thread at a time. Memory: a line of sums per function that ran, PT_BURST_LEVELS long, and of a burst that
 * is cut from its end the last PT_BURST_KEPT runs. */
#ifndef PT_PROFILE_BURSTS_H
#define PT_PROFILE_BURSTS_H

#include "profile/flow/flow.h"
#include "profile/stats/stat.h"

enum { PT_BURST_KEPT = 8192 };	/* more than the largest buffer of that kind holds */
enum pt_burst_chosen { PT_BURST_BEGINNING, PT_BURST_END };
enum { PT_BURST_LEVELS = 56, PT_BURST_SHORTEST = 16, PT_BURST_FEW = 12 };	/* shortest: cycles */

struct pt_bursts_summary {
	uint64_t all, used, asleep, cut_short;	/* all = begun and not empty; used: pooled */
	uint64_t cycles;	/* each pooled burst is cut to; 0: not cut (by_wakeups), or no estimate */
	bool estimated;		/* pt_bursts_share() has something to say */
	bool by_wakeups;
};

struct pt_bursts;

/* map is the caller's and outlives it; settings as flow has them. */
struct pt_bursts *pt_bursts_new(size_t n_functions, const struct pt_codemap *map,
				const struct pt_flow_settings *settings);
void pt_bursts_free(struct pt_bursts *b);
void pt_bursts_begin(struct pt_bursts *b, enum pt_burst_chosen chosen);
void pt_bursts_feed(struct pt_bursts *b, const struct pt_run *run, size_t n_runs);
bool pt_bursts_wants(const struct pt_bursts *b);	/* false: the runs that come next would change nothing */
void pt_bursts_end(struct pt_bursts *b, bool whole); /* whole: the buffer was full. Without a begin: nothing happens */

struct pt_bursts_summary pt_bursts_summary(const struct pt_bursts *b);
struct pt_share pt_bursts_share(const struct pt_bursts *b, uint16_t function);

#endif
