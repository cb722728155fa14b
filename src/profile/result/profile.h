/* A profile: the facts and figures that views show. Made by the pipeline (or by hand, in a test), constant for all
 * that read it. Every text in it lives as long as the profile. */
#ifndef PT_PROFILE_PROFILE_H
#define PT_PROFILE_PROFILE_H

#include "profile/result/basis.h"
#include "profile/stack/execution.h"
#include "profile/stats/calibration.h"
#include "profile/stats/places.h"
#include "profile/stats/stat.h"
#include "profile/stats/survival.h"
#include "program/model/program.h"
#include "trace/cost.h"
#include "trace/loss.h"

enum { PT_PROFILE_CORES = 16, PT_PROFILE_TEXT = 200, PT_TASK_NOTES = 16, PT_TASK_NOTE_BYTES = 448 };

struct pt_profile_function {
	uint16_t id;			/* PT_NO_FUNCTION: code that no function owns */
	const struct pt_function *function;	/* NULL then */
	uint16_t core;
	const struct pt_profile_function *next;	/* the same function on another core; NULL: on no more */
	const struct pt_execution_function *run;	/* NULL: only sampled; windowed: estimates of the whole profile */
	const struct pt_execution_function *seen;	/* what was seen of it; the same as run, but where that is estimated */
	struct pt_estimate count, net;	/* windowed only: the intervals of run->count and of the time of its own, which
					 * stand for all of the profile, and so know how sure it is for how long the
					 * core was awake */
	double gross_share;		/* windowed only: at least; run->gross_total is a lower bound, too. NAN: not known */
	struct pt_estimate per_second;	/* entries, of all time; windowed only */
	struct pt_estimate per_call;	/* ticks of its own, of a call; windowed only */
	const struct pt_lengths *durations;	/* windowed only: by enum pt_tally_kind; NULL: nothing is known */
	uint64_t samples;		/* pc samples */
	struct pt_share share;		/* of the time in which its core did not sleep; lo = hi = 0: no interval */
};

struct pt_profile_core {		/* what was seen of a core; where there are several: sums are in the profile */
	uint16_t core;
	uint64_t branches, instructions, cycles, samples;
	uint64_t bursts, bursts_used, bursts_asleep, bursts_cut_short, bursts_unchosen;	/* as in the profile */
	uint64_t burst_cycles;
	/* by_bins: clock cycles of the time observed in which nothing was counted, as the core slept or was outside the
	 * range; PT_UNKNOWN: nobody can say. And whether more was counted than the clock has in that time. */
	uint64_t rest_cycles;
	bool beyond_clock;
	/* Figures of functions, lines, instructions and chains of calls are estimates, from windows (flow/windows.h) */
	bool windowed;
	struct pt_cluster_total windows, armed;	/* with those that found the core asleep */
	struct pt_share asleep;		/* of all time */
	bool sleeps;			/* in windows, or between them: periods are of no length that is known */
	bool in_pieces;			/* not windowed, and what was seen is no fair part: those calls that were seen whole
					 * say of lengths only what the longest is at least */
	/* It was sampled between its bursts: shares of functions, lines and instructions are of samples, and chains of
	 * calls are fitted to them (calibration.h); by id. NULL: not so. */
	const struct pt_calibration *calibration;
	struct pt_cluster_total batches;	/* of samples that found it awake */
	struct pt_share asleep_by_bursts;	/* asleep is by samples then */
	bool tallied;			/* in_pieces or seen_part, of a profile that went on beside: counts are at least
					 * those */
	double seen_part;		/* of the time that the core ran, where that is most of it: shares are within what
					 * the rest leaves open; else 0 */
	bool awake_estimated;		/* ticks is: how sure it is, asleep says; else it is what was seen */
	uint64_t ticks;			/* of the profile's clock: what rows are shares of. Windowed: that the core was
					 * awake, estimated; else what was seen */
};

