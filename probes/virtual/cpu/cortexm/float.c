/* The exact result is never needed: inexactness is the host's flag, and whether a result is tiny before it is rounded is
 * asked of a double, which holds a product of two floats exactly. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "probes/virtual/cpu/cortexm/float.h"

enum { AHP = 1 << 26, DN = 1 << 25, FZ = 1 << 24, RMODE = 22 };
enum { IDC = 1 << 7, IXC = 1 << 4, UFC = 1 << 3, OFC = 1 << 2, DZC = 1 << 1, IOC = 1 << 0 };
enum { QUIET = 1 << 22, DEFAULT_NAN = 0x7fc00000, INFINITE = 0x7f800000 };
#define SIGN UINT32_C(0x80000000)

static float value_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static bool is_nan(uint32_t a)
{
	return (a & ~SIGN) > INFINITE;
}

static bool is_signalling(uint32_t a)
{
	return is_nan(a) && (a & QUIET) == 0;
}

static bool is_subnormal(uint32_t a)
{
	return (a & INFINITE) == 0 && (a & ~SIGN) != 0;
}

static uint32_t flushed(uint32_t *fpscr, uint32_t a)
{
	if ((*fpscr & FZ) == 0 || !is_subnormal(a))
		return a;
	*fpscr |= IDC;
	return a & SIGN;
}

static uint32_t invalid(uint32_t *fpscr)
{
	*fpscr |= IOC;
	return DEFAULT_NAN;
}

/* The first signalling one goes before the first quiet one. */
static uint32_t chosen_nan(uint32_t *fpscr, const uint32_t *operand, unsigned n)
{
	uint32_t nan = 0;

	for (unsigned i = n; i-- > 0;)
		if (is_nan(operand[i]))
			nan = operand[i];
	for (unsigned i = n; i-- > 0;)
		if (is_signalling(operand[i]))
			nan = operand[i];
	if (is_signalling(nan))
		*fpscr |= IOC;
	return (*fpscr & DN) != 0 ? DEFAULT_NAN : nan | QUIET;
}

