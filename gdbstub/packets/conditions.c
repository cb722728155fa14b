#include "gdbstub/packets/conditions.h"

#include <stdbool.h>

enum { STACK = 64, MOST_STEPS = 10000 };

enum op {
	ADD = 0x02, SUB, MUL, DIV_SIGNED, DIV_UNSIGNED, REM_SIGNED, REM_UNSIGNED, LSH, RSH_SIGNED, RSH_UNSIGNED,
	LOG_NOT = 0x0e, BIT_AND, BIT_OR, BIT_XOR, BIT_NOT, EQUAL, LESS_SIGNED, LESS_UNSIGNED, EXT, REF8, REF16, REF32,
	REF64,
	IF_GOTO = 0x20, GOTO, CONST8, CONST16, CONST32, CONST64, REG, END, DUP, POP, ZERO_EXT, SWAP,
	PICK = 0x32, ROT,
};

struct agent {
	const uint8_t *code;
	size_t n_code, at;
	uint64_t stack[STACK];
	size_t n;
	const struct pt_agent_env *env;
};

static int bad(struct pt_err *err, const char *what)
{
	return pt_fail(err, PT_EARG, "the condition is no code to run: %s", what);
}

static int push(struct agent *a, uint64_t value, struct pt_err *err)
{
	if (a->n == STACK)
		return bad(err, "its stack is too deep");
	a->stack[a->n++] = value;
	return 0;
}

static int need(const struct agent *a, size_t n, struct pt_err *err)
{
	return a->n >= n ? 0 : bad(err, "its stack is empty");
}

/* Reads an operand from the code, most significant byte first. */
static int operand(struct agent *a, unsigned n_bytes, uint64_t *value, struct pt_err *err)
{
	if (a->n_code - a->at < n_bytes)
		return bad(err, "it is cut short");
	for (*value = 0; n_bytes > 0; n_bytes--)
		*value = *value << 8 | a->code[a->at++];
	return 0;
}

static uint64_t sign_extend(uint64_t value, uint64_t n_bits)
{
	uint64_t sign = n_bits > 0 && n_bits < 64 ? UINT64_C(1) << (n_bits - 1) : 0;

	return sign == 0 ? value : ((value & (2 * sign - 1)) ^ sign) - sign;
}

static uint64_t zero_extend(uint64_t value, uint64_t n_bits)
{
	return n_bits < 64 ? value & ((UINT64_C(1) << n_bits) - 1) : value;
}

/* --- arithmetic --------------------------------------------------------------------------------------------------- */

