/* The exact result is never needed: inexactness is the host's flag, and a result is tiny before it is rounded where the
 * host, rounding toward zero, finds a smaller one than the smallest normal number. */
#include <fenv.h>
#include <math.h>
#include <string.h>

#include "probes/virtual/cpu/cortexm/float.h"

enum { AHP = 1 << 26, DN = 1 << 25, FZ = 1 << 24, RMODE = 22 };
enum { IDC = 1 << 7, IXC = 1 << 4, UFC = 1 << 3, OFC = 1 << 2, DZC = 1 << 1, IOC = 1 << 0 };

struct format {
	uint64_t sign, infinite;	/* the bit; all of the exponent */
	unsigned fraction_bits;
};
static const struct format formats[] = {
	{ UINT64_C(0x80000000), UINT64_C(0x7f800000), 23 },
	{ UINT64_C(0x8000000000000000), UINT64_C(0x7ff0000000000000), 52 },
};

static const struct format *format_of(const struct pt_float *fp)
{
	return &formats[fp->is_double];
}

static uint64_t quiet_bit(const struct format *f)
{
	return UINT64_C(1) << (f->fraction_bits - 1);
}

static uint64_t default_nan(const struct format *f)
{
	return f->infinite | quiet_bit(f);
}

static float single_of(uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float f;

	memcpy(&f, &low, sizeof(f));
	return f;
}

/* A single is in a double what it is. */
static double value_of(const struct pt_float *fp, uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return fp->is_double ? d : single_of(bits);
}

