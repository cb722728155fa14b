/* The target e500: PowerPC e500 cores behind a GDB server that owns the cable. Run control, memory and the core's
 * registers are the server's (targets/remote); the performance monitor's registers, which no debug port shows, are
 * reached by one of the ways below and become registers of ours in GDB's description. Board thread only.
 *
 *   settings.c            every setting, and what is not verified about it
 *   e500.c                attach, detach, and the table of it all
 *   identity.c            which core it is
 *   auxv.c                which core a process runs on, as its kernel reports it
 *   registers.c           registers in GDB's order, and PMRs as registers of GDB
 *   pmr.c                 numbers and fields of the PMRs, by core
 *   pm.c                  choice of the way to the performance monitor, passes by it (perfmon.h)
 *   hold.c                who has it: lease, saving and restoring
 *   method.c              what a way notes of itself
 *   pm_account.c          what a profile's passes cost the program
 *   pm_restore.c          what could not be put back because the server was gone
 *   pm_scratch.c          the core itself executes a routine while it is halted (scratch.h)
 *   pm_agent.c            a small program beside the application answers in RAM (mailbox.h, mailbox_block.c)
 *   pm_dcsr.c             registers of the core in the debug space of a QorIQ
 *   events.c              what can be counted, by its names (event_table.c); what is like a wrong one (events_near.c)
 *   assign.c              which event is in which counter, and in which turn (assign_ratios.c, assign_repeat.c)
 *   counting.c            counters from turn to turn (counting_slot.c), what ends a window (counting_window.c), and
 *                         what is told of them (counting_config.c)
 *   source_counters.c     events, rates, chains, thresholds, turn by turn (slots.c); what they cost is told by
 *                         report_config.c
 *   cores.c               a source of several cores
 *   source_samples.c      program counters, and which of them an event's overflow found (sampling.h)
 *
 * Sources: E500CORERM Rev. 1, chapter 7; for the debug space NXP's qoriq-debug, dcsr_cpu_v1.h. */
#ifndef PT_E500_E500_H
#define PT_E500_E500_H

#include "targets/contract/cores.h"
#include "targets/e500/core/pmr.h"
#include "targets/e500/core/settings.h"
#include "targets/remote/remote.h"
#include "trace/cost.h"

enum {
	PT_E500_PASS_MAX = 32,		/* operations in one pass; a way may add its own up to PT_E500_OPS_MAX */
	PT_E500_PMRS_MAX = 3 * PT_E500_PMCS_MAX + 1,
};

/* The place of each way, in the order in which they are tried: those that halt nothing come first. */
enum pt_e500_slot { PT_E500_SLOT_DCSR, PT_E500_SLOT_AGENT, PT_E500_SLOT_SCRATCH, PT_E500_WAYS };

/* An operation that reads the captured program counter, its lower 32 bits; of way dcsr only. */
enum { PT_E500_CAPTURED_PC = 0x2000 };

struct pt_e500_target;

/* What one pass over a list of operations was, on the probe's clock. */
struct pt_e500_pass {
	uint64_t at_ns, error_ns;	/* when the values stood so; at worst this much before or after */
	uint64_t timebase;		/* of the core at that time; PT_UNKNOWN: the way does not tell */
	uint64_t halted_ns;		/* for which the program stood still because of it */
	uint32_t n_packets;
	bool halted;			/* it was running and had to be stopped */
};

/* A way to the performance monitor. */
struct pt_e500_method {
	const char *name;		/* "scratch" */
	enum pt_e500_slot slot;
	bool halts;			/* a core that runs is stopped for each pass, and goes on behind it */
	size_t state_bytes;		/* zeroed before open: pt_e500_method_state() */
	/* Finds out whether it works here, without a change that is not undone and without halting anything.
	 * PT_EUNSUPPORTED and whatever else: a setting is missing, the OS does not let PMRs be used, there is no answer;
	 * the sentence says which, and what to do. It is asked again now and then until it works. */
	int (*open)(struct pt_e500_target *e500, const struct pt_params *settings, struct pt_err *err);
	void (*close)(struct pt_e500_target *e500);	/* only after open; sends nothing */
	/* In order; a register may be in the list several times, and each is a reading of its own. The core runs
	 * afterwards if it ran before. Fills of *pass at_ns, error_ns, timebase, halted_ns, halted. 0; PT_EUNSUPPORTED:
	 * this way cannot write (or not this one), or PMRs turn out to trap; nothing was done, and the next way is
	 * tried;
	 * PT_EBUSY: an agent did not answer in time, PT_EIO: the server is gone; else as of pt_e500_scratch_run. */
	int (*pass)(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		    struct pt_e500_pass *pass, struct pt_err *err);
	/* "agent at 0x00fff000 in the program": what it is, for pt_e500_describe_way, which adds what passes cost. */
	void (*describe)(const struct pt_e500_target *e500, char *line, size_t room);
	/* Where it is open: another has to write. NULL: it writes, too. */
	bool (*only_reads)(const struct pt_e500_target *e500);
};
/* What passes for one profile of a core have cost it, by way (pm_account.c). */
struct pt_e500_account {
	const struct pt_e500_target *e500;
	struct {
		const struct pt_e500_method *method;	/* NULL: none was made by it */
		struct pt_cost_part part;	/* its name is empty: pt_e500_account_tell gives it */
	} by[PT_E500_WAYS];
};

