/* Shared by the KL27's files alone: kl27.c (the chip's life), kl27_map.c (the address of each unit), kl27_setup.c
 * (variants and firmware). */
#ifndef PT_VIRTUAL_CHIP_KL27_PARTS_H
#define PT_VIRTUAL_CHIP_KL27_PARTS_H

#include "probes/virtual/chip/kl27.h"

enum {
	PT_KL27_BOOT_ROM_BASE = 0x1c000000,
	PT_KL27_SYSTEM_ROM_TABLE = 0xf0002000,
	PT_KL27_CORE_ROM_TABLE = 0xe00ff000,
};

/* Interrupt lines. Source: KL27 RM, table of interrupt vector assignments. */
enum {
	PT_KL27_IRQ_FTFA = 5,
	PT_KL27_IRQ_LPUART0 = 12,	/* and 13 */
	PT_KL27_IRQ_TPM0 = 17,		/* to 19 */
	PT_KL27_IRQ_PIT = 22,
	PT_KL27_IRQ_LPTMR = 28,
};

/* The words of variant=, for the board's help. */
#define PT_KL27_VARIANT_WORDS \
	"secured, no-mass-erase, no-mtb, mtb-base-0, mtb-32, mtb-in-use, mtb-match-on-step, mtb-tail-single, " \
	"multi-drop, " PT_VSECOND_WORDS ", watchdog, skid-1 to skid-8"
/* PT_EARG: a word that is none of them; the sentence lists them. */
int pt_kl27_read_variant(struct pt_kl27_variant *variant, const struct pt_params *settings, struct pt_err *err);
/* Program the flash from an ELF, or (NULL) the demo, before power-on. What the file puts into RAM must fit there,
 * and is lost at power-on like anything in RAM. PT_EARG: not firmware for this chip. */
int pt_kl27_load(struct pt_kl27 *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err);

bool pt_kl27_map_memories(struct pt_kl27 *chip);	/* before the core is made */
bool pt_kl27_map_units(struct pt_kl27 *chip);		/* after; the units must be initialised. False: no room */

/* Take a memory off the bus for a while, and put it back: accesses go to ops. code: fetches too are refused. */
void pt_kl27_cover(struct pt_kl27 *chip, uint32_t base, const struct pt_vunit_ops *ops, bool code);
void pt_kl27_uncover(struct pt_kl27 *chip, uint32_t base);

#endif
