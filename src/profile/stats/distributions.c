/* Both cumulative functions by their continued fractions or series, both inverted by Newton's method inside a bracket
 * that only shrinks: some ten evaluations. Of very large parameters a variable is normal to all digits that matter. */
#include "profile/stats/distributions.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/util.h"

enum { MOST_TERMS = 4000, MOST_STEPS = 200 };

static const double TINY = 1e-300, CLOSE = 1e-13, LARGE = 1e5;

/* --- the cumulative functions */

static double off_zero(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* One term of a continued fraction by Lentz's method. Returns the factor that the value changes by. */
static double add_term(double *c, double *d, double term)
{
	*d = 1 / off_zero(1 + term * *d);
	*c = off_zero(1 + term / *c);
	return *c * *d;
}

/* A. & S. 26.5.8; converges fast for x below (a + 1) / (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / off_zero(1 - (a + b) * x / (a + 1)), value = d;

	for (int m = 1; m < MOST_TERMS; m++) {
		double change;

		value *= add_term(&c, &d, m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
		change = add_term(&c, &d, -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
		value *= change;
		if (fabs(change - 1) < CLOSE)
			break;
	}
	return value;
}

static double beta_log_density(double a, double b, double x)
{
	return lgamma(a + b) - lgamma(a) - lgamma(b) + (a - 1) * log(x) + (b - 1) * log1p(-x);
}

double pt_beta_below(double a, double b, double x)
{
	double front = exp(beta_log_density(a, b, x)) * x * (1 - x);

	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

static double gamma_log_density(double shape, double x)
{
	return (shape - 1) * log(x) - x - lgamma(shape);
}

/* A. & S. 6.5.29 below the mode, 6.5.31 above. */
static double gamma_below(double shape, double x)
{
	double front = exp(gamma_log_density(shape, x)) * x;

	if (x < shape + 1) {
		double term = 1 / shape, sum = term;

		for (int n = 1; n < MOST_TERMS && term > sum * CLOSE; n++) {
			term *= x / (shape + n);
			sum += term;
		}
		return front * sum;
	} else {
		double b = x + 1 - shape, c = 1 / TINY, d = 1 / b, value = d, change = 0;

		for (int n = 1; n < MOST_TERMS && fabs(change - 1) > CLOSE; n++) {
			double term = -n * (n - shape);

			b += 2;
			d = 1 / off_zero(term * d + b);
			c = off_zero(b + term / c);
			change = d * c;
			value *= change;
		}
		return 1 - front * value;
	}
}

/* --- quantiles */

struct variable { double a, b; bool is_gamma; };

static double below(const struct variable *v, double x)
{
	return v->is_gamma ? gamma_below(v->a, x) : pt_beta_below(v->a, v->b, x);
}

static double density(const struct variable *v, double x)
{
	return exp(v->is_gamma ? gamma_log_density(v->a, x) : beta_log_density(v->a, v->b, x));
}

static double invert(const struct variable *v, double p, double guess, double low, double high)
{
	double x = guess > low && guess < high ? guess : (low + high) / 2;

	for (int i = 0; i < MOST_STEPS && high - low > 1e-9 * high && high > TINY; i++) {
		double off = below(v, x) - p, next;

		if (off < 0)
			low = x;
		else
			high = x;
		if (fabs(off) < 1e-10 * p)
			break;
		next = x - off / density(v, x);
		x = next > low && next < high ? next : (low + high) / 2;
	}
	return x;
}

/* Of the normal distribution; A. & S. 26.2.23: a guess, or good enough for large parameters. */
static double normal_quantile(double p)
{
	double t = sqrt(-2 * log(p < 0.5 ? p : 1 - p));
	double z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
			       (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);

	return p < 0.5 ? -z : z;
}

double pt_beta_quantile(double a, double b, double p)
{
	const struct variable v = { .a = a, .b = b };
	double mean = a / (a + b), deviation = sqrt(mean * (1 - mean) / (a + b + 1));
	double guess = mean + normal_quantile(p) * deviation;

	if (a > LARGE && b > LARGE)
		return guess;
	return invert(&v, p, guess, 0, 1);
}

double pt_gamma_quantile(double shape, double scale, double p)
{
	const struct variable v = { .a = shape, .is_gamma = true };
	double guess = shape + normal_quantile(p) * sqrt(shape), high = shape + 1;

	if (shape > LARGE)
		return guess * scale;
	while (gamma_below(shape, high) < p)
		high *= 2;
	return invert(&v, p, guess, 0, high) * scale;
}

/* Source: the usual table for few degrees; above, the Cornish-Fisher expansion around the normal quantile
 * (Abramowitz and Stegun, 26.7.5), good to 4 digits there. */
double pt_student_95(uint64_t degrees)
{
	static const double table[] = { 0, 12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622,
					2.2281 };
	const double z = 1.959964;
	double n = (double)degrees;

	if (degrees < PT_LEN(table))
		return degrees > 0 ? table[degrees] : INFINITY;
	return z + (pow(z, 3) + z) / (4 * n) + (5 * pow(z, 5) + 16 * pow(z, 3) + 3 * z) / (96 * n * n) +
	       (3 * pow(z, 7) + 19 * pow(z, 5) + 17 * pow(z, 3) - 15 * z) / (384 * n * n * n);
}