/* A figure of a windowed core that was x in each tick of the mean window. */
static inline uint64_t pt_profile_scaled(const struct pt_profile_core *core, double x)
{
	return (uint64_t)(x * (double)core->ticks + 0.5);
}

struct pt_profile_place {		/* where pc samples were taken, on a core of which there are only samples */
	struct pt_place place;		/* key, of a line: its file, shifted left by 32, and its number; of an
					 * instruction: its address */
	uint16_t function, core;	/* function: id */
};

/* What was so much in each tick that the core was awake, in the whole profile, with the interval that its sleep
 * adds. */
struct pt_estimate pt_profile_in_all(const struct pt_profile_core *core, struct pt_estimate e);

/* Whether what a source tells of its core's flow is in the figures. */
enum pt_source_use {
	PT_SOURCE_USED,
	PT_SOURCE_SECOND,	/* another source of the same core came before it: that one's are */
	PT_SOURCE_NO_ROOM,	/* more cores than there is room for */
	PT_SOURCE_NO_ISA,	/* nothing here can walk the program's code: its trace is not read at all */
	PT_SOURCE_NO_CONFIG,	/* the record that says what its trace means is damaged: all of it is lost */
};

struct pt_profile_irq {			/* a function that exceptions entered, on a core */
	const struct pt_profile_function *function;
	char vectors[40];		/* "SysTick IRQ6"; more than fit: "..." */
	struct pt_stat since;		/* pending_delta.h, of all its vectors; n = 0: the target stamps nothing */
};

struct pt_profile_since {		/* an exception whose entries had time stamps (pending_delta.h) */
	char exception[24];		/* "IRQ", "vector 0x1CC"; "(none)": stamps alone */
	const struct pt_function *handler;	/* NULL: not known */
	struct pt_stat cycles;		/* of the target's bus */
};

struct pt_profile_source {		/* one of several: what it is, and its account of time */
	char source[16], mode[16], format[16];
	char title[48];			/* what people call it: "MTB bursts"; "": an older capture, or a file of another instrument */
	char event[40];			/* that it takes samples by; "": time, or it takes none */
	uint16_t number, core;
	struct pt_loss_sum loss;
	uint64_t mismatch_ns;
	uint64_t beyond_ns;		/* a look took so much less time than its modelled cycles have at core_hz; or 0 */
	bool observed_is_bound, ended;
	bool no_clock;			/* it is not known when any of it was, or how long: a dump */
	bool meets_interrupted;		/* samples find an exception that is being entered in what it interrupts */
	bool triggered;			/* the hardware begins and ends its counting, unseen */
	uint64_t branches, samples, values, looks;	/* what it gave: runs of branch trace, pc samples, values written,
							 * variables read */
	struct pt_cost cost;		/* as measured: COST chunks */
	char assumed[2 * PT_PROFILE_TEXT];	/* what its figures rest on and no manual says; "": nothing */
	char cost_besides[3 * PT_PROFILE_TEXT];	/* what no measure says of it */
	uint64_t link_ns, link_of_ns;	/* so long it had the link, of so long; 0: it had it alone */
	enum pt_source_use ignored;	/* its branches */
	size_t instead;			/* SECOND: the index of the source that is believed */
};

/* Does the chip hold the program? Unknown: they could not be compared when this was recorded, or there was no program.
 * Other: it was recorded with another program, and this one was not compared. */
enum pt_elf_check { PT_ELF_UNSAID, PT_ELF_SAME, PT_ELF_DIFFERS, PT_ELF_UNKNOWN, PT_ELF_OTHER };

/* Of the target's memory. */
enum { PT_PROFILE_REGIONS = 16 };
struct pt_profile_region { char kind[12]; uint64_t addr, size; };	/* "flash" */

