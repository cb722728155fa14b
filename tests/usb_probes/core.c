/* Memories, private peripheral bus and debug logic. Time passes with the debugger's accesses, so that each sample of a
 * running program finds it elsewhere, and with the milliseconds of the host (main.c). */
#include <string.h>

#include "chip.h"
#include "core.h"
#include "thumb.h"

enum { XPSR = 16, MSP, PSP, SPECIAL = 20, N_REGISTERS };	/* as DCRSR numbers them */
enum { C_DEBUGEN = 1, C_HALT = 2, C_STEP = 4, S_REGRDY = 1 << 16, S_HALT = 1 << 17, S_RETIRE_ST = 1 << 24, S_RESET_ST = 1 << 25 };
enum { DFSR_HALTED = 1, DFSR_BKPT = 2, DFSR_VCATCH = 8, VC_CORERESET = 1, VC_HARDERR = 1 << 10, DWTENA = 1 << 24 };
enum { THUMB_BIT = 1 << 24, N_BREAKPOINTS = 4, MOST_PER_TICK = 31, BP_KEY = 2, FLASH_SECURITY = 0x40c };
#define DEBUG_KEY UINT32_C(0xa05f)
#define AIRCR_KEY UINT32_C(0x05fa)
#define NO_SAMPLE UINT32_MAX

enum {
	PPB_DWT = 0xe0001000u, DWT_PCSR = PPB_DWT + 0x1c,
	PPB_BPU = 0xe0002000u, BP_COMP0 = PPB_BPU + 8,
	PPB_SCS = 0xe000e000u, CPUID = 0xe000ed00u, AIRCR = 0xe000ed0cu, DFSR = 0xe000ed30u,
	DHCSR = 0xe000edf0u, DCRSR = 0xe000edf4u, DCRDR = 0xe000edf8u, DEMCR = 0xe000edfcu,
	PPB_ROM = 0xe00ff000u, SYSTEM_ROM = 0xf0002000u,
};

static uint8_t flash[FLASH_BYTES], ram[RAM_BYTES];
static struct {
	struct thumb cpu;
	uint32_t psp, special, dcrdr, demcr, dfsr, control;	/* control: the writable bits of DHCSR */
	uint32_t bp_ctrl, bp_comp[N_BREAKPOINTS], pcsr, random;
	bool halted, was_reset, retired;
} core;

static const uint16_t program[] = {
	0x4808, 0x6801, 0x3101, 0x6001, 0xf000, 0xf803, 0xf000, 0xf805, 0xe7f6,	/* main, at 0x40 */
	0x225a, 0x3a01, 0xd1fd, 0x4770,			/* work */
	0x221e, 0x3a01, 0xd1fd, 0x4770, 0x0000,		/* rest */
	0x0000, 0x2000,					/* where the counter is */
};

/* --- the bus */

uint8_t *core_flash(void)
{
	return flash;
}

static uint8_t *find_cell(uint32_t addr)
{
	if (addr < FLASH_BYTES)
		return flash + addr;
	return addr - RAM_FIRST < RAM_BYTES ? ram + (addr - RAM_FIRST) : NULL;
}

static bool ppb_read(uint32_t addr, uint32_t *value);
static bool ppb_write(uint32_t addr, uint32_t value);

bool bus_read(uint32_t addr, unsigned size_bytes, uint32_t *value)
{
	const uint8_t *from = find_cell(addr);

	*value = 0;
	if (from == NULL) {
		if (!ppb_read(addr & ~3u, value))
			return chip_read(addr, size_bytes, value);
		*value >>= 8 * (addr & 3);
		return true;
	}
	for (unsigned i = 0; i < size_bytes; i++)
		*value |= (uint32_t)from[i] << 8 * i;
	return true;
}

