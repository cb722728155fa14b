/* The second core of a chip: a Cortex-M with a bus, debug units, ROM table and access port of its own, over bytes of RAM
 * and flash that are the first one's. Each core has a unit at PT_VPAIR_BASE that tells it its number, and by which either
 * lets the second one run: until then it is held in reset, and every reset of the chip holds it again.
 *
 * What one core stores is data to the other at once; as code only after a reset, or where a debugger has written it. */
#ifndef PT_VIRTUAL_CHIP_ARM_SECOND_H
#define PT_VIRTUAL_CHIP_ARM_SECOND_H

#include "probes/virtual/chip/arm_debug.h"
#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/frame/wires.h"
#include "probes/virtual/unit/arm/bpu.h"
#include "probes/virtual/unit/arm/dwt.h"
#include "probes/virtual/unit/arm/rom_table.h"
#include "probes/virtual/unit/arm/scs_debug.h"
#include "probes/virtual/wire/mem_ap.h"

enum { PT_VPAIR_BASE = 0xd0000000, PT_VPAIR_NUMBER = 0, PT_VPAIR_LAUNCH = 4, PT_VPAIR_BYTES = 0x1000 };

/* Words of variant= that say how the second core is found. */
#define PT_VSECOND_WORDS "second-core, second-m0plus, second-locked, second-off"
enum pt_vsecond_kind {
	PT_VSECOND_NONE,	/* the chip has one core */
	PT_VSECOND_THERE,
	PT_VSECOND_SMALL,	/* it is a Cortex-M0+, whatever the first one is */
	PT_VSECOND_LOCKED,	/* its access port is closed */
	PT_VSECOND_OFF,		/* its power domain is: its bus does not answer, and a debug port of its own does not */
};

struct pt_varm_second;

struct pt_vpair {		/* the unit, as one of the cores sees it */
	unsigned number;
	struct pt_varm_second *second;
};

/* What the chip says of it. */
struct pt_varm_second_config {
	enum pt_vsecond_kind kind;
	const struct pt_vcpu_model *model;
	struct pt_vbus *first;		/* has its memories, and nothing else yet */
	uint32_t core_hz, drift_ppm, ap_idr;
	uint32_t rom_table;		/* its own; of Arm's part for such a core */
	uint16_t rom_part;
	void *arg;
	void (*reset)(void *arg);	/* the core asks for a reset of the chip */
};

struct pt_varm_second {
	struct pt_varm_second_config config;
	struct pt_vbus bus;
	struct pt_vwires wires;
	struct pt_vcpu *cpu;		/* NULL: there is none */
	struct pt_varm_debug debug;	/* over the next three */
	struct pt_vdwt dwt;
	struct pt_vbpu bpu;
	struct pt_vscs_debug scs;
	struct pt_vrom_table rom;
	struct pt_vmem_ap ahb;
	struct pt_vap off;		/* in front of ahb, where there is no power */
	struct pt_vpair pair[2];
	bool launched;
};

/* Is this one of PT_VSECOND_WORDS? */
bool pt_vsecond_read(const char *word, size_t length, enum pt_vsecond_kind *kind);
/* With kind PT_VSECOND_NONE nothing is done. False: no memory, or no room on one of the buses. */
bool pt_varm_second_init(struct pt_varm_second *second, const struct pt_varm_second_config *config);
void pt_varm_second_fini(struct pt_varm_second *second);	/* also of one that is all zero */
void pt_varm_second_reset(struct pt_varm_second *second, bool power_on);
/* Let both cores run until the first one's count is `to`. */
void pt_varm_second_run(struct pt_varm_second *second, struct pt_vcpu *first, uint64_t to);
struct pt_vap *pt_varm_second_ap(struct pt_varm_second *second);	/* NULL: there is none */

#endif
