/* Results and flags. The flags are those of the 68HC12 family, UNVERIFIED as no source has them; decided once:
 *   - LD, ST, MOV, AND, OR, EOR, BIT: N Z, V clear, C kept; CLR: Z alone; INC, DEC: C kept; LEA, TFR, EXG, PSH, PUL,
 *     TBcc, DBcc, BRSET, BRCLR: none
 *   - COM keeps C (the HC12 sets it); NEG is 0 - x
 *   - ADC and SBC set Z by their own result alone
 *   - BSET, BCLR, BTGL: C is the bit as it was, N Z by the result, V clear (bits.c)
 *   - MINU, MAXU, MINS, MAXS: as CMP */
#ifndef PT_VIRTUAL_CPU_S12Z_ALU_H
#define PT_VIRTUAL_CPU_S12Z_ALU_H

#include "probes/virtual/cpu/s12z/core.h"

enum { C = PT_VS12Z_C, V = PT_VS12Z_V, Z = PT_VS12Z_Z, N = PT_VS12Z_N };

/* N and Z of a value of size bytes. */
static inline uint32_t pt_z_nz(uint32_t value, unsigned size)
{
	return ((value & pt_z_mask(size)) == 0 ? Z : 0) | ((value & pt_z_sign(size)) != 0 ? N : 0);
}

/* N and Z anew, V clear, C kept. Returns value. */
static inline uint32_t pt_z_result(struct pt_vs12z *cpu, uint32_t value, unsigned size)
{
	cpu->flags = (cpu->flags & C) | pt_z_nz(value, size);
	return value;
}

static inline uint32_t pt_z_add(struct pt_vs12z *cpu, uint32_t a, uint32_t b, bool carry, unsigned size)
{
	uint64_t sum = (uint64_t)a + b + carry;
	uint32_t low = (uint32_t)sum & pt_z_mask(size);
	bool over = (~(a ^ b) & (a ^ low) & pt_z_sign(size)) != 0;

	cpu->flags = pt_z_nz(low, size) | (over ? V : 0) | (sum >> 8 * size != 0 ? C : 0);
	return low;
}

static inline uint32_t pt_z_sub(struct pt_vs12z *cpu, uint32_t a, uint32_t b, bool borrow, unsigned size)
{
	uint32_t low = (a - b - borrow) & pt_z_mask(size);
	bool over = ((a ^ b) & (a ^ low) & pt_z_sign(size)) != 0;

	cpu->flags = pt_z_nz(low, size) | (over ? V : 0) | ((uint64_t)b + borrow > a ? C : 0);
	return low;
}

/* multiply.c, shift.c, bits.c: whole instructions; false after an illegal access */
struct op;
bool pt_z_math(struct pt_vs12z *cpu, const struct op *op);
bool pt_z_shift(struct pt_vs12z *cpu, const struct op *op);
bool pt_z_rotate(struct pt_vs12z *cpu, const struct op *op);
bool pt_z_bit(struct pt_vs12z *cpu, const struct op *op);
bool pt_z_bit_branch(struct pt_vs12z *cpu, const struct op *op, bool *taken);
bool pt_z_field(struct pt_vs12z *cpu, const struct op *op);
void pt_z_leading_bits(struct pt_vs12z *cpu, const struct op *op);

#endif
