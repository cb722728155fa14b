/* The agent's block in the target's memory, as its reader sees it: what is where, whether what was read can be, and how
 * the agent is asked for something. Its own description is scripts/agent/proftap_agent.h, which this one does not
 * include. All that is read is the target's word and is checked; nothing is written but requests.
 *
 * Parsing is pure; the calls with a mailbox are for the board thread. While the core runs: none of them halts it. */
#ifndef PT_E500_MAILBOX_H
#define PT_E500_MAILBOX_H

#include "targets/contract/mem.h"
#include "targets/e500/core/pmr.h"

/* Big-endian words, by their index. 6: room for the counters of an e6500. */
enum {
	PT_E500_BOX_MAGIC = 0, PT_E500_BOX_VERSION, PT_E500_BOX_SEQUENCE,	/* odd: being written */
	PT_E500_BOX_CORE, PT_E500_BOX_BYTES, PT_E500_BOX_N_PMCS, PT_E500_BOX_TBU, PT_E500_BOX_TBL, PT_E500_BOX_PMGC0,
	PT_E500_BOX_FIRST,			/* PMC5 to PMC0, read in this order; PMCn is in FIRST + n */
	PT_E500_BOX_SECOND = PT_E500_BOX_FIRST + 6,		/* and once more */
	PT_E500_BOX_PMLCA = PT_E500_BOX_SECOND + 6,
	PT_E500_BOX_PMLCB = PT_E500_BOX_PMLCA + 6,
	PT_E500_BOX_ANSWERED = PT_E500_BOX_PMLCB + 6,		/* number of the request that is done */
	PT_E500_BOX_REFUSED,			/* 1 + index of its operation that is not known; 0: none */
	PT_E500_BOX_ANSWER_SUM,					/* of it, values filled in */
	PT_E500_BOX_RING, PT_E500_BOX_RING_ROOM,		/* samples; a power of two, or 0: it makes none */
	PT_E500_BOX_SUM,					/* of CORE to RING_ROOM */
	PT_E500_BOX_LAST,					/* SEQUENCE again; changes before it */
	PT_E500_BOX_HEAD, PT_E500_BOX_LOST,	/* samples stored, and not stored, ever; not under SEQUENCE */
	PT_E500_BOX_REQUEST_SUM,				/* of REQUEST to the last operation */
	PT_E500_BOX_REQUEST,					/* not ANSWERED: it is to be done */
	PT_E500_BOX_WORDS,					/* what is read in one go */
	PT_E500_BOX_N_OPS = PT_E500_BOX_WORDS, PT_E500_BOX_OPS,	/* two words each: code, value */
	PT_E500_BOX_OPS_MAX = 32,
	PT_E500_BOX_ALL_WORDS = PT_E500_BOX_OPS + 2 * PT_E500_BOX_OPS_MAX,	/* the agent's own follow */
};
#define PT_E500_BOX_IS UINT32_C(0x504d4331)	/* "PMC1" */
enum { PT_E500_BOX_SPEAKS = 1, PT_E500_BOX_MOST_BYTES = 0x1000, PT_E500_RING_MOST = 1 << 16 };

/* Codes of operations besides the numbers of PMRs: what the agent samples by. */
enum { PT_E500_BOX_PERIOD = 0x400, PT_E500_BOX_JITTER = 0x410 };

struct pt_e500_block {
	uint32_t sequence, core, bytes, n_pmcs, pmgc0, first[6], second[6], pmlca[6], pmlcb[6];
	uint64_t timebase;
	uint32_t answered, refused, answer_sum, ring, ring_room, head, lost, request;
};

uint32_t pt_e500_box_sum(const uint8_t *words, size_t n_words);
/* bytes: PT_E500_BOX_WORDS words as memory holds them. 0; 1: it was being written, read it again (*out is not set); or
 *   PT_EUNSUPPORTED  no agent is there, or one of another version
 *   PT_EPROTO        what it says cannot be
 * Any thread. */