struct pt_profile {
	/* what was measured, how: from CONFIG, of the first source where there are several */
	char source[16], mode[16], analysis[64];
	char target[PT_PROFILE_TEXT], probe[PT_PROFILE_TEXT];
	char cost[2 * PT_PROFILE_TEXT];	/* as it was expected; report/text/details.h has both */
	/* what made it, and would again: the first source's; "": a capture of an older version */
	char version[24], words[PT_PROFILE_TEXT];	/* of proftap; of profile start */
	const char *settings;	/* that the trace is read by, "clock=instructions\n"; NULL: none was given. FILE: the text of one */
	char address[4 * PT_PROFILE_TEXT];	/* of the probes, a tab between them; "": not known, or too long */
	bool at_reset;			/* it began with the core held at its reset vector */
	uint64_t seed;			/* of the random times between two looks */
	uint64_t buffer_addr, buffer_bytes;	/* the target's RAM that the trace is written to; 0 bytes: none */
	struct pt_profile_region region[PT_PROFILE_REGIONS];	/* as far as the first source says */
	size_t n_regions;
	bool buffer_in_use;		/* the user put it where the program may have data */
	bool sleep_counted;		/* samples are of all time: the source cannot tell sleep from work */
	bool from_virtual;		/* a virtual board: no number is of hardware */
	const struct pt_program *program;	/* NULL: no symbols */
	enum pt_elf_check elf_check;	/* of what the chip held at the start */
	uint64_t elf_differs_at;	/* first address found; 0 if none was */
	uint64_t elf_compared, elf_bytes;	/* so much of so much was compared; 0: not known */
	char elf_unread[PT_PROFILE_TEXT];	/* UNKNOWN: why, as half a sentence; "": the capture does not say */
	char fallback[PT_PROFILE_TEXT];	/* why it is not the first source that the chip offers; "": it is, or was named */
	const char *timing;		/* name of the cycle model */
	bool opt_in_model;		/* the user asked for it, as it is not verified (cycles=model): no rule and no law uses it */

	/* clock of all times below */
	bool by_instructions;		/* else modelled cycles */
	bool awake_only;		/* the clock counts what is executed: it stands still while the core sleeps */
	bool by_bins;			/* functions and lines have what bins counted (bins.h):
					 * clock cycles, or instructions */
	bool no_flow;			/* no source tells what ran: functions stay empty */
	bool no_clock;			/* nor when anything was: what was seen has a length on the clock above alone */
	bool no_code;			/* no source tells of code: all times are of the sources' stamps, in ns */
	uint64_t core_hz;		/* 0: unknown, then times are in cycles only */
	/* What a counter of the running target says of it; least 0: nothing; most 0: it may be faster than least. */
	uint64_t clock_least_hz, clock_most_hz;
	bool clock_measured;		/* core_hz is that measurement, as the user gave none */
	double stamps_wrong;		/* the part that lengths by a source's stamps may be off: their clock was measured; 0 */

	/* Time. Of several sources each has its own account of the same run: loss has sums of their events and bytes,
	 * and as times of one thing they mean nothing. */
	struct pt_loss_sum loss;
	uint64_t run_ns;		/* of several sources: from the first begin of one to the last end */
	const struct pt_profile_source *sources;	/* in the order they were opened */
	size_t n_sources;		/* a profile made by hand may have none: then it is of one */
	uint64_t sources_refused;	/* more than there was room for: nothing of them is in here */
	uint64_t other_stream_bytes;	/* of a trace port, of streams that nothing decodes */
	uint64_t values_incomplete;	/* parts of values that were never made whole (signals.h) */
	uint64_t values_unplaced;	/* accesses to places without a name, beyond those there was room for */
	/* What of the OS cannot be followed, or not in one message, and why: a sentence each; the
	 * last is "". NULL: nothing */
	const char (*task_note)[PT_TASK_NOTE_BYTES];
	uint64_t out_of_order;		/* events that came too late to be put in order with those of other sources */
	uint64_t mismatch_ns;		/* time that the chunks left out or claimed twice:
					 * 0, or the source is at fault */
	bool observed_is_bound;		/* observed_ns is at most: the core clock is unknown, halts are found late */
	bool triggered;			/* or somebody else begins and ends a source's counting, unseen */
	bool ended;			/* END has been passed */
	bool no_end;			/* nor will it be: the session was cut short, or this is what it had come to */

