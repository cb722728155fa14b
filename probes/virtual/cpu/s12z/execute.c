/* The inner loop and what each instruction does; the larger groups are in multiply.c, shift.c and bits.c. */
#include "probes/virtual/cpu/s12z/alu.h"
#include "probes/virtual/cpu/s12z/decode.h"
#include "probes/virtual/cpu/s12z/memory.h"
#include "probes/virtual/cpu/s12z/operand.h"

static void jump(struct pt_vs12z *cpu, enum pt_vjump how, uint32_t from, uint32_t detail, uint32_t to)
{
	cpu->pc = to;
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, how, from, detail, to);
}

static void branch_if(struct pt_vs12z *cpu, bool taken, uint32_t pc, uint32_t to)
{
	if (cpu->core.observers.cond)
		pt_vobservers_tell_cond(&cpu->core.observers, pc, taken, to);
	if (taken)
		jump(cpu, PT_VJUMP_BRANCH, pc, 0, to);
}

/* Low nibble of op-codes 22..2f */
static bool condition(uint32_t flags, unsigned how)
{
	bool less = ((flags & N) != 0) != ((flags & V) != 0), yes;

	switch (how >> 1) {
	case 1: yes = (flags & (C | Z)) == 0; break;	/* HI, LS */
	case 2: yes = (flags & C) == 0; break;		/* CC, CS */
	case 3: yes = (flags & Z) == 0; break;		/* NE, EQ */
	case 4: yes = (flags & V) == 0; break;		/* VC, VS */
	case 5: yes = (flags & N) == 0; break;		/* PL, MI */
	case 6: yes = !less; break;			/* GE, LT */
	default: yes = !less && (flags & Z) == 0;	/* GT, LE */
	}
	return yes != (how & 1);
}

/* Bits 6:4 of the loop postbyte; 6 and 7 are reserved, and are never true here. */
static bool loop_condition(uint32_t value, unsigned size, unsigned how)
{
	bool zero = value == 0, minus = (value & pt_z_sign(size)) != 0;

	switch (how) {
	case 0: return !zero;
	case 1: return zero;
	case 2: return !minus;
	case 3: return minus;
	case 4: return !zero && !minus;
	case 5: return zero || minus;
	default: return false;
	}
}

static bool loop(struct pt_vs12z *cpu, const struct op *op, uint32_t pc)
{
	unsigned size = pt_z_own_size(&op->a, op->size);
	struct place place;
	uint32_t value;

	if (!pt_z_take(cpu, &op->a, size, &place, &value))
		return false;
	if ((op->flags & LOOP_DECREMENTS) != 0) {
		value = (value - 1) & pt_z_mask(size);
		if (!pt_z_give(cpu, &place, value))
			return false;
	}
	branch_if(cpu, loop_condition(value, size, op->how), pc, op->imm);
	return true;
}

static bool bit_branch(struct pt_vs12z *cpu, const struct op *op, uint32_t pc)
{
	bool taken;

	if (!pt_z_bit_branch(cpu, op, &taken))
		return false;
	branch_if(cpu, taken, pc, op->b.value);
	return true;
}

static enum pt_vs12z_operand operand_class(const struct operand *o)
{
	switch ((enum operand_mode)o->mode) {
	case AT_ADDR: return PT_VS12Z_AT_EXTENDED;
	case AT_P: return PT_VS12Z_AT_PC;
	case IN_ADDR: case IN_P: case IN_BASE: case IN_INDEX: return PT_VS12Z_AT_INDIRECT;
	case AT_NOTHING: case AT_IMM: case AT_REG: return PT_VS12Z_AT_VALUE;
	default: return PT_VS12Z_AT_INDEX;
	}
}

static bool jump_operand(struct pt_vs12z *cpu, const struct op *op, uint32_t pc)
{
	uint32_t to;

	if (!pt_z_address(cpu, &op->a, op->size, &to))
		return false;
	if (op->kind == OP_JSR && !pt_z_push(cpu, 3, cpu->pc))
		return false;
	jump(cpu, op->kind == OP_JSR ? PT_VJUMP_CALL_OPERAND : PT_VJUMP_GOTO_OPERAND, pc, operand_class(&op->a), to);
	return true;
}

static bool call(struct pt_vs12z *cpu, uint32_t pc, uint32_t to)
{
	if (!pt_z_push(cpu, 3, cpu->pc))
		return false;
	jump(cpu, PT_VJUMP_CALL, pc, 0, to);
	return true;
}

static bool return_from_call(struct pt_vs12z *cpu, uint32_t pc)
{
	uint32_t to;

	if (!pt_z_pull(cpu, 3, &to))
		return false;
	jump(cpu, PT_VJUMP_RETURN, pc, 0, to);
	return true;
}

