/* A command is checked when it is launched, and acts when its time is over. */
#include <string.h>

#include "probes/virtual/unit/s12z/s12z_ftmrz.h"

enum command {
	VERIFY_ALL = 0x01, VERIFY_BLOCK = 0x02, VERIFY_SECTION = 0x03, PROGRAM = 0x06, ERASE_ALL = 0x08,
	ERASE_BLOCK = 0x09, ERASE_SECTOR = 0x0a, UNSECURE = 0x0b, PROGRAM_EEPROM = 0x11, ERASE_EEPROM = 0x12,
};
enum { SEC = 3, SEC_UNSECURED = 2, FCCOBIX_BITS = 7, FPROT_OPEN = 0x80 };

static uint16_t fccob(const struct pt_vftmrz *f, unsigned n)
{
	const uint8_t *at = f->reg + PT_VFTMRZ_FCCOB0 + 2 * n;

	return (uint16_t)(at[0] << 8 | at[1]);
}

static unsigned command(const struct pt_vftmrz *f)
{
	return f->reg[PT_VFTMRZ_FCCOB0];
}

static uint32_t address(const struct pt_vftmrz *f)
{
	return (uint32_t)f->reg[PT_VFTMRZ_FCCOB0 + 1] << 16 | fccob(f, 1);
}

bool pt_vftmrz_secured(const struct pt_vftmrz *f)
{
	return (f->reg[PT_VFTMRZ_FSEC] & SEC) != SEC_UNSECURED;
}

static bool in_flash(const struct pt_vftmrz *f, uint32_t addr, uint32_t n_bytes)
{
	return addr >= f->config.flash_base && n_bytes <= f->config.flash_bytes - (addr - f->config.flash_base) &&
	       addr - f->config.flash_base < f->config.flash_bytes;
}

static bool in_eeprom(const struct pt_vftmrz *f, uint32_t addr, uint32_t n_bytes)
{
	return addr >= f->config.eeprom_base && addr - f->config.eeprom_base < f->config.eeprom_bytes &&
	       n_bytes <= f->config.eeprom_bytes - (addr - f->config.eeprom_base);
}

/* How many FCCOBs a command has; FCCOBIX is the last one's index. */
static unsigned words_of(unsigned code)
{
	switch (code) {
	case VERIFY_ALL:
	case ERASE_ALL:
	case UNSECURE:
		return 1;
	case VERIFY_SECTION:
		return 3;
	case PROGRAM:
		return 6;
	default:
		return 2;
	}
}

/* EEPROM takes one to four words. */
static unsigned eeprom_bytes(const struct pt_vftmrz *f)
{
	unsigned words = f->reg[PT_VFTMRZ_FCCOBIX] + 1u;

	return words > 2 ? 2 * (words - 2) : 0;
}

static bool arguments_good(const struct pt_vftmrz *f)
{
	uint32_t addr = address(f);

	switch (command(f)) {
	case VERIFY_ALL:
	case ERASE_ALL:
	case UNSECURE:
		return true;
	case VERIFY_BLOCK:
	case ERASE_BLOCK:
		return in_flash(f, addr, 1) || in_eeprom(f, addr, 1);
	case VERIFY_SECTION:
		return addr % PT_VFTMRZ_PHRASE == 0 && in_flash(f, addr, fccob(f, 2) * (uint32_t)PT_VFTMRZ_PHRASE);
	case PROGRAM:
		return addr % PT_VFTMRZ_PHRASE == 0 && in_flash(f, addr, PT_VFTMRZ_PHRASE);
	case ERASE_SECTOR:
		return addr % PT_VFTMRZ_PHRASE == 0 && in_flash(f, addr, 1);
	case PROGRAM_EEPROM:
		return addr % 2 == 0 && eeprom_bytes(f) > 0 && eeprom_bytes(f) <= 8 &&
		       in_eeprom(f, addr, eeprom_bytes(f));
	case ERASE_EEPROM:
		return addr % 2 == 0 && in_eeprom(f, addr, 1);
	default:
		return false;
	}
}

/* Only "everything" and "nothing" of FPROT is modelled. */
static bool is_protected(const struct pt_vftmrz *f)
{
	switch (command(f)) {
	case PROGRAM:
	case ERASE_SECTOR:
	case ERASE_BLOCK:
	case ERASE_ALL:
		return (f->reg[PT_VFTMRZ_FPROT] & FPROT_OPEN) == 0;
	default:
		return false;
	}
}

static uint64_t duration_ns(const struct pt_vftmrz *f)
{
	switch (command(f)) {
	case PROGRAM:
	case PROGRAM_EEPROM:
		return f->config.program_ns;
	case ERASE_SECTOR:
	case ERASE_EEPROM:
		return f->config.erase_sector_ns;
	case ERASE_ALL:
	case ERASE_BLOCK:
	case UNSECURE:
		return f->config.erase_all_ns;
	default:
		return f->config.read_ns;
	}
}

