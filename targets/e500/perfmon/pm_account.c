/* The overhead of a profile's passes on its core, by access method: for samples, and for set-up and restore. A
 * debugger's accesses are not included. */
#include <stdio.h>

#include "targets/e500/perfmon/perfmon.h"

static bool reads_counter(const struct pt_e500_op *ops, size_t n_ops)
{
	for (size_t i = 0; i < n_ops; i++)
		if (!ops[i].write &&
		    (ops[i].pmr - PT_E500_PMC0 < PT_E500_PMCS_MAX || ops[i].pmr == PT_E500_CAPTURED_PC))
			return true;
	return false;
}

struct pt_e500_account *pt_e500_account_begin(struct pt_e500_target *e500, unsigned core)
{
	struct pt_e500_account *account = &e500->pm.account[core < PT_REMOTE_MAX_CORES ? core : 0];

	*account = (struct pt_e500_account){ .e500 = e500 };
	return account;
}

/* Totals since attach. A failed pass may have halted the program, too. */
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

static struct pt_cost_part *part_of(struct pt_e500_target *e500, unsigned core, const struct pt_e500_method *method)
{
	e500->pm.account[core].by[method->slot].method = method;
	return &e500->pm.account[core].by[method->slot].part;
}

/* Reads before the unit is taken (to save registers) are not samples. */
void pt_e500_account_pass(struct pt_e500_target *e500, const struct pt_e500_method *method, unsigned core,
			  const struct pt_e500_op *ops, size_t n_ops, const struct pt_e500_pass *pass, bool worked)
{
	struct pt_cost_part *part;
	bool sample;

	add_cost(&e500->pm.at[method->slot].cost, pass, worked);
	if (core >= PT_REMOTE_MAX_CORES || e500->pm.for_debugger)
		return;
	part = part_of(e500, core, method);
	sample = e500->pm.hold[core].n_saved > 0 && reads_counter(ops, n_ops);
	if (pass->halted && pass->halted_ns > 0)
		pt_cost_halt(sample ? &part->sampling : &part->setup, pass->halted_ns);
	if (!worked || !sample)
		return;
	part->samples++;
	part->packets += pass->n_packets;
}

void pt_e500_account_samples(struct pt_e500_target *e500, unsigned core, const struct pt_e500_method *method, size_t n,
			     uint64_t n_packets)
{
	struct pt_cost_part *part;

	if (core >= PT_REMOTE_MAX_CORES)
		return;
	part = part_of(e500, core, method);
	part->samples += n;
	part->packets += n_packets;
}

void pt_e500_account_tell(void *state, struct pt_cost *cost)
{
	const struct pt_e500_account *account = state;

	for (size_t i = 0; i < PT_E500_WAYS; i++) {
		struct pt_cost_part *part = &cost->part[cost->n_parts];

		*part = account->by[i].part;
		if (part->samples == 0 && part->sampling.n == 0 && part->setup.n == 0)
			continue;
		account->by[i].method->describe(account->e500, part->way, sizeof(part->way));
		cost->n_parts++;
	}
}
