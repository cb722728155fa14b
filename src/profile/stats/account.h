/* The account of time: what became of every nanosecond of a session, from the chunks of one source that tile it.
 * total = observed + unobserved + lost is an identity of what was added up; whether the chunks tile is checked apart:
 * mismatch_ns is what they left out or claimed twice. Pure. */
#ifndef PT_PROFILE_ACCOUNT_H
#define PT_PROFILE_ACCOUNT_H

#include "trace/chunk.h"
#include "trace/loss.h"

struct pt_account {		/* all zero: nothing seen yet */
	struct pt_loss_sum sum;
	uint64_t from_ns, to_ns;	/* of all DATA and LOSS chunks so far */
	uint64_t mismatch_ns;
	uint64_t slept_ns;		/* of what was observed */
	uint64_t look_ns, look_ran_ns, beyond_ns;	/* pt_account_beyond() */
	uint64_t rearm_ns;		/* of the LOSS of re-arming that came last, less what was taken back of it */
	uint64_t maybe_halted_ns;	/* of by[HALTED]: the core may have run then, pt_account_maybe_halted() */
	unsigned last_cause;		/* of the LOSS that came last; 0: it was DATA */
	bool begun;
};

/* A DATA chunk. ran_ns: how long the core ran to make it, if that is known and the chunk's span only bounds it (a burst
 * ends in the buffer before anybody sees that it has ended): what goes beyond is unobserved, as re-arm. PT_UNKNOWN: all
 * of its span was observed. A chunk without a span holds the end of the re-arm before it, of a buffer that goes around:
 * ran_ns of that was observed. Where its times are no bounds (pt_chunk_slack_ns()) a part of the re-arm before may be its, too. */
void pt_account_data(struct pt_account *account, const struct pt_chunk *chunk, uint64_t ran_ns);
/* How much longer the core ran for a look (what came between two LOSSes) than the time that it can have taken, at worst;
 * 0: never, or nobody knows the time of any. More can be only if the clock is faster than whoever turned cycles into ran_ns believes. */
uint64_t pt_account_beyond(const struct pt_account *account);
/* So long of what was observed the core slept, all in all: it becomes unobserved. */
void pt_account_slept(struct pt_account *account, uint64_t slept_ns);
/* In the last ns of the account the core may have been halted, or have run: as far as they were told as re-arm they become
 * halted, which is a bound from above. What DATA with a slack shows to have run later is taken back. */
void pt_account_maybe_halted(struct pt_account *account, uint64_t ns);
/* A LOSS chunk. One that goes on where one of the same cause ended is no other event: how a loss was cut into chunks
 * depends on how busy the analysis thread was. */
void pt_account_loss(struct pt_account *account, const struct pt_chunk *chunk);

#endif
