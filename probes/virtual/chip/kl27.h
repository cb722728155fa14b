/* The virtual KL27: an MKL27Z256 (Cortex-M0+, 48 MHz, 256 KiB flash, 32 KiB RAM) as its memory map, its units and its
 * debug access. Wire models drive it through pt_vboard_kl27; tests and bench look inside through this header.
 *
 * variant= is a list of words, see pt_vboard_kl27's help: chips of the family with something missing or different, and
 * what the manuals leave open. second-core: it is the first of two, each with a debug port of its own on the wire
 * (multi-drop), as an RP2040's are. */
#ifndef PT_VIRTUAL_CHIP_KL27_H
#define PT_VIRTUAL_CHIP_KL27_H

#include "probes/virtual/frame/board.h"
#include "probes/virtual/chip/arm_debug.h"
#include "probes/virtual/chip/arm_second.h"
#include "probes/virtual/chip/power.h"
#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/unit/arm/bpu.h"
#include "probes/virtual/unit/arm/dwt.h"
#include "probes/virtual/unit/kinetis/ftfa.h"
#include "probes/virtual/unit/kinetis/gpio.h"
#include "probes/virtual/unit/kinetis/lptmr.h"
#include "probes/virtual/unit/kinetis/lpuart.h"
#include "probes/virtual/unit/kinetis/mcg.h"
#include "probes/virtual/unit/kinetis/mdm_ap.h"
#include "probes/virtual/unit/arm/mtb.h"
#include "probes/virtual/unit/arm/mtb_dwt.h"
#include "probes/virtual/unit/kinetis/pit.h"
#include "probes/virtual/unit/arm/rom_table.h"
#include "probes/virtual/unit/arm/scs_debug.h"
#include "probes/virtual/unit/kinetis/sim.h"
#include "probes/virtual/unit/kinetis/tpm.h"
#include "probes/virtual/wire/mem_ap.h"

enum {
	PT_KL27_FLASH_BYTES = 256 * 1024,
	PT_KL27_RAM_BASE = 0x1fffe000,
	PT_KL27_RAM_BYTES = 32 * 1024,
	PT_KL27_TRACE_RAM_BASE = 0x40403000,	/* variant mtb-32: 32 bytes of their own, as MSPM0 has them */
	PT_KL27_TRACE_RAM_BYTES = 32,
	PT_KL27_CORE_HZ = 48000000,
	PT_KL27_TPMS = 3,
	PT_KL27_LPUARTS = 2,
	PT_KL27_PLAIN = 24,			/* peripherals that only hold bits, at most */
	PT_KL27_PLAIN_REGISTERS = 420,		/* all of theirs */
};

/* What variant= says. */
struct pt_kl27_variant {
	bool secured, no_mass_erase, no_mtb, base_reads_0, own_trace_ram, mtb_in_use, match_on_step_only, tail_single;
	bool watchdog, multi_drop;
	unsigned skid;		/* instructions behind an AUTOHALT */
	enum pt_vsecond_kind second;	/* with multi_drop: behind a debug port of its own */
};

struct pt_kl27 {
	struct pt_kl27_variant variant;
	struct pt_vbus bus;
	struct pt_vwires wires;
	struct pt_vcpu *cpu;
	uint8_t flash[PT_KL27_FLASH_BYTES], ram[PT_KL27_RAM_BYTES], boot_rom[16 * 1024];
	uint8_t trace_ram[PT_KL27_TRACE_RAM_BYTES];

	struct pt_varm_debug debug;	/* over dwt, bpu and scs */
	struct pt_vmtb mtb;
	struct pt_vmtb_dwt mtb_dwt;
	struct pt_vdwt dwt;
	struct pt_vbpu bpu;
	struct pt_vscs_debug scs;
	struct pt_vrom_table system_rom, core_rom;
	struct pt_vftfa ftfa;
	struct pt_vsim sim;
	struct pt_vlpuart lpuart[PT_KL27_LPUARTS];
	struct pt_vpit pit;
	struct pt_vlptmr lptmr;
	struct pt_vtpm tpm[PT_KL27_TPMS];
	struct pt_vgpio gpio;
	struct pt_vmcg mcg;
	struct pt_vregs plain[PT_KL27_PLAIN];
	uint32_t plain_value[PT_KL27_PLAIN_REGISTERS];

	struct pt_vmem_ap ahb;
	struct pt_vmdm_ap mdm;
	struct pt_varm_second second;

	struct pt_vpower power;
	uint64_t flash_up_cycle;	/* until then the flash controller initialises: not ready, and seems secured */
	bool in_reset, held;
	uint64_t n_resets;		/* system resets since power-on, whatever the cause */
};

/* The chip behind a board of pt_vboard_kl27; the board's. */
struct pt_kl27 *pt_kl27_of(struct pt_vboard *board);

/* Host-side view of the chip's memory, past bus and protection: n_bytes at addr of RAM or flash. NULL: not there. */
uint8_t *pt_kl27_bytes(struct pt_kl27 *chip, uint32_t addr, uint32_t n_bytes);
uint32_t pt_kl27_peek(struct pt_kl27 *chip, uint32_t addr);	/* a word of RAM or flash; 0 where there is none */

/* What LPUART n has sent, as text of at most PT_VLPUART_LOG_BYTES; not terminated. */
const char *pt_kl27_text(const struct pt_kl27 *chip, unsigned n, size_t *len_bytes);

uint64_t pt_kl27_awake_cycles(const struct pt_kl27 *chip);	/* neither asleep nor halted, since power-on */
uint64_t pt_kl27_sleep_cycles(const struct pt_kl27 *chip);

/* Start a truth of its first core, or of any, over the chip's flash and RAM (truth.h). False: no memory. */
bool pt_kl27_watch(struct pt_kl27 *chip, struct pt_vtruth *truth, size_t log_room);
bool pt_kl27_watch_core(struct pt_kl27 *chip, unsigned core, struct pt_vtruth *truth, size_t log_room);

extern const struct pt_vboard_ops pt_vboard_kl27;

#endif
