#include "base/count_rate.h"

#include <math.h>
#include <string.h>

void pt_count_rate_begin(struct pt_count_rate *r, double period, double lo_hz, double hi_hz)
{
	*r = (struct pt_count_rate){ .period = period, .n_bands = 1 };
	r->band[0] = (struct pt_rate_band){ lo_hz, hi_hz };
}

/* Finds the bands of rates at which the counter advances by `more` plus any number of wraps, in a time between least
 * and most seconds. Counts are integers, so the true difference may be up to 1 more or less. False: more bands than fit
 * into out. */
static bool narrow(const struct pt_count_rate *r, double more, double least, double most, struct pt_rate_band *out,
		   size_t *n_out)
{
	*n_out = 0;
	for (size_t i = 0; i < r->n_bands; i++) {
		const struct pt_rate_band *b = &r->band[i];
		double first = ceil((b->lo * least - 1 - more) / r->period);
		double last = floor((b->hi * most + 1 - more) / r->period);

		for (double k = first > 0 ? first : 0; k <= last; k++) {
			double lo = (more + k * r->period - 1) / most, hi = (more + k * r->period + 1) / least;

			lo = lo > b->lo ? lo : b->lo;
			hi = hi < b->hi ? hi : b->hi;
			if (lo > hi)
				continue;
			if (*n_out > 0 && lo <= out[*n_out - 1].hi) {	/* they overlap: one band */
				out[*n_out - 1].hi = hi > out[*n_out - 1].hi ? hi : out[*n_out - 1].hi;
				continue;
			}
			if (*n_out == PT_COUNT_RATE_BANDS)
				return false;
			out[(*n_out)++] = (struct pt_rate_band){ lo, hi };
		}
	}
	return true;
}

void pt_count_rate_add(struct pt_count_rate *r, uint64_t from_ns, uint64_t to_ns, uint32_t value)
{
	struct pt_rate_band
		band[PT_COUNT_RATE_BANDS]; /* 32 KiB: each thread has a stack at least a hundred times as large */
	double least, most, more;
	size_t n;

	if (r->n_readings == PT_COUNT_RATE_READINGS)
		return;
	r->reading[r->n_readings].from_ns = (double)from_ns;
	r->reading[r->n_readings].to_ns = (double)to_ns;
	r->reading[r->n_readings].value = value;
	if (r->n_readings++ == 0)
		return;
	least = ((double)from_ns - r->reading[0].to_ns) / 1e9;
	most = ((double)to_ns - r->reading[0].from_ns) / 1e9;
	more = fmod((double)value - r->reading[0].value + r->period, r->period);
	if (least <= 0 || !narrow(r, more, least, most, band, &n))
		return;		/* the reading excludes no rate, or leaves too many bands */
	memcpy(r->band, band, n * sizeof(band[0]));
	r->n_bands = n;
}

/* --- all readings together */

enum { PHASES = 64 };		/* parts of a counter's period, one bit each */

/* The parts of the period from lo to hi. */
static uint64_t parts(const struct pt_count_rate *r, double lo, double hi)
{
	double each = r->period / PHASES;
	uint64_t mask = 0;

	if (hi - lo >= r->period - 2 * each)
		return UINT64_MAX;
	for (double at = floor(lo / each); at <= floor(hi / each); at++)
		mask |= UINT64_C(1) << (unsigned)(at - PHASES * floor(at / PHASES));
	return mask;
}

/* Whether, from one counter value at the first reading, a rate between lo and hi can give all readings. */
static bool agrees(const struct pt_count_rate *r, double lo, double hi)
{
	uint64_t mask = UINT64_MAX;

	for (unsigned i = 0; i < r->n_readings && mask != 0; i++) {
		double from_s = (r->reading[i].from_ns - r->reading[0].from_ns) / 1e9;
		double to_s = (r->reading[i].to_ns - r->reading[0].from_ns) / 1e9;

		mask &= parts(r, r->reading[i].value - hi * to_s - 1, r->reading[i].value - lo * from_s + 1);
	}
	return mask != 0;
}

void pt_count_rate_settle(struct pt_count_rate *r)
{
	enum { MOST_CELLS = 100000 };
	double long_s = r->n_readings < 2 ? 0 : (r->reading[r->n_readings - 1].to_ns - r->reading[0].from_ns) / 1e9;
	double cell = long_s > 0 ? r->period / PHASES / long_s : INFINITY;
	struct pt_rate_band band[PT_COUNT_RATE_BANDS] = { { 0 } };
	size_t n = 0, n_cells = 0;

	for (size_t i = 0; i < r->n_bands; i++)
		for (double at = r->band[i].lo; at <= r->band[i].hi; at += cell) {
			double to = at + cell < r->band[i].hi ? at + cell : r->band[i].hi;

			if (++n_cells > MOST_CELLS)
				return;		/* the present bands are right, only wider */
			if (!agrees(r, at, to))
				continue;
			if (n > 0 && at <= band[n - 1].hi)
				band[n - 1].hi = to;
			else if (n == PT_COUNT_RATE_BANDS)
				return;
			else
				band[n++] = (struct pt_rate_band){ at, to };
		}
	memcpy(r->band, band, n * sizeof(band[0]));
	r->n_bands = n;
}

bool pt_count_rate_fits(const struct pt_count_rate *r, double lo_hz, double hi_hz)
{
	size_t i = 0;

	while (i < r->n_bands && (r->band[i].hi < lo_hz || r->band[i].lo > hi_hz))
		i++;
	return i < r->n_bands;
}

bool pt_count_rate_known(const struct pt_count_rate *r, double within, double *hz, double *error_hz)
{
	double lo, hi;

	if (r->n_bands == 0 || r->n_readings < 2)
		return false;
	lo = r->band[0].lo;
	hi = r->band[r->n_bands - 1].hi;
	*hz = (lo + hi) / 2;
	*error_hz = (hi - lo) / 2;
	return *error_hz <= within * *hz;
}
