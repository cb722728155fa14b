/* Three tables: memories, units that do something, and peripherals that only hold bits.
 * Source: KL27 RM, memory map and peripheral bridge slots. */
#include <stddef.h>

#include "probes/virtual/chip/kl27_parts.h"
#include "probes/virtual/frame/storage.h"
#include "base/util.h"

bool pt_kl27_map_memories(struct pt_kl27 *chip)
{
	const struct pt_vregion memories[] = {
		{ .base = 0, .size = PT_KL27_FLASH_BYTES, .bytes = chip->flash, .read_only = true },
		{ .base = PT_KL27_RAM_BASE, .size = PT_KL27_RAM_BYTES, .bytes = chip->ram },
		{ .base = PT_KL27_BOOT_ROM_BASE, .size = sizeof(chip->boot_rom), .bytes = chip->boot_rom,
		  .read_only = true },
		{ .base = PT_KL27_TRACE_RAM_BASE, .size = PT_KL27_TRACE_RAM_BYTES, .bytes = chip->trace_ram },
	};
	size_t n = PT_LEN(memories) - (chip->variant.own_trace_ram ? 0 : 1);

	for (size_t i = 0; i < n; i++)
		if (!pt_vbus_add(&chip->bus, &memories[i]))
			return false;
	return true;
}

/* --- peripherals that only hold bits */

#define WORD(at) { "register", 4 * (at), 4, 0, 0xffffffff, 0 }
#define WORDS_4(at) WORD(at), WORD(at + 1), WORD(at + 2), WORD(at + 3)
static const struct pt_vreg words[32] = {
	WORDS_4(0), WORDS_4(4), WORDS_4(8), WORDS_4(12), WORDS_4(16), WORDS_4(20), WORDS_4(24), WORDS_4(28),
};

/* Bit 24 of a pin control register is ISF, cleared by writing 1. */
#define PCR(n) { "PCR", 4 * (n), 4, 0, 0x000f0757, 0x01000000 }
#define PCR_8(n) PCR(n), PCR(n + 1), PCR(n + 2), PCR(n + 3), PCR(n + 4), PCR(n + 5), PCR(n + 6), PCR(n + 7)
static const struct pt_vreg port[] = {
	PCR_8(0), PCR_8(8), PCR_8(16), PCR_8(24),
	{ "ISFR", 0xa0, 4, 0, 0, 0xffffffff },
};

static const struct pt_vreg osc[] = { { "CR", 0x0, 1, 0, 0xaf, 0 } };
static const struct pt_vreg smc[] = {
	{ "PMPROT", 0x0, 1, 0, 0x2a, 0 },
	{ "PMCTRL", 0x1, 1, 0, 0x67, 0 },
	{ "STOPCTRL", 0x2, 1, 0x03, 0xef, 0 },
	{ "PMSTAT", 0x3, 1, 0x01, 0, 0 },	/* RUN */
};
static const struct pt_vreg pmc[] = {
	{ "LVDSC1", 0x0, 1, 0x10, 0x33, 0 },
	{ "LVDSC2", 0x1, 1, 0x00, 0x23, 0 },
	{ "REGSC", 0x2, 1, 0x04, 0x19, 0 },
};
static const struct pt_vreg rcm[] = {
	{ "SRS0", 0x0, 1, 0x82, 0, 0 },		/* power-on and low voltage */
	{ "SRS1", 0x1, 1, 0x00, 0, 0 },
	{ "RPFC", 0x4, 1, 0x00, 0x07, 0 },
	{ "RPFW", 0x5, 1, 0x00, 0x1f, 0 },
	{ "FM", 0x6, 1, 0x00, 0x06, 0 },
	{ "MR", 0x7, 1, 0x00, 0, 0x06 },
};
static const struct pt_vreg mcm[] = {
	{ "PLASC", 0x8, 2, 0x0007, 0, 0 },
	{ "PLAMC", 0xa, 2, 0x000d, 0, 0 },
	{ "PLACR", 0xc, 4, 0x00000050, 0x0001fe00, 0 },
	{ "CPO", 0x40, 4, 0, 0x7, 0 },
};

static const struct {
	const char *name;
	uint32_t base;
	const struct pt_vreg *rows;
	size_t n_rows;
} plain[] = {
	{ "OSC0", 0x40065000, osc, PT_LEN(osc) },
	{ "PORTA", 0x40049000, port, PT_LEN(port) },
	{ "PORTB", 0x4004a000, port, PT_LEN(port) },
	{ "PORTC", 0x4004b000, port, PT_LEN(port) },
	{ "PORTD", 0x4004c000, port, PT_LEN(port) },
	{ "PORTE", 0x4004d000, port, PT_LEN(port) },
	{ "SMC", 0x4007e000, smc, PT_LEN(smc) },
	{ "PMC", 0x4007d000, pmc, PT_LEN(pmc) },
	{ "RCM", 0x4007f000, rcm, PT_LEN(rcm) },
	{ "MCM", 0xf0003000, mcm, PT_LEN(mcm) },
	{ "DMAMUX", 0x40021000, words, 1 },
	{ "ADC0", 0x4003b000, words, PT_LEN(words) },
	{ "RTC", 0x4003d000, words, 8 },
	{ "FLEXIO", 0x4005f000, words, PT_LEN(words) },
	{ "I2C0", 0x40066000, words, 4 },
	{ "I2C1", 0x40067000, words, 4 },
	{ "UART2", 0x4006c000, words, 8 },
	{ "CMP0", 0x40073000, words, 2 },
	{ "VREF", 0x40074000, words, 1 },
	{ "SPI0", 0x40076000, words, 4 },
	{ "SPI1", 0x40077000, words, 4 },
	{ "LLWU", 0x4007c000, words, 3 },
};
_Static_assert(PT_LEN(plain) <= PT_KL27_PLAIN, "struct pt_kl27 has room for them");

