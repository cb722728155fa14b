/* Translation by TLB1, and the way to RAM and bus. Source: E500CORERM chapters 2.12 (MAS), 12 (MMU) */
#include "probes/virtual/cpu/e500/core.h"
#include "base/util.h"

enum { SX = 0x10, UX = 0x20, SW = 0x04, UW = 0x08, SR = 0x01, UR = 0x02 };	/* MAS3 */
#define MAS1_V UINT32_C(0x80000000)
#define MAS0_TLB1 UINT32_C(0x10000000)

static uint32_t page_mask(unsigned tsize)
{
	return tsize >= 11 ? UINT32_MAX : (UINT32_C(1024) << 2 * tsize) - 1;
}

void pt_e5_forget_pages(struct pt_ve500 *cpu)
{
	cpu->fetch_page = cpu->data_page = NULL;
	cpu->fetch_line = 0;
}

static void set_entry(struct pt_ve500 *cpu, unsigned n, const uint32_t mas[4])
{
	unsigned tsize = mas[1] >> 8 & 15;
	uint32_t mask = page_mask(tsize);

	cpu->tlb1[n] = (struct tlb){
		.valid = (mas[1] & MAS1_V) != 0, .space = mas[1] >> 12 & 1, .pid = (uint8_t)(mas[1] >> 16),
		.wimge = mas[2] & 31, .mask = mask, .ea = mas[2] & ~mask, .pa = mas[3] & ~mask,
		.size = (uint8_t)tsize, .access = mas[3] & 63, .mas = { mas[0], mas[1], mas[2], mas[3] },
	};
	pt_e5_forget_pages(cpu);
}

/* As a boot loader leaves it: RAM, and the registers of the chip. */
void pt_e5_tlb_fixed(struct pt_ve500 *cpu, uint32_t entry)
{
	const uint32_t ram = entry & 0xf0000000, all = UX | SX | UW | SW | UR | SR;
	const uint32_t tsize = 9u << 8;		/* 256 MiB */
	const uint32_t code[4] = { MAS0_TLB1, MAS1_V | tsize, ram, ram | all };
	const uint32_t chip[4] = { MAS0_TLB1 | 1u << 16, MAS1_V | tsize, 0xf0000000 | I_NHIBITED | G_UARDED,
				   0xf0000000 | UW | SW | UR | SR };

	for (unsigned n = 0; n < TLB1_ENTRIES; n++)
		cpu->tlb1[n] = (struct tlb){ .mas = { MAS0_TLB1 | n << 16 } };
	set_entry(cpu, 0, code);
	if (ram != 0xf0000000)
		set_entry(cpu, 1, chip);
}

static bool matches(const struct pt_ve500 *cpu, const struct tlb *t, uint32_t ea, bool space)
{
	return t->valid && t->space == space && (ea & ~t->mask) == t->ea &&
	       (t->pid == 0 || t->pid == (cpu->spr[SPR_PID0] & 255) || t->pid == (cpu->spr[SPR_PID1] & 255) ||
		t->pid == (cpu->spr[SPR_PID2] & 255));
}

static const struct tlb *search(const struct pt_ve500 *cpu, uint32_t ea, bool space)
{
	for (unsigned n = 0; n < TLB1_ENTRIES; n++)
		if (matches(cpu, &cpu->tlb1[n], ea, space))
			return &cpu->tlb1[n];
	return NULL;
}

static void tlb_miss(struct pt_ve500 *cpu, uint32_t ea, enum access access)
{
	bool fetch = access == FETCH;
	bool space = (cpu->msr & (fetch ? PT_VE500_MSR_IS : PT_VE500_MSR_DS)) != 0;

	cpu->events[EV_L2MMU_MISSES]++;
	cpu->events[EV_TLB_MISSES]++;
	cpu->spr[SPR_MAS0] = (cpu->spr[SPR_MAS4] & MAS0_TLB1);
	cpu->spr[SPR_MAS1] =
		MAS1_V | (cpu->spr[SPR_PID0] & 255) << 16 | (uint32_t)space << 12 | (cpu->spr[SPR_MAS4] & 0xf00);
	cpu->spr[SPR_MAS2] = (ea & ~UINT32_C(0xfff)) | (cpu->spr[SPR_MAS4] & 31);
	cpu->spr[SPR_MAS3] = 0;
	if (!fetch)
		cpu->spr[SPR_DEAR] = ea;
	pt_e5_fault(cpu, fetch ? PT_VE500_INSTRUCTION_TLB : PT_VE500_DATA_TLB, access == STORE ? ESR_ST : 0);
}

