/* Who has the performance monitor: the ways to it in the order in which they are tried, what they cost, and what was in
 * its registers before somebody took it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "targets/e500/core/e500.h"
#include "base/util.h"

/* Of each core. */
static const char *const units[PT_REMOTE_MAX_CORES] = {
	"performance monitor", "performance monitor 1", "performance monitor 2",
	"performance monitor 3", "performance monitor 4", "performance monitor 5",
	"performance monitor 6", "performance monitor 7",
};

enum { ASK_AGAIN_MS = 1000, LEAVE_USER_MS = 2000 };

/* Those that halt nothing come first. */
const struct pt_e500_way *const pt_e500_ways[PT_E500_WAYS] = { &pt_e500_by_dcsr, &pt_e500_by_agent,
							      &pt_e500_by_scratch };

/* --- ways --------------------------------------------------------------------------------------------------------- */

static size_t index_of(const struct pt_e500_way *way)
{
	size_t i = 0;

	while (i + 1 < PT_LEN(pt_e500_ways) && pt_e500_ways[i] != way)
		i++;
	return i;
}

void *pt_e500_way_state(const struct pt_e500_target *e500, const struct pt_e500_way *way)
{
	return e500->pm.at[index_of(way)].state;
}

static uint64_t now_ns(const struct pt_e500_target *e500)
{
	return pt_link_now_ns(pt_probe_link(e500->remote.target->probe));
}

static bool is_wanted(const struct pt_e500_target *e500, const struct pt_e500_way *way)
{
	const char *path = pt_params_text(e500->settings, &pt_e500_settings[PT_E500_SET_PATH]);

	return strcmp(path, "auto") == 0 || strcmp(path, way->name) == 0;
}

static void try_open(struct pt_e500_target *e500, size_t i)
{
	struct pt_e500_way_at *at = &e500->pm.at[i];
	struct pt_err err = { 0 };

	if (at->refused || (at->asked_ns != 0 && now_ns(e500) - at->asked_ns < ASK_AGAIN_MS * PT_NS_PER_MS))
		return;
	at->asked_ns = now_ns(e500) | 1;
	if (at->state == NULL)
		at->state = calloc(1, pt_e500_ways[i]->state_bytes);
	if (at->state == NULL)
		pt_fail(&err, PT_ENOMEM, "no memory");
	else
		memset(at->state, 0, pt_e500_ways[i]->state_bytes);
	at->open = err.code == 0 && pt_e500_ways[i]->open(e500, e500->settings, &err) == 0;
	snprintf(at->why, sizeof(at->why), "%.*s", (int)sizeof(at->why) - 1, err.msg);
}

void pt_e500_ask_again(struct pt_e500_target *e500, const struct pt_e500_way *way)
{
	e500->pm.at[index_of(way)].open = false;
	e500->pm.at[index_of(way)].asked_ns = 0;
}

void pt_e500_refuse(struct pt_e500_target *e500, const struct pt_e500_way *way, const char *why)
{
	struct pt_e500_way_at *at = &e500->pm.at[index_of(way)];

	at->refused = true;
	at->open = false;
	way->close(e500);
	snprintf(at->why, sizeof(at->why), "%s", why);
}

static bool is_open(struct pt_e500_target *e500, size_t i)
{
	if (is_wanted(e500, pt_e500_ways[i]) && !e500->pm.at[i].open)
		try_open(e500, i);
	return is_wanted(e500, pt_e500_ways[i]) && e500->pm.at[i].open;
}

bool pt_e500_agent_awaited(const struct pt_e500_target *e500)
{
	return is_wanted(e500, &pt_e500_by_agent) && pt_e500_agent_known(e500, &(struct pt_err){ 0 }) == 0;
}

/* Way by way, why there is none. */
static int fail_without(const struct pt_e500_target *e500, const char *refused, struct pt_err *err)
{
	char text[sizeof(err->msg)] = "";
	size_t n = 0;

	for (size_t i = 0; i < PT_LEN(pt_e500_ways) && n < sizeof(text); i++)
		if (is_wanted(e500, pt_e500_ways[i]) && !e500->pm.at[i].open)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s: %s", n > 0 ? "; " : "",
					      pt_e500_ways[i]->name, e500->pm.at[i].why);
	if (refused[0] != '\0' && n < sizeof(text))
		snprintf(text + n, sizeof(text) - n, "%s%s", n > 0 ? "; " : "", refused);
	return pt_fail(err, PT_EUNSUPPORTED, "no way to the performance monitor: %.350s", text);
}

int pt_e500_open_way(struct pt_e500_target *e500, const struct pt_e500_way *way, struct pt_err *err)
{
	size_t i = index_of(way);

	e500->pm.at[i].asked_ns = 0;
	if (!is_wanted(e500, way))
		return pt_fail(err, PT_EUNSUPPORTED, "e500.path=%s",
			       pt_params_text(e500->settings, &pt_e500_settings[PT_E500_SET_PATH]));
	return is_open(e500, i) ? 0 : pt_fail(err, PT_EUNSUPPORTED, "%s: %s", way->name, e500->pm.at[i].why);
}

