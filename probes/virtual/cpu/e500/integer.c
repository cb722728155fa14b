/* Op-code 31: what is computed in registers alone. Source: Power ISA 2.06 Book I, 3.3 */
#include "probes/virtual/cpu/e500/core.h"

enum { OE = 0x200 };		/* of the extended op-code: record overflow */

static void carry(struct pt_ve500 *cpu, bool yes)
{
	cpu->xer = yes ? cpu->xer | XER_CA : cpu->xer & ~XER_CA;
}

static void overflow(struct pt_ve500 *cpu, bool yes)
{
	cpu->xer = yes ? cpu->xer | XER_OV | XER_SO : cpu->xer & ~XER_OV;
}

static bool give(struct pt_ve500 *cpu, uint32_t op, uint32_t value)
{
	cpu->r[rd(op)] = value;
	if (rc(op))
		pt_e5_record(cpu, value);
	return true;
}

/* Logical ones have source and target the other way round. */
static bool give_logical(struct pt_ve500 *cpu, uint32_t op, uint32_t value)
{
	cpu->r[ra(op)] = value;
	if (rc(op))
		pt_e5_record(cpu, value);
	return true;
}

/* a + b + in, in all of the forms that add and subtract have. */
static bool sum(struct pt_ve500 *cpu, uint32_t op, uint32_t a, uint32_t b, unsigned in, bool carries)
{
	uint64_t wide = (uint64_t)a + b + in;
	uint32_t value = (uint32_t)wide;

	if (carries)
		carry(cpu, wide >> 32 != 0);
	if ((xo(op) & OE) != 0)
		overflow(cpu, ((a ^ value) & (b ^ value)) >> 31 != 0);
	return give(cpu, op, value);
}

static bool add_forms(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t a = cpu->r[ra(op)], b = cpu->r[rb(op)];
	unsigned ca = (cpu->xer & XER_CA) != 0;

	switch (xo(op) & ~(unsigned)OE) {
	case 266: return sum(cpu, op, a, b, 0, false);			/* add */
	case 10: return sum(cpu, op, a, b, 0, true);			/* addc */
	case 138: return sum(cpu, op, a, b, ca, true);			/* adde */
	case 202: return sum(cpu, op, a, 0, ca, true);			/* addze */
	case 234: return sum(cpu, op, a, UINT32_MAX, ca, true);		/* addme */
	case 40: return sum(cpu, op, ~a, b, 1, false);			/* subf */
	case 8: return sum(cpu, op, ~a, b, 1, true);			/* subfc */
	case 136: return sum(cpu, op, ~a, b, ca, true);			/* subfe */
	case 200: return sum(cpu, op, ~a, 0, ca, true);			/* subfze */
	case 232: return sum(cpu, op, ~a, UINT32_MAX, ca, true);	/* subfme */
	case 104: return sum(cpu, op, ~a, 0, 1, false);			/* neg */
	default: return false;
	}
}

static bool multiply(struct pt_ve500 *cpu, uint32_t op)
{
	int64_t product = (int64_t)(int32_t)cpu->r[ra(op)] * (int32_t)cpu->r[rb(op)];
	uint64_t bare = (uint64_t)cpu->r[ra(op)] * cpu->r[rb(op)];

	switch (xo(op) & ~(unsigned)OE) {
	case 235:						/* mullw */
		if ((xo(op) & OE) != 0)
			overflow(cpu, product != (int32_t)product);
		bare = (uint64_t)product;
		break;
	case 75: bare = (uint64_t)product >> 32; break;		/* mulhw */
	case 11: bare >>= 32; break;				/* mulhwu */
	default: return false;
	}
	cpu->core.cycle += cpu->timing.multiply;
	return give(cpu, op, (uint32_t)bare);
}

/* Where the quotient is not defined, it is the dividend here, as QEMU has it. */
static bool divide(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t a = cpu->r[ra(op)], b = cpu->r[rb(op)], quotient;
	bool is_signed = (xo(op) & ~(unsigned)OE) == 491;
	bool undefined = b == 0 || (is_signed && a == UINT32_C(0x80000000) && b == UINT32_MAX);

	if ((xo(op) & ~(unsigned)OE) != 459 && !is_signed)
		return false;
	if (undefined)
		quotient = a;
	else
		quotient = is_signed ? (uint32_t)((int32_t)a / (int32_t)b) : a / b;
	if ((xo(op) & OE) != 0)
		overflow(cpu, undefined);
	cpu->core.cycle += cpu->timing.divide;
	return give(cpu, op, quotient);
}

