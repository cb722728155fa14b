/* The access method that works with every GDB server: the halted core executes our code (scratch.h), controlled by
 * packets. A running core is stopped and resumed while we hold the connection lock, so that a waiting debugger notices
 * nothing. */
#include "targets/e500/perfmon/perfmon.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/util.h"

enum { STOP_MS = 500, ROUTINE_MS = 300, LEAST_BYTES = 64 };
enum { R3, R4, R5, PC, MSR, N_FRAME };

struct by_scratch {
	struct pt_e500_target *e500;
	struct pt_e500_port port;
	struct pt_e500_scratch code;
	struct pt_remote_block block;
	uint16_t row[N_FRAME];
	unsigned core;
	enum pt_break_kind break_kind;	/* supported by the server */
	bool counts_halted;		/* measured: counters run while the core is halted */
	bool breaks;			/* the routine ends at a breakpoint of the server, not in the trap */
};

/* --- the core, in packets ----------------------------------------------------------------------------------------- */

static int get(void *state, struct pt_e500_frame *frame, struct pt_err *err)
{
	struct by_scratch *by = state;
	uint64_t value[N_FRAME];
	struct pt_err why = { 0 };
	int rc = pt_remote_block_read(&by->e500->remote, &by->block, by->row, N_FRAME, value, &why);

	if (rc == PT_EFAULT)
		return pt_fail(err, rc, "%.200s; the core may be held in reset, or sleep so that it cannot be reached",
			       why.msg);
	if (rc < 0)
		return pt_fail(err, rc, "%s", why.msg);
	*frame = (struct pt_e500_frame){ value[R3], value[R4], value[R5], value[PC], value[MSR] };
	return 0;
}

static int set(void *state, const struct pt_e500_frame *f, struct pt_err *err)
{
	struct by_scratch *by = state;
	const uint64_t value[N_FRAME] = { f->r3, f->r4, f->r5, f->pc, f->msr };

	return pt_remote_block_write(&by->e500->remote, &by->block, by->row, N_FRAME, value, err);
}

static void note_away(void *state, const struct pt_e500_away *away)
{
	struct by_scratch *by = state;

	pt_e500_note_away(by->e500, by->core, away);
}

/* Runs only this core. */
static int run_core(struct by_scratch *by, bool step, struct pt_err *err)
{
	struct pt_remote *r = &by->e500->remote;
	char packet[PT_RSP_THREAD_BYTES + 10];

	if (!r->facts.vcont)
		snprintf(packet, sizeof(packet), "%c", step ? 's' : 'c');
	else if (r->n_cores > 1)
		snprintf(packet, sizeof(packet), "vCont;%c:%s", step ? 's' : 'c', r->core[by->core].thread);
	else
		snprintf(packet, sizeof(packet), "vCont;%c", step ? 's' : 'c');
	return r->rsp->run_for(r->wire, packet, ROUTINE_MS, err);
}

static int insert(struct by_scratch *by, uint64_t end, struct pt_err *err)
{
	struct pt_break at = { .kind = by->break_kind, .addr = end, .len = 4 };
	int rc = pt_remote_break_insert(&by->e500->remote, &at, err);

	if (rc != PT_EUNSUPPORTED || by->break_kind == PT_BREAK_HW)
		return rc;
	at.kind = by->break_kind = PT_BREAK_HW;
	return pt_remote_break_insert(&by->e500->remote, &at, err);
}

/* For a server that leaves traps to the program (QEMU), sets a breakpoint at the end. */
static int run(void *state, bool step, uint64_t end, struct pt_err *err)
{
	struct by_scratch *by = state;
	struct pt_err ignored = { 0 };
	struct pt_break at;
	int rc, out;

	if (step || !by->breaks)
		return run_core(by, step, err);
	if (insert(by, end, err) < 0)
		return err->code;
	at = (struct pt_break){ .kind = by->break_kind, .addr = end, .len = 4 };
	rc = run_core(by, step, err);
	out = pt_remote_break_remove(&by->e500->remote, &at, rc == 0 ? err : &ignored);
	return rc == 0 ? out : rc;
}

/* --- coming and going --------------------------------------------------------------------------------------------- */

static bool find_rows(struct by_scratch *by)
{
	static const char *const names[N_FRAME] = { "r3", "r4", "r5", "pc", "msr" };
	const struct pt_remote *r = &by->e500->remote;
	size_t found = 0;

	for (size_t k = 0; k < N_FRAME; k++)
		for (size_t i = 0; i < r->n_server; i++)
			if (strcmp(r->rows[i].name, names[k]) == 0) {
				by->row[k] = (uint16_t)i;
				found++;
			}
	return found == N_FRAME;
}

