/* The share of a row made from flow: of the seen time, or estimated from windows in bursts; blank if the seen time does
 * not represent the profile. */
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

/* The share of a function, as the pipeline computed it. */
static inline struct pt_value pt_function_share(const struct pt_profile *p, const struct pt_profile_function *f)
{
	return (struct pt_value){ .f = f->share.share, .lo = f->share.lo, .hi = f->share.hi,
				  .bounds = pt_profile_seen_part(p, f->core) > 0,
				  .basis = isnan(f->share.share) ? PT_BASIS_NONE : p->shares };
}

/* A figure of what was seen. If there are too few bursts or pieces for estimates, it is a lower bound for the profile,
 * in every table. */
static inline struct pt_value pt_flow_number(const struct pt_profile *p, uint16_t core, uint64_t u, enum pt_basis basis)
{
	return (struct pt_value){ .u = u, .basis = u == PT_UNKNOWN ? PT_BASIS_NONE : basis,
				  .at_least = u != PT_UNKNOWN && pt_profile_tallied(p, core) };
}

/* A count. On a windowed core it gets the relative interval of e, an estimate of the count or of something proportional
 * to it; without an estimate it is blank. */
static inline struct pt_value pt_flow_count(const struct pt_profile *p, uint16_t core, uint64_t u,
					    const struct pt_estimate *e)
{
	struct pt_value v = pt_flow_number(p, core, u, p->counts);

	if (pt_profile_windowed(p, core) == NULL || u == PT_UNKNOWN)
		return v;
	if (u == 0 || isnan(e->value) || e->value <= 0)	/* none in the windows does not mean none in the profile */
		return (struct pt_value){ .u = PT_UNKNOWN };
	v.basis = PT_BASIS_ESTIMATED;
	v.lo = (double)u * e->lo / e->value;
	v.hi = (double)u * e->hi / e->value;
	return v;
}

/* Ticks of a row; on a windowed core an estimate, whose interval people see in the column of its share. */
static inline struct pt_value pt_flow_ticks(const struct pt_profile *p, uint16_t core, uint64_t ticks,
					    const struct pt_estimate *estimate)
{
	if (pt_profile_windowed(p, core) == NULL || isnan(estimate->lo))
		return (struct pt_value){ .u = ticks, .basis = p->times,
					  .at_least = ticks != PT_UNKNOWN && pt_profile_tallied(p, core) };
	return (struct pt_value){ .u = ticks, .lo = estimate->lo, .hi = estimate->hi, .basis = PT_BASIS_ESTIMATED,
				  .interval_beside = true };
}

/* The same for a row that has only a share. */
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
