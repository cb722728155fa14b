/* Model of the KL27's SIM (KL27 RM, chapter SIM): identification, clock gates and dividers as storage, and the COP
 * watchdog's control register, which takes one write after reset. The watchdog itself runs if the chip wants it. */
#ifndef PT_VIRTUAL_UNIT_SIM_H
#define PT_VIRTUAL_UNIT_SIM_H

#include "probes/virtual/frame/registers.h"
#include "probes/virtual/frame/wires.h"

enum { PT_VSIM_REGISTERS = 20, PT_VSIM_BYTES = 0x2000 };	/* two pages: SOPT1 at 0, the rest from 0x1000 */

struct pt_vsim_config {
	const struct pt_vwires *wires;
	uint32_t sdid, fcfg1, fcfg2;
	bool watchdog;			/* the COP bites; else COPC is only storage */
	void *arg;
	void (*bite)(void *arg);	/* reset the chip */
};

struct pt_vsim {
	struct pt_vsim_config config;
	struct pt_vregs regs;
	uint32_t value[PT_VSIM_REGISTERS];
	bool copc_written;
	uint8_t service;		/* the last byte written to SRVCOP */
	uint64_t bite_cycle;
};

extern const struct pt_vunit_ops pt_vsim_ops;	/* the unit is a struct pt_vsim */

void pt_vsim_init(struct pt_vsim *sim, const struct pt_vsim_config *config);

#endif