bool bus_write(uint32_t addr, unsigned size_bytes, uint32_t value)
{
	uint8_t *to = find_cell(addr);

	if (to == NULL)
		return chip_write(addr, size_bytes, value) || (size_bytes == 4 && ppb_write(addr, value));
	if (addr < FLASH_BYTES)
		return false;
	for (unsigned i = 0; i < size_bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
	return true;
}

/* --- running */

/* Every debug event sets C_HALT, not the debugger alone. Source: DDI 0419, C1.5.1. */
static void halt(uint32_t why)
{
	core.halted = true;
	core.control |= C_HALT;
	core.dfsr |= why;
}

static bool meets_breakpoint(uint32_t pc)
{
	for (unsigned i = 0; (core.bp_ctrl & 1) != 0 && i < N_BREAKPOINTS; i++) {
		uint32_t comp = core.bp_comp[i];
		unsigned halves = comp >> 30;

		if ((comp & 1) != 0 && ((comp ^ pc) & 0x1ffffffc) == 0 && (halves >> (pc >> 1 & 1) & 1) != 0)
			return true;
	}
	return false;
}

/* One instruction; a fault halts too, as no handler could take it. */
static void run_one(void)
{
	uint32_t pc = core.cpu.r[THUMB_PC];

	if (meets_breakpoint(pc)) {
		halt(DFSR_BKPT);
		return;
	}
	core.pcsr = pc;
	switch (thumb_step(&core.cpu)) {
	case THUMB_BREAK:
		halt(DFSR_BKPT);
		break;
	case THUMB_FAULT:
		halt(DFSR_VCATCH);
		break;
	default:
		core.retired = true;
		break;
	}
}

void core_run(unsigned n_instructions)
{
	while (!core.halted && n_instructions-- > 0)
		run_one();
}

void core_tick(void)
{
	core.random = core.random * 1664525 + 1013904223;
	core_run(1 + (core.random >> 16) % MOST_PER_TICK);
}

void core_reset(void)
{
	uint32_t stack, entry;

	bus_read(0, 4, &stack);
	bus_read(4, 4, &entry);
	core.cpu = (struct thumb){ .r[THUMB_SP] = stack, .r[THUMB_LR] = UINT32_MAX, .r[THUMB_PC] = entry & ~1u };
	core.psp = core.special = 0;
	core.was_reset = true;
	core.halted = false;
	core.control &= ~(uint32_t)(C_HALT | C_STEP);
	if ((core.control & C_DEBUGEN) != 0 && (core.demcr & VC_CORERESET) != 0)
		halt(DFSR_VCATCH);
}

void core_power_on(void)
{
	static const uint32_t vectors[] = { RAM_FIRST + RAM_BYTES, 0x41 };

	memset(&core, 0, sizeof(core));
	chip_power_on();
	memset(flash, 0xff, sizeof(flash));
	memset(ram, 0, sizeof(ram));
	memcpy(flash, vectors, sizeof(vectors));
	memcpy(flash + 0x40, program, sizeof(program));
	flash[FLASH_SECURITY] = 0xfe;		/* open */
	core_reset();
}

/* --- debug registers */

static uint32_t register_of(unsigned number)
{
	const struct thumb *cpu = &core.cpu;

	switch (number) {
	case XPSR:
		return THUMB_BIT | (uint32_t)cpu->n << 31 | (uint32_t)cpu->z << 30 | (uint32_t)cpu->c << 29 |
		       (uint32_t)cpu->v << 28;
	case MSP:
		return cpu->r[THUMB_SP];
	case PSP:
		return core.psp;
	case SPECIAL:
		return core.special;
	default:
		return number < 16 ? cpu->r[number] : 0;
	}
}

static void set_register(unsigned number, uint32_t value)
{
	struct thumb *cpu = &core.cpu;

	switch (number) {
	case XPSR:
		cpu->n = value >> 31;
		cpu->z = value >> 30 & 1;
		cpu->c = value >> 29 & 1;
		cpu->v = value >> 28 & 1;
		break;
	case MSP:
		cpu->r[THUMB_SP] = value;
		break;
	case PSP:
		core.psp = value;
		break;
	case SPECIAL:
		core.special = value;
		break;
	default:
		if (number < 16)
			cpu->r[number] = number == THUMB_PC ? value & ~1u : value;
		break;
	}
}

static void transfer_register(uint32_t dcrsr)
{
	if (!core.halted)
		return;		/* UNPREDICTABLE: nothing happens here */
	if ((dcrsr & 1 << 16) != 0)
		set_register(dcrsr & 31, core.dcrdr);
	else
		core.dcrdr = register_of(dcrsr & 31);
}

static uint32_t read_dhcsr(void)
{
	uint32_t value = core.control | S_REGRDY | (core.halted ? S_HALT : 0) | (core.retired ? S_RETIRE_ST : 0) |
			 (core.was_reset ? S_RESET_ST : 0);

	core.retired = core.was_reset = false;
	return value;
}

static void write_dhcsr(uint32_t value)
{
	if (value >> 16 != DEBUG_KEY)
		return;
	core.control = (value & C_DEBUGEN) != 0 ? value & 0xf : 0;
	if ((core.control & C_DEBUGEN) == 0) {
		core.halted = false;
	} else if ((core.control & C_HALT) != 0) {
		if (!core.halted)
			halt(DFSR_HALTED);
	} else if (core.halted) {
		core.halted = false;
		if ((core.control & C_STEP) != 0) {
			run_one();
			halt(DFSR_HALTED);
		}
	}
}

/* The identification registers of a component of ARM, at the end of its 4 KiB. Source: DDI 0484, 6.2. */
static uint32_t read_id(uint32_t addr, unsigned part, unsigned class)
{
	const uint8_t ids[] = { 4, 0, 0, 0, (uint8_t)part, (uint8_t)(0xb0 | part >> 8), 0x0b, 0, 0x0d, (uint8_t)class, 5, 0xb1 };

	return addr >= 0xfd0 ? ids[(addr - 0xfd0) / 4] : 0;
}

static uint32_t read_rom_table(uint32_t addr)
{
	static const uint32_t entries[] = { 0xfff0f003, 0xfff02003, 0xfff03003 };	/* SCS, DWT, BPU */

	if (addr / 4 < sizeof(entries) / sizeof(entries[0]))
		return entries[addr / 4];
	return addr == 0xfcc ? 1 : read_id(addr, 0x4c0, 0x10);
}

/* The chip's own table in front of ARM's; its designer is Freescale. */
static uint32_t read_system_table(uint32_t addr)
{
	static const uint8_t ids[] = { 0, 0, 0, 0, 0x32, 0xe9, 0x08, 0, 0x0d, 0x10, 5, 0xb1 };

	if (addr == 0)
		return PPB_ROM - SYSTEM_ROM + 3;
	return addr >= 0xfd0 ? ids[(addr - 0xfd0) / 4] : 0;
}

static uint32_t read_scs(uint32_t addr)
{
	switch (addr) {
	case CPUID:
		return 0x410cc601;
	case DFSR:
		return core.dfsr;
	case DHCSR:
		return read_dhcsr();
	case DCRDR:
		return core.dcrdr;
	case DEMCR:
		return core.demcr;
	default:
		return read_id(addr & 0xfff, 8, 0xe0);
	}
}

static uint32_t read_dwt(uint32_t addr)
{
	if (addr == PPB_DWT)
		return UINT32_C(2) << 28;	/* NUMCOMP */
	if (addr == DWT_PCSR)
		return core.halted || (core.demcr & DWTENA) == 0 ? NO_SAMPLE : core.pcsr;
	return read_id(addr & 0xfff, 0xa, 0xe0);
}

static uint32_t read_bpu(uint32_t addr)
{
	if (addr == PPB_BPU)
		return N_BREAKPOINTS << 4 | core.bp_ctrl;
	if (addr >= BP_COMP0 && (addr - BP_COMP0) / 4 < N_BREAKPOINTS)
		return core.bp_comp[(addr - BP_COMP0) / 4];
	return read_id(addr & 0xfff, 0xb, 0xe0);
}

static bool ppb_read(uint32_t addr, uint32_t *value)
{
	switch (addr & ~UINT32_C(0xfff)) {
	case PPB_DWT:
		*value = read_dwt(addr);
		return true;
	case PPB_BPU:
		*value = read_bpu(addr);
		return true;
	case PPB_SCS:
		*value = read_scs(addr);
		return true;
	case PPB_ROM:
		*value = read_rom_table(addr & 0xfff);
		return true;
	case SYSTEM_ROM:
		*value = read_system_table(addr & 0xfff);
		return true;
	default:
		return false;
	}
}

static void write_bpu(uint32_t addr, uint32_t value)
{
	if (addr == PPB_BPU && (value & BP_KEY) != 0)
		core.bp_ctrl = value & 1;
	else if (addr >= BP_COMP0 && (addr - BP_COMP0) / 4 < N_BREAKPOINTS)
		core.bp_comp[(addr - BP_COMP0) / 4] = value & 0xdffffffd;
}

static void write_scs(uint32_t addr, uint32_t value)
{
	switch (addr) {
	case AIRCR:
		if (value >> 16 == AIRCR_KEY && (value & 4) != 0)
			core_reset();
		break;
	case DFSR:
		core.dfsr &= ~value;
		break;
	case DHCSR:
		write_dhcsr(value);
		break;
	case DCRSR:
		transfer_register(value);
		break;
	case DCRDR:
		core.dcrdr = value;
		break;
	case DEMCR:
		core.demcr = value & (VC_CORERESET | VC_HARDERR | DWTENA);
		break;
	default:
		break;
	}
}

static bool ppb_write(uint32_t addr, uint32_t value)
{
	switch (addr & ~UINT32_C(0xfff)) {
	case PPB_BPU:
		write_bpu(addr, value);
		return true;
	case PPB_SCS:
		write_scs(addr, value);
		return true;
	case PPB_DWT:
	case PPB_ROM:
		return true;
	default:
		return false;
	}
}
