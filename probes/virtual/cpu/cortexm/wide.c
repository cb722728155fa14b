/* The 32-bit instructions of ARMv7E-M: branches and system ones here, the rest in the files that they are handed to.
 * Source: DDI 0403, A7.7. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/decode.h"
#include "probes/virtual/cpu/cortexm/memory.h"

static bool table_branch(struct pt_vcpu *cpu, const struct op *op, uint32_t pc)
{
	uint32_t base = op->n == PC ? pc + 4 : cpu->r[op->n], index = cpu->r[op->m], entry;
	bool halfwords = op->imm != 0;

	if (!pt_cpu_load_told(cpu, base + (halfwords ? 2 * index : index), halfwords ? 2 : 1, &entry))
		return false;
	jump(cpu, pc, pc + 4 + 2 * entry);
	return true;
}

bool pt_cpu_wide(struct pt_vcpu *cpu, const struct op *op, uint32_t pc)
{
	switch (op->kind) {
	case OP_WIDE_NOCP:
		return pt_cpu_fails(cpu, NOCP);
	case OP_WIDE_NOP:
		return true;
	case OP_WIDE_WFI: case OP_WIDE_WFE:
		pt_cpu_sleep_until(cpu, op->kind == OP_WIDE_WFE);
		return true;
	case OP_WIDE_SEV:
		cpu->event = true;
		return true;
	case OP_WIDE_CLREX:
		cpu->exclusive = false;
		return true;
	case OP_WIDE_B:
		jump(cpu, pc, op->imm);
		return true;
	case OP_WIDE_B_IF:
		if (condition_holds(cpu, op->d)) {
			cpu->core.cycle += cpu->model->taken;
			jump(cpu, pc, op->imm);
		}
		return true;
	case OP_WIDE_TABLE:
		return table_branch(cpu, op, pc);
	case OP_WIDE_SIMD:
		return pt_cpu_wide_simd(cpu, op->imm);
	case OP_WIDE_MULTIPLY:
		return pt_cpu_wide_multiply(cpu, op->imm);
	case OP_WIDE_FLOAT:
		return pt_cpu_float(cpu, op->imm);
	case OP_WIDE_FLOAT_MEMORY:
		return pt_cpu_float_memory(cpu, op->imm);
	default:
		break;
	}
	if (op->kind < OP_WIDE_LOAD) {
		pt_cpu_wide_data(cpu, op);
		return true;
	}
	return pt_cpu_wide_memory(cpu, op, pc);
}
