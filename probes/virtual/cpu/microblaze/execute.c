/* The inner loop and what each instruction does. Source: UG984 2018.2, chapter 5; binutils' microblaze-opc.h; QEMU's
 * insns.decode. */
#include "probes/virtual/cpu/microblaze/decode.h"
#include "probes/virtual/cpu/microblaze/memory.h"

static uint32_t simm(const struct op *op)
{
	return (uint32_t)(int32_t)(int16_t)(op->word & 0xffff);
}

/* rb, or the immediate with the prefix that imm left. */
static inline uint32_t operand(const struct pt_vmb *cpu, const struct op *op)
{
	if (op->b != IMMEDIATE)
		return cpu->r[op->b];
	return cpu->prefixed ? cpu->prefix << 16 | (op->word & 0xffff) : simm(op);
}

/* --- arithmetic */

static uint32_t add(struct pt_vmb *cpu, unsigned kind, uint32_t a, uint32_t b)
{
	unsigned how = kind - OP_ADD;
	bool rsub = how & 1, with_carry = how & 2, keep = how & 4;
	uint64_t sum = (uint64_t)b + (rsub ? ~a : a) + (with_carry ? cpu->carry : rsub);

	if (!keep)
		cpu->carry = sum >> 32;
	return (uint32_t)sum;
}

static uint32_t compare(bool greater, uint32_t a, uint32_t b)
{
	return ((b - a) & 0x7fffffff) | (uint32_t)greater << 31;
}

static uint32_t multiply(unsigned kind, uint32_t a, uint32_t b)
{
	int64_t sa = (int32_t)a;

	switch (kind) {
	case OP_MULH: return (uint32_t)((uint64_t)(sa * (int32_t)b) >> 32);
	case OP_MULHSU: return (uint32_t)((uint64_t)(sa * (int64_t)b) >> 32);
	case OP_MULHU: return (uint32_t)((uint64_t)a * b >> 32);
	default: return a * b;
	}
}

/* Overflow is flagged as a division by zero is, with the dividend as result. UNVERIFIED */
static bool divide(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t by = cpu->r[op->a], value = cpu->r[op->b];
	bool overflow = op->kind == OP_IDIV && value == 0x80000000 && by == UINT32_MAX;

	cpu->core.cycle += cpu->options.timing.divide - 1u;
	if (by == 0 || overflow) {
		cpu->msr |= PT_VMB_DZO;
		cpu->r[op->d] = overflow ? value : 0;
		return pt_mb_raise(cpu, cpu->options.div_zero_exception,
				   PT_VMB_EC_DIVIDE | (overflow ? PT_VMB_ESR_W : 0));
	}
	cpu->r[op->d] = op->kind == OP_IDIV ? (uint32_t)((int32_t)value / (int32_t)by) : value / by;
	return true;
}

static uint32_t first_equal_byte(uint32_t a, uint32_t b)
{
	for (unsigned n = 1; n <= 4; n++, a <<= 8, b <<= 8)
		if (((a ^ b) & 0xff000000) == 0)
			return n;
	return 0;
}

static uint32_t shift_right(struct pt_vmb *cpu, uint32_t a, uint32_t top)
{
	cpu->carry = a & 1;
	return a >> 1 | top;
}

static uint32_t barrel(unsigned kind, uint32_t a, unsigned by)
{
	if (kind == OP_BSLL)
		return a << by;
	return kind == OP_BSRA ? (uint32_t)((int32_t)a >> by) : a >> by;
}

/* Fields that do not lie in the register: UNVERIFIED, nothing happens. */
static void field(struct pt_vmb *cpu, const struct op *op)
{
	unsigned high = op->word >> 6 & 31, low = op->word & 31;
	unsigned width = op->kind == OP_BSEFI ? high : high - low + 1;
	uint32_t mask;

	if (width == 0 || width > 32 || low + width > 32)
		return;
	mask = UINT32_MAX >> (32 - width);
	if (op->kind == OP_BSEFI)
		cpu->r[op->d] = cpu->r[op->a] >> low & mask;
	else
		cpu->r[op->d] = (cpu->r[op->d] & ~(mask << low)) | (cpu->r[op->a] & mask) << low;
}

