/* STM32 of Cortex-M3, M4 and M7: the ROM table has ST's mark and the number that DBGMCU_IDCODE calls DEV_ID. Flash size by
 * the register that the family has for it. RAM is what lies in one piece from its address on; memory coupled to the core
 * elsewhere is left out. Source: ST's reference manuals (RM0008, RM0316, RM0090, RM0368, RM0383, RM0390, RM0385, RM0410,
 * RM0351, RM0394, RM0440, RM0433; chapters debug support, memory map, device electronic signature), from memory: no number
 * here has been seen on a chip. */
#include <stdio.h>

#include "base/util.h"
#include "targets/cortexm/core/family.h"

enum { ST = 0x020, FLASH = 0x08000000, SRAM = 0x20000000, AXI_SRAM = 0x24000000, KB = 1024 };
enum { F1_SIZE = 0x1ffff7e0, F3_SIZE = 0x1ffff7cc, F4_SIZE = 0x1fff7a22, F7_SIZE = 0x1ff0f442, F72_SIZE = 0x1ff07a22,
       L4_SIZE = 0x1fff75e0, H7_SIZE = 0x1ff1e880 };

static const struct {
	uint16_t dev_id, ram_kb;
	uint32_t ram_addr, size_addr;	/* size_addr: a half-word, KiB of flash */
	const char *name;
} parts[] = {
	{ 0x412, 10, SRAM, F1_SIZE, "STM32F10x low density" },
	{ 0x410, 20, SRAM, F1_SIZE, "STM32F10x medium density" },
	{ 0x414, 64, SRAM, F1_SIZE, "STM32F10x high density" },
	{ 0x418, 64, SRAM, F1_SIZE, "STM32F105/F107" },
	{ 0x420, 8, SRAM, F1_SIZE, "STM32F100" },
	{ 0x428, 32, SRAM, F1_SIZE, "STM32F100 high density" },
	{ 0x430, 96, SRAM, F1_SIZE, "STM32F10x XL density" },
	{ 0x422, 40, SRAM, F3_SIZE, "STM32F302/F303xB/C" },
	{ 0x432, 32, SRAM, F3_SIZE, "STM32F37x" },
	{ 0x438, 12, SRAM, F3_SIZE, "STM32F303x6/8, F334" },
	{ 0x439, 16, SRAM, F3_SIZE, "STM32F301/F302x6/8" },
	{ 0x446, 64, SRAM, F3_SIZE, "STM32F303xD/E" },
	{ 0x413, 128, SRAM, F4_SIZE, "STM32F405/F407" },
	{ 0x419, 192, SRAM, F4_SIZE, "STM32F42x/F43x" },
	{ 0x421, 128, SRAM, F4_SIZE, "STM32F446" },
	{ 0x423, 64, SRAM, F4_SIZE, "STM32F401xB/C" },
	{ 0x431, 128, SRAM, F4_SIZE, "STM32F411" },
	{ 0x433, 96, SRAM, F4_SIZE, "STM32F401xD/E" },
	{ 0x434, 320, SRAM, F4_SIZE, "STM32F469/F479" },
	{ 0x441, 256, SRAM, F4_SIZE, "STM32F412" },
	{ 0x458, 32, SRAM, F4_SIZE, "STM32F410" },
	{ 0x463, 320, SRAM, F4_SIZE, "STM32F413/F423" },
	{ 0x449, 320, SRAM, F7_SIZE, "STM32F74x/F75x" },
	{ 0x451, 512, SRAM, F7_SIZE, "STM32F76x/F77x" },
	{ 0x452, 256, SRAM, F72_SIZE, "STM32F72x/F73x" },
	{ 0x415, 96, SRAM, L4_SIZE, "STM32L47x/L48x" },
	{ 0x435, 48, SRAM, L4_SIZE, "STM32L43x/L44x" },
	{ 0x461, 256, SRAM, L4_SIZE, "STM32L49x/L4Ax" },
	{ 0x462, 128, SRAM, L4_SIZE, "STM32L45x/L46x" },
	{ 0x464, 32, SRAM, L4_SIZE, "STM32L41x/L42x" },
	{ 0x468, 22, SRAM, L4_SIZE, "STM32G431/G441" },
	{ 0x469, 96, SRAM, L4_SIZE, "STM32G47x/G48x" },
	{ 0x479, 96, SRAM, L4_SIZE, "STM32G491/G4A1" },
	{ 0x450, 512, AXI_SRAM, H7_SIZE, "STM32H74x/H75x" },
};

/* Some say 0xffff, and some say what they were made with and not what they have: then the size is not known. */
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
	}
	return true;
}

const struct pt_cortexm_family pt_cortexm_stm32 = { .name = "STM32", .owns = owns, .identify = identify };