/* Of a way, or of all: what passes have cost so far. */
struct pt_e500_cost {
	uint64_t n_passes, n_halts, n_packets, halted_ns, longest_halt_ns;
	uint32_t most_packets;
};

struct pt_e500_target {
	struct pt_remote remote;	/* first: pt_remote_* take it */
	struct pt_remote_kind kind;
	enum pt_e500_core core;
	uint32_t pvr;			/* 0: not known */
	const char *how_known;		/* of core: "by its PVR" */
	unsigned g_bytes;		/* what a server without a description sends as g; 0: it has one, or does not say */
	struct pt_params *settings;	/* a copy of ours */
	char name[160];
	uint64_t agent_addr;		/* where the program has its agent (scripts/agent); PT_UNKNOWN: it has none */
	struct pt_region region[3];
	size_t n_regions;
	/* PMRs as registers of GDB; id is the PMR's number, the supervisor's or the user's */
	struct pt_register own[2 * PT_E500_PMRS_MAX];
	char own_name[2 * PT_E500_PMRS_MAX][12];
	struct pt_e500_pm {
		struct pt_e500_method_at {
			void *state;
			bool open, refused;		/* refused: for good, see pt_e500_refuse() */
			uint64_t asked_ns;		/* when open was last tried; 0: never */
			char why[240];	/* it is not open */
			struct pt_e500_cost cost;
		} at[PT_E500_WAYS];
		const struct pt_e500_method *last;	/* that made a pass; NULL: none has */
		bool silent;			/* the last pass found the server gone, or without an answer */
		struct pt_e500_account account[PT_REMOTE_MAX_CORES];
		bool for_debugger;		/* what is read and written now is no profile's */
		struct pt_span ram;		/* that a source offered for scratch code; size 0: none */
		struct pt_e500_snapshot {	/* all PMRs, read together for a GDB that asks for one after another */
			uint32_t value[PT_E500_PMRS_MAX];
			uint32_t unreadable;	/* bit i: all[i], since it was found so; it is asked for no more */
			uint64_t at_ns;		/* 0: there is none */
			uint32_t resumes;
			unsigned core;
		} snapshot;
		/* Of each core: the owner of its performance monitor, and what was in it before; n_saved 0: none. */
		struct pt_e500_hold {
			char owner[24];
			struct pt_e500_op saved[PT_E500_PMRS_MAX];
			size_t n_saved;
			/* and what was written since to say what is counted */
			struct pt_e500_op left[PT_E500_PMRS_MAX];
			size_t n_left;
		} hold[PT_REMOTE_MAX_CORES];
	} pm;
};

/* --- identity.c, auxv.c: which core it is --- */

/* core and how_known are set. PT_EUNSUPPORTED: it is none of ours, or nothing says that it is. */
int pt_e500_find_core(struct pt_e500_target *e500, struct pt_err *err);
bool pt_e500_core_by_setting(struct pt_e500_target *e500);	/* true: a setting names it, and it counts */
/* PT_EARG: the setting names another core than the PVR does, where that is known. */
int pt_e500_check_setting(const struct pt_e500_target *e500, struct pt_err *err);
/* From what a process was told by its kernel: core and how_known are changed where that names one. */
bool pt_e500_core_by_auxv(struct pt_e500_target *e500);
/* Which core it really is, whatever it is taken for. False: its PVR is not known, or of none of ours. */
bool pt_e500_core_of_pvr(const struct pt_e500_target *e500, enum pt_e500_core *core);
/* The core's PVR, read on the way; 0: it could not be. What it says of the core counts, unless a setting did. */
void pt_e500_learn_pvr(struct pt_e500_target *e500, uint32_t pvr);

#endif
