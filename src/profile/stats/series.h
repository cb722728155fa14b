/* A quantity over time, in bounded memory: buckets of equal width that double when time runs past the last, each with
 * least, most, first and last of what fell into it, so that no peak is lost in a plot. Pure. */
#ifndef PT_PROFILE_SERIES_H
#define PT_PROFILE_SERIES_H

#include <stddef.h>
#include <stdint.h>

enum { PT_SERIES_BUCKETS = 512 };

struct pt_series_bucket {
	uint64_t n;			/* 0: nothing fell into it */
	double min, max, sum, first, last;
};

struct pt_series {		/* all zero: empty */
	uint64_t from_ns, width_ns;	/* bucket i: [from_ns + i * width_ns, + width_ns) */
	size_t n_buckets;		/* up to the last that is not empty */
	size_t n_used;			/* that are not */
	struct pt_series_bucket *bucket;	/* NULL: empty */
};

void pt_series_add(struct pt_series *series, uint64_t ns, double value);
void pt_series_fini(struct pt_series *series);

#endif