	/* what the figures rest on */
	enum pt_basis counts, times, shares;
	const char *incomplete;		/* why not all that ran was seen, as half a sentence; NULL: all was */
	uint64_t branches;		/* runs of branch trace */
	uint64_t samples, samples_asleep, samples_refused, batches;	/* pc samples: all, asleep, not permitted */
	uint64_t samples_missed;	/* taken, and lost on their way, at most; PT_UNKNOWN: some, not known how many */
	char sampled_by[40];		/* the event that a sample is taken by; "": time */
	uint64_t sampled_every;		/* events to a sample, in the mean; 0: not known */
	double samples_effective;	/* independent samples that would give the same intervals; 0: not known */
	uint64_t bursts, bursts_used, bursts_asleep, bursts_cut_short;	/* all; with a window; armed asleep; interrupted */
	uint64_t bursts_unchosen;	/* neither their beginning nor their end was random (windows.h) */
	uint64_t burst_cycles;		/* what each window was cut to; 0: there are none */
	bool windowed;			/* figures of some core are estimated from windows in bursts */
	uint64_t instructions, cycles;	/* seen */
	uint64_t ticks;			/* of all cores; see struct pt_profile_core */
	/* Jumps of which nobody knows whether the trace has them (isa.h, doubtful): so many had no
	 * place in it, or had. */
	uint64_t doubtful_silent, doubtful_recorded;
	bool turns_uncounted;	/* of loops that leave no trace, each counts as one by stamp: instructions are at least so
				 * many; calls and exceptions are not concerned */
	uint64_t not_code;		/* packets that the code does not allow */
	uint64_t not_code_from, not_code_to;	/* the last of them; PT_UNKNOWN: none */
	struct pt_execution_errors errors;

	bool part_shown;		/* the user chose functions: rows are not all that was seen */
	const char *contradiction;	/* more was seen than the clock allows, as half a sentence; NULL: no */

	const struct pt_profile_core *core;	/* those with figures of their own; none in a profile made by hand */
	size_t n_cores;
	const struct pt_profile_function *function;	/* by core and id; those with anything to show */
	size_t n_functions;
	struct pt_share unseen;		/* of a function that was never seen: 0, and at most hi;
					 * hi = 0: all that ran was seen */
	const struct pt_edge *edge;	/* by core, from and to */
	size_t n_edges;
	const struct pt_profile_function *const *by_id;	/* on the first core that has it; NULL where
							 * nothing is shown; ids below n_ids */
	size_t n_ids;
	const struct pt_profile_place *sampled_line, *sampled_insn;	/* by core and key */
	size_t n_sampled_lines, n_sampled_insns;
	const struct pt_profile_irq *irq;
	size_t n_irqs;

	const struct pt_profile_since *since;
	size_t n_since;

	/* results of analyses (analysis.h), each in its own header; NULL: not selected */
	const struct pt_tree *tree;
	const struct pt_lines *lines;		/* lines, instructions, inlined calls, coverage */
	const struct pt_spans *spans;		/* entry/exit analysis and named spans, on the clock above */
	const struct pt_spans *signalled;	/* spans that the program signals, in ns */
	const struct pt_exceptions *exceptions;	/* as the chip reported them, in ns */
	const struct pt_spans *ranges;		/* bodies of functions, on the clock above */
	const struct pt_data *data;		/* variables */
	const struct pt_watched *watched;	/* variables that are looked at now and then */
	const struct pt_tasks *tasks;
	const struct pt_aux *aux;		/* external lines */
	const struct pt_sync *sync;		/* edges and entries that compare two clocks; no view shows them */
	const struct pt_bins *bins;		/* histogram of the program counter */
	const struct pt_counters *counters;
	const struct pt_sampled *sampled;	/* samples by several events */
	const struct pt_timeline *timeline;
	const struct pt_trace_events *trace_events;
	const struct pt_history *history;	/* of n_histories cores; only while it is recorded */
	size_t n_histories;
	const struct pt_blocks *blocks;		/* how figures spread over time */
	const struct pt_diff *diff;		/* against another profile; made by a verb */
	const struct pt_limits *limits;		/* rules and what became of them */
};

