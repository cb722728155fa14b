/* Arithmetic with flags, conditions and jumps, for the files that execute. Source: DDI 0403, A2.2.1, A7.3, A7.4. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_ALU_H
#define PT_VIRTUAL_CPU_CORTEXM_ALU_H

#include "probes/virtual/cpu/cortexm/core.h"

#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t result(struct pt_vcpu *cpu, uint32_t value)
{
	cpu->neg = cpu->zero = value;
	return value;
}

/* AddWithCarry. Subtraction adds the complement with carry in. */
INLINE uint32_t add(struct pt_vcpu *cpu, uint32_t a, uint32_t b, bool carry_in)
{
	uint64_t sum = (uint64_t)a + b + carry_in;
	uint32_t low = (uint32_t)sum;

	cpu->carry = (sum >> 32) != 0;
	cpu->overflow = (~(a ^ b) & (a ^ low)) >> 31;
	return result(cpu, low);
}

INLINE void jump(struct pt_vcpu *cpu, uint32_t from, uint32_t to)
{
	cpu->pc = to;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, PT_VJUMP_BRANCH, from, 0, to);
}

INLINE void write_high(struct pt_vcpu *cpu, unsigned d, uint32_t value)
{
	cpu->r[d] = d == SP ? value & ~3u : value;
}

/* A condition of four bits; AL and the reserved one are true. */
static inline bool condition_holds(const struct pt_vcpu *cpu, unsigned condition)
{
	bool holds;

	switch (condition >> 1) {
	case 0: holds = cpu->zero == 0; break;
	case 1: holds = cpu->carry; break;
	case 2: holds = cpu->neg >> 31 != 0; break;
	case 3: holds = cpu->overflow; break;
	case 4: holds = cpu->carry && cpu->zero != 0; break;
	case 5: holds = cpu->neg >> 31 == cpu->overflow; break;
	case 6: holds = cpu->zero != 0 && cpu->neg >> 31 == cpu->overflow; break;
	default: return true;
	}
	return holds != ((condition & 1) != 0);
}

enum shift { SHIFT_LSL, SHIFT_LSR, SHIFT_ASR, SHIFT_ROR };

struct shifted {
	uint32_t value;
	bool carry;
};

/* By 0..255, where 0 leaves the carry alone and more than 32 shifts everything out. */
static inline struct shifted shift(uint32_t value, enum shift how, unsigned by, bool carry)
{
	uint64_t left = by > 32 ? 0 : (uint64_t)value << by, right = by > 32 ? 0 : ((uint64_t)value << 32) >> by;
	int64_t arithmetic = (int64_t)((uint64_t)value << 32) >> (by > 32 ? 32 : by);
	uint32_t turned = (by & 31) == 0 ? value : value >> (by & 31) | value << (32 - (by & 31));

	if (by == 0)
		return (struct shifted){ value, carry };
	switch (how) {
	case SHIFT_LSL: return (struct shifted){ (uint32_t)left, (left >> 32 & 1) != 0 };
	case SHIFT_LSR: return (struct shifted){ (uint32_t)(right >> 32), (right >> 31 & 1) != 0 };
	case SHIFT_ASR: return (struct shifted){ (uint32_t)(arithmetic >> 32), (arithmetic >> 31 & 1) != 0 };
	default: return (struct shifted){ turned, turned >> 31 != 0 };
	}
}

/* BX, BLX, loads of pc: bit 0 is the T bit; without it the next instruction faults. exception.c */
void pt_cpu_jump_interworking(struct pt_vcpu *cpu, uint32_t from, uint32_t to);

/* 32-bit instructions: false: it fails, as cpu->fault.cause says. op->kind is OP_WIDE_... */
struct op;
bool pt_cpu_wide(struct pt_vcpu *cpu, const struct op *op, uint32_t pc);		/* wide.c: all of them */
void pt_cpu_wide_data(struct pt_vcpu *cpu, const struct op *op);			/* wide_data.c */
bool pt_cpu_wide_simd(struct pt_vcpu *cpu, uint32_t raw);				/* wide_simd.c: parallel, saturating */
bool pt_cpu_wide_multiply(struct pt_vcpu *cpu, uint32_t raw);				/* wide_multiply.c */
bool pt_cpu_wide_memory(struct pt_vcpu *cpu, const struct op *op, uint32_t pc);	/* wide_memory.c */
bool pt_cpu_float(struct pt_vcpu *cpu, uint32_t raw);					/* float_ops.c */
bool pt_cpu_float_memory(struct pt_vcpu *cpu, uint32_t raw);

#endif
