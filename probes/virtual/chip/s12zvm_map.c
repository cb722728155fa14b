/* Memories, units, and the register space between them, which reads 0.
 * Source: MC9S12ZVM RM Rev. 1.3 and the vendor's device headers; PARTID, CPMU and what they hold are UNVERIFIED. */
#include <stddef.h>

#include "probes/virtual/chip/s12zvm_parts.h"
#include "base/util.h"

bool pt_s12zvm_map_memories(struct pt_s12zvm *chip)
{
	const struct pt_vregion memories[] = {
		{ .base = PT_S12ZVM_RAM_BASE, .size = PT_S12ZVM_RAM_BYTES, .bytes = chip->ram },
		{ .base = PT_S12ZVM_EEPROM_BASE, .size = PT_S12ZVM_EEPROM_BYTES, .bytes = chip->eeprom,
		  .read_only = true },
		{ .base = PT_S12ZVM_FLASH_BASE, .size = PT_S12ZVM_FLASH_BYTES, .bytes = chip->flash,
		  .read_only = true },
	};

	chip->bus.big_endian = true;
	for (size_t i = 0; i < PT_LEN(memories); i++)
		if (!pt_vbus_add(&chip->bus, &memories[i]))
			return false;
	return true;
}

/* --- registers that only hold bits */

static const struct pt_vs12z_byte partid[] = { { 0, 0x00, 0 }, { 1, 0x17, 0 }, { 2, 0x00, 0 }, { 3, 0x01, 0 } };

/* The clock module at 0x6c0: settings hold what is written, and the PLL is always locked. */
static const struct pt_vs12z_byte cpmu[] = {
	{ 3, 0x00, 0 },			/* CPMURFLG */
	{ 4, 0x58, 0xff },		/* CPMUSYNR */
	{ 5, 0x0f, 0xcf },		/* CPMUREFDIV */
	{ 6, 0x03, 0x1f },		/* CPMUPOSTDIV */
	{ 7, 0x19, 0 },			/* CPMUIFLG: OSCIF, LOCK, UPOSC */
	{ 8, 0x00, 0x92 },		/* CPMUINT */
	{ 9, 0x80, 0xff },		/* CPMUCLKS */
	{ 10, 0x00, 0x30 },		/* CPMUPLL */
	{ 11, 0x00, 0xff },		/* CPMURTI */
	{ 12, 0x00, 0x67 },		/* CPMUCOP: off */
};

/* --- units */

#define MEMBER(unit) offsetof(struct pt_s12zvm, unit)
static const struct {
	uint32_t base, size;
	const struct pt_vunit_ops *ops;
	size_t member;
} units[] = {				/* by address */
	{ 0x000, 4, &pt_vs12z_block_ops, MEMBER(part) },
	{ PT_VS12Z_INT_BASE, PT_VS12Z_INT_BYTES, &pt_vs12z_int_ops, MEMBER(interrupts) },
	{ PT_VS12Z_DBG_BASE, PT_VS12Z_DBG_BYTES, &pt_vs12z_dbg_ops, MEMBER(dbg) },
	{ PT_VFTMRZ_BASE, PT_VFTMRZ_BYTES, &pt_vftmrz_ops, MEMBER(ftmrz) },
	{ PT_VS12Z_TIM_BASE, PT_VS12Z_TIM_BYTES, &pt_vs12z_tim_ops, MEMBER(tim) },
	{ 0x6c0, PT_VS12Z_BLOCK_BYTES, &pt_vs12z_block_ops, MEMBER(cpmu) },
};

static bool add(struct pt_s12zvm *chip, uint32_t base, uint32_t size, const struct pt_vunit_ops *ops, void *unit)
{
	const struct pt_vregion region = { .base = base, .size = size, .ops = ops, .unit = unit };

	return size == 0 || pt_vbus_add(&chip->bus, &region);
}

bool pt_s12zvm_map_units(struct pt_s12zvm *chip)
{
	uint32_t at = 0;

	chip->part.row = partid;
	chip->part.n_rows = PT_LEN(partid);
	chip->cpmu.row = cpmu;
	chip->cpmu.n_rows = PT_LEN(cpmu);
	for (size_t i = 0; i < PT_LEN(units); i++) {
		if (!add(chip, at, units[i].base - at, &pt_vs12z_hole_ops, NULL) ||
		    !add(chip, units[i].base, units[i].size, units[i].ops, (char *)chip + units[i].member))
			return false;
		at = units[i].base + units[i].size;
	}
	return add(chip, at, PT_S12ZVM_REGISTERS_BYTES - at, &pt_vs12z_hole_ops, NULL);
}

/* --- no read-while-write: whoever reads flash or EEPROM during a command gets a bus fault, the core's fetches
 * included */

static bool busy_read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	(void)unit, (void)offset, (void)access;
	*value = 0;
	return false;
}

static const struct pt_vunit_ops busy_memory = { .name = "busy flash", .read = busy_read };

static void cover(struct pt_s12zvm *chip, uint32_t base, uint8_t *bytes, bool busy)
{
	struct pt_vregion *region = pt_vbus_find(&chip->bus, base);

	region->bytes = busy ? NULL : bytes;
	region->ops = busy ? &busy_memory : NULL;
	region->unit = chip;
	pt_vs12z_detour(chip->cpu, base, busy, busy);
}

void pt_s12zvm_cover_flash(struct pt_s12zvm *chip, bool busy)
{
	cover(chip, PT_S12ZVM_FLASH_BASE, chip->flash, busy);
	cover(chip, PT_S12ZVM_EEPROM_BASE, chip->eeprom, busy);
}
