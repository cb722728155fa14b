/* Model of the MCG-Lite of KL27 parts (KL27 RM, chapter MCG_Lite): its status follows the clock that is selected, so
 * that start-up code which waits for a switch goes on. The core's clock itself is fixed. */
#ifndef PT_VIRTUAL_UNIT_MCG_H
#define PT_VIRTUAL_UNIT_MCG_H

#include "probes/virtual/frame/registers.h"

enum { PT_VMCG_REGISTERS = 5 };

struct pt_vmcg {
	struct pt_vregs regs;
	uint32_t value[PT_VMCG_REGISTERS];
};

extern const struct pt_vunit_ops pt_vmcg_ops;	/* the unit is a struct pt_vmcg */

void pt_vmcg_init(struct pt_vmcg *mcg);

#endif
