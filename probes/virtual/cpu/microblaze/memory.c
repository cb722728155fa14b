/* Windows onto the bus's RAM, with the decoded instructions of the pages that were executed. A write forgets the
 * instruction that it touches. Regions are whole pages, as block RAM and memory controllers are. */
#include <stdlib.h>

#include "probes/virtual/cpu/microblaze/decode.h"
#include "probes/virtual/cpu/microblaze/memory.h"

bool pt_mb_make_windows(struct pt_vmb *cpu)
{
	cpu->code_base = 1;
	for (size_t i = 0; i < cpu->core.bus->n_regions; i++) {
		const struct pt_vregion *region = &cpu->core.bus->region[i];
		struct window *w = &cpu->window[cpu->n_windows];

		if (region->bytes == NULL)
			continue;
		if (cpu->n_windows == PT_VMB_WINDOWS || ((region->base | region->size) & (PAGE_BYTES - 1)) != 0)
			return false;
		*w = (struct window){ .base = region->base, .size = region->size, .bytes = region->bytes,
				      .read_only = region->read_only };
		w->page = calloc(w->size >> PAGE_SHIFT, sizeof(*w->page));
		cpu->n_windows++;
		if (w->page == NULL)
			return false;
	}
	return true;
}

void pt_mb_free_windows(struct pt_vmb *cpu)
{
	for (size_t i = 0; i < cpu->n_windows; i++) {
		for (size_t n = 0; cpu->window[i].page != NULL && n < cpu->window[i].size >> PAGE_SHIFT; n++)
			free(cpu->window[i].page[n]);
		free(cpu->window[i].page);
	}
}

void pt_mb_forget(struct pt_vmb *cpu, uint32_t addr, uint32_t size_bytes)
{
	for (uint64_t at = addr & ~3u; at < (uint64_t)addr + size_bytes; at += 4) {
		const struct window *w = pt_mb_window(cpu, (uint32_t)at);
		struct op *page = w != NULL ? w->page[((uint32_t)at - w->base) >> PAGE_SHIFT] : NULL;

		if (page != NULL)
			page[(at & (PAGE_BYTES - 1)) / 4].kind = OP_NEW;
		else
			at |= PAGE_BYTES - 4;	/* nothing of this page was executed */
	}
}

/* Outside of RAM: asked of the bus each time. */
static const struct op *fetch_by_bus(struct pt_vmb *cpu, uint32_t addr)
{
	uint32_t word;

	if (!pt_mb_load_by_bus(cpu, addr, 4, &word))
		return NULL;
	cpu->stray = pt_mb_decode(word, &cpu->options);
	return &cpu->stray;
}

const struct op *pt_mb_fetch_slowly(struct pt_vmb *cpu, uint32_t addr)
{
	struct window *w = pt_mb_window(cpu, addr);
	struct op **page, *op;

	if (w == NULL)
		return fetch_by_bus(cpu, addr);
	page = &w->page[(addr - w->base) >> PAGE_SHIFT];
	if (*page == NULL)
		*page = calloc(PAGE_BYTES / 4, sizeof(**page));
	if (*page == NULL)
		return NULL;
	cpu->code = *page;
	cpu->code_base = addr & ~(uint32_t)(PAGE_BYTES - 1);
	op = *page + (addr & (PAGE_BYTES - 1)) / 4;
	if (op->kind == OP_NEW)
		*op = pt_mb_decode(pt_mb_get(w->bytes + (addr - w->base), 4, cpu->core.bus->big_endian), &cpu->options);
	return op;
}

bool pt_mb_load_by_bus(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t *value)
{
	const struct pt_vaccess access = { addr, (uint8_t)size, PT_VMASTER_CPU, (cpu->msr & PT_VMB_UM) == 0 };

	return pt_vbus_read(cpu->core.bus, &access, value);
}

bool pt_mb_store_by_bus(struct pt_vmb *cpu, uint32_t addr, unsigned size, uint32_t value)
{
	const struct pt_vaccess access = { addr, (uint8_t)size, PT_VMASTER_CPU, (cpu->msr & PT_VMB_UM) == 0 };

	return pt_vbus_write(cpu->core.bus, &access, value);
}
