/* The target e500: PowerPC e500 cores behind a GDB server that owns the cable. Run control, memory and the core's
 * registers are the server's (targets/remote); the performance monitor's registers, which no debug port shows, are
 * reached by one of the ways below and become registers of ours in GDB's description. Board thread only.
 *
 *   settings.c            every setting, and what is not verified about it
 *   e500.c                attach, detach, which core it is, and the table of it all
 *   auxv.c                which core a process runs on, as its kernel tells it
 *   registers.c           registers in GDB's order, and PMRs as registers of GDB
 *   pmr.c                 numbers and fields of the PMRs, by core
 *   pm.c                  who has the performance monitor: choice of the way, cost, lease, saving and restoring
 *   pm_account.c          what a profile's passes cost the program
 *   pm_owed.c             what could not be put back because the server was gone
 *   pm_scratch.c          the core itself executes a routine while it is halted (scratch.h)
 *   pm_agent.c            a small program beside the application answers in RAM (mailbox.h, mailbox_block.c)
 *   pm_dcsr.c             registers of the core in the debug space of a QorIQ
 *   events.c              what can be counted, by its names (event_table.c); what is like a wrong one (events_near.c)
 *   assign.c              which event is in which counter, and in which turn (assign_ratios.c, assign_repeat.c)
 *   counting.c            counters from turn to turn (counting_turn.c), what ends a window (counting_window.c), and
 *                         what is told of them (counting_told.c)
 *   source_counters.c     events, rates, chains, thresholds, turn by turn (turns.c); what they cost is told by
 *                         counters_told.c
 *   cores.c               a source of several cores
 *   source_samples.c      program counters, and which of them an event's overflow found (sampling.h)
 *
 * Sources: E500CORERM Rev. 1, chapter 7; for the debug space NXP's qoriq-debug, dcsr_cpu_v1.h. */
#ifndef PT_E500_E500_H
#define PT_E500_E500_H

#include "targets/contract/cores.h"
#include "targets/e500/perfmon/mailbox.h"
#include "targets/e500/perfmon/scratch.h"
#include "targets/e500/core/settings.h"
#include "targets/remote/remote.h"
#include "trace/cost.h"

