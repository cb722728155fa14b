#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/stat.h"

/* Buckets come by the power of two; what is there keeps its place among them. */
static bool widen(struct pt_hist *hist, size_t index)
{
	size_t first = index >> PT_HIST_BITS << PT_HIST_BITS, end = first + (1 << PT_HIST_BITS), had = hist->n_buckets;
	uint32_t *bucket;

	if (had > 0) {
		first = first < hist->first ? first : hist->first;
		end = end > hist->first + had ? end : hist->first + had;
	}
	bucket = calloc(end - first, sizeof(*bucket));
	if (bucket == NULL)
		return false;
	if (had > 0)
		memcpy(bucket + (hist->first - first), hist->bucket, had * sizeof(*bucket));
	free(hist->bucket);
	*hist = (struct pt_hist){ .bucket = bucket, .first = (uint16_t)first, .n_buckets = (uint16_t)(end - first) };
	return true;
}

void pt_hist_make_room(struct pt_hist *hist, size_t index)
{
	if (hist->broken)
		return;
	if (index - hist->first >= hist->n_buckets)
		hist->broken = !widen(hist, index);
	else			/* one is full: with all of them halved, quantiles stay as they are */
		for (size_t i = 0; i < hist->n_buckets; i++)
			hist->bucket[i] /= 2;
}

void pt_hist_fini(struct pt_hist *hist)
{
	free(hist->bucket);
	*hist = (struct pt_hist){ 0 };
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

static uint64_t bucket_middle(size_t index)
{
	size_t shift = index < 2 << PT_HIST_BITS ? 0 : (index >> PT_HIST_BITS) - 1;

	return ((uint64_t)(index - (shift << PT_HIST_BITS)) << shift) + (UINT64_C(1) << shift) / 2;
}

uint64_t pt_stat_quantile(const struct pt_stat *stat, double q)
{
	const struct pt_hist *hist = stat->hist;
	uint64_t n = 0, rank, value, seen = 0;
	size_t i = 0;

	for (size_t k = 0; hist != NULL && k < hist->n_buckets; k++)
		n += hist->bucket[k];
	if (n == 0 || hist->broken)
		return PT_UNKNOWN;
	rank = (uint64_t)(q * (double)(n - 1));
	while (i < hist->n_buckets - 1u && (seen += hist->bucket[i]) <= rank)
		i++;
	value = bucket_middle(hist->first + i);
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
