/* Multiplications, those of the DSP, and divisions. raw has both halfwords. Source: DDI 0403, A5.3.16 and A5.3.17. */
#include "probes/virtual/cpu/cortexm/alu.h"

enum { CCR_DIV_0_TRP = 16 };

struct operands {
	uint32_t n, m, a;	/* a: what is added */
	bool has_a;
	unsigned d, which;	/* which: bits 5..4 */
};

static int64_t half(uint32_t value, bool top)
{
	return (int16_t)(top ? value >> 16 : value);
}

static uint32_t halves_exchanged(uint32_t value)
{
	return value >> 16 | value << 16;
}

/* Accumulation that overflows sets Q and wraps. */
static uint32_t accumulated(struct pt_vcpu *cpu, int64_t value)
{
	if (value != (int32_t)value)
		cpu->saturated = true;
	return (uint32_t)value;
}

/* SMUAD, SMLAD, SMUSD, SMLSD, with X */
static uint32_t dual(struct pt_vcpu *cpu, const struct operands *o, bool subtract)
{
	uint32_t m = (o->which & 1) != 0 ? halves_exchanged(o->m) : o->m;
	int64_t low = half(o->n, false) * half(m, false), high = half(o->n, true) * half(m, true);

	return accumulated(cpu, (subtract ? low - high : low + high) + (int32_t)o->a);
}

/* SMMUL, SMMLA, SMMLS: the upper word, rounded if bit 4 says so */
static uint32_t most_significant(const struct operands *o, bool subtract)
{
	uint64_t product = (uint64_t)((int64_t)(int32_t)o->n * (int32_t)o->m), a = (uint64_t)o->a << 32;
	uint64_t value = subtract ? a - product : a + product;

	return (uint32_t)((value + ((o->which & 1) != 0 ? 0x80000000 : 0)) >> 32);
}

static uint32_t differences(const struct operands *o)
{
	uint32_t sum = o->a;

	for (unsigned lsb = 0; lsb < 32; lsb += 8) {
		int32_t difference = (int32_t)(o->n >> lsb & 0xff) - (int32_t)(o->m >> lsb & 0xff);

		sum += (uint32_t)(difference < 0 ? -difference : difference);
	}
	return sum;
}

/* Results of 32 bits, by bits 22..20. */
static bool multiply(struct pt_vcpu *cpu, unsigned op, const struct operands *o)
{
	uint32_t *d = &cpu->r[o->d];

	switch (op) {
	case 0:
		if (o->which > 1 || (o->which == 1 && !o->has_a))
			return false;
		*d = o->which == 1 ? o->a - o->n * o->m : o->a + o->n * o->m;
		return true;
	case 1:
		*d = accumulated(cpu, half(o->n, o->which >> 1) * half(o->m, o->which & 1) + (int32_t)o->a);
		return true;
	case 2:
		*d = dual(cpu, o, false);
		return o->which < 2;
	case 3:
		*d = accumulated(cpu, ((int64_t)(int32_t)o->n * half(o->m, o->which & 1) >> 16) + (int32_t)o->a);
		return o->which < 2;
	case 4:
		*d = dual(cpu, o, true);
		return o->which < 2;
	case 5: case 6:
		*d = most_significant(o, op == 6);
		return o->which < 2 && (op == 5 || o->has_a);
	default:
		*d = differences(o);
		return o->which == 0;
	}
}

/* Early termination by the difference in length of the operands. Source: Cortex-M4 TRM, table 3-1: 2 to 12 */
static unsigned divide_cycles(uint32_t n, uint32_t m)
{
	unsigned n_bits = n == 0 ? 0 : 32 - (unsigned)__builtin_clz(n),
		 m_bits = m == 0 ? 0 : 32 - (unsigned)__builtin_clz(m);

	return m_bits == 0 || n_bits <= m_bits ? 2 : 2 + (n_bits - m_bits) / 3;
}

static bool divide(struct pt_vcpu *cpu, const struct operands *o, bool is_unsigned)
{
	int64_t quotient = 0;

	if (o->m == 0 && (cpu->ccr & CCR_DIV_0_TRP) != 0)
		return pt_cpu_fails(cpu, DIVBYZERO);
	if (o->m != 0)
		quotient = is_unsigned ? (int64_t)(o->n / o->m) : (int64_t)(int32_t)o->n / (int32_t)o->m;
	cpu->core.cycle += divide_cycles(o->n, o->m) - 1;
	cpu->r[o->d] = (uint32_t)quotient;
	return true;
}

/* SMLALxy, SMLALD, SMLSLD: what is added to 64 bits */
static int64_t dsp_product(const struct operands *o, unsigned op2, bool subtract)
{
	uint32_t m = (op2 & 1) != 0 ? halves_exchanged(o->m) : o->m;
	int64_t low = half(o->n, false) * half(m, false), high = half(o->n, true) * half(m, true);

	if (op2 < 12)
		return half(o->n, op2 >> 1 & 1) * half(o->m, op2 & 1);
	return subtract ? low - high : low + high;
}

/* Results of 64 bits in two registers, a (low) and d (high); by bits 22..20 and 7..4. */
static bool multiply_long(struct pt_vcpu *cpu, uint32_t raw, const struct operands *o)
{
	unsigned op = raw >> 20 & 7, op2 = raw >> 4 & 15, low = raw >> 12 & 15;
	uint64_t was = (uint64_t)cpu->r[o->d] << 32 | cpu->r[low], value;

	if (op == 0 && op2 == 0)
		value = (uint64_t)((int64_t)(int32_t)o->n * (int32_t)o->m);
	else if (op == 2 && op2 == 0)
		value = (uint64_t)o->n * o->m;
	else if (op == 4 && op2 == 0)
		value = was + (uint64_t)((int64_t)(int32_t)o->n * (int32_t)o->m);
	else if (op == 6 && op2 == 0)
		value = was + (uint64_t)o->n * o->m;
	else if (op == 6 && op2 == 6)	/* UMAAL */
		value = (uint64_t)o->n * o->m + cpu->r[low] + cpu->r[o->d];
	else if ((op == 4 && op2 >= 8 && op2 < 14) || (op == 5 && (op2 & 14) == 12))
		value = was + (uint64_t)dsp_product(o, op2, op == 5);
	else
		return false;
	cpu->r[low] = (uint32_t)value;
	cpu->r[o->d] = (uint32_t)(value >> 32);
	return true;
}

bool pt_cpu_wide_multiply(struct pt_vcpu *cpu, uint32_t raw)
{
	unsigned a = raw >> 12 & 15, op = raw >> 20 & 7;
	bool is_long = (raw & 0x00800000) != 0, known;
	struct operands o = {
		.n = cpu->r[raw >> 16 & 15], .m = cpu->r[raw & 15], .a = a == PC || is_long ? 0 : cpu->r[a], .has_a = a != PC,
		.d = raw >> 8 & 15, .which = raw >> 4 & 3,
	};

	if (is_long && (op == 1 || op == 3) && (raw >> 4 & 15) == 15)
		return divide(cpu, &o, op == 3);
	known = is_long ? multiply_long(cpu, raw, &o) : (raw & 0xc0) == 0 && multiply(cpu, op, &o);
	return known || pt_cpu_fails(cpu, UNDEFINSTR);
}
