/* Windows onto the bus's RAM and flash, with the decoded instructions of each. A write forgets what was decoded from
 * the bytes it touches; pages without decoded instructions make that one test. */
#include <stdlib.h>

#include "probes/virtual/cpu/s12z/decode.h"
#include "probes/virtual/cpu/s12z/memory.h"

bool pt_z_make_windows(struct pt_vs12z *cpu)
{
	static uint8_t none[4];

	cpu->nowhere = (struct window){ .base = ADDR_MASK + 1, .size = 4, .bytes = none, .has_code = none };
	for (size_t i = 0; i < cpu->core.bus->n_regions; i++) {
		const struct pt_vregion *region = &cpu->core.bus->region[i];
		struct window *w = &cpu->window[cpu->n_windows];

		if (region->bytes == NULL)
			continue;
		if (cpu->n_windows == MAX_WINDOWS || region->size < 4)
			return false;
		*w = (struct window){ .base = region->base, .size = region->size, .bytes = region->bytes,
				      .read_only = region->read_only };
		w->op = calloc(w->size, sizeof(*w->op));
		w->has_code = calloc((w->size >> PAGE_SHIFT) + 1, 1);
		cpu->n_windows++;
		if (w->op == NULL || w->has_code == NULL)
			return false;
		if (!w->read_only && cpu->ram == NULL)
			cpu->ram = w;
	}
	return cpu->ram != NULL;
}

void pt_z_free_windows(struct pt_vs12z *cpu)
{
	for (size_t i = 0; i < cpu->n_windows; i++) {
		free(cpu->window[i].op);
		free(cpu->window[i].has_code);
	}
}

static struct window *window_of(struct pt_vs12z *cpu, uint32_t addr)
{
	for (size_t i = 0; i < cpu->n_windows; i++)
		if (addr - cpu->window[i].base < cpu->window[i].size)
			return &cpu->window[i];
	return NULL;
}

/* The first writable window, unless the bus has it. */
static struct window *plain_ram(struct pt_vs12z *cpu)
{
	for (size_t i = 0; i < cpu->n_windows; i++)
		if (!cpu->window[i].read_only)
			return cpu->window[i].by_bus ? &cpu->nowhere : &cpu->window[i];
	return &cpu->nowhere;
}

void pt_vs12z_detour(struct pt_vs12z *cpu, uint32_t addr, bool data, bool code)
{
	struct window *w = window_of(cpu, addr);

	if (w == NULL)
		return;
	w->by_bus = data;
	w->no_code = code;
	cpu->ram = plain_ram(cpu);
	if (cpu->code == w)
		cpu->code = &cpu->nowhere;	/* the next fetch looks again */
	pt_vcore_attend(&cpu->core);
}

struct window *pt_z_code_window(struct pt_vs12z *cpu, uint32_t addr)
{
	struct window *w = window_of(cpu, addr);

	return w != NULL && !w->no_code ? w : NULL;
}

/* An instruction may go on in the next window. Returns how many bytes there are. */
static size_t fetch(struct pt_vs12z *cpu, uint32_t addr, uint8_t *bytes)
{
	for (size_t n = 0; n < MAX_OP_BYTES; n++) {
		const struct window *w = pt_z_code_window(cpu, (addr + n) & ADDR_MASK);

		if (w == NULL)
			return n;
		bytes[n] = w->bytes[((addr + n) & ADDR_MASK) - w->base];
	}
	return MAX_OP_BYTES;
}

void pt_z_cache(struct pt_vs12z *cpu, struct window *window, uint32_t addr)
{
	struct op *op = &window->op[addr - window->base];
	uint8_t bytes[MAX_OP_BYTES];
	size_t n_bytes = fetch(cpu, addr, bytes);

	*op = pt_z_decode(addr, bytes, n_bytes);
	for (size_t i = 0; i < n_bytes; i++) {
		struct window *w = window_of(cpu, (addr + i) & ADDR_MASK);

		w->has_code[(((addr + i) & ADDR_MASK) - w->base) >> PAGE_SHIFT] = 1;
	}
}

