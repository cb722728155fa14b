/* Owners of the performance monitors, and saved registers. */
#include <stdio.h>
#include <string.h>

#include "targets/e500/perfmon/perfmon.h"
#include "base/util.h"

/* Of each core. */
static const char *const units[PT_REMOTE_MAX_CORES] = {
	"performance monitor", "performance monitor 1", "performance monitor 2",
	"performance monitor 3", "performance monitor 4", "performance monitor 5",
	"performance monitor 6", "performance monitor 7",
};

enum { LEAVE_USER_MS = 2000 };

static uint64_t now_ns(const struct pt_e500_target *e500)
{
	return pt_link_now_ns(pt_probe_link(e500->remote.target->probe));
}

size_t pt_e500_all_pmrs(enum pt_e500_core core, struct pt_e500_op *ops)
{
	struct pt_e500_register reg;
	size_t n = 0;

	for (unsigned pmr = 0; pmr < PT_E500_PMRS && n < PT_E500_PMRS_MAX; pmr++)
		if (pt_e500_pmr(core, pmr, &reg) && !reg.user)
			ops[n++] = (struct pt_e500_op){ .pmr = (uint16_t)pmr };
	return n;
}

int pt_e500_check_linux(const struct pt_e500_target *e500, const struct pt_e500_op *ops, size_t n_ops,
			struct pt_err *err)
{
	const uint32_t fc = UINT32_C(0x80000000), fcm1 = 0x10000000, ce = 0x04000000;
	char who[40] = "";
	size_t len = 0;

	for (size_t i = 0; i < n_ops; i++) {
		unsigned n = ops[i].pmr - PT_E500_PMLCA0;

		if (ops[i].pmr < PT_E500_PMLCA0 || n >= PT_E500_PMCS_MAX ||
		    (ops[i].value & (fc | fcm1 | ce)) != (fcm1 | ce))
			continue;
		if (len < sizeof(who))
			len += (size_t)snprintf(who + len, sizeof(who) - len, "%sPMC%u", len > 0 ? ", " : "", n);
	}
	if (len == 0 || !pt_params_flag(e500->settings, &pt_e500_settings[PT_E500_SET_RESPECT_LINUX]))
		return 0;
	return pt_fail(err, PT_EBUSY,
		       "Linux' perf counts with %s: it is left alone (end perf there, or take it from it with "
		       "e500.respect_linux=off)",
		       who);
}

/* Measures once per use whether counters run while the core is halted, before the description says so. UNVERIFIED with
 * any probe. */
static int try_halt(struct pt_e500_target *e500, unsigned core, size_t n, struct pt_err *err)
{
	struct pt_e500_pass pass = { .at_ns = now_ns(e500) };
	struct pt_err why = { 0 };
	int rc;

	if (e500->pm.last != &pt_e500_by_scratch)
		return 0;
	rc = pt_e500_scratch_try_halt(e500, core, e500->pm.hold[core].saved, n, &pass, &why);
	pt_e500_account_pass(e500, &pt_e500_by_scratch, core, NULL, 0, &pass, false);
	return rc == 0 || rc == PT_ESTATE ? 0 : pt_fail(err, rc, "%s", why.msg);
}

int pt_e500_take(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err)
{
	struct pt_e500_hold *hold = &e500->pm.hold[core < PT_REMOTE_MAX_CORES ? core : 0];
	struct pt_e500_pass pass;
	const char *unit;
	size_t n;

	if (core >= PT_REMOTE_MAX_CORES)
		return pt_fail(err, PT_EARG, "there is no core %u", core);
	unit = units[core];
	if (pt_lease_take(e500->remote.target, unit, owner, err) < 0)
		return err->code;
	pt_e500_settle(e500);	/* first restores what an earlier owner left, so that it is not saved as original */
	n = pt_e500_all_pmrs(e500->core, hold->saved);
	if (pt_e500_pass(e500, core, hold->saved, n, &pass, err) < 0 || pt_e500_check_setting(e500, err) < 0 ||
	    pt_e500_check_linux(e500, hold->saved, n, err) < 0 || try_halt(e500, core, n, err) < 0) {
		pt_lease_drop(e500->remote.target, unit, owner);
		return err->code;
	}
	hold->n_saved = n;
	hold->n_left = 0;
	snprintf(hold->owner, sizeof(hold->owner), "%s", owner);
	return 0;
}

/* In user mode registers cannot be written: retries until the halt hits supervisor code. */
static int put_back(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *back, size_t n, struct pt_err *err)
{
	uint64_t until_ns = now_ns(e500) + LEAVE_USER_MS * PT_NS_PER_MS;
	struct pt_e500_pass pass = { .halted = false };
	struct pt_err ignored;
	int rc;

	do
		rc = pt_e500_pass(e500, core, back, n, &pass, err);
	while (rc == PT_ESTATE && pass.halted && now_ns(e500) < until_ns &&
	       pt_mem_wait(&e500->remote.mem, now_ns(e500) + PT_NS_PER_MS, &ignored) == 0);
	return rc;
}

static const char *pending_unit(unsigned core, char *unit, size_t room)
{
	snprintf(unit, room, "pm.%u", core);
	return unit;
}

/* True: nothing was written since the take. With an agent this is not known: it writes by itself. */
static bool is_untouched(const struct pt_e500_target *e500, unsigned core)
{
	return e500->pm.hold[core].n_left == 0 && pt_e500_agent_box(e500, core) == NULL;
}

/* Restores the counters first, while they are frozen; PMGC0 takes effect at the end of the pass. */
int pt_e500_give_back(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err)
{
	struct pt_e500_hold *hold = &e500->pm.hold[core < PT_REMOTE_MAX_CORES ? core : 0];
	struct pt_e500_op back[PT_E500_PMRS_MAX];
	size_t n = hold->n_saved;
	char unit[PT_PENDING_UNIT];
	int rc;

	if (core >= PT_REMOTE_MAX_CORES || hold->n_saved == 0 || strcmp(hold->owner, owner) != 0)
		return 0;
	memcpy(back, hold->saved, sizeof(back));
	for (size_t i = 0; i < hold->n_saved; i++)
		back[i].write = true;
	pt_e500_forget(e500);
	hold->n_saved = 0;
	rc = put_back(e500, core, back, n, err);
	if (rc == PT_ESTATE && is_untouched(e500, core))
		rc = 0;
	if (rc == PT_EUNSUPPORTED && pt_e500_agent_leave(e500, core, back, n, &(struct pt_err){ 0 }) == 0)
		rc = 0;
	if (rc < 0)
		pt_e500_owe(e500, core, n);
	else
		pt_pending_settle(e500->remote.target, pending_unit(core, unit, sizeof(unit)));
	pt_lease_drop(e500->remote.target, units[core], owner);
	hold->owner[0] = '\0';
	return rc == 0 ? 0 : pt_wrap(err, "the performance monitor's registers could not be put back");
}
