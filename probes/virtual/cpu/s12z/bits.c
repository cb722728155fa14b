/* Single bits, bit fields and CLB. UNVERIFIED, as binutils has the encodings alone:
 *   - a bit number from a register is cut to the operand's width
 *   - a field of width 0 has 32 bits; what lies beyond the operand is 0, or not written; N Z by the result, V clear
 *   - CLB counts the bits behind the first that are like it; N and V clear, Z by the count */
#include "probes/virtual/cpu/s12z/alu.h"
#include "probes/virtual/cpu/s12z/decode.h"
#include "probes/virtual/cpu/s12z/operand.h"

static uint32_t bit_mask(const struct pt_vs12z *cpu, const struct op *op, unsigned size)
{
	uint32_t n = (op->flags & BIT_IN_REGISTER) != 0 ? cpu->r[op->m] : op->imm;

	return UINT32_C(1) << (n & (8 * size - 1));
}

/* A byte, word or longword: 3 bytes cannot be coded, and their bit numbers would not be a mask. */
bool pt_z_bit(struct pt_vs12z *cpu, const struct op *op)
{
	unsigned size = pt_z_own_size(&op->a, op->size);
	uint32_t mask = bit_mask(cpu, op, size), value, carry;
	struct place place;

	if (!pt_z_take(cpu, &op->a, size, &place, &value))
		return false;
	carry = (value & mask) != 0 ? C : 0;
	if (op->kind == OP_BSET)
		value |= mask;
	else if (op->kind == OP_BCLR)
		value &= ~mask;
	else
		value ^= mask;
	cpu->flags = pt_z_nz(value, size) | carry;
	return pt_z_give(cpu, &place, value);
}

bool pt_z_bit_branch(struct pt_vs12z *cpu, const struct op *op, bool *taken)
{
	unsigned size = pt_z_own_size(&op->a, op->size);
	uint32_t value;

	if (!pt_z_read(cpu, &op->a, size, &value))
		return false;
	*taken = ((value & bit_mask(cpu, op, size)) != 0) == (op->kind == OP_BRSET);
	return true;
}

bool pt_z_field(struct pt_vs12z *cpu, const struct op *op)
{
	uint32_t where = (op->flags & FIELD_IN_REGISTER) != 0 ? cpu->r[op->m] : op->imm;
	unsigned width = where >> 5 & 31, offset = where & 31;
	unsigned from = pt_z_own_size(&op->a, op->size), to = pt_z_own_size(&op->b, op->size);
	uint32_t mask = width == 0 ? UINT32_MAX : (UINT32_C(1) << width) - 1, value, old;
	struct place place;

	if (!pt_z_read(cpu, &op->a, from, &value))
		return false;
	if (op->kind == OP_BFEXT)
		return pt_z_write(cpu, &op->b, to, pt_z_result(cpu, value >> offset & mask, to));
	if (!pt_z_take(cpu, &op->b, to, &place, &old))
		return false;
	mask <<= offset;
	return pt_z_give(cpu, &place, pt_z_result(cpu, (old & ~mask) | (value << offset & mask), to));
}

void pt_z_leading_bits(struct pt_vs12z *cpu, const struct op *op)
{
	unsigned width = pt_z_width[op->d], bits = 8 * width, count = 0;
	uint32_t value = pt_z_get(cpu, op->d);

	while (count + 1 < bits && (value >> (bits - 1) & 1) == (value >> (bits - 2 - count) & 1))
		count++;
	pt_z_put(cpu, op->m, count);
	cpu->flags = (cpu->flags & C) | (count == 0 ? Z : 0);
}
