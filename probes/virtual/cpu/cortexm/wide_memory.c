/* Loads and stores of the 32-bit encodings. Lists, doublewords and exclusives must be aligned, the others need not.
 * Source: DDI 0403, A5.3.5 to A5.3.10. */
#include "probes/virtual/cpu/cortexm/alu.h"
#include "probes/virtual/cpu/cortexm/decode.h"
#include "probes/virtual/cpu/cortexm/memory.h"

static bool aligned(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes)
{
	return (addr & (size_bytes - 1)) == 0 || pt_cpu_fails(cpu, UNALIGNED);
}

static uint32_t extended(uint32_t value, unsigned transfer)
{
	if ((transfer & SIGNED) == 0)
		return value;
	return (transfer & BYTES_LOG2) == 0 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

/* Source: DDI 0403, A7.7.42: a load of pc must come from a word address */
static bool load_register(struct pt_vcpu *cpu, unsigned d, uint32_t addr, unsigned transfer, uint32_t pc)
{
	uint32_t value;

	if (!pt_cpu_load_told(cpu, addr, 1u << (transfer & BYTES_LOG2), &value))
		return false;
	if (d == PC) {
		cpu->core.cycle += 2;
		pt_cpu_jump_interworking(cpu, pc, value);
		return true;
	}
	write_high(cpu, d, extended(value, transfer));
	return true;
}

static bool move_register(struct pt_vcpu *cpu, unsigned d, uint32_t addr, unsigned transfer, uint32_t pc)
{
	if ((transfer & LOAD) != 0)
		return load_register(cpu, d, addr, transfer, pc);
	return pt_cpu_store_told(cpu, addr, 1u << (transfer & BYTES_LOG2), cpu->r[d]);
}

/* The base changes with the access, before a jump that the access makes. */
static bool indexed(struct pt_vcpu *cpu, const struct op *op, uint32_t pc)
{
	uint32_t base = cpu->r[op->n], to = base + op->imm;
	bool done;

	if ((op->m & AS_USER) != 0) {
		cpu->as_user = true;
		done = move_register(cpu, op->d, to, op->m, pc);
		cpu->as_user = false;
		return done;
	}
	if (op->d == PC && (op->m & LOAD) != 0) {
		write_high(cpu, op->n, to);
		done = load_register(cpu, PC, (op->m & POST) != 0 ? base : to, op->m, pc);
		if (!done)
			cpu->r[op->n] = base;
		return done;
	}
	if (!move_register(cpu, op->d, (op->m & POST) != 0 ? base : to, op->m, pc))
		return false;
	write_high(cpu, op->n, to);
	return true;
}

static bool load_dual(struct pt_vcpu *cpu, const struct op *op, uint32_t addr)
{
	uint32_t first, second;

	if (!pt_cpu_load_told(cpu, addr, 4, &first) || !pt_cpu_load_told(cpu, addr + 4, 4, &second))
		return false;
	cpu->r[op->d] = first;
	cpu->r[op->m] = second;
	return true;
}

static bool dual(struct pt_vcpu *cpu, const struct op *op, uint32_t pc)
{
	uint32_t base = op->n == PC ? (pc + 4) & ~3u : cpu->r[op->n], to = base + (uint32_t)(int16_t)op->imm;
	uint32_t addr = (op->imm & DUAL_POST) != 0 ? base : to;
	bool done;

	if (!aligned(cpu, addr, 4))
		return false;
	if ((op->imm & DUAL_LOAD) != 0)
		done = load_dual(cpu, op, addr);
	else
		done = pt_cpu_store_told(cpu, addr, 4, cpu->r[op->d]) &&
		       pt_cpu_store_told(cpu, addr + 4, 4, cpu->r[op->m]);
	if (done && (op->imm & (DUAL_PRE | DUAL_POST)) != 0)
		write_high(cpu, op->n, to);
	return done;
}

static bool load_list(struct pt_vcpu *cpu, const struct op *op, uint32_t addr, uint32_t to, uint32_t pc)
{
	uint32_t value[16] = { 0 };
	unsigned n = 0;

	for (uint32_t rest = op->imm; rest != 0; rest &= rest - 1, n++)
		if (!pt_cpu_load_told(cpu, addr + 4 * n, 4, &value[n]))
			return false;
	if ((op->m & LIST_WRITE_BACK) != 0)
		write_high(cpu, op->n, to);
	n = 0;
	for (uint32_t rest = op->imm & 0x7fff; rest != 0; rest &= rest - 1, n++)
		write_high(cpu, (unsigned)__builtin_ctz(rest), value[n]);
	if ((op->imm & 1 << PC) != 0) {
		cpu->core.cycle += 2;
		pt_cpu_jump_interworking(cpu, pc, value[n]);
	}
	return true;
}

static bool store_list(struct pt_vcpu *cpu, const struct op *op, uint32_t addr, uint32_t to)
{
	for (uint32_t rest = op->imm; rest != 0; rest &= rest - 1, addr += 4)
		if (!pt_cpu_store_told(cpu, addr, 4, cpu->r[__builtin_ctz(rest)]))
			return false;
	if ((op->m & LIST_WRITE_BACK) != 0)
		write_high(cpu, op->n, to);
	return true;
}

static bool list(struct pt_vcpu *cpu, const struct op *op, uint32_t pc)
{
	uint32_t base = cpu->r[op->n], bytes = 4u * op->d;
	uint32_t to = (op->m & LIST_BEFORE) != 0 ? base - bytes : base + bytes;
	uint32_t addr = (op->m & LIST_BEFORE) != 0 ? to : base;

	cpu->core.cycle += op->d;
	if (!aligned(cpu, addr, 4))
		return false;
	return (op->m & LIST_LOAD) != 0 ? load_list(cpu, op, addr, to, pc) : store_list(cpu, op, addr, to);
}

/* The monitor is one flag: there is one master. */
static bool store_exclusive(struct pt_vcpu *cpu, unsigned d, uint32_t addr, unsigned size_bytes, unsigned t)
{
	if (!aligned(cpu, addr, size_bytes))
		return false;
	if (cpu->exclusive && !pt_cpu_store_told(cpu, addr, size_bytes, cpu->r[t]))
		return false;
	cpu->r[d] = !cpu->exclusive;
	cpu->exclusive = false;
	return true;
}

static bool load_exclusive(struct pt_vcpu *cpu, unsigned t, uint32_t addr, unsigned size_bytes)
{
	uint32_t value;

	if (!aligned(cpu, addr, size_bytes) || !pt_cpu_load_told(cpu, addr, size_bytes, &value))
		return false;
	cpu->r[t] = value;
	cpu->exclusive = true;
	return true;
}

/* Bit 23 tells bytes and halfwords, where bits 3..0 are the register of the result, from words with an offset. */
static bool exclusive(struct pt_vcpu *cpu, uint32_t raw)
{
	uint32_t base = cpu->r[raw >> 16 & 15];
	unsigned t = raw >> 12 & 15;
	bool load = (raw & 1 << 20) != 0, small = (raw & 1 << 23) != 0;
	unsigned size_bytes = !small ? 4 : (raw & 0x10) != 0 ? 2 : 1;
	uint32_t addr = small ? base : base + 4 * (raw & 0xff);

	if (load)
		return load_exclusive(cpu, t, addr, size_bytes);
	return store_exclusive(cpu, small ? raw & 15 : raw >> 8 & 15, addr, size_bytes, t);
}

bool pt_cpu_wide_memory(struct pt_vcpu *cpu, const struct op *op, uint32_t pc)
{
	const uint32_t *r = cpu->r;

	switch (op->kind) {
	case OP_WIDE_LOAD:
		return load_register(cpu, op->d, r[op->n] + op->imm, op->m, pc);
	case OP_WIDE_STORE:
		return pt_cpu_store_told(cpu, r[op->n] + op->imm, 1u << (op->m & BYTES_LOG2), r[op->d]);
	case OP_WIDE_LOAD_LITERAL:
		return load_register(cpu, op->d, op->imm, op->m, pc);
	case OP_WIDE_MEMORY_REG:
		return move_register(cpu, op->d, r[op->n] + (r[op->m] << (op->imm & 3)), op->imm >> 8, pc);
	case OP_WIDE_INDEXED:
		return indexed(cpu, op, pc);
	case OP_WIDE_DUAL:
		return dual(cpu, op, pc);
	case OP_WIDE_LIST:
		return list(cpu, op, pc);
	default:
		return exclusive(cpu, op->imm);
	}
}
