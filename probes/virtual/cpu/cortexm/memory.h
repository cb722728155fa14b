/* The core's own way to memory. RAM inline; flash, units, misaligned and forbidden accesses in memory.c. */
#ifndef PT_VIRTUAL_CPU_CORTEXM_MEMORY_H
#define PT_VIRTUAL_CPU_CORTEXM_MEMORY_H

#include "probes/virtual/cpu/cortexm/core.h"
#include "base/util.h"

/* False: alignment, privilege, protection or bus fault, as cpu->fault.cause says. size_bytes 1, 2, 4. An address that is
 * no multiple of it is a fault in ARMv6-M, and with CCR.UNALIGN_TRP. */
bool pt_cpu_load_slowly(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t *value);
bool pt_cpu_store_slowly(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t value);

/* The same, told to the observers. */
bool pt_cpu_load_told(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t *value);
bool pt_cpu_store_told(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t value);

bool pt_cpu_never_executable(uint32_t addr);	/* by the architecture's memory map */
/* The window that addr can be executed from, or NULL. */
struct window *pt_cpu_code_window(struct pt_vcpu *cpu, uint32_t addr);
/* Decode the instruction at addr into the window's cache; a breakpoint comparator there makes it a stop point. */
void pt_cpu_decode(struct pt_vcpu *cpu, struct window *window, uint32_t addr);
/* The same without looking at comparators. */
struct op pt_cpu_decode_plain(const struct pt_vcpu *cpu, const struct window *window, uint32_t addr);
void pt_cpu_forget(struct pt_vcpu *cpu, uint32_t addr, uint32_t size_bytes);
/* A vector: privileged, and never a matter of the MPU. */
bool pt_cpu_load_vector(struct pt_vcpu *cpu, uint32_t addr, uint32_t *value);
void pt_cpu_choose_ram(struct pt_vcpu *cpu);	/* what cpu->ram is now */
bool pt_cpu_make_windows(struct pt_vcpu *cpu);
void pt_cpu_free_windows(struct pt_vcpu *cpu);

static inline bool pt_cpu_load(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	uint32_t offset = addr - cpu->ram->base;
	const uint8_t *p;

	if (offset >= cpu->ram->size || (addr & (size_bytes - 1)) != 0)
		return pt_cpu_load_slowly(cpu, addr, size_bytes, value);
	p = cpu->ram->bytes + offset;
	*value = size_bytes == 4 ? pt_le32(p) : size_bytes == 2 ? pt_le16(p) : *p;
	return true;
}

static inline bool pt_cpu_store(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	uint32_t offset = addr - cpu->ram->base;
	uint8_t *p;

	if (offset >= cpu->ram->size || (addr & (size_bytes - 1)) != 0)
		return pt_cpu_store_slowly(cpu, addr, size_bytes, value);
	p = cpu->ram->bytes + offset;
	if (size_bytes == 4)
		pt_put_le32(p, value);
	else if (size_bytes == 2)
		pt_put_le16(p, (uint16_t)value);
	else
		*p = (uint8_t)value;
	if (cpu->ram->has_code[offset >> PAGE_SHIFT])
		pt_cpu_code_changed(cpu, addr, size_bytes);
	return true;
}

#endif
