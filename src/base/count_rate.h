/* How fast a counter counts that wraps often, from readings whose moments are only known to lie between two times. What
 * comes out is no estimate: the set of all rates that fit every reading, and so the true one, as long as it is steady.
 * How often the counter wrapped between two readings is not known; each number of times makes a band of rates, and
 * readings at irregular times leave the right one. Pure. */
#ifndef PT_COUNT_RATE_H
#define PT_COUNT_RATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_COUNT_RATE_BANDS = 2048, PT_COUNT_RATE_READINGS = 400 };

struct pt_count_rate {
	double period;			/* the counter has values 0 up to this, less one; it counts up */
	unsigned n_readings;
	struct { double from_ns, to_ns, value; } reading[PT_COUNT_RATE_READINGS];
	size_t n_bands;			/* 0 with several readings: no steady rate fits */
	struct pt_rate_band { double lo, hi; } band[PT_COUNT_RATE_BANDS];	/* counts per second */
};

/* The rate is between lo_hz and hi_hz. */
void pt_count_rate_begin(struct pt_count_rate *r, double period, double lo_hz, double hi_hz);
/* value was read some time from from_ns to to_ns; beyond PT_COUNT_RATE_READINGS it says nothing. */
void pt_count_rate_add(struct pt_count_rate *r, uint64_t from_ns, uint64_t to_ns, uint32_t value);
/* Behind the last reading: where in its round the counter was at the first one has to agree with all readings together,
 * which says more than each of them with the first. */
void pt_count_rate_settle(struct pt_count_rate *r);
/* False: no steady rate between lo_hz and hi_hz fits the readings. */
bool pt_count_rate_fits(const struct pt_count_rate *r, double lo_hz, double hi_hz);
/* True: it is *hz, give or take *error_hz, which is no more than the part of it that within says. */
bool pt_count_rate_known(const struct pt_count_rate *r, double within, double *hz, double *error_hz);

#endif
