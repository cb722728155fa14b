/* The inner loop and what each 16-bit instruction does. It is compiled four times: with observers of instructions and
 * data or without a trace of them, for either architecture. Source: DDI 0419 and DDI 0403, A6.7 and A7.7. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/decode.h"
#include "probes/virtual/cpu/cortexm/memory.h"

/* Shifts by 0..255: 0 leaves the carry alone, more than 32 shifts everything out. */
static uint32_t shift_left(struct pt_vcpu *cpu, uint32_t value, unsigned by)
{
	uint64_t wide = by > 32 ? 0 : (uint64_t)value << by;

	if (by != 0)
		cpu->carry = wide >> 32 & 1;
	return result(cpu, (uint32_t)wide);
}

static uint32_t shift_right(struct pt_vcpu *cpu, uint32_t value, unsigned by)
{
	uint64_t wide = by > 32 ? 0 : ((uint64_t)value << 32) >> by;

	if (by != 0)
		cpu->carry = wide >> 31 & 1;
	return result(cpu, (uint32_t)(wide >> 32));
}

static uint32_t shift_signed(struct pt_vcpu *cpu, uint32_t value, unsigned by)
{
	int64_t wide = (int64_t)((uint64_t)value << 32) >> (by > 32 ? 32 : by);

	if (by != 0)
		cpu->carry = wide >> 31 & 1;
	return result(cpu, (uint32_t)(wide >> 32));
}

static uint32_t rotate(struct pt_vcpu *cpu, uint32_t value, unsigned by)
{
	uint32_t turned = (by & 31) == 0 ? value : value >> (by & 31) | value << (32 - (by & 31));

	if (by != 0)
		cpu->carry = turned >> 31;
	return result(cpu, turned);
}

static uint32_t read_high(const struct pt_vcpu *cpu, unsigned n, uint32_t pc)
{
	return n == PC ? pc + 4 : cpu->r[n];
}

INLINE bool load(struct pt_vcpu *cpu, bool tapped, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	if (!pt_cpu_load(cpu, addr, size_bytes, value))
		return false;
	if (tapped && cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr, size_bytes, false, *value, cpu->last_pc);
	return true;
}

INLINE bool store(struct pt_vcpu *cpu, bool tapped, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	if (!pt_cpu_store(cpu, addr, size_bytes, value))
		return false;
	if (tapped && cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr, size_bytes, true, value, cpu->last_pc);
	return true;
}

/* A fault in the middle of a list leaves every register as it was: loads are committed at the end. */
static bool load_list(struct pt_vcpu *cpu, bool tapped, uint32_t addr, uint32_t list)
{
	uint32_t value[8] = { 0 };
	unsigned n = 0;

	for (uint32_t rest = list; rest != 0; rest &= rest - 1, n++)
		if (!load(cpu, tapped, addr + 4 * n, 4, &value[n]))
			return false;
	n = 0;
	for (uint32_t rest = list; rest != 0; rest &= rest - 1, n++)
		cpu->r[__builtin_ctz(rest)] = value[n];
	return true;
}

static bool store_list(struct pt_vcpu *cpu, bool tapped, uint32_t addr, uint32_t list)
{
	for (uint32_t rest = list; rest != 0; rest &= rest - 1, addr += 4)
		if (!store(cpu, tapped, addr, 4, cpu->r[__builtin_ctz(rest)]))
			return false;
	return true;
}

static bool push(struct pt_vcpu *cpu, bool tapped, const struct op *op)
{
	uint32_t addr = cpu->r[SP] - 4 * op->d;

	cpu->core.cycle += op->d;
	if (!store_list(cpu, tapped, addr, op->imm))
		return false;
	cpu->r[SP] = addr;
	return true;
}

static bool pop(struct pt_vcpu *cpu, bool tapped, const struct op *op)
{
	uint32_t addr = cpu->r[SP];

	cpu->core.cycle += op->d;
	if (!load_list(cpu, tapped, addr, op->imm))
		return false;
	cpu->r[SP] = addr + 4 * op->d;
	return true;
}

static bool pop_pc(struct pt_vcpu *cpu, bool tapped, const struct op *op, uint32_t pc)
{
	uint32_t addr = cpu->r[SP], to;

	cpu->core.cycle += op->d;
	if (!load(cpu, tapped, addr + 4 * op->d, 4, &to) || !load_list(cpu, tapped, addr, op->imm))
		return false;
	cpu->r[SP] = addr + 4 * op->d + 4;
	pt_cpu_jump_interworking(cpu, pc, to);
	return true;
}

