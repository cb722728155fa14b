#include "profile/stats/account.h"
#include "base/util.h"

/* Returns the span that the chunk accounts for. */
static uint64_t tile(struct pt_account *a, const struct pt_chunk *chunk)
{
	uint64_t span = chunk->to_ns > chunk->from_ns ? chunk->to_ns - chunk->from_ns : 0;

	if (!a->begun) {
		a->begun = true;
		a->from_ns = a->to_ns = chunk->from_ns;
	}
	a->mismatch_ns += chunk->from_ns > a->to_ns ? chunk->from_ns - a->to_ns : a->to_ns - chunk->from_ns;
	a->to_ns = chunk->from_ns + span;
	a->sum.total_ns += span;
	return span;
}

enum { BEYOND_PARTS = 50, BEYOND_NS = 100000 };	/* that modelled cycles, and the host's moments, may be off */

uint64_t pt_account_beyond(const struct pt_account *a)
{
	uint64_t most = a->look_ns + a->look_ns / BEYOND_PARTS + BEYOND_NS;
	uint64_t now = a->look_ns > 0 && a->look_ran_ns > most ? a->look_ran_ns - a->look_ns : 0;

	return now > a->beyond_ns ? now : a->beyond_ns;
}

void pt_account_maybe_halted(struct pt_account *a, uint64_t ns)
{
	uint64_t moved = ns < a->rearm_ns ? ns : a->rearm_ns;

	a->rearm_ns -= moved;
	a->maybe_halted_ns += moved;
	a->sum.by[PT_LOSS_REARM].ns -= moved;
	a->sum.by[PT_LOSS_HALTED].ns += moved;
	a->sum.by[PT_LOSS_HALTED].events += a->sum.by[PT_LOSS_HALTED].events == 0 && moved > 0;
}

/* What was recorded before a halt that was found late. */
static void take_back_of_halts(struct pt_account *a, uint64_t ran_ns)
{
	uint64_t ns = ran_ns < a->maybe_halted_ns ? ran_ns : a->maybe_halted_ns;

	a->maybe_halted_ns -= ns;
	a->sum.observed_ns += ns;
	a->sum.unobserved_ns -= ns;
	a->sum.by[PT_LOSS_HALTED].ns -= ns;
}

/* What a buffer that goes around holds is the end of a time that was told as unobserved. */
static void take_back(struct pt_account *a, uint64_t ran_ns)
{
	uint64_t ns = ran_ns < a->rearm_ns ? ran_ns : a->rearm_ns;

	take_back_of_halts(a, ran_ns - ns);

	a->rearm_ns -= ns;
	a->sum.observed_ns += ns;
	a->sum.unobserved_ns -= ns;
	a->sum.by[PT_LOSS_REARM].ns -= ns;
}

#define MOST_SLACK_NS	(100 * PT_NS_PER_S)

static void note_rearm(struct pt_account *a, uint64_t ns)
{
	if (ns > a->sum.longest_rearm_ns)
		a->sum.longest_rearm_ns = ns;
}

/* A file may say anything. */
static uint64_t slack_of(const struct pt_chunk *chunk)
{
	uint64_t slack_ns = pt_chunk_slack_ns(chunk);

	return slack_ns < MOST_SLACK_NS ? slack_ns : MOST_SLACK_NS;
}

void pt_account_data(struct pt_account *a, const struct pt_chunk *chunk, uint64_t ran_ns)
{
	uint64_t span = tile(a, chunk), seen = ran_ns < span ? ran_ns : span, slack_ns = slack_of(chunk);

	note_rearm(a, a->rearm_ns + span - seen);
	if (ran_ns != PT_UNKNOWN && ran_ns > span && span > 0 && slack_ns > 0)
		take_back(a, ran_ns - span < slack_ns ? ran_ns - span : slack_ns);
	if (ran_ns != PT_UNKNOWN && span == 0) {
		take_back(a, ran_ns);
	} else {
		a->rearm_ns = 0;
		a->look_ns += ran_ns != PT_UNKNOWN ? span + slack_ns : 0;
		a->look_ran_ns += ran_ns != PT_UNKNOWN ? ran_ns : 0;
	}
	a->sum.observed_ns += seen;
	a->sum.unobserved_ns += span - seen;
	a->sum.by[PT_LOSS_REARM].ns += span - seen;
	a->sum.observed_bytes += chunk->len_bytes;
	a->last_cause = 0;
}

void pt_account_slept(struct pt_account *a, uint64_t slept_ns)
{
	uint64_t most = a->sum.observed_ns + a->slept_ns, slept = slept_ns < most ? slept_ns : most;

	a->sum.observed_ns = most - slept;
	a->sum.unobserved_ns += slept - a->slept_ns;
	a->sum.by[PT_LOSS_SLEEP].ns += slept - a->slept_ns;
	a->sum.by[PT_LOSS_SLEEP].events += a->slept_ns == 0 && slept > 0;
	a->slept_ns = slept;
}

void pt_account_loss(struct pt_account *a, const struct pt_chunk *chunk)
{
	unsigned cause = chunk->cause > 0 && chunk->cause < PT_N_LOSSES ? chunk->cause : PT_LOSS_DAMAGED;
	bool goes_on = a->last_cause == cause && a->to_ns == chunk->from_ns;
	uint64_t span = tile(a, chunk);

	a->beyond_ns = pt_account_beyond(a);
	a->look_ns = a->look_ran_ns = 0;
	if (pt_loss_is_fault((enum pt_loss)cause))
		a->sum.lost_ns += span;
	else
		a->sum.unobserved_ns += span;
	a->sum.by[cause].events += !goes_on;
	a->last_cause = cause;
	a->rearm_ns = cause == PT_LOSS_REARM ? a->rearm_ns + span : 0;
	note_rearm(a, a->rearm_ns);
	a->sum.by[cause].ns += span;
	if (chunk->lost_bytes != PT_UNKNOWN)
		a->sum.by[cause].bytes += chunk->lost_bytes;
	else
		a->sum.unsized[cause] += pt_loss_is_fault((enum pt_loss)cause);
}
