/* A command is checked when it is launched, and acts when its time is over. The registers are one byte each, FCCOB in
 * the order of the manual: 3, 2, 1, 0, 7, 6, 5, 4, b, a, 9, 8. */
#include <string.h>

#include "probes/virtual/unit/kinetis/ftfa.h"

enum { FSTAT, FCNFG, FSEC, FOPT, FCCOB3, FPROT3 = 16 };	/* offsets, which are also the indices of the rows */

enum command {
	READ_1S_SECTION = 0x01,
	PROGRAM_CHECK = 0x02,
	READ_RESOURCE = 0x03,
	PROGRAM_LONGWORD = 0x06,
	ERASE_SECTOR = 0x09,
	READ_1S_ALL = 0x40,
	READ_ONCE = 0x41,
	PROGRAM_ONCE = 0x43,
	ERASE_ALL = 0x44,
	BACKDOOR_KEY = 0x45,
	ERASE_ALL_UNSECURE = 0x49,
};

enum { CCIE = 0x80, ERRORS = PT_VFTFA_RDCOLERR | PT_VFTFA_ACCERR | PT_VFTFA_FPVIOL };
enum { KEY_BYTES = 8, REGIONS = 32 };

#define FCCOB(n, at) [at] = { "FCCOB" #n, at, 1, 0, 0xff, 0 }
static const struct pt_vreg rows[PT_VFTFA_REGISTERS] = {	/* FSTAT is written by its own code */
	[FSTAT] = { "FSTAT", 0, 1, PT_VFTFA_CCIF, 0, 0 },
	[FCNFG] = { "FCNFG", 1, 1, 0, 0xd0, 0 },	/* CCIE, RDCOLLIE, ERSSUSP */
	[FSEC] = { "FSEC", 2, 1, 0, 0, 0 },
	[FOPT] = { "FOPT", 3, 1, 0, 0, 0 },
	FCCOB(3, 4), FCCOB(2, 5), FCCOB(1, 6), FCCOB(0, 7), FCCOB(7, 8), FCCOB(6, 9), FCCOB(5, 10), FCCOB(4, 11),
	FCCOB(B, 12), FCCOB(A, 13), FCCOB(9, 14), FCCOB(8, 15),
	[FPROT3 + 0] = { "FPROT3", 16, 1, 0, 0, 0 }, [FPROT3 + 1] = { "FPROT2", 17, 1, 0, 0, 0 },
	[FPROT3 + 2] = { "FPROT1", 18, 1, 0, 0, 0 }, [FPROT3 + 3] = { "FPROT0", 19, 1, 0, 0, 0 },
};

static uint8_t fccob(const struct pt_vftfa *ftfa, unsigned n)
{
	return (uint8_t)ftfa->value[FCCOB3 + (n ^ 3)];
}

static uint32_t address(const struct pt_vftfa *ftfa)
{
	return (uint32_t)fccob(ftfa, 1) << 16 | (uint32_t)fccob(ftfa, 2) << 8 | fccob(ftfa, 3);
}

/* Four FCCOBs from n on as memory holds them: the first is the byte of the highest address. */
static uint32_t longword(const struct pt_vftfa *ftfa, unsigned n)
{
	return (uint32_t)fccob(ftfa, n) << 24 | (uint32_t)fccob(ftfa, n + 1) << 16 | (uint32_t)fccob(ftfa, n + 2) << 8 |
	       fccob(ftfa, n + 3);
}

static void give_longword(struct pt_vftfa *ftfa, const uint8_t *from)
{
	for (unsigned i = 0; i < 4; i++)
		ftfa->value[FCCOB3 + (4 + i)] = from[i];	/* FCCOB7 lies lowest and holds the lowest byte */
}

bool pt_vftfa_ready(const struct pt_vftfa *ftfa)
{
	return ftfa->done_cycle == PT_VNEVER;
}

bool pt_vftfa_secured(const struct pt_vftfa *ftfa)
{
	return (ftfa->value[FSEC] & PT_VFSEC_SEC) != PT_VFSEC_UNSECURED;
}

