/* The performance monitor of an e500: access methods and their choice, passes and their overhead, ownership. */
#ifndef PT_E500_PERFMON_H
#define PT_E500_PERFMON_H

#include "targets/e500/core/e500.h"
#include "targets/e500/perfmon/mailbox.h"
#include "targets/e500/perfmon/scratch.h"

extern const struct pt_e500_method pt_e500_by_scratch, pt_e500_by_agent, pt_e500_by_dcsr;

/* For an access method that turned out not to work here: it is not tried again. Its state is freed at detach. */
void pt_e500_refuse(struct pt_e500_target *e500, const struct pt_e500_method *method, const char *why);
/* For a method whose open failed: it may be retried at once. For an open method: it must be opened again, as the
 * agent's address has changed. */
void pt_e500_ask_again(struct pt_e500_target *e500, const struct pt_e500_method *method);
void *pt_e500_method_state(const struct pt_e500_target *e500, const struct pt_e500_method *method);

/* The access method that a read-only pass would use now, opened if necessary; halts nothing. NULL: PT_EUNSUPPORTED, and
 * the message gives the reason for each method. */
const struct pt_e500_method *pt_e500_choose(struct pt_e500_target *e500, struct pt_err *err);
/* The access method that a pass with writes would use now; NULL: none is open. */
const struct pt_e500_method *pt_e500_choose_writer(struct pt_e500_target *e500);
/* Opens this method, regardless of its priority and of when it was last tried. PT_EUNSUPPORTED: the message says why
 * not. */
int pt_e500_open_way(struct pt_e500_target *e500, const struct pt_e500_method *method, struct pt_err *err);
/* Makes one pass with the first method that can; adds its overhead to the totals, and fills *pass. n_ops: up to
 * PT_E500_PASS_MAX. PT_EUNSUPPORTED: no method works; the message says why. */
int pt_e500_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		 struct pt_e500_pass *pass, struct pt_err *err);
/* As in struct pt_target_ops; a row's address is a PMR number. */
int pt_e500_pending_read(void *state, const struct pt_pending_row *rows, size_t n, uint32_t *values,
			 struct pt_err *err);
int pt_e500_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			  struct pt_err *err);
int pt_e500_pending_mend(void *state, const struct pt_pending_row *row, bool *as_before, struct pt_err *err);
/* The method in use and its overhead so far; for reports, `monitor status` and CONFIG ("path", "cost"): "scratch code
 * at 0x00fff000 (wakes a core that waits): INTRUSIVE, each reading halts the core". */
void pt_e500_describe_way(const struct pt_e500_target *e500, char *line, size_t room);

void pt_e500_source_cost(struct pt_target *target, char *line, size_t room);	/* the same, for struct pt_source_ops */

/* Called by a source before its first pass: clears and returns the core's account, valid until the next call. Passes
 * add their overhead to it. A pass that reads a counter while the unit is taken counts as a sample, others as set-up
 * and restore. pt_emit_costs(out, pt_e500_account_tell, account) reports it. */
struct pt_e500_account *pt_e500_account_begin(struct pt_e500_target *e500, unsigned core);
void pt_e500_account_tell(void *account, struct pt_cost *cost);
/* Adds samples that were not fetched by passes. */
void pt_e500_account_samples(struct pt_e500_target *e500, unsigned core, const struct pt_e500_method *method, size_t n,
			     uint64_t n_packets);
/* Adds a pass made by that method; a failed one may have halted the program, too. */
void pt_e500_account_pass(struct pt_e500_target *e500, const struct pt_e500_method *method, unsigned core,
			  const struct pt_e500_op *ops, size_t n_ops, const struct pt_e500_pass *pass, bool worked);

/* Passes on RAM that the program does not use (struct pt_source_setup), for scratch code if no setting names RAM. */
void pt_e500_offer_ram(struct pt_e500_target *e500, const struct pt_source_setup *setup);

