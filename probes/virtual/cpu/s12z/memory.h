/* The core's own way to memory: RAM inline; flash, units, what crosses a border and what is illegal in memory.c. */
#ifndef PT_VIRTUAL_CPU_S12Z_MEMORY_H
#define PT_VIRTUAL_CPU_S12Z_MEMORY_H

#include "probes/virtual/cpu/s12z/core.h"
#include "base/util.h"

/* False: an illegal access; hooks.illegal was told. size 1..4, any address. */
bool pt_z_load_slowly(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t *value);
bool pt_z_store_slowly(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t value);

/* The window that addr can be executed from, or NULL. */
struct window *pt_z_code_window(struct pt_vs12z *cpu, uint32_t addr);
/* Decode the instruction at addr into the window's cache. */
void pt_z_cache(struct pt_vs12z *cpu, struct window *window, uint32_t addr);
void pt_z_forget(struct pt_vs12z *cpu, uint32_t addr, uint32_t size_bytes);
bool pt_z_make_windows(struct pt_vs12z *cpu);
void pt_z_free_windows(struct pt_vs12z *cpu);

static inline uint32_t pt_z_from_bytes(const uint8_t *p, unsigned size)
{
	return size == 4 ? pt_be32(p) : size == 2 ? pt_be16(p) : size == 3 ? pt_be24(p) : *p;
}

static inline void pt_z_to_bytes(uint8_t *p, unsigned size, uint32_t value)
{
	if (size == 4)
		pt_put_be32(p, value);
	else if (size == 2)
		pt_put_be16(p, (uint16_t)value);
	else if (size == 3)
		pt_put_be24(p, value);
	else
		*p = (uint8_t)value;
}

static inline bool pt_z_load(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t *value)
{
	uint32_t offset = (addr & ADDR_MASK) - cpu->ram->base;

	cpu->core.cycle += CYCLES_ACCESS;
	if (offset > cpu->ram->size - size)
		return pt_z_load_slowly(cpu, addr & ADDR_MASK, size, value);
	*value = pt_z_from_bytes(cpu->ram->bytes + offset, size);
	return true;
}

static inline bool pt_z_store(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t value)
{
	uint32_t offset = (addr & ADDR_MASK) - cpu->ram->base;
	const struct window *ram = cpu->ram;

	cpu->core.cycle += CYCLES_ACCESS;
	if (offset > ram->size - size)
		return pt_z_store_slowly(cpu, addr & ADDR_MASK, size, value);
	pt_z_to_bytes(ram->bytes + offset, size, value);
	if ((ram->has_code[offset >> PAGE_SHIFT] | ram->has_code[(offset + size - 1) >> PAGE_SHIFT]) != 0)
		pt_z_forget(cpu, ram->base + offset, size);
	return true;
}

#endif