static bool allowed(const struct pt_ve500 *cpu, const struct tlb *page, enum access access)
{
	static const uint8_t wants[2][3] = { { SX, SR, SW }, { UX, UR, UW } };

	return (page->access & wants[pt_e5_user(cpu)][access]) != 0;
}

static const struct tlb *page_of(struct pt_ve500 *cpu, uint32_t ea, enum access access)
{
	bool space = (cpu->msr & (access == FETCH ? PT_VE500_MSR_IS : PT_VE500_MSR_DS)) != 0;
	const struct tlb **last = access == FETCH ? &cpu->fetch_page : &cpu->data_page;

	if (*last == NULL || !matches(cpu, *last, ea, space))
		*last = search(cpu, ea, space);
	if (*last == NULL) {
		tlb_miss(cpu, ea, access);
		return NULL;
	}
	if (allowed(cpu, *last, access))
		return *last;
	if (access != FETCH)
		cpu->spr[SPR_DEAR] = ea;
	pt_e5_fault(cpu, access == FETCH ? PT_VE500_INSTRUCTION_STORAGE : PT_VE500_DATA_STORAGE,
		    access == STORE ? ESR_ST : 0);
	return NULL;
}

bool pt_e5_translate(struct pt_ve500 *cpu, uint32_t ea, enum access access, uint32_t *pa, uint8_t *wimge)
{
	const struct tlb *page = page_of(cpu, ea, access);

	if (page == NULL)
		return false;
	*pa = page->pa | (ea & page->mask);
	*wimge = page->wimge;
	return true;
}

/* --- RAM and bus */

static uint8_t *plain(const struct pt_ve500 *cpu, uint32_t pa, unsigned size, bool write)
{
	for (size_t i = 0; i < cpu->n_windows; i++) {
		const struct window *w = &cpu->window[i];

		if (pa - w->base < w->size && w->size - (pa - w->base) >= size)
			return write && w->read_only ? NULL : w->bytes + (pa - w->base);
	}
	return NULL;
}

static bool machine_check(struct pt_ve500 *cpu, uint32_t pa)
{
	cpu->spr[SPR_MCSR] = 0x00000008;	/* BUS_RBERR. Source: E500CORERM table 2-12 */
	cpu->spr[SPR_MCAR] = pa;
	pt_e5_fault(cpu, PT_VE500_MACHINE_CHECK, 0);
	return false;
}

bool pt_e5_fetch(struct pt_ve500 *cpu, uint32_t ea, uint32_t *op)
{
	const struct tlb *page = page_of(cpu, ea, FETCH);
	const uint8_t *bytes;
	uint32_t pa;

	if (page == NULL)
		return false;
	pa = page->pa | (ea & page->mask);
	bytes = plain(cpu, pa, 4, false);
	if (bytes == NULL)
		return machine_check(cpu, pa);
	if (cpu->fetch_line != (pa >> cpu->kind->line_shift) + 1)
		pt_e5_fetch_line(cpu, pa, page->wimge);
	*op = pt_be32(bytes);
	return true;
}

/* Of one access: 1, 2, 4 bytes, aligned. */
static bool bus(struct pt_ve500 *cpu, uint32_t pa, unsigned size, bool write, uint32_t *value)
{
	struct pt_vaccess access = { pa, (uint8_t)size, PT_VMASTER_CPU, !pt_e5_user(cpu) };

	return write ? pt_vbus_write(cpu->core.bus, &access, *value) : pt_vbus_read(cpu->core.bus, &access, value);
}

