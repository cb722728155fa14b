#include "profile/stats/estimate.h"

#include <math.h>

static const double PAD = 0.5;		/* clusters more, see estimate.h */
static const double LOWER = 0.025, UPPER = 0.975;
static const double FEW = 4;		/* clusters without a row, see least_limit() */

/* Clusters of unequal weight are as good as n equal ones in which the row's shares sum up to s1, their squares to s2.
 * Source: Kish, Survey Sampling, 1965, for n; Cochran, Sampling Techniques, chapter 6, for the variance. */
struct equal { double n, s1, s2; };

static struct equal as_equal(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum)
{
	double p = sum->x / total->y, n = total->y * total->y / total->yy;
	double variance = (sum->xx - 2 * p * sum->xy + p * p * total->yy) / (total->y * total->y);

	return (struct equal){ n, n * p, n * fmin(p, fmax(0, variance) * n + p * p) };
}

/* The lower limit of the beta between 0 and 1 that has the mean and, as that of m values, the variance of the bootstrap. */
static double spread_limit(double s1, double s2, double m)
{
	double mean = s1 / m, variance = (s2 / m - mean * mean) / (m + 1), c;

	if (mean <= 0 || mean >= 1 || variance <= 0)
		return mean;
	c = mean * (1 - mean) / variance - 1;
	return c > 0 ? pt_beta_quantile(mean * c, (1 - mean) * c, LOWER) : 0;
}

/* The lower limit of a row whose shares sum up to s1 in n clusters, their squares to s2, as if k clusters had c each and
 * n - k had nothing: c times the limit of k in n. Where few have nothing the beta between 0 and 1 promises too much, as it
 * is skewed to the right if c is small, and k in n to the left. From 2 FEW such clusters on it holds. */
static double least_limit(double s1, double s2, double n)
{
	double m = n + PAD, c = s2 / s1, k = s1 / c, few = fmin(1, fmax(0, (n - k) / FEW - 1));
	double alike;

	if (!(c > 0))
		return 0;
	alike = c * pt_beta_quantile(k, m - k, LOWER);
	return few > 0 ? (1 - few) * alike + few * spread_limit(s1, s2, m) : alike;
}

/* One look alone bounds nothing from below: a row has a line because it was met, and of many rare rows it is chance
 * which ones were. So whoever reads only the rows that are there would find few of such limits to hold. */
static bool met_once(const struct pt_cluster_sum *sum)
{
	return sum->x * sum->x <= sum->xx * (1 + 1e-9);
}

static double effective(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum, double share)
{
	double n = (double)total->n;
	double residuals = sum->xx - 2 * share * sum->xy + share * share * total->yy;
	double variance = residuals * n / (n - 1) / (total->y * total->y);

	/* Clusters that all agree (nothing seen in any, or all of every one) say no more than n samples would. */
	return variance > 1e-12 && share > 0 && share < 1 ? share * (1 - share) / variance : n;
}

static double unknown_part(const struct pt_cluster_total *total)
{
	return total->unknown > 0 ? total->unknown / (total->y + total->unknown) : 0;
}

struct pt_share pt_cluster_share(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum)
{
	struct pt_share s = { .lo = 0, .hi = 1 };
	struct equal e;

	if (total->y <= 0)
		return s;
	s.share = fmin(1, sum->x / total->y);
	if (total->n < 2)
		return s;
	s.effective = effective(total, sum, s.share);
	e = as_equal(total, sum);
	s.lo = s.share > 0 && !met_once(sum) ? fmin(s.share, least_limit(e.s1, e.s2, e.n)) : 0;
	if (s.share < 1)	/* what the row did not have is a row, too */
		s.hi = fmax(s.share, 1 - least_limit(e.n - e.s1, e.n - 2 * e.s1 + e.s2, e.n));
	s.lo *= 1 - unknown_part(total);
	s.hi += (1 - s.hi) * unknown_part(total);
	return s;
}

double pt_cluster_unseen(const struct pt_cluster_total *total)
{
	double n = total->yy > 0 ? total->y * total->y / total->yy : 0;
	double most = total->n > 0 ? 1 - pow(0.05, 1 / n) : 1;

	return most + (1 - most) * unknown_part(total);
}

/* --- rates: the wider on each side of a gamma with the variance between clusters (the idea of Fay and Feuer, 1997),
 * and of the logarithm's normal one */

static double gamma_limit(double a1, double a2, double m, double p)
{
	double variance = (a2 - a1 * a1) / (m + 1);

	if (a1 <= 0 || variance <= 0)
		return a1;
	return pt_gamma_quantile(a1 * a1 / variance, variance / a1, p);
}

struct pt_estimate pt_cluster_rate(const struct pt_cluster_total *total, const struct pt_cluster_sum *sum, double most)
{
	struct pt_estimate e = { NAN, NAN, NAN };
	double n, s1, s2, m, error, factor;

	if (total->n < PT_RATE_CLUSTERS || total->y <= 0 || sum->x <= 0 || total->unknown > 0)
		return e;
	e.value = sum->x / total->y;
	n = total->y * total->y / total->yy;
	s1 = n * e.value;
	s2 = n *
	     (fmax(0, (sum->xx - 2 * e.value * sum->xy + e.value * e.value * total->yy) / (total->y * total->y)) * n +
	      e.value * e.value);
	m = n + 1;
	error = sqrt(fmax(0, s2 / n - e.value * e.value) / fmax(1, n - 1));
	factor = exp(pt_student_95(total->n - 1) * error / e.value);
	e.lo = fmin(gamma_limit(s1 / m, s2 / m, m, LOWER), e.value / factor);
	e.hi = fmax(gamma_limit((s1 + most) / m, (s2 + most * most) / m, m, UPPER), e.value * factor);
	return e;
}

/* How far a limit is from the value, as a logarithm. */
static double log_distance(double value, double limit)
{
	return fabs(log(limit / value));
}

struct pt_estimate pt_estimate_of_all_time(struct pt_estimate awake, const struct pt_share *asleep)
{
	double part = 1 - asleep->share, least = 1 - asleep->hi, most = 1 - asleep->lo;
	struct pt_estimate e = { awake.value * part, 0, 0 };

	if (!(asleep->hi > asleep->lo))
		return (struct pt_estimate){ e.value, awake.lo * part, awake.hi * part };
	if (awake.lo > 0 && least > 0 && e.value > 0)
		e.lo = e.value * exp(-hypot(log_distance(awake.value, awake.lo), log_distance(part, least)));
	e.hi = e.value > 0 ? e.value * exp(hypot(log_distance(awake.value, awake.hi), log_distance(part, most)))
			   : awake.hi * most;
	return e;
}

struct pt_estimate pt_cluster_ratio(uint64_t clusters, const struct pt_ratio_sum *sum)
{
	struct pt_estimate e = { NAN, NAN, NAN };
	double n = (double)clusters, pad, residuals, error, factor;

	if (clusters < PT_RATE_CLUSTERS || sum->n < 3 || sum->e <= 0)
		return e;
	e.value = sum->z / sum->e;
	pad = fmax(sum->most_z, e.value * sum->most_e);
	residuals = fmax(0, sum->zz - 2 * e.value * sum->ze + e.value * e.value * sum->ee);
	error = sqrt(n / (n - 1) * residuals + PAD * pad * pad) / sum->e;
	factor = exp(pt_student_95(sum->n - 1) * error / e.value);
	e.lo = e.value / factor;
	e.hi = e.value * factor;
	return e;
}
