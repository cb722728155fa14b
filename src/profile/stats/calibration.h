/* Samples calibrate bursts: where a core was sampled while the link idled between its bursts, there are ten to a
 * hundred times as many independent looks, and a function's share is that of samples. What only bursts know (chains of
 * calls) is its function's share in the proportions that bursts show: share = s * x / X, x of the row and X of its
 * function, sums over windows. Rows that share the function's time add up to it, so all tables have one estimate.
 *
 * One convention: the cycles of entering an exception are the handler's (execution.h). A sample taken meanwhile finds
 * the core in the code that is interrupted. Windows show how much that is, of each function: what it was interrupted
 * for is taken from its share, what it was entered by is added, and the interval is as much wider.
 * Method: post-stratification (Särndal, Swensson, Wretman 1992); the ratio's variance as in Cochran, chapter 6. Pure. */
#ifndef PT_PROFILE_CALIBRATION_H
#define PT_PROFILE_CALIBRATION_H

#include <stddef.h>

#include "profile/stats/estimate.h"

enum { PT_CALIBRATION_WINDOWS = 30 };	/* with fewer, a row's interval is all that its function leaves open */

struct pt_window_function {	/* what windows say of a function, sums over all of them */
	struct pt_cluster_sum own;	/* its own time */
	struct pt_cluster_sum as_sampled;	/* the same as a sample would find it */
	struct pt_cluster_sum shift;	/* own less as_sampled */
	double entered;			/* of own: cycles of entering it as a handler; sum of x */
	double most;			/* own of one window, its largest x */
	uint64_t n;			/* windows that have it */
};

struct pt_calibration {		/* of a function */
	struct pt_share share;		/* in our convention */
	struct pt_share by_samples, by_bursts;	/* as a sample finds it, by either: one question asked in two ways */
	double kept, entered;		/* share = by_samples.share * kept + entered */
	double entered_error;		/* of entered, 95 %, as windows leave it open */
	struct pt_window_function windows;
};

/* Of n functions, whose by_samples and windows are set. */
void pt_calibration_make(struct pt_calibration *c, size_t n, const struct pt_cluster_total *windows);

/* Windows are too few: shares are the samples'. */
void pt_calibration_none(struct pt_calibration *c);
/* These samples find an exception that is being entered in its handler, as windows do. */
void pt_calibration_met_handler(struct pt_window_function *windows);

/* A row that is a part of this function's own time; with_own: the sum over windows of its x times the function's. */
struct pt_share pt_calibrated_share(const struct pt_calibration *c, const struct pt_cluster_total *windows,
				    const struct pt_cluster_sum *row, double with_own);

/* A row that is a sum of such parts: its limits are at worst the sums of theirs. */
void pt_share_add(struct pt_share *sum, const struct pt_share *part);
/* What the bursts alone leave open of a row is no less than what they leave open of its part in what was sampled. So
 * beside the limits of the fit there are those of both errors, one of the bursts (alone) and one of the samples (below,
 * above); of two limits that hold the better one. */
void pt_calibrated_narrow(struct pt_share *fitted, const struct pt_share *alone, double below, double above);

/* Two estimates of one thing differ by more than chance explains: with n pairs compared, one such pair is found by
 * chance in one of a thousand reports. */
bool pt_shares_differ(const struct pt_share *a, const struct pt_share *b, size_t n);
bool pt_estimates_differ(const struct pt_estimate *a, const struct pt_estimate *b, size_t n);	/* of what is above 0 */

#endif
