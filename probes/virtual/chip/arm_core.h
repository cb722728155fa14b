/* A chip's Cortex-M as those see it who observe a core of any kind. */
#ifndef PT_VIRTUAL_CHIP_ARM_CORE_H
#define PT_VIRTUAL_CHIP_ARM_CORE_H

#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/frame/flow_log.h"

struct pt_vflow_core pt_varm_flow_core(struct pt_vcpu *cpu);
/* With sums for two stretches of memory: flash and RAM. */
struct pt_vtruth_core pt_varm_truth_core(struct pt_vcpu *cpu, uint32_t flash_base, uint32_t flash_bytes,
					 uint32_t ram_base, uint32_t ram_bytes);

#endif
