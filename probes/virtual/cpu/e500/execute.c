/* One instruction: primary op-codes, branches and the condition register. Source: Power ISA 2.06
 * Book I, chapters 2, 3 */
#include "probes/virtual/cpu/e500/core.h"

/* --- branches */

static void count_branch(struct pt_ve500 *cpu, bool taken, uint32_t to, bool conditional)
{
	cpu->events[EV_BRANCHES]++;
	cpu->events[EV_BRANCHES_FINISHED]++;
	cpu->events[EV_TAKEN_FINISHED] += taken;
	if (cpu->variant == PT_VE500_CORE_E6500)
		cpu->events[EV_TAKEN] += taken;
	pt_e5_predict(cpu, cpu->at, to, taken, conditional);
}

/* I form */
static bool branch(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t offset = (uint32_t)((int32_t)(op << 6) >> 6) & ~3u;
	uint32_t to = (op & 2) != 0 ? offset : cpu->at + offset;
	bool link = rc(op);

	if (link)
		cpu->lr = cpu->at + 4;
	count_branch(cpu, true, to, false);
	pt_e5_jump(cpu, link ? PT_VJUMP_CALL : PT_VJUMP_GOTO, cpu->at, 0, to);
	return true;
}

/* BO and BI of a conditional branch; CTR counts down unless BO says not to. */
static bool condition(struct pt_ve500 *cpu, unsigned bo, unsigned bi)
{
	bool bit = cpu->cr >> (31 - bi) & 1;
	bool ctr_ok = true;

	if ((bo & 4) == 0)
		ctr_ok = (--cpu->ctr != 0) != ((bo & 2) != 0);
	return ctr_ok && ((bo & 16) != 0 || bit == ((bo & 8) != 0));
}

static enum pt_vjump kind_of(uint32_t op, bool to_register, bool to_link)
{
	if (to_link && !rc(op))
		return PT_VJUMP_RETURN;
	if (to_register)
		return rc(op) ? PT_VJUMP_CALL_OPERAND : PT_VJUMP_GOTO_OPERAND;
	if (rc(op))
		return PT_VJUMP_CALL;
	return (rd(op) & 0x14) == 0x14 ? PT_VJUMP_GOTO : PT_VJUMP_BRANCH;
}

static bool branch_conditional(struct pt_ve500 *cpu, uint32_t op, uint32_t to, bool to_register, bool to_link)
{
	bool taken = condition(cpu, rd(op), ra(op));

	if (rc(op))
		cpu->lr = cpu->at + 4;
	if (cpu->core.observers.cond && (rd(op) & 0x14) != 0x14)
		pt_vobservers_tell_cond(&cpu->core.observers, cpu->at, taken, to);
	count_branch(cpu, taken, to, (rd(op) & 0x14) != 0x14);
	if (to_link && cpu->variant == PT_VE500_CORE_E6500)
		cpu->events[EV_TAKEN_BLR] += taken && !rc(op);
	if (taken)
		pt_e5_jump(cpu, kind_of(op, to_register, to_link), cpu->at, 0, to);
	return true;
}

static bool branch_near(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t offset = simm(op) & ~3u;

	return branch_conditional(cpu, op, (op & 2) != 0 ? offset : cpu->at + offset, false, false);
}

/* --- op-code 19: condition register, branches to registers, returns from interrupts */

static bool cr_logic(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned a = cpu->cr >> (31 - ra(op)) & 1, b = cpu->cr >> (31 - rb(op)) & 1, bit;
	uint32_t at = UINT32_C(1) << (31 - rd(op));

	switch (xo(op)) {
	case 33: bit = !(a | b); break;		/* crnor */
	case 129: bit = a & !b; break;		/* crandc */
	case 193: bit = a ^ b; break;		/* crxor */
	case 225: bit = !(a & b); break;	/* crnand */
	case 257: bit = a & b; break;		/* crand */
	case 289: bit = a == b; break;		/* creqv */
	case 417: bit = a | !b; break;		/* crorc */
	case 449: bit = a | b; break;		/* cror */
	default: return false;
	}
	cpu->cr = bit ? cpu->cr | at : cpu->cr & ~at;
	return true;
}