/* Takes a core's performance monitor for one owner ("profile"): reads all its registers, and keeps them to be restored.
 * Does not change them. 0; PT_EBUSY: it has another owner, or Linux' perf counts with it (e500.respect_linux=off
 * ignores that); else as of pt_e500_pass. */
int pt_e500_take(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err);
/* Restores every register as before pt_e500_take, counters included. Does nothing if this owner has not taken it. The
 * unit is free afterwards, also after an error; if the server is gone, the restore is done when it is back
 * (pm_restore.c). */
int pt_e500_give_back(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err);
/* PT_EBUSY: Linux' perf counts with these registers. Recognised by PMLCa with CE and FCM1. Source: Linux,
 * core-fsl-emb.c */
int pt_e500_check_linux(const struct pt_e500_target *e500, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err);
/* Operations that read all of the core's PMRs: counters, PMLCa, PMLCb, PMGC0. Returns their number. */
size_t pt_e500_all_pmrs(enum pt_e500_core core, struct pt_e500_op *ops);

/* The mailbox of a core's running agent. PT_EUNSUPPORTED: no agent runs (for example, the core is halted). */
int pt_e500_agent(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box, struct pt_err *err);
/* As pt_e500_agent, if the method agent is open. */
int pt_e500_agent_running_box(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box,
			      struct pt_err *err);
/* The same, also while the core is halted: its memory can still be read. NULL: no agent was seen running. */
struct pt_e500_mailbox *pt_e500_agent_box(const struct pt_e500_target *e500, unsigned core);
/* After a reset: memory may hold old blocks, so each agent must be seen running again. */
void pt_e500_agent_forget(struct pt_e500_target *e500);
/* Whether there may be an agent, as far as is known without accessing it. PT_EUNSUPPORTED: the message says why not. */
int pt_e500_agent_known(const struct pt_e500_target *e500, struct pt_err *err);
/* The same, and e500.path permits it: an agent that does not answer yet may do so later. */
bool pt_e500_agent_awaited(const struct pt_e500_target *e500);
/* Leaves writes that the agent executes when the halted core resumes. 0; PT_EUNSUPPORTED: no agent was seen running;
 * else a memory error. */
int pt_e500_agent_leave(struct pt_e500_target *e500, unsigned core, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err);

/* --- between the files of the performance monitor --- */

/* Method scratch, in use: measures whether counters run while the core is halted, which is not documented. saved: the
 * current values of all PMRs; the test restores what it wrote from them. PT_ESTATE: the core stopped in user mode; not
 * measured. */
int pt_e500_scratch_try_halt(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *saved, size_t n_saved,
			     struct pt_e500_pass *pass, struct pt_err *err);
/* What a pass by scratch code could not restore in the core and its RAM, because the server was gone; NULL: nothing. */
const struct pt_e500_away *pt_e500_left_behind(const struct pt_e500_target *e500, unsigned *core);
/* *as_before: registers and RAM are restored; else the core had moved on. The core stays halted. */
int pt_e500_bring_back(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away, bool *as_before,
		       struct pt_err *err);
/* Notes for the next process what a pass by scratch code will change; settle removes the note when all is restored. */
void pt_e500_note_away(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away);
void pt_e500_settle_away(struct pt_e500_target *e500, unsigned core);
void pt_e500_owe_core(const struct pt_e500_target *e500);	/* keeps pt_e500_left_behind, if anything */
/* Keeps the core's n_saved saved registers until the server is back. */
void pt_e500_owe(const struct pt_e500_target *e500, unsigned core, size_t n_saved);
void pt_e500_settle(struct pt_e500_target *e500);	/* does the pending restores of this server, for all cores */
void pt_e500_pm_close(struct pt_e500_target *e500);
/* Invalidates the snapshot, because the program was resumed or registers were written. */
void pt_e500_forget(struct pt_e500_target *e500);

#endif
