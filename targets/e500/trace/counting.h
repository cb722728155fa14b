/* Parses what a profile counts: events with thresholds and the core states in which they count, the trace's counters,
 * and the place of each in the hardware. Pure; any thread.
 *
 * An event is a name of its core's list, one of perf's, a number, AN3636's "Com:12", or perf's raw "rHEX" (PMLCb in the
 * upper 32 bits). Behind it may stand
 *	:LETTERS	u user, k supervisor, m marked, n not marked (in place of count=); c: a chain, 64 bits wide
 *	@N, @NxM	counts what lasts longer than N cycles; M, a power of 2 up to 128, is then the multiplier
 *	@sweep		once for each of thresholds=: how long they last, as a table
 * EVENT+EVENT: held together in one turn.
 *
 * With until= turns are windows that the hardware ends: all counters freeze in one cycle (PMGC0[FCECE]) when an event
 * has occurred N times, or when a bit of the time base rises. The counters then cover the same stretch of the program,
 * however late they are read. The event occupies the last counter in each turn.
 *
 * Sources: E500CORERM Rev. 1, Tables 7-4, 7-5 and 7-8; AN3636 2.1; Linux, core-fsl-emb.c (raw events).
 * UNVERIFIED: that a threshold's unit is the cycle. */
#ifndef PT_E500_COUNTING_H
#define PT_E500_COUNTING_H

#include "base/params.h"
#include "targets/e500/trace/assign.h"
#include "targets/e500/perfmon/scratch.h"

enum { PT_E500_COUNTED_MAX = 48, PT_E500_COUNTED_NAME = 64, PT_E500_NO_THRESHOLD = -1 };

struct pt_e500_counted {
	char name[PT_E500_COUNTED_NAME];	/* "CPU_CLK", "CPU_CLK:u", "EXTERNAL_LATENCY>40" */
	uint32_t pmlca, pmlcb;			/* to program; FC is off, CE is off */
	int threshold;				/* in cycles; PT_E500_NO_THRESHOLD: the event has none */
};

enum pt_e500_until { PT_E500_NO_WINDOWS, PT_E500_UNTIL_EVENT, PT_E500_UNTIL_TIMEBASE };

struct pt_e500_counting {
	enum pt_e500_core core;
	unsigned n_pmcs;			/* usable counters: see pt_e500_assign */
	enum pt_e500_until until;
	uint32_t until_events;			/* UNTIL_EVENT: a window ends after so many of counted[0] */
	uint32_t pmgc0;				/* its value while counting */
	uint32_t tbl_ticks;			/* ticks of the time base per TBL_BIT_TRANS (PMGC0[TBSEL]) */
	size_t n, n_places, n_turns;
	struct pt_e500_counted counted[PT_E500_COUNTED_MAX];
	struct pt_e500_want want[PT_E500_COUNTED_MAX];		/* of each counted */
	struct pt_e500_place place[PT_E500_PLACES_MAX];
};

enum { PT_E500_EVENTS, PT_E500_COUNT, PT_E500_CHAIN, PT_E500_THRESHOLDS, PT_E500_TURNS, PT_E500_TBSEL_TICKS,
       PT_E500_PERIOD, PT_E500_UNTIL, PT_E500_CORE, PT_E500_COUNTING_PARAMS };
extern const struct pt_param pt_e500_counting_params[PT_E500_COUNTING_PARAMS];

/* Reads until= and sets PMGC0 in *c, whose core must be set; *event, *len: the event's name within the parameter, if
 * there is one. PT_EARG; PT_EUNSUPPORTED: the core's time base cannot end windows. */
int pt_e500_counting_until(struct pt_e500_counting *c, const struct pt_params *words, const char **event, size_t *len,
			   struct pt_err *err);
/* core_hz: 0: not known; longest_ns: the longest turn; counters that could wrap in it are chained. 0, or PT_EARG with
 * the wrong value and what is valid; PT_EUNSUPPORTED, PT_ENOMEM as of pt_e500_assign. */
int pt_e500_counting_read(struct pt_e500_counting *c, enum pt_e500_core core, unsigned n_pmcs,
			  const struct pt_params *words, uint64_t core_hz, uint64_t longest_ns, struct pt_err *err);

