#include "profile/stats/survival.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "profile/stats/stat.h"

struct pt_survival_bucket {
	double ended, cut;	/* weights */
	double total;		/* weighted lengths of those that ended */
	uint32_t last;		/* clusters of which the longest value is here */
};

static const double LOWER = 0.025, UPPER = 0.975;
static const double COARSE = 0.03;	/* what the lower limit of the curve is followed by */

static const double quantiles[PT_N_DURATION_QUANTILES] = {
	[PT_DURATION_P50] = 0.5, [PT_DURATION_P90] = 0.9, [PT_DURATION_P99] = 0.99,
};

/* --- buckets */

static uint64_t first_of(size_t bucket)
{
	size_t shift = bucket < 2 << PT_HIST_BITS ? 0 : (bucket >> PT_HIST_BITS) - 1;

	return (uint64_t)(bucket - (shift << PT_HIST_BITS)) << shift;
}

static void make_buckets(struct pt_survival *s, size_t n)
{
	if (n <= s->n_buckets)
		return;
	n = (n + 31) / 32 * 32;
	s->bucket = pt_realloc_array(s->bucket, n, sizeof(*s->bucket));
	memset(s->bucket + s->n_buckets, 0, (n - s->n_buckets) * sizeof(*s->bucket));
	s->n_buckets = n;
}

void pt_survival_add(struct pt_survival *s, uint64_t ticks, double weight, bool ended)
{
	bool fits = ticks <= PT_SURVIVAL_MOST;
	size_t i = pt_hist_index(fits ? ticks : PT_SURVIVAL_MOST);

	make_buckets(s, i + 1);
	if (ended && fits) {
		s->bucket[i].ended += weight;
		s->bucket[i].total += weight * (double)ticks;
	} else {
		s->bucket[i].cut += weight;
	}
	s->longest = ticks > s->longest ? ticks : s->longest;
	s->last = i + 1 > s->last ? i + 1 : s->last;
}

void pt_survival_cluster(struct pt_survival *s, double weight)
{
	if (s->last == 0)
		return;
	s->bucket[s->last - 1].last++;
	s->last = 0;
	s->n_clusters++;
	s->y += weight;
	s->yy += weight * weight;
}

void pt_survival_fini(struct pt_survival *s)
{
	free(s->bucket);
	*s = (struct pt_survival){ 0 };
}

/* --- the curve */

/* Values of unequal weight are as good as so many equal ones for each unit of weight. */
static double worth(const struct pt_survival *s)
{
	return s->yy > 0 ? s->y / s->yy : 0;
}

/* The last bucket in which enough clusters have something that lasts so long, + 1; and the weight there and beyond. */
static size_t end_of(const struct pt_survival *s, double *beyond)
{
	uint64_t clusters = 0;
	size_t end = s->n_buckets;

	*beyond = 0;
	for (; end > 0; end--) {
		clusters += s->bucket[end - 1].last;
		if (clusters >= PT_SURVIVAL_AT_RISK)
			break;
		*beyond += s->bucket[end - 1].ended + s->bucket[end - 1].cut;
	}
	return end;
}

size_t pt_survival_curve(const struct pt_survival *s, struct pt_survival_step out[PT_SURVIVAL_BUCKETS], uint64_t *reach)
{
	double at_risk = 0, part = 1, greenwood = 0;
	size_t end = end_of(s, &at_risk), n = 0;

	for (size_t i = 0; i < end; i++)
		at_risk += s->bucket[i].ended + s->bucket[i].cut;
	*reach = end > 0 ? first_of(end - 1) : 0;
	for (size_t i = 0; i < end; i++) {
		const struct pt_survival_bucket *b = &s->bucket[i];
		double die = b->ended > 0 ? fmin(1, b->ended / at_risk) : 0;	/* before those that are cut here */

		if (die > 0)
			greenwood += die < 1 ? die / ((1 - die) * at_risk * worth(s)) : INFINITY;
		at_risk -= b->ended + b->cut;
		if (die <= 0)
			continue;
		part = die < 1 ? part * (1 - die) : 0;
		out[n++] = (struct pt_survival_step){
			.at = b->total / b->ended, .from = first_of(i), .to = first_of(i + 1) - 1, .part = part,
			.greenwood = greenwood,
		};
	}
	return n;
}