/* --- memory */

/* What an access does before it reaches memory. True: go on, at *addr. */
static bool reach(struct pt_vmb *cpu, const struct op *op, uint32_t *addr, unsigned size, bool store)
{
	uint32_t esr = PT_VMB_EC_UNALIGNED | (uint32_t)op->d << PT_VMB_ESR_RX | (store ? PT_VMB_ESR_S : 0) |
		       (size == 4 ? PT_VMB_ESR_W : 0);

	if (cpu->options.use_stack_protection && (op->a == 1 || op->b == 1) && (*addr < cpu->slr || *addr > cpu->shr)) {
		cpu->ear = *addr;
		return pt_mb_raise(cpu, true, PT_VMB_EC_PRIVILEGED);
	}
	if ((*addr & (size - 1)) != 0) {
		if (cpu->options.unaligned_exceptions && (cpu->msr & PT_VMB_EE) != 0)
			cpu->ear = *addr;
		if (!pt_mb_raise(cpu, cpu->options.unaligned_exceptions, esr))
			return false;
		*addr &= ~(size - 1);	/* UNVERIFIED: real cores drop the low bits */
	}
	return true;
}

static bool bus_error(struct pt_vmb *cpu, uint32_t addr)
{
	cpu->ear = addr;
	return pt_mb_raise(cpu, cpu->options.d_bus_exception, PT_VMB_EC_DBUS);
}

static void note(struct pt_vmb *cpu, uint32_t addr, unsigned size, bool store, uint32_t value)
{
	cpu->retired.address = addr;
	cpu->retired.data = value;
	cpu->retired.size_bytes = (uint8_t)size;
	cpu->retired.load = !store;
	cpu->retired.store = store;
	if (cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr, size, store, value, cpu->pc);
}

static uint32_t reversed(uint32_t value, unsigned size)
{
	return size == 4 ? __builtin_bswap32(value) : size == 2 ? __builtin_bswap16((uint16_t)value) : value;
}

/* Reversed: the mirrored place in the word, and the bytes the other way round. */
static bool load(struct pt_vmb *cpu, const struct op *op, unsigned size, bool reverse)
{
	uint32_t addr = cpu->r[op->a] + operand(cpu, op), value = 0;

	cpu->core.cycle += cpu->options.timing.load - 1u;
	if (!reach(cpu, op, &addr, size, false))
		return false;
	if (reverse)
		addr ^= 4 - size;
	if (!pt_mb_load(cpu, addr, size, &value)) {
		if (!bus_error(cpu, addr))
			return false;
		value = 0;
	}
	if (reverse)
		value = reversed(value, size);
	note(cpu, addr, size, false, value);
	cpu->r[op->d] = value;
	return true;
}

static bool store_at(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t value)
{
	value &= UINT32_MAX >> (32 - 8 * size);
	if (!pt_mb_store(cpu, addr, size, value))
		return bus_error(cpu, addr);
	note(cpu, addr, size, true, value);
	return true;
}

static bool store(struct pt_vmb *cpu, const struct op *op, unsigned size, bool reverse)
{
	uint32_t addr = cpu->r[op->a] + operand(cpu, op);

	cpu->core.cycle += cpu->options.timing.store - 1u;
	if (!reach(cpu, op, &addr, size, true))
		return false;
	if (reverse)
		addr ^= 4 - size;
	return store_at(cpu, addr, size, reverse ? reversed(cpu->r[op->d], size) : cpu->r[op->d]);
}

static bool load_exclusive(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t addr = (cpu->r[op->a] + cpu->r[op->b]) & ~3u;

	if (!load(cpu, op, 4, false))
		return false;
	cpu->reserved = true;
	cpu->reserved_addr = addr;
	cpu->carry = false;
	return true;
}

