/* The share of a line or an instruction, from samples. For views alone. */
#ifndef PT_REPORT_VIEWS_SAMPLED_SHARE_H
#define PT_REPORT_VIEWS_SAMPLED_SHARE_H

#include "profile/result/profile.h"
#include "report/table/view.h"

static inline struct pt_value pt_sampled_share(const struct pt_profile_place *at)
{
	return (struct pt_value){ .f = at->place.share.share, .lo = at->place.share.lo, .hi = at->place.share.hi,
				  .basis = PT_BASIS_ESTIMATED };
}

#endif
