/* The access method that does not halt: an agent in the program (scripts/agent) publishes counters in memory and sets
 * registers on request (mailbox.h). It answers while the core runs, and needs a server that reads memory of a running
 * core. */
#include "targets/e500/perfmon/perfmon.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/util.h"

enum { LOOK_MS = 50 };			/* for the block of a halted core */

struct by_agent {
	uint64_t addr;			/* address of the first core's block */
	struct pt_e500_mailbox box[PT_REMOTE_MAX_CORES];	/* mem NULL: not opened yet */
	struct of_core { struct pt_e500_target *e500; unsigned core; } of[PT_REMOTE_MAX_CORES];
};

/* --- coming and going --------------------------------------------------------------------------------------------- */

static int check_runs(struct pt_e500_target *e500, unsigned core, struct pt_err *err)
{
	struct pt_core_status status;

	if (pt_remote_status(e500, core, &status, err) < 0)
		return err->code;
	if (status.state == PT_RUNNING)
		return 0;
	return pt_fail(err, PT_EUNSUPPORTED,
		       "the core is halted, and the agent is a part of its program: let it go on");
}

static bool stands(void *state)
{
	const struct of_core *of = state;

	return check_runs(of->e500, of->core, &(struct pt_err){ 0 }) == PT_EUNSUPPORTED;
}

/* The cores' blocks are consecutive; the first one gives their size. */
static int open_box(struct by_agent *by, struct pt_e500_target *e500, unsigned core, struct pt_err *err)
{
	uint64_t deadline_ns = pt_params_number(e500->settings, &pt_e500_settings[PT_E500_SET_AGENT_DEADLINE]);
	struct pt_e500_mailbox *box = &by->box[core];
	int rc;

	if (box->mem != NULL)
		return 0;
	if (core > 0 && open_box(by, e500, 0, err) < 0)
		return err->code;
	box->stands = stands;
	by->of[core] = (struct of_core){ e500, core };
	box->stands_state = &by->of[core];
	pt_link_shield(pt_probe_link(e500->remote.target->probe));
	rc = pt_e500_box_open(box, &e500->remote.mem, by->addr + core * by->box[0].bytes,
			      (uint32_t)(deadline_ns / PT_NS_PER_MS), err);
	pt_link_unshield(pt_probe_link(e500->remote.target->probe));
	if (rc < 0)
		box->mem = NULL;
	return rc;
}

/* For a halted core: a consistent block shows that its agent has run. */
static int look_at_block(const struct by_agent *by, struct pt_e500_target *e500, struct pt_err *err)
{
	struct pt_e500_mailbox box = { .mem = &e500->remote.mem, .addr = by->addr, .deadline_ms = LOOK_MS };
	struct pt_e500_block now;
	int rc;

	pt_link_shield(pt_probe_link(e500->remote.target->probe));
	rc = pt_e500_box_look(&box, &now, err);
	pt_link_unshield(pt_probe_link(e500->remote.target->probe));
	return rc;
}

static uint64_t find_agent(const struct pt_e500_target *e500)
{
	const struct pt_param *row = &pt_e500_settings[PT_E500_SET_AGENT];

	return pt_params_given(e500->settings, row) ? pt_params_number(e500->settings, row) : e500->agent_addr;
}

int pt_e500_agent_known(const struct pt_e500_target *e500, struct pt_err *err)
{
	if (find_agent(e500) == PT_UNKNOWN)
		return pt_fail(err, PT_EUNSUPPORTED,
			       "no symbol proftap_agent (link scripts/agent to the program and name its "
			       "ELF, or say e500.agent.addr)");
	if (!e500->remote.mem.ops->while_running)
		return pt_fail(err, PT_EUNSUPPORTED, "%s", pt_remote_why_halted_only(&e500->remote));
	return 0;
}

static int agent_open(struct pt_e500_target *e500, const struct pt_params *settings, struct pt_err *err)
{
	struct by_agent *by = pt_e500_method_state(e500, &pt_e500_by_agent);
	int rc;

	(void)settings;			/* e500 has them */
	by->addr = find_agent(e500);
	if (pt_e500_agent_known(e500, err) < 0)
		return err->code;
	if (check_runs(e500, 0, &(struct pt_err){ 0 }) == 0)
		rc = open_box(by, e500, 0, err);
	else
		rc = look_at_block(by, e500, err);
	if (rc != PT_EBUSY)
		pt_e500_ask_again(e500, &pt_e500_by_agent); /* may be retried at once: it was a single read, and the
							     * program may be starting */
	return rc;
}

