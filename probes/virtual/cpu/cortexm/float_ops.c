/* The instructions of FPv4-SP and FPv5. raw has both halfwords. Source: DDI 0403, A6.4 to A6.6,
 * A7.7; CheckVFPEnabled and ExecuteFPCheck in B1.4.7. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/float.h"
#include "probes/virtual/cpu/cortexm/memory.h"

#define SIGN UINT32_C(0x80000000)
#define ASPEN (UINT32_C(1) << 31)
enum { LSPACT = 1, CP10 = 20 };

/* May the FPU be used at all; what an exception has put off is saved, and a context begins. */
static bool begin(struct pt_vcpu *cpu)
{
	struct fpu *fpu = &cpu->fpu;
	unsigned rights = fpu->cpacr >> CP10 & 3;

	if (rights == 0 || rights == 2 || (rights == 1 && !pt_cpu_privileged(cpu)))
		return pt_cpu_fails(cpu, NOCP);
	if ((fpu->fpccr & LSPACT) != 0 && !pt_cpu_save_floats(cpu))
		return false;
	if ((fpu->fpccr & ASPEN) != 0 && !fpu->active) {
		fpu->fpscr = fpu->fpdscr;
		fpu->active = true;
	}
	return true;
}

/* The number of a single register: four bits and one elsewhere, the lowest. */
static unsigned single(uint32_t raw, unsigned four, unsigned one)
{
	return (raw >> four & 15) << 1 | (raw >> one & 1);
}

/* The first of the single registers that one is, or a double's two. False: there is no such double. */
static bool find_register(uint32_t raw, unsigned four, unsigned one, bool is_double, unsigned *first)
{
	*first = is_double ? 2 * (raw >> four & 15) : single(raw, four, one);
	return !is_double || (raw >> one & 1) == 0;
}

static uint64_t get(const struct pt_vcpu *cpu, unsigned first, bool is_double)
{
	return cpu->fpu.s[first] | (is_double ? (uint64_t)cpu->fpu.s[first + 1] << 32 : 0);
}

static void put(struct pt_vcpu *cpu, unsigned first, bool is_double, uint64_t value)
{
	cpu->fpu.s[first] = (uint32_t)value;
	if (is_double)
		cpu->fpu.s[first + 1] = (uint32_t)(value >> 32);
}

static uint64_t constant(uint32_t raw, bool is_double)
{
	uint64_t imm = (raw >> 12 & 0xf0) | (raw & 15), sign = imm >> 7, top = (imm & 0x40) != 0;

	return is_double ? sign << 63 | (top != 0 ? UINT64_C(0x3fc00000) : UINT64_C(0x40000000)) << 32 |
				   (imm & 0x3f) << 48
			 : sign << 31 | (top != 0 ? 0x3e000000 : 0x40000000) | (imm & 0x3f) << 19;
}

static void compare(const struct pt_float *fp, uint32_t raw, uint64_t a, uint64_t b)
{
	uint32_t flags = pt_float_compare(fp, a, b, (raw & 0x80) == 0);

	*fp->fpscr = (*fp->fpscr & 0x0fffffff) | flags;
}

/* VCVTB and VCVTT: the half is at the bottom or at the top. */
static uint64_t to_half(const struct pt_float *fp, uint32_t raw, uint64_t d, uint64_t m)
{
	unsigned lsb = (raw & 0x80) != 0 ? 16 : 0;

	return (d & ~(UINT64_C(0xffff) << lsb)) | (uint64_t)pt_float_to_half(fp, m) << lsb;
}

/* Fixed point: d is both operand and result; bits 3..0 and 5 say how many are behind the point. */
static uint64_t convert_fixed(const struct pt_float *fp, uint32_t raw, uint64_t d)
{
	unsigned n_bits = (raw & 0x80) != 0 ? 32 : 16, fraction = n_bits - single(raw, 0, 5);
	bool is_unsigned = (raw & 1 << 16) != 0, to_fixed = (raw & 1 << 18) != 0;
	uint32_t value;

	if (!to_fixed)
		return pt_float_from_fixed(fp, (uint32_t)d, n_bits, fraction, is_unsigned, true);
	value = pt_float_to_fixed(fp, d, n_bits, fraction, is_unsigned, PT_FLOAT_ZERO);
	if (n_bits == 16)
		value = is_unsigned ? (uint16_t)value : (uint32_t)(int16_t)value;
	return fp->is_double && !is_unsigned ? (uint64_t)(int32_t)value : value;
}

static uint64_t square_root(struct pt_vcpu *cpu, const struct pt_float *fp, uint64_t m)
{
	cpu->core.cycle += 13;
	return pt_float_sqrt(fp, m);
}

/* Bits 19..16 of opcode 1011 with bit 6, and which of its registers are of the precision that it names; the others are
 * single. MOVE to TO_WHOLE: bit 7 has the second of two operations. */
