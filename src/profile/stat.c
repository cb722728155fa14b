#include <math.h>

#include "profile/stat.h"

enum { FULL = 0x40000000 };	/* values in a histogram before all buckets are halved: quantiles stay as they are */

void pt_hist_add(struct pt_hist *hist, uint64_t value)
{
	hist->bucket[pt_hist_index(value)]++;
	if (++hist->n < FULL)
		return;
	hist->n = 0;
	for (size_t i = 0; i < PT_HIST_BUCKETS; i++)
		hist->n += hist->bucket[i] /= 2;
}

void pt_stat_add(struct pt_stat *stat, uint64_t value, uint64_t at)
{
	if (value < stat->min) {
		stat->min = value;
		stat->min_at = at;
	}
	if (value > stat->max || stat->n == 0) {
		stat->max = value;
		stat->max_at = at;
	}
	stat->n++;
	stat->total += value;
	if (stat->hist != NULL)
		pt_hist_add(stat->hist, value);
}

double pt_stat_avg(const struct pt_stat *stat)
{
	return stat->n != 0 ? (double)stat->total / (double)stat->n : 0;
}

static uint64_t bucket_middle(size_t i)
{
	double low;

	if (i == 0)
		return 0;
	low = ldexp(8 + (double)((i - 1) % 8), (int)((i - 1) / 8) - 3);
	return (uint64_t)(low + (i > 24 ? ldexp(0.5, (int)((i - 1) / 8) - 3) : 0));
}

uint64_t pt_stat_quantile(const struct pt_stat *stat, double q)
{
	uint64_t rank, value, seen = 0;
	size_t i = 0;

	if (stat->hist == NULL || stat->hist->n == 0)
		return PT_UNKNOWN;
	rank = (uint64_t)(q * (double)(stat->hist->n - 1));
	while (i < PT_HIST_BUCKETS - 1 && (seen += stat->hist->bucket[i]) <= rank)
		i++;
	value = bucket_middle(i);
	return value < stat->min ? stat->min : value > stat->max ? stat->max : value;
}

/* Source: the usual table for few degrees; above, the Cornish-Fisher expansion around the normal quantile
 * (Abramowitz and Stegun, 26.7.5), good to 4 digits there. */
double pt_student_95(uint64_t degrees)
{
	static const double table[] = { 0, 12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281 };
	const double z = 1.959964;
	double n = (double)degrees;

	if (degrees < PT_LEN(table))
		return degrees > 0 ? table[degrees] : INFINITY;
	return z + (pow(z, 3) + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}

static void wilson(struct pt_share *s, double t)
{
	double k = t * t / s->effective, centre = (s->share + k / 2) / (1 + k);
	double half = sqrt(k * s->share * (1 - s->share) + k * k / 4) / (1 + k);

	s->lo = fmax(0, centre - half);
	s->hi = fmin(1, centre + half);
}

struct pt_share pt_cluster_share(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum)
{
	struct pt_share s = { .lo = 0, .hi = 1 };
	double residuals, variance, n = (double)total->n;

	if (total->y <= 0)
		return s;
	s.share = fmin(1, sum->x / total->y);
	if (total->n < 2)
		return s;
	residuals = sum->xx - 2 * s.share * sum->xy + s.share * s.share * total->yy;
	variance = residuals * n / (n - 1) / (total->y * total->y);
	/* Clusters that all agree (nothing seen in any, or all of every one) say no more than n samples would. */
	s.effective = n;
	if (variance > 1e-12 && s.share > 0 && s.share < 1)
		s.effective = s.share * (1 - s.share) / variance;
	wilson(&s, pt_student_95(total->n - 1));
	return s;
}
