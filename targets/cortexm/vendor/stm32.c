/* STM32 of Cortex-M3, M4 and M7: the ROM table has ST's mark and the number that DBGMCU_IDCODE calls DEV_ID. Flash size
 * by the register that the family has for it. RAM is the contiguous memory from its address on; core-coupled memory
 * elsewhere is left out. Numbers and size registers are as OpenOCD (stm32f1x.c, stm32f2x.c, stm32l4x.c, stm32h7x.c) and
 * stlink (config/chips) both have them; none has been seen on a chip. */
#include <stdio.h>

#include "base/util.h"
#include "targets/cortexm/core/family.h"
#include "targets/cortexm/vendor/swo_recipes.h"

enum { ST = 0x020, FLASH = 0x08000000, SRAM = 0x20000000, AXI_SRAM = 0x24000000, KB = 1024 };
enum { F1_SIZE = 0x1ffff7e0, F3_SIZE = 0x1ffff7cc, F4_SIZE = 0x1fff7a22, F7_SIZE = 0x1ff0f442, F72_SIZE = 0x1ff07a22,
       L4_SIZE = 0x1fff75e0, H7_SIZE = 0x1ff1e880 };

static const struct {
	uint16_t dev_id, ram_kb;
	uint32_t ram_addr, size_addr;	/* size_addr: a half-word, KiB of flash */
	const char *name, *manual;	/* ST's reference manual */
} parts[] = {
	{ 0x412, 10, SRAM, F1_SIZE, "STM32F10x low density", "RM0008" },
	{ 0x410, 20, SRAM, F1_SIZE, "STM32F10x medium density", "RM0008" },
	{ 0x414, 64, SRAM, F1_SIZE, "STM32F10x high density", "RM0008" },
	{ 0x418, 64, SRAM, F1_SIZE, "STM32F105/F107", "RM0008" },
	{ 0x420, 8, SRAM, F1_SIZE, "STM32F100", "RM0041" },
	{ 0x428, 32, SRAM, F1_SIZE, "STM32F100 high density", "RM0041" },
	{ 0x430, 96, SRAM, F1_SIZE, "STM32F10x XL density", "RM0008" },
	{ 0x422, 40, SRAM, F3_SIZE, "STM32F302/F303xB/C", "RM0316, RM0365" },
	{ 0x432, 32, SRAM, F3_SIZE, "STM32F37x", "RM0313" },
	{ 0x438, 12, SRAM, F3_SIZE, "STM32F303x6/8, F334", "RM0316, RM0364" },
	{ 0x439, 16, SRAM, F3_SIZE, "STM32F301/F302x6/8", "RM0365, RM0366" },
	{ 0x446, 64, SRAM, F3_SIZE, "STM32F303xD/E", "RM0316, RM0365" },
	{ 0x413, 128, SRAM, F4_SIZE, "STM32F405/F407", "RM0090" },
	{ 0x419, 192, SRAM, F4_SIZE, "STM32F42x/F43x", "RM0090" },
	{ 0x421, 128, SRAM, F4_SIZE, "STM32F446", "RM0390" },
	{ 0x423, 64, SRAM, F4_SIZE, "STM32F401xB/C", "RM0368" },
	{ 0x431, 128, SRAM, F4_SIZE, "STM32F411", "RM0383" },
	{ 0x433, 96, SRAM, F4_SIZE, "STM32F401xD/E", "RM0368" },
	{ 0x434, 320, SRAM, F4_SIZE, "STM32F469/F479", "RM0386" },
	{ 0x441, 256, SRAM, F4_SIZE, "STM32F412", "RM0402" },
	{ 0x458, 32, SRAM, F4_SIZE, "STM32F410", "RM0401" },
	{ 0x463, 320, SRAM, F4_SIZE, "STM32F413/F423", "RM0430" },
	{ 0x449, 320, SRAM, F7_SIZE, "STM32F74x/F75x", "RM0385" },
	{ 0x451, 512, SRAM, F7_SIZE, "STM32F76x/F77x", "RM0410" },
	{ 0x452, 256, SRAM, F72_SIZE, "STM32F72x/F73x", "RM0431" },
	{ 0x415, 96, SRAM, L4_SIZE, "STM32L47x/L48x", "RM0351" },
	{ 0x435, 48, SRAM, L4_SIZE, "STM32L43x/L44x", "RM0394" },
	{ 0x461, 256, SRAM, L4_SIZE, "STM32L49x/L4Ax", "RM0351" },
	{ 0x462, 128, SRAM, L4_SIZE, "STM32L45x/L46x", "RM0394" },
	{ 0x464, 32, SRAM, L4_SIZE, "STM32L41x/L42x", "RM0394" },
	{ 0x468, 22, SRAM, L4_SIZE, "STM32G431/G441", "RM0440" },
	{ 0x469, 96, SRAM, L4_SIZE, "STM32G47x/G48x", "RM0440" },
	{ 0x479, 96, SRAM, L4_SIZE, "STM32G491/G4A1", "RM0440" },
	{ 0x450, 512, AXI_SRAM, H7_SIZE, "STM32H74x/H75x", "RM0433" },
};

