/* The instructions of FPv4-SP. raw has both halfwords. Source: DDI 0403, A6.4 to A6.6,
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

/* The number of a register: four bits and one elsewhere, the lowest. */
static unsigned single(uint32_t raw, unsigned four, unsigned one)
{
	return (raw >> four & 15) << 1 | (raw >> one & 1);
}

static uint32_t constant(uint32_t raw)
{
	uint32_t imm = (raw >> 12 & 0xf0) | (raw & 15);

	return (imm & 0x80) << 24 | ((imm & 0x40) != 0 ? 0x3e000000 : 0x40000000) | (imm & 0x3f) << 19;
}

static void compare(struct pt_vcpu *cpu, uint32_t raw, uint32_t a, uint32_t b)
{
	uint32_t flags = pt_float_compare(&cpu->fpu.fpscr, a, b, (raw & 0x80) == 0);

	cpu->fpu.fpscr = (cpu->fpu.fpscr & 0x0fffffff) | flags;
}

/* VCVTB and VCVTT: the half is at the bottom or at the top. */
static void convert_half(struct pt_vcpu *cpu, uint32_t raw, uint32_t *d, uint32_t m)
{
	unsigned lsb = (raw & 0x80) != 0 ? 16 : 0;

	if ((raw >> 16 & 1) == 0)
		*d = pt_float_from_half(&cpu->fpu.fpscr, (uint16_t)(m >> lsb));
	else
		*d = (*d & ~(0xffffu << lsb)) | (uint32_t)pt_float_to_half(&cpu->fpu.fpscr, m) << lsb;
}

/* Fixed point: d is both operand and result; bits 3..0 and 5 say how many are behind the point. */
static void convert_fixed(struct pt_vcpu *cpu, uint32_t raw, uint32_t *d)
{
	unsigned n_bits = (raw & 0x80) != 0 ? 32 : 16, fraction = n_bits - single(raw, 0, 5);
	bool is_unsigned = (raw & 1 << 16) != 0, to_fixed = (raw & 1 << 18) != 0;
	uint32_t value;

	if (!to_fixed) {
		*d = pt_float_from_fixed(&cpu->fpu.fpscr, *d, n_bits, fraction, is_unsigned, true);
		return;
	}
	value = pt_float_to_fixed(&cpu->fpu.fpscr, *d, n_bits, fraction, is_unsigned, true);
	*d = n_bits == 32 ? value : is_unsigned ? (uint16_t)value : (uint32_t)(int16_t)value;
}

/* Opcode 1011 with bit 6: what has one operand, by bits 19..16. */
static bool one_operand(struct pt_vcpu *cpu, uint32_t raw, uint32_t *d, uint32_t m)
{
	bool bit7 = (raw & 0x80) != 0;
	uint32_t *fpscr = &cpu->fpu.fpscr;

	switch (raw >> 16 & 15) {
	case 0: *d = bit7 ? m & ~SIGN : m; return true;
	case 1:
		*d = bit7 ? pt_float_sqrt(fpscr, m) : m ^ SIGN;
		cpu->core.cycle += bit7 ? 13 : 0;
		return true;
	case 2: case 3: convert_half(cpu, raw, d, m); return true;
	case 4: compare(cpu, raw, *d, m); return true;
	case 5: compare(cpu, raw, *d, 0); return true;
	case 8: *d = pt_float_from_fixed(fpscr, m, 32, 0, !bit7, false); return true;
	case 10: case 11: case 14: case 15: convert_fixed(cpu, raw, d); return true;
	case 12: case 13: *d = pt_float_to_fixed(fpscr, m, 32, 0, (raw >> 16 & 1) == 0, bit7); return true;
	default: return false;
	}
}

/* VMLA and its like round the product first. Bit 6 negates it; negated: the addend. */
static uint32_t multiply_then_add(struct pt_vcpu *cpu, uint32_t addend, uint32_t n, uint32_t m, bool negate)
{
	uint32_t product = pt_float_binary(&cpu->fpu.fpscr, PT_FLOAT_MUL, n, m);

	cpu->core.cycle += 2;
	return pt_float_binary(&cpu->fpu.fpscr, PT_FLOAT_ADD, addend, negate ? product ^ SIGN : product);
}

static uint32_t fused(struct pt_vcpu *cpu, uint32_t addend, uint32_t n, uint32_t m)
{
	cpu->core.cycle += 2;
	return pt_float_multiply_add(&cpu->fpu.fpscr, addend, n, m);
}

/* By bits 23 and 21..20. */
static bool data_processing(struct pt_vcpu *cpu, uint32_t raw)
{
	uint32_t *d = &cpu->fpu.s[single(raw, 12, 22)], *fpscr = &cpu->fpu.fpscr;
	uint32_t n = cpu->fpu.s[single(raw, 16, 7)], m = cpu->fpu.s[single(raw, 0, 5)];
	bool bit6 = (raw & 0x40) != 0;

	switch ((raw >> 21 & 4) | (raw >> 20 & 3)) {
	case 0: *d = multiply_then_add(cpu, *d, n, m, bit6); return true;
	case 1: *d = multiply_then_add(cpu, *d ^ SIGN, n, m, bit6); return true;
	case 2:
		*d = pt_float_binary(fpscr, PT_FLOAT_MUL, n, m) ^ (bit6 ? SIGN : 0);
		return true;
	case 3: *d = pt_float_binary(fpscr, bit6 ? PT_FLOAT_SUB : PT_FLOAT_ADD, n, m); return true;
	case 4:
		cpu->core.cycle += 13;
		*d = pt_float_binary(fpscr, PT_FLOAT_DIV, n, m);
		return !bit6;
	case 5: *d = fused(cpu, *d ^ SIGN, bit6 ? n ^ SIGN : n, m); return true;
	case 6: *d = fused(cpu, *d, bit6 ? n ^ SIGN : n, m); return true;
	default:
		if (bit6)
			return one_operand(cpu, raw, d, m);
		*d = constant(raw);
		return true;
	}
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
	bool known;

	if (!begin(cpu))
		return false;
	if ((raw & 0x0fe00000) == 0x0c400000)
		known = move_two(cpu, raw);
	else if ((raw & 0x10) != 0)
		known = move_one(cpu, raw);
	else
		known = (raw & 0x100) == 0 && data_processing(cpu, raw);
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