bool pt_vftfa_mass_erase_allowed(const struct pt_vftfa *ftfa)
{
	return (ftfa->value[FSEC] >> 4 & 3) != PT_VFSEC_NO_MASS_ERASE;
}

bool pt_vftfa_backdoor_allowed(const struct pt_vftfa *ftfa)
{
	return (ftfa->value[FSEC] >> 6 & 3) == PT_VFSEC_BACKDOOR;
}

/* FPROT: one bit for each 32nd of the flash, 0 = protected, the lowest region in the lowest bit of FPROT3. */
static bool is_protected(const struct pt_vftfa *ftfa, uint32_t addr)
{
	uint32_t region = addr / (ftfa->config.flash_bytes / REGIONS);

	return (ftfa->value[FPROT3 + region / 8] >> region % 8 & 1) == 0;
}

static bool any_protected(const struct pt_vftfa *ftfa)
{
	for (uint32_t i = 0; i < 4; i++)
		if (ftfa->value[FPROT3 + i] != 0xff)
			return true;
	return false;
}

static uint32_t section_bytes(const struct pt_vftfa *ftfa)
{
	return 4u * ((uint32_t)fccob(ftfa, 4) << 8 | fccob(ftfa, 5));
}

static bool in_flash(const struct pt_vftfa *ftfa, uint32_t addr, uint32_t bytes)
{
	return addr % 4 == 0 && addr < ftfa->config.flash_bytes && bytes <= ftfa->config.flash_bytes - addr;
}

/* The error bits with which a command is refused at once; 0: it runs. */
static uint32_t refusal(const struct pt_vftfa *ftfa)
{
	uint32_t addr = address(ftfa);

	switch (fccob(ftfa, 0)) {
	case READ_1S_SECTION:
		return in_flash(ftfa, addr, section_bytes(ftfa)) ? 0 : PT_VFTFA_ACCERR;
	case PROGRAM_CHECK:
		return in_flash(ftfa, addr, 4) ? 0 : PT_VFTFA_ACCERR;
	case PROGRAM_LONGWORD:
	case ERASE_SECTOR:
		if (!in_flash(ftfa, addr, 4))
			return PT_VFTFA_ACCERR;
		return is_protected(ftfa, addr) ? PT_VFTFA_FPVIOL : 0;
	case READ_RESOURCE:
		return addr % 4 == 0 && addr < PT_VFTFA_IFR_BYTES && fccob(ftfa, 8) <= 1 ? 0 : PT_VFTFA_ACCERR;
	case READ_ONCE:
	case PROGRAM_ONCE:
		return fccob(ftfa, 1) < PT_VFTFA_IFR_BYTES / 4 ? 0 : PT_VFTFA_ACCERR;
	case ERASE_ALL:
		return any_protected(ftfa) ? PT_VFTFA_FPVIOL : 0;
	case BACKDOOR_KEY:
		return pt_vftfa_backdoor_allowed(ftfa) && !ftfa->key_blocked ? 0 : PT_VFTFA_ACCERR;
	case READ_1S_ALL:
	case ERASE_ALL_UNSECURE:
		return 0;
	default:
		return PT_VFTFA_ACCERR;
	}
}

static uint64_t duration_ns(const struct pt_vftfa *ftfa)
{
	switch (fccob(ftfa, 0)) {
	case PROGRAM_LONGWORD:
	case PROGRAM_ONCE:
		return ftfa->config.program_ns;
	case ERASE_SECTOR:
		return ftfa->config.erase_sector_ns;
	case ERASE_ALL:
	case ERASE_ALL_UNSECURE:
		return ftfa->config.erase_all_ns;
	default:
		return ftfa->config.read_ns;
	}
}

static bool erased(const struct pt_vftfa *ftfa, uint32_t addr, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		if (ftfa->config.flash[addr + i] != 0xff)
			return false;
	return true;
}

static void erase(struct pt_vftfa *ftfa, uint32_t addr, uint32_t bytes)
{
	memset(ftfa->config.flash + addr, 0xff, bytes);
	pt_vbus_changed(ftfa->config.wires->bus, addr, bytes);
}

