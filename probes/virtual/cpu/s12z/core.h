/* Shared by the files of the core, and included besides by the check of the decoder alone. s12z.c runs it, decode.c
 * knows the encodings, memory.* the way to the bus, operand.* the general operand, execute.c, alu.h, multiply.c,
 * shift.c and bits.c what instructions do, exception.c entry and return. */
#ifndef PT_VIRTUAL_CPU_S12Z_CORE_H
#define PT_VIRTUAL_CPU_S12Z_CORE_H

#include <stddef.h>

#include "probes/virtual/cpu/s12z/s12z.h"
#include "probes/virtual/frame/core.h"

/* Registers by their numbers in op-codes and postbytes. Source: binutils, s12z-opc.c */
enum { R_D2, R_D3, R_D4, R_D5, R_D0, R_D1, R_D6, R_D7, R_X, R_Y, R_S, R_P, R_CCH, R_CCL, R_CCW, R_NONE, N_REGS };

/* The cycle model, UNVERIFIED: the CPU manual, which has the counts, could not be read. One bus cycle for each
 * instruction and one for each access of up to four bytes (the S12Z's bus is 32 bits wide), wherever it lies; taken
 * branches, long op-codes and divisions cost nothing more. All costs are added with these two: execute.c counts
 * instructions, memory.h accesses; an exception is one step, its frame 8 accesses and the vector one. Nothing may rely
 * on a count being the chip's. */
enum { CYCLES_STEP = 1, CYCLES_ACCESS = 1, FRAME_ACCESSES = 8 };

enum { MAX_WINDOWS = 8, PAGE_SHIFT = 8, MAX_OP_BYTES = 11, ADDR_MASK = 0xffffff };

/* Where an operand is. Source: binutils, s12z-opc.c */
enum operand_mode {
	AT_NOTHING,
	AT_IMM,			/* value */
	AT_REG,			/* register base */
	AT_ADDR,		/* address value: EXT14, EXT18, EXT24 */
	AT_P,			/* address value, which is P + something */
	AT_BASE,		/* value + X, Y, S */
	AT_DATA_BASE,		/* unsigned value + Di */
	AT_INDEX,		/* Di in index + X, Y, S */
	AT_PRE_DEC, AT_PRE_INC, AT_POST_DEC, AT_POST_INC,	/* X, Y, S, by the size of the access */
	IN_ADDR, IN_P, IN_BASE, IN_INDEX,	/* [..]: the three bytes there are the address */
};

struct operand {
	uint8_t mode, base, index;	/* enum operand_mode; R_* */
	uint8_t n_bytes;		/* of the encoding */
	uint32_t value;
};

/* A decoded instruction. What the fields mean for each kind is said in decode.h. */
struct op {
	uint8_t kind, n_bytes;
	uint8_t d, m, size, size_b, how, flags;
	struct operand a, b;
	uint32_t imm;
};

/* RAM or flash, reached without the bus. */
struct window {
	uint32_t base, size;
	uint8_t *bytes;
	bool read_only;
	bool by_bus, no_code;	/* pt_vs12z_detour() */
	struct op *op;		/* one per byte; kind OP_NEW: not decoded, or forgotten */
	uint8_t *has_code;	/* one per page: a byte of a decoded instruction is there */
};

struct pt_vs12z {
	struct pt_vcore core;		/* first: the frame casts */
	uint32_t r[N_REGS];		/* data and index registers; those from R_P on are elsewhere */
	uint32_t pc;			/* next to execute, once an instruction has begun its successor */
	uint32_t flags;			/* N Z V C, as in CCW */
	uint32_t system;		/* the other bits of CCW */

	uint64_t irqs_from;		/* instruction count before which an interrupt that CLI let in waits */
	uint32_t last_pc;
	enum pt_vs12z_state state;

	struct window window[MAX_WINDOWS];
	size_t n_windows;
	struct window *ram;		/* the first writable one: most data is there; nowhere while it has a detour */
	struct window *code;		/* the one that execution is in */
	struct window nowhere;		/* of no size: every access looks further */

	uint64_t lines[PT_VS12Z_VECTORS / 64];
	uint8_t priority[PT_VS12Z_VECTORS];
	uint16_t ivbr;
	bool machine_pending;

	uint32_t halt_wanted;		/* enum pt_vs12z_halt bits */
	bool swi_wanted, stepping, watching, passes_tag;

	struct pt_vs12z_hooks hooks;
	struct pt_vs12z_options options;
};
_Static_assert(offsetof(struct pt_vs12z, core) == 0, "the frame takes the one for the other");

/* All ones in size bytes, and their sign bit. */
static inline uint32_t pt_z_mask(unsigned size)
{
	return UINT32_MAX >> (32 - 8 * size);
}

static inline uint32_t pt_z_sign(unsigned size)
{
	return UINT32_C(1) << (8 * size - 1);
}

static inline uint32_t pt_z_extend(uint32_t value, unsigned size)
{
	uint32_t sign = pt_z_sign(size);

	return ((value & pt_z_mask(size)) ^ sign) - sign;
}

/* Width of a register by its op-code number, in bytes; 0 for the one that does not exist. */
extern const uint8_t pt_z_width[N_REGS];

void pt_z_execute(struct pt_vs12z *cpu);	/* until cycle >= deadline */

/* Any register by its op-code number, CCW and P among them. */
uint32_t pt_z_get(const struct pt_vs12z *cpu, unsigned reg);
void pt_z_put(struct pt_vs12z *cpu, unsigned reg, uint32_t value);

/* exception.c */
uint32_t pt_z_ccw(const struct pt_vs12z *cpu);
/* As instructions write it: mask says which bits. X cannot be set, and in user state only N Z V C change. */
void pt_z_write_ccw(struct pt_vs12z *cpu, uint32_t value, uint32_t mask);
/* The interrupt to take now or, with wake, one that ends WAI and STOP; 0: none. */
unsigned pt_z_pick(const struct pt_vs12z *cpu, bool wake);
void pt_z_enter(struct pt_vs12z *cpu, unsigned vector, uint32_t return_addr);
void pt_z_return(struct pt_vs12z *cpu, uint32_t from);	/* RTI */
void pt_z_machine(struct pt_vs12z *cpu, uint32_t return_addr);
void pt_z_reset_vector(struct pt_vs12z *cpu);

#endif
