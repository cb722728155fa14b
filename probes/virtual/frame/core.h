/* The frame of a virtual CPU: time, and what may happen between two instructions. A kind of CPU has a struct pt_vcore
 * as the first member of its own struct and gives the frame struct pt_vcore_ops; what is left to it is decode, execute
 * and exceptions.
 *
 * Time is the core's clock. While instructions are executed they move the count; asleep, halted or held the frame moves
 * it from one thing that is due to the next. Between two stretches of instructions everything that may have changed is
 * looked at once (attend); inside one only the cycle count is, so that the frame costs nothing per instruction. */
#ifndef PT_VIRTUAL_CORE_H
#define PT_VIRTUAL_CORE_H

#include "probes/virtual/frame/observers.h"

struct pt_vcore {
	uint64_t cycle, deadline;	/* execute while cycle < deadline */
	uint64_t instructions;
	uint64_t sleep_cycles, halt_cycles;
	bool attention;			/* something changed: look before the next instruction */
	bool stop;			/* leave pt_vcore_run() */
	struct pt_vobservers observers;
	struct pt_vbus *bus;
};

enum pt_vcore_activity {
	PT_VCORE_RUNS,
	PT_VCORE_SLEEPS,
	PT_VCORE_HALTED,	/* by a debugger */
	PT_VCORE_RESTS,		/* held in reset, locked up: its time is in no count but that of cycles */
};

/* cpu is the CPU's own struct, which begins with its pt_vcore. */
struct pt_vcore_ops {
	/* Everything that can happen between two instructions, in order of urgency. What needs another look sets
	 * attention (pt_vcore_attend), which is false when this is called. */
	void (*attend)(void *cpu);
	enum pt_vcore_activity (*activity)(const void *cpu);
	/* Each instruction must be looked at: a debugger steps, a schedule is imposed. */
	bool (*steps_singly)(const void *cpu);
	void (*execute)(void *cpu);	/* until cycle >= deadline, at least one instruction */
	/* The cycle at which something in the core itself is due, PT_VNEVER: nothing; NULL: nothing ever is. */
	uint64_t (*next_due)(const void *cpu);
	/* The core executes nothing for n_cycles: called before the count moves. NULL: the CPU does nothing then. */
	void (*rests)(void *cpu, uint64_t n_cycles);
};

/* Lend the bus the core's count and listen to it; changed, which may be NULL, hears of changed bytes with the CPU. */
void pt_vcore_join(struct pt_vcore *core, struct pt_vbus *bus,
		   void (*changed)(void *cpu, uint32_t addr, uint32_t size_bytes));

void pt_vcore_power_on(struct pt_vcore *core);	/* all counts are 0 */

/* Pass time until the count is at least until_cycle (an instruction is finished, so a little more), or until
 * pt_vcore_stop() was called during it. Ticks units on their cycles. */
void pt_vcore_run(struct pt_vcore *core, const struct pt_vcore_ops *ops, uint64_t until_cycle);

/* Look at everything before the next instruction. */
static inline void pt_vcore_attend(struct pt_vcore *core)
{
	core->attention = true;
	core->deadline = 0;
}

/* Leave pt_vcore_run() after the present instruction. */
static inline void pt_vcore_stop(struct pt_vcore *core)
{
	core->stop = true;
	pt_vcore_attend(core);
}

#endif