static bool load_multiple(struct pt_vcpu *cpu, bool tapped, const struct op *op)
{
	uint32_t addr = cpu->r[op->n];

	cpu->core.cycle += op->d;
	if (!load_list(cpu, tapped, addr, op->imm))
		return false;
	if (op->m != 0)
		cpu->r[op->n] = addr + 4 * op->d;
	return true;
}

static bool store_multiple(struct pt_vcpu *cpu, bool tapped, const struct op *op)
{
	uint32_t addr = cpu->r[op->n];

	cpu->core.cycle += op->d;
	if (!store_list(cpu, tapped, addr, op->imm))
		return false;
	cpu->r[op->n] = addr + 4 * op->d;
	return true;
}

static uint32_t reverse_halves(uint32_t value)
{
	return (value & 0x00ff00ff) << 8 | (value >> 8 & 0x00ff00ff);
}

#define TAKE_IF(condition)			\
	do {					\
		if (condition) {		\
			cpu->core.cycle += cpu->model->taken;	\
			jump(cpu, pc, op->imm);	\
		}				\
	} while (0)

static void change_masks(struct pt_vcpu *cpu, uint32_t imm)
{
	bool off = (imm & 1) != 0;

	if (!pt_cpu_privileged(cpu))
		return;
	if ((imm & 2) != 0)
		cpu->primask = off;
	if ((imm & 4) != 0 && (!off || pt_cpu_priority(cpu, true) > -1))
		cpu->faultmask = off;
	pt_cpu_mpu_changed(cpu);
	pt_vcore_attend(&cpu->core);
}