static bool find_ram(struct by_scratch *by, const struct pt_params *settings)
{
	struct pt_span at = by->e500->pm.ram;

	pt_params_span(settings, &pt_e500_settings[PT_E500_SET_SCRATCH], &at.addr, &at.size);
	by->code.addr = (at.addr + 3) & ~UINT64_C(3);
	at.size -= at.size < 4 ? at.size : by->code.addr - at.addr;
	by->code.size_bytes = (uint32_t)(at.size < PT_E500_SCRATCH_BYTES ? at.size : PT_E500_SCRATCH_BYTES);
	return by->code.size_bytes >= LEAST_BYTES;
}

static int scratch_open(struct pt_e500_target *e500, const struct pt_params *settings, struct pt_err *err)
{
	const char *end = pt_params_text(settings, &pt_e500_settings[PT_E500_SET_SCRATCH_END]);
	struct by_scratch *by = pt_e500_method_state(e500, &pt_e500_by_scratch);

	by->e500 = e500;
	by->breaks =
		strcmp(end, "break") == 0 || (strcmp(end, "auto") == 0 && strcmp(e500->remote.facts.name, "QEMU") == 0);
	by->port = (struct pt_e500_port){
		.state = by, .mem = &e500->remote.mem, .get = get, .set = set, .run = run, .note = note_away
	};
	by->code.port = &by->port;
	by->code.process = e500->remote.facts.process;
	by->code.proven = pt_params_flag(settings, &pt_e500_settings[PT_E500_SET_SCRATCH_TRUST]);
	if (strcmp(e500->remote.facts.name, "qemu-user") == 0)	/* and it does not permit writes to executed memory */
		return pt_fail(err, PT_EUNSUPPORTED, "QEMU's user mode has no performance monitor");
	if (!find_rows(by))
		return pt_fail(err, PT_EUNSUPPORTED, "the GDB server does not say where r3 to r5, pc and msr are");
	if (e500->remote.n_cores > 1 && !e500->remote.facts.vcont)
		return pt_fail(err, PT_EUNSUPPORTED, "the GDB server cannot let one of %u cores run alone (vCont)",
			       e500->remote.n_cores);
	if (!find_ram(by, settings))
		return pt_fail(
			err, PT_EUNSUPPORTED,
			"no RAM for code that reads PMRs: start proftap with --set e500.scratch=ADDR:SIZE, %d to %d bytes "
			"that the core may execute (they are put back), or e500.ram=ADDR:SIZE, for a profile "
			"with an ELF",
			LEAST_BYTES, PT_E500_SCRATCH_BYTES);
	return 0;
}

static void scratch_close(struct pt_e500_target *e500)
{
	pt_remote_block_free(&((struct by_scratch *)pt_e500_method_state(e500, &pt_e500_by_scratch))->block);
}

static void scratch_describe(const struct pt_e500_target *e500, char *line, size_t room)
{
	const struct by_scratch *by = pt_e500_method_state(e500, &pt_e500_by_scratch);

	snprintf(line, room, "scratch code at 0x%08" PRIx64 " (wakes a core that waits%s)", by->code.addr,
		 by->counts_halted ? "; halted time is in the counts" : "");
}

/* --- a pass ------------------------------------------------------------------------------------------------------- */

static uint64_t now_ns(const struct by_scratch *by)
{
	return pt_link_now_ns(pt_probe_link(by->e500->remote.target->probe));
}

/* Reads upper, lower, upper: if the lower half wrapped in between, a small lower half belongs to the second upper
 * one. */
static uint64_t timebase(const struct pt_e500_op *tb)
{
	uint32_t upper = tb[0].value != tb[2].value && tb[1].value < UINT32_C(0x80000000) ? tb[2].value : tb[0].value;

	return (uint64_t)upper << 32 | tb[1].value;
}

struct list { struct pt_e500_op *ops; size_t n_ops; struct pt_e500_pass *pass; };