static inline const struct pt_loss_sum *pt_profile_loss(const struct pt_profile *profile)
{
	return &profile->loss;
}

/* How long the profile took, by the clock. */
static inline uint64_t pt_profile_run_ns(const struct pt_profile *profile)
{
	return profile->n_sources > 1 ? profile->run_ns : profile->loss.total_ns;
}

/* The account of time of source i, or of the only one; NULL: there is no more. */
static inline const struct pt_loss_sum *pt_profile_account(const struct pt_profile *profile, size_t i)
{
	if (profile->n_sources > 1)
		return i < profile->n_sources ? &profile->sources[i].loss : NULL;
	return i == 0 ? &profile->loss : NULL;
}

/* All that ran on a core, on the profile's clock: what its rows are shares of. */
static inline uint64_t pt_profile_ticks(const struct pt_profile *profile, uint16_t core)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].core == core)
			return profile->core[i].ticks;
	return profile->n_cores != 0	  ? profile->ticks
	       : profile->by_instructions ? profile->instructions
					  : profile->cycles;
}

/* A share of what was seen, as one of all that ran: what was not seen may all have been this row's, or none of it. */
static inline struct pt_share pt_profile_bounded(double seen_part, double share)
{
	return (struct pt_share){ .share = share, .lo = seen_part * share, .hi = seen_part * share + 1 - seen_part };
}

static inline double pt_profile_seen_part(const struct pt_profile *profile, uint16_t core)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].core == core)
			return profile->core[i].seen_part;
	return 0;
}

/* NULL: it was not sampled between its bursts. */
static inline const struct pt_profile_core *pt_profile_calibrated(const struct pt_profile *profile, uint16_t core)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].core == core)
			return profile->core[i].calibration != NULL ? &profile->core[i] : NULL;
	return NULL;
}

/* What is shown of some core is samples and nothing else: no chain of calls is known. */
static inline bool pt_profile_by_samples(const struct pt_profile *profile)
{
	bool any = profile->samples != 0 && profile->n_cores == 0;

	for (size_t i = 0; i < profile->n_cores && !profile->by_bins; i++)
		any |= profile->core[i].samples != 0 &&
		       (profile->core[i].calibration == NULL || !profile->core[i].windowed);
	return any;
}

/* NULL: its figures are of what was seen. */
static inline const struct pt_profile_core *pt_profile_windowed(const struct pt_profile *profile, uint16_t core)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].core == core)
			return profile->core[i].windowed ? &profile->core[i] : NULL;
	return NULL;
}

/* How often something happened, and how long it took in all, is at least what was seen. A dump is all that there is, of
 * no time that is known; one stretch of mode halt may be all of it. */
static inline bool pt_profile_tallied(const struct pt_profile *profile, uint16_t core)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].core == core)
			return profile->core[i].tallied;
	return false;
}

/* Of how long calls last, and their periods, nothing is known but what the longest is at least. */
static inline bool pt_profile_in_pieces(const struct pt_profile *profile, uint16_t core)
{
	for (size_t i = 0; i < profile->n_cores; i++)
		if (profile->core[i].core == core)
			return profile->core[i].in_pieces;
	return false;
}

/* The share of trace that was lost to faults, 0..1: of bytes or of time, whichever is more; of the worst source. More
 * than 0 if there was any fault, and 1 if it is not known how much is missing. */
double pt_profile_lost_share(const struct pt_profile *profile);

static inline enum pt_basis pt_profile_weakest(const struct pt_profile *p)
{
	enum pt_basis weakest = p->counts > p->times ? p->counts : p->times;

	return weakest > p->shares ? weakest : p->shares;
}

#endif
