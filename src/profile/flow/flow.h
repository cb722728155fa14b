/* Flow: the only code walker. Events and the code map give runs: which straight stretches of code ran, what they cost
 * and how they were left. Nothing is believed that the code does not allow; what cannot be is a gap.
 *
 * Branch formats (PT_EV_BRANCH): between two packets the core ran straight from where the first went to the
 * instruction that made the second; this holds only if that is code, no more than PT_FLOW_RUN_BYTES, without an
 * unconditional branch in between, and the last instruction can have gone where the packet says. A packet that goes
 * to the next instruction is no departure: the run goes on.
 * Atom formats (START, ATOMS, INDIRECT, VECTOR, STOP): direct branches are followed in the code map. Where they have
 * atoms for conditional ones alone, the others are followed as far as there are atoms, no further; see flow_silent.c.
 *
 * Time: runs have modelled cycles. Where the target stamps an exception or the end with the cycles since the last
 * reported branch, that is how long the straight stretch took, whatever the model says: see silent_time.c.
 *
 * A run is held back until its end is known. Where straight code goes over into another function, it is split.
 * Pure; any thread, one at a time. */
#ifndef PT_PROFILE_FLOW_H
#define PT_PROFILE_FLOW_H

#include "profile/flow/run.h"
#include "program/code/codemap.h"
#include "trace/event.h"

enum {
	PT_FLOW_RUN_BYTES = 32768,	/* no straight run is longer: half of what the code map's counters hold */
	PT_FLOW_NEST = 32,		/* exceptions inside one another that are remembered */
	PT_FLOW_PARKED = 32,		/* places that exceptions interrupted and did not return to */
	PT_FLOW_ROOM = 128,		/* free runs that flow needs to take any event (64 atoms at most) */
};

enum pt_flow_clock { PT_FLOW_CYCLES, PT_FLOW_INSTRUCTIONS };

/* What SINCE events say. */
enum pt_flow_stamps {
	PT_STAMPS_OTHER,	/* nothing of how long the core has been where flow stands */
	PT_STAMPS_FROM_FLOW,	/* the time since the last ATOM, INDIRECT, VECTOR or START */
	PT_STAMPS_FROM_LINE,	/* since the last line of the trace: an INDIRECT, VECTOR, START or SINCE, or 31 ATOMS */
};

struct pt_flow_settings {
	enum pt_flow_clock clock;	/* for analyses that add up runs; flow gives both */
	uint32_t exception_entry_cycles, exception_return_cycles, tail_chain_cycles;
	uint32_t sampled_entry_cycles;	/* of an entry that samples find elsewhere (entered.h); also without a cycle model */
	bool histograms;		/* likewise for others: whether they keep any, for quantiles */
};

/* What could not be resolved, by cause. Gaps that nothing ran between count once. */
struct pt_flow_counts {
	uint64_t restarts, damaged, lost, overflows;	/* from gap events */
	uint64_t not_code;	/* packets that the code does not allow, or outside it */
	uint64_t bad_from, bad_to;	/* the last of those; PT_UNKNOWN: none yet */
	uint64_t borders;	/* runs that were left by PT_LEFT_NEXT: no branch */
	/* doubtful jumps (isa.h): those that had no place in the trace; or had */
	uint64_t doubtful_silent, doubtful_recorded;
	uint64_t slept_cycles;	/* of stamps, at instructions that wait: in no run */
	uint64_t loops;		/* stamps of a loop that tells of nothing, whose turns but one were not counted */
};

/* Open so that it can lie anywhere; its fields are flow.c's business, but for counts. */
struct pt_flow {
	const struct pt_codemap *map;	/* the caller's; outlives the flow */
	struct pt_flow_settings settings;
	struct pt_flow_counts counts;

	uint64_t begin;			/* of the run that is held back; PT_UNKNOWN: not known */
	const struct pt_code_unit *at;	/* the entry of begin; NULL: not known */
	const struct pt_code_span *span;	/* where at is */
	uint32_t reached_bytes;		/* behind begin: what atoms have shown to be executed */
	bool stopped;			/* a debugger holds the core at begin */
	bool open;			/* the stretch has runs that no GAP run has ended yet */
	unsigned n_interrupted;		/* exceptions entered in this stretch and not yet left */
	uint64_t interrupted[PT_FLOW_NEST];	/* where each will return to */
	unsigned n_parked;
	uint64_t parked[PT_FLOW_PARKED];	/* likewise, of other tasks; the one that was left last is the last */
	/* by stamps of the target (silent_time.c): what each of those had run when it was interrupted that no run has
	 * taken yet, and where it began to */
	struct pt_flow_owed { uint64_t cycles, from; } owed[PT_FLOW_NEST], parked_owed[PT_FLOW_PARKED], owes;
	uint64_t so_far;		/* of the stamp that goes on: taken already */
	uint64_t at_end;		/* of the last ones that no exception made: not taken yet, for what comes next says whether
					 * the core was halted meanwhile */
	uint64_t run_cycles, line_began;	/* of runs, where stamps count from lines; when the last line ended */
	bool waits;			/* the walk stands behind an instruction at which the core sleeps */
	bool taken_only;		/* conditional branches that are not told of were not taken */
	unsigned bits_left;		/* of an ATOMS event that is half done; 0: of none */
	/* The caller may set these. vectors: where the vector table is; PT_UNKNOWN: where the program has it */
	uint64_t vectors;
	enum pt_flow_stamps stamps;
};

/* The defaults of an instruction set, for settings that were not changed. */
struct pt_flow_settings pt_flow_standards(const struct pt_isa *isa);

void pt_flow_init(struct pt_flow *flow, const struct pt_codemap *map, const struct pt_flow_settings *settings);

/* Append the runs of n events of one source to out. Returns events taken: fewer than n only when out has less than
 * PT_FLOW_ROOM free; empty it and call again with the rest. Kinds that are not about flow (SAMPLE, VALUE, ...) are
 * taken and do nothing. Never fails. */
size_t pt_flow_feed(struct pt_flow *flow, const struct pt_event *event, size_t n, struct pt_run_batch *out);

/* No event follows: the stretch ends. Needs PT_FLOW_ROOM free. */
void pt_flow_flush(struct pt_flow *flow, struct pt_run_batch *out);

#endif
