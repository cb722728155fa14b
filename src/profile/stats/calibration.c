#include "profile/stats/calibration.h"

#include <math.h>

static const double PAD = 0.5;		/* of a window, as in estimate.c */
static const double Z95 = 1.959964;

static struct pt_share scaled(struct pt_share s, double by)
{
	return (struct pt_share){ .share = s.share * by, .lo = s.lo * by, .hi = fmin(1, s.hi * by),
				  .effective = s.effective };
}

/* The samples' share with the cycles of entering exceptions where they belong. */
static void put_right(struct pt_calibration *c, const struct pt_cluster_total *windows)
{
	const struct pt_cluster_sum *shift = &c->windows.shift;
	double n = (double)windows->n, by = shift->x / windows->y, error, interrupted;
	struct pt_share s = c->by_samples;

	c->entered = c->windows.entered / windows->y;
	interrupted = c->entered - by;
	c->kept = interrupted <= 0 ? 1 : s.share > interrupted ? 1 - interrupted / s.share : 0;
	error = Z95 * sqrt(fmax(0, shift->xx - 2 * by * shift->xy + by * by * windows->yy) * n / fmax(1, n - 1)) /
		windows->y;
	c->entered_error = error;
	c->share.share = s.share * c->kept + c->entered;
	c->share.lo = fmax(0, c->share.share - hypot(s.share - s.lo, error));
	c->share.hi = fmin(1, c->share.share + hypot(s.hi - s.share, error));
	c->share.effective = s.effective;
}

/* What was taken from one function is another's; but where less was sampled than is to be taken, all are a little less. */
void pt_calibration_make(struct pt_calibration *c, size_t n, const struct pt_cluster_total *windows)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		c[i].by_bursts = pt_cluster_share(windows, &c[i].windows.as_sampled);
		c[i].share = c[i].by_samples;
		c[i].kept = 1;
		c[i].entered = c[i].entered_error = 0;
		if (windows->n > 1 && windows->y > 0)
			put_right(&c[i], windows);
		sum += c[i].share.share;
	}
	for (size_t i = 0; i < n && sum > 0; i++) {
		c[i].share = scaled(c[i].share, 1 / sum);
		c[i].kept /= sum;
		c[i].entered /= sum;
		c[i].entered_error /= sum;
	}
}

void pt_calibration_none(struct pt_calibration *c)
{
	c->by_bursts = (struct pt_share){ .share = 0, .lo = 0, .hi = 1 };
	c->share = c->by_samples;
	c->kept = 1;
	c->entered = c->entered_error = 0;
}

void pt_calibration_met_handler(struct pt_window_function *windows)
{
	windows->as_sampled = windows->own;
	windows->shift = (struct pt_cluster_sum){ .x = 0 };
	windows->entered = 0;
}

static double ratio_variance(const struct pt_window_function *f, double n, const struct pt_cluster_sum *row,
			     double with_own, double q)
{
	double residuals = row->xx - 2 * q * with_own + q * q * f->own.xx, pad = f->most * fmin(q, 1 - q);

	return (fmax(0, residuals) * n / fmax(1, n - 1) + PAD * pad * pad) / (f->own.x * f->own.x);
}

struct pt_share pt_calibrated_share(const struct pt_calibration *c, const struct pt_cluster_total *windows,
				    const struct pt_cluster_sum *row, double with_own)
{
	const struct pt_window_function *f = &c->windows;
	struct pt_share out = { .share = 0, .lo = 0, .hi = c->share.hi };
	double q, own, below, above, t;

	if (f->own.x <= 0)
		return out;
	q = fmin(1, row->x / f->own.x);
	out.share = c->share.share * q;
	if (windows->n < PT_CALIBRATION_WINDOWS || f->n < 2 || out.share <= 0)
		return out;
	own = ratio_variance(f, (double)windows->n, row, with_own, q) / (q * q);
	t = pt_student_95(f->n - 1);
	below = (c->share.share - c->share.lo) / Z95 / c->share.share;
	above = (c->share.hi - c->share.share) / Z95 / c->share.share;
	/* A part is no surer than its whole. */
	out.lo = fmin(q * c->share.lo, out.share * exp(-t * sqrt(below * below + own)));
	out.hi = fmax(q * c->share.hi, fmin(c->share.hi, out.share * exp(t * sqrt(above * above + own))));
	return out;
}

void pt_share_add(struct pt_share *sum, const struct pt_share *part)
{
	sum->share += part->share;
	sum->lo = fmin(1, sum->lo + part->lo);
	sum->hi = fmin(1, sum->hi + part->hi);
}

void pt_calibrated_narrow(struct pt_share *fitted, const struct pt_share *alone, double below, double above)
{
	double by = alone->share > 0 ? fitted->share / alone->share : 0;

	if (by <= 0)
		return;
	fitted->lo = fmax(fitted->lo, fitted->share - hypot((alone->share - alone->lo) * by, below));
	fitted->hi = fmin(fitted->hi, fitted->share + hypot(fmax(0, alone->hi - alone->share) * by, above));
}

/* Half widths are of 95 %; how many times as far apart two may be. */
static double half_widths(size_t n)
{
	return (n <= 1 ? 3.29 : n <= 10 ? 3.89 : n <= 100 ? 4.42 : n <= 1000 ? 4.89 : 5.33) / Z95;
}

bool pt_shares_differ(const struct pt_share *a, const struct pt_share *b, size_t n)
{
	const struct pt_share *less = a->share < b->share ? a : b, *more = less == a ? b : a;
	double apart = more->share - less->share;

	return apart > half_widths(n) * hypot(less->hi - less->share, more->share - more->lo);
}

/* On a scale of factors, as their intervals are made. */
bool pt_estimates_differ(const struct pt_estimate *a, const struct pt_estimate *b, size_t n)
{
	const struct pt_estimate *less = a->value < b->value ? a : b, *more = less == a ? b : a;

	if (!(less->value > 0) || !(more->lo > 0))
		return false;
	return log(more->value / less->value) >
	       half_widths(n) * hypot(log(less->hi / less->value), log(more->value / more->lo));
}
