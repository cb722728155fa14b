/* The target e500: PowerPC e500 cores behind a GDB server that owns the cable. The server does run control, memory and
 * the core's registers (targets/remote). The performance monitor's registers, which no debug port shows, are accessed
 * by one of the methods below and are added to GDB's description. Board thread only.
 *
 *   settings.c            every setting, and what is not verified about it
 *   e500.c                attach, detach, and the table of it all
 *   identity.c            which core it is
 *   auxv.c                which core a process runs on, as its kernel reports it
 *   registers.c           registers in GDB's order, and PMRs as registers of GDB
 *   pmr.c                 numbers and fields of the PMRs, by core
 *   pm.c                  choice of the performance monitor's access method, and passes by it (perfmon.h)
 *   hold.c                its owner: lease, saving and restoring
 *   method.c              state of the access methods
 *   pm_account.c          overhead of a profile's passes
 *   pm_restore.c          pending restores, for when the server was gone
 *   pm_scratch.c          the core itself executes a routine while it is halted (scratch.h)
 *   pm_agent.c            a small program beside the application answers in RAM (mailbox.h, mailbox_block.c)
 *   pm_dcsr.c             registers of the core in the debug space of a QorIQ
 *   events.c              events and their names (event_table.c); names similar to a wrong one (events_near.c)
 *   assign.c              assignment of events to counters and turns (assign_ratios.c, assign_repeat.c)
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
	PT_E500_PASS_MAX = 32,		/* operations in one pass; an access method may add its own, up to
					 * PT_E500_OPS_MAX */
	PT_E500_PMRS_MAX = 3 * PT_E500_PMCS_MAX + 1,
};

/* The access methods in the order in which they are tried: those that do not halt come first. */
enum pt_e500_slot { PT_E500_SLOT_DCSR, PT_E500_SLOT_AGENT, PT_E500_SLOT_SCRATCH, PT_E500_WAYS };

/* Operation that reads the lower 32 bits of the captured program counter; access method dcsr only. */
enum { PT_E500_CAPTURED_PC = 0x2000 };

struct pt_e500_target;

/* The result of one pass over a list of operations; times of the probe's clock. */
struct pt_e500_pass {
	uint64_t at_ns, error_ns;	/* when the values were read; largest error, earlier or later */
	uint64_t timebase;		/* of the core at that time; PT_UNKNOWN: the access method does not report it */
	uint64_t halted_ns;		/* how long the pass halted the program */
	uint32_t n_packets;
	bool halted;			/* the core was running and was halted for the pass */
};

/* An access method of the performance monitor. */
struct pt_e500_method {
	const char *name;		/* "scratch" */
	enum pt_e500_slot slot;
	bool halts;			/* a running core is halted for each pass, and resumed after it */
	size_t state_bytes;		/* zeroed before open: pt_e500_method_state() */
	/* Finds out whether it works here, without halting and without a lasting change. PT_EUNSUPPORTED or another
	 * error: a setting is missing, the OS does not permit access to PMRs, or there is no answer; the message says
	 * which, and what to do. It is retried now and then until it works. */
	int (*open)(struct pt_e500_target *e500, const struct pt_params *settings, struct pt_err *err);
	void (*close)(struct pt_e500_target *e500);	/* only after open; sends nothing */
	/* Executes ops in order; a register may occur several times and is then accessed each time. A core that ran
	 * before runs afterwards. Sets at_ns, error_ns, timebase, halted_ns and halted of *pass. 0; PT_EUNSUPPORTED:
	 * this method cannot write (or not this register), or PMR accesses trap; nothing was done, and the next method
	 * is tried; PT_EBUSY: an agent did not answer in time, PT_EIO: the server is gone; else as of
	 * pt_e500_scratch_run. */
	int (*pass)(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		    struct pt_e500_pass *pass, struct pt_err *err);
	/* "agent at 0x00fff000 in the program": for pt_e500_describe_way, which adds the overhead of its passes. */
	void (*describe)(const struct pt_e500_target *e500, char *line, size_t room);
	/* After open. True: it can only read, another method has to write. NULL: it can write. */
	bool (*only_reads)(const struct pt_e500_target *e500);
};
/* The overhead of one profile's passes on a core, by access method (pm_account.c). */
struct pt_e500_account {
	const struct pt_e500_target *e500;
	struct {
		const struct pt_e500_method *method;	/* NULL: it made no pass */
		struct pt_cost_part part;	/* name is empty: pt_e500_account_tell fills it in */
	} by[PT_E500_WAYS];
};

