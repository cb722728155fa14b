/* Model of the breakpoint unit at 0xe0002000: two comparators of the v1 form, code below 0x20000000 only (DDI 0419
 * C1.9); of ARMv7-M the FPB, six of them and two for literals, without remapping; of a Cortex-M7 its
 * version 2, with eight comparators for any address (DDI 0403 C1.11). */
#ifndef PT_VIRTUAL_UNIT_BPU_H
#define PT_VIRTUAL_UNIT_BPU_H

#include "probes/virtual/cpu/cortexm/cortexm.h"

enum { PT_VBPU_CTRL = 0x0, PT_VBPU_COMP0 = 0x8, PT_VBPU_MAX_COMPARATORS = 8, PT_VBPU_LITERALS = 2 };

struct pt_vbpu {
	struct pt_vcpu *cpu;
	bool enabled;
	unsigned n_comparators;		/* 2; ARMv7-M: 6 or 8 */
	uint32_t comp[PT_VBPU_MAX_COMPARATORS], literal[PT_VBPU_LITERALS], remap;
};

extern const struct pt_vunit_ops pt_vbpu_ops;	/* a 4 KiB page; the unit is a struct pt_vbpu */

void pt_vbpu_init(struct pt_vbpu *bpu, struct pt_vcpu *cpu);

#endif
