/* Law 6 for two halves of one recording: they are independent, and are about the same time. */
#include <math.h>

#include "profile/analyses/signals/watched.h"
#include "report/laws/laws_parts.h"

static const struct pt_profile_core *core_of(const struct pt_profile *p, uint16_t number)
{
	for (size_t i = 0; i < p->n_cores; i++)
		if (p->core[i].core == number)
			return &p->core[i];
	return NULL;
}

/* Whether the core's shares are estimates from many looks. */
static bool is_estimated(const struct pt_profile *p, uint16_t number)
{
	const struct pt_profile_core *core = core_of(p, number);

	return core != NULL && p->shares == PT_BASIS_ESTIMATED &&
	       (core->windowed || core->calibration != NULL || (core->branches == 0 && core->samples > 0));
}

static const struct pt_profile_function *row_of(const struct pt_profile *p, const struct pt_profile_function *like)
{
	for (size_t i = 0; i < p->n_functions; i++)
		if (p->function[i].id == like->id && p->function[i].core == like->core)
			return &p->function[i];
	return NULL;
}

static void check_share(struct pt_law_check *check, const struct pt_profile_function *f, const struct pt_share *other)
{
	if (isnan(f->share.share) || isnan(other->share) ||
	    !pt_shares_differ(&f->share, other, check->profile->n_functions))
		return;
	pt_law_violated(check, PT_LAW_ANSWERS, "functions",
			"%s has %.3f %% (%.3f to %.3f) in one half of what was recorded, %.3f %% (%.3f to %.3f) in the "
			"other",
			f->function != NULL ? f->function->name : "(no symbol)", f->share.share * 100,
			f->share.lo * 100, f->share.hi * 100, other->share * 100, other->lo * 100, other->hi * 100);
}

static void check_rate(struct pt_law_check *check, const struct pt_profile_function *a,
		       const struct pt_profile_function *b)
{
	if (!pt_estimates_differ(&a->per_second, &b->per_second, check->profile->n_functions))
		return;
	pt_law_violated(
		check, PT_LAW_ANSWERS, "functions",
		"%s is called %.6g times per second (%.6g to %.6g) in one half of what was recorded, %.6g times "
		"(%.6g to %.6g) in the other",
		a->function != NULL ? a->function->name : "(no symbol)", a->per_second.value, a->per_second.lo,
		a->per_second.hi, b->per_second.value, b->per_second.lo, b->per_second.hi);
}

/* Compares the rows of a with b; rows that are only in b are compared in a second call, with a and b swapped. */
static void check_rows(struct pt_law_check *check, const struct pt_profile *b, bool again)
{
	const struct pt_profile *a = check->profile;

	for (size_t i = 0; i < a->n_functions; i++) {
		const struct pt_profile_function *f = &a->function[i], *other = row_of(b, f);

		if (!is_estimated(a, f->core) || !is_estimated(b, f->core))
			continue;
		if (other == NULL) {
			check_share(check, f, &b->unseen);
		} else if (!again) {
			check_share(check, f, &other->share);
			if (pt_profile_windowed(a, f->core) != NULL && pt_profile_windowed(b, f->core) != NULL)
				check_rate(check, f, other);
		}
	}
}

static void check_sleep(struct pt_law_check *check, const struct pt_profile *b)
{
	for (size_t i = 0; i < check->profile->n_cores; i++) {
		const struct pt_profile_core *core = &check->profile->core[i], *other = core_of(b, core->core);

		if (other == NULL || !core->windowed || !other->windowed ||
		    !pt_shares_differ(&core->asleep, &other->asleep, 1))
			continue;
		pt_law_violated(check, PT_LAW_ANSWERS, "profile",
				"core %u slept %.3f %% in one half of what was recorded, %.3f %% in the other",
				core->core, core->asleep.share * 100, other->asleep.share * 100);
	}
}

/* --- variables that were looked at */

static const struct pt_watched_variable *variable_of(const struct pt_profile *p, uint16_t number)
{
	for (size_t i = 0; p->watched != NULL && i < p->watched->n_variables; i++)
		if (p->watched->variable[i].variable == number)
			return &p->watched->variable[i];
	return NULL;
}

/* If this half did not find the state, its share has only an upper limit. */
static struct pt_share share_in(const struct pt_watched_variable *v, uint64_t value)
{
	for (size_t i = 0; i < v->n_states; i++)
		if (!v->state[i].others && v->state[i].value == value)
			return v->state[i].share;
	return (struct pt_share){ .hi = v->unseen };
}

static void check_states_of(struct pt_law_check *check, const struct pt_watched_variable *v,
			    const struct pt_watched_variable *other)
{
	for (size_t i = 0; i < v->n_states; i++) {
		const struct pt_watched_state *st = &v->state[i];
		struct pt_share share = share_in(other, st->value);

		if (st->others || isnan(st->share.share) || isnan(share.share) ||
		    !pt_shares_differ(&st->share, &share, v->n_states))
			continue;
		pt_law_violated(
			check, PT_LAW_ANSWERS, "watch",
			"%s is %s for %.3f %% (%.3f to %.3f) in one half of what was recorded, %.3f %% (%.3f to %.3f) "
			"in the other",
			check->profile->watched->signals->definition[v->variable].name, st->name, st->share.share * 100,
			st->share.lo * 100, st->share.hi * 100, share.share * 100, share.lo * 100, share.hi * 100);
	}
}

static void check_watched(struct pt_law_check *check, const struct pt_profile *b)
{
	const struct pt_watched *w = check->profile->watched;

	for (size_t i = 0; w != NULL && i < w->n_variables; i++) {
		const struct pt_watched_variable *other = variable_of(b, w->variable[i].variable);

		if (other != NULL && other->n_states > 0)
			check_states_of(check, &w->variable[i], other);
	}
}

size_t pt_laws_check_halves(const struct pt_profile *a, const struct pt_profile *b, pt_law_report report, void *arg)
{
	struct pt_law_check check = { a, NULL, report, arg, 0 }, back = { b, NULL, report, arg, 0 };

	check_rows(&check, b, false);
	check_sleep(&check, b);
	check_watched(&check, b);
	check_rows(&back, a, true);
	return check.n + back.n;
}
