/* MUL, MAC, QMUL, DIV, MOD: two operands of any width, the result as wide as its register. UNVERIFIED,
 * as binutils has the encodings alone:
 *   - N and Z by the register, V where the result does not fit, C clear
 *   - division by zero: C set and everything else kept
 *   - QMUL takes its operands as fractions (unsigned 0.n, signed 1.(n-1)), aligned to the left of the register, rounds
 *     down, and sets V and saturates for -1 times -1 */
#include "probes/virtual/cpu/s12z/alu.h"
#include "probes/virtual/cpu/s12z/decode.h"
#include "probes/virtual/cpu/s12z/operand.h"

/* Values of unsigned operations are below 2^32, so products fit. */
struct factors {
	int64_t a, b;
	uint64_t ua, ub;
	unsigned a_bits, b_bits;
};

static bool factors(struct pt_vs12z *cpu, const struct op *op, struct factors *f)
{
	unsigned a_size = pt_z_own_size(&op->a, op->size), b_size = pt_z_own_size(&op->b, op->size_b);
	uint32_t a, b;

	if (!pt_z_read(cpu, &op->a, a_size, &a) || !pt_z_read(cpu, &op->b, b_size, &b))
		return false;
	*f = (struct factors){ .a = (int32_t)pt_z_extend(a, a_size), .b = (int32_t)pt_z_extend(b, b_size),
			       .ua = a, .ub = b, .a_bits = 8 * a_size, .b_bits = 8 * b_size };
	return true;
}

static void settle(struct pt_vs12z *cpu, unsigned d, uint32_t value, bool fits)
{
	unsigned width = pt_z_width[d];

	cpu->r[d] = value & pt_z_mask(width);
	cpu->flags = pt_z_nz(value, width) | (fits ? 0 : V);
}

static void settle_signed(struct pt_vs12z *cpu, unsigned d, int64_t value)
{
	uint32_t low = (uint32_t)value;

	settle(cpu, d, low, (int32_t)pt_z_extend(low, pt_z_width[d]) == value);
}

static void settle_unsigned(struct pt_vs12z *cpu, unsigned d, uint64_t value)
{
	settle(cpu, d, (uint32_t)value, value <= pt_z_mask(pt_z_width[d]));
}

/* sums of products: 64 bits hold them, as the register has at most 32 */
static void multiply(struct pt_vs12z *cpu, const struct op *op, const struct factors *f)
{
	uint32_t d = op->kind == OP_MAC ? cpu->r[op->d] : 0;

	if ((op->flags & MATH_SIGNED) != 0)
		settle_signed(cpu, op->d, f->a * f->b + (int32_t)pt_z_extend(d, pt_z_width[op->d]));
	else
		settle_unsigned(cpu, op->d, f->ua * f->ub + d);
}

static void divide(struct pt_vs12z *cpu, const struct op *op, const struct factors *f)
{
	bool remainder = op->kind == OP_MOD;

	if (f->ub == 0)
		cpu->flags |= C;
	else if ((op->flags & MATH_SIGNED) != 0)
		settle_signed(cpu, op->d, remainder ? f->a % f->b : f->a / f->b);
	else
		settle_unsigned(cpu, op->d, remainder ? f->ua % f->ub : f->ua / f->ub);
}

static void multiply_fractions(struct pt_vs12z *cpu, const struct op *op, const struct factors *f)
{
	int d_bits = 8 * pt_z_width[op->d], down = (int)(f->a_bits + f->b_bits) - d_bits;
	int64_t most = INT64_C(1) << (d_bits - 1);

	if ((op->flags & MATH_SIGNED) == 0) {
		settle_unsigned(cpu, op->d, down >= 0 ? f->ua * f->ub >> down : f->ua * f->ub << -down);
	} else {
		int64_t product = f->a * f->b, value;

		down -= 1;
		value = down >= 0 ? product >> down : product * (INT64_C(1) << -down);
		settle(cpu, op->d, (uint32_t)(value < most ? value : most - 1), value < most);
	}
}

bool pt_z_math(struct pt_vs12z *cpu, const struct op *op)
{
	struct factors f;

	if (!factors(cpu, op, &f))
		return false;
	if (op->kind == OP_MUL || op->kind == OP_MAC)
		multiply(cpu, op, &f);
	else if (op->kind == OP_QMUL)
		multiply_fractions(cpu, op, &f);
	else
		divide(cpu, op, &f);
	return true;
}
