/* The run loop of every virtual CPU, and what ties it to its bus. */
#include "probes/virtual/frame/core.h"

static void on_unit_accessed(void *cpu)
{
	pt_vcore_attend(cpu);	/* its first member */
}

void pt_vcore_join(struct pt_vcore *core, struct pt_vbus *bus,
		   void (*changed)(void *cpu, uint32_t addr, uint32_t size_bytes))
{
	core->bus = bus;
	bus->now_cycle = &core->cycle;
	bus->changed = changed;
	bus->unit_accessed = on_unit_accessed;
	bus->listener = core;
}

void pt_vcore_power_on(struct pt_vcore *core)
{
	core->cycle = core->instructions = core->sleep_cycles = core->halt_cycles = 0;
}

/* How far nothing can happen by itself. */
static uint64_t quiet_until(struct pt_vcore *core, const struct pt_vcore_ops *ops, uint64_t until_cycle)
{
	uint64_t due = ops->next_due != NULL ? ops->next_due(core) : PT_VNEVER;

	return pt_vbus_quiet_until(core->bus, core->cycle, due < until_cycle ? due : until_cycle);
}

/* Nothing is executed until something happens. */
static void pass_time(struct pt_vcore *core, const struct pt_vcore_ops *ops, enum pt_vcore_activity activity,
		      uint64_t to)
{
	uint64_t n_cycles = to - core->cycle;

	if (activity == PT_VCORE_SLEEPS)
		core->sleep_cycles += n_cycles;
	else if (activity == PT_VCORE_HALTED)
		core->halt_cycles += n_cycles;
	if (ops->rests != NULL)
		ops->rests(core, n_cycles);
	core->cycle = to;
}

void pt_vcore_run(struct pt_vcore *core, const struct pt_vcore_ops *ops, uint64_t until_cycle)
{
	core->stop = false;
	while (core->cycle < until_cycle && !core->stop) {
		enum pt_vcore_activity activity;
		uint64_t limit;

		pt_vbus_tick_due(core->bus, core->cycle);
		core->attention = false;
		ops->attend(core);
		if (core->attention)
			continue;
		limit = quiet_until(core, ops, until_cycle);
		activity = ops->activity(core);
		if (activity != PT_VCORE_RUNS) {
			pass_time(core, ops, activity, limit);
			continue;
		}
		core->deadline = ops->steps_singly(core) ? core->cycle + 1 : limit;
		ops->execute(core);
	}
}
