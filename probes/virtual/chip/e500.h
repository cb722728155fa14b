/* The virtual board e500: one to four cores of the e500 family, each with its performance monitor, which share 16 MiB of
 * RAM at 0 and a UART; timers are the cores' decrementers. A core's PIR is its number; interrupts of the UART are the
 * first one's. No part is like it: the UART is an AXI UART Lite in the last 256 MiB, which a boot loader maps for
 * registers. Debuggers drive it through pt_vboard_e500; tests and bench look inside through this header. Its
 * words are in pt_ve500_params (e500_setup.c). */
#ifndef PT_VIRTUAL_CHIP_E500_H
#define PT_VIRTUAL_CHIP_E500_H

#include "probes/virtual/frame/board.h"
#include "probes/virtual/chip/power.h"
#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/e500/e500.h"
#include "probes/virtual/unit/e500/e500_dcsr.h"
#include "probes/virtual/unit/e500/e500_pm.h"
#include "probes/virtual/unit/amd/uartlite.h"
#include "probes/virtual/rsp/rsp_stub.h"

enum { PT_E500_NODES = PT_VDCSR_CORES, PT_E500_RAM_BYTES = 16 << 20 };
#define PT_E500_UART_BASE 0xf0004500u
#define PT_E500_DCSR_BASE 0xf1000000u	/* with dcsr=on: of a QorIQ, which has it above 4 GiB */

struct pt_e500_node {			/* a core, and what is its own */
	struct pt_vbus bus;
	struct pt_ve500 *cpu;
	struct pt_ve500_pm pm;
	bool asked;			/* it halts because it was asked to */
};

struct pt_e500 {
	struct pt_e500_node node[PT_E500_NODES];
	unsigned n_nodes;
	struct pt_ve500 *cpu;		/* the first node's, as most who look inside want it */
	struct pt_ve500_pm *pm;
	struct pt_vwires wires;
	struct pt_vdcsr dcsr;
	uint8_t *ram;
	struct pt_vuartlite uart;
	uint32_t entry;			/* of the firmware: where a reset begins */
	struct pt_vpower power;
	bool held;			/* the core stays in reset, held=on */
	bool debugger;			/* one is there: traps halt */
	uint64_t n_resets;
	struct pt_vrsp_target rsp;
	uint32_t breaks[PT_VE500_BREAKPOINTS];
	uint16_t breaks_set;		/* bits: which of them */
	struct pt_e500_watch { uint32_t addr, len_bytes; unsigned type; } watch[PT_VE500_WATCHPOINTS];	/* type: of Z */
};

struct pt_e500 *pt_e500_of(struct pt_vboard *board);

uint8_t *pt_e500_bytes(struct pt_e500 *chip, uint32_t addr, uint32_t n_bytes);	/* of the RAM. NULL: not there */
uint32_t pt_e500_peek(struct pt_e500 *chip, uint32_t addr);			/* a word; 0 where there is none */

/* Start a truth of the first core over the RAM's first MiB, where programs are (truth.h). False: no memory. */
bool pt_e500_watch(struct pt_e500 *chip, struct pt_vtruth *truth, size_t log_room);

void pt_e500_reset(struct pt_e500 *chip, bool into_halt);	/* as the debugger does it */

enum { PT_E500_WORDS = 18 };
extern const struct pt_param pt_ve500_params[PT_E500_WORDS];

/* --- between the files of the board */
struct pt_e500_words {
	uint32_t hz;
	enum pt_ve500_core core;
	unsigned n_cores;
	bool held, dcsr, counts_halted, masks_steps;
	enum pt_vdcsr_capture capture;
	struct pt_ve500_timing timing;
};
/* PT_EARG: variant= was given, or a debug space for a core that has none. */
int pt_e500_read_words(struct pt_e500_words *words, const struct pt_params *settings, struct pt_err *err);
void pt_e500_told(const struct pt_params *settings, const char *driver, void (*say)(void *arg, const char *word),
		  void *arg);			/* frame/board.h */
void pt_e500_serve(struct pt_e500 *chip);	/* what a GDB server in front of it serves (e500_rsp.c) */
/* An ELF, or (NULL) the demo. PT_EARG: not firmware for this board. */
int pt_e500_load(struct pt_e500 *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err);

extern const struct pt_vboard_ops pt_vboard_e500;

#endif
