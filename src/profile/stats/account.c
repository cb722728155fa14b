#include "profile/stats/account.h"
#include "profile/result/profile.h"
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

void pt_account_data(struct pt_account *a, const struct pt_chunk *chunk, uint64_t ran_ns)
{
	uint64_t span = tile(a, chunk), seen = ran_ns < span ? ran_ns : span;

	a->sum.observed_ns += seen;
	a->sum.unobserved_ns += span - seen;
	a->sum.by[PT_LOSS_REARM].ns += span - seen;
	a->sum.observed_bytes += chunk->len_bytes;
	a->last_cause = 0;
}

void pt_account_loss(struct pt_account *a, const struct pt_chunk *chunk)
{
	unsigned cause = chunk->cause > 0 && chunk->cause < PT_N_LOSSES ? chunk->cause : PT_LOSS_DAMAGED;
	bool goes_on = a->last_cause == cause && a->to_ns == chunk->from_ns;
	uint64_t span = tile(a, chunk);

	if (pt_loss_is_fault((enum pt_loss)cause))
		a->sum.lost_ns += span;
	else
		a->sum.unobserved_ns += span;
	a->sum.by[cause].events += !goes_on;
	a->last_cause = cause;
	a->sum.by[cause].ns += span;
	if (chunk->lost_bytes != PT_UNKNOWN)
		a->sum.by[cause].bytes += chunk->lost_bytes;
}

/* Nobody knows how many bytes a reset or a dead probe cost; as many as at other times, as far as anybody can say. */
static double fault_share(const struct pt_loss_sum *sum)
{
	double of_bytes = 0.0, of_time = 0.0;
	uint64_t lost = 0;

	for (int cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++)
		lost += sum->by[cause].bytes;
	if (lost > 0)
		of_bytes = (double)lost / (double)(lost + sum->observed_bytes);
	if (sum->lost_ns > 0)
		of_time = (double)sum->lost_ns / (double)sum->total_ns;
	return of_bytes > of_time ? of_bytes : of_time;
}

/* Of several sources that of the worst: each has its own account. */
double pt_profile_lost_share(const struct pt_profile *profile)
{
	double worst = fault_share(pt_profile_loss(profile));

	for (size_t i = 0; i < profile->n_sources; i++)
		if (fault_share(&profile->sources[i].loss) > worst)
			worst = fault_share(&profile->sources[i].loss);
	return worst;
}