static void agent_close(struct pt_e500_target *e500)
{
	(void)e500;
}

static void agent_describe(const struct pt_e500_target *e500, char *line, size_t room)
{
	const struct by_agent *by = pt_e500_method_state(e500, &pt_e500_by_agent);

	snprintf(line, room, "agent at 0x%08" PRIx64 " in the program", by->addr);
}

int pt_e500_agent_running_box(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box,
			      struct pt_err *err)
{
	struct by_agent *by = pt_e500_method_state(e500, &pt_e500_by_agent);

	if (check_runs(e500, core, err) < 0 || open_box(by, e500, core, err) < 0)
		return err->code;
	*box = &by->box[core];
	return 0;
}

struct pt_e500_mailbox *pt_e500_agent_box(const struct pt_e500_target *e500, unsigned core)
{
	struct by_agent *by = pt_e500_method_state(e500, &pt_e500_by_agent);

	return by != NULL && core < PT_REMOTE_MAX_CORES && by->box[core].mem != NULL ? &by->box[core] : NULL;
}

void pt_e500_agent_forget(struct pt_e500_target *e500)
{
	struct by_agent *by = pt_e500_method_state(e500, &pt_e500_by_agent);

	for (unsigned core = 0; by != NULL && core < PT_REMOTE_MAX_CORES; core++)
		by->box[core].mem = NULL;
}

int pt_e500_agent_leave(struct pt_e500_target *e500, unsigned core, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err)
{
	struct pt_e500_mailbox *box = pt_e500_agent_box(e500, core);

	if (box == NULL)
		return pt_fail(err, PT_EUNSUPPORTED, "no agent was at work");
	return pt_e500_box_leave(box, ops, n_ops, err);
}

/* --- a pass ------------------------------------------------------------------------------------------------------- */

static bool writes(const struct pt_e500_op *ops, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++)
		if (ops[i].write)
			return true;
	return false;
}

/* Serves reads from the published block if its order permits; otherwise sends a request to the agent. */
static int access_pmrs(struct pt_e500_mailbox *box, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_pass *pass,
		       struct pt_err *err)
{
	struct pt_e500_block now;
	uint64_t from_ns = 0, to_ns = 0;
	bool asks = writes(ops, n_ops);
	int rc = asks ? 0 : pt_e500_box_fresh(box, &now, &from_ns, &to_ns, err);

	if (rc == 0 && (asks || !pt_e500_block_serve(&now, ops, n_ops)))
		rc = pt_e500_box_run(box, ops, n_ops, &now, &from_ns, &to_ns, err);
	if (rc < 0)
		return rc;
	pass->error_ns = (to_ns - from_ns + 1) / 2;
	pass->at_ns = from_ns + pass->error_ns;
	pass->timebase = now.timebase;
	return 0;
}

static int agent_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		      struct pt_e500_pass *pass, struct pt_err *err)
{
	struct pt_link *link = pt_probe_link(e500->remote.target->probe);
	struct by_agent *by = pt_e500_method_state(e500, &pt_e500_by_agent);
	int rc;

	if (core >= PT_REMOTE_MAX_CORES)
		return pt_fail(err, PT_EARG, "there is no core %u", core);
	if (check_runs(e500, core, err) < 0 || open_box(by, e500, core, err) < 0)
		return err->code;
	pt_link_shield(link);
	rc = access_pmrs(&by->box[core], ops, n_ops, pass, err);
	if (rc < 0)
		pt_e500_box_withdraw(&by->box[core]);	/* another access method may do it now */
	pt_link_unshield(link);
	return rc;
}

const struct pt_e500_method pt_e500_by_agent = {
	.name = "agent",
	.slot = PT_E500_SLOT_AGENT,
	.state_bytes = sizeof(struct by_agent),
	.open = agent_open,
	.close = agent_close,
	.pass = agent_pass,
	.describe = agent_describe,
};