/* --- read protection ---------------------------------------------------------------------------------------------- */

/* Where the level is loaded to, by the size register of the family. F1 and F3 have one bit there, the others the option
 * byte. Source: the manuals, "Read protection (RDP)", and FLASH_OBR, FLASH_OPTCR, FLASH_OPTR, FLASH_OPTSR_CUR; OpenOCD has the
 * same registers and values. */
enum { LEVEL_0 = 0xaa };
static const struct { uint32_t size_addr, addr; uint8_t lsb, bits; } locks[] = {
	{ F1_SIZE, 0x4002201c, 1, 1 }, { F3_SIZE, 0x4002201c, 1, 1 },
	{ F4_SIZE, 0x40023c14, 8, 8 }, { F7_SIZE, 0x40023c14, 8, 8 },
	{ F72_SIZE, 0x40023c14, 8, 8 }, { L4_SIZE, 0x40022020, 0, 8 },
	{ H7_SIZE, 0x5200201c, 8, 8 },
};

/* Level 2 closes the debug port itself, so a chip that is reached here has level 1. */
static bool is_protected(struct pt_mem *mem, uint32_t size_addr)
{
	struct pt_err ignored = { 0 };
	uint32_t value = 0;

	for (size_t i = 0; i < PT_LEN(locks); i++) {
		const struct pt_field rdp = { "RDP", locks[i].lsb, locks[i].bits, "read protection" };

		if (locks[i].size_addr != size_addr || pt_mem_read32(mem, locks[i].addr, &value, &ignored) < 0)
			continue;
		value = pt_field_get(&rdp, value);
		return locks[i].bits == 1 ? value != 0 : value != LEVEL_0;
	}
	return false;
}

static const char *const protection =
	"read protection (RDP level 1): while a debugger is connected the flash cannot be read, and the program in it may end in a "
	"bus error until the chip is powered off and on; RAM and registers are accessible. Level 0 opens it, and that erases "
	"the flash: STM32CubeProgrammer or OpenOCD (its command unlock) sets it, proftap does not";

/* --- which chip --------------------------------------------------------------------------------------------------- */

/* Some contain 0xffff, and some another size than the chip's: then the size is unknown. */
static uint32_t flash_kb(struct pt_mem *mem, uint32_t addr)
{
	struct pt_err ignored = { 0 };
	uint8_t bytes[2] = { 0 };

	if (pt_mem_read(mem, addr, bytes, sizeof(bytes), &ignored) < 0 || pt_le16(bytes) > 2048)
		return 0;
	return pt_le16(bytes);
}

static bool owns(const struct pt_discovery *found)
{
	uint16_t designer, part;

	return pt_discover_root(found, &designer, &part) && designer == ST;
}

static bool identify(struct pt_cortexm_chip *chip, struct pt_discovery *found, struct pt_mem *mem)
{
	uint16_t designer, part;

	if (!pt_discover_root(found, &designer, &part) || designer != ST)
		return false;
	snprintf(chip->name, sizeof(chip->name), "STM32 0x%03x", part);
	for (size_t i = 0; i < PT_LEN(parts); i++) {
		if (parts[i].dev_id != part)
			continue;
		snprintf(chip->name, sizeof(chip->name), "%s", parts[i].name);
		chip->ram_addr = parts[i].ram_addr;
		chip->ram_bytes = parts[i].ram_kb * (uint32_t)KB;
		chip->flash_addr = FLASH;
		chip->flash_bytes = flash_kb(mem, parts[i].size_addr) * KB;
		chip->protection = is_protected(mem, parts[i].size_addr) ? protection : NULL;
	}
	return true;
}

static const char *row(size_t i, const char **source)
{
	*source = i < PT_LEN(parts) ? parts[i].manual : NULL;
	return i < PT_LEN(parts) ? parts[i].name : NULL;
}

const struct pt_cortexm_family pt_cortexm_stm32 = {
	.swo = pt_swo_stm32,
	.name = "STM32",
	.owns = owns,
	.identify = identify,
	.source = "ST's reference manuals, sections \"MCU device ID code\", \"Flash size data register\" and \"Memory organization\"; "
		  "OpenOCD and stlink agree on the first two; sizes of RAM UNVERIFIED",
	.row = row,
};
