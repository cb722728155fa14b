/* The performance monitor of a halted core, reached by code that the core itself executes: no debug port shows PMRs.
 * One routine is put into RAM, reads PMGC0, freezes all counters, reads and writes what is asked for, puts PMGC0 back
 * and ends in a trap; memory and the five registers that it changes are as they were afterwards, also after an error.
 * It runs with MSR[EE], [CE], [DE] and [WE] off, and with MSR[PMM] on: a counter with FCM1 counts nothing of it.
 * Board thread only; needs a core that is halted. Source: E500CORERM Rev. 1, Tables 7-2, 7-3 and 7-8.
 *
 * It relies on the server to make what it writes visible to instruction fetch, and to stop at the trap (7d821008 is
 * what GDB itself plants as a breakpoint). */
#ifndef PT_E500_SCRATCH_H
#define PT_E500_SCRATCH_H

#include "targets/e500/core/pmr.h"
#include "targets/contract/mem.h"

enum { PT_E500_OPS_MAX = 36, PT_E500_SCRATCH_BYTES = 512, PT_E500_TRAP = 0x7d821008 };

/* MSR. Source: E500CORERM 2.5.1 */
enum { PT_E500_MSR_WE = 0x40000, PT_E500_MSR_CE = 0x20000, PT_E500_MSR_EE = 0x8000, PT_E500_MSR_PR = 0x4000,
       PT_E500_MSR_DE = 0x200, PT_E500_MSR_PMM = 4 };

/* What the routine changes of the core. Of one with registers of 32 bits their upper halves are 0. */
struct pt_e500_frame { uint64_t r3, r4, r5, pc, msr; };

/* How the core is reached: each call is one packet where the server knows g and G. 0, or as the wire says. */
struct pt_e500_away;
struct pt_e500_port {
	void *state;
	struct pt_mem *mem;
	int (*get)(void *state, struct pt_e500_frame *frame, struct pt_err *err);
	int (*set)(void *state, const struct pt_e500_frame *frame, struct pt_err *err);
	/* One instruction (step), or until it stops by itself, at the trap at end; halted on return. PT_ETIMEOUT: it
	 * had to be stopped. */
	int (*run)(void *state, bool step, uint64_t end, struct pt_err *err);
	/* All that is about to be changed, before it is. NULL: not wanted. */
	void (*note)(void *state, const struct pt_e500_away *away);
};

/* What has to be put back, and what is there instead. */
struct pt_e500_away {
	struct pt_e500_frame was;
	uint64_t addr;
	uint32_t len_bytes, n_code_bytes;	/* in all; of code, which does not change by being executed */
	uint8_t saved[PT_E500_SCRATCH_BYTES], code[PT_E500_SCRATCH_BYTES];
};

struct pt_e500_scratch {
	const struct pt_e500_port *port;
	uint64_t addr;
	uint32_t size_bytes;		/* RAM that the core may write and execute where it stands; word-aligned */
	bool process;			/* it is one of an operating system: supervisor code is never seen */
	bool proven;			/* mfpmr was seen to work: it is not stepped over again */
	bool written;			/* the RAM was seen to hold what is written to it */
	bool doubt;			/* a routine did not come to its end: only what is in seen is executed at once */
	uint8_t seen[PT_E500_PMRS / 8];	/* bit by number of the PMR: it could be read or written */
	bool astray;			/* not all could be put back, away says what: the core must not go on */
	struct pt_e500_away away;
};

/* Bytes of RAM that so many operations take at the most. */
uint32_t pt_e500_scratch_needs(size_t n_ops);
/* In the given order, all counters frozen meanwhile (in user mode they cannot be, and go on); a value written to PMGC0
 * comes into force last, what is read of it is what it was. 0, or
 *   PT_EARG          too many, or more than the RAM holds; nothing was done
 *   PT_ESTATE        a write, and the core stopped in user mode; nothing was done
 *   PT_EUNSUPPORTED  mfpmr traps: the OS, or the core, does not let it be executed
 *   PT_ETIMEOUT      the routine did not come to its end. The one wait of its kind: after it a routine with PMRs that
 *                    were never reached goes step by step
 *   PT_EFAULT        going by steps, it left its way: the core has not all of these PMRs, or keeps them to itself
 *   PT_EPROTO        it stopped before its end
 * or as the port says. Where something could not be put back the sentence says what. */
int pt_e500_scratch_run(struct pt_e500_scratch *s, struct pt_e500_op *ops, size_t n_ops, struct pt_err *err);
/* After an error that left it astray, by a new connection perhaps: what is still as the routine left it is put back.
 * *as_before: memory and registers are as they were then. Errors as the port says. */
int pt_e500_scratch_mend(const struct pt_e500_port *port, const struct pt_e500_away *away, bool *as_before,
			 struct pt_err *err);

#endif
