/* Read only; bytes and halfwords are cut out of the words. */
#include "probes/virtual/unit/arm/rom_table.h"

enum { MEMTYPE = 0xfcc };	/* bit 0: system memory is reachable on this bus */

static uint32_t word_at(const struct pt_vrom_table *table, uint32_t offset)
{
	if (offset / 4 < table->n_entries)
		return table->entry[offset / 4];
	return offset == MEMTYPE ? 1 : pt_vcoresight_read(&table->ids, offset);
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	uint32_t word = word_at(unit, offset & ~3u) >> (offset & 3) * 8;

	*value = access->size_bytes == 4 ? word : word & ((UINT32_C(1) << access->size_bytes * 8) - 1);
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)unit;
	(void)offset;
	(void)access;
	(void)value;
	return true;
}

const struct pt_vunit_ops pt_vrom_table_ops = { .name = "ROM table", .read = read, .write = write };