enum { PT_E500_STEPS_PER_CYCLE = 4 };	/* the maximum for an event, unless its own is known. Source: E500CORERM Table
					 * 7-6 */
/* The shortest time in which a counter can wrap. 0: the clock is not known. */
uint64_t pt_e500_wrap_ns(uint64_t core_hz, unsigned steps_per_cycle);
/* The event's highest possible rate, in Hz. core_hz 0: assumes the fastest core of the family. */
uint64_t pt_e500_fastest(const struct pt_e500_event *event, uint64_t core_hz);
/* "Com:12, Spec: branches finished (executed)"; "Spec?" if that is uncertain. */
void pt_e500_note(const struct pt_e500_event *event, char *text, size_t room);
/* Writes lines of CONFIG (trace/formats.h, "counters"): turns, counters and figures that need a clock; counter c->n is
 * the time base, c->n + 1 counts windows. Truncated if room is too small: 13000 bytes are enough for
 * PT_E500_COUNTED_MAX. */
struct pt_e500_clocks { uint64_t core_hz, tb_hz; };	/* 0: not known */
void pt_e500_counting_tell(const struct pt_e500_counting *c, const struct pt_e500_clocks *clocks, char *text,
			   size_t room);
/* For cost=: "", or "; windows: all counters freeze ...". */
void pt_e500_counting_tell_windows(const struct pt_e500_counting *c, char *text, size_t room);

/* --- registers. These functions fill ops (capacity PT_E500_TURN_OPS_MAX) and return their number. */
enum { PT_E500_TURN_OPS_MAX = 32 };
/* Reads the counters of a turn: for a chain the upper half, the lower, and the upper again; with windows PMGC0
 * first. */
size_t pt_e500_turn_read(const struct pt_e500_counting *c, size_t turn, struct pt_e500_op *ops);
/* Computes the counts from what was read: value[i] of the turn's i-th place. False: the lower half of a chain wrapped
 * between the reads; read again. */
bool pt_e500_turn_values(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_op *ops, uint64_t *value);
/* Windows: true if the hardware has ended it, so that the values read are the frozen ones. */
bool pt_e500_turn_over(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_op *ops);
/* Windows: checks that PMGC0 holds what was written to it. PT_EUNSUPPORTED: it does not, so counters would never
 * freeze. */
int pt_e500_turn_check(const struct pt_e500_counting *c, const struct pt_e500_op *ops, struct pt_err *err);
/* One pass over ops; 0 or an error with its sentence. */
struct pt_e500_passer {
	int (*pass)(void *state, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err);
	void *state;
};
enum { PT_E500_CHAIN_RETRIES = 3 };
/* Reads the values of a turn with consistent chains: if the upper half is the same before and after the lower one,
 * there was no carry in between. Otherwise it reads again; *n_retries: how often. 0, the pass's error, or PT_ESTATE:
 * the halves still differ after PT_E500_CHAIN_RETRIES. ops: the registers read, capacity PT_E500_TURN_OPS_MAX. Source:
 * E500CORERM Rev. 1, 7.6.1 */
int pt_e500_turn_sample(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_passer *by,
			struct pt_e500_op *ops, uint64_t *value, unsigned *n_retries, struct pt_err *err);
/* Probes which counters exist: sets FC in each PMLCa, and reads it back. pt_e500_counters_found() returns how many
 * exist, from PMC0 on. */
size_t pt_e500_look_for_counters(const struct pt_e500_counting *c, struct pt_e500_op *ops);
unsigned pt_e500_counters_found(enum pt_e500_core core, const struct pt_e500_op *ops);
/* Freezes all counters, for set-up and after a reading, in the same pass. It also chooses the time base's bit, which
 * must not change while the bit may end a window. Source: E500CORERM Table 7-3 */
size_t pt_e500_turn_freeze(const struct pt_e500_counting *c, struct pt_e500_op *ops);
/* Sets the counters to zero (the one that ends a window: so far below its overflow), sets the turn's events, and
 * starts. PMGC0 is written last. */
size_t pt_e500_turn_begin(const struct pt_e500_counting *c, size_t turn, struct pt_e500_op *ops);

#endif