/* PSH, PUL: bits 5..0 are registers from low to high addresses. Source: binutils' listing of all postbytes */
static const uint8_t stacked[2][6] = {
	{ R_CCH, R_CCL, R_D0, R_D1, R_D2, R_D3 },
	{ R_D4, R_D5, R_D6, R_D7, R_X, R_Y },
};
static const uint8_t all[] = { R_CCH, R_CCL, R_D0, R_D1, R_D2, R_D3, R_D4, R_D5, R_D6, R_D7, R_X, R_Y };

/* The registers of a postbyte from low to high addresses. Returns how many. */
static size_t stack_list(unsigned postbyte, uint8_t *list)
{
	size_t n = 0;

	if ((postbyte & 0x3f) == 0 && (postbyte & 0x40) == 0) {
		for (; n < PT_LEN(all); n++)
			list[n] = all[n];
	} else if ((postbyte & 0x3f) == 0) {
		for (; n < 4; n++)
			list[n] = (uint8_t)(R_D2 + n);
	} else {
		for (unsigned i = 0; i < 6; i++)
			if ((postbyte >> (5 - i) & 1) != 0)
				list[n++] = stacked[postbyte >> 6 & 1][i];
	}
	return n;
}

static bool push_list(struct pt_vs12z *cpu, unsigned postbyte)
{
	uint8_t list[PT_LEN(all)];
	size_t n = stack_list(postbyte, list);

	while (n-- > 0)
		if (!pt_z_push(cpu, pt_z_width[list[n]], pt_z_get(cpu, list[n])))
			return false;
	return true;
}

static bool pull_list(struct pt_vs12z *cpu, unsigned postbyte)
{
	uint8_t list[PT_LEN(all)];
	size_t n = stack_list(postbyte, list);
	uint32_t value;

	for (size_t i = 0; i < n; i++) {
		if (!pt_z_pull(cpu, pt_z_width[list[i]], &value))
			return false;
		pt_z_put(cpu, list[i], value);
	}
	return true;
}

/* TFR fills up with zeros. EXG to a wider register is SEX and leaves its source alone; the other way round the wider
 * gets the sign (UNVERIFIED). Where P or the register that does not exist is written, nothing is. */
static void exchange(struct pt_vs12z *cpu, unsigned from, unsigned to)
{
	uint32_t first = pt_z_get(cpu, from), second = pt_z_get(cpu, to);

	if (pt_z_width[from] == 0 || pt_z_width[to] == 0)
		return;
	pt_z_put(cpu, to, pt_z_extend(first, pt_z_width[from]));
	if (pt_z_width[from] >= pt_z_width[to])
		pt_z_put(cpu, from, pt_z_extend(second, pt_z_width[to]));
}

static uint32_t compute(struct pt_vs12z *cpu, const struct op *op, uint32_t d, uint32_t a)
{
	unsigned size = op->size;
	bool carry = (cpu->flags & C) != 0;

	switch ((enum op_kind)op->kind) {
	case OP_ADD: return pt_z_add(cpu, d, a, false, size);
	case OP_ADC: return pt_z_add(cpu, d, a, carry, size);
	case OP_SUB: return pt_z_sub(cpu, d, a, false, size);
	case OP_SBC: return pt_z_sub(cpu, d, a, carry, size);
	case OP_AND: return pt_z_result(cpu, d & a, size);
	case OP_OR: return pt_z_result(cpu, d | a, size);
	case OP_EOR: return pt_z_result(cpu, d ^ a, size);
	case OP_BIT: pt_z_result(cpu, d & a, size); return d;
	default: pt_z_sub(cpu, d, a, false, size); return d;	/* CMP */
	}
}

static uint32_t extreme(struct pt_vs12z *cpu, const struct op *op, uint32_t d, uint32_t a)
{
	int32_t signed_d = (int32_t)pt_z_extend(d, op->size), signed_a = (int32_t)pt_z_extend(a, op->size);
	bool take;

	pt_z_sub(cpu, d, a, false, op->size);
	switch ((enum op_kind)op->kind) {
	case OP_MINU: take = a < d; break;
	case OP_MAXU: take = a > d; break;
	case OP_MINS: take = signed_a < signed_d; break;
	default: take = signed_a > signed_d;
	}
	return take ? a : d;
}

static uint32_t with_one(struct pt_vs12z *cpu, const struct op *op, uint32_t a, unsigned size)
{
	uint32_t carry = cpu->flags & C, value;

	switch ((enum op_kind)op->kind) {
	case OP_INC: value = pt_z_add(cpu, a, 1, false, size); break;
	case OP_DEC: value = pt_z_sub(cpu, a, 1, false, size); break;
	case OP_COM: return pt_z_result(cpu, ~a & pt_z_mask(size), size);
	default: return pt_z_sub(cpu, 0, a, false, size);	/* NEG */
	}
	cpu->flags = (cpu->flags & ~(uint32_t)C) | carry;
	return value;
}

