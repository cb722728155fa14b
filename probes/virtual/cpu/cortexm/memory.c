/* The way to memory: windows onto the bus's RAM and flash, with the decoded instructions of each, and what
 * takes longer. A write forgets what was decoded from the bytes it touches; pages without decoded instructions make that
 * one test. */
#include <stdlib.h>

#include "probes/virtual/cpu/cortexm/decode.h"
#include "probes/virtual/cpu/cortexm/memory.h"

/* Code, SRAM and external RAM can be executed; peripherals, devices and the system space cannot. Source: DDI 0419,
 * B3.1 */
bool pt_cpu_never_executable(uint32_t addr)
{
	return addr >= 0xa0000000 || (addr >= 0x40000000 && addr < 0x60000000);
}

bool pt_cpu_make_windows(struct pt_vcpu *cpu)
{
	for (size_t i = 0; i < cpu->core.bus->n_regions; i++) {
		const struct pt_vregion *region = &cpu->core.bus->region[i];
		struct window *w = &cpu->window[cpu->n_windows];

		if (region->bytes == NULL)
			continue;
		if (cpu->n_windows == MAX_WINDOWS)
			return false;
		*w = (struct window){ region->base, region->size, region->bytes, region->read_only,
				      !pt_cpu_never_executable(region->base), false, false, NULL, NULL };
		w->op = calloc(w->size / 2 + 1, sizeof(*w->op));
		w->has_code = calloc((w->size >> PAGE_SHIFT) + 1, 1);
		cpu->n_windows++;
		if (w->op == NULL || w->has_code == NULL)
			return false;
		if (!w->read_only && cpu->ram == NULL)
			cpu->ram = w;
	}
	return cpu->ram != NULL;
}

void pt_cpu_free_windows(struct pt_vcpu *cpu)
{
	for (size_t i = 0; i < cpu->n_windows; i++) {
		free(cpu->window[i].op);
		free(cpu->window[i].has_code);
	}
}

static struct window *window_of(struct pt_vcpu *cpu, uint32_t addr)
{
	for (size_t i = 0; i < cpu->n_windows; i++)
		if (addr - cpu->window[i].base < cpu->window[i].size)
			return &cpu->window[i];
	return NULL;
}

/* The first writable window, unless the bus has it or each access must be allowed. */
void pt_cpu_choose_ram(struct pt_vcpu *cpu)
{
	cpu->ram = &cpu->nowhere;
	for (size_t i = 0; i < cpu->n_windows && !cpu->mpu.on; i++) {
		if (cpu->window[i].read_only)
			continue;
		if (!cpu->window[i].by_bus)
			cpu->ram = &cpu->window[i];
		return;
	}
}

void pt_vcpu_detour(struct pt_vcpu *cpu, uint32_t addr, bool data, bool code)
{
	struct window *w = window_of(cpu, addr);

	if (w == NULL)
		return;
	w->by_bus = data;
	w->no_code = code;
	cpu->nowhere.bytes = w->bytes;
	pt_cpu_choose_ram(cpu);
	if (cpu->code == w)
		cpu->code = &cpu->nowhere;	/* the next fetch looks again */
}

struct window *pt_cpu_code_window(struct pt_vcpu *cpu, uint32_t addr)
{
	struct window *w = window_of(cpu, addr);

	return w != NULL && w->executable && !w->no_code && w->size - (addr - w->base) >= 2 ? w : NULL;
}

struct op pt_cpu_decode_plain(const struct pt_vcpu *cpu, const struct window *window, uint32_t addr)
{
	uint32_t offset = addr - window->base;
	bool has_second = window->size - offset >= 4;
	uint16_t second = has_second ? pt_le16(window->bytes + offset + 2) : 0;

	return pt_op_decode(addr, pt_le16(window->bytes + offset), second, has_second, cpu->model->mainline);
}

void pt_cpu_decode(struct pt_vcpu *cpu, struct window *window, uint32_t addr)
{
	uint32_t offset = addr - window->base;
	struct op *op = &window->op[offset / 2];

	*op = pt_cpu_decode_plain(cpu, window, addr);
	for (unsigned i = 0; i < PT_VCPU_BREAKPOINTS; i++)
		if (cpu->breakpoint_on[i] && cpu->breakpoint[i] == addr)
			op->kind = OP_STOP_POINT;
	window->has_code[offset >> PAGE_SHIFT] = 1;
	if (window->size - offset > 2)
		window->has_code[(offset + 2) >> PAGE_SHIFT] = 1;
}

