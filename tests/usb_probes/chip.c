/* Source: NXP KL27 Sub-Family Reference Manual (SIM, SMC, FTFA). A command of the flash controller is under way for some
 * reads of its status, as time passes with accesses alone. */
#include <stddef.h>
#include <string.h>

#include "chip.h"
#include "core.h"

enum { FTFA = 0x40020000, FSTAT = 0, FSEC = 2, FCCOB = 4, FTFA_BYTES = 16, SECTOR_BYTES = 1024 };
enum { CCIF = 0x80, ACCERR = 0x20, ERROR_BITS = 0x70, PROGRAM_LONGWORD = 6, ERASE_SECTOR = 9, ERASE_ALL = 0x44 };
enum { PROGRAM_READS = 3, ERASE_READS = 5 };

static struct {
	uint8_t reg[FTFA_BYTES];	/* as in memory: FCCOB3 first, then 2, 1, 0, 7, 6, 5, 4 */
	unsigned busy;			/* reads of FSTAT until a command is over */
} ftfa;

static const struct { uint32_t addr, value; } constants[] = {
	{ 0x40015800, 0x20086447 },	/* DBGMCU_IDCODE of an STM32L0, for st-info; nothing else of that chip is here */
	{ 0x40048024, 0x23171d82 },	/* SIM_SDID: KL27, 64 KiB of RAM */
	{ 0x4004804c, 0x05000000 },	/* SIM_FCFG1: 64 KiB of flash */
	{ 0x40048050, 0x08800000 },	/* SIM_FCFG2: its last address / 8 KiB */
	{ 0x4007e000, 0x01000000 },	/* SMC: PMSTAT says RUN */
};

void chip_power_on(void)
{
	memset(&ftfa, 0, sizeof(ftfa));
	ftfa.reg[FSTAT] = CCIF;
	ftfa.reg[FSEC] = 0xfe;
}

static bool is_peripheral(uint32_t addr)
{
	uint32_t page = addr >> 12;

	return page == FTFA >> 12 || page == 0x40015 || page == 0x40047 || page == 0x40048 || page == 0x4007e ||
	       page == 0xf0003;
}

/* Number 0 to 11 of the command's bytes. */
static uint32_t command_byte(unsigned number)
{
	return ftfa.reg[FCCOB + (number ^ 3)];
}

static void launch(void)
{
	uint32_t addr = command_byte(1) << 16 | command_byte(2) << 8 | command_byte(3), command = command_byte(0);
	uint8_t *flash = core_flash();

	ftfa.busy = PROGRAM_READS;
	if (command == PROGRAM_LONGWORD && addr % 4 == 0 && addr < FLASH_BYTES) {
		for (unsigned i = 0; i < 4; i++)	/* programming only clears bits */
			flash[addr + i] &= (uint8_t)command_byte(7 - i);
	} else if (command == ERASE_SECTOR && addr % SECTOR_BYTES == 0 && addr < FLASH_BYTES) {
		memset(flash + addr, 0xff, SECTOR_BYTES);
		ftfa.busy = ERASE_READS;
	} else if (command == ERASE_ALL) {
		memset(flash, 0xff, FLASH_BYTES);
		ftfa.busy = ERASE_READS;
	} else {
		ftfa.reg[FSTAT] |= ACCERR;
	}
	ftfa.reg[FSTAT] &= (uint8_t)~CCIF;
}

static uint8_t read_ftfa(unsigned offset)
{
	if (offset == FSTAT && ftfa.busy > 0 && --ftfa.busy == 0)
		ftfa.reg[FSTAT] |= CCIF;
	return offset < FTFA_BYTES ? ftfa.reg[offset] : 0;
}

/* Errors are cleared by ones, and a one for CCIF launches the command unless one of them is left. */
static void write_ftfa(unsigned offset, uint8_t value)
{
	if (offset == FSTAT) {
		ftfa.reg[FSTAT] &= (uint8_t)~(value & ERROR_BITS);
		if ((value & CCIF) != 0 && ftfa.busy == 0 && (ftfa.reg[FSTAT] & ERROR_BITS) == 0)
			launch();
	} else if (offset >= FCCOB && offset < FTFA_BYTES && ftfa.busy == 0) {
		ftfa.reg[offset] = value;
	}
}

bool chip_read(uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	*value = 0;
	if (!is_peripheral(addr))
		return false;
	for (unsigned i = 0; addr >> 12 == FTFA >> 12 && i < size_bytes; i++)
		*value |= (uint32_t)read_ftfa((addr & 0xfff) + i) << 8 * i;
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++)
		if (constants[i].addr == (addr & ~3u))
			*value = constants[i].value >> 8 * (addr & 3);
	return true;
}

bool chip_write(uint32_t addr, unsigned size_bytes, uint32_t value)
{
	if (!is_peripheral(addr))
		return false;
	for (unsigned i = 0; addr >> 12 == FTFA >> 12 && i < size_bytes; i++)
		write_ftfa((addr & 0xfff) + i, (uint8_t)(value >> 8 * i));
	return true;
}