/* Programming only clears bits: what was not erased before is verified as wrong. */
static bool program(uint8_t *at, uint32_t word)
{
	pt_put_le32(at, pt_le32(at) & word);
	return pt_le32(at) == word;
}

/* The key lies in the flash as a longword's bytes would (the manual's byte order UNVERIFIED). */
static bool check_key(struct pt_vftfa *ftfa)
{
	for (unsigned i = 0; i < KEY_BYTES; i++)
		ftfa->key_blocked |= ftfa->config.flash[PT_VFTFA_CONFIG + i] != fccob(ftfa, 4 + (i ^ 3));
	if (!ftfa->key_blocked)
		ftfa->value[FSEC] = (ftfa->value[FSEC] & ~3u) | PT_VFSEC_UNSECURED;
	return true;
}

/* Erased flash reads as secured, so the commands that unsecure write the safe FSEC behind the erase. */
static bool erase_all(struct pt_vftfa *ftfa, bool unsecure)
{
	erase(ftfa, 0, ftfa->config.flash_bytes);
	if (unsecure) {
		ftfa->config.flash[PT_VFTFA_CONFIG + 0xc] = PT_VFSEC_SAFE;
		ftfa->value[FSEC] = PT_VFSEC_SAFE;
	}
	return true;
}

static bool program_flash(struct pt_vftfa *ftfa)
{
	uint32_t addr = address(ftfa);
	bool good = program(ftfa->config.flash + addr, longword(ftfa, 4));

	pt_vbus_changed(ftfa->config.wires->bus, addr, 4);
	return good;
}

/* What the command in FCCOB does at its end. False: MGSTAT0. */
static bool act(struct pt_vftfa *ftfa)
{
	uint32_t addr = address(ftfa);

	switch (fccob(ftfa, 0)) {
	case READ_1S_SECTION:
		return erased(ftfa, addr, section_bytes(ftfa));
	case READ_1S_ALL:
		return erased(ftfa, 0, ftfa->config.flash_bytes);
	case PROGRAM_CHECK:
		return pt_le32(ftfa->config.flash + addr) == longword(ftfa, 8);
	case PROGRAM_LONGWORD:
		return program_flash(ftfa);
	case ERASE_SECTOR:
		erase(ftfa, addr & ~(PT_VFTFA_SECTOR_BYTES - 1u), PT_VFTFA_SECTOR_BYTES);
		return true;
	case READ_RESOURCE:
		give_longword(ftfa, ftfa->ifr + addr);
		return true;
	case READ_ONCE:
		give_longword(ftfa, ftfa->ifr + 4 * fccob(ftfa, 1));
		return true;
	case PROGRAM_ONCE:
		return program(ftfa->ifr + 4 * fccob(ftfa, 1), longword(ftfa, 4));
	case BACKDOOR_KEY:
		return check_key(ftfa);
	default:
		return erase_all(ftfa, fccob(ftfa, 0) == ERASE_ALL_UNSECURE);
	}
}

static void interrupt(struct pt_vftfa *ftfa)
{
	bool level = (ftfa->value[FCNFG] & CCIE) != 0 && (ftfa->value[FSTAT] & PT_VFTFA_CCIF) != 0;

	pt_vwires_irq(ftfa->config.wires, ftfa->config.irq, level);
}

static void run(struct pt_vftfa *ftfa)
{
	const struct pt_vwires *wires = ftfa->config.wires;

	ftfa->value[FSTAT] &= ~(PT_VFTFA_CCIF | PT_VFTFA_MGSTAT0);
	ftfa->done_cycle = pt_vwires_now(wires) + pt_vwires_cycles(wires, duration_ns(ftfa));
	ftfa->config.busy(ftfa->config.arg, true);
	pt_vbus_reschedule(wires->bus);
}

/* Writing CCIF launches, unless an error of the last command still stands. */
static void launch(struct pt_vftfa *ftfa)
{
	uint32_t error = refusal(ftfa);

	if ((ftfa->value[FSTAT] & (PT_VFTFA_ACCERR | PT_VFTFA_FPVIOL)) != 0)
		return;
	if (error != 0)
		ftfa->value[FSTAT] |= error;
	else
		run(ftfa);
}

