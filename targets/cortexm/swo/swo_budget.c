#include "targets/cortexm/swo/swo_budget.h"

#include <math.h>

enum { FAST_TAP = 64, SLOW_TAP = 1024, PRESETS = 16 };
enum { POSTPRESET = 1, POSTINIT = 5, CYCTAP = 9 };	/* in DWT_CTRL */

double pt_swo_lost_part(double rho, unsigned k)
{
	double power = pow(rho, k);

	if (rho <= 0)
		return 0;
	if (fabs(rho - 1) < 1e-9)
		return 1.0 / (k + 1);
	return (1 - rho) * power / (1 - power * rho);
}

uint32_t pt_swo_cycles(const struct pt_swo_period *period)
{
	return (period->preset + 1u) * (period->slow_tap ? SLOW_TAP : FAST_TAP);
}

double pt_swo_load(const struct pt_swo_period *period, double core_hz, double bits_per_s, unsigned bytes)
{
	return bits_per_s > 0 ? core_hz / pt_swo_cycles(period) * bytes * PT_SWO_BITS / bits_per_s : INFINITY;
}

bool pt_swo_choose_period(struct pt_swo_period *period, double core_hz, double bits_per_s, unsigned bytes, double load)
{
	for (unsigned slow = 0; slow < 2; slow++)
		for (unsigned preset = 0; preset < PRESETS; preset++) {
			*period = (struct pt_swo_period){ .slow_tap = slow != 0, .preset = (uint8_t)preset };
			if (pt_swo_load(period, core_hz, bits_per_s, bytes) <= load)
				return true;
		}
	return false;
}

uint32_t pt_swo_period_bits(const struct pt_swo_period *period)
{
	uint32_t preset = period->preset;

	return preset << POSTPRESET | preset << POSTINIT | (period->slow_tap ? UINT32_C(1) << CYCTAP : 0);
}

/* The sum of two uniform draws, from -2 * reach to 2 * reach; symmetrically limited by the size of the field, so that
 * the mean is kept. */
struct pt_swo_period pt_swo_jitter(const struct pt_swo_period *period, unsigned first, unsigned second)
{
	unsigned up = PRESETS - 1 - period->preset, reach = period->preset < up ? period->preset : up;
	unsigned span = reach / 2 < 2 ? reach / 2 : 2;
	struct pt_swo_period near = *period;

	near.preset = (uint8_t)(period->preset + first * (2 * span + 1) / PT_SWO_JITTER +
				second * (2 * span + 1) / PT_SWO_JITTER - 2 * span);
	return near;
}

void pt_swo_cadence_begin(struct pt_swo_cadence *c, const struct pt_swo_period *period, uint32_t cyccnt)
{
	c->period = *period;
	c->on = true;
	c->at = cyccnt;
	c->left = period->preset;
}

void pt_swo_cadence_go_on(struct pt_swo_cadence *c, uint32_t cyccnt)
{
	uint32_t tap = c->period.slow_tap ? SLOW_TAP : FAST_TAP, every = c->period.preset + 1u;
	uint64_t taps = ((uint64_t)(c->at % tap) + (uint32_t)(cyccnt - c->at)) / tap;

	c->at = cyccnt;
	if (!c->on)
		return;
	if (taps <= c->left) {
		c->left -= (uint32_t)taps;
		return;
	}
	taps -= c->left + 1u;
	c->samples += 1 + taps / every;
	c->left = every - 1 - (uint32_t)(taps % every);
}

void pt_swo_cadence_change(struct pt_swo_cadence *c, const struct pt_swo_period *period, uint32_t before,
			   uint32_t behind)
{
	uint32_t tap = c->period.slow_tap ? SLOW_TAP : FAST_TAP, taps;
	unsigned old = c->period.preset, new = period->preset;

	pt_swo_cadence_go_on(c, before);
	taps = (before % tap + (uint32_t)(behind - before)) / tap;
	if (taps > c->left)		/* POSTCNT was loaded with the old or the new period */
		c->doubt += (double)(old > new ? old - new : new - old) / (1 + (old < new ? old : new));
	c->period = *period;
}