enum one_operand {
	MOVE, NEGATE, FROM_HALF, TO_HALF, COMPARE, COMPARE_ZERO, ROUND, ROUND_EXACT, FROM_INTEGER,
	FROM_FIXED = 10, FROM_FIXED_U, TO_UNSIGNED, TO_SIGNED, TO_FIXED, TO_FIXED_U,
};
enum { D_BY_SIZE = 1, M_BY_SIZE = 2, BOTH = 3, ONLY_V5 = 4 };
static const uint8_t sizes[16] = {
	[MOVE] = BOTH, [NEGATE] = BOTH, [FROM_HALF] = D_BY_SIZE, [TO_HALF] = M_BY_SIZE, [COMPARE] = BOTH,
	[COMPARE_ZERO] = D_BY_SIZE, [ROUND] = BOTH | ONLY_V5, [ROUND_EXACT] = BOTH | ONLY_V5, [FROM_INTEGER] = D_BY_SIZE,
	[FROM_FIXED] = D_BY_SIZE, [FROM_FIXED_U] = D_BY_SIZE, [TO_UNSIGNED] = M_BY_SIZE, [TO_SIGNED] = M_BY_SIZE,
	[TO_FIXED] = D_BY_SIZE, [TO_FIXED_U] = D_BY_SIZE,
};

static uint64_t convert(struct pt_vcpu *cpu, const struct pt_float *fp, uint32_t raw, uint64_t d, uint64_t m)
{
	bool bit7 = (raw & 0x80) != 0;
	enum one_operand what = raw >> 16 & 15;

	switch (what) {
	case MOVE: return bit7 ? pt_float_absolute(fp, m) : m;
	case NEGATE: return bit7 ? square_root(cpu, fp, m) : pt_float_negate(fp, m);
	case FROM_HALF: return pt_float_from_half(fp, (uint16_t)(m >> (bit7 ? 16 : 0)));
	case TO_HALF: return to_half(fp, raw, d, m);
	case COMPARE: compare(fp, raw, d, m); return d;
	case COMPARE_ZERO: compare(fp, raw, d, 0); return d;
	case ROUND: return pt_float_round(fp, m, bit7 ? PT_FLOAT_ZERO : PT_FLOAT_BY_MODE, false);
	case ROUND_EXACT:
		return bit7 ? pt_float_change(fp, m) : pt_float_round(fp, m, PT_FLOAT_BY_MODE, true);
	case FROM_INTEGER: return pt_float_from_fixed(fp, (uint32_t)m, 32, 0, !bit7, false);
	case TO_UNSIGNED: case TO_SIGNED:
		return pt_float_to_fixed(fp, m, 32, 0, what == TO_UNSIGNED, bit7 ? PT_FLOAT_ZERO : PT_FLOAT_BY_MODE);
	default: return convert_fixed(fp, raw, d);
	}
}

static bool one_operand(struct pt_vcpu *cpu, const struct pt_float *fp, uint32_t raw)
{
	unsigned what = raw >> 16 & 15, d, m;
	bool changes = what == ROUND_EXACT && (raw & 0x80) != 0;
	bool d_double = changes != (fp->is_double && (sizes[what] & D_BY_SIZE) != 0);
	bool m_double = fp->is_double && (sizes[what] & M_BY_SIZE) != 0;

	if (sizes[what] == 0 || ((sizes[what] & ONLY_V5) != 0 && cpu->model->fpu != PT_VFPU_V5))
		return false;
	if (!find_register(raw, 12, 22, d_double, &d) || !find_register(raw, 0, 5, m_double, &m))
		return false;
	put(cpu, d, d_double, convert(cpu, fp, raw, get(cpu, d, d_double), get(cpu, m, m_double)));
	return true;
}

/* VMLA and its like round the product first. */
static uint64_t multiply_then_add(struct pt_vcpu *cpu, const struct pt_float *fp, const uint64_t *operand, bool negate)
{
	uint64_t product = pt_float_binary(fp, PT_FLOAT_MUL, operand[1], operand[2]);

	cpu->core.cycle += 2;
	return pt_float_binary(fp, PT_FLOAT_ADD, operand[0], negate ? pt_float_negate(fp, product) : product);
}

static uint64_t fused(struct pt_vcpu *cpu, const struct pt_float *fp, const uint64_t *operand, bool negate)
{
	cpu->core.cycle += 2;
	return pt_float_multiply_add(fp, operand[0], negate ? pt_float_negate(fp, operand[1]) : operand[1], operand[2]);
}

static uint64_t quotient(struct pt_vcpu *cpu, const struct pt_float *fp, const uint64_t *operand)
{
	cpu->core.cycle += 13;
	return pt_float_binary(fp, PT_FLOAT_DIV, operand[1], operand[2]);
}