/* What begins in [first, end) of the window is decoded again when it is executed. */
static void forget_in(struct window *w, uint64_t first, uint64_t end)
{
	uint64_t from = first > w->base ? first - w->base : 0;
	uint64_t to = end > w->base ? end - w->base : 0;

	if (to > w->size)
		to = w->size;
	for (uint64_t at = from; at < to; at++)
		w->op[at].kind = OP_NEW;
}

static bool has_code(const struct window *w, uint64_t first, uint64_t end)
{
	uint64_t from = first > w->base ? first - w->base : 0;
	uint64_t to = end > w->base ? end - w->base : 0;

	if (to > w->size)
		to = w->size;
	for (uint64_t page = from >> PAGE_SHIFT; from < to && page <= (to - 1) >> PAGE_SHIFT; page++)
		if (w->has_code[page])
			return true;
	return false;
}

/* An instruction may begin up to MAX_OP_BYTES - 1 before the bytes that changed, in the window in front, too. */
void pt_z_forget(struct pt_vs12z *cpu, uint32_t addr, uint32_t size_bytes)
{
	uint64_t end = (uint64_t)addr + size_bytes, first = addr >= MAX_OP_BYTES ? addr - (MAX_OP_BYTES - 1) : 0;
	bool any = false;

	for (size_t i = 0; i < cpu->n_windows; i++)
		any |= has_code(&cpu->window[i], addr, end);
	for (size_t i = 0; any && i < cpu->n_windows; i++)
		forget_in(&cpu->window[i], first, end);
}

/* --- accesses */

/* An aligned word, or a byte. */
static unsigned part(uint32_t addr, unsigned size)
{
	return size >= 2 && (addr & 1) == 0 ? 2 : 1;
}

bool pt_vs12z_bus_read(struct pt_vbus *bus, enum pt_vmaster master, uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	uint32_t sum = 0;

	while (size_bytes > 0) {
		struct pt_vaccess access = { addr & ADDR_MASK, (uint8_t)part(addr, size_bytes), master, true };
		uint32_t piece;

		if (!pt_vbus_read(bus, &access, &piece))
			return false;
		sum = sum << 8 * access.size_bytes | (piece & pt_z_mask(access.size_bytes));
		addr += access.size_bytes;
		size_bytes -= access.size_bytes;
	}
	*value = sum;
	return true;
}

bool pt_vs12z_bus_write(struct pt_vbus *bus, enum pt_vmaster master, uint32_t addr, unsigned size_bytes, uint32_t value)
{
	while (size_bytes > 0) {
		struct pt_vaccess access = { addr & ADDR_MASK, (uint8_t)part(addr, size_bytes), master, true };

		size_bytes -= access.size_bytes;
		if (!pt_vbus_write(bus, &access, value >> 8 * size_bytes & pt_z_mask(access.size_bytes)))
			return false;
		addr += access.size_bytes;
	}
	return true;
}

static bool illegal(struct pt_vs12z *cpu, uint32_t addr, bool write)
{
	if (cpu->hooks.illegal != NULL)
		cpu->hooks.illegal(cpu->hooks.arg, addr, write, cpu->last_pc);
	return false;
}

bool pt_z_load_slowly(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t *value)
{
	const struct window *w = window_of(cpu, addr);

	if (w != NULL && !w->by_bus && w->size - (addr - w->base) >= size) {
		*value = pt_z_from_bytes(w->bytes + (addr - w->base), size);
		return true;
	}
	return pt_vs12z_bus_read(cpu->core.bus, PT_VMASTER_CPU, addr, size, value) || illegal(cpu, addr, false);
}

bool pt_z_store_slowly(struct pt_vs12z *cpu, uint32_t addr, unsigned size, uint32_t value)
{
	return pt_vs12z_bus_write(cpu->core.bus, PT_VMASTER_CPU, addr, size, value) || illegal(cpu, addr, true);
}