/* --- intervals: those of a part of so many independent ones, of which there are not more than clusters */

struct beta { double a, b; };

static struct beta beta_of(const struct pt_survival *s, double part, double greenwood)
{
	double n = s->y * worth(s);

	if (part < 1 && part > 0 && greenwood > 0)
		n = fmin(n, (1 - part) / (part * greenwood));
	return (struct beta){ part * n + 0.5, (1 - part) * n + 0.5 };
}

/* Is the lower (or upper) limit of what lasts longer at most left? */
static bool limit_is_below(const struct pt_survival *s, const struct pt_survival_step *step, double left, double limit)
{
	struct beta beta = beta_of(s, step->part, step->greenwood);

	return pt_beta_below(beta.a, beta.b, left) >= limit;
}

static struct pt_estimate quantile_of(const struct pt_survival *s, const struct pt_survival_step *step, size_t n,
				      uint64_t reach, double q)
{
	struct pt_estimate e = { NAN, NAN, NAN };
	const double left = 1 - q + 1e-12;

	for (size_t i = 0; i < n && isnan(e.hi); i++) {
		if (isnan(e.lo) && limit_is_below(s, &step[i], left, LOWER))
			e.lo = (double)step[i].from;
		if (isnan(e.value) && step[i].part <= left)
			e.value = step[i].at;
		if (isnan(e.lo) && !isnan(e.value))	/* the limit is one of a padded sample, and may pass the estimate */
			e.lo = (double)step[i].from;
		if (!isnan(e.value) && limit_is_below(s, &step[i], left, UPPER))
			e.hi = (double)step[i].to;
	}
	if (isnan(e.lo))
		e.lo = (double)reach;
	if (isnan(e.hi))
		e.value = NAN;
	return e;
}

/* The area below the curve's lower limit: no mean is smaller. Steps are taken together while the curve falls little. */
static double least_mean(const struct pt_survival *s, const struct pt_survival_step *step, size_t n, uint64_t reach)
{
	double area = 0, from = 0, part = 1, greenwood = 0;

	for (size_t i = 0; i < n;) {
		size_t k = i;
		struct beta beta = beta_of(s, part, greenwood);
		double low = pt_beta_quantile(beta.a, beta.b, LOWER);

		while (k + 1 < n && part - step[k].part < COARSE)
			k++;
		if (k > i) {	/* as low as where they end */
			beta = beta_of(s, step[k - 1].part, step[k - 1].greenwood);
			low = fmin(low, pt_beta_quantile(beta.a, beta.b, LOWER));
		}
		area += (step[k].at - from) * low;
		from = step[k].at;
		part = step[k].part;
		greenwood = step[k].greenwood;
		i = k + 1;
	}
	if ((double)reach > from) {
		struct beta beta = beta_of(s, part, greenwood);

		area += ((double)reach - from) * pt_beta_quantile(beta.a, beta.b, LOWER);
	}
	return area;
}

struct pt_lengths pt_survival_lengths(const struct pt_survival *s)
{
	const struct pt_estimate none = { NAN, NAN, NAN };
	struct pt_lengths d = { .quantile = { none, none, none }, .mean = NAN, .longest = s->longest };
	struct pt_survival_step step[PT_SURVIVAL_BUCKETS];
	uint64_t reach;
	size_t n;

	if (s->n_clusters < PT_SURVIVAL_CLUSTERS)
		return d;
	n = pt_survival_curve(s, step, &reach);
	for (size_t i = 0; i < PT_N_DURATION_QUANTILES; i++)
		d.quantile[i] = quantile_of(s, step, n, reach, quantiles[i]);
	d.mean = least_mean(s, step, n, reach);
	return d;
}