static bool map_plain(struct pt_kl27 *chip)
{
	size_t used = 0;

	for (size_t i = 0; i < PT_LEN(plain); i++) {
		struct pt_vregion region = {
			.base = plain[i].base, .size = 0x1000, .ops = &pt_vstorage_ops, .unit = &chip->plain[i],
		};

		if (used + plain[i].n_rows > PT_KL27_PLAIN_REGISTERS)
			return false;
		chip->plain[i] = (struct pt_vregs){ plain[i].rows, plain[i].n_rows, chip->plain_value + used };
		used += plain[i].n_rows;
		if (!pt_vbus_add(&chip->bus, &region))
			return false;
	}
	return true;
}

/* --- units */

#define MEMBER(unit) offsetof(struct pt_kl27, unit)
static const struct {
	uint32_t base, size;
	const struct pt_vunit_ops *ops;
	size_t member;
	bool of_mtb;		/* not there in a chip without MTB */
} units[] = {
	{ 0x40020000, 0x1000, &pt_vftfa_ops, MEMBER(ftfa), false },
	{ 0x40037000, 0x1000, &pt_vpit_ops, MEMBER(pit), false },
	{ 0x40038000, 0x1000, &pt_vtpm_ops, MEMBER(tpm[0]), false },
	{ 0x40039000, 0x1000, &pt_vtpm_ops, MEMBER(tpm[1]), false },
	{ 0x4003a000, 0x1000, &pt_vtpm_ops, MEMBER(tpm[2]), false },
	{ 0x40040000, 0x1000, &pt_vlptmr_ops, MEMBER(lptmr), false },
	{ 0x40047000, PT_VSIM_BYTES, &pt_vsim_ops, MEMBER(sim), false },
	{ 0x40054000, 0x1000, &pt_vlpuart_ops, MEMBER(lpuart[0]), false },
	{ 0x40055000, 0x1000, &pt_vlpuart_ops, MEMBER(lpuart[1]), false },
	{ 0x40064000, 0x1000, &pt_vmcg_ops, MEMBER(mcg), false },
	{ 0x400ff000, PT_VGPIO_BYTES, &pt_vgpio_ops, MEMBER(gpio), false },
	{ 0xf8000000, PT_VGPIO_BYTES, &pt_vgpio_ops, MEMBER(gpio), false },	/* FGPIO: the same pins */
	{ 0xe0001000, 0x1000, &pt_vdwt_ops, MEMBER(dwt), false },
	{ 0xe0002000, 0x1000, &pt_vbpu_ops, MEMBER(bpu), false },
	{ 0xe0000000 + PT_VSCS_BASE, PT_VSCS_BYTES, &pt_vscs_debug_ops, MEMBER(scs), false },
	{ 0xe00ff000, 0x1000, &pt_vrom_table_ops, MEMBER(core_rom), false },
	{ 0xf0000000, 0x1000, &pt_vmtb_ops, MEMBER(mtb), true },
	{ 0xf0001000, 0x1000, &pt_vmtb_dwt_ops, MEMBER(mtb_dwt), true },
	{ PT_KL27_SYSTEM_ROM_TABLE, 0x1000, &pt_vrom_table_ops, MEMBER(system_rom), false },
};

bool pt_kl27_map_units(struct pt_kl27 *chip)
{
	for (size_t i = 0; i < PT_LEN(units); i++) {
		struct pt_vregion region = {
			.base = units[i].base, .size = units[i].size, .ops = units[i].ops,
			.unit = (char *)chip + units[i].member,
		};

		if (!(units[i].of_mtb && chip->variant.no_mtb) && !pt_vbus_add(&chip->bus, &region))
			return false;
	}
	return map_plain(chip);
}

/* --- memories that are not there for a while */

void pt_kl27_cover(struct pt_kl27 *chip, uint32_t base, const struct pt_vunit_ops *ops, bool code)
{
	struct pt_vregion *region = pt_vbus_find(&chip->bus, base);

	region->bytes = NULL;
	region->ops = ops;
	region->unit = chip;
	pt_vcpu_detour(chip->cpu, base, true, code);
}

void pt_kl27_uncover(struct pt_kl27 *chip, uint32_t base)
{
	struct pt_vregion *region = pt_vbus_find(&chip->bus, base);

	region->bytes = base == PT_KL27_RAM_BASE ? chip->ram : chip->flash;
	region->ops = NULL;
	pt_vcpu_detour(chip->cpu, base, false, false);
}
