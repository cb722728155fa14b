/* Shared by the files of the S12ZVM alone: s12zvm.c (the chip's life), s12zvm_map.c (the address of each unit),
 * s12zvm_setup.c (words of its address, and firmware). */
#ifndef PT_VIRTUAL_CHIP_S12ZVM_PARTS_H
#define PT_VIRTUAL_CHIP_S12ZVM_PARTS_H

#include "probes/virtual/chip/s12zvm.h"

/* What the words of the address say, for the makers of the units. */
struct pt_s12zvm_words {
	uint32_t bus_hz, bdcclk_hz, bdcfclk_hz;
	bool secured, app_dbg;
	struct pt_vs12z_dbg_quirks dbg;
};
/* PT_EARG: variant= was given. */
int pt_s12zvm_read_words(struct pt_s12zvm_words *words, const struct pt_params *settings, struct pt_err *err);

/* Program flash and EEPROM from an ELF, or (NULL) the demo, before power-on. PT_EARG: not firmware for this chip. */
int pt_s12zvm_load(struct pt_s12zvm *chip, const uint8_t *elf, size_t len_bytes, bool secured, struct pt_err *err);

bool pt_s12zvm_map_memories(struct pt_s12zvm *chip);	/* before the core is made */
bool pt_s12zvm_map_units(struct pt_s12zvm *chip);	/* after; and what is reserved between them. False: no room */

/* Take the flash off the bus while a command runs, and put it back. */
void pt_s12zvm_cover_flash(struct pt_s12zvm *chip, bool busy);

#endif
