/* The core's own way to memory: RAM inline, units and what is not there in memory.c. */
#ifndef PT_VIRTUAL_CPU_MICROBLAZE_MEMORY_H
#define PT_VIRTUAL_CPU_MICROBLAZE_MEMORY_H

#include "probes/virtual/cpu/microblaze/core.h"
#include "base/util.h"

/* False: nothing answers there. addr is aligned to size. */
bool pt_mb_load_by_bus(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t *value);
bool pt_mb_store_by_bus(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t value);

/* The decoded instruction at addr; NULL: nothing answers there, or no memory for it. */
const struct op *pt_mb_fetch_slowly(struct pt_vmb *cpu, uint32_t addr);
void pt_mb_forget(struct pt_vmb *cpu, uint32_t addr, uint32_t size_bytes);
bool pt_mb_make_windows(struct pt_vmb *cpu);
void pt_mb_free_windows(struct pt_vmb *cpu);

static inline struct window *pt_mb_window(struct pt_vmb *cpu, uint32_t addr)
{
	for (size_t i = 0; i < cpu->n_windows; i++)
		if (addr - cpu->window[i].base < cpu->window[i].size)
			return &cpu->window[i];
	return NULL;
}

static inline uint32_t pt_mb_get(const uint8_t *p, unsigned size, bool big_endian)
{
	if (size == 4)
		return big_endian ? pt_be32(p) : pt_le32(p);
	if (size == 2)
		return big_endian ? pt_be16(p) : pt_le16(p);
	return *p;
}

static inline void pt_mb_put(uint8_t *p, unsigned size, uint32_t value, bool big_endian)
{
	if (size == 4 && big_endian)
		pt_put_be32(p, value);
	else if (size == 4)
		pt_put_le32(p, value);
	else if (size == 2 && big_endian)
		pt_put_be16(p, (uint16_t)value);
	else if (size == 2)
		pt_put_le16(p, (uint16_t)value);
	else
		*p = (uint8_t)value;
}

static inline bool pt_mb_load(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t *value)
{
	const struct window *w = pt_mb_window(cpu, addr);

	if (w == NULL)
		return pt_mb_load_by_bus(cpu, addr, size, value);
	*value = pt_mb_get(w->bytes + (addr - w->base), size, cpu->core.bus->big_endian);
	return true;
}

static inline bool pt_mb_store(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t value)
{
	const struct window *w = pt_mb_window(cpu, addr);
	struct op *page;

	if (w == NULL || w->read_only)
		return pt_mb_store_by_bus(cpu, addr, size, value);
	pt_mb_put(w->bytes + (addr - w->base), size, value, cpu->core.bus->big_endian);
	page = w->page[(addr - w->base) >> PAGE_SHIFT];
	if (page != NULL)
		page[(addr & (PAGE_BYTES - 1)) / 4].kind = 0;
	return true;
}

static inline const struct op *pt_mb_fetch(struct pt_vmb *cpu, uint32_t pc)
{
	const struct op *op;

	if ((pc & ~(uint32_t)(PAGE_BYTES - 1)) != cpu->code_base)
		return pt_mb_fetch_slowly(cpu, pc);
	op = &cpu->code[(pc & (PAGE_BYTES - 1)) / 4];
	return op->kind != 0 ? op : pt_mb_fetch_slowly(cpu, pc);
}

#endif
