/* The profile cut into blocks of time, so that the spread between them says how far a figure can be trusted: what
 * happens in one block is much like what happens next to it, so single invocations are no independent samples, but long
 * blocks are nearly so (batch means). Blocks grow by two as the profile goes on; there are never more than
 * PT_BLOCKS. */
#ifndef PT_PROFILE_BLOCKS_H
#define PT_PROFILE_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

enum { PT_BLOCKS = 64 };

struct pt_block {		/* what one function did in one block */
	uint64_t time;		/* in its own code, on the profile's clock */
	uint64_t count;		/* whole invocations that ended */
	uint64_t net, gross;	/* of those */
};

struct pt_blocks {
	size_t n_blocks;	/* begun; the last may be shorter */
	const uint64_t *ticks;	/* per block: how long it was, on the profile's clock */
	size_t n_functions;
	const struct pt_block *block;	/* block * n_functions + function */
};

/* A mean with the uncertainty of it: sum of x over sum of y, over blocks. Blocks that are still like their neighbours
 * (lag-1 correlation of their residuals) are joined until they are not, or there are few left. */
struct pt_ratio {
	double value, error;	/* error: standard error; NAN: too few blocks */
	size_t n;		/* blocks that it rests on: those with y */
};
struct pt_ratio pt_blocks_ratio(const double *x, const double *y, size_t n);

#endif