/* --- what commands do at their end; false: MGSTAT */

static uint8_t *bytes_at(const struct pt_vftmrz *f, uint32_t addr)
{
	return in_flash(f, addr, 1) ? f->config.flash + (addr - f->config.flash_base)
				    : f->config.eeprom + (addr - f->config.eeprom_base);
}

static void erase(struct pt_vftmrz *f, uint32_t addr, uint32_t n_bytes)
{
	memset(bytes_at(f, addr), 0xff, n_bytes);
	pt_vbus_changed(f->config.wires->bus, addr, n_bytes);
}

static bool erased(const struct pt_vftmrz *f, uint32_t addr, uint32_t n_bytes)
{
	const uint8_t *at = bytes_at(f, addr);

	for (uint32_t i = 0; i < n_bytes; i++)
		if (at[i] != 0xff)
			return false;
	return true;
}

/* Only clears bits: what was not erased before is verified as wrong. */
static bool program(struct pt_vftmrz *f, uint32_t addr, unsigned n_bytes)
{
	const uint8_t *data = f->reg + PT_VFTMRZ_FCCOB0 + 4;
	uint8_t *at = bytes_at(f, addr);
	bool good = true;

	for (unsigned i = 0; i < n_bytes; i++) {
		at[i] &= data[i];
		good = good && at[i] == data[i];
	}
	pt_vbus_changed(f->config.wires->bus, addr, n_bytes);
	return good;
}

static void erase_all(struct pt_vftmrz *f)
{
	erase(f, f->config.flash_base, f->config.flash_bytes);
	erase(f, f->config.eeprom_base, f->config.eeprom_bytes);
}

/* Erased flash reads as secured: so these write the configuration byte behind the erase. */
static void unsecure(struct pt_vftmrz *f)
{
	erase_all(f);
	*bytes_at(f, PT_VFTMRZ_CONFIG_FSEC) = PT_VFTMRZ_UNSECURED;
	f->reg[PT_VFTMRZ_FSEC] = PT_VFTMRZ_UNSECURED;
}

static void erase_block(struct pt_vftmrz *f)
{
	if (in_flash(f, address(f), 1))
		erase(f, f->config.flash_base, f->config.flash_bytes);
	else
		erase(f, f->config.eeprom_base, f->config.eeprom_bytes);
}

static bool verify_block(const struct pt_vftmrz *f, bool flash)
{
	return flash ? erased(f, f->config.flash_base, f->config.flash_bytes)
		     : erased(f, f->config.eeprom_base, f->config.eeprom_bytes);
}

static bool act(struct pt_vftmrz *f)
{
	uint32_t addr = address(f);

	switch (command(f)) {
	case VERIFY_ALL:
		return verify_block(f, true) && verify_block(f, false);
	case VERIFY_BLOCK:
		return verify_block(f, in_flash(f, addr, 1));
	case VERIFY_SECTION:
		return erased(f, addr, fccob(f, 2) * (uint32_t)PT_VFTMRZ_PHRASE);
	case PROGRAM:
		return program(f, addr, PT_VFTMRZ_PHRASE);
	case PROGRAM_EEPROM:
		return program(f, addr, eeprom_bytes(f));
	case ERASE_SECTOR:
		erase(f, addr & ~(PT_VFTMRZ_SECTOR - 1u), PT_VFTMRZ_SECTOR);
		return true;
	case ERASE_EEPROM:
		erase(f, addr & ~(PT_VFTMRZ_EE_SECTOR - 1u), PT_VFTMRZ_EE_SECTOR);
		return true;
	case ERASE_BLOCK:
		erase_block(f);
		return true;
	case UNSECURE:
		unsecure(f);
		return true;
	default:
		erase_all(f);
		return true;
	}
}

/* --- running */

static bool idle(const struct pt_vftmrz *f)
{
	return f->done_cycle == PT_VNEVER;
}

static void begin(struct pt_vftmrz *f, uint64_t ns)
{
	const struct pt_vwires *wires = f->config.wires;

	f->reg[PT_VFTMRZ_FSTAT] &= (uint8_t)~(PT_VFTMRZ_CCIF | PT_VFTMRZ_MGSTAT);
	f->done_cycle = pt_vwires_now(wires) + pt_vwires_cycles(wires, ns);
	f->config.busy(f->config.arg, true);
	pt_vbus_reschedule(wires->bus);
}

