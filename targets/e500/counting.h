/* What a profile counts, from its words: events with thresholds and with the states of the core in which they count, in
 * counters of the trace, and where each of them is in the hardware. Pure; any thread.
 *
 * An event is a name of its core's list, one of perf's, a number, AN3636's "Com:12", or perf's raw "rHEX" (PMLCb in the
 * upper 32 bits). Behind it may stand
 *	:LETTERS	u user, k supervisor, m marked, n not marked (in place of count=); c: a chain, 64 bits wide
 *	@N, @NxM	counts what lasts longer than N cycles; M, a power of 2 up to 128, is then the multiplier
 *	@sweep		once for each of thresholds=: how long they last, as a table
 * EVENT+EVENT: held together in one turn. Sources: E500CORERM Rev. 1, Tables 7-4, 7-5 and 7-8; AN3636 2.1; Linux,
 * core-fsl-emb.c (raw events). UNVERIFIED: that a threshold's unit is the cycle. */
#ifndef PT_E500_COUNTING_H
#define PT_E500_COUNTING_H

#include "params.h"
#include "targets/e500/assign.h"
#include "targets/e500/scratch.h"

enum { PT_E500_COUNTED_MAX = 48, PT_E500_COUNTED_NAME = 64, PT_E500_NO_THRESHOLD = -1 };

struct pt_e500_counted {
	char name[PT_E500_COUNTED_NAME];	/* "CPU_CLK", "CPU_CLK:u", "EXTERNAL_LATENCY>40" */
	uint32_t pmlca, pmlcb;			/* to program; FC is off, CE is off */
	int threshold;				/* in cycles; PT_E500_NO_THRESHOLD: the event has none */
};

struct pt_e500_counting {
	enum pt_e500_core core;
	unsigned n_pmcs;			/* that may be used: see pt_e500_assign */
	size_t n, n_places, n_turns;
	struct pt_e500_counted counted[PT_E500_COUNTED_MAX];
	struct pt_e500_want want[PT_E500_COUNTED_MAX];		/* of each counted */
	struct pt_e500_place place[PT_E500_PLACES_MAX];
};

enum { PT_E500_EVENTS, PT_E500_COUNT, PT_E500_CHAIN, PT_E500_THRESHOLDS, PT_E500_TURNS, PT_E500_TBSEL_TICKS,
       PT_E500_PERIOD, PT_E500_COUNTING_PARAMS };
extern const struct pt_param pt_e500_counting_params[PT_E500_COUNTING_PARAMS];

/* core_hz: 0: not known; longest_ns: of a turn, for which events have to be chained. 0, or PT_EARG with the word that
 * is wrong and what would be right; PT_EUNSUPPORTED, PT_ENOMEM as of pt_e500_assign. */
int pt_e500_counting_read(struct pt_e500_counting *c, enum pt_e500_core core, unsigned n_pmcs,
	const struct pt_params *words, uint64_t core_hz, uint64_t longest_ns, struct pt_err *err);

enum { PT_E500_STEPS_PER_CYCLE = 4 };	/* of an event of which nothing else is known. Source: E500CORERM Table 7-6 */
/* How long a counter takes to wrap at the least. 0: the clock is not known. */
uint64_t pt_e500_wrap_ns(uint64_t core_hz, unsigned steps_per_cycle);
/* How fast it counts at most, in Hz. core_hz 0: as if the core were as fast as any of the family. */
uint64_t pt_e500_fastest(const struct pt_e500_event *event, uint64_t core_hz);
/* "Com:12, Spec: branches finished (executed)"; "Spec?" where even that is in doubt. */
void pt_e500_note(const struct pt_e500_event *event, char *text, size_t room);
/* As lines of CONFIG (trace/formats.h, "counters"): turns, counters and figures that need a clock; counter c->n is the
 * time base. Cut off where room is short: 13000 bytes are enough for PT_E500_COUNTED_MAX. */
struct pt_e500_clocks { uint64_t core_hz, tb_hz, tbl_ticks; };	/* 0: not known; ticks of one TBL_BIT_TRANS */
void pt_e500_counting_tell(const struct pt_e500_counting *c, const struct pt_e500_clocks *clocks, char *text,
			   size_t room);
/* The bits of PMGC0 while it counts, and how many ticks of the time base one TBL_BIT_TRANS is. */
uint32_t pt_e500_counting_pmgc0(const struct pt_params *words, uint64_t *ticks);

/* --- registers. Fill ops, of which there are PT_E500_TURN_OPS_MAX, and return their number. */
enum { PT_E500_TURN_OPS_MAX = 32 };
/* Reads the counters of a turn: of a chain the upper half, the lower, and the upper again. */
size_t pt_e500_turn_read(const struct pt_e500_counting *c, size_t turn, struct pt_e500_op *ops);
/* What was read, for places in their order: value[i] of the turn's i-th. False: a chain's halves do not belong
 * together, it has to be read again. */
bool pt_e500_turn_values(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_op *ops, uint64_t *value);
/* One pass over ops; 0 or an error with its sentence. */
struct pt_e500_passer {
	int (*pass)(void *state, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err);
	void *state;
};
enum { PT_E500_CHAIN_RETRIES = 3 };
/* The values of a turn whose chains are whole: in a chain whose upper half was the same before and behind the lower one
 * nothing was carried in between. It is read again while it was not; *n_retries: how often. 0, or what the pass says,
 * or
 * PT_ESTATE: the halves still differ after PT_E500_CHAIN_RETRIES. Source: E500CORERM Rev. 1, 7.6.1 */
int pt_e500_turn_sample(const struct pt_e500_counting *c, size_t turn, const struct pt_e500_passer *by, uint64_t *value,
	unsigned *n_retries, struct pt_err *err);
/* Finds out which counters are there: each is frozen by itself, and PMLCa read again. Then how many from PMC0 on
 * are. */
size_t pt_e500_look_for_counters(enum pt_e500_core core, struct pt_e500_op *ops);
unsigned pt_e500_counters_found(enum pt_e500_core core, const struct pt_e500_op *ops);
/* All frozen; for set-up and behind a reading, in one pass with it. */
size_t pt_e500_turn_freeze(struct pt_e500_op *ops);
/* Everything at zero, the turn's events, and off. PMGC0 comes last. */
size_t pt_e500_turn_begin(const struct pt_e500_counting *c, size_t turn, uint32_t pmgc0, struct pt_e500_op *ops);

#endif