static void finish(struct pt_vftfa *ftfa, bool good)
{
	ftfa->done_cycle = PT_VNEVER;
	ftfa->value[FSTAT] |= PT_VFTFA_CCIF | (good ? 0 : PT_VFTFA_MGSTAT0);
	ftfa->config.busy(ftfa->config.arg, false);
	interrupt(ftfa);
}

void pt_vftfa_collide(struct pt_vftfa *ftfa)
{
	ftfa->value[FSTAT] |= PT_VFTFA_RDCOLERR;
}

bool pt_vftfa_mass_erase(struct pt_vftfa *ftfa)
{
	if (!pt_vftfa_ready(ftfa) || !pt_vftfa_mass_erase_allowed(ftfa))
		return false;
	ftfa->value[FCCOB3 + 3] = ERASE_ALL_UNSECURE;
	run(ftfa);
	return true;
}

/* Protection can only be added: a register bit goes from 1 to 0. */
static void write_fprot(struct pt_vftfa *ftfa, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	for (unsigned i = 0; i < access->size_bytes; i++)
		if (offset + i >= FPROT3 && offset + i < FPROT3 + 4)
			ftfa->value[offset + i] &= value >> i * 8;
}

/* While a command runs only FCNFG can be written. */
static bool write(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t value)
{
	struct pt_vftfa *ftfa = unit;
	uint32_t fcnfg = ftfa->value[FCNFG];

	if (!pt_vftfa_ready(ftfa)) {
		if (offset == FCNFG)
			pt_vregs_write(&ftfa->regs, offset, access, value);
		return true;
	}
	if (offset < PT_VFTFA_REGISTERS)
		pt_vregs_write(&ftfa->regs, offset, access, value);
	write_fprot(ftfa, offset, access, value);
	if (offset == FSTAT) {
		ftfa->value[FSTAT] &= ~(value & ERRORS);
		if ((value & PT_VFTFA_CCIF) != 0)
			launch(ftfa);
	}
	if (offset == FSTAT || fcnfg != ftfa->value[FCNFG])
		interrupt(ftfa);
	return true;
}

static bool read(void *unit, uint32_t offset, const struct pt_vaccess *access, uint32_t *value)
{
	struct pt_vftfa *ftfa = unit;

	if (offset == FSTAT && access->size_bytes == 1)		/* what every flash driver reads a thousand times */
		*value = ftfa->value[FSTAT];
	else
		pt_vregs_read(&ftfa->regs, offset, access, value);
	return true;
}

static uint64_t next_tick(void *unit)
{
	return ((const struct pt_vftfa *)unit)->done_cycle;
}

static void tick(void *unit, uint64_t now_cycle)
{
	(void)now_cycle;
	finish(unit, act(unit));
}

/* A reset ends a command where it stands, and loads security, options and protection from the flash. */
static void reset(void *unit, bool power_on)
{
	struct pt_vftfa *ftfa = unit;
	const uint8_t *field = ftfa->config.flash + PT_VFTFA_CONFIG;

	(void)power_on;
	if (!pt_vftfa_ready(ftfa))
		finish(ftfa, false);
	pt_vregs_reset(&ftfa->regs);
	ftfa->key_blocked = false;
	for (unsigned i = 0; i < 4; i++)
		ftfa->value[FPROT3 + i] = field[0x8 + i];
	ftfa->value[FSEC] = field[0xc];
	ftfa->value[FOPT] = field[0xd];
}

void pt_vftfa_init(struct pt_vftfa *ftfa, const struct pt_vftfa_config *config)
{
	*ftfa = (struct pt_vftfa){
		.config = *config,
		.done_cycle = PT_VNEVER,
		.regs = { .row = rows, .n_rows = PT_LEN(rows), .value = ftfa->value },
	};
	memset(ftfa->ifr, 0xff, sizeof(ftfa->ifr));
	reset(ftfa, true);
}

const struct pt_vunit_ops pt_vftfa_ops = {
	.name = "FTFA", .read = read, .write = write, .reset = reset, .next_tick = next_tick, .tick = tick,
	.reads_are_quiet = true,
};