static bool logical(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t s = cpu->r[rd(op)], b = cpu->r[rb(op)];

	switch (xo(op)) {
	case 28: return give_logical(cpu, op, s & b);
	case 60: return give_logical(cpu, op, s & ~b);
	case 444: return give_logical(cpu, op, s | b);
	case 412: return give_logical(cpu, op, s | ~b);
	case 316: return give_logical(cpu, op, s ^ b);
	case 476: return give_logical(cpu, op, ~(s & b));
	case 124: return give_logical(cpu, op, ~(s | b));
	case 284: return give_logical(cpu, op, ~(s ^ b));
	case 954: return give_logical(cpu, op, (uint32_t)(int32_t)(int8_t)s);	/* extsb */
	case 922: return give_logical(cpu, op, (uint32_t)(int32_t)(int16_t)s);	/* extsh */
	case 26: return give_logical(cpu, op, s == 0 ? 32 : (uint32_t)__builtin_clz(s));
	default: return false;
	}
}

static bool shift_algebraic(struct pt_ve500 *cpu, uint32_t op, unsigned n)
{
	uint32_t s = cpu->r[rd(op)];
	bool negative = s >> 31;
	uint32_t sign = negative ? UINT32_MAX : 0;
	uint32_t value = n > 31 ? sign : s >> n | (sign & ~(UINT32_MAX >> n));
	uint32_t lost = n > 31 ? s : s & ((UINT32_C(1) << n) - 1);

	carry(cpu, negative && lost != 0);
	return give_logical(cpu, op, value);
}

static bool shift(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t s = cpu->r[rd(op)];
	unsigned n = cpu->r[rb(op)] & 63;

	switch (xo(op)) {
	case 24: return give_logical(cpu, op, n > 31 ? 0 : s << n);	/* slw */
	case 536: return give_logical(cpu, op, n > 31 ? 0 : s >> n);	/* srw */
	case 792: return shift_algebraic(cpu, op, n);			/* sraw */
	case 824: return shift_algebraic(cpu, op, rb(op));		/* srawi */
	default: return false;
	}
}

static bool compare(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t a = cpu->r[ra(op)], b = cpu->r[rb(op)];
	bool less;

	if (xo(op) != 0 && xo(op) != 32)
		return false;
	less = xo(op) == 0 ? (int32_t)a < (int32_t)b : a < b;
	pt_e5_set_cr(cpu, op >> 23 & 7, less ? CR_LT : a == b ? CR_EQ : CR_GT);
	return true;
}

static bool move_to_cr(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t mask = 0;

	for (unsigned f = 0; f < 8; f++)
		if ((op >> (19 - f) & 1) != 0)
			mask |= UINT32_C(15) << (28 - 4 * f);
	cpu->cr = (cpu->cr & ~mask) | (cpu->r[rd(op)] & mask);
	return true;
}

static bool move_xer_to_cr(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned to = 28 - 4 * (op >> 23 & 7);

	cpu->cr = (cpu->cr & ~(UINT32_C(15) << to)) | (cpu->xer >> 28) << to;
	cpu->xer &= 0x0fffffff;
	return true;
}

static bool select(struct pt_ve500 *cpu, uint32_t op)
{
	bool bit = cpu->cr >> (31 - (op >> 6 & 31)) & 1;

	cpu->r[rd(op)] = bit ? ra_or_0(cpu, op) : cpu->r[rb(op)];
	return true;
}

bool pt_e5_trap(struct pt_ve500 *cpu, uint32_t to, uint32_t a, uint32_t b)
{
	bool yes = ((to & 16) != 0 && (int32_t)a < (int32_t)b) || ((to & 8) != 0 && (int32_t)a > (int32_t)b) ||
		   ((to & 4) != 0 && a == b) || ((to & 2) != 0 && a < b) || ((to & 1) != 0 && a > b);

	if (!yes)
		return true;
	if (cpu->hooks.trap != NULL && cpu->hooks.trap(cpu->hooks.arg, cpu->at)) {
		cpu->pc = cpu->at;
		cpu->failed = true;
		pt_ve500_request_halt(cpu);
	} else {
		cpu->events[EV_SC_TRAP]++;
		pt_e5_fault(cpu, PT_VE500_PROGRAM, ESR_PTR);
	}
	return true;
}

bool pt_e5_integer31(struct pt_ve500 *cpu, uint32_t op)
{
	if ((xo(op) & 31) == 15)
		return select(cpu, op);		/* isel: five bits name the condition */
	switch (xo(op)) {
	case 4: return pt_e5_trap(cpu, rd(op), cpu->r[ra(op)], cpu->r[rb(op)]);
	case 19: cpu->r[rd(op)] = cpu->cr; return true;
	case 144: return move_to_cr(cpu, op);
	case 512: return move_xer_to_cr(cpu, op);
	default:
		return add_forms(cpu, op) || logical(cpu, op) || shift(cpu, op) || compare(cpu, op) ||
		       multiply(cpu, op) || divide(cpu, op);
	}
}