/* One instruction; cpu->pc is already behind it, but for 32-bit ones of ARMv6-M. */
INLINE void execute(struct pt_vcpu *cpu, const struct op *op, uint32_t pc, bool tapped, bool mainline)
{
	uint32_t *r = cpu->r, value;
	bool done = true;

	switch (op->kind) {
	case OP_LSL_IMM: r[op->d] = shift_left(cpu, r[op->m], op->imm); break;
	case OP_LSR_IMM: r[op->d] = shift_right(cpu, r[op->m], op->imm); break;
	case OP_ASR_IMM: r[op->d] = shift_signed(cpu, r[op->m], op->imm); break;
	case OP_ADD_IMM: r[op->d] = add(cpu, r[op->n], op->imm, false); break;
	case OP_SUB_IMM: r[op->d] = add(cpu, r[op->n], ~op->imm, true); break;
	case OP_MOV_IMM: r[op->d] = result(cpu, op->imm); break;
	case OP_CMP_IMM: add(cpu, r[op->n], ~op->imm, true); break;

	case OP_ADD: r[op->d] = add(cpu, r[op->n], r[op->m], false); break;
	case OP_SUB: r[op->d] = add(cpu, r[op->n], ~r[op->m], true); break;
	case OP_MOVS: r[op->d] = result(cpu, r[op->m]); break;
	case OP_AND: r[op->d] = result(cpu, r[op->n] & r[op->m]); break;
	case OP_EOR: r[op->d] = result(cpu, r[op->n] ^ r[op->m]); break;
	case OP_LSL: r[op->d] = shift_left(cpu, r[op->n], r[op->m] & 0xff); break;
	case OP_LSR: r[op->d] = shift_right(cpu, r[op->n], r[op->m] & 0xff); break;
	case OP_ASR: r[op->d] = shift_signed(cpu, r[op->n], r[op->m] & 0xff); break;
	case OP_ADC: r[op->d] = add(cpu, r[op->n], r[op->m], cpu->carry); break;
	case OP_SBC: r[op->d] = add(cpu, r[op->n], ~r[op->m], cpu->carry); break;
	case OP_ROR: r[op->d] = rotate(cpu, r[op->n], r[op->m] & 0xff); break;
	case OP_TST: result(cpu, r[op->n] & r[op->m]); break;
	case OP_RSB: r[op->d] = add(cpu, ~r[op->m], 0, true); break;
	case OP_CMP: add(cpu, r[op->n], ~r[op->m], true); break;
	case OP_CMN: add(cpu, r[op->n], r[op->m], false); break;
	case OP_ORR: r[op->d] = result(cpu, r[op->n] | r[op->m]); break;
	case OP_MUL:
		r[op->d] = result(cpu, r[op->n] * r[op->m]);
		cpu->core.cycle += cpu->model->muls - 1u;
		break;
	case OP_BIC: r[op->d] = result(cpu, r[op->n] & ~r[op->m]); break;
	case OP_MVN: r[op->d] = result(cpu, ~r[op->m]); break;

	case OP_ADD_HI: write_high(cpu, op->d, r[op->n] + r[op->m]); break;
	case OP_MOV_HI: write_high(cpu, op->d, r[op->m]); break;
	case OP_ADD_PC: jump(cpu, pc, (pc + 4 + read_high(cpu, op->m, pc)) & ~1u); break;
	case OP_MOV_PC: jump(cpu, pc, read_high(cpu, op->m, pc) & ~1u); break;
	case OP_CMP_HI: add(cpu, read_high(cpu, op->n, pc), ~read_high(cpu, op->m, pc), true); break;
	case OP_CONST: write_high(cpu, op->d, op->imm); break;
	case OP_ADD_CONST: write_high(cpu, op->d, r[op->n] + op->imm); break;
	case OP_SXTH: r[op->d] = (uint32_t)(int16_t)r[op->m]; break;
	case OP_SXTB: r[op->d] = (uint32_t)(int8_t)r[op->m]; break;
	case OP_UXTH: r[op->d] = (uint16_t)r[op->m]; break;
	case OP_UXTB: r[op->d] = (uint8_t)r[op->m]; break;
	case OP_REV: r[op->d] = __builtin_bswap32(r[op->m]); break;
	case OP_REV16: r[op->d] = reverse_halves(r[op->m]); break;
	case OP_REVSH: r[op->d] = (uint32_t)(int16_t)__builtin_bswap16((uint16_t)r[op->m]); break;

	case OP_LDR_LIT: done = load(cpu, tapped, op->imm, 4, &r[op->d]); break;
	case OP_LDR_REG: done = load(cpu, tapped, r[op->n] + r[op->m], 4, &r[op->d]); break;
	case OP_LDRH_REG: done = load(cpu, tapped, r[op->n] + r[op->m], 2, &r[op->d]); break;
	case OP_LDRB_REG: done = load(cpu, tapped, r[op->n] + r[op->m], 1, &r[op->d]); break;
	case OP_LDRSH_REG:
		done = load(cpu, tapped, r[op->n] + r[op->m], 2, &value);
		if (done)
			r[op->d] = (uint32_t)(int16_t)value;
		break;
	case OP_LDRSB_REG:
		done = load(cpu, tapped, r[op->n] + r[op->m], 1, &value);
		if (done)
			r[op->d] = (uint32_t)(int8_t)value;
		break;
	case OP_STR_REG: done = store(cpu, tapped, r[op->n] + r[op->m], 4, r[op->d]); break;
	case OP_STRH_REG: done = store(cpu, tapped, r[op->n] + r[op->m], 2, r[op->d]); break;
	case OP_STRB_REG: done = store(cpu, tapped, r[op->n] + r[op->m], 1, r[op->d]); break;
	case OP_LDR_IMM: done = load(cpu, tapped, r[op->n] + op->imm, 4, &r[op->d]); break;
	case OP_LDRH_IMM: done = load(cpu, tapped, r[op->n] + op->imm, 2, &r[op->d]); break;
	case OP_LDRB_IMM: done = load(cpu, tapped, r[op->n] + op->imm, 1, &r[op->d]); break;
	case OP_STR_IMM: done = store(cpu, tapped, r[op->n] + op->imm, 4, r[op->d]); break;
	case OP_STRH_IMM: done = store(cpu, tapped, r[op->n] + op->imm, 2, r[op->d]); break;
	case OP_STRB_IMM: done = store(cpu, tapped, r[op->n] + op->imm, 1, r[op->d]); break;
	case OP_PUSH: done = push(cpu, tapped, op); break;
	case OP_POP: done = pop(cpu, tapped, op); break;
	case OP_POP_PC: done = pop_pc(cpu, tapped, op, pc); break;
	case OP_LDM: done = load_multiple(cpu, tapped, op); break;
	case OP_STM: done = store_multiple(cpu, tapped, op); break;

	case OP_BEQ: TAKE_IF(cpu->zero == 0); break;
	case OP_BNE: TAKE_IF(cpu->zero != 0); break;
	case OP_BCS: TAKE_IF(cpu->carry); break;
	case OP_BCC: TAKE_IF(!cpu->carry); break;
	case OP_BMI: TAKE_IF(cpu->neg >> 31 != 0); break;
	case OP_BPL: TAKE_IF(cpu->neg >> 31 == 0); break;
	case OP_BVS: TAKE_IF(cpu->overflow); break;
	case OP_BVC: TAKE_IF(!cpu->overflow); break;
	case OP_BHI: TAKE_IF(cpu->carry && cpu->zero != 0); break;
	case OP_BLS: TAKE_IF(!cpu->carry || cpu->zero == 0); break;
	case OP_BGE: TAKE_IF(cpu->neg >> 31 == cpu->overflow); break;
	case OP_BLT: TAKE_IF(cpu->neg >> 31 != cpu->overflow); break;
	case OP_BGT: TAKE_IF(cpu->zero != 0 && cpu->neg >> 31 == cpu->overflow); break;
	case OP_BLE: TAKE_IF(cpu->zero == 0 || cpu->neg >> 31 != cpu->overflow); break;
	case OP_B: jump(cpu, pc, op->imm); break;
	case OP_BL:
		r[LR] = (pc + 4) | 1;
		jump(cpu, pc, op->imm);
		break;
	case OP_BX: pt_cpu_jump_interworking(cpu, pc, read_high(cpu, op->m, pc)); break;
	case OP_BLX:
		value = r[op->m];
		r[LR] = (pc + 2) | 1;
		cpu->thumb = value & 1;
		if (!cpu->thumb)
			pt_vcore_attend(&cpu->core);
		jump(cpu, pc, value & ~1u);
		break;

	case OP_SVC: pt_cpu_svc(cpu, pc + 2); break;
	case OP_WFI: pt_cpu_sleep_until(cpu, false); break;
	case OP_WFE: pt_cpu_sleep_until(cpu, true); break;
	case OP_SEV: cpu->event = true; break;
	case OP_CPS: change_masks(cpu, op->imm); break;
	case OP_CBZ: TAKE_IF(r[op->n] == 0); break;
	case OP_CBNZ: TAKE_IF(r[op->n] != 0); break;
	case OP_IT: cpu->it = (uint8_t)op->imm; break;
	case OP_MRS:
		cpu->pc = pc + 4;
		write_high(cpu, op->d, pt_cpu_mrs(cpu, op->imm));
		break;
	case OP_MSR:
		cpu->pc = pc + 4;
		pt_cpu_msr(cpu, op->imm, op->m, r[op->n]);
		break;
	case OP_BARRIER: cpu->pc = pc + 4; break;
	case OP_NOP: break;
	case OP_NEW: case OP_STOP_POINT: case OP_KINDS: case OP_UNDEFINED: case OP_WIDE_UNDEFINED:
		done = pt_cpu_fails(cpu, UNDEFINSTR);
		break;
	case OP_BKPT:
		pt_cpu_bkpt(cpu, pc);
		break;
	case OP_FETCH_FAULT:
		done = pt_cpu_fails(cpu, IBUSERR);
		break;
	default:
		done = !mainline || pt_cpu_wide(cpu, op, pc);
		break;
	}
	if (!done)
		pt_cpu_raise(cpu, pc);
}