static int divide(enum op op, uint64_t a, uint64_t b, uint64_t *out, struct pt_err *err)
{
	if (b == 0)
		return bad(err, "it divides by zero");
	if (op == DIV_UNSIGNED || op == REM_UNSIGNED)
		*out = op == DIV_UNSIGNED ? a / b : a % b;
	else if (b == UINT64_MAX)	/* a division by -1 overflows for the smallest number */
		*out = op == DIV_SIGNED ? 0 - a : 0;
	else
		*out = (uint64_t)(op == DIV_SIGNED ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
	return 0;
}

static uint64_t shift(enum op op, uint64_t a, uint64_t by)
{
	bool negative = op == RSH_SIGNED && (int64_t)a < 0;

	if (by > 63)
		return negative ? UINT64_MAX : 0;
	if (op == LSH)
		return a << by;
	return a >> by | (negative && by > 0 ? ~(UINT64_MAX >> by) : 0);
}

/* Pops two values, pushes one. */
static int two(struct agent *a, enum op op, struct pt_err *err)
{
	uint64_t left, right, out = 0;

	if (need(a, 2, err) < 0)
		return err->code;
	right = a->stack[--a->n];
	left = a->stack[--a->n];
	switch (op) {
	case ADD: out = left + right; break;
	case SUB: out = left - right; break;
	case MUL: out = left * right; break;
	case LSH: case RSH_SIGNED: case RSH_UNSIGNED: out = shift(op, left, right); break;
	case BIT_AND: out = left & right; break;
	case BIT_OR: out = left | right; break;
	case BIT_XOR: out = left ^ right; break;
	case EQUAL: out = left == right; break;
	case LESS_SIGNED: out = (int64_t)left < (int64_t)right; break;
	case LESS_UNSIGNED: out = left < right; break;
	default:
		if (divide(op, left, right, &out, err) < 0)
			return err->code;
	}
	return push(a, out, err);
}

static int one(struct agent *a, enum op op, struct pt_err *err)
{
	uint64_t n_bits = 0, *top;

	if (need(a, 1, err) < 0 || ((op == EXT || op == ZERO_EXT) && operand(a, 1, &n_bits, err) < 0))
		return err->code;
	top = &a->stack[a->n - 1];
	switch (op) {
	case LOG_NOT: *top = *top == 0; break;
	case BIT_NOT: *top = ~*top; break;
	case EXT: *top = sign_extend(*top, n_bits); break;
	default: *top = zero_extend(*top, n_bits); break;
	}
	return 0;
}

/* --- the target, the code, the stack ------------------------------------------------------------------------------ */

static int fetch(struct agent *a, enum op op, struct pt_err *err)
{
	uint64_t number = 0, value = 0;

	if (op == REG)
		return operand(a, 2, &number, err) < 0 || a->env->reg(a->env->arg, (unsigned)number, &value, err) < 0
			       ? err->code
			       : push(a, value, err);
	if (need(a, 1, err) < 0 || a->env->mem(a->env->arg, a->stack[a->n - 1], 1u << (op - REF8), &value, err) < 0)
		return err->code;
	a->stack[a->n - 1] = value;
	return 0;
}

static int constant(struct agent *a, enum op op, struct pt_err *err)
{
	uint64_t value = 0;

	return operand(a, 1u << (op - CONST8), &value, err) < 0 ? err->code : push(a, value, err);
}

static int jump(struct agent *a, enum op op, struct pt_err *err)
{
	uint64_t to = 0;

	if (operand(a, 2, &to, err) < 0 || (op == IF_GOTO && need(a, 1, err) < 0))
		return err->code;
	if (op == IF_GOTO && a->stack[--a->n] == 0)
		return 0;
	if (to >= a->n_code)
		return bad(err, "it jumps out of itself");
	a->at = (size_t)to;
	return 0;
}

static int shuffle(struct agent *a, enum op op, struct pt_err *err)
{
	uint64_t depth = 0, *top = a->stack + a->n, value;

	if (need(a, op == SWAP ? 2 : op == ROT ? 3 : 1, err) < 0 || (op == PICK && operand(a, 1, &depth, err) < 0))
		return err->code;
	switch (op) {
	case DUP:
		return push(a, top[-1], err);
	case POP:
		a->n--;
		return 0;
	case PICK:
		return need(a, (size_t)depth + 1, err) < 0 ? err->code : push(a, a->stack[a->n - 1 - depth], err);
	case SWAP:
		value = top[-1];
		top[-1] = top[-2];
		top[-2] = value;
		return 0;
	default:	/* ROT: a b c becomes c a b */
		value = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = value;
		return 0;
	}
}

static int step(struct agent *a, enum op op, struct pt_err *err)
{
	switch (op) {
	case ADD: case SUB: case MUL: case DIV_SIGNED: case DIV_UNSIGNED: case REM_SIGNED: case REM_UNSIGNED: case LSH:
	case RSH_SIGNED: case RSH_UNSIGNED: case BIT_AND: case BIT_OR: case BIT_XOR: case EQUAL: case LESS_SIGNED:
	case LESS_UNSIGNED:
		return two(a, op, err);
	case LOG_NOT: case BIT_NOT: case EXT: case ZERO_EXT:
		return one(a, op, err);
	case REF8: case REF16: case REF32: case REF64: case REG:
		return fetch(a, op, err);
	case IF_GOTO: case GOTO:
		return jump(a, op, err);
	case CONST8: case CONST16: case CONST32: case CONST64:
		return constant(a, op, err);
	case DUP: case POP: case SWAP: case PICK: case ROT:
		return shuffle(a, op, err);
	default:
		return pt_fail(err, PT_EARG, "the condition has an operation that is not known here, 0x%02x", op);
	}
}

int pt_agent_run(const uint8_t *code, size_t n_bytes, const struct pt_agent_env *env, uint64_t *result,
		 struct pt_err *err)
{
	struct agent a = { .code = code, .n_code = n_bytes, .env = env };

	for (unsigned steps = 0; steps < MOST_STEPS; steps++) {
		if (a.at >= a.n_code)
			return bad(err, "it has no end");
		if (code[a.at] == END)
			return need(&a, 1, err) < 0 ? err->code : (*result = a.stack[a.n - 1], 0);
		if (step(&a, (enum op)code[a.at++], err) < 0)
			return err->code;
	}
	return bad(err, "it does not come to an end");
}