/* UNVERIFIED: CY says whether it failed; the reservation is for the address, and used up either way. */
static bool store_exclusive(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t addr = (cpu->r[op->a] + cpu->r[op->b]) & ~3u;

	cpu->carry = !cpu->reserved || cpu->reserved_addr != addr;
	cpu->reserved = false;
	return cpu->carry || store(cpu, op, 4, false);
}

/* --- flow */

static void tell_jump(struct pt_vmb *cpu, uint8_t how, uint32_t from, uint32_t to)
{
	if (cpu->core.observers.jump)
		pt_vobservers_tell_jump(&cpu->core.observers, (enum pt_vjump)how, from, 0, to);
}

/* Jump now, or behind the slot; taken or not: with a slot, what is behind it is where execution goes on. */
static void jump(struct pt_vmb *cpu, enum pt_vjump how, bool taken, bool delayed, uint32_t to)
{
	const struct pt_vmb_timing *timing = &cpu->options.timing;

	cpu->retired.jump_taken = taken;
	cpu->retired.delayed = delayed;
	if (taken)
		cpu->core.cycle += (delayed ? timing->taken_with_slot : timing->taken) - 1u;
	if (delayed) {
		cpu->in_slot = true;
		cpu->slot_taken = taken;
		cpu->slot_how = (uint8_t)how;
		cpu->slot_from = cpu->pc;
		cpu->slot_to = taken ? to : cpu->pc + 8;
	} else if (taken) {
		cpu->next = to;
		tell_jump(cpu, (uint8_t)how, cpu->pc, to);
	}
}

/* What rtid, rtbd and rted do to MSR they do when their slot is complete. */
static void restore(struct pt_vmb *cpu, uint8_t by)
{
	if (by == OP_RTID)
		pt_mb_restore(cpu, PT_VMB_IE, 0);
	else if (by == OP_RTBD)
		pt_mb_restore(cpu, 0, PT_VMB_BIP);
	else
		pt_mb_restore(cpu, PT_VMB_EE, PT_VMB_EIP);
}

static void leave_slot(struct pt_vmb *cpu)
{
	cpu->in_slot = false;
	if (cpu->slot_returns != 0)
		restore(cpu, cpu->slot_returns);
	cpu->slot_returns = 0;
	cpu->next = cpu->slot_to;
	if (cpu->slot_taken)
		tell_jump(cpu, cpu->slot_how, cpu->slot_from, cpu->slot_to);
}

static bool branch(struct pt_vmb *cpu, const struct op *op)
{
	bool computed = op->b != IMMEDIATE;
	uint32_t to = operand(cpu, op);
	enum pt_vjump how = computed ? PT_VJUMP_GOTO_OPERAND : PT_VJUMP_GOTO;

	if (cpu->in_slot)
		return pt_mb_illegal(cpu);
	if ((op->word & BR_A) == 0)
		to += cpu->pc;
	if ((op->word & BR_L) != 0) {
		how = computed ? PT_VJUMP_CALL_OPERAND : PT_VJUMP_CALL;
		cpu->r[op->d] = cpu->pc;
	}
	jump(cpu, how, true, (op->word & BR_D) != 0, to & ~3u);
	return true;
}

static bool holds(unsigned condition, int32_t a)
{
	switch (condition) {
	case 0: return a == 0;
	case 1: return a != 0;
	case 2: return a < 0;
	case 3: return a <= 0;
	case 4: return a > 0;
	default: return a >= 0;
	}
}

static bool branch_if(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t to = (cpu->pc + operand(cpu, op)) & ~3u;
	bool taken = holds(op->word >> 21 & 7, (int32_t)cpu->r[op->a]);

	if (cpu->in_slot)
		return pt_mb_illegal(cpu);
	if (cpu->core.observers.cond)
		pt_vobservers_tell_cond(&cpu->core.observers, cpu->pc, taken, to);
	jump(cpu, PT_VJUMP_BRANCH, taken, (op->word & BCC_D) != 0, to);
	return true;
}