static void begin(uint32_t fpscr)
{
	static const int mode[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	fesetround(mode[fpscr >> RMODE & 3]);
	feclearexcept(FE_ALL_EXCEPT);
}

/* What the host raised between begin() and this. tiny: the result was below the normal numbers before it was rounded. */
static uint32_t end(uint32_t *fpscr, float f, bool tiny)
{
	int raised = fetestexcept(FE_ALL_EXCEPT);

	fesetround(FE_TONEAREST);
	if ((raised & FE_INVALID) != 0)
		return invalid(fpscr);
	if (tiny && (*fpscr & FZ) != 0) {
		*fpscr |= UFC;
		return signbit(f) ? SIGN : 0;
	}
	*fpscr |= ((raised & FE_DIVBYZERO) != 0 ? DZC : 0) | ((raised & FE_OVERFLOW) != 0 ? OFC : 0) |
		  ((raised & FE_INEXACT) != 0 ? IXC | (tiny ? UFC : 0) : 0);
	return bits_of(f);
}

static bool is_tiny(double exact)
{
	return exact != 0 && fabs(exact) < 0x1p-126;
}

/* A quotient of floats is never so near to the smallest normal number that a double rounds it there. */
static double in_double(enum pt_float_op op, float a, float b)
{
	switch (op) {
	case PT_FLOAT_ADD: return (double)a + b;
	case PT_FLOAT_SUB: return (double)a - b;
	case PT_FLOAT_MUL: return (double)a * b;
	default: return b != 0 ? (double)a / b : HUGE_VAL;
	}
}

/* volatile: the compiler must neither compute in advance nor move it across begin() and end() */
static float in_float(enum pt_float_op op, volatile float a, volatile float b)
{
	volatile float f;

	switch (op) {
	case PT_FLOAT_ADD: f = a + b; break;
	case PT_FLOAT_SUB: f = a - b; break;
	case PT_FLOAT_MUL: f = a * b; break;
	default: f = a / b; break;
	}
	return f;
}

uint32_t pt_float_binary(uint32_t *fpscr, enum pt_float_op op, uint32_t a, uint32_t b)
{
	uint32_t operand[2] = { flushed(fpscr, a), flushed(fpscr, b) };
	float x = value_of(operand[0]), y = value_of(operand[1]);
	bool tiny;

	if (is_nan(a) || is_nan(b))
		return chosen_nan(fpscr, operand, 2);
	tiny = is_tiny(in_double(op, x, y));
	begin(*fpscr);
	return end(fpscr, in_float(op, x, y), tiny);
}

uint32_t pt_float_sqrt(uint32_t *fpscr, uint32_t a)
{
	uint32_t operand = flushed(fpscr, a);
	volatile float x = value_of(operand), root;

	if (is_nan(a))
		return chosen_nan(fpscr, &operand, 1);
	begin(*fpscr);
	root = sqrtf(x);
	return end(fpscr, root, false);
}

uint32_t pt_float_multiply_add(uint32_t *fpscr, uint32_t addend, uint32_t a, uint32_t b)
{
	uint32_t operand[3] = { flushed(fpscr, addend), flushed(fpscr, a), flushed(fpscr, b) };
	volatile float c = value_of(operand[0]), x = value_of(operand[1]), y = value_of(operand[2]), f;
	bool endless_by_zero = (isinf(x) && y == 0) || (x == 0 && isinf(y));
	volatile double truncated;

	if (is_nan(addend) || is_nan(a) || is_nan(b)) {
		if (endless_by_zero && is_nan(addend) && !is_signalling(addend))
			return invalid(fpscr);
		return chosen_nan(fpscr, operand, 3);
	}
	fesetround(FE_TOWARDZERO);
	truncated = (double)x * y + c;
	begin(*fpscr);
	f = fmaf(x, y, c);
	return end(fpscr, f, is_tiny(truncated));
}

uint32_t pt_float_compare(uint32_t *fpscr, uint32_t a, uint32_t b, bool quiet)
{
	enum { LESS = 8, EQUAL = 6, GREATER = 2, UNORDERED = 3 };
	float x = value_of(flushed(fpscr, a)), y = value_of(flushed(fpscr, b));

	if (is_nan(a) || is_nan(b)) {
		if (!quiet || is_signalling(a) || is_signalling(b))
			*fpscr |= IOC;
		return (uint32_t)UNORDERED << 28;
	}
	return (uint32_t)(x == y ? EQUAL : x < y ? LESS : GREATER) << 28;
}

/* nearbyint and not rint: compilers open-code the latter in a way that knows one rounding mode only. */
uint32_t pt_float_to_fixed(uint32_t *fpscr, uint32_t a, unsigned n_bits, unsigned fraction_bits, bool is_unsigned,
			   bool toward_zero)
{
	volatile double exact = ldexp(value_of(flushed(fpscr, a)), (int)fraction_bits), rounded;
	double highest = ldexp(1, (int)n_bits - !is_unsigned) - 1, lowest = is_unsigned ? 0 : -highest - 1;

	if (is_nan(a)) {
		*fpscr |= IOC;
		return 0;
	}
	begin(toward_zero ? 3u << RMODE : *fpscr);
	rounded = nearbyint(exact);
	fesetround(FE_TONEAREST);
	if (rounded > highest || rounded < lowest)
		*fpscr |= IOC;
	else if (rounded != exact)
		*fpscr |= IXC;
	rounded = rounded > highest ? highest : rounded < lowest ? lowest : rounded;
	return (uint32_t)(int64_t)rounded;
}

uint32_t pt_float_from_fixed(uint32_t *fpscr, uint32_t fixed, unsigned n_bits, unsigned fraction_bits, bool is_unsigned,
			     bool to_nearest)
{
	int64_t whole = n_bits == 16 ? (is_unsigned ? (int64_t)(uint16_t)fixed : (int16_t)fixed)
				     : (is_unsigned ? (int64_t)fixed : (int32_t)fixed);
	volatile double exact = ldexp((double)whole, -(int)fraction_bits);
	volatile float f;

	begin(to_nearest ? 0 : *fpscr);
	f = (float)exact;
	return end(fpscr, f, false);
}

/* --- half precision */

uint32_t pt_float_from_half(uint32_t *fpscr, uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ff, nan;

	if (exponent == 31 && (*fpscr & AHP) == 0) {
		nan = sign | INFINITE | fraction << 13;
		return fraction == 0 ? nan : chosen_nan(fpscr, &nan, 1);
	}
	if (exponent == 0)
		return sign | bits_of((float)ldexp(fraction, -24));
	return sign | (exponent + 112) << 23 | fraction << 13;
}

/* Alternative halves have neither infinity nor NaN. */
static uint16_t special_half(uint32_t *fpscr, uint32_t a)
{
	uint16_t sign = a >> 16 & 0x8000;
	bool alternative = (*fpscr & AHP) != 0;

	if (is_nan(a)) {
		if (is_signalling(a) || alternative)
			*fpscr |= IOC;
		if (alternative)
			return sign;
		return (*fpscr & DN) != 0 ? 0x7e00 : (uint16_t)(sign | 0x7e00 | (a >> 13 & 0x1ff));
	}
	if (alternative) {
		*fpscr |= IOC;
		return sign | 0x7fff;
	}
	return sign | 0x7c00;
}

static uint16_t too_large(uint32_t *fpscr, bool negative)
{
	unsigned mode = *fpscr >> RMODE & 3;
	bool to_infinity = mode == 0 || (mode == 1 && !negative) || (mode == 2 && negative);
	uint16_t sign = negative ? 0x8000 : 0;

	if ((*fpscr & AHP) != 0) {
		*fpscr |= IOC;
		return sign | 0x7fff;
	}
	*fpscr |= OFC | IXC;
	return sign | (to_infinity ? 0x7c00 : 0x7bff);
}

/* Subnormal halves are never flushed. */
uint16_t pt_float_to_half(uint32_t *fpscr, uint32_t a)
{
	uint32_t input = flushed(fpscr, a);
	bool negative = (a & SIGN) != 0;
	volatile double scaled, units;
	int exponent;

	if ((a & ~SIGN) >= INFINITE)
		return special_half(fpscr, a);
	if ((input & ~SIGN) == 0)
		return negative ? 0x8000 : 0;
	frexp(value_of(input), &exponent);
	exponent = exponent < -13 ? -13 : exponent;	/* of a number from 0.5 to 1; below 2^-14 the step stays */
	scaled = ldexp(value_of(input), 11 - exponent);
	begin(*fpscr);
	units = nearbyint(scaled);
	fesetround(FE_TONEAREST);
	if (fabs(ldexp(units, exponent - 11)) >= ((*fpscr & AHP) != 0 ? 131072.0 : 65536.0))
		return too_large(fpscr, negative);
	if (units != scaled)
		*fpscr |= IXC | (fabs(value_of(input)) < 0x1p-14 ? UFC : 0);
	/* counted in units of the exponent's step, a carry moves into the exponent by itself */
	return (uint16_t)((negative ? 0x8000 : 0) | (((uint32_t)(exponent + 13) << 10) + (uint32_t)fabs(units)));
}
