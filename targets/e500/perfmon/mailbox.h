/* The agent's block in the target's memory: its layout, checks of what was read, and requests to the agent. The agent's
 * own description is scripts/agent/proftap_agent.h, which this header does not include. Everything read from the target
 * is checked; only requests are written.
 *
 * Parsing is pure; calls with a mailbox: board thread only. They work while the core runs, and do not halt it. */
#ifndef PT_E500_MAILBOX_H
#define PT_E500_MAILBOX_H

#include "targets/contract/mem.h"
#include "targets/e500/core/pmr.h"

/* Big-endian words, by their index. 6: room for the counters of an e6500. */
enum {
	PT_E500_BOX_MAGIC = 0, PT_E500_BOX_VERSION, PT_E500_BOX_SEQUENCE,	/* odd: being written */
	PT_E500_BOX_CORE, PT_E500_BOX_BYTES, PT_E500_BOX_N_PMCS, PT_E500_BOX_TBU, PT_E500_BOX_TBL, PT_E500_BOX_PMGC0,
	PT_E500_BOX_FIRST,			/* PMC5 to PMC0, read in this order; PMCn is in FIRST + n */
	PT_E500_BOX_SECOND = PT_E500_BOX_FIRST + 6,		/* read a second time */
	PT_E500_BOX_PMLCA = PT_E500_BOX_SECOND + 6,
	PT_E500_BOX_PMLCB = PT_E500_BOX_PMLCA + 6,
	PT_E500_BOX_ANSWERED = PT_E500_BOX_PMLCB + 6,		/* number of the last request executed */
	PT_E500_BOX_REFUSED,			/* 1 + index of its first unknown operation; 0: none */
	PT_E500_BOX_ANSWER_SUM,					/* checksum of the request with values filled in */
	/* address and capacity in samples: a power of two, or 0: no sampling */
	PT_E500_BOX_RING, PT_E500_BOX_RING_ROOM,
	PT_E500_BOX_SUM,					/* checksum of CORE to RING_ROOM */
	PT_E500_BOX_LAST,					/* copy of SEQUENCE, changed before it */
	PT_E500_BOX_HEAD, PT_E500_BOX_LOST,	/* samples stored and lost since start; not covered by SEQUENCE */
	PT_E500_BOX_REQUEST_SUM,				/* checksum of REQUEST to the last operation */
	PT_E500_BOX_REQUEST,					/* differs from ANSWERED: request pending */
	PT_E500_BOX_WORDS,					/* length of one read */
	PT_E500_BOX_N_OPS = PT_E500_BOX_WORDS, PT_E500_BOX_OPS,	/* two words each: code, value */
	PT_E500_BOX_OPS_MAX = 32,
	PT_E500_BOX_ALL_WORDS = PT_E500_BOX_OPS + 2 * PT_E500_BOX_OPS_MAX,	/* the agent's private words follow */
};
#define PT_E500_BOX_IS UINT32_C(0x504d4331)	/* "PMC1" */
enum { PT_E500_BOX_SPEAKS = 1, PT_E500_BOX_MOST_BYTES = 0x1000, PT_E500_RING_MOST = 1 << 16 };

/* Operation codes besides PMR numbers: sampling period and jitter. */
enum { PT_E500_BOX_PERIOD = 0x400, PT_E500_BOX_JITTER = 0x410 };

struct pt_e500_block {
	uint32_t sequence, core, bytes, n_pmcs, pmgc0, first[6], second[6], pmlca[6], pmlcb[6];
	uint64_t timebase;
	uint32_t answered, refused, answer_sum, ring, ring_room, head, lost, request;
};

uint32_t pt_e500_box_sum(const uint8_t *words, size_t n_words);
/* bytes: PT_E500_BOX_WORDS words as read from memory. 0; 1: it was being written, read it again (*out is not set); or
 *   PT_EUNSUPPORTED  there is no agent, or one of another version
 *   PT_EPROTO        the content is not plausible
 * Any thread. */