static bool modify(struct pt_vs12z *cpu, const struct op *op)
{
	unsigned size = pt_z_own_size(&op->a, op->size);
	struct place place;
	uint32_t value;

	return pt_z_take(cpu, &op->a, size, &place, &value) && pt_z_give(cpu, &place, with_one(cpu, op, value, size));
}

static bool clear(struct pt_vs12z *cpu, const struct op *op)
{
	cpu->flags = Z;
	return pt_z_write(cpu, &op->a, pt_z_own_size(&op->a, op->size), 0);
}

static bool move(struct pt_vs12z *cpu, const struct op *op)
{
	uint32_t value;

	return pt_z_read(cpu, &op->a, op->size, &value) &&
	       pt_z_write(cpu, &op->b, op->size, pt_z_result(cpu, value, op->size));
}

static void absolute(struct pt_vs12z *cpu, unsigned d, unsigned size)
{
	uint32_t carry = cpu->flags & C, value = cpu->r[d];

	if ((value & pt_z_sign(size)) != 0) {
		cpu->r[d] = pt_z_sub(cpu, 0, value, false, size);
		cpu->flags = (cpu->flags & ~(uint32_t)C) | carry;
	} else {
		pt_z_result(cpu, value, size);
	}
}

/* After an overflow N is the opposite of the sign that the sum should have. UNVERIFIED */
static void saturate(struct pt_vs12z *cpu, unsigned d, unsigned size)
{
	if ((cpu->flags & V) != 0)
		cpu->r[d] = (cpu->flags & N) != 0 ? pt_z_sign(size) - 1 : pt_z_sign(size);
	pt_z_result(cpu, cpu->r[d], size);
}

/* In user state, and STOP with the S bit set, they do nothing. UNVERIFIED: the first as in S12X */
static void fall_asleep(struct pt_vs12z *cpu, enum pt_vs12z_state state)
{
	if ((cpu->system & PT_VS12Z_U) != 0 || (state == PT_VS12Z_STOP && (cpu->system & PT_VS12Z_S_STOP) != 0))
		return;
	cpu->state = state;
	pt_vcore_attend(&cpu->core);
	if (cpu->hooks.asleep != NULL)
		cpu->hooks.asleep(cpu->hooks.arg, state);
}

static void background(struct pt_vs12z *cpu, uint32_t pc)
{
	if (cpu->hooks.bgnd == NULL || !cpu->hooks.bgnd(cpu->hooks.arg, pc))
		return;
	if (cpu->options.bgnd_keeps_pc)
		cpu->pc = pc;
	pt_vs12z_request_halt(cpu, PT_VS12Z_HALT_BGND);
}

