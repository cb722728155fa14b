/* The virtual board microblaze: one to four MicroBlazes, each with its own 64 KiB of local memory at 0, RAM,
 * interrupt controller, timer and UART, and one MDM that all of them reach. The units have the addresses that they
 * have on the petalogix boards that QEMU has (s3adsp1800), so that one program runs on all. Debuggers drive it
 * through pt_vboard_microblaze (frame/board.h); tests and bench look inside through this header. Its words are in
 * pt_vmicroblaze_params (microblaze_setup.c), each with the fact that it leaves open. */
#ifndef PT_VIRTUAL_CHIP_MICROBLAZE_H
#define PT_VIRTUAL_CHIP_MICROBLAZE_H

#include "probes/virtual/frame/board.h"
#include "probes/virtual/chip/power.h"
#include "probes/virtual/chip/truth.h"
#include "probes/virtual/cpu/microblaze/microblaze.h"
#include "probes/virtual/unit/amd/axi_intc.h"
#include "probes/virtual/unit/amd/axi_timer.h"
#include "probes/virtual/unit/amd/mdm.h"
#include "probes/virtual/unit/amd/uartlite.h"
#include "probes/virtual/wire/mdm_dr.h"
#include "probes/virtual/rsp/rsp_stub.h"

enum { PT_MICROBLAZE_CORES = 4, PT_MICROBLAZE_LMB_BYTES = 0x10000, PT_MICROBLAZE_RAM_BYTES = 16 << 20 };
enum { PT_MICROBLAZE_TIMER_IRQ = 0, PT_MICROBLAZE_UART_IRQ = 3, PT_MICROBLAZE_MDM_IRQ = 4 };	/* of the controller */
#define PT_MICROBLAZE_RAM_BASE 0x90000000u
#define PT_MICROBLAZE_INTC_BASE 0x81800000u
#define PT_MICROBLAZE_TIMER_BASE 0x83c00000u
#define PT_MICROBLAZE_UART_BASE 0x84000000u
#define PT_MICROBLAZE_MDM_BASE 0x41400000u	/* Vivado's own choice for an MDM */

struct pt_microblaze;

struct pt_microblaze_node {		/* a core and what is its own */
	struct pt_microblaze *chip;
	struct pt_vbus bus;
	struct pt_vwires wires;
	struct pt_vmb *cpu;
	uint8_t *lmb, *ram;
	struct pt_vaxi_intc intc;
	struct pt_vaxi_timer timer;
	struct pt_vuartlite uart;
	struct pt_vmdm_core *debug;
	uint32_t halted;		/* why it halted last: enum pt_vmb_halt; 0 since it was resumed */
	struct pt_vobserver observer;		/* for watchpoints */
	uint32_t watched;		/* which one it halted for last: address and kind */
	uint8_t watched_kind;
};

enum { PT_MICROBLAZE_WATCHPOINTS = 4 };	/* C_NUMBER_OF_RD_ADDR_BRK, C_NUMBER_OF_WR_ADDR_BRK */
struct pt_microblaze_watch { uint32_t addr, len_bytes; uint8_t kind; };	/* kind: 0 writes, 1 reads, 2 both */

struct pt_microblaze {
	struct pt_microblaze_node node[PT_MICROBLAZE_CORES];
	unsigned n_nodes;
	struct pt_vmdm mdm;
	uint32_t hz;
	struct pt_vpower power;
	bool held;			/* cores stay in reset, reset=held */
	bool debugger;			/* one is there: brki rD,0x18 halts */
	uint64_t n_resets;
	struct pt_vrsp_target rsp;
	struct pt_vmdm_dr dr;		/* the MDM on a USER chain of the FPGA's TAP */
	struct pt_vdr row;
	struct pt_vjtap tap, *taps[1];
	uint32_t breaks[PT_VMB_BREAKPOINTS];
	uint16_t breaks_set;		/* bits: which of them */
	struct pt_microblaze_watch watch[PT_MICROBLAZE_WATCHPOINTS];	/* len_bytes 0: free */
};

struct pt_microblaze *pt_microblaze_of(struct pt_vboard *board);

/* Host-side view of a node's memories: n_bytes at addr. NULL: not there. */
uint8_t *pt_microblaze_bytes(struct pt_microblaze_node *node, uint32_t addr, uint32_t n_bytes);
uint32_t pt_microblaze_peek(struct pt_microblaze_node *node, uint32_t addr);	/* a word; 0 where there is none */

/* Start a truth over the node's local memory (truth.h). False: no memory. */
bool pt_microblaze_watch(struct pt_microblaze_node *node, struct pt_vtruth *truth, size_t log_room);

void pt_microblaze_reset(struct pt_microblaze *chip, bool into_halt);	/* as the debugger does it */

enum { PT_MICROBLAZE_WORDS = 51 };
extern const struct pt_param pt_vmicroblaze_params[PT_MICROBLAZE_WORDS];

/* --- between the files of the board, microblaze.c and microblaze_setup.c */
struct pt_microblaze_words {
	uint32_t hz;
	unsigned n_cores;
	bool held, as_qemu;
	unsigned user;			/* chain of the MDM: 1 to 4 */
	struct pt_vmdm_framing framing;
	struct pt_vmb_options cpu;
	struct pt_vmdm_options mdm;
};
/* PT_EARG: variant= was given, or a size that there is not. */
int pt_microblaze_read_words(struct pt_microblaze_words *words, const struct pt_params *settings, struct pt_err *err);
/* See told in frame/board.h: parameters of the design, which no register has, and where the MDM's AXI slave is. */
void pt_microblaze_told(const struct pt_params *settings, const char *driver, void (*say)(void *arg, const char *word),
			void *arg);
/* What a GDB server in front of it serves (microblaze_rsp.c); after the nodes were made. */
void pt_microblaze_serve(struct pt_microblaze *chip, bool as_qemu, bool stack_protection);
/* An ELF, or (NULL) the demo, into all nodes. PT_EARG: not firmware for this board. */
int pt_microblaze_load(struct pt_microblaze *chip, const uint8_t *elf, size_t len_bytes, struct pt_err *err);

extern const struct pt_vboard_ops pt_vboard_microblaze;

#endif
