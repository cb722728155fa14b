/* A chip's Cortex-M with the debug units that every one of them has, wired to each other and to the core. The units are the
 * chip's; so are what it has besides, and where on its bus they all are. */
#ifndef PT_VIRTUAL_CHIP_ARM_DEBUG_H
#define PT_VIRTUAL_CHIP_ARM_DEBUG_H

#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/frame/wires.h"
#include "probes/virtual/unit/arm/bpu.h"
#include "probes/virtual/unit/arm/dwt.h"
#include "probes/virtual/unit/arm/rom_table.h"
#include "probes/virtual/unit/arm/scs_debug.h"

struct pt_varm_debug {
	struct pt_vcpu *cpu;
	struct pt_vdwt *dwt;
	struct pt_vbpu *bpu;
	struct pt_vscs_debug *scs;
	unsigned skid;			/* instructions that the core executes behind a request to halt */
	void *arg;
	void (*reset)(void *arg);	/* the core asks for a reset of the chip */
	void (*sleeps)(void *arg, uint64_t n_cycles);	/* NULL: it need not know (cortexm.h) */
};

/* Of struct pt_vwires, whose arg is the struct pt_varm_debug. */
void pt_varm_irq(void *debug, unsigned line, bool level);
void pt_varm_taps_changed(void *debug);

/* The units and the core come to know each other; all are the chip's, and stay where they are. */
void pt_varm_debug_init(struct pt_varm_debug *debug, struct pt_vwires *wires);
/* The core alone is reset, with its debug unit. */
void pt_varm_reset_core(struct pt_varm_debug *debug);
/* The core's own table, of Arm's part for such a core. */
struct pt_vrom_table pt_varm_rom_table(uint16_t part, const uint32_t *entries, size_t n_entries);

#endif
