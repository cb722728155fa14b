/* What fits through the pin SWO, reckoned before anything is sent. Pure. */
#ifndef PT_CORTEXM_SWO_BUDGET_H
#define PT_CORTEXM_SWO_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_SWO_BITS = 10 };	/* a byte on an asynchronous line, 8N1 */

/* The part of packets that finds no room, at a load of rho (1: as much as the pin carries) and with room for k packets in
 * front of it: the pessimist's view, M/M/1/K. */
double pt_swo_lost_part(double rho, unsigned k);

/* How often the DWT samples the pc: every (preset + 1) taps of CYCCNT, a tap every 64 or 1024 cycles.
 * Source: Arm DDI 0403, C1.8.7 (DWT_CTRL). */
struct pt_swo_period {
	bool slow_tap;
	uint8_t preset;
};
uint32_t pt_swo_cycles(const struct pt_swo_period *period);
/* The shortest one at which samples of so many bytes take no more than load of the pin; false: the longest takes more. */
bool pt_swo_choose_period(struct pt_swo_period *period, double core_hz, double bits_per_s, unsigned bytes, double load);
double pt_swo_load(const struct pt_swo_period *period, double core_hz, double bits_per_s, unsigned bytes);
/* DWT_CTRL's bits of it: CYCTAP, POSTPRESET, and POSTINIT alike. */
uint32_t pt_swo_period_bits(const struct pt_swo_period *period);
/* One near it, for the next stretch: the mean stays as it is. random: 0 up to PT_SWO_JITTER - 1, twice. */
enum { PT_SWO_JITTER = 256 };
struct pt_swo_period pt_swo_jitter(const struct pt_swo_period *period, unsigned first, unsigned second);

/* How many samples the DWT has taken: taps are where CYCCNT is a multiple of 64 or 1024, so the number follows from it. */
struct pt_swo_cadence {
	struct pt_swo_period period;
	bool on;
	uint32_t at;		/* CYCCNT when it was reckoned last */
	uint32_t left;		/* POSTCNT: taps to come before the one that samples */
	uint64_t samples;
	double doubt;		/* as many more or fewer it may have been: where a change met a sample */
};
void pt_swo_cadence_begin(struct pt_swo_cadence *c, const struct pt_swo_period *period, uint32_t cyccnt);
void pt_swo_cadence_go_on(struct pt_swo_cadence *c, uint32_t cyccnt);	/* fewer than 2^32 cycles later */
/* It got another period, of the same tap, some time between these two. */
void pt_swo_cadence_change(struct pt_swo_cadence *c, const struct pt_swo_period *period, uint32_t before,
			   uint32_t behind);

#endif