/* Bits 23 and 21..20, and bit 6. operand: what d has, n and m. */
enum arithmetic { MLA, NMLA, MUL, ADD, DIV, FNMA, FMA };

static uint64_t calculate(struct pt_vcpu *cpu, const struct pt_float *fp, enum arithmetic what, bool bit6,
			  const uint64_t *operand)
{
	const uint64_t negated[3] = { pt_float_negate(fp, operand[0]), operand[1], operand[2] };
	uint64_t product;

	switch (what) {
	case MLA: return multiply_then_add(cpu, fp, operand, bit6);
	case NMLA: return multiply_then_add(cpu, fp, negated, bit6);
	case MUL:
		product = pt_float_binary(fp, PT_FLOAT_MUL, operand[1], operand[2]);
		return bit6 ? pt_float_negate(fp, product) : product;
	case ADD: return pt_float_binary(fp, bit6 ? PT_FLOAT_SUB : PT_FLOAT_ADD, operand[1], operand[2]);
	case DIV: return quotient(cpu, fp, operand);
	case FNMA: return fused(cpu, fp, negated, bit6);
	default: return fused(cpu, fp, operand, bit6);
	}
}

static bool data_processing(struct pt_vcpu *cpu, const struct pt_float *fp, uint32_t raw)
{
	unsigned what = (raw >> 21 & 4) | (raw >> 20 & 3), d, n, m;
	bool bit6 = (raw & 0x40) != 0, is_double = fp->is_double;

	if (what > FMA && bit6)
		return one_operand(cpu, fp, raw);
	if (!find_register(raw, 12, 22, is_double, &d) || (what == DIV && bit6))
		return false;
	if (what > FMA) {
		put(cpu, d, is_double, constant(raw, is_double));
		return true;
	}
	if (!find_register(raw, 16, 7, is_double, &n) || !find_register(raw, 0, 5, is_double, &m))
		return false;
	put(cpu, d, is_double,
	    calculate(cpu, fp, what, bit6,
		      (const uint64_t[]){ get(cpu, d, is_double), get(cpu, n, is_double), get(cpu, m, is_double) }));
	return true;
}

/* --- what FPv5 adds; none of it has a condition of its own. Source: DDI 0403, A7.7 */

/* VRINTA, N, P, M and VCVTA, N, P, M: away from zero, to nearest even, up, down. */
static bool round_by_name(struct pt_vcpu *cpu, const struct pt_float *fp, uint32_t raw)
{
	static const uint8_t rounding[] = { PT_FLOAT_AWAY, PT_FLOAT_NEAREST, PT_FLOAT_UP, PT_FLOAT_DOWN };
	bool to_integer = (raw & 1 << 18) != 0, is_signed = (raw & 0x80) != 0;
	unsigned how = rounding[raw >> 16 & 3], d, m;

	if (!find_register(raw, 12, 22, fp->is_double && !to_integer, &d) ||
	    !find_register(raw, 0, 5, fp->is_double, &m))
		return false;
	if (to_integer)
		cpu->fpu.s[d] = pt_float_to_fixed(fp, get(cpu, m, fp->is_double), 32, 0, !is_signed, how);
	else
		put(cpu, d, fp->is_double, pt_float_round(fp, get(cpu, m, fp->is_double), how, false));
	return to_integer || !is_signed;
}

/* VSEL: conditions EQ, VS, GE, GT. */
static bool select_or_extreme(struct pt_vcpu *cpu, const struct pt_float *fp, uint32_t raw)
{
	static const uint8_t condition[] = { 0, 6, 10, 12 };
	bool bit6 = (raw & 0x40) != 0, is_double = fp->is_double, selects = (raw & 1 << 23) == 0;
	unsigned d, n, m;
	uint64_t a, b;

	if ((selects && bit6) || (!selects && (raw >> 20 & 3) != 0) || !find_register(raw, 12, 22, is_double, &d) ||
	    !find_register(raw, 16, 7, is_double, &n) || !find_register(raw, 0, 5, is_double, &m))
		return false;
	a = get(cpu, n, is_double);
	b = get(cpu, m, is_double);
	put(cpu, d, is_double,
	    selects ? (condition_holds(cpu, condition[raw >> 20 & 3]) ? a : b) : pt_float_extreme(fp, a, b, !bit6));
	return true;
}

static bool added_by_v5(struct pt_vcpu *cpu, const struct pt_float *fp, uint32_t raw)
{
	return (raw & 0x00b80040) == 0x00b80040 ? round_by_name(cpu, fp, raw) : select_or_extreme(cpu, fp, raw);
}