static bool has_code(const struct window *w, uint64_t first, uint64_t end)
{
	for (uint64_t page = first >> PAGE_SHIFT; page <= (end - 1) >> PAGE_SHIFT; page++)
		if (w->has_code[page])
			return true;
	return false;
}

/* An instruction may begin one halfword before the bytes that changed. */
void pt_cpu_forget(struct pt_vcpu *cpu, uint32_t addr, uint32_t size_bytes)
{
	for (size_t i = 0; i < cpu->n_windows; i++) {
		struct window *w = &cpu->window[i];
		uint64_t first = addr > w->base ? addr - w->base : 0;
		uint64_t end = (uint64_t)addr + size_bytes;

		if (end <= w->base || first >= w->size)
			continue;
		end -= w->base;
		if (end > w->size)
			end = w->size;
		if (!has_code(w, first, end))
			continue;
		for (uint64_t h = first / 2 - (first >= 2); h < (end + 1) / 2; h++)
			w->op[h].kind = OP_NEW;
	}
}

/* --- the caches of a Cortex-M7: the registers that describe them, 16 KiB each, and an instruction cache without bounds.
 * What was executed once is executed again, whatever is in memory by then, until the program or a debugger empties the
 * cache. Data goes past its cache, as if it wrote through and saw every other master. Source: DDI 0403, B2.2.7 and B4.8;
 * the values UNVERIFIED (Cortex-M7 TRM). */

enum { CLIDR = 0xd78, CTR = 0xd7c, CCSIDR = 0xd80, CSSELR = 0xd84, ICIALLU = 0xf50, ICIMVAU = 0xf58, BPIALL = 0xf78 };
enum { CSSELR_IND = 1, CCR_IC = 1 << 17, LINE_BYTES = 32 };
#define OF_INSTRUCTIONS UINT32_C(0xf01fe009)	/* CCSIDR: 256 sets of 2 ways, lines of 32 bytes */
#define OF_DATA UINT32_C(0xf00fe019)		/* 128 sets of 4 ways */

static bool keeps_code(const struct pt_vcpu *cpu)
{
	return cpu->model->caches && (cpu->ccr & CCR_IC) != 0;
}

void pt_cpu_code_changed(struct pt_vcpu *cpu, uint32_t addr, uint32_t size_bytes)
{
	if (!keeps_code(cpu))
		pt_cpu_forget(cpu, addr, size_bytes);
}

static void empty_cache(struct pt_vcpu *cpu)
{
	for (size_t i = 0; i < cpu->n_windows; i++)
		pt_cpu_forget(cpu, cpu->window[i].base, cpu->window[i].size);
}

void pt_cpu_set_ccr(struct pt_vcpu *cpu, uint32_t value)
{
	bool kept_code = keeps_code(cpu);

	cpu->ccr = value;
	if (kept_code && !keeps_code(cpu))
		empty_cache(cpu);
}

bool pt_cpu_cache_read(const struct pt_vcpu *cpu, uint32_t offset, uint32_t *value)
{
	if (!cpu->model->caches)
		return false;
	switch (offset) {
	case CLIDR: *value = 0x09000003; break;
	case CTR: *value = 0x8303c003; break;
	case CCSIDR: *value = (cpu->csselr & CSSELR_IND) != 0 ? OF_INSTRUCTIONS : OF_DATA; break;
	case CSSELR: *value = cpu->csselr; break;
	default: return false;
	}
	return true;
}

/* What concerns data alone needs nothing. */
bool pt_cpu_cache_write(struct pt_vcpu *cpu, uint32_t offset, uint32_t value)
{
	if (!cpu->model->caches || (offset != CSSELR && (offset < ICIALLU || offset > BPIALL)))
		return false;
	if (offset == CSSELR)
		cpu->csselr = value & CSSELR_IND;
	else if (offset == ICIALLU)
		empty_cache(cpu);
	else if (offset == ICIMVAU)
		pt_cpu_forget(cpu, value & ~(LINE_BYTES - 1u), LINE_BYTES);
	return true;
}

/* --- accesses */