/* The core is halted. Also reads the time base, if the RAM is large enough. */
static int access_pmrs(struct by_scratch *by, void *arg, struct pt_err *err)
{
	const struct list *list = arg;
	size_t n_ops = list->n_ops;
	static const uint16_t tb[] = { PT_E500_SPR_TBU, PT_E500_SPR_TBL, PT_E500_SPR_TBU };
	struct pt_e500_op all[PT_E500_OPS_MAX] = { { 0 } };
	bool with_tb = pt_e500_scratch_needs(n_ops + PT_LEN(tb)) <= by->code.size_bytes;
	bool with_pvr = by->e500->pvr == 0 && pt_e500_scratch_needs(n_ops + PT_LEN(tb) + 1) <= by->code.size_bytes;
	size_t n = n_ops;
	int rc;

	memcpy(all, list->ops, n_ops * sizeof(all[0]));
	for (size_t i = 0; with_tb && i < PT_LEN(tb); i++)
		all[n++].pmr = PT_E500_SPR + tb[i];
	if (with_pvr)
		all[n++].pmr = PT_E500_SPR + PT_E500_SPR_PVR;
	rc = pt_e500_scratch_run(&by->code, all, n, err);
	if (rc == PT_EUNSUPPORTED && !by->code.proven)
		pt_e500_refuse(by->e500, &pt_e500_by_scratch, err->msg);
	if (rc < 0)
		return rc;
	memcpy(list->ops, all, n_ops * sizeof(all[0]));
	if (with_tb)
		list->pass->timebase = timebase(all + n_ops);
	if (with_pvr)
		pt_e500_learn_pvr(by->e500, all[n - 1].value);
	return 0;
}

static int fail_unstopped(const struct pt_rsp_facts *server, struct pt_err *err)
{
	if (strcmp(server->name, "kgdb") == 0)
		return pt_fail(err, PT_ETIMEOUT, "kgdb does not hear us while the kernel runs: stop it by SysRq-g");
	return pt_fail(err, PT_ETIMEOUT,
		       "the server does not stop the core: it may be held in reset, or sleep so deeply "
		       "(nap, sleep) that it cannot be reached");
}

/* Called with the connection held. */
static int stop(struct by_scratch *by, struct pt_e500_pass *pass, struct pt_err *err)
{
	const struct pt_rsp_ops *rsp = by->e500->remote.rsp;
	void *wire = by->e500->remote.wire;
	uint64_t asked_ns = now_ns(by), stands_ns;
	struct pt_rsp_run now;

	if (rsp->poll(wire, 0, &now, err) < 0)
		return err->code;
	if (now.non_stop)	/* our stop would be reported as the program's */
		return pt_fail(err, PT_EUNSUPPORTED,
			       "code of ours can be run in all-stop only, and the debugger chose non-stop");
	if (now.running) {
		pass->halted = true;
		if (rsp->interrupt(wire, err) < 0 || rsp->poll(wire, STOP_MS, &now, err) < 0)
			return err->code;
		if (now.running)
			return fail_unstopped(&by->e500->remote.facts, err);
	}
	stands_ns = now_ns(by);
	pass->error_ns = (stands_ns - asked_ns + 1) / 2;
	pass->at_ns = asked_ns + pass->error_ns;
	return 0;
}

/* If the core stopped at a breakpoint meanwhile it stays halted, and the debugger has been notified. */
static int go_on(struct by_scratch *by, struct pt_e500_pass *pass, struct pt_err *err)
{
	int rc = by->code.astray ? 0 : by->e500->remote.rsp->go_on(by->e500->remote.wire, err);

	pass->halted_ns = now_ns(by) - (pass->at_ns - pass->error_ns);
	return rc == PT_ESTATE ? 0 : rc;
}

/* Restores what an earlier pass left changed. The core is still halted, unless a client resumed it. */
static int mend(struct by_scratch *by, bool *as_before, struct pt_err *err)
{
	int rc = pt_remote_choose(&by->e500->remote, by->core, err);

	if (rc == 0)
		rc = pt_e500_scratch_mend(&by->port, &by->code.away, as_before, err);
	if (rc < 0)
		return pt_wrap(err, "what an earlier pass left behind cannot be put back");
	by->code.astray = false;
	return 0;
}

const struct pt_e500_away *pt_e500_left_behind(const struct pt_e500_target *e500, unsigned *core)
{
	const struct by_scratch *by = pt_e500_method_state(e500, &pt_e500_by_scratch);

	if (by == NULL || !by->code.astray)
		return NULL;
	*core = by->core;
	return &by->code.away;
}

int pt_e500_bring_back(struct pt_e500_target *e500, unsigned core, const struct pt_e500_away *away, bool *as_before,
		       struct pt_err *err)
{
	struct by_scratch by = { .e500 = e500, .core = core, .code.away = *away };
	struct pt_rsp_run now;
	int rc;

