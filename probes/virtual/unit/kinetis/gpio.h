/* Model of the Kinetis GPIO block, five ports of 64 bytes (KL27 RM, chapter GPIO). The same unit is at 0x400ff000
 * and, as FGPIO on the core's single-cycle port, at 0xf8000000. */
#ifndef PT_VIRTUAL_UNIT_GPIO_H
#define PT_VIRTUAL_UNIT_GPIO_H

#include <stdint.h>

#include "probes/virtual/frame/bus.h"

enum { PT_VGPIO_PORTS = 5, PT_VGPIO_BYTES = 0x1000 };

struct pt_vgpio {
	struct {
		uint32_t output, direction;	/* PDOR, PDDR */
		uint32_t pins;			/* levels from outside, for inputs */
	} port[PT_VGPIO_PORTS];
};

extern const struct pt_vunit_ops pt_vgpio_ops;	/* the unit is a struct pt_vgpio */

#endif