static bool move_cr_field(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned to = 28 - 4 * (op >> 23 & 7), from = 28 - 4 * (op >> 18 & 7);

	cpu->cr = (cpu->cr & ~(UINT32_C(15) << to)) | (cpu->cr >> from & 15) << to;
	return true;
}

static bool return_from(struct pt_ve500 *cpu, uint32_t to, uint32_t msr)
{
	if (pt_e5_user(cpu))
		pt_e5_fault(cpu, PT_VE500_PROGRAM, ESR_PPR);
	else
		pt_e5_return(cpu, to, msr | (cpu->msr & PT_VE500_MSR_GS));
	return true;
}

static bool op19(struct pt_ve500 *cpu, uint32_t op)
{
	switch (xo(op)) {
	case 0: return move_cr_field(cpu, op);
	case 16: return branch_conditional(cpu, op, cpu->lr & ~3u, true, true);
	case 528: return branch_conditional(cpu, op, cpu->ctr & ~3u, true, false);
	case 50: return return_from(cpu, cpu->spr[SPR_SRR0], cpu->spr[SPR_SRR1]);
	case 51: return return_from(cpu, cpu->spr[SPR_CSRR0], cpu->spr[SPR_CSRR1]);
	case 38: return return_from(cpu, cpu->spr[SPR_MCSRR0], cpu->spr[SPR_MCSRR1]);
	case 39: return cpu->kind->qoriq && return_from(cpu, cpu->spr[SPR_DSRR0], cpu->spr[SPR_DSRR0 + 1]);
	case 150: return true;		/* isync */
	default: return cr_logic(cpu, op);
	}
}

/* --- immediates */

static bool add_carrying(struct pt_ve500 *cpu, uint32_t op, bool record)
{
	uint64_t sum = (uint64_t)cpu->r[ra(op)] + simm(op);

	cpu->xer = (sum >> 32) != 0 ? cpu->xer | XER_CA : cpu->xer & ~XER_CA;
	cpu->r[rd(op)] = (uint32_t)sum;
	if (record)
		pt_e5_record(cpu, cpu->r[rd(op)]);
	return true;
}

static bool subtract_from_immediate(struct pt_ve500 *cpu, uint32_t op)
{
	uint64_t sum = (uint64_t)(uint32_t)~cpu->r[ra(op)] + simm(op) + 1;

	cpu->xer = (sum >> 32) != 0 ? cpu->xer | XER_CA : cpu->xer & ~XER_CA;
	cpu->r[rd(op)] = (uint32_t)sum;
	return true;
}

static bool compare_immediate(struct pt_ve500 *cpu, uint32_t op, bool is_signed)
{
	uint32_t a = cpu->r[ra(op)], b = is_signed ? simm(op) : op & 0xffff;
	bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

	pt_e5_set_cr(cpu, op >> 23 & 7, less ? CR_LT : a == b ? CR_EQ : CR_GT);
	return true;
}

static bool logical_immediate(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t value = cpu->r[rd(op)], mask = op & 0xffff;
	unsigned primary = op >> 26;

	if ((primary & 1) != 0)
		mask <<= 16;
	switch (primary >> 1) {
	case 12: value |= mask; break;
	case 13: value ^= mask; break;
	default: value &= mask; break;
	}
	cpu->r[ra(op)] = value;
	if (primary >= 28)
		pt_e5_record(cpu, value);
	return true;
}

/* Bits mb to me, counted from the top, around the end if mb > me. */
static uint32_t rotate_mask(unsigned mb, unsigned me)
{
	uint32_t from = UINT32_MAX >> mb, to = UINT32_MAX << (31 - me);

	return mb <= me ? from & to : from | to;
}

static uint32_t rotate(uint32_t value, unsigned n)
{
	return n == 0 ? value : value << n | value >> (32 - n);
}

static bool rotate_and_mask(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t mask = rotate_mask(op >> 6 & 31, op >> 1 & 31);
	unsigned n = op >> 26 == 23 ? cpu->r[rb(op)] & 31 : rb(op);
	uint32_t value = rotate(cpu->r[rd(op)], n) & mask;

	if (op >> 26 == 20)		/* rlwimi */
		value |= cpu->r[ra(op)] & ~mask;
	cpu->r[ra(op)] = value;
	if (rc(op))
		pt_e5_record(cpu, value);
	return true;
}

