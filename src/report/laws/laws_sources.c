/* Law 6: where a core was sampled between its bursts, the shares that are printed and those that bursts alone would have
 * given do not differ by more than chance explains; or the report says that they do. */
#include <math.h>

#include "report/laws/laws_parts.h"

static void check_function(struct pt_law_check *check, const struct pt_profile_core *core,
			   const struct pt_profile_function *f, size_t n)
{
	const struct pt_calibration *c = &core->calibration[f->id];
	struct pt_share alone = pt_cluster_share(&core->windows, &c->windows.own);

	if (pt_shares_differ(&f->share, &alone, n))
		pt_law_violated(check, PT_LAW_ANSWERS, "functions",
				"%s has %.3f %% (%.3f to %.3f) with samples, %.3f %% (%.3f to %.3f) by bursts alone",
				f->function != NULL ? f->function->name : "(no symbol)", f->share.share * 100,
				f->share.lo * 100, f->share.hi * 100, alone.share * 100, alone.lo * 100,
				alone.hi * 100);
}

static void check_sleep(struct pt_law_check *check, const struct pt_profile_core *core)
{
	if (pt_shares_differ(&core->asleep, &core->asleep_by_bursts, 1))
		pt_law_violated(check, PT_LAW_ANSWERS, "profile", "core %u slept %.3f %% by samples, %.3f %% by bursts",
				core->core, core->asleep.share * 100, core->asleep_by_bursts.share * 100);
}

void pt_law_sources(struct pt_law_check *check)
{
	const struct pt_profile *p = check->profile;

	if (p->contradiction != NULL)	/* the report says so already */
		return;
	for (size_t i = 0; i < p->n_functions; i++) {
		const struct pt_profile_core *core = pt_profile_calibrated(p, p->function[i].core);

		if (core != NULL && core->windowed)
			check_function(check, core, &p->function[i], p->n_functions);
	}
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].windowed && p->core[i].calibration != NULL)
			check_sleep(check, &p->core[i]);
}
