/* A silent pin: does the chip send nothing, or does the pin not work? A silence is held, neither observed nor lost, until
 * bytes show that the pin worked all the time, or until something that had to be sent did not come:
 *
 *   samples of the pc, where they are on: within a few of their longest period
 *   synchronisation packets, which the ITM sends whatever the program does: two that came show how many cycles are between
 *   them; before that a silence is too long only where no setting of SYNCTAP as it was written explains it
 *
 * All in cycles of CYCCNT, which both are counted by: a counter that stands, in sleep or in Debug state, sends neither.
 * Pure. Source: Arm DDI 0403, C1.8.7 (DWT_CTRL, SYNCTAP). */
#ifndef PT_CORTEXM_SWO_SILENCE_H
#define PT_CORTEXM_SWO_SILENCE_H

#include <stdbool.h>
#include <stdint.h>

struct pt_swo_silence {
	uint32_t cyccnt;	/* at the last read */
	uint64_t cycles;	/* counted by then */
	uint64_t heard;		/* of these before bytes came last */
	bool synced;		/* a sync came, and nothing was lost since */
	uint64_t sync_at, sync_every;	/* when; and the most between two; 0: there were no two */
};

void pt_swo_silence_begin(struct pt_swo_silence *s, uint32_t cyccnt);	/* the trace is turned on */
void pt_swo_silence_go_on(struct pt_swo_silence *s, uint32_t cyccnt);	/* fewer than 2^32 cycles later */
void pt_swo_silence_ends(struct pt_swo_silence *s);	/* bytes came */
void pt_swo_silence_synced(struct pt_swo_silence *s);
void pt_swo_silence_lost(struct pt_swo_silence *s);	/* bytes were lost: a sync may have been among them */
/* Something had to come in the time without bytes, and did not. */
bool pt_swo_silence_is_loss(const struct pt_swo_silence *s, bool samples);

#endif
