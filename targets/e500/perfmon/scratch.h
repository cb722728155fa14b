/* Accesses the performance monitor of a halted core by code that the core itself executes, because no debug port shows
 * PMRs. A routine in RAM reads PMGC0, freezes all counters, executes the operations, restores PMGC0 and ends in a trap.
 * Memory and the five registers that it changes are restored, also after an error. It runs with MSR[EE], [CE], [DE] and
 * [WE] off, and with MSR[PMM] on, so that a counter with FCM1 does not count it. Board thread only; needs a halted
 * core. Source: E500CORERM Rev. 1, Tables 7-2, 7-3 and 7-8.
 *
 * The server must make written code visible to instruction fetch, and stop at the trap (7d821008 is GDB's own
 * breakpoint instruction). */
#ifndef PT_E500_SCRATCH_H
#define PT_E500_SCRATCH_H

#include "targets/e500/core/pmr.h"
#include "targets/contract/mem.h"

enum { PT_E500_OPS_MAX = 36, PT_E500_SCRATCH_BYTES = 512, PT_E500_TRAP = 0x7d821008 };

/* MSR. Source: E500CORERM 2.5.1 */
enum { PT_E500_MSR_WE = 0x40000, PT_E500_MSR_CE = 0x20000, PT_E500_MSR_EE = 0x8000, PT_E500_MSR_PR = 0x4000,
       PT_E500_MSR_DE = 0x200, PT_E500_MSR_PMM = 4 };

/* The registers that the routine changes. With 32-bit registers the upper halves are 0. */
struct pt_e500_frame { uint64_t r3, r4, r5, pc, msr; };

/* Access to the core: each call is one packet if the server supports g and G. 0, or an error of the connection. */
struct pt_e500_away;
struct pt_e500_port {
	void *state;
	struct pt_mem *mem;
	int (*get)(void *state, struct pt_e500_frame *frame, struct pt_err *err);
	int (*set)(void *state, const struct pt_e500_frame *frame, struct pt_err *err);
	/* Executes one instruction (step), or runs until the trap at end; halted on return. PT_ETIMEOUT: it did not
	 * stop by itself and was interrupted. */
	int (*run)(void *state, bool step, uint64_t end, struct pt_err *err);
	/* Called before the change, with all that will change. NULL: not wanted. */
	void (*note)(void *state, const struct pt_e500_away *away);
};

/* What has to be restored, and what is there instead. */
struct pt_e500_away {
	struct pt_e500_frame was;
	uint64_t addr;
	uint32_t len_bytes, n_code_bytes;	/* total; of code, which execution does not change */
	uint8_t saved[PT_E500_SCRATCH_BYTES], code[PT_E500_SCRATCH_BYTES];
};

struct pt_e500_scratch {
	const struct pt_e500_port *port;
	uint64_t addr;
	uint32_t size_bytes;		/* RAM that the core can write and execute in its current state; word-aligned */
	bool process;			/* a process of an operating system: it never runs supervisor code */
	bool proven;			/* mfpmr works: not tested again */
	bool written;			/* the RAM was verified */
	bool doubt;			/* a routine did not end: registers not in seen are accessed by single-steps */
	uint8_t seen[PT_E500_PMRS / 8];	/* bit per PMR number: it was accessed successfully */
	bool astray;			/* away could not be restored: the core must not be resumed */
	struct pt_e500_away away;
};

/* Maximum bytes of RAM that n_ops operations need. */
uint32_t pt_e500_scratch_needs(size_t n_ops);
/* Executes ops in order with all counters frozen (in user mode they cannot be frozen). A value written to PMGC0 takes
 * effect last; a read of it gives its value before the freeze. 0, or
 *   PT_EARG          too many ops, or the RAM is too small; nothing was done
 *   PT_ESTATE        a write, and the core stopped in user mode; nothing was done
 *   PT_EUNSUPPORTED  mfpmr traps: the OS or the core does not permit it
 *   PT_ETIMEOUT      the routine did not end. Later routines with PMRs that were never accessed successfully are
 *                    single-stepped, so this happens only once
 *   PT_EFAULT        an access trapped during single-stepping: the core lacks or withholds one of these PMRs
 *   PT_EPROTO        the routine stopped before its end
 * or an error of the port. If something could not be restored, the message says what. */
int pt_e500_scratch_run(struct pt_e500_scratch *s, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err);
/* After an error that left astray set, perhaps by a new connection: restores what is still as the routine left it.
 * *as_before: memory and registers are restored. Errors as of the port. */
int pt_e500_scratch_mend(const struct pt_e500_port *port, const struct pt_e500_away *away, bool *as_before,
			 struct pt_err *err);

#endif
