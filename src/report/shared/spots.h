/* Distributes a function's self time inside the function: one spot per stretch of code of one source line, from the
 * line analysis. The call tree has the time of each chain of calls, the lines have the place in the function, but no
 * analysis has both: the time of a chain is spread over the spots in proportion to that of all calls. Pure. */
#ifndef PT_REPORT_SPOTS_H
#define PT_REPORT_SPOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pt_profile;

struct pt_spot { uint64_t address, ticks; };	/* on the profile's clock */

struct pt_spots {
	struct pt_spot *spot;	/* by function, then address */
	size_t *first;		/* by function id; spots of id: spot[first[id]] .. spot[first[id + 1] - 1] */
	size_t n_ids;
};

/* Without a line analysis no function has spots. */
void pt_spots_make(struct pt_spots *spots, const struct pt_profile *profile);
void pt_spots_free(struct pt_spots *spots);
/* The spots of a function; *n = 0: none. */
const struct pt_spot *pt_spots_of(const struct pt_spots *spots, uint16_t id, size_t *n);
/* Calls part() for each spot of id with its share of ticks; the parts add up to ticks. False: the function has no
 * spots. */
bool pt_spots_spread(const struct pt_spots *spots, uint16_t id, uint64_t ticks,
		     void (*part)(void *arg, uint64_t address, uint64_t ticks), void *arg);

#endif
