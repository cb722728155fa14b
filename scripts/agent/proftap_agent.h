/* proftap's agent for a PowerPC e500: a small program beside yours that publishes the performance monitor in memory and
 * does what proftap asks for there, so that nothing has to halt the core. README says how to link it, and its cost.
 * Freestanding C11 for GCC, no OS; GPL-3.0-or-later. */
#ifndef PROFTAP_AGENT_H
#define PROFTAP_AGENT_H

#include <stdint.h>

#ifndef PROFTAP_AGENT_CORES
#define PROFTAP_AGENT_CORES 1		/* a block each; a core takes the one of its PIR */
#endif
#ifndef PROFTAP_AGENT_PMCS
#define PROFTAP_AGENT_PMCS 4		/* counters of a core; 6: e6500 */
#endif
#ifndef PROFTAP_AGENT_SAMPLES
#define PROFTAP_AGENT_SAMPLES 256	/* room in the ring of program counters, a power of two */
#endif
enum { PROFTAP_AGENT_MAGIC = 0x504d4331, PROFTAP_AGENT_VERSION = 1, PROFTAP_AGENT_OPS = 32 };

struct proftap_sample { uint32_t pc, info, timebase; };	/* info: counter in bits 0-3, event 16-27, 31: user mode */

/* Big-endian words. Whoever reads takes the block when sequence is even, last is the same, and sum fits. */
struct proftap_agent {
	uint32_t magic, version, sequence;	/* odd: being written; last changes before it, both times */
	uint32_t core, bytes, n_pmcs, tbu, tbl, pmgc0;	/* bytes: of all of this; the next core's is behind it */
	uint32_t first[6], second[6];	/* the PMCs from the last to PMC0, and once more: a chain's upper half can be */
	uint32_t pmlca[6], pmlcb[6];	/* compared, as it was before and after the lower one */
	uint32_t answered, refused, answer_sum;	/* the request that is done; 1 + which op is not known; of the ops */
	uint32_t ring, ring_room;	/* of samples, and how many fit (0: none are made): i is in i % ring_room */
	uint32_t sum, last;		/* of core to ring_room; as sequence */
	uint32_t head, lost;		/* samples that were ever stored, and not stored: any time, a word each */
	/* What proftap writes; done when request is not answered and request_sum is that of request to the last op.
	 * code: a PMR's number, 0x400 + n: period of PMCn, 0x410 + n: its jitter (2^k - 1); 0x8000xxxx writes it.
	 * Values that were read are in the ops when request is answered. */
	uint32_t request_sum, request, n_ops;
	struct { uint32_t code, value; } op[PROFTAP_AGENT_OPS];
	uint32_t period[6], jitter[6], control, seed;		/* the agent's own */
};
extern struct proftap_agent proftap_agent[PROFTAP_AGENT_CORES];	/* proftap finds it by this name */

/* Once per core, before the others; supervisor mode, as they are. samples: IVOR35 leads to proftap_agent_overflow, so
 * proftap may switch the interrupt on. */
void proftap_agent_init(int samples);
void proftap_agent_poll(void);	/* from a timer's interrupt, or a loop: as often as values shall be fresh */
/* What IVOR35 (SPR 531) is to point at where the system has no handler of its own; the stack of what it interrupts has
 * to be usable. One that exists calls overflow(SRR0, SRR1) instead. */
void proftap_agent_vector(void);
void proftap_agent_overflow(uint32_t srr0, uint32_t srr1);

#endif
