/* The target e500: PowerPC e500 cores behind a GDB server that owns the cable. Run control, memory and the core's
 * registers are the server's (targets/remote); the performance monitor's registers, which no debug port shows, are
 * reached by one of the ways below and become registers of ours in GDB's description. Board thread only.
 *
 *   settings.c            every setting, and what is not verified about it
 *   e500.c                attach, detach, registers in GDB's order, and the table of it all
 *   pm.c                  who has the performance monitor: choice of the way, lease, saving and restoring
 *   pm_scratch.c          the core itself executes a routine while it is halted (scratch.h)
 *   pm_agent.c            a small program beside the application answers in RAM (mailbox.h)
 *   pm_dcsr.c             registers of the core in the debug space of a QorIQ
 *   source_counters.c     events, rates, chains, thresholds
 *   source_samples.c      program counters, and which of them an event's overflow found
 *
 * Sources: E500CORERM Rev. 1, chapter 7; for the debug space NXP's qoriq-debug, dcsr_cpu_v1.h. */
#ifndef PT_E500_E500_H
#define PT_E500_E500_H

#include "targets/e500/scratch.h"
#include "targets/remote/remote.h"

struct pt_e500;

/* What one pass over a list of operations was, on the probe's clock. */
struct pt_e500_pass {
	uint64_t at_ns, error_ns;	/* when the values stood so; at worst this much before or after */
	uint64_t timebase;		/* of the core at that time; PT_UNKNOWN: the way does not tell */
	uint64_t halted_ns;		/* for which the program stood still because of it */
	uint32_t n_packets;
	bool halted;			/* it was running and had to be stopped */
};

/* A way to the performance monitor. */
struct pt_e500_way {
	const char *name;		/* "scratch" */
	bool halts;			/* a core that runs is stopped for each pass, and goes on behind it */
	/* Finds out whether it works here, without a change that is not undone. PT_EUNSUPPORTED: a setting is missing,
	 * the OS does not let PMRs be used, nobody answers; the sentence says which, and what to do. */
	int (*open)(struct pt_e500 *e500, const struct pt_params *settings, struct pt_err *err);
	void (*close)(struct pt_e500 *e500);
	/* In order; a register may be in the list several times, and each is a reading of its own. The core runs
	 * afterwards if it ran before. 0; PT_EUNSUPPORTED: this way cannot write (or not this one), and nothing was done;
	 * PT_EBUSY: an agent did not answer in time, PT_EIO: the server is gone; else as of pt_e500_scratch_run. */
	int (*pass)(struct pt_e500 *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		    struct pt_e500_pass *pass, struct pt_err *err);
	/* "scratch code at 0x00fff000: each sample halts the core, 10 packets, 2.1 ms (longest 3.4 ms)" */
	void (*describe)(const struct pt_e500 *e500, char *line, size_t room);
};
extern const struct pt_e500_way pt_e500_by_scratch, pt_e500_by_agent, pt_e500_by_dcsr;

/* One pass by the way that was chosen; what it cost is added up for the report. PT_EUNSUPPORTED: there is no way, and the
 * sentence says why not. */
int pt_e500_pass(struct pt_e500 *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_pass *pass,
		 struct pt_err *err);
/* The way in use, and what it has cost the program so far; for reports, `monitor status` and CONFIG ("path", "cost"). */
void pt_e500_describe_way(const struct pt_e500 *e500, char *line, size_t room);

extern const struct pt_source_ops pt_source_e500_counters, pt_source_e500_samples;

#endif