static bool return_by(struct pt_vmb *cpu, const struct op *op)
{
	if (cpu->in_slot)
		return pt_mb_illegal(cpu);
	if (op->kind != OP_RTSD && !pt_mb_privileged(cpu))
		return false;
	jump(cpu, op->kind == OP_RTSD ? PT_VJUMP_RETURN : PT_VJUMP_EXC_RETURN, true, true,
	     (cpu->r[op->a] + operand(cpu, op)) & ~3u);
	cpu->slot_returns = op->kind != OP_RTSD ? op->kind : 0;
	return true;
}

static bool software_break(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t to = operand(cpu, op) & ~3u;
	bool for_users = op->b == IMMEDIATE && (to == PT_VMB_USER || to == PT_VMB_BREAK);

	if (cpu->in_slot)
		return pt_mb_illegal(cpu);
	if (!for_users && !pt_mb_privileged(cpu))
		return false;
	cpu->retired.jump_taken = true;
	cpu->core.cycle += cpu->options.timing.taken - 1u;
	pt_mb_brk(cpu, op->d, to);
	return false;
}

/* mbar: with bit 4 of its operand, sleep. */
static bool barrier(struct pt_vmb *cpu, const struct op *op)
{
	if ((op->d & 16) == 0)
		return true;
	if (!pt_mb_privileged(cpu))
		return false;
	cpu->state = PT_VMB_SLEEP;
	pt_vcore_attend(&cpu->core);
	return true;
}

/* --- special registers */

static bool to_special(struct pt_vmb *cpu, const struct op *op)
{
	if (!pt_mb_privileged(cpu))
		return false;
	pt_mb_set_special(cpu, op->word & 0x3fff, cpu->r[op->a]);
	return true;
}

static bool change_msr(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t old = pt_mb_msr(cpu), bits = op->word & 0x7fff;

	if (bits != PT_VMB_C && !pt_mb_privileged(cpu))
		return false;
	cpu->r[op->d] = old;
	pt_mb_write_msr(cpu, op->kind == OP_MSRSET ? old | bits : old & ~bits);
	return true;
}

static bool prefix(struct pt_vmb *cpu, const struct op *op)
{
	if (cpu->in_slot)
		return pt_mb_illegal(cpu);
	cpu->prefix = op->word & 0xffff;
	return true;
}

/* --- all of them. False: it ended in a vector. */

static bool execute_other(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t *d = &cpu->r[op->d];
	uint32_t a = cpu->r[op->a];

	switch ((enum op_kind)op->kind) {
	case OP_IDIV: case OP_IDIVU: return divide(cpu, op);
	case OP_PCMPBF: *d = first_equal_byte(a, cpu->r[op->b]); break;
	case OP_PCMPEQ: *d = a == cpu->r[op->b]; break;
	case OP_PCMPNE: *d = a != cpu->r[op->b]; break;
	case OP_SRA: *d = shift_right(cpu, a, a & 0x80000000); break;
	case OP_SRC: *d = shift_right(cpu, a, (uint32_t)cpu->carry << 31); break;
	case OP_SRL: *d = shift_right(cpu, a, 0); break;
	case OP_SEXT8: *d = (uint32_t)(int32_t)(int8_t)a; break;
	case OP_SEXT16: *d = (uint32_t)(int32_t)(int16_t)a; break;
	case OP_CLZ: *d = a == 0 ? 32 : (uint32_t)__builtin_clz(a); break;
	case OP_SWAPB: *d = __builtin_bswap32(a); break;
	case OP_SWAPH: *d = a << 16 | a >> 16; break;
	case OP_BSEFI: case OP_BSIFI: field(cpu, op); break;
	case OP_CACHE: return pt_mb_privileged(cpu);	/* there are no caches */
	case OP_LBUR: return load(cpu, op, 1, true);
	case OP_LHUR: return load(cpu, op, 2, true);
	case OP_LWR: return load(cpu, op, 4, true);
	case OP_SBR: return store(cpu, op, 1, true);
	case OP_SHR: return store(cpu, op, 2, true);
	case OP_SWR: return store(cpu, op, 4, true);
	case OP_LWX: return load_exclusive(cpu, op);
	case OP_SWX: return store_exclusive(cpu, op);
	case OP_BRK: return software_break(cpu, op);
	case OP_MBAR: return barrier(cpu, op);
	case OP_MFS: *d = pt_mb_special(cpu, op->word & 0x3fff); break;
	case OP_MTS: return to_special(cpu, op);
	case OP_MSRSET: case OP_MSRCLR: return change_msr(cpu, op);
	default: return pt_mb_illegal(cpu);
	}
	return true;
}