static uint32_t take(const uint8_t *p, unsigned size)
{
	return size == 4 ? pt_be32(p) : size == 2 ? pt_be16(p) : *p;
}

static void put(uint8_t *p, unsigned size, uint32_t value)
{
	if (size == 4)
		pt_put_be32(p, value);
	else if (size == 2)
		pt_put_be16(p, (uint16_t)value);
	else
		*p = (uint8_t)value;
}

static bool transfer(struct pt_ve500 *cpu, uint32_t pa, unsigned size, bool write, uint32_t *value)
{
	uint8_t *bytes = plain(cpu, pa, size, write);

	if (bytes == NULL)
		return (pa & (size - 1)) == 0 ? bus(cpu, pa, size, write, value) : false;
	if (write)
		put(bytes, size, *value);
	else
		*value = take(bytes, size);
	return true;
}

/* Which counters an access moves besides those of its instruction. */
static void count(struct pt_ve500 *cpu, uint32_t ea, unsigned size, uint8_t wimge, enum access access)
{
	bool store = access == STORE;

	cpu->events[EV_TRANSLATED]++;
	cpu->events[EV_MISALIGNED] += (ea & (size - 1)) != 0;
	if ((wimge & I_NHIBITED) != 0) {
		cpu->events[EV_INHIBITED]++;
	} else {
		cpu->events[store ? EV_STORES_TRANSLATED : EV_LOADS_TRANSLATED]++;
		cpu->events[EV_STORES_COMPLETED] += store;
	}
	cpu->events[EV_GUARDED_LOADS] += !store && (wimge & G_UARDED) != 0;
	cpu->events[EV_WRITETHROUGH] += store && (wimge & W_THROUGH) != 0;
}

/* What crosses a page is two accesses. */
static bool crossing(struct pt_ve500 *cpu, uint32_t ea, unsigned size, bool write, uint32_t *value)
{
	uint32_t sum = 0, byte;

	for (unsigned i = 0; i < size; i++) {
		byte = write ? *value >> 8 * (size - 1 - i) & 0xff : 0;
		if (write ? !pt_e5_store(cpu, ea + i, 1, byte) : !pt_e5_load(cpu, ea + i, 1, &byte))
			return false;
		sum = sum << 8 | byte;
	}
	if (!write)
		*value = sum;
	return true;
}

static bool access_memory(struct pt_ve500 *cpu, uint32_t ea, unsigned size, enum access access, uint32_t *value)
{
	const struct tlb *page = page_of(cpu, ea, access);
	uint32_t pa;

	if (page == NULL)
		return false;
	if ((ea & page->mask) > page->mask - (size - 1))
		return crossing(cpu, ea, size, access == STORE, value);
	pa = page->pa | (ea & page->mask);
	if (!cpu->further_part) {
		count(cpu, ea, size, page->wimge, access);
		pt_e5_data_line(cpu, pa, page->wimge, access);
	}
	if (!transfer(cpu, pa, size, access == STORE, value))
		return machine_check(cpu, pa);
	if (cpu->core.observers.data)
		pt_vobservers_tell_data(&cpu->core.observers, ea, size, access == STORE, *value, cpu->at);
	return true;
}

bool pt_e5_load(struct pt_ve500 *cpu, uint32_t ea, unsigned size, uint32_t *value)
{
	return !pt_e5_watched(cpu, ea, size, LOAD) && access_memory(cpu, ea, size, LOAD, value);
}

bool pt_e5_store(struct pt_ve500 *cpu, uint32_t ea, unsigned size, uint32_t value)
{
	return !pt_e5_watched(cpu, ea, size, STORE) && access_memory(cpu, ea, size, STORE, &value);
}

/* --- the debugger's way: no counts, no caches, no interrupts */

static bool debug_access(struct pt_ve500 *cpu, uint32_t ea, bool write, unsigned size_bytes, uint32_t *value)
{
	const struct tlb *page = search(cpu, ea, (cpu->msr & PT_VE500_MSR_DS) != 0);
	struct pt_vaccess access = { .size_bytes = (uint8_t)size_bytes, .master = PT_VMASTER_DEBUG,
				     .privileged = true };

	if (page == NULL)
		return false;
	access.addr = page->pa | (ea & page->mask);
	return write ? pt_vbus_write(cpu->core.bus, &access, *value) : pt_vbus_read(cpu->core.bus, &access, value);
}

