/* The general operand. UNVERIFIED, as binutils has encodings and not their meaning:
 *   - a data register in an address counts as unsigned: (Di,X), (u18,Di), [Di,X]; D6 and D7 with their low 24 bits
 *   - P in (s9,P) and [o24,P] is the address of the instruction (decode.c)
 *   - a register as operand of an instruction for another register is extended with its sign, or cut off
 *   - a register as operand of an instruction with .b, .w, .p, .l has its own width, except for MOV
 *   - the short immediate cannot be written: nothing happens */
#include "probes/virtual/cpu/s12z/memory.h"
#include "probes/virtual/cpu/s12z/operand.h"

bool pt_z_data_read(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t *value)
{
	if (!pt_z_load(cpu, addr, size, value))
		return false;
	if (cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr & ADDR_MASK, size, false, *value, cpu->last_pc);
	return true;
}

bool pt_z_data_write(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t value)
{
	value &= pt_z_mask(size);
	if (!pt_z_store(cpu, addr, size, value))
		return false;
	if (cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr & ADDR_MASK, size, true, value, cpu->last_pc);
	return true;
}

bool pt_z_push(struct pt_vs12z *cpu, unsigned size, uint32_t value)
{
	uint32_t addr = (cpu->r[R_S] - size) & ADDR_MASK;

	if (!pt_z_data_write(cpu, addr, size, value))
		return false;
	cpu->r[R_S] = addr;
	return true;
}

bool pt_z_pull(struct pt_vs12z *cpu, unsigned size, uint32_t *value)
{
	if (!pt_z_data_read(cpu, cpu->r[R_S], size, value))
		return false;
	cpu->r[R_S] = (cpu->r[R_S] + size) & ADDR_MASK;
	return true;
}

static uint32_t step(struct pt_vs12z *cpu, unsigned reg, uint32_t by)
{
	return cpu->r[reg] = (cpu->r[reg] + by) & ADDR_MASK;
}

bool pt_z_address(struct pt_vs12z *cpu, const struct operand *o, unsigned size, uint32_t *addr)
{
	const uint32_t *r = cpu->r;
	bool indirect = false;
	uint32_t at = o->value;

	switch ((enum operand_mode)o->mode) {
	case AT_NOTHING: case AT_IMM: case AT_ADDR: case AT_P: break;
	case AT_REG: at = r[o->base]; break;
	case AT_BASE: at += r[o->base]; break;
	case AT_DATA_BASE: at += r[o->index]; break;
	case AT_INDEX: at = r[o->base] + r[o->index]; break;
	case AT_PRE_DEC: at = step(cpu, o->base, 0 - size); break;
	case AT_PRE_INC: at = step(cpu, o->base, size); break;
	case AT_POST_DEC: at = step(cpu, o->base, 0 - size) + size; break;
	case AT_POST_INC: at = step(cpu, o->base, size) - size; break;
	case IN_ADDR: case IN_P: indirect = true; break;
	case IN_BASE: at += r[o->base]; indirect = true; break;
	case IN_INDEX: at = r[o->base] + r[o->index]; indirect = true; break;
	}
	*addr = at & ADDR_MASK;
	return !indirect || pt_z_data_read(cpu, *addr, 3, addr);
}

unsigned pt_z_own_size(const struct operand *o, unsigned size)
{
	return o->mode == AT_REG ? pt_z_width[o->base] : size;
}

static uint32_t register_as(const struct pt_vs12z *cpu, unsigned reg, unsigned size)
{
	unsigned width = pt_z_width[reg];

	return (width < size ? pt_z_extend(cpu->r[reg], width) : cpu->r[reg]) & pt_z_mask(size);
}

static void set_register(struct pt_vs12z *cpu, unsigned reg, unsigned size, uint32_t value)
{
	unsigned width = pt_z_width[reg];

	cpu->r[reg] = (size < width ? pt_z_extend(value, size) : value) & pt_z_mask(width);
}

bool pt_z_take(struct pt_vs12z *cpu, const struct operand *o, unsigned size, struct place *place, uint32_t *value)
{
	*place = (struct place){ o, 0, size };
	if (o->mode == AT_IMM) {
		*value = o->value & pt_z_mask(size);
		return true;
	}
	if (o->mode == AT_REG) {
		*value = register_as(cpu, o->base, size);
		return true;
	}
	return pt_z_address(cpu, o, size, &place->addr) && pt_z_data_read(cpu, place->addr, size, value);
}

bool pt_z_give(struct pt_vs12z *cpu, const struct place *place, uint32_t value)
{
	if (place->o->mode == AT_IMM)
		return true;
	if (place->o->mode == AT_REG) {
		set_register(cpu, place->o->base, place->size, value);
		return true;
	}
	return pt_z_data_write(cpu, place->addr, place->size, value);
}

bool pt_z_read(struct pt_vs12z *cpu, const struct operand *o, unsigned size, uint32_t *value)
{
	struct place place;

	return pt_z_take(cpu, o, size, &place, value);
}

bool pt_z_write(struct pt_vs12z *cpu, const struct operand *o, unsigned size, uint32_t value)
{
	struct place place = { o, 0, size };

	if (o->mode != AT_IMM && o->mode != AT_REG && !pt_z_address(cpu, o, size, &place.addr))
		return false;
	return pt_z_give(cpu, &place, value);
}
