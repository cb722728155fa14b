/* The access methods of the performance monitor in the order of trial, and passes by the first that can. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "targets/e500/perfmon/perfmon.h"
#include "base/util.h"

enum { ASK_AGAIN_MS = 1000 };

static const struct pt_e500_method *const methods[PT_E500_WAYS] = {
	[PT_E500_SLOT_DCSR] = &pt_e500_by_dcsr, [PT_E500_SLOT_AGENT] = &pt_e500_by_agent,
	[PT_E500_SLOT_SCRATCH] = &pt_e500_by_scratch,
};

/* --- ways --------------------------------------------------------------------------------------------------------- */

static uint64_t now_ns(const struct pt_e500_target *e500)
{
	return pt_link_now_ns(pt_probe_link(e500->remote.target->probe));
}

static bool is_wanted(const struct pt_e500_target *e500, const struct pt_e500_method *method)
{
	const char *path = pt_params_text(e500->settings, &pt_e500_settings[PT_E500_SET_PATH]);

	return strcmp(path, "auto") == 0 || strcmp(path, method->name) == 0;
}

static void try_open(struct pt_e500_target *e500, size_t i)
{
	struct pt_e500_method_at *at = &e500->pm.at[i];
	struct pt_err err = { 0 };

	if (at->refused || (at->asked_ns != 0 && now_ns(e500) - at->asked_ns < ASK_AGAIN_MS * PT_NS_PER_MS))
		return;
	at->asked_ns = now_ns(e500) | 1;
	if (at->state == NULL)
		at->state = pt_alloc(methods[i]->state_bytes);
	memset(at->state, 0, methods[i]->state_bytes);
	at->open = methods[i]->open(e500, e500->settings, &err) == 0;
	snprintf(at->why, sizeof(at->why), "%.*s", (int)sizeof(at->why) - 1, err.msg);
}

static bool is_open(struct pt_e500_target *e500, size_t i)
{
	if (is_wanted(e500, methods[i]) && !e500->pm.at[i].open)
		try_open(e500, i);
	return is_wanted(e500, methods[i]) && e500->pm.at[i].open;
}

bool pt_e500_agent_awaited(const struct pt_e500_target *e500)
{
	return is_wanted(e500, &pt_e500_by_agent) && pt_e500_agent_known(e500, &(struct pt_err){ 0 }) == 0;
}

/* Gives the reason for each method. */
static int fail_without(const struct pt_e500_target *e500, const char *refused, struct pt_err *err)
{
	char text[sizeof(err->msg)] = "";
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(methods) && n < sizeof(text); i++)
		if (is_wanted(e500, methods[i]) && !e500->pm.at[i].open)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s: %s", n > 0 ? "; " : "",
					      methods[i]->name, e500->pm.at[i].why);
	if (refused[0] != '\0' && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%s%s", n > 0 ? "; " : "", refused);
	return pt_fail(err, PT_EUNSUPPORTED, "no way to the performance monitor: %.350s", text);
}

int pt_e500_open_way(struct pt_e500_target *e500, const struct pt_e500_method *method, struct pt_err *err)
{
	size_t i = method->slot;

	e500->pm.at[i].asked_ns = 0;
	if (!is_wanted(e500, method))
		return pt_fail(err, PT_EUNSUPPORTED, "e500.path=%s",
			       pt_params_text(e500->settings, &pt_e500_settings[PT_E500_SET_PATH]));
	return is_open(e500, i) ? 0 : pt_fail(err, PT_EUNSUPPORTED, "%s: %s", method->name, e500->pm.at[i].why);
}

const struct pt_e500_method *pt_e500_choose(struct pt_e500_target *e500, struct pt_err *err)
{
	for (size_t i = 0; i < PT_LEN(methods); i++)
		if (is_open(e500, i))
			return methods[i];
	fail_without(e500, "", err);
	return NULL;
}

const struct pt_e500_method *pt_e500_choose_writer(struct pt_e500_target *e500)
{
	for (size_t i = 0; i < PT_LEN(methods); i++)
		if (is_open(e500, i) && (methods[i]->only_reads == NULL || !methods[i]->only_reads(e500)))
			return methods[i];
	return NULL;
}

int pt_e500_agent(struct pt_e500_target *e500, unsigned core, struct pt_e500_mailbox **box, struct pt_err *err)
{
	if (core >= PT_REMOTE_MAX_CORES)
		return pt_fail(err, PT_EARG, "there is no core %u", core);
	if (pt_e500_open_way(e500, &pt_e500_by_agent, err) < 0)
		return err->code;
	return pt_e500_agent_running_box(e500, core, box, err);
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static uint64_t packets_sent(const struct pt_e500_target *e500)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(e500->remote.target->probe), &traffic);
	return traffic.packets;
}

