/* The counters of one core, one multiplexing slot (turn) after the other, into the trace: what a turn counts is set
 * up and read in passes (counting.h), and becomes records of CONFIG's counters (trace/formats.h). The halt for a pass
 * is reported as time in which nothing ran. Board thread only. */
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
	bool period_given;		/* else windows are looked at oftener, where that halts nothing */
	uint64_t core_hz;		/* 0: not known */
	size_t turn;
	bool running;			/* a turn is under way */
	uint64_t n_torn;		/* chains that did not agree after all retries */
	uint64_t value[PT_E500_PMCS_MAX], timebase;	/* of the last reading */
	uint64_t last[PT_E500_PMCS_MAX], last_timebase, last_ns;	/* of the reading before, since the turn began */
	bool freezes;			/* PMGC0 was seen to hold what was written to it */
	uint8_t bytes[PT_CHUNK_BYTES];
	size_t len_bytes;		/* in bytes: told with the next DATA */
	uint64_t slowest_ns;		/* the longest that a stop took, asked and answered */
	uint64_t put_error_ns;		/* of the timestamps that were put last */
	/* windows */
	uint64_t seen_ns, seen_events;	/* the last time that it was seen to go on */
	uint64_t told_ns, told_cycles;	/* of the last values that are told */
	uint64_t lately_ns, lately_events;	/* of what ends windows, where it was seen twice */
	uint64_t n_windows;		/* that have ended */
	bool bit_chosen;		/* PMGC0[TBSEL] is as it will be */
};

uint64_t pt_e500_turns_now_ns(const struct pt_e500_turns *s);
/* Reads the turn that is under way; of a window whose end has come none is afterwards. Where a chain never was whole,
 * the reading is left out. Where counters have gone back, which a reset of the core does to them, what they counted
 * since the reading before is not known: that time is a LOSS, and no turn is under way afterwards. 0, or as of pt_e500_pass, or of pt_e500_turn_check. */
int pt_e500_turns_read(struct pt_e500_turns *s, struct pt_err *err);
/* Ends the turn that is under way, if one is, and begins another. 0, or as of pt_e500_pass; PT_ESTATE: the core was in
 * user mode, and nothing was done. */
int pt_e500_turns_change(struct pt_e500_turns *s, size_t to, struct pt_err *err);
/* Reads the turn that is under way for the last time: a window with all counters frozen. As of pt_e500_turns_read. */
int pt_e500_turns_end(struct pt_e500_turns *s, struct pt_err *err);
/* After a reset, which clears all PMRs: no turn is under way. */
void pt_e500_turns_forget(struct pt_e500_turns *s);
/* The core goes on, and the counters from what they had at the halt. */
void pt_e500_turns_go_on(struct pt_e500_turns *s);
/* What is not out yet, up to what has been told. */
void pt_e500_turns_flush(struct pt_e500_turns *s);

#endif
