/* The flat profile of pc samples: where the core was found. Samples in a batch are close together, so they are one
 * cluster: the 95 % interval comes from the variance between batches (stat.h), and the effective sample size says how
 * many independent samples would be as good. Sleep is kept apart: shares are of the samples that found the core awake.
 * Pure; one thread at a time. */
#ifndef PT_PROFILE_FLAT_H
#define PT_PROFILE_FLAT_H

#include "profile/stats/stat.h"

struct pt_flat_summary {
	uint64_t samples, asleep, refused, missed, batches;	/* samples include those asleep */
	double effective;	/* 0: not known */
};

struct pt_flat;

struct pt_flat *pt_flat_new(size_t n_functions);
void pt_flat_free(struct pt_flat *flat);
void pt_flat_sample(struct pt_flat *flat, uint16_t function);	/* below n_functions */
/* Entering this handler took as long as so many samples, which found the code that it interrupted. */
void pt_flat_entered(struct pt_flat *flat, uint16_t handler, double samples);
void pt_flat_asleep(struct pt_flat *flat);
void pt_flat_refused(struct pt_flat *flat, uint64_t n);	/* the chip gave no sample: halted, or not permitted */
/* So many samples were taken and did not come, at most, in all: each may have been of anything. PT_UNKNOWN: some did not, and
 * it is not known how many, so that shares have no limits. */
void pt_flat_missed(struct pt_flat *flat, uint64_t n);
/* Of the samples that found this function so many may be of another, and so many that found others may be of this one.
 * Holds until it is said anew. */
void pt_flat_doubt(struct pt_flat *flat, uint16_t function, uint64_t of_others, uint64_t elsewhere);
void pt_flat_end_batch(struct pt_flat *flat);		/* an empty one is none */

struct pt_flat_summary pt_flat_summary(const struct pt_flat *flat);
uint64_t pt_flat_samples(const struct pt_flat *flat, uint16_t function);
struct pt_cluster_total pt_flat_total(const struct pt_flat *flat);	/* the batches */
/* At most, of a function that no sample found. */
double pt_flat_unseen(const struct pt_flat *flat);
struct pt_share pt_flat_asleep_share(const struct pt_flat *flat);	/* of all time */
/* Where samples were found, with limits that hold whatever the doubtful ones are of. */
struct pt_share pt_flat_share(const struct pt_flat *flat, uint16_t function);
struct pt_share pt_flat_doubted(const struct pt_flat *flat, struct pt_share found,
				uint16_t function); /* the same of a share */
/* The same with limits that hold whatever was missed, and whoever was interrupted, where the cycles of entering a handler are the handler's: of a
 * share that samples found of anything, which has the beginning of this handler (NULL: of none). */
struct pt_share pt_flat_bounded(const struct pt_flat *flat, struct pt_share found, const uint16_t *handler);

#endif
