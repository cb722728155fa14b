/* The virtual cm4: a Cortex-M4 with FPU as on Arm's MPS2 board (AN386), 25 MHz, code at 0, RAM at 0x20000000, a timer and
 * a UART of the CMSDK; with the debug units of ARMv7-M and trace by the pin SWO. It has no MTB. What runs here runs on QEMU's mps2-an386, which
 * judges it. And the virtual cm7: the same with a Cortex-M7 (AN500), without bit-banding, and with the ROM table of its
 * access port in front of that of the core. Judge: mps2-an500.
 *
 * variant=second-core: a second core, a Cortex-M4, behind access port 3, as an STM32H745 has it beside its Cortex-M7,
 * without timer and UART.
 *
 * Interrupt lines: timer 8 (as AN386). Source: Arm DAI 0386, DDI 0479 (CMSDK). */
#ifndef PT_VIRTUAL_CHIP_CM4_H
#define PT_VIRTUAL_CHIP_CM4_H

#include "probes/virtual/chip/arm_debug.h"
#include "probes/virtual/chip/arm_second.h"
#include "probes/virtual/chip/power.h"
#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/cortexm/cortexm.h"
#include "probes/virtual/frame/board.h"
#include "probes/virtual/unit/arm/bit_band.h"
#include "probes/virtual/unit/arm/bpu.h"
#include "probes/virtual/unit/arm/cmsdk_timer.h"
#include "probes/virtual/unit/arm/cmsdk_uart.h"
#include "probes/virtual/unit/arm/dwt.h"
#include "probes/virtual/unit/arm/itm.h"
#include "probes/virtual/unit/arm/rom_table.h"
#include "probes/virtual/unit/arm/scs_debug.h"
#include "probes/virtual/unit/arm/tpiu.h"
#include "probes/virtual/unit/arm/trace_pin.h"
#include "probes/virtual/wire/mem_ap.h"

enum {
	PT_CM4_CODE_BYTES = 512 * 1024,
	PT_CM4_RAM_BASE = 0x20000000,
	PT_CM4_RAM_BYTES = 128 * 1024,
	PT_CM4_CORE_HZ = 25000000,
};

/* What its address says. */
struct pt_cm4_words {
	bool locked;			/* variant=locked: read-out protection has closed the bus */
	bool trace_sleeps;		/* variant=trace-sleeps: TRACECLKIN stops while the core sleeps */
	bool cyccnt_sleeps;		/* variant=cyccnt-sleeps: CYCCNT stands while the core sleeps */
	bool left, rival;		/* variant=left: another debugger has set up trace its way; rival: and does so again and again */
	bool dwt_v8;			/* variant=dwt-v8: a DWT of ARMv8-M, in a core that says it is a Cortex-M33 */
	bool no_exits;			/* variant=no-exits: the DWT omits them, as streams of Cortex-M3 under load have it */
	bool ports_by_core;		/* variant=ports-by-core: stimulus ports ignore what a debugger writes */
	enum pt_vsecond_kind second;
	uint32_t core_hz, trace_hz;	/* trace_hz 0: the core's clock */
	bool pin_is_off, pin_forgets;	/* swo= */
	bool half_frames;		/* tpiu=coresight */
	unsigned fifo_room, stamp_bits;
};

enum { PT_CM4_WORDS = 6 };
extern const struct pt_param pt_vcm4_params[PT_CM4_WORDS];
/* chip: its name, for sentences. */
int pt_cm4_read_words(struct pt_cm4_words *words, const char *chip, const struct pt_params *settings,
		      struct pt_err *err);
#define PT_CM4_VARIANTS "locked, trace-sleeps, cyccnt-sleeps, left, rival, no-exits, ports-by-core, dwt-v8, " PT_VSECOND_WORDS

struct pt_cm4_kind;
struct pt_cm4 {
	const struct pt_cm4_kind *kind;
	struct pt_vbus bus;
	struct pt_vwires wires;
	struct pt_vcpu *cpu;
	uint8_t code[PT_CM4_CODE_BYTES], ram[PT_CM4_RAM_BYTES];

	struct pt_varm_debug debug;	/* over the next three */
	struct pt_vdwt dwt;
	struct pt_vbpu fpb;
	struct pt_vscs_debug scs;
	struct pt_vrom_table rom, port_rom;
	struct pt_vitm itm;		/* of the first core; its log is a test's */
	struct pt_vtpiu tpiu;
	struct pt_vtrace_pin pin;
	struct pt_vbit_band ram_bits, peripheral_bits;
	struct pt_vcmsdk_timer timer;
	struct pt_vcmsdk_uart uart;
	struct pt_vmem_ap ahb;
	struct pt_varm_second second;

	struct pt_vpower power;
	struct pt_cm4_words words;
	uint64_t rival_turn;
};

/* The chip behind a board of pt_vboard_cm4 or pt_vboard_cm7; the board's. */
struct pt_cm4 *pt_cm4_of(struct pt_vboard *board);
uint32_t pt_cm4_peek(struct pt_cm4 *chip, uint32_t addr);	/* a word of code or RAM; 0 where there is none */
/* Start a truth of its first core, or of any, over the chip's code and RAM (truth.h). False: no memory. */
bool pt_cm4_watch_core(struct pt_cm4 *chip, unsigned core, struct pt_vtruth *truth, size_t log_room);

extern const struct pt_vboard_ops pt_vboard_cm4, pt_vboard_cm7;

#endif