/* What must be looked at before an instruction: not decoded yet, a breakpoint, BKPT. Returns what to execute (plain is
 * room for it), or NULL: Debug state, or DebugMonitor, is to be entered in front of it. */
static const struct op *look(struct pt_vcpu *cpu, struct op *op, uint32_t pc, struct op *plain)
{
	const struct pt_vcpu_hooks *hooks = &cpu->hooks;
	bool stop, hit;

	if (op->kind == OP_NEW)
		pt_cpu_decode(cpu, cpu->code, pc);
	if (op->kind > OP_LAST_SPECIAL)
		return op;
	*plain = pt_cpu_decode_plain(cpu, cpu->code, pc);
	hit = op->kind == OP_STOP_POINT || plain->kind == OP_BKPT;
	stop = op->kind == OP_STOP_POINT && hooks->breakpoint != NULL && hooks->breakpoint(hooks->arg, pc);
	if (!stop && plain->kind == OP_BKPT)
		stop = hooks->bkpt != NULL && hooks->bkpt(hooks->arg, pc);
	if (stop)
		pt_vcpu_request_halt(cpu, PT_VHALT_BKPT);
	return stop || (hit && pt_vcpu_monitor(cpu, PT_VHALT_BKPT)) ? NULL : plain;
}

static bool fetch_fails(struct pt_vcpu *cpu, uint32_t cause)
{
	cpu->core.cycle++;
	cpu->it_here = cpu->it;
	pt_cpu_fails(cpu, cause);
	pt_cpu_raise(cpu, cpu->pc);
	return false;
}

