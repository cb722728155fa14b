/* The virtual S12ZVM: an S12Z MagniV part (128 KiB flash, 8 KiB RAM, 1 KiB EEPROM) as its memory map, its units, its
 * BDC and its trace pins. Wire models drive it through pt_vboard_s12zvm; tests and bench look inside through
 * this header. Its words are in pt_vs12zvm_params (s12zvm_setup.c), each with the fact that it leaves open. */
#ifndef PT_VIRTUAL_CHIP_S12ZVM_H
#define PT_VIRTUAL_CHIP_S12ZVM_H

#include "probes/virtual/frame/board.h"
#include "probes/virtual/chip/power.h"
#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/s12z/s12z.h"
#include "probes/virtual/unit/s12z/s12z_block.h"
#include "probes/virtual/unit/s12z/s12z_dbg.h"
#include "probes/virtual/unit/s12z/s12z_ftmrz.h"
#include "probes/virtual/unit/s12z/s12z_int.h"
#include "probes/virtual/unit/s12z/s12z_tim.h"
#include "probes/virtual/wire/bdc.h"

/* Source: MC9S12ZVM RM Rev. 1.3; the sizes are those of its part with 128 KiB. */
enum {
	PT_S12ZVM_REGISTERS_BYTES = 0x1000,
	PT_S12ZVM_RAM_BASE = 0x001000, PT_S12ZVM_RAM_BYTES = 0x2000,
	PT_S12ZVM_EEPROM_BASE = 0x100000, PT_S12ZVM_EEPROM_BYTES = 0x400,
	PT_S12ZVM_FLASH_BASE = 0xfe0000, PT_S12ZVM_FLASH_BYTES = 0x20000,
	PT_S12ZVM_TIM_VECTOR = 12,	/* of channel 0; 13 to 15 the others, 16 the overflow */
};

struct pt_s12zvm {
	struct pt_vbus bus;
	struct pt_vwires wires;
	struct pt_vs12z *cpu;
	uint8_t flash[PT_S12ZVM_FLASH_BYTES], ram[PT_S12ZVM_RAM_BYTES], eeprom[PT_S12ZVM_EEPROM_BYTES];

	struct pt_vs12z_dbg dbg;
	struct pt_vs12z_int interrupts;
	struct pt_vs12z_tim tim;
	struct pt_vftmrz ftmrz;
	struct pt_vs12z_block part, cpmu;
	struct pt_vbdc bdc;

	struct pt_vpower power;
	bool app_dbg;			/* the application arms the DBG module as soon as it runs */
	uint64_t n_resets;		/* since power-on */
	uint64_t stolen;		/* bus cycles that the BDC took from the core */
};

/* The chip behind a board of pt_vboard_s12zvm; the board's. */
struct pt_s12zvm *pt_s12zvm_of(struct pt_vboard *board);

/* Host-side view of the chip's memories, past bus and protection: n_bytes at addr. NULL: not there. */
uint8_t *pt_s12zvm_bytes(struct pt_s12zvm *chip, uint32_t addr, uint32_t n_bytes);
uint32_t pt_s12zvm_peek(struct pt_s12zvm *chip, uint32_t addr);	/* four bytes; 0 where there are none */

/* Start a truth over the chip's flash and RAM (truth.h). False: no memory. */
bool pt_s12zvm_watch(struct pt_s12zvm *chip, struct pt_vtruth *truth, size_t log_room);

enum { PT_S12ZVM_WORDS = 18 };
extern const struct pt_param pt_vs12zvm_params[PT_S12ZVM_WORDS];

extern const struct pt_vboard_ops pt_vboard_s12zvm;

#endif
