/* Data processing with a constant or a shifted register, shifts, bit fields, extensions. Source: DDI 0403, A5.3.1,
 * A5.3.3, A5.3.11, A5.3.12. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/decode.h"

static void arithmetic(struct pt_vcpu *cpu, const struct op *op, uint32_t a, uint32_t b, bool carry, bool flags)
{
	uint32_t value = flags ? add(cpu, a, b, carry) : a + b + carry;

	if (op->d != PC)	/* CMP, CMN */
		write_high(cpu, op->d, value);
}

static void logic(struct pt_vcpu *cpu, const struct op *op, uint32_t value, bool carry, bool flags)
{
	if (flags) {
		result(cpu, value);
		cpu->carry = carry;
	}
	if (op->d != PC)	/* TST, TEQ */
		write_high(cpu, op->d, value);
}

static void data(struct pt_vcpu *cpu, const struct op *op, unsigned what, struct shifted b)
{
	uint32_t a = op->n == PC ? 0 : cpu->r[op->n];	/* MOV and MVN are ORR and ORN with nothing */
	bool flags = (what & FLAGS) != 0;

	switch (what & DATA_OP) {
	case DATA_AND: logic(cpu, op, a & b.value, b.carry, flags); break;
	case DATA_BIC: logic(cpu, op, a & ~b.value, b.carry, flags); break;
	case DATA_ORR: logic(cpu, op, a | b.value, b.carry, flags); break;
	case DATA_ORN: logic(cpu, op, a | ~b.value, b.carry, flags); break;
	case DATA_EOR: logic(cpu, op, a ^ b.value, b.carry, flags); break;
	case DATA_ADD: arithmetic(cpu, op, a, b.value, false, flags); break;
	case DATA_ADC: arithmetic(cpu, op, a, b.value, cpu->carry, flags); break;
	case DATA_SBC: arithmetic(cpu, op, a, ~b.value, cpu->carry, flags); break;
	case DATA_SUB: arithmetic(cpu, op, a, ~b.value, true, flags); break;
	case DATA_RSB: arithmetic(cpu, op, ~a, b.value, true, flags); break;
	}
}

static struct shifted shifted_operand(const struct pt_vcpu *cpu, const struct op *op)
{
	uint32_t value = cpu->r[op->m];
	enum shift how = op->imm >> 8 & 3;
	unsigned by = op->imm >> 16;

	if (how == SHIFT_ROR && by == 0)	/* RRX */
		return (struct shifted){ value >> 1 | (uint32_t)cpu->carry << 31, value & 1 };
	return shift(value, how, by, cpu->carry);
}

/* PKHBT, PKHTB: a half of each. */
static void pack(struct pt_vcpu *cpu, const struct op *op)
{
	uint32_t a = cpu->r[op->n], b = shifted_operand(cpu, op).value;

	cpu->r[op->d] =
		(op->imm >> 8 & 3) == SHIFT_ASR ? (a & 0xffff0000) | (b & 0xffff) : (b & 0xffff0000) | (a & 0xffff);
}

static void saturate(struct pt_vcpu *cpu, const struct op *op)
{
	unsigned keep = op->m & 127;
	bool is_unsigned = (op->m & 128) != 0;
	int64_t value = (int32_t)shift(cpu->r[op->n], op->imm >> 8 & 3, op->imm >> 16, false).value;
	int64_t highest = is_unsigned ? (INT64_C(1) << keep) - 1 : (INT64_C(1) << (keep - 1)) - 1;
	int64_t lowest = is_unsigned ? 0 : -highest - 1;
	int64_t kept = value > highest ? highest : value < lowest ? lowest : value;

	if (kept != value)
		cpu->saturated = true;
	cpu->r[op->d] = (uint32_t)kept;
}

static void field(struct pt_vcpu *cpu, const struct op *op)
{
	unsigned above = op->m + op->imm < 32 ? 32 - op->m - op->imm : 0, drop = 32 - op->imm;
	uint32_t top = cpu->r[op->n] << above;

	cpu->r[op->d] = op->kind == OP_WIDE_FIELD ? top >> drop : (uint32_t)((int32_t)top >> drop);
}

static void shift_by_register(struct pt_vcpu *cpu, const struct op *op)
{
	struct shifted s = shift(cpu->r[op->n], op->imm >> 8 & 3, cpu->r[op->m] & 0xff, cpu->carry);

	logic(cpu, op, s.value, s.carry, (op->imm & FLAGS) != 0);
}

/* Halves are added apart in the forms with 16. */
static uint32_t add_halves(uint32_t a, uint32_t b)
{
	return ((a & 0xffff0000) + (b & 0xffff0000)) | ((a + b) & 0xffff);
}

static void extend(struct pt_vcpu *cpu, const struct op *op)
{
	uint32_t value = shift(cpu->r[op->m], SHIFT_ROR, op->imm & 0xff, false).value;
	uint32_t a = op->n == PC ? 0 : cpu->r[op->n];

	switch (op->imm >> 8) {
	case 0: cpu->r[op->d] = a + (uint32_t)(int16_t)value; break;
	case 1: cpu->r[op->d] = a + (uint16_t)value; break;
	case 2:
		value = (uint16_t)(int8_t)value | (uint32_t)(int8_t)(value >> 16) << 16;
		cpu->r[op->d] = add_halves(a, value);
		break;
	case 3: cpu->r[op->d] = add_halves(a, value & 0x00ff00ff); break;
	case 4: cpu->r[op->d] = a + (uint32_t)(int8_t)value; break;
	default: cpu->r[op->d] = a + (uint8_t)value; break;
	}
}

void pt_cpu_wide_data(struct pt_vcpu *cpu, const struct op *op)
{
	bool carry = cpu->carry;
	uint32_t *r = cpu->r;

	switch (op->kind) {
	case OP_WIDE_IMM:
		if ((op->m & CARRY) != 0)
			carry = op->imm >> 31;
		data(cpu, op, op->m, (struct shifted){ op->imm, carry });
		break;
	case OP_WIDE_REG:
		if ((op->imm & DATA_OP) == DATA_PKH)
			pack(cpu, op);
		else
			data(cpu, op, op->imm & 0xff, shifted_operand(cpu, op));
		break;
	case OP_WIDE_CONST: write_high(cpu, op->d, op->imm); break;
	case OP_WIDE_ADD_CONST: write_high(cpu, op->d, r[op->n] + op->imm); break;
	case OP_WIDE_MOVT: r[op->d] = (r[op->d] & 0xffff) | op->imm << 16; break;
	case OP_WIDE_SATURATE: saturate(cpu, op); break;
	case OP_WIDE_FIELD: case OP_WIDE_FIELD_SIGNED: field(cpu, op); break;
	case OP_WIDE_INSERT:
		r[op->d] = (r[op->d] & ~op->imm) | ((op->n == PC ? 0 : r[op->n]) << op->m & op->imm);
		break;
	case OP_WIDE_SHIFT: shift_by_register(cpu, op); break;
	case OP_WIDE_EXTEND: extend(cpu, op); break;
	}
}