/* pc has left the window that execution was in. */
static bool enter_window(struct pt_vcpu *cpu)
{
	struct window *w = pt_cpu_code_window(cpu, cpu->pc);

	if (w == NULL)
		return fetch_fails(cpu, pt_cpu_never_executable(cpu->pc) ? IACCVIOL : IBUSERR);
	cpu->code = w;
	return true;
}

/* The MPU is asked for each instruction. */
static bool may_fetch(struct pt_vcpu *cpu)
{
	return pt_cpu_mpu_allows(cpu, cpu->pc, ACCESS_FETCH, pt_cpu_privileged(cpu)) || fetch_fails(cpu, IACCVIOL);
}

/* The 16-bit instructions that set flags do not inside an IT block, but for comparisons. */
static bool keeps_flags(unsigned kind)
{
	return kind >= OP_LSL_IMM && kind <= OP_MVN && kind != OP_CMP_IMM && kind != OP_TST && kind != OP_CMP &&
	       kind != OP_CMN;
}

/* One that is not conditional, or whose condition holds; what a load or store took is noted for the DWT. */
INLINE void execute_v7m(struct pt_vcpu *cpu, const struct op *op, uint32_t pc, bool tapped)
{
	uint64_t before = cpu->core.cycle - cpu->exception_cycles;

	cpu->core.cycle += pt_op_cycles_m4[op->kind];
	execute(cpu, op, pc, tapped, true);
	if (is_memory(op->kind))
		cpu->memory_cycles += cpu->core.cycle - cpu->exception_cycles - before - 1;
}

/* One of an IT block. Its successor's state is set first: an exception that it takes itself saves that. */
static void execute_conditional(struct pt_vcpu *cpu, const struct op *op, uint32_t pc, bool tapped)
{
	uint32_t flags = pt_cpu_xpsr(cpu);
	uint8_t it = cpu->it;

	cpu->it = (it & 7) == 0 ? 0 : (uint8_t)((it & 0xe0) | (it << 1 & 0x1f));
	if (!condition_holds(cpu, it >> 4)) {
		cpu->core.cycle++;
		return;
	}
	execute_v7m(cpu, op, pc, tapped);
	if (keeps_flags(op->kind))
		pt_cpu_set_flags(cpu, flags);
}

INLINE void run(struct pt_vcpu *cpu, bool tapped, bool mainline)
{
	struct op plain;

	while (cpu->core.cycle < cpu->core.deadline) {
		uint32_t pc = cpu->pc, offset = pc - cpu->code->base;
		const struct op *op;

		if (mainline && cpu->mpu.on && !may_fetch(cpu))
			continue;
		if (offset >= cpu->code->size) {
			if (!enter_window(cpu))
				continue;
			offset = pc - cpu->code->base;
		}
		op = &cpu->code->op[offset / 2];
		if (op->kind <= OP_LAST_SPECIAL) {
			op = look(cpu, &cpu->code->op[offset / 2], pc, &plain);
			if (op == NULL)
				return;
		}
		if (tapped && cpu->core.observers.insn)
			pt_vobservers_tell_insn(&cpu->core.observers, pc);
		cpu->last_pc = pc;
		cpu->pc = pc + (mainline && op->kind >= OP_FIRST_WIDE ? 4 : 2);
		cpu->core.instructions++;
		if (mainline)
			cpu->it_here = cpu->it;
		if (!mainline) {
			cpu->core.cycle += pt_op_cycles_m0plus[op->kind];
			execute(cpu, op, pc, tapped, false);
		} else if (cpu->it == 0) {
			execute_v7m(cpu, op, pc, tapped);
		} else {
			execute_conditional(cpu, op, pc, tapped);
		}
	}
}

/* Functions of their own: in one, each of the loops would have fewer registers of the host. */
#define LOOP(name, tapped, mainline)						\
	static __attribute__((noinline)) void name(struct pt_vcpu *cpu)	\
	{								\
		run(cpu, tapped, mainline);				\
	}
LOOP(run_v6m, false, false)
LOOP(run_v6m_tapped, true, false)
LOOP(run_v7m, false, true)
LOOP(run_v7m_tapped, true, true)

void pt_cpu_execute(struct pt_vcpu *cpu)
{
	if (cpu->core.observers.insn || cpu->core.observers.data)
		(cpu->model->mainline ? run_v7m_tapped : run_v6m_tapped)(cpu);
	else
		(cpu->model->mainline ? run_v7m : run_v6m)(cpu);
}
