/* Computes what fits through the pin SWO, before anything is sent. Pure. */
#ifndef PT_CORTEXM_SWO_BUDGET_H
#define PT_CORTEXM_SWO_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

enum { PT_SWO_BITS = 10 };	/* a byte on an asynchronous line, 8N1 */

/* The part of packets that is dropped, at a load of rho (1: all that the pin carries) and a buffer of k packets: the
 * pessimistic model M/M/1/K. */
double pt_swo_lost_part(double rho, unsigned k);

/* How often the DWT samples the pc: every (preset + 1) taps of CYCCNT, a tap every 64 or 1024 cycles.
 * Source: Arm DDI 0403, C1.8.7 (DWT_CTRL). */
struct pt_swo_period {
	bool slow_tap;
	uint8_t preset;
};
uint32_t pt_swo_cycles(const struct pt_swo_period *period);
/* Chooses the shortest period at which samples of this size need no more than load of the pin; false: even the longest
 * needs more. */
bool pt_swo_choose_period(struct pt_swo_period *period, double core_hz, double bits_per_s, unsigned bytes, double load);
double pt_swo_load(const struct pt_swo_period *period, double core_hz, double bits_per_s, unsigned bytes);
/* Its bits in DWT_CTRL: CYCTAP, POSTPRESET, and the same value in POSTINIT. */
uint32_t pt_swo_period_bits(const struct pt_swo_period *period);
/* A period near it, for the next stretch: the mean is kept. random: 0 to PT_SWO_JITTER - 1, twice. */
enum { PT_SWO_JITTER = 256 };
struct pt_swo_period pt_swo_jitter(const struct pt_swo_period *period, unsigned first, unsigned second);

/* Counts the samples that the DWT has taken: a tap is a multiple of 64 or 1024 of CYCCNT, so the number follows from
 * CYCCNT. */
struct pt_swo_cadence {
	struct pt_swo_period period;
	bool on;
	uint32_t at;		/* CYCCNT at the last computation */
	uint32_t left;		/* POSTCNT: number of taps before the next one that samples */
	uint64_t samples;
	double doubt;		/* the number may be wrong by this: a change may have coincided with a sample */
};
void pt_swo_cadence_begin(struct pt_swo_cadence *c, const struct pt_swo_period *period, uint32_t cyccnt);
void pt_swo_cadence_go_on(struct pt_swo_cadence *c, uint32_t cyccnt);	/* fewer than 2^32 cycles later */
/* The period was changed, with the same tap, at some time between these two. */
void pt_swo_cadence_change(struct pt_swo_cadence *c, const struct pt_swo_period *period, uint32_t before,
			   uint32_t behind);

#endif
