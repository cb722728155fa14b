/* The KL27's memory map: which unit stands where. Shared by kl27.c alone. */
#ifndef PT_VIRTUAL_CHIP_KL27_MAP_H
#define PT_VIRTUAL_CHIP_KL27_MAP_H

#include "probes/virtual/chip/kl27.h"

enum {
	PT_KL27_BOOT_ROM_BASE = 0x1c000000,
	PT_KL27_SYSTEM_ROM_TABLE = 0xf0002000,
};

/* Interrupt lines. Source: KL27 RM, table of interrupt vector assignments. */
enum {
	PT_KL27_IRQ_FTFA = 5, PT_KL27_IRQ_LPUART0 = 12, PT_KL27_IRQ_TPM0 = 17, PT_KL27_IRQ_PIT = 22, PT_KL27_IRQ_LPTMR = 28,
};

bool pt_kl27_map_memories(struct pt_kl27 *chip);	/* before the core is made */
bool pt_kl27_map_units(struct pt_kl27 *chip);		/* after; the units must be initialised. False: no room */

/* Take a memory off the bus for a while, and put it back: accesses go to ops. code: fetches too are refused. */
void pt_kl27_cover(struct pt_kl27 *chip, uint32_t base, const struct pt_vunit_ops *ops, bool code);
void pt_kl27_uncover(struct pt_kl27 *chip, uint32_t base);

#endif
