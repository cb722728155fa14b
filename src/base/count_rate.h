/* The rate of a counter that wraps often, from readings whose times are only known to lie between two bounds. The result
 * is not an estimate: it is the set of all rates that fit every reading, so it contains the true rate if that is steady.
 * It is not known how often the counter wrapped between two readings. Each possible number of wraps gives a band of
 * rates, and readings at irregular times exclude all bands but the right one. Pure. */
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
/* value was read between from_ns and to_ns. Readings beyond PT_COUNT_RATE_READINGS are ignored. */
void pt_count_rate_add(struct pt_count_rate *r, uint64_t from_ns, uint64_t to_ns, uint32_t value);
/* After the last reading: keeps the bands in which one phase at the first reading fits all readings together. This
 * excludes more than comparing each reading with the first. */
void pt_count_rate_settle(struct pt_count_rate *r);
/* False: no steady rate between lo_hz and hi_hz fits the readings. */
bool pt_count_rate_fits(const struct pt_count_rate *r, double lo_hz, double hi_hz);
/* True: the rate is *hz ± *error_hz, and the error is at most within * *hz. */
bool pt_count_rate_known(const struct pt_count_rate *r, double within, double *hz, double *error_hz);

#endif