	by.port = (struct pt_e500_port){ .state = &by, .mem = &e500->remote.mem, .get = get, .set = set, .run = run };
	if (!find_rows(&by))
		return pt_fail(err, PT_EUNSUPPORTED, "the GDB server does not say where r3 to r5, pc and msr are");
	if (e500->remote.rsp->hold(e500->remote.wire, err) < 0)
		return err->code;
	rc = e500->remote.rsp->poll(e500->remote.wire, 0, &now, err);
	if (rc == 0 && now.running)
		rc = pt_fail(err, PT_ESTATE, "the core runs");
	rc = rc == 0 ? mend(&by, as_before, err) : rc;
	e500->remote.rsp->release(e500->remote.wire);
	pt_remote_block_free(&by.block);
	return rc;
}

/* Holds the connection, calls what() with the core halted, and resumes the core if it ran. */
static int while_halted(struct by_scratch *by, unsigned core, struct pt_e500_pass *pass,
			int (*what)(struct by_scratch *by, void *arg, struct pt_err *err), void *arg,
			struct pt_err *err)
{
	const struct pt_rsp_ops *rsp = by->e500->remote.rsp;
	struct pt_err ignored = { 0 };
	bool as_before;
	int rc, on;

	if (rsp->hold(by->e500->remote.wire, err) < 0)
		return err->code;
	rc = by->code.astray ? mend(by, &as_before, err) : 0;
	by->core = core;
	if (rc == 0)
		rc = stop(by, pass, err);
	if (rc == 0) {
		rc = pt_remote_choose(&by->e500->remote, core, err);
		rc = rc == 0 ? what(by, arg, err) : rc;
		on = pass->halted ? go_on(by, pass, rc == 0 ? err : &ignored) : 0;
		rc = rc == 0 ? on : rc;
	}
	rsp->release(by->e500->remote.wire);
	if (!by->code.astray && by->e500->pm.hold[core].n_saved == 0)
		pt_e500_settle_away(by->e500, core);
	return rc;
}

static int scratch_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
			struct pt_e500_pass *pass, struct pt_err *err)
{
	struct list list = { ops, n_ops, pass };

	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].pmr >= PT_E500_CAPTURED_PC)
			return pt_fail(err, PT_EUNSUPPORTED, "only the debug space of a QorIQ has a captured PC");
	return while_halted(pt_e500_method_state(e500, &pt_e500_by_scratch), core, pass, access_pmrs, &list, err);
}

/* --- do counters stand while the core does? ----------------------------------------------------------------------- */

enum { CYCLES = 0x10010000 };		/* PMLCa: FCM1 excludes the routine's own cycles */

/* Checks whether cycles are counted between two reads while the core is halted. Uses PMC0, and restores it. */
static int look_twice(struct by_scratch *by, void *arg, struct pt_err *err)
{
	const struct list *saved = arg;
	struct pt_e500_op ops[3] = {
		{ PT_E500_PMC0, true, 0 }, { PT_E500_PMLCA0, true, CYCLES }, { PT_E500_PMGC0, true, 0 },
	};
	struct pt_e500_op first = { .pmr = PT_E500_PMC0 }, second = first;
	struct pt_err ignored = { 0 };
	int rc = pt_e500_scratch_run(&by->code, ops, PT_LEN(ops), err), back;

	if (rc == 0)
		rc = pt_e500_scratch_run(&by->code, &first, 1, err);
	if (rc == 0)
		rc = pt_e500_scratch_run(&by->code, &second, 1, err);
	for (size_t i = 0; i < PT_LEN(ops); i++)
		for (size_t k = 0; k < saved->n_ops; k++)
			if (saved->ops[k].pmr == ops[i].pmr)
				ops[i].value = saved->ops[k].value;
	back = pt_e500_scratch_run(&by->code, ops, PT_LEN(ops), rc == 0 ? err : &ignored);
	if (rc == 0)
		by->counts_halted = first.value != second.value;
	return rc == 0 ? back : rc;
}

int pt_e500_scratch_try_halt(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *saved, size_t n_saved,
			     struct pt_e500_pass *pass, struct pt_err *err)
{
	struct list list = { saved, n_saved, pass };

	return while_halted(pt_e500_method_state(e500, &pt_e500_by_scratch), core, pass, look_twice, &list, err);
}

const struct pt_e500_method pt_e500_by_scratch = {
	.name = "scratch",
	.slot = PT_E500_SLOT_SCRATCH,
	.halts = true,
	.state_bytes = sizeof(struct by_scratch),
	.open = scratch_open,
	.close = scratch_close,
	.pass = scratch_pass,
	.describe = scratch_describe,
};