static int pass_by(struct pt_e500_target *e500, size_t i, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		   struct pt_e500_pass *pass, struct pt_err *err)
{
	uint64_t sent = packets_sent(e500);
	int rc;

	*pass = (struct pt_e500_pass){ .at_ns = now_ns(e500), .timebase = PT_UNKNOWN };
	rc = methods[i]->pass(e500, core, ops, n_ops, pass, err);
	pass->n_packets = (uint32_t)(packets_sent(e500) - sent);
	pt_e500_account_pass(e500, methods[i], core, ops, n_ops, pass, rc == 0);
	e500->pm.silent = rc == PT_EIO || rc == PT_ETIMEOUT;
	if (rc == 0)
		e500->pm.last = methods[i];
	return rc;
}

/* Notes the last written control registers of the unit's owner. Counters change by themselves, and PMGC0 may. */
static void note_written(struct pt_e500_hold *hold, const struct pt_e500_op *ops, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++) {
		size_t k = 0;

		if (!ops[i].write || ops[i].pmr < PT_E500_PMLCA0 || ops[i].pmr == PT_E500_PMGC0)
			continue;
		while (k < hold->n_left && hold->left[k].pmr != ops[i].pmr)
			k++;
		if (k == PT_LEN(hold->left))
			continue;
		hold->left[k] = ops[i];
		hold->n_left += k == hold->n_left;
	}
}

/* Notes all saved registers as pending, in the order of restore; only control registers that were written are compared
 * before it. */
static void note_pending(const struct pt_e500_target *e500, unsigned core, const struct pt_e500_op *ops, size_t n_ops)
{
	struct pt_e500_hold after = e500->pm.hold[core];
	struct pt_pending_row row[PT_E500_PMRS_MAX];

	note_written(&after, ops, n_ops);
	for (size_t i = 0; i < after.n_saved; i++) {
		row[i] = (struct pt_pending_row){ .kind = PT_PENDING_REG, .core = (uint8_t)core, .width_bytes = 4,
						  .at = after.saved[i].pmr, .was = after.saved[i].value,
						  .mask = UINT32_MAX };
		snprintf(row[i].unit, sizeof(row[i].unit), "pm.%u", core);
		for (size_t k = 0; k < after.n_left; k++)
			if (after.left[k].pmr == after.saved[i].pmr) {
				row[i].ours = after.left[k].value;
				row[i].check = UINT32_MAX;
			}
	}
	if (after.n_left > 0)
		pt_pending_note(e500->remote.target, row, after.n_saved);
}

int pt_e500_pending_read(void *state, const struct pt_pending_row *rows, size_t n, uint32_t *values, struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_PASS_MAX];
	struct pt_e500_pass pass;

	if (n > PT_LEN(ops))
		return pt_fail(err, PT_EARG, "so many registers the performance monitor does not have");
	for (size_t i = 0; i < n; i++)
		ops[i] = (struct pt_e500_op){ .pmr = (uint16_t)rows[i].at };
	if (pt_e500_pass(state, rows[0].core, ops, n, &pass, err) < 0)
		return err->code;
	for (size_t i = 0; i < n; i++)
		values[i] = ops[i].value;
	return 0;
}

int pt_e500_pending_write(void *state, const struct pt_pending_row *rows, size_t n, const uint32_t *values,
			  struct pt_err *err)
{
	struct pt_e500_op ops[PT_E500_PASS_MAX];
	struct pt_e500_pass pass;

	if (n > PT_LEN(ops))
		return pt_fail(err, PT_EARG, "so many registers the performance monitor does not have");
	for (size_t i = 0; i < n; i++)
		ops[i] = (struct pt_e500_op){ .pmr = (uint16_t)rows[i].at, .write = true, .value = values[i] };
	return pt_e500_pass(state, rows[0].core, ops, n, &pass, err);
}

static bool has_writes(const struct pt_e500_op *ops, size_t n_ops)
{
	size_t i = 0;

	while (i < n_ops && !ops[i].write)
		i++;
	return i < n_ops;
}