static inline bool execute(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t *d = &cpu->r[op->d];
	uint32_t a = cpu->r[op->a];

	switch ((enum op_kind)op->kind) {
	case OP_ADD: case OP_RSUB: case OP_ADDC: case OP_RSUBC: case OP_RSUBK: case OP_ADDKC: case OP_RSUBKC:
		*d = add(cpu, op->kind, a, operand(cpu, op));
		break;
	case OP_ADDK: *d = a + operand(cpu, op); break;
	case OP_CMP: *d = compare((int32_t)a > (int32_t)cpu->r[op->b], a, cpu->r[op->b]); break;
	case OP_CMPU: *d = compare(a > cpu->r[op->b], a, cpu->r[op->b]); break;
	case OP_MUL: case OP_MULH: case OP_MULHSU: case OP_MULHU:
		cpu->core.cycle += cpu->options.timing.multiply - 1u;
		*d = multiply(op->kind, a, operand(cpu, op));
		break;
	case OP_OR: *d = a | operand(cpu, op); break;
	case OP_AND: *d = a & operand(cpu, op); break;
	case OP_XOR: *d = a ^ operand(cpu, op); break;
	case OP_ANDN: *d = a & ~operand(cpu, op); break;
	case OP_BSLL: case OP_BSRA: case OP_BSRL:
		cpu->core.cycle += cpu->options.timing.barrel - 1u;
		*d = barrel(op->kind, a, (op->b == IMMEDIATE ? op->word : cpu->r[op->b]) & 31);
		break;
	case OP_IMM: return prefix(cpu, op);
	case OP_LBU: return load(cpu, op, 1, false);
	case OP_LHU: return load(cpu, op, 2, false);
	case OP_LW: return load(cpu, op, 4, false);
	case OP_SB: return store(cpu, op, 1, false);
	case OP_SH: return store(cpu, op, 2, false);
	case OP_SW: return store(cpu, op, 4, false);
	case OP_BR: return branch(cpu, op);
	case OP_BCC: return branch_if(cpu, op);
	case OP_RTSD: case OP_RTID: case OP_RTBD: case OP_RTED: return return_by(cpu, op);
	default: return execute_other(cpu, op);
	}
	return true;
}

/* --- telling of it */

static bool writes_rd(const struct op *op)
{
	switch ((enum op_kind)op->kind) {
	case OP_SB: case OP_SH: case OP_SW: case OP_SBR: case OP_SHR: case OP_SWR: case OP_SWX:
	case OP_IMM: case OP_BCC: case OP_RTSD: case OP_RTID: case OP_RTBD: case OP_RTED: case OP_MTS: case OP_MBAR:
	case OP_CACHE: case OP_ILLEGAL:
		return false;
	default:
		return op->d != 0;
	}
}