/* The private peripheral bus; the ITM decides itself. Source: DDI 0419, B3.1.1; DDI 0403, C1.7.1 */
static bool forbidden(const struct pt_vcpu *cpu, uint32_t addr)
{
	return addr >> 20 == 0xe00 && !pt_cpu_privileged(cpu) && !(cpu->model->mainline && addr >> 12 == 0xe0000);
}

static void discount_ioport(struct pt_vcpu *cpu, uint32_t addr)
{
	if (addr - cpu->model->ioport_base < cpu->model->ioport_bytes)
		cpu->core.cycle--;
}

static bool fails_at(struct pt_vcpu *cpu, uint32_t addr, uint32_t cause)
{
	cpu->fault.addr = addr;
	return pt_cpu_fails(cpu, cause);
}

/* What stands between an access and the bus. */
static bool allowed(struct pt_vcpu *cpu, uint32_t addr, enum access access)
{
	if (forbidden(cpu, addr))
		return fails_at(cpu, addr, PRECISERR);
	if (cpu->mpu.on && !pt_cpu_mpu_allows(cpu, addr, access, pt_cpu_privileged(cpu)))
		return fails_at(cpu, addr, DACCVIOL);
	return true;
}

enum { CCR_UNALIGN_TRP = 8 };

/* Byte by byte, as the bus sees it. */
static bool load_unaligned(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	uint32_t all = 0, byte;

	if ((cpu->ccr & CCR_UNALIGN_TRP) != 0)
		return pt_cpu_fails(cpu, UNALIGNED);
	for (unsigned i = 0; i < size_bytes; i++) {
		if (!pt_cpu_load(cpu, addr + i, 1, &byte))
			return false;
		all |= byte << 8 * i;
	}
	*value = all;
	return true;
}

static bool store_unaligned(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	if ((cpu->ccr & CCR_UNALIGN_TRP) != 0)
		return pt_cpu_fails(cpu, UNALIGNED);
	for (unsigned i = 0; i < size_bytes; i++)
		if (!pt_cpu_store(cpu, addr + i, 1, value >> 8 * i))
			return false;
	return true;
}

static bool load_from(struct pt_vcpu *cpu, const struct pt_vaccess *access, uint32_t *value)
{
	const struct window *w = window_of(cpu, access->addr);

	if (w != NULL && !w->by_bus && w->size - (access->addr - w->base) >= access->size_bytes) {
		const uint8_t *p = w->bytes + (access->addr - w->base);

		*value = access->size_bytes == 4 ? pt_le32(p) : access->size_bytes == 2 ? pt_le16(p) : *p;
		return true;
	}
	discount_ioport(cpu, access->addr);
	return pt_vbus_read(cpu->core.bus, access, value) || fails_at(cpu, access->addr, PRECISERR);
}

bool pt_cpu_load_slowly(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	struct pt_vaccess access = { addr, (uint8_t)size_bytes, PT_VMASTER_CPU, pt_cpu_privileged(cpu) };

	if ((addr & (size_bytes - 1)) != 0)
		return load_unaligned(cpu, addr, size_bytes, value);
	return allowed(cpu, addr, ACCESS_READ) && load_from(cpu, &access, value);
}

bool pt_cpu_load_vector(struct pt_vcpu *cpu, uint32_t addr, uint32_t *value)
{
	struct pt_vaccess access = { addr, 4, PT_VMASTER_CPU, true };

	return load_from(cpu, &access, value);
}

bool pt_cpu_store_slowly(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	struct pt_vaccess access = { addr, (uint8_t)size_bytes, PT_VMASTER_CPU, pt_cpu_privileged(cpu) };

	if ((addr & (size_bytes - 1)) != 0)
		return store_unaligned(cpu, addr, size_bytes, value);
	if (!allowed(cpu, addr, ACCESS_WRITE))
		return false;
	if (size_bytes < 4)
		value &= (UINT32_C(1) << (8 * size_bytes)) - 1;
	discount_ioport(cpu, addr);
	return pt_vbus_write(cpu->core.bus, &access, value) || fails_at(cpu, addr, PRECISERR);
}

bool pt_cpu_load_told(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	if (!pt_cpu_load(cpu, addr, size_bytes, value))
		return false;
	if (cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr, size_bytes, false, *value, cpu->last_pc);
	return true;
}

bool pt_cpu_store_told(struct pt_vcpu *cpu, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	if (!pt_cpu_store(cpu, addr, size_bytes, value))
		return false;
	if (cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, addr, size_bytes, true, value, cpu->last_pc);
	return true;
}