/* Words where they are aligned, as units want them, else halves and bytes. */
static unsigned debug_size(uint32_t ea, size_t n_bytes)
{
	return (ea & 3) == 0 && n_bytes >= 4 ? 4 : (ea & 1) == 0 && n_bytes >= 2 ? 2 : 1;
}

bool pt_ve500_peek(struct pt_ve500 *cpu, uint32_t ea, uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes > 0) {
		unsigned size = debug_size(ea, n_bytes);
		uint32_t value;

		if (!debug_access(cpu, ea, false, size, &value))
			return false;
		for (unsigned i = 0; i < size; i++)
			bytes[i] = (uint8_t)(value >> 8 * (size - 1 - i));
		ea += size;
		bytes += size;
		n_bytes -= size;
	}
	return true;
}

bool pt_ve500_poke(struct pt_ve500 *cpu, uint32_t ea, const uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes > 0) {
		unsigned size = debug_size(ea, n_bytes);
		uint32_t value = 0;

		for (unsigned i = 0; i < size; i++)
			value = value << 8 | bytes[i];
		if (!debug_access(cpu, ea, true, size, &value))
			return false;
		ea += size;
		bytes += size;
		n_bytes -= size;
	}
	return true;
}

/* --- TLB instructions. TLB0 is not there: writes to it are lost, reads give invalid entries. */

static bool tlbre(struct pt_ve500 *cpu)
{
	uint32_t mas0 = cpu->spr[SPR_MAS0];
	const struct tlb *t = &cpu->tlb1[mas0 >> 16 & (cpu->kind->tlb1_entries - 1u)];
	bool tlb1 = (mas0 & MAS0_TLB1) != 0;

	for (unsigned i = 1; i < 4; i++)
		cpu->spr[SPR_MAS0 + i] = tlb1 ? t->mas[i] : 0;
	return true;
}

static bool tlbwe(struct pt_ve500 *cpu)
{
	if ((cpu->spr[SPR_MAS0] & MAS0_TLB1) != 0)
		set_entry(cpu, cpu->spr[SPR_MAS0] >> 16 & (cpu->kind->tlb1_entries - 1u), &cpu->spr[SPR_MAS0]);
	return true;
}

static bool tlbsx(struct pt_ve500 *cpu, uint32_t ea)
{
	const struct tlb *t = search(cpu, ea, cpu->spr[SPR_MAS6] & 1);

	if (t == NULL) {
		cpu->spr[SPR_MAS1] &= ~MAS1_V;
		return true;
	}
	cpu->spr[SPR_MAS0] = MAS0_TLB1 | (uint32_t)(t - cpu->tlb1) << 16;
	for (unsigned i = 1; i < 4; i++)
		cpu->spr[SPR_MAS0 + i] = t->mas[i];
	return true;
}

/* Bit 3: TLB1; bit 2: all of it that IPROT does not hold. */
static bool tlbivax(struct pt_ve500 *cpu, uint32_t ea)
{
	for (unsigned n = 0; (ea & 8) != 0 && n < TLB1_ENTRIES; n++) {
		struct tlb *t = &cpu->tlb1[n];
		bool iprot = (t->mas[1] & 0x40000000) != 0;

		if (!iprot && ((ea & 4) != 0 || (ea & ~t->mask) == t->ea))
			t->valid = false;
	}
	pt_e5_forget_pages(cpu);
	return true;
}

bool pt_e5_tlb(struct pt_ve500 *cpu, uint32_t op)
{
	uint32_t ea = ra_or_0(cpu, op) + cpu->r[rb(op)];

	switch (xo(op)) {
	case 946: return tlbre(cpu);
	case 978: return tlbwe(cpu);
	case 914: return tlbsx(cpu, ea);
	case 786: return tlbivax(cpu, ea);
	case 566: return true;		/* tlbsync */
	default: return false;
	}
}
