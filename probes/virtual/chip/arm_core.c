#include "probes/virtual/chip/arm_core.h"

static uint64_t awake_cycles(void *cpu)
{
	return pt_vcpu_awake_cycles(cpu);
}

static uint64_t sleep_cycles(void *cpu)
{
	return pt_vcpu_sleep_cycles(cpu);
}

static uint64_t halt_cycles(void *cpu)
{
	return pt_vcpu_halt_cycles(cpu);
}

static uint32_t next_pc(void *cpu)
{
	return pt_vcpu_pc(cpu);
}

static uint32_t stack_pointer(void *cpu)
{
	return pt_vcpu_reg(cpu, 13);
}

static void add_observer(void *cpu, struct pt_vobserver *observer)
{
	pt_vcpu_add_observer(cpu, observer);
}

static void remove_observer(void *cpu, struct pt_vobserver *observer)
{
	pt_vcpu_remove_observer(cpu, observer);
}

struct pt_vflow_core pt_varm_flow_core(struct pt_vcpu *cpu)
{
	return (struct pt_vflow_core){
		.cpu = cpu, .sleep_cycles = sleep_cycles, .halt_cycles = halt_cycles, .awake_cycles = awake_cycles,
		.pc = next_pc, .sp = stack_pointer, .add_observer = add_observer, .remove_observer = remove_observer,
	};
}

struct pt_vtruth_core pt_varm_truth_core(struct pt_vcpu *cpu, uint32_t flash_base, uint32_t flash_bytes,
					 uint32_t ram_base, uint32_t ram_bytes)
{
	return (struct pt_vtruth_core){
		cpu, 2, awake_cycles, add_observer, remove_observer, { { flash_base, flash_bytes }, { ram_base, ram_bytes } },
	};
}
