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
		return (struct pt_value){ .f = bounded.share, .lo = bounded.lo, .hi = bounded.hi, .bounds = true,
					  .basis = PT_BASIS_ESTIMATED };
	}
	return (struct pt_value){ .f = (double)ticks / (double)all, .basis = p->times };
}

/* That of a function's row, as the pipeline made it. */
static inline struct pt_value pt_function_share(const struct pt_profile *p, const struct pt_profile_function *f)
{
	return (struct pt_value){ .f = f->share.share, .lo = f->share.lo, .hi = f->share.hi,
				  .bounds = pt_profile_seen_part(p, f->core) > 0,
				  .basis = isnan(f->share.share) ? PT_BASIS_NONE : p->shares };
}

/* A figure of what was seen. Of bursts or pieces that are too few for estimates it is a lower bound of the profile's, in
 * every table. */
static inline struct pt_value pt_flow_number(const struct pt_profile *p, uint16_t core, uint64_t u, enum pt_basis basis)
{
	return (struct pt_value){ .u = u, .basis = u == PT_UNKNOWN ? PT_BASIS_NONE : basis,
				  .at_least = u != PT_UNKNOWN && pt_profile_tallied(p, core) };
}

/* A count. Of a windowed core it has the interval of e, which is an estimate of it, or of what goes with it; without one
 * nothing is known: blank. */
static inline struct pt_value pt_flow_count(const struct pt_profile *p, uint16_t core, uint64_t u,
					    const struct pt_estimate *e)
{
	struct pt_value v = pt_flow_number(p, core, u, p->counts);

	if (pt_profile_windowed(p, core) == NULL || u == PT_UNKNOWN)
		return v;
	if (u == 0 || isnan(e->value) || e->value <= 0)	/* none in a window is not none at all */
		return (struct pt_value){ .u = PT_UNKNOWN };
	v.basis = PT_BASIS_ESTIMATED;
	v.lo = (double)u * e->lo / e->value;
	v.hi = (double)u * e->hi / e->value;
	return v;
}

/* Ticks of a row; of a windowed core an estimate, of which people read the interval as that of its share. */
static inline struct pt_value pt_flow_ticks(const struct pt_profile *p, uint16_t core, uint64_t ticks,
					    const struct pt_estimate *estimate)
{
	if (pt_profile_windowed(p, core) == NULL || isnan(estimate->lo))
		return (struct pt_value){ .u = ticks, .basis = p->times,
					  .at_least = ticks != PT_UNKNOWN && pt_profile_tallied(p, core) };
	return (struct pt_value){ .u = ticks, .lo = estimate->lo, .hi = estimate->hi, .basis = PT_BASIS_ESTIMATED,
				  .interval_beside = true };
}

/* The same of a row that has a share alone. */
static inline struct pt_value pt_flow_ticks_of(const struct pt_profile *p, uint16_t core, uint64_t ticks,
					       const struct pt_share *share)
{
	const struct pt_profile_core *windowed = pt_profile_windowed(p, core);
	struct pt_estimate e = { share->share, share->lo, share->hi };

	if (windowed == NULL)
		return pt_flow_number(p, core, ticks, p->times);
	e = pt_profile_in_all(windowed, e);
	return pt_flow_ticks(p, core, ticks, &e);
}

#endif
