/* The performance monitor of an e500: the ways to it and which is taken, passes and what they cost, who has it. */
#ifndef PT_E500_PERFMON_H
#define PT_E500_PERFMON_H

#include "targets/e500/core/e500.h"
#include "targets/e500/perfmon/mailbox.h"
#include "targets/e500/perfmon/scratch.h"

extern const struct pt_e500_method pt_e500_by_scratch, pt_e500_by_agent, pt_e500_by_dcsr;

/* For a way: it turned out not to work here, and is not tried again. Its state stays until the end. */
void pt_e500_refuse(struct pt_e500_target *e500, const struct pt_e500_method *method, const char *why);
/* For a way whose open fails: that may be different at once. Of one that is open: what it stands on has moved. */
void pt_e500_ask_again(struct pt_e500_target *e500, const struct pt_e500_method *method);
void *pt_e500_method_state(const struct pt_e500_target *e500, const struct pt_e500_method *method);

/* The way that a pass which only reads would take now, opened if need be; halts nothing. NULL: PT_EUNSUPPORTED, and
 * the sentence says why not, way by way. */
const struct pt_e500_method *pt_e500_choose(struct pt_e500_target *e500, struct pt_err *err);
/* The way that one which writes would take now; NULL: none is open. */
const struct pt_e500_method *pt_e500_choose_writer(struct pt_e500_target *e500);
/* This way, whatever comes before it, and however lately it was tried. PT_EUNSUPPORTED: why not. */
int pt_e500_open_way(struct pt_e500_target *e500, const struct pt_e500_method *method, struct pt_err *err);
/* One pass by the first way that can; what it cost is added up for the report, and *pass has all of it. n_ops: up to
 * PT_E500_PASS_MAX. PT_EUNSUPPORTED: there is no way, and the sentence says why not. */
int pt_e500_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		 struct pt_e500_pass *pass, struct pt_err *err);
/* As struct pt_target_ops has them: rows are PMRs by number. */
int pt_e500_pending_read(void *state, const struct pt_pending_row *rows, size_t n, uint32_t *values,
			 struct pt_err *err);
int pt_e500_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			  struct pt_err *err);
int pt_e500_pending_mend(void *state, const struct pt_pending_row *row, bool *as_before, struct pt_err *err);
/* The way in use, and what it has cost the program so far; for reports, `monitor status` and CONFIG ("path", "cost"):
 * "scratch code at 0x00fff000 (wakes a core that waits): INTRUSIVE, each reading halts the core". */
void pt_e500_describe_way(const struct pt_e500_target *e500, char *line, size_t room);

void pt_e500_source_cost(struct pt_target *target, char *line, size_t room);	/* that, for struct pt_source_ops */

/* For a source that begins, before its first pass: a core's account, which is empty now, until another begins one. What
 * its passes cost comes to it by itself; a pass that reads a counter while the unit is taken is a sample, others set up
 * and put back. pt_emit_costs(out, pt_e500_account_tell, account) tells of it. */
struct pt_e500_account *pt_e500_account_begin(struct pt_e500_target *e500, unsigned core);
void pt_e500_account_tell(void *account, struct pt_cost *cost);
/* Samples that were not fetched by passes. */
void pt_e500_account_samples(struct pt_e500_target *e500, unsigned core, const struct pt_e500_method *method, size_t n,
			     uint64_t n_packets);
/* A pass by that way was made; one that did not work has halted the program all the same. */
void pt_e500_account_pass(struct pt_e500_target *e500, const struct pt_e500_method *method, unsigned core,
			  const struct pt_e500_op *ops, size_t n_ops, const struct pt_e500_pass *pass, bool worked);

/* RAM that the program leaves alone, as a source was told (struct pt_source_setup): for scratch code, where no setting
 * names some. */
void pt_e500_offer_ram(struct pt_e500_target *e500, const struct pt_source_setup *setup);

/* The performance monitor of a core for one user ("profile"): all of its registers are read, and kept to be put back.
 * They are as they were afterwards. 0; PT_EBUSY: another has it, or Linux' perf counts with it (e500.respect_linux=off
 * takes it all the same); else as of pt_e500_pass. */
int pt_e500_take(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err);
/* Every register is what it was before pt_e500_take, counters too. Nothing to do for who has not taken it. The
 * unit is free afterwards, also after an error; with the server gone it is done when that is back (pm_restore.c). */
int pt_e500_give_back(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err);
/* PT_EBUSY: Linux' perf counts with these registers. Its pattern: PMLCa with CE and FCM1. Source: Linux,
 * core-fsl-emb.c */
int pt_e500_check_linux(const struct pt_e500_target *e500, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err);
/* All of the core's PMRs, as operations that read them: counters, PMLCa, PMLCb, PMGC0. Returns their number. */
size_t pt_e500_all_pmrs(enum pt_e500_core core, struct pt_e500_op *ops);

/* The mailbox of a core's agent, which is at work. PT_EUNSUPPORTED: none is (the core is halted, for one). */
int pt_e500_agent(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box, struct pt_err *err);
/* Of a way agent that is open: as pt_e500_agent. */
int pt_e500_agent_running_box(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box,
			      struct pt_err *err);
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

/* --- between the files of the performance monitor --- */

/* Of way scratch, at work: whether counters go on while the core stands, which no document says. saved: all PMRs as
 * they are; what is written for the test is put back from it. PT_ESTATE: the core stopped in user mode, and it stays
 * unknown. */
int pt_e500_scratch_try_halt(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *saved, size_t n_saved,
			     struct pt_e500_pass *pass, struct pt_err *err);
/* What a pass by scratch code left behind in the core and its RAM, because the server was gone; NULL: nothing. */
const struct pt_e500_away *pt_e500_left_behind(const struct pt_e500_target *e500, unsigned *core);
/* as_before: registers and RAM are as they were; else the core is not where it was left. It stays halted. */
int pt_e500_bring_back(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away, bool *as_before,
		       struct pt_err *err);
/* Before a pass by scratch code changes the core: noted for the next process; and when nothing is left to put back. */
void pt_e500_note_away(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away);
void pt_e500_settle_away(struct pt_e500_target *e500, unsigned core);
void pt_e500_owe_core(const struct pt_e500_target *e500);	/* that, if anything */
/* What is saved of the core, n_saved of it, as the server is gone. */
void pt_e500_owe(const struct pt_e500_target *e500, unsigned core, size_t n_saved);
void pt_e500_settle(struct pt_e500_target *e500);	/* what was owed to this server, of any core */
void pt_e500_pm_close(struct pt_e500_target *e500);
/* The program was let go, or registers were written: what was read before is old. */
void pt_e500_forget(struct pt_e500_target *e500);

#endif