const struct pt_e500_way *pt_e500_choose(struct pt_e500_target *e500, struct pt_err *err)
{
	for (size_t i = 0; i < PT_LEN(pt_e500_ways); i++)
		if (is_open(e500, i))
			return pt_e500_ways[i];
	fail_without(e500, "", err);
	return NULL;
}

const struct pt_e500_way *pt_e500_choose_writer(struct pt_e500_target *e500)
{
	for (size_t i = 0; i < PT_LEN(pt_e500_ways); i++)
		if (is_open(e500, i) && (pt_e500_ways[i]->only_reads == NULL || !pt_e500_ways[i]->only_reads(e500)))
			return pt_e500_ways[i];
	return NULL;
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static uint64_t packets_sent(const struct pt_e500_target *e500)
{
	struct pt_link_traffic traffic;

	pt_link_traffic(pt_probe_link(e500->remote.target->probe), &traffic);
	return traffic.packets;
}

/* One that failed has halted the program all the same. */
static void add_cost(struct pt_e500_cost *cost, const struct pt_e500_pass *pass, bool worked)
{
	cost->n_halts += pass->halted;
	cost->halted_ns += pass->halted_ns;
	if (pass->halted_ns > cost->longest_halt_ns)
		cost->longest_halt_ns = pass->halted_ns;
	if (!worked)
		return;
	cost->n_passes++;
	cost->n_packets += pass->n_packets;
	if (pass->n_packets > cost->most_packets)
		cost->most_packets = pass->n_packets;
}

static int pass_by(struct pt_e500_target *e500, size_t i, unsigned core, struct pt_e500_op *ops, size_t n_ops,
		   struct pt_e500_pass *pass, struct pt_err *err)
{
	uint64_t sent = packets_sent(e500);
	int rc;

	*pass = (struct pt_e500_pass){ .at_ns = now_ns(e500), .timebase = PT_UNKNOWN };
	rc = pt_e500_ways[i]->pass(e500, core, ops, n_ops, pass, err);
	pass->n_packets = (uint32_t)(packets_sent(e500) - sent);
	add_cost(&e500->pm.at[i].cost, pass, rc == 0);
	pt_e500_account_pass(e500, i, core, ops, n_ops, pass, rc == 0);
	e500->pm.silent = rc == PT_EIO || rc == PT_ETIMEOUT;
	if (rc == 0)
		e500->pm.last = pt_e500_ways[i];
	return rc;
}

/* Of a user who has it: what says what is counted. Counters change by themselves, and so may PMGC0. */
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
	for (size_t i = 0; i < PT_LEN(pt_e500_ways); i++) {
		struct pt_err why = { 0 };
		int rc = is_open(e500, i) ? pass_by(e500, i, core, ops, n_ops, pass, &why) : PT_EUNSUPPORTED;

		/* also where nobody knows whether it was done; in user mode (PT_ESTATE) nothing was */
		if (core < PT_REMOTE_MAX_CORES && e500->pm.hold[core].n_saved > 0 && rc != PT_EUNSUPPORTED &&
		    rc != PT_ESTATE)
			note_written(&e500->pm.hold[core], ops, n_ops);
		if (rc == 0)
			return 0;
		if (rc != PT_EUNSUPPORTED)
			return pt_fail(err, rc, "%s", why.msg);
		if (why.msg[0] != '\0')
			snprintf(refused, sizeof(refused), "%.20s: %.215s", pt_e500_ways[i]->name, why.msg);
	}
	return fail_without(e500, refused, err);
}

/* --- what it costs ------------------------------------------------------------------------------------------------ */

/* All looks since it was attached, a debugger's, too; what a profile costs is pm_account.c's. */
static void describe_cost(const struct pt_e500_way *way, const struct pt_e500_cost *c, char *line, size_t room)
{
	double ms = c->n_halts > 0 ? (double)c->halted_ns / (double)c->n_halts / PT_NS_PER_MS : 0;

	if (c->n_passes == 0)
		snprintf(line, room, "%s", way->halts ? ": each sample halts the core" : ": halts nothing");
	else if (c->n_halts == 0)
		snprintf(line, room, ": %" PRIu64 " looks so far, 0 halts, %.1f packets each (most %" PRIu32 ")",
			 c->n_passes, (double)c->n_packets / (double)c->n_passes, c->most_packets);
	else
		snprintf(line, room,
			 ": %" PRIu64 " looks so far, %.1f packets each (most %" PRIu32 "); the core was halted %" PRIu64
			 " times for them, %.2f ms in the mean (longest %.2f ms)",
			 c->n_passes, (double)c->n_packets / (double)c->n_passes, c->most_packets, c->n_halts, ms,
			 (double)c->longest_halt_ns / PT_NS_PER_MS);
}