int pt_e500_block_take(const uint8_t *bytes, struct pt_e500_block *out, struct pt_err *err);
/* Fills in reads in the order of ops: of PMCs each a reading of its own, so that the upper half of a chain may stand
 * before and behind the lower one. False: it takes a request. Any thread. */
bool pt_e500_block_serve(const struct pt_e500_block *snapshot, struct pt_e500_op *ops, size_t n_ops);

struct pt_e500_mailbox {
	bool (*stands)(void *state);	/* the core does not run, so nothing will be answered; NULL: not known */
	void *stands_state;
	struct pt_mem *mem;
	uint64_t addr;			/* of this core's block */
	uint32_t deadline_ms;		/* for the agent to do anything */
	uint32_t n_packets;		/* accesses to memory, ever */
	uint32_t bytes, ring, ring_room;	/* as first seen: they do not change */
	uint64_t seen_ns;		/* sent_ns of the last access that saw the sequence before */
	bool asked;			/* the request in words has been written, and no answer seen */
	uint8_t words[4 * (PT_E500_BOX_ALL_WORDS - PT_E500_BOX_REQUEST_SUM)];
};

/* Look whether an agent is there and at work. All of *box is set but stands and its state, which are the caller's
 * before. 0, or as of pt_e500_box_fresh. */
int pt_e500_box_open(struct pt_e500_mailbox *box, struct pt_mem *mem, uint64_t addr, uint32_t deadline_ms,
		     struct pt_err *err);
/* What stands there, as one. 0, or as of pt_e500_block_take, or
 *   PT_EBUSY  it was being written each time until the deadline: the core stands in the middle of it
 * or as memory says. */
int pt_e500_box_look(struct pt_e500_mailbox *box, struct pt_e500_block *out, struct pt_err *err);
/* What the agent published after the call began: between from_ns and to_ns. PT_EBUSY: nothing until the deadline;
 * PT_EUNSUPPORTED: the core was halted meanwhile; PT_EINTERRUPTED: call again. */
int pt_e500_box_fresh(struct pt_e500_mailbox *box, struct pt_e500_block *out, uint64_t *from_ns, uint64_t *to_ns,
		      struct pt_err *err);
/* Asks for it, and does not wait: the core stands. */
int pt_e500_box_leave(struct pt_e500_mailbox *box, const struct pt_e500_op *ops, size_t n_ops, struct pt_err *err);
/* What was asked for, and was not done, is not to be done any more. For a core that stands, or an agent that hangs. */
void pt_e500_box_withdraw(struct pt_e500_mailbox *box);
/* In order, all counters frozen meanwhile, a value for PMGC0 in force last: as of pt_e500_scratch_run. *out: of when it
 * was done. PT_EUNSUPPORTED: the agent does not know a register, nothing was done; or the core was halted, and it will
 * be done when it goes on; call again with the same ops to see that, as after PT_EINTERRUPTED; PT_EARG: too many; else
 * as of pt_e500_box_fresh. */
int pt_e500_box_run(struct pt_e500_mailbox *box, struct pt_e500_op *ops, size_t n_ops, struct pt_e500_block *out,
		    uint64_t *from_ns, uint64_t *to_ns, struct pt_err *err);

enum { PT_E500_BOX_SAMPLES_MAX = 128 };
struct pt_e500_sample { uint32_t pc, timebase; uint16_t event; uint8_t counter; bool user; };
/* The samples from *next (a number as of head) up to room: how many, and *next is behind them. *lost: how many before
 * them were overwritten. Negative: as memory says, or as of pt_e500_box_look; PT_EUNSUPPORTED: it makes none. */
int pt_e500_box_samples(struct pt_e500_mailbox *box, uint32_t *next, struct pt_e500_sample *samples, size_t room,
			uint64_t *lost, struct pt_e500_block *now, struct pt_err *err);

#endif
