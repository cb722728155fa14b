/* What register operations are left: parallel and saturating arithmetic, reversals, CLZ, SEL. raw has both halfwords.
 * Source: DDI 0403, A5.3.13 to A5.3.15. */
#include "probes/virtual/cpu/cortexm/alu.h"

/* Parallel arithmetic, by bits 22..20 and 6..4 of the encoding. */
enum what { ADD8, ADD16, ASX, SUB8 = 4, SUB16, SAX };
enum how { PLAIN, SATURATING, HALVING };

static int32_t clamp(int32_t value, int32_t lowest, int32_t highest)
{
	return value < lowest ? lowest : value > highest ? highest : value;
}

struct lane {
	unsigned bits;
	bool is_unsigned;
	enum how how;
};

static int32_t lane_of(const struct lane *lane, uint32_t value, unsigned lsb)
{
	uint32_t cut = value >> lsb & ((1u << lane->bits) - 1), sign = 1u << (lane->bits - 1);

	return lane->is_unsigned ? (int32_t)cut : (int32_t)((cut ^ sign) - sign);
}

/* One lane's sum or difference; ge: whether it is GE's to be set: no borrow, a carry, or not negative. */
static uint32_t lane_result(const struct lane *lane, int32_t a, int32_t b, bool subtract, bool *ge)
{
	int32_t value = subtract ? a - b : a + b, limit = 1 << lane->bits;

	*ge = lane->is_unsigned && !subtract ? value >= limit : value >= 0;
	if (lane->how == HALVING)
		value >>= 1;
	else if (lane->how == SATURATING)
		value = lane->is_unsigned ? clamp(value, 0, limit - 1) : clamp(value, -(limit / 2), limit / 2 - 1);
	return (uint32_t)value & ((uint32_t)limit - 1);
}

static uint32_t by_bytes(struct pt_vcpu *cpu, const struct lane *lane, uint32_t a, uint32_t b, bool subtract)
{
	uint32_t value = 0, ge_bits = 0;
	bool ge;

	for (unsigned lsb = 0; lsb < 32; lsb += 8) {
		value |= lane_result(lane, lane_of(lane, a, lsb), lane_of(lane, b, lsb), subtract, &ge) << lsb;
		ge_bits |= (uint32_t)ge << lsb / 8;
	}
	if (lane->how == PLAIN)
		cpu->ge = (uint8_t)ge_bits;
	return value;
}

/* ASX: the upper lane adds, the lower one subtracts, the halves of b exchanged; SAX the other way round. */
static uint32_t by_halves(struct pt_vcpu *cpu, const struct lane *lane, uint32_t a, uint32_t b, enum what what)
{
	bool crossed = what == ASX || what == SAX, low_ge, high_ge;
	uint32_t low = lane_result(lane, lane_of(lane, a, 0), lane_of(lane, b, crossed ? 16 : 0),
				   what == SUB16 || what == ASX, &low_ge);
	uint32_t high = lane_result(lane, lane_of(lane, a, 16), lane_of(lane, b, crossed ? 0 : 16),
				    what == SUB16 || what == SAX, &high_ge);

	if (lane->how == PLAIN)
		cpu->ge = (uint8_t)((low_ge ? 3 : 0) | (high_ge ? 12 : 0));
	return high << 16 | low;
}

static bool parallel(struct pt_vcpu *cpu, uint32_t raw, uint32_t *value)
{
	uint32_t a = cpu->r[raw >> 16 & 15], b = cpu->r[raw & 15];
	enum what what = raw >> 20 & 7;
	struct lane lane = { what == ADD8 || what == SUB8 ? 8 : 16, (raw & 0x40) != 0, raw >> 4 & 3 };

	if (lane.how > HALVING || what == 3 || what > SAX)
		return false;
	*value = lane.bits == 8 ? by_bytes(cpu, &lane, a, b, what == SUB8) : by_halves(cpu, &lane, a, b, what);
	return true;
}

static uint32_t saturated32(struct pt_vcpu *cpu, int64_t value)
{
	int64_t kept = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;

	if (kept != value)
		cpu->saturated = true;
	return (uint32_t)kept;
}

/* QADD, QDADD, QSUB, QDSUB: m op n. */
static uint32_t saturating(struct pt_vcpu *cpu, unsigned which, uint32_t n, uint32_t m)
{
	int64_t b = (int32_t)n;

	if ((which & 1) != 0)
		b = (int32_t)saturated32(cpu, 2 * b);
	return saturated32(cpu, (int32_t)m + ((which & 2) != 0 ? -b : b));
}

static uint32_t bits_reversed(uint32_t value)
{
	value = (value >> 1 & 0x55555555) | (value & 0x55555555) << 1;
	value = (value >> 2 & 0x33333333) | (value & 0x33333333) << 2;
	value = (value >> 4 & 0x0f0f0f0f) | (value & 0x0f0f0f0f) << 4;
	return __builtin_bswap32(value);
}

static uint32_t halves_reversed(uint32_t value)
{
	return (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);
}

static uint32_t selected(const struct pt_vcpu *cpu, uint32_t a, uint32_t b)
{
	uint32_t mask = 0;

	for (unsigned i = 0; i < 4; i++)
		mask |= (cpu->ge >> i & 1) != 0 ? 0xffu << 8 * i : 0;
	return (a & mask) | (b & ~mask);
}

/* Bits 22..20 and 5..4 choose. */
static bool miscellaneous(struct pt_vcpu *cpu, uint32_t raw, uint32_t *value)
{
	uint32_t n = cpu->r[raw >> 16 & 15], m = cpu->r[raw & 15];
	unsigned which = raw >> 4 & 3;

	switch (raw >> 20 & 7) {
	case 0:
		*value = saturating(cpu, which, n, m);
		return true;
	case 1:
		*value = which == 0   ? __builtin_bswap32(m)
			 : which == 1 ? halves_reversed(m)
			 : which == 2 ? bits_reversed(m)
				      : (uint32_t)(int16_t)__builtin_bswap16((uint16_t)m);
		return true;
	case 2:
		*value = selected(cpu, n, m);
		return which == 0;
	case 3:
		*value = m == 0 ? 32 : (uint32_t)__builtin_clz(m);
		return which == 0;
	default:
		return false;
	}
}

/* SSAT16, USAT16 */
static uint32_t saturated16(struct pt_vcpu *cpu, uint32_t raw)
{
	bool is_unsigned = (raw >> 16 & 0x80) != 0;
	uint32_t a = cpu->r[raw >> 16 & 15], value = 0;
	int32_t highest = (1 << (raw & 15)) - 1, lowest = is_unsigned ? 0 : -highest - 1;

	for (unsigned lsb = 0; lsb < 32; lsb += 16) {
		int32_t half = (int16_t)(a >> lsb), kept = clamp(half, lowest, highest);

		if (kept != half)
			cpu->saturated = true;
		value |= ((uint32_t)kept & 0xffff) << lsb;
	}
	return value;
}

bool pt_cpu_wide_simd(struct pt_vcpu *cpu, uint32_t raw)
{
	uint32_t value;
	bool known = true;

	if (raw >> 24 == 0xf3)
		value = saturated16(cpu, raw);
	else if ((raw & 0x80) != 0)
		known = (raw & 0x40) == 0 && miscellaneous(cpu, raw, &value);
	else
		known = parallel(cpu, raw, &value);
	if (!known)
		return pt_cpu_fails(cpu, UNDEFINSTR);
	cpu->r[raw >> 8 & 15] = value;
	return true;
}