void pt_e500_describe_way(const struct pt_e500_target *e500, char *line, size_t room)
{
	const struct pt_e500_way *way = e500->pm.last;
	struct pt_err why = { 0 };
	char what[120], agent[120], cost[160];
	int len;

	for (size_t i = 0; way == NULL && i < PT_LEN(pt_e500_ways); i++)
		if (is_wanted(e500, pt_e500_ways[i]) && e500->pm.at[i].open)
			way = pt_e500_ways[i];
	if (way == NULL) {
		fail_without(e500, "", &why);
		snprintf(line, room, "%s", why.msg);
		return;
	}
	way->describe(e500, what, sizeof(what));
	describe_cost(way, &e500->pm.at[index_of(way)].cost, cost, sizeof(cost));
	len = snprintf(line, room, "%s%s", what, cost);
	if (!way->halts || !pt_e500_agent_awaited(e500) || len < 0 || (size_t)len >= room)
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
	struct pt_e500_way_at *at = &e500->pm.at[index_of(&pt_e500_by_scratch)];

	if (setup->n_free_ram == 0 || at->open)
		return;
	e500->pm.ram = setup->free_ram[0];
	at->asked_ns = 0;
}

void pt_e500_pm_close(struct pt_e500_target *e500)
{
	for (size_t i = 0; i < PT_LEN(pt_e500_ways); i++) {
		if (e500->pm.at[i].open)
			pt_e500_ways[i]->close(e500);
		free(e500->pm.at[i].state);
		e500->pm.at[i] = (struct pt_e500_way_at){ 0 };
	}
}

/* --- who has it --------------------------------------------------------------------------------------------------- */

size_t pt_e500_all_pmrs(enum pt_e500_core core, struct pt_e500_op *ops)
{
	static const uint16_t first[] = { PT_E500_PMC0, PT_E500_PMLCA0, PT_E500_PMLCB0 };
	size_t n = 0;

	for (size_t group = 0; group < PT_LEN(first); group++)
		for (unsigned i = 0; i < pt_e500_kinds[core].n_pmcs; i++)
			ops[n++] = (struct pt_e500_op){ .pmr = (uint16_t)(first[group] + i) };
	ops[n++] = (struct pt_e500_op){ .pmr = PT_E500_PMGC0 };
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

/* UNVERIFIED of any probe: once in each use, before it is said what the counts are. */
static int try_halt(struct pt_e500_target *e500, unsigned core, size_t n, struct pt_err *err)
{
	struct pt_e500_pass pass = { .at_ns = now_ns(e500) };
	struct pt_err why = { 0 };
	int rc;

	if (e500->pm.last != &pt_e500_by_scratch)
		return 0;
	rc = pt_e500_scratch_try_halt(e500, core, e500->pm.hold[core].saved, n, &pass, &why);
	add_cost(&e500->pm.at[index_of(&pt_e500_by_scratch)].cost, &pass, false);
	pt_e500_account_pass(e500, index_of(&pt_e500_by_scratch), core, NULL, 0, &pass, false);
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
	pt_e500_settle(e500);	/* what an earlier user left is not what was there before */
	n = pt_e500_all_pmrs(e500->core, hold->saved);
	if (pt_e500_pass(e500, core, hold->saved, n, &pass, err) < 0 ||
	    pt_e500_check_linux(e500, hold->saved, n, err) < 0 || try_halt(e500, core, n, err) < 0) {
		pt_lease_drop(e500->remote.target, unit, owner);
		return err->code;
	}
	hold->n_saved = n;
	hold->n_left = 0;
	snprintf(hold->owner, sizeof(hold->owner), "%s", owner);
	return 0;
}

/* In user mode nothing can be written: a program that runs is asked again until it is stopped in supervisor code. */
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

/* Since it was taken: an agent writes by itself. */
static bool is_untouched(const struct pt_e500_target *e500, unsigned core)
{
	return e500->pm.hold[core].n_left == 0 && pt_e500_agent_box(e500, core) == NULL;
}

/* Counters first, while they are frozen; PMGC0 comes into force at the end of a pass. */
int pt_e500_give_back(struct pt_e500_target *e500, unsigned core, const char *owner, struct pt_err *err)
{
	struct pt_e500_hold *hold = &e500->pm.hold[core < PT_REMOTE_MAX_CORES ? core : 0];
	struct pt_e500_op back[PT_E500_PMRS_MAX];
	size_t n = hold->n_saved;
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
	pt_lease_drop(e500->remote.target, units[core], owner);
	hold->owner[0] = '\0';
	return rc == 0 ? 0 : pt_wrap(err, "the performance monitor's registers could not be put back");
}