/* One instruction; cpu->pc is already behind it. False: an illegal access. */
static bool execute(struct pt_vs12z *cpu, const struct op *op, uint32_t pc)
{
	uint32_t *r = cpu->r, value;

	switch ((enum op_kind)op->kind) {
	case OP_LD:
		if (!pt_z_read(cpu, &op->a, op->size, &value))
			return false;
		r[op->d] = pt_z_result(cpu, value, op->size);
		break;
	case OP_ST:
		return pt_z_write(cpu, &op->a, op->size, pt_z_result(cpu, r[op->d], op->size));
	case OP_MOV: return move(cpu, op);
	case OP_LEA: return pt_z_address(cpu, &op->a, op->size, &r[op->d]);

	case OP_ADD: case OP_ADC: case OP_SUB: case OP_SBC: case OP_CMP:
	case OP_AND: case OP_OR: case OP_EOR: case OP_BIT:
		if (!pt_z_read(cpu, &op->a, op->size, &value))
			return false;
		r[op->d] = compute(cpu, op, r[op->d], value);
		break;
	case OP_MINU: case OP_MAXU: case OP_MINS: case OP_MAXS:
		if (!pt_z_read(cpu, &op->a, op->size, &value))
			return false;
		r[op->d] = extreme(cpu, op, r[op->d], value);
		break;
	case OP_SUB_XY:
		r[op->d] = pt_z_sub(cpu, r[op->a.base], r[op->b.base], false, op->size);
		break;
	case OP_INC: case OP_DEC: case OP_COM: case OP_NEG: return modify(cpu, op);
	case OP_CLR: return clear(cpu, op);
	case OP_ABS: absolute(cpu, op->d, op->size); break;
	case OP_SAT: saturate(cpu, op->d, op->size); break;
	case OP_CLB: pt_z_leading_bits(cpu, op); break;

	case OP_SHIFT: return pt_z_shift(cpu, op);
	case OP_ROTATE: return pt_z_rotate(cpu, op);
	case OP_MUL: case OP_MAC: case OP_QMUL: case OP_DIV: case OP_MOD: return pt_z_math(cpu, op);
	case OP_BCLR: case OP_BSET: case OP_BTGL: return pt_z_bit(cpu, op);
	case OP_BFEXT: case OP_BFINS: return pt_z_field(cpu, op);

	case OP_BCC: branch_if(cpu, condition(cpu->flags, op->how), pc, op->imm); break;
	case OP_BRCLR: case OP_BRSET: return bit_branch(cpu, op, pc);
	case OP_LOOP: return loop(cpu, op, pc);
	case OP_BRA: case OP_JMP_EXT: jump(cpu, PT_VJUMP_GOTO, pc, 0, op->imm); break;
	case OP_BSR: case OP_JSR_EXT: return call(cpu, pc, op->imm);
	case OP_JMP: case OP_JSR: return jump_operand(cpu, op, pc);
	case OP_RTS: return return_from_call(cpu, pc);

	case OP_PSH: return push_list(cpu, op->how);
	case OP_PUL: return pull_list(cpu, op->how);
	case OP_TFR: pt_z_put(cpu, op->m, pt_z_get(cpu, op->d)); break;
	case OP_EXG: exchange(cpu, op->d, op->m); break;
	case OP_ANDCC: pt_z_write_ccw(cpu, op->imm, ~op->imm & 0xff); break;
	case OP_ORCC: pt_z_write_ccw(cpu, op->imm, op->imm); break;

	case OP_NOP: break;
	case OP_BGND: background(cpu, pc); break;
	case OP_WAI: fall_asleep(cpu, PT_VS12Z_WAIT); break;
	case OP_STOP: fall_asleep(cpu, PT_VS12Z_STOP); break;
	case OP_EXCEPTION: pt_z_enter(cpu, op->imm, cpu->pc); break;
	case OP_RTI: pt_z_return(cpu, pc); break;
	case OP_NEW: case OP_FETCH_FAULT: case OP_KINDS:
		return false;
	}
	return true;
}

/* The DBG module's tags. True: something else comes in place of this instruction. */
static bool tagged(struct pt_vs12z *cpu, uint32_t pc)
{
	bool pass = cpu->passes_tag;
	enum pt_vs12z_tag tag;

	cpu->passes_tag = false;
	if (!cpu->watching || pass || cpu->hooks.fetch == NULL)
		return false;
	tag = cpu->hooks.fetch(cpu->hooks.arg, pc);
	if (tag == PT_VS12Z_TAG_BDM)
		pt_vs12z_request_halt(cpu, PT_VS12Z_HALT_BREAKPOINT);
	else if (tag == PT_VS12Z_TAG_SWI)
		pt_vs12z_request_swi(cpu);
	return tag != PT_VS12Z_GO_ON;
}

static void no_code(struct pt_vs12z *cpu, uint32_t pc)
{
	if (cpu->hooks.illegal != NULL)
		cpu->hooks.illegal(cpu->hooks.arg, pc, false, pc);
	cpu->core.cycle += CYCLES_STEP;
	pt_z_machine(cpu, pc);
}

/* pc has left the window that execution was in. */
static bool enter_window(struct pt_vs12z *cpu)
{
	struct window *w = pt_z_code_window(cpu, cpu->pc);

	if (w == NULL) {
		no_code(cpu, cpu->pc);
		return false;
	}
	cpu->code = w;
	return true;
}

static const struct op *next_op(struct pt_vs12z *cpu, uint32_t pc)
{
	struct op *op;

	if (pc - cpu->code->base >= cpu->code->size && !enter_window(cpu))
		return NULL;
	op = &cpu->code->op[pc - cpu->code->base];
	if (op->kind == OP_NEW)
		pt_z_cache(cpu, cpu->code, pc);
	if (op->kind != OP_FETCH_FAULT)
		return op;
	no_code(cpu, pc);
	op->kind = OP_NEW;	/* a detour may end */
	return NULL;
}

void pt_z_execute(struct pt_vs12z *cpu)
{
	while (cpu->core.cycle < cpu->core.deadline) {
		uint32_t pc = cpu->pc;
		const struct op *op = next_op(cpu, pc);

		if (op == NULL)
			continue;
		if ((cpu->watching || cpu->passes_tag) && tagged(cpu, pc))
			return;
		if (cpu->core.observers.insn)
			pt_vobservers_tell_insn(&cpu->core.observers, pc);
		cpu->last_pc = pc;
		cpu->pc = (pc + op->n_bytes) & ADDR_MASK;
		cpu->core.cycle += CYCLES_STEP;
		cpu->core.instructions++;
		if (!execute(cpu, op, pc))
			pt_z_machine(cpu, cpu->pc);
	}
}
