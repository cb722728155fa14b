#include <string.h>

#include "probes/virtual/unit/s12z/s12z_block.h"

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vs12z_block *block = unit;

	*value = 0;
	for (unsigned i = 0; i < access->size_bytes; i++)
		*value = *value << 8 | (offset + i < PT_VS12Z_BLOCK_BYTES ? block->value[offset + i] : 0);
	return true;
}

static void write_byte(struct pt_vs12z_block *block, uint32_t offset, uint8_t value)
{
	for (size_t i = 0; i < block->n_rows; i++)
		if (block->row[i].offset == offset)
			block->value[offset] = (uint8_t)((block->value[offset] & ~block->row[i].writable) |
							 (value & block->row[i].writable));
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	for (unsigned i = 0; i < access->size_bytes; i++)
		write_byte(unit, offset + i, (uint8_t)(value >> 8 * (access->size_bytes - 1 - i)));
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vs12z_block *block = unit;

	(void)power_on;
	memset(block->value, 0, sizeof(block->value));
	for (size_t i = 0; i < block->n_rows; i++)
		block->value[block->row[i].offset] = block->row[i].reset;
}

const struct pt_vunit_ops pt_vs12z_block_ops = {
	.name = "registers", .read = read, .write = write, .reset = reset, .reads_are_quiet = true,
};

static bool read_hole(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)unit, (void)offset, (void)access;
	*value = 0;
	return true;
}

static bool write_hole(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	(void)unit, (void)offset, (void)access, (void)value;
	return true;
}

const struct pt_vunit_ops pt_vs12z_hole_ops = {
	.name = "reserved", .read = read_hole, .write = write_hole, .reads_are_quiet = true,
};