enum {
	PT_E500_PASS_MAX = 32,		/* operations in one pass; a way may add its own up to PT_E500_OPS_MAX */
	PT_E500_PMRS_MAX = 3 * PT_E500_PMCS_MAX + 1,
	PT_E500_WAYS = 3,
};

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
struct pt_e500_way {
	const char *name;		/* "scratch" */
	bool halts;			/* a core that runs is stopped for each pass, and goes on behind it */
	size_t state_bytes;		/* zeroed before open: pt_e500_way_state() */
	/* Finds out whether it works here, without a change that is not undone and without halting anything.
	 * PT_EUNSUPPORTED and whatever else: a setting is missing, the OS does not let PMRs be used, nobody answers;
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
extern const struct pt_e500_way pt_e500_by_scratch, pt_e500_by_agent, pt_e500_by_dcsr;

/* In the order in which they are tried. */
extern const struct pt_e500_way *const pt_e500_ways[PT_E500_WAYS];

/* What passes for one profile of a core have cost it, by way (pm_account.c). */
struct pt_e500_account {
	const struct pt_e500_target *e500;
	struct pt_cost_part by[PT_E500_WAYS];	/* way "": pt_e500_account_tell names it */
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
		struct pt_e500_way_at {
			void *state;
			bool open, refused;		/* refused: for good, see pt_e500_refuse() */
			uint64_t asked_ns;		/* when open was last tried; 0: never */
			char why[240];	/* it is not open */
			struct pt_e500_cost cost;
		} at[PT_E500_WAYS];
		const struct pt_e500_way *last;	/* that made a pass; NULL: none has */
		bool silent;			/* the last pass found the server gone, or without an answer */
		struct pt_e500_account account[PT_REMOTE_MAX_CORES];
		bool for_debugger;		/* what is read and written now is no profile's */
		struct pt_span ram;		/* that a source offered for scratch code; size 0: none */
		struct pt_e500_snapshot {	/* all PMRs, read together for a GDB that asks for one after another */
			uint32_t value[PT_E500_PMRS_MAX];
			uint64_t at_ns;		/* 0: there is none */
			uint32_t resumes;
			unsigned core;
		} snapshot;
		/* Of each core: who has its performance monitor, and what was in it before; n_saved 0: nobody has. */
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

/* For a way: it turned out not to work here, and is not tried again. Its state stays until the end. */
void pt_e500_refuse(struct pt_e500_target *e500, const struct pt_e500_way *way, const char *why);
/* For a way whose open fails: that may be different at once. Of one that is open: what it stands on has moved. */
void pt_e500_ask_again(struct pt_e500_target *e500, const struct pt_e500_way *way);
void *pt_e500_way_state(const struct pt_e500_target *e500, const struct pt_e500_way *way);

/* The way that a pass which only reads would take now, opened if need be; halts nothing. NULL: PT_EUNSUPPORTED, and
 * the sentence says why not, way by way. */
const struct pt_e500_way *pt_e500_choose(struct pt_e500_target *e500, struct pt_err *err);
/* The way that one which writes would take now; NULL: none is open. */
const struct pt_e500_way *pt_e500_choose_writer(struct pt_e500_target *e500);
/* This way, whatever comes before it, and however lately it was tried. PT_EUNSUPPORTED: why not. */
int pt_e500_open_way(struct pt_e500_target *e500, const struct pt_e500_way *way, struct pt_err *err);
/* One pass by the first way that can; what it cost is added up for the report, and *pass has all of it. n_ops: up to
 * PT_E500_PASS_MAX. PT_EUNSUPPORTED: there is no way, and the sentence says why not. */
int pt_e500_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		 struct pt_e500_pass *pass, struct pt_err *err);
/* The way in use, and what it has cost the program so far; for reports, `monitor status` and CONFIG ("path", "cost"):
 * "scratch code at 0x00fff000 (wakes a core that waits): each sample halts the core". */
void pt_e500_describe_way(const struct pt_e500_target *e500, char *line, size_t room);

void pt_e500_source_cost(struct pt_target *target, char *line, size_t room);	/* that, for struct pt_source_ops */

/* For a source that begins, before its first pass: a core's account, which is empty now, until another begins one. What
 * its passes cost comes to it by itself; a pass that reads a counter while the unit is taken is a sample, others set up
 * and put back. pt_emit_costs(out, pt_e500_account_tell, account) tells of it. */
struct pt_e500_account *pt_e500_account_begin(struct pt_e500_target *e500, unsigned core);
void pt_e500_account_tell(void *account, struct pt_cost *cost);
/* Samples that were not fetched by passes. */
void pt_e500_account_samples(struct pt_e500_target *e500, unsigned core, const struct pt_e500_way *way, size_t n,
			     uint64_t n_packets);
/* For pm.c: a pass by that way was made; one that did not work has halted the program all the same. */
void pt_e500_account_pass(struct pt_e500_target *e500, size_t way, unsigned core, const struct pt_e500_op *ops,
			  size_t n_ops, const struct pt_e500_pass *pass, bool worked);

/* RAM that the program leaves alone, as a source was told (struct pt_source_setup): for scratch code, where no setting
 * names some. */
void pt_e500_offer_ram(struct pt_e500_target *e500, const struct pt_source_setup *setup);

/* The performance monitor of a core for one user ("profile"): all of its registers are read, and kept to be put back.
 * They are as they were afterwards. 0; PT_EBUSY: another has it, or Linux' perf counts with it (e500.respect_linux=off
 * takes it all the same); else as of pt_e500_pass. */
int pt_e500_take(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err);
/* Every register is what it was before pt_e500_take, counters too. Nothing to do for who has not taken it. The
 * unit is free afterwards, also after an error; with the server gone it is done when that is back (pm_owed.c). */
int pt_e500_give_back(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err);
/* PT_EBUSY: Linux' perf counts with these registers. Its pattern: PMLCa with CE and FCM1. Source: Linux,
 * core-fsl-emb.c */
int pt_e500_check_linux(const struct pt_e500_target *e500, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err);
/* All of the core's PMRs, as operations that read them: counters, PMLCa, PMLCb, PMGC0. Returns their number. */
size_t pt_e500_all_pmrs(enum pt_e500_core core, struct pt_e500_op *ops);

/* The mailbox of a core's agent, which is at work. PT_EUNSUPPORTED: none is (the core is halted, for one). */
int pt_e500_agent(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box, struct pt_err *err);
/* The same, also while the core is halted: what stands in memory can be read. NULL: none was at work. */
struct pt_e500_mailbox *pt_e500_agent_box(const struct pt_e500_target *e500, unsigned core);
/* After a reset: what stands in memory is of before, and who was at work has to be seen at work again. */
void pt_e500_agent_forget(struct pt_e500_target *e500);
/* Whether one may be there, as far as can be said without asking it. PT_EUNSUPPORTED: why not. */
int pt_e500_agent_known(const struct pt_e500_target *e500, struct pt_err *err);
/* And e500.path lets it be the way: where it does not answer yet, it may when the program has gone on. */
bool pt_e500_agent_awaited(const struct pt_e500_target *e500);
/* Writes that the agent is to do when the core goes on, for a core that is halted now. 0; PT_EUNSUPPORTED: no agent was
 * at work before; else as memory says. */
int pt_e500_agent_leave(struct pt_e500_target *e500, unsigned core, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err);

/* --- between the files of the target --- */

/* cores.c: PT_E500_CORE_PARAM of a source; its state is a struct pt_cores. The functions are for its kind. */
int pt_e500_cores_start(struct pt_cores *s, const struct pt_cores_kind *kind, const char *word,
			struct pt_target *target, const struct pt_source_setup *setup, struct pt_err *err);
uint64_t pt_e500_cores_now_ns(const void *e500);
unsigned pt_e500_cores_thread_of(const void *e500, unsigned number);

/* From what a process was told by its kernel: core and how_known are changed where that names one. */
bool pt_e500_core_by_auxv(struct pt_e500_target *e500);
/* What the g packet of a server without a description has: by its length, else by core. */
void pt_e500_choose_layout(struct pt_e500_target *e500);
void pt_e500_make_own(struct pt_e500_target *e500);	/* rows of core's PMRs, and kind.own */
int pt_e500_read_own(void *state, unsigned core, const uint16_t *rows, size_t n, uint64_t *values, struct pt_err *err);
int pt_e500_write_own(void *state, unsigned core, const uint16_t *rows, size_t n, const uint64_t *values,
		      struct pt_err *err);
/* Of way scratch, at work: whether counters go on while the core stands, which no document says. saved: all PMRs as
 * they are; what is written for the test is put back from it. PT_ESTATE: the core stopped in user mode, and it stays
 * unknown. */
int pt_e500_scratch_try_halt(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *saved, size_t n_saved,
			     struct pt_e500_pass *pass, struct pt_err *err);
/* What a pass by scratch code left behind in the core and its RAM, because the server was gone; NULL: nothing. */
const struct pt_e500_away *pt_e500_left_behind(const struct pt_e500_target *e500, unsigned *core);
int pt_e500_bring_back(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away, struct pt_err *err);
void pt_e500_owe_core(const struct pt_e500_target *e500);	/* that, if anything */
/* What is saved of the core, n_saved of it, as the server is gone. */
void pt_e500_owe(const struct pt_e500_target *e500, unsigned core, size_t n_saved);
void pt_e500_settle(struct pt_e500_target *e500);	/* what was owed to this server, of any core */
/* The core's PVR, read on the way; 0: it could not be. What it says of the core counts, unless a setting did. */
void pt_e500_learn_pvr(struct pt_e500_target *e500, uint32_t pvr);
void pt_e500_pm_close(struct pt_e500_target *e500);
/* The program was let go, or registers were written: what was read before is old. */
void pt_e500_forget(struct pt_e500_target *e500);

extern const struct pt_source_ops pt_source_e500_counters, pt_source_e500_samples;

#endif
