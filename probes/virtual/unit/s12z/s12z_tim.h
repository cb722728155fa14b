/* Model of the S12Z's timer (TIM16B) as far as firmware needs it for periodic interrupts: a free-running 16-bit count
 * of the bus clock divided by 1 to 128, and output compares that set flags. Pins, input capture and the pulse
 * accumulator are not there. Register offsets: TIOS 0, TCNT 4 (16 bits), TSCR1 6, TIE 0xc, TSCR2 0xd, TFLG1 0xe, TFLG2
 * 0xf, TC0 0x10 (16 bits) and on; all UNVERIFIED, as other S12 parts have them. */
#ifndef PT_VIRTUAL_UNIT_S12Z_TIM_H
#define PT_VIRTUAL_UNIT_S12Z_TIM_H

#include "probes/virtual/frame/wires.h"

enum { PT_VS12Z_TIM_BASE = 0x400, PT_VS12Z_TIM_BYTES = 0x30, PT_VS12Z_TIM_CHANNELS = 4 };

struct pt_vs12z_tim {
	const struct pt_vwires *wires;
	unsigned irq;			/* of channel 0; the others and the overflow follow */
	uint8_t tios, tscr1, tscr2, tie, tflg1, tflg2;
	uint16_t tc[PT_VS12Z_TIM_CHANNELS];
	uint16_t count;			/* at begin_cycle */
	uint64_t begin_cycle;		/* while it runs */
	uint64_t told_count;		/* counts since begin that have been compared */
};

extern const struct pt_vunit_ops pt_vs12z_tim_ops;	/* the unit is a struct pt_vs12z_tim */

void pt_vs12z_tim_init(struct pt_vs12z_tim *tim, const struct pt_vwires *wires, unsigned irq);

#endif