int pt_e500_pass(struct pt_e500_target *e500, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		 struct pt_e500_pass *pass, struct pt_err *err)
{
	char refused[240] = "";

	if (has_writes(ops, n_ops))
		pt_e500_forget(e500);
	if (n_ops > PT_E500_PASS_MAX)
		return pt_fail(err, PT_EARG, "%zu accesses to PMRs at once: no more than %d", n_ops, PT_E500_PASS_MAX);
	if (core < PT_REMOTE_MAX_CORES && e500->pm.hold[core].n_saved > 0 && has_writes(ops, n_ops))
		note_pending(e500, core, ops, n_ops);
	for (size_t i = 0; i < PT_LEN(methods); i++) {
		struct pt_err why = { 0 };
		int rc = is_open(e500, i) ? pass_by(e500, i, core, ops, n_ops, pass, &why) : PT_EUNSUPPORTED;

		/* also after an error, as ops may have been executed; in user mode (PT_ESTATE) they were not */
		if (core < PT_REMOTE_MAX_CORES && e500->pm.hold[core].n_saved > 0 && rc != PT_EUNSUPPORTED &&
		    rc != PT_ESTATE)
			note_written(&e500->pm.hold[core], ops, n_ops);
		if (rc == 0)
			return 0;
		if (rc != PT_EUNSUPPORTED)
			return pt_fail(err, rc, "%s", why.msg);
		if (why.msg[0] != '\0')
			snprintf(refused, sizeof(refused), "%.20s: %.215s", methods[i]->name, why.msg);
	}
	return fail_without(e500, refused, err);
}

/* --- what it costs ------------------------------------------------------------------------------------------------ */

/* Describes all accesses since attach, a debugger's included; pm_account.c has a profile's overhead. */
static void describe_cost(const struct pt_e500_method *method, const struct pt_e500_cost *c, char *line, size_t room)
{
	double ms = c->n_halts > 0 ? (double)c->halted_ns / (double)c->n_halts / PT_NS_PER_MS : 0;

	if (c->n_passes == 0)
		snprintf(line, room, "%s",
			 method->halts ? ": INTRUSIVE, each reading halts the core" : ": halts nothing");
	else if (c->n_halts == 0)
		snprintf(line, room,
			 ": %" PRIu64 " accesses so far without a halt, %.1f packets each (most %" PRIu32 ")",
			 c->n_passes, (double)c->n_packets / (double)c->n_passes, c->most_packets);
	else
		snprintf(line, room,
			 ": the core was halted %" PRIu64
			 " time%s so far, %.2f ms in the mean (longest %.2f ms), %.1f packets "
			 "each (most %" PRIu32 ")",
			 c->n_halts, c->n_halts == 1 ? "" : "s", ms, (double)c->longest_halt_ns / PT_NS_PER_MS,
			 (double)c->n_packets / (double)c->n_passes, c->most_packets);
}

void pt_e500_describe_way(const struct pt_e500_target *e500, char *line, size_t room)
{
	const struct pt_e500_method *method = e500->pm.last;
	struct pt_err why = { 0 };
	char what[120], agent[120], cost[160];
	int len;

	for (size_t i = 0; method == NULL && i < PT_LEN(methods); i++)
		if (is_wanted(e500, methods[i]) && e500->pm.at[i].open)
			method = methods[i];
	if (method == NULL) {
		fail_without(e500, "", &why);
		snprintf(line, room, "%s", why.msg);
		return;
	}
	method->describe(e500, what, sizeof(what));
	describe_cost(method, &e500->pm.at[method->slot].cost, cost, sizeof(cost));
	len = snprintf(line, room, "%s%s", what, cost);
	if (!method->halts || !pt_e500_agent_awaited(e500) || len < 0 || (size_t)len >= room)
		return;
	pt_e500_by_agent.describe(e500, agent, sizeof(agent));
	snprintf(line + len, room - (size_t)len, "; the %s is the way once it answers", agent);
}

void pt_e500_source_cost(struct pt_target *target, char *line, size_t room)
{
	pt_e500_describe_way(target->state, line, room);
}

void pt_e500_offer_ram(struct pt_e500_target *e500, const struct pt_source_setup *setup)
{
	struct pt_e500_method_at *at = &e500->pm.at[PT_E500_SLOT_SCRATCH];

	if (setup->n_free_ram == 0 || at->open)
		return;
	e500->pm.ram = setup->free_ram[0];
	at->asked_ns = 0;
}

void pt_e500_pm_close(struct pt_e500_target *e500)
{
	for (size_t i = 0; i < PT_LEN(methods); i++) {
		if (e500->pm.at[i].open)
			methods[i]->close(e500);
		free(e500->pm.at[i].state);
		e500->pm.at[i] = (struct pt_e500_method_at){ 0 };
	}
}