/* One core register: VMOV with a single, VMRS, VMSR, and with half of a double. */
static bool move_one(struct pt_vcpu *cpu, uint32_t raw)
{
	bool to_core = (raw & 1 << 20) != 0, halves = (raw & 0x100) != 0;
	unsigned t = raw >> 12 & 15;
	uint32_t *s = &cpu->fpu.s[halves ? (raw >> 15 & 30) | (raw >> 21 & 1) : single(raw, 16, 7)];

	if (!halves && (raw >> 21 & 7) == 7) {
		s = &cpu->fpu.fpscr;
		if (to_core && t == PC) {
			pt_cpu_set_flags(cpu, *s);
			return true;
		}
		cpu->r[to_core ? t : PC] = *s;
		*s = to_core ? *s : cpu->r[t] & FPSCR_BITS;
		return (raw >> 16 & 15) == 1;
	}
	if (halves ? (raw & 0x00c000e0) != 0 : (raw >> 21 & 7) != 0)
		return false;
	if (to_core)
		write_high(cpu, t, *s);
	else
		*s = cpu->r[t];
	return true;
}

/* Two core registers, with two singles or a double. */
static bool move_two(struct pt_vcpu *cpu, uint32_t raw)
{
	bool to_core = (raw & 1 << 20) != 0, is_double = (raw & 0x100) != 0;
	unsigned first = is_double ? 2 * (raw & 15) : single(raw, 0, 5);

	if ((raw & 0xd0) != 0x10 || first == 31 || (is_double && (raw & 0x20) != 0))
		return false;
	cpu->core.cycle++;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t *r = &cpu->r[i == 0 ? raw >> 12 & 15 : raw >> 16 & 15], *s = &cpu->fpu.s[first + i];

		*(to_core ? r : s) = *(to_core ? s : r);
	}
	return true;
}

bool pt_cpu_float(struct pt_vcpu *cpu, uint32_t raw)
{
	const struct pt_float fp = { &cpu->fpu.fpscr, (raw & 0x100) != 0 };
	bool known, has_v5 = cpu->model->fpu == PT_VFPU_V5, added = (raw & 1 << 28) != 0;

	if (added && (!has_v5 || (raw & 0x10) != 0))
		return pt_cpu_fails(cpu, UNDEFINSTR);
	if (!begin(cpu))
		return false;
	if (!added && (raw & 0x0fe00000) == 0x0c400000)
		known = move_two(cpu, raw);
	else if ((raw & 0x10) != 0)
		known = move_one(cpu, raw);
	else
		known = (has_v5 || !fp.is_double) && (added ? added_by_v5 : data_processing)(cpu, &fp, raw);
	return known || pt_cpu_fails(cpu, UNDEFINSTR);
}

/* --- VLDR, VSTR, VLDM, VSTM, VPUSH and VPOP. Source: DDI 0403, A6.5 */

enum { LOAD = 1 << 20, WRITE_BACK = 1 << 21, UP = 1 << 23, PRE = 1 << 24, DOUBLE = 1 << 8 };

static unsigned first_register(uint32_t raw)
{
	unsigned four = raw >> 12 & 15, one = raw >> 22 & 1;

	return (raw & DOUBLE) != 0 ? (one << 4 | four) * 2 : four << 1 | one;
}

static bool transfer(struct pt_vcpu *cpu, bool load, uint32_t addr, unsigned first, unsigned n_words)
{
	cpu->core.cycle += n_words;
	if ((addr & 3) != 0)
		return pt_cpu_fails(cpu, UNALIGNED);
	for (unsigned i = 0; i < n_words; i++) {
		uint32_t *s = &cpu->fpu.s[first + i];

		if (load ? !pt_cpu_load_told(cpu, addr + 4 * i, 4, s) : !pt_cpu_store_told(cpu, addr + 4 * i, 4, *s))
			return false;
	}
	return true;
}

bool pt_cpu_float_memory(struct pt_vcpu *cpu, uint32_t raw)
{
	unsigned n = raw >> 16 & 15, first = first_register(raw);
	bool one = (raw & PRE) != 0 && (raw & WRITE_BACK) == 0, doubles = (raw & DOUBLE) != 0;
	uint32_t bytes = (raw & 0xff) * 4, base = n == PC ? (cpu->pc & ~3u) : cpu->r[n];
	uint32_t to = (raw & UP) != 0 ? base + bytes : base - bytes;
	unsigned n_words = one	     ? 1u + doubles
			   : doubles ? raw & 0xfe
				     : raw & 0xff; /* odd: FLDMX, which leaves one out */

	if (!begin(cpu))
		return false;
	if (first + n_words > 32 || (raw & (PRE | UP | WRITE_BACK)) == 0)
		return pt_cpu_fails(cpu, UNDEFINSTR);
	if (!transfer(cpu, (raw & LOAD) != 0, one || (raw & PRE) != 0 ? to : base, first, n_words))
		return false;
	if ((raw & WRITE_BACK) != 0)
		write_high(cpu, n, to);
	return true;
}
