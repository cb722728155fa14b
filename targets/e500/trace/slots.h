/* Writes the counters of one core into the trace, one multiplexing slot (turn) after the other: passes set up and read
 * a turn's counters (counting.h), which become records of CONFIG's counters (trace/formats.h). A halt for a pass is
 * reported as time in which nothing ran. Board thread only. */
#ifndef PT_E500_TURNS_H
#define PT_E500_TURNS_H

#include "targets/e500/trace/counting.h"
#include "targets/e500/perfmon/perfmon.h"
#include "targets/contract/emit.h"

struct pt_e500_turns {
	struct pt_e500_target *e500;
	unsigned core;
	struct pt_emit out;
	struct pt_e500_counting counting;
	uint64_t period_ns, next_ns, random;	/* next_ns: when the next reading is due */
	bool period_given;		/* otherwise windows are polled more often, if that does not halt the core */
	uint64_t core_hz;		/* 0: not known */
	size_t turn;
	bool running;			/* a turn is under way */
	uint64_t n_torn;		/* readings whose chains were inconsistent after all retries */
	uint64_t value[PT_E500_PMCS_MAX], timebase;	/* of the last reading */
	uint64_t last[PT_E500_PMCS_MAX], last_timebase, last_ns;	/* of the previous reading in this turn */
	bool freezes;			/* PMGC0 was seen to hold what was written to it */
	uint8_t bytes[PT_CHUNK_BYTES];
	size_t len_bytes;		/* number of bytes; emitted with the next DATA */
	uint64_t slowest_ns;		/* longest round trip of a stop */
	uint64_t put_error_ns;		/* error of the last timestamps put */
	/* windows */
	uint64_t seen_ns, seen_events;	/* the last reading before the window's end */
	uint64_t told_ns, told_cycles;	/* of the last values put into the trace */
	uint64_t lately_ns, lately_events;	/* recent rate of the event that ends windows: events per time between
						 * two readings */
	uint64_t n_windows;		/* windows that have ended */
	bool bit_chosen;		/* PMGC0[TBSEL] has its final value */
};

uint64_t pt_e500_turns_now_ns(const struct pt_e500_turns *s);
/* Reads the current turn; if its window has ended, no turn is under way afterwards. Leaves out the reading if a chain
 * was inconsistent after all retries. If counters have gone back (a reset of the core), the counts since the previous
 * reading are unknown: that time becomes a LOSS, and no turn is under way afterwards. 0, or as of pt_e500_pass, or of
 * pt_e500_turn_check. */
int pt_e500_turns_read(struct pt_e500_turns *s, struct pt_err *err);
/* Ends the current turn, if there is one, and begins another. 0, or as of pt_e500_pass; PT_ESTATE: the core was in user
 * mode, and nothing was done. */
int pt_e500_turns_change(struct pt_e500_turns *s, size_t to, struct pt_err *err);
/* Reads the current turn for the last time; a window with all counters frozen. As of pt_e500_turns_read. */
int pt_e500_turns_end(struct pt_e500_turns *s, struct pt_err *err);
/* After a reset, which clears all PMRs: no turn is under way. */
void pt_e500_turns_forget(struct pt_e500_turns *s);
/* The core resumes, and its counters go on from their values at the halt. */
void pt_e500_turns_go_on(struct pt_e500_turns *s);
/* Emits buffered records, up to the time already reported. */
void pt_e500_turns_flush(struct pt_e500_turns *s);

#endif