static void launch(struct pt_vftmrz *f)
{
	uint8_t *fstat = &f->reg[PT_VFTMRZ_FSTAT];
	unsigned words = f->reg[PT_VFTMRZ_FCCOBIX] + 1u;
	bool counts = command(f) == PROGRAM_EEPROM || words == words_of(command(f));

	if ((*fstat & (PT_VFTMRZ_ACCERR | PT_VFTMRZ_FPVIOL)) != 0)
		return;
	if ((f->reg[PT_VFTMRZ_FCLKDIV] & PT_VFTMRZ_FDIVLD) == 0 || !counts || !arguments_good(f))
		*fstat |= PT_VFTMRZ_ACCERR;
	else if (is_protected(f))
		*fstat |= PT_VFTMRZ_FPVIOL;
	else
		begin(f, duration_ns(f));
}

static void finish(struct pt_vftmrz *f, bool good)
{
	f->done_cycle = PT_VNEVER;
	f->mass_erasing = false;
	f->reg[PT_VFTMRZ_FSTAT] |= (uint8_t)(PT_VFTMRZ_CCIF | (good ? 0 : PT_VFTMRZ_MGSTAT));
	f->config.busy(f->config.arg, false);
}

void pt_vftmrz_mass_erase(struct pt_vftmrz *f)
{
	if (!idle(f))
		return;
	f->mass_erasing = true;
	begin(f, f->config.erase_all_ns);
}

bool pt_vftmrz_mass_erasing(const struct pt_vftmrz *f)
{
	return f->mass_erasing;
}

static uint64_t next_tick(void *unit)
{
	return ((const struct pt_vftmrz *)unit)->done_cycle;
}

static void tick(void *unit, uint64_t now_cycle)
{
	struct pt_vftmrz *f = unit;
	bool good = true;

	(void)now_cycle;
	if (f->mass_erasing)
		unsecure(f);
	else
		good = act(f);
	finish(f, good);
}

/* --- registers */

static void write_fstat(struct pt_vftmrz *f, uint8_t value)
{
	f->reg[PT_VFTMRZ_FSTAT] &= (uint8_t)~(value & (PT_VFTMRZ_ACCERR | PT_VFTMRZ_FPVIOL));
	if ((value & PT_VFTMRZ_CCIF) != 0)
		launch(f);
}

static void write_byte(struct pt_vftmrz *f, uint32_t offset, uint8_t value)
{
	if (!idle(f))
		return;
	if (offset == PT_VFTMRZ_FCLKDIV)
		f->reg[offset] = (uint8_t)(value | PT_VFTMRZ_FDIVLD);
	else if (offset == PT_VFTMRZ_FCCOBIX)
		f->reg[offset] = value & FCCOBIX_BITS;
	else if (offset == PT_VFTMRZ_FSTAT)
		write_fstat(f, value);
	else if (offset == PT_VFTMRZ_FCNFG || offset >= PT_VFTMRZ_FCCOB0)
		f->reg[offset] = value;
	else if (offset == PT_VFTMRZ_FPROT || offset == PT_VFTMRZ_DFPROT)
		f->reg[offset] &= value;	/* protection can only be added */
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	const struct pt_vftmrz *f = unit;

	*value = 0;
	for (unsigned i = 0; i < access->size_bytes; i++)
		*value = *value << 8 | f->reg[offset + i];
	return true;
}

static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	for (unsigned i = 0; i < access->size_bytes; i++)
		write_byte(unit, offset + i, (uint8_t)(value >> 8 * (access->size_bytes - 1 - i)));
	return true;
}

static void reset(void *unit, bool power_on)
{
	struct pt_vftmrz *f = unit;

	(void)power_on;
	if (!idle(f))
		finish(f, false);
	memset(f->reg, 0, sizeof(f->reg));
	f->reg[PT_VFTMRZ_FSTAT] = PT_VFTMRZ_CCIF;
	f->reg[PT_VFTMRZ_FSEC] = *bytes_at(f, PT_VFTMRZ_CONFIG_FSEC);
	f->reg[PT_VFTMRZ_FPROT] = *bytes_at(f, PT_VFTMRZ_CONFIG_FPROT);
	f->reg[PT_VFTMRZ_DFPROT] = *bytes_at(f, PT_VFTMRZ_CONFIG_DFPROT);
	f->reg[PT_VFTMRZ_FOPT] = *bytes_at(f, PT_VFTMRZ_CONFIG_FOPT);
}

void pt_vftmrz_init(struct pt_vftmrz *f, const struct pt_vftmrz_config *config)
{
	*f = (struct pt_vftmrz){ .config = *config, .done_cycle = PT_VNEVER };
	reset(f, true);
}

const struct pt_vunit_ops pt_vftmrz_ops = {
	.name = "FTMRZ", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
	.reads_are_quiet = true,
};
