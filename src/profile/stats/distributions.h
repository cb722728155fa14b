/* Distribution functions that intervals are made of, and their quantiles. Pure. Source: Abramowitz and Stegun, Handbook
 * of Mathematical Functions, chapters 6 and 26. */
#ifndef PT_PROFILE_DISTRIBUTIONS_H
#define PT_PROFILE_DISTRIBUTIONS_H

#include <stdint.h>

/* Where a beta (a, b > 0) or gamma (shape, scale > 0) variable is below with probability p, 0 < p < 1. Good to six
 * digits. */
double pt_beta_quantile(double a, double b, double p);
double pt_gamma_quantile(double shape, double scale, double p);

/* How probable it is that a beta variable is below x, 0 < x < 1. */
double pt_beta_below(double a, double b, double x);

/* Two-sided 95 % quantile of Student's t: 12.706 for one degree of freedom, 1.960 for very many; infinite for none. */
double pt_student_95(uint64_t degrees);

#endif
