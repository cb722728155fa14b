/* The share of a row that flow makes: of what was seen, or estimated from windows in bursts; blank where what was seen is
 * no fair part of the profile. */
#ifndef PT_REPORT_FLOW_SHARE_H
#define PT_REPORT_FLOW_SHARE_H

#include <math.h>

#include "profile/result/profile.h"
#include "report/table/view.h"

static inline struct pt_value pt_flow_share(const struct pt_profile *p, uint16_t core, uint64_t ticks, uint64_t all,
					    const struct pt_share *estimate)
{
	double seen = pt_profile_seen_part(p, core);
	struct pt_share bounded;

	if (pt_profile_windowed(p, core) != NULL)
		return (struct pt_value){ .f = estimate->share, .lo = estimate->lo, .hi = estimate->hi,
					  .basis = PT_BASIS_ESTIMATED };
	if (p->shares == PT_BASIS_NONE || all == 0 || (p->shares == PT_BASIS_ESTIMATED && seen <= 0 && p->n_cores > 0))
		return (struct pt_value){ .f = NAN };
	if (p->shares == PT_BASIS_ESTIMATED && seen > 0) {
		bounded = pt_profile_bounded(seen, (double)ticks / (double)all);
		return (struct pt_value){ .f = bounded.share, .lo = bounded.lo, .hi = bounded.hi,
					  .basis = PT_BASIS_ESTIMATED };
	}
	return (struct pt_value){ .f = (double)ticks / (double)all, .basis = p->times };
}

/* Ticks of a row, with the interval that its share has: people read it there. */
static inline struct pt_value pt_flow_ticks(const struct pt_profile *p, uint16_t core, uint64_t ticks,
					    const struct pt_share *share)
{
	const struct pt_profile_core *of = pt_profile_windowed(p, core);

	if (of == NULL || isnan(share->share))
		return (struct pt_value){ .u = ticks, .basis = p->times };
	return (struct pt_value){ .u = ticks, .lo = share->lo * (double)of->ticks, .hi = share->hi * (double)of->ticks,
				  .basis = PT_BASIS_ESTIMATED, .interval_beside = true };
}

#endif