int pt_e500_block_take(const uint8_t *bytes, struct pt_e500_block *out, struct pt_err *err);
/* Fills in the values of reads from a block. A PMC that is read before and after another one gets two different
 * readings, as needed for the upper half of a chain. False: a request is needed. Any thread. */
bool pt_e500_block_serve(const struct pt_e500_block *snapshot, struct pt_e500_op *ops, size_t n_ops);

struct pt_e500_mailbox {
	bool (*stands)(void *state);	/* true: the core is halted, so the agent cannot answer; NULL: not known */
	void *stands_state;
	struct pt_mem *mem;
	uint64_t addr;			/* address of this core's block */
	uint32_t deadline_ms;		/* deadline for every action of the agent */
	uint32_t n_packets;		/* memory accesses so far */
	uint32_t bytes, ring, ring_room;	/* as first seen; they must not change */
	uint64_t seen_ns;		/* sent_ns of the last access before the answer was seen */
	bool asked;			/* the request in words is written, and not answered yet */
	uint8_t words[4 * (PT_E500_BOX_ALL_WORDS - PT_E500_BOX_REQUEST_SUM)];
};

/* Checks that an agent is present and running. Sets *box, except stands and stands_state, which the caller sets before.
 * 0, or as of pt_e500_box_fresh. */
int pt_e500_box_open(struct pt_e500_mailbox *box, struct pt_mem *mem, uint64_t addr, uint32_t deadline_ms,
		     struct pt_err *err);
/* Reads a consistent block. 0, or as of pt_e500_block_take, or
 *   PT_EBUSY  the block was being written at each read until the deadline: the core may be halted while writing it
 * or a memory error. */
int pt_e500_box_look(struct pt_e500_mailbox *box, struct pt_e500_block *out, struct pt_err *err);
/* Waits for a block that the agent publishes after the call began, between from_ns and to_ns. PT_EBUSY: nothing until
 * the deadline; PT_EUNSUPPORTED: the core was halted meanwhile; PT_EINTERRUPTED: call again. */
int pt_e500_box_fresh(struct pt_e500_mailbox *box, struct pt_e500_block *out, uint64_t *from_ns, uint64_t *to_ns,
		      struct pt_err *err);
/* Leaves a request for a halted core, without waiting. */
int pt_e500_box_leave(struct pt_e500_mailbox *box, const struct pt_e500_op *ops, size_t n_ops, struct pt_err *err);
/* Withdraws a request that was not executed. For a halted core, or an agent that hangs. */
void pt_e500_box_withdraw(struct pt_e500_mailbox *box);
/* The agent executes ops in order with all counters frozen; a new PMGC0 takes effect last, as with pt_e500_scratch_run.
 * *out: the block when it was done. PT_EUNSUPPORTED: the agent does not know a register, nothing was done; or the core
 * was halted, and the agent will execute ops when it resumes: call again with the same ops for the result, as after
 * PT_EINTERRUPTED; PT_EARG: too many; else as of pt_e500_box_fresh. */
int pt_e500_box_run(struct pt_e500_mailbox *box, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_block *out,
		    uint64_t *from_ns, uint64_t *to_ns, struct pt_err *err);

enum { PT_E500_BOX_SAMPLES_MAX = 128 };
struct pt_e500_sample { uint32_t pc, timebase; uint16_t event; uint8_t counter; bool user; };
/* Fetches up to room samples from *next (counted like head); returns their number and advances *next. *lost: samples
 * that were overwritten or invalid. Negative: a memory error, or as of pt_e500_box_look; PT_EUNSUPPORTED: the agent
 * makes no samples. */
int pt_e500_box_samples(struct pt_e500_mailbox *box, uint32_t *next, struct pt_e500_sample *samples, size_t room,
			uint64_t *lost, struct pt_e500_block *now, struct pt_err *err);

#endif
