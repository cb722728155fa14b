/* The histogram over code: hits by address, as hardware counts them in bins or samples find them, and what share of
 * them each function had.
 *
 * A bin that lies in several functions is split in proportion to the bytes of each; such hits are marked, and the
 * interval of a function's share reaches from none of them to all. Where hits are samples (not exact), the interval
 * has the chance of sampling in it: of samples of the program counter from the batches that they came in (batches.h),
 * as those of one batch are close together; what a sampling counter has in bins is taken for independent. Sleep is kept
 * apart: shares are of the hits in code.
 * The last bin of a range that ends within it is as large as what the range has of it: no more of it is counted.
 * Lines are given their hits in the same way; code that no line owns is in no line's row.
 * A bin that was found at the end of its range has more hits than are known: what it has is a lower bound.
 * Bins are read again and again, all of them at a time: the last reading that was complete, and found any hits, has
 * shares of its own. They say what the core does now, where those of all hits say what it has done. Bins that count while
 * they are read (mode=live) are not read at one instant: until they are read behind the end of counting, shares are
 * bounded by what may have been counted from the oldest of these readings to the latest.
 * Of samples by several events those of the first source's event are hits (sampled.h has all of them).
 * Each core has rows of its own, whose shares are of its own hits: nothing of two cores is summed. The rows of the
 * first core (of those with hits, the one of the lowest number) come first; what has room for one core shows that one.
 * Bounded: PT_BINS_MAX different addresses, PT_BINS_FUNCTIONS functions or lines in one bin. */
#ifndef PT_PROFILE_BINS_H
#define PT_PROFILE_BINS_H

#include <stdbool.h>

#include "profile/stats/recent.h"
#include "profile/stats/stat.h"

enum { PT_BINS_MAX = 65536, PT_BINS_FUNCTIONS = 256, PT_BINS_CORES = 32 };

struct pt_bins_function {
	uint16_t function;	/* id; PT_NO_FUNCTION: code that no function owns */
	uint16_t core;
	double hits;		/* its own, and its part of what it shares */
	double split;		/* out of them, parts of bins that it shares with other code */
	uint64_t bins;		/* that hits are of */
	struct pt_share share;	/* lo = hi = 0: exact */
	double last;		/* share of the hits of its core's last reading; NAN: there is none, or these are samples */
};

struct pt_bins_line {
	uint32_t file, line;	/* pt_program_files() */
	uint16_t function;	/* id; of its first byte that has hits */
	uint16_t core;
	double hits, split;	/* as of a function */
};

struct pt_bins_address {
	uint64_t address, bytes;	/* of the bin, or what was counted of it; 1 byte: a sample's pc */
	uint64_t hits;
	uint64_t last;			/* out of them, those of its core's last reading */
	uint16_t function;	/* id of its first byte */
	uint16_t core;
	struct pt_share share;	/* of its core's hits; lo = hi = 0: exact */
};

struct pt_bins_core {
	uint16_t core;
	uint64_t hits;			/* in code: the shares of its rows are of these */
	uint64_t last;			/* out of them, those of its last reading */
	struct pt_recent recent;
	uint32_t reading;		/* under way */
	bool part_read;			/* some of its bins were read again, others are of the reading before */
	uint64_t read_to;		/* address of the bin that was read last; a reading goes up */
	uint64_t begun_ns, before_ns;	/* the reading, and the one before it; PT_UNKNOWN: none, or not known when */
	uint64_t apart_ns;		/* from the oldest of what the bins have to the latest; PT_UNKNOWN: not known */
	double apart;			/* so many hits are of that time at most; 0: none, they are of one instant */
	size_t n_functions, n_addresses;	/* rows of it */
};

struct pt_bins {
	const struct pt_bins_function *function;	/* by core and id, those with hits */
	const struct pt_bins_address *address;		/* by core and address */
	const struct pt_bins_line *line;		/* by core, file and line, those with hits */
	size_t n_functions, n_addresses, n_lines;	/* of all cores */
	const struct pt_bins_core *core;		/* by number, those with hits */
	size_t n_cores;
	uint64_t hits;		/* in code, of the first core */
	uint64_t asleep;	/* samples that found the core asleep */
	uint64_t dropped;	/* hits whose address found no room */
	uint64_t low, high;	/* of the addresses that were counted, both in it: all sources' together */
	uint64_t full;		/* readings of bins at the end of their range: all figures are lower bounds */
	bool older;		/* the buffer was not cleared: some of the hits are of the time before */
	bool exact;		/* each execution was counted */
	bool whole;		/* and no bin with hits lies in several functions */
	bool apart;		/* a core's bins were not read at one instant: no share is exact */
	bool by_instructions;	/* hits are instructions; else what by_cycles says, or samples */
	bool by_cycles;		/* hits are clock cycles */
};

/* What the shares of a core's rows are of. */
static inline uint64_t pt_bins_core_hits(const struct pt_bins *bins, uint16_t core)
{
	for (size_t i = 0; i < bins->n_cores; i++)
		if (bins->core[i].core == core)
			return bins->core[i].hits;
	return 0;
}

/* A share of the hits of its core, which is in b: bounded by those that may have been counted while bins were read. */
struct pt_share pt_bins_bounded(const struct pt_bins *bins, uint16_t core, struct pt_share share);

#endif
