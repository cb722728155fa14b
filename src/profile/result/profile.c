/* Figures of a whole profile. */
#include "profile/result/profile.h"

#include <float.h>

/* The bytes that a reset or a dead probe cost are not known; then the time that it took stands for them. A file that was cut,
 * and a fault that tells neither bytes nor time, may have cost any part: all. */
static double fault_share(const struct pt_loss_sum *sum)
{
	double of_bytes = 0.0, of_time = 0.0;
	uint64_t lost = 0, events = 0;

	if (sum->by[PT_LOSS_CUT].events > 0)
		return 1.0;
	for (int cause = PT_LOSS_FIRST_FAULT; cause < PT_N_LOSSES; cause++) {
		if (!pt_loss_is_fault((enum pt_loss)cause))
			continue;
		if (pt_loss_is_untimed(sum, (unsigned)cause) && sum->unsized[cause] > 0)
			return 1.0;
		lost += sum->by[cause].bytes;
		events += sum->by[cause].events;
	}
	if (events > 0)
		of_bytes = DBL_MIN;
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

	if (profile->n_sources == 0 && profile->no_end)	/* cut before the first source began: all of it */
		return 1.0;
	for (size_t i = 0; i < profile->n_sources; i++)
		if (fault_share(&profile->sources[i].loss) > worst)
			worst = fault_share(&profile->sources[i].loss);
	return worst;
}

struct pt_estimate pt_profile_in_all(const struct pt_profile_core *core, struct pt_estimate e)
{
	double awake = 1 - core->asleep.share, ticks = (double)core->ticks;

	if (core->awake_estimated && awake > 0) {
		e = pt_estimate_of_all_time(e, &core->asleep);
		ticks /= awake;
	}
	return (struct pt_estimate){ e.value * ticks, e.lo * ticks, e.hi * ticks };
}