static bool multiply_immediate(struct pt_ve500 *cpu, uint32_t op)
{
	cpu->r[rd(op)] = cpu->r[ra(op)] * simm(op);
	cpu->core.cycle += cpu->timing.multiply;
	return true;
}

/* --- system calls */

/* The instruction is complete, and the interrupt returns behind it. */
static bool system_call(struct pt_ve500 *cpu)
{
	cpu->events[EV_SC_TRAP]++;
	pt_e5_enter(cpu, PT_VE500_SYSTEM_CALL, cpu->at + 4);
	return true;
}

/* --- all of them */

static bool dispatch(struct pt_ve500 *cpu, uint32_t op)
{
	unsigned primary = op >> 26;

	switch (primary) {
	case 3: return pt_e5_trap(cpu, rd(op), cpu->r[ra(op)], simm(op));
	case 4: return !cpu->kind->qoriq && pt_e5_spe(cpu, op);
	case 7: return multiply_immediate(cpu, op);
	case 8: return subtract_from_immediate(cpu, op);
	case 10: case 11: return compare_immediate(cpu, op, primary == 11);
	case 12: case 13: return add_carrying(cpu, op, primary == 13);
	case 14: cpu->r[rd(op)] = ra_or_0(cpu, op) + simm(op); return true;
	case 15: cpu->r[rd(op)] = ra_or_0(cpu, op) + (op << 16); return true;
	case 16: return branch_near(cpu, op);
	case 17: return (op & 2) != 0 && system_call(cpu);
	case 18: return branch(cpu, op);
	case 19: return op19(cpu, op);
	case 20: case 21: case 23: return rotate_and_mask(cpu, op);
	case 24: case 25: case 26: case 27: case 28: case 29: return logical_immediate(cpu, op);
	case 31: return pt_e5_integer31(cpu, op) || pt_e5_storage31(cpu, op) || pt_e5_system31(cpu, op) ||
			pt_e5_float31(cpu, op) || pt_e5_decorated31(cpu, op);
	case 48: case 49: case 50: case 51: case 52: case 53: case 54: case 55: case 59: case 63:
		return pt_e5_float(cpu, op);	/* e500v1 and v2 have no such unit. Source: E500CORERM 5.7.7 */
	default: return primary >= 32 && primary < 48 && pt_e5_storage(cpu, op);
	}
}

/* Those of more than one micro-op have added theirs. Returns the cycles in which it did complete some. */
static uint64_t complete(struct pt_ve500 *cpu, uint64_t ops_before)
{
	uint64_t n_ops;

	cpu->core.instructions++;
	cpu->events[EV_INSTRUCTIONS]++;
	n_ops = ++cpu->events[EV_OPS] - ops_before;
	if (cpu->variant != PT_VE500_CORE_E6500)
		return 0;
	cpu->events[cpu->pair ? EV_CYCLES_2_OPS : EV_CYCLES_1_OP] += cpu->pair ? 1 : n_ops;
	return cpu->pair ? 1 : n_ops;
}

void pt_e5_execute(struct pt_ve500 *cpu)
{
	uint32_t op, msr = cpu->msr;
	uint64_t began = cpu->core.cycle, ops = cpu->events[EV_OPS], n_completing = 0;

	cpu->at = cpu->pc;
	cpu->failed = cpu->pair = false;
	if (pt_e5_fetch(cpu, cpu->at, &op)) {
		if (cpu->core.observers.insn)
			pt_vobservers_tell_insn(&cpu->core.observers, cpu->at);
		cpu->pc = cpu->at + 4;
		cpu->events[EV_DECODED]++;
		cpu->events[EV_FETCHED]++;
		if (!dispatch(cpu, op))
			pt_e5_fault(cpu, PT_VE500_PROGRAM, ESR_PIL);
		if (!cpu->failed)
			n_completing = complete(cpu, ops);
	}
	cpu->core.cycle++;
	pt_e5_count_cycles(cpu, cpu->core.cycle - began, n_completing);
	pt_e5_tell_step(cpu, msr);
}