/* Overhead of passes so far, of one access method or of all. */
struct pt_e500_cost {
	uint64_t n_passes, n_halts, n_packets, halted_ns, longest_halt_ns;
	uint32_t most_packets;
};

struct pt_e500_target {
	struct pt_remote remote;	/* first: pt_remote_* take it */
	struct pt_remote_kind kind;
	enum pt_e500_core core;
	uint32_t pvr;			/* 0: not known */
	const char *how_known;		/* how core was determined: "by its PVR" */
	unsigned g_bytes;		/* length of g from a server without a description; 0: it has one, or did not
					 * answer */
	struct pt_params *settings;	/* a copy of ours */
	char name[160];
	uint64_t agent_addr;		/* address of the program's agent (scripts/agent); PT_UNKNOWN: none */
	struct pt_region region[3];
	size_t n_regions;
	/* PMRs as registers of GDB; id is the PMR's number, the supervisor's or the user's */
	struct pt_register own[2 * PT_E500_PMRS_MAX];
	char own_name[2 * PT_E500_PMRS_MAX][12];
	struct pt_e500_pm {
		struct pt_e500_method_at {
			void *state;
			bool open, refused;		/* refused: permanently, see pt_e500_refuse() */
			uint64_t asked_ns;		/* when open was last tried; 0: never */
			char why[240];	/* why it is not open */
			struct pt_e500_cost cost;
		} at[PT_E500_WAYS];
		const struct pt_e500_method *last;	/* the method of the last pass; NULL: none yet */
		bool silent;			/* at the last pass the server was gone or did not answer */
		struct pt_e500_account account[PT_REMOTE_MAX_CORES];
		bool for_debugger;		/* the current access is not part of a profile */
		struct pt_span ram;		/* offered by a source for scratch code; size 0: none */
		struct pt_e500_snapshot {	/* all PMRs, read together because GDB asks for them one by one */
			uint32_t value[PT_E500_PMRS_MAX];
			uint32_t unreadable;	/* bit i: PMR i could not be read; it is not tried again */
			uint64_t at_ns;		/* 0: there is none */
			uint32_t resumes;
			unsigned core;
		} snapshot;
		/* For each core: the owner of its performance monitor, and the registers saved for it; n_saved 0:
		 * none. */
		struct pt_e500_hold {
			char owner[24];
			struct pt_e500_op saved[PT_E500_PMRS_MAX];
			size_t n_saved;
			/* the control registers as the owner last wrote them */
			struct pt_e500_op left[PT_E500_PMRS_MAX];
			size_t n_left;
		} hold[PT_REMOTE_MAX_CORES];
	} pm;
};

/* --- identity.c, auxv.c: which core it is --- */

/* Sets core and how_known. PT_EUNSUPPORTED: the core is not supported, or cannot be identified. */
int pt_e500_find_core(struct pt_e500_target *e500, struct pt_err *err);
/* true: a setting names the core, which takes precedence */
bool pt_e500_core_by_setting(struct pt_e500_target *e500);
/* PT_EARG: the setting names another core than the PVR, if the PVR is known. */
int pt_e500_check_setting(const struct pt_e500_target *e500, struct pt_err *err);
/* Sets core and how_known from the process's auxiliary vector, if that names a core. */
bool pt_e500_core_by_auxv(struct pt_e500_target *e500);
/* The core according to the PVR, whatever the setting says. False: the PVR is not known, or not of a supported core. */
bool pt_e500_core_of_pvr(const struct pt_e500_target *e500, enum pt_e500_core *core);
/* Takes over the core's PVR, read during a pass; 0: it could not be read. The PVR determines the core, unless a setting
 * does. */
void pt_e500_learn_pvr(struct pt_e500_target *e500, uint32_t pvr);

#endif
