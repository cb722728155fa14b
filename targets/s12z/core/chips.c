/* See chips.h. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "targets/s12z/core/s12z.h"
#include "base/util.h"

enum { FLASH_FIRST = 0x800000, EEPROM_MOST = 0x10000 };
enum { RAM_STEP = 0x200, EEPROM_STEP = 0x20, FLASH_STEP = 0x1000 };

/* Parts by name, for the setting chip=. Sizes: product pages of the families. */
static const struct { const char *name; uint32_t flash_bytes, ram_bytes, eeprom_bytes; } parts[] = {
	{ "S12ZVML128", 0x20000, 0x2000, 0x200 },
	{ "S12ZVHY64", 0x10000, 0x1000, 0x800 },
	{ "S12ZVL32", 0x8000, 0x400, 0x80 },
};

/* --- looking ------------------------------------------------------------------------------------------------------ */

/* An address without memory gives a fault, or only 0xee in each byte with a probe that cannot see flags (USBDM). */
static int answers(struct pt_s12z *z, uint32_t addr, bool *yes, struct pt_err *err)
{
	uint8_t bytes[4] = { 0 };
	struct pt_bdc_op op = { .what = PT_BDC_READ_MEM, .size_bytes = 4, .addr = addr, .n = 1, .bytes = bytes };
	int rc = pt_wire_s12z_run(&z->wire, &op, 1, NULL, err);

	*yes = rc == 0 && pt_be32(bytes) != UINT32_C(0xeeeeeeee);
	return rc == PT_EFAULT ? 0 : rc;
}

/* Finds the size of a memory from its beginning, in steps of step bytes, upwards, or downwards if step is negative. 0:
 * it answers up to the very end, which looks the same as an empty bus that answers everywhere. */
static int find_size(struct pt_s12z *z, uint32_t from, int32_t step, uint32_t most_steps, uint32_t *bytes,
		     struct pt_err *err)
{
	uint32_t low = 0, high = most_steps;	/* low steps answer, high steps do not */
	uint32_t size = (uint32_t)(step < 0 ? -step : step);
	bool yes;

	*bytes = 0;
	if (answers(z, (uint32_t)((int32_t)from + step * (int32_t)(most_steps - 1)), &yes, err) < 0)
		return err->code;
	if (yes)
		return 0;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (answers(z, (uint32_t)((int32_t)from + step * (int32_t)(middle - 1)), &yes, err) < 0)
			return err->code;
		low = yes ? middle : low;
		high = yes ? high : middle;
	}
	*bytes = low * size;
	return 0;
}

static int find_memories(struct pt_s12z *z, struct pt_err *err)
{
	struct pt_chip_s12z *chip = &z->chip;

	if (find_size(z, S12Z_RAM, RAM_STEP, (S12Z_EEPROM - S12Z_RAM) / RAM_STEP, &chip->ram_bytes, err) < 0 ||
	    find_size(z, S12Z_EEPROM, EEPROM_STEP, EEPROM_MOST / EEPROM_STEP, &chip->eeprom_bytes, err) < 0 ||
	    find_size(z, S12Z_FLASH_END - FLASH_STEP, -FLASH_STEP, (S12Z_FLASH_END - FLASH_FIRST) / FLASH_STEP,
		      &chip->flash_bytes, err) < 0)
		return pt_wrap(err, "look where memory is");
	return 0;
}

/* --- the map ------------------------------------------------------------------------------------------------------ */

static void add_region(struct pt_chip_s12z *chip, enum pt_region_kind kind, uint64_t from, uint64_t to,
		       uint32_t block_bytes)
{
	if (to > from)
		chip->region[chip->n_regions++] = (struct pt_region){ kind, from, to - from, block_bytes };
}

static void make_regions(struct pt_chip_s12z *chip)
{
	uint32_t flash = chip->flash_bytes != 0 ? S12Z_FLASH_END - chip->flash_bytes : FLASH_FIRST;

	chip->n_regions = 0;
	add_region(chip, PT_REGION_IO, 0, S12Z_RAM, 0);
	if (chip->ram_bytes != 0)
		add_region(chip, PT_REGION_RAM, S12Z_RAM, S12Z_RAM + chip->ram_bytes, 0);
	else
		add_region(chip, PT_REGION_IO, S12Z_RAM, S12Z_EEPROM, 0);
	add_region(chip, PT_REGION_FLASH, S12Z_EEPROM, S12Z_EEPROM + chip->eeprom_bytes, S12Z_EEPROM_SECTOR);
	add_region(chip, PT_REGION_FLASH, flash, S12Z_FLASH_END, S12Z_FLASH_SECTOR);
}

bool pt_chip_s12z_in_ram(const struct pt_chip_s12z *chip, uint32_t addr)
{
	uint32_t end = chip->ram_bytes != 0 ? S12Z_RAM + chip->ram_bytes : S12Z_EEPROM;

	return addr >= S12Z_RAM && addr < end;
}

/* --- who it is ---------------------------------------------------------------------------------------------------- */

static int take_wanted(struct pt_chip_s12z *chip, const char *wanted, struct pt_err *err)
{
	char names[120] = "";

	for (size_t i = 0; i < PT_LEN(parts); i++) {
		if (strcasecmp(wanted, parts[i].name) == 0) {
			snprintf(chip->name, sizeof(chip->name), "%s", parts[i].name);
			chip->flash_bytes = parts[i].flash_bytes;
			chip->ram_bytes = parts[i].ram_bytes;
			chip->eeprom_bytes = parts[i].eeprom_bytes;
			return 0;
		}
		snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", parts[i].name);
	}
	return pt_fail(err, PT_EARG, "there is no chip %s; known by name are%s", wanted, names);
}

int pt_chip_s12z_identify(struct pt_s12z *z, const char *wanted, struct pt_err *err)
{
	struct pt_chip_s12z *chip = &z->chip;
	uint8_t id[4];

	memset(chip, 0, sizeof(*chip));
	if (pt_mem_read(&z->mem, S12Z_PARTID, id, sizeof(id), err) < 0)
		return pt_wrap(err, "read PARTID");
	chip->partid = pt_be32(id);
	snprintf(chip->name, sizeof(chip->name), "S12Z part 0x%08x", (unsigned)chip->partid);
	if ((wanted != NULL ? take_wanted(chip, wanted, err) : find_memories(z, err)) < 0)
		return err->code;
	make_regions(chip);
	return 0;
}

void pt_chip_s12z_locked(struct pt_chip_s12z *chip)
{
	memset(chip, 0, sizeof(*chip));
	snprintf(chip->name, sizeof(chip->name), "secured S12Z");
	make_regions(chip);
}