static void tell_retired(struct pt_vmb *cpu, const struct op *op, uint32_t pc, bool was_slot, uint64_t began)
{
	struct pt_vmb_retired *r = &cpu->retired;

	r->pc = pc;
	r->instruction = op->word;
	r->next = cpu->pc;
	r->msr = pt_mb_msr(cpu);
	r->cycles = (uint32_t)(cpu->core.cycle - began);
	r->rd = op->d;
	r->writes_rd = writes_rd(op);
	r->result = cpu->r[op->d];
	r->in_slot = was_slot;
	cpu->hooks.retired(cpu->hooks.arg, r);
}

void pt_mb_entered(struct pt_vmb *cpu, unsigned kind, uint32_t cycles)
{
	const struct pt_vmb_retired entry = {
		.pc = cpu->last_pc, .next = cpu->pc, .msr = pt_mb_msr(cpu), .cycles = cycles, .exception = true,
		.kind = (uint8_t)kind,
	};

	cpu->hooks.retired(cpu->hooks.arg, &entry);
}

/* --- the loop */

/* The debugger is asked before the instruction at pc. True: it halts the core there. What stands in a slot halts behind
 * the slot where the core does not halt in it (UNVERIFIED). */
static bool breaks(struct pt_vmb *cpu, const struct op *op, uint32_t pc)
{
	bool passes = cpu->passes_breakpoint;

	cpu->passes_breakpoint = false;
	if (op->kind == OP_BRK && op->b == IMMEDIATE && !cpu->prefixed && simm(op) == PT_VMB_BREAK && !cpu->in_slot &&
	    cpu->options.debug_enabled != 0 && cpu->hooks.brki != NULL && cpu->hooks.brki(cpu->hooks.arg, pc)) {
		pt_vmb_request_halt(cpu, PT_VMB_HALT_BRKI);
		return true;
	}
	for (unsigned i = 0; !passes && i < PT_VMB_BREAKPOINTS; i++) {
		if ((cpu->breakpoints >> i & 1) == 0 || cpu->breakpoint[i] != pc)
			continue;
		pt_vmb_request_halt(cpu, PT_VMB_HALT_BREAKPOINT);
		return !cpu->prefixed && (!cpu->in_slot || cpu->options.step_into_slot);
	}
	return false;
}

/* Nothing answers where the pc points. Without the exception the bus's zeros are executed, as far as they go. */
static bool no_code(struct pt_vmb *cpu)
{
	static const struct op nothing = { .kind = OP_ILLEGAL };

	cpu->core.cycle++;
	if (!pt_mb_raise(cpu, cpu->options.i_bus_exception, PT_VMB_EC_IBUS))
		return false;
	cpu->stray = nothing;
	return true;
}

static void step(struct pt_vmb *cpu, const struct op *op)
{
	uint32_t pc = cpu->pc;
	uint64_t began = cpu->core.cycle;
	bool was_slot = cpu->in_slot, observing = cpu->observing;

	if (cpu->core.observers.insn)
		pt_vobservers_tell_insn(&cpu->core.observers, pc);
	if (observing)
		cpu->retired = (struct pt_vmb_retired){ 0 };
	cpu->last_pc = pc;
	cpu->next = pc + 4;
	cpu->raised = false;
	cpu->core.cycle++;
	cpu->core.instructions++;
	if (execute(cpu, op) && !cpu->raised) {
		cpu->prefixed = op->kind == OP_IMM;
		if (was_slot)
			leave_slot(cpu);
		cpu->pc = cpu->next;
	}
	cpu->r[0] = 0;
	if (observing)
		tell_retired(cpu, op, pc, was_slot, began);
}

void pt_mb_execute(struct pt_vmb *cpu)
{
	while (cpu->core.cycle < cpu->core.deadline) {
		const struct op *op = pt_mb_fetch(cpu, cpu->pc);

		if (op == NULL) {
			if (!no_code(cpu))
				continue;
			op = &cpu->stray;
		}
		if ((cpu->breakpoints != 0 || cpu->passes_breakpoint || op->kind == OP_BRK) && breaks(cpu, op, cpu->pc))
			return;
		step(cpu, op);
	}
}