static uint64_t bits_of_single(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static uint64_t bits_of_double(double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

/* value is one that this precision has. */
static uint64_t bits_of(const struct pt_float *fp, double value)
{
	return fp->is_double ? bits_of_double(value) : bits_of_single((float)value);
}

static bool is_nan(const struct format *f, uint64_t a)
{
	return (a & ~f->sign) > f->infinite;
}

static bool is_signalling(const struct format *f, uint64_t a)
{
	return is_nan(f, a) && (a & quiet_bit(f)) == 0;
}

static bool is_subnormal(const struct format *f, uint64_t a)
{
	return (a & f->infinite) == 0 && (a & ~f->sign) != 0;
}

static uint64_t flushed(const struct pt_float *fp, uint64_t a)
{
	if ((*fp->fpscr & FZ) == 0 || !is_subnormal(format_of(fp), a))
		return a;
	*fp->fpscr |= IDC;
	return a & format_of(fp)->sign;
}

static uint64_t invalid(const struct pt_float *fp)
{
	*fp->fpscr |= IOC;
	return default_nan(format_of(fp));
}

/* The first signalling one goes before the first quiet one. */
static uint64_t chosen_nan(const struct pt_float *fp, const uint64_t *operand, unsigned n)
{
	const struct format *f = format_of(fp);
	uint64_t nan = 0;

	for (unsigned i = n; i-- > 0;)
		if (is_nan(f, operand[i]))
			nan = operand[i];
	for (unsigned i = n; i-- > 0;)
		if (is_signalling(f, operand[i]))
			nan = operand[i];
	if (is_signalling(f, nan))
		*fp->fpscr |= IOC;
	return (*fp->fpscr & DN) != 0 ? default_nan(f) : nan | quiet_bit(f);
}

uint64_t pt_float_negate(const struct pt_float *fp, uint64_t a)
{
	return a ^ format_of(fp)->sign;
}

uint64_t pt_float_absolute(const struct pt_float *fp, uint64_t a)
{
	return a & ~format_of(fp)->sign;
}

/* --- what the host computes */

enum host_op { HOST_ADD, HOST_SUB, HOST_MUL, HOST_DIV, HOST_SQRT, HOST_MULTIPLY_ADD, HOST_NARROW };

/* volatile: the compiler must neither compute in advance nor move it across a change of the rounding mode */
static uint64_t in_double(enum host_op op, const uint64_t *operand)
{
	static const struct pt_float as_double = { .is_double = true };
	volatile double a = value_of(&as_double, operand[0]), b = value_of(&as_double, operand[1]);
	volatile double c = value_of(&as_double, operand[2]), result;
	volatile float narrow;

	switch (op) {
	case HOST_ADD: result = a + b; break;
	case HOST_SUB: result = a - b; break;
	case HOST_MUL: result = a * b; break;
	case HOST_DIV: result = a / b; break;
	case HOST_SQRT: result = sqrt(a); break;
	case HOST_MULTIPLY_ADD: result = fma(b, c, a); break;
	default: narrow = (float)a; return bits_of_single(narrow);
	}
	return bits_of_double(result);
}

static uint64_t in_single(enum host_op op, const uint64_t *operand)
{
	volatile float a = single_of(operand[0]), b = single_of(operand[1]), c = single_of(operand[2]), result;

	switch (op) {
	case HOST_ADD: result = a + b; break;
	case HOST_SUB: result = a - b; break;
	case HOST_MUL: result = a * b; break;
	case HOST_DIV: result = a / b; break;
	case HOST_SQRT: result = sqrtf(a); break;
	default: result = fmaf(b, c, a); break;
	}
	return bits_of_single(result);
}

static uint64_t on_host(const struct pt_float *fp, int mode, enum host_op op, const uint64_t *operand)
{
	uint64_t result;

	fesetround(mode);
	feclearexcept(FE_ALL_EXCEPT);
	result = fp->is_double ? in_double(op, operand) : in_single(op, operand);
	fesetround(FE_TONEAREST);
	return result;
}

static int host_mode(uint32_t fpscr)
{
	static const int mode[] = { FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO };

	return mode[fpscr >> RMODE & 3];
}

/* fp: the operands' precision, to: the result's. */
static uint64_t compute(const struct pt_float *fp, const struct format *to, enum host_op op, const uint64_t *operand)
{
	uint64_t truncated = on_host(fp, FE_TOWARDZERO, op, operand), result;
	bool tiny = is_subnormal(to, truncated) || ((truncated & ~to->sign) == 0 && fetestexcept(FE_INEXACT) != 0);
	int raised;

	result = on_host(fp, host_mode(*fp->fpscr), op, operand);
	raised = fetestexcept(FE_ALL_EXCEPT);
	if ((raised & FE_INVALID) != 0) {
		*fp->fpscr |= IOC;
		return default_nan(to);
	}
	if (tiny && (*fp->fpscr & FZ) != 0) {
		*fp->fpscr |= UFC;
		return truncated & to->sign;
	}
	*fp->fpscr |= ((raised & FE_DIVBYZERO) != 0 ? DZC : 0) | ((raised & FE_OVERFLOW) != 0 ? OFC : 0) |
		      ((raised & FE_INEXACT) != 0 ? IXC | (tiny ? UFC : 0) : 0);
	return result;
}

uint64_t pt_float_binary(const struct pt_float *fp, enum pt_float_op op, uint64_t a, uint64_t b)
{
	static const enum host_op of[] = { HOST_ADD, HOST_SUB, HOST_MUL, HOST_DIV };
	const uint64_t operand[3] = { flushed(fp, a), flushed(fp, b) };

	if (is_nan(format_of(fp), a) || is_nan(format_of(fp), b))
		return chosen_nan(fp, operand, 2);
	return compute(fp, format_of(fp), of[op], operand);
}

uint64_t pt_float_sqrt(const struct pt_float *fp, uint64_t a)
{
	const uint64_t operand[3] = { flushed(fp, a) };

	if (is_nan(format_of(fp), a))
		return chosen_nan(fp, operand, 1);
	return compute(fp, format_of(fp), HOST_SQRT, operand);
}

static bool is_endless_by_zero(const struct format *f, uint64_t a, uint64_t b)
{
	a &= ~f->sign;
	b &= ~f->sign;
	return (a == f->infinite && b == 0) || (a == 0 && b == f->infinite);
}

uint64_t pt_float_multiply_add(const struct pt_float *fp, uint64_t addend, uint64_t a, uint64_t b)
{
	const struct format *f = format_of(fp);
	const uint64_t operand[3] = { flushed(fp, addend), flushed(fp, a), flushed(fp, b) };

	if (is_nan(f, addend) || is_nan(f, a) || is_nan(f, b)) {
		if (is_endless_by_zero(f, operand[1], operand[2]) && is_nan(f, addend) && !is_signalling(f, addend))
			return invalid(fp);
		return chosen_nan(fp, operand, 3);
	}
	return compute(fp, f, HOST_MULTIPLY_ADD, operand);
}

uint32_t pt_float_compare(const struct pt_float *fp, uint64_t a, uint64_t b, bool quiet)
{
	enum { LESS = 8, EQUAL = 6, GREATER = 2, UNORDERED = 3 };
	const struct format *f = format_of(fp);
	double x = value_of(fp, flushed(fp, a)), y = value_of(fp, flushed(fp, b));

	if (is_nan(f, a) || is_nan(f, b)) {
		if (!quiet || is_signalling(f, a) || is_signalling(f, b))
			*fp->fpscr |= IOC;
		return (uint32_t)UNORDERED << 28;
	}
	return (uint32_t)(x == y ? EQUAL : x < y ? LESS : GREATER) << 28;
}

/* --- FPv5 */

static bool is_quiet(const struct format *f, uint64_t a)
{
	return is_nan(f, a) && !is_signalling(f, a);
}

/* Of zeros that differ in their sign the maximum is the positive one. */
uint64_t pt_float_extreme(const struct pt_float *fp, uint64_t a, uint64_t b, bool maximum)
{
	const struct format *f = format_of(fp);
	uint64_t operand[2] = { flushed(fp, a), flushed(fp, b) };
	double x, y;

	if (is_nan(f, a) || is_nan(f, b)) {
		if (is_quiet(f, a) && !is_nan(f, b))
			return operand[1];
		if (is_quiet(f, b) && !is_nan(f, a))
			return operand[0];
		return chosen_nan(fp, operand, 2);
	}
	x = value_of(fp, operand[0]);
	y = value_of(fp, operand[1]);
	if (x == 0 && y == 0)
		return maximum ? operand[0] & operand[1] : operand[0] | operand[1];
	return operand[(x > y) != maximum];
}

/* nearbyint and not rint: compilers open-code the latter in a way that knows one rounding mode only. */
static double whole(const struct pt_float *fp, volatile double exact, enum pt_float_rounding rounding)
{
	volatile double rounded;

	if (rounding == PT_FLOAT_AWAY)
		return round(exact);
	fesetround(host_mode(rounding == PT_FLOAT_BY_MODE ? *fp->fpscr : (uint32_t)rounding << RMODE));
	rounded = nearbyint(exact);
	fesetround(FE_TONEAREST);
	return rounded;
}

uint64_t pt_float_round(const struct pt_float *fp, uint64_t a, enum pt_float_rounding rounding, bool exact)
{
	uint64_t operand = flushed(fp, a);
	double value = value_of(fp, operand), rounded;

	if (is_nan(format_of(fp), a))
		return chosen_nan(fp, &operand, 1);
	rounded = whole(fp, value, rounding);
	if (exact && rounded != value)
		*fp->fpscr |= IXC;
	return bits_of(fp, rounded) | (operand & format_of(fp)->sign);
}

uint64_t pt_float_change(const struct pt_float *from, uint64_t a)
{
	const struct pt_float to = { from->fpscr, !from->is_double };
	const struct format *old = format_of(from), *new = format_of(&to);
	const uint64_t operand[3] = { flushed(from, a) };
	unsigned lost = formats[1].fraction_bits - formats[0].fraction_bits;
	uint64_t nan = (a & old->sign) != 0 ? new->sign : 0, fraction = a & ~(old->sign | old->infinite);

	if (is_nan(old, a)) {
		nan |= new->infinite | quiet_bit(new) | (to.is_double ? fraction << lost : fraction >> lost);
		*from->fpscr |= is_signalling(old, a) ? IOC : 0;
		return (*from->fpscr & DN) != 0 ? default_nan(new) : nan;
	}
	if (to.is_double)
		return bits_of_double(value_of(from, operand[0]));
	return compute(from, new, HOST_NARROW, operand);
}

/* --- integers */

uint32_t pt_float_to_fixed(const struct pt_float *fp, uint64_t a, unsigned n_bits, unsigned fraction_bits,
			   bool is_unsigned, enum pt_float_rounding rounding)
{
	double exact = ldexp(value_of(fp, flushed(fp, a)), (int)fraction_bits), rounded;
	double highest = ldexp(1, (int)n_bits - !is_unsigned) - 1, lowest = is_unsigned ? 0 : -highest - 1;

	if (is_nan(format_of(fp), a)) {
		*fp->fpscr |= IOC;
		return 0;
	}
	rounded = whole(fp, exact, rounding);
	if (rounded > highest || rounded < lowest)
		*fp->fpscr |= IOC;
	else if (rounded != exact)
		*fp->fpscr |= IXC;
	rounded = rounded > highest ? highest : rounded < lowest ? lowest : rounded;
	return (uint32_t)(int64_t)rounded;
}

/* A double has all of them as they are. */
uint64_t pt_float_from_fixed(const struct pt_float *fp, uint32_t fixed, unsigned n_bits, unsigned fraction_bits,
			     bool is_unsigned, bool to_nearest)
{
	static const struct pt_float exactly = { .is_double = true };
	int64_t integer = n_bits == 16 ? (is_unsigned ? (int64_t)(uint16_t)fixed : (int16_t)fixed)
				       : (is_unsigned ? (int64_t)fixed : (int32_t)fixed);
	const uint64_t operand[3] = { bits_of_double(ldexp((double)integer, -(int)fraction_bits)) };
	uint64_t result;

	if (fp->is_double)
		return operand[0];
	result = on_host(&exactly, to_nearest ? FE_TONEAREST : host_mode(*fp->fpscr), HOST_NARROW, operand);
	*fp->fpscr |= fetestexcept(FE_INEXACT) != 0 ? IXC : 0;
	return result;
}

/* --- half precision */

uint64_t pt_float_from_half(const struct pt_float *fp, uint16_t half)
{
	const struct format *f = format_of(fp);
	uint64_t sign = (half & 0x8000) != 0 ? f->sign : 0, exponent = half >> 10 & 31, fraction = half & 0x3ff, nan;

	if (exponent == 31 && (*fp->fpscr & AHP) == 0) {
		nan = sign | f->infinite | fraction << (f->fraction_bits - 10);
		return fraction == 0 ? nan : chosen_nan(fp, &nan, 1);
	}
	if (exponent == 0)
		return sign | bits_of(fp, ldexp((double)fraction, -24));
	return sign | bits_of(fp, ldexp((double)(fraction | 0x400), (int)exponent - 25));
}

/* Alternative halves have neither infinity nor NaN. */
static uint16_t special_half(const struct pt_float *fp, uint64_t a)
{
	const struct format *f = format_of(fp);
	uint16_t sign = (a & f->sign) != 0 ? 0x8000 : 0;
	bool alternative = (*fp->fpscr & AHP) != 0;

	if (is_nan(f, a)) {
		if (is_signalling(f, a) || alternative)
			*fp->fpscr |= IOC;
		if (alternative)
			return sign;
		return (*fp->fpscr & DN) != 0 ? 0x7e00
					      : (uint16_t)(sign | 0x7e00 | (a >> (f->fraction_bits - 10) & 0x1ff));
	}
	if (alternative) {
		*fp->fpscr |= IOC;
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
uint16_t pt_float_to_half(const struct pt_float *fp, uint64_t a)
{
	const struct format *f = format_of(fp);
	double input = value_of(fp, flushed(fp, a)), scaled, units;
	bool negative = (a & f->sign) != 0;
	int exponent;

	if ((a & ~f->sign) >= f->infinite)
		return special_half(fp, a);
	if (input == 0)
		return negative ? 0x8000 : 0;
	frexp(input, &exponent);
	exponent = exponent < -13 ? -13 : exponent;	/* of a number from 0.5 to 1; below 2^-14 the step stays */
	scaled = ldexp(input, 11 - exponent);
	units = whole(fp, scaled, PT_FLOAT_BY_MODE);
	if (fabs(ldexp(units, exponent - 11)) >= ((*fp->fpscr & AHP) != 0 ? 131072.0 : 65536.0))
		return too_large(fp->fpscr, negative);
	if (units != scaled)
		*fp->fpscr |= IXC | (fabs(input) < 0x1p-14 ? UFC : 0);
	/* counted in units of the exponent's step, a carry moves into the exponent by itself */
	return (uint16_t)((negative ? 0x8000 : 0) | (((uint32_t)(exponent + 13) << 10) + (uint32_t)fabs(units)));
}
